//! The bounded query of AVY: an unrolling that knows the frames.
//!
//! ```text
//! φ = ⋀ ( F_i(v_i) ∧ Tr(v_i, v_{i+1}) )_i  ∧  ( F_N(v_N) ∧ Bad(v_N) )_N
//! ```
//!
//! `F_i` is in part `i`, never in part `i − 1`: only then does the interpolant at cut `i` say no
//! more than what `F_i` lacks (the paper's equation 10 against 11).
//!
//! Frames only become stronger, so lemmas are added as they come and none is taken back; those of
//! a step hang on its guard. They are added to the steps that a query looks at, when it does.

use super::options::AvyOptions;
use crate::context::Context;
use crate::layers::{Layers, Template};
use crate::pdr::{Frames, Level, Stopped};
use pedra_model::lit::Lit;
use pedra_solve::cadical::Preset;
use pedra_solve::interpolate::Refutation;

/// The unrolling, with lemmas.
pub(super) struct Unrolling {
    pub(super) layers: Layers,
    steps: Vec<Given>,
    /// The first step of the last refutation.
    suffix: usize,
}

/// The lemmas that a step has.
#[derive(Default)]
struct Given {
    /// By number.
    has: Vec<bool>,
    /// For min-core: a guard for each.
    guards: Vec<Lit>,
}

/// What the bounded query says.
pub(super) enum Found {
    /// There is a path from an initial state; the solver has it.
    Path,
    /// There is none, not even from a state of `F_first`, and `first` is the largest such number
    /// (with min-suffix).
    Refuted {
        /// The first step that the refutation needs.
        first: usize,
        /// Why.
        refutation: Refutation,
    },
}

impl Unrolling {
    /// No steps yet.
    pub(super) fn new(context: &Context) -> Unrolling {
        let layers = Layers::new(context, Preset::Default);
        Unrolling { layers, steps: Vec::new(), suffix: 0 }
    }

    /// Makes the steps `0..=last`.
    pub(super) fn unroll(&mut self, template: &Template, last: usize) {
        self.layers.unroll(template, last + 1, true);
        self.steps.resize_with(self.layers.len(), Given::default);
    }

    /// Refutes the query, or finds a path. `target` implies bad states at the step `last`.
    pub(super) fn find(
        &mut self,
        frames: &Frames,
        options: &AvyOptions,
        last: usize,
        target: Lit,
    ) -> Result<Found, Stopped> {
        let mut first = if options.suffix { (self.suffix + 1).min(last) } else { 0 };
        let mut refuted: Option<(usize, Refutation)> = None;
        // From this step on there is a path.
        let mut open = last + 1;
        loop {
            if first < open && !self.check(frames, options, first, last, target)? {
                first = (first..=last).find(|&step| self.is_needed(step)).unwrap_or(last);
                if options.core {
                    self.minimise(first, last, target)?;
                }
                refuted = Some((first, self.layers.refutation()));
                if options.suffix && first + 1 < open {
                    first += 1;
                    continue;
                }
            }
            match refuted {
                Some((first, refutation)) => {
                    self.suffix = first;
                    return Ok(Found::Refuted { first, refutation });
                }
                None if first == 0 => return Ok(Found::Path),
                None => {
                    open = first;
                    first -= 1;
                }
            }
        }
    }

    /// `⋀_{first ≤ i < last} F_i(v_i) ∧ Tr(v_i, v_{i+1}) ∧ F_last(v_last) ∧ Bad(v_last)`
    fn check(
        &mut self,
        frames: &Frames,
        options: &AvyOptions,
        first: usize,
        last: usize,
        target: Lit,
    ) -> Result<bool, Stopped> {
        for step in first.max(1)..=last {
            self.add_lemmas(frames, step, options.core);
        }
        let mut assumptions = vec![target];
        for given in &self.steps[first..=last] {
            assumptions.extend(&given.guards);
        }
        self.layers.check_path(first, last, &assumptions)
    }

    /// Whether the last refutation needs anything of a step.
    fn is_needed(&self, step: usize) -> bool {
        let lemmas = self.steps[step].guards.iter().copied();
        [self.layers.guard(step)].into_iter().chain(lemmas).any(|lit| self.layers.is_failed(lit))
    }

    fn add_lemmas(&mut self, frames: &Frames, step: usize, core: bool) {
        let given = &mut self.steps[step];
        given.has.resize(frames.total(), false);
        for id in frames.lemmas(Level::new(step)) {
            if std::mem::replace(&mut given.has[id.index()], true) {
                continue;
            }
            let guard = if core { self.layers.new_lit() } else { self.layers.guard(step) };
            if core {
                given.guards.push(guard);
            }
            self.layers.exclude(step, frames.lemma(id).cube(), guard);
        }
    }

    /// Min-core: leaves out lemmas, those of low steps first, as long as there is no path.
    fn minimise(&mut self, first: usize, last: usize, target: Lit) -> Result<(), Stopped> {
        let guards = |given: &[Given]| -> Vec<Lit> {
            given.iter().flat_map(|given| given.guards.iter().copied()).collect()
        };
        let mut needed = guards(&self.steps[first..=last]);
        needed.retain(|&guard| self.layers.is_failed(guard));
        let mut tried = 0;
        while tried < needed.len() {
            let mut assumptions = vec![target];
            assumptions
                .extend(needed.iter().enumerate().filter(|(i, _)| *i != tried).map(|(_, g)| g));
            if self.layers.check_path(first, last, &assumptions)? {
                tried += 1;
            } else {
                let (before, after) = needed.split_at(tried);
                let kept = |guard: &&Lit| self.layers.is_failed(**guard);
                let head: Vec<Lit> = before.iter().filter(kept).copied().collect();
                tried = head.len();
                needed = head.into_iter().chain(after.iter().filter(kept).copied()).collect();
            }
        }
        // The last query may have had a path.
        let assumptions: Vec<Lit> = [target].into_iter().chain(needed).collect();
        let is_path = self.layers.check_path(first, last, &assumptions)?;
        assert!(!is_path, "the same query was refuted before");
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layers::StateCircuit;
    use pedra_model::aig::Node;
    use pedra_model::bits::{BitSystem, Reset};
    use pedra_model::lit::Var;
    use pedra_solve::interpolate::System;

    /// The paper's counter, of four bits: `x = 0`, `x' = x + 1`, bad `x ≥ 6`.
    fn counter() -> BitSystem {
        let mut s = BitSystem::new();
        let x: Vec<Lit> = (0..4).map(|_| s.add_latch(Reset::Zero)).collect();
        let mut carry = Lit::TRUE;
        for (i, &bit) in x.iter().enumerate() {
            let (up, down) = (s.aig.push_and(bit, !carry), s.aig.push_and(!bit, carry));
            s.latches[i].next = !s.aig.push_and(!up, !down);
            carry = s.aig.push_and(bit, carry);
        }
        let six = s.aig.push_and(x[2], x[1]);
        let bad = !s.aig.push_and(!six, !x[3]);
        s.bads.push(bad);
        s
    }

    /// Whether a formula holds where the counter has this value.
    fn holds(circuit: &StateCircuit, formula: Lit, x: usize) -> bool {
        let aig = circuit.builder.aig();
        let mut values = vec![false; aig.len()];
        for (leaf, state) in circuit.state_vars() {
            values[leaf.index()] = x >> (state.index() - 1) & 1 == 1;
        }
        for var in aig.vars() {
            if let Node::And(a, b) = aig.node(var) {
                let of = |lit: Lit| values[lit.var().index()] != lit.is_negated();
                values[var.index()] = of(a) && of(b);
            }
        }
        values[formula.var().index()] != formula.is_negated()
    }

    /// With the trace `[x = 0, x ≤ 1, ⊤]` at bound 2 the suffix from step 1 is enough, `I_1` is
    /// true, and `I_2` lies between the successors of `x ≤ 1` and the good states.
    #[test]
    fn the_suffix_and_the_interpolants_of_the_paper() {
        let system = counter();
        let template = Template::new(&system);
        let mut frames = Frames::new(template.transition.state_vars().end);
        frames.open();
        frames.open();
        for bit in 2..=4 {
            frames.insert(vec![Var::new(bit).lit()], Level::new(1));
        }
        for core in [false, true] {
            for rules in [System::McMillan, System::Pudlak] {
                let options = AvyOptions { core, system: rules, ..AvyOptions::default() };
                let mut unrolling = Unrolling::new(&Context::default());
                unrolling.unroll(&template, 2);
                let target = unrolling.layers.any(2, &template.transition.bads);
                let found = unrolling.find(&frames, &options, 2, target);
                let Ok(Found::Refuted { first, refutation }) = found else {
                    panic!("there is no path to x ≥ 6 in two steps")
                };
                assert_eq!(first, 1);
                let mut circuit = StateCircuit::new(&system, &template.transition);
                let (sequence, _) =
                    unrolling.layers.interpolants(&refutation, 1..=2, rules, &mut circuit);
                assert_eq!(sequence[0], Lit::TRUE);
                for x in 0..16 {
                    let is_in = holds(&circuit, sequence[1], x);
                    assert!(is_in || !(1..=2).contains(&x), "{x} is a successor of x ≤ 1");
                    assert!(!is_in || x < 6, "{x} is bad");
                }
            }
        }
    }
}
