//! The reference: explicit search in small systems, with semantics written down plainly.

#![allow(dead_code, reason = "each test file uses its own part")]

pub mod judge;

use pedra_engines::{Context, Engine, Outcome};
use pedra_model::aig::Node;
use pedra_model::bits::{BitSystem, Reset};
use pedra_model::lit::Lit;
use pedra_model::proof::BitProof;
use pedra_model::trace::BitTrace;
use std::collections::BTreeSet;

/// A small random number generator (xorshift), so that failures can be repeated.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Random {
        Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 16) as usize % bound
    }

    fn pick(&mut self, lits: &[Lit]) -> Lit {
        lits[self.below(lits.len())] ^ (self.below(2) == 1)
    }
}

/// A random system with at most `latches` latches and 3 inputs.
pub fn random_system(random: &mut Random, latches: usize) -> BitSystem {
    loop {
        let mut system = BitSystem::new();
        let mut lits = vec![Lit::FALSE];
        for _ in 0..random.below(4) {
            lits.push(system.add_input());
        }
        for _ in 0..random.below(latches + 1) {
            lits.push(system.add_latch(Reset::Zero));
        }
        for _ in 0..random.below(16) {
            let (a, b) = (random.pick(&lits), random.pick(&lits));
            lits.push(system.aig.push_and(a, b));
        }
        for latch in 0..system.latches.len() {
            system.latches[latch].next = random.pick(&lits);
            system.latches[latch].reset = match random.below(7) {
                0 | 1 => Reset::One,
                2 => Reset::Free,
                3 => Reset::Function(random.pick(&lits)),
                _ => Reset::Zero,
            };
        }
        for _ in 0..random.below(5).saturating_sub(2) {
            system.constraints.push(random.pick(&lits));
        }
        for _ in 0..1 + random.below(3) {
            // A conjunction, since a single literal is violated soon.
            let (a, b) = (random.pick(&lits), random.pick(&lits));
            let deep = system.aig.push_and(a, b);
            lits.push(deep);
            system.bads.push(if random.below(4) == 0 { random.pick(&lits) } else { deep });
        }
        if system.reset_order().is_ok() {
            return system;
        }
    }
}

/// The value of every variable, for latches and inputs given as bit sets.
fn values(system: &BitSystem, state: usize, input: usize) -> Vec<bool> {
    let mut values = vec![false; system.aig.len()];
    for (i, latch) in system.latches.iter().enumerate() {
        values[latch.var.index()] = state >> i & 1 == 1;
    }
    for (i, var) in system.inputs.iter().enumerate() {
        values[var.index()] = input >> i & 1 == 1;
    }
    for var in system.aig.vars() {
        if let Node::And(a, b) = system.aig.node(var) {
            values[var.index()] = get(&values, a) && get(&values, b);
        }
    }
    values
}

fn get(values: &[bool], lit: Lit) -> bool {
    values[lit.var().index()] != lit.is_negated()
}

/// One state under one input.
pub struct Moment {
    pub is_initial: bool,
    pub is_allowed: bool,
    pub bads: Vec<bool>,
    pub next: usize,
}

pub fn moment(system: &BitSystem, state: usize, input: usize) -> Moment {
    let values = values(system, state, input);
    let is_reset = |latch: &pedra_model::bits::Latch| {
        let value = values[latch.var.index()];
        match latch.reset {
            Reset::Zero => !value,
            Reset::One => value,
            Reset::Free => true,
            Reset::Function(lit) => value == get(&values, lit),
        }
    };
    let next = system.latches.iter().enumerate();
    Moment {
        is_initial: system.latches.iter().all(is_reset),
        is_allowed: system.constraints.iter().all(|&c| get(&values, c)),
        bads: system.properties().iter().map(|&b| get(&values, b)).collect(),
        next: next.map(|(i, latch)| (get(&values, latch.next) as usize) << i).sum(),
    }
}

/// Every state under every input.
pub struct Explicit(Vec<Vec<Moment>>);

impl Explicit {
    pub fn new(system: &BitSystem) -> Explicit {
        let inputs = 1 << system.inputs.len();
        let row = |state| (0..inputs).map(|input| moment(system, state, input)).collect();
        Explicit((0..1 << system.latches.len()).map(row).collect())
    }

    fn all_states(&self) -> BTreeSet<usize> {
        (0..self.0.len()).collect()
    }

    /// For each property the depth of a shortest violation.
    pub fn depths(&self, properties: usize) -> Vec<Option<usize>> {
        let mut depths = vec![None; properties];
        let mut layer = self.all_states();
        // Twice the number of states is more than enough.
        for depth in 0..2 * self.0.len() + 1 {
            let mut next = BTreeSet::new();
            for moment in layer.iter().flat_map(|&state| &self.0[state]) {
                if moment.is_allowed && (depth > 0 || moment.is_initial) {
                    next.insert(moment.next);
                    for (found, &bad) in depths.iter_mut().zip(&moment.bads) {
                        if bad && found.is_none() {
                            *found = Some(depth);
                        }
                    }
                }
            }
            layer = next;
        }
        depths
    }

    /// Whether the claim of a k-induction proof is right, base and step, checked by
    /// enumeration of paths.
    pub fn accepts(&self, proof: &BitProof) -> bool {
        assert!(proof.clauses.is_empty() && proof.gates.is_empty() && proof.k >= 1);
        let bad = |m: &Moment| proof.properties.iter().any(|&p| m.bads[p]);
        let depths = self.depths(self.0[0][0].bads.len());
        if proof.properties.iter().any(|&p| depths[p].is_some_and(|d| d < proof.k)) {
            return false;
        }
        let Some(latches) = &proof.simple_path else {
            let mut ends = self.all_states();
            for _ in 0..proof.k {
                let moments = ends.iter().flat_map(|&s| &self.0[s]);
                ends = moments.filter(|m| m.is_allowed && !bad(m)).map(|m| m.next).collect();
            }
            return !ends.iter().flat_map(|&s| &self.0[s]).any(|m| m.is_allowed && bad(m));
        };
        let key = |state: usize| -> usize { latches.iter().map(|&l| state & 1 << l).sum() };
        let mut stack: Vec<Vec<usize>> = self.all_states().into_iter().map(|s| vec![s]).collect();
        while let Some(path) = stack.pop() {
            let state = path[path.len() - 1];
            let allowed = self.0[state].iter().filter(|m| m.is_allowed);
            if path.len() == proof.k + 1 {
                if allowed.into_iter().any(bad) {
                    return false;
                }
                continue;
            }
            let next: BTreeSet<usize> = allowed.filter(|m| !bad(m)).map(|m| m.next).collect();
            for next in next {
                if path.iter().all(|&s| key(s) != key(next)) {
                    stack.push([&path[..], &[next]].concat());
                }
            }
        }
        true
    }
}

/// Whether a trace is a path from an initial state, under all constraints, that ends in a
/// violation; unknown bits are tried both as 0 and as 1.
pub fn replays(system: &BitSystem, trace: &BitTrace) -> bool {
    [false, true].into_iter().all(|fill| {
        let input_at = |step: usize| -> usize {
            let bits = trace.inputs[step].iter().enumerate();
            bits.map(|(i, bit)| (bit.known().unwrap_or(fill) as usize) << i).sum()
        };
        // Resets decide what the trace leaves open, in their order.
        let mut state = 0;
        for latch in system.reset_order().expect("no circle") {
            let known = trace.initial[latch as usize].known();
            let value = known.unwrap_or_else(|| match system.latches[latch as usize].reset {
                Reset::Zero => false,
                Reset::One => true,
                Reset::Free => fill,
                Reset::Function(lit) => get(&values(system, state, input_at(0)), lit),
            });
            state |= (value as usize) << latch;
        }
        let mut good = moment(system, state, input_at(0)).is_initial;
        for step in 0..=trace.depth() {
            let moment = moment(system, state, input_at(step));
            good &= moment.is_allowed;
            good &= step < trace.depth() || moment.bads[trace.property];
            state = moment.next;
        }
        good
    })
}

/// Runs an engine that gets through by itself.
pub fn run(engine: &mut dyn Engine, max_depth: usize) -> Vec<Outcome> {
    engine.run(&Context { max_depth: Some(max_depth), ..Context::default() })
}
