//! Signals in RTLIL, bit by bit: `\name`, `\name [3]`, `\name [7:4]`, `{ \high \low }`, `4'01xz`.

use std::collections::{BTreeMap, BTreeSet};
use std::iter::Peekable;

/// A bit of a wire, or a constant: `0`, `1`, `x` or `z`.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Bit {
    /// A constant.
    Constant(char),
    /// A bit of the wire with this number.
    Wire(usize, usize),
}

/// The wires of a module.
#[derive(Default)]
pub(crate) struct Wires<'a> {
    /// Their names and widths.
    all: Vec<(&'a str, usize)>,
    numbers: BTreeMap<&'a str, usize>,
    /// What `connect` makes one: a forest, where roots are not in the map.
    parents: BTreeMap<Bit, Bit>,
}

impl<'a> Wires<'a> {
    /// Adds a wire.
    pub(crate) fn add(&mut self, name: &'a str, width: usize) {
        self.numbers.insert(name, self.all.len());
        self.all.push((name, width));
    }

    /// The bits of a signal, the lowest one first; nothing if it is not the text of one.
    pub(crate) fn bits(&self, text: &str) -> Option<Vec<Bit>> {
        let mut words = text.split_whitespace().peekable();
        let bits = self.signal(&mut words)?;
        words.next().is_none().then_some(bits)
    }

    fn signal<'t>(&self, words: &mut Peekable<impl Iterator<Item = &'t str>>) -> Option<Vec<Bit>> {
        let mut bits = match words.next()? {
            "{" => {
                let mut parts = Vec::new();
                while words.next_if_eq(&"}").is_none() {
                    parts.push(self.signal(words)?);
                }
                parts.into_iter().rev().flatten().collect()
            }
            name if name.starts_with(['\\', '$']) => {
                let number = *self.numbers.get(name)?;
                (0..self.all[number].1).map(|bit| Bit::Wire(number, bit)).collect()
            }
            digits => constant(digits)?,
        };
        while let Some(range) = words.next_if(|word| word.starts_with('[')) {
            let range = range.strip_prefix('[')?.strip_suffix(']')?;
            let (high, low) = range.split_once(':').unwrap_or((range, range));
            let (high, low): (usize, usize) = (high.parse().ok()?, low.parse().ok()?);
            bits = bits.get(low..=high)?.to_vec();
        }
        Some(bits)
    }

    /// Makes the two signals of a `connect` one.
    pub(crate) fn connect(&mut self, text: &str) -> Option<()> {
        let mut words = text.split_whitespace().peekable();
        let (left, right) = (self.signal(&mut words)?, self.signal(&mut words)?);
        for (left, right) in left.into_iter().zip(right) {
            let (left, right) = (self.root(left), self.root(right));
            // A constant stays the root, so that it is seen.
            match (left, right) {
                _ if left == right => {}
                (Bit::Constant(_), Bit::Wire(..)) => drop(self.parents.insert(right, left)),
                _ => drop(self.parents.insert(left, right)),
            }
        }
        Some(())
    }

    /// The one bit that stands for all that are connected to this one.
    pub(crate) fn root(&self, mut bit: Bit) -> Bit {
        while let Some(parent) = self.parents.get(&bit) {
            bit = *parent;
        }
        bit
    }

    /// Which connected bits have a name of the source, by their roots; and bits with one that are
    /// connected to no other.
    pub(crate) fn with_source_names(&self) -> BTreeSet<Bit> {
        let mut found = BTreeSet::new();
        for (number, (name, width)) in self.all.iter().enumerate() {
            if name.starts_with('\\') {
                found.extend((0..*width).map(|bit| self.root(Bit::Wire(number, bit))));
            }
        }
        found
    }

    /// The name of the wire of a bit.
    pub(crate) fn name(&self, bit: Bit) -> &'a str {
        match bit {
            Bit::Wire(number, _) => self.all[number].0,
            Bit::Constant(_) => "",
        }
    }

    /// A bit as RTLIL has it.
    pub(crate) fn text(&self, bit: Bit) -> String {
        match bit {
            Bit::Constant(value) => format!("1'{value}"),
            Bit::Wire(number, _) if self.all[number].1 == 1 => self.all[number].0.to_owned(),
            Bit::Wire(number, bit) => format!("{} [{bit}]", self.all[number].0),
        }
    }
}

/// `4'01xz`, or a number of 32 bits.
pub(crate) fn constant(text: &str) -> Option<Vec<Bit>> {
    if let Some((_, digits)) = text.split_once('\'') {
        let digits = digits.strip_prefix('s').unwrap_or(digits);
        return Some(digits.chars().rev().map(Bit::Constant).collect());
    }
    let number: i32 = text.parse().ok()?;
    let digit = |bit: usize| if number >> bit & 1 == 1 { '1' } else { '0' };
    Some((0..32).map(|bit| Bit::Constant(digit(bit))).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signals_bit_by_bit() {
        let mut wires = Wires::default();
        wires.add("\\a", 4);
        wires.add("$b[0:0]", 1);
        let text = |signal: &str| {
            let bits = wires.bits(signal)?;
            Some(bits.into_iter().map(|bit| wires.text(bit)).collect::<Vec<_>>().join(","))
        };
        assert_eq!(text("\\a [2:1]").as_deref(), Some("\\a [1],\\a [2]"));
        assert_eq!(
            text("{ \\a [3] { $b[0:0] 2'1x } }").as_deref(),
            Some("1'x,1'1,$b[0:0],\\a [3]")
        );
        assert_eq!(text("5 [2:0]").as_deref(), Some("1'1,1'0,1'1"));
        assert_eq!(text("{ }").as_deref(), Some(""));
        for wrong in ["\\a [4]", "\\c", "{ \\a", "\\a \\a"] {
            assert_eq!(text(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn connected_bits_are_one() {
        let mut wires = Wires::default();
        wires.add("$a", 2);
        wires.add("\\b", 1);
        wires.add("$c", 1);
        wires.connect("$a { 1'0 \\b }").expect("signals");
        wires.connect("$c $a [0]").expect("signals");
        let bit = |text: &str| wires.root(wires.bits(text).expect("a signal")[0]);
        assert_eq!(bit("$a [1]"), Bit::Constant('0'));
        assert_eq!(bit("$c"), bit("\\b"));
        assert!(wires.with_source_names().contains(&bit("$c")));
    }
}
