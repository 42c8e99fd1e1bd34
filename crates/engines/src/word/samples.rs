//! Reachable states, by running the model: random inputs and choices, with the constants of
//! the model among them.
//!
//! They are used twice. A unit that contains a state which is reachable in `i` steps cannot be
//! excluded from `F_i`; most wrong guesses are refuted so, without a query. And what all
//! samples have in common is what `templates` proposes. Both are heuristics: the first only
//! skips queries that would fail, the second only proposes.
//!
//! Only the cone of influence is run, so the rest of a large model costs little.

use super::meter;
use super::problem::{Problem, Source};
use super::relative::{Relative, State};
use crate::trace::{Level, Stopped};
use crate::units::Points;
use crate::units::unit::Unit;
use crate::units::value::{Int, Point, mask_of};
use pedra_model::bv::Bv;
use pedra_model::eval::words::WordSimulator;
use pedra_model::random::Random;
use pedra_model::system::System;
use pedra_model::term::{Scalar, Sort};
use pedra_model::value::{ArrayValue, TernaryBv, TernaryValue};
use rustc_hash::FxHashSet;

/// More would make the check of every unit slow.
const MAX_SAMPLES: usize = 1500;

/// States that are reachable, each with a number of steps that suffices.
#[derive(Clone, Debug, Default)]
pub(super) struct Samples {
    points: Vec<(Point, usize)>,
    known: FxHashSet<Point>,
}

impl Samples {
    /// Notes a state that is reachable in this many steps.
    pub(super) fn add(&mut self, point: Point, step: usize) {
        if self.points.len() < MAX_SAMPLES && self.known.insert(point.clone()) {
            self.points.push((point, step));
        }
    }

    /// Whether the unit contains a state that belongs to `F_i`.
    pub(super) fn hits(&self, unit: &Unit, level: Level) -> bool {
        let limit = level.finite().unwrap_or(usize::MAX);
        self.points.iter().any(|(point, step)| *step <= limit && unit.contains(point))
    }

    /// A known initial state in the unit.
    pub(super) fn initial_in(&self, unit: &Unit) -> Option<Point> {
        let found = self.points.iter().find(|(point, step)| *step == 0 && unit.contains(point));
        found.map(|(point, _)| point.clone())
    }
}

impl Points for Samples {
    fn points(&self) -> impl Iterator<Item = &Point> + Clone {
        self.points.iter().map(|(point, _)| point)
    }

    fn len(&self) -> usize {
        self.points.len()
    }
}

/// Random values for words.
#[derive(Clone, Debug)]
pub(super) struct Dice(Random);

impl Dice {
    /// For a seed.
    pub(super) fn new(seed: u64) -> Dice {
        Dice(Random::new(seed))
    }

    fn bits(&mut self) -> u64 {
        self.0.word()
    }

    /// A number below `bound`.
    pub(super) fn below(&mut self, bound: usize) -> usize {
        self.0.below(bound)
    }

    /// A word: small, a constant of the model, extreme, or anything.
    pub(super) fn word(&mut self, width: u32, constants: &[u64]) -> u64 {
        let value = match self.below(8) {
            0..=2 if !constants.is_empty() => constants[self.below(constants.len())],
            3..=5 => self.bits() % 16,
            6 => self.bits() >> (self.bits() % 64),
            _ => self.bits(),
        };
        value & mask_of(width)
    }

    fn value(&mut self, sort: Sort, constants: &[u64]) -> TernaryValue {
        let mut word = |width: u32| -> TernaryBv {
            let pieces = width.div_ceil(64);
            let limbs = (0..pieces).map(|_| self.word(64, constants)).collect();
            match width {
                0..=64 => Bv::from_u64(width, self.word(width, constants)).into(),
                _ => Bv::from_limbs(width, limbs).into(),
            }
        };
        match sort {
            Sort::Bv(width) => TernaryValue::Bv(word(width)),
            Sort::Array { index: Scalar::Bv(index), element: Scalar::Bv(element) } => {
                TernaryValue::Array(ArrayValue::new(index, word(element)))
            }
            Sort::Int | Sort::Array { .. } => TernaryValue::Opaque(sort),
        }
    }
}

/// Runs the model from a state that the solver found to be initial.
pub(super) struct Runner<'a> {
    system: &'a System,
    simulator: WordSimulator<'a>,
    constants: Vec<u64>,
    /// By index of the system's states and inputs: whether it is in the cone.
    has_state: Vec<bool>,
    has_input: Vec<bool>,
    /// The work of a step.
    cost: u64,
}

impl<'a> Runner<'a> {
    /// A runner; `None` if inits are circular.
    pub(super) fn new(system: &'a System, problem: &Problem) -> Option<Runner<'a>> {
        let mut simulator = WordSimulator::new(system).ok()?;
        let mut has_state = vec![false; system.states.len()];
        problem.states.iter().for_each(|source| has_state[source.state] = true);
        let mut has_input = vec![false; system.inputs.len()];
        problem.input_of.iter().flatten().for_each(|&input| has_input[input] = true);
        let nexts = problem.states.iter().filter_map(|source| system.states[source.state].next);
        let terms = simulator.restrict(nexts.chain(system.constraints.iter().map(|c| c.term)));
        let cost = (terms + has_state.len() + has_input.len()) as u64 * meter::TERM;
        let constants = problem.constants();
        Some(Runner { system, simulator, constants, has_state, has_input, cost })
    }

    /// Adds up to `steps` states of a random path to the samples.
    pub(super) fn run(
        &mut self,
        relative: &mut Relative,
        start: &State,
        steps: usize,
        dice: &mut Dice,
    ) -> Result<(), Stopped> {
        let (mut states, mut inputs) = self.words_of(&relative.problem, start, dice);
        relative.samples.add(start.point.clone(), 0);
        for step in 0..steps {
            relative.spend(self.cost)?;
            let Relative { problem, samples, .. } = &mut *relative;
            self.simulator.load(&states, &inputs);
            let holds = |c: &pedra_model::system::NamedTerm| {
                self.simulator.value(c.term).as_bit().known() == Some(true)
            };
            // The first step has the solver's inputs; later ones may fail, and end the path.
            if !self.system.constraints.iter().all(holds) {
                return Ok(());
            }
            let next = self.system.states.iter().enumerate();
            let next: Vec<TernaryValue> = next
                .map(|(i, state)| match state.next {
                    _ if !self.has_state[i] => {
                        TernaryValue::unknown(self.system.terms.sort(state.term))
                    }
                    Some(next) => self.simulator.value(next).clone(),
                    None => {
                        let first = || problem.states.iter().find(|s| s.state == i);
                        let chosen = (step == 0).then(first).flatten().and_then(|s| s.chosen);
                        match chosen {
                            Some(input) => TernaryValue::Bv(start.inputs[input].clone().into()),
                            None => dice.value(self.system.terms.sort(state.term), &self.constants),
                        }
                    }
                })
                .collect();
            states = next;
            if !problem.states.iter().all(|source| is_known(&states[source.state])) {
                return Ok(());
            }
            samples.add(point_of(problem, &states, step + 1), step + 1);
            inputs = self.random_inputs(dice);
        }
        Ok(())
    }

    /// Random values of the inputs; those outside the cone are unknown.
    fn random_inputs(&self, dice: &mut Dice) -> Vec<TernaryValue> {
        let sorts = self.system.inputs.iter().map(|input| self.system.terms.sort(input.term));
        let value = |(sort, &known): (Sort, &bool)| match known {
            true => dice.value(sort, &self.constants),
            false => TernaryValue::unknown(sort),
        };
        sorts.zip(&self.has_input).map(value).collect()
    }

    /// The words of a found state and its inputs; what is not in the cone is unknown.
    fn words_of(
        &self,
        problem: &Problem,
        found: &State,
        dice: &mut Dice,
    ) -> (Vec<TernaryValue>, Vec<TernaryValue>) {
        let system = self.system;
        let sorts = system.states.iter().map(|state| system.terms.sort(state.term));
        let mut states: Vec<TernaryValue> = sorts.map(TernaryValue::unknown).collect();
        for source in &problem.states {
            states[source.state] =
                state_value(system, problem, source.state, &source.source, found);
        }
        let mut inputs = self.random_inputs(dice);
        for (input, value) in problem.input_of.iter().zip(&found.inputs) {
            if let Some(input) = input {
                inputs[*input] = TernaryValue::Bv(value.clone().into());
            }
        }
        (states, inputs)
    }
}

fn is_known(value: &TernaryValue) -> bool {
    match value {
        TernaryValue::Bv(word) => word.as_known().is_some(),
        TernaryValue::Array(array) => {
            array.default_element().as_known().is_some()
                && array.entries().all(|(_, word)| word.as_known().is_some())
        }
        TernaryValue::Opaque(_) => false,
    }
}

/// The value of a state at a found point.
pub(super) fn state_value(
    system: &System,
    problem: &Problem,
    state: usize,
    source: &Source,
    found: &State,
) -> TernaryValue {
    let vars = match source {
        Source::Input(input) => return TernaryValue::Bv(found.inputs[*input].clone().into()),
        Source::Vars(range) => range.clone(),
    };
    let mut bits: Vec<bool> = Vec::new();
    for var in vars {
        bits.extend(problem.vars[var].bv(found.point[var]).bits());
    }
    match system.terms.sort(system.states[state].term) {
        Sort::Bv(_) => TernaryValue::Bv(Bv::from_bits(&bits).into()),
        Sort::Array { index: Scalar::Bv(index), element: Scalar::Bv(element) } => {
            let mut array = ArrayValue::new(index, TernaryBv::from(Bv::zero(element)));
            for (at, bits) in bits.chunks(element as usize).enumerate() {
                array.set(Bv::from_u64(index, at as u64), Bv::from_bits(bits).into());
            }
            TernaryValue::Array(array)
        }
        sort => TernaryValue::Opaque(sort),
    }
}

/// The point of a state given in words.
fn point_of(problem: &Problem, states: &[TernaryValue], step: usize) -> Point {
    let mut point: Vec<Int> = vec![0; problem.vars.len()];
    for source in &problem.states {
        let Source::Vars(range) = &source.source else { continue };
        let bits: Vec<bool> = match &states[source.state] {
            TernaryValue::Bv(word) => word.zero_filled().bits().collect(),
            TernaryValue::Array(array) => {
                let all = 0..1u64 << array.index_width();
                let at = |i| array.get(&Bv::from_u64(array.index_width(), i)).zero_filled().clone();
                all.flat_map(|i| at(i).bits().collect::<Vec<bool>>()).collect()
            }
            TernaryValue::Opaque(_) => continue,
        };
        let mut rest = &bits[..];
        for var in range.clone() {
            let (piece, more) = rest.split_at(problem.vars[var].width as usize);
            point[var] = problem.vars[var].int(&Bv::from_bits(piece));
            rest = more;
        }
    }
    if let Some((first, _)) = problem.first {
        point[first.index()] = (step == 0) as Int;
    }
    point
}
