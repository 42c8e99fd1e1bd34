//! The documentation is true: it names every command, option and field that there is, and the
//! examples of the guide print what the guide says.

use clap::CommandFactory;
use pedra::args::Cli;
use pedra_engines::{Setting, Settings, all_settings};

fn document(name: &str) -> String {
    let path = format!("{}/../../docs/{name}", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{path}: {e}"))
}

/// The part of a document below a heading, up to the next heading of the same rank.
fn section<'a>(text: &'a str, heading: &str) -> &'a str {
    let start = text.find(heading).unwrap_or_else(|| panic!("no heading `{heading}`"));
    let body = &text[start + heading.len()..];
    &body[..body.find("\n## ").unwrap_or(body.len())]
}

#[test]
fn every_option_is_in_the_reference() {
    let text = document("CLI.md");
    let command = Cli::command();
    for sub in command.get_subcommands() {
        let name = sub.get_name();
        let mut part = section(&text, &format!("\n## pedra {name}\n")).to_owned();
        if name == "explain" {
            // It has all options of `check`.
            part += section(&text, "\n## pedra check\n");
        }
        for arg in sub.get_arguments().filter(|arg| !arg.is_hide_set()) {
            let id = arg.get_id();
            let Some(long) = arg.get_long() else {
                if let Some(short) = arg.get_short() {
                    assert!(part.contains(&format!("`-{short} ")), "pedra {name}: -{short}");
                    continue;
                }
                let shown = format!("`{}`", id.as_str().to_uppercase());
                assert!(part.contains(&shown), "pedra {name}: argument {shown} is missing");
                continue;
            };
            assert!(part.contains(&format!("`--{long}")), "pedra {name}: --{long} is missing");
            if let Some(short) = arg.get_short() {
                assert!(part.contains(&format!("`-{short}`")), "pedra {name}: -{short} is missing");
            }
            // Flags have the possible values true and false, which nobody types.
            if !arg.get_action().takes_values() {
                continue;
            }
            for value in arg.get_possible_values() {
                let value = format!("`{}`", value.get_name());
                assert!(part.contains(&value), "pedra {name} --{long}: {value} is missing");
            }
            for default in arg.get_default_values() {
                let default = default.to_string_lossy();
                assert!(part.contains(&*default), "pedra {name} --{long}: default {default}");
            }
        }
    }
}

/// The rows of an engine's options, as the reference has them. Word-level PDR has a column of
/// defaults for each unit.
fn rows(engine: &str) -> String {
    let settings = |texts: &[&str]| Settings::parse(texts.iter().copied()).expect("options");
    let defaults = match engine {
        "wpdr" => ["cubes", "polytopes", "mixed"]
            .map(|unit| settings(&[format!("wpdr.unit={unit}").as_str()]))
            .to_vec(),
        _ => vec![settings(&[])],
    };
    let all = all_settings();
    let rows = all.iter().filter(|s| s.engine == engine && s.name != "unit").map(|setting| {
        let Setting { name, class, values, meaning, .. } = setting;
        let defaults: Vec<String> = defaults.iter().map(|options| setting.get(options)).collect();
        let (class, defaults) = (class.text(), defaults.join(" | "));
        format!("| `{engine}.{name}` | {class} | {values} | {defaults} | {meaning} |\n")
    });
    rows.collect()
}

#[test]
fn every_setting_is_in_the_reference() {
    let text = document("CLI.md");
    let part = section(&text, "\n## pedra check\n");
    let mut missing = String::new();
    for engine in
        ["bmc", "kind", "pdr", "rpdr", "fbpdr", "imc", "avy", "wpdr", "program", "klive", "auto"]
    {
        let table = rows(engine);
        if !part.contains(&format!("|\n{table}")) {
            missing += &table;
        }
    }
    assert!(missing.is_empty(), "the reference lacks:\n{missing}");
    let all = all_settings();
    for row in part.lines().filter(|line| line.starts_with("| `") && line.contains('.')) {
        let Some((path, _)) = row[3..].split_once('`') else { continue };
        if path.starts_with('-') {
            continue;
        }
        let Some((engine, name)) = path.split_once('.') else { continue };
        let exists = all.iter().any(|s| s.engine == engine && s.name == name);
        assert!(exists, "there is no option {path}");
    }
    let unit = all.iter().find(|s| s.engine == "wpdr" && s.name == "unit").expect("it is there");
    assert!(part.contains(&format!(
        "| `wpdr.unit` | paper | {} | mixed | {} |",
        unit.values, unit.meaning
    )));
}

/// The first help fits on a screen; the whole has every option of every engine.
#[test]
fn help_is_short_and_complete() {
    let help = |arg: &str| {
        let program = std::process::Command::new(env!("CARGO_BIN_EXE_pedra"));
        let mut program = program;
        let output = program.args(["check", arg]).env("COLUMNS", "80").output().expect("starts");
        assert!(output.status.success());
        String::from_utf8(output.stdout).expect("text")
    };
    let (short, all) = (help("--help"), help("--help-all"));
    assert!(short.lines().count() <= 27, "{short}");
    assert!(short.lines().all(|line| line.len() <= 80), "{short}");
    assert_eq!(short, help("-h"));
    for setting in all_settings() {
        assert!(all.contains(&format!("  {}.{} ", setting.engine, setting.name)), "{all}");
    }
    for text in ["--reduce", "--solver", "--array-bits", "--record", "--plot", "--seed"] {
        assert!(!short.contains(text) && all.contains(text), "{text}");
    }
    let old = ["--pdr", "--fb", "--variant", "--simple-path"];
    assert!(old.iter().all(|text| !all.contains(text)), "{all}");
}

#[test]
fn no_option_is_invented() {
    let text = document("CLI.md");
    let command = Cli::command();
    for sub in command.get_subcommands() {
        let name = sub.get_name();
        let part = section(&text, &format!("\n## pedra {name}\n"));
        for row in part.lines().filter(|line| line.starts_with("| `-")) {
            let Some(long) = row.split('|').nth(1).and_then(|cell| cell.split("`--").nth(1)) else {
                let short = row.chars().nth(4);
                assert!(sub.get_arguments().any(|arg| arg.get_short() == short), "{row}");
                continue;
            };
            let long: String =
                long.chars().take_while(|c| c.is_ascii_lowercase() || *c == '-').collect();
            let has = |command: &clap::Command| {
                command.get_arguments().any(|arg| arg.get_long() == Some(long.as_str()))
            };
            let exists = has(sub) || sub.get_subcommands().any(has);
            assert!(exists, "pedra {name} has no option --{long}");
        }
    }
}

#[test]
fn every_json_field_is_described() {
    let text = document("JSON.md");
    let models = format!("{}/../../models", env!("CARGO_MANIFEST_DIR"));
    let run = |args: &[&str]| {
        let program = env!("CARGO_BIN_EXE_pedra");
        let output = std::process::Command::new(program).args(args).output().expect("starts");
        String::from_utf8(output.stdout).expect("text")
    };
    let mut lines = String::new();
    for model in ["arbiter.aag", "fifo_data.btor2"] {
        let path = format!("{models}/{model}");
        lines += &run(&["check", "--json", "--depth", "5", &path]);
        lines += &run(&["info", "--json", &path]);
    }
    for line in lines.lines() {
        let value: serde_json::Value = serde_json::from_str(line).expect("JSON");
        for field in value.as_object().expect("an object").keys() {
            assert!(text.contains(&format!("`{field}`")), "JSON.md: {field} is missing");
        }
    }
}

/// A line with its times, such as `0.01 s`, taken out.
fn without_times(line: &str) -> String {
    let words = line.trim_end().split(' ').map(|word| match word.split_once('.') {
        Some((a, b)) if a.parse::<u32>().is_ok() && b.parse::<u32>().is_ok() => "TIME",
        _ => word,
    });
    words.collect::<Vec<_>>().join(" ")
}

/// An example: a command and the lines that it prints.
struct Example {
    command: String,
    printed: Vec<String>,
}

/// The examples of a document: lines `$ pedra …` in blocks of code, and what follows each.
fn examples(text: &str) -> Vec<Example> {
    let mut examples: Vec<Example> = Vec::new();
    let mut within = false;
    for line in text.lines() {
        if let Some(command) = line.strip_prefix("$ ") {
            within = true;
            examples.push(Example { command: command.to_owned(), printed: Vec::new() });
        } else if line.starts_with("```") {
            within = false;
        } else if within && let Some(example) = examples.last_mut() {
            example.printed.push(without_times(line));
        }
    }
    // A timeout stops each run elsewhere, and pipes need other programs. Verilog needs Yosys; a
    // newer one than Debian's makes other models, and so other depths.
    let has_yosys = std::process::Command::new("yosys").arg("-V").output();
    let has_yosys = has_yosys.is_ok_and(|run| run.stdout.starts_with(b"Yosys 0.23 "));
    let is_left_out = |command: &str| {
        let is_verilog = command.contains("models/verilog") || command.contains("hierarchy.btor2");
        command.contains("--timeout") || command.contains('|') || is_verilog && !has_yosys
    };
    examples.retain(|e| !is_left_out(&e.command));
    examples
}

#[test]
fn the_guide_prints_what_it_says() {
    let root = format!("{}/../..", env!("CARGO_MANIFEST_DIR"));
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("guide");
    let _ = std::fs::remove_dir_all(&folder);
    for models in ["models", "models/word", "models/programs", "models/verilog"] {
        std::fs::create_dir_all(folder.join(models)).expect("a folder");
        for entry in std::fs::read_dir(format!("{root}/{models}")).expect("the models") {
            let path = entry.expect("an entry").path();
            if path.is_file() {
                let name = path.file_name().expect("a file");
                std::fs::copy(&path, folder.join(models).join(name)).expect("copied");
            }
        }
    }
    let examples = examples(&document("GUIDE.md"));
    assert!(examples.len() >= 8);
    for Example { command, printed } in examples {
        let mut words: Vec<&str> = command.split_whitespace().collect();
        assert_eq!(words.remove(0), "pedra", "{command}");
        if printed.iter().any(|line| line.trim_start().starts_with("step ")) {
            words.extend(["--wave", "always"]);
        }
        let output = std::process::Command::new(env!("CARGO_BIN_EXE_pedra"))
            .args(words)
            .current_dir(&folder)
            .env("COLUMNS", "100")
            .output()
            .expect("pedra starts");
        let bytes = [output.stdout, output.stderr].concat();
        let text = String::from_utf8(bytes).expect("text");
        let lines: Vec<String> = text.lines().map(without_times).collect();
        assert_eq!(lines.len(), printed.len(), "{command}\n{text}");
        for (line, said) in lines.iter().zip(&printed) {
            match said.strip_suffix('…') {
                Some(start) => assert!(line.starts_with(start), "{command}\n{text}"),
                None => assert_eq!(line, said, "{command}"),
            }
        }
    }
}
