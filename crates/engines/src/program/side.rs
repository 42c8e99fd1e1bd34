//! Search in integers, certify in bit-vectors.
//!
//! For a program over words, lifted PDR also works on its image over the integers
//! ([`pedra_program::passes::integers`]), where lemmas are sums and nothing wraps around. What it
//! learns there is read back, exactly, and proposed at the same locations of the program. Houdini
//! keeps the part that is inductive for words, so that nothing of the image has to be trusted.
//!
//! One more property of the image is that no value leaves the range of its variable. If it is
//! proved, all invariants of the image are inductive for words, too.
//!
//! All of it is heuristic: neither proofs nor violations of the image are answers.

use super::Lifted;
use super::graph::Graph;
use super::options::ProgramOptions;
use crate::context::{Context, Outcome};
use crate::ledger::Ledger;
use crate::trace::Place;
use pedra_model::blast::BlastOptions;
use pedra_model::program::PlaceId;
use pedra_model::proof::Proof;
use pedra_model::term::{TermId, Terms};
use pedra_program::passes::integers::{IntegerImage, integer_image};
use pedra_program::{LowerOptions, Lowered, lower};
use std::sync::Arc;

/// How long the first turn is, in looks at the interrupt; each turn is twice as long as the last.
const FIRST_TURN: u64 = 1_000;

/// Lemmas of one location beyond this number are left out.
const MAX_PROPOSED: usize = 100;

/// A search over the integers beside one over words.
pub(super) struct Side {
    image: IntegerImage,
    lowered: Arc<Lowered>,
    search: Box<Lifted>,
    ledger: Arc<Ledger>,
    properties: usize,
    turns: u32,
    /// Whether all that there is to propose was looked at.
    is_done: bool,
}

impl Side {
    /// A search over the image of a program; `None` if it has none.
    pub(super) fn new(
        lowered: &Lowered,
        properties: &[usize],
        options: ProgramOptions,
        blasting: &BlastOptions,
    ) -> Option<Side> {
        let image = integer_image(&lowered.blocks.program)?;
        let options_of_lowering = LowerOptions { elements: false, ..LowerOptions::default() };
        let lowered = Arc::new(lower(&image.program, &options_of_lowering).ok()?);
        if !lowered.has_integers() {
            return None;
        }
        let all: Vec<usize> = properties.iter().copied().chain([image.exactness()]).collect();
        let search = Box::new(Lifted::new(lowered.clone(), &all, options, blasting));
        let (ledger, properties) = (Arc::default(), all.len());
        Some(Side { image, lowered, search, ledger, properties, turns: 0, is_done: false })
    }

    /// Searches for one more turn. Then proposes for each location of the program what is known of
    /// it: the invariants of a proof, or the lemmas so far. `None` if there is no more to come.
    pub(super) fn propose(
        &mut self,
        context: &Context,
        graph: &mut Graph,
    ) -> Option<Vec<Vec<TermId>>> {
        if self.is_done {
            return None;
        }
        let looks = FIRST_TURN << self.turns.min(32);
        self.turns += 1;
        self.search.search(&Context {
            interrupt: context.interrupt.child_with_looks(looks),
            seed: context.seed,
            ledger: self.ledger.clone(),
            ..Context::default()
        });
        Some(self.read_back(graph))
    }

    /// What was proposed was looked at. An interrupted look does not count: it is proposed again.
    pub(super) fn looked_at(&mut self) {
        self.is_done = self.ledger.open(self.properties).is_empty();
    }

    /// What is known, at the locations of the program.
    fn read_back(&mut self, graph: &mut Graph) -> Vec<Vec<TermId>> {
        let mut found: Vec<Vec<TermId>> = graph.locations().map(|_| Vec::new()).collect();
        let places: Vec<PlaceId> = graph.blocks().cuts.iter().map(|cut| cut.place).collect();
        let lowered = graph.lowered.clone();
        for (terms, place, condition) in self.known() {
            let original = self.lowered.inlined.places[place.index()].1.place;
            let program = &lowered.blocks.program;
            let word = self.image.word(&terms, condition, program, &mut graph.terms);
            let Some(word) = word else { continue };
            for at in graph.locations().filter(|at| places[at.index()] == original) {
                let here = &mut found[at.index()];
                if here.len() < MAX_PROPOSED {
                    here.extend(graph.at(at, word));
                }
            }
        }
        found
    }

    /// Conditions of the image's places: those of proofs; without any, all lemmas.
    fn known(&mut self) -> Vec<(Arc<Terms>, PlaceId, TermId)> {
        let mut known = Vec::new();
        for property in 0..self.properties {
            let Outcome::Proved(proof) = self.ledger.outcome(property) else { continue };
            let Proof::Program(proof) = &*proof else { continue };
            let terms = Arc::new(proof.terms.clone());
            for (&place, conditions) in &proof.invariants {
                known.extend(conditions.iter().map(|&c| (terms.clone(), place, c)));
            }
        }
        if known.is_empty() {
            let (terms, clauses) = self.search.clauses();
            let terms = Arc::new(terms);
            known.extend(clauses.into_iter().map(|(place, c)| (terms.clone(), place, c)));
        }
        known
    }
}
