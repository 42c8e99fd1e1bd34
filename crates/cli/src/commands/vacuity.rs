//! Whether what was decided about a design says anything: after the verdicts, the assumptions are
//! asked for a run, and the conditions of proved assertions for a step where they are true.

use crate::load::Loaded;
use crate::output::note;
use crate::report::{Reporter, Vacuity};
use anyhow::Result;
use pedra_check::Plan;
use pedra_check::vacuity::{LAST_STEP, Reach, Runs, find_conditions, find_runs};
use pedra_formats::text::printable;
use pedra_model::Model;
use pedra_model::system::System;
use pedra_solve::Interrupt;
use pedra_verilog::{About, Kind};

/// Asks, and tells what was found. Models that are no designs are not asked.
///
/// # Errors
/// If an answer failed its check; then nothing more is told.
pub fn point_out(
    loaded: &Loaded,
    plan: &Plan,
    interrupt: &Interrupt,
    reporter: &Reporter,
    quiet: bool,
) -> Result<()> {
    let (Some(about), Model::Words(system)) = (&loaded.about, &loaded.model) else {
        return Ok(());
    };
    let told = ask(system, about, plan, interrupt, reporter, quiet);
    told.inspect_err(|_| reporter.silence())
}

fn ask(
    system: &System,
    about: &About,
    plan: &Plan,
    interrupt: &Interrupt,
    reporter: &Reporter,
    quiet: bool,
) -> Result<()> {
    let runs = find_runs(system, plan, interrupt)?;
    if !system.constraints.is_empty() {
        reporter.tell_runs(match runs {
            Runs::Exist => Vacuity::No,
            Runs::EndBefore(step) => Vacuity::Yes(Some(step)),
            Runs::Open => Vacuity::Unknown,
        });
    }
    if runs == Runs::Open && !quiet {
        note(&format!("note: whether the assumptions allow {LAST_STEP} steps is not known"));
    }
    if matches!(runs, Runs::EndBefore(_)) {
        // Nothing is true in a step that no run has.
        return Ok(());
    }
    let proved = reporter.proved();
    let asked: Vec<(usize, _)> = proved
        .into_iter()
        .filter(|&index| about.properties[index].kind == Kind::Assert)
        .filter_map(|index| Some((index, about.properties[index].condition?)))
        .collect();
    let conditions: Vec<_> = asked.iter().map(|(_, condition)| *condition).collect();
    let found = find_conditions(system, &conditions, plan, interrupt)?;
    for ((index, _), reach) in asked.into_iter().zip(found) {
        let name = &about.properties[index].name;
        reporter.tell_condition(
            index,
            name,
            match reach {
                Reach::At(_) => Vacuity::No,
                Reach::Never => Vacuity::Yes(None),
                Reach::Open => Vacuity::Unknown,
            },
        );
        if reach == Reach::Open && !quiet {
            let name = printable(name);
            let text = "whether its condition can be true is not known";
            note(&format!("note: b{index} {name}: {text} up to step {LAST_STEP}"));
        }
    }
    Ok(())
}
