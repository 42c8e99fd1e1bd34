//! The one command that says whether the tree is good: `cargo xtask ci`. It needs Rust and a
//! C++ compiler, and uses browsers if there are some; cargo fetches the rest. The test suite has
//! the bounded fuzz runs in it; one more over all readers follows.

use crate::{browser, python, readers, tidy};
use std::fmt;
use std::num::NonZero;
use std::process::{Command, ExitStatus};
use std::time::{Duration, Instant};

/// Executions of the readers' fuzzers, on top of those in the test suite.
const READER_RUNS: u64 = 400_000;

/// The longest that a step that calls cargo may take, and all steps together. Far above the
/// budgets: a busy machine is no defect of the tree. A step that takes longer is stuck, and is
/// killed, so that the others are still told.
const HARD_LIMIT: Duration = Duration::from_secs(45 * 60);

/// One step that calls cargo: its name, its budget in seconds, the command line, and a variable of
/// the environment.
struct Step {
    name: &'static str,
    budget: u64,
    arguments: &'static [&'static str],
    variable: Option<(&'static str, &'static str)>,
}

/// The budgets are for two quiet cores and an empty `target`; with the three steps that do not call
/// cargo they make twelve minutes.
const STYLE_BUDGET: u64 = 10;
const DAMAGED_FILES_BUDGET: u64 = 30;
const PAGES_BUDGET: u64 = 85;

/// Not one of the twelve minutes: the step needs Python and maturin, and is left out without them.
const PYTHON_BUDGET: u64 = 180;

/// The steps that call cargo, the cheapest first.
const STEPS: &[Step] = &[
    Step { name: "format", budget: 5, arguments: &["fmt", "--all", "--check"], variable: None },
    // Compiles CaDiCaL, which all later steps use. With the Python module, which needs no Python
    // to be compiled.
    Step {
        name: "lints",
        budget: 140,
        arguments: &[
            "clippy",
            "--workspace",
            "--all-targets",
            "--features=pedra-python/module",
            "--locked",
            "--",
            "-D",
            "warnings",
        ],
        variable: Some(("PYO3_BUILD_EXTENSION_MODULE", "1")),
    },
    // Without the examples, which the lints have looked at: 14 s of CPU.
    Step {
        name: "tests",
        budget: 410,
        arguments: &["test", "--workspace", "--tests", "--locked", "--no-fail-fast"],
        variable: None,
    },
    Step {
        name: "doc tests",
        budget: 10,
        arguments: &["test", "--workspace", "--doc", "--locked", "--no-fail-fast"],
        variable: None,
    },
    Step {
        name: "documents",
        budget: 30,
        arguments: &["doc", "--workspace", "--no-deps", "--locked"],
        variable: Some(("RUSTDOCFLAGS", "-D warnings")),
    },
];

/// What a step took.
struct Timed {
    name: &'static str,
    budget: Duration,
    took: Duration,
    has_failed: bool,
}

impl fmt::Display for Timed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (took, budget) = (self.took.as_secs_f64(), self.budget.as_secs());
        write!(f, "{:<14} {took:>7.1} s of {budget:>4} s", self.name)?;
        if self.took > self.budget {
            write!(f, "  OVER BUDGET by {:.0} s", took - budget as f64)?;
        }
        if self.has_failed {
            write!(f, "  FAILED")?;
        }
        Ok(())
    }
}

/// Runs all steps, also after one has failed, and names those that did, with the time of each
/// against its budget.
pub fn run() -> Result<(), String> {
    let start = Instant::now();
    let mut steps: Vec<Timed> = Vec::new();
    let mut timed = |name: &'static str, budget: u64, step: &dyn Fn() -> Result<(), String>| {
        println!("== {name}");
        let start = Instant::now();
        let result = step();
        let budget = Duration::from_secs(budget);
        let timed = Timed { name, budget, took: start.elapsed(), has_failed: result.is_err() };
        println!("== {timed}");
        if let Err(error) = result {
            println!("{error}");
        }
        steps.push(timed);
    };
    timed("style", STYLE_BUDGET, &style);
    for step in STEPS {
        timed(step.name, step.budget, &|| cargo(step.arguments, step.variable));
    }
    timed("damaged files", DAMAGED_FILES_BUDGET, &damaged_files);
    timed("pages", PAGES_BUDGET, &pages);
    if python::programs().is_some() {
        timed("python", PYTHON_BUDGET, &python::run);
    }
    summary(&steps, start.elapsed())
}

/// Prints all times; an error if a step failed, or all took longer than the hard limit.
fn summary(steps: &[Timed], took: Duration) -> Result<(), String> {
    println!("== summary");
    steps.iter().for_each(|step| println!("{step}"));
    let all = Timed {
        name: "all",
        budget: steps.iter().map(|step| step.budget).sum(),
        took,
        has_failed: steps.iter().any(|step| step.has_failed),
    };
    println!("{all}");
    let failed: Vec<&str> = steps.iter().filter(|s| s.has_failed).map(|s| s.name).collect();
    if !failed.is_empty() {
        return Err(format!("failed: {}", failed.join(", ")));
    }
    if took > HARD_LIMIT {
        return Err(format!("took longer than {} minutes", HARD_LIMIT.as_secs() / 60));
    }
    Ok(())
}

/// Prints what breaks the style.
pub fn style() -> Result<(), String> {
    let violations = tidy::check_tree(tidy::root());
    violations.iter().for_each(|violation| println!("{violation}"));
    match violations.len() {
        0 => Ok(()),
        count => Err(format!("{count} violations")),
    }
}

/// Says so where no browser is installed.
fn pages() -> Result<(), String> {
    println!("{}", browser::run(None)?);
    Ok(())
}

fn damaged_files() -> Result<(), String> {
    println!("{}", readers::run(0, READER_RUNS)?);
    Ok(())
}

/// Runs cargo at the root of the repository. Kills it and all that it has started at the hard
/// limit.
pub fn cargo(arguments: &[&str], variable: Option<(&str, &str)>) -> Result<(), String> {
    let program = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(program);
    command.args(arguments).envs(variable).current_dir(tidy::root());
    // Many tests wait for other programs.
    let cores = std::thread::available_parallelism().map_or(1, NonZero::get);
    command.env("RUST_TEST_THREADS", (2 * cores).to_string());
    let line = format!("`cargo {}`", arguments.join(" "));
    match finish(&mut command, HARD_LIMIT) {
        Ok(Some(status)) if status.success() => Ok(()),
        Ok(Some(_)) => Err(format!("{line} failed")),
        Ok(None) => Err(format!("{line} was killed after {} minutes", HARD_LIMIT.as_secs() / 60)),
        Err(error) => Err(format!("cannot run cargo: {error}")),
    }
}

/// Runs a command. Nothing if it took longer than the limit: then it is killed with all that it
/// has started. A process group would be simpler, but then Ctrl-C would not reach the command.
fn finish(command: &mut Command, limit: Duration) -> std::io::Result<Option<ExitStatus>> {
    let start = Instant::now();
    let mut child = command.spawn()?;
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        if start.elapsed() > limit {
            let family = descendants(child.id())?.into_iter().map(|id| id.to_string());
            Command::new("kill").arg("-KILL").args(family).status()?;
            child.wait()?;
            return Ok(None);
        }
        std::thread::sleep(Duration::from_millis(100));
    }
}

/// A process, and all that it has started and that still run.
fn descendants(root: u32) -> std::io::Result<Vec<u32>> {
    let output = Command::new("ps").args(["-e", "-o", "pid=,ppid="]).output()?;
    let text = String::from_utf8_lossy(&output.stdout);
    let number = |word: Option<&str>| word.and_then(|word| word.parse::<u32>().ok());
    let pairs: Vec<(u32, u32)> = text
        .lines()
        .map(str::split_whitespace)
        .filter_map(|mut words| Some((number(words.next())?, number(words.next())?)))
        .collect();
    let mut family = vec![root];
    let mut next = 0;
    while next < family.len() {
        let children = pairs.iter().filter(|(_, parent)| *parent == family[next]);
        let children: Vec<u32> = children.map(|(id, _)| *id).collect();
        family.extend(children);
        next += 1;
    }
    Ok(family)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step(took: u64, has_failed: bool) -> Timed {
        let (budget, took) = (Duration::from_secs(10), Duration::from_secs(took));
        Timed { name: "lints", budget, took, has_failed }
    }

    /// A budget that is broken is told, but does not fail; the hard limit does.
    #[test]
    fn budgets() {
        let (good, slow) = (step(9, false), step(12, false));
        assert_eq!(good.to_string(), "lints              9.0 s of   10 s");
        assert_eq!(slow.to_string(), "lints             12.0 s of   10 s  OVER BUDGET by 2 s");
        assert_eq!(summary(&[good, slow], Duration::from_secs(21)), Ok(()));
        let failed = summary(&[step(1, true)], Duration::from_secs(1));
        assert_eq!(failed, Err("failed: lints".to_owned()));
        assert!(summary(&[step(1, false)], HARD_LIMIT + Duration::from_secs(1)).is_err());
    }

    /// What is stuck is killed with its children.
    #[test]
    fn limits() {
        let mut quick = Command::new("true");
        let status = finish(&mut quick, Duration::from_secs(60)).expect("it starts");
        assert!(status.is_some_and(|status| status.success()));
        let mut stuck = Command::new("sh");
        stuck.args(["-c", "sleep 1000 & wait"]);
        assert_eq!(finish(&mut stuck, Duration::from_millis(50)).expect("it starts"), None);
        let mut child = Command::new("sh").args(["-c", "sleep 1000 & wait"]).spawn().expect("sh");
        while descendants(child.id()).expect("ps").len() < 2 {
            std::thread::sleep(Duration::from_millis(10));
        }
        let family = descendants(child.id()).expect("ps");
        let family = family.into_iter().map(|id| id.to_string());
        Command::new("kill").arg("-KILL").args(family).status().expect("kill");
        child.wait().expect("it ends");
    }

    /// Twelve minutes in all.
    #[test]
    fn the_budgets_add_up() {
        let cargo: u64 = STEPS.iter().map(|step| step.budget).sum();
        let others = STYLE_BUDGET + DAMAGED_FILES_BUDGET + PAGES_BUDGET;
        assert_eq!(cargo + others, 12 * 60);
    }
}
