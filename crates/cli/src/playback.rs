//! The page of a run: the record that it is made of, and what is added from the model.

use crate::args::CheckArgs;
use crate::load::{InputError, Loaded};
use crate::output::{open_stream, write_file};
use crate::record::{First, Recorder};
use crate::view::signals;
use crate::witness::{self, judge};
use anyhow::{Context, Result};
use pedra_explain::{Digest, Extras, RecordError, TraceView, Why, page};
use pedra_formats::sha256::sha256;
use pedra_formats::vcd::{SignalKind, Waves};
use pedra_model::Model;
use pedra_model::trace::Trace;
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Read, Write};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// What a page is about.
#[derive(Copy, Clone)]
pub enum Subject<'a> {
    /// A model.
    Model(&'a Loaded),
    /// A program, by its source.
    Program(&'a [u8]),
}

impl Subject<'_> {
    fn content(&self) -> &[u8] {
        match self {
            Subject::Model(loaded) => &loaded.bytes,
            Subject::Program(bytes) => bytes,
        }
    }
}

/// Where a page stands in the life of its run.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Live {
    /// The run is over, in this process.
    Over,
    /// It was over before: the record is a file from outside.
    Before,
    /// It goes on, and the page asks for itself again after this time.
    Running(Duration),
}

/// A page that will be made of a record.
#[derive(Debug)]
pub struct Page {
    path: PathBuf,
    /// The record. It has no name any more, so that nothing is left behind.
    record: File,
}

/// Starts the record of a run, for the file and the page that were asked for.
///
/// # Errors
/// If a file cannot be written.
pub fn start(
    args: &CheckArgs,
    first: &First<'_>,
) -> Result<(Option<Recorder>, Option<Page>), InputError> {
    let fail = |path: &Path, error: io::Error| {
        InputError(format!("{}: cannot be written: {error}", path.display()))
    };
    let mut out: Vec<Box<dyn Write + Send>> = Vec::new();
    if let Some(path) = &args.record {
        out.push(open_stream(path).map_err(|error| fail(path, error))?);
    }
    let mut page = None;
    if let Some(path) = &args.report {
        let record = nameless_file(path).map_err(|error| fail(path, error))?;
        out.push(Box::new(record.try_clone().map_err(|error| fail(path, error))?));
        page = Some(Page { path: path.clone(), record });
    }
    let named = args.record.as_ref().or(args.report.as_ref());
    Ok((named.map(|path| Recorder::new(out, path, first)), page))
}

/// A file beside another one that goes away with this process. Where the page is no file, it is
/// among the temporary ones.
fn nameless_file(path: &Path) -> io::Result<File> {
    let folder = path.parent().filter(|folder| folder.is_dir() && !folder.starts_with("/dev"));
    let folder = match (folder, path.parent()) {
        (Some(folder), _) => folder.to_owned(),
        (None, Some(empty)) if empty.as_os_str().is_empty() => PathBuf::from("."),
        _ => std::env::temp_dir(),
    };
    let name = folder.join(format!(".pedra-{}.record", std::process::id()));
    let file = fs::OpenOptions::new().read(true).write(true).create_new(true).open(&name)?;
    fs::remove_file(&name)?;
    Ok(file)
}

impl Page {
    /// Writes the page.
    ///
    /// # Errors
    /// If the record cannot be read, or the page cannot be written.
    pub fn write(&self, subject: Subject<'_>, pictures: Vec<(String, String)>) -> Result<()> {
        let content = make(&self.record, subject, pictures, Live::Over)
            .with_context(|| format!("{}: no page", self.path.display()))?;
        write_file(&self.path, content.as_bytes())
    }

    /// The record, to be read beside the run.
    ///
    /// # Errors
    /// What the system says to it.
    pub fn record(&self) -> io::Result<File> {
        self.record.try_clone()
    }

    /// Where it goes.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

/// The page of a record.
///
/// # Errors
/// If the record is none of this model.
pub fn make(
    record: &File,
    subject: Subject<'_>,
    pictures: Vec<(String, String)>,
    live: Live,
) -> Result<String> {
    let digest = Digest::read(from_start(record))?;
    if digest.first.hash != sha256(subject.content()) {
        return Err(RecordError::OtherModel(digest.first.model.clone()).into());
    }
    let shown = traces(&digest, subject)?;
    let traces = shown
        .iter()
        .map(|trace| {
            let (property, waves, why) = (trace.0, &trace.1, trace.2.as_ref());
            TraceView { property, waves, why }
        })
        .collect();
    let source = match subject {
        Subject::Program(bytes) => Some(String::from_utf8_lossy(bytes)),
        Subject::Model(_) => None,
    };
    let is_from_file = live == Live::Before;
    let refresh = match live {
        Live::Running(after) => Some(after.as_secs().max(1)),
        _ => None,
    };
    let extras = Extras { traces, source: source.as_deref(), pictures, is_from_file, refresh };
    Ok(page(&digest, from_start(record), &extras)?)
}

/// The record from its start. The run may write to it meanwhile, at a position that is its own
/// business, so that is not moved.
fn from_start(file: &File) -> impl BufRead + '_ {
    BufReader::with_capacity(1 << 20, At { file, position: 0 })
}

struct At<'a> {
    file: &'a File,
    position: u64,
}

impl Read for At<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.file.read_at(buffer, self.position)?;
        self.position += count as u64;
        Ok(count)
    }
}

/// The violations of a record, replayed on the model.
fn traces<'a>(
    digest: &Digest,
    subject: Subject<'a>,
) -> Result<Vec<(usize, Waves, Option<Why<'a>>)>, InputError> {
    let Subject::Model(loaded) = subject else { return Ok(Vec::new()) };
    let witnesses = digest.traces.iter().filter_map(|line| line["witness"].as_str());
    // A lasso that closes on a part of the state has none.
    let witnesses = witnesses.filter(|witness| !witness.is_empty());
    let path = Path::new("the witness in the record");
    witnesses.map(|witness| replayed(loaded, path, witness.as_bytes())).collect()
}

/// A witness as waves, with reasons for its values. The path is for messages.
///
/// # Errors
/// If it is no violation of the model.
pub fn replayed<'a>(
    loaded: &'a Loaded,
    path: &Path,
    witness: &[u8],
) -> Result<(usize, Waves, Option<Why<'a>>), InputError> {
    let wrong = |e: String| InputError(format!("{}: {e}", path.display()));
    let is_end = |waves: &Waves| -> Vec<bool> {
        let ends = [SignalKind::Input, SignalKind::State, SignalKind::Wire];
        waves.signals.iter().map(|signal| ends.contains(&signal.kind)).collect()
    };
    let mut trace = witness::read(loaded, path, witness)?.swap_remove(0);
    judge(&loaded.model, &mut trace).map_err(|e| wrong(e.to_string()))?;
    let property = Some(trace.property());
    let (waves, why) = match (&loaded.model, &trace) {
        (Model::Bits(system), Trace::Bits(trace)) => {
            let waves = signals::of_bits(system, trace, property).map_err(wrong)?;
            let roots = signals::roots_of_bits(system, property);
            let why = Why::of_bits(system, trace, roots, &is_end(&waves));
            (waves, why)
        }
        (Model::Words(system), Trace::Words(trace)) => {
            let waves = signals::of_words(system, trace, property).map_err(wrong)?;
            let roots = signals::roots_of_words(system, property);
            let why = Why::of_words(system, trace, roots, &is_end(&waves));
            (waves, why)
        }
        _ => unreachable!("it was read for this model"),
    };
    Ok((trace.property(), waves, why))
}
