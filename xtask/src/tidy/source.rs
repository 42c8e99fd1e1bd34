//! A Rust file split, line by line, into code and comments. String contents are dropped from
//! the code, so that rules about code never trip over words inside literals.

/// One line of a Rust file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Line {
    /// The code, with the contents of string literals removed.
    pub code: String,
    /// The comment, with its slashes.
    pub comment: String,
    /// Inside an item that only exists for tests.
    pub is_test: bool,
}

/// Where the scanner is between two characters.
enum State {
    Code,
    LineComment,
    /// Block comments nest.
    BlockComment(usize),
    Text,
    /// Ended by a quote and this many hash signs.
    RawText(usize),
}

/// Splits a file into lines of code and comment.
pub fn split(text: &str) -> Vec<Line> {
    let chars: Vec<char> = text.chars().collect();
    let mut lines = vec![Line::default()];
    let mut state = State::Code;
    let mut at = 0;
    while at < chars.len() {
        if chars[at] == '\n' {
            if matches!(state, State::LineComment) {
                state = State::Code;
            }
            lines.push(Line::default());
            at += 1;
            continue;
        }
        let line = lines.last_mut().expect("there is always a line");
        let taken;
        (state, taken) = step(state, &chars[at..], line);
        at += taken;
    }
    if text.ends_with('\n') {
        lines.pop();
    }
    mark_tests(&mut lines);
    lines
}

/// Takes at least one character from `rest` and says in which state that leaves the scanner.
fn step(state: State, rest: &[char], line: &mut Line) -> (State, usize) {
    let next = rest.get(1).copied();
    match state {
        State::Code => code_step(rest, line),
        State::LineComment => {
            line.comment.push(rest[0]);
            (State::LineComment, 1)
        }
        State::BlockComment(depth) => match (rest[0], next) {
            ('*', Some('/')) if depth == 1 => (State::Code, 2),
            ('*', Some('/')) => (State::BlockComment(depth - 1), 2),
            ('/', Some('*')) => (State::BlockComment(depth + 1), 2),
            (other, _) => {
                line.comment.push(other);
                (State::BlockComment(depth), 1)
            }
        },
        // A backslash hides what follows, but never the end of the line from the line count.
        State::Text if rest[0] == '\\' && next != Some('\n') => (State::Text, 2.min(rest.len())),
        State::Text if rest[0] == '"' => {
            line.code.push('"');
            (State::Code, 1)
        }
        State::Text => (State::Text, 1),
        State::RawText(hashes) => {
            let closed =
                rest[0] == '"' && rest.len() > hashes && rest[1..=hashes].iter().all(|&c| c == '#');
            if closed {
                line.code.push('"');
                return (State::Code, 1 + hashes);
            }
            (State::RawText(hashes), 1)
        }
    }
}

fn code_step(rest: &[char], line: &mut Line) -> (State, usize) {
    let next = rest.get(1).copied();
    match (rest[0], next) {
        ('/', Some('/')) => {
            line.comment.push_str("//");
            (State::LineComment, 2)
        }
        ('/', Some('*')) => (State::BlockComment(1), 2),
        ('"', _) => {
            let hashes = raw_hashes(&line.code);
            line.code.push('"');
            (hashes.map_or(State::Text, State::RawText), 1)
        }
        // A character literal; a lone quote before a name is a lifetime or a label.
        ('\'', Some('\\')) => {
            let length = rest.iter().skip(3).position(|&c| c == '\'').map_or(2, |n| n + 4);
            line.code.push_str("' '");
            (State::Code, length)
        }
        ('\'', Some(_)) if rest.get(2) == Some(&'\'') => {
            line.code.push_str("' '");
            (State::Code, 3)
        }
        (other, _) => {
            line.code.push(other);
            (State::Code, 1)
        }
    }
}

/// The number of hash signs if the code before a quote makes it a raw string.
fn raw_hashes(code: &str) -> Option<usize> {
    let before = code.trim_end_matches('#');
    let prefix = before.strip_suffix('r')?;
    let prefix = prefix.strip_suffix(['b', 'c']).unwrap_or(prefix);
    let is_word = prefix.ends_with(|c: char| c.is_alphanumeric() || c == '_');
    (!is_word).then_some(code.len() - before.len())
}

/// Marks the items under `#[cfg(test)]` and `#[test]`.
fn mark_tests(lines: &mut [Line]) {
    let mut at = 0;
    while at < lines.len() {
        let code = lines[at].code.trim();
        if !(code.starts_with("#[cfg(test)]") || code.starts_with("#[test]")) {
            at += 1;
            continue;
        }
        let end = item_end(lines, at);
        lines[at..=end].iter_mut().for_each(|line| line.is_test = true);
        at = end + 1;
    }
}

/// The last line of the item that starts at a line: where its braces close, or the semicolon of
/// an item without any. Attributes before the item count as a part of it.
pub fn item_end(lines: &[Line], start: usize) -> usize {
    let (mut braces, mut brackets, mut opened) = (0i32, 0i32, false);
    for (number, line) in lines.iter().enumerate().skip(start) {
        for c in line.code.chars() {
            match c {
                '{' => (braces, opened) = (braces + 1, true),
                '}' => braces -= 1,
                '(' | '[' => brackets += 1,
                ')' | ']' => brackets -= 1,
                ';' if braces == 0 && brackets == 0 => return number,
                _ => {}
            }
            if opened && braces == 0 && brackets == 0 {
                return number;
            }
        }
    }
    lines.len() - 1
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code(text: &str) -> Vec<String> {
        split(text).into_iter().map(|line| line.code).collect()
    }

    #[test]
    fn literals_and_comments_leave_the_code() {
        for (text, expected) in [
            ("let a = \"x // y\"; // z", "let a = \"\"; "),
            ("r#\"a \" b\"# + 'x'", "r#\"\" + ' '"),
            ("'\\'' '\\u{1f}' '\"'", "' ' ' ' ' '"),
            ("fn f<'a>(x: &'a str)", "fn f<'a>(x: &'a str)"),
            ("a /* b /* c */ d */ e", "a  e"),
            ("\"\\\\\" + \"\\\"\"", "\"\" + \"\""),
            ("for\"text\"", "for\"\""),
        ] {
            assert_eq!(code(text), [expected], "{text}");
        }
        assert_eq!(split("a // b\n")[0].comment, "// b");
    }

    #[test]
    fn strings_go_on_over_lines() {
        assert_eq!(code("a(\"b\\\n  c\n  d\");\ne\n"), ["a(\"", "", "\");", "e"]);
    }

    #[test]
    fn tests_are_marked() {
        let text = "fn a() {}\n#[cfg(test)]\nmod tests {\n    fn b() {}\n}\nfn c() {}\n";
        let marks: Vec<bool> = split(text).iter().map(|line| line.is_test).collect();
        assert_eq!(marks, [false, true, true, true, true, false]);
        let marks: Vec<bool> =
            split("#[cfg(test)]\nmod tests;\nfn a() {}\n").iter().map(|l| l.is_test).collect();
        assert_eq!(marks, [true, true, false]);
    }

    #[test]
    fn items_end_at_their_brace() {
        let end = |text: &str| item_end(&split(text), 0);
        assert_eq!(end("fn a() {}\n}"), 0);
        assert_eq!(end("fn a(x: [u8; 2]) -> u8\nwhere\n{\n  {}\n}\n"), 4);
        assert_eq!(end("fn a(\n  &self,\n);\nfn b() {}\n"), 2);
    }
}
