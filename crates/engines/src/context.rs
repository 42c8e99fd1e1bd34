//! What every engine is given and what it answers.
//!
//! An engine is a value with one verb, [`Engine::run`]. It runs until every property is
//! settled, a limit is reached or the interrupt is raised, and may then be run again: it goes
//! on where it was. Each property is reported through [`Event::Settled`] at the moment it is
//! decided; the returned list repeats those answers and says how far the others got.

use crate::events::{Event, EventSink, NoEvents, Progress};
use crate::ledger::SettledBoard;
use pedra_model::proof::{BitProof, WordProof};
use pedra_model::trace::{BitTrace, WordTrace};
use pedra_solve::cadical::Preset;
use pedra_solve::{Cadical, CadicalConfig, Interrupt, SatSolver, SolverKind, new_solver};
use std::sync::Arc;

/// What surrounds a run: limits, the way to stop it, and where its events go.
#[derive(Clone)]
pub struct Context<'a> {
    /// Stops the run when raised; the engine then answers what it knows.
    pub interrupt: Interrupt,
    /// Receives what happens.
    pub events: &'a dyn EventSink,
    /// Seeds every random choice. The same seed gives the same run.
    pub seed: u64,
    /// The solver to use, where an engine leaves the choice. Takes effect in the first run.
    pub solver: SolverKind,
    /// The last step at which violations are looked for; `None` for no limit. For k-induction
    /// it bounds the base case, for PDR the frames. A later run may raise it.
    pub max_depth: Option<usize>,
    /// Properties that others have settled already and that need no more work.
    pub settled: Option<&'a SettledBoard>,
}

impl Default for Context<'_> {
    fn default() -> Self {
        Context {
            interrupt: Interrupt::new(),
            events: &NoEvents,
            seed: 0,
            solver: SolverKind::default(),
            max_depth: None,
            settled: None,
        }
    }
}

impl Context<'_> {
    /// Emits the event that `make` builds; if nobody listens it is not even built.
    #[inline]
    pub fn emit(&self, make: impl FnOnce() -> Event) {
        if self.events.is_listening() {
            self.events.emit(&make());
        }
    }

    /// The same for one of the many events of the second rank.
    #[inline]
    pub fn detail(&self, make: impl FnOnce() -> Event) {
        if self.events.wants_details() {
            self.events.emit(&make());
        }
    }

    /// A new solver of the chosen kind that listens to the interrupt. The preset and the seed
    /// are for CaDiCaL; the others have none.
    pub fn new_solver(&self, preset: Preset) -> Box<dyn SatSolver> {
        let mut solver: Box<dyn SatSolver> = match self.solver {
            SolverKind::Cadical => {
                // Only the lower half of the seed fits.
                let config =
                    CadicalConfig { seed: self.seed as u32, ..CadicalConfig::preset(preset) };
                Box::new(Cadical::new(config))
            }
            kind => new_solver(kind),
        };
        solver.set_interrupt(self.interrupt.clone());
        solver
    }

    /// Whether `depth` is beyond the limit.
    pub fn is_beyond_limit(&self, depth: usize) -> bool {
        self.max_depth.is_some_and(|max| depth > max)
    }
}

/// An algorithm at work on one system.
pub trait Engine: Send {
    /// Its name, as in `--engine`.
    fn name(&self) -> &'static str;

    /// Works until everything is settled, a limit is reached, or the interrupt is raised.
    /// Returns one outcome for each of [`BitSystem::properties`], in that order, those of
    /// earlier runs included.
    ///
    /// [`BitSystem::properties`]: pedra_model::bits::BitSystem::properties
    fn run(&mut self, context: &Context) -> Vec<Outcome>;

    /// Where it is now, for a status line.
    fn progress(&self) -> Progress;
}

/// The answer for one property.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// It holds, and this is why.
    Proved(BitProof),
    /// It does not hold, and this path shows it.
    Violated(BitTrace),
    /// It holds, and this is why, in words of the model as it was read.
    ProvedWords(Arc<WordProof>),
    /// It does not hold, and this path of the model as it was read shows it.
    ViolatedWords(WordTrace),
    /// Neither was found.
    Unknown(Unknown),
}

/// What is known of a property that was not settled.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Unknown {
    /// Why the engine stopped.
    pub reason: Reason,
    /// `Some(n)`: no path violates the property at any of the steps `0..=n`. Each of them was
    /// really checked, or lies beyond the last one that can hold a shortest violation. `None`:
    /// not even step 0 was.
    pub safe_up_to: Option<usize>,
}

/// Why a property was left open.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Hash)]
pub enum Reason {
    /// The interrupt was raised.
    Interrupted,
    /// [`Context::max_depth`] was reached.
    DepthLimit,
    /// A limit on work, other than time and depth, was reached.
    Budget,
    /// No violation lies before this step, and a shortest one cannot lie at it or later:
    /// either the constraints end all paths before, or there are no more states to visit.
    /// The property holds, but the engine has no invariant to prove it with.
    Exhausted(usize),
    /// Somebody else settled it, see [`Context::settled`].
    SettledElsewhere,
    /// The engine cannot handle the system; the text says what it lacks.
    Unsupported(&'static str),
}

/// An answer without its evidence.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Hash)]
pub enum Verdict {
    /// The property holds.
    Proved,
    /// The property does not hold.
    Violated,
    /// Not settled.
    Unknown,
}

impl Outcome {
    /// The answer without its evidence.
    pub fn verdict(&self) -> Verdict {
        match self {
            Outcome::Proved(_) | Outcome::ProvedWords(_) => Verdict::Proved,
            Outcome::Violated(_) | Outcome::ViolatedWords(_) => Verdict::Violated,
            Outcome::Unknown(_) => Verdict::Unknown,
        }
    }

    /// Whether the property is proved or violated.
    pub fn is_settled(&self) -> bool {
        self.verdict() != Verdict::Unknown
    }
}
