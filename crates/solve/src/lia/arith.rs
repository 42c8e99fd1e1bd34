//! The theory: atoms `form ≤ bound`, and the search's literals as bounds of the simplex.
//!
//! There is one kind of atom. `e ≤ 0` is brought to a form with coprime factors of which the
//! first is positive, so that a positive literal bounds the form from above by `k`, and a
//! negative one from below by `k + 1`: over the integers nothing lies between. Forms that differ
//! by a factor or a sign are one. Hence each bound has exactly one literal as its reason, and a
//! split is an atom without any clause.
//!
//! *Propagation*: a bound implies the weaker atoms of its form; these lie beside each other in
//! an array. The reason is the one literal, so nothing is stored.
//!
//! *Phases* (`Heuristic:`): an atom is decided as the present values have it, so that atoms of
//! no concern cost no pivots.

use super::int::Int;
use super::linear::{Inequality, IntVar, Linear, Terms, normalise};
use super::log::{Log, Sum};
use super::simplex::{Bound, Conflict, Outcome, Side, Simplex};
use super::tableau::Place;
use crate::cdcl::{Findings, Theory, Verdict};
use crate::interrupt::Interrupt;
use pedra_model::linear_proof::Source;
use pedra_model::lit::{Lit, Var};
use rustc_hash::FxHashMap;

/// Rows that may lie about beyond twice those that the last query used.
const SPARE_ROWS: usize = 64;

/// `form ≤ bound`.
#[derive(Clone)]
struct Atom {
    form: IntVar,
    bound: Int,
}

/// How much a query may do beyond search.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct LiaLimits {
    /// Splits and cuts of one query.
    pub splits: u64,
    /// Terms touched by pivots in one query.
    pub work: u64,
}

impl Default for LiaLimits {
    /// Some seconds.
    fn default() -> LiaLimits {
        LiaLimits { splits: 2_000, work: 200_000_000 }
    }
}

/// What the theory counts, since its creation.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct LiaStats {
    /// Simplex checks.
    pub checks: u64,
    /// Pivots.
    pub pivots: u64,
    /// Conflicts over the rationals.
    pub conflicts: u64,
    /// Conflicts from divisibility, in one row or in all equalities together.
    pub gcd_conflicts: u64,
    /// Atoms split on.
    pub splits: u64,
    /// Cuts.
    pub cuts: u64,
    /// Atoms implied by others of the same form.
    pub implied: u64,
    /// Times that all rows were removed.
    pub clears: u64,
}

/// The theory.
pub(super) struct Arith {
    pub(super) simplex: Simplex,
    atoms: Vec<Atom>,
    /// For each variable of the search its atom, or [`Arith::NONE`].
    atom_of: Vec<u32>,
    /// For each form its atoms by bound.
    by_form: Vec<Vec<(Int, Var)>>,
    forms: FxHashMap<Terms, IntVar>,
    pub(super) interrupt: Interrupt,
    pub(super) limits: LiaLimits,
    pub(super) splits_left: u64,
    /// Bounds that the running query has had at one time, at most.
    peak: usize,
    pub(super) log: Option<Log>,
    pub(super) stats: LiaStats,
}

impl Arith {
    const NONE: u32 = u32::MAX;

    pub(super) fn new() -> Arith {
        Arith {
            simplex: Simplex::new(),
            atoms: Vec::new(),
            atom_of: Vec::new(),
            by_form: Vec::new(),
            forms: FxHashMap::default(),
            interrupt: Interrupt::new(),
            limits: LiaLimits::default(),
            splits_left: 0,
            peak: 0,
            log: None,
            stats: LiaStats::default(),
        }
    }

    /// A new integer variable.
    pub(super) fn new_int(&mut self) -> IntVar {
        self.by_form.push(Vec::new());
        self.simplex.add(Vec::new())
    }

    /// The variable or form that stands for coprime terms.
    fn form(&mut self, terms: &[(IntVar, Int)]) -> IntVar {
        if let [(var, factor)] = terms {
            debug_assert!(factor.is_one());
            return *var;
        }
        if let Some(&form) = self.forms.get(terms) {
            return form;
        }
        let form = self.simplex.add(terms.to_vec());
        self.by_form.push(Vec::new());
        self.forms.insert(terms.to_vec(), form);
        form
    }

    /// The literal of `expression ≤ 0`; if its atom is new, it gets the variable `next_var`.
    pub(super) fn literal(&mut self, expression: &Linear, next_var: Var) -> Lit {
        match normalise(expression) {
            Inequality::Constant(value) => Lit::constant(value),
            Inequality::Bound { terms, bound, is_negated } => {
                let form = self.form(&terms);
                Lit::new(self.atom(form, bound, next_var), is_negated)
            }
        }
    }

    /// The variable of `form ≤ bound`, which is `next_var` if it is new.
    pub(super) fn atom(&mut self, form: IntVar, bound: Int, next_var: Var) -> Var {
        let atoms = &mut self.by_form[form.index()];
        match atoms.binary_search_by(|(other, _)| other.cmp(&bound)) {
            Ok(place) => atoms[place].1,
            Err(place) => {
                atoms.insert(place, (bound.clone(), next_var));
                if let Some(log) = &self.log {
                    log.atom(next_var, &self.terms(form), &bound);
                }
                if self.atom_of.len() <= next_var.index() {
                    self.atom_of.resize(next_var.index() + 1, Self::NONE);
                }
                self.atom_of[next_var.index()] = self.atoms.len() as u32;
                self.atoms.push(Atom { form, bound });
                next_var
            }
        }
    }

    /// A variable or form in terms of variables.
    pub(super) fn terms(&self, form: IntVar) -> Terms {
        match self.simplex.is_form(form) {
            true => self.simplex.definition(form).clone(),
            false => vec![(form, Int::ONE)],
        }
    }

    fn atom_of(&self, var: Var) -> Option<&Atom> {
        let number = *self.atom_of.get(var.index())?;
        self.atoms.get(number as usize)
    }

    /// Whether a variable of the search is an atom over an integer variable.
    pub(super) fn mentions(&self, atom: Var, var: IntVar) -> bool {
        self.atom_of(atom).is_some_and(|atom| {
            atom.form == var
                || self.simplex.definition(atom.form).iter().any(|&(other, _)| other == var)
        })
    }

    /// The inequality of an atom's literal: `terms ≤ bound`, or `terms ≥ bound`.
    pub(super) fn inequality(&self, lit: Lit) -> Option<(IntVar, Side, Int)> {
        let atom = self.atom_of(lit.var())?;
        Some(match lit.is_negated() {
            false => (atom.form, Side::Upper, atom.bound.clone()),
            true => (atom.form, Side::Lower, &atom.bound + &Int::ONE),
        })
    }

    /// Prepares for a query; the search is at level 0.
    pub(super) fn begin_query(&mut self) {
        self.simplex.backtrack(0);
        if self.simplex.tableau.rows.len() > 2 * self.peak + SPARE_ROWS {
            self.stats.clears += 1;
            self.simplex.clear();
        }
        self.peak = 0;
        self.splits_left = self.limits.splits;
        self.simplex.last_work = self.simplex.tableau.work.saturating_add(self.limits.work);
    }

    /// Turns bounds that clash into a clause.
    fn refute(&mut self, conflict: Conflict, findings: &mut Findings) -> Verdict {
        self.stats.conflicts += 1;
        findings.clause.clear();
        findings.clause.extend(conflict.iter().map(|&(lit, _)| !lit));
        if let Some(log) = &self.log {
            let part = |(place, (_, weight)): (usize, (Lit, Int))| (Source::Premise(place), weight);
            let parts = conflict.into_iter().enumerate().map(part).collect();
            log.derivation([Sum { parts, divisor: Int::ONE }]);
        }
        Verdict::Conflict
    }

    /// Finds the atoms of a form that follow from a new bound.
    fn imply(&mut self, form: IntVar, side: Side, bound: &Int, cause: Lit, to: &mut Findings) {
        let atoms = &self.by_form[form.index()];
        let before = to.implied.len();
        match side {
            // form ≤ bound implies form ≤ k for k ≥ bound
            Side::Upper => {
                let start = atoms.partition_point(|(k, _)| k < bound);
                to.implied.extend(atoms[start..].iter().map(|&(_, var)| (var.lit(), cause)));
            }
            // form ≥ bound implies ¬(form ≤ k) for k < bound
            Side::Lower => {
                let end = atoms.partition_point(|(k, _)| k < bound);
                to.implied.extend(atoms[..end].iter().map(|&(_, var)| (!var.lit(), cause)));
            }
        }
        // The cause is among them.
        to.implied.retain(|&(lit, _)| lit != cause);
        self.stats.implied += (to.implied.len() - before) as u64;
    }

    /// The integer value of a variable in the present solution.
    pub(super) fn value(&self, var: IntVar) -> Int {
        let (numerator, denominator) =
            self.simplex.tableau.fraction(var).expect("a variable has a value");
        debug_assert!(numerator.is_multiple_of(&denominator), "values of models are integers");
        numerator.div_floor(&denominator)
    }
}

impl Theory for Arith {
    fn backtrack(&mut self, level: usize) {
        self.simplex.backtrack(level);
    }

    fn assert(&mut self, lit: Lit, level: usize, findings: &mut Findings) -> Verdict {
        let Some((form, side, value)) = self.inequality(lit) else {
            return Verdict::Consistent;
        };
        self.simplex.push_levels(level);
        let bound = Bound { value: value.clone(), reason: lit };
        match self.simplex.assert(form, side, bound) {
            Err(conflict) => self.refute(conflict, findings),
            Ok(is_news) => {
                if is_news {
                    self.imply(form, side, &value, lit, findings);
                }
                self.peak = self.peak.max(self.simplex.num_bounds());
                Verdict::Consistent
            }
        }
    }

    fn check(&mut self, is_complete: bool, next_var: Var, findings: &mut Findings) -> Verdict {
        self.stats.checks += 1;
        let outcome = self.simplex.check(&self.interrupt);
        self.stats.pivots = self.simplex.pivots;
        match outcome {
            Outcome::Conflict(conflict) => self.refute(conflict, findings),
            Outcome::Stopped => Verdict::Stopped,
            Outcome::Feasible if is_complete => self.check_integers(next_var, findings),
            Outcome::Feasible => Verdict::Consistent,
        }
    }

    fn phase(&self, var: Var) -> Option<bool> {
        let Atom { form, bound } = self.atom_of(var)?;
        let tableau = &self.simplex.tableau;
        if tableau.place(*form) != Place::Absent {
            let (numerator, denominator) = tableau.fraction(*form)?;
            // A fraction between the two values of a split goes towards 0: away from it there
            // may be no end.
            let is_above = numerator > bound * &denominator;
            let is_below = numerator < &(bound + &Int::ONE) * &denominator;
            return Some(if is_above && is_below { numerator.is_positive() } else { !is_above });
        }
        let mut sum = Int::ZERO;
        for (var, factor) in self.simplex.definition(*form) {
            let (numerator, denominator) = tableau.fraction(*var)?;
            sum = &sum + &(factor * &numerator.div_floor(&denominator));
        }
        Some(sum <= *bound)
    }
}
