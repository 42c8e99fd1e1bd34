//! Cone of influence: keeps only what the properties and the constraints depend on, over any
//! number of steps, the first included.
//!
//! Every constraint stays with its cone, even one that shares nothing with any property: it may
//! have no model after some steps, which ends all paths and so matters to every property.

use super::Reduced;
use super::rebuild::{Substitution, rebuild};
use crate::aig::Node;
use crate::bits::{BitSystem, Reset};
use crate::lit::Lit;

/// The system restricted to the cone of its bads and constraints; nothing if that is all.
pub(super) fn restrict_to_cone(system: &BitSystem) -> Option<Reduced> {
    let cone = cone_of_influence(system);
    let is_all = cone.iter().all(|&kept| kept);
    (!is_all).then(|| rebuild(system, Substitution::none(system), Some(&cone), false))
}

/// Which variables the bads and constraints depend on, through gates, next functions and reset
/// functions.
fn cone_of_influence(system: &BitSystem) -> Vec<bool> {
    let latch_of = system.latch_of_var();
    let mut in_cone = vec![false; system.aig.len()];
    in_cone[0] = true;
    let mut stack: Vec<Lit> = system.bads.iter().chain(&system.constraints).copied().collect();
    while let Some(lit) = stack.pop() {
        if std::mem::replace(&mut in_cone[lit.var().index()], true) {
            continue;
        }
        if let Node::And(a, b) = system.aig.node(lit.var()) {
            stack.extend([a, b]);
        } else if let Some(l) = latch_of[lit.var().index()] {
            let latch = system.latches[l as usize];
            stack.push(latch.next);
            if let Reset::Function(f) = latch.reset {
                stack.push(f);
            }
        }
    }
    in_cone
}
