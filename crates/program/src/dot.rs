//! The graph of a program as a DOT drawing: a cluster for each procedure, places with their lines,
//! loop heads doubled, error places filled, edges with their statements.

use crate::graph::{Action, Edge, PlaceId, PlaceRef, Procedure, ProcedureId, Program};
use std::fmt::Write as _;

/// Draws a program.
pub fn write_dot(program: &Program) -> String {
    let mut out = String::from("digraph program {\n  node [shape=circle fontname=monospace];\n");
    out.push_str("  edge [fontname=monospace];\n");
    for (index, procedure) in program.procedures.iter().enumerate() {
        // Writing to a string cannot fail, here and below.
        let _ = writeln!(out, "  subgraph cluster_{index} {{");
        let _ = writeln!(out, "    label={};", quoted(&procedure.name));
        write_procedure(program, ProcedureId::new(index), procedure, &mut out);
        out.push_str("  }\n");
    }
    out.push_str("}\n");
    out
}

fn write_procedure(program: &Program, id: ProcedureId, procedure: &Procedure, out: &mut String) {
    for (index, place) in procedure.places.iter().enumerate() {
        let at = PlaceRef { procedure: id, place: PlaceId::new(index) };
        let property = program.properties.iter().position(|p| p.error == at);
        let shape = match (property, &place.head_of) {
            (Some(_), _) => "shape=octagon style=filled fillcolor=lightcoral",
            (None, Some(_)) => "shape=doublecircle",
            (None, None) if at.place == procedure.entry || at.place == procedure.exit => {
                "shape=box"
            }
            (None, None) => "shape=circle",
        };
        let line = match place.span.line {
            0 => String::new(),
            line => format!("\n:{line}"),
        };
        let label = match property {
            Some(property) => format!("property {property}{line}"),
            None if at.place == procedure.entry => format!("entry{line}"),
            None if at.place == procedure.exit => "exit".into(),
            None => format!("{index}{line}"),
        };
        let _ = writeln!(out, "    p{}_{index} [{shape} label={}];", id.index(), quoted(&label));
    }
    for edge in &procedure.edges {
        let (from, to) = (edge.from.index(), edge.to.index());
        let label = quoted(&label(program, edge));
        let _ = writeln!(out, "    p{0}_{from} -> p{0}_{to} [label={label}];", id.index());
    }
}

/// The statement, or what the edge does where there is none.
fn label(program: &Program, edge: &Edge) -> String {
    let name = |id| program.variable(id).name.as_deref().unwrap_or("_");
    match &edge.action {
        _ if !edge.text.is_empty() => edge.text.to_string(),
        Action::Call(call) => format!("call {}", program.procedure(call.callee).name),
        Action::Step(step) => {
            let guard = if step.guard.is_some() { "[…] " } else { "" };
            let names: Vec<&str> = step.updates.iter().map(|&(v, _)| name(v)).collect();
            match names.is_empty() {
                true => guard.trim_end().to_owned(),
                false => format!("{guard}{} := …", names.join(", ")),
            }
        }
    }
}

/// A quoted DOT string.
fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for character in text.chars() {
        match character {
            '"' | '\\' => out.extend(['\\', character]),
            '\n' => out.push_str("\\n"),
            character if character.is_control() => out.push(' '),
            character => out.push(character),
        }
    }
    out.push('"');
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::{Span, Step};

    #[test]
    fn statements_are_quoted() {
        let mut program = Program::new();
        let mut main = Procedure::new("main", Span::default());
        let edge = |text: &str| Edge {
            from: main.entry,
            to: main.exit,
            action: Action::Step(Step::default()),
            span: Span::default(),
            text: text.into(),
        };
        let edges = [edge("puts(\"a\\n\")"), edge("")];
        main.edges.extend(edges);
        program.procedures.push(main);
        let text = write_dot(&program);
        assert!(text.contains(r#"p0_0 -> p0_1 [label="puts(\"a\\n\")"];"#), "{text}");
        assert!(text.contains(r#"p0_0 -> p0_1 [label=""];"#), "{text}");
        assert_eq!(text.matches('{').count(), text.matches('}').count());
    }
}
