//! AIGER 1.9, ascii (`aag`) and binary (`aig`).
//!
//! [`read`] takes either; the header says which. The system that comes back keeps the file's
//! gates as they are, numbered inputs first, then latches, then gates, which for a binary file
//! is the file's own numbering. Ascii files may number as they like and may list gates in any
//! order; they are sorted, and keep their order where that is possible.
//!
//! Beyond the standard, a latch may reset to any literal, as certificates of the hardware
//! model checking competition need it: its value in the first step is then that of the literal.
//!
//! | file | holds |
//! |---|---|
//! | `cursor` | the place in the bytes: numbers, lines, errors |
//! | `read` | header and sections, the same in both encodings, and the coded gates |
//! | `ascii` | free numbering and order to ours |
//! | `symbols` | names and comments |
//! | `write` | both encodings |
//! | `same` | whether two systems are the same up to numbering |

mod ascii;
mod cursor;
mod read;
mod same;
mod symbols;
mod write;

pub use read::read;
pub use same::same_model;
pub use write::{write_ascii, write_binary};
