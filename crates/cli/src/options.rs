//! What options mean for an engine: `-o ENGINE.NAME=VALUE`, and what is refused because the chosen
//! engine does not read it. An option without effect is an error, not a surprise.

use crate::args::CheckArgs;
use crate::commands::language::Language;
use crate::load::InputError;
use clap::error::{ContextKind, ContextValue};
use pedra_check::{EngineName, Liveness};
use pedra_engines::settings::{engine_of, engines_read};
use pedra_engines::{Settings, all_settings};
use pedra_model::property::Property;
use std::ffi::OsString;
use std::fmt::Write as _;

/// Sees whether an engine's option makes sense, and leaves it as it is.
///
/// # Errors
/// What is wrong, for people.
pub fn parse_option(text: &str) -> Result<String, String> {
    if is_page(text) {
        return Ok(text.to_owned());
    }
    engine_of(text).map(|_| text.to_owned())
}

/// Whether a value of `-o` is the page of `pedra explain`, and no option of an engine.
pub fn is_page(text: &str) -> bool {
    text.ends_with(".html") || text.ends_with(".htm")
}

/// Options of earlier versions, and what they are called today. Those that end in a dot had the
/// name of the option in their value.
const OLD: [(&str, &str); 9] = [
    ("--pdr", "pdr."),
    ("--fb", "fbpdr."),
    ("--imc", "imc."),
    ("--avy", "avy."),
    ("--word", "wpdr."),
    ("--variant", "pdr.variant="),
    ("--unit", "wpdr.unit="),
    ("--window", "bmc.window="),
    ("--simple-path", "kind.simple-path=on"),
];

/// How an option that is not known any more is written today, if it was known once.
pub fn todays_spelling(error: &clap::Error, words: &[OsString]) -> Option<String> {
    let Some(ContextValue::String(unknown)) = error.get(ContextKind::InvalidArg) else {
        return None;
    };
    let flag = unknown.split('=').next()?;
    let (_, path) = OLD.iter().find(|(old, _)| *old == flag)?;
    let at =
        words.iter().position(|word| word.to_string_lossy().split('=').next() == Some(flag))?;
    let inline = words[at].to_string_lossy().split_once('=').map(|(_, value)| value.to_owned());
    let next = || words.get(at + 1).map(|word| word.to_string_lossy().into_owned());
    let value = match path.ends_with(['.', '=']) {
        true => inline.or_else(next).unwrap_or_default(),
        false => String::new(),
    };
    Some(format!("{flag} is now written -o {path}{value}"))
}

/// Whether an engine has a use for a second thread.
fn has_threads(engine: EngineName) -> bool {
    matches!(engine, EngineName::Auto | EngineName::Pdr | EngineName::Rpdr | EngineName::Fbpdr)
}

impl CheckArgs {
    /// The options of the engines.
    ///
    /// # Panics
    /// If an option makes no sense: they were looked at when they were read.
    pub fn settings(&self) -> Settings {
        Settings::parse(self.option.iter().map(String::as_str)).expect("looked at when read")
    }

    /// Whether k-liveness may run.
    fn runs_klive(&self) -> bool {
        match self.liveness {
            Liveness::Auto => self.engine == EngineName::Auto,
            liveness => liveness == Liveness::Klive,
        }
    }

    /// Refuses what the chosen engine does not read.
    ///
    /// # Errors
    /// The first such option.
    pub fn refuse_unread(&self) -> Result<(), InputError> {
        #[cfg(feature = "cluster")]
        crate::commands::cluster::refuse(self)?;
        let threads = self.threads();
        let name = self.engine.text();
        let mut read = engines_read(name);
        if self.runs_klive() {
            read.push("klive");
        }
        if let Some(page) = self.option.iter().find(|option| is_page(option)) {
            return Err(InputError(format!("-o {page}: the page of a run is --report {page}")));
        }
        for option in &self.option {
            let owner = engine_of(option).expect("looked at when read");
            if !read.contains(&owner) {
                let path = option.split('=').next().unwrap_or_default();
                let who = match self.engine {
                    EngineName::Auto => format!("engine auto does not run {owner}"),
                    _ => format!("engine {name} does not read it"),
                };
                let whose = if owner == "klive" { "--liveness" } else { "--engine" };
                return Err(InputError(format!("-o {path}: {who}; it is for {whose} {owner}")));
            }
        }
        if threads > 1 && !has_threads(self.engine) {
            let text = format!("--threads {threads}: engine {name} works in one thread");
            return Err(InputError(text));
        }
        let stays_in_words = self.engine == EngineName::Wpdr && !self.settings().word.hand_over;
        if self.solver.is_some() && stays_in_words {
            let text = "--solver: engine wpdr reads it for bit-level PDR only, which \
                        wpdr.handover=off turns off";
            return Err(InputError(text.to_owned()));
        }
        let own_search = matches!(self.liveness, Liveness::Klive | Liveness::Rlive);
        if own_search && !matches!(self.engine, EngineName::Auto | EngineName::Pdr) {
            let text = format!(
                "--liveness {}: it searches with pdr, not with {name}; leave out \
                                --engine",
                self.liveness.text()
            );
            return Err(InputError(text));
        }
        let (drawn, what) = match Language::of(&self.model) {
            Some(_) => ("program", "has no lemmas at loops"),
            None => ("wpdr", "does not reason in words"),
        };
        if self.plot.is_some() && !read.contains(&drawn) {
            return Err(InputError(format!("--plot: engine {name} {what}; use --engine {drawn}")));
        }
        Ok(())
    }
}

impl CheckArgs {
    /// Refuses options of words where only justice sets are decided: that is done in bits.
    ///
    /// # Errors
    /// The first such option.
    pub fn refuse_unread_for(&self, properties: &[Property]) -> Result<(), InputError> {
        let is_set = |property: &Property| matches!(property, Property::Justice(_));
        let of_words = |option: &&String| engine_of(option) == Ok("wpdr");
        match self.option.iter().find(of_words).filter(|_| properties.iter().all(is_set)) {
            Some(option) => {
                let path = option.split('=').next().unwrap_or_default();
                let text = "justice sets are decided in bits, where nothing reads it";
                Err(InputError(format!("-o {path}: {text}")))
            }
            None => Ok(()),
        }
    }
}

/// All options of all engines, for `--help-all`.
pub fn help() -> String {
    let mut text = String::from("Options of engines, as -o ENGINE.NAME=VALUE [default]:\n");
    let defaults = Settings::default();
    for setting in all_settings() {
        let path = format!("{}.{}", setting.engine, setting.name);
        let (class, default) = (setting.class.text(), setting.get(&defaults));
        let _ = writeln!(text, "  {path:<20} {class:<7} {} [{default}]", setting.values);
    }
    text.push_str("What each means, and why it exists: docs/CLI.md.\n\n");
    text
}
