//! The tree obeys its own style.

use xtask::tidy;

#[test]
fn the_tree_is_tidy() {
    // A copy without its history cannot tell our files from others'; there is nothing to check.
    if !tidy::root().join(".git").exists() {
        return;
    }
    let violations = tidy::check_tree(tidy::root()).expect("git lists the files");
    let shown: Vec<String> = violations.iter().map(ToString::to_string).collect();
    assert!(shown.is_empty(), "{} violations:\n{}", shown.len(), shown.join("\n"));
}
