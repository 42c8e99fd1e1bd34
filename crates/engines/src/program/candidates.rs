//! Candidate invariants, from the text of the program and from samples.
//!
//! For each location:
//! - comparisons that the program makes, of variables that matter there;
//! - bounds of variables: what the samples show, and the constants of the program next to that;
//! - `x = y`, `x ≤ y`, `x < y`; for integers `±x ± y ≤ k`;
//! - linear equations that all samples satisfy (for words modulo their width, so that they survive
//!   when sums wrap around), also with quotients and remainders that the program computes; of the
//!   second degree, too, where the program multiplies words (`curves`);
//! - for integers `x - k·y` between bounds, where `k` is a constant of the program: a sum of what
//!   is at most `k` in each turn;
//! - remainders that all samples have, of variables, and of differences of two words (`x - y` is
//!   even);
//! - each of these where a comparison of the program holds, if it does not hold elsewhere: loops
//!   with phases need disjunctions; also under other cases (`cases`).
//!
//! Only what no sample refutes is proposed, and only what is inductive, all of it together, is
//! kept (`houdini`). So all of this is heuristic.

mod equations;

use super::calling::comparisons_behind;
use super::cases::{cases, claims, comparisons, divisions, is_about, speaks_of};
use super::graph::{Graph, Location};
use super::samples::{Samples, constants, number};
use crate::trace::Place;
use num_bigint::BigInt;
use pedra_model::bv::Bv;
use pedra_model::polynomial::is_product;
use pedra_model::term::{BinaryOp, IntOp, Sort, Term, TermId, Terms, UnaryOp};
use pedra_model::value::Value;
use pedra_program::interpreter::evaluate;
use pedra_program::passes::symbols_of;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;

/// Candidates of one location beyond this number are left out.
pub(super) const MAX_CANDIDATES: usize = 300;
/// Pairs are looked at for at most this many variables, equations for at most this many.
const MAX_PAIRED: usize = 14;
const MAX_RELATED: usize = 16;
/// How many variables and constants `x - k·y` is looked at for, and the greatest constant. Chosen.
const MAX_MULTIPLIED: usize = 6;
const MAX_MULTIPLES: usize = 2;
const MAX_MULTIPLE: i64 = 1_000_000;
/// A remainder of `x - y` is proposed if there are this many differences: fewer have one by chance.
/// Chosen, not measured.
const MIN_DIFFERENCES: usize = 4;
/// Comparisons of the program under which others are tried.
pub(super) const MAX_CASES: usize = 10;

/// A variable that is a number.
#[derive(Copy, Clone)]
pub(super) struct Number {
    term: TermId,
    sort: Sort,
    is_signed: bool,
    /// Its position among the variables of the location.
    position: usize,
}

/// What may be worth a try at each location: one-bit terms over its variables.
pub(super) fn candidates(graph: &mut Graph, samples: &Samples) -> Vec<Vec<TermId>> {
    let constants = constants(graph);
    let mut comparisons = comparisons(graph);
    if graph.has_calls() {
        comparisons.extend(comparisons_behind(graph, &comparisons.clone()));
    }
    let (cases, claims) = (cases(graph, &comparisons), claims(graph));
    let multiplies = graph.terms.iter().any(|(id, _)| is_product(&graph.terms, id));
    let locations: Vec<Location> = graph.locations().collect();
    let mut all = Vec::with_capacity(locations.len());
    for location in locations {
        let states = samples.at(location);
        let is_error = graph.blocks().errors.contains(&Some(location.index()));
        if location == Location::ENTRY || states.is_empty() || is_error {
            all.push(Vec::new());
            continue;
        }
        let (numbers, symbols) = numbers(graph, location);
        let of_here = |list: &[TermId]| -> Vec<TermId> {
            list.iter().copied().filter(|&term| speaks_of(graph, term, &symbols)).collect()
        };
        let (mut comparisons, cases) = (of_here(&comparisons), of_here(&cases));
        let own = comparisons.clone();
        let claims = claims.iter().copied().filter(|&claim| is_about(graph, claim, &symbols));
        comparisons.extend(claims);
        let parts = divisions(graph, &symbols);
        let mut maker = Maker {
            terms: &mut graph.terms,
            constants: &constants,
            numbers: &numbers,
            parts: &parts,
            multiplies,
            symbols: &symbols,
            found: Vec::new(),
            seen: FxHashSet::default(),
            besides: Vec::new(),
        };
        let everything: Vec<&[Value]> = states.iter().map(Vec::as_slice).collect();
        maker.about(&everything, &comparisons, None);
        for case in cases.into_iter().take(MAX_CASES) {
            maker.besides = symbols_of(maker.terms, [case]);
            maker.cases(&everything, &comparisons, &[case]);
        }
        maker.besides.clear();
        maker.cases(&everything, &comparisons, &own);
        maker.multiples(&everything);
        let mut found = maker.found;
        found.truncate(MAX_CANDIDATES);
        all.push(found);
    }
    all
}

/// The numbers among the variables of a location, and all their symbols.
fn numbers(graph: &Graph, at: Location) -> (Vec<Number>, Vec<TermId>) {
    let blocks = graph.blocks();
    let live = &blocks.cuts[at.index()].live;
    let symbols: Vec<TermId> = live.iter().map(|&v| blocks.program.term_of(v)).collect();
    let number = |(position, &variable): (usize, &pedra_program::VariableId)| {
        let term = blocks.program.term_of(variable);
        let sort = graph.terms.sort(term);
        let is_number = matches!(sort, Sort::Int | Sort::Bv(2..=64));
        let is_signed = blocks.program.variable(variable).is_signed;
        is_number.then_some(Number { term, sort, is_signed, position })
    };
    (live.iter().enumerate().filter_map(number).collect(), symbols)
}

/// Makes the candidates of one location.
struct Maker<'a> {
    terms: &'a mut Terms,
    constants: &'a [BigInt],
    numbers: &'a [Number],
    /// Quotients and remainders of the variables.
    parts: &'a [TermId],
    /// Whether the program multiplies words.
    multiplies: bool,
    symbols: &'a [TermId],
    found: Vec<TermId>,
    seen: FxHashSet<TermId>,
    /// What speaks of these only is of no use now.
    besides: Vec<TermId>,
}

impl Maker<'_> {
    /// Notes a candidate, if nothing plainly makes it one already; under a case, if there is one.
    fn add(&mut self, term: TermId, case: Option<TermId>) {
        if self.terms.as_constant(term).is_some() || self.found.len() >= 2 * MAX_CANDIDATES {
            return;
        }
        if !self.besides.is_empty() {
            let of = symbols_of(self.terms, [term]);
            if of.iter().all(|symbol| self.besides.contains(symbol)) {
                return;
            }
        }
        if case.is_some_and(|case| case == term || self.seen.contains(&term)) {
            return;
        }
        let term = match case {
            None => term,
            Some(case) => {
                let not = self.terms.simplified(Term::Unary(UnaryOp::Not, case));
                self.terms.or(not, term)
            }
        };
        if self.seen.insert(term) {
            self.found.push(term);
        }
    }

    /// All kinds of candidates that hold in some states.
    fn about(&mut self, states: &[&[Value]], comparisons: &[TermId], case: Option<TermId>) {
        for &comparison in comparisons {
            let truths = states.iter().map(|state| self.holds(comparison, state));
            let truths: FxHashSet<bool> = truths.collect();
            if truths.len() == 1 {
                let holds = truths.contains(&true);
                let not = self.terms.simplified(Term::Unary(UnaryOp::Not, comparison));
                self.add(if holds { comparison } else { not }, case);
            }
        }
        let numbers = self.numbers;
        let columns: Vec<Vec<BigInt>> = numbers.iter().map(|n| column(n, states)).collect();
        self.equations(states, &columns, case);
        for (number, column) in numbers.iter().zip(&columns) {
            self.bounds(number, column, case);
        }
        if numbers.len() <= MAX_PAIRED {
            for (i, x) in numbers.iter().enumerate() {
                for (j, y) in numbers[..i].iter().enumerate() {
                    if x.sort == y.sort {
                        self.pair([x, y], [&columns[i], &columns[j]], case);
                    }
                }
            }
        }
        self.bits(states, case);
    }

    /// The candidates of those states in which a case holds, or does not.
    fn cases(&mut self, states: &[&[Value]], comparisons: &[TermId], cases: &[TermId]) {
        for &comparison in cases.iter().take(MAX_CASES) {
            for wanted in [true, false] {
                let part = states.iter().copied();
                let part: Vec<&[Value]> =
                    part.filter(|state| self.holds(comparison, state) == wanted).collect();
                if part.len() < 2 || part.len() == states.len() {
                    continue;
                }
                let case = match wanted {
                    true => comparison,
                    false => self.terms.simplified(Term::Unary(UnaryOp::Not, comparison)),
                };
                self.about(&part, comparisons, Some(case));
            }
        }
    }

    fn holds(&self, term: TermId, state: &[Value]) -> bool {
        let of: FxHashMap<TermId, &Value> = self.symbols.iter().copied().zip(state).collect();
        evaluate(self.terms, [term], |symbol| of[&symbol])[&term].as_bv().is_true()
    }

    fn constant(&mut self, sort: Sort, value: &BigInt) -> TermId {
        match sort {
            Sort::Int => self.terms.integer(value.clone()),
            sort => self.terms.constant(Bv::from_bigint(sort.width().expect("a number"), value)),
        }
    }

    /// `a ≤ b` of numbers.
    fn at_most(&mut self, sort: Sort, is_signed: bool, a: TermId, b: TermId) -> TermId {
        self.terms.simplified(match sort {
            Sort::Int => Term::Int(IntOp::Le, a, b),
            _ if is_signed => Term::Binary(BinaryOp::Slte, a, b),
            _ => Term::Binary(BinaryOp::Ulte, a, b),
        })
    }

    fn equal(&mut self, a: TermId, b: TermId) -> TermId {
        self.terms.simplified(Term::Binary(BinaryOp::Eq, a, b))
    }

    /// The least and the greatest sample, and the constants of the program next to them.
    fn bounds(&mut self, number: &Number, column: &[BigInt], case: Option<TermId>) {
        let Number { term, sort, is_signed, .. } = *number;
        let (Some(least), Some(greatest)) = (column.iter().min(), column.iter().max()) else {
            return;
        };
        if least == greatest {
            let value = self.constant(sort, least);
            let equal = self.equal(term, value);
            self.add(equal, case);
            return;
        }
        let zero = BigInt::from(0);
        let below = self.constants.iter().rev().filter(|&k| k <= least).take(2);
        let above = self.constants.iter().filter(|&k| k >= greatest).take(2);
        let lower: Vec<BigInt> = below.chain([least]).cloned().collect();
        let upper: Vec<BigInt> = above.chain([greatest]).cloned().collect();
        for bound in lower.into_iter().chain((*least >= zero && is_signed).then_some(zero)) {
            let bound = self.constant(sort, &bound);
            let holds = self.at_most(sort, is_signed, bound, term);
            self.add(holds, case);
        }
        for bound in upper {
            let bound = self.constant(sort, &bound);
            let holds = self.at_most(sort, is_signed, term, bound);
            self.add(holds, case);
        }
        self.remainder(term, column, case);
    }

    /// `x = r modulo m`: for words, m is a power of two.
    fn remainder(&mut self, term: TermId, column: &[BigInt], case: Option<TermId>) {
        use num_integer::Integer;
        let first = &column[0];
        let gcd = column.iter().fold(BigInt::from(0), |gcd, value| gcd.gcd(&(value - first)));
        if gcd <= BigInt::from(1) {
            return;
        }
        let holds = match self.terms.sort(term) {
            Sort::Int => {
                let rest = self.terms.integer(first.mod_floor(&gcd));
                let modulus = self.terms.integer(gcd);
                let found = self.terms.simplified(Term::Int(IntOp::Mod, term, modulus));
                self.equal(found, rest)
            }
            Sort::Bv(width) => {
                let log = gcd.trailing_zeros().unwrap_or(0).min(u64::from(width) - 1) as u32;
                if log == 0 {
                    return;
                }
                let low = Term::Slice { arg: term, high: log - 1, low: 0 };
                let low = self.terms.simplified(low);
                let rest = self.terms.constant(Bv::from_bigint(log, first));
                self.equal(low, rest)
            }
            Sort::Array { .. } => return,
        };
        self.add(holds, case);
    }

    /// Comparisons of two variables.
    fn pair(&mut self, [x, y]: [&Number; 2], [a, b]: [&[BigInt]; 2], case: Option<TermId>) {
        let sort = x.sort;
        let is_signed = x.is_signed && y.is_signed;
        let differences: Vec<BigInt> = a.iter().zip(b).map(|(a, b)| a - b).collect();
        let (Some(least), Some(greatest)) = (differences.iter().min(), differences.iter().max())
        else {
            return;
        };
        let zero = BigInt::from(0);
        if *greatest <= zero {
            let holds = self.at_most(sort, is_signed, x.term, y.term);
            self.add(holds, case);
        }
        if *least >= zero {
            let holds = self.at_most(sort, is_signed, y.term, x.term);
            self.add(holds, case);
        }
        if *greatest < zero || *least > zero {
            let equal = self.equal(x.term, y.term);
            let differ = self.terms.simplified(Term::Unary(UnaryOp::Not, equal));
            self.add(differ, case);
        }
        if least == greatest {
            return;
        }
        if sort != Sort::Int {
            // Low bits of a difference are cheap; for integers it costs too much.
            if differences.iter().collect::<BTreeSet<_>>().len() >= MIN_DIFFERENCES {
                let minus = self.terms.simplified(Term::Binary(BinaryOp::Sub, x.term, y.term));
                self.remainder(minus, &differences, case);
            }
            return;
        }
        // Octagons; sums of words wrap around.
        let minus = self.terms.simplified(Term::Int(IntOp::Sub, x.term, y.term));
        let plus = self.terms.simplified(Term::Int(IntOp::Add, x.term, y.term));
        let sums: Vec<BigInt> = a.iter().zip(b).map(|(a, b)| a + b).collect();
        for (term, values) in [(minus, &differences), (plus, &sums)] {
            let (Some(least), Some(greatest)) = (values.iter().min(), values.iter().max()) else {
                return;
            };
            let (least, greatest) = (self.constant(sort, least), self.constant(sort, greatest));
            let above = self.at_most(sort, true, least, term);
            let below = self.at_most(sort, true, term, greatest);
            self.add(above, case);
            self.add(below, case);
        }
    }

    /// `x - k·y` of integers, between what the samples show.
    fn multiples(&mut self, states: &[&[Value]]) {
        let numbers = self.numbers.iter().filter(|number| number.sort == Sort::Int);
        let numbers: Vec<&Number> = numbers.take(MAX_MULTIPLIED).collect();
        let columns: Vec<Vec<BigInt>> = numbers.iter().map(|n| column(n, states)).collect();
        let mut factors: Vec<BigInt> = self.constants.to_vec();
        let limit = BigInt::from(MAX_MULTIPLE);
        factors.retain(|k| *k > BigInt::from(1) && *k <= limit);
        // Large ones are more often bounds of loops.
        for k in factors.into_iter().rev().take(MAX_MULTIPLES) {
            for (i, j) in (0..numbers.len()).flat_map(|i| (0..numbers.len()).map(move |j| (i, j))) {
                let values = columns[i].iter().zip(&columns[j]).map(|(x, y)| x - &k * y);
                let values: Vec<BigInt> = values.collect();
                let (Some(least), Some(greatest)) = (values.iter().min(), values.iter().max())
                else {
                    continue;
                };
                if i == j || least == greatest {
                    continue;
                }
                let parts = [(numbers[i].term, BigInt::from(1)), (numbers[j].term, -&k)];
                let sum = self.sum(Sort::Int, &parts, &BigInt::from(0));
                let [least, greatest] = [least, greatest].map(|k| self.constant(Sort::Int, k));
                let above = self.at_most(Sort::Int, true, least, sum);
                let below = self.at_most(Sort::Int, true, sum, greatest);
                self.add(above, None);
                self.add(below, None);
            }
        }
    }

    /// Single bits that are the same in all states.
    fn bits(&mut self, states: &[&[Value]], case: Option<TermId>) {
        for (position, &symbol) in self.symbols.to_vec().iter().enumerate() {
            if self.terms.sort(symbol) != Sort::BOOL {
                continue;
            }
            let first = states[0][position].as_bv().is_true();
            if states.iter().all(|state| state[position].as_bv().is_true() == first) {
                let not = self.terms.simplified(Term::Unary(UnaryOp::Not, symbol));
                self.add(if first { symbol } else { not }, case);
            }
        }
    }
}

/// The values of a variable in all states.
fn column(of: &Number, states: &[&[Value]]) -> Vec<BigInt> {
    let value = |state: &&[Value]| match &state[of.position] {
        Value::Bv(value) => number(value, of.is_signed).expect("at most 64 bits"),
        Value::Int(value) => value.clone(),
        _ => unreachable!("a number"),
    };
    states.iter().map(value).collect()
}
