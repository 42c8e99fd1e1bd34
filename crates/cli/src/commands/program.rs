//! `pedra check` on programs: has the assertions decided, and shows runs in the source.

use crate::args::{CheckArgs, Wanted, When};
use crate::commands::check::{close_record, serve, tell_page, write_page, write_pictures};
use crate::commands::decide_program;
use crate::commands::language::{Language, Places, start_queries};
use crate::limits::{StopCause, Watch};
use crate::live::{Owned, Server};
use crate::load::{InputError, read_bytes};
use crate::memory;
use crate::output::{note, tell_crash};
use crate::playback::{self, Page, Subject};
use crate::program_evidence::{Evidence, Writer};
use crate::record::{self, CloseAtEnd, First, Recorder};
use crate::report::{PropertyReport, Reporter, SourcePlace, Story, Verdict};
use crate::view::plot::Plotter;
use crate::view::status::{Head, Status};
use crate::view::steps::{source_steps, steps_of};
use anyhow::Result;
use pedra_c::Errors;
use pedra_check::{Plan, Prepared, ProgramChecked, ProgramObserver, ProgramOpen, SafeUpTo};
use pedra_engines::Event;
use pedra_engines::portfolio::Crew;
use pedra_formats::text::printable;
use pedra_model::property::Property;
use pedra_program::passes::undefined::checks_as_properties;
use pedra_program::{CheckKind, LowerOptions, Lowered, Program, PropertyKind, lower};
use std::io::{IsTerminal, stderr};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Instant;

/// Tells what is asked, and what is assumed.
fn announce(
    args: &CheckArgs,
    plan: &Plan,
    (program, content): (&Program, &[u8]),
    selected: &[usize],
    reporter: &Reporter,
) {
    let name = |&index: &usize| (index, Some(property_name(program, index)));
    reporter.expect(selected.iter().map(name).collect());
    let place = |&index: &usize| (index, SourcePlace::of(program, program.properties[index].span));
    reporter.locate(selected.iter().map(place).collect());
    reporter.announce_start(&args.model, content, selected, plan);
    for assumption in &program.assumptions {
        let place = SourcePlace::of(program, assumption.span);
        reporter.announce_assumption(&place, &assumption.text);
    }
}

/// Runs the command on a program; gives the exit code.
pub fn run(
    args: &CheckArgs,
    plan: &Plan,
    language: Language,
    is_live: bool,
    reporter: &Arc<Reporter>,
    start: Instant,
) -> Result<i32> {
    refuse_files(args)?;
    start_queries(args.queries.as_deref())?;
    let recorder: Arc<OnceLock<Recorder>> = Arc::default();
    let page: Arc<OnceLock<(Page, Vec<u8>)>> = Arc::default();
    let watch = {
        let (reporter, recorder, page) = (reporter.clone(), recorder.clone(), page.clone());
        let engine = plan.engine.text();
        let words = move |cause: StopCause| {
            close_record(recorder.get(), &reporter);
            let code = reporter.stopped(cause, engine, start.elapsed());
            if let Some((page, source)) = page.get() {
                write_page(page, Subject::Program(source), Vec::new(), &reporter);
            }
            code
        };
        Watch::start(&args.limits, 3, words)
    };
    let (content, errors) = (read_bytes(&args.model)?, errors(&args.property));
    let places = Places::shown(args.witness.is_some());
    let source = language.source(&args.model, &content, &args.language, places, errors)?;
    let program = source.read(&args.model)?;
    let unasked = unasked(&program, &args.property);
    let (program, selected) = with_properties(&program, &args.model, args.wanted())?;
    announce(args, plan, (&program, &content), &selected, reporter);
    let plotter = plotter(args, &program)?;
    let writer = Writer::new(args, &program, &selected, plan, &watch)?;
    let names: Vec<Option<String>> =
        selected.iter().map(|&index| Some(property_name(&program, index))).collect();
    let (model, engine) = (&*args.model, plan.engine.text());
    let first =
        First { model, content: &content, properties: &selected, names: &names, engine, start };
    let (made, wanted) = playback::start(args, &first)?;
    if let Some(made) = made {
        let _ = recorder.set(made);
    }
    if let Some(wanted) = wanted {
        let _ = page.set((wanted, content.clone()));
    }
    let _close = CloseAtEnd(recorder.get());
    let server = match page.get() {
        Some((page, source)) if is_live => Some(serve(page, Owned::Program(source.clone()))?),
        _ => None,
    };
    let quiet = args.output.quiet || args.output.json;
    let status = Status::start(!quiet, Head::new(plan.engine.text(), plan.threads, selected.len()));
    let session = Session {
        args,
        program: &program,
        plan,
        watch: &watch,
        reporter,
        recorder: recorder.get(),
        plotter: plotter.as_ref(),
        phases: AtomicUsize::new(0),
        writer,
        status,
        start,
    };
    let asked = (&source, &program, &selected[..]);
    let decided = decide_program(args, asked, plan, watch.interrupt(), &session);
    let decided = decided.and_then(|()| session.writer.finish());
    drop(session);
    if let Err(error) = decided {
        reporter.silence();
        return Err(error);
    }
    close_record(recorder.get(), reporter);
    let pictures = draw(args, plan, plotter.as_ref(), &watch)?;
    if let Some((page, source)) = page.get() {
        watch.search_is_over();
        let is_written = write_page(page, Subject::Program(source), pictures, reporter);
        tell_page(page, is_written && !quiet);
    }
    server.into_iter().for_each(Server::finish);
    let code = reporter.finish("not decided", plan.engine.text(), start.elapsed());
    if let Some(unasked) = unasked.filter(|_| code == 0 && !quiet && stderr().is_terminal()) {
        note(&unasked);
    }
    Ok(code)
}

/// How runs go on after calls of error functions: one that returns must not hide undefined
/// behaviour that is asked for.
fn errors(wanted: &[String]) -> Errors {
    match split_kinds(wanted).0.is_empty() {
        true => Errors::End,
        false => Errors::First,
    }
}

/// What a proof of the assertions leaves open, for people: a program may be undefined on the way to
/// them, and its proof does not say so.
fn unasked(program: &Program, wanted: &[String]) -> Option<String> {
    let (kinds, _) = split_kinds(wanted);
    let others = other_checks(program, &kinds);
    let is_asked = !kinds.is_empty() || others.is_empty();
    (!is_asked).then(|| {
        let others = others.join(", ");
        format!("note: runs with undefined behaviour are not covered; look for it with {others}")
    })
}

/// The options for checks of other kinds that operations of a program need.
fn other_checks(program: &Program, kinds: &[CheckKind]) -> Vec<String> {
    let has = |kind: &CheckKind| {
        let checks = checks_as_properties(program, &[*kind]);
        checks.properties.iter().any(|property| property.kind != PropertyKind::Assertion)
    };
    let others = CheckKind::ALL.into_iter().filter(|kind| !kinds.contains(kind)).filter(has);
    others.map(|kind| format!("`-p {}`", kind.name())).collect()
}

/// The plotter of the run, if pictures are asked for.
fn plotter(args: &CheckArgs, program: &Program) -> Result<Option<Plotter<'static>>, InputError> {
    let Some(request) = &args.plot else { return Ok(None) };
    let lowered = lower(program, &LowerOptions::default())
        .map_err(|error| InputError(format!("--plot: only for one graph, but there is {error}")))?;
    let made = Plotter::of_loop(program, &Arc::new(lowered), request.clone(), args.run.seed);
    made.map(Some).map_err(|problem| InputError(format!("--plot: {problem}")))
}

/// Writes the pictures, if there are any, and gives them with their captions.
fn draw(
    args: &CheckArgs,
    plan: &Plan,
    plotter: Option<&Plotter<'_>>,
    watch: &Watch,
) -> Result<Vec<(String, String)>> {
    let (Some(plotter), Some(prefix)) = (plotter, &args.plots) else { return Ok(Vec::new()) };
    watch.search_is_over();
    write_pictures(plotter, prefix, args, plan.engine.text())?;
    Ok(plotter.pictures("").captioned())
}

/// What is written for models has another form for programs, or none.
fn refuse_files(args: &CheckArgs) -> Result<(), InputError> {
    let run = match Language::of(&args.model) {
        Some(Language::C) => {
            "; --witness writes the run to a violation, and --test a C file that runs it"
        }
        _ => "; the run to a violation is printed, and --record writes its steps",
    };
    let asked = [("--trace", args.trace.is_some(), run), ("--vcd", args.vcd.is_some(), run)];
    match asked.into_iter().find(|(_, is_asked, _)| *is_asked) {
        Some((option, _, hint)) => Err(InputError(format!("{option}: not for programs{hint}"))),
        None => Ok(()),
    }
}

/// The program with the checks that are asked for as properties, and which properties are meant.
///
/// # Errors
/// If there is no such property.
pub fn with_properties(
    program: &Program,
    path: &Path,
    wanted: Wanted<'_>,
) -> Result<(Program, Vec<usize>), InputError> {
    let (kinds, names) = split_kinds(wanted.names);
    let with_checks = checks_as_properties(program, &kinds);
    let selected = select(&with_checks, path, &kinds, &names, wanted.numbers)?;
    if selected.is_empty() {
        return Err(nothing_to_decide(program, path, &kinds, &names));
    }
    Ok((with_checks, selected))
}

/// Says what there is none of, and what there is instead.
fn nothing_to_decide(
    program: &Program,
    path: &Path,
    kinds: &[CheckKind],
    names: &[String],
) -> InputError {
    let file = path.display();
    let mut parts = Vec::new();
    if kinds.is_empty() || !names.is_empty() {
        parts.push(match Language::of(path) {
            Some(Language::Horn) => {
                "there is no query to decide; such clauses are satisfiable".to_owned()
            }
            _ => "there is no assertion to decide".to_owned(),
        });
    }
    if !kinds.is_empty() {
        let names: Vec<_> = kinds.iter().map(|kind| format!("`{}`", kind.name())).collect();
        let check = if kinds.len() == 1 { "the check" } else { "one of the checks" };
        parts.push(format!("no operation of the program needs {check} {}", names.join(", ")));
    }
    let hint = match other_checks(program, kinds).as_slice() {
        [] => String::new(),
        all => format!("\nhint: operations can be checked with {}, or `-p all`", all.join(", ")),
    };
    InputError(format!("{file}: {}{hint}", parts.join(", and ")))
}

/// Kinds of undefined behaviour that are asked for by name, and the other names.
pub fn split_kinds(wanted: &[String]) -> (Vec<CheckKind>, Vec<String>) {
    let (mut kinds, mut names) = (Vec::new(), Vec::new());
    for word in wanted.iter().flat_map(|text| text.split(',')) {
        match CheckKind::ALL.into_iter().find(|kind| kind.name() == word) {
            Some(kind) => kinds.push(kind),
            None if word == "all" => {
                kinds.extend(CheckKind::ALL);
                names.push("reach".to_owned());
            }
            None => names.push(word.to_owned()),
        }
    }
    kinds.sort_unstable();
    kinds.dedup();
    (kinds, names)
}

/// Which properties are meant: without a wish all assertions, otherwise those of a kind, at a line
/// (`file.c:12` or `12`) or with a number (`b3`).
fn select(
    program: &Program,
    path: &Path,
    kinds: &[CheckKind],
    names: &[String],
    numbers: &[usize],
) -> Result<Vec<usize>, InputError> {
    let file = path.display();
    let all = program.properties.iter().enumerate();
    let is_assertion = |kind: PropertyKind| kind == PropertyKind::Assertion;
    let mut selected: Vec<usize> = match (kinds, names, numbers) {
        ([], [], []) => all.filter(|(_, p)| is_assertion(p.kind)).map(|(i, _)| i).collect(),
        _ => all.filter(|(_, p)| !is_assertion(p.kind)).map(|(i, _)| i).collect(),
    };
    let count = program.properties.len();
    if let Some(number) = numbers.iter().find(|&&number| number >= count) {
        return Err(InputError(format!("{file}: there is no property number {number}")));
    }
    selected.extend(numbers);
    for name in names {
        let number = name.strip_prefix('b').and_then(|digits| digits.parse::<usize>().ok());
        let found = |(index, property): (usize, &pedra_program::Property)| {
            let is_line = name.parse() == Ok(property.span.line)
                || *name == program.location(property.span, false);
            let is_meant = is_line || number == Some(index) || name == "reach";
            (is_assertion(property.kind) && is_meant).then_some(index)
        };
        let found: Vec<usize> = program.properties.iter().enumerate().filter_map(found).collect();
        if found.is_empty() && name != "reach" {
            let text = format!(
                "{file}: there is no assertion `{name}`; name a line, a number such as b0, or one \
                 of reach, overflow, division, shift, bounds, pointer, all"
            );
            return Err(InputError(text));
        }
        selected.extend(found);
    }
    selected.sort_unstable();
    selected.dedup();
    Ok(selected)
}

/// `loop.c:14 x + y == n`
pub fn property_name(program: &Program, index: usize) -> String {
    let property = &program.properties[index];
    let place = program.location(property.span, false);
    match property.kind {
        PropertyKind::Assertion => format!("{place} {}", property.text),
        PropertyKind::Undefined(kind) => format!("{place} no {kind}: {}", property.text),
    }
}

/// A run in progress: tells what it hears.
struct Session<'a> {
    args: &'a CheckArgs,
    program: &'a Program,
    plan: &'a Plan,
    watch: &'a Watch,
    reporter: &'a Reporter,
    recorder: Option<&'a Recorder>,
    plotter: Option<&'a Plotter<'static>>,
    /// How often the program was lowered; what is drawn is the first time.
    phases: AtomicUsize,
    writer: Writer<'a>,
    status: Status,
    start: Instant,
}

impl Session<'_> {
    fn report(
        &self,
        index: usize,
        verdict: Verdict,
        engine: &str,
        evidence: Evidence,
        story: Story,
    ) {
        for (why, text) in &evidence.problems {
            note(&printable(text));
            self.reporter.file_missing(*why);
        }
        let mut report = PropertyReport {
            index,
            id: Property::Bad(index),
            name: Some(property_name(self.program, index)),
            verdict,
            engine: engine.to_owned(),
            time: self.start.elapsed(),
            files: evidence.files,
            invariants: evidence.recorded,
            story,
        };
        if let Some(recorder) = self.recorder {
            recorder.property(&report);
        }
        report.invariants = evidence.invariants;
        self.reporter.settle(report);
    }

    fn shows_steps(&self) -> bool {
        let is_silent = self.args.output.quiet || self.args.output.json;
        match self.args.wave {
            When::Always => true,
            When::Never => false,
            When::Auto => !is_silent && std::io::stderr().is_terminal(),
        }
    }
}

impl ProgramObserver for Session<'_> {
    type Error = anyhow::Error;

    fn hear(&self, engine: usize, name: &'static str, event: &Event) {
        memory::charge_to(engine);
        self.status.hear(engine, name, event);
        if let Some(recorder) = self.recorder {
            recorder.hear(engine, name, event);
        }
        let is_first = self.phases.load(Ordering::Relaxed) <= 1;
        if let Some(plotter) = self.plotter.filter(|_| is_first && name == "program") {
            plotter.hear(engine, event);
        }
        if let Event::Exchanged(exchanged) = event {
            self.reporter.exchanged(name, *exchanged, false);
        }
    }

    fn wants_details(&self) -> bool {
        self.recorder.is_some() || self.plotter.is_some()
    }

    fn crashed(&self, engine: &'static str, text: &str) {
        tell_crash(engine, text);
    }

    fn crew(&self) -> Option<&Crew> {
        Some(self.watch.crew())
    }

    fn lowered(&self, lowered: &Lowered) {
        self.phases.fetch_add(1, Ordering::Relaxed);
        if let Some(recorder) = self.recorder {
            recorder.add(record::program(self.program, lowered));
        }
    }

    fn prepared(&self, prepared: &Prepared<'_>) {
        if let Some(recorder) = self.recorder {
            recorder.system(prepared);
        }
    }

    fn settled(
        &self,
        property: usize,
        engine: &'static str,
        answer: &ProgramChecked,
    ) -> Result<()> {
        self.status.head().count(matches!(answer, ProgramChecked::Violated(_)));
        match answer {
            ProgramChecked::Proved(proof, inlined, trust) => {
                let clauses = proof.invariants.values().map(Vec::len).sum();
                let trust = *trust;
                let (k, safe_until, argument) = (proof.k, None, None);
                let verdict = Verdict::Proved { k, clauses, safe_until, trust, argument };
                let evidence = self.writer.proved(property, engine, proof, inlined)?;
                self.report(property, verdict, engine, evidence, Story::default());
            }
            ProgramChecked::Violated(trace) => {
                let depth = trace.steps.len();
                let evidence = self.writer.violated(property, trace)?;
                if let Some(recorder) = self.recorder {
                    let steps = steps_of(self.program, trace);
                    recorder.add(record::program_trace(property, &steps));
                }
                let wants_story = self.shows_steps() || self.reporter.wants_stories();
                let lines = if wants_story { source_steps(self.program, trace) } else { vec![] };
                let story = match self.reporter.wants_stories() {
                    true => Story::of_program(self.program, trace, lines.join("\n")),
                    false => Story::default(),
                };
                let verdict = Verdict::Violated { depth, loop_start: None };
                self.report(property, verdict, engine, evidence, story);
                if self.shows_steps() {
                    lines.iter().for_each(|line| note(&printable(line)));
                }
            }
        }
        Ok(())
    }

    fn open(&self, property: usize, why: ProgramOpen, safe: Option<SafeUpTo>) {
        let stopped = self.watch.cause().map_or("stopped", StopCause::text);
        let verdict = Verdict::Unknown { reason: why.text(stopped), safe };
        let (engine, evidence) = (self.plan.engine.text(), Evidence::default());
        self.report(property, verdict, engine, evidence, Story::default());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_proofs_leave_open_is_named() {
        let text =
            "void assert(int); int a[3]; int main(void) { int i = 1; a[i] = i + 1; assert(i); }";
        let load = |text: &str| {
            pedra_c::load(text.as_bytes(), "p.c", &pedra_c::Options::default()).expect("a program")
        };
        let all = "note: runs with undefined behaviour are not covered; look for it with \
                   `-p overflow`, `-p bounds`";
        for (wanted, note) in [(&[][..], Some(all)), (&["b0"], Some(all)), (&["bounds"], None)] {
            let wanted: Vec<String> = wanted.iter().map(|word| (*word).to_owned()).collect();
            assert_eq!(unasked(&load(text), &wanted).as_deref(), note, "{wanted:?}");
        }
        assert_eq!(unasked(&load("void assert(int); int main(void) { assert(1); }"), &[]), None);
    }
}
