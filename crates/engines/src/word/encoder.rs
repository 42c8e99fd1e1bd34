//! Atoms as literals of one solver. Each atom is turned into a term, normalised and blasted once,
//! and looked up afterwards.

use super::problem::Problem;
use crate::context::Reason;
use crate::trace::Stopped;
use crate::units::atom::{Atom, Step};
use crate::units::value::Point;
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::Vocabulary;
    use crate::units::atom::Sum;
    use crate::units::value::{Int, WordVar};
    use pedra_formats::btor2;
    use pedra_model::bv::Bv;
    use pedra_model::eval::words::WordSimulator;
    use pedra_model::value::TernaryValue;
    use pedra_testkit::random::Random;

    /// Next values of all shapes into which products are moved.
    const MODEL: &str = "
        1 sort bitvec 4
        2 sort bitvec 1
        3 input 2 c
        4 state 1 x
        5 state 1 y
        6 state 1 z
        7 constd 1 5
        8 constd 1 -3
        9 inc 1 4
        10 add 1 5 7
        11 sub 1 6 7
        12 ite 1 3 9 4
        13 add 1 8 10
        14 ite 1 3 13 11
        15 constd 1 -8
        16 add 1 6 15
        17 dec 1 16
        18 next 1 4 12
        19 next 1 5 14
        20 next 1 6 17
        21 slt 2 4 5
        22 ult 2 6 7
        23 bad 21
        24 bad 22
    ";

    #[test]
    fn terms_agree_with_integers() {
        let mut system = btor2::read(MODEL.as_bytes()).expect("a model");
        let mut problem = Problem::new(&system, &[0, 1]).expect("words");
        let mut random = Random::new(1);
        for round in 0..150 {
            for var in &mut problem.vars {
                var.signed = random.one_in(2);
            }
            let mut factor = || random.between(0, 14) as Int - 7;
            let products = problem.var_ids().map(|v| (v, factor())).collect();
            let sum = Sum::new(products);
            let b = random.between(0, 120) as Int - 60;
            let log = random.between(1, 6) as u32;
            let holds = random.one_in(2);
            let atom = match round % 2 {
                0 => Atom::Lin(sum, b),
                _ => Atom::Cong { sum, log, residue: b, holds },
            };
            system.terms = problem.terms.clone();
            let steps = [Step::Now, Step::Next];
            let terms = steps.map(|step| atom.normal_term(&problem, &mut system.terms, step));
            let mut simulator = WordSimulator::with_roots(&system, terms).expect("no circle");
            for _ in 0..60 {
                let mut word = |width| {
                    let bits = random.word();
                    TernaryValue::Bv(Bv::from_u64(width, bits).into())
                };
                let states = [word(4), word(4), word(4)];
                simulator.load(&states, &[word(1)]);
                let point = |step: Step| -> Point {
                    let value =
                        |v: &WordVar| v.int(simulator.value(step.term(v)).as_bv().zero_filled());
                    problem.vars.iter().map(value).collect()
                };
                for (step, term) in steps.into_iter().zip(terms) {
                    let truth = simulator.value(term).as_bit().known();
                    assert_eq!(truth, atom.holds(&point(step)), "{atom:?} {step:?}");
                }
            }
        }
    }
}
