//! Messages, and what may be in them.
//!
//! Every message is a JSON object with `wire` and `pedra`: the version of this format and of the
//! program that wrote it. A message of another version is refused, and the refusal names both. A
//! claim has its evidence on the next line, or in the store if it does not fit.
//!
//! Nothing is allocated for what is too large: the server limits messages, and [`MAX_OBJECT`] what
//! is read from its store.

use pedra_check::{Open, ProgramOpen};
use pedra_engines::Reason;
use serde::de::{DeserializeOwned, Error as _};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The version of the format. Names on the server have it, too.
pub const WIRE: u32 = 3;

/// The version of the program.
pub const PEDRA: &str = env!("CARGO_PKG_VERSION");

/// The most bytes of a message that we read: the server's own limit is 1 MiB unless it is changed.
pub const MAX_MESSAGE: usize = 8 << 20;

/// Evidence of up to this many bytes goes into the message. Below the 1 MiB of a server as it
/// comes.
pub const MAX_INLINE: usize = 768 << 10;

/// The most bytes of a model, and of evidence in the store.
pub const MAX_OBJECT: usize = 256 << 20;

/// The most properties of a task, and the most options of a recipe.
pub const MAX_LIST: usize = 1 << 16;

/// Which version wrote a message.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Stamp {
    /// The format.
    pub wire: u32,
    /// The program.
    pub pedra: String,
}

impl Stamp {
    /// This program's.
    pub fn ours() -> Stamp {
        Stamp { wire: WIRE, pedra: PEDRA.to_owned() }
    }

    /// As text, of bounded length and without control characters.
    fn text(&self) -> String {
        let pedra: String = self.pedra.chars().filter(|c| c.is_ascii_graphic()).take(20).collect();
        format!("pedra {pedra} (wire {})", self.wire)
    }
}

/// Why a message is not taken.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum WireError {
    /// It is of another version.
    #[error("a message of {theirs}, but this is {ours}")]
    Version {
        /// Of the message.
        theirs: String,
        /// Of this program.
        ours: String,
    },
    /// It makes no sense.
    #[error("an invalid message: {0}")]
    Malformed(String),
    /// It is too large.
    #[error("{0} bytes are more than are read")]
    TooLarge(usize),
}

/// A message with its version.
#[derive(Serialize, Deserialize)]
struct Stamped<T> {
    wire: u32,
    pedra: String,
    body: T,
}

/// Writes a message.
pub fn encode<T: Serialize>(body: &T) -> Vec<u8> {
    let Stamp { wire, pedra } = Stamp::ours();
    let stamped = Stamped { wire, pedra, body };
    serde_json::to_vec(&stamped).expect("plain data becomes JSON")
}

/// Reads a message.
///
/// # Errors
/// If it is too large, of another version, or makes no sense.
pub fn decode<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, WireError> {
    if bytes.len() > MAX_MESSAGE {
        return Err(WireError::TooLarge(bytes.len()));
    }
    let malformed = |error: serde_json::Error| WireError::Malformed(error.to_string());
    let stamp: Stamp = serde_json::from_slice(bytes).map_err(malformed)?;
    if stamp != Stamp::ours() {
        let (theirs, ours) = (stamp.text(), Stamp::ours().text());
        return Err(WireError::Version { theirs, ours });
    }
    let stamped: Stamped<T> = serde_json::from_slice(bytes).map_err(malformed)?;
    Ok(stamped.body)
}

/// How engines are to run: options of `pedra check`, as they are typed.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Recipe {
    /// `--engine`.
    pub engine: String,
    /// `--liveness`.
    pub liveness: String,
    /// `--depth`.
    pub depth: Option<usize>,
    /// `-o`, each.
    pub options: Vec<String>,
    /// `--reduce`, each.
    pub reduce: Vec<String>,
    /// `--solver`.
    pub solver: Option<String>,
    /// `--array-bits`.
    pub array_bits: u64,
    /// `--threads`.
    pub threads: u16,
    /// `--seed`.
    pub seed: u64,
}

/// How a program is to be read: what the front end is told, as it is typed. The text is the object
/// of the task; of C it is what the preprocessor made.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Reading {
    /// `c`, `boogie` or `horn`.
    pub language: String,
    /// `--data-model`.
    pub data_model: Option<String>,
    /// `--function`.
    pub function: Option<String>,
    /// Whether runs go on after a call of an error function, and only its first one counts.
    pub errors_return: bool,
    /// Which kinds of undefined behaviour are properties.
    pub checks: Vec<String>,
    /// The number of the graph that should come of it.
    pub fingerprint: String,
}

/// A piece of work.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Task {
    /// The run of the asker.
    pub job: String,
    /// Its number there.
    pub id: u64,
    /// The SHA-256 of the model.
    pub model: String,
    /// How the model is read, if it is a program.
    #[serde(default)]
    pub program: Option<Reading>,
    /// Which properties.
    pub properties: Vec<usize>,
    /// How.
    pub recipe: Recipe,
    /// Time, in milliseconds.
    pub limit_ms: Option<u64>,
    /// Memory, in bytes.
    pub memory: Option<u64>,
    /// Whether workers on the model share lemmas.
    #[serde(default)]
    pub exchange: bool,
}

impl Task {
    /// Whether it can be worked on at all.
    pub fn is_sane(&self) -> bool {
        let is_hash = self.model.len() == 64 && self.model.bytes().all(|b| b.is_ascii_hexdigit());
        is_hash
            && is_job(&self.job)
            && (1..=MAX_LIST).contains(&self.properties.len())
            && self.recipe.options.len() <= MAX_LIST
            && self.program.as_ref().is_none_or(|program| program.checks.len() <= MAX_LIST)
    }
}

/// Whether a text can be the name of a job: it becomes part of names on the server.
pub fn is_job(text: &str) -> bool {
    (1..=64).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_alphanumeric())
}

/// Enough of a task of any version to answer it.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
pub struct Address {
    /// The job.
    pub job: String,
    /// The task.
    pub id: u64,
}

impl Address {
    /// The address in a message of another version, if it is where ours have it.
    pub fn of(bytes: &[u8]) -> Option<Address> {
        #[derive(Deserialize)]
        struct Any {
            body: Address,
        }
        let any: Any = serde_json::from_slice(bytes).ok().filter(|_| bytes.len() <= MAX_MESSAGE)?;
        is_job(&any.body.job).then_some(any.body)
    }
}

/// Lemmas and runs of a worker, for others that work on the same system.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Lemmas {
    /// Which worker.
    pub worker: String,
    /// The system, by its fingerprint.
    pub system: u64,
    /// Each with the highest level where it holds, and the literals of the excluded cube: the
    /// number of the variable, negative if it is negated.
    pub lemmas: Vec<(Option<u32>, Vec<i32>)>,
    /// Runs: the numbers of the latches that are true at first, and for each step those of the
    /// inputs that are.
    #[serde(default)]
    pub runs: Vec<(Vec<u32>, Vec<Vec<u32>>)>,
}

/// What a worker sends.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Report {
    /// The task.
    pub task: u64,
    /// Which worker.
    pub worker: String,
    /// What.
    pub what: What,
}

/// What a report says.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum What {
    /// Properties are settled. The evidence is on the next line, or an object of this name.
    Claim {
        /// By this engine.
        engine: String,
        /// The name of the object, if it is one.
        stored: Option<String>,
    },
    /// The task is done; what stayed open.
    Done {
        /// One for each such property.
        left: Vec<Left>,
        /// The CPU time that it took, in milliseconds.
        cpu_ms: u64,
    },
    /// There was no work on it, for this reason.
    NotDone(NotDone),
}

/// Why there was no work on a task.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum NotDone {
    /// The asker seemed to be gone.
    NoLease,
    /// The model is not in the store.
    NoModel,
    /// The worker cannot do it: another version, a recipe or a model that it does not understand.
    Refused(String),
    /// Several workers have died on it, or were lost with it.
    GivenUp,
}

/// A property that stayed open.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Left {
    /// Which.
    pub property: usize,
    /// Why.
    pub why: Why,
    /// The last step up to which the engines say that it is safe.
    pub safe: Option<usize>,
}

/// Why a property stayed open. There is no free text in it: it may be printed.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Why {
    /// The time was over, or it was stopped.
    Stopped,
    /// The memory was used up.
    Memory,
    /// The depth was reached.
    Depth,
    /// The work was done.
    Budget,
    /// No path is longer, but there is no proof.
    Exhausted(usize),
    /// The engine cannot do it.
    Unsupported,
    /// The model cannot be made into bits.
    NotBits,
    /// The program has no graph that engines can work on.
    NotLowered,
    /// An undefined run reaches it; the worker says that no defined one does.
    Undefined,
    /// Recursion was followed to some depth.
    Recursion,
    /// The answer cannot be checked.
    NotCheckable,
    /// The evidence cannot be sent.
    NotSent,
    /// Workers were lost with it, or nothing that they said was accepted.
    Lost,
}

impl Why {
    /// For the wire.
    pub fn of(open: &Open) -> Why {
        match open {
            Open::Engines(Reason::DepthLimit) => Why::Depth,
            Open::Engines(Reason::Budget) => Why::Budget,
            Open::Engines(Reason::Exhausted(step)) => Why::Exhausted(*step),
            Open::Engines(Reason::Unsupported(_)) => Why::Unsupported,
            Open::NotBits(_) => Why::NotBits,
            Open::Undefined(_) => Why::Undefined,
            Open::NotCheckable(_) => Why::NotCheckable,
            Open::Bounded => Why::Recursion,
            _ => Why::Stopped,
        }
    }

    /// The same for a property of a program.
    pub fn of_program(open: &ProgramOpen) -> Why {
        match open {
            ProgramOpen::System(open) => Why::of(open),
            // That an undefined run was found is told by a claim.
            ProgramOpen::Defined { why, .. } => Why::of_program(why),
            ProgramOpen::NotLowered(_) => Why::NotLowered,
            ProgramOpen::Recursion { is_stopped: true, .. } => Why::Stopped,
            ProgramOpen::Recursion { is_limited: true, .. } => Why::Depth,
            ProgramOpen::Recursion { .. } => Why::Recursion,
        }
    }

    /// As the asker tells it.
    pub fn open(self) -> Open {
        let unsupported = |text| Open::Engines(Reason::Unsupported(text));
        match self {
            Why::Stopped => unsupported("time limit of a worker reached"),
            Why::Memory => unsupported("memory limit of a worker reached"),
            Why::Depth => Open::Engines(Reason::DepthLimit),
            Why::Budget => Open::Engines(Reason::Budget),
            // The step is what a worker says.
            Why::Exhausted(_) => unsupported("no path is longer, but there is no proof to show"),
            Why::Unsupported => unsupported("the engines do not support the model"),
            Why::NotBits => Open::NotBits("the model cannot be translated to bits".to_owned()),
            Why::NotLowered => unsupported("a worker says that the program is too large"),
            Why::Undefined => unsupported("a worker says that no defined run reaches it"),
            Why::Recursion => unsupported("no proof; recursion was followed to some depth only"),
            Why::NotCheckable => unsupported("settled, but the answer cannot be checked"),
            Why::NotSent => unsupported("settled, but the evidence is too large to be sent"),
            Why::Lost => unsupported("no answer of a worker was accepted"),
        }
    }
}

/// That an asker is there, and what it has settled.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Lease {
    /// The machine.
    pub host: String,
    /// The model's name.
    pub model: String,
    /// How many properties were asked for.
    pub properties: usize,
    /// Those that need no more work.
    pub settled: Marks,
}

/// Properties by number, one bit each. As a list, those of a model with very many properties would
/// not fit into a message.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Marks(Vec<u8>);

impl Marks {
    /// Marks a property.
    pub fn insert(&mut self, property: usize) {
        let (byte, bit) = (property / 8, property % 8);
        if self.0.len() <= byte {
            self.0.resize(byte + 1, 0);
        }
        self.0[byte] |= 1 << bit;
    }

    /// Whether a property is marked.
    pub fn contains(&self, property: usize) -> bool {
        self.0.get(property / 8).is_some_and(|byte| byte >> (property % 8) & 1 == 1)
    }

    /// Those that are, in order.
    pub fn iter(&self) -> impl Iterator<Item = usize> {
        (0..8 * self.0.len()).filter(|&property| self.contains(property))
    }
}

/// As hexadecimal digits, two for eight properties.
impl Serialize for Marks {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let digits: String = self.0.iter().map(|byte| format!("{byte:02x}")).collect();
        serializer.serialize_str(&digits)
    }
}

impl<'de> Deserialize<'de> for Marks {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Marks, D::Error> {
        let digits = String::deserialize(deserializer)?;
        let pair = |pair: &[u8]| {
            let text = std::str::from_utf8(pair)
                .ok()
                .filter(|text| text.len() == 2 && !text.starts_with('+'))?;
            u8::from_str_radix(text, 16).ok()
        };
        let bytes: Option<Vec<u8>> = digits.as_bytes().chunks(2).map(pair).collect();
        bytes.map(Marks).ok_or_else(|| D::Error::custom("these are no marks"))
    }
}

/// What a worker tells of itself.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Presence {
    /// The version of the program.
    pub pedra: String,
    /// The machine.
    pub host: String,
    /// The process.
    pub process: u32,
    /// Seconds since it was started.
    pub up_s: u64,
    /// Tasks that it has done.
    pub done: u64,
    /// Tasks that it has done in the last minute.
    pub done_last_minute: u64,
    /// Answers that it has sent.
    pub claims: u64,
    /// Milliseconds of CPU time that tasks took.
    pub cpu_ms: u64,
    /// The job of the task that it works on, its number, engine and number of properties.
    pub task: Option<(String, u64, String, usize)>,
    /// Seconds since that task was started.
    pub task_s: u64,
    /// Lemmas that it has sent to other workers.
    #[serde(default)]
    pub lemmas_sent: u64,
    /// Lemmas that it has received, for systems that it was working on.
    #[serde(default)]
    pub lemmas_received: u64,
    /// Runs that it has sent to other workers.
    #[serde(default)]
    pub runs_sent: u64,
    /// Runs that it has received, for systems that it was working on.
    #[serde(default)]
    pub runs_received: u64,
}

#[cfg(test)]
#[path = "wire_tests.rs"]
mod tests;
