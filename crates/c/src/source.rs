//! The text of a program and places in it. A [`Span`] is a range of bytes; a [`Location`] is what
//! a reader of the original file calls it. Line markers (`# 12 "file.c"`) that a preprocessor
//! left in the text map one to the other.

use std::fmt;

/// A range of bytes in the text.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Span {
    /// The first byte.
    pub start: u32,
    /// The first byte after it.
    pub end: u32,
}

impl Span {
    /// From the start of this span to the end of another.
    pub fn to(self, end: Span) -> Span {
        Span { start: self.start, end: end.end.max(self.start) }
    }
}

/// A place as the user knows it: line and column count from 1, the column in bytes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Location {
    /// The file that a line marker names; none if the text itself is the file.
    pub file: Option<String>,
    /// The line in that file.
    pub line: usize,
    /// The column.
    pub column: usize,
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(file) = &self.file {
            write!(f, "{file}:")?;
        }
        write!(f, "{}:{}", self.line, self.column)
    }
}

/// A line marker: the lines after `after` (counted from 0 in the text) are those of a file.
#[derive(Clone, Debug)]
struct Marker {
    after: usize,
    file: Option<String>,
    line: usize,
}

/// A text with its lines.
#[derive(Clone, Debug)]
pub struct Source {
    text: Vec<u8>,
    /// Where each line starts.
    starts: Vec<u32>,
    markers: Vec<Marker>,
    /// From where on `#pragma pack` limits alignments, and to what.
    packs: Vec<(u32, Option<u64>)>,
}

impl Source {
    /// The lines of a text. It must be shorter than 4 GiB.
    pub fn new(text: &[u8]) -> Source {
        let ends = text.iter().enumerate().filter(|(_, byte)| **byte == b'\n');
        let starts = std::iter::once(0).chain(ends.map(|(at, _)| at as u32 + 1)).collect();
        Source { text: text.to_vec(), starts, markers: Vec::new(), packs: Vec::new() }
    }

    /// Adds text behind the end; the markers are to be found again.
    pub fn append(&mut self, text: &str) {
        self.text.extend_from_slice(text.as_bytes());
        *self = Source::new(&self.text);
    }

    /// All bytes.
    pub fn bytes(&self) -> &[u8] {
        &self.text
    }

    /// The text of a span on one line, without line markers: macros of system headers have some
    /// inside a statement.
    pub fn words(&self, span: Span) -> String {
        let end = (span.end as usize).min(self.text.len());
        let start = (span.start as usize).min(end);
        let lines = self.text[start..end].split(|&byte| byte == b'\n');
        let numbered = (self.line_of(start as u32)..).zip(lines);
        let is_marker =
            |line: usize| self.markers.binary_search_by_key(&line, |marker| marker.after).is_ok();
        let shown = numbered.filter(|(line, _)| !is_marker(*line)).map(|(_, line)| line);
        let text = String::from_utf8_lossy(&shown.collect::<Vec<_>>().join(&b' ')).into_owned();
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    /// Notes a line marker on the line at `offset`: the next line has this number, in this file
    /// or in the one of the marker before.
    pub fn mark(&mut self, offset: u32, line: usize, file: Option<String>) {
        let file = file.or_else(|| self.markers.last().and_then(|marker| marker.file.clone()));
        self.markers.push(Marker { after: self.line_of(offset), file, line });
    }

    /// Notes that from a byte on alignments are limited to this many bytes, or no longer.
    pub fn pack(&mut self, offset: u32, most: Option<u64>) {
        self.packs.push((offset, most));
    }

    /// All of these notes, in order.
    pub fn packs(&self) -> &[(u32, Option<u64>)] {
        &self.packs
    }

    /// The line of the text, from 0, that a byte is on.
    fn line_of(&self, offset: u32) -> usize {
        self.starts.partition_point(|&start| start <= offset) - 1
    }

    /// Where a byte is for the user.
    pub fn location(&self, offset: u32) -> Location {
        let line = self.line_of(offset);
        let column = (offset - self.starts[line]) as usize + 1;
        let place = self.markers.partition_point(|marker| marker.after < line);
        match place.checked_sub(1).map(|at| &self.markers[at]) {
            None => Location { file: None, line: line + 1, column },
            Some(marker) => {
                let line = marker.line.saturating_add(line - marker.after - 1);
                Location { file: marker.file.clone(), line, column }
            }
        }
    }

    /// The text of the line that a byte is on.
    pub fn line_text(&self, offset: u32) -> String {
        let line = self.line_of(offset);
        let start = self.starts[line] as usize;
        let end = self.starts.get(line + 1).map_or(self.text.len(), |&next| next as usize - 1);
        String::from_utf8_lossy(&self.text[start..end]).trim_end().to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places() {
        let mut source = Source::new(b"int\n# 7 \"a.h\"\nx;\ny\n");
        source.mark(4, 7, Some("a.h".into()));
        assert_eq!(source.words(Span { start: 0, end: 18 }), "int x; y");
        for (offset, place, text) in
            [(0, "1:1", "int"), (2, "1:3", "int"), (14, "a.h:7:1", "x;"), (18, "a.h:8:2", "y")]
        {
            assert_eq!(source.location(offset).to_string(), place);
            assert_eq!(source.line_text(offset), text);
        }
    }
}
