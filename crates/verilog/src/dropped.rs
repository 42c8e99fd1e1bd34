//! Statements that Yosys reads and leaves out without a word. A property behind one of them would
//! not be decided, so they are refused.
//!
//! What is looked at is the text that Yosys' preprocessor makes (`read_verilog -ppdump`), which
//! has included files and the text of macros in it, and nothing that a condition excludes.

use crate::place::token;

/// The keywords of such statements: Yosys 0.23 takes `bind` for an empty statement.
const KEYWORDS: [&[u8]; 1] = [b"bind"];

const STARTS: &str = "-- Verilog code after preprocessor --\n";
const ENDS: &str = "-- END OF DUMP --\n";

/// Whether a log has the texts of this many sources, and nothing in them looks like the end or the
/// start of another.
///
/// *Required for soundness*: otherwise [`find`] has not seen all that was read.
pub(crate) fn shows_all(log: &str, sources: usize) -> bool {
    [STARTS, ENDS].iter().all(|mark| log.matches(mark).count() == sources)
}

/// The first such statement in a log of Yosys: its file, line and keyword.
pub(crate) fn find(log: &str) -> Option<(String, u32, String)> {
    let mut rest = log;
    while let Some((_, dump)) = rest.split_once(STARTS) {
        let (dump, after) = dump.split_once(ENDS).unwrap_or((dump, ""));
        if let Some(found) = find_in(dump.as_bytes()) {
            return Some(found);
        }
        rest = after;
    }
    None
}

/// A log of Yosys without the texts of sources, which may say anything.
pub(crate) fn without_sources(log: &str) -> String {
    let (mut out, mut rest) = (String::new(), log);
    while let Some((before, dump)) = rest.split_once(STARTS) {
        out.push_str(before);
        rest = dump.split_once(ENDS).map_or("", |(_, after)| after);
    }
    out + rest
}

/// In the text of one source. Lines are counted as Yosys does: `file_push` starts a file, and
/// `file_pop` goes back to the line that it was on.
fn find_in(text: &[u8]) -> Option<(String, u32, String)> {
    let (mut file, mut line) = (String::new(), 1);
    let mut outer: Vec<(String, u32)> = Vec::new();
    let mut at = 0;
    while at < text.len() {
        let rest = &text[at..];
        let end = rest.iter().position(|byte| *byte == b'\n').map_or(rest.len(), |end| end + 1);
        let whole_line = String::from_utf8_lossy(&rest[..end]);
        if let Some(name) = whole_line.strip_prefix("`file_push ") {
            let name = name.trim().trim_matches('"').to_owned();
            outer.push((std::mem::replace(&mut file, name), line));
            (line, at) = (1, at + end);
        } else if whole_line.starts_with("`file_pop") {
            (file, line) = outer.pop().unwrap_or_default();
            at += end;
        } else {
            let (length, _) = token(rest);
            let found = &rest[..length];
            if KEYWORDS.contains(&found) {
                return Some((file, line, String::from_utf8_lossy(found).into_owned()));
            }
            line += found.iter().filter(|byte| **byte == b'\n').count() as u32;
            at += length;
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_keyword_among_other_things() {
        let dump = |text: &str| format!("log\n{STARTS}`file_push \"a.sv\"\n{text}\n{ENDS}bind\n");
        let found = |text: &str| find(&dump(text));
        let at = |file: &str, line| Some((file.to_owned(), line, "bind".to_owned()));
        assert_eq!(found("x\nbind dut p q();"), at("a.sv", 2));
        assert_eq!(found("/* bind\n */\n\"bind\" \\bind  binding\n// bind"), None);
        let inner = "\n`file_push \"i.vh\"\n\nbind dut\n`file_pop\n";
        assert_eq!(found(inner), at("i.vh", 2));
        let after = "`file_push \"i.vh\"\n\n\n\n`file_pop\n\nbind dut";
        assert_eq!(found(after), at("a.sv", 2));
        let two = dump("Warning: one") + &dump("Warning: two");
        assert_eq!(without_sources(&two), "log\nbind\nlog\nbind\n");
        assert!(shows_all(&two, 2) && !shows_all(&two, 3) && !shows_all("", 1));
        // What is behind such a comment is not looked at.
        let hidden = dump(&format!("/*\n{ENDS}*/ bind dut p q();"));
        assert!(find(&hidden).is_none() && !shows_all(&hidden, 1));
    }
}
