//! BTOR2 witnesses: counterexamples in the format of `btorsim`.
//!
//! ```text
//! sat
//! b0                   the violated properties; `j0` for a justice set
//! #0                   states of step 0
//! 1 0011 counter#0     index, binary value, symbol
//! 2 [01] 1111 mem#0    one element of an array
//! @0                   inputs of step 0
//! 0 1 enable@0
//! .
//! ```
//!
//! A witness of a justice set is a lasso: the state after the last step is that of an earlier one,
//! which the file does not name.
//!
//! Indices count the inputs or states of the model from 0. A state part is needed only where
//! the model leaves a choice: in step 0 for states without init, later for states without
//! next. Values of other states follow from the model; where a file gives them they are kept, so
//! that a replay can find those that contradict the model. What has no value is unknown; `x`
//! digits say so for single bits.

use super::line::{Line, Word, decode, shown};
use crate::error::FormatError;
use pedra_model::bits::Name;
use pedra_model::bv::Bv;
use pedra_model::system::System;
use pedra_model::trace::WordTrace;
use pedra_model::value::{ArrayValue, TernaryBv, TernaryValue};
use rustc_hash::FxHashSet;
use std::fmt::Write as _;

/// A counterexample and all the properties that its file claims to violate.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Witness {
    /// Numbers of properties, see [`System::property`]; at least one, the trace names the first.
    pub properties: Vec<usize>,
    /// The path.
    pub trace: WordTrace,
}

/// Reads a file with one witness.
pub fn read(bytes: &[u8], system: &System) -> Result<Witness, FormatError> {
    let text = decode(bytes)?;
    let mut reader = Reader::new(system, bytes.len());
    for (index, text) in text.split('\n').enumerate() {
        reader.line(&mut Line::new(text, index + 1))?;
    }
    reader.finish()
}

/// Where in a witness the reader is.
#[derive(Copy, Clone, PartialEq, Eq)]
enum Part {
    Header,
    Properties,
    /// Before the first frame.
    Start,
    States,
    Inputs,
    End,
}

struct Reader<'a> {
    system: &'a System,
    part: Part,
    properties: Vec<usize>,
    states: Vec<Vec<Option<TernaryValue>>>,
    inputs: Vec<Vec<TernaryValue>>,
    /// Which bit-vectors have a value in the current part, and which arrays a default.
    assigned: Vec<bool>,
    /// Which elements of arrays have a value in the current part.
    cells: FxHashSet<(usize, Bv)>,
    /// How many values may be kept, so that a small file cannot take all memory.
    room: usize,
    last_line: usize,
}

impl<'a> Reader<'a> {
    fn new(system: &'a System, length: usize) -> Reader<'a> {
        // An honest file may leave out most values, but not without limit.
        const VALUES_ALWAYS: usize = 1 << 22;
        const VALUES_PER_BYTE: usize = 64;
        Reader {
            system,
            part: Part::Header,
            properties: Vec::new(),
            states: Vec::new(),
            inputs: Vec::new(),
            assigned: Vec::new(),
            cells: FxHashSet::default(),
            room: VALUES_ALWAYS.max(length.saturating_mul(VALUES_PER_BYTE)),
            last_line: 1,
        }
    }

    fn line(&mut self, line: &mut Line<'_>) -> Result<(), FormatError> {
        let Some(word) = line.word() else { return Ok(()) };
        self.last_line = line.number;
        match (self.part, word.text.as_bytes()[0]) {
            (Part::Header, _) => self.header(line, word),
            (Part::Properties, _) => self.property(line, word),
            (Part::End, _) => Err(line.error(word.column, "text after the end of the witness")),
            (_, b'#' | b'@') => self.frame(line, word),
            (_, b'.') if word.text == "." && self.part != Part::Start => {
                self.part = Part::End;
                Ok(())
            }
            (Part::Start, _) => Err(line.error(word.column, "the frame `#0` or `@0` is missing")),
            _ => self.assignment(line, word),
        }
    }

    fn header(&mut self, line: &mut Line<'_>, word: Word<'_>) -> Result<(), FormatError> {
        if word.text == "sat" && line.word().is_none() {
            self.part = Part::Properties;
            return Ok(());
        }
        let text = match word.text {
            "unsat" => "the file says that no property is violated".into(),
            other => format!("a witness starts with `sat`, not `{}`", shown(other)),
        };
        Err(line.error(word.column, text))
    }

    fn property(&mut self, line: &mut Line<'_>, first: Word<'_>) -> Result<(), FormatError> {
        let mut next = Some(first);
        while let Some(word) = next {
            let (bads, sets) = (self.system.bads.len(), self.system.justice.len());
            let (digits, first, count) = match word.text.split_at_checked(1) {
                Some(("b", digits)) => (digits, 0, bads),
                Some(("j", digits)) => (digits, bads, sets),
                _ => {
                    let text = format!("a property such as `b0`, not `{}`", shown(word.text));
                    return Err(line.error(word.column, text));
                }
            };
            let number = Word { text: digits, column: word.column };
            let index = line.parse_number(number, "the property")?;
            match usize::try_from(index).ok().filter(|&i| i < count) {
                Some(index) => self.properties.push(first + index),
                None => {
                    let name = shown(word.text);
                    let text = format!("there is no property {name}: the model has {count}");
                    return Err(line.error(word.column, text));
                }
            }
            next = line.word();
        }
        self.part = Part::Start;
        Ok(())
    }

    /// A line `#k` or `@k`.
    fn frame(&mut self, line: &mut Line<'_>, word: Word<'_>) -> Result<(), FormatError> {
        let number = Word { text: &word.text[1..], column: word.column };
        let step = line.parse_number(number, "the step")?;
        if line.word().is_some() {
            return Err(line.error(word.column, "a frame must be on a separate line"));
        }
        let is_states = word.text.starts_with('#');
        let begun = self.states.len() as u64;
        // Inputs may follow the states of their step; everything else starts the next step.
        let continues =
            !is_states && self.part == Part::States && begun.checked_sub(1) == Some(step);
        if !continues {
            if step != begun {
                let text = format!("step {step} where step {begun} must come");
                return Err(line.error(word.column, text));
            }
            self.new_step(line, word)?;
        }
        self.part = if is_states { Part::States } else { Part::Inputs };
        self.assigned.clear();
        let count = if is_states { self.system.states.len() } else { self.system.inputs.len() };
        self.assigned.resize(count, false);
        self.cells.clear();
        Ok(())
    }

    /// A step in which nothing is known.
    fn new_step(&mut self, line: &Line<'_>, word: Word<'_>) -> Result<(), FormatError> {
        let system = self.system;
        let values = system.states.len() + system.inputs.len();
        self.room = self.room.checked_sub(values).ok_or_else(|| {
            line.error(word.column, "too many steps with too few values for this model")
        })?;
        let is_first = self.states.is_empty();
        let unknown = |term| TernaryValue::unknown(system.terms.sort(term));
        let states = system.states.iter().map(|s| {
            let is_free = if is_first { s.init.is_none() } else { s.next.is_none() };
            is_free.then(|| unknown(s.term))
        });
        self.states.push(states.collect());
        self.inputs.push(system.inputs.iter().map(|i| unknown(i.term)).collect());
        Ok(())
    }

    /// A line `index value`, `index [address] value` or `index [*] value`.
    fn assignment(&mut self, line: &mut Line<'_>, word: Word<'_>) -> Result<(), FormatError> {
        let is_state = self.part == Part::States;
        let what = if is_state { "state" } else { "input" };
        let index = line.parse_number(word, "the index")?;
        let count = self.assigned.len();
        let Some(index) = usize::try_from(index).ok().filter(|&i| i < count) else {
            let text = format!("there is no {what} {index}: the model has {count}");
            return Err(line.error(word.column, text));
        };
        let term = match is_state {
            true => self.system.states[index].term,
            false => self.system.inputs[index].term,
        };
        let sort = self.system.terms.sort(term);
        let step = self.states.len() - 1;
        let target = match is_state {
            // A value that follows from the model is a claim like any other.
            true => self.states[step][index].get_or_insert_with(|| TernaryValue::unknown(sort)),
            false => &mut self.inputs[step][index],
        };
        match target {
            TernaryValue::Bv(value) => {
                if std::mem::replace(&mut self.assigned[index], true) {
                    let text = format!("{what} {index} has two values in this step");
                    return Err(line.error(word.column, text));
                }
                let word = line.expect("the value")?;
                *value = digits(line, word, value.width())?;
            }
            TernaryValue::Array(array) => {
                let cells = &mut self.cells;
                let is_new = |at: &Bv| cells.insert((index, at.clone()));
                element(line, array, &mut self.assigned[index], is_new)?;
            }
            TernaryValue::Opaque(_) => {
                return Err(line.error(word.column, format!("{what} {index} is not a bit-vector")));
            }
        }
        Ok(())
    }

    fn finish(self) -> Result<Witness, FormatError> {
        if self.part != Part::End {
            let text = match self.part {
                Part::Header => "the witness is empty",
                Part::Properties => "the property is missing",
                Part::Start => "the first frame is missing",
                _ => "the witness is cut off: no `.` at its end",
            };
            return Err(FormatError::at(self.last_line, 1, text));
        }
        let property = self.properties[0];
        let trace =
            WordTrace { property, states: self.states, inputs: self.inputs, loop_start: None };
        Ok(Witness { properties: self.properties, trace })
    }
}

/// A word of this many digits `0`, `1` or `x`.
fn digits(line: &Line<'_>, word: Word<'_>, width: u32) -> Result<TernaryBv, FormatError> {
    let is_digits = word.text.bytes().all(|b| matches!(b, b'0' | b'1' | b'x' | b'X'));
    if !is_digits {
        let text = format!("`{}` is not a binary value", shown(word.text));
        return Err(line.error(word.column, text));
    }
    if word.text.len() as u64 != width as u64 {
        let text = format!("the value has {} bits where {width} are needed", word.text.len());
        return Err(line.error(word.column, text));
    }
    Ok(TernaryBv::parse(word.text).expect("digits, and at least one"))
}

/// One element of an array, or with `[*]` (or, as some tools have it, no address) all others.
fn element(
    line: &mut Line<'_>,
    array: &mut ArrayValue<TernaryBv>,
    has_default: &mut bool,
    mut is_new: impl FnMut(&Bv) -> bool,
) -> Result<(), FormatError> {
    let (index, element) = (array.index_width(), array.default_element().width());
    let word = line.expect("the value")?;
    let (address, value) = match word.text.strip_prefix('[') {
        None => (None, word),
        Some(rest) => {
            let Some((address, glued)) = rest.split_once(']') else {
                return Err(line.error(word.column, "the `]` of the address is missing"));
            };
            let place = Word { text: address, column: word.column + 1 };
            let column = word.column + address.len() + 2;
            let value = match glued.is_empty() {
                true => line.expect("the value")?,
                false => Word { text: glued, column },
            };
            (Some(place).filter(|place| place.text != "*"), value)
        }
    };
    if let Some(address) = address {
        let at = digits(line, address, index)?;
        let Some(at) = at.as_known() else {
            return Err(line.error(address.column, "an address cannot be unknown"));
        };
        if !is_new(at) {
            let text = format!("element {} has two values in this step", address.text);
            return Err(line.error(address.column, text));
        }
        array.set(at.clone(), digits(line, value, element)?);
        return Ok(());
    }
    if std::mem::replace(has_default, true) {
        return Err(line.error(word.column, "a second value for all other elements"));
    }
    let mut filled = ArrayValue::new(index, digits(line, value, element)?);
    for (at, element) in array.entries() {
        filled.set(at.clone(), element.clone());
    }
    *array = filled;
    Ok(())
}

/// Prints a counterexample. Other tools know no `x`, and any value will do for an unknown bit,
/// so unknown bits are written as 0. Only what the model leaves open is written for states.
pub fn write(system: &System, trace: &WordTrace) -> String {
    let mut known = trace.clone();
    let states = known.states.iter_mut().flatten().flatten();
    for value in known.inputs.iter_mut().flatten().chain(states) {
        *value = value.zero_filled().into();
    }
    write_unknown(system, &known)
}

/// The same for our own use, with `x` for unknown bits.
pub fn write_unknown(system: &System, trace: &WordTrace) -> String {
    let mut out = format!("sat\n{}\n", system.property(trace.property));
    for (step, (states, inputs)) in trace.states.iter().zip(&trace.inputs).enumerate() {
        let mut part = String::new();
        for (index, (state, value)) in system.states.iter().zip(states).enumerate() {
            let follows = if step == 0 { state.init } else { state.next }.is_some();
            if let Some(value) = value.as_ref().filter(|_| !follows) {
                assignment(&mut part, index, value, &state.name, '#', step);
            }
        }
        if step == 0 || !part.is_empty() {
            let _ = writeln!(out, "#{step}");
            out.push_str(&part);
        }
        let _ = writeln!(out, "@{step}");
        for (index, (input, value)) in system.inputs.iter().zip(inputs).enumerate() {
            assignment(&mut out, index, value, &input.name, '@', step);
        }
    }
    out.push_str(".\n");
    out
}

fn assignment(
    out: &mut String,
    index: usize,
    value: &TernaryValue,
    name: &Name,
    mark: char,
    step: usize,
) {
    let mut line = |address: &str, value: &TernaryBv| {
        // Writing to a string cannot fail.
        let _ = write!(out, "{index} {address}{}", value.to_digits());
        if let Some(name) = name {
            let _ = write!(out, " {}{mark}{step}", name.replace(char::is_whitespace, "_"));
        }
        out.push('\n');
    };
    match value {
        TernaryValue::Bv(value) => line("", value),
        TernaryValue::Array(array) => {
            // The usual default of array inputs is zero, and not all tools read `[*]` there.
            let default = array.default_element();
            if mark == '#' || !default.as_known().is_some_and(Bv::is_zero) {
                line("[*] ", default);
            }
            for (at, element) in array.entries() {
                line(&format!("[{}] ", at.to_binary()), element);
            }
        }
        // The format has no word for them, and the writer of models refuses them.
        TernaryValue::Opaque(_) => {}
    }
}
