//! Deciding properties, whoever asks: `check`, `hwmcc`, the sby mode and the fuzzers all come
//! through here. Engines run on the reduced bits; each answer is checked on the model as it was
//! read before the observer hears of it.

use crate::limits::StopCause;
use crate::pipeline::{Checked, NotChecked, Prepared};
use pedra_certify::CheckOptions;
use pedra_engines::portfolio::{Listener, race};
use pedra_engines::{
    Avy, AvyOptions, BitStage, Bmc, BmcOptions, Context, Engine, Event, FbOptions, FbPdr, Imc,
    ImcOptions, Kind, KindOptions, Leg, Outcome, Pdr, PdrOptions, Reason, Relay, Room,
    SweepOptions, SweepPlan, Sweeper, Swept, Unknown, WordOptions, Wpdr,
};
use pedra_model::Model;
use pedra_model::bits::BitSystem;
use pedra_model::blast::BlastOptions;
use pedra_model::reduce::ReduceOptions;
use pedra_solve::{Interrupt, SolverKind};
use std::sync::{Mutex, PoisonError, mpsc};

/// How long k-induction works before fbPDR in one thread, beside [`Budgets`]: gates in all steps
/// together, and looks at the interrupt, fewer if the system is large. Tuning only.
const PRELUDE_GATES: usize = 500_000;
const PRELUDE_LEAST_LOOKS: u64 = 1_000;
const PRELUDE_LOOKS_TIMES_GATES: usize = 20_000_000;

/// Which engine decides.
#[derive(clap::ValueEnum, Copy, Clone, Debug, PartialEq, Eq)]
pub enum EngineName {
    /// Picks engines by itself: k-induction for a moment, then fbPDR; with threads, side by side
    Auto,
    /// Bounded model checking: finds violations, proves nothing
    Bmc,
    /// k-induction: finds violations and proves
    Kind,
    /// PDR (IC3): finds violations and proves
    Pdr,
    /// Reverse PDR: the same on the transition relation read backwards
    Rpdr,
    /// fbPDR: PDR and Reverse PDR that take turns and feed each other
    Fbpdr,
    /// Interpolation: bounded model checking that proves
    Imc,
    /// AVY: interpolation and PDR on one trace; finds violations and proves
    Avy,
    /// PDR in words, for models whose invariants are arithmetic; AIGER models go to pdr
    Wpdr,
}

impl EngineName {
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
        }
    }
}

/// How long engines in one thread work before they hand over. Tuning only; tests use tiny ones.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Budgets {
    /// PDR, before it is worth it to sweep: looks at the interrupt.
    pub looks_before_sweep: u64,
    /// k-induction before fbPDR: steps.
    pub prelude_depth: usize,
    /// And at most so many looks at the interrupt.
    pub prelude_looks: u64,
}

impl Default for Budgets {
    fn default() -> Budgets {
        Budgets { looks_before_sweep: 20_000, prelude_depth: 10, prelude_looks: 15_000 }
    }
}

/// How engines and checks are to run.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Which engine.
    pub engine: EngineName,
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
    /// The options of interpolation.
    pub imc: ImcOptions,
    /// The options of AVY but for those that it shares with PDR.
    pub avy: AvyOptions,
    /// The engines' solver; `None` for the one that suits the engine: our own for PDR and the
    /// frames of AVY, CaDiCaL for the others. Interpolants always come from CaDiCaL.
    pub solver: Option<SolverKind>,
    /// How many threads.
    pub threads: usize,
    /// Seed of random choices.
    pub seed: u64,
}

impl Default for Plan {
    fn default() -> Plan {
        Plan {
            engine: EngineName::Auto,
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
            solver: None,
            threads: 1,
            seed: 0,
        }
    }
}

impl Plan {
    /// The engines that run side by side, on the model as it was read or on its reduced bits.
    fn engines<'a>(
        &self,
        model: &'a Model,
        selected: &[usize],
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
        let wpdr = |words| Box::new(Wpdr::new(words, selected, self.word, self.bit_stage()));
        match (self.engine, model) {
            (EngineName::Wpdr, Model::Words(words)) => vec![wpdr(words)],
            (EngineName::Pdr | EngineName::Wpdr, _) => self.pdr(system, room),
            (EngineName::Rpdr, _) => {
                let successors = self.fb.successors;
                self.swept(system, room, move |system| Pdr::reverse(system, pdr, successors))
            }
            (EngineName::Fbpdr, _) => self.fbpdr(system, room),
            (EngineName::Imc, _) => vec![Box::new(Imc::new(system, self.imc))],
            (EngineName::Avy, _) => vec![avy()],
            (EngineName::Bmc, _) => vec![bmc()],
            (EngineName::Kind, _) => vec![kind()],
            (EngineName::Auto, _) => {
                let mut engines = self.auto(system, room, &bmc, &kind);
                // In this order, as far as there are threads.
                let others = (0..self.threads.saturating_sub(2)).map_while(|i| match (i, model) {
                    (0, _) => Some(kind()),
                    (1, _) => Some(Box::new(Pdr::new(system, pdr)) as Box<dyn Engine + 'a>),
                    (2, _) => Some(avy()),
                    (3, Model::Words(words)) => Some(wpdr(words)),
                    _ => None,
                });
                engines.extend(others);
                engines
            }
        }
    }

    /// `auto` in one thread, one engine after the other, and in the first two of several.
    fn auto<'a>(
        &self,
        system: &'a BitSystem,
        room: &'a Room,
        bmc: &dyn Fn() -> Box<dyn Engine + 'a>,
        kind: &dyn Fn() -> Box<dyn Engine + 'a>,
    ) -> Vec<Box<dyn Engine + 'a>> {
        let leg = |engine| Leg { engine, looks: None, max_depth: None };
        let properties = system.properties().len();
        let mut engines = self.fbpdr(system, room);
        if self.threads == 1 {
            let legs = [self.prelude(system, kind())].into_iter();
            let legs = legs.chain(engines.into_iter().map(leg)).collect();
            return vec![Box::new(Relay::new(legs, properties))];
        }
        // Who has swept has a thread to spare.
        let legs: Vec<Leg<'a>> = engines.drain(1..).chain([bmc()]).map(leg).collect();
        engines.push(Box::new(Relay::new(legs, properties)));
        engines
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
    fn pdr_options(&self) -> PdrOptions {
        PdrOptions { solver: self.solver.unwrap_or(SolverKind::Cdcl), ..self.pdr }
    }

    /// What word-level PDR hands over to: the same as `pdr`, in one thread.
    fn bit_stage(&self) -> BitStage {
        let (pdr, sweep) = (self.pdr_options(), self.sweep_plan(true));
        BitStage { blasting: self.blast.clone(), reduce: self.reduce, pdr, sweep }
    }

    /// k-induction for a moment: what it finds it finds at once, and fbPDR may take long for it.
    fn prelude<'a>(&self, system: &BitSystem, engine: Box<dyn Engine + 'a>) -> Leg<'a> {
        let gates = system.aig.len().max(1);
        let max_depth = (PRELUDE_GATES / gates).min(self.budgets.prelude_depth);
        let looks = ((PRELUDE_LOOKS_TIMES_GATES / gates) as u64).max(PRELUDE_LEAST_LOOKS);
        let looks = looks.min(self.budgets.prelude_looks);
        Leg { engine, looks: Some(looks), max_depth: Some(max_depth) }
    }

    /// How proofs are checked: by a solver of another make than the engines'.
    pub fn check_options(&self, interrupt: &Interrupt) -> CheckOptions {
        let interrupt = interrupt.clone();
        match self.solver.unwrap_or_default() {
            SolverKind::Cadical => CheckOptions { interrupt, ..CheckOptions::default() },
            other => CheckOptions { interrupt, ..CheckOptions::with_solver(other.other_make()) },
        }
    }
}

/// Why a property stays open.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Open {
    /// The engines did not settle it.
    Engines(Reason),
    /// The model cannot be made into bits.
    NotBits(String),
    /// It was settled, but the check of the answer was stopped.
    CheckStopped,
}

impl Open {
    /// In words. `cause` is why the run was stopped, if it was.
    pub fn text(&self, cause: Option<StopCause>) -> String {
        let stopped = || cause.map_or("stopped", StopCause::text).to_owned();
        match self {
            Open::Engines(Reason::Interrupted) => stopped(),
            Open::Engines(Reason::DepthLimit) => "depth limit reached".to_owned(),
            Open::Engines(Reason::Budget) => "work limit reached".to_owned(),
            Open::Engines(Reason::Exhausted(step)) => {
                format!("no path needs step {step}, but this engine has no proof of it; try kind")
            }
            Open::Engines(Reason::SettledElsewhere) => "settled, but not told".to_owned(),
            Open::Engines(Reason::Unsupported(what)) => (*what).to_owned(),
            Open::NotBits(text) => text.clone(),
            Open::CheckStopped => format!("{} while the answer was checked", stopped()),
        }
    }
}

/// Hears what happens, from several threads.
pub trait Observer: Sync {
    /// An engine emits an event.
    fn hear(&self, engine: usize, name: &'static str, event: &Event) {
        let _ = (engine, name, event);
    }

    /// Whether details are wanted, see [`pedra_engines::EventSink::wants_details`].
    fn wants_details(&self) -> bool {
        false
    }

    /// Engines are about to work on this; what they tell next is about it.
    fn prepared(&self, prepared: &Prepared<'_>) {
        let _ = prepared;
    }

    /// No path violates the property in any step up to this one.
    fn safe_until(&self, property: usize, step: usize) {
        let _ = (property, step);
    }

    /// A property is settled and its answer checked.
    ///
    /// # Errors
    /// Whatever went wrong in telling it; ends the run.
    fn settled(&self, property: usize, engine: &'static str, answer: Checked)
    -> anyhow::Result<()>;

    /// A property stays open.
    fn open(&self, property: usize, why: Open);
}

/// An answer failed its own check.
#[derive(Debug)]
pub struct InternalError(pub String);

impl std::fmt::Display for InternalError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "internal error: {}; this is a defect of pedra, and no verdict is given", self.0)
    }
}

impl std::error::Error for InternalError {}

/// A settled property on its way from the engine to its check.
struct Settled {
    position: usize,
    engine: &'static str,
    outcome: Outcome,
}

/// Sends what engines settle to the thread that checks it.
struct Ear<'a> {
    observer: &'a dyn Observer,
    selected: &'a [usize],
    settled: mpsc::Sender<Settled>,
    /// What was sent: an engine that goes deeper says nothing more about these.
    sent: Mutex<Vec<bool>>,
}

impl Listener for Ear<'_> {
    fn wants_details(&self) -> bool {
        self.observer.wants_details()
    }

    fn hear(&self, engine: usize, name: &'static str, event: &Event) {
        self.observer.hear(engine, name, event);
        match event {
            Event::Settled { property, outcome } => {
                let (position, outcome) = (*property, outcome.clone());
                let mut sent = self.sent.lock().unwrap_or_else(PoisonError::into_inner);
                if std::mem::replace(&mut sent[position], true) {
                    // Two engines were done at about the same time: the first answer is told,
                    // and its evidence written.
                    return;
                }
                // Nobody receives only if the run has failed already.
                let _ = self.settled.send(Settled { position, engine: name, outcome });
            }
            Event::Depth { depth, .. } => {
                let Some(step) = depth.checked_sub(1) else { return };
                let sent = self.sent.lock().unwrap_or_else(PoisonError::into_inner);
                for (&property, _) in self.selected.iter().zip(&*sent).filter(|(_, sent)| !**sent) {
                    self.observer.safe_until(property, step);
                }
            }
            _ => {}
        }
    }
}

/// Decides the selected properties of a model.
///
/// # Errors
/// An [`InternalError`] if an answer failed its check, or what the observer could not do.
pub fn decide(
    model: &Model,
    selected: &[usize],
    plan: &Plan,
    interrupt: &Interrupt,
    observer: &dyn Observer,
) -> anyhow::Result<()> {
    let mut prepared = match Prepared::new(model, selected, &plan.blast, &plan.reduce) {
        Ok(prepared) => prepared,
        Err(error) => {
            for &property in selected {
                observer.open(property, Open::NotBits(error.to_string()));
            }
            return Ok(());
        }
    };
    if let Some(sweep) = &plan.sweep {
        let sweep = SweepOptions { seed: plan.seed, ..*sweep };
        prepared.sweep(&sweep, &plan.reduce, interrupt);
    }
    observer.prepared(&prepared);
    let (sender, receiver) = mpsc::channel();
    let sent = Mutex::new(vec![false; selected.len()]);
    let ear = Ear { observer, selected, settled: sender, sent };
    let stop = interrupt.child();
    let checks = plan.check_options(interrupt);
    let outcomes = std::thread::scope(|scope| {
        let run = || {
            let ear = ear;
            let room = Room::default();
            let mut engines = plan.engines(model, selected, prepared.system(), &room);
            let context = Context {
                interrupt: stop.clone(),
                seed: plan.seed,
                solver: plan.solver.unwrap_or_default(),
                max_depth: plan.depth,
                ..Context::default()
            };
            race(&mut engines, selected.len(), &context, &ear)
        };
        let engines = std::thread::Builder::new().spawn_scoped(scope, run);
        let engines = engines.unwrap_or_else(|_| crate::memory::give_up());
        let mut failure = Ok(());
        for Settled { position, engine, outcome } in receiver {
            let property = selected[position];
            let told = match prepared.check(&outcome, &checks) {
                None => Ok(()),
                Some(Ok(answer)) => observer.settled(property, engine, answer),
                Some(Err(NotChecked::Stopped)) => {
                    observer.open(property, Open::CheckStopped);
                    Ok(())
                }
                Some(Err(NotChecked::Wrong(text))) => {
                    Err(InternalError(format!("{engine}, property b{property}: {text}")).into())
                }
            };
            if told.is_err() && failure.is_ok() {
                failure = told;
                stop.raise();
            }
        }
        let outcomes = engines.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        failure.map(|()| outcomes)
    })?;
    for (outcome, &property) in outcomes.iter().zip(selected) {
        if let Outcome::Unknown(Unknown { reason, safe_up_to }) = outcome {
            if let Some(step) = safe_up_to {
                observer.safe_until(property, *step);
            }
            observer.open(property, Open::Engines(*reason));
        }
    }
    Ok(())
}
