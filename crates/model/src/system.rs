//! Word-level transition systems: what a BTOR2 file describes.
//!
//! The semantics are those of [`crate::bits`], with words for bits: constraints hold at every
//! step of a path, its last included; a state with an `init` starts with the value that this
//! term has in the first step, one without starts with any value; a state with a `next` takes
//! its value, one without takes *any* value at every later step.

use crate::bits::Name;
use crate::term::{TermId, Terms};
use rustc_hash::FxHashMap;

/// An input: free in every step.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Input {
    /// Its symbol.
    pub term: TermId,
    /// Its name.
    pub name: Name,
}

/// A state-holding element.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct State {
    /// Its symbol: the current value.
    pub term: TermId,
    /// Its name.
    pub name: Name,
    /// Its value in the first step; any if absent. For an array state it may be a term of the
    /// element's sort wrapped as a constant array.
    pub init: Option<TermId>,
    /// Its value in the next step; any if absent.
    pub next: Option<TermId>,
}

/// A term with a name, where the model gives one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NamedTerm {
    /// The term.
    pub term: TermId,
    /// Its name.
    pub name: Name,
}

/// A justice property: a lasso must make each of its terms true infinitely often.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Justice {
    /// The terms.
    pub terms: Vec<TermId>,
    /// Its name.
    pub name: Name,
}

/// A word-level transition system.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct System {
    /// The store of all its terms.
    pub terms: Terms,
    /// The inputs.
    pub inputs: Vec<Input>,
    /// The states.
    pub states: Vec<State>,
    /// Bad terms (one bit): each is one safety property, "never true".
    pub bads: Vec<NamedTerm>,
    /// Constraints (one bit): true at every step of every path.
    pub constraints: Vec<NamedTerm>,
    /// Fairness constraints (one bit).
    pub fairness: Vec<NamedTerm>,
    /// Justice properties.
    pub justice: Vec<Justice>,
    /// Outputs: observed, without meaning for the verdict.
    pub outputs: Vec<NamedTerm>,
    /// Names of inner terms, kept for waveforms.
    pub names: Vec<(TermId, Box<str>)>,
    /// Comment lines of the file, without their marker.
    pub comments: Vec<String>,
}

impl System {
    /// An empty system.
    pub fn new() -> System {
        System::default()
    }

    /// The same system over a store of terms that extends its own.
    pub fn with_terms(&self, terms: Terms) -> System {
        System {
            terms,
            inputs: self.inputs.clone(),
            states: self.states.clone(),
            bads: self.bads.clone(),
            constraints: self.constraints.clone(),
            fairness: self.fairness.clone(),
            justice: self.justice.clone(),
            outputs: self.outputs.clone(),
            names: self.names.clone(),
            comments: self.comments.clone(),
        }
    }

    /// On which terms the roots depend, through any number of steps: one flag a term.
    pub fn influence(&self, roots: impl IntoIterator<Item = TermId>) -> Vec<bool> {
        let mut state_of = vec![None; self.terms.len()];
        for state in &self.states {
            state_of[state.term.index()] = Some(state);
        }
        let mut seen = vec![false; self.terms.len()];
        let mut stack: Vec<TermId> = roots.into_iter().collect();
        while let Some(term) = stack.pop() {
            if !std::mem::replace(&mut seen[term.index()], true) {
                stack.extend(self.terms.get(term).args());
                let state = state_of[term.index()];
                stack.extend(state.into_iter().flat_map(|s| [s.init, s.next]).flatten());
            }
        }
        seen
    }

    /// Every term that the system refers to: the roots of its logic.
    pub fn roots(&self) -> impl Iterator<Item = TermId> + '_ {
        let states = self.states.iter().flat_map(|s| [Some(s.term), s.init, s.next]);
        let named = [&self.bads, &self.constraints, &self.fairness, &self.outputs];
        states
            .flatten()
            .chain(self.inputs.iter().map(|i| i.term))
            .chain(named.into_iter().flatten().map(|n| n.term))
            .chain(self.justice.iter().flat_map(|j| j.terms.iter().copied()))
            .chain(self.names.iter().map(|(term, _)| *term))
    }

    /// Whether some term is an array.
    pub fn has_arrays(&self) -> bool {
        self.terms.iter().any(|(id, _)| self.terms.sort(id).is_array())
    }

    /// The states in an order in which each `init` only needs earlier ones, or the index of a
    /// state whose `init` depends on itself.
    pub fn init_order(&self) -> Result<Vec<u32>, u32> {
        init_order(self)
    }
}

/// Orders states by their init terms: a depth-first walk with an explicit stack.
fn init_order(system: &System) -> Result<Vec<u32>, u32> {
    let mut state_of = FxHashMap::default();
    for (i, state) in system.states.iter().enumerate() {
        state_of.insert(state.term, i as u32);
    }
    #[derive(Copy, Clone, PartialEq)]
    enum Mark {
        New,
        Open,
        Done,
    }
    let mut marks = vec![Mark::New; system.terms.len()];
    let mut order = Vec::with_capacity(system.states.len());
    let mut stack: Vec<(TermId, bool)> = Vec::new();
    for state in &system.states {
        stack.push((state.term, false));
        while let Some((term, leaving)) = stack.pop() {
            if leaving {
                marks[term.index()] = Mark::Done;
                order.extend(state_of.get(&term));
                continue;
            }
            if marks[term.index()] != Mark::New {
                continue;
            }
            marks[term.index()] = Mark::Open;
            stack.push((term, true));
            let init = state_of.get(&term).and_then(|&i| system.states[i as usize].init);
            for needed in system.terms.get(term).args().chain(init) {
                match marks[needed.index()] {
                    Mark::Done => {}
                    Mark::New => stack.push((needed, false)),
                    Mark::Open => {
                        // An open term is an ancestor: a circle, which goes through the
                        // init of the nearest state above us.
                        let mut above = stack.iter().rev().filter(|(_, leaving)| *leaving);
                        let state = above.find_map(|(t, _)| state_of.get(t));
                        return Err(*state.expect("terms alone have no circle"));
                    }
                }
            }
        }
    }
    Ok(order)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::term::{Sort, UnaryOp};

    #[test]
    fn init_terms_are_ordered() {
        let mut s = System::new();
        for _ in 0..3 {
            let term = s.terms.new_symbol(Sort::Bv(4));
            s.states.push(State { term, name: None, init: None, next: None });
        }
        let (a, c) = (s.states[0].term, s.states[2].term);
        s.states[0].init = Some(s.terms.unary(UnaryOp::Inc, c));
        s.states[2].init = Some(s.states[1].term);
        assert_eq!(s.init_order(), Ok(vec![1, 2, 0]));
        s.states[1].init = Some(s.terms.unary(UnaryOp::Not, a));
        assert!(s.init_order().is_err());
    }
}
