//! The options of all engines in one table, each written `ENGINE.NAME=VALUE`.
//!
//! Each engine has a table of its options ([`Choice`]). This module combines them, with the engine
//! before each name. The command line, its reference, the fuzzer and the corpus of shrunk failures
//! use it.

use crate::choices::{Choice, Class};
use crate::exchange::AutoOptions;
use crate::word::UnitKind as Unit;
use crate::{AvyOptions, BmcOptions, FbOptions, ImcOptions, KindOptions, PdrOptions, Variant};
use crate::{KLiveOptions, ProgramOptions, WordOptions, avy, fb, imc, pdr, program, word};

/// The options of all engines.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct Settings {
    /// Bounded model checking.
    pub bmc: BmcOptions,
    /// k-induction.
    pub kind: KindOptions,
    /// PDR in either direction, and the frames of AVY.
    pub pdr: PdrOptions,
    /// fbPDR, and the obligations of Reverse PDR.
    pub fb: FbOptions,
    /// Interpolation.
    pub imc: ImcOptions,
    /// AVY, apart from what it shares with PDR.
    pub avy: AvyOptions,
    /// Word-level PDR.
    pub word: WordOptions,
    /// Lifted PDR.
    pub program: ProgramOptions,
    /// k-liveness.
    pub klive: KLiveOptions,
    /// Several engines together.
    pub auto: AutoOptions,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            bmc: BmcOptions::default(),
            // Steps are cheaper without, and such proofs have a certificate.
            kind: KindOptions { simple_path: false, ..KindOptions::default() },
            pdr: PdrOptions::default(),
            fb: FbOptions::default(),
            imc: ImcOptions::default(),
            avy: AvyOptions::default(),
            word: WordOptions::default(),
            program: ProgramOptions::default(),
            klive: KLiveOptions::default(),
            auto: AutoOptions::default(),
        }
    }
}

/// A row of some engine's table.
trait Row {
    fn get(&self, settings: &Settings) -> String;
    fn set(&self, settings: &mut Settings, value: &str) -> Result<(), String>;
}

/// A row of the table of the options `O`, which are a part of all.
struct Of<O: 'static>(&'static Choice<O>, fn(&mut Settings) -> &mut O);

impl<O> Row for Of<O> {
    fn get(&self, settings: &Settings) -> String {
        self.0.get((self.1)(&mut settings.clone()))
    }

    fn set(&self, settings: &mut Settings, value: &str) -> Result<(), String> {
        self.0.set((self.1)(settings), value)
    }
}

/// One option of one engine.
pub struct Setting {
    /// The engine, as it is written before the dot.
    pub engine: &'static str,
    /// The name behind the dot.
    pub name: &'static str,
    /// Why it exists.
    pub class: Class,
    /// What it may be set to, for people.
    pub values: &'static str,
    /// What it means.
    pub meaning: &'static str,
    /// Values that are worth a test.
    pub samples: &'static [&'static str],
    row: Box<dyn Row>,
}

impl Setting {
    /// What is chosen, as it is written.
    pub fn get(&self, settings: &Settings) -> String {
        self.row.get(settings)
    }

    /// Whether it sets all other options of its engine, so that it counts before them.
    pub fn is_base(&self) -> bool {
        matches!((self.engine, self.name), ("pdr", "variant") | ("wpdr", "unit"))
    }
}

/// All options, engine by engine.
pub fn all_settings() -> Vec<Setting> {
    fn rows<O: 'static>(
        engine: &'static str,
        table: &'static [Choice<O>],
        part: fn(&mut Settings) -> &mut O,
    ) -> impl Iterator<Item = Setting> {
        table.iter().map(move |choice| Setting {
            // Both searches of fbPDR are PDR, but one option is about Reverse PDR alone.
            engine: if engine == "fbpdr" && choice.name == "successors" { "rpdr" } else { engine },
            name: choice.name,
            class: choice.class,
            values: choice.values,
            meaning: choice.meaning,
            samples: choice.samples,
            row: Box::new(Of(choice, part)),
        })
    }
    rows("bmc", BMC, |s| &mut s.bmc)
        .chain(rows("kind", KIND, |s| &mut s.kind))
        .chain(rows("pdr", LADDER, |s| &mut s.pdr))
        .chain(rows("pdr", pdr::CHOICES, |s| &mut s.pdr))
        .chain(rows("fbpdr", fb::CHOICES, |s| &mut s.fb))
        .chain(rows("imc", imc::CHOICES, |s| &mut s.imc))
        .chain(rows("avy", avy::CHOICES, |s| &mut s.avy))
        .chain(rows("wpdr", UNITS, |s| &mut s.word))
        .chain(rows("wpdr", word::CHOICES, |s| &mut s.word))
        .chain(rows("program", program::CHOICES, |s| &mut s.program))
        .chain(rows("klive", KLIVE, |s| &mut s.klive))
        .chain(rows("auto", AUTO, |s| &mut s.auto))
        .collect()
}

/// The row that `ENGINE.NAME=VALUE` is about, and the value.
///
/// # Errors
/// What is wrong, for people.
fn find<'a, 'b>(all: &'a [Setting], text: &'b str) -> Result<(&'a Setting, &'b str), String> {
    let written = || "write ENGINE.NAME=VALUE, for example pdr.ctg=1".to_owned();
    let (path, value) = text.split_once('=').ok_or_else(written)?;
    let (engine, name) = path.split_once('.').ok_or_else(written)?;
    if let Some(found) = all.iter().find(|s| s.engine == engine && s.name == name) {
        return Ok((found, value));
    }
    let names: Vec<&str> = all.iter().filter(|s| s.engine == engine).map(|s| s.name).collect();
    if !names.is_empty() {
        return Err(format!("there is no option `{path}`; {engine} has: {}", names.join(", ")));
    }
    let mut engines: Vec<&str> = all.iter().map(|setting| setting.engine).collect();
    engines.dedup();
    Err(format!("no engine `{engine}` has options; there are: {}", engines.join(", ")))
}

/// The engine whose option this is, if it is one and the value makes sense.
///
/// # Errors
/// What is wrong, for people.
pub fn engine_of(text: &str) -> Result<&'static str, String> {
    let all = all_settings();
    let (setting, value) = find(&all, text)?;
    setting.row.set(&mut Settings::default(), value)?;
    Ok(setting.engine)
}

impl Settings {
    /// Sets what is written as a list of `ENGINE.NAME=VALUE`. `pdr.variant` and `wpdr.unit`, which
    /// set all options of their engine, count before the others; otherwise the later one counts.
    ///
    /// # Errors
    /// What is wrong, for people.
    pub fn parse<'a>(texts: impl IntoIterator<Item = &'a str>) -> Result<Settings, String> {
        let mut settings = Settings::default();
        settings.set(texts)?;
        Ok(settings)
    }

    /// Changes what is written so, and nothing else.
    ///
    /// # Errors
    /// As [`Settings::parse`].
    pub fn set<'a>(&mut self, texts: impl IntoIterator<Item = &'a str>) -> Result<(), String> {
        let all = all_settings();
        let found: Vec<_> = texts.into_iter().map(|t| find(&all, t)).collect::<Result<_, _>>()?;
        for is_base in [true, false] {
            for (setting, value) in found.iter().filter(|(s, _)| s.is_base() == is_base) {
                setting.row.set(self, value)?;
            }
        }
        Ok(())
    }
}

/// The engines whose options an engine reads: those that it runs.
pub fn engines_read(engine: &str) -> Vec<&'static str> {
    match engine {
        "bmc" => vec!["bmc"],
        "kind" => vec!["kind"],
        "pdr" => vec!["pdr"],
        "rpdr" => vec!["rpdr", "pdr"],
        "fbpdr" => vec!["fbpdr", "rpdr", "pdr"],
        "imc" => vec!["imc"],
        "avy" => vec!["avy", "pdr"],
        "wpdr" => vec!["wpdr", "pdr"],
        "program" => vec!["program", "pdr"],
        "auto" => vec!["kind", "wpdr", "fbpdr", "rpdr", "pdr", "bmc", "avy", "program", "auto"],
        _ => Vec::new(),
    }
}

/// The option of BMC.
static BMC: &[Choice<BmcOptions>] = &[crate::choices::number!(
    "window",
    Class::Expert,
    window,
    1..=1000,
    ["1", "2", "5"],
    "how many steps one query covers; the trace is always a shortest one"
)];

/// The option of k-induction.
static KIND: &[Choice<KindOptions>] = &[crate::choices::switch!(
    "simple-path",
    Class::Paper,
    simple_path,
    "only paths whose states all differ: complete, but slower per step; such proofs have no certificate file"
)];

/// The option of k-liveness.
static KLIVE: &[Choice<KLiveOptions>] = &[crate::choices::switch!(
    "stable",
    Class::Paper,
    stable,
    "restart the count of rounds whenever a latch changes that can change in one direction only (stabilising constraints)"
)];

/// The option of several engines together.
static AUTO: &[Choice<AutoOptions>] = &[crate::choices::switch!(
    "exchange",
    Class::Expert,
    exchange,
    "whether engines in different threads, or of different workers, share lemmas and runs; the engine that takes a lemma checks it first"
)];

/// The steps of the ladder.
static LADDER: &[Choice<PdrOptions>] = &[Choice {
    name: "variant",
    class: Class::Ladder,
    values: "simple, generalize, relative, full",
    meaning: "how much of the algorithm is used: single states; cubes instead of states; clauses that are inductive relative to a frame; propagation, and everything else that makes PDR fast. Sets the defaults of all other options of `pdr`; options that are given override it",
    samples: &["simple", "generalize", "relative", "full"],
    get: |options| {
        let is = |(_, variant): &(&str, Variant)| {
            PdrOptions { solver: options.solver, ..PdrOptions::variant(*variant) } == *options
        };
        VARIANTS.iter().find(|pair| is(pair)).map_or("mixed", |pair| pair.0).to_owned()
    },
    set: |options, value| {
        let (_, variant) = VARIANTS.iter().find(|(name, _)| *name == value)?;
        *options = PdrOptions { solver: options.solver, ..PdrOptions::variant(*variant) };
        Some(())
    },
}];

const VARIANTS: [(&str, Variant); 4] = [
    ("simple", Variant::Simple),
    ("generalize", Variant::Generalize),
    ("relative", Variant::Relative),
    ("full", Variant::Full),
];

/// What units are made of.
static UNITS: &[Choice<WordOptions>] = &[Choice {
    name: "unit",
    class: Class::Paper,
    values: "cubes, polytopes, mixed",
    meaning: "what units are made of: bounds of variables; bounds and half-spaces; bounds, half-spaces, bits, congruences, differences and octagons. Sets the defaults of all other options of `wpdr`; options that are given override it",
    samples: &["cubes", "polytopes", "mixed"],
    get: |options| {
        UNIT_NAMES
            .iter()
            .find(|(_, unit)| *unit == options.unit)
            .expect("all are there")
            .0
            .to_owned()
    },
    set: |options, value| {
        let (_, unit) = UNIT_NAMES.iter().find(|(name, _)| *name == value)?;
        *options = WordOptions::of(*unit);
        Some(())
    },
}];

const UNIT_NAMES: [(&str, Unit); 3] =
    [("cubes", Unit::Cubes), ("polytopes", Unit::Polytopes), ("mixed", Unit::Mixed)];

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(texts: &[&str]) -> Result<Settings, String> {
        Settings::parse(texts.iter().copied())
    }

    /// Every sample of every option can be set by its text and is read back as it was written.
    #[test]
    fn what_is_set_is_what_is_read() {
        let all = all_settings();
        for setting in &all {
            let path = format!("{}.{}", setting.engine, setting.name);
            assert_eq!(
                all.iter().filter(|s| path == format!("{}.{}", s.engine, s.name)).count(),
                1
            );
            for sample in setting.samples {
                let text = format!("{path}={sample}");
                assert_eq!(engine_of(&text), Ok(setting.engine), "{text}");
                let settings = parse(&[&text]).expect("a sample");
                assert_eq!(setting.get(&settings), *sample, "{text}");
            }
            let default = format!("{path}={}", setting.get(&Settings::default()));
            assert_eq!(parse(&[&default]), Ok(Settings::default()), "{default}");
        }
    }

    #[test]
    fn the_ladder_counts_first() {
        let steps = ["pdr.ctg=1", "pdr.variant=simple"];
        let (one, other) = (parse(&steps), parse(&[steps[1], steps[0]]));
        assert_eq!(one, other);
        assert_ne!(one, parse(&steps[1..]));
        assert_eq!(parse(&["wpdr.ctg=1", "wpdr.unit=cubes"]).map(|s| s.word.ctg), Ok(1));
        assert_eq!(parse(&["bmc.window=2", "bmc.window=5"]).map(|s| s.bmc.window), Ok(5));
    }

    #[test]
    fn errors_say_what_there_is() {
        let error = |text| parse(&[text]).expect_err(text);
        assert_eq!(error("ctg"), "write ENGINE.NAME=VALUE, for example pdr.ctg=1");
        assert_eq!(error("ctg=1"), "write ENGINE.NAME=VALUE, for example pdr.ctg=1");
        assert!(error("pdr.ctx=1").starts_with("there is no option `pdr.ctx`; pdr has: variant, "));
        let engines = "bmc, kind, pdr, fbpdr, rpdr, imc, avy, wpdr, program, klive, auto";
        assert_eq!(error("ic3.a=1"), format!("no engine `ic3` has options; there are: {engines}"));
        assert_eq!(error("bmc.window=0"), "`0` is not a value of `window`: 1 to 1000");
        assert_eq!(error("kind.simple-path="), "`` is not a value of `simple-path`: on, off");
    }
}
