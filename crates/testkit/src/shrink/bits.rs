//! Smaller bit-level systems.

use pedra_model::aig::Node;
use pedra_model::bits::{BitSystem, Latch, Reset};
use pedra_model::lit::{Lit, Var};

/// Systems that are a little smaller, the largest steps first. The measure: properties,
/// constraints, latches, inputs, gates; then resets and next functions, by how odd they are.
pub fn smaller_bits(system: &BitSystem) -> Vec<BitSystem> {
    let mut found = Vec::new();
    let mut edit = |change: &dyn Fn(&mut BitSystem)| {
        let mut copy = system.clone();
        change(&mut copy);
        found.push(compact(&copy, &identity(system)));
    };
    let plain = |s: &mut BitSystem| {
        s.names = Default::default();
        s.comments.clear();
        s.justice.clear();
        s.fairness.clear();
        if !s.outputs_are_bads() {
            s.outputs.clear();
        }
    };
    edit(&plain);
    if system.outputs_are_bads() {
        edit(&|s| s.bads = std::mem::take(&mut s.outputs));
    }
    let properties = system.properties().len();
    for i in (0..properties).filter(|_| properties > 1) {
        edit(&|s| {
            let list = if s.outputs_are_bads() { &mut s.outputs } else { &mut s.bads };
            list.remove(i);
        });
    }
    for i in 0..system.constraints.len() {
        edit(&|s| {
            s.constraints.remove(i);
        });
    }
    substitutions(system, &mut found);
    for (i, latch) in system.latches.iter().enumerate() {
        found.push(latch_as_input(system, i));
        for reset in [Reset::Zero, Reset::One, Reset::Free] {
            if rank(reset) < rank(latch.reset) {
                let mut copy = system.clone();
                copy.latches[i].reset = reset;
                found.push(compact(&copy, &identity(system)));
            }
        }
        let own = latch.var.lit();
        for next in [Lit::FALSE, Lit::TRUE, own, !own] {
            if next_rank(next, own) < next_rank(latch.next, own) {
                let mut copy = system.clone();
                copy.latches[i].next = next;
                found.push(compact(&copy, &identity(system)));
            }
        }
    }
    found.retain(|smaller| measure(smaller) < measure(system) && smaller.reset_order().is_ok());
    found
}

/// What gets smaller.
fn measure(s: &BitSystem) -> Vec<usize> {
    let odd: usize = s.latches.iter().map(|l| rank(l.reset)).sum();
    let nexts: usize = s.latches.iter().map(|l| next_rank(l.next, l.var.lit())).sum();
    let rest = s.justice.len() + s.fairness.len() + s.comments.len() + s.names.bads.len();
    let names = s.names.inputs.len() + s.names.latches.len() + s.names.outputs.len();
    let files = rest + names + s.names.constraints.len() + 2 * usize::from(s.outputs_are_bads());
    vec![
        s.properties().len() + s.constraints.len(),
        2 * s.latches.len() + s.inputs.len(),
        s.aig.num_gates(),
        odd,
        nexts,
        s.outputs.len() + files,
    ]
}

/// How odd a reset is.
fn rank(reset: Reset) -> usize {
    match reset {
        Reset::Zero => 0,
        Reset::One => 1,
        Reset::Free => 2,
        Reset::Function(_) => 3,
    }
}

/// How odd a next function is.
fn next_rank(next: Lit, own: Lit) -> usize {
    let simple = [Lit::FALSE, Lit::TRUE, own, !own];
    simple.iter().position(|&lit| lit == next).unwrap_or(simple.len())
}

fn identity(system: &BitSystem) -> Vec<Lit> {
    system.aig.vars().map(Var::lit).collect()
}

/// Every variable in turn becomes a constant or, if it is a gate, one of its arguments.
fn substitutions(system: &BitSystem, found: &mut Vec<BitSystem>) {
    for var in system.aig.vars().collect::<Vec<_>>().into_iter().rev() {
        let mut values = vec![Lit::FALSE, Lit::TRUE];
        match system.aig.node(var) {
            Node::Const => continue,
            Node::And(a, b) => values.extend([a, b]),
            Node::Leaf => {}
        }
        for value in values {
            let mut map = identity(system);
            map[var.index()] = value;
            found.push(compact(system, &map));
        }
    }
}

/// A latch becomes an input: it may have any value at any time.
fn latch_as_input(system: &BitSystem, latch: usize) -> BitSystem {
    let mut copy = system.clone();
    let Latch { var, .. } = copy.latches.remove(latch);
    copy.inputs.push(var);
    copy.names = Default::default();
    compact(&copy, &identity(system))
}

/// The system with each variable replaced by a constant, itself or an earlier literal, and without
/// what nothing reads.
fn compact(system: &BitSystem, map: &[Lit]) -> BitSystem {
    let resolve = |mut lit: Lit| loop {
        let next = map[lit.var().index()];
        if next == lit.var().lit() {
            return lit;
        }
        lit = next ^ lit.is_negated();
    };
    let latches: Vec<&Latch> =
        system.latches.iter().filter(|l| resolve(l.var.lit()).var() == l.var).collect();
    let used = used_vars(system, &latches, &resolve);
    let mut small = BitSystem::new();
    let mut place = vec![Lit::FALSE; system.aig.len()];
    let mut kept: Vec<&Latch> = Vec::new();
    for var in system.aig.vars().filter(|v| used[v.index()]) {
        let at = |place: &[Lit], lit: Lit| {
            let lit = resolve(lit);
            place[lit.var().index()] ^ lit.is_negated()
        };
        place[var.index()] = match system.aig.node(var) {
            Node::Const => Lit::FALSE,
            Node::And(a, b) => {
                let (a, b) = (at(&place, a), at(&place, b));
                small.aig.push_and(a, b)
            }
            Node::Leaf => match latches.iter().find(|l| l.var == var) {
                Some(latch) => {
                    kept.push(latch);
                    small.add_latch(Reset::Zero)
                }
                None => small.add_input(),
            },
        };
    }
    let at = |lit: Lit| {
        let lit = resolve(lit);
        place[lit.var().index()] ^ lit.is_negated()
    };
    for (new, old) in small.latches.iter_mut().zip(&kept) {
        new.next = at(old.next);
        new.reset = match old.reset {
            Reset::Function(f) => Reset::Function(at(f)),
            other => other,
        };
    }
    let all = |lits: &[Lit]| lits.iter().map(|&lit| at(lit)).collect::<Vec<Lit>>();
    small.outputs = all(&system.outputs);
    small.bads = all(&system.bads);
    small.constraints = all(&system.constraints);
    small.justice = system.justice.iter().map(|lits| all(lits)).collect();
    small.fairness = all(&system.fairness);
    small.names.bads = system.names.bads.clone();
    small.comments = system.comments.clone();
    small
}

/// What properties, constraints and the latches that they read depend on.
fn used_vars(system: &BitSystem, latches: &[&Latch], resolve: &dyn Fn(Lit) -> Lit) -> Vec<bool> {
    let mut used = vec![false; system.aig.len()];
    let roots = [&system.outputs, &system.bads, &system.constraints, &system.fairness];
    let roots = roots.into_iter().flatten().chain(system.justice.iter().flatten());
    let mut stack: Vec<Lit> = roots.map(|&lit| resolve(lit)).collect();
    while let Some(lit) = stack.pop() {
        if std::mem::replace(&mut used[lit.var().index()], true) {
            continue;
        }
        if let Node::And(a, b) = system.aig.node(lit.var()) {
            stack.extend([resolve(a), resolve(b)]);
        }
        if let Some(latch) = latches.iter().find(|l| l.var == lit.var()) {
            stack.push(resolve(latch.next));
            if let Reset::Function(f) = latch.reset {
                stack.push(resolve(f));
            }
        }
    }
    used
}
