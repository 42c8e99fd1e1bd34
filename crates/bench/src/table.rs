//! What the runs say together: who solved what, who was wrong, and how fast.

use crate::contender::Verdict;
use crate::models::Expected;
use crate::run::{Field, Row, Rows};
use std::fmt::Write as _;

/// Times below this are noise: ratios take them as this long.
const SHORTEST_SECONDS: f64 = 0.01;

/// How many models a list names.
const LISTED: usize = 20;

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

    /// The line of a contender.
    fn cells(&self, contender: usize) -> Vec<String> {
        let limit = self.field.limits.cpu as f64;
        let rows: Vec<(usize, &Row)> = self.rows_of(contender).collect();
        let count =
            |test: &dyn Fn(usize, &Row) -> bool| rows.iter().filter(|(m, r)| test(*m, r)).count();
        let solved = |m: usize, v| self.solved(m, contender).is_some() && v;
        let proved = count(&|m, r| solved(m, r.verdict == Verdict::Proved));
        let violated = count(&|m, r| solved(m, r.verdict == Verdict::Violated));
        let wrong = count(&|m, _| self.wrong[m][contender]);
        let failed = count(&|_, r| r.verdict == Verdict::Failed);
        let par2: f64 =
            rows.iter().map(|(m, _)| self.solved(*m, contender).unwrap_or(2.0 * limit)).sum();
        let (ratio, common) = self.ratio(contender);
        let ratio = if common == 0 { "-".to_owned() } else { format!("{ratio:.2} ({common})") };
        let mut memory: Vec<f64> = rows.iter().map(|(_, r)| r.megabytes).collect();
        memory.sort_by(f64::total_cmp);
        let median = memory.get(memory.len() / 2).copied().unwrap_or(0.0);
        let most = memory.last().copied().unwrap_or(0.0);
        let counts = [rows.len(), proved + violated, proved, violated, wrong, failed];
        let mut cells = vec![self.field.contenders[contender].name.clone()];
        cells.extend(counts.map(|n| n.to_string()));
        cells.extend([format!("{par2:.1}"), ratio, format!("{median:.0}"), format!("{most:.0}")]);
        cells
    }

    /// The table and the lists below it.
    pub fn text(&self) -> String {
        let head = [
            "contender",
            "runs",
            "solved",
            "proved",
            "violated",
            "wrong",
            "failed",
            "PAR-2 s",
            "CPU ratio",
            "median MB",
            "max MB",
        ];
        let mut lines = vec![head.map(str::to_owned).to_vec()];
        lines.extend((0..self.field.contenders.len()).map(|c| self.cells(c)));
        let width = |column: usize| {
            lines.iter().map(|l| l[column].chars().count()).max().unwrap_or_default()
        };
        let widths: Vec<usize> = (0..head.len()).map(width).collect();
        let mut text = String::new();
        for line in &lines {
            let _ = write!(text, "{:<1$}", line[0], widths[0]);
            for (cell, width) in line.iter().zip(&widths).skip(1) {
                let _ = write!(text, "  {cell:>width$}");
            }
            text.push('\n');
        }
        self.list_unique(&mut text);
        self.list_conflicts(&mut text);
        text
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
