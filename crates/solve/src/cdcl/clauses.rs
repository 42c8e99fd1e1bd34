//! Clauses of three and more literals, side by side in one array.
//!
//! A clause is named by the place of its header. The header packs length and flags into one
//! word, the literals follow, and a learnt clause has its activity in one more word behind them.
//! So an original clause of three literals takes 16 bytes, and a copy of the whole arena (for a
//! new frame) is one `memcpy`. Binary clauses are not here, they live in their watch lists.

use pedra_model::lit::Lit;

/// The place of a clause in its [`Arena`].
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct ClauseRef(pub(super) u32);

const LEARNT: u32 = 1;
const DELETED: u32 = 2;
const MOVED: u32 = 4;
const FLAG_BITS: u32 = 3;

/// The clauses.
#[derive(Clone, Default)]
pub(super) struct Arena {
    /// Headers, literals and activities; the first and the last kind go by their codes.
    words: Vec<Lit>,
    /// Words of deleted clauses and of removed literals.
    wasted: usize,
}

impl Arena {
    /// The memory that a copy takes.
    pub(super) fn bytes(&self) -> usize {
        size_of_val(&*self.words)
    }

    /// Stores a clause of at least three literals.
    pub(super) fn add(&mut self, lits: &[Lit], learnt: bool) -> ClauseRef {
        debug_assert!(lits.len() > 2, "shorter clauses have other homes");
        let at = self.words.len();
        // The upper half of the numbers is taken by binary reasons, see `Reason`.
        assert!(at + lits.len() + 2 < 1 << 31, "clauses take more than 8 GB");
        let flags = if learnt { LEARNT } else { 0 };
        self.words.push(Lit::from_code((lits.len() as u32) << FLAG_BITS | flags));
        self.words.extend_from_slice(lits);
        if learnt {
            self.words.push(Lit::from_code(0f32.to_bits()));
        }
        ClauseRef(at as u32)
    }

    #[inline]
    fn header(&self, clause: ClauseRef) -> u32 {
        self.words[clause.0 as usize].code()
    }

    fn set_header(&mut self, clause: ClauseRef, header: u32) {
        self.words[clause.0 as usize] = Lit::from_code(header);
    }

    /// The literals.
    #[inline]
    pub(super) fn lits(&self, clause: ClauseRef) -> &[Lit] {
        let at = clause.0 as usize;
        let len = (self.words[at].code() >> FLAG_BITS) as usize;
        &self.words[at + 1..at + 1 + len]
    }

    /// The literals, to reorder them.
    #[inline]
    pub(super) fn lits_mut(&mut self, clause: ClauseRef) -> &mut [Lit] {
        let at = clause.0 as usize;
        let len = (self.words[at].code() >> FLAG_BITS) as usize;
        &mut self.words[at + 1..at + 1 + len]
    }

    /// Whether the clause follows from the others.
    #[inline]
    pub(super) fn is_learnt(&self, clause: ClauseRef) -> bool {
        self.header(clause) & LEARNT != 0
    }

    /// Whether [`delete`](Arena::delete) was called on it.
    #[inline]
    pub(super) fn is_deleted(&self, clause: ClauseRef) -> bool {
        self.header(clause) & DELETED != 0
    }

    /// The activity of a learnt clause.
    pub(super) fn activity(&self, clause: ClauseRef) -> f32 {
        debug_assert!(self.is_learnt(clause));
        f32::from_bits(self.words[self.activity_place(clause)].code())
    }

    /// Sets the activity of a learnt clause.
    pub(super) fn set_activity(&mut self, clause: ClauseRef, activity: f32) {
        debug_assert!(self.is_learnt(clause));
        let at = self.activity_place(clause);
        self.words[at] = Lit::from_code(activity.to_bits());
    }

    fn activity_place(&self, clause: ClauseRef) -> usize {
        clause.0 as usize + 1 + (self.header(clause) >> FLAG_BITS) as usize
    }

    /// Marks the clause. Its watches are the caller's business.
    pub(super) fn delete(&mut self, clause: ClauseRef) {
        let header = self.header(clause);
        debug_assert!(header & DELETED == 0, "deleted twice");
        self.set_header(clause, header | DELETED);
        self.wasted += 1 + (header >> FLAG_BITS) as usize + (header & LEARNT) as usize;
    }

    /// Drops all but the first `len` literals.
    pub(super) fn shrink(&mut self, clause: ClauseRef, len: usize) {
        let header = self.header(clause);
        let before = (header >> FLAG_BITS) as usize;
        debug_assert!((3..=before).contains(&len));
        let activity = self.is_learnt(clause).then(|| self.activity(clause));
        self.set_header(clause, (len as u32) << FLAG_BITS | header & ((1 << FLAG_BITS) - 1));
        self.wasted += before - len;
        if let Some(activity) = activity {
            self.set_activity(clause, activity);
        }
    }

    /// Whether a third is waste.
    pub(super) fn is_wasteful(&self) -> bool {
        self.wasted * 3 > self.words.len()
    }

    /// Starts a collection: from now on [`forward`](Arena::forward) moves clauses to `self`.
    /// Returns the old arena.
    pub(super) fn start_collection(&mut self) -> Arena {
        let words = Vec::with_capacity(self.words.len() - self.wasted);
        std::mem::replace(self, Arena { words, wasted: 0 })
    }

    /// The new place of a live clause of the old arena, moved there on the first call.
    pub(super) fn forward(&mut self, old: &mut Arena, clause: ClauseRef) -> ClauseRef {
        let header = old.header(clause);
        debug_assert!(header & DELETED == 0, "only live clauses move");
        if header & MOVED != 0 {
            return ClauseRef(old.lits(clause)[0].code());
        }
        let learnt = header & LEARNT != 0;
        let moved = self.add(old.lits(clause), learnt);
        if learnt {
            self.set_activity(moved, old.activity(clause));
        }
        old.set_header(clause, header | MOVED);
        old.lits_mut(clause)[0] = Lit::from_code(moved.0);
        moved
    }
}
