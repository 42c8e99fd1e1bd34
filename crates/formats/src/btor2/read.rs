//! From bytes to a system, in one pass over the lines.

use super::line::{Line, Word, decode, shown};
use super::{Btor2, Node, Nodes};
use crate::error::FormatError;
use pedra_model::bits::Name;
use pedra_model::bv::Bv;
use pedra_model::system::{Input, Justice, NamedTerm, State, System};
use pedra_model::term::{BinaryOp, Sort, Term, TermId, UnaryOp};

/// Reads a BTOR2 file.
pub fn read(bytes: &[u8]) -> Result<System, FormatError> {
    read_with_ids(bytes).map(|model| model.system)
}

/// Reads a BTOR2 file and keeps the node numbers of its inputs, states and bads.
pub fn read_with_ids(bytes: &[u8]) -> Result<Btor2, FormatError> {
    let text = decode(bytes)?;
    let mut reader = Reader::default();
    for (index, line) in text.split('\n').enumerate() {
        reader.line(&mut Line::new(line, index + 1))?;
    }
    reader.finish()
}

/// What a node number stands for.
#[derive(Copy, Clone)]
enum Entry {
    Sort(Sort),
    Term(TermId),
    /// An index into the states.
    State(u32),
    /// A line that has no value, such as `bad`.
    Statement(&'static str),
}

#[derive(Default)]
struct Reader {
    system: System,
    nodes: Nodes,
    /// The numbers seen so far, increasing, and what they stand for.
    entries: Vec<(u64, Entry)>,
    /// Line and column of the `init` of each state, for messages.
    init_places: Vec<(usize, usize)>,
}

type Outcome<T> = Result<T, FormatError>;

impl Reader {
    fn line(&mut self, line: &mut Line<'_>) -> Outcome<()> {
        let Some(word) = line.word() else {
            self.system.comments.extend(line.comment().map(String::from));
            return Ok(());
        };
        let id = line.parse_number(word, "the node's number")?;
        if id == 0 {
            return Err(line.error(word.column, "node numbers start at 1"));
        }
        if let Some(&(last, _)) = self.entries.last()
            && id <= last
        {
            let what = match self.find(id) {
                Some(_) => format!("node {id} is defined twice"),
                None => format!("node {id} comes after node {last}"),
            };
            return Err(line
                .error(word.column, what)
                .with_hint("numbers must increase line by line"));
        }
        let op = line.expect("the operator")?;
        let entry = self.statement(line, op, Node { id, line: line.number })?;
        self.entries.push((id, entry));
        Ok(())
    }

    fn statement(&mut self, line: &mut Line<'_>, op: Word<'_>, node: Node) -> Outcome<Entry> {
        match op.text {
            "sort" => self.sort_line(line),
            "input" => {
                let (sort, _) = self.sort_arg(line)?;
                let name = symbol(line)?;
                let term = self.system.terms.new_symbol(sort);
                self.system.inputs.push(Input { term, name });
                self.nodes.inputs.push(node);
                Ok(Entry::Term(term))
            }
            "state" => {
                let (sort, _) = self.sort_arg(line)?;
                let name = symbol(line)?;
                let term = self.system.terms.new_symbol(sort);
                let index = self.system.states.len() as u32;
                self.system.states.push(State { term, name, init: None, next: None });
                self.init_places.push((0, 0));
                self.nodes.states.push(node);
                Ok(Entry::State(index))
            }
            "init" => self.init_line(line, op),
            "next" => self.next_line(line, op),
            "bad" => {
                let bad = self.property(line, true)?;
                self.system.bads.push(bad);
                self.nodes.bads.push(node);
                Ok(Entry::Statement("bad"))
            }
            "constraint" => {
                let constraint = self.property(line, true)?;
                self.system.constraints.push(constraint);
                Ok(Entry::Statement("constraint"))
            }
            "fair" => {
                let fair = self.property(line, true)?;
                self.system.fairness.push(fair);
                Ok(Entry::Statement("fair"))
            }
            "output" => {
                let output = self.property(line, false)?;
                self.system.outputs.push(output);
                Ok(Entry::Statement("output"))
            }
            "justice" => self.justice_line(line),
            _ => self.term_line(line, op),
        }
    }

    fn sort_line(&mut self, line: &mut Line<'_>) -> Outcome<Entry> {
        let kind = line.expect("the kind of sort")?;
        let sort = match kind.text {
            "bitvec" => {
                let column = line.column();
                let width = line.number("the width")?;
                Sort::bv(width).map_err(|e| line.error(column, e.0))?
            }
            "array" => {
                let index = self.element_sort(line, "index")?;
                let element = self.element_sort(line, "element")?;
                Sort::bv_array(index, element)
            }
            other => {
                let text = format!("unknown kind of sort `{}`", shown(other));
                return Err(line.error(kind.column, text).with_hint("bitvec or array"));
            }
        };
        symbol(line)?;
        Ok(Entry::Sort(sort))
    }

    fn element_sort(&self, line: &mut Line<'_>, what: &str) -> Outcome<u32> {
        let (sort, column) = self.sort_arg(line)?;
        sort.width().ok_or_else(|| {
            line.error(column, format!("the {what} of this array is an array: not supported"))
        })
    }

    /// The entry of a node number. Numbers increase by at least one a line, so the `n`-th has
    /// index `n - first` or less, and mostly exactly that.
    fn find(&self, id: u64) -> Option<Entry> {
        let &(first, _) = self.entries.first()?;
        let guess = usize::try_from(id.checked_sub(first)?).unwrap_or(usize::MAX);
        let guess = guess.min(self.entries.len() - 1);
        let (found, entry) = self.entries[guess];
        if found == id {
            return Some(entry);
        }
        let index = self.entries[..guess].binary_search_by_key(&id, |&(id, _)| id).ok()?;
        Some(self.entries[index].1)
    }

    fn lookup(&self, line: &Line<'_>, id: u64, column: usize) -> Outcome<Entry> {
        self.find(id).ok_or_else(|| {
            line.error(column, format!("node {id} is not defined"))
                .with_hint("a node must be defined in a line before its first use")
        })
    }

    fn sort_arg(&self, line: &mut Line<'_>) -> Outcome<(Sort, usize)> {
        let column = line.column();
        let id = line.number("the sort")?;
        match self.lookup(line, id, column)? {
            Entry::Sort(sort) => Ok((sort, column)),
            _ => Err(line.error(column, format!("node {id} is not a sort"))),
        }
    }

    fn term_arg(&mut self, line: &mut Line<'_>) -> Outcome<TermId> {
        let mut word = line.expect("an argument")?;
        let column = word.column;
        let negated = word.text.starts_with('-');
        if negated {
            word.text = &word.text[1..];
        }
        let id = line.parse_number(word, "an argument")?;
        let term = match self.lookup(line, id, column)? {
            Entry::Term(term) => term,
            Entry::State(index) => self.system.states[index as usize].term,
            Entry::Sort(_) => {
                return Err(line.error(column, format!("node {id} is a sort, not a value")));
            }
            Entry::Statement(what) => {
                let text = format!("node {id} is a `{what}` line, which has no value");
                return Err(line.error(column, text));
            }
        };
        if !negated {
            return Ok(term);
        }
        let not = self.system.terms.add(Term::Unary(UnaryOp::Not, term));
        not.map_err(|_| line.error(column, "an array cannot be negated"))
    }

    fn state_arg(&self, line: &mut Line<'_>, what: &str) -> Outcome<(usize, usize)> {
        let column = line.column();
        let id = line.number("the state")?;
        match self.lookup(line, id, column)? {
            Entry::State(index) => Ok((index as usize, column)),
            _ => Err(line.error(column, format!("{what} of node {id}, which is not a state"))),
        }
    }

    /// Sort, state and value of an `init` or `next` line.
    fn assignment(&mut self, line: &mut Line<'_>, what: &str) -> Outcome<(usize, TermId, usize)> {
        let (sort, column) = self.sort_arg(line)?;
        let (state, _) = self.state_arg(line, what)?;
        let expected = self.system.terms.sort(self.system.states[state].term);
        if sort != expected {
            let text = format!("the line says {sort}, but the state is a {expected}");
            return Err(line.error(column, text));
        }
        let column = line.column();
        let value = self.term_arg(line)?;
        symbol(line)?;
        Ok((state, value, column))
    }

    fn init_line(&mut self, line: &mut Line<'_>, op: Word<'_>) -> Outcome<Entry> {
        let (state, value, column) = self.assignment(line, "init")?;
        let terms = &mut self.system.terms;
        let wanted = terms.sort(self.system.states[state].term);
        let found = terms.sort(value);
        let init = match wanted {
            _ if wanted == found => value,
            Sort::Array { index, element } if found == element.into() => {
                terms.add(Term::ConstArray { index, value }).map_err(|e| line.error(column, e.0))?
            }
            _ => {
                let text = format!("init gives a {found}, but the state is a {wanted}");
                return Err(line.error(column, text));
            }
        };
        if self.system.states[state].init.replace(init).is_some() {
            return Err(line.error(op.column, "a second init of this state"));
        }
        self.init_places[state] = (line.number, op.column);
        Ok(Entry::Statement("init"))
    }

    fn next_line(&mut self, line: &mut Line<'_>, op: Word<'_>) -> Outcome<Entry> {
        let (state, value, column) = self.assignment(line, "next")?;
        let wanted = self.system.terms.sort(self.system.states[state].term);
        let found = self.system.terms.sort(value);
        if wanted != found {
            let text = format!("next gives a {found}, but the state is a {wanted}");
            return Err(line.error(column, text));
        }
        if self.system.states[state].next.replace(value).is_some() {
            return Err(line.error(op.column, "a second next of this state"));
        }
        Ok(Entry::Statement("next"))
    }

    fn bit_arg(&mut self, line: &mut Line<'_>) -> Outcome<TermId> {
        let column = line.column();
        let term = self.term_arg(line)?;
        match self.system.terms.sort(term) {
            Sort::BOOL => Ok(term),
            sort => Err(line.error(column, format!("one bit is needed here, not {sort}"))),
        }
    }

    fn property(&mut self, line: &mut Line<'_>, is_bit: bool) -> Outcome<NamedTerm> {
        let term = if is_bit { self.bit_arg(line)? } else { self.term_arg(line)? };
        Ok(NamedTerm { term, name: symbol(line)? })
    }

    fn justice_line(&mut self, line: &mut Line<'_>) -> Outcome<Entry> {
        let column = line.column();
        let count = line.number("the number of terms")?;
        if count == 0 {
            return Err(line.error(column, "a justice property needs at least one term"));
        }
        // The list grows with the line, not with the number that the line claims.
        let mut terms = Vec::new();
        for _ in 0..count {
            terms.push(self.bit_arg(line)?);
        }
        self.system.justice.push(Justice { terms, name: symbol(line)? });
        Ok(Entry::Statement("justice"))
    }

    /// A line that defines a value: sort, arguments, symbol.
    fn term_line(&mut self, line: &mut Line<'_>, op: Word<'_>) -> Outcome<Entry> {
        let shape = shape(op.text).ok_or_else(|| {
            line.error(op.column, format!("unknown operator `{}`", shown(op.text)))
        })?;
        let (sort, sort_column) = self.sort_arg(line)?;
        let term = match shape {
            Shape::Constant(kind) => {
                let width = sort.width().ok_or_else(|| {
                    line.error(sort_column, "a constant must be a bit-vector, not an array")
                })?;
                Term::Const(constant(line, kind, width)?)
            }
            Shape::Unary(unary) => Term::Unary(unary, self.term_arg(line)?),
            Shape::Binary(binary) => {
                Term::Binary(binary, self.term_arg(line)?, self.term_arg(line)?)
            }
            Shape::Read => Term::Read(self.term_arg(line)?, self.term_arg(line)?),
            Shape::Write => {
                Term::Write(self.term_arg(line)?, self.term_arg(line)?, self.term_arg(line)?)
            }
            Shape::Ite => {
                Term::Ite(self.term_arg(line)?, self.term_arg(line)?, self.term_arg(line)?)
            }
            Shape::Slice => {
                let arg = self.term_arg(line)?;
                Term::Slice { arg, high: small(line, "a bit")?, low: small(line, "a bit")? }
            }
            Shape::Extend { signed } => {
                let arg = self.term_arg(line)?;
                Term::Extend { arg, by: small(line, "the number of bits")?, signed }
            }
        };
        let name = symbol(line)?;
        let term = self.system.terms.add(term).map_err(|e| line.error(op.column, e.0))?;
        let found = self.system.terms.sort(term);
        if found != sort {
            let text = format!("the line says {sort}, but {} gives {found}", op.text);
            return Err(line.error(sort_column, text));
        }
        self.system.names.extend(name.map(|name| (term, name)));
        Ok(Entry::Term(term))
    }

    fn finish(self) -> Outcome<Btor2> {
        if let Err(state) = self.system.init_order() {
            let (line, column) = self.init_places[state as usize];
            let id = self.nodes.states[state as usize].id;
            let text = format!("the init of state {id} depends on the state itself");
            return Err(FormatError::at(line, column, text));
        }
        Ok(Btor2 { system: self.system, nodes: self.nodes })
    }
}

/// What follows the sort of a line that defines a value.
#[derive(Copy, Clone)]
enum Shape {
    Constant(Constant),
    Unary(UnaryOp),
    Binary(BinaryOp),
    Read,
    Write,
    Ite,
    Slice,
    Extend { signed: bool },
}

#[derive(Copy, Clone)]
enum Constant {
    Zero,
    One,
    Ones,
    Binary,
    Decimal,
    Hexadecimal,
}

fn shape(op: &str) -> Option<Shape> {
    Some(match op {
        "zero" => Shape::Constant(Constant::Zero),
        "one" => Shape::Constant(Constant::One),
        "ones" => Shape::Constant(Constant::Ones),
        "const" => Shape::Constant(Constant::Binary),
        "constd" => Shape::Constant(Constant::Decimal),
        "consth" => Shape::Constant(Constant::Hexadecimal),
        "read" => Shape::Read,
        "write" => Shape::Write,
        "ite" => Shape::Ite,
        "slice" => Shape::Slice,
        "sext" => Shape::Extend { signed: true },
        "uext" => Shape::Extend { signed: false },
        _ => match BinaryOp::from_name(op) {
            Some(binary) => Shape::Binary(binary),
            None => Shape::Unary(UnaryOp::from_name(op)?),
        },
    })
}

/// The rest of a line: at most a symbol, then at most a comment.
fn symbol(line: &mut Line<'_>) -> Outcome<Name> {
    let Some(symbol) = line.symbol() else { return Ok(None) };
    if let Some(extra) = line.symbol() {
        let text = format!("unexpected `{}` after the symbol", shown(extra.text));
        return Err(line
            .error(extra.column, text)
            .with_hint("too many arguments, or white space in a symbol"));
    }
    Ok(Some(symbol.text.into()))
}

/// A number of bits; a larger one cannot be right.
fn small(line: &mut Line<'_>, what: &str) -> Outcome<u32> {
    let column = line.column();
    let value = line.number(what)?;
    u32::try_from(value).map_err(|_| line.error(column, format!("{what} is too large")))
}

fn constant(line: &mut Line<'_>, kind: Constant, width: u32) -> Outcome<Bv> {
    let (radix, bits_per_thousand_digits) = match kind {
        Constant::Zero => return Ok(Bv::zero(width)),
        Constant::One => return Ok(Bv::one(width)),
        Constant::Ones => return Ok(Bv::ones(width)),
        Constant::Binary => (2, 1000),
        Constant::Decimal => (10, 3321),
        Constant::Hexadecimal => (16, 4000),
    };
    let word = line.expect("the constant")?;
    let unsigned = match kind {
        Constant::Decimal => word.text.strip_prefix('-').unwrap_or(word.text),
        _ => word.text,
    };
    if unsigned.is_empty() || !unsigned.chars().all(|c| c.is_digit(radix)) {
        let text = format!("`{}` is not a number of base {radix}", shown(word.text));
        return Err(line.error(word.column, text));
    }
    if radix == 2 && unsigned.len() as u64 != width as u64 {
        let text = format!("the constant has {} digits, but {width} bits", unsigned.len());
        return Err(line.error(word.column, text));
    }
    // Conversion from decimal takes quadratic time, so hopeless cases are found by length.
    let digits = unsigned.trim_start_matches('0').len() as u64;
    let fits = digits <= 1 || (digits - 1) * bits_per_thousand_digits / 1000 < width as u64;
    let value = if fits { Bv::parse(width, word.text, radix) } else { None };
    value.ok_or_else(|| {
        let text = format!("the constant {} does not fit {width} bits", shown(word.text));
        line.error(word.column, text)
    })
}
