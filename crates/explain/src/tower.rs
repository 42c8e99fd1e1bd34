//! The frames of one engine in one direction, between two restarts: what the first reading of a
//! record notes of each lemma and obligation.

use crate::even::Even;
use crate::record::{Read, RecordError};
use crate::signals::Patterns;
use rustc_hash::FxHashMap;

/// A position of the time line: how many lines were read.
pub(crate) type Tick = u32;

/// No lemma, obligation or end.
pub(crate) const NONE: u32 = u32::MAX;

/// The highest level of what holds everywhere.
pub(crate) const EVERYWHERE: u32 = u32::MAX;

/// How many states of the counts are kept.
const SNAPSHOTS: usize = 200;

/// Where a lemma comes from.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) enum Origin {
    /// An obligation was to be excluded.
    Obligation,
    /// It was found while lemmas were pushed.
    Pushing,
    /// It is a part of an interpolant.
    Interpolant,
    /// The other direction of fbPDR offered it.
    Imported,
    /// It was there before the first obligation.
    Start,
}

impl Origin {
    /// As a letter, for the page.
    pub(crate) fn letter(self) -> char {
        match self {
            Origin::Obligation => 'o',
            Origin::Pushing => 'p',
            Origin::Interpolant => 'i',
            Origin::Imported => 'x',
            Origin::Start => 's',
        }
    }
}

/// What is noted of a lemma.
#[derive(Clone, Debug)]
pub(crate) struct Lemma {
    pub(crate) number: u64,
    pub(crate) born: Tick,
    /// Its highest level at first, and now.
    pub(crate) first: u32,
    pub(crate) level: u32,
    /// When it was retired, and by which.
    pub(crate) end: Tick,
    pub(crate) by: u32,
    /// The obligation that asked for it.
    pub(crate) asked: u32,
    pub(crate) moves: u32,
    /// How long its claim is on the page.
    pub(crate) size: u32,
    pub(crate) origin: Origin,
}

/// What is noted of an obligation.
#[derive(Clone, Debug)]
pub(crate) struct Obligation {
    pub(crate) number: u64,
    pub(crate) born: Tick,
    pub(crate) level: u32,
    pub(crate) depth: u32,
    pub(crate) successor: u32,
    /// How often it was blocked, and how many predecessors were found.
    pub(crate) blocked: u32,
    pub(crate) predecessors: u32,
    /// Obligations with the same states have the same.
    pub(crate) states: u64,
    pub(crate) size: u32,
}

/// The frames of one engine in one direction, between two restarts.
#[derive(Debug)]
pub(crate) struct Tower {
    /// The engine: a position in the list of engines.
    pub(crate) engine: usize,
    pub(crate) is_backward: bool,
    /// How many others of the same engine and direction there were before.
    pub(crate) epoch: usize,
    pub(crate) start: Tick,
    pub(crate) end: Tick,
    pub(crate) events: u64,
    /// The system and the program that claims are about, as the record numbers them.
    pub(crate) system: Option<usize>,
    pub(crate) program: Option<usize>,
    pub(crate) frames: Even<(Tick, u32)>,
    pub(crate) lemmas: Vec<Lemma>,
    pub(crate) obligations: Vec<Obligation>,
    pub(crate) lemma_of: FxHashMap<u64, u32>,
    pub(crate) obligation_of: FxHashMap<u64, u32>,
    pub(crate) patterns: Patterns,
    /// How many lemmas in use have each level as their highest.
    levels: FxHashMap<u32, u32>,
    pub(crate) snapshots: Even<(Tick, Vec<(u32, u32)>)>,
    /// Where the next lemmas come from.
    pub(crate) origin: Origin,
    /// Lemmas that belong to the next obligation that is blocked.
    pending: Vec<u32>,
}

impl Tower {
    pub(crate) fn new(engine: usize, is_backward: bool, epoch: usize, start: Tick) -> Tower {
        Tower {
            engine,
            is_backward,
            epoch,
            start,
            end: start,
            events: 0,
            system: None,
            program: None,
            frames: Even::new(2000),
            lemmas: Vec::new(),
            obligations: Vec::new(),
            lemma_of: FxHashMap::default(),
            obligation_of: FxHashMap::default(),
            patterns: Patterns::default(),
            levels: FxHashMap::default(),
            snapshots: Even::new(SNAPSHOTS),
            origin: Origin::Start,
            pending: Vec::new(),
        }
    }

    /// Whether a line must be about another tower: numbers count from 0 again.
    pub(crate) fn is_over(&self, read: &Read<'_>) -> bool {
        let entry = &read.entry;
        let has =
            |map: &FxHashMap<u64, u32>, key: Option<u64>| key.is_some_and(|k| map.contains_key(&k));
        match &*entry.event {
            "learned" => has(&self.lemma_of, entry.lemma),
            "raised" => has(&self.obligation_of, entry.obligation),
            _ => false,
        }
    }

    /// Takes note of a line.
    pub(crate) fn hear(&mut self, read: &Read<'_>, tick: Tick) -> Result<(), RecordError> {
        self.events += 1;
        self.end = tick;
        let entry = &read.entry;
        match &*entry.event {
            "frame" => {
                self.frames.push((tick, read.need(entry.level, "level")?));
                self.turn(Origin::Pushing);
            }
            "learned" => self.learn(read, tick)?,
            "pushed" => {
                let lemma = self.lemma(entry.lemma);
                self.move_lemma(lemma, entry.to.unwrap_or(EVERYWHERE));
            }
            "retired" => {
                let (lemma, by) = (self.lemma(entry.lemma), self.lemma(entry.by));
                if let Some(found) = self.lemmas.get_mut(lemma as usize)
                    && found.end == NONE
                {
                    (found.end, found.by) = (tick, by);
                    let level = found.level;
                    self.count(level, false);
                }
            }
            "raised" => self.raise(read, tick)?,
            "blocked" => {
                let number = read.need(entry.obligation, "obligation")?;
                let id = self.obligation_of.get(&number).copied().unwrap_or(NONE);
                if let Some(found) = self.obligations.get_mut(id as usize) {
                    found.blocked += 1;
                }
                for lemma in self.pending.drain(..) {
                    let lemma = &mut self.lemmas[lemma as usize];
                    (lemma.asked, lemma.origin) = (id, Origin::Obligation);
                }
            }
            _ => {}
        }
        let Tower { snapshots, levels, .. } = self;
        snapshots.push_with(|| (tick, sorted(levels)));
        Ok(())
    }

    fn learn(&mut self, read: &Read<'_>, tick: Tick) -> Result<(), RecordError> {
        let entry = &read.entry;
        let number = read.need(entry.lemma, "lemma")?;
        let (level, id) = (entry.level.unwrap_or(EVERYWHERE), self.lemmas.len() as u32);
        self.lemma_of.insert(number, id);
        self.lemmas.push(Lemma {
            number,
            born: tick,
            first: level,
            level,
            end: NONE,
            by: NONE,
            asked: NONE,
            moves: 0,
            size: claim_size(read),
            origin: self.origin,
        });
        self.count(level, true);
        if matches!(self.origin, Origin::Obligation | Origin::Start) {
            self.pending.push(id);
        }
        Ok(())
    }

    fn raise(&mut self, read: &Read<'_>, tick: Tick) -> Result<(), RecordError> {
        let entry = &read.entry;
        let number = read.need(entry.obligation, "obligation")?;
        self.turn(Origin::Obligation);
        let successor = entry.successor.and_then(|next| self.obligation_of.get(&next).copied());
        if let Some(next) = successor {
            self.obligations[next as usize].predecessors += 1;
        }
        self.obligation_of.insert(number, self.obligations.len() as u32);
        self.obligations.push(Obligation {
            number,
            born: tick,
            level: read.need(entry.level, "level")?,
            depth: read.need(entry.depth, "depth")?,
            successor: successor.unwrap_or(NONE),
            blocked: 0,
            predecessors: 0,
            states: claim_hash(read),
            size: claim_size(read),
        });
        Ok(())
    }

    /// Lemmas come from somewhere else from now on.
    pub(crate) fn turn(&mut self, origin: Origin) {
        self.pending.clear();
        self.origin = origin;
    }

    fn lemma(&self, number: Option<u64>) -> u32 {
        number.and_then(|number| self.lemma_of.get(&number).copied()).unwrap_or(NONE)
    }

    fn move_lemma(&mut self, lemma: u32, to: u32) {
        let Some(found) = self.lemmas.get_mut(lemma as usize) else { return };
        let (from, is_in_use) = (found.level, found.end == NONE);
        found.level = to;
        found.moves += 1;
        if is_in_use {
            self.count(from, false);
            self.count(to, true);
        }
    }

    fn count(&mut self, level: u32, is_more: bool) {
        let count = self.levels.entry(level).or_default();
        *count = if is_more { *count + 1 } else { count.saturating_sub(1) };
    }

    /// The counts at the end.
    pub(crate) fn last_counts(&self) -> Vec<(u32, u32)> {
        sorted(&self.levels)
    }
}

fn sorted(levels: &FxHashMap<u32, u32>) -> Vec<(u32, u32)> {
    let mut list: Vec<(u32, u32)> =
        levels.iter().filter(|(_, count)| **count > 0).map(|(l, c)| (*l, *c)).collect();
    list.sort_unstable();
    list
}

/// How many characters a claim takes on the page.
fn claim_size(read: &Read<'_>) -> u32 {
    match (&read.entry.clause, &read.entry.outside) {
        (Some(clause), _) => 4 * clause.len() as u32 + 2,
        (None, Some(outside)) => outside.text.len() as u32 + 2,
        (None, None) => 2,
    }
}

/// The same for the same claim.
fn claim_hash(read: &Read<'_>) -> u64 {
    use std::hash::{Hash, Hasher};
    let mut hasher = rustc_hash::FxHasher::default();
    match (&read.entry.clause, &read.entry.outside) {
        (Some(clause), _) => clause.hash(&mut hasher),
        (None, Some(outside)) => (outside.location, &*outside.text).hash(&mut hasher),
        (None, None) => {}
    }
    hasher.finish()
}
