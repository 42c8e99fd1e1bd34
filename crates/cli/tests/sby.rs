//! The engine file for SymbiYosys, with its own tests, on this build. They need Python.

use std::io::Write as _;
use std::path::Path;
use std::process::Command;

#[test]
fn the_engine_file_passes_its_tests() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../contrib/sby");
    let run = Command::new("python3")
        .args(["-B", "test_engine.py"])
        .current_dir(folder)
        .env("PEDRA", env!("CARGO_BIN_EXE_pedra"))
        .output();
    let Ok(run) = run else {
        let text = b"\n*** SKIPPED the_engine_file_passes_its_tests: no python3 on the path\n";
        std::io::stderr().write_all(text).expect("standard error");
        return;
    };
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
}
