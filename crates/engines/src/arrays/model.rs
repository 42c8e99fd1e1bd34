//! A model of the formula that knows little of arrays, and what is wrong with it: reads that give
//! what no cell holds. If nothing is, it is a path of the system.

use super::exact::Exact;
use super::steps::Read;
use pedra_model::bv::Bv;
use pedra_model::eval::ops;
use pedra_model::eval::words::WordSimulator;
use pedra_model::system::System;
use pedra_model::term::{BinaryOp, Term, TermId};
use pedra_model::trace::WordTrace;
use pedra_model::value::{ArrayValue, TernaryBv, TernaryValue, Value};
use pedra_solve::Interrupt;
use rustc_hash::{FxHashMap, FxHashSet};

/// Something that holds in the system and not in the model: under these conditions this.
pub(super) struct Clash {
    pub(super) conditions: Vec<TermId>,
    pub(super) conclusion: TermId,
    /// The reads that it is about, each with the array that it reads in its own step. Those that
    /// meet a value in their own step are left out.
    pub(super) reads: Vec<(TermId, TermId)>,
}

/// A cell that is given from outside: an array, a step, an address.
type Place = (TermId, usize, Bv);

/// What a cell holds, and the read that said so.
struct Cell {
    value: Value,
    read: TermId,
    way: Way,
}

/// The way of a read back to where its value comes from.
#[derive(Clone, Default)]
struct Way {
    /// What is true of the way, as terms of the steps.
    conditions: Vec<TermId>,
    /// The array that it meets in its own step.
    array: Option<TermId>,
}

/// Where a way ends.
enum End {
    /// At a value, a term of the steps.
    Value(TermId),
    /// At a cell that is given from outside.
    Cell(Place),
}

/// A read of which the value is not known yet.
struct Missing(TermId);

/// The model.
pub(super) struct Model<'e> {
    exact: &'e mut Exact,
    /// Of terms of the steps.
    values: FxHashMap<TermId, Value>,
    cells: FxHashMap<Place, Cell>,
    settled: FxHashSet<TermId>,
    clashes: Vec<Clash>,
}

impl<'e> Model<'e> {
    pub(super) fn new(exact: &'e mut Exact) -> Model<'e> {
        Model {
            exact,
            values: FxHashMap::default(),
            cells: FxHashMap::default(),
            settled: FxHashSet::default(),
            clashes: Vec::new(),
        }
    }

    /// What is wrong with the model; if nothing is, the path. `None` if it was interrupted.
    pub(super) fn find_clashes(
        mut self,
        property: usize,
        depth: usize,
        interrupt: &Interrupt,
    ) -> Option<Result<Vec<Clash>, WordTrace>> {
        let symbols = self.exact.symbols.iter().copied();
        let reads: Vec<TermId> =
            symbols.filter(|symbol| self.exact.steps.reads.contains_key(symbol)).collect();
        // One look for all: they are counted as work, and a read is little of it.
        if interrupt.poll() {
            return None;
        }
        for read in reads {
            if interrupt.is_raised() {
                return None;
            }
            self.settle(read);
        }
        if !self.clashes.is_empty() {
            return Some(Ok(self.clashes));
        }
        let trace = self.trace(property, depth);
        if !self.exact.steps.of.differences.is_empty() {
            self.compare(&trace);
        }
        Some(if self.clashes.is_empty() { Err(trace) } else { Ok(self.clashes) })
    }

    /// Follows a read back, after those that its way depends on.
    fn settle(&mut self, read: TermId) {
        let mut stack = vec![read];
        while let Some(&read) = stack.last() {
            match self.follow(read) {
                Ok(()) => {
                    stack.pop();
                }
                Err(Missing(other)) => stack.push(other),
            }
        }
    }

    fn follow(&mut self, symbol: TermId) -> Result<(), Missing> {
        if self.settled.contains(&symbol) {
            return Ok(());
        }
        let read = self.exact.steps.reads[&symbol];
        let is_known = self.exact.knows(symbol);
        let (way, end) = self.way(read)?;
        match end {
            End::Value(term) => {
                let value = self.value(term)?;
                if !is_known {
                    self.values.insert(symbol, value);
                } else if self.value(symbol)? != value {
                    let conclusion = self.exact.equal(symbol, term);
                    let reads = way.array.map(|array| (symbol, array)).into_iter().collect();
                    self.clashes.push(Clash { conditions: way.conditions, conclusion, reads });
                }
            }
            End::Cell(place) => self.meet_cell(symbol, read, is_known, place, way)?,
        }
        self.settled.insert(symbol);
        Ok(())
    }

    fn meet_cell(
        &mut self,
        symbol: TermId,
        read: Read,
        is_known: bool,
        place: Place,
        way: Way,
    ) -> Result<(), Missing> {
        if !is_known {
            let zero = Value::zero(self.exact.steps.terms.sort(symbol));
            let value = self.cells.get(&place).map_or(zero, |cell| cell.value.clone());
            self.values.insert(symbol, value);
        }
        let value = self.value(symbol)?;
        let Some(cell) = self.cells.get(&place) else {
            self.cells.insert(place, Cell { value, read: symbol, way });
            return Ok(());
        };
        if cell.value != value {
            let (other, other_way) = (cell.read, cell.way.clone());
            let same = self.exact.equal(read.at, self.exact.steps.reads[&other].at);
            let mut conditions = way.conditions;
            conditions.extend(other_way.conditions);
            conditions.push(same);
            let conclusion = self.exact.equal(symbol, other);
            let arrays = [(symbol, way.array), (other, other_way.array)];
            let reads = arrays.into_iter().filter_map(|(read, array)| Some((read, array?)));
            self.clashes.push(Clash { conditions, conclusion, reads: reads.collect() });
        }
        Ok(())
    }

    /// The way of a read in this model.
    fn way(&mut self, read: Read) -> Result<(Way, End), Missing> {
        let at = self.value(read.at)?;
        let (mut array, mut step) = (read.array, read.step);
        let mut way = Way::default();
        loop {
            match *self.exact.steps.of.system.terms.get(array) {
                Term::Symbol(_) => {
                    way.array.get_or_insert(array);
                    match self.exact.steps.source(array, step) {
                        Some(source) => (array, step) = source,
                        None => return Ok((way, End::Cell((array, step, at.as_bv().clone())))),
                    }
                }
                Term::ConstArray { value, .. } => {
                    return Ok((way, End::Value(self.exact.steps.image(step, value))));
                }
                Term::Write(inner, place, value) => {
                    let place = self.exact.steps.image(step, place);
                    let same = self.exact.equal(read.at, place);
                    if self.value(place)? == at {
                        way.conditions.push(same);
                        return Ok((way, End::Value(self.exact.steps.image(step, value))));
                    }
                    way.conditions.push(self.exact.steps.terms.not(same));
                    array = inner;
                }
                Term::Ite(condition, then, otherwise) => {
                    let condition = self.exact.steps.image(step, condition);
                    if self.value(condition)?.as_bv().is_true() {
                        way.conditions.push(condition);
                        array = then;
                    } else {
                        way.conditions.push(self.exact.steps.terms.not(condition));
                        array = otherwise;
                    }
                }
                _ => unreachable!("no other term is an array"),
            }
        }
    }

    /// The value of a term of the steps. What the solver does not know is 0, but for reads.
    fn value(&mut self, term: TermId) -> Result<Value, Missing> {
        let mut stack = vec![term];
        while let Some(&id) = stack.last() {
            if self.values.contains_key(&id) {
                stack.pop();
                continue;
            }
            let terms = &self.exact.steps.terms;
            let before = stack.len();
            stack.extend(terms.get(id).args().filter(|arg| !self.values.contains_key(arg)));
            if stack.len() > before {
                continue;
            }
            let value = match ops::apply(terms.get(id), |arg| &self.values[&arg]) {
                Some(value) => value,
                None if self.exact.knows(id) => self.exact.symbol_value(id),
                None if self.exact.steps.reads.contains_key(&id) => return Err(Missing(id)),
                None => Value::zero(terms.sort(id)),
            };
            self.values.insert(id, value);
        }
        Ok(self.values[&term].clone())
    }

    /// The path that the model describes.
    fn trace(&mut self, property: usize, depth: usize) -> WordTrace {
        let mut trace = WordTrace { property, states: vec![], inputs: vec![], loop_start: None };
        let mut arrays: FxHashMap<(TermId, usize), Vec<(Bv, Bv)>> = FxHashMap::default();
        for ((array, step, at), cell) in &self.cells {
            let cell = (at.clone(), cell.value.as_bv().clone());
            arrays.entry((*array, *step)).or_default().push(cell);
        }
        let System { states, inputs, .. } = &self.exact.steps.of.system;
        let states: Vec<TermId> = states.iter().map(|s| s.term).collect();
        let inputs: Vec<TermId> = inputs.iter().map(|i| i.term).collect();
        for step in 0..=depth {
            let given =
                |model: &mut Model<'_>, symbol: TermId| match model.exact.steps.of.is_large(symbol)
                {
                    true => model.array(symbol, arrays.get(&(symbol, step))),
                    false => model.word(symbol, step),
                };
            trace.inputs.push(inputs.iter().map(|&input| given(self, input)).collect());
            let state_at = |model: &mut Model<'_>, state: TermId| {
                let is_given = model.exact.steps.source(state, step).is_none();
                is_given.then(|| given(model, state))
            };
            trace.states.push(states.iter().map(|&state| state_at(self, state)).collect());
        }
        trace
    }

    /// A large array that is given from outside: nothing is known of cells that are not read.
    fn array(&self, symbol: TermId, cells: Option<&Vec<(Bv, Bv)>>) -> TernaryValue {
        let sort = self.exact.steps.of.system.terms.sort(symbol);
        let mut value = TernaryValue::unknown(sort);
        if let TernaryValue::Array(array) = &mut value {
            for (at, element) in cells.into_iter().flatten() {
                array.set(at.clone(), element.clone().into());
            }
        }
        value
    }

    /// A word, or a small array, that is given from outside.
    fn word(&mut self, symbol: TermId, step: usize) -> TernaryValue {
        let value = self.exact.steps.given(step, symbol).map(|image| self.value(image));
        match value {
            Some(Ok(value)) => value.into(),
            _ => TernaryValue::unknown(self.exact.steps.of.system.terms.sort(symbol)),
        }
    }

    /// Looks for comparisons of arrays that are true in the model, although the arrays differ on
    /// the path.
    fn compare(&mut self, trace: &WordTrace) {
        let compared = self.exact.steps.comparisons.clone();
        for (comparison, step, at) in differing(&self.exact.steps.of.system, trace, &compared) {
            let Term::Binary(op, a, b) = *self.exact.steps.of.system.terms.get(comparison) else {
                unreachable!("a comparison")
            };
            let image = self.exact.steps.image(step, comparison);
            let Some(value) = self.settled_value(image) else { continue };
            if value.as_bv().is_true() != (op == BinaryOp::Eq) {
                continue;
            }
            let equal = match op {
                BinaryOp::Eq => image,
                _ => self.exact.steps.terms.not(image),
            };
            let elements = [a, b].map(|x| self.exact.steps.read_constant(x, step, at.clone()));
            let mut reads = Vec::new();
            for (array, read) in [a, b].into_iter().zip(elements) {
                let symbols = self.exact.steps.of.array_symbols(array);
                reads.extend(symbols.into_iter().map(|symbol| (read, symbol)));
            }
            let conclusion = self.exact.equal(elements[0], elements[1]);
            self.clashes.push(Clash { conditions: vec![equal], conclusion, reads });
        }
    }

    /// The value of a term of the steps, after the reads that it needs.
    fn settled_value(&mut self, term: TermId) -> Option<Value> {
        loop {
            match self.value(term) {
                Ok(value) => return Some(value),
                Err(Missing(read)) => self.settle(read),
            }
            if !self.clashes.is_empty() {
                return None;
            }
        }
    }
}

/// Of these comparisons of arrays, with their steps, those whose arrays differ on the path; and
/// where.
fn differing(
    system: &System,
    trace: &WordTrace,
    compared: &[(TermId, usize)],
) -> Vec<(TermId, usize, Bv)> {
    let Ok(mut simulator) = WordSimulator::new(system) else { return Vec::new() };
    let filled = |value: &TernaryValue| TernaryValue::from(value.zero_filled());
    let mut found = Vec::new();
    for (step, (states, inputs)) in trace.states.iter().zip(&trace.inputs).enumerate() {
        let states: Vec<_> = states.iter().map(|v| v.as_ref().map(filled)).collect();
        let inputs: Vec<_> = inputs.iter().map(filled).collect();
        let entered = match step {
            0 => simulator.start(&states, &inputs),
            _ => simulator.step(&states, &inputs),
        };
        debug_assert!(entered.is_ok(), "what follows is not given");
        for &(comparison, _) in compared.iter().filter(|(_, at)| *at == step) {
            let mut args = system.terms.get(comparison).args().map(|arg| simulator.value(arg));
            if let (Some(TernaryValue::Array(a)), Some(TernaryValue::Array(b))) =
                (args.next(), args.next())
            {
                found.extend(difference(a, b).map(|at| (comparison, step, at)));
            }
        }
    }
    found
}

/// The first index at which two arrays differ.
fn difference(a: &ArrayValue<TernaryBv>, b: &ArrayValue<TernaryBv>) -> Option<Bv> {
    let listed = a.listed(b);
    let unlisted = (!a.is_every_index(listed.len())).then(|| {
        let numbered = listed.iter().zip(0u64..);
        let gap = numbered.take_while(|(at, number)| at.to_u64() == Some(*number)).count();
        Bv::from_u64(a.index_width(), gap as u64)
    });
    let mut all = listed.into_iter().cloned().chain(unlisted);
    all.find(|at| a.get(at) != b.get(at))
}
