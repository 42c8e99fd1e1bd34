//! From a model to checked answers: the library behind the program `pedra`.
//!
//! Engines decide the properties of a model, and every answer is translated back to the model as
//! read from the file and checked there. The result is proved or violated, with checked evidence,
//! or unknown, with the reason.
//!
//! - [`decide()`]: decides properties and passes each answer to an [`Observer`] as soon as it is
//!   known; [`decide_all`] collects them.
//! - [`plan`]: which engines run, and with what ([`Plan`]).
//! - [`pipeline`]: prepares the model for the engines ([`Prepared`]).
//! - [`live`]: prepares justice sets.
//! - [`answer`]: the checks ([`Checked`]).
//! - [`program`]: the same for programs ([`decide_program`]).
//! - [`program_answer`]: the checks of answers about programs ([`ProgramChecked`]).
//! - [`elsewhere`], [`program_elsewhere`]: answers of other processes, which are checked here.
//! - [`vacuity`]: whether a proof is vacuous.
//!
//! ```
//! use pedra_check::{Answer, Plan, decide_all};
//! use pedra_model::Model;
//! use pedra_solve::Interrupt;
//!
//! // A counter that wraps after 9, and two properties: it never shows 12, it never shows 7.
//! let text = "
//!     1 sort bitvec 4
//!     2 sort bitvec 1
//!     3 zero 1
//!     4 state 1 count
//!     5 init 1 4 3
//!     6 constd 1 9
//!     7 eq 2 4 6
//!     8 inc 1 4
//!     9 ite 1 7 3 8
//!     10 next 1 4 9
//!     11 constd 1 12
//!     12 eq 2 4 11
//!     13 bad 12 shows_12
//!     14 constd 1 7
//!     15 eq 2 4 14
//!     16 bad 15 shows_7
//! ";
//! let model = Model::Words(pedra_formats::btor2::read(text.as_bytes())?);
//! let answers = decide_all(&model, &[0, 1], &Plan::default(), &Interrupt::new())?;
//! assert!(matches!(&answers[0], Answer::Proved { .. }));
//! let Answer::Violated(trace) = &answers[1] else { panic!("it counts up to 9") };
//! assert_eq!(trace.depth(), 7);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod answer;
mod arrays;
mod bound;
pub mod collect;
pub mod decide;
pub mod elsewhere;
pub mod lineup;
pub mod live;
pub mod open;
pub mod pipeline;
pub mod plan;
pub mod program;
pub mod program_answer;
pub mod program_elsewhere;
mod recursion;
mod straight;
pub mod vacuity;
mod watched;

pub use answer::{Checked, NotChecked, check_answer, join_proofs};
pub use collect::{Answer, decide_all};
pub use decide::{InternalError, Observer, decide};
pub use elsewhere::{Claim, Claimant, Elsewhere, News, claims, decide_elsewhere};
pub use live::Liveness;
pub use open::{Open, ProgramOpen, SafeUpTo};
pub use pedra_certify::Trust;
pub use pipeline::{Prepared, Stage};
pub use plan::{Budgets, EngineName, Plan};
pub use program::{ProgramObserver, decide_program};
pub use program_answer::{Graphs, ProgramChecked, ProofGraph};
pub use program_elsewhere::{
    ProgramAnswer, ProgramClaimant, decide_program_elsewhere, program_claims,
};
