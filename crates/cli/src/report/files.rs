//! Report files for servers that build and test: JUnit XML and SARIF.
//!
//! A server believes the file, so the file must not say more than is known. It is written twice:
//! when the run starts, as a report that the run has not ended, and when the run ends. So a process
//! that is killed leaves a report that fails, and so does one that ends in an error.

use super::{PropertyReport, SourcePlace, Stated, Verdict, is_cover, junit, sarif};
use crate::args::CheckArgs;
use crate::evidence::refuse_unwritable;
use crate::load::InputError;
use crate::output::{is_stdout, is_stream, same_file, write_file};
use crate::paths::{Output, may_be, refuse_input, twice};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// What the first version of a report says.
const NOT_ENDED: &str = "the run has not ended, or was killed";

/// What there is to report of a run on a model.
pub struct Summary<'a> {
    /// What the report calls it.
    pub title: &'a str,
    /// The file that it is about.
    pub model: &'a str,
    /// Whether assertions should be violated rather than proved.
    pub expects_violation: bool,
    /// What is known of properties.
    pub told: Told<'a>,
    /// Why the run as a whole failed, if it did. Not a verdict.
    pub failure: Option<&'a str>,
    /// The exit code.
    pub code: i32,
    /// How long the run took.
    pub time: Duration,
}

/// What is known of properties.
#[derive(Copy, Clone)]
pub struct Told<'a> {
    /// The verdicts, in the order in which they were given.
    pub done: &'a [PropertyReport],
    /// Where properties stand in the source.
    pub places: &'a BTreeMap<usize, SourcePlace>,
    /// How they are stated in a design, by index.
    pub stated: &'a [Stated],
}

impl Summary<'_> {
    /// How a property is stated.
    pub fn stated(&self, report: &PropertyReport) -> Option<&Stated> {
        self.told.stated.get(report.index)
    }

    /// Whether a property should be violated rather than proved: a cover should be reached.
    pub fn should_be_violated(&self, report: &PropertyReport) -> bool {
        self.expects_violation || is_cover(self.stated(report))
    }

    /// How many verdicts are of a kind.
    pub fn count(&self, is_meant: fn(&Verdict) -> bool) -> usize {
        self.told.done.iter().filter(|report| is_meant(&report.verdict)).count()
    }

    /// The verdicts in the order of the properties.
    pub fn in_order(&self) -> Vec<&PropertyReport> {
        let mut reports: Vec<&PropertyReport> = self.told.done.iter().collect();
        reports.sort_by_key(|report| report.index);
        reports
    }
}

/// The name of a property in reports: `b2 full`, `j0`.
pub fn title(report: &PropertyReport) -> String {
    match &report.name {
        Some(name) => format!("{} {name}", report.id),
        None => report.id.to_string(),
    }
}

/// The report files of a run.
#[derive(Clone, Debug, Default)]
pub struct ReportFiles {
    model: String,
    junit: Option<PathBuf>,
    sarif: Option<PathBuf>,
}

impl ReportFiles {
    /// Those that `pedra check` is asked for, each saying that the run has not ended.
    ///
    /// # Errors
    /// If one cannot be written, or would overwrite something else.
    pub fn start(args: &CheckArgs) -> Result<ReportFiles, InputError> {
        let (inputs, outputs) = (args.inputs(), args.outputs());
        ReportFiles::begin(&inputs, args.junit.as_deref(), args.sarif.as_deref(), &outputs)
    }

    /// The same for files that are read, the first of which is the model, and others that are
    /// written.
    ///
    /// # Errors
    /// If one cannot be written, or would overwrite something else.
    pub fn begin(
        inputs: &[PathBuf],
        junit: Option<&Path>,
        sarif: Option<&Path>,
        outputs: &[Output],
    ) -> Result<ReportFiles, InputError> {
        for (option, path) in [("--junit", junit), ("--sarif", sarif)] {
            let Some(path) = path else { continue };
            if is_stdout(path) {
                let text = "a report needs a file; standard output has the verdicts";
                return Err(InputError(format!("{option} {}: {text}", path.display())));
            }
            refuse_input(path, false, inputs)?;
            if outputs.iter().any(|other| may_be(other, path)) {
                return Err(twice(path));
            }
            refuse_unwritable(path)?;
        }
        if let (Some(junit), Some(sarif)) = (junit, sarif)
            && same_file(junit, sarif)
        {
            return Err(twice(sarif));
        }
        let files = ReportFiles {
            model: inputs.first().map_or(String::new(), |model| model.display().to_string()),
            junit: junit.map(Path::to_owned),
            sarif: sarif.map(Path::to_owned),
        };
        let nothing = Told { done: &[], places: &BTreeMap::new(), stated: &[] };
        // A device or pipe takes one report only.
        let stays = |path: &Option<PathBuf>| path.clone().filter(|path| !is_stream(path));
        let (junit, sarif) = (stays(&files.junit), stays(&files.sarif));
        let pending = ReportFiles { junit, sarif, ..files.clone() };
        let pending = pending.write_one(&nothing, Some(NOT_ENDED), 3, Duration::ZERO);
        pending.map_err(InputError)?;
        Ok(files)
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.junit.is_none() && self.sarif.is_none()
    }

    /// Writes them, about a run on one model.
    ///
    /// # Errors
    /// What the system says.
    pub fn write_one(
        &self,
        told: &Told<'_>,
        failure: Option<&str>,
        code: i32,
        time: Duration,
    ) -> Result<(), String> {
        let (title, model, told) = (&self.model, &self.model, *told);
        let expects_violation = false;
        self.write(&[Summary { title, model, expects_violation, told, failure, code, time }])
    }

    /// Writes them, about runs on several models.
    ///
    /// # Errors
    /// What the system says.
    pub fn write(&self, summaries: &[Summary<'_>]) -> Result<(), String> {
        let write = |path: &Path, text: String| {
            write_file(path, text.as_bytes()).map_err(|error| format!("{error:#}"))
        };
        if let Some(path) = &self.junit {
            write(path, junit::document(summaries))?;
        }
        if let Some(path) = &self.sarif {
            write(path, sarif::document(summaries))?;
        }
        Ok(())
    }
}
