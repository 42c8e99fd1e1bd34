//! The contract of the command line, frozen: what is typed, what is printed, how it ends.
//! `TRYCMD=overwrite cargo test -p pedra --test all cli` writes what the program prints now.

#[test]
fn transcripts() {
    // Paths in the transcripts are relative to the root of the workspace.
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
    std::env::set_current_dir(root).expect("the workspace is there");
    trycmd::TestCases::new()
        .env("COLUMNS", "80")
        .env("NO_COLOR", "1")
        .case("crates/cli/tests/cmd/*.trycmd");
}
