//! Bounded model checking.
//!
//! A. Biere, A. Cimatti, E. Clarke, Y. Zhu: *Symbolic Model Checking without BDDs*, TACAS 1999.
//! For growing `t`, a solver looks for a path of `t` transitions from an initial state to a
//! violation. We use the incremental form of N. Eén and N. Sörensson (*Temporal induction by
//! incremental SAT solving*, BMC 2003): one solver for all depths, the bad literal as an
//! assumption, and its negation as a fact once the depth is found clean.
//!
//! Deviations. All properties are searched at once: a query asks for *any* open property, so
//! there is one query a depth and not one a property. A query may target a window of several
//! depths; no depth is left out, and a trace that is returned is a shortest one.
//!
//! Constraints. A violation at step `t` needs the constraints at steps `0..=t` and not later,
//! so within a window the constraints beyond its first step belong to the target:
//! asserted outright they would hide a violation before a dead end.
//!
//! BMC cannot prove, but it can run out of work: the constraints may end all paths, and a
//! system of `n` latches has no shortest violation after step `2^n`. The property then holds,
//! yet there is no inductive invariant to show for it, so the answer is unknown with the reason
//! [`Reason::Exhausted`].

use crate::cone::closed_latches;
use crate::context::{Context, End, Engine, Reason};
use crate::events::{Event, Progress};
use crate::unroll::{Start, Unroll};
use pedra_model::bits::BitSystem;
use pedra_model::lit::Lit;
use pedra_model::trace::BitTrace;
use pedra_model::value::Ternary;
use pedra_solve::SatResult;
use pedra_solve::cadical::Preset;
use std::ops::RangeInclusive;

/// The choices of [`Bmc`].
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct BmcOptions {
    /// How many depths one query targets, at least 1. Larger windows get deeper where queries
    /// are easy, and get stuck earlier where they are not.
    pub window: usize,
    /// The solver's options, if it is CaDiCaL. All queries of a run but the last find nothing,
    /// so the preset for unsatisfiable questions is the default. On two FIFO models that take
    /// CaDiCaL's default 5.7 and 4.5 s of CPU, it takes 4.5 and 3.4 s, the preset for
    /// satisfiable ones 8.8 and 9.1 s, and none of both is solved in 10 s without inprocessing.
    pub preset: Preset,
}

impl Default for BmcOptions {
    fn default() -> BmcOptions {
        BmcOptions { window: 1, preset: Preset::Unsat }
    }
}

/// Bounded model checking of all properties of a system.
pub struct Bmc<'a> {
    system: &'a BitSystem,
    options: BmcOptions,
    unroll: Option<Unroll<'a>>,
    /// The first step that is not known to be clean for the open properties.
    next: usize,
    /// No shortest violation lies at this step or later.
    exhausted: Option<usize>,
}

/// What a window of depths holds.
enum Found {
    /// No violation.
    Clean,
    /// Shortest violations, all of the same depth.
    Violations(Vec<BitTrace>),
    /// No path reaches the window.
    NoPath,
    /// The solver was interrupted.
    Stopped,
}

impl<'a> Bmc<'a> {
    /// An engine that has not looked at any step yet.
    pub fn new(system: &'a BitSystem, options: BmcOptions) -> Bmc<'a> {
        Bmc {
            system,
            options,
            unroll: None,
            next: 0,
            exhausted: last_fresh_state(system).map(|last| last + 1),
        }
    }

    /// The last step up to which the open properties are known to hold.
    pub fn safe_up_to(&self) -> Option<usize> {
        self.next.checked_sub(1)
    }

    /// The properties that need work.
    pub(crate) fn open(&self, context: &Context) -> Vec<usize> {
        context.open(self.system.properties().len())
    }

    /// Whether no shortest violation can lie at a step that was not looked at.
    pub(crate) fn is_exhausted(&self) -> bool {
        self.exhausted.is_some_and(|end| self.next >= end)
    }

    /// Looks for violations at all steps up to `limit`; returns why it stopped, `None` if
    /// nothing is open. After [`Reason::DepthLimit`] the steps `0..=limit` are clean.
    pub(crate) fn search(&mut self, context: &Context, limit: Option<usize>) -> Option<Reason> {
        self.prepare(context);
        loop {
            let open = self.open(context);
            if open.is_empty() {
                return None;
            }
            if limit.is_some_and(|limit| self.next > limit) {
                return Some(Reason::DepthLimit);
            }
            if let Some(end) = self.exhausted.filter(|&end| self.next >= end) {
                return Some(Reason::Exhausted(end));
            }
            if context.interrupt.poll() {
                return Some(Reason::Interrupted);
            }
            context.emit(|| Event::Depth { depth: self.next, progress: self.progress() });
            let window_end = self.next + self.options.window.max(1) - 1;
            let last = limit.map_or(window_end, |limit| window_end.min(limit));
            match self.check_window(self.next..=last, &open).unwrap_or(Found::Stopped) {
                Found::Clean => self.next = last + 1,
                Found::NoPath => self.exhausted = Some(self.next),
                Found::Stopped => return Some(Reason::Interrupted),
                Found::Violations(traces) => {
                    self.next = traces[0].depth();
                    for trace in traces {
                        context.violate(trace.property, trace);
                    }
                }
            }
        }
    }

    fn prepare(&mut self, context: &Context) {
        match &mut self.unroll {
            Some(unroll) => unroll.set_interrupt(context.interrupt.clone()),
            None => {
                let solver = context.new_solver(self.options.preset);
                let unroll = self.unroll.insert(Unroll::new(self.system, Start::Initial, solver));
                unroll.set_interrupt(context.interrupt.clone());
            }
        }
    }

    /// Looks for shortest violations of the open properties at the steps of `window`, given
    /// that they hold at all earlier steps. `None` if the unrolling was interrupted.
    fn check_window(&mut self, window: RangeInclusive<usize>, open: &[usize]) -> Option<Found> {
        let (first, mut last) = (*window.start(), *window.end());
        self.unroll().constrain(first)?;
        if self.unroll().is_dead() {
            return Some(Found::NoPath);
        }
        let targets = self.targets(window, open)?;
        let mut found = Found::Clean;
        loop {
            let within: Vec<&Target> = targets.iter().filter(|t| t.depth <= last).collect();
            let lits: Vec<Lit> = within.iter().map(|t| t.lit).collect();
            // Init ∧ T^last ∧ C_0 ∧ … ∧ C_first ∧ ⋁ { bad_p@t ∧ C_first+1 ∧ … ∧ C_t }
            let unroll = self.unroll();
            match check_any(unroll, &lits) {
                Answer::Stopped => return Some(Found::Stopped),
                Answer::Contradiction => return Some(Found::NoPath),
                Answer::No => return Some(found),
                Answer::Yes => {}
            }
            let hit: Vec<&&Target> =
                within.iter().filter(|t| unroll.value(t.lit) == Ternary::True).collect();
            let depth = hit.iter().map(|t| t.depth).min().expect("a model meets some target");
            let shallowest = hit.iter().filter(|t| t.depth == depth);
            found =
                Found::Violations(shallowest.map(|t| unroll.trace(t.property, depth)).collect());
            if depth == first {
                return Some(found);
            }
            last = depth - 1;
        }
    }

    /// The targets of a window: for each step `t` and open property `p` the literal
    /// `bad_p@t ∧ C_first+1 ∧ … ∧ C_t`. Those that cannot be met are left out.
    fn targets(&mut self, window: RangeInclusive<usize>, open: &[usize]) -> Option<Vec<Target>> {
        let system = self.system;
        let first = *window.start();
        let mut targets = Vec::new();
        let mut path: Vec<(usize, Lit)> = Vec::new();
        for depth in window {
            if depth > first {
                path.extend(system.constraints.iter().map(|&c| (depth, c)));
            }
            for &property in open {
                path.push((depth, system.properties()[property]));
                let lit = self.unroll().conjunction(&path)?;
                path.pop();
                if lit != Lit::FALSE {
                    targets.push(Target { property, depth, lit });
                }
            }
        }
        Some(targets)
    }

    fn unroll(&mut self) -> &mut Unroll<'a> {
        self.unroll.as_mut().expect("made when the search begins")
    }
}

/// A violation of `property` at `depth`, as a solver literal.
struct Target {
    property: usize,
    depth: usize,
    lit: Lit,
}

/// Whether some literal can be true.
enum Answer {
    /// Yes; the solver holds a model.
    Yes,
    /// No, and their negations are now facts of the solver.
    No,
    /// No, and not even without them: the clauses contradict each other.
    Contradiction,
    /// The solver was interrupted.
    Stopped,
}

/// `F ∧ (l_1 ∨ … ∨ l_n)`
fn check_any(unroll: &mut Unroll, lits: &[Lit]) -> Answer {
    if lits.is_empty() {
        return Answer::No;
    }
    let any = unroll.any(lits);
    match unroll.solve(&[any]) {
        SatResult::Sat => Answer::Yes,
        SatResult::Unknown => Answer::Stopped,
        SatResult::Unsat if !unroll.is_failed(any) => Answer::Contradiction,
        SatResult::Unsat => {
            // Sound: just shown to follow. It spares later depths from finding it again.
            for &lit in lits {
                unroll.add_clause(&[!lit]);
            }
            Answer::No
        }
    }
}

/// The last step at which a shortest violation can lie, if that is near enough to matter.
///
/// A shortest path to a violation visits no state twice, as far as the latches that matter
/// are concerned, with one exception: if reset functions read inputs, being initial is no
/// matter of the state alone, and the first state may come back once. So `2^n` states of `n`
/// latches allow at most `2^n` transitions.
fn last_fresh_state(system: &BitSystem) -> Option<usize> {
    let latches = closed_latches(system, system.properties().iter().copied()).len();
    // Beyond this no unrolling will ever come.
    const MAX_LATCHES: usize = 24;
    (latches <= MAX_LATCHES).then(|| 1 << latches)
}

impl Engine for Bmc<'_> {
    fn name(&self) -> &'static str {
        "bmc"
    }

    fn run(&mut self, context: &Context) -> End {
        let open = self.open(context).len();
        context.emit(|| Event::Started { engine: "bmc", open });
        let stopped = self.search(context, context.max_depth);
        let open = self.open(context).len();
        context.emit(|| Event::Finished { open, progress: self.progress() });
        let reason = stopped.unwrap_or(Reason::SettledElsewhere);
        End { reason, safe_up_to: self.safe_up_to() }
    }

    fn progress(&self) -> Progress {
        let stats = self.unroll.as_ref().map(Unroll::stats).unwrap_or_default();
        Progress {
            depth: self.next,
            queries: stats.queries,
            conflicts: stats.conflicts,
            ..Progress::default()
        }
    }
}
