//! Arrows between our crates point only downward; see `docs/ARCHITECTURE.md`. Dependencies of
//! tests are free, since nothing that ships has them.

use super::{File, Violation};

/// For crates that do not ship and that nothing that ships may use.
const EVERYTHING: &[&str] = &[
    "pedra-model",
    "pedra-program",
    "pedra-boogie",
    "pedra-c",
    "pedra-formats",
    "pedra-horn",
    "pedra-solve",
    "pedra-engines",
    "pedra-certify",
    "pedra-check",
    "pedra-verilog",
    "pedra-bench",
    "pedra-cluster",
    "pedra-explain",
    "pedra-testkit",
    "pedra",
    "pedra-differential",
];

/// For what ships to users.
const SHIPPED: &[&str] = &[
    "pedra-model",
    "pedra-program",
    "pedra-boogie",
    "pedra-c",
    "pedra-formats",
    "pedra-horn",
    "pedra-solve",
    "pedra-engines",
    "pedra-certify",
    "pedra-check",
    "pedra-verilog",
    "pedra-bench",
    "pedra-cluster",
    "pedra-explain",
];

/// For the module of Python, which reads files and writes evidence as the program does.
const PYTHON: &[&str] = &[
    "pedra-model",
    "pedra-program",
    "pedra-formats",
    "pedra-solve",
    "pedra-engines",
    "pedra-certify",
    "pedra-check",
    "pedra",
];

/// Which of our crates each crate may use.
const ALLOWED: &[(&str, &[&str])] = &[
    ("pedra-model", &[]),
    ("pedra-program", &["pedra-model"]),
    ("pedra-boogie", &["pedra-model", "pedra-program", "pedra-formats"]),
    ("pedra-c", &["pedra-model", "pedra-program"]),
    ("pedra-formats", &["pedra-model"]),
    ("pedra-horn", &["pedra-model", "pedra-program", "pedra-formats"]),
    ("pedra-solve", &["pedra-model"]),
    ("pedra-engines", &["pedra-model", "pedra-program", "pedra-solve"]),
    ("pedra-certify", &["pedra-model", "pedra-program", "pedra-solve", "pedra-formats"]),
    ("pedra-testkit", &["pedra-model", "pedra-program"]),
    (
        "pedra-check",
        &["pedra-model", "pedra-program", "pedra-solve", "pedra-engines", "pedra-certify"],
    ),
    (
        "pedra-cluster",
        &[
            "pedra-model",
            "pedra-program",
            "pedra-formats",
            "pedra-solve",
            "pedra-engines",
            "pedra-check",
        ],
    ),
    ("pedra-explain", &["pedra-model", "pedra-formats"]),
    ("pedra-verilog", &["pedra-model", "pedra-formats"]),
    ("pedra-bench", &["pedra-model", "pedra-formats", "pedra-check"]),
    ("pedra", SHIPPED),
    ("pedra-python", PYTHON),
    ("pedra-differential", EVERYTHING),
    ("pedra-fuzz", EVERYTHING),
    (
        "xtask",
        &[
            "pedra-boogie",
            "pedra-c",
            "pedra-formats",
            "pedra-horn",
            "pedra-model",
            "pedra-program",
            "pedra-testkit",
        ],
    ),
];

/// Each dependency on one of our crates is an allowed one.
pub fn edges(file: &File) -> Vec<Violation> {
    let is_manifest = file.path.ends_with("/Cargo.toml");
    let Some(name) = package_name(&file.text).filter(|_| is_manifest) else { return Vec::new() };
    let Some((_, allowed)) = ALLOWED.iter().find(|(package, _)| *package == name) else {
        return vec![file.violation(0, format!("`{name}` has no row in xtask's table of edges"))];
    };
    let mut found = Vec::new();
    for (index, dependency) in dependencies(&file.text) {
        let is_ours = ALLOWED.iter().any(|(package, _)| *package == dependency);
        if is_ours && !allowed.contains(&dependency) {
            found.push(file.violation(index, format!("`{name}` may not use `{dependency}`")));
        }
    }
    found
}

/// The value of `name` in the section `[package]`.
fn package_name(manifest: &str) -> Option<&str> {
    let package = manifest.split_once("[package]")?.1;
    let line = package.lines().find(|line| line.starts_with("name"))?;
    line.split('"').nth(1)
}

/// The names of all dependencies but those of tests, with their lines from 0.
fn dependencies(manifest: &str) -> Vec<(usize, &str)> {
    let mut found = Vec::new();
    let mut is_table = false;
    for (index, line) in manifest.lines().enumerate() {
        let line = line.trim();
        if let Some(section) = line.strip_prefix('[') {
            let section = section.trim_end_matches(']');
            let is_for_tests = section.contains("dev-dependencies");
            is_table = section.ends_with("dependencies") && !is_for_tests;
            if let Some((_, name)) = section.split_once("dependencies.")
                && !is_for_tests
            {
                found.push((index, name));
            }
        } else if is_table && !line.starts_with('#') {
            let name = line.split(['=', '.', ' ']).next().unwrap_or_default();
            found.extend((!name.is_empty()).then_some((index, name)));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::super::expect_lines;
    use super::*;

    #[test]
    fn directions() {
        let manifest = |name: &str, rest: &str| format!("[package]\nname = \"{name}\"\n{rest}");
        for (name, rest, lines) in [
            ("pedra-model", "[dependencies]\npedra-solve.workspace = true\n", vec![4]),
            ("pedra-model", "[dev-dependencies]\npedra-testkit = { path = \"x\" }\n", vec![]),
            ("pedra-certify", "[dependencies]\nthiserror = \"2\"\npedra-engines.a = 1\n", vec![5]),
            ("pedra-certify", "[dependencies]\npedra-formats.workspace = true\n", vec![]),
            ("pedra-solve", "[dependencies.pedra-formats]\npath = \"x\"\n", vec![3]),
            ("pedra-solve", "[target.'cfg(unix)'.dependencies]\npedra = \"1\"\n", vec![4]),
            ("pedra", "[dependencies]\npedra-engines = \"1\"\npedra-testkit = \"1\"\n", vec![5]),
            ("pedra-new", "", vec![1]),
        ] {
            expect_lines(edges, "crates/x/Cargo.toml", &manifest(name, rest), &lines);
        }
    }
}
