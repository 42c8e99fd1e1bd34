//! The bounded query of AVY: an unrolling that knows the frames.
//!
//! ```text
//! φ = ⋀ ( F_i(v_i) ∧ Tr(v_i, v_{i+1}) )_i  ∧  ( F_N(v_N) ∧ Bad(v_N) )_N
//! ```
//!
//! `F_i` is in part `i`, never in part `i − 1`: only then does the interpolant at cut `i` say no
//! more than what `F_i` lacks (the paper's equation 10 against 11).
//!
//! Frames only become stronger, so lemmas are added as they are learned, and none is removed. Those
//! of a step depend on its guard. Steps are made, and lemmas added, when a query needs them.
//!
//! **kAvy** asks about steps that use a higher frame than their own, see `extension`. There, each
//! step has a chain of guards, one per level: `e_l ⟹ e_{l+1}`, and `e_l` switches the lemmas of
//! level `l` on, so that `e_l` as an assumption means `F_l`. At step 0, `e_0` means the initial
//! states.

use super::extension::Extension;
use super::options::AvyOptions;
use crate::context::Context;
use crate::layers::{Layers, Template};
use crate::pdr::{Frames, Stopped};
use crate::trace::{LemmaId, Level};
use pedra_model::lit::Lit;
use pedra_solve::cadical::Preset;

/// The unrolling, with lemmas.
pub(super) struct Unrolling {
    pub(super) layers: Layers,
    steps: Vec<Given>,
    /// Whether steps have guards for each level.
    has_levels: bool,
}

/// The lemmas that a step has.
#[derive(Default)]
struct Given {
    /// By number: one more than the level at which the step has the lemma; 0 if it has it not.
    has: Vec<usize>,
    /// With guards for each level: those from the number of the step on.
    levels: Vec<Lit>,
    /// For min-core: a guard for each lemma.
    guards: Vec<(LemmaId, Lit)>,
}

/// What a query is about.
pub(super) struct Query<'a> {
    pub(super) template: &'a Template,
    pub(super) frames: &'a Frames,
    pub(super) options: &'a AvyOptions,
    /// The last step.
    pub(super) last: usize,
    /// Implies a bad state there.
    pub(super) target: Lit,
}

impl Unrolling {
    /// No steps yet.
    pub(super) fn new(context: &Context, options: &AvyOptions) -> Unrolling {
        let layers = Layers::new(context, Preset::Default);
        Unrolling { layers, steps: Vec::new(), has_levels: options.max_k() > 1 }
    }

    /// Makes steps, unless they are there.
    pub(super) fn unroll(&mut self, template: &Template, steps: std::ops::RangeInclusive<usize>) {
        if self.steps.len() <= *steps.end() {
            self.steps.resize_with(*steps.end() + 1, Given::default);
        }
        let is_first = *steps.start() == 0 && self.steps[0].levels.is_empty();
        self.layers.unroll(template, steps, !self.has_levels);
        if self.has_levels && is_first {
            let init = self.layers.new_lit();
            self.steps[0].levels.push(init);
            self.layers.add_init(&template.transition, init);
        }
    }

    /// Is there a path through the steps of an extension?
    ///
    /// `⋀_{first ≤ j < last} F_{max(i, j)}(v_j) ∧ Tr(v_j, v_{j+1}) ∧ F_last(v_last) ∧ Bad(v_last)`
    pub(super) fn check(&mut self, query: &Query, at: Extension) -> Result<bool, Stopped> {
        self.unroll(query.template, at.first..=query.last);
        let mut assumptions = vec![query.target];
        for step in at.first..=query.last {
            self.add_lemmas(query, step);
            assumptions.extend(self.lemma_guards(query, at, step));
        }
        assumptions.extend(self.level_guards(query, at));
        self.layers.check_path(at.first, query.last, &assumptions)
    }

    /// The first step that the last refutation needs.
    pub(super) fn first_needed(&self, query: &Query, at: Extension) -> usize {
        let is_needed = |&step: &usize| {
            let given = &self.steps[step];
            let lemmas = given.guards.iter().map(|&(_, guard)| guard);
            let levels = given.levels.iter().copied();
            let mut all = [self.layers.guard(step)].into_iter().chain(lemmas).chain(levels);
            all.any(|lit| self.layers.is_failed(lit))
        };
        (at.first..=query.last).find(is_needed).unwrap_or(query.last)
    }

    /// The assumptions that choose the level of each step, if steps have such guards.
    fn level_guards(&self, query: &Query, at: Extension) -> Vec<Lit> {
        let mut all = Vec::new();
        for (step, given) in self.steps.iter().enumerate().filter(|(_, g)| !g.levels.is_empty()) {
            if !(at.first..=query.last).contains(&step) {
                // Guards occur negatively only, so this plays no part in refutations.
                all.extend(given.levels.last().map(|&guard| !guard));
                continue;
            }
            let place = at.level_of(step) - step;
            all.push(given.levels[place]);
            if place > 0 {
                all.push(!given.levels[place - 1]);
            }
        }
        all
    }

    /// For min-core: the guards of the lemmas that a step uses.
    fn lemma_guards(&self, query: &Query, at: Extension, step: usize) -> Vec<Lit> {
        let level = Level::new(at.level_of(step));
        let guards = self.steps[step].guards.iter();
        let holds = |(id, _): &&(LemmaId, Lit)| query.frames.lemma(*id).level() >= level;
        guards.filter(holds).map(|&(_, guard)| guard).collect()
    }

    /// Tells a step of lemmas that came, or rose, since it was looked at.
    fn add_lemmas(&mut self, query: &Query, step: usize) {
        let frames = query.frames;
        self.add_levels(step, frames.top().index());
        if step == 0 && !self.has_levels {
            // The initial states satisfy every lemma.
            return;
        }
        self.steps[step].has.resize(frames.total(), 0);
        for id in frames.lemmas((), Level::new(step)) {
            let lemma = frames.lemma(id);
            let place = lemma.level().finite().map_or(usize::MAX, |level| level + 1);
            let before = self.steps[step].has[id.index()];
            let by_level = self.has_levels && !query.options.core;
            if before == place || (before > 0 && !by_level) {
                continue;
            }
            self.steps[step].has[id.index()] = place;
            let mut guard = self.layers.guard(step);
            if query.options.core {
                guard = self.layers.new_lit();
                self.steps[step].guards.push((id, guard));
            } else if let (true, Some(level)) = (by_level, lemma.level().finite()) {
                guard = self.steps[step].levels[level - step];
            }
            self.layers.exclude(step, lemma.set(), guard);
        }
    }

    /// Makes the guards of levels: `e_l ⟹ e_{l+1}`.
    fn add_levels(&mut self, step: usize, top: usize) {
        while self.has_levels && self.steps[step].levels.len() <= top - step {
            let guard = self.layers.new_lit();
            if let Some(&below) = self.steps[step].levels.last() {
                self.layers.add_clause(step, &[!below, guard]);
            }
            self.steps[step].levels.push(guard);
        }
    }

    /// Min-core: leaves out lemmas, those of low steps first, as long as there is no path.
    pub(super) fn minimise(&mut self, query: &Query, at: Extension) -> Result<(), Stopped> {
        let mut fixed = vec![query.target];
        fixed.extend(self.level_guards(query, at));
        let steps = at.first..=query.last;
        let mut needed: Vec<Lit> =
            steps.flat_map(|step| self.lemma_guards(query, at, step)).collect();
        needed.retain(|&guard| self.layers.is_failed(guard));
        let mut tried = 0;
        while tried < needed.len() {
            let (before, after) = needed.split_at(tried);
            let assumptions = [&fixed, before, &after[1..]].concat();
            if self.layers.check_path(at.first, query.last, &assumptions)? {
                tried += 1;
            } else {
                let kept = |guard: &&Lit| self.layers.is_failed(**guard);
                let head: Vec<Lit> = before.iter().filter(kept).copied().collect();
                let tail = after[1..].iter().filter(kept);
                tried = head.len();
                needed = head.iter().chain(tail).copied().collect();
            }
        }
        // The last query may have had a path.
        let assumptions = [fixed, needed].concat();
        let is_path = self.layers.check_path(at.first, query.last, &assumptions)?;
        assert!(!is_path, "the same query was refuted before");
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::extension::Found;
    use super::*;
    use crate::layers::StateCircuit;
    use crate::trace::CubeIndex;
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
        let mut frames = Frames::new([CubeIndex::new(template.transition.state_vars().end)]);
        frames.open();
        frames.open();
        for bit in 2..=4 {
            frames.insert((), [Var::new(bit).lit()].into(), Level::new(1));
        }
        for (core, kavy) in [(false, 0), (true, 0), (false, 2), (true, 2)] {
            for rules in [System::McMillan, System::Pudlak] {
                let options = AvyOptions { core, kavy, system: rules, ..AvyOptions::default() };
                let (at, sequence, circuit) = refute(&system, &template, &frames, &options);
                assert_eq!(at, Extension { first: 1, level: 1 });
                assert_eq!(sequence[0], Lit::TRUE);
                for x in 0..16 {
                    let is_in = holds(&circuit, sequence[1], x);
                    assert!(is_in || !(1..=2).contains(&x), "{x} is a successor of x ≤ 1");
                    assert!(!is_in || x < 6, "{x} is bad");
                }
            }
        }
    }

    /// The last of three bits in a row, all fed from a constant: two steps within `⊤` do not lead
    /// to `x_2`, one does. So `(1, 2)` is a strong extension level, and `(1, 1)` is none.
    #[test]
    fn strong_induction_sees_what_a_suffix_does_not() {
        let mut system = BitSystem::new();
        let x: Vec<Lit> = (0..3).map(|_| system.add_latch(Reset::Zero)).collect();
        for i in 0..3 {
            system.latches[i].next = if i == 0 { Lit::FALSE } else { x[i - 1] };
        }
        system.bads.push(x[2]);
        let template = Template::new(&system);
        let mut frames = Frames::new([CubeIndex::new(template.transition.state_vars().end)]);
        for _ in 0..4 {
            frames.open();
        }
        for core in [false, true] {
            // Without lemmas three steps are needed, wherever they are.
            let at = |kavy| {
                let options = AvyOptions { core, kavy, ..AvyOptions::default() };
                refute_at(&system, &template, &frames, &options, 4)
            };
            assert_eq!(at(0).0, Extension { first: 1, level: 1 });
            assert_eq!(at(2).0, Extension { first: 1, level: 2 });
            let (extension, sequence, circuit) = at(3);
            assert_eq!(extension, Extension { first: 1, level: 3 });
            // I_2, I_3, I_4: what one, two and three steps from anywhere leave possible.
            for (steps, &interpolant) in sequence.iter().enumerate().skip(1) {
                for x in (0..8).filter(|x| x & ((1 << steps) - 1) == 0) {
                    assert!(holds(&circuit, interpolant, x), "{x} after {steps} steps");
                }
            }
        }
    }

    fn refute(
        system: &BitSystem,
        template: &Template,
        frames: &Frames,
        options: &AvyOptions,
    ) -> (Extension, Vec<Lit>, StateCircuit) {
        refute_at(system, template, frames, options, 2)
    }

    /// The extension that is refuted at a bound, and the interpolants from its first step on.
    fn refute_at(
        system: &BitSystem,
        template: &Template,
        frames: &Frames,
        options: &AvyOptions,
        last: usize,
    ) -> (Extension, Vec<Lit>, StateCircuit) {
        let mut unrolling = Unrolling::new(&Context::default(), options);
        unrolling.unroll(template, last..=last);
        let target = unrolling.layers.any(last, &template.transition.bads);
        let query = Query { template, frames, options, last, target };
        let Ok(Found::Refuted(at, refutation)) = unrolling.find(&query, Extension::default())
        else {
            panic!("there is no path to a bad state")
        };
        let mut circuit = StateCircuit::new(system, &template.transition);
        let cuts = at.first..=last;
        let (sequence, _) =
            unrolling.layers.interpolants(&refutation, cuts, options.system, &mut circuit);
        (at, sequence, circuit)
    }
}
