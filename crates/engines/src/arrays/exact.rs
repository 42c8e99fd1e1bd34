//! Bounded model checking with arrays of any size, by lemmas on demand (Brummayer, Biere, 2009):
//! reads give anything, until a model of the formula says of a read what cannot be. Then what
//! follows from the writes on its way is added, for these writes alone.
//!
//! The query, with the lemmas `L` so far, each an assumption:
//!
//! `Init(s₀) ∧ ⋀ T(sᵢ,sᵢ₊₁) ∧ ⋀_{i≤n} C(sᵢ) ∧ bad(sₙ) ∧ L`
//!
//! In a model each read is followed backwards through writes, choices and steps, as far as
//! addresses and conditions have it in this model: to a value that was written, to a constant
//! array, or to a cell that is given from outside. The lemma is: under the same conditions the read
//! has that value; or two reads of one cell have the same.

use super::model::{Clash, Model};
use super::steps::{Address, Steps};
use crate::context::Context;
use pedra_model::blast::{BlastError, BlastOptions, Blaster};
use pedra_model::lit::Lit;
use pedra_model::slots::{Slot, WithArrays};
use pedra_model::term::{BinaryOp, Term, TermId};
use pedra_model::trace::WordTrace;
use pedra_model::value::Value;
use pedra_solve::bv::value_of_bits;
use pedra_solve::cadical::Preset;
use pedra_solve::encode::FrameEncoder;
use pedra_solve::{SatResult, SatSolver};
use rustc_hash::FxHashSet;
use std::cmp::Reverse;

/// What there is at a depth.
pub(super) enum Found {
    /// A path to the bad.
    Violation(WordTrace),
    /// None. Reads on which that rests, as slots, those nearest to the end first.
    Nothing(Vec<Slot>),
    /// It was interrupted.
    Stopped,
}

/// A lemma: a one-bit term that is true of the system, and the reads that it is about.
struct Lemma {
    lit: Lit,
    /// Each with the array that it reads in its own step.
    reads: Vec<(TermId, TermId)>,
}

/// Paths of a system with large arrays, and what is known of its reads.
pub(super) struct Exact {
    pub(super) steps: Steps,
    blaster: Blaster,
    encoder: FrameEncoder,
    sat: Option<Box<dyn SatSolver>>,
    /// Terms that the solver knows.
    known: FxHashSet<TermId>,
    /// Their symbols.
    pub(super) symbols: Vec<TermId>,
    lemmas: Vec<Lemma>,
    /// Queries so far.
    pub(super) queries: u64,
}

impl Exact {
    pub(super) fn new(of: WithArrays, blasting: &BlastOptions) -> Exact {
        Exact {
            steps: Steps::new(of),
            blaster: Blaster::new(blasting),
            encoder: FrameEncoder::new(),
            sat: None,
            known: FxHashSet::default(),
            symbols: Vec::new(),
            lemmas: Vec::new(),
            queries: 0,
        }
    }

    /// A path of this many transitions to a bad?
    ///
    /// # Errors
    /// If the circuit becomes too large.
    pub(super) fn check(
        &mut self,
        property: usize,
        depth: usize,
        context: &Context,
    ) -> Result<Found, BlastError> {
        self.solver(context).set_interrupt(context.interrupt.clone());
        let system = &self.steps.of.system;
        let bad = system.bads[property].term;
        let constraints: Vec<TermId> = system.constraints.iter().map(|c| c.term).collect();
        let mut path = Vec::new();
        for step in 0..=depth {
            for &constraint in &constraints {
                path.push(self.condition(step, constraint)?);
            }
            if context.interrupt.poll() {
                return Ok(Found::Stopped);
            }
        }
        path.push(self.condition(depth, bad)?);
        loop {
            self.queries += 1;
            let mut assumptions = path.clone();
            assumptions.extend(self.lemmas.iter().map(|lemma| lemma.lit));
            match self.solver(context).solve(&assumptions) {
                SatResult::Unknown => return Ok(Found::Stopped),
                SatResult::Unsat => return Ok(Found::Nothing(self.blamed(depth))),
                SatResult::Sat => {}
            }
            match Model::new(self).find_clashes(property, depth, &context.interrupt) {
                None => return Ok(Found::Stopped),
                Some(Err(trace)) => return Ok(Found::Violation(trace)),
                Some(Ok(clashes)) => {
                    for clash in clashes {
                        self.add_lemma(clash)?;
                    }
                }
            }
        }
    }

    fn solver(&mut self, context: &Context) -> &mut dyn SatSolver {
        &mut **self.sat.get_or_insert_with(|| context.new_solver(Preset::Default))
    }

    /// The literal of a one-bit term of the system in a step.
    fn condition(&mut self, step: usize, term: TermId) -> Result<Lit, BlastError> {
        let image = self.steps.image(step, term);
        self.lit(image)
    }

    /// The literal of a one-bit term of the steps.
    fn lit(&mut self, term: TermId) -> Result<Lit, BlastError> {
        let mut stack = vec![term];
        while let Some(id) = stack.pop() {
            if !self.known.insert(id) {
                continue;
            }
            if self.steps.terms.symbol_of(id).is_some() {
                self.blaster.bind_leaves(&self.steps.terms, id)?;
                self.symbols.push(id);
            }
            stack.extend(self.steps.terms.get(id).args());
        }
        let bit = self.blaster.bit(&self.steps.terms, term)?;
        let solver = self.sat.as_mut().expect("made before");
        Ok(self.encoder.encode(self.blaster.aig(), &mut **solver, bit))
    }

    /// The value of a symbol that the solver knows, in its last model.
    pub(super) fn symbol_value(&mut self, symbol: TermId) -> Value {
        let bits = self.blaster.bits(&self.steps.terms, symbol).expect("it is bound");
        let solver = self.sat.as_deref().expect("there is a model");
        let value = |&bit: &Lit| self.encoder.value(solver, bit).unwrap_or(false);
        let bits: Vec<bool> = bits.iter().map(value).collect();
        value_of_bits(self.steps.terms.sort(symbol), &bits)
    }

    /// `¬conditions ∨ conclusion`
    fn add_lemma(&mut self, clash: Clash) -> Result<(), BlastError> {
        let terms = &mut self.steps.terms;
        let mut lemma = clash.conclusion;
        for condition in clash.conditions {
            let negated = terms.not(condition);
            lemma = terms.or(negated, lemma);
        }
        let lit = self.lit(lemma)?;
        self.lemmas.push(Lemma { lit, reads: clash.reads });
        Ok(())
    }

    /// Slots for the reads of the lemmas that the last answer rests on.
    fn blamed(&mut self, depth: usize) -> Vec<Slot> {
        let solver = self.sat.as_deref().expect("it was asked");
        let blamed = self.lemmas.iter().filter(|lemma| solver.is_failed(lemma.lit));
        let mut reads: Vec<(TermId, TermId)> =
            blamed.flat_map(|lemma| lemma.reads.iter().copied()).collect();
        let step_of = |read: TermId| self.steps.reads[&read].step;
        reads.sort_unstable_by_key(|&(read, array)| (Reverse(step_of(read)), read, array));
        reads.dedup();
        let mut slots = Vec::new();
        for (read, array) in reads {
            let read = self.steps.reads[&read];
            let address = match read.address {
                Address::Term(term) => term,
                Address::Constant(term) => self.steps.constant_of_system(term),
            };
            slots.push(Slot { array, address, delay: depth - read.step });
        }
        slots
    }

    /// `a = b`, as a term of the steps.
    pub(super) fn equal(&mut self, a: TermId, b: TermId) -> TermId {
        self.steps.terms.simplified(Term::Binary(BinaryOp::Eq, a, b))
    }

    /// Whether the solver knows a symbol.
    pub(super) fn knows(&self, symbol: TermId) -> bool {
        self.known.contains(&symbol)
    }
}
