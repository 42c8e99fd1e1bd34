//! The commands: what was typed becomes what is done.

pub mod bench;
pub mod certify;
pub mod check;
#[cfg(feature = "cluster")]
pub mod cluster;
pub mod convert;
pub mod demo;
pub mod explain;
pub mod hwmcc;
pub mod info;
pub mod language;
pub mod program;
pub mod program_info;
pub mod run;
pub mod sby;
pub mod simulate;
pub mod svcomp;
pub mod vacuity;

use crate::args::CheckArgs;
use crate::load::Loaded;
use language::ProgramSource;
use pedra_check::{Observer, Plan, ProgramObserver};
use pedra_program::Program;
use pedra_solve::Interrupt;
use std::io::IsTerminal;

/// Has the properties of a model decided: here, or by workers if `--cluster` says so.
///
/// # Errors
/// If an answer failed its check, or what the observer could not do.
pub fn decide<O: Observer<Error = anyhow::Error>>(
    args: &CheckArgs,
    loaded: &Loaded,
    selected: &[usize],
    plan: &Plan,
    interrupt: &Interrupt,
    observer: &O,
) -> anyhow::Result<()> {
    #[cfg(feature = "cluster")]
    if let Some(decided) = cluster::decide(args, loaded, selected, plan, interrupt, observer) {
        return decided;
    }
    let _ = args;
    pedra_check::decide(&loaded.model, selected, plan, interrupt, observer)
}

/// The same for properties of a program, which was read from a source.
///
/// # Errors
/// As above.
pub fn decide_program<O: ProgramObserver<Error = anyhow::Error>>(
    args: &CheckArgs,
    (source, program, selected): (&ProgramSource<'_>, &Program, &[usize]),
    plan: &Plan,
    interrupt: &Interrupt,
    observer: &O,
) -> anyhow::Result<()> {
    #[cfg(feature = "cluster")]
    if let Some(address) = &args.cluster.cluster {
        let asked = (source, program, selected);
        return cluster::decide_program(address, args, asked, plan, interrupt, observer);
    }
    let _ = (args, source);
    pedra_check::decide_program(program, selected, plan, interrupt, observer)
}

/// Whether to colour what goes to standard output.
pub fn stdout_color() -> bool {
    std::io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none()
}

/// Whether to colour what goes to standard error.
pub fn stderr_color() -> bool {
    std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none()
}

/// The width of the terminal, or what a page holds.
pub fn columns() -> usize {
    let from_env = std::env::var("COLUMNS").ok().and_then(|c| c.parse().ok());
    from_env.or_else(|| terminal_size::terminal_size().map(|(w, _)| w.0 as usize)).unwrap_or(100)
}
