//! How often a run comes to a place of the source.

use pedra_program::{Action, EdgeRef, Program, ProgramTrace, Span};

/// A run, with the depth of calls at each step.
pub(super) struct Visits<'a> {
    program: &'a Program,
    trace: &'a ProgramTrace,
    depths: Vec<usize>,
}

impl<'a> Visits<'a> {
    pub(super) fn of(program: &'a Program, trace: &'a ProgramTrace) -> Visits<'a> {
        let mut calls: Vec<EdgeRef> = Vec::new();
        let mut depths = Vec::with_capacity(trace.steps.len());
        for step in &trace.steps {
            depths.push(calls.len());
            let (mut at, mut edge) = (step.edge, program.edge(step.edge));
            if let Action::Call(_) = edge.action {
                calls.push(at);
                continue;
            }
            while edge.to == program.procedure(at.procedure).exit {
                let Some(call) = calls.pop() else { break };
                (at, edge) = (call, program.edge(call));
            }
        }
        Visits { program, trace, depths }
    }

    /// The steps with which the run comes to a place: several steps of one statement are one visit,
    /// and so is a statement with all that it calls.
    pub(super) fn at(&self, is_here: impl Fn(Span) -> bool) -> Vec<usize> {
        let mut found = Vec::new();
        // For each call that is under way the first step of the visit.
        let mut visits: Vec<Option<EdgeRef>> = Vec::new();
        for (index, (step, &depth)) in self.trace.steps.iter().zip(&self.depths).enumerate() {
            let edge = self.program.edge(step.edge);
            if edge.text.is_empty() {
                continue;
            }
            visits.resize(depth + 1, None);
            let visit = &mut visits[depth];
            if !is_here(edge.span) {
                *visit = None;
            } else if visit.is_none_or(|first| first == step.edge) {
                *visit = Some(step.edge);
                found.push(index);
            }
        }
        found
    }
}
