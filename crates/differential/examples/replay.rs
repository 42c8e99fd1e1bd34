//! Replays cases that were kept: `replay FILE...` runs each model of a shrunk failure with each of
//! its lines of options, and compares with explicit search. `replay --shrink FILE...` makes what
//! fails smaller first.

use pedra_differential::{Case, case};
use std::path::Path;
use std::process::ExitCode;

fn main() -> ExitCode {
    let mut files: Vec<String> = std::env::args().skip(1).collect();
    let shrinks = files.first().is_some_and(|first| first == "--shrink");
    if shrinks {
        files.remove(0);
    }
    let mut failures = 0;
    for file in &files {
        let cases = match Case::read(Path::new(file)) {
            Ok(cases) => cases,
            Err(error) => {
                eprintln!("{file}: {error}");
                return ExitCode::from(2);
            }
        };
        for case in cases {
            let line = case.options.join(" ");
            match case.check() {
                Ok(_) => println!("{file}: agrees: {line}"),
                Err(failure) => {
                    failures += 1;
                    println!("{file}: FAILS: {line}\n{failure}");
                    if shrinks {
                        println!("{}", case::report("replay", case, &failure));
                    }
                }
            }
        }
    }
    if failures == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
