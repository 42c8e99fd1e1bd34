//! From CaDiCaL's calls to the record.

use super::proof::Proof;
use crate::cadical::lit_of_dimacs;
use cadical_sys::ProofTracer;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Writes down what CaDiCaL says of its proof.
pub(super) struct Tracer(pub(super) Arc<Mutex<Proof>>);

/// The record. No two threads ever want it at once: CaDiCaL calls the tracer from the thread that
/// called CaDiCaL. The lock only lets the solver move between threads.
pub(super) fn lock(proof: &Mutex<Proof>) -> MutexGuard<'_, Proof> {
    proof.lock().unwrap_or_else(PoisonError::into_inner)
}

impl ProofTracer for Tracer {
    fn add_original_clause(&mut self, id: i64, _: bool, clause: &[i32], _restored: bool) {
        lock(&self.0).give(id, clause.iter().map(|&lit| lit_of_dimacs(lit)));
    }

    fn add_derived_clause(
        &mut self,
        id: i64,
        _: bool,
        witness: i32,
        clause: &[i32],
        antecedents: &[i64],
    ) {
        // Such a clause does not follow from the others, and has no interpolant.
        assert!(witness == 0, "bounded variable addition is off, so there are no RAT clauses");
        lock(&self.0).derive(id, clause.iter().map(|&lit| lit_of_dimacs(lit)), antecedents);
    }

    fn add_assumption_clause(&mut self, id: i64, clause: &[i32], antecedents: &[i64]) {
        lock(&self.0).derive(id, clause.iter().map(|&lit| lit_of_dimacs(lit)), antecedents);
    }

    fn conclude_unsat(&mut self, _: i32, clauses: &[i64]) {
        let mut proof = lock(&self.0);
        proof.conclusion = match clauses {
            &[id] => proof.find(id),
            _ => None,
        };
    }

    fn delete_clause(&mut self, _: i64, _: bool, _: &[i32]) {}
    fn weaken_minus(&mut self, _: i64, _: &[i32]) {}
    fn strengthen(&mut self, _: i64) {}
    fn finalize_clause(&mut self, _: i64, _: &[i32]) {}
    fn add_assumption(&mut self, _: i32) {}
    fn add_constraint(&mut self, _: &[i32]) {}
    fn reset_assumptions(&mut self) {}
    fn conclude_sat(&mut self, _: i32, _: &[i32]) {}
    fn conclude_unknown(&mut self, _: &[i32]) {}
}
