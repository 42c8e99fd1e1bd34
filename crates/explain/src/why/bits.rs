//! Reasons for values of bit-level traces.

use super::At;
use pedra_model::aig::Node;
use pedra_model::bits::{BitSystem, Reset};
use pedra_model::eval::bits::BitSimulator;
use pedra_model::lit::{Lit, Var};
use pedra_model::trace::BitTrace;
use pedra_model::value::Ternary;
use rustc_hash::{FxHashMap, FxHashSet};

pub(super) struct BitWhy<'a> {
    system: &'a BitSystem,
    pub(super) signals: Vec<Vec<Lit>>,
    /// The signal that a variable belongs to, where the walk ends.
    signal_of: FxHashMap<Var, usize>,
    latch_of: FxHashMap<Var, usize>,
    /// By step and variable.
    values: Vec<Vec<Ternary>>,
    /// The longest chain of gates below a variable.
    depth: Vec<u32>,
}

impl<'a> BitWhy<'a> {
    pub(super) fn new(
        system: &'a BitSystem,
        trace: &BitTrace,
        signals: Vec<Vec<Lit>>,
        is_end: &[bool],
    ) -> Option<BitWhy<'a>> {
        let mut simulator = BitSimulator::new(system).ok()?;
        let mut values = Vec::with_capacity(trace.inputs.len());
        for (step, inputs) in trace.inputs.iter().enumerate() {
            match step {
                0 => simulator.start(&trace.initial, inputs).ok()?,
                _ => simulator.step(inputs),
            }
            values.push(system.aig.vars().map(|var| simulator.value(var.lit())).collect());
        }
        let mut depth = vec![0; system.aig.len()];
        for (var, a, b) in system.aig.gates() {
            depth[var.index()] = 1 + depth[a.var().index()].max(depth[b.var().index()]);
        }
        let mut signal_of = FxHashMap::default();
        for (index, lits) in signals.iter().enumerate().filter(|(index, _)| is_end[*index]) {
            for lit in lits.iter().filter(|lit| lit.var() != Var::CONST) {
                signal_of.entry(lit.var()).or_insert(index);
            }
        }
        let latch_of = system.latches.iter().enumerate().map(|(i, latch)| (latch.var, i)).collect();
        Some(BitWhy { system, signals, signal_of, latch_of, values, depth })
    }

    fn value(&self, lit: Lit, step: usize) -> Ternary {
        self.values[step][lit.var().index()].flipped(lit.is_negated())
    }

    /// The causes, and how many values were looked at.
    pub(super) fn causes(&self, at: At) -> (Vec<At>, usize) {
        let mut found: Vec<At> = Vec::new();
        let mut seen: FxHashSet<(Var, usize)> = FxHashSet::default();
        // The signal itself is where the walk begins.
        let mut open: Vec<(Var, usize)> =
            self.signals[at.signal].iter().rev().map(|lit| (lit.var(), at.step)).collect();
        let roots: FxHashSet<Var> = open.iter().map(|(var, _)| *var).collect();
        while let Some((var, step)) = open.pop() {
            if !seen.insert((var, step)) || self.value(var.lit(), step) == Ternary::Unknown {
                continue;
            }
            let is_root = step == at.step && roots.contains(&var);
            if let (false, Some(&signal)) = (is_root, self.signal_of.get(&var)) {
                let cause = At { signal, step };
                if !found.contains(&cause) {
                    found.push(cause);
                }
                continue;
            }
            self.behind(var, step, &mut open);
        }
        (found, seen.len())
    }

    /// Adds what a known value follows from.
    fn behind(&self, var: Var, step: usize, open: &mut Vec<(Var, usize)>) {
        if let Some(&latch) = self.latch_of.get(&var) {
            let latch = &self.system.latches[latch];
            match (step.checked_sub(1), latch.reset) {
                (Some(before), _) => open.push((latch.next.var(), before)),
                (None, Reset::Function(function)) => open.push((function.var(), 0)),
                (None, _) => {}
            }
        } else if let Node::And(a, b) = self.system.aig.node(var) {
            if self.value(var.lit(), step) == Ternary::True {
                open.extend([(b.var(), step), (a.var(), step)]);
                return;
            }
            let zeros = [a, b].into_iter().filter(|&lit| self.value(lit, step) == Ternary::False);
            open.extend(
                zeros.min_by_key(|lit| self.depth[lit.var().index()]).map(|l| (l.var(), step)),
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::why::Why;

    /// `held` becomes 1 with `set`, and stays. At step 2 it is 1 because it was at step 1, where
    /// it was because of `set` at step 0.
    #[test]
    fn a_latch_leads_to_the_step_before() {
        let mut s = BitSystem::new();
        let set = s.add_input();
        s.add_latch(Reset::Zero);
        let held = s.latches[0].var.lit();
        s.latches[0].next = !s.aig.push_and(!set, !held);
        s.bads.push(held);
        let (yes, any) = (Ternary::True, Ternary::Unknown);
        let inputs = vec![vec![yes], vec![any], vec![any]];
        let trace = BitTrace { property: 0, initial: vec![any], inputs, loop_start: None };
        let signals = vec![vec![set], vec![held]];
        let why = Why::of_bits(&s, &trace, signals, &[true, true]).expect("small");
        let causes = |signal, step| {
            why.causes(At { signal, step })
                .iter()
                .map(|at| (at.signal, at.step))
                .collect::<Vec<_>>()
        };
        assert_eq!(causes(1, 2), [(1, 1)]);
        assert_eq!(causes(1, 1), [(0, 0)]);
        assert_eq!(causes(1, 0), []);
        assert_eq!(causes(0, 0), []);
    }
}
