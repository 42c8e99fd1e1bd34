//! The explicit-state oracle for recursive programs: what each procedure returns is tabulated, so
//! that recursion without bound has finitely many states.
//!
//! T. Reps, S. Horwitz, M. Sagiv: *Precise Interprocedural Dataflow Analysis via Graph
//! Reachability* (POPL 1995), on concrete values: a state belongs to the activation of a procedure
//! with certain first values, for all its callers.

use crate::sparse::all_values;
use pedra_model::program::{EdgeRef, TraceStep};
use pedra_model::term::{Sort, TermId};
use pedra_model::value::Value;
use pedra_program::interpreter::{Machine, arbitrary_at_call, evaluate, initial_variables};
use pedra_program::{
    Action, Call, Edge, EdgeId, Input, InputKind, PlaceRef, ProcedureId, Program, Step, VariableId,
};
use std::collections::{HashMap, HashSet};

/// For each property whether a run reaches its error place, undefined steps allowed; `None` if
/// there are more than `limit` states.
pub fn tabulate_program(program: &Program, limit: usize) -> Option<Vec<bool>> {
    // In each of these, calls are steps with arbitrary results, and another procedure is the entry.
    let plain = without_calls(program);
    let ids = (0..plain.procedures.len()).map(ProcedureId::new);
    let plain: Vec<Program> = ids.map(|entry| Program { entry, ..plain.clone() }).collect();
    let mut table = Table {
        program,
        plain: &plain,
        limit,
        activations: Vec::new(),
        known: HashMap::new(),
        states: Vec::new(),
        seen: HashSet::new(),
    };
    let sorts: Vec<Sort> =
        initial_variables(program).map(|v| program.terms.sort(program.term_of(v))).collect();
    for initial in all_values(&sorts) {
        table.activation(program.entry, initial)?;
    }
    let mut next = 0;
    while next < table.states.len() {
        table.follow(next)?;
        next += 1;
    }
    let reached: HashSet<PlaceRef> = table.states.iter().map(|(_, m)| m.place()).collect();
    let errors = program.properties.iter().map(|property| property.error);
    Some(errors.map(|error| reached.contains(&error)).collect())
}

/// The program with steps for calls: the inputs are the new values of the results, then of the
/// globals.
fn without_calls(program: &Program) -> Program {
    let mut plain = program.clone();
    for index in 0..plain.procedures.len() {
        for edge in 0..plain.procedures[index].edges.len() {
            let Edge { action: Action::Call(call), .. } = &plain.procedures[index].edges[edge]
            else {
                continue;
            };
            let mut step = Step::default();
            let results = call.results.clone();
            // A result that is a global has the value of the result.
            let globals = plain.globals.iter().copied();
            for variable in results.clone().into_iter().chain(globals) {
                let sort = plain.terms.sort(plain.variables[variable.index()].term);
                let term = plain.terms.new_symbol(sort);
                step.inputs.push(Input { term, kind: InputKind::Choice });
                if step.updates.iter().all(|(updated, _)| *updated != variable) {
                    step.updates.push((variable, term));
                }
            }
            plain.procedures[index].edges[edge].action = Action::Step(step);
        }
    }
    plain
}

/// A procedure with certain first values.
#[derive(Default)]
struct Activation {
    /// The values of results and globals with which it returns.
    exits: Vec<Vec<Value>>,
    /// The states and edges that call it.
    callers: Vec<(usize, EdgeRef)>,
}

struct Table<'p> {
    program: &'p Program,
    plain: &'p [Program],
    limit: usize,
    activations: Vec<Activation>,
    /// By procedure and values, as text.
    known: HashMap<(ProcedureId, String), usize>,
    /// States, each with its activation.
    states: Vec<(usize, Machine<'p>)>,
    seen: HashSet<(usize, PlaceRef, String)>,
}

impl Table<'_> {
    /// The activation of a procedure with these values of globals and of its variables.
    fn activation(&mut self, procedure: ProcedureId, initial: Vec<Value>) -> Option<usize> {
        let key = (procedure, format!("{initial:?}"));
        if let Some(&known) = self.known.get(&key) {
            return Some(known);
        }
        let machine = Machine::start(&self.plain[procedure.index()], &initial);
        let id = self.activations.len();
        self.activations.push(Activation::default());
        self.known.insert(key, id);
        self.add(id, machine.expect("values of the right sorts"))?;
        Some(id)
    }

    fn follow(&mut self, state: usize) -> Option<()> {
        let (activation, machine) = self.states[state].clone();
        let at = machine.place();
        let procedure = self.program.procedure(at.procedure);
        if at.place == procedure.exit {
            let exit = procedure.results.iter().chain(&self.program.globals);
            let exit: Vec<Value> =
                exit.map(|&v| machine.value(v).expect("it is in scope").clone()).collect();
            if !self.activations[activation].exits.contains(&exit) {
                self.activations[activation].exits.push(exit.clone());
                for (caller, edge) in self.activations[activation].callers.clone() {
                    self.take(caller, edge, exit.clone())?;
                }
            }
            return Some(());
        }
        for (index, edge) in procedure.edges.iter().enumerate().filter(|(_, e)| e.from == at.place)
        {
            let name = EdgeRef { procedure: at.procedure, edge: EdgeId::new(index) };
            match &edge.action {
                Action::Call(call) => self.call(state, name, call, &machine)?,
                Action::Step(step) => {
                    let sort = |input: &Input| self.program.terms.sort(input.term);
                    for values in all_values(&step.inputs.iter().map(sort).collect::<Vec<_>>()) {
                        self.take(state, name, values)?;
                    }
                }
            }
        }
        Some(())
    }

    fn call(&mut self, from: usize, edge: EdgeRef, call: &Call, at: &Machine<'_>) -> Option<()> {
        let program = self.program;
        let variables: HashMap<TermId, VariableId> = (0..program.variables.len())
            .map(|index| (program.variables[index].term, VariableId::new(index)))
            .collect();
        let arguments = evaluate(&program.terms, call.arguments.iter().copied(), |symbol| {
            at.value(variables[&symbol]).expect("it is in scope")
        });
        let callee = program.procedure(call.callee);
        let others: Vec<VariableId> = arbitrary_at_call(callee).collect();
        let sort = |v: &VariableId| program.terms.sort(program.term_of(*v));
        for arbitrary in all_values(&others.iter().map(sort).collect::<Vec<_>>()) {
            let global = |v: &VariableId| at.value(*v).expect("it is in scope").clone();
            let mut initial: Vec<Value> = program.globals.iter().map(global).collect();
            for variable in &callee.variables {
                let parameter = callee.parameters.iter().position(|p| p == variable);
                initial.push(match parameter {
                    Some(index) => arguments[&call.arguments[index]].clone(),
                    None => {
                        let index = others.iter().position(|other| other == variable);
                        arbitrary[index.expect("it is no parameter")].clone()
                    }
                });
            }
            let activation = self.activation(call.callee, initial)?;
            self.activations[activation].callers.push((from, edge));
            for exit in self.activations[activation].exits.clone() {
                self.take(from, edge, exit)?;
            }
        }
        Some(())
    }

    /// Takes an edge, if it can be taken.
    fn take(&mut self, from: usize, edge: EdgeRef, values: Vec<Value>) -> Option<()> {
        let (activation, mut machine) = self.states[from].clone();
        match machine.take(&TraceStep { edge, values }) {
            Ok(_) => self.add(activation, machine),
            Err(_) => Some(()),
        }
    }
}

impl<'p> Table<'p> {
    fn add(&mut self, activation: usize, machine: Machine<'p>) -> Option<()> {
        let values = format!("{:?}", machine.values());
        if self.seen.insert((activation, machine.place(), values)) {
            self.states.push((activation, machine));
        }
        (self.states.len() <= self.limit).then_some(())
    }
}
