//! Local abstraction: lifting that leaves out constraints and next functions.
//!
//! Y. Su, Q. Yang, Y. Ci, Z. Huang: *The rIC3 hardware model checker*, CAV 2025, has it for
//! constraints and transitions; the idea of refining what a spurious path needed is that of E.
//! Clarke and others, CAV 2000. Only a set `R` of constraints and next functions counts, which is
//! empty at first. An obligation is lifted for the part of its goal that is in `R`. It becomes
//! wider, and its states need not reach the violation.
//!
//! *Required for soundness*: only lifting uses `R`. Every query that admits a lemma is about the
//! whole system, so frames and proofs are ordinary ones. A chain of obligations is a path of the
//! system with only the parts in `R`. When it reaches the initial states, it is simulated on the
//! whole system. Either it is a path to a violation, or the first step that it cannot take names
//! parts that `R` lacks, and all obligations are forgotten. No other engine may read such
//! obligations; fbPDR does not use them.
//!
//! *Required for termination*: `R` grows with each refinement.
//!
//! Deviation: rIC3 asks BMC for a path of that length, and takes the parts from the core. That
//! took 3.3 times as long (12 models, geometric mean; docs/NOTEBOOK.md, "Local abstraction").

use super::options::PdrOptions;
use super::relation::Relation;
use super::transition::Transition;
use pedra_model::eval::bits::BitSimulator;
use pedra_model::lit::{Lit, Var};
use pedra_model::trace::BitTrace;
use pedra_model::value::Ternary;

/// After this many refinements, if they are more than the obligations that were blocked, the
/// abstraction is of no use, and all parts count. (The number is a guess that was not measured
/// apart.)
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
    /// Everything is left out, if the options say so. Reverse obligations are successors, not
    /// lifted.
    pub(super) fn new(options: &PdrOptions, relation: &Relation) -> Abstraction {
        let &Relation { system, ref transition, .. } = relation;
        let mut left_out: Vec<Part> = Vec::new();
        if options.abstraction && relation.is_forward() {
            let latches = 0..system.latches.len();
            let encoded = latches.filter(|latch| transition.is_encoded(latch + 1));
            left_out.extend((0..system.constraints.len()).map(Part::Constraint));
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

    /// A chain of obligations, cubes with their inputs, meets the initial states, in this one.
    /// Gives a counterexample of the property; or there is none, and parts that exclude the chain
    /// count from now on. `blocked` is the number of obligations that were blocked so far.
    pub(super) fn check_chain<'c>(
        &mut self,
        relation: &Relation,
        property: usize,
        initial: &[Ternary],
        chain: impl Iterator<Item = (&'c [Lit], &'c [Lit])>,
        blocked: u64,
    ) -> Option<BitTrace> {
        let needed = match self.follow(relation, property, initial, chain) {
            Path::Real(trace) => return Some(trace),
            Path::Spurious(needed) => needed,
        };
        self.refinements += 1;
        let is_hopeless = self.refinements >= MIN_REFINEMENTS && self.refinements > blocked;
        let mut rest = std::mem::take(&mut self.left_out);
        rest.retain(|part| !needed.contains(part));
        if needed.is_empty() || is_hopeless {
            // *Required for termination*: something counts that did not.
            rest.clear();
        }
        self.leave_out(rest, &relation.transition);
        None
    }

    /// Follows a chain of cubes and inputs from an initial state: it is a path, or the first step
    /// that it cannot take names the parts.
    fn follow<'c>(
        &self,
        relation: &Relation,
        property: usize,
        initial: &[Ternary],
        chain: impl Iterator<Item = (&'c [Lit], &'c [Lit])>,
    ) -> Path {
        let &Relation { system, ref transition, .. } = relation;
        // What is open may have any value.
        let fill = |value: Ternary| Ternary::from(value == Ternary::True);
        let mut simulator = BitSimulator::new(system).expect("resets form no circle");
        let (mut inputs, mut first) = (Vec::new(), Vec::new());
        for (cube, step) in chain {
            let values: Vec<Ternary> =
                transition.input_values(step).into_iter().map(fill).collect();
            if inputs.is_empty() {
                let start: Vec<Ternary> = initial.iter().copied().map(fill).collect();
                // What has a reset takes that, whatever was filled in.
                let _ = simulator.start(&start, &values);
                first = simulator.latches();
            } else {
                simulator.step(&values);
            }
            inputs.push(values);
            let parts = self.left_out.iter().copied();
            let broken: Vec<Part> =
                parts.filter(|&part| is_broken(part, relation, &simulator, cube)).collect();
            let holds = |&lit: &Lit| simulator.value(lit) == Ternary::True;
            if !broken.is_empty() || !system.constraints.iter().all(holds) {
                return Path::Spurious(broken);
            }
        }
        if simulator.value(system.properties()[property]) != Ternary::True {
            return Path::Spurious(Vec::new());
        }
        Path::Real(BitTrace { property, initial: first, inputs, loop_start: None })
    }
}

/// Whether a constraint does not hold in a step, or a latch has not the value that a cube wants.
fn is_broken(part: Part, relation: &Relation, simulator: &BitSimulator, cube: &[Lit]) -> bool {
    let system = relation.system;
    match part {
        Part::Constraint(index) => simulator.value(system.constraints[index]) != Ternary::True,
        Part::Next(latch) => {
            let value = simulator.value(system.latches[latch].var.lit());
            let opposite = Lit::new(Var::new(latch + 1), value == Ternary::True);
            cube.binary_search(&opposite).is_ok()
        }
    }
}

/// What a chain of obligations turned out to be.
#[derive(Debug)]
enum Path {
    /// There is a counterexample.
    Real(BitTrace),
    /// It is not one, because of these parts; none if that is not known.
    Spurious(Vec<Part>),
}

#[cfg(test)]
mod tests {
    use super::super::{Definitions, Horizon};
    use super::*;
    use pedra_model::bits::{BitSystem, Reset};

    /// A latch that toggles, one that is never set, and the constraint that an input is true.
    fn system() -> BitSystem {
        let mut system = BitSystem::new();
        let [toggle, never] = [0; 2].map(|_| system.add_latch(Reset::Zero));
        (system.latches[0].next, system.latches[1].next) = (!toggle, never);
        system.constraints = vec![system.add_input()];
        system.bads = vec![toggle, never];
        system
    }

    #[test]
    fn the_first_step_that_cannot_be_taken_names_the_parts() {
        let system = system();
        let transition = Transition::encode(&system, Horizon::OneStep, &mut Definitions::new());
        let relation = Relation { system: &system, transition, direction: Default::default() };
        let options = PdrOptions { abstraction: true, ..PdrOptions::default() };
        let mut abstraction = Abstraction::new(&options, &relation);
        let parts = [Part::Constraint(0), Part::Next(0), Part::Next(1)];
        assert_eq!(abstraction.left_out, parts);
        assert!(abstraction.constraints().is_empty());
        let [toggle, never, input] = [1, 2, 3].map(|var| Var::new(var).lit());
        let follow = |property, chain: &[(Lit, Lit)]| {
            let chain = chain
                .iter()
                .map(|(state, input)| (std::slice::from_ref(state), std::slice::from_ref(input)));
            abstraction.follow(&relation, property, &[], chain)
        };
        let needs = |path, part| matches!(path, Path::Spurious(parts) if parts == [part]);
        assert!(matches!(follow(0, &[(!toggle, input), (toggle, input)]), Path::Real(_)));
        assert!(needs(follow(0, &[(!toggle, !input), (toggle, input)]), parts[0]));
        assert!(needs(follow(0, &[(!toggle, input), (!toggle, input)]), parts[1]));
        assert!(needs(follow(1, &[(!never, input), (never, input)]), parts[2]));
        abstraction.leave_out(vec![parts[1]], &relation.transition);
        assert_eq!(abstraction.constraints(), relation.transition.constraints);
        assert!(!abstraction.keeps(toggle) && abstraction.keeps(never));
    }
}
