//! Arrays as their elements: an array of which only a few elements are ever used becomes one scalar
//! variable for each of them, so that live variables, constants and engines see the elements.
//!
//! Arrays that are assigned to or compared with each other form a group. A group is split if
//!
//! - all indices with which it is read or written are constants: only the elements that are read
//!   are kept; or
//! - its index has few values: all elements are kept, a read is a tree of `ite`s over the bits of
//!   the index, a write a guarded update of each element.
//!
//! Both are exact. Only what matters is looked at ([`super::live`]); the rest is left out of the
//! result, checks of undefined behaviour included.
//!
//! Places, edges and variables keep their numbers, and the elements follow as further variables; no
//! step of the result speaks of an array that was split. An invariant goes back by a read of the
//! array for each element ([`Elements::proof`]), a run by arrays with these elements
//! ([`Elements::trace`]): in the initial values, and in the inputs of steps, where the elements of
//! an array stand in its place.

mod groups;
mod terms;

use super::live::{Live, find_live};
use super::step_of;
use crate::graph::{Action, EdgeId, Input, InputKind, Program, Step, Variable, VariableId};
use crate::interpreter::initial_variables;
use groups::Groups;
use pedra_model::program::{ProgramProof, ProgramTrace, TraceStep};
use pedra_model::simplify::Rewriter;
use pedra_model::term::{Term, TermId};
use pedra_model::value::Value;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use terms::Images;

/// A program whose small arrays are scalars.
#[derive(Clone, Debug)]
pub struct Elements {
    /// The program.
    pub program: Program,
    /// For each array that was split, variable or input, its elements.
    arrays: BTreeMap<TermId, Vec<Element>>,
}

/// An element of an array.
#[derive(Clone, Debug)]
struct Element {
    /// Its index, a constant.
    at: TermId,
    /// The symbol that stands for it.
    term: TermId,
}

/// Splits the arrays of a program without calls; none if there is nothing to split.
pub fn split_arrays(program: &Program) -> Option<Elements> {
    let is_array = |variable: &Variable| program.terms.sort(variable.term).is_array();
    if !program.variables.iter().any(is_array) {
        return None;
    }
    let (mut program, live) = (program.clone(), find_live(program));
    let groups = Groups::find(&mut program, &live)?;
    let mut splitter = Splitter {
        program,
        live,
        groups,
        arrays: BTreeMap::new(),
        first: FxHashMap::default(),
        images: Images::default(),
    };
    splitter.split();
    let Splitter { program, arrays, .. } = splitter;
    debug_assert_eq!(program.check(), Ok(()));
    Some(Elements { program, arrays })
}

impl Elements {
    /// How many variables that are arrays became scalars.
    pub fn count(&self) -> usize {
        let symbols = self.program.variables.iter().map(|variable| variable.term);
        symbols.filter(|symbol| self.arrays.contains_key(symbol)).count()
    }

    /// The proof about the original that a proof about the result stands for.
    pub fn proof(&self, mut proof: ProgramProof) -> ProgramProof {
        let mut rewriter = Rewriter::new();
        for (&array, elements) in &self.arrays {
            for element in elements {
                let read = proof.terms.read(array, element.at);
                rewriter.replace(element.term, read);
            }
        }
        for conjunct in proof.invariants.values_mut().flatten() {
            *conjunct = rewriter.rewrite(&mut proof.terms, *conjunct);
        }
        proof
    }

    /// The run of the original that a run of the result stands for. `original` is the program that
    /// was split, or one of which passes that keep numbers made it.
    pub fn trace(&self, original: &Program, trace: &ProgramTrace) -> ProgramTrace {
        let symbols = initial_variables(&self.program).map(|v| self.program.term_of(v));
        let given: FxHashMap<TermId, &Value> = symbols.zip(&trace.initial).collect();
        let value = |v: VariableId| {
            let symbol = original.term_of(v);
            match self.arrays.get(&symbol) {
                Some(elements) => self.whole(symbol, elements, |e| given[&e.term]),
                None => given[&symbol].clone(),
            }
        };
        let initial = initial_variables(original).map(value).collect();
        let steps = trace.steps.iter().map(|step| self.step(original, step)).collect();
        ProgramTrace { property: trace.property, initial, steps }
    }

    fn step(&self, original: &Program, step: &TraceStep) -> TraceStep {
        let inputs = |program: &Program| {
            let inputs = step_of(program.edge(step.edge)).inputs.iter();
            inputs.map(|input| input.term).collect::<Vec<TermId>>()
        };
        let given: FxHashMap<TermId, &Value> =
            inputs(&self.program).into_iter().zip(&step.values).collect();
        let value = |symbol: TermId| match self.arrays.get(&symbol) {
            Some(elements) => self.whole(symbol, elements, |e| given[&e.term]),
            None => given[&symbol].clone(),
        };
        let values = inputs(original).into_iter().map(value).collect();
        TraceStep { edge: step.edge, values }
    }

    /// An array with these elements, and zero elsewhere.
    fn whole<'v>(
        &self,
        array: TermId,
        elements: &[Element],
        value: impl Fn(&Element) -> &'v Value,
    ) -> Value {
        let terms = &self.program.terms;
        let at = |element: &Element| match terms.get(element.at) {
            Term::Const(at) => Value::Bv(at.clone()),
            Term::IntConst(at) => Value::Int((**at).clone()),
            _ => unreachable!("indices of elements are constants"),
        };
        let start = Value::zero(terms.sort(array));
        elements.iter().fold(start, |array, element| array.write(&at(element), value(element)))
    }
}

struct Splitter {
    program: Program,
    live: Live,
    groups: Groups,
    arrays: BTreeMap<TermId, Vec<Element>>,
    /// For each array variable that is split the first of its elements' variables; the others
    /// follow.
    first: FxHashMap<VariableId, VariableId>,
    images: Images,
}

impl Splitter {
    fn split(&mut self) {
        for index in 0..self.program.variables.len() {
            self.split_variable(VariableId::new(index));
        }
        let entry = self.program.entry.index();
        for index in 0..self.program.procedures[entry].edges.len() {
            let edge = &self.program.procedures[entry].edges[index];
            let (from, to, step) = (edge.from, edge.to, step_of(edge).clone());
            let matters = self.live.outgoing[from.index()].contains(&EdgeId::new(index));
            let inputs = self.split_inputs(&step.inputs);
            let step = match matters {
                true => {
                    let live = self.live.variables[to.index()].clone();
                    self.split_step(&step, inputs, &live)
                }
                false => {
                    // Where edges lead stays the same, so that it stays known what no run reaches.
                    let is_closed = |guard: &TermId| self.program.terms.is_bool(*guard, false);
                    let guard = step.guard.filter(is_closed);
                    Step { inputs, guard, ..Step::default() }
                }
            };
            self.program.procedures[entry].edges[index].action = Action::Step(step);
        }
    }

    fn split_variable(&mut self, variable: VariableId) {
        let Variable { term, name, source_type, is_signed, span } =
            self.program.variable(variable).clone();
        let Some(kept) = self.groups.kept(term).cloned() else { return };
        let sort = self.program.terms.sort(term).element().expect("an array");
        let mut elements = Vec::new();
        for at in kept {
            let name = name.as_ref().map(|name| match self.program.terms.get(at) {
                Term::Const(at) => format!("{name}[{}]", at.to_bigint()),
                Term::IntConst(at) => format!("{name}[{at}]"),
                _ => unreachable!("indices of elements are constants"),
            });
            let program = &mut self.program;
            let id = program.add_variable(sort, name.as_deref(), &source_type, is_signed, span);
            elements.push(Element { at, term: program.term_of(id) });
            self.first.entry(variable).or_insert(id);
            program.procedures[program.entry.index()].variables.push(id);
        }
        self.images.insert(term, elements.iter().map(|e| e.term).collect());
        self.arrays.insert(term, elements);
    }

    fn split_inputs(&mut self, inputs: &[Input]) -> Vec<Input> {
        let mut split = Vec::new();
        for input in inputs {
            let Some(kept) = self.groups.kept(input.term).cloned() else {
                split.push(input.clone());
                continue;
            };
            let sort = self.program.terms.sort(input.term).element().expect("an array");
            let mut new = |at| Element { at, term: self.program.terms.new_symbol(sort) };
            let elements: Vec<Element> = kept.into_iter().map(&mut new).collect();
            let kind = InputKind::Choice;
            split.extend(elements.iter().map(|e| Input { term: e.term, kind: kind.clone() }));
            self.images.insert(input.term, elements.iter().map(|e| e.term).collect());
            self.arrays.insert(input.term, elements);
        }
        split
    }

    /// The step on elements; only live variables are updated.
    fn split_step(&mut self, step: &Step, inputs: Vec<Input>, live: &[VariableId]) -> Step {
        let Splitter { program, groups, images, .. } = self;
        let terms = &mut program.terms;
        let guard = step.guard.map(|guard| images.rewrite(terms, groups, guard));
        let mut updates = Vec::new();
        for &(variable, value) in &step.updates {
            if live.binary_search(&variable).is_err() {
                continue;
            }
            match self.first.get(&variable) {
                None => updates.push((variable, images.rewrite(terms, groups, value))),
                Some(first) => {
                    let count = self.arrays[&program.variables[variable.index()].term].len();
                    let values = images.elements(terms, groups, value, count);
                    let ids = (first.index()..).map(VariableId::new);
                    updates.extend(ids.zip(values));
                }
            }
        }
        Step { inputs, guard, updates, ..Step::default() }
    }
}
