//! Proofs of random programs: exact reachable sets are accepted, on the program and through the
//! flattened system; what is accepted is true. `PEDRA_FUZZ_RUNS` sets how many.

use pedra_certify::{
    CheckOptions, ProgramClaim, ProgramProofError, Trust, check_program_proof, check_word_proof,
    replay_program,
};
use pedra_model::blast::BlastOptions;
use pedra_model::proof::WordProof;
use pedra_model::prophecy::Prophecy;
use pedra_model::term::{BinaryOp, Scalar, Sort, Term, TermId, Terms};
use pedra_model::value::Value;
use pedra_program::inline::inline;
use pedra_program::{LowerOptions, PlaceId, Program, ProgramProof, VariableId, lower};
use pedra_testkit::programs::{ExploredProgram, ProgramShape, explore_program, random_program};
use pedra_testkit::random::{Random, runs};
use pedra_testkit::sparse::explore_sparse;
use std::collections::BTreeMap;

fn check(program: &Program, proof: &ProgramProof) -> Result<(), ProgramProofError> {
    let (blasting, options) = (BlastOptions::default(), CheckOptions::default());
    let checked = check_program_proof(program, proof, &blasting, &options);
    checked.map(|checked| assert_eq!(checked.trust, Trust::Nothing))
}

/// A symbol has a value.
fn equals(terms: &mut Terms, symbol: TermId, value: &Value) -> TermId {
    let constant = match value {
        Value::Bv(value) => terms.constant(value.clone()),
        Value::Array(array) => {
            let default = terms.constant(array.default_element().clone());
            let index = Scalar::Bv(array.index_width());
            let mut term = terms.add(Term::ConstArray { index, value: default }).expect("sorts");
            for (at, element) in array.entries() {
                let (at, element) = (terms.constant(at.clone()), terms.constant(element.clone()));
                term = terms.write(term, at, element);
            }
            term
        }
        Value::Int(_) | Value::IntArray(_) => panic!("these programs have no integers"),
    };
    terms.binary(BinaryOp::Eq, symbol, constant)
}

/// One of the states, given by the values of some symbols.
fn one_of<'v>(
    terms: &mut Terms,
    states: impl IntoIterator<Item = Vec<(TermId, &'v Value)>>,
) -> TermId {
    let mut any = terms.bool(false);
    for state in states {
        let mut all = terms.bool(true);
        for (symbol, value) in state {
            let is_equal = equals(terms, symbol, value);
            all = terms.and(all, is_equal);
        }
        any = terms.or(any, all);
    }
    any
}

/// The exact reachable sets of all places that are not error places.
fn exact(
    program: &Program,
    found: &ExploredProgram,
    properties: Vec<usize>,
    k: usize,
) -> ProgramProof {
    let mut terms = program.terms.clone();
    let mut invariants = BTreeMap::new();
    let body = program.procedure(program.entry);
    for place in (0..body.places.len()).map(PlaceId::new) {
        if program.properties.iter().any(|p| p.error.place == place) {
            continue;
        }
        let at = pedra_program::PlaceRef { procedure: program.entry, place };
        let reached = found.reached.get(&at).map_or(&[][..], Vec::as_slice);
        let states = reached.iter().map(|values| {
            let values =
                values.iter().enumerate().filter_map(|(v, value)| Some((v, value.as_ref()?)));
            values.map(|(v, value)| (program.term_of(VariableId::new(v)), value)).collect()
        });
        let invariant = one_of(&mut terms, states);
        invariants.insert(place, vec![invariant]);
    }
    ProgramProof { properties, terms, invariants, k, positions: vec![] }
}

#[test]
fn exact_sets_are_proofs_and_broken_ones_are_not() {
    let mut random = Random::new(11);
    let shape =
        ProgramShape { procedures: 2, places: 4, bits: 3, arrays: true, ..ProgramShape::default() };
    let (mut proved, mut refuted, mut accepted) = (0, 0, 0);
    for _ in 0..runs(150) {
        let program = random_program(&mut random, shape);
        let program = inline(&program, 1_000).expect("no recursion").program;
        let Some(found) = explore_program(&program, 600) else { continue };
        let safe: Vec<usize> =
            (0..program.properties.len()).filter(|&p| found.violated[p].is_none()).collect();
        for trace in found.violated.iter().flatten() {
            replay_program(&program, trace).expect("a run");
            let proof = exact(&program, &found, vec![trace.property], 1);
            let answer = check(&program, &proof);
            assert!(matches!(answer, Err(ProgramProofError::Refuted { .. })), "{answer:?}");
            refuted += 1;
        }
        if safe.is_empty() {
            continue;
        }
        let k = random.between(1, 3);
        let proof = exact(&program, &found, safe.clone(), k);
        check(&program, &proof).expect("reachable sets are inductive");
        proved += 1;
        // A set that lacks a state is not inductive; one with more may be or not.
        let places: Vec<PlaceId> = proof.invariants.keys().copied().collect();
        let place = random.pick(&places);
        let at = pedra_program::PlaceRef { procedure: program.entry, place };
        if found.reached.contains_key(&at) {
            let mut fewer = found.clone();
            let states = fewer.reached.get_mut(&at).expect("reached");
            // States are listed once for each history; all copies go.
            let gone = random.pick(&(0..states.len()).collect::<Vec<_>>());
            let gone = states[gone].clone();
            states.retain(|state| *state != gone);
            let broken = exact(&program, &fewer, safe.clone(), k);
            let answer = check(&program, &broken);
            assert!(matches!(answer, Err(ProgramProofError::Refuted { .. })), "{answer:?}");
        }
        // Whatever is accepted is true.
        for _ in 0..4 {
            let all: Vec<usize> = (0..program.properties.len()).collect();
            let property = random.pick(&all);
            let k = random.between(1, 4);
            let mut weak = exact(&program, &found, vec![property], k);
            weak.invariants.retain(|_, _| !random.one_in(3));
            for invariant in weak.invariants.values_mut() {
                if random.one_in(2) {
                    invariant.clear();
                }
            }
            if check(&program, &weak).is_ok() {
                assert!(found.violated[property].is_none());
                accepted += 1;
            }
        }
    }
    assert!(proved > 30 && refuted > 30 && accepted > 10, "{proved} {refuted} {accepted}");
}

/// The reachable states of the flattened system are a proof, and so it is of the program.
#[test]
fn proofs_of_systems_become_proofs_of_programs() {
    let mut random = Random::new(12);
    let (mut proved, mut deep) = (0, 0);
    let shape = ProgramShape { bits: 3, arrays: true, ..ProgramShape::default() };
    for run in 0..runs(150) {
        let program = random_program(&mut random, shape);
        let mut options = LowerOptions { constants: run % 2 == 0, ..LowerOptions::default() };
        options.blocks.max_sources = run as usize % 3;
        let lowered = lower(&program, &options).expect("small and not recursive");
        let system = &lowered.flat.system;
        let Some(found) = explore_sparse(system, 500) else { continue };
        let safe: Vec<usize> =
            (0..system.bads.len()).filter(|&p| found.violated[p].is_none()).collect();
        if safe.is_empty() {
            continue;
        }
        let mut extended = system.clone();
        let states: Vec<TermId> = system.states.iter().map(|state| state.term).collect();
        let reached = found.reached.iter().map(|s| states.iter().copied().zip(s).collect());
        let invariant = vec![one_of(&mut extended.terms, reached)];
        let (system, prophecy) = (extended, Prophecy::default());
        let proof =
            WordProof { properties: safe, system, invariant, k: 1, simple_path: None, prophecy };
        let lifted = lowered.proof(&proof).expect("a plain invariant");
        check(&lowered.inlined.program, &lifted).expect("inductive on the program");
        proved += 1;
        // Without the invariant, some depth may be enough.
        for k in 1..5 {
            let proof = WordProof { invariant: Vec::new(), k, ..proof.clone() };
            let lifted = lowered.proof(&proof).expect("a plain depth");
            let is_proof = check(&lowered.inlined.program, &lifted).is_ok();
            let (blasting, options) = (BlastOptions::default(), CheckOptions::default());
            let of_system = check_word_proof(&lowered.flat.system, &proof, &blasting, &options);
            assert!(is_proof || of_system.is_err(), "what is a proof of the system is one here");
            deep += usize::from(k > 1 && is_proof);
        }
    }
    assert!(proved > 30 && deep > 30, "{proved} {deep}");
}

/// `x := 0; while (x < 10) x := x + 1; assert(x = 10)`, where the form of proofs is broken.
#[test]
fn malformed_proofs_are_refused() {
    let (program, x) = counter();
    let mut terms = program.terms.clone();
    let ten = terms.constant(pedra_model::bv::Bv::from_u64(8, 10));
    let at_most = terms.binary(BinaryOp::Ulte, x, ten);
    let below = terms.binary(BinaryOp::Ult, x, ten);
    let stranger = terms.new_symbol(Sort::BOOL);
    let head = PlaceId::new(2);
    let proof = |invariants: &[(PlaceId, TermId)]| ProgramProof {
        properties: vec![0],
        terms: terms.clone(),
        invariants: invariants.iter().map(|&(place, term)| (place, vec![term])).collect(),
        k: 1,
        positions: vec![],
    };
    check(&program, &proof(&[(head, at_most)])).expect("inductive");
    let refused = |proof: ProgramProof| check(&program, &proof).expect_err("no proof");
    match refused(proof(&[(head, below)])) {
        ProgramProofError::Refuted { claim: ProgramClaim::Consecution(place), values } => {
            assert_eq!(place, head);
            assert_eq!(values[0].1.as_bv().to_u64(), Some(9));
        }
        other => panic!("{other}"),
    }
    let entry = refused(proof(&[(head, at_most), (PlaceId::new(0), at_most)]));
    assert!(matches!(entry, ProgramProofError::Refuted { claim: ProgramClaim::Entry, .. }));
    let broken: [(ProgramProof, &str); 7] = [
        (proof(&[]), "loop"),
        (proof(&[(head, x)]), "no bit"),
        (proof(&[(head, stranger)]), "not a variable"),
        (proof(&[(PlaceId::new(99), at_most)]), "does not exist"),
        (ProgramProof { properties: vec![], ..proof(&[(head, at_most)]) }, "no property"),
        (ProgramProof { k: 0, ..proof(&[(head, at_most)]) }, "depth"),
        (ProgramProof { terms: Terms::new(), ..proof(&[]) }, "extend"),
    ];
    for (proof, word) in broken {
        let text = refused(proof).to_string();
        assert!(text.contains(word), "{text}");
    }
    let options = CheckOptions::default();
    options.interrupt.raise();
    let good = proof(&[(head, at_most)]);
    let stopped = check_program_proof(&program, &good, &BlastOptions::default(), &options);
    assert!(matches!(stopped, Err(ProgramProofError::Stopped(_))));
}

fn counter() -> (Program, TermId) {
    use pedra_program::*;
    let mut program = Program::new();
    let span = Span::default();
    let x = program.add_variable(Sort::Bv(8), Some("x"), "unsigned char", false, span);
    let mut main = Procedure::new("main", span);
    main.variables.push(x);
    let (head, error) = (main.add_place(span), main.add_place(span));
    let (terms, value) = (&mut program.terms, program.variables[0].term);
    let zero = terms.constant(pedra_model::bv::Bv::zero(8));
    let ten = terms.constant(pedra_model::bv::Bv::from_u64(8, 10));
    let more = terms.unary(pedra_model::term::UnaryOp::Inc, value);
    let is_below = terms.binary(BinaryOp::Ult, value, ten);
    let is_above = terms.binary(BinaryOp::Ugt, value, ten);
    let edge = |from, to, guard, updates| {
        let step = Step { guard, updates, ..Step::default() };
        Edge { from, to, action: Action::Step(step), span, text: "".into() }
    };
    main.add_edge(edge(main.entry, head, None, vec![(x, zero)]));
    main.add_edge(edge(head, head, Some(is_below), vec![(x, more)]));
    main.add_edge(edge(head, error, Some(is_above), vec![]));
    let error = PlaceRef { procedure: ProcedureId::new(0), place: error };
    let kind = PropertyKind::Assertion;
    program.procedures.push(main);
    program.properties.push(Property { error, kind, text: "x <= 10".into(), span, calls: None });
    (program, value)
}
