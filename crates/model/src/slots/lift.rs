//! Proofs on their way back from systems with slots.

use super::Slotted;
use crate::proof::WordProof;
use crate::simplify::Rewriter;
use crate::system::System;

impl Slotted {
    /// A proof about the system with slots as one about the system that it was made of: contents
    /// and values of reads become reads, and what was guessed goes into the proof.
    pub fn lift_proof(&self, original: &System, proof: WordProof) -> WordProof {
        let mut terms = proof.system.terms;
        let mut rewriter = Rewriter::plain();
        for read in &self.reads {
            let at = rewriter.rewrite(&mut terms, read.at);
            let image = terms.read(read.array, at);
            rewriter.replace(read.symbol, image);
        }
        let invariant = proof.invariant.iter().map(|&t| rewriter.rewrite(&mut terms, t)).collect();
        WordProof {
            properties: proof.properties,
            system: original.with_terms(terms),
            invariant,
            k: proof.k,
            simple_path: proof.simple_path,
            prophecy: self.prophecy.clone(),
        }
    }
}
