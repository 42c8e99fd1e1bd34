//! Vacuous proofs. If the constraints allow no run beyond some step, everything holds from there
//! on. And a property under a condition holds if the condition is never true.
//!
//! Both are questions of reachability, so they are asked as properties of a system derived from
//! the one that was decided, and their answers are checked like any other. With constraints `C`:
//!
//! | question | property |
//! |---|---|
//! | is there a run with a step `n`? | `count = n`, for a new state `count` that counts steps |
//! | can the condition be true? | the condition itself |
//!
//! Violated means yes, and the trace is the run. The search ends after [`LAST_STEP`] steps: it is
//! additional work, and must not take longer than the check itself.

use crate::collect::{Answer, decide_all};
use crate::decide::InternalError;
use crate::plan::{EngineName, Plan};
use pedra_model::Model;
use pedra_model::bv::Bv;
use pedra_model::system::{NamedTerm, State, System};
use pedra_model::term::{BinaryOp, Sort, TermId, UnaryOp};
use pedra_solve::Interrupt;

/// How far runs are looked for: the depth that SymbiYosys has by default. Assumptions that
/// contradict each other mostly do so within a few steps of a reset.
pub const LAST_STEP: usize = 20;

/// What was found about a run or a condition.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Reach {
    /// A run gets there, at this step; it was replayed.
    At(usize),
    /// No run does; the proof was checked.
    Never,
    /// Not known.
    Open,
}

/// What was found about the constraints.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Runs {
    /// There is a run of [`LAST_STEP`] steps.
    Exist,
    /// No run has this step, and it is the first such step.
    EndBefore(usize),
    /// Not known.
    Open,
}

/// How questions of this file are decided.
fn plan_of(plan: &Plan) -> Plan {
    Plan { engine: EngineName::Auto, depth: Some(LAST_STEP), ..plan.clone() }
}

fn decide_bads(
    system: System,
    plan: &Plan,
    interrupt: &Interrupt,
) -> Result<Vec<Reach>, InternalError> {
    let selected: Vec<usize> = (0..system.bads.len()).collect();
    let answers = decide_all(&Model::Words(system), &selected, &plan_of(plan), interrupt)?;
    let reach = |answer: Answer| match answer {
        Answer::Violated(trace) => Reach::At(trace.depth()),
        Answer::Proved { .. } => Reach::Never,
        Answer::Unknown { .. } => Reach::Open,
    };
    let mut found: Vec<Reach> = answers.into_iter().map(reach).collect();
    found.resize(selected.len(), Reach::Open);
    Ok(found)
}

/// Whether each condition, a bit of the system, can be true.
///
/// # Errors
/// If an answer failed its check.
pub fn find_conditions(
    system: &System,
    conditions: &[TermId],
    plan: &Plan,
    interrupt: &Interrupt,
) -> Result<Vec<Reach>, InternalError> {
    if conditions.is_empty() {
        return Ok(Vec::new());
    }
    let bads = conditions.iter().map(|&term| NamedTerm { term, name: None }).collect();
    decide_bads(System { bads, ..system.clone() }, plan, interrupt)
}

/// Whether the constraints allow runs.
///
/// # Errors
/// If an answer failed its check.
pub fn find_runs(
    system: &System,
    plan: &Plan,
    interrupt: &Interrupt,
) -> Result<Runs, InternalError> {
    if system.constraints.is_empty() {
        return Ok(Runs::Exist);
    }
    let (mut system, count) = with_count(system);
    let is_at = |system: &mut System, step: usize| {
        let step = system.terms.constant(Bv::from_u64(COUNT_BITS, step as u64));
        let term = system.terms.binary(BinaryOp::Eq, count, step);
        NamedTerm { term, name: None }
    };
    let last = is_at(&mut system, LAST_STEP);
    let alone = System { bads: vec![last.clone()], ..system.clone() };
    match decide_bads(alone, plan, interrupt)?[0] {
        Reach::At(_) => return Ok(Runs::Exist),
        Reach::Open => return Ok(Runs::Open),
        Reach::Never => {}
    }
    system.bads = (0..LAST_STEP).map(|step| is_at(&mut system, step)).chain([last]).collect();
    let found = decide_bads(system, plan, interrupt)?;
    // The first step that no run has: those before it were reached.
    Ok(match found.iter().position(|reach| !matches!(reach, Reach::At(_))) {
        Some(step) if found[step] == Reach::Never => Runs::EndBefore(step),
        _ => Runs::Open,
    })
}

/// The width of the count: room for [`LAST_STEP`] and one more.
const COUNT_BITS: u32 = 5;

/// The system with a state that counts steps and stops at its largest value, and that state.
fn with_count(system: &System) -> (System, TermId) {
    let mut system = system.clone();
    let terms = &mut system.terms;
    let count = terms.new_symbol(Sort::Bv(COUNT_BITS));
    let (zero, ones) = (terms.constant(Bv::zero(COUNT_BITS)), terms.constant(Bv::ones(COUNT_BITS)));
    let is_full = terms.binary(BinaryOp::Eq, count, ones);
    let more = terms.unary(UnaryOp::Inc, count);
    let next = terms.ite(is_full, count, more);
    system.states.push(State { term: count, name: None, init: Some(zero), next: Some(next) });
    (system, count)
}

#[cfg(test)]
mod tests {
    use super::*;
    use pedra_formats::btor2;

    /// A counter of four bits with a constraint `count < limit`, and the conditions `count = 3` and
    /// `count = 9`.
    fn counter(limit: u32) -> (System, Vec<TermId>) {
        let text = format!(
            "1 sort bitvec 4\n2 sort bitvec 1\n3 zero 1\n4 state 1 count\n5 init 1 4 3\n\
             6 inc 1 4\n7 next 1 4 6\n8 constd 1 {limit}\n9 ult 2 4 8\n10 constraint 9\n\
             11 constd 1 3\n12 eq 2 4 11\n13 bad 12\n14 constd 1 9\n15 eq 2 4 14\n16 bad 15\n"
        );
        let system = btor2::read(text.as_bytes()).expect("a model");
        let conditions = system.bads.iter().map(|bad| bad.term).collect();
        (system, conditions)
    }

    #[test]
    fn contradictions_are_found_at_their_step() {
        let (plan, interrupt) = (Plan::default(), Interrupt::new());
        for (limit, runs) in [(0, Runs::EndBefore(0)), (4, Runs::EndBefore(4))] {
            let (system, _) = counter(limit);
            assert_eq!(find_runs(&system, &plan, &interrupt).expect("checked"), runs);
        }
        let (mut system, conditions) = counter(4);
        let found = find_conditions(&system, &conditions, &plan, &interrupt).expect("checked");
        assert_eq!(found, [Reach::At(3), Reach::Never]);
        system.constraints.clear();
        assert_eq!(find_runs(&system, &plan, &interrupt).expect("checked"), Runs::Exist);
        // A constraint that does not bite.
        let (mut system, _) = counter(4);
        system.constraints[0].term = system.terms.bool(true);
        assert_eq!(find_runs(&system, &plan, &interrupt).expect("checked"), Runs::Exist);
    }

    #[test]
    fn a_stopped_search_claims_nothing() {
        let (system, conditions) = counter(4);
        let interrupt = Interrupt::new();
        interrupt.raise();
        let plan = Plan::default();
        assert_eq!(find_runs(&system, &plan, &interrupt).expect("checked"), Runs::Open);
        let found = find_conditions(&system, &conditions, &plan, &interrupt).expect("checked");
        assert_eq!(found, [Reach::Open, Reach::Open]);
    }
}
