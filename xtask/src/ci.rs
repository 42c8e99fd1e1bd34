//! The one command that says whether the tree is good: `cargo xtask ci`. It needs Rust and a
//! C++ compiler; cargo fetches the rest. The test suite has the bounded fuzz runs in it; one more
//! over all readers follows.

use crate::{readers, tidy};
use std::process::Command;
use std::time::Instant;

/// Executions of the readers' fuzzers, on top of those in the test suite.
const READER_RUNS: u64 = 1_000_000;

/// One step: its name, a command line of cargo, and a variable of the environment.
struct Step {
    name: &'static str,
    arguments: &'static [&'static str],
    variable: Option<(&'static str, &'static str)>,
}

/// The steps that call cargo, the cheapest first.
const STEPS: &[Step] = &[
    Step { name: "format", arguments: &["fmt", "--all", "--check"], variable: None },
    Step {
        name: "lints",
        arguments: &["clippy", "--workspace", "--all-targets", "--locked", "--", "-D", "warnings"],
        variable: None,
    },
    Step {
        name: "tests",
        arguments: &["test", "--workspace", "--locked", "--no-fail-fast"],
        variable: None,
    },
    Step {
        name: "documents",
        arguments: &["doc", "--workspace", "--no-deps", "--locked"],
        variable: Some(("RUSTDOCFLAGS", "-D warnings")),
    },
    // The fuzz targets are a workspace of their own; the shared directory saves a second build
    // of the SAT solver. A run with coverage needs cargo-fuzz, a check does not.
    Step {
        name: "fuzz targets",
        arguments: &[
            "check",
            "--locked",
            "--manifest-path",
            "fuzz/Cargo.toml",
            "--target-dir",
            "target",
        ],
        variable: None,
    },
];

/// Runs all steps, also after one has failed, and names those that did.
pub fn run() -> Result<(), String> {
    let start = Instant::now();
    let mut failed = Vec::new();
    let mut timed = |name: &'static str, step: &dyn Fn() -> Result<(), String>| {
        println!("== {name}");
        let start = Instant::now();
        let result = step();
        println!("== {name}: {:.1} s", start.elapsed().as_secs_f64());
        if let Err(error) = result {
            println!("{error}");
            failed.push(name);
        }
    };
    timed("style", &style);
    for step in STEPS {
        timed(step.name, &|| cargo(step.arguments, step.variable));
    }
    timed("damaged files", &damaged_files);
    println!("== all: {:.1} s", start.elapsed().as_secs_f64());
    if failed.is_empty() { Ok(()) } else { Err(format!("failed: {}", failed.join(", "))) }
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

fn damaged_files() -> Result<(), String> {
    println!("{}", readers::run(0, READER_RUNS)?);
    Ok(())
}

/// Runs cargo at the root of the repository.
pub fn cargo(arguments: &[&str], variable: Option<(&str, &str)>) -> Result<(), String> {
    let program = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(program);
    command.args(arguments).envs(variable).current_dir(tidy::root());
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(_) => Err(format!("`cargo {}` failed", arguments.join(" "))),
        Err(error) => Err(format!("cannot run cargo: {error}")),
    }
}
