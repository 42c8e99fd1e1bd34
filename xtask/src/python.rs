//! The Python package, tried as users have it: a wheel is built, installed into a fresh
//! environment, and tested from there.

use crate::tidy;
use crate::tools::{TOOLS, call};
use std::path::PathBuf;
use std::process::Command;

/// The programs that it takes; none of them if one is missing.
pub fn programs() -> Option<(PathBuf, PathBuf)> {
    let tools = tidy::root().join(TOOLS).join("python/bin");
    let maturin = tools.join("maturin");
    let is_there = |program: &PathBuf| {
        Command::new(program).arg("--version").output().is_ok_and(|o| o.status.success())
    };
    let maturin = [maturin, PathBuf::from("maturin")].into_iter().find(is_there)?;
    let python = PathBuf::from("python3");
    is_there(&python).then_some((python, maturin))
}

/// Builds the wheel, installs it and runs its tests. Does nothing, and says so, without Python or
/// maturin.
///
/// # Errors
/// What went wrong.
pub fn run() -> Result<(), String> {
    let Some((python, maturin)) = programs() else {
        println!("python3 or maturin is not there; `cargo xtask tools` fetches maturin");
        return Ok(());
    };
    let root = tidy::root();
    let (wheels, fresh) = (root.join("target/wheels-tested"), root.join("target/python-fresh"));
    for folder in [&wheels, &fresh] {
        // What an earlier run has left.
        let _ = std::fs::remove_dir_all(folder);
    }
    // Not optimised for size or speed: it shares what is compiled for tests.
    let build = ["build", "--locked", "--profile", "dev", "--manifest-path"];
    let manifest = root.join("crates/python/Cargo.toml");
    call(Command::new(maturin).args(build).arg(manifest).arg("--out").arg(&wheels))?;
    call(Command::new(python).args(["-m", "venv"]).arg(&fresh))?;
    let wheel = std::fs::read_dir(&wheels).map_err(|e| e.to_string())?.flatten().next();
    let wheel = wheel.ok_or("maturin has built no wheel")?.path();
    let install = ["install", "--quiet", "--no-index", "--disable-pip-version-check"];
    call(Command::new(fresh.join("bin/pip")).args(install).arg(wheel))?;
    let test = "crates/python/tests/test_pedra.py";
    call(Command::new(fresh.join("bin/python")).arg(test).current_dir(root))?;
    tables(&fresh)?;
    types()
}

/// What needs pandas is tested with that of the tools.
fn tables(fresh: &std::path::Path) -> Result<(), String> {
    let python = tidy::root().join(TOOLS).join("python/bin/python");
    if !python.exists() {
        println!("tables are not tested: `cargo xtask tools` fetches pandas");
        return Ok(());
    }
    let lib = std::fs::read_dir(fresh.join("lib")).map_err(|e| e.to_string())?.flatten().next();
    let packages = lib.ok_or("an environment without packages")?.path().join("site-packages");
    let test = ["crates/python/tests/test_pedra.py", "Verdicts.test_tables"];
    call(Command::new(python).args(test).env("PYTHONPATH", packages).current_dir(tidy::root()))
}

/// The types of the package are consistent, by mypy.
fn types() -> Result<(), String> {
    let mypy = tidy::root().join(TOOLS).join("python/bin/mypy");
    if !mypy.exists() {
        println!("types are not checked: `cargo xtask tools` fetches mypy");
        return Ok(());
    }
    let package = tidy::root().join("crates/python/python");
    call(Command::new(mypy).args(["--strict", "-p", "pedra"]).current_dir(package))
}
