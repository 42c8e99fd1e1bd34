//! What a run amounts to, for people: frames, lemmas by level, and where the queries went.

use pedra_engines::{Exchanged, Summary};
use std::fmt::Write as _;
use std::time::Duration;

/// Of a long list of levels, this many at each end are shown.
const SHOWN_LEVELS: usize = 10;

/// The lines for an engine that has run for `total`.
pub fn lines(name: &str, summary: &Summary, total: Duration) -> String {
    let in_use: usize = summary.lemmas.iter().sum::<usize>() + summary.invariants;
    let mut text = format!(
        "{name}: {} frames, {in_use} lemmas in use of {} learned",
        summary.lemmas.len() + 1,
        summary.learned
    );
    if in_use > 0 {
        let _ = write!(text, "\n  lemmas by level from 1: {}", levels(&summary.lemmas));
        if summary.invariants > 0 {
            let _ = write!(text, "; at all levels: {}", summary.invariants);
        }
    }
    if summary.work.is_empty() {
        return text;
    }
    let width = summary.work.iter().map(|w| w.purpose.chars().count()).max().unwrap_or(0);
    let _ = write!(text, "\n  {:<width$}  {:>9}  {:>5}  {:>9}", "queries to", "", "held", "time");
    for work in &summary.work {
        let held = match work.held {
            Some(held) => format!("{} %", percent(held as f64, work.queries as f64)),
            None => String::new(),
        };
        let _ = write!(text, "\n  {:<width$}  {:>9}  {held:>5}", work.purpose, work.queries);
        if let Some(time) = work.time {
            let (time, total) = (time.as_secs_f64(), total.as_secs_f64());
            let _ = write!(text, "  {time:>7.2} s  {:>3} %", percent(time, total));
        }
    }
    text
}

/// The line for what an engine has exchanged.
pub fn exchanged(name: &str, exchanged: &Exchanged) -> String {
    let Exchanged { published, seen, known, taken, dropped, .. } = exchanged;
    let Exchanged { runs_published, runs_seen, runs_taken, .. } = exchanged;
    format!(
        "{name}: published {published} lemmas, took {taken} of {seen} from others, {known} known, \
         {dropped} dropped; published {runs_published} runs, took {runs_taken} of {runs_seen}"
    )
}

fn percent(part: f64, whole: f64) -> u64 {
    if whole > 0.0 { (100.0 * part / whole).round() as u64 } else { 0 }
}

/// `3 0 7 12`, with dots for the middle of a long list.
fn levels(lemmas: &[usize]) -> String {
    let words = |part: &[usize]| part.iter().map(usize::to_string).collect::<Vec<_>>().join(" ");
    if lemmas.len() <= 2 * SHOWN_LEVELS + 1 {
        return words(lemmas);
    }
    let (first, last) = (&lemmas[..SHOWN_LEVELS], &lemmas[lemmas.len() - SHOWN_LEVELS..]);
    format!("{} … {}", words(first), words(last))
}

#[cfg(test)]
mod tests {
    use super::*;
    use pedra_engines::Work;

    #[test]
    fn a_summary_has_levels_and_shares() {
        let work = |purpose, held, time| Work { purpose, queries: 40, held, time };
        let summary = Summary {
            lemmas: vec![3, 0, 7],
            invariants: 2,
            learned: 31,
            work: vec![
                work("block", Some(10), Some(Duration::from_millis(500))),
                work("meet initial states", None, None),
            ],
        };
        let text = lines("pdr", &summary, Duration::from_secs(2));
        let expected = "\
pdr: 4 frames, 12 lemmas in use of 31 learned
  lemmas by level from 1: 3 0 7; at all levels: 2
  queries to                       held       time
  block                       40   25 %     0.50 s   25 %
  meet initial states         40       ";
        let trimmed = |text: &str| text.lines().map(str::trim_end).collect::<Vec<_>>().join("\n");
        assert_eq!(trimmed(&text), trimmed(expected));
        assert_eq!(levels(&[1; 30]).matches('1').count(), 2 * SHOWN_LEVELS);
    }
}
