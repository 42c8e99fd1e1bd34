//! Proofs of programs with integers: what is true is accepted with checked refutations, what is
//! false is refuted with values, what is beyond the solver is not checkable.

use pedra_certify::{CheckOptions, ProgramClaim, ProgramProofError, Trust, check_program_proof};
use pedra_model::blast::BlastOptions;
use pedra_model::term::{BinaryOp, IntOp, Scalar, Sort, Term, TermId, Terms, UnaryOp};
use pedra_program::{
    Action, Edge, PlaceId, PlaceRef, Procedure, ProcedureId, Program, ProgramProof, Property,
    PropertyKind, Span, Step, VariableId,
};
use std::collections::BTreeMap;

fn check(program: &Program, proof: &ProgramProof) -> Result<(), ProgramProofError> {
    check_program_proof(program, proof, &BlastOptions::default(), &CheckOptions::default())
        .map(|checked| assert_eq!(checked.trust, Trust::IntegerTerms))
}

/// A program with variables of these sorts, and its body with one place more than the entry and
/// the exit for each of the three that follow.
struct Builder {
    program: Program,
    body: Procedure,
    variables: Vec<VariableId>,
    head: PlaceId,
    join: PlaceId,
    error: PlaceId,
}

impl Builder {
    fn new(sorts: &[Sort]) -> Builder {
        let (mut program, span) = (Program::new(), Span::default());
        let add = |&sort: &Sort| program.add_variable(sort, None, "int", false, span);
        let variables: Vec<VariableId> = sorts.iter().map(add).collect();
        let mut body = Procedure::new("main", span);
        body.variables.clone_from(&variables);
        let [head, join, error] = [0; 3].map(|_| body.add_place(span));
        Builder { program, body, variables, head, join, error }
    }

    fn terms(&mut self) -> &mut Terms {
        &mut self.program.terms
    }

    fn term(&self, variable: usize) -> TermId {
        self.program.term_of(self.variables[variable])
    }

    fn edge(
        &mut self,
        from: PlaceId,
        to: PlaceId,
        guard: Option<TermId>,
        updates: &[(usize, TermId)],
    ) {
        let updates = updates.iter().map(|&(v, value)| (self.variables[v], value)).collect();
        let step = Step { guard, updates, ..Step::default() };
        let (action, span) = (Action::Step(step), Span::default());
        self.body.add_edge(Edge { from, to, action, span, text: "".into() });
    }

    fn finish(mut self) -> Program {
        let place = PlaceRef { procedure: ProcedureId::new(0), place: self.error };
        let (kind, span) = (PropertyKind::Assertion, Span::default());
        self.program.procedures.push(self.body);
        self.program.properties.push(Property {
            error: place,
            kind,
            text: "".into(),
            span,
            calls: None,
        });
        self.program.check().expect("well formed");
        self.program
    }
}

fn proof(
    program: &Program,
    invariants: &[(PlaceId, TermId)],
    terms: &Terms,
    k: usize,
) -> ProgramProof {
    assert!(terms.len() >= program.terms.len());
    let invariants: BTreeMap<PlaceId, Vec<TermId>> =
        invariants.iter().map(|&(place, term)| (place, vec![term])).collect();
    ProgramProof { properties: vec![0], terms: terms.clone(), invariants, k, positions: vec![] }
}

/// `x := 0; y := 0; while (*) { x := x + 3; y := y + 2 }; assert 2x == 3y`, where the assertion
/// fails if `x mod 3 != 0`, too.
fn steps() -> (Program, PlaceId, [TermId; 2]) {
    let mut b = Builder::new(&[Sort::Int, Sort::Int]);
    let [x, y] = [0, 1].map(|v| b.term(v));
    let t = b.terms();
    let [zero, two, three] = [0, 2, 3].map(|number| t.integer(number));
    let [x_next, y_next] = [(x, three), (y, two)].map(|(v, by)| t.int_binary(IntOp::Add, v, by));
    let [left, right] = [(x, two), (y, three)].map(|(v, by)| t.int_binary(IntOp::Mul, v, by));
    let rest = t.int_binary(IntOp::Mod, x, three);
    let differ = t.binary(BinaryOp::Neq, left, right);
    let odd = t.binary(BinaryOp::Neq, rest, zero);
    let bad = t.binary(BinaryOp::Or, differ, odd);
    let (entry, head, error) = (b.body.entry, b.head, b.error);
    b.edge(entry, head, None, &[(0, zero), (1, zero)]);
    b.edge(head, head, None, &[(0, x_next), (1, y_next)]);
    b.edge(head, error, Some(bad), &[]);
    (b.finish(), head, [x, y])
}

#[test]
fn linear_invariants_are_accepted_and_refuted() {
    let (program, head, [x, y]) = steps();
    let mut terms = program.terms.clone();
    let [two, three] = [2, 3].map(|number| terms.integer(number));
    let [left, right] = [(x, two), (y, three)].map(|(v, by)| terms.int_binary(IntOp::Mul, v, by));
    let equal = terms.binary(BinaryOp::Eq, left, right);
    // 2x = 3y implies that 3 divides x.
    for k in 1..=3 {
        check(&program, &proof(&program, &[(head, equal)], &terms, k)).expect("inductive");
    }
    let limit = terms.integer(30);
    let low = terms.int_binary(IntOp::Le, x, limit);
    let both = terms.binary(BinaryOp::And, equal, low);
    match check(&program, &proof(&program, &[(head, both)], &terms, 1)) {
        Err(ProgramProofError::Refuted { claim: ProgramClaim::Consecution(place), values }) => {
            assert_eq!(place, head);
            // 2x = 3y, x ≤ 30 and x + 3 > 30
            assert_eq!(values[0].1.as_int(), &30.into());
            assert_eq!(values[1].1.as_int(), &20.into());
        }
        other => panic!("{other:?}"),
    }
    let product = terms.int_binary(IntOp::Mul, x, y);
    let positive = terms.int_binary(IntOp::Ge, product, x);
    let not_linear = check(&program, &proof(&program, &[(head, positive)], &terms, 1));
    assert!(matches!(not_linear, Err(ProgramProofError::NotCheckable(_))), "{not_linear:?}");
}

/// Arrays that join: `a[i] := 1` or `a[i] := 2` in a loop over `i`; `assert a[0] > 0`.
#[test]
fn arrays_join() {
    let sort = Sort::Array { index: Scalar::Int, element: Scalar::Int };
    let mut b = Builder::new(&[sort, Sort::Int, Sort::BOOL]);
    let [a, i, c] = [0, 1, 2].map(|v| b.term(v));
    let t = b.terms();
    let [zero, one, two] = [0, 1, 2].map(|number| t.integer(number));
    let all_one = t.add(Term::ConstArray { index: Scalar::Int, value: one }).expect("an array");
    let [first, second] = [one, two].map(|value| t.write(a, i, value));
    let next = t.int_binary(IntOp::Add, i, one);
    let not_c = t.unary(UnaryOp::Not, c);
    let at_zero = t.read(a, zero);
    let [bad, fine] = [IntOp::Le, IntOp::Gt].map(|op| t.int_binary(op, at_zero, zero));
    let (entry, head, join, error) = (b.body.entry, b.head, b.join, b.error);
    b.edge(entry, head, None, &[(0, all_one), (1, zero)]);
    b.edge(head, join, Some(c), &[(0, first), (2, not_c)]);
    b.edge(head, join, Some(not_c), &[(0, second), (2, not_c)]);
    b.edge(join, head, None, &[(1, next)]);
    b.edge(join, error, Some(bad), &[]);
    let program = b.finish();
    let mut terms = program.terms.clone();
    check(&program, &proof(&program, &[(head, fine)], &terms, 1)).expect("inductive");
    check(&program, &proof(&program, &[(head, fine)], &terms, 2)).expect("inductive");
    // At the join the element is not 2 if it came by the first edge.
    let is_two = terms.binary(BinaryOp::Eq, at_zero, two);
    let wrong = check(&program, &proof(&program, &[(head, is_two)], &terms, 1));
    assert!(matches!(wrong, Err(ProgramProofError::Refuted { .. })), "{wrong:?}");
    let none = terms.bool(true);
    let weak = check(&program, &proof(&program, &[(head, none)], &terms, 1));
    assert!(matches!(weak, Err(ProgramProofError::Refuted { .. })), "{weak:?}");
}
