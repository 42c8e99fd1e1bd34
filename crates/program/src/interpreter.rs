//! The reference semantics of programs, statement by statement, on concrete values.
//!
//! A [`Machine`] is a state as [`crate::graph`] defines it. [`replay`] follows a given run and says
//! what is wrong with it; [`run`] makes one, all choices being those of an [`Oracle`]. Calls go on
//! a stack of the machine, never on that of the interpreter, and memory is bounded by the length of
//! the run.

use crate::evaluate::Cone;
pub use crate::evaluate::evaluate;
use crate::graph::{
    Action, Call, Check, EdgeRef, PlaceRef, Procedure, ProcedureId, Program, Step, VariableId,
};
use pedra_model::bv::Bv;
use pedra_model::program::{ProgramTrace, TraceStep};
use pedra_model::random::Random;
use pedra_model::term::{Scalar, Sort, TermId, Terms};
use pedra_model::value::Value;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// What a step evaluates: its guard, and if that holds everything else. Runs take the same edges
/// over and over, so this is found once.
#[derive(Debug)]
struct StepCones {
    guard: Cone,
    rest: Cone,
}

impl StepCones {
    fn new(terms: &Terms, step: &Step) -> StepCones {
        let updates = step.updates.iter().map(|&(_, value)| value);
        let rest = updates.chain(step.checks.iter().map(|check| check.holds));
        StepCones { guard: Cone::new(terms, step.guard), rest: Cone::new(terms, rest) }
    }
}

/// Why an edge cannot be taken.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum StepError {
    /// There is no such edge.
    #[error("the program has no such edge")]
    NoSuchEdge,
    /// It begins somewhere else.
    #[error("the edge begins at place {} of procedure {}, but the run is at place {} of procedure {}",
        .from.place.index(), .from.procedure.index(), .at.place.index(), .at.procedure.index())]
    WrongPlace {
        /// Where it begins.
        from: PlaceRef,
        /// Where the run is.
        at: PlaceRef,
    },
    /// Too few or too many values are given.
    #[error("{found} values are given for {expected} inputs or variables")]
    WrongCount {
        /// As many as are needed.
        expected: usize,
        /// As many as there are.
        found: usize,
    },
    /// A value is of another sort than what it is for.
    #[error("value {0} is of another sort than what it is for")]
    WrongSort(usize),
    /// The guard does not hold.
    #[error("the guard does not hold")]
    Disabled,
}

/// Why a trace is not accepted.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum TraceError {
    /// The property does not exist.
    #[error("property {property} does not exist, the program has {known}")]
    NoSuchProperty {
        /// The trace's.
        property: usize,
        /// How many there are.
        known: usize,
    },
    /// The initial values do not fit.
    #[error("initial values: {0}")]
    Initial(StepError),
    /// A step cannot be taken.
    #[error("step {step} ({location}, {text:?}): {error}")]
    Step {
        /// Its position in the trace.
        step: usize,
        /// Where its edge stands.
        location: String,
        /// The edge's text.
        text: String,
        /// What is wrong.
        error: StepError,
    },
    /// The run ends somewhere else.
    #[error("the run ends at place {} of procedure {}, not at the error place",
        .0.place.index(), .0.procedure.index())]
    NotReached(PlaceRef),
}

/// A step that is undefined: the first one of a run.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Undefined {
    /// The step's position in the run.
    pub step: usize,
    /// Its edge.
    pub edge: EdgeRef,
    /// Which of the edge's checks does not hold.
    pub check: usize,
}

impl Undefined {
    /// The check itself.
    ///
    /// # Panics
    /// If it belongs to another program.
    pub fn of<'p>(&self, program: &'p Program) -> &'p Check {
        match &program.edge(self.edge).action {
            Action::Step(step) => &step.checks[self.check],
            Action::Call(_) => panic!("calls have no checks"),
        }
    }
}

/// A call that has not returned.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Frame {
    /// The call edge.
    pub call: EdgeRef,
    /// The values that the callee's own variables had before, as far as they had any: those of
    /// the activation below.
    pub saved: Vec<Option<Value>>,
}

/// A state of a program.
#[derive(Clone, Debug)]
pub struct Machine<'p> {
    program: &'p Program,
    /// Whose symbol a term is.
    variables: Arc<FxHashMap<TermId, VariableId>>,
    place: PlaceRef,
    values: Vec<Option<Value>>,
    stack: Vec<Frame>,
    /// Of the steps that were taken or tried.
    cones: FxHashMap<EdgeRef, Arc<StepCones>>,
}

/// The variables that have a value at the start of a run, in the order of
/// [`ProgramTrace::initial`].
pub fn initial_variables(program: &Program) -> impl Iterator<Item = VariableId> + '_ {
    program.globals.iter().chain(&program.procedure(program.entry).variables).copied()
}

/// The variables of a procedure that have an arbitrary value when it is called, in the order of
/// [`TraceStep::values`].
pub fn arbitrary_at_call(procedure: &Procedure) -> impl Iterator<Item = VariableId> + '_ {
    procedure.variables.iter().copied().filter(|v| !procedure.parameters.contains(v))
}

impl<'p> Machine<'p> {
    /// The state at the start of a run.
    ///
    /// # Errors
    /// If the values do not fit [`ProgramTrace::initial`].
    pub fn start(program: &'p Program, initial: &[Value]) -> Result<Machine<'p>, StepError> {
        let place = program.procedure(program.entry).entry;
        let place = PlaceRef { procedure: program.entry, place };
        let values = vec![None; program.variables.len()];
        let ids = (0..program.variables.len()).map(VariableId::new);
        let variables = Arc::new(ids.map(|v| (program.term_of(v), v)).collect());
        let (stack, cones) = (Vec::new(), FxHashMap::default());
        let mut machine = Machine { program, variables, place, values, stack, cones };
        let variables: Vec<VariableId> = initial_variables(program).collect();
        machine.check_values(variables.iter().map(|&v| program.term_of(v)), initial)?;
        for (variable, value) in variables.into_iter().zip(initial) {
            machine.values[variable.index()] = Some(value.clone());
        }
        Ok(machine)
    }

    /// The place.
    pub fn place(&self) -> PlaceRef {
        self.place
    }

    /// The value of a variable in scope.
    pub fn value(&self, variable: VariableId) -> Option<&Value> {
        self.values[variable.index()].as_ref()
    }

    /// The values of all variables, by their ids; those of procedures that were never entered
    /// have none.
    pub fn values(&self) -> &[Option<Value>] {
        &self.values
    }

    /// The calls that have not returned, outermost first.
    pub fn stack(&self) -> &[Frame] {
        &self.stack
    }

    /// The property whose error place this is.
    pub fn violated(&self) -> Option<usize> {
        self.program.properties.iter().position(|p| p.error == self.place)
    }

    /// Takes an edge, and returns from all procedures whose exit is reached thereby. Says which
    /// of the edge's checks did not hold, if one did not.
    ///
    /// # Errors
    /// If the edge cannot be taken; the state is unchanged then.
    pub fn take(&mut self, step: &TraceStep) -> Result<Option<usize>, StepError> {
        let program = self.program;
        let procedure = program.procedures.get(step.edge.procedure.index());
        let edge = procedure.and_then(|p| p.edges.get(step.edge.edge.index()));
        let edge = edge.ok_or(StepError::NoSuchEdge)?;
        let from = PlaceRef { procedure: step.edge.procedure, place: edge.from };
        if from != self.place {
            return Err(StepError::WrongPlace { from, at: self.place });
        }
        let failed = match &edge.action {
            Action::Step(action) => {
                let failed = self.assign(step.edge, action, &step.values)?;
                self.place.place = edge.to;
                failed
            }
            Action::Call(call) => {
                self.call(step.edge, call, &step.values)?;
                None
            }
        };
        self.return_from_exits();
        Ok(failed)
    }

    /// Whether the guard of an edge that begins here holds, the values being of the right sorts.
    fn is_enabled(&self, step: &TraceStep) -> bool {
        let Action::Step(action) = &self.program.edge(step.edge).action else { return true };
        let inputs = action.inputs.iter().map(|input| input.term).zip(&step.values).collect();
        let holds = |guard| self.evaluate([guard], &inputs)[&guard].as_bv().is_true();
        action.guard.is_none_or(holds)
    }

    fn check_values(
        &self,
        symbols: impl ExactSizeIterator<Item = TermId>,
        values: &[Value],
    ) -> Result<(), StepError> {
        if symbols.len() != values.len() {
            return Err(StepError::WrongCount { expected: symbols.len(), found: values.len() });
        }
        let fits = |(term, value): (TermId, &Value)| self.program.terms.sort(term) == value.sort();
        match symbols.zip(values).position(|pair| !fits(pair)) {
            Some(index) => Err(StepError::WrongSort(index)),
            None => Ok(()),
        }
    }

    /// The values of terms over the variables and the step's inputs.
    fn evaluate(
        &self,
        roots: impl IntoIterator<Item = TermId>,
        inputs: &FxHashMap<TermId, &Value>,
    ) -> FxHashMap<TermId, Value> {
        evaluate(&self.program.terms, roots, |term| self.symbol(term, inputs))
    }

    /// The value of a variable or of one of the step's inputs.
    fn symbol<'v>(&'v self, term: TermId, inputs: &FxHashMap<TermId, &'v Value>) -> &'v Value {
        match inputs.get(&term) {
            Some(value) => value,
            None => self.value(self.variables[&term]).expect("variables in scope have values"),
        }
    }

    fn assign(
        &mut self,
        edge: EdgeRef,
        step: &Step,
        given: &[Value],
    ) -> Result<Option<usize>, StepError> {
        self.check_values(step.inputs.iter().map(|input| input.term), given)?;
        let terms = &self.program.terms;
        let cones = self.cones.entry(edge).or_insert_with(|| StepCones::new(terms, step).into());
        let cones = cones.clone();
        let inputs = step.inputs.iter().map(|input| input.term).zip(given).collect();
        let symbol = |term| self.symbol(term, &inputs);
        if let Some(guard) = step.guard
            && !cones.guard.values(terms, symbol).get(guard).as_bv().is_true()
        {
            return Err(StepError::Disabled);
        }
        let values = cones.rest.values(terms, symbol);
        let holds = |check: &Check| values.get(check.holds).as_bv().is_true();
        let failed = step.checks.iter().position(|check| !holds(check));
        for &(variable, term) in &step.updates {
            self.values[variable.index()] = Some(values.get(term).clone());
        }
        Ok(failed)
    }

    fn call(&mut self, edge: EdgeRef, call: &Call, given: &[Value]) -> Result<(), StepError> {
        let program = self.program;
        let callee = program.procedure(call.callee);
        let arbitrary: Vec<VariableId> = arbitrary_at_call(callee).collect();
        self.check_values(arbitrary.iter().map(|&v| program.term_of(v)), given)?;
        let values = self.evaluate(call.arguments.iter().copied(), &FxHashMap::default());
        let saved = callee.variables.iter().map(|v| self.values[v.index()].take()).collect();
        for (parameter, argument) in callee.parameters.iter().zip(&call.arguments) {
            self.values[parameter.index()] = Some(values[argument].clone());
        }
        for (variable, value) in arbitrary.into_iter().zip(given) {
            self.values[variable.index()] = Some(value.clone());
        }
        self.stack.push(Frame { call: edge, saved });
        self.place = PlaceRef { procedure: call.callee, place: callee.entry };
        Ok(())
    }

    fn return_from_exits(&mut self) {
        let program = self.program;
        loop {
            let callee = program.procedure(self.place.procedure);
            if self.place.place != callee.exit {
                return;
            }
            let Some(frame) = self.stack.pop() else { return };
            let edge = program.edge(frame.call);
            let Action::Call(call) = &edge.action else { unreachable!("frames are of calls") };
            let results: Vec<Option<Value>> =
                callee.results.iter().map(|v| self.values[v.index()].clone()).collect();
            for (variable, value) in callee.variables.iter().zip(frame.saved) {
                self.values[variable.index()] = value;
            }
            for (variable, value) in call.results.iter().zip(results) {
                self.values[variable.index()] = value;
            }
            self.place = PlaceRef { procedure: frame.call.procedure, place: edge.to };
        }
    }
}

/// An accepted trace.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Replayed {
    /// The first undefined step, if there is one. The run then shows nothing about the source
    /// program from there on.
    pub undefined: Option<Undefined>,
}

/// Replays a violation.
///
/// # Errors
/// If it is none.
pub fn replay(program: &Program, trace: &ProgramTrace) -> Result<Replayed, TraceError> {
    replay_with(program, trace, |_, _| {})
}

/// Replays a violation and shows the state after each step, with the step's position.
///
/// # Errors
/// If it is none; the states up to the error were shown then.
pub fn replay_with(
    program: &Program,
    trace: &ProgramTrace,
    mut visit: impl FnMut(usize, &Machine<'_>),
) -> Result<Replayed, TraceError> {
    let (property, known) = (trace.property, program.properties.len());
    if property >= known {
        return Err(TraceError::NoSuchProperty { property, known });
    }
    let mut machine = Machine::start(program, &trace.initial).map_err(TraceError::Initial)?;
    let mut undefined = None;
    for (step, taken) in trace.steps.iter().enumerate() {
        let failed =
            machine.take(taken).map_err(|error| step_error(program, step, taken, error))?;
        let edge = taken.edge;
        undefined = undefined.or(failed.map(|check| Undefined { step, edge, check }));
        visit(step, &machine);
    }
    // A run to a limit counts as one to every error place, and is never a defined one.
    let is_limit = undefined.is_some() && program.limits.contains(&machine.place);
    match is_limit || machine.place == program.properties[property].error {
        true => Ok(Replayed { undefined }),
        false => Err(TraceError::NotReached(machine.place)),
    }
}

fn step_error(program: &Program, step: usize, taken: &TraceStep, error: StepError) -> TraceError {
    let EdgeRef { procedure, edge } = taken.edge;
    let procedure = program.procedures.get(procedure.index());
    let edge = procedure.and_then(|procedure| procedure.edges.get(edge.index()));
    let location = edge.map_or("?".into(), |edge| program.location(edge.span, true));
    let text = edge.map_or(String::new(), |edge| edge.text.to_string());
    TraceError::Step { step, location, text, error }
}

/// Where the choices of a free run come from.
pub trait Oracle {
    /// A value.
    fn value(&mut self, sort: Sort) -> Value;

    /// One of this many edges; a number below `count`, which is at least 1.
    fn choose(&mut self, count: usize) -> usize;
}

/// Choices by chance: small values, extreme ones and any.
impl Oracle for Random {
    fn value(&mut self, sort: Sort) -> Value {
        let mut word = |width: u32| match self.below(4) {
            0 => Bv::from_u64(width, self.word() % 4),
            1 => Bv::zero(width).sub(&Bv::from_u64(width, self.word() % 4)),
            _ => {
                let limbs = (0..width.div_ceil(64)).map(|_| self.word()).collect();
                Bv::from_limbs(width, limbs)
            }
        };
        let mut scalar = |sort: Scalar| match sort {
            Scalar::Bv(width) => Value::Bv(word(width)),
            Scalar::Int => Value::Int(word(64).to_bigint()),
        };
        match sort {
            Sort::Bv(width) => scalar(Scalar::Bv(width)),
            Sort::Int => scalar(Scalar::Int),
            Sort::Array { index, element } => Value::everywhere(index, &scalar(element)),
        }
    }

    fn choose(&mut self, count: usize) -> usize {
        self.below(count)
    }
}

/// A run, whether it violates something or not.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Run {
    /// As in [`ProgramTrace::initial`].
    pub initial: Vec<Value>,
    /// As in [`ProgramTrace::steps`].
    pub steps: Vec<TraceStep>,
    /// Where it ended.
    pub end: PlaceRef,
    /// Its first undefined step.
    pub undefined: Option<Undefined>,
}

/// Runs a program until no edge is enabled, at most `limit` steps, all choices being the oracle's.
/// `visit` sees each state.
pub fn run(
    program: &Program,
    oracle: &mut dyn Oracle,
    limit: usize,
    mut visit: impl FnMut(&Machine<'_>),
) -> Run {
    let variables = initial_variables(program).map(|v| program.term_of(v));
    let initial: Vec<Value> = variables.map(|t| oracle.value(program.terms.sort(t))).collect();
    let mut machine = Machine::start(program, &initial).expect("values of the variables' sorts");
    let outgoing: Vec<_> = program.procedures.iter().map(Procedure::outgoing).collect();
    let (mut steps, mut undefined) = (Vec::new(), None);
    visit(&machine);
    while steps.len() < limit {
        let PlaceRef { procedure, place } = machine.place;
        let mut enabled: Vec<TraceStep> = Vec::new();
        for &edge in &outgoing[procedure.index()][place.index()] {
            let edge = EdgeRef { procedure, edge };
            let values = needed(program, edge).map(|term| oracle.value(program.terms.sort(term)));
            let step = TraceStep { edge, values: values.collect() };
            if machine.is_enabled(&step) {
                enabled.push(step);
            }
        }
        if enabled.is_empty() {
            break;
        }
        let step = enabled.swap_remove(oracle.choose(enabled.len()));
        let failed = machine.take(&step).expect("an enabled edge");
        let undefined_here = |check| Undefined { step: steps.len(), edge: step.edge, check };
        undefined = undefined.or(failed.map(undefined_here));
        steps.push(step);
        visit(&machine);
    }
    Run { initial, steps, end: machine.place, undefined }
}

/// The symbols for which a [`TraceStep`] of this edge has values.
///
/// # Panics
/// If there is no such edge.
pub fn needed(program: &Program, edge: EdgeRef) -> Box<dyn Iterator<Item = TermId> + '_> {
    let arbitrary = |callee: ProcedureId| arbitrary_at_call(program.procedure(callee));
    match &program.edge(edge).action {
        Action::Step(step) => Box::new(step.inputs.iter().map(|input| input.term)),
        Action::Call(call) => Box::new(arbitrary(call.callee).map(|v| program.term_of(v))),
    }
}
