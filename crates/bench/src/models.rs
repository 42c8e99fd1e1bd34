//! Which models and programs are run: all below a folder, or the rows of a table.

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

/// What a file holds, by the ending of its name.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// AIGER or BTOR2.
    System,
    /// A program in C.
    C,
    /// A program in Boogie.
    Boogie,
    /// Horn clauses in SMT-LIB.
    Horn,
}

impl Kind {
    /// Of a file of this name; nothing if it is none of them.
    fn of(path: &Path) -> Option<Kind> {
        Some(match path.extension()?.to_str()?.to_ascii_lowercase().as_str() {
            "aig" | "aag" | "btor2" | "btor" => Kind::System,
            "c" | "i" => Kind::C,
            "bpl" => Kind::Boogie,
            "smt2" => Kind::Horn,
            _ => return None,
        })
    }
}

/// A model or program to run.
#[derive(Clone, Debug)]
pub struct Model {
    /// Its name in tables: the path below the folder or as the table has it.
    pub name: String,
    /// Where it is.
    pub path: PathBuf,
    /// What the file holds.
    pub kind: Kind,
    /// What is known of it.
    pub expected: Expected,
    /// The options of `check` that are part of the question: data model, kind of property.
    pub options: Vec<String>,
    /// The group that it is counted in, if the table has groups.
    pub category: String,
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
    let lists = [&request.tiers, &request.categories];
    if request.expected.is_some() || lists.iter().any(|list| !list.is_empty()) {
        let text = "--expected, --tier and --category need a table of models, not a folder";
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
            } else if let Some(kind) = Kind::of(&path).filter(|_| path.is_file()) {
                files.push((path, kind));
            }
        }
    }
    files.sort_by(|(a, _), (b, _)| a.cmp(b));
    let model = |(path, kind): (PathBuf, Kind)| {
        let below = path.strip_prefix(&request.models).unwrap_or(&path).to_owned();
        let set = below.iter().next().unwrap_or_default().to_string_lossy().into_owned();
        let name = printable(&below.to_string_lossy()).into_owned();
        let wanted = request.sets.is_empty() || request.sets.contains(&set);
        let (options, category) = (Vec::new(), String::new());
        let expected = Expected::Unknown;
        wanted.then_some(Model { name, path, kind, expected, options, category })
    };
    Ok(files.into_iter().filter_map(model).collect())
}

/// The options of `check` that the cells of a table stand for: in C the data model and, as
/// SV-COMP writes it, the property. Other languages have no data model and one kind of property.
///
/// # Errors
/// A question that `check` cannot be asked: an answer to another one would be no answer.
fn question(kind: Kind, data_model: &str, property: &str) -> Result<Vec<String>, String> {
    if kind != Kind::C {
        return Ok(Vec::new());
    }
    let mut options = Vec::new();
    match data_model {
        "" => {}
        "ILP32" | "ilp32" => options.extend(["--data-model", "ilp32"]),
        "LP64" | "lp64" => options.extend(["--data-model", "lp64"]),
        other => return Err(format!("the data model `{other}` is neither ILP32 nor LP64")),
    }
    // `unreach-call(reach_error)`: the name of the function is the front end's matter.
    match property.split('(').next().unwrap_or_default() {
        "" | "unreach-call" => {}
        "no-overflow" => options.extend(["--property", "overflow"]),
        _ => {
            return Err(format!(
                "the property `{property}` is neither unreach-call nor no-overflow"
            ));
        }
    }
    Ok(options.into_iter().map(str::to_owned).collect())
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
                format!("{shown}:1: there is no column `{name}`; columns are separated by tabs");
            Error::Input(text)
        };
        column(name).ok_or_else(missing)
    };
    let (file, expected) = (needed("file")?, needed("expected")?);
    let set = if request.sets.is_empty() { None } else { Some(needed("set")?) };
    let tier = if request.tiers.is_empty() { None } else { Some(needed("tier")?) };
    let categories = &request.categories;
    let category = if categories.is_empty() { None } else { Some(needed("category")?) };
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
        let is_selected = as_expected
            && selects(set, &request.sets)?
            && selects(tier, &request.tiers)?
            && selects(category, categories)?;
        if !is_selected {
            continue;
        }
        let path = folder.join(file);
        if !path.is_file() {
            return Err(wrong(format!("there is no file {}", path.display())));
        }
        // What has no known ending is a model, as for `check`.
        let kind = Kind::of(&path).unwrap_or(Kind::System);
        let given = |name| column(name).map(cell).transpose().map(Option::unwrap_or_default);
        let options = question(kind, given("data_model")?, given("property")?).map_err(wrong)?;
        let category = printable(given("category")?).into_owned();
        let name = printable(file).into_owned();
        if seen.insert(name.clone()) {
            models.push(Model { name, path, kind, expected, options, category });
        }
    }
    Ok(models)
}
