//! Terms built again: with some of them replaced, or in another store.

use crate::term::{Term, TermId, Terms, UnaryOp};

/// What stands for each term of a cone, by its index; `None` outside of it.
#[derive(Clone, Debug)]
pub struct Image(Vec<Option<TermId>>);

impl Image {
    /// What stands for a term.
    ///
    /// # Panics
    /// If the term is not in the cone.
    pub fn of(&self, term: TermId) -> TermId {
        self.0[term.index()].expect("a term of the cone")
    }

    /// Whether the term is in the cone.
    pub fn has(&self, term: TermId) -> bool {
        self.0.get(term.index()).is_some_and(Option::is_some)
    }
}

impl Terms {
    /// Builds the roots again in this store. `replace` is asked for each term of their cone,
    /// arguments first; where it has nothing to say, the same is made of what stands for the
    /// arguments, and symbols stay.
    pub fn substitute(
        &mut self,
        roots: impl IntoIterator<Item = TermId>,
        mut replace: impl FnMut(&mut Terms, TermId) -> Option<TermId>,
    ) -> Image {
        let cone = self.cone(roots);
        let mut image = vec![None; cone.len()];
        for id in (0..cone.len()).filter(|&index| cone[index]).map(TermId::new) {
            image[id.index()] = Some(match replace(self, id) {
                Some(other) => other,
                None if self.symbol_of(id).is_some() => id,
                None => {
                    let term =
                        self.get(id).with_args(|arg| image[arg.index()].expect("comes first"));
                    self.add(term).expect("sorts are kept")
                }
            });
        }
        Image(image)
    }

    /// Builds the roots, which are terms of another store, in this one. `known` tells what stands
    /// for some of the terms already; it must do so for symbols.
    ///
    /// # Panics
    /// If it does not.
    pub fn import(
        &mut self,
        from: &Terms,
        roots: impl IntoIterator<Item = TermId>,
        mut known: impl FnMut(TermId) -> Option<TermId>,
    ) -> Image {
        let mut image = vec![None; from.len()];
        for id in from.cone_ids(roots) {
            image[id.index()] = Some(known(id).unwrap_or_else(|| {
                let term = from.get(id).with_args(|arg| image[arg.index()].expect("comes first"));
                self.add(term).expect("sorts are kept")
            }));
        }
        Image(image)
    }

    /// `¬a`, without piling up negations.
    pub fn not(&mut self, term: TermId) -> TermId {
        match *self.get(term) {
            Term::Unary(UnaryOp::Not, inner) => inner,
            _ => self.unary(UnaryOp::Not, term),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bv::Bv;
    use crate::term::{BinaryOp, Sort};

    #[test]
    fn terms_are_built_again() {
        let mut terms = Terms::new();
        let [x, y] = [0; 2].map(|_| terms.new_symbol(Sort::Bv(8)));
        let sum = terms.binary(BinaryOp::Add, x, y);
        let seven = terms.constant(Bv::from_u64(8, 7));
        let image = terms.substitute([sum], |_, id| (id == x).then_some(seven));
        let expected = terms.binary(BinaryOp::Add, seven, y);
        assert_eq!(image.of(sum), expected);
        assert_eq!((image.of(y), image.has(seven)), (y, false));
        let mut others = Terms::new();
        let z = others.new_symbol(Sort::Bv(8));
        let image = others.import(&terms, [expected], |id| (id == y).then_some(z));
        let seven = others.constant(Bv::from_u64(8, 7));
        assert_eq!(image.of(expected), others.binary(BinaryOp::Add, seven, z));
        let bit = others.unary(UnaryOp::RedOr, z);
        let no = others.not(bit);
        assert_eq!(others.not(no), bit);
    }
}
