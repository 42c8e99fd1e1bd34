//! What a value of a trace depends on, step by step back, as a tree for the terminal.

use crate::load::InputError;
use crate::view::wave::value_text;
use pedra_explain::{At, Why};
use pedra_formats::text::printable;
use pedra_formats::vcd::Waves;
use std::collections::HashSet;
use std::fmt::Write as _;

/// Longer trees are cut.
const MAX_LINES: usize = 400;

/// The value that `SIGNAL@STEP` names.
///
/// # Errors
/// If there is no such signal or step.
pub fn find(waves: &Waves, text: &str) -> Result<At, InputError> {
    let wrong = |what: String| InputError(format!("--why {text}: {what}"));
    let (name, step) = text
        .rsplit_once('@')
        .ok_or_else(|| wrong("write a signal and a step, such as full@4".into()))?;
    let last = waves.steps.saturating_sub(1);
    let step = step.parse().ok().filter(|step| *step <= last);
    let step = step.ok_or_else(|| wrong(format!("the steps are 0 to {last}")))?;
    let exact = waves.signals.iter().position(|signal| signal.name == name);
    let end = |signal: &str| signal.rsplit('.').next() == Some(name);
    let signal = exact.or_else(|| waves.signals.iter().position(|signal| end(&signal.name)));
    let signal = signal.ok_or_else(|| wrong(format!("there is no signal `{name}`")))?;
    Ok(At { signal, step })
}

/// The tree of reasons. What was shown before is not shown again.
pub fn tree(waves: &Waves, why: &Why<'_>, root: At) -> String {
    let mut text = String::new();
    let mut seen: HashSet<At> = HashSet::new();
    // Each with the lines to its left, and whether it is the last one there.
    let mut open: Vec<(At, String, Option<bool>)> = vec![(root, String::new(), None)];
    let mut lines = 0;
    while let Some((at, left, is_last)) = open.pop() {
        if lines == MAX_LINES {
            let _ = writeln!(text, "… and more; ask about one of these");
            break;
        }
        lines += 1;
        let signal = &waves.signals[at.signal];
        let (branch, below) = match is_last {
            None => ("", ""),
            Some(true) => ("└ ", "  "),
            Some(false) => ("├ ", "│ "),
        };
        let value = value_text(&signal.values[at.step]);
        let name = printable(&signal.name);
        let _ = write!(text, "{left}{branch}{name}@{} = {value}", at.step);
        if !seen.insert(at) {
            text.push_str("  (above)\n");
            continue;
        }
        text.push('\n');
        let causes = why.causes(at);
        let count = causes.len();
        for (place, cause) in causes.into_iter().enumerate().rev() {
            open.push((cause, format!("{left}{below}"), Some(place + 1 == count)));
        }
    }
    text
}
