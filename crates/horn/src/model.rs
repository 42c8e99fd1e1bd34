//! Proofs as other solvers for Horn clauses print them: an interpretation of each predicate by a
//! `define-fun`, under which all clauses are valid.
//!
//! A proof about a program has invariants at some places only, at least one on each cycle. The
//! other predicates are defined by their clauses: `Q(x)` holds if all that follows from it does
//! (the weakest interpretation), with a quantifier if a clause has variables that `Q` does not
//! bind. So this is for linear clauses, which are places and edges of one procedure.
//!
//! A proof is about some of the queries: the others are left out, and a predicate from which none
//! of these follows holds of everything.
//!
//! An interpretation of clauses includes the value of division by zero, which SMT-LIB leaves open.
//! Proofs are about the value that the terms of the model have, so it is written out here
//! ([`ByZero::Fixed`]): with another value the clauses may have no interpretation at all.

use crate::clauses::{Atom, ByZero, Clause, Clauses};
use crate::write::{Writer, conjunction, is_spelt_by_zero, predicate_names, sort};
use pedra_model::term::{BinaryOp, IntOp, Term, TermId, Terms};
use rustc_hash::FxHashSet;
use std::fmt::Write as _;

/// What holds of the arguments of a predicate.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Interpretation {
    /// The arguments: symbols, all different.
    pub arguments: Vec<TermId>,
    /// One-bit terms over them: all of them hold.
    pub conjuncts: Vec<TermId>,
}

/// Terms over the arguments of a predicate, each as a text. The arguments are `x0`, `x1` and so on.
pub fn texts(terms: &Terms, of: &Interpretation) -> Vec<String> {
    let text = |&conjunct: &TermId| {
        let one = Interpretation { conjuncts: vec![conjunct], ..of.clone() };
        definition(terms, &one)
    };
    of.conjuncts.iter().map(text).collect()
}

/// The body of a definition.
fn definition(terms: &Terms, of: &Interpretation) -> String {
    let clause = Clause {
        body: vec![Atom { predicate: 0, args: of.arguments.clone() }],
        constraint: of.conjuncts.clone(),
        head: None,
        span: Default::default(),
        text: "".into(),
    };
    let mut writer = Writer::new(terms, &[], &clause, ByZero::Fixed);
    let mut out = String::new();
    let levels = writer.definitions(&mut out);
    let parts: Vec<String> = of.conjuncts.iter().map(|&term| writer.reference(term)).collect();
    out.push_str(&conjunction(&parts));
    out + &")".repeat(levels)
}

/// A script that defines all predicates and asks for each clause whether it can be false: all
/// answers must be `unsat`. `known` has the interpretations that a proof gives, over `terms`, and
/// `proved` the queries that it is about, by their positions among all queries. The other queries
/// are left out.
///
/// `None` if there is no such query, if a clause has several predicates in its body, or if
/// predicates without an interpretation depend on each other.
pub fn model(
    clauses: &Clauses,
    terms: &Terms,
    known: &[Option<Interpretation>],
    proved: &[usize],
) -> Option<String> {
    if clauses.num_nonlinear() > 0 {
        return None;
    }
    let queries: Vec<&Clause> = clauses.clauses.iter().filter(|c| c.head.is_none()).collect();
    let proved: Option<Vec<Clause>> =
        proved.iter().map(|&at| queries.get(at).map(|&query| query.clone())).collect();
    let proved = proved?;
    let mut out = header(clauses, &proved);
    let rules = clauses.clauses.iter().filter(|clause| clause.head.is_some()).cloned();
    let clauses = &Clauses { clauses: rules.chain(proved).collect(), ..clauses.clone() };
    let known = &with_unneeded(clauses, known);
    let names = predicate_names(clauses);
    for predicate in order(clauses, known)? {
        let body = match &known[predicate] {
            Some(of) => definition(terms, of),
            None => weakest(clauses, &names, predicate),
        };
        let parameters = clauses.predicates[predicate].sorts.iter().enumerate();
        let parameters: String =
            parameters.map(|(at, &own)| format!("(x{at} {})", sort(own))).collect();
        // Writing to a string cannot fail, here and below.
        let _ = writeln!(out, "(define-fun {} ({parameters}) Bool\n  {body})", names[predicate]);
    }
    for clause in &clauses.clauses {
        let mut writer = Writer::new(&clauses.terms, &names, clause, ByZero::Fixed);
        out.push_str("(push 1)\n");
        for (name, own) in &writer.variables {
            let _ = writeln!(out, "(declare-fun {name} () {})", sort(*own));
        }
        out.push_str("(assert (not ");
        let levels = writer.definitions(&mut out);
        writer.implication(&clause.body, clause, &mut out);
        let _ = writeln!(out, "{}))\n(check-sat)\n(pop 1)", ")".repeat(levels));
    }
    Some(out)
}

/// What the script is about.
fn header(clauses: &Clauses, proved: &[Clause]) -> String {
    let mut out = String::from(
        "; An interpretation of the predicates under which all rules hold, and these queries:\n",
    );
    for query in proved {
        // Writing to a string cannot fail.
        let _ = writeln!(out, ";   line {}: {}", query.span.line, query.text);
    }
    out.push_str(
        "; Each check-sat asks whether a clause can be false: all answers must be unsat.\n",
    );
    let is_open = |term: &Term| {
        matches!(term, Term::Int(IntOp::Div | IntOp::Mod, _, divisor)
        if is_spelt_by_zero(&clauses.terms, *divisor, ByZero::Fixed))
    };
    if clauses.terms.iter().any(|(_, term)| is_open(term)) {
        out.push_str("; Division by zero, which SMT-LIB leaves open: x div 0 = 0, x mod 0 = x.\n");
    }
    out.push_str("(set-logic ALL)\n");
    out
}

/// The interpretations, with *true* for predicates from which no query follows.
fn with_unneeded(
    clauses: &Clauses,
    known: &[Option<Interpretation>],
) -> Vec<Option<Interpretation>> {
    let mut is_needed = vec![false; known.len()];
    let mut stack: Vec<Option<usize>> = vec![None];
    while let Some(head) = stack.pop() {
        let is_of = |clause: &&Clause| clause.head.as_ref().map(|head| head.predicate) == head;
        for atom in clauses.clauses.iter().filter(is_of).flat_map(|clause| &clause.body) {
            if !std::mem::replace(&mut is_needed[atom.predicate], true) {
                stack.push(Some(atom.predicate));
            }
        }
    }
    let all = || Some(Interpretation { arguments: Vec::new(), conjuncts: Vec::new() });
    let known = known.iter().zip(is_needed);
    known.map(|(own, is_needed)| if is_needed { own.clone() } else { all() }).collect()
}

/// All predicates, so that each comes after those that its definition speaks of.
fn order(clauses: &Clauses, known: &[Option<Interpretation>]) -> Option<Vec<usize>> {
    let needs = |predicate: usize| -> Vec<usize> {
        if known[predicate].is_some() {
            return Vec::new();
        }
        let is_of = |clause: &&Clause| clause.body.iter().any(|atom| atom.predicate == predicate);
        let heads = clauses.clauses.iter().filter(is_of).filter_map(|clause| clause.head.as_ref());
        heads.map(|head| head.predicate).collect()
    };
    let mut is_done: Vec<Option<bool>> = vec![None; clauses.predicates.len()];
    let mut order = Vec::new();
    for root in 0..clauses.predicates.len() {
        let mut stack = vec![(root, needs(root))];
        while let Some((predicate, left)) = stack.last_mut() {
            let predicate = *predicate;
            if is_done[predicate] == Some(true) {
                stack.pop();
                continue;
            }
            is_done[predicate] = Some(false);
            match left.pop() {
                Some(next) if is_done[next] == Some(true) => {}
                // A circle without an interpretation.
                Some(next) if is_done[next] == Some(false) => return None,
                Some(next) => stack.push((next, needs(next))),
                None => {
                    is_done[predicate] = Some(true);
                    order.push(predicate);
                    stack.pop();
                }
            }
        }
    }
    Some(order)
}

/// `∧ ∀ y. x = t ∧ φ → R(s)` over the clauses `Q(t) ∧ φ → R(s)` with the other variables y.
fn weakest(clauses: &Clauses, names: &[String], predicate: usize) -> String {
    let mut parts = Vec::new();
    for clause in &clauses.clauses {
        let [atom] = clause.body.as_slice() else { continue };
        if atom.predicate != predicate {
            continue;
        }
        let mut terms = clauses.terms.clone();
        // Arguments that are different variables are the parameters themselves.
        let mut seen = FxHashSet::default();
        let (mut args, mut constraint) = (Vec::new(), Vec::new());
        for &arg in &atom.args {
            if terms.symbol_of(arg).is_some() && seen.insert(arg) {
                args.push(arg);
                continue;
            }
            let parameter = terms.new_symbol(terms.sort(arg));
            args.push(parameter);
            constraint.push(terms.binary(BinaryOp::Eq, parameter, arg));
        }
        constraint.extend(&clause.constraint);
        let body = vec![Atom { predicate, args }];
        let clause = Clause { body, constraint, ..clause.clone() };
        let mut writer = Writer::new(&terms, names, &clause, ByZero::Fixed);
        let mut out = String::new();
        let is_quantified = writer.quantify(atom.args.len(), &mut out);
        let levels = writer.definitions(&mut out);
        writer.implication(&[], &clause, &mut out);
        out.push_str(&")".repeat(levels + usize::from(is_quantified)));
        parts.push(out);
    }
    conjunction(&parts)
}
