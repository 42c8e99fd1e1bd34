//! Time-frame expansion: a system's logic, copied for each step, on a SAT solver.
//!
//! The copies form one circuit. A latch at step `t > 0` *is* the literal of its next function
//! at step `t − 1`; there are no equalities between steps. At step 0 a latch is its reset value
//! (constants are folded, a reset function is the literal of that function), or a free leaf if
//! paths may start anywhere. The circuit is hashed structurally across steps, so logic that
//! does not change with time exists once.
//!
//! Everything is made on demand: a literal at a step is copied, and becomes clauses, when
//! a query needs it, together with the cone below it down to step 0. What no query needed
//! has no value in a model, and therefore does not matter for it.
//!
//! Copying a step of a large system takes long, so all of this polls the interrupt. A call that was
//! interrupted can be repeated, and continues where it stopped.

use pedra_model::aig::{AigBuilder, Node};
use pedra_model::bits::{BitSystem, Reset};
use pedra_model::lit::{Lit, Var};
use pedra_model::trace::BitTrace;
use pedra_model::value::Ternary;
use pedra_solve::encode::FrameEncoder;
use pedra_solve::sat::Budget;
use pedra_solve::{Interrupt, SatResult, SatSolver, SatStats};
use rustc_hash::FxHashSet;

/// Where paths start.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Start {
    /// In the initial states.
    Initial,
    /// In any state, as in induction steps.
    Anywhere,
}

/// The unrolled system and the solver that holds its clauses.
pub struct Unroll<'a> {
    system: &'a BitSystem,
    latch_of: Vec<Option<u32>>,
    start: Start,
    /// All copies of the logic.
    circuit: AigBuilder,
    /// For each step and variable of the system its literal in `circuit`, or [`UNSEEN`].
    steps: Vec<Vec<Lit>>,
    /// The clauses of `circuit`, as far as they were asked for.
    encoder: FrameEncoder,
    solver: Box<dyn SatSolver>,
    /// How many steps have their constraints asserted.
    constrained: usize,
    /// Whether a constraint was found to be constantly false.
    is_dead: bool,
    interrupt: Interrupt,
}

/// Marks a variable that was not yet copied.
const UNSEEN: u32 = u32::MAX;

/// The interrupt is polled once per this many nodes.
const LOOK_EVERY: u32 = 1 << 14;

impl<'a> Unroll<'a> {
    /// An unrolling without steps on a fresh solver.
    ///
    /// # Panics
    /// If reset functions depend on each other in a circle; readers refuse such systems.
    pub fn new(system: &'a BitSystem, start: Start, solver: Box<dyn SatSolver>) -> Unroll<'a> {
        assert!(system.reset_order().is_ok(), "reset functions form a circle");
        Unroll {
            system,
            latch_of: system.latch_of_var(),
            start,
            circuit: AigBuilder::new(),
            steps: Vec::new(),
            encoder: FrameEncoder::new(),
            solver,
            constrained: 0,
            is_dead: false,
            interrupt: Interrupt::new(),
        }
    }

    /// The solver literal of `lit` at `step`, with the clauses that define it; `None` if the
    /// interrupt is raised meanwhile, as with all others that give an option.
    pub fn lit(&mut self, step: usize, lit: Lit) -> Option<Lit> {
        let lit = self.copy(step, lit)?;
        self.encode(lit)
    }

    /// The solver literal of the conjunction of literals at steps.
    pub fn conjunction(&mut self, parts: &[(usize, Lit)]) -> Option<Lit> {
        let mut all = Lit::TRUE;
        for &(step, lit) in parts {
            let lit = self.copy(step, lit)?;
            all = self.circuit.and(all, lit);
        }
        self.encode(all)
    }

    /// The solver literal of "`lit` has different values at the two steps".
    pub fn differs(&mut self, lit: Lit, step: usize, other: usize) -> Option<Lit> {
        let (a, b) = (self.copy(step, lit)?, self.copy(other, lit)?);
        let differs = self.circuit.xor(a, b);
        self.encode(differs)
    }

    /// Asserts the constraints at all steps up to and including `step`, permanently.
    pub fn constrain(&mut self, step: usize) -> Option<()> {
        for t in self.constrained..=step {
            for &constraint in &self.system.constraints {
                let lit = self.lit(t, constraint)?;
                self.is_dead |= lit == Lit::FALSE;
                self.solver.add_clause(&[lit]);
            }
            self.constrained = t + 1;
        }
        Some(())
    }

    /// Whether the constraints asserted so far are false without any search.
    pub fn is_dead(&self) -> bool {
        self.is_dead
    }

    /// A solver variable that stands for nothing in the system.
    pub fn new_lit(&mut self) -> Lit {
        self.solver.new_var().lit()
    }

    /// A solver literal to assume when some of these shall be true; it implies nothing else.
    pub fn any(&mut self, lits: &[Lit]) -> Lit {
        if let &[single] = lits {
            return single;
        }
        let any = self.new_lit();
        let mut clause = vec![!any];
        let mut seen = FxHashSet::default();
        for &lit in lits {
            seen.insert(lit);
            if !seen.contains(&!lit) {
                clause.push(lit);
                continue;
            }
            // With both `a` and `¬a` the clause would be a tautology, which may leave `a` open
            // in a partial model; models must tell which of the literals they make true.
            let chosen = self.new_lit();
            self.solver.add_clause(&[!chosen, lit]);
            clause.push(chosen);
        }
        self.solver.add_clause(&clause);
        any
    }

    /// Adds a clause over solver literals.
    pub fn add_clause(&mut self, lits: &[Lit]) {
        self.solver.add_clause(lits);
    }

    /// Asks the solver.
    pub fn solve(&mut self, assumptions: &[Lit]) -> SatResult {
        self.solver.solve(assumptions)
    }

    /// Whether the last negative answer rests on this assumption.
    pub fn is_failed(&self, lit: Lit) -> bool {
        self.solver.is_failed(lit)
    }

    /// The value of a solver literal in the last model.
    pub fn value(&self, lit: Lit) -> Ternary {
        self.solver.value(lit).into()
    }

    /// The value of a literal of the system at a step in the last model; unknown if the model
    /// does not depend on it.
    pub fn value_at(&self, step: usize, lit: Lit) -> Ternary {
        let Some(copy) = self.steps.get(step).map(|s| s[lit.var().index()]) else {
            return Ternary::Unknown;
        };
        if copy.code() == UNSEEN {
            return Ternary::Unknown;
        }
        let encoded = self.encoder.get(copy ^ lit.is_negated());
        encoded.map_or(Ternary::Unknown, |lit| self.value(lit))
    }

    /// The path of the last model up to `depth`, as a violation of `property`.
    pub fn trace(&self, property: usize, depth: usize) -> BitTrace {
        let latches = self.system.latches.iter();
        let inputs_at = |step| {
            let inputs = self.system.inputs.iter();
            inputs.map(|var| self.value_at(step, var.lit())).collect()
        };
        BitTrace {
            property,
            initial: latches.map(|latch| self.value_at(0, latch.var.lit())).collect(),
            inputs: (0..=depth).map(inputs_at).collect(),
            loop_start: None,
        }
    }

    /// Limits the conflicts of each later question.
    pub fn set_effort(&mut self, conflicts: u64) {
        self.solver.set_budget(Some(Budget::conflicts(conflicts)));
    }

    /// Replaces the token that stops the solver, and the making of copies.
    pub fn set_interrupt(&mut self, interrupt: Interrupt) {
        self.interrupt = interrupt.clone();
        self.solver.set_interrupt(interrupt);
    }

    /// What the solver did so far.
    pub fn stats(&self) -> SatStats {
        self.solver.stats()
    }

    /// The circuit literal of `lit` at `step`. Depth-first with a stack of our own: a chain of
    /// latches and gates can be as long as all steps together.
    fn copy(&mut self, step: usize, lit: Lit) -> Option<Lit> {
        while self.steps.len() <= step {
            let mut copies = vec![Lit::from_code(UNSEEN); self.system.aig.len()];
            copies[Var::CONST.index()] = Lit::FALSE;
            self.steps.push(copies);
        }
        let mut stack = vec![(step, lit.var())];
        let mut turns = 0u32;
        while let Some(&(step, var)) = stack.last() {
            turns = turns.wrapping_add(1);
            if turns.is_multiple_of(LOOK_EVERY) && self.interrupt.poll() {
                return None;
            }
            if self.copied(step, var.lit()).is_some() {
                stack.pop();
                continue;
            }
            let copy = match self.source(step, var) {
                Source::Leaf => Some(self.circuit.leaf().lit()),
                Source::Same(step, lit) => {
                    let copied = self.copied(step, lit);
                    if copied.is_none() {
                        stack.push((step, lit.var()));
                    }
                    copied
                }
                Source::And(a, b) => match (self.copied(step, a), self.copied(step, b)) {
                    (Some(a), Some(b)) => Some(self.circuit.and(a, b)),
                    (a_copy, b_copy) => {
                        stack.extend(b_copy.is_none().then_some((step, b.var())));
                        stack.extend(a_copy.is_none().then_some((step, a.var())));
                        None
                    }
                },
            };
            if let Some(copy) = copy {
                self.steps[step][var.index()] = copy;
                stack.pop();
            }
        }
        let copied = self.copied(step, lit);
        debug_assert!(copied.is_some(), "the loop ends when it is copied");
        copied
    }

    /// The solver literal of a literal of the circuit.
    fn encode(&mut self, lit: Lit) -> Option<Lit> {
        let Unroll { circuit, encoder, solver, interrupt, .. } = self;
        encoder.encode_until(circuit.aig(), solver.as_mut(), lit, interrupt)
    }

    /// The circuit literal, if it was made already.
    fn copied(&self, step: usize, lit: Lit) -> Option<Lit> {
        let copy = self.steps[step][lit.var().index()];
        (copy.code() != UNSEEN).then(|| copy ^ lit.is_negated())
    }

    /// What a variable is at a step. This is the only place where one step is related to
    /// another.
    fn source(&self, step: usize, var: Var) -> Source {
        let latch = match self.system.aig.node(var) {
            Node::Const => return Source::Same(step, Lit::FALSE),
            Node::And(a, b) => return Source::And(a, b),
            Node::Leaf => self.latch_of[var.index()],
        };
        let Some(latch) = latch.map(|l| &self.system.latches[l as usize]) else {
            return Source::Leaf;
        };
        if step > 0 {
            return Source::Same(step - 1, latch.next);
        }
        match (self.start, latch.reset) {
            (Start::Anywhere, _) | (Start::Initial, Reset::Free) => Source::Leaf,
            (Start::Initial, Reset::Zero) => Source::Same(0, Lit::FALSE),
            (Start::Initial, Reset::One) => Source::Same(0, Lit::TRUE),
            (Start::Initial, Reset::Function(lit)) => Source::Same(0, lit),
        }
    }
}

/// What a variable of the system is at some step.
enum Source {
    /// A new free value.
    Leaf,
    /// What this literal is at that step.
    Same(usize, Lit),
    /// The conjunction of two literals at the same step.
    And(Lit, Lit),
}
