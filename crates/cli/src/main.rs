//! The program `pedra`.

use clap::CommandFactory;
use pedra::args::{Cli, Command};
#[cfg(feature = "cluster")]
use pedra::commands::cluster;
use pedra::commands::{
    bench, certify, check, convert, demo, explain, hwmcc, info, run, sby, simulate, svcomp,
};
use pedra::memory;
use pedra::output::note;
use pedra_bench::run_as_helper;
use pedra_formats::text::printable;
use std::ffi::OsString;

#[global_allocator]
static ALLOCATOR: memory::Allocator = memory::Allocator;

fn main() {
    memory::prepare();
    let code = match std::panic::catch_unwind(start) {
        Ok(Ok(code)) => code,
        Ok(Err(error)) => {
            // The text may quote a file: its control characters are not for the terminal.
            let text = format!("{error:#}");
            text.lines().for_each(|line| note(&printable(line)));
            check::error_code(&error)
        }
        // The panic has printed its message already.
        Err(_) => 70,
    };
    std::process::exit(code);
}

fn start() -> anyhow::Result<i32> {
    if let Some(request) = sby::Request::from_args(std::env::args_os().skip(1)) {
        return sby::run(request?);
    }
    if let Some(code) = run_as_helper(std::env::args_os().skip(1)) {
        return Ok(code?);
    }
    let words: Vec<OsString> = std::env::args_os().collect();
    let cli = match Cli::read(words.iter().cloned()) {
        Ok(cli) => cli,
        Err(error) => match run::instead_of_check(&words) {
            Some(args) => return run::run(&args),
            None => error.exit(),
        },
    };
    match cli.command {
        Command::Check(args) => check::run(&args),
        Command::Run(args) => run::run(&args),
        Command::Explain(args) => explain::run(&args),
        Command::Certify(args) => certify::run(&args),
        Command::Simulate(args) => simulate::run(&args),
        Command::Convert(args) => convert::run(&args),
        Command::Info(args) => info::run(&args),
        Command::Hwmcc(args) => hwmcc::run(&args),
        Command::Svcomp(args) => svcomp::run(&args),
        Command::Bench(args) => bench::run(&args),
        #[cfg(feature = "cluster")]
        Command::Worker(args) => cluster::worker::run(&args),
        #[cfg(feature = "cluster")]
        Command::Cluster(args) => cluster::status::run(&args),
        Command::Demo(args) => demo::run(&args),
        Command::Completions(args) => {
            let mut bytes = Vec::new();
            clap_complete::generate(args.shell, &mut Cli::command(), "pedra", &mut bytes);
            pedra::output::say(String::from_utf8_lossy(&bytes).trim_end());
            Ok(0)
        }
        Command::Man => {
            let mut page = Vec::new();
            clap_mangen::Man::new(Cli::command()).render(&mut page)?;
            pedra::output::say(String::from_utf8_lossy(&page).trim_end());
            Ok(0)
        }
    }
}
