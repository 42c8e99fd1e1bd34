//! What AVY needs from PDR: to make frames safe within limits, and to restart a trace. Frames,
//! propagation, fixpoints and proofs are those of PDR.

use crate::context::{Context, Reason};
use crate::pdr::{BitPdr, Horizon, Transition};
use crate::trace::{Lemmas, Level, NoGuide, Stopped};
use pedra_model::lit::Lit;
use pedra_solve::{Batsat, SatSolver};

/// The δ-trace that AVY shares with PDR.
pub(super) type SharedTrace<'a> = BitPdr<'a, NoGuide>;

impl SharedTrace<'_> {
    /// Begins, or continues, under this context; comes before everything else. Says whether the
    /// trace is a new one.
    pub(super) fn begin_run(&mut self, context: &Context) -> Result<bool, Stopped> {
        if !self.search.safe().is_about(&self.search.open(context)) {
            // A property is open again that others claimed to have settled in the last run: lower
            // frames may be unsafe for it.
            self.search.forget();
        }
        let is_new = self.search.get().is_none();
        self.begin(context)?;
        Ok(is_new)
    }

    /// Whether the last frame has no bad state: `F_k ∧ C ⟹ P` for all these properties.
    pub(super) fn check_safe(&mut self, properties: &[usize]) -> Result<bool, Stopped> {
        let Some((bits, _)) = self.search.parts_mut() else { return Ok(false) };
        for &property in properties {
            if bits.has_bad(Some(property))? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Lets PDR make the last frame safe for these properties, or find that they are violated,
    /// unless that takes more work than `limit`; then obligations are left over, which wait for
    /// the next time.
    pub(super) fn make_safe_within(
        &mut self,
        context: &Context,
        properties: &[usize],
        limit: u64,
    ) -> Result<(), Stopped> {
        self.search.set_pause(Some(self.search.work().saturating_add(limit)));
        let mut rest = properties.iter();
        let result =
            rest.try_for_each(|&property| self.search.remove_all_bad(context, Some(property)));
        self.search.set_pause(None);
        match result {
            Err(Stopped(Reason::Budget)) => Ok(()),
            result => result,
        }
    }

    /// Opens frames up to a level, without any pushing.
    pub(super) fn open_up_to(&mut self, context: &Context, level: Level) -> Result<(), Stopped> {
        let Some((bits, _)) = self.search.parts_mut() else { return Ok(()) };
        while bits.trace().top() < level {
            if context.interrupt.poll() {
                return Err(Stopped(Reason::Interrupted));
            }
            bits.open_frame(context);
        }
        Ok(())
    }

    /// Debug builds: checks with another solver that the frames are a safe δ-trace up to the one
    /// before the last.
    ///
    /// # Panics
    /// If they are not.
    pub(super) fn check_trace(&self, context: &Context) {
        let mut solver = Batsat::new();
        let transition = Transition::encode(self.system, Horizon::OneStep, &mut solver);
        for &constraint in &transition.constraints {
            solver.add_clause(&[constraint]);
        }
        let frames = self.frames();
        let safe = self.search.safe().safe_up_to().map_or(0, |step| step + 1);
        let open = self.search.open(context);
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
}
