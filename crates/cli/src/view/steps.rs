//! A run of a program, in the lines of its source.

use pedra_model::bv::Bv;
use pedra_model::value::Value;
use pedra_program::interpreter::{Machine, replay_with};
use pedra_program::{Action, Program, ProgramTrace, Span, Variable};

/// A statement of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceStep {
    /// Where it stands.
    pub span: Span,
    /// What it says.
    pub text: String,
    /// What it changed: names, with values as the source would write them.
    pub changes: Vec<(String, String)>,
}

/// The statements of a run.
pub fn steps_of(program: &Program, trace: &ProgramTrace) -> Vec<SourceStep> {
    let mut steps = Vec::new();
    let visit = |step: usize, machine: &Machine<'_>| {
        let edge = program.edge(trace.steps[step].edge);
        if edge.text.is_empty() {
            return;
        }
        let updates = match &edge.action {
            Action::Step(action) => &action.updates[..],
            Action::Call(_) => &[],
        };
        let changed = updates.iter().filter_map(|(id, _)| {
            let variable = program.variable(*id);
            let name = variable.name.as_deref()?;
            Some((name.to_owned(), shown(variable, machine.value(*id)?)?))
        });
        let (span, text, changes) = (edge.span, edge.text.to_string(), changed.collect());
        steps.push(SourceStep { span, text, changes });
    };
    // The trace was replayed before; a part of it is better than nothing.
    let _ = replay_with(program, trace, visit);
    steps
}

/// One line a statement: where it stands, what it says, and what it changed.
pub fn source_steps(program: &Program, trace: &ProgramTrace) -> Vec<String> {
    let steps = steps_of(program, trace);
    let places: Vec<String> = steps.iter().map(|s| program.location(s.span, false)).collect();
    let width = |texts: &mut dyn Iterator<Item = &String>| {
        texts.map(|text| text.chars().count()).max().unwrap_or(0).min(48)
    };
    let first = width(&mut places.iter());
    let second = width(&mut steps.iter().map(|step| &step.text));
    let line = |(step, place): (&SourceStep, &String)| {
        let changes: Vec<String> =
            step.changes.iter().map(|(name, value)| format!("{name} = {value}")).collect();
        let (text, changed) = (&step.text, changes.join(", "));
        format!("  {place:<first$}  {text:<second$}  {changed}").trim_end().to_owned()
    };
    steps.iter().zip(&places).map(line).collect()
}

/// A value as the source would write it; nothing for arrays.
fn shown(variable: &Variable, value: &Value) -> Option<String> {
    match value {
        Value::Bv(bv) => Some(number(bv, variable.is_signed)),
        Value::Int(integer) => Some(integer.to_string()),
        Value::Array(_) | Value::IntArray(_) => None,
    }
}

fn number(value: &Bv, is_signed: bool) -> String {
    match is_signed && value.bit(value.width() - 1) {
        true => format!("-{}", Bv::zero(value.width()).sub(value).to_decimal()),
        false => value.to_decimal(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_signs() {
        let value = |n| Bv::from_i64(8, n);
        assert_eq!(number(&value(-1), true), "-1");
        assert_eq!(number(&value(-1), false), "255");
        assert_eq!(number(&value(-128), true), "-128");
        assert_eq!(number(&value(127), true), "127");
    }
}
