//! What a proof may add to a model without changing what the model does: history, guesses that
//! are made before the run begins, and places at which arrays differ.
//!
//! A proof for all addresses `p` of a memory is a proof about the model together with a state `p`
//! that starts with any value and keeps it, and with the bad weakened to `bad ∧ p = t`: the address
//! is the one that matters when the bad becomes true. A path to the bad of the model is one to the
//! weakened bad, if `p` is the value that `t` has at its end. That is all that there is to the
//! quantifier, provided that `t` does not depend on `p`.

use crate::system::State;
use crate::term::TermId;

/// Additions to a model. Their symbols are new ones: no inputs or states of the model.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Prophecy {
    /// States that record what has been. They may read the model and each other, and no guess.
    pub history: Vec<State>,
    /// Values that are guessed at the start.
    pub guesses: Vec<Guess>,
    /// Places at which arrays differ.
    pub differences: Vec<Difference>,
}

/// A value that is guessed at the start and kept.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Guess {
    /// Its symbol.
    pub symbol: TermId,
    /// What it must be equal to where the property is violated; may not depend on guesses.
    pub target: TermId,
}

/// An index at which two arrays differ, if they do; a new one in every step.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Difference {
    /// The comparison of the arrays, by `=` or `≠`; speaks of the model alone.
    pub comparison: TermId,
    /// The symbol of the index.
    pub index: TermId,
}

impl Prophecy {
    /// Whether nothing is added.
    pub fn is_empty(&self) -> bool {
        self.history.is_empty() && self.guesses.is_empty() && self.differences.is_empty()
    }

    /// The symbols that are added.
    pub fn symbols(&self) -> impl Iterator<Item = TermId> + '_ {
        let history = self.history.iter().map(|state| state.term);
        let guesses = self.guesses.iter().map(|guess| guess.symbol);
        history.chain(guesses).chain(self.differences.iter().map(|d| d.index))
    }

    /// All terms of which it speaks, the symbols included.
    pub fn terms(&self) -> impl Iterator<Item = TermId> + '_ {
        let history = self.history.iter().flat_map(|state| [state.init, state.next]).flatten();
        let targets = self.guesses.iter().map(|guess| guess.target);
        let compared = self.differences.iter().map(|d| d.comparison);
        self.symbols().chain(history).chain(targets).chain(compared)
    }

    /// The same with other terms.
    #[must_use]
    pub fn map(&self, image: impl Fn(TermId) -> TermId) -> Prophecy {
        let state = |s: &State| State {
            term: image(s.term),
            name: s.name.clone(),
            init: s.init.map(&image),
            next: s.next.map(&image),
        };
        let guess = |g: &Guess| Guess { symbol: image(g.symbol), target: image(g.target) };
        let difference =
            |d: &Difference| Difference { comparison: image(d.comparison), index: image(d.index) };
        Prophecy {
            history: self.history.iter().map(state).collect(),
            guesses: self.guesses.iter().map(guess).collect(),
            differences: self.differences.iter().map(difference).collect(),
        }
    }

    /// Adds what another one adds.
    pub fn extend(&mut self, other: Prophecy) {
        self.history.extend(other.history);
        self.guesses.extend(other.guesses);
        self.differences.extend(other.differences);
    }
}
