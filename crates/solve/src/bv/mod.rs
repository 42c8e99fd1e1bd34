//! Words: the incremental interface over terms.
//!
//! A [`BvSolver`] answers questions about one-bit terms. A term is blasted when it is first
//! asked for, and its circuit is encoded as definitions of our own solver; both are remembered,
//! so that a term that comes up again costs a lookup (*hot solving*, as the QF_BV PDR paper
//! calls it). What a question does not mention is outside of its domain and costs nothing, so
//! terms may be tried and forgotten freely.
//!
//! Two ways to assert:
//! - [`assert_if`](BvSolver::assert_if): a clause that holds where its activation literal is
//!   assumed; [`retract`](BvSolver::retract) ends it for good;
//! - the temporary clauses of one [`solve`](BvSolver::solve).
//!
//! Cores are over assumed literals, so over terms: each atom of a conjunction is one
//! assumption.

use crate::cdcl::Cdcl;
use crate::encode::FrameEncoder;
use crate::interrupt::Interrupt;
use crate::sat::{Budget, SatResult, SatSolver, SatStats};
use pedra_model::aig::Node;
use pedra_model::blast::{BlastError, BlastOptions, Blaster};
use pedra_model::bv::Bv;
use pedra_model::lit::{Lit, Var};
use pedra_model::term::{Scalar, Sort, TermId, Terms};
use pedra_model::value::{ArrayValue, Value};
use rustc_hash::FxHashMap;

/// A solver for questions about terms.
///
/// All calls must use the same store of terms, which may grow.
pub struct BvSolver {
    blaster: Blaster,
    encoder: FrameEncoder,
    sat: Cdcl,
}

impl BvSolver {
    /// A solver in which no symbol has a meaning yet.
    pub fn new(options: &BlastOptions) -> BvSolver {
        let (blaster, encoder) = (Blaster::new(options), FrameEncoder::new());
        BvSolver { blaster, encoder, sat: Cdcl::new() }
    }

    /// Brings a symbol, or another term whose meaning is not to count, into use: any value.
    ///
    /// # Errors
    /// If its array is too large to be expanded.
    pub fn bind(&mut self, terms: &Terms, symbol: TermId) -> Result<(), BlastError> {
        self.blaster.bind_leaves(terms, symbol).map(|_| ())
    }

    /// The literals of a term's bits, least significant first.
    ///
    /// # Errors
    /// If the circuit becomes too large, or a symbol is not in use.
    pub fn bits(&mut self, terms: &Terms, term: TermId) -> Result<Vec<Lit>, BlastError> {
        let bits = self.blaster.bits(terms, term)?.to_vec();
        let aig = self.blaster.aig();
        Ok(self.encoder.encode_all(aig, &mut self.sat.definer(), bits))
    }

    /// The literal of a one-bit term.
    ///
    /// # Errors
    /// As [`bits`](BvSolver::bits).
    pub fn lit(&mut self, terms: &Terms, term: TermId) -> Result<Lit, BlastError> {
        let bit = self.blaster.bit(terms, term)?;
        Ok(self.encoder.encode(self.blaster.aig(), &mut self.sat.definer(), bit))
    }

    /// A new literal without any meaning.
    pub fn new_lit(&mut self) -> Lit {
        self.sat.new_var().lit()
    }

    /// Asserts a clause for good.
    pub fn add_clause(&mut self, clause: &[Lit]) {
        self.sat.add_clause(clause);
    }

    /// Asserts a clause where `guard` is assumed.
    pub fn assert_if(&mut self, guard: Lit, clause: &[Lit]) {
        let guarded: Vec<Lit> = [!guard].into_iter().chain(clause.iter().copied()).collect();
        self.sat.add_clause(&guarded);
    }

    /// Ends all that was asserted under a guard, which must not be assumed any more.
    pub fn retract(&mut self, guard: Lit) {
        self.sat.add_clause(&[!guard]);
    }

    /// Is there a model of all that is asserted, the temporary clauses and the assumptions?
    pub fn solve(&mut self, assumptions: &[Lit], temporary: &[&[Lit]]) -> SatResult {
        self.sat.solve_with(assumptions, temporary)
    }

    /// Whether the last answer was [`SatResult::Unsat`] and rests on this assumption.
    pub fn is_failed(&self, lit: Lit) -> bool {
        self.sat.is_failed(lit)
    }

    /// The value of a literal in the last model; `None` if the answer does not depend on it.
    pub fn lit_value(&self, lit: Lit) -> Option<bool> {
        self.sat.value(lit)
    }

    /// The literal of a one-bit term in the circuit of all terms, for
    /// [`evaluate`](BvSolver::evaluate).
    ///
    /// # Errors
    /// As [`bits`](BvSolver::bits).
    pub fn gate(&mut self, terms: &Terms, term: TermId) -> Result<Lit, BlastError> {
        self.blaster.bit(terms, term)
    }

    /// The values of gates in the last model, also of those that the question did not mention, as
    /// far as they follow from values of the model.
    pub fn evaluate(&self, gates: &[Lit]) -> Vec<Option<bool>> {
        let aig = self.blaster.aig();
        let mut known: FxHashMap<Var, Option<bool>> = FxHashMap::default();
        known.insert(Var::CONST, Some(false));
        let mut stack: Vec<Var> = gates.iter().map(|gate| gate.var()).collect();
        while let Some(&var) = stack.last() {
            if known.contains_key(&var) {
                stack.pop();
                continue;
            }
            let value = self.encoder.value(&self.sat, var.lit());
            let value = match aig.node(var) {
                Node::And(a, b) if value.is_none() => {
                    let below = [a, b].map(|lit| known.get(&lit.var()).map(|v| (lit, *v)));
                    let [Some(a), Some(b)] = below else {
                        stack.extend([a.var(), b.var()]);
                        continue;
                    };
                    let [a, b] = [a, b].map(|(lit, v)| v.map(|v| v != lit.is_negated()));
                    match (a, b) {
                        (Some(false), _) | (_, Some(false)) => Some(false),
                        (Some(true), Some(true)) => Some(true),
                        _ => None,
                    }
                }
                _ => value,
            };
            known.insert(var, value);
            stack.pop();
        }
        let value = |gate: &Lit| known[&gate.var()].map(|v| v != gate.is_negated());
        gates.iter().map(value).collect()
    }

    /// The value of a word in the last model, for a term whose bits are symbols' bits; 0 for
    /// those of which the answer does not depend.
    pub fn value(&mut self, terms: &Terms, term: TermId) -> Bv {
        Bv::from_bits(&self.bit_values(terms, term))
    }

    /// The same for a term of any sort.
    pub fn value_of(&mut self, terms: &Terms, term: TermId) -> Value {
        let bits = self.bit_values(terms, term);
        value_of_bits(terms.sort(term), &bits)
    }

    fn bit_values(&mut self, terms: &Terms, term: TermId) -> Vec<bool> {
        let bits = self.blaster.bits(terms, term).expect("a word of bound symbols");
        let value = |&bit: &Lit| match bit.is_const() {
            true => bit == Lit::TRUE,
            false => self.encoder.value(&self.sat, bit).unwrap_or(false),
        };
        bits.iter().map(value).collect()
    }

    /// How many gates were made so far: when they are very many, a new solver is better.
    pub fn num_gates(&self) -> usize {
        self.blaster.aig().len()
    }

    /// Limits each later question to this many conflicts; `None` for no limit.
    pub fn set_effort(&mut self, conflicts: Option<u64>) {
        self.sat.set_budget(conflicts.map(Budget::conflicts));
    }

    /// Ends each later question that meets a conflict after this many propagations, counted as
    /// [`stats`](BvSolver::stats) does, since the creation of the solver.
    pub fn set_last_propagation(&mut self, propagations: u64) {
        self.sat.set_last_propagation(propagations);
    }

    /// From now on this token stops questions.
    pub fn set_interrupt(&mut self, interrupt: &Interrupt) {
        self.sat.set_interrupt(interrupt.clone());
    }

    /// What has been done so far.
    pub fn stats(&self) -> SatStats {
        self.sat.stats()
    }
}

/// The value of a sort without integers that has these bits, least significant first; those of an
/// array element by element.
pub fn value_of_bits(sort: Sort, bits: &[bool]) -> Value {
    let Sort::Array { index: Scalar::Bv(index), element: Scalar::Bv(element) } = sort else {
        return Value::Bv(Bv::from_bits(bits));
    };
    let mut array = ArrayValue::new(index, Bv::zero(element));
    for (at, bits) in bits.chunks(element as usize).enumerate() {
        array.set(Bv::from_u64(index, at as u64), Bv::from_bits(bits));
    }
    Value::Array(array)
}

#[cfg(test)]
mod tests {
    use super::*;
    use pedra_model::term::BinaryOp;

    struct Fixture {
        terms: Terms,
        solver: BvSolver,
        x: TermId,
    }

    impl Fixture {
        fn new() -> Fixture {
            let mut terms = Terms::new();
            let x = terms.new_symbol(Sort::Bv(16));
            let mut solver = BvSolver::new(&BlastOptions::default());
            solver.bind(&terms, x).expect("a word");
            Fixture { terms, solver, x }
        }

        /// `x op value`.
        fn compare(&mut self, op: BinaryOp, value: u64) -> Lit {
            let value = self.terms.constant(Bv::from_u64(16, value));
            let term = self.terms.binary(op, self.x, value);
            self.solver.lit(&self.terms, term).expect("small")
        }
    }

    #[test]
    fn cores_are_over_atoms() {
        let mut f = Fixture::new();
        let low = f.compare(BinaryOp::Ult, 100);
        let high = f.compare(BinaryOp::Ugt, 200);
        let odd = f.compare(BinaryOp::Neq, 7);
        assert_eq!(f.solver.solve(&[odd, low, high], &[]), SatResult::Unsat);
        assert!(f.solver.is_failed(low) && f.solver.is_failed(high) && !f.solver.is_failed(odd));
    }

    #[test]
    fn assertions_can_be_retracted() {
        let mut f = Fixture::new();
        let (low, high) = (f.compare(BinaryOp::Ult, 100), f.compare(BinaryOp::Ugt, 98));
        let guard = f.solver.new_lit();
        f.solver.assert_if(guard, &[low]);
        assert_eq!(f.solver.solve(&[guard, high], &[]), SatResult::Sat);
        assert_eq!(f.solver.value(&f.terms, f.x), Bv::from_u64(16, 99));
        assert_eq!(f.solver.solve(&[guard, !low], &[]), SatResult::Unsat);
        f.solver.retract(guard);
        assert_eq!(f.solver.solve(&[!low], &[]), SatResult::Sat);
        assert_eq!(f.solver.solve(&[!low], &[&[low]]), SatResult::Unsat);
        assert_eq!(f.solver.solve(&[!low], &[]), SatResult::Sat);
    }
}
