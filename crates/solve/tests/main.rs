//! All integration tests of this crate: one program, since each one more is linked anew.

mod battery;
mod cdcl;
mod cdcl_mix;
mod cdcl_proof;
mod encoder;
mod interpolate;
mod lia;
mod terms;
