//! Task files of BenchExec (`.yml`, format 2.0 and 2.1): which program, which property, which data
//! model. What is not about these is left to others.

use crate::types::DataModel;
use crate::witness::yaml::{self, Yaml};

/// What a task file says.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TaskFile {
    /// The program, relative to the task file.
    pub program: String,
    /// The files of the properties, relative to the task file.
    pub properties: Vec<String>,
    /// The data model, if it names one.
    pub model: Option<DataModel>,
}

/// Reads a task file.
///
/// # Errors
/// What is wrong with it, with the line where there is one.
pub fn read(bytes: &[u8]) -> Result<TaskFile, String> {
    let text = std::str::from_utf8(bytes).map_err(|_| "not UTF-8".to_owned())?;
    let yaml = yaml::parse(text).map_err(|error| format!("line {}: {}", error.line, error.text))?;
    let files = yaml.get("input_files").map(|files| match files {
        Yaml::List(files) => files.iter().filter_map(Yaml::text).collect(),
        Yaml::Scalar(file) => vec![file.as_str()],
        Yaml::Map(_) => Vec::new(),
    });
    let Some([program]) = files.as_deref() else {
        return Err("`input_files` does not name one file".to_owned());
    };
    let model = yaml.get("options").and_then(|options| options.get("data_model"));
    let model = match model.map(|model| model.text().unwrap_or_default()) {
        None => None,
        Some(name) => Some(
            DataModel::named(name)
                .ok_or_else(|| format!("the data model `{name}` is not known"))?,
        ),
    };
    let listed = yaml.get("properties").and_then(Yaml::list).unwrap_or_default();
    let properties = listed.iter().filter_map(|property| property.get("property_file")?.text());
    let properties = properties.map(str::to_owned).collect();
    Ok(TaskFile { program: (*program).to_owned(), properties, model })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_task_says() {
        let text = "format_version: '2.0'\ninput_files: 'a.c' # one\nproperties:\n  \
                    - property_file: ../unreach-call.prp\n    expected_verdict: false\n  \
                    - property_file: ../coverage.prp\noptions:\n  language: C\n  data_model: LP64\n";
        let task = read(text.as_bytes()).expect("a task");
        assert_eq!(task.program, "a.c");
        assert_eq!(task.properties, ["../unreach-call.prp", "../coverage.prp"]);
        assert_eq!(task.model, Some(DataModel::Lp64));
        let list = read(b"input_files: [\"b.i\"]\n").expect("a task");
        assert_eq!((list.program.as_str(), list.model), ("b.i", None));
    }

    #[test]
    fn what_is_wrong_with_a_task() {
        for (text, why) in [
            ("input_files: [a.c, b.c]\n", "`input_files` does not name one file"),
            ("properties: []\n", "`input_files` does not name one file"),
            ("input_files: a.c\noptions:\n  data_model: LLP64\n", "the data model `LLP64` is not"),
            ("input_files: 'a.c\n", "line 1: "),
        ] {
            let found = read(text.as_bytes()).expect_err("an error");
            assert!(found.starts_with(why), "{text}: {found}");
        }
        assert_eq!(read(b"input_files: \xff"), Err("not UTF-8".to_owned()));
    }
}
