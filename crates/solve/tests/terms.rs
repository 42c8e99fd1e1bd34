//! Questions about terms: random sessions against enumeration by the model's evaluation, and what
//! is refused.

use pedra_model::blast::BlastOptions;
use pedra_model::eval::ops;
use pedra_model::lit::Lit;
use pedra_model::term::{BinaryOp, IntOp, Scalar, Sort, Term, TermId, Terms, UnaryOp};
use pedra_model::value::Value;
use pedra_solve::{SatResult, TermError, TermSolver, Theory, theory_of};
use pedra_testkit::random::{Random, runs};

/// Integers and elements are in `-1..=1`, indices in `0..3` (or bits).
struct Problem {
    terms: Terms,
    ints: [TermId; 2],
    bit: TermId,
    array: TermId,
    /// What confines the symbols to the points that are enumerated.
    bounds: Vec<TermId>,
    points: Vec<[Value; 4]>,
}

impl Problem {
    fn new(random: &mut Random) -> Problem {
        let mut terms = Terms::new();
        let ints = [0; 2].map(|_| terms.new_symbol(Sort::Int));
        let bit = terms.new_symbol(Sort::BOOL);
        let index = random.pick(&[Scalar::Int, Scalar::Int, Scalar::Bv(1)]);
        let element = random.pick(&[Scalar::Int, Scalar::Int, Scalar::Bv(1)]);
        let array = terms.new_symbol(Sort::Array { index, element });
        let mut indices = Vec::new();
        for at in 0..if index == Scalar::Int { 3 } else { 2 } {
            indices.push(match index {
                Scalar::Int => terms.integer(at),
                Scalar::Bv(_) => terms.bool(at == 1),
            });
        }
        let mut bounds = Vec::new();
        let elements: Vec<TermId> = indices.iter().map(|&at| terms.read(array, at)).collect();
        let (low, high) = (terms.integer(-1), terms.integer(1));
        for &number in ints.iter().chain(elements.iter().filter(|_| element == Scalar::Int)) {
            bounds.push(terms.int_binary(IntOp::Le, low, number));
            bounds.push(terms.int_binary(IntOp::Ge, high, number));
        }
        let arrays = arrays(&terms, array, &indices);
        let mut points = Vec::new();
        for array in &arrays {
            for (x, y) in (-1..=1).flat_map(|x| (-1..=1).map(move |y| (x, y))) {
                let [x, y] = [x, y].map(|number: i32| Value::Int(number.into()));
                for bit in [false, true].map(|bit| Value::Bv(pedra_model::bv::Bv::bit_value(bit))) {
                    points.push([x.clone(), y.clone(), bit, array.clone()]);
                }
            }
        }
        Problem { terms, ints, bit, array, bounds, points }
    }

    fn number(&mut self, random: &mut Random, depth: usize) -> TermId {
        if depth == 0 || random.one_in(4) {
            return match random.below(3) {
                0 => self.terms.integer(random.below(7) as i64 - 3),
                _ => random.pick(&self.ints),
            };
        }
        let a = self.number(random, depth - 1);
        match random.below(8) {
            0 => self.terms.add(Term::IntNeg(a)).expect("an integer"),
            1 | 2 => {
                let b = self.number(random, depth - 1);
                self.terms.int_binary(random.pick(&[IntOp::Add, IntOp::Sub]), a, b)
            }
            3 => {
                let by = self.terms.integer(random.pick(&[-3, -2, 0, 2, 3]));
                self.terms.int_binary(random.pick(&[IntOp::Div, IntOp::Mod, IntOp::Mul]), a, by)
            }
            4 => {
                let (c, b) = (self.truth(random, depth - 1), self.number(random, depth - 1));
                self.terms.ite(c, a, b)
            }
            _ if self.terms.sort(self.array).element() == Some(Sort::Int) => {
                self.element(random, depth - 1)
            }
            _ => a,
        }
    }

    fn truth(&mut self, random: &mut Random, depth: usize) -> TermId {
        if depth == 0 || random.one_in(6) {
            return match random.below(4) {
                0 => self.terms.bool(random.coin()),
                _ => self.bit,
            };
        }
        match random.below(7) {
            0..=2 => {
                let (a, b) = (self.number(random, depth - 1), self.number(random, depth - 1));
                match random.below(3) {
                    0 => self.terms.binary(random.pick(&[BinaryOp::Eq, BinaryOp::Neq]), a, b),
                    _ => {
                        let ops = [IntOp::Le, IntOp::Lt, IntOp::Ge, IntOp::Gt];
                        self.terms.int_binary(random.pick(&ops), a, b)
                    }
                }
            }
            3 | 4 => {
                let (a, b) = (self.truth(random, depth - 1), self.truth(random, depth - 1));
                let op = random.pick(BinaryOp::ALL);
                let op = if op == BinaryOp::Concat { BinaryOp::Or } else { op };
                self.terms.binary(op, a, b)
            }
            5 if random.coin() => {
                let (a, b) = (self.written(random, depth - 1), self.written(random, depth - 1));
                self.terms.binary(random.pick(&[BinaryOp::Eq, BinaryOp::Neq]), a, b)
            }
            5 => {
                let (a, b) = (self.truth(random, depth - 1), self.truth(random, depth - 1));
                let (a, c) = (self.terms.unary(random.pick(UnaryOp::ALL), a), self.bit);
                self.terms.ite(c, a, b)
            }
            _ if self.terms.sort(self.array).element() == Some(Sort::BOOL) => {
                self.element(random, depth - 1)
            }
            _ => self.bit,
        }
    }

    fn element(&mut self, random: &mut Random, depth: usize) -> TermId {
        let array = self.written(random, depth);
        let at = self.index(random, depth);
        self.terms.read(array, at)
    }

    /// An index that is enumerated.
    fn index(&mut self, random: &mut Random, depth: usize) -> TermId {
        let Sort::Array { index: Scalar::Int, .. } = self.terms.sort(self.array) else {
            return self.truth(random, depth);
        };
        let a = if random.coin() { self.number(random, depth) } else { self.ints[0] };
        if random.coin() {
            let three = self.terms.integer(3);
            return self.terms.int_binary(IntOp::Mod, a, three);
        }
        let (one, two) = (self.terms.integer(1), self.terms.integer(2));
        let next = self.terms.int_binary(IntOp::Add, random.pick(&self.ints), one);
        let c = self.truth(random, depth);
        if random.coin() { self.terms.ite(c, next, two) } else { next }
    }

    fn written(&mut self, random: &mut Random, depth: usize) -> TermId {
        if depth == 0 || random.one_in(3) {
            return self.array;
        }
        let array = self.written(random, depth - 1);
        let element = self.terms.sort(array).element().expect("an array");
        let value = match element {
            Sort::Int => self.number(random, depth - 1),
            _ => self.truth(random, depth - 1),
        };
        match random.below(4) {
            0 => {
                let Sort::Array { index, .. } = self.terms.sort(array) else { unreachable!() };
                self.terms.add(Term::ConstArray { index, value }).expect("an array")
            }
            1 => {
                let (c, other) = (self.truth(random, depth - 1), self.written(random, depth - 1));
                self.terms.ite(c, array, other)
            }
            _ => {
                let at = self.index(random, depth - 1);
                self.terms.write(array, at, value)
            }
        }
    }

    /// Whether each of the terms holds at a point.
    fn hold(&self, point: &[Value; 4], asked: &[TermId]) -> bool {
        let mut values: Vec<Value> = Vec::with_capacity(self.terms.len());
        let symbols = [self.ints[0], self.ints[1], self.bit, self.array];
        for (id, term) in self.terms.iter() {
            let value = ops::apply(term, |arg| &values[arg.index()]).unwrap_or_else(|| {
                let place = symbols.iter().position(|&symbol| symbol == id).expect("a symbol");
                point[place].clone()
            });
            values.push(value);
        }
        asked.iter().all(|term| values[term.index()].as_bv().is_true())
    }
}

/// All arrays with elements of `-1..=1` (or bits) at these indices, 0 elsewhere.
fn arrays(terms: &Terms, array: TermId, indices: &[TermId]) -> Vec<Value> {
    let sort = terms.sort(array);
    let elements: Vec<Value> = match sort.element() {
        Some(Sort::Int) => (-1..=1).map(|number: i32| Value::Int(number.into())).collect(),
        _ => [false, true].map(|bit| Value::Bv(pedra_model::bv::Bv::bit_value(bit))).to_vec(),
    };
    let mut all = vec![Value::zero(sort)];
    for &at in indices {
        let at = ops::apply(terms.get(at), |_| unreachable!("a constant")).expect("no symbol");
        let write = |array: &Value| elements.iter().map(|e| array.write(&at, e)).collect();
        all = all.iter().flat_map(|array| -> Vec<Value> { write(array) }).collect();
    }
    all
}

#[test]
fn random_integer_terms_against_enumeration() {
    let (mut sat, mut unsat, mut unknown) = (0, 0, 0);
    for seed in 0..runs(150) {
        let random = &mut Random::new(seed);
        let mut problem = Problem::new(random);
        let mut solver = TermSolver::new(Theory::Integers, &BlastOptions::default());
        for _ in 0..6 {
            let mut asked: Vec<TermId> =
                (0..random.between(1, 3)).map(|_| problem.truth(random, 3)).collect();
            let roots = asked.iter().chain(&problem.bounds).copied();
            assert_eq!(theory_of(&problem.terms, roots), Ok(Theory::Integers));
            let terms = &problem.terms;
            let is_bounded = !random.one_in(4);
            asked.extend(problem.bounds.iter().filter(|_| is_bounded));
            let lits: Vec<Lit> =
                asked.iter().map(|&term| solver.lit(terms, term).expect("linear")).collect();
            // The last ones as clauses for this question, or under a guard.
            let split = lits.len() - random.below(2);
            let clauses: Vec<&[Lit]> = lits[split..].iter().map(std::slice::from_ref).collect();
            match solver.solve(&lits[..split], &clauses) {
                SatResult::Sat => {
                    sat += 1;
                    for &term in &asked {
                        let holds = solver.value(terms, term).as_bv().is_true();
                        assert!(holds, "seed {seed}: term {} in the model", term.index());
                    }
                }
                SatResult::Unsat => {
                    unsat += 1;
                    let core: Vec<TermId> = (asked.iter().zip(&lits).enumerate())
                        .filter(|&(place, (_, &lit))| place >= split || solver.is_failed(lit))
                        .map(|(_, (&term, _))| term)
                        .collect();
                    let holds = problem.points.iter().any(|point| problem.hold(point, &core));
                    assert!(!holds, "seed {seed}: the core has a model");
                }
                // Without bounds the search for an integer solution may be given up.
                SatResult::Unknown => unknown += 1,
            }
        }
    }
    assert!(sat > 100 && unsat > 100, "{sat} satisfiable, {unsat} not");
    assert!(unknown * 200 < sat, "{unknown} unknown");
}

#[test]
fn words_and_arrays_of_words() {
    let mut terms = Terms::new();
    let array = terms.new_symbol(Sort::bv_array(3, 8));
    let at = terms.new_symbol(Sort::Bv(3));
    let element = terms.read(array, at);
    let value = terms.constant(pedra_model::bv::Bv::from_u64(8, 77));
    let equal = terms.binary(BinaryOp::Eq, element, value);
    assert_eq!(theory_of(&terms, [equal]), Ok(Theory::Bits));
    let mut solver = TermSolver::new(Theory::Bits, &BlastOptions::default());
    let lit = solver.lit(&terms, equal).expect("small");
    let guard = solver.new_lit();
    solver.assert_if(guard, &[!lit]);
    assert_eq!(solver.solve(&[guard, lit], &[]), SatResult::Unsat);
    assert!(solver.is_failed(guard) && solver.is_failed(lit));
    solver.retract(guard);
    assert_eq!(solver.solve(&[lit], &[]), SatResult::Sat);
    assert!(solver.value(&terms, equal).as_bv().is_true());
    // A symbol that came later has a value, too.
    let late = terms.new_symbol(Sort::bv_array(3, 8));
    assert_eq!(solver.value(&terms, late), Value::zero(Sort::bv_array(3, 8)));
}

#[test]
fn what_is_refused_says_why() {
    let mut terms = Terms::new();
    let (x, y) = (terms.new_symbol(Sort::Int), terms.new_symbol(Sort::Int));
    let zero = terms.integer(0);
    let word = terms.new_symbol(Sort::Bv(8));
    let mut solver = TermSolver::new(Theory::Integers, &BlastOptions::default());
    let product = terms.int_binary(IntOp::Mul, x, y);
    let quotient = terms.int_binary(IntOp::Div, x, y);
    for (term, error) in [(product, TermError::NonLinear), (quotient, TermError::Division)] {
        let positive = terms.int_binary(IntOp::Gt, term, zero);
        assert_eq!(solver.lit(&terms, positive), Err(error));
    }
    let bit = terms.slice(word, 3, 3);
    let positive = terms.int_binary(IntOp::Gt, x, zero);
    let both = terms.binary(BinaryOp::And, positive, bit);
    assert_eq!(theory_of(&terms, [both]), Err(TermError::Mixed { width: 8 }));
    assert_eq!(solver.lit(&terms, both), Err(TermError::Mixed { width: 8 }));
    // After a refusal the solver goes on.
    let lit = solver.lit(&terms, positive).expect("linear");
    assert_eq!(solver.solve(&[lit], &[]), SatResult::Sat);
    assert!(solver.value(&terms, x).as_int() > &0.into());
}
