//! Bit-level transition systems: what an AIGER file describes, and what bit-level engines see.
//!
//! Semantics. A state is a value for every latch. An *initial* state gives every latch its
//! reset value: 0, 1, anything, or the value of a function of inputs and other latches in that
//! same first step (such functions must not depend on each other in a circle). A *path* is a
//! sequence of states and inputs in which each latch takes the value of its next function and
//! **every constraint holds at every step, the last included**; a state in which no input
//! satisfies the constraints is a dead end. A bad literal is *violated* if some path from an
//! initial state makes it true at its last step.

use crate::aig::Aig;
use crate::lit::{Lit, Var};

/// How a latch gets its first value.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Hash)]
pub enum Reset {
    /// Starts as 0.
    Zero,
    /// Starts as 1.
    One,
    /// Starts with any value.
    Free,
    /// Starts with the value that this literal has in the first step.
    Function(Lit),
}

impl Reset {
    /// The constant value, if it is one.
    pub fn constant(self) -> Option<bool> {
        match self {
            Reset::Zero | Reset::Function(Lit::FALSE) => Some(false),
            Reset::One | Reset::Function(Lit::TRUE) => Some(true),
            _ => None,
        }
    }
}

/// A state-holding element.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Latch {
    /// The leaf that stands for its current value.
    pub var: Var,
    /// Its value in the next step.
    pub next: Lit,
    /// Its value in the first step.
    pub reset: Reset,
}

/// A name, where the model gives one.
pub type Name = Option<Box<str>>;

/// The symbols of a bit-level system; each list is empty or as long as what it names.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct BitNames {
    /// Of the inputs.
    pub inputs: Vec<Name>,
    /// Of the latches.
    pub latches: Vec<Name>,
    /// Of the outputs.
    pub outputs: Vec<Name>,
    /// Of the bad literals.
    pub bads: Vec<Name>,
    /// Of the constraints.
    pub constraints: Vec<Name>,
    /// Of the justice properties.
    pub justice: Vec<Name>,
    /// Of the fairness constraints.
    pub fairness: Vec<Name>,
}

/// A bit-level transition system.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct BitSystem {
    /// The logic; inputs and latches are its leaves.
    pub aig: Aig,
    /// The inputs, free in every step.
    pub inputs: Vec<Var>,
    /// The latches.
    pub latches: Vec<Latch>,
    /// Outputs: observed, without meaning for the verdict unless the file is of the old style.
    pub outputs: Vec<Lit>,
    /// Bad literals: each is one safety property, "never true".
    pub bads: Vec<Lit>,
    /// Constraints: true at every step of every path.
    pub constraints: Vec<Lit>,
    /// Justice properties: sets of literals, each true infinitely often.
    pub justice: Vec<Vec<Lit>>,
    /// Fairness constraints: true infinitely often on every path considered.
    pub fairness: Vec<Lit>,
    /// The symbols.
    pub names: BitNames,
    /// The comment section, line by line.
    pub comments: Vec<String>,
}

/// The name at a position of a list of names that may be empty.
pub fn name_at(names: &[Name], index: usize) -> Option<&str> {
    names.get(index).and_then(|n| n.as_deref())
}

impl BitSystem {
    /// An empty system.
    pub fn new() -> BitSystem {
        BitSystem::default()
    }

    /// Whether the file is of the old style, without bad and justice sections, so that its
    /// outputs are the bad literals.
    pub fn outputs_are_bads(&self) -> bool {
        self.bads.is_empty() && self.justice.is_empty()
    }

    /// The safety properties: the bad literals, or the outputs of an old-style file.
    pub fn properties(&self) -> &[Lit] {
        if self.outputs_are_bads() { &self.outputs } else { &self.bads }
    }

    /// The name of a safety property.
    pub fn property_name(&self, index: usize) -> Option<&str> {
        let old = self.outputs_are_bads();
        name_at(if old { &self.names.outputs } else { &self.names.bads }, index)
    }

    /// Adds an input.
    pub fn add_input(&mut self) -> Lit {
        let var = self.aig.push_leaf();
        self.inputs.push(var);
        var.lit()
    }

    /// Adds a latch that keeps its value; set `next` afterwards.
    pub fn add_latch(&mut self, reset: Reset) -> Lit {
        let var = self.aig.push_leaf();
        self.latches.push(Latch { var, next: var.lit(), reset });
        var.lit()
    }

    /// For each variable, the index of the latch that it is, if it is one.
    pub fn latch_of_var(&self) -> Vec<Option<u32>> {
        let mut map = vec![None; self.aig.len()];
        for (i, latch) in self.latches.iter().enumerate() {
            map[latch.var.index()] = Some(i as u32);
        }
        map
    }

    /// For each variable, the index of the input that it is, if it is one.
    pub fn input_of_var(&self) -> Vec<Option<u32>> {
        let mut map = vec![None; self.aig.len()];
        for (i, var) in self.inputs.iter().enumerate() {
            map[var.index()] = Some(i as u32);
        }
        map
    }

    /// The latches in an order in which each reset function only needs earlier ones, or the
    /// index of a latch on a circle of reset functions.
    pub fn reset_order(&self) -> Result<Vec<u32>, u32> {
        reset_order(self)
    }
}

/// Orders latches by their reset functions; an explicit stack, since chains can be long.
fn reset_order(system: &BitSystem) -> Result<Vec<u32>, u32> {
    use crate::aig::Node;
    #[derive(Copy, Clone, PartialEq)]
    enum Mark {
        New,
        Open,
        Done,
    }
    let latch_of = system.latch_of_var();
    let mut marks = vec![Mark::New; system.aig.len()];
    let mut order = Vec::with_capacity(system.latches.len());
    // Latches without a function come first: they need nothing.
    for (i, latch) in system.latches.iter().enumerate() {
        if !matches!(latch.reset, Reset::Function(_)) {
            marks[latch.var.index()] = Mark::Done;
            order.push(i as u32);
        }
    }
    if order.len() == system.latches.len() {
        return Ok(order);
    }
    let mut stack: Vec<(Var, bool)> = Vec::new();
    for latch in &system.latches {
        stack.push((latch.var, false));
        while let Some((var, leaving)) = stack.pop() {
            if leaving {
                marks[var.index()] = Mark::Done;
                order.extend(latch_of[var.index()]);
                continue;
            }
            if marks[var.index()] != Mark::New {
                continue;
            }
            marks[var.index()] = Mark::Open;
            stack.push((var, true));
            let children: [Option<Lit>; 2] = match system.aig.node(var) {
                Node::And(a, b) => [Some(a), Some(b)],
                _ => match latch_of[var.index()].map(|i| system.latches[i as usize].reset) {
                    Some(Reset::Function(f)) => [Some(f), None],
                    _ => [None, None],
                },
            };
            for child in children.into_iter().flatten() {
                match marks[child.var().index()] {
                    Mark::Done => {}
                    Mark::New => stack.push((child.var(), false)),
                    Mark::Open => {
                        // An open node is an ancestor: a circle, which goes through the
                        // reset of the nearest latch above us.
                        let mut above = stack.iter().rev().filter(|(_, leaving)| *leaving);
                        let latch = above.find_map(|(v, _)| latch_of[v.index()]);
                        return Err(latch.expect("gates alone have no circle"));
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

    #[test]
    fn reset_functions_are_ordered() {
        let mut s = BitSystem::new();
        let a = s.add_latch(Reset::Free);
        let b = s.add_latch(Reset::Zero);
        let c = s.add_latch(Reset::One);
        let gate = s.aig.push_and(b, c);
        s.latches[0].reset = Reset::Function(gate);
        s.latches[1].reset = Reset::Function(!c);
        let order = s.reset_order().expect("no circle");
        let position = |l| order.iter().position(|&x| x == l);
        assert!(position(2) < position(1) && position(1) < position(0));
        assert_eq!(order.len(), 3);
        // A circle: c resets to a.
        s.latches[2].reset = Reset::Function(a);
        assert!(s.reset_order().is_err());
        // A latch that resets to its own negation.
        s.latches[2].reset = Reset::Function(!c);
        assert_eq!(s.reset_order(), Err(2));
    }
}
