//! fbPDR: PDR and Reverse PDR in turns, each using what the other has found.
//!
//! T. Seufert, C. Scholl: *fbPDR: In-depth combination of forward and backward analysis in
//! Property Directed Reachability*, DATE 2019, and the extended abstract of that name; exchange
//! of obligations from *Combining PDR and Reverse PDR for hardware model checking*, DATE 2018.
//!
//! Both directions are PDR ([`crate::pdr`]) with a guide, and are paused between two obligations.
//! After every turn a direction shares obligations, lemmas (`dual_rail`) and depths with the other
//! (`exchange`), which asks its guide for them (`guide`, `foreign`, `hints`). Each exchange can be
//! switched off ([`FbOptions`]); with all of them off, the two searches are those of two separate
//! runs. `docs/design/fbpdr.md` explains why this is sound.
//!
//! Deviations. Turns are measured in work rather than in time, so that runs are reproducible, and
//! they start short, so that exchanges happen on small models, too. Those of the direction that got
//! further for its work in its last turn are twice as long as those of the other; at first this is
//! the forward one, the better one on most models. Lemmas are admitted by
//! a query; admitting them by the theorem is an option. In addition to lemmas from the theorem, the
//! other direction's frames give hints for generalisation. Running both directions at the same
//! time, in two threads, was tried and did not help: mostly one of them decides, and it has to wait
//! for the other at every exchange.

mod claims;
mod dual_rail;
mod exchange;
mod foreign;
mod guide;
mod hints;
mod options;
mod search;
mod side;

pub use exchange::Exchanges;
pub use foreign::Published;
pub use options::{CHOICES, FbOptions, Import, Lemmas};

use crate::context::{Context, End, Engine, Reason};
use crate::events::{Direction, Event, Progress};
use crate::pdr::PdrOptions;
use guide::Meeting;
use pedra_model::bits::BitSystem;
use pedra_model::lit::Lit;
use pedra_model::trace::BitTrace;
use search::Half;
use side::{Shared, Side};
use std::cmp::Ordering;

/// fbPDR for all properties of a system.
pub struct FbPdr<'a> {
    forward: Half<'a>,
    reverse: Half<'a>,
    options: FbOptions,
    properties: usize,
    /// Whose turn it is.
    turn: Direction,
    /// Units of work in a slice of the direction that leads.
    work: u64,
    /// Which direction leads: its slices are the longer ones.
    leader: Direction,
    /// What the last slices have come to.
    last: [Slice; 2],
    exchanges: Exchanges,
}

/// What a slice has come to.
#[derive(Copy, Clone, Default)]
struct Slice {
    work: u64,
    /// Steps that it has shown to be safe, beyond those that were known.
    steps: u64,
}

impl Slice {
    /// Which of two got further for its work.
    fn compare(self, other: Slice) -> Ordering {
        let pace = |steps: u64, other: u64| u128::from(steps) * u128::from(other);
        pace(self.steps, other.work).cmp(&pace(other.steps, self.work))
    }
}

/// How much longer a slice is than the one before.
const GROWTH: (u64, u64) = (3, 2);

impl<'a> FbPdr<'a> {
    /// Two engines that have not looked at any frame yet.
    pub fn new(system: &'a BitSystem, pdr: PdrOptions, options: FbOptions) -> FbPdr<'a> {
        // Obligations are exchanged, and a meeting of two has to be a counterexample.
        // The other direction knows reached states: samples take 1.14 of the time here.
        let pdr = PdrOptions { samples: 0, ..pdr.exact() };
        FbPdr {
            forward: Half::new(system, pdr, Direction::Forward, options.successors),
            reverse: Half::new(system, pdr, Direction::Backward, options.successors),
            options,
            properties: system.properties().len(),
            turn: Direction::Forward,
            work: options.slice,
            leader: Direction::Forward,
            last: [Slice::default(); 2],
            exchanges: Exchanges::default(),
        }
    }

    /// The cubes that a frame of a direction excludes, `None` if it is not open. Variable `i + 1`
    /// is latch `i`; one more, if there is one, is true in the first step only.
    pub fn excluded(&self, direction: Direction, level: usize) -> Option<Vec<Vec<Lit>>> {
        self.search(direction).excluded(level)
    }

    /// The obligations of the other direction that a direction knows of.
    pub fn heard(&self, direction: Direction) -> Vec<Published> {
        self.search(direction).heard()
    }

    fn search(&self, direction: Direction) -> &Half<'a> {
        match direction {
            Direction::Forward => &self.forward,
            Direction::Backward => &self.reverse,
        }
    }

    fn search_mut(&mut self, direction: Direction) -> &mut Half<'a> {
        match direction {
            Direction::Forward => &mut self.forward,
            Direction::Backward => &mut self.reverse,
        }
    }

    /// What was exchanged so far.
    pub fn exchanges(&self) -> Exchanges {
        self.exchanges
    }

    /// One turn: the direction whose turn it is runs for a slice, and tells what it knows. Gives
    /// the reason if it is at its end.
    pub fn turn(&mut self, context: &Context) -> Option<Reason> {
        let direction = self.turn;
        let (work, voided) = self.effort(direction);
        let safe = self.safe_steps();
        let ended = self.run_slice(context, direction);
        let steps = self.safe_steps().saturating_sub(safe);
        let now = self.effort(direction);
        let (work, voided) = (now.0.saturating_sub(work), now.1 - voided);
        context.detail(|| Event::SliceEnded { direction, work, voided });
        if let Some(meeting) = self.search_mut(direction).take_meeting() {
            self.stitch(context, direction, meeting);
        }
        if ended.is_none() && !self.open(context).is_empty() {
            self.exchange(context, direction);
        }
        self.last[direction as usize] = Slice { work, steps };
        if direction == Direction::Backward {
            if self.options.follow {
                self.choose_leader();
            }
            self.work = (self.work / GROWTH.1).saturating_mul(GROWTH.0).saturating_add(1);
        }
        self.turn = other(direction);
        ended
    }

    /// A round is over: the direction that got further for its work leads. Heuristic.
    fn choose_leader(&mut self) {
        let [forward, reverse] = self.last;
        self.leader = match forward.compare(reverse) {
            Ordering::Less => Direction::Backward,
            Ordering::Equal => self.leader,
            Ordering::Greater => Direction::Forward,
        };
    }

    /// Lets a direction run until its slice ends. Gives the reason if there is no use in going
    /// on.
    fn run_slice(&mut self, context: &Context, direction: Direction) -> Option<Reason> {
        let slice = match direction == self.leader {
            true => self.work,
            false => (self.work / 100 * self.options.share as u64).max(1),
        };
        let shared = Shared::new(context);
        let side = Side { shared: &shared, direction };
        let search = self.search_mut(direction);
        let pause = search.search.work().saturating_add(slice);
        search.search.set_pause(Some(pause));
        let End { reason, .. } = search.run(&Context { events: &side, ..context.clone() });
        if context.interrupt.is_raised() {
            return Some(Reason::Interrupted);
        }
        // A slice that ended is no reason to end, and neither is a meeting.
        matches!(reason, Reason::DepthLimit | Reason::SettledElsewhere).then_some(reason)
    }

    /// The counterexample of two obligations that meet: the path into a common state from the
    /// reverse direction, the inputs from there on from the forward one.
    fn stitch(&mut self, context: &Context, direction: Direction, meeting: Meeting) {
        let (forward, reverse) = match direction {
            Direction::Forward => (meeting.own, meeting.foreign.number),
            Direction::Backward => (meeting.foreign.number, meeting.own),
        };
        let known = self.search(other(direction)).obligation(meeting.foreign.number);
        if known.as_deref() != Some(&*meeting.foreign.cube) {
            // That search was begun anew.
            self.search_mut(direction).hear(Vec::new());
            return;
        }
        let cubes = [self.forward.obligation(forward), self.reverse.obligation(reverse)];
        let [Some(one), Some(two)] = cubes else { return };
        let mut common: Vec<Lit> = [one, two].concat();
        common.sort_unstable();
        common.dedup();
        let Some((property, suffix)) = self.forward.suffix(forward) else { return };
        let Some(path) = self.reverse.prefix(reverse, common) else { return };
        if !context.is_open(property) {
            return;
        }
        let initial = path.initial;
        let inputs = [path.inputs, suffix].concat();
        context.detail(|| Event::Met { step: inputs.len() - 1, forward, reverse });
        self.exchanges.meetings += 1;
        let trace = BitTrace { property, initial, inputs, loop_start: None };
        context.violate(property, trace);
    }

    /// The work of a direction so far, and its obligations that were void.
    fn effort(&self, direction: Direction) -> (u64, u64) {
        let search = self.search(direction);
        (search.search.work(), search.voided())
    }

    /// The properties that need work.
    fn open(&self, context: &Context) -> Vec<usize> {
        context.open(self.properties)
    }

    /// How many steps are known to be safe.
    fn safe_steps(&self) -> u64 {
        self.safe_up_to().map_or(0, |step| step as u64 + 1)
    }

    /// The last step that is known to be safe.
    fn safe_up_to(&self) -> Option<usize> {
        let [one, two] = [&self.forward, &self.reverse].map(|half| half.search.safe().safe_up_to());
        one.max(two)
    }
}

/// The opposite direction.
fn other(direction: Direction) -> Direction {
    match direction {
        Direction::Forward => Direction::Backward,
        Direction::Backward => Direction::Forward,
    }
}

impl Engine for FbPdr<'_> {
    fn name(&self) -> &'static str {
        "fbpdr"
    }

    fn run(&mut self, context: &Context) -> End {
        let open = self.open(context).len();
        context.emit(|| Event::Started { engine: "fbpdr", open });
        let reason = loop {
            if self.open(context).is_empty() {
                break Reason::SettledElsewhere;
            }
            if let Some(reason) = self.turn(context) {
                break reason;
            }
        };
        let open = self.open(context).len();
        context.emit(|| Event::Finished { open, progress: self.progress() });
        self.forward.tell_exchanged(context);
        self.reverse.tell_exchanged(context);
        End { reason, safe_up_to: self.safe_up_to() }
    }

    fn progress(&self) -> Progress {
        let [one, two] = [&self.forward, &self.reverse].map(|half| half.progress());
        Progress {
            depth: one.depth.max(two.depth),
            frames: one.frames + two.frames,
            lemmas: one.lemmas + two.lemmas,
            obligations: one.obligations + two.obligations,
            queries: one.queries + two.queries,
            conflicts: one.conflicts + two.conflicts,
        }
    }
}
