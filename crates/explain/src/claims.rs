//! The second reading of a record: what was chosen lemmas and obligations say, and when they moved.

use crate::choose::Chosen;
use crate::digest::{Digest, Key, is_detail, key_of};
use crate::even::Even;
use crate::record::{Lines, Read, RecordError};
use crate::tower::{EVERYWHERE, Tick};
use rustc_hash::FxHashMap;
use std::io::BufRead;

/// How many moves of a lemma, and how many ends of an obligation, are on the page.
const MOVES: usize = 20;

/// What a lemma excludes, or an obligation is about.
#[derive(Clone, Debug)]
pub(crate) enum Said {
    /// A clause over the variables of the system; its negation is the set of states.
    Clause(Vec<i64>),
    /// The states, as text, and their location in a program.
    Outside(String, Option<u32>),
}

/// A claim, and the positions at which a level was reached.
#[derive(Clone, Debug)]
pub(crate) struct Detail {
    pub(crate) said: Option<Said>,
    pub(crate) moves: Even<(Tick, u32)>,
}

/// The details of a chosen tower, in the order in which they were chosen.
#[derive(Debug)]
pub(crate) struct Details {
    pub(crate) lemmas: Vec<Detail>,
    pub(crate) obligations: Vec<Detail>,
}

/// Reads a record again.
///
/// # Errors
/// If it cannot be read, or is not the same any more.
pub(crate) fn read_details(
    input: impl BufRead,
    digest: &Digest,
    chosen: &[Chosen],
) -> Result<Vec<Details>, RecordError> {
    let empty = Detail { said: None, moves: Even::new(MOVES) };
    let new = |of: &Chosen| Details {
        lemmas: vec![empty.clone(); of.lemmas.len()],
        obligations: vec![empty.clone(); of.obligations.len()],
    };
    let mut details: Vec<Details> = chosen.iter().map(new).collect();
    // The place of each tower among the chosen ones.
    let place_of: FxHashMap<usize, usize> =
        chosen.iter().enumerate().map(|(place, of)| (of.tower, place)).collect();
    let mut now: FxHashMap<Key, usize> = FxHashMap::default();
    let mut switches = digest.switches.iter().peekable();
    let (_, mut lines) = Lines::new(input)?;
    let mut tick: Tick = 0;
    while let Some(read) = lines.next()? {
        tick += 1;
        while let Some((_, key, tower)) = switches.next_if(|(at, ..)| *at <= tick) {
            now.insert(*key, *tower);
        }
        if !is_detail(&read.entry.event) {
            continue;
        }
        let tower = now.get(&key_of(&read)?).copied();
        let Some((tower, place)) = tower.and_then(|t| Some((t, *place_of.get(&t)?))) else {
            continue;
        };
        let towers = &digest.towers[tower];
        let (of, here) = (&chosen[place], &mut details[place]);
        let lemma = read.entry.lemma.and_then(|number| towers.lemma_of.get(&number));
        let obligation = read.entry.obligation.and_then(|number| towers.obligation_of.get(&number));
        let found = match (lemma, obligation) {
            (Some(lemma), _) => find(&of.lemmas, *lemma).map(|i| &mut here.lemmas[i]),
            (_, Some(one)) => find(&of.obligations, *one).map(|i| &mut here.obligations[i]),
            _ => None,
        };
        if let Some(found) = found {
            found.hear(&read, tick);
        }
    }
    Ok(details)
}

fn find(list: &[u32], item: u32) -> Option<usize> {
    list.binary_search(&item).ok()
}

impl Detail {
    fn hear(&mut self, read: &Read<'_>, tick: Tick) {
        let entry = &read.entry;
        match &*entry.event {
            "learned" | "raised" => {
                self.said = match (&entry.clause, &entry.outside) {
                    // No variable has the number 0, whatever a file says.
                    (Some(clause), _) => {
                        let lits = clause.iter().copied().filter(|lit| *lit != 0);
                        Some(Said::Clause(lits.collect()))
                    }
                    (None, Some(o)) => Some(Said::Outside(o.text.clone().into_owned(), o.location)),
                    (None, None) => None,
                };
            }
            "pushed" => self.moves.push((tick, entry.to.unwrap_or(EVERYWHERE))),
            "blocked" => self.moves.push((tick, entry.level.unwrap_or(EVERYWHERE))),
            _ => {}
        }
    }
}
