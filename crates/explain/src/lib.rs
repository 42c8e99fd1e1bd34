//! Pages that play back a run: from its record to one file that any browser opens.
//!
//! - [`record`]: reading the record, line by line, and what is wrong with files that are none.
//! - [`digest`]: the first reading, which counts everything; `tower` has the frames of one engine,
//!   `signals` which signals claims speak of, `even` even selections.
//! - `choose`: what fits on a page; `claims`: the second reading, which takes what was chosen.
//! - [`why`]: which values of a trace a value depends on.
//! - [`waves`]: waveforms as data; `data`: all data of a page; `page`: the file.
//!
//! Nothing here knows an engine or a solver. The design is in `docs/design/explain.md`.

mod choose;
mod claims;
mod data;
pub mod digest;
mod even;
mod page;
pub mod record;
mod signals;
mod tower;
pub mod waves;
pub mod why;

pub use digest::Digest;
pub use record::RecordError;
pub use waves::TraceView;
pub use why::{At, Why};

use serde_json::{Value, json};
use std::io::BufRead;

/// What a page shows beside the record.
#[derive(Default)]
pub struct Extras<'a> {
    /// Violations of a model.
    pub traces: Vec<TraceView<'a>>,
    /// The text of a program.
    pub source: Option<&'a str>,
    /// Captions and pictures (SVG).
    pub pictures: Vec<(String, String)>,
    /// Whether the page is made from a file that was there before, so that its verdicts are those
    /// of the file.
    pub is_from_file: bool,
    /// The run is still going on: the page asks for itself again after this many seconds.
    pub refresh: Option<u64>,
}

/// Pictures beyond this many characters are left out.
const PICTURE_BYTES: usize = 1_000_000;

/// Source text beyond this many characters is left out.
const SOURCE_BYTES: usize = 300_000;

/// The page of a run. `again` is the same record as the digest was made of.
///
/// # Errors
/// If the record cannot be read again.
pub fn page(
    digest: &Digest,
    again: impl BufRead,
    extras: &Extras<'_>,
) -> Result<String, RecordError> {
    let mut data = data::data(digest, again)?;
    data["run"]["fromFile"] = extras.is_from_file.into();
    data["run"]["refresh"] = extras.refresh.into();
    let budget = waves::TRACE_BYTES / extras.traces.len().max(1);
    let traces: Vec<Value> = extras.traces.iter().map(|trace| trace.data(budget)).collect();
    data.insert("traces".to_owned(), traces.into());
    if let Some(source) = extras.source {
        let program = json!({
            "source": source.chars().take(SOURCE_BYTES).collect::<String>(),
            "isCut": source.chars().count() > SOURCE_BYTES,
            "graphs": digest.programs,
            "runs": digest.traces,
        });
        data.insert("program".to_owned(), program);
    }
    let mut left = PICTURE_BYTES;
    let pictures = extras.pictures.iter().take_while(|(_, picture)| {
        let fits = picture.len() <= left;
        left = left.saturating_sub(picture.len());
        fits
    });
    let pictures: Vec<Value> = pictures.map(|(caption, svg)| json!([caption, svg])).collect();
    data.insert("pictures".to_owned(), json!({ "list": pictures, "all": extras.pictures.len() }));
    Ok(page::page(&Value::Object(data), extras.refresh))
}
