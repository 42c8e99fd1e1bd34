//! Interval simulation for obligations.
//!
//! Each bound of an obligation's unit is relaxed as far as the simulation shows that all states
//! still lead to the target: first away altogether, else by galloping and bisection. Checks (1)
//! and (2) of the paper, with its omission repaired: the constraints must hold in the whole unit,
//! too. The simulation over-approximates, so what it accepts is right.

use super::problem::Problem;
use super::relative::{State, Target};
use crate::units::Vocabulary;
use crate::units::atom::{Atom, Sum};
use crate::units::expand::gallop;
use crate::units::unit::Unit;
use crate::units::value::{Int, VarId};
use pedra_model::eval::interval::{Interval, IntervalSim};
use pedra_model::term::TermId;

/// When one obligation has cost this many evaluations of terms, its other bounds stay.
const MAX_EVALUATIONS: u64 = 200_000;

/// A simulator of everything that an obligation may lead to.
pub(super) struct Simulation {
    sim: IntervalSim,
}

impl Simulation {
    /// A simulator, if every variable is a whole state.
    pub(super) fn new(problem: &Problem) -> Option<Simulation> {
        if !problem.is_plain {
            return None;
        }
        let nexts = problem.vars.iter().map(|var| var.next);
        let bads = problem.bads.iter().copied().chain(problem.next_bads.iter().flatten().copied());
        let roots = nexts.chain(bads).chain(problem.constraints.iter().copied());
        Some(Simulation { sim: IntervalSim::new(&problem.terms, roots) })
    }

    /// What it has cost so far.
    pub(super) fn evaluations(&self) -> u64 {
        self.sim.evaluations()
    }

    /// Relaxes the bounds of a unit, as far as that is cheap. Unchanged if the simulation cannot
    /// even follow the unit as it is.
    pub(super) fn relax(
        &mut self,
        problem: &Problem,
        unit: Unit,
        found: &State,
        target: &Target,
    ) -> Unit {
        self.load(problem, &unit, found);
        if !accepts(&self.sim, problem, target) {
            return unit;
        }
        let last = self.evaluations() + MAX_EVALUATIONS;
        let mut relaxed = unit;
        for atom in relaxed.atoms().to_vec() {
            let (var, value, end, direction) = match atom {
                Atom::Lower(var, v) => (var, v, problem.var(var).min(), -1),
                Atom::Upper(var, v) => (var, v, problem.var(var).max(), 1),
                _ => continue,
            };
            if relaxed.atoms().iter().any(|a| matches!(a, Atom::Bit(v, ..) if *v == var)) {
                continue;
            }
            if self.evaluations() > last {
                break;
            }
            let other = self.range(problem, &relaxed, var);
            let accept = |value: Int| {
                let range = if direction < 0 { (value, other.1) } else { (other.0, value) };
                let interval = interval(problem, var, range);
                let term = problem.var(var).term;
                self.sim.attempt(term, interval, |sim| accepts(sim, problem, target))
            };
            let reached = gallop(value, end, direction, accept);
            relaxed = match (reached == end, direction < 0) {
                (true, _) => relaxed.without(&atom),
                (false, true) => relaxed.with(&atom, Atom::Lower(var, reached)),
                (false, false) => relaxed.with(&atom, Atom::Upper(var, reached)),
            };
        }
        relaxed
    }

    /// Gives all symbols the intervals of the unit, and inputs their values.
    fn load(&mut self, problem: &Problem, unit: &Unit, found: &State) {
        let mut values: Vec<(TermId, Interval)> = Vec::new();
        for (&input, value) in problem.inputs.iter().zip(&found.inputs) {
            values.push((input, Interval::between(value, value)));
        }
        for var in problem.var_ids() {
            let range = self.range(problem, unit, var);
            values.push((problem.var(var).term, interval(problem, var, range)));
        }
        self.sim.set_all(values);
    }

    /// The least and the greatest value of a variable that bounds and bits allow.
    fn range(&self, problem: &Problem, unit: &Unit, var: VarId) -> (Int, Int) {
        let info = problem.var(var);
        let (low, high) = unit.bounds(var);
        let (mut low, mut high) = (low.unwrap_or(info.min()), high.unwrap_or(info.max()));
        let (mut least, mut greatest) = (info.min(), info.max());
        for atom in unit.atoms() {
            if let Atom::Bit(v, bit, value) = *atom
                && v == var
            {
                // The sign bit counts the other way round.
                let is_sign = info.signed && bit == info.width - 1;
                if value != is_sign {
                    least += 1 << bit;
                } else {
                    greatest -= 1 << bit;
                }
            }
        }
        (low, high) = (low.max(least), high.min(greatest));
        if low > high { (info.min(), info.max()) } else { (low, high) }
    }
}

fn interval(problem: &Problem, var: VarId, (low, high): (Int, Int)) -> Interval {
    let info = problem.var(var);
    let made = if info.signed {
        Interval::signed(&info.bv(low), &info.bv(high))
    } else {
        Interval::unsigned(&info.bv(low), &info.bv(high))
    };
    made.unwrap_or_else(|| Interval::full(info.width))
}

/// The bounds of what a variable becomes.
fn next_range(sim: &IntervalSim, problem: &Problem, var: VarId) -> (Int, Int) {
    let info = problem.var(var);
    let interval = sim.value(info.next);
    let (low, high) =
        if info.signed { interval.signed_bounds() } else { interval.unsigned_bounds() };
    (info.int(&low), info.int(&high))
}

/// Whether the whole unit satisfies the constraints and goes into the target.
fn accepts(sim: &IntervalSim, problem: &Problem, target: &Target) -> bool {
    if !problem.constraints.iter().all(|&c| sim.value(c).is_true()) {
        return false;
    }
    let unit = match target {
        Target::Bad(property) => return sim.value(problem.bads[*property]).is_true(),
        Target::Unit(unit) => unit,
    };
    let range = |sum: &Sum| sum.range(|var| next_range(sim, problem, var));
    unit.atoms().iter().all(|atom| match *atom {
        Atom::Given(position) => {
            problem.next_bads[position].is_some_and(|b| sim.value(b).is_true())
        }
        Atom::Lin(ref sum, b) => range(sum).1 <= b,
        Atom::Cong { ref sum, log, residue, holds } => {
            let (low, high) = range(sum);
            low == high && (((low - residue) & ((1 << log) - 1) == 0) == holds)
        }
        Atom::Lower(var, v) => next_range(sim, problem, var).0 >= v,
        Atom::Upper(var, v) => next_range(sim, problem, var).1 <= v,
        Atom::Bit(var, bit, value) => {
            let (low, high) = next_range(sim, problem, var);
            // All values between agree on what lies above the highest bit that differs.
            (low ^ high) >> bit == 0 && (low >> bit & 1 == 1) == value
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::value::WordVar;
    use pedra_formats::btor2;
    use pedra_model::bv::Bv;
    use pedra_testkit::random::Random;

    #[test]
    fn galloping_finds_the_edge() {
        for edge in 0..40 {
            assert_eq!(gallop(0, 100, 1, |v| v <= edge), edge);
            assert_eq!(gallop(0, -100, -1, |v| -v <= edge), -edge);
        }
        assert_eq!(gallop(3, 100, 1, |_| true), 100);
        assert_eq!(gallop(7, 7, 1, |_| false), 7);
    }

    const MODEL: &str = "
        1 sort bitvec 4
        2 sort bitvec 1
        3 input 1 in
        4 state 1 x
        5 state 1 y
        6 slt 2 4 5
        7 add 1 4 3
        8 sub 1 5 3
        9 ite 1 6 7 8
        10 and 1 4 5
        11 next 1 4 9
        12 next 1 5 10
        13 constd 1 3
        14 ugte 2 5 13
        15 constraint 14
        16 sgt 2 4 3
        17 bad 16
    ";

    /// What one state becomes, and whether it satisfies the constraint and is bad.
    fn step(problem: &Problem, point: &[Int], input: &Bv) -> (Vec<Int>, bool, bool) {
        let nexts = problem.vars.iter().map(|var| var.next);
        let roots = nexts.chain([problem.constraints[0], problem.bads[0]]);
        let mut sim = IntervalSim::new(&problem.terms, roots);
        let words = problem.vars.iter().zip(point).map(|(var, &x)| (var.term, var.bv(x)));
        let words = words.chain([(problem.inputs[0], input.clone())]);
        sim.set_all(words.map(|(id, value)| (id, Interval::between(&value, &value))));
        let next = problem
            .vars
            .iter()
            .map(|var| var.int(&sim.value(var.next).as_point().expect("a point becomes a point")));
        let next = next.collect();
        (next, sim.value(problem.constraints[0]).is_true(), sim.value(problem.bads[0]).is_true())
    }

    #[test]
    fn all_states_of_a_relaxed_unit_lead_to_the_target() {
        let system = btor2::read(MODEL.as_bytes()).expect("a model");
        let mut problem = Problem::new(&system, &[0]).expect("words");
        let mut random = Random::new(5);
        let (mut relaxed, mut tried) = (0, 0);
        for _ in 0..400 {
            problem.vars.iter_mut().for_each(|var| var.signed = random.one_in(2));
            let mut value = |var: &WordVar| var.int(&Bv::from_u64(4, random.word() & 15));
            let point: Vec<Int> = problem.vars.iter().map(&mut value).collect();
            let input = Bv::from_u64(4, random.word() & 15);
            let (next, is_allowed, is_bad) = step(&problem, &point, &input);
            if !is_allowed {
                continue;
            }
            // A box around the next state, or the bad itself.
            let target = if is_bad && random.one_in(2) {
                Target::Bad(0)
            } else {
                let around = problem.var_ids().zip(&next).flat_map(|(var, &x)| {
                    let (down, up) = (random.between(0, 4) as Int, random.between(0, 4) as Int);
                    [Atom::Lower(var, x - down), Atom::Upper(var, x + up)]
                });
                Target::Unit(Unit::new(around.collect()))
            };
            let box_of = problem.var_ids().zip(&point);
            let atoms = box_of.flat_map(|(var, &x)| [Atom::Lower(var, x), Atom::Upper(var, x)]);
            let before = Unit::new(atoms.collect());
            let found = State { point, inputs: vec![input.clone()] };
            let mut simulation = Simulation::new(&problem).expect("whole states");
            let after = simulation.relax(&problem, before.clone(), &found, &target);
            relaxed += (after != before) as usize;
            assert!(after.contains(&found.point));
            let range = |var: usize| problem.vars[var].min()..=problem.vars[var].max();
            for state in range(0).flat_map(|x| range(1).map(move |y| vec![x, y])) {
                if !after.contains(&state) {
                    continue;
                }
                let (next, is_allowed, is_bad) = step(&problem, &state, &input);
                let leads_on = match &target {
                    Target::Bad(_) => is_bad,
                    Target::Unit(unit) => unit.contains(&next),
                };
                assert!(is_allowed && leads_on, "{after:?} {state:?} {target:?}");
                tried += 1;
            }
        }
        assert!(relaxed > 100 && tried > 1000, "{relaxed} {tried}");
    }
}
