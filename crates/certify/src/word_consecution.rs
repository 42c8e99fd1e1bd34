//! Consecution of an invariant that compares sums, asked in words.
//!
//! After bit-blasting, that `y ≤ 100·x` is kept by `x + 1` and `y + 100` is a question about two
//! multipliers, and no SAT solver answers it in time. In words the next invariant is the
//! invariant with every state replaced by its next value, and [`pedra_model::affine`] brings
//! the comparisons of both into the same form.
//!
//! The search calculates with that file too, so its results are not believed. Each comparison that
//! was rewritten is proved to be equivalent to its normal form by a separate query: in linear
//! integer arithmetic ([`crate::word_integers`]), where these questions are small, and otherwise in
//! bits. Where one is too hard for its budget, consecution is asked of the bits, within a budget as
//! well ([`crate::proof`]). Where that is too hard, too, the check rests on evaluation at many
//! points ([`crate::second_look`]), and says so ([`Trust::NormalForms`]).
//! What is not shown here is asked again of the bits: this can accept what holds, never refuse.

use crate::options::{CheckOptions, Effort, Trust};
use crate::prover::Prover;
use crate::second_look::seem_equal;
use crate::word_integers;
use pedra_model::affine::normalise_all;
use pedra_model::blast::{BlastError, BlastOptions, Blaster};
use pedra_model::lit::Lit;
use pedra_model::system::System;
use pedra_model::term::{BinaryOp, Sort, Term, TermId, Terms};
use pedra_solve::SolverKind;
use rustc_hash::FxHashMap;

/// This number of terms is asked for one by one, which is easier for hard ones.
const FEW: usize = 64;

/// The conflicts that a question may have here: what is hard in words is left to the bits.
const CONFLICTS: u64 = 100_000;

/// The conflicts that proofs of equivalence may have: one of them, and all together.
const PAIR_CONFLICTS: u64 = 10_000;
const ALL_PAIR_CONFLICTS: u64 = 60_000;

/// The effort, if it is shown that `Inv(s₀) ∧ C(s₀) ∧ T(s₀,s₁) ∧ C(s₁) ⟹ Inv(s₁)`, and what was
/// taken on trust. `None` as well if no comparison of the invariant has another form.
pub(crate) fn shown_in_words(
    system: &System,
    invariant: &[TermId],
    blasting: &BlastOptions,
    options: &CheckOptions,
) -> Option<(Effort, Trust)> {
    let mut terms = system.terms.clone();
    let constraints: Vec<TermId> = system.constraints.iter().map(|c| c.term).collect();
    let roots = [invariant, &constraints].concat();
    if normal_forms(&mut terms, invariant).is_empty() {
        return None;
    }
    let next = next_step(system, &mut terms, &roots);
    let plain = [&roots[..], &next].concat();
    let forms = normal_forms(&mut terms, &plain);
    let mut pairs: Vec<(TermId, TermId)> = forms.iter().map(|(&a, &b)| (a, b)).collect();
    pairs.sort_unstable();
    if !seem_equal(&terms, &pairs) {
        return None;
    }
    let image = terms.substitute(plain.iter().copied(), |_, id| forms.get(&id).copied());
    let normal: Vec<TermId> = plain.iter().map(|&term| image.of(term)).collect();
    let (now, next) = normal.split_at(roots.len());
    let (facts, goals, blaster) = blasted(&terms, invariant.len(), now, next, blasting).ok()?;
    let limited =
        CheckOptions { limit_conflicts: Some(CONFLICTS), fallback: None, ..options.clone() };
    let mut prover = Prover::new(&limited);
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
    let mut effort = prover.effort();
    let trust = match prove_equivalent(&terms, &pairs, blasting, options, &mut effort) {
        true => Trust::Nothing,
        false => Trust::NormalForms,
    };
    Some((effort, trust))
}

/// The comparisons of words that the conditions are made of, with their normal forms where these
/// are others.
fn normal_forms(terms: &mut Terms, conditions: &[TermId]) -> FxHashMap<TermId, TermId> {
    let (mut stack, mut comparisons) = (conditions.to_vec(), Vec::new());
    let mut seen = vec![false; terms.len()];
    while let Some(id) = stack.pop() {
        if std::mem::replace(&mut seen[id.index()], true) {
            continue;
        }
        match terms.get(id) {
            Term::Binary(op, a, _) if is_comparison(*op) && is_word(terms.sort(*a)) => {
                comparisons.push(id);
            }
            term => stack.extend(term.args().filter(|&arg| terms.sort(arg) == Sort::BOOL)),
        }
    }
    comparisons.sort_unstable();
    let forms = normalise_all(terms, &comparisons);
    comparisons.into_iter().zip(forms).filter(|(plain, normal)| plain != normal).collect()
}

fn is_word(sort: Sort) -> bool {
    matches!(sort, Sort::Bv(2..))
}

fn is_comparison(op: BinaryOp) -> bool {
    use BinaryOp::*;
    matches!(op, Eq | Neq | Slt | Slte | Sgt | Sgte | Ult | Ulte | Ugt | Ugte)
}

/// Whether each pair of conditions was proved to be equivalent, within a budget: `⊨ a ↔ b`.
fn prove_equivalent(
    terms: &Terms,
    pairs: &[(TermId, TermId)],
    blasting: &BlastOptions,
    options: &CheckOptions,
    effort: &mut Effort,
) -> bool {
    // The strongest solver that may check comes first here.
    let mut solvers = vec![options.solver];
    solvers.extend(options.fallback);
    solvers.sort_by_key(|kind| *kind != SolverKind::Cadical);
    let mut left = ALL_PAIR_CONFLICTS;
    pairs.iter().all(|&(a, b)| {
        if word_integers::prove_equivalent(terms, (a, b), options, effort) {
            return true;
        }
        let Ok((equal, blaster)) = equivalence(terms, a, b, blasting) else { return false };
        solvers.iter().any(|&solver| {
            let limit_conflicts = Some(PAIR_CONFLICTS.min(left));
            let options =
                CheckOptions { solver, limit_conflicts, fallback: None, ..options.clone() };
            let mut prover = Prover::new(&options);
            let is_proved = prover.prove(blaster.aig(), &[equal]).is_ok();
            left = left.saturating_sub(prover.effort().conflicts);
            effort.add(prover.effort());
            is_proved
        })
    })
}

/// `a ↔ b` as a circuit.
fn equivalence(
    terms: &Terms,
    a: TermId,
    b: TermId,
    blasting: &BlastOptions,
) -> Result<(Lit, Blaster), BlastError> {
    let mut blaster = Blaster::new(blasting);
    bind_symbols(&mut blaster, terms, &[a, b])?;
    let (a, b) = (blaster.bit(terms, a)?, blaster.bit(terms, b)?);
    let equal = blaster.builder().iff(a, b);
    Ok((equal, blaster))
}

/// Gives leaves to the symbols that the terms depend on.
fn bind_symbols(blaster: &mut Blaster, terms: &Terms, roots: &[TermId]) -> Result<(), BlastError> {
    let cone = terms.cone(roots.iter().copied());
    for (id, _) in terms.iter().filter(|(id, _)| cone[id.index()]) {
        if terms.symbol_of(id).is_some() {
            blaster.bind_leaves(terms, id)?;
        }
    }
    Ok(())
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
    bind_symbols(&mut blaster, terms, &[now, next].concat())?;
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

    /// What is trusted where it is shown that `y ≤ factor·x` and `x ≤ 2^20`, where both may grow:
    /// `x` by 1, `y` by a step.
    fn shown(factor: u32, step: u32) -> Option<Trust> {
        let text = format!(
            "1 sort bitvec 32\n2 sort bitvec 1\n3 input 2 go\n4 state 1 x\n5 state 1 y\n\
             6 constd 1 1048576\n7 ult 2 4 6\n8 and 2 3 7\n9 inc 1 4\n10 ite 1 8 9 4\n\
             11 next 1 4 10\n12 constd 1 {step}\n13 add 1 5 12\n14 ite 1 8 13 5\n\
             15 next 1 5 14\n16 sort bitvec 40\n17 uext 16 4 8\n18 uext 16 5 8\n\
             19 constd 16 {factor}\n20 mul 16 19 17\n21 ulte 2 18 20\n22 ulte 2 4 6\n\
             23 constraint 21\n24 constraint 22\n"
        );
        let mut system = btor2::read(text.as_bytes()).expect("well-formed");
        let invariant: Vec<TermId> = system.constraints.drain(..).map(|c| c.term).collect();
        let (blasting, options) = (BlastOptions::default(), CheckOptions::default());
        let shown = shown_in_words(&system, &invariant, &blasting, &options);
        shown.map(|(_, trust)| trust)
    }

    #[test]
    fn normal_forms_of_sums_are_proved() {
        assert_eq!(shown(1, 1), Some(Trust::Nothing));
        assert_eq!(shown(2, 1), Some(Trust::Nothing));
        assert_eq!(shown(2, 3), None);
    }

    #[test]
    fn normal_forms_of_multiples_are_proved() {
        assert_eq!(shown(100, 100), Some(Trust::Nothing));
        assert_eq!(shown(100, 101), None);
    }
}
