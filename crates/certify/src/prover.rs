//! The one question that every check here is made of: does a clause follow from facts?
//!
//! Facts and goals are clauses over the literals of one combinational circuit. A goal follows
//! if `facts ∧ ¬goal` is unsatisfiable; each solver sees only the gates below the literals that
//! it was given, by Tseitin's encoding.
//!
//! Many goals (the clauses of an invariant) are asked for in batches: is some of them false?
//! That was measured against one query a goal with `examples/consecution.rs`: for a ring of 150
//! latches with 11,175 clauses BatSat takes 1.2 s instead of 16.2 s and CaDiCaL 0.75 s instead
//! of 4.7 s, because both spend time proportional to the clauses on every query. Batches are
//! not as large as they could be, because one that is not proved within the budget is work for
//! nothing: 615 clauses about a calendar (`cal118`) take 1.9 s in batches of 128, but 20,000
//! conflicts, 3.1 s, are not enough for all at once. Such a batch is cut into parts.

use crate::options::{CheckOptions, Effort, Stop};
use pedra_model::aig::{Aig, Node};
use pedra_model::lit::{Lit, Var};
use pedra_model::value::Ternary;
use pedra_solve::{Budget, SatResult, SatSolver, SolverKind, new_solver};

/// How many goals are asked for in one query at first.
const BATCH: usize = 128;
/// Into how many parts a batch is cut that is not proved within the budget.
const PARTS: usize = 4;

/// Why a goal was not shown to follow.
pub(crate) enum Failure {
    /// It does not follow: here the facts hold and the goal does not.
    Refuted(Assignment),
    /// Not known.
    Stopped(Stop),
}

/// A value for the circuit's variables, as far as the solver saw them.
pub(crate) struct Assignment(Vec<Ternary>);

impl Assignment {
    /// The value of a literal.
    pub(crate) fn value(&self, lit: Lit) -> Ternary {
        self.0.get(lit.var().index()).map_or(Ternary::Unknown, |v| v.flipped(lit.is_negated()))
    }
}

/// Facts, and solvers that are asked what follows from them.
pub(crate) struct Prover<'o> {
    options: &'o CheckOptions,
    facts: Vec<Vec<Lit>>,
    first: Instance,
    fallback: Option<Instance>,
    effort: Effort,
}

impl<'o> Prover<'o> {
    /// A prover with new solvers and no facts.
    pub(crate) fn new(options: &'o CheckOptions) -> Prover<'o> {
        let budget = options.limit_conflicts.map(Budget::conflicts);
        let first = Instance::new(options.solver, budget, options);
        Prover { options, facts: Vec::new(), first, fallback: None, effort: Effort::default() }
    }

    /// Assumes a clause from now on.
    pub(crate) fn assume(&mut self, clause: impl Into<Vec<Lit>>) {
        self.facts.push(clause.into());
    }

    /// `facts ⟹ ⋁ goal`?
    pub(crate) fn prove(&mut self, circuit: &Aig, goal: &[Lit]) -> Result<(), Failure> {
        self.effort.queries += 1;
        let mut answer = self.first.refute(circuit, &self.facts, goal);
        if answer == SatResult::Unknown
            && !self.options.interrupt.is_raised()
            && let Some(kind) = self.options.fallback
        {
            self.effort.fallback_queries += 1;
            let options = self.options;
            let second = self.fallback.get_or_insert_with(|| Instance::new(kind, None, options));
            answer = second.refute(circuit, &self.facts, goal);
            if answer == SatResult::Sat {
                return Err(Failure::Refuted(second.assignment(circuit)));
            }
        }
        match answer {
            SatResult::Unsat => Ok(()),
            SatResult::Sat => Err(Failure::Refuted(self.first.assignment(circuit))),
            SatResult::Unknown if self.options.interrupt.is_raised() => {
                Err(Failure::Stopped(Stop::Interrupted))
            }
            SatResult::Unknown => Err(Failure::Stopped(Stop::OutOfBudget)),
        }
    }

    /// `facts ⟹ ⋁ goal` for each of the goals? Fails with the index of the first that does not
    /// follow. Whole batches are tried first; goal by goal only where that gives no proof.
    pub(crate) fn prove_each(
        &mut self,
        circuit: &Aig,
        goals: &[Vec<Lit>],
    ) -> Result<(), (usize, Failure)> {
        let mut waiting = vec![(0..goals.len(), BATCH)];
        while let Some((range, batch)) = waiting.pop() {
            if batch < PARTS {
                for index in range {
                    self.prove(circuit, &goals[index]).map_err(|failure| (index, failure))?;
                }
                continue;
            }
            // The first goals are on top of the stack.
            let first = range.start..range.end.min(range.start + batch);
            if first.end < range.end {
                waiting.push((first.end..range.end, batch));
            }
            self.effort.queries += 1;
            if !self.first.refute_any(circuit, &self.facts, &goals[first.clone()]).is_unsat() {
                waiting.push((first, batch / PARTS));
            }
        }
        Ok(())
    }

    /// The work so far.
    pub(crate) fn effort(&self) -> Effort {
        let second = self.fallback.as_ref().map_or(0, |i| i.solver.stats().conflicts);
        Effort { conflicts: self.first.solver.stats().conflicts + second, ..self.effort }
    }
}

/// One solver and its clauses.
struct Instance {
    solver: Box<dyn SatSolver>,
    /// The solver's variable of each variable of the circuit, if it has one. The constant is
    /// the constant.
    vars: Vec<Option<Var>>,
    /// How many of the facts it has.
    facts: usize,
    stack: Vec<Var>,
}

impl Instance {
    fn new(kind: SolverKind, budget: Option<Budget>, options: &CheckOptions) -> Instance {
        let mut solver = new_solver(kind);
        solver.set_budget(budget);
        solver.set_interrupt(options.interrupt.clone());
        Instance { solver, vars: vec![Some(Var::CONST)], facts: 0, stack: Vec::new() }
    }

    /// Is `facts ∧ ¬goal` satisfiable?
    fn refute(&mut self, circuit: &Aig, facts: &[Vec<Lit>], goal: &[Lit]) -> SatResult {
        self.add_facts(circuit, facts);
        let negated: Vec<Lit> = goal.iter().map(|&l| !self.encode(circuit, l)).collect();
        self.solver.solve(&negated)
    }

    /// Is `facts ∧ (¬goal₁ ∨ … ∨ ¬goalₙ)` satisfiable? Each goal gets a selector that implies its
    /// negation; the disjunction of selectors is switched on by an assumption, and off permanently
    /// afterwards.
    fn refute_any(&mut self, circuit: &Aig, facts: &[Vec<Lit>], goals: &[Vec<Lit>]) -> SatResult {
        self.add_facts(circuit, facts);
        let active = self.solver.new_var().lit();
        let mut disjunction = vec![!active];
        for goal in goals {
            let selector = self.solver.new_var().lit();
            for &lit in goal {
                let lit = self.encode(circuit, lit);
                self.solver.add_clause(&[!selector, !lit]);
            }
            disjunction.push(selector);
        }
        self.solver.add_clause(&disjunction);
        let answer = self.solver.solve(&[active]);
        self.solver.add_clause(&[!active]);
        answer
    }

    fn add_facts(&mut self, circuit: &Aig, facts: &[Vec<Lit>]) {
        self.vars.resize(circuit.len(), None);
        for fact in &facts[self.facts..] {
            let clause: Vec<Lit> = fact.iter().map(|&l| self.encode(circuit, l)).collect();
            self.solver.add_clause(&clause);
        }
        self.facts = facts.len();
    }

    /// The solver's literal for a literal of the circuit; defines what is below it.
    fn encode(&mut self, circuit: &Aig, root: Lit) -> Lit {
        self.visit(root.var());
        while let Some(var) = self.stack.pop() {
            if let Node::And(a, b) = circuit.node(var) {
                self.visit(a.var());
                self.visit(b.var());
                let (gate, a, b) = (self.known(var.lit()), self.known(a), self.known(b));
                // gate ↔ a ∧ b
                self.solver.add_clause(&[!gate, a]);
                self.solver.add_clause(&[!gate, b]);
                self.solver.add_clause(&[gate, !a, !b]);
            }
        }
        self.known(root)
    }

    /// Gives the variable a number; its definition follows when it leaves the stack.
    fn visit(&mut self, var: Var) {
        if self.vars[var.index()].is_none() {
            self.vars[var.index()] = Some(self.solver.new_var());
            self.stack.push(var);
        }
    }

    fn known(&self, lit: Lit) -> Lit {
        let var = self.vars[lit.var().index()].expect("visited before");
        Lit::new(var, lit.is_negated())
    }

    fn assignment(&self, circuit: &Aig) -> Assignment {
        let value = |var: Option<Var>| match var {
            Some(Var::CONST) => Ternary::False,
            Some(var) => self.solver.value(var.lit()).into(),
            None => Ternary::Unknown,
        };
        let mut values: Vec<Ternary> = self.vars.iter().map(|&v| value(v)).collect();
        // Gates that no clause mentions follow from their inputs.
        for (var, a, b) in circuit.gates() {
            if values[var.index()] == Ternary::Unknown {
                let of = |l: Lit| values[l.var().index()].flipped(l.is_negated());
                values[var.index()] = of(a).and(of(b));
            }
        }
        Assignment(values)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_follows_and_what_does_not() {
        let mut circuit = Aig::new();
        let (x, y) = (circuit.push_leaf().lit(), circuit.push_leaf().lit());
        let both = circuit.push_and(x, y);
        let options = CheckOptions::default();
        let mut prover = Prover::new(&options);
        assert!(prover.prove(&circuit, &[!both, x]).is_ok());
        assert!(prover.prove(&circuit, &[both, !x, !y]).is_ok());
        assert!(prover.prove(&circuit, &[Lit::TRUE]).is_ok());
        match prover.prove(&circuit, &[both, !x]) {
            Err(Failure::Refuted(values)) => {
                assert_eq!(values.value(x), Ternary::True);
                assert_eq!(values.value(!y), Ternary::True);
            }
            _ => panic!("x alone does not give x ∧ y"),
        }
        prover.assume([y]);
        assert!(prover.prove(&circuit, &[both, !x]).is_ok());
        assert!(prover.prove(&circuit, &[]).is_err(), "the facts have a model");
        prover.assume([!both]);
        prover.assume([x]);
        assert!(prover.prove(&circuit, &[]).is_ok(), "anything follows from a contradiction");
    }

    #[test]
    fn an_interrupt_is_no_answer() {
        let options = CheckOptions::default();
        options.interrupt.raise();
        let mut prover = Prover::new(&options);
        let answer = prover.prove(&Aig::new(), &[Lit::TRUE]);
        assert!(matches!(answer, Err(Failure::Stopped(Stop::Interrupted))));
    }
}
