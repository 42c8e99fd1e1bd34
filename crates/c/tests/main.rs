//! All integration tests of this crate: one program, since each one more is linked anew.

mod bad;
mod common;
mod corners;
mod details;
mod errors;
mod express;
mod operators;
mod order;
mod run;
mod syntax;
