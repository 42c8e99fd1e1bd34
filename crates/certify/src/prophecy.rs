//! Proofs that add to the model: the model with all that they add, as a separate system.
//!
//! With history `h`, guesses `p` and differences `d` the proof is one about the system `M⁺`:
//!
//! - the states of the model, the history with its init and next, and each `p` as a state without
//!   init whose next is itself;
//! - the inputs of the model and each `d`, with the constraint `X = Y ∨ X[d] ≠ Y[d]` for the two
//!   arrays that it is about;
//! - each proved bad as `bad ∧ ⋀ p = t`.
//!
//! *If `M⁺` has no path to a bad of its own, the model has none to its bad.* Take a path of the
//! model. History is a function of it, since its init and next mention only the model, `d` and
//! history. In each step `d` can be chosen so that its constraint holds, since `X` and `Y`
//! mention only the model. Each target `t` has a value at the end of the path that does not
//! depend on guesses; let `p` have that value. Then the last state is one of the bad of `M⁺`.

use crate::proof::ProofError;
use pedra_model::proof::WordProof;
use pedra_model::prophecy::{Difference, Prophecy};
use pedra_model::system::{Input, NamedTerm, State, System};
use pedra_model::term::{BinaryOp, Sort, Term, TermId, Terms};
use rustc_hash::FxHashSet;
use std::borrow::Cow;

/// The proof as one that adds nothing to its system, which is `M⁺`. What the proof itself has of
/// the model must be the model.
///
/// # Errors
/// If what is added could change what the model does.
pub(crate) fn augmented(proof: &WordProof) -> Result<Cow<'_, WordProof>, ProofError> {
    if proof.prophecy.is_empty() {
        return Ok(Cow::Borrowed(proof));
    }
    check_form(proof).map_err(|text| ProofError::Malformed(text.to_owned()))?;
    let Prophecy { history, guesses, differences } = &proof.prophecy;
    let mut system = proof.system.clone();
    system.states.extend(history.iter().cloned());
    let frozen = guesses.iter().map(|g| g.symbol);
    let frozen = frozen.map(|p| State { term: p, name: None, init: None, next: Some(p) });
    system.states.extend(frozen);
    for difference in differences {
        system.inputs.push(Input { term: difference.index, name: None });
        let term = differs_there(&mut system.terms, difference);
        system.constraints.push(NamedTerm { term, name: None });
    }
    for guess in guesses {
        let is_right = system.terms.binary(BinaryOp::Eq, guess.symbol, guess.target);
        for &property in &proof.properties {
            let bad = &mut system.bads[property];
            bad.term = system.terms.binary(BinaryOp::And, bad.term, is_right);
        }
    }
    Ok(Cow::Owned(WordProof { system, prophecy: Prophecy::default(), ..proof.clone() }))
}

/// `X = Y ∨ X[d] ≠ Y[d]`
fn differs_there(terms: &mut Terms, difference: &Difference) -> TermId {
    let (left, right) = compared(terms, difference.comparison).expect("the form is checked");
    let equal = terms.binary(BinaryOp::Eq, left, right);
    let [left, right] = [left, right].map(|array| terms.read(array, difference.index));
    let differ = terms.binary(BinaryOp::Neq, left, right);
    terms.binary(BinaryOp::Or, equal, differ)
}

/// The arrays that a term compares.
fn compared(terms: &Terms, comparison: TermId) -> Option<(TermId, TermId)> {
    match *terms.get(comparison) {
        Term::Binary(BinaryOp::Eq | BinaryOp::Neq, a, b) if terms.sort(a).is_array() => {
            Some((a, b))
        }
        _ => None,
    }
}

/// That new symbols are new, and that nothing depends on what it may not depend on.
fn check_form(proof: &WordProof) -> Result<(), &'static str> {
    let Prophecy { history, guesses, differences } = &proof.prophecy;
    let System { terms, states, inputs, .. } = &proof.system;
    if proof.simple_path.is_some() {
        return Err("guesses and simple paths together");
    }
    let states = states.iter().map(|s| s.term);
    let own: FxHashSet<TermId> = states.chain(inputs.iter().map(|i| i.term)).collect();
    let mut new = FxHashSet::default();
    let indices = differences.iter().map(|d| d.index);
    let guessed = guesses.iter().map(|g| g.symbol);
    for symbol in history.iter().map(|s| s.term).chain(guessed).chain(indices) {
        let is_symbol = symbol.index() < terms.len() && terms.symbol_of(symbol).is_some();
        if !is_symbol || own.contains(&symbol) || !new.insert(symbol) {
            return Err("what is added is no new symbol");
        }
    }
    let exists = |term: TermId| term.index() < terms.len();
    let has_sort = |term: TermId, sort: Sort| exists(term) && terms.sort(term) == sort;
    let fits = |state: &State| {
        let sort = terms.sort(state.term);
        [state.init, state.next].into_iter().flatten().all(|term| has_sort(term, sort))
    };
    if !history.iter().all(fits) {
        return Err("a history has a term of another sort");
    }
    if !guesses.iter().all(|g| has_sort(g.target, terms.sort(g.symbol))) {
        return Err("a guess has a target of another sort");
    }
    let fits = |difference: &Difference| {
        let pair =
            exists(difference.comparison).then(|| compared(terms, difference.comparison)).flatten();
        pair.is_some_and(|(array, _)| match terms.sort(array) {
            Sort::Array { index, .. } => has_sort(difference.index, index.into()),
            _ => false,
        })
    };
    if !differences.iter().all(fits) {
        return Err("a difference is of no arrays that it fits");
    }
    let recorded = history.iter().flat_map(|s| [s.init, s.next]).flatten();
    let without_guesses = terms.cone(recorded.chain(guesses.iter().map(|g| g.target)));
    if guesses.iter().any(|g| without_guesses[g.symbol.index()]) {
        return Err("a history or a target depends on a guess");
    }
    let of_the_model = terms.cone(differences.iter().map(|d| d.comparison));
    if new.iter().any(|symbol| of_the_model[symbol.index()]) {
        return Err("a comparison mentions what is added");
    }
    Ok(())
}
