//! The body of a fuzz target: it takes any bytes at all and panics if a promise of this crate is
//! broken.

use pedra_formats::error::Position;

/// Reads a program. If it is one, the graph is well formed; if not, the error is at a place in the
/// text.
pub fn boogie(bytes: &[u8]) {
    match crate::read(bytes, "fuzz.bpl") {
        Ok(program) => program.check().expect("the program graph is well formed"),
        Err(error) => {
            let Position::Text { line, column } = error.position else { panic!("{error}") };
            let text = bytes.split(|&byte| byte == b'\n').nth(line - 1).expect("a line");
            assert!((1..=text.len() + 1).contains(&column), "{error}");
        }
    }
}
