//! Runs `pedra check` over the models of a manifest, one after the other on one thread, each
//! under a limit of CPU time, and compares the verdicts with the expected ones.
//!
//! The manifest is a table with tabs whose columns `set`, `file` and `expected` (`safe`,
//! `unsafe`, `unknown`) are read; files are relative to its folder. The result is a table too,
//! one row a model, written as the run goes, and a run that is started again goes on after the
//! last row.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What to run.
pub struct Bench {
    /// The program.
    pub pedra: PathBuf,
    /// The table of models.
    pub manifest: PathBuf,
    /// Only these sets.
    pub sets: Vec<String>,
    /// Only models with this expected verdict.
    pub expected: Option<String>,
    /// Further arguments for `pedra check`.
    pub arguments: Vec<String>,
    /// CPU seconds for each model.
    pub cpu_seconds: u64,
    /// Where the rows go.
    pub out: PathBuf,
}

/// A model of the manifest.
struct Model {
    file: String,
    expected: String,
}

/// What became of it.
struct Row {
    verdict: String,
    detail: String,
    cpu: f64,
    megabytes: f64,
}

impl Bench {
    /// Runs everything; gives the summary.
    pub fn run(&self) -> Result<String, String> {
        let models = self.models()?;
        let mut done = self.rows_so_far();
        let mut out = fs::OpenOptions::new()
            .create(true)
            .append(true)
            .open(&self.out)
            .map_err(|e| format!("{}: {e}", self.out.display()))?;
        let folder = self.manifest.parent().unwrap_or(Path::new("."));
        for (number, model) in models.iter().enumerate() {
            if done.contains_key(&model.file) {
                continue;
            }
            let row = self.run_one(&folder.join(&model.file))?;
            let line = format!(
                "{}\t{}\t{}\t{}\t{:.2}\t{:.0}",
                model.file, model.expected, row.verdict, row.detail, row.cpu, row.megabytes
            );
            println!("{}/{} {line}", number + 1, models.len());
            writeln!(out, "{line}").map_err(|e| e.to_string())?;
            done.insert(model.file.clone(), row);
        }
        Ok(self.summary(&models, &done))
    }

    fn models(&self) -> Result<Vec<Model>, String> {
        let text = fs::read_to_string(&self.manifest)
            .map_err(|e| format!("{}: {e}", self.manifest.display()))?;
        let mut lines = text.lines();
        let header: Vec<&str> = lines.next().unwrap_or_default().split('\t').collect();
        let column = |name: &str| {
            let at = header.iter().position(|h| *h == name);
            at.ok_or_else(|| format!("the manifest has no column {name}"))
        };
        let (set, file, expected) = (column("set")?, column("file")?, column("expected")?);
        let rows = lines.map(|l| l.split('\t').collect::<Vec<_>>());
        let rows = rows.filter(|r| r.len() > set.max(file).max(expected));
        let wanted = |r: &Vec<&str>| {
            let set_ok = self.sets.is_empty() || self.sets.iter().any(|s| s == r[set]);
            set_ok && self.expected.as_deref().is_none_or(|e| e == r[expected])
        };
        let model = |r: Vec<&str>| Model { file: r[file].into(), expected: r[expected].into() };
        Ok(rows.filter(wanted).map(model).collect())
    }

    fn rows_so_far(&self) -> BTreeMap<String, Row> {
        let text = fs::read_to_string(&self.out).unwrap_or_default();
        let row = |line: &str| {
            let [file, _, verdict, detail, cpu, megabytes] =
                <[&str; 6]>::try_from(line.split('\t').collect::<Vec<_>>()).ok()?;
            let (cpu, megabytes) = (cpu.parse().ok()?, megabytes.parse().ok()?);
            let (verdict, detail) = (verdict.to_owned(), detail.to_owned());
            Some((file.to_owned(), Row { verdict, detail, cpu, megabytes }))
        };
        text.lines().filter_map(row).collect()
    }

    /// One model under a soft limit, at which pedra gives its partial answer, and a hard one.
    fn run_one(&self, model: &Path) -> Result<Row, String> {
        let limits = format!(
            "ulimit -S -t {}; ulimit -H -t {}; exec \"$@\"",
            self.cpu_seconds,
            self.cpu_seconds + 5
        );
        let output = Command::new("sh")
            .args(["-c", &limits, "sh"])
            .arg(&self.pedra)
            .args(["check", "--json"])
            .args(&self.arguments)
            .arg(model)
            .output()
            .map_err(|e| format!("sh: {e}"))?;
        let text = String::from_utf8_lossy(&output.stdout);
        let mut row = Row {
            verdict: format!("failed ({})", output.status),
            detail: String::new(),
            cpu: self.cpu_seconds as f64,
            megabytes: 0.0,
        };
        let mut verdicts = Vec::new();
        for line in text.lines() {
            if line.contains("\"event\":\"property\"") {
                verdicts.push(field(line, "verdict").unwrap_or_default());
                let known = ["step", "k", "safe_until"];
                let found = known.iter().find_map(|k| Some(format!("{k}={}", field(line, k)?)));
                row.detail = found.unwrap_or_default();
            } else if line.contains("\"event\":\"end\"") {
                let number = |key| field(line, key).and_then(|v| v.parse::<f64>().ok());
                row.cpu = number("cpu_seconds").unwrap_or(row.cpu);
                row.megabytes = number("memory_bytes").unwrap_or(0.0) / 1e6;
            }
        }
        verdicts.sort();
        verdicts.dedup();
        if !verdicts.is_empty() {
            row.verdict = verdicts.join("+");
        }
        Ok(row)
    }

    fn summary(&self, models: &[Model], rows: &BTreeMap<String, Row>) -> String {
        let mut text = String::new();
        let right = |m: &Model, r: &Row| {
            matches!(
                (m.expected.as_str(), r.verdict.as_str()),
                ("safe", "proved") | ("unsafe", "violated")
            )
        };
        let wrong = |m: &Model, r: &Row| {
            matches!(
                (m.expected.as_str(), r.verdict.as_str()),
                ("unsafe", "proved") | ("safe", "violated")
            )
        };
        let pairs = || models.iter().filter_map(|m| Some((m, rows.get(&m.file)?)));
        let count =
            |test: &dyn Fn(&Model, &Row) -> bool| pairs().filter(|(m, r)| test(m, r)).count();
        let decided = |_: &Model, r: &Row| r.verdict == "proved" || r.verdict == "violated";
        let failed = |_: &Model, r: &Row| r.verdict.starts_with("failed");
        let limit = self.cpu_seconds as f64;
        let penalised = |(m, r): (&Model, &Row)| if decided(m, r) { r.cpu } else { 2.0 * limit };
        let par2: f64 = pairs().map(penalised).sum();
        let _ = write!(
            text,
            "{} models, {} decided ({} as expected: {} proved, {} violated), {} wrong, {} failed, PAR-2 {par2:.0}",
            pairs().count(),
            count(&decided),
            count(&right),
            count(&|_, r| r.verdict == "proved"),
            count(&|_, r| r.verdict == "violated"),
            count(&wrong),
            count(&failed),
        );
        text
    }
}

/// The value of a field of a flat JSON object, as text; nothing for `null`.
fn field(line: &str, key: &str) -> Option<String> {
    let start = line.find(&format!("\"{key}\":"))? + key.len() + 3;
    let rest = &line[start..];
    let value = match rest.strip_prefix('"') {
        Some(text) => &text[..text.find('"')?],
        None => &rest[..rest.find([',', '}'])?],
    };
    (value != "null").then(|| value.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_found() {
        let line = r#"{"event":"property","verdict":"proved","k":3,"safe_until":null,"x":1.5}"#;
        assert_eq!(field(line, "verdict").as_deref(), Some("proved"));
        assert_eq!(field(line, "k").as_deref(), Some("3"));
        assert_eq!(field(line, "safe_until"), None);
        assert_eq!(field(line, "x").as_deref(), Some("1.5"));
        assert_eq!(field(line, "y"), None);
    }
}
