//! Local abstraction: lifting that leaves out constraints and next functions.
//!
//! Y. Su, Q. Yang, Y. Ci, Z. Huang: *The rIC3 hardware model checker*, CAV 2025, has it for
//! constraints and transitions; the idea of refining what a spurious path needed is that of E. Clarke
//! and others, CAV 2000. A set `R` of constraints and next functions counts, at first none of them. An
//! obligation is lifted for the part of its goal that `R` has: it becomes wider, and a state of it need
//! not reach the violation any more.
//!
//! *Required for soundness*: nothing but lifting knows of `R`. Every query that admits a lemma is that
//! of the whole system, so frames and proofs are ordinary ones. A chain of obligations is a path of
//! the system with the parts of `R` alone, so when it meets the initial states, BMC of its length
//! decides: a path of the whole system is a counterexample (that one, not the chain), and a
//! contradiction names parts that `R` lacks. Nobody else may read such obligations: fbPDR does not use
//! them.
//!
//! *Required for termination*: `R` grows with each refinement.

use super::options::{LocalAbstraction, PdrOptions};
use super::relation::Relation;
use super::solver::Stopped;
use super::transition::Transition;
use crate::context::Context;
use crate::unroll::{Start, Unroll};
use pedra_model::bits::{BitSystem, Reset};
use pedra_model::lit::Lit;
use pedra_model::trace::BitTrace;
use pedra_solve::SatResult;
use pedra_solve::cadical::Preset;

/// After this many refinements, if they are more than the obligations that were blocked, the
/// abstraction is of no use, and all parts count. (A guess: on no model of the sets it happens
/// before the search has ended.)
const MIN_REFINEMENTS: u64 = 20;

/// A part of the transition relation that may be left out.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Part {
    /// A constraint of the system, by index.
    Constraint(usize),
    /// The next function of a latch, by index.
    Next(usize),
}

/// Which parts count in lifting: `R`.
pub(super) struct Abstraction {
    /// The parts that are left out.
    left_out: Vec<Part>,
    /// The constraints that count, as literals of the solvers.
    constraints: Vec<Lit>,
    /// By state variable: whether its next function counts.
    is_kept: Vec<bool>,
    refinements: u64,
}

impl Abstraction {
    /// As much is left out as the options say. Reverse obligations are successors, not lifted.
    pub(super) fn new(options: &PdrOptions, relation: &Relation) -> Abstraction {
        let &Relation { system, ref transition, .. } = relation;
        let mode = if relation.is_forward() { options.abstraction } else { LocalAbstraction::Off };
        let mut left_out = Vec::new();
        if mode != LocalAbstraction::Off {
            left_out.extend((0..system.constraints.len()).map(Part::Constraint));
        }
        if mode == LocalAbstraction::All {
            let latches = 0..system.latches.len();
            let encoded = latches.filter(|latch| transition.is_encoded(latch + 1));
            left_out.extend(encoded.map(Part::Next));
        }
        let mut abstraction = Abstraction {
            left_out: Vec::new(),
            constraints: Vec::new(),
            is_kept: vec![true; transition.state_vars().end],
            refinements: 0,
        };
        abstraction.leave_out(left_out, transition);
        abstraction
    }

    /// Leaves out these parts and no others.
    fn leave_out(&mut self, parts: Vec<Part>, transition: &Transition) {
        self.left_out = parts;
        self.is_kept.fill(true);
        let mut gone = Vec::new();
        for &part in &self.left_out {
            match part {
                Part::Constraint(index) => gone.push(transition.system_constraints[index]),
                Part::Next(latch) => self.is_kept[latch + 1] = false,
            }
        }
        // What binds `first` to the resets is no constraint of the system, and stays.
        let constraints = transition.constraints.iter().copied();
        self.constraints = constraints.filter(|lit| !gone.contains(lit)).collect();
    }

    /// Whether nothing is left out.
    pub(super) fn is_exact(&self) -> bool {
        self.left_out.is_empty()
    }

    /// The constraints that count.
    pub(super) fn constraints(&self) -> &[Lit] {
        &self.constraints
    }

    /// Whether the next function of a state literal counts.
    pub(super) fn keeps(&self, lit: Lit) -> bool {
        self.is_kept.get(lit.var().index()).is_none_or(|&is_kept| is_kept)
    }

    /// A chain of obligations of this length meets the initial states. Gives a counterexample of
    /// that length; or there is none, and some parts that exclude it count from now on. So many
    /// obligations were `blocked` so far.
    pub(super) fn check_chain(
        &mut self,
        relation: &Relation,
        context: &Context,
        (property, depth): (usize, usize),
        blocked: u64,
    ) -> Result<Option<BitTrace>, Stopped> {
        let system = relation.system;
        let guarded = Guarded::new(system, &self.left_out);
        let solver = context.new_solver(Preset::Unsat);
        let mut unroll = Unroll::new(&guarded.system, Start::Initial, solver);
        unroll.set_interrupt(context.interrupt.clone());
        unroll.constrain(depth).ok_or(Stopped)?;
        let mut assumed = vec![unroll.lit(depth, guarded.system.properties()[property])];
        assumed.extend(guarded.guards.iter().map(|&guard| unroll.lit(0, guard)));
        let assumed: Vec<Lit> = assumed.into_iter().collect::<Option<_>>().ok_or(Stopped)?;
        // Init ∧ T_R^depth ∧ C_R ∧ bad@depth, and a guard for each part that is not in R
        match unroll.solve(&assumed) {
            SatResult::Unknown => Err(Stopped),
            SatResult::Sat => {
                let mut trace = unroll.trace(property, depth);
                trace.initial.truncate(system.latches.len());
                trace.inputs.iter_mut().for_each(|inputs| inputs.truncate(system.inputs.len()));
                Ok(Some(trace))
            }
            SatResult::Unsat => {
                let guards = self.left_out.iter().zip(&assumed[1..]);
                let rest = guards.filter(|&(_, &guard)| !unroll.is_failed(guard));
                let mut rest: Vec<Part> = rest.map(|(&part, _)| part).collect();
                self.refinements += 1;
                // Heuristic but for the first condition, without which nothing would be gained;
                // a chain is a path of the parts in R, so some guard has failed.
                if rest.len() == self.left_out.len()
                    || self.refinements >= MIN_REFINEMENTS && self.refinements > blocked
                {
                    rest.clear();
                }
                self.leave_out(rest, &relation.transition);
                Ok(None)
            }
        }
    }
}

/// A system in which each of some parts holds only if its guard does. A guard is a latch that keeps
/// its value, so that it is the same literal at all steps.
struct Guarded {
    system: BitSystem,
    /// By part.
    guards: Vec<Lit>,
}

impl Guarded {
    fn new(system: &BitSystem, parts: &[Part]) -> Guarded {
        let mut system = system.clone();
        let mut guards = Vec::with_capacity(parts.len());
        for &part in parts {
            let number = system.latches.len();
            let guard = system.add_latch(Reset::Free);
            system.latches[number].next = guard;
            guards.push(guard);
            match part {
                Part::Constraint(index) => {
                    let broken = system.aig.push_and(guard, !system.constraints[index]);
                    system.constraints[index] = !broken;
                }
                Part::Next(latch) => {
                    let free = system.add_input();
                    let next = system.latches[latch].next;
                    let (on, off) =
                        (system.aig.push_and(guard, next), system.aig.push_and(!guard, free));
                    system.latches[latch].next = !system.aig.push_and(!on, !off);
                }
            }
        }
        Guarded { system, guards }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pedra_model::lit::Var;

    /// A latch that toggles, one that is never set, and the constraint that an input is true.
    fn system() -> BitSystem {
        let mut system = BitSystem::new();
        let [toggle, never] = [0; 2].map(|_| system.add_latch(Reset::Zero));
        (system.latches[0].next, system.latches[1].next) = (!toggle, never);
        let input = system.add_input();
        system.constraints = vec![input];
        system.bads = vec![toggle, never, !input];
        system
    }

    #[test]
    fn a_contradiction_names_the_parts_that_it_needs() {
        let (system, context) = (system(), Context::default());
        let mut definitions = super::super::Definitions::new();
        let horizon = super::super::Horizon::OneStep;
        let transition = Transition::encode(&system, horizon, &mut definitions);
        let relation = Relation { system: &system, transition, direction: Default::default() };
        let options = PdrOptions { abstraction: LocalAbstraction::All, ..PdrOptions::default() };
        let mut abstraction = Abstraction::new(&options, &relation);
        assert_eq!(abstraction.left_out.len(), 3);
        assert!(abstraction.constraints().is_empty());
        let mut check = |goal| {
            let found = abstraction.check_chain(&relation, &context, goal, 100);
            let found = found.expect("nothing stops it").is_some();
            (found, abstraction.left_out.clone())
        };
        let [toggle, never] = [0, 1].map(Part::Next);
        let input = Part::Constraint(0);
        assert_eq!(check((0, 1)), (true, vec![input, toggle, never]));
        assert_eq!(check((1, 2)), (false, vec![input, toggle]));
        assert_eq!(check((2, 0)), (false, vec![toggle]));
        assert_eq!(check((0, 2)), (false, vec![]));
        assert!(abstraction.is_exact());
        assert_eq!(abstraction.constraints(), relation.transition.constraints);
        let keeps = |var| abstraction.keeps(Var::new(var).lit());
        assert!(keeps(1) && keeps(2));
    }
}
