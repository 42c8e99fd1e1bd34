//! Comparisons: many models or programs, several contenders, one table. `pedra bench` is its
//! command.
//!
//! Ours are engines with options; others are model checkers found on the path. All run as
//! processes of their own under the same limits and are measured in the same way, see
//! [`run_as_helper`]. What only the program itself can do, it does as the [`Host`].

mod contender;
mod convert;
mod error;
mod growth;
mod measure;
mod models;
mod plot;
mod run;
mod table;

pub use error::{Error, Result};
pub use measure::run_as_helper;
pub use models::Expected;

use contender::Contender;
use models::Model;
use run::{Field, RunLimits, Table, run_all};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicUsize;
use std::time::Duration;

/// What to compare.
#[derive(Clone, Debug)]
pub struct Request {
    /// A folder of models, or a table of them.
    pub models: PathBuf,
    /// Only the models of these sets; none stands for all.
    pub sets: Vec<String>,
    /// Only the models of these tiers; none stands for all.
    pub tiers: Vec<String>,
    /// Only the models of these categories; none stands for all.
    pub categories: Vec<String>,
    /// Only the models with this known verdict.
    pub expected: Option<Expected>,
    /// Our contenders: engines with options of `check`, or `none`.
    pub engines: Vec<String>,
    /// Further options of `check` for all of ours.
    pub options: Vec<String>,
    /// Other model checkers by name, `auto` or `none`.
    pub peers: Vec<String>,
    /// Another build of Pedra to compare with.
    pub before: Option<PathBuf>,
    /// CPU time for each run.
    pub cpu: Duration,
    /// Memory for each run, in bytes.
    pub memory: u64,
    /// How many runs go on side by side.
    pub jobs: usize,
    /// The table that results are added to.
    pub out: Option<PathBuf>,
    /// How the names of plots start.
    pub plots: Option<PathBuf>,
}

/// The program that a comparison is part of.
pub trait Host: Sync {
    /// Whether the program takes these words behind its name.
    ///
    /// # Errors
    /// What is wrong with them, in one line.
    fn check_command(&self, words: &[OsString]) -> Result<(), String>;

    /// Reads a model.
    ///
    /// # Errors
    /// What is wrong with the file.
    fn load(&self, path: &Path) -> Result<pedra_model::Model, String>;

    /// Prints a line beside the results.
    fn note(&self, line: &str);

    /// Replaces the live status on the terminal, or takes it away.
    fn draw_status(&self, line: Option<&str>);
}

/// A comparison that can be made.
pub struct Bench<'a> {
    request: &'a Request,
    host: &'a dyn Host,
    contenders: Vec<Contender>,
    models: Vec<Model>,
}

/// What came of a comparison.
pub struct Outcome {
    /// The table and the lists below it.
    pub text: String,
    /// Each plot with its file.
    pub plots: Vec<(PathBuf, String)>,
    /// How many runs were not made, since a signal came.
    pub missing: usize,
    /// Whether some answer is wrong, or two differ.
    pub has_conflict: bool,
}

impl<'a> Bench<'a> {
    /// Looks for the contenders and the models.
    ///
    /// # Errors
    /// What is asked for in vain.
    pub fn new(request: &'a Request, host: &'a dyn Host) -> Result<Bench<'a>> {
        let models = models::find(request)?;
        let contenders = contender::choose(request, &models, host)?;
        Ok(Bench { request, host, contenders, models })
    }

    /// The files that plots will go to: the cactus plot, a scatter plot for each contender but the
    /// first, and the plot of growth if there is something to draw.
    pub fn plot_paths(&self) -> Vec<PathBuf> {
        let Some(prefix) = &self.request.plots else { return Vec::new() };
        let mut paths = plot::paths(prefix, &self.contenders);
        paths.extend(growth::path(prefix, &self.models));
        paths
    }

    /// Makes all runs, until a signal comes.
    ///
    /// # Errors
    /// What is wrong with the table on disk, or what the system refuses.
    pub fn run(&self, signal: &AtomicUsize) -> Result<Outcome> {
        // The system limits CPU time in whole seconds.
        let cpu = self.request.cpu.as_secs_f64().ceil().max(1.0) as u64;
        let field = Field {
            models: &self.models,
            contenders: &self.contenders,
            limits: RunLimits { cpu, memory: self.request.memory },
        };
        let so_far = Table::open(self.request.out.as_deref(), &field)?;
        let rows = run_all(&field, self.request.jobs, so_far, signal, self.host)?;
        let summary = table::Summary::of(&field, &rows);
        let draw = |number: usize| match number {
            0 => plot::cactus(&field, &summary),
            other if other < self.contenders.len() => plot::scatter(&field, &summary, other),
            _ => growth::growth(&field, &summary),
        };
        let paths = self.plot_paths().into_iter().enumerate();
        Ok(Outcome {
            text: summary.text(),
            plots: paths.map(|(number, path)| (path, draw(number))).collect(),
            missing: self.models.len() * self.contenders.len() - rows.len(),
            has_conflict: summary.has_conflict(),
        })
    }
}
