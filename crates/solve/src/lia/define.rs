//! Variables for what is not linear, and limits to the size of expressions.
//!
//! - `a div k`: `q` with `k·q ≤ a ≤ k·q + |k| − 1`; `a mod k` is `a − k·q`. These two hold for
//!   good;
//! - `ite(c, a, b)`: `v` with `c → v = a` and `¬c → v = b`;
//! - `f(a)`: `v` with `a = b → v = w` for each earlier `w = f(b)` (Ackermann's expansion).
//!
//! Equal questions get equal variables.

use super::LiaSolver;
use super::int::Int;
use super::linear::{IntVar, Linear};
use pedra_model::lit::Lit;
use rustc_hash::FxHashMap;

/// Words of 64 bits in all expressions that one encoder may make: about a gigabyte.
pub(crate) const MAX_SIZE: u64 = 30_000_000;
/// Words of 64 bits in one number: squaring again and again would fill any memory.
pub(crate) const MAX_LIMBS: u64 = 1 << 12;
/// What the clauses for two instances of a function count, in words.
const PAIR_SIZE: u64 = 32;

/// Expressions grow beyond [`MAX_SIZE`] or [`MAX_LIMBS`].
pub(crate) struct TooLarge;

/// An instance of a function.
pub(crate) struct Instance {
    /// Where it is applied.
    pub(crate) args: Vec<Linear>,
    /// Its value.
    pub(crate) value: IntVar,
}

/// The variables that stand for what is not linear in one solver.
#[derive(Default)]
pub(crate) struct Definitions {
    quotients: FxHashMap<(Linear, Int), IntVar>,
    choices: FxHashMap<(Lit, Linear, Linear), IntVar>,
    instances: FxHashMap<u32, Vec<Instance>>,
    size: u64,
}

impl Definitions {
    /// Counts an expression that is kept.
    pub(crate) fn keep(&mut self, linear: &Linear) -> Result<(), TooLarge> {
        self.size += linear.constant.limbs();
        self.size += linear.terms.iter().map(|(_, factor)| factor.limbs()).sum::<u64>();
        if self.size > MAX_SIZE { Err(TooLarge) } else { Ok(()) }
    }

    /// `a · b`; `None` if both have variables.
    pub(crate) fn multiply(&self, a: &Linear, b: &Linear) -> Result<Option<Linear>, TooLarge> {
        let (factor, other) = match (a.as_constant(), b.as_constant()) {
            (Some(factor), _) => (factor, b),
            (_, Some(factor)) => (factor, a),
            _ => return Ok(None),
        };
        let limbs = other.terms.iter().map(|(_, own)| own.limbs()).max().unwrap_or(0);
        if factor.limbs() + limbs.max(other.constant.limbs()) > MAX_LIMBS {
            return Err(TooLarge);
        }
        Ok(Some(other.scale(factor)))
    }

    /// The instances of a function so far, in the order in which they were made.
    pub(crate) fn instances(&self, name: u32) -> &[Instance] {
        self.instances.get(&name).map_or(&[], Vec::as_slice)
    }

    /// `a div divisor` or `a mod divisor`; the divisor must not be 0.
    pub(crate) fn divide(
        &mut self,
        solver: &mut LiaSolver,
        a: &Linear,
        divisor: &Int,
        is_quotient: bool,
    ) -> Linear {
        let quotient = match a.as_constant() {
            Some(value) => Linear::constant(value.div_euclid(divisor)),
            None => Linear::var(self.quotient(solver, a, divisor)),
        };
        match is_quotient {
            true => quotient,
            false => a.combine(&Int::ONE, &quotient, divisor),
        }
    }

    /// `q` with `0 ≤ a − k·q ≤ |k| − 1`.
    fn quotient(&mut self, solver: &mut LiaSolver, a: &Linear, divisor: &Int) -> IntVar {
        if let Some(&quotient) = self.quotients.get(&(a.clone(), divisor.clone())) {
            return quotient;
        }
        let quotient = solver.new_int();
        let remainder = a.combine(&Int::ONE, &Linear::var(quotient), divisor);
        let most = Linear::constant(&divisor.abs() - &Int::ONE);
        let low = solver.le_zero(&remainder.scale(&Int::from(-1)));
        let high = solver.le_zero(&remainder.minus(&most));
        solver.define_int(quotient, &[vec![low], vec![high]], &[]);
        self.quotients.insert((a.clone(), divisor.clone()), quotient);
        quotient
    }

    /// `v` with `c → v = a` and `¬c → v = b`.
    pub(crate) fn choose(
        &mut self,
        solver: &mut LiaSolver,
        condition: Lit,
        a: Linear,
        b: Linear,
    ) -> Linear {
        match condition {
            Lit::TRUE => return a,
            Lit::FALSE => return b,
            _ if a == b => return a,
            _ => {}
        }
        let (condition, a, b) =
            if condition.is_negated() { (!condition, b, a) } else { (condition, a, b) };
        let key = (condition, a, b);
        if let Some(&value) = self.choices.get(&key) {
            return Linear::var(value);
        }
        let value = solver.new_int();
        let [[a_le, a_ge], [b_le, b_ge]] =
            [&key.1, &key.2].map(|branch| equality(solver, value, branch));
        let clauses = [
            vec![!condition, a_le],
            vec![!condition, a_ge],
            vec![condition, b_le],
            vec![condition, b_ge],
        ];
        solver.define_int(value, &clauses, &[]);
        self.choices.insert(key, value);
        Linear::var(value)
    }

    /// `v` with `args = args' → v = v'` for each earlier instance.
    pub(crate) fn apply(&mut self, solver: &mut LiaSolver, name: u32, args: Vec<Linear>) -> Linear {
        let instances = self.instances.entry(name).or_default();
        if let Some(same) = instances.iter().find(|instance| instance.args == args) {
            return Linear::var(same.value);
        }
        let value = solver.new_int();
        let mut clauses = Vec::new();
        for instance in instances.iter().filter(|other| other.args.len() == args.len()) {
            let equal = args.iter().zip(&instance.args).map(|(a, b)| solver.eq_zero(&a.minus(b)));
            let mut differ: Vec<Lit> = equal.map(|lit| !lit).collect();
            if differ.contains(&Lit::TRUE) {
                continue;
            }
            let bounds = equality(solver, value, &Linear::var(instance.value));
            for bound in bounds {
                differ.push(bound);
                clauses.push(differ.clone());
                differ.pop();
            }
            self.size += PAIR_SIZE + args.len() as u64;
        }
        // Where the instance matters, so does what its arguments are: a model is read off them.
        solver.define_int(value, &clauses, &args);
        instances.push(Instance { args, value });
        Linear::var(value)
    }
}

/// `v ≤ a` and `v ≥ a`.
fn equality(solver: &mut LiaSolver, var: IntVar, a: &Linear) -> [Lit; 2] {
    let difference = Linear::var(var).minus(a);
    [solver.le_zero(&difference), solver.le_zero(&difference.scale(&Int::from(-1)))]
}
