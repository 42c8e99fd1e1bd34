//! The checks of answers about programs: of local engines, and of other processes. Only what
//! `certify` has accepted leaves this module as a verdict.
//!
//! A violation is a run of the program as the front end made it. A proof is about the program
//! without calls, which is made in several ways ([`ProofGraph`]).

use crate::answer::NotChecked;
use crate::recursion::MAX_EDGES;
use pedra_certify::{CheckOptions, ProgramProofError, Trust, check_program_proof, replay_program};
use pedra_model::blast::BlastOptions;
use pedra_program::inline::{
    Bound, Deeper, Inlined, Recursion, inline, inline_bounded, inline_with_summaries,
};
use pedra_program::interpreter::Undefined;
use pedra_program::{LowerOptions, Program, ProgramProof, ProgramTrace};
use std::cell::RefCell;
use std::collections::VecDeque;
use std::sync::Arc;

/// An answer about a program that passed its check.
#[derive(Clone, Debug)]
pub enum ProgramChecked {
    /// The proof was accepted; it is about this program without calls. With what its check took on
    /// trust.
    Proved(Arc<ProgramProof>, Arc<Inlined>, Trust),
    /// The run was replayed, and all its steps are defined.
    Violated(ProgramTrace),
}

/// Which program without calls a proof is about. *Required for soundness*: only those that have
/// all runs of the program to its error places are here. That in which runs end where recursion is
/// too deep ([`Deeper::Ends`]) has no name.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum ProofGraph {
    /// All calls are inlined; there is no recursion.
    Plain,
    /// Recursion is inlined up to this depth, and error places follow deeper calls.
    Bounded(usize),
    /// Recursive procedures are parts with summaries.
    Summaries,
}

impl ProofGraph {
    /// What proofs about a program that was lowered so are about; `None` if they prove nothing.
    pub(crate) fn of(recursion: Option<Recursion>) -> Option<ProofGraph> {
        match recursion {
            None => Some(ProofGraph::Plain),
            Some(Recursion::Bounded(Bound { depth, deeper: Deeper::Fails })) => {
                Some(ProofGraph::Bounded(depth))
            }
            Some(Recursion::Bounded(Bound { deeper: Deeper::Ends, .. })) => None,
            Some(Recursion::Summaries) => Some(ProofGraph::Summaries),
        }
    }

    /// Makes it.
    ///
    /// # Errors
    /// If it is too large, or the program is recursive and may not be.
    fn make(self, program: &Program) -> Result<Inlined, String> {
        let most = LowerOptions::default().max_edges;
        let made = match self {
            ProofGraph::Plain => inline(program, most),
            // Each activation has an edge of its own.
            ProofGraph::Bounded(depth) if depth > MAX_EDGES => {
                return Err(format!("recursion of depth {depth} is deeper than {MAX_EDGES}"));
            }
            ProofGraph::Bounded(depth) => {
                inline_bounded(program, MAX_EDGES, Bound { depth, deeper: Deeper::Fails })
            }
            ProofGraph::Summaries => inline_with_summaries(program, most),
        };
        made.map_err(|error| error.to_string())
    }
}

/// How many graphs are kept: each costs as much as it has edges and variables. Chosen, not
/// measured.
const KEPT: usize = 2;

/// A graph, or why there is none.
type Made = Result<Arc<Inlined>, String>;

/// A program, and its graphs without calls, each made here when it is first asked for.
#[derive(Debug)]
pub struct Graphs<'a> {
    program: &'a Program,
    made: RefCell<VecDeque<(ProofGraph, Made)>>,
    /// A depth of recursion at which the graph is too large, and what was said of it.
    too_deep: RefCell<Option<(usize, String)>>,
}

impl<'a> Graphs<'a> {
    /// Nothing is made yet.
    pub fn new(program: &'a Program) -> Graphs<'a> {
        Graphs { program, made: RefCell::default(), too_deep: RefCell::default() }
    }

    /// The program as the front end made it.
    pub fn program(&self) -> &'a Program {
        self.program
    }

    /// The program without calls.
    ///
    /// # Errors
    /// If there is none.
    pub fn get(&self, graph: ProofGraph) -> Result<Arc<Inlined>, String> {
        let mut made = self.made.borrow_mut();
        if let Some((_, known)) = made.iter().find(|(known, _)| *known == graph) {
            return known.clone();
        }
        let mut too_deep = self.too_deep.borrow_mut();
        let new = match (graph, &*too_deep) {
            // A deeper one is larger.
            (ProofGraph::Bounded(depth), Some((known, why))) if depth >= *known => Err(why.clone()),
            _ => graph.make(self.program).map(Arc::new),
        };
        if let (ProofGraph::Bounded(depth), Err(why)) = (graph, &new)
            && too_deep.as_ref().is_none_or(|(known, _)| depth < *known)
        {
            *too_deep = Some((depth, why.clone()));
        }
        made.push_back((graph, new.clone()));
        if made.len() > KEPT {
            made.pop_front();
        }
        new
    }
}

/// Replays a run on the program as the front end made it.
///
/// # Errors
/// If it is no violation, or not a defined one.
pub fn check_run(program: &Program, trace: &ProgramTrace) -> Result<(), NotChecked> {
    match replay_program(program, trace) {
        Err(error) => Err(NotChecked::Wrong(error.to_string())),
        Ok(replay) => match replay.undefined {
            None => Ok(()),
            Some(undefined) => Err(NotChecked::Undefined(describe(program, undefined))),
        },
    }
}

/// Checks a proof about a program without calls. Gives what was taken on trust.
///
/// # Errors
/// If it is not accepted.
pub fn check_place_proof(
    inlined: &Inlined,
    proof: &ProgramProof,
    blasting: &BlastOptions,
    options: &CheckOptions,
) -> Result<Trust, NotChecked> {
    match check_program_proof(&inlined.program, proof, blasting, options) {
        Ok(checked) => Ok(checked.trust),
        Err(ProgramProofError::Stopped(_)) => Err(NotChecked::Stopped),
        Err(ProgramProofError::NotCheckable(why)) => Err(NotChecked::NotCheckable(why)),
        Err(other) => Err(NotChecked::Wrong(format!("proof: {other}"))),
    }
}

/// An undefined operation, in words.
fn describe(program: &Program, undefined: Undefined) -> String {
    let check = undefined.of(program);
    let location = program.location(check.span, true);
    match check.text.is_empty() {
        true => format!("{} at {location}", check.kind),
        false => format!("{} at {location}: {}", check.kind, check.text),
    }
}
