//! From a path to a model, with errors that a person can act on.

use pedra_formats::error::{FormatError, Position};
use pedra_formats::{aiger, btor2};
use pedra_model::Model;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// A model file that was read.
pub struct Loaded {
    /// Where it came from.
    pub path: PathBuf,
    /// Its content, for certificates that refer to node ids and for reports.
    pub bytes: Vec<u8>,
    /// What it says.
    pub model: Model,
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

/// Reads the bytes of a file.
pub fn read_bytes(path: &Path) -> Result<Vec<u8>, InputError> {
    std::fs::read(path).map_err(|e| InputError(format!("{}: cannot be read: {e}", path.display())))
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

/// Reads a model.
pub fn load(path: &Path) -> Result<Loaded, InputError> {
    let bytes = read_bytes(path)?;
    let model = match detect(&bytes) {
        Some(Format::Aiger) => aiger::read(&bytes).map(Model::Bits),
        Some(Format::Btor2) => btor2::read(&bytes).map(Model::Words),
        None if bytes.is_empty() => {
            return Err(InputError(format!("{}: the file is empty", path.display())));
        }
        None => {
            let text = "unknown format: neither AIGER (which starts with `aig` or `aag`) nor \
                        BTOR2 (which starts with a numbered line such as `1 sort bitvec 8`)";
            return Err(InputError(format!("{}:1:1: {text}", path.display())));
        }
    };
    match model {
        Ok(model) => Ok(Loaded { path: path.to_owned(), bytes, model }),
        Err(error) => Err(describe(path, &bytes, &error)),
    }
}

/// A format error with the offending line, a marker below it, and the hint.
pub fn describe(path: &Path, bytes: &[u8], error: &FormatError) -> InputError {
    let file = path.display();
    let mut text = format!("{file}:{error}");
    if let Position::Text { line, column } = error.position {
        let shown = bytes.split(|&b| b == b'\n').nth(line - 1).unwrap_or_default();
        // Long or binary lines help nobody.
        if let Ok(shown) = std::str::from_utf8(shown)
            && !shown.trim().is_empty()
            && shown.len() <= 200
            && !shown.contains(|c: char| c.is_control() && c != '\t' && c != '\r')
        {
            let shown = shown.trim_end().replace('\t', " ");
            let gap = " ".repeat(line.to_string().len());
            let indent = " ".repeat(column.saturating_sub(1).min(shown.len()));
            let _ = write!(text, "\n {line} | {shown}\n {gap} | {indent}^");
        }
    }
    if let Some(hint) = &error.hint {
        let _ = write!(text, "\nhint: {hint}");
    }
    InputError(text)
}

impl Loaded {
    /// How many safety properties there are.
    pub fn num_properties(&self) -> usize {
        match &self.model {
            Model::Bits(system) => system.properties().len(),
            Model::Words(system) => system.bads.len(),
        }
    }

    /// The name that the model gives a property.
    pub fn property_name(&self, index: usize) -> Option<&str> {
        match &self.model {
            Model::Bits(system) => system.property_name(index),
            Model::Words(system) => system.bads[index].name.as_deref(),
        }
    }

    /// Which properties are meant: all, or those selected by number or name.
    pub fn select(&self, wanted: &[String]) -> Result<Vec<usize>, InputError> {
        let count = self.num_properties();
        let file = self.path.display();
        if count == 0 {
            return Err(InputError(format!(
                "{file}: there is no safety property to decide{}",
                self.why_none()
            )));
        }
        if wanted.is_empty() {
            return Ok((0..count).collect());
        }
        let mut selected = Vec::new();
        for text in wanted {
            let named: Vec<usize> =
                (0..count).filter(|&i| self.property_name(i) == Some(text)).collect();
            let number = text.strip_prefix('b').unwrap_or(text).parse::<usize>();
            match (named.as_slice(), number) {
                ([], Ok(index)) if index < count => selected.push(index),
                ([], Ok(index)) => {
                    let last = count - 1;
                    return Err(InputError(format!(
                        "{file}: there is no property {index}; the properties are b0 to b{last}"
                    )));
                }
                ([], Err(_)) => {
                    return Err(InputError(format!(
                        "{file}: no property is named '{text}'; `pedra info` lists them"
                    )));
                }
                (all, _) => selected.extend(all),
            }
        }
        selected.sort_unstable();
        selected.dedup();
        Ok(selected)
    }

    fn why_none(&self) -> &'static str {
        let liveness = match &self.model {
            Model::Bits(system) => !system.justice.is_empty(),
            Model::Words(system) => !system.justice.is_empty(),
        };
        if liveness {
            ": the model has justice (liveness) properties only, which no engine decides yet"
        } else {
            ""
        }
    }
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
