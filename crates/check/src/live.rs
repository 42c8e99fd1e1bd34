//! Prepares justice sets for the engines, and translates the answers back.
//!
//! For each set the bits of its cone are taken, reduced and swept. Each method makes its monitored
//! system of them ([`pedra_engines::live`]), which is reduced like any other. In one thread the
//! engines take turns, those of all sets together, so that no set waits for another. Everything is
//! made when the turn of the first engine comes that needs it: bads and other sets do not wait.

use crate::plan::{EngineName, Plan};
use crate::watched::Watched;
use pedra_engines::events::Progress;
use pedra_engines::live::find_stable;
use pedra_engines::{
    Base, Bmc, BmcOptions, Context, End, Engine, FbPdr, KLive, Method, Monitored, Pdr, PdrOptions,
    RLive, Relay, Room, SweepOptions,
};
use pedra_model::Model;
use pedra_model::back::Passes;
use pedra_model::bits::BitSystem;
use pedra_model::blast::{BlastError, Blasted, Blasting, blast};
use pedra_model::cone::{Restriction, WordCone};
use pedra_model::live_proof::StableLatch;
use pedra_model::property::Property;
use pedra_model::reduce::{Reduced, Reduction, reduce};
use pedra_model::system::System;
use pedra_solve::Interrupt;
use std::sync::OnceLock;

/// How long each engine works in one thread before it is the turn of the next, at first: looks at
/// the interrupt. A look of rlive takes longest, since it sets up a search for each question: on
/// cutarb16ro 32,000 looks of k-liveness, BMC, fbPDR and rlive took 4.7, 2.0, 4.4 and 25 s on a
/// busy machine. fbPDR has three times as many looks, lest rlive leave it behind; that number is
/// chosen, not measured. BMC with four times as many cost cucab12: open after 20 s of CPU, else
/// decided by k-liveness in 10 s. Tuning only.
const TURN_LOOKS: u64 = 4_000;
const FBPDR_LOOKS: u64 = 3 * TURN_LOOKS;

/// The same for PDR with local abstraction. Alone it decides three models of `live17` in 12 to 17 s
/// that the others leave open. With `3 * TURN_LOOKS`, and k-induction without a last `k`,
/// lmcs06bc57sp4 took 18.8 s of CPU, now 14.7 s, and without both 10.9 s. Tuning only.
const ABSTRACT_LOOKS: u64 = 2 * TURN_LOOKS;

/// How justice sets are decided.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub enum Liveness {
    /// The others in turns; with an engine that was chosen, liveness to safety under that one.
    #[default]
    Auto,
    /// Liveness to safety, under any engine.
    L2s,
    /// k-liveness inside PDR and by k-induction, with BMC for lassos.
    Klive,
    /// rlive: PDR from round to round.
    Rlive,
}

impl Liveness {
    /// All of them, in the order in which they are shown.
    pub const ALL: [Liveness; 4] =
        [Liveness::Auto, Liveness::L2s, Liveness::Klive, Liveness::Rlive];

    /// As it is typed and shown.
    pub fn text(self) -> &'static str {
        match self {
            Liveness::Auto => "auto",
            Liveness::L2s => "l2s",
            Liveness::Klive => "klive",
            Liveness::Rlive => "rlive",
        }
    }

    /// What it does, in a line.
    pub fn help(self) -> &'static str {
        match self {
            Liveness::Auto => "All of them in turns; with --engine, l2s with that engine",
            Liveness::L2s => "Liveness to safety: a loop is a state that was saved before",
            Liveness::Klive => {
                "k-liveness: PDR or k-induction bounds the number of rounds, BMC looks for lassos"
            }
            Liveness::Rlive => "rlive: PDR searches from round to round",
        }
    }

    /// The one that is typed and shown like this.
    pub fn of_text(text: &str) -> Option<Liveness> {
        Liveness::ALL.into_iter().find(|liveness| liveness.text() == text)
    }
}

/// The bits that a justice set depends on.
pub(crate) struct Source<'a> {
    /// Where the answer goes: a position among the selected properties.
    position: usize,
    bits: Bits<'a>,
    /// The number of the set in these bits.
    justice: usize,
    /// The same, made smaller.
    base: OnceLock<Base>,
    /// The latches of that which change in one direction only.
    stable: OnceLock<Vec<StableLatch>>,
}

enum Bits<'a> {
    Model(&'a BitSystem),
    Words { original: &'a System, cone: Box<WordCone>, blasted: Box<Blasted> },
}

impl<'a> Source<'a> {
    /// Of a property that is a justice set.
    ///
    /// # Errors
    /// If its words cannot be made into bits.
    pub(crate) fn new(
        model: &'a Model,
        property: usize,
        position: usize,
        plan: &Plan,
    ) -> Result<Source<'a>, BlastError> {
        let Property::Justice(index) = model.property(property) else {
            unreachable!("bads are decided elsewhere");
        };
        let (bits, justice) = match model {
            Model::Bits(system) => (Bits::Model(system), index),
            Model::Words(original) => {
                let cone = Box::new(WordCone::of_justice(original, index));
                let blasted = Box::new(blast(&cone.system, &plan.blast)?);
                (Bits::Words { original, cone, blasted }, 0)
            }
        };
        Ok(Source { position, bits, justice, base: OnceLock::new(), stable: OnceLock::new() })
    }

    fn base(&self, plan: &Plan, interrupt: &Interrupt) -> &Base {
        self.base.get_or_init(|| {
            let sweep = plan.sweep.or(plan.late_sweep);
            let sweep = sweep.map(|sweep| SweepOptions { seed: plan.seed, ..sweep });
            let system = self.bits.system();
            Base::new(system, self.justice, &plan.reduce, sweep.as_ref(), interrupt)
        })
    }

    /// The stable latches, if the plan wants them.
    fn stable(&self, plan: &Plan, interrupt: &Interrupt) -> Vec<StableLatch> {
        if !plan.stable {
            return Vec::new();
        }
        let find = || find_stable(&self.base(plan, interrupt).system, 0, interrupt);
        self.stable.get_or_init(find).clone()
    }
}

impl Bits<'_> {
    fn system(&self) -> &BitSystem {
        match self {
            Bits::Model(system) => system,
            Bits::Words { blasted, .. } => &blasted.system,
        }
    }
}

/// A monitored system, reduced: what engines are asked.
struct Question<'a> {
    source: &'a Source<'a>,
    base: &'a Base,
    monitored: Monitored<'a>,
    reduced: Reduced,
    /// Some engines wait here for a smaller system; none arrives.
    room: Room,
}

impl<'a> Question<'a> {
    fn new(
        source: &'a Source<'a>,
        monitor: Monitor,
        plan: &Plan,
        interrupt: &Interrupt,
    ) -> Question<'a> {
        let base = source.base(plan, interrupt);
        let method = match monitor {
            Monitor::Count => Method::Count { stable: source.stable(plan, interrupt) },
            Monitor::Induction => Method::Induction { stable: source.stable(plan, interrupt) },
            Monitor::Loop => Method::Loop,
            Monitor::Round => Method::Round,
        };
        let monitored = Monitored::new(&base.system, 0, method);
        let all: Vec<usize> = (0..monitored.system.bads.len()).collect();
        let reduced = reduce(&monitored.system, &all, &plan.reduce);
        Question { source, base, monitored, reduced, room: Room::default() }
    }

    /// The way back from the engines to the bits of the model.
    fn to_bits(&self) -> Passes<'_> {
        let reduction = Reduction { original: &self.monitored.system, map: &self.reduced.map };
        let base = self.base.way(self.source.bits.system());
        Passes(vec![Box::new(base), Box::new(&self.monitored), Box::new(reduction)])
    }

    /// The way back to the model.
    fn to_model(&self) -> Passes<'_> {
        let mut passes = match &self.source.bits {
            Bits::Model(_) => Passes::default(),
            Bits::Words { original, cone, blasted } => Passes(vec![
                Box::new(Restriction { original, cone }),
                Box::new(Blasting { system: &cone.system, blasted }),
            ]),
        };
        passes.0.extend(self.to_bits().0);
        passes
    }
}

/// What a monitored system is for; a [`Method`] without what has to be computed for it.
#[derive(Copy, Clone)]
enum Monitor {
    Count,
    Induction,
    Loop,
    Round,
}

/// A question that will be asked about a set.
pub(crate) struct Asked<'a> {
    source: &'a Source<'a>,
    monitor: Monitor,
    plan: &'a Plan,
    interrupt: &'a Interrupt,
    question: OnceLock<Question<'a>>,
}

impl<'a> Asked<'a> {
    fn question(&self) -> &Question<'a> {
        let Asked { source, monitor, plan, interrupt, .. } = *self;
        self.question.get_or_init(|| Question::new(source, monitor, plan, interrupt))
    }
}

/// The questions that a plan asks about a set. The interrupt is that of the whole run: what was
/// begun to be made is finished, whatever is left of a turn.
pub(crate) fn questions<'a>(
    source: &'a Source<'a>,
    plan: &'a Plan,
    interrupt: &'a Interrupt,
) -> Vec<Asked<'a>> {
    let monitors: &[Monitor] = match plan.liveness {
        Liveness::Auto if plan.engine != EngineName::Auto => &[Monitor::Loop],
        Liveness::L2s => &[Monitor::Loop],
        Liveness::Klive => &[Monitor::Count, Monitor::Induction, Monitor::Loop],
        Liveness::Rlive => &[Monitor::Round],
        // k-liveness first: its system is not twice as large as the model.
        Liveness::Auto => &[Monitor::Count, Monitor::Induction, Monitor::Loop, Monitor::Round],
    };
    let asked =
        |&monitor: &Monitor| Asked { source, monitor, plan, interrupt, question: OnceLock::new() };
    monitors.iter().map(asked).collect()
}

/// The ways back of a question: to the model, and to its bits.
pub(crate) struct Ways<'a> {
    to_model: Passes<'a>,
    to_bits: Passes<'a>,
}

impl<'a> Ways<'a> {
    fn new(question: &'a Question<'a>) -> Ways<'a> {
        Ways { to_model: question.to_model(), to_bits: question.to_bits() }
    }
}

/// The engines for all questions: they take turns, or share the threads. Each question has a place
/// for its ways.
pub(crate) fn engines<'w, 'a>(
    asked: &'a [Asked<'_>],
    ways: &'w [OnceLock<Ways<'a>>],
    threads: usize,
    selected: usize,
) -> Vec<Box<dyn Engine + 'w>> {
    let mut all: Vec<(Box<dyn Engine + 'w>, u64)> = Vec::new();
    for (asked, ways) in asked.iter().zip(ways) {
        for &(work, looks) in works(asked) {
            all.push((Box::new(Late { asked, ways, work, engine: None }), looks));
        }
    }
    Relay::shared(all, threads, selected)
}

/// An engine for a question.
#[derive(Copy, Clone)]
enum Work {
    Klive,
    Induction,
    Rlive,
    Bmc,
    Fbpdr,
    /// PDR with local abstraction.
    Abstract,
    /// The one that the user has chosen.
    Chosen,
}

/// The engines for one question, in the order of their turns, and the looks at the interrupt of
/// their first ones.
fn works(asked: &Asked<'_>) -> &'static [(Work, u64)] {
    match (asked.monitor, asked.plan.liveness, asked.plan.engine) {
        (Monitor::Count, ..) => &[(Work::Klive, TURN_LOOKS)],
        (Monitor::Induction, ..) => &[(Work::Induction, TURN_LOOKS)],
        (Monitor::Round, ..) => &[(Work::Rlive, TURN_LOOKS)],
        (Monitor::Loop, Liveness::Klive, _) => &[(Work::Bmc, TURN_LOOKS)],
        (Monitor::Loop, _, EngineName::Auto) => {
            &[(Work::Bmc, TURN_LOOKS), (Work::Fbpdr, FBPDR_LOOKS), (Work::Abstract, ABSTRACT_LOOKS)]
        }
        (Monitor::Loop, ..) => &[(Work::Chosen, TURN_LOOKS)],
    }
}

/// An engine that is made at its first turn, with all that it needs.
struct Late<'w, 'a, 's> {
    asked: &'a Asked<'s>,
    ways: &'w OnceLock<Ways<'a>>,
    work: Work,
    engine: Option<Watched<'w>>,
}

impl<'w> Late<'w, '_, '_> {
    fn make(&self) -> Watched<'w> {
        let (asked, plan) = (self.asked, self.asked.plan);
        let question = asked.question();
        let ways = self.ways.get_or_init(|| Ways::new(question));
        let (system, options) = (&question.reduced.system, plan.pdr_options());
        let engine: Box<dyn Engine + 'w> = match self.work {
            Work::Klive => Box::new(KLive::new(system, options, &ways.to_bits)),
            Work::Induction => Box::new(KLive::by_induction(system, &ways.to_bits)),
            Work::Rlive => Box::new(RLive::new(system, options, &ways.to_bits)),
            Work::Bmc => {
                let options = BmcOptions { window: plan.window, ..BmcOptions::default() };
                Box::new(Bmc::new(system, options))
            }
            Work::Fbpdr => Box::new(FbPdr::new(system, options, plan.fb)),
            Work::Abstract => {
                Box::new(Pdr::new(system, PdrOptions { abstraction: true, ..options }))
            }
            Work::Chosen => plan.one_bit_engine(system, &question.room),
        };
        let (passes, position) = (&ways.to_model, [asked.source.position]);
        Watched { engine, passes, position, bounds: None }
    }
}

impl Engine for Late<'_, '_, '_> {
    fn name(&self) -> &'static str {
        match (&self.engine, self.work) {
            (Some(engine), _) => engine.name(),
            (None, Work::Klive) => "klive",
            (None, Work::Induction) => "klive-kind",
            (None, Work::Rlive) => "rlive",
            (None, Work::Bmc) => "bmc",
            (None, Work::Fbpdr) => "fbpdr",
            (None, Work::Abstract) => "pdr",
            (None, Work::Chosen) => self.asked.plan.engine.text(),
        }
    }

    fn run(&mut self, context: &Context) -> End {
        if !context.is_open(self.asked.source.position) {
            return End::NOTHING_LEFT;
        }
        if self.engine.is_none() {
            self.engine = Some(self.make());
        }
        self.engine.as_mut().expect("it was made").run(context)
    }

    fn progress(&self) -> Progress {
        self.engine.as_ref().map_or_else(Progress::default, Engine::progress)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pedra_model::bits::Reset;

    /// Nothing is prepared for a set before its turn, nor for one that is settled.
    #[test]
    fn a_set_is_prepared_at_its_first_turn() {
        let mut system = BitSystem::new();
        let latch = system.add_latch(Reset::Zero);
        system.latches[0].next = latch;
        system.justice = vec![vec![latch], vec![!latch]];
        let model = Model::Bits(system);
        let (plan, interrupt) = (Plan::default(), Interrupt::new());
        let source = |set| Source::new(&model, set, set, &plan).expect("these are bits");
        let sources = [source(0), source(1)];
        let asked = sources.iter().flat_map(|source| questions(source, &plan, &interrupt));
        let asked: Vec<Asked<'_>> = asked.collect();
        let ways: Vec<OnceLock<Ways<'_>>> = asked.iter().map(|_| OnceLock::new()).collect();
        let context = Context::default();
        let late = |number: usize| Late {
            asked: &asked[number],
            ways: &ways[number],
            work: works(&asked[number])[0].0,
            engine: None,
        };
        let mut first = late(0);
        assert_eq!((first.name(), first.progress()), ("klive", Progress::default()));
        assert!(asked[0].question.get().is_none() && sources[0].base.get().is_none());
        first.run(&context);
        assert!(asked[0].question.get().is_some() && asked[1].question.get().is_none());
        assert!(!context.is_open(0) && sources[1].base.get().is_none());
        assert_eq!(late(1).run(&context), End::NOTHING_LEFT);
        assert!(asked[1].question.get().is_none());
    }
}
