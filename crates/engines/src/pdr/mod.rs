//! PDR, property-directed reachability, also known as IC3, over the bits of a system.
//!
//! - A. R. Bradley: *SAT-Based Model Checking without Unrolling*, VMCAI 2011: the algorithm;
//!   `mic` and `down` in `generalize`.
//! - N. Eén, A. Mishchenko, R. Brayton: *Efficient Implementation of Property Directed
//!   Reachability*, FMCAD 2011: δ-encoded frames and the queue of obligations (`trace`), lifting.
//! - The lecture slides *Property-Directed Reachability (a simplified version)*: the ladder from
//!   single states to the full algorithm ([`Variant`]), and the words of the main loop.
//! - Z. Hassan, A. R. Bradley, F. Somenzi, FMCAD 2013: counterexamples to generalisation.
//!
//! The loop is that of every PDR, `trace::Search`. This module is what it must know about a system:
//! `bits` (cubes of literals as a space), `relative` (all queries; owns the frame index), `solvers`
//! (one for each frame), `start` (the start set), `lift`, `abstraction`, `generalize`, `relation`
//! and `transition` (what solvers see), `solver` (which solver it is), `options`, `choices` (the
//! options by name); `direction` (Reverse PDR is the same engine), `successor` (its obligations),
//! `evidence` (proofs and traces of both).

mod abstraction;
mod activity;
mod audit;
mod bits;
mod choices;
mod counts;
mod definitions;
mod direction;
mod encode;
mod evidence;
mod generalize;
mod lift;
mod memory;
mod options;
mod relation;
mod relative;
mod samples;
mod signals;
mod simplify;
mod solver;
mod solvers;
mod start;
mod strategy;
mod successor;
mod take;
mod transition;
mod trigger;

pub(crate) use bits::Bits;
pub use choices::CHOICES;
pub use counts::{Counts, Purpose};
pub(crate) use definitions::Definitions;
pub use direction::Successors;
pub(crate) use evidence::{Prefix, prefix, suffix};
pub use options::{DropOrder, Generalize, Lift, PdrOptions, Variant};
pub(crate) use relative::{Hypothesis, Induction};
pub(crate) use simplify::simplify_relation;
pub(crate) use solver::Stopped;
pub(crate) use transition::{Horizon, Transition};
pub(crate) use trigger::StateBits;

use crate::context::{Context, End, Engine, Reason};
use crate::events::{Direction, Event, Progress, Summary};
use crate::trace::{self, CubeIndex, Guide, Level, NoGuide, Search, Trace};
use direction::engine_name;
use pedra_model::bits::BitSystem;
use pedra_model::lit::Lit;

/// Lemmas that exclude cubes.
pub(crate) type Frames = Trace<[Lit], CubeIndex>;
/// A cube that leads to a violation, with the inputs of its step.
pub(crate) type Obligation = trace::Obligation<[Lit], Box<[Lit]>>;
/// All of them.
pub(crate) type Obligations = trace::Obligations<[Lit], Box<[Lit]>>;

/// A query costs some ten microseconds even if it propagates nothing: as much as this many
/// propagations.
pub(crate) const QUERY_WORK: u64 = 100;

/// PDR for all properties of a system.
pub struct Pdr<'a>(BitPdr<'a, NoGuide>);

impl<'a> Pdr<'a> {
    /// An engine that has not looked at any frame yet.
    pub fn new(system: &'a BitSystem, options: PdrOptions) -> Pdr<'a> {
        Pdr(BitPdr::new(system, options, Direction::Forward, Successors::default()))
    }

    /// The same engine on the transition relation read backwards: Reverse PDR.
    pub fn reverse(system: &'a BitSystem, options: PdrOptions, successors: Successors) -> Pdr<'a> {
        Pdr(BitPdr::new(system, options, Direction::Backward, successors))
    }

    /// Where the queries went so far.
    pub fn counts(&self) -> Counts {
        self.0.search.get().map(|bits| bits.memory.counts).unwrap_or_default()
    }
}

impl Engine for Pdr<'_> {
    fn name(&self) -> &'static str {
        self.0.name()
    }

    fn run(&mut self, context: &Context) -> End {
        let end = self.0.run(context);
        self.0.tell_exchanged(context);
        end
    }

    fn progress(&self) -> Progress {
        self.0.progress()
    }
}

/// PDR in either direction, alone or with a guide.
pub(crate) struct BitPdr<'a, G: Guide<[Lit]>> {
    pub(crate) system: &'a BitSystem,
    options: PdrOptions,
    pub(crate) direction: Direction,
    successors: Successors,
    pub(crate) search: Search<Bits<'a, G>>,
}

impl<'a, G: Guide<[Lit]> + Default> BitPdr<'a, G> {
    /// A search that has not begun.
    pub(crate) fn new(
        system: &'a BitSystem,
        options: PdrOptions,
        direction: Direction,
        successors: Successors,
    ) -> BitPdr<'a, G> {
        let search = Search::new(system.properties().len(), options.policy());
        BitPdr { system, options, direction, successors, search }
    }

    /// Makes the space, or lets it go on under this context.
    pub(crate) fn begin(&mut self, context: &Context) -> Result<(), trace::Stopped> {
        let BitPdr { system, options, direction, successors, .. } = *self;
        let make =
            || Ok(Bits::new(system, &options, direction, successors, G::default(), context)?);
        self.search.begin(make)?.set_interrupt(&context.interrupt);
        Ok(())
    }

    /// Restarts, with all answers but without any lemma.
    pub(crate) fn renew(&mut self, context: &Context) -> Result<(), trace::Stopped> {
        let BitPdr { system, options, direction, successors, .. } = *self;
        let bits = Bits::new(system, &options, direction, successors, G::default(), context)?;
        self.search.replace(Some(bits));
        Ok(())
    }

    /// The lemmas.
    ///
    /// # Panics
    /// Before [`begin`](BitPdr::begin).
    pub(crate) fn frames(&self) -> &Frames {
        &self.search.get().expect("begun").trace
    }

    /// The number of state variables, the constant included; 0 before [`begin`](BitPdr::begin).
    pub(crate) fn num_vars(&self) -> usize {
        self.search.get().map_or(0, |bits| bits.relation.transition.state_vars().end)
    }

    /// What the run amounts to so far.
    pub(crate) fn summary(&self) -> Summary {
        let Some(bits) = self.search.get() else { return Summary::default() };
        let levels = (1..=bits.trace.top().index()).map(Level::new);
        Summary {
            lemmas: levels.map(|level| bits.trace.delta((), level).len()).collect(),
            invariants: 0,
            learned: bits.trace.total(),
            work: bits.memory.counts.work(),
        }
    }

    /// Tells what this run has exchanged with other engines, if anything could be.
    pub(crate) fn tell_exchanged(&mut self, context: &Context) {
        let bits = self.search.parts_mut().map(|(bits, _)| bits);
        if let Some(member) = bits.and_then(|bits| bits.member.as_mut()) {
            let counts = std::mem::take(&mut member.counts);
            context.emit(|| Event::Exchanged(counts));
        }
    }

    pub(crate) fn name(&self) -> &'static str {
        engine_name(self.direction)
    }

    pub(crate) fn run(&mut self, context: &Context) -> End {
        let open = self.search.open(context).len();
        context.emit(|| Event::Started { engine: self.name(), open });
        if self.direction != Direction::default() {
            context.detail(|| Event::Turned { direction: self.direction });
        }
        self.search.reopen(context);
        let reason = match self.begin(context).and_then(|()| self.search.pdr(context)) {
            Ok(reason) => reason.unwrap_or(Reason::SettledElsewhere),
            Err(trace::Stopped(reason)) => reason,
        };
        context.emit(|| Event::Summary(self.summary()));
        let open = self.search.open(context).len();
        context.emit(|| Event::Finished { open, progress: self.progress() });
        End { reason, safe_up_to: self.search.safe().safe_up_to() }
    }

    pub(crate) fn progress(&self) -> Progress {
        self.search.report()
    }
}
