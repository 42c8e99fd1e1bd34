//! Prepares justice sets for the engines, and translates the answers back.
//!
//! For each set the bits of its cone are taken, reduced and swept. Each method makes its monitored
//! system of them ([`pedra_engines::live`]), which is reduced like any other. In one thread the
//! engines take turns, those of all sets together, so that no set waits for another.

use crate::plan::{EngineName, Plan};
use crate::watched::Watched;
use pedra_engines::live::find_stable;
use pedra_engines::{
    Base, Bmc, BmcOptions, Engine, FbPdr, KLive, Method, Monitored, RLive, Relay, Room,
    SweepOptions,
};
use pedra_model::Model;
use pedra_model::back::Passes;
use pedra_model::bits::BitSystem;
use pedra_model::blast::{BlastError, Blasted, Blasting, blast};
use pedra_model::cone::{Restriction, WordCone};
use pedra_model::property::Property;
use pedra_model::reduce::{ReduceOptions, Reduced, Reduction, reduce};
use pedra_model::system::System;
use pedra_solve::Interrupt;

/// How long each engine works in one thread before it is the turn of the next, at first: looks at
/// the interrupt. A look of rlive takes longest, since it sets up a search for each question: on
/// cutarb16ro 32,000 looks of k-liveness, BMC, fbPDR and rlive took 4.7, 2.0, 4.4 and 25 s on a
/// busy machine. fbPDR has three times as many looks, lest rlive leave it behind; that number is
/// chosen, not measured. BMC with four times as many cost cucab12: open after 20 s of CPU, else
/// decided by k-liveness in 10 s. Tuning only.
const TURN_LOOKS: u64 = 4_000;
const FBPDR_LOOKS: u64 = 3 * TURN_LOOKS;

/// How justice sets are decided.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub enum Liveness {
    /// The others in turns; with an engine that was chosen, liveness to safety under that one.
    #[default]
    Auto,
    /// Liveness to safety, under any engine.
    L2s,
    /// k-liveness inside PDR, with BMC for lassos.
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
                "k-liveness: PDR bounds the number of rounds, while BMC looks for lassos"
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
    pub(crate) position: usize,
    bits: Bits<'a>,
    /// The same, made smaller.
    base: Base,
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
        interrupt: &Interrupt,
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
        let sweep = plan.sweep.or(plan.late_sweep);
        let sweep = sweep.map(|sweep| SweepOptions { seed: plan.seed, ..sweep });
        let base = Base::new(bits.system(), justice, &plan.reduce, sweep.as_ref(), interrupt);
        Ok(Source { position, bits, base })
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
pub(crate) struct Question<'a> {
    source: &'a Source<'a>,
    method: Method,
    monitored: Monitored<'a>,
    reduced: Reduced,
    /// Some engines wait here for a smaller system; none arrives.
    room: Room,
}

impl<'a> Question<'a> {
    fn new(source: &'a Source<'a>, method: Method, reductions: &ReduceOptions) -> Question<'a> {
        let monitored = Monitored::new(&source.base.system, 0, method.clone());
        let all: Vec<usize> = (0..monitored.system.bads.len()).collect();
        let reduced = reduce(&monitored.system, &all, reductions);
        Question { source, method, monitored, reduced, room: Room::default() }
    }

    /// The way back from the engines to the bits of the model.
    fn to_bits(&self) -> Passes<'_> {
        let reduction = Reduction { original: &self.monitored.system, map: &self.reduced.map };
        let base = self.source.base.way(self.source.bits.system());
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

/// The questions that a plan asks about a set.
pub(crate) fn questions<'a>(
    source: &'a Source<'a>,
    plan: &Plan,
    interrupt: &Interrupt,
) -> Vec<Question<'a>> {
    let question = |method| Question::new(source, method, &plan.reduce);
    let count = || {
        let stable = match plan.stable {
            true => find_stable(&source.base.system, 0, interrupt),
            false => Vec::new(),
        };
        question(Method::Count { stable })
    };
    match plan.liveness {
        Liveness::Auto if plan.engine != EngineName::Auto => vec![question(Method::Loop)],
        Liveness::L2s => vec![question(Method::Loop)],
        Liveness::Klive => vec![count(), question(Method::Loop)],
        Liveness::Rlive => vec![question(Method::Round)],
        // k-liveness first: its system is not twice as large as the model.
        Liveness::Auto => vec![count(), question(Method::Loop), question(Method::Round)],
    }
}

/// The ways back of a question: to the model, and to its bits.
pub(crate) struct Ways<'a> {
    to_model: Passes<'a>,
    to_bits: Passes<'a>,
}

impl<'a> Ways<'a> {
    pub(crate) fn new(question: &'a Question<'a>) -> Ways<'a> {
        Ways { to_model: question.to_model(), to_bits: question.to_bits() }
    }
}

/// The engines for all questions: they take turns, or share the threads.
pub(crate) fn engines<'a>(
    questions: &'a [Question<'a>],
    ways: &'a [Ways<'a>],
    plan: &Plan,
    selected: usize,
) -> Vec<Box<dyn Engine + 'a>> {
    let mut all: Vec<Turn<'a>> = Vec::new();
    for (question, ways) in questions.iter().zip(ways) {
        for (engine, looks) in engines_of(question, ways, plan) {
            let (passes, position) = (&ways.to_model, [question.source.position]);
            all.push((Box::new(Watched { engine, passes, position, bounds: None }), looks));
        }
    }
    Relay::shared(all, plan.threads, selected)
}

/// An engine, and the looks at the interrupt of its first turn.
type Turn<'a> = (Box<dyn Engine + 'a>, u64);

/// The engines for one question, in the order of their turns.
fn engines_of<'a>(question: &'a Question<'a>, ways: &'a Ways<'a>, plan: &Plan) -> Vec<Turn<'a>> {
    let (system, options) = (&question.reduced.system, plan.pdr_options());
    let bmc = || -> Turn<'a> {
        let options = BmcOptions { window: plan.window, ..BmcOptions::default() };
        (Box::new(Bmc::new(system, options)), TURN_LOOKS)
    };
    match (&question.method, plan.liveness, plan.engine) {
        (Method::Count { .. }, ..) => {
            vec![(Box::new(KLive::new(system, options, &ways.to_bits)), TURN_LOOKS)]
        }
        (Method::Round, ..) => {
            vec![(Box::new(RLive::new(system, options, &ways.to_bits)), TURN_LOOKS)]
        }
        (Method::Loop, Liveness::Klive, _) => vec![bmc()],
        (Method::Loop, _, EngineName::Auto) => {
            vec![bmc(), (Box::new(FbPdr::new(system, options, plan.fb)), FBPDR_LOOKS)]
        }
        (Method::Loop, ..) => {
            let engine = plan.one_bit_engine(system, &question.room);
            engine.into_iter().map(|engine| (engine, TURN_LOOKS)).collect()
        }
    }
}
