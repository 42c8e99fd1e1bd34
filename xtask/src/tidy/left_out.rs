//! Integration tests of a crate are one program, `tests/main.rs`, which names its files. One that
//! it does not name would never run.

use super::Violation;
use std::path::Path;

/// The test files that their crate's program of tests does not name.
pub fn tests(root: &Path, paths: &[String]) -> Vec<Violation> {
    let forgotten = |path: &String| {
        let (folder, file) = path.split_once("/tests/")?;
        let name =
            file.strip_suffix(".rs").filter(|name| !name.contains('/') && *name != "main")?;
        let main = std::fs::read_to_string(root.join(folder).join("tests/main.rs")).ok()?;
        let is_named = main.lines().any(|line| line == format!("mod {name};"));
        let what = format!("{folder}/tests/main.rs does not name it, so it never runs");
        (!is_named).then(|| Violation { file: path.clone(), line: 1, what })
    };
    paths.iter().filter_map(forgotten).collect()
}

#[cfg(test)]
mod tests {
    /// The files are those of this repository; the last one does not exist.
    #[test]
    fn a_file_that_is_not_named_is_found() {
        let paths =
            ["main", "bv", "no_such_file"].map(|name| format!("crates/model/tests/{name}.rs"));
        let found = super::tests(super::super::root(), &paths);
        let found: Vec<&str> = found.iter().map(|violation| violation.file.as_str()).collect();
        assert_eq!(found, ["crates/model/tests/no_such_file.rs"]);
    }
}
