//! All integration tests of this crate: one program, since each one more is linked anew.

mod avy;
mod common;
mod exchange;
mod hand_made;
mod huge;
mod many;
mod paths;
mod pdr;
mod random;
mod slots;
mod staged;
mod summaries;
mod word;
