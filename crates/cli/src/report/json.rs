//! Verdicts for programs: one JSON object a line. `docs/JSON.md` describes them; the schema
//! number changes when a field changes its meaning or goes away.

use super::{Inner, PropertyReport, Stated, Vacuity, Verdict, is_cover};
use crate::view::invariants::LoopInvariant;
use pedra_check::Trust;
use serde_json::{Value, json};
use std::path::Path;
use std::time::Duration;

/// The schema that every line names.
pub const SCHEMA: u32 = 1;

fn seconds(time: Duration) -> f64 {
    (time.as_secs_f64() * 1000.0).round() / 1000.0
}

/// The start of a run.
pub fn start(model: &Path, properties: &[usize], engine: &str) -> Value {
    json!({
        "schema": SCHEMA,
        "event": "start",
        "pedra": env!("CARGO_PKG_VERSION"),
        "model": model.display().to_string(),
        "properties": properties,
        "engine": engine,
    })
}

/// A verdict.
pub fn property(report: &PropertyReport, stated: Option<&Stated>) -> Value {
    let mut line = json!({
        "schema": SCHEMA,
        "event": "property",
        "property": report.index,
        "name": report.name,
    });
    let (verdict, more) = match &report.verdict {
        Verdict::Proved { k, clauses, safe_until, trust } => {
            let trusted = match trust {
                Trust::Nothing => None,
                Trust::NormalForms => Some("normal forms"),
            };
            let more = json!({
                "k": k, "clauses": clauses, "safe_until": safe_until, "checked": "certificate",
                "trusted": trusted
            });
            (if is_cover(stated) { "unreachable" } else { "proved" }, more)
        }
        Verdict::Violated { depth } => {
            let word = if is_cover(stated) { "reached" } else { "violated" };
            (word, json!({ "step": depth, "checked": "trace" }))
        }
        Verdict::Unknown { reason, safe } => {
            let (claimed, checked) = (safe.map(|s| s.claimed), safe.and_then(|s| s.checked));
            let more = json!({
                "reason": reason, "safe_until": claimed, "safe_checked": checked
            });
            ("unknown", more)
        }
    };
    if !report.invariants.is_empty() {
        line["invariants"] = invariants(report);
    }
    let rest = json!({
        "engine": report.engine,
        "seconds": seconds(report.time),
        "files": report.files.iter().map(|file| &file.name).collect::<Vec<_>>(),
    });
    if let Some(stated) = stated {
        line["kind"] = if is_cover(Some(stated)) { "cover" } else { "assert" }.into();
        if let Some(place) = &stated.place {
            line["file"] = place.file.as_str().into();
            line["line"] = place.line.into();
            line["column"] = place.column.into();
        }
    }
    line["verdict"] = verdict.into();
    let fields = line.as_object_mut().expect("built as an object");
    for part in [more, rest] {
        if let Value::Object(part) = part {
            fields.extend(part);
        }
    }
    line
}

/// What a proof about a program says of its loops.
fn invariants(report: &PropertyReport) -> Value {
    let one = |of: &LoopInvariant| {
        json!({
            "place": of.place, "line": of.span.line, "column": of.span.column, "loop": of.head,
            "summary": of.is_summary,
            "conjuncts": of.shown, "over_bits": of.over_bits, "hidden": of.hidden
        })
    };
    report.invariants.iter().map(one).collect()
}

/// Whether an answer says something: of the condition of a property, or of the assumptions.
pub fn vacuity(of: Option<(usize, &str)>, vacuity: Vacuity) -> Value {
    let (is_vacuous, step) = match vacuity {
        Vacuity::No => (Some(false), None),
        Vacuity::Yes(step) => (Some(true), step),
        Vacuity::Unknown => (None, None),
    };
    json!({
        "schema": SCHEMA,
        "event": "vacuity",
        "property": of.map(|(index, _)| index),
        "name": of.map(|(_, name)| name),
        "vacuous": is_vacuous,
        "step": step,
    })
}

/// The end of a run.
pub(super) fn end(inner: &Inner, exit: i32, time: Duration) -> Value {
    let count = |is_meant: fn(&Verdict) -> bool, covers: bool| {
        let is_kind = |r: &&PropertyReport| is_cover(inner.stated.get(r.index)) == covers;
        inner.done.iter().filter(is_kind).filter(|r| is_meant(&r.verdict)).count()
    };
    let is_proved = |v: &Verdict| matches!(v, Verdict::Proved { .. });
    let is_violated = |v: &Verdict| matches!(v, Verdict::Violated { .. });
    let is_unknown = |v: &Verdict| matches!(v, Verdict::Unknown { .. });
    let mut line = json!({
        "schema": SCHEMA,
        "event": "end",
        "proved": count(is_proved, false),
        "violated": count(is_violated, false),
        "unknown": count(is_unknown, false) + count(is_unknown, true),
    });
    let fields = line.as_object_mut().expect("built as an object");
    if !inner.stated.is_empty() {
        fields.insert("reached".to_owned(), count(is_violated, true).into());
        fields.insert("unreachable".to_owned(), count(is_proved, true).into());
        fields.insert("vacuous".to_owned(), inner.vacuous.into());
    }
    if let Value::Object(rest) = json!({
        "exit": exit,
        "seconds": seconds(time),
        "cpu_seconds": crate::limits::cpu_seconds(),
        "memory_bytes": crate::limits::peak_memory(),
    }) {
        fields.extend(rest);
    }
    line
}
