//! Which procedures call each other.

use crate::graph::{Action, ProcedureId, Program};

/// The strongly connected components of the part of the call graph that the entry reaches.
#[derive(Clone, Debug)]
pub struct Components {
    /// For each procedure that calls itself, directly or through others, the first procedure of its
    /// component.
    first: Vec<Option<ProcedureId>>,
}

impl Components {
    /// The components of a program.
    pub fn new(program: &Program) -> Components {
        let callees: Vec<Vec<ProcedureId>> = program
            .procedures
            .iter()
            .map(|procedure| {
                let calls = procedure.edges.iter().filter_map(|edge| match &edge.action {
                    Action::Call(call) => Some(call.callee),
                    Action::Step(_) => None,
                });
                let mut calls: Vec<ProcedureId> = calls.collect();
                calls.sort_unstable();
                calls.dedup();
                calls
            })
            .collect();
        let reached_from = |start: ProcedureId| {
            let mut seen = vec![false; callees.len()];
            let mut stack = callees[start.index()].clone();
            while let Some(id) = stack.pop() {
                if !std::mem::replace(&mut seen[id.index()], true) {
                    stack.extend(&callees[id.index()]);
                }
            }
            seen
        };
        let mut used = reached_from(program.entry);
        used[program.entry.index()] = true;
        let reached: Vec<Option<Vec<bool>>> = (0..callees.len())
            .map(|index| used[index].then(|| reached_from(ProcedureId::new(index))))
            .collect();
        let reaches = |from: usize, to: usize| reached[from].as_ref().is_some_and(|all| all[to]);
        let first = (0..callees.len())
            .map(|index| {
                let mut all = 0..callees.len();
                let first = all.find(|&other| reaches(index, other) && reaches(other, index));
                first.map(ProcedureId::new)
            })
            .collect();
        Components { first }
    }

    /// Whether two procedures call each other, directly or through others.
    pub fn are_together(&self, a: ProcedureId, b: ProcedureId) -> bool {
        self.first[a.index()].is_some() && self.first[a.index()] == self.first[b.index()]
    }

    /// Whether a procedure calls itself, directly or through others.
    pub fn is_recursive(&self, procedure: ProcedureId) -> bool {
        self.first[procedure.index()].is_some()
    }

    /// The procedures that call themselves, directly or through others.
    pub fn recursive(&self) -> Vec<ProcedureId> {
        let ids = (0..self.first.len()).map(ProcedureId::new);
        ids.filter(|id| self.first[id.index()].is_some()).collect()
    }
}
