//! Which work is given out when. No network here, and no clock.
//!
//! Work is split by property first, then by recipe; what is cheap comes first:
//!
//! 1. all properties together, with the first recipe and a short time, since properties help to
//!    prove each other; beside it
//! 2. groups of properties, the same way;
//! 3. single properties, with the first recipe and a longer time;
//! 4. single properties with each recipe, without limit.
//!
//! With fewer open properties than workers there is nothing to save, and the last round starts at
//! once, too. All of this is tuning: what is given out, twice or never, changes no answer.

use crate::wire::{Left, MAX_LIST, NotDone, Why};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::time::Duration;

/// Time of the first round for each property. Not measured yet.
const GROUP_TIME: Duration = Duration::from_secs(2);

/// Time for all properties together: that of this many. Chosen: as long as a single property gets.
const TOGETHER: usize = 10;

/// Time of the third round: ten times as long, so that a run that is repeated in the last has
/// cost little beside it. Not measured yet.
const SINGLE_TIME: Duration = Duration::from_secs(20);

/// The second round has this many groups for each worker, so that all end at about the same time.
const GROUPS_PER_WORKER: usize = 4;

/// The most properties of a group.
const MAX_GROUP: usize = 64;

/// How often a piece of work that was lost, or whose claim was refused, is given out.
const ATTEMPTS: u32 = 3;

/// How often it is given out if the worker lost sight of us.
const LONG_ATTEMPTS: u32 = 30;

/// What kind of work a piece is.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Round {
    /// All properties.
    Together,
    /// A group.
    Groups,
    /// A property, for a while.
    Singles,
    /// A property and a recipe, without limit.
    Race,
}

/// A piece of work.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Piece {
    /// What kind.
    pub round: Round,
    /// Which properties.
    pub properties: Vec<usize>,
    /// Which recipe, by number.
    pub recipe: usize,
    /// How often it was given out before.
    attempt: u32,
}

impl Piece {
    /// How long it may take.
    pub fn limit(&self) -> Option<Duration> {
        match self.round {
            Round::Together => Some(GROUP_TIME * self.properties.len().min(TOGETHER) as u32),
            Round::Groups => Some(GROUP_TIME * self.properties.len() as u32),
            Round::Singles => Some(SINGLE_TIME),
            Round::Race => None,
        }
    }
}

/// What is known of a property that is open.
#[derive(Clone, Default, Debug)]
struct Open {
    /// The recipes that have nothing more to say.
    ended: BTreeSet<usize>,
    /// Why it was left the last time.
    why: Option<Why>,
    /// How far it is claimed to be safe.
    safe: Option<usize>,
}

/// The work of a job.
#[derive(Debug)]
pub struct Schedule {
    /// How many recipes there are.
    recipes: usize,
    /// The last step about which a claim counts.
    last_step: usize,
    /// Properties that are neither settled nor given up.
    open: BTreeMap<usize, Open>,
    /// Properties that are given up.
    given_up: BTreeMap<usize, Open>,
    /// What is to be given out, by round; within the last one by recipe.
    queue: BTreeMap<(Round, usize), VecDeque<Piece>>,
    /// What is given out.
    running: BTreeMap<u64, Piece>,
    next_id: u64,
    /// How many workers there are, as soon as that is known.
    workers: Option<usize>,
}

impl Schedule {
    /// The work on these properties, with this many recipes, of which the first is the one
    /// that was asked for. Claims that a property is safe count up to the last step.
    pub fn new(properties: &[usize], recipes: usize, last_step: usize) -> Schedule {
        Schedule {
            recipes,
            last_step,
            open: properties.iter().map(|&property| (property, Open::default())).collect(),
            given_up: BTreeMap::new(),
            queue: BTreeMap::new(),
            running: BTreeMap::new(),
            next_id: 0,
            workers: None,
        }
    }

    /// This many workers are there. The first time, groups are made.
    pub fn set_workers(&mut self, workers: usize) {
        let workers = workers.max(1);
        if self.workers.replace(workers).is_some() {
            return;
        }
        let all: Vec<usize> = self.open.keys().copied().collect();
        if (2..=MAX_LIST).contains(&all.len()) {
            self.push(Round::Together, all.clone(), 0, 0);
        }
        if all.len() <= workers {
            all.into_iter().for_each(|property| self.race(property));
            return;
        }
        let size = all.len().div_ceil(GROUPS_PER_WORKER * workers).clamp(1, MAX_GROUP);
        for group in all.chunks(size) {
            self.push(Round::Groups, group.to_vec(), 0, 0);
        }
    }

    fn push(&mut self, round: Round, properties: Vec<usize>, recipe: usize, attempt: u32) {
        let piece = Piece { round, properties, recipe, attempt };
        self.queue.entry((round, recipe)).or_default().push_back(piece);
    }

    /// All recipes that may still say something about a property.
    fn race(&mut self, property: usize) {
        let Some(open) = self.open.get(&property) else { return };
        let ended = open.ended.clone();
        for recipe in (0..self.recipes).filter(|recipe| !ended.contains(recipe)) {
            self.push(Round::Race, vec![property], recipe, 0);
        }
        self.give_up_ended(property);
    }

    /// Gives a property up if no recipe is left.
    fn give_up_ended(&mut self, property: usize) {
        if self.open.get(&property).is_some_and(|open| open.ended.len() >= self.recipes) {
            self.give_up(property);
        }
    }

    fn give_up(&mut self, property: usize) {
        if let Some(open) = self.open.remove(&property) {
            self.given_up.insert(property, open);
        }
        self.drop_closed();
    }

    /// The next piece to be given out, with its number, if there is a worker for it. The first
    /// rounds are short, so one more for each worker is given out beforehand.
    pub fn take_next(&mut self) -> Option<(u64, Piece)> {
        let workers = self.workers?;
        let mut entry = self.queue.first_entry()?;
        let window = match entry.key().0 {
            Round::Together | Round::Groups | Round::Singles => 2 * workers,
            Round::Race => workers,
        };
        if self.running.len() >= window {
            return None;
        }
        let piece = entry.get_mut().pop_front()?;
        if entry.get().is_empty() {
            entry.remove();
        }
        let id = self.next_id;
        self.next_id += 1;
        self.running.insert(id, piece.clone());
        Some((id, piece))
    }

    /// Properties are settled: they need no more work.
    pub fn settle(&mut self, properties: &[usize]) {
        for property in properties {
            self.open.remove(property);
            // What was given up for lack of ideas may still be settled by a late claim.
            self.given_up.remove(property);
        }
        self.drop_closed();
    }

    /// Forgets pieces of which no property is open.
    fn drop_closed(&mut self) {
        let open = &self.open;
        let is_needed = |piece: &mut Piece| {
            piece.properties.retain(|property| open.contains_key(property));
            !piece.properties.is_empty()
        };
        for pieces in self.queue.values_mut() {
            pieces.retain_mut(is_needed);
        }
        self.queue.retain(|_, pieces| !pieces.is_empty());
        self.running.retain(|_, piece| piece.properties.iter().any(|p| open.contains_key(p)));
    }

    /// A piece is done. What it says of properties that are settled, or that it was not asked
    /// about, does not matter; those of which it says nothing are tried again.
    pub fn done(&mut self, id: u64, left: &[Left]) {
        let Some(piece) = self.running.remove(&id) else { return };
        for &property in &piece.properties {
            match left.iter().find(|left| left.property == property) {
                Some(left) => self.leave(property, &piece, left),
                None => self.again(&piece, property, ATTEMPTS),
            }
        }
    }

    fn leave(&mut self, property: usize, piece: &Piece, left: &Left) {
        let Some(open) = self.open.get_mut(&property) else { return };
        open.why = Some(left.why);
        // The asker checks what is claimed, which takes longer the farther it goes.
        open.safe = open.safe.max(left.safe.map(|safe| safe.min(self.last_step)));
        // What a worker says is not checked, so no reason of one recipe ends a property: not even
        // that the depth is reached.
        match left.why {
            Why::Stopped if piece.round != Round::Race => {}
            _ if piece.round == Round::Together => {}
            _ => {
                open.ended.insert(piece.recipe);
            }
        }
        let is_few = self.open.len() <= self.workers.unwrap_or(1);
        let is_ended = self.open[&property].ended.contains(&piece.recipe);
        match piece.round {
            // The other rounds are about it, too.
            Round::Together => {}
            Round::Groups if !is_few && !is_ended => {
                self.push(Round::Singles, vec![property], piece.recipe, 0);
            }
            Round::Groups | Round::Singles => self.race(property),
            Round::Race => self.give_up_ended(property),
        }
    }

    /// Tries a property of a piece once more, if it was not tried too often.
    fn again(&mut self, piece: &Piece, property: usize, attempts: u32) {
        if !self.open.contains_key(&property) || piece.round == Round::Together {
            return;
        }
        let attempt = piece.attempt + 1;
        if attempt < attempts {
            self.push(piece.round, vec![property], piece.recipe, attempt);
        } else {
            let left = Left { property, why: Why::Lost, safe: None };
            self.leave(property, piece, &left);
        }
    }

    /// No worker has worked on a piece.
    pub fn not_done(&mut self, id: u64, why: &NotDone) {
        let Some(piece) = self.running.remove(&id) else { return };
        let attempts = match why {
            NotDone::NoLease | NotDone::NoModel => LONG_ATTEMPTS,
            NotDone::Refused(_) | NotDone::GivenUp => ATTEMPTS,
        };
        for &property in &piece.properties {
            self.again(&piece, property, attempts);
        }
    }

    /// Whether there was ever a piece of this number.
    pub fn has_given_out(&self, id: u64) -> bool {
        id < self.next_id
    }

    /// What is given out, and not done.
    pub fn running(&self) -> impl Iterator<Item = (u64, &Piece)> {
        self.running.iter().map(|(&id, piece)| (id, piece))
    }

    /// Whether nothing is left to do.
    pub fn is_over(&self) -> bool {
        self.open.is_empty()
    }

    /// Why a property is open, and how far it is claimed to be safe.
    pub fn left(&self, property: usize) -> (Option<Why>, Option<usize>) {
        let known = self.open.get(&property).or_else(|| self.given_up.get(&property));
        known.map_or((None, None), |open| (open.why, open.safe))
    }
}

#[cfg(test)]
#[path = "schedule_tests.rs"]
mod tests;
