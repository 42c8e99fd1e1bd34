//! All integration tests of this crate: one program, since each one more is linked anew.

mod blast_ops;
mod blast_system;
mod bv;
mod integers;
mod interval;
mod reduce;
mod simplify;
mod simulate;
