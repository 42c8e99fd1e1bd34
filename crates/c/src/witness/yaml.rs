//! The part of YAML that witnesses and task files use: mappings and sequences in both styles,
//! scalars plain and in quotes, block scalars, comments. Anchors, tags and several documents are
//! refused. Nesting is bounded.

use std::fmt;

/// A value. All scalars are strings: who reads them knows what they mean.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Yaml {
    /// A scalar.
    Scalar(String),
    /// A sequence.
    List(Vec<Yaml>),
    /// A mapping, in order.
    Map(Vec<(String, Yaml)>),
}

impl Yaml {
    /// The value of a key.
    pub fn get(&self, key: &str) -> Option<&Yaml> {
        match self {
            Yaml::Map(entries) => entries.iter().find(|(k, _)| k == key).map(|(_, value)| value),
            _ => None,
        }
    }

    /// The text of a scalar.
    pub fn text(&self) -> Option<&str> {
        match self {
            Yaml::Scalar(text) => Some(text),
            _ => None,
        }
    }

    /// The items of a sequence.
    pub fn list(&self) -> Option<&[Yaml]> {
        match self {
            Yaml::List(items) => Some(items),
            _ => None,
        }
    }
}

/// Why a text is not read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct YamlError {
    /// The line, from 1.
    pub line: usize,
    /// What is wrong there.
    pub text: String,
}

impl fmt::Display for YamlError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.line, self.text)
    }
}

impl std::error::Error for YamlError {}

/// Deeper nesting is refused: readers recurse.
const MAX_DEPTH: usize = 50;

/// Values over several lines are refused beyond this length: each line is looked at again.
const MAX_VALUE: usize = 100_000;

/// A line that is not blank: its number, its indent and its text without comment.
#[derive(Clone, Debug)]
struct Line {
    number: usize,
    indent: usize,
    text: String,
    /// With comments, for block scalars.
    raw: String,
}

type Read<T> = Result<T, YamlError>;

/// Reads a document.
///
/// # Errors
/// The first line that is not understood.
pub fn parse(text: &str) -> Read<Yaml> {
    let mut lines = Vec::new();
    for (index, raw) in text.lines().enumerate() {
        let raw = raw.trim_end();
        let shown = without_comment(raw).trim_end();
        let trimmed = shown.trim_start_matches(' ');
        let indent = shown.len() - trimmed.len();
        if trimmed.starts_with('\t') {
            return Err(YamlError { line: index + 1, text: "a tab as indentation".into() });
        }
        let is_document = trimmed == "---" && lines.iter().all(|l: &Line| l.text.is_empty());
        let text = if is_document { String::new() } else { trimmed.to_owned() };
        lines.push(Line { number: index + 1, indent, text, raw: raw.to_owned() });
    }
    let mut parser = Parser { lines, at: 0 };
    parser.skip_blank();
    let Some(first) = parser.peek() else { return Ok(Yaml::Scalar(String::new())) };
    let value = parser.node(first.indent, 0)?;
    parser.skip_blank();
    match parser.peek() {
        Some(line) => Err(YamlError { line: line.number, text: "this belongs to nothing".into() }),
        None => Ok(value),
    }
}

/// A line without the comment at its end.
fn without_comment(line: &str) -> &str {
    let (mut quote, mut is_escaped, mut before) = (None, false, ' ');
    for (at, c) in line.char_indices() {
        match (quote, c) {
            (Some('"'), '\\') if !is_escaped => {
                is_escaped = true;
                continue;
            }
            (Some(open), c) if c == open && !is_escaped => quote = None,
            (None, '"' | '\'') if matches!(before, ' ' | '[' | '{' | ',' | ':') => quote = Some(c),
            (None, '#') if before == ' ' => return &line[..at],
            _ => {}
        }
        is_escaped = false;
        before = c;
    }
    line
}

struct Parser {
    lines: Vec<Line>,
    at: usize,
}

impl Parser {
    fn peek(&self) -> Option<&Line> {
        self.lines.get(self.at)
    }

    fn skip_blank(&mut self) {
        while self.peek().is_some_and(|line| line.text.is_empty()) {
            self.at += 1;
        }
    }

    fn wrong<T>(&self, text: &str) -> Read<T> {
        let line = self.peek().or(self.lines.last()).map_or(1, |line| line.number);
        Err(YamlError { line, text: text.into() })
    }

    /// What starts at the current line, which has this indent.
    fn node(&mut self, indent: usize, depth: usize) -> Read<Yaml> {
        if depth > MAX_DEPTH {
            return self.wrong("nested too deeply");
        }
        let Some(line) = self.peek() else { return Ok(Yaml::Scalar(String::new())) };
        if line.text == "-" || line.text.starts_with("- ") {
            return self.list(indent, depth);
        }
        match key_of(&line.text) {
            Some(_) => self.map(indent, depth),
            None => {
                let text = line.text.clone();
                self.scalar(&text, indent, depth)
            }
        }
    }

    fn list(&mut self, indent: usize, depth: usize) -> Read<Yaml> {
        let mut items = Vec::new();
        loop {
            self.skip_blank();
            let Some(line) = self.peek() else { break };
            let is_item = line.text == "-" || line.text.starts_with("- ");
            if line.indent != indent || !is_item {
                if line.indent > indent {
                    return self.wrong("this is indented too far");
                }
                break;
            }
            // What follows the dash is a line of its own, further in.
            let rest = line.text[1..].trim_start_matches(' ');
            let inner = indent + line.text.len() - rest.len();
            if rest.is_empty() {
                self.at += 1;
                items.push(self.below(indent, depth)?);
            } else {
                let rest = rest.to_owned();
                let line = &mut self.lines[self.at];
                (line.indent, line.text) = (inner, rest);
                items.push(self.node(inner, depth + 1)?);
            }
        }
        Ok(Yaml::List(items))
    }

    fn map(&mut self, indent: usize, depth: usize) -> Read<Yaml> {
        let mut entries: Vec<(String, Yaml)> = Vec::new();
        loop {
            self.skip_blank();
            let Some(line) = self.peek() else { break };
            if line.indent < indent || line.text == "-" || line.text.starts_with("- ") {
                break;
            }
            let Some((key, rest)) = key_of(&line.text).filter(|_| line.indent == indent) else {
                return self.wrong("a key was expected");
            };
            let rest = rest.to_owned();
            if entries.iter().any(|(known, _)| *known == key) {
                return self.wrong("this key occurs twice");
            }
            let value = if rest.is_empty() {
                self.at += 1;
                self.value_below(indent, depth)?
            } else {
                self.scalar(&rest, indent, depth)?
            };
            entries.push((key, value));
        }
        Ok(Yaml::Map(entries))
    }

    /// The value of a key on the lines below; a sequence may have the indent of the key.
    fn value_below(&mut self, indent: usize, depth: usize) -> Read<Yaml> {
        self.skip_blank();
        let is_list = self.peek().is_some_and(|line| {
            line.indent == indent && (line.text == "-" || line.text.starts_with("- "))
        });
        if is_list { self.list(indent, depth + 1) } else { self.below(indent, depth) }
    }

    /// What is further in than `indent`; an empty scalar if there is nothing.
    fn below(&mut self, indent: usize, depth: usize) -> Read<Yaml> {
        self.skip_blank();
        match self.peek().map(|line| line.indent).filter(|&inner| inner > indent) {
            Some(inner) => self.node(inner, depth + 1),
            None => Ok(Yaml::Scalar(String::new())),
        }
    }

    /// A scalar, or a collection in brackets, that starts on the current line.
    fn scalar(&mut self, first: &str, indent: usize, depth: usize) -> Read<Yaml> {
        let start = first.chars().next().unwrap_or(' ');
        match start {
            '&' | '*' | '!' | '%' | '@' | '`' => self.wrong("this part of YAML is not supported"),
            '|' | '>' => {
                let is_folded = start == '>';
                self.at += 1;
                Ok(Yaml::Scalar(self.block(indent, is_folded)))
            }
            _ => {
                // It goes on as long as lines are further in.
                let mut text = first.to_owned();
                self.at += 1;
                let is_flow = matches!(start, '[' | '{' | '"' | '\'');
                while let Some(line) = self.peek() {
                    let goes_on = line.indent > indent && !line.text.is_empty();
                    if !goes_on || is_flow && is_complete(&text) {
                        break;
                    }
                    if !is_flow && key_of(&line.text).is_some() || text.len() > MAX_VALUE {
                        return self.wrong("this value is not understood");
                    }
                    text.push(' ');
                    text.push_str(&line.text);
                    self.at += 1;
                }
                self.at -= 1;
                let mut flow = Flow { text: &text, at: 0 };
                let value = match is_flow {
                    true => flow.value(depth).filter(|_| flow.is_at_end()),
                    false => Some(Yaml::Scalar(text.clone())),
                };
                let Some(value) = value else { return self.wrong("this value is not understood") };
                self.at += 1;
                Ok(value)
            }
        }
    }

    /// A block scalar: all lines further in.
    fn block(&mut self, indent: usize, is_folded: bool) -> String {
        let mut lines: Vec<String> = Vec::new();
        let mut inner = None;
        while let Some(line) = self.peek() {
            let blanks = line.raw.len() - line.raw.trim_start_matches(' ').len();
            if !line.raw.is_empty() && blanks <= indent {
                break;
            }
            let start = *inner.get_or_insert(blanks);
            lines.push(line.raw.get(start..).unwrap_or_default().to_owned());
            self.at += 1;
        }
        lines.join(if is_folded { " " } else { "\n" }).trim_end().to_owned()
    }
}

/// The key of a line `key: rest`, and the rest.
fn key_of(line: &str) -> Option<(String, &str)> {
    if line.starts_with(['"', '\'']) {
        let mut flow = Flow { text: line, at: 0 };
        let Some(Yaml::Scalar(key)) = flow.value(0) else { return None };
        let rest = line[flow.at..].trim_start().strip_prefix(':')?;
        return (rest.is_empty() || rest.starts_with(' ')).then(|| (key, rest.trim_start()));
    }
    if line.starts_with(['[', '{', '|', '>']) {
        return None;
    }
    let at = line.find(": ").or_else(|| line.ends_with(':').then(|| line.len() - 1))?;
    Some((line[..at].trim_end().to_owned(), line[at + 1..].trim_start()))
}

/// Whether quotes and brackets of a text are closed.
fn is_complete(text: &str) -> bool {
    let mut flow = Flow { text, at: 0 };
    flow.value(0).is_some()
}

/// Reads values in brackets and quotes.
struct Flow<'t> {
    text: &'t str,
    at: usize,
}

impl Flow<'_> {
    fn skip(&mut self) {
        while self.text[self.at..].starts_with(' ') {
            self.at += 1;
        }
    }

    fn is_at_end(&mut self) -> bool {
        self.skip();
        self.at == self.text.len()
    }

    fn take(&mut self, c: char) -> bool {
        self.skip();
        let is_there = self.text[self.at..].starts_with(c);
        self.at += if is_there { c.len_utf8() } else { 0 };
        is_there
    }

    fn value(&mut self, depth: usize) -> Option<Yaml> {
        if depth > MAX_DEPTH {
            return None;
        }
        self.skip();
        match self.text[self.at..].chars().next()? {
            '"' => self.double_quoted().map(Yaml::Scalar),
            '\'' => self.single_quoted().map(Yaml::Scalar),
            '[' => {
                self.at += 1;
                let mut items = Vec::new();
                while !self.take(']') {
                    items.push(self.value(depth + 1)?);
                    if !self.take(',') && !self.text[self.at..].starts_with(']') {
                        return None;
                    }
                }
                Some(Yaml::List(items))
            }
            '{' => {
                self.at += 1;
                let mut entries = Vec::new();
                while !self.take('}') {
                    let Yaml::Scalar(key) = self.value(depth + 1)? else { return None };
                    if !self.take(':') {
                        return None;
                    }
                    entries.push((key, self.value(depth + 1)?));
                    if !self.take(',') && !self.text[self.at..].starts_with('}') {
                        return None;
                    }
                }
                Some(Yaml::Map(entries))
            }
            _ => {
                let rest = &self.text[self.at..];
                let end = rest.find([',', ']', '}']).unwrap_or(rest.len());
                let end = rest[..end].find(": ").unwrap_or(end);
                self.at += end;
                Some(Yaml::Scalar(rest[..end].trim_end().to_owned()))
            }
        }
    }

    fn single_quoted(&mut self) -> Option<String> {
        let mut out = String::new();
        self.at += 1;
        loop {
            let rest = &self.text[self.at..];
            let end = rest.find('\'')?;
            out.push_str(&rest[..end]);
            self.at += end + 1;
            // Two quotes are one.
            if !self.text[self.at..].starts_with('\'') {
                return Some(out);
            }
            out.push('\'');
            self.at += 1;
        }
    }

    fn double_quoted(&mut self) -> Option<String> {
        let mut out = String::new();
        let mut chars = self.text[self.at + 1..].char_indices();
        while let Some((offset, c)) = chars.next() {
            match c {
                '"' => {
                    self.at += 1 + offset + 1;
                    return Some(out);
                }
                '\\' => match chars.next()?.1 {
                    'n' => out.push('\n'),
                    't' => out.push('\t'),
                    'r' => out.push('\r'),
                    '0' => out.push('\0'),
                    kind @ ('x' | 'u' | 'U') => {
                        let count = match kind {
                            'x' => 2,
                            'u' => 4,
                            _ => 8,
                        };
                        let digits: String =
                            (0..count).filter_map(|_| chars.next()).map(|p| p.1).collect();
                        out.push(char::from_u32(u32::from_str_radix(&digits, 16).ok()?)?);
                    }
                    other => out.push(other),
                },
                c => out.push(c),
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn styles() {
        let text = "# a comment\n- a: \"x: \\\"y\\\" # no comment\"\n  b:\n  - 1\n  - {c: 'it''s', d: [e, f g]}\n\
                    \x20 e: >\n    two\n    lines\n  f: plain text # comment\n- 'g':\n    h: \"over\n      lines\"\n";
        let value = parse(text).expect("it is YAML");
        let items = value.list().expect("a sequence");
        let text = |key: &str| items[0].get(key).and_then(Yaml::text);
        assert_eq!(text("a"), Some("x: \"y\" # no comment"));
        assert_eq!(text("e"), Some("two lines"));
        assert_eq!(text("f"), Some("plain text"));
        let inner = items[0].get("b").and_then(Yaml::list).expect("a sequence");
        assert_eq!(inner[0].text(), Some("1"));
        assert_eq!(inner[1].get("c").and_then(Yaml::text), Some("it's"));
        assert_eq!(inner[1].get("d").and_then(Yaml::list).map(<[_]>::len), Some(2));
        let h = items[1].get("g").and_then(|g| g.get("h"));
        assert_eq!(h.and_then(Yaml::text), Some("over lines"));
    }

    #[test]
    fn what_is_not_understood_has_a_line() {
        let deep = "[".repeat(1000);
        for (text, line) in [
            ("a: 1\n b: 2\n c", 2),
            ("a: &x 1", 1),
            ("a: [1, 2", 1),
            ("\tb: 1", 1),
            (&deep, 1),
            ("a: 1\na: 2", 2),
        ] {
            assert!(parse(text).is_err_and(|e| e.line <= line + 1), "{text}: {:?}", parse(text));
        }
    }
}
