//! The clauses in `models/programs`, and what the manifest there says of them.

use pedra_horn::read_program;
use std::path::{Path, PathBuf};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models/programs")
}

/// File, property and expected verdict of each row about clauses.
fn rows() -> Vec<(String, usize, String)> {
    let text = std::fs::read_to_string(folder().join("manifest.tsv")).expect("the manifest");
    let mut lines = text.lines();
    assert_eq!(lines.next(), Some("file\tproperty\texpected\tnote"));
    let row = |line: &str| {
        let cells: Vec<&str> = line.split('\t').collect();
        let &[file, property, expected, _] = &cells[..] else { panic!("four cells: {line}") };
        (file.to_owned(), property.parse().expect("a number"), expected.to_owned())
    };
    lines.map(row).filter(|(file, ..)| file.ends_with(".smt2")).collect()
}

#[test]
fn each_property_has_a_row() {
    let rows = rows();
    for entry in std::fs::read_dir(folder()).expect("the folder") {
        let path = entry.expect("an entry").path();
        let file = path.file_name().and_then(|name| name.to_str()).expect("a plain name");
        if !file.ends_with(".smt2") {
            continue;
        }
        let text = std::fs::read(&path).expect("a file");
        let program = read_program(file, &text).unwrap_or_else(|e| panic!("{file}:{e}"));
        assert_eq!(program.check(), Ok(()), "{file}");
        let known: Vec<usize> = rows.iter().filter(|row| row.0 == file).map(|row| row.1).collect();
        assert_eq!(known, (0..program.properties.len()).collect::<Vec<_>>(), "{file}");
    }
    for (file, _, expected) in rows {
        assert!(folder().join(&file).exists(), "{file}");
        assert!(["proved", "violated"].contains(&expected.as_str()), "{file}: {expected}");
    }
}
