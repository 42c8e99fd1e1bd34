//! Terms evaluated on concrete values.

use pedra_model::eval::ops;
use pedra_model::term::{TermId, Terms};
use pedra_model::value::Value;
use rustc_hash::{FxHashMap, FxHashSet};

/// Terms and all that they need, in an order in which they can be evaluated.
#[derive(Clone, Debug)]
pub(crate) struct Cone(Vec<TermId>);

impl Cone {
    pub(crate) fn new(terms: &Terms, roots: impl IntoIterator<Item = TermId>) -> Cone {
        let mut found: Vec<TermId> = Vec::new();
        let mut seen = FxHashSet::default();
        let mut stack: Vec<TermId> = roots.into_iter().collect();
        while let Some(term) = stack.pop() {
            if seen.insert(term) {
                found.push(term);
                stack.extend(terms.get(term).args());
            }
        }
        // Ids are topological.
        found.sort_unstable();
        Cone(found)
    }

    /// The values of all its terms, given those of symbols.
    pub(crate) fn values<'v>(
        &self,
        terms: &Terms,
        symbol: impl Fn(TermId) -> &'v Value,
    ) -> Values<'_> {
        let mut values = Values { terms: &self.0, values: Vec::with_capacity(self.0.len()) };
        for &term in &self.0 {
            let value = ops::apply(terms.get(term), |arg| values.get(arg));
            let value = value.unwrap_or_else(|| symbol(term).clone());
            values.values.push(value);
        }
        values
    }
}

/// The values of the terms of a cone, as far as they are known.
pub(crate) struct Values<'c> {
    terms: &'c [TermId],
    values: Vec<Value>,
}

impl Values<'_> {
    pub(crate) fn get(&self, term: TermId) -> &Value {
        let at = self.terms.binary_search(&term).expect("a term of the cone");
        &self.values[at]
    }
}

/// The values of terms, given those of the symbols that they need.
pub fn evaluate<'v>(
    terms: &Terms,
    roots: impl IntoIterator<Item = TermId>,
    symbol: impl Fn(TermId) -> &'v Value,
) -> FxHashMap<TermId, Value> {
    let cone = Cone::new(terms, roots);
    let values = cone.values(terms, symbol).values;
    cone.0.into_iter().zip(values).collect()
}
