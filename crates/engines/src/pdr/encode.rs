//! One time step as definitions, few and wide.
//!
//! PDR's solvers see the same step in millions of queries, and spend most of their time in unit
//! propagation. It pays to look at the whole circuit first and to use fewer variables than one per
//! gate: a tree of ANDs whose inner gates have no other reader becomes one wide gate, and the shape
//! `¬(c ∧ q) ∧ ¬(¬c ∧ s)` of multiplexers and exclusive ors becomes one gate, too.

use super::solver::Stopped;
use pedra_model::aig::{Aig, Node};
use pedra_model::lit::{Lit, Var};
use pedra_solve::{Interrupt, SatSolver, gate};

/// Loops over gates or clauses poll the interrupt once in this many turns: some milliseconds, and
/// few enough looks that they hardly count in budgets of looks.
pub(super) const LOOK_EVERY: usize = 1 << 14;

/// Wider gates, and longer clauses of definitions, are not made. (Tuning only; few circuits have
/// any.)
pub(super) const MAX_WIDTH: usize = 1000;

/// What is known of a node.
#[derive(Copy, Clone, PartialEq, Eq)]
enum Role {
    /// Nothing depends on it.
    Unused,
    /// A gate that is read once, and so may become a part of its reader.
    ReadOnce,
    /// A gate with its own variable, or a leaf.
    Shared,
}

/// The encoding of the cones of some roots.
pub(super) struct StepEncoder<'a> {
    aig: &'a Aig,
    roles: Vec<Role>,
    /// The solver's literal of each node that has one.
    lits: Vec<Option<Lit>>,
}

impl<'a> StepEncoder<'a> {
    /// Prepares for these roots; no others can be asked for later.
    pub(super) fn new(aig: &'a Aig, roots: impl IntoIterator<Item = Lit>) -> StepEncoder<'a> {
        let mut roles = vec![Role::Unused; aig.len()];
        roles[Var::CONST.index()] = Role::Shared;
        for root in roots {
            roles[root.var().index()] = Role::Shared;
        }
        // Readers come before what they read.
        for var in aig.vars().rev() {
            if let (Node::And(a, b), true) = (aig.node(var), roles[var.index()] != Role::Unused) {
                for input in [a, b] {
                    let role = &mut roles[input.var().index()];
                    *role = if *role == Role::Unused { Role::ReadOnce } else { Role::Shared };
                }
            }
        }
        let mut lits = vec![None; aig.len()];
        lits[Var::CONST.index()] = Some(Lit::FALSE);
        StepEncoder { aig, roles, lits }
    }

    /// Lets a leaf stand for a literal of the solver.
    pub(super) fn set_leaf(&mut self, leaf: Var, lit: Lit) {
        self.lits[leaf.index()] = Some(lit);
    }

    /// Encodes everything, unless the interrupt is raised meanwhile. All leaves that the roots
    /// depend on are set.
    pub(super) fn encode(
        &mut self,
        solver: &mut (impl SatSolver + ?Sized),
        interrupt: &Interrupt,
    ) -> Result<(), Stopped> {
        self.encode_where(solver, interrupt, |_| true)
    }

    /// The same for some variables, a set that has with each gate all that it reads; the others
    /// can be encoded later.
    pub(super) fn encode_where(
        &mut self,
        solver: &mut (impl SatSolver + ?Sized),
        interrupt: &Interrupt,
        is_wanted: impl Fn(Var) -> bool,
    ) -> Result<(), Stopped> {
        let mut is_part = vec![false; self.aig.len()];
        let mut is_inner = vec![false; self.aig.len()];
        // Readers first again: a reader decides whether it takes in what it reads.
        for var in self.aig.vars().rev() {
            // The inner gates of a multiplexer take nothing in: the multiplexer reads their inputs.
            if self.roles[var.index()] == Role::Unused || is_inner[var.index()] {
                continue;
            }
            if let Some((_, inner)) = self.branches(var) {
                for part in inner {
                    (is_part[part.index()], is_inner[part.index()]) = (true, true);
                }
            } else if let Node::And(a, b) = self.aig.node(var) {
                for input in [a, b] {
                    is_part[input.var().index()] |= self.is_taken_in(input);
                }
            }
        }
        for var in self.aig.vars() {
            if var.index().is_multiple_of(LOOK_EVERY) && interrupt.poll() {
                return Err(Stopped);
            }
            if self.aig.is_gate(var)
                && self.roles[var.index()] != Role::Unused
                && !is_part[var.index()]
                && self.lits[var.index()].is_none()
                && is_wanted(var)
            {
                self.lits[var.index()] = Some(self.encode_gate(solver, var));
            }
        }
        Ok(())
    }

    /// The solver's literal for a root or a leaf.
    pub(super) fn lit(&self, lit: Lit) -> Lit {
        let mapped = self.lits[lit.var().index()].expect("a root, or what a root depends on");
        mapped ^ lit.is_negated()
    }

    /// The solver's literal, if there is one.
    pub(super) fn get(&self, lit: Lit) -> Option<Lit> {
        Some(self.lits[lit.var().index()]? ^ lit.is_negated())
    }

    /// Whether an AND takes this input in as a part of itself.
    fn is_taken_in(&self, input: Lit) -> bool {
        let var = input.var();
        !input.is_negated()
            && self.roles[var.index()] == Role::ReadOnce
            && self.aig.is_gate(var)
            && self.branches(var).is_none()
    }

    /// `[condition, then, else]` of a gate that is a multiplexer, and its two inner gates, which
    /// nothing else reads.
    fn branches(&self, var: Var) -> Option<([Lit; 3], [Var; 2])> {
        let Node::And(a, b) = self.aig.node(var) else { return None };
        let inner = [a, b].map(Lit::var);
        let is_inner =
            |lit: Lit| lit.is_negated() && self.roles[lit.var().index()] == Role::ReadOnce;
        if !is_inner(a) || !is_inner(b) {
            return None;
        }
        let (Node::And(p, q), Node::And(r, s)) = (self.aig.node(inner[0]), self.aig.node(inner[1]))
        else {
            return None;
        };
        for (c, t) in [(p, q), (q, p)] {
            for (d, e) in [(r, s), (s, r)] {
                if c == !d {
                    return Some(([c, !t, !e], inner));
                }
            }
        }
        None
    }

    fn encode_gate(&self, solver: &mut (impl SatSolver + ?Sized), var: Var) -> Lit {
        if let Some(([c, t, e], _)) = self.branches(var) {
            return gate::ite(solver, self.lit(c), self.lit(t), self.lit(e));
        }
        let mut conjuncts = Vec::new();
        let mut stack = vec![var];
        while let Some(var) = stack.pop() {
            let Node::And(a, b) = self.aig.node(var) else {
                unreachable!("only gates are taken in")
            };
            for input in [a, b] {
                if self.is_taken_in(input) {
                    stack.push(input.var());
                } else {
                    conjuncts.push(self.lit(input));
                }
            }
        }
        // A gate of many is a tree of wide ones, or the solver would take quadratic time.
        while conjuncts.len() > MAX_WIDTH {
            let parts = conjuncts.chunks(MAX_WIDTH).map(|part| gate::and_all(solver, part));
            conjuncts = parts.collect();
        }
        match *conjuncts {
            [a, b] => gate::and(solver, a, b),
            _ => gate::and_all(solver, &conjuncts),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pedra_solve::{Batsat, FrameEncoder, SatResult};
    use pedra_testkit::bits::{BitShape, random_bits};
    use pedra_testkit::random::Random;

    /// Equal to the plain encoding, on random circuits.
    #[test]
    fn the_function_stays_the_same() {
        let shape = BitShape { gates: 60, ..BitShape::default() };
        for seed in 0..300 {
            let system = random_bits(&mut Random::new(seed), shape);
            let next = system.latches.iter().map(|latch| latch.next);
            let roots: Vec<Lit> = system.properties().iter().copied().chain(next).collect();
            let mut solver = Batsat::new();
            let mut plain = FrameEncoder::new();
            let mut encoder = StepEncoder::new(&system.aig, roots.iter().copied());
            let latches = system.latches.iter().map(|latch| latch.var);
            for leaf in system.inputs.iter().copied().chain(latches) {
                let lit = solver.new_var().lit();
                plain.set_leaf(leaf, lit);
                encoder.set_leaf(leaf, lit);
            }
            encoder.encode(&mut solver, &Interrupt::new()).expect("nobody raises it");
            for &root in &roots {
                let (one, other) =
                    (encoder.lit(root), plain.encode(&system.aig, &mut solver, root));
                let differ = gate::xor(&mut solver, one, other);
                assert_eq!(solver.solve(&[differ]), SatResult::Unsat, "seed {seed}, {root:?}");
            }
        }
    }
}
