//! Which signals claims speak of: bits `count[0]`, `count[1]` are one signal, `count`.
//!
//! Lemmas that speak of the same signals and differ only in values are how a search shows that it
//! is stuck: it excludes states one by one, where one relation between the signals would do.

use crate::record::Read;
use rustc_hash::FxHashMap;

/// How many groups are told apart. What comes later is not counted, and the page says so.
const MAX_GROUPS: usize = 20_000;

/// `count` of `count[3]`.
pub(crate) fn word_of(name: &str) -> &str {
    match name.strip_suffix(']').and_then(|rest| rest.rsplit_once('[')) {
        Some((word, index)) if !word.is_empty() && index.bytes().all(|b| b.is_ascii_digit()) => {
            word
        }
        _ => name,
    }
}

/// The variables of a system: names, and the signals that they are bits of.
#[derive(Clone, Debug, Default)]
pub(crate) struct Variables {
    /// By number of the variable: its name and its signal.
    pub(crate) known: FxHashMap<u64, (String, u32)>,
    pub(crate) signals: Vec<String>,
}

impl Variables {
    /// From pairs of a number and a name.
    pub(crate) fn new(pairs: impl IntoIterator<Item = (u64, Option<String>)>) -> Variables {
        let mut variables = Variables::default();
        let mut known: FxHashMap<String, u32> = FxHashMap::default();
        for (number, name) in pairs {
            let name = name.unwrap_or_else(|| format!("variable {number}"));
            let signals = &mut variables.signals;
            let signal = *known.entry(word_of(&name).to_owned()).or_insert_with_key(|word| {
                signals.push(word.clone());
                signals.len() as u32 - 1
            });
            variables.known.insert(number, (name, signal));
        }
        variables
    }

    /// What a variable is called.
    pub(crate) fn name(&self, number: u64) -> String {
        self.known.get(&number).map_or_else(|| format!("gate {number}"), |known| known.0.clone())
    }
}

/// Claims about the same signals.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pattern {
    pub(crate) signals: Vec<String>,
    pub(crate) lemmas: u32,
    pub(crate) obligations: u32,
}

/// All claims of a tower, by the signals that they speak of.
#[derive(Debug, Default)]
pub(crate) struct Patterns {
    groups: FxHashMap<Vec<u32>, Pattern>,
    /// Signals in claims that are text.
    texts: FxHashMap<String, u32>,
    /// Claims beyond the groups.
    pub(crate) others: u32,
}

impl Patterns {
    /// Counts the claim of a line.
    pub(crate) fn add(&mut self, read: &Read<'_>, variables: Option<&Variables>) {
        let entry = &read.entry;
        let is_lemma = &*entry.event == "learned";
        let mut key: Vec<u32> = match (&entry.clause, &entry.outside, variables) {
            (Some(clause), _, Some(variables)) => {
                let signal = |lit: &i64| variables.known.get(&lit.unsigned_abs()).map(|k| k.1);
                clause.iter().filter_map(signal).collect()
            }
            (_, Some(outside), _) => {
                let texts = &mut self.texts;
                let number = |name: &str| {
                    let next = texts.len() as u32;
                    *texts.entry(word_of(name).to_owned()).or_insert(next)
                };
                identifiers(&outside.text).map(number).collect()
            }
            _ => return,
        };
        key.sort_unstable();
        key.dedup();
        if !self.groups.contains_key(&key) && self.groups.len() >= MAX_GROUPS {
            self.others += 1;
            return;
        }
        let group = self.groups.entry(key).or_default();
        *(if is_lemma { &mut group.lemmas } else { &mut group.obligations }) += 1;
    }

    /// The largest groups, with the names of their signals.
    pub(crate) fn largest(&self, variables: Option<&Variables>, count: usize) -> Vec<Pattern> {
        let mut texts = vec![""; self.texts.len()];
        self.texts.iter().for_each(|(name, &number)| texts[number as usize] = name);
        let name = |&signal: &u32| match (texts.is_empty(), variables) {
            (true, Some(variables)) => variables.signals[signal as usize].clone(),
            _ => texts.get(signal as usize).copied().unwrap_or_default().to_owned(),
        };
        let mut list: Vec<(&Vec<u32>, &Pattern)> = self.groups.iter().collect();
        list.sort_by_key(|(key, p)| (std::cmp::Reverse(p.lemmas + p.obligations), (*key).clone()));
        list.truncate(count);
        let named = |(key, pattern): (&Vec<u32>, &Pattern)| {
            // Long lists help nobody.
            let signals = key.iter().take(40).map(name).collect();
            Pattern { signals, ..pattern.clone() }
        };
        list.into_iter().map(named).collect()
    }
}

/// The names in a formula: words that do not begin with a digit.
fn identifiers(text: &str) -> impl Iterator<Item = &str> {
    let is_part = |c: char| c.is_alphanumeric() || "_.$[]".contains(c);
    text.split(move |c: char| !is_part(c)).filter(|word| {
        word.starts_with(|c: char| c.is_alphabetic() || c == '_')
            && !matches!(*word, "true" | "mod" | "div")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_belong_to_words() {
        assert_eq!(word_of("top.count[12]"), "top.count");
        assert_eq!(word_of("memory[3][0]"), "memory[3]");
        for name in ["full", "a]", "[3]", "a[x]", "a[]b"] {
            assert_eq!(word_of(name), name);
        }
        let names: Vec<&str> = identifiers("2·x + y_1 <= 5 & ¬full ∧ m[3] mod 4 = 1").collect();
        assert_eq!(names, ["x", "y_1", "full", "m[3]"]);
    }
}
