//! Verdicts for people: one line a property.

use super::{PropertyReport, Verdict};
use crate::output::printable;

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
        Verdict::Proved { k, clauses, .. } => {
            let invariant = match clauses {
                0 => String::new(),
                1 => ", 1 invariant clause".to_owned(),
                n => format!(", {n} invariant clauses"),
            };
            format!("{engine}, k = {k}{invariant}, {seconds:.2} s, certificate checked")
        }
        Verdict::Violated { depth } => {
            format!("at step {depth}, {engine}, {seconds:.2} s, trace replayed")
        }
        Verdict::Unknown { reason, safe_until } => {
            let safe = match safe_until {
                Some(step) => format!("no violation up to step {step}"),
                None => "no step checked".to_owned(),
            };
            format!("{}; {safe}, {engine}, {seconds:.2} s", printable(reason))
        }
    };
    let files: String = report.files.iter().map(|f| format!(", {}", printable(f))).collect();
    format!("{word}  {name}  {told}{files}")
}
