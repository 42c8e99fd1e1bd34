//! Copies of a system's logic in one circuit: the certifier's own unrolling in time.
//!
//! A [`Frame`] is one step. The frame after another takes the literals of the next functions as
//! its latches, so a path needs no equations between its states. Frames share one builder with
//! structural hashing: logic over equal inputs exists once.

use crate::options::{Counterexample, StateValues};
use crate::prover::Assignment;
use pedra_model::aig::{Aig, AigBuilder, Node};
use pedra_model::bits::{BitSystem, Latch, Reset};
use pedra_model::lit::{Lit, Var};
use pedra_model::value::Ternary;

/// The image of a system's variables in a circuit, for one step.
pub(crate) struct Frame {
    lits: Vec<Option<Lit>>,
}

impl Frame {
    /// Copies the gates among the `wanted` variables of `aig`, with `leaf` for its leaves.
    pub(crate) fn new(
        circuit: &mut AigBuilder,
        aig: &Aig,
        wanted: &[bool],
        mut leaf: impl FnMut(&mut AigBuilder, Var) -> Lit,
    ) -> Frame {
        let mut frame = Frame { lits: Vec::with_capacity(aig.len()) };
        for var in aig.vars() {
            let lit = wanted[var.index()].then(|| match aig.node(var) {
                Node::Const => Lit::FALSE,
                Node::Leaf => leaf(circuit, var),
                Node::And(a, b) => circuit.and(frame.lit(a), frame.lit(b)),
            });
            frame.lits.push(lit);
        }
        frame
    }

    /// The image of a literal.
    ///
    /// # Panics
    /// If its variable was not wanted.
    pub(crate) fn lit(&self, lit: Lit) -> Lit {
        let image = self.lits[lit.var().index()].expect("the literal is in the copied cone");
        image ^ lit.is_negated()
    }

    /// The images of the literals.
    pub(crate) fn clause(&self, clause: &[Lit]) -> Vec<Lit> {
        clause.iter().map(|&l| self.lit(l)).collect()
    }

    /// That the latch has its reset value in this frame.
    pub(crate) fn is_reset(&self, circuit: &mut AigBuilder, latch: &Latch) -> Lit {
        let value = self.lit(latch.var.lit());
        match latch.reset {
            Reset::Zero => !value,
            Reset::One => value,
            Reset::Free => Lit::TRUE,
            Reset::Function(function) => circuit.iff(value, self.lit(function)),
        }
    }

    /// The values of latches and inputs in this frame.
    pub(crate) fn values(&self, system: &BitSystem, values: &Assignment) -> StateValues {
        let value =
            |var: Var| self.lits[var.index()].map_or(Ternary::Unknown, |image| values.value(image));
        StateValues {
            latches: system.latches.iter().map(|l| value(l.var)).collect(),
            inputs: system.inputs.iter().map(|&i| value(i)).collect(),
        }
    }
}

/// The values of several frames.
pub(crate) fn counterexample(
    system: &BitSystem,
    frames: &[Frame],
    values: &Assignment,
) -> Counterexample {
    Counterexample { steps: frames.iter().map(|f| f.values(system, values)).collect() }
}

/// The cone of influence: what the roots depend on in any number of steps, through next and
/// reset functions. Latches outside it cannot matter.
pub(crate) fn cone_of_influence(
    system: &BitSystem,
    aig: &Aig,
    roots: impl IntoIterator<Item = Lit>,
) -> Vec<bool> {
    let mut latch_of = vec![None; aig.len()];
    for latch in &system.latches {
        latch_of[latch.var.index()] = Some(latch);
    }
    let mut wanted = vec![false; aig.len()];
    let mut stack: Vec<Var> = vec![Var::CONST];
    stack.extend(roots.into_iter().map(Lit::var));
    while let Some(var) = stack.pop() {
        if std::mem::replace(&mut wanted[var.index()], true) {
            continue;
        }
        if let Node::And(a, b) = aig.node(var) {
            stack.extend([a.var(), b.var()]);
        } else if let Some(latch) = latch_of[var.index()] {
            stack.push(latch.next.var());
            if let Reset::Function(function) = latch.reset {
                stack.push(function.var());
            }
        }
    }
    wanted
}

/// Successive frames of a system whose logic may have been extended by further gates.
pub(crate) struct Unrolling<'a> {
    /// The circuit that holds all frames.
    pub(crate) circuit: AigBuilder,
    system: &'a BitSystem,
    aig: &'a Aig,
    wanted: &'a [bool],
    /// The leaf of each latch: `Some(next)`.
    next_of: Vec<Option<Lit>>,
}

impl<'a> Unrolling<'a> {
    /// An empty circuit; `aig` extends the system's own graph.
    pub(crate) fn new(system: &'a BitSystem, aig: &'a Aig, wanted: &'a [bool]) -> Unrolling<'a> {
        let mut next_of = vec![None; aig.len()];
        for latch in &system.latches {
            next_of[latch.var.index()] = Some(latch.next);
        }
        Unrolling { circuit: AigBuilder::new(), system, aig, wanted, next_of }
    }

    /// A frame in any state, with any inputs.
    pub(crate) fn any_state(&mut self) -> Frame {
        Frame::new(&mut self.circuit, self.aig, self.wanted, |c, _| c.leaf().lit())
    }

    /// The frame after `before`, with any inputs.
    pub(crate) fn after(&mut self, before: &Frame) -> Frame {
        let next_of = &self.next_of;
        Frame::new(&mut self.circuit, self.aig, self.wanted, |c, var| {
            next_of[var.index()].map_or_else(|| c.leaf().lit(), |next| before.lit(next))
        })
    }

    /// A frame in the state of `latches` that sees the inputs of `inputs`.
    pub(crate) fn mixed(&mut self, latches: &Frame, inputs: &Frame) -> Frame {
        let next_of = &self.next_of;
        Frame::new(&mut self.circuit, self.aig, self.wanted, |_, var| {
            let from = if next_of[var.index()].is_some() { latches } else { inputs };
            from.lit(var.lit())
        })
    }

    /// For each latch that matters, that it has its reset value in the frame.
    pub(crate) fn initial(&mut self, frame: &Frame) -> Vec<Lit> {
        let latches = self.system.latches.iter();
        let wanted = latches.filter(|l| self.wanted[l.var.index()]);
        wanted.map(|l| frame.is_reset(&mut self.circuit, l)).collect()
    }
}
