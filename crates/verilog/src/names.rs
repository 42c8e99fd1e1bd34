//! Properties by the names of the source: the label with the path of instances, or the place.

use crate::facts::PropertyCell;
use crate::place::Place;
use std::collections::BTreeMap;

/// What a property asks.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// It always holds.
    Assert,
    /// It happens in some run.
    Cover,
}

/// What people call the property: `u1.label`, or `u1 file.sv:12` without a label.
pub fn name(cell: &PropertyCell, place: Option<&Place>) -> String {
    if let Some(label) = cell.name.strip_prefix('\\') {
        return label.to_owned();
    }
    let place = place.map_or_else(|| cell.name.clone(), |place| place.to_string());
    match instances(&cell.name) {
        Some(path) => format!("{path} {place}"),
        None => place,
    }
}

/// The instances in a name that `flatten` made: `$flatten\u1.\u2.$assert$…` is in `u1.u2`.
fn instances(name: &str) -> Option<String> {
    let mut rest = name.strip_prefix("$flatten")?;
    let mut path: Vec<&str> = Vec::new();
    while let Some(inner) = rest.strip_prefix('\\') {
        let end = [".\\", ".$"].into_iter().filter_map(|mark| inner.find(mark)).min()?;
        path.push(&inner[..end]);
        rest = &inner[end + 1..];
    }
    (!path.is_empty()).then(|| path.join("."))
}

/// Gives each of several equal names a number: `a`, `a#2`, `a#3`.
pub fn make_unique(names: &mut [String]) {
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    for name in names {
        let count = seen.entry(name.clone()).or_default();
        *count += 1;
        if *count > 1 {
            *name = format!("{name}#{count}");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_the_source() {
        let named = |name: &str, file: &str| {
            let cell = PropertyCell { name: name.to_owned(), ..PropertyCell::default() };
            let place = Place { file: file.to_owned(), line: 3, column: 1 };
            super::name(&cell, Some(&place).filter(|_| !file.is_empty()))
        };
        assert_eq!(named("\\u.safe", "a.sv"), "u.safe");
        assert_eq!(named("$assert$a.sv:3$1", "a.sv"), "a.sv:3");
        assert_eq!(named("$flatten\\u1.\\u2.$assert$a.sv:3$1", "a b.sv"), "u1.u2 a b.sv:3");
        assert_eq!(named("$odd", ""), "$odd");
    }

    #[test]
    fn equal_names_are_told_apart() {
        let mut names = ["a", "b", "a", "a"].map(str::to_owned);
        make_unique(&mut names);
        assert_eq!(names, ["a", "b", "a#2", "a#3"]);
    }
}
