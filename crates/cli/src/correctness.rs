//! Correctness witnesses: the invariants of a proof, as far as C can express them.
//!
//! A witness is worth most if its invariants are inductive: then who checks it needs no engine. A
//! proof need not give such invariants. k-induction has none, engines for circuits have clauses
//! over bits, and a proof of one property says nothing of the others, while the specification of a
//! witness is about all. So if the invariants of the proof are not inductive, lifted PDR looks for
//! others within a budget.

use crate::c_source::CSource;
use crate::judge::{Judge, Judgement};
use crate::output::tell_crash;
use crate::view::invariants::{LoopInvariant, loop_invariants};
use anyhow::Result;
use pedra_c::specification::Specification;
use pedra_c::witness::{Content, Invariant, Place, Witness, place_of};
use pedra_c::{DataModel, LIBRARY};
use pedra_certify::reduce_program_proof;
use pedra_check::{
    EngineName, Plan, ProgramChecked, ProgramObserver, ProgramOpen, SafeUpTo, decide_program,
};
use pedra_program::recursion::Components;
use pedra_program::{Program, ProgramProof, ProgramTrace};
use pedra_solve::Interrupt;
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// How long lifted PDR looks for invariants that C can express: looks at the interrupt, a few
/// seconds. Chosen: 10,000 do not suffice for the C task `Problem01_label49`, which takes 2 s.
const LOOKS: u64 = 30_000;

/// Whether other invariants may be inductive where these are not: what is said of all elements of
/// an array has no form in witnesses.
pub fn may_have_others(invariants: &[LoopInvariant]) -> bool {
    invariants.iter().all(|of| of.quantified.is_empty())
}

/// The invariants of a witness: those of loops, as far as C can express them.
fn invariants_of(program: &Program, found: &[LoopInvariant]) -> Vec<Invariant> {
    let mut list: Vec<Invariant> = Vec::new();
    let is_own =
        |of: &&LoopInvariant| !is_library(program, of) && !of.head.is_empty() && !of.is_summary;
    for of in found.iter().filter(is_own) {
        let place = Place { function: None, ..place_of(program, of.span) };
        // The invariant of a loop of jumps belongs to its label, which is a statement.
        let is_loop = ["while", "for", "do"].iter().any(|word| of.head.starts_with(word))
            && !of.head.ends_with(':');
        let conjuncts: Vec<&str> = of.for_witness().collect();
        let value = if conjuncts.is_empty() { "1".to_owned() } else { conjuncts.join(" && ") };
        // A function that is called at several places has its loops several times; of them one
        // holds.
        match list.iter_mut().find(|known| known.place == place) {
            Some(known) if known.value == value || known.value == "1" => {}
            Some(known) if value == "1" => known.value = value,
            Some(known) => known.value = format!("({}) || ({value})", known.value),
            None => list.push(Invariant { is_loop, place, value }),
        }
    }
    list
}

/// Whether a loop is not in the program's own text.
fn is_library(program: &Program, of: &LoopInvariant) -> bool {
    program.files.get(of.span.file as usize).is_some_and(|file| file == LIBRARY)
}

/// Makes correctness witnesses of a program.
pub struct Correctness<'a> {
    /// The program.
    pub program: &'a Program,
    /// Its text.
    pub source: &'a CSource,
    /// How engines run.
    pub plan: &'a Plan,
    /// Stops everything.
    pub interrupt: &'a Interrupt,
    /// What the witness is about.
    pub specification: Specification,
    /// The data model.
    pub model: DataModel,
}

impl Correctness<'_> {
    /// A witness with these invariants.
    pub fn witness(&self, invariants: &[LoopInvariant]) -> Witness {
        let mut list = invariants_of(self.program, invariants);
        self.keep_readable(&mut list);
        self.source.witness(Content::Correctness(list), &self.specification, self.model)
    }

    /// Leaves out what cannot be read at its place: a proof may speak of variables of a caller
    /// that lie in memory, and of loops of the library.
    fn keep_readable(&self, list: &mut Vec<Invariant>) {
        let Correctness { source, plan, interrupt, .. } = *self;
        let judge = Judge { source, plan, interrupt };
        let is_read = |some: &[Invariant]| judge.reads(some, &self.specification, self.model);
        if is_read(list) {
            return;
        }
        for invariant in list.iter_mut().filter(|one| !is_read(std::slice::from_ref(one))) {
            invariant.value = "1".to_owned();
        }
        list.retain(|one| one.value != "1" || is_read(std::slice::from_ref(one)));
    }

    /// Whether its invariants are inductive by themselves, and the properties follow.
    ///
    /// # Errors
    /// If an answer failed its own check.
    pub fn is_inductive(&self, witness: &Witness) -> Result<bool> {
        let Correctness { source, plan, interrupt, .. } = *self;
        let judgement = Judge { source, plan, interrupt }.inductive(witness)?;
        Ok(matches!(judgement, Judgement::Accepted(_)))
    }

    /// A witness with other invariants, which are inductive, for properties that are proved.
    ///
    /// # Errors
    /// If an answer failed its own check.
    pub fn other(&self, selected: &[usize]) -> Result<Option<Witness>> {
        // Summaries have no form in witnesses.
        if !Components::new(self.program).recursive().is_empty() {
            return Ok(None);
        }
        let found = self.search(selected)?;
        if found.is_empty() {
            return Ok(None);
        }
        let witness = self.witness(&found);
        Ok(self.is_inductive(&witness)?.then_some(witness))
    }

    /// Invariants of lifted PDR; none if it does not prove all the properties.
    fn search(&self, selected: &[usize]) -> Result<Vec<LoopInvariant>> {
        let plan = Plan { engine: EngineName::Program, threads: 1, ..self.plan.clone() };
        let stop = self.interrupt.child_with_looks(LOOKS);
        let answers = Answers::new(self.program, &plan, stop, true);
        decide_program(self.program, selected, &plan, &answers.stop, &answers)?;
        let found = answers.into_found();
        let is_proved = found.proved.len() == selected.len();
        Ok(if is_proved { found.invariants } else { Vec::new() })
    }
}

/// What was found of all properties of a question.
#[derive(Default)]
pub struct Found {
    /// The properties that are proved.
    pub proved: BTreeSet<usize>,
    /// A violation.
    pub violated: Option<ProgramTrace>,
    /// Of the proofs that were heard of; each once.
    pub invariants: Vec<LoopInvariant>,
    /// Why properties are open.
    pub open: Vec<ProgramOpen>,
    proof: Option<Arc<ProgramProof>>,
}

/// Hears the answers to a question, until the first violation.
pub struct Answers<'a> {
    program: &'a Program,
    plan: &'a Plan,
    /// Stops the search.
    pub stop: Interrupt,
    found: Mutex<Found>,
    wants_invariants: bool,
}

impl<'a> Answers<'a> {
    /// Nothing was heard yet.
    pub fn new(
        program: &'a Program,
        plan: &'a Plan,
        stop: Interrupt,
        wants_invariants: bool,
    ) -> Answers<'a> {
        Answers { program, plan, stop, found: Mutex::default(), wants_invariants }
    }

    /// What was heard.
    pub fn into_found(self) -> Found {
        self.found.into_inner().unwrap_or_else(PoisonError::into_inner)
    }

    fn found(&self) -> MutexGuard<'_, Found> {
        self.found.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ProgramObserver for Answers<'_> {
    type Error = anyhow::Error;

    fn crashed(&self, engine: &'static str, text: &str) {
        tell_crash(engine, text);
    }

    fn settled(
        &self,
        property: usize,
        engine: &'static str,
        answer: &ProgramChecked,
    ) -> Result<()> {
        if matches!(answer, ProgramChecked::Proved(..)) {
            self.found().proved.insert(property);
        }
        match answer {
            ProgramChecked::Violated(trace) => {
                self.found().violated.get_or_insert_with(|| trace.clone());
                // One violation answers the whole question.
                self.stop.raise();
            }
            ProgramChecked::Proved(proof, inlined, _) if self.wants_invariants => {
                let is_known =
                    self.found().proof.as_ref().is_some_and(|known| Arc::ptr_eq(known, proof));
                if !is_known {
                    let options = self.plan.check_options(engine, &self.stop);
                    let small =
                        reduce_program_proof(&inlined.program, proof, &self.plan.blast, &options);
                    let more = loop_invariants(self.program, inlined, &small);
                    let mut found = self.found();
                    found.proof = Some(proof.clone());
                    join(&mut found.invariants, more);
                }
            }
            ProgramChecked::Proved(..) => {}
        }
        Ok(())
    }

    fn open(&self, _: usize, why: ProgramOpen, _: Option<SafeUpTo>) {
        self.found().open.push(why);
    }
}

/// What several proofs say of a loop holds together.
fn join(known: &mut Vec<LoopInvariant>, more: Vec<LoopInvariant>) {
    // A loop of a function that is called several times is there several times in each proof; then
    // only one proof is used.
    let count = |list: &[LoopInvariant], of: &LoopInvariant| {
        list.iter().filter(|other| other.span == of.span).count()
    };
    let add = |known: &mut Vec<String>, more: Vec<String>| {
        let new: Vec<String> = more.into_iter().filter(|text| !known.contains(text)).collect();
        known.extend(new);
    };
    let (before, all) = (known.clone(), more.clone());
    for of in more {
        match (count(&before, &of), count(&all, &of)) {
            (0, _) => known.push(of),
            (1, 1) => {
                let place = known.iter_mut().find(|other| other.span == of.span);
                let place = place.expect("one is there");
                add(&mut place.shown, of.shown);
                add(&mut place.for_tools, of.for_tools);
            }
            _ => {}
        }
    }
}
