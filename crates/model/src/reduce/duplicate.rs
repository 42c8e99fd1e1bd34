//! Equal and complementary latches, by partition refinement.
//!
//! All latches start in classes that simulation cannot tell apart (see `guess`). Each class is one
//! variable of a hashed graph in which the next and reset functions of the members are built;
//! members whose functions differ there are split, until none is. Then, in every state in which
//! the members of each class agree, they agree in the next state too, and they agree initially
//! (by induction over the order of the reset functions): the equalities are jointly inductive.
//! This finds more than merging one equal pair after the other, for instance two copies of a
//! counter, where each bit's equality needs that of the other bits.
//!
//! - Each latch has a *phase*, its value in one simulated initial state. Members of a class
//!   agree up to their phases, which covers complementary latches.
//! - A latch with a free reset is alone: two free latches may start different. Constant resets
//!   agree by their phase, functional ones if they are the same literal of the hashed graph.
//! - When a class splits, the largest part keeps the class's variable (Hopcroft's trick), so a
//!   latch changes class at most logarithmically often, and a change is passed on only to what
//!   depends on it. Long shift registers, which split one latch at a time, stay cheap.
//! - Only the final, stable partition is a fact. If the work limit is reached before then,
//!   nothing is merged.

use super::Reduced;
use super::fanout::{Fanouts, Reader};
use super::guess::{Guess, guess_classes};
use super::initial::initial_order;
use super::rebuild::{Substitution, rebuild};
use crate::aig::{AigBuilder, Node};
use crate::bits::{BitSystem, Latch, Reset};
use crate::lit::{Lit, Var};
use rustc_hash::FxHashSet;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// How often the gates concerned may be evaluated on average before the pass gives up, and
/// what is allowed in any case. Tuning only.
const LIMIT_EVALUATIONS_PER_GATE: usize = 4;
const LIMIT_EVALUATIONS_FREE: usize = 1 << 20;

/// Merges latches that are always equal or opposite; nothing if there are none.
pub(super) fn merge_duplicates(system: &BitSystem, hashed: bool) -> Option<Reduced> {
    // Circular reset functions have no meaning to preserve.
    let order = initial_order(system)?;
    merge_from_guess(system, hashed, &order, guess_classes(system, &order))
}

/// Refines a guess, however coarse, to a stable partition, and merges its classes.
pub(super) fn merge_from_guess(
    system: &BitSystem,
    hashed: bool,
    order: &[Var],
    guess: Guess,
) -> Option<Reduced> {
    let mut refinement = Refinement::new(system, guess)?;
    if !refinement.run() {
        return None;
    }
    // The member whose reset comes first represents its class: then a representative's reset
    // function reads only representatives of earlier resets, and no circle can arise.
    let mut rank = vec![0; system.aig.len()];
    order.iter().enumerate().for_each(|(i, var)| rank[var.index()] = i + 1);
    let rank_of = |l: u32| (rank[system.latches[l as usize].var.index()], l);
    let mut substitution = Substitution::none(system);
    for members in &refinement.members {
        let Some(first) = members.iter().copied().min_by_key(|&l| rank_of(l)) else { continue };
        let representative = system.latches[first as usize].var.lit();
        for &l in members.iter().filter(|&&l| l != first) {
            let opposite = refinement.phases[l as usize] != refinement.phases[first as usize];
            substitution.replace(system, l as usize, representative ^ opposite);
        }
    }
    (!substitution.is_empty()).then(|| rebuild(system, substitution, None, hashed))
}

/// What the members of a class have in common: their next and reset functions in the hashed
/// graph, relative to their phases.
type Key = (Lit, Lit);

/// The partition and the functions under it.
struct Refinement<'a> {
    system: &'a BitSystem,
    phases: Vec<bool>,
    /// The hashed graph over inputs and class variables.
    graph: AigBuilder,
    /// For each variable of the system its literal in the graph, under the partition.
    values: Vec<Lit>,
    /// For each class its latches and its key.
    members: Vec<Vec<u32>>,
    keys: Vec<Key>,
    /// For each latch its class and its place there.
    class_of: Vec<u32>,
    place: Vec<u32>,
    fanouts: Fanouts,
    /// Gates to be evaluated again, lowest first, and whether a gate is among them.
    pending: BinaryHeap<Reverse<Var>>,
    is_pending: Vec<bool>,
    /// Latches one of whose functions changed, and whether a latch is among them.
    touched: Vec<u32>,
    is_touched: Vec<bool>,
    evaluations_left: usize,
}

impl<'a> Refinement<'a> {
    /// Starts from a guess; nothing if that has all latches alone.
    fn new(system: &'a BitSystem, guess: Guess) -> Option<Self> {
        let Guess { phases, classes: members } = guess;
        let (mut class_of, mut place) =
            (vec![0; system.latches.len()], vec![0; system.latches.len()]);
        for (class, list) in members.iter().enumerate() {
            for (i, &l) in list.iter().enumerate() {
                (class_of[l as usize], place[l as usize]) = (class as u32, i as u32);
            }
        }
        let together: Vec<u32> =
            members.iter().filter(|m| m.len() > 1).flatten().copied().collect();
        if together.is_empty() {
            return None;
        }
        // Only the functions of latches that are not alone are ever compared.
        let functions = together.iter().flat_map(|&l| {
            let Latch { next, reset, .. } = system.latches[l as usize];
            [Some(next), if let Reset::Function(f) = reset { Some(f) } else { None }]
        });
        let in_cone = system.aig.cone(functions.flatten());
        let is_together = |l: usize| members[class_of[l] as usize].len() > 1;
        let fanouts = Fanouts::new(system, true, |v| in_cone[v.index()], is_together);
        let mut is_touched = vec![false; system.latches.len()];
        together.iter().for_each(|&l| is_touched[l as usize] = true);
        let gates = in_cone.iter().filter(|&&c| c).count();
        let mut refinement = Refinement {
            system,
            phases,
            graph: AigBuilder::new(),
            values: vec![Lit::FALSE; system.aig.len()],
            keys: vec![(Lit::FALSE, Lit::FALSE); members.len()],
            members,
            class_of,
            place,
            fanouts,
            pending: BinaryHeap::new(),
            is_pending: vec![false; system.aig.len()],
            touched: together,
            is_touched,
            evaluations_left: LIMIT_EVALUATIONS_FREE + LIMIT_EVALUATIONS_PER_GATE * gates,
        };
        refinement.evaluate_all(&in_cone);
        Some(refinement)
    }

    /// The graph for the first partition.
    fn evaluate_all(&mut self, in_cone: &[bool]) {
        for input in &self.system.inputs {
            self.values[input.index()] = self.graph.leaf().lit();
        }
        for class in 0..self.members.len() {
            let leaf = self.graph.leaf().lit();
            for &l in &self.members[class] {
                let latch = self.system.latches[l as usize];
                self.values[latch.var.index()] = leaf ^ self.phases[l as usize];
            }
        }
        for (var, a, b) in self.system.aig.gates().filter(|g| in_cone[g.0.index()]) {
            let (a, b) = (self.value_of(a), self.value_of(b));
            self.values[var.index()] = self.graph.and(a, b);
        }
    }

    /// Splits until the partition is stable; returns whether that was reached within the limit.
    fn run(&mut self) -> bool {
        while !self.touched.is_empty() {
            self.split_touched();
            while let Some(Reverse(var)) = self.pending.pop() {
                self.is_pending[var.index()] = false;
                let Node::And(a, b) = self.system.aig.node(var) else { continue };
                if self.evaluations_left == 0 {
                    return false;
                }
                self.evaluations_left -= 1;
                let (a, b) = (self.value_of(a), self.value_of(b));
                let value = self.graph.and(a, b);
                if value != self.values[var.index()] {
                    self.values[var.index()] = value;
                    self.announce(var);
                }
            }
        }
        true
    }

    fn value_of(&self, lit: Lit) -> Lit {
        self.values[lit.var().index()] ^ lit.is_negated()
    }

    fn key_of(&self, latch: u32) -> Key {
        let Latch { next, reset, .. } = self.system.latches[latch as usize];
        let reset = match reset {
            Reset::Zero => Lit::FALSE,
            Reset::One => Lit::TRUE,
            Reset::Function(f) => self.value_of(f),
            Reset::Free => unreachable!("a latch with a free reset is alone in its class"),
        };
        let phase = self.phases[latch as usize];
        (self.value_of(next) ^ phase, reset ^ phase)
    }

    /// Tells the readers of a variable that its value changed.
    fn announce(&mut self, var: Var) {
        for reader in self.fanouts.of(var) {
            match reader {
                Reader::Gate(gate) => {
                    if !std::mem::replace(&mut self.is_pending[gate.index()], true) {
                        self.pending.push(Reverse(gate));
                    }
                }
                Reader::Latch(l) => {
                    if !std::mem::replace(&mut self.is_touched[l], true) {
                        self.touched.push(l as u32);
                    }
                }
            }
        }
    }

    /// Compares the latches that were touched with their classes, and splits these.
    fn split_touched(&mut self) {
        let touched = std::mem::take(&mut self.touched);
        let mut moving: Vec<(u32, Key, u32)> = Vec::with_capacity(touched.len());
        for l in touched {
            self.is_touched[l as usize] = false;
            if self.members[self.class_of[l as usize] as usize].len() > 1 {
                moving.push((self.class_of[l as usize], self.key_of(l), l));
            }
        }
        moving.sort_unstable();
        for of_class in moving.chunk_by(|a, b| a.0 == b.0) {
            self.split_class(of_class);
        }
    }

    /// Splits one class by the new keys of some members, given in the order of their keys. The
    /// others still have the class's key. The largest part stays.
    fn split_class(&mut self, touched: &[(u32, Key, u32)]) {
        let class = touched[0].0 as usize;
        let old_key = self.keys[class];
        let untouched = self.members[class].len() - touched.len();
        let mut parts: Vec<&[(u32, Key, u32)]> = touched.chunk_by(|a, b| a.1 == b.1).collect();
        // The part that has the old key, which some of the touched may have too.
        let with_old = parts.iter().position(|p| p[0].1 == old_key && untouched > 0);
        let returned = with_old.map(|p| parts.swap_remove(p)).unwrap_or_default();
        let old_size = untouched + returned.len();
        let Some(largest) = (0..parts.len()).max_by_key(|&p| (parts[p].len(), Reverse(p))) else {
            return;
        };
        if parts[largest].len() > old_size {
            let staying = parts.swap_remove(largest);
            self.keys[class] = staying[0].1;
            // Those with the old key leave. This looks at the whole class, of which the
            // touched are the larger part.
            if old_size > 0 {
                let changed: FxHashSet<u32> = touched.iter().map(|t| t.2).collect();
                let untouched = self.members[class].iter().filter(|l| !changed.contains(l));
                let old: Vec<u32> =
                    untouched.copied().chain(returned.iter().map(|t| t.2)).collect();
                self.move_to_new_class(old.into_iter(), old_key);
            }
        }
        for part in parts {
            self.move_to_new_class(part.iter().map(|t| t.2), part[0].1);
        }
    }

    /// Makes a class of some members of another one.
    fn move_to_new_class(&mut self, latches: impl Iterator<Item = u32>, key: Key) {
        let class = self.members.len();
        let leaf = self.graph.leaf().lit();
        self.members.push(Vec::new());
        self.keys.push(key);
        for l in latches {
            let index = l as usize;
            let (from, place) = (self.class_of[index] as usize, self.place[index] as usize);
            self.members[from].swap_remove(place);
            if let Some(&swapped) = self.members[from].get(place) {
                self.place[swapped as usize] = place as u32;
            }
            (self.class_of[index], self.place[index]) =
                (class as u32, self.members[class].len() as u32);
            self.members[class].push(l);
            let var = self.system.latches[index].var;
            self.values[var.index()] = leaf ^ self.phases[index];
            self.announce(var);
        }
    }
}
