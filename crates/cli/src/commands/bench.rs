//! `pedra bench`: what was typed becomes a request to the crate `pedra-bench`.

use crate::args::{BenchArgs, Cli, Command, ExpectedName};
use crate::commands::columns;
use crate::evidence::refuse_unwritable;
use crate::limits::signal_flag;
use crate::load::load;
use crate::output::{draw_status, note, say, write_file};
use anyhow::Result;
use pedra_bench::{Bench, Expected, Host, Request};
use pedra_model::Model;
use std::ffi::OsString;
use std::path::Path;
use std::sync::atomic::Ordering;

/// Runs the command; gives the exit code: 1 if an answer is wrong, 3 if a signal ended it.
pub fn run(args: &BenchArgs) -> Result<i32> {
    let request = request(args);
    let bench = Bench::new(&request, &Program)?;
    bench.plot_paths().iter().try_for_each(|path| refuse_unwritable(path))?;
    let signal = signal_flag();
    let outcome = bench.run(&signal)?;
    say(outcome.text.trim_end());
    for (path, svg) in &outcome.plots {
        write_file(path, svg.as_bytes())?;
    }
    let missing = outcome.missing;
    if missing > 0 {
        note(&format!("interrupted: {missing} runs are missing"));
    }
    let interrupted = signal.load(Ordering::Relaxed) != 0 && missing > 0;
    Ok(if outcome.has_conflict {
        1
    } else if interrupted {
        3
    } else {
        0
    })
}

fn request(args: &BenchArgs) -> Request {
    let args = args.clone();
    Request {
        models: args.models,
        sets: args.sets,
        tiers: args.tier,
        categories: args.category,
        expected: args.expected.map(|name| match name {
            ExpectedName::Safe => Expected::Safe,
            ExpectedName::Unsafe => Expected::Unsafe,
        }),
        engines: args.engines,
        options: args.options,
        peers: args.peers,
        before: args.before,
        cpu: args.cpu,
        memory: args.memory,
        jobs: args.jobs.into(),
        out: args.out,
        plots: args.plots,
    }
}

/// This program.
struct Program;

impl Host for Program {
    fn check_command(&self, words: &[OsString]) -> Result<(), String> {
        let words = [OsString::from("pedra")].into_iter().chain(words.iter().cloned());
        let refused = match Cli::read(words) {
            Ok(Cli { command: Command::Check(args) }) => args.refuse_unread().err().map(|e| e.0),
            Ok(_) => None,
            Err(error) => Some(error.to_string()),
        };
        let Some(text) = refused else { return Ok(()) };
        let first = text.lines().next().unwrap_or_default();
        Err(first.strip_prefix("error: ").unwrap_or(first).to_owned())
    }

    fn load(&self, path: &Path) -> Result<Model, String> {
        load(path).map(|loaded| loaded.model).map_err(|e| e.to_string())
    }

    fn note(&self, line: &str) {
        note(line);
    }

    fn draw_status(&self, line: Option<&str>) {
        // A line that wraps would take two rows.
        let cut = |line: &str| line.chars().take(columns().saturating_sub(1)).collect();
        draw_status(&line.map(cut).into_iter().collect::<Vec<String>>());
    }
}
