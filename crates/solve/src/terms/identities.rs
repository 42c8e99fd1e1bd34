//! Equations between words that follow from others, by polynomial arithmetic.
//!
//! `y = x²` gives `y + 2·x + 1 = (x + 1)²`. To a SAT solver that is a question about multipliers;
//! to algebra it is a division: with `h = y − x²` and `g = y + 2·x + 1 − (x + 1)²`, `g = 1·h`. In
//! general an equation `g = 0` follows from equations `hᵢ = 0` if there are polynomials with
//!
//! `g = Σ qᵢ·hᵢ` modulo `2^w`,
//!
//! and an [`Identity`] is such a combination. It is found by dividing `g` by the `hᵢ` in turn
//! (D. Cox, J. Little, D. O'Shea: *Ideals, Varieties, and Algorithms*, chapter 2). No Gröbner basis
//! is computed, so some that exist are not found. Instead equations that define a variable
//! (`x = p`, where `p` has no `x`) are used first, as substitutions: invariants of programs mostly
//! say what variables are in terms of a counter.
//!
//! A *choice* `ite(c, s, t)` is read as `s` or `t`, whichever the condition says, and the
//! condition becomes a premise. A quotient and a remainder of the same words are related by
//! `a = b·(a / b) + a mod b`, which always holds modulo `2^w`.
//!
//! What is found here is a claim about polynomials that others can check: `certify` multiplies it
//! out by itself.

use pedra_model::polynomial::{MAX_WIDTH, Monomial, Polynomial, Reader};
use pedra_model::term::{BinaryOp, Sort, Term, TermId, Terms};
use rustc_hash::{FxHashMap, FxHashSet};

/// Equations beyond this number are not used. Tuning only, as the next.
const MAX_SOURCES: usize = 100;
/// How many times a polynomial is divided.
const MAX_STEPS: usize = 400;

/// `goal = Σ qᵢ·hᵢ`, where the equations `hᵢ = 0` hold and choices are read as the conditions say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identity {
    /// The width of all words.
    pub width: u32,
    /// The equation (or disequation) whose sides are equal if the premises hold. Without it, the
    /// sum is a number that is not 0: the premises contradict each other.
    pub goal: Option<TermId>,
    /// Equations (or disequations) whose sides are equal, each with its factor.
    pub equations: Vec<(TermId, Polynomial)>,
    /// Quotients and remainders of the same words, `a − b·(a / b) − a mod b`, with their factor.
    pub divisions: Vec<((TermId, TermId), Polynomial)>,
    /// Conditions of choices, true or false.
    pub choices: Vec<(TermId, bool)>,
    /// What follows: one of these terms is true, or false.
    pub clause: Vec<(TermId, bool)>,
}

#[derive(Clone, Debug)]
struct Choice {
    condition: TermId,
    sides: [Polynomial; 2],
}

/// An equation or disequation between words.
#[derive(Clone, Debug)]
struct Atom {
    term: TermId,
    is_equation: bool,
    difference: Polynomial,
}

/// What is known of the terms of some formulas, to find identities between them.
#[derive(Clone, Debug, Default)]
pub struct Identities {
    is_seen: Vec<bool>,
    reader: Reader,
    atoms: Vec<Atom>,
    choices: FxHashMap<TermId, Choice>,
    /// Quotient and remainder by signedness and operands, as far as they are there.
    halves: FxHashMap<(bool, TermId, TermId), [Option<TermId>; 2]>,
    /// `a − b·q − r` for quotients and remainders.
    divisions: Vec<((TermId, TermId), Polynomial)>,
}

impl Identities {
    /// Looks at a formula and all below it. Gives the terms whose truth [`find`](Identities::find)
    /// asks for and that are new.
    pub fn note(&mut self, terms: &Terms, root: TermId) -> Vec<TermId> {
        self.is_seen.resize(terms.len(), false);
        let (mut stack, mut new) = (vec![root], Vec::new());
        while let Some(term) = stack.pop() {
            if std::mem::replace(&mut self.is_seen[term.index()], true) {
                continue;
            }
            stack.extend(terms.get(term).args());
            if let Some((difference, is_equation)) = self.reader.equation(terms, term) {
                self.atoms.push(Atom { term, is_equation, difference });
                new.push(term);
            }
            match *terms.get(term) {
                Term::Ite(condition, yes, no) => {
                    if let Sort::Bv(width @ 2..=MAX_WIDTH) = terms.sort(term) {
                        let sides = [yes, no].map(|side| self.reader.read(terms, side, width));
                        self.choices.insert(term, Choice { condition, sides });
                        new.push(condition);
                    }
                }
                Term::Binary(op, a, b) => self.note_division(terms, term, op, (a, b)),
                _ => {}
            }
        }
        new
    }

    /// Once quotient and remainder of the same words are there, `a = b·q + r`.
    fn note_division(&mut self, terms: &Terms, term: TermId, op: BinaryOp, of: (TermId, TermId)) {
        let (is_signed, which) = match op {
            BinaryOp::Udiv => (false, 0),
            BinaryOp::Sdiv => (true, 0),
            BinaryOp::Urem => (false, 1),
            BinaryOp::Srem => (true, 1),
            _ => return,
        };
        let Sort::Bv(width @ 2..=MAX_WIDTH) = terms.sort(term) else { return };
        let both = self.halves.entry((is_signed, of.0, of.1)).or_default();
        both[which] = Some(term);
        let [Some(quotient), Some(remainder)] = *both else { return };
        let [a, b] = [of.0, of.1].map(|operand| self.reader.read(terms, operand, width));
        let Some(product) = b.times(&Polynomial::variable(width, quotient)) else { return };
        let rest = a.plus(&product, u64::MAX);
        let difference = rest.plus(&Polynomial::variable(width, remainder), u64::MAX);
        self.divisions.push(((quotient, remainder), difference));
    }

    /// Identities that refute an assignment: the premises of each hold in it, the goal does not.
    /// `value` tells which formulas hold; those without a value are left alone.
    pub fn find(&self, value: impl Fn(TermId) -> Option<bool>) -> Vec<Identity> {
        let mut found = Vec::new();
        let widths: FxHashSet<u32> = self.atoms.iter().map(|a| a.difference.width()).collect();
        let mut widths: Vec<u32> = widths.into_iter().collect();
        widths.sort_unstable();
        for width in widths {
            let (mut sources, mut goals) = (Vec::new(), Vec::new());
            for atom in self.atoms.iter().filter(|atom| atom.difference.width() == width) {
                let Some(holds) = value(atom.term) else { continue };
                let Some(read) = self.resolve(&atom.difference, &value) else { continue };
                match holds == atom.is_equation {
                    true => sources.push((Premise::Equation(atom.term, holds), read)),
                    false => goals.push(((atom.term, !holds), read)),
                }
            }
            if !goals.is_empty() || sources.len() > 1 {
                let divisions = self.divisions.iter().filter(|(_, d)| d.width() == width);
                sources.extend(divisions.filter_map(|&((q, r), ref difference)| {
                    Some((Premise::Division(q, r), self.resolve(difference, &value)?))
                }));
                found.extend(identities(width, sources, goals));
            }
        }
        found
    }

    /// With choices read as their conditions say.
    fn resolve(
        &self,
        polynomial: &Polynomial,
        value: &impl Fn(TermId) -> Option<bool>,
    ) -> Option<Resolved> {
        let (mut read, mut choices) = (polynomial.clone(), Vec::new());
        for _ in 0..MAX_STEPS {
            let mut variables = read.parts().iter().flat_map(|(m, _)| m.variables());
            let next = variables.find_map(|&variable| {
                let choice = self.choices.get(&variable)?;
                let is_whole = choice.sides[0].width() == read.width();
                Some((variable, choice, value(choice.condition).filter(|_| is_whole)?))
            });
            let Some((variable, choice, holds)) = next else {
                return Some(Resolved { read, choices });
            };
            read = read.substitute(variable, &choice.sides[usize::from(!holds)])?;
            if !choices.contains(&(choice.condition, holds)) {
                choices.push((choice.condition, holds));
            }
        }
        None
    }
}

#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum Premise {
    /// The term, and whether it is true.
    Equation(TermId, bool),
    Division(TermId, TermId),
}

/// A polynomial without choices, and the conditions that made it so.
#[derive(Clone, Debug)]
struct Resolved {
    read: Polynomial,
    choices: Vec<(TermId, bool)>,
}

/// Factors of sources, by their number.
type Combination = FxHashMap<usize, Polynomial>;

/// A polynomial that is 0 if the sources are, and the monomial that it is used to replace.
struct Rule {
    lead: Monomial,
    factor: u64,
    polynomial: Polynomial,
    made_of: Combination,
}

fn identities(
    width: u32,
    mut sources: Vec<(Premise, Resolved)>,
    goals: Vec<((TermId, bool), Resolved)>,
) -> Vec<Identity> {
    // Definitions first: they are substitutions. Then short ones.
    sources.sort_by_key(|(_, s)| (defined(&s.read).is_none(), s.read.parts().len()));
    sources.truncate(MAX_SOURCES);
    let mut found = Vec::new();
    let identity = |goal: Option<((TermId, bool), &Resolved)>, combination: Combination| {
        let mut identity = Identity {
            width,
            goal: goal.map(|((term, _), _)| term),
            equations: Vec::new(),
            divisions: Vec::new(),
            choices: goal.map(|(_, read)| read.choices.clone()).unwrap_or_default(),
            clause: goal.map(|(wanted, _)| wanted).into_iter().collect(),
        };
        let mut parts: Vec<(usize, Polynomial)> = combination.into_iter().collect();
        parts.sort_by_key(|(source, _)| *source);
        for (source, factor) in parts.into_iter().filter(|(_, factor)| !factor.is_zero()) {
            let (premise, read) = &sources[source];
            match *premise {
                Premise::Equation(term, holds) => {
                    identity.equations.push((term, factor));
                    identity.clause.push((term, !holds));
                }
                Premise::Division(q, r) => identity.divisions.push(((q, r), factor)),
            }
            identity.choices.extend(&read.choices);
        }
        identity.choices.sort_unstable();
        identity.choices.dedup();
        identity.clause.extend(identity.choices.iter().map(|&(term, holds)| (term, !holds)));
        identity
    };
    let mut rules: Vec<Rule> = Vec::new();
    for (number, (_, source)) in sources.iter().enumerate() {
        let Some((rest, mut made_of)) = divide(&source.read, &rules) else { continue };
        // rest = source − Σ: what was subtracted counts the other way round.
        made_of.values_mut().for_each(|p| *p = Polynomial::number(width, 0).plus(p, u64::MAX));
        made_of.insert(number, Polynomial::number(width, 1));
        match rest.as_number() {
            Some(0) => {}
            Some(_) => found.push(identity(None, made_of)),
            None => {
                let (lead, factor) = lead(&rest);
                rules.push(Rule { lead, factor, polynomial: rest, made_of });
            }
        }
    }
    for (term, goal) in &goals {
        if let Some((rest, combination)) = divide(&goal.read, &rules)
            && rest.is_zero()
        {
            found.push(identity(Some((*term, goal)), combination));
        }
    }
    found
}

/// A variable that the equation `p = 0` defines: it stands alone with an odd factor, and nowhere
/// else. Of several the youngest.
fn defined(p: &Polynomial) -> Option<TermId> {
    let alone = p.parts().iter().filter(|(m, a)| m.variables().len() == 1 && a % 2 == 1);
    alone.map(|(m, _)| m.variables()[0]).rev().find(|variable| {
        let with = p.parts().iter().filter(|(m, _)| m.variables().contains(variable));
        with.count() == 1
    })
}

/// The monomial of a rule: the variable that it defines, or the greatest one.
fn lead(p: &Polynomial) -> (Monomial, u64) {
    let defined = defined(p);
    let is_lead = |(m, _): &&(Monomial, u64)| defined.is_some_and(|v| m.variables() == [v]);
    let part = p.parts().iter().find(is_lead).or(p.parts().last());
    part.cloned().expect("it is no number")
}

/// `p = rest + Σ factor·source`, where no rule applies to the rest. `None` if it gets too large.
fn divide(p: &Polynomial, rules: &[Rule]) -> Option<(Polynomial, Combination)> {
    let (mut rest, mut combination) = (p.clone(), Combination::default());
    for _ in 0..MAX_STEPS {
        let step = rest.parts().iter().rev().find_map(|(monomial, factor)| {
            rules.iter().find_map(|rule| {
                let by = monomial.divided(&rule.lead)?;
                let times = quotient(*factor, rule.factor)?;
                Some((Polynomial::monomial(p.width(), by, times), rule))
            })
        });
        let Some((times, rule)) = step else { return Some((rest, combination)) };
        rest = rest.plus(&times.times(&rule.polynomial)?, u64::MAX);
        for (&source, factor) in &rule.made_of {
            let zero = || Polynomial::number(p.width(), 0);
            let sum = combination.entry(source).or_insert_with(zero);
            *sum = sum.plus(&times.times(factor)?, 1);
        }
    }
    None
}

/// A number with `quotient · by = a`, whatever the width: `by` must not have more factors 2.
fn quotient(a: u64, by: u64) -> Option<u64> {
    let twos = by.trailing_zeros();
    if a.trailing_zeros() < twos {
        return None;
    }
    // Newton's iteration doubles the number of right bits; an odd number is its own inverse
    // modulo 8.
    let odd = by >> twos;
    let inverse =
        (0..5).fold(odd, |x: u64, _| x.wrapping_mul(2u64.wrapping_sub(odd.wrapping_mul(x))));
    Some((a >> twos).wrapping_mul(inverse))
}

#[cfg(test)]
mod tests {
    use super::*;
    use pedra_model::bv::Bv;
    use pedra_model::term::UnaryOp;

    #[test]
    fn numbers_are_divided() {
        assert_eq!(quotient(12, 4), Some(3));
        assert_eq!(quotient(2, 4), None);
        let third = quotient(1, 3).expect("odd");
        assert_eq!(third.wrapping_mul(3), 1);
    }

    /// `y = x²` at one place, `y + 2·x + 1 = (x + 1)²` at the next.
    #[test]
    fn a_square_stays_a_square() {
        let mut terms = Terms::new();
        let [x, y] = [0; 2].map(|_| terms.new_symbol(Sort::Bv(64)));
        let square = terms.binary(BinaryOp::Mul, x, x);
        let before = terms.binary(BinaryOp::Eq, y, square);
        let more = terms.unary(UnaryOp::Inc, x);
        let two = terms.constant(Bv::from_u64(64, 2));
        let twice = terms.binary(BinaryOp::Mul, two, x);
        let sum = terms.binary(BinaryOp::Add, y, twice);
        let sum = terms.unary(UnaryOp::Inc, sum);
        let next = terms.binary(BinaryOp::Mul, more, more);
        let after = terms.binary(BinaryOp::Neq, sum, next);
        let mut all = Identities::default();
        assert_eq!(all.note(&terms, before), [before]);
        assert_eq!(all.note(&terms, after), [after]);
        let found = all.find(|_| Some(true));
        let [identity] = &found[..] else { panic!("one identity") };
        assert_eq!(identity.clause, [(after, false), (before, false)]);
        // Without the premise nothing follows.
        assert!(all.find(|term| Some(term == after)).is_empty());
    }

    /// A choice is read as its condition says.
    #[test]
    fn conditions_of_choices_are_premises() {
        let mut terms = Terms::new();
        let [x, y] = [0; 2].map(|_| terms.new_symbol(Sort::Bv(8)));
        let c = terms.new_symbol(Sort::BOOL);
        let (xy, yx) = (terms.binary(BinaryOp::Mul, x, y), terms.binary(BinaryOp::Mul, y, x));
        let either = terms.ite(c, xy, y);
        let goal = terms.binary(BinaryOp::Eq, either, yx);
        let mut all = Identities::default();
        all.note(&terms, goal);
        let found = all.find(|term| Some(term == c));
        assert_eq!(found[0].clause, [(goal, true), (c, false)]);
        assert!(all.find(|_| Some(false)).is_empty());
    }
}
