//! Implicants: conditions that hold in a model and imply a formula.
//!
//! The paper takes weakest preconditions in disjunctive normal form, one obligation for each
//! disjunct. Here a disjunct is found by walking down the formula with a model in hand: of a
//! disjunction that holds, one part that does; of an `ite`, the condition and the branch that is
//! taken. What is left are comparisons without `ite`, so each disjunct is found when a model needs
//! it, and no normal form is ever made.

use pedra_model::bv::Bv;
use pedra_model::term::{BinaryOp, Sort, Term, TermId, Terms, UnaryOp};
use pedra_model::value::{ScalarValue, Value};
use rustc_hash::{FxHashMap, FxHashSet};

/// The walk.
pub(super) struct Implicant<'a> {
    terms: &'a mut Terms,
    /// The values of all terms below the formula, in the model.
    values: &'a FxHashMap<TermId, Value>,
    /// Terms that are to be replaced, by their value in the model.
    fixed: &'a dyn Fn(TermId) -> bool,
    /// Conditions that still have to be walked.
    open: Vec<TermId>,
    seen: FxHashSet<TermId>,
    /// What terms inside of conditions became: no `ite`, and bits are constants.
    resolved: FxHashMap<TermId, TermId>,
    found: Vec<(TermId, bool)>,
}

/// Comparisons with the values that they have in the model, and that imply that all roots have
/// theirs. Terms that are `fixed` are replaced by their values.
pub(super) fn implicant(
    terms: &mut Terms,
    values: &FxHashMap<TermId, Value>,
    fixed: &dyn Fn(TermId) -> bool,
    roots: impl IntoIterator<Item = TermId>,
) -> Vec<(TermId, bool)> {
    implicant_with(terms, values, fixed, roots, &[]).0
}

/// The same, and what some numbers are, without `ite`, where the comparisons have these values.
pub(super) fn implicant_with(
    terms: &mut Terms,
    values: &FxHashMap<TermId, Value>,
    fixed: &dyn Fn(TermId) -> bool,
    roots: impl IntoIterator<Item = TermId>,
    numbers: &[TermId],
) -> (Vec<(TermId, bool)>, Vec<TermId>) {
    let mut walk = Implicant {
        terms,
        values,
        fixed,
        open: roots.into_iter().collect(),
        seen: FxHashSet::default(),
        resolved: FxHashMap::default(),
        found: Vec::new(),
    };
    walk.resolve_inside(numbers.to_vec());
    let numbers = numbers.iter().map(|number| walk.resolved[number]).collect();
    while let Some(term) = walk.open.pop() {
        if walk.seen.insert(term) {
            walk.visit(term);
        }
    }
    (walk.found, numbers)
}

impl Implicant<'_> {
    fn holds(&self, term: TermId) -> bool {
        self.values[&term].as_bv().is_true()
    }

    fn visit(&mut self, term: TermId) {
        use BinaryOp::*;
        let holds = self.holds(term);
        match *self.terms.get(term) {
            Term::Const(_) => {}
            Term::Unary(UnaryOp::Not, a) => self.open.push(a),
            Term::Binary(And, a, b) => self.junction(a, b, holds, false),
            Term::Binary(Nand, a, b) => self.junction(a, b, !holds, false),
            Term::Binary(Or, a, b) => self.junction(a, b, !holds, true),
            Term::Binary(Nor, a, b) => self.junction(a, b, holds, true),
            Term::Binary(Implies, a, b) => match holds {
                // It is false: both count. It is true: one is enough.
                false => self.open.extend([a, b]),
                true if !self.holds(a) => self.open.push(a),
                true => self.open.push(b),
            },
            Term::Binary(Iff | Xor | Xnor | Eq | Neq, a, b) if self.terms.sort(a) == Sort::BOOL => {
                self.open.extend([a, b]);
            }
            Term::Ite(c, a, b) => {
                let taken = if self.holds(c) { a } else { b };
                self.open.extend([c, taken]);
            }
            _ => {
                let resolved = self.resolve(term);
                self.found.push((resolved, holds));
            }
        }
    }

    /// A conjunction of two (or a disjunction, with `absorbing` true): whether both values are
    /// needed for the result, or one that has the absorbing value is enough.
    fn junction(&mut self, a: TermId, b: TermId, needs_both: bool, absorbing: bool) {
        if needs_both {
            self.open.extend([a, b]);
            return;
        }
        // Heuristic: what is there already, else the first.
        let candidates = [a, b].into_iter().filter(|&term| self.holds(term) == absorbing);
        let candidates: Vec<TermId> = candidates.collect();
        let known = candidates.iter().find(|term| self.seen.contains(term));
        self.open.push(*known.unwrap_or(&candidates[0]));
    }

    /// The condition without `ite`, and with single bits inside of it replaced by their values;
    /// what was decided becomes a condition to walk. The condition itself is never such a bit, even
    /// if it stands inside of another one (*required for violations*).
    fn resolve(&mut self, root: TermId) -> TermId {
        let node = self.terms.get(root).clone();
        match node {
            _ if (self.fixed)(root) => return self.constant(root),
            Term::Const(_) | Term::Symbol(_) => return root,
            _ => {}
        }
        self.resolve_inside(node.args().collect());
        self.terms.simplified(node.with_args(|arg| self.resolved[&arg]))
    }

    /// Resolves terms that stand inside of a condition.
    fn resolve_inside(&mut self, mut stack: Vec<TermId>) {
        while let Some(&term) = stack.last() {
            if self.resolved.contains_key(&term) {
                stack.pop();
                continue;
            }
            let is_bit = self.terms.sort(term) == Sort::BOOL;
            let taken = match *self.terms.get(term) {
                _ if (self.fixed)(term) => Some(self.constant(term)),
                Term::Const(_) | Term::Symbol(_) => Some(term),
                Term::Ite(c, a, b) => {
                    let taken = if self.holds(c) { a } else { b };
                    if !self.resolved.contains_key(&taken) {
                        stack.push(taken);
                        continue;
                    }
                    // Whether or not the branch was known before (*required for violations*).
                    self.open.push(c);
                    Some(self.resolved[&taken])
                }
                _ if is_bit => {
                    self.open.push(term);
                    Some(self.constant(term))
                }
                _ => None,
            };
            let image = match taken {
                Some(image) => image,
                None => {
                    let node = self.terms.get(term).clone();
                    let before = stack.len();
                    stack.extend(node.args().filter(|arg| !self.resolved.contains_key(arg)));
                    if stack.len() > before {
                        continue;
                    }
                    self.terms.simplified(node.with_args(|arg| self.resolved[&arg]))
                }
            };
            self.resolved.insert(term, image);
            stack.pop();
        }
    }

    fn constant(&mut self, term: TermId) -> TermId {
        constant(self.terms, &self.values[&term])
    }
}

/// The term of a value.
pub(super) fn constant(terms: &mut Terms, value: &Value) -> TermId {
    let scalar = |terms: &mut Terms, value: ScalarValue| match value {
        ScalarValue::Bv(value) => terms.constant(value),
        ScalarValue::Int(value) => terms.integer(value),
    };
    let (default, entries): (_, Vec<(ScalarValue, ScalarValue)>) = match value {
        Value::Bv(value) => return terms.constant(value.clone()),
        Value::Int(value) => return terms.integer(value.clone()),
        Value::Array(array) => {
            let scalar = |value: &Bv| ScalarValue::Bv(value.clone());
            let entries = array.entries().map(|(at, element)| (scalar(at), scalar(element)));
            (scalar(array.default_element()), entries.collect())
        }
        Value::IntArray(array) => {
            let entries = array.entries().map(|(at, element)| (at.clone(), element.clone()));
            (array.default_element().clone(), entries.collect())
        }
    };
    let default = scalar(terms, default);
    let Sort::Array { index, .. } = value.sort() else { unreachable!("it is an array") };
    let mut array = terms.simplified(Term::ConstArray { index, value: default });
    for (at, element) in entries {
        let (at, element) = (scalar(terms, at), scalar(terms, element));
        array = terms.simplified(Term::Write(array, at, element));
    }
    array
}

#[cfg(test)]
mod tests {
    use super::*;
    use pedra_model::term::IntOp;
    use pedra_program::interpreter::evaluate;
    use pedra_testkit::random::{Random, runs};

    type Model = FxHashMap<TermId, Value>;

    fn values(terms: &Terms, model: &Model, roots: &[TermId]) -> Model {
        evaluate(terms, roots.iter().copied(), |symbol| &model[&symbol])
    }

    fn random_model(random: &mut Random, terms: &Terms, symbols: &[TermId]) -> Model {
        let value = |random: &mut Random, symbol: TermId| match terms.sort(symbol) {
            Sort::Int => Value::Int((random.below(7) as i64 - 3).into()),
            sort => Value::Bv(Bv::from_u64(sort.width().expect("a word"), random.word())),
        };
        symbols.iter().map(|&symbol| (symbol, value(random, symbol))).collect()
    }

    /// A term of a sort in which earlier ones come up again.
    fn random_term(random: &mut Random, terms: &mut Terms, known: &mut Vec<TermId>) {
        let of = |random: &mut Random, terms: &Terms, sort: Sort| {
            let fit: Vec<TermId> =
                known.iter().copied().filter(|&term| terms.sort(term) == sort).collect();
            random.pick(&fit)
        };
        let bit = Sort::BOOL;
        let wide = random.pick(&[Sort::Int, Sort::Bv(2)]);
        let [a, b] = [0; 2].map(|_| of(random, terms, wide));
        let [c, d] = [0; 2].map(|_| of(random, terms, bit));
        use BinaryOp::*;
        let term = match (random.below(6), wide) {
            (0, _) => Term::Ite(c, a, b),
            (1, Sort::Int) => Term::Int(random.pick(&[IntOp::Add, IntOp::Sub]), a, b),
            (1, _) => Term::Binary(random.pick(&[Add, And, Sub]), a, b),
            (2, Sort::Int) => Term::Int(random.pick(&[IntOp::Le, IntOp::Lt]), a, b),
            (2, _) => Term::Binary(random.pick(&[Ult, Slte, Ugte]), a, b),
            (3, _) => Term::Binary(random.pick(&[Eq, Neq]), a, b),
            (4, _) => Term::Binary(random.pick(&[And, Or, Nand, Nor, Implies, Xor]), c, d),
            _ => Term::Binary(random.pick(&[Ult, Slte, Add, Eq, Neq]), c, d),
        };
        known.push(terms.add(term).expect("well-sorted"));
    }

    /// Wherever the conditions have the values of the model, and what is fixed has, so do the
    /// roots.
    #[test]
    fn conditions_imply_the_roots() {
        let mut random = Random::new(17);
        let mut agreed = 0;
        for round in 0..runs(300) {
            let mut terms = Terms::new();
            let sorts = [Sort::Int, Sort::Int, Sort::Bv(2), Sort::Bv(2), Sort::BOOL, Sort::BOOL];
            let symbols: Vec<TermId> = sorts.map(|sort| terms.new_symbol(sort)).to_vec();
            let mut known = symbols.clone();
            (0..20).for_each(|_| random_term(&mut random, &mut terms, &mut known));
            let conditions = known.iter().copied().filter(|&t| terms.sort(t) == Sort::BOOL);
            let conditions: Vec<TermId> = conditions.collect();
            let roots = [0; 2].map(|_| random.pick(&conditions));
            let model = random_model(&mut random, &terms, &symbols);
            let is_fixed = random.one_in(2);
            let fixed = |term: TermId| is_fixed && term == symbols[0];
            let before = values(&terms, &model, &roots);
            let found = implicant(&mut terms, &before, &fixed, roots);
            let left: Vec<TermId> = found.iter().map(|(term, _)| *term).collect();
            let holds = |model: &Model| {
                let values = values(&terms, model, &left);
                found.iter().all(|(term, holds)| values[term].as_bv().is_true() == *holds)
            };
            assert!(holds(&model), "round {round}");
            for _ in 0..200 {
                let mut other = random_model(&mut random, &terms, &symbols);
                if is_fixed {
                    other.insert(symbols[0], model[&symbols[0]].clone());
                }
                if holds(&other) {
                    let after = values(&terms, &other, &roots);
                    assert!(roots.iter().all(|root| after[root] == before[root]), "round {round}");
                    agreed += 1;
                }
            }
        }
        assert!(agreed > 1_000, "{agreed}");
    }
}
