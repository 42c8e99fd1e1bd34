//! From a path to a model, with errors that a person can act on.

use crate::args::Wanted;
use crate::commands::language::Language;
use crate::report::SourcePlace;
use pedra_formats::error::{FormatError, Position};
use pedra_formats::text::printable;
use pedra_formats::{aiger, btor2};
use pedra_model::Model;
use pedra_model::term::Sort;
use pedra_verilog::{About, is_verilog};
use std::fmt::Write as _;
use std::io::Read;
use std::path::{Path, PathBuf};

/// How many bits the values of a run may have together; some hundred megabytes.
const MAX_SIMULATED_BITS: u128 = 1 << 31;

/// A model file that was read.
pub struct Loaded {
    /// Where it came from.
    pub path: PathBuf,
    /// Its content, for reports.
    pub bytes: Vec<u8>,
    /// What it says.
    pub model: Model,
    /// BTOR2: the numbers of its inputs and states, which certificates refer to.
    pub nodes: btor2::Nodes,
    /// Verilog: the design that it was made from.
    pub about: Option<About>,
}

/// What is wrong with an input; its text is what the user sees.
#[derive(Debug)]
pub struct InputError(pub String);

impl std::fmt::Display for InputError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for InputError {}

/// The formats that models come in.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Format {
    /// AIGER, ascii or binary.
    Aiger,
    /// BTOR2.
    Btor2,
}

/// Reads the bytes of a file; `-` is standard input.
pub fn read_bytes(path: &Path) -> Result<Vec<u8>, InputError> {
    let bytes = if path == Path::new("-") {
        let mut bytes = Vec::new();
        std::io::stdin().lock().read_to_end(&mut bytes).map(|_| bytes)
    } else {
        std::fs::read(path)
    };
    bytes.map_err(|e| InputError(format!("{}: cannot be read: {e}", path.display())))
}

/// The program that unpacks a file, if it is a packed one.
fn unpacker(bytes: &[u8]) -> Option<&'static str> {
    let known: [(&[u8], &str); 4] = [
        (b"\x1f\x8b", "gunzip"),
        (b"BZh", "bunzip2"),
        (b"\xfd7zXZ", "unxz"),
        (b"\x28\xb5\x2f\xfd", "unzstd"),
    ];
    known.into_iter().find(|(start, _)| bytes.starts_with(start)).map(|(_, name)| name)
}

/// Tells the format by content, not by the file's name.
pub fn detect(bytes: &[u8]) -> Option<Format> {
    if bytes.starts_with(b"aig ") || bytes.starts_with(b"aag ") {
        return Some(Format::Aiger);
    }
    // BTOR2 starts with comments and lines "<number> <word>".
    let text = bytes.split(|&b| b == b'\n').map(|l| l.trim_ascii());
    let line = text.into_iter().find(|l| !l.is_empty() && l[0] != b';')?;
    let mut words = line.split(|b| b.is_ascii_whitespace()).filter(|w| !w.is_empty());
    let (number, tag) = (words.next()?, words.next()?);
    let is_btor2 = number.iter().all(u8::is_ascii_digit) && tag[0].is_ascii_lowercase();
    is_btor2.then_some(Format::Btor2)
}

/// What is said of other formats.
const UNKNOWN_FORMAT: &str = "unknown format: neither AIGER (which starts with `aig` or `aag`) nor \
                              BTOR2 (which starts with a numbered line such as `1 sort bitvec 8`)";

/// Reads what a file holds; nothing if its format is not known.
fn parse(bytes: &[u8]) -> Option<Result<(Model, btor2::Nodes), FormatError>> {
    Some(match detect(bytes)? {
        Format::Aiger => {
            aiger::read(bytes).map(|system| (Model::Bits(system), btor2::Nodes::default()))
        }
        Format::Btor2 => {
            btor2::read_with_ids(bytes).map(|read| (Model::Words(read.system), read.nodes))
        }
    })
}

/// Reads a model that is no file here.
///
/// # Errors
/// What is wrong with it.
pub fn read_model(bytes: &[u8]) -> Result<Model, InputError> {
    match parse(bytes) {
        Some(Ok((model, _))) => Ok(model),
        Some(Err(error)) => Err(InputError(error.to_string())),
        None => Err(InputError(UNKNOWN_FORMAT.to_owned())),
    }
}

/// Reads a model.
pub fn load(path: &Path) -> Result<Loaded, InputError> {
    if is_verilog(path) {
        let file = path.display();
        let text = "Verilog is read by `check`, `explain`, `info` and `convert`";
        let hint = format!("`pedra convert {file} model.btor2` makes a model of it");
        return Err(InputError(format!("{file}: {text}\nhint: {hint}")));
    }
    let bytes = read_bytes(path)?;
    let read = match parse(&bytes) {
        Some(read) => read,
        None if bytes.is_empty() => {
            return Err(InputError(format!("{}: the file is empty", path.display())));
        }
        None => {
            if Language::of(path).is_some() {
                let file = path.display();
                let text = "programs are decided by `check`; this command takes models of hardware";
                let hint = format!(
                    "`pedra convert {file} model.btor2` makes a model of it, if it has no integers"
                );
                return Err(InputError(format!("{file}: {text}\nhint: {hint}")));
            }
            let hint = unpacker(&bytes).map(|program| {
                format!("\nhint: it is packed; try `{program} -c FILE | pedra check -`")
            });
            let hint = hint.unwrap_or_default();
            return Err(InputError(format!("{}:1:1: {UNKNOWN_FORMAT}{hint}", path.display())));
        }
    };
    match read {
        Ok((model, nodes)) => {
            Ok(Loaded { path: path.to_owned(), bytes, model, nodes, about: None })
        }
        Err(error) => Err(describe(path, &bytes, &error)),
    }
}

/// A format error with the offending line, a marker below it, and the hint.
pub fn describe(path: &Path, bytes: &[u8], error: &FormatError) -> InputError {
    let file = path.display();
    let mut text = format!("{file}:{error}");
    if let Position::Text { line, column } = error.position {
        let shown = bytes.split(|&b| b == b'\n').nth(line - 1).unwrap_or_default();
        text.push_str(&pointed_at(shown, line, column));
    }
    if let Some(hint) = &error.hint {
        let _ = write!(text, "\nhint: {hint}");
    }
    InputError(text)
}

/// A line of a file with its number and a marker below the column; empty if it is long or binary,
/// which helps nobody.
pub fn pointed_at(shown: &[u8], line: usize, column: usize) -> String {
    match std::str::from_utf8(shown) {
        Ok(shown)
            if !shown.trim().is_empty()
                && shown.len() <= 200
                && !shown.contains(|c: char| c.is_control() && c != '\t' && c != '\r') =>
        {
            let shown = shown.trim_end().replace('\t', " ");
            let gap = " ".repeat(line.to_string().len());
            let indent = " ".repeat(column.saturating_sub(1).min(shown.len()));
            format!("\n {line} | {shown}\n {gap} | {indent}^")
        }
        _ => String::new(),
    }
}

impl Loaded {
    /// How many properties there are: bads, then justice sets.
    pub fn num_properties(&self) -> usize {
        self.model.num_properties()
    }

    /// Refuses to run the model for `steps` steps if its words do not fit: a short file can
    /// declare very wide ones.
    ///
    /// # Errors
    /// How much is too much.
    pub fn check_size(&self, steps: usize) -> Result<(), InputError> {
        let Model::Words(system) = &self.model else { return Ok(()) };
        let bits = |sort: Sort| sort.width().unwrap_or(0) as u128;
        let all: u128 = system.terms.iter().map(|(id, _)| bits(system.terms.sort(id))).sum();
        let symbols = system.inputs.iter().map(|i| i.term);
        let symbols = symbols.chain(system.states.iter().map(|s| s.term));
        let kept: u128 = symbols.map(|id| bits(system.terms.sort(id))).sum();
        if all + kept * steps as u128 <= MAX_SIMULATED_BITS {
            return Ok(());
        }
        let text = format!("running it takes values of more than {MAX_SIMULATED_BITS} bits");
        Err(InputError(format!("{}: {text}", self.path.display())))
    }

    /// The name that the model gives a property.
    pub fn property_name(&self, index: usize) -> Option<&str> {
        self.model.property_name(index)
    }

    /// A property with its name, such as `b1 overflow` or `j0`.
    pub fn property_text(&self, index: usize) -> String {
        let property = self.model.property(index);
        match self.property_name(index) {
            Some(name) => format!("{property} {name}"),
            None => property.to_string(),
        }
    }

    /// The number of a property that is written as `b0`, `j0`, or by its number among all.
    fn number(&self, text: &str) -> Option<usize> {
        let mut all = 0..self.num_properties();
        match text.parse::<usize>() {
            Ok(number) => all.find(|&other| other == number),
            Err(_) => all.find(|&other| self.model.property(other).to_string() == text),
        }
    }

    /// Where each property stands: in Verilog its statement, in BTOR2 the line of its `bad` or
    /// `justice`, in AIGER the file.
    pub fn property_places(&self) -> Vec<SourcePlace> {
        let is = |line: &[u8], what: &[u8]| {
            let mut words = line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
            words.next().is_some_and(|number| number[0].is_ascii_digit())
                && words.next() == Some(what)
        };
        let lines_of = |what: &'static [u8]| {
            let lines = self.bytes.split(|&b| b == b'\n').enumerate();
            lines.filter(move |(_, line)| is(line, what)).map(|(at, _)| at + 1)
        };
        // Justice sets are numbered after the bads.
        let known: Vec<usize> = match &self.model {
            Model::Bits(_) => Vec::new(),
            Model::Words(_) => lines_of(b"bad").chain(lines_of(b"justice")).collect(),
        };
        let file = self.path.display().to_string();
        let line = |index: usize| known.get(index).copied().unwrap_or(1);
        let in_source = |index: usize| {
            let place = self.about.as_ref()?.properties.get(index)?.place.as_ref()?;
            let (line, column) = (place.line as usize, Some(place.column as usize));
            Some(SourcePlace { file: place.file.clone(), line: line.max(1), column })
        };
        let place = |index| {
            let (file, line) = (file.clone(), line(index));
            in_source(index).unwrap_or(SourcePlace { file, line, column: None })
        };
        (0..self.num_properties()).map(place).collect()
    }

    /// The names of the properties, if these are few; else, where they are listed.
    fn names_or_where(&self) -> String {
        const FEW: usize = 8;
        let count = self.num_properties();
        let names: Vec<&str> = (0..count).filter_map(|i| self.property_name(i)).collect();
        if count > FEW || names.len() < count {
            return "`pedra info` lists them".to_owned();
        }
        let names: Vec<_> = names.into_iter().map(printable).collect();
        format!("there is {}", names.join(", "))
    }

    /// Which properties are meant: all, or those selected by number or name.
    pub fn select(&self, wanted: Wanted<'_>) -> Result<Vec<usize>, InputError> {
        let count = self.num_properties();
        let file = self.path.display();
        if count == 0 {
            return Err(InputError(format!("{file}: there is no property to decide")));
        }
        if wanted.names.is_empty() && wanted.numbers.is_empty() {
            return Ok((0..count).collect());
        }
        if let Some(number) = wanted.numbers.iter().find(|&&number| number >= count) {
            let last = count - 1;
            let text = format!("there is no property number {number}; the last one is {last}");
            return Err(InputError(format!("{file}: {text}")));
        }
        let mut selected = wanted.numbers.to_vec();
        for text in wanted.names {
            let named: Vec<usize> =
                (0..count).filter(|&i| self.property_name(i) == Some(text)).collect();
            match (named.as_slice(), self.number(text)) {
                ([], Some(number)) => selected.push(number),
                ([], None) if is_numbered(text) => {
                    let (first, last) = (self.model.property(0), self.model.property(count - 1));
                    return Err(InputError(format!(
                        "{file}: there is no property {text}; the properties are {first} to {last}"
                    )));
                }
                ([], None) => {
                    return Err(InputError(format!(
                        "{file}: no property is named '{text}'; {}",
                        self.names_or_where()
                    )));
                }
                (all, _) => selected.extend(all),
            }
        }
        selected.sort_unstable();
        selected.dedup();
        Ok(selected)
    }
}

/// Whether the text is a number, as properties have them: `3`, `b3`, `j3`.
fn is_numbered(text: &str) -> bool {
    text.strip_prefix(['b', 'j']).unwrap_or(text).parse::<usize>().is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_are_told_by_content() {
        assert_eq!(detect(b"aag 0 0 0 0 0\n"), Some(Format::Aiger));
        assert_eq!(detect(b"; hello\n\n1 sort bitvec 1\n"), Some(Format::Btor2));
        for other in [&b""[..], b"module top;", b"aig", b"\x7fELF", b"12", b"; only"] {
            assert_eq!(detect(other), None, "{other:?}");
        }
    }
}
