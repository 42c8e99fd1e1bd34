//! Verdicts for people: one line a property, and one for each loop with an invariant.

use super::{PropertyReport, SourcePlace, Stated, Vacuity, Verdict, WrittenFile, is_cover};
use crate::view::invariants;
use pedra_check::SafeUpTo;
use pedra_formats::text::printable;

/// `violated  b1 overflow  step 7, bmc, 0.02 s, trace replayed`.
pub fn line(report: &PropertyReport, stated: Option<&Stated>, color: bool) -> String {
    let (word, code) = match (&report.verdict, is_cover(stated)) {
        (Verdict::Proved { .. }, false) => ("proved", "32"),
        (Verdict::Proved { .. }, true) => ("unreachable", "31"),
        (Verdict::Violated { .. }, false) => ("violated", "31"),
        (Verdict::Violated { .. }, true) => ("reached", "32"),
        (Verdict::Unknown { .. }, _) => ("unknown", "33"),
    };
    let word = painted(word, code, color);
    let name = match &report.name {
        Some(name) => format!("{} {}", report.id, printable(name)),
        None => report.id.to_string(),
    };
    let engine = &report.engine;
    let seconds = report.time.as_secs_f64();
    let told = match &report.verdict {
        Verdict::Proved { k, clauses, trust, argument, .. } => {
            let invariant = match clauses {
                0 => String::new(),
                1 => ", 1 invariant clause".to_owned(),
                n => format!(", {n} invariant clauses"),
            };
            let trusted = trust.text().map_or(String::new(), |what| format!(", {what} trusted"));
            let (how, checked) = match argument {
                Some(argument) => (argument.clone(), "proof"),
                None => (format!("k = {k}"), "certificate"),
            };
            format!("{engine}, {how}{invariant}, {seconds:.2} s, {checked} checked{trusted}")
        }
        Verdict::Violated { depth, loop_start: None } => {
            format!("at step {depth}, {engine}, {seconds:.2} s, trace replayed")
        }
        Verdict::Violated { depth, loop_start: Some(stem) } => {
            let length = depth + 1 - stem;
            format!("lasso: stem {stem}, loop {length}, {engine}, {seconds:.2} s, trace replayed")
        }
        Verdict::Unknown { reason, safe: None } => {
            format!("{}, {engine}, {seconds:.2} s", printable(reason))
        }
        Verdict::Unknown { reason, safe: Some(SafeUpTo { claimed, checked }) } => {
            let event = if is_cover(stated) { "not reached" } else { "no violation" };
            let how = match checked {
                Some(step) if step >= claimed => "checked".to_owned(),
                Some(step) => format!("claimed; checked up to step {step}"),
                None => "claimed".to_owned(),
            };
            let safe = format!("{event} up to step {claimed} ({how})");
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

/// `vacuous   b1 safe  its condition is never true, certificate checked`.
pub fn vacuity(of: Option<(usize, &str)>, vacuity: Vacuity, color: bool) -> String {
    let word = painted("vacuous", "33", color);
    match (of, vacuity) {
        (Some((index, name)), _) => {
            let text = "its condition is never true, certificate checked";
            format!("{word}  b{index} {}  {text}", printable(name))
        }
        (None, Vacuity::Yes(Some(step))) => format!(
            "{word}  assumptions  they cannot all hold up to step {step}, certificate checked; proofs \
             say nothing about this step and later ones"
        ),
        (None, _) => format!("{word}  assumptions"),
    }
}

/// ``assumed   loop.c:7  `foo`, which has no body, returns any value and changes nothing``.
pub fn assumption(place: &SourcePlace, text: &str, color: bool) -> String {
    let word = painted("assumed", "36", color);
    format!("{word}  {}:{}  {}", printable(&place.file), place.line, printable(text))
}

/// A verdict in its column, with its colour.
fn painted(word: &str, code: &str, color: bool) -> String {
    let word = format!("{word:<8}");
    if color { format!("\x1b[1;{code}m{word}\x1b[0m") } else { word }
}
