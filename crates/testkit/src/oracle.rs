//! The explicit-state oracle: breadth-first search over all states and inputs, by enumeration.
//!
//! A finite system is given by the number of its states and inputs and four questions. Initial
//! *pairs* rather than states, since a functional reset may read the inputs of the first step.

use pedra_model::aig::Node;
use pedra_model::bits::{BitSystem, Reset};
use pedra_model::lit::Lit;

/// An explicit finite system. States and inputs are numbered from 0.
pub trait Explicit {
    /// The number of states.
    fn num_states(&self) -> usize;
    /// The number of inputs.
    fn num_inputs(&self) -> usize;
    /// The number of properties.
    fn num_properties(&self) -> usize;
    /// Whether a path may start in this state with this input, constraints apart.
    fn is_initial(&self, state: usize, input: usize) -> bool;
    /// Whether all constraints hold.
    fn is_allowed(&self, state: usize, input: usize) -> bool;
    /// Whether a property is violated.
    fn is_bad(&self, state: usize, input: usize, property: usize) -> bool;
    /// Calls `f` for every successor.
    fn successors(&self, state: usize, input: usize, f: &mut dyn FnMut(usize));
}

/// What the search found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Explored {
    /// For each property the least step at which it is violated, if it is.
    pub violated_at: Vec<Option<usize>>,
    /// For each state the least step at which a path that obeys the constraints up to the
    /// step *before* can be in it.
    pub reached_at: Vec<Option<usize>>,
}

/// Searches everything.
pub fn explore(system: &dyn Explicit) -> Explored {
    let mut violated_at = vec![None; system.num_properties()];
    let mut reached_at = vec![None; system.num_states()];
    let mut frontier: Vec<usize> = Vec::new();
    let mut next: Vec<usize> = Vec::new();
    let mut visit = |step: usize, state: usize, input: usize, next: &mut Vec<usize>| {
        if !system.is_allowed(state, input) {
            return;
        }
        for (property, at) in violated_at.iter_mut().enumerate() {
            if at.is_none() && system.is_bad(state, input, property) {
                *at = Some(step);
            }
        }
        system.successors(state, input, &mut |s| next.push(s));
    };
    for (state, reached) in reached_at.iter_mut().enumerate() {
        for input in 0..system.num_inputs() {
            if system.is_initial(state, input) {
                *reached = Some(0);
                visit(0, state, input, &mut next);
            }
        }
    }
    // From step 1 on every input is possible. An initial state that is met again must be
    // expanded once more: at step 0 only some inputs were possible in it.
    let mut expanded = vec![false; system.num_states()];
    let mut step = 1;
    loop {
        std::mem::swap(&mut frontier, &mut next);
        next.clear();
        frontier.retain(|&s| !std::mem::replace(&mut expanded[s], true));
        if frontier.is_empty() {
            return Explored { violated_at, reached_at };
        }
        for &state in &frontier {
            reached_at[state] = reached_at[state].or(Some(step));
            for input in 0..system.num_inputs() {
                visit(step, state, input, &mut next);
            }
        }
        step += 1;
    }
}

/// A bit-level system with all its values tabulated: for every variable one bit for each pair
/// of state and input. State bit `i` is latch `i`, input bit `i` is input `i`.
pub struct ExplicitBits<'a> {
    system: &'a BitSystem,
    tables: Vec<Vec<u64>>,
}

impl<'a> ExplicitBits<'a> {
    /// Tabulates a system.
    ///
    /// # Panics
    /// If it has more than 20 latches and inputs together.
    pub fn new(system: &'a BitSystem) -> ExplicitBits<'a> {
        let bits = system.latches.len() + system.inputs.len();
        assert!(bits <= 20, "the oracle is for small systems");
        let pairs = 1usize << bits;
        let words = pairs.div_ceil(64);
        let mut tables = vec![vec![0u64; words]; system.aig.len()];
        let latches = system.latches.iter().enumerate().map(|(i, l)| (l.var, i));
        let inputs = system.inputs.iter().enumerate();
        let inputs = inputs.map(|(i, &var)| (var, system.latches.len() + i));
        for (var, position) in latches.chain(inputs) {
            for pair in 0..pairs {
                if pair >> position & 1 == 1 {
                    tables[var.index()][pair / 64] |= 1 << (pair % 64);
                }
            }
        }
        let word = |tables: &[Vec<u64>], lit: Lit, w: usize| {
            tables[lit.var().index()][w] ^ if lit.is_negated() { u64::MAX } else { 0 }
        };
        for var in system.aig.vars() {
            if let Node::And(a, b) = system.aig.node(var) {
                for w in 0..words {
                    tables[var.index()][w] = word(&tables, a, w) & word(&tables, b, w);
                }
            }
        }
        ExplicitBits { system, tables }
    }

    /// The value of a literal in a state with an input.
    pub fn value(&self, lit: Lit, state: usize, input: usize) -> bool {
        let pair = input << self.system.latches.len() | state;
        (self.tables[lit.var().index()][pair / 64] >> (pair % 64) & 1 == 1) ^ lit.is_negated()
    }
}

impl Explicit for ExplicitBits<'_> {
    fn num_states(&self) -> usize {
        1 << self.system.latches.len()
    }

    fn num_inputs(&self) -> usize {
        1 << self.system.inputs.len()
    }

    fn num_properties(&self) -> usize {
        self.system.properties().len()
    }

    fn is_initial(&self, state: usize, input: usize) -> bool {
        self.system.latches.iter().enumerate().all(|(i, latch)| {
            let value = state >> i & 1 == 1;
            match latch.reset {
                Reset::Zero => !value,
                Reset::One => value,
                Reset::Free => true,
                Reset::Function(f) => value == self.value(f, state, input),
            }
        })
    }

    fn is_allowed(&self, state: usize, input: usize) -> bool {
        self.system.constraints.iter().all(|&c| self.value(c, state, input))
    }

    fn is_bad(&self, state: usize, input: usize, property: usize) -> bool {
        self.value(self.system.properties()[property], state, input)
    }

    fn successors(&self, state: usize, input: usize, f: &mut dyn FnMut(usize)) {
        let bits = self.system.latches.iter().enumerate();
        f(bits.map(|(i, l)| (self.value(l.next, state, input) as usize) << i).sum());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bits::{BitShape, random_bits};
    use crate::random::Random;

    /// A two-bit counter that may be held by an input; a constraint forbids holding in state 1.
    #[test]
    fn a_counter_is_explored() {
        let mut s = BitSystem::new();
        let hold = s.add_input();
        let (a, b) = (s.add_latch(Reset::Zero), s.add_latch(Reset::Zero));
        s.latches[0].next = !a;
        let (up, down) = (s.aig.push_and(a, !b), s.aig.push_and(!a, b));
        s.latches[1].next = !s.aig.push_and(!up, !down);
        let at_one = s.aig.push_and(a, !b);
        let held_at_one = s.aig.push_and(at_one, hold);
        s.constraints.push(!held_at_one);
        s.bads.push(s.aig.push_and(a, b));
        s.bads.push(held_at_one);
        let found = explore(&ExplicitBits::new(&s));
        assert_eq!(found.violated_at, vec![Some(3), None]);
        assert_eq!(found.reached_at, vec![Some(0), Some(1), Some(2), Some(3)]);
    }

    /// The generator makes what it promises, in useful proportions.
    #[test]
    fn random_systems_are_of_all_kinds() {
        let mut random = Random::new(1);
        let (mut safe, mut deep, mut odd, mut dead) = (0, 0, 0, 0);
        for _ in 0..2000 {
            let system = random_bits(&mut random, BitShape::default());
            system.reset_order().expect("no circle");
            let explicit = ExplicitBits::new(&system);
            let found = explore(&explicit);
            safe += found.violated_at.iter().any(|v| v.is_none()) as usize;
            deep += found.violated_at.iter().any(|v| *v >= Some(3)) as usize;
            odd += system.latches.iter().any(|l| matches!(l.reset, Reset::Function(_))) as usize;
            let is_dead = |s: usize| (0..explicit.num_inputs()).all(|i| !explicit.is_allowed(s, i));
            dead += (0..explicit.num_states()).any(|s| found.reached_at[s].is_some() && is_dead(s))
                as usize;
        }
        assert!(safe > 400 && deep > 40 && odd > 200 && dead > 40, "{safe} {deep} {odd} {dead}");
    }
}
