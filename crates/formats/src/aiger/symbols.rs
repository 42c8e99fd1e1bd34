//! What follows the gates: names, then comments.
//!
//! A name is a line such as `i0 clock` or `b2 never two grants`: a letter for what is named,
//! its index, one space, and the name, which may contain blanks and may be empty. A line with
//! nothing but `c` starts the comments, which go on to the end of the file; `c0 name` names a
//! constraint.

use super::cursor::Cursor;
use crate::error::FormatError;
use pedra_model::bits::{BitSystem, Name};

pub(super) fn read(cursor: &mut Cursor, system: &mut BitSystem) -> Result<(), FormatError> {
    while let Some(kind) = cursor.peek() {
        let start = cursor.pos();
        cursor.take(&[kind]);
        if kind == b'c' && cursor.at_line_end() {
            cursor.end_line()?;
            while !cursor.at_end() {
                let line = String::from_utf8_lossy(cursor.rest_of_line());
                system.comments.push(line.into_owned());
            }
            return Ok(());
        }
        let Some((what, count, names)) = names_of(system, kind) else {
            let message = format!("expected a symbol or comments, found `{}`", kind.escape_ascii());
            return Err(cursor.error_at(start, message).with_hint(
                "symbols look like `i0 name`; is there more of a section than the header says?",
            ));
        };
        let index = cursor.digits("the index of a symbol")? as usize;
        if index >= count {
            let message = format!("there is no {what} {index}, only {count} in all");
            return Err(cursor.error_at(start, message));
        }
        if !cursor.take(b" ") {
            return Err(cursor.expected("a space and a name"));
        }
        if names.is_empty() {
            names.resize(count, None);
        }
        if names[index].is_some() {
            return Err(cursor.error_at(start, format!("{what} {index} has two names")));
        }
        let name = String::from_utf8_lossy(cursor.rest_of_line());
        names[index] = Some(name.into_owned().into_boxed_str());
    }
    Ok(())
}

/// What a letter names: a word for it, how many there are, and the list of names.
fn names_of(system: &mut BitSystem, kind: u8) -> Option<(&'static str, usize, &mut Vec<Name>)> {
    let names = &mut system.names;
    Some(match kind {
        b'i' => ("input", system.inputs.len(), &mut names.inputs),
        b'l' => ("latch", system.latches.len(), &mut names.latches),
        b'o' => ("output", system.outputs.len(), &mut names.outputs),
        b'b' => ("bad", system.bads.len(), &mut names.bads),
        b'c' => ("constraint", system.constraints.len(), &mut names.constraints),
        b'j' => ("justice property", system.justice.len(), &mut names.justice),
        b'f' => ("fairness constraint", system.fairness.len(), &mut names.fairness),
        _ => return None,
    })
}
