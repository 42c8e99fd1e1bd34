//! Random word-level systems of small widths: every operator, arrays, odd inits, states without
//! next, constraints and dead ends; and their explicit form, by the reference semantics of the
//! operators.

use crate::oracle::Explicit;
use crate::random::Random;
use pedra_model::bv::Bv;
use pedra_model::eval::ops;
use pedra_model::system::{Input, NamedTerm, State, System};
use pedra_model::term::{BinaryOp, Scalar, Sort, Term, TermId, UnaryOp};
use pedra_model::value::{ArrayValue, Value};

/// How large random systems may become.
#[derive(Copy, Clone, Debug)]
pub struct WordShape {
    /// The most state bits, array elements included.
    pub state_bits: u32,
    /// The most input bits.
    pub input_bits: u32,
    /// The most operators.
    pub terms: usize,
    /// The sorts of arrays.
    pub arrays: &'static [Sort],
    /// One state in this many is an array.
    pub array_rate: usize,
}

impl Default for WordShape {
    fn default() -> WordShape {
        // The last one does not fit systems for the oracle.
        const ARRAYS: &[Sort] = &[Sort::bv_array(1, 1), Sort::bv_array(1, 2), Sort::bv_array(3, 3)];
        WordShape { state_bits: 6, input_bits: 3, terms: 14, arrays: ARRAYS, array_rate: 5 }
    }
}

/// A random system with an array, of up to eight cells.
pub fn random_arrays(random: &mut Random) -> System {
    const ARRAYS: &[Sort] =
        &[Sort::bv_array(1, 1), Sort::bv_array(2, 1), Sort::bv_array(1, 2), Sort::bv_array(3, 1)];
    let shape =
        WordShape { state_bits: 9, input_bits: 3, terms: 16, arrays: ARRAYS, array_rate: 2 };
    loop {
        let system = random_words(random, shape);
        if system.has_arrays() {
            return system;
        }
    }
}

pub(crate) const NO_INTEGERS: &str = "the oracle's systems have no integers";

/// The number of bits of a value of this sort.
fn bits_of(sort: Sort) -> u32 {
    match sort {
        Sort::Bv(width) => width,
        Sort::Array { index: Scalar::Bv(index), element: Scalar::Bv(element) } => element << index,
        Sort::Int | Sort::Array { .. } => unreachable!("{NO_INTEGERS}"),
    }
}

/// A random system.
pub fn random_words(random: &mut Random, shape: WordShape) -> System {
    let mut system = System::new();
    let mut pool: Vec<TermId> = Vec::new();
    for (is_state, bits) in [(false, shape.input_bits), (true, shape.state_bits)] {
        let mut left = bits;
        while left > 0 && !random.one_in(5) {
            let sort = if is_state && left >= 2 && random.one_in(shape.array_rate) {
                random.pick(shape.arrays)
            } else {
                Sort::Bv(random.between(1, left.min(4) as usize) as u32)
            };
            if bits_of(sort) > left {
                continue;
            }
            left -= bits_of(sort);
            let term = system.terms.new_symbol(sort);
            pool.push(term);
            if is_state {
                system.states.push(State { term, name: None, init: None, next: None });
            } else {
                system.inputs.push(Input { term, name: None });
            }
        }
    }
    for value in [Bv::zero(2), Bv::ones(3), Bv::one(1)] {
        pool.push(system.terms.constant(value));
    }
    for _ in 0..random.between(2, shape.terms) {
        let term = random_term(random, &mut system, &pool);
        pool.push(term);
    }
    add_inits(random, &mut system, &pool);
    for i in 0..system.states.len() {
        if !random.one_in(10) {
            let sort = system.terms.sort(system.states[i].term);
            system.states[i].next = Some(of_sort(random, &mut system, &pool, sort));
        }
    }
    for _ in 0..random.pick(&[0, 0, 0, 1, 1, 2]) {
        let (a, b) = (bit(random, &mut system, &pool), bit(random, &mut system, &pool));
        let term = if random.one_in(4) { a } else { system.terms.binary(BinaryOp::Or, a, b) };
        system.constraints.push(NamedTerm { term, name: None });
    }
    for _ in 0..random.pick(&[1, 1, 1, 2]) {
        let mut term = bit(random, &mut system, &pool);
        for _ in 0..random.below(4) {
            let other = bit(random, &mut system, &pool);
            term = system.terms.binary(BinaryOp::And, term, other);
        }
        system.bads.push(NamedTerm { term, name: None });
    }
    system
}

/// Init terms: constants, other terms, or none; what would close a circle is dropped.
fn add_inits(random: &mut Random, system: &mut System, pool: &[TermId]) {
    for i in 0..system.states.len() {
        let sort = system.terms.sort(system.states[i].term);
        let init = match (random.below(8), sort) {
            (0, _) => None,
            (1 | 2, _) => Some(of_sort(random, system, pool, sort)),
            (_, Sort::Bv(width)) => {
                let value = if random.one_in(2) { 0 } else { random.word() };
                Some(system.terms.constant(Bv::from_u64(width, value)))
            }
            (_, Sort::Array { index, element: Scalar::Bv(element) }) => {
                let value = system.terms.constant(Bv::from_u64(element, random.word()));
                Some(system.terms.add(Term::ConstArray { index, value }).expect("well-sorted"))
            }
            (_, Sort::Int | Sort::Array { .. }) => unreachable!("{NO_INTEGERS}"),
        };
        system.states[i].init = init;
        // A constant array inside of a larger term has no BTOR2 form; the pool has none.
        if system.init_order().is_err() {
            system.states[i].init = None;
        }
    }
}

fn bit(random: &mut Random, system: &mut System, pool: &[TermId]) -> TermId {
    of_sort(random, system, pool, Sort::BOOL)
}

/// A term of the pool made to fit a sort by slicing or extending.
fn of_sort(random: &mut Random, system: &mut System, pool: &[TermId], sort: Sort) -> TermId {
    let width = match sort {
        Sort::Bv(width) => width,
        array => {
            let fitting = pool.iter().copied().filter(|&t| system.terms.sort(t) == array);
            let fitting: Vec<TermId> = fitting.collect();
            return random.pick(&fitting);
        }
    };
    loop {
        // Later terms twice as likely.
        let arg = pool[random.below(pool.len()).max(random.below(pool.len()))];
        let Sort::Bv(found) = system.terms.sort(arg) else { continue };
        let term = match found.cmp(&width) {
            std::cmp::Ordering::Equal => return arg,
            std::cmp::Ordering::Less => {
                Term::Extend { arg, by: width - found, signed: random.one_in(2) }
            }
            std::cmp::Ordering::Greater => {
                let low = random.below((found - width + 1) as usize) as u32;
                Term::Slice { arg, high: low + width - 1, low }
            }
        };
        return system.terms.add(term).expect("fits by construction");
    }
}

fn random_term(random: &mut Random, system: &mut System, pool: &[TermId]) -> TermId {
    let width = random.between(1, 4) as u32;
    let arrays: Vec<TermId> =
        pool.iter().copied().filter(|&t| system.terms.sort(t).is_array()).collect();
    let term = match random.below(12) {
        0 => {
            let arg = of_sort(random, system, pool, Sort::Bv(width));
            Term::Unary(random.pick(UnaryOp::ALL), arg)
        }
        1 => {
            let arg = of_sort(random, system, pool, Sort::Bv(width));
            Term::Extend { arg, by: random.below(3) as u32, signed: random.one_in(2) }
        }
        2 => {
            let sort = if arrays.is_empty() || random.one_in(2) {
                Sort::Bv(width)
            } else {
                system.terms.sort(random.pick(&arrays))
            };
            let c = bit(random, system, pool);
            let t = of_sort(random, system, pool, sort);
            Term::Ite(c, t, of_sort(random, system, pool, sort))
        }
        3..=5 if !arrays.is_empty() => {
            let array = random.pick(&arrays);
            let Sort::Array { index, element } = system.terms.sort(array) else {
                unreachable!("only arrays were kept")
            };
            let at = of_sort(random, system, pool, index.into());
            match random.below(5) {
                0 | 1 => Term::Read(array, at),
                2 | 3 => Term::Write(array, at, of_sort(random, system, pool, element.into())),
                _ => {
                    let same = of_sort(random, system, pool, Sort::Array { index, element });
                    Term::Binary(random.pick(&[BinaryOp::Eq, BinaryOp::Neq]), array, same)
                }
            }
        }
        _ => {
            let op = random.pick(BinaryOp::ALL);
            let width = match op {
                BinaryOp::Iff | BinaryOp::Implies => 1,
                BinaryOp::Concat => width.min(2),
                _ => width,
            };
            let a = of_sort(random, system, pool, Sort::Bv(width));
            Term::Binary(op, a, of_sort(random, system, pool, Sort::Bv(width)))
        }
    };
    system.terms.add(term).expect("well-sorted by construction")
}

/// A word-level system in explicit form. Symbols are packed into numbers, first symbol lowest.
pub struct ExplicitWords<'a> {
    system: &'a System,
    /// For each pair of state and input the values of all terms.
    values: Vec<Vec<Value>>,
    state_bits: u32,
    input_bits: u32,
}

impl<'a> ExplicitWords<'a> {
    /// Evaluates every term for every pair of state and input.
    pub fn new(system: &'a System) -> ExplicitWords<'a> {
        let bits = |term: TermId| bits_of(system.terms.sort(term));
        let state_bits = system.states.iter().map(|s| bits(s.term)).sum();
        let input_bits = system.inputs.iter().map(|i| bits(i.term)).sum();
        assert!(state_bits + input_bits <= 16, "the oracle is for small systems");
        let values = (0..1u64 << (state_bits + input_bits)).map(|pair| evaluate(system, pair));
        ExplicitWords { system, values: values.collect(), state_bits, input_bits }
    }

    fn value(&self, term: TermId, state: usize, input: usize) -> &Value {
        &self.values[input << self.state_bits | state][term.index()]
    }

    pub(crate) fn is_true(&self, term: TermId, state: usize, input: usize) -> bool {
        self.value(term, state, input).as_bv().is_true()
    }
}

/// A value of a sort from its bits.
fn unpack(sort: Sort, bits: u64) -> Value {
    match sort {
        Sort::Bv(width) => Value::Bv(Bv::from_u64(width, bits)),
        Sort::Array { index: Scalar::Bv(index), element: Scalar::Bv(element) } => {
            let mut array = ArrayValue::new(index, Bv::zero(element));
            for at in 0..1u64 << index {
                let value = Bv::from_u64(element, bits >> (at * element as u64));
                array.set(Bv::from_u64(index, at), value);
            }
            Value::Array(array)
        }
        Sort::Int | Sort::Array { .. } => unreachable!("{NO_INTEGERS}"),
    }
}

/// The bits of a value.
fn pack(value: &Value) -> u64 {
    match value {
        Value::Bv(bv) => bv.to_u64().expect("small"),
        Value::Array(array) => {
            let index = array.index_width();
            let element = array.default_element().width() as u64;
            let at = |i: u64| array.get(&Bv::from_u64(index, i)).to_u64().expect("small");
            (0..1u64 << index).map(|i| at(i) << (i * element)).sum()
        }
        Value::Int(_) | Value::IntArray(_) => unreachable!("{NO_INTEGERS}"),
    }
}

fn evaluate(system: &System, pair: u64) -> Vec<Value> {
    let mut symbols = vec![None; system.terms.len()];
    let mut position = 0;
    let states = system.states.iter().map(|s| s.term);
    for term in states.chain(system.inputs.iter().map(|i| i.term)) {
        let sort = system.terms.sort(term);
        symbols[term.index()] = Some(unpack(sort, pair >> position));
        position += bits_of(sort);
    }
    let mut values: Vec<Value> = Vec::with_capacity(system.terms.len());
    for (id, term) in system.terms.iter() {
        let bv = |t: TermId| values[t.index()].as_bv();
        let value = match *term {
            Term::Const(ref value) => Value::Bv(value.clone()),
            Term::Symbol(_) => symbols[id.index()].take().expect("an input or a state"),
            Term::Unary(op, a) => Value::Bv(ops::unary(op, bv(a))),
            Term::Binary(op, a, b) if system.terms.sort(a).is_array() => {
                let equal = values[a.index()] == values[b.index()];
                Value::Bv(Bv::bit_value(equal == (op == BinaryOp::Eq)))
            }
            Term::Binary(op, a, b) => Value::Bv(ops::binary(op, bv(a), bv(b))),
            Term::Ite(c, t, e) => values[if bv(c).is_true() { t } else { e }.index()].clone(),
            Term::Slice { arg, high, low } => Value::Bv(bv(arg).slice(high, low)),
            Term::Extend { arg, by, signed: true } => Value::Bv(bv(arg).sign_extend(by)),
            Term::Extend { arg, by, signed: false } => Value::Bv(bv(arg).zero_extend(by)),
            Term::IntConst(_) | Term::IntNeg(_) | Term::Int(..) => unreachable!("{NO_INTEGERS}"),
            Term::ConstArray { index, value } => Value::everywhere(index, &values[value.index()]),
            Term::Read(a, at) => Value::Bv(values[a.index()].as_array().get(bv(at)).clone()),
            Term::Write(a, at, value) => {
                let mut array = values[a.index()].as_array().clone();
                array.set(bv(at).clone(), bv(value).clone());
                Value::Array(array)
            }
        };
        values.push(value);
    }
    values
}

impl Explicit for ExplicitWords<'_> {
    fn num_states(&self) -> usize {
        1 << self.state_bits
    }

    fn num_inputs(&self) -> usize {
        1 << self.input_bits
    }

    fn num_properties(&self) -> usize {
        self.system.bads.len()
    }

    fn is_initial(&self, state: usize, input: usize) -> bool {
        let mut inits = self.system.states.iter().filter_map(|s| Some((s.term, s.init?)));
        inits.all(|(s, init)| self.value(s, state, input) == self.value(init, state, input))
    }

    fn is_allowed(&self, state: usize, input: usize) -> bool {
        self.system.constraints.iter().all(|c| self.is_true(c.term, state, input))
    }

    fn is_bad(&self, state: usize, input: usize, property: usize) -> bool {
        self.is_true(self.system.bads[property].term, state, input)
    }

    fn successors(&self, state: usize, input: usize, f: &mut dyn FnMut(usize)) {
        // The bits that follow, and the positions of those that are free.
        let (mut fixed, mut free, mut position) = (0u64, Vec::new(), 0);
        for s in &self.system.states {
            let bits = bits_of(self.system.terms.sort(s.term));
            match s.next {
                Some(next) => fixed |= pack(self.value(next, state, input)) << position,
                None => free.extend(position..position + bits),
            }
            position += bits;
        }
        for choice in 0..1u64 << free.len() {
            let chosen = free.iter().enumerate().map(|(i, &p)| (choice >> i & 1) << p);
            f((fixed | chosen.sum::<u64>()) as usize);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::oracle::explore;

    /// The generator uses every operator and makes safe and unsafe systems.
    #[test]
    fn random_systems_are_of_all_kinds() {
        let mut random = Random::new(2);
        let mut seen = std::collections::BTreeSet::new();
        let (mut safe, mut violated) = (0, 0);
        for _ in 0..1000 {
            let system = random_words(&mut random, WordShape::default());
            system.init_order().expect("no circle");
            for (_, term) in system.terms.iter() {
                seen.insert(match term {
                    Term::Unary(op, _) => op.name(),
                    Term::Binary(op, ..) => op.name(),
                    Term::Read(..) => "read",
                    Term::Write(..) => "write",
                    Term::Ite(..) => "ite",
                    Term::ConstArray { .. } => "constant array",
                    _ => "",
                });
            }
            let found = explore(&ExplicitWords::new(&system)).violated_at;
            safe += found.iter().any(|v| v.is_none()) as usize;
            violated += found.iter().any(|v| v.is_some()) as usize;
        }
        assert_eq!(seen.len(), UnaryOp::ALL.len() + BinaryOp::ALL.len() + 5);
        assert!(safe > 200 && violated > 200, "{safe} {violated}");
    }
}
