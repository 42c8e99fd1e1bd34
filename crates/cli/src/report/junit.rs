//! Verdicts as JUnit XML, which Jenkins, GitLab and most others read.
//!
//! There is no standard, only the schema of the Jenkins plug-in, which `tests/reports.rs` validates
//! against. A model is a suite, a property a case. *Violated* is a `failure`, with the waveform or
//! the statements. *Unknown* is an `error`, never `skipped`, which servers show as passed. A run
//! that failed has one more case, `run`, with an `error`.

use super::files::{Summary, title};
use super::{PropertyReport, Verdict, human, is_cover};
use pedra_formats::text::printable;
use std::time::Duration;

/// The whole file.
pub fn document(summaries: &[Summary<'_>]) -> String {
    let mut all = Counts::default();
    let mut suites = String::new();
    let mut time = Duration::ZERO;
    for summary in summaries {
        let (text, counts) = suite(summary);
        suites.push_str(&text);
        all = all.plus(counts);
        time += summary.time;
    }
    let (counts, time) = (all.text(), seconds(time));
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
         <testsuites name=\"pedra\" {counts} time=\"{time}\">\n{suites}</testsuites>\n"
    )
}

/// How many cases there are, and how they ended.
#[derive(Copy, Clone, Default)]
struct Counts {
    tests: usize,
    failures: usize,
    errors: usize,
}

impl Counts {
    fn plus(self, other: Counts) -> Counts {
        Counts {
            tests: self.tests + other.tests,
            failures: self.failures + other.failures,
            errors: self.errors + other.errors,
        }
    }

    fn text(self) -> String {
        let Counts { tests, failures, errors } = self;
        format!(r#"tests="{tests}" failures="{failures}" errors="{errors}""#)
    }
}

/// The properties of a model.
fn suite(summary: &Summary<'_>) -> (String, Counts) {
    let title = escaped(summary.title);
    let mut counts = Counts::default();
    let mut cases = String::new();
    if let Some(failure) = summary.failure {
        let first = failure.lines().next().unwrap_or_default();
        let error = element("error", "failed run", first, failure);
        cases.push_str(&case(&title, "run", summary.time, &error));
        counts = counts.plus(Counts { tests: 1, failures: 0, errors: 1 });
    }
    for report in summary.in_order() {
        let (body, failures, errors) = outcome(report, summary);
        cases.push_str(&case(&title, &self::title(report), report.time, &body));
        counts = counts.plus(Counts { tests: 1, failures, errors });
    }
    let (counted, time) = (counts.text(), seconds(summary.time));
    let head = format!(r#"  <testsuite name="{title}" {counted} skipped="0" time="{time}">"#);
    (format!("{head}\n{cases}  </testsuite>\n"), counts)
}

/// What stands inside of a case, and whether it is a failure or an error.
fn outcome(report: &PropertyReport, summary: &Summary<'_>) -> (String, usize, usize) {
    let stated = summary.stated(report);
    let line = human::line(report, stated, false);
    let should_be_violated = summary.should_be_violated(report);
    match &report.verdict {
        Verdict::Proved { .. } if should_be_violated => {
            let message = match is_cover(stated) {
                true => "unreachable",
                false => "proved, but it should be violated",
            };
            (element("failure", "unexpected", message, &line), 1, 0)
        }
        Verdict::Proved { .. } => (String::new(), 0, 0),
        Verdict::Violated { .. } if should_be_violated => (String::new(), 0, 0),
        Verdict::Violated { depth, .. } => {
            let body = match report.story.text.is_empty() {
                true => line,
                false => format!("{line}\n{}", report.story.text.trim_end()),
            };
            (element("failure", "violated", &format!("violated at step {depth}"), &body), 1, 0)
        }
        Verdict::Unknown { reason, .. } => {
            (element("error", "unknown", &format!("unknown: {reason}"), &line), 0, 1)
        }
    }
}

/// A case; both names but that of the suite are not escaped yet.
fn case(suite: &str, name: &str, time: Duration, body: &str) -> String {
    let (name, time) = (escaped(name), seconds(time));
    let open = format!(r#"    <testcase name="{name}" classname="{suite}" time="{time}""#);
    match body.is_empty() {
        true => format!("{open}/>\n"),
        false => format!("{open}>\n{body}    </testcase>\n"),
    }
}

fn element(name: &str, kind: &str, message: &str, body: &str) -> String {
    let lines: Vec<String> = body.lines().map(escaped).collect();
    let (message, body) = (escaped(message), lines.join("\n"));
    format!("      <{name} type=\"{kind}\" message=\"{message}\">{body}</{name}>\n")
}

/// Seconds with three digits, as the schema wants them.
fn seconds(time: Duration) -> String {
    format!("{:.3}", time.as_secs_f64())
}

/// Text as XML: no control characters, which XML cannot express, and no markup.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in printable(text).chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\u{fffe}' | '\u{ffff}' => escaped.push('?'),
            other => escaped.push(other),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::super::{Stated, Story, Told};
    use super::*;
    use pedra_verilog::Kind;
    use std::collections::BTreeMap;

    /// A cover should be reached: unreachable is a failure.
    #[test]
    fn covers() {
        let proved = Verdict::Proved {
            k: 1,
            clauses: 0,
            safe_until: None,
            trust: pedra_check::Trust::Nothing,
            argument: None,
        };
        for (verdict, kind, failures) in [
            (proved.clone(), Kind::Cover, 1),
            (Verdict::Violated { depth: 3, loop_start: None }, Kind::Cover, 0),
            (proved, Kind::Assert, 0),
            (Verdict::Violated { depth: 3, loop_start: None }, Kind::Assert, 1),
        ] {
            let report = PropertyReport {
                index: 0,
                id: pedra_model::property::Property::Bad(0),
                name: None,
                verdict,
                engine: "pdr".to_owned(),
                time: Duration::ZERO,
                files: Vec::new(),
                invariants: Vec::new(),
                story: Story::default(),
            };
            let (places, stated) = (BTreeMap::new(), [Stated { kind, place: None }]);
            let told = Told { done: &[report], places: &places, stated: &stated };
            let (title, model, expects_violation) = ("a.sv", "a.sv", false);
            let (failure, code, time) = (None, 0, Duration::ZERO);
            let summary = Summary { title, model, expects_violation, told, failure, code, time };
            let text = document(&[summary]);
            assert!(
                text.contains(&format!(r#"tests="1" failures="{failures}" errors="0""#)),
                "{text}"
            );
        }
    }

    #[test]
    fn any_text_is_xml() {
        assert_eq!(escaped("a<b && \"c\" > d"), "a&lt;b &amp;&amp; &quot;c&quot; &gt; d");
        assert_eq!(escaped("\u{0}\u{1b}[31m\u{ffff}é"), "??[31m?é");
    }
}
