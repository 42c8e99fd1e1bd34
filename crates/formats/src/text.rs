//! Text that is safe to show, and text as editors write it.

use std::borrow::Cow;

/// A text from a file or the command line for a terminal: control characters, which could move
/// the cursor or change colours, are shown as `?`.
pub fn printable(text: &str) -> Cow<'_, str> {
    // Marks that turn the direction of writing can make a line read as another one.
    let turns = |c: char| matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    let unsafe_char = |c: char| c.is_control() || turns(c);
    if !text.contains(unsafe_char) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.chars().map(|c| if unsafe_char(c) { '?' } else { c }).collect())
}

/// A text without the byte-order mark that some editors write first.
pub fn without_byte_order_mark(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_reach_no_terminal() {
        assert_eq!(printable("top.count[3] ü"), "top.count[3] ü");
        assert_eq!(printable("a\x1b[2Jb\nc\u{9b}d\u{202e}"), "a?[2Jb?c?d?");
    }
}
