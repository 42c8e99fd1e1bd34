//! A worker: takes tasks from the queue, one at a time, searches, and sends claims.
//!
//! The network has the caller's thread; engines have their own. A task is acknowledged only when
//! its last report is with the server: a worker that dies before leaves it to another.

mod search;

use crate::net::{
    self, Access, LEASE, NetError, Note, PROGRESS_EVERY, Rooms, because, result_subject,
};
use crate::wire::{
    self, Address, Lease, Left, MAX_INLINE, NotDone, PEDRA, Presence, Recipe, Report, Task, What,
    Why, WireError,
};
use async_nats::jetstream::{AckKind, Message};
use futures_util::StreamExt;
use pedra_check::Plan;
use pedra_formats::sha256::sha256;
use pedra_model::Model;
use search::{Search, Told};
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// A task that was delivered more often than this has killed its workers, or they were lost.
const MAX_DELIVERIES: i64 = 5;

/// How often the lease of the asker is read, and memory looked at.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// How long a pull for work waits at the server.
const PULL: Duration = Duration::from_secs(5);

/// How long an engine may take to stop.
const STOP_WITHIN: Duration = Duration::from_secs(10);

/// How often a report is sent until the server has it, a second apart.
const SENDS: usize = 60;

/// How many models are kept, and how many bytes their files may have together.
const KEPT_MODELS: usize = 8;
const KEPT_BYTES: usize = 32 << 20;

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
/// Reads a model, or says what is wrong with it.
pub type ReadModel = dyn Fn(&[u8]) -> Result<Model, String> + Send + Sync;

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
    pub read: Box<ReadModel>,
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
            let mut desk = Desk::new(self, rooms);
            let end = desk.work().await;
            let _ = desk.rooms.workers.delete(&desk.name).await;
            end
        })
    }
}

/// A worker at work.
struct Desk<'a> {
    worker: &'a Worker,
    rooms: Rooms,
    name: String,
    start: Instant,
    models: VecDeque<(String, usize, Arc<Model>)>,
    told: Option<Instant>,
    presence: Presence,
    /// When tasks of the last minute were done.
    recent: VecDeque<Instant>,
    /// Why this process can do no more.
    unfit: Option<&'static str>,
}

/// Why a search was stopped from outside.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum Stop {
    NoLease,
    Settled,
    Memory,
    Signal,
}

impl<'a> Desk<'a> {
    fn new(worker: &'a Worker, rooms: Rooms) -> Desk<'a> {
        let (host, process) = (net::host(), std::process::id());
        let presence = Presence { pedra: PEDRA.to_owned(), host, process, ..Presence::default() };
        let (start, name) = (Instant::now(), net::unique_name());
        let (models, recent) = (VecDeque::new(), VecDeque::new());
        Desk { worker, rooms, name, start, models, told: None, presence, recent, unfit: None }
    }

    async fn work(&mut self) -> Result<Ended, NetError> {
        (self.worker.note)(&format!("worker {} waits for work", self.name));
        let mut last_work = Instant::now();
        loop {
            if let Some(why) = self.unfit {
                return Ok(Ended::Unfit(why));
            }
            if (self.worker.is_stopped)() {
                return Ok(Ended::Stopped);
            }
            if self.told.is_none_or(|at| at.elapsed() >= LOOK_EVERY) {
                self.tell().await;
            }
            let pull = self.rooms.queue.batch().max_messages(1).expires(PULL).messages().await;
            let mut pull = match pull {
                Ok(pull) => pull,
                Err(_) => {
                    tokio::time::sleep(LOOK_EVERY).await;
                    continue;
                }
            };
            let message = loop {
                tokio::select! {
                    message = pull.next() => break message,
                    () = tokio::time::sleep(LOOK_EVERY / 5) => {
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
                    last_work = Instant::now();
                }
                // The server went away; the next pull waits until it is back.
                Some(Err(_)) => tokio::time::sleep(LOOK_EVERY).await,
                None => {}
            }
        }
    }

    /// Tells what we do, every few seconds.
    async fn tell(&mut self) {
        let now = Instant::now();
        while self.recent.front().is_some_and(|&at| now - at > Duration::from_secs(60)) {
            self.recent.pop_front();
        }
        self.presence.done_last_minute = self.recent.len() as u64;
        self.presence.up_s = self.start.elapsed().as_secs();
        let value = wire::encode(&self.presence);
        // Not to be seen for a moment does no harm.
        let _ = self.rooms.workers.put(&self.name, value.into()).await;
        self.told = Some(now);
    }

    /// Does a task, reports, and acknowledges it.
    async fn take(&mut self, message: &Message) {
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
                let _ = message.ack_with(AckKind::Term).await;
                return;
            }
        };
        if !Task::is_sane(&task) {
            (self.worker.note)("refused: a task that makes no sense");
            let _ = message.ack_with(AckKind::Term).await;
            return;
        }
        let delivered = message.info().map_or(1, |info| info.delivered);
        let what = match delivered > MAX_DELIVERIES {
            true => Some(What::NotDone(NotDone::GivenUp)),
            false => self.attempt(&task, message).await,
        };
        // Without a report the task goes back to the queue at once.
        let Some(what) = what else {
            let _ = message.ack_with(AckKind::Nak(None)).await;
            return;
        };
        if let What::Done { cpu_ms, .. } = what {
            self.presence.done += 1;
            self.presence.cpu_ms += cpu_ms;
            self.recent.push_back(Instant::now());
        }
        self.presence.task = None;
        // *Required* for no task to be lost: the report is with the server before the task is
        // taken off the queue.
        if self.send(&task.job, task.id, what, None).await {
            let _ = message.double_ack().await;
        }
    }

    /// Works on a task. Gives what to report at the end; nothing if another worker should do it.
    async fn attempt(&mut self, task: &Task, message: &Message) -> Option<What> {
        let not_done = |why| Some(What::NotDone(why));
        match self.stop_of(task).await {
            Some(Stop::NoLease) => return not_done(NotDone::NoLease),
            Some(_) => return Some(What::Done { left: Vec::new(), cpu_ms: 0 }),
            None => {}
        }
        let model = match self.model(&task.model, message).await {
            Ok(model) => model,
            Err(why) => return not_done(why),
        };
        let refused = |text: String| not_done(NotDone::Refused(text.chars().take(500).collect()));
        let plan = match (self.worker.plan_of)(&task.recipe) {
            Ok(plan) => plan,
            Err(text) => return refused(text),
        };
        if let Some(property) = task.properties.iter().find(|&&p| p >= model.num_properties()) {
            return refused(format!("there is no property {property}"));
        }
        let limits = self.worker.limits;
        let asked = task.limit_ms.map(Duration::from_millis);
        let limit = [limits.timeout, asked].into_iter().flatten().min();
        let memory = [limits.memory, task.memory].into_iter().flatten().min();
        let engine = task.recipe.engine.clone();
        self.presence.task = Some((task.job.clone(), task.id, engine, task.properties.len()));
        let search = Search::start(model, task.properties.clone(), plan, limit);
        self.follow(task, message, search, memory).await
    }

    /// Passes on what a search tells, and stops it if nobody needs it any more.
    async fn follow(
        &mut self,
        task: &Task,
        message: &Message,
        mut search: Search,
        memory: Option<u64>,
    ) -> Option<What> {
        let (start, cpu) = (Instant::now(), (self.worker.cpu)());
        let (mut left, mut stop): (Vec<Left>, Option<(Stop, Instant)>) = (Vec::new(), None);
        let (mut look, mut progress) = (Instant::now(), Instant::now());
        loop {
            let told = tokio::select! {
                told = search.told.recv() => told,
                () = tokio::time::sleep(LOOK_EVERY / 5) => Some(Told::Nothing),
            };
            match told {
                Some(Told::Nothing) => {}
                Some(Told::Left(one)) => left.push(one),
                Some(Told::Claim { engine, evidence }) => {
                    self.presence.claims += 1;
                    let what = What::Claim { engine: engine.to_owned(), stored: None };
                    self.send(&task.job, task.id, what, Some(evidence)).await;
                }
                None => break,
            }
            if progress.elapsed() >= PROGRESS_EVERY {
                let _ = message.ack_with(AckKind::Progress).await;
                self.presence.task_s = start.elapsed().as_secs();
                self.tell().await;
                progress = Instant::now();
            }
            if stop.is_none() && (look.elapsed() >= LOOK_EVERY || (self.worker.is_stopped)()) {
                let is_full = memory.is_some_and(|limit| (self.worker.memory)() > Some(limit));
                let why = if (self.worker.is_stopped)() {
                    Some(Stop::Signal)
                } else if is_full {
                    Some(Stop::Memory)
                } else {
                    self.stop_of(task).await
                };
                look = Instant::now();
                if let Some(why) = why {
                    search.interrupt.raise();
                    stop = Some((why, look));
                }
            }
            if stop.is_some_and(|(_, since)| since.elapsed() > STOP_WITHIN) || search.is_late() {
                // Its thread goes on for ever, so this process does no more.
                self.unfit = Some("an engine did not stop when it was asked to");
                let open = |&property: &usize| Left { property, why: Why::Stopped, safe: None };
                let left = task.properties.iter().map(open).collect();
                return Some(What::Done { left, cpu_ms: 0 });
            }
        }
        self.presence.task_s = 0;
        let cpu_ms = (((self.worker.cpu)() - cpu) * 1000.0) as u64;
        if !search.has_ended_well() {
            return Some(What::NotDone(NotDone::Refused("an engine has failed".to_owned())));
        }
        match stop.map(|(why, _)| why) {
            Some(Stop::Signal) => None,
            Some(Stop::NoLease) => Some(What::NotDone(NotDone::NoLease)),
            Some(Stop::Memory) => {
                // What was freed may still be with the process.
                self.unfit = Some("a task has used up the memory");
                left.iter_mut().for_each(|left| left.why = Why::Memory);
                Some(What::Done { left, cpu_ms })
            }
            Some(Stop::Settled) | None => Some(What::Done { left, cpu_ms }),
        }
    }

    /// Whether a task is not needed any more. If the server does not answer, it is.
    async fn stop_of(&self, task: &Task) -> Option<Stop> {
        let lease = tokio::time::timeout(LEASE, self.rooms.leases.get(&task.job)).await;
        match lease {
            Ok(Ok(None)) => Some(Stop::NoLease),
            Ok(Ok(Some(bytes))) => {
                let lease: Lease = wire::decode(&bytes).ok()?;
                let is_settled = |property: &usize| lease.settled.contains(property);
                task.properties.iter().all(is_settled).then_some(Stop::Settled)
            }
            Ok(Err(_)) | Err(_) => None,
        }
    }

    /// The model with this hash.
    async fn model(&mut self, hash: &str, message: &Message) -> Result<Arc<Model>, NotDone> {
        if let Some((_, _, model)) = self.models.iter().find(|(known, ..)| known == hash) {
            return Ok(model.clone());
        }
        let Ok(Some(bytes)) = net::fetch(&self.rooms.models, hash).await else {
            return Err(NotDone::NoModel);
        };
        let _ = message.ack_with(AckKind::Progress).await;
        if sha256(&bytes) != hash {
            return Err(NotDone::NoModel);
        }
        let model = (self.worker.read)(&bytes).map_err(|text| {
            NotDone::Refused(format!("the model: {}", text.chars().take(300).collect::<String>()))
        })?;
        let model = Arc::new(model);
        self.models.push_back((hash.to_owned(), bytes.len(), model.clone()));
        let size = |models: &VecDeque<(String, usize, Arc<Model>)>| -> usize {
            models.iter().map(|(_, size, _)| size).sum()
        };
        while self.models.len() > KEPT_MODELS || size(&self.models) > KEPT_BYTES {
            self.models.pop_front();
        }
        Ok(model)
    }

    /// Sends a report, with evidence on its next line or as an object. Whether the server has it.
    async fn send(&self, job: &str, task: u64, what: What, evidence: Option<Vec<u8>>) -> bool {
        for _ in 0..SENDS {
            let sent = self.try_send(job, task, what.clone(), evidence.as_deref()).await;
            if sent.is_ok() {
                return true;
            }
            tokio::time::sleep(LOOK_EVERY).await;
        }
        false
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
            net::store(&self.rooms.evidence, &name, inline).await?;
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
