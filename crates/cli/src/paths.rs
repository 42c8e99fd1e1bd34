//! Which files a run reads, and which it writes. *Required*: no output replaces an input, and no
//! two outputs are one file, also by a link or by a name that is made from another one.

use crate::args::CheckArgs;
use crate::evidence::{ending, for_property, overwrites_input, refuse_unwritable};
use crate::load::InputError;
use crate::output::{is_stream, place_of, same_file};
use crate::view::plot;
use pedra_model::property::Property;
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// A file that is asked for.
#[derive(Clone, Debug)]
pub struct Output {
    /// As it was named.
    pub path: PathBuf,
    /// Whether each of several properties has its own, by a name that is made from this one.
    pub by_property: bool,
    /// Whether it may replace a source: a test is one.
    pub is_source: bool,
}

impl CheckArgs {
    /// The files that are read, as far as they are named.
    pub fn inputs(&self) -> Vec<PathBuf> {
        let script = self.verilog.script.iter();
        std::iter::once(&self.model).chain(&self.more).chain(script).cloned().collect()
    }

    /// The files that are written, but for report files.
    pub fn outputs(&self) -> Vec<Output> {
        let CheckArgs { trace, vcd, certificate, witness, test, record, report, .. } = self;
        // Each with whether properties have their own, and whether it is a source.
        let named = [
            (trace, true, false),
            (vcd, true, false),
            (certificate, true, false),
            (witness, true, false),
            (record, false, false),
            (report, false, false),
            (test, true, true),
        ];
        let named = named.into_iter().filter_map(|(path, by_property, is_source)| {
            Some(Output { path: path.clone()?, by_property, is_source })
        });
        let pictures = self.plots.iter().flat_map(|prefix| plot::all_paths(prefix));
        let whole = |path| Output { path, by_property: false, is_source: false };
        named.chain(pictures.map(whole)).collect()
    }
}

/// Refuses, before anything runs, outputs that could not be written, and those that would replace
/// an input or each other.
///
/// # Errors
/// The first such output.
pub fn refuse_clashes(
    outputs: &[Output],
    inputs: &[PathBuf],
    properties: &[Property],
) -> Result<(), InputError> {
    let mut taken: HashMap<PathBuf, usize> = HashMap::new();
    for (i, output) in outputs.iter().enumerate() {
        let several = properties.len() > 1 && output.by_property;
        let name = |&property: &Property| for_property(&output.path, property, several);
        let last = properties.last().map_or_else(|| output.path.clone(), name);
        refuse_unwritable(&last)?;
        let names: Vec<PathBuf> = match several {
            true => properties.iter().map(name).collect(),
            false => vec![output.path.clone()],
        };
        for path in &names {
            // An input is there.
            refuse_input(path, output.is_source, inputs)?;
            let Some(place) = place_of(path) else { continue };
            if taken.insert(place, i).is_some_and(|other| other != i) {
                return Err(twice(path));
            }
        }
        if outputs[..i].iter().any(|other| same_file(&output.path, &other.path)) {
            return Err(twice(&output.path));
        }
    }
    Ok(())
}

/// Endings of sources, which may be included by others that were named.
const SOURCES: [&str; 9] = ["c", "h", "i", "v", "sv", "vh", "svh", "bpl", "ys"];

/// Refuses an output that is there as an input, or as a source that may be one.
///
/// # Errors
/// If so.
pub fn refuse_input(path: &Path, is_source: bool, inputs: &[PathBuf]) -> Result<(), InputError> {
    if !path.exists() || is_stream(path) {
        return Ok(());
    }
    if let Some(first) = inputs.iter().position(|input| same_file(path, input)) {
        let is_model = first == 0 && ending(path) != "toml";
        return Err(overwrites_input(path, is_model));
    }
    if !is_source && SOURCES.contains(&ending(path).as_str()) {
        let text = "a source with this name is there; choose another name";
        return Err(InputError(format!("{}: {text}", path.display())));
    }
    Ok(())
}

/// The complaint about two outputs in one file.
pub fn twice(path: &Path) -> InputError {
    InputError(format!("{}: named for two files; each needs a different name", path.display()))
}

/// Whether an output may be this file, whatever properties there are: `o.vcd` may be `o.b2.vcd`.
pub fn may_be(output: &Output, path: &Path) -> bool {
    if same_file(&output.path, path) {
        return true;
    }
    let (Some(own), Some(other)) = (place_of(&output.path), place_of(path)) else { return false };
    let stem = |path: &Path| path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let (own_stem, other_stem) = (stem(&own), stem(&other));
    let number = match own.extension() {
        Some(_) => other_stem.strip_prefix(&format!("{own_stem}.")).map(str::to_owned),
        None => other
            .extension()
            .filter(|_| own_stem == other_stem)
            .map(|number| number.to_string_lossy().into_owned()),
    };
    let is_number = |number: String| {
        let digits = number.strip_prefix(['b', 'j']);
        digits.is_some_and(|digits| digits.parse::<usize>().is_ok())
    };
    let same_ending = own.extension().is_none() || own.extension() == other.extension();
    output.by_property
        && own.parent() == other.parent()
        && same_ending
        && number.is_some_and(is_number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_are_made_from_others() {
        let may_be = |name: &str, other: &str| {
            let output = Output { path: name.into(), by_property: true, is_source: false };
            may_be(&output, Path::new(other))
        };
        assert!(may_be("o.vcd", "./o.vcd"));
        assert!(may_be("o.vcd", "o.b0.vcd") && may_be("o.vcd", "./o.j12.vcd"));
        assert!(may_be("o", "o.b0"));
        for other in ["o.b0.wit", "o.bx.vcd", "p.b0.vcd", "o.b0.b0.vcd", "o.vcd.b0", "src/o.b0.vcd"]
        {
            assert!(!may_be("o.vcd", other), "{other}");
        }
        assert!(!may_be("-", "-.b0"));
    }
}
