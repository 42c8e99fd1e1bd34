//! Proof obligations: cubes that lead to a violation and must be shown unreachable.
//!
//! An obligation `⟨c, i⟩` says: every state of `c` reaches a violation with the recorded inputs,
//! so `c` must be excluded from `F_i`. They wait in a priority queue, lowest level first
//! (*required* for the levels to close in order; all further ordering is heuristic), and live in
//! an arena with links to their successors, which is where counterexamples are read from.

use super::frames::Level;
use pedra_model::lit::Lit;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// The name of an obligation.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ObligationId(u32);

/// A cube that leads to a violation.
#[derive(Clone, Debug)]
pub struct Obligation {
    /// The states, sorted literals.
    pub cube: Box<[Lit]>,
    /// The inputs under which each of these states satisfies the constraints and goes into the
    /// successor (or is bad).
    pub inputs: Box<[Lit]>,
    /// Where they go; `None` if the state itself is bad. In the reverse direction, where they
    /// come from; `None` for the initial states.
    pub successor: Option<ObligationId>,
    /// Which property is violated in the end; `None` (reverse) if that is not known yet.
    pub property: Option<usize>,
    /// How many steps are left until then; in the reverse direction, how many there were.
    pub depth: u32,
    /// How often it came up without getting ahead (heuristic).
    pub activity: f32,
}

/// What the queue sorts by: level; then far from the violation (deep search finds long
/// counterexamples); then short cubes; then the older one.
type Key = Reverse<(Level, Reverse<u32>, usize, ObligationId)>;

/// All obligations, and those that wait.
#[derive(Clone, Debug, Default)]
pub struct Obligations {
    arena: Vec<Obligation>,
    /// By place in the arena: how many were raised before, a number that no other ever has.
    numbers: Vec<usize>,
    raised: usize,
    queue: BinaryHeap<Key>,
    /// The numbers of those that others know of; they are not forgotten. Sorted.
    published: Vec<usize>,
}

impl Obligations {
    /// None.
    pub fn new() -> Obligations {
        Obligations::default()
    }

    /// Adds an obligation and lets it wait for this level.
    pub fn raise(&mut self, obligation: Obligation, level: Level) -> ObligationId {
        let number = u32::try_from(self.arena.len()).expect("memory ends before");
        let id = ObligationId(number);
        self.arena.push(obligation);
        self.numbers.push(self.raised);
        self.raised += 1;
        self.wait(id, level);
        id
    }

    /// The number of an obligation, for those who follow a run: it stays when names change.
    pub fn number(&self, id: ObligationId) -> usize {
        self.numbers[id.0 as usize]
    }

    /// The obligation with a number, unless it was forgotten.
    pub fn find(&self, number: usize) -> Option<ObligationId> {
        let place = self.numbers.binary_search(&number).ok()?;
        Some(ObligationId(place as u32))
    }

    /// The deepest obligations, at most so many, of properties for which `is_open` is true. They
    /// are kept until others are asked for.
    pub fn publish(&mut self, max: usize, is_open: impl Fn(usize) -> bool) -> Vec<ObligationId> {
        let all = (0..self.arena.len()).map(|place| ObligationId(place as u32));
        let mut ids: Vec<ObligationId> =
            all.filter(|&id| self.get(id).property.is_none_or(&is_open)).collect();
        // Heuristic: deep ones are half of a long counterexample, short ones meet more.
        ids.sort_by_key(|&id| (Reverse(self.get(id).depth), self.get(id).cube.len(), id));
        ids.truncate(max);
        self.published = ids.iter().map(|&id| self.number(id)).collect();
        self.published.sort_unstable();
        ids
    }

    /// The numbers of those that [`Obligations::publish`] gave last, sorted.
    pub fn published(&self) -> &[usize] {
        &self.published
    }

    /// Lets an obligation wait for this level.
    pub fn wait(&mut self, id: ObligationId, level: Level) {
        let Obligation { depth, ref cube, .. } = self.arena[id.0 as usize];
        self.queue.push(Reverse((level, Reverse(depth), cube.len(), id)));
    }

    /// Takes the first obligation whose level is at most `top`.
    pub fn pop(&mut self, top: Level) -> Option<(ObligationId, Level)> {
        let &Reverse((level, .., id)) = self.queue.peek()?;
        if level > top {
            return None;
        }
        self.queue.pop();
        Some((id, level))
    }

    /// An obligation.
    pub fn get(&self, id: ObligationId) -> &Obligation {
        &self.arena[id.0 as usize]
    }

    /// Its activity, to be changed.
    pub fn activity_mut(&mut self, id: ObligationId) -> &mut f32 {
        &mut self.arena[id.0 as usize].activity
    }

    /// The highest activity of an obligation and its next successors: how stubborn this part
    /// of the search is.
    pub fn heat(&self, id: ObligationId) -> f32 {
        // As far as rIC3 looks.
        const HOPS: usize = 3;
        let chain = std::iter::successors(Some(id), |&id| self.get(id).successor);
        chain.take(1 + HOPS).map(|id| self.get(id).activity).fold(0.0, f32::max)
    }

    /// Lets none wait any more.
    pub fn forget_waiting(&mut self) {
        self.queue.clear();
    }

    /// How many wait.
    pub fn waiting(&self) -> usize {
        self.queue.len()
    }

    /// Forgets obligations that neither wait, nor are published, nor follow such a one; and those
    /// that wait for a property for which `is_open` is false. Names change, so nobody may hold
    /// one.
    pub fn tidy(&mut self, is_open: impl Fn(usize) -> bool) {
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

    fn obligation(property: usize, depth: u32, successor: Option<ObligationId>) -> Obligation {
        let (cube, inputs) = (Box::default(), Box::default());
        Obligation { cube, inputs, successor, property: Some(property), depth, activity: 0.0 }
    }

    #[test]
    fn the_lowest_level_comes_first_and_then_the_deepest() {
        let mut all = Obligations::new();
        let high = all.raise(obligation(0, 9, None), Level::new(2));
        let near = all.raise(obligation(0, 1, None), Level::new(1));
        let far = all.raise(obligation(0, 2, Some(near)), Level::new(1));
        assert_eq!(all.pop(Level::new(1)), Some((far, Level::new(1))));
        assert_eq!(all.pop(Level::new(1)), Some((near, Level::new(1))));
        assert_eq!(all.pop(Level::new(1)), None);
        assert_eq!(all.pop(Level::new(2)), Some((high, Level::new(2))));
    }

    #[test]
    fn tidying_keeps_successors_of_what_waits() {
        let mut all = Obligations::new();
        let forgotten = all.raise(obligation(0, 0, None), Level::new(1));
        let last = all.raise(obligation(0, 0, None), Level::new(1));
        assert_eq!(all.pop(Level::new(1)), Some((forgotten, Level::new(1))));
        assert_eq!(all.pop(Level::new(1)), Some((last, Level::new(1))));
        all.raise(obligation(1, 5, None), Level::new(1));
        all.raise(obligation(0, 1, Some(last)), Level::new(3));
        all.tidy(|property| property == 0);
        assert_eq!((all.arena.len(), all.waiting()), (2, 1));
        let (id, level) = all.pop(Level::new(3)).expect("it waits");
        let successor = all.get(id).successor.expect("kept");
        assert_eq!((level, all.get(successor).depth), (Level::new(3), 0));
    }
}
