//! The cones of all properties, as sets of latches.

use pedra_model::aig::Node;
use pedra_model::bits::{BitSystem, Reset};
use pedra_model::lit::Lit;
use rustc_hash::FxHashMap;

/// With more different cones than this, only those of equal cones are compared. Tuning only.
const MAX_KINDS: usize = 2_000;

/// What each property depends on.
pub(crate) struct Cones {
    /// For each property the number of variables in its cone.
    sizes: Vec<usize>,
    /// For each property the kind of its cone: which latches are in it.
    kinds: Vec<usize>,
    /// For each kind its latches, as bits.
    latches: Vec<Vec<u64>>,
    /// For each kind its properties.
    members: Vec<Vec<usize>>,
}

impl Cones {
    /// Of all properties of a system. Constraints are in none of them, since they are in all.
    pub(crate) fn new(system: &BitSystem) -> Cones {
        let latch_of = system.latch_of_var();
        let mut seen = vec![usize::MAX; system.aig.len()];
        let mut known: FxHashMap<Vec<u64>, usize> = FxHashMap::default();
        let (mut sizes, mut kinds) = (Vec::new(), Vec::new());
        let mut members: Vec<Vec<usize>> = Vec::new();
        for (property, &bad) in system.properties().iter().enumerate() {
            let mut latches = vec![0u64; system.latches.len().div_ceil(64)];
            let (mut stack, mut size): (Vec<Lit>, usize) = (vec![bad], 0);
            while let Some(lit) = stack.pop() {
                let var = lit.var().index();
                if std::mem::replace(&mut seen[var], property) == property {
                    continue;
                }
                size += 1;
                if let Node::And(a, b) = system.aig.node(lit.var()) {
                    stack.extend([a, b]);
                } else if let Some(l) = latch_of[var] {
                    latches[l as usize / 64] |= 1 << (l % 64);
                    let latch = system.latches[l as usize];
                    stack.push(latch.next);
                    if let Reset::Function(f) = latch.reset {
                        stack.push(f);
                    }
                }
            }
            let kind = *known.entry(latches).or_insert(members.len());
            if kind == members.len() {
                members.push(Vec::new());
            }
            members[kind].push(property);
            sizes.push(size);
            kinds.push(kind);
        }
        let mut latches = vec![Vec::new(); members.len()];
        for (set, kind) in known {
            latches[kind] = set;
        }
        Cones { sizes, kinds, latches, members }
    }

    /// How many variables the cone of a property has.
    pub(crate) fn size(&self, property: usize) -> usize {
        self.sizes[property]
    }

    /// The other properties whose latches are in the cone of this one: first those with the same
    /// ones.
    pub(crate) fn inside(&self, property: usize) -> impl Iterator<Item = usize> + '_ {
        let kind = self.kinds[property];
        let is_small = self.members.len() <= MAX_KINDS;
        let others = (0..self.members.len()).filter(move |&other| {
            let is_subset =
                || self.latches[other].iter().zip(&self.latches[kind]).all(|(a, b)| a & !b == 0);
            is_small && other != kind && is_subset()
        });
        let kinds = std::iter::once(kind).chain(others);
        kinds.flat_map(|kind| &self.members[kind]).copied().filter(move |&p| p != property)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn smaller_cones_lie_inside() {
        let mut system = BitSystem::new();
        let latches: Vec<Lit> = (0..3).map(|_| system.add_latch(Reset::Zero)).collect();
        let both = system.aig.push_and(latches[0], latches[1]);
        system.latches[0].next = both;
        system.bads = vec![latches[1], both, latches[0], latches[2]];
        let cones = Cones::new(&system);
        let inside = |p| cones.inside(p).collect::<Vec<_>>();
        assert_eq!(
            [inside(0), inside(1), inside(2), inside(3)],
            [vec![], vec![2, 0], vec![1, 0], vec![]]
        );
        assert_eq!([cones.size(0), cones.size(1)], [1, 3]);
    }
}
