//! Phrases that a reader stumbles over, in code, comments and documents.

use super::{File, Violation};

/// The phrases, in small letters, and what to write instead. Each is one string in two parts, so
/// that this file has none of them.
const PHRASES: &[(&str, &str)] = &[
    (concat!("so ", "many"), "this many, a number of, or the number itself"),
    (concat!("so-", "manieth"), "one in N"),
    (concat!("some", "body"), "what does it: the caller, the user, a thread"),
    (concat!("who", "ever"), "what does it: the caller, the user, a thread"),
    (concat!("in so ", "far as"), "as far as, or where"),
    // Seeds of random choices are fine; papers have names.
    (concat!("the se", "ed's"), "the paper's"),
    (concat!("the se", "ed finds"), "the paper finds"),
    (concat!("the se", "ed tests"), "the paper tests"),
    (concat!("the se", "ed says"), "the paper says"),
    (concat!("of the se", "ed, with"), "of the paper, with"),
    (concat!("so the se", "ed"), "so the paper"),
];

/// No such phrase in Rust files and documents.
pub fn phrases(file: &File) -> Vec<Violation> {
    let is_text = file.is_rust() || file.path.ends_with(".md");
    if !is_text {
        return Vec::new();
    }
    let mut found = Vec::new();
    for (index, line) in file.text.lines().enumerate() {
        let line = line.to_lowercase();
        for (phrase, better) in PHRASES.iter().filter(|(phrase, _)| has_phrase(&line, phrase)) {
            found.push(file.violation(index, format!("`{phrase}`; write {better}")));
        }
    }
    found
}

/// Whether a phrase stands in a line with no letter before or after it.
fn has_phrase(line: &str, phrase: &str) -> bool {
    line.match_indices(phrase).any(|(start, _)| {
        let is_part = |c: char| c.is_alphanumeric();
        let after = &line[start + phrase.len()..];
        !line[..start].ends_with(is_part) && !after.starts_with(is_part)
    })
}

#[cfg(test)]
mod tests {
    use super::super::expect_lines;
    use super::*;

    #[test]
    fn dialect() {
        let [many, body, ever, seed] = [0, 2, 3, 5].map(|i| PHRASES[i].0);
        let text = format!(
            "// After {many} steps.\n// also manys\nlet a = \"{}\";\n//! {ever} asks\n\
             // {seed} figure\n// --seed 7\n",
            body.to_uppercase()
        );
        expect_lines(phrases, "a.rs", &text, &[1, 3, 4, 5]);
        expect_lines(phrases, "docs/A.md", &text, &[1, 3, 4, 5]);
        expect_lines(phrases, "models/a.btor2", &text, &[]);
        expect_lines(phrases, "a.md", "xsomebodyx\n", &[]);
    }
}
