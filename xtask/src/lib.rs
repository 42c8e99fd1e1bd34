//! The project's chores: style, the one test command, and long fuzz runs. `cargo xtask help`
//! lists them.

pub mod browser;
pub mod ci;
pub mod dist;
pub mod gcc;
pub mod growth;
pub mod harness;
pub mod interrupts;
pub mod python;
pub mod readers;
pub mod roundtrip;
pub mod tidy;
pub mod tools;
