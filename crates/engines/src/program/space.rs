//! PDR's view of a program: a trace of frames for each location.

use super::audit;
use super::calls::Founded;
use super::evidence;
use super::generalize::{part, widen};
use super::graph::{EdgeId, Location};
use super::houdini::inductive_part;
use super::options::{ProgramOptions, ProgramVariant};
use super::predecessor::{predecessor, predecessor_if, preimage};
use super::proposals::Proposals;
use super::queries::{Blocked, Frames, Queries};
use super::samples::Samples;
use super::side::Side;
use super::units::Units;
use crate::context::{Context, Reason};
use crate::events::{Claim, Progress};
use crate::trace::{
    self, Answer, Found, Invariant, LemmaId, Lemmas, Level, NoGuide, ObligationId, Reached, Scan,
    Space, Start, Stopped,
};
use pedra_model::lit::Lit;
use pedra_model::proof::Proof;
use pedra_model::term::TermId;

/// How the states of an obligation lead on.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum Step {
    /// They are at an error place.
    Bad,
    /// By this edge, all of them, into the successor.
    Edge(EdgeId),
    /// They are at an exit, and what a call is to return on an edge into the successor.
    Returns,
}

/// A cube of states at a location that leads to an error place, and how it does.
pub(super) type Obligation = trace::Obligation<[Lit], Step, Location>;
pub(super) type Obligations = trace::Obligations<[Lit], Step, Location>;

/// How many conflicts a query may take before the obligation is put off, at first.
const FIRST_EFFORT: u64 = 20_000;

/// Locations, their frames, and the questions about them.
pub(super) struct Locations {
    pub(super) queries: Queries,
    pub(super) options: ProgramOptions,
    /// The chosen properties; the search knows them by position in this list.
    pub(super) properties: Vec<usize>,
    pub(super) guide: NoGuide,
    /// How many invariants there were when properties were last compared with them.
    pub(super) implied_with: Option<usize>,
    /// Candidates from samples, as long as they are looked at.
    pub(super) proposals: Option<Proposals>,
    /// The words of all locations, if cubes are widened as units of them.
    pub(super) units: Option<Units>,
    /// The search over integers, as long as it may have something to propose.
    pub(super) side: Option<Side>,
}

impl Locations {
    /// The error place of a property; `None` if no path of the graph leads there.
    fn error(&self, position: usize) -> Option<Location> {
        let error = self.queries.graph.blocks().errors[self.properties[position]];
        error.map(Location::new)
    }

    /// Makes invariants of conditions that are inductive together.
    fn keep(&mut self, context: &Context, invariants: &[Vec<TermId>]) -> Result<(), Stopped> {
        for (location, kept) in self.queries.graph.locations().zip(invariants) {
            for &condition in kept {
                let Queries { graph, predicates, .. } = &mut self.queries;
                if let Some(lit) = predicates.literal(&mut graph.terms, condition, false) {
                    self.add_lemma(context, location, Box::new([lit]), Level::INFINITY)?;
                }
            }
        }
        Ok(())
    }

    /// Runs the program, for candidates and for units.
    fn look_at_samples(&mut self, seed: u64) -> Result<(), Stopped> {
        let options = self.options;
        let proposes = options.is_full() && options.candidates;
        let widens = options.widens_units() && self.queries.has_units();
        let samples = match proposes || widens && options.samples {
            true => Some(Samples::find(&mut self.queries, seed)?),
            false => None,
        };
        if widens {
            let samples = samples.as_ref().filter(|_| options.samples);
            self.units = Some(Units::new(&self.queries.graph, samples));
        }
        if let Some(samples) = samples.filter(|_| proposes) {
            self.proposals = Some(Proposals::new(&mut self.queries, samples, seed));
        }
        Ok(())
    }

    /// One more turn for candidates from samples.
    fn look_at_candidates(&mut self, context: &Context) -> Result<(), Stopped> {
        while let Some(mut proposals) = self.proposals.take() {
            let found = proposals.look(&mut self.queries, context);
            let Ok(Some(kept)) = found else {
                // To be continued; also if the whole search was stopped.
                self.proposals = Some(proposals);
                return found.map(|_| ());
            };
            self.keep(context, &kept)?;
            self.proposals = proposals.next_stage(&mut self.queries, &kept)?;
        }
        Ok(())
    }

    /// One more turn for the search over integers.
    fn look_at_side(&mut self, context: &Context) -> Result<(), Stopped> {
        let Some(side) = &mut self.side else { return Ok(()) };
        match side.propose(context, &mut self.queries.graph) {
            Some(mut proposed) => {
                inductive_part(&mut self.queries, &mut proposed)?;
                self.keep(context, &proposed)?;
                self.side.iter_mut().for_each(Side::looked_at);
            }
            None => self.side = None,
        }
        Ok(())
    }
}

impl Locations {
    /// From where an edge with calls leads into a cube: states before it, or, if a call cannot yet
    /// return so, what it is to return.
    fn lead_on(
        &mut self,
        edge: EdgeId,
        set: &[Lit],
        level: Level,
        founded: Founded,
    ) -> Result<Answer<Self>, Stopped> {
        Ok(match founded {
            Founded::TooHard => Answer::TooHard,
            Founded::All(model) => {
                let count = self.queries.graph.edge(edge).calls.len();
                let founders = self.queries.founders(edge, count, &model);
                let besides = self.queries.founded_by(edge, &founders);
                let found = predecessor_if(&mut self.queries, edge, set, &besides, &model)?;
                debug_assert!(
                    audit::some_state_steps(&self.queries, edge, &found, set),
                    "an obligation without a step into the next one, or with inputs"
                );
                let place = self.queries.graph.edge(edge).from;
                Answer::Predecessor(Found { place, set: found, step: Step::Edge(edge) })
            }
            Founded::Before(call, model) => {
                let wanted = self.queries.wanted_return(edge, call, set, (level, &model))?;
                let (place, set) = wanted;
                Answer::Predecessor(Found { place, set, step: Step::Returns })
            }
        })
    }
}

impl Lemmas for Locations {
    type Place = Location;
    type Set = [Lit];
    type Index = Scan<super::predicates::Subset>;

    fn trace(&self) -> &Frames {
        &self.queries.frames
    }

    fn trace_mut(&mut self) -> &mut Frames {
        &mut self.queries.frames
    }

    fn opened(&mut self, _: &Context) {}

    fn learned(&mut self, _: LemmaId, _: Level) -> Result<(), Stopped> {
        // Frames are assumed lemma by lemma, where a query needs them.
        Ok(())
    }

    fn claim(&self, place: Location, set: &[Lit]) -> Claim {
        Claim::Outside(evidence::region(&self.queries, place, set))
    }
}

impl Space for Locations {
    type Step = Step;
    type Guide = NoGuide;

    fn guide(&mut self) -> &mut NoGuide {
        &mut self.guide
    }

    fn goals(&self, open: &[usize]) -> Vec<Option<usize>> {
        open.iter().copied().map(Some).collect()
    }

    /// Edges are counted: `F_k` without error is no error within k edges.
    fn safe_step(&self, level: Level) -> usize {
        level.index()
    }

    fn check_start(&mut self, _: &Context, _: &[usize]) -> Result<Start, Stopped> {
        // No edge leads into the entry, and no error place is there.
        Ok(Start::Found { is_safe: true })
    }

    /// The entry is never strengthened, so an obligation there is reached, whatever its level. So
    /// is one that has a state of a fact.
    fn check_meets_start(&mut self, place: Location, set: &[Lit]) -> Result<bool, Stopped> {
        Ok(place == Location::ENTRY || self.queries.find_fact(place, set)?.is_some())
    }

    /// Everything at the error place, unless it is excluded from `F_k` as a whole.
    fn find_bad(
        &mut self,
        _: &Context,
        goal: Option<usize>,
    ) -> Result<Option<Found<Self>>, Stopped> {
        let Some(place) = self.error(goal.expect("asked about one property")) else {
            return Ok(None);
        };
        let top = self.trace().top();
        let is_open = top != Level::ZERO && self.trace().find_covering(place, &[], top).is_none();
        Ok(is_open.then(|| Found { place, set: Box::default(), step: Step::Bad }))
    }

    fn check_blocked(
        &mut self,
        _: &Context,
        obligation: &Obligation,
        level: Level,
        too_hard: Option<u32>,
    ) -> Result<Answer<Self>, Stopped> {
        let (place, set) = (obligation.place, &obligation.set);
        let effort = too_hard.map(|count| FIRST_EFFORT << count.min(40));
        let answer = self.queries.with_effort(effort, |q| q.check_blocked(place, set, level))?;
        Ok(match answer {
            Blocked::Yes(core) => Answer::Inductive(core),
            Blocked::TooHard => Answer::TooHard,
            Blocked::No(edge, _) if !self.queries.graph.edge(edge).calls.is_empty() => {
                let founded =
                    self.queries.with_effort(effort, |q| q.find_founded(edge, set, level))?;
                self.lead_on(edge, set, level, founded)?
            }
            Blocked::No(edge, model) => {
                let found = match self.options.variant {
                    ProgramVariant::Paper => preimage(&mut self.queries, edge, set, &model),
                    _ => predecessor(&mut self.queries, edge, set, &model)?,
                };
                debug_assert!(
                    audit::some_state_steps(&self.queries, edge, &found, set),
                    "an obligation without a step into the next one, or with inputs"
                );
                let place = self.queries.graph.edge(edge).from;
                Answer::Predecessor(Found { place, set: found, step: Step::Edge(edge) })
            }
        })
    }

    fn generalize(
        &mut self,
        context: &Context,
        obligation: &Obligation,
        _: f32,
        core: Box<[Lit]>,
        level: Level,
    ) -> Result<Level, Stopped> {
        let (place, top) = (obligation.place, self.trace().top());
        let options = self.options;
        if !options.generalizes() {
            self.add_lemma(context, place, obligation.set.clone(), level)?;
            return Ok(level);
        }
        let units = self.units.as_mut().filter(|_| !obligation.set.is_empty());
        let (set, level) = self.queries.with_effort(Some(options.effort), |queries| {
            let (mut set, mut reached) = match units {
                Some(units) => {
                    let cubes = (&*obligation.set, &*core);
                    units.widen(queries, &options, place, cubes, level)?
                }
                None => {
                    let cubes = (&*obligation.set, core);
                    (widen(queries, &options, place, cubes, level)?, level)
                }
            };
            while reached < top {
                let Some(smaller) = part(queries, place, &set, reached.above())? else { break };
                (set, reached) = (smaller, reached.above());
            }
            Ok::<_, Stopped>((set, reached))
        })?;
        for inserted in std::mem::take(&mut self.queries.excluded) {
            self.tell_inserted(context, &inserted)?;
        }
        self.add_lemma(context, place, set, level)?;
        Ok(level)
    }

    fn find_pushed(
        &mut self,
        _: &Context,
        id: LemmaId,
    ) -> Result<Option<(Box<[Lit]>, Level)>, Stopped> {
        let (place, lemma) = (self.trace().place(id), self.trace().lemma(id));
        let (set, above) = (lemma.set().to_vec(), lemma.level().above());
        let effort = Some(self.options.effort);
        let core = self.queries.with_effort(effort, |q| part(q, place, &set, above))?;
        Ok(core.map(|core| (core, above)))
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

    /// Proposes invariants: before the first frame what samples show, later what the search over
    /// integers has learned.
    fn closed(&mut self, context: &Context, level: Level) -> Result<(), Stopped> {
        debug_assert!(audit::frames_hold(&self.queries), "a lemma that an edge refutes");
        let has_turn = level == Level::ZERO || level.index().is_power_of_two();
        // An interrupted look goes on where it was.
        if level == Level::ZERO && self.proposals.is_none() {
            self.look_at_samples(context.seed)?;
        }
        if has_turn {
            self.look_at_candidates(context)?;
        }
        if has_turn && level != Level::ZERO {
            self.look_at_side(context)?;
        }
        Ok(())
    }

    /// Properties whose error place no step from the invariants leads to: `F_∞(p) ∧ guard` has no
    /// model for each edge into it.
    fn find_implied(&mut self, context: &Context, open: &[usize]) -> Result<Vec<usize>, Stopped> {
        let mut implied = Vec::new();
        for &position in open {
            let Some(place) = self.error(position) else {
                implied.push(position);
                continue;
            };
            let known = self.trace().invariants_so_far();
            if self.implied_with != Some(known) {
                let effort = Some(FIRST_EFFORT);
                let core = self
                    .queries
                    .with_effort(effort, |queries| part(queries, place, &[], Level::INFINITY))?;
                if let Some(core) = core {
                    self.add_lemma(context, place, core, Level::INFINITY)?;
                }
            }
            if self.trace().find_covering(place, &[], Level::INFINITY).is_some() {
                implied.push(position);
            }
        }
        self.implied_with = Some(self.trace().invariants_so_far());
        Ok(implied)
    }

    fn proof(&mut self, positions: &[usize], invariant: &Invariant) -> Proof {
        let properties = positions.iter().map(|&position| self.properties[position]).collect();
        let lemmas = match invariant {
            Invariant::All => Vec::new(),
            Invariant::Lemmas(lemmas) => lemmas.clone(),
        };
        evidence::proof(&mut self.queries, properties, &lemmas).into()
    }

    fn find_counterexample(
        &mut self,
        obligations: &Obligations,
        id: ObligationId,
    ) -> Result<Reached, Stopped> {
        let position = obligations.get(id).property.expect("always known");
        let property = self.properties[position];
        let not_followed = Stopped(Reason::Unsupported("a violation that cannot be followed"));
        let chain: Vec<&Obligation> = obligations.chain(id).collect();
        if !self.queries.graph.has_calls() {
            let trace = evidence::trace(&mut self.queries, property, &chain)?;
            return Ok(Reached::Violation(position, trace.ok_or(not_followed)?.into()));
        }
        // As far as it is about one run: to an error place, or to what a call returns.
        let last = chain.iter().position(|obligation| !matches!(obligation.step, Step::Edge(_)));
        let last = last.expect("error places are the end");
        let fact = self.queries.reach(&chain[..=last])?.ok_or(not_followed)?;
        if chain[last].step == Step::Returns {
            return Ok(Reached::Part(last + 1));
        }
        let trace = self.queries.run_to(property, fact)?;
        let not_followed = Stopped(Reason::Unsupported("a violation that cannot be followed"));
        Ok(Reached::Violation(position, trace.ok_or(not_followed)?.into()))
    }

    fn work(&self) -> u64 {
        self.queries.stats().2
    }

    fn progress(&self) -> Progress {
        let (queries, conflicts, _) = self.queries.stats();
        let top = self.trace().top().index();
        Progress {
            depth: top,
            frames: top + 1,
            lemmas: self.trace().len(),
            obligations: 0,
            queries,
            conflicts,
        }
    }
}
