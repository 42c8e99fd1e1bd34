//! One run under limits, measured from outside, in the same way for all contenders.
//!
//! The system tells CPU time and peak memory of *all* children that a process has waited for, as
//! a sum and a maximum. So each run gets a process of its own in between: this program starts
//! itself as a helper (`pedra @measure …`), the helper limits itself, starts the contender,
//! which inherits the limits, waits, and asks for the usage of its one child. That is exact to
//! the microsecond and needs no `unsafe`. It also keeps our own size out of the peak: a child
//! counts the memory of the process that started it until it is replaced by its own program,
//! and the helper is small while the bench itself may have converted a large model. A run that
//! needs less than the helper, some megabytes, still counts as large as the helper.
//!
//! The helper leads a process group, so that it and everything below it can be ended at once.

use crate::error::{Context as _, Error, Result};
use nix::sys::resource::{Resource, UsageWho, getrlimit, getrusage, setrlimit};
use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;
use std::ffi::{OsStr, OsString};
use std::io::Read;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// The word that makes the program a helper.
const HELPER: &str = "@measure";

/// How the helper's own line on standard error starts.
const REPORT: &str = "@measured";

/// After the soft limit on CPU time, at which a run may still give its partial answer.
const GRACE_SECONDS: u64 = 5;

/// Of what a contender prints, so much at the end is kept.
const KEPT_BYTES: usize = 1 << 22;

/// What to start.
pub struct Invocation {
    /// The program and its arguments.
    pub words: Vec<OsString>,
    /// The folder to start it in, if not ours.
    pub folder: Option<PathBuf>,
    /// A limit on its address space, if the program does not limit itself.
    pub address_space: Option<u64>,
}

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ended {
    /// By itself, with an exit code.
    Code(i32),
    /// By a signal.
    Signal(i32),
    /// It used neither its CPU time nor came to an end.
    Stuck,
    /// It could not be started or measured.
    Broken(String),
}

/// A run that is over.
pub struct Measured {
    /// How it ended.
    pub ended: Ended,
    /// What it printed on standard output.
    pub stdout: String,
    /// What it printed on standard error.
    pub stderr: String,
    /// CPU time of all its processes and threads, in seconds.
    pub cpu: f64,
    /// The most memory that it used, in bytes.
    pub memory: u64,
    /// Time that went by, in seconds.
    pub wall: f64,
}

/// Runs something under a limit of CPU time. Nothing if a signal came, which ends the run.
pub fn measure(
    invocation: &Invocation,
    cpu: u64,
    signal: &AtomicUsize,
) -> Result<Option<Measured>> {
    let space = invocation.address_space.unwrap_or(0);
    let mut command = Command::new(std::env::current_exe().context("this program's own file")?);
    command
        .arg(HELPER)
        .args([cpu.to_string(), space.to_string()])
        .args(&invocation.words)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .process_group(0);
    if let Some(folder) = &invocation.folder {
        command.current_dir(folder);
    }
    let start = Instant::now();
    let mut child = command.spawn().context("the measuring helper cannot be started")?;
    let out = child.stdout.take().map(|pipe| thread::spawn(|| read_tail(pipe)));
    let err = child.stderr.take().map(|pipe| thread::spawn(|| read_tail(pipe)));
    let finished = wait(&mut child, start, cpu, signal)?;
    let text = |reader: Option<thread::JoinHandle<String>>| {
        reader.and_then(|thread| thread.join().ok()).unwrap_or_default()
    };
    let (stdout, stderr) = (text(out), text(err));
    let wall = start.elapsed().as_secs_f64();
    let result = |ended, stderr, cpu, memory| Measured { ended, stdout, stderr, cpu, memory, wall };
    Ok(match finished {
        Finished::Interrupted => None,
        Finished::Stuck => Some(result(Ended::Stuck, stderr, cpu as f64, 0)),
        Finished::ByItself => Some(match split_report(&stderr) {
            Some((rest, report)) => {
                result(report.ended, rest.to_owned(), report.cpu, report.memory)
            }
            None => {
                let why = stderr.lines().last().unwrap_or("the helper died").to_owned();
                result(Ended::Broken(why), stderr, 0.0, 0)
            }
        }),
    })
}

enum Finished {
    ByItself,
    Stuck,
    Interrupted,
}

/// Waits for the helper, or ends it and all that it has started.
fn wait(child: &mut Child, start: Instant, cpu: u64, signal: &AtomicUsize) -> Result<Finished> {
    // On a busy machine CPU time takes its time; sleeping for good uses none.
    let deadline = start + Duration::from_secs(60 + 20 * cpu.min(1 << 32));
    let mut pause = Duration::from_millis(1);
    loop {
        if child.try_wait().context("waiting for a run")?.is_some() {
            return Ok(Finished::ByItself);
        }
        let interrupted = signal.load(Ordering::Relaxed) != 0;
        if interrupted || Instant::now() >= deadline {
            // The helper is not reaped yet, so the group's number is still its own.
            let _ = killpg(Pid::from_raw(child.id() as i32), Signal::SIGKILL);
            child.wait().context("ending a run")?;
            return Ok(if interrupted { Finished::Interrupted } else { Finished::Stuck });
        }
        thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(10));
    }
}

/// All that comes through a pipe, or its end if it is much.
fn read_tail(mut pipe: impl Read) -> String {
    let mut kept = Vec::new();
    let mut chunk = vec![0; 1 << 16];
    while let Ok(count @ 1..) = pipe.read(&mut chunk) {
        kept.extend_from_slice(&chunk[..count]);
        if kept.len() > 2 * KEPT_BYTES {
            kept.drain(..kept.len() - KEPT_BYTES);
        }
    }
    String::from_utf8_lossy(&kept).into_owned()
}

struct Report {
    ended: Ended,
    cpu: f64,
    memory: u64,
}

/// Takes the helper's line off the end of what the run printed.
fn split_report(stderr: &str) -> Option<(&str, Report)> {
    let (rest, line) = stderr.trim_end().rsplit_once('\n').unwrap_or(("", stderr.trim_end()));
    let mut words = line.strip_prefix(REPORT)?.split_whitespace();
    let cpu = words.next()?.parse::<u64>().ok()? as f64 / 1e6;
    let memory = words.next()?.parse().ok()?;
    let (how, number) = (words.next()?, words.next()?.parse().ok()?);
    let ended = if how == "signal" { Ended::Signal(number) } else { Ended::Code(number) };
    Some((rest, Report { ended, cpu, memory }))
}

/// If the arguments ask for it, is the helper: limits itself, runs the rest of the arguments,
/// reports on standard error. The program calls it before it reads its arguments in its own way.
pub fn run_as_helper(mut args: impl Iterator<Item = OsString>) -> Option<Result<i32>> {
    (args.next()? == HELPER).then(|| help(&args.collect::<Vec<_>>()))
}

fn help(args: &[OsString]) -> Result<i32> {
    let [cpu, space, program, rest @ ..] = args else {
        return Err(Error::Input(format!("{HELPER} is for `pedra bench` only")));
    };
    let number = |text: &OsStr| text.to_str().and_then(|t| t.parse::<u64>().ok()).unwrap_or(0);
    let (cpu, space) = (number(cpu), number(space));
    limit(Resource::RLIMIT_CPU, cpu, cpu.saturating_add(GRACE_SECONDS))?;
    // A run that is ended by a signal leaves no file behind.
    limit(Resource::RLIMIT_CORE, 0, 0)?;
    if space > 0 {
        limit(Resource::RLIMIT_AS, space, space)?;
    }
    let name = program.to_string_lossy();
    let status = Command::new(program).args(rest).status();
    let status = status.context(&format!("{name}: cannot be started"))?;
    let usage = getrusage(UsageWho::RUSAGE_CHILDREN).context("the usage of a run")?;
    let micros = |t: nix::sys::time::TimeVal| t.tv_sec() as i128 * 1_000_000 + t.tv_usec() as i128;
    let micros = micros(usage.user_time()) + micros(usage.system_time());
    // Linux counts kilobytes here, macOS bytes.
    let unit = if cfg!(target_os = "macos") { 1 } else { 1024 };
    let bytes = usage.max_rss() as u64 * unit;
    let ended = match status.signal() {
        Some(number) => format!("signal {number}"),
        None => format!("code {}", status.code().unwrap_or(0)),
    };
    // The run may have left a line unfinished.
    eprintln!("\n{REPORT} {micros} {bytes} {ended}");
    Ok(0)
}

/// Lowers a limit; one that is lower already stays.
fn limit(resource: Resource, soft: u64, hard: u64) -> Result<()> {
    let (_, highest) = getrlimit(resource).context("reading a limit")?;
    setrlimit(resource, soft.min(highest), hard.min(highest)).context("setting a limit")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_report_is_the_last_line() {
        let (rest, report) =
            split_report("warning\nmore\n\n@measured 1500000 4096 signal 24\n").expect("a report");
        assert_eq!(rest.trim_end(), "warning\nmore");
        assert_eq!((report.cpu, report.memory), (1.5, 4096));
        assert_eq!(report.ended, Ended::Signal(24));
        assert!(split_report("").is_none());
        assert!(split_report("@measured 1 2 code").is_none());
        assert!(split_report("@measured 1 2 code 0\nlater").is_none());
    }

    #[test]
    fn only_the_end_of_much_output_is_kept() {
        let much = vec![b'x'; 3 * KEPT_BYTES];
        let text = read_tail(much.chain(&b"last"[..]));
        assert!(text.ends_with("xlast") && text.len() <= 2 * KEPT_BYTES);
    }
}
