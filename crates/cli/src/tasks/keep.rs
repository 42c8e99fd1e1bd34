//! Verdicts of earlier runs of `pedra run`, so that a run goes on where another one ended.
//!
//! A verdict is kept with a mark of all that it depends on: the program itself, the command line
//! and the content of the file. *Required for soundness*: what depends on a file that the mark
//! does not know is not kept. That is a program with lines of the preprocessor, which may include
//! others, and a design in Verilog. Only *proved* and *violated* are kept; what is unknown is tried
//! again.

use pedra_formats::sha256::sha256;
use serde_json::{Value, json};
use std::ffi::OsString;
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::Write;
use std::path::{Path, PathBuf};

/// The file beside `pedra.toml`.
pub const FILE: &str = "pedra.results.jsonl";

/// The verdicts on disk.
pub struct Kept {
    path: PathBuf,
    /// What was there, and what has come: marks, and lines of `pedra check --json`.
    lines: Vec<(String, Value)>,
    /// Why nothing more is written.
    problem: Option<String>,
}

impl Kept {
    /// Those of a folder. Lines that are damaged do not count.
    pub fn open(folder: &Path) -> Kept {
        let path = folder.join(FILE);
        let text = fs::read_to_string(&path).unwrap_or_default();
        let read = |line: &str| {
            let value: Value = serde_json::from_str(line).ok()?;
            Some((value.get("mark")?.as_str()?.to_owned(), value.get("verdict")?.clone()))
        };
        Kept { path, lines: text.lines().filter_map(read).collect(), problem: None }
    }

    /// None, but those of this run will be.
    pub fn none(folder: &Path) -> Kept {
        Kept { path: folder.join(FILE), lines: Vec::new(), problem: None }
    }

    /// The verdicts with a mark whose files are all still there.
    pub fn of(&self, mark: &str) -> Vec<Value> {
        let has_files = |line: &Value| {
            let files = line["files"].as_array().map_or(&[][..], Vec::as_slice);
            files.iter().all(|file| file.as_str().is_some_and(|file| Path::new(file).exists()))
        };
        let own = self.lines.iter().filter(|(known, line)| known == mark && has_files(line));
        own.map(|(_, line)| line.clone()).collect()
    }

    /// Keeps a verdict.
    pub fn add(&mut self, mark: &str, line: &Value) {
        self.lines.push((mark.to_owned(), line.clone()));
        if self.problem.is_some() {
            return;
        }
        let text = format!("{}\n", json!({ "mark": mark, "verdict": line }));
        let opened = fs::OpenOptions::new().create(true).append(true).open(&self.path);
        let written = opened.and_then(|mut file| file.write_all(text.as_bytes()));
        self.problem = written.err().map(|e| format!("{}: {e}", self.path.display()));
    }

    /// After a run of all tasks: only verdicts with these marks stay. Gives why verdicts could not
    /// be kept, if so.
    pub fn close(self, marks: Option<&[String]>) -> Option<String> {
        let (Some(marks), None) = (marks, &self.problem) else { return self.problem };
        let lines = self.lines.iter().filter(|(mark, _)| marks.contains(mark));
        let lines = lines.map(|(mark, line)| json!({ "mark": mark, "verdict": line }).to_string());
        let text: String = lines.map(|line| line + "\n").collect();
        // Without verdicts there is no file.
        let result = match text.is_empty() {
            true if !self.path.exists() => Ok(()),
            true => fs::remove_file(&self.path).map_err(anyhow::Error::from),
            false => crate::output::write_file(&self.path, text.as_bytes()),
        };
        result.err().map(|error| format!("{error:#}"))
    }
}

/// Which program this is: another build of the same version may decide otherwise. None if its file
/// cannot be read.
pub fn build_id() -> Option<String> {
    let program = fs::read(std::env::current_exe().ok()?).ok()?;
    // Builds differ by accident, not by intent, so a quick hash does.
    let mut hasher = DefaultHasher::new();
    program.hash(&mut hasher);
    Some(format!("{} {} {:016x}", env!("CARGO_PKG_VERSION"), program.len(), hasher.finish()))
}

/// What the verdicts of a call depend on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Mark {
    /// All of it, as one hash.
    pub text: String,
    /// The SHA-256 of the file alone.
    pub content: String,
}

/// The mark of a call of `pedra check` by a program; none if its verdicts depend on other files, or
/// the file cannot be read.
pub fn mark(build: &str, files: &[PathBuf], words: &[OsString]) -> Option<Mark> {
    let [path] = files else { return None };
    let mut text = format!("pedra {build}\n");
    for word in words {
        text.push_str(&format!("{word:?}\n"));
    }
    let ending = path.extension().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
    let bytes = fs::read(path).ok()?;
    let includes_others = match ending.as_str() {
        "c" | "i" => pedra_c::needs_preprocessing(&bytes),
        "v" | "sv" => true,
        _ => false,
    };
    if includes_others {
        return None;
    }
    let content = sha256(&bytes);
    text.push_str(&format!("{path:?} {content}\n"));
    Some(Mark { text: sha256(text.as_bytes()), content })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_know_what_verdicts_depend_on() {
        let folder = std::env::temp_dir().join(format!("pedra-keep-{}", std::process::id()));
        fs::create_dir_all(&folder).expect("a temporary folder");
        let file = |name: &str, text: &str| {
            let path = folder.join(name);
            fs::write(&path, text).expect("written");
            vec![path]
        };
        let words = |text: &str| vec![OsString::from(text)];
        let mark = |files: &[PathBuf], words: &[OsString]| mark("1", files, words);
        let first = mark(&file("a.aag", "aag 0 0 0 0 0\n"), &words("--seed=1"));
        assert!(first.is_some());
        assert_eq!(mark(&file("a.aag", "aag 0 0 0 0 0\n"), &words("--seed=1")), first);
        assert_ne!(mark(&file("a.aag", "aag 0 0 0 0 0\n"), &words("--seed=2")), first);
        assert_ne!(mark(&file("a.aag", "aag 1 1 0 0 0\n2\n"), &words("--seed=1")), first);
        let (same, seed) = (file("a.aag", "aag 0 0 0 0 0\n"), words("--seed=1"));
        assert_ne!(super::mark("2", &same, &seed), first);
        assert_eq!(mark(&[folder.join("missing.aag")], &[]), None);
        assert_eq!(mark(&file("a.c", "#include \"b.h\"\n"), &[]), None);
        assert_eq!(mark(&file("a.sv", "module a; endmodule\n"), &[]), None);
        assert!(mark(&file("a.c", "int main(void) { return 0; }\n"), &[]).is_some());
        fs::remove_dir_all(&folder).expect("removed");
    }
}
