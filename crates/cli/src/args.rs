//! What was typed. Meaning comes later: nothing here opens a file or starts an engine.

mod values;

pub use values::*;

use crate::options;
use crate::output::note;
use crate::tasks::TasksArgs;
use crate::verilog::VerilogArgs;
use crate::view::plot::PlotRequest;
use clap::builder::styling;
use clap::{Args, CommandFactory, Parser, Subcommand, ValueEnum};
use pedra_check::{EngineName, Liveness};
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

const STYLES: styling::Styles = styling::Styles::styled()
    .header(styling::AnsiColor::Green.on_default().bold())
    .usage(styling::AnsiColor::Green.on_default().bold())
    .literal(styling::AnsiColor::Cyan.on_default().bold())
    .placeholder(styling::AnsiColor::Cyan.on_default());

const EXIT_CODES: &str = "Exit codes:
  0   all properties proved (or the command succeeded)
  1   some property violated (or a certificate or witness was refuted)
  2   bad usage, bad input, or an output file that could not be written
  3   some property unknown: a limit, an interrupt, or something unsupported
  70  internal error: an answer failed its check and was not printed
If some properties are violated and others unknown, the code is 1. `hwmcc` uses 10, 20 and 30.";

const SHORT_HELP: &str = "All other options: pedra check --help-all, and docs/CLI.md";

/// A property-directed model checker for hardware and software. Every answer is checked before
/// it is printed.
#[derive(Parser, Debug)]
#[command(name = "pedra", version, styles = STYLES, after_help = EXIT_CODES)]
#[command(subcommand_required = true, arg_required_else_help = true)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

impl Cli {
    /// Reads a command line.
    ///
    /// # Errors
    /// What is wrong with it; of a spelling of earlier versions, how it is written today.
    pub fn read(words: impl IntoIterator<Item = OsString>) -> Result<Cli, clap::Error> {
        let words: Vec<OsString> = words.into_iter().collect();
        Cli::try_parse_from(&words).map_err(|error| {
            let text = options::todays_spelling(&error, &words);
            match text.or_else(|| no_model(&error, &words)) {
                Some(text) => Cli::command().error(error.kind(), text),
                None => error,
            }
        })
    }
}

/// `check` needs no model where there are tasks.
fn no_model(error: &clap::Error, words: &[OsString]) -> Option<String> {
    let is_check = words.get(1).is_some_and(|word| word == "check");
    let missing = match error.get(clap::error::ContextKind::InvalidArg) {
        Some(clap::error::ContextValue::Strings(missing)) => missing.as_slice(),
        _ => &[],
    };
    // Other options may be missing, too.
    let is_missing = missing.iter().any(|name| name.starts_with("<MODEL>"));
    (is_check && is_missing).then(|| {
        let file = crate::tasks::FILE;
        format!("no model is named, and there is no {file} here whose tasks could be checked")
    })
}

/// The commands.
#[derive(Subcommand, Debug)]
pub enum Command {
    /// Decide the properties of a model or a program
    #[command(disable_help_flag = true, after_help = SHORT_HELP, after_long_help = options::help())]
    #[command(override_usage = "pedra check [OPTIONS] [MODEL] [MORE]...")]
    Check(Box<CheckArgs>),
    /// Run the tasks of pedra.toml in the current folder
    Run(TasksArgs),
    /// Check a model, and write a page (-o FILE.html) that shows how the answers were found
    #[command(disable_help_flag = true, after_help = SHORT_HELP, after_long_help = options::help())]
    Explain(Box<ExplainArgs>),
    /// Check a witness or a certificate, of Pedra or another tool, against a model
    Certify(CertifyArgs),
    /// Replay a witness, or run random stimulus, and show the waveform
    Simulate(SimulateArgs),
    /// Convert a model to another format, chosen by the ending of the output
    Convert(ConvertArgs),
    /// Show what is in a model: sizes, properties, resets, constraints
    Info(InfoArgs),
    /// The interface of HWMCC: answer `sat`, `unsat` or `unknown`, write a witness or certificate
    Hwmcc(HwmccArgs),
    /// The interface of SV-COMP: answer `TRUE`, `FALSE(...)` or `UNKNOWN`
    Svcomp(SvcompArgs),
    /// Run engines and other model checkers on many models, and compare them
    Bench(BenchArgs),
    /// Search for answers for `check --cluster` on other machines
    #[cfg(feature = "cluster")]
    Worker(crate::commands::cluster::worker::WorkerArgs),
    /// Show the queue and the workers
    #[cfg(feature = "cluster")]
    Cluster(crate::commands::cluster::status::ClusterCommand),
    /// Write a few commented example models and suggest commands
    Demo(DemoArgs),
    /// Print a completion script for a shell
    Completions(CompletionsArgs),
    /// Print the manual page
    Man,
}

/// Limits that end a run with a partial answer.
#[derive(Args, Debug, Clone)]
pub struct LimitArgs {
    /// Stop after this time, such as 90, 20s, 10m, 1h30m
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    pub timeout: Option<Duration>,
    /// Stop at this much memory, such as 500M, 4G
    #[arg(long, value_name = "SIZE", value_parser = parse_size)]
    pub memory: Option<u64>,
}

/// How engines run.
#[derive(Args, Debug, Clone)]
pub struct RunArgs {
    /// How many threads [default: cores with auto, else 1]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256))]
    pub threads: Option<u16>,
    /// Seed of all random choices; runs with one thread and the same seed are identical
    #[arg(
        long,
        value_name = "S",
        default_value_t = 0,
        help_heading = "More",
        hide_short_help = true
    )]
    pub seed: u64,
}

impl RunArgs {
    /// How many threads `auto` uses: as many as the machine has cores, unless told otherwise by
    /// the option or by `PEDRA_THREADS`.
    pub fn threads(&self) -> usize {
        let cores = || std::thread::available_parallelism().map_or(1, |cores| cores.get().min(256));
        let told = self.threads.map(usize::from).or_else(threads_of_environment);
        told.unwrap_or_else(cores)
    }
}

/// What `PEDRA_THREADS` says, if it is set.
fn threads_of_environment() -> Option<usize> {
    let text = std::env::var("PEDRA_THREADS").ok()?;
    let number = text.parse().ok().filter(|number| (1..=256).contains(number));
    if number.is_none() {
        note("PEDRA_THREADS is ignored: it is not a number from 1 to 256");
    }
    number
}

/// What is shown.
#[derive(Args, Debug, Clone, Default)]
pub struct OutputArgs {
    /// One JSON object per line (schema: docs/JSON.md)
    #[arg(long)]
    pub json: bool,
    /// Verdicts and errors only
    #[arg(long, short, conflicts_with = "verbose")]
    pub quiet: bool,
    /// A summary of each engine; twice: every depth
    #[arg(long, short, action = clap::ArgAction::Count)]
    pub verbose: u8,
}

/// How word-level models are made into bits.
#[derive(Args, Debug, Clone)]
pub struct BlastArgs {
    /// Expand arrays of up to this many bits; larger ones stay arrays
    #[arg(
        long,
        value_name = "BITS",
        default_value_t = pedra_model::blast::BlastOptions::default().max_array_bits,
        help_heading = "More",
        hide_short_help = true
    )]
    pub array_bits: u64,
}

/// How programs are read.
#[derive(Args, Debug, Clone, Default)]
pub struct LanguageArgs {
    /// C: the sizes of types [default: ilp32]
    #[arg(long, value_enum, value_name = "MODEL", help_heading = "More", hide_short_help = true)]
    pub data_model: Option<DataModelName>,
    /// C and Boogie: the function or procedure where runs start [default: main; in Boogie
    /// ULTIMATE.start, or else any]
    #[arg(long, value_name = "NAME", help_heading = "More", hide_short_help = true)]
    pub function: Option<String>,
}

/// `pedra check`.
#[derive(Args, Debug, Clone)]
pub struct CheckArgs {
    /// AIGER, BTOR2, .v, .sv, .c, .bpl, .smt2, `-` for stdin; or pedra.toml
    pub model: PathBuf,
    /// More Verilog files of the design
    #[arg(hide_short_help = true)]
    pub more: Vec<PathBuf>,
    /// The engine
    #[arg(long, short, value_parser = engine_named(), default_value = "auto")]
    pub engine: EngineName,
    /// How justice sets are decided
    #[arg(
        help_heading = "More",
        hide_short_help = true,
        long,
        value_name = "WAY",
        value_parser = liveness_named(),
        default_value = "auto"
    )]
    pub liveness: Liveness,
    /// Only this property, by name or number; repeatable
    #[arg(long, short, value_name = "NAME")]
    pub property: Vec<String>,
    /// Only the property with this number, as JSON has it, whatever names say; repeatable
    #[arg(long, value_name = "N", help_heading = "More", hide_short_help = true)]
    pub property_number: Vec<usize>,
    /// Search up to this step; PDR may find a longer trace
    #[arg(long, alias = "bound", short_alias = 'k', value_name = "STEP")]
    pub depth: Option<usize>,
    /// An option of an engine, such as pdr.ctg=1
    #[arg(short = 'o', value_name = "ENGINE.NAME=VALUE", value_parser = options::parse_option)]
    pub option: Vec<String>,
    /// Reductions to run before the engines
    #[arg(
        help_heading = "More",
        hide_short_help = true,
        long,
        value_enum,
        value_delimiter = ',',
        default_value = "all",
        value_name = "PASSES"
    )]
    pub reduce: Vec<ReductionName>,
    /// The SAT solver of the engines; proofs are checked with another one
    /// [default: cdcl for PDR, cadical for the others]
    #[arg(long, value_enum, help_heading = "More", hide_short_help = true)]
    pub solver: Option<SolverName>,
    /// How words become bits.
    #[command(flatten)]
    pub blast: BlastArgs,
    /// How programs are read.
    #[command(flatten)]
    pub language: LanguageArgs,
    /// How Verilog is read.
    #[command(flatten)]
    pub verilog: VerilogArgs,
    /// Write the witness of a violation here
    #[arg(long, value_name = "FILE")]
    pub trace: Option<PathBuf>,
    /// Write the waveform of a violation here
    #[arg(long, value_name = "FILE")]
    pub vcd: Option<PathBuf>,
    /// Write the certificate of a proof here
    ///
    /// A witness circuit (.aig, .aag, .btor2) or SMT-LIB queries (.smt2)
    #[arg(long, value_name = "FILE")]
    pub certificate: Option<PathBuf>,
    /// C programs: write the witness of a proof or violation here (YAML, format 2.0)
    #[arg(long, value_name = "FILE", help_heading = "More", hide_short_help = true)]
    pub witness: Option<PathBuf>,
    /// C programs, Verilog: write a test here that reproduces a violation
    ///
    /// A C file, which reaches the error when linked with the program, and exits with 99; or a
    /// Verilog test bench
    #[arg(long, value_name = "FILE", help_heading = "More", hide_short_help = true)]
    pub test: Option<PathBuf>,
    /// Write the record of the run here: frames, lemmas and obligations as JSON lines
    /// (schema: docs/JSON.md)
    #[arg(long, value_name = "FILE", help_heading = "More", hide_short_help = true)]
    pub record: Option<PathBuf>,
    /// Programs: write what the solver for integers is asked into this folder (SMT-LIB), with the
    /// answers and times
    #[arg(long, value_name = "FOLDER", help_heading = "More", hide_short_help = true)]
    pub queries: Option<PathBuf>,
    /// Write the verdicts here as JUnit XML, for continuous integration
    #[arg(long, value_name = "FILE", help_heading = "More", hide_short_help = true)]
    pub junit: Option<PathBuf>,
    /// Write violated and unknown properties here as SARIF 2.1.0, for code scanning
    #[arg(long, value_name = "FILE", help_heading = "More", hide_short_help = true)]
    pub sarif: Option<PathBuf>,
    /// Write a page that replays the run here (HTML)
    #[arg(long, value_name = "FILE", help_heading = "More", hide_short_help = true)]
    pub report: Option<PathBuf>,
    /// Draw the run in the plane of two states, for example x,y or x=0..9,y=-5..5, for engines
    /// that reason in words; for a program the lemmas at the loop of a line, for example x,y@12
    #[arg(
        long,
        value_name = "X,Y",
        requires = "plots",
        help_heading = "More",
        hide_short_help = true
    )]
    pub plot: Option<PlotRequest>,
    /// Write the pictures of --plot: PREFIX-001.svg and so on, and PREFIX.html with all of them
    #[arg(
        long,
        value_name = "PREFIX",
        requires = "plot",
        help_heading = "More",
        hide_short_help = true
    )]
    pub plots: Option<PathBuf>,
    /// Draw the waveform of a violation in the terminal
    #[arg(
        long,
        value_enum,
        default_value_t = When::Auto,
        help_heading = "More",
        hide_short_help = true
    )]
    pub wave: When,
    /// Its limits.
    #[command(flatten)]
    pub limits: LimitArgs,
    /// How engines run.
    #[command(flatten)]
    pub run: RunArgs,
    /// Whether they run elsewhere.
    #[cfg(feature = "cluster")]
    #[command(flatten)]
    pub cluster: crate::commands::cluster::ClusterArgs,
    /// What is shown.
    #[command(flatten)]
    pub output: OutputArgs,
    /// Show the most common options
    #[arg(long, short, action = clap::ArgAction::HelpShort)]
    help: Option<bool>,
    /// Show all options
    #[arg(long, action = clap::ArgAction::HelpLong)]
    help_all: Option<bool>,
}

impl CheckArgs {
    /// The properties that are asked for.
    pub fn wanted(&self) -> Wanted<'_> {
        Wanted { names: &self.property, numbers: &self.property_number }
    }

    /// How many threads engines use. By default one that is named has one thread, and a run that
    /// is recorded or drawn has one, too: that is the search which a reader can follow.
    pub fn threads(&self) -> usize {
        let is_shown = [&self.record, &self.report].into_iter().any(Option::is_some);
        match self.engine {
            EngineName::Auto if !is_shown && self.plot.is_none() => self.run.threads(),
            _ => self.run.threads.map_or(1, usize::from),
        }
    }
}

/// The properties that are asked for; without any, all.
#[derive(Copy, Clone, Debug, Default)]
pub struct Wanted<'a> {
    /// By name, or by a number unless that is a name.
    pub names: &'a [String],
    /// By number alone.
    pub numbers: &'a [usize],
}

/// `pedra explain`.
#[derive(Args, Debug, Clone)]
pub struct ExplainArgs {
    /// Make the page from a record of `check --record` instead of running
    #[arg(
        long,
        value_name = "FILE",
        conflicts_with_all = [
            "engine", "property", "property_number", "depth", "reduce", "solver", "trace", "vcd",
            "certificate", "witness", "test", "record", "queries", "plot", "plots", "wave",
            "timeout", "memory", "threads", "seed", "json", "array_bits", "data_model", "function",
        ]
    )]
    pub from: Option<PathBuf>,
    /// Serve the page during the run, at an address of this machine that is printed
    #[arg(long, conflicts_with = "from")]
    pub live: bool,
    /// What is run, and the page as `--report FILE` or `-o FILE.html`.
    #[command(flatten)]
    pub check: CheckArgs,
}

/// `pedra certify`.
#[derive(Args, Debug, Clone)]
pub struct CertifyArgs {
    /// The model
    pub model: PathBuf,
    /// A witness (AIGER, BTOR2, or YAML for C programs), or a certificate (a circuit in the model's
    /// format)
    pub file: PathBuf,
    /// Only this property, by name or number (b2 or 2); may be repeated
    #[arg(long, short, value_name = "NAME")]
    pub property: Vec<String>,
    /// How words become bits.
    #[command(flatten)]
    pub blast: BlastArgs,
    /// Its limits.
    #[command(flatten)]
    pub limits: LimitArgs,
    /// One JSON object instead of text (schema: docs/JSON.md)
    #[arg(long, help_heading = "Output")]
    pub json: bool,
}

/// `pedra simulate`.
#[derive(Args, Debug, Clone)]
pub struct SimulateArgs {
    /// The model
    pub model: PathBuf,
    /// A witness to replay; without it, inputs are random
    pub witness: Option<PathBuf>,
    /// How many steps of random stimulus
    #[arg(
        long,
        value_name = "N",
        default_value_t = 20,
        conflicts_with = "witness",
        value_parser = clap::value_parser!(u32).range(1..)
    )]
    pub steps: u32,
    /// Seed of the random stimulus
    #[arg(long, value_name = "S", default_value_t = 0, conflicts_with = "witness")]
    pub seed: u64,
    /// Write the waveform here
    #[arg(long, value_name = "FILE")]
    pub vcd: Option<PathBuf>,
    /// Show all signals, not only those in the cone of the violated property
    #[arg(long)]
    pub all: bool,
    /// Instead of the waveform, show what a value of the witness depends on, back to step 0
    #[arg(long, value_name = "SIGNAL@STEP", requires = "witness", conflicts_with = "all")]
    pub why: Option<String>,
}

/// `pedra convert`.
#[derive(Args, Debug, Clone)]
pub struct ConvertArgs {
    /// The model or program to read
    pub input: PathBuf,
    /// The file to write: .aig, .aag, .btor2, .btor, .smt2 (Horn clauses) or .dot. More Verilog
    /// files of the design come before it
    #[arg(required = true)]
    pub output: Vec<PathBuf>,
    /// How words become bits.
    #[command(flatten)]
    pub blast: BlastArgs,
    /// How programs are read.
    #[command(flatten)]
    pub language: LanguageArgs,
    /// How Verilog is read.
    #[command(flatten)]
    pub verilog: VerilogArgs,
}

/// `pedra info`.
#[derive(Args, Debug, Clone)]
pub struct InfoArgs {
    /// The model or program
    pub model: PathBuf,
    /// More Verilog files of the design
    pub more: Vec<PathBuf>,
    /// One JSON object instead of text
    #[arg(long)]
    pub json: bool,
    /// How programs are read.
    #[command(flatten)]
    pub language: LanguageArgs,
    /// How Verilog is read.
    #[command(flatten)]
    pub verilog: VerilogArgs,
}

/// `pedra hwmcc`.
#[derive(Args, Debug, Clone)]
pub struct HwmccArgs {
    /// The model
    pub model: PathBuf,
    /// Where to write the witness if the answer is `sat`
    pub witness: PathBuf,
    /// Where to write the certificate if the answer is `unsat`
    pub certificate: Option<PathBuf>,
    /// How words become bits.
    #[command(flatten)]
    pub blast: BlastArgs,
    /// Its limits.
    #[command(flatten)]
    pub limits: LimitArgs,
    /// How engines run.
    #[command(flatten)]
    pub run: RunArgs,
}

/// `pedra svcomp`.
#[derive(Args, Debug, Clone)]
pub struct SvcompArgs {
    /// A C program (.c, .i), or a task file (.yml) that names it
    pub task: PathBuf,
    /// A property file, or the name unreach-call or no-overflow [default: unreach-call]
    #[arg(long, value_name = "FILE")]
    pub property: Option<PathBuf>,
    /// The sizes of types [default: that of the task, or ilp32]
    #[arg(long, value_enum, value_name = "MODEL", ignore_case = true)]
    pub data_model: Option<DataModelName>,
    /// Where to write the witness of the answer
    #[arg(long, value_name = "FILE")]
    pub witness: Option<PathBuf>,
    /// How words become bits.
    #[command(flatten)]
    pub blast: BlastArgs,
    /// Its limits.
    #[command(flatten)]
    pub limits: LimitArgs,
    /// How engines run.
    #[command(flatten)]
    pub run: RunArgs,
}

/// What is known of a model beforehand.
#[derive(ValueEnum, Copy, Clone, Debug, PartialEq, Eq)]
pub enum ExpectedName {
    /// No property can be violated
    Safe,
    /// Some property can be violated
    Unsafe,
}

/// `pedra bench`.
#[derive(Args, Debug, Clone)]
pub struct BenchArgs {
    /// A folder of models and programs, or a table of them with tabs (manifest.tsv)
    pub models: PathBuf,
    /// Contenders of Pedra, separated by commas: an engine, with options of `check` if needed, for
    /// example "pdr,pdr -o pdr.variant=simple"; `none`: only other model checkers
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_value = "auto")]
    pub engines: Vec<String>,
    /// Other model checkers, separated by commas: abc, abc-int, abc-bmc, ric3, z3; `auto`: those
    /// of abc, ric3 and z3 that are on the PATH and read some of the models
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_value = "auto")]
    pub peers: Vec<String>,
    /// Another build of Pedra: each contender also runs with it, right after this build
    #[arg(long, value_name = "PROGRAM")]
    pub before: Option<PathBuf>,
    /// Options of `pedra check` for all contenders of Pedra
    #[arg(last = true, value_name = "OPTIONS")]
    pub options: Vec<String>,
    /// Only the models of these sets
    #[arg(long, value_name = "LIST", value_delimiter = ',', help_heading = "Selection")]
    pub sets: Vec<String>,
    /// Only the models of these tiers
    #[arg(long, value_name = "LIST", value_delimiter = ',', help_heading = "Selection")]
    pub tier: Vec<String>,
    /// Only the models of these categories
    #[arg(long, value_name = "LIST", value_delimiter = ',', help_heading = "Selection")]
    pub category: Vec<String>,
    /// Only the models with this known verdict
    #[arg(long, value_enum, help_heading = "Selection")]
    pub expected: Option<ExpectedName>,
    /// CPU time for each run, in whole seconds
    #[arg(
        long,
        value_name = "TIME",
        default_value = "20s",
        value_parser = parse_duration,
        help_heading = "Limits"
    )]
    pub cpu: Duration,
    /// Memory for each run
    #[arg(
        long,
        value_name = "SIZE",
        default_value = "4G",
        value_parser = parse_size,
        help_heading = "Limits"
    )]
    pub memory: u64,
    /// How many runs go on at the same time; with more than one, times are less exact
    #[arg(
        long,
        value_name = "N",
        default_value_t = 1,
        value_parser = clap::value_parser!(u16).range(1..=256),
        help_heading = "Limits"
    )]
    pub jobs: u16,
    /// Add each result to this table when it arrives; results that it has are not computed again
    #[arg(long, value_name = "FILE", help_heading = "Files")]
    pub out: Option<PathBuf>,
    /// Write plots: PREFIX-cactus.svg, PREFIX-scatter-N-NAME.svg for the first contender against
    /// each other one, and PREFIX-growth.svg if names contain sizes, such as lin_8 and lin_64
    #[arg(long, value_name = "PREFIX", help_heading = "Files")]
    pub plots: Option<PathBuf>,
}

/// `pedra demo`.
#[derive(Args, Debug, Clone)]
pub struct DemoArgs {
    /// The folder for the models; created if needed
    #[arg(default_value = "pedra-demo")]
    pub folder: PathBuf,
    /// Overwrite existing files
    #[arg(long)]
    pub force: bool,
}

/// `pedra completions`.
#[derive(Args, Debug, Clone)]
pub struct CompletionsArgs {
    /// The shell
    #[arg(value_enum)]
    pub shell: clap_complete::Shell,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_options_are_consistent() {
        Cli::command().debug_assert();
    }
}
