//! Checking that an equation between words follows from others, by multiplying out.
//!
//! An [`Identity`] of the search claims `goal = Σ qᵢ·hᵢ` modulo `2^w`. Here each equation is read
//! from its term, the factors are multiplied with what was read, and the sum is compared. Reading,
//! adding and multiplying are code of this file alone: sums as maps from sorted products to
//! factors. Only the clause that is made here of the terms is ever used, not the one that the
//! search proposed.
//!
//! *Required for soundness*: every choice that is read as one of its sides has its condition in
//! the clause, and every equation that is used is in it.

use crate::options::{CheckOptions, Effort, Stop};
use crate::prover::{Failure, Prover};
use pedra_model::blast::{BlastOptions, Blaster};
use pedra_model::lit::Lit;
use pedra_model::polynomial::{Polynomial, boundaries, is_product, spread};
use pedra_model::term::{BinaryOp, Sort, Term, TermId, Terms, UnaryOp};
use pedra_solve::terms::{Identities, Identity};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// Sums with more products are not looked at.
const MAX_PRODUCTS: usize = 4_000;
/// How deep terms are looked into.
const DEPTH: u32 = 60;
/// How often identities are looked for in one proof.
const MAX_ROUNDS: usize = 200;

/// A sum of products of terms; of each term the lowest bits count.
type Sum = BTreeMap<Vec<TermId>, u64>;

/// The clause that an identity justifies, as terms that are true or false, of which one is so;
/// `None` if the identity is wrong, or too large to be looked at.
pub(crate) fn checked_clause(terms: &Terms, identity: &Identity) -> Option<Vec<(TermId, bool)>> {
    let width = identity.width;
    if !(2..=64).contains(&width) {
        return None;
    }
    let check = Check { terms, width, choices: &identity.choices };
    let mut clause = Vec::new();
    let mut rest = Sum::new();
    if let Some(goal) = identity.goal {
        let (difference, is_equation) = check.difference(goal)?;
        rest = difference;
        clause.push((goal, is_equation));
    }
    for (term, factor) in &identity.equations {
        let (difference, is_equation) = check.difference(*term)?;
        rest = check.minus(rest, check.times(&difference, &check.factor(factor)?)?);
        clause.push((*term, !is_equation));
    }
    for ((quotient, remainder), factor) in &identity.divisions {
        let difference = check.division(*quotient, *remainder)?;
        rest = check.minus(rest, check.times(&difference, &check.factor(factor)?)?);
    }
    clause.extend(identity.choices.iter().map(|&(condition, holds)| (condition, !holds)));
    let holds = match identity.goal {
        Some(_) => rest.is_empty(),
        // The premises are 0, and a number that is not 0 is their sum.
        None => rest.len() == 1 && rest.contains_key(&Vec::new()),
    };
    holds.then_some(clause)
}

struct Check<'a> {
    terms: &'a Terms,
    width: u32,
    /// How choices are read.
    choices: &'a [(TermId, bool)],
}

impl Check<'_> {
    /// A factor that is not zero for the width.
    fn kept(&self, factor: u64) -> Option<u64> {
        let factor = if self.width == 64 { factor } else { factor % (1 << self.width) };
        (factor != 0).then_some(factor)
    }

    fn add(&self, to: &mut Sum, product: Vec<TermId>, factor: u64) {
        let sum = to.get(&product).copied().unwrap_or(0).wrapping_add(factor);
        match self.kept(sum) {
            Some(sum) => to.insert(product, sum),
            None => to.remove(&product),
        };
    }

    fn minus(&self, mut a: Sum, b: Sum) -> Sum {
        for (product, factor) in b {
            self.add(&mut a, product, factor.wrapping_neg());
        }
        a
    }

    fn times(&self, a: &Sum, b: &Sum) -> Option<Sum> {
        if a.len() * b.len() > MAX_PRODUCTS {
            return None;
        }
        let mut all = Sum::new();
        for (x, f) in a {
            for (y, g) in b {
                let mut product = x.clone();
                product.extend(y);
                product.sort_unstable();
                self.add(&mut all, product, f.wrapping_mul(*g));
            }
        }
        Some(all)
    }

    /// A factor of the identity. Its variables may be anything that is wide enough.
    fn factor(&self, factor: &Polynomial) -> Option<Sum> {
        let mut all = Sum::new();
        for (monomial, number) in factor.parts() {
            let is_wide = |term: &TermId| match self.terms.sort(*term) {
                Sort::Bv(width) => width >= self.width,
                _ => false,
            };
            if !monomial.variables().iter().all(is_wide) {
                return None;
            }
            self.add(&mut all, monomial.variables().to_vec(), *number);
        }
        Some(all)
    }

    /// `a − b`, for a term `a = b` or `a ≠ b` between words of the width, and which of the two.
    fn difference(&self, term: TermId) -> Option<(Sum, bool)> {
        let Term::Binary(op @ (BinaryOp::Eq | BinaryOp::Neq), a, b) = *self.terms.get(term) else {
            return None;
        };
        if self.terms.sort(a) != Sort::Bv(self.width) {
            return None;
        }
        Some((self.minus(self.read(a, DEPTH)?, self.read(b, DEPTH)?), op == BinaryOp::Eq))
    }

    /// `a − b·(a / b) − a mod b`, which is 0 for all words, also if `b` is.
    fn division(&self, quotient: TermId, remainder: TermId) -> Option<Sum> {
        let (a, b) = match (self.terms.get(quotient), self.terms.get(remainder)) {
            (&Term::Binary(BinaryOp::Udiv, a, b), &Term::Binary(BinaryOp::Urem, c, d))
            | (&Term::Binary(BinaryOp::Sdiv, a, b), &Term::Binary(BinaryOp::Srem, c, d))
                if (a, b) == (c, d) && self.terms.sort(a) == Sort::Bv(self.width) =>
            {
                (a, b)
            }
            _ => return None,
        };
        let product = self.times(&self.read(b, DEPTH)?, &Sum::from([(vec![quotient], 1)]))?;
        let rest = self.minus(self.read(a, DEPTH)?, product);
        Some(self.minus(rest, Sum::from([(vec![remainder], 1)])))
    }

    /// The lowest bits of a term.
    fn read(&self, term: TermId, depth: u32) -> Option<Sum> {
        let read = |arg: TermId| self.read(arg, depth.checked_sub(1)?);
        let number = |value: u64| {
            let kept = self.kept(value).map(|value| (Vec::new(), value));
            kept.into_iter().collect::<Sum>()
        };
        let negated = |sum: Sum| self.minus(Sum::new(), sum);
        let is_wide = |arg: TermId| self.terms.sort(arg).width().is_some_and(|w| w >= self.width);
        let plus = |a: Sum, b: Sum| self.minus(a, negated(b));
        match *self.terms.get(term) {
            Term::Const(ref value) => {
                let bits = (0..self.width).filter(|&bit| value.bit(bit));
                Some(number(bits.map(|bit| 1u64 << bit).sum()))
            }
            Term::Unary(UnaryOp::Inc, a) => Some(plus(read(a)?, number(1))),
            Term::Unary(UnaryOp::Dec, a) => Some(self.minus(read(a)?, number(1))),
            Term::Unary(UnaryOp::Neg, a) => Some(negated(read(a)?)),
            Term::Unary(UnaryOp::Not, a) => Some(self.minus(negated(read(a)?), number(1))),
            Term::Binary(BinaryOp::Add, a, b) => Some(plus(read(a)?, read(b)?)),
            Term::Binary(BinaryOp::Sub, a, b) => Some(self.minus(read(a)?, read(b)?)),
            Term::Binary(BinaryOp::Mul, a, b) => self.times(&read(a)?, &read(b)?),
            Term::Binary(BinaryOp::Sll, a, by) if self.terms.as_constant(by).is_some() => {
                match self.terms.as_constant(by).and_then(|by| by.to_u64()) {
                    Some(by) if by < u64::from(self.width) => {
                        self.times(&read(a)?, &number(1 << by))
                    }
                    _ => Some(Sum::new()),
                }
            }
            Term::Extend { arg, .. } | Term::Slice { arg, low: 0, .. } if is_wide(arg) => read(arg),
            Term::Ite(condition, yes, no) if self.terms.sort(term) == Sort::Bv(self.width) => {
                match self.choices.iter().find(|(known, _)| *known == condition) {
                    Some((_, true)) => read(yes),
                    Some((_, false)) => read(no),
                    None => Some(Sum::from([(vec![term], 1)])),
                }
            }
            _ => Some(Sum::from([(vec![term], 1)])),
        }
    }
}

/// Whether `facts ⟹ goal` follows without looking into products of variables: they are arbitrary
/// words, and what is known of them are the checked clauses of identities. `false` if that does
/// not show it.
pub(crate) fn prove_by_identities(
    terms: &Terms,
    (facts, goal): (&[TermId], TermId),
    blasting: &BlastOptions,
    options: &CheckOptions,
    effort: &mut Effort,
) -> Result<bool, Stop> {
    let roots: Vec<TermId> = facts.iter().copied().chain([goal]).collect();
    let cone = terms.cone(roots.iter().copied());
    if !terms.iter().any(|(id, _)| cone[id.index()] && is_product(terms, id)) {
        return Ok(false);
    }
    let terms = &mut terms.clone();
    let mut equations = Vec::new();
    for &root in &roots {
        equations.extend(boundaries(terms, root));
    }
    let roots = spread(terms, &roots);
    let (facts, goal) = (&roots[..facts.len()], roots[facts.len()]);
    let terms: &Terms = terms;
    let roots = || roots.iter().copied();
    let cone = terms.cone(roots().chain(equations.iter().copied()));
    let in_cone = || terms.iter().map(|(id, _)| id).filter(|id| cone[id.index()]);
    let mut blaster = Blaster::new(blasting);
    let is_leaf = |&id: &TermId| terms.symbol_of(id).is_some() || is_product(terms, id);
    if in_cone().filter(is_leaf).any(|id| blaster.bind_leaves(terms, id).is_err()) {
        return Ok(false);
    }
    let mut identities = Identities::default();
    let noted = roots().chain(equations);
    let asked = noted.flat_map(|root| identities.note(terms, root)).collect::<Vec<_>>();
    let mut lits: FxHashMap<TermId, Lit> = FxHashMap::default();
    for term in asked.into_iter().chain(roots()) {
        let Ok(lit) = blaster.bit(terms, term) else { return Ok(false) };
        lits.insert(term, lit);
    }
    let mut prover = Prover::new(options);
    facts.iter().for_each(|fact| prover.assume([lits[fact]]));
    for _ in 0..MAX_ROUNDS {
        let answer = prover.prove(blaster.aig(), &[lits[&goal]]);
        let assignment = match answer {
            Err(Failure::Refuted(assignment)) => assignment,
            Ok(()) => {
                effort.add(prover.effort());
                return Ok(true);
            }
            Err(Failure::Stopped(Stop::Interrupted)) => return Err(Stop::Interrupted),
            Err(Failure::Stopped(_)) => break,
        };
        let found = identities.find(|term| assignment.value(*lits.get(&term)?).known());
        let clauses = found.iter().filter_map(|identity| checked_clause(terms, identity));
        let mut is_new = false;
        for clause in clauses {
            let literal = |(term, holds): (TermId, bool)| match holds {
                true => lits[&term],
                false => !lits[&term],
            };
            prover.assume(clause.into_iter().map(literal).collect::<Vec<Lit>>());
            is_new = true;
        }
        if !is_new {
            break;
        }
    }
    effort.add(prover.effort());
    Ok(false)
}

#[cfg(test)]
mod tests {
    use super::*;
    use pedra_model::bv::Bv;
    use pedra_model::eval::ops;
    use pedra_model::value::Value;
    use pedra_testkit::random::{Random, runs};

    /// `y = x²` and `z = y·x` give `z = x³`, in 32 bits; `z = x²` does not follow.
    #[test]
    fn what_follows_is_proved_and_wrong_identities_are_refused() {
        let mut terms = Terms::new();
        let [x, y, z] = [0; 3].map(|_| terms.new_symbol(Sort::Bv(32)));
        let square = terms.binary(BinaryOp::Mul, x, x);
        let product = terms.binary(BinaryOp::Mul, y, x);
        let cube = terms.binary(BinaryOp::Mul, square, x);
        let facts = [(y, square), (z, product)].map(|(a, b)| terms.binary(BinaryOp::Eq, a, b));
        let right = terms.binary(BinaryOp::Eq, z, cube);
        let wrong = terms.binary(BinaryOp::Eq, z, square);
        let (blasting, options) = (BlastOptions::default(), CheckOptions::default());
        let mut effort = Effort::default();
        let mut prove =
            |goal| prove_by_identities(&terms, (&facts, goal), &blasting, &options, &mut effort);
        assert_eq!(prove(right), Ok(true));
        assert_eq!(prove(wrong), Ok(false));

        let mut identities = Identities::default();
        for term in facts.into_iter().chain([right]) {
            identities.note(&terms, term);
        }
        let found = identities.find(|term| Some(term != right));
        let [identity] = &found[..] else { panic!("one identity") };
        let clause = checked_clause(&terms, identity).expect("it is right");
        assert_eq!(clause.len(), 3);
        let changes: [fn(&mut Identity); 3] = [
            |identity| identity.goal = None,
            |identity| drop(identity.equations.pop()),
            |identity| {
                identity.equations[0].1 =
                    identity.equations[0].1.plus(&Polynomial::number(32, 2), 1)
            },
        ];
        for change in changes {
            let mut changed = identity.clone();
            change(&mut changed);
            assert_eq!(checked_clause(&terms, &changed), None);
        }
        let mut aimed = identity.clone();
        aimed.goal = Some(wrong);
        assert_eq!(checked_clause(&terms, &aimed), None);
    }

    /// Clauses of identities of random small words hold for all values.
    #[test]
    fn clauses_hold_for_all_values() {
        let mut random = Random::new(17);
        let mut checked = 0;
        for _ in 0..runs(400) {
            let mut terms = Terms::new();
            let symbols = [0; 3].map(|_| terms.new_symbol(Sort::Bv(2)));
            let mut words = symbols.to_vec();
            words.push(terms.constant(Bv::from_u64(2, random.below(4) as u64)));
            let mut bits = Vec::new();
            for _ in 0..9 {
                let (a, b) = (words[random.below(words.len())], words[random.below(words.len())]);
                let word = match random.below(8) {
                    0 => terms.binary(BinaryOp::Add, a, b),
                    1 => terms.binary(BinaryOp::Sub, a, b),
                    2 | 3 => terms.binary(BinaryOp::Mul, a, b),
                    4 => terms.binary(BinaryOp::Sdiv, a, b),
                    5 => terms.binary(BinaryOp::Srem, a, b),
                    6 if !bits.is_empty() => terms.ite(bits[random.below(bits.len())], a, b),
                    _ => terms.unary(UnaryOp::Not, a),
                };
                words.push(word);
                let op = if random.below(2) == 0 { BinaryOp::Eq } else { BinaryOp::Neq };
                bits.push(terms.binary(op, a, word));
            }
            let mut identities = Identities::default();
            let asked: Vec<TermId> =
                bits.iter().flat_map(|&bit| identities.note(&terms, bit)).collect();
            let truths: FxHashMap<TermId, bool> =
                asked.iter().map(|&term| (term, random.below(2) == 0)).collect();
            for identity in identities.find(|term| truths.get(&term).copied()) {
                let clause = checked_clause(&terms, &identity).expect("what is found is right");
                assert_eq!(clause, identity.clause);
                checked += 1;
                for values in 0..64u64 {
                    let of = |at: usize| Value::Bv(Bv::from_u64(2, values >> (2 * at) & 3));
                    let values: Vec<Value> = (0..3).map(of).collect();
                    let mut known: FxHashMap<TermId, Value> = FxHashMap::default();
                    for (id, term) in terms.iter() {
                        let value = ops::apply(term, |arg| &known[&arg]).unwrap_or_else(|| {
                            let at = symbols.iter().position(|&symbol| symbol == id);
                            values[at.expect("a symbol")].clone()
                        });
                        known.insert(id, value);
                    }
                    let holds = |&(term, is_true): &(TermId, bool)| {
                        known[&term].as_bv().is_true() == is_true
                    };
                    assert!(clause.iter().any(holds));
                }
            }
        }
        assert!(checked > 100, "{checked}");
    }
}
