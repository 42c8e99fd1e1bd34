//! Which arrays share their elements, and which of these groups are split.

use super::super::live::Live;
use super::super::{body, step_of};
use crate::graph::Program;
use pedra_model::bv::Bv;
use pedra_model::term::{Scalar, Sort, Term, TermId, Terms};
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};

/// How many bits an index may have whose elements are all kept. Heuristic.
const MAX_INDEX_BITS: u32 = 4;

/// How many elements at constant indices are kept. Heuristic.
const MAX_CONSTANTS: usize = 256;

/// What is known of a group of arrays.
#[derive(Clone, Default)]
struct Use {
    /// The constant indices with which it is read.
    read: BTreeSet<TermId>,
    /// An index is no constant, or whole arrays are compared.
    needs_all: bool,
}

/// Terms that are arrays, in groups that share their elements.
pub(super) struct Groups {
    /// Union-find: for each array term another one of its group, or itself.
    parents: FxHashMap<TermId, TermId>,
    /// The indices of the elements that are kept, by the group's first term; groups that are not
    /// split are not here.
    kept: FxHashMap<TermId, Vec<TermId>>,
}

impl Groups {
    /// Finds the arrays of a program that can be split; none if there are none.
    pub fn find(program: &mut Program, live: &Live) -> Option<Groups> {
        let mut groups = Groups { parents: FxHashMap::default(), kept: FxHashMap::default() };
        let mut roots = Vec::new();
        for &edge in live.outgoing.iter().flatten() {
            let edge = body(program).edge(edge);
            let step = step_of(edge);
            roots.extend(step.guard);
            for &(variable, value) in &step.updates {
                if live.variables[edge.to.index()].binary_search(&variable).is_ok() {
                    roots.push(value);
                    if program.terms.sort(value).is_array() {
                        groups.join(&program.terms, program.term_of(variable), value);
                    }
                }
            }
        }
        let used = groups.look_at(&program.terms, roots);
        groups.choose(&mut program.terms, used);
        (!groups.kept.is_empty()).then_some(groups)
    }

    /// Groups all arrays of the terms, and collects how they are used.
    fn look_at(&mut self, terms: &Terms, roots: Vec<TermId>) -> Vec<(TermId, Use)> {
        let mut seen = vec![false; terms.len()];
        let mut stack = roots;
        let mut uses = Vec::new();
        let is_constant = |at| matches!(terms.get(at), Term::Const(_) | Term::IntConst(_));
        while let Some(id) = stack.pop() {
            if std::mem::replace(&mut seen[id.index()], true) {
                continue;
            }
            let term = terms.get(id);
            stack.extend(term.args());
            let mut used = Use::default();
            match *term {
                Term::Read(array, at) => {
                    match is_constant(at) {
                        true => used.read = BTreeSet::from([at]),
                        false => used.needs_all = true,
                    }
                    uses.push((array, used));
                }
                Term::Write(array, at, _) => {
                    self.join(terms, id, array);
                    used.needs_all = !is_constant(at);
                    uses.push((id, used));
                }
                Term::Ite(_, then, otherwise) if terms.sort(id).is_array() => {
                    self.join(terms, id, then);
                    self.join(terms, id, otherwise);
                }
                Term::Binary(_, a, b) if terms.sort(a).is_array() => {
                    self.join(terms, a, b);
                    used.needs_all = true;
                    uses.extend([(a, used.clone()), (b, used)]);
                }
                _ => {}
            }
        }
        uses
    }

    /// Decides which groups are split, and into what.
    fn choose(&mut self, terms: &mut Terms, uses: Vec<(TermId, Use)>) {
        let mut all: BTreeMap<TermId, Use> = BTreeMap::new();
        for (array, mut used) in uses {
            let group = all.entry(self.group(array)).or_default();
            group.read.append(&mut used.read);
            group.needs_all |= used.needs_all;
        }
        for (group, used) in all {
            let Sort::Array { index, .. } = terms.sort(group) else { continue };
            let kept = match index {
                _ if !used.needs_all && used.read.len() <= MAX_CONSTANTS => {
                    used.read.into_iter().collect()
                }
                Scalar::Bv(bits) if bits <= MAX_INDEX_BITS => {
                    (0..1 << bits).map(|at| terms.constant(Bv::from_u64(bits, at))).collect()
                }
                _ => continue,
            };
            self.kept.insert(group, kept);
        }
    }

    fn group(&mut self, array: TermId) -> TermId {
        let mut root = array;
        while let Some(&parent) = self.parents.get(&root).filter(|parent| **parent != root) {
            root = parent;
        }
        let mut at = array;
        while let Some(parent) = self.parents.insert(at, root).filter(|parent| *parent != root) {
            at = parent;
        }
        root
    }

    /// Puts two arrays into one group. One that is the same everywhere fits every group.
    fn join(&mut self, terms: &Terms, a: TermId, b: TermId) {
        let is_everywhere = |array| matches!(terms.get(array), Term::ConstArray { .. });
        if !is_everywhere(a) && !is_everywhere(b) {
            let (a, b) = (self.group(a), self.group(b));
            self.parents.insert(a.max(b), a.min(b));
        }
    }

    /// The indices of the elements that are kept of an array; none if it is not split.
    pub fn kept(&mut self, array: TermId) -> Option<&Vec<TermId>> {
        let group = self.group(array);
        self.kept.get(&group)
    }
}
