//! Checks that no path violates a property within a number of steps, by bounded model checking on
//! new solvers.
//!
//! For each step `j`, with the constraints `C`, the transition relation `T` and the property `P`:
//!
//! `Init(s₀) ∧ ⋀_{i<j} T(sᵢ,sᵢ₊₁) ∧ ⋀_{i≤j} C(sᵢ) ⟹ P(sⱼ)`
//!
//! `C` is not assumed beyond step `j`: a violation in a dead end is one.

use crate::array_proof::check_array_bound;
use crate::frames::{Unrolling, cone_of_influence, counterexample};
use crate::options::{CheckOptions, Counterexample};
use crate::prover::{Failure, Prover};
use crate::word_proof::has_large_arrays;
use pedra_model::Model;
use pedra_model::bits::BitSystem;
use pedra_model::blast::{BlastOptions, blast};
use pedra_model::cone::WordCone;
use pedra_model::lit::Lit;

/// How far a check of a bound may go.
#[derive(Copy, Clone, Debug, Default)]
pub struct BoundLimits {
    /// Conflicts of all queries together; `None` for no limit.
    pub conflicts: Option<u64>,
    /// Gates of all steps together; `None` for no limit.
    pub gates: Option<usize>,
}

/// A bound that is wrong: there is a violation within it.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("property {property} is violated at step {step}; counterexample {counterexample}")]
pub struct BoundError {
    /// The property.
    pub property: usize,
    /// The step of the violation.
    pub step: usize,
    /// The path.
    pub counterexample: Counterexample,
}

/// The last step, at most `last`, up to which no path was found to violate any of the properties.
/// `None` if not even step 0 was decided, or the model cannot be translated to bits.
///
/// # Errors
/// If one is violated.
pub fn check_bound(
    model: &Model,
    properties: &[usize],
    last: usize,
    blasting: &BlastOptions,
    limits: BoundLimits,
    options: &CheckOptions,
) -> Result<Option<usize>, BoundError> {
    match model {
        Model::Bits(system) => check_bits(system, properties, last, limits, options),
        Model::Words(system) => {
            let cone = WordCone::new(system, properties, []);
            if has_large_arrays(&cone.system, [], blasting) {
                return check_array_bound(
                    &cone.system,
                    properties,
                    last,
                    blasting,
                    limits,
                    options,
                );
            }
            let Ok(blasted) = blast(&cone.system, blasting) else { return Ok(None) };
            let all: Vec<usize> = (0..properties.len()).collect();
            check_bits(&blasted.system, &all, last, limits, options)
                .map_err(|error| BoundError { property: properties[error.property], ..error })
        }
    }
}

fn check_bits(
    system: &BitSystem,
    properties: &[usize],
    last: usize,
    limits: BoundLimits,
    options: &CheckOptions,
) -> Result<Option<usize>, BoundError> {
    if system.reset_order().is_err() {
        return Ok(None);
    }
    let bads: Vec<Lit> = properties.iter().map(|&p| system.properties()[p]).collect();
    let roots = bads.iter().chain(&system.constraints).copied();
    let wanted = cone_of_influence(system, &system.aig, roots);
    let mut unrolling = Unrolling::new(system, &system.aig, &wanted);
    let mut prover = Prover::new(options);
    let mut frames = vec![unrolling.any_state()];
    for reset in unrolling.initial(&frames[0]) {
        prover.assume([reset]);
    }
    let mut safe = None;
    for step in 0..=last {
        if step > 0 {
            frames.push(unrolling.after(&frames[step - 1]));
        }
        let spent = limits.conflicts.is_some_and(|most| prover.effort().conflicts > most);
        let is_large = limits.gates.is_some_and(|most| unrolling.circuit.aig().len() > most);
        if spent || is_large || options.interrupt.is_raised() {
            break;
        }
        for &constraint in &system.constraints {
            prover.assume([frames[step].lit(constraint)]);
        }
        let goals: Vec<Vec<Lit>> = bads.iter().map(|&bad| vec![!frames[step].lit(bad)]).collect();
        match prover.prove_each(unrolling.circuit.aig(), &goals) {
            Ok(()) => {}
            Err((_, Failure::Stopped(_))) => break,
            Err((index, Failure::Refuted(values))) => {
                let counterexample = counterexample(system, &frames, &values);
                return Err(BoundError { property: properties[index], step, counterexample });
            }
        }
        // They follow from what is assumed, and help with later steps.
        goals.into_iter().for_each(|goal| prover.assume(goal));
        safe = Some(step);
    }
    Ok(safe)
}

#[cfg(test)]
mod tests {
    use super::*;
    use pedra_formats::btor2;

    /// Counts from 0 as long as the constraint lets it; violated at 5 and at 7.
    fn counter(constraint: &str) -> Model {
        let text = format!(
            "1 sort bitvec 4\n2 sort bitvec 1\n3 zero 1\n4 state 1 n\n5 init 1 4 3\n6 inc 1 4\n\
             7 next 1 4 6\n8 constd 1 5\n9 eq 2 4 8\n10 bad 9\n11 constd 1 7\n12 eq 2 4 11\n\
             13 bad 12\n{constraint}"
        );
        Model::Words(btor2::read(text.as_bytes()).expect("a model"))
    }

    fn check(model: &Model, property: usize, last: usize) -> Result<Option<usize>, (usize, usize)> {
        let limits = BoundLimits::default();
        let options = CheckOptions::default();
        check_bound(model, &[property], last, &BlastOptions::default(), limits, &options)
            .map_err(|error| (error.property, error.step))
    }

    #[test]
    fn bounds_hold_up_to_the_violation_and_no_further() {
        let model = counter("");
        assert_eq!(check(&model, 0, 4), Ok(Some(4)));
        assert_eq!(check(&model, 0, 9), Err((0, 5)));
        assert_eq!(check(&model, 1, 6), Ok(Some(6)));
        assert_eq!(check(&model, 1, 7), Err((1, 7)));
        // No path goes beyond 5; the violation there counts.
        let model = counter("14 constd 1 6\n15 neq 2 4 14\n16 constraint 15\n");
        assert_eq!(check(&model, 0, 9), Err((0, 5)));
        assert_eq!(check(&model, 1, 9), Ok(Some(9)));
    }

    #[test]
    fn a_limit_is_no_claim() {
        let model = counter("");
        let options = CheckOptions::default();
        let check = |limits| {
            let blasting = BlastOptions::default();
            check_bound(&model, &[1], 6, &blasting, limits, &options).expect("safe so far")
        };
        assert!(check(BoundLimits { gates: Some(30), ..BoundLimits::default() }) < Some(6));
        options.interrupt.raise();
        assert_eq!(check(BoundLimits::default()), None);
    }
}
