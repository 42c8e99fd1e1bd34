//! Interpolation-based model checking.
//!
//! Bounded model checking that can prove: the refutation of a bounded query gives formulas between
//! its steps, which over-approximate what is reachable in this many steps, and finally close.
//!
//! - `sequence`: one interpolant a step, from Y. Vizel, O. Grumberg: *Interpolation-Sequence Based
//!   Model Checking*, FMCAD 2009, as Algorithms 1 and 2 of the AVY paper have it.
//! - `image`: K. L. McMillan's original.
//!
//! Formulas are circuits over states. Proofs consist of one clause, the formula, and its gates.
//! Several properties: the query asks for any of those that are open.

mod image;
mod options;
mod sequence;

pub use options::{Algorithm, CHOICES, ImcOptions};

use crate::context::{Context, End, Engine, Reason};
use crate::events::{Event, Progress};
use crate::layers::{Layers, StateCircuit, Template};
use crate::pdr::Stopped;
use pedra_model::bits::BitSystem;
use pedra_model::lit::Lit;
use pedra_solve::cadical::Preset;
use pedra_solve::{FrameEncoder, SatResult, SatSolver};
use std::ops::RangeInclusive;

/// Interpolation-based model checking of all properties of a system.
pub struct Imc<'a> {
    system: &'a BitSystem,
    options: ImcOptions,
    template: Template,
    layers: Layers,
    circuit: StateCircuit,
    /// `F_0, …, F_N`: formulas.
    frames: Vec<Lit>,
    /// Where implications are checked.
    checker: Option<(Box<dyn SatSolver>, FrameEncoder)>,
    /// The bound that is looked at.
    depth: usize,
    /// None of `safe` is violated at any step up to this one.
    safe_up_to: Option<usize>,
    /// The properties that were open then.
    safe: Vec<usize>,
}

impl<'a> Imc<'a> {
    /// An engine that has not looked at any step yet.
    pub fn new(system: &'a BitSystem, options: ImcOptions) -> Imc<'a> {
        let template = Template::new(system);
        let circuit = StateCircuit::new(system, &template.transition);
        Imc {
            system,
            options,
            layers: Layers::new(&Context::default(), Preset::Default),
            frames: vec![circuit.init],
            template,
            circuit,
            checker: None,
            depth: 0,
            safe_up_to: None,
            safe: Vec::new(),
        }
    }

    /// The properties that need work.
    fn open(&self, context: &Context) -> Vec<usize> {
        context.open(self.system.properties().len())
    }

    /// Bound after bound, until nothing is open. Returns why it stopped, `None` if nothing is.
    fn bounds(&mut self, context: &Context) -> Result<Option<Reason>, Stopped> {
        loop {
            let open = self.open(context);
            if open.is_empty() {
                return Ok(None);
            }
            if context.is_beyond_limit(self.depth) {
                return Ok(Some(Reason::DepthLimit));
            }
            context.emit(|| Event::Depth { depth: self.depth, progress: self.progress() });
            if self.layers.is_full() {
                self.layers = Layers::new(context, Preset::Default);
            }
            match self.options.algorithm {
                Algorithm::Sequence => self.sequence(context, open)?,
                Algorithm::Image => self.image(context, open)?,
            }
        }
    }

    /// The interpolants of the last refutation.
    fn interpolate(&mut self, context: &Context, cuts: RangeInclusive<usize>) -> Vec<Lit> {
        let before = self.circuit.builder.len();
        let refutation = self.layers.refutation();
        let (interpolants, size) =
            self.layers.interpolants(&refutation, cuts, self.options.system, &mut self.circuit);
        context.detail(|| Event::Interpolated {
            depth: self.depth,
            first: 0,
            level: 0,
            clauses: size.clauses,
            resolutions: size.resolutions,
            gates: self.circuit.builder.len() - before,
        });
        interpolants
    }

    /// `a ⟹ b`, for formulas.
    fn check_implies(&mut self, a: Lit, b: Lit) -> Result<bool, Stopped> {
        let (solver, encoder) = self.checker.as_mut().expect("made when the run began");
        let aig = self.circuit.builder.aig();
        let a = encoder.encode(aig, solver.as_mut(), a);
        let b = encoder.encode(aig, solver.as_mut(), b);
        match solver.solve(&[a, !b]) {
            SatResult::Unsat => Ok(true),
            SatResult::Sat => Ok(false),
            SatResult::Unknown => Err(Stopped),
        }
    }

    /// SAFE: the formula is an inductive invariant without bad states.
    fn prove(&mut self, context: &Context, invariant: Lit) {
        let open = self.open(context);
        let proof =
            self.circuit.proof(self.system, &self.template.transition, open.clone(), invariant);
        context.prove(&open, proof);
    }

    /// There is no violation of these properties up to the bound.
    fn safe(&mut self, open: Vec<usize>) {
        (self.safe_up_to, self.safe) = (Some(self.depth), open);
    }

    /// Enters the violations of the path that was found.
    fn settle_path(&mut self, context: &Context, open: &[usize], depth: usize) {
        let transition = &self.template.transition;
        let is_bad = |&&p: &&usize| self.layers.is_true(self.layers.lit(depth, transition.bads[p]));
        let traces: Vec<_> =
            open.iter().filter(is_bad).map(|&p| self.layers.trace(transition, p, depth)).collect();
        assert!(!traces.is_empty(), "a path ends in a bad state");
        for trace in traces {
            context.violate(trace.property, trace);
        }
    }
}

impl Engine for Imc<'_> {
    fn name(&self) -> &'static str {
        "imc"
    }

    fn run(&mut self, context: &Context) -> End {
        let open = self.open(context);
        context.emit(|| Event::Started { engine: "imc", open: open.len() });
        if !open.iter().all(|property| self.safe.contains(property)) {
            // Another engine claimed in the last run to have settled it, but no longer does: the
            // formulas know nothing of it.
            (self.safe_up_to, self.depth) = (None, 0);
            self.frames = vec![self.circuit.init];
        }
        self.layers.set_interrupt(context);
        match &mut self.checker {
            Some((solver, _)) => solver.set_interrupt(context.interrupt.clone()),
            none => {
                *none = Some((context.new_solver(Preset::Plain), FrameEncoder::new()));
                // With the random choices of this context.
                self.layers = Layers::new(context, Preset::Default);
            }
        }
        let reason = match self.bounds(context) {
            Ok(reason) => reason.unwrap_or(Reason::SettledElsewhere),
            Err(Stopped) => Reason::Interrupted,
        };
        let open = self.open(context).len();
        context.emit(|| Event::Finished { open, progress: self.progress() });
        End { reason, safe_up_to: self.safe_up_to }
    }

    fn progress(&self) -> Progress {
        let stats = self.layers.stats();
        Progress {
            depth: self.depth,
            frames: self.frames.len(),
            queries: stats.queries,
            conflicts: stats.conflicts,
            ..Progress::default()
        }
    }
}
