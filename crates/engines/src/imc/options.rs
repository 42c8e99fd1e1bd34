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
        "an interpolant for each step of the unrolling, or a single one, which overapproximates the image of the first step (McMillan)"
    ),
    named!(
        "system",
        Class::Paper,
        system,
        ["mcmillan" => System::McMillan, "pudlak" => System::Pudlak],
        "the rules of interpolation"
    ),
];
