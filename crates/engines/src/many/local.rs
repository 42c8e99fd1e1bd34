//! One property by itself, on its own cone, with others assumed before the step of its violation:
//! a *local* question. E. Goldberg et al., *Efficient verification of multi-property designs* (DATE
//! 2018): "just assume".
//!
//! The assumption is a latch `ok`, which starts true and becomes permanently false after a step at
//! which an assumed property is violated; the question is whether `bad ∧ ok` can be reached. So:
//!
//! - A trace is a trace of the system itself, since `ok` only observes.
//! - A proof `Inv(x, ok)` gives the *local proof* `Inv(x, true)`: it holds initially, has no bad
//!   state, and is inductive relative to the assumed properties `P`:
//!   `Inv(x,1) ∧ P(x) ∧ C ∧ T ⟹ Inv(x',1)`.
//! - *Required for soundness*: a local proof alone is not a proof. Local proofs of a set of
//!   properties that assume no property outside the set form one together: the conjunction of all
//!   `Inv` implies `P`, and so is inductive. Paths have a first violation, and that one would be
//!   local to some property. [`Board`](super::board::Board) waits until there is such a set.
//!
//! Only properties are assumed whose cones lie inside the question's own: they make no question
//! larger. Afterwards queries tell which of them the proof needs, and which of them it proves, too.

use crate::context::{Context, End, Engine, Reason};
use crate::ledger::Ledger;
use crate::pdr::{Pdr, PdrOptions};
use crate::unroll::{Start, Unroll};
use crate::{NoEvents, Outcome, Way};
use pedra_model::bits::{BitSystem, Reset};
use pedra_model::lit::{Lit, Var};
use pedra_model::proof::{BitProof, Proof};
use pedra_model::reduce::{ReduceOptions, Reduced, reduce};
use pedra_model::trace::{BitTrace, Trace};
use pedra_solve::{SatResult, new_solver};
use std::sync::Arc;

/// Conflicts of each question whether a proof implies another property; as `pdr.patience`.
const IMPLIED_EFFORT: u64 = 2_000;

/// A property, and those that are assumed for it.
pub(crate) struct Question {
    /// The property first, then the assumed ones, as the whole system numbers them.
    properties: Vec<usize>,
    /// The cone, with all of these as bads.
    cone: Reduced,
    /// The cone with `ok`; its only bad is the question.
    asked: BitSystem,
}

/// What came of a question.
pub(crate) enum Local {
    /// A local proof.
    Proved(LocalProof),
    /// A violation, of the whole system.
    Violated(BitTrace),
    /// Neither: why the search ended.
    Open(End),
}

/// A proof that may rest on other properties.
#[derive(Clone)]
pub(crate) struct LocalProof {
    /// The invariant, about the whole system, `ok` being true. It proves what the question is.
    pub(crate) proof: Arc<BitProof>,
    /// The properties that it rests on.
    pub(crate) needs: Vec<usize>,
    /// Further ones that it implies.
    pub(crate) implied: Vec<usize>,
}

impl Question {
    /// Asks about a property of a system, with others assumed whose cones lie inside its own.
    pub(crate) fn new(system: &BitSystem, property: usize, assumed: &[usize]) -> Question {
        let properties: Vec<usize> = [property].iter().chain(assumed).copied().collect();
        let only_cone = ReduceOptions { cone: true, ..ReduceOptions::none() };
        let cone = reduce(system, &properties, &only_cone);
        let mut asked = cone.system.clone();
        if !assumed.is_empty() {
            // bad ∧ ok, where ok' = ok ∧ ⋀ P and ok starts true
            let ok = asked.add_latch(Reset::One);
            let bads = std::mem::take(&mut asked.bads);
            let still = bads[1..].iter().fold(ok, |still, &bad| asked.aig.push_and(still, !bad));
            asked.latches.last_mut().expect("just added").next = still;
            asked.bads = vec![asked.aig.push_and(bads[0], ok)];
            asked.names.bads.clear();
        }
        Question { properties, cone, asked }
    }

    /// Searches, until there is an answer or the interrupt is raised.
    pub(crate) fn run(&self, system: &BitSystem, options: PdrOptions, context: &Context) -> Local {
        // Its own ledger: an answer is not an answer yet. And no events: what is told about depths
        // would be about this property alone.
        let ledger = Arc::new(Ledger::new());
        let (events, way) = (&NoEvents, Way::default());
        // Nobody else works on this system.
        let exchange = None;
        let inner = Context { ledger: ledger.clone(), events, way, exchange, ..context.clone() };
        let end = Pdr::new(&self.asked, options).run(&inner);
        match ledger.outcome(0) {
            Outcome::Violated(Trace::Bits(trace)) => Local::Violated(self.lift(system, trace)),
            Outcome::Proved(proof) => match &*proof {
                Proof::Bits(proof) => self.narrow(system, proof, options, context).map_or(
                    Local::Open(End { reason: Reason::Interrupted, safe_up_to: None }),
                    Local::Proved,
                ),
                _ => unreachable!("bits were asked"),
            },
            _ => Local::Open(end),
        }
    }

    /// The trace of the whole system.
    fn lift(&self, system: &BitSystem, mut trace: BitTrace) -> BitTrace {
        trace.initial.truncate(self.cone.system.latches.len());
        trace.property = 0;
        self.cone.map.lift_trace(system, &trace)
    }

    /// `Inv(x, true)`, about the cone.
    fn without_ok(&self, proof: &BitProof) -> BitProof {
        let (kept, all) = (self.cone.system.aig.len(), self.asked.aig.len());
        // Behind the cone's variables come `ok`, the gates of the assumption, and the proof's.
        // Those of the assumption become gates of the proof, too.
        let of_assumption = || self.asked.aig.gates().filter(|(gate, ..)| gate.index() >= kept);
        let added = of_assumption().count();
        let moved = |lit: Lit| match lit.var().index() {
            index if index < kept => lit,
            index if index == kept && all > kept => Lit::TRUE ^ lit.is_negated(),
            index if index < all => Lit::new(Var::new(index - 1), lit.is_negated()),
            index => Lit::new(Var::new(kept + added + (index - all)), lit.is_negated()),
        };
        let clauses = proof.clauses.iter().map(|c| c.iter().map(|&l| moved(l)).collect());
        // What `ok` satisfies says nothing; where it is false, it is not a literal of the clause.
        let is_true = |clause: &Vec<Lit>| clause.contains(&Lit::TRUE);
        let clauses = clauses
            .filter(|clause| !is_true(clause))
            .map(|clause: Vec<Lit>| clause.into_iter().filter(|&lit| lit != Lit::FALSE).collect());
        let assumption = of_assumption().map(|(_, a, b)| [moved(a), moved(b)]);
        let gates = proof.gates.iter().map(|gate| gate.map(moved));
        BitProof {
            properties: vec![0],
            gates: assumption.chain(gates).collect(),
            clauses: clauses.collect(),
            k: 1,
            simple_path: None,
        }
    }

    /// The local proof, with what it rests on and what else it proves. `None` if interrupted.
    fn narrow(
        &self,
        system: &BitSystem,
        proof: &BitProof,
        options: PdrOptions,
        context: &Context,
    ) -> Option<LocalProof> {
        let mut proof = self.without_ok(proof);
        let (mut needs, mut implied) = (Vec::new(), Vec::new());
        if self.properties.len() > 1 {
            let mut extended = self.cone.system.clone();
            for &[a, b] in &proof.gates {
                extended.aig.push_and(a, b);
            }
            let mut solver = new_solver(options.solver);
            solver.set_interrupt(context.interrupt.clone());
            let mut unroll = Unroll::new(&extended, Start::Anywhere, solver);
            unroll.set_interrupt(context.interrupt.clone());
            needs = self.find_needs(&mut unroll, &proof)?;
            implied = self.find_implied(&mut unroll);
        }
        drop_unread_gates(&mut proof, self.cone.system.aig.len());
        let proof = Arc::new(self.cone.map.lift_proof(system, &proof));
        Some(LocalProof { proof, needs, implied })
    }

    /// Which of the assumed properties the invariant rests on: those of the cores of
    /// `Inv ∧ P ∧ C ∧ T ⟹ c'` for each of its clauses. Leaves `Inv ∧ C` asserted at step 0.
    fn find_needs(&self, unroll: &mut Unroll<'_>, proof: &BitProof) -> Option<Vec<usize>> {
        unroll.constrain(0)?;
        for clause in &proof.clauses {
            let lits: Option<Vec<Lit>> = clause.iter().map(|&lit| unroll.lit(0, lit)).collect();
            unroll.add_clause(&lits?);
        }
        let bads = &self.cone.system.bads[1..];
        let assumed: Option<Vec<Lit>> =
            bads.iter().map(|&bad| unroll.lit(0, bad).map(|bad| !bad)).collect();
        let assumed = assumed?;
        let mut is_needed = vec![false; assumed.len()];
        for clause in &proof.clauses {
            let outside: Option<Vec<Lit>> =
                clause.iter().map(|&lit| unroll.lit(1, lit).map(|lit| !lit)).collect();
            let mut query = outside?;
            query.extend(&assumed);
            match unroll.solve(&query) {
                SatResult::Unsat => {
                    for (&lit, is_needed) in assumed.iter().zip(&mut is_needed) {
                        *is_needed = *is_needed || unroll.is_failed(lit);
                    }
                }
                // Not even so: then all of them, and the check of the answer will tell.
                SatResult::Sat => return Some(self.properties[1..].to_vec()),
                SatResult::Unknown => return None,
            }
        }
        let assumed = self.properties[1..].iter().zip(is_needed);
        Some(assumed.filter(|(_, is_needed)| *is_needed).map(|(&p, _)| p).collect())
    }

    /// Which of the assumed properties the invariant implies: `Inv ∧ C ⟹ P_j`. One that is hard to
    /// tell is left out: the proof must not wait for it.
    fn find_implied(&self, unroll: &mut Unroll<'_>) -> Vec<usize> {
        unroll.set_effort(IMPLIED_EFFORT);
        let others = self.properties.iter().zip(&self.cone.system.bads).skip(1);
        let is_implied = |&(_, &bad): &(&usize, &Lit)| {
            let bad = unroll.lit(0, bad);
            bad.is_some_and(|bad| unroll.solve(&[bad]) == SatResult::Unsat)
        };
        others.filter(is_implied).map(|(&property, _)| property).collect()
    }
}

/// Drops the gates of a proof if no clause reads any.
fn drop_unread_gates(proof: &mut BitProof, vars: usize) {
    if proof.clauses.iter().flatten().all(|lit| lit.var().index() < vars) {
        proof.gates.clear();
    }
}
