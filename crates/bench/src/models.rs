//! Which models are run: all below a folder, or the rows of a table.

use crate::Request;
use crate::error::{Error, Result};
use pedra_formats::text::printable;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// What is known of a model beforehand.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Expected {
    /// All its properties hold.
    Safe,
    /// Some property can be violated.
    Unsafe,
    /// Nothing.
    Unknown,
}

impl Expected {
    /// As the tables have it.
    pub fn text(self) -> &'static str {
        match self {
            Expected::Safe => "safe",
            Expected::Unsafe => "unsafe",
            Expected::Unknown => "unknown",
        }
    }

    /// The reverse; nothing stands for unknown.
    pub fn parse(text: &str) -> Option<Expected> {
        Some(match text {
            "safe" => Expected::Safe,
            "unsafe" => Expected::Unsafe,
            "unknown" | "" => Expected::Unknown,
            _ => return None,
        })
    }
}

/// A model to run.
#[derive(Clone, Debug)]
pub struct Model {
    /// Its name in tables: the path below the folder or as the table has it.
    pub name: String,
    /// Where it is.
    pub path: PathBuf,
    /// What is known of it.
    pub expected: Expected,
}

/// The models that are asked for.
pub fn find(request: &Request) -> Result<Vec<Model>> {
    let models = if request.models.is_dir() { from_folder(request)? } else { from_table(request)? };
    if models.is_empty() {
        let path = request.models.display();
        return Err(Error::Input(format!("{path}: no models found (or none that was selected)")));
    }
    Ok(models)
}

/// All files with a model's ending, below a folder; the set is the first folder on the way.
fn from_folder(request: &Request) -> Result<Vec<Model>> {
    let selects_by_table = request.expected.is_some() || !request.tiers.is_empty();
    if selects_by_table {
        let text = "--expected and --tier need a table of models, not a folder";
        return Err(Error::Input(text.to_owned()));
    }
    let mut folders = vec![request.models.clone()];
    let mut files = Vec::new();
    while let Some(folder) = folders.pop() {
        let complain =
            |e: std::io::Error| Error::Input(format!("{}: cannot be read: {e}", folder.display()));
        for entry in fs::read_dir(&folder).map_err(complain)? {
            let entry = entry.map_err(complain)?;
            let path = entry.path();
            // Links to folders could lead in a circle: only links to files are followed.
            if entry.file_type().map_err(complain)?.is_dir() {
                folders.push(path);
            } else if is_model(&path) && path.is_file() {
                files.push(path);
            }
        }
    }
    files.sort();
    let model = |path: PathBuf| {
        let below = path.strip_prefix(&request.models).unwrap_or(&path).to_owned();
        let set = below.iter().next().unwrap_or_default().to_string_lossy().into_owned();
        let name = printable(&below.to_string_lossy()).into_owned();
        let wanted = request.sets.is_empty() || request.sets.contains(&set);
        wanted.then_some(Model { name, path, expected: Expected::Unknown })
    };
    Ok(files.into_iter().filter_map(model).collect())
}

fn is_model(path: &Path) -> bool {
    let endings = ["aig", "aag", "btor2", "btor"];
    path.extension().is_some_and(|ending| endings.iter().any(|e| ending.eq_ignore_ascii_case(e)))
}

/// The rows of a table with tabs, whose first line names the columns.
fn from_table(request: &Request) -> Result<Vec<Model>> {
    let shown = request.models.display();
    let text = fs::read_to_string(&request.models)
        .map_err(|e| Error::Input(format!("{shown}: cannot be read: {e}")))?;
    let mut lines = text.lines().enumerate();
    let header: Vec<&str> = lines.next().unwrap_or_default().1.split('\t').collect();
    let column = |name: &str| header.iter().position(|h| *h == name);
    let needed = |name: &str| {
        let missing = || {
            let text =
                format!("{shown}:1: there is no column `{name}`; columns are parted by tabs");
            Error::Input(text)
        };
        column(name).ok_or_else(missing)
    };
    let (file, expected) = (needed("file")?, needed("expected")?);
    let set = if request.sets.is_empty() { None } else { Some(needed("set")?) };
    let tier = if request.tiers.is_empty() { None } else { Some(needed("tier")?) };
    let folder = request.models.parent().unwrap_or(Path::new("."));
    let mut seen = BTreeSet::new();
    let mut models = Vec::new();
    for (number, line) in lines.filter(|(_, line)| !line.is_empty()) {
        let wrong = |what: String| Error::Input(format!("{shown}:{}: {what}", number + 1));
        let cells: Vec<&str> = line.split('\t').collect();
        let cell = |at: usize| {
            let missing = || wrong(format!("the row has no column `{}`", header[at]));
            cells.get(at).copied().ok_or_else(missing)
        };
        let selects = |at: Option<usize>, list: &[String]| -> Result<bool> {
            Ok(at.map(cell).transpose()?.is_none_or(|c| list.iter().any(|l| l == c)))
        };
        let (file, known) = (cell(file)?, cell(expected)?);
        let expected = Expected::parse(known)
            .ok_or_else(|| wrong(format!("`{known}` is neither safe, unsafe nor unknown")))?;
        let as_expected = request.expected.is_none_or(|wanted| wanted == expected);
        if !as_expected || !selects(set, &request.sets)? || !selects(tier, &request.tiers)? {
            continue;
        }
        let path = folder.join(file);
        if !path.is_file() {
            return Err(wrong(format!("there is no file {}", path.display())));
        }
        let name = printable(file).into_owned();
        if seen.insert(name.clone()) {
            models.push(Model { name, path, expected });
        }
    }
    Ok(models)
}
