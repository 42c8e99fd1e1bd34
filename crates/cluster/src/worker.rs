//! A worker: takes tasks from the queue, one at a time, searches, and sends claims.
//!
//! The network has the caller's thread; engines have their own. A task is acknowledged only when
//! its last report is with the server: a worker that dies before leaves it to another.

mod attempt;
mod lemmas;
mod search;

use crate::net::{self, Access, NetError, Note, QUICK, Rooms, because, result_subject};
use crate::wire::{
    self, Address, MAX_INLINE, NotDone, PEDRA, Presence, Reading, Recipe, Report, Task, What,
    WireError,
};
use async_nats::jetstream::{AckKind, Message};
use futures_util::StreamExt;
use pedra_check::Plan;
use pedra_model::Model;
use pedra_program::Program;
use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::future::Future;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// A task that was delivered more often than this has killed its workers, or they were lost.
const MAX_DELIVERIES: i64 = 5;

/// How often the lease of the asker is read, and memory looked at.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// How often we look whether we are asked to end.
const BLINK: Duration = Duration::from_millis(200);

/// How long a pull for work waits at the server.
const PULL: Duration = Duration::from_secs(5);

/// How often a report is sent until the server has it, a second apart.
const SENDS: usize = 60;

/// What a worker may use for one task, whatever is asked for.
#[derive(Copy, Clone, Debug, Default)]
pub struct Limits {
    /// Time.
    pub timeout: Option<Duration>,
    /// Memory of the process, in bytes.
    pub memory: Option<u64>,
}

/// Says what a recipe means, or why it is refused.
pub type PlanOf = dyn Fn(&Recipe) -> Result<Plan, String> + Send + Sync;
/// Reads a model, or a program in a way, or says what is wrong with it. The bytes are untrusted: it
/// opens no file and starts no process.
pub type ReadModel = dyn Fn(Option<&Reading>, &[u8]) -> Result<Subject, String> + Send + Sync;

/// What a worker works on.
#[derive(Clone, Debug)]
pub enum Subject {
    /// A model.
    Model(Model),
    /// A program, with all that is asked of it as properties.
    Program(Program),
}

impl Subject {
    fn num_properties(&self) -> usize {
        match self {
            Subject::Model(model) => model.num_properties(),
            Subject::Program(program) => program.properties.len(),
        }
    }

    fn model(&self) -> Option<&Model> {
        match self {
            Subject::Model(model) => Some(model),
            Subject::Program(_) => None,
        }
    }
}

/// What a worker needs to know of the program around it.
pub struct Worker {
    /// The server.
    pub access: Access,
    /// Limits of each task.
    pub limits: Limits,
    /// Ends after this long without work.
    pub idle: Option<Duration>,
    /// Hears what users should know.
    pub note: Note,
    /// Whether it was asked to end.
    pub is_stopped: Box<dyn Fn() -> bool + Send + Sync>,
    /// What a recipe means.
    pub plan_of: Box<PlanOf>,
    /// Reads a model.
    pub read: Arc<ReadModel>,
    /// The memory of the process, in bytes.
    pub memory: fn() -> Option<u64>,
    /// The CPU time of the process, in seconds.
    pub cpu: fn() -> f64,
}

/// Why a worker ends.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Ended {
    /// It was asked to, or was idle for too long.
    Stopped,
    /// The process is not fit for more work, for this reason: another one is to take its place.
    Unfit(&'static str),
}

impl Worker {
    /// Works until it is stopped.
    ///
    /// # Errors
    /// If the server cannot be reached or refuses us.
    pub fn run(&self) -> Result<Ended, NetError> {
        net::run(async {
            let client = self.access.connect(&self.note).await?;
            let rooms = Rooms::open(client).await?;
            let desk = Desk::new(self, rooms);
            let end = desk.work().await;
            // Without an answer of the server our presence expires.
            let _ = tokio::time::timeout(QUICK, desk.rooms.workers.delete(&desk.name)).await;
            end
        })
    }
}

/// A model that was read.
struct Kept {
    /// The hash of its file.
    hash: String,
    /// How it was read, if it is a program.
    program: Option<Reading>,
    /// The size of its file.
    size: usize,
    subject: Arc<Subject>,
}

/// A worker at work.
struct Desk<'a> {
    worker: &'a Worker,
    rooms: Rooms,
    name: String,
    start: Instant,
    /// Models that were read.
    models: RefCell<VecDeque<Kept>>,
    /// When we have told of ourselves the last time.
    told: Cell<Option<Instant>>,
    presence: RefCell<Presence>,
    /// When tasks of the last minute were done.
    recent: RefCell<VecDeque<Instant>>,
    /// Why this process can do no more.
    unfit: Cell<Option<&'static str>>,
}

impl<'a> Desk<'a> {
    fn new(worker: &'a Worker, rooms: Rooms) -> Desk<'a> {
        let (host, process) = (net::host(), std::process::id());
        let presence = Presence { pedra: PEDRA.to_owned(), host, process, ..Presence::default() };
        Desk {
            worker,
            rooms,
            name: net::unique_name(),
            start: Instant::now(),
            models: RefCell::default(),
            told: Cell::new(None),
            presence: RefCell::new(presence),
            recent: RefCell::default(),
            unfit: Cell::new(None),
        }
    }

    async fn work(&self) -> Result<Ended, NetError> {
        (self.worker.note)(&format!("worker {} waits for work", self.name));
        let mut last_work = Instant::now();
        loop {
            // First: one that is asked to end does not start anew.
            if (self.worker.is_stopped)() {
                return Ok(Ended::Stopped);
            }
            if let Some(why) = self.unfit.get() {
                return Ok(Ended::Unfit(why));
            }
            if self.told.get().is_none_or(|at| at.elapsed() >= LOOK_EVERY) {
                self.tell().await;
            }
            let queue = &self.rooms.queue;
            let pull = queue.batch().max_messages(1).expires(PULL).messages();
            let Ok(Ok(mut pull)) = tokio::time::timeout(QUICK, pull).await else {
                tokio::time::sleep(LOOK_EVERY).await;
                continue;
            };
            let message = loop {
                tokio::select! {
                    message = pull.next() => break message,
                    () = tokio::time::sleep(BLINK) => {
                        let idle = last_work.elapsed();
                        let is_idle = self.worker.idle.is_some_and(|limit| idle >= limit);
                        if (self.worker.is_stopped)() || is_idle {
                            return Ok(Ended::Stopped);
                        }
                    }
                }
            };
            match message {
                Some(Ok(message)) => {
                    self.take(&message).await;
                    self.look_at_memory();
                    last_work = Instant::now();
                }
                // The server went away; the next pull waits until it is back.
                Some(Err(_)) => tokio::time::sleep(LOOK_EVERY).await,
                None => {}
            }
        }
    }

    /// Much of the memory may still be with the process after a task. The next one must not be
    /// stopped for that.
    fn look_at_memory(&self) {
        let Some(limit) = self.worker.limits.memory else { return };
        if (self.worker.memory)() > Some(limit / 2) && self.unfit.get().is_none() {
            self.unfit.set(Some("earlier tasks have left half of the memory in use"));
        }
    }

    /// Tells what we do, every few seconds.
    async fn tell(&self) {
        let now = Instant::now();
        let recent = {
            let mut recent = self.recent.borrow_mut();
            recent.retain(|&at| now - at <= Duration::from_secs(60));
            recent.len() as u64
        };
        let value = {
            let mut presence = self.presence.borrow_mut();
            presence.done_last_minute = recent;
            presence.up_s = self.start.elapsed().as_secs();
            wire::encode(&*presence)
        };
        // Not to be seen for a moment does no harm.
        let _ = tokio::time::timeout(QUICK, self.rooms.workers.put(&self.name, value.into())).await;
        self.told.set(Some(now));
    }

    /// Waits for the server, but for a moment only once we are asked to end.
    async fn unless_stopped<T>(&self, code: impl Future<Output = T>) -> Option<T> {
        let stopped = async {
            while !(self.worker.is_stopped)() {
                tokio::time::sleep(BLINK).await;
            }
            tokio::time::sleep(QUICK).await;
        };
        tokio::select! {
            done = code => Some(done),
            () = stopped => None,
        }
    }

    /// Does a task, reports, and acknowledges it.
    async fn take(&self, message: &Message) {
        let acknowledge = async |kind| {
            let _ = tokio::time::timeout(QUICK, message.ack_with(kind)).await;
        };
        let task: Task = match wire::decode(&message.payload) {
            Ok(task) => task,
            Err(error) => {
                (self.worker.note)(&format!("refused: {error}"));
                if let (WireError::Version { .. }, Some(address)) =
                    (&error, Address::of(&message.payload))
                {
                    let what = What::NotDone(NotDone::Refused(error.to_string()));
                    self.send(&address.job, address.id, what, None).await;
                }
                return acknowledge(AckKind::Term).await;
            }
        };
        if !Task::is_sane(&task) {
            (self.worker.note)("refused: an invalid task");
            return acknowledge(AckKind::Term).await;
        }
        let delivered = message.info().map_or(1, |info| info.delivered);
        let what = match delivered > MAX_DELIVERIES {
            true => Some(What::NotDone(NotDone::GivenUp)),
            false => self.attempt(&task, message).await,
        };
        self.presence.borrow_mut().task = None;
        // Without a report the task goes back to the queue at once.
        let Some(what) = what else { return acknowledge(AckKind::Nak(None)).await };
        if let What::Done { cpu_ms, .. } = what {
            let mut presence = self.presence.borrow_mut();
            presence.done += 1;
            presence.cpu_ms += cpu_ms;
            self.recent.borrow_mut().push_back(Instant::now());
        }
        // *Required* for no task to be lost: the report is with the server before the task is
        // taken off the queue.
        if self.send(&task.job, task.id, what, None).await {
            let _ = tokio::time::timeout(QUICK, message.double_ack()).await;
        }
    }

    /// Sends a report, with evidence on its next line or as an object. Whether the server has it.
    async fn send(&self, job: &str, task: u64, what: What, evidence: Option<Vec<u8>>) -> bool {
        let send = async {
            for _ in 0..SENDS {
                let sent = self.try_send(job, task, what.clone(), evidence.as_deref()).await;
                if sent.is_ok() {
                    return true;
                }
                tokio::time::sleep(LOOK_EVERY).await;
            }
            false
        };
        self.unless_stopped(send).await.unwrap_or(false)
    }

    async fn try_send(
        &self,
        job: &str,
        task: u64,
        mut what: What,
        evidence: Option<&[u8]>,
    ) -> Result<(), NetError> {
        let mut inline = evidence.unwrap_or_default();
        if inline.len() > MAX_INLINE {
            let name = format!("{job}-{task}-{}", net::unique_name());
            self.rooms.evidence.put(&name, inline).await?;
            inline = &[];
            if let What::Claim { stored, .. } = &mut what {
                *stored = Some(name);
            }
        }
        let mut payload = wire::encode(&Report { task, worker: self.name.clone(), what });
        payload.push(b'\n');
        payload.extend_from_slice(inline);
        let subject = result_subject(job);
        let publish = self.rooms.jetstream.publish(subject, payload.into()).await;
        publish.map_err(because("report"))?.await.map(|_| ()).map_err(because("report"))
    }
}
