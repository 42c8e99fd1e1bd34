//! All runs, one after the other or a few side by side, and the table that grows with them. A
//! table that is there already is continued: its runs are not repeated.

use crate::Host;
use crate::contender::{Contender, Verdict};
use crate::error::{Context as _, Error, Result};
use crate::measure::measure;
use crate::models::{Expected, Model};
use pedra_formats::text::printable;
use std::collections::BTreeMap;
use std::fs;
use std::io::{IsTerminal, Write as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

const HEADER: &str = "model\tcontender\texpected\tverdict\tdetail\tcpu_s\tmemory_mb\twall_s\
                      \tcpu_limit_s\tmemory_limit_mb";

/// What became of one contender on one model.
#[derive(Clone, Debug)]
pub struct Row {
    /// The verdict.
    pub verdict: Verdict,
    /// A remark: the step of the violation, what went wrong.
    pub detail: String,
    /// CPU seconds.
    pub cpu: f64,
    /// Peak memory in megabytes (10⁶ bytes).
    pub megabytes: f64,
    /// Seconds that went by.
    pub wall: f64,
}

/// Results by model and contender, both as numbers.
pub type Rows = BTreeMap<Place, Row>;

/// The numbers of a model and of a contender.
type Place = (usize, usize);

/// The limits of each run.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct RunLimits {
    /// CPU seconds.
    pub cpu: u64,
    /// Bytes.
    pub memory: u64,
}

impl RunLimits {
    fn cells(self) -> [String; 2] {
        [self.cpu.to_string(), format!("{:.1}", self.memory as f64 / 1e6)]
    }
}

/// What is run.
pub struct Field<'a> {
    /// The models.
    pub models: &'a [Model],
    /// Who takes part.
    pub contenders: &'a [Contender],
    /// Under which limits.
    pub limits: RunLimits,
}

/// The table on disk.
pub struct Table(Option<fs::File>);

impl Table {
    /// Opens or makes the table, and gives the results that it holds already.
    pub fn open(path: Option<&Path>, field: &Field<'_>) -> Result<(Table, Rows)> {
        let Some(path) = path else { return Ok((Table(None), Rows::new())) };
        let wrong = |what: &str| Error::Input(format!("{}: {what}", path.display()));
        let cannot = |e: std::io::Error| wrong(&format!("cannot be written: {e}"));
        // Devices and pipes may have no end, and cannot be continued.
        if fs::metadata(path).is_ok_and(|found| !found.is_file()) {
            return Err(wrong("this is not a file; choose another name for --out"));
        }
        let bytes = match fs::read(path) {
            Ok(bytes) => bytes,
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => Vec::new(),
            Err(e) => return Err(wrong(&format!("cannot be read: {e}"))),
        };
        // A line that was not finished does not count and is cut off.
        let whole = bytes.iter().rposition(|&b| b == b'\n').map_or(0, |at| at + 1);
        let text = String::from_utf8_lossy(&bytes[..whole]);
        let mut lines = text.lines();
        if !bytes.is_empty() && lines.next() != Some(HEADER) {
            return Err(wrong(
                "this is not a table of `pedra bench`; choose another name for --out",
            ));
        }
        let mut rows = Rows::new();
        for line in lines {
            let cells: Vec<&str> = line.split('\t').collect();
            let Some((at, row)) = read_row(&cells, field).map_err(wrong)? else { continue };
            rows.insert(at, row);
        }
        let mut file =
            fs::OpenOptions::new().create(true).append(true).open(path).map_err(cannot)?;
        file.set_len(whole as u64).map_err(cannot)?;
        if whole == 0 {
            writeln!(file, "{HEADER}").map_err(cannot)?;
        }
        Ok((Table(Some(file)), rows))
    }

    /// Adds a line, in one piece.
    fn add(&mut self, line: &str) -> Result<()> {
        let Some(file) = &mut self.0 else { return Ok(()) };
        file.write_all(format!("{line}\n").as_bytes()).context("--out: cannot be written")
    }
}

/// A line of a table; nothing if it is of a model or contender that does not take part now.
fn read_row(cells: &[&str], field: &Field<'_>) -> Result<Option<(Place, Row)>, &'static str> {
    let damaged = "a line is damaged; choose another name for --out";
    let &[model, contender, _, verdict, detail, cpu, megabytes, wall, cpu_limit, memory_limit] =
        cells
    else {
        return Err(damaged);
    };
    let model = field.models.iter().position(|m| m.name == model);
    let contender = field.contenders.iter().position(|c| c.name == contender);
    let (Some(model), Some(contender)) = (model, contender) else { return Ok(None) };
    if field.limits.cells() != [cpu_limit, memory_limit] {
        return Err("it was made with other limits; choose another name for --out");
    }
    let number = |text: &str| text.parse::<f64>().ok().filter(|n| n.is_finite()).ok_or(damaged);
    let row = Row {
        verdict: Verdict::parse(verdict).ok_or(damaged)?,
        detail: detail.to_owned(),
        cpu: number(cpu)?,
        megabytes: number(megabytes)?,
        wall: number(wall)?,
    };
    Ok(Some(((model, contender), row)))
}

fn line(model: &Model, contender: &Contender, row: &Row, limits: RunLimits) -> String {
    let expected = if model.expected == Expected::Unknown { "" } else { model.expected.text() };
    let [cpu_limit, memory_limit] = limits.cells();
    format!(
        "{}\t{}\t{expected}\t{}\t{}\t{:.4}\t{:.1}\t{:.3}\t{cpu_limit}\t{memory_limit}",
        model.name,
        contender.name,
        row.verdict.text(),
        printable(&row.detail),
        row.cpu,
        row.megabytes,
        row.wall
    )
}

/// A folder for files of our own, gone when it is dropped.
struct Scratch(PathBuf);

impl Scratch {
    fn new(number: usize) -> Result<Scratch> {
        let name = format!("pedra-bench-{}-{number}", std::process::id());
        let path = std::env::temp_dir().join(name);
        fs::create_dir(&path).context(&format!("{}: cannot be made", path.display()))?;
        Ok(Scratch(path))
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // If it cannot be removed there is nothing else to do about it.
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// What the threads share.
struct Shared<'a> {
    field: &'a Field<'a>,
    host: &'a dyn Host,
    signal: &'a AtomicUsize,
    /// The runs to do, and the next of them.
    queue: Vec<Place>,
    next: AtomicUsize,
    results: Mutex<(Table, Rows)>,
    done: AtomicUsize,
    start: Instant,
    terminal: bool,
}

/// Does all runs that are not in `rows` yet, until a signal comes. Contenders take turns on each
/// model, so that a machine that gets busier does not favour one of them.
pub fn run_all(
    field: &Field<'_>,
    jobs: usize,
    (table, rows): (Table, Rows),
    signal: &AtomicUsize,
    host: &dyn Host,
) -> Result<Rows> {
    let pairs = (0..field.models.len())
        .flat_map(|model| (0..field.contenders.len()).map(move |contender| (model, contender)));
    let queue: Vec<_> = pairs.filter(|pair| !rows.contains_key(pair)).collect();
    let shared = Shared {
        field,
        host,
        signal,
        queue,
        next: AtomicUsize::new(0),
        results: Mutex::new((table, rows)),
        done: AtomicUsize::new(0),
        start: Instant::now(),
        terminal: std::io::stderr().is_terminal(),
    };
    let outcome: Result<()> = thread::scope(|scope| {
        let workers: Vec<_> = (0..jobs).map(|_| scope.spawn(|| work(&shared))).collect();
        while shared.terminal && workers.iter().any(|worker| !worker.is_finished()) {
            host.draw_status(Some(&bar(&shared)));
            thread::sleep(Duration::from_millis(100));
        }
        let mut ends = workers.into_iter().map(|worker| worker.join());
        ends.try_for_each(|end| end.unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
    });
    host.draw_status(None);
    outcome?;
    let (_, rows) = shared.results.into_inner().unwrap_or_else(PoisonError::into_inner);
    Ok(rows)
}

/// Takes runs from the queue until it is empty.
fn work(shared: &Shared<'_>) -> Result<()> {
    while shared.signal.load(Ordering::Relaxed) == 0 {
        let number = shared.next.fetch_add(1, Ordering::Relaxed);
        let Some(&(model, contender)) = shared.queue.get(number) else { break };
        let (m, c) = (&shared.field.models[model], &shared.field.contenders[contender]);
        let scratch = Scratch::new(number)?;
        let Some(row) = run_one(shared, m, c, &scratch.0)? else { break };
        let mut results = shared.results.lock().unwrap_or_else(PoisonError::into_inner);
        results.0.add(&line(m, c, &row, shared.field.limits))?;
        let done = shared.done.fetch_add(1, Ordering::Relaxed) + 1;
        if !shared.terminal {
            let total = shared.queue.len();
            let (verdict, cpu) = (row.verdict.text(), row.cpu);
            let text = format!("{done}/{total} {}  {}  {verdict}  {cpu:.2} s", m.name, c.name);
            shared.host.note(&text);
        }
        results.1.insert((model, contender), row);
    }
    Ok(())
}

/// One contender on one model; nothing if a signal came.
fn run_one(
    shared: &Shared<'_>,
    model: &Model,
    contender: &Contender,
    scratch: &Path,
) -> Result<Option<Row>> {
    let RunLimits { cpu, memory } = shared.field.limits;
    let invocation = match contender.invocation(model, memory, scratch, shared.host) {
        Ok(invocation) => invocation,
        Err(why) => {
            let detail = why.lines().next().unwrap_or_default().to_owned();
            let verdict = Verdict::Failed;
            return Ok(Some(Row { verdict, detail, cpu: 0.0, megabytes: 0.0, wall: 0.0 }));
        }
    };
    let Some(run) = measure(&invocation, cpu, shared.signal)? else { return Ok(None) };
    let (verdict, detail, cpu) = contender.judge(model, &run, cpu);
    // As the file has it, so that a table made from the file alone is the same one.
    let megabytes = (run.memory as f64 / 1e5).round() / 10.0;
    let cpu = (cpu * 1e4).round() / 1e4;
    Ok(Some(Row { verdict, detail, cpu, megabytes, wall: run.wall }))
}

/// The line on the terminal: a bar, how far, how long still, what runs now.
fn bar(shared: &Shared<'_>) -> String {
    let (done, total) = (shared.done.load(Ordering::Relaxed), shared.queue.len());
    let elapsed = shared.start.elapsed();
    let left = match done {
        0 => "?".to_owned(),
        _ => clock(elapsed.mul_f64((total - done) as f64 / done as f64)),
    };
    let filled = 20 * done / total.max(1);
    let now = shared.next.load(Ordering::Relaxed).saturating_sub(1);
    let now = shared.queue.get(now).map_or("", |&(model, _)| &shared.field.models[model].name);
    format!(
        "[{}{}] {done}/{total}, {} gone, {left} left  {now}",
        "#".repeat(filled),
        "-".repeat(20 - filled),
        clock(elapsed)
    )
}

fn clock(time: Duration) -> String {
    let seconds = time.as_secs();
    match seconds {
        0..60 => format!("{seconds}s"),
        60..3600 => format!("{}m{:02}s", seconds / 60, seconds % 60),
        _ => format!("{}h{:02}m", seconds / 3600, seconds / 60 % 60),
    }
}
