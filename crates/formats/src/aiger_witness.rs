//! Witnesses of AIGER models, in the format of the hardware model checking competition and of
//! `aigsim`:
//!
//! ```text
//! 1            some property is violated
//! b0           which: one or several; `j0` for a justice set
//! 0x           the latches in the first step
//! 10           the inputs, one line a step
//! 11
//! .            the end
//! ```
//!
//! A witness of a justice set is a lasso: the state after the last step is that of an earlier one,
//! which the file does not name.
//!
//! Digits are `0`, `1` and `x`. A model without latches or without inputs has *empty* lines for
//! them. Lines that start with `c` are comments. A file may hold several witnesses.

use crate::error::FormatError;
use pedra_model::bits::BitSystem;
use pedra_model::trace::BitTrace;
use pedra_model::value::Ternary;
use std::collections::BTreeSet;

/// A witness: one path and the properties that the file says it violates.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Witness {
    /// Numbers of properties, see [`BitSystem::property`]; at least one, each once.
    pub properties: Vec<usize>,
    /// The latches in the first step.
    pub initial: Vec<Ternary>,
    /// The inputs in each step, at least one.
    pub inputs: Vec<Vec<Ternary>>,
}

impl Witness {
    /// The trace for one property.
    pub fn trace(&self, property: usize) -> BitTrace {
        BitTrace {
            property,
            initial: self.initial.clone(),
            inputs: self.inputs.clone(),
            loop_start: None,
        }
    }
}

/// Reads the witnesses of a file, at least one.
///
/// # Errors
/// Whatever is wrong with the format, and digits that do not fit the system. A file that holds
/// an answer without a witness is an error too.
pub fn read(text: &[u8], system: &BitSystem) -> Result<Vec<Witness>, FormatError> {
    let mut lines = Lines { rest: text, number: 0, ends_open: false };
    let mut witnesses = Vec::new();
    while let Some(line) = lines.next_line() {
        match line.trim_ascii() {
            b"" => {}
            b"1" => witnesses.push(read_one(&mut lines, system)?),
            other => return Err(no_witness(&lines, other)),
        }
    }
    if witnesses.is_empty() {
        return Err(FormatError::at(lines.number.max(1), 1, "there is no witness in this file"));
    }
    Ok(witnesses)
}

/// Writes a trace as a witness. Latches that the trace leaves to a constant reset get that
/// value, since other tools expect it.
pub fn write(trace: &BitTrace, system: &BitSystem) -> String {
    let digits = |values: &[Ternary]| values.iter().map(|v| v.to_char()).collect::<String>();
    let mut initial = trace.initial.clone();
    for (value, latch) in initial.iter_mut().zip(&system.latches) {
        if *value == Ternary::Unknown {
            *value = latch.reset.constant().into();
        }
    }
    let property = system.property(trace.property);
    let mut out = format!("1\n{property}\n{}\n", digits(&initial));
    for inputs in &trace.inputs {
        out.push_str(&digits(inputs));
        out.push('\n');
    }
    out.push_str(".\n");
    out
}

/// The lines of a file without comments and without line endings.
struct Lines<'a> {
    rest: &'a [u8],
    /// Of the last line given out, counted from 1.
    number: usize,
    /// The last line given out had no line ending.
    ends_open: bool,
}

impl<'a> Lines<'a> {
    fn next_line(&mut self) -> Option<&'a [u8]> {
        while !self.rest.is_empty() {
            let end = self.rest.iter().position(|&b| b == b'\n');
            let line = &self.rest[..end.unwrap_or(self.rest.len())];
            self.rest = end.map_or(&[], |end| &self.rest[end + 1..]);
            self.number += 1;
            self.ends_open = end.is_none();
            if line.first() != Some(&b'c') {
                return Some(line.strip_suffix(b"\r").unwrap_or(line));
            }
        }
        None
    }

    /// A line that must be there.
    fn expect(&mut self, what: &str) -> Result<&'a [u8], FormatError> {
        self.next_line().ok_or_else(|| {
            let message = format!("the file ends, but {what} should follow");
            FormatError::at(self.number + 1, 1, message)
                .with_hint("was the witness cut off? it ends with a line `.`")
        })
    }

    fn error(&self, column: usize, message: impl Into<String>) -> FormatError {
        FormatError::at(self.number, column, message)
    }
}

/// What is wrong with a line that should start a witness.
fn no_witness(lines: &Lines, line: &[u8]) -> FormatError {
    match line {
        b"0" => lines.error(1, "the answer is 0, \"never violated\": it has no witness"),
        b"2" => lines.error(1, "the answer is 2, \"unknown\": it has no witness"),
        [b'u', digits @ ..] if !digits.is_empty() && digits.iter().all(u8::is_ascii_digit) => {
            lines.error(1, "this is a bound, \"not violated up to that step\", not a witness")
        }
        b"sat" => lines
            .error(1, "expected `1`, found `sat`")
            .with_hint("witnesses that start with `sat` belong to BTOR2 models"),
        other => {
            let word = other[..other.len().min(20)].escape_ascii();
            lines.error(1, format!("expected `1`, the start of a witness, found `{word}`"))
        }
    }
}

/// What follows the status line.
fn read_one(lines: &mut Lines, system: &BitSystem) -> Result<Witness, FormatError> {
    let line = lines.expect("a line of properties such as `b0`")?;
    let properties = read_properties(lines, line, system)?;
    let line = lines.expect("the line of initial latches")?;
    let initial = read_digits(lines, line, "latch", system.latches.len())?;
    let mut inputs = Vec::new();
    loop {
        let line = lines.expect("a step or the final `.`")?;
        if line.trim_ascii_end() == b"." {
            break;
        }
        // Of an unfinished file the last line may be an unfinished line.
        if lines.ends_open && line.len() < system.inputs.len() {
            return Err(lines.error(line.len() + 1, "the file ends within a step"));
        }
        inputs.push(read_digits(lines, line, "input", system.inputs.len())?);
    }
    if inputs.is_empty() {
        return Err(lines
            .error(1, "a witness has at least one step")
            .with_hint("a step without inputs is an empty line"));
    }
    Ok(Witness { properties, initial, inputs })
}

/// A line such as `b0`, `b0b3` or `b0 b3`.
fn read_properties(
    lines: &Lines,
    line: &[u8],
    system: &BitSystem,
) -> Result<Vec<usize>, FormatError> {
    let mut properties = Vec::new();
    let mut seen = BTreeSet::new();
    let mut at = 0;
    while at < line.len() {
        let start = at;
        at += 1;
        let safety = system.properties().len();
        let (kind, first, count) = match line[start] {
            b' ' | b'\t' => continue,
            b'b' => ("property", 0, safety),
            b'j' => ("justice set", safety, system.justice.len()),
            b'o' if system.outputs_are_bads() => ("property", 0, safety),
            b'o' => {
                let message = "this names an output, but the properties are bad literals";
                return Err(lines.error(start + 1, message));
            }
            other => {
                let message =
                    format!("expected a property such as `b0`, found `{}`", other.escape_ascii());
                return Err(lines.error(start + 1, message));
            }
        };
        let digits = line[at..].iter().take_while(|b| b.is_ascii_digit()).count();
        let index = std::str::from_utf8(&line[at..at + digits]).unwrap_or_default();
        at += digits;
        if index.is_empty() {
            return Err(lines.error(at + 1, "expected the index of a property"));
        }
        match index.parse::<usize>().ok().filter(|&i| i < count) {
            None => {
                let message = format!("there is no {kind} {index}, only {count} in all");
                return Err(lines.error(start + 1, message));
            }
            Some(index) if !seen.insert(first + index) => {
                return Err(lines.error(start + 1, format!("{kind} {index} is named twice")));
            }
            Some(index) => properties.push(first + index),
        }
    }
    if properties.is_empty() {
        return Err(lines.error(1, "expected a property such as `b0`, found an empty line"));
    }
    Ok(properties)
}

/// A line of exactly this many digits.
fn read_digits(
    lines: &Lines,
    line: &[u8],
    kind: &str,
    count: usize,
) -> Result<Vec<Ternary>, FormatError> {
    let line = line.trim_ascii_end();
    let digit = |(i, &byte): (usize, &u8)| {
        Ternary::from_char(char::from(byte)).ok_or_else(|| {
            let found = byte.escape_ascii();
            lines.error(
                i + 1,
                format!("expected 0, 1 or x as the value of {kind} {i}, found `{found}`"),
            )
        })
    };
    let values = line.iter().enumerate().map(digit).collect::<Result<Vec<_>, _>>()?;
    if values.len() == count {
        return Ok(values);
    }
    let noun = if values.len() == 1 { "value" } else { "values" };
    let message = format!("{} {kind} {noun}, but the model has {count}", values.len());
    let error = lines.error(values.len().min(count) + 1, message);
    Err(if count == 0 {
        error.with_hint(format!("a model without any {kind} has an empty line here"))
    } else {
        error
    })
}
