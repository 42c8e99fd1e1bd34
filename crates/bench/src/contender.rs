//! Who takes part: our engines, and other model checkers, with the commands that run them and
//! the words in which they answer.

use crate::convert::{binary_aiger, one_property};
use crate::error::{Error, Result};
use crate::measure::{Ended, Invocation, Measured};
use crate::models::{Kind, Model};
use crate::{Host, Request};
use pedra_check::EngineName;
use pedra_formats::text::printable;
use signal_hook::consts::{SIGKILL, SIGXCPU};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// What a run says of a model: of all its properties together.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// All properties hold.
    Proved,
    /// Some property can be violated.
    Violated,
    /// A limit, or the contender gave up.
    Unknown,
    /// The contender broke, or cannot read the model.
    Failed,
}

impl Verdict {
    /// As tables have it.
    pub fn text(self) -> &'static str {
        match self {
            Verdict::Proved => "proved",
            Verdict::Violated => "violated",
            Verdict::Unknown => "unknown",
            Verdict::Failed => "failed",
        }
    }

    /// The reverse.
    pub fn parse(text: &str) -> Option<Verdict> {
        let all = [Verdict::Proved, Verdict::Violated, Verdict::Unknown, Verdict::Failed];
        all.into_iter().find(|v| v.text() == text)
    }

    /// Whether it is an answer.
    pub fn is_decided(self) -> bool {
        matches!(self, Verdict::Proved | Verdict::Violated)
    }
}

/// What a contender says of a model.
struct Said {
    verdict: Verdict,
    /// A remark.
    detail: String,
    /// The CPU time when it was said, if the contender tells it.
    cpu: Option<f64>,
}

impl Said {
    fn plainly(verdict: Verdict) -> Said {
        Said { verdict, detail: String::new(), cpu: None }
    }
}

/// The program behind a contender.
#[derive(Clone, Debug)]
enum Program {
    /// Pedra, this build or another one, with these options of `check`.
    Pedra(Option<PathBuf>, Vec<String>),
    /// ABC, with the command that decides.
    Abc(PathBuf, &'static str),
    /// rIC3's `ic3`.
    Ric3(PathBuf),
    /// Z3's Spacer, for Horn clauses.
    Z3(PathBuf),
}

impl Program {
    /// Whether it reads such files, as they are or converted.
    fn reads(&self, kind: Kind) -> bool {
        match self {
            Program::Pedra(..) => true,
            Program::Abc(..) | Program::Ric3(_) => kind == Kind::System,
            Program::Z3(_) => kind == Kind::Horn,
        }
    }
}

/// One who takes part.
#[derive(Clone, Debug)]
pub struct Contender {
    /// Its name in tables.
    pub name: String,
    program: Program,
}

/// The other model checkers that are known, and those of them that `auto` looks for.
const PEERS: [&str; 5] = ["abc", "abc-int", "abc-bmc", "ric3", "z3"];
const AUTO_PEERS: [&str; 3] = ["abc", "ric3", "z3"];

/// All who take part, ours first. Others that can read none of the models do so only if they are
/// asked for by name.
pub fn choose(request: &Request, models: &[Model], host: &dyn Host) -> Result<Vec<Contender>> {
    let mut chosen: Vec<Contender> = Vec::new();
    let mut add = |contender: Contender| {
        if chosen.iter().all(|c| c.name != contender.name) {
            chosen.push(contender);
        }
    };
    let before = request.before.as_deref().map(other_build).transpose()?;
    for item in request.engines.iter().filter(|item| *item != "none") {
        let contender = ours(item, &request.options, host)?;
        add(contender.clone());
        // Right behind each other, so that both see the machine in the same mood.
        before.iter().for_each(|program| add(contender.with_build(program)));
    }
    for peer in &request.peers {
        match peer.as_str() {
            "none" => {}
            "auto" => AUTO_PEERS
                .iter()
                .filter_map(|name| find_peer(name).ok())
                .filter(|found| models.iter().any(|model| found.program.reads(model.kind)))
                .for_each(&mut add),
            name => add(find_peer(name)?),
        }
    }
    if chosen.is_empty() {
        return Err(Error::Input("there are no contenders: see --engines and --peers".to_owned()));
    }
    Ok(chosen)
}

/// An engine with options, such as `pdr -o pdr.variant=simple`.
fn ours(item: &str, options: &[String], host: &dyn Host) -> Result<Contender> {
    let mut words: Vec<String> = item.split_whitespace().map(str::to_owned).collect();
    let engine = words.first().cloned().unwrap_or_default();
    if EngineName::of_text(&engine).is_none() {
        let known: Vec<&str> = EngineName::ALL.iter().map(|e| e.text()).collect();
        let known = known.join(", ");
        let text = format!("--engines: there is no engine `{engine}`; known: {known}, none");
        return Err(Error::Input(text));
    }
    words.extend(options.iter().cloned());
    // The options are part of the name, so that no table mixes runs with different ones.
    let name = printable(&words.join(" ")).into_owned();
    words.insert(0, "--engine".to_owned());
    // Any model and any limit do: what is wrong is told now, not as a failure of each run.
    let command = check_words(&words, 1 << 30, &[], Path::new("model"));
    host.check_command(&command)
        .map_err(|why| Error::Input(format!("--engines: `{name}`: {why}")))?;
    Ok(Contender { name, program: Program::Pedra(None, words) })
}

/// Another build of Pedra, to compare with.
fn other_build(path: &Path) -> Result<PathBuf> {
    match path.canonicalize() {
        Ok(program) if is_program(&program) => Ok(program),
        _ => Err(Error::Input(format!("--before: {} is not a program", path.display()))),
    }
}

/// The words behind the name of our program that run `check` with these options, those of the
/// contender and those of the model.
fn check_words(
    options: &[String],
    memory: u64,
    of_model: &[String],
    model: &Path,
) -> Vec<OsString> {
    let mut words = ["check", "--json", "--memory"].map(OsString::from).to_vec();
    words.push(memory.to_string().into());
    words.extend(options.iter().chain(of_model).map(OsString::from));
    // CPU time is compared: one thread, unless a contender wants more.
    if !options.iter().any(|word| word.starts_with("--threads")) {
        words.extend(["--threads", "1"].map(OsString::from));
    }
    words.extend(["--".into(), model.into()]);
    words
}

/// Another model checker, by name.
fn find_peer(name: &str) -> Result<Contender> {
    let abc: &[&str] = &["berkeley-abc", "abc"];
    let (files, make): (&[&str], fn(PathBuf) -> Program) = match name {
        "abc" => (abc, |path| Program::Abc(path, "pdr")),
        "abc-int" => (abc, |path| Program::Abc(path, "int")),
        "abc-bmc" => (abc, |path| Program::Abc(path, "bmc3")),
        "ric3" => (&["rIC3", "ric3"], Program::Ric3),
        "z3" => (&["z3"], Program::Z3),
        _ => {
            let known = PEERS.join(", ");
            let text = format!("--peers: `{name}` is not known; known: {known}, auto, none");
            return Err(Error::Input(text));
        }
    };
    let path = std::env::var_os("PATH").unwrap_or_default();
    let candidates = std::env::split_paths(&path)
        .flat_map(|folder| files.iter().map(move |file| folder.join(file)));
    let program = candidates.into_iter().find(|file| is_program(file)).ok_or_else(|| {
        Error::Input(format!("--peers: {name} was not found on the PATH ({})", files.join(", ")))
    })?;
    // Contenders may be started in another folder.
    let program = program.canonicalize().unwrap_or(program);
    Ok(Contender { name: name.to_owned(), program: make(program) })
}

fn is_program(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    path.metadata().is_ok_and(|m| m.is_file() && m.permissions().mode() & 0o111 != 0)
}

impl Contender {
    /// Whether its answers were checked before they were given.
    pub fn is_ours(&self) -> bool {
        matches!(self.program, Program::Pedra(..))
    }

    /// The same with another build of Pedra.
    fn with_build(&self, build: &Path) -> Contender {
        let program = match &self.program {
            Program::Pedra(_, options) => Program::Pedra(Some(build.into()), options.clone()),
            other => other.clone(),
        };
        Contender { name: format!("before: {}", self.name), program }
    }

    /// How to run it on a model. What has to be written first goes to `scratch`, a folder for
    /// this run alone.
    ///
    /// # Errors
    /// Why the contender cannot be given the model.
    pub fn invocation(
        &self,
        model: &Model,
        memory: u64,
        scratch: &Path,
        host: &dyn Host,
    ) -> Result<Invocation, String> {
        if !self.program.reads(model.kind) {
            return Err("it does not read such files".to_owned());
        }
        let mut words: Vec<OsString> = Vec::new();
        match &self.program {
            Program::Pedra(build, options) => {
                let this = || std::env::current_exe().map_err(|e| e.to_string());
                words.push(build.clone().map_or_else(this, Ok)?.into());
                words.extend(check_words(options, memory, &model.options, &model.path));
                return Ok(Invocation { words, folder: None, address_space: None });
            }
            Program::Abc(program, command) => {
                binary_aiger(&model.path, &scratch.join("model.aig"), host)?;
                // A name of our own: ABC takes its commands, with the name, as one text.
                let text = format!("read model.aig; logic; undc; strash; zero; fold; {command}");
                words.extend([program.into(), "-q".into(), text.into()]);
            }
            Program::Ric3(program) => {
                let path = one_property(&model.path, &scratch.join("model.aig"), host)?;
                words.extend([program.into(), "-e".into(), "ic3".into(), path.into()]);
            }
            Program::Z3(program) => {
                let path = model.path.canonicalize().map_err(|e| e.to_string())?;
                words.extend([program.into(), "fp.engine=spacer".into(), path.into()]);
            }
        }
        Ok(Invocation { words, folder: Some(scratch.to_owned()), address_space: Some(memory) })
    }

    /// What a run says, a remark, and the CPU seconds that the answer took.
    pub fn judge(&self, model: &Model, run: &Measured, cpu_limit: u64) -> (Verdict, String, f64) {
        let said = match &self.program {
            Program::Pedra(..) => read_json(&run.stdout),
            Program::Abc(..) => read_abc(&run.stdout),
            Program::Ric3(_) => read_ric3(&run.stdout),
            Program::Z3(_) => read_z3(&run.stdout, has_rules(&model.path)),
        };
        let is_late = |cpu: f64| cpu > cpu_limit as f64;
        let cpu = said.as_ref().and_then(|said| said.cpu).unwrap_or(run.cpu);
        let (verdict, detail) = match (said, &run.ended) {
            // Others are stopped at the limit; what comes in the time after it does not count.
            (Some(Said { verdict, .. }), _) if verdict.is_decided() && is_late(cpu) => {
                (Verdict::Unknown, format!("{} after the CPU limit", verdict.text()))
            }
            (Some(Said { verdict, detail, .. }), Ended::Code(_)) => (verdict, detail),
            // The system's own count, by which it ends runs, may differ a little from ours.
            (_, Ended::Signal(SIGXCPU)) => (Verdict::Unknown, "CPU limit".to_owned()),
            (_, Ended::Signal(SIGKILL)) if is_late(run.cpu) => {
                (Verdict::Unknown, "CPU limit".to_owned())
            }
            (_, Ended::Signal(number)) => (Verdict::Failed, format!("signal {number}")),
            (_, Ended::Stuck) => (Verdict::Failed, "stuck: wall time limit".to_owned()),
            (_, Ended::Broken(why)) => (Verdict::Failed, why.clone()),
            (None, Ended::Code(0)) if !self.is_ours() => (Verdict::Unknown, String::new()),
            (None, Ended::Code(code)) => {
                let line = run.stderr.lines().find(|l| !l.trim().is_empty()).unwrap_or_default();
                (Verdict::Failed, format!("exit code {code} {line}").trim_end().to_owned())
            }
        };
        (verdict, detail, cpu)
    }
}

/// The properties of `pedra check --json` together. A run without its last event has failed.
///
/// One violation answers for the model, whatever the run does with the other properties after it;
/// other model checkers, which see one property, end there.
fn read_json(stdout: &str) -> Option<Said> {
    let mut together: Option<Said> = None;
    let mut ended = false;
    for line in stdout.lines() {
        let event: serde_json::Value = serde_json::from_str(line).ok()?;
        ended |= event["event"] == "end";
        if event["event"] != "property" {
            continue;
        }
        let verdict = Verdict::parse(event["verdict"].as_str()?)?;
        let told = ["step", "k", "clauses", "safe_until"]
            .iter()
            .filter_map(|key| Some(format!("{key}={}", event[key].as_u64()?)));
        let detail = told.collect::<Vec<String>>().join(" ");
        let cpu = event["cpu_seconds"].as_f64();
        let cpu = cpu.filter(|&told| verdict == Verdict::Violated && told > 0.0);
        let rank = |v| match v {
            Verdict::Violated => 2,
            Verdict::Unknown | Verdict::Failed => 1,
            Verdict::Proved => 0,
        };
        if together.as_ref().is_none_or(|before| rank(verdict) > rank(before.verdict)) {
            together = Some(Said { verdict, detail, cpu });
        }
    }
    // Stopped before the model was read: there is an end, but no property.
    let none =
        || Said { detail: "no property was reached".to_owned(), ..Said::plainly(Verdict::Unknown) };
    ended.then(|| together.unwrap_or_else(none))
}

fn read_abc(stdout: &str) -> Option<Said> {
    for line in stdout.lines() {
        if line.contains("Property proved") {
            return Some(Said::plainly(Verdict::Proved));
        }
        if let Some((_, rest)) = line.split_once("was asserted in frame ") {
            let frame: String = rest.chars().take_while(char::is_ascii_digit).collect();
            let detail = format!("step={frame}");
            return Some(Said { detail, ..Said::plainly(Verdict::Violated) });
        }
    }
    None
}

fn read_ric3(stdout: &str) -> Option<Said> {
    let last = stdout.lines().rev().map(str::trim).find(|line| !line.is_empty())?;
    match last {
        "UNSAT" => Some(Said::plainly(Verdict::Proved)),
        "SAT" => Some(Said::plainly(Verdict::Violated)),
        _ => None,
    }
}

/// Z3 says whether the clauses are satisfiable, of rules whether the query can be derived: then
/// they are not.
fn read_z3(stdout: &str, has_rules: bool) -> Option<Said> {
    let verdict = match (stdout.lines().next()?.trim(), has_rules) {
        ("sat", false) | ("unsat", true) => Verdict::Proved,
        ("unsat", false) | ("sat", true) => Verdict::Violated,
        _ => return None,
    };
    Some(Said::plainly(verdict))
}

/// Whether Horn clauses are rules of Z3's fixed-point engines, which declare their predicates in
/// a way of their own.
fn has_rules(path: &Path) -> bool {
    let text = std::fs::read(path).unwrap_or_default();
    text.split(|&b| b == b'\n').any(|line| line.trim_ascii_start().starts_with(b"(declare-rel"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_understood() {
        let abc = |text| read_abc(text).map(|s| (s.verdict.text(), s.detail));
        assert_eq!(abc("Property proved.  Time = 0.1 sec"), Some(("proved", String::new())));
        let asserted = "Output 0 of miter \"m\" was asserted in frame 12.  Time = 1 sec";
        assert_eq!(abc(asserted), Some(("violated", "step=12".to_owned())));
        assert_eq!(abc("Reached timeout"), None);
        let ric3 = |text| read_ric3(text).map(|s| s.verdict.text());
        assert_eq!(ric3("log\nUNSAT\n\n"), Some("proved"));
        assert_eq!(ric3("SAT\n"), Some("violated"));
        assert_eq!(ric3("UNSAT\nerror"), None);
        assert_eq!(ric3(""), None);
        let z3 = |text, rules| read_z3(text, rules).map(|s| s.verdict.text());
        assert_eq!((z3("sat\n", false), z3("sat\n", true)), (Some("proved"), Some("violated")));
        assert_eq!((z3("unsat\n", false), z3("unsat\n", true)), (Some("violated"), Some("proved")));
        assert_eq!((z3("unknown\n", false), z3("", true)), (None, None));
    }

    #[test]
    fn properties_count_together() {
        let property =
            |v: &str, more: &str| format!("{{\"event\":\"property\",\"verdict\":\"{v}\"{more}}}\n");
        let end = "{\"event\":\"end\"}\n";
        let run = |parts: &[&str]| {
            read_json(&parts.concat()).map(|said| (said.verdict.text(), said.detail, said.cpu))
        };
        let (proved, unknown) =
            (property("proved", ",\"k\":3,\"cpu_seconds\":1.5"), property("unknown", ""));
        let violated = property("violated", ",\"step\":7,\"cpu_seconds\":2.5");
        assert_eq!(run(&[&proved, end]), Some(("proved", "k=3".to_owned(), None)));
        assert_eq!(run(&[&proved, &unknown, end]), Some(("unknown", String::new(), None)));
        let all = run(&[&unknown, &violated, &proved, end]);
        assert_eq!(all, Some(("violated", "step=7".to_owned(), Some(2.5))));
        assert_eq!(run(&[&proved]), None, "no end");
        assert_eq!(run(&[end]).map(|r| r.0), Some("unknown"));
    }
}
