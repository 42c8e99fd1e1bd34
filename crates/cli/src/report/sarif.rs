//! What is violated or unknown as SARIF 2.1.0 (OASIS), for code scanning.
//!
//! Each violated property is a result of level `error` at its line, with the statements of the run
//! as a code flow. An unknown one is of level `warning`: the standard has results of the kind
//! `open` for it, but those have no level, and viewers leave them out. A run that failed is a
//! result, too, since code scanning takes a report without results for "all mended". Proved
//! properties are only counted.

use super::files::{Summary, title};
use super::{PropertyReport, SourcePlace, Verdict, human};
use pedra_formats::sha256::sha256;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Statements of one code flow; of a longer run the last ones. GitHub takes 10,000 for a result,
/// and nobody steps through more than some hundred.
const MAX_STEPS: usize = 1000;

/// What a result is about: its name, its level, and what it means.
const RULES: [(&str, &str, &str, &str); 4] = [
    ("violated", "PropertyViolated", "error", "A property is violated. The trace was replayed."),
    ("unknown", "PropertyUnknown", "warning", "It is not known whether a property holds."),
    (
        "failed",
        "RunFailed",
        "error",
        "The run failed. Properties without a verdict were not decided.",
    ),
    (
        "unexpected",
        "PropertyProved",
        "error",
        "A property is proved that should be violated, or a cover unreachable.",
    ),
];

/// The whole file.
pub fn document(summaries: &[Summary<'_>]) -> String {
    let log = json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": summaries.iter().map(run).collect::<Vec<Value>>()
    });
    format!("{log:#}\n")
}

/// A run on a model.
fn run(summary: &Summary<'_>) -> Value {
    let whole = SourcePlace { file: summary.model.to_owned(), line: 1, column: None };
    let mut seen = BTreeMap::new();
    let failure = summary.failure.map(|text| {
        let prints = fingerprint(&mut seen, "failed", "run");
        result(2, text, &whole, prints)
    });
    let of_properties = summary.in_order().into_iter().filter_map(|report| {
        let place = summary.told.places.get(&report.index).unwrap_or(&whole);
        property(report, place, summary, &mut seen)
    });
    let results: Vec<Value> = failure.into_iter().chain(of_properties).collect();
    let rules = RULES.map(|(id, name, level, text)| {
        json!({
            "id": id, "name": name, "shortDescription": { "text": text },
            "fullDescription": { "text": text },
            "help": { "text": "See the user guide of Pedra, \"Reading a verdict line\"." },
            "defaultConfiguration": { "level": level },
            "properties": { "tags": ["correctness"], "precision": "very-high" }
        })
    });
    let mut invocation = json!({
        "executionSuccessful": summary.failure.is_none(), "exitCode": summary.code
    });
    if let Some(text) = summary.failure {
        let notification = json!({ "level": "error", "message": { "text": text } });
        invocation["toolExecutionNotifications"] = json!([notification]);
    }
    let version = env!("CARGO_PKG_VERSION");
    json!({
        "tool": { "driver": {
            "name": "Pedra", "version": version, "semanticVersion": version, "rules": rules
        } },
        "automationDetails": { "id": format!("pedra/{}/", uri(summary.title)) },
        "invocations": [invocation],
        "results": results,
        "properties": {
            "proved": summary.count(|v| matches!(v, Verdict::Proved { .. })),
            "violated": summary.count(|v| matches!(v, Verdict::Violated { .. })),
            "unknown": summary.count(|v| matches!(v, Verdict::Unknown { .. })),
        }
    })
}

/// A property that is not what it should be.
fn property(
    report: &PropertyReport,
    place: &SourcePlace,
    summary: &Summary<'_>,
    seen: &mut BTreeMap<String, usize>,
) -> Option<Value> {
    let rule = match report.verdict {
        Verdict::Proved { .. } if summary.should_be_violated(report) => 3,
        Verdict::Proved { .. } => return None,
        Verdict::Violated { .. } if summary.should_be_violated(report) => return None,
        Verdict::Violated { .. } => 0,
        Verdict::Unknown { .. } => 1,
    };
    let identity = identity(report, place);
    let mut found = result(
        rule,
        &human::line(report, summary.stated(report), false),
        place,
        fingerprint(seen, RULES[rule].0, &identity),
    );
    let steps = &report.story.steps;
    if !steps.is_empty() {
        let left_out = steps.len().saturating_sub(MAX_STEPS);
        let locations: Vec<Value> = steps[left_out..].iter().map(flow_location).collect();
        found["codeFlows"] = json!([{ "threadFlows": [{ "locations": locations }] }]);
    }
    Some(found)
}

fn result(rule: usize, text: &str, place: &SourcePlace, prints: Value) -> Value {
    let (id, _, level, _) = RULES[rule];
    json!({
        "ruleId": id, "ruleIndex": rule, "level": level,
        "message": { "text": text },
        "locations": [{ "physicalLocation": location(place) }],
        "partialFingerprints": prints
    })
}

/// What stays the same of a property while lines move: its name without the line.
fn identity(report: &PropertyReport, place: &SourcePlace) -> String {
    let line = format!("{}:{} ", place.file, place.line);
    match report.name.as_deref().map(|name| name.strip_prefix(&line).unwrap_or(name)) {
        Some(name) => format!("{} {name}", place.file),
        None => format!("{} {}", place.file, title(report)),
    }
}

/// The field by which GitHub knows a result again; equal ones are numbered.
fn fingerprint(seen: &mut BTreeMap<String, usize>, rule: &str, identity: &str) -> Value {
    let identity = format!("{rule} {identity}");
    let number = seen.entry(identity.clone()).and_modify(|count| *count += 1).or_insert(1);
    let hash = sha256(identity.as_bytes());
    json!({ "primaryLocationLineHash": format!("{}:{number}", &hash[..16]) })
}

fn flow_location((place, text): &(SourcePlace, String)) -> Value {
    json!({ "location": {
        "physicalLocation": location(place), "message": { "text": text }
    } })
}

fn location(place: &SourcePlace) -> Value {
    let mut region = json!({ "startLine": place.line });
    if let Some(column) = place.column {
        region["startColumn"] = column.into();
    }
    json!({ "artifactLocation": { "uri": uri(&place.file) }, "region": region })
}

/// A path as a reference that URIs allow.
fn uri(path: &str) -> String {
    let mut uri = String::new();
    if path.starts_with('/') {
        uri.push_str("file://");
    }
    let path = if path == "-" { "stdin" } else { path.trim_start_matches("./") };
    for byte in path.bytes() {
        match byte {
            b'/' | b'-' | b'.' | b'_' | b'~' => uri.push(byte.into()),
            _ if byte.is_ascii_alphanumeric() => uri.push(byte.into()),
            _ => uri.push_str(&format!("%{byte:02X}")),
        }
    }
    uri
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_references() {
        assert_eq!(uri("./models/a b.c"), "models/a%20b.c");
        assert_eq!(uri("/a/ü:1.c"), "file:///a/%C3%BC%3A1.c");
        assert_eq!(uri("../x.btor2"), "../x.btor2");
        assert_eq!(uri("-"), "stdin");
    }

    /// A property keeps its mark when lines above it come and go; two equal ones differ.
    #[test]
    fn marks_last() {
        let mut seen = BTreeMap::new();
        let (a, b) =
            (fingerprint(&mut seen, "violated", "x"), fingerprint(&mut seen, "violated", "x"));
        assert_ne!(a, b);
        assert_eq!(fingerprint(&mut BTreeMap::new(), "violated", "x"), a);
        assert_ne!(fingerprint(&mut BTreeMap::new(), "unknown", "x"), a);
    }
}
