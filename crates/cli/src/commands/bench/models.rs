//! Which models are run: all below a folder, or the rows of a table.

use crate::args::{BenchArgs, ExpectedName};
use crate::evidence::ending;
use crate::load::InputError;
use crate::output::printable;
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

/// The models that the arguments ask for.
pub fn find(args: &BenchArgs) -> Result<Vec<Model>, InputError> {
    let models = if args.models.is_dir() { from_folder(args)? } else { from_table(args)? };
    if models.is_empty() {
        let path = args.models.display();
        return Err(InputError(format!("{path}: no models found (or none that was selected)")));
    }
    Ok(models)
}

/// All files with a model's ending, below a folder; the set is the first folder on the way.
fn from_folder(args: &BenchArgs) -> Result<Vec<Model>, InputError> {
    let selects_by_table = args.expected.is_some() || !args.tier.is_empty();
    if selects_by_table {
        let text = "--expected and --tier need a table of models, not a folder";
        return Err(InputError(text.to_owned()));
    }
    let mut folders = vec![args.models.clone()];
    let mut files = Vec::new();
    while let Some(folder) = folders.pop() {
        let complain =
            |e: std::io::Error| InputError(format!("{}: cannot be read: {e}", folder.display()));
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
        let below = path.strip_prefix(&args.models).unwrap_or(&path).to_owned();
        let set = below.iter().next().unwrap_or_default().to_string_lossy().into_owned();
        let name = printable(&below.to_string_lossy()).into_owned();
        let wanted = args.sets.is_empty() || args.sets.contains(&set);
        wanted.then_some(Model { name, path, expected: Expected::Unknown })
    };
    Ok(files.into_iter().filter_map(model).collect())
}

fn is_model(path: &Path) -> bool {
    matches!(ending(path).as_str(), "aig" | "aag" | "btor2" | "btor")
}

/// The rows of a table with tabs, whose first line names the columns.
fn from_table(args: &BenchArgs) -> Result<Vec<Model>, InputError> {
    let shown = args.models.display();
    let text = fs::read_to_string(&args.models)
        .map_err(|e| InputError(format!("{shown}: cannot be read: {e}")))?;
    let mut lines = text.lines().enumerate();
    let header: Vec<&str> = lines.next().unwrap_or_default().1.split('\t').collect();
    let column = |name: &str| header.iter().position(|h| *h == name);
    let needed = |name: &str| {
        let missing = || {
            let text =
                format!("{shown}:1: there is no column `{name}`; columns are parted by tabs");
            InputError(text)
        };
        column(name).ok_or_else(missing)
    };
    let (file, expected) = (needed("file")?, needed("expected")?);
    let set = if args.sets.is_empty() { None } else { Some(needed("set")?) };
    let tier = if args.tier.is_empty() { None } else { Some(needed("tier")?) };
    let folder = args.models.parent().unwrap_or(Path::new("."));
    let mut seen = BTreeSet::new();
    let mut models = Vec::new();
    for (number, line) in lines.filter(|(_, line)| !line.is_empty()) {
        let wrong = |what: String| InputError(format!("{shown}:{}: {what}", number + 1));
        let cells: Vec<&str> = line.split('\t').collect();
        let cell = |at: usize| {
            let missing = || wrong(format!("the row has no column `{}`", header[at]));
            cells.get(at).copied().ok_or_else(missing)
        };
        let selects = |at: Option<usize>, list: &[String]| -> Result<bool, InputError> {
            Ok(at.map(cell).transpose()?.is_none_or(|c| list.iter().any(|l| l == c)))
        };
        let (file, known) = (cell(file)?, cell(expected)?);
        let expected = Expected::parse(known)
            .ok_or_else(|| wrong(format!("`{known}` is neither safe, unsafe nor unknown")))?;
        let as_expected = match args.expected {
            None => true,
            Some(ExpectedName::Safe) => expected == Expected::Safe,
            Some(ExpectedName::Unsafe) => expected == Expected::Unsafe,
        };
        if !as_expected || !selects(set, &args.sets)? || !selects(tier, &args.tier)? {
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
