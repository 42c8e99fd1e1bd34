//! What fbPDR asks of a search besides running it: to pause, to give away and take in
//! obligations and lemmas, and to skip depths that are known to be safe. Why each of these is
//! sound is in `docs/design/fbpdr.md`.

use super::claims::Claims;
use super::counts::Purpose;
use super::evidence::{self, Prefix};
use super::hints::Hints;
use super::relative::{Answer, Hypothesis};
use super::solver::Stopped;
use super::{Pdr, Published, Search};
use crate::context::Context;
use crate::events::Direction;
use crate::trace::Level;
use crate::trace::ObligationId;
use pedra_model::lit::{Lit, Var};
use pedra_model::value::Ternary;

/// A query costs some ten microseconds even if it propagates nothing: as much as so many
/// propagations.
pub(crate) const QUERY_WORK: u64 = 100;

/// Two obligations of different directions that have a state in common.
#[derive(Clone, Debug)]
pub(crate) struct Meeting {
    /// The number of the one of this direction.
    pub(crate) own: usize,
    /// The other one.
    pub(crate) foreign: Published,
}

impl Pdr<'_> {
    /// Lets the search pause, between two obligations, when [`work`](Pdr::work) has reached this.
    pub(crate) fn set_pause(&mut self, pause: Option<u64>) {
        (self.pause, self.is_paused) = (pause, false);
    }

    /// The work so far: propagations, with something for every query.
    pub(crate) fn work(&self) -> u64 {
        let Some(search) = &self.search else { return 0 };
        let stats = search.relative.stats();
        stats.propagations + QUERY_WORK * stats.queries
    }

    /// Ends the slice if it is time.
    pub(super) fn check_pause(&mut self) -> Result<(), Stopped> {
        self.is_paused = self.pause.is_some_and(|limit| self.work() >= limit);
        if self.is_paused { Err(Stopped) } else { Ok(()) }
    }

    /// The last step up to which this search itself has shown that nothing open is violated:
    /// the frontier of that level was really asked. Depths from elsewhere do not count.
    pub(crate) fn discharged(&self) -> Option<Level> {
        self.discharged
    }

    /// The last step up to which open properties are known not to be violated.
    pub(crate) fn safe_up_to(&self) -> Option<usize> {
        self.safe_up_to
    }

    /// The cubes that `F_i` excludes, `None` if that level is not open. Variable `i + 1` is
    /// latch `i`; one more, if there is one, is true in the first step only.
    pub fn excluded(&self, level: usize) -> Option<Vec<Vec<Lit>>> {
        let frames = self.search.as_ref()?.relative.frames();
        let level = Level::new(level);
        (level <= frames.top() && level > Level::ZERO)
            .then(|| frames.sets((), level).map(<[Lit]>::to_vec).collect())
    }

    /// The highest frame.
    pub(crate) fn top(&self) -> Level {
        self.search.as_ref().map_or(Level::ZERO, |search| search.relative.top())
    }

    /// The number of state variables, the constant included.
    pub(crate) fn num_vars(&self) -> usize {
        let search = self.search.as_ref();
        search.map_or(0, |search| search.relative.transition.state_vars().end)
    }

    /// Forward: literals of which no initial state has all, for each latch with a constant
    /// reset the one against it.
    pub(crate) fn against_start(&self) -> Vec<Lit> {
        let Some(search) = &self.search else { return Vec::new() };
        if self.direction == Direction::Backward {
            return Vec::new();
        }
        let resets = search.relative.transition.constant_reset.iter().enumerate();
        let against = resets.filter_map(|(var, value)| value.map(|v1| Lit::new(Var::new(var), v1)));
        against.filter(|lit| search.relative.transition.is_encoded(lit.var().index())).collect()
    }

    /// The deepest obligations, at most so many.
    pub(crate) fn publish(&mut self, context: &Context, max: usize) -> Vec<Published> {
        let open = self.ledger.open(context);
        let Some(search) = &mut self.search else { return Vec::new() };
        let known = search.obligations.published().to_vec();
        let ids = search.obligations.publish(max, |property| open.contains(&property));
        if cfg!(debug_assertions) {
            let Search { relative, obligations } = &*search;
            let is_new = |id: &ObligationId| known.binary_search(&obligations.number(*id)).is_err();
            let new: Vec<ObligationId> = ids.iter().copied().filter(is_new).collect();
            let (system, direction) = (self.system, self.direction);
            let claims =
                Claims { system, transition: &relative.transition, direction, obligations };
            assert_eq!(claims.find_wrong(&new, &context.interrupt), None, "told in error");
        }
        let published = ids.into_iter().map(|id| {
            let obligation = search.obligations.get(id);
            Published {
                number: search.obligations.number(id),
                cube: obligation.set.clone(),
                depth: obligation.depth as usize,
                property: obligation.property,
            }
        });
        published.collect()
    }

    /// Takes note of obligations of the other direction, which replace all former ones.
    pub(crate) fn hear(&mut self, published: Vec<Published>) {
        let num_vars = self.num_vars();
        if let Some(search) = &mut self.search {
            search.relative.foreign.set(published, num_vars);
        }
    }

    /// All lemmas: the cubes that they exclude, and the highest levels where they hold.
    pub(crate) fn all_lemmas(&self) -> Vec<(Vec<Lit>, usize)> {
        let Some(search) = &self.search else { return Vec::new() };
        let frames = search.relative.frames();
        let lemmas = frames.lemmas((), Level::ZERO.above()).map(|id| frames.lemma(id));
        let level = |level: Level| level.finite().unwrap_or(usize::MAX);
        lemmas.map(|lemma| (lemma.set().to_vec(), level(lemma.level()))).collect()
    }

    /// Takes note of the lemmas of the other direction, which replace all former ones.
    pub(crate) fn take_hints(&mut self, lemmas: &[(Vec<Lit>, usize)]) {
        let num_vars = self.num_vars();
        if let Some(search) = &mut self.search {
            search.relative.hints = Hints::new(lemmas, num_vars);
        }
    }

    /// The obligations of the other direction that this one knows of.
    pub fn heard(&self) -> Vec<Published> {
        self.search.as_ref().map_or(Vec::new(), |search| search.relative.foreign.all())
    }

    /// Why the last slice ended, if two obligations met.
    pub(crate) fn take_meeting(&mut self) -> Option<Meeting> {
        self.meeting.take()
    }

    /// The cube of an obligation, by number.
    pub(crate) fn obligation(&self, number: usize) -> Option<Vec<Lit>> {
        let obligations = &self.search.as_ref()?.obligations;
        Some(obligations.get(obligations.find(number)?).set.to_vec())
    }

    /// Forward: the property of an obligation, and the inputs from it to the violation.
    pub(crate) fn suffix(&self, number: usize) -> Option<(usize, Vec<Vec<Ternary>>)> {
        let search = self.search.as_ref()?;
        let id = search.obligations.find(number)?;
        let property = search.obligations.get(id).property?;
        Some((property, evidence::suffix(&search.relative, &search.obligations, id)))
    }

    /// Reverse: a path from an initial state into a part of an obligation; `None` if it was
    /// stopped.
    pub(crate) fn prefix(&mut self, number: usize, target: Vec<Lit>) -> Option<Prefix> {
        let search = self.search.as_mut()?;
        let id = search.obligations.find(number)?;
        evidence::prefix(&mut search.relative, &search.obligations, id, target).ok()
    }

    /// Imports a lemma by asking: `c` is excluded from `F_1, F_2, …` as long as it is inductive
    /// relative to the frame below, like any other lemma. Gives the level that it reached.
    pub(crate) fn import_checked(
        &mut self,
        context: &Context,
        mut cube: Vec<Lit>,
    ) -> Result<Option<Level>, Stopped> {
        let Some(search) = &mut self.search else { return Ok(None) };
        let (relative, mut level) = (&mut search.relative, Level::ZERO);
        if cube.is_empty() || relative.check_meets_start(&cube)? {
            return Ok(None);
        }
        if let Some(lemma) = relative.frames().find_covering((), &cube, Level::ZERO.above()) {
            level = relative.frames().lemma(lemma).level();
        }
        let from = level;
        while level < relative.top() {
            // ¬c ∧ F_i ∧ C ∧ T ⟹ ¬c'
            let (hypothesis, purpose) = (Hypothesis::NotCube, Purpose::Push);
            match relative.check_inductive(context, &cube, level.above(), hypothesis, purpose)? {
                Answer::Inductive(core) => (cube, level) = (core, level.above()),
                Answer::Predecessor => break,
            }
        }
        if level == from {
            return Ok(None);
        }
        Ok(relative.add_lemma(context, cube, level).map(|_| level))
    }

    /// Imports a lemma up to a level on the word of the paper's theorem. *Required for
    /// soundness*: the other direction takes in no lemmas in this way, and has discharged what
    /// the theorem asks for. From now on fixpoints are looked at twice.
    pub(crate) fn import_trusted(
        &mut self,
        context: &Context,
        cube: Vec<Lit>,
        level: Level,
    ) -> Result<Option<Level>, Stopped> {
        let Some(search) = &mut self.search else { return Ok(None) };
        let relative = &mut search.relative;
        let level = level.min(relative.top());
        if level == Level::ZERO || cube.is_empty() || relative.check_meets_start(&cube)? {
            return Ok(None);
        }
        self.has_trusted = true;
        Ok(relative.add_lemma(context, cube, level).map(|_| level))
    }

    /// Goes on at the depth after `safe`, up to which nothing is violated. The frames between
    /// are those above them. Gives the number of frames that were opened.
    pub(crate) fn extend(&mut self, context: &Context, safe: usize) -> usize {
        let Some(search) = &mut self.search else { return 0 };
        if self.safe_up_to.is_none_or(|own| own >= safe) {
            return 0;
        }
        // F_k closed is safe_depth(k); so the next frontier to ask is one more.
        let top = match self.direction {
            Direction::Forward => safe + 1,
            Direction::Backward => safe,
        };
        let mut opened = 0;
        while search.relative.top().index() < top {
            search.relative.open_frame(context);
            opened += 1;
        }
        if opened > 0 {
            self.closed.clear();
        }
        (self.safe_up_to, self.void_up_to) = (Some(safe), Some(safe));
        opened
    }

    /// Whether an obligation is void: it would be part of a counterexample that is shorter than
    /// what is known to be safe. If so it waits for the first level at which it is not.
    pub(super) fn discharge(&mut self, id: ObligationId, level: Level) -> bool {
        let Some(safe) = self.void_up_to else { return false };
        let obligations = &mut self.search.as_mut().expect("made by run").obligations;
        let depth = obligations.get(id).depth as usize;
        if level.index() + depth > safe {
            return false;
        }
        obligations.wait(id, Level::new(safe + 1 - depth));
        self.voided += 1;
        true
    }

    /// How many obligations were void so far.
    pub(crate) fn voided(&self) -> u64 {
        self.voided
    }

    /// Looks at a fixpoint again after trusted imports, which may have broken the closure of
    /// frames: keeps the largest inductive part of the frame, if it is enough for all that is
    /// open; `None` if not.
    pub(super) fn recheck(
        &mut self,
        context: &Context,
        cubes: Vec<Vec<Lit>>,
    ) -> Result<Option<Vec<Vec<Lit>>>, Stopped> {
        let open = self.ledger.open(context);
        let relative = &mut self.search.as_mut().expect("made by run").relative;
        relative.find_inductive_part(context, cubes, &open)
    }
}
