//! Damage to good files, for tests of readers: bytes, words and lines are changed, added, removed
//! or moved, and pieces of other files put in.

use crate::random::Random;

/// Damages a file in one to four places. `words` are put anywhere; pieces come from `pool`, which
/// must not be empty.
pub fn damage(random: &mut Random, bytes: &mut Vec<u8>, pool: &[Vec<u8>], words: &str) {
    for _ in 0..1 + random.below(4) {
        match random.below(8) {
            0 | 1 => damage_byte(random, bytes),
            2..=4 => damage_word(random, bytes, words),
            5 | 6 => damage_line(random, bytes),
            _ => {
                let other = &pool[random.below(pool.len())];
                splice(random, bytes, other);
            }
        }
    }
}

/// Changes, adds or removes a byte, or cuts the file there.
fn damage_byte(random: &mut Random, bytes: &mut Vec<u8>) {
    const INTERESTING: &[u8] = b"0123456789 \nabcfijlox.\r\t;-#@[]()|\"\x00\x7f\x80\xff";
    let at = random.below(bytes.len() + 1);
    let byte = random.pick(INTERESTING);
    match random.below(6) {
        0 if at < bytes.len() => bytes[at] ^= 1 << random.below(8),
        1 | 2 if at < bytes.len() => bytes[at] = byte,
        3 if at < bytes.len() => drop(bytes.remove(at)),
        4 if random.one_in(4) => bytes.truncate(at),
        _ => bytes.insert(at, byte),
    }
}

/// Replaces a word of the file by another, adds one or removes one.
fn damage_word(random: &mut Random, bytes: &mut Vec<u8>, words: &str) {
    let is_space = |byte: &u8| byte.is_ascii_whitespace();
    let at = random.below(bytes.len() + 1);
    let start = bytes[..at].iter().rposition(is_space).map_or(0, |space| space + 1);
    let end = bytes[at..].iter().position(is_space).map_or(bytes.len(), |length| at + length);
    let choice = random.below(words.split(' ').count());
    let word = words.split(' ').nth(choice).unwrap_or_default().as_bytes();
    match random.below(4) {
        0 => drop(bytes.splice(start..start, word.iter().copied().chain([b' ']))),
        1 => drop(bytes.drain(start..end)),
        _ => drop(bytes.splice(start..end, word.iter().copied())),
    }
}

/// Removes a line, doubles it or moves it.
fn damage_line(random: &mut Random, bytes: &mut Vec<u8>) {
    let mut lines: Vec<Vec<u8>> =
        bytes.split_inclusive(|&byte| byte == b'\n').map(<[u8]>::to_vec).collect();
    if lines.is_empty() {
        return;
    }
    let at = random.below(lines.len());
    let line = if random.one_in(3) { lines[at].clone() } else { lines.remove(at) };
    if !random.one_in(3) {
        lines.insert(random.below(lines.len() + 1), line);
    }
    *bytes = lines.concat();
}

/// Puts a piece of another file into this one.
fn splice(random: &mut Random, bytes: &mut Vec<u8>, other: &[u8]) {
    let from = random.below(other.len() + 1);
    let piece = &other[from..(from + random.below(24)).min(other.len())];
    let at = random.below(bytes.len() + 1);
    bytes.splice(at..at, piece.iter().copied());
}
