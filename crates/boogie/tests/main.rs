//! All integration tests of this crate: one program, since each one more is linked anew.

mod common;
mod damage;
mod errors;
mod meaning;
mod models;
mod print;
