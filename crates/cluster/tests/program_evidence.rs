//! Evidence about programs on the wire: what is claimed arrives as it was, and what nobody should
//! believe is not believed, whatever is done to it on the way.

mod damage;

use damage::{damage, each_number_changed};
use pedra_check::{
    Claim, Elsewhere, EngineName, Graphs, InternalError, News, Open, Plan, ProgramAnswer,
    ProgramChecked, ProgramClaimant, ProgramObserver, ProgramOpen, ProofGraph, SafeUpTo,
    decide_program_elsewhere, program_claims,
};
use pedra_cluster::program_evidence::{decode, encode};
use pedra_engines::Reason;
use pedra_model::program::PlaceId;
use pedra_model::term::{BinaryOp, IntOp, Scalar, Sort, Term, TermId, Terms, UnaryOp};
use pedra_program::inline::Inlined;
use pedra_program::recursion::Components;
use pedra_program::{Program, ProgramProof};
use pedra_solve::Interrupt;
use pedra_testkit::programs::{ExploredProgram, ProgramShape, explore_program, random_program};
use pedra_testkit::random::{Random, runs};
use serde_json::{Value as Json, json};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

/// How many states the oracle visits, and how deep recursion goes.
const MAX_STATES: usize = 1_000;
const MAX_RECURSION: usize = 5;

/// A random program that is small enough for the oracle, with what is true of it.
fn a_program(random: &mut Random) -> (Program, ExploredProgram) {
    loop {
        let integers = random.one_in(4);
        let shape = ProgramShape {
            procedures: random.between(1, 3),
            arrays: !integers && random.coin(),
            recursion: !random.one_in(4),
            integers,
            bits: random.between(3, 5) as u32,
            ..ProgramShape::default()
        };
        let program = random_program(random, shape);
        if let Some(truth) = explore_program(&program, MAX_STATES) {
            return (program, truth);
        }
    }
}

#[derive(Default)]
struct Heard {
    claims: Mutex<Vec<(&'static str, ProgramAnswer)>>,
    open: Mutex<Vec<usize>>,
}

impl ProgramClaimant for Heard {
    fn claim(&self, engine: &'static str, answer: &ProgramAnswer) {
        self.claims.lock().expect("no test panics with it").push((engine, answer.clone()));
    }

    fn open(&self, property: usize, _: &ProgramOpen, _: Option<usize>) {
        self.open.lock().expect("no test panics with it").push(property);
    }
}

fn claimed(program: &Program, engine: EngineName) -> Vec<(&'static str, ProgramAnswer)> {
    let is_recursive = !Components::new(program).recursive().is_empty();
    let depth = if is_recursive { Some(MAX_RECURSION) } else { Some(12) };
    let plan = Plan { engine, depth, ..Plan::default() };
    let all: Vec<usize> = (0..program.properties.len()).collect();
    let heard = Heard::default();
    let interrupt = Interrupt::new().child_with_looks(20_000);
    program_claims(program, &all, &plan, &interrupt, &heard).expect("runs are runs");
    let claims = heard.claims.into_inner().expect("no test panics with it");
    let open = heard.open.into_inner().expect("no test panics with it");
    // Of each property something is said.
    let is_claimed = |p: &usize| claims.iter().any(|(_, answer)| answer.properties().contains(p));
    assert!(all.iter().all(|p| open.contains(p) || is_claimed(p)), "{open:?}");
    claims
}

/// One claim, as it arrives.
struct Once(Option<(&'static str, ProgramAnswer)>, Option<String>);

impl Elsewhere for Once {
    type Answer = ProgramAnswer;

    fn next(&mut self) -> News<ProgramAnswer> {
        match self.0.take() {
            Some((engine, answer)) => News::Claim(Box::new(Claim { ticket: 0, engine, answer })),
            None => News::Over,
        }
    }

    fn accepted(&mut self, _: u64, _: &[usize]) {}

    fn refused(&mut self, _: u64, why: &str) {
        self.1 = Some(why.to_owned());
    }

    fn left(&self, _: usize) -> (Open, Option<usize>) {
        (Open::Engines(Reason::Budget), None)
    }
}

/// What was settled: the property, and whether it is violated.
#[derive(Default)]
struct Settled(Mutex<Vec<(usize, bool)>>);

impl ProgramObserver for Settled {
    type Error = InternalError;

    fn settled(
        &self,
        property: usize,
        _: &'static str,
        answer: &ProgramChecked,
    ) -> Result<(), InternalError> {
        let is_violated = matches!(answer, ProgramChecked::Violated(_));
        self.0.lock().expect("no test panics with it").push((property, is_violated));
        Ok(())
    }

    fn open(&self, _: usize, _: ProgramOpen, _: Option<SafeUpTo>) {}
}

/// What the asker says when it hears a claim, and why it refused it, if it did.
fn believed(
    graphs: &Graphs<'_>,
    engine: &'static str,
    answer: ProgramAnswer,
) -> (Vec<(usize, bool)>, Option<String>) {
    let all: Vec<usize> = (0..graphs.program().properties.len()).collect();
    let (settled, mut once) = (Settled::default(), Once(Some((engine, answer)), None));
    let (plan, interrupt) = (Plan::default(), Interrupt::new());
    decide_program_elsewhere(graphs, &all, &plan, &interrupt, &settled, &mut once)
        .expect("a wrong claim is no internal error");
    (settled.0.into_inner().expect("no test panics with it"), once.1)
}

/// Whether a verdict is right.
fn is_true(truth: &ExploredProgram, (property, is_violated): (usize, bool)) -> bool {
    match is_violated {
        true => truth.violated_defined[property].is_some(),
        false => truth.violated[property].is_none(),
    }
}

const ENGINES: [EngineName; 5] =
    [EngineName::Auto, EngineName::Program, EngineName::Kind, EngineName::Bmc, EngineName::Pdr];

#[test]
fn claims_arrive_and_are_accepted() {
    let mut kinds = [0; 6];
    for seed in 0..runs(400) {
        let mut random = Random::new(seed);
        let (program, truth) = a_program(&mut random);
        let graphs = Graphs::new(&program);
        for (engine, answer) in claimed(&program, random.pick(&ENGINES)) {
            let sent = encode(&answer).expect("it can be sent");
            let arrived = decode(&graphs, &sent).unwrap_or_else(|e| panic!("{seed}: {e}"));
            assert_eq!(encode(&arrived), Ok(sent), "{seed}");
            let (verdicts, refused) = believed(&graphs, engine, arrived);
            assert!(
                verdicts.iter().all(|&verdict| is_true(&truth, verdict)),
                "{seed}: {verdicts:?}"
            );
            // It may be beyond what can be checked, but it is not wrong.
            if let Some(why) = &refused {
                assert!(why.starts_with("it cannot be checked"), "{seed}: {engine}: {why}");
            }
            kinds[match &answer {
                // An undefined run is a claim that settles nothing.
                ProgramAnswer::Violated(_) if verdicts.is_empty() => 0,
                ProgramAnswer::Violated(_) => 1,
                _ if refused.is_some() => continue,
                ProgramAnswer::Proved { graph: ProofGraph::Bounded(_), .. } => 2,
                ProgramAnswer::Proved { graph: ProofGraph::Summaries, .. } => 3,
                ProgramAnswer::Proved { proof, .. } => 4 + usize::from(proof.k > 1),
            }] += 1;
        }
    }
    assert!(
        kinds.iter().all(|&count| count > 0),
        "undefined runs, runs, proofs with bounds, with summaries, plain, of depth: {kinds:?}"
    );
}

/// However evidence is damaged, or to whichever program it is sent: what is believed is true.
#[test]
fn nothing_false_is_believed() {
    let (mut believed_ones, mut refused) = (0, 0);
    for seed in 0..runs(60) {
        let mut random = Random::new(seed);
        let (program, truth) = a_program(&mut random);
        let (other, _) = a_program(&mut random);
        let graphs = Graphs::new(&program);
        let mut sent: Vec<Vec<u8>> = Vec::new();
        for source in [&program, &other] {
            let claims = claimed(source, random.pick(&ENGINES));
            sent.extend(claims.iter().filter_map(|(_, answer)| encode(answer).ok()));
        }
        for bytes in sent {
            for round in 0..10 {
                let mut bytes = bytes.clone();
                if round > 0 {
                    damage(&mut random, &mut bytes);
                }
                let Ok(answer) = decode(&graphs, &bytes) else {
                    refused += 1;
                    continue;
                };
                let (verdicts, _) = believed(&graphs, "auto", answer);
                believed_ones += usize::from(!verdicts.is_empty());
                refused += usize::from(verdicts.is_empty());
                for verdict in verdicts {
                    let text = String::from_utf8_lossy(&bytes);
                    assert!(is_true(&truth, verdict), "{seed}: {verdict:?}: {text}");
                }
            }
        }
    }
    assert!(believed_ones > 50 && refused > 50, "{believed_ones} and {refused}");
}

/// Evidence with every number in it replaced, one at a time: refused, or what is believed is true.
#[test]
fn no_number_is_taken_as_it_comes() {
    let mut refused = 0;
    for seed in 0..runs(8) {
        let mut random = Random::new(1_000 + seed);
        let (program, truth) = a_program(&mut random);
        let graphs = Graphs::new(&program);
        let mut claims = claimed(&program, random.pick(&ENGINES));
        claims.truncate(3);
        for (engine, answer) in claims {
            let sent = encode(&answer).expect("it can be sent");
            // Long ones take long, and have nothing that short ones have not.
            if sent.len() > 3_000 {
                continue;
            }
            for changed in each_number_changed(&sent) {
                let Ok(answer) = decode(&graphs, &changed) else {
                    refused += 1;
                    continue;
                };
                for verdict in believed(&graphs, engine, answer).0 {
                    let text = String::from_utf8_lossy(&changed);
                    assert!(is_true(&truth, verdict), "{seed}: {verdict:?}: {text}");
                }
            }
        }
    }
    assert!(refused > 100, "{refused}");
}

/// A proof of any properties with any invariants, well formed as far as its terms are.
fn any_proof(random: &mut Random, graph: ProofGraph, inlined: &Arc<Inlined>) -> ProgramAnswer {
    let program = &inlined.program;
    let mut terms = program.terms.clone();
    let symbol = |random: &mut Random, terms: &mut Terms| {
        let like = TermId::new(random.below(program.terms.len()));
        terms.new_symbol(terms.sort(like))
    };
    let positions: Vec<TermId> = (0..random.below(3)).map(|_| symbol(random, &mut terms)).collect();
    for _ in 0..random.between(1, 60) {
        let any = |random: &mut Random, terms: &Terms| TermId::new(random.below(terms.len()));
        let [a, b, c] = [(); 3].map(|()| any(random, &terms));
        let op = random.pick(BinaryOp::ALL);
        let index = terms.sort(a).scalar().unwrap_or(Scalar::Int);
        let term = match random.below(10) {
            0 => Term::Unary(random.pick(UnaryOp::ALL), a),
            1 => Term::Ite(a, b, c),
            2 => Term::Read(a, b),
            3 => Term::Write(a, b, c),
            4 => Term::ConstArray { index, value: b },
            5 => Term::Int(random.pick(&IntOp::ALL), a, b),
            6 => Term::IntNeg(a),
            7 => Term::IntConst(Box::new(random.below(5).into())),
            _ => Term::Binary(op, a, b),
        };
        // What does not fit is left out.
        let _ = terms.add(term);
    }
    let bits: Vec<TermId> =
        terms.iter().map(|(id, _)| id).filter(|&id| terms.sort(id) == Sort::BOOL).collect();
    let body = program.procedure(program.entry);
    let mut invariants = BTreeMap::new();
    for place in 0..body.places.len() {
        if random.coin() {
            let here = (0..random.below(3)).filter(|_| !bits.is_empty());
            let here = here.map(|_| random.pick(&bits)).collect();
            invariants.insert(PlaceId::new(place), here);
        }
    }
    let all = 0..program.properties.len();
    let properties = all.filter(|_| random.coin()).collect();
    let k = random.pick(&[1, 1, 1, 2, 3]);
    let proof = ProgramProof { properties, terms, invariants, k, positions };
    ProgramAnswer::Proved { graph, inlined: inlined.clone(), proof: Arc::new(proof) }
}

/// Proofs at random about all graphs that proofs can be about: no check fails with a panic, and
/// what is believed is true.
#[test]
fn proofs_at_random_prove_nothing_false() {
    let (mut read, mut believed_ones) = (0, 0);
    for seed in 0..runs(150) {
        let mut random = Random::new(seed);
        let (program, truth) = a_program(&mut random);
        let graphs = Graphs::new(&program);
        let kinds =
            [ProofGraph::Plain, ProofGraph::Bounded(random.below(4)), ProofGraph::Summaries];
        for graph in kinds {
            let Ok(inlined) = graphs.get(graph) else { continue };
            for _ in 0..6 {
                let answer = any_proof(&mut random, graph, &inlined);
                let sent = encode(&answer).expect("it can be sent");
                let Ok(answer) = decode(&graphs, &sent) else { continue };
                read += 1;
                for verdict in believed(&graphs, "auto", answer).0 {
                    believed_ones += 1;
                    let text = String::from_utf8_lossy(&sent);
                    assert!(is_true(&truth, verdict), "{seed}: {verdict:?}: {text}");
                }
            }
        }
    }
    assert!(read > 100 && believed_ones > 10, "{read} and {believed_ones}");
}

/// A loop over an array that is too large to be expanded: a property that holds, and one that does
/// not.
fn large_array(integers: bool) -> Program {
    let [sort, zero, five, next, below] = match integers {
        true => ["int", "0", "5", "i + 1", "< n"],
        false => ["bv32", "0bv32", "5bv32", "add(i, 1bv32)", ""],
    };
    let less = |word: &str| match integers {
        true => format!("0 <= {word} && {word} {below}"),
        false => format!("ult({word}, n)"),
    };
    let (loops, is_inside) = (less("i"), less("k"));
    let text = format!(
        "function {{:bvbuiltin \"bvadd\"}} add(a: bv32, b: bv32) returns (r: bv32);
        function {{:bvbuiltin \"bvult\"}} ult(a: bv32, b: bv32) returns (r: bool);
        procedure main() {{
            var a: [{sort}]{sort}; var i, n, k: {sort};
            i := {zero};
            while ({loops}) {{ a[i] := {zero}; i := {next}; }}
            havoc k;
            if ({is_inside}) {{ assert a[k] == {zero}; assert n != {five}; }}
        }}"
    );
    pedra_boogie::read(text.as_bytes(), "fill.bpl").unwrap_or_else(|error| panic!("{error}"))
}

/// The same for programs with large arrays, where proofs have positions.
#[test]
fn proofs_at_random_about_large_arrays_prove_nothing_false() {
    let mut read = 0;
    for (integers, seed) in (0..runs(100)).flat_map(|seed| [(false, seed), (true, seed)]) {
        let mut random = Random::new(seed);
        let program = large_array(integers);
        let graphs = Graphs::new(&program);
        let inlined = graphs.get(ProofGraph::Plain).expect("it is small");
        let answer = any_proof(&mut random, ProofGraph::Plain, &inlined);
        let sent = encode(&answer).expect("it can be sent");
        let Ok(answer) = decode(&graphs, &sent) else { continue };
        read += 1;
        let (verdicts, _) = believed(&graphs, "auto", answer);
        assert!(verdicts.iter().all(|&verdict| verdict == (0, false)), "{seed}: {verdicts:?}");
    }
    assert!(read > 50, "{read}");
}

/// Invariants about all elements of an array.
#[test]
fn proofs_with_positions_arrive() {
    let program = large_array(false);
    let graphs = Graphs::new(&program);
    let plan = Plan { engine: EngineName::Program, ..Plan::default() };
    let heard = Heard::default();
    program_claims(&program, &[0], &plan, &Interrupt::new(), &heard).expect("no wrong run");
    let claims = heard.claims.into_inner().expect("no test panics with it");
    let [(engine, answer)] = &claims[..] else { panic!("one claim, not {claims:?}") };
    let ProgramAnswer::Proved { proof, .. } = answer else { panic!("it holds") };
    assert!(!proof.positions.is_empty(), "elements are visited one by one");
    let sent = encode(answer).expect("it can be sent");
    let arrived = decode(&graphs, &sent).expect("it can be read");
    assert_eq!(encode(&arrived).as_ref(), Ok(&sent));
    let (verdicts, refused) = believed(&graphs, engine, arrived);
    assert_eq!((verdicts, refused), (vec![(0, false)], None));
    // A position that is a term of the program, one that nothing lists, too many, one too many.
    let good: Json = serde_json::from_slice(&sent).expect("JSON");
    let position = good["places"]["positions"][0].clone();
    for positions in [json!([0]), json!([]), json!(vec![&position; 65]), json!([&position, 0])] {
        let mut bad = good.clone();
        bad["places"]["positions"] = positions;
        let bytes = serde_json::to_vec(&bad).expect("JSON");
        if let Ok(answer) = decode(&graphs, &bytes) {
            assert_eq!(believed(&graphs, engine, answer).0, [], "{bad}");
        }
    }
}

/// `x` is any number from 0 to 255; a property that holds, and one that is violated.
fn two_properties() -> Program {
    let text = "procedure main() { var x: bv8; var a: [bv4]int; var n: int;
                assert x == x; assert x != 7bv8; }";
    pedra_boogie::read(text.as_bytes(), "two.bpl").unwrap_or_else(|error| panic!("{error}"))
}

/// Each way in which evidence can be wrong has its reason.
#[test]
fn what_cannot_be_is_refused_with_its_reason() {
    let program = two_properties();
    let graphs = Graphs::new(&program);
    let plan = Plan { engine: EngineName::Bmc, ..Plan::default() };
    let heard = Heard::default();
    program_claims(&program, &[0, 1], &plan, &Interrupt::new(), &heard).expect("no wrong run");
    let claims = heard.claims.into_inner().expect("no test panics with it");
    let sent: Vec<Json> = claims
        .iter()
        .map(|(_, answer)| encode(answer).expect("it can be sent"))
        .map(|bytes| serde_json::from_slice(&bytes).expect("JSON"))
        .collect();
    let of = |key: &str| sent.iter().find(|value| value.get(key).is_some()).cloned();
    let (run, proof) = (of("run").expect("a run"), of("places").expect("a proof"));
    let long = "f".repeat((1 << 16) + 1);
    let cases = [
        (&run, "/run/property", json!(2), "no property 2"),
        (&run, "/run/initial", json!(["00"]), "more values"),
        // The entry calls the procedure with any values of its variables.
        (&run, "/run/steps/0/2", json!([]), "values are missing"),
        (&run, "/run/steps/0/2/0", json!("123"), "none"),
        (&run, "/run/steps/0/2/0", json!("-1"), "none"),
        (&run, "/run/steps/0/2/0", json!("+1"), "none"),
        (&run, "/run/steps/0/2/0", json!(["00", []]), "another sort"),
        (&run, "/run/steps/0/2/1", json!("0"), "another sort"),
        (&run, "/run/steps/0/2/1", json!(["0", [["00", "0"]]]), "none"),
        (&run, "/run/steps/0/2/1", json!(["_", []]), "none"),
        (&run, "/run/steps/0/2/2", json!(&long), "none"),
        (&run, "/run/steps/0", json!([7, 0, []]), "procedure 7"),
        (&run, "/run/steps/0", json!([0, u64::MAX, []]), "has no edge"),
        (&run, "/run/steps/0/2", json!(["00", ["0", []], "0", "0"]), "more values"),
        (&proof, "/places/properties", json!([u64::MAX]), "no property"),
        (&proof, "/places/fingerprint", json!("0123"), "another graph"),
        (&proof, "/places/graph", json!({ "bounded": 1_u64 << 40 }), "deeper than"),
        (&proof, "/places/graph", json!("ends"), "variant"),
        (&proof, "/places/k", json!(1_u64 << 40), "too deep"),
        (&proof, "/places/invariants", json!([[1_u64 << 40, []]]), "does not exist"),
        (&proof, "/places/invariants", json!([[0, []], [0, []]]), "two invariants"),
        (&proof, "/places/invariants", json!([[0, [1_u64 << 40]]]), "no term"),
        (&proof, "/places/positions", json!(vec![0; 65]), "too many positions"),
        (&proof, "/places/terms", json!([{ "symbol": { "scalar": 1 } }]), "nothing adds"),
        (&proof, "/places/terms", json!([{ "integer": &long }]), "none"),
        (&proof, "/places/terms", json!([{ "integers": ["^", 0, 0] }]), "operator"),
        (&proof, "/places/terms", json!([{ "negated": 0 }]), "integer"),
        (&proof, "/places/terms", json!([{ "const-array": [0, 0] }]), "bit"),
    ];
    for (good, path, other, why) in cases {
        let mut bad = good.clone();
        *bad.pointer_mut(path).unwrap_or_else(|| panic!("{path} of {good}")) = other;
        let bytes = serde_json::to_vec(&bad).expect("JSON");
        let error = decode(&graphs, &bytes).expect_err(path).to_string();
        assert!(error.contains(why), "{path}: {error}");
    }
}
