//! BTOR2, the word-level format of hardware model checking.
//!
//! The format is that of Niemetz, Preiner, Wolf and Biere, "BTOR2, BtorMC and Boolector 3.0"
//! (CAV 2018): one node a line, each with a number of its own, arguments before their uses.
//! [`read()`] makes a [`System`] of it, [`write()`] prints one, and [`same_model`] says whether
//! two systems are the same up to numbering. Witnesses are in [`witness`].
//!
//! Where files in the wild and the paper differ, this is what we do:
//! - numbers of nodes must increase from line to line, gaps are fine;
//! - a negative argument is the bitwise complement of a bit-vector node, so reading `-7` gives
//!   the same term as a `not` of node 7, and the writer prints it as one;
//! - an array state may be initialised by an element, which then stands everywhere;
//! - what follows the arguments up to white space is the symbol, and `;` starts a comment;
//! - arrays of arrays are not supported.

mod line;
mod read;
mod same;
pub mod witness;
mod write;

pub use read::{read, read_with_ids};
pub use same::same_model;
pub use write::{WriteError, write};

use pedra_model::system::System;

/// Where a part of the system stands in its file.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Node {
    /// The number of its node, by which certificates refer to it.
    pub id: u64,
    /// Its line, counted from 1.
    pub line: usize,
}

/// The nodes of the parts that witnesses, certificates and messages refer to, in the order of
/// the system's own lists.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Nodes {
    /// Of the inputs.
    pub inputs: Vec<Node>,
    /// Of the states.
    pub states: Vec<Node>,
    /// Of the bads.
    pub bads: Vec<Node>,
}

/// A system with the places of its parts in the file.
#[derive(Clone, Debug)]
pub struct Btor2 {
    /// The system.
    pub system: System,
    /// Where its inputs, states and bads stand.
    pub nodes: Nodes,
}
