//! Random choices of tests, and how many of them a test makes.

pub use pedra_model::random::Random;

/// How often a randomised test runs: `PEDRA_FUZZ_RUNS` times, or `default`.
///
/// # Panics
/// If the variable is set to something that is no number: a long run that silently is a short one
/// would be worse.
pub fn runs(default: u64) -> u64 {
    match std::env::var("PEDRA_FUZZ_RUNS") {
        Ok(text) => text.parse().unwrap_or_else(|_| panic!("PEDRA_FUZZ_RUNS={text} is no number")),
        Err(_) => default,
    }
}
