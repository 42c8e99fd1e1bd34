//! `pedra svcomp`: the interface of competitions on software verification. One line on standard
//! output, `TRUE`, `FALSE(unreach-call)`, `FALSE(no-overflow)` or `UNKNOWN`, with exit code 0, 1 or
//! 3; the witness in the file that was named. All properties of the kind together form the
//! question.

use crate::args::SvcompArgs;
use crate::c_source::{CSource, error_text};
use crate::correctness::{Answers, Correctness, may_have_others};
use crate::evidence::{overwrites_model, refuse_unwritable};
use crate::judge::{kind_of, with_kind};
use crate::limits::{StopCause, Watch};
use crate::load::{InputError, read_bytes};
use crate::output::{answer_once, note, same_file, write_file};
use crate::program_evidence::{data_model, specification};
use anyhow::Result;
use pedra_c::witness::{Content, violation, write};
use pedra_c::{DataModel, Options, task};
use pedra_check::{Plan, decide_program};
use pedra_formats::text::printable;
use pedra_model::blast::BlastOptions;
use pedra_program::PropertyKind;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

/// What is to be decided.
struct Task {
    program: PathBuf,
    kind: PropertyKind,
    model: DataModel,
}

/// Runs the command; gives the exit code.
pub fn run(args: &SvcompArgs) -> Result<i32> {
    let once = Arc::new(OnceLock::new());
    let watch = Watch::start(&args.limits, 3, {
        let once = once.clone();
        move |cause| {
            note(cause.text());
            answer_once(&once, "UNKNOWN", 3)
        }
    });
    let task = task_of(args)?;
    if let Some(path) = &args.witness {
        refuse_unwritable(path)?;
        if same_file(path, &task.program) || same_file(path, &args.task) {
            return Err(overwrites_model(path).into());
        }
    }
    let unknown = |why: &str| {
        note(&printable(why));
        Ok(answer_once(&once, "UNKNOWN", 3))
    };
    let source = CSource::read(&task.program, task.model)?;
    let options = Options { model: task.model, ..Options::default() };
    let program = match pedra_c::load(&source.text, &source.name(), &options) {
        Ok(program) => with_kind(&program, task.kind),
        // In a competition a program that goes beyond what is supported has an answer, too.
        Err(error) if error.is_unsupported => return unknown(&error_text(&source.path, &error)),
        Err(error) => return Err(InputError(error_text(&source.path, &error)).into()),
    };
    for assumption in &program.assumptions {
        let place = program.location(assumption.span, false);
        note(&printable(&format!("assumed: {place}: {}", assumption.text)));
    }
    let is_meant = |&index: &usize| program.properties[index].kind == task.kind;
    let selected: Vec<usize> = (0..program.properties.len()).filter(is_meant).collect();
    let plan = Plan {
        blast: BlastOptions { max_array_bits: args.blast.array_bits, ..BlastOptions::default() },
        threads: args.run.threads(),
        seed: args.run.seed,
        ..Plan::default()
    };
    let stop = watch.interrupt().child();
    let answers = Answers::new(&program, &plan, stop, args.witness.is_some());
    if !selected.is_empty() {
        decide_program(&program, &selected, &plan, &answers.stop, &answers)?;
    }
    let found = answers.into_found();
    let make = Correctness {
        program: &program,
        source: &source,
        plan: &plan,
        interrupt: watch.interrupt(),
        kind: task.kind,
        model: task.model,
    };
    let (witness, answer, code) = match (found.violated, found.open.first()) {
        (Some(trace), _) => {
            let content = Content::Violation(violation(&program, &trace, &source.text));
            let witness = source.witness(content, specification(task.kind), task.model);
            (witness, format!("FALSE({})", name_of(task.kind)), 1)
        }
        (None, Some(why)) => {
            return unknown(&why.text(watch.cause().map_or("stopped", StopCause::text)));
        }
        // *Required for soundness*: silence is no proof.
        (None, None) if found.proved.len() < selected.len() => return unknown("not decided"),
        (None, None) => (make.witness(&found.invariants), "TRUE".to_owned(), 0),
    };
    let Some(path) = &args.witness else { return Ok(answer_once(&once, &answer, code)) };
    write_file(path, write(&witness).as_bytes())?;
    let code = answer_once(&once, &answer, code);
    // The answer is given; what is left of the time may go into a better witness.
    if code == 0
        && may_have_others(&found.invariants)
        && !make.is_inductive(&witness)?
        && let Some(other) = make.other(&selected)?
    {
        write_file(path, write(&other).as_bytes())?;
    }
    Ok(code)
}

fn name_of(kind: PropertyKind) -> &'static str {
    match kind {
        PropertyKind::Assertion => "unreach-call",
        PropertyKind::Undefined(_) => "no-overflow",
    }
}

/// What the arguments and the task file say.
fn task_of(args: &SvcompArgs) -> Result<Task, InputError> {
    let is_task = args.task.extension().is_some_and(|e| e == "yml" || e == "yaml");
    let mut task = Task {
        program: args.task.clone(),
        kind: PropertyKind::Assertion,
        model: data_model(args.data_model),
    };
    let mut properties: Vec<PathBuf> = Vec::new();
    if is_task {
        let bad = |why: String| InputError(format!("{}: {why}", args.task.display()));
        let file = task::read(&read_bytes(&args.task)?).map_err(bad)?;
        let folder = args.task.parent().unwrap_or(Path::new(""));
        task.program = folder.join(file.program);
        if let (None, Some(model)) = (args.data_model, file.model) {
            task.model = model;
        }
        properties = file.properties.iter().map(|file| folder.join(file)).collect();
    }
    if let Some(path) = &args.property {
        properties = vec![path.clone()];
    }
    task.kind = kind_in(&properties)?;
    Ok(task)
}

/// The first property that is supported. A file that is not there is known by its name.
fn kind_in(properties: &[PathBuf]) -> Result<PropertyKind, InputError> {
    if properties.is_empty() {
        return Ok(PropertyKind::Assertion);
    }
    let found = properties.iter().find_map(|path| {
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        let text = match read_bytes(path) {
            Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
            Err(_) if name.starts_with("unreach-call") => {
                specification(PropertyKind::Assertion).to_owned()
            }
            Err(_) if name.starts_with("no-overflow") => "G ! overflow".to_owned(),
            Err(_) => String::new(),
        };
        kind_of(&text)
    });
    found.ok_or_else(|| {
        let text = "this property is not supported; unreach-call and no-overflow are";
        InputError(format!("{}: {text}", properties[0].display()))
    })
}
