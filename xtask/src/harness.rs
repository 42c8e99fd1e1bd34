//! The tests that `pedra check --test` writes, on the violated C tasks of a manifest: each is
//! compiled with its task and run, and must exit with 99, at the error.
//!
//! Each test runs twice: in the task's data model, and natively with the sanitizer for undefined
//! behaviour, which must find nothing before the error. Where gcc has no library for 32 bits,
//! programs of ILP32 bring their own start-up code, and are built without sanitizers.

use crate::gcc::{FREESTANDING_OPTIONS, LIBRARY};
use pedra_c::harness::{CANNOT_FORCE, ZERO};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// How long a test may run. Those of long runs take a fraction of a second.
const LIMIT: Duration = Duration::from_secs(20);

/// The exit code of a test that has come to the error.
const REACHED: i32 = 99;

/// A C library of the functions that tasks call, for 32 bits; `free` does nothing.
const SMALL_LIBRARY: &str = r#"
#define WEAK __attribute__((weak))
void _Exit(int code) { __asm__ volatile("int $0x80" : : "a"(1), "b"(code)); for (;;) ; }
WEAK void exit(int code) { _Exit(code); }
WEAK void abort(void) { _Exit(134); }
WEAK int printf(const char *format, ...) { return 0; }
WEAK void free(void *p) { }
WEAK void *malloc(unsigned long size) {
  static char heap[1 << 26];
  static unsigned long used = 0;
  void *p = heap + used;
  used += (size + 15) & ~15ul;
  if (used > sizeof heap) _Exit(70);
  return p;
}
WEAK void *calloc(unsigned long n, unsigned long size) { return malloc(n * size); }
int main();
void _start(void) { _Exit(main()); }
"#;

/// A task that is known to be violated.
struct Task {
    name: String,
    path: PathBuf,
    is_64_bit: bool,
}

/// What came of a task.
enum Outcome {
    /// Pedra has not found the violation in time.
    Open,
    /// Both runs have come to the error.
    Reached,
    /// What went wrong; and whether the test says that it needs values of variables that nothing
    /// gives them.
    Failed(String, bool),
}

/// Runs the tests of all violated tasks that `pedra` decides within a time; a table.
///
/// # Errors
/// If the manifest cannot be read, there is no gcc, or a test does not come to the error and does
/// not say why.
pub fn run(manifest: &Path, timeout: &str, pedra: &Path) -> Result<String, String> {
    let folder = Path::new("target/tmp/harness").join(std::process::id().to_string());
    fs::create_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let result = run_in(&folder, manifest, timeout, pedra);
    // Leftovers do no harm.
    let _ = fs::remove_dir_all(&folder);
    result
}

fn run_in(folder: &Path, manifest: &Path, timeout: &str, pedra: &Path) -> Result<String, String> {
    fs::write(folder.join("library.c"), format!("{LIBRARY}{SMALL_LIBRARY}"))
        .map_err(|e| e.to_string())?;
    let mut table = String::new();
    let (mut open, mut reached, mut free, mut failed) = (0, 0, 0, 0);
    for task in tasks(manifest)? {
        match test(&task, folder, timeout, pedra)? {
            Outcome::Open => open += 1,
            Outcome::Reached => reached += 1,
            Outcome::Failed(why, true) => {
                free += 1;
                let _ = writeln!(table, "{}: {why}; as its test says", task.name);
            }
            Outcome::Failed(why, false) => {
                failed += 1;
                let _ = writeln!(table, "{}: {why}", task.name);
            }
        }
    }
    let _ = writeln!(
        table,
        "{reached} tests come to the error, {free} need values that cannot be forced, {failed} fail; \
         {open} tasks are open"
    );
    if failed == 0 { Ok(table) } else { Err(table) }
}

/// The C tasks of a manifest that are unsafe.
fn tasks(manifest: &Path) -> Result<Vec<Task>, String> {
    let text = fs::read_to_string(manifest).map_err(|e| format!("{}: {e}", manifest.display()))?;
    let mut lines = text.lines().map(|line| line.split('\t').collect::<Vec<&str>>());
    let header = lines.next().unwrap_or_default();
    let column = |name: &str| {
        let at = header.iter().position(|cell| *cell == name);
        at.ok_or(format!("{}: there is no column `{name}`", manifest.display()))
    };
    let (file, expected, model) = (column("file")?, column("expected")?, column("data_model")?);
    let folder = manifest.parent().unwrap_or(Path::new("."));
    let task = |cells: Vec<&str>| {
        let name = cells.get(file)?.to_string();
        let is_c = [".c", ".i"].iter().any(|ending| name.ends_with(ending));
        let is_64_bit = cells.get(model)?.eq_ignore_ascii_case("LP64");
        (is_c && *cells.get(expected)? == "unsafe").then(|| Task {
            path: folder.join(&name),
            name,
            is_64_bit,
        })
    };
    Ok(lines.filter_map(task).collect())
}

fn test(task: &Task, folder: &Path, timeout: &str, pedra: &Path) -> Result<Outcome, String> {
    let harness = folder.join("test.c");
    // One file, however many properties are violated: the first.
    for old in fs::read_dir(folder).map_err(|e| e.to_string())?.flatten() {
        if old.file_name().to_string_lossy().starts_with("test") {
            let _ = fs::remove_file(old.path());
        }
    }
    let mut check = Command::new(pedra);
    check.args(["check", "--quiet", "--timeout", timeout, "--data-model"]);
    check.arg(if task.is_64_bit { "lp64" } else { "ilp32" }).arg("--test").arg(&harness);
    let check = check.arg(&task.path).stdout(Stdio::null()).stderr(Stdio::null());
    let status = check.status().map_err(|e| format!("{}: {e}", pedra.display()))?;
    if status.code() != Some(1) {
        return Ok(Outcome::Open);
    }
    let mut written: Vec<PathBuf> = fs::read_dir(folder)
        .map_err(|e| e.to_string())?
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.file_name().is_some_and(|n| n.to_string_lossy().starts_with("test")))
        .collect();
    written.sort();
    let Some(harness) = written.first() else {
        return Ok(Outcome::Failed("no test was written".to_owned(), false));
    };
    let text = fs::read_to_string(harness).map_err(|e| e.to_string())?;
    let is_free = text.contains(CANNOT_FORCE);
    let zero = text.contains(ZERO).then_some("-ftrivial-auto-var-init=zero");
    let native = ["-m64", "-fsanitize=undefined", "-fno-sanitize-recover=undefined"];
    let library = folder.join("library.c");
    let builds: [(&str, &[&str], Option<&Path>); 2] = match task.is_64_bit {
        true => [("LP64", &["-m64"], None), ("sanitizer", &native, None)],
        false if has_library(folder)? => {
            [("ILP32", &["-m32"], None), ("native, sanitizer", &native, None)]
        }
        false => {
            [("ILP32", &FREESTANDING_OPTIONS, Some(&library)), ("native, sanitizer", &native, None)]
        }
    };
    for (name, options, library) in builds {
        let made = folder.join("made");
        let mut gcc = Command::new("gcc");
        gcc.args(["-std=gnu11", "-O0", "-w", "-fno-stack-protector"]).args(options).args(zero);
        gcc.args([&task.path, harness]).args(library).arg("-o").arg(&made);
        let output = gcc.output().map_err(|error| format!("gcc: {error}"))?;
        if !output.status.success() {
            let errors = String::from_utf8_lossy(&output.stderr).into_owned();
            let first = errors.lines().find(|line| line.contains("error")).unwrap_or_default();
            return Ok(Outcome::Failed(format!("{name}: gcc refuses it: {first}"), is_free));
        }
        match exit_code(&made)? {
            Some(REACHED) => {}
            Some(code) => return Ok(Outcome::Failed(format!("{name}: exit code {code}"), is_free)),
            None => return Ok(Outcome::Failed(format!("{name}: a signal or no end"), is_free)),
        }
    }
    Ok(Outcome::Reached)
}

/// Whether gcc can link programs of 32 bits with a C library.
fn has_library(folder: &Path) -> Result<bool, String> {
    let (text, made) = (folder.join("empty.c"), folder.join("empty"));
    fs::write(&text, "int main(void) { return 0; }\n").map_err(|error| error.to_string())?;
    let output = Command::new("gcc").arg("-m32").arg(&text).arg("-o").arg(&made).output();
    Ok(output.map_err(|error| format!("gcc: {error}"))?.status.success())
}

/// The exit code of a program; nothing if a signal ends it, or it does not end.
fn exit_code(program: &Path) -> Result<Option<i32>, String> {
    let mut command = Command::new(program);
    let command = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = command.spawn().map_err(|e| format!("{}: {e}", program.display()))?;
    let start = Instant::now();
    loop {
        if let Some(status) = child.try_wait().map_err(|e| e.to_string())? {
            return Ok(status.code());
        }
        if start.elapsed() > LIMIT {
            child.kill().and_then(|()| child.wait()).map_err(|e| e.to_string())?;
            return Ok(None);
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}
