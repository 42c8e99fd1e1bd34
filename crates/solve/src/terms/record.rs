//! What the integer solver is asked, as SMT-LIB scripts for other solvers.
//!
//! After [`record_queries`] each new solver for integers writes a file: the definitions of the
//! terms that it meets, what is asserted, and each question, followed by a comment with our answer
//! and the seconds that we took since the question before: encoding and search, no reading or
//! writing of text. Bits are `Bool`, which suits other solvers best. There is one switch for the
//! process, as for a log, since solvers are made in many places.

use crate::sat::SatResult;
use pedra_model::bv::Bv;
use pedra_model::eval::ops;
use pedra_model::lit::{Lit, Var};
use pedra_model::term::{BinaryOp, IntOp, Sort, Term, TermId, Terms, UnaryOp};
use rustc_hash::FxHashMap;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

static FOLDER: OnceLock<PathBuf> = OnceLock::new();
static FILES: AtomicUsize = AtomicUsize::new(0);

/// Text that is kept before it is appended to the file. There may be more solvers than a process
/// may have open files.
const BUFFER: usize = 1 << 12;

/// From now on, new solvers for integers write what they are asked into this folder.
///
/// # Errors
/// If the folder cannot be made, or something is in it: scripts of another run would go on.
pub fn record_queries(folder: &Path) -> std::io::Result<()> {
    std::fs::create_dir_all(folder)?;
    if std::fs::read_dir(folder)?.next().is_some() {
        return Err(std::io::Error::other("the folder is not empty"));
    }
    // The first folder stays.
    let _ = FOLDER.set(folder.to_owned());
    Ok(())
}

/// The script of one solver.
pub(super) struct Record {
    path: PathBuf,
    text: String,
    is_defined: Vec<bool>,
    /// What stands for a variable of the solver.
    names: FxHashMap<Var, String>,
    /// What was spent on the next question so far.
    spent: Duration,
}

impl Record {
    /// A new script, if queries are recorded.
    pub(super) fn begin() -> Option<Box<Record>> {
        let folder = FOLDER.get()?;
        let number = FILES.fetch_add(1, Ordering::Relaxed);
        let path = folder.join(format!("{number:06}.smt2"));
        let text = "(set-logic ALL)\n(define-fun never () Bool false)\n".to_owned();
        Some(Box::new(Record {
            path,
            text,
            is_defined: Vec::new(),
            names: FxHashMap::default(),
            spent: Duration::ZERO,
        }))
    }

    /// A term got this literal.
    pub(super) fn term(&mut self, terms: &Terms, term: TermId, lit: Lit, time: Duration) {
        self.spent += time;
        if lit.is_const() || self.names.contains_key(&lit.var()) {
            return;
        }
        self.is_defined.resize(terms.len(), false);
        for id in terms.cone_ids([term]) {
            if !std::mem::replace(&mut self.is_defined[id.index()], true) {
                self.text.push_str(&define(terms, id));
            }
        }
        let name = format!("t{}", term.index());
        match lit.is_negated() {
            false => self.names.insert(lit.var(), name),
            true => {
                let _ = writeln!(self.text, "(define-fun n{0} () Bool (not {name}))", term.index());
                self.names.insert(lit.var(), format!("n{}", term.index()))
            }
        };
    }

    /// A literal without meaning.
    pub(super) fn free(&mut self, lit: Lit) {
        let name = format!("v{}", lit.var().index());
        let _ = writeln!(self.text, "(declare-const {name} Bool)");
        self.names.insert(lit.var(), name);
    }

    fn literal(&self, lit: Lit) -> String {
        let name = match self.names.get(&lit.var()) {
            Some(name) => name,
            // The constant.
            None => return if lit == Lit::FALSE { "never" } else { "(not never)" }.to_owned(),
        };
        if lit.is_negated() { format!("(not {name})") } else { name.clone() }
    }

    fn literals(&self, lits: &[Lit]) -> String {
        lits.iter().map(|&lit| self.literal(lit)).collect::<Vec<_>>().join(" ")
    }

    /// A clause for good.
    pub(super) fn clause(&mut self, clause: &[Lit]) {
        let _ = writeln!(self.text, "(assert (or never {}))", self.literals(clause));
    }

    /// A question, and what came of it.
    pub(super) fn question(
        &mut self,
        assumptions: &[Lit],
        temporary: &[&[Lit]],
        answer: SatResult,
        time: Duration,
    ) {
        let assumed = self.literals(assumptions);
        if temporary.is_empty() {
            let _ = writeln!(self.text, "(check-sat-assuming ({assumed}))");
        } else {
            self.text.push_str("(push 1)\n");
            temporary.iter().for_each(|clause| self.clause(clause));
            let _ = writeln!(self.text, "(check-sat-assuming ({assumed}))\n(pop 1)");
        }
        let said = format!("{answer:?}").to_lowercase();
        let spent = std::mem::take(&mut self.spent) + time;
        let _ = writeln!(self.text, "; {said} {:.7}", spent.as_secs_f64());
        if self.text.len() > BUFFER {
            self.flush();
        }
    }

    /// A script that cannot be written is incomplete; the search does not depend on it.
    fn flush(&mut self) {
        let file = std::fs::OpenOptions::new().create(true).append(true).open(&self.path);
        let _ = file.and_then(|mut file| file.write_all(self.text.as_bytes()));
        self.text.clear();
    }
}

impl Drop for Record {
    fn drop(&mut self) {
        self.flush();
    }
}

/// The definition of a term of the theory of integers in SMT-LIB, by the names of its arguments:
/// `t` and their numbers.
pub fn define(terms: &Terms, term: TermId) -> String {
    let name = format!("t{}", term.index());
    let sort = sort_name(terms.sort(term));
    let call = |op: &str| {
        let args: Vec<String> =
            terms.get(term).args().map(|arg| format!("t{}", arg.index())).collect();
        format!("({op} {})", args.join(" "))
    };
    let body = match *terms.get(term) {
        Term::Symbol(_) => return format!("(declare-const {name} {sort})\n"),
        Term::Const(ref value) => value.is_true().to_string(),
        Term::IntConst(ref value) if value.sign() == num_bigint::Sign::Minus => {
            format!("(- {})", value.magnitude())
        }
        Term::IntConst(ref value) => value.to_string(),
        Term::IntNeg(_) => call("-"),
        Term::Unary(UnaryOp::Not, _) => call("not"),
        Term::Unary(op, a) => {
            let table = [false, true].map(|a| ops::unary(op, &Bv::bit_value(a)).is_true());
            of_one_bit(a, table)
        }
        Term::Binary(BinaryOp::And, ..) => call("and"),
        Term::Binary(BinaryOp::Or, ..) => call("or"),
        Term::Binary(BinaryOp::Eq, ..) => call("="),
        Term::Binary(BinaryOp::Neq, ..) => call("distinct"),
        Term::Binary(op, a, b) => {
            let value = |a, b| ops::binary(op, &Bv::bit_value(a), &Bv::bit_value(b)).is_true();
            let [zero, one] =
                [false, true].map(|a| of_one_bit(b, [false, true].map(|b| value(a, b))));
            format!("(ite t{} {one} {zero})", a.index())
        }
        Term::Slice { arg, .. } | Term::Extend { arg, .. } => format!("t{}", arg.index()),
        Term::Ite(..) => call("ite"),
        Term::Read(..) => call("select"),
        Term::Write(..) => call("store"),
        Term::ConstArray { .. } => call(&format!("(as const {sort})")),
        Term::Int(op, _, b) => match (op, terms.get(b)) {
            // What the model's terms say of a division by 0.
            (IntOp::Div, Term::IntConst(by)) if by.sign() == num_bigint::Sign::NoSign => "0".into(),
            (IntOp::Mod, Term::IntConst(by)) if by.sign() == num_bigint::Sign::NoSign => {
                let first = terms.get(term).args().next().expect("an operator with two arguments");
                format!("t{}", first.index())
            }
            _ => call(op.name()),
        },
    };
    format!("(define-fun {name} () {sort} {body})\n")
}

fn sort_name(sort: Sort) -> String {
    match sort {
        Sort::Bv(_) => "Bool".into(),
        Sort::Int => "Int".into(),
        Sort::Array { index, element } => {
            format!("(Array {} {})", sort_name(index.into()), sort_name(element.into()))
        }
    }
}

/// The function of a bit with this table.
fn of_one_bit(bit: TermId, table: [bool; 2]) -> String {
    match table {
        [false, true] => format!("t{}", bit.index()),
        [true, false] => format!("(not t{})", bit.index()),
        [value, _] => value.to_string(),
    }
}
