//! The tasks of `pedra.toml`: which files are checked, and with which options.
//!
//! A key of a task is an option of `pedra check`, so that there is one table of options: what the
//! command line takes, the file takes, with the same values. Only `files`, `engines` and `expect`
//! are its own.
//!
//! - [`read`]: the file, with a place for each mistake.
//! - [`plan`]: the calls that come of it.
//! - [`call`]: one call of `pedra check`.
//! - [`keep`]: verdicts that a later run need not find again.
//! - [`outcome`]: what came of all.

pub mod call;
pub mod keep;
pub mod outcome;
pub mod plan;
pub mod read;

use clap::Args;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// The name of the file.
pub const FILE: &str = "pedra.toml";

/// `pedra run`.
#[derive(Args, Debug, Clone, Default)]
pub struct TasksArgs {
    /// Only these tasks
    pub task: Vec<String>,
    /// Show the tasks and do nothing
    #[arg(long)]
    pub list: bool,
    /// Decide everything anew, also what an earlier run has decided
    #[arg(long)]
    pub fresh: bool,
    /// Write the verdicts of all tasks here as JUnit XML
    #[arg(long, value_name = "FILE")]
    pub junit: Option<PathBuf>,
    /// Write what is violated or unknown here as SARIF 2.1.0
    #[arg(long, value_name = "FILE")]
    pub sarif: Option<PathBuf>,
    /// One JSON object per line (schema: docs/JSON.md)
    #[arg(long)]
    pub json: bool,
    /// Options of `pedra check` for all tasks, which win over those of the file
    #[arg(last = true, value_name = "OPTIONS")]
    pub options: Vec<OsString>,
}

/// An option of `pedra check`, and its values.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Setting {
    /// What the command line knows it by: its identity there.
    pub id: String,
    /// As it is typed.
    pub words: Vec<OsString>,
}

/// The verdict that all properties of a task should have.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Expect {
    /// All hold.
    Proved,
    /// None does.
    Violated,
}

/// A task.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Task {
    /// Its name.
    pub name: String,
    /// What is checked.
    pub files: Vec<PathBuf>,
    /// Engines that are tried one after the other; none for the one of the settings.
    pub engines: Vec<String>,
    /// What properties should be; proved, if nothing is said.
    pub expect: Expect,
    /// All else.
    pub settings: Vec<Setting>,
}

impl Task {
    /// What one call of `pedra check` is about: each model and program alone, but all files of a
    /// design in Verilog together.
    pub fn inputs(&self) -> Vec<Vec<PathBuf>> {
        let is_verilog = |path: &&PathBuf| {
            let ending = path.extension().unwrap_or_default().to_string_lossy();
            matches!(ending.to_ascii_lowercase().as_str(), "v" | "sv")
        };
        let (design, models): (Vec<&PathBuf>, Vec<&PathBuf>) =
            self.files.iter().partition(is_verilog);
        let design = design.into_iter().cloned().collect::<Vec<PathBuf>>();
        let models = models.into_iter().map(|model| vec![model.clone()]);
        let design = (!design.is_empty()).then_some(design);
        design.into_iter().chain(models).collect()
    }
}

/// How files are named together: `a.sv b.v`.
pub fn title(files: &[PathBuf]) -> String {
    let names = files.iter().map(|path| path.display().to_string());
    names.collect::<Vec<String>>().join(" ")
}

/// Whether there are tasks in a folder.
pub fn are_in(folder: &Path) -> bool {
    folder.join(FILE).is_file()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_design_is_checked_as_one() {
        let files = ["a.btor2", "b.sv", "c.aig", "d.V"].map(PathBuf::from).to_vec();
        let (engines, settings) = (Vec::new(), Vec::new());
        let task = Task { name: String::new(), files, engines, expect: Expect::Proved, settings };
        let titles: Vec<String> = task.inputs().iter().map(|files| title(files)).collect();
        assert_eq!(titles, ["b.sv d.V", "a.btor2", "c.aig"]);
    }
}
