//! Justice: random sets, and the oracle that decides them by enumeration.
//!
//! A set is violated if some infinite path fulfils it, and fairness with it, again and again. In a
//! finite graph that is so if a state can be reached from which a walk leads back to it through a
//! step with each signal. The oracle takes the transitive closure of the steps; it knows no
//! lassos, monitors or counters.

use crate::oracle::{Explicit, ExplicitBits};
use crate::random::Random;
use crate::words::ExplicitWords;
use pedra_model::bits::BitSystem;
use pedra_model::lit::{Lit, Var};
use pedra_model::system::{Justice, NamedTerm, System};
use pedra_model::term::{Sort, TermId};

/// Gives a system random justice sets, at least one, and perhaps fairness. Sets may be empty, name
/// constants, and repeat a literal.
pub fn add_bit_justice(random: &mut Random, system: &mut BitSystem) {
    let lit = |random: &mut Random, system: &mut BitSystem| -> Lit {
        let mut any = || Var::new(random.below(system.aig.len())).lit() ^ random.coin();
        let (a, b, c) = (any(), any(), any());
        match random.below(4) {
            0 => a,
            // A conjunction is rare, so that many sets hold.
            1 => system.aig.push_and(a, b),
            2 => {
                let both = system.aig.push_and(a, b);
                system.aig.push_and(both, c)
            }
            _ => !system.aig.push_and(a, b),
        }
    };
    for _ in 0..random.between(1, 2) {
        let size = random.pick(&[0, 1, 1, 1, 2, 2, 3]);
        let set = (0..size).map(|_| lit(random, system)).collect();
        system.justice.push(set);
    }
    for _ in 0..random.pick(&[0, 0, 1, 2]) {
        let fair = lit(random, system);
        system.fairness.push(fair);
    }
    if random.coin() {
        // Without bads, outputs would be properties; a file with justice has none of the old style.
        system.bads.clear();
    }
}

/// The same for words, of terms that the system has. Sets have at least one term.
pub fn add_word_justice(random: &mut Random, system: &mut System) {
    let bits: Vec<TermId> = system
        .terms
        .iter()
        .map(|(id, _)| id)
        .filter(|&id| system.terms.sort(id) == Sort::BOOL)
        .collect();
    let mut term = |random: &mut Random| match bits.is_empty() {
        true => system.terms.bool(true),
        false => {
            let term = random.pick(&bits);
            if random.coin() { system.terms.not(term) } else { term }
        }
    };
    let mut sets: Vec<Vec<TermId>> = Vec::new();
    for _ in 0..random.between(1, 2) {
        sets.push((0..random.between(1, 3)).map(|_| term(random)).collect());
    }
    let fair: Vec<TermId> = (0..random.pick(&[0, 0, 1, 2])).map(|_| term(random)).collect();
    system.justice = sets.into_iter().map(|terms| Justice { terms, name: None }).collect();
    system.fairness = fair.into_iter().map(|term| NamedTerm { term, name: None }).collect();
}

/// For each justice set of a small bit-level system whether it is violated.
pub fn violated_bit_sets(system: &BitSystem) -> Vec<bool> {
    let explicit = ExplicitBits::new(system);
    let steps = Steps::new(&explicit);
    let set = |set: &Vec<Lit>| {
        let signals: Vec<Lit> = system.fairness.iter().chain(set).copied().collect();
        steps.has_walk(signals.len(), |signal, state, input| {
            explicit.value(signals[signal], state, input)
        })
    };
    system.justice.iter().map(set).collect()
}

/// The same for a small word-level system.
pub fn violated_word_sets(system: &System) -> Vec<bool> {
    let explicit = ExplicitWords::new(system);
    let steps = Steps::new(&explicit);
    let set = |set: &Justice| {
        let fair = system.fairness.iter().map(|fair| fair.term);
        let signals: Vec<TermId> = fair.chain(set.terms.iter().copied()).collect();
        steps.has_walk(signals.len(), |signal, state, input| {
            explicit.is_true(signals[signal], state, input)
        })
    };
    system.justice.iter().map(set).collect()
}

/// The steps of a system between states that a path can come to after its first step.
struct Steps {
    /// State, input, next state.
    steps: Vec<(usize, usize, usize)>,
    /// By state, the states that a walk of one step or more leads to: one bit each.
    closure: Vec<Vec<u64>>,
}

impl Steps {
    fn new(system: &dyn Explicit) -> Steps {
        let states = system.num_states();
        let mut steps = Vec::new();
        let mut closure = vec![vec![0u64; states.div_ceil(64)]; states];
        // The states after a first step. Resets may depend on inputs, so that a state may be
        // initial and still have no step there that the constraints allow.
        let mut open: Vec<usize> = Vec::new();
        let pairs = (0..states).flat_map(|s| (0..system.num_inputs()).map(move |i| (s, i)));
        for (state, input) in
            pairs.filter(|&(s, i)| system.is_initial(s, i) && system.is_allowed(s, i))
        {
            system.successors(state, input, &mut |next| open.push(next));
        }
        let mut is_reached = vec![false; states];
        while let Some(state) = open.pop() {
            if std::mem::replace(&mut is_reached[state], true) {
                continue;
            }
            for input in (0..system.num_inputs()).filter(|&input| system.is_allowed(state, input)) {
                system.successors(state, input, &mut |next| {
                    steps.push((state, input, next));
                    closure[state][next / 64] |= 1 << (next % 64);
                    open.push(next);
                });
            }
        }
        let mut all = Steps { steps, closure };
        all.close();
        all
    }

    /// S. Warshall, 1962.
    fn close(&mut self) {
        for middle in 0..self.closure.len() {
            let row = self.closure[middle].clone();
            for state in 0..self.closure.len() {
                if self.leads(state, middle) {
                    self.closure[state].iter_mut().zip(&row).for_each(|(all, more)| *all |= more);
                }
            }
        }
    }

    fn leads(&self, from: usize, to: usize) -> bool {
        self.closure[from][to / 64] >> (to % 64) & 1 == 1
    }

    /// Whether some reachable walk from a state back to it has a step with each signal. The states
    /// of an infinite path that recur are all reached after its first step.
    fn has_walk(&self, signals: usize, is_true: impl Fn(usize, usize, usize) -> bool) -> bool {
        let recurs = (0..self.closure.len()).filter(|&state| self.leads(state, state));
        let mut states = recurs.into_iter();
        states.any(|state| {
            (0..signals).all(|signal| {
                self.steps.iter().any(|&(from, input, next)| {
                    let is_near = |a: usize, b: usize| a == b || self.leads(a, b);
                    is_true(signal, from, input) && is_near(state, from) && is_near(next, state)
                })
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bits::{BitShape, random_bits};
    use pedra_model::bits::Reset;

    /// A latch that an input may set, and that stays set.
    #[test]
    fn a_latch_that_stays() {
        let mut s = BitSystem::new();
        let set = s.add_input();
        let latch = s.add_latch(Reset::Zero);
        s.latches[0].next = !s.aig.push_and(!set, !latch);
        let changes = s.aig.push_and(set, !latch);
        s.justice = vec![vec![latch], vec![!latch], vec![changes], vec![latch, !latch], vec![]];
        assert_eq!(violated_bit_sets(&s), [true, true, false, false, true]);
        s.fairness = vec![!set];
        assert_eq!(violated_bit_sets(&s), [true, true, false, false, true]);
        s.fairness = vec![set];
        assert_eq!(violated_bit_sets(&s), [true, false, false, false, true]);
        // Once it is set there is no step: no path is infinite, unless it is never set.
        (s.fairness, s.constraints) = (vec![], vec![!latch]);
        assert_eq!(violated_bit_sets(&s), [false, true, false, false, true]);
    }

    /// A reset that depends on an input, which a constraint forbids at the first step.
    #[test]
    fn a_start_that_is_not_allowed() {
        let mut s = BitSystem::new();
        let set = s.add_input();
        let latch = s.add_latch(Reset::Function(set));
        s.latches[0].next = latch;
        s.justice = vec![vec![latch]];
        assert_eq!(violated_bit_sets(&s), [true]);
        s.constraints = vec![!set];
        assert_eq!(violated_bit_sets(&s), [false]);
    }

    /// Sets of both kinds are common.
    #[test]
    fn random_sets_are_of_both_kinds() {
        let mut random = Random::new(3);
        let (mut live, mut violated) = (0, 0);
        for _ in 0..1000 {
            let mut system = random_bits(&mut random, BitShape::default());
            add_bit_justice(&mut random, &mut system);
            for is_violated in violated_bit_sets(&system) {
                live += usize::from(!is_violated);
                violated += usize::from(is_violated);
            }
        }
        assert!(live > 300 && violated > 300, "{live} {violated}");
    }
}
