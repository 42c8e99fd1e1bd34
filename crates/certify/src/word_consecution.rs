//! Consecution of an invariant that compares sums, asked in words.
//!
//! After bit-blasting, that `y ≤ 100·x` is kept by `x + 1` and `y + 100` is a question about two
//! multipliers, and no SAT solver answers it in time. In words the next invariant is the
//! invariant with every state replaced by its next value, and [`pedra_model::affine`] brings
//! the comparisons of both into the same form. The search calculates with that file too, so its
//! results are looked at once more, by evaluation ([`crate::second_look`]). What is not shown here
//! is asked again of the bits: this can accept what holds, never refuse.

use crate::options::{CheckOptions, Effort, Trust};
use crate::prover::Prover;
use crate::second_look::seem_equal;
use pedra_model::affine::normalise_all;
use pedra_model::blast::{BlastError, BlastOptions, Blaster};
use pedra_model::lit::Lit;
use pedra_model::system::System;
use pedra_model::term::{TermId, Terms};

/// So many terms are asked for one by one, which is easier for hard ones.
const FEW: usize = 64;

/// The conflicts that a question may have here: what is hard in words is left to the bits.
const CONFLICTS: u64 = 100_000;

/// The effort, if it is shown that `Inv(s₀) ∧ C(s₀) ∧ T(s₀,s₁) ∧ C(s₁) ⟹ Inv(s₁)`. `None` as
/// well if no comparison of the invariant has another form.
pub(crate) fn shown_in_words(
    system: &System,
    invariant: &[TermId],
    blasting: &BlastOptions,
    options: &CheckOptions,
) -> Option<(Effort, Trust)> {
    let mut terms = system.terms.clone();
    let mut now = normalise_all(&mut terms, invariant);
    if now == invariant {
        return None;
    }
    let constraints: Vec<TermId> = system.constraints.iter().map(|c| c.term).collect();
    now.extend(normalise_all(&mut terms, &constraints));
    let roots = [invariant, &constraints].concat();
    let plain_next: Vec<TermId> = next_step(system, &mut terms, &roots);
    let next = normalise_all(&mut terms, &plain_next);
    let before = roots.iter().chain(&plain_next).copied();
    let pairs: Vec<(TermId, TermId)> =
        before.zip(now.iter().chain(&next).copied()).filter(|(a, b)| a != b).collect();
    if !seem_equal(&terms, &pairs) {
        return None;
    }
    let (facts, goals, blaster) = blasted(&terms, invariant.len(), &now, &next, blasting).ok()?;
    let options =
        CheckOptions { limit_conflicts: Some(CONFLICTS), fallback: None, ..options.clone() };
    let mut prover = Prover::new(&options);
    for fact in facts {
        prover.assume([fact]);
    }
    let goals: Vec<Vec<Lit>> = goals.into_iter().map(|goal| vec![goal]).collect();
    if goals.len() <= FEW {
        for goal in &goals {
            prover.prove(blaster.aig(), goal).ok()?;
        }
    } else {
        prover.prove_each(blaster.aig(), &goals).ok()?;
    }
    Some((prover.effort(), Trust::NormalForms))
}

/// The terms one step later: each state replaced by its next value, what is free in each step
/// (inputs, and states without next value) by something new.
fn next_step(system: &System, terms: &mut Terms, roots: &[TermId]) -> Vec<TermId> {
    let mut next_of: Vec<Option<TermId>> = vec![None; terms.len()];
    for state in &system.states {
        next_of[state.term.index()] = state.next;
    }
    let image = terms.substitute(roots.iter().copied(), |terms, id| {
        let is_symbol = terms.symbol_of(id).is_some();
        next_of[id.index()].or_else(|| is_symbol.then(|| terms.new_symbol(terms.sort(id))))
    });
    roots.iter().map(|&root| image.of(root)).collect()
}

/// What is assumed and what is to be shown, over the symbols of both steps. The first terms of
/// each list are the invariant, the others the constraints.
fn blasted(
    terms: &Terms,
    invariant: usize,
    now: &[TermId],
    next: &[TermId],
    blasting: &BlastOptions,
) -> Result<(Vec<Lit>, Vec<Lit>, Blaster), BlastError> {
    let mut blaster = Blaster::new(blasting);
    let cone = terms.cone(now.iter().chain(next).copied());
    for (id, _) in terms.iter().filter(|(id, _)| cone[id.index()]) {
        if terms.symbol_of(id).is_some() {
            blaster.bind_leaves(terms, id)?;
        }
    }
    let mut lits = |list: &[TermId]| -> Result<Vec<Lit>, BlastError> {
        list.iter().map(|&term| blaster.bit(terms, term)).collect()
    };
    let mut facts = lits(now)?;
    facts.extend(lits(&next[invariant..])?);
    let goals = lits(&next[..invariant])?;
    Ok((facts, goals, blaster))
}

#[cfg(test)]
mod tests {
    use super::*;
    use pedra_formats::btor2;

    /// `y ≤ 100·x` and `x ≤ 2^20`, where both may grow: `x` by 1, `y` by a step.
    fn is_shown(step: u32) -> bool {
        let text = format!(
            "1 sort bitvec 32\n2 sort bitvec 1\n3 input 2 go\n4 state 1 x\n5 state 1 y\n\
             6 constd 1 1048576\n7 ult 2 4 6\n8 and 2 3 7\n9 inc 1 4\n10 ite 1 8 9 4\n\
             11 next 1 4 10\n12 constd 1 {step}\n13 add 1 5 12\n14 ite 1 8 13 5\n\
             15 next 1 5 14\n16 sort bitvec 40\n17 uext 16 4 8\n18 uext 16 5 8\n\
             19 constd 16 100\n20 mul 16 19 17\n21 ulte 2 18 20\n22 ulte 2 4 6\n\
             23 constraint 21\n24 constraint 22\n"
        );
        let mut system = btor2::read(text.as_bytes()).expect("well-formed");
        let invariant: Vec<TermId> = system.constraints.drain(..).map(|c| c.term).collect();
        let (blasting, options) = (BlastOptions::default(), CheckOptions::default());
        shown_in_words(&system, &invariant, &blasting, &options).is_some()
    }

    #[test]
    fn products_of_wide_words_are_decided() {
        assert!(is_shown(100));
        assert!(is_shown(7));
        assert!(!is_shown(101));
    }
}
