//! Constant latches, found by ternary simulation.
//!
//! The simulation starts from the reset values with all inputs unknown. A latch whose next
//! value may differ from its own becomes unknown; this repeats until nothing changes. What is
//! known then is a cube that contains the initial states and is closed under transitions:
//! an inductive invariant, by which its latches are constant.
//!
//! Values only ever go from known to unknown, each at most once, and an event for each such
//! change goes to its readers only; so the whole takes time linear in the system, however many
//! steps a value takes to arrive.

use super::Reduced;
use super::fanout::{Fanouts, Reader};
use super::initial::{evaluate_gates, evaluate_initial, initial_order};
use super::rebuild::{Substitution, rebuild};
use crate::aig::Node;
use crate::bits::{BitSystem, Reset};
use crate::lit::{Lit, Var};
use crate::value::Ternary;

/// Replaces latches that never change by constants; nothing if there are none.
pub(super) fn replace_constants(system: &BitSystem, hashed: bool) -> Option<Reduced> {
    if system.latches.is_empty() {
        return None;
    }
    let values = inductive_cube(system);
    let mut substitution = Substitution::none(system);
    for (i, latch) in system.latches.iter().enumerate() {
        if let Some(value) = values[latch.var.index()].known() {
            substitution.replace(system, i, Lit::constant(value));
        }
    }
    (!substitution.is_empty()).then(|| rebuild(system, substitution, None, hashed))
}

/// The value of each variable in the smallest inductive cube that ternary simulation finds.
fn inductive_cube(system: &BitSystem) -> Vec<Ternary> {
    let mut values = initial_values(system);
    // Readers that can still change: a latch of unknown value cannot, nor does a reset
    // function matter any more.
    let starts_known: Vec<bool> =
        system.latches.iter().map(|l| values[l.var.index()].known().is_some()).collect();
    let fanouts = Fanouts::new(system, false, |_| true, |l| starts_known[l]);
    let mut events: Vec<Var> = Vec::new();
    for latch in &system.latches {
        if values[latch.var.index()].known().is_some()
            && value_of(&values, latch.next) != values[latch.var.index()]
        {
            events.push(latch.var);
        }
    }
    // Only after all were compared with the values of the first step: the order of events does
    // not matter, but an event must not be raised twice.
    for var in &events {
        values[var.index()] = Ternary::Unknown;
    }
    while let Some(var) = events.pop() {
        for reader in fanouts.of(var) {
            let reader = match reader {
                Reader::Gate(gate) => gate,
                Reader::Latch(latch) => system.latches[latch].var,
            };
            if values[reader.index()] == Ternary::Unknown {
                continue;
            }
            // A latch whose next function becomes unknown is unknown; a gate may still be
            // decided by its other input.
            let value = match system.aig.node(reader) {
                Node::And(a, b) => value_of(&values, a).and(value_of(&values, b)),
                _ => Ternary::Unknown,
            };
            if value == Ternary::Unknown {
                values[reader.index()] = value;
                events.push(reader);
            }
        }
    }
    values
}

fn value_of(values: &[Ternary], lit: Lit) -> Ternary {
    values[lit.var().index()].flipped(lit.is_negated())
}

/// All variables in the first step, inputs and free latches unknown. If the reset functions are
/// circular then their latches are unknown as well.
fn initial_values(system: &BitSystem) -> Vec<Ternary> {
    let mut values = vec![Ternary::Unknown; system.aig.len()];
    values[0] = Ternary::False;
    for latch in &system.latches {
        values[latch.var.index()] = latch.reset.constant().into();
    }
    match initial_order(system) {
        Some(order) if system.latches.iter().any(|l| matches!(l.reset, Reset::Function(_))) => {
            evaluate_initial(system, &order, &mut values, Ternary::flipped, Ternary::and);
        }
        _ => evaluate_gates(system, &mut values, Ternary::flipped, Ternary::and),
    }
    values
}
