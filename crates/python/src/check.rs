//! Checks: engines on a thread of their own, and what they tell on the caller's.

use crate::answer::{Answer, Evidence};
use crate::model::{Input, InternalError, Model, input_error};
use pedra::args::{CheckArgs, Cli, Command};
use pedra::commands::check::plan_of;
use pedra::commands::program::with_properties;
use pedra_check::{
    Checked, InternalError as CheckFailed, Observer, Open, Plan, ProgramChecked, ProgramObserver,
    ProgramOpen, SafeUpTo, decide, decide_program,
};
use pedra_engines::Event;
use pedra_program::Program;
use pedra_solve::Interrupt;
use pyo3::prelude::*;
use std::ffi::OsString;
use std::path::Path;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

/// How often signals and the time limit are looked at.
const LOOK_EVERY: Duration = Duration::from_millis(100);

/// What the program `pedra check` would make of these words.
pub fn arguments(path: &Path, words: &[String]) -> PyResult<Box<CheckArgs>> {
    let first = ["pedra", "check"].map(OsString::from).into_iter();
    let words = first.chain(words.iter().map(OsString::from));
    let all = words.chain([OsString::from("--"), path.into()]);
    match Cli::read(all) {
        Ok(Cli { command: Command::Check(args) }) => Ok(args),
        Ok(_) => unreachable!("the command is `check`"),
        Err(error) => {
            let text = error.to_string();
            let line = text.lines().next().unwrap_or_default();
            Err(input_error(line.strip_prefix("error: ").unwrap_or(line)))
        }
    }
}

/// What the thread of the engines tells.
enum Told {
    /// An engine goes deeper.
    Depth { engine: &'static str, depth: usize, lemmas: usize, queries: u64, conflicts: u64 },
    /// A property has an answer, or will have none.
    Settled(Answer),
}

/// Hears what happens, and passes it on.
struct Listener {
    sender: Mutex<mpsc::Sender<Told>>,
    input: Arc<Input>,
    /// The program with the checks that are decided, if it is one.
    program: Option<Arc<Program>>,
    plan: Plan,
    start: Instant,
    /// Why the run was stopped.
    cause: Arc<OnceLock<&'static str>>,
    wants_progress: bool,
}

impl Listener {
    fn send(&self, told: Told) {
        // The caller listens until all is said.
        let _ = self.sender.lock().unwrap_or_else(PoisonError::into_inner).send(told);
    }

    fn progress(&self, engine: &'static str, event: &Event) {
        if let (Event::Depth { depth, progress }, true) = (event, self.wants_progress) {
            let (depth, lemmas) = (*depth, progress.lemmas);
            let (queries, conflicts) = (progress.queries, progress.conflicts);
            self.send(Told::Depth { engine, depth, lemmas, queries, conflicts });
        }
    }

    fn settle(&self, index: usize, engine: &str, evidence: Evidence) {
        let (input, program) = (self.input.clone(), self.program.clone());
        let seconds = self.start.elapsed().as_secs_f64();
        let engine = engine.to_owned();
        let blast = self.plan.blast.clone();
        let answer = Answer { index, engine, seconds, evidence, input, program, blast };
        self.send(Told::Settled(answer));
    }

    fn cause(&self) -> &'static str {
        self.cause.get().copied().unwrap_or("stopped")
    }

    fn leave_open(&self, index: usize, reason: String, safe: Option<SafeUpTo>) {
        self.settle(index, self.plan.engine.text(), Evidence::Unknown { reason, safe });
    }
}

impl Observer for Listener {
    type Error = CheckFailed;

    fn hear(&self, _: usize, name: &'static str, event: &Event) {
        self.progress(name, event);
    }

    fn settled(
        &self,
        index: usize,
        engine: &'static str,
        answer: &Checked,
    ) -> Result<(), CheckFailed> {
        let evidence = match answer {
            Checked::Proved { proof, trust } => {
                Evidence::Proved { proof: proof.clone(), trust: *trust }
            }
            Checked::Violated(trace) => Evidence::Violated(trace.clone()),
        };
        self.settle(index, engine, evidence);
        Ok(())
    }

    fn open(&self, index: usize, why: Open, safe: Option<SafeUpTo>) {
        self.leave_open(index, why.text(self.cause()), safe);
    }
}

impl ProgramObserver for Listener {
    type Error = CheckFailed;

    fn hear(&self, _: usize, name: &'static str, event: &Event) {
        self.progress(name, event);
    }

    fn settled(
        &self,
        index: usize,
        engine: &'static str,
        answer: &ProgramChecked,
    ) -> Result<(), CheckFailed> {
        self.settle(index, engine, Evidence::OfProgram(answer.clone()));
        Ok(())
    }

    fn open(&self, index: usize, why: ProgramOpen, safe: Option<SafeUpTo>) {
        self.leave_open(index, why.text(self.cause()), safe);
    }
}

impl Listener {
    /// Decides properties; returns when all is said.
    fn decide(&self, selected: &[usize], interrupt: &Interrupt) -> Result<(), CheckFailed> {
        match (&*self.input, &self.program) {
            (Input::Model(loaded), _) => {
                decide(&loaded.model, selected, &self.plan, interrupt, self)
            }
            (Input::Program(_), Some(program)) => {
                decide_program(program, selected, &self.plan, interrupt, self)
            }
            (Input::Program(_), None) => unreachable!("a program has its properties"),
        }
    }
}

impl Model {
    /// Decides properties; see `check`.
    pub fn decide(
        &self,
        py: Python<'_>,
        words: Vec<String>,
        timeout: Option<f64>,
        progress: bool,
        hear: Py<PyAny>,
    ) -> PyResult<()> {
        let words: Vec<String> = self.words.iter().cloned().chain(words).collect();
        let args = arguments(&self.path, &words)?;
        args.refuse_unread().map_err(input_error)?;
        let limit = timeout.map(Duration::try_from_secs_f64).transpose().map_err(input_error)?;
        let (program, selected) = match &*self.input {
            Input::Model(loaded) => (None, loaded.select(args.wanted()).map_err(input_error)?),
            Input::Program(program) => {
                let (program, selected) =
                    with_properties(program, &self.path, args.wanted()).map_err(input_error)?;
                (Some(Arc::new(program)), selected)
            }
        };
        let (sender, receiver) = mpsc::channel();
        let start = Instant::now();
        let cause = Arc::new(OnceLock::new());
        let listener = Listener {
            sender: Mutex::new(sender),
            input: self.input.clone(),
            program,
            plan: plan_of(&args),
            start,
            cause: cause.clone(),
            wants_progress: progress,
        };
        let wait = Wait { start, limit, cause, receiver: Mutex::new(receiver), hear };
        wait.run(py, listener, &selected)
    }
}

/// The caller's side of a check.
struct Wait {
    start: Instant,
    limit: Option<Duration>,
    cause: Arc<OnceLock<&'static str>>,
    receiver: Mutex<mpsc::Receiver<Told>>,
    hear: Py<PyAny>,
}

impl Wait {
    fn run(&self, py: Python<'_>, listener: Listener, selected: &[usize]) -> PyResult<()> {
        let interrupt = Interrupt::new();
        std::thread::scope(|scope| {
            // It owns the listener, and with it the sender: when it ends, all is said.
            let work = {
                let interrupt = interrupt.clone();
                scope.spawn(move || listener.decide(selected, &interrupt))
            };
            let heard = self.listen(py, &interrupt);
            let decided = py.detach(|| work.join());
            let decided = decided.unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            heard?;
            decided.map_err(|error| InternalError::new_err(error.to_string()))
        })
    }

    /// Calls back until all is said. After an exception (Ctrl-C, or of a callback) the engines are
    /// stopped, and nothing more is called.
    fn listen(&self, py: Python<'_>, interrupt: &Interrupt) -> PyResult<()> {
        let mut result = Ok(());
        loop {
            let told = py.detach(|| {
                let receiver = self.receiver.lock().unwrap_or_else(PoisonError::into_inner);
                receiver.recv_timeout(LOOK_EVERY)
            });
            let step = match told {
                Ok(told) if result.is_ok() => self.tell(py, told),
                Err(RecvTimeoutError::Disconnected) => return result,
                _ => Ok(()),
            };
            let step = step.and_then(|()| if result.is_ok() { py.check_signals() } else { Ok(()) });
            if let Err(error) = step {
                self.stop("interrupted", interrupt);
                result = Err(error);
            }
            if self.limit.is_some_and(|limit| self.start.elapsed() >= limit) {
                self.stop("time limit reached", interrupt);
            }
        }
    }

    fn stop(&self, cause: &'static str, interrupt: &Interrupt) {
        // The cause is known before anybody can see the interrupt; the first one counts.
        let _ = self.cause.set(cause);
        interrupt.raise();
    }

    fn tell(&self, py: Python<'_>, told: Told) -> PyResult<()> {
        match told {
            Told::Depth { engine, depth, lemmas, queries, conflicts } => {
                let seconds = self.start.elapsed().as_secs_f64();
                let progress = (engine, depth, lemmas, queries, conflicts, seconds);
                self.hear.call1(py, (progress,))?;
            }
            Told::Settled(answer) => {
                self.hear.call1(py, (answer,))?;
            }
        }
        Ok(())
    }
}
