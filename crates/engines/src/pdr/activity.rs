//! How often each state literal took part in recent lemmas: the memory behind all orders.

use pedra_model::lit::Lit;

/// Old lemmas count for less by this factor with each new one (rIC3: 0.9; IC3ref: 0.99).
const DECAY: f64 = 0.9;

/// Activities of state variables.
#[derive(Clone, Debug)]
pub(super) struct Activity {
    of: Vec<f64>,
    bump: f64,
}

impl Activity {
    pub(super) fn new(num_vars: usize) -> Activity {
        Activity { of: vec![0.0; num_vars], bump: 1.0 }
    }

    /// Takes note of a lemma.
    pub(super) fn learn(&mut self, cube: &[Lit]) {
        self.bump /= DECAY;
        for lit in cube {
            self.of[lit.var().index()] += self.bump;
        }
        if self.bump > 1e100 {
            self.of.iter_mut().for_each(|activity| *activity /= self.bump);
            self.bump = 1.0;
        }
    }

    /// Sorts by descending activity; ties stay as they are.
    pub(super) fn sort(&self, cube: &mut [Lit]) {
        let key = |lit: &Lit| self.of[lit.var().index()];
        cube.sort_by(|a, b| key(b).total_cmp(&key(a)));
    }
}
