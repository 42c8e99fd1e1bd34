//! Terms and formulas, with an explicit stack in place of recursion.
//!
//! The result of a formula is a term of the model. Predicates and quantifiers, which the model does
//! not have, become *marked* symbols; [`super::split`] finds them again where a clause may have
//! them, and they are refused elsewhere.

use super::ops::{self, Typed};
use super::sexpr::{Kind, NodeId, Reader};
use super::types::{BOOL, INT, Type, read_type};
use super::{MAX_DIGITS, MAX_EXPANSION, MAX_TERMS};
use crate::clauses::{Atom, Predicate};
use num_bigint::BigInt;
use pedra_formats::error::FormatError;
use pedra_model::bv::Bv;
use pedra_model::simplify::Rewriter;
use pedra_model::term::{Sort, TermId, Terms};
use rustc_hash::{FxHashMap, FxHashSet};

/// What a marked symbol stands for.
#[derive(Clone, Debug)]
pub(super) enum Mark {
    Predicate(Atom),
    Forall(TermId),
    Exists(TermId),
}

/// A function that was defined.
struct Definition {
    parameters: Vec<Typed>,
    body: Typed,
    /// How many terms the body has: the price of an application.
    size: usize,
}

/// All that has a name.
pub(super) struct Names<'t> {
    pub(super) terms: Terms,
    pub(super) predicates: Vec<Predicate>,
    /// The types of each predicate's arguments.
    types: Vec<Vec<Type>>,
    predicate_of: FxHashMap<&'t str, usize>,
    definitions: FxHashMap<&'t str, Definition>,
    pub(super) aliases: FxHashMap<&'t str, Type>,
    /// What a name is bound to: by `declare-var`, then by quantifiers and `let`s from outside in.
    scope: FxHashMap<&'t str, Vec<Typed>>,
    pub(super) marks: FxHashMap<TermId, (Mark, usize)>,
    /// For each term whether it depends on a marked symbol; may lack the latest.
    is_marked: Vec<bool>,
    /// How many terms applications of defined functions may still visit.
    budget: usize,
}

/// What is to be done next.
enum Task {
    Evaluate(NodeId),
    /// The values of the arguments are the last ones on the stack.
    Apply(NodeId, usize),
    /// The values of the bindings are.
    Let(NodeId),
    /// The names of a `let` or quantifier end.
    Close(NodeId),
    Quantify(NodeId),
}

type Outcome<T> = Result<T, FormatError>;

impl<'t> Names<'t> {
    pub(super) fn new() -> Names<'t> {
        Names {
            terms: Terms::new(),
            predicates: Vec::new(),
            types: Vec::new(),
            predicate_of: FxHashMap::default(),
            definitions: FxHashMap::default(),
            aliases: FxHashMap::default(),
            scope: FxHashMap::default(),
            marks: FxHashMap::default(),
            is_marked: Vec::new(),
            budget: MAX_EXPANSION,
        }
    }

    /// Whether a predicate, function or variable has this name.
    pub(super) fn is_taken(&self, name: &str) -> bool {
        self.predicate_of.contains_key(name)
            || self.definitions.contains_key(name)
            || self.scope.get(name).is_some_and(|values| !values.is_empty())
    }

    pub(super) fn declare_predicate(
        &mut self,
        name: &'t str,
        types: Vec<Type>,
        span: pedra_program::Span,
    ) {
        let sorts = types.iter().map(|t| t.sort()).collect();
        self.predicate_of.insert(name, self.predicates.len());
        self.predicates.push(Predicate { name: name.into(), sorts, span });
        self.types.push(types);
    }

    /// The predicate of this name.
    pub(super) fn predicate(&self, name: &str) -> Option<usize> {
        self.predicate_of.get(name).copied()
    }

    /// The predicate over new variables.
    pub(super) fn any(&mut self, predicate: usize, offset: usize) -> TermId {
        let sorts = self.predicates[predicate].sorts.clone();
        let args = sorts.into_iter().map(|sort| self.terms.new_symbol(sort)).collect();
        self.mark(Mark::Predicate(Atom { predicate, args }), offset).0
    }

    /// Gives a name a new variable.
    pub(super) fn bind_variable(&mut self, name: &'t str, sort: Type) -> Typed {
        let term = self.terms.new_symbol(sort.sort());
        self.scope.entry(name).or_default().push((term, sort));
        (term, sort)
    }

    pub(super) fn unbind(&mut self, name: &str) {
        self.scope.get_mut(name).and_then(Vec::pop);
    }

    pub(super) fn define(&mut self, name: &'t str, parameters: Vec<Typed>, body: Typed) {
        let size = cone_size(&self.terms, body.0);
        self.definitions.insert(name, Definition { parameters, body, size });
    }

    /// Whether a term depends on a marked symbol.
    pub(super) fn is_marked(&mut self, term: TermId) -> bool {
        for index in self.is_marked.len()..=term.index() {
            let id = TermId::new(index);
            let is_marked = self.marks.contains_key(&id)
                || self.terms.get(id).args().any(|arg| self.is_marked[arg.index()]);
            self.is_marked.push(is_marked);
        }
        self.is_marked[term.index()]
    }

    fn mark(&mut self, mark: Mark, offset: usize) -> Typed {
        let symbol = self.terms.new_symbol(Sort::BOOL);
        self.marks.insert(symbol, (mark, offset));
        (symbol, BOOL)
    }

    /// The term of an expression.
    pub(super) fn evaluate(&mut self, reader: &Reader<'t>, root: NodeId) -> Outcome<Typed> {
        let mut values: Vec<Typed> = Vec::new();
        let mut tasks = vec![Task::Evaluate(root)];
        while let Some(task) = tasks.pop() {
            match task {
                Task::Evaluate(node) => self.begin(reader, node, &mut tasks, &mut values)?,
                Task::Apply(node, count) => {
                    let args = values.split_off(values.len() - count);
                    values.push(self.apply(reader, node, &args)?);
                    if self.terms.len() > MAX_TERMS {
                        let text = format!("there are more than {MAX_TERMS} terms");
                        return Err(reader.error(node, text));
                    }
                }
                Task::Let(node) => {
                    let names = bindings(reader, node)?;
                    let bound = values.split_off(values.len() - names.len());
                    for (&(name, _), value) in names.iter().zip(bound) {
                        self.scope.entry(name).or_default().push(value);
                    }
                    let list = reader.list(node).unwrap_or_default();
                    tasks.extend([Task::Close(node), Task::Evaluate(list[2])]);
                }
                Task::Close(node) => {
                    for (name, _) in bindings(reader, node)? {
                        self.unbind(name);
                    }
                }
                Task::Quantify(node) => {
                    let (body, sort) = values.pop().expect("the body's value");
                    let list = reader.list(node).unwrap_or_default();
                    if sort != BOOL {
                        return Err(reader.error(list[2], format!("a formula of sort {sort}")));
                    }
                    let is_forall = reader.symbol(list[0]) == Some("forall");
                    let mark = if is_forall { Mark::Forall(body) } else { Mark::Exists(body) };
                    values.push(self.mark(mark, reader.offset(node)));
                }
            }
        }
        Ok(values.pop().expect("the value of the root"))
    }

    fn begin(
        &mut self,
        reader: &Reader<'t>,
        node: NodeId,
        tasks: &mut Vec<Task>,
        values: &mut Vec<Typed>,
    ) -> Outcome<()> {
        let Some(list) = reader.list(node) else {
            values.push(self.leaf(reader, node)?);
            return Ok(());
        };
        let Some(&head) = list.first() else {
            return Err(reader.error(node, "`()` is not a term"));
        };
        match reader.symbol(head) {
            Some("let") => {
                let names = bindings(reader, node)?;
                tasks.push(Task::Let(node));
                tasks.extend(names.iter().rev().map(|&(_, value)| Task::Evaluate(value)));
            }
            Some("forall" | "exists") => {
                for (name, sort) in bindings(reader, node)? {
                    let sort = read_type(reader, sort, &self.aliases)?;
                    self.bind_variable(name, sort);
                }
                tasks.extend([Task::Quantify(node), Task::Close(node), Task::Evaluate(list[2])]);
            }
            Some("!") => match list.get(1) {
                Some(&term) => {
                    reader.check_attributes(&list[2..])?;
                    tasks.push(Task::Evaluate(term));
                }
                None => return Err(reader.error(node, "an annotation of nothing")),
            },
            Some("_") => values.push(self.indexed_constant(reader, node, list)?),
            _ => {
                tasks.push(Task::Apply(node, list.len() - 1));
                tasks.extend(list[1..].iter().rev().map(|&arg| Task::Evaluate(arg)));
            }
        }
        Ok(())
    }

    /// A name or a constant.
    fn leaf(&mut self, reader: &Reader<'t>, node: NodeId) -> Outcome<Typed> {
        let text = reader.text(node);
        match reader.kind(node) {
            Kind::Symbol | Kind::Quoted => {
                if let Some(&value) = self.scope.get(text).and_then(|values| values.last()) {
                    return Ok(value);
                }
                match text {
                    "true" | "false" => Ok((self.terms.bool(text == "true"), BOOL)),
                    _ => self.named(reader, node, text, &[]).unwrap_or_else(|| {
                        Err(reader.error(node, format!("`{}` is unknown", reader.shown(node))))
                    }),
                }
            }
            Kind::Numeral if text.len() > MAX_DIGITS => {
                Err(reader.error(node, format!("a number of more than {MAX_DIGITS} digits")))
            }
            Kind::Numeral => {
                let value: BigInt = text.parse().expect("digits");
                Ok((self.terms.integer(value), INT))
            }
            Kind::Bits => {
                let constant = bits(text);
                match constant {
                    Some(value) => {
                        let sort = Type::bv(value.width());
                        Ok((self.terms.constant(value), sort))
                    }
                    None => {
                        let text = format!("`{}` is not a bit-vector", reader.shown(node));
                        Err(reader.error(node, text))
                    }
                }
            }
            Kind::Decimal => Err(reader.error(node, "real numbers are not supported")),
            Kind::Keyword | Kind::String | Kind::List => {
                Err(reader.error(node, format!("`{}` is not a term", reader.shown(node))))
            }
        }
    }

    /// `(_ bv5 32)`.
    fn indexed_constant(
        &mut self,
        reader: &Reader<'t>,
        node: NodeId,
        list: &[NodeId],
    ) -> Outcome<Typed> {
        let unknown =
            || reader.error(node, format!("`{}` is not supported here", reader.shown(node)));
        let &[_, name, width] = list else { return Err(unknown()) };
        let digits = reader.symbol(name).and_then(|name| name.strip_prefix("bv"));
        let is_number = |digits: &&str| {
            !digits.is_empty()
                && digits.len() <= MAX_DIGITS
                && digits.bytes().all(|byte| byte.is_ascii_digit())
        };
        let (Some(digits), Kind::Numeral) = (digits.filter(is_number), reader.kind(width)) else {
            return Err(unknown());
        };
        let Sort::Bv(bits) = Sort::bv(super::types::width_of(reader, width)?)
            .map_err(|e| reader.error(width, e.0))?
        else {
            return Err(unknown());
        };
        let value: BigInt = digits.parse().expect("digits");
        let constant = Bv::from_limbs(bits, value.magnitude().to_u64_digits());
        Ok((self.terms.constant(constant), Type::bv(bits)))
    }

    fn apply(&mut self, reader: &Reader<'t>, node: NodeId, args: &[Typed]) -> Outcome<Typed> {
        let head = reader.list(node).unwrap_or_default()[0];
        let applied = match (reader.symbol(head), reader.list(head)) {
            (Some(name), _) => match self.named(reader, node, name, args) {
                Some(applied) => return applied,
                None => ops::apply(&mut self.terms, name, args),
            },
            (None, Some(function)) => self.apply_indexed(reader, function, args)?,
            (None, None) => None,
        };
        match applied {
            Some(Ok(value)) => Ok(value),
            Some(Err(ops::Misuse(text))) => {
                Err(reader.error(node, format!("`{}`: {text}", reader.shown(head))))
            }
            None => {
                let text = format!("the function `{}` is not supported", reader.shown(head));
                Err(reader.error(head, text))
            }
        }
    }

    /// `((_ extract 7 0) x)` and `((as const sort) x)`.
    fn apply_indexed(
        &mut self,
        reader: &Reader<'t>,
        function: &[NodeId],
        args: &[Typed],
    ) -> Outcome<Option<Result<Typed, ops::Misuse>>> {
        let word = |i: usize| function.get(i).and_then(|&node| reader.symbol(node));
        match (word(0), word(1), function) {
            (Some("_"), Some(name), [_, _, numbers @ ..]) => {
                let number = |&node: &NodeId| match reader.kind(node) {
                    Kind::Numeral => reader.text(node).parse().ok(),
                    _ => None,
                };
                let numbers: Option<Vec<u32>> = numbers.iter().map(number).collect();
                Ok(numbers.and_then(|n| ops::indexed(&mut self.terms, name, &n, args)))
            }
            (Some("as"), Some("const"), &[_, _, sort]) => {
                let sort = read_type(reader, sort, &self.aliases)?;
                Ok(Some(ops::constant_array(&mut self.terms, sort, args)))
            }
            _ => Ok(None),
        }
    }

    /// A predicate or a defined function; `None` if there is none of this name.
    fn named(
        &mut self,
        reader: &Reader<'t>,
        node: NodeId,
        name: &str,
        args: &[Typed],
    ) -> Option<Outcome<Typed>> {
        let check = |wanted: &mut dyn ExactSizeIterator<Item = Type>| {
            if wanted.len() != args.len() {
                let text = format!("`{name}` has {} arguments, not {}", wanted.len(), args.len());
                return Err(reader.error(node, text));
            }
            for (wanted, &(_, found)) in wanted.zip(args) {
                if wanted != found {
                    let text = format!("`{name}`: an argument is of sort {found}, not {wanted}");
                    return Err(reader.error(node, text));
                }
            }
            Ok(())
        };
        if let Some(&predicate) = self.predicate_of.get(name) {
            if let Err(error) = check(&mut self.types[predicate].iter().copied()) {
                return Some(Err(error));
            }
            let args: Vec<TermId> = args.iter().map(|arg| arg.0).collect();
            if args.iter().any(|&arg| self.is_marked(arg)) {
                let text = format!("an argument of `{name}` has predicates or quantifiers in it");
                return Some(Err(reader.error(node, text)));
            }
            let mark = Mark::Predicate(Atom { predicate, args });
            return Some(Ok(self.mark(mark, reader.offset(node))));
        }
        let definition = self.definitions.get(name)?;
        if let Err(error) = check(&mut definition.parameters.iter().map(|p| p.1)) {
            return Some(Err(error));
        }
        if args.is_empty() {
            return Some(Ok(definition.body));
        }
        let Some(left) = self.budget.checked_sub(definition.size) else {
            let text = "applications of defined functions become too large";
            return Some(Err(reader.error(node, text)));
        };
        self.budget = left;
        let mut rewriter = Rewriter::plain();
        for (parameter, arg) in definition.parameters.iter().zip(args) {
            rewriter.replace(parameter.0, arg.0);
        }
        let (body, sort) = definition.body;
        Some(Ok((rewriter.rewrite(&mut self.terms, body), sort)))
    }
}

/// The pairs of a `let` (name and value) or quantifier (name and sort).
fn bindings<'t>(reader: &Reader<'t>, node: NodeId) -> Outcome<Vec<(&'t str, NodeId)>> {
    let list = reader.list(node).unwrap_or_default();
    let &[_, pairs, _] = list else {
        return Err(reader.error(node, "expected a list of bindings and a body"));
    };
    let Some(pairs) = reader.list(pairs) else {
        return Err(reader.error(pairs, "expected a list of bindings"));
    };
    let mut seen = FxHashSet::default();
    let pair = |&pair: &NodeId| {
        let wrong = || reader.error(pair, format!("`{}` is not a binding", reader.shown(pair)));
        let Some(&[name, value]) = reader.list(pair) else { return Err(wrong()) };
        let Some(shown) = reader.symbol(name) else { return Err(wrong()) };
        match seen.insert(shown) {
            true => Ok((shown, value)),
            false => Err(reader.error(name, format!("`{shown}` is bound a second time"))),
        }
    };
    pairs.iter().map(pair).collect()
}

/// `#b01` or `#xff`.
fn bits(text: &str) -> Option<Bv> {
    let (digits, radix, each) = match text.as_bytes().get(1)? {
        b'b' => (&text[2..], 2, 1),
        b'x' => (&text[2..], 16, 4),
        _ => return None,
    };
    let width = u32::try_from(digits.len()).ok()?.checked_mul(each)?;
    if Sort::bv(u64::from(width)).is_err() {
        return None;
    }
    let mut limbs = vec![0u64; width.div_ceil(64) as usize];
    for (place, digit) in digits.chars().rev().enumerate() {
        let at = place * each as usize;
        limbs[at / 64] |= u64::from(digit.to_digit(radix)?) << (at % 64);
    }
    Some(Bv::from_limbs(width, limbs))
}

fn cone_size(terms: &Terms, root: TermId) -> usize {
    let mut seen = FxHashSet::default();
    let mut stack = vec![root];
    while let Some(term) = stack.pop() {
        if seen.insert(term) {
            stack.extend(terms.get(term).args());
        }
    }
    seen.len()
}
