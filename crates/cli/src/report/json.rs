//! Verdicts for programs: one JSON object a line. `docs/JSON.md` describes them; the schema
//! number changes when a field changes its meaning or goes away.

use super::{PropertyReport, Verdict};
use crate::view::invariants::LoopInvariant;
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
pub fn property(report: &PropertyReport) -> Value {
    let mut line = json!({
        "schema": SCHEMA,
        "event": "property",
        "property": report.index,
        "name": report.name,
    });
    let (verdict, more) = match &report.verdict {
        Verdict::Proved { k, clauses, safe_until, trust } => {
            let more = json!({
                "k": k, "clauses": clauses, "safe_until": safe_until, "checked": "certificate",
                "trusted": trust.text()
            });
            ("proved", more)
        }
        Verdict::Violated { depth } => ("violated", json!({ "step": depth, "checked": "trace" })),
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
        "cpu_seconds": crate::limits::cpu_seconds(),
        "files": report.files.iter().map(|file| &file.name).collect::<Vec<_>>(),
    });
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
            "conjuncts": of.shown, "over_bits": of.over_bits, "hidden": of.hidden
        })
    };
    report.invariants.iter().map(one).collect()
}

/// The end of a run.
pub fn end(reports: &[PropertyReport], exit: i32, time: Duration) -> Value {
    let count = |f: fn(&Verdict) -> bool| reports.iter().filter(|r| f(&r.verdict)).count();
    json!({
        "schema": SCHEMA,
        "event": "end",
        "proved": count(|v| matches!(v, Verdict::Proved { .. })),
        "violated": count(|v| matches!(v, Verdict::Violated { .. })),
        "unknown": count(|v| matches!(v, Verdict::Unknown { .. })),
        "exit": exit,
        "seconds": seconds(time),
        "cpu_seconds": crate::limits::cpu_seconds(),
        "memory_bytes": crate::limits::peak_memory(),
    })
}
