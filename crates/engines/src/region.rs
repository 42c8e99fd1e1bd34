//! Sets of states of a word-level system or a program, as plain data.
//!
//! Engines on words and programs use this form to report which states a lemma excludes and which an
//! obligation is about. Drawing and recording a run need nothing else.

/// The states where all atoms hold.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Region {
    /// The atoms.
    pub atoms: Vec<RegionAtom>,
    /// For people, with the names of the states.
    pub text: String,
    /// Of a program, the location: a position in its blocks' cut points.
    pub location: Option<usize>,
}

/// `factor · x`, where `x` is the value of a state.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Product {
    /// The state: an index into the system's states, or the program's variables.
    pub state: usize,
    /// Whether its value is taken as signed.
    pub signed: bool,
    /// The factor; not zero.
    pub factor: i128,
}

/// A predicate over states. Sums are exact integers: nothing wraps.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum RegionAtom {
    /// The sum is at most the bound.
    AtMost {
        /// The sum.
        sum: Vec<Product>,
        /// The bound.
        bound: i128,
    },
    /// The sum has this remainder modulo 2^`log`, or has it not.
    Remainder {
        /// The sum.
        sum: Vec<Product>,
        /// The logarithm of the modulus.
        log: u32,
        /// The remainder.
        remainder: i128,
        /// Whether it has it.
        holds: bool,
    },
    /// A bit of a state has this value.
    Bit {
        /// The state: an index into the system's states.
        state: usize,
        /// The bit; 0 is the least significant.
        bit: u32,
        /// Its value.
        value: bool,
    },
    /// Something else, for people.
    Other(String),
}

impl RegionAtom {
    /// The states that it is about; nothing for [`RegionAtom::Other`].
    pub fn states(&self) -> Vec<usize> {
        match self {
            RegionAtom::AtMost { sum, .. } | RegionAtom::Remainder { sum, .. } => {
                sum.iter().map(|product| product.state).collect()
            }
            RegionAtom::Bit { state, .. } => vec![*state],
            RegionAtom::Other(_) => Vec::new(),
        }
    }
}
