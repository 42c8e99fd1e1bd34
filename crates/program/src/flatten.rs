//! Programs as word-level transition systems, on which all hardware engines work.
//!
//! One state is the program counter: which cut point the run is at, or that it has ended. Each
//! variable that is live at some cut point is a state; where it is not live it is zero. One step of
//! the system is one block. A run that cannot go on ends: the counter takes a value of its own and
//! stays there, with all variables zero; there are no constraints. A property is bad where the
//! counter is at its error place. Blocks that begin at different cut points share their inputs.

use crate::blocks::{Blocks, CutId, CutProof};
use crate::graph::{PlaceId, Program, VariableId};
use crate::interpreter::initial_variables;
use crate::passes::symbols_of;
use pedra_model::bv::Bv;
use pedra_model::program::ProgramTrace;
use pedra_model::proof::WordProof;
use pedra_model::simplify::Rewriter;
use pedra_model::system::{Input, NamedTerm, State, System};
use pedra_model::term::{BinaryOp, Sort, Term, TermId};
use pedra_model::trace::WordTrace;
use pedra_model::value::{TernaryValue, Value};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// A program as a transition system, and what its parts stand for.
#[derive(Clone, Debug)]
pub struct Flat {
    /// The system. State 0 is the program counter.
    pub system: System,
    /// For each state but the first its variable.
    pub variables: Vec<VariableId>,
    /// For each cut point and each of its inputs the system's input that stands for it.
    pub inputs: Vec<Vec<usize>>,
    /// The cut points' places, by the value of the program counter.
    pub places: Vec<PlaceId>,
}

/// Why an answer about the system gives none about the program.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum LiftError {
    /// The trace is none of the system: a defect.
    #[error("the trace follows no path of the program")]
    NoPath,
    /// A form of proof that has no counterpart.
    #[error("a proof that {0} cannot be checked on the program")]
    NotCheckable(&'static str),
}

/// Turns blocks into a system.
pub fn flatten(blocks: &Blocks) -> Flat {
    let mut flattener = Flattener::new(blocks);
    let inputs: Vec<Vec<usize>> =
        (0..blocks.cuts.len()).map(|cut| flattener.share_inputs(cut)).collect();
    let nexts = flattener.nexts(&inputs);
    flattener.finish(nexts, inputs)
}

struct Flattener<'a> {
    blocks: &'a Blocks,
    system: System,
    variables: Vec<VariableId>,
    pool: BTreeMap<Sort, Vec<usize>>,
}

impl<'a> Flattener<'a> {
    fn new(blocks: &'a Blocks) -> Flattener<'a> {
        let mut system = System::new();
        let end = blocks.cuts.len() as u64;
        let width = 64 - end.leading_zeros();
        let counter = system.terms.new_symbol(Sort::Bv(width));
        let start = system.terms.constant(Bv::zero(width));
        let name = Some("pc".into());
        system.states.push(State { term: counter, name, init: Some(start), next: None });
        let mut variables: Vec<VariableId> =
            blocks.cuts.iter().flat_map(|cut| cut.live.iter().copied()).collect();
        variables.sort_unstable();
        variables.dedup();
        for &variable in &variables {
            let original = blocks.program.variable(variable);
            let sort = blocks.program.terms.sort(original.term);
            let term = system.terms.new_symbol(sort);
            // At the entry a variable has any value, or zero where it does not matter.
            let is_free = blocks.cuts[0].live.binary_search(&variable).is_ok();
            let init = (!is_free).then(|| system.terms.zero(sort));
            system.states.push(State { term, name: original.name.clone(), init, next: None });
        }
        Flattener { blocks, system, variables, pool: BTreeMap::new() }
    }

    /// For each input of a cut point's blocks an input of the system, of the same sort.
    fn share_inputs(&mut self, cut: CutId) -> Vec<usize> {
        let mut used: BTreeMap<Sort, usize> = BTreeMap::new();
        let mut shared = Vec::new();
        for &input in &self.blocks.cuts[cut].inputs {
            let sort = self.blocks.program.terms.sort(input);
            let count = used.entry(sort).or_default();
            let pool = self.pool.entry(sort).or_default();
            if pool.len() <= *count {
                pool.push(self.system.inputs.len());
                let term = self.system.terms.new_symbol(sort);
                self.system.inputs.push(Input { term, name: None });
            }
            shared.push(pool[*count]);
            *count += 1;
        }
        shared
    }

    /// The next value of each state:
    /// `ite(pc = 0, ite(guard, value, …, zero), ite(pc = 1, …, zero))`.
    fn nexts(&mut self, inputs: &[Vec<usize>]) -> Vec<TermId> {
        let counter = self.system.states[0].term;
        let width = self.system.terms.width(counter);
        let end = self.counter(self.blocks.cuts.len());
        let sorts = self.variables.iter().map(|&v| self.sort(v));
        let sorts: Vec<Sort> = sorts.collect();
        let terms = &mut self.system.terms;
        let mut nexts = vec![end];
        nexts.extend(sorts.iter().map(|&sort| terms.zero(sort)));
        let nothing = nexts.clone();
        for cut in (0..self.blocks.cuts.len()).rev() {
            let mut here = nothing.clone();
            for (guard, to, values) in self.import_blocks(cut, &inputs[cut]) {
                let target = self.counter(to);
                let live = &self.blocks.cuts[to].live;
                for (index, next) in here.iter_mut().enumerate() {
                    let value = match index.checked_sub(1).map(|v| self.variables[v]) {
                        None => target,
                        Some(variable) => match live.binary_search(&variable) {
                            Ok(position) => values[position],
                            Err(_) => nothing[index],
                        },
                    };
                    *next = self.system.terms.simplified(Term::Ite(guard, value, *next));
                }
            }
            let at = self.system.terms.constant(Bv::from_u64(width, cut as u64));
            let is_here = self.system.terms.binary(BinaryOp::Eq, counter, at);
            for (next, here) in nexts.iter_mut().zip(here) {
                *next = self.system.terms.simplified(Term::Ite(is_here, here, *next));
            }
        }
        nexts
    }

    fn sort(&self, variable: VariableId) -> Sort {
        self.blocks.program.terms.sort(self.blocks.program.term_of(variable))
    }

    fn counter(&mut self, value: usize) -> TermId {
        let width = self.system.terms.width(self.system.states[0].term);
        self.system.terms.constant(Bv::from_u64(width, value as u64))
    }

    /// Guard, target and values of a cut point's blocks, in the system's terms.
    fn import_blocks(&mut self, cut: CutId, inputs: &[usize]) -> Vec<(TermId, CutId, Vec<TermId>)> {
        let (program, cut) = (&self.blocks.program, &self.blocks.cuts[cut]);
        let mut images: FxHashMap<TermId, TermId> = FxHashMap::default();
        for (&variable, state) in self.variables.iter().zip(&self.system.states[1..]) {
            images.insert(program.term_of(variable), state.term);
        }
        for (&input, &shared) in cut.inputs.iter().zip(inputs) {
            images.insert(input, self.system.inputs[shared].term);
        }
        let roots = cut.blocks.iter().flat_map(|b| b.values.iter().copied().chain([b.guard]));
        let image =
            self.system.terms.import(&program.terms, roots, |term| images.get(&term).copied());
        let of = |block: &crate::blocks::Block| {
            let values = block.values.iter().map(|&value| image.of(value)).collect();
            (image.of(block.guard), block.to, values)
        };
        cut.blocks.iter().map(of).collect()
    }

    fn finish(mut self, nexts: Vec<TermId>, inputs: Vec<Vec<usize>>) -> Flat {
        for (state, next) in self.system.states.iter_mut().zip(nexts) {
            state.next = Some(next);
        }
        let counter = self.system.states[0].term;
        for (property, cut) in self.blocks.program.properties.iter().zip(&self.blocks.errors) {
            let term = match cut {
                Some(cut) => {
                    let at = self.counter(*cut);
                    self.system.terms.binary(BinaryOp::Eq, counter, at)
                }
                None => self.system.terms.bool(false),
            };
            let name = self.blocks.program.location(property.span, false);
            let name = Some(format!("{name} {}", property.text).into());
            self.system.bads.push(NamedTerm { term, name });
        }
        let places = self.blocks.cuts.iter().map(|cut| cut.place).collect();
        Flat { system: self.system, variables: self.variables, inputs, places }
    }
}

impl Flat {
    /// The run of a program without calls that a trace of the system stands for. `program` is the
    /// one of which the passes made that of the blocks, or that one itself. Open values are zero.
    ///
    /// # Errors
    /// If the trace is not one of the system.
    pub fn trace(
        &self,
        blocks: &Blocks,
        program: &Program,
        trace: &WordTrace,
    ) -> Result<ProgramTrace, LiftError> {
        let first = trace.states.first().ok_or(LiftError::NoPath)?;
        let initial: Vec<Value> = initial_variables(program)
            .map(|variable| {
                let state = self.variables.iter().position(|v| *v == variable);
                let given = state.and_then(|state| first.get(state + 1)?.as_ref());
                let sort = program.terms.sort(program.term_of(variable));
                given.map_or_else(|| Value::zero(sort), TernaryValue::zero_filled)
            })
            .collect();
        let inputs = |step: usize, cut: CutId| {
            let given = trace.inputs.get(step)?;
            let value = |&shared: &usize| given.get(shared).map(TernaryValue::zero_filled);
            let inputs = blocks.cuts[cut].inputs.iter().zip(self.inputs[cut].iter().map(value));
            Some(inputs.filter_map(|(&input, value)| Some((input, value?))).collect())
        };
        blocks.follow(program, trace.property, initial, inputs).ok_or(LiftError::NoPath)
    }

    /// The proof without the parts of its invariant that speak of inputs. Reductions of a system
    /// justify what they merged by such parts, and invariants of places have no room for them.
    /// What is left may be a proof all the same, or not: if it is refused, that is no defect.
    pub fn without_inputs(&self, proof: &WordProof) -> WordProof {
        let terms = &proof.system.terms;
        let is_state = |symbol: &TermId| self.system.states.iter().any(|s| s.term == *symbol);
        let mut rest = proof.clone();
        rest.invariant.retain(|&conjunct| symbols_of(terms, [conjunct]).iter().all(is_state));
        rest
    }

    /// The proof in terms of the blocks that a proof about the system stands for: at each cut point
    /// the invariant with the counter's value put in, and zero for what is not live.
    ///
    /// That this is a proof: from a state that satisfies the invariant at a cut point, the state of
    /// the system with the same live values and zeros elsewhere satisfies the system's. The program
    /// and the system go on in the same way, since live values depend on live values only.
    ///
    /// # Errors
    /// If the proof restricts paths to be simple, or speaks of inputs (see
    /// [`Flat::without_inputs`]).
    pub fn proof(&self, blocks: &Blocks, proof: &WordProof) -> Result<CutProof, LiftError> {
        if proof.simple_path.is_some() {
            return Err(LiftError::NotCheckable("restricts paths to be simple"));
        }
        if !proof.prophecy.is_empty() {
            return Err(LiftError::NotCheckable("mentions all cells of an array"));
        }
        let program = &blocks.program;
        let mut terms = program.terms.clone();
        let counter_sort = self.system.terms.sort(self.system.states[0].term);
        let counter = terms.new_symbol(counter_sort);
        let mut images = FxHashMap::from_iter([(self.system.states[0].term, counter)]);
        for (&variable, state) in self.variables.iter().zip(&self.system.states[1..]) {
            images.insert(state.term, program.term_of(variable));
        }
        let conjuncts = proof.invariant.iter().copied();
        let cone = proof.system.terms.cone(conjuncts.clone());
        let is_loose = |term: TermId| {
            proof.system.terms.symbol_of(term).is_some() && !images.contains_key(&term)
        };
        if proof.system.terms.iter().any(|(term, _)| cone[term.index()] && is_loose(term)) {
            return Err(LiftError::NotCheckable("mentions inputs"));
        }
        let image = terms.import(&proof.system.terms, conjuncts, |term| images.get(&term).copied());
        let mut invariants = Vec::with_capacity(blocks.cuts.len());
        for (index, cut) in blocks.cuts.iter().enumerate() {
            let mut rewriter = Rewriter::new();
            let width = counter_sort.width().expect("the counter is a word");
            rewriter.replace(counter, terms.constant(Bv::from_u64(width, index as u64)));
            for &variable in self.variables.iter().filter(|v| cut.live.binary_search(v).is_err()) {
                let symbol = program.term_of(variable);
                let nothing = terms.zero(program.terms.sort(symbol));
                rewriter.replace(symbol, nothing);
            }
            let conjuncts = proof.invariant.iter();
            let here = conjuncts.map(|&c| rewriter.rewrite(&mut terms, image.of(c))).collect();
            invariants.push(here);
        }
        Ok(CutProof { properties: proof.properties.clone(), terms, invariants, k: proof.k })
    }
}
