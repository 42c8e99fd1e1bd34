//! Lifted PDR: a trace of frames for each location of a program.
//!
//! After the slides *Property-Directed Reachability, lifted to software* and T. Lange, M. R.
//! Neuhäußer, T. Noll: *IC3 Software Model Checking on Control Flow Automata* (FMCAD 2015). The
//! loop is that of every PDR (`trace::Search`). No program counter is encoded: a lemma belongs to
//! one location, an obligation walks edges backwards, and both are about the program's own
//! variables.
//!
//! What the slides leave open or get wrong, and what is done here:
//! - A cube is excluded only if *all* edges into its location say so; the slides strengthen after
//!   one (`queries`).
//! - The preimage is existential, by implicants and projection (`predecessor`).
//! - The induction hypothesis strengthens the source only of an edge from a location to itself.
//! - Frames are δ-encoded and lemmas are pushed; the slides compare frames as formulas.
//! - Locations are the entry, loop heads and error places; edges are large blocks, so that loops
//!   are edges from a location to itself most of the time.
//!
//! One code serves bit-vectors and integers ([`pedra_solve::terms`]). Soundness of proofs rests on
//! `queries`, and on the checks of `certify`; that of violations on the replay.

mod audit;
mod calling;
mod calls;
mod candidates;
mod cases;
mod curves;
mod evidence;
mod facts;
#[cfg(test)]
mod fixture;
mod generalize;
mod graph;
mod houdini;
mod implicant;
mod interpolant;
mod kernel;
mod linear;
mod options;
mod predecessor;
mod predicates;
mod proposals;
mod queries;
mod runs;
mod samples;
mod side;
mod slotted;
mod space;
mod units;
mod words;

pub use options::{CHOICES, ProgramOptions, ProgramVariant};
pub use runs::Runs;
pub use samples::reached_at;
pub use slotted::Slotted;

use crate::context::{Context, End, Engine, Reason};
use crate::events::{Event, Progress};
use crate::trace::{LemmaId, Level, NoGuide, Place, Policy, Search, Stopped};
use graph::Graph;
use pedra_model::blast::BlastOptions;
use pedra_model::program::PlaceId;
use pedra_model::term::{TermId, Terms};
use pedra_program::Lowered;
use pedra_solve::terms::{Theory, theory_of};
use queries::Queries;
use side::Side;
use space::Locations;
use std::sync::Arc;

/// Lifted PDR for some properties of a program.
pub struct Lifted {
    lowered: Arc<Lowered>,
    /// The chosen properties; outcomes are by position in this list.
    properties: Vec<usize>,
    options: ProgramOptions,
    blasting: BlastOptions,
    /// The positions of slots, if the program has any.
    positions: Vec<TermId>,
    search: Search<Locations>,
}

impl Lifted {
    /// An engine that has not looked at any frame yet.
    pub fn new(
        lowered: Arc<Lowered>,
        properties: &[usize],
        options: ProgramOptions,
        blasting: &BlastOptions,
    ) -> Lifted {
        // Blocked obligations come up again at the next level.
        let propagate = options.generalizes();
        let policy = Policy { persistent: true, max_activity: None, propagate };
        Lifted {
            lowered,
            properties: properties.to_vec(),
            options,
            blasting: blasting.clone(),
            positions: Vec::new(),
            search: Search::new(properties.len(), policy),
        }
    }

    /// The same for a program with slots, whose positions are these variables.
    fn with_positions(self, positions: &[TermId]) -> Lifted {
        Lifted { positions: positions.to_vec(), ..self }
    }

    /// Lets the next run end with [`Reason::Budget`] after about this many propagations.
    pub fn limit_propagations(&mut self, count: u64) {
        self.search.set_pause(Some(self.search.work().saturating_add(count)));
    }

    fn begin(&mut self, context: &Context) -> Result<(), Stopped> {
        let Lifted { lowered, properties, options, blasting, positions, search } = self;
        let locations = search.begin(|| {
            let mut graph = match options.is_full() && options.refine {
                true => Graph::refined(lowered.clone()),
                false => Graph::new(lowered.clone()),
            };
            graph.positions.clone_from(positions);
            let blocks = lowered.blocks.cuts.iter().flat_map(|cut| &cut.blocks);
            let roots = blocks.flat_map(|block| block.values.iter().chain([&block.guard]));
            let calls = lowered.blocks.cuts.iter().flat_map(|cut| &cut.returns);
            let calls = calls.flat_map(|call| call.values.iter().chain([&call.condition]));
            let theory = theory_of(&graph.terms, roots.chain(calls).copied())
                .map_err(|_| Stopped(Reason::Unsupported("integers and bit-vectors together")))?;
            let is_aside = theory == Theory::Bits && options.is_full() && options.integers;
            // The image of a program knows nothing of calls.
            let is_aside = is_aside && !graph.has_calls();
            let side = is_aside.then(|| Side::new(lowered, properties, *options, blasting));
            let side = side.flatten();
            let mut queries = Queries::new(graph, theory, blasting);
            queries.splits_sums = options.widens_units() && queries.has_units();
            Ok(Locations {
                queries,
                options: *options,
                properties: properties.clone(),
                guide: NoGuide,
                implied_with: None,
                proposals: None,
                units: None,
                side,
            })
        })?;
        locations.queries.set_interrupt(context);
        Ok(())
    }

    /// The loop, as long as the context allows.
    fn search(&mut self, context: &Context) -> Reason {
        self.search.reopen(context);
        match self.begin(context).and_then(|()| self.search.pdr(context)) {
            Ok(reason) => reason.unwrap_or(Reason::SettledElsewhere),
            Err(Stopped(reason)) => reason,
        }
    }

    /// What is known of places: the clauses of all lemmas, with their store. Highest levels first.
    fn clauses(&mut self) -> (Terms, Vec<(PlaceId, TermId)>) {
        let Some((Locations { queries, .. }, _)) = self.search.parts_mut() else {
            return (Terms::new(), Vec::new());
        };
        let mut ids: Vec<LemmaId> = queries.frames.lemmas_everywhere(Level::ZERO).collect();
        ids.sort_by_key(|&id| std::cmp::Reverse(queries.frames.lemma(id).level()));
        let Queries { graph, predicates, frames, .. } = queries;
        let clause = |id: LemmaId| {
            let at = frames.place(id);
            let mut clause = predicates.clause(&mut graph.terms, frames.lemma(id).set());
            for (bit, value) in graph.given(at) {
                let elsewhere = if value { graph.terms.not(bit) } else { bit };
                clause = graph.terms.or(elsewhere, clause);
            }
            (graph.blocks().cuts[at.index()].place, clause)
        };
        let clauses = ids.into_iter().map(clause).collect();
        (graph.terms.clone(), clauses)
    }
}

impl Engine for Lifted {
    fn name(&self) -> &'static str {
        "program"
    }

    fn run(&mut self, context: &Context) -> End {
        let open = self.search.open(context).len();
        context.emit(|| Event::Started { engine: "program", open });
        let reason = self.search(context);
        let open = self.search.open(context).len();
        context.emit(|| Event::Finished { open, progress: self.progress() });
        End { reason, safe_up_to: self.search.safe().safe_up_to() }
    }

    fn progress(&self) -> Progress {
        self.search.report()
    }
}
