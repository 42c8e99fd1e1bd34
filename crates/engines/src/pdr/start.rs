//! The start set: the initial states or, in the reverse direction, those that are bad.
//!
//! A lemma may exclude no state of it. Forward, the test is syntactic where resets are constant: a
//! literal that contradicts a reset settles it. If that does not decide, and constraints or reset
//! functions influence what is initial, the solver of `F_0` decides. In the reverse direction a
//! solver for `C ∧ bad` always decides, since inputs are quantified there.

use super::audit::Audit;
use super::relation::Relation;
use super::solver::{FrameSolver, Stopped};
use super::solvers::FrameSolvers;
use crate::context::Context;
use crate::trace::Level;
use pedra_model::lit::Lit;

/// What counts as a state of the start set.
pub(super) struct StartSet {
    /// By state variable: its value in every state of the start set, as far as a constant says.
    constant: Vec<Option<bool>>,
    /// Whether a cube that contradicts no constant does contain a state of the start set.
    is_exact: bool,
    reverse: Option<Reverse>,
    /// Debug builds: looks at lemmas once more.
    audit: Option<Audit>,
}

/// What only the reverse direction needs.
struct Reverse {
    /// The properties that count as violated.
    targets: Vec<usize>,
    /// `C ∧ bad`, where `bad` is the disjunction over the targets.
    solver: FrameSolver,
}

impl StartSet {
    /// Reverse: nothing is bad yet.
    pub(super) fn new(relation: &Relation, solvers: &FrameSolvers, context: &Context) -> StartSet {
        let transition = &relation.transition;
        if !relation.is_forward() {
            // What is bad may depend on inputs.
            let constant = vec![None; transition.cubes_end()];
            let reverse = Reverse { targets: Vec::new(), solver: solvers.make_empty(context) };
            return StartSet { constant, is_exact: false, reverse: Some(reverse), audit: None };
        }
        let constants = transition.constant_reset.iter().flatten().count();
        let is_exact = transition.constraints.is_empty()
            && transition.init.len() == constants
            && !transition.has_signals();
        let constant = transition.constant_reset.clone();
        StartSet { constant, is_exact, reverse: None, audit: None }
    }

    /// Adds `F_0` to a solver: forward `Init`; reverse `C' ∧ bad'`, for inputs of the second step.
    pub(super) fn add_to(&self, solver: &mut FrameSolver, relation: &Relation) {
        let transition = &relation.transition;
        let units = match &self.reverse {
            None => &transition.init,
            Some(reverse) => {
                let bads = reverse.targets.iter().map(|&p| transition.bads_after[p]);
                solver.add_clause(&bads.collect::<Vec<Lit>>());
                &transition.constraints_after
            }
        };
        units.iter().for_each(|&lit| solver.add_clause(&[lit]));
    }

    /// The properties that count as violated; none in the forward direction.
    pub(super) fn targets(&self) -> &[usize] {
        self.reverse.as_ref().map_or(&[], |reverse| &reverse.targets)
    }

    /// Reverse: these properties are the ones that count from now on. Says whether anything
    /// changed; then the solver of `F_0` has to be rebuilt.
    ///
    /// *Required for soundness*: fewer than before (frames stay over-approximations then), or
    /// the first call.
    pub(super) fn set_targets(
        &mut self,
        targets: &[usize],
        relation: &Relation,
        solvers: &FrameSolvers,
        context: &Context,
    ) -> bool {
        let Some(reverse) = self.reverse.as_mut().filter(|r| r.targets != targets) else {
            return false;
        };
        let transition = &relation.transition;
        reverse.targets = targets.to_vec();
        reverse.solver = solvers.make_empty(context);
        for &constraint in &transition.constraints {
            reverse.solver.add_clause(&[constraint]);
        }
        let bads: Vec<Lit> = targets.iter().map(|&p| transition.bads[p]).collect();
        reverse.solver.add_clause(&bads);
        self.audit = None;
        true
    }

    /// The solver that knows which states are in the start set: that of `F_0`, reverse one of its
    /// own.
    pub(super) fn solver<'s>(&'s mut self, solvers: &'s mut FrameSolvers) -> &'s mut FrameSolver {
        match &mut self.reverse {
            None => solvers.at_mut(Level::ZERO),
            Some(reverse) => &mut reverse.solver,
        }
    }

    /// Reverse: the solver for `C ∧ bad`.
    pub(super) fn own_solver(&self) -> Option<&FrameSolver> {
        self.reverse.as_ref().map(|reverse| &reverse.solver)
    }

    /// The same, to be changed.
    pub(super) fn own_solver_mut(&mut self) -> Option<&mut FrameSolver> {
        self.reverse.as_mut().map(|reverse| &mut reverse.solver)
    }

    /// Whether no state of the start set satisfies the literal, as far as constants tell.
    #[inline]
    fn excludes(&self, lit: Lit) -> bool {
        self.constant[lit.var().index()] == Some(lit.is_negated())
    }

    /// `Init ∧ C ∧ cube`, reverse `C ∧ bad ∧ cube`: is it satisfiable?
    pub(super) fn check_meets(
        &mut self,
        solvers: &mut FrameSolvers,
        cube: &[Lit],
    ) -> Result<bool, Stopped> {
        if cube.iter().any(|&lit| self.excludes(lit)) {
            return Ok(false);
        }
        if self.is_exact {
            return Ok(true);
        }
        self.solver(solvers).solve(cube, None)
    }

    /// Adds literals of `cube`, which contains no state of the start set, to a part of it until
    /// that contains none either. Both are sorted.
    ///
    /// *Required for soundness*: a core of a relative-induction query says nothing about
    /// the start set.
    pub(super) fn exclude(
        &mut self,
        solvers: &mut FrameSolvers,
        part: &mut Vec<Lit>,
        cube: &[Lit],
    ) -> Result<(), Stopped> {
        if !self.check_meets(solvers, part)? {
            return Ok(());
        }
        match cube.iter().find(|&&lit| self.excludes(lit)) {
            Some(&lit) => part.push(lit),
            None => {
                // Init ∧ C ⟹ ¬cube, and the core says which literals are to blame.
                let solver = self.solver(solvers);
                let meets = solver.solve(cube, None)?;
                assert!(!meets, "the whole cube was seen to contain no state of the start set");
                part.extend(cube.iter().filter(|&&lit| solver.is_failed(lit)));
            }
        }
        part.sort_unstable();
        part.dedup();
        Ok(())
    }

    /// Debug builds: whether a lemma excludes a state of the start set, asked of a solver that the
    /// search does not use; so debug builds search as release builds do.
    pub(super) fn is_wrong(&mut self, relation: &Relation, cube: &[Lit]) -> bool {
        let targets = self.reverse.as_ref().map(|reverse| &reverse.targets[..]);
        let audit = self.audit.get_or_insert_with(|| Audit::new(relation, targets));
        audit.meets_start(cube)
    }
}
