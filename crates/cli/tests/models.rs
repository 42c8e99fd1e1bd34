//! The models of `models/` and what `models/manifest.tsv` says of them: every row is run, every
//! file that a run writes is checked, every model is converted and decided again.

use pedra_certify::{CheckOptions, NumberedModel, check_certificate_for, check_word_certificate};
use pedra_formats::{aiger, btor2};
use pedra_model::blast::BlastOptions;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A row of the manifest.
#[derive(Clone, Debug)]
struct Row {
    file: String,
    property: String,
    name: String,
    verdict: String,
    step: Option<u64>,
    k: Option<u64>,
    options: Vec<String>,
}

impl Row {
    fn is_bits(&self) -> bool {
        self.file.ends_with(".aag")
    }

    /// What `pedra check` must exit with.
    fn exit_code(&self) -> i32 {
        match self.verdict.as_str() {
            "proved" => 0,
            "violated" => 1,
            "none" => 2,
            "unknown" => 3,
            other => panic!("verdict {other} in the manifest"),
        }
    }
}

fn models() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models")
}

fn model(file: &str) -> String {
    models().join(file).display().to_string()
}

fn rows() -> Vec<Row> {
    let text = std::fs::read_to_string(models().join("manifest.tsv")).expect("the manifest");
    let mut lines = text.lines();
    assert_eq!(lines.next(), Some("file\tproperty\tname\tverdict\tstep\tk\toptions\tremark"));
    let number = |text: &str| (!text.is_empty()).then(|| text.parse().expect("a number"));
    let rows: Vec<Row> = lines
        .map(|line| {
            let cells: Vec<&str> = line.split('\t').collect();
            let [file, property, name, verdict, step, k, options, remark] = cells[..] else {
                panic!("eight cells are needed: {line}");
            };
            assert!(!remark.is_empty(), "{line}");
            Row {
                file: file.to_owned(),
                property: property.to_owned(),
                name: name.to_owned(),
                verdict: verdict.to_owned(),
                step: number(step),
                k: number(k),
                options: options.split_whitespace().map(str::to_owned).collect(),
            }
        })
        .collect();
    assert!(!rows.is_empty());
    rows
}

/// The model files, each once.
fn files() -> Vec<String> {
    let mut files: Vec<String> = rows().into_iter().map(|row| row.file).collect();
    files.dedup();
    files
}

/// A folder of its own for a test, empty.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("models-{name}"));
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("a folder for the test");
    folder
}

fn pedra<S: AsRef<std::ffi::OsStr>>(args: impl IntoIterator<Item = S>) -> Output {
    Command::new(env!("CARGO_BIN_EXE_pedra")).args(args).output().expect("pedra starts")
}

/// Runs pedra, demands an exit code and gives what it printed.
fn expect<S: AsRef<str>>(code: i32, args: &[S]) -> String {
    let args: Vec<&str> = args.iter().map(S::as_ref).collect();
    let output = pedra(&args);
    let (out, err) =
        (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert_eq!(output.status.code(), Some(code), "pedra {}\n{out}{err}", args.join(" "));
    out.into_owned()
}

/// The objects of one event among JSON lines.
fn events(lines: &str, event: &str) -> Vec<Value> {
    let values = lines.lines().map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
    values.filter(|value| value["event"] == event).collect()
}

/// Runs `pedra check` for a row, with further arguments, and gives its property event.
fn check(row: &Row, more: &[&str]) -> Value {
    let mut args = vec!["check".to_owned(), model(&row.file), "--json".to_owned()];
    args.extend(row.options.iter().cloned());
    args.extend(["--property".to_owned(), row.property.clone()]);
    args.extend(more.iter().map(|&arg| arg.to_owned()));
    let found = events(&expect(row.exit_code(), &args), "property");
    assert_eq!(found.len(), 1, "{row:?}");
    found.into_iter().next().expect("just counted")
}

#[test]
fn every_row_is_true() {
    for row in rows() {
        if row.verdict == "none" {
            let args = ["check", &model(&row.file)];
            assert_eq!(expect(2, &args), "", "{row:?}");
            continue;
        }
        let told = check(&row, &[]);
        assert_eq!(told["verdict"], row.verdict, "{row:?}");
        assert_eq!(told["name"], row.name, "{row:?}");
        assert_eq!(told["property"].to_string(), row.property, "{row:?}");
        assert_eq!(told["step"].as_u64(), row.step, "{row:?}");
        assert_eq!(told["k"].as_u64(), row.k, "{row:?}");
    }
}

#[test]
fn the_manifest_is_complete() {
    let rows = rows();
    let entries = std::fs::read_dir(models()).expect("the models");
    for entry in entries {
        let file = entry.expect("an entry").file_name().into_string().expect("a plain name");
        if !file.ends_with(".aag") && !file.ends_with(".btor2") {
            assert!(
                ["manifest.tsv", "README.md", "word", "programs", "verilog"]
                    .contains(&file.as_str()),
                "{file}"
            );
            continue;
        }
        let text = std::fs::read_to_string(models().join(&file)).expect("text");
        assert!(text.lines().count() <= 60, "{file} is longer than 60 lines");
        let facts = expect(0, &["info", "--json", &model(&file)]);
        let facts: Value = serde_json::from_str(&facts).expect("JSON");
        let properties = facts["properties"].as_array().expect("a list");
        let of_file: Vec<&Row> = rows.iter().filter(|row| row.file == file).collect();
        assert!(!of_file.is_empty(), "{file} is not in the manifest");
        for property in properties {
            let index = property["property"].to_string();
            let found = of_file.iter().any(|r| r.property == index && property["name"] == r.name);
            assert!(found, "{file}: {property} is not in the manifest");
        }
    }
}

#[test]
fn all_properties_in_one_run() {
    for file in files() {
        let settled: Vec<Row> = rows()
            .into_iter()
            .filter(|row| row.file == file && ["proved", "violated"].contains(&&*row.verdict))
            .filter(|row| row.options == ["--engine", "kind"])
            .collect();
        if settled.is_empty() {
            continue;
        }
        let output = pedra(["check", "--json", "--depth", "20", "--threads", "2", &model(&file)]);
        let lines = String::from_utf8(output.stdout).expect("text");
        let told = events(&lines, "property");
        for row in &settled {
            let number = row.property.parse::<u64>().ok();
            let found = told.iter().find(|t| t["property"].as_u64() == number);
            assert_eq!(found.expect("a verdict")["verdict"], row.verdict, "{row:?}");
        }
        let end = &events(&lines, "end")[0];
        let count = |verdict: &str| settled.iter().filter(|r| r.verdict == verdict).count() as u64;
        assert_eq!(end["violated"].as_u64(), Some(count("violated")), "{file}");
        assert_eq!(end["exit"].as_i64(), output.status.code().map(i64::from), "{file}");
    }
}

/// Word-level PDR has an early turn in `auto`, and is the only engine that proves these within
/// minutes.
#[test]
fn word_level_pdr_has_an_early_turn() {
    for (file, threads) in [("word/lin_32.btor2", "1"), ("word/sim_inv_32.btor2", "3")] {
        let output = pedra(["check", "--json", "--threads", threads, &model(file)]);
        let lines = String::from_utf8(output.stdout).expect("text");
        let told = &events(&lines, "property")[0];
        let expected = (&"proved".into(), &"wpdr".into());
        assert_eq!((&told["verdict"], &told["engine"]), expected, "{lines}");
        assert_eq!(events(&lines, "start")[0]["threads"].to_string(), threads);
    }
}

#[test]
fn witnesses_are_accepted() {
    let folder = folder("witnesses");
    let mut seen = 0;
    for row in rows().into_iter().filter(|row| row.verdict == "violated") {
        let trace = folder.join(format!("{}.{}.witness", row.file, row.property));
        let (trace, vcd) = (trace.display().to_string(), format!("{}.vcd", trace.display()));
        let told = check(&row, &["--trace", &trace, "--vcd", &vcd]);
        assert_eq!(told["files"], serde_json::json!([trace, vcd]), "{row:?}");
        let judged = expect(0, &["certify", &model(&row.file), &trace]);
        assert!(judged.starts_with("accepted "), "{row:?}: {judged}");
        assert!(judged.contains(&row.name), "{row:?}: {judged}");
        let waves = expect(0, &["simulate", &model(&row.file), &trace]);
        assert!(waves.contains(&row.name), "{row:?}: {waves}");
        assert!(std::fs::read_to_string(&vcd).expect("a VCD file").contains("$enddefinitions"));
        seen += 1;
    }
    assert!(seen >= 10);
    let other = folder.join("counter_overflow.aag.0.witness").display().to_string();
    expect(2, &["certify", &model("arbiter.aag"), &other]);
    let shorter = folder.join("short.witness");
    std::fs::write(&shorter, "1\nb0\n000\n1\n1\n.\n").expect("written");
    let shorter = shorter.display().to_string();
    let judged = expect(1, &["certify", &model("counter_overflow.aag"), &shorter]);
    assert!(judged.starts_with("refuted "), "{judged}");
}

/// Whether a certificate proves one property of its model.
fn is_accepted(row: &Row, certificate: &Path) -> Result<(), String> {
    let read = |path: &Path| std::fs::read(path).expect("a file");
    let property: usize = row.property.parse().expect("a number");
    let options = CheckOptions::default();
    let bytes = read(&models().join(&row.file));
    let checked = if row.is_bits() {
        let system = aiger::read(&bytes).expect("a model");
        let witness = aiger::read(&read(certificate)).expect("a certificate");
        check_certificate_for(&system, &[property], &witness, &options)
    } else {
        let file = btor2::read_with_ids(&bytes).expect("a model");
        let witness = btor2::read(&read(certificate)).expect("a certificate");
        let model = NumberedModel { system: &file.system, nodes: &file.nodes };
        check_word_certificate(model, &[property], &witness, &BlastOptions::default(), &options)
    };
    checked.map(drop).map_err(|error| error.to_string())
}

#[test]
fn certificates_are_accepted() {
    let folder = folder("certificates");
    let all = rows();
    let mut seen = 0;
    for row in all.iter().filter(|row| row.verdict == "proved") {
        // Proofs with simple paths have no file, nor have those about justice in words.
        let has_none = ["kind.simple-path=on", "--liveness"];
        if row.options.iter().any(|option| has_none.contains(&option.as_str())) {
            continue;
        }
        let endings = if row.is_bits() { ["aig", "aag"] } else { ["btor2", "smt2"] };
        for ending in endings {
            let path = folder.join(format!("{}.{}.cert.{ending}", row.file, row.property));
            let shown = path.display().to_string();
            let told = check(row, &["--certificate", &shown]);
            assert_eq!(told["files"], serde_json::json!([shown]), "{row:?}");
            if ending == "smt2" {
                let text = std::fs::read_to_string(&path).expect("a script");
                assert!(text.contains("(check-sat)"), "{row:?}");
                continue;
            }
            assert_eq!(is_accepted(row, &path), Ok(()), "{row:?}");
            // The command takes all properties of the file together.
            let is_only = all.iter().all(|r| r.file != row.file || r.property == row.property);
            if is_only {
                let judged = expect(0, &["certify", &model(&row.file), &shown]);
                assert!(judged.starts_with("accepted "), "{row:?}: {judged}");
                assert!(judged.contains(&row.name), "{row:?}: {judged}");
            }
            seen += 1;
        }
    }
    assert!(seen >= 20);
}

/// A latch that an input may set, once; the set is that it is being set. The other model's is that
/// it is set.
#[test]
fn certificates_of_justice() {
    let folder = folder("justice");
    let write = |name: &str, text: &str| {
        let path = folder.join(name);
        std::fs::write(&path, text).expect("written");
        path.display().to_string()
    };
    let live = write("live.aag", "aag 4 1 1 0 2 0 0 1\n2\n4 7\n1\n8\n6 5 3\n8 5 2\n");
    let other = write("other.aag", "aag 3 1 1 0 1 0 0 1\n2\n4 7\n1\n4\n6 5 3\n");
    for (way, ending) in [("l2s", "aig"), ("klive", "aag"), ("rlive", "aig")] {
        let path = folder.join(format!("{way}.cert.{ending}")).display().to_string();
        expect(0, &["check", &live, "--liveness", way, "--certificate", &path]);
        let judged = expect(0, &["certify", &live, &path]);
        assert!(judged.starts_with("accepted "), "{judged}");
        let judged = expect(1, &["certify", &other, &path]);
        assert!(judged.starts_with("refuted "), "{judged}");
    }
    let [witness, path] = ["hwmcc.wit", "hwmcc.aig"].map(|name| folder.join(name));
    let [witness, path] = [witness, path].map(|path| path.display().to_string());
    expect(20, &["hwmcc", &live, &witness, &path]);
    expect(0, &["certify", &live, &path]);
    // Words have no such file.
    let path = folder.join("turns.btor2").display().to_string();
    expect(2, &["check", &model("turns.btor2"), "-p", "starves", "--certificate", &path]);
}

#[test]
fn certificates_of_other_models_are_refused() {
    let folder = folder("refused");
    for (right, wrong, ending) in [
        ("counter_wrap.aag", "counter_overflow.aag", "aig"),
        ("counter_bound.btor2", "pipeline.btor2", "btor2"),
        ("counter_bound.btor2", "island.btor2", "btor2"),
    ] {
        let path = folder.join(format!("{right}.cert.{ending}")).display().to_string();
        expect(0, &["check", &model(right), "--certificate", &path]);
        expect(0, &["certify", &model(right), &path]);
        let judged = expect(1, &["certify", &model(wrong), &path]);
        assert!(judged.starts_with("refuted "), "{wrong}: {judged}");
    }
    // A certificate of another format is no certificate for this model at all.
    let path = folder.join("counter_wrap.aag.cert.aig").display().to_string();
    expect(2, &["certify", &model("island.btor2"), &path]);
}

#[test]
fn conversions_keep_the_model() {
    let folder = folder("same");
    for file in files() {
        let in_folder = |ending: &str| folder.join(format!("{file}.{ending}"));
        let convert = |ending: &str| {
            let path = in_folder(ending);
            expect(0, &["convert", &model(&file), &path.display().to_string()]);
            std::fs::read(path).expect("a file")
        };
        let original = std::fs::read(models().join(&file)).expect("a model");
        if file.ends_with(".aag") {
            let system = aiger::read(&original).expect("a model");
            for ending in ["aig", "aag"] {
                let written = aiger::read(&convert(ending)).expect("a model");
                assert_eq!(aiger::same_model(&system, &written), Ok(()), "{file} as {ending}");
            }
        } else {
            let system = btor2::read(&original).expect("a model");
            let written = btor2::read(&convert("btor2")).expect("a model");
            assert_eq!(btor2::same_model(&system, &written), Ok(()), "{file}");
        }
        assert!(convert("dot").starts_with(b"digraph"), "{file}");
        // Horn clauses say that bad states are unreachable; justice has none.
        if !["justice_only.aag", "turns.btor2"].contains(&&*file) {
            let clauses = String::from_utf8(convert("smt2")).expect("text");
            assert!(clauses.contains("HORN"), "{file}");
        }
    }
    let nowhere = folder.join("x.smt2").display().to_string();
    expect(2, &["convert", &model("justice_only.aag"), &nowhere]);
    assert!(!Path::new(&nowhere).exists());
}

#[test]
fn conversions_keep_the_verdicts() {
    let folder = folder("verdicts");
    for row in rows() {
        if row.verdict == "none" {
            continue;
        }
        let ending = if row.is_bits() { "btor2" } else { "aig" };
        let path = folder.join(format!("{}.{ending}", row.file)).display().to_string();
        expect(0, &["convert", &model(&row.file), &path]);
        let mut args = vec!["check", &path, "--json", "--property", &row.property];
        args.extend(row.options.iter().map(String::as_str));
        let told = &events(&expect(row.exit_code(), &args), "property")[0];
        assert_eq!(told["verdict"], row.verdict, "{row:?} as {ending}");
        assert_eq!(told["step"].as_u64(), row.step, "{row:?} as {ending}");
        assert_eq!(told["name"], row.name, "{row:?} as {ending}");
    }
}

#[test]
fn the_demo_can_be_followed() {
    let folder = folder("demo").join("deep/inside");
    let shown = folder.display().to_string();
    let text = expect(0, &["demo", &shown]);
    for line in text.lines().filter(|line| line.starts_with("  pedra ")) {
        let words: Vec<&str> = line.split_whitespace().skip(1).collect();
        let code = pedra(&words).status.code();
        assert!(matches!(code, Some(0 | 1 | 3)), "{line}: {code:?}");
    }
    let lock = folder.join("lock.btor2");
    std::fs::write(&lock, "mine").expect("written");
    std::fs::remove_file(folder.join("arbiter.aag")).expect("removed");
    expect(2, &["demo", &shown]);
    assert_eq!(std::fs::read(&lock).expect("there"), b"mine");
    assert!(!folder.join("arbiter.aag").exists());
    expect(0, &["demo", "--force", &shown]);
    assert_eq!(std::fs::read(&lock).ok(), std::fs::read(models().join("lock.btor2")).ok());
}
