//! Reachable states, by running the program: random inputs, with the constants of the program
//! among them. Heuristic: what all samples of a location have in common is what `candidates`
//! proposes.

use super::graph::{Graph, Location};
use crate::trace::Place;
use num_bigint::BigInt;
use pedra_model::bv::Bv;
use pedra_model::eval::ops;
use pedra_model::random::Random;
use pedra_model::term::{Sort, Term, TermId};
use pedra_model::value::Value;
use rustc_hash::{FxHashMap, FxHashSet};

/// How many runs there are, and how long they are.
const RUNS: usize = 40;
const STEPS: usize = 60;
/// Samples of one location beyond this number are left out.
const MAX_SAMPLES: usize = 400;
/// How many terms may be evaluated in all runs together.
const MAX_TERMS: usize = 4_000_000;

/// States of each location that runs have reached, each with the values of its variables in order.
pub(super) struct Samples {
    by_location: Vec<Vec<Vec<Value>>>,
}

impl Samples {
    /// Runs the program at random.
    pub(super) fn take(graph: &Graph, seed: u64) -> Samples {
        let mut sampler = Sampler::new(graph, seed);
        for run in 0..RUNS {
            if sampler.spent > MAX_TERMS {
                break;
            }
            sampler.run(run);
        }
        Samples { by_location: sampler.found }
    }

    /// The states of a location.
    pub(super) fn at(&self, location: Location) -> &[Vec<Value>] {
        &self.by_location[location.index()]
    }
}

/// The constants of a program, as numbers: of words with and without sign.
pub(super) fn constants(graph: &Graph) -> Vec<BigInt> {
    let roots = graph.edges.iter().map(|edge| edge.guard);
    let values = graph.blocks().cuts.iter().flat_map(|cut| &cut.blocks);
    let values = values.flat_map(|block| block.values.iter().copied());
    let cone = graph.terms.cone(roots.chain(values));
    let mut found = vec![BigInt::from(0), BigInt::from(1), BigInt::from(-1)];
    for (id, term) in graph.terms.iter().filter(|(id, _)| cone[id.index()]) {
        match term {
            Term::IntConst(value) => found.push(BigInt::clone(value)),
            Term::Const(value) if graph.terms.width(id) > 1 => found.extend(number(value, true)),
            _ => {}
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// The number that a word stands for; none if it is wide.
pub(super) fn number(value: &Bv, is_signed: bool) -> Option<BigInt> {
    let bits = value.to_u64()?;
    let wraps = is_signed && value.is_negative();
    let shift = if wraps { BigInt::from(1) << value.width() } else { BigInt::from(0) };
    Some(BigInt::from(bits) - shift)
}

struct Sampler<'a> {
    graph: &'a Graph,
    dice: Random,
    constants: Vec<BigInt>,
    /// For each location the terms that its edges need, in order.
    needed: Vec<Vec<TermId>>,
    seen: Vec<FxHashSet<String>>,
    found: Vec<Vec<Vec<Value>>>,
    spent: usize,
}

impl<'a> Sampler<'a> {
    fn new(graph: &'a Graph, seed: u64) -> Sampler<'a> {
        let cuts = &graph.blocks().cuts;
        let needed = cuts.iter().map(|cut| {
            let roots = cut.blocks.iter().flat_map(|b| b.values.iter().chain([&b.guard]));
            let (mut stack, mut seen) = (roots.copied().collect::<Vec<_>>(), FxHashSet::default());
            while let Some(term) = stack.pop() {
                if seen.insert(term) {
                    stack.extend(graph.terms.get(term).args());
                }
            }
            let mut needed: Vec<TermId> = seen.into_iter().collect();
            needed.sort_unstable();
            needed
        });
        Sampler {
            graph,
            dice: Random::new(seed),
            constants: constants(graph),
            needed: needed.collect(),
            seen: vec![FxHashSet::default(); cuts.len()],
            found: vec![Vec::new(); cuts.len()],
            spent: 0,
        }
    }

    /// A value for an input. Heuristic: runs of small numbers come first, since sums wrap around in
    /// the others.
    fn value(&mut self, sort: Sort, run: usize) -> Value {
        let small = BigInt::from(self.dice.below(8 + 2 * run) as i64);
        let number = match self.dice.below(if run < RUNS / 2 { 4 } else { 8 }) {
            0..=2 => small,
            3 => {
                let near = BigInt::from(self.dice.below(3) as i64 - 1);
                let at = self.dice.below(self.constants.len());
                &self.constants[at] + near
            }
            4 | 5 => -small,
            _ => BigInt::from(self.dice.biased()),
        };
        match sort {
            Sort::Bv(1) => Value::Bv(Bv::from_u64(1, self.dice.coin() as u64)),
            Sort::Bv(width) => Value::Bv(word(width, &number)),
            Sort::Int => Value::Int(number),
            Sort::Array { index, element } => {
                let element = self.value(element.into(), run);
                Value::everywhere(index, &element)
            }
        }
    }

    fn run(&mut self, run: usize) {
        let blocks = self.graph.blocks();
        let mut at = 0;
        let mut state: Vec<Value> = Vec::new();
        for &variable in &blocks.cuts[at].live {
            let sort = self.graph.terms.sort(blocks.program.term_of(variable));
            state.push(self.value(sort, run));
        }
        for _ in 0..STEPS {
            if self.spent > MAX_TERMS {
                return;
            }
            let Some((to, next)) = (0..4).find_map(|_| self.step(at, &state, run)) else { return };
            (at, state) = (to, next);
            if self.found[at].len() < MAX_SAMPLES && self.seen[at].insert(format!("{state:?}")) {
                self.found[at].push(state.clone());
            }
        }
    }

    /// One step with random inputs; none if no edge can be taken with them.
    fn step(&mut self, at: usize, state: &[Value], run: usize) -> Option<(usize, Vec<Value>)> {
        let graph = self.graph;
        let cut = &graph.blocks().cuts[at];
        let mut values: FxHashMap<TermId, Value> = FxHashMap::default();
        for (&variable, value) in cut.live.iter().zip(state) {
            values.insert(graph.blocks().program.term_of(variable), value.clone());
        }
        for &input in &cut.inputs {
            let value = self.value(graph.terms.sort(input), run);
            values.insert(input, value);
        }
        self.spent += self.needed[at].len();
        for &term in &self.needed[at] {
            if let Some(value) = ops::apply(graph.terms.get(term), |arg| &values[&arg]) {
                values.insert(term, value);
            }
        }
        let block = cut.blocks.iter().find(|block| values[&block.guard].as_bv().is_true())?;
        Some((block.to, block.values.iter().map(|value| values[value].clone()).collect()))
    }
}

/// The word of a number, modulo its width.
pub(super) fn word(width: u32, number: &BigInt) -> Bv {
    let modulus = BigInt::from(1) << width;
    let rest = ((number % &modulus) + &modulus) % &modulus;
    Bv::from_limbs(width, rest.to_biguint().expect("not negative").to_u64_digits())
}
