//! Interval rules against the operators' reference semantics: all intervals of small widths,
//! samples of larger ones.

use crate::random::Random;
use pedra_model::bv::Bv;
use pedra_model::eval::interval::{self, Interval};
use pedra_model::eval::ops;
use pedra_model::term::{BinaryOp, Sort, Term, TermId, Terms, UnaryOp};

/// What a check has found.
#[derive(Debug, Default)]
pub struct IntervalReport {
    /// How many times a rule was applied.
    pub checked: u64,
    /// Where a result does not hold a value that occurs.
    pub unsound: Vec<String>,
    /// Rules that do not always give the least interval, with how often they did not.
    pub loose: Vec<(String, u64)>,
}

/// A set of vectors of at most 8 bits, by their unsigned values.
#[derive(Copy, Clone, PartialEq, Eq, Default)]
struct Set([u64; 4]);

impl Set {
    fn insert(&mut self, value: &Bv) {
        let value = value.to_u64().expect("at most 8 bits") as usize;
        self.0[value / 64] |= 1 << (value % 64);
    }

    fn union(&mut self, other: &Set) {
        for (mine, other) in self.0.iter_mut().zip(other.0) {
            *mine |= other;
        }
    }

    fn values(&self, width: u32) -> impl Iterator<Item = Bv> + '_ {
        (0..1u64 << width)
            .filter(|&v| self.0[v as usize / 64] >> (v % 64) & 1 == 1)
            .map(move |v| Bv::from_u64(width, v))
    }

    /// The least interval that holds it.
    fn hull(&self, width: u32) -> Interval {
        let points = self.values(width).map(Interval::from);
        points.reduce(|all, point| all.join(&point)).expect("not empty")
    }
}

/// All intervals of a width of at most 8 bits: each choice of a range, which may be empty, in
/// each half.
pub fn every_interval(width: u32) -> Vec<Interval> {
    let half = 1u64 << (width - 1);
    let ranges = |base: u64| {
        let pairs = (0..half).flat_map(move |low| (low..half).map(move |high| (low, high)));
        let interval = move |(low, high)| Interval::from_u64s(width, base + low, base + high);
        pairs.map(interval).chain([None])
    };
    let mut all = Vec::new();
    for low in ranges(0) {
        for high in ranges(half) {
            all.extend(match (&low, &high) {
                (Some(low), Some(high)) => Some(low.join(high)),
                _ => low.clone().or(high),
            });
        }
    }
    all
}

/// Compares a rule's result with the exact image.
fn judge(
    report: &mut IntervalReport,
    name: &str,
    image: &Set,
    result: &Interval,
    arguments: impl Fn() -> String,
) {
    report.checked += 1;
    let hull = image.hull(result.width());
    if *result == hull {
        return;
    }
    if !result.covers(&hull) {
        report.unsound.push(format!("{name} {}: {result:?}, not {hull:?}", arguments()));
    } else if let Some((_, count)) = report.loose.iter_mut().find(|(n, _)| n == name) {
        *count += 1;
    } else {
        report.loose.push((name.to_string(), 1));
    }
}

/// Applies every rule to all intervals of a width of at most 4 bits; of the pairs of intervals
/// only every `stride`-th is taken.
pub fn check_width(width: u32, stride: usize) -> IntervalReport {
    let mut report = IntervalReport::default();
    let all = every_interval(width);
    let values: Vec<Bv> = (0..1u64 << width).map(|v| Bv::from_u64(width, v)).collect();
    let members: Vec<Vec<usize>> = all
        .iter()
        .map(|i| (0..values.len()).filter(|&v| i.contains(&values[v])).collect())
        .collect();
    for (a, inside) in all.iter().zip(&members) {
        let mut check = |name: &str, of: &dyn Fn(&Bv) -> Bv, result: Interval| {
            let mut image = Set::default();
            inside.iter().for_each(|&v| image.insert(&of(&values[v])));
            judge(&mut report, name, &image, &result, || format!("{a:?}"));
        };
        for &op in UnaryOp::ALL {
            check(op.name(), &|v| ops::unary(op, v), interval::unary(op, a));
        }
        for (high, low) in (0..width).flat_map(|h| (0..=h).map(move |l| (h, l))) {
            check("slice", &|v| v.slice(high, low), interval::slice(a, high, low));
        }
        for (by, signed) in (0..3).flat_map(|by| [(by, false), (by, true)]) {
            let name = if signed { "sext" } else { "uext" };
            check(name, &|v| ops::extend(v, by, signed), interval::extend(a, by, signed));
        }
    }
    for &op in BinaryOp::ALL {
        if width > 1 && matches!(op, BinaryOp::Iff | BinaryOp::Implies) {
            continue;
        }
        check_binary(&mut report, op, &all, &values, &members, stride);
    }
    report
}

/// One operator on pairs of intervals. `rows[v][j]` is the image of value `v` and interval `j`.
fn check_binary(
    report: &mut IntervalReport,
    op: BinaryOp,
    all: &[Interval],
    values: &[Bv],
    members: &[Vec<usize>],
    stride: usize,
) {
    let row = |a: &Bv| -> Vec<Set> {
        let results: Vec<Bv> = values.iter().map(|b| ops::binary(op, a, b)).collect();
        let image = |inside: &Vec<usize>| {
            let mut image = Set::default();
            inside.iter().for_each(|&v| image.insert(&results[v]));
            image
        };
        members.iter().map(image).collect()
    };
    let rows: Vec<Vec<Set>> = values.iter().map(row).collect();
    for pair in (0..all.len() * all.len()).step_by(stride) {
        let (i, j) = (pair / all.len(), pair % all.len());
        let mut image = Set::default();
        members[i].iter().for_each(|&v| image.union(&rows[v][j]));
        let result = interval::binary(op, &all[i], &all[j]);
        judge(report, op.name(), &image, &result, || format!("{:?} {:?}", all[i], all[j]));
    }
}

/// A random vector; small and large values, values near powers of two, and any others.
pub fn random_bv(random: &mut Random, width: u32) -> Bv {
    let limbs = (0..width.div_ceil(64)).map(|_| random.word()).collect();
    let any = Bv::from_limbs(width, limbs);
    let near = Bv::from_i64(width, random.between(0, 8) as i64 - 4);
    match random.below(4) {
        0 => near,
        1 => Bv::one(width).shifted_left(random.below(width as usize) as u32).add(&near),
        2 => any.shifted_right(random.below(width as usize) as u32),
        _ => any,
    }
}

/// A random interval with some of its members.
fn random_interval(random: &mut Random, width: u32) -> (Interval, Vec<Bv>) {
    let seeds: Vec<Bv> = (0..random.between(1, 3)).map(|_| random_bv(random, width)).collect();
    let mut interval = Interval::from(seeds[0].clone());
    for seed in &seeds[1..] {
        interval = interval.join(&seed.clone().into());
    }
    let mut members = seeds;
    let ends = [interval.unsigned_bounds(), interval.signed_bounds()];
    members.extend(ends.iter().flat_map(|(low, high)| [low.clone(), high.clone()]));
    for (low, _) in ends {
        members.push(low.add(&random_bv(random, width)));
    }
    members.retain(|value| interval.contains(value));
    members.dedup();
    (interval, members)
}

/// Applies every rule to random intervals of one width and looks for members whose result is
/// left out, `rounds` times. Gives the number of results that were looked at, or the first one
/// that is left out.
pub fn check_random(random: &mut Random, width: u32, rounds: usize) -> Result<u64, String> {
    let mut count = 0;
    let mut check = |name: &str, result: &Interval, value: Bv, arguments: &dyn Fn() -> String| {
        count += 1;
        if result.contains(&value) {
            return Ok(());
        }
        Err(format!("{name} {}: {value:?} is not in {result:?}", arguments()))
    };
    for _ in 0..rounds {
        let ((a, in_a), (b, in_b)) =
            (random_interval(random, width), random_interval(random, width));
        for &op in BinaryOp::ALL {
            if width > 1 && matches!(op, BinaryOp::Iff | BinaryOp::Implies) {
                continue;
            }
            let result = interval::binary(op, &a, &b);
            for (x, y) in in_a.iter().flat_map(|x| in_b.iter().map(move |y| (x, y))) {
                let arguments = || format!("{a:?} {b:?} at {x:?} {y:?}");
                check(op.name(), &result, ops::binary(op, x, y), &arguments)?;
            }
        }
        let high = random.below(width as usize) as u32;
        let low = random.between(0, high as usize) as u32;
        let (by, signed) = (random.below(70) as u32, random.one_in(2));
        for x in &in_a {
            let arguments = || format!("{a:?} {high} {low} {by} at {x:?}");
            for &op in UnaryOp::ALL {
                let result = interval::unary(op, &a);
                check(op.name(), &result, ops::unary(op, x), &arguments)?;
            }
            let result = interval::slice(&a, high, low);
            check("slice", &result, x.slice(high, low), &arguments)?;
            let result = interval::extend(&a, by, signed);
            check("extend", &result, ops::extend(x, by, signed), &arguments)?;
        }
    }
    Ok(count)
}

/// Random bit-vector terms of up to 4 bits over some symbols: the store, the symbols, and a
/// few of the terms.
pub fn random_terms(
    random: &mut Random,
    symbols: usize,
    count: usize,
) -> (Terms, Vec<TermId>, Vec<TermId>) {
    let mut terms = Terms::new();
    let symbols: Vec<TermId> =
        (0..symbols).map(|_| terms.new_symbol(Sort::Bv(random.between(1, 4) as u32))).collect();
    let mut pool = symbols.clone();
    while pool.len() < count {
        let [a, b, c] = [0; 3].map(|_| random.pick(&pool));
        let term = match random.below(6) {
            0 => Term::Unary(random.pick(UnaryOp::ALL), a),
            1 => Term::Ite(a, b, c),
            2 => Term::Slice { arg: a, high: terms.width(a) - 1, low: 0 },
            _ => Term::Binary(random.pick(BinaryOp::ALL), a, b),
        };
        if let Ok(id) = terms.add(term)
            && terms.width(id) <= 4
        {
            pool.push(id);
        }
    }
    let roots = (0..4).map(|_| random.pick(&pool)).collect();
    (terms, symbols, roots)
}
