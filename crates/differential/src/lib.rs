//! Differential fuzzing: random systems through every engine with every reduction, against the
//! explicit-state oracle and against each other, each answer through its check. Used by tests,
//! by `cargo fuzz` targets and by the example `fuzz_engines`.

pub mod case;
mod chance;
pub mod fb;
pub mod live;
pub mod programs;

pub use case::Case;
pub use chance::{random_choices, random_options};

use pedra_certify::{CheckOptions, NumberedModel, check_certificate_for, check_word_certificate};
use pedra_check::{
    Checked, EngineName, InternalError, Observer, Open, Plan, SafeUpTo, decide, join_proofs,
};
use pedra_engines::{Event, Reason};
use pedra_formats::{aiger, aiger_witness, btor2};
use pedra_model::Model;
use pedra_model::blast::BlastOptions;
use pedra_model::proof::Proof;
use pedra_model::trace::Trace;
use pedra_solve::{Interrupt, SolverKind};
use pedra_testkit::bits::{BitShape, random_bits};
use pedra_testkit::random::Random;
use pedra_testkit::words::{WordShape, random_arrays, random_words};
use std::sync::Mutex;

/// What a run said of each property.
#[derive(Debug, Default)]
struct Answers {
    settled: Mutex<Vec<(usize, Checked)>>,
    open: Mutex<Vec<(usize, Open)>>,
    safe: Mutex<Vec<(usize, usize)>>,
    turns: Mutex<Turns>,
}

/// How often engines that consist of several have come to the later ones.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub struct Turns {
    /// Runs of an engine, or of a part of it.
    pub started: u64,
    /// New starts, on a swept system.
    pub restarted: u64,
}

impl std::ops::AddAssign for Turns {
    fn add_assign(&mut self, other: Turns) {
        self.started += other.started;
        self.restarted += other.restarted;
    }
}

impl Observer for Answers {
    type Error = InternalError;

    fn hear(&self, _: usize, _: &'static str, event: &Event) {
        let mut turns = self.turns.lock().expect("no panic while held");
        match event {
            Event::Started { .. } => turns.started += 1,
            Event::Restarted { .. } => turns.restarted += 1,
            _ => {}
        }
    }

    fn settled(
        &self,
        property: usize,
        _: &'static str,
        answer: &Checked,
    ) -> Result<(), InternalError> {
        self.settled.lock().expect("no panic while held").push((property, answer.clone()));
        Ok(())
    }

    fn open(&self, property: usize, why: Open, safe: Option<SafeUpTo>) {
        let bounds = safe.into_iter().flat_map(|safe| [Some(safe.claimed), safe.checked]);
        let bounds = bounds.flatten().map(|step| (property, step));
        self.safe.lock().expect("no panic while held").extend(bounds);
        self.open.lock().expect("no panic while held").push((property, why));
    }

    fn safe_until(&self, property: usize, step: usize) {
        self.safe.lock().expect("no panic while held").push((property, step));
    }
}

/// A random bit-level system against the oracle.
///
/// # Panics
/// If anything disagrees.
pub fn differential_bits(seed: u64) {
    differential_bits_by(seed, &CONTENDERS);
}

/// A random bit-level system through these engines, against the oracle.
///
/// # Panics
/// If anything disagrees.
pub fn differential_bits_by(seed: u64, contenders: &[Contender]) -> Turns {
    let mut random = Random::new(seed);
    let system = random_bits(&mut random, BitShape::default());
    let again = aiger::read(&aiger::write_binary(&system)).expect("our own file");
    aiger::same_model(&system, &again).expect("written and read again");
    compare(seed, &mut random, &Model::Bits(system), contenders)
}

/// A random word-level system against the oracle.
///
/// # Panics
/// If anything disagrees.
pub fn differential_words(seed: u64) {
    let wpdr = plain(EngineName::Wpdr);
    differential_words_by(seed, &CONTENDERS.into_iter().chain([wpdr]).collect::<Vec<_>>());
}

/// A random word-level system through these engines, against the oracle.
///
/// # Panics
/// If anything disagrees.
pub fn differential_words_by(seed: u64, contenders: &[Contender]) -> Turns {
    let mut random = Random::new(seed);
    let system = random_words(&mut random, WordShape::default());
    let text = btor2::write(&system).expect("expressible");
    let again = btor2::read(&text).expect("our own file");
    btor2::same_model(&system, &again).expect("written and read again");
    compare(seed, &mut random, &Model::Words(again), contenders)
}

/// A random word-level system with arrays, which no engine may expand, against the oracle.
///
/// # Panics
/// If anything disagrees.
pub fn differential_arrays(seed: u64) {
    let mut random = Random::new(seed);
    let system = random_arrays(&mut random);
    let text = btor2::write(&system).expect("expressible");
    let model = Model::Words(btor2::read(&text).expect("our own file"));
    let engines = CONTENDERS.into_iter().chain([plain(EngineName::Wpdr)]);
    for contender in engines {
        let mut options = random_options(&mut random, contender);
        options.push("--array-bits 0".to_owned());
        check_case(seed, Case { model: model.clone(), options });
    }
}

/// Who takes part.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Contender {
    /// The engine.
    pub engine: EngineName,
    /// With random budgets that are so small that it hands over, sweeps and starts anew on small
    /// systems, too.
    pub is_hasty: bool,
}

const fn plain(engine: EngineName) -> Contender {
    Contender { engine, is_hasty: false }
}

const fn hasty(engine: EngineName) -> Contender {
    Contender { engine, is_hasty: true }
}

/// PDR that sweeps soon.
const SWEPT: Contender = hasty(EngineName::Pdr);
/// k-induction that soon hands over to that.
const AUTO: Contender = hasty(EngineName::Auto);

/// Those that take part.
pub const CONTENDERS: [Contender; 9] = [
    plain(EngineName::Bmc),
    plain(EngineName::Kind),
    plain(EngineName::Pdr),
    hasty(EngineName::Rpdr),
    hasty(EngineName::Fbpdr),
    plain(EngineName::Imc),
    plain(EngineName::Avy),
    SWEPT,
    AUTO,
];

/// One of those that can take part, by the name of the engine, or `swept`.
pub fn contender_named(name: &str) -> Option<Contender> {
    if name == "swept" {
        return Some(SWEPT);
    }
    let mut contenders = CONTENDERS.into_iter().chain([plain(EngineName::Wpdr)]);
    contenders.find(|contender| contender.engine.text() == name)
}

/// Engines on one model. Which options each gets is random, so that over many systems all
/// combinations meet.
fn compare(seed: u64, random: &mut Random, model: &Model, contenders: &[Contender]) -> Turns {
    let mut turns = Turns::default();
    for &contender in contenders {
        let options = random_options(random, contender);
        turns += check_case(seed, Case { model: model.clone(), options });
    }
    turns
}

/// Checks a case; a failure is shrunk and told.
fn check_case(seed: u64, case: Case) -> Turns {
    match case.check() {
        Ok(turns) => turns,
        Err(failure) => {
            let note = format!("{} {seed}", case.options[0].trim_start_matches("--engine "));
            panic!("{}", case::report(&note, case, &failure));
        }
    }
}

/// A run ends after this many looks at the interrupt: none comes near it unless it is broken.
const MAX_LOOKS: u64 = 50_000_000;

/// One run, against the truth.
///
/// # Panics
/// If anything disagrees. The text begins with what does.
fn run_and_judge(model: &Model, expected: &[Option<usize>], plan: &Plan) -> Turns {
    let properties: Vec<usize> = (0..expected.len()).collect();
    let answers = Answers::default();
    let interrupt = Interrupt::new().child_with_looks(MAX_LOOKS);
    let decided = decide(model, &properties, plan, &interrupt, &answers);
    decided.unwrap_or_else(|e| panic!("{e}"));
    let turns = *answers.turns.lock().expect("no panic while held");
    judge(model, expected, plan, answers, &str::to_owned);
    turns
}

/// Whether the answers are those of the oracle, and of the shape that the engine promises.
fn judge(
    model: &Model,
    expected: &[Option<usize>],
    plan: &Plan,
    answers: Answers,
    context: &dyn Fn(&str) -> String,
) {
    let mut proofs = Vec::new();
    for (property, answer) in answers.settled.into_inner().expect("no panic while held") {
        match (&answer, expected[property]) {
            (Checked::Violated(trace), Some(step)) => {
                let shortest = trace.depth() == step || !finds_shortest(plan);
                let possible = shortest && trace.depth() >= step;
                assert!(possible, "{}", context("the trace is not shortest"));
                reread(model, trace, context);
            }
            (Checked::Proved { proof, .. }, None) => proofs.push(proof.clone()),
            (Checked::Proved { proof, .. }, Some(step)) => {
                panic!("{}", context(&format!("wrong proof, violated at step {step}: {proof:?}")))
            }
            (Checked::Violated(trace), None) => {
                panic!("{}", context(&format!("wrong violation: {trace:?}")))
            }
        }
    }
    for (property, step) in answers.safe.into_inner().expect("no panic while held") {
        let honest = expected[property].is_none_or(|violated| step < violated);
        assert!(honest, "{}", context("claims a depth that is not safe"));
    }
    for (property, why) in answers.open.into_inner().expect("no panic while held") {
        // Word-level PDR may be told to stop at its budget, or at what is not for words.
        let is_given_up = matches!(why, Open::Engines(Reason::Budget | Reason::Unsupported(_)));
        let spent = is_given_up && plan.engine == EngineName::Wpdr && !plan.word.hand_over;
        let beyond = spent || expected[property].is_none_or(|v| plan.depth < Some(v));
        assert!(beyond, "{}", context(&format!("misses a violation: {why:?}")));
        let may_stay_open = match why {
            Open::Engines(Reason::DepthLimit | Reason::Exhausted(_)) => {
                matches!(plan.engine, EngineName::Bmc | EngineName::Kind)
            }
            Open::Engines(Reason::Budget | Reason::Unsupported(_)) => spent,
            Open::Engines(_) | Open::NotBits(_) | Open::CheckStopped => false,
            Open::NotCheckable(_) | Open::Undefined(_) | Open::Bounded => false,
        };
        assert!(may_stay_open, "{}", context(&format!("gives up: {why:?}")));
    }
    let simple = plan.simple_path;
    if let Some(proof) = (!simple).then(|| join_proofs(model, proofs)).flatten() {
        recheck(model, &proof, context);
    }
}

/// Whether counterexamples are shortest: not PDR's, nor those of AVY where PDR has a hand in it.
fn finds_shortest(plan: &Plan) -> bool {
    match plan.engine {
        EngineName::Pdr | EngineName::Rpdr | EngineName::Fbpdr => false,
        EngineName::Auto | EngineName::Wpdr => false,
        EngineName::Avy => plan.avy.turns == 0,
        _ => true,
    }
}

/// A trace, written as a witness and read again, is the same path.
fn reread(model: &Model, trace: &Trace, context: &dyn Fn(&str) -> String) {
    match (model, trace) {
        (Model::Bits(system), Trace::Bits(trace)) => {
            let text = aiger_witness::write(trace, system);
            let back = aiger_witness::read(text.as_bytes(), system).expect("our own file");
            let replay = pedra_certify::replay_bits(system, &back[0].trace(trace.property));
            replay.unwrap_or_else(|e| panic!("{}", context(&e.to_string())));
        }
        (Model::Words(system), Trace::Words(trace)) => {
            let text = btor2::witness::write(system, trace);
            let back = btor2::witness::read(text.as_bytes(), system).expect("our own file");
            let replay = pedra_certify::replay_words(system, &back.trace);
            replay.unwrap_or_else(|e| panic!("{}", context(&e.to_string())));
        }
        _ => panic!("{}", context("a trace of another level")),
    }
}

/// A proof as a witness circuit passes the five checks of certificates.
fn recheck(model: &Model, proof: &Proof, context: &dyn Fn(&str) -> String) {
    let options = CheckOptions::with_solver(SolverKind::Batsat);
    let checked = match (model, proof) {
        (Model::Bits(system), Proof::Bits(proof)) => {
            let witness = pedra_certify::aiger_certificate(system, proof).expect("expressible");
            let witness = aiger::read(&aiger::write_binary(&witness)).expect("our own file");
            check_certificate_for(system, &proof.properties, &witness, &options)
        }
        (Model::Words(system), Proof::Words(proof)) if !proof.prophecy.is_empty() => {
            let text = pedra_certify::smtlib_obligations(system, proof).expect("expressible");
            let blasting = BlastOptions::default();
            let checked = pedra_certify::check_script(&text, &blasting, &options);
            checked.unwrap_or_else(|e| panic!("{}", context(&format!("queries: {e}"))));
            return;
        }
        (Model::Words(system), Proof::Words(proof)) => {
            let text = btor2::write(system).expect("expressible");
            let nodes = btor2::read_with_ids(&text).expect("our own file").nodes;
            let witness = pedra_certify::btor2_certificate(proof, &nodes).expect("expressible");
            let model = NumberedModel { system, nodes: &nodes };
            let blasting = BlastOptions::default();
            check_word_certificate(model, &proof.properties, &witness, &blasting, &options)
        }
        _ => panic!("{}", context("a proof of another level")),
    };
    checked.unwrap_or_else(|e| panic!("{}", context(&format!("certificate: {e}"))));
}
