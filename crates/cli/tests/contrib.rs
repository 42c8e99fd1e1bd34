//! What is in `contrib/` for other programs: scripts run, files have the form that servers want,
//! and BenchExec takes our modules.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("contrib-{name}"));
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("a folder");
    for model in ["fifo.btor2", "counter_wrap.aag", "counter_overflow.aag"] {
        std::fs::copy(format!("{ROOT}/models/{model}"), folder.join(model)).expect("copied");
    }
    std::fs::copy(folder.join("counter_wrap.aag"), folder.join("a b.aag")).expect("copied");
    folder
}

fn text(path: &str) -> String {
    std::fs::read_to_string(Path::new(ROOT).join("contrib").join(path)).expect("it is there")
}

/// The last `run:` of the action, as GitHub runs it.
fn action(folder: &Path, files: &str, options: &str, fail_on: &str) -> (Output, String) {
    let action = text("github/action.yml");
    let script = action.lines().rev().find_map(|line| line.trim().strip_prefix("run: "));
    let told = folder.join("output");
    std::fs::write(&told, "").expect("written");
    let output = Command::new("bash")
        .args(["-e", "-o", "pipefail", "-c", script.expect("a script")])
        .current_dir(folder)
        .env("GITHUB_ACTION_PATH", format!("{ROOT}/contrib/github"))
        .env("GITHUB_OUTPUT", &told)
        .env("PEDRA", env!("CARGO_BIN_EXE_pedra"))
        .env("PEDRA_FILES", files)
        .env("PEDRA_OPTIONS", options)
        .env("PEDRA_FAIL_ON", fail_on)
        .output()
        .expect("bash starts");
    (output, std::fs::read_to_string(&told).expect("there"))
}

#[test]
fn the_action_of_github() {
    let folder = folder("github");
    let bound = "--engine bmc --depth 3";
    for (files, options, fail_on, code, told) in [
        ("counter_wrap.aag\n  a b.aag\n", "", "unknown", 0, "exit-code=0\n"),
        ("counter_wrap.aag\nfifo.btor2", "--engine kind", "unknown", 1, "exit-code=1\n"),
        ("counter_overflow.aag", bound, "unknown", 3, "exit-code=3\n"),
        ("counter_overflow.aag", bound, "violated", 0, "exit-code=3\n"),
        ("fifo.btor2\nmissing.aag", "", "violated", 2, "exit-code=2\n"),
        // Neither files nor tasks.
        ("", "", "unknown", 2, "exit-code=2\n"),
    ] {
        let (output, outputs) = action(&folder, files, options, fail_on);
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{files}: {errors}");
        assert!(outputs.starts_with(told), "{files}: {outputs}");
        let reports = folder.join("pedra-reports/sarif");
        let count = std::fs::read_dir(&reports).expect("there").count();
        assert_eq!(count, files.lines().count(), "{files}: {errors}");
    }
    // A word that is none of the two must not mean the weaker one, and an option that makes pedra
    // do something else is no success.
    let (output, _) = action(&folder, "counter_overflow.aag", bound, "Unknown");
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    let (output, _) = action(&folder, "counter_wrap.aag", "--help", "violated");
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    std::fs::write(folder.join("pedra.toml"), "[task.wrap]\nfiles = [\"counter_wrap.aag\"]\n")
        .expect("written");
    let (output, _) = action(&folder, "", "--timeout 60", "unknown");
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(folder.join("pedra-reports/junit/tasks.xml").exists());
}

/// The script of the job, as the runner of GitLab gives it to a shell.
#[test]
fn the_job_of_gitlab() {
    let job = text("gitlab/pedra.gitlab-ci.yml");
    let script = job.split_once("    - |\n").expect("a script").1;
    let script = script.split_once("  artifacts:").expect("its end").0;
    let script: Vec<&str> = script.lines().map(|line| line.get(6..).unwrap_or("")).collect();
    let folder = folder("gitlab");
    std::fs::create_dir(folder.join("pedra-reports")).expect("a folder");
    let path = Path::new(env!("CARGO_BIN_EXE_pedra")).parent().expect("a folder");
    let path = format!("{}:{}", path.display(), std::env::var("PATH").unwrap_or_default());
    for (files, options, code) in [
        ("counter_wrap.aag\na b.aag\n", "", 0),
        ("counter_wrap.aag\nfifo.btor2\n", "--timeout 60", 1),
        ("counter_overflow.aag\nfifo.btor2\n", "--engine bmc --depth 3", 3),
        ("missing.aag\nfifo.btor2\n", "", 2),
    ] {
        let output = Command::new("sh")
            .args(["-e", "-c", &script.join("\n")])
            .current_dir(&folder)
            .env("PATH", &path)
            .env("PEDRA_FILES", files)
            .env("PEDRA_OPTIONS", options)
            .output()
            .expect("sh starts");
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{files}: {errors}");
        assert!(folder.join("pedra-reports/2.xml").exists());
    }
}

/// By the schemas that check-jsonschema has of both servers.
#[test]
fn the_servers_take_the_files() {
    let validate = Path::new(ROOT).join("target/tools/python/bin/check-jsonschema");
    if !validate.exists() {
        eprintln!("not validated: `cargo xtask tools` fetches check-jsonschema");
        return;
    }
    for (schema, file) in [
        ("vendor.github-actions", "github/action.yml"),
        ("vendor.github-workflows", "github/workflow.yml"),
        ("vendor.gitlab-ci", "gitlab/pedra.gitlab-ci.yml"),
    ] {
        let path = Path::new(ROOT).join("contrib").join(file);
        let output = Command::new(&validate).args(["--builtin-schema", schema]).arg(path).output();
        let output = output.expect("it starts");
        assert!(output.status.success(), "{file}: {}", String::from_utf8_lossy(&output.stdout));
    }
}

/// Runs BenchExec on a definition, and gives the lines of its table of results. Without limits,
/// since those need control groups, which not every machine allows.
fn benchexec(folder: &Path, tool: &str, tasks: &str) -> Option<String> {
    let program = Path::new(ROOT).join("target/tools/python/bin/benchexec");
    if !program.exists() {
        eprintln!("not run: `cargo xtask tools` fetches BenchExec");
        return None;
    }
    let definition = format!(
        "<?xml version=\"1.0\"?>\n<benchmark tool=\"{tool}\">\n<rundefinition/>\n\
         <tasks name=\"t\">{tasks}</tasks>\n</benchmark>\n"
    );
    std::fs::write(folder.join("b.xml"), definition).expect("written");
    let path = Path::new(env!("CARGO_BIN_EXE_pedra")).parent().expect("a folder");
    let path = format!("{}:{}", path.display(), std::env::var("PATH").unwrap_or_default());
    let output = Command::new(program)
        .args(["--no-container", "--outputpath", "out/", "b.xml"])
        .current_dir(folder)
        .env("PATH", path)
        .env("PYTHONPATH", format!("{ROOT}/contrib/benchexec"))
        .output()
        .expect("it starts");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    let mut files = std::fs::read_dir(folder.join("out")).expect("results").flatten();
    let table = files.find(|file| file.file_name().to_string_lossy().ends_with(".txt"));
    Some(std::fs::read_to_string(table.expect("a table").path()).expect("text"))
}

/// The result that BenchExec gives a file.
fn result<'a>(table: &'a str, file: &str) -> &'a str {
    let row = table.lines().find(|line| line.trim_start().starts_with(file));
    let row = row.unwrap_or_else(|| panic!("{file}: {table}"));
    let words = row.trim_start()[file.len()..].trim();
    words.split("  ").next().unwrap_or_default()
}

#[test]
fn benchexec_on_models() {
    let folder = folder("benchexec-hwmcc");
    std::fs::write(folder.join("bad.aag"), "aag 1 x\n").expect("written");
    // An array that is too large to be expanded.
    std::fs::copy(format!("{ROOT}/crates/cli/tests/bad/array.btor2"), folder.join("array.btor2"))
        .expect("copied");
    let tasks = "<include>*.aag</include><include>*.btor2</include>";
    let Some(table) = benchexec(&folder, "pedra_tools.hwmcc", tasks) else { return };
    assert_eq!(result(&table, "counter_wrap.aag"), "true", "{table}");
    assert_eq!(result(&table, "counter_overflow.aag"), "false", "{table}");
    assert_eq!(result(&table, "fifo.btor2"), "false", "{table}");
    assert_eq!(result(&table, "array.btor2"), "false", "{table}");
    assert_eq!(result(&table, "bad.aag"), "ERROR(bad input)", "{table}");
}

#[test]
fn benchexec_on_programs() {
    let folder = folder("benchexec-svcomp");
    let mut tasks = String::new();
    for (name, model, verdict) in
        [("even", "ILP32", "true"), ("midpoint", "LP64", "false"), ("bad", "ILP32", "true")]
    {
        let program = format!("{ROOT}/models/programs/{name}.c");
        match name {
            "bad" => std::fs::write(folder.join("bad.c"), "int main( {\n").expect("written"),
            _ => {
                std::fs::copy(program, folder.join(format!("{name}.c"))).expect("copied");
            }
        }
        let text = format!(
            "format_version: '2.0'\ninput_files: '{name}.c'\nproperties:\n\
             \x20 - property_file: p/unreach-call.prp\n    expected_verdict: {verdict}\n\
             options:\n  language: C\n  data_model: {model}\n"
        );
        std::fs::write(folder.join(format!("{name}.yml")), text).expect("written");
        tasks.push_str(&format!("<include>{name}.yml</include>"));
    }
    std::fs::create_dir(folder.join("p")).expect("a folder");
    let property = "CHECK( init(main()), LTL(G ! call(reach_error())) )\n";
    std::fs::write(folder.join("p/unreach-call.prp"), property).expect("written");
    tasks.push_str("<propertyfile>p/unreach-call.prp</propertyfile>");
    let Some(table) = benchexec(&folder, "pedra_tools.svcomp", &tasks) else { return };
    assert_eq!(result(&table, "even.yml"), "true", "{table}");
    assert_eq!(result(&table, "midpoint.yml"), "false(unreach-call)", "{table}");
    assert_eq!(result(&table, "bad.yml"), "ERROR(bad input)", "{table}");
    // BenchExec knows the expected verdicts.
    assert!(table.contains("correct:               2"), "{table}");
}
