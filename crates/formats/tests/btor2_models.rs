//! The models of the folder `models` are also for the programs of others. Our reader allows two
//! habits that the parser of btor2tools (btorsim, Cerbtora) refuses: more than one space before a
//! comment that follows a symbol, and a state whose initial value has a greater number.

use pedra_formats::btor2::read;
use std::path::{Path, PathBuf};

fn models() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let folders = ["models", "models/word", "crates/cli/demo"];
    let entries = folders.iter().flat_map(|folder| root.join(folder).read_dir().expect("a folder"));
    let files = entries.map(|entry| entry.expect("an entry").path());
    files.filter(|file| file.extension().is_some_and(|ending| ending == "btor2")).collect()
}

/// What the other parser refuses in a line.
fn find_fault(line: &str) -> Option<&'static str> {
    let (words, comment) = line.split_once(';').map_or((line, false), |(words, _)| (words, true));
    if comment && !words.is_empty() && words.trim_end().len() + 1 != words.len() {
        return Some("one space before a comment");
    }
    let words: Vec<&str> = words.split(' ').collect();
    if let [_, "init", _, state, value, ..] = words[..] {
        let id = |word: &str| word.trim_start_matches('-').parse::<u64>().expect("a number");
        return (id(value) > id(state)).then_some("the initial value comes before its state");
    }
    None
}

#[test]
fn others_can_read_our_models() {
    let files = models();
    assert!(files.len() > 80, "only {} models", files.len());
    for file in files {
        let text = std::fs::read_to_string(&file).expect("text");
        read(text.as_bytes()).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
        for (number, line) in text.lines().enumerate() {
            let fault = find_fault(line);
            assert_eq!(fault, None, "{}:{}: {line}", file.display(), number + 1);
        }
    }
}

#[test]
fn faults_are_found() {
    assert_eq!(find_fault("15 bad 14 above_ten  ; b0"), Some("one space before a comment"));
    assert_eq!(find_fault("6 init 2 4 5"), Some("the initial value comes before its state"));
    assert_eq!(find_fault("6 init 2 4 -3 ; at the start"), None);
}
