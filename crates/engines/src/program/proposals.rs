//! When candidates are tried: before the first frame, within a budget.
//!
//! Most candidates are refuted soon, and what is left proves many programs before any search. But a
//! few equations with large factors can make Houdini's queries slow, in programs that PDR decides
//! at once without them. Trying candidates therefore takes turns with the search, as the search
//! over integers does: a turn at each level that is a power of two, each twice as long as the last.
//! What a turn has refuted stays refuted, and nothing is an invariant before the last turn is over.

use super::candidates::candidates;
use super::cases::weakened;
use super::houdini::inductive_part;
use super::queries::Queries;
use super::samples::Samples;
use crate::context::Context;
use crate::trace::{Place, Stopped};
use pedra_model::term::TermId;

/// How long the first turn is, in looks at the interrupt: about half a second. Most programs with
/// useful candidates need less.
const FIRST_TURN: u64 = 4_000;

/// How often phases are looked for: a loop with a few phases, and another one behind it.
const MAX_CROSSINGS: usize = 4;

/// For each location what is proposed.
type Candidates = Vec<Vec<TermId>>;

/// Candidates that are being looked at.
pub(super) struct Proposals {
    samples: Samples,
    /// What was proposed, in this stage.
    all: Candidates,
    /// What is not yet refuted of it.
    left: Candidates,
    /// Whether what was refuted before is proposed once more, under conditions.
    is_weakened: bool,
    turns: u32,
    /// How often phases were looked for.
    crossings: usize,
    seed: u64,
}

impl Proposals {
    /// What samples show of a program.
    pub(super) fn new(queries: &mut Queries, samples: Samples, seed: u64) -> Proposals {
        let all = candidates(&mut queries.graph, &samples);
        Proposals {
            samples,
            left: all.clone(),
            all,
            is_weakened: false,
            turns: 0,
            crossings: 0,
            seed,
        }
    }

    /// Looks on for one more turn. Gives invariants, if a stage is over in it.
    pub(super) fn look(
        &mut self,
        queries: &mut Queries,
        context: &Context,
    ) -> Result<Option<Candidates>, Stopped> {
        let looks = FIRST_TURN << self.turns.min(32);
        self.turns += 1;
        let within =
            Context { interrupt: context.interrupt.child_with_looks(looks), ..context.clone() };
        queries.set_interrupt(&within);
        let answer = inductive_part(queries, &mut self.left);
        queries.set_interrupt(context);
        match answer {
            Ok(()) => Ok(Some(std::mem::take(&mut self.left))),
            Err(Stopped(_)) if !context.interrupt.is_raised() => Ok(None),
            Err(stopped) => Err(stopped),
        }
    }

    /// The next stage, given what was kept in this one: what was refuted, under conditions; then
    /// candidates for locations to which no run has come, behind those with new invariants, in a
    /// program with slots; in others candidates for later phases of loops. `None` if there is none.
    pub(super) fn next_stage(
        mut self,
        queries: &mut Queries,
        kept: &Candidates,
    ) -> Result<Option<Self>, Stopped> {
        if !self.is_weakened {
            for (refuted, kept) in self.all.iter_mut().zip(kept) {
                refuted.retain(|term| !kept.contains(term));
            }
            let all = weakened(&mut queries.graph, &self.samples, &self.all);
            return Ok(Some(Proposals { left: all.clone(), all, is_weakened: true, ..self }));
        }
        // Where there are no positions leaps cost more than they bring.
        let new = match queries.graph.positions.is_empty() {
            false => self.samples.leap(queries, self.seed)?,
            true if self.crossings == MAX_CROSSINGS || queries.graph.has_calls() => Vec::new(),
            true => {
                self.crossings += 1;
                self.samples.cross(queries, self.seed)?
            }
        };
        if new.is_empty() {
            return Ok(None);
        }
        let mut all = candidates(&mut queries.graph, &self.samples);
        for at in queries.graph.locations().filter(|at| !new.contains(at)) {
            all[at.index()].clear();
        }
        Ok(Some(Proposals { left: all.clone(), all, is_weakened: false, ..self }))
    }
}
