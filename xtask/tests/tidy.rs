//! The tree obeys its own style.

use xtask::tidy;

#[test]
fn the_tree_is_tidy() {
    let violations = tidy::check_tree(tidy::root());
    let shown: Vec<String> = violations.iter().map(ToString::to_string).collect();
    assert!(shown.is_empty(), "{} violations:\n{}", shown.len(), shown.join("\n"));
}
