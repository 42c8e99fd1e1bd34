//! Time-frame expansion in parts, for interpolation.
//!
//! Part `i` has what is said of step `i`: the logic, the constraints, the step to `i + 1`, and
//! whatever the engine adds for that step. Unlike in [`unroll`](crate::unroll) every step has
//! variables of its own, numbered alike, and the state variables of step `i + 1` are tied to the
//! next functions of step `i` by equalities *in part `i`*. So the state variables of step `j`
//! are the only ones that parts on both sides of cut `j` know, and interpolants are formulas over
//! states.
//!
//! Steps can be made in any order, so an engine that only asks about suffixes makes no others.
//!
//! What part `i` asserts (not: defines) hangs on its guard, an assumption. The definitions of
//! gates are total and imply nothing, so they need none. Queries name a suffix of the parts; the
//! refutation of one then has nothing to do with earlier parts.
//!
//! One solver serves all bounds. Only [`Layers::is_full`] puts an end to it: the record of the
//! proof grows with every clause learned.

mod circuit;
mod template;

pub(crate) use circuit::StateCircuit;
pub(crate) use template::Template;

use crate::context::Context;
use crate::pdr::{QUERY_WORK, Stopped, Transition};
use pedra_model::lit::{Lit, Var};
use pedra_model::trace::BitTrace;
use pedra_model::value::Ternary;
use pedra_solve::cadical::Preset;
use pedra_solve::interpolate::{ProofSize, Refutation, System};
use pedra_solve::{CadicalConfig, FrameEncoder, Interpolating, SatResult, SatSolver, SatStats};
use std::ops::RangeInclusive;

/// The record of the proof may take this many bytes before the solver is rebuilt.
const MAX_RECORD_BYTES: usize = 1 << 30;

/// The unrolling on its solver.
pub(crate) struct Layers {
    solver: Interpolating,
    /// Those that were made.
    steps: Vec<Option<Layer>>,
}

/// One step.
#[derive(Copy, Clone)]
struct Layer {
    /// Variable `v` of the template is variable `base + v` of the solver.
    base: usize,
    /// Switches what is asserted of this step on.
    guard: Lit,
}

impl Layers {
    /// No steps yet.
    pub(crate) fn new(context: &Context, preset: Preset) -> Layers {
        // Only the lower half of the number fits.
        let config = CadicalConfig { seed: context.seed as u32, ..CadicalConfig::preset(preset) };
        let mut solver = Interpolating::new(config);
        solver.set_interrupt(context.interrupt.clone());
        Layers { solver, steps: Vec::new() }
    }

    fn layer(&self, step: usize) -> &Layer {
        self.steps[step].as_ref().expect("the step was made")
    }

    /// The literal of a literal of the template at a step.
    pub(crate) fn lit(&self, step: usize, lit: Lit) -> Lit {
        if lit.is_const() {
            return lit;
        }
        Lit::new(Var::new(self.layer(step).base + lit.var().index()), lit.is_negated())
    }

    /// The guard of a step.
    pub(crate) fn guard(&self, step: usize) -> Lit {
        self.layer(step).guard
    }

    /// Makes the steps that are not there yet. Step 0 is tied to the initial states if
    /// `with_init`.
    pub(crate) fn unroll(
        &mut self,
        template: &Template,
        steps: RangeInclusive<usize>,
        with_init: bool,
    ) {
        if self.steps.len() <= *steps.end() {
            self.steps.resize(*steps.end() + 1, None);
        }
        // Downwards, since suffixes grow that way.
        for step in steps.rev().filter(|&step| self.steps[step].is_none()).collect::<Vec<usize>>() {
            self.add_step(template, step);
            if step == 0 && with_init {
                let guard = self.guard(0);
                self.add_init(&template.transition, guard);
            }
        }
    }

    fn add_step(&mut self, template: &Template, step: usize) {
        let transition = &template.transition;
        self.solver.set_part(step);
        let guard = self.solver.new_var().lit();
        let base = self.solver.num_vars() - 1;
        self.solver.reserve_vars(Var::new(base + template.num_vars()));
        self.steps[step] = Some(Layer { base, guard });
        let mut clause = Vec::new();
        for lits in template.clauses() {
            clause.clear();
            clause.extend(lits.iter().map(|&lit| self.lit(step, lit)));
            self.solver.add_clause(&clause);
        }
        for &constraint in &transition.constraints {
            let constraint = self.lit(step, constraint);
            self.solver.add_clause(&[!guard, constraint]);
        }
        let is_made = |step: usize| self.steps.get(step).is_some_and(Option::is_some);
        let (has_before, has_after) = (step > 0 && is_made(step - 1), is_made(step + 1));
        if has_before {
            self.link(transition, step);
        }
        if has_after {
            self.link(transition, step + 1);
        }
    }

    /// Ties step 0 to the initial states, under a guard.
    pub(crate) fn add_init(&mut self, transition: &Transition, guard: Lit) {
        for &init in &transition.init {
            let init = self.lit(0, init);
            self.add_clause(0, &[!guard, init]);
        }
    }

    /// `v_step = next(v_{step−1})`, in the part of the step before.
    fn link(&mut self, transition: &Transition, step: usize) {
        let before = step - 1;
        self.solver.set_part(before);
        let guard = self.guard(before);
        for var in transition.state_vars().filter(|&var| transition.is_encoded(var)) {
            let state = Var::new(var).lit();
            let next = self.lit(before, transition.primed(state));
            let state = self.lit(step, state);
            self.solver.add_clause(&[!guard, !state, next]);
            self.solver.add_clause(&[!guard, state, !next]);
        }
    }

    /// Adds a clause over solver literals to the part of a step, without a guard.
    pub(crate) fn add_clause(&mut self, step: usize, lits: &[Lit]) {
        self.solver.set_part(step);
        self.solver.add_clause(lits);
    }

    /// The clause `¬cube` at a step, under a guard.
    pub(crate) fn exclude(&mut self, step: usize, cube: &[Lit], guard: Lit) {
        let mut clause: Vec<Lit> = cube.iter().map(|&lit| !self.lit(step, lit)).collect();
        clause.push(!guard);
        self.add_clause(step, &clause);
    }

    /// A new literal that implies some of these literals of the template at a step.
    pub(crate) fn any(&mut self, step: usize, lits: &[Lit]) -> Lit {
        let any = self.new_lit();
        let mut clause: Vec<Lit> = lits.iter().map(|&lit| self.lit(step, lit)).collect();
        clause.push(!any);
        self.add_clause(step, &clause);
        any
    }

    /// A solver literal that stands for nothing yet.
    pub(crate) fn new_lit(&mut self) -> Lit {
        self.solver.new_var().lit()
    }

    /// A formula over the states of a step, as a solver literal.
    pub(crate) fn encode(&mut self, step: usize, circuit: &StateCircuit, root: Lit) -> Lit {
        self.solver.set_part(step);
        let mut encoder = FrameEncoder::new();
        for (leaf, state) in circuit.state_vars() {
            encoder.set_leaf(leaf, self.lit(step, state.lit()));
        }
        encoder.encode(circuit.builder.aig(), &mut self.solver, root)
    }

    /// Is there a path through the steps `from..=to`, with the assumptions?
    pub(crate) fn check_path(
        &mut self,
        from: usize,
        to: usize,
        assumptions: &[Lit],
    ) -> Result<bool, Stopped> {
        let mut all = assumptions.to_vec();
        for (step, layer) in self.steps.iter().enumerate() {
            // Guards occur negatively only, so those of other steps play no part in refutations.
            let is_off = !(from..=to).contains(&step);
            all.extend(layer.map(|layer| layer.guard ^ is_off));
        }
        self.check(&all)
    }

    /// Is it satisfiable under just these assumptions?
    pub(crate) fn check(&mut self, assumptions: &[Lit]) -> Result<bool, Stopped> {
        match self.solver.solve(assumptions) {
            SatResult::Sat => Ok(true),
            SatResult::Unsat => Ok(false),
            SatResult::Unknown => Err(Stopped),
        }
    }

    /// Whether the last refutation rests on the assumption.
    pub(crate) fn is_failed(&self, lit: Lit) -> bool {
        self.solver.is_failed(lit)
    }

    /// Whether a literal is true in the last model.
    pub(crate) fn is_true(&self, lit: Lit) -> bool {
        lit == Lit::TRUE || (lit != Lit::FALSE && self.solver.value(lit) == Some(true))
    }

    /// Why there is no path.
    pub(crate) fn refutation(&self) -> Refutation {
        self.solver.refutation().expect("there is no path").clone()
    }

    /// The interpolants of a refutation at the cuts: formulas over states.
    pub(crate) fn interpolants(
        &self,
        refutation: &Refutation,
        cuts: RangeInclusive<usize>,
        system: System,
        circuit: &mut StateCircuit,
    ) -> (Vec<Lit>, ProofSize) {
        let StateCircuit { builder, leaves, .. } = circuit;
        // What is shared at a cut are the state variables of that step, and nothing else.
        let mut leaf = |cut: usize, lit: Lit| {
            leaves[lit.var().index() - self.layer(cut).base] ^ lit.is_negated()
        };
        self.solver.interpolants(refutation, cuts, system, builder, &mut leaf)
    }

    /// The path of the last model from step 0 to `depth`.
    pub(crate) fn trace(&self, transition: &Transition, property: usize, depth: usize) -> BitTrace {
        let value = |step: usize, var: usize| -> Ternary {
            self.solver.value(self.lit(step, Var::new(var).lit())).into()
        };
        // Latches on which nothing depends start as their resets say.
        let initial = |var: usize| match transition.is_encoded(var) {
            true => value(0, var),
            false => Ternary::Unknown,
        };
        BitTrace {
            property,
            initial: transition.latch_vars().map(initial).collect(),
            inputs: (0..=depth)
                .map(|step| transition.input_vars().map(|var| value(step, var)).collect())
                .collect(),
            loop_start: None,
        }
    }

    /// Whether the solver should be rebuilt.
    pub(crate) fn is_full(&self) -> bool {
        self.solver.record_bytes() > MAX_RECORD_BYTES
    }

    /// The work so far, as PDR counts it: propagations, with something for every query, and for
    /// every clause.
    pub(crate) fn work(&self) -> u64 {
        let stats = self.solver.stats();
        let words = self.solver.record_bytes() as u64 / 4;
        stats.propagations + QUERY_WORK * stats.queries + words
    }

    /// From now on this token stops queries.
    pub(crate) fn set_interrupt(&mut self, context: &Context) {
        self.solver.set_interrupt(context.interrupt.clone());
    }

    /// What the solver did so far.
    pub(crate) fn stats(&self) -> SatStats {
        self.solver.stats()
    }
}
