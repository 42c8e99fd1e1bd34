//! The queries of real runs, once more: `cargo run --release -p pedra-solve --example lia_replay
//! [ours] FOLDER…`.
//!
//! A folder is what `pedra check PROGRAM --queries FOLDER` wrote. With `ours` the scripts go to
//! the present solver, which is compared with the one that wrote them. Without it they go to `z3`
//! on the path: all scripts of a folder to one process, with a reset in between, and its processor
//! time includes reading the text. Prints for each folder the questions, the recorded time and
//! the new one, and every disagreement. A question that one of the two does not settle is counted,
//! not compared.

#[path = "../tests/common/cpu.rs"]
mod cpu;
#[path = "../tests/common/lia_script.rs"]
mod lia_script;
#[path = "../tests/common/z3.rs"]
mod z3;

use lia_script::Script;
use std::io::Write;
use std::path::{Path, PathBuf};
use z3::Z3;

/// Milliseconds of Z3 for one question.
const LIMIT: u32 = 10_000;

/// A script without a torn last line, and the answers in it with their times.
struct Recorded {
    path: PathBuf,
    text: String,
    said: Vec<(String, f64)>,
}

fn read(path: PathBuf) -> std::io::Result<Recorded> {
    let text = std::fs::read_to_string(&path)?;
    let whole = text.rfind("\n; ").and_then(|at| text[at + 1..].find('\n').map(|end| at + 1 + end));
    let text = text[..whole.map_or(0, |end| end + 1)].to_owned();
    let said = text.lines().filter_map(|line| {
        let (answer, seconds) = line.strip_prefix("; ")?.split_once(' ')?;
        Some((answer.to_owned(), seconds.parse().ok()?))
    });
    let said = said.collect();
    Ok(Recorded { path, text, said })
}

/// The answers of Z3 to each script, and its processor time.
fn with_z3(scripts: &[Recorded]) -> std::io::Result<(Vec<Vec<String>>, f64)> {
    let mut z3 = Z3::start(&[&format!("-t:{LIMIT}")])?;
    let start = z3.seconds();
    let mut answers = Vec::new();
    for script in scripts {
        // Answers are read while Z3 works; a pipe holds only so much.
        let text = format!("{}(echo \"end\")\n(reset)\n", script.text);
        let mut input = z3.input.take().expect("it is back");
        let writer = std::thread::spawn(move || -> std::io::Result<_> {
            input.write_all(text.as_bytes())?;
            Ok(input)
        });
        let mut of_script = Vec::new();
        loop {
            let line = z3.line()?;
            if line.is_empty() || line == "end" {
                break;
            }
            of_script.push(line);
        }
        answers.push(of_script);
        z3.input = Some(writer.join().expect("the writer does not panic")?);
    }
    let time = z3.seconds() - start;
    Ok((answers, time))
}

/// The answers of our solver, and its time.
fn ours(scripts: &[Recorded]) -> (Vec<Vec<String>>, f64) {
    let mut time = 0.0;
    let answers = scripts.iter().map(|script| {
        let answers = Script::new().run(&script.text);
        time += answers.iter().map(|(_, spent)| spent.as_secs_f64()).sum::<f64>();
        answers.iter().map(|(answer, _)| format!("{answer:?}").to_lowercase()).collect()
    });
    (answers.collect(), time)
}

#[derive(Default)]
struct Sum {
    questions: usize,
    unsat: usize,
    unknown: [usize; 2],
    differ: usize,
    recorded: f64,
    again: f64,
}

impl Sum {
    fn add(&mut self, other: &Sum) {
        self.questions += other.questions;
        self.unsat += other.unsat;
        self.unknown[0] += other.unknown[0];
        self.unknown[1] += other.unknown[1];
        self.differ += other.differ;
        self.recorded += other.recorded;
        self.again += other.again;
    }

    fn ratio(&self) -> f64 {
        self.again / self.recorded
    }

    fn print(&self, name: &str) -> std::io::Result<()> {
        let Sum { questions, unsat, unknown: [a, b], differ, recorded, again } = self;
        let ratio = self.ratio();
        writeln!(
            std::io::stdout(),
            "{name}\t{questions}\t{unsat}\t{recorded:.3}\t{again:.3}\t{ratio:.2}\t{a}, {b}\t{differ}"
        )
    }
}

fn replay(folder: &Path, is_ours: bool) -> std::io::Result<Sum> {
    let mut paths: Vec<PathBuf> = std::fs::read_dir(folder)?
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<Result<_, _>>()?;
    paths.sort();
    let scripts: Vec<Recorded> = paths.into_iter().map(read).collect::<Result<_, _>>()?;
    let (answers, again) = if is_ours { ours(&scripts) } else { with_z3(&scripts)? };
    let mut sum = Sum { again, ..Sum::default() };
    for (script, answers) in scripts.iter().zip(answers) {
        assert_eq!(answers.len(), script.said.len(), "answers to {}", script.path.display());
        for ((recorded, seconds), again) in script.said.iter().zip(answers) {
            sum.questions += 1;
            sum.unsat += (recorded == "unsat") as usize;
            sum.recorded += seconds;
            let unknown = [recorded, &again].map(|it| it == "unknown" || it == "timeout");
            sum.unknown.iter_mut().zip(unknown).for_each(|(count, is)| *count += is as usize);
            if unknown == [false, false] && *recorded != again {
                sum.differ += 1;
                let (path, at) = (script.path.display(), sum.questions);
                writeln!(std::io::stdout(), "{path}: question {at}: {recorded}, now {again}")?;
            }
        }
    }
    Ok(sum)
}

fn main() -> std::io::Result<()> {
    let mut out = std::io::stdout();
    let mut folders: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    let is_ours = folders.first().is_some_and(|first| first == Path::new("ours"));
    folders.drain(..is_ours as usize);
    writeln!(out, "folder\tquestions\tunsat\trecorded s\tagain s\tratio\tunknown\tdiffer")?;
    let (mut all, mut ratios) = (Sum::default(), Vec::new());
    for folder in folders {
        let sum = replay(&folder, is_ours)?;
        if sum.questions > 0 {
            sum.print(&folder.display().to_string())?;
            ratios.push(sum.ratio());
            all.add(&sum);
        }
    }
    all.print("all")?;
    ratios.sort_by(f64::total_cmp);
    let median = ratios.get(ratios.len() / 2).copied().unwrap_or(f64::NAN);
    let slower = ratios.iter().filter(|&&ratio| ratio > 1.0).count();
    writeln!(
        out,
        "{} runs, {slower} of them slower than recorded; median {median:.2}",
        ratios.len()
    )
}
