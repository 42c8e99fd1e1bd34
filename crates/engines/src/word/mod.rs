//! Word-level PDR: frames of integer cubes, polytopes or mixed units instead of clauses.
//!
//! T. Welp, A. Kuehlmann: *QF_BV Model Checking with Property Directed Reachability*, DATE 2013.
//! The loop is that of every PDR (`trace::Search`; Algorithms 1 and 2 of the paper); what differs
//! is the *atomic reasoning unit*, the set of states that one lemma excludes: a conjunction of
//! atoms such as `x ≥ 3` or `x + 2y ≤ 5` over the words of the model. Where the invariant is
//! arithmetic, one unit does what takes millions of clauses.
//!
//! What the paper leaves open or gets wrong, and what is done here:
//! - Blocking also checks that a unit contains no initial state (`relative`).
//! - Obligations must satisfy the constraints as a whole (`simulate`, `lift`).
//! - `recCoverCube` is a queue, and blocked obligations are tried again at the next level.
//! - Before a unit is expanded, the highest level is found where it is inductive as it is, and
//!   it is expanded there. Otherwise a counter to 2^20 would get a frame for each value.
//! - Invariants are proposed: comparisons of the model, octagons, and what reachable samples
//!   suggest (`units::templates`). Mixed units also have bits and congruences;
//!   with them `parity`, which the paper cannot solve, is one query.
//! - When a budget is used up, what was learned is handed over to bit-level PDR (`hand_over`).
//!
//! Soundness rests on `words`, `relative` and `subset` (all queries), `solver` and `encoder` (what
//! these ask), the atoms of `units`, `evidence` and the checks of `certify`; files that
//! only propose (`vote`, `samples`, `steps`, `strengthen`, `generalize`, `meter`) cannot make an
//! answer wrong.

mod encoder;
mod evidence;
mod generalize;
mod hand_over;
mod lift;
mod meter;
mod options;
mod problem;
mod relative;
mod samples;
mod simulate;
mod solver;
mod steps;
mod strengthen;
mod subset;
mod vote;
mod words;

pub use hand_over::BitStage;
pub use options::{CHOICES, UnitKind, WordOptions};

use crate::context::{Context, End, Engine, Reason};
use crate::events::{Event, Progress};
use crate::trace::{NoGuide, Policy, Search, Stopped};
use crate::units::reshape::Failed;
use meter::Limits;
use pedra_model::system::System;
use problem::{NotForWords, Problem};
use relative::Relative;
use samples::{Dice, Runner};
use simulate::Simulation;
use strengthen::Strengthener;
use words::Words;

/// How long the random paths are that give samples.
const SAMPLE_STEPS: usize = 60;

/// Which part of the work before the first reward samples may cost.
const SHARE_OF_SAMPLES: u64 = 8;

/// Blocked obligations come up again at the next level; none is forgotten.
const POLICY: Policy = Policy { persistent: true, max_activity: None, propagate: true };

/// Word-level PDR for some properties of a system.
pub struct Wpdr<'a> {
    system: &'a System,
    /// The chosen properties; outcomes are by position in this list.
    properties: Vec<usize>,
    options: WordOptions,
    bits: BitStage,
    /// Whether it gives up where it would hand over.
    is_trial: bool,
    search: Search<Words<'a>>,
    /// What was done when there are no words any more, because it was handed over.
    elsewhere: Progress,
}

impl<'a> Wpdr<'a> {
    /// An engine that has not looked at any frame yet.
    pub fn new(
        system: &'a System,
        properties: &[usize],
        options: WordOptions,
        bits: BitStage,
    ) -> Wpdr<'a> {
        Wpdr {
            system,
            properties: properties.to_vec(),
            options,
            bits,
            is_trial: false,
            search: Search::new(properties.len(), POLICY),
            elsewhere: Progress::default(),
        }
    }

    /// The same for a portfolio, whose other engines work on bits: when its trial is over, or its
    /// budget used up, it gives up instead of handing over.
    #[must_use]
    pub fn on_trial(self) -> Wpdr<'a> {
        Wpdr { is_trial: true, ..self }
    }

    /// Makes everything for a search, unless it is there. Stops if the system is not for words, or
    /// if nothing may be spent on them.
    fn begin(&mut self, context: &Context) -> Result<(), Stopped> {
        if let Some((words, _)) = self.search.parts_mut() {
            words.relative.set_interrupt(context);
            return Ok(());
        }
        let budget = self.options.budget.saturating_mul(1000);
        if budget == 0 {
            return Err(Stopped(Reason::Budget));
        }
        let problem = Problem::new(self.system, &self.properties)
            .map_err(|NotForWords(why)| Stopped(Reason::Unsupported(why)))?;
        let simulation = Simulation::new(&problem);
        let mut relative = Relative::new(problem, &self.bits.blasting, context)?;
        // Without anyone to hand over to, it need not be quick.
        let trial = if self.options.hand_over { self.options.trial } else { u64::MAX };
        let trial = trial.saturating_mul(1000);
        // What a large model costs before the first query is no part of the trial, and samples
        // only have their share.
        let done = relative.work();
        relative.meter.set_limits(Limits::after(done, trial / SHARE_OF_SAMPLES, budget));
        match self.take_samples(&mut relative, context.seed) {
            Ok(()) | Err(Stopped(Reason::Budget)) => {}
            Err(stopped) => return Err(stopped),
        }
        let done = relative.work();
        relative.meter.set_limits(Limits::after(done, trial, budget));
        self.search.replace(Some(Words {
            system: self.system,
            properties: self.properties.clone(),
            options: self.options,
            relative,
            simulation,
            strengthener: Strengthener::default(),
            failed: Failed::default(),
            guide: NoGuide,
        }));
        Ok(())
    }

    /// Runs the model from random initial states.
    fn take_samples(&self, relative: &mut Relative, seed: u64) -> Result<(), Stopped> {
        let Some(mut runner) = Runner::new(self.system, &relative.problem) else { return Ok(()) };
        let mut dice = Dice::new(seed);
        for _ in 0..self.options.samples {
            let wish = lift::wish(&relative.problem, &mut dice);
            let Some(start) = relative.find_initial(&wish)? else { break };
            runner.run(relative, &start, SAMPLE_STEPS, &mut dice)?;
        }
        Ok(())
    }

    /// Begins, searches, and hands over if it must. Returns why it stopped.
    fn run_all(&mut self, context: &Context) -> Reason {
        // Algorithm 1 of the paper.
        let searched = self.begin(context).and_then(|()| self.search.pdr(context));
        match searched {
            Ok(reason) => reason.unwrap_or(Reason::SettledElsewhere),
            Err(Stopped(Reason::Budget | Reason::Unsupported(_)))
                if self.options.hand_over && !self.is_trial =>
            {
                self.hand_over(context)
            }
            Err(Stopped(reason)) => reason,
        }
    }
}

impl Engine for Wpdr<'_> {
    fn name(&self) -> &'static str {
        "wpdr"
    }

    fn run(&mut self, context: &Context) -> End {
        let open = self.search.open(context).len();
        context.emit(|| Event::Started { engine: "wpdr", open });
        self.search.reopen(context);
        let reason = self.run_all(context);
        let open = self.search.open(context).len();
        context.emit(|| Event::Finished { open, progress: self.progress() });
        End { reason, safe_up_to: self.search.safe().safe_up_to() }
    }

    fn progress(&self) -> Progress {
        if self.search.get().is_some() { self.search.report() } else { self.elsewhere }
    }
}
