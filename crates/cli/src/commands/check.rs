//! `pedra check`: the main job. Reads a model, has its properties decided, and tells each
//! verdict when it is settled.

use crate::args::{CheckArgs, ReductionName, SolverName, When};
use crate::commands::language::{Language, refuse_for_programs};
use crate::commands::{columns, decide, program, stderr_color, stdout_color, vacuity};
use crate::evidence::{self, Request, write_files};
use crate::limits::{StopCause, Watch};
use crate::live::{Owned, Server};
use crate::load::{InputError, Loaded, load};
use crate::memory;
use crate::output::{note, tell_crash, write_file};
use crate::playback::{self, Page, Subject};
use crate::record::{CloseAtEnd, First, Recorder};
use crate::report::{
    Missing, PropertyReport, ReportFiles, Reporter, Story, Style, Verdict, WrittenFile,
};
use crate::verilog::{self, Opened};
use crate::view::plot::{Plotter, page_path};
use crate::view::status::{Head, Status};
use crate::view::summary;
use crate::view::wave::{WaveStyle, draw};
use anyhow::Result;
use pedra_certify::needed_directly;
use pedra_check::{Budgets, Checked, InternalError, Observer, Open, Plan, Prepared, SafeUpTo};
use pedra_engines::portfolio::Crew;
use pedra_engines::{Event, Settings, SweepOptions};
use pedra_formats::text::printable;
use pedra_model::Model;
use pedra_model::blast::BlastOptions;
use pedra_model::proof::Proof;
use pedra_model::reduce::ReduceOptions;
use pedra_solve::SolverKind;
use pedra_verilog::is_verilog;
use std::io::IsTerminal;
use std::path::Path;
use std::sync::{Arc, OnceLock};
use std::time::Instant;

/// The meaning of the arguments.
pub fn plan_of(args: &CheckArgs) -> Plan {
    let first = args.reduce.contains(&ReductionName::Sweep);
    let Settings { bmc, kind, pdr, fb, imc, avy, word, program, klive, auto } = args.settings();
    let has = |pass| args.reduce.contains(&ReductionName::All) || args.reduce.contains(&pass);
    Plan {
        engine: args.engine,
        liveness: args.liveness,
        stable: klive.stable,
        depth: args.depth,
        simple_path: kind.simple_path,
        window: bmc.window,
        reduce: ReduceOptions {
            cone: has(ReductionName::Cone),
            structure: has(ReductionName::Structure),
            constants: has(ReductionName::Constants),
            duplicates: has(ReductionName::Duplicates),
        },
        sweep: first.then(SweepOptions::default),
        late_sweep: (!first && args.reduce.contains(&ReductionName::All))
            .then(SweepOptions::default),
        budgets: Budgets::default(),
        blast: BlastOptions { max_array_bits: args.blast.array_bits, ..BlastOptions::default() },
        pdr,
        fb,
        imc,
        avy,
        word,
        program,
        solver: args.solver.map(|solver| match solver {
            SolverName::Cadical => SolverKind::Cadical,
            SolverName::Batsat => SolverKind::Batsat,
            SolverName::Cdcl => SolverKind::Cdcl,
        }),
        whole_bound: false,
        threads: args.threads(),
        exchange: auto.exchange,
        seed: args.run.seed,
    }
}

/// Runs the command; gives the exit code. Report files tell of the end, whatever it is.
pub fn run(args: &CheckArgs) -> Result<i32> {
    run_live(args, false)
}

/// The same; the page may be served while the run is going on.
pub fn run_live(args: &CheckArgs, is_live: bool) -> Result<i32> {
    let start = Instant::now();
    let style = if args.output.json { Style::Json } else { Style::Human };
    let reporter = Arc::new(Reporter::new(style, stdout_color(), ReportFiles::start(args)?));
    run_told(args, is_live, &reporter, start).inspect_err(|error| {
        reporter.failed(&format!("{error:#}"), error_code(error), start.elapsed());
    })
}

/// The exit code of a run that has failed.
pub fn error_code(error: &anyhow::Error) -> i32 {
    if error.is::<InternalError>() { 70 } else { 2 }
}

fn run_told(
    args: &CheckArgs,
    is_live: bool,
    reporter: &Arc<Reporter>,
    start: Instant,
) -> Result<i32> {
    args.refuse_unread()?;
    let plan = plan_of(args);
    if !is_verilog(&args.model) {
        args.verilog.refuse(&args.more)?;
    }
    if let Some(language) = Language::of(&args.model) {
        return program::run(args, &plan, language, is_live, reporter, start);
    }
    refuse_for_programs(args)?;
    let quiet = args.output.quiet || args.output.json;
    let recorder: Arc<OnceLock<Recorder>> = Arc::default();
    let page: Arc<OnceLock<Page>> = Arc::default();
    let watch = start_watch(args, plan.engine.text(), reporter, &recorder, &page, start);
    let loaded = match open(args, &watch, quiet)? {
        Opened::Model(loaded) => *loaded,
        Opened::Stopped(cause) => {
            return Ok(reporter.stopped(cause, plan.engine.text(), start.elapsed()));
        }
    };
    let selected = loaded.select(args.wanted())?;
    let properties: Vec<_> = selected.iter().map(|&index| loaded.model.property(index)).collect();
    args.refuse_unread_for(&properties)?;
    evidence::check_paths(args, &loaded, &selected)?;
    let names = selected.iter().map(|&i| (i, loaded.property_name(i).map(str::to_owned)));
    reporter.expect(names.collect());
    reporter.call(|index| loaded.model.property(index));
    reporter.locate(loaded.property_places().into_iter().enumerate().collect());
    if let Some(about) = &loaded.about {
        reporter.describe(about);
    }
    reporter.announce_start(&args.model, &loaded.bytes, &selected, &plan);
    let engine = plan.engine.text();
    start_record(args, &loaded, &selected, engine, start, (&recorder, &page))?;
    let _close = CloseAtEnd(recorder.get());
    let server = match page.get() {
        Some(page) if is_live => Some(serve_model(page, &loaded)?),
        _ => None,
    };
    let plotter = plotter(args, &loaded)?;

    let session = Session {
        args,
        loaded: &loaded,
        several: selected.len() > 1,
        plan: &plan,
        watch: &watch,
        reporter,
        recorder: recorder.get(),
        plotter: plotter.as_ref(),
        status: Status::start(!quiet, Head::new(engine, plan.threads, selected.len())),
        start,
    };
    let decided = decide(args, &loaded, &selected, &plan, watch.interrupt(), &session);
    drop(session);
    if let Err(error) = decided {
        reporter.silence();
        return Err(error);
    }
    close_record(recorder.get(), reporter);
    if watch.cause().is_none() {
        let interrupt = watch.interrupt();
        vacuity::point_out(&loaded, &plan, interrupt, reporter, args.output.quiet)?;
    }
    if let (Some(plotter), Some(prefix)) = (&plotter, &args.plots) {
        watch.search_is_over();
        write_pictures(plotter, prefix, args, plan.engine.text())?;
    }
    if let Some(page) = page.get() {
        watch.search_is_over();
        let pictures = plotter.as_ref().map_or_else(Vec::new, |p| p.pictures("").captioned());
        let is_written = write_page(page, Subject::Model(&loaded), pictures, reporter);
        tell_page(page, is_written && !quiet);
    }
    server.into_iter().for_each(Server::finish);
    Ok(reporter.finish("not decided", plan.engine.text(), start.elapsed()))
}

/// Starts the record, if one is wanted, and the page that will be made of it.
fn start_record(
    args: &CheckArgs,
    loaded: &Loaded,
    selected: &[usize],
    engine: &str,
    start: Instant,
    (recorder, page): (&OnceLock<Recorder>, &OnceLock<Page>),
) -> Result<(), InputError> {
    let names: Vec<Option<String>> =
        selected.iter().map(|&i| loaded.property_name(i).map(str::to_owned)).collect();
    let (model, content, names) = (&*args.model, &loaded.bytes[..], &names[..]);
    let first = First { model, content, properties: selected, names, engine, start };
    let (made, wanted) = playback::start(args, &first)?;
    if let Some(made) = made {
        let _ = recorder.set(made);
    }
    let _ = wanted.map(|wanted| page.set(wanted));
    Ok(())
}

/// Serves the page of a run on a model. The server reads the model by itself.
fn serve_model(page: &Page, loaded: &Loaded) -> Result<Server, InputError> {
    if loaded.about.is_some() {
        return Err(InputError("--live: not for designs in Verilog".to_owned()));
    }
    serve(page, Owned::Model(Box::new(load(&loaded.path)?)))
}

/// Says where the page is, if it is to be said.
pub fn tell_page(page: &Page, is_told: bool) {
    if is_told {
        let path = page.path().display().to_string();
        note(&format!("page written to {}", printable(&path)));
    }
}

/// Serves the page of a run, and says where.
pub fn serve(page: &Page, owned: Owned) -> Result<Server, InputError> {
    let server =
        Server::start(page, owned).map_err(|error| InputError(format!("--live: {error}")))?;
    note(&format!("live page {}", server.address()));
    Ok(server)
}

/// Writes the page of a run. Gives whether it was written; if not, says why.
pub fn write_page(
    page: &Page,
    subject: Subject<'_>,
    pictures: Vec<(String, String)>,
    reporter: &Reporter,
) -> bool {
    let written = page.write(subject, pictures);
    if let Err(problem) = &written {
        reporter.file_missing(Missing::NotWritten);
        note(&printable(&format!("{problem:#}")));
    }
    written.is_ok()
}

/// Reads the model, or the design that one is made of.
fn open(args: &CheckArgs, watch: &Watch, quiet: bool) -> Result<Opened, InputError> {
    match is_verilog(&args.model) {
        true => {
            let (more, memory) = (&args.more, args.limits.memory);
            verilog::open(&args.model, more, &args.verilog, watch, memory, quiet)
        }
        false => Ok(Opened::Model(Box::new(load(&args.model)?))),
    }
}

/// Starts the watchdog. If it has to end the run, it closes the record and makes the page.
fn start_watch(
    args: &CheckArgs,
    engine: &'static str,
    reporter: &Arc<Reporter>,
    recorder: &Arc<OnceLock<Recorder>>,
    page: &Arc<OnceLock<Page>>,
    start: Instant,
) -> Watch {
    let (reporter, recorder, page) = (reporter.clone(), recorder.clone(), page.clone());
    let model = args.model.clone();
    let words = move |cause: StopCause| {
        close_record(recorder.get(), &reporter);
        let code = reporter.stopped(cause, engine, start.elapsed());
        // The run still holds the model.
        if let (Some(page), Ok(loaded)) = (page.get(), load(&model)) {
            write_page(page, Subject::Model(&loaded), Vec::new(), &reporter);
        }
        code
    };
    Watch::start(&args.limits, 3, words)
}

/// Ends the record, if there is one.
pub fn close_record(recorder: Option<&Recorder>, reporter: &Reporter) {
    if let Some(problem) = recorder.and_then(Recorder::close) {
        reporter.file_missing(Missing::NotWritten);
        note(&printable(&problem));
    }
}

/// The plotter of the run, if pictures are asked for.
fn plotter<'a>(args: &CheckArgs, loaded: &'a Loaded) -> Result<Option<Plotter<'a>>, InputError> {
    let Some(request) = &args.plot else { return Ok(None) };
    let Model::Words(system) = &loaded.model else {
        return Err(InputError("--plot needs a model in words, that is, BTOR2".to_owned()));
    };
    let made = Plotter::new(system, request.clone(), args.run.seed);
    made.map(Some).map_err(|problem| InputError(format!("--plot: {problem}")))
}

/// Writes the pictures of a run.
pub fn write_pictures(
    plotter: &Plotter<'_>,
    prefix: &Path,
    args: &CheckArgs,
    engine: &str,
) -> Result<()> {
    let model = args.model.file_name().unwrap_or(args.model.as_os_str()).to_string_lossy();
    let pictures = plotter.pictures(&format!("{model}, engine {engine}"));
    if pictures.steps.is_empty() {
        note("no pictures: the engine reported nothing about words");
        return Ok(());
    }
    for (path, text) in pictures.files(prefix) {
        write_file(&path, text.as_bytes())?;
    }
    if !args.output.quiet && !args.output.json {
        let (count, page) = (pictures.steps.len(), page_path(prefix));
        note(&format!("{count} pictures, all in {}", printable(&page.display().to_string())));
    }
    Ok(())
}

/// A run in progress: tells what it hears.
struct Session<'a> {
    args: &'a CheckArgs,
    loaded: &'a Loaded,
    several: bool,
    plan: &'a Plan,
    watch: &'a Watch,
    reporter: &'a Reporter,
    recorder: Option<&'a Recorder>,
    plotter: Option<&'a Plotter<'a>>,
    status: Status,
    start: Instant,
}

impl Session<'_> {
    fn report(
        &self,
        index: usize,
        verdict: Verdict,
        engine: &str,
        files: Vec<WrittenFile>,
        story: Story,
    ) {
        let report = PropertyReport {
            index,
            id: self.loaded.model.property(index),
            name: self.loaded.property_name(index).map(str::to_owned),
            verdict,
            engine: engine.to_owned(),
            time: self.start.elapsed(),
            files,
            invariants: Vec::new(),
            story,
        };
        if let Some(recorder) = self.recorder {
            recorder.property(&report);
        }
        self.reporter.settle(report);
    }

    /// The waveform of a violation, for report files.
    fn story(&self, answer: &Checked) -> Story {
        let Checked::Violated(trace) = answer else { return Story::default() };
        if !self.reporter.wants_stories() {
            return Story::default();
        }
        let style = WaveStyle { columns: 100, all: false, max_signals: 30, color: false };
        let waves = evidence::waves(self.loaded, trace);
        let text = waves.map(|waves| draw(&waves, &style)).unwrap_or_default();
        Story { steps: Vec::new(), text }
    }

    fn show_wave(&self, answer: &Checked) {
        let wanted = match self.args.wave {
            When::Always => true,
            When::Never => false,
            When::Auto => {
                let silent = self.args.output.quiet || self.args.output.json;
                !silent && std::io::stderr().is_terminal()
            }
        };
        let Checked::Violated(trace) = answer else { return };
        if !wanted {
            return;
        }
        let style =
            WaveStyle { columns: columns(), all: false, max_signals: 30, color: stderr_color() };
        match evidence::waves(self.loaded, trace) {
            Ok(waves) => note(draw(&waves, &style).trim_end()),
            Err(error) => note(&format!("no waveform: {}", printable(&error))),
        }
    }
}

impl Observer for Session<'_> {
    type Error = anyhow::Error;

    fn hear(&self, engine: usize, name: &'static str, event: &Event) {
        memory::charge_to(engine);
        if let Some(recorder) = self.recorder {
            recorder.hear(engine, name, event);
        }
        if let Some(plotter) = self.plotter {
            plotter.hear(engine, event);
        }
        self.status.hear(engine, name, event);
        let verbose = self.args.output.verbose;
        match event {
            Event::Depth { depth, progress } if verbose >= 2 => {
                let queries = progress.queries;
                let seconds = self.start.elapsed().as_secs_f64();
                note(&format!("{seconds:.2} s  {name}: depth {depth}, queries {queries}"));
            }
            Event::Restarted { latches, gates } if verbose >= 1 => {
                let seconds = self.start.elapsed().as_secs_f64();
                note(&format!(
                    "{seconds:.2} s  {name}: restarts: {latches} latches, {gates} gates"
                ));
            }
            Event::Summary(summary) if verbose >= 1 => {
                note(&summary::lines(name, summary, self.start.elapsed()));
            }
            Event::Exchanged(told) => self.reporter.exchanged(name, *told, verbose >= 1),
            Event::Finished { progress, .. } if verbose >= 1 => {
                let (depth, queries) = (progress.depth, progress.queries);
                let conflicts = progress.conflicts;
                let seconds = self.start.elapsed().as_secs_f64();
                note(&format!(
                    "{seconds:.2} s  {name}: ended at depth {depth}, queries {queries}, \
                     conflicts {conflicts}"
                ));
            }
            _ => {}
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

    fn prepared(&self, prepared: &Prepared<'_>) {
        if let Some(recorder) = self.recorder {
            recorder.system(prepared);
        }
    }

    fn safe_until(&self, property: usize, step: usize) {
        self.reporter.safe_until(property, step);
    }

    fn settled(&self, property: usize, engine: &'static str, answer: &Checked) -> Result<()> {
        self.status.head().count(matches!(answer, Checked::Violated(_)));
        let checks = self.plan.check_options(engine, self.watch.interrupt());
        let request = Request { args: self.args, property, several: self.several };
        let written = write_files(&request, self.loaded, answer, &self.plan.blast, &checks)?;
        let verdict = match answer {
            Checked::Proved { proof, trust } => Verdict::Proved {
                k: proof.k(),
                clauses: proof.clauses(),
                safe_until: self.reporter.known_safe_until(property),
                trust: *trust,
                argument: match &**proof {
                    Proof::Live(live) => Some(live.argument.text()),
                    _ => None,
                },
            },
            Checked::Violated(trace) => {
                Verdict::Violated { depth: trace.depth(), loop_start: trace.loop_start() }
            }
        };
        for (why, problem) in &written.problems {
            self.reporter.file_missing(*why);
            note(&printable(problem));
        }
        if let Some(recorder) = self.recorder {
            let Loaded { model, .. } = self.loaded;
            let direct = |proof: &Proof| needed_directly(model, proof, &self.plan.blast, &checks);
            recorder.answer(model, answer, direct);
        }
        self.report(property, verdict, engine, written.files, self.story(answer));
        self.show_wave(answer);
        Ok(())
    }

    fn open(&self, property: usize, why: Open, safe: Option<SafeUpTo>) {
        let claimed = self.reporter.known_safe_until(property);
        let safe = safe.or(claimed.map(|claimed| SafeUpTo { claimed, checked: None }));
        let reason = why.text(self.watch.cause().map_or("stopped", StopCause::text));
        let verdict = Verdict::Unknown { reason, safe };
        let engine = self.plan.engine.text();
        self.report(property, verdict, engine, Vec::new(), Story::default());
    }
}
