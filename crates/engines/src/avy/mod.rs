//! AVY, interpolating property-directed reachability.
//!
//! Y. Vizel, A. Gurfinkel: *Interpolating Property Directed Reachability*, CAV 2014.
//!
//! PDR looks at one step at a time and searches backwards from bad states; interpolation looks at a
//! whole unrolling and leaves the search to the solver. AVY does both on one δ-trace `F_0, …, F_N`.
//! In each iteration a bounded query, strengthened by the frames, looks for a path to a bad state
//! at step `N` (`unrolling`). Its refutation gives an interpolation sequence, which says globally
//! what the frames lack. Local search turns that into clauses (`convert`): `F_i` is strengthened to
//! imply `F_{i−1} ∨ I_i`, by clauses that are inductive relative to `F_{i−1}`. Then
//! `F_N ⟹ F_{N−1} ∨ I_N` is safe, and the rest is PDR: push, compare, continue. With kAvy the query
//! may use strong induction (`extension`).
//!
//! The frames, their solvers, generalisation, propagation, the fixpoint test and proofs are those
//! of [`pdr`](crate::pdr). Each iteration begins and ends with a safe δ-trace, so PDR may do any of
//! them.
//!
//! Corrections to the paper:
//! - Algorithm 7, line 12 empties `F_N`, too; only frames above `N` are new.
//! - Line 11 must not consider `F_0`, or a trace that is not yet safe.
//! - Equation 9 has the wrong frame: clauses are inductive relative to `F_{i−1}`.
//!
//! Several properties: the query asks for any of those that are open. Constraints of step `i` are
//! in part `i`, with those of the last step in part `N`, so nothing is lost before a dead end.

mod convert;
mod extension;
mod frames;
mod options;
mod unrolling;

pub use options::{Algorithm, AvyOptions, CHOICES};

use crate::context::{Context, End, Engine, Reason};
use crate::events::{Direction, Event, Progress};
use crate::layers::{StateCircuit, Template};
use crate::pdr::{PdrOptions, Successors};
use crate::trace::{Level, Stopped, propagate_from};
use convert::{Goal, convert};
use extension::{Extension, Found};
use frames::SharedTrace;
use pedra_model::bits::BitSystem;
use pedra_model::lit::Lit;
use pedra_solve::SatStats;
use pedra_solve::interpolate::Refutation;
use unrolling::{Query, Unrolling};

/// AVY for all properties of a system.
pub struct Avy<'a> {
    options: AvyOptions,
    /// The δ-trace, and PDR on it.
    trace: SharedTrace<'a>,
    template: Option<Template>,
    unrolling: Option<Unrolling>,
    /// What of the unrolling the last refutation was about.
    extension: Extension,
    /// The work of unrollings that are no more.
    past: SatStats,
    /// The work of PDR's turns, and that of interpolation with all that comes with it.
    turns_work: u64,
    own_work: u64,
}

impl<'a> Avy<'a> {
    /// An engine that has not looked at any step yet.
    pub fn new(system: &'a BitSystem, options: AvyOptions) -> Avy<'a> {
        // Frames are read as clauses over latches.
        // What samples and the bandit do here was not measured.
        let pdr = PdrOptions { samples: 0, bandit: false, ..options.pdr.exact() };
        Avy {
            options,
            trace: SharedTrace::new(system, pdr, Direction::Forward, Successors::default()),
            template: None,
            unrolling: None,
            extension: Extension::default(),
            past: SatStats::default(),
            turns_work: 0,
            own_work: 0,
        }
    }

    /// The main loop, Algorithm 7 (or 4). Returns why it stopped, `None` if nothing is open.
    fn avy(&mut self, context: &Context) -> Result<Option<Reason>, Stopped> {
        self.trace.search.check_start(context)?;
        loop {
            let open = self.trace.search.open(context);
            if open.is_empty() {
                return Ok(None);
            }
            let n = self.trace.frames().top();
            if context.is_beyond_limit(n.index()) {
                return Ok(Some(Reason::DepthLimit));
            }
            let depth = self.trace.search.safe().safe_up_to().map_or(0, |step| step + 1);
            context.emit(|| Event::Depth { depth, progress: self.progress() });
            self.take_turn(context, &open)?;
            self.make_safe(context, n)?;
            // F_0, …, F_N is a safe δ-trace; if ∃ 0 < i < N: F_i = F_{i+1} then SAFE; N := N + 1
            self.trace.search.next_frame(context)?;
            self.trace.search.find_proofs(context)?;
            if cfg!(debug_assertions) {
                self.trace.check_trace(context);
            }
        }
    }

    /// PDR's turn at `F_N`. Heuristic: it ends when PDR has had as much work as interpolation, and
    /// a little more. What is learned stays; what waits to be blocked mostly is, afterwards.
    fn take_turn(&mut self, context: &Context, open: &[usize]) -> Result<(), Stopped> {
        let first = 1000 * u64::from(self.options.turns);
        let allowed = (self.own_work + first).saturating_sub(self.turns_work);
        if first == 0 || allowed == 0 {
            return Ok(());
        }
        let before = self.trace.search.work();
        let result = self.trace.make_safe_within(context, open, allowed);
        self.turns_work += self.trace.search.work().saturating_sub(before);
        result
    }

    /// Makes `F_N` safe for all open properties; violations at step `N` are settled.
    fn make_safe(&mut self, context: &Context, n: Level) -> Result<(), Stopped> {
        loop {
            let open = self.trace.search.open(context);
            // F_N ∧ C ⟹ P: then there is nothing to do.
            if open.is_empty() || self.trace.check_safe(&open)? {
                return Ok(());
            }
            let before = self.trace.search.work() + self.renew(context, n);
            let template = self.template.as_ref().expect("made by renew");
            let unrolling = self.unrolling.as_mut().expect("made by renew");
            let bads: Vec<Lit> =
                open.iter().map(|&property| template.transition.bads[property]).collect();
            let target = unrolling.layers.any(n.index(), &bads);
            let query = Query {
                template,
                frames: self.trace.frames(),
                options: &self.options,
                last: n.index(),
                target,
            };
            let found = unrolling.find(&query, self.extension);
            if let Ok(Found::Path) = found {
                self.settle_path(context, &open, n);
            }
            let unrolling = self.unrolling.as_mut().expect("made by renew");
            unrolling.layers.add_clause(n.index(), &[!target]);
            let refuted = match found? {
                Found::Refuted(extension, refutation) => {
                    self.extension = extension;
                    Some(self.strengthen(context, n, &refutation))
                }
                Found::Path => None,
            };
            let after =
                self.trace.search.work() + self.unrolling.as_ref().map_or(0, |u| u.layers.work());
            self.own_work += after.saturating_sub(before);
            if let Some(result) = refuted {
                return result;
            }
        }
    }

    /// Makes an unrolling with step `N`, or continues with the one that is there.
    /// Says how much work that one has done.
    fn renew(&mut self, context: &Context, n: Level) -> u64 {
        let template = self
            .template
            .get_or_insert_with(|| Template::simplified(self.trace.system, &context.interrupt));
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
        let unrolling =
            self.unrolling.get_or_insert_with(|| Unrolling::new(context, &self.options));
        let work = unrolling.layers.work();
        unrolling.unroll(template, n.index()..=n.index());
        work
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
            context.violate(trace.property, trace);
        }
    }

    /// `I_1, …, I_N := SeqItp(φ)`, and clauses for them.
    ///
    /// With the extension level `i`, frames above `i` are strengthened one after the other:
    /// `F_{j+1} ⟹ F_j ∨ I_{j+1}`. With a strong extension level `(i, k)` the interpolants of the
    /// `k` steps that use `F_i` all go to the frame above it:
    /// `F_{i+1} ⟹ F_j ∨ I_{j+1}` for `i − k < j ≤ i`.
    fn strengthen(
        &mut self,
        context: &Context,
        n: Level,
        refutation: &Refutation,
    ) -> Result<(), Stopped> {
        let n = n.index();
        let Extension { first, level: mut i } = self.extension;
        let template = self.template.as_ref().expect("made by renew");
        let layers = &self.unrolling.as_ref().expect("made by renew").layers;
        let mut circuit = StateCircuit::new(self.trace.system, &template.transition);
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
                level: i,
                clauses: size.clauses,
                resolutions: size.resolutions,
                gates: circuit.builder.len() - before,
            });
        }
        if self.options.algorithm == Algorithm::Simple {
            self.begin_anew(context, n, &mut circuit, &mut sequence)?;
            // All frames are empty.
            i = 0;
        }
        for (cut, &interpolant) in sequence.iter().enumerate().skip(1) {
            if interpolant == Lit::TRUE {
                continue;
            }
            let (below, level) = (Level::new(cut - 1), Level::new(cut.max(i + 1)));
            // F_{j+1} := PDRMkSafe([Init, F_j, F_{j+1}], ¬(F_j ∨ I_{j+1})), kAvy: in F_{i+1}
            let goal = Goal { circuit: &circuit, interpolant, below, level };
            convert(&mut self.trace, context, &goal)?;
            if self.options.push
                && let Some((bits, _)) = self.trace.search.parts_mut()
            {
                propagate_from(bits, context, level)?;
            }
        }
        // That the last frame is safe now, debug builds see in `check_trace`.
        Ok(())
    }

    /// Algorithm 5, line 3: `G_i := F_i ∧ I_i`, to be turned into a new δ-trace.
    fn begin_anew(
        &mut self,
        context: &Context,
        n: usize,
        circuit: &mut StateCircuit,
        sequence: &mut [Lit],
    ) -> Result<(), Stopped> {
        for (i, goal) in sequence.iter_mut().enumerate().skip(1) {
            for cube in self.trace.frames().sets((), Level::new(i)) {
                let clause = circuit.not_cube(cube);
                *goal = circuit.builder.and(*goal, clause);
            }
        }
        self.trace.renew(context)?;
        self.trace.open_up_to(context, Level::new(n))
    }
}

impl Engine for Avy<'_> {
    fn name(&self) -> &'static str {
        "avy"
    }

    fn run(&mut self, context: &Context) -> End {
        let open = self.trace.search.open(context).len();
        context.emit(|| Event::Started { engine: "avy", open });
        let begun = self.trace.begin_run(context);
        if begun != Ok(false) {
            // The lemmas that it knows have other numbers now.
            self.unrolling = None;
        }
        if let Some(unrolling) = &mut self.unrolling {
            unrolling.layers.set_interrupt(context);
        }
        let reason = match begun.and_then(|_| self.avy(context)) {
            Ok(reason) => reason.unwrap_or(Reason::SettledElsewhere),
            Err(Stopped(reason)) => reason,
        };
        context.emit(|| Event::Summary(self.trace.summary()));
        let open = self.trace.search.open(context).len();
        context.emit(|| Event::Finished { open, progress: self.progress() });
        self.trace.tell_exchanged(context);
        let end = End { reason, safe_up_to: self.trace.search.safe().safe_up_to() };
        if reason == Reason::Interrupted && self.options.algorithm == Algorithm::Simple {
            // Perhaps amid making a new trace.
            self.trace.search.forget();
        }
        end
    }

    fn progress(&self) -> Progress {
        let mut progress = self.trace.progress();
        let unrolling = self.unrolling.as_ref().map(|u| u.layers.stats()).unwrap_or_default();
        progress.queries += self.past.queries + unrolling.queries;
        progress.conflicts += self.past.conflicts + unrolling.conflicts;
        progress
    }
}
