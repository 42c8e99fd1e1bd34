//! All integration tests of this crate: one program, since each one more is linked anew.

mod arrays;
mod certificates;
mod common;
mod enumeration;
mod live;
mod program;
mod program_integers;
mod summaries;
mod traces;
mod words;
