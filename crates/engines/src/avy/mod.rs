//! AVY, interpolating property-directed reachability.
//!
//! Y. Vizel, A. Gurfinkel: *Interpolating Property Directed Reachability*, CAV 2014.
//!
//! PDR looks at one step at a time and searches backwards from bad states; interpolation looks at
//! a whole unrolling and leaves the search to the solver. AVY does both on one δ-trace
//! `F_0, …, F_N`. In each iteration a bounded query, strengthened by the frames, looks for a path
//! to a bad state at step `N` (`unrolling`). Its refutation gives an interpolation sequence, which
//! says globally what the frames lack. Local search turns that into clauses (`convert`): `F_i` is
//! strengthened to imply `F_{i−1} ∨ I_i`, by clauses that are inductive relative to `F_{i−1}`.
//! Then `F_N ⟹ F_{N−1} ∨ I_N` is safe, and the rest is PDR: push, compare, go on.
//!
//! The frames, their solvers, generalisation, propagation, the fixpoint test and proofs are those
//! of [`pdr`](crate::pdr). Each iteration begins and ends with a safe δ-trace, so PDR may take any
//! of them.
//!
//! The paper's slips, and what is done instead:
//! - Algorithm 7, line 12 empties `F_N`, too; only frames above `N` are new.
//! - Line 11 must not look at `F_0`, nor at a trace that is not yet safe.
//! - Equation 9 has the wrong frame: clauses are inductive relative to `F_{i−1}`.
//!
//! Several properties: the query asks for any of those that are open. Constraints of step `i` are
//! in part `i`, with those of the last step in part `N`, so nothing is lost before a dead end.

mod convert;
mod options;
mod stuck;
mod unrolling;

pub use options::{Algorithm, AvyOptions, CHOICES};

use crate::context::{Context, Engine, Outcome, Reason};
use crate::events::{Event, Progress};
use crate::layers::{StateCircuit, Template};
use crate::pdr::{Level, Pdr, PdrOptions, Stopped};
use convert::convert;
use pedra_model::bits::BitSystem;
use pedra_model::lit::Lit;
use pedra_solve::SatStats;
use pedra_solve::interpolate::Refutation;
use unrolling::{Found, Unrolling};

/// AVY for all properties of a system.
pub struct Avy<'a> {
    options: AvyOptions,
    /// The δ-trace, and PDR on it.
    trace: Pdr<'a>,
    template: Option<Template>,
    unrolling: Option<Unrolling>,
    /// The work of unrollings that are no more.
    past: SatStats,
    /// Whether bad states are known to have bad successors, so that larger steps are sound.
    is_stuck: bool,
}

impl<'a> Avy<'a> {
    /// An engine that has not looked at any step yet.
    pub fn new(system: &'a BitSystem, options: AvyOptions) -> Avy<'a> {
        Avy {
            options,
            // Interpolants speak of bad states in the last frame.
            trace: Pdr::new(system, PdrOptions { property_in_frames: false, ..options.pdr }),
            template: None,
            unrolling: None,
            past: SatStats::default(),
            is_stuck: false,
        }
    }

    /// The main loop, Algorithm 7 (or 4). Returns why it stopped, `None` if nothing is open.
    fn avy(&mut self, context: &Context) -> Result<Option<Reason>, Stopped> {
        self.trace.check_any_path(context)?;
        loop {
            let open = self.trace.open(context);
            if open.is_empty() {
                return Ok(None);
            }
            let n = self.trace.frames().top();
            if context.is_beyond_limit(n.index()) {
                return Ok(Some(Reason::DepthLimit));
            }
            let depth = self.trace.safe_up_to().map_or(0, |step| step + 1);
            context.emit(|| Event::Depth { depth, progress: self.progress() });
            if self.is_plain(n) {
                for property in open {
                    self.trace.make_safe(context, property)?;
                }
            } else {
                self.make_safe(context, n)?;
            }
            // F_0, …, F_N is a safe δ-trace; if ∃ 0 < i < N: F_i = F_{i+1} then SAFE; N := N + 1
            self.trace.next_frame(context)?;
            if cfg!(debug_assertions) {
                self.trace.check_trace(context);
            }
            let next = n.index() + self.options.step.max(1) as usize;
            let next = context.max_depth.map_or(next, |max| next.min(max));
            self.trace.open_up_to(context, Level::new(next));
        }
    }

    /// Whether PDR takes this iteration.
    fn is_plain(&self, n: Level) -> bool {
        let every = self.options.plain as usize;
        every > 0 && n.index().is_multiple_of(every)
    }

    /// Makes `F_N` safe for all open properties; violations at step `N` are settled.
    fn make_safe(&mut self, context: &Context, n: Level) -> Result<(), Stopped> {
        loop {
            let open = self.trace.open(context);
            // F_N ∧ C ⟹ P: then there is nothing to do.
            if open.is_empty() || self.trace.check_safe(&open)? {
                return Ok(());
            }
            self.renew(context, n);
            let template = self.template.as_ref().expect("made by renew");
            let unrolling = self.unrolling.as_mut().expect("made by renew");
            let bads: Vec<Lit> =
                open.iter().map(|&property| template.transition.bads[property]).collect();
            let target = unrolling.layers.any(n.index(), &bads);
            let frames = self.trace.frames();
            let found = unrolling.find(frames, &self.options, n.index(), target);
            if let Ok(Found::Path) = found {
                self.settle_path(context, &open, n);
            }
            let unrolling = self.unrolling.as_mut().expect("made by renew");
            unrolling.layers.add_clause(n.index(), &[!target]);
            if let Found::Refuted { first, refutation } = found? {
                return self.strengthen(context, n, first, &refutation);
            }
        }
    }

    /// Makes an unrolling of `N` steps, or goes on with the one that is there.
    fn renew(&mut self, context: &Context, n: Level) {
        let template = self.template.get_or_insert_with(|| Template::new(self.trace.system()));
        let fits = |unrolling: &Unrolling| {
            !unrolling.layers.is_full()
                && self.options.incremental
                && self.options.algorithm == Algorithm::Global
        };
        if let Some(old) = self.unrolling.take_if(|unrolling| !fits(unrolling)) {
            let work = old.layers.stats();
            self.past.queries += work.queries;
            self.past.conflicts += work.conflicts;
        }
        let unrolling = self.unrolling.get_or_insert_with(|| Unrolling::new(context));
        unrolling.unroll(template, n.index());
    }

    /// UNSAFE: enters the violations of the path that was found.
    fn settle_path(&mut self, context: &Context, open: &[usize], n: Level) {
        let template = self.template.as_ref().expect("made by renew");
        let layers = &self.unrolling.as_ref().expect("made by renew").layers;
        let transition = &template.transition;
        let mut traces = Vec::new();
        for &property in open {
            if layers.is_true(layers.lit(n.index(), transition.bads[property])) {
                traces.push(layers.trace(transition, property, n.index()));
            }
        }
        assert!(!traces.is_empty(), "a path ends in a bad state");
        for trace in traces {
            self.trace.settle(context, trace.property, Outcome::Violated(trace));
        }
    }

    /// `I_1, …, I_N := SeqItp(φ)`, and clauses for them.
    fn strengthen(
        &mut self,
        context: &Context,
        n: Level,
        first: usize,
        refutation: &Refutation,
    ) -> Result<(), Stopped> {
        let n = n.index();
        let template = self.template.as_ref().expect("made by renew");
        let layers = &self.unrolling.as_ref().expect("made by renew").layers;
        let mut circuit = StateCircuit::new(self.trace.system(), &template.transition);
        let before = circuit.builder.len();
        // Up to `first` they are true.
        let mut sequence = vec![Lit::TRUE; first + 1];
        if first < n {
            let (interpolants, size) =
                layers.interpolants(refutation, first + 1..=n, self.options.system, &mut circuit);
            sequence.extend(interpolants);
            context.detail(|| Event::Interpolated {
                depth: n,
                first,
                clauses: size.clauses,
                resolutions: size.resolutions,
                gates: circuit.builder.len() - before,
            });
        }
        if self.options.algorithm == Algorithm::Simple {
            self.begin_anew(context, n, &mut circuit, &mut sequence);
        }
        for (i, &interpolant) in sequence.iter().enumerate().skip(1) {
            let level = Level::new(i);
            if interpolant == Lit::TRUE {
                continue;
            }
            let limit = (self.options.cubes > 0).then_some(self.options.cubes);
            // F_i := PDRMkSafe([Init, F_{i−1}, F_i], ¬(F_{i−1} ∨ I_i))
            if !convert(&mut self.trace, context, &circuit, interpolant, level, limit)? {
                for property in self.trace.open(context) {
                    self.trace.make_safe(context, property)?;
                }
                break;
            }
            if self.options.push {
                self.trace.push_from(context, level)?;
            }
        }
        if cfg!(debug_assertions) {
            let open = self.trace.open(context);
            let is_safe = self.trace.check_safe(&open)?;
            assert!(is_safe, "the last frame is safe after strengthening");
        }
        Ok(())
    }

    /// Algorithm 5, line 3: `G_i := F_i ∧ I_i`, to be turned into a new δ-trace.
    fn begin_anew(
        &mut self,
        context: &Context,
        n: usize,
        circuit: &mut StateCircuit,
        sequence: &mut [Lit],
    ) {
        for (i, goal) in sequence.iter_mut().enumerate().skip(1) {
            for cube in self.trace.frames().cubes(Level::new(i)) {
                let clause = circuit.not_cube(cube);
                *goal = circuit.builder.and(*goal, clause);
            }
        }
        self.trace.forget(context);
        self.trace.open_up_to(context, Level::new(n));
    }

    /// Runs without larger steps, or on a system that stays in bad states.
    fn run_here(&mut self, context: &Context) -> Vec<Outcome> {
        let open = self.trace.open(context).len();
        context.emit(|| Event::Started { engine: "avy", open });
        if self.trace.prepare(context) {
            // The lemmas that it knows have other numbers now.
            self.unrolling = None;
        }
        if let Some(unrolling) = &mut self.unrolling {
            unrolling.layers.set_interrupt(context);
        }
        let reason = match self.avy(context) {
            Ok(reason) => reason.unwrap_or(Reason::SettledElsewhere),
            Err(Stopped) => Reason::Interrupted,
        };
        context.emit(|| Event::Summary(self.trace.report()));
        let open = self.trace.open(context).len();
        context.emit(|| Event::Finished { open, progress: self.progress() });
        self.trace.outcomes(context, reason)
    }
}

impl Engine for Avy<'_> {
    fn name(&self) -> &'static str {
        "avy"
    }

    fn run(&mut self, context: &Context) -> Vec<Outcome> {
        if self.options.step > 1 && !self.is_stuck {
            return self.run_stuck(context);
        }
        self.run_here(context)
    }

    fn progress(&self) -> Progress {
        let mut progress = self.trace.progress();
        let unrolling = self.unrolling.as_ref().map(|u| u.layers.stats()).unwrap_or_default();
        progress.queries += self.past.queries + unrolling.queries;
        progress.conflicts += self.past.conflicts + unrolling.conflicts;
        progress
    }
}
