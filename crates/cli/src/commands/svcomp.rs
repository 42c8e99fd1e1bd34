//! `pedra svcomp`: the interface of competitions on software verification. One line on standard
//! output, `TRUE`, `FALSE(unreach-call)`, `FALSE(no-overflow)` or `UNKNOWN`, with exit code 0, 1 or
//! 3; the witness in the file that was named. All properties of the kind together form the
//! question.

use crate::args::SvcompArgs;
use crate::c_source::{CSource, error_text};
use crate::correctness::{Answers, Correctness, may_have_others};
use crate::evidence::{overwrites_model, refuse_unwritable};
use crate::limits::{StopCause, Watch};
use crate::load::{InputError, read_bytes};
use crate::output::{answer_once, note, same_file, write_file};
use crate::program_evidence::data_model;
use crate::question::{Question, as_properties};
use anyhow::Result;
use pedra_c::specification::{Claim, Specification};
use pedra_c::witness::{Content, violation, write};
use pedra_c::{DataModel, Errors, Options, task};
use pedra_check::{Plan, ProgramOpen, decide_program};
use pedra_formats::text::printable;
use pedra_model::blast::BlastOptions;
use pedra_program::Program;
use pedra_solve::Interrupt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

/// What is to be decided.
struct Task {
    program: PathBuf,
    /// None if *unreach-call* is only named.
    specification: Option<Specification>,
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
    let unknown = |why: &str| {
        why.lines().for_each(|line| note(&printable(line)));
        Ok(answer_once(&once, "UNKNOWN", 3))
    };
    let source = CSource::read(&task.program, task.model)?;
    let errors = task.specification.as_ref().map_or(Errors::End, Specification::errors);
    let options = Options { model: task.model, errors, ..Options::default() };
    let program = match pedra_c::load(&source.text, &source.name(), &options) {
        Ok(program) => program,
        // In a competition a program that goes beyond what is supported has an answer, too.
        Err(error) if error.is_unsupported => return unknown(&error_text(&source.path, &error)),
        Err(error) => return Err(InputError(error_text(&source.path, &error)).into()),
    };
    let unreach_call = || Specification::unreach_call(&program, &source.text);
    let specification = task.specification.unwrap_or_else(unreach_call);
    let claim = &specification.claim;
    let program = as_properties(&program, claim, |_| true);
    let question = match Question::new(&program, specification.clone()) {
        Ok(question) => question,
        Err(why) => return unknown(&why),
    };
    tell_assumptions(&program, &question);
    let plan = plan_of(args);
    let stop = watch.interrupt().child();
    let answers = Answers::new(&program, &plan, stop, args.witness.is_some());
    if !question.goals.is_empty() {
        decide_program(&program, &question.goals, &plan, &answers.stop, &answers)?;
    }
    let found = answers.into_found();
    let make = Correctness {
        program: &program,
        source: &source,
        plan: &plan,
        interrupt: watch.interrupt(),
        specification: specification.clone(),
        model: task.model,
    };
    let stopped = |why: &ProgramOpen| why.text(watch.cause().map_or("stopped", StopCause::text));
    let (witness, answer, code) = match (found.violated, found.open.first()) {
        (Some(trace), _) => {
            let content = Content::Violation(violation(&program, &trace, &source.text));
            let witness = source.witness(content, &specification, task.model);
            (witness, format!("FALSE({})", name_of(claim)), 1)
        }
        (None, Some(why)) => return unknown(&stopped(why)),
        // *Required for soundness*: silence is no proof.
        (None, None) if found.proved.len() < question.goals.len() => return unknown("not decided"),
        // *Required for soundness*: the task does not say which compiler is meant.
        (None, None) if program.assumptions.iter().any(|assumed| assumed.is_choice) => {
            return unknown("with what C leaves open, the answer may be another one");
        }
        (None, None) => {
            if let Some(why) = open_doubt(&program, &question, &plan, watch.interrupt())? {
                return unknown(&why);
            }
            (make.witness(&found.invariants), "TRUE".to_owned(), 0)
        }
    };
    let Some(path) = &args.witness else { return Ok(answer_once(&once, &answer, code)) };
    write_file(path, write(&witness).as_bytes())?;
    let code = answer_once(&once, &answer, code);
    // The answer is given; what is left of the time may go into a better witness.
    if code == 0
        && may_have_others(&found.invariants)
        && !make.is_inductive(&witness)?
        && let Some(other) = make.other(&question.wanted())?
    {
        write_file(path, write(&other).as_bytes())?;
    }
    Ok(code)
}

fn plan_of(args: &SvcompArgs) -> Plan {
    Plan {
        blast: BlastOptions { max_array_bits: args.blast.array_bits, ..BlastOptions::default() },
        threads: args.run.threads(),
        seed: args.run.seed,
        ..Plan::default()
    }
}

/// Says what the answer depends on.
fn tell_assumptions(program: &Program, question: &Question) {
    for assumption in &program.assumptions {
        let place = program.location(assumption.span, false);
        note(&printable(&format!("assumed: {place}: {}", assumption.text)));
    }
    if let (Claim::NoCall(function), 1..) = (&question.specification.claim, question.others) {
        let count = question.others;
        note(&printable(&format!("assertions that do not call {function} do not count: {count}")));
    }
}

/// Why calls of other error functions may be reached; none if they are not.
fn open_doubt(
    program: &Program,
    question: &Question,
    plan: &Plan,
    interrupt: &Interrupt,
) -> Result<Option<String>> {
    let Some(&first) = question.doubtful.first() else { return Ok(None) };
    let answers = Answers::new(program, plan, interrupt.child(), false);
    decide_program(program, &question.doubtful, plan, &answers.stop, &answers)?;
    let found = answers.into_found();
    if found.violated.is_none() && found.proved.len() == question.doubtful.len() {
        return Ok(None);
    }
    let index = found.violated.map_or(first, |trace| trace.property);
    let place = program.location(program.properties[index].span, false);
    let text = "another error function may be called, and what follows is not known";
    Ok(Some(format!("{place}: {text}")))
}

fn name_of(claim: &Claim) -> &'static str {
    match claim {
        Claim::NoCall(_) => "unreach-call",
        Claim::NoOverflow => "no-overflow",
    }
}

/// What the arguments and the task file say.
fn task_of(args: &SvcompArgs) -> Result<Task, InputError> {
    let is_task = args.task.extension().is_some_and(|e| e == "yml" || e == "yaml");
    let mut task = Task {
        program: args.task.clone(),
        specification: None,
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
    task.specification = specification_in(&properties)?;
    if let Some(path) = &args.witness {
        refuse_unwritable(path)?;
        if same_file(path, &task.program) || same_file(path, &args.task) {
            return Err(overwrites_model(path));
        }
    }
    Ok(task)
}

/// The first property that is supported. A file that is not there is known by its name.
fn specification_in(properties: &[PathBuf]) -> Result<Option<Specification>, InputError> {
    let mut wrong = None;
    for path in properties {
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        let read = match (read_bytes(path), &*name) {
            (Ok(bytes), _) => Specification::read(&String::from_utf8_lossy(&bytes)),
            (Err(_), "unreach-call") => return Ok(None),
            (Err(_), "no-overflow") => Ok(Specification::no_overflow()),
            (Err(_), _) => {
                Err("this property is not supported; unreach-call and no-overflow are".to_owned())
            }
        };
        match read {
            Ok(specification) if specification.entry == "main" => return Ok(Some(specification)),
            Ok(other) => {
                let text = format!("runs from `{}` are not supported, only from main", other.entry);
                wrong.get_or_insert((path, text));
            }
            Err(why) => {
                wrong.get_or_insert((path, why));
            }
        }
    }
    match wrong {
        Some((path, why)) => Err(InputError(format!("{}: {why}", path.display()))),
        None => Ok(None),
    }
}
