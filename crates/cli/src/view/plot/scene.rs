//! What a model says of the plane: which points are initial, which are bad, which were reached.

use super::Axis;
use pedra_model::bv::Bv;
use pedra_model::eval::words::WordSimulator;
use pedra_model::random::Random;
use pedra_model::system::System;
use pedra_model::term::Sort;
use pedra_model::value::{Ternary, TernaryBv, TernaryValue};

/// The plane is looked at in at most this many columns and rows.
const MAX_CELLS: i64 = 64;
/// This many random runs, each of this many steps.
const RUNS: usize = 64;
const STEPS: usize = 24;

/// What is drawn in all pictures of a run.
pub struct Scene {
    /// To the right and upwards.
    pub axes: [Axis; 2],
    /// The size of a cell, in units of each axis: a power of two. Cells begin at its multiples, so
    /// that all values of one agree in their higher bits.
    pub cell: [i64; 2],
    /// Cells, by their least corner, where an initial state may be.
    pub initial: Vec<(i64, i64)>,
    /// Cells where a bad state may be.
    pub bad: Vec<(i64, i64)>,
    /// Reached points, with the least step of a random run that reached them.
    pub reached: Vec<(usize, (i64, i64))>,
}

/// A range that holds most of the bounds that matter; those at the ends of the domain do not.
pub fn range_around((least, most): (i64, i64), mut bounds: Vec<i64>) -> (i64, i64) {
    if (most as i128 - least as i128) < MAX_CELLS as i128 {
        return (least, most);
    }
    bounds.retain(|&b| b > least.saturating_add(2) && b < most.saturating_sub(2));
    bounds.sort_unstable();
    bounds.dedup();
    // A tenth at either end may be far away.
    let aside = bounds.len() / 10;
    let (low, high) = match (bounds.get(aside), bounds.iter().rev().nth(aside)) {
        (Some(&low), Some(&high)) => (low.min(0), high.max(0)),
        _ => (-4, 4),
    };
    let margin = (high.saturating_sub(low) / 4).max(3);
    (low.saturating_sub(margin).max(least), high.saturating_add(margin).min(most))
}

impl Scene {
    /// Points that runs have reached, each with a step; nothing is known of others.
    pub fn of_points(axes: [Axis; 2], mut reached: Vec<(usize, (i64, i64))>) -> Scene {
        reached.sort_unstable_by_key(|&(step, point)| (point, step));
        reached.dedup_by_key(|&mut (_, point)| point);
        Scene { reached, ..Scene::empty(axes) }
    }

    /// Nothing is known.
    fn empty(axes: [Axis; 2]) -> Scene {
        let cell = [0, 1].map(|n: usize| {
            let (low, high) = axes[n].range;
            let span = high.saturating_sub(low).saturating_add(1) as u64;
            span.div_ceil(MAX_CELLS as u64).next_power_of_two() as i64
        });
        Scene { axes, cell, initial: Vec::new(), bad: Vec::new(), reached: Vec::new() }
    }

    /// Evaluates the model.
    pub fn new(system: &System, axes: [Axis; 2], seed: u64) -> Scene {
        let mut scene = Scene::empty(axes);
        if let Ok(mut simulator) = WordSimulator::new(system) {
            scene.look_at_cells(system, &mut simulator);
            scene.run(system, &mut simulator, seed);
        }
        scene
    }

    /// Whether every value in the range is a column or row of its own.
    pub fn is_fine(&self) -> bool {
        self.cell == [1, 1]
    }

    fn given(&self, system: &System, (x, y): (i64, i64)) -> Vec<Option<TernaryValue>> {
        let mut given = vec![None; system.states.len()];
        for ((axis, value), cell) in self.axes.iter().zip([x, y]).zip(self.cell) {
            let [value, higher] = [value, -cell].map(|bits| Bv::from_i64(axis.width, bits));
            given[axis.state] = Some(TernaryValue::Bv(TernaryBv::new(value, higher)));
        }
        given
    }

    /// What can be said of each cell as a whole, whatever the other variables are.
    fn look_at_cells(&mut self, system: &System, simulator: &mut WordSimulator<'_>) {
        let steps = |n: usize| {
            let ((low, high), cell) = (self.axes[n].range, self.cell[n]);
            (low.div_euclid(cell)..=high.div_euclid(cell)).map(move |k| k * cell)
        };
        let mut points: Vec<(i64, i64)> = Vec::new();
        for y in steps(1) {
            points.extend(steps(0).map(|x| (x, y)));
        }
        for point in points {
            let given = self.given(system, point);
            let may = |simulator: &WordSimulator<'_>| {
                system.constraints.iter().all(|c| may_be(simulator.value(c.term).as_bit(), true))
            };
            if simulator.start(&given, &[]).is_ok() && may(simulator) {
                self.initial.push(point);
            }
            let known = |(value, state): (Option<TernaryValue>, &pedra_model::system::State)| {
                let sort = system.terms.sort(state.term);
                value.unwrap_or_else(|| TernaryValue::unknown(sort))
            };
            let states: Vec<TernaryValue> =
                given.into_iter().zip(&system.states).map(known).collect();
            simulator.load(&states, &[]);
            let bad =
                |b: &pedra_model::system::NamedTerm| may_be(simulator.value(b.term).as_bit(), true);
            if may(simulator) && system.bads.iter().any(bad) {
                self.bad.push(point);
            }
        }
    }

    /// Random runs. Free words are small, or within the ranges that are shown.
    fn run(&mut self, system: &System, simulator: &mut WordSimulator<'_>, seed: u64) {
        let mut random = Random::new(seed);
        for _ in 0..RUNS {
            for step in 0..STEPS {
                let states: Vec<_> = system
                    .states
                    .iter()
                    .enumerate()
                    .map(|(n, s)| {
                        let is_free = s.next.is_none() || (step == 0 && s.init.is_none());
                        is_free.then(|| self.word(&mut random, n, system.terms.sort(s.term)))
                    })
                    .collect();
                let inputs: Vec<TernaryValue> = system
                    .inputs
                    .iter()
                    .map(|i| self.word(&mut random, usize::MAX, system.terms.sort(i.term)))
                    .collect();
                let result = match step {
                    0 => simulator.start(&states, &inputs),
                    _ => simulator.step(&states, &inputs),
                };
                let holds = |c: &pedra_model::system::NamedTerm| {
                    simulator.value(c.term).as_bit() == Ternary::True
                };
                if result.is_err() || !system.constraints.iter().all(holds) {
                    break;
                }
                self.note(system, simulator, step);
            }
        }
        self.reached.sort_unstable_by_key(|&(step, point)| (point, step));
        self.reached.dedup_by_key(|&mut (_, point)| point);
    }

    fn word(&self, random: &mut Random, state: usize, sort: Sort) -> TernaryValue {
        let Sort::Bv(width) = sort else { return TernaryValue::unknown(sort) };
        let axis = self.axes.iter().find(|axis| axis.state == state);
        let (low, high) = axis.map_or((-8, 16), |axis| axis.range);
        let span = high.saturating_sub(low).saturating_add(1).max(1) as u64;
        let value = low.saturating_add((random.word() % span) as i64);
        TernaryValue::Bv(Bv::from_i64(width, value).into())
    }

    fn note(&mut self, system: &System, simulator: &WordSimulator<'_>, step: usize) {
        let value = |axis: &Axis| {
            let term = system.states[axis.state].term;
            axis.number(simulator.value(term).as_bv().as_known()?)
        };
        if let (Some(x), Some(y)) = (value(&self.axes[0]), value(&self.axes[1])) {
            self.reached.push((step, (x, y)));
        }
    }
}

fn may_be(bit: Ternary, value: bool) -> bool {
    bit.known().is_none_or(|known| known == value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bad_value_within_a_cell_is_seen() {
        let text = "1 sort bitvec 10\n2 sort bitvec 1\n3 state 1 x\n4 state 1 y\n5 next 1 3 3\n\
                    6 next 1 4 4\n7 constd 1 43\n8 eq 2 3 7\n9 bad 8\n10 init 1 3 7\n";
        let system = pedra_formats::btor2::read(text.as_bytes()).expect("well-formed");
        let axis = |state, range| {
            let name = String::new();
            Axis { name, state, width: 10, signed: false, range }
        };
        let scene = Scene::new(&system, [axis(0, (1, 1000)), axis(1, (0, 3))], 0);
        assert_eq!(scene.cell, [16, 1]);
        let cells: Vec<(i64, i64)> = (0..4).map(|y| (32, y)).collect();
        assert_eq!(scene.bad, cells);
        assert_eq!(scene.initial, cells);
    }

    #[test]
    fn ranges_hold_what_matters() {
        assert_eq!(range_around((-8, 7), vec![]), (-8, 7));
        assert_eq!(range_around((-128, 127), vec![-128, 127, 3, 5]), (-3, 8));
        assert_eq!(range_around((i64::MIN, i64::MAX), vec![]), (-7, 7));
        let (low, high) = range_around((i64::MIN, i64::MAX), vec![i64::MIN + 9, i64::MAX - 9]);
        assert!(low < high);
        let mut many: Vec<i64> = (0..40).collect();
        many.push(1 << 30);
        assert_eq!(range_around((-(1 << 31), 1 << 31), many).1, 36 + 9);
    }
}
