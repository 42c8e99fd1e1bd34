//! Limits on the lengths of files and functions. Flat tables are the right exception; each is
//! named here.

use super::source::item_end;
use super::{File, Violation};

/// The most lines of a Rust file.
const FILE_LINES: usize = 500;

/// The most lines of a function's body.
const FUNCTION_LINES: usize = 80;

/// Files that are flat tables: of arguments, of operators, of kinds of nodes.
const FLAT_FILES: &[&str] = &[
    "crates/cli/src/args.rs",
    "crates/model/src/blast/ops.rs",
    "crates/model/src/bv.rs",
    "crates/model/src/eval/interval/value.rs",
    "crates/model/src/value.rs",
    "crates/program/src/graph.rs",
];

/// Files from before the limit. The list only gets shorter.
const LONG_FILES: &[&str] = &[
    "crates/certify/src/proof.rs",
    "crates/engines/src/trace/search.rs",
    "crates/engines/src/word/relative.rs",
];

/// Functions that are flat tables, as `(file, name)`.
const FLAT_FUNCTIONS: &[(&str, &str)] = &[("crates/formats/tests/aiger_read.rs", "bad_files")];

/// Functions from before the limit. The list only gets shorter.
const LONG_FUNCTIONS: &[(&str, &str)] = &[("crates/model/src/reduce/rebuild.rs", "rebuild")];

/// Words that may stand before `fn`.
const QUALIFIERS: &[&str] = &["const", "async", "unsafe", "extern", "\"\"", "default"];

/// Files stay short enough to be read in one sitting.
pub fn long_files(file: &File) -> Vec<Violation> {
    let lines = file.lines.len();
    let is_named = FLAT_FILES.iter().chain(LONG_FILES).any(|path| *path == file.path);
    if lines <= FILE_LINES || is_named {
        return Vec::new();
    }
    vec![file.violation(0, format!("{lines} lines, over {FILE_LINES}"))]
}

/// Functions stay short enough to be seen at once.
pub fn long_functions(file: &File) -> Vec<Violation> {
    let mut found = Vec::new();
    for (index, line) in file.lines.iter().enumerate() {
        let Some(name) = function_name(&line.code) else { continue };
        let end = item_end(&file.lines, index);
        let opening = (index..=end).find(|&at| file.lines[at].code.contains('{')).unwrap_or(end);
        let length = end.saturating_sub(opening + 1);
        let named = (file.path.as_str(), name);
        let is_named = FLAT_FUNCTIONS.contains(&named) || LONG_FUNCTIONS.contains(&named);
        if length > FUNCTION_LINES && !is_named {
            let what = format!("`{name}` has {length} lines, over {FUNCTION_LINES}");
            found.push(file.violation(index, what));
        }
    }
    found
}

/// The name of the function whose signature starts on this line.
fn function_name(code: &str) -> Option<&str> {
    let mut rest = code.trim_start();
    if let Some(after) = rest.strip_prefix("pub") {
        rest = match after.strip_prefix('(') {
            Some(scope) => scope.split_once(')')?.1,
            None => after,
        };
    }
    loop {
        rest = rest.trim_start();
        if let Some(name) = rest.strip_prefix("fn ") {
            return name.split(|c: char| !c.is_alphanumeric() && c != '_').next();
        }
        rest = QUALIFIERS.iter().find_map(|word| rest.strip_prefix(word))?;
    }
}

#[cfg(test)]
mod tests {
    use super::super::expect_lines;
    use super::*;

    #[test]
    fn files() {
        expect_lines(long_files, "a.rs", &"x\n".repeat(500), &[]);
        expect_lines(long_files, "a.rs", &"x\n".repeat(501), &[1]);
        expect_lines(long_files, "a.md", &"x\n".repeat(501), &[]);
    }

    #[test]
    fn functions() {
        let function = |lines| format!("\nfn f(\n) {{\n{}}}\nfn g() {{}}\n", "x;\n".repeat(lines));
        expect_lines(long_functions, "a.rs", &function(80), &[]);
        expect_lines(long_functions, "a.rs", &function(81), &[2]);
        let declared = format!("fn f(\n  x: [u8; 2],\n);\n{}", "x;\n".repeat(200));
        expect_lines(long_functions, "a.rs", &declared, &[]);
    }

    #[test]
    fn signatures() {
        for (code, name) in [
            ("fn a()", Some("a")),
            ("    pub(crate) const fn b_2<T>()", Some("b_2")),
            ("pub unsafe extern \"\" fn c(", Some("c")),
            ("let d: fn (u8)", None),
            ("public!()", None),
        ] {
            assert_eq!(function_name(code), name, "{code}");
        }
    }
}
