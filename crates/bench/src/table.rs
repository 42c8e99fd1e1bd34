//! What the runs say together: who solved what, who was wrong, and how fast.

use crate::contender::Verdict;
use crate::models::Expected;
use crate::run::{Field, Row, Rows};
use std::collections::BTreeSet;
use std::fmt::Write as _;

/// Times below this are noise: ratios take them as this long.
const SHORTEST_SECONDS: f64 = 0.01;

/// How many models a list names.
const LISTED: usize = 20;

/// The columns that count models.
const COUNTED: [&str; 7] = ["runs", "solved", "proved", "violated", "wrong", "failed", "PAR-2 s"];

/// Lines with their cells below each other: the first `names` of them to the left, the others,
/// which are numbers, to the right.
fn aligned(lines: &[Vec<String>], names: usize) -> String {
    let columns = lines.first().map_or(0, Vec::len);
    let width = |column: usize| {
        lines.iter().map(|line| line[column].chars().count()).max().unwrap_or_default()
    };
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let mut text = String::new();
    for line in lines {
        for (column, (cell, width)) in line.iter().zip(&widths).enumerate() {
            let gap = if column == 0 { "" } else { "  " };
            let _ = match column < names {
                true => write!(text, "{gap}{cell:<width$}"),
                false => write!(text, "{gap}{cell:>width$}"),
            };
        }
        text.push('\n');
    }
    text
}

/// All results, judged.
pub struct Summary<'a> {
    field: &'a Field<'a>,
    rows: &'a Rows,
    /// For each model, whether each contender's answer is wrong.
    wrong: Vec<Vec<bool>>,
    /// The models on which answers, or answers and what was known, differ.
    conflicts: Vec<usize>,
}

impl<'a> Summary<'a> {
    /// Judges results. An answer is wrong if it is not the known one, or if a checked answer of
    /// ours says otherwise; answers of two others may differ without it being known who is wrong.
    pub fn of(field: &'a Field<'a>, rows: &'a Rows) -> Summary<'a> {
        let mut wrong = Vec::new();
        let mut conflicts = Vec::new();
        for (number, model) in field.models.iter().enumerate() {
            let verdicts: Vec<Option<Verdict>> = (0..field.contenders.len())
                .map(|c| rows.get(&(number, c)).map(|r| r.verdict).filter(|v| v.is_decided()))
                .collect();
            let known = match model.expected {
                Expected::Safe => Some(Verdict::Proved),
                Expected::Unsafe => Some(Verdict::Violated),
                Expected::Unknown => None,
            };
            let ours = verdicts.iter().zip(field.contenders).filter(|(_, c)| c.is_ours());
            let truths: Vec<Verdict> = ours.filter_map(|(v, _)| *v).chain(known).collect();
            let is_wrong = |v: &Option<Verdict>| v.is_some_and(|v| truths.iter().any(|&t| t != v));
            wrong.push(verdicts.iter().map(is_wrong).collect());
            let mut said = verdicts.iter().flatten().chain(&known);
            let first = said.next();
            if said.any(|v| Some(v) != first) {
                conflicts.push(number);
            }
        }
        Summary { field, rows, wrong, conflicts }
    }

    /// Whether some answer is wrong, or two differ.
    pub fn has_conflict(&self) -> bool {
        !self.conflicts.is_empty()
    }

    /// CPU seconds if the contender has solved the model: with an answer that is not wrong.
    pub fn solved(&self, model: usize, contender: usize) -> Option<f64> {
        let row = self.rows.get(&(model, contender))?;
        (row.verdict.is_decided() && !self.wrong[model][contender]).then_some(row.cpu)
    }

    /// Whether the contender was run on the model.
    pub fn was_run(&self, model: usize, contender: usize) -> bool {
        self.rows.contains_key(&(model, contender))
    }

    fn models(&self) -> std::ops::Range<usize> {
        0..self.field.models.len()
    }

    fn rows_of(&self, contender: usize) -> impl Iterator<Item = (usize, &Row)> {
        self.models().filter_map(move |m| Some((m, self.rows.get(&(m, contender))?)))
    }

    /// Of a contender's CPU time to that of the first, on the models that both solved: the
    /// geometric mean, and how many models there are.
    fn ratio(&self, contender: usize) -> (f64, usize) {
        let both = self.models().filter_map(|m| {
            let (first, other) = (self.solved(m, 0)?, self.solved(m, contender)?);
            Some((other.max(SHORTEST_SECONDS) / first.max(SHORTEST_SECONDS)).ln())
        });
        let logs: Vec<f64> = both.collect();
        ((logs.iter().sum::<f64>() / logs.len().max(1) as f64).exp(), logs.len())
    }

    /// The columns of a contender's line that count: `COUNTED` names them.
    fn scores(&self, contender: usize, of: &dyn Fn(usize) -> bool) -> Vec<String> {
        let limit = self.field.limits.cpu as f64;
        let rows: Vec<(usize, &Row)> = self.rows_of(contender).filter(|(m, _)| of(*m)).collect();
        let count =
            |test: &dyn Fn(usize, &Row) -> bool| rows.iter().filter(|(m, r)| test(*m, r)).count();
        let solved = |m: usize, v| self.solved(m, contender).is_some() && v;
        let proved = count(&|m, r| solved(m, r.verdict == Verdict::Proved));
        let violated = count(&|m, r| solved(m, r.verdict == Verdict::Violated));
        let wrong = count(&|m, _| self.wrong[m][contender]);
        let failed = count(&|_, r| r.verdict == Verdict::Failed);
        let seconds = rows.iter().map(|(m, _)| self.solved(*m, contender).unwrap_or(2.0 * limit));
        // No runs are `0.0`: the sum of nothing is a negative zero.
        let par2 = seconds.sum::<f64>() + 0.0;
        let counts = [rows.len(), proved + violated, proved, violated, wrong, failed];
        counts.iter().map(|n| n.to_string()).chain([format!("{par2:.1}")]).collect()
    }

    /// The line of a contender.
    fn cells(&self, contender: usize) -> Vec<String> {
        let (ratio, common) = self.ratio(contender);
        let ratio = if common == 0 { "-".to_owned() } else { format!("{ratio:.2} ({common})") };
        let mut memory: Vec<f64> = self.rows_of(contender).map(|(_, r)| r.megabytes).collect();
        memory.sort_by(f64::total_cmp);
        let median = memory.get(memory.len() / 2).copied().unwrap_or(0.0);
        let most = memory.last().copied().unwrap_or(0.0);
        let mut cells = vec![self.field.contenders[contender].name.clone()];
        cells.extend(self.scores(contender, &|_| true));
        cells.extend([ratio, format!("{median:.0}"), format!("{most:.0}")]);
        cells
    }

    /// The tables and the lists below them.
    pub fn text(&self) -> String {
        let more = ["CPU ratio", "median MB", "max MB"];
        let head = [&["contender"][..], &COUNTED, &more].concat();
        let mut lines = vec![head.iter().map(|&cell| cell.to_owned()).collect()];
        lines.extend((0..self.field.contenders.len()).map(|c| self.cells(c)));
        let mut text = aligned(&lines, 1);
        self.list_categories(&mut text);
        self.list_unique(&mut text);
        self.list_conflicts(&mut text);
        text
    }

    /// The counts again for each category, if there is more than one.
    fn list_categories(&self, text: &mut String) {
        let categories: BTreeSet<&str> =
            self.field.models.iter().map(|m| m.category.as_str()).collect();
        if categories.len() < 2 {
            return;
        }
        let head = [&["category", "contender"][..], &COUNTED].concat();
        let mut lines = vec![head.iter().map(|&cell| cell.to_owned()).collect::<Vec<String>>()];
        for category in categories {
            for (number, contender) in self.field.contenders.iter().enumerate() {
                let of = |m: usize| self.field.models[m].category == category;
                let shown = if category.is_empty() { "-" } else { category };
                let names = [shown.to_owned(), contender.name.clone()];
                lines.push(names.into_iter().chain(self.scores(number, &of)).collect());
            }
        }
        text.push('\n');
        text.push_str(&aligned(&lines, 2));
    }

    /// The models that only one contender solved, of those that all were run on.
    fn list_unique(&self, text: &mut String) {
        let contenders = 0..self.field.contenders.len();
        if contenders.len() < 2 {
            return;
        }
        for contender in contenders.clone() {
            let only = |m: &usize| {
                contenders.clone().all(|c| {
                    self.was_run(*m, c) && self.solved(*m, c).is_some() == (c == contender)
                })
            };
            let models: Vec<usize> = self.models().filter(only).collect();
            if models.is_empty() {
                continue;
            }
            let name = &self.field.contenders[contender].name;
            let _ = writeln!(text, "\nonly {name} solved {}:", models.len());
            for &model in models.iter().take(LISTED) {
                let _ = writeln!(text, "  {}", self.field.models[model].name);
            }
            if models.len() > LISTED {
                let _ = writeln!(text, "  and {} more", models.len() - LISTED);
            }
        }
    }

    /// The models with answers that differ, all of them.
    fn list_conflicts(&self, text: &mut String) {
        if self.conflicts.is_empty() {
            return;
        }
        let _ = writeln!(text, "\nanswers differ on {}:", self.conflicts.len());
        for &number in &self.conflicts {
            let model = &self.field.models[number];
            let _ = write!(text, "  {}: expected {}", model.name, model.expected.text());
            for (contender, who) in self.field.contenders.iter().enumerate() {
                let Some(row) = self.rows.get(&(number, contender)) else { continue };
                let mark = if self.wrong[number][contender] { " (wrong)" } else { "" };
                let _ = write!(text, ", {} {}{mark}", who.name, row.verdict.text());
            }
            text.push('\n');
        }
    }
}
