//! Small random systems, and the truth about them by enumeration.
//!
//! Nothing here uses a solver or the library's own unrolling. A *point* is a state together with
//! its inputs, as one number: latches in the low bits, inputs above them.

#![allow(dead_code)]

use pedra_certify::{Claim, ProofError};
use pedra_model::aig::{Aig, Node};
use pedra_model::bits::{BitSystem, Reset};
use pedra_model::lit::Lit;
use pedra_model::proof::BitProof;

/// Marsaglia's xorshift.
pub struct Random(pub u64);

impl Random {
    pub fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % bound
    }

    pub fn flip(&mut self) -> bool {
        self.below(2) == 1
    }

    pub fn lit(&mut self, aig: &Aig) -> Lit {
        Lit::from_code(self.below(2 * aig.len()) as u32)
    }
}

/// A system with up to 3 latches of any reset, 2 inputs, 2 constraints and 2 bads.
pub fn random_system(random: &mut Random) -> BitSystem {
    loop {
        let mut system = BitSystem::new();
        for _ in 0..random.below(3) {
            system.add_input();
        }
        for _ in 0..1 + random.below(3) {
            system.add_latch(Reset::Zero);
        }
        for _ in 0..random.below(10) {
            let (a, b) = (random.lit(&system.aig), random.lit(&system.aig));
            system.aig.push_and(a, b);
        }
        for latch in 0..system.latches.len() {
            let (next, function) = (random.lit(&system.aig), random.lit(&system.aig));
            let resets = [Reset::Zero, Reset::One, Reset::Free, Reset::Function(function)];
            system.latches[latch].next = next;
            system.latches[latch].reset = resets[random.below(4)];
        }
        let bads = (0..1 + random.below(2)).map(|_| random.lit(&system.aig)).collect();
        if random.below(4) == 0 {
            system.outputs = bads;
        } else {
            system.bads = bads;
        }
        system.constraints =
            (0..random.below(4).saturating_sub(1)).map(|_| random.lit(&system.aig)).collect();
        if system.reset_order().is_ok() {
            return system;
        }
    }
}

/// The truth about a system and a proof, point by point.
pub struct Truth {
    pub latches: usize,
    pub points: usize,
    /// Whether the point's state with its inputs is initial.
    pub initial: Vec<bool>,
    /// The latches with a free reset, as a mask.
    pub free: usize,
    /// Whether it satisfies the constraints.
    pub allowed: Vec<bool>,
    /// Whether it satisfies the invariant.
    pub invariant: Vec<bool>,
    /// Whether no proved bad is true.
    pub good: Vec<bool>,
    /// The state that follows.
    pub next: Vec<usize>,
}

impl Truth {
    pub fn of(system: &BitSystem, proof: &BitProof) -> Truth {
        let mut aig = system.aig.clone();
        for &[a, b] in &proof.gates {
            aig.push_and(a, b);
        }
        let latches = system.latches.len();
        let points = 1 << (latches + system.inputs.len());
        let mut truth = Truth {
            latches,
            points,
            initial: Vec::new(),
            free: system
                .latches
                .iter()
                .enumerate()
                .filter(|(_, l)| l.reset == Reset::Free)
                .map(|(i, _)| 1 << i)
                .sum(),
            allowed: Vec::new(),
            invariant: Vec::new(),
            good: Vec::new(),
            next: Vec::new(),
        };
        for point in 0..points {
            let values = evaluate(system, &aig, point);
            let of = |l: Lit| values[l.var().index()] ^ l.is_negated();
            let is_reset = |latch: &pedra_model::bits::Latch| match latch.reset {
                Reset::Zero => !of(latch.var.lit()),
                Reset::One => of(latch.var.lit()),
                Reset::Free => true,
                Reset::Function(f) => of(latch.var.lit()) == of(f),
            };
            truth.initial.push(system.latches.iter().all(is_reset));
            truth.allowed.push(system.constraints.iter().all(|&c| of(c)));
            truth.invariant.push(proof.clauses.iter().all(|c| c.iter().any(|&l| of(l))));
            truth.good.push(proof.properties.iter().all(|&p| !of(system.properties()[p])));
            let bits = system.latches.iter().enumerate();
            truth.next.push(bits.map(|(i, l)| (of(l.next) as usize) << i).sum());
        }
        truth
    }

    pub fn state(&self, point: usize) -> usize {
        point & ((1 << self.latches) - 1)
    }

    /// The points of the state that follows, with every input.
    pub fn successors(&self, point: usize) -> impl Iterator<Item = usize> + use<> {
        let (state, latches) = (self.next[point], self.latches);
        (0..self.points >> latches).map(move |inputs| inputs << latches | state)
    }

    /// Which points occur on paths.
    pub fn reachable(&self) -> Vec<bool> {
        let mut reached = vec![false; self.points];
        let starts = (0..self.points).filter(|&p| self.initial[p] && self.allowed[p]);
        let mut stack: Vec<usize> = starts.collect();
        while let Some(point) = stack.pop() {
            if !std::mem::replace(&mut reached[point], true) {
                stack.extend(self.successors(point).filter(|&p| self.allowed[p]));
            }
        }
        reached
    }

    /// Whether the proved properties hold.
    pub fn is_safe(&self) -> bool {
        let reached = self.reachable();
        (0..self.points).all(|p| !reached[p] || self.good[p])
    }

    pub fn initiation(&self) -> bool {
        (0..self.points).all(|p| !(self.initial[p] && self.allowed[p]) || self.invariant[p])
    }

    pub fn consecution(&self) -> bool {
        let known = (0..self.points).filter(|&p| self.invariant[p] && self.allowed[p]);
        let mut after = known.flat_map(|p| self.successors(p));
        after.all(|q| !self.allowed[q] || self.invariant[q])
    }

    fn known(&self, point: usize) -> bool {
        self.invariant[point] && self.allowed[point]
    }

    /// All paths of this many transitions through points that satisfy invariant and constraints.
    fn paths(&self, transitions: usize) -> Vec<Vec<usize>> {
        let mut paths: Vec<Vec<usize>> =
            (0..self.points).filter(|&p| self.known(p)).map(|p| vec![p]).collect();
        for _ in 0..transitions {
            let longer = |path: &Vec<usize>| -> Vec<Vec<usize>> {
                let last = path[path.len() - 1];
                let ends = self.successors(last).filter(|&q| self.known(q));
                ends.map(|q| path.iter().copied().chain([q]).collect()).collect()
            };
            paths = paths.iter().flat_map(longer).collect();
        }
        paths
    }

    pub fn base(&self, k: usize) -> bool {
        let ends_well =
            |path: Vec<usize>| !self.initial[path[0]] || self.good[path[path.len() - 1]];
        (0..k).all(|transitions| self.paths(transitions).into_iter().all(ends_well))
    }

    /// `mask`: the latches on which states must differ, if only simple paths count.
    pub fn step(&self, k: usize, mask: Option<usize>) -> bool {
        let counts = |path: &Vec<usize>| {
            path[..k].iter().all(|&p| self.good[p])
                && mask.is_none_or(|mask| {
                    let mut states: Vec<usize> = path.iter().map(|&p| p & mask).collect();
                    states.sort();
                    states.windows(2).all(|w| w[0] != w[1])
                })
        };
        self.paths(k).into_iter().filter(counts).all(|path| self.good[path[k]])
    }

    /// The four conditions on the latches of a simple-path condition.
    pub fn closed(&self, mask: usize) -> bool {
        let inputs = !((1 << self.latches) - 1);
        let known = (0..self.points).filter(|&u| self.known(u));
        let entered: Vec<usize> = known.map(|u| self.next[u]).collect();
        let mut pairs = (0..self.points)
            .flat_map(|s| (0..self.points).map(move |t| (s, t)))
            .filter(|&(s, t)| s & mask == t & mask && self.known(s));
        pairs.all(|(s, t)| {
            let cut = self.state(t) | s & inputs;
            let same =
                self.next[s] & mask == self.next[cut] & mask && self.good[s] == self.good[cut];
            // The initial state under the inputs of `s` with the free latches of `t`.
            let restarted = (0..1 << self.latches)
                .map(|state| state | s & inputs)
                .find(|&p| self.initial[p] && p & self.free == t & self.free)
                .expect("resets are functions of inputs and free latches");
            let restarts = restarted & mask == t & mask && self.allowed[restarted];
            let stays_initial = !(self.initial[t] && self.known(t)) || restarts;
            let is_met = self.known(t) || entered.contains(&self.state(t));
            let stays_allowed = !is_met || self.allowed[cut];
            stays_allowed && (!self.known(cut) || same) && stays_initial
        })
    }
}

/// The values of all variables at a point.
fn evaluate(system: &BitSystem, aig: &Aig, point: usize) -> Vec<bool> {
    let mut values = vec![false; aig.len()];
    let leaves = system.latches.iter().map(|l| l.var).chain(system.inputs.iter().copied());
    for (position, var) in leaves.enumerate() {
        values[var.index()] = point >> position & 1 == 1;
    }
    for var in aig.vars() {
        if let Node::And(a, b) = aig.node(var) {
            let of = |l: Lit| values[l.var().index()] ^ l.is_negated();
            values[var.index()] = of(a) && of(b);
        }
    }
    values
}

/// The clause that excludes exactly one state.
pub fn excluding(system: &BitSystem, state: usize) -> Vec<Lit> {
    let latches = system.latches.iter().enumerate();
    latches.map(|(i, l)| Lit::new(l.var, state >> i & 1 == 1)).collect()
}

/// The name of the first claim that is false, by enumeration.
pub fn expected(truth: &Truth, proof: &BitProof) -> &'static str {
    let mask = proof.simple_path.as_ref().map(|latches| latches.iter().map(|l| 1 << l).sum());
    if !truth.initiation() {
        "initiation"
    } else if !truth.consecution() {
        "consecution"
    } else if !truth.base(proof.k) {
        "base"
    } else if mask.is_some_and(|mask| !truth.closed(mask)) {
        "closed"
    } else if !truth.step(proof.k, mask) {
        "step"
    } else {
        "accepted"
    }
}

/// The name of the claim that a check found to be false.
pub fn found_claim(checked: Result<(), ProofError>) -> &'static str {
    match checked {
        Ok(()) => "accepted",
        Err(ProofError::Refuted { claim, .. }) => match claim {
            Claim::Initiation { .. } => "initiation",
            Claim::Consecution { .. } => "consecution",
            Claim::Base { .. } => "base",
            Claim::Step { .. } => "step",
            Claim::Closed => "closed",
        },
        Err(error) => panic!("no verdict: {error}"),
    }
}
