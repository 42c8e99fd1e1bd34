//! A drop-in for SymbiYosys, without a change to it: `pedra --witness MODEL`, with the flags
//! that sby passes to rIC3 (AIGER) and Pono (BTOR2).
//!
//! sby reads our output line by line, standard error included, and takes the first line that is
//! a bare `0`, `1` or `2` as the verdict; a line that begins with `u` before it makes it fail.
//! So in this mode nothing but the answer is printed:
//! - AIGER: `1` and the witness for violated, `0` for proved, `2` for unknown; exit 10, 20, 30;
//! - BTOR2: the witness (`sat` … `.`) for violated, exit 0; `unsat` for proved, exit 1; else
//!   `unknown`, exit 255. With a bound (`-k`), `unknown` is what sby counts as passed.

use crate::args::LimitArgs;
use crate::decide::{EngineName, Observer, Open, Plan, decide};
use crate::evidence::witness_text;
use crate::limits::Watch;
use crate::load::{InputError, load};
use crate::output::answer_once;
use crate::pipeline::{Checked, Trace};
use anyhow::Result;
use pedra_model::Model;
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, OnceLock};

/// What sby asks for.
#[derive(Debug, PartialEq, Eq)]
pub struct Request {
    model: PathBuf,
    engine: EngineName,
    depth: Option<usize>,
}

impl Request {
    /// The request, if `--witness` is among the arguments and no command comes first.
    pub fn from_args(args: impl Iterator<Item = OsString>) -> Option<Result<Request, InputError>> {
        let args: Vec<OsString> = args.collect();
        let first = args.first()?;
        let is_flag = first.to_string_lossy().starts_with('-');
        if !is_flag || !args.iter().any(|a| a == "--witness") {
            return None;
        }
        Some(Request::parse(&args))
    }

    fn parse(args: &[OsString]) -> Result<Request, InputError> {
        let wrong = |text: String| InputError(format!("sby mode (--witness): {text}"));
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
                "-v" | "--verbose" | "--verbosity" => drop(value()?),
                "-e" | "--engine" => request.engine = engine(&value()?).map_err(wrong)?,
                "-k" | "--bound" | "--bmc-max-k" => {
                    let number = value()?;
                    let depth =
                        number.parse().map_err(|_| wrong(format!("{number} is no depth")))?;
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
        "bmc" => Ok(EngineName::Bmc),
        "kind" | "ind" => Ok(EngineName::Kind),
        "pdr" => Ok(EngineName::Pdr),
        "rpdr" => Ok(EngineName::Rpdr),
        "fbpdr" => Ok(EngineName::Fbpdr),
        "imc" | "interp" => Ok(EngineName::Imc),
        "avy" => Ok(EngineName::Avy),
        "wpdr" => Ok(EngineName::Wpdr),
        "auto" | "ic3" | "portfolio" => Ok(EngineName::Auto),
        other => Err(format!("unknown engine {other}")),
    }
}

#[derive(Default)]
struct Answers {
    violated: Mutex<Option<Trace>>,
    open: Mutex<bool>,
    stop: pedra_solve::Interrupt,
}

impl Observer for Answers {
    fn settled(&self, _: usize, _: &'static str, answer: Checked) -> Result<()> {
        if let Checked::Violated(trace) = answer {
            self.violated.lock().expect("no panic while held").get_or_insert(trace);
            self.stop.raise();
        }
        Ok(())
    }

    fn open(&self, _: usize, _: Open) {
        *self.open.lock().expect("no panic while held") = true;
    }
}

/// Answers in sby's words; gives the exit code.
pub fn run(request: Request) -> Result<i32> {
    let limits = LimitArgs { timeout: None, memory: None };
    let loaded = load(&request.model)?;
    let is_bits = matches!(loaded.model, Model::Bits(_));
    let unknown = if is_bits { ("2", 30) } else { ("unknown", 255) };
    let once = Arc::new(OnceLock::new());
    let watch = Watch::start(&limits, unknown.1, {
        let once = once.clone();
        move |_| answer_once(&once, unknown.0, unknown.1)
    });
    let selected = loaded.select(&[])?;
    let plan = Plan { engine: request.engine, depth: request.depth, ..Plan::default() };
    let answers = Answers { stop: watch.interrupt().child(), ..Answers::default() };
    decide(&loaded.model, &selected, &plan, &answers.stop, &answers)?;
    if let Some(trace) = answers.violated.into_inner().expect("no panic while held") {
        // Not every version of sby's converter knows `x`.
        let text = witness_text(&loaded.model, &trace.zero_filled());
        return Ok(answer_once(&once, text.trim_end(), if is_bits { 10 } else { 0 }));
    }
    if answers.open.into_inner().expect("no panic while held") {
        return Ok(answer_once(&once, unknown.0, unknown.1));
    }
    let proved = if is_bits { ("0", 20) } else { ("unsat", 1) };
    Ok(answer_once(&once, proved.0, proved.1))
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
        assert_eq!(request("check --witness m.aig"), None);
        assert_eq!(request("--version"), None);
        for bad in
            ["--witness", "--witness -k", "--witness -k x m", "--witness -z m", "--witness a b"]
        {
            assert!(matches!(request(bad), Some(Err(_))), "{bad}");
        }
    }
}
