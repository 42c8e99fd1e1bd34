//! Answers about programs from other processes, which need not be trusted; see
//! [`crate::elsewhere`].
//!
//! A process that only searches ([`program_claims`]) lowers the program, replays runs to learn
//! whether they are defined, and passes on what it finds: runs of the program as the front end made
//! it, and proofs about the program without calls. The asking process makes that program itself
//! ([`Graphs`]), and checks both as it checks answers of its own.

use crate::answer::NotChecked;
use crate::decide::InternalError;
use crate::elsewhere::{Claim, Elsewhere, News, all_left, reason};
use crate::open::{Open, ProgramOpen, SafeUpTo};
use crate::plan::Plan;
use crate::program::{ProgramObserver, Run};
use crate::program_answer::{Graphs, ProgramChecked, ProofGraph, check_place_proof, check_run};
use pedra_certify::{CheckOptions, check_bound};
use pedra_engines::Exchange;
use pedra_model::Model;
use pedra_program::inline::Inlined;
use pedra_program::recursion::Components;
use pedra_program::{LowerOptions, Program, ProgramProof, ProgramTrace, lower};
use pedra_solve::Interrupt;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// An answer about a program that was not checked.
#[derive(Clone, Debug)]
pub enum ProgramAnswer {
    /// A run of the program as the front end made it. It may be undefined.
    Violated(ProgramTrace),
    /// A proof about the program without calls.
    Proved {
        /// Which of them.
        graph: ProofGraph,
        /// As its sender, or its reader, has made it.
        inlined: Arc<Inlined>,
        /// The proof.
        proof: Arc<ProgramProof>,
    },
}

impl ProgramAnswer {
    /// The properties that it is about, if it is what it claims to be.
    pub fn properties(&self) -> Vec<usize> {
        match self {
            ProgramAnswer::Violated(trace) => vec![trace.property],
            ProgramAnswer::Proved { proof, .. } => proof.properties.clone(),
        }
    }
}

/// Hears claims about a program, from several threads.
pub trait ProgramClaimant: Sync {
    /// An engine has settled properties, or has found an undefined run. No proof was checked.
    fn claim(&self, engine: &'static str, answer: &ProgramAnswer);

    /// A property stays open; no path of blocks violates it up to a step, it is claimed.
    fn open(&self, property: usize, why: &ProgramOpen, safe: Option<usize>);

    /// Where engines share lemmas with other processes, if they do.
    fn exchange(&self) -> Option<&Exchange> {
        None
    }
}

/// Searches as [`decide_program`](crate::decide_program) does, but checks only what it needs to
/// know for its search.
///
/// # Errors
/// If an engine's run is none.
pub fn program_claims(
    program: &Program,
    selected: &[usize],
    plan: &Plan,
    interrupt: &Interrupt,
    claimant: &dyn ProgramClaimant,
) -> Result<(), InternalError> {
    let observer = &Listener(claimant);
    Run { program, plan, interrupt, observer, claimant: Some(claimant) }.decide(selected)
}

/// Passes on what stays open.
struct Listener<'a>(&'a dyn ProgramClaimant);

impl ProgramObserver for Listener<'_> {
    type Error = InternalError;

    fn exchange(&self) -> Option<&Exchange> {
        self.0.exchange()
    }

    fn settled(&self, _: usize, _: &'static str, _: &ProgramChecked) -> Result<(), InternalError> {
        unreachable!("answers are claimed, not told")
    }

    fn open(&self, property: usize, why: ProgramOpen, safe: Option<SafeUpTo>) {
        self.0.open(property, &why, safe.map(|safe| safe.claimed));
    }
}

/// Decides the selected properties of a program by the claims of other processes.
///
/// # Errors
/// What the observer could not do.
pub fn decide_program_elsewhere<O, E>(
    graphs: &Graphs<'_>,
    selected: &[usize],
    plan: &Plan,
    interrupt: &Interrupt,
    observer: &O,
    elsewhere: &mut E,
) -> Result<(), O::Error>
where
    O: ProgramObserver,
    E: Elsewhere<Answer = ProgramAnswer>,
{
    let mut open: BTreeSet<usize> = selected.iter().copied().collect();
    // The operations of undefined runs, in words: each was replayed here.
    let mut undefined: BTreeMap<usize, String> = BTreeMap::new();
    while !open.is_empty() && !interrupt.is_raised() {
        match elsewhere.next() {
            News::Nothing => {}
            News::Over => break,
            News::Claim(claim) => {
                let Claim { ticket, engine, answer } = *claim;
                let mut settled = answer.properties();
                settled.retain(|property| open.contains(property));
                if settled.is_empty() {
                    elsewhere.accepted(ticket, &[]);
                    continue;
                }
                let options = plan.check_options(engine, interrupt);
                match check(graphs, &answer, plan, &options) {
                    Err(NotChecked::Undefined(text)) => {
                        undefined.entry(settled[0]).or_insert(text);
                        elsewhere.accepted(ticket, &[]);
                    }
                    Err(why) => elsewhere.refused(ticket, &reason(&why)),
                    Ok(answer) => {
                        settled.retain(|property| open.remove(property));
                        for &property in &settled {
                            observer.settled(property, engine, &answer)?;
                        }
                        elsewhere.accepted(ticket, &settled);
                    }
                }
            }
        }
    }
    tell_open(graphs, &open, &undefined, plan, interrupt, observer, elsewhere);
    Ok(())
}

/// *Required for soundness*: a run is replayed on the program as it was read here, and a proof is
/// checked on what was made of it here, whatever came with the answer.
fn check(
    graphs: &Graphs<'_>,
    answer: &ProgramAnswer,
    plan: &Plan,
    options: &CheckOptions,
) -> Result<ProgramChecked, NotChecked> {
    match answer {
        ProgramAnswer::Violated(trace) => {
            check_run(graphs.program(), trace)?;
            Ok(ProgramChecked::Violated(trace.clone()))
        }
        ProgramAnswer::Proved { graph, proof, .. } => {
            let inlined = graphs.get(*graph).map_err(NotChecked::NotCheckable)?;
            let trust = check_place_proof(&inlined, proof, &plan.blast, options)?;
            Ok(ProgramChecked::Proved(proof.clone(), inlined, trust))
        }
    }
}

/// Tells of what is open, and how far it is safe: as far as that is confirmed here.
fn tell_open<O: ProgramObserver, E: Elsewhere>(
    graphs: &Graphs<'_>,
    open: &BTreeSet<usize>,
    undefined: &BTreeMap<usize, String>,
    plan: &Plan,
    interrupt: &Interrupt,
    observer: &O,
    elsewhere: &E,
) {
    let left = all_left(open, interrupt, elsewhere);
    let confirmed = confirmed(graphs.program(), &left, plan, interrupt);
    for (property, why, safe) in left {
        let why = ProgramOpen::System(why);
        let why = match undefined.get(&property) {
            Some(text) => ProgramOpen::Defined { undefined: text.clone(), why: why.into() },
            None => why,
        };
        let step = confirmed.filter(|_| safe.is_some());
        observer.open(property, why, step.map(|s| SafeUpTo { claimed: s, checked: Some(s) }));
    }
}

/// Up to which step those of which something is claimed are safe together. A bound says nothing
/// about recursion, and one that is wrong is not told.
fn confirmed(
    program: &Program,
    left: &[(usize, Open, Option<usize>)],
    plan: &Plan,
    interrupt: &Interrupt,
) -> Option<usize> {
    let claimed = left.iter().filter_map(|&(property, _, safe)| Some((property, safe?)));
    let (together, steps): (Vec<usize>, Vec<usize>) = claimed.unzip();
    let last = steps.into_iter().min()?;
    if interrupt.is_raised() || !Components::new(program).recursive().is_empty() {
        return None;
    }
    let model = Model::Words(lower(program, &LowerOptions::default()).ok()?.flat.system);
    let (limits, options) = plan.bound_check(interrupt);
    check_bound(&model, &together, last, &plan.blast, limits, &options).ok().flatten()
}
