//! Cases under which candidates are tried: the comparisons that the program makes, and others.
//!
//! The position of a slot, which never changes, splits the time of a loop: what holds after its
//! turn does not hold before. So where the program asks `i = p` for a position `p`, the cases are
//! `i < p` and `p < i`, and what the program asks of `i`, asked of `p`. And where a value is
//! `ite(i = p, v, e)`, it may be what `v` is for `p`. Heuristic.

use super::candidates::{MAX_CANDIDATES, MAX_CASES};
use super::graph::Graph;
use super::samples::Samples;
use pedra_model::simplify::Rewriter;
use pedra_model::term::{BinaryOp, IntOp, Sort, Term, TermId, Terms, UnaryOp};
use pedra_program::passes::symbols_of;
use rustc_hash::FxHashSet;

/// How many quotients and remainders of a location are looked at. Chosen.
const MAX_PARTS: usize = 4;

/// The comparisons that guards and values make, without inputs.
pub(super) fn comparisons(graph: &Graph) -> Vec<TermId> {
    let values = graph.blocks().cuts.iter().flat_map(|cut| &cut.blocks);
    let values = values.flat_map(|block| block.values.iter().chain([&block.guard]).copied());
    let cone = graph.terms.cone(values);
    use BinaryOp::*;
    let is_comparison = |term: &Term| match *term {
        Term::Int(op, ..) => op.is_comparison(),
        Term::Binary(Slt | Slte | Sgt | Sgte | Ult | Ulte | Ugt | Ugte, ..) => true,
        Term::Binary(Eq | Neq, a, _) => !graph.terms.sort(a).is_array(),
        _ => false,
    };
    let all = graph.terms.iter().filter(|(id, term)| cone[id.index()] && is_comparison(term));
    all.map(|(id, _)| id).collect()
}

/// Whether a term speaks of these symbols only.
pub(super) fn is_about(graph: &Graph, term: TermId, known: &[TermId]) -> bool {
    symbols_of(&graph.terms, [term]).iter().all(|symbol| known.contains(symbol))
}

/// Whether a term speaks of these symbols only, and has no `ite`.
pub(super) fn speaks_of(graph: &Graph, term: TermId, symbols: &[TermId]) -> bool {
    let (mut stack, mut seen) = (vec![term], FxHashSet::default());
    while let Some(term) = stack.pop() {
        match graph.terms.get(term) {
            Term::Symbol(_) if !symbols.contains(&term) => return false,
            Term::Ite(..) => return false,
            node if seen.insert(term) => stack.extend(node.args()),
            _ => {}
        }
    }
    true
}

/// Cases by positions.
pub(super) fn all_cases(graph: &mut Graph) -> Vec<TermId> {
    let comparisons = comparisons(graph);
    cases(graph, &comparisons)
}

/// The same, with the comparisons of the program.
pub(super) fn cases(graph: &mut Graph, comparisons: &[TermId]) -> Vec<TermId> {
    let fixed = graph.positions.clone();
    let terms = &mut graph.terms;
    let mut found = Vec::new();
    for &comparison in comparisons {
        let Term::Binary(BinaryOp::Eq | BinaryOp::Neq, a, b) = *terms.get(comparison) else {
            continue;
        };
        let (a, b) = words(terms, a, b);
        for (word, fixed) in [(a, b), (b, a)].into_iter().filter(|(_, p)| fixed.contains(p)) {
            found.extend(below(terms, fixed, word));
            found.extend(below(terms, word, fixed));
            found.extend(asked_of(terms, comparisons, word, fixed));
        }
    }
    // Those of plain variables first.
    found.sort_by_key(|&case| terms.get(case).args().any(|arg| !is_plain(terms, arg)));
    let mut seen = FxHashSet::default();
    found.retain(|&case| terms.as_constant(case).is_none() && seen.insert(case));
    found
}

fn is_plain(terms: &Terms, term: TermId) -> bool {
    matches!(terms.get(term), Term::Symbol(_) | Term::Const(_) | Term::IntConst(_))
}

/// What is compared, or, if it is the low part of words, these.
fn words(terms: &Terms, a: TermId, b: TermId) -> (TermId, TermId) {
    match (terms.get(a), terms.get(b)) {
        (&Term::Slice { arg: x, high: i, low: 0 }, &Term::Slice { arg: y, high: j, low: 0 })
            if i == j && terms.sort(x) == terms.sort(y) =>
        {
            (x, y)
        }
        _ => (a, b),
    }
}

/// `a < b`, of words without and with sign.
fn below(terms: &mut Terms, a: TermId, b: TermId) -> Vec<TermId> {
    match terms.sort(a) {
        Sort::Int => vec![terms.simplified(Term::Int(IntOp::Lt, a, b))],
        Sort::Bv(_) => [BinaryOp::Ult, BinaryOp::Slt]
            .map(|less| terms.simplified(Term::Binary(less, a, b)))
            .to_vec(),
        Sort::Array { .. } => Vec::new(),
    }
}

/// Comparisons of a word, with another one in its place.
fn asked_of(
    terms: &mut Terms,
    comparisons: &[TermId],
    word: TermId,
    instead: TermId,
) -> Vec<TermId> {
    let mut found = Vec::new();
    for &comparison in comparisons {
        let (is_equality, sides) = match *terms.get(comparison) {
            Term::Binary(BinaryOp::Eq | BinaryOp::Neq, a, b) => (true, [a, b]),
            Term::Int(_, a, b) | Term::Binary(_, a, b) => (false, [a, b]),
            _ => continue,
        };
        if !sides.contains(&word) || sides.contains(&instead) {
            continue;
        }
        let other = if sides[0] == word { sides[1] } else { sides[0] };
        match is_equality {
            true => {
                let same = terms.simplified(Term::Binary(BinaryOp::Eq, instead, other));
                found.push(same);
            }
            false => found.extend(below(terms, instead, other)),
        }
    }
    found
}

/// What edges refute, under conditions that all samples meet: a loop may have a phase to which no
/// sample has come, and what held before holds at least before that. Also under each case, and
/// outside of it.
pub(super) fn weakened(
    graph: &mut Graph,
    samples: &Samples,
    refuted: &[Vec<TermId>],
) -> Vec<Vec<TermId>> {
    let comparisons = comparisons(graph);
    let cases = cases(graph, &comparisons);
    let mut all = Vec::with_capacity(refuted.len());
    for (location, refuted) in graph.locations().zip(refuted) {
        let symbols: Vec<TermId> = graph.variables(location).collect();
        let of_here = |list: &[TermId]| -> Vec<TermId> {
            let here = list.iter().copied().filter(|&term| speaks_of(graph, term, &symbols));
            here.take(MAX_CASES).collect()
        };
        let (cases, comparisons) = (of_here(&cases), of_here(&comparisons));
        let met = comparisons.into_iter().filter_map(|condition| {
            Some((condition, vec![samples.uniform(graph, location, condition)?]))
        });
        let met: Vec<(TermId, Vec<bool>)> = met.collect();
        let both = cases.into_iter().map(|case| (case, vec![false, true]));
        let conditions: Vec<(TermId, Vec<bool>)> = both.chain(met).collect();
        let mut found = Vec::new();
        for (condition, truths) in conditions {
            for holds in truths {
                let not = graph.terms.simplified(Term::Unary(UnaryOp::Not, condition));
                let otherwise = if holds { not } else { condition };
                let weaker = refuted.iter().map(|&term| graph.terms.or(otherwise, term));
                found.extend(weaker);
            }
        }
        found.retain(|&term| graph.terms.as_constant(term).is_none());
        found.truncate(MAX_CANDIDATES);
        all.push(found);
    }
    all
}

/// Quotients, remainders and shifts of the variables of a location that the program computes.
pub(super) fn divisions(graph: &Graph, symbols: &[TermId]) -> Vec<TermId> {
    use BinaryOp::{Sdiv, Smod, Sra, Srem, Srl, Udiv, Urem};
    let values = graph.blocks().cuts.iter().flat_map(|cut| &cut.blocks);
    let values = values.flat_map(|block| block.values.iter().chain([&block.guard]).copied());
    let cone = graph.terms.cone(values);
    let all = graph.terms.iter().filter(|(id, term)| {
        let is_division = matches!(
            term,
            Term::Int(IntOp::Div | IntOp::Mod, ..)
                | Term::Binary(Sdiv | Smod | Sra | Srem | Srl | Udiv | Urem, ..)
        );
        let is_number = matches!(graph.terms.sort(*id), Sort::Int | Sort::Bv(2..=64));
        cone[id.index()] && is_division && is_number && speaks_of(graph, *id, symbols)
    });
    all.map(|(id, _)| id).take(MAX_PARTS).collect()
}

/// What variables may be after the turn of one that never changes: for each value
/// `ite(word = fixed, v, …)` of a variable `e` the claim `e = v`, with the fixed one for the word.
pub(super) fn claims(graph: &mut Graph) -> Vec<TermId> {
    let fixed = graph.positions.clone();
    let mut updates: Vec<(TermId, TermId)> = Vec::new();
    for cut in &graph.blocks().cuts {
        for block in &cut.blocks {
            let live = graph.blocks().cuts[block.to].live.iter();
            let symbols = live.map(|&variable| graph.blocks().program.term_of(variable));
            updates.extend(symbols.zip(block.values.iter().copied()));
        }
    }
    let terms = &mut graph.terms;
    let mut found = Vec::new();
    for (symbol, mut value) in updates {
        while let Term::Ite(condition, then, otherwise) = *terms.get(value) {
            value = otherwise;
            let Term::Binary(BinaryOp::Eq, a, b) = *terms.get(condition) else { continue };
            let (a, b) = words(terms, a, b);
            let sides = [(a, b), (b, a)].into_iter().find(|(_, p)| fixed.contains(p));
            let Some((word, fixed)) = sides else { continue };
            let mut rewriter = Rewriter::new();
            rewriter.replace(word, fixed);
            let then = rewriter.rewrite(terms, then);
            let claim = terms.simplified(Term::Binary(BinaryOp::Eq, symbol, then));
            if terms.as_constant(claim).is_none() && !found.contains(&claim) {
                found.push(claim);
            }
        }
    }
    found
}
