//! A run of a system: where it begins, and the inputs of its steps.
//!
//! Reached states are shared as runs. *Required for soundness* is nothing: who takes a run walks it
//! on the system, so whatever it says, it leads to states that are reached.

use pedra_model::value::Ternary;

/// Longer runs are not shared. Chosen, not measured.
pub(crate) const MAX_STEPS: usize = 256;

/// Nor are those in which more bits are true. Chosen, not measured: 32 KiB.
const MAX_ONES: usize = 8192;

/// A run, as far as bits are true in it; all others are false.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Run {
    /// Latches at first, by number, sorted. Those with a reset take its value, whatever is said
    /// here.
    pub start: Box<[u32]>,
    /// For each step inputs, by number, sorted.
    pub inputs: Vec<Box<[u32]>>,
}

impl Run {
    /// The run with these values; what is open is false.
    pub(crate) fn new(start: &[Ternary], inputs: &[Vec<Ternary>]) -> Run {
        let ones = |values: &[Ternary]| -> Box<[u32]> {
            let all = (0..).zip(values);
            all.filter(|(_, value)| **value == Ternary::True).map(|(number, _)| number).collect()
        };
        Run { start: ones(start), inputs: inputs.iter().map(|values| ones(values)).collect() }
    }

    /// Whether it is a run of a system with this many latches and inputs, and not too long.
    pub(super) fn fits(&self, num_latches: usize, num_inputs: usize) -> bool {
        let is_fit = |ones: &[u32], end: usize| {
            let is_sorted = ones.windows(2).all(|pair| pair[0] < pair[1]);
            is_sorted && ones.last().is_none_or(|&last| (last as usize) < end)
        };
        let ones = self.start.len() + self.inputs.iter().map(|ones| ones.len()).sum::<usize>();
        (1..=MAX_STEPS).contains(&self.inputs.len())
            && ones <= MAX_ONES
            && is_fit(&self.start, num_latches)
            && self.inputs.iter().all(|ones| is_fit(ones, num_inputs))
    }
}
