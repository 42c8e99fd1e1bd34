//! The command line of Pedra, as a library: what was typed ([`args`], [`options`]), what it
//! means ([`commands`]), how properties are decided ([`decide`], [`pipeline`]) and how answers are
//! told ([`report`], [`view`], [`record`]).

pub mod args;
pub mod commands;
pub mod decide;
pub mod evidence;
pub mod limits;
pub mod load;
pub mod memory;
pub mod options;
pub mod output;
pub mod pipeline;
pub mod record;
pub mod report;
pub mod view;
