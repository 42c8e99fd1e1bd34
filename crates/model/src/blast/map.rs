//! Which bit of the bit-level system belongs to which word.

use super::arrays::size_of;
use super::{BlastError, BlastOptions};
use crate::bits::{BitSystem, Name};
use crate::lit::Lit;
use crate::system::System;
use crate::term::{Scalar, Sort};
use std::ops::Range;

/// Where the bits of a state are.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum StateBits {
    /// The state has neither `init` nor `next`: these inputs are its value in every step.
    Inputs(Range<usize>),
    /// The state is held in latches.
    Latches {
        /// These latches.
        latches: Range<usize>,
        /// If it has no `next`: the inputs that are its value in the following step.
        chosen: Option<Range<usize>>,
    },
}

/// Which bits of the bit-level system belong to which word; see [`crate::blast`] for the order.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BlastMap {
    inputs: Vec<Range<usize>>,
    states: Vec<StateBits>,
    num_inputs: usize,
    num_latches: usize,
}

impl BlastMap {
    /// Hands out inputs and latches; fails if they are too many.
    pub(super) fn layout(system: &System, options: &BlastOptions) -> Result<BlastMap, BlastError> {
        let mut map = BlastMap {
            inputs: Vec::with_capacity(system.inputs.len()),
            states: Vec::with_capacity(system.states.len()),
            num_inputs: 0,
            num_latches: 0,
        };
        let limit = options.max_wires();
        let take = |from: &mut usize, size: usize| -> Result<Range<usize>, BlastError> {
            let start = *from;
            *from = start.saturating_add(size);
            if *from > limit {
                return Err(BlastError::TooManyBits { limit });
            }
            Ok(start..*from)
        };
        for (i, input) in system.inputs.iter().enumerate() {
            let size = size_of(system.terms.sort(input.term), options, || input_label(system, i))?;
            map.inputs.push(take(&mut map.num_inputs, size)?);
        }
        for (i, state) in system.states.iter().enumerate() {
            let size = size_of(system.terms.sort(state.term), options, || state_label(system, i))?;
            map.states.push(match (state.init, state.next) {
                (None, None) => StateBits::Inputs(take(&mut map.num_inputs, size)?),
                (_, next) => StateBits::Latches {
                    latches: take(&mut map.num_latches, size)?,
                    chosen: match next {
                        Some(_) => None,
                        None => Some(take(&mut map.num_inputs, size)?),
                    },
                },
            });
        }
        Ok(map)
    }

    /// The inputs that are the bits of an input word, by its index.
    pub fn input(&self, index: usize) -> Range<usize> {
        self.inputs[index].clone()
    }

    /// Where the bits of a state are, by its index.
    pub fn state(&self, index: usize) -> &StateBits {
        &self.states[index]
    }

    /// How many inputs the bit-level system has.
    pub fn num_inputs(&self) -> usize {
        self.num_inputs
    }

    /// How many latches the bit-level system has.
    pub fn num_latches(&self) -> usize {
        self.num_latches
    }

    /// How many input words there are.
    pub fn num_words(&self) -> usize {
        self.inputs.len()
    }

    /// How many states there are.
    pub fn num_states(&self) -> usize {
        self.states.len()
    }

    /// The literals of a state's current value in the blasted system.
    pub fn state_lits(&self, blasted: &BitSystem, index: usize) -> Vec<Lit> {
        match &self.states[index] {
            StateBits::Inputs(range) => {
                blasted.inputs[range.clone()].iter().map(|v| v.lit()).collect()
            }
            StateBits::Latches { latches, .. } => {
                blasted.latches[latches.clone()].iter().map(|l| l.var.lit()).collect()
            }
        }
    }

    /// The names of the inputs and of the latches.
    pub(super) fn names(&self, system: &System) -> (Vec<Name>, Vec<Name>) {
        let (mut inputs, mut latches) = (Vec::new(), Vec::new());
        for (i, input) in system.inputs.iter().enumerate() {
            inputs.extend(bit_names(&input_label(system, i), system.terms.sort(input.term)));
        }
        for (i, state) in system.states.iter().enumerate() {
            let (label, sort) = (state_label(system, i), system.terms.sort(state.term));
            match &self.states[i] {
                StateBits::Inputs(_) => inputs.extend(bit_names(&label, sort)),
                StateBits::Latches { chosen, .. } => {
                    latches.extend(bit_names(&label, sort));
                    if chosen.is_some() {
                        inputs.extend(bit_names(&format!("next({label})"), sort));
                    }
                }
            }
        }
        (inputs, latches)
    }
}

/// What an input is called; `input3` if it has no name.
pub(super) fn input_label(system: &System, index: usize) -> String {
    system.inputs[index].name.as_deref().map_or_else(|| format!("input{index}"), str::to_owned)
}

/// What a state is called; `state3` if it has no name.
pub(super) fn state_label(system: &System, index: usize) -> String {
    system.states[index].name.as_deref().map_or_else(|| format!("state{index}"), str::to_owned)
}

/// The names of a word's bits: `name` for a single one, else `name[bit]`, and
/// `name[address][bit]` for arrays.
pub(super) fn bit_names(label: &str, sort: Sort) -> Vec<Name> {
    match sort {
        Sort::Bv(1) => vec![Some(label.into())],
        Sort::Bv(width) => (0..width).map(|i| Some(format!("{label}[{i}]").into())).collect(),
        Sort::Array { index: Scalar::Bv(index), element: Scalar::Bv(element) } => (0..1u64
            << index)
            .flat_map(|at| (0..element).map(move |i| (at, i)))
            .map(|(at, i)| Some(format!("{label}[{at}][{i}]").into()))
            .collect(),
        // No bits, no names: the layout refuses these.
        Sort::Int | Sort::Array { .. } => Vec::new(),
    }
}
