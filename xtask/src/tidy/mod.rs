//! Style as a failing test. Each rule is one small function from a file to its violations; the
//! exceptions are the tables at the top of the rules' files, so that each of them is a decision
//! that one can read.

pub mod dependencies;
pub mod dialect;
pub mod left_out;
pub mod sizes;
pub mod source;
pub mod text;
pub mod words;

use source::Line;
use std::fmt;
use std::path::Path;
use std::process::Command;

/// One broken rule.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Violation {
    /// The file, from the root of the repository.
    pub file: String,
    /// The line, from 1.
    pub line: usize,
    /// What is wrong, and what to do if that is not clear.
    pub what: String,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.file, self.line, self.what)
    }
}

/// A tracked text file.
pub struct File {
    /// The path from the root of the repository, with `/` between its parts.
    pub path: String,
    /// All of the text.
    pub text: String,
    /// The lines split into code and comments, if it is a Rust file.
    pub lines: Vec<Line>,
}

impl File {
    /// A file from its path and text.
    pub fn new(path: &str, text: &str) -> File {
        let lines = if path.ends_with(".rs") { source::split(text) } else { Vec::new() };
        File { path: path.into(), text: text.into(), lines }
    }

    /// True for Rust files.
    pub fn is_rust(&self) -> bool {
        self.path.ends_with(".rs")
    }

    /// True for files that we write by hand in lines: code, documents and settings. Models and
    /// lock files are none.
    pub fn is_written(&self) -> bool {
        let name = self.path.rsplit('/').next().unwrap_or(&self.path);
        let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
        matches!(ending, "rs" | "md" | "toml" | "sh" | "yml" | "yaml" | "js" | "css")
            || self.path == ".ci/run"
    }

    /// True if the whole file exists only for tests.
    pub fn is_test(&self) -> bool {
        self.path.contains("/tests/")
            || self.path.ends_with("/tests.rs")
            || self.path.ends_with("_tests.rs")
    }

    /// A violation in this file; `index` counts lines from 0.
    pub fn violation(&self, index: usize, what: impl Into<String>) -> Violation {
        Violation { file: self.path.clone(), line: index + 1, what: what.into() }
    }
}

/// A rule.
type Rule = fn(&File) -> Vec<Violation>;

/// Every rule about single files.
const RULES: &[Rule] = &[
    words::unfinished,
    words::ignored_tests,
    words::unwraps,
    words::prints,
    words::unsafe_code,
    words::commented_out,
    dialect::phrases,
    text::module_head,
    text::white_space,
    text::long_lines,
    text::machine_paths,
    sizes::long_files,
    sizes::long_functions,
    dependencies::edges,
];

/// All violations in one file.
pub fn check(file: &File) -> Vec<Violation> {
    RULES.iter().flat_map(|rule| rule(file)).collect()
}

/// All violations in our files under `root`, in order.
pub fn check_tree(root: &Path) -> Vec<Violation> {
    let mut violations = Vec::new();
    let paths = tracked(root).unwrap_or_else(|| present(root));
    violations.extend(left_out::tests(root, &paths));
    for path in paths {
        // A tracked file may be deleted in the working tree, and models may be binary.
        let Ok(bytes) = std::fs::read(root.join(&path)) else { continue };
        let Ok(text) = String::from_utf8(bytes) else { continue };
        violations.extend(check(&File::new(&path, &text)));
    }
    violations.sort();
    violations
}

/// The paths of the files that git tracks; none if there is no git or no history.
fn tracked(root: &Path) -> Option<Vec<String>> {
    if !root.join(".git").exists() {
        return None;
    }
    let output = Command::new("git").args(["ls-files", "-z"]).current_dir(root).output().ok()?;
    if !output.status.success() {
        return None;
    }
    let paths = output.stdout.split(|&byte| byte == 0).filter(|path| !path.is_empty());
    Some(paths.map(|path| String::from_utf8_lossy(path).into_owned()).collect())
}

/// The paths of all files but those that programs leave behind.
fn present(root: &Path) -> Vec<String> {
    const LEFT_BEHIND: &[&str] = &[".git", "target", "corpus", "artifacts"];
    let (mut files, mut folders) = (Vec::new(), vec![String::new()]);
    while let Some(folder) = folders.pop() {
        let Ok(entries) = std::fs::read_dir(root.join(&folder)) else { continue };
        for entry in entries.flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
            let path = if folder.is_empty() { name.clone() } else { format!("{folder}/{name}") };
            match is_folder {
                true if LEFT_BEHIND.contains(&name.as_str()) => {}
                true => folders.push(path),
                false => files.push(path),
            }
        }
    }
    files
}

/// The root of the repository.
pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("this package lies in the repository")
}

/// Checks in tests that a rule finds exactly these lines of a file.
#[cfg(test)]
fn expect_lines(rule: Rule, path: &str, text: &str, lines: &[usize]) {
    let found: Vec<usize> = rule(&File::new(path, text)).iter().map(|v| v.line).collect();
    assert_eq!(found, lines, "{path}\n{text}");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn violations_name_their_place() {
        let file = File::new("crates/model/src/a.rs", "//! A.\nfn a() { todo!() }\n");
        let all: Vec<String> = check(&file).iter().map(Violation::to_string).collect();
        assert_eq!(all, ["crates/model/src/a.rs:2: `todo!` in code"]);
    }

    /// Without git the files are found all the same, and nothing that was built.
    #[test]
    fn files_without_git() {
        let files = present(root());
        assert!(files.iter().any(|path| path == "xtask/src/tidy/mod.rs"));
        assert!(!files.iter().any(|path| path.starts_with("target/") || path.starts_with(".git/")));
    }

    #[test]
    fn kinds_of_files() {
        for (path, written, test) in [
            ("crates/a/src/b.rs", true, false),
            ("crates/a/src/b_tests.rs", true, true),
            ("crates/a/tests/common/mod.rs", true, true),
            (".ci/run", true, false),
            ("models/a.aag", false, false),
            ("Cargo.lock", false, false),
        ] {
            let file = File::new(path, "");
            assert_eq!((file.is_written(), file.is_test()), (written, test), "{path}");
        }
    }
}
