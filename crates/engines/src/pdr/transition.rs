//! The system as PDR's solvers see it: one time step, definitions only.
//!
//! Next-state functions live in the same step as the state: the primed literal of a latch *is*
//! the literal of its next function, so a query `F ∧ T ∧ c'` needs no second copy of the logic.
//! Solver variables are numbered alike in every solver:
//!
//! | variable | stands for |
//! |---|---|
//! | `0` | the constant |
//! | `1 ..= n` | the latches, in the system's order |
//! | `n + 1` | `first`, if there is one, see below |
//! | then | the inputs, then gates, with [`Horizon::Signals`] those that read no input first |
//!
//! A *cube* is a sorted list of literals of state variables (the latches and `first`) and of
//! internal signals, if there are any (`signals`).
//!
//! **Resets that read inputs.** A reset function may read inputs of step 0. Being initial is then
//! a matter of state and input together: a state can start a path with one input and not with
//! another, yet frames are sets of states. Such a system gets one more state variable `first`,
//! which is true in the first step only, and for each latch `l` with a reset function `f` the
//! constraint `first → (l ↔ f)`. Now the initial states are a set of states again, and whatever
//! keeps constraints (lifting does) keeps the link between the first state and its input. In
//! proofs `first` becomes a gate: the conjunction of all resets, over state and inputs. With
//! `Inv(s, first)` inductive, `Inv(s, Init(s, i))` is too: from any state the successor lies in
//! `Inv(s', 0)`, and if `Init(s', i')` holds as well then it lies in `Inv(s', 1)`, since all
//! initial states do.

use super::encode::StepEncoder;
use super::signals::{Frontier, encode_signals};
use super::solver::{FrameSolver, Stopped};
use crate::cone::{closed_latches, is_init_free_of_inputs};
use pedra_model::bits::{BitSystem, Reset};
use pedra_model::lit::{Lit, Var};
use pedra_model::value::Ternary;
use pedra_solve::{Interrupt, SatSolver, gate};
use std::ops::Range;

/// The one-step relation: which solver literal stands for what.
#[derive(Clone, Debug)]
pub(crate) struct Transition {
    num_latches: usize,
    has_first: bool,
    num_inputs: usize,
    /// By variable of cubes: the literal of its value in the next step; `None` for latches on which
    /// nothing depends, and for inputs.
    next: Vec<Option<Lit>>,
    /// True at every step.
    pub(crate) constraints: Vec<Lit>,
    /// By constraint of the system: the same, constants and repetitions included.
    pub(super) system_constraints: Vec<Lit>,
    /// True at the first step; literals of state variables, and of reset functions.
    pub(crate) init: Vec<Lit>,
    /// By variable of cubes: its value in every initial state, as far as a constant reset says.
    pub(crate) constant_reset: Vec<Option<bool>>,
    /// By property.
    pub(crate) bads: Vec<Lit>,
    /// [`Horizon::TwoSteps`]: the same one step later, for inputs of that step.
    pub(super) bads_after: Vec<Lit>,
    /// [`Horizon::TwoSteps`]: the constraints one step later, for the same inputs.
    pub(super) constraints_after: Vec<Lit>,
    /// [`Horizon::TwoSteps`]: these inputs.
    inputs_after: Vec<Lit>,
    /// The system's literal of each variable of cubes; that of `first` is the last of `gates`.
    system_lits: Vec<Lit>,
    /// The gates of the proof that define `first`.
    pub(crate) gates: Vec<[Lit; 2]>,
}

/// How far the relation looks.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Horizon {
    /// One step.
    OneStep,
    /// One step, and the internal signals, also after it.
    Signals,
    /// One step, and what is bad or allowed after it, for inputs of the second step.
    TwoSteps,
}

/// States and inputs.
#[derive(Clone, Debug)]
pub(super) struct Step {
    /// The states, sorted.
    pub(super) state: Vec<Lit>,
    /// The inputs.
    pub(super) inputs: Vec<Lit>,
}

impl Transition {
    /// Adds the definitions to a solver without variables. Every call for the same system makes
    /// the same numbers.
    pub(crate) fn encode(
        system: &BitSystem,
        horizon: Horizon,
        solver: &mut (impl SatSolver + ?Sized),
    ) -> Transition {
        let encoded = Transition::encode_until(system, horizon, solver, &Interrupt::new());
        encoded.expect("nobody raises it")
    }

    /// The same, unless the interrupt is raised meanwhile.
    pub(super) fn encode_until(
        system: &BitSystem,
        horizon: Horizon,
        solver: &mut (impl SatSolver + ?Sized),
        interrupt: &Interrupt,
    ) -> Result<Transition, Stopped> {
        let functions: Vec<(usize, Lit)> = functional_resets(system);
        let resets = functions.iter().flat_map(|&(l, f)| [system.latches[l].var.lit(), f]);
        let roots: Vec<Lit> = system.properties().iter().copied().chain(resets).collect();
        let wanted = closed_latches(system, roots.iter().copied());
        let has_first = !is_init_free_of_inputs(system, &wanted);
        let (num_latches, num_inputs) = (system.latches.len(), system.inputs.len());
        let nexts = wanted.iter().map(|&latch| system.latches[latch].next);
        let constraints = system.constraints.iter().copied();
        let roots: Vec<Lit> = roots.into_iter().chain(nexts).chain(constraints).collect();
        let frontier = (horizon == Horizon::Signals).then(|| Frontier::new(system, &roots));
        let more = frontier.iter().flat_map(|frontier| frontier.roots.iter().copied());
        let mut encoder = StepEncoder::new(&system.aig, roots.into_iter().chain(more));
        let first = set_leaves(system, has_first, &mut encoder, solver);
        if let Some(frontier) = &frontier {
            encoder.encode_where(solver, interrupt, |var| frontier.is_state(var))?;
        }
        let signals_end = solver.num_vars();
        encoder.encode(solver, interrupt)?;
        let system_constraints: Vec<Lit> =
            system.constraints.iter().map(|&c| encoder.lit(c)).collect();
        let mut constraints = system_constraints.clone();
        let mut next = vec![None; 1 + num_latches];
        for latch in wanted {
            next[latch + 1] = Some(encoder.lit(system.latches[latch].next));
        }
        let bads = system.properties().iter().map(|&bad| encoder.lit(bad)).collect();
        let (mut constant_reset, mut init) = constant_resets(system);
        for (latch, function) in functions {
            let function = encoder.lit(function);
            let equal = !gate::xor(solver, Var::new(latch + 1).lit(), function);
            match first {
                Some(first) => constraints.push(gate::or(solver, !first, equal)),
                None => init.push(equal),
            }
        }
        let mut system_lits = vec![Lit::FALSE];
        system_lits.extend(system.latches.iter().map(|latch| latch.var.lit()));
        let mut gates = Vec::new();
        if let Some(first) = first {
            next.push(Some(Lit::FALSE));
            constant_reset.push(Some(true));
            init.push(first);
            (gates, _) = init_gates(system);
            system_lits.push(Var::new(system.aig.len() + gates.len() - 1).lit());
        }
        constraints.sort_unstable();
        constraints.dedup();
        constraints.retain(|&c| c != Lit::TRUE);
        let [bads_after, constraints_after, inputs_after] = match horizon {
            Horizon::OneStep | Horizon::Signals => [Vec::new(), Vec::new(), Vec::new()],
            Horizon::TwoSteps => encode_second_step(system, &next, solver, interrupt)?,
        };
        let mut transition = Transition {
            num_latches,
            has_first,
            num_inputs,
            next,
            constraints,
            system_constraints,
            init,
            constant_reset,
            bads,
            bads_after,
            constraints_after,
            inputs_after,
            system_lits,
            gates,
        };
        if frontier.is_some() {
            transition.add_signals(system, &encoder, signals_end, solver, interrupt)?;
        }
        Ok(transition)
    }

    /// The gates that are numbered behind the inputs, before `end`, belong to cubes, too.
    fn add_signals(
        &mut self,
        system: &BitSystem,
        encoder: &StepEncoder,
        end: usize,
        solver: &mut (impl SatSolver + ?Sized),
        interrupt: &Interrupt,
    ) -> Result<(), Stopped> {
        let vars = self.input_vars().end..end;
        let latches = self.latch_vars().map(|var| (self.next[var], self.constant_reset[var]));
        let latches: Vec<_> = latches.collect();
        let signals = encode_signals(system, encoder, vars.clone(), &latches, solver, interrupt)?;
        self.next.resize(vars.start, None);
        self.constant_reset.resize(vars.start, None);
        self.system_lits.resize(vars.start, Lit::FALSE);
        for signal in signals {
            self.next.push(signal.map(|signal| signal.next));
            self.constant_reset.push(signal.and_then(|signal| signal.reset));
            self.system_lits.push(signal.map_or(Lit::FALSE, |signal| signal.system));
        }
        Ok(())
    }

    /// Shows all variables that are known by number: those of states and inputs, and of all
    /// literals here.
    pub(super) fn known_vars(&self, mut visit: impl FnMut(Var)) {
        (0..self.input_vars().end.max(self.cubes_end())).map(Var::new).for_each(&mut visit);
        let lists = [
            &self.constraints,
            &self.system_constraints,
            &self.init,
            &self.bads,
            &self.bads_after,
            &self.constraints_after,
            &self.inputs_after,
        ];
        let all = lists.into_iter().flatten().chain(self.next.iter().flatten());
        all.for_each(|lit| visit(lit.var()));
    }

    /// Gives variables new numbers. Those of states, inputs and signals must stay.
    pub(super) fn rename(&mut self, rename: impl Fn(Lit) -> Lit) {
        let lists = [
            &mut self.constraints,
            &mut self.system_constraints,
            &mut self.init,
            &mut self.bads,
            &mut self.bads_after,
            &mut self.constraints_after,
            &mut self.inputs_after,
        ];
        let all = lists.into_iter().flatten().chain(self.next.iter_mut().flatten());
        all.for_each(|lit| *lit = rename(*lit));
        self.constraints.sort_unstable();
    }

    /// The numbers of the state variables.
    pub(crate) fn state_vars(&self) -> Range<usize> {
        1..1 + self.num_latches + self.has_first as usize
    }

    /// Variables of cubes have smaller numbers.
    pub(crate) fn cubes_end(&self) -> usize {
        self.next.len()
    }

    /// Whether there are internal signals.
    pub(super) fn has_signals(&self) -> bool {
        self.cubes_end() > self.state_vars().end
    }

    /// The numbers of the variables that may occur in cubes. Heuristic order: states, then signals,
    /// those that read others behind them.
    pub(super) fn cube_vars(&self) -> impl DoubleEndedIterator<Item = usize> {
        (1..self.cubes_end()).filter(|&var| self.is_encoded(var))
    }

    /// The numbers of the variables of the latches.
    pub(crate) fn latch_vars(&self) -> Range<usize> {
        1..1 + self.num_latches
    }

    /// The numbers of the input variables.
    pub(crate) fn input_vars(&self) -> Range<usize> {
        let start = self.state_vars().end;
        start..start + self.num_inputs
    }

    /// The literal of a state literal in the next step.
    #[inline]
    pub(crate) fn primed(&self, lit: Lit) -> Lit {
        let next = self.next[lit.var().index()].expect("cubes speak of encoded latches");
        next ^ lit.is_negated()
    }

    /// Whether the variable has a next function, so that it may occur in cubes.
    #[inline]
    pub(crate) fn is_encoded(&self, var: usize) -> bool {
        self.next[var].is_some()
    }

    /// The values of the latches in a model.
    pub(super) fn latch_values(&self, model: &FrameSolver) -> Vec<Ternary> {
        let value = |var| model.value(Var::new(var).lit());
        let latches = self.latch_vars();
        latches.map(|var| value(var).map_or(Ternary::Unknown, Ternary::from)).collect()
    }

    /// State and inputs of a model, as far as they matter to it.
    pub(super) fn step_of(&self, model: &FrameSolver) -> Step {
        let known = |var: usize| {
            let value = model.value(Var::new(var).lit())?;
            Some(Lit::new(Var::new(var), !value))
        };
        let states = self.state_vars().filter(|&var| self.is_encoded(var));
        Step {
            state: states.filter_map(known).collect(),
            inputs: self.input_vars().filter_map(known).collect(),
        }
    }

    /// The inputs of a step, one value each.
    pub(super) fn input_values(&self, inputs: &[Lit]) -> Vec<Ternary> {
        let mut values = vec![Ternary::Unknown; self.num_inputs];
        for lit in inputs {
            values[lit.var().index() - self.input_vars().start] = Ternary::from(!lit.is_negated());
        }
        values
    }

    /// The system's literal of a variable of cubes; for `first` there is none in the system, but
    /// in `gates`.
    pub(super) fn system_lit(&self, var: usize) -> Lit {
        self.system_lits[var]
    }

    /// The clause `¬cube` over the variables of the system and of `gates`.
    pub(crate) fn system_clause(&self, cube: &[Lit]) -> Vec<Lit> {
        let lit = |&l: &Lit| !self.system_lits[l.var().index()] ^ l.is_negated();
        cube.iter().map(lit).collect()
    }
}

/// Gives latches, `first` if there is one, and inputs their variables, in this order; gives
/// `first`.
fn set_leaves(
    system: &BitSystem,
    has_first: bool,
    encoder: &mut StepEncoder,
    solver: &mut (impl SatSolver + ?Sized),
) -> Option<Lit> {
    for latch in &system.latches {
        encoder.set_leaf(latch.var, solver.new_var().lit());
    }
    let first = has_first.then(|| solver.new_var().lit());
    for &input in &system.inputs {
        encoder.set_leaf(input, solver.new_var().lit());
    }
    first
}

/// By variable of latches: the constant reset; and the literals that are true because of them.
fn constant_resets(system: &BitSystem) -> (Vec<Option<bool>>, Vec<Lit>) {
    let mut resets: Vec<Option<bool>> = vec![None];
    resets.extend(system.latches.iter().map(|latch| latch.reset.constant()));
    let lit = |(var, &value): (usize, &Option<bool>)| Some(Lit::new(Var::new(var), !value?));
    let init = resets.iter().enumerate().filter_map(lit).collect();
    (resets, init)
}

/// The latches whose reset is a function, with it; constants are not counted.
fn functional_resets(system: &BitSystem) -> Vec<(usize, Lit)> {
    let latches = system.latches.iter().enumerate();
    let functions = latches.filter(|(_, latch)| latch.reset.constant().is_none());
    functions
        .filter_map(|(l, latch)| match latch.reset {
            Reset::Function(function) => Some((l, function)),
            _ => None,
        })
        .collect()
}

/// Bads and constraints one step later, over the literals of next functions and fresh inputs,
/// and these.
/// (What binds `first` to resets is void there.)
fn encode_second_step(
    system: &BitSystem,
    next: &[Option<Lit>],
    solver: &mut (impl SatSolver + ?Sized),
    interrupt: &Interrupt,
) -> Result<[Vec<Lit>; 3], Stopped> {
    let groups = [system.properties(), &system.constraints];
    let mut encoder = StepEncoder::new(&system.aig, groups.concat());
    for (latch, next) in system.latches.iter().zip(&next[1..]) {
        if let &Some(next) = next {
            encoder.set_leaf(latch.var, next);
        }
    }
    let inputs: Vec<Lit> = system.inputs.iter().map(|_| solver.new_var().lit()).collect();
    for (&input, &lit) in system.inputs.iter().zip(&inputs) {
        encoder.set_leaf(input, lit);
    }
    encoder.encode(solver, interrupt)?;
    let [bads, constraints] = groups.map(|group| group.iter().map(|&l| encoder.lit(l)).collect());
    Ok([bads, constraints, inputs])
}

/// The conjunction of all resets as gates over the system's variables, and its literal; if there
/// are gates, it is the last of them.
pub(super) fn init_gates(system: &BitSystem) -> (Vec<[Lit; 2]>, Lit) {
    let mut gates: Vec<[Lit; 2]> = Vec::new();
    let mut and = |a: Lit, b: Lit| {
        gates.push([a, b]);
        Var::new(system.aig.len() + gates.len() - 1).lit()
    };
    let mut all = Lit::TRUE;
    for latch in &system.latches {
        let lit = latch.var.lit();
        let is_reset = match (latch.reset, latch.reset.constant()) {
            (_, Some(value)) => lit ^ !value,
            (Reset::Function(f), None) => {
                let (left, right) = (and(lit, !f), and(!lit, f));
                and(!left, !right)
            }
            _ => continue,
        };
        all = and(all, is_reset);
    }
    (gates, all)
}
