//! Watch lists: for each literal what has to be looked at when it becomes false.
//!
//! Two literals of each clause are watched (Moskewicz and others 2001). A watch carries a
//! blocker, some other literal of the clause: if it is true, the clause need not be touched.
//! Binary clauses are nowhere else than here: the blocker is their other literal. They stand
//! in the same lists as the others: in small queries the first access to a list costs more
//! than all that follow, and so one list is better than two (8 % of the time of
//! `examples/small_queries`).
//!
//! All lists of a kind share one array, each with some room to grow; a list that outgrows its
//! room moves to the end. Compared with a `Vec` a literal this halves the memory of short
//! lists, and makes the copy for a new frame one `memcpy` rather than an allocation a literal.

use super::clauses::ClauseRef;
use pedra_model::lit::Lit;

/// A clause and one of its literals other than the watched one.
#[derive(Copy, Clone)]
pub(super) struct Watch {
    pub(super) clause: ClauseRef,
    pub(super) blocker: Lit,
}

impl Watch {
    /// The place of no clause.
    const BINARY: ClauseRef = ClauseRef(u32::MAX);

    /// The watch of a binary clause.
    #[inline]
    pub(super) fn binary(other: Lit) -> Watch {
        Watch { clause: Self::BINARY, blocker: other }
    }

    /// Whether `blocker` is all that the clause has besides the watched literal.
    #[inline]
    pub(super) fn is_binary(self) -> bool {
        self.clause == Self::BINARY
    }
}

/// Where a list lies.
#[derive(Copy, Clone, Default)]
struct Span {
    start: u32,
    len: u32,
    room: u32,
}

/// Many lists in one array.
#[derive(Clone, Default)]
pub(super) struct Lists<T> {
    spans: Vec<Span>,
    items: Vec<T>,
    /// Items of `items` that belong to no list any more.
    abandoned: usize,
}

impl<T: Copy> Lists<T> {
    /// No list.
    pub(super) fn new() -> Lists<T> {
        Lists { spans: Vec::new(), items: Vec::new(), abandoned: 0 }
    }

    /// The memory that a copy takes.
    pub(super) fn bytes(&self) -> usize {
        size_of_val(&*self.spans) + size_of_val(&*self.items)
    }

    /// Makes it `count` lists, the new ones empty.
    pub(super) fn resize(&mut self, count: usize) {
        self.spans.resize(count, Span::default());
    }

    /// The number of lists.
    pub(super) fn count(&self) -> usize {
        self.spans.len()
    }

    /// The items of a list.
    #[inline]
    pub(super) fn get(&self, list: usize) -> &[T] {
        let span = self.spans[list];
        &self.items[span.start as usize..(span.start + span.len) as usize]
    }

    /// The items of a list, to change them in place.
    pub(super) fn get_mut(&mut self, list: usize) -> &mut [T] {
        let span = self.spans[list];
        &mut self.items[span.start as usize..(span.start + span.len) as usize]
    }

    /// The places of a list's items, for [`at`](Lists::at); valid until that list grows.
    #[inline]
    pub(super) fn range(&self, list: usize) -> std::ops::Range<usize> {
        let span = self.spans[list];
        span.start as usize..(span.start + span.len) as usize
    }

    /// The item at a place.
    #[inline]
    pub(super) fn at(&self, place: usize) -> T {
        self.items[place]
    }

    /// Overwrites the item at a place.
    #[inline]
    pub(super) fn set(&mut self, place: usize, item: T) {
        self.items[place] = item;
    }

    /// Ends the list before the item at `place`.
    #[inline]
    pub(super) fn truncate_at(&mut self, list: usize, place: usize) {
        let span = &mut self.spans[list];
        span.len = place as u32 - span.start;
    }

    /// Appends to a list.
    #[inline]
    pub(super) fn push(&mut self, list: usize, item: T) {
        let span = self.spans[list];
        if span.len == span.room {
            self.grow(list, item);
        } else {
            self.items[(span.start + span.len) as usize] = item;
        }
        self.spans[list].len += 1;
    }

    /// Makes room behind the last item of a full list, and puts `item` there.
    #[cold]
    fn grow(&mut self, list: usize, item: T) {
        let Span { start, len, room } = self.spans[list];
        let (at, end) = (start as usize, (start + len) as usize);
        let more = (room.max(2)) as usize;
        if end != self.items.len() {
            let moved = self.items.len();
            self.items.extend_from_within(at..end);
            self.spans[list].start = moved as u32;
            self.abandoned += room as usize;
        }
        self.items.resize(self.items.len() + more, item);
        assert!(self.items.len() < u32::MAX as usize, "watch lists are full");
        self.spans[list].room = len + more as u32;
    }

    /// Removes the first item that matches. The order of the others may change.
    pub(super) fn remove(&mut self, list: usize, matches: impl Fn(&T) -> bool) {
        let items = self.get_mut(list);
        let at = items.iter().position(matches).expect("each watch is in its list");
        let last = items.len() - 1;
        items[at] = items[last];
        self.spans[list].len -= 1;
    }

    /// Keeps what `keep` says of a list, in order.
    pub(super) fn retain(&mut self, list: usize, mut keep: impl FnMut(&T) -> bool) {
        let range = self.range(list);
        let mut to = range.start;
        for from in range {
            let item = self.items[from];
            if keep(&item) {
                self.items[to] = item;
                to += 1;
            }
        }
        self.truncate_at(list, to);
    }

    /// Moves the lists together if half of the array is abandoned.
    pub(super) fn compact_if_wasteful(&mut self) {
        if self.abandoned * 2 <= self.items.len() {
            return;
        }
        let mut items = Vec::with_capacity(self.items.len() - self.abandoned);
        for span in &mut self.spans {
            let start = items.len() as u32;
            let at = span.start as usize;
            items.extend_from_slice(&self.items[at..at + span.room as usize]);
            span.start = start;
        }
        self.items = items;
        self.abandoned = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_behave_as_vectors() {
        let mut lists: Lists<u32> = Lists::new();
        let mut model: Vec<Vec<u32>> = vec![Vec::new(); 7];
        lists.resize(7);
        for step in 0..2000u32 {
            let list = (step * step % 31 % 7) as usize;
            match step % 11 {
                10 => {
                    lists.retain(list, |item| item % 3 != 0);
                    model[list].retain(|item| item % 3 != 0);
                }
                9 if !model[list].is_empty() => {
                    let item = model[list][model[list].len() / 2];
                    lists.remove(list, |&other| other == item);
                    let at = model[list].len() / 2;
                    model[list].swap_remove(at);
                }
                8 if step % 5 == 0 => {
                    lists.retain(list, |_| false);
                    model[list].clear();
                }
                _ => {
                    lists.push(list, step);
                    model[list].push(step);
                }
            }
            lists.compact_if_wasteful();
            assert!((0..7).all(|list| lists.get(list) == model[list]), "after step {step}");
        }
    }
}
