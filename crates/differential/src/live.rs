//! Justice sets of random systems: every way to decide them, against the oracle of walks.

use crate::case::plan;
use pedra_certify::{
    CertificateError, CheckOptions, LassoReplay, aiger_live_certificate, check_live_certificate,
    check_live_proof, replay_bit_lasso, replay_word_lasso,
};
use pedra_check::{Answer, EngineName, Liveness, Open, Plan, decide_all};
use pedra_engines::{
    Context, Engine, KLive, Method, Monitored, Outcome, Reason, SweepOptions, find_stable,
};
use pedra_formats::{aiger, aiger_witness, btor2};
use pedra_model::Model;
use pedra_model::back::{Back, Passes};
use pedra_model::bits::BitSystem;
use pedra_model::eval::lasso::close_loop_of_bits;
use pedra_model::live_proof::LiveProof;
use pedra_model::proof::Proof;
use pedra_model::property::Property;
use pedra_model::trace::Trace;
use pedra_solve::Interrupt;
use pedra_testkit::bits::{BitShape, random_bits};
use pedra_testkit::justice::{
    add_bit_justice, add_word_justice, violated_bit_sets, violated_word_sets,
};
use pedra_testkit::random::Random;
use pedra_testkit::words::{WordShape, random_words};

/// A run ends after this many looks at the interrupt: none comes near it unless it is broken.
const MAX_LOOKS: u64 = 50_000_000;

/// What was answered, of how many sets.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct LiveVerdicts {
    /// Live, with a checked proof.
    pub proved: u64,
    /// Violated, with a replayed lasso.
    pub violated: u64,
    /// Neither; only BMC and k-induction may leave sets open.
    pub open: u64,
}

impl std::ops::AddAssign for LiveVerdicts {
    fn add_assign(&mut self, other: LiveVerdicts) {
        self.proved += other.proved;
        self.violated += other.violated;
        self.open += other.open;
    }
}

/// The justice sets of a random bit-level system.
///
/// # Panics
/// If anything disagrees.
pub fn differential_live_bits(seed: u64) -> LiveVerdicts {
    let mut random = Random::new(seed);
    let shape = BitShape { latches: 4, ..BitShape::default() };
    let mut system = random_bits(&mut random, shape);
    add_bit_justice(&mut random, &mut system);
    let again = aiger::read(&aiger::write_binary(&system)).expect("our own file");
    aiger::same_model(&system, &again).expect("written and read again");
    let expected = violated_bit_sets(&system);
    compare(seed, &mut random, &Model::Bits(system), &expected)
}

/// The justice sets of a random bit-level system, by k-induction alone. In turns with others it
/// hardly ever answers first on systems as small as these.
///
/// # Panics
/// If anything disagrees.
pub fn differential_live_induction(seed: u64) -> LiveVerdicts {
    let mut random = Random::new(seed);
    let shape = BitShape { latches: 4, ..BitShape::default() };
    let mut system = random_bits(&mut random, shape);
    add_bit_justice(&mut random, &mut system);
    let mut verdicts = LiveVerdicts::default();
    for (set, is_violated) in violated_bit_sets(&system).into_iter().enumerate() {
        let note = |text: &str| format!("seed {seed}, set {set}: {text}");
        let stable = match random.coin() {
            true => find_stable(&system, set, &Interrupt::new()),
            false => Vec::new(),
        };
        let monitored = Monitored::new(&system, set, Method::Induction { stable });
        let way = Passes(vec![Box::new(&monitored)]);
        let context = Context::default();
        KLive::by_induction(&monitored.system, &way).run(&context);
        match context.ledger.outcome(0) {
            Outcome::Proved(proof) => {
                assert!(!is_violated, "{}", note("wrong proof"));
                let Proof::Live(proof) = way.proof(Proof::clone(&proof)) else {
                    panic!("{}", note("a proof of another kind"));
                };
                let checked = check_live_proof(&system, &proof, &CheckOptions::default());
                checked.unwrap_or_else(|error| panic!("{}", note(&error.to_string())));
                verdicts.proved += 1;
            }
            Outcome::Violated(trace) => {
                assert!(is_violated, "{}", note("wrong lasso"));
                let Trace::Bits(lasso) = way.trace(trace) else { unreachable!("a trace of bits") };
                let replayed = replay_bit_lasso(&system, &close_loop_of_bits(&system, &lasso));
                replayed.unwrap_or_else(|error| panic!("{}", note(&error.to_string())));
                verdicts.violated += 1;
            }
            Outcome::Unknown => verdicts.open += 1,
        }
    }
    verdicts
}

/// The justice sets of a random word-level system.
///
/// # Panics
/// If anything disagrees.
pub fn differential_live_words(seed: u64) -> LiveVerdicts {
    let mut random = Random::new(seed);
    let mut system = random_words(&mut random, WordShape::default());
    add_word_justice(&mut random, &mut system);
    let text = btor2::write(&system).expect("expressible");
    let again = btor2::read(&text).expect("our own file");
    btor2::same_model(&system, &again).expect("written and read again");
    let expected = violated_word_sets(&again);
    compare(seed, &mut random, &Model::Words(again), &expected)
}

/// Random options for each way, so that over many systems all combinations meet.
fn compare(seed: u64, random: &mut Random, model: &Model, expected: &[bool]) -> LiveVerdicts {
    let mut verdicts = LiveVerdicts::default();
    for liveness in Liveness::ALL {
        let engines = ["pdr", "fbpdr", "rpdr", "imc", "avy", "kind", "bmc", "auto"];
        let engine = match liveness {
            Liveness::L2s => random.pick(&engines),
            _ => "auto",
        };
        let mut options = vec![format!("--engine {engine}")];
        if random.one_in(3) {
            options.push("--reduce none".to_owned());
        }
        if random.one_in(4) {
            options.push("--threads 2".to_owned());
        }
        let plan = plan(&options).expect("options that make sense");
        let late_sweep = random.coin().then(SweepOptions::default);
        let plan = Plan { liveness, stable: random.coin(), late_sweep, ..plan };
        let note = |text: &str| {
            format!("seed {seed}, {}, {options:?}, stable {}: {text}", liveness.text(), plan.stable)
        };
        verdicts += run_and_judge(model, expected, &plan, &note);
    }
    verdicts
}

fn run_and_judge(
    model: &Model,
    expected: &[bool],
    plan: &Plan,
    note: &dyn Fn(&str) -> String,
) -> LiveVerdicts {
    let is_set = |&property: &usize| matches!(model.property(property), Property::Justice(_));
    let sets: Vec<usize> = (0..model.num_properties()).filter(is_set).collect();
    assert_eq!(sets.len(), expected.len(), "{}", note("sets are lost"));
    let interrupt = Interrupt::new().child_with_looks(MAX_LOOKS);
    let answers = decide_all(model, &sets, plan, &interrupt);
    let answers = answers.unwrap_or_else(|error| panic!("{}", note(&error.to_string())));
    let mut verdicts = LiveVerdicts::default();
    for ((answer, &is_violated), &property) in answers.iter().zip(expected).zip(&sets) {
        match answer {
            Answer::Proved { proof, .. } => {
                assert!(!is_violated, "{}", note(&format!("wrong proof: {proof:?}")));
                assert!(matches!(&**proof, Proof::Live(_)), "{}", note("a proof of another kind"));
                assert_eq!(proof.properties(), [property], "{}", note("another property"));
                if let (Model::Bits(system), Proof::Live(proof)) = (model, &**proof) {
                    let certified = check_certificate(system, proof);
                    certified.unwrap_or_else(|error| panic!("{}", note(&error)));
                }
                verdicts.proved += 1;
            }
            Answer::Violated(trace) => {
                assert!(is_violated, "{}", note(&format!("wrong lasso: {trace:?}")));
                let replayed = reread(model, trace);
                let replayed = replayed.unwrap_or_else(|e| panic!("{}", note(&e)));
                // The file does not say where the loop begins: it may be found earlier.
                let start = trace.loop_start().expect("a lasso");
                assert!(replayed.stem <= start && replayed.whole_state, "{}", note("other loop"));
                verdicts.violated += 1;
            }
            Answer::Unknown { why, .. } => {
                let is_bounded = matches!(plan.engine, EngineName::Bmc | EngineName::Kind);
                let may_stay_open = match why {
                    Open::Engines(Reason::DepthLimit | Reason::Exhausted(_)) => {
                        is_bounded && !is_violated
                    }
                    _ => false,
                };
                assert!(may_stay_open, "{}", note(&format!("gives up: {why:?}")));
                verdicts.open += 1;
            }
        }
    }
    verdicts
}

/// The certificate of a proof, written and read again, is accepted for the model with that set
/// alone. Some proofs have none.
fn check_certificate(system: &BitSystem, proof: &LiveProof) -> Result<(), String> {
    let Property::Justice(set) = system.property(proof.property) else {
        return Err("a proof about no set".to_owned());
    };
    let justice = vec![system.justice[set].clone()];
    let (bads, outputs) = (Vec::new(), Vec::new());
    let alone = BitSystem { justice, bads, outputs, ..system.clone() };
    let proof = LiveProof { property: 0, ..proof.clone() };
    let witness = match aiger_live_certificate(&alone, &proof) {
        Ok(witness) => aiger::read(&aiger::write_binary(&witness)).map_err(|e| e.to_string())?,
        Err(CertificateError::NotExpressible(_)) => return Ok(()),
        Err(error) => return Err(error.to_string()),
    };
    let checked = check_live_certificate(&alone, &witness, &CheckOptions::default());
    checked.map(drop).map_err(|error| format!("{:?}: {error}", proof.argument))
}

/// A lasso, written as a witness and read again, is one.
fn reread(model: &Model, trace: &Trace) -> Result<LassoReplay, String> {
    match (model, trace) {
        (Model::Bits(system), Trace::Bits(trace)) => {
            let text = aiger_witness::write(trace, system);
            let back = aiger_witness::read(text.as_bytes(), system).map_err(|e| e.to_string())?;
            let lasso = back[0].trace(back[0].properties[0]);
            replay_bit_lasso(system, &lasso).map_err(|e| e.to_string())
        }
        (Model::Words(system), Trace::Words(trace)) => {
            let text = btor2::witness::write(system, trace);
            let back = btor2::witness::read(text.as_bytes(), system).map_err(|e| e.to_string())?;
            replay_word_lasso(system, &back.trace).map_err(|e| e.to_string())
        }
        _ => Err("a trace of another level".to_owned()),
    }
}
