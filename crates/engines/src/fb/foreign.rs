//! Obligations of the other direction, as a search sees them (fbPDR's exchange of obligations).
//!
//! A forward obligation is a set of states that lead to a violation, a reverse one a set of
//! reachable states. For the other direction they enlarge the start set: one of its own obligations
//! that meets one completes a counterexample ([`Foreign::meeting`]), and a lemma that excludes a
//! part of one can never be part of an invariant. Lemmas are therefore not widened so far
//! ([`Foreign::meets`], [`Foreign::separate`]), and lemmas that are already so wide are not pushed.
//! Except for the counterexample, all of this is heuristic.
//!
//! Two cubes meet if and only if no literal of one is negated in the other.

use crate::pdr::StateBits;
use pedra_model::lit::Lit;

/// An obligation that is known to both directions.
#[derive(Clone, Debug)]
pub struct Published {
    /// Its number in the direction that raised it.
    pub number: usize,
    /// The states: literals of state variables. Variable `i + 1` is latch `i`; one more, if
    /// there is one, is true in the first step only.
    pub cube: Box<[Lit]>,
    /// The number of steps to the violation, or from the initial states.
    pub depth: usize,
    /// The property that is violated, if known.
    pub property: Option<usize>,
}

/// Obligations of the other direction.
#[derive(Default)]
pub(super) struct Foreign {
    all: Vec<(Published, StateBits)>,
}

impl Foreign {
    /// These replace all that were known.
    pub(super) fn set(&mut self, all: Vec<Published>, num_vars: usize) {
        let bits = |p: &Published| StateBits::new(num_vars, p.cube.iter().copied());
        self.all = all
            .into_iter()
            .map(|p| {
                let bits = bits(&p);
                (p, bits)
            })
            .collect();
    }

    /// All of them.
    pub(super) fn all(&self) -> Vec<Published> {
        self.all.iter().map(|(published, _)| published.clone()).collect()
    }

    fn meet(bits: &StateBits, cube: &[Lit]) -> bool {
        !cube.iter().any(|&lit| bits.has(!lit))
    }

    /// One that meets the cube and whose property satisfies `is_open`.
    pub(super) fn meeting(
        &self,
        cube: &[Lit],
        is_open: impl Fn(Option<usize>) -> bool,
    ) -> Option<&Published> {
        let meets =
            |(p, bits): &&(Published, StateBits)| Foreign::meet(bits, cube) && is_open(p.property);
        self.all.iter().find(meets).map(|(p, _)| p)
    }

    /// Whether one has a state in common with the cube.
    pub(super) fn meets(&self, cube: &[Lit]) -> bool {
        self.all.iter().any(|(_, bits)| Foreign::meet(bits, cube))
    }

    /// Adds literals of a cube to a part of it until that meets no more than the cube does. Both
    /// are sorted.
    pub(super) fn separate(&self, part: &mut Vec<Lit>, cube: &[Lit]) {
        if part.len() == cube.len() {
            return;
        }
        for (_, bits) in &self.all {
            if Foreign::meet(bits, part)
                && let Some(&lit) = cube.iter().find(|&&lit| bits.has(!lit))
            {
                let place = part.partition_point(|&other| other < lit);
                part.insert(place, lit);
            }
        }
    }
}
