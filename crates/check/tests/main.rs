//! All integration tests of this crate: one program, since each one more is linked anew.

mod arrays;
mod live;
mod many;
