//! All integration tests of this crate: one program, since each one more is linked anew.

mod bench;
mod cli;
mod contrib;
mod docs;
mod explain;
mod files;
mod horn_evidence;
mod memory;
mod models;
mod odd_models;
mod plot;
mod program_evidence;
mod programs;
mod record;
mod reports;
mod sby;
mod signals;
mod tasks;
mod verilog;
mod witnesses;
mod word_models;
