//! `pedra demo`: writes a few of the models of `models/` into a folder and says what to try.

use crate::args::DemoArgs;
use crate::load::InputError;
use crate::output::{say, write_file};
use anyhow::Result;
use std::borrow::Cow;
use std::fmt::Write as _;
use std::path::Path;

/// The models, copies of those in the repository's folder `models`.
const MODELS: [(&str, &str); 7] = [
    ("counter_overflow.aag", include_str!("../../demo/counter_overflow.aag")),
    ("arbiter.aag", include_str!("../../demo/arbiter.aag")),
    ("lock.btor2", include_str!("../../demo/lock.btor2")),
    ("pipeline.btor2", include_str!("../../demo/pipeline.btor2")),
    ("island.btor2", include_str!("../../demo/island.btor2")),
    ("ring.c", include_str!("../../demo/ring.c")),
    ("lock.c", include_str!("../../demo/lock.c")),
];

/// What to try: what it shows, and the command, in which `@` stands for the folder.
const TRIES: [(&str, &str); 10] = [
    ("What is in a model?", "pedra info @/arbiter.aag"),
    ("Three properties, two proved and one violated.", "pedra check @/arbiter.aag"),
    (
        "A violation with its waveform, also as a file for a waveform viewer.",
        "pedra check @/lock.btor2 -p opened --wave always --vcd @/lock.vcd",
    ),
    (
        "A violation as a witness file, and its check.",
        "pedra check @/counter_overflow.aag --trace @/counter.aiw\n  \
         pedra certify @/counter_overflow.aag @/counter.aiw",
    ),
    (
        "A proof as a certificate, and its check.",
        "pedra check @/pipeline.btor2 --certificate @/pipeline.cert.btor2\n  \
         pedra certify @/pipeline.btor2 @/pipeline.cert.btor2",
    ),
    (
        "A property that plain k-induction does not settle: unknown, but safe up to step 20.",
        "pedra check @/island.btor2 --engine kind --depth 20",
    ),
    (
        "The same property, proved on paths that visit no state twice.",
        "pedra check @/island.btor2 --engine kind -o kind.simple-path=on",
    ),
    ("A C program: what it contains, and a proof.", "pedra info @/ring.c\n  pedra check @/ring.c"),
    ("A C program with a violation, shown as source lines.", "pedra check @/lock.c --wave always"),
    ("A random run.", "pedra simulate @/arbiter.aag --steps 12"),
];

/// Runs the command; gives the exit code.
pub fn run(args: &DemoArgs) -> Result<i32> {
    let folder = &args.folder;
    if !args.force {
        refuse_to_overwrite(folder)?;
    }
    std::fs::create_dir_all(folder)
        .map_err(|e| InputError(format!("{}: cannot be made: {e}", folder.display())))?;
    for (name, text) in MODELS {
        write_file(&folder.join(name), text.as_bytes())?;
    }
    say(guide(folder).trim_end());
    Ok(0)
}

/// All files are looked at before the first one is written.
fn refuse_to_overwrite(folder: &Path) -> Result<(), InputError> {
    let exists = |name: &str| folder.join(name).symlink_metadata().is_ok();
    let there: Vec<&str> = MODELS.iter().map(|(name, _)| *name).filter(|n| exists(n)).collect();
    if there.is_empty() {
        return Ok(());
    }
    Err(InputError(format!(
        "{}: already has {}; nothing was written\nhint: name another folder, or use --force to \
         overwrite",
        folder.display(),
        there.join(", ")
    )))
}

/// What was written and what to try.
fn guide(folder: &Path) -> String {
    let shown = folder.display().to_string();
    let mut text =
        format!("{} models are in {shown}. Each explains itself in comments.\n", MODELS.len());
    text.push_str("Commands to try:\n");
    for (about, commands) in TRIES {
        let commands = commands.replace("@", &quoted(&shown));
        let _ = write!(text, "\n# {about}\n  {commands}\n");
    }
    text
}

/// The text as one word of a shell.
fn quoted(text: &str) -> Cow<'_, str> {
    let is_plain = |c: char| c.is_alphanumeric() || "/._-+,:=@%".contains(c);
    if !text.is_empty() && text.chars().all(is_plain) {
        Cow::Borrowed(text)
    } else {
        Cow::Owned(format!("'{}'", text.replace('\'', r"'\''")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_name_models_that_are_written() {
        let text = guide(Path::new("my demo"));
        assert!(text.contains("'my demo'/arbiter.aag"), "{text}");
        assert!(!text.contains('@'), "{text}");
        for word in text.split_whitespace() {
            let Some((_, name)) = word.rsplit_once("demo'/") else { continue };
            let is_model = MODELS.iter().any(|(model, _)| *model == name);
            let is_result = [".vcd", ".aiw", ".cert.btor2"].iter().any(|e| name.ends_with(e));
            assert!(is_model || is_result, "{name}");
        }
    }

    /// A package holds no file from outside of its folder, so the crate has copies.
    #[test]
    fn the_copies_are_those_of_the_repository() {
        for (name, text) in MODELS {
            let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models");
            let folder = if name.ends_with(".c") { folder.join("programs") } else { folder };
            let original = std::fs::read_to_string(folder.join(name)).expect("a model");
            assert_eq!(original, text, "{name}");
        }
    }

    #[test]
    fn words_of_a_shell() {
        assert_eq!(quoted("a/b-c.d"), "a/b-c.d");
        assert_eq!(quoted("it's here"), r"'it'\''s here'");
        assert_eq!(quoted(""), "''");
    }
}
