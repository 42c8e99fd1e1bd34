//! Work on one task: the search, and beside it a guard that never waits long for the server.

use super::search::{File, Search, Source, Told};
use super::{BLINK, Desk, Kept, LOOK_EVERY, Subject};
use crate::net::{PROGRESS_EVERY, QUICK};
use crate::wire::{self, Lease, Left, NotDone, Task, What, Why};
use async_nats::jetstream::{AckKind, Message};
use pedra_engines::Exchange;
use pedra_solve::Interrupt;
use std::cell::Cell;
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::time::timeout;

/// How long an engine may take to stop.
const STOP_WITHIN: Duration = Duration::from_secs(10);

/// How long a search may go on after its time.
const LATE: Duration = Duration::from_secs(30);

/// How many models are kept, and how many bytes their files may have together.
const KEPT_MODELS: usize = 8;
const KEPT_BYTES: usize = 32 << 20;

/// Why a search was stopped from outside.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum Stop {
    NoLease,
    Settled,
    Memory,
    Signal,
}

/// What the search and its guard know of each other.
struct Watch {
    /// Stops the search.
    interrupt: Interrupt,
    /// Why it was stopped from outside, and since when.
    stop: Cell<Option<(Stop, Instant)>>,
    /// Whether engines are at work.
    is_searching: Cell<bool>,
    /// When they should have ended for long.
    late: Cell<Option<Instant>>,
    /// Where engines share lemmas with those of other workers, if they do.
    exchange: Option<Arc<Exchange>>,
}

impl Watch {
    fn stop(&self, why: Stop) {
        self.interrupt.raise();
        self.stop.set(Some((why, Instant::now())));
    }
}

impl Desk<'_> {
    /// Works on a task. Gives what to report at the end; nothing if another worker should do it.
    pub(super) async fn attempt(&self, task: &Task, message: &Message) -> Option<What> {
        let watch = Watch {
            interrupt: Interrupt::new(),
            stop: Cell::new(None),
            is_searching: Cell::new(false),
            late: Cell::new(None),
            exchange: task.exchange.then(|| Arc::new(Exchange::new())),
        };
        let what = tokio::select! {
            what = self.search(task, &watch) => what,
            what = self.guard(task, message, &watch) => what,
            never = self.share_lemmas(&task.model, watch.exchange.as_deref()) => match never {},
        };
        self.presence.borrow_mut().task_s = 0;
        what
    }

    /// Searches, and passes on what is found.
    async fn search(&self, task: &Task, watch: &Watch) -> Option<What> {
        let not_done = |why| Some(What::NotDone(why));
        match self.stop_of(task).await {
            Some(Stop::NoLease) => return not_done(NotDone::NoLease),
            Some(_) => return Some(What::Done { left: Vec::new(), cpu_ms: 0 }),
            None => {}
        }
        let plan = match (self.worker.plan_of)(&task.recipe) {
            Ok(plan) => plan,
            Err(text) => return not_done(NotDone::Refused(text.chars().take(500).collect())),
        };
        let source = match self.known(task) {
            Some(model) => Source::Known(model),
            None => match self.rooms.models.get(&task.model).await {
                Ok(Some(bytes)) => {
                    let (hash, program) = (task.model.clone(), task.program.clone());
                    Source::File(File { bytes, hash, program, read: self.worker.read.clone() })
                }
                Ok(None) | Err(_) => return not_done(NotDone::NoModel),
            },
        };
        let asked = task.limit_ms.map(Duration::from_millis);
        let limit = [self.worker.limits.timeout, asked].into_iter().flatten().min();
        let after = |limit: Duration| Instant::now().checked_add(limit);
        let interrupt = match limit.and_then(after) {
            Some(deadline) => watch.interrupt.child_with_deadline(deadline),
            None => watch.interrupt.child(),
        };
        let engine = task.recipe.engine.clone();
        self.presence.borrow_mut().task =
            Some((task.job.clone(), task.id, engine, task.properties.len()));
        let cpu = (self.worker.cpu)();
        watch.late.set(limit.and_then(|limit| after(limit.saturating_add(LATE))));
        watch.is_searching.set(true);
        let (properties, exchange) = (task.properties.clone(), watch.exchange.clone());
        let mut search = Search::start(source, properties, plan, interrupt, exchange);
        let mut left = Vec::new();
        while let Some(told) = search.told.recv().await {
            match told {
                Told::Model(subject, size) => self.keep(task, size, subject),
                Told::NotDone(why) => return not_done(why),
                Told::Left(one) => left.push(one),
                Told::Claim { engine, evidence } => {
                    self.presence.borrow_mut().claims += 1;
                    let what = What::Claim { engine: engine.to_owned(), stored: None };
                    self.send(&task.job, task.id, what, Some(evidence)).await;
                }
            }
        }
        watch.is_searching.set(false);
        let cpu_ms = (((self.worker.cpu)() - cpu) * 1000.0) as u64;
        if !search.has_ended_well() {
            return not_done(NotDone::Refused("an engine has failed".to_owned()));
        }
        match watch.stop.get().map(|(why, _)| why) {
            Some(Stop::Signal) => None,
            Some(Stop::NoLease) => not_done(NotDone::NoLease),
            Some(Stop::Memory) => {
                // What was freed may still be with the process.
                self.unfit.set(Some("a task has used up the memory"));
                left.iter_mut().for_each(|left| left.why = Why::Memory);
                Some(What::Done { left, cpu_ms })
            }
            Some(Stop::Settled) | None => Some(What::Done { left, cpu_ms }),
        }
    }

    /// Tells the server that we are at work, and stops the search if nobody needs it any more.
    /// Ends only if the search does not stop.
    async fn guard(&self, task: &Task, message: &Message, watch: &Watch) -> Option<What> {
        let limits = [self.worker.limits.memory, task.memory];
        let memory = limits.into_iter().flatten().min();
        let start = Instant::now();
        let (mut look, mut progress) = (start, start);
        loop {
            tokio::time::sleep(BLINK).await;
            let is_stopped = (self.worker.is_stopped)();
            let stop = watch.stop.get().map(|(why, _)| why);
            if is_stopped && stop != Some(Stop::Signal) {
                watch.stop(Stop::Signal);
            } else if stop.is_none() && look.elapsed() >= LOOK_EVERY {
                let is_full = memory.is_some_and(|limit| (self.worker.memory)() > Some(limit));
                let why = match is_full {
                    true => Some(Stop::Memory),
                    false => timeout(QUICK, self.stop_of(task)).await.unwrap_or(None),
                };
                why.into_iter().for_each(|why| watch.stop(why));
                look = Instant::now();
            }
            if progress.elapsed() >= PROGRESS_EVERY {
                // If the server does not hear it, another worker gets the task, as it should.
                let _ = timeout(QUICK, message.ack_with(AckKind::Progress)).await;
                self.presence.borrow_mut().task_s = start.elapsed().as_secs();
                self.tell().await;
                progress = Instant::now();
            }
            let stop = watch.stop.get();
            let waited = stop.is_some_and(|(_, since)| since.elapsed() > STOP_WITHIN);
            let is_late = watch.late.get().is_some_and(|late| Instant::now() > late);
            if watch.is_searching.get() && (waited || is_late) {
                // Its thread goes on for ever, so this process does no more.
                self.unfit.set(Some("an engine did not stop when it was asked to"));
                let open = |&property: &usize| Left { property, why: Why::Stopped, safe: None };
                let left = task.properties.iter().map(open).collect();
                let is_signal = stop.is_some_and(|(why, _)| why == Stop::Signal);
                return (!is_signal).then_some(What::Done { left, cpu_ms: 0 });
            }
            if is_stopped && waited {
                return None;
            }
        }
    }

    /// Whether a task is not needed any more. If the server does not answer, it is.
    async fn stop_of(&self, task: &Task) -> Option<Stop> {
        match self.rooms.leases.get(&task.job).await {
            Ok(None) => Some(Stop::NoLease),
            Ok(Some(bytes)) => {
                let lease: Lease = wire::decode(&bytes).ok()?;
                let is_settled = |&property: &usize| lease.settled.contains(property);
                task.properties.iter().all(is_settled).then_some(Stop::Settled)
            }
            Err(_) => None,
        }
    }

    /// A model that was read before.
    fn known(&self, task: &Task) -> Option<Arc<Subject>> {
        let models = self.models.borrow();
        let is_it = |kept: &&Kept| kept.hash == task.model && kept.program == task.program;
        models.iter().find(is_it).map(|kept| kept.subject.clone())
    }

    fn keep(&self, task: &Task, size: usize, subject: Arc<Subject>) {
        let (hash, program) = (task.model.clone(), task.program.clone());
        let mut models = self.models.borrow_mut();
        models.push_back(Kept { hash, program, size, subject });
        let is_much = |models: &VecDeque<Kept>| {
            let bytes: usize = models.iter().map(|kept| kept.size).sum();
            models.len() > KEPT_MODELS || bytes > KEPT_BYTES
        };
        // The last one is kept, however large: more tasks about it will come.
        while models.len() > 1 && is_much(&models) {
            models.pop_front();
        }
    }
}
