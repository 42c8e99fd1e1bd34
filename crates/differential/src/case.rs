//! One run as data: a model and the options of the run, which can be shrunk, kept as a file and
//! replayed. The file is the model, with the options as one line of comment:
//!
//! ```text
//! options: --engine pdr -o pdr.ctg=1 --reduce none
//! ```
//!
//! These are options of `pedra check`, so that a failure can be looked at with the program. What
//! only tests can set stands behind `--test`, see `set_for_tests`.

use crate::fb::check_turns;
use crate::{Turns, run_and_judge};
use pedra_check::{EngineName, Plan};
use pedra_engines::{PdrOptions, Settings, SweepOptions};
use pedra_formats::{aiger, btor2};
use pedra_model::Model;
use pedra_model::reduce::ReduceOptions;
use pedra_solve::SolverKind;
use pedra_testkit::oracle::{ExplicitBits, explore};
use pedra_testkit::shrink::{shrink, smaller_bits, smaller_words};
use pedra_testkit::words::ExplicitWords;
use std::cell::Cell;
use std::panic::AssertUnwindSafe;
use std::path::{Path, PathBuf};
use std::sync::Once;

/// What begins the line of options in a file.
const OPTIONS: &str = "options:";

/// The option that has fbPDR looked at after each of its turns.
pub const BY_TURNS: &str = "--test by-turns=on";

/// A model, and options that each stand for themselves, such as `-o pdr.ctg=1`.
#[derive(Clone, Debug)]
pub struct Case {
    /// The model.
    pub model: Model,
    /// The options.
    pub options: Vec<String>,
}

/// The plan that options mean.
///
/// # Errors
/// The option that makes no sense.
pub fn plan(options: &[String]) -> Result<Plan, String> {
    let mut plan = Plan::default();
    let mut settings = Vec::new();
    let mut depth = None;
    for option in options.iter().filter(|option| *option != BY_TURNS) {
        let wrong = || format!("`{option}` makes no sense");
        let (flag, value) = option.split_once(' ').ok_or_else(wrong)?;
        let number = || value.parse::<usize>().map_err(|_| wrong());
        match flag {
            "--engine" => {
                plan.engine = EngineName::of_text(value).ok_or_else(wrong)?;
            }
            "-o" => settings.push(value),
            "--depth" => depth = Some(number()?),
            "--threads" => plan.threads = number()?,
            "--seed" => plan.seed = number()? as u64,
            "--array-bits" => plan.blast.max_array_bits = number()? as u64,
            "--solver" => plan.solver = Some(solver(value).ok_or_else(wrong)?),
            "--reduce" => plan.reduce = reductions(value).ok_or_else(wrong)?,
            "--test" => set_for_tests(&mut plan, value).ok_or_else(wrong)?,
            _ => return Err(wrong()),
        }
    }
    let Settings { bmc, kind, pdr, fb, imc, avy, word, program, klive, auto } =
        Settings::parse(settings)?;
    // Deep enough for every state of these small systems. That there is no longer simple path
    // than states is a pigeonhole problem, though, so those end earlier.
    let is_simple = plan.engine == EngineName::Kind && kind.simple_path;
    let enough = if is_simple { 12 } else { 70 };
    let (simple_path, window) = (kind.simple_path, bmc.window);
    let plan = Plan {
        depth: Some(depth.unwrap_or(enough)),
        stable: klive.stable,
        exchange: auto.exchange,
        ..plan
    };
    Ok(Plan { simple_path, window, pdr, fb, imc, avy, word, program, ..plan })
}

fn solver(name: &str) -> Option<SolverKind> {
    match name {
        "cadical" => Some(SolverKind::Cadical),
        "batsat" => Some(SolverKind::Batsat),
        "cdcl" => Some(SolverKind::Cdcl),
        _ => None,
    }
}

fn reductions(list: &str) -> Option<ReduceOptions> {
    let mut reduce = ReduceOptions::none();
    for pass in list.split(',') {
        match pass {
            "none" => {}
            "cone" => reduce.cone = true,
            "structure" => reduce.structure = true,
            "constants" => reduce.constants = true,
            "duplicates" => reduce.duplicates = true,
            _ => return None,
        }
    }
    Some(reduce)
}

/// What only tests set: `looks-before-sweep=N`, `prelude-depth=N`, `prelude-looks=N`,
/// `word-looks=N`, `abstract-looks=N`, `turn-looks=N` and `many-looks=N`, so that engines hand over
/// soon; `sweep=C,S,CONFLICTS,STEPS` and `late-sweep=…` (or `off`), where `C` and `S` say by 0 or 1
/// whether sweeping is combinational and sequential. [`BY_TURNS`] is no part of the plan.
fn set_for_tests(plan: &mut Plan, setting: &str) -> Option<()> {
    let (name, value) = setting.split_once('=')?;
    match name {
        "looks-before-sweep" => plan.budgets.looks_before_sweep = value.parse().ok()?,
        "prelude-depth" => plan.budgets.prelude_depth = value.parse().ok()?,
        "prelude-looks" => plan.budgets.prelude_looks = value.parse().ok()?,
        "abstract-looks" => plan.budgets.abstract_looks = value.parse().ok()?,
        "word-looks" => plan.budgets.word_looks = value.parse().ok()?,
        "turn-looks" => plan.budgets.turn_looks = value.parse().ok()?,
        "many-looks" => plan.budgets.many_looks = value.parse().ok()?,
        "sweep" => plan.sweep = Some(sweep(value)?),
        "late-sweep" if value == "off" => plan.late_sweep = None,
        "late-sweep" => plan.late_sweep = Some(sweep(value)?),
        _ => return None,
    }
    Some(())
}

fn sweep(list: &str) -> Option<SweepOptions> {
    let numbers: Vec<usize> = list.split(',').map(|n| n.parse().ok()).collect::<Option<_>>()?;
    let [combinational, sequential, conflicts, steps] = numbers[..] else { return None };
    Some(SweepOptions {
        combinational: combinational == 1,
        sequential: sequential == 1,
        max_query_conflicts: conflicts as u64,
        simulation_steps: steps,
        ..SweepOptions::default()
    })
}

thread_local! {
    /// Whether panics of this thread are part of the work.
    static IS_QUIET: Cell<bool> = const { Cell::new(false) };
}

impl Case {
    /// What explicit search says: for each property the step of its first violation.
    pub fn truth(&self) -> Vec<Option<usize>> {
        match &self.model {
            Model::Bits(system) => explore(&ExplicitBits::new(system)).violated_at,
            Model::Words(system) => explore(&ExplicitWords::new(system)).violated_at,
        }
    }

    /// Runs, and compares with explicit search.
    ///
    /// # Errors
    /// What disagrees, or the message of a panic.
    pub fn check(&self) -> Result<Turns, String> {
        let plan = plan(&self.options)?;
        let truth = self.truth();
        quiet_panics();
        IS_QUIET.set(true);
        let run = || match &self.model {
            Model::Bits(system) if self.options.iter().any(|option| option == BY_TURNS) => {
                let solver = plan.solver.unwrap_or(plan.pdr.solver);
                check_turns(system, PdrOptions { solver, ..plan.pdr }, plan.fb, "by turns");
                Turns::default()
            }
            model => run_and_judge(model, &truth, &plan),
        };
        let result = std::panic::catch_unwind(AssertUnwindSafe(run));
        IS_QUIET.set(false);
        result.map_err(|panic| {
            let text = panic.downcast_ref::<String>().map(String::as_str);
            let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
            text.unwrap_or("a panic without text").to_owned()
        })
    }

    /// A smaller case that fails in the same way.
    #[must_use]
    pub fn shrink(self, failure: &str) -> Case {
        let fails = |case: &Case| case.check().is_err_and(|other| kind(&other) == kind(failure));
        shrink(self, smaller, fails)
    }

    /// As the text of a file, with the ending that it needs.
    ///
    /// # Panics
    /// If the model cannot be written; those of the generators can.
    pub fn to_file(&self) -> (String, &'static str) {
        let line = format!("{OPTIONS} {}", self.options.join(" "));
        match &self.model {
            Model::Bits(system) => {
                let mut system = system.clone();
                system.comments = vec![line];
                let bytes = aiger::write_ascii(&system);
                (String::from_utf8(bytes).expect("ascii"), "aag")
            }
            Model::Words(system) => {
                let bytes = btor2::write(system).expect("can be written");
                let text = String::from_utf8(bytes).expect("text");
                (format!("; {line}\n{text}"), "btor2")
            }
        }
    }

    /// The cases of a file: its model with each of its lines of options.
    ///
    /// # Errors
    /// What is wrong with the file.
    pub fn read(path: &Path) -> Result<Vec<Case>, String> {
        let text = std::fs::read_to_string(path).map_err(|e| e.to_string())?;
        let model = match path.extension().and_then(|ending| ending.to_str()) {
            Some("aag") => Model::Bits(aiger::read(text.as_bytes()).map_err(|e| e.to_string())?),
            _ => Model::Words(btor2::read(text.as_bytes()).map_err(|e| e.to_string())?),
        };
        let lines = text
            .lines()
            .filter_map(|line| line.trim_start_matches([';', ' ']).strip_prefix(OPTIONS));
        lines.map(|line| Ok(Case { model: model.clone(), options: split(line)? })).collect()
    }

    /// How large it is, in words.
    fn size(&self) -> String {
        let options = self.options.len();
        match &self.model {
            Model::Bits(s) => format!(
                "{} latches, {} inputs, {} gates, {options} options",
                s.latches.len(),
                s.inputs.len(),
                s.aig.num_gates()
            ),
            Model::Words(s) => format!(
                "{} states, {} inputs, {} terms, {options} options",
                s.states.len(),
                s.inputs.len(),
                s.terms.len()
            ),
        }
    }
}

/// Options from one line: each is a flag and its value.
fn split(line: &str) -> Result<Vec<String>, String> {
    let words: Vec<&str> = line.split_whitespace().collect();
    if !words.len().is_multiple_of(2) || words.iter().step_by(2).any(|flag| !flag.starts_with('-'))
    {
        return Err(format!("`{line}` is no list of options with values"));
    }
    Ok(words.chunks(2).map(|pair| pair.join(" ")).collect())
}

/// The words with which a failure begins, up to what differs from system to system.
fn kind(failure: &str) -> &str {
    let end = failure.find(|c: char| !c.is_alphabetic() && c != ' ');
    failure[..end.unwrap_or(failure.len())].trim_end()
}

/// Fewer options, or a smaller model.
fn smaller(case: &Case) -> Vec<Case> {
    let stays = |option: &str| option.starts_with("--engine") || option == BY_TURNS;
    let droppable = (0..case.options.len()).filter(|&i| !stays(&case.options[i]));
    let fewer = droppable.map(|i| {
        let mut options = case.options.clone();
        options.remove(i);
        Case { options, ..case.clone() }
    });
    let with = |model: Model| Case { model, options: case.options.clone() };
    let models: Vec<Case> = match &case.model {
        Model::Bits(s) => smaller_bits(s).into_iter().map(|s| with(Model::Bits(s))).collect(),
        Model::Words(s) => {
            // Runs are on what a file says.
            let written = smaller_words(s).into_iter().filter_map(|s| btor2::write(&s).ok());
            written
                .filter_map(|text| btor2::read(&text).ok())
                .map(|s| with(Model::Words(s)))
                .collect()
        }
    };
    fewer.chain(models).collect()
}

/// Shrinks a failing case, writes it below `target/shrunk`, and says all about it.
pub fn report(note: &str, case: Case, failure: &str) -> String {
    let before = case.size();
    let case = case.shrink(failure);
    let (text, ending) = case.to_file();
    let now = case.check().expect_err("it still fails");
    let folder = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../target/shrunk"));
    let file = folder.join(format!("{}.{ending}", note.replace([' ', ','], "-")));
    let written = std::fs::create_dir_all(&folder).and_then(|()| std::fs::write(&file, &text));
    let place = match written {
        Ok(()) => format!("{}", file.canonicalize().unwrap_or(file).display()),
        Err(error) => format!("FILE (not written: {error})"),
    };
    let options: Vec<&String> = case.options.iter().filter(|o| !o.starts_with("--test")).collect();
    let options = options.iter().map(|o| o.as_str()).collect::<Vec<_>>().join(" ");
    format!(
        "{note}: {failure}\n\nshrunk from {before} to {}: {now}\n\n{text}\n\
         replay: cargo run --release -p pedra-differential --example replay -- {place}\n    \
         or: pedra check {options} {place}\n\
         keep: move the file to crates/differential/tests/corpus\n",
        case.size(),
    )
}

/// Panics that are part of the work say nothing on standard error.
fn quiet_panics() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            if !IS_QUIET.get() {
                before(info);
            }
        }));
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Cases survive files.
    #[test]
    fn files_are_read_back() {
        let text = "aag 1 0 1 0 0 1\n2 3\n2\nc\noptions: --engine pdr -o pdr.ctg=1 --threads 2\n";
        let folder = std::env::temp_dir().join(format!("pedra-case-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder");
        let path = folder.join("case.aag");
        std::fs::write(&path, text).expect("written");
        let cases = Case::read(&path).expect("a case");
        assert_eq!(cases.len(), 1);
        assert_eq!(cases[0].options, ["--engine pdr", "-o pdr.ctg=1", "--threads 2"]);
        assert_eq!(cases[0].to_file(), (text.to_owned(), "aag"));
        std::fs::remove_dir_all(&folder).expect("removed");
        let plan = plan(&cases[0].options).expect("a plan");
        assert_eq!((plan.engine, plan.threads), (EngineName::Pdr, 2));
    }

    #[test]
    fn mistakes_are_told() {
        let error = |text: &str| split(text).and_then(|o| plan(&o)).expect_err(text);
        for text in ["--engine", "--engine ic3", "--foo 1", "--threads x", "--test a=1"] {
            assert!(error(text).contains(text.split(' ').next_back().expect("a word")), "{text}");
        }
        assert!(error("-o pdr.foo=1").starts_with("there is no option `pdr.foo`"));
    }

    /// A failure that needs one option and one latch shrinks to these.
    #[test]
    fn options_and_systems_shrink() {
        use pedra_testkit::bits::{BitShape, random_bits};
        use pedra_testkit::random::Random;
        let options = ["--engine pdr", "-o pdr.ctg=1", "--reduce none", "--solver batsat"];
        let options = options.map(str::to_owned).to_vec();
        let model = Model::Bits(random_bits(&mut Random::new(3), BitShape::default()));
        let fails = |case: &Case| {
            let Model::Bits(system) = &case.model else { return false };
            case.options.iter().any(|o| o == "-o pdr.ctg=1") && !system.latches.is_empty()
        };
        let start = Case { model, options };
        assert!(fails(&start));
        let small = shrink(start, smaller, fails);
        assert_eq!(small.options, ["--engine pdr", "-o pdr.ctg=1"]);
        let (text, _) = small.to_file();
        assert_eq!(text, "aag 1 0 1 0 0 1\n2 0\n2\nc\noptions: --engine pdr -o pdr.ctg=1\n");
    }
}
