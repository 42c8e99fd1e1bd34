//! The runs of a program of a given number of blocks, as terms.
//!
//! A node is a cut point and a number of blocks. It has a condition, that it is reached, and a
//! value for each live variable. Both are terms over the variables' symbols at the start and over
//! new symbols for the inputs of each node's blocks. Where several blocks arrive, the values are
//! `ite`s over which of them was taken; so nothing is asserted, and a question depends only on the
//! nodes before the one that it asks about.
//!
//! Runs may start at several cut points at once. A node that is reached then has the values of
//! *some* run to it, and if only one start is made, of that one. So it can be reached if and only
//! if some run from one of the starts comes to it.

use pedra_model::blast::BlastOptions;
use pedra_model::program::{ProgramTrace, VariableId};
use pedra_model::simplify::Rewriter;
use pedra_model::term::{Sort, Term, TermId, Terms};
use pedra_model::value::Value;
use pedra_program::Lowered;
use pedra_program::blocks::CutId;
use pedra_program::interpreter::evaluate;
use pedra_solve::{Interrupt, SatResult, SatStats, TermError, TermSolver, Theory};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The most terms of an unrolling: some gigabytes.
const MAX_TERMS: usize = 10_000_000;

/// Where runs start.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum Start {
    /// At the entry.
    Entry,
    /// At any cut point but error places, with any values.
    Anywhere,
}

/// Why there is no answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Failure {
    /// The solver does not support what the program does.
    Unsupported(TermError),
    /// The solver gave up, or there are too many terms.
    GaveUp,
}

/// A cut point after a number of blocks.
struct Node {
    reached: TermId,
    /// By live variable.
    values: Vec<TermId>,
    /// The symbol of each input of the blocks that begin here.
    inputs: FxHashMap<TermId, TermId>,
}

/// A way into a node: the condition under which it is taken, and the values.
type Arrival = (TermId, Vec<TermId>);

pub(super) struct Unroll {
    lowered: Arc<Lowered>,
    terms: Terms,
    solver: TermSolver,
    /// For each number of blocks the cut points where runs may be then.
    steps: Vec<BTreeMap<CutId, Node>>,
}

impl Unroll {
    pub(super) fn new(
        lowered: &Arc<Lowered>,
        start: Start,
        theory: Theory,
        blasting: &BlastOptions,
    ) -> Unroll {
        let blocks = &lowered.blocks;
        let mut terms = blocks.program.terms.clone();
        let mut first = BTreeMap::new();
        for (index, cut) in blocks.cuts.iter().enumerate() {
            let reached = match start {
                Start::Entry if index == 0 => terms.bool(true),
                Start::Anywhere if !blocks.errors.contains(&Some(index)) => {
                    terms.new_symbol(Sort::BOOL)
                }
                _ => continue,
            };
            let values = cut.live.iter().map(|&v| blocks.program.term_of(v)).collect();
            first.insert(index, Node { reached, values, inputs: FxHashMap::default() });
        }
        let solver = TermSolver::new(theory, blasting);
        Unroll { lowered: lowered.clone(), terms, solver, steps: vec![first] }
    }

    pub(super) fn set_interrupt(&mut self, interrupt: &Interrupt) {
        self.solver.set_interrupt(interrupt);
    }

    pub(super) fn stats(&self) -> SatStats {
        self.solver.stats()
    }

    /// Whether no run has this many blocks.
    pub(super) fn is_over(&mut self, step: usize) -> Result<bool, Failure> {
        self.extend(step)?;
        Ok(self.steps[step].is_empty())
    }

    /// Whether a run can be at a cut point after this many blocks.
    pub(super) fn reaches(&mut self, cut: CutId, step: usize) -> Result<bool, Failure> {
        self.extend(step)?;
        let Some(node) = self.steps[step].get(&cut) else { return Ok(false) };
        let lit = self.solver.lit(&self.terms, node.reached).map_err(Failure::Unsupported)?;
        match self.solver.solve(&[lit], &[]) {
            SatResult::Sat => Ok(true),
            SatResult::Unsat => Ok(false),
            SatResult::Unknown => Err(Failure::GaveUp),
        }
    }

    /// The run of the last model, which starts at the entry. If there is none, which would be a
    /// defect, the trace is empty, and no check accepts it.
    pub(super) fn trace(&mut self, property: usize, step: usize) -> ProgramTrace {
        let lowered = self.lowered.clone();
        let blocks = &lowered.blocks;
        let nothing = ProgramTrace { property, initial: Vec::new(), steps: Vec::new() };
        let mut initial: FxHashMap<VariableId, Value> = FxHashMap::default();
        let mut state: FxHashMap<TermId, Value> = FxHashMap::default();
        for &variable in &blocks.cuts[0].live {
            let symbol = blocks.program.term_of(variable);
            let value = self.solver.value(&self.terms, symbol);
            initial.insert(variable, value.clone());
            state.insert(symbol, value);
        }
        let (mut cut, mut inputs) = (0, Vec::new());
        for nodes in &self.steps[..step] {
            let Some(node) = nodes.get(&cut) else { return nothing };
            let mut given: FxHashMap<TermId, Value> = FxHashMap::default();
            for (&input, &symbol) in &node.inputs {
                given.insert(input, self.solver.value(&self.terms, symbol));
            }
            // The values at this node: blocks mention no others.
            let leaves: FxHashMap<TermId, Value> = state.drain().chain(given.clone()).collect();
            let of = |term: TermId| &leaves[&term];
            let terms = &blocks.program.terms;
            let guards = blocks.cuts[cut].blocks.iter().map(|block| block.guard);
            let holds = evaluate(terms, guards, of);
            let taken = blocks.cuts[cut].blocks.iter();
            let Some(block) = taken.into_iter().find(|b| holds[&b.guard].as_bv().is_true()) else {
                return nothing;
            };
            let values = evaluate(terms, block.values.iter().copied(), of);
            let live = blocks.cuts[block.to].live.iter().map(|&v| blocks.program.term_of(v));
            state = live.zip(block.values.iter().map(|value| values[value].clone())).collect();
            cut = block.to;
            inputs.push(given);
        }
        lowered.block_trace(property, &initial, &inputs).unwrap_or(nothing)
    }

    /// Makes the nodes of all steps up to this one.
    fn extend(&mut self, step: usize) -> Result<(), Failure> {
        while self.steps.len() <= step {
            let next = self.next_step();
            self.steps.push(next);
            if self.terms.len() > MAX_TERMS {
                return Err(Failure::GaveUp);
            }
        }
        Ok(())
    }

    fn next_step(&mut self) -> BTreeMap<CutId, Node> {
        let Unroll { lowered, terms, steps, .. } = self;
        let blocks = &lowered.blocks;
        let mut arrivals: BTreeMap<CutId, Vec<Arrival>> = BTreeMap::new();
        for (&from, node) in steps.last_mut().expect("there is a first step") {
            let cut = &blocks.cuts[from];
            let mut rewriter = Rewriter::new();
            for (&variable, &value) in cut.live.iter().zip(&node.values) {
                rewriter.replace(blocks.program.term_of(variable), value);
            }
            for &input in &cut.inputs {
                let symbol = terms.new_symbol(terms.sort(input));
                rewriter.replace(input, symbol);
                node.inputs.insert(input, symbol);
            }
            for block in &cut.blocks {
                let guard = rewriter.rewrite(terms, block.guard);
                let taken = terms.and(node.reached, guard);
                if terms.is_bool(taken, false) {
                    continue;
                }
                let values = block.values.iter().map(|&value| rewriter.rewrite(terms, value));
                let values = values.collect();
                arrivals.entry(block.to).or_default().push((taken, values));
            }
        }
        let join = |(cut, arrivals): (CutId, Vec<Arrival>)| {
            let (reached, values) = join(terms, arrivals);
            (cut, Node { reached, values, inputs: FxHashMap::default() })
        };
        arrivals.into_iter().map(join).collect()
    }
}

/// Condition and values of a node, of whose arrivals there is at least one.
fn join(terms: &mut Terms, mut arrivals: Vec<Arrival>) -> Arrival {
    let (mut reached, mut values) = arrivals.pop().expect("a node has an arrival");
    for (taken, others) in arrivals {
        for (value, other) in values.iter_mut().zip(others) {
            *value = terms.simplified(Term::Ite(taken, other, *value));
        }
        reached = terms.or(reached, taken);
    }
    (reached, values)
}
