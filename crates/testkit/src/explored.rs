//! The explicit-state oracle for programs: breadth-first search on the interpreter, over all values
//! of variables and inputs.

use crate::sparse::all_values;
use pedra_model::term::Sort;
use pedra_model::value::Value;
use pedra_program::interpreter::{Machine, initial_variables, needed};
use pedra_program::{EdgeId, EdgeRef, PlaceRef, Procedure, Program, ProgramTrace, TraceStep};
use std::collections::{BTreeMap, HashSet};

/// What the search found.
#[derive(Clone, Debug)]
pub struct ExploredProgram {
    /// For each property a shortest violation, undefined steps allowed.
    pub violated: Vec<Option<ProgramTrace>>,
    /// For each property a shortest violation without undefined steps.
    pub violated_defined: Vec<Option<ProgramTrace>>,
    /// For each place the values of all variables with which it is reached, undefined steps
    /// allowed; calls that have not returned are not told apart.
    pub reached: BTreeMap<PlaceRef, Vec<Vec<Option<Value>>>>,
}

/// Searches everything; `None` if there are more than `limit` states.
pub fn explore_program(program: &Program, limit: usize) -> Option<ExploredProgram> {
    let mut search = Search {
        limit,
        seen: HashSet::new(),
        states: Vec::new(),
        found: ExploredProgram {
            violated: vec![None; program.properties.len()],
            violated_defined: vec![None; program.properties.len()],
            reached: BTreeMap::new(),
        },
    };
    let sorts: Vec<Sort> =
        initial_variables(program).map(|v| program.terms.sort(program.term_of(v))).collect();
    for initial in all_values(&sorts) {
        let machine = Machine::start(program, &initial).expect("values of the right sorts");
        search.visit(machine, false, Parent::Start(initial))?;
    }
    let outgoing: Vec<Vec<Vec<EdgeId>>> =
        program.procedures.iter().map(Procedure::outgoing).collect();
    let mut next = 0;
    while next < search.states.len() {
        let (machine, undefined, _) = search.states[next].clone();
        let PlaceRef { procedure, place } = machine.place();
        for &edge in &outgoing[procedure.index()][place.index()] {
            let edge = EdgeRef { procedure, edge };
            let sorts: Vec<Sort> = needed(program, edge).map(|t| program.terms.sort(t)).collect();
            for values in all_values(&sorts) {
                let step = TraceStep { edge, values };
                let mut after = machine.clone();
                let Ok(failed) = after.take(&step) else { continue };
                search.visit(after, undefined || failed.is_some(), Parent::Step(next, step))?;
            }
        }
        next += 1;
    }
    Some(search.found)
}

#[derive(Clone)]
enum Parent {
    Start(Vec<Value>),
    Step(usize, TraceStep),
}

struct Search<'p> {
    limit: usize,
    seen: HashSet<String>,
    states: Vec<(Machine<'p>, bool, Parent)>,
    found: ExploredProgram,
}

impl<'p> Search<'p> {
    fn visit(&mut self, machine: Machine<'p>, undefined: bool, parent: Parent) -> Option<()> {
        let key = format!(
            "{:?} {:?} {:?} {undefined}",
            machine.place(),
            machine.values(),
            machine.stack()
        );
        if !self.seen.insert(key) {
            return Some(());
        }
        if self.states.len() >= self.limit {
            return None;
        }
        let reached = self.found.reached.entry(machine.place()).or_default();
        reached.push(machine.values().to_vec());
        let violated = machine.violated();
        self.states.push((machine, undefined, parent));
        if let Some(property) = violated {
            let trace = self.trace(property);
            if !undefined {
                self.found.violated_defined[property].get_or_insert_with(|| trace.clone());
            }
            self.found.violated[property].get_or_insert(trace);
        }
        Some(())
    }

    /// The run to the last state.
    fn trace(&self, property: usize) -> ProgramTrace {
        let mut steps = Vec::new();
        let mut at = self.states.len() - 1;
        loop {
            match &self.states[at].2 {
                Parent::Step(before, step) => {
                    steps.push(step.clone());
                    at = *before;
                }
                Parent::Start(initial) => {
                    steps.reverse();
                    return ProgramTrace { property, initial: initial.clone(), steps };
                }
            }
        }
    }
}
