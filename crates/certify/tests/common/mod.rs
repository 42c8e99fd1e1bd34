//! What the check of a proof says, by name, to compare with enumeration.

use pedra_certify::{Claim, ProofError};

/// The name of the claim that a check found to be false.
pub fn found_claim(checked: Result<(), ProofError>) -> &'static str {
    match checked {
        Ok(()) => "accepted",
        Err(ProofError::Refuted { claim, .. }) => match claim {
            Claim::Initiation { .. } => "initiation",
            Claim::Consecution { .. } => "consecution",
            Claim::Base { .. } => "base",
            Claim::Step { .. } => "step",
            Claim::Closed => "closed",
        },
        Err(error) => panic!("no verdict: {error}"),
    }
}
