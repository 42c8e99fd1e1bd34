//! Verdicts for people: one line a property, and one for each loop with an invariant.

use super::{PropertyReport, Verdict, WrittenFile};
use crate::view::invariants;
use pedra_check::SafeUpTo;
use pedra_formats::text::printable;

/// `violated  b1 overflow  step 7, bmc, 0.02 s, trace replayed`.
pub fn line(report: &PropertyReport, color: bool) -> String {
    let (word, code) = match report.verdict {
        Verdict::Proved { .. } => ("proved", "32"),
        Verdict::Violated { .. } => ("violated", "31"),
        Verdict::Unknown { .. } => ("unknown", "33"),
    };
    let word = format!("{word:<8}");
    let word = if color { format!("\x1b[1;{code}m{word}\x1b[0m") } else { word };
    let name = match &report.name {
        Some(name) => format!("b{} {}", report.index, printable(name)),
        None => format!("b{}", report.index),
    };
    let engine = &report.engine;
    let seconds = report.time.as_secs_f64();
    let told = match &report.verdict {
        Verdict::Proved { k, clauses, trust, .. } => {
            let invariant = match clauses {
                0 => String::new(),
                1 => ", 1 invariant clause".to_owned(),
                n => format!(", {n} invariant clauses"),
            };
            let trusted = trust.text().map_or(String::new(), |what| format!(", {what} trusted"));
            format!("{engine}, k = {k}{invariant}, {seconds:.2} s, certificate checked{trusted}")
        }
        Verdict::Violated { depth } => {
            format!("at step {depth}, {engine}, {seconds:.2} s, trace replayed")
        }
        Verdict::Unknown { reason, safe } => {
            let safe = match *safe {
                None => "no step looked at".to_owned(),
                Some(SafeUpTo { claimed, checked }) => {
                    let how = match checked {
                        Some(step) if step >= claimed => "checked".to_owned(),
                        Some(step) => format!("claimed; checked up to step {step}"),
                        None => "claimed".to_owned(),
                    };
                    format!("no violation up to step {claimed} ({how})")
                }
            };
            format!("{}; {safe}, {engine}, {seconds:.2} s", printable(reason))
        }
    };
    let file = |file: &WrittenFile| {
        let doubt = if file.is_checked { "" } else { " (queries not checked)" };
        format!(", {}{doubt}", printable(&file.name))
    };
    let files: String = report.files.iter().map(file).collect();
    let loops = invariants::lines(&report.invariants);
    let loops: String = loops.iter().map(|line| format!("\n{}", printable(line))).collect();
    format!("{word}  {name}  {told}{files}{loops}")
}
