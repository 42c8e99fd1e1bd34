//! And-inverter graphs.
//!
//! [`Aig`] is plain storage: it keeps every gate just as it was given, which is what a reader
//! wants who must report and write back what a file holds. [`AigBuilder`] adds structural
//! hashing and local rewriting on top, which is what everything that *makes* circuits wants.
//! In both a gate's inputs come before it, so walking the variables upwards visits a circuit
//! in topological order and nothing ever needs recursion.

use crate::lit::{Lit, Var};
use hashbrown::HashTable;
use rustc_hash::FxHasher;
use std::hash::{Hash, Hasher};

/// Marks a node that is no gate.
const LEAF: Lit = Lit::from_code_const(u32::MAX);

/// What a variable of a circuit stands for.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Node {
    /// The constant false, always variable 0.
    Const,
    /// An input or a latch: a value from outside of the graph.
    Leaf,
    /// The conjunction of two earlier literals.
    And(Lit, Lit),
}

/// An and-inverter graph: the constant, leaves, and two-input gates in topological order.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Aig {
    fanins: Vec<[Lit; 2]>,
}

impl Default for Aig {
    fn default() -> Self {
        Self::new()
    }
}

impl Aig {
    /// A graph with nothing but the constant.
    pub fn new() -> Aig {
        Aig { fanins: vec![[LEAF; 2]] }
    }

    /// Makes room for that many further nodes.
    pub fn reserve(&mut self, nodes: usize) {
        self.fanins.reserve(nodes);
    }

    /// How many variables there are, the constant included.
    #[inline]
    pub fn len(&self) -> usize {
        self.fanins.len()
    }

    /// Whether only the constant is there.
    pub fn is_empty(&self) -> bool {
        self.len() == 1
    }

    /// How many gates there are.
    pub fn num_gates(&self) -> usize {
        self.fanins.iter().filter(|f| f[0] != LEAF).count()
    }

    /// Adds a leaf.
    pub fn push_leaf(&mut self) -> Var {
        let var = Var::new(self.fanins.len());
        self.fanins.push([LEAF; 2]);
        var
    }

    /// Adds a gate as it is: no hashing, no simplification.
    ///
    /// # Panics
    /// If an input is not yet in the graph.
    #[inline]
    pub fn push_and(&mut self, a: Lit, b: Lit) -> Lit {
        let var = Var::new(self.fanins.len());
        assert!(a.var() < var && b.var() < var, "a gate's inputs come before it");
        self.fanins.push([a, b]);
        var.lit()
    }

    /// What the variable stands for.
    #[inline]
    pub fn node(&self, var: Var) -> Node {
        let [a, b] = self.fanins[var.index()];
        if a != LEAF {
            Node::And(a, b)
        } else if var == Var::CONST {
            Node::Const
        } else {
            Node::Leaf
        }
    }

    /// Whether the variable is a gate.
    #[inline]
    pub fn is_gate(&self, var: Var) -> bool {
        self.fanins[var.index()][0] != LEAF
    }

    /// All variables in topological order, the constant first.
    pub fn vars(&self) -> impl DoubleEndedIterator<Item = Var> + ExactSizeIterator + use<> {
        (0..self.fanins.len()).map(Var::new)
    }

    /// All gates with their inputs, in topological order.
    pub fn gates(&self) -> impl Iterator<Item = (Var, Lit, Lit)> + '_ {
        let numbered = self.fanins.iter().enumerate();
        numbered.filter(|(_, f)| f[0] != LEAF).map(|(v, f)| (Var::new(v), f[0], f[1]))
    }

    /// Which variables the roots depend on, themselves included: one flag a variable.
    pub fn cone(&self, roots: impl IntoIterator<Item = Lit>) -> Vec<bool> {
        let mut in_cone = vec![false; self.len()];
        let mut stack: Vec<Var> = Vec::new();
        for root in roots {
            if !std::mem::replace(&mut in_cone[root.var().index()], true) {
                stack.push(root.var());
            }
        }
        while let Some(var) = stack.pop() {
            if let Node::And(a, b) = self.node(var) {
                for input in [a.var(), b.var()] {
                    if !std::mem::replace(&mut in_cone[input.index()], true) {
                        stack.push(input);
                    }
                }
            }
        }
        in_cone
    }
}

/// Builds a graph with structural hashing and local rewriting: equal gates are made once,
/// and constants, repeated, contradicting and absorbed inputs are simplified up to two levels
/// deep.
#[derive(Clone, Debug, Default)]
pub struct AigBuilder {
    aig: Aig,
    table: HashTable<Var>,
}

fn hash_gate(a: Lit, b: Lit) -> u64 {
    let mut hasher = FxHasher::default();
    (a.code(), b.code()).hash(&mut hasher);
    hasher.finish()
}

impl AigBuilder {
    /// A builder with an empty graph.
    pub fn new() -> AigBuilder {
        AigBuilder::default()
    }

    /// A builder that goes on from a graph; its gates are found again by structure.
    pub fn from_aig(aig: Aig) -> AigBuilder {
        let mut table = HashTable::with_capacity(aig.len());
        for (var, a, b) in aig.gates() {
            let (a, b) = if a <= b { (a, b) } else { (b, a) };
            table.insert_unique(hash_gate(a, b), var, |v| Self::rehash(&aig, *v));
        }
        AigBuilder { aig, table }
    }

    fn rehash(aig: &Aig, var: Var) -> u64 {
        let [a, b] = aig.fanins[var.index()];
        if a <= b { hash_gate(a, b) } else { hash_gate(b, a) }
    }

    /// The graph so far.
    pub fn aig(&self) -> &Aig {
        &self.aig
    }

    /// The finished graph.
    pub fn into_aig(self) -> Aig {
        self.aig
    }

    /// How many variables there are, the constant included.
    pub fn len(&self) -> usize {
        self.aig.len()
    }

    /// Whether only the constant is there.
    pub fn is_empty(&self) -> bool {
        self.aig.is_empty()
    }

    /// A new leaf.
    pub fn leaf(&mut self) -> Var {
        self.aig.push_leaf()
    }

    fn inputs_of(&self, lit: Lit) -> Option<(Lit, Lit)> {
        match self.aig.node(lit.var()) {
            Node::And(a, b) => Some((a, b)),
            _ => None,
        }
    }

    /// `a ∧ b`.
    pub fn and(&mut self, a: Lit, b: Lit) -> Lit {
        let (a, b) = match self.rewrite(a, b) {
            Rewritten::Done(lit) => return lit,
            Rewritten::Gate(a, b) => (a, b),
        };
        let (a, b) = if a <= b { (a, b) } else { (b, a) };
        let aig = &self.aig;
        let hash = hash_gate(a, b);
        let equal = |v: &Var| {
            let [c, d] = aig.fanins[v.index()];
            (c, d) == (a, b) || (d, c) == (a, b)
        };
        if let Some(var) = self.table.find(hash, equal) {
            return var.lit();
        }
        let lit = self.aig.push_and(a, b);
        let aig = &self.aig;
        self.table.insert_unique(hash, lit.var(), |v| Self::rehash(aig, *v));
        lit
    }

    /// Local rules for `a ∧ b`. Each either decides the gate or replaces an input by an
    /// *earlier* literal, so the loop ends. They look at most two levels deep and never make
    /// a node.
    fn rewrite(&self, mut a: Lit, mut b: Lit) -> Rewritten {
        loop {
            // Constants, repetition, contradiction.
            if a == Lit::FALSE || b == Lit::FALSE || a == !b {
                return Rewritten::Done(Lit::FALSE);
            }
            if a == Lit::TRUE || a == b {
                return Rewritten::Done(b);
            }
            if b == Lit::TRUE {
                return Rewritten::Done(a);
            }
            match self.rewrite_one_side(a, b).or_else(|| self.rewrite_one_side(b, a)) {
                Some(Rewritten::Done(lit)) => return Rewritten::Done(lit),
                Some(Rewritten::Gate(c, d)) => (a, b) = (c, d),
                None => break,
            }
        }
        if let Some(lit) = self.rewrite_both_sides(a, b) {
            return lit;
        }
        Rewritten::Gate(a, b)
    }

    /// Rules that look into `a` only.
    fn rewrite_one_side(&self, a: Lit, b: Lit) -> Option<Rewritten> {
        let (x, y) = self.inputs_of(a)?;
        if !a.is_negated() {
            // (x ∧ y) ∧ x = x ∧ y;  (x ∧ y) ∧ ¬x = ⊥
            if b == x || b == y {
                return Some(Rewritten::Done(a));
            }
            if b == !x || b == !y {
                return Some(Rewritten::Done(Lit::FALSE));
            }
        } else {
            // ¬(x ∧ y) ∧ ¬x = ¬x;  ¬(x ∧ y) ∧ x = ¬y ∧ x
            if b == !x || b == !y {
                return Some(Rewritten::Done(b));
            }
            if b == x {
                return Some(Rewritten::Gate(!y, b));
            }
            if b == y {
                return Some(Rewritten::Gate(!x, b));
            }
        }
        None
    }

    /// Rules that look into both sides.
    fn rewrite_both_sides(&self, a: Lit, b: Lit) -> Option<Rewritten> {
        let (x, y) = self.inputs_of(a)?;
        let (z, w) = self.inputs_of(b)?;
        match (a.is_negated(), b.is_negated()) {
            (false, false) => {
                // (x ∧ y) ∧ (¬x ∧ w) = ⊥
                let clash = x == !z || x == !w || y == !z || y == !w;
                clash.then_some(Rewritten::Done(Lit::FALSE))
            }
            // (x ∧ y) ∧ ¬(¬x ∧ w) = x ∧ y
            (false, true) if x == !z || x == !w || y == !z || y == !w => Some(Rewritten::Done(a)),
            (true, false) if x == !z || x == !w || y == !z || y == !w => Some(Rewritten::Done(b)),
            // ¬(x ∧ y) ∧ ¬(x ∧ ¬y) = ¬x
            (true, true) => {
                for (p, q) in [(x, y), (y, x)] {
                    if (z == p && w == !q) || (w == p && z == !q) {
                        return Some(Rewritten::Done(!p));
                    }
                }
                None
            }
            _ => None,
        }
    }

    /// `a ∨ b`.
    pub fn or(&mut self, a: Lit, b: Lit) -> Lit {
        !self.and(!a, !b)
    }

    /// `a ⊕ b`, as `¬(a ∧ b) ∧ ¬(¬a ∧ ¬b)`.
    pub fn xor(&mut self, a: Lit, b: Lit) -> Lit {
        if a.is_const() || b.is_const() || a.var() == b.var() {
            return match (a, b) {
                (Lit::FALSE, l) | (l, Lit::FALSE) => l,
                (Lit::TRUE, l) | (l, Lit::TRUE) => !l,
                _ => Lit::constant(a != b),
            };
        }
        // Signs move to the output, so that x ⊕ y and ¬x ⊕ y share their gates.
        let flip = a.is_negated() != b.is_negated();
        let (a, b) = (a.positive(), b.positive());
        let both = self.and(a, b);
        let none = self.and(!a, !b);
        self.and(!both, !none) ^ flip
    }

    /// `a ↔ b`.
    pub fn iff(&mut self, a: Lit, b: Lit) -> Lit {
        !self.xor(a, b)
    }

    /// `a → b`.
    pub fn implies(&mut self, a: Lit, b: Lit) -> Lit {
        !self.and(a, !b)
    }

    /// `if c then t else e`.
    pub fn ite(&mut self, c: Lit, t: Lit, e: Lit) -> Lit {
        if t == e || c == Lit::TRUE {
            return t;
        }
        if c == Lit::FALSE {
            return e;
        }
        if t == !e {
            return self.iff(c, t);
        }
        let then = self.and(c, t);
        let otherwise = self.and(!c, e);
        self.or(then, otherwise)
    }

    /// The conjunction of all, as a balanced tree.
    pub fn and_all(&mut self, lits: impl IntoIterator<Item = Lit>) -> Lit {
        let mut level: Vec<Lit> = lits.into_iter().collect();
        if level.is_empty() {
            return Lit::TRUE;
        }
        while level.len() > 1 {
            let pair = |builder: &mut Self, p: &[Lit]| match *p {
                [a, b] => builder.and(a, b),
                _ => p[0],
            };
            level = level.chunks(2).map(|p| pair(self, p)).collect();
        }
        level[0]
    }

    /// The disjunction of all, as a balanced tree.
    pub fn or_all(&mut self, lits: impl IntoIterator<Item = Lit>) -> Lit {
        !self.and_all(lits.into_iter().map(|l| !l))
    }
}

/// What local rewriting makes of a conjunction.
enum Rewritten {
    /// It equals this literal.
    Done(Lit),
    /// It equals the conjunction of these two.
    Gate(Lit, Lit),
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The value of every variable under an assignment of the leaves, in their order.
    fn values(aig: &Aig, leaves: u32) -> Vec<bool> {
        let mut values: Vec<bool> = Vec::new();
        let mut leaf = 0;
        let of = |values: &[bool], l: Lit| values[l.var().index()] ^ l.is_negated();
        for var in aig.vars() {
            let value = match aig.node(var) {
                Node::Const => false,
                Node::Leaf => {
                    leaf += 1;
                    leaves >> (leaf - 1) & 1 == 1
                }
                Node::And(a, b) => of(&values, a) && of(&values, b),
            };
            values.push(value);
        }
        values
    }

    /// Random gates through the builder compute the same as unsimplified ones.
    #[test]
    fn rewriting_keeps_the_function() {
        let mut random = crate::random::Random::new(0);
        let mut next = |bound: usize| random.below(bound);
        for _ in 0..300 {
            let (mut plain, mut built) = (Aig::new(), AigBuilder::new());
            let mut pairs = vec![(Lit::FALSE, Lit::FALSE)];
            for _ in 0..4 {
                pairs.push((plain.push_leaf().lit(), built.leaf().lit()));
            }
            for _ in 0..40 {
                let (a, b) = (pairs[next(pairs.len())], pairs[next(pairs.len())]);
                let (p, q) = (next(2) == 1, next(2) == 1);
                pairs.push((plain.push_and(a.0 ^ p, b.0 ^ q), built.and(a.1 ^ p, b.1 ^ q)));
            }
            for leaves in 0..16 {
                let (p, b) = (values(&plain, leaves), values(built.aig(), leaves));
                for &(x, y) in &pairs {
                    let left = p[x.var().index()] ^ x.is_negated();
                    assert_eq!(left, b[y.var().index()] ^ y.is_negated());
                }
            }
            assert!(built.aig().num_gates() <= plain.num_gates());
        }
    }

    #[test]
    fn equal_gates_are_made_once() {
        let mut b = AigBuilder::new();
        let (x, y) = (b.leaf().lit(), b.leaf().lit());
        assert_eq!(b.and(x, y), b.and(y, x));
        assert_eq!(b.xor(x, !y), !b.xor(x, y));
        let gate = b.and(x, y);
        let mut again = AigBuilder::from_aig(b.into_aig());
        assert_eq!(again.and(y, x), gate);
    }
}
