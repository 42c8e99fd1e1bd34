//! SMT-LIB scripts, read back and answered: the check of [`crate::smtlib`]'s output in the form in
//! which it is written.
//!
//! A small reader of the subset that our printer uses: constants and definitions without
//! parameters, assertions between `push` and `pop`, `check-sat`, bit-vectors and arrays of them.
//! What is read shares nothing with what was printed but the text. Each query is then blasted and
//! must be unsatisfiable.

use crate::options::{CheckOptions, Effort, Stop};
use crate::prover::{Failure, Prover};
use crate::without_arrays::{WithoutArrays, blaster_for};
use pedra_model::blast::BlastOptions;
use pedra_model::bv::Bv;
use pedra_model::lit::Lit;
use pedra_model::term::{BinaryOp, Scalar, Sort, Term, TermId, Terms, UnaryOp};
use rustc_hash::FxHashMap;

/// Why a script does not show what it is meant to.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ScriptError {
    /// It is not in the subset that is read here.
    #[error("command {command}: {what}")]
    Malformed {
        /// Which command, counted from 1.
        command: usize,
        /// What is wrong.
        what: String,
    },
    /// A query has a model.
    #[error("query {0} is satisfiable")]
    Satisfiable(usize),
    /// It cannot be made into bits.
    #[error("the script cannot be checked: {0}")]
    NotCheckable(String),
    /// The check ended early: nothing is known about the script.
    #[error("{0}")]
    Stopped(Stop),
}

/// Deeper nesting is refused; our printer names every term.
const MAX_NESTING: usize = 200;

/// That every `check-sat` of the script is unsatisfiable. Gives how many there are, and the work.
pub fn check_script(
    text: &str,
    blasting: &BlastOptions,
    options: &CheckOptions,
) -> Result<(usize, Effort), ScriptError> {
    let mut script = Script { scopes: vec![Scope::default()], ..Script::default() };
    let mut tokens = Tokens(text);
    let mut command = 0;
    let (mut queries, mut effort) = (0, Effort::default());
    while let Some(token) = tokens.next() {
        command += 1;
        let malformed = |what: String| ScriptError::Malformed { command, what };
        let parsed = tokens.tree(token, 0).map_err(malformed)?;
        if has_integers(&parsed) {
            return Err(ScriptError::NotCheckable("integers are not read".to_owned()));
        }
        if script.run(&parsed).map_err(malformed)? {
            queries += 1;
            effort.add(script.refute(queries, blasting, options)?);
        }
    }
    Ok((queries, effort))
}

/// Whether something of the sort `Int` is declared or defined.
fn has_integers(command: &Tree<'_>) -> bool {
    let has = |sort: &Tree<'_>| match sort {
        Tree::Atom(name) => *name == "Int",
        Tree::List(parts) => parts.iter().any(|part| matches!(part, Tree::Atom("Int"))),
    };
    match command {
        Tree::List(parts) => match &parts[..] {
            [Tree::Atom("declare-const"), _, sort] => has(sort),
            [Tree::Atom("define-fun"), _, _, sort, _] => has(sort),
            _ => false,
        },
        Tree::Atom(_) => false,
    }
}

/// The words of a text.
struct Tokens<'a>(&'a str);

impl<'a> Tokens<'a> {
    fn next(&mut self) -> Option<&'a str> {
        loop {
            self.0 = self.0.trim_start();
            match self.0.strip_prefix(';') {
                Some(comment) => self.0 = comment.split_once('\n').map_or("", |(_, rest)| rest),
                None => break,
            }
        }
        let length = match self.0.chars().next()? {
            '(' | ')' => 1,
            '|' => self.0[1..].find('|').map_or(self.0.len(), |end| end + 2),
            _ => {
                let ends = |c: char| c.is_whitespace() || matches!(c, '(' | ')' | ';' | '|');
                self.0.find(ends).unwrap_or(self.0.len())
            }
        };
        let (token, rest) = self.0.split_at(length);
        self.0 = rest;
        Some(token)
    }

    /// The expression that begins with this token.
    fn tree(&mut self, token: &'a str, depth: usize) -> Result<Tree<'a>, String> {
        if token != "(" {
            return match token {
                ")" => Err("a `)` too many".to_owned()),
                atom => Ok(Tree::Atom(atom)),
            };
        }
        if depth > MAX_NESTING {
            return Err("too deeply nested".to_owned());
        }
        let mut list = Vec::new();
        loop {
            match self.next() {
                None => return Err("a `)` is missing".to_owned()),
                Some(")") => return Ok(Tree::List(list)),
                Some(token) => list.push(self.tree(token, depth + 1)?),
            }
        }
    }
}

#[derive(Debug)]
enum Tree<'a> {
    Atom(&'a str),
    List(Vec<Tree<'a>>),
}

/// What an expression is: a truth value, kept as a bit, or a bit-vector or array.
#[derive(Copy, Clone)]
enum Value {
    Truth(TermId),
    Term(TermId),
}

#[derive(Default)]
struct Scope {
    names: FxHashMap<String, Value>,
    asserted: Vec<TermId>,
}

#[derive(Default)]
struct Script {
    terms: Terms,
    scopes: Vec<Scope>,
}

type Read<T> = Result<T, String>;

impl Script {
    /// Does what a command says; whether it is a query.
    fn run(&mut self, command: &Tree<'_>) -> Read<bool> {
        let Tree::List(parts) = command else { return Err("no command".to_owned()) };
        match &parts[..] {
            [Tree::Atom("set-info" | "set-logic" | "set-option"), ..] => {}
            [Tree::Atom("exit")] => {}
            [Tree::Atom("push"), Tree::Atom("1")] => self.scopes.push(Scope::default()),
            [Tree::Atom("pop"), Tree::Atom("1")] if self.scopes.len() > 1 => {
                self.scopes.pop();
            }
            [Tree::Atom("declare-const"), Tree::Atom(name), of] => {
                let symbol = self.terms.new_symbol(sort(of)?);
                self.name(name, Value::Term(symbol))?;
            }
            [Tree::Atom("define-fun"), Tree::Atom(name), Tree::List(none), of, body]
                if none.is_empty() =>
            {
                let (expected, value) = (sort(of)?, self.term(body)?);
                if self.terms.sort(value) != expected {
                    return Err(format!("{name} has another sort than its definition"));
                }
                self.name(name, Value::Term(value))?;
            }
            [Tree::Atom("assert"), condition] => {
                let condition = self.truth(condition)?;
                self.scopes.last_mut().ok_or("no scope")?.asserted.push(condition);
            }
            [Tree::Atom("check-sat")] => return Ok(true),
            _ => return Err("unknown command".to_owned()),
        }
        Ok(false)
    }

    fn name(&mut self, name: &str, value: Value) -> Read<()> {
        let is_known = self.scopes.iter().any(|scope| scope.names.contains_key(name));
        let scope = self.scopes.last_mut().filter(|_| !is_known);
        let scope = scope.ok_or_else(|| format!("{name} has a meaning already"))?;
        scope.names.insert(name.to_owned(), value);
        Ok(())
    }

    fn truth(&mut self, tree: &Tree<'_>) -> Read<TermId> {
        match self.value(tree)? {
            Value::Truth(bit) => Ok(bit),
            Value::Term(_) => Err("a condition is needed".to_owned()),
        }
    }

    fn term(&mut self, tree: &Tree<'_>) -> Read<TermId> {
        match self.value(tree)? {
            Value::Term(term) => Ok(term),
            Value::Truth(_) => Err("a bit-vector or an array is needed".to_owned()),
        }
    }

    fn value(&mut self, tree: &Tree<'_>) -> Read<Value> {
        match tree {
            Tree::Atom("true") => Ok(Value::Truth(self.terms.bool(true))),
            Tree::Atom("false") => Ok(Value::Truth(self.terms.bool(false))),
            Tree::Atom(atom) => match literal(atom) {
                Some(value) => Ok(Value::Term(self.terms.constant(value))),
                None => {
                    let mut scopes = self.scopes.iter().rev();
                    let found = scopes.find_map(|scope| scope.names.get(*atom));
                    found.copied().ok_or_else(|| format!("{atom} has no meaning"))
                }
            },
            Tree::List(parts) => self.application(parts),
        }
    }

    fn application(&mut self, parts: &[Tree<'_>]) -> Read<Value> {
        match parts {
            // (_ bv12 32)
            [Tree::Atom("_"), Tree::Atom(number), Tree::Atom(width)] => {
                let (number, width) = (number.strip_prefix("bv"), width.parse::<u32>());
                let (Some(Ok(number)), Ok(width @ 1..)) = (number.map(str::parse::<u64>), width)
                else {
                    return Err("no constant".to_owned());
                };
                Ok(Value::Term(self.terms.constant(Bv::from_u64(width, number))))
            }
            [Tree::Atom("let"), Tree::List(bindings), body] => self.with_bindings(bindings, body),
            [Tree::Atom("ite"), c, t, e] => {
                let condition = self.truth(c)?;
                match (self.value(t)?, self.value(e)?) {
                    (Value::Truth(t), Value::Truth(e)) => {
                        self.add(Term::Ite(condition, t, e)).map(Value::Truth)
                    }
                    (Value::Term(t), Value::Term(e)) => {
                        self.add(Term::Ite(condition, t, e)).map(Value::Term)
                    }
                    _ => Err("the cases of an ite differ".to_owned()),
                }
            }
            [Tree::Atom(op @ ("and" | "or")), rest @ ..] if !rest.is_empty() => {
                let op = if *op == "and" { BinaryOp::And } else { BinaryOp::Or };
                let mut all = self.truth(&rest[0])?;
                for one in &rest[1..] {
                    let one = self.truth(one)?;
                    all = self.add(Term::Binary(op, all, one))?;
                }
                Ok(Value::Truth(all))
            }
            [Tree::Atom("not"), a] => {
                let a = self.truth(a)?;
                self.add(Term::Unary(UnaryOp::Not, a)).map(Value::Truth)
            }
            [Tree::Atom(op @ ("=" | "distinct")), a, b] => {
                let op = if *op == "=" { BinaryOp::Eq } else { BinaryOp::Neq };
                let pair = match (self.value(a)?, self.value(b)?) {
                    (Value::Truth(a), Value::Truth(b)) | (Value::Term(a), Value::Term(b)) => (a, b),
                    _ => return Err("sides of different sorts".to_owned()),
                };
                self.add(Term::Binary(op, pair.0, pair.1)).map(Value::Truth)
            }
            [Tree::Atom("select"), array, at] => {
                let (array, at) = (self.term(array)?, self.term(at)?);
                self.add(Term::Read(array, at)).map(Value::Term)
            }
            [Tree::Atom("store"), array, at, value] => {
                let (array, at) = (self.term(array)?, self.term(at)?);
                let value = self.term(value)?;
                self.add(Term::Write(array, at, value)).map(Value::Term)
            }
            [Tree::Atom(op), a] => {
                let op = unary(op).ok_or_else(|| format!("unknown operator {op}"))?;
                let a = self.term(a)?;
                self.add(Term::Unary(op, a)).map(Value::Term)
            }
            [Tree::Atom(op), a, b] => {
                let (op, is_truth) = binary(op).ok_or_else(|| format!("unknown operator {op}"))?;
                let (a, b) = (self.term(a)?, self.term(b)?);
                let made = self.add(Term::Binary(op, a, b))?;
                Ok(if is_truth { Value::Truth(made) } else { Value::Term(made) })
            }
            [Tree::List(head), arg] => self.indexed(head, arg),
            _ => Err("unknown expression".to_owned()),
        }
    }

    /// `((_ extract 7 0) x)` and the like, `((as const (Array …)) x)`.
    fn indexed(&mut self, head: &[Tree<'_>], arg: &Tree<'_>) -> Read<Value> {
        let arg = self.term(arg)?;
        let number = |text: &str| text.parse::<u32>().map_err(|_| format!("{text} is no number"));
        let term = match head {
            [Tree::Atom("_"), Tree::Atom("extract"), Tree::Atom(high), Tree::Atom(low)] => {
                Term::Slice { arg, high: number(high)?, low: number(low)? }
            }
            [Tree::Atom("_"), Tree::Atom(op @ ("zero_extend" | "sign_extend")), Tree::Atom(by)] => {
                Term::Extend { arg, by: number(by)?, signed: *op == "sign_extend" }
            }
            [Tree::Atom("as"), Tree::Atom("const"), of] => match sort(of)? {
                Sort::Array { index, .. } => Term::ConstArray { index, value: arg },
                _ => return Err("an array is needed".to_owned()),
            },
            _ => return Err("unknown operator".to_owned()),
        };
        self.add(term).map(Value::Term)
    }

    /// Bindings see what is outside, the body sees them; inner names hide outer ones.
    fn with_bindings(&mut self, bindings: &[Tree<'_>], body: &Tree<'_>) -> Read<Value> {
        let mut scope = Scope::default();
        for binding in bindings {
            let Tree::List(pair) = binding else { return Err("no binding".to_owned()) };
            let [Tree::Atom(name), value] = &pair[..] else { return Err("no binding".to_owned()) };
            scope.names.insert((*name).to_owned(), self.value(value)?);
        }
        self.scopes.push(scope);
        let value = self.value(body);
        self.scopes.pop();
        value
    }

    fn add(&mut self, term: Term) -> Read<TermId> {
        self.terms.add(term).map_err(|error| error.to_string())
    }

    /// That the assertions contradict each other.
    fn refute(
        &self,
        query: usize,
        blasting: &BlastOptions,
        options: &CheckOptions,
    ) -> Result<Effort, ScriptError> {
        let not_checkable =
            |error: pedra_model::blast::BlastError| ScriptError::NotCheckable(error.to_string());
        let asserted = self.scopes.iter().flat_map(|scope| scope.asserted.iter().copied());
        let asserted: Vec<TermId> = asserted.collect();
        let free = WithoutArrays::if_large(&self.terms, &asserted, blasting);
        let (terms, asserted) = match &free {
            None => (&self.terms, asserted),
            Some(free) => (&free.terms, free.formulas(&asserted)),
        };
        let roots = asserted.iter().copied();
        let mut blaster = blaster_for(terms, roots, blasting).map_err(not_checkable)?;
        let mut facts: Vec<Lit> = Vec::with_capacity(asserted.len());
        for term in asserted {
            facts.push(blaster.bit(terms, term).map_err(not_checkable)?);
        }
        let mut prover = Prover::new(options);
        facts.into_iter().for_each(|fact| prover.assume([fact]));
        match prover.prove(blaster.aig(), &[]) {
            Ok(()) => Ok(prover.effort()),
            Err(Failure::Refuted(_)) if free.is_some_and(|free| free.has_comparisons) => {
                let text = "large arrays are compared".to_owned();
                Err(ScriptError::NotCheckable(text))
            }
            Err(Failure::Refuted(_)) => Err(ScriptError::Satisfiable(query)),
            Err(Failure::Stopped(stop)) => Err(ScriptError::Stopped(stop)),
        }
    }
}

/// `#b0101`, `#xff`
fn literal(atom: &str) -> Option<Bv> {
    let (digits, bits) = match (atom.strip_prefix("#b"), atom.strip_prefix("#x")) {
        (Some(digits), _) => (digits, 1),
        (_, Some(digits)) => (digits, 4),
        _ => return None,
    };
    let mut all = Vec::with_capacity(digits.len() * bits);
    for digit in digits.chars().rev() {
        let value = digit.to_digit(1 << bits)?;
        all.extend((0..bits).map(|bit| value >> bit & 1 == 1));
    }
    (!all.is_empty()).then(|| Bv::from_bits(&all))
}

/// `(_ BitVec 8)`, `(Array (_ BitVec 4) (_ BitVec 8))`
fn sort(tree: &Tree<'_>) -> Read<Sort> {
    let Tree::List(parts) = tree else { return Err("unknown sort".to_owned()) };
    match &parts[..] {
        [Tree::Atom("_"), Tree::Atom("BitVec"), Tree::Atom(width)] => match width.parse() {
            Ok(width @ 1..) => Ok(Sort::Bv(width)),
            _ => Err(format!("{width} is no width")),
        },
        [Tree::Atom("Array"), index, element] => match (sort(index)?, sort(element)?) {
            (Sort::Bv(index), Sort::Bv(element)) => {
                Ok(Sort::Array { index: Scalar::Bv(index), element: Scalar::Bv(element) })
            }
            _ => Err("arrays of arrays are not read".to_owned()),
        },
        _ => Err("unknown sort".to_owned()),
    }
}

fn unary(op: &str) -> Option<UnaryOp> {
    match op {
        "bvnot" => Some(UnaryOp::Not),
        "bvneg" => Some(UnaryOp::Neg),
        _ => None,
    }
}

/// The operator, and whether its result is a truth value.
fn binary(op: &str) -> Option<(BinaryOp, bool)> {
    use BinaryOp::*;
    Some(match op {
        "bvult" => (Ult, true),
        "bvule" => (Ulte, true),
        "bvugt" => (Ugt, true),
        "bvuge" => (Ugte, true),
        "bvslt" => (Slt, true),
        "bvsle" => (Slte, true),
        "bvsgt" => (Sgt, true),
        "bvsge" => (Sgte, true),
        "bvand" => (And, false),
        "bvor" => (Or, false),
        "bvxor" => (Xor, false),
        "bvnand" => (Nand, false),
        "bvnor" => (Nor, false),
        "bvadd" => (Add, false),
        "bvsub" => (Sub, false),
        "bvmul" => (Mul, false),
        "bvudiv" => (Udiv, false),
        "bvurem" => (Urem, false),
        "bvsdiv" => (Sdiv, false),
        "bvsrem" => (Srem, false),
        "bvsmod" => (Smod, false),
        "bvshl" => (Sll, false),
        "bvlshr" => (Srl, false),
        "bvashr" => (Sra, false),
        "concat" => (Concat, false),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str) -> Result<usize, ScriptError> {
        check_script(text, &BlastOptions::default(), &CheckOptions::default())
            .map(|(queries, _)| queries)
    }

    #[test]
    fn queries_are_answered() {
        let script = "(set-logic QF_BV)\n; a comment\n(push 1)\n(declare-const |x y:0| (_ BitVec 8))\n\
             (define-fun t0 () (_ BitVec 8) (bvadd |x y:0| (_ bv1 8)))\n\
             (assert (= t0 #x00))\n(assert (not (= |x y:0| #b11111111)))\n(check-sat)\n(pop 1)\n";
        assert_eq!(check(script), Ok(1));
        let open = script.replace("(assert (= t0 #x00))\n", "");
        assert_eq!(check(&format!("{script}{open}")), Err(ScriptError::Satisfiable(2)));
        // Names end with their scope.
        let outside = format!("{script}(assert (= t0 t0))");
        assert!(matches!(check(&outside), Err(ScriptError::Malformed { command: 9, .. })));
        for sort in ["Int", "(Array Int Int)"] {
            let integers = format!("(declare-const i {sort})\n(check-sat)\n");
            assert!(matches!(check(&integers), Err(ScriptError::NotCheckable(_))), "{sort}");
        }
    }

    #[test]
    fn arrays_lets_and_extensions() {
        let script = "(declare-const a (Array (_ BitVec 2) (_ BitVec 4)))\n\
             (declare-const i (_ BitVec 2))\n(declare-const v (_ BitVec 4))\n\
             (assert (distinct (select (store a i v) i) v))\n(check-sat)\n";
        assert_eq!(check(script), Ok(1));
        let script = "(declare-const x (_ BitVec 4))\n\
             (assert (let ((w ((_ sign_extend 4) x)) (z ((_ zero_extend 4) x)))\n\
             (and (bvslt x #x0) (= w z))))\n(check-sat)\n";
        assert_eq!(check(script), Ok(1));
        let script = "(declare-const i (_ BitVec 2))\n(assert (= (select ((as const (Array \
             (_ BitVec 2) (_ BitVec 4))) #xa) i) (concat #b10 ((_ extract 1 0) #xa))))\n(check-sat)";
        assert_eq!(check(script), Err(ScriptError::Satisfiable(1)));
    }

    #[test]
    fn nonsense_is_refused() {
        for text in ["(", ")", "(assert", "(assert x)", "x", "(assert #b1)", "(pop 1)", "(push 2)"]
        {
            assert!(matches!(check(text), Err(ScriptError::Malformed { .. })), "{text}");
        }
        let deep = "(".repeat(100_000);
        assert!(check(&deep).is_err());
        let widths = "(declare-const x (_ BitVec 4))(assert (= x #b1))";
        assert!(matches!(check(widths), Err(ScriptError::Malformed { command: 2, .. })));
    }
}
