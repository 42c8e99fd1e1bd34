//! Internal signals: gates that read no input are literals of cubes, like latches.
//!
//! R. Dureja, A. Gurfinkel, A. Ivrii, Y. Vizel: *IC3 with internal signals*, FMCAD 2021. A lemma
//! that is one clause over such a gate may take exponentially many over latches (think of an
//! exclusive or). A signal is a function of the state, so it has a value at the next step, too: the
//! same function of the next functions, of which the transition relation gets a copy.
//!
//! Deviations. Signals are used from the beginning, for lifting as well as for lemmas. A signal has
//! a constant reset if ternary simulation from the resets says so.
//!
//! This is an option for models that need it: eq_sdp_v4 is proved in 4 s, and without it not in 20
//! s. Models that do not need it take 2.6 times as long (16 of them, geometric mean).

use super::encode::StepEncoder;
use super::solver::Stopped;
use pedra_model::aig::Node;
use pedra_model::bits::BitSystem;
use pedra_model::lit::{Lit, Var};
use pedra_model::value::Ternary;
use pedra_solve::{Interrupt, SatSolver};
use std::ops::Range;

/// A gate that reads no input.
#[derive(Copy, Clone, Debug)]
pub(super) struct Signal {
    /// What it is in the system.
    pub(super) system: Lit,
    /// The solver's literal of its value in the next step.
    pub(super) next: Lit,
    /// Its value in every initial state, as far as constant resets say.
    pub(super) reset: Option<bool>,
}

/// Which variables of the system are functions of latches: by variable.
fn state_functions(system: &BitSystem) -> Vec<bool> {
    let latch_of = system.latch_of_var();
    let mut is_state = vec![false; system.aig.len()];
    for var in system.aig.vars() {
        is_state[var.index()] = match system.aig.node(var) {
            Node::Const => true,
            Node::Leaf => latch_of[var.index()].is_some(),
            Node::And(a, b) => is_state[a.var().index()] && is_state[b.var().index()],
        };
    }
    is_state
}

/// Which gates may be signals; an encoder gives them their variables before all others.
pub(super) struct Frontier {
    is_state: Vec<bool>,
    /// State functions that something else than a state function reads. They get a variable each.
    pub(super) roots: Vec<Lit>,
}

impl Frontier {
    /// Of the cones of these roots.
    pub(super) fn new(system: &BitSystem, roots: &[Lit]) -> Frontier {
        let is_state = state_functions(system);
        let is_used = system.aig.cone(roots.iter().copied());
        let mut is_read = vec![false; system.aig.len()];
        for (var, a, b) in system.aig.gates() {
            if is_used[var.index()] && !is_state[var.index()] {
                (is_read[a.var().index()], is_read[b.var().index()]) = (true, true);
            }
        }
        let gates = system.aig.vars().filter(|&var| system.aig.is_gate(var));
        let read = gates.filter(|var| is_read[var.index()] && is_state[var.index()]);
        Frontier { roots: read.map(Var::lit).collect(), is_state }
    }

    /// Whether the variable is a function of latches.
    pub(super) fn is_state(&self, var: Var) -> bool {
        self.is_state[var.index()]
    }
}

/// For each of these variables of a solver the state function that an encoder has encoded as it (a
/// few stand for none); adds the definitions of their next values. By latch: its next function, and
/// its constant reset.
pub(super) fn encode_signals(
    system: &BitSystem,
    encoder: &StepEncoder,
    vars: Range<usize>,
    latches: &[(Option<Lit>, Option<bool>)],
    solver: &mut (impl SatSolver + ?Sized),
    interrupt: &Interrupt,
) -> Result<Vec<Option<Signal>>, Stopped> {
    let mut gates = vec![None; vars.len()];
    for var in system.aig.vars().filter(|&var| system.aig.is_gate(var)) {
        if let Some(lit) = encoder.get(var.lit()).filter(|lit| vars.contains(&lit.var().index())) {
            // Of several gates with the same literal the first.
            let gate = &mut gates[lit.var().index() - vars.start];
            gate.get_or_insert(Lit::new(var, lit.is_negated()));
        }
    }
    let mut after = StepEncoder::new(&system.aig, gates.iter().flatten().copied());
    for (latch, &(next, _)) in system.latches.iter().zip(latches) {
        if let Some(next) = next {
            after.set_leaf(latch.var, next);
        }
    }
    after.encode(solver, interrupt)?;
    let resets = simulate_resets(system, latches.iter().map(|&(_, reset)| reset));
    let signal = |system: Lit| Signal {
        system,
        next: after.lit(system),
        reset: resets[system.var().index()].flipped(system.is_negated()).known(),
    };
    Ok(gates.into_iter().map(|gate| gate.map(signal)).collect())
}

/// By variable of the system: its value in every initial state, as far as constants say.
fn simulate_resets(system: &BitSystem, resets: impl Iterator<Item = Option<bool>>) -> Vec<Ternary> {
    let mut values = vec![Ternary::Unknown; system.aig.len()];
    values[Var::CONST.index()] = Ternary::False;
    for (latch, reset) in system.latches.iter().zip(resets) {
        values[latch.var.index()] = reset.into();
    }
    for (var, a, b) in system.aig.gates() {
        let [a, b] = [a, b].map(|lit| values[lit.var().index()].flipped(lit.is_negated()));
        values[var.index()] = a.and(b);
    }
    values
}

#[cfg(test)]
mod tests {
    use super::super::{Definitions, Horizon, Transition, simplify_relation};
    use super::*;
    use pedra_model::bits::Reset;

    /// Two latches, a gate that reads both and one that reads an input, too.
    #[test]
    fn gates_that_read_no_input_are_signals_and_keep_their_numbers() {
        let mut system = BitSystem::new();
        let [a, b] = [Reset::Zero, Reset::Free].map(|reset| system.add_latch(reset));
        let input = system.add_input();
        let both = system.aig.push_and(a, b);
        let guarded = system.aig.push_and(both, input);
        (system.latches[0].next, system.latches[1].next) = (guarded, b);
        system.bads.push(both);
        let mut definitions = Definitions::new();
        let mut transition = Transition::encode(&system, Horizon::Signals, &mut definitions);
        for _ in 0..2 {
            // Latches, the input, the gate.
            assert_eq!(transition.cube_vars().collect::<Vec<_>>(), [1, 2, 4]);
            assert_eq!(transition.constant_reset[4], Some(false), "a starts as 0");
            let gate = Var::new(4).lit();
            assert_eq!(transition.bads, [gate]);
            assert_eq!(transition.system_clause(&[gate]), [!both]);
            simplify_relation(&mut definitions, &mut transition, &Interrupt::new());
        }
    }
}
