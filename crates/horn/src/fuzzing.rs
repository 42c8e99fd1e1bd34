//! The body of a fuzz target: it takes any bytes at all and panics if a promise of this crate is
//! broken.

use crate::{lower, raise, read, write};
use pedra_formats::error::Position;

/// Reads clauses. If they are such, what is written reads back as the same ones, the program is
/// well formed, and so are its clauses; if not, the error is at a place in the text.
pub fn horn(bytes: &[u8]) {
    let clauses = match read(bytes) {
        Ok(clauses) => clauses,
        Err(error) => {
            let Position::Text { line, column } = error.position else { panic!("{error}") };
            let text = bytes.split(|&byte| byte == b'\n').nth(line - 1).expect("a line");
            assert!((1..=text.len() + 1).contains(&column), "{error}");
            return;
        }
    };
    let written_again = |text: &str| write(&read(text.as_bytes()).expect("what was written"));
    let once = written_again(&write(&clauses));
    assert_eq!(written_again(&once), once, "what was written is the same");
    let program = lower(&clauses, "fuzz.smt2").expect("small");
    program.check().expect("the program graph is well formed");
    let raised = write(&raise(&program));
    lower(&read(raised.as_bytes()).expect("what was written"), "again").expect("small");
}
