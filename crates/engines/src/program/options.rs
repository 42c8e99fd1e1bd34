//! The options of lifted PDR.

/// The options of lifted PDR.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct ProgramOptions {
    /// Conflicts of a query that generalises or pushes.
    pub effort: u64,
    /// Whether invariants are proposed from the program and from samples.
    pub candidates: bool,
}

impl Default for ProgramOptions {
    fn default() -> ProgramOptions {
        ProgramOptions { effort: 2_000, candidates: true }
    }
}
