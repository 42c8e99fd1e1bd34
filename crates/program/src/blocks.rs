//! Large blocks: all loop-free paths between two cut points as one guarded assignment.
//!
//! After Beyer, Cimatti, Griggio, Keremoglu and Sebastiani, *Software Model Checking via
//! Large-Block Encoding* (FMCAD 2009). Cut points are the entry, the loop heads (targets of back
//! edges of a depth-first search, so that every cycle has one), the error places, and joins that
//! would otherwise be in too many blocks; only edges that matter for some property are looked at
//! ([`crate::passes::live`]). From each cut point the loop-free part of the graph is executed
//! forwards with terms for values. Where paths join, the value of a variable is an `ite` over the
//! conditions under which each is taken (gated single-assignment form), so that a block is as
//! large as the part of the graph that it stands for, times the variables that differ at joins.
//!
//! Which path is taken is a function of the values at the cut point, of the inputs of the
//! statements, and, at places where several edges may be enabled at once, of *choices*: bits that
//! are further inputs. A choice of an edge that is not enabled ends the run, which loses nothing,
//! since another choice takes the other edge. So the blocks of one cut point exclude each other,
//! and [`Blocks::path`] finds the statements of a step by evaluation.
//!
//! A call of a procedure with a summary ([`crate::summaries`]) is a statement with inputs. What its
//! summary is to say of them is noted beside the blocks ([`Return`]), with the condition under
//! which the call is on the way. Exits of parts are cut points, too.

mod equations;
mod refine;

pub use refine::{Refined, refine};

use crate::cut_points::{find_heads, find_shared};
use crate::graph::{EdgeId, EdgeRef, PlaceId, Program, VariableId};
use crate::guards::exclude_each_other;
use crate::interpreter::Machine;
use crate::passes::live::{Live, find_live};
use crate::passes::{body, step_of, symbols_of};
use crate::summaries::{self, SummaryId};
use pedra_model::narrow::narrow;
use pedra_model::program::{ProgramTrace, TraceStep};
use pedra_model::simplify::Rewriter;
use pedra_model::term::{Sort, Term, TermId, Terms};
use pedra_model::value::Value;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::{BTreeMap, BTreeSet};

/// A cut point: a position in [`Blocks::cuts`].
pub type CutId = usize;

/// A program as blocks between cut points.
#[derive(Clone, Debug)]
pub struct Blocks {
    /// The program, its store extended by the terms of the blocks.
    pub program: Program,
    /// The cut points; the first is the entry.
    pub cuts: Vec<Cut>,
    /// For each property the cut point of its error place; none if no path leads there.
    pub errors: Vec<Option<CutId>>,
    /// Loop heads, and exits of parts, that no violation visits. They are no cut points, but a
    /// proof has to say something of them: *false* where no run comes to them at all (the second
    /// part), and anything otherwise.
    pub other_heads: Vec<(PlaceId, bool)>,
    /// The cut point at a place.
    cut_of: FxHashMap<PlaceId, CutId>,
    /// For each place the edges that matter.
    outgoing: Vec<Vec<EdgeId>>,
    /// For each place with edges that do not exclude each other, one bit fewer than edges: the
    /// first that is true chooses its edge, and if none is, the last edge is chosen.
    choices: BTreeMap<PlaceId, Vec<TermId>>,
}

/// A cut point and the blocks that begin there.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Cut {
    /// The place.
    pub place: PlaceId,
    /// The variables that matter here, in ascending order. Only of them blocks speak.
    pub live: Vec<VariableId>,
    /// The inputs of all blocks that begin here: inputs of statements, and choices.
    pub inputs: Vec<TermId>,
    /// The calls on the way of blocks that begin here, each behind those on which it depends.
    pub returns: Vec<Return>,
    /// The blocks, at most one for each target. At most one of their guards holds at once; if
    /// none does, the run ends.
    pub blocks: Vec<Block>,
}

/// A call on the way of a block, by a summary.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Return {
    /// The statement.
    pub edge: EdgeId,
    /// The exit of the procedure's part.
    pub exit: CutId,
    /// Whether the run takes it, as a guard says whether a run takes a block.
    pub condition: TermId,
    /// For each live variable of the exit the value that it has in this call.
    pub values: Vec<TermId>,
}

/// All paths from one cut point to another.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Block {
    /// Where it leads.
    pub to: CutId,
    /// Whether a path is taken, over the live variables of the source and its inputs.
    pub guard: TermId,
    /// The new value of each live variable of the target, in order. What it is where the guard
    /// does not hold has no meaning.
    pub values: Vec<TermId>,
    /// Inputs on which neither the guard nor a value depends, because they are what the guard of
    /// the statements says; the first of each pair is the second. Only [`refine`] makes any.
    pub defined: Vec<(TermId, TermId)>,
    /// Which of the source's calls may be on the way, in order.
    pub returns: Vec<usize>,
}

/// A proof in terms of blocks.
#[derive(Clone, Debug)]
pub struct CutProof {
    /// The properties that it proves.
    pub properties: Vec<usize>,
    /// A store that extends that of the blocks' program.
    pub terms: Terms,
    /// For each cut point a conjunction of one-bit terms over its live variables; what it says of
    /// error places is not looked at. As in [`pedra_model::program::ProgramProof`].
    pub invariants: Vec<Vec<TermId>>,
    /// Induction depth.
    pub k: usize,
}

/// Why there are no blocks.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum BlockError {
    /// They would need too many terms.
    #[error("the blocks of the program take more than {limit} terms")]
    TooLarge {
        /// The limit that was given.
        limit: usize,
    },
}

/// How large blocks become.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct BlockOptions {
    /// How many terms the store may have.
    pub max_terms: usize,
    /// From how many cut points a join may be reached before it becomes one. Heuristic: without a
    /// limit, a row of `if (…) while (…)` would be copied into the blocks of each loop before it.
    pub max_sources: usize,
}

impl Default for BlockOptions {
    fn default() -> BlockOptions {
        BlockOptions { max_terms: 20_000_000, max_sources: 8 }
    }
}

/// Makes blocks of a program without calls.
///
/// # Errors
/// If they need too many terms.
pub fn make_blocks(program: &Program, options: &BlockOptions) -> Result<Blocks, BlockError> {
    let live = find_live(program);
    let body = body(program);
    let (heads, order) = find_heads(body);
    let mut cuts = vec![body.entry];
    let errors = program.properties.iter().map(|property| property.error.place);
    let exits: FxHashSet<PlaceId> = program.summaries.iter().map(|summary| summary.exit).collect();
    let ends: FxHashSet<PlaceId> = errors.chain(exits.iter().copied()).collect();
    let is_shared = find_shared(program, &live, &heads, &order, options.max_sources);
    let mut other_heads = Vec::new();
    for place in (0..body.places.len()).map(PlaceId::new).filter(|&place| place != body.entry) {
        match live.is_used[place.index()] {
            true if heads[place.index()] || is_shared[place.index()] || ends.contains(&place) => {
                cuts.push(place);
            }
            false if heads[place.index()] || exits.contains(&place) => {
                other_heads.push((place, !live.is_reached[place.index()]));
            }
            _ => {}
        }
    }
    let cut_of: FxHashMap<PlaceId, CutId> = cuts.iter().enumerate().map(|(i, &p)| (p, i)).collect();
    let errors = program.properties.iter().map(|p| cut_of.get(&p.error.place).copied()).collect();
    let mut blocks = Blocks {
        program: program.clone(),
        cuts: Vec::new(),
        errors,
        other_heads,
        cut_of,
        outgoing: live.outgoing.clone(),
        choices: BTreeMap::new(),
    };
    blocks.add_choices();
    for place in cuts {
        let maker = Maker {
            blocks: &mut blocks,
            live: &live,
            arrivals: FxHashMap::default(),
            returns: Vec::new(),
        };
        let cut = maker.make(place, options.max_terms)?;
        blocks.cuts.push(cut);
    }
    blocks.narrow_products();
    Ok(blocks)
}

impl Blocks {
    /// Multiplies in fewer bits where the guard of a block bounds the factors. Values have a
    /// meaning only where the guard holds.
    fn narrow_products(&mut self) {
        let terms = &mut self.program.terms;
        for block in self.cuts.iter_mut().flat_map(|cut| &mut cut.blocks) {
            if let Some((guard, values)) = narrow(terms, &[block.guard], &block.values) {
                (block.guard, block.values) = (guard[0], values);
            }
        }
    }

    /// The cut point at a place.
    pub fn cut_at(&self, place: PlaceId) -> Option<CutId> {
        self.cut_of.get(&place).copied()
    }

    /// Follows the statements of a block from the machine's state, which must be at a cut point,
    /// until the next one. Inputs have the given values, zero where none is given. The machine may
    /// run any program of which the passes made this one.
    ///
    /// `None` if no block can be taken.
    pub fn path(
        &self,
        machine: &mut Machine<'_>,
        inputs: &FxHashMap<TermId, Value>,
    ) -> Option<Vec<TraceStep>> {
        let terms = &self.program.terms;
        let value = |term: TermId| match inputs.get(&term) {
            Some(value) => value.clone(),
            None => Value::zero(terms.sort(term)),
        };
        let procedure = self.program.entry;
        let mut steps = Vec::new();
        loop {
            let place = machine.place().place;
            let edges = &self.outgoing[place.index()];
            let chosen = self.choices.get(&place).map(|bits| {
                let is_true = |bit: &TermId| value(*bit).as_bv().is_true();
                bits.iter().position(is_true).unwrap_or(bits.len())
            });
            let edges = match chosen {
                Some(chosen) => &edges[chosen..=chosen],
                None => edges.as_slice(),
            };
            let taken = edges.iter().find_map(|&edge| {
                let inputs = step_of(body(&self.program).edge(edge)).inputs.iter();
                let values = inputs.map(|input| value(input.term)).collect();
                let step = TraceStep { edge: EdgeRef { procedure, edge }, values };
                machine.take(&step).is_ok().then_some(step)
            });
            steps.push(taken?);
            if self.cut_at(machine.place().place).is_some() {
                return Some(steps);
            }
        }
    }

    /// The run of a program that takes one block after the other until it is at the error place of
    /// a property, with the inputs that are given for each step and its cut point. The program is
    /// one of which the passes made that of the blocks, or that one itself. `None` if there is no
    /// such run.
    pub fn follow(
        &self,
        program: &Program,
        property: usize,
        initial: Vec<Value>,
        inputs: impl Fn(usize, CutId) -> Option<FxHashMap<TermId, Value>>,
    ) -> Option<ProgramTrace> {
        let mut machine = Machine::start(program, &initial).ok()?;
        let error = program.properties.get(property)?.error;
        let mut steps = Vec::new();
        for step in 0.. {
            if machine.place() == error {
                break;
            }
            let cut = self.cut_at(machine.place().place)?;
            steps.extend(self.path(&mut machine, &inputs(step, cut)?)?);
        }
        Some(ProgramTrace { property, initial, steps })
    }

    /// Gives choices to the places where several edges may be enabled at once.
    fn add_choices(&mut self) {
        for (index, edges) in self.outgoing.iter().enumerate() {
            let terms = &mut self.program.terms;
            let procedure = &self.program.procedures[self.program.entry.index()];
            let guards: Vec<TermId> = edges
                .iter()
                .map(|&edge| step_of(procedure.edge(edge)).guard)
                .map(|guard| guard.unwrap_or_else(|| terms.bool(true)))
                .collect();
            let is_choice = (1..guards.len())
                .any(|j| (0..j).any(|i| !exclude_each_other(terms, guards[i], guards[j])));
            if is_choice {
                let bits = (1..guards.len()).map(|_| terms.new_symbol(Sort::BOOL)).collect();
                self.choices.insert(PlaceId::new(index), bits);
            }
        }
    }
}

/// The values of the variables that differ from those at the cut point.
type Values = FxHashMap<VariableId, TermId>;

/// One way to arrive at a place: the condition under which it is taken, the values, and the calls
/// that may be on the way.
type Arrival = (TermId, Values, BTreeSet<usize>);

/// Makes the blocks of one cut point.
struct Maker<'a> {
    blocks: &'a mut Blocks,
    live: &'a Live,
    arrivals: FxHashMap<PlaceId, Vec<Arrival>>,
    returns: Vec<Return>,
}

impl Maker<'_> {
    fn make(mut self, from: PlaceId, max_terms: usize) -> Result<Cut, BlockError> {
        let always = self.terms().bool(true);
        for place in self.order(from) {
            let arrival = match place == from {
                true => Some((always, Values::default(), BTreeSet::new())),
                false => self.join(place),
            };
            if let Some(arrival) = arrival {
                self.leave(place, arrival);
            }
            if self.terms().len() > max_terms {
                return Err(BlockError::TooLarge { limit: max_terms });
            }
        }
        // What is left has arrived at cut points.
        let left = self.arrivals.keys().map(|&place| (self.blocks.cut_of[&place], place));
        let left: BTreeMap<CutId, PlaceId> = left.collect();
        let mut blocks = Vec::new();
        for (to, place) in left {
            let Some((guard, values, returns)) = self.join(place) else { continue };
            let program = &self.blocks.program;
            let value = |v: &VariableId| values.get(v).copied().unwrap_or(program.term_of(*v));
            let values = self.live.variables[place.index()].iter().map(value).collect();
            let returns = returns.into_iter().collect();
            blocks.push(Block { to, guard, values, defined: Vec::new(), returns });
        }
        let live = self.live.variables[from.index()].clone();
        let roots = blocks.iter().flat_map(|b| b.values.iter().copied().chain([b.guard]));
        let returns = self.returns.iter();
        let roots =
            roots.chain(returns.flat_map(|r| r.values.iter().copied().chain([r.condition])));
        let program = &self.blocks.program;
        let variables: FxHashSet<TermId> = live.iter().map(|&v| program.term_of(v)).collect();
        let mut inputs = symbols_of(&program.terms, roots);
        inputs.retain(|symbol| !variables.contains(symbol));
        inputs.sort_unstable();
        debug_assert!(
            program.variables.iter().all(|variable| inputs.binary_search(&variable.term).is_err()),
            "blocks speak of live variables only"
        );
        Ok(Cut { place: from, live, inputs, returns: self.returns, blocks })
    }

    fn terms(&mut self) -> &mut Terms {
        &mut self.blocks.program.terms
    }

    /// The places from the cut point to the next ones, these excluded, in topological order:
    /// reverse postorder of a depth-first search. That there is one is what cut points are for.
    fn order(&self, from: PlaceId) -> Vec<PlaceId> {
        let body = body(&self.blocks.program);
        let mut seen = FxHashSet::from_iter([from]);
        let (mut stack, mut postorder) = (vec![(from, 0)], Vec::new());
        while let Some((place, next)) = stack.last_mut() {
            match self.live.outgoing[place.index()].get(*next) {
                Some(&edge) => {
                    *next += 1;
                    let to = body.edge(edge).to;
                    if !self.blocks.cut_of.contains_key(&to) && seen.insert(to) {
                        stack.push((to, 0));
                    }
                }
                None => {
                    postorder.push(*place);
                    stack.pop();
                }
            }
        }
        postorder.reverse();
        postorder
    }

    /// Condition and values at a place at which paths arrive, of which at most one is taken; none
    /// if there is none.
    fn join(&mut self, place: PlaceId) -> Option<Arrival> {
        let mut arrivals = self.arrivals.remove(&place)?;
        let (mut condition, mut values, mut returns) = arrivals.pop()?;
        values.retain(|variable, _| {
            self.live.variables[place.index()].binary_search(variable).is_ok()
        });
        while let Some((taken, other, others)) = arrivals.pop() {
            returns.extend(others);
            for &variable in &self.live.variables[place.index()] {
                let symbol = self.blocks.program.term_of(variable);
                let then = other.get(&variable).copied().unwrap_or(symbol);
                let old = values.get(&variable).copied().unwrap_or(symbol);
                if then != old {
                    let value = self.terms().simplified(Term::Ite(taken, then, old));
                    values.insert(variable, value);
                }
            }
            condition = self.terms().or(condition, taken);
        }
        Some((condition, values, returns))
    }

    /// Takes all edges of a place.
    fn leave(&mut self, place: PlaceId, (condition, values, returns): Arrival) {
        let mut rewriter = Rewriter::new();
        for (&variable, &value) in &values {
            rewriter.replace(self.blocks.program.term_of(variable), value);
        }
        let choices = self.blocks.choices.get(&place).cloned().unwrap_or_default();
        // Under which condition this edge's turn comes: no earlier one was chosen.
        let mut turn = condition;
        let edges = self.blocks.outgoing[place.index()].clone();
        for (index, edge) in edges.into_iter().enumerate() {
            let program = &mut self.blocks.program;
            let statement = program.procedures[program.entry.index()].edge(edge);
            let (to, step) = (statement.to, step_of(statement).clone());
            let terms = &mut program.terms;
            let mut taken = turn;
            if let Some(&choice) = choices.get(index) {
                taken = terms.and(turn, choice);
                let other = terms.not(choice);
                turn = terms.and(turn, other);
            }
            if let Some(guard) = step.guard {
                let guard = rewriter.rewrite(terms, guard);
                taken = terms.and(taken, guard);
            }
            if terms.is_bool(taken, false) {
                continue;
            }
            let mut after = values.clone();
            let live = &self.live.variables[to.index()];
            for (variable, value) in &step.updates {
                if live.binary_search(variable).is_ok() {
                    after.insert(*variable, rewriter.rewrite(terms, *value));
                }
            }
            let mut returns = returns.clone();
            if let Some(call) = &step.returns {
                // A procedure whose exit is no cut point never returns.
                let Some(exit) = self.exit_of(call.summary) else { continue };
                let values = self.at_exit(call, &mut rewriter);
                returns.insert(self.returns.len());
                self.returns.push(Return { edge, exit, condition: taken, values });
            }
            self.arrivals.entry(to).or_default().push((taken, after, returns));
        }
    }

    fn exit_of(&self, summary: SummaryId) -> Option<CutId> {
        self.blocks.cut_at(self.blocks.program.summaries[summary].exit)
    }

    /// What a call says of the live variables of its part's exit.
    fn at_exit(&mut self, call: &summaries::Return, rewriter: &mut Rewriter) -> Vec<TermId> {
        let summary = self.blocks.program.summaries[call.summary].clone();
        let known: FxHashMap<VariableId, TermId> = call.values(&summary).collect();
        let live = &self.live.variables[summary.exit.index()];
        let values = live.iter().map(|variable| known[variable]);
        values.map(|value| rewriter.rewrite(&mut self.blocks.program.terms, value)).collect()
    }
}
