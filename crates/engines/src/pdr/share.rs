//! The δ-trace as shared property: what engines that build on PDR's frames may do with them.
//!
//! [`Pdr`] keeps the frames, their solvers, and the book of answers. Another engine (AVY) owns a
//! `Pdr`, strengthens the frames by its own means, lets PDR do a frame where it likes, and uses
//! PDR's propagation, fixpoint test and proofs.

use super::Frames;
use super::Purpose;
use super::generalize::Generalizer;
use super::options::PdrOptions;
use super::propagate::propagate_from;
use super::relative::{Answer, Hypothesis, Relative};
use super::solver::Stopped;
use super::transition::{Horizon, Transition};
use super::{Pdr, Search};
use crate::context::{Context, Outcome, Reason};
use crate::events::Summary;
use crate::trace::Level;
use pedra_model::bits::BitSystem;
use pedra_model::lit::Lit;
use pedra_solve::{Batsat, SatSolver};

impl<'a> Pdr<'a> {
    /// Prepares for work under this context; comes before everything else. Says whether it
    /// begins anew.
    pub(crate) fn prepare(&mut self, context: &Context) -> Result<bool, Stopped> {
        let open = self.ledger.open(context);
        if !open.iter().all(|property| self.safe.contains(property)) {
            // Somebody claimed to have settled it in the last run, and does no longer: lower
            // frames may be unsafe for it.
            (self.safe_up_to, self.search) = (None, None);
        }
        let is_new = self.search.is_none();
        self.begin(context)?;
        Ok(is_new)
    }

    /// What it works on.
    pub(crate) fn system(&self) -> &'a BitSystem {
        self.system
    }

    /// The step that lemmas speak of.
    pub(crate) fn transition(&self) -> &Transition {
        &self.prepared().relative.transition
    }

    /// The lemmas.
    pub(crate) fn frames(&self) -> &Frames {
        self.prepared().relative.frames()
    }

    /// What the run amounts to so far.
    pub(crate) fn report(&self) -> Summary {
        self.summary()
    }

    /// The properties that need work.
    pub(crate) fn open(&self, context: &Context) -> Vec<usize> {
        self.ledger.open(context)
    }

    /// Enters an answer.
    pub(crate) fn settle(&mut self, context: &Context, property: usize, outcome: Outcome) {
        self.ledger.settle(context, property, outcome);
    }

    /// All answers so far; the others are left open for this reason.
    pub(crate) fn outcomes(&self, context: &Context, reason: Reason) -> Vec<Outcome> {
        self.ledger.outcomes(context, reason, self.safe_up_to)
    }

    /// If no path begins, everything is proved.
    pub(crate) fn check_any_path(&mut self, context: &Context) -> Result<(), Stopped> {
        self.check_start(context)
    }

    /// Whether the last frame has no bad state: `F_k ∧ C ⟹ P` for all these properties.
    pub(crate) fn check_safe(&mut self, properties: &[usize]) -> Result<bool, Stopped> {
        for &property in properties {
            if self.search().relative.find_bad(Some(property), 0)?.is_some() {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Lets PDR make the last frame safe for a property, or find that it is violated.
    pub(crate) fn make_safe(&mut self, context: &Context, property: usize) -> Result<(), Stopped> {
        let top = self.search().relative.top();
        self.remove_all_bad(context, Some(property), top)
    }

    /// The same for several properties, unless that takes more [`work`](Pdr::work) than `limit`;
    /// then obligations are left over, which wait for the next time.
    pub(crate) fn make_safe_within(
        &mut self,
        context: &Context,
        properties: &[usize],
        limit: u64,
    ) -> Result<(), Stopped> {
        self.set_pause(Some(self.work().saturating_add(limit)));
        let mut rest = properties.iter();
        let result = rest.try_for_each(|&property| self.make_safe(context, property));
        let is_paused = self.is_paused;
        self.set_pause(None);
        if is_paused { Ok(()) } else { result }
    }

    /// Excludes a cube from `F_i`. No state of it is reachable within `i` steps.
    ///
    /// # Panics
    /// If one is.
    pub(crate) fn exclude(
        &mut self,
        context: &Context,
        cube: Vec<Lit>,
        level: Level,
    ) -> Result<(), Stopped> {
        let options = self.options;
        let relative = &mut self.search().relative;
        let mut stack = vec![(cube, level)];
        while let Some((cube, level)) = stack.last() {
            let level = *level;
            if relative.frames().find_covering((), cube, level).is_some() {
                stack.pop();
                continue;
            }
            assert!(
                level != Level::ZERO && !relative.check_meets_start(cube)?,
                "a state that an interpolant excludes is reachable"
            );
            // ¬c ∧ F_{i−1} ∧ C ∧ T ⟹ ¬c'
            let hypothesis = Hypothesis::NotCube;
            match relative.check_inductive(context, cube, level, hypothesis, Purpose::Block)? {
                Answer::Predecessor => {
                    let found = relative.lift_predecessor(cube, level, options.lift_rounds())?;
                    stack.push((found.cube, level.below()));
                }
                Answer::Inductive(core) => {
                    learn(relative, context, &options, core, level)?;
                    stack.pop();
                }
            }
        }
        Ok(())
    }

    /// Excludes a cube from `F_i` if one query shows that this is possible; says whether it is.
    pub(crate) fn try_exclude(
        &mut self,
        context: &Context,
        cube: &[Lit],
        level: Level,
    ) -> Result<bool, Stopped> {
        let options = self.options;
        let relative = &mut self.search().relative;
        if relative.check_meets_start(cube)? {
            return Ok(false);
        }
        // ¬c ∧ F_{i−1} ∧ C ∧ T ⟹ ¬c'
        let hypothesis = Hypothesis::NotCube;
        match relative.check_inductive(context, cube, level, hypothesis, Purpose::Block)? {
            Answer::Predecessor => Ok(false),
            Answer::Inductive(core) => {
                learn(relative, context, &options, core, level)?;
                Ok(true)
            }
        }
    }

    /// Pushes lemmas upwards, those of `F_i` and above.
    pub(crate) fn push_from(&mut self, context: &Context, level: Level) -> Result<(), Stopped> {
        propagate_from(&mut self.search().relative, context, level)
    }

    /// The last frame is safe: opens the next one, pushes what holds there, and ends the search
    /// if two frames are equal.
    pub(crate) fn next_frame(&mut self, context: &Context) -> Result<(), Stopped> {
        let open = self.ledger.open(context);
        let top = self.search().relative.top();
        (self.safe_up_to, self.safe) = (Some(top.index()), open);
        self.open_frame(context)?;
        let frames = self.search().relative.frames();
        if let Some(fixpoint) = frames.fixpoint() {
            let cubes = frames.sets((), fixpoint).map(<[Lit]>::to_vec).collect();
            self.succeed(context, cubes);
        }
        Ok(())
    }

    /// Opens frames up to a level, without any pushing.
    pub(crate) fn open_up_to(&mut self, context: &Context, level: Level) -> Result<(), Stopped> {
        while self.search().relative.top() < level {
            if context.interrupt.is_raised() {
                return Err(Stopped);
            }
            self.search().relative.open_frame(context);
        }
        Ok(())
    }

    /// Lets the next run begin anew: the frames are no safe δ-trace.
    pub(crate) fn abandon(&mut self) {
        (self.safe_up_to, self.search) = (None, None);
    }

    /// Forgets all frames and lemmas, but no answer.
    pub(crate) fn forget(&mut self, context: &Context) -> Result<(), Stopped> {
        let old = self.search.take();
        self.begin(context).inspect_err(|Stopped| self.search = old)
    }

    /// For tests: checks with another solver that the frames are a safe δ-trace up to the one
    /// before the last.
    ///
    /// # Panics
    /// If they are not.
    pub(crate) fn check_trace(&self, context: &Context) {
        let mut solver = Batsat::new();
        let transition = Transition::encode(self.system, Horizon::OneStep, &mut solver);
        for &constraint in &transition.constraints {
            solver.add_clause(&[constraint]);
        }
        let frames = self.frames();
        let safe = self.safe_up_to.map_or(0, |step| step + 1);
        let open = self.ledger.open(context);
        let switch = |solver: &mut Batsat, clauses: &mut dyn Iterator<Item = Vec<Lit>>| {
            let switch = solver.new_var().lit();
            for clause in clauses {
                solver.add_clause(&[&clause[..], &[!switch]].concat());
            }
            switch
        };
        let init = switch(&mut solver, &mut transition.init.iter().map(|&lit| vec![lit]));
        for level in (0..=frames.top().index()).map(Level::new) {
            let negated = |cube: &[Lit]| cube.iter().map(|&lit| !lit).collect::<Vec<Lit>>();
            let frame = match level {
                Level::ZERO => init,
                _ => switch(&mut solver, &mut frames.sets((), level).map(negated)),
            };
            for cube in frames.sets((), level.above().min(frames.top())) {
                // Init ∧ C ⟹ ¬c
                let meets = [&[init], cube].concat();
                assert!(
                    solver.solve(&meets).is_unsat(),
                    "{level:?}: a lemma excludes initial states"
                );
                // F_i ∧ C ∧ T ⟹ ¬c'
                let next = cube.iter().map(|&lit| transition.primed(lit));
                let step: Vec<Lit> = [frame].into_iter().chain(next).collect();
                let holds = level == frames.top() || solver.solve(&step).is_unsat();
                assert!(holds, "{level:?}: successors are not in the next frame");
            }
            for &property in open.iter().filter(|_| level.index() < safe) {
                // F_i ∧ C ⟹ P
                let bad = [frame, transition.bads[property]];
                assert!(solver.solve(&bad).is_unsat(), "{level:?}: bad states in a safe frame");
            }
        }
    }

    fn prepared(&self) -> &Search {
        self.search.as_ref().expect("prepared")
    }
}

/// Generalises a cube that can be excluded from `F_i`, and adds the lemma.
fn learn(
    relative: &mut Relative,
    context: &Context,
    options: &PdrOptions,
    cube: Vec<Lit>,
    level: Level,
) -> Result<(), Stopped> {
    let mut generalizer = Generalizer { relative, options, ctg: options.ctg, context };
    let lemma = generalizer.generalize(cube, None, level)?;
    generalizer.push_and_add(lemma, level)?;
    Ok(())
}
