//! Lifted PDR on programs with slots: random programs with arrays against the explicit-state
//! oracle, with every proof checked on the program, and a loop that fills an array.

use pedra_certify::{CheckOptions, check_program_proof};
use pedra_engines::{Context, Engine, Outcome, ProgramOptions, Slotted};
use pedra_model::blast::BlastOptions;
use pedra_model::bv::Bv;
use pedra_model::program::ProgramProof;
use pedra_model::proof::Proof;
use pedra_model::term::{BinaryOp, Sort, UnaryOp};
use pedra_program::{
    Action, Edge, LowerOptions, Lowered, PlaceRef, Procedure, ProcedureId, Program, Property,
    PropertyKind, Span, Step, lower,
};
use pedra_solve::Interrupt;
use pedra_testkit::programs::{ProgramShape, explore_program, random_program};
use pedra_testkit::random::{Random, runs};
use std::sync::Arc;

/// The proofs of all properties that slots are enough for; `None` if there are no slots.
fn prove(program: &Program) -> Option<(Arc<Lowered>, Vec<Option<ProgramProof>>)> {
    let options = LowerOptions { elements: false, ..LowerOptions::default() };
    let lowered = Arc::new(lower(program, &options).expect("no recursion"));
    let all: Vec<usize> = (0..program.properties.len()).collect();
    let options = ProgramOptions::default();
    let mut engine = Slotted::new(&lowered, &all, options, &BlastOptions::default())?;
    let interrupt = Interrupt::new().child_with_looks(3_000);
    let context = Context { interrupt, ..Context::default() };
    engine.run(&context);
    let outcomes = context.ledger.outcomes(all.len());
    let proofs = outcomes.into_iter().map(|outcome| match outcome {
        Outcome::Proved(proof) => match &*proof {
            Proof::Program(proof) => Some((**proof).clone()),
            _ => panic!("a proof of the program"),
        },
        Outcome::Violated(_) => panic!("slots find no violations"),
        Outcome::Unknown => None,
    });
    Some((lowered, proofs.collect()))
}

fn check(lowered: &Lowered, proof: &ProgramProof) -> bool {
    let (blasting, options) = (BlastOptions::default(), CheckOptions::default());
    check_program_proof(&lowered.inlined.program, proof, &blasting, &options).is_ok()
}

#[test]
fn random_programs_against_the_oracle() {
    let mut random = Random::new(8);
    let (mut proved, mut quantified, mut left) = (0, 0, 0);
    for round in 0..runs(800) {
        let shape = ProgramShape {
            procedures: 2,
            places: 4,
            bits: 5,
            arrays: true,
            ..ProgramShape::default()
        };
        let program = random_program(&mut random, shape);
        let Some(found) = explore_program(&program, 2_000) else { continue };
        let Some((lowered, proofs)) = prove(&program) else { continue };
        for (property, proof) in proofs.iter().enumerate() {
            let Some(proof) = proof else {
                left += 1;
                continue;
            };
            assert!(found.violated[property].is_none(), "round {round}");
            assert!(proof.properties.contains(&property));
            assert!(check(&lowered, proof), "round {round}");
            proved += 1;
            quantified += usize::from(!proof.positions.is_empty());
        }
    }
    assert!(proved > 60 && quantified > 5 && left > 60, "{proved} {quantified} {left}");
}

/// `i := 0; while (i < 1000) { a[i] := value; i := i + 1 }  x := 0; while (x < 1000) { assert(a[x]
/// == 7); x := x + 1 }`
fn fill(value: u64) -> Program {
    let (mut program, span) = (Program::new(), Span::default());
    let array = program.add_variable(Sort::bv_array(16, 8), Some("a"), "", false, span);
    let [i, x] =
        ["i", "x"].map(|name| program.add_variable(Sort::Bv(16), Some(name), "", false, span));
    let [a, at, from] = [array, i, x].map(|variable| program.term_of(variable));
    let terms = &mut program.terms;
    let zero = terms.constant(Bv::zero(16));
    let most = terms.constant(Bv::from_u64(16, 1000));
    let [new, wanted] = [value, 7].map(|number| terms.constant(Bv::from_u64(8, number)));
    let written = terms.write(a, at, new);
    let read = terms.read(a, from);
    let is_right = terms.binary(BinaryOp::Eq, read, wanted);
    let is_wrong = terms.not(is_right);
    let [i_goes_on, x_goes_on] = [at, from].map(|t| terms.binary(BinaryOp::Ult, t, most));
    let [i_ends, x_ends] = [i_goes_on, x_goes_on].map(|t| terms.not(t));
    let [next_i, next_x] = [at, from].map(|t| terms.unary(UnaryOp::Inc, t));
    let mut body = Procedure::new("main", span);
    body.variables.extend([array, i, x]);
    let [first, second, inside, error] = [0; 4].map(|_| body.add_place(span));
    let mut edge = |from, to, guard, updates| {
        let action = Action::Step(Step { guard, updates, ..Step::default() });
        body.add_edge(Edge { from, to, action, span, text: "".into() });
    };
    let (entry, exit) = (pedra_program::PlaceId::new(0), pedra_program::PlaceId::new(1));
    edge(entry, first, None, vec![(i, zero)]);
    edge(first, first, Some(i_goes_on), vec![(array, written), (i, next_i)]);
    edge(first, second, Some(i_ends), vec![(x, zero)]);
    edge(second, inside, Some(x_goes_on), vec![]);
    edge(second, exit, Some(x_ends), vec![]);
    edge(inside, second, Some(is_right), vec![(x, next_x)]);
    edge(inside, error, Some(is_wrong), vec![]);
    let error = PlaceRef { procedure: ProcedureId::new(0), place: error };
    let kind = PropertyKind::Assertion;
    program.procedures.push(body);
    program.properties.push(Property { error, kind, text: "".into(), span, calls: None });
    program.check().expect("well formed");
    program
}

#[test]
fn a_filled_array_is_proved_for_all_positions_and_no_less() {
    let (lowered, proofs) = prove(&fill(7)).expect("there is an array");
    let proof = proofs[0].as_ref().expect("slots are enough");
    assert_eq!(proof.positions.len(), 1);
    assert!(check(&lowered, proof));
    // Without what it says of positions, or with positions that are variables, it is no proof.
    let mut weaker = proof.clone();
    for conjuncts in weaker.invariants.values_mut() {
        conjuncts.retain(|&c| !proof.terms.cone([c])[proof.positions[0].index()]);
    }
    assert!(!check(&lowered, &weaker));
    let variable = lowered.inlined.program.variables[1].term;
    for wrong in [
        ProgramProof { positions: vec![], ..proof.clone() },
        ProgramProof { positions: vec![variable], ..proof.clone() },
        ProgramProof { k: 2, ..proof.clone() },
    ] {
        assert!(!check(&lowered, &wrong));
    }
    // The same claim about an array that is filled with something else.
    let (other, proofs) = prove(&fill(8)).expect("there is an array");
    assert_eq!(proofs, [None]);
    assert!(!check(&other, proof));
}
