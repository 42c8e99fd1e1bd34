//! Integers: their values, their sorts, and who refuses them.

use num_bigint::BigInt;
use pedra_model::blast::{BlastError, BlastOptions, Blaster, blast};
use pedra_model::bv::Bv;
use pedra_model::eval::interval::IntervalSim;
use pedra_model::eval::minimise::minimise_words;
use pedra_model::eval::ops;
use pedra_model::eval::words::WordSimulator;
use pedra_model::system::{Input, NamedTerm, State, System};
use pedra_model::term::{BinaryOp, IntOp, Scalar, Sort, Term, TermId, Terms, UnaryOp};
use pedra_model::trace::WordTrace;
use pedra_model::value::{TernaryValue, Value};

/// Quotients and remainders of SMT-LIB, with the values chosen for division by zero.
#[test]
fn division_is_euclidean() {
    for a in -7..=7i64 {
        for b in -4..=4i64 {
            let (big_a, big_b) = (BigInt::from(a), BigInt::from(b));
            let [q, r] = [IntOp::Div, IntOp::Mod].map(|op| ops::int(op, &big_a, &big_b));
            let (q, r) = (q.as_int(), r.as_int());
            match b {
                0 => assert_eq!((q, r), (&BigInt::ZERO, &big_a)),
                _ => {
                    assert_eq!(*q, BigInt::from(a.div_euclid(b)), "{a} div {b}");
                    assert_eq!(*r, BigInt::from(a.rem_euclid(b)), "{a} mod {b}");
                }
            }
            assert_eq!(&big_b * q + r, big_a, "{a} = {b} q + r");
        }
    }
}

/// Values of a few terms under one valuation.
struct Fixture {
    terms: Terms,
    values: Vec<Value>,
}

impl Fixture {
    fn new() -> Fixture {
        Fixture { terms: Terms::new(), values: Vec::new() }
    }

    fn symbol(&mut self, value: Value) -> TermId {
        let term = self.terms.new_symbol(value.sort());
        self.evaluate();
        self.values[term.index()] = value;
        term
    }

    fn add(&mut self, term: Term) -> TermId {
        let id = self.terms.add(term).expect("well sorted");
        self.evaluate();
        id
    }

    fn evaluate(&mut self) {
        for (id, term) in self.terms.iter().skip(self.values.len()) {
            let value = ops::apply(term, |arg| &self.values[arg.index()]);
            let value = value.unwrap_or_else(|| Value::zero(self.terms.sort(id)));
            assert_eq!(value.sort(), self.terms.sort(id));
            self.values.push(value);
        }
    }

    fn of(&self, term: TermId) -> &Value {
        &self.values[term.index()]
    }
}

#[test]
fn integers_have_no_bounds() {
    let mut f = Fixture::new();
    let x = f.symbol(Value::Int(BigInt::from(u64::MAX)));
    let square = f.add(Term::Int(IntOp::Mul, x, x));
    let minus = f.add(Term::IntNeg(square));
    let sum = f.add(Term::Int(IntOp::Add, square, minus));
    let is_less = f.add(Term::Int(IntOp::Lt, minus, sum));
    let chosen = f.add(Term::Ite(is_less, square, x));
    let same = f.add(Term::Binary(BinaryOp::Eq, chosen, x));
    assert_eq!(f.of(square).as_int(), &(BigInt::from(u64::MAX) * u64::MAX));
    assert_eq!(f.of(sum).as_int(), &BigInt::ZERO);
    assert!(f.of(is_less).as_bv().is_true() && !f.of(same).as_bv().is_true());
    assert_eq!(f.terms.integer(7), f.terms.integer(7));
}

#[test]
fn arrays_have_integers_as_index_and_element() {
    let mut f = Fixture::new();
    let (minus_one, five) = (BigInt::from(-1), BigInt::from(5));
    let at = f.symbol(Value::Int(minus_one));
    let number = f.symbol(Value::Int(five.clone()));
    let byte = f.symbol(Value::Bv(Bv::from_u64(8, 7)));
    for (index, element, at) in [
        (Scalar::Int, number, at),
        (Scalar::Int, byte, at),
        (Scalar::Bv(8), number, byte),
        (Scalar::Bv(8), byte, byte),
    ] {
        let element_sort = f.terms.sort(element);
        let zero = f.symbol(Value::zero(element_sort));
        let zeros = f.add(Term::ConstArray { index, value: zero });
        let written = f.add(Term::Write(zeros, at, element));
        let read = f.add(Term::Read(written, at));
        let back = f.add(Term::Write(written, at, zero));
        assert_eq!(f.of(read), f.of(element));
        assert_ne!(f.of(written), f.of(zeros));
        assert_eq!(f.of(back), f.of(zeros));
        assert_eq!(f.of(zeros), &Value::zero(f.terms.sort(zeros)));
    }
}

#[test]
fn sorts_are_checked() {
    let mut terms = Terms::new();
    let x = terms.new_symbol(Sort::Int);
    let byte = terms.new_symbol(Sort::Bv(8));
    let array = terms.new_symbol(Sort::Array { index: Scalar::Int, element: Scalar::Bv(8) });
    let wrong = [
        Term::Int(IntOp::Add, x, byte),
        Term::Int(IntOp::Le, array, x),
        Term::IntNeg(byte),
        Term::Unary(UnaryOp::Neg, x),
        Term::Binary(BinaryOp::Add, x, x),
        Term::Binary(BinaryOp::Eq, x, byte),
        Term::Ite(x, x, x),
        Term::Slice { arg: x, high: 0, low: 0 },
        Term::Read(array, byte),
        Term::Write(array, x, x),
        Term::ConstArray { index: Scalar::Int, value: array },
    ];
    for term in wrong {
        assert!(terms.add(term.clone()).is_err(), "{term:?}");
    }
    assert_eq!(terms.add(Term::Read(array, x)).map(|t| terms.sort(t)), Ok(Sort::Bv(8)));
}

/// A system with an integer state, an integer array and an integer input; its one bad is a
/// comparison of the two, and a byte is read from the array.
fn system() -> System {
    let mut system = System::new();
    let terms = &mut system.terms;
    let (x, input) = (terms.new_symbol(Sort::Int), terms.new_symbol(Sort::Int));
    let memory = terms.new_symbol(Sort::Array { index: Scalar::Int, element: Scalar::Bv(8) });
    let one = terms.integer(1);
    let next = terms.int_binary(IntOp::Add, x, one);
    let is_above = terms.int_binary(IntOp::Gt, x, input);
    let byte = terms.read(memory, x);
    let zero = terms.constant(Bv::zero(8));
    let written = terms.write(memory, x, zero);
    let is_zero = terms.binary(BinaryOp::Eq, byte, zero);
    let is_same = terms.binary(BinaryOp::Eq, memory, written);
    let both = terms.binary(BinaryOp::And, is_above, is_zero);
    let bad = terms.binary(BinaryOp::Or, both, is_same);
    system.inputs.push(Input { term: input, name: None });
    system.states.push(State { term: x, name: None, init: Some(one), next: Some(next) });
    system.states.push(State { term: memory, name: None, init: None, next: Some(written) });
    system.bads.push(NamedTerm { term: bad, name: None });
    system
}

#[test]
fn what_has_no_bits_is_not_blasted() {
    let system = system();
    let options = BlastOptions::default();
    assert!(matches!(blast(&system, &options), Err(BlastError::Integers { .. })));
    let mut blaster = Blaster::new(&options);
    let (input, bad) = (system.inputs[0].term, system.bads[0].term);
    assert!(matches!(blaster.bind_leaves(&system.terms, input), Err(BlastError::Integers { .. })));
    assert!(blaster.bit(&system.terms, bad).is_err());
    // A comparison of constants has no symbol that would be refused.
    let mut terms = Terms::new();
    let one = terms.integer(1);
    let holds = terms.int_binary(IntOp::Le, one, one);
    assert!(matches!(blaster.bit(&terms, holds), Err(BlastError::Integers { .. })));
}

#[test]
fn simulation_knows_nothing_of_integers() {
    let system = system();
    let bad = system.bads[0].term;
    let mut simulator = WordSimulator::new(&system).expect("no circle");
    let five = TernaryValue::from(Value::Int(BigInt::from(5)));
    simulator.start(&[], std::slice::from_ref(&five)).expect("no conflict");
    assert_eq!(simulator.value(bad), &TernaryValue::unknown(Sort::BOOL));
    simulator.step(&[], &[]).expect("no conflict");
    assert_eq!(simulator.value(bad), &TernaryValue::unknown(Sort::BOOL));
    assert_eq!(simulator.states()[0], TernaryValue::Opaque(Sort::Int));

    let mut intervals = IntervalSim::new(&system.terms, [bad]);
    assert_eq!(intervals.value(bad).as_point(), None);
    intervals.set(system.inputs[0].term, Value::Int(BigInt::from(5)));
    assert_eq!(intervals.value(bad).as_point(), None);

    // Nothing is left out of what has no bits.
    let trace = WordTrace {
        property: 0,
        states: vec![vec![None, None]],
        inputs: vec![vec![five]],
        loop_start: None,
    };
    minimise_words(&system, &trace);
}
