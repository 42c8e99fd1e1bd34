//! What people look at: waveforms, the live status line, the summary of a run, pictures.

pub mod invariants;
pub mod plot;
pub mod signals;
pub mod status;
pub mod steps;
pub mod summary;
pub mod wave;
pub mod why;
