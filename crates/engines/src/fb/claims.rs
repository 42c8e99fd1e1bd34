//! Debug builds check obligations before they are shared with the other direction.
//!
//! The other direction builds on them (two that meet are a counterexample), so each step of their
//! chains is checked again, on an unrolling of the system and with another kind of solver. The only
//! thing shared with the search is the numbering of state variables.
//!
//! - Forward, `s` with inputs `i` and the successor `t`: `s ∧ i ∧ ¬(C ∧ t')` has no model; without
//!   a successor `s ∧ i ∧ ¬(C ∧ bad)` has none.
//! - Reverse, `s` from the states of `p` (or from `Init`): for every state `x` of `s` the query
//!   `p ∧ C ∧ T ∧ x'` has a model. If latches were dropped from `s`, this has two quantifiers, and
//!   only some states are tried.

use crate::events::Direction;
use crate::pdr::{Obligations, Transition};
use crate::trace::ObligationId;
use crate::unroll::{Start, Unroll};
use pedra_model::bits::{BitSystem, Reset};
use pedra_model::lit::{Lit, Var};
use pedra_model::random::Random;
use pedra_solve::{Interrupt, SatResult, SolverKind, new_solver};
use rustc_hash::FxHashSet;

/// How many states of a cube from which latches were dropped are tried.
const TRIES: usize = 4;

/// What a check looks at.
pub(super) struct Claims<'s> {
    pub(super) system: &'s BitSystem,
    pub(super) transition: &'s Transition,
    pub(super) direction: Direction,
    pub(super) obligations: &'s Obligations,
}

impl Claims<'_> {
    /// What is wrong with one of these obligations or with one that it leads to; `None` if
    /// nothing is, or the interrupt came first.
    pub(super) fn find_wrong(&self, ids: &[ObligationId], interrupt: &Interrupt) -> Option<String> {
        let unroll = |start: Start| {
            let mut unroll = Unroll::new(self.system, start, new_solver(SolverKind::Batsat));
            unroll.set_interrupt(interrupt.clone());
            unroll
        };
        let (mut anywhere, mut initial) = (unroll(Start::Anywhere), unroll(Start::Initial));
        if self.direction == Direction::Backward {
            anywhere.constrain(0)?;
            initial.constrain(0)?;
        }
        let mut seen = FxHashSet::default();
        for &id in ids {
            let chain = std::iter::successors(Some(id), |&id| self.obligations.get(id).successor);
            for id in chain.take_while(|&id| seen.insert(id)) {
                let is_right = self.has_right_depth(id)
                    && match (self.direction, self.obligations.get(id).successor) {
                        (Direction::Forward, _) => self.leads_on(&mut anywhere, id)?,
                        (Direction::Backward, None) => self.comes_from(&mut initial, id, &[])?,
                        (Direction::Backward, Some(before)) => {
                            let before = &self.obligations.get(before).set;
                            self.comes_from(&mut anywhere, id, before)?
                        }
                    };
                if !is_right {
                    return Some(format!("{:?}: {:?}", self.direction, self.obligations.get(id)));
                }
            }
        }
        None
    }

    /// Whether its depth is one more than that of its successor.
    fn has_right_depth(&self, id: ObligationId) -> bool {
        let obligation = self.obligations.get(id);
        let last = (self.direction == Direction::Backward) as u32;
        let expected =
            obligation.successor.map_or(last, |next| self.obligations.get(next).depth + 1);
        obligation.depth == expected
    }

    /// Forward: every state of the cube satisfies the constraints with the recorded inputs and
    /// goes into the successor, or is bad.
    fn leads_on(&self, unroll: &mut Unroll, id: ObligationId) -> Option<bool> {
        let obligation = self.obligations.get(id);
        let mut given = self.cube_at(unroll, 0, &obligation.set)?;
        for lit in &obligation.step {
            let input = self.system.inputs[lit.var().index() - self.transition.input_vars().start];
            given.push(unroll.lit(0, Lit::new(input, lit.is_negated()))?);
        }
        let mut failures: Vec<Lit> = Vec::new();
        for &constraint in &self.system.constraints {
            failures.push(unroll.lit(0, !constraint)?);
        }
        let first = self.first();
        if first.is_some_and(|first| !obligation.set.contains(&!first)) {
            // It may be the first step: then latches have the values of their resets.
            for latch in &self.system.latches {
                if let (Reset::Function(function), None) = (latch.reset, latch.reset.constant()) {
                    let lit = latch.var.lit();
                    failures.push(unroll.conjunction(&[(0, lit), (0, !function)])?);
                    failures.push(unroll.conjunction(&[(0, !lit), (0, function)])?);
                }
            }
        }
        match (obligation.successor, obligation.property) {
            (Some(next), _) => {
                let next = &self.obligations.get(next).set;
                if first.is_some_and(|first| next.contains(&first)) {
                    return Some(false);
                }
                failures.extend(self.cube_at(unroll, 1, next)?.into_iter().map(|lit| !lit));
            }
            (None, Some(bad)) => failures.push(unroll.lit(0, !self.system.properties()[bad])?),
            (None, None) => return Some(false),
        }
        let fails = unroll.any(&failures);
        given.push(fails);
        Some(unroll.solve(&given) != SatResult::Sat)
    }

    /// Reverse: states of the cube come from states of `before`.
    fn comes_from(&self, unroll: &mut Unroll, id: ObligationId, before: &[Lit]) -> Option<bool> {
        let cube = &self.obligations.get(id).set;
        if self.first().is_some_and(|first| !cube.contains(&!first)) {
            return Some(false);
        }
        let mut given = self.cube_at(unroll, 0, before)?;
        given.extend(self.cube_at(unroll, 1, cube)?);
        let in_cube: FxHashSet<Var> = cube.iter().map(|lit| lit.var()).collect();
        let dropped: Vec<Var> = self
            .transition
            .latch_vars()
            .filter(|&var| self.transition.is_encoded(var))
            .map(Var::new)
            .filter(|var| !in_cube.contains(var))
            .collect();
        let mut random = Random::new(self.obligations.number(id) as u64);
        let tries = if dropped.is_empty() { 1 } else { TRIES };
        for number in 0..tries {
            // All of them 1, all of them 0, and by chance.
            let mut is_negated = || match number {
                0 => false,
                1 => true,
                _ => random.word() & 1 == 1,
            };
            let state: Vec<Lit> = dropped.iter().map(|&var| Lit::new(var, is_negated())).collect();
            let mut query = given.clone();
            query.extend(self.cube_at(unroll, 1, &state)?);
            if unroll.solve(&query) == SatResult::Unsat {
                return Some(false);
            }
        }
        Some(true)
    }

    /// The literals of latches of a cube at a step of an unrolling.
    fn cube_at(&self, unroll: &mut Unroll, step: usize, cube: &[Lit]) -> Option<Vec<Lit>> {
        let latches = self.transition.latch_vars();
        let of_latches = cube.iter().filter(|lit| latches.contains(&lit.var().index()));
        let var = |lit: &Lit| self.system.latches[lit.var().index() - 1].var;
        of_latches.map(|lit| unroll.lit(step, Lit::new(var(lit), lit.is_negated()))).collect()
    }

    /// The state variable that is true in the first step only, if there is one.
    fn first(&self) -> Option<Lit> {
        let (latches, states) = (self.transition.latch_vars(), self.transition.state_vars());
        (states.end > latches.end).then(|| Var::new(latches.end).lit())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pdr::{Horizon, Obligation};
    use crate::trace::Level;

    /// `b` takes the value of `a`, which takes that of the input; the input differs from `c`,
    /// which stays 0; `b` is bad.
    fn shift() -> BitSystem {
        let mut system = BitSystem::new();
        let input = system.add_input();
        let [a, b, c] = [(); 3].map(|()| system.add_latch(Reset::Zero));
        for (latch, next) in [input, a, c].into_iter().enumerate() {
            system.latches[latch].next = next;
        }
        let (both, none) = (system.aig.push_and(input, c), system.aig.push_and(!input, !c));
        system.constraints = vec![!both, !none];
        system.bads.push(b);
        system
    }

    /// An obligation: latches (`1` is `a`), inputs (`4` is the one), depth.
    type Link = (&'static [i32], &'static [i32], u32);

    /// Whether a chain of obligations, the last one first, is found to be right.
    fn is_right(direction: Direction, chain: &[Link]) -> bool {
        let system = shift();
        let mut solver = new_solver(SolverKind::Cdcl);
        let transition = Transition::encode(&system, Horizon::OneStep, solver.as_mut());
        let lits = |numbers: &[i32]| -> Box<[Lit]> {
            let lit = |&n: &i32| Lit::new(Var::new(n.unsigned_abs() as usize), n < 0);
            numbers.iter().map(lit).collect()
        };
        let (mut obligations, mut successor) = (Obligations::new(), None);
        for &(cube, inputs, depth) in chain {
            let property = (direction == Direction::Forward).then_some(0);
            let (set, step) = (lits(cube), lits(inputs));
            let obligation =
                Obligation { place: (), set, step, successor, property, depth, activity: 0.0 };
            successor = Some(obligations.add(obligation, Level::new(1)));
        }
        let claims = Claims {
            system: &system,
            transition: &transition,
            direction,
            obligations: &obligations,
        };
        claims.find_wrong(&[successor.expect("not empty")], &Interrupt::new()).is_none()
    }

    #[test]
    fn forward_claims() {
        let right: &[Link] = &[(&[2, -3], &[4], 0), (&[1, -3], &[4], 1)];
        assert!(is_right(Direction::Forward, right));
        let wrong: &[&[Link]] = &[
            // Not bad; against the constraint; the constraint left open.
            &[(&[-2, -3], &[4], 0)],
            &[(&[2, -3], &[-4], 0)],
            &[(&[2], &[4], 0)],
            // Does not continue; continues, but is not that far away.
            &[right[0], (&[-3], &[4], 1)],
            &[right[0], (&[1, -3], &[4], 2)],
        ];
        for chain in wrong {
            assert!(!is_right(Direction::Forward, chain), "{chain:?}");
        }
    }

    #[test]
    fn reverse_claims() {
        let right: &[Link] = &[(&[1, -2, -3], &[], 1), (&[1, 2, -3], &[], 2)];
        assert!(is_right(Direction::Backward, right));
        let wrong: &[&[Link]] = &[
            // Not after the first step; some state is not; not from there; not that far away.
            &[(&[1, 2, -3], &[], 1)],
            &[(&[1, -2], &[], 1)],
            &[right[0], (&[1, -2, -3], &[], 2)],
            &[right[0], (&[1, 2, -3], &[], 1)],
        ];
        for chain in wrong {
            assert!(!is_right(Direction::Backward, chain), "{chain:?}");
        }
    }
}
