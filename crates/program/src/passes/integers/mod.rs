//! A program over words read as one over integers, in which nothing wraps around.
//!
//! Many loops have invariants that are short over the integers and hold of words as well, while a
//! search among words drowns in cases in which sums wrap around. So engines may look for
//! invariants in this image, and keep what also holds of the program (`engines::program::side`).
//!
//! Nothing rests on the image: it has other runs than the program, more where an operator has no
//! counterpart (its result is arbitrary then) and others where a sum would wrap around. Reading an
//! *invariant* back, on the other hand, is exact ([`IntegerImage::word`]): words are extended until
//! no sum of the invariant wraps around.

mod back;
mod forth;

use super::{body, step_of, variables_by_symbol};
use crate::graph::{
    Action, Edge, Input, PlaceRef, Program, Property, PropertyKind, Span, Step, VariableId,
};
use forth::Forth;
use num_bigint::BigInt;
use pedra_model::bv::Bv;
use pedra_model::term::{BinaryOp, Sort, Term, TermId, Terms};
use rustc_hash::FxHashMap;

/// How a word is read as a number.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum Reading {
    /// In two's complement.
    Signed,
    /// Without sign.
    Unsigned,
}

impl Reading {
    /// By its sign.
    pub fn new(is_signed: bool) -> Reading {
        if is_signed { Reading::Signed } else { Reading::Unsigned }
    }
}

/// The image of a program.
#[derive(Clone, Debug)]
pub struct IntegerImage {
    /// Over integers and single bits.
    pub program: Program,
    /// For each variable how its word is read; nothing is read in single bits.
    readings: Vec<Reading>,
    /// The variable of each symbol of the image.
    variables: FxHashMap<TermId, VariableId>,
}

impl IntegerImage {
    /// The property that nothing wraps around: the last one. With it, a proof about the image is
    /// one about the program, as far as operators have a counterpart.
    pub fn exactness(&self) -> usize {
        self.program.properties.len() - 1
    }

    /// The number that a word of a variable is read as.
    pub fn number(&self, variable: VariableId, word: &Bv) -> BigInt {
        forth::number(word, self.readings[variable.index()])
    }
}

/// The image of a program without calls. Places, edges and variables keep their numbers; an error
/// place is added, which is reached where a value leaves the range of its variable. `None` if the
/// program has arrays, summaries of procedures, or integers already.
pub fn integer_image(program: &Program) -> Option<IntegerImage> {
    let is_word = |term: TermId| matches!(program.terms.sort(term), Sort::Bv(_));
    let inputs = body(program).edges.iter().flat_map(|edge| &step_of(edge).inputs);
    let mut symbols = program.variables.iter().map(|v| v.term).chain(inputs.map(|i| i.term));
    // Of summaries of procedures only the originals speak.
    if !symbols.all(is_word) || !program.summaries.is_empty() {
        return None;
    }
    let readings = readings(program);
    let variables = program.variables.iter().map(|variable| variable.term);
    let by_symbol: FxHashMap<TermId, Reading> = variables.zip(readings.iter().copied()).collect();
    let mut image = Program { terms: Terms::new(), ..program.clone() };
    let mut symbols: FxHashMap<TermId, TermId> = FxHashMap::default();
    for (index, variable) in program.variables.iter().enumerate() {
        let term = new_symbol(&program.terms, &mut image.terms, variable.term);
        image.variables[index].term = term;
        symbols.insert(variable.term, term);
    }
    let wraps = image.procedures[program.entry.index()].add_place(Span::default());
    for (at, edge) in body(program).edges.iter().enumerate() {
        let maker =
            Maker { program, step: step_of(edge), readings: &readings, by_symbol: &by_symbol };
        let step = maker.step(&mut image.terms, &symbols);
        let wrapping = maker.wrapping(&mut image.terms, &symbols);
        let edges = &mut image.procedures[program.entry.index()].edges;
        edges[at].action = Action::Step(step);
        if let Some(step) = wrapping {
            edges.push(Edge { to: wraps, action: Action::Step(step), ..edge.clone() });
        }
    }
    image.properties.push(Property {
        error: PlaceRef { procedure: program.entry, place: wraps },
        kind: PropertyKind::Assertion,
        text: "nothing wraps around".into(),
        span: Span::default(),
        calls: None,
    });
    debug_assert_eq!(image.check(), Ok(()));
    let variables = variables_by_symbol(&image);
    Some(IntegerImage { program: image, readings, variables })
}

/// The symbol for a symbol.
fn new_symbol(from: &Terms, to: &mut Terms, term: TermId) -> TermId {
    to.new_symbol(if from.sort(term) == Sort::BOOL { Sort::BOOL } else { Sort::Int })
}

/// Makes the images of one edge.
struct Maker<'a> {
    program: &'a Program,
    step: &'a Step,
    readings: &'a [Reading],
    by_symbol: &'a FxHashMap<TermId, Reading>,
}

impl Maker<'_> {
    /// The step itself.
    fn step(&self, to: &mut Terms, symbols: &FxHashMap<TermId, TermId>) -> Step {
        let (mut forth, mut inputs) = self.begin(to, symbols);
        let guard = self.guard(&mut forth);
        let updates = self.step.updates.iter();
        let updates = updates.map(|&(v, value)| (v, forth.value(value, self.readings[v.index()])));
        let updates = updates.collect();
        let (more, ranges) = forth.arbitrary();
        inputs.extend(more);
        let guard = to.and(guard, ranges);
        Step { inputs, guard: Some(guard), updates, ..Step::default() }
    }

    /// A step that is taken where a value leaves the range of its variable; `None` if no value can.
    fn wrapping(&self, to: &mut Terms, symbols: &FxHashMap<TermId, TermId>) -> Option<Step> {
        let terms = &self.program.terms;
        let is_computed = |term: TermId| {
            !matches!(terms.get(term), Term::Const(_) | Term::Symbol(_)) && terms.width(term) > 1
        };
        let mut computed = self.step.updates.iter().filter(|(_, v)| is_computed(*v)).peekable();
        computed.peek()?;
        let (mut forth, mut inputs) = self.begin(to, symbols);
        let mut stays = forth.always();
        for &(variable, value) in computed {
            let range = forth.range(value, self.readings[variable.index()]);
            stays = forth.and(stays, range.expect("wider than a bit"));
        }
        let guard = self.guard(&mut forth);
        let (more, ranges) = forth.arbitrary();
        inputs.extend(more);
        let leaves = to.not(stays);
        let guard = to.and(guard, ranges);
        let guard = to.and(guard, leaves);
        Some(Step { inputs, guard: Some(guard), ..Step::default() })
    }

    /// New symbols for the inputs, since no two edges share any.
    fn begin<'t>(
        &'t self,
        to: &'t mut Terms,
        symbols: &FxHashMap<TermId, TermId>,
    ) -> (Forth<'t>, Vec<Input>) {
        let mut symbols = symbols.clone();
        let mut inputs = Vec::with_capacity(self.step.inputs.len());
        for input in &self.step.inputs {
            let term = new_symbol(&self.program.terms, to, input.term);
            symbols.insert(input.term, term);
            inputs.push(Input { term, kind: input.kind.clone() });
        }
        (Forth::new(&self.program.terms, to, symbols, self.by_symbol), inputs)
    }

    /// The guard, and the range of each input.
    fn guard(&self, forth: &mut Forth) -> TermId {
        let mut guard = match self.step.guard {
            Some(guard) => forth.condition(guard),
            None => forth.always(),
        };
        for input in &self.step.inputs {
            if let Some(range) = forth.range(input.term, self.reading_of_input(input.term)) {
                guard = forth.and(guard, range);
            }
        }
        guard
    }

    /// An input is read as the first variable that it is assigned to.
    fn reading_of_input(&self, input: TermId) -> Reading {
        let mentions = |term| super::symbols_of(&self.program.terms, [term]).contains(&input);
        let assigned = self.step.updates.iter().find(|(_, value)| mentions(*value));
        assigned.map_or(Reading::Signed, |(variable, _)| self.readings[variable.index()])
    }
}

/// How variables are read: as their declaration says; without a sign there, as most comparisons do.
fn readings(program: &Program) -> Vec<Reading> {
    use BinaryOp::*;
    let mut votes: FxHashMap<TermId, i64> = FxHashMap::default();
    for (_, term) in program.terms.iter() {
        let (a, b, vote) = match *term {
            Term::Binary(Slt | Slte | Sgt | Sgte, a, b) => (a, b, 1),
            Term::Binary(Ult | Ulte | Ugt | Ugte, a, b) => (a, b, -1),
            _ => continue,
        };
        for side in [a, b] {
            *votes.entry(side).or_default() += vote;
        }
    }
    let reading = |variable: &crate::graph::Variable| {
        let compared = votes.get(&variable.term).copied().unwrap_or(0);
        Reading::new(variable.is_signed || compared > 0)
    };
    program.variables.iter().map(reading).collect()
}
