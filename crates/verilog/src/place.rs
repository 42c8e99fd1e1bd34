//! Where properties stand. Yosys gives the range of a statement; that of an unlabelled one starts
//! where the token before it ends, which may be lines above. So the source is looked at: the word
//! `assert` (or `cover`, …) that comes last in the range, outside comments and strings, is where
//! the statement starts. A macro may hide that word; then the first token of the range does.

use crate::facts::PropertyCell;
use std::collections::BTreeMap;

/// A place in a source.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// The file, as it was given.
    pub file: String,
    /// The line, from 1.
    pub line: u32,
    /// The column, from 1.
    pub column: u32,
}

impl std::fmt::Display for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}", self.file, self.line)
    }
}

/// The texts of sources, each read once; `None` for those that cannot be read.
#[derive(Default)]
pub struct Texts(BTreeMap<String, Option<Vec<u8>>>);

impl Texts {
    fn text(&mut self, file: &str) -> Option<&[u8]> {
        let read = || std::fs::read(file).ok();
        self.0.entry(file.to_owned()).or_insert_with(read).as_deref()
    }

    /// The place of a cell: of its own statement, not of the instances around it, which come first.
    pub fn place(&mut self, cell: &PropertyCell) -> Option<Place> {
        let own = cell.src.rsplit('|').next()?;
        let (file, range) = own.rsplit_once(':')?;
        let (start, end) = range.split_once('-').unwrap_or((range, range));
        let (start, end) = (position(start)?, position(end)?);
        let is_labelled = cell.name.starts_with('\\');
        let text = if is_labelled { None } else { self.text(file) };
        let found = text.and_then(|text| find_statement(text, start, end, &cell.flavor));
        let (line, column) = found.unwrap_or(start);
        Some(Place { file: file.to_owned(), line, column })
    }
}

/// `line.column`
fn position(text: &str) -> Option<(u32, u32)> {
    let (line, column) = text.split_once('.').unwrap_or((text, "1"));
    Some((line.parse().ok()?, column.parse().ok()?))
}

/// Where the statement with a keyword starts in a range.
fn find_statement(
    text: &[u8],
    start: (u32, u32),
    end: (u32, u32),
    keyword: &str,
) -> Option<(u32, u32)> {
    let starts: Vec<usize> = std::iter::once(0)
        .chain(text.iter().enumerate().filter(|(_, b)| **b == b'\n').map(|(at, _)| at + 1))
        .collect();
    let offset = |(line, column): (u32, u32)| {
        let line_start = *starts.get((line as usize).checked_sub(1)?)?;
        Some((line_start + (column as usize).saturating_sub(1)).min(text.len()))
    };
    let (mut at, end) = (offset(start)?, offset(end)?);
    let (mut first, mut last) = (None, None);
    while at < end {
        let rest = &text[at..end];
        let (length, is_token) = token(rest);
        // Columns count without comments, so the range may start inside a word.
        let is_inside = at > 0 && is_word(text[at - 1]);
        if is_token && !is_inside {
            first.get_or_insert(at);
            if &rest[..length] == keyword.as_bytes() {
                last = Some(at);
            }
        }
        at += length;
    }
    let at = last.or(first)?;
    let line = starts.partition_point(|&start| start <= at);
    Some((line as u32, (at - starts[line - 1] + 1) as u32))
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$'
}

/// How long the blank, comment, directive, string or token is that a text starts with, and whether
/// it is something that a statement can start with.
pub(crate) fn token(text: &[u8]) -> (usize, bool) {
    let until = |end: &[u8], from: usize| {
        let rest = text.get(from..).unwrap_or_default();
        let found = rest.windows(end.len()).position(|window| window == end);
        found.map_or(text.len(), |at| from + at + end.len())
    };
    let word = |from: usize| from + text[from..].iter().take_while(|b| is_word(**b)).count();
    match text {
        [b'/', b'/', ..] => (until(b"\n", 2), false),
        [b'/', b'*', ..] => (until(b"*/", 2), false),
        [b'"', ..] => (string(text), false),
        // An escaped name goes up to the next blank.
        [b'\\', ..] => (text.iter().take_while(|b| !b.is_ascii_whitespace()).count(), true),
        [b'`', ..] => match &text[1..word(1)] {
            b"ifdef" | b"ifndef" | b"elsif" | b"undef" | b"define" | b"include" => {
                (until(b"\n", 1), false)
            }
            b"else" | b"endif" => (word(1), false),
            _ => (word(1), true),
        },
        [byte, ..] if is_word(*byte) => (word(0), true),
        [byte, ..] => (1, !byte.is_ascii_whitespace()),
        [] => (1, false),
    }
}

/// How long the string is that a text starts with.
fn string(text: &[u8]) -> usize {
    let mut is_escaped = false;
    let end = text.iter().skip(1).position(|&byte| {
        let is_end = byte == b'"' && !is_escaped;
        is_escaped = byte == b'\\' && !is_escaped;
        is_end
    });
    end.map_or(text.len(), |at| at + 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_start_at_their_keyword() {
        let text = b"x <= 1; // assert\n  assert (x); assert (y);\n`ifdef A\nassert (a);\n`else\n\
            assert (b);\n`endif\n\n /* assert\n */ `CHECK(c);\n";
        for (start, end, place) in [
            ((1, 8), (2, 14), (2, 3)),    // The first, found on the next line.
            ((2, 15), (2, 26), (2, 15)),  // The second, after a blank.
            ((2, 26), (6, 12), (6, 1)),   // The branch that counts.
            ((6, 12), (10, 16), (10, 5)), // A macro.
            ((9, 9), (9, 9), (9, 9)),     // Nothing at all.
        ] {
            let found = find_statement(text, start, end, "assert").unwrap_or(start);
            assert_eq!(found, place, "{start:?} {end:?}");
        }
        assert_eq!(find_statement(text, (70, 1), (71, 1), "assert"), None);
    }

    #[test]
    fn ranges_without_a_source() {
        let place = |name: &str, src: &str| {
            let (flavor, name, src) = ("assert".to_owned(), name.to_owned(), src.to_owned());
            Texts::default().place(&PropertyCell { flavor, name, src })
        };
        let found = place("$1", "top.sv:9.1-9.2|dir/a b.sv:3.5-3.9").expect("a place");
        assert_eq!((found.line, found.column, &*found.file), (3, 5, "dir/a b.sv"));
        assert_eq!(place("$1", ""), None);
    }
}
