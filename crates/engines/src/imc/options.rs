//! The choices of interpolation-based model checking.

use crate::choices::{Choice, Class, named};
use pedra_solve::interpolate::System;

/// Which algorithm.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, Default)]
pub enum Algorithm {
    /// Interpolation sequences: one interpolant a step.
    #[default]
    Sequence,
    /// McMillan's: the image of the first step, over and over.
    Image,
}

/// The choices of [`Imc`](super::Imc).
#[derive(Copy, Clone, Debug, PartialEq, Eq, Default)]
pub struct ImcOptions {
    /// Which algorithm.
    pub algorithm: Algorithm,
    /// The rules of interpolation.
    pub system: System,
}

/// All choices by name, in the order in which they are listed.
pub static CHOICES: &[Choice<ImcOptions>] = &[
    named!(
        "algorithm",
        Class::Paper,
        algorithm,
        ["sequence" => Algorithm::Sequence, "image" => Algorithm::Image],
        "one interpolant a step, or McMillan's, which approximates the image of the first step"
    ),
    named!(
        "system",
        Class::Paper,
        system,
        ["mcmillan" => System::McMillan, "pudlak" => System::Pudlak],
        "the rules of interpolation"
    ),
];
