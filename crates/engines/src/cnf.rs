//! Clauses for the cones of a growing circuit.
//!
//! The Tseitin transformation, in both directions, so that every encoded gate has its true
//! value in each model. Gates of the form `¬(s ∧ a) ∧ ¬(¬s ∧ b)` are multiplexers (exclusive
//! or's, if `b = ¬a`) and are encoded as one: six clauses on four variables in place of nine on
//! six. Their inner gates get clauses only if something else needs them.

use pedra_model::aig::{Aig, Node};
use pedra_model::lit::{Lit, Var};
use pedra_solve::SatSolver;

/// Which nodes of the circuit have clauses, and which solver literals they are.
#[derive(Default)]
pub(crate) struct Cnf {
    /// For each node its solver variable, or 0 if it has none. The constant is 0 in both.
    vars: Vec<u32>,
    /// Nodes still to do; kept to reuse its memory.
    stack: Vec<Var>,
}

/// How a gate is encoded.
enum Shape {
    And(Lit, Lit),
    /// `¬(if s then a else b)`.
    NotMux(Lit, Lit, Lit),
}

impl Cnf {
    /// Nothing encoded.
    pub fn new() -> Cnf {
        Cnf::default()
    }

    /// The solver literal of a circuit literal, if it is encoded.
    pub fn lit(&self, lit: Lit) -> Option<Lit> {
        if lit.is_const() {
            return Some(lit);
        }
        match self.vars.get(lit.var().index()) {
            Some(&var) if var != 0 => Some(Lit::new(Var::new(var as usize), lit.is_negated())),
            _ => None,
        }
    }

    /// The solver literal of a circuit literal; adds the clauses of its cone that are missing.
    pub fn encode(&mut self, aig: &Aig, lit: Lit, solver: &mut dyn SatSolver) -> Lit {
        self.vars.resize(aig.len(), 0);
        self.stack.push(lit.var());
        while let Some(&var) = self.stack.last() {
            if self.lit(var.lit()).is_some() {
                self.stack.pop();
                continue;
            }
            let Node::And(a, b) = aig.node(var) else {
                self.name(var, solver);
                continue;
            };
            let shape = shape(aig, a, b);
            let (inputs, count) = match shape {
                Shape::And(a, b) => ([a, b, a], 2),
                Shape::NotMux(s, a, b) => ([s, a, b], 3),
            };
            let ready = self.stack.len();
            for &input in &inputs[..count] {
                if self.lit(input).is_none() {
                    self.stack.push(input.var());
                }
            }
            if self.stack.len() == ready {
                self.define(var, shape, solver);
            }
        }
        self.lit(lit).expect("the loop ends when it is encoded")
    }

    fn name(&mut self, var: Var, solver: &mut dyn SatSolver) -> Lit {
        let name = solver.new_var();
        self.vars[var.index()] = name.index() as u32;
        name.lit()
    }

    fn define(&mut self, var: Var, shape: Shape, solver: &mut dyn SatSolver) {
        let get = |lit| self.lit(lit).expect("inputs are encoded first");
        match shape {
            Shape::And(a, b) => {
                let (a, b) = (get(a), get(b));
                let gate = self.name(var, solver);
                solver.add_clause(&[!gate, a]);
                solver.add_clause(&[!gate, b]);
                solver.add_clause(&[gate, !a, !b]);
            }
            Shape::NotMux(s, a, b) => {
                let (s, a, b) = (get(s), get(a), get(b));
                let mux = !self.name(var, solver);
                solver.add_clause(&[!s, !a, mux]);
                solver.add_clause(&[!s, a, !mux]);
                solver.add_clause(&[s, !b, mux]);
                solver.add_clause(&[s, b, !mux]);
                if a.var() != b.var() {
                    // Implied, but they let equal inputs propagate before `s` is known.
                    solver.add_clause(&[!a, !b, mux]);
                    solver.add_clause(&[a, b, !mux]);
                }
            }
        }
    }
}

/// Recognises `¬(s ∧ x) ∧ ¬(¬s ∧ y) = ¬(if s then x else y)`.
fn shape(aig: &Aig, a: Lit, b: Lit) -> Shape {
    if a.is_negated()
        && b.is_negated()
        && let (Node::And(p, q), Node::And(r, t)) = (aig.node(a.var()), aig.node(b.var()))
    {
        for (s, x, other, y) in [(p, q, r, t), (p, q, t, r), (q, p, r, t), (q, p, t, r)] {
            if s == !other {
                return Shape::NotMux(s, x, y);
            }
        }
    }
    Shape::And(a, b)
}
