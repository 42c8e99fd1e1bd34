//! Limits and signals. A watchdog thread looks at the clock, the memory and the signals; when
//! one strikes it raises the interrupt that every engine and solver listens to, so that the run
//! ends with its partial answer. If the run does not come back in time (it may be inside of a
//! long step that does not listen), the watchdog itself gives the partial answer and exits.

use crate::args::LimitArgs;
use crate::memory;
use nix::sys::resource::{RLIM_INFINITY, Resource, UsageWho, getrlimit, getrusage};
use nix::sys::time::TimeVal;
use pedra_engines::portfolio::Crew;
use pedra_solve::Interrupt;
use pedra_verilog::remove_folders;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGXCPU};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::thread;
use std::time::{Duration, Instant};

/// How often the watchdog looks.
const LOOK_EVERY: Duration = Duration::from_millis(10);

/// How long a run may take to come back after the interrupt was raised.
const GRACE: Duration = Duration::from_millis(600);

/// How long files may take that are made when the search is over. A second signal ends that.
const FILES: Duration = Duration::from_secs(20);

/// How long the partial answer may take after a signal, before the program ends without it.
const LAST_WORDS: Duration = Duration::from_secs(2);

/// Engines are dropped, one by one, when less than an eighth of the memory limit is left: time
/// enough for the others to stay below it. After one was dropped, it has this long to give its
/// memory back before the next one has to go.
const PRESSURE_PART: u64 = 8;
const DROP_EVERY: Duration = Duration::from_millis(500);

/// Why a run was stopped.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum StopCause {
    /// The time limit.
    Timeout,
    /// The memory limit.
    Memory,
    /// The CPU time limit of the system.
    CpuLimit,
    /// Ctrl-C or a signal to end.
    Signal,
}

impl StopCause {
    /// In words, as reports show it.
    pub fn text(self) -> &'static str {
        match self {
            StopCause::Timeout => "time limit reached",
            StopCause::Memory => "memory limit reached",
            StopCause::CpuLimit => "CPU time limit reached",
            StopCause::Signal => "interrupted",
        }
    }
}

/// What the watchdog shares with the run.
#[derive(Clone)]
pub struct Watch {
    interrupt: Interrupt,
    cause: Arc<OnceLock<StopCause>>,
    is_over: Arc<AtomicBool>,
    crew: Arc<Crew>,
}

impl Watch {
    /// Starts the watchdog. `last_words` gives the partial answer and the exit code if the run
    /// does not end by itself in time; it is called at most once, and the process ends with it.
    /// If not even that can be said, the exit code is `unknown`.
    pub fn start(
        limits: &LimitArgs,
        unknown: i32,
        last_words: impl FnOnce(StopCause) -> i32 + Send + 'static,
    ) -> Watch {
        let watch = Watch {
            interrupt: Interrupt::new(),
            cause: Arc::default(),
            is_over: Arc::default(),
            crew: Arc::default(),
        };
        let signal = Arc::new(AtomicUsize::new(0));
        listen(&signal, [SIGINT, SIGTERM, SIGHUP, SIGXCPU]);
        let shared = watch.clone();
        let deadline = limits.timeout.and_then(|t| Instant::now().checked_add(t));
        let (memory, space) = (limits.memory, address_space_limit());
        if memory.is_some() && memory_in_use().is_none() {
            crate::output::note(
                "--memory has no effect: this system does not report how much is in use",
            );
        }
        memory::set_unknown_code(unknown);
        spawn(move || {
            memory::become_watchdog();
            let mut last_drop = None;
            let cause = loop {
                thread::sleep(LOOK_EVERY);
                relieve(&shared.crew, memory, &mut last_drop);
                match signal.load(Ordering::Relaxed) as i32 {
                    0 => {}
                    SIGXCPU => break StopCause::CpuLimit,
                    _ => break StopCause::Signal,
                }
                if deadline.is_some_and(|d| Instant::now() >= d) {
                    break StopCause::Timeout;
                }
                if memory.is_some_and(|limit| memory_in_use() > Some(limit))
                    || space.is_some_and(|limit| address_space_in_use() > Some(limit))
                    || memory::is_exhausted()
                {
                    break StopCause::Memory;
                }
            };
            // The cause is known before anybody can see the interrupt.
            let _ = shared.cause.set(cause);
            shared.interrupt.raise();
            thread::sleep(GRACE);
            signal.store(0, Ordering::Relaxed);
            let end = Instant::now() + FILES;
            while shared.is_over.load(Ordering::Relaxed)
                && signal.load(Ordering::Relaxed) == 0
                && Instant::now() < end
            {
                thread::sleep(LOOK_EVERY);
            }
            if cause == StopCause::Signal {
                // Nobody may be reading what is printed.
                spawn(move || {
                    thread::sleep(LAST_WORDS);
                    remove_folders();
                    std::process::exit(unknown);
                });
            }
            let code = last_words(cause);
            crate::output::close_status();
            let _files = crate::output::no_more_files();
            remove_folders();
            std::process::exit(code);
        });
        watch
    }

    /// The token that engines and solvers listen to.
    pub fn interrupt(&self) -> &Interrupt {
        &self.interrupt
    }

    /// Where engines are dropped when memory runs short.
    pub fn crew(&self) -> &Crew {
        &self.crew
    }

    /// Nothing is searched any more, only files are still to be made: that may take longer.
    pub fn search_is_over(&self) {
        self.is_over.store(true, Ordering::Relaxed);
    }

    /// Why the run was stopped, if it was.
    pub fn cause(&self) -> Option<StopCause> {
        self.cause.get().copied()
    }
}

/// Drops an engine if memory runs short: of those beside the first one the one that holds most.
fn relieve(crew: &Crew, limit: Option<u64>, last: &mut Option<Instant>) {
    let is_short = limit.is_some_and(|limit| memory_in_use() > Some(limit - limit / PRESSURE_PART));
    if !is_short || last.is_some_and(|last| last.elapsed() < DROP_EVERY) {
        return;
    }
    let beside = crew.at_work().into_iter().filter(|&engine| engine > 0);
    let Some(engine) = beside.max_by_key(|&engine| memory::held_by(engine)) else { return };
    if let Some(name) = crew.drop_engine(engine) {
        let held = memory::held_by(engine) >> 20;
        crate::output::note(&format!(
            "memory runs short: {name}, which used {held} MB, is dropped"
        ));
        *last = Some(Instant::now());
    }
}

/// Starts a thread; without memory for one the program ends.
fn spawn(body: impl FnOnce() + Send + 'static) {
    memory::make_room_for_thread();
    if thread::Builder::new().spawn(body).is_err() {
        memory::give_up();
    }
}

/// Has signals noted in `signal` instead of ending the program.
fn listen<const N: usize>(signal: &Arc<AtomicUsize>, numbers: [i32; N]) {
    let ignored = ignored_signals();
    for number in numbers {
        // Under `nohup` a hangup is to be ignored.
        if number == SIGHUP && ignored & (1 << (SIGHUP - 1)) != 0 {
            continue;
        }
        let registered = signal_hook::flag::register_usize(number, signal.clone(), number as usize);
        // Without a handler the signal still ends the program, only less politely.
        drop(registered);
    }
}

/// The signals that our parent process has ignored, bit `n − 1` for signal `n`.
fn ignored_signals() -> u64 {
    let Ok(text) = std::fs::read_to_string("/proc/self/status") else { return 0 };
    let line = text.lines().find_map(|l| l.strip_prefix("SigIgn:"));
    line.and_then(|l| u64::from_str_radix(l.trim(), 16).ok()).unwrap_or(0)
}

/// For commands without partial answer: a signal ends the program at once, except that a file
/// that is being written is finished first, so that nothing is left behind.
pub fn exit_on_signal() {
    let signal = Arc::new(AtomicUsize::new(0));
    listen(&signal, [SIGINT, SIGTERM, SIGHUP, SIGXCPU]);
    spawn(move || {
        while signal.load(Ordering::Relaxed) == 0 {
            thread::sleep(LOOK_EVERY);
        }
        let _files = crate::output::no_more_files();
        std::process::exit(3);
    });
}

/// For commands that end by themselves when asked: the signal that came, or 0.
pub fn signal_flag() -> Arc<AtomicUsize> {
    let signal = Arc::new(AtomicUsize::new(0));
    listen(&signal, [SIGINT, SIGTERM, SIGHUP]);
    signal
}

/// How large the address space may grow before we stop, if our parent process has limited it
/// (`ulimit -v`): at the limit itself every allocation fails, which nothing survives.
fn address_space_limit() -> Option<u64> {
    let (limit, _) = getrlimit(Resource::RLIMIT_AS).ok()?;
    (limit != RLIM_INFINITY).then(|| limit - limit / 8)
}

/// A field of `/proc/self/status` that is a size, in bytes; `None` where the system has no such
/// file.
fn status_field(name: &str) -> Option<u64> {
    size_in(&std::fs::read_to_string("/proc/self/status").ok()?, name)
}

/// `VmRSS:      1234 kB`
fn size_in(status: &str, name: &str) -> Option<u64> {
    let line = status.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))?;
    let kilobytes: u64 = line.trim().strip_suffix(" kB")?.trim().parse().ok()?;
    Some(kilobytes * 1024)
}

/// Address space of this process in bytes, where the system tells.
fn address_space_in_use() -> Option<u64> {
    status_field("VmSize")
}

/// Resident memory of this process in bytes, where the system tells.
pub fn memory_in_use() -> Option<u64> {
    status_field("VmRSS")
}

/// The most memory that this process has used so far, in bytes; 0 where the system does not
/// tell.
pub fn peak_memory() -> u64 {
    status_field("VmHWM").unwrap_or(0)
}

/// CPU time of this process so far, all threads, in seconds; 0 where the system does not tell.
pub fn cpu_seconds() -> f64 {
    let Ok(usage) = getrusage(UsageWho::RUSAGE_SELF) else { return 0.0 };
    let seconds = |time: TimeVal| time.tv_sec() as f64 + time.tv_usec() as f64 / 1e6;
    seconds(usage.user_time()) + seconds(usage.system_time())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read_where_there_are_any() {
        let status = "Name:\tpedra\nVmSize:\t  123456 kB\nVmRSS:\t     789 kB\n";
        assert_eq!(size_in(status, "VmRSS"), Some(789 * 1024));
        assert_eq!(size_in(status, "VmSize"), Some(123_456 * 1024));
        assert_eq!(size_in(status, "VmHWM"), None);
        assert_eq!(size_in("VmRSS:\tmuch\n", "VmRSS"), None);
    }

    #[test]
    fn time_passes() {
        let before = cpu_seconds();
        let mut sum = 0u64;
        while cpu_seconds() <= before {
            sum = std::hint::black_box(sum.wrapping_add(1));
        }
        assert!(cpu_seconds() > before);
    }
}
