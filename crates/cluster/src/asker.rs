//! The asker: gives out work, and hands what comes back to its check.
//!
//! The network has a thread of its own (`asker/network.rs`). This side is what
//! `pedra_check::decide_elsewhere` asks for news: it keeps the schedule, decodes claims over the
//! model as it was read here, and trusts nothing of them.

mod network;

use crate::evidence::{self, EvidenceError};
use crate::net::{Access, NetError, Note};
use crate::program_evidence;
use crate::schedule::{Piece, Schedule};
use crate::wire::{MAX_LIST, NotDone, Reading, Recipe, Report, Task, What};
use network::{Incoming, Network, Order};
use pedra_check::{Claim, Elsewhere, EngineName, Graphs, News, Open, ProgramAnswer};
use pedra_engines::{Outcome, Reason};
use pedra_formats::sha256::sha256;
use pedra_formats::text::printable;
use pedra_model::Model;
use pedra_solve::Interrupt;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::mpsc::RecvTimeoutError;
use std::time::Duration;

/// How long [`Elsewhere::next`] waits.
const WAIT: Duration = Duration::from_millis(20);

/// The most claims of one task: each settles a property.
const MAX_CLAIMS: u32 = 4 * MAX_LIST as u32;

/// After this many claims of one task that were not accepted, no further one of it is looked at:
/// each costs time. Chosen, not measured.
const MAX_REFUSED: u32 = 16;

/// The last step up to which the asker checks a claim that a property is safe. On a model without
/// any logic that takes some ten seconds.
const MAX_STEP: usize = 1 << 16;

/// A task that is not in the queue at this many looks in a row, and of which there is no result,
/// is lost. Longer than a result takes that is on its way.
const LOST_AFTER: u32 = 4;

/// The most different things that are said about workers.
const MAX_NOTED: usize = 100;

/// Names of engines that are no engines of `--engine`.
const FURTHER_ENGINES: [&str; 6] = ["klive", "klive-kind", "rlive", "definitions", "many", "runs"];

/// What answers are about.
pub trait About {
    /// What is claimed about it.
    type Answer;

    /// Reads a claim.
    ///
    /// # Errors
    /// If it is malformed, or its check would take too much.
    fn decode(&self, bytes: &[u8]) -> Result<Self::Answer, EvidenceError>;
}

impl About for Model {
    type Answer = Outcome;

    fn decode(&self, bytes: &[u8]) -> Result<Outcome, EvidenceError> {
        evidence::decode(self, bytes)
    }
}

impl About for Graphs<'_> {
    type Answer = ProgramAnswer;

    fn decode(&self, bytes: &[u8]) -> Result<ProgramAnswer, EvidenceError> {
        program_evidence::decode(self, bytes)
    }
}

/// What is asked.
pub struct Asked<'a, A> {
    /// The model or program, as it was read.
    pub about: &'a A,
    /// What workers read it from.
    pub bytes: &'a [u8],
    /// How they read it, if it is a program.
    pub program: Option<Reading>,
    /// What it is called, for `cluster status`.
    pub name: String,
    /// Which properties.
    pub properties: &'a [usize],
    /// How: first as it was asked for, then what may be tried beside it.
    pub recipes: Vec<Recipe>,
    /// Memory for each task, in bytes.
    pub memory: Option<u64>,
    /// Whether workers share lemmas.
    pub exchange: bool,
}

/// An asker at work.
pub struct Asker<'a, A> {
    asked: Asked<'a, A>,
    hash: String,
    job: String,
    schedule: Schedule,
    network: Network,
    note: Note,
    /// The task and the worker of each claim that is being checked.
    tickets: BTreeMap<u64, (u64, String)>,
    next_ticket: u64,
    /// How many claims each task has sent.
    claims: BTreeMap<u64, u32>,
    /// And how many of these were not accepted.
    refused: BTreeMap<u64, u32>,
    /// At how many looks in a row each task was not in the queue.
    missing: BTreeMap<u64, u32>,
    /// What was noted of workers, and how often.
    noted: BTreeMap<String, u32>,
}

impl<'a, A: About> Asker<'a, A> {
    /// Connects, and puts the model into the store.
    ///
    /// # Errors
    /// If the server cannot be reached or refuses us, or the interrupt is raised before.
    pub fn start(
        access: Access,
        asked: Asked<'a, A>,
        note: Note,
        interrupt: &Interrupt,
    ) -> Result<Asker<'a, A>, NetError> {
        let (hash, job) = (sha256(asked.bytes), crate::net::unique_name());
        let network = Network::start(access, &asked, &hash, &job, note.clone(), interrupt)?;
        let depth = asked.recipes.iter().find_map(|recipe| recipe.depth);
        let last_step = depth.map_or(MAX_STEP, |depth| MAX_STEP.min(depth));
        let schedule = Schedule::new(asked.properties, asked.recipes.len(), last_step);
        Ok(Asker {
            asked,
            hash,
            job,
            schedule,
            network,
            note,
            tickets: BTreeMap::new(),
            next_ticket: 0,
            claims: BTreeMap::new(),
            refused: BTreeMap::new(),
            missing: BTreeMap::new(),
            noted: BTreeMap::new(),
        })
    }

    /// Ends the job: workers that are at it stop. `true` if the server knows.
    pub fn finish(self) -> bool {
        self.network.finish()
    }

    fn task(&self, id: u64, piece: &Piece) -> Task {
        Task {
            job: self.job.clone(),
            id,
            model: self.hash.clone(),
            program: self.asked.program.clone(),
            properties: piece.properties.clone(),
            recipe: self.asked.recipes[piece.recipe].clone(),
            limit_ms: piece.limit().map(|limit| limit.as_millis() as u64),
            memory: self.asked.memory,
            exchange: self.asked.exchange,
        }
    }

    /// Gives out what there are workers for.
    fn give_out(&mut self) {
        while let Some((id, piece)) = self.schedule.take_next() {
            let task = self.task(id, &piece);
            self.network.order(Order::Publish(Box::new(task)));
        }
    }

    /// Says something about a worker, but not the same thing again and again.
    fn complain(&mut self, worker: &str, text: &str) {
        const OFTEN: u32 = 3;
        let worker: String = worker.chars().filter(char::is_ascii_alphanumeric).take(20).collect();
        let text: String = printable(text).chars().take(300).collect();
        let line = format!("worker {worker}: {text}");
        if self.noted.len() >= MAX_NOTED && !self.noted.contains_key(&line) {
            return;
        }
        let times = self.noted.entry(line.clone()).or_default();
        *times += 1;
        if *times <= OFTEN {
            (self.note)(&line);
        }
        if self.noted.len() == MAX_NOTED && self.noted[&line] == 1 {
            (self.note)("further messages about workers are not shown");
        }
    }

    /// Gives out again what was lost.
    fn find_lost(&mut self, queued: &BTreeSet<u64>) {
        let is_missing = |id: &u64| !queued.contains(id);
        let missing: Vec<u64> =
            self.schedule.running().map(|(id, _)| id).filter(is_missing).collect();
        self.missing.retain(|id, _| missing.contains(id));
        for id in missing {
            let looks = self.missing.entry(id).or_default();
            *looks += 1;
            if *looks >= LOST_AFTER {
                *looks = 0;
                let piece = self.schedule.running().find(|(other, _)| *other == id);
                let task = piece.map(|(id, piece)| self.task(id, piece));
                task.into_iter().for_each(|t| self.network.order(Order::Publish(Box::new(t))));
            }
        }
    }

    fn hear(&mut self, report: Report, body: &[u8]) -> News<A::Answer> {
        let Report { task, worker, what } = report;
        if !self.schedule.has_given_out(task) {
            self.complain(&worker, "a report about a task that was not assigned");
            return News::Nothing;
        }
        match what {
            What::Claim { engine, .. } => return self.claimed(task, worker, &engine, body),
            What::Done { left, .. } => self.schedule.done(task, &left),
            What::NotDone(why) => {
                match &why {
                    NotDone::NoModel => self.network.order(Order::Upload),
                    NotDone::Refused(text) => self.complain(&worker, text),
                    NotDone::GivenUp => self.complain(&worker, "a task on which its workers died"),
                    NotDone::NoLease => {}
                }
                self.schedule.not_done(task, &why);
            }
        }
        self.give_out();
        News::Nothing
    }

    /// A claim, as far as it can be read.
    fn claimed(&mut self, task: u64, worker: String, engine: &str, body: &[u8]) -> News<A::Answer> {
        let count = self.claims.entry(task).or_default();
        *count += 1;
        let is_believed = self.refused.get(&task).is_none_or(|&refused| refused < MAX_REFUSED);
        if *count > MAX_CLAIMS || !is_believed {
            return News::Nothing;
        }
        match self.asked.about.decode(body) {
            Ok(answer) => {
                let ticket = self.next_ticket;
                self.next_ticket += 1;
                self.tickets.insert(ticket, (task, worker));
                News::Claim(Box::new(Claim { ticket, engine: engine_name(engine), answer }))
            }
            Err(error) => {
                *self.refused.entry(task).or_default() += 1;
                self.complain(&worker, &format!("a claim that cannot be read: {error}"));
                News::Nothing
            }
        }
    }
}

/// The name of an engine, if there is one of this name. It decides which solvers check the claim,
/// and is shown; the check does not rest on it.
fn engine_name(text: &str) -> &'static str {
    let known = EngineName::ALL.into_iter().map(EngineName::text).chain(FURTHER_ENGINES);
    known.into_iter().find(|name| *name == text).unwrap_or(EngineName::Auto.text())
}

impl<A: About> Elsewhere for Asker<'_, A> {
    type Answer = A::Answer;

    fn next(&mut self) -> News<A::Answer> {
        if self.schedule.is_over() {
            return News::Over;
        }
        match self.network.next(WAIT) {
            Ok(Incoming::Workers(count)) => {
                self.schedule.set_workers(count);
                self.give_out();
                News::Nothing
            }
            Ok(Incoming::Report(report, body)) => self.hear(report, &body),
            Ok(Incoming::Unreadable(text)) => {
                self.complain("", &text);
                News::Nothing
            }
            Ok(Incoming::Queued(tasks)) => {
                self.find_lost(&tasks);
                News::Nothing
            }
            Err(RecvTimeoutError::Timeout) => News::Nothing,
            Err(RecvTimeoutError::Disconnected) => News::Over,
        }
    }

    fn accepted(&mut self, ticket: u64, properties: &[usize]) {
        self.tickets.remove(&ticket);
        if !properties.is_empty() {
            self.schedule.settle(properties);
            self.network.order(Order::Settled(properties.to_vec()));
            self.give_out();
        }
    }

    fn refused(&mut self, ticket: u64, why: &str) {
        if let Some((task, worker)) = self.tickets.remove(&ticket) {
            *self.refused.entry(task).or_default() += 1;
            self.complain(&worker, &format!("a claim was not accepted: {why}"));
        }
    }

    fn left(&self, property: usize) -> (Open, Option<usize>) {
        match self.schedule.left(property) {
            (Some(why), safe) => (why.open(), safe),
            (None, safe) => (Open::Engines(Reason::Unsupported("no worker has decided it")), safe),
        }
    }
}
