//! `cargo xtask`: see [`HELP`].

use pedra_formats::aiger::write_binary;
use pedra_testkit::many::many_properties;
use std::process::ExitCode;
use xtask::{
    browser, ci, dist, gcc, growth, harness, interrupts, python, readers, roundtrip, tools,
};

/// What `cargo xtask help` prints.
const HELP: &str = "\
cargo xtask COMMAND

  ci             all that must hold before a change is taken: style, lints, tests, documents
  tidy           style only
  browser        opens pages of runs in Chromium and Firefox and uses them; says so if there are none
                 --pictures FOLDER  writes pictures of all views
                 --times PAGE...    how long these pages take to open and to draw
  interrupts     stops runs at random moments: interrupts MANIFEST RUNS SEED
  roundtrip      reads, writes and reads again every model of a manifest (in release mode:
                 cargo run --release -p xtask -- roundtrip MANIFEST)
  fuzz-readers   damaged files for every reader, with assertions, at full speed
                 --runs N     how many (1000000)
                 --first N    the number of the first (0); a failure names its number
  tools          fetches programs of others that tests use where they are there: validators of
                 report files, BenchExec, maturin (from PyPI and npm, into target/tools)
  dist           builds a static program and an archive with completions, manual page and licences
                 (into target/dist)
  package        packs the crates and installs the program from them, without registry
  python         builds the Python package, installs it into a fresh environment and tests it
  compare-gcc    random C programs, run by the interpreter and by gcc, for both data models
                 --runs N     how many (2000)
                 --first N    the number of the first (0)
  growth         programs that grow, for plots of time by size: growth FOLDER
  many           writes a model with many properties: many COUNT SEED FILE.aig
  harness        writes, compiles and runs the tests of violated C tasks: harness MANIFEST TIME,
                 with the time for each check, such as 5s; needs target/release/pedra and gcc
";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let result = match arguments.as_slice() {
        ["ci"] => ci::run(),
        ["tidy"] => ci::style(),
        ["browser"] => browser::run(None).map(|told| println!("{told}")),
        ["browser", "--pictures", folder] => {
            browser::run(Some(folder.as_ref())).map(|told| println!("{told}"))
        }
        ["browser", "--times", pages @ ..] if !pages.is_empty() => {
            let pages: Vec<&std::path::Path> = pages.iter().map(|page| page.as_ref()).collect();
            browser::times(&pages).map(|lines| print!("{lines}"))
        }
        ["interrupts", manifest, runs, seed] => run_interrupts(manifest, runs, seed),
        ["roundtrip", manifest] => {
            roundtrip::run(manifest.as_ref()).map(|summary| print!("{summary}"))
        }
        ["fuzz-readers", options @ ..] => fuzz_readers(options),
        ["dist"] => dist::run().map(|what| println!("{what}")),
        ["package"] => dist::package().map(|what| println!("{what}")),
        ["python"] => python::run(),
        ["tools"] => tools::run(),
        ["compare-gcc", options @ ..] => compare_gcc(options),
        ["growth", folder] => growth::run(folder.as_ref()).map(|told| println!("{told}")),
        ["many", count, seed, file] => many(count, seed, file),
        ["harness", manifest, time] => {
            let pedra = std::path::Path::new("target/release/pedra");
            harness::run(manifest.as_ref(), time, pedra).map(|table| print!("{table}"))
        }
        ["help" | "--help" | "-h"] => {
            print!("{HELP}");
            Ok(())
        }
        _ => Err(format!("no such command\n\n{HELP}")),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("xtask: {message}");
            ExitCode::FAILURE
        }
    }
}

fn run_interrupts(manifest: &str, runs: &str, seed: &str) -> Result<(), String> {
    let number = |text: &str| text.parse::<u64>().map_err(|_| format!("{text} is no number"));
    let (runs, seed) = (number(runs)? as usize, number(seed)?);
    let pedra = std::path::Path::new("target/release/pedra");
    interrupts::run(manifest.as_ref(), runs, seed, pedra).map(|table| print!("{table}"))
}

/// Writes a model with many properties.
fn many(count: &str, seed: &str, file: &str) -> Result<(), String> {
    let number = |text: &str| text.parse::<u64>().map_err(|_| format!("{text} is no number"));
    let system = many_properties(number(count)? as usize, number(seed)?);
    std::fs::write(file, write_binary(&system)).map_err(|error| format!("{file}: {error}"))
}

/// The number behind an option.
fn number(options: &[&str], name: &str, default: u64) -> Result<u64, String> {
    match options.iter().position(|&o| o == name) {
        None => Ok(default),
        Some(at) => match options.get(at + 1).map(|value| value.replace('_', "").parse()) {
            Some(Ok(value)) => Ok(value),
            _ => Err(format!("{name} needs a number")),
        },
    }
}

fn compare_gcc(options: &[&str]) -> Result<(), String> {
    let (first, runs) = (number(options, "--first", 0)?, number(options, "--runs", 2000)?);
    println!("{}", gcc::run(first, runs)?);
    Ok(())
}

/// Runs the readers' fuzzers here with `--here`; otherwise builds them for speed first.
fn fuzz_readers(options: &[&str]) -> Result<(), String> {
    let first = number(options, "--first", 0)?;
    let runs = number(options, "--runs", 1_000_000)?;
    if options.contains(&"--here") {
        println!("{}", readers::run(first, runs)?);
        return Ok(());
    }
    let (first, runs) = (first.to_string(), runs.to_string());
    let assertions = "profile.release.debug-assertions=true";
    let build = ["run", "--quiet", "--release", "--locked", "--package", "xtask"];
    let rest = ["--config", assertions, "--", "fuzz-readers", "--here", "--first", &first];
    ci::cargo(&[&build[..], &rest[..], &["--runs", &runs]].concat(), None)
}
