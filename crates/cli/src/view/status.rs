//! The live status on the terminal: a line for the run, with its threads and how many properties
//! are decided, and one for each engine; redrawn in place, gone at the end.

use crate::commands::columns;
use crate::output::{close_status, draw_status};
use pedra_engines::{Event, Progress};
use std::fmt::Write as _;
use std::io::{self, IsTerminal};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

const REDRAW_EVERY: Duration = Duration::from_millis(150);

/// What an engine last said.
struct Line {
    name: &'static str,
    progress: Progress,
}

/// What the first line says.
#[derive(Default)]
pub struct Head {
    /// The engine that was asked for.
    pub engine: &'static str,
    /// How many threads engines use.
    pub threads: usize,
    /// How many properties there are.
    pub properties: usize,
    decided: AtomicUsize,
    violated: AtomicUsize,
}

impl Head {
    /// Of a run in which nothing is decided yet.
    pub fn new(engine: &'static str, threads: usize, properties: usize) -> Head {
        Head { engine, threads, properties, ..Head::default() }
    }

    /// A property was decided.
    pub fn count(&self, is_violated: bool) {
        self.decided.fetch_add(1, Ordering::Relaxed);
        self.violated.fetch_add(usize::from(is_violated), Ordering::Relaxed);
    }

    /// The line.
    pub fn text(&self) -> String {
        let threads = if self.threads == 1 { "thread" } else { "threads" };
        let mut text = format!("{}, {} {threads}", self.engine, self.threads);
        if self.properties > 1 {
            let [decided, violated] =
                [&self.decided, &self.violated].map(|n| n.load(Ordering::Relaxed));
            let _ = write!(text, ", {decided} of {} properties decided", self.properties);
            if violated > 0 {
                let _ = write!(text, ", {violated} violated");
            }
        }
        text
    }
}

/// The lines of all engines; drawn by a thread of its own while it lives.
pub struct Status {
    head: Arc<Head>,
    lines: Arc<Mutex<Vec<Option<Line>>>>,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Status {
    /// Starts drawing if `wanted` and standard error is a terminal.
    pub fn start(wanted: bool, head: Head) -> Status {
        let head = Arc::new(head);
        let lines: Arc<Mutex<Vec<Option<Line>>>> = Arc::default();
        let stop = Arc::new(AtomicBool::new(false));
        let thread = (wanted && io::stderr().is_terminal()).then(|| {
            let (lines, stop, head) = (lines.clone(), stop.clone(), head.clone());
            thread::Builder::new().spawn(move || draw_until(&head, &lines, &stop)).ok()
        });
        Status { head, lines, stop, thread: thread.flatten() }
    }

    /// What the first line says.
    pub fn head(&self) -> &Head {
        &self.head
    }

    /// Takes note of an engine's event.
    pub fn hear(&self, engine: usize, name: &'static str, event: &Event) {
        let (Event::Depth { progress, .. } | Event::Finished { progress, .. }) = event else {
            return;
        };
        let mut lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        if lines.len() <= engine {
            lines.resize_with(engine + 1, || None);
        }
        lines[engine] = Some(Line { name, progress: *progress });
    }
}

impl Drop for Status {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            // The thread only draws: if it panicked, there is nothing to clean up.
            let _ = thread.join();
        }
    }
}

fn draw_until(head: &Head, lines: &Mutex<Vec<Option<Line>>>, stop: &AtomicBool) {
    let start = Instant::now();
    let mut last_drawn = start;
    let mut firsts: Vec<Option<(u64, Instant)>> = Vec::new();
    loop {
        let stopping = stop.load(Ordering::Relaxed);
        if !stopping && last_drawn.elapsed() < REDRAW_EVERY {
            thread::sleep(Duration::from_millis(20));
            continue;
        }
        if stopping {
            return close_status();
        }
        last_drawn = Instant::now();
        // A line that wraps would take two rows.
        let width = columns().saturating_sub(1);
        let first = format!("{:>5.1} s  {}", start.elapsed().as_secs_f64(), head.text());
        let mut texts = vec![first.chars().take(width).collect()];
        {
            let lines = lines.lock().unwrap_or_else(PoisonError::into_inner);
            firsts.resize(lines.len(), None);
            for (line, first) in lines.iter().zip(&mut firsts) {
                let Some(line) = line else { continue };
                let first = first.get_or_insert((line.progress.queries, Instant::now()));
                let text = describe(line, first.0, first.1.elapsed(), start.elapsed());
                texts.push(text.chars().take(width).collect());
            }
        }
        draw_status(&texts);
    }
}

/// What an engine does. Engines report now and then, so the rate is the mean over the time since
/// the first report, which had this many queries.
fn describe(line: &Line, first: u64, since: Duration, time: Duration) -> String {
    let Progress { depth, frames, lemmas, obligations, queries, .. } = line.progress;
    let rate = queries.saturating_sub(first) as f64 / since.as_secs_f64().max(0.001);
    let mut text = format!("{:>5.1} s  {:<7} depth {depth}", time.as_secs_f64(), line.name);
    for (name, count) in [("frames", frames), ("lemmas", lemmas), ("obligations", obligations)] {
        if count > 0 {
            let _ = write!(text, ", {name} {count}");
        }
    }
    let _ = write!(text, ", queries {queries} ({rate:.0}/s)");
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_and_rates() {
        let progress = |queries| Progress { depth: 3, queries, ..Progress::default() };
        let text = |name, queries| {
            let line = Line { name, progress: progress(queries) };
            describe(&line, 100, Duration::from_secs(2), Duration::from_secs(5))
        };
        assert_eq!(text("program", 500), "  5.0 s  program depth 3, queries 500 (200/s)");
        assert_eq!(text("bmc", 100), "  5.0 s  bmc     depth 3, queries 100 (0/s)");
    }

    #[test]
    fn the_first_line_counts() {
        let head = Head::new("auto", 2, 500);
        assert_eq!(head.text(), "auto, 2 threads, 0 of 500 properties decided");
        head.count(true);
        head.count(false);
        assert_eq!(head.text(), "auto, 2 threads, 2 of 500 properties decided, 1 violated");
        assert_eq!(Head::new("pdr", 1, 1).text(), "pdr, 1 thread");
    }
}
