//! What people look at: waveforms and the live status line.

pub mod signals;
pub mod status;
pub mod wave;
