//! The models of `models/word/` and what its manifest says of them: all are there and can be
//! read, and those that are quickly decided have the verdict that is written there.

use serde_json::Value;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

#[derive(Debug)]
struct Row {
    file: String,
    verdict: &'static str,
    property: String,
    step: Option<u64>,
    options: Vec<String>,
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models/word")
}

/// The JSON lines that a command prints about a model.
fn lines(command: &str, row: &Row, options: &[String]) -> Vec<Value> {
    let output = Command::new(env!("CARGO_BIN_EXE_pedra"))
        .args([command, "--json"])
        .arg(folder().join(&row.file))
        .args(options)
        .output()
        .expect("pedra runs");
    let text = String::from_utf8(output.stdout).expect("text");
    text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

fn rows() -> Vec<Row> {
    let text = std::fs::read_to_string(folder().join("manifest.tsv")).expect("the manifest");
    let row = |line: &str| {
        let cells: Vec<&str> = line.split('\t').collect();
        let [set, file, expected, property, _, step, options, _] = cells[..] else {
            panic!("eight columns: {line}");
        };
        let width = set.strip_prefix('w').expect("a width");
        assert!(file.ends_with(&format!("_{width}.btor2")), "{line}");
        let verdict = match expected {
            "safe" => "proved",
            "unsafe" => "violated",
            other => panic!("{other} is no verdict"),
        };
        Row {
            file: file.to_owned(),
            verdict,
            property: property.to_owned(),
            step: step.parse().ok(),
            options: options.split_whitespace().map(str::to_owned).collect(),
        }
    };
    text.lines().skip(1).map(row).collect()
}

#[test]
fn the_manifest_is_complete() {
    let rows = rows();
    let listed: BTreeSet<&str> = rows.iter().map(|row| row.file.as_str()).collect();
    assert_eq!(listed.len(), 17 * 4);
    for entry in std::fs::read_dir(folder()).expect("the models") {
        let file = entry.expect("an entry").file_name().into_string().expect("a plain name");
        let known = ["manifest.tsv", "README.md"].contains(&file.as_str());
        assert!(known || listed.contains(file.as_str()), "{file}");
    }
    for row in &rows {
        let facts = &lines("info", row, &[])[0];
        assert_eq!(facts["properties"].as_array().map(Vec::len), Some(1), "{row:?}");
        assert_eq!(facts["properties"][0]["name"], row.property.as_str(), "{row:?}");
    }
}

/// What is told about the property.
fn verdict(row: &Row, options: &[String]) -> Value {
    let told = lines("check", row, options);
    told.into_iter().find(|line| line["event"] == "property").expect("a verdict")
}

#[test]
fn verdicts_are_as_written() {
    for row in rows() {
        let told = verdict(&row, &row.options);
        assert_eq!(told["verdict"], row.verdict, "{row:?}");
        assert_eq!(told["step"].as_u64(), row.step, "{row:?}");
    }
}

/// Without the help of bit-level PDR, at the smallest and the largest width.
#[test]
fn word_level_pdr_decides_all() {
    let options = ["--engine", "wpdr", "-o", "wpdr.handover=off"].map(str::to_owned);
    let is_taken = |row: &Row| ["_8.btor2", "_64.btor2"].iter().any(|end| row.file.ends_with(end));
    for row in rows().into_iter().filter(is_taken) {
        assert_eq!(verdict(&row, &options)["verdict"], row.verdict, "{row:?}");
    }
}

#[test]
fn polytopes_decide_all_but_parity() {
    let options = ["--engine", "wpdr", "-o", "wpdr.unit=polytopes", "-o", "wpdr.handover=off"];
    let options = options.map(str::to_owned);
    for row in rows().iter().filter(|row| row.file.ends_with("_16.btor2")) {
        let expected = if row.file.starts_with("parity") { "unknown" } else { row.verdict };
        assert_eq!(verdict(row, &options)["verdict"], expected, "{row:?}");
    }
}
