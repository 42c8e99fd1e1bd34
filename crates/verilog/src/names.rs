//! Properties by the names of the source: the label with the path of instances, or the place.

use crate::rtlil::PropertyCell;
use std::collections::BTreeMap;

/// What a property asks.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// It always holds.
    Assert,
    /// It happens in some run.
    Cover,
}

/// A place in a source.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// The file, as it was given.
    pub file: String,
    /// The line, from 1.
    pub line: u32,
    /// The column, from 1.
    pub column: u32,
}

impl std::fmt::Display for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}", self.file, self.line)
    }
}

/// The place of a cell: of its own statement, not of the instances around it, which come first.
pub fn place(src: &str) -> Option<Place> {
    let own = src.rsplit('|').next()?;
    let (file, range) = own.rsplit_once(':')?;
    let start = range.split('-').next()?;
    let (line, column) = start.split_once('.').unwrap_or((start, "1"));
    Some(Place { file: file.to_owned(), line: line.parse().ok()?, column: column.parse().ok()? })
}

/// What people call the property: `u1.label`, or `u1 file.sv:12` without a label.
pub fn name(cell: &PropertyCell) -> String {
    if let Some(label) = cell.name.strip_prefix('\\') {
        return label.to_owned();
    }
    let place = place(&cell.src).map_or_else(|| cell.name.clone(), |place| place.to_string());
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
        let named = |name: &str, src: &str| {
            let flavor = "assert".to_owned();
            super::name(&PropertyCell { flavor, name: name.to_owned(), src: src.to_owned() })
        };
        assert_eq!(named("\\u.safe", "a.sv:3.1-3.9"), "u.safe");
        assert_eq!(named("$assert$a.sv:3$1", "a.sv:3.1-3.9"), "a.sv:3");
        let src = "top.sv:9.1-9.2|dir/a b.sv:3.5-3.9";
        assert_eq!(named("$flatten\\u1.\\u2.$assert$a.sv:3$1", src), "u1.u2 dir/a b.sv:3");
        assert_eq!(named("$odd", ""), "$odd");
        let place = place(src).expect("a place");
        assert_eq!((place.line, place.column), (3, 5));
    }

    #[test]
    fn equal_names_are_told_apart() {
        let mut names = ["a", "b", "a", "a"].map(str::to_owned);
        make_unique(&mut names);
        assert_eq!(names, ["a", "b", "a#2", "a#3"]);
    }
}
