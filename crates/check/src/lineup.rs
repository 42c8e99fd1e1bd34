//! The line-up of `auto`: which engines run, in which order, and in how many threads. It is data: a
//! configuration is a row. See docs/design/portfolio.md.
//!
//! *The first thread does what a run with one thread does*, whatever the number of threads. Nothing
//! that one thread finds is therefore lost or found later with several threads. The exchange of
//! lemmas, if it is on, is the exception.

use crate::pipeline::Derived;
use crate::plan::{EngineName, Plan};
use crate::straight::Straight;
use pedra_engines::{Engine, EqualProperties, Exchange, Leg, Many, Relay, Room, Settings, Shared};
use pedra_model::back::Passes;
use pedra_model::bits::BitSystem;
use pedra_model::system::System;
use std::sync::Arc;

/// An engine with options, as a user would write them.
#[derive(Copy, Clone, Debug)]
pub struct Row {
    /// The engine.
    pub engine: EngineName,
    /// Options that count before those of the plan, as `ENGINE.NAME=VALUE`.
    pub options: &'static [&'static str],
}

const fn row(engine: EngineName, options: &'static [&'static str]) -> Row {
    Row { engine, options }
}

/// PDR with local abstraction: what it finds soon it often finds much sooner than fbPDR, which
/// cannot have it.
const ABSTRACT: Row = row(EngineName::Pdr, &["pdr.abstract=on"]);

/// What further threads run, in this order. Rows that need words are left out if there are none.
/// Where the order comes from: docs/design/portfolio.md.
pub const BESIDE: &[Row] = &[
    row(EngineName::Bmc, &[]),
    row(EngineName::Pdr, &[]),
    ABSTRACT,
    row(EngineName::Wpdr, &[]),
    row(EngineName::Rpdr, &[]),
    row(EngineName::Avy, &[]),
    row(EngineName::Pdr, &["pdr.signals=on"]),
    row(EngineName::Kind, &[]),
];

/// What part of its usual time fbPDR works before it sweeps, if PDR had its moment before it.
/// On 43 models that take `auto` 0.1 s or more: 0.86 of the time that it takes without that moment,
/// and 0.96 of it if fbPDR works as long as usual.
const SOONER: u64 = 5;

/// What one thread runs in turns when fbPDR has had its first, long turn.
pub const TURNS: &[Row] = &[ABSTRACT, row(EngineName::Bmc, &[]), row(EngineName::Avy, &[])];

/// How long k-induction works before fbPDR in one thread, beside [`Budgets`](crate::Budgets): gates
/// in all steps together, and looks at the interrupt, fewer if the system is large. Tuning only.
const PRELUDE_GATES: usize = 500_000;
const PRELUDE_LEAST_LOOKS: u64 = 1_000;
const PRELUDE_LOOKS_TIMES_GATES: usize = 20_000_000;

/// How long the first engine works in a thread that several share, at first: looks at the
/// interrupt. The next one has half of it, and so on: the order of the table is that of their use.
const SHARED_LOOKS: u64 = 8_192;

/// How long engines for programs work in one thread before it is the turn of the next, at first:
/// looks at the interrupt, and work between them.
pub(crate) const PROGRAM_LOOKS: u64 = 2_000;

/// And engines for the system of a program, which look more often: k-induction and fbPDR. A look of
/// fbPDR is mostly one small question: 0.04 ms on the C task `s3_clnt_2`, against 0.4 ms in lifted
/// PDR. Fewer if the system is large: with the bits of an array, a question of fbPDR takes 20 ms
/// on `array_2-1`.
const KIND_LOOKS: u64 = PROGRAM_LOOKS / 2;
const FBPDR_LOOKS: u64 = 2 * PROGRAM_LOOKS;
const LEAST_LOOKS: u64 = 50;

/// And BMC, whose looks are parts of questions that grow, to a solver that says nothing of its
/// work: 7 ms on `count_up_down-1`. Long runs are found by others; after its turns BMC waits for
/// those of [`TURNS`].
const BMC_LOOKS: u64 = PROGRAM_LOOKS / 32;
const BMC_DEPTH: usize = 50;

/// And BMC of a program without loops, which decides it. `Haystacks-07` takes 1.9 s of CPU, with an
/// eighth of this 2.5 s (one run each).
const STRAIGHT_LOOKS: u64 = 32 * PROGRAM_LOOKS;

/// What engines work on.
pub(crate) struct Ground<'a> {
    /// The bits, if there are any.
    pub(crate) bits: Option<OnBits<'a>>,
    /// The words, if there are any.
    pub(crate) words: Option<OnWords<'a>>,
    /// How many properties are decided.
    pub(crate) properties: usize,
}

/// A system in bits, and the way back from it.
pub(crate) struct OnBits<'a> {
    pub(crate) system: &'a BitSystem,
    pub(crate) passes: &'a Passes<'a>,
    pub(crate) equal: &'a EqualProperties,
    /// Where a swept system will be.
    pub(crate) room: &'a Room,
    /// Where engines share lemmas, if they do.
    pub(crate) exchange: Option<&'a Exchange>,
}

/// A system in words, and the way back from it.
pub(crate) struct OnWords<'a> {
    pub(crate) system: &'a System,
    pub(crate) passes: &'a Passes<'a>,
}

/// Engines that work on something else than the system: on a program, or on justice sets.
#[derive(Default)]
pub(crate) struct Others<'a> {
    /// Those that take turns with the system's engines in the first thread.
    pub(crate) alone: Vec<Box<dyn Engine + 'a>>,
    /// Those for further threads.
    pub(crate) beside: Vec<Box<dyn Engine + 'a>>,
    /// The program, if it has no loops.
    pub(crate) straight: Option<Straight>,
}

impl<'a> Others<'a> {
    /// These alone, dealt to threads.
    pub(crate) fn line_up(self, plan: &Plan, properties: usize) -> Vec<Box<dyn Engine + 'a>> {
        share(legs_of_program(self.alone), self.beside, plan.threads, properties)
    }
}

/// Engines for a program, which take turns with others.
fn legs_of_program<'a>(engines: Vec<Box<dyn Engine + 'a>>) -> Vec<Leg<'a>> {
    engines.into_iter().map(|engine| leg(engine, PROGRAM_LOOKS)).collect()
}

fn leg<'a>(engine: Box<dyn Engine + 'a>, looks: u64) -> Leg<'a> {
    Leg { engine, looks: Some(looks), max_depth: None }
}

impl<'a> Ground<'a> {
    fn on_bits(&self, engine: Box<dyn Engine + 'a>) -> Option<Box<dyn Engine + 'a>> {
        let OnBits { passes, equal, exchange, .. } = *self.bits.as_ref()?;
        Some(Box::new(Derived { engine, passes, equal: Some(equal), exchange }))
    }

    fn on_words(&self, engine: Box<dyn Engine + 'a>) -> Option<Box<dyn Engine + 'a>> {
        let passes = self.words.as_ref()?.passes;
        Some(Box::new(Derived { engine, passes, equal: None, exchange: None }))
    }

    /// The engine of a row, in one thread, if there is something for it to work on.
    fn engine(&self, plan: &Plan, row: Row) -> Option<Box<dyn Engine + 'a>> {
        let plan = Plan { engine: row.engine, threads: 1, ..plan.with_options(row.options) };
        match row.engine {
            EngineName::Wpdr => self.on_words(plan.wpdr(self.words.as_ref()?.system)),
            _ => {
                let bits = self.bits.as_ref()?;
                self.on_bits(plan.bit_engines(bits.system, bits.room).into_iter().next()?)
            }
        }
    }

    fn engines(&self, plan: &Plan, rows: &[Row]) -> Vec<Box<dyn Engine + 'a>> {
        rows.iter().filter_map(|&row| self.engine(plan, row)).collect()
    }

    /// The properties one by one, if there are several and that pays.
    fn many(&self, plan: &Plan, shared: &Arc<Shared>) -> Option<Box<dyn Engine + 'a>> {
        let is_worth_it = |s: &BitSystem| s.properties().len() > 1 && Many::pays(s);
        let bits = self.bits.as_ref().filter(|bits| is_worth_it(bits.system))?;
        self.on_bits(Box::new(Many::new(bits.system, plan.pdr_options(), shared.clone())))
    }

    /// `auto` in one thread: k-induction for a moment, word-level PDR if there are words and it
    /// gets on, PDR with local abstraction for a moment, and then [`Ground::in_turns`].
    fn auto(&self, plan: &Plan, shared: &Arc<Shared>) -> Option<Box<dyn Engine + 'a>> {
        let mut legs = Vec::new();
        if let Some(bits) = &self.bits {
            let kind = self.engine(plan, row(EngineName::Kind, &[]))?;
            legs.push(prelude(plan, bits.system, kind));
        }
        if let Some(words) = &self.words {
            let engine = self.on_words(plan.wpdr_on_trial(words.system))?;
            legs.push(leg(engine, plan.budgets.word_looks));
        }
        let last = |engine| Leg { engine, looks: None, max_depth: None };
        match self.abstracted(plan) {
            None => legs.extend(self.in_turns(plan, shared).map(last)),
            Some(first) => {
                let mut plan = plan.clone();
                plan.budgets.looks_before_sweep /= SOONER;
                // Questions of large systems take longer: here work counts.
                let both = vec![first, last(self.in_turns(&plan, shared)?)];
                legs.push(last(Box::new(Relay::new(both, self.properties).by_work())));
            }
        }
        (!legs.is_empty()).then(|| Box::new(Relay::new(legs, self.properties)) as Box<_>)
    }

    /// PDR with local abstraction for a moment, if there is one property: the search for all of
    /// several would let the first answers wait.
    fn abstracted(&self, plan: &Plan) -> Option<Leg<'a>> {
        if self.properties != 1 {
            return None;
        }
        let plan = Plan { late_sweep: None, ..plan.clone() };
        Some(leg(self.engine(&plan, ABSTRACT)?, plan.budgets.abstract_looks))
    }

    /// fbPDR for about a minute; from then on it takes turns with others. Several properties are
    /// decided together and one by one, in turns from the beginning.
    fn in_turns(&self, plan: &Plan, shared: &Arc<Shared>) -> Option<Box<dyn Engine + 'a>> {
        let long = plan.budgets.turn_looks;
        let first = self.engine(plan, row(EngineName::Fbpdr, &[]))?;
        let mut turns = vec![leg(first, long)];
        turns.extend(self.engines(plan, TURNS).into_iter().map(|e| leg(e, long / 4)));
        let together = Box::new(Relay::turns(turns, self.properties));
        Some(match self.many(plan, shared) {
            None => together,
            Some(many) => {
                // Where all cones are the whole system, the search for all is the better one.
                let looks = plan.budgets.many_looks;
                let both = vec![leg(many, looks), leg(together, 2 * looks)];
                Box::new(Relay::turns(both, self.properties))
            }
        })
    }

    /// The same beside engines for a program, which reason about its words. All take turns from
    /// the beginning: what one of them finds soon does not wait for what another takes long for.
    fn beside_program(&self, plan: &Plan, shared: &Arc<Shared>) -> Vec<Leg<'a>> {
        let gates = self.bits.as_ref().map_or(1, |bits| bits.system.aig.len().max(1));
        let by_size = ((PRELUDE_LOOKS_TIMES_GATES / gates) as u64).max(LEAST_LOOKS);
        let bounded = |engine, looks: u64, depth| {
            let engine = self.engine(plan, row(engine, &[]))?;
            Some(Leg { max_depth: Some(depth), ..leg(engine, looks.min(by_size)) })
        };
        let depth = (PRELUDE_GATES / gates).min(plan.budgets.prelude_depth);
        let kind = bounded(EngineName::Kind, KIND_LOOKS, depth);
        let bmc = bounded(EngineName::Bmc, BMC_LOOKS, BMC_DEPTH);
        let turns = self.in_turns(plan, shared);
        let turns = turns.map(|engine| leg(engine, FBPDR_LOOKS.min(by_size)));
        kind.into_iter().chain(bmc).chain(turns).collect()
    }

    /// The same for a program without loops: it is one question.
    fn on_straight(&self, plan: &Plan, straight: Straight) -> Vec<Leg<'a>> {
        let bmc = self.engine(plan, row(EngineName::Bmc, &[]));
        bmc.map(|bmc| leg(straight.by(bmc), STRAIGHT_LOOKS)).into_iter().collect()
    }

    /// All engines of a plan, one for each thread.
    pub(crate) fn line_up(&self, plan: &Plan, others: Others<'a>) -> Vec<Box<dyn Engine + 'a>> {
        let (first, beside) = match plan.engine {
            EngineName::Auto => {
                let shared = Arc::default();
                let first = match (others.alone.is_empty(), others.straight) {
                    (true, _) => legs_of_program(self.auto(plan, &shared).into_iter().collect()),
                    (false, Some(straight)) => self.on_straight(plan, straight),
                    // Heuristic: k-induction on circuits comes first, since what it finds it finds
                    // at once.
                    (false, None) => self.beside_program(plan, &shared),
                };
                let beside = self.many(plan, &shared).into_iter();
                (first, beside.chain(self.engines(plan, BESIDE)).collect())
            }
            EngineName::Bmc if others.straight.is_some() => {
                let straight = others.straight.into_iter();
                (straight.flat_map(|s| self.on_straight(plan, s)).collect(), Vec::new())
            }
            EngineName::Wpdr if self.words.is_some() => {
                (legs_of_program(self.engines(plan, &[row(EngineName::Wpdr, &[])])), Vec::new())
            }
            _ => {
                let bits = self.bits.iter().flat_map(|b| plan.bit_engines(b.system, b.room));
                let mut engines = bits.filter_map(|engine| self.on_bits(engine));
                (legs_of_program(engines.by_ref().take(1).collect()), engines.collect())
            }
        };
        let first = first.into_iter().chain(legs_of_program(others.alone)).collect();
        let beside = others.beside.into_iter().chain(beside).collect();
        share(first, beside, plan.threads, self.properties)
    }
}

/// Deals engines to threads: the first thread takes turns with its own, each of the others has one
/// of the rest, and the last one has all that is left.
pub(crate) fn share<'a>(
    mut first: Vec<Leg<'a>>,
    beside: Vec<Box<dyn Engine + 'a>>,
    threads: usize,
    properties: usize,
) -> Vec<Box<dyn Engine + 'a>> {
    let turns = |legs| Box::new(Relay::turns(legs, properties)) as Box<dyn Engine + 'a>;
    let mut engines: Vec<Box<dyn Engine + 'a>> = match first.len() {
        0 | 1 => first.drain(..).map(|leg| leg.engine).collect(),
        // Their questions differ much in size.
        _ => vec![Box::new(Relay::turns(first, properties).by_work())],
    };
    let mut beside = beside.into_iter();
    while engines.len() + 1 < threads.max(1) {
        let Some(engine) = beside.next() else { break };
        engines.push(engine);
    }
    let mut left: Vec<Box<dyn Engine + 'a>> = beside.collect();
    if engines.is_empty() || threads > 1 && engines.len() < threads {
        match left.len() {
            0 => {}
            1 => engines.append(&mut left),
            _ => {
                let looks = |i: usize| (SHARED_LOOKS >> i.min(8)).max(1);
                let legs = left.into_iter().enumerate().map(|(i, engine)| leg(engine, looks(i)));
                engines.push(turns(legs.collect()));
            }
        }
    }
    engines
}

/// k-induction for a moment: what it finds it finds at once, and fbPDR may take long for it.
fn prelude<'a>(plan: &Plan, system: &BitSystem, engine: Box<dyn Engine + 'a>) -> Leg<'a> {
    let gates = system.aig.len().max(1);
    let max_depth = (PRELUDE_GATES / gates).min(plan.budgets.prelude_depth);
    let looks = ((PRELUDE_LOOKS_TIMES_GATES / gates) as u64).max(PRELUDE_LEAST_LOOKS);
    let looks = looks.min(plan.budgets.prelude_looks);
    Leg { engine, looks: Some(looks), max_depth: Some(max_depth) }
}

impl Plan {
    /// The same with options of engines, which count before those that it has.
    ///
    /// # Panics
    /// If an option makes no sense: they come from a table, which a test reads.
    fn with_options(&self, options: &[&str]) -> Plan {
        let Plan { pdr, fb, imc, avy, word, program, .. } = *self;
        let mut settings = Settings { pdr, fb, imc, avy, word, program, ..Settings::default() };
        settings.bmc.window = self.window;
        settings.kind.simple_path = self.simple_path;
        settings.set(options.iter().copied()).expect("an option of a table");
        let Settings { bmc, kind, pdr, fb, imc, avy, word, program, .. } = settings;
        let (window, simple_path) = (bmc.window, kind.simple_path);
        Plan { window, simple_path, pdr, fb, imc, avy, word, program, ..self.clone() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pedra_engines::{Context, End, Progress};

    struct Named(&'static str);

    impl Engine for Named {
        fn name(&self) -> &'static str {
            self.0
        }

        fn run(&mut self, _: &Context) -> End {
            End::NOTHING_LEFT
        }

        fn progress(&self) -> Progress {
            Progress::default()
        }
    }

    #[test]
    fn the_options_of_the_tables_make_sense() {
        for row in BESIDE.iter().chain(TURNS) {
            Plan::default().with_options(row.options);
        }
        let user = Plan { window: 7, ..Plan::default() };
        assert_eq!(user.with_options(&["kind.simple-path=on"]).window, 7);
        assert_eq!(user.with_options(&["bmc.window=2"]).window, 2);
    }

    #[test]
    fn the_last_thread_has_what_is_left() {
        let list = |names: &[&'static str]| -> Vec<Box<dyn Engine>> {
            names.iter().map(|&name| Box::new(Named(name)) as Box<dyn Engine>).collect()
        };
        let names = |threads: usize, first: &[&'static str]| -> Vec<&'static str> {
            let engines = share(legs_of_program(list(first)), list(&["b", "c", "d"]), threads, 1);
            engines.iter().map(|engine| engine.name()).collect()
        };
        assert_eq!(names(1, &["a"]), ["a"]);
        assert_eq!(names(2, &["a"]), ["a", "b"]);
        assert_eq!(names(3, &["a", "x"]), ["a", "b", "c"]);
        assert_eq!(names(9, &["a"]), ["a", "b", "c", "d"]);
        assert_eq!(names(2, &[]), ["b", "c"]);
        assert_eq!(names(1, &[]), ["b"]);
    }
}
