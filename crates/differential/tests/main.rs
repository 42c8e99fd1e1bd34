//! All integration tests of this crate: one program, since each one more is linked anew.

mod corpus;
mod differential;
mod fb;
mod live;
mod trust;
