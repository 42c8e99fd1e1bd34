//! A drop-in for SymbiYosys, without a change to it: `pedra --witness MODEL`, with the flags
//! that sby passes to rIC3 (AIGER) and Pono (BTOR2), and `pedra --cex - MODEL`, as it calls AVY.
//!
//! sby reads our output line by line, standard error included, and takes the first line that is
//! a bare `0`, `1` or `2` as the verdict; a line that begins with `u` before it makes it fail.
//! So in this mode nothing but the answer is printed:
//! - AIGER: `1` and the witness for violated, `0` for proved, `2` for unknown; exit 10, 20, 30;
//! - BTOR2: the witness (`sat` … `.`) for violated, exit 0; `unsat` for proved, exit 1; else
//!   `unknown`, exit 255.
//!
//! What sby makes of *unknown* (`sby_engine_aiger.py`, `sby_engine_btor.py`):
//!
//! | slot | mode | our flags | it prints | sby's status |
//! |---|---|---|---|---|
//! | `aiger rIC3` | `prove` | no bound | `2` | UNKNOWN |
//! | `aiger avy` | `prove` | no bound | `2` | UNKNOWN |
//! | `aiger rIC3` | `bmc` | `--bmc-max-k` | `2` | **PASS** |
//! | `btor pono` | `bmc` | `-k` | `unknown` | **PASS** |
//!
//! *Required for soundness*: where *unknown* counts as passed, it may only be said if no path
//! violates a property up to the bound, and bounded model checking with another solver than the
//! engine's has confirmed it. All else (a model that cannot be made into bits, a limit,
//! a signal, an engine that gave up) is an error: a line on standard error, no verdict, exit 2.
//! Without a verdict the AIGER slot reports an error; 2 is none of the codes that the BTOR2 slot
//! knows, so that does, too.

use crate::args::{LimitArgs, Wanted};
use crate::evidence::witness_text;
use crate::limits::{StopCause, Watch};
use crate::load::{InputError, load};
use crate::output::{answer_once, note, tell_crash};
use anyhow::Result;
use pedra_check::{Checked, EngineName, Observer, Open, Plan, SafeUpTo, decide};
use pedra_formats::text::printable;
use pedra_model::Model;
use pedra_model::trace::Trace;
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

/// What sby asks for.
#[derive(Debug, PartialEq, Eq)]
pub struct Request {
    model: PathBuf,
    engine: EngineName,
    depth: Option<usize>,
}

impl Request {
    /// The request, if `--witness` or `--cex` is among the arguments and no command comes first.
    pub fn from_args(args: impl Iterator<Item = OsString>) -> Option<Result<Request, InputError>> {
        let args: Vec<OsString> = args.collect();
        let first = args.first()?;
        let is_flag = first.to_string_lossy().starts_with('-');
        if !is_flag || !args.iter().any(|a| a == "--witness" || a == "--cex") {
            return None;
        }
        Some(Request::parse(&args))
    }

    fn parse(args: &[OsString]) -> Result<Request, InputError> {
        let wrong = |text: String| InputError(format!("sby mode: {text}"));
        let mut request = Request { model: PathBuf::new(), engine: EngineName::Auto, depth: None };
        let mut models = Vec::new();
        let mut args = args.iter();
        while let Some(arg) = args.next() {
            let text = arg.to_string_lossy();
            let (flag, mut inline) = match text.split_once('=') {
                Some((flag, value)) if flag.starts_with("--") => (flag, Some(value.to_owned())),
                _ => (&*text, None),
            };
            let mut value = || {
                let next = || args.next().map(|a| a.to_string_lossy().into_owned());
                inline.take().or_else(next).ok_or_else(|| wrong(format!("{flag} needs a value")))
            };
            match flag {
                "--witness" => {}
                "--cex" => match value()?.as_str() {
                    "-" => {}
                    other => return Err(wrong(format!("--cex {other}: only - is known"))),
                },
                "-v" | "--verbose" | "--verbosity" => drop(value()?),
                "-e" | "--engine" => request.engine = engine(&value()?).map_err(wrong)?,
                "-k" | "--bound" | "--bmc-max-k" => {
                    let number = value()?;
                    let depth =
                        number.parse().map_err(|_| wrong(format!("{number} is not a depth")))?;
                    request.depth = Some(depth);
                }
                other if other.starts_with('-') => {
                    return Err(wrong(format!("unknown option {other}")));
                }
                _ => models.push(PathBuf::from(arg)),
            }
        }
        match <[PathBuf; 1]>::try_from(models) {
            Ok([model]) => request.model = model,
            Err(_) => return Err(wrong("exactly one model is needed".to_owned())),
        }
        Ok(request)
    }
}

/// Engines by the names that sby's other tools use.
fn engine(name: &str) -> Result<EngineName, String> {
    match name {
        "ind" => Ok(EngineName::Kind),
        "interp" => Ok(EngineName::Imc),
        "ic3" | "portfolio" => Ok(EngineName::Auto),
        other => EngineName::of_text(other).ok_or_else(|| format!("unknown engine {other}")),
    }
}

/// What was answered; stops the run at the first violation.
#[derive(Default)]
struct Answers {
    found: Mutex<Found>,
    stop: pedra_solve::Interrupt,
}

#[derive(Default)]
struct Found {
    violated: Option<Trace>,
    /// The properties that are neither proved nor violated, why, and how far they are safe.
    open: Vec<(usize, Open, Option<SafeUpTo>)>,
}

impl Answers {
    fn found(&self) -> MutexGuard<'_, Found> {
        self.found.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Observer for Answers {
    type Error = anyhow::Error;

    fn crashed(&self, engine: &'static str, text: &str) {
        tell_crash(engine, text);
    }

    fn settled(&self, _: usize, _: &'static str, answer: &Checked) -> Result<()> {
        if let Checked::Violated(trace) = answer {
            self.found().violated.get_or_insert_with(|| trace.clone());
            self.stop.raise();
        }
        Ok(())
    }

    fn open(&self, property: usize, why: Open, safe: Option<SafeUpTo>) {
        self.found().open.push((property, why, safe));
    }
}

impl Found {
    /// Why it was not checked that no path of up to `bound` steps violates an open property.
    fn missing(&self, model: &Model, bound: usize, cause: Option<StopCause>) -> Option<String> {
        let (property, why, safe) = self.open.iter().find(|(_, _, safe)| {
            let checked = safe.and_then(|safe| safe.checked);
            checked.is_none_or(|step| step < bound)
        })?;
        let why = why.text(cause.map_or("stopped", StopCause::text));
        let property = model.property(*property);
        Some(match safe {
            Some(SafeUpTo { claimed, .. }) if *claimed >= bound => {
                format!("{property}: no violation up to step {bound}, but this was not checked")
            }
            _ => format!("{property}: {why}"),
        })
    }
}

/// How unknown is said, and the exit code.
#[derive(Copy, Clone)]
struct Unknown {
    text: &'static str,
    code: i32,
    /// Whether sby takes it as passed.
    is_pass: bool,
}

/// No verdict, for a reason: what sby reports as an error.
fn error(once: &OnceLock<i32>, why: &str) -> i32 {
    *once.get_or_init(|| {
        note(&format!("error: {}", printable(why)));
        2
    })
}

/// Answers in sby's words; gives the exit code.
pub fn run(request: Request) -> Result<i32> {
    let limits = LimitArgs { timeout: None, memory: None };
    let loaded = load(&request.model)?;
    let is_bits = matches!(loaded.model, Model::Bits(_));
    let unknown = match is_bits {
        true => Unknown { text: "2", code: 30, is_pass: request.depth.is_some() },
        false => Unknown { text: "unknown", code: 255, is_pass: true },
    };
    let once = Arc::new(OnceLock::new());
    let watch = Watch::start(&limits, if unknown.is_pass { 2 } else { unknown.code }, {
        let once = once.clone();
        move |cause| match unknown.is_pass {
            true => error(&once, cause.text()),
            false => answer_once(&once, unknown.text, unknown.code),
        }
    });
    let selected = loaded.select(Wanted::default())?;
    let Request { engine, depth, .. } = request;
    let plan = Plan { engine, depth, whole_bound: unknown.is_pass, ..Plan::default() };
    let answers = Answers { stop: watch.interrupt().child(), ..Answers::default() };
    decide(&loaded.model, &selected, &plan, &answers.stop, &answers)?;
    let mut found = answers.found.into_inner().unwrap_or_else(PoisonError::into_inner);
    if let Some(trace) = found.violated.take() {
        // Not every version of sby's converter knows `x`.
        let text = match witness_text(&loaded.model, &trace.zero_filled()) {
            Ok(text) => text,
            Err(why) => return Ok(error(&once, why)),
        };
        return Ok(answer_once(&once, text.trim_end(), if is_bits { 10 } else { 0 }));
    }
    if found.open.is_empty() {
        let proved = if is_bits { ("0", 20) } else { ("unsat", 1) };
        return Ok(answer_once(&once, proved.0, proved.1));
    }
    if unknown.is_pass {
        let missing = match request.depth {
            Some(bound) => found.missing(&loaded.model, bound, watch.cause()),
            None => Some("neither proved nor violated, and no bound was given (-k)".to_owned()),
        };
        if let Some(why) = missing {
            return Ok(error(&once, &why));
        }
    }
    Ok(answer_once(&once, unknown.text, unknown.code))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(line: &str) -> Option<Result<Request, String>> {
        let found = Request::from_args(line.split_whitespace().map(OsString::from));
        found.map(|r| r.map_err(|e| e.0))
    }

    #[test]
    fn the_command_lines_of_sby() {
        let ok = |engine, depth| Some(Ok(Request { model: "m.aig".into(), engine, depth }));
        assert_eq!(request("--witness m.aig"), ok(EngineName::Auto, None));
        let bmc = "--bmc-max-k 19 -e bmc -v 0 --witness m.aig";
        assert_eq!(request(bmc), ok(EngineName::Bmc, Some(19)));
        let pono = "--witness -v 1 -e bmc -k 19 m.aig";
        assert_eq!(request(pono), ok(EngineName::Bmc, Some(19)));
        assert_eq!(request("--cex - m.aig"), ok(EngineName::Auto, None));
        assert_eq!(request("check --witness m.aig"), None);
        assert_eq!(request("--version"), None);
        for bad in [
            "--witness",
            "--witness -k",
            "--witness -k x m",
            "--witness -z m",
            "--witness a b",
            "--cex f m",
        ] {
            assert!(matches!(request(bad), Some(Err(_))), "{bad}");
        }
    }
}
