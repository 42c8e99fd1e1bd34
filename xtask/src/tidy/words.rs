//! Words that may not stand in code, or only in some places.

use super::{File, Violation};

/// Files that may hold `unsafe`, each because it speaks to a foreign library.
/// The second one is the program's allocator, which cannot be written without.
const UNSAFE_FILES: &[&str] = &["crates/solve/src/cadical.rs", "crates/cli/src/memory.rs"];

/// Where something may be printed: programs and their tests. Examples are programs too, and so is
/// the process that measures a run for `pedra bench`.
const PRINTING: &[&str] = &["crates/cli/", "crates/bench/src/measure.rs", "fuzz/", "xtask/"];

/// Macros of unfinished work, wherever they stand.
const UNFINISHED_MACROS: &[&str] = &["todo!", "unimplemented!", "dbg!"];

/// Notes of unfinished work in comments and documents.
const UNFINISHED_NOTES: &[&str] = &[concat!("FIX", "ME"), concat!("XX", "X")];

/// True if `word` stands in `text` with no letter, digit or underscore before or after it.
fn has_word(text: &str, word: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(word).any(|(start, _)| {
        let after = &text[start + word.len()..];
        !text[..start].ends_with(is_part) && !after.starts_with(is_part)
    })
}

/// No unfinished work: neither as macros nor as notes.
pub fn unfinished(file: &File) -> Vec<Violation> {
    let mut found = Vec::new();
    for (index, line) in file.lines.iter().enumerate() {
        for word in UNFINISHED_MACROS.iter().filter(|word| has_word(&line.code, word)) {
            found.push(file.violation(index, format!("`{word}` in code")));
        }
        for note in UNFINISHED_NOTES.iter().filter(|note| has_word(&line.comment, note)) {
            found.push(file.violation(index, format!("{note} in a comment")));
        }
    }
    if file.is_written() && !file.is_rust() {
        for (index, line) in file.text.lines().enumerate() {
            for note in UNFINISHED_NOTES.iter().filter(|note| has_word(line, note)) {
                found.push(file.violation(index, format!("{note} in a document")));
            }
        }
    }
    found
}

/// A test that never runs says nothing.
pub fn ignored_tests(file: &File) -> Vec<Violation> {
    let lines = file.lines.iter().enumerate();
    let ignored = lines.filter(|(_, line)| line.code.contains("#[ignore"));
    ignored.map(|(index, _)| file.violation(index, "an ignored test")).collect()
}

/// Outside tests, what cannot fail says why: `expect("reason")`.
pub fn unwraps(file: &File) -> Vec<Violation> {
    if file.is_test() {
        return Vec::new();
    }
    let mut found = Vec::new();
    for (index, (line, whole)) in file.lines.iter().zip(file.text.lines()).enumerate() {
        if line.is_test {
            continue;
        }
        if line.code.contains(".unwrap()") || line.code.contains(".unwrap_err()") {
            found.push(file.violation(index, "`unwrap` without a reason; use `expect(\"why\")`"));
        } else if line.code.contains(".expect(\"\")") && whole.contains(".expect(\"\")") {
            found.push(file.violation(index, "`expect` with an empty reason"));
        }
    }
    found
}

/// Libraries and their tests do not print; only programs do.
pub fn prints(file: &File) -> Vec<Violation> {
    let is_program = PRINTING.iter().any(|place| file.path.starts_with(place));
    if is_program || file.path.contains("/examples/") || file.path.ends_with("build.rs") {
        return Vec::new();
    }
    let mut found = Vec::new();
    for (index, line) in file.lines.iter().enumerate() {
        for word in ["println!", "eprintln!", "print!", "eprint!"] {
            if has_word(&line.code, word) {
                found.push(file.violation(index, format!("`{word}` outside the programs")));
            }
        }
    }
    found
}

/// `unsafe` stands only in the files that speak to foreign libraries.
pub fn unsafe_code(file: &File) -> Vec<Violation> {
    if UNSAFE_FILES.contains(&file.path.as_str()) {
        return Vec::new();
    }
    let lines = file.lines.iter().enumerate();
    let found = lines.filter(|(_, line)| has_word(&line.code, "unsafe"));
    found.map(|(index, _)| file.violation(index, "`unsafe` outside the allowed files")).collect()
}

/// Comments explain; code that is not wanted is deleted.
pub fn commented_out(file: &File) -> Vec<Violation> {
    let lines = file.lines.iter().enumerate();
    let found = lines.filter(|(_, line)| looks_like_code(&line.comment));
    found.map(|(index, _)| file.violation(index, "this comment looks like code")).collect()
}

/// True for a plain comment that ends as a statement or a block does. Sentences may end in a
/// semicolon too, so a statement must also have a sign or a word of code.
fn looks_like_code(comment: &str) -> bool {
    const SIGNS: &[&str] = &["(", " = ", "::", "let ", "use ", "return", "break", "continue"];
    let Some(body) = comment.strip_prefix("//") else { return false };
    if body.starts_with(['/', '!']) {
        return false;
    }
    let body = body.trim();
    let is_statement = body.ends_with(';') && SIGNS.iter().any(|sign| body.contains(sign));
    body.ends_with('{') || body == "}" || is_statement
}

#[cfg(test)]
mod tests {
    use super::super::expect_lines;
    use super::*;

    const LIBRARY: &str = "crates/model/src/a.rs";

    #[test]
    fn unfinished_work() {
        let text = "a(todo!());\nmy_todo!();\n\"todo!\";\n// FIXME later\n/// XXX\n// FIXMES\n";
        expect_lines(unfinished, LIBRARY, text, &[1, 4, 5]);
        expect_lines(unfinished, "docs/A.md", "FIXME\nxxx\n", &[1]);
        expect_lines(unfinished, "Cargo.lock", "XXX\n", &[]);
    }

    #[test]
    fn tests_that_never_run() {
        let text = "#[ignore]\n#[ignore = \"slow\"]\n// #[ignore]\n";
        expect_lines(ignored_tests, LIBRARY, text, &[1, 2]);
    }

    #[test]
    fn unwraps_without_reason() {
        let text = "a.unwrap();\na.unwrap_or(1);\na.expect(\"why\");\nb.expect(\"\");\n\
            #[test]\nfn t() {\n    a.unwrap();\n}\n";
        expect_lines(unwraps, LIBRARY, text, &[1, 4]);
        expect_lines(unwraps, "crates/model/tests/a.rs", text, &[]);
    }

    #[test]
    fn printing() {
        let text = "println!(\"a\");\nwriteln!(f);\neprint!(\"b\");\n";
        expect_lines(prints, LIBRARY, text, &[1, 3]);
        expect_lines(prints, "crates/cli/src/a.rs", text, &[]);
    }

    #[test]
    fn unsafe_places() {
        let text = "unsafe impl Send for A {}\n#[allow(unsafe_code)]\n// unsafe\n";
        expect_lines(unsafe_code, LIBRARY, text, &[1]);
        expect_lines(unsafe_code, UNSAFE_FILES[0], text, &[]);
    }

    #[test]
    fn code_in_comments() {
        let text =
            "// let a = 1;\n// if a {\n// This holds;\n/// f();\n// }\n//! g();\nf(); // h();\n";
        expect_lines(commented_out, LIBRARY, text, &[1, 2, 5, 7]);
    }
}
