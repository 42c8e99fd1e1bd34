//! The guard and the updates of a clause.
//!
//! Variables of the clause that are arguments of its body stand for the program's variables.
//! Equalities of the constraint that define another one, `v = t`, are put in where v is used. What
//! is left becomes an input of the step. Where definitions depend on each other in a circle, one of
//! them stays an equality.

use crate::clauses::{Atom, Clause};
use num_bigint::Sign;
use pedra_model::term::{BinaryOp, IntOp, Term, TermId, Terms, UnaryOp};
use pedra_program::{Check, CheckKind, Input, InputKind, Program, Step, VariableId};
use rustc_hash::{FxHashMap, FxHashSet};

/// The step of a clause, given the variables that hold the arguments of its body and head.
pub(super) fn step(
    program: &mut Program,
    clause: &Clause,
    bound: &[(&Atom, Vec<VariableId>)],
    head: Option<(&Atom, Vec<VariableId>)>,
) -> Step {
    let mut putting = Putting::default();
    let mut conditions: Vec<TermId> = Vec::new();
    let mut equalities: Vec<(TermId, TermId)> = Vec::new();
    for (atom, variables) in bound {
        for (&arg, &variable) in atom.args.iter().zip(variables) {
            let value = program.term_of(variable);
            let is_first = !putting.images.contains_key(&arg);
            match program.terms.symbol_of(arg) {
                Some(_) if is_first => drop(putting.images.insert(arg, value)),
                _ => equalities.push((arg, value)),
            }
        }
    }
    for &condition in &clause.constraint {
        if !putting.define(&mut program.terms, condition) {
            conditions.push(condition);
        }
    }
    let terms = &mut program.terms;
    let mut guard = None;
    let mut require = |terms: &mut Terms, condition: TermId| {
        guard = Some(match guard {
            None => condition,
            Some(all) => terms.binary(BinaryOp::And, all, condition),
        });
    };
    for condition in conditions {
        let condition = putting.image(terms, condition);
        require(terms, condition);
    }
    for (arg, value) in equalities {
        let arg = putting.image(terms, arg);
        let equal = terms.binary(BinaryOp::Eq, value, arg);
        require(terms, equal);
    }
    let mut updates = Vec::new();
    for (&arg, variable) in
        head.iter().flat_map(|(atom, variables)| atom.args.iter().zip(variables))
    {
        updates.push((*variable, putting.image(terms, arg)));
    }
    // A definition that nothing uses can always be met, unless it depends on itself.
    for symbol in std::mem::take(&mut putting.defined) {
        putting.image(terms, symbol);
    }
    while let Some((symbol, definition)) = putting.circles.pop() {
        let value = putting.image(terms, definition);
        let equal = terms.binary(BinaryOp::Eq, putting.images[&symbol], value);
        require(terms, equal);
    }
    let roots = guard.into_iter().chain(updates.iter().map(|update| update.1));
    let (used, divisors) = look(terms, roots);
    let checks = divisors.into_iter().map(|(divisor, op)| {
        let zero = terms.integer(0);
        let holds = terms.binary(BinaryOp::Neq, divisor, zero);
        let text = format!("({} … …)", op.name()).into();
        Check { holds, kind: CheckKind::Division, text, span: clause.span }
    });
    let checks = checks.collect();
    let inputs = putting.inputs.into_iter().filter(|input| used.contains(input));
    let inputs = inputs.map(|term| Input { term, kind: InputKind::Choice }).collect();
    Step { inputs, guard, updates, checks, returns: None }
}

/// Puts terms in for the variables of a clause.
#[derive(Default)]
struct Putting {
    /// What stands for each term already.
    images: FxHashMap<TermId, TermId>,
    /// Variables that are defined by a term.
    definitions: FxHashMap<TermId, TermId>,
    /// The same variables, in order.
    defined: Vec<TermId>,
    /// Those whose definition was looked into.
    entered: FxHashSet<TermId>,
    /// Definitions that depend on themselves: they stay equalities.
    circles: Vec<(TermId, TermId)>,
    inputs: Vec<TermId>,
}

impl Putting {
    /// Takes a condition as a definition of a variable that has none yet, if it is one.
    fn define(&mut self, terms: &mut Terms, condition: TermId) -> bool {
        let is_open = |this: &Putting, terms: &Terms, term: TermId| {
            terms.symbol_of(term).is_some()
                && !this.images.contains_key(&term)
                && !this.definitions.contains_key(&term)
        };
        let (symbol, value) = match *terms.get(condition) {
            Term::Binary(BinaryOp::Eq, a, b) if a != b && is_open(self, terms, a) => (a, b),
            Term::Binary(BinaryOp::Eq, a, b) if a != b && is_open(self, terms, b) => (b, a),
            Term::Symbol(_) if is_open(self, terms, condition) => (condition, terms.bool(true)),
            Term::Unary(UnaryOp::Not, a) if is_open(self, terms, a) => (a, terms.bool(false)),
            _ => return false,
        };
        self.definitions.insert(symbol, value);
        self.defined.push(symbol);
        true
    }

    /// The term with everything put in.
    fn image(&mut self, terms: &mut Terms, root: TermId) -> TermId {
        let mut stack = vec![root];
        while let Some(&id) = stack.last() {
            if self.images.contains_key(&id) {
                stack.pop();
                continue;
            }
            if terms.symbol_of(id).is_none() {
                let term = terms.get(id).clone();
                let before = stack.len();
                stack.extend(term.args().filter(|arg| !self.images.contains_key(arg)));
                if stack.len() == before {
                    let image = terms.add(term.with_args(|arg| self.images[&arg]));
                    self.images.insert(id, image.expect("sorts are kept"));
                }
                continue;
            }
            match self.definitions.get(&id).copied() {
                Some(value) => match self.images.get(&value) {
                    Some(&image) => drop(self.images.insert(id, image)),
                    None if self.entered.insert(id) => stack.push(value),
                    None => {
                        self.circles.push((id, value));
                        self.new_input(terms, id);
                    }
                },
                None => self.new_input(terms, id),
            }
        }
        self.images[&root]
    }

    fn new_input(&mut self, terms: &mut Terms, symbol: TermId) {
        let input = terms.new_symbol(terms.sort(symbol));
        self.inputs.push(input);
        self.images.insert(symbol, input);
    }
}

/// All terms below the roots, and what is divided by and may be zero, each once.
fn look(
    terms: &Terms,
    roots: impl IntoIterator<Item = TermId>,
) -> (FxHashSet<TermId>, Vec<(TermId, IntOp)>) {
    let mut stack: Vec<TermId> = roots.into_iter().collect();
    let (mut seen, mut found) = (FxHashSet::default(), Vec::new());
    while let Some(id) = stack.pop() {
        if !seen.insert(id) {
            continue;
        }
        let term = terms.get(id);
        stack.extend(term.args());
        if let &Term::Int(op @ (IntOp::Div | IntOp::Mod), _, divisor) = term {
            let is_open = match terms.get(divisor) {
                Term::IntConst(value) => value.sign() == Sign::NoSign,
                _ => true,
            };
            if is_open && !found.iter().any(|&(known, _)| known == divisor) {
                found.push((divisor, op));
            }
        }
    }
    (seen, found)
}
