//! Samples of a program with calls: runs of its statements with a stack.
//!
//! Blocks leave out what calls do, so runs of blocks (`samples`) would let them return anything.
//! Here a call begins its procedure's part with the values of the call, and goes on with what is
//! there at the exit. The program may begin with any part, as the search does. Heuristic, as all
//! samples are.

use super::graph::Graph;
use super::samples::Runner;
use crate::trace::Place;
use pedra_model::random::Random;
use pedra_model::simplify::Rewriter;
use pedra_model::term::TermId;
use pedra_model::value::Value;
use pedra_program::inline::EdgeOrigin;
use pedra_program::interpreter::evaluate;
use pedra_program::{Action, EdgeId, PlaceId, Procedure, Program, Step, VariableId};
use rustc_hash::{FxHashMap, FxHashSet};

/// How many runs there are for the program and for each part, how long they are, and how deep.
const RUNS: usize = 40;
const STEPS: usize = 600;
const DEPTH: usize = 40;
/// How many statements may be executed in all runs together.
const MAX_STEPS: usize = 30_000;

/// The values of all variables.
type Values = Vec<Value>;

/// Runs of statements.
struct Calling<'a> {
    program: &'a Program,
    body: &'a Procedure,
    outgoing: Vec<Vec<EdgeId>>,
    /// For each summary the edge by which its part begins.
    begins: Vec<EdgeId>,
    runner: Runner<'a>,
    dice: Random,
}

/// A call that has not returned: where it stands, and the values there.
struct Frame {
    edge: EdgeId,
    values: Values,
}

/// Runs the program at random, and shows each state at a cut point: the values of its variables.
pub(super) fn visit(graph: &Graph, seed: u64, mut visit: impl FnMut(usize, Vec<Value>)) {
    let blocks = graph.blocks();
    let program = &blocks.program;
    let body = program.procedure(program.entry);
    let origins = graph.lowered.inlined.edges.iter();
    let begins = |procedure| {
        let mut origins = origins.clone();
        let edge = origins.position(|&origin| origin == EdgeOrigin::Begins(procedure));
        EdgeId::new(edge.expect("every part has a beginning"))
    };
    let mut calling = Calling {
        program,
        body,
        outgoing: body.outgoing(),
        begins: program.summaries.iter().map(|summary| begins(summary.procedure)).collect(),
        runner: Runner::new(graph, seed),
        dice: Random::new(seed),
    };
    let mut left = MAX_STEPS;
    for run in 0..RUNS * (1 + program.summaries.len()) {
        let mut at = body.entry;
        let mut values = calling.start(run % RUNS);
        let mut stack: Vec<Frame> = Vec::new();
        for _ in 0..STEPS.min(left) {
            left -= 1;
            let Some(next) = calling.step(at, &mut values, &mut stack, run % RUNS) else { break };
            at = next;
            show(graph, at, &values, &mut visit);
            at = calling.leave(at, &mut values, &mut stack);
            if at != body.entry {
                show(graph, at, &values, &mut visit);
            }
        }
    }
}

/// Shows a state, if it is at a cut point.
fn show(graph: &Graph, at: PlaceId, values: &Values, visit: &mut impl FnMut(usize, Vec<Value>)) {
    let value = |variable: VariableId| values[variable.index()].clone();
    if let Some(location) = graph.location_at(at, value) {
        let cut = location.index();
        visit(cut, graph.blocks().cuts[cut].live.iter().map(|&v| value(v)).collect());
    }
}

impl Calling<'_> {
    fn start(&mut self, spread: usize) -> Values {
        let terms = &self.program.terms;
        let sorts = self.program.variables.iter().map(|variable| terms.sort(variable.term));
        sorts.map(|sort| self.runner.value(sort, spread)).collect()
    }

    fn statement(&self, edge: EdgeId) -> &Step {
        match &self.body.edge(edge).action {
            Action::Step(step) => step,
            Action::Call(_) => unreachable!("the program has no calls"),
        }
    }

    /// Takes some edge; a call only begins. Gives the place behind it.
    fn step(
        &mut self,
        at: PlaceId,
        values: &mut Values,
        stack: &mut Vec<Frame>,
        spread: usize,
    ) -> Option<PlaceId> {
        let count = self.outgoing[at.index()].len();
        let first = if count == 0 { 0 } else { self.dice.below(count) };
        for turn in 0..2 * count {
            let edge = self.outgoing[at.index()][(first + turn) % count];
            let inputs = self.inputs(edge, spread);
            let Some(returns) = self.statement(edge).returns.clone() else {
                if let Some(after) = self.assign(edge, values, &inputs) {
                    *values = after;
                    return Some(self.body.edge(edge).to);
                }
                continue;
            };
            if stack.len() >= DEPTH {
                return None;
            }
            // The inputs of a beginning are the parameters, and then what is arbitrary.
            let begins = self.begins[returns.summary];
            let mut inputs = self.inputs(begins, spread);
            let given = self.evaluate(values, &inputs, returns.before.iter().copied());
            let arguments = returns.before.len() - self.program.globals.len();
            let symbols: Vec<TermId> =
                self.statement(begins).inputs.iter().map(|input| input.term).collect();
            for (symbol, before) in symbols.into_iter().zip(&returns.before[..arguments]) {
                inputs.insert(symbol, given[before].clone());
            }
            let after = self.assign(begins, values, &inputs)?;
            stack.push(Frame { edge, values: std::mem::replace(values, after) });
            return Some(self.body.edge(begins).to);
        }
        None
    }

    /// Returns from the procedures whose exit is reached, and gives the place where that leads.
    fn leave(&self, mut at: PlaceId, values: &mut Values, stack: &mut Vec<Frame>) -> PlaceId {
        while let Some(frame) = stack.last() {
            let returns = self.statement(frame.edge).returns.as_ref().expect("it is a call");
            let summary = &self.program.summaries[returns.summary];
            if summary.exit != at {
                break;
            }
            let results = summary.after.iter().map(|v| values[v.index()].clone());
            let inputs: FxHashMap<TermId, Value> =
                returns.after.iter().copied().zip(results).collect();
            let Some(after) = self.assign(frame.edge, &frame.values, &inputs) else { break };
            at = self.body.edge(frame.edge).to;
            *values = after;
            stack.pop();
        }
        at
    }

    fn inputs(&mut self, edge: EdgeId, spread: usize) -> FxHashMap<TermId, Value> {
        let symbols: Vec<TermId> =
            self.statement(edge).inputs.iter().map(|input| input.term).collect();
        let terms = &self.program.terms;
        symbols.into_iter().map(|s| (s, self.runner.value(terms.sort(s), spread))).collect()
    }

    fn evaluate(
        &self,
        values: &Values,
        inputs: &FxHashMap<TermId, Value>,
        roots: impl IntoIterator<Item = TermId>,
    ) -> FxHashMap<TermId, Value> {
        let of: FxHashMap<TermId, &Value> =
            self.program.variables.iter().zip(values).map(|(v, value)| (v.term, value)).collect();
        evaluate(&self.program.terms, roots, |s| inputs.get(&s).unwrap_or_else(|| of[&s]))
    }

    /// The values after a statement; none if its guard does not hold.
    fn assign(
        &self,
        edge: EdgeId,
        values: &Values,
        inputs: &FxHashMap<TermId, Value>,
    ) -> Option<Values> {
        let step = self.statement(edge);
        let roots = step.updates.iter().map(|&(_, value)| value).chain(step.guard);
        let found = self.evaluate(values, inputs, roots);
        if step.guard.is_some_and(|guard| !found[&guard].as_bv().is_true()) {
            return None;
        }
        let mut after = values.clone();
        for (variable, value) in &step.updates {
            after[variable.index()] = found[value].clone();
        }
        Some(after)
    }
}

/// Comparisons in terms of what an edge makes of its inputs: a part begins with its parameters as
/// inputs, and what is compared with them is compared with `\old` at the exit.
pub(super) fn comparisons_behind(graph: &mut Graph, comparisons: &[TermId]) -> Vec<TermId> {
    let mut found = Vec::new();
    for edge in graph.edge_ids() {
        let (from, to) = (graph.edge(edge).from, graph.edge(edge).to);
        let inputs: FxHashSet<TermId> = graph.inputs(from).iter().copied().collect();
        let variables: Vec<TermId> = graph.variables(to).collect();
        let mut renamed = Rewriter::new();
        for variable in variables {
            let value = graph.image(edge, variable);
            if inputs.contains(&value) {
                renamed.replace(value, variable);
            }
        }
        let all = comparisons.iter().map(|&term| (term, renamed.rewrite(&mut graph.terms, term)));
        found.extend(all.filter(|(term, behind)| term != behind).map(|(_, behind)| behind));
    }
    found.sort_unstable();
    found.dedup();
    found
}
