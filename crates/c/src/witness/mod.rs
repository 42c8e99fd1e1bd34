//! Witnesses of software verification in their exchange format 2.0 (YAML): for a violation a
//! sequence of waypoints on its way, for a proof the invariants of loops.
//!
//! - `make`: witnesses of our own proofs and runs.
//! - `write`, `read`: the format. [`yaml`] reads the part of YAML that witnesses use.
//! - [`mod@observe`]: a program with the places of a witness marked in its text, for checking it.
//!
//! What the format leaves open is decided as follows. A `follow` waypoint is passed the first time
//! that its place is reached after the waypoint before it, and its constraint must hold then. An
//! `avoid` waypoint must not be passed as long as its segment is the current one.

mod branches;
mod effects;
mod make;
pub mod observe;
mod places;
mod read;
mod unmarked;
mod visits;
mod write;
pub mod yaml;

pub use make::{place_of, target, violation};
pub use read::read;
pub use write::write;

use crate::types::DataModel;

/// A place in a source file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Place {
    /// The file, as the witness names it.
    pub file: String,
    /// The line, from 1.
    pub line: u32,
    /// The column, from 1, if it is given.
    pub column: Option<u32>,
    /// The function, if it is given.
    pub function: Option<String>,
}

/// What a waypoint asks.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Constraint {
    /// A C expression holds right before the statement at the place.
    Assumption(String),
    /// The branch at the place is taken: `true`, `false`, or a value of a `switch`.
    Branching(String),
    /// A function is entered by the call that ends at the place.
    FunctionEnter,
    /// The call that ends at the place returns, with a condition on `\result`.
    FunctionReturn(String),
    /// The property is violated at the place.
    Target,
}

/// A waypoint.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Waypoint {
    /// What it asks.
    pub constraint: Constraint,
    /// It must not be passed, rather than passed next.
    pub is_avoided: bool,
    /// Where.
    pub place: Place,
}

/// An invariant.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Invariant {
    /// It holds at the head of the loop at the place, rather than before the statement there.
    pub is_loop: bool,
    /// Where.
    pub place: Place,
    /// The C expression.
    pub value: String,
}

/// What a witness says.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Content {
    /// Segments: waypoints to avoid, and a last one to follow.
    Violation(Vec<Vec<Waypoint>>),
    /// Invariants.
    Correctness(Vec<Invariant>),
}

/// What a witness says about itself.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Metadata {
    /// `2.0`
    pub format_version: String,
    /// A random number in the form of RFC 4122.
    pub uuid: String,
    /// When it was written, in the form of ISO 8601.
    pub creation_time: String,
    /// Who wrote it: name and version.
    pub producer: (String, String),
    /// The files of the program, with their SHA-256.
    pub input_files: Vec<(String, String)>,
    /// The property.
    pub specification: String,
    /// The sizes of types.
    pub data_model: DataModel,
}

/// A witness.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Witness {
    /// About itself.
    pub metadata: Metadata,
    /// What it says.
    pub content: Content,
}

impl Witness {
    /// A place in a file that is neither the program `own`, nor one that the witness is about, nor
    /// one that a line marker in the text of the program names.
    pub fn foreign_place(&self, own: &str, text: &[u8]) -> Option<&Place> {
        let base = |file: &'_ str| file.rsplit('/').next().unwrap_or_default().to_owned();
        let places: Vec<&Place> = match &self.content {
            Content::Violation(segments) => {
                segments.iter().flatten().map(|waypoint| &waypoint.place).collect()
            }
            Content::Correctness(invariants) => {
                invariants.iter().map(|invariant| &invariant.place).collect()
            }
        };
        places.into_iter().find(|place| {
            let name = base(&place.file);
            let is_listed = self.metadata.input_files.iter().any(|(file, _)| base(file) == name);
            let names = |line: &[u8]| {
                line.first() == Some(&b'#')
                    && line.windows(name.len() + 1).any(|part| {
                        part.strip_suffix(b"\"").is_some_and(|part| part == name.as_bytes())
                    })
            };
            let is_known = name.is_empty() || name == base(own) || is_listed;
            !is_known && !text.split(|&byte| byte == b'\n').any(names)
        })
    }
}
