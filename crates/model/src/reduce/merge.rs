//! Merging what a caller found equal: latches and gates at once.

use super::rebuild::{Substitution, rebuild, select};
use super::{Reduced, cone};
use crate::bits::BitSystem;
use crate::lit::{Lit, Var};

/// Replaces variables by literals, and drops what is no longer needed.
///
/// The caller vouches for the equalities. With the constraints `C` and `Inv`, the conjunction of
/// `invariant` (clauses over the system's variables):
///
/// - `Inv` implies, at every point (a state with inputs), that each replaced variable equals its
///   literal;
/// - `Init ∧ C ⟹ Inv` and `Inv ∧ C ∧ T ∧ C' ⟹ Inv'`;
/// - for the replaced latches without the constraints of their own step: `Init` implies their
///   equalities, and `Inv ∧ C ∧ T` implies them in the next step. Otherwise a path of the result
///   could break a constraint of the original that the merge made trivial.
///
/// Without clauses the equalities hold at every point, reachable or not, and gates are replaced
/// in the constraints as well. Otherwise these keep their own copies of the gates, so that the
/// result may even be larger.
///
/// Every property is kept, in its order.
///
/// # Panics
/// If a latch is replaced by anything but a constant or a latch that is not replaced, a gate by
/// anything but a leaf or an earlier gate, or if an input or the constant is replaced.
pub fn merge(system: &BitSystem, merged: &[(Var, Lit)], invariant: Vec<Vec<Lit>>) -> Reduced {
    let latch_of = system.latch_of_var();
    let mut substitution = Substitution::none(system);
    substitution.gates = vec![None; system.aig.len()];
    substitution.invariant = invariant;
    for &(var, by) in merged {
        if let Some(latch) = latch_of[var.index()] {
            assert!(by.is_const() || latch_of[by.var().index()].is_some(), "by no state: {by:?}");
            substitution.latches[latch as usize] = Some(by);
        } else {
            assert!(system.aig.is_gate(var), "{var:?} is neither a latch nor a gate");
            assert!(by.var() < var || !system.aig.is_gate(by.var()), "{by:?} is later");
            substitution.gates[var.index()] = Some(by);
        }
    }
    let stays = |by: &Lit| {
        latch_of[by.var().index()].is_none_or(|l| substitution.latches[l as usize].is_none())
    };
    assert!(substitution.latches.iter().flatten().all(stays), "a replacement is replaced");
    let properties: Vec<usize> = (0..system.properties().len()).collect();
    let mut now = select(system, &properties);
    let later = rebuild(&now.system, substitution, None, true);
    now.apply(Some(later));
    now.apply(cone::restrict_to_cone(&now.system));
    now
}
