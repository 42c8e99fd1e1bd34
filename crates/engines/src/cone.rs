//! Which latches matter: sets that are closed under the transition relation.

use pedra_model::aig::Node;
use pedra_model::bits::{BitSystem, Reset};
use pedra_model::lit::{Lit, Var};

/// Which links a walk follows through a latch.
#[derive(Copy, Clone, PartialEq, Eq)]
enum Through {
    Next,
    Reset,
}

/// The latches (by index, ascending) on which the roots and the constraints depend at any
/// time: their next functions, the roots and the constraints read no other latch.
pub fn closed_latches(system: &BitSystem, roots: impl IntoIterator<Item = Lit>) -> Vec<usize> {
    let constraints = system.constraints.iter().copied();
    let seen = walk(system, roots.into_iter().chain(constraints), Through::Next);
    let latches = system.latches.iter().enumerate();
    latches.filter(|(_, latch)| seen[latch.var.index()]).map(|(l, _)| l).collect()
}

/// Whether being initial, as far as these latches are concerned, is a matter of the state
/// alone: no reset function leads to an input, not even through the resets of other latches.
pub fn is_init_free_of_inputs(system: &BitSystem, latches: &[usize]) -> bool {
    let roots = latches.iter().map(|&l| system.latches[l].var.lit());
    let seen = walk(system, roots, Through::Reset);
    system.inputs.iter().all(|input| !seen[input.index()])
}

/// The variables that are reached from the roots through gates and latches.
fn walk(system: &BitSystem, roots: impl Iterator<Item = Lit>, through: Through) -> Vec<bool> {
    let latch_of = system.latch_of_var();
    let mut seen = vec![false; system.aig.len()];
    let mut stack: Vec<Var> = Vec::new();
    let visit = |lit: Lit, seen: &mut Vec<bool>, stack: &mut Vec<Var>| {
        if !std::mem::replace(&mut seen[lit.var().index()], true) {
            stack.push(lit.var());
        }
    };
    for root in roots {
        visit(root, &mut seen, &mut stack);
    }
    while let Some(var) = stack.pop() {
        if let Node::And(a, b) = system.aig.node(var) {
            visit(a, &mut seen, &mut stack);
            visit(b, &mut seen, &mut stack);
        } else if let Some(latch) = latch_of[var.index()] {
            let latch = &system.latches[latch as usize];
            match (through, latch.reset) {
                (Through::Next, _) => visit(latch.next, &mut seen, &mut stack),
                (Through::Reset, Reset::Function(lit)) => visit(lit, &mut seen, &mut stack),
                (Through::Reset, _) => {}
            }
        }
    }
    seen
}
