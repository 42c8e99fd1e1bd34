//! Every operator's circuit against the reference semantics: all operands at small widths,
//! random ones at large widths, in several shapes (constants, extensions, the same operand
//! twice), since these take other ways through the construction.

use pedra_model::aig::Node;
use pedra_model::blast::{BlastOptions, Blaster};
use pedra_model::bv::Bv;
use pedra_model::eval::ops;
use pedra_model::lit::Lit;
use pedra_model::term::{BinaryOp, Scalar, Sort, Term, TermId, Terms, UnaryOp};
use pedra_model::value::{ArrayValue, Value};
use pedra_testkit::random::Random;

/// Evaluates terms on the reference and on the circuit, for up to 64 assignments at once, and
/// compares the roots.
fn check(terms: &Terms, roots: &[TermId], assignments: &[Vec<(TermId, Value)>]) {
    let mut blaster = Blaster::new(&BlastOptions::default());
    let mut leaves: Vec<(TermId, Vec<Lit>)> = Vec::new();
    for (symbol, _) in &assignments[0] {
        let lits = blaster.bind_leaves(terms, *symbol).expect("small").to_vec();
        leaves.push((*symbol, lits));
    }
    let lits: Vec<Vec<Lit>> =
        roots.iter().map(|&r| blaster.bits(terms, r).expect("small").to_vec()).collect();
    for chunk in assignments.chunks(64) {
        let mut wires = vec![0u64; blaster.aig().len()];
        for (run, assignment) in chunk.iter().enumerate() {
            for ((symbol, value), (same, lits)) in assignment.iter().zip(&leaves) {
                assert_eq!(symbol, same);
                for (lit, bit) in lits.iter().zip(flat(value)) {
                    wires[lit.var().index()] |= (bit as u64) << run;
                }
            }
        }
        let of = |wires: &[u64], l: Lit| {
            wires[l.var().index()] ^ if l.is_negated() { u64::MAX } else { 0 }
        };
        for var in blaster.aig().vars() {
            if let Node::And(a, b) = blaster.aig().node(var) {
                wires[var.index()] = of(&wires, a) & of(&wires, b);
            }
        }
        for (run, assignment) in chunk.iter().enumerate() {
            let values = reference(terms, assignment);
            for (root, lits) in roots.iter().zip(&lits) {
                let found: Vec<bool> =
                    lits.iter().map(|&l| of(&wires, l) >> run & 1 == 1).collect();
                let expected = flat(&values[root.index()]);
                assert_eq!(found, expected, "{:?} of {assignment:?}", terms.get(*root));
            }
        }
    }
}

/// The values of all terms.
fn reference(terms: &Terms, assignment: &[(TermId, Value)]) -> Vec<Value> {
    let mut values: Vec<Value> = Vec::new();
    for (id, term) in terms.iter() {
        let given = assignment.iter().find(|(symbol, _)| *symbol == id);
        let value = given.map(|(_, v)| v.clone());
        values.push(value.unwrap_or_else(|| {
            ops::apply(term, |t| &values[t.index()]).expect("only symbols have no value")
        }));
    }
    values
}

/// The bits of a value, arrays element by element.
fn flat(value: &Value) -> Vec<bool> {
    match value {
        Value::Bv(bv) => bv.bits().collect(),
        Value::Array(array) => (0..1u64 << array.index_width())
            .flat_map(|at| {
                array.get(&Bv::from_u64(array.index_width(), at)).bits().collect::<Vec<bool>>()
            })
            .collect(),
        _ => panic!("no bits"),
    }
}

/// The binary operators that words of this width have.
fn binary_ops(width: u32) -> impl Iterator<Item = BinaryOp> {
    let only_bits = |op: &BinaryOp| matches!(op, BinaryOp::Iff | BinaryOp::Implies);
    BinaryOp::ALL.iter().copied().filter(move |op| width == 1 || !only_bits(op))
}

#[test]
fn small_widths_are_right_for_all_operands() {
    for width in 1..=4u32 {
        let all = || (0..1u64 << width).map(move |v| Bv::from_u64(width, v));
        let mut terms = Terms::new();
        let a = terms.new_symbol(Sort::Bv(width));
        let b = terms.new_symbol(Sort::Bv(width));
        let constants: Vec<TermId> = all().map(|v| terms.constant(v)).collect();
        let mut roots = Vec::new();
        for &op in UnaryOp::ALL {
            roots.push(terms.unary(op, a));
            roots.extend(constants.iter().map(|&c| terms.unary(op, c)).collect::<Vec<_>>());
        }
        for op in binary_ops(width) {
            roots.push(terms.binary(op, a, b));
            roots.push(terms.binary(op, a, a));
            let complement = terms.unary(UnaryOp::Not, a);
            roots.push(terms.binary(op, a, complement));
            for &c in &constants {
                roots.push(terms.binary(op, a, c));
                roots.push(terms.binary(op, c, a));
                roots.push(terms.binary(op, constants[0], c));
            }
        }
        for high in 0..width {
            for low in 0..=high {
                roots.push(terms.add(Term::Slice { arg: a, high, low }).expect("in range"));
            }
        }
        for (by, signed) in [(0, false), (0, true), (1, false), (1, true), (3, true)] {
            roots.push(terms.add(Term::Extend { arg: a, by, signed }).expect("in range"));
        }
        let low = terms.slice(b, 0, 0);
        roots.push(terms.ite(low, a, b));
        let pairs = all().flat_map(|x| all().map(move |y| (x.clone(), y)));
        let assignments: Vec<Vec<(TermId, Value)>> =
            pairs.map(|(x, y)| vec![(a, Value::Bv(x)), (b, Value::Bv(y))]).collect();
        check(&terms, &roots, &assignments);
    }
}

/// A random value, often a special one.
fn random_bv(random: &mut Random, width: u32) -> Bv {
    let limbs = (0..width.div_ceil(64)).map(|_| random.word()).collect();
    let value = Bv::from_limbs(width, limbs);
    let cut = Bv::from_u64(width, random.below(width as usize) as u64);
    match random.below(9) {
        0 => Bv::from_u64(width, random.below(4) as u64),
        1 => Bv::from_i64(width, -(random.below(4) as i64)),
        2 => Bv::one(width).sll(&cut),
        3 => Bv::ones(width).sll(&cut),
        4 => value.srl(&cut),
        5 => value.sra(&cut),
        6 => Bv::from_u64(width, random.below(2 * width as usize) as u64),
        _ => value,
    }
}

#[test]
fn large_widths_are_right_for_random_operands() {
    let mut random = Random::new(7);
    for width in [5, 6, 7, 8, 13, 16, 31, 33, 64, 65, 100, 130u32] {
        let mut terms = Terms::new();
        let a = terms.new_symbol(Sort::Bv(width));
        let b = terms.new_symbol(Sort::Bv(width));
        let short = terms.new_symbol(Sort::Bv(width / 2));
        let by = width - width / 2;
        let zero = terms.add(Term::Extend { arg: short, by, signed: false }).expect("fits");
        let sign = terms.add(Term::Extend { arg: short, by, signed: true }).expect("fits");
        let mut roots: Vec<TermId> = UnaryOp::ALL.iter().map(|&op| terms.unary(op, a)).collect();
        for op in binary_ops(width) {
            let (c, d) = (random_bv(&mut random, width), random_bv(&mut random, width));
            let (c, d) = (terms.constant(c), terms.constant(d));
            let few = terms.constant(Bv::from_u64(width, 1 + random.below(40) as u64));
            for (x, y) in [(a, b), (a, c), (d, a), (a, few), (zero, a), (sign, zero), (a, sign)] {
                roots.push(terms.binary(op, x, y));
            }
        }
        let value = |random: &mut Random, w: u32| Value::Bv(random_bv(random, w));
        let assignments: Vec<Vec<(TermId, Value)>> = (0..64)
            .map(|_| {
                vec![
                    (a, value(&mut random, width)),
                    (b, value(&mut random, width)),
                    (short, value(&mut random, width / 2)),
                ]
            })
            .collect();
        check(&terms, &roots, &assignments);
    }
}

#[test]
fn arrays_are_right_for_random_terms() {
    let mut random = Random::new(11);
    for round in 0..150 {
        let (index, element) = (random.between(1, 3) as u32, random.between(1, 5) as u32);
        let sort = Sort::bv_array(index, element);
        let mut terms = Terms::new();
        let symbols: Vec<TermId> = [sort, sort, Sort::Bv(index), Sort::Bv(element), Sort::BOOL]
            .into_iter()
            .map(|sort| terms.new_symbol(sort))
            .collect();
        let (mut arrays, mut bits) = (symbols[..2].to_vec(), vec![symbols[4]]);
        let (mut indices, mut elements) = (vec![symbols[2]], vec![symbols[3]]);
        indices.push(terms.constant(Bv::from_u64(index, random.word())));
        elements.push(terms.constant(Bv::from_u64(element, random.word())));
        for _ in 0..12 + round % 10 {
            let (array, other) = (random.pick(&arrays), random.pick(&arrays));
            let (at, value) = (random.pick(&indices), random.pick(&elements));
            match random.below(7) {
                0 => elements.push(terms.read(array, at)),
                1 | 2 => arrays.push(terms.write(array, at, value)),
                3 => arrays.push(terms.ite(random.pick(&bits), array, other)),
                4 => bits.push(terms.binary(BinaryOp::Eq, array, other)),
                5 => bits.push(terms.binary(BinaryOp::Neq, array, other)),
                _ => {
                    indices.push(terms.unary(UnaryOp::Inc, at));
                    let constant = Term::ConstArray { index: Scalar::Bv(index), value };
                    arrays.push(terms.add(constant).expect("well-sorted"));
                }
            }
        }
        let assignments: Vec<Vec<(TermId, Value)>> = (0..64)
            .map(|_| {
                let given = |&s: &TermId| (s, random_value(&mut random, terms.sort(s)));
                symbols.iter().map(given).collect()
            })
            .collect();
        let roots: Vec<TermId> = [arrays, bits, indices, elements].into_iter().flatten().collect();
        check(&terms, &roots, &assignments);
    }
}

fn random_value(random: &mut Random, sort: Sort) -> Value {
    match sort {
        Sort::Bv(width) => Value::Bv(Bv::from_u64(width, random.word())),
        Sort::Array { index: Scalar::Bv(index), element: Scalar::Bv(element) } => {
            let mut array = ArrayValue::new(index, Bv::zero(element));
            for at in 0..1 << index {
                // Often equal to another one, so that comparisons go both ways.
                let value = random.word() & random.pick(&[0, u64::MAX]);
                array.set(Bv::from_u64(index, at), Bv::from_u64(element, value));
            }
            Value::Array(array)
        }
        _ => panic!("no bits"),
    }
}

/// Sizes of circuits at 32 bits: a change for the worse should be seen.
#[test]
fn circuits_are_small() {
    let width = 32;
    for (op, constant, limit) in [
        (BinaryOp::Add, None, 7 * 32),
        (BinaryOp::Sub, None, 7 * 32),
        (BinaryOp::Add, Some(0x1234_5678), 3 * 32),
        (BinaryOp::Ult, None, 4 * 32),
        (BinaryOp::Slt, None, 4 * 32),
        (BinaryOp::Eq, None, 4 * 32),
        (BinaryOp::Sll, None, 3 * 32 * 6),
        (BinaryOp::Rol, None, 3 * 32 * 5),
        (BinaryOp::Mul, None, 4 * 32 * 32),
        (BinaryOp::Mul, Some(255), 10 * 32),
        (BinaryOp::Udiv, None, 11 * 32 * 33 / 2),
        (BinaryOp::Urem, Some(64), 0),
        (BinaryOp::Umulo, None, 9 * 32 * 33 / 2),
    ] {
        let mut terms = Terms::new();
        let a = terms.new_symbol(Sort::Bv(width));
        let b = match constant {
            Some(value) => terms.constant(Bv::from_u64(width, value)),
            None => terms.new_symbol(Sort::Bv(width)),
        };
        let root = terms.binary(op, a, b);
        let mut blaster = Blaster::new(&BlastOptions::default());
        for symbol in [a, b].into_iter().filter(|&t| terms.symbol_of(t).is_some()) {
            blaster.bind_leaves(&terms, symbol).expect("small");
        }
        let roots = blaster.bits(&terms, root).expect("small").to_vec();
        let aig = blaster.aig();
        let cone = aig.cone(roots);
        let gates = aig.gates().filter(|(var, ..)| cone[var.index()]).count();
        assert!(gates <= limit, "{} has {gates} gates, not at most {limit}", op.name());
    }
}
