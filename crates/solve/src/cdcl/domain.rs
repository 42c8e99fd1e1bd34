//! The domain: the variables to which a query is confined.
//!
//! Clauses are of two kinds. *Definitions* `D`: each defined variable has clauses over itself
//! and variables with smaller numbers (its fanin), which for every assignment of the fanin
//! admit some value of the variable (the definition is *total*). *Lemmas* `L`: all others.
//!
//! A domain `V` contains the variables of `L`, of the assumptions and of the temporary clauses,
//! and with each defined variable its fanin. Let `F_V` be `L` with the definitions of the
//! variables of `V`; all its variables are in `V`.
//!
//! *Claim*: an assignment of `V` that satisfies `F_V` can be extended to one that satisfies
//! `D ∧ L`. Go through the variables outside of `V` in ascending order and give each a value
//! that its definition admits. That works since definitions are total, and touches no clause of
//! `F_V`. So a query may ignore everything outside: it is satisfiable iff `F_V` is.
//!
//! The search therefore decides only variables of `V`, and propagation may skip any clause that
//! has an unassigned variable outside. It need not skip all of them, since every clause in the
//! solver follows from `D ∧ L`; learnt clauses of other queries are welcome. Level 0 propagates
//! in full, so what is fixed does not depend on domains.
//!
//! A fixed variable does not end the closure: with `v = a ⊕ b` and the lemma `v`, the fanin is
//! constrained through `v`, and `a` must bring `b` along.

use super::Cdcl;
use super::trail::{OPEN, OUTSIDE, Trail};
use super::watches::Lists;
use pedra_model::lit::{Lit, Var};

/// Of this many variables that a definition mentions it is known that they are mentioned once.
const MAX_SEARCHED: usize = 64;

/// To which part of the domain a variable belongs.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Member {
    No,
    /// For the current query, or while the domain is pinned.
    Query,
    /// For good.
    Permanent,
}

/// Dependencies, and who is inside.
#[derive(Clone)]
pub(super) struct Domain {
    /// For each variable the variables of its definition.
    fanins: Lists<Var>,
    members: Vec<Member>,
    permanent: Vec<Var>,
    /// What the query has besides; may overlap with `permanent`.
    query: Vec<Var>,
    pub(super) is_pinned: bool,
}

impl Domain {
    pub(super) fn new() -> Domain {
        Domain {
            fanins: Lists::new(),
            members: Vec::new(),
            permanent: Vec::new(),
            query: Vec::new(),
            is_pinned: false,
        }
    }

    /// The memory that a copy of the dependencies takes.
    pub(super) fn bytes(&self) -> usize {
        self.fanins.bytes()
    }

    /// Variables below `count` exist from now on.
    pub(super) fn resize(&mut self, count: usize) {
        self.fanins.resize(count);
        self.members.resize(count, Member::No);
    }

    /// Takes a variable and what it depends on into the domain for good.
    pub(super) fn add_permanent(&mut self, var: Var, trail: &mut Trail) {
        self.add(var, Member::Permanent, trail);
    }

    /// Takes a variable and what it depends on into the domain of the query.
    #[inline]
    pub(super) fn add_query(&mut self, var: Var, trail: &mut Trail) {
        if self.members[var.index()] == Member::No {
            self.add(var, Member::Query, trail);
        }
    }

    /// Enters a variable and all it depends on, breadth first: the list of members is the
    /// worklist at the same time.
    fn add(&mut self, var: Var, part: Member, trail: &mut Trail) {
        let Domain { fanins, members, permanent, query, .. } = self;
        let list = if part == Member::Permanent { permanent } else { query };
        let mut enter = |var: Var, list: &mut Vec<Var>| {
            let member = &mut members[var.index()];
            if *member < part {
                *member = part;
                trail.set_unassigned(var, OPEN);
                list.push(var);
            }
        };
        let mut next = list.len();
        enter(var, list);
        while let Some(&var) = list.get(next) {
            next += 1;
            for &fanin in fanins.get(var.index()) {
                enter(fanin, list);
            }
        }
    }

    /// Notes that the definition of `var` mentions `fanin`.
    pub(super) fn depend(&mut self, var: Var, fanin: Var, trail: &mut Trail) {
        debug_assert!(fanin < var, "definitions form a DAG");
        self.depend_on(var, fanin, trail);
    }

    /// Notes that a domain with `var` must have `fanin`.
    pub(super) fn depend_on(&mut self, var: Var, fanin: Var, trail: &mut Trail) {
        // To have one twice costs a little time in each query, to search a gate of a million
        // inputs for each of them costs hours.
        let fanins = self.fanins.get(var.index());
        if fanins[..fanins.len().min(MAX_SEARCHED)].contains(&fanin) {
            return;
        }
        self.fanins.push(var.index(), fanin);
        // A variable may be in use before it is defined.
        match self.members[var.index()] {
            Member::No => {}
            part => self.add(fanin, part, trail),
        }
    }

    /// Ends the query's part.
    pub(super) fn release(&mut self, trail: &mut Trail) {
        for var in self.query.drain(..) {
            let member = &mut self.members[var.index()];
            if *member == Member::Query {
                *member = Member::No;
                trail.set_unassigned(var, OUTSIDE);
            }
        }
    }

    /// All variables of the domain; one can occur twice.
    pub(super) fn vars(&self) -> impl Iterator<Item = Var> {
        self.permanent.iter().chain(&self.query).copied()
    }

    /// What the query has besides the permanent domain.
    pub(super) fn query(&self) -> &[Var] {
        &self.query
    }

    fn is_inside(&self, var: Var) -> bool {
        self.members[var.index()] != Member::No
    }
}

/// Definitions and domains; not part of [`SatSolver`](crate::SatSolver).
impl Cdcl {
    /// Defines `var` by clauses over it and variables with smaller numbers.
    ///
    /// Other than by [`add_clause`](crate::SatSolver::add_clause), the variable does not enter
    /// the permanent domain: the clauses count only in queries that depend on it.
    ///
    /// The definition must be *total*: each assignment of the smaller variables can be
    /// completed with a value of `var`. Answers are wrong otherwise. Debug builds check this
    /// if there are at most eight smaller variables.
    ///
    /// # Panics
    /// If a clause lacks `var` or has a larger variable.
    pub fn add_definition(&mut self, var: Var, clauses: &[&[Lit]]) {
        for clause in clauses {
            let top = clause.iter().map(|lit| lit.var()).max();
            assert_eq!(top, Some(var), "{clause:?} does not define {var:?}");
        }
        debug_assert!(is_total(var, clauses), "the definition {clauses:?} is not total");
        for clause in clauses {
            self.add_definition_clause(clause);
        }
    }

    /// Adds one clause of the definition of the largest variable in it. For all clauses of one
    /// variable together the rules of [`add_definition`](Cdcl::add_definition) hold.
    pub fn add_definition_clause(&mut self, lits: &[Lit]) {
        self.end_query();
        if !self.normalise(lits) {
            return;
        }
        if let Some(&top) = self.buffer.last() {
            for &lit in &self.buffer[..self.buffer.len() - 1] {
                self.domain.depend(top.var(), lit.var(), &mut self.trail);
            }
            // The defined variable becomes a blocker: if it is outside, so is the clause.
            self.buffer.rotate_right(1);
        }
        self.store_given();
    }

    /// Fixes the domain for a series of queries: the permanent domain and what `lits` depend
    /// on. Saves computing it each time, in a series (the generalisation of a cube) that stays
    /// within. A query that does not makes the pinned domain larger. Replaces a former one.
    pub fn pin_domain(&mut self, lits: &[Lit]) {
        self.unpin_domain();
        self.domain.is_pinned = true;
        self.enter_domain(lits);
    }

    /// Ends [`pin_domain`](Cdcl::pin_domain): each query has its own domain again.
    pub fn unpin_domain(&mut self) {
        self.domain.is_pinned = false;
        self.end_query();
    }

    /// Whether the variable is in the domain of the last query (or in the pinned one).
    pub fn is_in_domain(&self, var: Var) -> bool {
        var == Var::CONST || self.domain.is_inside(var)
    }

    /// Takes the literals and their cones into the query's domain.
    pub(super) fn enter_domain(&mut self, lits: &[Lit]) {
        for &lit in lits {
            if !lit.is_const() {
                self.domain.add_query(lit.var(), &mut self.trail);
            }
        }
    }
}

/// Whether every assignment of the other variables leaves a value for `var`; true without a
/// look if there are many of them.
fn is_total(var: Var, clauses: &[&[Lit]]) -> bool {
    let mut fanin: Vec<Var> = clauses
        .iter()
        .flat_map(|clause| clause.iter())
        .map(|lit| lit.var())
        .filter(|&other| other != var && other != Var::CONST)
        .collect();
    fanin.sort_unstable();
    fanin.dedup();
    if fanin.len() > 8 {
        return true;
    }
    let admits = |bits: usize, value: bool| {
        let holds = |lit: &Lit| {
            let positive = match lit.var() {
                Var::CONST => false,
                of if of == var => value,
                of => bits >> fanin.binary_search(&of).expect("collected above") & 1 == 1,
            };
            positive != lit.is_negated()
        };
        clauses.iter().all(|clause| clause.iter().any(holds))
    };
    (0..1 << fanin.len()).all(|bits| admits(bits, false) || admits(bits, true))
}
