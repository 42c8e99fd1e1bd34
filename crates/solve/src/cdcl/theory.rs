//! The hook for a theory: DPLL(T).
//!
//! R. Nieuwenhuis, A. Oliveras, C. Tinelli: *Solving SAT and SAT Modulo Theories*, JACM 2006. A
//! theory gives some variables a meaning (they are *atoms*), and watches the search: it takes
//! each literal that becomes true, and says when they contradict each other, what follows from
//! them, and whether a complete assignment has a model. The search is generic in the theory;
//! without one (`()`) the hook compiles to nothing.
//!
//! *Domains.* Atoms are leaves of definitions. A clause of the theory (a *lemma*) holds in all
//! its models, so it is a welcome guest like a learnt clause: it brings no variable into the
//! domain, and is passed over where one of its variables is outside. The claim of
//! [`domain`](super::domain) then reads: an assignment of `V` that satisfies `F_V`, with a model
//! of the theory for the atoms of `V`, can be extended. Atoms outside take their value in that
//! model, and defined variables follow.
//!
//! Lemmas are not stored but for the reasons of implied literals: what analysis makes of a
//! conflict is stronger, and the theory will find its part again.

use super::propagate::Conflict;
use super::trail::{FALSE, OPEN, Reason};
use super::{Cdcl, FAILED};
use crate::sat::{SatResult, SatSolver};
use pedra_model::lit::{Lit, Var};

/// What a theory says of the literals it was given.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// No contradiction. Of a complete assignment: it has a model.
    Consistent,
    /// The clause in [`Findings::clause`] is a lemma, and all its literals are false.
    Conflict,
    /// The clause in [`Findings::clause`] is a lemma of at least two literals. The first one
    /// has no value, and all others are false.
    Implied,
    /// This atom must be decided, too; it has no value. Only for complete assignments.
    Split(Var),
    /// No answer within the limits.
    Stopped,
}

/// What a theory hands out.
#[derive(Clone, Debug, Default)]
pub struct Findings {
    /// The clause of a [`Verdict`].
    pub clause: Vec<Lit>,
    /// Pairs `(implied, cause)` for lemmas `¬cause ∨ implied`. The cause is true.
    pub implied: Vec<(Lit, Lit)>,
}

/// A theory.
pub trait Theory {
    /// Whether there is anything to ask.
    const IS_EMPTY: bool = false;

    /// Takes back all literals above this level. Level 0 stays.
    fn backtrack(&mut self, level: usize);

    /// Takes a literal that has become true at this level; levels never decrease between
    /// calls of [`backtrack`](Theory::backtrack). May find implied literals.
    fn assert(&mut self, lit: Lit, level: usize, findings: &mut Findings) -> Verdict;

    /// Can all literals be true? If `is_complete`, every variable of the query has a value, and
    /// the answer must be exact. New atoms get the numbers from `next_var` on.
    fn check(&mut self, is_complete: bool, next_var: Var, findings: &mut Findings) -> Verdict;

    /// A value for an atom that fits the theory's present model.
    fn phase(&self, var: Var) -> Option<bool>;
}

/// No theory.
impl Theory for () {
    const IS_EMPTY: bool = true;

    #[inline]
    fn backtrack(&mut self, _: usize) {}

    #[inline]
    fn assert(&mut self, _: Lit, _: usize, _: &mut Findings) -> Verdict {
        Verdict::Consistent
    }

    #[inline]
    fn check(&mut self, _: bool, _: Var, _: &mut Findings) -> Verdict {
        Verdict::Consistent
    }

    #[inline]
    fn phase(&self, _: Var) -> Option<bool> {
        None
    }
}

/// What the search does after the theory was asked.
pub(super) enum Consultation {
    /// Decide, or end if complete.
    Quiet,
    /// Something was assigned or a variable entered the domain.
    Progress,
    Conflict(Conflict),
    Stopped,
}

impl Cdcl {
    /// [`solve_with`](Cdcl::solve_with) under a theory. All queries of a solver must be under
    /// the same one.
    pub fn solve_in(
        &mut self,
        assumptions: &[Lit],
        temporary: &[&[Lit]],
        theory: &mut impl Theory,
    ) -> SatResult {
        self.stats.queries += 1;
        self.end_query();
        theory.backtrack(0);
        let result = self.answer_query(assumptions, temporary, theory);
        self.answer = Some(result);
        for lit in &self.core {
            self.marks[lit.index()] |= FAILED;
        }
        result
    }

    /// Adds a clause that counts where one of its variables is in the domain for another
    /// reason. The caller sees to it, with [`add_dependency`](Cdcl::add_dependency), that any
    /// model of a domain that lacks one of its variables can be extended.
    pub fn add_guest_clause(&mut self, lits: &[Lit]) {
        self.end_query();
        if self.normalise(lits) {
            self.store_given();
        }
    }

    /// Where `var` is in the domain, `other` is, too. Dependencies of this kind may go in
    /// circles.
    pub fn add_dependency(&mut self, var: Var, other: Var) {
        self.end_query();
        self.domain.depend_on(var, other, &mut self.trail);
    }

    /// Shows the theory what is new on the trail, and asks it.
    pub(super) fn consult<T: Theory>(&mut self, theory: &mut T, is_complete: bool) -> Consultation {
        if T::IS_EMPTY {
            return Consultation::Quiet;
        }
        let mut findings = std::mem::take(&mut self.findings);
        let verdict = self.tell(theory, is_complete, &mut findings);
        let mut is_progress = false;
        for (implied, cause) in findings.implied.drain(..) {
            is_progress |= verdict == Verdict::Consistent && self.imply(implied, cause);
        }
        self.findings = findings;
        match verdict {
            // What is implied comes first; a complete assignment leaves nothing to imply.
            Verdict::Consistent if is_progress => Consultation::Progress,
            Verdict::Consistent => Consultation::Quiet,
            Verdict::Stopped => Consultation::Stopped,
            Verdict::Conflict => {
                self.proof.lemma(&self.findings.clause);
                Consultation::Conflict(Conflict::Lemma)
            }
            Verdict::Implied => {
                self.imply_by_clause();
                Consultation::Progress
            }
            Verdict::Split(var) => {
                self.enter_late(var);
                debug_assert_eq!(self.trail.value(var.lit()), OPEN, "a split has no value");
                Consultation::Progress
            }
        }
    }

    fn tell<T: Theory>(
        &mut self,
        theory: &mut T,
        is_complete: bool,
        findings: &mut Findings,
    ) -> Verdict {
        let mut is_news = false;
        while let Some(&lit) = self.trail.lits.get(self.trail.theory_head) {
            self.trail.theory_head += 1;
            is_news = true;
            let verdict = theory.assert(lit, self.trail.level_of(lit), findings);
            if verdict != Verdict::Consistent {
                return verdict;
            }
        }
        // What follows at once may make the check needless.
        if !is_complete && (!is_news || findings.implied.iter().any(|&(lit, _)| self.is_open(lit)))
        {
            return Verdict::Consistent;
        }
        theory.check(is_complete, Var::new(self.num_vars()), findings)
    }

    /// Takes a variable, which may be new, into the domain of the running query.
    fn enter_late(&mut self, var: Var) {
        self.reserve_vars(var);
        let Cdcl { domain, decider, trail, .. } = self;
        let before = domain.query().len();
        domain.add_query(var, trail);
        domain.query()[before..].iter().for_each(|&var| decider.push(var));
    }

    fn is_open(&self, lit: Lit) -> bool {
        self.trail.value(lit) == OPEN
    }

    /// Assigns a literal that follows from one other by the theory.
    fn imply(&mut self, implied: Lit, cause: Lit) -> bool {
        if !self.is_open(implied) {
            return false;
        }
        self.proof.lemma(&[implied, !cause]);
        if self.trail.level() == 0 {
            self.proof.derived(&[implied]);
            self.trail.assign(implied, Reason::NONE);
        } else {
            self.trail.assign(implied, Reason::binary(!cause));
        }
        true
    }

    /// Assigns the first literal of the clause in `findings`, of which the others are false.
    fn imply_by_clause(&mut self) {
        let mut clause = std::mem::take(&mut self.findings.clause);
        self.proof.lemma(&clause);
        self.enter_late(clause[0].var());
        debug_assert!(self.is_open(clause[0]) && clause.len() > 1);
        debug_assert!(clause[1..].iter().all(|&lit| self.trail.value(lit) == FALSE));
        if let Some(highest) =
            (1..clause.len()).max_by_key(|&place| self.trail.level_of(clause[place]))
        {
            clause.swap(1, highest);
        }
        let reason = match *clause {
            _ if self.trail.level() == 0 => {
                self.proof.derived(&clause[..1]);
                Reason::NONE
            }
            [_, other] => Reason::binary(other),
            _ => {
                let reference = self.attach(&clause, true);
                self.bump_clause(reference);
                self.database.learnts.push(reference);
                Reason::clause(reference)
            }
        };
        self.trail.assign(clause[0], reason);
        self.findings.clause = clause;
    }
}
