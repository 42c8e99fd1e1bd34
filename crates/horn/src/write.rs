//! Clauses as text: the form of CHC-COMP.
//!
//! A single bit is a truth value (`Bool`) throughout, since solvers for integers like it better
//! than a bit-vector of one bit; where an operator needs bits, it is converted on the spot. Terms
//! that are used more than once in a clause are named by `let`, so that the text is as large as the
//! graph of terms.
//!
//! SMT-LIB leaves division by zero open. Clauses of programs, whose terms fix its value, are
//! written with this value; clauses that were read keep the plain division ([`ByZero`]).

use crate::clauses::{Atom, ByZero, Clause, Clauses, Predicate};
use num_bigint::Sign;
use pedra_formats::smtlib;
use pedra_model::bv::Bv;
use pedra_model::term::{BinaryOp, IntOp, Scalar, Sort, Term, TermId, Terms, UnaryOp};
use rustc_hash::{FxHashMap, FxHashSet};
use std::fmt::Write as _;

/// The sort in SMT-LIB. A single bit is a truth value.
pub fn sort(sort: Sort) -> String {
    let scalar = |scalar| match scalar {
        Scalar::Bv(1) => "Bool".to_owned(),
        other => smtlib::sort(other.into()),
    };
    match sort {
        Sort::Bv(width) => scalar(Scalar::Bv(width)),
        Sort::Int => scalar(Scalar::Int),
        Sort::Array { index, element } => format!("(Array {} {})", scalar(index), scalar(element)),
    }
}

/// Writes clauses; `sat` means that they are satisfiable, so that the program they stand for is
/// safe.
pub fn write(clauses: &Clauses) -> String {
    let mut out = String::from("(set-logic HORN)\n");
    let names = predicate_names(clauses);
    for (predicate, name) in clauses.predicates.iter().zip(&names) {
        let sorts: Vec<String> = predicate.sorts.iter().map(|&s| sort(s)).collect();
        // Writing to a string cannot fail, here and below.
        let _ = writeln!(out, "(declare-fun {name} ({}) Bool)", sorts.join(" "));
    }
    for clause in &clauses.clauses {
        Writer::new(&clauses.terms, &names, clause, clauses.by_zero).write(clause, &mut out);
    }
    out.push_str("(check-sat)\n");
    out
}

/// The names of predicates as they are written, each once.
pub(crate) fn predicate_names(clauses: &Clauses) -> Vec<String> {
    let mut taken: FxHashSet<String> = FxHashSet::default();
    let name = |(index, predicate): (usize, &Predicate)| {
        let mut name = smtlib::quoted(&predicate.name);
        while !taken.insert(name.clone()) {
            name = smtlib::quoted(&format!("{}#{index}", name.trim_matches('|')));
        }
        name
    };
    clauses.predicates.iter().enumerate().map(name).collect()
}

/// Writes one clause.
pub(crate) struct Writer<'a> {
    terms: &'a Terms,
    predicates: &'a [String],
    by_zero: ByZero,
    /// What stands for variables, and for terms that were named.
    names: FxHashMap<TermId, String>,
    pub(crate) variables: Vec<(String, Sort)>,
    /// Terms to be named: those of one list need only those of the lists before.
    levels: Vec<Vec<TermId>>,
}

/// A part of a text.
enum Piece {
    Text(&'static str),
    Own(String),
    Term(TermId),
    /// As a bit-vector, also if it is a single bit.
    Bits(TermId),
}

use Piece::{Bits, Own, Text};

impl<'a> Writer<'a> {
    /// For a clause. Its variables are named in the order in which they occur: in the predicates
    /// of its body, in its head, in its constraint.
    pub(crate) fn new(
        terms: &'a Terms,
        predicates: &'a [String],
        clause: &Clause,
        by_zero: ByZero,
    ) -> Writer<'a> {
        let seen_through = |id| seen_through(terms, id, by_zero);
        let (mut uses, mut variables) = (FxHashMap::default(), Vec::new());
        let mut found: Vec<TermId> = Vec::new();
        let mut names: FxHashMap<TermId, String> = FxHashMap::default();
        let mut stack: Vec<TermId> = clause.terms().map(seen_through).collect();
        stack.reverse();
        let mut repeated: FxHashSet<TermId> = FxHashSet::default();
        while let Some(id) = stack.pop() {
            let count: &mut u32 = uses.entry(id).or_default();
            *count += 1;
            if *count > 1 {
                continue;
            }
            found.push(id);
            let term = terms.get(id);
            stack.extend(term.args().rev().map(seen_through));
            if let Term::Symbol(_) = term {
                let name = format!("x{}", variables.len());
                variables.push((name.clone(), terms.sort(id)));
                names.insert(id, name);
            }
            if is_spelt_out(terms, term, by_zero) {
                repeated.extend(term.args().map(seen_through));
            }
        }
        // By first occurrence, which does not depend on the order in which terms were made.
        let rank: FxHashMap<TermId, usize> =
            found.iter().enumerate().map(|(rank, id)| (*id, rank)).collect();
        let mut order = found;
        order.sort_unstable();
        let mut level: FxHashMap<TermId, usize> = FxHashMap::default();
        let mut levels: Vec<Vec<TermId>> = Vec::new();
        for id in order {
            let args = terms.get(id).args().map(seen_through);
            let own = args.map(|arg| level[&arg]).max().unwrap_or(0);
            let is_leaf = terms.get(id).args().next().is_none();
            let is_named = !is_leaf && (uses[&id] > 1 || repeated.contains(&id));
            level.insert(id, own + usize::from(is_named));
            if is_named {
                if levels.len() <= own {
                    levels.push(Vec::new());
                }
                levels[own].push(id);
            }
        }
        levels.iter_mut().for_each(|level| level.sort_unstable_by_key(|id| rank[id]));
        Writer { terms, predicates, by_zero, names, variables, levels }
    }

    /// `∀ variables. definitions. body ∧ constraint → head`.
    fn write(mut self, clause: &Clause, out: &mut String) {
        out.push_str("(assert ");
        let is_quantified = self.quantify(0, out);
        let levels = self.definitions(out);
        self.implication(&clause.body, clause, out);
        let quantifier = if is_quantified { ")" } else { "" };
        let _ = writeln!(out, "{}{quantifier})", ")".repeat(levels));
    }

    /// `(forall (…)` over the variables from this one on, if there are any.
    pub(crate) fn quantify(&self, from: usize, out: &mut String) -> bool {
        let Some(variables) = self.variables.get(from..).filter(|list| !list.is_empty()) else {
            return false;
        };
        out.push_str("(forall (");
        for (name, own) in variables {
            let _ = write!(out, "({name} {})", sort(*own));
        }
        out.push_str(")\n  ");
        true
    }

    /// Definitions of terms that are used more than once, and how many brackets they leave open.
    pub(crate) fn definitions(&mut self, out: &mut String) -> usize {
        let levels = std::mem::take(&mut self.levels);
        let mut count = 0;
        for level in &levels {
            out.push_str("(let (");
            let mut named = Vec::new();
            for &term in level {
                let name = format!("t{count}");
                count += 1;
                let _ = write!(out, "({name} ");
                self.term(term, out);
                out.push(')');
                named.push((term, name));
            }
            self.names.extend(named);
            out.push_str(")\n  ");
        }
        levels.len()
    }

    /// `body ∧ constraint → head`, with a part of the body.
    pub(crate) fn implication(&self, body: &[Atom], clause: &Clause, out: &mut String) {
        out.push_str("(=> ");
        let mut parts: Vec<String> = Vec::new();
        for atom in body {
            let mut text = String::new();
            self.atom(atom, &mut text);
            parts.push(text);
        }
        parts.extend(clause.constraint.iter().map(|&condition| self.reference(condition)));
        out.push_str(&conjunction(&parts));
        out.push(' ');
        match &clause.head {
            Some(head) => self.atom(head, out),
            None => out.push_str("false"),
        }
        out.push(')');
    }

    fn atom(&self, atom: &Atom, out: &mut String) {
        let name = &self.predicates[atom.predicate];
        if atom.args.is_empty() {
            out.push_str(name);
            return;
        }
        let _ = write!(out, "({name}");
        for &arg in &atom.args {
            out.push(' ');
            self.term(arg, out);
        }
        out.push(')');
    }

    fn is_bit(&self, term: TermId) -> bool {
        self.terms.sort(term) == Sort::BOOL
    }

    /// Writes a term.
    fn term(&self, root: TermId, out: &mut String) {
        self.write_piece(Piece::Term(root), out);
    }

    /// Writes a part of a text. Nothing recurses.
    fn write_piece(&self, root: Piece, out: &mut String) {
        let mut stack = vec![root];
        while let Some(piece) = stack.pop() {
            let before = stack.len();
            match piece {
                Text(text) => out.push_str(text),
                Own(text) => out.push_str(&text),
                Piece::Term(term) => {
                    let term = seen_through(self.terms, term, self.by_zero);
                    match self.names.get(&term) {
                        Some(name) => out.push_str(name),
                        None => self.pieces(term, &mut stack),
                    }
                }
                Bits(term) if self.terms.is_bool(term, true) => out.push_str("#b1"),
                Bits(term) if self.terms.is_bool(term, false) => out.push_str("#b0"),
                Bits(term) if self.is_bit(term) => {
                    stack.extend([Text("(ite "), Piece::Term(term), Text(" #b1 #b0)")]);
                }
                Bits(term) => stack.push(Piece::Term(term)),
            }
            stack[before..].reverse();
        }
    }

    /// The text of a term.
    pub(crate) fn reference(&self, term: TermId) -> String {
        let mut text = String::new();
        self.term(term, &mut text);
        text
    }

    /// The same as a bit-vector.
    fn bits_reference(&self, term: TermId) -> String {
        let mut text = String::new();
        self.write_piece(Bits(term), &mut text);
        text
    }

    /// `(name a b c)` for `op(op(a, b), c)`, as long as what is inside has no name.
    fn many(&self, name: &'static str, root: TermId, out: &mut Vec<Piece>) {
        let mut args: Vec<TermId> = Vec::new();
        let mut at = root;
        loop {
            let (a, b) = match (self.terms.get(root), self.terms.get(at)) {
                (Term::Binary(op, ..), &Term::Binary(other, a, b)) if *op == other => (a, b),
                (Term::Int(op, ..), &Term::Int(other, a, b)) if *op == other => (a, b),
                _ => break,
            };
            args.push(b);
            at = seen_through(self.terms, a, self.by_zero);
            if self.names.contains_key(&at) {
                break;
            }
        }
        args.push(at);
        out.extend([Text("("), Text(name)]);
        for arg in args.into_iter().rev() {
            out.extend([Text(" "), Piece::Term(arg)]);
        }
        out.push(Text(")"));
    }

    /// `(name args)`.
    fn function(&self, name: String, args: impl IntoIterator<Item = Piece>, out: &mut Vec<Piece>) {
        out.extend([Text("("), Own(name)]);
        for arg in args {
            out.extend([Text(" "), arg]);
        }
        out.push(Text(")"));
    }

    /// A function that gives a bit-vector; a single bit of it is a truth value.
    fn bit_vector(
        &self,
        id: TermId,
        name: String,
        args: impl IntoIterator<Item = Piece>,
        out: &mut Vec<Piece>,
    ) {
        match self.is_bit(id) {
            true => {
                out.push(Text("(= "));
                self.function(name, args, out);
                out.push(Text(" #b1)"));
            }
            false => self.function(name, args, out),
        }
    }

    fn pieces(&self, id: TermId, out: &mut Vec<Piece>) {
        use Piece::Term as Of;
        match *self.terms.get(id) {
            Term::Const(ref value) if value.width() == 1 => {
                out.push(Text(if value.is_true() { "true" } else { "false" }));
            }
            Term::Const(ref value) => out.push(Own(smtlib::constant(value))),
            Term::IntConst(ref value) => out.push(Own(smtlib::integer(value))),
            Term::Symbol(_) => unreachable!("variables have names"),
            Term::Unary(op, a) => self.unary(op, a, out),
            Term::Binary(op, a, b) => self.binary(id, op, a, b, out),
            Term::IntNeg(a) => self.function("-".into(), [Of(a)], out),
            Term::Int(op, a, b) => match op {
                IntOp::Add => self.many("+", id, out),
                IntOp::Mul => self.many("*", id, out),
                IntOp::Div | IntOp::Mod if is_spelt_by_zero(self.terms, b, self.by_zero) => {
                    out.push(Own(smtlib::int(op, &self.reference(a), &self.reference(b))));
                }
                _ => self.function(op.name().into(), [Of(a), Of(b)], out),
            },
            Term::Ite(c, t, e) => self.function("ite".into(), [Of(c), Of(t), Of(e)], out),
            Term::Slice { arg, high, low } => {
                self.bit_vector(id, format!("(_ extract {high} {low})"), [Bits(arg)], out);
            }
            Term::Extend { arg, by, signed } => {
                let name = if signed { "sign_extend" } else { "zero_extend" };
                self.bit_vector(id, format!("(_ {name} {by})"), [Bits(arg)], out);
            }
            Term::ConstArray { value, .. } => {
                let name = format!("(as const {})", sort(self.terms.sort(id)));
                self.function(name, [Of(value)], out);
            }
            Term::Read(a, i) => self.function("select".into(), [Of(a), Of(i)], out),
            Term::Write(a, i, v) => self.function("store".into(), [Of(a), Of(i), Of(v)], out),
        }
    }

    fn unary(&self, op: UnaryOp, a: TermId, out: &mut Vec<Piece>) {
        use Piece::Term as Of;
        let width = self.terms.width(a);
        match op {
            // Modulo 2 each of these is its own negation or complement.
            UnaryOp::Not | UnaryOp::Inc | UnaryOp::Dec if width == 1 => {
                self.function("not".into(), [Of(a)], out);
            }
            _ if width == 1 => out.push(Of(a)),
            UnaryOp::Not => self.function("bvnot".into(), [Of(a)], out),
            UnaryOp::Neg => self.function("bvneg".into(), [Of(a)], out),
            UnaryOp::Inc | UnaryOp::Dec => {
                let name = if op == UnaryOp::Inc { "bvadd" } else { "bvsub" };
                let one = Own(smtlib::constant(&Bv::one(width)));
                self.function(name.into(), [Of(a), one], out);
            }
            UnaryOp::RedAnd => {
                let ones = Own(smtlib::constant(&Bv::ones(width)));
                self.function("=".into(), [Of(a), ones], out);
            }
            UnaryOp::RedOr => {
                let zero = Own(smtlib::constant(&Bv::zero(width)));
                self.function("distinct".into(), [Of(a), zero], out);
            }
            UnaryOp::RedXor => {
                out.push(Own(format!("(= {} #b1)", smtlib::unary(op, &self.reference(a), width))));
            }
        }
    }

    fn binary(&self, id: TermId, op: BinaryOp, a: TermId, b: TermId, out: &mut Vec<Piece>) {
        use BinaryOp::*;
        use Piece::Term as Of;
        match (op, self.is_bit(a)) {
            (And, true) => self.many("and", id, out),
            (Or, true) => self.many("or", id, out),
            (Xor, true) => self.function("xor".into(), [Of(a), Of(b)], out),
            (Iff | Xnor, true) | (Eq, _) => self.function("=".into(), [Of(a), Of(b)], out),
            (Neq, _) => self.function("distinct".into(), [Of(a), Of(b)], out),
            (Implies, _) => self.function("=>".into(), [Of(a), Of(b)], out),
            (Concat, _) => self.function("concat".into(), [Bits(a), Bits(b)], out),
            (And, _) => self.many("bvand", id, out),
            (Or, _) => self.many("bvor", id, out),
            (Add, false) => self.many("bvadd", id, out),
            (Mul, false) => self.many("bvmul", id, out),
            _ => match smtlib::operator_name(op) {
                Some(name) if smtlib::is_ordering(op) => {
                    self.function(name.into(), [Bits(a), Bits(b)], out);
                }
                Some(name) => self.bit_vector(id, name.into(), [Bits(a), Bits(b)], out),
                None => {
                    let [left, right] = [a, b].map(|arg| self.bits_reference(arg));
                    let text = smtlib::binary(op, &left, &right, self.terms.width(a));
                    out.push(Own(match self.is_bit(id) {
                        true => format!("(= {text} #b1)"),
                        false => text,
                    }));
                }
            },
        }
    }
}

/// All of these hold.
pub(crate) fn conjunction(parts: &[String]) -> String {
    match parts {
        [] => "true".to_owned(),
        [one] => one.clone(),
        _ => format!("(and {})", parts.join(" ")),
    }
}

/// What a term is the same as: bits that are made of truth values and back again are these, and a
/// division whose value for zero is spelt out is the plain one, if that has this value.
fn seen_through(terms: &Terms, mut id: TermId, by_zero: ByZero) -> TermId {
    let is_fixed = by_zero == ByZero::Fixed;
    loop {
        id = match *terms.get(id) {
            Term::Ite(c, t, e) if terms.is_bool(t, true) && terms.is_bool(e, false) => c,
            Term::Ite(c, t, e) if is_fixed && is_spelt_division(terms, c, t, e) => e,
            Term::Binary(BinaryOp::Eq, a, b) if terms.is_bool(b, true) => a,
            Term::Binary(BinaryOp::Eq, a, b) if terms.is_bool(a, true) => b,
            _ => return id,
        };
    }
}

/// `if b = 0 then 0 else a div b`, or `if b = 0 then a else a mod b`.
fn is_spelt_division(terms: &Terms, c: TermId, t: TermId, e: TermId) -> bool {
    let is_zero = |id: TermId| match terms.get(id) {
        Term::IntConst(value) => value.sign() == Sign::NoSign,
        _ => false,
    };
    let is_guard = |divisor: TermId| match *terms.get(c) {
        Term::Binary(BinaryOp::Eq, a, b) => a == divisor && is_zero(b),
        _ => false,
    };
    match *terms.get(e) {
        Term::Int(IntOp::Div, _, b) => is_guard(b) && is_zero(t),
        Term::Int(IntOp::Mod, a, b) => is_guard(b) && t == a,
        _ => false,
    }
}

/// Whether the value of a division by zero is written out: its divisor may be zero, and the value
/// is not that of SMT-LIB.
pub(crate) fn is_spelt_by_zero(terms: &Terms, divisor: TermId, by_zero: ByZero) -> bool {
    let may_be_zero = match terms.get(divisor) {
        Term::IntConst(value) => value.sign() == Sign::NoSign,
        _ => true,
    };
    may_be_zero && by_zero == ByZero::Fixed
}

/// Whether the text of a term repeats that of its arguments.
fn is_spelt_out(terms: &Terms, term: &Term, by_zero: ByZero) -> bool {
    use BinaryOp::*;
    match *term {
        Term::Unary(op, _) => op == UnaryOp::RedXor,
        Term::Int(IntOp::Div | IntOp::Mod, _, divisor) => is_spelt_by_zero(terms, divisor, by_zero),
        Term::Binary(op, ..) => {
            !matches!(op, And | Or | Xor | Iff | Xnor | Eq | Neq | Implies | Concat)
                && smtlib::operator_name(op).is_none()
        }
        _ => false,
    }
}
