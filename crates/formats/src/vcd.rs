//! Waveforms, and their VCD form for viewers such as GTKWave and Surfer.
//!
//! Dots in a signal's name make its hierarchy. One step is ten time units, and the file ends a
//! step after the last one, so that the last values are visible too.

use pedra_model::value::{Ternary, TernaryBv};
use std::collections::BTreeMap;
use std::io;
use vcd::{IdCode, SimulationCommand, TimescaleUnit, Value};

/// What a signal is in the model.
#[derive(Copy, Clone, PartialEq, Eq, Debug, PartialOrd, Ord)]
pub enum SignalKind {
    /// The violated property, or another one.
    Bad,
    /// An input.
    Input,
    /// A latch or state.
    State,
    /// A constraint.
    Constraint,
    /// An output or a named inner signal.
    Wire,
}

/// One signal over time.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Signal {
    /// Its name; dots separate levels of hierarchy.
    pub name: String,
    /// What it is.
    pub kind: SignalKind,
    /// Whether the violated property depends on it.
    pub in_cone: bool,
    /// Its value at each step, all of one width.
    pub values: Vec<TernaryBv>,
}

/// Signals over a number of steps.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Waves {
    /// The signals.
    pub signals: Vec<Signal>,
    /// How many steps there are.
    pub steps: usize,
}

/// Names with more levels than this keep their further dots, whatever a file claims.
const MAX_LEVELS: usize = 32;

/// A level of the hierarchy: the signals in it by last name, and the levels below.
#[derive(Default)]
struct Scope<'a> {
    signals: Vec<(String, &'a Signal)>,
    inner: BTreeMap<String, Scope<'a>>,
}

/// A name that VCD readers accept: no white space, nothing that is not printable.
fn clean(name: &str) -> String {
    let ok = |c: char| c.is_ascii_graphic();
    let cleaned: String = name.chars().map(|c| if ok(c) { c } else { '_' }).collect();
    if cleaned.is_empty() { "_".to_owned() } else { cleaned }
}

fn hierarchy(waves: &Waves) -> Scope<'_> {
    let mut top = Scope::default();
    for signal in &waves.signals {
        let name = clean(&signal.name);
        let mut parts: Vec<&str> = name.splitn(MAX_LEVELS, '.').filter(|p| !p.is_empty()).collect();
        let last = parts.pop().unwrap_or("_").to_owned();
        let mut scope = &mut top;
        for part in parts {
            scope = scope.inner.entry(part.to_owned()).or_default();
        }
        scope.signals.push((last, signal));
    }
    top
}

/// Writes the waves as VCD.
///
/// # Errors
/// Only if a signal is wider than the format's library can declare.
pub fn write(waves: &Waves, comment: &str) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let mut writer = vcd::Writer::new(&mut bytes);
    let comment: String = comment.chars().filter(|&c| !c.is_control() && c != '$').collect();
    writer.comment(&comment)?;
    writer.timescale(1, TimescaleUnit::NS)?;
    let mut codes: Vec<(IdCode, &Signal)> = Vec::new();
    let top = hierarchy(waves);
    writer.add_module("top")?;
    let mut open = vec![(&top, top.inner.iter())];
    declare(&mut writer, &top, &mut codes)?;
    while let Some((_, inner)) = open.last_mut() {
        match inner.next() {
            Some((name, scope)) => {
                writer.add_module(name)?;
                declare(&mut writer, scope, &mut codes)?;
                open.push((scope, scope.inner.iter()));
            }
            None => {
                writer.upscope()?;
                open.pop();
            }
        }
    }
    writer.enddefinitions()?;
    for step in 0..waves.steps {
        writer.timestamp(step as u64 * 10)?;
        if step == 0 {
            writer.begin(SimulationCommand::Dumpvars)?;
        }
        for (code, signal) in &codes {
            let value = &signal.values[step];
            if step > 0 && signal.values[step - 1] == *value {
                continue;
            }
            if value.width() == 1 {
                writer.change_scalar(*code, digit(value.bit(0)))?;
            } else {
                let bits = (0..value.width()).rev().map(|i| digit(value.bit(i)));
                writer.change_vector(*code, bits)?;
            }
        }
        if step == 0 {
            writer.end()?;
        }
    }
    writer.timestamp(waves.steps as u64 * 10)?;
    Ok(bytes)
}

fn declare<'a>(
    writer: &mut vcd::Writer<&mut Vec<u8>>,
    scope: &Scope<'a>,
    codes: &mut Vec<(IdCode, &'a Signal)>,
) -> io::Result<()> {
    for (name, signal) in &scope.signals {
        let width = signal.values.first().map_or(1, |v| v.width());
        codes.push((writer.add_wire(width, name)?, signal));
    }
    Ok(())
}

fn digit(bit: Ternary) -> Value {
    match bit {
        Ternary::False => Value::V0,
        Ternary::True => Value::V1,
        Ternary::Unknown => Value::X,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn signal(name: &str, values: &[&str]) -> Signal {
        let values = values.iter().map(|v| TernaryBv::parse(v).expect("digits")).collect();
        Signal { name: name.to_owned(), kind: SignalKind::State, in_cone: true, values }
    }

    #[test]
    fn hierarchy_changes_and_end_are_written() {
        let signals = vec![
            signal("top count", &["00", "01", "01"]),
            signal("cpu.alu.carry", &["0", "x", "1"]),
        ];
        let text = write(&Waves { signals, steps: 3 }, "a $comment").expect("written");
        let text = String::from_utf8(text).expect("text");
        let expected = "$comment\n    a comment\n$end\n$timescale 1 ns $end\n$scope module top $end\n\
            $var wire 2 ! top_count $end\n$scope module cpu $end\n$scope module alu $end\n\
            $var wire 1 \" carry $end\n$upscope $end\n$upscope $end\n$upscope $end\n\
            $enddefinitions $end\n#0\n$dumpvars\nb00 !\n0\"\n$end\n#10\nb01 !\nx\"\n#20\n1\"\n#30\n";
        assert_eq!(text, expected);
    }
}
