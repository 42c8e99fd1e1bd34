//! Liveness: whether an infinite path can fulfil a justice set, and every fairness literal with
//! it, again and again.
//!
//! Each method makes a *monitored system* of the model and the set, a system with further latches
//! and with bads, and asks a question about safety. docs/design/liveness.md has all formulas and
//! arguments.
//!
//! - [`base`]: the model, reduced and swept for a set.
//! - [`monitored`]: the systems, and the way back for answers about them. Liveness to safety needs
//!   nothing else: any engine can decide its system.
//! - [`klive`]: k-liveness, inside PDR.
//! - [`stable`]: latches that change in one direction only.
//! - [`rlive`]: depth first over the steps that complete a round.

pub mod base;
pub mod klive;
pub mod monitored;
pub mod rlive;
pub mod stable;

pub use base::Base;
pub use klive::{KLive, KLiveOptions};
pub use monitored::{Method, Monitored};
pub use rlive::RLive;
pub use stable::find_stable;
