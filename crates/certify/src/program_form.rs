//! Checks the form of a proof about a program: everything that it mentions exists. All later checks
//! rely on this (`program_proof`).

use crate::program_proof::{Outcome, ProgramProofError};
use pedra_model::term::{Sort, TermId, Terms};
use pedra_program::{Action, Procedure, Program, ProgramProof};
use std::collections::BTreeSet;

pub(crate) fn wrong<T>(text: impl Into<String>) -> Outcome<T> {
    Err(ProgramProofError::Malformed(text.into()))
}

/// That what the proof mentions exists. Everything that is checked later relies on it.
pub(crate) fn check_form<'p>(program: &'p Program, proof: &ProgramProof) -> Outcome<&'p Procedure> {
    if let Err(error) = program.check() {
        return Err(ProgramProofError::NotCheckable(error.to_string()));
    }
    let body = program.procedure(program.entry);
    if body.edges.iter().any(|edge| matches!(edge.action, Action::Call(_))) {
        return Err(ProgramProofError::NotCheckable("the program has calls".into()));
    }
    if proof.properties.is_empty() {
        return wrong("it proves no property");
    }
    let known = program.properties.len();
    if let Some(property) = proof.properties.iter().find(|&&p| p >= known) {
        return wrong(format!("property {property} does not exist, the program has {known}"));
    }
    if proof.properties.iter().any(|&p| program.properties[p].error.procedure != program.entry) {
        return wrong("it is about an error place of another procedure");
    }
    if proof.k == 0 {
        return wrong("its induction depth is 0");
    }
    if proof.k > 1 && !program.summaries.is_empty() {
        return wrong("k-induction with summaries");
    }
    if !extends(&proof.terms, &program.terms) {
        return wrong("its terms do not extend the program's");
    }
    check_positions(program, proof)?;
    let scope = body.variables.iter().chain(&program.globals).map(|&v| program.term_of(v));
    let scope: BTreeSet<TermId> = scope.chain(proof.positions.iter().copied()).collect();
    for (place, invariant) in &proof.invariants {
        if place.index() >= body.places.len() {
            return wrong(format!("place {} does not exist", place.index()));
        }
        let is_bit =
            |t: &TermId| t.index() < proof.terms.len() && proof.terms.sort(*t) == Sort::BOOL;
        if !invariant.iter().all(is_bit) {
            return wrong(format!("a term of the invariant of place {} is no bit", place.index()));
        }
    }
    let cone = proof.terms.cone(proof.invariants.values().flatten().copied());
    let mut loose = proof.terms.iter().filter(|(id, _)| cone[id.index()]);
    if loose.any(|(id, _)| proof.terms.symbol_of(id).is_some() && !scope.contains(&id)) {
        return wrong("an invariant mentions what is not a variable of the program");
    }
    check_summaries(program, proof)?;
    Ok(body)
}

/// That positions are symbols of the proof alone: neither variables nor inputs of the program.
fn check_positions(program: &Program, proof: &ProgramProof) -> Outcome<()> {
    let is_own = |&position: &TermId| {
        (program.terms.len()..proof.terms.len()).contains(&position.index())
            && proof.terms.symbol_of(position).is_some()
    };
    if !proof.positions.iter().all(is_own) {
        return wrong("a position is no symbol of the proof's own");
    }
    let is_plain = proof.k == 1 && program.summaries.is_empty();
    match proof.positions.is_empty() || is_plain {
        true => Ok(()),
        false => wrong("positions with k-induction or summaries"),
    }
}

/// That summaries mention the values before and after a call only.
fn check_summaries(program: &Program, proof: &ProgramProof) -> Outcome<()> {
    for summary in &program.summaries {
        let scope: BTreeSet<TermId> = summary.variables().map(|v| program.term_of(v)).collect();
        let invariant = proof.invariants.get(&summary.exit).into_iter().flatten();
        let cone = proof.terms.cone(invariant.copied());
        let mut loose = proof.terms.iter().filter(|(id, _)| cone[id.index()]);
        if loose.any(|(id, _)| proof.terms.symbol_of(id).is_some() && !scope.contains(&id)) {
            return wrong("a summary mentions what is not a value before or after a call");
        }
    }
    Ok(())
}

/// Whether a store begins with the terms of another.
fn extends(longer: &Terms, shorter: &Terms) -> bool {
    longer.len() >= shorter.len()
        && shorter.iter().zip(longer.iter()).all(|(a, b)| a == b)
        && shorter.iter().all(|(id, _)| shorter.sort(id) == longer.sort(id))
}
