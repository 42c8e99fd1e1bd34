//! The documentation names every command and option that there is.

use clap::CommandFactory;
use pedra::args::Cli;

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
        let part = section(&text, &format!("\n## pedra {name}\n"));
        for arg in sub.get_arguments().filter(|arg| arg.get_id() != "help") {
            let id = arg.get_id();
            let Some(long) = arg.get_long() else {
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

#[test]
fn no_option_is_invented() {
    let text = document("CLI.md");
    let command = Cli::command();
    for sub in command.get_subcommands() {
        let name = sub.get_name();
        let part = section(&text, &format!("\n## pedra {name}\n"));
        for row in part.lines().filter(|line| line.starts_with("| `-")) {
            let long = row.split("`--").nth(1).expect("a long option in the first cell");
            let long: String =
                long.chars().take_while(|c| c.is_ascii_lowercase() || *c == '-').collect();
            let exists = sub.get_arguments().any(|arg| arg.get_long() == Some(long.as_str()));
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
