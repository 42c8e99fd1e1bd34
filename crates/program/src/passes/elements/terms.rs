//! Terms over arrays as terms over their elements.

use super::groups::Groups;
use pedra_model::term::{BinaryOp, Term, TermId, Terms, UnaryOp};
use rustc_hash::FxHashMap;

/// What was built so far.
#[derive(Default)]
pub(super) struct Images {
    /// Of terms that are no arrays, or not split.
    plain: FxHashMap<TermId, TermId>,
    /// Of arrays that are split: their elements, in the order of their group.
    split: FxHashMap<TermId, Vec<TermId>>,
}

impl Images {
    /// From now on these elements stand for a symbol.
    pub fn insert(&mut self, array: TermId, elements: Vec<TermId>) {
        self.split.insert(array, elements);
    }

    /// The image of a term that is not split.
    pub fn rewrite(&mut self, terms: &mut Terms, groups: &mut Groups, term: TermId) -> TermId {
        self.visit(terms, groups, term);
        self.plain[&term]
    }

    /// The elements of an array of a group with `count` of them.
    pub fn elements(
        &mut self,
        terms: &mut Terms,
        groups: &mut Groups,
        array: TermId,
        count: usize,
    ) -> Vec<TermId> {
        self.visit(terms, groups, array);
        self.known_elements(terms, array, count)
    }

    fn known_elements(&self, terms: &Terms, array: TermId, count: usize) -> Vec<TermId> {
        match *terms.get(array) {
            Term::ConstArray { value, .. } => vec![self.plain[&value]; count],
            _ => self.split[&array].clone(),
        }
    }

    /// Builds the images of all that a term is made of.
    fn visit(&mut self, terms: &mut Terms, groups: &mut Groups, root: TermId) {
        let mut stack = vec![root];
        while let Some(&id) = stack.last() {
            if self.is_known(id) {
                stack.pop();
                continue;
            }
            let term = terms.get(id).clone();
            let before = stack.len();
            stack.extend(term.args().filter(|&arg| !self.is_known(arg)));
            if stack.len() == before {
                self.build(terms, groups, id, &term);
                stack.pop();
            }
        }
    }

    fn is_known(&self, term: TermId) -> bool {
        self.plain.contains_key(&term) || self.split.contains_key(&term)
    }

    /// Builds the image of a term whose arguments have theirs.
    fn build(&mut self, terms: &mut Terms, groups: &mut Groups, id: TermId, term: &Term) {
        let group = match *term {
            Term::Read(array, _) => groups.kept(array),
            Term::Write(..) => groups.kept(id),
            Term::Ite(..) if terms.sort(id).is_array() => groups.kept(id),
            Term::Binary(_, a, b) if terms.sort(a).is_array() => {
                let is_everywhere = matches!(terms.get(a), Term::ConstArray { .. });
                groups.kept(if is_everywhere { b } else { a })
            }
            _ => None,
        };
        let Some(kept) = group.cloned() else {
            let image = match term {
                Term::Symbol(_) => id,
                _ => terms.simplified(term.with_args(|arg| self.plain[&arg])),
            };
            self.plain.insert(id, image);
            return;
        };
        let of = |array| self.known_elements(terms, array, kept.len());
        match *term {
            Term::Read(array, at) => {
                let elements = of(array);
                let image = read(terms, &kept, elements, self.plain[&at]);
                self.plain.insert(id, image);
            }
            Term::Write(array, at, value) => {
                let mut elements = of(array);
                write(terms, &kept, &mut elements, self.plain[&at], self.plain[&value]);
                self.split.insert(id, elements);
            }
            Term::Ite(condition, then, otherwise) => {
                let (then, otherwise) = (of(then), of(otherwise));
                let condition = self.plain[&condition];
                let pairs = then.into_iter().zip(otherwise);
                let choose = |(t, e)| terms.simplified(Term::Ite(condition, t, e));
                let elements = pairs.map(choose).collect();
                self.split.insert(id, elements);
            }
            Term::Binary(op, a, b) => {
                let pairs = of(a).into_iter().zip(of(b));
                let mut equal = terms.bool(true);
                for (a, b) in pairs {
                    let is_same = terms.simplified(Term::Binary(BinaryOp::Eq, a, b));
                    equal = terms.and(equal, is_same);
                }
                let image = match op {
                    BinaryOp::Eq => equal,
                    _ => terms.simplified(Term::Unary(UnaryOp::Not, equal)),
                };
                self.plain.insert(id, image);
            }
            _ => unreachable!("other terms have no group"),
        }
    }
}

/// The element at an index: one of those that are kept, or, all being kept, chosen bit by bit.
fn read(terms: &mut Terms, kept: &[TermId], mut elements: Vec<TermId>, at: TermId) -> TermId {
    if let Some(position) = kept.iter().position(|&index| index == at) {
        return elements[position];
    }
    for bit in 0..terms.width(at) {
        let is_odd = terms.simplified(Term::Slice { arg: at, high: bit, low: bit });
        let pairs = elements.chunks(2);
        let choose = |pair: &[TermId]| terms.simplified(Term::Ite(is_odd, pair[1], pair[0]));
        elements = pairs.map(choose).collect();
    }
    elements[0]
}

/// Replaces the element at an index. An index that is not kept is never read.
fn write(terms: &mut Terms, kept: &[TermId], elements: &mut [TermId], at: TermId, value: TermId) {
    for (&index, element) in kept.iter().zip(elements) {
        let is_here = terms.simplified(Term::Binary(BinaryOp::Eq, at, index));
        *element = terms.simplified(Term::Ite(is_here, value, *element));
    }
}
