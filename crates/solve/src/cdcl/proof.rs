//! A record of what the solver concluded, so that its answers can be verified.
//!
//! The steps are those of DRAT: clauses that are given, clauses that follow by unit propagation
//! from what is there (reverse unit propagation, Goldberg and Novikov 2003), and deletions.
//! Every literal that becomes fixed is a step of its own, so deletions never take away what a
//! later step needs. An `Unsat` answer ends with the derivation of the clause `⋁ ¬core` (with
//! [`ACTIVATION`]'s negation if the query had temporary clauses), which is deleted again: it is
//! the claim, not a clause of the solver.
//!
//! Under a theory, its lemmas are steps, too: they must be justified by other means.
//!
//! Constants never occur in steps; their variable stands for the activation variable instead.

use pedra_model::lit::{Lit, Var};
use std::io::{self, Write};

/// The variable that guards temporary clauses, as it appears in proofs: each temporary clause
/// is given together with its negation. When a query ends, all clauses with it are deleted.
pub const ACTIVATION: Var = Var::CONST;

/// One step of a proof.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum ProofStep<'a> {
    /// A clause that was added from outside, without constants and repetitions.
    Given(&'a [Lit]),
    /// A clause that holds in the theory, and is not part of the propositional argument.
    Lemma(&'a [Lit]),
    /// A clause that follows by unit propagation.
    Derived(&'a [Lit]),
    /// A clause that is not used any more.
    Deleted(&'a [Lit]),
}

/// Something that takes the steps as they come.
pub trait ProofSink: Send {
    /// Takes a step.
    fn step(&mut self, step: ProofStep<'_>);

    /// The sink for a clone of the solver, which starts with the same steps taken. By default
    /// clones are not recorded.
    fn fork(&self) -> Option<Box<dyn ProofSink>> {
        None
    }
}

/// Writes derivations and deletions as DRAT text; the variable `v` becomes `v + 1`. Given
/// clauses (and lemmas of a theory) are not part of DRAT, they are the formula.
pub struct DratWriter<W> {
    to: W,
    /// The first failure; nothing is written after it.
    error: Option<io::Error>,
}

impl<W: Write> DratWriter<W> {
    /// A writer of DRAT lines.
    pub fn new(to: W) -> DratWriter<W> {
        DratWriter { to, error: None }
    }

    /// Flushes, and gives the target back or the first error that occurred.
    pub fn finish(mut self) -> io::Result<W> {
        match self.error {
            Some(error) => Err(error),
            None => self.to.flush().map(|()| self.to),
        }
    }

    fn write(&mut self, prefix: &str, lits: &[Lit]) -> io::Result<()> {
        self.to.write_all(prefix.as_bytes())?;
        for lit in lits {
            let sign = if lit.is_negated() { "-" } else { "" };
            write!(self.to, "{sign}{} ", lit.var().index() + 1)?;
        }
        self.to.write_all(b"0\n")
    }
}

impl<W: Write + Send> ProofSink for DratWriter<W> {
    fn step(&mut self, step: ProofStep<'_>) {
        if self.error.is_some() {
            return;
        }
        self.error = match step {
            ProofStep::Given(_) | ProofStep::Lemma(_) => return,
            ProofStep::Derived(lits) => self.write("", lits),
            ProofStep::Deleted(lits) => self.write("d ", lits),
        }
        .err();
    }
}

/// The sink of a solver, if it has one.
#[derive(Default)]
pub(super) struct Proof(Option<Box<dyn ProofSink>>);

impl Proof {
    pub(super) fn set(&mut self, sink: Option<Box<dyn ProofSink>>) {
        self.0 = sink;
    }

    pub(super) fn is_on(&self) -> bool {
        self.0.is_some()
    }

    #[inline]
    pub(super) fn step(&mut self, step: ProofStep<'_>) {
        if let Some(sink) = &mut self.0 {
            sink.step(step);
        }
    }

    #[inline]
    pub(super) fn given(&mut self, lits: &[Lit]) {
        self.step(ProofStep::Given(lits));
    }

    #[inline]
    pub(super) fn lemma(&mut self, lits: &[Lit]) {
        self.step(ProofStep::Lemma(lits));
    }

    #[inline]
    pub(super) fn derived(&mut self, lits: &[Lit]) {
        self.step(ProofStep::Derived(lits));
    }

    #[inline]
    pub(super) fn deleted(&mut self, lits: &[Lit]) {
        self.step(ProofStep::Deleted(lits));
    }
}

impl Clone for Proof {
    fn clone(&self) -> Proof {
        Proof(self.0.as_ref().and_then(|sink| sink.fork()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn drat_text() {
        let mut writer = DratWriter::new(Vec::new());
        let lits = [Var::new(3).lit(), !Var::new(1).lit()];
        writer.step(ProofStep::Given(&lits));
        writer.step(ProofStep::Derived(&lits));
        writer.step(ProofStep::Deleted(&lits[..1]));
        writer.step(ProofStep::Derived(&[]));
        let text = writer.finish().expect("a vector takes everything");
        assert_eq!(text, b"4 -2 0\nd 4 0\n0\n");
    }
}
