//! Verdicts for programs: one JSON object a line. `docs/JSON.md` describes them; the schema
//! number changes when a field changes its meaning or goes away.

use super::{
    Inner, PropertyReport, SourcePlace, Stated, Story, Vacuity, Verdict, WrittenFile, is_cover,
};
use crate::view::invariants::LoopInvariant;
use pedra_check::{Plan, SafeUpTo, Trust};
use pedra_engines::Exchanged;
use pedra_formats::sha256::sha256;
use pedra_model::property::Property;
use pedra_verilog::Kind;
use serde_json::{Value, json};
use std::path::Path;
use std::time::Duration;

/// The schema that every line names.
pub const SCHEMA: u32 = 1;

fn seconds(time: Duration) -> f64 {
    (time.as_secs_f64() * 1000.0).round() / 1000.0
}

/// The start of a run on a model with this content.
pub fn start(model: &Path, content: &[u8], properties: &[usize], plan: &Plan) -> Value {
    json!({
        "schema": SCHEMA,
        "event": "start",
        "pedra": env!("CARGO_PKG_VERSION"),
        "model": model.display().to_string(),
        "sha256": sha256(content),
        "properties": properties,
        "engine": plan.engine.text(),
        "threads": plan.threads,
    })
}

/// Something that the verdicts depend on beside the source.
pub fn assumption(place: &SourcePlace, text: &str) -> Value {
    json!({
        "schema": SCHEMA,
        "event": "assumption",
        "text": text,
        "source": { "file": place.file, "line": place.line, "column": place.column },
    })
}

/// A verdict, how the property is stated, and where it stands.
pub fn property(
    report: &PropertyReport,
    stated: Option<&Stated>,
    place: Option<&SourcePlace>,
) -> Value {
    let mut line = json!({
        "schema": SCHEMA,
        "event": "property",
        "property": report.index,
        "name": report.name,
    });
    let (verdict, more) = match &report.verdict {
        Verdict::Proved { k, clauses, safe_until, trust, argument } => {
            let mut more = json!({
                "k": k, "clauses": clauses, "safe_until": safe_until, "checked": "certificate",
                "trusted": trust.text()
            });
            if let Some(argument) = argument {
                more["checked"] = "proof".into();
                more["argument"] = argument.as_str().into();
            }
            (if is_cover(stated) { "unreachable" } else { "proved" }, more)
        }
        Verdict::Violated { depth, loop_start } => {
            let mut more = json!({ "step": depth, "checked": "trace" });
            if let Some(start) = loop_start {
                more["loop_start"] = (*start).into();
            }
            (if is_cover(stated) { "reached" } else { "violated" }, more)
        }
        Verdict::Unknown { reason, safe } => {
            let (claimed, checked) = (safe.map(|s| s.claimed), safe.and_then(|s| s.checked));
            let more = json!({
                "reason": reason, "safe_until": claimed, "safe_checked": checked
            });
            ("unknown", more)
        }
    };
    if let Property::Justice(_) = report.id {
        line["id"] = report.id.to_string().into();
    }
    if !report.invariants.is_empty() {
        line["invariants"] = invariants(report);
    }
    let rest = json!({
        "engine": report.engine,
        "seconds": seconds(report.time),
        "cpu_seconds": crate::limits::cpu_seconds(),
        "files": report.files.iter().map(|file| &file.name).collect::<Vec<_>>(),
        "source": place.map(|place| {
            json!({ "file": place.file, "line": place.line, "column": place.column })
        }),
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
    let doubtful = report.files.iter().filter(|file| !file.is_checked).map(|file| &file.name);
    let doubtful: Vec<&String> = doubtful.collect();
    if !doubtful.is_empty() {
        line["not_checked"] = json!(doubtful);
    }
    let fields = line.as_object_mut().expect("built as an object");
    for part in [more, rest] {
        if let Value::Object(part) = part {
            fields.extend(part);
        }
    }
    line
}

/// What a line says of a property.
pub struct ReadProperty {
    /// Its verdict.
    pub report: PropertyReport,
    /// How it is stated in a design.
    pub stated: Stated,
    /// Where it stands.
    pub place: Option<SourcePlace>,
}

/// Reads what [`property`] has written, but for invariants; nothing if it is no such line.
pub fn read_property(line: &Value) -> Option<ReadProperty> {
    let number = |value: &Value| value.as_u64().and_then(|n| usize::try_from(n).ok());
    let text = |value: &Value| value.as_str().map(str::to_owned);
    if line["event"] != "property" {
        return None;
    }
    let safe_until = number(&line["safe_until"]);
    let verdict = match line["verdict"].as_str()? {
        "proved" | "unreachable" => Verdict::Proved {
            k: number(&line["k"])?,
            clauses: number(&line["clauses"])?,
            safe_until,
            trust: match line["trusted"].as_str() {
                None => Trust::Nothing,
                Some(what) if Some(what) == Trust::IntegerTerms.text() => Trust::IntegerTerms,
                Some(_) => Trust::NormalForms,
            },
            argument: text(&line["argument"]),
        },
        "violated" | "reached" => Verdict::Violated {
            depth: number(&line["step"])?,
            loop_start: number(&line["loop_start"]),
        },
        "unknown" => {
            let checked = number(&line["safe_checked"]);
            let safe = safe_until.map(|claimed| SafeUpTo { claimed, checked });
            Verdict::Unknown { reason: text(&line["reason"])?, safe }
        }
        _ => return None,
    };
    let doubtful: Vec<String> =
        line["not_checked"].as_array().into_iter().flatten().filter_map(text).collect();
    let files = line["files"].as_array()?.iter().filter_map(text);
    let files = files.map(|name| WrittenFile { is_checked: !doubtful.contains(&name), name });
    let source = &line["source"];
    let place = text(&source["file"]).zip(number(&source["line"]));
    let column = number(&source["column"]);
    let place = place.map(|(file, line)| SourcePlace { file, line, column });
    let index = number(&line["property"])?;
    // Only justice sets are named; a bad has the number that it is called by.
    let set = line["id"].as_str().and_then(|id| id.strip_prefix('j')?.parse().ok());
    let report = PropertyReport {
        index,
        id: set.map_or(Property::Bad(index), Property::Justice),
        name: text(&line["name"]),
        verdict,
        engine: text(&line["engine"])?,
        time: Duration::try_from_secs_f64(line["seconds"].as_f64()?).ok()?,
        files: files.collect(),
        invariants: Vec::new(),
        story: Story::default(),
    };
    let kind = if line["kind"] == "cover" { Kind::Cover } else { Kind::Assert };
    Some(ReadProperty { report, stated: Stated { kind, place: None }, place })
}

/// What a proof about a program says of its loops.
fn invariants(report: &PropertyReport) -> Value {
    let one = |of: &LoopInvariant| {
        json!({
            "place": of.place, "line": of.span.line, "column": of.span.column, "loop": of.head,
            "call": of.call, "summary": of.is_summary,
            "conjuncts": of.shown, "for_all": of.quantified, "over_bits": of.over_bits, "hidden": of.hidden
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
    if let Some(counts) = inner.exchanged {
        let Exchanged { published, seen, known, taken, dropped, .. } = counts;
        let Exchanged { runs_published, runs_seen, runs_taken, .. } = counts;
        let counts = json!({
            "published": published, "seen": seen, "known": known, "taken": taken,
            "dropped": dropped, "runs_published": runs_published, "runs_seen": runs_seen,
            "runs_taken": runs_taken
        });
        fields.insert("exchanged".to_owned(), counts);
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

#[cfg(test)]
mod tests {
    use super::*;
    use pedra_model::property::Property;

    #[test]
    fn what_is_written_can_be_read() {
        let proved = Verdict::Proved {
            k: 2,
            clauses: 3,
            safe_until: Some(4),
            trust: Trust::NormalForms,
            argument: None,
        };
        let safe = Some(SafeUpTo { claimed: 7, checked: None });
        let unknown = Verdict::Unknown { reason: "interrupted".to_owned(), safe };
        let place = SourcePlace { file: "a.c".to_owned(), line: 3, column: Some(5) };
        for (verdict, place) in [
            (proved, Some(place)),
            (Verdict::Violated { depth: 9, loop_start: None }, None),
            (unknown, None),
        ] {
            let report = PropertyReport {
                index: 1,
                id: Property::Bad(1),
                name: None,
                verdict,
                engine: "pdr".to_owned(),
                time: Duration::from_millis(1500),
                files: vec![
                    WrittenFile { name: "a.vcd".to_owned(), is_checked: true },
                    WrittenFile { name: "a.smt2".to_owned(), is_checked: false },
                ],
                invariants: Vec::new(),
                story: Story::default(),
            };
            for kind in [Kind::Assert, Kind::Cover] {
                let stated = Stated { kind, place: None };
                let mut line = property(&report, Some(&stated), place.as_ref());
                let read = read_property(&line).expect("a property");
                let mut again = property(&read.report, Some(&read.stated), read.place.as_ref());
                // The clock goes on.
                again["cpu_seconds"] = line["cpu_seconds"].take();
                line["cpu_seconds"] = again["cpu_seconds"].clone();
                assert_eq!(again, line);
                assert_eq!((&read.report.verdict, &read.place), (&report.verdict, &place));
                assert_eq!((&read.report.files, &read.stated), (&report.files, &stated));
            }
        }
        assert!(read_property(&json!({ "event": "start" })).is_none());
    }
}
