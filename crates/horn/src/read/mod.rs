//! The reader: SMT-LIB text to [`Clauses`].
//!
//! Commands of the logic `HORN` (`declare-fun`, `assert`, `check-sat`) and of Z3's fixed-point
//! engines (`declare-rel`, `declare-var`, `rule`, `query`). A file must ask a question
//! (`check-sat` or `query`): one that was cut off between two commands is not taken for a smaller
//! problem.

mod formula;
mod ops;
mod sexpr;
mod split;
mod types;

use crate::clauses::{ByZero, Clause, Clauses};
use formula::Names;
use ops::Typed;
use pedra_formats::error::FormatError;
use pedra_model::term::TermId;
use pedra_program::Span;
use sexpr::{NodeId, Reader};
use split::{Heads, NotHorn, Parts, split};
use types::{BOOL, Type, read_type};

/// The largest number of terms.
pub const MAX_TERMS: usize = 20_000_000;

/// How many terms applications of defined functions may visit in all.
const MAX_EXPANSION: usize = 2_000_000;

/// The most digits of a number.
const MAX_DIGITS: usize = 10_000;

/// The most bytes of a clause that are kept as its text.
const MAX_CLAUSE_TEXT: usize = 160;

type Outcome<T> = Result<T, FormatError>;

/// Reads a file.
///
/// # Errors
/// If it is damaged, or has something that is not supported: where, and what.
pub fn read(text: &[u8]) -> Result<Clauses, FormatError> {
    let reader = Reader::new(text)?;
    let script = Script { reader, names: Names::new(), clauses: Vec::new(), is_asked: false };
    script.read()
}

struct Script<'t> {
    reader: Reader<'t>,
    names: Names<'t>,
    clauses: Vec<Clause>,
    /// Whether there was a `check-sat` or `query`.
    is_asked: bool,
}

impl<'t> Script<'t> {
    fn read(mut self) -> Outcome<Clauses> {
        while let Some(command) = self.reader.next()? {
            if !self.command(command)? {
                break;
            }
        }
        if !self.is_asked {
            let text = "the file ends without `check-sat` or `query`";
            return Err(self.reader.error_at_end(text));
        }
        let Names { terms, predicates, .. } = self.names;
        let by_zero = ByZero::Open;
        Ok(Clauses { terms, predicates, clauses: self.clauses, by_zero })
    }

    fn error<T>(&self, node: NodeId, message: impl Into<String>) -> Outcome<T> {
        Err(self.reader.error(node, message))
    }

    /// Executes a command; `false` if it is the last one.
    fn command(&mut self, command: NodeId) -> Outcome<bool> {
        let list: Vec<NodeId> = self.reader.list(command).unwrap_or_default().to_vec();
        let Some(name) = list.first().and_then(|&head| self.reader.symbol(head)) else {
            let shown = self.reader.shown(command);
            return self.error(command, format!("expected a command, not `{shown}`"));
        };
        if self.is_asked && matches!(name, "assert" | "rule" | "check-sat" | "check-sat-assuming") {
            return self.error(command, "only one question per file is supported");
        }
        match (name, &list[1..]) {
            ("exit", []) => return Ok(false),
            ("set-info" | "set-option" | "get-info" | "get-model" | "get-proof" | "echo", _)
            | ("get-unsat-core" | "get-assertions" | "get-value" | "get-option", _) => {}
            ("set-logic", &[logic]) => {
                if self.reader.symbol(logic) != Some("HORN") {
                    let shown = self.reader.shown(logic);
                    let text = format!("the logic `{shown}` is not supported");
                    return Err(self.reader.error(logic, text).with_hint("only HORN is"));
                }
            }
            ("define-sort", &[name, parameters, sort]) => {
                if self.reader.list(parameters) != Some(&[]) {
                    return self.error(parameters, "sorts with parameters are not supported");
                }
                let sort = self.sort(sort)?;
                let shown = self.symbol(name)?;
                if matches!(shown, "Bool" | "Int") || self.names.aliases.contains_key(shown) {
                    return self.error(name, format!("the sort `{shown}` is defined already"));
                }
                self.names.aliases.insert(shown, sort);
            }
            ("declare-fun", &[name, sorts, result]) => {
                self.declare(command, name, Some(sorts), Some(result))?;
            }
            ("declare-const", &[name, result]) => {
                self.declare(command, name, None, Some(result))?;
            }
            ("declare-rel", &[name, sorts]) => self.declare(command, name, Some(sorts), None)?,
            ("declare-var", &[name, sort]) => {
                let sort = self.sort(sort)?;
                let name = self.new_name(name)?;
                self.names.bind_variable(name, sort);
            }
            ("define-fun", &[name, parameters, result, body]) => {
                self.define(name, Some(parameters), result, body)?;
            }
            ("define-const", &[name, result, body]) => self.define(name, None, result, body)?,
            ("assert", &[formula]) => self.clauses(command, formula)?,
            ("rule", &[formula]) => self.clauses(command, formula)?,
            // A rule may have a name.
            ("rule", &[formula, name]) => {
                self.symbol(name)?;
                self.clauses(command, formula)?;
            }
            ("assert", &[_, more, ..]) | ("rule", &[_, _, more, ..]) => {
                return self.error(more, format!("`{name}` takes one formula"));
            }
            ("query", &[goal, ref options @ ..]) => {
                self.reader.check_attributes(options)?;
                self.query(command, goal)?;
            }
            ("check-sat", []) => self.is_asked = true,
            _ => {
                let shown = self.reader.shown(command);
                return self.error(command, format!("the command `{shown}` is not supported"));
            }
        }
        Ok(true)
    }

    fn symbol(&self, node: NodeId) -> Outcome<&'t str> {
        match self.reader.symbol(node) {
            Some(name) => Ok(name),
            None => {
                let shown = self.reader.shown(node);
                self.error(node, format!("expected a name, not `{shown}`"))
            }
        }
    }

    fn new_name(&self, node: NodeId) -> Outcome<&'t str> {
        let name = self.symbol(node)?;
        match self.names.is_taken(name) {
            true => self.error(node, format!("`{name}` is declared a second time")),
            false => Ok(name),
        }
    }

    fn sort(&self, node: NodeId) -> Outcome<Type> {
        read_type(&self.reader, node, &self.names.aliases)
    }

    fn span(&self, node: NodeId) -> Span {
        let (line, column) = self.reader.position(self.reader.offset(node));
        let number = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        Span { file: 0, line: number(line), column: number(column) }
    }

    /// A predicate. `result` must be `Bool`.
    fn declare(
        &mut self,
        command: NodeId,
        name: NodeId,
        sorts: Option<NodeId>,
        result: Option<NodeId>,
    ) -> Outcome<()> {
        let shown = self.new_name(name)?;
        let sorts = match sorts {
            None => Vec::new(),
            Some(sorts) => match self.reader.list(sorts) {
                Some(list) => list.iter().map(|&s| self.sort(s)).collect::<Outcome<_>>()?,
                None => return self.error(sorts, "expected a list of sorts"),
            },
        };
        if let Some(result) = result
            && self.sort(result)? != BOOL
        {
            let what = if sorts.is_empty() { "free constants" } else { "unknown functions" };
            let text = format!("{what} are not supported; only predicates are unknown");
            return self.error(command, text);
        }
        let span = self.span(command);
        self.names.declare_predicate(shown, sorts, span);
        Ok(())
    }

    fn define(
        &mut self,
        name: NodeId,
        parameters: Option<NodeId>,
        result: NodeId,
        body: NodeId,
    ) -> Outcome<()> {
        let (shown, result) = (self.new_name(name)?, self.sort(result)?);
        let mut bound: Vec<(&'t str, Typed)> = Vec::new();
        let list = match parameters {
            None => Vec::new(),
            Some(list) => match self.reader.list(list) {
                Some(pairs) => pairs.to_vec(),
                None => return self.error(list, "expected a list of parameters"),
            },
        };
        for pair in list {
            let &[name, sort] = self.reader.list(pair).unwrap_or_default() else {
                return self.error(pair, "expected a parameter and its sort");
            };
            let (parameter, sort) = (self.symbol(name)?, self.sort(sort)?);
            if bound.iter().any(|(other, _)| *other == parameter) {
                return self.error(name, format!("`{parameter}` is bound a second time"));
            }
            bound.push((parameter, self.names.bind_variable(parameter, sort)));
        }
        let value = self.names.evaluate(&self.reader, body)?;
        if value.1 != result {
            return self.error(body, format!("the body is of sort {}, not {result}", value.1));
        }
        if self.names.is_marked(value.0) {
            let text = "predicates and quantifiers in defined functions are not supported";
            return self.error(body, text);
        }
        for (parameter, _) in &bound {
            self.names.unbind(parameter);
        }
        let parameters = bound.into_iter().map(|(_, parameter)| parameter).collect();
        self.names.define(shown, parameters, value);
        Ok(())
    }

    fn formula(&mut self, node: NodeId) -> Outcome<TermId> {
        let (term, sort) = self.names.evaluate(&self.reader, node)?;
        match sort {
            BOOL => Ok(term),
            _ => self.error(node, format!("expected a formula, not a term of sort {sort}")),
        }
    }

    /// The clauses of an assertion or rule.
    fn clauses(&mut self, command: NodeId, formula: NodeId) -> Outcome<()> {
        let term = self.formula(formula)?;
        self.add(command, term, Heads::Allowed)
    }

    /// `query P` asks whether P has an element: `P(x) → false`. A negated predicate in it would be
    /// the head of a clause, and add elements instead of asking for one.
    fn query(&mut self, command: NodeId, goal: NodeId) -> Outcome<()> {
        let predicate = self.reader.symbol(goal).and_then(|name| self.names.predicate(name));
        let term = match predicate {
            Some(predicate) => self.names.any(predicate, self.reader.offset(goal)),
            None => self.formula(goal)?,
        };
        let negated = self.names.terms.not(term);
        self.is_asked = true;
        self.add(command, negated, Heads::Refused)
    }

    fn add(&mut self, command: NodeId, term: TermId, heads: Heads) -> Outcome<()> {
        let parts =
            split(&mut self.names, term, heads).map_err(|NotHorn { offset, message }| {
                let offset = offset.unwrap_or_else(|| self.reader.offset(command));
                self.reader.error_at(offset, message)
            })?;
        let span = self.span(command);
        let text: Box<str> = self.reader.one_line(command, MAX_CLAUSE_TEXT).into();
        for Parts { body, constraint, head, .. } in parts {
            self.clauses.push(Clause { body, constraint, head, span, text: text.clone() });
        }
        Ok(())
    }
}
