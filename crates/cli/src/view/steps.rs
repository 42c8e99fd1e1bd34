//! A run of a program, in the lines of its source.

use crate::report::SourcePlace;
use pedra_model::bv::Bv;
use pedra_model::value::Value;
use pedra_program::interpreter::{Machine, replay_with};
use pedra_program::{Action, Program, ProgramTrace, Variable};

/// A statement of a run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SourceStep {
    /// Where it stands.
    pub place: SourcePlace,
    /// What it says.
    pub text: String,
    /// What it changed, for example `x = 1, y = 2`.
    pub changed: String,
}

/// The statements of a run that the source shows, in their order.
pub fn source_steps(program: &Program, trace: &ProgramTrace) -> Vec<SourceStep> {
    let mut steps = Vec::new();
    let visit = |step: usize, machine: &Machine<'_>| {
        let edge = program.edge(trace.steps[step].edge);
        if edge.text.is_empty() {
            return;
        }
        let changed = match &edge.action {
            Action::Step(action) => {
                let changed = action.updates.iter().filter_map(|(id, _)| {
                    let variable = program.variable(*id);
                    let name = variable.name.as_deref()?;
                    Some(format!("{name} = {}", shown(variable, machine.value(*id)?)?))
                });
                changed.collect::<Vec<String>>().join(", ")
            }
            Action::Call(_) => String::new(),
        };
        let place = SourcePlace::of(program, edge.span);
        steps.push(SourceStep { place, text: edge.text.to_string(), changed });
    };
    // The trace was replayed before; a part of it is better than nothing.
    let _ = replay_with(program, trace, visit);
    steps
}

/// One line a statement, in columns.
pub fn step_lines(steps: &[SourceStep]) -> Vec<String> {
    let parts = |step: &SourceStep| {
        let place = format!("{}:{}", step.place.file, step.place.line);
        (place, step.text.clone(), step.changed.clone())
    };
    let lines: Vec<(String, String, String)> = steps.iter().map(parts).collect();
    let width = |part: fn(&(String, String, String)) -> &String| {
        lines.iter().map(|line| part(line).chars().count()).max().unwrap_or(0).min(48)
    };
    let (first, second) = (width(|line| &line.0), width(|line| &line.1));
    let text = |(place, text, changed): &(String, String, String)| {
        format!("  {place:<first$}  {text:<second$}  {changed}").trim_end().to_owned()
    };
    lines.iter().map(text).collect()
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
