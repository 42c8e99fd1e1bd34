//! A number for what a program means, so that two processes can see whether they speak of the same.

use crate::graph::{Action, Call, Edge, Procedure, Program, Property, Step};
use pedra_model::term::TermId;
use rustc_hash::FxHasher;
use std::hash::{Hash, Hasher};

/// Where the hash begins: any number but zero.
const START: u64 = 0x9e37_79b9_7f4a_7c15;

impl Program {
    /// A number for terms, places, edges and properties: equal graphs have equal numbers. Names,
    /// texts and positions do not count. It tells builds and options apart, and no more: another
    /// program with the same number can be made.
    pub fn fingerprint(&self) -> u64 {
        let mut hasher = FxHasher::default();
        let into = &mut hasher;
        // A state of zero would forget how many zeros come first.
        START.hash(into);
        self.terms.len().hash(into);
        for (id, term) in self.terms.iter() {
            (term, self.terms.sort(id)).hash(into);
        }
        self.variables.len().hash(into);
        self.variables.iter().for_each(|variable| variable.term.hash(into));
        (&self.globals, &self.external, self.entry, self.procedures.len()).hash(into);
        self.procedures.iter().for_each(|procedure| hash_procedure(procedure, into));
        self.properties.len().hash(into);
        for Property { error, kind, .. } in &self.properties {
            (error, kind).hash(into);
        }
        (&self.limits, self.summaries.len()).hash(into);
        for summary in &self.summaries {
            (summary.procedure, summary.entry, summary.exit).hash(into);
            (&summary.before, &summary.after).hash(into);
        }
        hasher.finish()
    }
}

fn hash_procedure(procedure: &Procedure, into: &mut FxHasher) {
    let Procedure { parameters, results, variables, places, edges, entry, exit, .. } = procedure;
    (parameters, results, variables, entry, exit).hash(into);
    places.len().hash(into);
    places.iter().for_each(|place| place.head_of.is_some().hash(into));
    edges.len().hash(into);
    for Edge { from, to, action, .. } in edges {
        (from, to).hash(into);
        match action {
            Action::Step(step) => hash_step(step, into),
            Action::Call(Call { callee, arguments, results }) => {
                (1_u8, callee, arguments, results).hash(into);
            }
        }
    }
}

fn hash_step(step: &Step, into: &mut FxHasher) {
    let inputs: Vec<TermId> = step.inputs.iter().map(|input| input.term).collect();
    (0_u8, inputs, step.guard, &step.updates, step.checks.len()).hash(into);
    step.checks.iter().for_each(|check| (check.holds, check.kind).hash(into));
    let returns = step.returns.as_ref();
    returns.map(|returns| (returns.summary, &returns.before, &returns.after)).hash(into);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::{Span, VariableId};
    use pedra_model::term::Sort;

    /// `x := x` with a guard, from the entry to the exit.
    fn program() -> Program {
        let mut program = Program::new();
        let span = Span::default();
        let x = program.add_variable(Sort::Bv(8), Some("x"), "char", false, span);
        let y = program.add_variable(Sort::BOOL, Some("y"), "bool", false, span);
        let mut main = Procedure::new("main", span);
        main.variables = vec![x, y];
        let guard = Some(program.term_of(y));
        let updates = vec![(x, program.term_of(x))];
        let action = Action::Step(Step { guard, updates, ..Step::default() });
        let (from, to) = (main.entry, main.exit);
        main.add_edge(Edge { from, to, action, span, text: "".into() });
        program.procedures.push(main);
        program
    }

    #[test]
    fn what_matters_counts_and_names_do_not() {
        let known = program().fingerprint();
        let mut renamed = program();
        renamed.files.push("x.c".into());
        renamed.variables[0].name = None;
        renamed.procedures[0].edges[0].span.line = 7;
        assert_eq!(renamed.fingerprint(), known);
        type Change = fn(&mut Program);
        let changes: [Change; 6] = [
            |p| {
                p.terms.new_symbol(Sort::Int);
            },
            |p| p.globals.push(VariableId::new(0)),
            |p| p.procedures[0].variables.swap(0, 1),
            |p| match &mut p.procedures[0].edges[0].action {
                Action::Step(step) => step.guard = None,
                Action::Call(_) => unreachable!("there is none"),
            },
            |p| {
                p.procedures[0].add_place(Span::default());
            },
            |p| p.procedures[0].parameters.push(VariableId::new(1)),
        ];
        for change in changes {
            let mut changed = program();
            change(&mut changed);
            assert_ne!(changed.fingerprint(), known);
        }
    }
}
