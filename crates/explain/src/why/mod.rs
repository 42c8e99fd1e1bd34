//! Why a value has its value: the nearest signals that determine it, in its own step and the step
//! before.
//!
//! The walk goes from a value towards its causes and stops at signals. A value that does not
//! matter explains nothing. Where one of several values is enough, the first with the shallowest
//! logic is taken: what is given is one reason, not the only one.

mod bits;
mod words;

use bits::BitWhy;
use pedra_model::bits::BitSystem;
use pedra_model::lit::Lit;
use pedra_model::system::System;
use pedra_model::term::TermId;
use pedra_model::trace::{BitTrace, WordTrace};
use std::cell::Cell;
use words::WordWhy;

/// How many values are kept: one for each node of the model and each step. Larger models have no
/// reasons.
const MAX_VALUES: usize = 100_000_000;

/// A signal, by position, at a step.
#[derive(Copy, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct At {
    /// The signal.
    pub signal: usize,
    /// The step.
    pub step: usize,
}

/// Finds reasons for the values of a trace.
pub struct Why<'a> {
    level: Level<'a>,
    work: Cell<u64>,
}

enum Level<'a> {
    Bits(BitWhy<'a>),
    Words(WordWhy<'a>),
}

impl<'a> Why<'a> {
    /// Of a trace in bits. A signal is a list of literals; reasons never lead to those of which
    /// `is_end` is false. `None` if the model is too large, or the trace is none of it.
    pub fn of_bits(
        system: &'a BitSystem,
        trace: &BitTrace,
        signals: Vec<Vec<Lit>>,
        is_end: &[bool],
    ) -> Option<Why<'a>> {
        if system.aig.len().saturating_mul(trace.inputs.len()) > MAX_VALUES {
            return None;
        }
        BitWhy::new(system, trace, signals, is_end).map(|why| Why::new(Level::Bits(why)))
    }

    /// The same, in words. A signal is a term.
    pub fn of_words(
        system: &'a System,
        trace: &WordTrace,
        signals: Vec<TermId>,
        is_end: &[bool],
    ) -> Option<Why<'a>> {
        // A value of a word is some ten times as large as one of a bit.
        if system.terms.len().saturating_mul(trace.inputs.len()) > MAX_VALUES / 10 {
            return None;
        }
        WordWhy::new(system, trace, signals, is_end).map(|why| Why::new(Level::Words(why)))
    }

    /// What a value depends on, in order; nothing if it comes from outside or is fixed, or is no
    /// signal of the model, such as the one that shows the loop of a lasso.
    pub fn causes(&self, at: At) -> Vec<At> {
        let count = match &self.level {
            Level::Bits(why) => why.signals.len(),
            Level::Words(why) => why.signals.len(),
        };
        if at.signal >= count {
            return Vec::new();
        }
        let (causes, visited) = match &self.level {
            Level::Bits(why) => why.causes(at),
            Level::Words(why) => why.causes(at),
        };
        self.work.set(self.work.get() + visited as u64);
        causes
    }

    /// How many values were looked at so far.
    pub fn work(&self) -> u64 {
        self.work.get()
    }

    fn new(level: Level<'a>) -> Why<'a> {
        Why { level, work: Cell::new(0) }
    }
}
