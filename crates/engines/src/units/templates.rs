//! Proposes atoms that might exclude a state permanently.
//!
//! The paper finds half-spaces by geometry alone ([`super::reshape`]). Polytopes and mixed units
//! also look at the model and at reachable samples:
//! - the sums that its comparisons compare;
//! - octagons: `±x ± y` of each two variables;
//! - relations `a·x = b` that all samples satisfy, modulo the width so that wrapping does not
//!   matter, for two and three variables;
//! - the edges of the convex hull of the samples, for each two variables;
//! - congruences modulo powers of two, single bits, bounds.
//!
//! Only atoms that hold in the state and in no sample are proposed, each as far out as the
//! samples allow, then as it is at the state. All of this is heuristic: what is proposed is
//! checked.

use super::atom::{Atom, Sum};
use super::linear::{MAX_COEFFICIENT, hull_normals, reduced, relation};
use super::value::{Int, Point, VarId, WordVar};
use super::{Points, Vocabulary};
use pedra_model::affine::gcd;
use pedra_model::term::{BinaryOp, Term, TermId, Terms, UnaryOp};
use rustc_hash::{FxHashMap, FxHashSet};

/// For more variables than this, pairs are left to the model's comparisons.
const MAX_PAIRED: usize = 12;
/// For more variables than this, relations of three are left out.
const MAX_TRIPLED: usize = 8;
/// Sums beyond this number are left out.
const MAX_SUMS: usize = 400;

/// What is known to be worth a try.
#[derive(Clone, Debug, Default)]
pub(crate) struct Templates {
    /// Directions, each in both signs.
    sums: Vec<Sum>,
    /// Congruences that all samples satisfy, denied: of sums that are constant on them, and of
    /// single variables.
    congruences: Vec<Atom>,
    /// How many samples this rests on.
    samples: usize,
    mined: Option<Vec<Sum>>,
    /// The least and the greatest value of each sum, as far as samples were looked at.
    sum_ranges: Vec<Range>,
    /// The same of each variable.
    var_ranges: Vec<Range>,
    /// For each variable the bits that were 1 in a sample, and those that were 0.
    seen_bits: Vec<[Int; 2]>,
    /// Atoms that hold at no sample, each as far out as the samples allow; best first.
    boldest: Vec<Atom>,
    /// How many samples these four rest on.
    ranged: usize,
}

/// The least and the greatest of some values; the least is the larger one if there are none.
type Range = (Int, Int);

const NOTHING: Range = (Int::MAX, Int::MIN);

impl Templates {
    /// Looks at the samples again if there are more of them. Whether it did. `mine` gives the sums
    /// that the model compares.
    pub(crate) fn refresh(
        &mut self,
        words: &impl Vocabulary,
        samples: &impl Points,
        mine: impl FnOnce() -> Vec<Sum>,
    ) -> bool {
        if self.mined.is_some() && samples.len() < self.samples + self.samples / 4 + 1 {
            return false;
        }
        self.samples = samples.len();
        let mined = self.mined.get_or_insert_with(mine).clone();
        let numbers: Vec<VarId> = words
            .var_ids()
            .filter(|&v| words.var(v).width > 1 || words.vars().len() <= MAX_TRIPLED)
            .collect();
        let mut sums = mined;
        self.congruences.clear();
        if numbers.len() <= MAX_PAIRED {
            for (i, &x) in numbers.iter().enumerate() {
                for &y in &numbers[..i] {
                    self.pair(words, samples, [y, x], &mut sums);
                }
            }
        }
        if numbers.len() <= MAX_TRIPLED {
            for (i, &x) in numbers.iter().enumerate() {
                for (j, &y) in numbers[..i].iter().enumerate() {
                    for &z in &numbers[..j] {
                        self.relate(words, samples, &[z, y, x], &mut sums);
                    }
                }
            }
        }
        self.congruences.extend(congruences(words, samples));
        let mut seen = FxHashSet::default();
        sums.retain(|sum| seen.insert(sum.clone()) && seen.insert(sum.negated()));
        sums.truncate(MAX_SUMS);
        sums.sort_by_key(Sum::weight);
        self.sum_ranges = vec![NOTHING; sums.len()];
        self.var_ranges = vec![NOTHING; words.vars().len()];
        self.seen_bits = vec![[0; 2]; words.vars().len()];
        (self.sums, self.ranged) = (sums, 0);
        true
    }

    /// How many directions there are.
    pub(crate) fn sums(&self) -> usize {
        self.sums.len()
    }

    /// How many values it takes to look at samples again.
    pub(crate) fn cost(&self, samples: &impl Points) -> u64 {
        (samples.len() * (self.sums.len() + self.var_ranges.len())) as u64
    }

    /// Looks at the samples that are new.
    fn see(&mut self, words: &impl Vocabulary, samples: &impl Points) {
        if self.ranged == samples.len() {
            return;
        }
        let widen = |range: &mut Range, value: Int| {
            *range = (range.0.min(value), range.1.max(value));
        };
        for point in samples.points().skip(self.ranged) {
            for (range, sum) in self.sum_ranges.iter_mut().zip(&self.sums) {
                widen(range, sum.value(point));
            }
            for (range, &value) in self.var_ranges.iter_mut().zip(point) {
                widen(range, value);
            }
            self.congruences.retain(|atom| atom.holds(point) == Some(false));
            for ([ones, zeros], &value) in self.seen_bits.iter_mut().zip(point) {
                *ones |= value;
                *zeros |= !value;
            }
        }
        self.ranged = samples.len();
        self.boldest = self.find_boldest(words);
    }

    fn find_boldest(&self, words: &impl Vocabulary) -> Vec<Atom> {
        let mut atoms = self.congruences.clone();
        for var in words.var_ids().filter(|&v| words.var(v).width > 1) {
            let (least, greatest) = self.var_ranges[var.index()];
            if (least, greatest) != NOTHING {
                let (min, max) = (words.var(var).min(), words.var(var).max());
                atoms.extend((least > min).then_some(Atom::Upper(var, least - 1)));
                atoms.extend((greatest < max).then_some(Atom::Lower(var, greatest + 1)));
            }
        }
        for (sum, &(least, greatest)) in self.sums.iter().zip(&self.sum_ranges) {
            if (least, greatest) != NOTHING {
                atoms.push(Atom::Lin(sum.clone(), least - 1));
                atoms.push(Atom::Lin(sum.negated(), -(greatest + 1)));
            }
        }
        for var in words.var_ids() {
            let info = words.var(var);
            let [ones, zeros] = self.seen_bits[var.index()];
            // Single high bits of numbers are seldom an invariant.
            for bit in 0..if info.bitwise { info.width } else { info.width.min(3) } {
                let is_unseen = |value| !WordVar::bit(if value { ones } else { zeros }, bit);
                let values = [false, true].into_iter().filter(|&value| is_unseen(value));
                atoms.extend(values.map(|value| Atom::Bit(var, bit, value)));
            }
        }
        atoms
    }

    fn pair(
        &mut self,
        words: &impl Vocabulary,
        samples: &impl Points,
        [x, y]: [VarId; 2],
        sums: &mut Vec<Sum>,
    ) {
        sums.push(Sum::new(vec![(x, 1), (y, -1)]));
        sums.push(Sum::new(vec![(x, 1), (y, 1)]));
        self.relate(words, samples, &[x, y], sums);
        let plane: Vec<(Int, Int)> =
            samples.points().map(|p| (p[x.index()], p[y.index()])).collect();
        for (a, b) in hull_normals(&plane) {
            sums.push(Sum::new(vec![(x, a), (y, b)]));
        }
    }

    fn relate(
        &mut self,
        words: &impl Vocabulary,
        samples: &impl Points,
        vars: &[VarId],
        sums: &mut Vec<Sum>,
    ) {
        let Some(sum) = relation(vars, samples.points()) else { return };
        let width = vars.iter().map(|&v| words.var(v).width).max().unwrap_or(1);
        if let Some(point) = samples.points().next() {
            let residue = sum.value(point);
            self.congruences.push(Atom::Cong {
                sum: sum.clone(),
                log: width,
                residue,
                holds: false,
            });
        }
        sums.push(sum);
    }

    /// Atoms that hold at no sample, each as far out as the samples allow; best first.
    pub(crate) fn boldest(&mut self, words: &impl Vocabulary, samples: &impl Points) -> &[Atom] {
        self.see(words, samples);
        &self.boldest
    }

    /// Those of them that hold at the point, each with what is just as far out as the point.
    pub(crate) fn propose(
        &mut self,
        words: &impl Vocabulary,
        samples: &impl Points,
        point: &Point,
    ) -> Vec<Vec<Atom>> {
        let here = self.boldest(words, samples).iter();
        let here = here.filter(|atom| atom.holds(point) == Some(true));
        let group = |atom: &Atom| {
            let cautious = match *atom {
                Atom::Upper(var, _) => Some(Atom::Upper(var, point[var.index()])),
                Atom::Lower(var, _) => Some(Atom::Lower(var, point[var.index()])),
                Atom::Lin(ref sum, _) => Some(Atom::Lin(sum.clone(), sum.value(point))),
                Atom::Given(_) | Atom::Cong { .. } | Atom::Bit(..) => None,
            };
            let cautious = cautious.filter(|cautious| cautious != atom);
            [atom.clone()].into_iter().chain(cautious).collect()
        };
        here.map(group).collect()
    }
}

/// For each variable the greatest power of two modulo which all samples are equal.
fn congruences(words: &impl Vocabulary, samples: &impl Points) -> Vec<Atom> {
    let mut found = Vec::new();
    for var in words.var_ids() {
        let mut values = samples.points().map(|p| p[var.index()]);
        let Some(first) = values.next() else { continue };
        let divisor = values.fold(0, |d, value| gcd(d, value - first));
        let log = divisor.trailing_zeros();
        if divisor != 0 && (1..words.var(var).width).contains(&log) {
            let (sum, residue) = (Sum::new(vec![(var, 1)]), first & ((1 << log) - 1));
            found.push(Atom::Cong { sum, log, residue, holds: false });
        }
    }
    found
}

/// A linear form: coefficients of variables. What is constant does not matter here.
type Form = Vec<(VarId, Int)>;

/// The sums of two to four variables that comparisons below these terms compare.
pub(crate) fn mine(
    words: &impl Vocabulary,
    terms: &Terms,
    roots: impl IntoIterator<Item = TermId>,
) -> Vec<Sum> {
    let cone = terms.cone(roots);
    let var_of: FxHashMap<TermId, VarId> =
        words.var_ids().map(|v| (words.var(v).term, v)).collect();
    let mut forms: FxHashMap<TermId, Form> = FxHashMap::default();
    let mut sums = Vec::new();
    for (id, term) in terms.iter().filter(|(id, _)| cone[id.index()]) {
        use BinaryOp::*;
        let of = |id: &TermId| forms.get(id);
        let form = match term {
            _ if var_of.contains_key(&id) => Some(vec![(var_of[&id], 1)]),
            Term::Const(_) => Some(Vec::new()),
            Term::Binary(Add, a, b) => combine(of(a), of(b), 1),
            Term::Binary(Sub, a, b) => combine(of(a), of(b), -1),
            Term::Binary(Mul, a, b) => match (small(terms, *a), small(terms, *b)) {
                (Some(factor), _) => combine(Some(&Vec::new()), of(b), factor),
                (_, Some(factor)) => combine(Some(&Vec::new()), of(a), factor),
                _ => None,
            },
            Term::Binary(Sll, a, b) => match small(terms, *b) {
                Some(by @ 0..10) => combine(Some(&Vec::new()), of(a), 1 << by),
                _ => None,
            },
            Term::Unary(UnaryOp::Inc | UnaryOp::Dec, a) => of(a).cloned(),
            Term::Unary(UnaryOp::Neg, a) => combine(Some(&Vec::new()), of(a), -1),
            Term::Extend { arg, .. } => of(arg).cloned(),
            Term::Slice { arg, low: 0, .. } => of(arg).cloned(),
            Term::Binary(Eq | Neq | Slt | Slte | Sgt | Sgte | Ult | Ulte | Ugt | Ugte, a, b) => {
                let difference = combine(of(a), of(b), -1).filter(|f| (2..=4).contains(&f.len()));
                if let Some(form) = difference {
                    let (vars, factors): (Vec<VarId>, Vec<Int>) = form.into_iter().unzip();
                    if let Some(factors) = reduced(factors) {
                        sums.push(Sum::new(vars.into_iter().zip(factors).collect()));
                    }
                }
                None
            }
            _ => None,
        };
        if let Some(form) = form.filter(|form| form.len() <= 4) {
            forms.insert(id, form);
        }
    }
    sums
}

/// A small constant.
fn small(terms: &Terms, id: TermId) -> Option<Int> {
    let Term::Const(value) = terms.get(id) else { return None };
    let (width, bits) = (value.width(), value.to_u64()? as Int);
    let signed = if value.is_negative() && width <= 64 { bits - (1 << width) } else { bits };
    [bits, signed].into_iter().find(|v| v.abs() <= MAX_COEFFICIENT)
}

/// `a + factor·b`.
fn combine(a: Option<&Form>, b: Option<&Form>, factor: Int) -> Option<Form> {
    let mut sum = a?.clone();
    for &(var, coefficient) in b? {
        let more = coefficient * factor;
        match sum.iter_mut().find(|(v, _)| *v == var) {
            Some((_, old)) => *old += more,
            None => sum.push((var, more)),
        }
    }
    sum.retain(|(_, a)| *a != 0);
    sum.iter().all(|(_, a)| a.abs() <= MAX_COEFFICIENT).then_some(sum)
}
