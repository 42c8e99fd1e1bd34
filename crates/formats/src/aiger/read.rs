//! The header, the sections that both encodings share, and the coded gates.
//!
//! Sections go straight into a [`BitSystem`], with the literals of the file. For a binary file
//! those are final. For an ascii file [`super::ascii`] renumbers them once all gates are known.
//! No room is ever made for what the header merely promises: each thing takes bytes in the
//! file, and the bytes left bound what is reserved.

use super::ascii::{self, Gate};
use super::cursor::Cursor;
use super::symbols;
use crate::error::FormatError;
use pedra_model::bits::{BitSystem, Latch, Reset};
use pedra_model::lit::{Lit, Var};

/// Inputs of a binary file take no bytes of their own, but an input in use takes at least one
/// where it is used. Files may have this many more than that.
const UNUSED_INPUTS: usize = 1 << 16;

/// Reads an AIGER file of either encoding.
///
/// # Errors
/// Whatever is wrong, with its line and column, or its offset in the coded gates and after.
pub fn read(bytes: &[u8]) -> Result<BitSystem, FormatError> {
    let mut cursor = Cursor::new(bytes);
    let header = Header::read(&mut cursor)?;
    let mut system = BitSystem::new();
    if header.binary {
        let leaves = header.inputs as usize + header.latches as usize;
        let gates = (header.gates as usize).min(cursor.remaining() / 2);
        system.inputs = (1..=header.inputs as usize).map(Var::new).collect();
        read_sections(&mut cursor, &header, &mut system)?;
        system.aig.reserve(leaves + gates);
        for _ in 0..leaves {
            system.aig.push_leaf();
        }
        read_coded_gates(&mut cursor, &header, &mut system)?;
        check_resets(bytes, &system, 2)?;
    } else {
        system.inputs = read_lines(&mut cursor, "input", header.inputs, |c| {
            read_defined(c, &header, "an input")
        })?;
        let latch_line = cursor.line();
        read_sections(&mut cursor, &header, &mut system)?;
        let gates = read_lines(&mut cursor, "gate", header.gates, |c| read_gate(c, &header))?;
        ascii::renumber(bytes, header.max_var, &mut system, &gates)?;
        check_resets(bytes, &system, latch_line)?;
    }
    symbols::read(&mut cursor, &mut system)?;
    Ok(system)
}

/// The first line. All numbers are as the file claims, only their sum is checked.
struct Header {
    binary: bool,
    max_var: u32,
    inputs: u32,
    latches: u32,
    outputs: u32,
    gates: u32,
    bads: u32,
    constraints: u32,
    justice: u32,
    fairness: u32,
}

impl Header {
    fn read(cursor: &mut Cursor) -> Result<Header, FormatError> {
        let binary = cursor.take(b"aig ");
        if !binary && !cursor.take(b"aag ") {
            return Err(cursor
                .error("this is not an AIGER file: it starts with neither `aag` nor `aig`")
                .with_hint("the first line reads `aag M I L O A`, all numbers"));
        }
        let start = cursor.pos();
        let mut next = |what: &str| cursor.number(what);
        let max_var = next("the number of variables, M")?;
        let inputs = next("the number of inputs, I")?;
        let latches = next("the number of latches, L")?;
        let outputs = next("the number of outputs, O")?;
        let gates = next("the number of gates, A")?;
        let mut optional = |what: &str| {
            if cursor.at_line_end() { Ok(0) } else { cursor.number(what) }
        };
        let header = Header {
            binary,
            max_var,
            inputs,
            latches,
            outputs,
            gates,
            bads: optional("the number of bad literals, B")?,
            constraints: optional("the number of constraints, C")?,
            justice: optional("the number of justice properties, J")?,
            fairness: optional("the number of fairness constraints, F")?,
        };
        header.check(cursor, start)?;
        cursor.end_line()?;
        Ok(header)
    }

    fn check(&self, cursor: &Cursor, start: usize) -> Result<(), FormatError> {
        let error = |message: String| Err(cursor.error_at(start, message));
        let defined = u64::from(self.inputs) + u64::from(self.latches) + u64::from(self.gates);
        let max_var = u64::from(self.max_var);
        if max_var > Var::MAX_INDEX as u64 {
            return error(format!("M = {max_var} is more than {} variables", Var::MAX_INDEX));
        }
        if defined > max_var {
            return error(format!("M = {max_var} is less than I + L + A = {defined}"));
        }
        if self.binary && defined < max_var {
            return error(format!("M = {max_var} is not I + L + A = {defined}")).map_err(|e| {
                e.with_hint("only ascii files may leave variable numbers without a meaning")
            });
        }
        if self.binary && self.inputs as usize > cursor.bytes().len() + UNUSED_INPUTS {
            return error(format!(
                "{} inputs are more than a file of {} bytes can use",
                self.inputs,
                cursor.bytes().len()
            ));
        }
        Ok(())
    }
}

/// A section: this many things, one a line.
fn read_lines<T>(
    cursor: &mut Cursor,
    kind: &str,
    count: u32,
    mut read_one: impl FnMut(&mut Cursor) -> Result<T, FormatError>,
) -> Result<Vec<T>, FormatError> {
    // Each takes a digit and a line ending, but for the last of the file.
    let mut things = Vec::with_capacity((count as usize).min(cursor.remaining() / 2 + 1));
    for i in 0..count {
        if cursor.at_end() {
            let missing = format!("the file ends before {kind} {} of {count}", i + 1);
            return Err(cursor.error(missing));
        }
        things.push(read_one(cursor)?);
        cursor.end_line()?;
    }
    Ok(things)
}

/// A literal that the header allows.
fn read_lit(cursor: &mut Cursor, header: &Header, what: &str) -> Result<Lit, FormatError> {
    cursor.skip_blanks();
    let start = cursor.pos();
    let code = cursor.number(what)?;
    if code > 2 * header.max_var + 1 {
        let max = 2 * header.max_var + 1;
        let message = format!("literal {code} is beyond 2M + 1 = {max}");
        return Err(cursor.error_at(start, message));
    }
    Ok(Lit::from_code(code))
}

/// The literal on the left of an ascii line, which defines its variable.
fn read_defined(cursor: &mut Cursor, header: &Header, kind: &str) -> Result<Var, FormatError> {
    cursor.skip_blanks();
    let start = cursor.pos();
    let lit = read_lit(cursor, header, kind)?;
    if lit.is_const() {
        let message = format!("literal {} is a constant, not {kind}", lit.code());
        return Err(cursor.error_at(start, message));
    }
    if lit.is_negated() {
        let message = format!("literal {} is odd: {kind} is defined positively", lit.code());
        return Err(cursor.error_at(start, message));
    }
    Ok(lit.var())
}

fn read_gate(cursor: &mut Cursor, header: &Header) -> Result<Gate, FormatError> {
    let var = read_defined(cursor, header, "a gate")?;
    let first = read_lit(cursor, header, "the first input of a gate")?;
    let second = read_lit(cursor, header, "the second input of a gate")?;
    Ok(Gate { var, inputs: [first, second] })
}

/// A latch: its literal (ascii only, else given), next literal and reset.
fn read_latch(
    cursor: &mut Cursor,
    header: &Header,
    known: Option<Var>,
) -> Result<Latch, FormatError> {
    let var = match known {
        Some(var) => var,
        None => read_defined(cursor, header, "a latch")?,
    };
    let next = read_lit(cursor, header, "the next literal of a latch")?;
    if cursor.at_line_end() {
        return Ok(Latch { var, next, reset: Reset::Zero });
    }
    let reset = match read_lit(cursor, header, "the reset of a latch")? {
        Lit::FALSE => Reset::Zero,
        Lit::TRUE => Reset::One,
        own if own == var.lit() => Reset::Free,
        function => Reset::Function(function),
    };
    Ok(Latch { var, next, reset })
}

/// Everything between inputs and gates.
fn read_sections(
    cursor: &mut Cursor,
    header: &Header,
    system: &mut BitSystem,
) -> Result<(), FormatError> {
    let mut next_var = header.inputs as usize;
    system.latches = read_lines(cursor, "latch", header.latches, |c| {
        next_var += 1;
        read_latch(c, header, header.binary.then(|| Var::new(next_var)))
    })?;
    let lits = |cursor: &mut Cursor, kind: &str, count: u32| {
        read_lines(cursor, kind, count, |c| read_lit(c, header, "a literal"))
    };
    system.outputs = lits(cursor, "output", header.outputs)?;
    system.bads = lits(cursor, "bad", header.bads)?;
    system.constraints = lits(cursor, "constraint", header.constraints)?;
    let sizes = read_lines(cursor, "justice size", header.justice, |c| {
        c.number("the size of a justice property")
    })?;
    for size in sizes {
        system.justice.push(lits(cursor, "justice literal", size)?);
    }
    system.fairness = lits(cursor, "fairness constraint", header.fairness)?;
    Ok(())
}

/// The gates of a binary file. Gate variables follow each other, and a gate with literal `g`
/// and inputs `a`, `b` is coded as the two differences `g - a` and `a - b`, where `g > a ≥ b`.
fn read_coded_gates(
    cursor: &mut Cursor,
    header: &Header,
    system: &mut BitSystem,
) -> Result<(), FormatError> {
    cursor.enter_binary();
    for i in 0..header.gates {
        let start = cursor.pos();
        let gate = 2 * (header.inputs + header.latches + i + 1);
        let truncated = |c: &Cursor| {
            c.error(format!("the file ends within gate {} of {}", i + 1, header.gates))
        };
        let first_delta = read_delta(cursor, truncated)?;
        if first_delta == 0 || first_delta > gate {
            let message = format!("gate {gate} takes an input that is not before it");
            return Err(cursor.error_at(start, format!("{message} (difference {first_delta})")));
        }
        let first = gate - first_delta;
        let middle = cursor.pos();
        let second_delta = read_delta(cursor, truncated)?;
        if second_delta > first {
            let message = format!("gate {gate} has a second input below 0");
            let message = format!("{message} (first input {first}, difference {second_delta})");
            return Err(cursor.error_at(middle, message));
        }
        system.aig.push_and(Lit::from_code(first), Lit::from_code(first - second_delta));
    }
    Ok(())
}

/// A number in groups of seven bits, the lowest first; the top bit of a byte says "more".
#[inline]
fn read_delta(
    cursor: &mut Cursor,
    truncated: impl Fn(&Cursor) -> FormatError,
) -> Result<u32, FormatError> {
    let start = cursor.pos();
    let mut number = 0u64;
    for shift in (0..35).step_by(7) {
        let byte = cursor.byte().ok_or_else(|| truncated(cursor))?;
        number |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return u32::try_from(number)
                .map_err(|_| cursor.error_at(start, "a coded difference is too large"));
        }
    }
    Err(cursor.error_at(start, "a coded difference is too long"))
}

/// Reset functions must not depend on each other in a circle.
fn check_resets(bytes: &[u8], system: &BitSystem, latch_line: usize) -> Result<(), FormatError> {
    if !system.latches.iter().any(|l| matches!(l.reset, Reset::Function(_))) {
        return Ok(());
    }
    system.reset_order().map(|_| ()).map_err(|latch| {
        let line = latch_line + latch as usize;
        // The reset is the last word of the line, in both encodings.
        let column = super::cursor::last_column_of(bytes, line);
        let message = format!("the reset of latch {latch} depends on itself");
        FormatError::at(line, column, message)
            .with_hint("a latch that starts with any value resets to its own, positive literal")
    })
}
