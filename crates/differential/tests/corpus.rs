//! Every system that was kept in `corpus/`: shrunk failures, and traps that have made model
//! checkers wrong. Each is replayed with its own lines of options, and with random ones by every
//! engine; `truth:` pins what explicit search says, so that a file keeps its meaning.

use pedra_differential::{CONTENDERS, Case, contender_named, random_options};
use pedra_model::Model;
use pedra_testkit::random::{Random, runs};
use std::path::PathBuf;

fn files() -> Vec<PathBuf> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/corpus");
    let entries = std::fs::read_dir(folder).expect("the corpus is there");
    let mut files: Vec<PathBuf> = entries.map(|e| e.expect("an entry").path()).collect();
    files.sort();
    files
}

fn check(case: &Case, name: &str) {
    if let Err(failure) = case.check() {
        panic!("{name}: {}: {failure}", case.options.join(" "));
    }
}

#[test]
fn the_corpus_agrees_with_the_oracle() {
    let files = files();
    assert!(files.len() >= 20);
    for file in files {
        let name = file.file_name().expect("a file").to_string_lossy().into_owned();
        let cases = Case::read(&file).unwrap_or_else(|e| panic!("{name}: {e}"));
        let first = cases.first().unwrap_or_else(|| panic!("{name}: no line of options"));
        let truth = first.truth().into_iter();
        let truth = truth.map(|step| step.map_or("safe".to_owned(), |step| step.to_string()));
        let truth = format!("truth: {}", truth.collect::<Vec<_>>().join(" "));
        let text = std::fs::read_to_string(&file).expect("read before");
        let pinned = text.lines().any(|line| line.trim_start_matches([';', ' ']) == truth);
        assert!(pinned, "{name} does not say `{truth}`");
        cases.iter().for_each(|case| check(case, &name));
        let wpdr = contender_named("wpdr").filter(|_| matches!(first.model, Model::Words(_)));
        for seed in 0..runs(10) {
            let mut random = Random::new(seed);
            for contender in CONTENDERS.into_iter().chain(wpdr) {
                let options = random_options(&mut random, contender);
                check(&Case { model: first.model.clone(), options }, &name);
            }
        }
    }
}
