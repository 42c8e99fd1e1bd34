//! From a system to bytes.
//!
//! Numbers are given in the order of the lines. Inputs come first, then the states, each after
//! its init value where that needs no later state (other tools insist on it), then the rest of
//! the terms in the order of the store, then what refers to them.

use pedra_model::bits::Name;
use pedra_model::bv::Bv;
use pedra_model::system::{NamedTerm, System};
use pedra_model::term::{Scalar, Sort, Term, TermId};
use rustc_hash::FxHashMap;
use std::fmt;
use std::io::Write as _;

/// Why a system cannot be written as BTOR2.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum WriteError {
    /// A constant array that is not the init of a state: the format has no word for it.
    ConstArray(TermId),
    /// A symbol that is neither an input nor a state.
    LooseSymbol(TermId),
    /// A term that is listed as an input or state, but is no symbol or is listed twice.
    NotASymbol(TermId),
    /// An integer, or an array with integers.
    Integers,
}

impl fmt::Display for WriteError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            WriteError::ConstArray(_) => {
                f.write_str("BTOR2 has constant arrays only as the init of a state")
            }
            WriteError::LooseSymbol(term) => {
                write!(f, "term {} is a symbol, but neither input nor state", term.index())
            }
            WriteError::NotASymbol(term) => {
                write!(f, "term {} is not a symbol of its own for an input or state", term.index())
            }
            WriteError::Integers => f.write_str("BTOR2 has no integers"),
        }
    }
}

impl std::error::Error for WriteError {}

/// Prints a system. Symbols are kept as they are, but for white space and a `;` at the start,
/// which become `_`. Names of inner terms are kept too.
pub fn write(system: &System) -> Result<Vec<u8>, WriteError> {
    let mut writer = Writer::new(system);
    writer.comments();
    writer.inputs()?;
    let late = writer.states()?;
    writer.terms()?;
    for &state in &late {
        writer.init(state)?;
    }
    writer.nexts()?;
    writer.properties()?;
    Ok(writer.out)
}

/// The name without what would end a symbol or start a comment.
fn clean(name: &str) -> String {
    let bad = |(i, c): (usize, char)| {
        if c.is_ascii_whitespace() || (i == 0 && c == ';') { '_' } else { c }
    };
    name.chars().enumerate().map(bad).collect()
}

struct Writer<'a> {
    system: &'a System,
    out: Vec<u8>,
    last: u64,
    sorts: FxHashMap<Sort, u64>,
    /// The number of each term; 0 if it has none yet.
    ids: Vec<u64>,
    names: FxHashMap<TermId, Vec<&'a str>>,
    stack: Vec<TermId>,
}

impl<'a> Writer<'a> {
    fn new(system: &'a System) -> Writer<'a> {
        let mut names: FxHashMap<TermId, Vec<&'a str>> = FxHashMap::default();
        for (term, name) in &system.names {
            names.entry(*term).or_default().push(name);
        }
        Writer {
            system,
            out: Vec::new(),
            last: 0,
            sorts: FxHashMap::default(),
            ids: vec![0; system.terms.len()],
            names,
            stack: Vec::new(),
        }
    }

    /// One numbered line; returns its number.
    fn line(&mut self, body: fmt::Arguments<'_>, name: Option<&str>) -> u64 {
        self.last += 1;
        const INFALLIBLE: &str = "a vector takes every byte";
        write!(self.out, "{} {body}", self.last).expect(INFALLIBLE);
        if let Some(name) = name.filter(|n| !n.is_empty()) {
            write!(self.out, " {}", clean(name)).expect(INFALLIBLE);
        }
        self.out.push(b'\n');
        self.last
    }

    fn comments(&mut self) {
        for line in self.system.comments.iter().flat_map(|c| c.split('\n')) {
            let line = line.trim_end();
            let text = if line.is_empty() { ";\n".into() } else { format!("; {line}\n") };
            self.out.extend_from_slice(text.as_bytes());
        }
    }

    fn sort(&mut self, sort: Sort) -> Result<u64, WriteError> {
        if let Some(&id) = self.sorts.get(&sort) {
            return Ok(id);
        }
        let id = match sort {
            Sort::Bv(width) => self.line(format_args!("sort bitvec {width}"), None),
            Sort::Array { index: Scalar::Bv(index), element: Scalar::Bv(element) } => {
                let index = self.sort(Sort::Bv(index))?;
                let element = self.sort(Sort::Bv(element))?;
                self.line(format_args!("sort array {index} {element}"), None)
            }
            Sort::Int | Sort::Array { .. } => return Err(WriteError::Integers),
        };
        self.sorts.insert(sort, id);
        Ok(id)
    }

    /// An `input` or `state` line.
    fn symbol(&mut self, term: TermId, what: &str, name: &'a Name) -> Result<(), WriteError> {
        if self.system.terms.symbol_of(term).is_none() || self.ids[term.index()] != 0 {
            return Err(WriteError::NotASymbol(term));
        }
        let sort = self.sort(self.system.terms.sort(term))?;
        let id = self.line(format_args!("{what} {sort}"), name.as_deref());
        self.ids[term.index()] = id;
        // Further names of a symbol: an extension by no bits carries them, as Yosys has it.
        if !self.system.terms.sort(term).is_array() {
            for alias in self.names.remove(&term).unwrap_or_default() {
                self.line(format_args!("uext {sort} {id} 0"), Some(alias));
            }
        }
        Ok(())
    }

    fn inputs(&mut self) -> Result<(), WriteError> {
        let system = self.system;
        system.inputs.iter().try_for_each(|input| self.symbol(input.term, "input", &input.name))
    }

    /// The states, with those inits that need no later state; returns the others.
    fn states(&mut self) -> Result<Vec<usize>, WriteError> {
        let system = self.system;
        let needs = self.needed_states();
        let mut late = Vec::new();
        for (index, state) in system.states.iter().enumerate() {
            let early = state.init.is_some_and(|init| needs[init.index()] <= index);
            if early {
                self.value(self.init_value(index))?;
            }
            self.symbol(state.term, "state", &state.name)?;
            if early {
                self.init(index)?;
            } else if state.init.is_some() {
                late.push(index);
            }
        }
        Ok(late)
    }

    /// For each term how many of the states must be written before it.
    fn needed_states(&self) -> Vec<usize> {
        let terms = &self.system.terms;
        let mut needs = vec![0; terms.len()];
        for (index, state) in self.system.states.iter().enumerate() {
            needs[state.term.index()] = index + 1;
        }
        for (id, term) in terms.iter() {
            let most = term.args().map(|arg| needs[arg.index()]).max();
            needs[id.index()] = needs[id.index()].max(most.unwrap_or(0));
        }
        needs
    }

    /// What stands in the `init` line: a constant array is written as its element.
    fn init_value(&self, state: usize) -> TermId {
        let init = self.system.states[state].init.expect("called for states with init");
        match *self.system.terms.get(init) {
            Term::ConstArray { value, .. } => value,
            _ => init,
        }
    }

    fn init(&mut self, state: usize) -> Result<(), WriteError> {
        let value = self.init_value(state);
        self.value(value)?;
        let term = self.system.states[state].term;
        let sort = self.sort(self.system.terms.sort(term))?;
        let (state, value) = (self.ids[term.index()], self.ids[value.index()]);
        self.line(format_args!("init {sort} {state} {value}"), None);
        Ok(())
    }

    /// Writes a term and what it needs, arguments first.
    fn value(&mut self, root: TermId) -> Result<(), WriteError> {
        self.stack.push(root);
        while let Some(&term) = self.stack.last() {
            if self.ids[term.index()] != 0 {
                self.stack.pop();
                continue;
            }
            let before = self.stack.len();
            let args = self.system.terms.get(term).args();
            self.stack.extend(args.rev().filter(|arg| self.ids[arg.index()] == 0));
            if self.stack.len() == before {
                self.stack.pop();
                self.node(term)?;
            }
        }
        Ok(())
    }

    /// Every term that the system needs and that is not written yet.
    fn terms(&mut self) -> Result<(), WriteError> {
        let system = self.system;
        let is_const_array = |t: TermId| matches!(system.terms.get(t), Term::ConstArray { .. });
        let inits = (0..system.states.len()).filter(|&s| system.states[s].init.is_some());
        let inits: Vec<TermId> = inits.map(|s| self.init_value(s)).collect();
        let mut cleared = system.states.iter().map(|s| s.next).collect::<Vec<_>>();
        cleared.extend(inits.into_iter().map(Some));
        let named = [&system.bads, &system.constraints, &system.fairness, &system.outputs];
        let roots = cleared
            .into_iter()
            .flatten()
            .chain(named.into_iter().flatten().map(|n| n.term))
            .chain(system.justice.iter().flat_map(|j| j.terms.iter().copied()))
            .chain(system.names.iter().map(|(t, _)| *t).filter(|&t| !is_const_array(t)));
        let cone = system.terms.cone(roots);
        for (term, _) in system.terms.iter().filter(|(t, _)| cone[t.index()]) {
            if self.ids[term.index()] == 0 {
                self.node(term)?;
            }
        }
        Ok(())
    }

    /// The line of a term whose arguments are written, once for each of its names.
    fn node(&mut self, term: TermId) -> Result<(), WriteError> {
        let names = self.names.remove(&term).unwrap_or_default();
        let id = self.node_line(term, names.first().copied())?;
        self.ids[term.index()] = id;
        for name in names.iter().skip(1) {
            self.node_line(term, Some(name))?;
        }
        Ok(())
    }

    fn node_line(&mut self, term: TermId, name: Option<&str>) -> Result<u64, WriteError> {
        let terms = &self.system.terms;
        let sort = self.sort(terms.sort(term))?;
        let id = |t: TermId| self.ids[t.index()];
        Ok(match *terms.get(term) {
            Term::Const(ref value) => self.constant(sort, value, name),
            Term::Symbol(_) => return Err(WriteError::LooseSymbol(term)),
            Term::ConstArray { .. } => return Err(WriteError::ConstArray(term)),
            Term::IntConst(_) | Term::IntNeg(_) | Term::Int(..) => {
                return Err(WriteError::Integers);
            }
            Term::Unary(op, a) => {
                let a = id(a);
                self.line(format_args!("{} {sort} {a}", op.name()), name)
            }
            Term::Binary(op, a, b) => {
                let (a, b) = (id(a), id(b));
                self.line(format_args!("{} {sort} {a} {b}", op.name()), name)
            }
            Term::Ite(a, b, c) => {
                let (a, b, c) = (id(a), id(b), id(c));
                self.line(format_args!("ite {sort} {a} {b} {c}"), name)
            }
            Term::Slice { arg, high, low } => {
                let arg = id(arg);
                self.line(format_args!("slice {sort} {arg} {high} {low}"), name)
            }
            Term::Extend { arg, by, signed } => {
                let arg = id(arg);
                let op = if signed { "sext" } else { "uext" };
                self.line(format_args!("{op} {sort} {arg} {by}"), name)
            }
            Term::Read(a, b) => {
                let (a, b) = (id(a), id(b));
                self.line(format_args!("read {sort} {a} {b}"), name)
            }
            Term::Write(a, b, c) => {
                let (a, b, c) = (id(a), id(b), id(c));
                self.line(format_args!("write {sort} {a} {b} {c}"), name)
            }
        })
    }

    /// A constant in its shortest form, so that wide ones stay as small as they were.
    fn constant(&mut self, sort: u64, value: &Bv, name: Option<&str>) -> u64 {
        if value.is_zero() {
            self.line(format_args!("zero {sort}"), name)
        } else if value.is_one() {
            self.line(format_args!("one {sort}"), name)
        } else if value.is_ones() {
            self.line(format_args!("ones {sort}"), name)
        } else if let Some(small) = value.to_u64() {
            self.line(format_args!("constd {sort} {small}"), name)
        } else if let Some(small) = value.neg().to_u64() {
            self.line(format_args!("constd {sort} -{small}"), name)
        } else {
            let hex = value.to_hex();
            self.line(format_args!("consth {sort} {}", hex.trim_start_matches('0')), name)
        }
    }

    fn nexts(&mut self) -> Result<(), WriteError> {
        for state in &self.system.states {
            if let Some(next) = state.next {
                let sort = self.sort(self.system.terms.sort(state.term))?;
                let (state, next) = (self.ids[state.term.index()], self.ids[next.index()]);
                self.line(format_args!("next {sort} {state} {next}"), None);
            }
        }
        Ok(())
    }

    fn properties(&mut self) -> Result<(), WriteError> {
        let system = self.system;
        let mut list = |what: &str, terms: &[NamedTerm]| {
            for NamedTerm { term, name } in terms {
                let id = self.ids[term.index()];
                self.line(format_args!("{what} {id}"), name.as_deref());
            }
        };
        list("output", &system.outputs);
        list("constraint", &system.constraints);
        list("fair", &system.fairness);
        list("bad", &system.bads);
        for justice in &system.justice {
            let ids = justice.terms.iter().map(|t| format!(" {}", self.ids[t.index()]));
            let mut ids: String = ids.collect();
            // The format wants one term at least, and what is always true asks for nothing.
            if justice.terms.is_empty() {
                let sort = self.sort(Sort::BOOL)?;
                ids = format!(" {}", self.line(format_args!("one {sort}"), None));
            }
            let count = justice.terms.len().max(1);
            self.line(format_args!("justice {count}{ids}"), justice.name.as_deref());
        }
        Ok(())
    }
}
