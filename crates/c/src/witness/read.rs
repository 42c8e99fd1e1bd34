//! Witnesses from YAML.

use super::yaml::{Yaml, YamlError, parse};
use super::{Constraint, Content, Invariant, Metadata, Place, Waypoint, Witness};
use crate::types::DataModel;

/// Longer files are refused.
const MAX_BYTES: usize = 64 << 20;

type Read<T> = Result<T, String>;

/// Reads a witness.
///
/// # Errors
/// Why the text is none, with the line if it is not even YAML.
pub fn read(bytes: &[u8]) -> Result<Witness, String> {
    if bytes.len() > MAX_BYTES {
        return Err(format!("the file is longer than {} MiB", MAX_BYTES >> 20));
    }
    let utf8 = std::str::from_utf8(bytes).map_err(|_| "the file is not UTF-8".to_owned())?;
    let yaml = parse(utf8).map_err(|error: YamlError| error.to_string())?;
    let entries = yaml.list().ok_or("a witness is a sequence of entries")?;
    let [entry] = entries else {
        let count = entries.len();
        return Err(format!("a witness has one entry, and this file has {count}"));
    };
    let content = match entry.get("content").ok_or("the entry has no content")? {
        Yaml::List(content) => content.as_slice(),
        // An empty sequence may be written as nothing.
        Yaml::Scalar(text) if text.is_empty() => &[],
        _ => return Err("the content is not a sequence".to_owned()),
    };
    let content = match text(entry, "entry_type")?.as_str() {
        "violation_sequence" => {
            Content::Violation(content.iter().map(segment).collect::<Read<_>>()?)
        }
        "invariant_set" => {
            Content::Correctness(content.iter().map(invariant).collect::<Read<_>>()?)
        }
        other => {
            let known = "only violation_sequence and invariant_set are";
            return Err(format!("entries of type {other} are not supported, {known}"));
        }
    };
    Ok(Witness { metadata: metadata(entry)?, content })
}

fn text(yaml: &Yaml, key: &str) -> Read<String> {
    let value = yaml.get(key).and_then(Yaml::text);
    value.map(str::to_owned).ok_or_else(|| format!("`{key}` is missing"))
}

fn metadata(entry: &Yaml) -> Read<Metadata> {
    let meta = entry.get("metadata").ok_or("the entry has no metadata")?;
    let format_version = text(meta, "format_version")?;
    if !matches!(format_version.as_str(), "2.0" | "2.1") {
        return Err(format!("format version {format_version} is not supported, only 2.0 and 2.1"));
    }
    let producer = meta.get("producer");
    let of = |key: &str| producer.and_then(|p| text(p, key).ok()).unwrap_or_default();
    let task = meta.get("task").ok_or("the metadata has no task")?;
    let hashes = match task.get("input_file_hashes") {
        Some(Yaml::Map(entries)) => entries.clone(),
        _ => Vec::new(),
    };
    let hashes = hashes.into_iter().map(|(file, hash)| {
        let hash = hash.text().unwrap_or_default().to_owned();
        (file, hash)
    });
    let model = text(task, "data_model")?;
    let data_model =
        DataModel::named(&model).ok_or_else(|| format!("the data model `{model}` is not known"))?;
    Ok(Metadata {
        format_version,
        uuid: text(meta, "uuid").unwrap_or_default(),
        creation_time: text(meta, "creation_time").unwrap_or_default(),
        producer: (of("name"), of("version")),
        input_files: hashes.collect(),
        specification: text(task, "specification")?,
        data_model,
    })
}

fn place(yaml: &Yaml) -> Read<Place> {
    let location = yaml.get("location").ok_or("a location is missing")?;
    let number = |key: &str| -> Read<Option<u32>> {
        match location.get(key).and_then(Yaml::text).filter(|t| !t.is_empty()) {
            None => Ok(None),
            Some(digits) => match digits.parse::<u32>() {
                Ok(number) if number > 0 => Ok(Some(number)),
                _ => Err(format!("`{key}: {digits}` is not a number from 1 on")),
            },
        }
    };
    Ok(Place {
        file: text(location, "file_name").unwrap_or_default(),
        line: number("line")?.ok_or("a location has no line")?,
        column: number("column")?,
        function: text(location, "function").ok(),
    })
}

fn invariant(yaml: &Yaml) -> Read<Invariant> {
    let yaml = yaml.get("invariant").ok_or("an item of the content is not an invariant")?;
    let is_loop = match text(yaml, "type")?.as_str() {
        "loop_invariant" => true,
        "location_invariant" => false,
        other => return Err(format!("invariants of type {other} are not supported")),
    };
    c_expression(yaml)?;
    Ok(Invariant { is_loop, place: place(yaml)?, value: text(yaml, "value")? })
}

/// That an expression is one of C.
fn c_expression(yaml: &Yaml) -> Read<()> {
    match yaml.get("format").and_then(Yaml::text) {
        None | Some("c_expression" | "ext_c_expression") => Ok(()),
        Some(other) => Err(format!("expressions in the format {other} are not supported")),
    }
}

fn segment(yaml: &Yaml) -> Read<Vec<Waypoint>> {
    let items = yaml.get("segment").and_then(Yaml::list).ok_or("a segment is not a sequence")?;
    let waypoints: Vec<Waypoint> = items.iter().map(waypoint).collect::<Read<_>>()?;
    let follows = waypoints.iter().filter(|waypoint| !waypoint.is_avoided).count();
    match follows == 1 && waypoints.last().is_some_and(|last| !last.is_avoided) {
        true => Ok(waypoints),
        false => Err("a segment does not have one waypoint to follow, at its end".to_owned()),
    }
}

fn waypoint(yaml: &Yaml) -> Read<Waypoint> {
    let yaml = yaml.get("waypoint").ok_or("an item of a segment is not a waypoint")?;
    let value = || match yaml.get("constraint") {
        Some(constraint) => text(constraint, "value"),
        None => Err("a waypoint has no constraint".to_owned()),
    };
    let constraint = match text(yaml, "type")?.as_str() {
        "assumption" => {
            c_expression(yaml.get("constraint").unwrap_or(yaml))?;
            Constraint::Assumption(value()?)
        }
        "branching" => Constraint::Branching(value()?),
        "function_enter" => Constraint::FunctionEnter,
        "function_return" => Constraint::FunctionReturn(value()?),
        "target" => Constraint::Target,
        other => return Err(format!("waypoints of type {other} are not supported")),
    };
    let is_avoided = match text(yaml, "action")?.as_str() {
        "follow" => false,
        "avoid" => true,
        other => return Err(format!("waypoints with the action {other} are not supported")),
    };
    Ok(Waypoint { constraint, is_avoided, place: place(yaml)? })
}
