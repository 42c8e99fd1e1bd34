//! Each pass on hand-made systems, and all of them on random ones against enumeration of every
//! state and input.

use super::duplicate::merge_from_guess;
use super::guess::{Guess, guess_classes};
use super::initial::initial_order;
use super::rebuild::select;
use super::{ReduceOptions, Reduced, reduce};
use crate::aig::Node;
use crate::bits::{BitSystem, Latch, Reset};
use crate::lit::{Lit, Var};
use crate::proof::BitProof;
use crate::trace::BitTrace;
use crate::value::Ternary;

const NONE: ReduceOptions =
    ReduceOptions { cone: false, structure: false, constants: false, duplicates: false };
/// Every pass alone, some pairs, all.
const CHOICES: [ReduceOptions; 8] = [
    NONE,
    ReduceOptions { cone: true, ..NONE },
    ReduceOptions { structure: true, ..NONE },
    ReduceOptions { constants: true, ..NONE },
    ReduceOptions { duplicates: true, ..NONE },
    ReduceOptions { duplicates: true, structure: true, ..NONE },
    ReduceOptions { constants: true, duplicates: true, cone: true, ..NONE },
    ReduceOptions { cone: true, structure: true, constants: true, duplicates: true },
];

// --- By hand -----------------------------------------------------------------------------

/// Reduces for all properties with some options; checks the map by enumeration if the system
/// is small; returns inputs, latches and gates left.
fn sizes(system: &BitSystem, options: ReduceOptions) -> [usize; 3] {
    let properties: Vec<usize> = (0..system.properties().len()).collect();
    let reduced = reduce(system, &properties, &options);
    if system.latches.len() + system.inputs.len() <= 8 {
        check(system, &reduced);
    }
    let s = &reduced.system;
    [s.inputs.len(), s.latches.len(), s.aig.num_gates()]
}

#[test]
fn cone_follows_next_and_reset_functions() {
    let mut s = BitSystem::new();
    let (for_next, for_reset, unused) = (s.add_input(), s.add_input(), s.add_input());
    let (a, b, c) = (
        s.add_latch(Reset::Zero),
        s.add_latch(Reset::Function(for_reset)),
        s.add_latch(Reset::One),
    );
    let lost = s.aig.push_and(c, unused);
    let gate = s.aig.push_and(for_next, b);
    s.latches[0].next = gate;
    s.latches[2].next = lost;
    s.bads.push(a);
    assert_eq!(sizes(&s, ReduceOptions { cone: true, ..NONE }), [2, 2, 1]);
    // A constraint keeps its cone although it has nothing to do with the property.
    s.constraints.push(c);
    assert_eq!(sizes(&s, ReduceOptions { cone: true, ..NONE }), [3, 3, 2]);
}

#[test]
fn structure_merges_gates_and_tidies_constraints() {
    let mut s = BitSystem::new();
    let (x, y) = (s.add_input(), s.add_input());
    let (g, h) = (s.aig.push_and(x, y), s.aig.push_and(y, x));
    let (t, f) = (s.aig.push_and(Lit::TRUE, Lit::TRUE), s.aig.push_and(g, !h));
    s.outputs = vec![f, g];
    s.constraints = vec![g, t, h];
    let reduced = reduce(&s, &[1, 0], &ReduceOptions { structure: true, ..NONE });
    check(&s, &reduced);
    assert_eq!(reduced.system.aig.num_gates(), 1);
    assert_eq!(reduced.system.constraints.len(), 1);
    assert_eq!(reduced.system.bads[1], Lit::FALSE);
    assert_eq!(reduced.map.properties(), [1, 0]);
    // Contradicting constraints leave a valid system without paths.
    s.constraints.push(!h);
    let reduced = reduce(&s, &[0], &ReduceOptions::default());
    check(&s, &reduced);
    assert_eq!(reduced.system.constraints, [Lit::FALSE]);
}

#[test]
fn names_travel_with_what_they_name() {
    let mut s = BitSystem::new();
    let (x, y) = (s.add_input(), s.add_input());
    s.add_latch(Reset::Zero);
    let b = s.add_latch(Reset::Zero);
    s.latches[1].next = y;
    s.outputs = vec![x, b];
    let name = |n: &str| Some(Box::from(n));
    s.names.inputs = vec![name("x"), name("y")];
    s.names.latches = vec![None, name("b")];
    s.names.outputs = vec![name("p"), name("q")];
    let reduced = reduce(&s, &[1], &ReduceOptions::default()).system;
    assert_eq!(reduced.names.inputs, [name("y")]);
    assert_eq!(reduced.names.latches, [name("b")]);
    assert_eq!(reduced.names.bads, [name("q")]);
    assert!(reduced.outputs.is_empty() && !reduced.outputs_are_bads());
}

#[test]
fn constant_latches_are_replaced() {
    let options = ReduceOptions { constants: true, structure: true, ..NONE };
    // Stuck: a stays 0 as it needs itself; b copies ¬a and starts as 1; c starts as ¬b.
    let mut s = BitSystem::new();
    let x = s.add_input();
    let (a, b) = (s.add_latch(Reset::Zero), s.add_latch(Reset::One));
    let c = s.add_latch(Reset::Function(!b));
    let gate = s.aig.push_and(a, x);
    (s.latches[0].next, s.latches[1].next, s.latches[2].next) = (gate, !a, !b);
    let all = s.aig.push_and(b, !c);
    s.bads = vec![!all];
    assert_eq!(sizes(&s, options), [1, 0, 0]);
    // One that starts elsewhere spoils the chain.
    s.latches[2].reset = Reset::Free;
    assert_eq!(sizes(&s, options), [1, 1, 0]);
    s.latches[1].reset = Reset::Zero;
    assert_eq!(sizes(&s, options), [1, 2, 1]);
}

/// A chain of copying latches in reverse order, behind an input or a constant.
fn shift_register(length: usize, copies: usize, first: Option<Lit>) -> BitSystem {
    let mut s = BitSystem::new();
    let input = s.add_input();
    for _ in 0..copies {
        let lits: Vec<Lit> = (0..length).map(|_| s.add_latch(Reset::Zero)).collect();
        let end = s.latches.len();
        for (i, latch) in s.latches[end - length..].iter_mut().enumerate() {
            latch.next = lits.get(i + 1).copied().unwrap_or(first.unwrap_or(input));
        }
        s.bads.push(lits[0]);
    }
    s
}

/// Long chains must be linear; a quadratic pass would take minutes here.
#[test]
fn long_shift_registers_settle_in_one_wave() {
    const LENGTH: usize = 100_000;
    let constants = ReduceOptions { constants: true, ..NONE };
    assert_eq!(sizes(&shift_register(LENGTH, 1, Some(Lit::FALSE)), constants), [1, 0, 0]);
    assert_eq!(sizes(&shift_register(LENGTH, 1, Some(Lit::TRUE)), constants)[1], LENGTH);
    let duplicates = ReduceOptions { duplicates: true, ..NONE };
    assert_eq!(sizes(&shift_register(LENGTH, 1, None), duplicates)[1], LENGTH);
    assert_eq!(sizes(&shift_register(LENGTH, 3, None), duplicates)[1], LENGTH);
}

/// Copies of a counter, every second with all bits complemented if so wished; a copy is bad
/// when all its bits are true.
fn counters(copies: usize, width: usize, complement: bool) -> BitSystem {
    let mut s = BitSystem::new();
    for inverted in (0..copies).map(|copy| complement && copy % 2 == 1) {
        let reset = if inverted { Reset::One } else { Reset::Zero };
        let first = s.latches.len();
        let bits: Vec<Lit> = (0..width).map(|_| s.add_latch(reset) ^ inverted).collect();
        s.latches[first].next = !bits[0] ^ inverted;
        let mut carry = bits[0];
        for (i, &bit) in bits.iter().enumerate().skip(1) {
            let both = s.aig.push_and(carry, bit);
            let none = s.aig.push_and(!carry, !bit);
            s.latches[first + i].next = s.aig.push_and(!both, !none) ^ inverted;
            carry = both;
        }
        s.bads.push(carry);
    }
    s
}

#[test]
fn duplicate_latches_are_merged() {
    let options = ReduceOptions { duplicates: true, structure: true, ..NONE };
    assert_eq!(sizes(&counters(2, 2, false), options), [0, 2, 3]);
    assert_eq!(sizes(&counters(2, 2, true), options), [0, 2, 3]);
    // High bits look alike for a long time.
    assert_eq!(sizes(&counters(9, 64, true), options), [0, 64, 3 * 63]);
    // A different reset of one bit separates both.
    let mut s = counters(2, 2, false);
    s.latches[3].reset = Reset::One;
    assert_eq!(sizes(&s, options)[1], 3);
    s.latches[2].reset = Reset::Free;
    assert_eq!(sizes(&s, options)[1], 4);
}

#[test]
fn free_resets_separate_and_functional_resets_may_agree() {
    let options = ReduceOptions { duplicates: true, ..NONE };
    let latches = |resets: &dyn Fn(Lit) -> [Reset; 2]| {
        let mut s = BitSystem::new();
        let (x, y) = (s.add_input(), s.add_input());
        for reset in resets(y) {
            s.add_latch(reset);
        }
        s.latches.iter_mut().for_each(|l| l.next = x);
        s.bads = vec![s.latches[0].var.lit(), s.latches[1].var.lit()];
        sizes(&s, options)[1]
    };
    assert_eq!(latches(&|_| [Reset::Free, Reset::Free]), 2);
    assert_eq!(latches(&|_| [Reset::Zero, Reset::One]), 2);
    assert_eq!(latches(&|_| [Reset::Zero, Reset::Function(Lit::FALSE)]), 1);
    assert_eq!(latches(&|y| [Reset::Function(y), Reset::Function(y)]), 1);
    assert_eq!(latches(&|y| [Reset::Function(y), Reset::Function(!y)]), 2);
}

/// Without care, merging a with b makes the reset of the class depend on itself.
#[test]
fn merging_makes_no_circle_of_resets() {
    let mut s = BitSystem::new();
    let d = s.add_input();
    let [a, b, x, y, u, v] = std::array::from_fn(|_| s.add_latch(Reset::Zero));
    let (from_xy, from_uv) = (s.aig.push_and(x, !y), s.aig.push_and(u, !v));
    for (l, f) in [from_xy, from_uv, b, b, d, d].into_iter().enumerate() {
        s.latches[l].reset = Reset::Function(f);
        s.latches[l].next = d;
    }
    s.bads = vec![a, x, u];
    assert!(s.reset_order().is_ok());
    assert_eq!(sizes(&s, ReduceOptions { duplicates: true, ..NONE })[1], 3);
    assert_eq!(sizes(&s, ReduceOptions { duplicates: true, structure: true, ..NONE })[1], 3);
}

// --- At random, against enumeration ------------------------------------------------------

/// A xorshift generator.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        ((self.0 >> 11) % bound as u64) as usize
    }

    fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    fn lit(&mut self, lits: &[Lit]) -> Lit {
        lits[self.below(lits.len())] ^ self.one_in(2)
    }

    fn system(&mut self) -> BitSystem {
        let mut s = BitSystem::new();
        let mut lits = vec![Lit::FALSE];
        for _ in 0..self.below(4) {
            lits.push(s.add_input());
        }
        for _ in 0..self.below(5) {
            lits.push(s.add_latch(Reset::Zero));
        }
        for _ in 0..self.below(13) {
            // Prefer recent literals, for depth.
            let (a, b) = (self.lit(&lits), self.lit(&lits[lits.len() / 2..]));
            lits.push(s.aig.push_and(a, b));
        }
        for l in 0..s.latches.len() {
            s.latches[l].next = self.lit(&lits);
            s.latches[l].reset = self.reset(&lits);
            // Near copies, so that there is something to merge.
            if l > 0 && self.one_in(3) {
                let Latch { next, reset, .. } = s.latches[self.below(l)];
                let flip = self.one_in(3);
                s.latches[l].next = next ^ flip;
                s.latches[l].reset = match reset {
                    Reset::Zero if flip => Reset::One,
                    Reset::One if flip => Reset::Zero,
                    Reset::Function(f) => Reset::Function(f ^ flip),
                    same => same,
                };
            }
        }
        if s.reset_order().is_err() {
            s.latches.iter_mut().for_each(|l| l.reset = Reset::Zero);
        }
        let bads: Vec<Lit> = (0..1 + self.below(3)).map(|_| self.lit(&lits)).collect();
        if self.one_in(4) {
            s.outputs = bads
        } else {
            s.bads = bads
        }
        if self.one_in(2) {
            s.constraints = (0..1 + self.below(2)).map(|_| self.lit(&lits)).collect();
        }
        s
    }

    fn reset(&mut self, lits: &[Lit]) -> Reset {
        match self.below(6) {
            0..=1 => Reset::Zero,
            2 => Reset::One,
            3 => Reset::Free,
            _ => Reset::Function(self.lit(lits)),
        }
    }
}

/// The value of every variable in a state and under an input, both as bit sets.
fn evaluate(s: &BitSystem, state: usize, input: usize) -> Vec<bool> {
    let mut values = vec![false; s.aig.len()];
    for (i, var) in s.inputs.iter().enumerate() {
        values[var.index()] = input >> i & 1 == 1;
    }
    for (i, latch) in s.latches.iter().enumerate() {
        values[latch.var.index()] = state >> i & 1 == 1;
    }
    for var in s.aig.vars() {
        if let Node::And(a, b) = s.aig.node(var) {
            values[var.index()] = of(&values, a) && of(&values, b);
        }
    }
    values
}

fn of(values: &[bool], lit: Lit) -> bool {
    values[lit.var().index()] ^ lit.is_negated()
}

/// Everything about a small system, by enumeration. A *point* is a state with an input, the
/// input in the lower bits.
struct Enumerated<'a> {
    system: &'a BitSystem,
    values: Vec<Vec<bool>>,
    /// Whether the point can be the first one and whether it satisfies the constraints.
    initial: Vec<bool>,
    allowed: Vec<bool>,
    next_state: Vec<usize>,
    /// For each point the length of the shortest path and the point before, if reachable.
    reached: Vec<Option<(usize, Option<usize>)>>,
}

impl<'a> Enumerated<'a> {
    fn new(system: &'a BitSystem) -> Enumerated<'a> {
        let width = system.inputs.len();
        let points = 1usize << (width + system.latches.len());
        let values: Vec<Vec<bool>> =
            (0..points).map(|p| evaluate(system, p >> width, p & ((1 << width) - 1))).collect();
        let starts = |v: &[bool], l: &Latch| match l.reset {
            Reset::Zero => !v[l.var.index()],
            Reset::One => v[l.var.index()],
            Reset::Free => true,
            Reset::Function(f) => v[l.var.index()] == of(v, f),
        };
        let initial = values.iter().map(|v| system.latches.iter().all(|l| starts(v, l)));
        let allowed = values.iter().map(|v| system.constraints.iter().all(|&c| of(v, c)));
        let next = values.iter().map(|v| {
            let bits = system.latches.iter().enumerate();
            bits.map(|(i, l)| (of(v, l.next) as usize) << i).sum()
        });
        let (initial, allowed, next_state) = (initial.collect(), allowed.collect(), next.collect());
        let reached = vec![None; points];
        let mut this = Enumerated { system, initial, allowed, next_state, reached, values };
        this.search();
        this
    }

    fn search(&mut self) {
        let starts = |p: &usize| self.initial[*p] && self.allowed[*p];
        let mut queue: Vec<usize> = (0..self.values.len()).filter(starts).collect();
        queue.iter().for_each(|&p| self.reached[p] = Some((0, None)));
        let mut done = 0;
        while done < queue.len() {
            let point = queue[done];
            done += 1;
            let depth = self.reached[point].expect("only reached points are queued").0;
            for successor in self.points_of(self.next_state[point]) {
                if self.allowed[successor] && self.reached[successor].is_none() {
                    self.reached[successor] = Some((depth + 1, Some(point)));
                    queue.push(successor);
                }
            }
        }
    }

    fn points_of(&self, state: usize) -> std::ops::Range<usize> {
        let inputs = 1 << self.system.inputs.len();
        state * inputs..(state + 1) * inputs
    }

    /// The shortest trace to a violation.
    fn trace(&self, property: usize) -> Option<BitTrace> {
        let bad = self.system.properties()[property];
        let hit = |p: &usize| self.reached[*p].is_some() && of(&self.values[*p], bad);
        let depth = |p: &usize| self.reached[*p].map(|r| r.0);
        let mut at = (0..self.values.len()).filter(hit).min_by_key(depth);
        let mut path = Vec::new();
        while let Some(point) = at {
            path.push(point);
            at = self.reached[point].and_then(|r| r.1);
        }
        path.reverse();
        let first = *path.first()?;
        let bit = |point: usize, var: Var| Ternary::from(self.values[point][var.index()]);
        let inputs = |&p: &usize| self.system.inputs.iter().map(|&v| bit(p, v)).collect();
        Some(BitTrace {
            property,
            initial: self.system.latches.iter().map(|l| bit(first, l.var)).collect(),
            inputs: path.iter().map(inputs).collect(),
        })
    }

    /// Whether the trace with its unknown bits set to `fill` is a violation.
    fn replays(&self, trace: &BitTrace, fill: bool) -> bool {
        let matches = |value: bool, wanted: Ternary| value == wanted.known().unwrap_or(fill);
        let input_fits = |p: usize, step: usize| {
            let mut pairs = self.system.inputs.iter().zip(&trace.inputs[step]);
            pairs.all(|(v, &t)| matches(self.values[p][v.index()], t))
        };
        // Unknown latches with a constant or functional reset follow from it.
        let starts = |p: usize| {
            let mut pairs = self.system.latches.iter().zip(&trace.initial);
            pairs.all(|(l, &t)| {
                let fixed = l.reset != Reset::Free && t == Ternary::Unknown;
                fixed || matches(self.values[p][l.var.index()], t)
            })
        };
        let mut at =
            (0..self.values.len()).find(|&p| self.initial[p] && starts(p) && input_fits(p, 0));
        for step in 1..trace.inputs.len() {
            at = at
                .filter(|&p| self.allowed[p])
                .and_then(|p| self.points_of(self.next_state[p]).find(|&q| input_fits(q, step)));
        }
        let bad = self.system.properties()[trace.property];
        at.is_some_and(|p| self.allowed[p] && of(&self.values[p], bad))
    }

    /// The values at a point, extended by the gates of a proof.
    fn with_gates(&self, point: usize, proof: &BitProof) -> Vec<bool> {
        let mut values = self.values[point].clone();
        for &[a, b] in &proof.gates {
            values.push(of(&values, a) && of(&values, b));
        }
        values
    }

    /// Where an invariant holds.
    fn holds(&self, proof: &BitProof) -> Vec<bool> {
        let all = |v: &[bool]| proof.clauses.iter().all(|c| c.iter().any(|&l| of(v, l)));
        (0..self.values.len()).map(|p| all(&self.with_gates(p, proof))).collect()
    }

    /// Initiation and consecution, under the constraints if so wished.
    fn is_inductive(&self, holds: &[bool], constrained: bool) -> bool {
        let allowed = |p: usize| !constrained || self.allowed[p];
        (0..self.values.len()).filter(|&p| allowed(p)).all(|p| {
            let mut successors = self.points_of(self.next_state[p]).filter(|&q| allowed(q));
            (!self.initial[p] || holds[p]) && (!holds[p] || successors.all(|q| holds[q]))
        })
    }

    /// The reachable points as a proof of the properties that hold: each of the others is
    /// excluded by a clause, or by the negation of a chain of gates if `with_gates`. States
    /// alone would not do, as a reset function can tie an initial state to an input.
    fn proof(&self, with_gates: bool) -> BitProof {
        let leaves: Vec<Var> = self
            .system
            .inputs
            .iter()
            .copied()
            .chain(self.system.latches.iter().map(|l| l.var))
            .collect();
        let holding = (0..self.system.bads.len()).filter(|&p| self.trace(p).is_none()).collect();
        let mut proof = BitProof { properties: holding, k: 1, ..BitProof::default() };
        for point in (0..self.values.len()).filter(|&p| self.reached[p].is_none()) {
            let cube = leaves.iter().enumerate().map(|(i, v)| v.lit() ^ (point >> i & 1 == 0));
            if with_gates {
                let mut all = Lit::TRUE;
                for lit in cube {
                    let number = self.system.aig.len() + proof.gates.len();
                    proof.gates.push([all, lit]);
                    all = Var::new(number).lit();
                }
                proof.clauses.push(vec![!all]);
            } else {
                proof.clauses.push(cube.map(|l| !l).collect());
            }
        }
        proof
    }
}

/// Checks everything that a reduction claims, by enumeration.
fn check(original: &BitSystem, reduced: &Reduced) {
    let (system, map) = (&reduced.system, &reduced.map);
    assert!(system.reset_order().is_ok());
    assert!(system.outputs.is_empty() && system.justice.is_empty());
    let (before, after) = (Enumerated::new(original), Enumerated::new(system));
    // The invariant is inductive without the constraints.
    let invariant = BitProof { clauses: map.invariant().to_vec(), ..BitProof::default() };
    let holds = before.holds(&invariant);
    assert!(before.is_inductive(&holds, false), "the invariant is inductive");
    // Where it holds, variables have the values that the map says.
    let project = |from: &[bool], vars: &mut dyn Iterator<Item = Var>| -> usize {
        vars.enumerate().map(|(i, v)| (from[v.index()] as usize) << i).sum()
    };
    for (point, values) in before.values.iter().enumerate().filter(|(p, _)| holds[*p]) {
        let inputs = &mut map.inputs().iter().map(|&i| original.inputs[i as usize]);
        let latches = &mut map.latches().iter().map(|&l| original.latches[l as usize].var);
        let (input, state) = (project(values, inputs), project(values, latches));
        let there = evaluate(system, state, input);
        for (var, &lit) in map.vars().iter().enumerate() {
            assert_eq!(there[var], of(values, lit), "variable {var} at point {point}");
        }
    }
    // Verdicts and depths agree; lifted traces replay.
    for (property, &bad) in map.properties().iter().enumerate() {
        let (was, is) = (before.trace(bad), after.trace(property));
        assert_eq!(was.map(|t| t.depth()), is.as_ref().map(|t| t.depth()));
        if let Some(trace) = is {
            assert!(after.replays(&trace, false));
            let lifted = map.lift_trace(original, &trace);
            assert_eq!(lifted.property, bad);
            assert!(before.replays(&lifted, false) && before.replays(&lifted, true));
        }
    }
    // Lifted proofs are proofs.
    for with_gates in [false, true] {
        let proof = map.lift_proof(original, &after.proof(with_gates));
        let holds = before.holds(&proof);
        assert!(before.is_inductive(&holds, true), "the lifted proof is inductive");
        for &property in &proof.properties {
            let bad = original.properties()[property];
            let safe = |p: usize| !(holds[p] && before.allowed[p] && of(&before.values[p], bad));
            assert!((0..holds.len()).all(safe), "the lifted proof implies its properties");
        }
    }
}

/// The refinement must be right by itself, not thanks to a good guess: all latches with a fixed
/// reset start in one class.
fn check_refinement(system: &BitSystem, properties: &[usize]) {
    let mut reduced = select(system, properties);
    let order = initial_order(system).expect("the resets are not circular");
    let phases = guess_classes(system, &order).phases;
    let all = 0..system.latches.len() as u32;
    let is_free = |l: &u32| system.latches[*l as usize].reset == Reset::Free;
    let (free, fixed): (Vec<u32>, Vec<u32>) = all.partition(is_free);
    let classes = free.into_iter().map(|l| vec![l]).chain([fixed]).collect();
    reduced.apply(merge_from_guess(&reduced.system, true, &order, Guess { phases, classes }));
    check(system, &reduced);
}

#[test]
fn random_systems_keep_their_verdicts() {
    let runs = std::env::var("PEDRA_FUZZ_RUNS").ok().and_then(|r| r.parse().ok());
    let mut merged = [0usize; CHOICES.len()];
    for seed in 0..runs.unwrap_or(2500u64) {
        let mut random = Random(0x2545_f491_4f6c_dd1d ^ (seed + 1).wrapping_mul(0x9e37_79b9));
        let system = random.system();
        let mut properties: Vec<usize> = (0..system.properties().len()).collect();
        if random.one_in(2) {
            properties.reverse();
            properties.truncate(1);
        }
        for (choice, options) in CHOICES.iter().enumerate() {
            let reduced = reduce(&system, &properties, options);
            check(&system, &reduced);
            merged[choice] += reduced.map.invariant().len();
        }
        check_refinement(&system, &properties);
    }
    // The test is worth something only if the passes find something.
    assert!(merged[0] == 0 && merged[3] > 0 && merged[4] > 0 && merged[7] > 0, "{merged:?}");
}
