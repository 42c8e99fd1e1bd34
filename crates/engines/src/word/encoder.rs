//! Atoms as literals of one solver: each is made into a term, brought into normal form and
//! blasted once, and looked up after that.

use super::atom::{Atom, Step};
use super::problem::Problem;
use super::value::Point;
use crate::context::Reason;
use crate::trace::Stopped;
use pedra_model::affine::normalise_all;
use pedra_model::blast::{BlastError, BlastOptions};
use pedra_model::bv::Bv;
use pedra_model::lit::Lit;
use pedra_model::term::{TermId, Terms};
use pedra_solve::{BvSolver, Interrupt};
use rustc_hash::FxHashMap;

impl From<BlastError> for Stopped {
    fn from(_: BlastError) -> Stopped {
        Stopped(Reason::Budget)
    }
}

/// A state and inputs, from a model.
#[derive(Clone, Debug)]
pub(super) struct State {
    pub(super) point: Point,
    pub(super) inputs: Vec<Bv>,
}

/// A solver, and the literals in it of all that was said so far. All calls must be about the same
/// problem.
pub(super) struct Encoder {
    terms: Terms,
    pub(super) solver: BvSolver,
    lits: FxHashMap<(Atom, Step), Lit>,
    /// The bads, by position among the chosen properties.
    pub(super) bads: Vec<Lit>,
    pub(super) constraints: Vec<Lit>,
}

impl Encoder {
    /// A new solver, which is stopped by the interrupt. Also the literals of the initial condition,
    /// which are needed once.
    pub(super) fn new(
        problem: &Problem,
        blasting: &BlastOptions,
        interrupt: &Interrupt,
    ) -> Result<(Encoder, Vec<Lit>), BlastError> {
        let mut terms = problem.terms.clone();
        let mut solver = BvSolver::new(blasting);
        solver.set_interrupt(interrupt);
        for &symbol in problem.symbols.iter().chain(&problem.inputs) {
            solver.bind(&terms, symbol)?;
        }
        let mut all = |list: &[TermId]| -> Result<Vec<Lit>, BlastError> {
            let normal = normalise_all(&mut terms, list);
            normal.iter().map(|&term| solver.lit(&terms, term)).collect()
        };
        let bads = all(&problem.bads)?;
        let constraints = all(&problem.constraints)?;
        let init = all(&problem.init)?;
        Ok((Encoder { terms, solver, lits: FxHashMap::default(), bads, constraints }, init))
    }

    fn lit(&mut self, problem: &Problem, atom: &Atom, step: Step) -> Result<Lit, Stopped> {
        if let Some(&lit) = self.lits.get(&(atom.clone(), step)) {
            return Ok(lit);
        }
        let term = atom.normal_term(problem, &mut self.terms, step);
        let lit = self.solver.lit(&self.terms, term)?;
        self.lits.insert((atom.clone(), step), lit);
        Ok(lit)
    }

    /// The literals of atoms, in their order.
    pub(super) fn lits(
        &mut self,
        problem: &Problem,
        atoms: &[Atom],
        step: Step,
    ) -> Result<Vec<Lit>, Stopped> {
        atoms.iter().map(|atom| self.lit(problem, atom, step)).collect()
    }

    /// The literals which say that the inputs have these values.
    pub(super) fn input_lits(
        &mut self,
        problem: &Problem,
        values: &[Bv],
    ) -> Result<Vec<Lit>, Stopped> {
        let mut lits = Vec::new();
        for (&input, value) in problem.inputs.iter().zip(values) {
            let bits = self.solver.bits(&self.terms, input)?;
            lits.extend(bits.iter().zip(value.bits()).map(|(&lit, bit)| lit ^ !bit));
        }
        Ok(lits)
    }

    /// The state and the inputs of the last model.
    pub(super) fn state(&mut self, problem: &Problem) -> State {
        let Encoder { terms, solver, .. } = self;
        let point = problem.vars.iter().map(|var| var.int(&solver.value(terms, var.term)));
        let point = point.collect();
        let inputs = problem.inputs.iter().map(|&input| solver.value(terms, input)).collect();
        State { point, inputs }
    }
}
