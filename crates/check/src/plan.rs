//! The plan of a run: which engines run, and with which options.

use crate::lineup::{Others, PROGRAM_LOOKS};
use crate::live::Liveness;
use crate::straight::Straight;
use pedra_certify::CheckOptions;
use pedra_engines::exchange::AutoOptions;
use pedra_engines::{
    Avy, AvyOptions, BitStage, Bmc, BmcOptions, Engine, FbOptions, FbPdr, Imc, ImcOptions, Kind,
    KindOptions, Leg, Lifted, Paths, Pdr, PdrOptions, ProgramOptions, Relay, Room, Runs, Slotted,
    SweepOptions, SweepPlan, Sweeper, Swept, WordOptions, Wpdr,
};
use pedra_model::bits::BitSystem;
use pedra_model::blast::BlastOptions;
use pedra_model::reduce::ReduceOptions;
use pedra_model::system::System;
use pedra_program::Lowered;
use pedra_solve::{Interrupt, SolverKind};
use std::sync::Arc;

/// How long k-induction works on programs with integers at first, in one thread: looks at the
/// interrupt, and blocks.
const PATHS_LOOKS: u64 = 500;
const PATHS_DEPTH: usize = 20;

/// How long lifted PDR works on programs with integers, most of which it decides; BMC has a
/// sixteenth, since a look of it is a longer question at each depth. Chosen, not measured.
const LIFTED_LOOKS: u64 = 2 * PROGRAM_LOOKS;

/// Which engine decides.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum EngineName {
    /// Picks engines by itself: k-induction and word-level PDR for a moment, then fbPDR, after a
    /// minute in turns with others; with threads, side by side
    Auto,
    /// Bounded model checking: finds violations; proves only programs without loops
    Bmc,
    /// k-induction: finds violations and proves
    Kind,
    /// PDR (IC3): finds violations and proves
    Pdr,
    /// Reverse PDR: PDR on the reversed transition relation
    Rpdr,
    /// fbPDR: PDR and Reverse PDR in turns, each using what the other has found
    Fbpdr,
    /// Interpolation: turns bounded model checking into proofs
    Imc,
    /// AVY: interpolation and PDR on one trace; finds violations and proves
    Avy,
    /// Word-level PDR, for models whose invariants are arithmetic; AIGER models go to pdr
    Wpdr,
    /// Lifted PDR: a trace of frames for each location of a program; other models go to pdr
    Program,
}

impl EngineName {
    /// All of them, in the order in which they are shown.
    pub const ALL: [EngineName; 10] = [
        EngineName::Auto,
        EngineName::Bmc,
        EngineName::Kind,
        EngineName::Pdr,
        EngineName::Rpdr,
        EngineName::Fbpdr,
        EngineName::Imc,
        EngineName::Avy,
        EngineName::Wpdr,
        EngineName::Program,
    ];

    /// As it is typed and shown.
    pub fn text(self) -> &'static str {
        match self {
            EngineName::Auto => "auto",
            EngineName::Bmc => "bmc",
            EngineName::Kind => "kind",
            EngineName::Pdr => "pdr",
            EngineName::Rpdr => "rpdr",
            EngineName::Fbpdr => "fbpdr",
            EngineName::Imc => "imc",
            EngineName::Avy => "avy",
            EngineName::Wpdr => "wpdr",
            EngineName::Program => "program",
        }
    }

    /// What it does, in a line.
    pub fn help(self) -> &'static str {
        match self {
            EngineName::Auto => {
                "Picks engines by itself: k-induction and word-level PDR for a moment, then fbPDR, \
                 after a minute in turns with others; with threads, side by side"
            }
            EngineName::Bmc => {
                "Bounded model checking: finds violations; proves only programs without loops"
            }
            EngineName::Kind => "k-induction: finds violations and proves",
            EngineName::Pdr => "PDR (IC3): finds violations and proves",
            EngineName::Rpdr => "Reverse PDR: PDR on the reversed transition relation",
            EngineName::Fbpdr => {
                "fbPDR: PDR and Reverse PDR in turns, each using what the other has found"
            }
            EngineName::Imc => "Interpolation: turns bounded model checking into proofs",
            EngineName::Avy => {
                "AVY: interpolation and PDR on one trace; finds violations and proves"
            }
            EngineName::Wpdr => {
                "Word-level PDR, for models whose invariants are arithmetic; AIGER models go to pdr"
            }
            EngineName::Program => {
                "Lifted PDR: a trace of frames for each location of a program; other models go to \
                 pdr"
            }
        }
    }

    /// The engine that is typed and shown like this.
    pub fn of_text(text: &str) -> Option<EngineName> {
        EngineName::ALL.into_iter().find(|engine| engine.text() == text)
    }
}

/// How long engines in one thread work before they hand over. Tuning only; tests use tiny ones.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Budgets {
    /// PDR, before it is worth it to sweep: looks at the interrupt.
    pub looks_before_sweep: u64,
    /// k-induction before fbPDR: steps.
    pub prelude_depth: usize,
    /// And at most this many looks at the interrupt.
    pub prelude_looks: u64,
    /// Word-level PDR before fbPDR, beside its own limits: looks at the interrupt.
    pub word_looks: u64,
    /// PDR with local abstraction before fbPDR: looks at the interrupt, and work between them.
    pub abstract_looks: u64,
    /// fbPDR before it takes turns with others, some of which have a quarter of it at first: looks
    /// at the interrupt. About a minute.
    pub turn_looks: u64,
    /// Several properties: one by one, before it is the turn of the search for all of them, which
    /// has twice as long. Looks at the interrupt; doubled after each round.
    pub many_looks: u64,
}

impl Default for Budgets {
    fn default() -> Budgets {
        Budgets {
            looks_before_sweep: 20_000,
            prelude_depth: 10,
            prelude_looks: 15_000,
            word_looks: 20_000,
            abstract_looks: 15_000,
            turn_looks: 500_000,
            many_looks: 4_000,
        }
    }
}

/// How engines and checks are to run.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Which engine.
    pub engine: EngineName,
    /// How justice sets are decided.
    pub liveness: Liveness,
    /// Whether k-liveness looks for stable latches.
    pub stable: bool,
    /// Go no deeper than this step.
    pub depth: Option<usize>,
    /// k-induction on simple paths.
    pub simple_path: bool,
    /// Steps in one BMC query.
    pub window: usize,
    /// Which reductions.
    pub reduce: ReduceOptions,
    /// Whether and how to sweep after these.
    pub sweep: Option<SweepOptions>,
    /// Whether and how to sweep while PDR runs.
    pub late_sweep: Option<SweepOptions>,
    /// When engines hand over.
    pub budgets: Budgets,
    /// Limits of blasting.
    pub blast: BlastOptions,
    /// The options of PDR but for the solver.
    pub pdr: PdrOptions,
    /// The options of fbPDR, and of Reverse PDR's obligations.
    pub fb: FbOptions,
    /// The options of word-level PDR.
    pub word: WordOptions,
    /// The options of lifted PDR.
    pub program: ProgramOptions,
    /// The options of interpolation.
    pub imc: ImcOptions,
    /// The options of AVY but for those that it shares with PDR.
    pub avy: AvyOptions,
    /// The engines' solver; `None` for the one that suits the engine: our own for PDR and the
    /// frames of AVY, CaDiCaL for the others. Interpolants always come from CaDiCaL.
    pub solver: Option<SolverKind>,
    /// Whether `no violation up to step n` is checked whatever it costs; otherwise within a
    /// budget.
    pub whole_bound: bool,
    /// How many threads.
    pub threads: usize,
    /// Whether engines in different threads, or of different workers, share lemmas.
    pub exchange: bool,
    /// Seed of random choices.
    pub seed: u64,
}

impl Default for Plan {
    fn default() -> Plan {
        Plan {
            engine: EngineName::Auto,
            liveness: Liveness::Auto,
            stable: true,
            depth: None,
            simple_path: false,
            window: 1,
            reduce: ReduceOptions::default(),
            sweep: None,
            late_sweep: Some(SweepOptions::default()),
            budgets: Budgets::default(),
            blast: BlastOptions::default(),
            pdr: PdrOptions::default(),
            fb: FbOptions::default(),
            imc: ImcOptions::default(),
            avy: AvyOptions::default(),
            word: WordOptions::default(),
            program: ProgramOptions::default(),
            solver: None,
            whole_bound: false,
            threads: 1,
            exchange: AutoOptions::default().exchange,
            seed: 0,
        }
    }
}

impl Plan {
    /// Whether word-level engines alone decide a model in words.
    pub(crate) fn is_for_words(&self) -> bool {
        self.engine == EngineName::Wpdr
    }

    /// Word-level PDR for all properties of a system.
    pub(crate) fn wpdr<'a>(&self, words: &'a System) -> Box<dyn Engine + 'a> {
        Box::new(self.word_engine(words))
    }

    /// The same for as long as it gets on.
    pub(crate) fn wpdr_on_trial<'a>(&self, words: &'a System) -> Box<dyn Engine + 'a> {
        Box::new(self.word_engine(words).on_trial())
    }

    fn word_engine<'a>(&self, words: &'a System) -> Wpdr<'a> {
        let all: Vec<usize> = (0..words.bads.len()).collect();
        Wpdr::new(words, &all, self.word, self.bit_stage())
    }

    /// The bit-level engines of a plan that names one: the engine, and what runs beside it.
    pub(crate) fn bit_engines<'a>(
        &self,
        system: &'a BitSystem,
        room: &'a Room,
    ) -> Vec<Box<dyn Engine + 'a>> {
        let bmc = || -> Box<dyn Engine + 'a> {
            let options = BmcOptions { window: self.window, ..BmcOptions::default() };
            Box::new(Bmc::new(system, options))
        };
        let kind = || -> Box<dyn Engine + 'a> {
            let options = KindOptions { simple_path: self.simple_path, ..KindOptions::default() };
            Box::new(Kind::new(system, options))
        };
        let pdr = self.pdr_options();
        let avy = || Box::new(Avy::new(system, AvyOptions { pdr, ..self.avy }));
        match self.engine {
            EngineName::Pdr | EngineName::Wpdr | EngineName::Program => self.pdr(system, room),
            EngineName::Rpdr => {
                let successors = self.fb.successors;
                self.swept(system, room, move |system| Pdr::reverse(system, pdr, successors))
            }
            EngineName::Fbpdr => self.fbpdr(system, room),
            EngineName::Imc => vec![Box::new(Imc::new(system, self.imc))],
            EngineName::Avy => vec![avy()],
            EngineName::Bmc => vec![bmc()],
            EngineName::Kind => vec![kind()],
            // In turns with others, and in several threads: `lineup`.
            EngineName::Auto => self.fbpdr(system, room),
        }
    }

    /// The chosen engine in one thread, without sweeping later: one that can take turns.
    pub(crate) fn one_bit_engine<'a>(
        &self,
        system: &'a BitSystem,
        room: &'a Room,
    ) -> Box<dyn Engine + 'a> {
        let plan = Plan { threads: 1, late_sweep: None, ..self.clone() };
        let engines = plan.bit_engines(system, room);
        engines.into_iter().next().expect("each name has an engine for bits")
    }

    /// Whether the engines for programs alone decide a program.
    pub(crate) fn is_for_programs(&self) -> bool {
        self.engine == EngineName::Program
    }

    /// The engines that work on a program itself.
    ///
    /// For bit-vectors BMC and k-induction on circuits are better; for integers there are none.
    pub(crate) fn program_engines(
        &self,
        lowered: &Arc<Lowered>,
        properties: &[usize],
    ) -> Others<'static> {
        type Engines = Vec<Box<dyn Engine>>;
        let kind = || Box::new(Paths::kind(lowered.clone(), properties, &self.blast));
        let bmc = || Box::new(Paths::bmc(lowered.clone(), properties, &self.blast));
        let lifted = || Box::new(self.lifted(lowered, properties));
        let slotted = || {
            let engine = Slotted::new(lowered, properties, self.program, &self.blast);
            engine.map(|engine| Box::new(engine) as Box<dyn Engine>)
        };
        let only = |engine: Box<dyn Engine>| Others { alone: vec![engine], ..Others::default() };
        match self.engine {
            EngineName::Bmc if lowered.has_integers() => only(bmc()),
            EngineName::Kind if lowered.has_integers() => only(kind()),
            EngineName::Bmc => {
                Others { straight: Straight::new(lowered, properties), ..Others::default() }
            }
            EngineName::Auto if lowered.has_integers() => {
                let (looks, max_depth) = (Some(PATHS_LOOKS), Some(PATHS_DEPTH));
                let leg = |engine: Box<dyn Engine>, looks: u64| Leg {
                    engine,
                    looks: Some(looks),
                    max_depth: None,
                };
                let first = Leg { engine: kind(), looks, max_depth };
                let legs = vec![leg(lifted(), LIFTED_LOOKS), first, leg(bmc(), LIFTED_LOOKS / 16)];
                let slotted = slotted().map(|engine| leg(engine, LIFTED_LOOKS));
                let legs = slotted.into_iter().chain(legs).collect();
                let relay = Relay::turns(legs, properties.len()).by_work();
                let alone: Engines = vec![Box::new(relay)];
                Others { alone, beside: vec![kind(), lifted(), bmc()], straight: None }
            }
            EngineName::Auto => {
                let runs = Box::new(Runs::new(lowered.clone(), properties));
                let alone: Engines = vec![lifted(), runs];
                Others {
                    alone: slotted().into_iter().chain(alone).collect(),
                    beside: vec![lifted()],
                    straight: Straight::new(lowered, properties),
                }
            }
            EngineName::Program => {
                let alone = slotted().into_iter().chain([lifted() as Box<dyn Engine>]).collect();
                Others { alone, ..Others::default() }
            }
            _ => Others::default(),
        }
    }

    /// Lifted PDR, which alone knows of calls.
    pub(crate) fn lifted(&self, lowered: &Arc<Lowered>, properties: &[usize]) -> Lifted {
        Lifted::new(lowered.clone(), properties, self.program, &self.blast)
    }

    /// fbPDR, which may move over to a swept system.
    fn fbpdr<'a>(&self, system: &'a BitSystem, room: &'a Room) -> Vec<Box<dyn Engine + 'a>> {
        let (options, fb) = (self.pdr_options(), self.fb);
        self.swept(system, room, move |system| FbPdr::new(system, options, fb))
    }

    /// PDR, which may move over to a swept system.
    fn pdr<'a>(&self, system: &'a BitSystem, room: &'a Room) -> Vec<Box<dyn Engine + 'a>> {
        let options = self.pdr_options();
        self.swept(system, room, move |system| Pdr::new(system, options))
    }

    /// An engine, which may move over to a swept system; with threads to spare, beside the
    /// sweeping.
    fn swept<'a, E: Engine + 'a>(
        &self,
        system: &'a BitSystem,
        room: &'a Room,
        make: impl Fn(&'a BitSystem) -> E + Send + 'a,
    ) -> Vec<Box<dyn Engine + 'a>> {
        let is_alone = self.threads == 1;
        let Some(plan) = self.sweep_plan(is_alone) else {
            return vec![Box::new(make(system))];
        };
        let engine = Box::new(Swept::new(system, make, plan, room));
        match is_alone {
            true => vec![engine],
            false => vec![engine, Box::new(Sweeper::new(system, plan, room))],
        }
    }

    /// How to sweep late, if at all: in the same thread, or in another one.
    fn sweep_plan(&self, is_alone: bool) -> Option<SweepPlan> {
        self.late_sweep.map(|sweep| SweepPlan {
            sweep: SweepOptions { seed: self.seed, ..sweep },
            reduce: self.reduce,
            looks: is_alone.then_some(self.budgets.looks_before_sweep),
        })
    }

    /// The options of PDR with its solver.
    pub(crate) fn pdr_options(&self) -> PdrOptions {
        PdrOptions { solver: self.solver.unwrap_or(SolverKind::Cdcl), ..self.pdr }
    }

    /// What word-level PDR hands over to: the same as `pdr`, in one thread.
    fn bit_stage(&self) -> BitStage {
        let (pdr, sweep) = (self.pdr_options(), self.sweep_plan(true));
        BitStage { blasting: self.blast.clone(), reduce: self.reduce, pdr, sweep }
    }

    /// The makes of solvers that an engine's answers rest on.
    fn makes(&self, engine: &str) -> Vec<SolverKind> {
        let (chosen, pdr) = (self.solver.unwrap_or_default(), self.pdr_options().solver);
        match engine {
            "bmc" | "kind" | "klive-kind" => vec![chosen],
            // Interpolants come from CaDiCaL.
            "imc" => vec![SolverKind::Cadical, chosen],
            "avy" => vec![SolverKind::Cadical, SolverKind::Cdcl, pdr],
            // Sweeping, and questions about words, use our own.
            _ => vec![SolverKind::Cdcl, pdr],
        }
    }

    /// How the answers of an engine are checked: by solvers other than those that it
    /// used. The first gets a budget for each query; what it leaves goes to the second, without
    /// one. Where the engine used all but one make, that one checks alone.
    pub fn check_options(&self, engine: &str, interrupt: &Interrupt) -> CheckOptions {
        let used = self.makes(engine);
        let order = [SolverKind::Batsat, SolverKind::Cadical, SolverKind::Cdcl];
        let mut others = order.into_iter().filter(|make| !used.contains(make));
        let interrupt = interrupt.clone();
        match (others.next(), others.next()) {
            (Some(first), Some(second)) => CheckOptions {
                solver: first,
                fallback: Some(second),
                interrupt,
                ..CheckOptions::default()
            },
            // With all makes used, a new instance of the first.
            (only, _) => {
                let solver = only.unwrap_or(SolverKind::Batsat);
                CheckOptions { interrupt, ..CheckOptions::with_solver(solver) }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// No engine's answers are checked by a solver that it used, whatever was chosen.
    #[test]
    fn checks_are_by_another_make() {
        let solvers = [None, Some(SolverKind::Cadical), Some(SolverKind::Batsat)];
        for solver in solvers.into_iter().chain([Some(SolverKind::Cdcl)]) {
            let plan = Plan { solver, ..Plan::default() };
            for engine in EngineName::ALL {
                let options = plan.check_options(engine.text(), &Interrupt::new());
                let used = plan.makes(engine.text());
                let (first, second) = (options.solver, options.fallback);
                let is_alone = used.len() == 3 && solver == Some(SolverKind::Batsat);
                assert!(is_alone || !used.contains(&first), "{engine:?} {solver:?} {first:?}");
                assert!(second.is_none_or(|s| !used.contains(&s)), "{engine:?} {second:?}");
                assert_eq!(second.is_some(), options.limit_conflicts.is_some());
            }
        }
    }
}
