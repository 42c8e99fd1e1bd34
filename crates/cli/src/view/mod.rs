//! What people look at: waveforms, the live status line, the summary of a run.

pub mod signals;
pub mod status;
pub mod summary;
pub mod wave;
