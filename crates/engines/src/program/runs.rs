//! Violations by running the program: what random inputs, or none at all, lead to.
//!
//! An error that is thousands of iterations deep, but needs no particular inputs, is out of reach
//! for engines that count steps. A run costs almost nothing, so it is worth trying as well. Runs
//! prove nothing.

use super::graph::Graph;
use super::samples::{Runner, Steady};
use crate::context::{Context, End, Engine, Reason};
use crate::events::{Event, Progress};
use pedra_model::term::TermId;
use pedra_model::value::Value;
use pedra_program::{Lowered, VariableId};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// The longest run, in blocks: its trace must fit into memory, some hundred bytes for each
/// statement. Loops to a million are common in tests.
const MAX_STEPS: usize = 1_100_000;
/// Most runs are short: luck is in the first steps, and there are many of them.
const SHORT_STEPS: usize = 200;
/// Runs in which inputs keep their values may be longer: they need luck once.
const STEADY_STEPS: usize = 2_000;
/// Each run of this number is a long one.
const LONG: usize = 8;
/// After this many steps the interrupt is looked at; after more if the program has no inputs, since
/// then one run is all there is. Chosen.
const STEPS_A_LOOK: usize = 50;
const STEPS_WITHOUT_INPUTS: usize = 200;

/// Random runs of a program.
pub struct Runs {
    lowered: Arc<Lowered>,
    /// The chosen properties; outcomes are by position in this list.
    properties: Vec<usize>,
    /// How many runs there have been.
    runs: usize,
    /// The run that was interrupted at the end of the last turn.
    interrupted: Option<Run>,
}

/// A run so far.
struct Run {
    /// How far from zero inputs may be, and how many steps there may be.
    spread: usize,
    length: usize,
    /// The cut point and the state there.
    at: usize,
    state: Vec<Value>,
    /// Whether each input keeps the value that it had first, and these values.
    is_steady: bool,
    steady: Steady,
    /// The state at the entry, and the inputs of all steps.
    first: Vec<Value>,
    inputs: Vec<Vec<Value>>,
}

impl Runs {
    /// An engine that has not run anything yet.
    pub fn new(lowered: Arc<Lowered>, properties: &[usize]) -> Runs {
        Runs { lowered, properties: properties.to_vec(), runs: 0, interrupted: None }
    }

    /// One run after the other, until the interrupt is raised or nothing is open.
    fn search(&mut self, context: &Context) -> Reason {
        let graph = Graph::new(self.lowered.clone());
        let steps_before = self.interrupted.as_ref().map_or(0, |run| run.inputs.len());
        let mut runner = Runner::new(&graph, context.seed ^ (self.runs + steps_before) as u64);
        loop {
            if context.open(self.properties.len()).is_empty() {
                return Reason::SettledElsewhere;
            }
            let mut run = self.interrupted.take().unwrap_or_else(|| self.start(&mut runner));
            if !self.go_on(&mut run, &mut runner, context) {
                self.interrupted = Some(run);
                return Reason::Interrupted;
            }
        }
    }

    /// Whether anything is left to chance.
    fn has_inputs(&self) -> bool {
        self.lowered.blocks.cuts.iter().any(|cut| !cut.inputs.is_empty())
    }

    /// A new run.
    fn start(&mut self, runner: &mut Runner<'_>) -> Run {
        // Where nothing is left to chance the first run is a long one.
        let is_long = !self.has_inputs() || self.runs % LONG == LONG - 1;
        // Of the short ones every other is steady, and of the long ones.
        let is_steady =
            if is_long { (self.runs / LONG).is_multiple_of(2) } else { self.runs % 2 == 1 };
        let length = match (is_long, is_steady) {
            (true, _) => MAX_STEPS,
            (false, true) => STEADY_STEPS,
            (false, false) => SHORT_STEPS,
        };
        let spread = self.runs;
        self.runs += 1;
        let first = runner.start(spread);
        let (state, steady, inputs) = (first.clone(), Steady::default(), Vec::new());
        Run { spread, length, at: 0, state, is_steady, steady, first, inputs }
    }

    /// Continues a run to its end; false if the interrupt is raised before.
    fn go_on(&self, run: &mut Run, runner: &mut Runner<'_>, context: &Context) -> bool {
        let steps = if self.has_inputs() { STEPS_A_LOOK } else { STEPS_WITHOUT_INPUTS };
        while run.inputs.len() < run.length {
            if run.inputs.len().is_multiple_of(steps) && context.interrupt.poll() {
                return false;
            }
            let taken = match run.is_steady {
                true => runner.steady_step(run.at, &run.state, run.spread, &mut run.steady),
                false => runner.step(run.at, &run.state, run.spread),
            };
            let Some(taken) = taken else { break };
            (run.at, run.state) = (taken.to, taken.state);
            run.inputs.push(taken.inputs);
            if self.lowered.blocks.errors.contains(&Some(run.at)) {
                self.violated(context, run.at, &run.first, &run.inputs);
                break;
            }
        }
        true
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
