//! Reasons for values of word-level traces. A word is explained as a whole.

use super::At;
use pedra_model::eval::words::WordSimulator;
use pedra_model::system::System;
use pedra_model::term::{BinaryOp, Term, TermId};
use pedra_model::trace::WordTrace;
use pedra_model::value::{Ternary, TernaryBv, TernaryValue};
use rustc_hash::{FxHashMap, FxHashSet};

pub(super) struct WordWhy<'a> {
    system: &'a System,
    pub(super) signals: Vec<TermId>,
    signal_of: FxHashMap<TermId, usize>,
    state_of: FxHashMap<TermId, usize>,
    /// By step and term.
    values: Vec<Vec<TernaryValue>>,
    depth: Vec<u32>,
}

/// Values that wait to be explained.
type Open = Vec<(TermId, usize)>;

impl<'a> WordWhy<'a> {
    pub(super) fn new(
        system: &'a System,
        trace: &WordTrace,
        signals: Vec<TermId>,
        is_end: &[bool],
    ) -> Option<WordWhy<'a>> {
        let mut simulator = WordSimulator::new(system).ok()?;
        let mut values = Vec::with_capacity(trace.inputs.len());
        for (step, inputs) in trace.inputs.iter().enumerate() {
            let states = &trace.states[step];
            match step {
                0 => simulator.start(states, inputs).ok()?,
                _ => simulator.step(states, inputs).ok()?,
            }
            let all = system.terms.iter().map(|(id, _)| simulator.value(id).clone());
            values.push(all.collect());
        }
        let mut depth: Vec<u32> = Vec::with_capacity(system.terms.len());
        for (_, term) in system.terms.iter() {
            depth.push(term.args().map(|arg| depth[arg.index()] + 1).max().unwrap_or(0));
        }
        let mut signal_of = FxHashMap::default();
        for (index, &term) in signals.iter().enumerate().filter(|(index, _)| is_end[*index]) {
            signal_of.entry(term).or_insert(index);
        }
        let state_of = system.states.iter().enumerate().map(|(i, s)| (s.term, i)).collect();
        Some(WordWhy { system, signals, signal_of, state_of, values, depth })
    }

    fn value(&self, term: TermId, step: usize) -> &TernaryValue {
        &self.values[step][term.index()]
    }

    /// The value of a word; arrays have none.
    fn word(&self, term: TermId, step: usize) -> Option<&TernaryBv> {
        match self.value(term, step) {
            TernaryValue::Bv(value) => Some(value),
            _ => None,
        }
    }

    fn is_all(&self, term: TermId, step: usize, bit: bool) -> bool {
        let known = self.word(term, step).and_then(TernaryBv::as_known);
        known.is_some_and(|value| if bit { value.is_ones() } else { value.is_zero() })
    }

    /// The causes, and how many values were looked at.
    pub(super) fn causes(&self, at: At) -> (Vec<At>, usize) {
        let root = self.signals[at.signal];
        let mut found: Vec<At> = Vec::new();
        let mut seen: FxHashSet<(TermId, usize)> = FxHashSet::default();
        let mut open: Open = vec![(root, at.step)];
        while let Some((term, step)) = open.pop() {
            let is_unknown = |value: &TernaryBv| value.bits().all(|bit| bit == Ternary::Unknown);
            if !seen.insert((term, step)) || self.word(term, step).is_some_and(is_unknown) {
                continue;
            }
            let is_root = (term, step) == (root, at.step);
            if let (false, Some(&signal)) = (is_root, self.signal_of.get(&term)) {
                let cause = At { signal, step };
                if !found.contains(&cause) {
                    found.push(cause);
                }
                continue;
            }
            self.behind(term, step, &mut open);
        }
        (found, seen.len())
    }

    /// Adds what a value follows from.
    fn behind(&self, term: TermId, step: usize, open: &mut Open) {
        if let Some(&state) = self.state_of.get(&term) {
            let state = &self.system.states[state];
            match step.checked_sub(1) {
                Some(before) => open.extend(state.next.map(|next| (next, before))),
                None => open.extend(state.init.map(|init| (init, 0))),
            }
            return;
        }
        let one = |a: TermId, b: TermId, bit: bool| {
            let enough = [a, b].into_iter().filter(|&arg| self.is_all(arg, step, bit));
            enough.min_by_key(|arg| self.depth[arg.index()])
        };
        let one = match *self.system.terms.get(term) {
            Term::Ite(condition, then, other) => {
                match self.word(condition, step).map(|value| value.bit(0)) {
                    Some(Ternary::True) => open.extend([(then, step), (condition, step)]),
                    Some(Ternary::False) => open.extend([(other, step), (condition, step)]),
                    // Both branches agree.
                    _ => open.extend([(other, step), (then, step)]),
                }
                return;
            }
            Term::Read(array, at) => return self.read(array, at, step, open),
            Term::Binary(BinaryOp::And | BinaryOp::Nand | BinaryOp::Mul, a, b) => one(a, b, false),
            Term::Binary(BinaryOp::Or | BinaryOp::Nor, a, b) => one(a, b, true),
            Term::Binary(BinaryOp::Implies, a, _) if self.is_all(a, step, false) => Some(a),
            Term::Binary(BinaryOp::Implies, _, b) if self.is_all(b, step, true) => Some(b),
            _ => None,
        };
        match one {
            Some(one) => open.push((one, step)),
            None => {
                let args = self.system.terms.get(term).args().rev();
                open.extend(args.map(|arg| (arg, step)));
            }
        }
    }

    /// An element of an array: back to where it was written.
    fn read(&self, mut array: TermId, at: TermId, mut step: usize, open: &mut Open) {
        open.push((at, step));
        let Some(index) = self.word(at, step).and_then(TernaryBv::as_known) else {
            return open.push((array, step));
        };
        loop {
            match *self.system.terms.get(array) {
                Term::Write(inner, place, value) => {
                    open.push((place, step));
                    match self.word(place, step).and_then(TernaryBv::as_known) {
                        Some(known) if known == index => return open.push((value, step)),
                        Some(_) => array = inner,
                        None => return open.extend([(value, step), (inner, step)]),
                    }
                }
                Term::Ite(condition, then, other) => {
                    open.push((condition, step));
                    match self.word(condition, step).map(|value| value.bit(0)) {
                        Some(Ternary::True) => array = then,
                        Some(Ternary::False) => array = other,
                        _ => return open.extend([(then, step), (other, step)]),
                    }
                }
                Term::Symbol(_) => {
                    let state = self.state_of.get(&array).map(|&s| &self.system.states[s]);
                    match (
                        state.and_then(|s| s.next),
                        step.checked_sub(1),
                        state.and_then(|s| s.init),
                    ) {
                        (Some(next), Some(before), _) => (array, step) = (next, before),
                        (_, None, Some(init)) => array = init,
                        _ => return,
                    }
                }
                Term::ConstArray { value, .. } => return open.push((value, step)),
                _ => return open.push((array, step)),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::why::Why;
    use pedra_model::bv::Bv;
    use pedra_model::system::{Input, State};
    use pedra_model::term::{Scalar, Sort};

    /// A memory that `data` is written to at address 2, and `shown` reads from there a step later:
    /// what is read is explained by what was written, not by the whole memory.
    #[test]
    fn what_is_read_was_written() {
        let mut system = System::new();
        let terms = &mut system.terms;
        let (word, memory) = (Sort::Bv(4), Scalar::Bv(4));
        let array = Sort::Array { index: memory, element: memory };
        let (data, other) = (terms.new_symbol(word), terms.new_symbol(word));
        let state = terms.new_symbol(array);
        let two = terms.constant(Bv::from_u64(4, 2));
        let three = terms.constant(Bv::from_u64(4, 3));
        let add = |terms: &mut pedra_model::term::Terms, term| terms.add(term).expect("sorts fit");
        let first = add(terms, Term::Write(state, two, data));
        let next = add(terms, Term::Write(first, three, other));
        let shown = add(terms, Term::Read(state, two));
        let name = |text: &str| Some(text.into());
        system.inputs = vec![
            Input { term: data, name: name("data") },
            Input { term: other, name: name("other") },
        ];
        let init = None;
        system.states = vec![State { term: state, name: None, init, next: Some(next) }];
        system.names = vec![(shown, "shown".into())];
        let value = |n| TernaryValue::Bv(Bv::from_u64(4, n).into());
        let trace = WordTrace {
            loop_start: None,
            property: 0,
            states: vec![vec![None], vec![None]],
            inputs: vec![vec![value(7), value(9)], vec![value(0), value(0)]],
        };
        let signals = vec![data, other, shown];
        let why = Why::of_words(&system, &trace, signals, &[true; 3]).expect("small");
        assert_eq!(why.causes(At { signal: 2, step: 1 }), [At { signal: 0, step: 0 }]);
        assert_eq!(why.causes(At { signal: 2, step: 0 }), []);
        assert_eq!(why.causes(At { signal: 0, step: 0 }), []);
    }
}
