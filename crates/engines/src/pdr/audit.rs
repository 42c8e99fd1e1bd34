//! Debug builds check lemmas again, with another kind of solver that the search does not use.
//! Queries to the search's own solvers would change what they learn, and debug builds would search
//! differently from release builds.

use super::relation::Relation;
use super::transition::{Horizon, Transition};
use pedra_model::lit::Lit;
use pedra_solve::{Batsat, SatSolver};

/// Knows the start set.
pub(super) struct Audit(Batsat);

impl Audit {
    /// Forward `Init ∧ C`; reverse `C ∧ bad`, for these properties.
    pub(super) fn new(relation: &Relation, targets: Option<&[usize]>) -> Audit {
        let mut solver = Batsat::new();
        let has_signals = relation.transition.has_signals();
        let horizon = if has_signals { Horizon::Signals } else { Horizon::OneStep };
        let transition = Transition::encode(relation.system, horizon, &mut solver);
        for &constraint in &transition.constraints {
            solver.add_clause(&[constraint]);
        }
        match targets {
            None => transition.init.iter().for_each(|&lit| solver.add_clause(&[lit])),
            Some(targets) => {
                let bads: Vec<Lit> = targets.iter().map(|&p| transition.bads[p]).collect();
                solver.add_clause(&bads);
            }
        }
        Audit(solver)
    }

    /// Whether a cube contains a state of the start set.
    pub(super) fn meets_start(&mut self, cube: &[Lit]) -> bool {
        self.0.solve(cube).is_sat()
    }
}
