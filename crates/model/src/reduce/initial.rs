//! The first step: evaluates reset functions, which may build on each other.

use crate::aig::Node;
use crate::bits::{BitSystem, Reset};
use crate::lit::{Lit, Var};

/// The gates that reset functions need and the latches that have one, in an order in which each
/// only needs earlier ones (and inputs, and latches without a function). Nothing if the reset
/// functions are circular.
pub fn initial_order(system: &BitSystem) -> Option<Vec<Var>> {
    let latches = system.reset_order().ok()?;
    let mut order: Vec<Var> = Vec::new();
    let mut seen = vec![false; system.aig.len()];
    let mut stack: Vec<Var> = Vec::new();
    for latch in latches.into_iter().map(|l| system.latches[l as usize]) {
        let Reset::Function(f) = latch.reset else { continue };
        // The gates that no earlier latch needed; by number they are in topological order.
        let first = order.len();
        stack.push(f.var());
        while let Some(var) = stack.pop() {
            if let Node::And(a, b) = system.aig.node(var)
                && !std::mem::replace(&mut seen[var.index()], true)
            {
                order.push(var);
                stack.extend([a.var(), b.var()]);
            }
        }
        order[first..].sort_unstable();
        order.push(latch.var);
    }
    Some(order)
}

/// Completes the values of the first step. On entry `values` holds inputs and latches; the
/// entries of latches with a reset function are overwritten, and gates are evaluated.
pub fn evaluate_initial<T: Copy>(
    system: &BitSystem,
    order: &[Var],
    values: &mut [T],
    not: impl Fn(T, bool) -> T,
    and: impl Fn(T, T) -> T,
) {
    let latch_of = system.latch_of_var();
    let of = |values: &[T], lit: Lit| not(values[lit.var().index()], lit.is_negated());
    for &var in order {
        values[var.index()] = match latch_of[var.index()].map(|l| &system.latches[l as usize]) {
            Some(latch) => match latch.reset {
                Reset::Function(f) => of(values, f),
                _ => values[var.index()],
            },
            None => match system.aig.node(var) {
                Node::And(a, b) => and(of(values, a), of(values, b)),
                _ => values[var.index()],
            },
        };
    }
    evaluate_gates(system, values, not, and);
}

/// Evaluates all gates from the values of inputs and latches.
pub fn evaluate_gates<T: Copy>(
    system: &BitSystem,
    values: &mut [T],
    not: impl Fn(T, bool) -> T,
    and: impl Fn(T, T) -> T,
) {
    for (var, a, b) in system.aig.gates() {
        let a = not(values[a.var().index()], a.is_negated());
        let b = not(values[b.var().index()], b.is_negated());
        values[var.index()] = and(a, b);
    }
}
