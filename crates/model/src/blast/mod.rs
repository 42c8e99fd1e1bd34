//! From word level to bit level, and the way back.
//!
//! [`blast`] turns a word-level [`System`] into a [`BitSystem`] that behaves the same bit by
//! bit, and returns the [`BlastMap`] through which traces and proofs travel back up. The parts:
//! `ops` holds the circuits of the operators, `arrays` the expansion of arrays, [`Blaster`]
//! the walk over terms, `map` who is where, `lift` traces and proofs.
//!
//! The layout of the result, which is fixed:
//! - bits of a word go from least to most significant; arrays element by element, by ascending
//!   index;
//! - the first inputs are those of the words' inputs, in their order. A state without `next`
//!   is chosen anew in every step, so further inputs follow for each such state, in the order
//!   of the states: its value in this step if it has no `init` either, else its value in the
//!   *next* step;
//! - latches are those of the states with a `next` or an `init`, in the order of the states;
//! - variables are numbered as AIGER wants them: inputs, latches, gates. Only gates that
//!   something depends on are kept;
//! - bads, constraints, fairness and justice keep their numbers. Outputs and named inner terms
//!   are left out unless [`BlastOptions::outputs`] asks for the former.

mod arrays;
mod blaster;
mod lift;
mod map;
mod ops;

pub use blaster::Blaster;
pub use lift::Blasting;
pub use map::{BlastMap, StateBits};

use crate::aig::{Aig, Node};
use crate::bits::{BitNames, BitSystem, Latch, Name, Reset};
use crate::lit::{Lit, Var};
use crate::system::{NamedTerm, System};
use crate::term::{Sort, TermId, Terms};
use thiserror::Error;

/// Limits and choices of bit-blasting.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BlastOptions {
    /// How many bits an array may have in all, to be expanded. A write copies every element,
    /// so an array of `n` bits costs about `3n` gates for each access. The default, 2^16, is a
    /// memory of 2048 words of 32 bits: such an access costs as much as a 220-bit
    /// multiplier, which bit-level engines still bear.
    pub max_array_bits: u64,
    /// How many gates the circuit may have before unused ones are dropped. The default, 2^25,
    /// takes about half a gigabyte.
    pub max_gates: usize,
    /// Whether to blast the outputs, too. They are left out in any case if there is neither a
    /// bad nor a justice property: a bit-level system would take them for properties.
    pub outputs: bool,
}

impl Default for BlastOptions {
    fn default() -> BlastOptions {
        BlastOptions { max_array_bits: 1 << 16, max_gates: 1 << 25, outputs: false }
    }
}

impl BlastOptions {
    /// Whether a value of this sort becomes bits.
    pub fn expands(&self, sort: Sort) -> bool {
        arrays::size_of(sort, self, String::new).is_ok()
    }

    /// How many bits all words together may have: those of constants and the like, which need
    /// no gates, included. They are stored with 32-bit positions.
    fn max_wires(&self) -> usize {
        self.max_gates.saturating_mul(2).min(u32::MAX as usize / 2)
    }
}

/// Why a system cannot be blasted.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum BlastError {
    /// An array has too many bits to be expanded.
    #[error(
        "{what} is an array of 2^{index} elements of {element} bits: more than the {limit} bits \
         up to which arrays are expanded (raise the limit with --array-bits)"
    )]
    ArrayTooLarge {
        /// Which array.
        what: String,
        /// Width of its index.
        index: u32,
        /// Width of its elements.
        element: u32,
        /// [`BlastOptions::max_array_bits`].
        limit: u64,
    },
    /// The circuit is too large, or would be if it were not simplified while it is made.
    #[error("building the circuit takes more than {limit} gates")]
    TooManyGates {
        /// [`BlastOptions::max_gates`].
        limit: usize,
    },
    /// The words are too wide and too many.
    #[error("the words of the model have more than {limit} bits together")]
    TooManyBits {
        /// The limit, which follows from [`BlastOptions::max_gates`].
        limit: usize,
    },
    /// Initial values depend on each other in a circle.
    #[error("the initial value of {what} depends on itself")]
    InitCircle {
        /// Which state is on the circle.
        what: String,
        /// Its index.
        state: usize,
    },
    /// An integer, or an array with integers: it has no bits.
    #[error("{what} is an integer or has integers in it, which cannot be turned into bits")]
    Integers {
        /// What it is.
        what: String,
    },
    /// A term speaks of a symbol that is neither an input nor a state.
    #[error("term {} is a symbol without a meaning", term.index())]
    UnboundSymbol {
        /// The symbol.
        term: TermId,
    },
}

/// A bit-level system and its relation to the word-level one that it was made of.
#[derive(Clone, Debug)]
pub struct Blasted {
    /// The bit-level system.
    pub system: BitSystem,
    /// Which bit is whose.
    pub map: BlastMap,
}

/// Turns a word-level system into a bit-level one.
pub fn blast(system: &System, options: &BlastOptions) -> Result<Blasted, BlastError> {
    if let Err(state) = system.init_order() {
        let what = map::state_label(system, state as usize);
        return Err(BlastError::InitCircle { what, state: state as usize });
    }
    let map = BlastMap::layout(system, options)?;
    let mut blaster = Blaster::new(options);
    let leaves: Vec<Lit> =
        (0..map.num_inputs() + map.num_latches()).map(|_| blaster.leaf()).collect();
    let (inputs, latches) = leaves.split_at(map.num_inputs());
    for (index, input) in system.inputs.iter().enumerate() {
        blaster.bind(&system.terms, input.term, &inputs[map.input(index)])?;
    }
    for (index, state) in system.states.iter().enumerate() {
        let lits = match map.state(index) {
            StateBits::Inputs(range) => &inputs[range.clone()],
            StateBits::Latches { latches: range, .. } => &latches[range.clone()],
        };
        blaster.bind(&system.terms, state.term, lits)?;
    }

    let terms = &system.terms;
    let mut bits = BitSystem::new();
    bits.latches = latches_of(system, &map, &mut blaster, inputs, latches)?;
    bits.bads = one_bit(&system.bads, terms, &mut blaster)?;
    bits.constraints = one_bit(&system.constraints, terms, &mut blaster)?;
    bits.fairness = one_bit(&system.fairness, terms, &mut blaster)?;
    for justice in &system.justice {
        let lits: Result<Vec<Lit>, BlastError> =
            justice.terms.iter().map(|&t| blaster.bit(terms, t)).collect();
        bits.justice.push(lits?);
    }
    bits.names = names_of(system, &map);
    if options.outputs && !(system.bads.is_empty() && system.justice.is_empty()) {
        for (index, output) in system.outputs.iter().enumerate() {
            bits.outputs.extend_from_slice(blaster.bits(terms, output.term)?);
            let label = output.name.clone().unwrap_or_else(|| format!("output{index}").into());
            bits.names.outputs.extend(map::bit_names(&label, terms.sort(output.term)));
        }
    }
    bits.inputs = inputs.iter().map(|l| l.var()).collect();
    bits.comments = system.comments.clone();
    bits.aig = blaster.into_aig();
    drop_unused_gates(&mut bits);
    Ok(Blasted { system: bits, map })
}

/// The latches, with their next and reset literals.
fn latches_of(
    system: &System,
    map: &BlastMap,
    blaster: &mut Blaster,
    inputs: &[Lit],
    leaves: &[Lit],
) -> Result<Vec<Latch>, BlastError> {
    let mut latches = Vec::with_capacity(leaves.len());
    for (index, state) in system.states.iter().enumerate() {
        let StateBits::Latches { latches: range, chosen } = map.state(index) else { continue };
        let resets: Vec<Reset> = match state.init {
            None => vec![Reset::Free; range.len()],
            Some(init) => blaster.bits(&system.terms, init)?.iter().map(|&l| reset(l)).collect(),
        };
        let next = match (state.next, chosen) {
            (Some(next), _) => blaster.bits(&system.terms, next)?,
            (None, Some(chosen)) => &inputs[chosen.clone()],
            (None, None) => unreachable!("the layout gives such a state inputs to choose from"),
        };
        let bits = leaves[range.clone()].iter().zip(next).zip(resets);
        latches.extend(bits.map(|((l, &next), reset)| Latch { var: l.var(), next, reset }));
    }
    Ok(latches)
}

fn reset(lit: Lit) -> Reset {
    match lit {
        Lit::FALSE => Reset::Zero,
        Lit::TRUE => Reset::One,
        _ => Reset::Function(lit),
    }
}

fn one_bit(
    list: &[NamedTerm],
    terms: &Terms,
    blaster: &mut Blaster,
) -> Result<Vec<Lit>, BlastError> {
    list.iter().map(|named| blaster.bit(terms, named.term)).collect()
}

/// Symbols of everything but the outputs.
fn names_of(system: &System, map: &BlastMap) -> BitNames {
    let of = |list: &[NamedTerm]| -> Vec<Name> { list.iter().map(|n| n.name.clone()).collect() };
    let (inputs, latches) = map.names(system);
    BitNames {
        inputs,
        latches,
        outputs: Vec::new(),
        bads: of(&system.bads),
        constraints: of(&system.constraints),
        justice: system.justice.iter().map(|j| j.name.clone()).collect(),
        fairness: of(&system.fairness),
    }
}

/// Drops gates on which nothing depends, such as the carry out of an adder. Leaves come first
/// and keep their numbers.
fn drop_unused_gates(bits: &mut BitSystem) {
    let mut roots: Vec<&mut Lit> = Vec::new();
    for latch in &mut bits.latches {
        roots.push(&mut latch.next);
        if let Reset::Function(lit) = &mut latch.reset {
            roots.push(lit);
        }
    }
    let lists = [&mut bits.bads, &mut bits.constraints, &mut bits.fairness, &mut bits.outputs];
    for list in lists.into_iter().chain(&mut bits.justice) {
        roots.extend(list.iter_mut());
    }
    let used = bits.aig.cone(roots.iter().map(|l| **l));
    let mut kept = Aig::new();
    let mut renamed = vec![Lit::FALSE; bits.aig.len()];
    let of = |renamed: &[Lit], l: Lit| renamed[l.var().index()] ^ l.is_negated();
    for var in bits.aig.vars() {
        renamed[var.index()] = match bits.aig.node(var) {
            Node::Const => Var::CONST.lit(),
            Node::Leaf => kept.push_leaf().lit(),
            Node::And(a, b) if used[var.index()] => kept.push_and(of(&renamed, a), of(&renamed, b)),
            Node::And(..) => Lit::FALSE,
        };
    }
    for root in roots {
        *root = of(&renamed, *root);
    }
    bits.aig = kept;
}
