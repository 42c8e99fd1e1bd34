//! Witnesses as YAML.

use super::{Constraint, Content, Place, Waypoint, Witness};
use std::fmt::Write as _;

/// The text of a witness.
pub fn write(witness: &Witness) -> String {
    let meta = &witness.metadata;
    let kind = match witness.content {
        Content::Violation(_) => "violation_sequence",
        Content::Correctness(_) => "invariant_set",
    };
    let mut out = Out(String::new());
    out.line(0, &format!("- entry_type: {}", quoted(kind)));
    out.line(1, "metadata:");
    out.field(2, "format_version", &meta.format_version);
    out.field(2, "uuid", &meta.uuid);
    out.field(2, "creation_time", &meta.creation_time);
    out.line(2, "producer:");
    out.field(3, "name", &meta.producer.0);
    out.field(3, "version", &meta.producer.1);
    out.line(2, "task:");
    out.line(3, "input_files:");
    for (file, _) in &meta.input_files {
        out.line(3, &format!("- {}", quoted(file)));
    }
    out.line(3, "input_file_hashes:");
    for (file, hash) in &meta.input_files {
        out.line(4, &format!("{}: {}", quoted(file), quoted(hash)));
    }
    out.field(3, "specification", &meta.specification);
    out.field(3, "data_model", meta.data_model.name());
    out.field(3, "language", "C");
    match &witness.content {
        Content::Violation(segments) => {
            out.line(1, "content:");
            for segment in segments {
                out.line(1, "- segment:");
                segment.iter().for_each(|waypoint| out.waypoint(waypoint));
            }
        }
        Content::Correctness(invariants) if invariants.is_empty() => out.line(1, "content: []"),
        Content::Correctness(invariants) => {
            out.line(1, "content:");
            for invariant in invariants {
                let kind = if invariant.is_loop { "loop_invariant" } else { "location_invariant" };
                out.line(1, "- invariant:");
                out.field(3, "type", kind);
                out.place(3, &invariant.place);
                out.field(3, "value", &invariant.value);
                out.field(3, "format", "c_expression");
            }
        }
    }
    out.0
}

struct Out(String);

// Writing to a string cannot fail.
impl Out {
    fn line(&mut self, depth: usize, text: &str) {
        let _ = writeln!(self.0, "{:1$}{text}", "", 2 * depth);
    }

    fn field(&mut self, depth: usize, name: &str, value: &str) {
        self.line(depth, &format!("{name}: {}", quoted(value)));
    }

    fn place(&mut self, depth: usize, place: &Place) {
        self.line(depth, "location:");
        self.field(depth + 1, "file_name", &place.file);
        self.line(depth + 1, &format!("line: {}", place.line));
        if let Some(column) = place.column {
            self.line(depth + 1, &format!("column: {column}"));
        }
        if let Some(function) = &place.function {
            self.field(depth + 1, "function", function);
        }
    }

    fn waypoint(&mut self, waypoint: &Waypoint) {
        let (kind, value, format) = match &waypoint.constraint {
            Constraint::Assumption(value) => ("assumption", Some(value), Some("c_expression")),
            Constraint::Branching(value) => ("branching", Some(value), None),
            Constraint::FunctionEnter => ("function_enter", None, None),
            Constraint::FunctionReturn(value) => {
                ("function_return", Some(value), Some("acsl_expression"))
            }
            Constraint::Target => ("target", None, None),
        };
        self.line(2, "- waypoint:");
        self.field(4, "type", kind);
        self.field(4, "action", if waypoint.is_avoided { "avoid" } else { "follow" });
        self.place(4, &waypoint.place);
        if let Some(value) = value {
            self.line(4, "constraint:");
            self.field(5, "value", value);
            if let Some(format) = format {
                self.field(5, "format", format);
            }
        }
    }
}

/// A string in double quotes; YAML reads JSON's escapes.
fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            c if c.is_control() => {
                let _ = write!(out, "\\u{:04x}", c as u32);
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out
}
