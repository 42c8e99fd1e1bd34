//! Why properties stay open, and up to which step they are safe.

use pedra_engines::Reason;
use pedra_program::CheckKind;

/// Why a property stays open.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Open {
    /// The engines did not settle it.
    Engines(Reason),
    /// The model cannot be made into bits.
    NotBits(String),
    /// It was settled, but the check of the answer was stopped.
    CheckStopped,
    /// It was settled, but the answer is beyond what can be checked.
    NotCheckable(String),
    /// The violation that was found has undefined behaviour; the operation, in words.
    Undefined(String),
    /// The answer is about recursion up to a bound.
    Bounded,
}

impl Open {
    /// In words. `stopped` says why the run was stopped, if it was.
    pub fn text(&self, stopped: &str) -> String {
        self.text_with(stopped, "pdr")
    }

    /// The same, with an engine that would find a proof.
    fn text_with(&self, stopped: &str, prover: &str) -> String {
        match self {
            Open::Engines(Reason::Interrupted) => stopped.to_owned(),
            Open::Engines(Reason::DepthLimit) => "depth limit reached".to_owned(),
            Open::Engines(Reason::Budget) => "work limit reached".to_owned(),
            Open::Engines(Reason::Exhausted(0)) => {
                format!(
                    "no initial state of the reduced model satisfies the constraints, but this \
                     engine has no proof to show; try {prover}"
                )
            }
            Open::Engines(Reason::Exhausted(step)) => {
                format!(
                    "all paths of the reduced model end or repeat a state before step {step}, but \
                     this engine has no proof to show; try {prover}"
                )
            }
            Open::Engines(Reason::SettledElsewhere) => "left to others".to_owned(),
            Open::Engines(Reason::Unsupported(what)) => (*what).to_owned(),
            Open::NotBits(text) => text.clone(),
            Open::CheckStopped => format!("{stopped} while the answer was checked"),
            Open::NotCheckable(text) => format!("settled, but not checked: {text}"),
            // The program is defined there, but not followed.
            Open::Undefined(text) if text.starts_with(&CheckKind::Limit.to_string()) => {
                format!("only runs with {text} may reach it")
            }
            Open::Undefined(text) => {
                format!("only runs with undefined behaviour reach it: {text}")
            }
            Open::Bounded => "the answer is about bounded recursion only".to_owned(),
        }
    }
}

/// How far an open property is safe.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct SafeUpTo {
    /// The engines say that no path violates it at any step up to this one.
    pub claimed: usize,
    /// Another solver found so, up to this step; `None` if no step was checked.
    pub checked: Option<usize>,
}

/// Why a property of a program stays open.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ProgramOpen {
    /// The engines did not settle it, or the answer could not be checked.
    System(Open),
    /// An undefined run reaches it, and whether a defined one does is open.
    Defined {
        /// The undefined operation, in words.
        undefined: String,
        /// What became of the search for defined runs.
        why: Box<ProgramOpen>,
    },
    /// The program cannot be turned into a system.
    NotLowered(String),
    /// It is recursive, and deeper recursion was not looked at.
    Recursion {
        /// The search for violations came to its end up to this depth; 0 if it never did.
        depth: usize,
        /// How deep it went.
        tried: usize,
        /// The run was stopped.
        is_stopped: bool,
        /// Deeper was not asked for.
        is_limited: bool,
        /// Only undefined runs reach it up to there; the operation, in words.
        undefined: Option<String>,
    },
}

impl ProgramOpen {
    /// In words. `stopped` says why the run was stopped, if it was.
    pub fn text(&self, stopped: &str) -> String {
        match self {
            ProgramOpen::System(open) => open.text_with(stopped, "program"),
            ProgramOpen::Defined { undefined, why } => {
                format!("{}; a run with {undefined} reaches it", why.text(stopped))
            }
            ProgramOpen::NotLowered(text) => text.clone(),
            ProgramOpen::Recursion { depth, tried, is_stopped, is_limited, undefined } => {
                let limit = is_limited.then(|| "depth limit reached".to_owned());
                let stopped = is_stopped.then(|| stopped.to_owned()).or(limit);
                let undefined = undefined.as_ref().map(|u| Open::Undefined(u.clone()).text(""));
                let whole = match depth {
                    0 => ", not completely".to_owned(),
                    _ if depth < tried => format!(", completely to depth {depth}"),
                    _ => String::new(),
                };
                let deeper = format!("no proof; recursion was followed to depth {tried}{whole}");
                let parts = [stopped, undefined, Some(deeper)].into_iter().flatten();
                parts.collect::<Vec<_>>().join("; ")
            }
        }
    }
}
