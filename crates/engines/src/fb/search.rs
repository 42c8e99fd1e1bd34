//! What fbPDR needs from one direction besides running it: to export and import obligations and
//! lemmas, and to skip depths that are known to be safe. `docs/design/fbpdr.md` explains why each
//! of these is sound.

use super::claims::Claims;
use super::foreign::Published;
use super::guide::{Meeting, Partner};
use super::hints::Hints;
use crate::context::Context;
use crate::events::Direction;
use crate::pdr::{BitPdr, Bits, Hypothesis, Induction, Prefix, Purpose, prefix, suffix};
use crate::trace::{Lemmas, Level, ObligationId, Space, Stopped};
use pedra_model::lit::{Lit, Var};
use pedra_model::value::Ternary;

/// One direction.
pub(super) type Half<'a> = BitPdr<'a, Partner>;

impl<'a> Half<'a> {
    fn bits(&self) -> Option<&Bits<'a, Partner>> {
        self.search.get()
    }

    fn bits_mut(&mut self) -> Option<&mut Bits<'a, Partner>> {
        self.search.parts_mut().map(|(bits, _)| bits)
    }

    /// The cubes that `F_i` excludes, `None` if that level is not open. Variable `i + 1` is
    /// latch `i`; one more, if there is one, is true in the first step only.
    pub(super) fn excluded(&self, level: usize) -> Option<Vec<Vec<Lit>>> {
        let (trace, level) = (self.bits()?.trace(), Level::new(level));
        (level <= trace.top() && level > Level::ZERO)
            .then(|| trace.sets((), level).map(<[Lit]>::to_vec).collect())
    }

    /// The highest frame.
    pub(super) fn top(&self) -> Level {
        self.bits().map_or(Level::ZERO, |bits| bits.trace().top())
    }

    /// Forward: literals of which no initial state has all, for each latch with a constant
    /// reset the one against it.
    pub(super) fn against_start(&self) -> Vec<Lit> {
        let Some(bits) = self.bits() else { return Vec::new() };
        if self.direction == Direction::Backward {
            return Vec::new();
        }
        let transition = &bits.relation.transition;
        let resets = transition.constant_reset.iter().enumerate();
        let against = resets.filter_map(|(var, value)| value.map(|v1| Lit::new(Var::new(var), v1)));
        against.filter(|lit| transition.is_encoded(lit.var().index())).collect()
    }

    /// The deepest obligations, at most `max`.
    pub(super) fn publish(&mut self, context: &Context, max: usize) -> Vec<Published> {
        let open = self.search.open(context);
        let (system, direction) = (self.system, self.direction);
        let Some((bits, obligations)) = self.search.parts_mut() else { return Vec::new() };
        let known = obligations.published().to_vec();
        let ids = obligations.publish(max, |property| open.contains(&property));
        let obligations = &*obligations;
        if cfg!(debug_assertions) {
            let is_new = |id: &ObligationId| known.binary_search(&obligations.number(*id)).is_err();
            let new: Vec<ObligationId> = ids.iter().copied().filter(is_new).collect();
            let transition = &bits.relation.transition;
            let claims = Claims { system, transition, direction, obligations };
            assert_eq!(claims.find_wrong(&new, &context.interrupt), None, "told in error");
        }
        let published = ids.into_iter().map(|id| {
            let obligation = obligations.get(id);
            Published {
                number: obligations.number(id),
                cube: obligation.set.clone(),
                depth: obligation.depth as usize,
                property: obligation.property,
            }
        });
        published.collect()
    }

    /// Takes note of obligations of the other direction, which replace all former ones.
    pub(super) fn hear(&mut self, published: Vec<Published>) {
        let num_vars = self.num_vars();
        if let Some(bits) = self.bits_mut() {
            bits.guide.foreign.set(published, num_vars);
        }
    }

    /// The obligations of the other direction that this one knows of.
    pub(super) fn heard(&self) -> Vec<Published> {
        self.bits().map_or(Vec::new(), |bits| bits.guide.foreign.all())
    }

    /// All lemmas: the cubes that they exclude, and the highest levels where they hold.
    pub(super) fn all_lemmas(&self) -> Vec<(Vec<Lit>, usize)> {
        let Some(bits) = self.bits() else { return Vec::new() };
        let lemmas = bits.trace().lemmas((), Level::ZERO.above());
        let lemmas = lemmas.map(|id| bits.trace().lemma(id));
        lemmas.map(|lemma| (lemma.set().to_vec(), lemma.level().index())).collect()
    }

    /// Takes note of the lemmas of the other direction, which replace all former ones.
    pub(super) fn take_hints(&mut self, lemmas: &[(Vec<Lit>, usize)]) {
        let num_vars = self.num_vars();
        if let Some(bits) = self.bits_mut() {
            bits.guide.hints = Hints::new(lemmas, num_vars);
        }
    }

    /// Why the last slice ended, if two obligations met.
    pub(super) fn take_meeting(&mut self) -> Option<Meeting> {
        self.bits_mut()?.guide.meeting.take()
    }

    /// The cube of an obligation, by number.
    pub(super) fn obligation(&self, number: usize) -> Option<Vec<Lit>> {
        let obligations = self.search.obligations();
        Some(obligations.get(obligations.find(number)?).set.to_vec())
    }

    /// Forward: the property of an obligation, and the inputs from it to the violation.
    pub(super) fn suffix(&self, number: usize) -> Option<(usize, Vec<Vec<Ternary>>)> {
        let obligations = self.search.obligations();
        let id = obligations.find(number)?;
        let property = obligations.get(id).property?;
        Some((property, suffix(&self.bits()?.relation, obligations, id)))
    }

    /// Reverse: a path from an initial state into a part of an obligation; `None` if it was
    /// stopped.
    pub(super) fn prefix(&mut self, number: usize, target: Vec<Lit>) -> Option<Prefix> {
        let (bits, obligations) = self.search.parts_mut()?;
        prefix(bits, obligations, obligations.find(number)?, target).ok()
    }

    /// Imports a lemma by asking: `c` is excluded from `F_1, F_2, …` as long as it is inductive
    /// relative to the frame below, like any other lemma. Gives the level that it reached.
    pub(super) fn import_checked(
        &mut self,
        context: &Context,
        mut cube: Vec<Lit>,
    ) -> Result<Option<Level>, Stopped> {
        let Some(bits) = self.bits_mut() else { return Ok(None) };
        if cube.is_empty() || bits.meets_start(&cube)? {
            return Ok(None);
        }
        let covering = bits.trace().find_covering((), &cube, Level::ZERO.above());
        let from = covering.map_or(Level::ZERO, |lemma| bits.trace().lemma(lemma).level());
        let mut level = from;
        while level < bits.trace().top() {
            // ¬c ∧ F_i ∧ C ∧ T ⟹ ¬c'
            let (hypothesis, purpose) = (Hypothesis::NotCube, Purpose::Push);
            match bits.check_inductive(context, &cube, level.above(), hypothesis, purpose)? {
                Induction::Inductive(core) => (cube, level) = (core, level.above()),
                Induction::Predecessor => break,
            }
        }
        if level == from {
            return Ok(None);
        }
        Ok(bits.learn(context, cube, level)?.map(|_| level))
    }

    /// Imports a lemma up to a level on the word of the paper's theorem. *Required for
    /// soundness*: the other direction takes in no lemmas in this way, and has discharged what
    /// the theorem asks for. From now on fixpoints are looked at twice.
    pub(super) fn import_trusted(
        &mut self,
        context: &Context,
        cube: Vec<Lit>,
        level: Level,
    ) -> Result<Option<Level>, Stopped> {
        let Some(bits) = self.bits_mut() else { return Ok(None) };
        let level = level.min(bits.trace().top());
        if level == Level::ZERO || cube.is_empty() || bits.meets_start(&cube)? {
            return Ok(None);
        }
        bits.guide.has_trusted = true;
        Ok(bits.learn(context, cube, level)?.map(|_| level))
    }

    /// Continues at the depth after `safe`, up to which nothing is violated. The frames between
    /// are those above them. Gives the number of frames that were opened.
    pub(super) fn extend(&mut self, context: &Context, safe: usize) -> usize {
        let own = self.search.safe().safe_up_to();
        let Some(bits) = self.bits_mut().filter(|_| own.is_some_and(|own| own < safe)) else {
            return 0;
        };
        let mut opened = 0;
        // The next frontier to ask is the first that says more.
        while bits.safe_step(bits.trace().top()) <= safe {
            bits.open_frame(context);
            opened += 1;
        }
        bits.guide.void_up_to = Some(safe);
        if opened > 0 {
            self.search.safe_mut().open_frame();
        }
        self.search.safe_mut().extend(safe);
        opened
    }

    /// How many obligations were void so far.
    pub(super) fn voided(&self) -> u64 {
        self.bits().map_or(0, |bits| bits.guide.voided)
    }
}
