//! Smaller proofs about programs: conjuncts that the proof does not need are left out.
//!
//! Engines learn more than a proof needs. A conjunct is removed if the proof without it still
//! passes `program_proof`, so what is left was checked. Which conjuncts stay depends on
//! the order, which prefers short terms; that is a heuristic, as is the budget.

use crate::options::CheckOptions;
use crate::program_proof::check_program_proof;
use pedra_model::blast::BlastOptions;
use pedra_model::term::{TermId, Terms};
use pedra_program::{PlaceId, Program, ProgramProof};

/// How much is spent: checks of the whole proof.
const MAX_CHECKS: usize = 60;

/// How much is spent: edges looked at in all checks. It bounds the time for large programs.
const MAX_EDGES: usize = 100_000;

/// The conflicts that one query may have.
const CONFLICTS: u64 = 1_000;

/// The proof with fewer conjuncts, and not more.
pub fn reduce_program_proof(
    program: &Program,
    proof: &ProgramProof,
    blasting: &BlastOptions,
    options: &CheckOptions,
) -> ProgramProof {
    let options =
        CheckOptions { limit_conflicts: Some(CONFLICTS), fallback: None, ..options.clone() };
    let edges = program.procedure(program.entry).edges.len().max(1);
    let mut checks = MAX_CHECKS.min(MAX_EDGES / edges);
    let mut small = proof.clone();
    // Longest first. Groups are halved until they are single conjuncts.
    let mut order: Vec<(PlaceId, TermId)> = Vec::new();
    for (&place, conjuncts) in &proof.invariants {
        order.extend(conjuncts.iter().map(|&conjunct| (place, conjunct)));
    }
    order.sort_by_key(|&(place, term)| (std::cmp::Reverse(size(&proof.terms, term)), place, term));
    let mut group = order.len();
    while group > 0 && checks > 0 {
        let mut kept = Vec::new();
        for part in order.chunks(group) {
            if checks == 0 || options.interrupt.is_raised() {
                kept.extend_from_slice(part);
                continue;
            }
            checks -= 1;
            let less = without(&small, part);
            match check_program_proof(program, &less, blasting, &options) {
                Ok(_) => small = less,
                Err(_) => kept.extend_from_slice(part),
            }
        }
        order = kept;
        group /= 2;
    }
    small
}

/// The proof without some conjuncts. Places stay cut points, even with nothing to say.
fn without(proof: &ProgramProof, part: &[(PlaceId, TermId)]) -> ProgramProof {
    let mut less = proof.clone();
    for (place, conjuncts) in &mut less.invariants {
        conjuncts.retain(|&conjunct| !part.contains(&(*place, conjunct)));
    }
    less
}

/// The number of terms in a term, each counted once.
fn size(terms: &Terms, term: TermId) -> usize {
    terms.cone([term]).iter().filter(|&&is_in| is_in).count()
}
