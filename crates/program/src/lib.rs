//! Programs: what C, Boogie and Horn clauses become.
//!
//! A [`Program`] is a control-flow graph over the terms of [`pedra_model::term`]: places, edges
//! with guards and simultaneous updates, procedures with call edges, and one error place for each
//! property. This crate knows no language, no solver and no engine; front ends make programs, and
//! everything else reads them.
//!
//! - [`graph`]: the program graph itself, its meaning, and the check that it is well formed.
//! - [`interpreter`]: the reference semantics; replay of violations and free runs.
//! - [`inline`]: calls replaced by the bodies of the procedures, recursion up to a bound.
//! - [`summaries`]: recursive procedures as parts of a program without calls.
//! - [`recursion`]: which procedures call each other.
//! - [`passes`]: constant propagation, small arrays as scalars, live variables, undefined
//!   behaviour.
//! - [`blocks`]: all loop-free paths between two cut points as one step.
//! - [`flatten`]: programs as word-level transition systems.
//! - [`mod@lower`]: all of these in a row, with the way back for traces and proofs.
//! - [`dot`]: drawings of program graphs.
//!
//! Runs and proofs are plain data of [`pedra_model::program`].

pub mod blocks;
mod cut_points;
pub mod dot;
mod evaluate;
mod fingerprint;
pub mod flatten;
pub mod graph;
mod guards;
pub mod inline;
pub mod interpreter;
pub mod lower;
pub mod passes;
pub mod recursion;
pub mod summaries;

pub use graph::{
    Action, Assumption, Call, Check, CheckKind, Edge, EdgeId, EdgeRef, Input, InputKind, Loop,
    Place, PlaceId, PlaceRef, Procedure, ProcedureId, Program, ProgramError, Property,
    PropertyKind, Span, Step, Variable, VariableId,
};
pub use lower::{LowerError, LowerOptions, Lowered, lower};
pub use pedra_model::program::{ProgramProof, ProgramTrace, TraceStep};
