//! Programs of others that tests use where they are there: validators of report files, BenchExec,
//! maturin. They come from PyPI and npm, each at a fixed version, into `target/tools`.

use crate::tidy;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Where they are, from the root of the repository.
pub const TOOLS: &str = "target/tools";

/// What PyPI has for us.
const PYTHON: &[&str] = &[
    "xmlschema==4.3.2",
    "check-jsonschema==0.39.0",
    "benchexec==3.35",
    "maturin==1.16.0",
    "mypy==2.4.1",
    "numpy==2.4.6",
    "pandas==3.1.1",
];

/// The sources of pytest have the schema of JUnit files that Jenkins uses.
const SCHEMA_SOURCE: &str = "pytest==9.2.0";
const SCHEMA: &str = "testing/example_scripts/junit-10.xsd";

/// Microsoft's validator of SARIF files.
const NPM: &str = "@microsoft/sarif-multitool@5.7.0";

/// Fetches all of them; what is there already is kept.
///
/// # Errors
/// The first that cannot be had.
pub fn run() -> Result<(), String> {
    let folder = tidy::root().join(TOOLS);
    std::fs::create_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let python = folder.join("python");
    if !python.exists() {
        call(Command::new("python3").args(["-m", "venv"]).arg(&python))?;
    }
    let pip = python.join("bin/pip");
    call(Command::new(&pip).args(["install", "--quiet"]).args(PYTHON))?;
    schema(&pip, &folder)?;
    let npm = folder.join("npm");
    call(Command::new("npm").args(["install", "--silent", "--prefix"]).arg(&npm).arg(NPM))?;
    // npm leaves out the step that does this.
    let program = npm.join("node_modules/@microsoft/sarif-multitool-linux/Sarif.Multitool");
    call(Command::new("chmod").arg("u+x").arg(program))
}

/// Takes the schema out of the sources of pytest.
fn schema(pip: &Path, folder: &Path) -> Result<(), String> {
    let target = folder.join("junit-10.xsd");
    if target.exists() {
        return Ok(());
    }
    let sources = folder.join("sources");
    let options = ["download", "--quiet", "--no-deps", "--no-binary", ":all:", "--dest"];
    call(Command::new(pip).args(options).arg(&sources).arg(SCHEMA_SOURCE))?;
    let name = SCHEMA_SOURCE.replace("==", "-");
    let archive: PathBuf = sources.join(format!("{name}.tar.gz"));
    call(Command::new("tar").arg("-xzf").arg(archive).arg("-C").arg(&sources))?;
    std::fs::copy(sources.join(name).join(SCHEMA), &target).map_err(|e| e.to_string())?;
    Ok(())
}

/// Runs a command; an error if it fails.
pub fn call(command: &mut Command) -> Result<(), String> {
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("{command:?}: {status}")),
        Err(error) => Err(format!("{command:?}: {error}")),
    }
}

/// What a command prints, if it succeeds.
pub fn output(command: &mut Command) -> Result<String, String> {
    let output = command.output().map_err(|error| format!("{command:?}: {error}"))?;
    match output.status.success() {
        true => Ok(String::from_utf8_lossy(&output.stdout).into_owned()),
        false => {
            let errors = String::from_utf8_lossy(&output.stderr);
            Err(format!("{command:?}: {}\n{errors}", output.status))
        }
    }
}
