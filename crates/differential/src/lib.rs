//! Differential fuzzing: random systems through every engine with every reduction, against the
//! explicit-state oracle and against each other, each answer through its check. Used by tests,
//! by `cargo fuzz` targets and by the example `fuzz_engines`.

pub mod fb;

use anyhow::Result;
use pedra::decide::{Budgets, EngineName, Observer, Open, Plan, decide};
use pedra::pipeline::{Checked, Proof, Trace, join_proofs};
use pedra_certify::{CheckOptions, NumberedModel, check_certificate_for, check_word_certificate};
use pedra_engines::word::Kind;
use pedra_engines::{
    AvyOptions, Choice, Event, ImcOptions, PdrOptions, Reason, SweepOptions, Variant, WordOptions,
    avy, imc, pdr, word,
};
use pedra_formats::{aiger, aiger_witness, btor2};
use pedra_model::Model;
use pedra_model::blast::BlastOptions;
use pedra_model::reduce::ReduceOptions;
use pedra_solve::{Interrupt, SolverKind};
use pedra_testkit::bits::{BitShape, random_bits};
use pedra_testkit::oracle::{ExplicitBits, explore};
use pedra_testkit::random::Random;
use pedra_testkit::words::{ExplicitWords, WordShape, random_words};
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
    fn hear(&self, _: usize, _: &'static str, event: &Event) {
        let mut turns = self.turns.lock().expect("no panic while held");
        match event {
            Event::Started { .. } => turns.started += 1,
            Event::Restarted { .. } => turns.restarted += 1,
            _ => {}
        }
    }

    fn settled(&self, property: usize, _: &'static str, answer: Checked) -> Result<()> {
        self.settled.lock().expect("no panic while held").push((property, answer));
        Ok(())
    }

    fn open(&self, property: usize, why: Open) {
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
    let expected = explore(&ExplicitBits::new(&system)).violated_at;
    let again = aiger::read(&aiger::write_binary(&system)).expect("our own file");
    aiger::same_model(&system, &again).expect("written and read again");
    compare(seed, &mut random, &Model::Bits(system), &expected, contenders)
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
    let expected = explore(&ExplicitWords::new(&system)).violated_at;
    let text = btor2::write(&system).expect("expressible");
    let again = btor2::read(&text).expect("our own file");
    btor2::same_model(&system, &again).expect("written and read again");
    compare(seed, &mut random, &Model::Words(again), &expected, contenders)
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

/// Those for bits.
const CONTENDERS: [Contender; 9] = [
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
fn compare(
    seed: u64,
    random: &mut Random,
    model: &Model,
    expected: &[Option<usize>],
    contenders: &[Contender],
) -> Turns {
    let properties: Vec<usize> = (0..expected.len()).collect();
    let mut turns = Turns::default();
    for &Contender { engine, is_hasty } in contenders {
        let has = |random: &mut Random| !random.one_in(3);
        let simple_path = engine == EngineName::Kind && random.one_in(2);
        let mut plan = Plan {
            engine,
            // Deep enough for every state of these small systems. That there is no longer simple
            // path than states is a pigeonhole problem, though, so those end earlier.
            depth: Some(if simple_path { 12 } else { 70 }),
            simple_path,
            window: random.pick(&[1, 1, 2, 5]),
            reduce: ReduceOptions {
                cone: has(random),
                structure: has(random),
                constants: has(random),
                duplicates: has(random),
            },
            sweep: random.one_in(2).then(|| random_sweep(random)),
            pdr: random_pdr(random),
            fb: fb::random_fb_options(random),
            imc: random_choices(imc::CHOICES, ImcOptions::default(), 1, random),
            avy: random_avy(random),
            word: random_word(random),
            seed: random.pick(&[0, 0, 1, 2]),
            solver: random.pick(&[None, None, Some(SolverKind::Batsat), Some(SolverKind::Cdcl)]),
            ..Plan::default()
        };
        if is_hasty {
            hurry(random, &mut plan);
        }
        let answers = Answers::default();
        let context = |what: &str| format!("seed {seed}, {plan:?}: {what}");
        let decided = decide(model, &properties, &plan, &Interrupt::new(), &answers);
        decided.unwrap_or_else(|e| panic!("{}", context(&e.to_string())));
        turns += *answers.turns.lock().expect("no panic while held");
        judge(model, expected, &plan, answers, &context);
    }
    turns
}

/// Budgets and threads for engines that consist of several.
fn hurry(random: &mut Random, plan: &mut Plan) {
    plan.budgets = Budgets {
        looks_before_sweep: random.pick(&[0, 1, 3, 10, 40]),
        prelude_depth: random.pick(&[0, 1, 2, 5, 10]),
        prelude_looks: random.pick(&[0, 2, 10, 1000]),
    };
    plan.late_sweep = (!random.one_in(8)).then(|| random_sweep(random));
    // What was swept before is hardly worth it again.
    plan.sweep = plan.sweep.filter(|_| random.one_in(4));
    plan.threads = random.pick(&[1, 1, 1, 1, 2, 3]);
}

/// Some choices of sweeping.
fn random_sweep(random: &mut Random) -> SweepOptions {
    SweepOptions {
        combinational: !random.one_in(3),
        sequential: !random.one_in(3),
        // Also so few that hard pairs are given up, and a poor first guess.
        max_query_conflicts: random.pick(&[0, 2, 200]),
        simulation_steps: random.pick(&[0, 3, 16]),
        ..SweepOptions::default()
    }
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
            (Checked::Proved(proof), None) => proofs.push(proof.clone()),
            (answer, truth) => panic!("{}", context(&format!("{answer:?} but {truth:?}"))),
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

/// Options with one choice in `rate` made at random, of the samples that the table has.
fn random_choices<O>(table: &[Choice<O>], mut options: O, rate: usize, random: &mut Random) -> O {
    for choice in table {
        if random.one_in(rate) {
            choice.set(&mut options, random.pick(choice.samples)).expect("a sample");
        }
    }
    options
}

/// Some choices of AVY.
fn random_avy(random: &mut Random) -> AvyOptions {
    // With long turns PDR would do it all.
    let options = AvyOptions { turns: random.pick(&[0, 0, 1]), ..AvyOptions::default() };
    random_choices(avy::CHOICES, options, 4, random)
}

/// A step of the ladder, with some choices of its own.
fn random_pdr(random: &mut Random) -> PdrOptions {
    let ladder = [Variant::Simple, Variant::Generalize, Variant::Relative, Variant::Full];
    let options = PdrOptions::variant(random.pick(&ladder));
    if random.one_in(4) {
        return options;
    }
    let rate = random.pick(&[2, 3, 6]);
    random_choices(pdr::CHOICES, options, rate, random)
}

/// A kind of unit, with some choices of its own.
fn random_word(random: &mut Random) -> WordOptions {
    let kinds = [Kind::Cubes, Kind::Polytopes, Kind::Mixed, Kind::Mixed];
    let options = WordOptions::of(random.pick(&kinds));
    let rate = random.pick(&[2, 4, 8]);
    random_choices(word::CHOICES, options, rate, random)
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
