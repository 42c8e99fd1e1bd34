//! Proof obligations: sets of states that lead to a violation and must be shown unreachable.
//!
//! An obligation `⟨s, i⟩` says: every state of `s` reaches a violation by the recorded steps, so
//! `s` must be excluded from `F_i`. They wait in a priority queue, lowest level first (*required*
//! for the levels to close in order; all further ordering is heuristic), and live in an arena with
//! links to their successors, which is where counterexamples are read from.

use super::{Level, StateSet};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// The name of an obligation.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct ObligationId(u32);

/// A set of states that leads to a violation. In the reverse direction of PDR, one that is
/// reachable: "successor" and "depth" then mean what was before.
#[derive(Clone, Debug)]
pub(crate) struct Obligation<V: ?Sized, T, P = ()> {
    /// Where the states are.
    pub(crate) place: P,
    /// The states.
    pub(crate) set: Box<V>,
    /// With it each of these states satisfies the constraints and goes into the successor (or is
    /// bad).
    pub(crate) step: T,
    /// Where they go; `None` if the states themselves are bad.
    pub(crate) successor: Option<ObligationId>,
    /// Which property is violated in the end; `None` if that is not known yet.
    pub(crate) property: Option<usize>,
    /// How many steps are left until then.
    pub(crate) depth: u32,
    /// How often it came up without getting ahead (heuristic).
    pub(crate) activity: f32,
}

/// What the queue sorts by: level; then far from the violation (deep search finds long
/// counterexamples); then small descriptions; then the older one.
type Key = Reverse<(Level, Reverse<u32>, usize, ObligationId)>;

/// All obligations, and those that wait.
#[derive(Clone, Debug)]
pub(crate) struct Obligations<V: ?Sized, T, P = ()> {
    arena: Vec<Obligation<V, T, P>>,
    /// By place in the arena: how many came before, a number that no other ever has.
    numbers: Vec<usize>,
    /// How many there ever were.
    total: usize,
    queue: BinaryHeap<Key>,
    /// The numbers of those that others know of; they are not forgotten. Sorted.
    published: Vec<usize>,
}

impl<V: ?Sized + StateSet, T, P> Obligations<V, T, P> {
    /// None.
    pub(crate) fn new() -> Self {
        Obligations {
            arena: Vec::new(),
            numbers: Vec::new(),
            total: 0,
            queue: BinaryHeap::new(),
            published: Vec::new(),
        }
    }

    /// Adds an obligation and lets it wait for this level.
    pub(crate) fn add(&mut self, obligation: Obligation<V, T, P>, level: Level) -> ObligationId {
        let number = u32::try_from(self.arena.len()).expect("memory ends before");
        let id = ObligationId(number);
        self.arena.push(obligation);
        self.numbers.push(self.total);
        self.total += 1;
        self.wait(id, level);
        id
    }

    /// The number of an obligation, for those who follow a run: it stays when names change.
    pub(crate) fn number(&self, id: ObligationId) -> usize {
        self.numbers[id.0 as usize]
    }

    /// How many there were so far: the number of the next one.
    pub(crate) fn total(&self) -> usize {
        self.total
    }

    /// The obligation with a number, unless it was forgotten.
    pub(crate) fn find(&self, number: usize) -> Option<ObligationId> {
        let place = self.numbers.binary_search(&number).ok()?;
        Some(ObligationId(place as u32))
    }

    /// The deepest obligations, at most `max`, of properties for which `is_open` is true. They are
    /// kept until others are asked for.
    pub(crate) fn publish(
        &mut self,
        max: usize,
        is_open: impl Fn(usize) -> bool,
    ) -> Vec<ObligationId> {
        let ids = self.deepest(max, |id| self.get(id).property.is_none_or(&is_open));
        self.published = ids.iter().map(|&id| self.number(id)).collect();
        self.published.sort_unstable();
        ids
    }

    /// The deepest obligations, at most `max`, of those that are wanted.
    pub(crate) fn deepest(
        &self,
        max: usize,
        is_wanted: impl Fn(ObligationId) -> bool,
    ) -> Vec<ObligationId> {
        let all = (0..self.arena.len()).map(|place| ObligationId(place as u32));
        let mut ids: Vec<ObligationId> = all.filter(|&id| is_wanted(id)).collect();
        // Heuristic: deep ones are half of a long counterexample, small ones meet more.
        ids.sort_by_key(|&id| (Reverse(self.get(id).depth), self.get(id).set.size(), id));
        ids.truncate(max);
        ids
    }

    /// The numbers of those that [`Obligations::publish`] gave last, sorted.
    pub(crate) fn published(&self) -> &[usize] {
        &self.published
    }

    /// Lets an obligation wait for this level.
    pub(crate) fn wait(&mut self, id: ObligationId, level: Level) {
        let Obligation { depth, ref set, .. } = self.arena[id.0 as usize];
        self.queue.push(Reverse((level, Reverse(depth), set.size(), id)));
    }

    /// Takes the first obligation whose level is at most `top`.
    pub(crate) fn pop(&mut self, top: Level) -> Option<(ObligationId, Level)> {
        let &Reverse((level, .., id)) = self.queue.peek()?;
        if level > top {
            return None;
        }
        self.queue.pop();
        Some((id, level))
    }

    /// An obligation.
    pub(crate) fn get(&self, id: ObligationId) -> &Obligation<V, T, P> {
        &self.arena[id.0 as usize]
    }

    /// An obligation and where it leads: the path to the violation.
    pub(crate) fn chain(&self, id: ObligationId) -> impl Iterator<Item = &Obligation<V, T, P>> {
        let successor = |o: &&Obligation<V, T, P>| o.successor.map(|next| self.get(next));
        std::iter::successors(Some(self.get(id)), successor)
    }

    /// Its activity, to be changed.
    pub(crate) fn activity_mut(&mut self, id: ObligationId) -> &mut f32 {
        &mut self.arena[id.0 as usize].activity
    }

    /// The highest activity of an obligation and its next successors: how stubborn this part
    /// of the search is.
    pub(crate) fn heat(&self, id: ObligationId) -> f32 {
        // As far as rIC3 looks.
        const HOPS: usize = 3;
        self.chain(id).take(1 + HOPS).map(|obligation| obligation.activity).fold(0.0, f32::max)
    }

    /// Lets an obligation and those that follow, `length` together, wait no more.
    pub(crate) fn forget_chain(&mut self, id: ObligationId, length: usize) {
        let follow = |id: &ObligationId| self.get(*id).successor;
        let chain: Vec<ObligationId> =
            std::iter::successors(Some(id), follow).take(length).collect();
        self.queue.retain(|Reverse((.., id))| !chain.contains(id));
    }

    /// Lets none wait any more.
    pub(crate) fn forget_waiting(&mut self) {
        self.queue.clear();
    }

    /// How many wait.
    pub(crate) fn waiting(&self) -> usize {
        self.queue.len()
    }

    /// Forgets obligations that neither wait, nor are published, nor follow such a one; and those
    /// that wait for a property for which `is_open` is false. Names change: none that was given
    /// before is valid afterwards.
    pub(crate) fn tidy(&mut self, is_open: impl Fn(usize) -> bool) {
        let waiting = std::mem::take(&mut self.queue).into_vec();
        let waiting: Vec<Key> = waiting
            .into_iter()
            .filter(|Reverse((.., id))| self.get(*id).property.is_none_or(&is_open))
            .collect();
        let mut kept = vec![false; self.arena.len()];
        let published = self.published.iter().filter_map(|&number| self.find(number));
        let published: Vec<ObligationId> = published.collect();
        for &id in waiting.iter().map(|Reverse((.., id))| id).chain(&published) {
            let mut at = Some(id);
            while let Some(id) = at.filter(|id| !kept[id.0 as usize]) {
                kept[id.0 as usize] = true;
                at = self.get(id).successor;
            }
        }
        let mut names = Vec::with_capacity(kept.len());
        let mut count = 0;
        for &keep in &kept {
            names.push(ObligationId(count));
            count += keep as u32;
        }
        let mut place = 0;
        self.arena.retain_mut(|obligation| {
            place += 1;
            obligation.successor = obligation.successor.map(|id| names[id.0 as usize]);
            kept[place - 1]
        });
        let mut keep = kept.iter();
        self.numbers.retain(|_| *keep.next().expect("one for each"));
        let renamed = |Reverse((level, depth, length, id)): Key| {
            Reverse((level, depth, length, names[id.0 as usize]))
        };
        self.queue = waiting.into_iter().map(renamed).collect();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pedra_model::lit::{Lit, Var};

    type Cubes = Obligations<[Lit], ()>;

    fn obligation(
        size: usize,
        property: usize,
        depth: u32,
        successor: Option<ObligationId>,
    ) -> Obligation<[Lit], ()> {
        let set = (1..=size).map(|var| Var::new(var).lit()).collect();
        let property = Some(property);
        Obligation { place: (), set, step: (), successor, property, depth, activity: 0.0 }
    }

    #[test]
    fn the_lowest_level_comes_first_then_the_deepest_then_the_smallest() {
        let mut all = Cubes::new();
        let high = all.add(obligation(1, 0, 9, None), Level::new(2));
        let near = all.add(obligation(1, 0, 1, None), Level::new(1));
        let large = all.add(obligation(3, 0, 2, Some(near)), Level::new(1));
        let small = all.add(obligation(2, 0, 2, Some(near)), Level::new(1));
        for id in [small, large, near] {
            assert_eq!(all.pop(Level::new(1)), Some((id, Level::new(1))));
        }
        assert_eq!(all.pop(Level::new(1)), None);
        assert_eq!(all.pop(Level::new(2)), Some((high, Level::new(2))));
    }

    #[test]
    fn tidying_keeps_successors_of_what_waits() {
        let mut all = Cubes::new();
        let forgotten = all.add(obligation(0, 0, 0, None), Level::new(1));
        let last = all.add(obligation(0, 0, 0, None), Level::new(1));
        assert_eq!(all.pop(Level::new(1)), Some((forgotten, Level::new(1))));
        assert_eq!(all.pop(Level::new(1)), Some((last, Level::new(1))));
        all.add(obligation(0, 1, 5, None), Level::new(1));
        all.add(obligation(0, 0, 1, Some(last)), Level::new(3));
        all.tidy(|property| property == 0);
        assert_eq!((all.arena.len(), all.waiting()), (2, 1));
        let (id, level) = all.pop(Level::new(3)).expect("it waits");
        assert_eq!((level, all.number(id)), (Level::new(3), 3));
        let depths: Vec<u32> = all.chain(id).map(|obligation| obligation.depth).collect();
        assert_eq!(depths, [1, 0]);
    }
}
