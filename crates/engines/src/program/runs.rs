//! Violations by running the program: what random inputs, or none at all, lead to.
//!
//! An error that is thousands of iterations deep and needs no luck is out of reach for engines that
//! count steps. A run costs next to nothing, so it is worth a try beside them. Proves nothing.

use super::graph::Graph;
use super::samples::Runner;
use crate::context::{Context, End, Engine, Reason};
use crate::events::{Event, Progress};
use pedra_model::term::TermId;
use pedra_model::value::Value;
use pedra_program::{Lowered, VariableId};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// The longest run, in blocks: its trace must fit into memory.
const MAX_STEPS: usize = 100_000;
/// After this many steps the interrupt is looked at.
const STEPS_A_LOOK: usize = 50;

/// Random runs of a program.
pub struct Runs {
    lowered: Arc<Lowered>,
    /// The chosen properties; outcomes are by position in this list.
    properties: Vec<usize>,
    /// How many runs there have been.
    runs: usize,
}

impl Runs {
    /// An engine that has not run anything yet.
    pub fn new(lowered: Arc<Lowered>, properties: &[usize]) -> Runs {
        Runs { lowered, properties: properties.to_vec(), runs: 0 }
    }

    /// One run after the other, until the interrupt is raised or nothing is open.
    fn search(&mut self, context: &Context) -> Reason {
        let graph = Graph::new(self.lowered.clone());
        let mut runner = Runner::new(&graph, context.seed ^ self.runs as u64);
        loop {
            if context.open(self.properties.len()).is_empty() {
                return Reason::SettledElsewhere;
            }
            // The first run is a long one: a program may have no inputs at all.
            let length = if self.runs.is_multiple_of(8) { MAX_STEPS } else { 200 };
            let spread = self.runs;
            self.runs += 1;
            let (mut at, mut state) = (0, runner.start(spread));
            let (first, mut inputs) = (state.clone(), Vec::new());
            for step in 0..length {
                if step.is_multiple_of(STEPS_A_LOOK) && context.interrupt.poll() {
                    return Reason::Interrupted;
                }
                let Some(taken) = runner.step(at, &state, spread) else { break };
                (at, state) = (taken.to, taken.state);
                inputs.push(taken.inputs);
                if self.lowered.blocks.errors.contains(&Some(at)) {
                    self.violated(context, at, &first, &inputs);
                    break;
                }
            }
        }
    }

    /// A run has come to an error place.
    fn violated(&self, context: &Context, at: usize, first: &[Value], inputs: &[Vec<Value>]) {
        let blocks = &self.lowered.blocks;
        let initial: FxHashMap<VariableId, Value> =
            blocks.cuts[0].live.iter().copied().zip(first.iter().cloned()).collect();
        for (position, &property) in self.properties.iter().enumerate() {
            if blocks.errors[property] != Some(at) || !context.is_open(position) {
                continue;
            }
            // Where a step begins is known from those before it.
            let given = |cut: usize, values: &[Value]| -> FxHashMap<TermId, Value> {
                blocks.cuts[cut].inputs.iter().copied().zip(values.iter().cloned()).collect()
            };
            let trace = self.lowered.block_run(property, &initial, |step, cut| {
                inputs.get(step).map(|values| given(cut, values))
            });
            if let Ok(trace) = trace {
                context.violate(position, trace);
            }
        }
    }
}

impl Engine for Runs {
    fn name(&self) -> &'static str {
        "runs"
    }

    fn run(&mut self, context: &Context) -> End {
        let open = context.open(self.properties.len()).len();
        context.emit(|| Event::Started { engine: "runs", open });
        let reason = self.search(context);
        let open = context.open(self.properties.len()).len();
        context.emit(|| Event::Finished { open, progress: self.progress() });
        End { reason, safe_up_to: None }
    }

    fn progress(&self) -> Progress {
        Progress::default()
    }
}
