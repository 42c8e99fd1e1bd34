//! What of a long run is on its page: the claims that fit, the telling ones first. All of this is
//! choice by size; counts are made before and stay true.

use crate::digest::Digest;
use crate::tower::{EVERYWHERE, NONE, Tower};
use rustc_hash::{FxHashMap, FxHashSet};

/// How many characters claims may take on the page, with their numbers.
const LEMMA_BYTES: u64 = 1_100_000;
const OBLIGATION_BYTES: u64 = 700_000;

/// What a lemma or obligation takes beside its claim: numbers, moves.
const ROW_BYTES: u64 = 34;

/// How many towers a page has.
const TOWERS: usize = 24;

/// How many hot spots a tower shows.
const HOT: usize = 60;

/// Obligations with the same states.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Hot {
    /// The first of them.
    pub(crate) obligation: u32,
    /// How often they were taken up.
    pub(crate) visits: u32,
    /// How often they were raised.
    pub(crate) raised: u32,
}

/// What of a tower is on the page: positions in its lists, ascending.
#[derive(Debug, Default)]
pub(crate) struct Chosen {
    pub(crate) tower: usize,
    pub(crate) lemmas: Vec<u32>,
    pub(crate) obligations: Vec<u32>,
    pub(crate) hot: Vec<Hot>,
    /// From the obligation that is nearest to the start set on.
    pub(crate) chain: Vec<u32>,
}

/// Chooses for all towers. Those with most events come first if there are too many.
pub(crate) fn choose(digest: &Digest) -> Vec<Chosen> {
    let mut order: Vec<usize> = (0..digest.towers.len()).collect();
    order.sort_by_key(|&tower| std::cmp::Reverse(digest.towers[tower].events));
    order.truncate(TOWERS);
    order.sort_unstable();
    let mut chosen: Vec<Chosen> =
        order.into_iter().map(|tower| Chosen { tower, ..Chosen::default() }).collect();
    choose_lemmas(digest, &mut chosen);
    choose_obligations(digest, &mut chosen);
    chosen
}

/// A lemma or obligation: which of the chosen towers, and its position there.
type Item = (usize, u32);

/// Takes items while they fit; of a list that does not fit, evenly if that makes sense.
fn take(left: &mut u64, items: &[(Item, u64)], is_even: bool, keep: &mut FxHashSet<Item>) {
    let all: u64 = items.iter().map(|(_, size)| size).sum();
    let ratio = if is_even && all > *left { *left as f64 / all as f64 } else { 1.0 };
    let mut due = 0.0;
    for &(item, size) in items {
        due += ratio;
        if due < 1.0 || keep.contains(&item) {
            continue;
        }
        due -= 1.0;
        if size > *left {
            if is_even { continue } else { break }
        }
        *left -= size;
        keep.insert(item);
    }
}

fn choose_lemmas(digest: &Digest, chosen: &mut [Chosen]) {
    let (mut in_use, mut pushed, mut rest) = (Vec::new(), Vec::new(), Vec::new());
    for (place, of) in chosen.iter().enumerate() {
        for (index, lemma) in digest.towers[of.tower].lemmas.iter().enumerate() {
            let moves = u64::from(lemma.moves.min(20)) * 8;
            let item = ((place, index as u32), u64::from(lemma.size) + ROW_BYTES + moves);
            match (lemma.end == NONE, lemma.moves) {
                (true, _) => in_use.push((lemma.level, item)),
                (false, 1..) => pushed.push((lemma.moves, item)),
                (false, 0) => rest.push(item),
            }
        }
    }
    // Everywhere is the highest level.
    in_use.sort_by_key(|&(level, (item, size))| (std::cmp::Reverse(level), size, item));
    pushed.sort_by_key(|&(moves, (item, _))| (std::cmp::Reverse(moves), item));
    let invariant = in_use.iter().take_while(|(level, _)| *level == EVERYWHERE).count();
    let (top, in_use): (Vec<_>, Vec<_>) = {
        let all: Vec<(Item, u64)> = in_use.into_iter().map(|(_, item)| item).collect();
        (all[..invariant].to_vec(), all[invariant..].to_vec())
    };
    let mut keep = FxHashSet::default();
    // Each group leaves room for the next one.
    let mut left = LEMMA_BYTES;
    for (part, items, is_even) in [
        (0.5, &top, false),
        (0.6, &in_use, true),
        (0.5, &pushed.into_iter().map(|(_, item)| item).collect(), false),
        (1.0, &rest, true),
        (1.0, &in_use, true),
    ] {
        let mut share = (left as f64 * part) as u64;
        let before = share;
        take(&mut share, items, is_even, &mut keep);
        left -= before - share;
    }
    for (place, index) in sorted(keep) {
        chosen[place].lemmas.push(index);
    }
}

fn sorted(keep: FxHashSet<Item>) -> Vec<Item> {
    let mut list: Vec<Item> = keep.into_iter().collect();
    list.sort_unstable();
    list
}

fn choose_obligations(digest: &Digest, chosen: &mut [Chosen]) {
    let mut keep: FxHashSet<Item> = FxHashSet::default();
    let mut left = OBLIGATION_BYTES;
    let cost = |tower: &Tower, index: u32| {
        let obligation = &tower.obligations[index as usize];
        u64::from(obligation.size) + ROW_BYTES + u64::from(obligation.blocked.min(20)) * 8
    };
    // An obligation with all that it leads to, if that fits.
    let mut add = |place: usize, tower: &Tower, index: u32, left: &mut u64| -> bool {
        let mut path = Vec::new();
        let (mut next, mut size) = (index, 0);
        while next != NONE && !keep.contains(&(place, next)) {
            path.push(next);
            size += cost(tower, next);
            if size > *left {
                return false;
            }
            next = tower.obligations[next as usize].successor;
        }
        *left -= size;
        keep.extend(path.into_iter().map(|index| (place, index)));
        true
    };
    for (place, of) in chosen.iter_mut().enumerate() {
        let tower = &digest.towers[of.tower];
        for chain in digest.chains.iter().filter(|chain| chain.tower == of.tower) {
            if add(place, tower, chain.obligation, &mut left) && of.chain.is_empty() {
                let mut next = chain.obligation;
                while next != NONE {
                    of.chain.push(next);
                    next = tower.obligations[next as usize].successor;
                }
            }
        }
        of.hot = hot_spots(tower);
        let mut share = left / 2;
        of.hot.retain(|hot| {
            let before = share;
            let is_kept = add(place, tower, hot.obligation, &mut share);
            left -= before - share;
            is_kept
        });
    }
    let all: Vec<(usize, u32)> = chosen
        .iter()
        .enumerate()
        .flat_map(|(place, of)| {
            (0..digest.towers[of.tower].obligations.len() as u32).map(move |index| (place, index))
        })
        .collect();
    let total: u64 =
        all.iter().map(|&(place, index)| cost(&digest.towers[chosen[place].tower], index)).sum();
    let ratio = (left as f64 / total.max(1) as f64).min(1.0);
    let mut due = 0.0;
    for (place, index) in all {
        due += ratio;
        if due >= 1.0 {
            due -= 1.0;
            add(place, &digest.towers[chosen[place].tower], index, &mut left);
        }
    }
    for (place, index) in sorted(keep) {
        chosen[place].obligations.push(index);
    }
}

/// Obligations that were taken up most, those with the same states together.
fn hot_spots(tower: &Tower) -> Vec<Hot> {
    let mut groups: FxHashMap<u64, Hot> = FxHashMap::default();
    for (index, obligation) in tower.obligations.iter().enumerate() {
        let first = Hot { obligation: index as u32, visits: 0, raised: 0 };
        let group = groups.entry(obligation.states).or_insert(first);
        group.visits += obligation.blocked + obligation.predecessors;
        group.raised += 1;
    }
    let mut list: Vec<Hot> = groups.into_values().collect();
    list.sort_by_key(|hot| (std::cmp::Reverse(hot.visits), hot.obligation));
    list.truncate(HOT);
    list
}
