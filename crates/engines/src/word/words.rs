//! PDR's view of a word-level system: units of atoms.
//!
//! [`Words`] is the space of the core's search ([`Space`]). The queries and the solver are in
//! `relative`; this file decides what to ask, and uses the answers: obligations are lifted (`lift`,
//! `simulate`), states are excluded permanently if a proposal does that (`strengthen`), and units
//! are expanded and reshaped to lemmas (`generalize`, `reshape`).

use super::evidence;
use super::generalize::learn;
use super::lift::lift;
use super::options::{UnitKind, WordOptions};
use super::relative::{self, Relative, State, Target};
use super::simulate::Simulation;
use super::strengthen::Strengthener;
use super::subset::find_needed;
use crate::context::Context;
use crate::events::{Claim, Progress};
use crate::trace::{
    self, Answer, Found, Invariant, LemmaId, Lemmas, Level, NoGuide, ObligationId, Reached, Scan,
    Space, Start, Stopped,
};
use crate::units::Exclude;
use crate::units::atom::Atom;
use crate::units::reshape::Failed;
use crate::units::unit::{Frames, Ranges, Unit};
use pedra_model::proof::Proof;
use pedra_model::system::System;

/// A unit that leads to a violation, with the state from which it was expanded and its inputs.
type Obligation = trace::Obligation<Unit, State>;
type Obligations = trace::Obligations<Unit, State>;

/// A word-level system with its frames.
pub(super) struct Words<'a> {
    pub(super) system: &'a System,
    /// The chosen properties; the search knows them by position in this list.
    pub(super) properties: Vec<usize>,
    pub(super) options: WordOptions,
    pub(super) relative: Relative,
    pub(super) simulation: Option<Simulation>,
    pub(super) strengthener: Strengthener,
    /// Half-spaces that were tried in vain.
    pub(super) failed: Failed,
    /// There is no other search that could help.
    pub(super) guide: NoGuide,
}

impl Words<'_> {
    /// An obligation around a found state.
    fn lifted(&mut self, found: State, target: &Target) -> Result<Found<Self>, Stopped> {
        let simulation = self.simulation.as_mut().filter(|_| self.options.simulate);
        let unit = lift(&mut self.relative, simulation, &self.options, &found, target)?;
        Ok(Found { place: (), set: Box::new(unit), step: found })
    }
}

impl Lemmas for Words<'_> {
    type Place = ();
    type Set = Unit;
    type Index = Scan<Ranges>;

    fn trace(&self) -> &Frames {
        self.relative.trace()
    }

    fn trace_mut(&mut self) -> &mut Frames {
        self.relative.trace_mut()
    }

    fn opened(&mut self, context: &Context) {
        self.relative.opened(context);
    }

    fn learned(&mut self, id: LemmaId, above: Level) -> Result<(), Stopped> {
        self.relative.learned(id, above)
    }

    fn claim(&self, (): (), unit: &Unit) -> Claim {
        self.relative.claim((), unit)
    }
}

impl Space for Words<'_> {
    type Step = State;
    type Guide = NoGuide;

    fn guide(&mut self) -> &mut NoGuide {
        &mut self.guide
    }

    fn goals(&self, open: &[usize]) -> Vec<Option<usize>> {
        open.iter().copied().map(Some).collect()
    }

    fn safe_step(&self, level: Level) -> usize {
        level.index()
    }

    fn check_start(&mut self, _: &Context, _: &[usize]) -> Result<Start, Stopped> {
        // Init ∧ C
        Ok(match self.relative.find_initial(&[])? {
            None => Start::Empty,
            Some(_) => Start::Found { is_safe: false },
        })
    }

    fn check_meets_start(&mut self, (): (), unit: &Unit) -> Result<bool, Stopped> {
        self.relative.check_meets_init(unit)
    }

    fn find_bad(
        &mut self,
        _: &Context,
        goal: Option<usize>,
    ) -> Result<Option<Found<Self>>, Stopped> {
        let property = goal.expect("asked about one property");
        match self.relative.find_bad(property)? {
            None => Ok(None),
            Some(found) => self.lifted(found, &Target::Bad(property)).map(Some),
        }
    }

    fn check_blocked(
        &mut self,
        context: &Context,
        obligation: &Obligation,
        level: Level,
        _: Option<u32>,
    ) -> Result<Answer<Self>, Stopped> {
        let Words { options, relative, strengthener, .. } = self;
        let (unit, point) = (&*obligation.set, &obligation.step.point);
        // Heuristic: the state may be excluded permanently; then the rest of the unit is looked at
        // again.
        if options.templates && strengthener.strengthen(relative, context, options, point)? {
            let is_left = relative.check_meets_frame(unit, level)?;
            return Ok(if is_left { Answer::Smaller } else { Answer::Excluded });
        }
        match relative.check_blocked(unit, level)? {
            relative::Answer::Inductive(core) => Ok(Answer::Inductive(Box::new(core))),
            relative::Answer::Predecessor(found) => {
                let found = self.lifted(found, &Target::Unit(unit.clone()))?;
                Ok(Answer::Predecessor(found))
            }
            relative::Answer::No => unreachable!("the effort is not limited"),
        }
    }

    fn generalize(
        &mut self,
        context: &Context,
        obligation: &Obligation,
        _: f32,
        core: Box<Unit>,
        level: Level,
    ) -> Result<Level, Stopped> {
        let Words { options, relative, failed, .. } = self;
        relative.with_effort(options.effort, |relative| {
            learn(relative, context, options, failed, &obligation.set, *core, level)
        })
    }

    fn find_pushed(
        &mut self,
        _: &Context,
        id: LemmaId,
    ) -> Result<Option<(Box<Unit>, Level)>, Stopped> {
        let lemma = self.trace().lemma(id);
        let (unit, above) = (lemma.set().clone(), lemma.level().above());
        self.relative.with_effort(self.options.effort, |relative| {
            for goal in [Level::INFINITY, above] {
                if let Some(core) = relative.find_inductive(&unit, goal)? {
                    return Ok(Some((Box::new(core), goal)));
                }
            }
            Ok(None)
        })
    }

    fn find_inductive_part(
        &mut self,
        _: &Context,
        lemmas: Vec<LemmaId>,
        _: &[usize],
    ) -> Result<Option<Vec<LemmaId>>, Stopped> {
        // No lemma comes in without a query.
        Ok(Some(lemmas))
    }

    /// Proposes what all samples have in common, for mixed units: `rajam` takes 0.4 to 0.8 s.
    /// Without, proposals come one by one where an obligation asks for them, and it takes 0.2 s to
    /// more than 25 s, depending on random choices.
    fn closed(&mut self, context: &Context, level: Level) -> Result<(), Stopped> {
        let Words { options, relative, strengthener, .. } = self;
        if level == Level::ZERO && options.templates && options.unit == UnitKind::Mixed {
            strengthener.prove_all(relative, context, options)?;
        }
        Ok(())
    }

    /// Proposes the properties themselves as lemmas.
    fn find_implied(&mut self, context: &Context, open: &[usize]) -> Result<Vec<usize>, Stopped> {
        let Words { options, relative, strengthener, .. } = self;
        let mut implied = Vec::new();
        for &property in open {
            if options.bads && relative.problem.next_bads[property].is_some() {
                strengthener.prove(relative, context, options, &Atom::Given(property))?;
            }
            let has_invariants = !relative.trace().delta((), Level::INFINITY).is_empty();
            if has_invariants && relative.check_invariants_imply(property)? {
                implied.push(property);
            }
        }
        Ok(implied)
    }

    fn proof(&mut self, positions: &[usize], invariant: &Invariant) -> Proof {
        let units = match invariant {
            Invariant::All => vec![Unit::default()],
            Invariant::Lemmas(ids) => {
                ids.iter().map(|&id| self.trace().lemma(id).set().clone()).collect()
            }
        };
        let (effort, relative) = (self.options.effort, &mut self.relative);
        let needed =
            relative.with_effort(effort, |relative| find_needed(relative, &units, positions));
        // Without the time to find out what is needed, all of it is.
        let needed = needed.unwrap_or(units);
        let properties = positions.iter().map(|&p| self.properties[p]).collect();
        evidence::proof(self.system, &self.relative.problem, properties, &needed).into()
    }

    fn find_counterexample(
        &mut self,
        obligations: &Obligations,
        id: ObligationId,
    ) -> Result<Reached, Stopped> {
        let start = obligations.get(id);
        let position = start.property.expect("always known");
        let initial = self.relative.find_initial_in(&start.set)?;
        let initial = initial.expect("the unit was seen to contain an initial state");
        let inputs: Vec<_> = obligations.chain(id).map(|link| link.step.inputs.clone()).collect();
        let (problem, property) = (&self.relative.problem, self.properties[position]);
        let trace = evidence::trace(self.system, problem, property, initial, &inputs);
        Ok(Reached::Violation(position, trace.into()))
    }

    fn work(&self) -> u64 {
        self.relative.work()
    }

    fn progress(&self) -> Progress {
        let (trace, stats) = (self.trace(), self.relative.stats());
        let top = trace.top().index();
        Progress {
            depth: top,
            frames: top + 1,
            lemmas: trace.len(),
            obligations: 0,
            queries: stats.queries,
            conflicts: stats.conflicts,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::propagate_from;
    use crate::units::Vocabulary;
    use crate::units::atom::Sum;
    use crate::units::value::VarId;
    use crate::word::meter::Limits;
    use crate::word::problem::Problem;
    use pedra_formats::btor2;
    use pedra_model::blast::BlastOptions;

    /// `x` counts, `y` counts along, `z` is anything, `w` stays 0.
    const MODEL: &str = "
        1 sort bitvec 8
        2 sort bitvec 1
        3 zero 1
        4 state 1 x
        5 state 1 y
        6 state 1 z
        7 state 1 w
        8 init 1 4 3
        9 init 1 5 3
        10 init 1 7 3
        11 inc 1 4
        12 inc 1 5
        13 next 1 4 11
        14 next 1 5 12
        15 input 1 in
        16 next 1 6 15
        17 next 1 7 3
        18 ugt 2 4 5
        19 eq 2 6 7
        20 and 2 18 19
        21 bad 20
    ";

    /// Words with frames up to this level.
    fn words(system: &System, top: usize) -> Words<'_> {
        let problem = Problem::new(system, &[0]).expect("words");
        let (blasting, context) = (BlastOptions::default(), Context::default());
        let mut words = Words {
            system,
            properties: vec![0],
            options: WordOptions::default(),
            simulation: None,
            relative: Relative::new(problem, &blasting, &context).expect("small"),
            strengthener: Strengthener::default(),
            failed: Failed::default(),
            guide: NoGuide,
        };
        (0..top).for_each(|_| words.open_frame(&context));
        words
    }

    fn var(words: &Words, name: &str) -> VarId {
        let mut ids = words.relative.problem.var_ids();
        ids.find(|&id| words.relative.problem.var(id).name == name).expect("a variable")
    }

    /// `x > y`
    fn greater(words: &Words) -> Atom {
        Atom::Lin(Sum::new(vec![(var(words, "x"), -1), (var(words, "y"), 1)]), -1)
    }

    #[test]
    fn a_pushed_lemma_keeps_the_wider_core() {
        let system = btor2::read(MODEL.as_bytes()).expect("a model");
        let mut words = words(&system, 3);
        let context = Context::default();
        // No step leads to `w ≥ 1`, whatever `z` is.
        let needed = Atom::Lower(var(&words, "w"), 1);
        let unit = Unit::new(vec![needed.clone(), Atom::Bit(var(&words, "z"), 0, true)]);
        words.add_lemma(&context, (), Box::new(unit), Level::new(1)).expect("there is time");
        propagate_from(&mut words, &context, Level::new(1)).expect("there is time");
        let lemmas: Vec<&Unit> = words.trace().sets((), Level::ZERO).collect();
        assert_eq!(lemmas, [&Unit::new(vec![needed])]);
    }

    #[test]
    fn an_invariant_is_rewarded_however_it_gets_there() {
        let system = btor2::read(MODEL.as_bytes()).expect("a model");
        let context = Context::default();
        let left = |first: Level| {
            let mut words = words(&system, 2);
            let unit = Box::new(Unit::new(vec![greater(&words)]));
            let start = words.relative.work();
            words.relative.meter.set_limits(Limits::after(start, 1_000_000, 8_000_000));
            let id = words.add_lemma(&context, (), unit, first).expect("there is time");
            if first != Level::INFINITY {
                let id = id.expect("it is new");
                words.promote_lemma(&context, id, Level::INFINITY).expect("there is time");
            }
            words.relative.left().expect("there is time")
        };
        for first in [Level::new(1), Level::INFINITY] {
            assert!(left(first) > 1_500_000, "{first:?}");
        }
    }
}
