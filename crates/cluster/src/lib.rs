//! Workers on other machines, through a NATS server. See `docs/design/cluster.md`.
//!
//! - [`wire`]: messages, with their versions and limits.
//! - [`evidence`], [`program_evidence`]: proofs and traces on the wire.
//! - [`net`]: the connection, and what lies on the server; `objects`: large things there.
//! - [`worker`]: takes tasks, searches, sends claims.
//! - [`schedule`]: which work is given out when.
//! - [`asker`]: gives out work, and hands claims to their check.
//! - [`status`]: who is there.
//!
//! Only [`net`], [`worker`], [`asker`] and [`status`] know of the network; engines run on threads
//! of their own and know nothing of it. Nothing here prints: what users should know goes to a
//! function that the caller gives.

pub mod asker;
pub mod evidence;
pub mod net;
mod objects;
pub mod program_evidence;
pub mod schedule;
pub mod status;
mod terms;
pub mod wire;
pub mod worker;

pub use asker::{About, Asked, Asker};
pub use net::Access;
pub use worker::{Ended, Limits, Subject, Worker};
