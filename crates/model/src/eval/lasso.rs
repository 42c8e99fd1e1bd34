//! Lassos: where a path closes a loop, and loops that close on the whole state.
//!
//! Values that a path leaves open are taken as 0 here, so that every state is known.

use super::bits::BitSimulator;
use super::words::WordSimulator;
use crate::bits::{BitSystem, Reset};
use crate::lit::Lit;
use crate::system::System;
use crate::trace::{BitTrace, Trace, WordTrace};
use crate::value::{Ternary, TernaryValue};
use rustc_hash::FxHashMap;

/// How many steps a lasso may have after its loop was repeated; a counter of 16 bits fits. Longer
/// ones help nobody, and take memory.
const MAX_STEPS: usize = 100_000;

/// A run that can be walked: the state at each step, as far as it must recur.
trait Walk {
    type State: Eq;

    /// Goes to the step whose values are those of step `like` of the path; `false` if the path is
    /// none.
    fn enter(&mut self, is_first: bool, like: usize) -> bool;

    fn state(&self) -> Self::State;
}

/// The path with the shortest loop-closing prefix: its first two states that are equal on `kept`
/// latches with every signal true in between. `None` if there are none.
///
/// The path may go on for a step after the loop is closed; what follows is cut off.
pub fn find_lasso(
    system: &BitSystem,
    signals: &[Lit],
    kept: &[usize],
    path: &BitTrace,
) -> Option<BitTrace> {
    let path = filled(system, path);
    let mut walk = BitWalk::new(system, &path, kept)?;
    let mut first: FxHashMap<Vec<Ternary>, usize> = FxHashMap::default();
    // For each signal the last step at which it was true.
    let mut last: Vec<Option<usize>> = vec![None; signals.len()];
    for step in 0..path.inputs.len() {
        if !walk.enter(step == 0, step) {
            return None;
        }
        // The longest loop that ends here has seen most.
        let start = *first.entry(walk.state()).or_insert(step);
        if start < step && last.iter().all(|seen| seen.is_some_and(|seen| seen >= start)) {
            let BitTrace { property, initial, mut inputs, .. } = path.clone();
            inputs.truncate(step);
            return Some(BitTrace { property, initial, inputs, loop_start: Some(start) });
        }
        for (&signal, last) in signals.iter().zip(&mut last) {
            if walk.simulator.value(signal) == Ternary::True {
                *last = Some(step);
            }
        }
    }
    None
}

/// The lasso with its loop repeated until the whole state recurs; as it is, if that takes too
/// many steps.
pub fn close_loop_of_bits(system: &BitSystem, lasso: &BitTrace) -> BitTrace {
    let all: Vec<usize> = (0..system.latches.len()).collect();
    close_loop_on(system, lasso, &all).unwrap_or_else(|| filled(system, lasso))
}

/// The lasso with its loop repeated until the `kept` latches recur; `None` if there is no loop, or
/// if that takes too many steps.
pub fn close_loop_on(system: &BitSystem, lasso: &BitTrace, kept: &[usize]) -> Option<BitTrace> {
    let path = filled(system, lasso);
    let start = lasso.loop_start?;
    let rounds = find_rounds(|| BitWalk::new(system, &path, kept), start, path.inputs.len())?;
    Some(BitTrace {
        inputs: repeated(&path.inputs, start, &rounds),
        loop_start: Some(rounds.loop_start(start, path.inputs.len())),
        ..path
    })
}

/// As [`close_loop_of_bits`]. States without next are inputs: they need not recur.
pub fn close_loop_of_words(system: &System, lasso: &WordTrace) -> WordTrace {
    let Trace::Words(mut path) = Trace::from(lasso.clone()).zero_filled() else {
        unreachable!("a trace keeps its level");
    };
    let Some(start) = lasso.loop_start else { return path };
    give_first_values(system, &mut path);
    let rounds = find_rounds(|| WordWalk::new(system, &path), start, path.inputs.len());
    match rounds {
        None => path,
        Some(rounds) => {
            let mut states = repeated(&path.states, start, &rounds);
            // A value that is given for step 0 may follow when the loop comes back to it.
            for given in states.iter_mut().skip(1) {
                for (value, state) in given.iter_mut().zip(&system.states) {
                    if state.next.is_some() {
                        *value = None;
                    }
                }
            }
            WordTrace {
                states,
                inputs: repeated(&path.inputs, start, &rounds),
                loop_start: Some(rounds.loop_start(start, path.inputs.len())),
                ..path
            }
        }
    }
}

/// A state with init but without next has a value at step 0 that follows. When a loop comes back
/// there it does not, and must be given.
fn give_first_values(system: &System, path: &mut WordTrace) {
    let Some((first, inputs)) = path.states.first_mut().zip(path.inputs.first()) else { return };
    let Ok(mut simulator) = WordSimulator::new(system) else { return };
    if simulator.start(first, inputs).is_ok() {
        for (given, state) in first.iter_mut().zip(&system.states) {
            if state.next.is_none() {
                *given = Some(simulator.value(state.term).clone());
            }
        }
    }
}

/// How often a loop is gone through: `before` times before the first state that recurs, `within`
/// times until it does.
struct Rounds {
    before: usize,
    within: usize,
}

impl Rounds {
    fn loop_start(&self, start: usize, steps: usize) -> usize {
        start + self.before * (steps - start)
    }
}

/// How often the steps from `start` on are repeated until the state at the start of the loop
/// recurs (R. P. Brent, 1980). Two states are kept at a time, however many steps there are.
fn find_rounds<W: Walk>(
    make: impl Fn() -> Option<W>,
    start: usize,
    steps: usize,
) -> Option<Rounds> {
    if start >= steps {
        return None;
    }
    let head = |walk: &mut W, round: usize| enter_round(walk, round, start, steps);
    let limit = 1 + MAX_STEPS.saturating_sub(start) / (steps - start);
    // The period, by comparison with the last round whose number is a power of two.
    let mut walk = make()?;
    let mut kept = (0, head(&mut walk, 0)?);
    let within = (1..=limit).find_map(|round| {
        let state = head(&mut walk, round)?;
        if state == kept.1 {
            return Some(round - kept.0);
        }
        if round.is_power_of_two() {
            kept = (round, state);
        }
        None
    })?;
    // The first round whose state recurs after a period.
    let (mut behind, mut ahead) = (make()?, make()?);
    for round in 0..within {
        head(&mut ahead, round)?;
    }
    let is_equal =
        |before: &usize| head(&mut behind, *before) == head(&mut ahead, *before + within);
    let before = (0..=limit).find(is_equal)?;
    Some(Rounds { before, within })
}

/// Goes to the first step of a round, and gives the state there.
fn enter_round<W: Walk>(
    walk: &mut W,
    round: usize,
    start: usize,
    steps: usize,
) -> Option<W::State> {
    let is_path = match round {
        0 => (0..=start).all(|step| walk.enter(step == 0, step)),
        _ => (start + 1..steps).chain([start]).all(|step| walk.enter(false, step)),
    };
    is_path.then(|| walk.state())
}

/// The steps of a path whose loop is gone through so often.
fn repeated<T: Clone>(steps: &[T], start: usize, rounds: &Rounds) -> Vec<T> {
    let (stem, round) = steps.split_at(start);
    let mut all = stem.to_vec();
    for _ in 0..rounds.before + rounds.within {
        all.extend_from_slice(round);
    }
    all
}

/// The trace with 0 for every input and every free latch that is open. Other latches follow.
fn filled(system: &BitSystem, path: &BitTrace) -> BitTrace {
    let mut path = path.clone();
    let known = |value: &mut Ternary| {
        if *value == Ternary::Unknown {
            *value = Ternary::False;
        }
    };
    path.inputs.iter_mut().flatten().for_each(known);
    let free = path.initial.iter_mut().zip(&system.latches);
    free.filter(|(_, latch)| latch.reset == Reset::Free).for_each(|(value, _)| known(value));
    path
}

struct BitWalk<'a> {
    path: &'a BitTrace,
    kept: &'a [usize],
    simulator: BitSimulator<'a>,
}

impl<'a> BitWalk<'a> {
    /// `None` if resets go in a circle.
    fn new(system: &'a BitSystem, path: &'a BitTrace, kept: &'a [usize]) -> Option<BitWalk<'a>> {
        Some(BitWalk { path, kept, simulator: BitSimulator::new(system).ok()? })
    }
}

impl Walk for BitWalk<'_> {
    type State = Vec<Ternary>;

    fn enter(&mut self, is_first: bool, like: usize) -> bool {
        let inputs = &self.path.inputs[like];
        if is_first {
            return self.simulator.start(&self.path.initial, inputs).is_ok();
        }
        self.simulator.step(inputs);
        true
    }

    fn state(&self) -> Vec<Ternary> {
        let latches = self.simulator.latches();
        self.kept.iter().map(|&latch| latches[latch]).collect()
    }
}

struct WordWalk<'a> {
    system: &'a System,
    path: &'a WordTrace,
    simulator: WordSimulator<'a>,
}

impl<'a> WordWalk<'a> {
    fn new(system: &'a System, path: &'a WordTrace) -> Option<WordWalk<'a>> {
        Some(WordWalk { system, path, simulator: WordSimulator::new(system).ok()? })
    }
}

impl Walk for WordWalk<'_> {
    type State = Vec<TernaryValue>;

    fn enter(&mut self, is_first: bool, like: usize) -> bool {
        let (given, inputs) = (&self.path.states[like], &self.path.inputs[like]);
        if is_first {
            return self.simulator.start(given, inputs).is_ok();
        }
        // In later rounds the values of the first step follow.
        let open = given.iter().zip(&self.system.states);
        let open: Vec<Option<TernaryValue>> =
            open.map(|(value, state)| value.clone().filter(|_| state.next.is_none())).collect();
        self.simulator.step(&open, inputs).is_ok()
    }

    fn state(&self) -> Vec<TernaryValue> {
        let states = self.system.states.iter().filter(|state| state.next.is_some());
        states.map(|state| self.simulator.value(state.term).clone()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An input that must recur, and a counter of this many bits that nobody reads.
    fn counter(bits: usize) -> BitSystem {
        let mut s = BitSystem::new();
        let input = s.add_input();
        for _ in 0..bits {
            s.add_latch(Reset::Zero);
        }
        let mut carry = Lit::TRUE;
        for i in 0..bits {
            let bit = s.latches[i].var.lit();
            let (up, stays) = (s.aig.push_and(carry, !bit), s.aig.push_and(!carry, bit));
            s.latches[i].next = !s.aig.push_and(!up, !stays);
            carry = s.aig.push_and(carry, bit);
        }
        s.justice = vec![vec![input]];
        s
    }

    #[test]
    fn loops_are_repeated_until_the_state_recurs() {
        let lasso = |bits: usize| BitTrace {
            property: 0,
            initial: vec![Ternary::Unknown; bits],
            inputs: vec![vec![Ternary::False], vec![Ternary::True]],
            loop_start: Some(1),
        };
        let closed = |bits: usize| {
            let closed = close_loop_of_bits(&counter(bits), &lasso(bits));
            (closed.loop_start, closed.inputs.len())
        };
        assert_eq!(closed(0), (Some(1), 2));
        // The state at step 1 is that after eight more steps.
        assert_eq!(closed(3), (Some(1), 9));
        // Too many: it stays as it is.
        assert_eq!(closed(20), (Some(1), 2));
    }

    #[test]
    fn a_loop_needs_every_signal() {
        let system = counter(2);
        let path = |inputs: &[Ternary]| BitTrace {
            property: 0,
            initial: vec![Ternary::Unknown; 2],
            inputs: inputs.iter().map(|&input| vec![input]).collect(),
            loop_start: None,
        };
        let signals = [system.inputs[0].lit()];
        let (no, yes) = (Ternary::False, Ternary::True);
        let found = |inputs: &[Ternary], kept: &[usize]| {
            let lasso = find_lasso(&system, &signals, kept, &path(inputs))?;
            Some((lasso.loop_start.expect("a lasso"), lasso.inputs.len()))
        };
        assert_eq!(found(&[no, yes, no], &[]), Some((0, 2)));
        assert_eq!(found(&[no, no, no], &[]), None);
        // The low bit toggles; both have a period of four.
        assert_eq!(found(&[yes, no, no], &[0]), Some((0, 2)));
        assert_eq!(found(&[no, no, yes, no, no], &[0, 1]), Some((0, 4)));
        assert_eq!(found(&[yes, no, no, no], &[0, 1]), None);
    }
}
