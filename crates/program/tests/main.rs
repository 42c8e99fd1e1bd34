//! All integration tests of this crate: one program, since each one more is linked anew.

mod integers;
mod random;
mod size;
