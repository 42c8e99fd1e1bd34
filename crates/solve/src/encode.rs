//! Circuits as clauses: one copy of an [`Aig`] for one time step, grown on demand.
//!
//! A [`FrameEncoder`] maps nodes of the circuit to literals of a solver. An unrolling has one a
//! step: the leaf of a latch at step *t + 1* is given the literal of the latch's next function
//! at step *t*, and no clause is spent on the link. Only what the asked-for roots depend on is
//! encoded, and each node at most once.
//!
//! Two things keep the clauses few. Constants (a reset value at step 0) and equal leaves are
//! folded as they come up. And the shape that multiplexers and exclusive ors have in an AIG,
//! `¬(c ∧ q) ∧ ¬(¬c ∧ s)`, becomes one gate with 6 (or 4) clauses and one variable, in place of
//! three gates with 9 clauses and three variables.

use crate::gate;
use crate::interrupt::Interrupt;
use crate::sat::SatSolver;
use pedra_model::aig::{Aig, Node};
use pedra_model::lit::{Lit, Var};

/// The interrupt is looked at every few nodes.
const LOOK_EVERY: u32 = 1 << 14;

/// The literals of one time step.
///
/// All calls on one encoder must be with the same solver and the same circuit, which may grow.
#[derive(Clone, Debug, Default)]
pub struct FrameEncoder {
    lits: PagedMap,
    /// Nodes that wait for their inputs; empty between calls.
    stack: Vec<Var>,
}

/// A gate as it will be encoded, over literals of the circuit.
enum Shape {
    And([Lit; 2]),
    /// Condition, then, else. An exclusive or is the case `then = ¬else`.
    Ite([Lit; 3]),
}

impl FrameEncoder {
    /// An encoder that has encoded nothing.
    pub fn new() -> FrameEncoder {
        FrameEncoder::default()
    }

    /// Lets a leaf stand for a literal of the solver, which may be a constant.
    ///
    /// Leaves that have no literal when they are first needed get a new variable.
    ///
    /// # Panics
    /// If the leaf already stands for another literal: clauses may rest on that one.
    pub fn set_leaf(&mut self, leaf: Var, lit: Lit) {
        let former = self.lits.get(leaf);
        assert!(former.is_none_or(|former| former == lit), "{leaf:?} already has a literal");
        self.lits.set(leaf, lit);
    }

    /// The solver's literal for a literal of the circuit, if it has been encoded (or folded).
    #[inline]
    pub fn get(&self, lit: Lit) -> Option<Lit> {
        self.lits.get(lit.var()).map(|mapped| mapped ^ lit.is_negated())
    }

    /// The value of a circuit's literal in the solver's model; `None` if the literal is not
    /// encoded here or the model does not care.
    pub fn value(&self, solver: &(impl SatSolver + ?Sized), lit: Lit) -> Option<bool> {
        solver.value(self.get(lit)?)
    }

    /// The solver's literal for `root`, encoding what it depends on and is not yet there.
    pub fn encode(&mut self, aig: &Aig, solver: &mut (impl SatSolver + ?Sized), root: Lit) -> Lit {
        self.encode_unless(aig, solver, root, || false).expect("nothing stops it")
    }

    /// The same, or `None` if the interrupt is raised meanwhile. What is encoded until then
    /// stays, so asking again goes on from there.
    pub fn encode_until(
        &mut self,
        aig: &Aig,
        solver: &mut (impl SatSolver + ?Sized),
        root: Lit,
        interrupt: &Interrupt,
    ) -> Option<Lit> {
        self.encode_unless(aig, solver, root, || interrupt.poll())
    }

    fn encode_unless(
        &mut self,
        aig: &Aig,
        solver: &mut (impl SatSolver + ?Sized),
        root: Lit,
        is_stopped: impl Fn() -> bool,
    ) -> Option<Lit> {
        self.stack.push(root.var());
        let mut turns = 0u32;
        while let Some(&var) = self.stack.last() {
            turns = turns.wrapping_add(1);
            if turns.is_multiple_of(LOOK_EVERY) && is_stopped() {
                self.stack.clear();
                return None;
            }
            if self.lits.get(var).is_none() {
                let encoded = match aig.node(var) {
                    Node::Const => Some(Lit::FALSE),
                    Node::Leaf => Some(solver.new_var().lit()),
                    Node::And(a, b) => self.encode_gate(aig, solver, a, b),
                };
                match encoded {
                    Some(lit) => self.lits.set(var, lit),
                    // Its inputs now lie above it; look at it again when they are done.
                    None => continue,
                }
            }
            self.stack.pop();
        }
        let encoded = self.get(root);
        debug_assert!(encoded.is_some(), "the loop ends when the root is encoded");
        encoded
    }

    /// [`encode`](FrameEncoder::encode) for several roots.
    pub fn encode_all(
        &mut self,
        aig: &Aig,
        solver: &mut (impl SatSolver + ?Sized),
        roots: impl IntoIterator<Item = Lit>,
    ) -> Vec<Lit> {
        roots.into_iter().map(|root| self.encode(aig, solver, root)).collect()
    }

    /// The leaves that have no literal yet and that `roots` depend on, ascending.
    ///
    /// An unrolling asks this before it encodes, gives literals from the step before to the
    /// latches among them, and so unrolls no more than the cone of influence of its question.
    pub fn missing_leaves(&self, aig: &Aig, roots: impl IntoIterator<Item = Lit>) -> Vec<Var> {
        let mut seen = PagedMap::default();
        let mut leaves = Vec::new();
        let mut stack: Vec<Var> = roots.into_iter().map(Lit::var).collect();
        while let Some(var) = stack.pop() {
            if self.lits.get(var).is_some() || seen.get(var).is_some() {
                continue;
            }
            seen.set(var, Lit::TRUE);
            match aig.node(var) {
                Node::Const => {}
                Node::Leaf => leaves.push(var),
                Node::And(a, b) => self.shape(aig, a, b).inputs(|lit| stack.push(lit.var())),
            }
        }
        leaves.sort_unstable();
        leaves
    }

    /// The literal of the gate `a ∧ b`; if inputs are missing, `None`, and they are stacked.
    fn encode_gate(
        &mut self,
        aig: &Aig,
        solver: &mut (impl SatSolver + ?Sized),
        a: Lit,
        b: Lit,
    ) -> Option<Lit> {
        // A false input decides, whatever the other one is.
        if self.get(a) == Some(Lit::FALSE) || self.get(b) == Some(Lit::FALSE) {
            return Some(Lit::FALSE);
        }
        let shape = self.shape(aig, a, b);
        let before = self.stack.len();
        shape.inputs(|lit| {
            if self.lits.get(lit.var()).is_none() {
                self.stack.push(lit.var());
            }
        });
        if self.stack.len() > before {
            return None;
        }
        let of = |lit| self.get(lit).expect("no input is missing");
        Some(match shape {
            Shape::And([a, b]) => gate::and(solver, of(a), of(b)),
            Shape::Ite([c, t, e]) => gate::ite(solver, of(c), of(t), of(e)),
        })
    }

    /// How to encode `a ∧ b`. A heuristic: every choice is right.
    ///
    /// `¬(c ∧ q) ∧ ¬(¬c ∧ s)` is `if c then ¬q else ¬s`. If the inner gates are there already,
    /// then a third AND is cheaper.
    fn shape(&self, aig: &Aig, a: Lit, b: Lit) -> Shape {
        let plain = Shape::And([a, b]);
        if !a.is_negated() || !b.is_negated() {
            return plain;
        }
        let (Node::And(p, q), Node::And(r, s)) = (aig.node(a.var()), aig.node(b.var())) else {
            return plain;
        };
        if self.get(a).is_some() && self.get(b).is_some() {
            return plain;
        }
        for (c, t) in [(p, q), (q, p)] {
            for (d, e) in [(r, s), (s, r)] {
                if c == !d {
                    return Shape::Ite([c, !t, !e]);
                }
            }
        }
        plain
    }
}

impl Shape {
    fn inputs(&self, visit: impl FnMut(Lit)) {
        match self {
            Shape::And(inputs) => inputs.iter().copied().for_each(visit),
            Shape::Ite(inputs) => inputs.iter().copied().for_each(visit),
        }
    }
}

/// A map from variables to literals that takes memory only near the variables in use.
///
/// An unrolling has one map a step, and cones are often a small part of the circuit. A page
/// holds [`PAGE`] neighbours; a cone's nodes tend to be neighbours, as they were built together.
#[derive(Clone, Debug, Default)]
struct PagedMap {
    /// For each page its place in `pages`, or [`PagedMap::NONE`]; ends at the last page in use.
    table: Vec<u32>,
    pages: Vec<[u32; PAGE]>,
}

const PAGE: usize = 64;

impl PagedMap {
    /// No page, and no literal: codes of literals are smaller, see `Var::MAX_INDEX`.
    const NONE: u32 = u32::MAX;

    #[inline]
    fn get(&self, var: Var) -> Option<Lit> {
        let page = *self.table.get(var.index() / PAGE)?;
        let code = self.pages.get(page as usize)?[var.index() % PAGE];
        (code != Self::NONE).then(|| Lit::from_code(code))
    }

    fn set(&mut self, var: Var, lit: Lit) {
        let number = var.index() / PAGE;
        if number >= self.table.len() {
            self.table.resize(number + 1, Self::NONE);
        }
        if self.table[number] == Self::NONE {
            self.table[number] = self.pages.len() as u32;
            self.pages.push([Self::NONE; PAGE]);
        }
        self.pages[self.table[number] as usize][var.index() % PAGE] = lit.code();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Batsat;

    #[test]
    fn memory_follows_the_cone() {
        let mut aig = Aig::new();
        let leaves: Vec<Lit> = (0..10_000).map(|_| aig.push_leaf().lit()).collect();
        for pair in leaves.windows(2) {
            aig.push_and(pair[0], pair[1]);
        }
        let mut encoder = FrameEncoder::new();
        let mut solver = Batsat::new();
        encoder.encode(&aig, &mut solver, Var::new(aig.len() - 1).lit());
        assert_eq!(solver.num_vars(), 4, "the constant, two leaves and a gate");
        assert!(encoder.lits.pages.len() <= 3);
    }

    #[test]
    #[should_panic(expected = "already has a literal")]
    fn a_leaf_keeps_its_literal() {
        let mut encoder = FrameEncoder::new();
        encoder.set_leaf(Var::new(1), Lit::TRUE);
        encoder.set_leaf(Var::new(1), Lit::FALSE);
    }
}
