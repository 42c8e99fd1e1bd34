//! How a program is read, on its way to a worker and back.

use super::recipe::name;
use crate::args::DataModelName;
use crate::commands::language::{Errors, Language, ProgramSource};
use crate::commands::program::split_kinds;
use crate::load::read_model;
use clap::ValueEnum;
use pedra_cluster::Subject;
use pedra_cluster::program_evidence::fingerprint;
use pedra_cluster::wire::Reading;
use pedra_program::passes::undefined::checks_as_properties;
use pedra_program::{CheckKind, Program};
use std::borrow::Cow;
use std::path::Path;

const LANGUAGES: [(Language, &str); 3] =
    [(Language::C, "c"), (Language::Boogie, "boogie"), (Language::Horn, "horn")];

/// How a program is read of which properties with these names are asked.
pub(super) fn reading(source: &ProgramSource<'_>, program: &Program, asked: &[String]) -> Reading {
    let known = LANGUAGES.iter().find(|(language, _)| *language == source.language);
    let (_, language) = known.expect("all languages are listed");
    let (kinds, _) = split_kinds(asked);
    Reading {
        language: (*language).to_owned(),
        data_model: source.model.as_ref().map(name::<DataModelName>),
        function: source.function.clone(),
        errors_return: source.errors == Errors::First,
        checks: kinds.into_iter().map(|kind| kind.name().to_owned()).collect(),
        fingerprint: fingerprint(program),
    }
}

/// What a worker reads. It opens no file, and starts no process.
///
/// # Errors
/// What is wrong with it, in one line.
pub(super) fn read(reading: Option<&Reading>, bytes: &[u8]) -> Result<Subject, String> {
    let read = match reading {
        None => read_model(bytes).map(Subject::Model).map_err(|error| error.to_string()),
        Some(reading) => read_program(reading, bytes).map(Subject::Program),
    };
    read.map_err(|text| text.lines().next().unwrap_or_default().to_owned())
}

fn read_program(reading: &Reading, bytes: &[u8]) -> Result<Program, String> {
    let known = LANGUAGES.iter().find(|(_, name)| *name == reading.language);
    let &(language, _) = known.ok_or("an unknown language")?;
    if language == Language::C && pedra_c::needs_preprocessing(bytes) {
        return Err("C that is not preprocessed".to_owned());
    }
    let model = reading.data_model.as_deref();
    let model = model.map(|name| DataModelName::from_str(name, false)).transpose()?;
    let kind = |name: &String| {
        let known = CheckKind::ALL.into_iter().find(|kind| kind.name() == name);
        known.ok_or("an unknown kind of undefined behaviour")
    };
    let kinds: Vec<CheckKind> = reading.checks.iter().map(kind).collect::<Result<_, _>>()?;
    let source = ProgramSource {
        language,
        text: Cow::Borrowed(bytes),
        model,
        function: reading.function.clone(),
        errors: if reading.errors_return { Errors::First } else { Errors::End },
    };
    let program = source.read(Path::new("program")).map_err(|error| error.to_string())?;
    Ok(checks_as_properties(&program, &kinds))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::LanguageArgs;
    use crate::commands::language::Places;

    const TEXT: &str = "void assert(int); int f(int x) { assert(x + 1 > x); return x; } \
                        int main(void) { return f(1); }";

    fn asked(function: Option<&str>, names: &[&str]) -> (Program, Reading) {
        let args = LanguageArgs {
            data_model: Some(DataModelName::Lp64),
            function: function.map(str::to_owned),
        };
        let (path, bytes) = (Path::new("/somewhere/p.c"), TEXT.as_bytes());
        let names: Vec<String> = names.iter().map(|&name| name.to_owned()).collect();
        let (kinds, _) = split_kinds(&names);
        let errors = if kinds.is_empty() { Errors::End } else { Errors::First };
        let source = Language::C.source(path, bytes, &args, Places::OfSource, errors);
        let source = source.unwrap_or_else(|error| panic!("{error}"));
        let program = source.read(path).unwrap_or_else(|error| panic!("{error}"));
        let program = checks_as_properties(&program, &kinds);
        let reading = reading(&source, &program, &names);
        (program, reading)
    }

    /// What a worker reads is what the asker has, but for names.
    #[test]
    fn both_sides_have_the_same_graph() {
        let mut seen = Vec::new();
        for (function, names) in
            [(None, &[][..]), (Some("f"), &[]), (None, &["overflow"]), (None, &["all", "b0"])]
        {
            let (program, reading) = asked(function, names);
            let Ok(Subject::Program(found)) = read(Some(&reading), TEXT.as_bytes()) else {
                panic!("{reading:?} is refused");
            };
            assert_eq!(fingerprint(&found), reading.fingerprint);
            assert_eq!(found.properties.len(), program.properties.len());
            seen.push(reading.fingerprint);
        }
        seen.sort();
        seen.dedup();
        assert!(seen.len() >= 3, "options make different graphs: {seen:?}");
    }

    #[test]
    fn what_is_no_program_is_refused() {
        let (_, good) = asked(None, &[]);
        let of = |language: &str| Reading { language: language.to_owned(), ..good.clone() };
        let check = Reading { checks: vec!["limit".to_owned()], ..good.clone() };
        let model = Reading { data_model: Some("lp128".to_owned()), ..good.clone() };
        let function = Reading { function: Some("g".to_owned()), ..good.clone() };
        let include = b"#include \"/etc/passwd\"\nint main(void) { return 0; }";
        let bad: [(&Reading, &[u8]); 7] = [
            (&of("rust"), TEXT.as_bytes()),
            (&of("horn"), TEXT.as_bytes()),
            (&of("boogie"), TEXT.as_bytes()),
            (&check, TEXT.as_bytes()),
            (&model, TEXT.as_bytes()),
            (&function, TEXT.as_bytes()),
            (&good, include),
        ];
        for (reading, bytes) in bad {
            let text = read(Some(reading), bytes).expect_err("it is no program");
            assert!(!text.is_empty() && !text.contains('\n'), "{reading:?}: {text}");
        }
    }
}
