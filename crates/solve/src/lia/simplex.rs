//! General simplex: bounds that come and go, and whether the rows can meet them.
//!
//! B. Dutertre, L. de Moura: *A Fast Linear-Arithmetic Solver for DPLL(T)*, CAV 2006. Invariant
//! between calls: every nonbasic variable is within its bounds. So only basic variables can be
//! outside of theirs; those that may be are queued. Taking bounds back makes no variable worse,
//! hence values are not restored.
//!
//! Each bound comes from one literal. A row that cannot be met gives a conflict: bounds whose
//! sum with the row's factors as weights is `0 ≤ −1` or worse (Farkas), which is both the
//! clause to learn and its certificate.
//!
//! `Heuristic:` the entering variable is that of the shortest column. After [`PIVOTS_UNTIL_BLAND`]
//! pivots of one check it is the first one, which with the first basic variable leaving is
//! Bland's rule and terminates.

use super::int::Int;
use super::linear::{IntVar, Terms};
use super::tableau::{Place, Tableau};
use crate::interrupt::Interrupt;
use pedra_model::lit::Lit;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Pivots of one check after which the choice is Bland's; a small multiple of the rows of a
/// common query.
const PIVOTS_UNTIL_BLAND: u32 = 200;
/// Work of the tableau between looks at the interrupt, over all checks: about as long as a small
/// query takes, which is two looks. A budget of looks is one of work only if large tableaus look
/// more often than small ones.
const WORK_PER_LOOK: u64 = 10_000;

/// A bound, and the literal that says so.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Bound {
    pub(super) value: Int,
    pub(super) reason: Lit,
}

/// Which of the two bounds of a variable.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Side {
    Lower,
    Upper,
}

/// Bounds whose weighted sum is contradictory: literals that cannot all be true, and weights.
pub(super) type Conflict = Vec<(Lit, Int)>;

/// What a check found.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    /// All variables are within their bounds.
    Feasible,
    /// They cannot be.
    Conflict(Conflict),
    /// The work was used up, or the interrupt was raised.
    Stopped,
}

/// A bound to put back.
#[derive(Clone)]
struct Undo {
    var: IntVar,
    side: Side,
    former: Option<Bound>,
}

/// Tableau and bounds.
#[derive(Clone, Default)]
pub(super) struct Simplex {
    pub(super) tableau: Tableau,
    /// For each form its definition; empty for variables.
    definitions: Vec<Terms>,
    lower: Vec<Option<Bound>>,
    upper: Vec<Option<Bound>>,
    /// What was changed, latest last.
    trail: Vec<Undo>,
    /// For each level above 0 the length of the trail at its start.
    levels: Vec<usize>,
    /// Basic variables that may be out of bounds.
    suspects: BinaryHeap<Reverse<IntVar>>,
    is_suspect: Vec<bool>,
    /// Pivots since the creation.
    pub(super) pivots: u64,
    /// Beyond this much work of the tableau a check stops.
    pub(super) last_work: u64,
    /// At this much work it looks at the interrupt.
    next_look: u64,
}

impl Simplex {
    pub(super) fn new() -> Simplex {
        Simplex { last_work: u64::MAX, ..Simplex::default() }
    }

    /// A new variable; with a definition, a form that always equals it.
    pub(super) fn add(&mut self, definition: Terms) -> IntVar {
        let var = IntVar::new(self.tableau.len());
        self.tableau.add(!definition.is_empty());
        self.definitions.push(definition);
        self.lower.push(None);
        self.upper.push(None);
        self.is_suspect.push(false);
        var
    }

    pub(super) fn is_form(&self, var: IntVar) -> bool {
        !self.definitions[var.index()].is_empty()
    }

    /// The definition of a form; empty for a variable.
    pub(super) fn definition(&self, var: IntVar) -> &Terms {
        &self.definitions[var.index()]
    }

    pub(super) fn lower(&self, var: IntVar) -> Option<&Bound> {
        self.lower[var.index()].as_ref()
    }

    pub(super) fn upper(&self, var: IntVar) -> Option<&Bound> {
        self.upper[var.index()].as_ref()
    }

    pub(super) fn bound(&self, var: IntVar, side: Side) -> Option<&Bound> {
        match side {
            Side::Lower => self.lower(var),
            Side::Upper => self.upper(var),
        }
    }

    /// The number of bounds that hold, those that stricter ones replace included.
    pub(super) fn num_bounds(&self) -> usize {
        self.trail.len()
    }

    /// Starts levels until there are this many.
    pub(super) fn push_levels(&mut self, level: usize) {
        while self.levels.len() < level {
            self.levels.push(self.trail.len());
        }
    }

    /// Takes back all bounds above a level.
    pub(super) fn backtrack(&mut self, level: usize) {
        if self.levels.len() <= level {
            return;
        }
        let start = self.levels[level];
        self.levels.truncate(level);
        for Undo { var, side, former } in self.trail.drain(start..).rev() {
            match side {
                Side::Lower => self.lower[var.index()] = former,
                Side::Upper => self.upper[var.index()] = former,
            }
        }
    }

    /// Bounds a variable. Says whether the bound is news, or which two bounds clash.
    pub(super) fn assert(
        &mut self,
        var: IntVar,
        side: Side,
        bound: Bound,
    ) -> Result<bool, Conflict> {
        let is_below = |limit: Option<&Bound>| limit.is_some_and(|l| bound.value < l.value);
        let is_above = |limit: Option<&Bound>| limit.is_some_and(|l| bound.value > l.value);
        let (lower, upper) = (self.lower(var), self.upper(var));
        let (is_news, clash) = match side {
            Side::Upper => {
                (upper.is_none() || is_below(upper), lower.filter(|l| is_below(Some(l))))
            }
            Side::Lower => {
                (lower.is_none() || is_above(lower), upper.filter(|u| is_above(Some(u))))
            }
        };
        if let Some(clash) = clash {
            return Err(vec![(bound.reason, Int::ONE), (clash.reason, Int::ONE)]);
        }
        if !is_news {
            return Ok(false);
        }
        let slot = match side {
            Side::Lower => &mut self.lower[var.index()],
            Side::Upper => &mut self.upper[var.index()],
        };
        let former = slot.replace(bound);
        self.trail.push(Undo { var, side, former });
        self.settle(var);
        Ok(true)
    }

    /// Restores the invariant after a bound of a variable has changed.
    fn settle(&mut self, var: IntVar) {
        match self.tableau.place(var) {
            Place::Absent => {
                self.tableau.add_row(var, &self.definitions[var.index()]);
                self.suspect(var);
            }
            Place::Basic(_) => self.suspect(var),
            Place::Nonbasic => {
                let value = self.tableau.value(var);
                let target = match (self.lower(var), self.upper(var)) {
                    (Some(lower), _) if *value < lower.value => lower.value.clone(),
                    (_, Some(upper)) if *value > upper.value => upper.value.clone(),
                    _ => return,
                };
                let Simplex { tableau, suspects, is_suspect, .. } = self;
                tableau.move_to(var, target, |basic| queue(suspects, is_suspect, basic));
            }
        }
    }

    fn suspect(&mut self, var: IntVar) {
        queue(&mut self.suspects, &mut self.is_suspect, var);
    }

    /// The side on which a basic variable is out of bounds, with its row.
    fn violation(&self, var: IntVar) -> Option<(usize, Side)> {
        let Place::Basic(number) = self.tableau.place(var) else { return None };
        let row = &self.tableau.rows[number as usize];
        let value = -&row.sum;
        if self.lower(var).is_some_and(|lower| value < &lower.value * row.scale()) {
            return Some((number as usize, Side::Lower));
        }
        if self.upper(var).is_some_and(|upper| value > &upper.value * row.scale()) {
            return Some((number as usize, Side::Upper));
        }
        None
    }

    /// Moves the variables into their bounds.
    pub(super) fn check(&mut self, interrupt: &Interrupt) -> Outcome {
        let mut pivots = 0;
        while let Some(&Reverse(var)) = self.suspects.peek() {
            let Some((number, side)) = self.violation(var) else {
                self.suspects.pop();
                self.is_suspect[var.index()] = false;
                continue;
            };
            let is_bland = pivots >= PIVOTS_UNTIL_BLAND;
            let Some(entering) = self.find_entering(number, side, is_bland) else {
                return Outcome::Conflict(self.explain(number, side));
            };
            pivots += 1;
            self.pivots += 1;
            let work = self.tableau.work;
            let is_look = work >= self.next_look;
            if is_look {
                self.next_look = work + WORK_PER_LOOK;
            }
            if work > self.last_work || (is_look && interrupt.poll()) {
                return Outcome::Stopped;
            }
            let bound = self.bound(var, side).expect("it is violated").value.clone();
            let Simplex { tableau, suspects, is_suspect, .. } = self;
            tableau.pivot(number, entering, bound, |basic| queue(suspects, is_suspect, basic));
        }
        Outcome::Feasible
    }

    /// The bound that keeps a term of a row from moving the basic variable back into bounds.
    ///
    /// The basic variable must grow if it is below its lower bound, and the others hold it
    /// back: those with a positive factor by their lower bounds.
    fn obstacle(side: Side, factor: &Int) -> Side {
        match (side == Side::Lower) == factor.is_positive() {
            true => Side::Lower,
            false => Side::Upper,
        }
    }

    /// A nonbasic variable of the row that can move the basic one to its bound.
    fn find_entering(&self, number: usize, side: Side, is_bland: bool) -> Option<IntVar> {
        let row = &self.tableau.rows[number];
        let is_free = |(var, factor): &&(IntVar, Int)| {
            *var != row.basic
                && match self.bound(*var, Self::obstacle(side, factor)) {
                    Some(bound) => bound.value != *self.tableau.value(*var),
                    None => true,
                }
        };
        let mut free = row.terms.iter().filter(is_free).map(|&(var, _)| var);
        match is_bland {
            true => free.next(),
            false => free.min_by_key(|&var| self.tableau.column_len(var)),
        }
    }

    /// The bounds of a row that cannot be met, with the factors as weights.
    fn explain(&self, number: usize, side: Side) -> Conflict {
        let row = &self.tableau.rows[number];
        let reason = |(var, factor): &(IntVar, Int)| {
            let side = if *var == row.basic { side } else { Self::obstacle(side, factor) };
            let bound = self.bound(*var, side).expect("it holds the row back");
            (bound.reason, factor.abs())
        };
        row.terms.iter().map(reason).collect()
    }

    /// Removes all rows but those that are needed at level 0, which must be the current one.
    pub(super) fn clear(&mut self) {
        debug_assert!(self.levels.is_empty());
        let Simplex { tableau, definitions, .. } = self;
        tableau.clear(|var| !definitions[var.index()].is_empty());
        self.suspects.clear();
        self.is_suspect.iter_mut().for_each(|is_suspect| *is_suspect = false);
        let mut bounded: Vec<IntVar> = self.trail.iter().map(|undo| undo.var).collect();
        // Variables first: they move for free while there are no rows.
        bounded.sort_by_key(|&var| self.is_form(var));
        for var in bounded {
            self.settle(var);
        }
    }
}

fn queue(suspects: &mut BinaryHeap<Reverse<IntVar>>, is_suspect: &mut [bool], var: IntVar) {
    if !std::mem::replace(&mut is_suspect[var.index()], true) {
        suspects.push(Reverse(var));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pedra_model::lit::Var;
    use pedra_model::random::Random;

    const VARS: usize = 4;
    const FORMS: usize = 5;

    /// Whether weighted bounds add up to a contradiction.
    fn is_farkas(simplex: &Simplex, conflict: &Conflict, meaning: &[(IntVar, Side, Int)]) -> bool {
        let mut factors = [const { Int::ZERO }; VARS];
        let mut bound = Int::ZERO;
        for (lit, weight) in conflict {
            let (var, side, value) = &meaning[lit.var().index()];
            let weight = if *side == Side::Upper { weight.clone() } else { -weight };
            bound = &bound + &(&weight * value);
            let own = vec![(*var, Int::ONE)];
            let terms = if simplex.is_form(*var) { simplex.definition(*var) } else { &own };
            for (var, factor) in terms {
                factors[var.index()] = &factors[var.index()] + &(factor * &weight);
            }
        }
        conflict.iter().all(|(_, weight)| weight.is_positive())
            && factors.iter().all(Int::is_zero)
            && bound.is_negative()
    }

    /// Bounds come and go at random; each solution is within them, each conflict adds up.
    #[test]
    fn solutions_and_conflicts_are_right() {
        let (mut feasible, mut conflicts) = (0, 0);
        for seed in 0..200 {
            let mut random = Random::new(seed);
            let mut draw = |bound: usize| random.below(2 * bound + 1) as i64 - bound as i64;
            let mut simplex = Simplex::new();
            let vars: Vec<IntVar> = (0..VARS).map(|_| simplex.add(Vec::new())).collect();
            for _ in 0..FORMS {
                let terms: Terms = vars.iter().map(|&var| (var, Int::from(draw(4)))).collect();
                let terms: Terms = terms.into_iter().filter(|(_, a)| !a.is_zero()).collect();
                if terms.len() > 1 {
                    simplex.add(terms);
                }
            }
            let mut meaning: Vec<(IntVar, Side, Int)> = Vec::new();
            for step in 0..60 {
                let level = simplex.levels.len();
                if draw(2) == 0 && level > 0 {
                    simplex.backtrack(draw(50).unsigned_abs() as usize % level);
                }
                if step % 20 == 19 {
                    simplex.backtrack(0);
                    simplex.clear();
                }
                let level = simplex.levels.len();
                simplex.push_levels(level + 1);
                let var = IntVar::new(draw(100).unsigned_abs() as usize % simplex.tableau.len());
                let side = if draw(1) > 0 { Side::Upper } else { Side::Lower };
                let value = Int::from(draw(9));
                let reason = Var::new(meaning.len()).lit();
                meaning.push((var, side, value.clone()));
                let result = simplex.assert(var, side, Bound { value, reason });
                let outcome = match result {
                    Err(conflict) => Outcome::Conflict(conflict),
                    Ok(_) => simplex.check(&Interrupt::new()),
                };
                assert!(simplex.tableau.is_sound(), "seed {seed}, step {step}");
                match outcome {
                    Outcome::Stopped => panic!("nothing stops it"),
                    Outcome::Feasible => {
                        feasible += 1;
                        for var in (0..simplex.tableau.len()).map(IntVar::new) {
                            let Some((n, d)) = simplex.tableau.fraction(var) else { continue };
                            let lower = simplex.lower(var).map(|bound| &bound.value * &d);
                            let upper = simplex.upper(var).map(|bound| &bound.value * &d);
                            assert!(lower.is_none_or(|lower| lower <= n));
                            assert!(upper.is_none_or(|upper| n <= upper));
                        }
                    }
                    Outcome::Conflict(conflict) => {
                        conflicts += 1;
                        assert!(is_farkas(&simplex, &conflict, &meaning), "{conflict:?}");
                        simplex.backtrack(level);
                    }
                }
            }
        }
        assert!(feasible > 1000 && conflicts > 1000, "{feasible} {conflicts}");
    }
}
