//! The evidence for an answer: proofs from frames, counterexamples from obligations.

use super::Obligations;
use super::bits::Bits;
use super::relation::Relation;
use super::solver::Stopped;
use super::transition::{Step, init_gates};
use crate::events::Direction;
use crate::trace::{Guide, Level, ObligationId};
use pedra_model::lit::{Lit, Var};
use pedra_model::proof::BitProof;
use pedra_model::trace::BitTrace;
use pedra_model::value::Ternary;

/// The first part of a path: an initial state, and the inputs of each step.
pub(crate) struct Prefix {
    pub(crate) initial: Vec<Ternary>,
    pub(crate) inputs: Vec<Vec<Ternary>>,
}

/// The invariant of a frame that excludes these cubes and is closed under the transition
/// relation, as a proof of the properties.
///
/// Forward it is the conjunction of the negated cubes. Reverse it is `Init ∨ ¬F`, where `¬F` is
/// the *disjunction* of the cubes: no step leads from `¬F` into `F` (closure of `F` under
/// predecessors), none from `Init` into `F` (the frontier query), neither has a bad state.
pub(super) fn proof(relation: &Relation, properties: Vec<usize>, cubes: &[Vec<Lit>]) -> BitProof {
    let &Relation { system, ref transition, direction } = relation;
    let clauses = cubes.iter().map(|cube| transition.system_clause(cube));
    let (gates, clauses) = match direction {
        Direction::Forward => (transition.gates.clone(), clauses.collect()),
        Direction::Backward => {
            // If there are gates for `first` already, they are these.
            let (mut gates, init) = init_gates(system);
            let mut union = vec![init];
            for clause in clauses {
                let mut all = Lit::TRUE;
                for lit in clause {
                    gates.push([all, !lit]);
                    all = Var::new(system.aig.len() + gates.len() - 1).lit();
                }
                union.push(all);
            }
            (gates, vec![union])
        }
    };
    BitProof { properties, gates, clauses, k: 1, simple_path: None }
}

/// Forward: the inputs from an obligation to the violation. Every state of the obligation
/// satisfies the constraints with them (with those on the link between `first` and the resets
/// among them) and continues into the next obligation.
pub(crate) fn suffix(
    relation: &Relation,
    obligations: &Obligations,
    id: ObligationId,
) -> Vec<Vec<Ternary>> {
    obligations.chain(id).map(|link| relation.transition.input_values(&link.step)).collect()
}

/// Forward: an obligation contains an initial state.
pub(super) fn forward_trace<G: Guide<[Lit]>>(
    bits: &mut Bits<G>,
    obligations: &Obligations,
    id: ObligationId,
) -> Result<BitTrace, Stopped> {
    let start = obligations.get(id);
    let property = start.property.expect("forward obligations have one");
    let initial = bits.find_initial_state(&start.set)?;
    let inputs = suffix(&bits.relation, obligations, id);
    Ok(BitTrace { property, initial, inputs, loop_start: None })
}

/// Reverse: a path from an initial state into a part `target` of an obligation's cube; the
/// target's own inputs are not part of it.
///
/// Every state of an obligation has a predecessor in the one before it, or in `Init`; so one
/// can walk back, state by state.
pub(crate) fn prefix<G: Guide<[Lit]>>(
    bits: &mut Bits<G>,
    obligations: &Obligations,
    id: ObligationId,
    target: Vec<Lit>,
) -> Result<Prefix, Stopped> {
    let (mut target, mut at, mut inputs) = (target, Some(id), Vec::new());
    let mut initial = Vec::new();
    while let Some(id) = at {
        at = obligations.get(id).successor;
        let from: Vec<Lit> = match at {
            Some(before) => obligations.get(before).set.to_vec(),
            None => bits.relation.transition.init.clone(),
        };
        let (step, latches) = bits.find_step(&from, &target)?;
        inputs.push(bits.relation.transition.input_values(&step.inputs));
        (target, initial) = (step.state, latches);
    }
    inputs.reverse();
    Ok(Prefix { initial, inputs })
}

/// Reverse: an obligation, or with `None` an initial state, is bad; `None` if it is not so, for
/// the properties that still count.
pub(super) fn reverse_trace<G: Guide<[Lit]>>(
    bits: &mut Bits<G>,
    obligations: &Obligations,
    id: Option<ObligationId>,
) -> Result<Option<BitTrace>, Stopped> {
    let cube: Vec<Lit> = match id {
        Some(id) => obligations.get(id).set.to_vec(),
        None => bits.relation.transition.init.clone(),
    };
    let Some(bad) = bits.find_bad_state(&cube)? else { return Ok(None) };
    let mut path = match id {
        Some(id) => prefix(bits, obligations, id, bad.step.state)?,
        None => Prefix { initial: bad.latches, inputs: Vec::new() },
    };
    path.inputs.push(bits.relation.transition.input_values(&bad.step.inputs));
    let Prefix { initial, inputs } = path;
    Ok(Some(BitTrace { property: bad.property, initial, inputs, loop_start: None }))
}

/// A bad state, see [`Bits::find_bad_state`].
struct BadState {
    property: usize,
    /// As far as it matters.
    step: Step,
    /// One value a latch.
    latches: Vec<Ternary>,
}

impl<G: Guide<[Lit]>> Bits<'_, G> {
    /// An initial state in the cube: one value a latch.
    pub(super) fn find_initial_state(&mut self, cube: &[Lit]) -> Result<Vec<Ternary>, Stopped> {
        let f0 = self.solvers.at_mut(Level::ZERO);
        // Init ∧ C ∧ cube
        let meets = f0.solve(cube, None)?;
        assert!(meets, "the cube was seen to contain an initial state");
        Ok(self.relation.transition.latch_values(f0))
    }

    /// Reverse: a bad state in the cube (or, if that is `Init`, an initial bad state), with its
    /// inputs, and the property that it violates.
    fn find_bad_state(&mut self, cube: &[Lit]) -> Result<Option<BadState>, Stopped> {
        let Bits { relation, start, solvers, .. } = self;
        let transition = &relation.transition;
        // cube ∧ C ∧ bad, for each target, so that the model shows why it is bad
        for property in start.targets().to_vec() {
            let solver = start.solver(solvers);
            let goal = [cube, &[transition.bads[property]]].concat();
            if solver.solve(&goal, None)? {
                let (step, latches) = (transition.step_of(solver), transition.latch_values(solver));
                return Ok(Some(BadState { property, step, latches }));
            }
        }
        Ok(None)
    }

    /// A step from a cube (or from `Init`) into another one that is known to exist.
    fn find_step(&mut self, from: &[Lit], into: &[Lit]) -> Result<(Step, Vec<Ternary>), Stopped> {
        let (transition, solver) = (&self.relation.transition, &mut self.lifter.solver);
        let primed = into.iter().map(|&lit| transition.primed(lit));
        let constraints = transition.constraints.iter().copied();
        let assumptions: Vec<Lit> = from.iter().copied().chain(constraints).chain(primed).collect();
        // from ∧ C ∧ T ∧ into'
        let exists = solver.solve(&assumptions, None)?;
        assert!(exists, "every state of an obligation has a state before it");
        Ok((transition.step_of(solver), transition.latch_values(solver)))
    }
}
