//! The safety of a program as constrained Horn clauses: one predicate for each place of the
//! statement-level graph, over all variables, and one clause for each edge.
//!
//! ```text
//! entry:  P_entry(x)
//! edge:   P_from(x) ∧ guard(x, i)  →  P_to(updates(x, i))
//! error:  P_error(x)               →  false
//! ```
//!
//! `sat` means that every property is proved, `unsat` that some property is violated, undefined
//! steps allowed. For instance `z3 fp.engine=spacer FILE`.

use super::{ChcError, Printer, quoted, sort};
use pedra_model::term::TermId;
use pedra_program::{Action, Edge, PlaceId, Procedure, Program, VariableId};
use std::fmt::Write as _;

/// Writes the safety of all properties of a program without calls as Horn clauses.
///
/// # Errors
/// If it has calls or no property.
pub fn write_program_chc(program: &Program) -> Result<String, ChcError> {
    if program.properties.is_empty() {
        return Err(ChcError::NoProperty);
    }
    let body = program.procedure(program.entry);
    if body.edges.iter().any(|edge| matches!(edge.action, Action::Call(_))) {
        return Err(ChcError::Calls);
    }
    let variables: Vec<VariableId> =
        program.globals.iter().chain(&body.variables).copied().collect();
    let mut printer = Printer::new(&program.terms, "n");
    let mut names = Vec::new();
    for (index, &variable) in variables.iter().enumerate() {
        let name = program.variable(variable).name.as_deref().unwrap_or("");
        names.push(quoted(&format!("v{index}:{name}")));
        printer.bind(program.term_of(variable), names[index].clone());
    }
    let mut clauses = Clauses { program, body, variables, names, printer, out: String::new() };
    clauses.write()?;
    Ok(clauses.out)
}

struct Clauses<'a> {
    program: &'a Program,
    body: &'a Procedure,
    /// The arguments of all predicates.
    variables: Vec<VariableId>,
    names: Vec<String>,
    printer: Printer<'a>,
    out: String,
}

impl Clauses<'_> {
    fn write(&mut self) -> Result<(), ChcError> {
        self.out.push_str("; sat: all properties proved, unsat: some property violated\n");
        self.out.push_str("(set-logic HORN)\n");
        let sorts: Vec<String> = self.variables.iter().map(|&v| self.sort(v)).collect();
        for place in 0..self.body.places.len() {
            // Writing to a string cannot fail, here and below.
            let _ = writeln!(self.out, "(declare-fun P{place} ({}) Bool)", sorts.join(" "));
        }
        let names = self.names.clone();
        let entry = self.predicate(self.body.entry, &names);
        self.clause(&[], &[], &[], &entry)?;
        for edge in &self.body.edges {
            self.edge(edge)?;
        }
        for property in &self.program.properties {
            let error = self.predicate(property.error.place, &names);
            self.clause(&[], &[], &[error], "false")?;
        }
        self.out.push_str("(check-sat)\n");
        Ok(())
    }

    fn sort(&self, variable: VariableId) -> String {
        sort(self.program.terms.sort(self.program.term_of(variable)))
    }

    fn predicate(&self, place: PlaceId, arguments: &[String]) -> String {
        match arguments {
            [] => format!("P{}", place.index()),
            _ => format!("(P{} {})", place.index(), arguments.join(" ")),
        }
    }

    fn edge(&mut self, edge: &Edge) -> Result<(), ChcError> {
        let Action::Step(step) = &edge.action else { return Err(ChcError::Calls) };
        let mut inputs = Vec::new();
        for (index, input) in step.inputs.iter().enumerate() {
            let name = quoted(&format!("i{index}:"));
            self.printer.bind(input.term, name.clone());
            inputs.push((name, input.term));
        }
        let roots: Vec<TermId> =
            step.updates.iter().map(|&(_, value)| value).chain(step.guard).collect();
        let mut conditions = vec![self.predicate(edge.from, &self.names)];
        let guard = step.guard.map(|guard| format!("(= {} #b1)", self.printer.reference(guard)));
        conditions.extend(guard);
        let mut arguments = self.names.clone();
        for &(variable, value) in &step.updates {
            let position = self.variables.iter().position(|v| *v == variable);
            arguments[position.expect("updates are of variables in scope")] =
                self.printer.reference(value);
        }
        let head = self.predicate(edge.to, &arguments);
        self.clause(&inputs, &roots, &conditions, &head)
    }

    /// `∀ variables, inputs. definitions. conjunction of conditions → head`.
    fn clause(
        &mut self,
        inputs: &[(String, TermId)],
        roots: &[TermId],
        conditions: &[String],
        head: &str,
    ) -> Result<(), ChcError> {
        let has_variables = !self.names.is_empty() || !inputs.is_empty();
        self.out.push_str("(assert ");
        if has_variables {
            self.out.push_str("(forall (");
            for (name, &variable) in self.names.iter().zip(&self.variables) {
                let sort = self.sort(variable);
                let _ = write!(self.out, "({name} {sort})");
            }
            for (name, term) in inputs {
                let _ = write!(self.out, "({name} {})", sort(self.program.terms.sort(*term)));
            }
            self.out.push_str(")\n");
        }
        let lets = self.printer.open_lets(roots.iter().copied(), &mut self.out)?;
        let body = match conditions {
            [] => "true".into(),
            [one] => one.clone(),
            more => format!("(and {})", more.join(" ")),
        };
        let quantifier = if has_variables { ")" } else { "" };
        let _ = writeln!(self.out, "(=> {body} {head}){}{quantifier})", ")".repeat(lets));
        Ok(())
    }
}
