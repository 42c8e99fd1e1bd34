//! Reachable states, by running the program: random inputs, with the constants of the program
//! among them. Heuristic: what all samples of a location have in common is what `candidates`
//! proposes.

use super::calling;
use super::cases::{all_cases, comparisons, speaks_of};
use super::graph::{Edge, EdgeId, Graph, Location};
use super::queries::Queries;
use crate::trace::{Place, Stopped};
use num_bigint::BigInt;
use pedra_model::bv::Bv;
use pedra_model::eval::ops;
use pedra_model::random::Random;
use pedra_model::term::{BinaryOp, Sort, Term, TermId, Terms, UnaryOp};
use pedra_model::value::Value;
use pedra_program::Lowered;
use pedra_program::interpreter::evaluate;
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;

/// How many runs there are, and how long they are.
const RUNS: usize = 40;
const STEPS: usize = 60;
/// Samples of one location beyond this number are left out.
const MAX_SAMPLES: usize = 400;
/// How many more there may be after each look for phases.
const MORE_SAMPLES: usize = 100;
/// How many comparisons of a location are looked at for phases.
const MAX_PHASES: usize = 10;
/// How often a solver is asked for a way along an edge that no run takes.
const GUIDED: usize = 6;
/// How many terms may be evaluated in all runs together.
const MAX_TERMS: usize = 4_000_000;

/// States of each location that runs have reached, each with the values of its variables in order.
pub(super) struct Samples {
    by_location: Vec<Vec<Vec<Value>>>,
    /// The same as texts, so that none is there twice.
    seen: Vec<FxHashSet<String>>,
    /// How many there may be at a location.
    limit: usize,
}

impl Samples {
    /// Runs the program at random, and where no run comes to, with the help of a solver.
    pub(super) fn find(queries: &mut Queries, seed: u64) -> Result<Samples, Stopped> {
        let mut samples = Samples::take(&queries.graph, seed);
        // Blocks do not know what calls return.
        if !queries.graph.has_calls() {
            samples.guide(queries, seed)?;
        }
        Ok(samples)
    }

    /// Runs the program at random.
    pub(super) fn take(graph: &Graph, seed: u64) -> Samples {
        let locations = graph.locations().count();
        let seen = vec![FxHashSet::default(); locations];
        let mut samples =
            Samples { by_location: vec![Vec::new(); locations], seen, limit: MAX_SAMPLES };
        if graph.has_calls() {
            calling::visit(graph, seed, |at, state| samples.add(at, &state));
            return samples;
        }
        let mut runner = Runner::new(graph, seed);
        for run in 0..RUNS {
            let start = runner.start(run);
            samples.follow(&mut runner, (0, start), run);
        }
        samples
    }

    /// One run from a state, for as long as there is room.
    fn follow(&mut self, runner: &mut Runner, from: (usize, Vec<Value>), spread: usize) {
        let (mut at, mut state) = from;
        for _ in 0..STEPS {
            if runner.spent > MAX_TERMS {
                return;
            }
            let Some(taken) = runner.step(at, &state, spread) else { return };
            (at, state) = (taken.to, taken.state);
            self.add(at, &state);
        }
    }

    fn add(&mut self, at: usize, state: &[Value]) {
        let mut is_new = || self.seen[at].insert(format!("{state:?}"));
        if self.by_location[at].len() < self.limit && is_new() {
            self.by_location[at].push(state.to_vec());
        }
    }

    /// Where no run has come to, a solver finds inputs that lead there, from the entry or from
    /// states that runs have reached; runs go on from there. So conditions that hardly any input
    /// meets, `if (x == y)`, do not hide what is behind them.
    pub(super) fn guide(&mut self, queries: &mut Queries, seed: u64) -> Result<(), Stopped> {
        let mut dice = Random::new(seed);
        let edges: Vec<EdgeId> = queries.graph.edge_ids().collect();
        let mut tried = FxHashSet::default();
        let has_samples = |samples: &Samples, at: Location| !samples.at(at).is_empty();
        while let Some(&edge) = edges.iter().find(|&&edge| {
            let Edge { from, to, .. } = *queries.graph.edge(edge);
            let is_reached = from == Location::ENTRY || has_samples(self, from);
            is_reached && !has_samples(self, to) && !tried.contains(&edge)
        }) {
            tried.insert(edge);
            let Edge { from, to, .. } = *queries.graph.edge(edge);
            for _ in 0..GUIDED {
                let state = match from == Location::ENTRY {
                    true => None,
                    false => {
                        let states = self.at(from);
                        Some(states[dice.below(states.len())].clone())
                    }
                };
                let start = state.as_deref().map_or(Start::Any, Start::State);
                let Some(state) = queries.find_varied(edge, start, &mut dice)? else {
                    break;
                };
                self.add(to.index(), &state);
                let mut runner = Runner::new(&queries.graph, dice.word());
                self.follow(&mut runner, (to.index(), state), 0);
            }
        }
        Ok(())
    }

    /// Where loops are too long for runs to come to their end, what is behind them has no samples.
    /// A solver finds states there that the invariants before allow, of each case some. They may be
    /// out of reach. Gives the locations that have samples now and had none.
    pub(super) fn leap(
        &mut self,
        queries: &mut Queries,
        seed: u64,
    ) -> Result<Vec<Location>, Stopped> {
        let cases = all_cases(&mut queries.graph);
        let mut dice = Random::new(seed);
        let is_empty = |samples: &Samples, at: Location| samples.at(at).is_empty();
        let before: Vec<Location> =
            queries.graph.locations().filter(|&at| is_empty(self, at)).collect();
        for edge in queries.graph.edge_ids() {
            let Edge { from, to, .. } = *queries.graph.edge(edge);
            let is_next =
                from != Location::ENTRY && !before.contains(&from) && before.contains(&to);
            if !is_next {
                continue;
            }
            let symbols: Vec<TermId> = queries.graph.variables(to).collect();
            let is_here = |case: &TermId| speaks_of(&queries.graph, *case, &symbols);
            let cases = cases.iter().copied().filter(is_here);
            let cases: Vec<TermId> = cases.take(GUIDED).collect();
            let both = cases.into_iter().flat_map(|case| {
                [case, queries.graph.terms.simplified(Term::Unary(UnaryOp::Not, case))]
            });
            let wanted: Vec<Option<TermId>> = both.map(Some).chain([None]).collect();
            for number in 0..GUIDED.max(2 * wanted.len()) {
                let wanted = wanted[number % wanted.len()];
                let start = Start::Allowed(wanted);
                let Some(state) = queries.find_varied(edge, start, &mut dice)? else { break };
                self.add(to.index(), &state);
                let mut runner = Runner::new(&queries.graph, dice.word());
                self.follow(&mut runner, (to.index(), state), 0);
            }
        }
        Ok(before.into_iter().filter(|&at| !is_empty(self, at)).collect())
    }

    /// Loops have phases: a comparison of the program that is the same in all samples of a location
    /// changes after thousands of turns. A solver finds steps along which one does, from states
    /// that the invariants allow and that are in the phase of the samples, and runs go on from
    /// there. As in [`Samples::leap`], the states may be out of reach. Gives the locations with new
    /// samples.
    pub(super) fn cross(
        &mut self,
        queries: &mut Queries,
        seed: u64,
    ) -> Result<Vec<Location>, Stopped> {
        self.limit += MORE_SAMPLES;
        let mut dice = Random::new(seed ^ self.limit as u64);
        let locations: Vec<Location> = queries.graph.locations().collect();
        let before: Vec<usize> = locations.iter().map(|&at| self.at(at).len()).collect();
        let phases: Vec<Vec<TermId>> =
            locations.iter().map(|&at| self.phase(&mut queries.graph, at)).collect();
        for edge in queries.graph.edge_ids() {
            let Edge { from, to, .. } = *queries.graph.edge(edge);
            if before[from.index()] == 0 {
                continue;
            }
            for &condition in &phases[to.index()] {
                let terms = &mut queries.graph.terms;
                let changed = terms.simplified(Term::Unary(UnaryOp::Not, condition));
                let start = Start::Phase(&phases[from.index()], changed);
                let Some(state) = queries.find_varied(edge, start, &mut dice)? else { continue };
                self.add(to.index(), &state);
                let mut runner = Runner::new(&queries.graph, dice.word());
                self.follow(&mut runner, (to.index(), state), 0);
            }
        }
        let has_more = |at: &Location| self.at(*at).len() > before[at.index()];
        Ok(locations.into_iter().filter(has_more).collect())
    }

    /// The comparisons of the program that have one value in all samples of a location, as
    /// conditions that hold there.
    fn phase(&self, graph: &mut Graph, at: Location) -> Vec<TermId> {
        let symbols: Vec<TermId> = graph.variables(at).collect();
        let mut all = comparisons(graph);
        all.retain(|&term| speaks_of(graph, term, &symbols));
        all.truncate(MAX_PHASES);
        let mut found = Vec::new();
        for comparison in all {
            match self.uniform(graph, at, comparison) {
                Some(true) => found.push(comparison),
                Some(false) => {
                    found.push(graph.terms.simplified(Term::Unary(UnaryOp::Not, comparison)));
                }
                None => {}
            }
        }
        found
    }

    /// The value of a condition in all samples of a location, if it is the same.
    pub(super) fn uniform(&self, graph: &Graph, at: Location, condition: TermId) -> Option<bool> {
        let symbols: Vec<TermId> = graph.variables(at).collect();
        let mut truths = self.at(at).iter().map(|state| {
            let of: FxHashMap<TermId, &Value> = symbols.iter().copied().zip(state).collect();
            evaluate(&graph.terms, [condition], |symbol| of[&symbol])[&condition].as_bv().is_true()
        });
        let first = truths.next()?;
        truths.all(|truth| truth == first).then_some(first)
    }

    /// The states of a location.
    pub(super) fn at(&self, location: Location) -> &[Vec<Value>] {
        &self.by_location[location.index()]
    }
}

/// States of a cut point that random runs reach, with the number of blocks on the way; for
/// pictures.
pub fn reached_at(lowered: Arc<Lowered>, cut: usize, seed: u64) -> Vec<(usize, Vec<Value>)> {
    let graph = Graph::new(lowered);
    if graph.has_calls() {
        return Vec::new();
    }
    let mut runner = Runner::new(&graph, seed);
    let mut found = Vec::new();
    for run in 0..RUNS {
        let (mut at, mut state) = (Location::ENTRY.index(), runner.start(run));
        for step in 1..=STEPS {
            if runner.spent > MAX_TERMS {
                return found;
            }
            let Some(taken) = runner.step(at, &state, run) else { break };
            (at, state) = (taken.to, taken.state);
            if at == cut {
                found.push((step, state.clone()));
            }
        }
    }
    found
}

/// Where a step that a solver finds begins.
#[derive(Copy, Clone)]
pub(super) enum Start<'a> {
    /// In any state.
    Any,
    /// In this one.
    State(&'a [Value]),
    /// In any state that the invariants allow, with small numbers; the condition is wanted behind
    /// the step.
    Allowed(Option<TermId>),
    /// In any state that the invariants allow, where these conditions hold; the other one holds
    /// behind the step.
    Phase(&'a [TermId], TermId),
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

/// How many low bits of a word a hint is about.
const HINT_BITS: u32 = 3;

/// That a word has no other bits than these.
pub(super) fn is_small(terms: &mut Terms, symbol: TermId) -> Option<TermId> {
    let width = terms.sort(symbol).width().filter(|&width| width > HINT_BITS)?;
    let high = Term::Slice { arg: symbol, high: width - 1, low: HINT_BITS };
    let (high, zero) = (terms.simplified(high), terms.constant(Bv::zero(width - HINT_BITS)));
    Some(terms.simplified(Term::Binary(BinaryOp::Eq, high, zero)))
}

/// A value for a number: of words the low bits, so that the rest can be something else.
pub(super) fn hint(terms: &mut Terms, symbol: TermId, dice: &mut Random) -> Option<TermId> {
    let number = dice.below(1 << HINT_BITS) as u64;
    let (term, value) = match terms.sort(symbol) {
        Sort::Int => (symbol, terms.integer(number)),
        Sort::Bv(width) if width > HINT_BITS => {
            let low = Term::Slice { arg: symbol, high: HINT_BITS - 1, low: 0 };
            (terms.simplified(low), terms.constant(Bv::from_u64(HINT_BITS, number)))
        }
        _ => return None,
    };
    Some(terms.simplified(Term::Binary(BinaryOp::Eq, term, value)))
}

/// Runs the blocks of a program, with inputs by chance.
pub(super) struct Runner<'a> {
    graph: &'a Graph,
    dice: Random,
    constants: Vec<BigInt>,
    /// For each location the terms that its edges need, in order; no symbols and constants.
    needed: Vec<Vec<TermId>>,
    /// The values of terms: those of constants for good, others as far as a step needed them.
    values: Vec<Value>,
    /// How many terms were evaluated.
    pub(super) spent: usize,
}

/// Values that inputs keep.
pub(super) type Steady = FxHashMap<TermId, Value>;

/// A step of a run: where it leads, the state there, and the inputs that it took.
pub(super) struct Taken {
    pub(super) to: usize,
    pub(super) state: Vec<Value>,
    pub(super) inputs: Vec<Value>,
}

impl<'a> Runner<'a> {
    pub(super) fn new(graph: &'a Graph, seed: u64) -> Runner<'a> {
        let zero = Value::Bv(Bv::zero(1));
        let mut values = vec![zero; graph.terms.len()];
        let mut needed = Vec::new();
        for cut in &graph.blocks().cuts {
            let roots = cut.blocks.iter().flat_map(|block| {
                let defined = block.defined.iter().map(|(_, term)| term);
                block.values.iter().chain([&block.guard]).chain(defined)
            });
            let (mut stack, mut seen) = (roots.copied().collect::<Vec<_>>(), FxHashSet::default());
            while let Some(term) = stack.pop() {
                if seen.insert(term) {
                    stack.extend(graph.terms.get(term).args());
                }
            }
            let mut here: Vec<TermId> = Vec::with_capacity(seen.len());
            for term in seen {
                match graph.terms.get(term) {
                    Term::Symbol(_) => {}
                    Term::Const(value) => values[term.index()] = Value::Bv(value.clone()),
                    Term::IntConst(value) => {
                        values[term.index()] = Value::Int(BigInt::clone(value));
                    }
                    _ => here.push(term),
                }
            }
            here.sort_unstable();
            needed.push(here);
        }
        let (dice, constants) = (Random::new(seed), constants(graph));
        Runner { graph, dice, constants, needed, values, spent: 0 }
    }

    /// A value for an input; `spread` says how far from zero it may be. Heuristic: small numbers
    /// are more often of use, since sums wrap around otherwise.
    pub(super) fn value(&mut self, sort: Sort, spread: usize) -> Value {
        let small = BigInt::from(self.dice.below(8 + 2 * spread) as i64);
        let number = match self.dice.below(if spread < RUNS / 2 { 4 } else { 8 }) {
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
            Sort::Bv(width) => Value::Bv(Bv::from_bigint(width, &number)),
            Sort::Int => Value::Int(number),
            Sort::Array { index, element } => {
                let element = self.value(element.into(), spread);
                Value::everywhere(index, &element)
            }
        }
    }

    /// A state at the entry.
    pub(super) fn start(&mut self, spread: usize) -> Vec<Value> {
        let symbols: Vec<TermId> = self.graph.variables(Location::ENTRY).collect();
        let sorts = symbols.into_iter().map(|symbol| self.graph.terms.sort(symbol));
        sorts.collect::<Vec<_>>().into_iter().map(|sort| self.value(sort, spread)).collect()
    }

    /// One step with random inputs; none if no edge can be taken with the ones that were tried.
    pub(super) fn step(&mut self, at: usize, state: &[Value], spread: usize) -> Option<Taken> {
        (0..4).find_map(|_| self.try_step(at, state, spread, None))
    }

    /// One step in which inputs keep the values that they had before.
    pub(super) fn steady_step(
        &mut self,
        at: usize,
        state: &[Value],
        spread: usize,
        steady: &mut Steady,
    ) -> Option<Taken> {
        self.try_step(at, state, spread, Some(steady))
    }

    fn try_step(
        &mut self,
        at: usize,
        state: &[Value],
        spread: usize,
        mut steady: Option<&mut Steady>,
    ) -> Option<Taken> {
        let graph = self.graph;
        let cut = &graph.blocks().cuts[at];
        for (symbol, value) in graph.variables(Location::new(at)).zip(state) {
            self.values[symbol.index()] = value.clone();
        }
        let mut inputs = Vec::with_capacity(cut.inputs.len());
        for &input in &cut.inputs {
            let known = steady.as_ref().and_then(|steady| steady.get(&input)).cloned();
            let value = match known {
                Some(value) => value,
                None => self.value(graph.terms.sort(input), spread),
            };
            if let Some(steady) = &mut steady {
                steady.entry(input).or_insert_with(|| value.clone());
            }
            self.values[input.index()] = value.clone();
            inputs.push(value);
        }
        self.spent += self.needed[at].len() + 1;
        for &term in &self.needed[at] {
            let value = ops::apply(graph.terms.get(term), |arg| &self.values[arg.index()]);
            self.values[term.index()] = value.expect("no symbol");
        }
        let of = |term: &TermId| &self.values[term.index()];
        let block = cut.blocks.iter().find(|block| of(&block.guard).as_bv().is_true())?;
        let state = block.values.iter().map(|value| of(value).clone()).collect();
        for (defined, term) in &block.defined {
            if let Ok(at) = cut.inputs.binary_search(defined) {
                inputs[at] = of(term).clone();
            }
        }
        Some(Taken { to: block.to, state, inputs })
    }
}
