//! The command line of Pedra, as a library: what was typed ([`args`], [`options`]), what it means
//! ([`commands`]), and how answers are told ([`report`], [`view`], [`record`], [`playback`]). How
//! they come about is in the crate `pedra-check`.

pub mod args;
pub mod c_source;
pub mod commands;
pub mod correctness;
pub mod evidence;
pub mod judge;
pub mod limits;
pub mod live;
pub mod load;
pub mod memory;
pub mod options;
pub mod output;
pub mod paths;
pub mod playback;
pub mod program_evidence;
pub mod question;
pub mod record;
pub mod report;
pub mod tasks;
pub mod verilog;
pub mod view;
pub mod waypoints;
pub mod witness;
