//! Checking a proof about a word-level system: through bit-blasting, at bit level.
//!
//! The proof carries its own copy of the system, whose store of terms was extended by those of
//! the invariant. That copy must be the same model as the given one, structurally; it is then
//! blasted, the terms of the invariant with it, and `check_claims` does the rest. Where the
//! invariant compares sums, consecution is asked in words first (`word_consecution`). What a proof
//! adds to the model is put into the system first (`prophecy`); where arrays are too large to be
//! expanded, the claims are asked without them (`array_proof`).
//! [`crate::smtlib`] writes the same claims for a solver that works on words.

use crate::array_proof::check_array_proof;
use crate::options::CheckOptions;
use crate::proof::{CheckedProof, ProofError, check_claims};
use crate::prophecy::augmented;
use crate::word_consecution::shown_in_words;
use pedra_formats::btor2::same_model;
use pedra_model::blast::{BlastError, BlastOptions, Blasted, Blaster, StateBits, blast};
use pedra_model::cone::WordCone;
use pedra_model::lit::Lit;
use pedra_model::proof::{BitProof, StateBit, WordProof};
use pedra_model::system::System;
use pedra_model::term::{Scalar, Sort, TermId};

/// Checks that a proof proves what it claims about a system.
pub fn check_word_proof(
    system: &System,
    proof: &WordProof,
    blasting: &BlastOptions,
    options: &CheckOptions,
) -> Result<CheckedProof, ProofError> {
    check_form(system, proof)?;
    let augmented = augmented(proof)?;
    let cone = cone_of(&augmented);
    if has_large_arrays(&cone.system, cone.invariant.iter().copied(), blasting) {
        let checked = check_array_proof(&cone, blasting, options)?;
        return Ok(CheckedProof { properties: proof.properties.clone(), ..checked });
    }
    let blasted = blast(&cone.system, blasting).map_err(not_checkable)?;
    let lowered = lower(&cone, &blasted, blasting).map_err(not_checkable)?;
    let consecution = || shown_in_words(&cone.system, &cone.invariant, blasting, options);
    let checked = check_claims(&blasted.system, &lowered, options, Some(&consecution))?;
    Ok(CheckedProof { properties: proof.properties.clone(), ..checked })
}

/// Whether an array that the properties, the constraints or these terms depend on is too large to
/// be expanded.
pub(crate) fn has_large_arrays(
    system: &System,
    further: impl IntoIterator<Item = TermId>,
    blasting: &BlastOptions,
) -> bool {
    let named = system.constraints.iter().chain(&system.bads).map(|n| n.term);
    let matters = system.influence(named.chain(further));
    let is_large = |id: TermId| {
        let sort = system.terms.sort(id);
        sort.is_array() && !sort.has_integers() && !blasting.expands(sort)
    };
    system.terms.iter().any(|(id, _)| matters[id.index()] && is_large(id))
}

/// The proof about what the proved properties, the constraints and the proof itself mention.
/// The rest of the model can be as large as it likes.
pub(crate) fn cone_of(proof: &WordProof) -> WordProof {
    let bits = proof.simple_path.iter().flatten();
    let kept = bits.map(|b| proof.system.states[b.state].term);
    let further = proof.invariant.iter().copied().chain(kept);
    let WordCone { system, states, .. } = WordCone::new(&proof.system, &proof.properties, further);
    let place = |state: usize| states.binary_search(&state).expect("kept");
    let bit = |b: &StateBit| StateBit { state: place(b.state), ..*b };
    let simple_path = proof.simple_path.as_ref().map(|bits| bits.iter().map(bit).collect());
    WordProof {
        properties: (0..system.bads.len()).collect(),
        system,
        invariant: proof.invariant.clone(),
        k: proof.k,
        simple_path,
        prophecy: proof.prophecy.clone(),
    }
}

pub(crate) fn not_checkable(error: BlastError) -> ProofError {
    ProofError::NotCheckable(error.to_string())
}

/// That the proof is about this system, and that what it mentions exists. That it is not
/// vacuous is left to the check of the bits.
pub(crate) fn check_form(system: &System, proof: &WordProof) -> Result<(), ProofError> {
    let wrong = |text: String| Err(ProofError::Malformed(text));
    if let Err(difference) = same_model(system, &proof.system) {
        return wrong(format!("it is about another model: {difference}"));
    }
    check_terms(proof)
}

/// That the terms, properties and states of which the proof speaks exist in its own system.
pub(crate) fn check_terms(proof: &WordProof) -> Result<(), ProofError> {
    let wrong = |text: String| Err(ProofError::Malformed(text));
    let terms = &proof.system.terms;
    let is_bit = |t: &TermId| t.index() < terms.len() && terms.sort(*t) == Sort::BOOL;
    if let Some(position) = proof.invariant.iter().position(|t| !is_bit(t)) {
        return wrong(format!("term {position} of the invariant is no bit of the model"));
    }
    if proof.properties.is_empty() {
        return wrong("it proves no property".into());
    }
    let known = proof.system.bads.len();
    if let Some(property) = proof.properties.iter().find(|&&p| p >= known) {
        return wrong(format!("property {property} does not exist, the model has {known}"));
    }
    if proof.k == 0 {
        return wrong("its induction depth is 0".into());
    }
    let states = &proof.system.states;
    let size = |state: usize| states.get(state).map_or(0, |s| num_bits(terms.sort(s.term)));
    let mut bits = proof.simple_path.iter().flatten();
    if let Some(b) = bits.find(|b| b.bit as u128 >= size(b.state)) {
        let (state, bit) = (b.state, b.bit);
        return wrong(format!("bit {bit} of state {state}, which must differ, does not exist"));
    }
    Ok(())
}

/// How many bits a value has; integers have none.
fn num_bits(sort: Sort) -> u128 {
    match sort {
        Sort::Bv(width) => width.into(),
        Sort::Array { index: Scalar::Bv(index), element: Scalar::Bv(element) } => {
            u128::from(element) << index.min(64)
        }
        Sort::Int | Sort::Array { .. } => 0,
    }
}

/// The proof over the bits: each term of the invariant is a clause of one literal.
pub(crate) fn lower(
    proof: &WordProof,
    blasted: &Blasted,
    blasting: &BlastOptions,
) -> Result<BitProof, BlastError> {
    let mut blaster = Blaster::resume(&proof.system, blasted, blasting)?;
    let mut clauses: Vec<Vec<Lit>> = Vec::with_capacity(proof.invariant.len());
    for &term in &proof.invariant {
        clauses.push(vec![blaster.bit(&proof.system.terms, term)?]);
    }
    let known = blasted.system.aig.len();
    let gates = blaster.aig().gates().filter(|(var, ..)| var.index() >= known);
    let gates = gates.map(|(_, a, b)| [a, b]).collect();
    // A state that is chosen anew in every step has inputs instead of latches. Leaving it out
    // is safe: the remaining latches are checked to be closed.
    let simple_path = proof.simple_path.as_ref().map(|bits| {
        let latches = bits.iter().filter_map(|b| match blasted.map.state(b.state) {
            StateBits::Latches { latches, .. } => Some(latches.start + b.bit),
            StateBits::Inputs(_) => None,
        });
        latches.collect()
    });
    Ok(BitProof { properties: proof.properties.clone(), gates, clauses, k: proof.k, simple_path })
}
