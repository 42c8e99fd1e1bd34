//! Deciding recursive programs: calls are inlined up to a bound, which grows; at the same time
//! recursive procedures are kept and get summaries.
//!
//! With a bound two programs are made, in turns ([`Deeper`]). In one, runs end where recursion is
//! deeper than the bound: all its runs are runs of the program, so it is searched for violations.
//! In the other, error places are reached there: a proof of a property also shows that the bound
//! suffices for it, and so is a proof about the program. Neither waits for the other: each round
//! has a budget, which is doubled in the next. The bound of the first grows with each round, since
//! a violation may be deep where proofs are hard; that of the second when the bound turns out to be
//! exceeded.
//!
//! The program with summaries ([`Recursion::Summaries`]) has all runs, so that both verdicts count.
//! Lifted PDR works on it, in turns with the others: a bound finds short violations sooner, and
//! engines for circuits prove what has no summary that lifted PDR finds.
//!
//! If a violation is undefined, the search continues for defined ones only, and there is no proof.

use crate::open::{Open, ProgramOpen};
use crate::plan::EngineName;
use crate::program::{Left, ProgramObserver, Run, UndefinedRuns, split_undefined};
use pedra_engines::{Lifted, Reason};
use pedra_program::inline::{Bound, Deeper, Recursion};
use pedra_program::{LowerOptions, Lowered, lower};
use std::sync::Arc;

/// The budget of each search in the first round: looks at the interrupt. Tuning only.
const LOOKS: u64 = 2_000;
/// And of the search for violations: steps, since long runs are costly where there are loops.
const STEPS: usize = 16;
/// The search with summaries has a budget of propagations, this many for each look of the others:
/// its queries differ too much in what they take. About a tenth of a second in the first round.
/// Tuning only.
const PROPAGATIONS_PER_LOOK: u64 = 250;
/// How many edges a program may have after recursion was inlined. Tuning only.
pub(crate) const MAX_EDGES: usize = 20_000;

/// One of the two searches.
struct Search {
    deeper: Deeper,
    /// The bound.
    depth: usize,
    /// The largest bound up to now with which the program was not too large.
    fits: usize,
    /// The bound grows up to here.
    limit: usize,
    /// Steps are bounded by this, if they are.
    steps: Option<usize>,
    /// There is nothing more to find.
    is_over: bool,
}

impl Search {
    fn new(deeper: Deeper, steps: Option<usize>) -> Search {
        let limit = steps.unwrap_or(usize::MAX);
        Search { deeper, depth: 1, fits: 0, limit, steps, is_over: limit == 0 }
    }

    fn options(&self, only_defined: bool) -> LowerOptions {
        let bound = Bound { depth: self.depth, deeper: self.deeper };
        let recursion = Some(Recursion::Bounded(bound));
        LowerOptions { only_defined, recursion, max_edges: MAX_EDGES, ..LowerOptions::default() }
    }

    /// Whether the bound can grow; it does so by half.
    fn deepen(&mut self) -> bool {
        let next = (self.depth + self.depth.div_ceil(2)).min(self.limit);
        let grows = next > self.depth;
        self.depth = next;
        grows
    }

    /// The program with the largest bound with which it is not too large.
    fn lower<O>(&mut self, run: &Run<'_, O>) -> Option<Lowered> {
        loop {
            if let Ok(lowered) = lower(run.program, &self.options(false)) {
                self.fits = self.depth;
                return Some(lowered);
            }
            self.limit = self.fits + (self.depth - self.fits) / 2;
            self.depth = self.limit;
            if self.depth == 0 {
                return None;
            }
        }
    }
}

/// The search with summaries.
struct Whole {
    /// The program, unless there is nothing more to find.
    lowered: Option<Arc<Lowered>>,
    options: LowerOptions,
    /// The engine, and what it is about. It continues where it was in the round before.
    engine: Option<(Vec<usize>, Lifted)>,
}

impl Whole {
    fn new<O>(run: &Run<'_, O>) -> Whole {
        let recursion = Some(Recursion::Summaries);
        let options = LowerOptions { recursion, ..LowerOptions::default() };
        let is_wanted = matches!(run.plan.engine, EngineName::Auto | EngineName::Program);
        let lowered = is_wanted.then(|| lower(run.program, &options).ok()).flatten();
        Whole { lowered: lowered.map(Arc::new), options, engine: None }
    }
}

/// What is open, over all rounds.
struct Book {
    open: Vec<usize>,
    /// Those that only undefined runs are known to reach.
    undefined: UndefinedRuns,
    /// The bound up to which the search for violations came to its end.
    searched: usize,
}

impl Book {
    /// A search of what is open has left these properties.
    fn note(&mut self, left: Vec<Left>, ended: &mut Ended) {
        let (undefined, left) = split_undefined(left);
        ended.note(&left);
        self.undefined.extend(undefined);
        self.open = left.into_iter().map(|left| left.property).collect();
    }
}

/// How a search in one round ended.
#[derive(Default)]
struct Ended {
    /// For lack of budget.
    is_spent: bool,
    /// The budget was that of the round, so the next round, which has more, may get further. An
    /// engine that ends for a limit inside it would do so again, for ever.
    has_round_spent: bool,
    /// At the largest step.
    is_short: bool,
    /// With an answer about the bound.
    is_bounded: bool,
}

impl Ended {
    fn note(&mut self, left: &[Left]) {
        for left in left {
            match &left.why {
                ProgramOpen::System(
                    Open::Engines(Reason::Interrupted | Reason::Budget) | Open::CheckStopped,
                ) => self.is_spent = true,
                ProgramOpen::System(Open::Engines(Reason::DepthLimit)) => self.is_short = true,
                ProgramOpen::System(Open::Bounded) => self.is_bounded = true,
                _ => {}
            }
        }
    }
}

impl<O: ProgramObserver> Run<'_, O> {
    /// Decides properties of a recursive program.
    pub(crate) fn unwind(&self, selected: &[usize]) -> Result<(), O::Error> {
        let mut plan = self.plan.clone();
        if plan.engine == EngineName::Auto {
            plan.engine = EngineName::Bmc;
        }
        let mut violations = Search::new(Deeper::Ends, self.plan.depth);
        let mut proofs = Search::new(Deeper::Fails, self.plan.depth);
        proofs.is_over |= self.plan.engine == EngineName::Bmc;
        let mut whole = Whole::new(self);
        let mut book = Book { open: selected.to_vec(), undefined: Vec::new(), searched: 0 };
        let (mut looks, mut steps) = (LOOKS, STEPS);
        while !self.interrupt.is_raised() {
            plan.depth = Some(self.plan.depth.map_or(steps, |depth| depth.min(steps)));
            let finder = Run { plan: &plan, ..*self };
            finder.look_for_violations(&mut violations, &mut book, looks)?;
            self.look_with_summaries(&mut whole, &mut book, looks)?;
            self.look_for_proofs(&mut proofs, &mut book, looks)?;
            let is_proved = proofs.is_over && whole.lowered.is_none() || book.open.is_empty();
            if violations.is_over && is_proved {
                break;
            }
            if book.open.is_empty() && book.undefined.is_empty() {
                break;
            }
            (looks, steps) = (looks.saturating_mul(2), steps.saturating_mul(2));
        }
        let (depth, tried) = (book.searched, violations.fits);
        let (is_stopped, is_limited) = (self.interrupt.is_raised(), self.plan.depth.is_some());
        let open = book.open.into_iter().map(|property| (property, None));
        let undefined = book.undefined.into_iter().map(|(property, text)| (property, Some(text)));
        for (property, undefined) in open.chain(undefined) {
            let why = ProgramOpen::Recursion { depth, tried, is_stopped, is_limited, undefined };
            self.observer.open(property, why, None);
        }
        Ok(())
    }

    /// Looks for violations up to a bound, and makes it larger.
    fn look_for_violations(
        &self,
        search: &mut Search,
        book: &mut Book,
        looks: u64,
    ) -> Result<(), O::Error> {
        if search.is_over {
            return Ok(());
        }
        let mut ended = Ended::default();
        let Some(lowered) = search.lower(self) else {
            search.is_over = true;
            return Ok(());
        };
        self.search(&search.options(false), lowered.into(), book, &mut ended, looks)?;
        let known: Vec<usize> = book.undefined.iter().map(|(property, _)| *property).collect();
        let options = search.options(true);
        if let (false, Ok(lowered)) = (known.is_empty(), lower(self.program, &options)) {
            let interrupt = self.interrupt.child_with_looks(looks);
            let run = Run { interrupt: &interrupt, ..*self };
            let left = run.phase(&known, lowered.into(), &options)?;
            ended.note(&left);
            ended.has_round_spent |= interrupt.is_raised();
            book.undefined.retain(|(property, _)| left.iter().any(|l| l.property == *property));
        }
        if !ended.is_spent && !ended.is_short {
            book.searched = search.depth;
        }
        let can_go_on = ended.has_round_spent || ended.is_short && self.plan.depth != search.steps;
        search.is_over = !search.deepen() && !can_go_on;
        Ok(())
    }

    /// Looks for proofs, and makes the bound larger if it was exceeded.
    fn look_for_proofs(
        &self,
        search: &mut Search,
        book: &mut Book,
        looks: u64,
    ) -> Result<(), O::Error> {
        if search.is_over || book.open.is_empty() {
            return Ok(());
        }
        let Some(lowered) = search.lower(self) else {
            search.is_over = true;
            return Ok(());
        };
        let mut ended = Ended::default();
        self.search(&search.options(false), lowered.into(), book, &mut ended, looks)?;
        search.is_over = match ended.is_bounded {
            true => !search.deepen(),
            false => !ended.has_round_spent,
        };
        Ok(())
    }

    /// Looks for proofs and violations with summaries.
    fn look_with_summaries(
        &self,
        whole: &mut Whole,
        book: &mut Book,
        looks: u64,
    ) -> Result<(), O::Error> {
        let Some(lowered) = whole.lowered.clone().filter(|_| !book.open.is_empty()) else {
            return Ok(());
        };
        let known = whole.engine.take().filter(|(about, _)| *about == book.open);
        let (about, mut engine) =
            known.unwrap_or_else(|| (book.open.clone(), self.plan.lifted(&lowered, &book.open)));
        engine.limit_propagations(looks.saturating_mul(PROPAGATIONS_PER_LOOK));
        let left = self.phase_by(&about, lowered, &whole.options, &mut engine)?;
        whole.engine = Some((about, engine));
        let mut ended = Ended::default();
        book.note(left, &mut ended);
        if !ended.is_spent {
            whole.lowered = None;
        }
        Ok(())
    }

    /// One search for what is open, with a budget.
    fn search(
        &self,
        options: &LowerOptions,
        lowered: Arc<Lowered>,
        book: &mut Book,
        ended: &mut Ended,
        looks: u64,
    ) -> Result<(), O::Error> {
        if book.open.is_empty() {
            return Ok(());
        }
        let interrupt = self.interrupt.child_with_looks(looks);
        let run = Run { interrupt: &interrupt, ..*self };
        let left = run.phase(&book.open, lowered, options)?;
        book.note(left, ended);
        ended.has_round_spent |= interrupt.is_raised();
        Ok(())
    }
}
