//! Files as text: heads, white space, long lines and paths of one machine.

use super::{File, Violation};

/// The longest line, in characters; rustfmt's `max_width`.
const WIDTH: usize = 100;

/// Beginnings of paths that exist on one machine only.
const MACHINE_PATHS: &[&str] =
    &[concat!("/wo", "rk/"), concat!("/tmp/", "bash_jobs"), concat!("/ho", "me/")];

/// Every Rust file opens by saying what it is about.
pub fn module_head(file: &File) -> Vec<Violation> {
    if !file.is_rust() || file.text.starts_with("//! ") {
        return Vec::new();
    }
    vec![file.violation(0, "the file does not start with `//!` and its idea")]
}

/// No white space at line ends, no tabs in Rust, no carriage returns, one line end at the end.
pub fn white_space(file: &File) -> Vec<Violation> {
    if !file.is_written() || file.text.is_empty() {
        return Vec::new();
    }
    let mut found = Vec::new();
    for (index, line) in file.text.split('\n').enumerate() {
        if line.ends_with('\r') {
            found.push(file.violation(index, "a carriage return"));
        } else if line.ends_with([' ', '\t']) {
            found.push(file.violation(index, "white space at the end of the line"));
        }
        if file.is_rust() && line.contains('\t') {
            found.push(file.violation(index, "a tab"));
        }
    }
    let last = file.text.lines().count() - 1;
    if !file.text.ends_with('\n') {
        found.push(file.violation(last, "no line end at the end of the file"));
    } else if file.text.ends_with("\n\n") {
        found.push(file.violation(last, "an empty line at the end of the file"));
    }
    found
}

/// Lines fit the width, not counting the contents of strings, which rustfmt leaves alone, nor
/// addresses in comments, which cannot be broken.
pub fn long_lines(file: &File) -> Vec<Violation> {
    let mut found = Vec::new();
    for (index, line) in file.lines.iter().enumerate() {
        let comment = if line.comment.contains("://") { "" } else { &line.comment };
        let width = line.code.chars().count() + comment.chars().count();
        if width > WIDTH {
            found.push(file.violation(index, format!("{width} characters, over {WIDTH}")));
        }
    }
    found
}

/// Nothing depends on where files are kept on one machine.
pub fn machine_paths(file: &File) -> Vec<Violation> {
    let mut found = Vec::new();
    for (index, line) in file.text.lines().enumerate() {
        for path in MACHINE_PATHS.iter().filter(|path| line.contains(**path)) {
            found.push(file.violation(index, format!("a path of one machine: {path}")));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::super::expect_lines;
    use super::*;

    #[test]
    fn heads() {
        expect_lines(module_head, "a.rs", "//! Idea.\n", &[]);
        expect_lines(module_head, "a.rs", "use b;\n//! Idea.\n", &[1]);
        expect_lines(module_head, "a.rs", "", &[1]);
        expect_lines(module_head, "a.md", "Text\n", &[]);
    }

    #[test]
    fn spaces() {
        expect_lines(white_space, "a.rs", "a\nb \nc\r\n\td\ne", &[2, 3, 4, 5]);
        expect_lines(white_space, "a.rs", "a\n\n", &[2]);
        expect_lines(white_space, "a.md", "a\tb\n", &[]);
        expect_lines(white_space, "models/a.aag", "a \n", &[]);
    }

    #[test]
    fn widths() {
        let long = "x".repeat(101);
        let text = format!("{long}\nf(\"{long}\");\n// https://{long}\n// é{}\n", &long[..96]);
        expect_lines(long_lines, "a.rs", &text, &[1]);
    }

    #[test]
    fn paths() {
        let text = format!("see {}a\n/usr/bin\n", MACHINE_PATHS[0]);
        expect_lines(machine_paths, "docs/A.md", &text, &[1]);
    }
}
