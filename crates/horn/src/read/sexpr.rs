//! S-expressions with positions, one command at a time. Nothing recurses: a list that is open is an
//! entry of a stack.

use pedra_formats::error::FormatError;
use pedra_formats::text::without_byte_order_mark;
use std::ops::Range;

/// A node of the command that was read last: a position in [`Reader`]'s list.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct NodeId(u32);

/// What a node is.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    /// A symbol; its bytes, without the bars of a quoted one.
    Symbol,
    /// A quoted symbol.
    Quoted,
    /// `:keyword`.
    Keyword,
    /// Digits.
    Numeral,
    /// `1.5`.
    Decimal,
    /// `#b01` or `#xff`.
    Bits,
    /// `"text"`.
    String,
    /// `(...)`.
    List,
}

#[derive(Clone, Debug)]
struct Node {
    kind: Kind,
    /// The bytes of the text, quotes included.
    text: Range<u32>,
    /// Positions in `Reader::children` for a list.
    children: Range<u32>,
}

/// Reads commands from a text.
pub(super) struct Reader<'t> {
    text: &'t str,
    at: usize,
    nodes: Vec<Node>,
    children: Vec<NodeId>,
    /// Where each line starts.
    lines: Vec<u32>,
}

/// The largest file that is read.
const MAX_BYTES: usize = 1 << 28;

/// The largest number of symbols, constants and lists of a command.
const MAX_NODES: usize = 20_000_000;

impl<'t> Reader<'t> {
    pub(super) fn new(bytes: &'t [u8]) -> Result<Reader<'t>, FormatError> {
        if bytes.len() > MAX_BYTES {
            let text = format!("the file has more than the {MAX_BYTES} bytes that are supported");
            return Err(FormatError::at(1, 1, text));
        }
        let bytes = without_byte_order_mark(bytes);
        let newlines = bytes.iter().enumerate().filter(|(_, byte)| **byte == b'\n');
        let lines = [0].into_iter().chain(newlines.map(|(at, _)| at as u32 + 1)).collect();
        let (nodes, children) = (Vec::new(), Vec::new());
        let reader = Reader { text: "", at: 0, nodes, children, lines };
        match std::str::from_utf8(bytes) {
            Ok(text) => Ok(Reader { text, ..reader }),
            Err(error) => {
                Err(reader.error_at(error.valid_up_to(), "the text is not valid UTF-8 here"))
            }
        }
    }

    /// Line and column of a byte, both from 1.
    pub(super) fn position(&self, offset: usize) -> (usize, usize) {
        let line = self.lines.partition_point(|&start| start as usize <= offset);
        (line, offset - self.lines[line - 1] as usize + 1)
    }

    /// An error at a byte.
    pub(super) fn error_at(&self, offset: usize, message: impl Into<String>) -> FormatError {
        let (line, column) = self.position(offset);
        FormatError::at(line, column, message)
    }

    /// An error at the start of a node.
    pub(super) fn error(&self, node: NodeId, message: impl Into<String>) -> FormatError {
        self.error_at(self.offset(node), message)
    }

    /// An error at the end of the text.
    pub(super) fn error_at_end(&self, message: impl Into<String>) -> FormatError {
        self.error_at(self.text.trim_end().len(), message)
    }

    /// Where a node starts.
    pub(super) fn offset(&self, node: NodeId) -> usize {
        self.nodes[node.0 as usize].text.start as usize
    }

    pub(super) fn kind(&self, node: NodeId) -> Kind {
        self.nodes[node.0 as usize].kind
    }

    /// The text of a node as it stands there.
    pub(super) fn source(&self, node: NodeId) -> &'t str {
        let Range { start, end } = self.nodes[node.0 as usize].text;
        &self.text[start as usize..end as usize]
    }

    /// The text of a node, a quoted symbol without its bars.
    pub(super) fn text(&self, node: NodeId) -> &'t str {
        let source = self.source(node);
        match self.kind(node) {
            Kind::Quoted => &source[1..source.len() - 1],
            _ => source,
        }
    }

    /// The name, if the node is a symbol.
    pub(super) fn symbol(&self, node: NodeId) -> Option<&'t str> {
        match self.kind(node) {
            Kind::Symbol | Kind::Quoted => Some(self.text(node)),
            _ => None,
        }
    }

    /// The elements, if the node is a list.
    pub(super) fn list(&self, node: NodeId) -> Option<&[NodeId]> {
        let Node { kind, children, .. } = &self.nodes[node.0 as usize];
        let range = children.start as usize..children.end as usize;
        (*kind == Kind::List).then(|| &self.children[range])
    }

    /// Refuses what is no list of keywords with at most one value each.
    pub(super) fn check_attributes(&self, nodes: &[NodeId]) -> Result<(), FormatError> {
        let mut may_have_value = false;
        for &node in nodes {
            let is_keyword = self.kind(node) == Kind::Keyword;
            if !is_keyword && !may_have_value {
                let text = format!("expected a keyword, not `{}`", self.shown(node));
                return Err(self.error(node, text));
            }
            may_have_value = is_keyword;
        }
        Ok(())
    }

    /// The text of a node on one line, without comments, cut off if it is longer than about so
    /// many bytes.
    pub(super) fn one_line(&self, node: NodeId, limit: usize) -> String {
        let mut line = String::new();
        // What is still to be written; `None` closes a list.
        let mut stack = vec![Some(node)];
        while let Some(next) = stack.pop() {
            if line.len() > limit {
                line.push('…');
                break;
            }
            let Some(node) = next else {
                line.push(')');
                continue;
            };
            if !line.is_empty() && !line.ends_with('(') {
                line.push(' ');
            }
            match self.list(node) {
                Some(list) => {
                    line.push('(');
                    stack.push(None);
                    stack.extend(list.iter().rev().map(|&child| Some(child)));
                }
                None => line.extend(self.source(node).chars().take(limit)),
            }
        }
        line
    }

    /// What a node is called in a message: its text, shortened.
    pub(super) fn shown(&self, node: NodeId) -> String {
        self.one_line(node, 40)
    }

    /// The next command; the nodes of the one before are gone.
    pub(super) fn next(&mut self) -> Result<Option<NodeId>, FormatError> {
        self.nodes.clear();
        self.children.clear();
        let mut open: Vec<(NodeId, usize)> = Vec::new();
        let mut pending: Vec<NodeId> = Vec::new();
        loop {
            self.skip_blanks();
            let start = self.at;
            let Some(&byte) = self.text.as_bytes().get(start) else {
                return match open.last() {
                    None => Ok(None),
                    Some(&(list, _)) => {
                        let (line, column) = self.position(self.offset(list));
                        let text = "the text ends, but a `(` is still open";
                        let hint = format!("opened at {line}:{column}");
                        Err(self.error_at_end(text).with_hint(hint))
                    }
                };
            };
            if self.nodes.len() >= MAX_NODES {
                let text = format!("a command of more than {MAX_NODES} parts");
                return Err(self.error_at(start, text));
            }
            let node = match byte {
                b'(' => {
                    self.at += 1;
                    let node = self.push(Kind::List, start);
                    open.push((node, pending.len()));
                    continue;
                }
                b')' => {
                    self.at += 1;
                    let Some((list, first)) = open.pop() else {
                        return Err(self.error_at(start, "a `)` without a `(`"));
                    };
                    let begin = self.children.len() as u32;
                    self.children.extend(pending.drain(first..));
                    let node = &mut self.nodes[list.0 as usize];
                    node.children = begin..self.children.len() as u32;
                    node.text.end = self.at as u32;
                    list
                }
                _ => self.atom()?,
            };
            if open.is_empty() {
                return Ok(Some(node));
            }
            pending.push(node);
        }
    }

    fn push(&mut self, kind: Kind, start: usize) -> NodeId {
        self.nodes.push(Node { kind, text: start as u32..self.at as u32, children: 0..0 });
        NodeId(self.nodes.len() as u32 - 1)
    }

    fn skip_blanks(&mut self) {
        let bytes = self.text.as_bytes();
        while let Some(&byte) = bytes.get(self.at) {
            if byte == b';' {
                let rest = &bytes[self.at..];
                self.at += rest.iter().position(|&b| b == b'\n').unwrap_or(rest.len());
            } else if byte.is_ascii_whitespace() {
                self.at += 1;
            } else {
                break;
            }
        }
    }

    /// Everything that is no list.
    fn atom(&mut self) -> Result<NodeId, FormatError> {
        let (bytes, start) = (self.text.as_bytes(), self.at);
        let kind = match bytes[start] {
            b'|' => {
                self.at += 1;
                self.skip_to(b'|', "the `|` that ends this symbol is missing")?;
                Kind::Quoted
            }
            b'"' => {
                self.at += 1;
                self.skip_to(b'"', "the `\"` that ends this string is missing")?;
                // Two quotes stand for one.
                while bytes.get(self.at) == Some(&b'"') {
                    self.at += 1;
                    self.skip_to(b'"', "the `\"` that ends this string is missing")?;
                }
                Kind::String
            }
            first => {
                while bytes.get(self.at).is_some_and(|&byte| is_word(byte)) {
                    self.at += 1;
                }
                let word = &self.text[start..self.at];
                match first {
                    _ if word.is_empty() => {
                        let shown = self.text[start..].chars().next().unwrap_or(' ');
                        return Err(self.error_at(start, format!("`{shown}` cannot stand here")));
                    }
                    b'#' => Kind::Bits,
                    b':' => Kind::Keyword,
                    b'0'..=b'9' if word.bytes().all(|b| b.is_ascii_digit()) => Kind::Numeral,
                    b'0'..=b'9' if is_decimal(word) => Kind::Decimal,
                    b'0'..=b'9' => {
                        let shown: String = word.chars().take(40).collect();
                        let text = format!("`{shown}` is not a number");
                        return Err(self.error_at(start, text));
                    }
                    _ => Kind::Symbol,
                }
            }
        };
        Ok(self.push(kind, start))
    }

    fn skip_to(&mut self, end: u8, message: &str) -> Result<(), FormatError> {
        let rest = &self.text.as_bytes()[self.at..];
        match rest.iter().position(|&byte| byte == end) {
            Some(length) => self.at += length + 1,
            None => return Err(self.error_at(self.at - 1, message)),
        }
        Ok(())
    }
}

/// Characters of symbols, numbers and keywords. Some writers have more than the standard allows.
fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"~!@$%^&*_-+=<>.?/:#'[]{}\\,`".contains(&byte)
}

fn is_decimal(word: &str) -> bool {
    let is_digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    word.split_once('.').is_some_and(|(whole, part)| is_digits(whole) && is_digits(part))
}
