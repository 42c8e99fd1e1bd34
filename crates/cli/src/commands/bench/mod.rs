//! `pedra bench`: many models, several contenders, one table.
//!
//! Ours are engines with options; others are model checkers found on the path. All run as
//! processes of their own under the same limits and are measured in the same way ([`measure`]).

pub mod contender;
pub mod convert;
pub mod growth;
pub mod measure;
pub mod models;
pub mod plot;
pub mod run;
pub mod table;

use crate::args::BenchArgs;
use crate::evidence::refuse_unwritable;
use crate::limits::signal_flag;
use crate::output::{note, say, write_file};
use anyhow::Result;
use run::{Field, RunLimits, Table, run_all};
use std::sync::atomic::Ordering;

/// Runs the command; gives the exit code: 1 if an answer is wrong, 3 if a signal ended it.
pub fn run(args: &BenchArgs) -> Result<i32> {
    let contenders = contender::choose(args)?;
    let models = models::find(args)?;
    // The system limits CPU time in whole seconds.
    let cpu = args.cpu.as_secs_f64().ceil().max(1.0) as u64;
    let field = Field {
        models: &models,
        contenders: &contenders,
        limits: RunLimits { cpu, memory: args.memory },
    };
    let plots = args.plots.as_ref().map(|prefix| plot::paths(prefix, &contenders));
    let growth = args.plots.as_ref().and_then(|prefix| growth::path(prefix, &models));
    plots.iter().flatten().chain(&growth).try_for_each(|path| refuse_unwritable(path))?;
    let so_far = Table::open(args.out.as_deref(), &field)?;
    let signal = signal_flag();
    let rows = run_all(&field, args.jobs.into(), so_far, &signal)?;
    let summary = table::Summary::of(&field, &rows);
    say(summary.text().trim_end());
    for (number, path) in plots.iter().flatten().enumerate() {
        let svg = match number {
            0 => plot::cactus(&field, &summary),
            other => plot::scatter(&field, &summary, other),
        };
        write_file(path, svg.as_bytes())?;
    }
    if let Some(path) = growth {
        write_file(&path, growth::growth(&field, &summary).as_bytes())?;
    }
    let missing = models.len() * contenders.len() - rows.len();
    if missing > 0 {
        note(&format!("interrupted: {missing} runs are missing"));
    }
    let interrupted = signal.load(Ordering::Relaxed) != 0 && missing > 0;
    Ok(if summary.has_conflict() {
        1
    } else if interrupted {
        3
    } else {
        0
    })
}
