//! What C leaves open, and the program graph does not: the order in which operands are evaluated
//! (C11 6.5p3), which objects lie side by side, and how long storage of functions is used.
//!
//! Operands are evaluated from left to right, and objects lie apart. Where a program may depend on
//! that, it is checked under an assumption, which is printed.

use super::Lowerer;
use super::callee::{Callee, classify};
use super::points::{Points, Target, root};
use super::shape::Walk;
use crate::Errors;
use crate::source::Span;
use crate::tree::*;
use rustc_hash::FxHashSet;

/// The objects that an expression may read and write, in calls too.
#[derive(Default)]
struct Touched {
    reads: FxHashSet<ObjectId>,
    writes: FxHashSet<ObjectId>,
}

impl Touched {
    /// Whether it matters which of the two comes first.
    fn conflicts(&self, other: &Touched) -> bool {
        let meets = |a: &FxHashSet<ObjectId>, b: &FxHashSet<ObjectId>| !a.is_disjoint(b);
        meets(&self.writes, &other.writes)
            || meets(&self.writes, &other.reads)
            || meets(&self.reads, &other.writes)
    }
}

impl Lowerer<'_> {
    /// Notes that operands are evaluated in the order in which they are given, if a call among
    /// them makes that matter. A place is an operand for what is evaluated to find it.
    pub(super) fn in_order(&mut self, operands: &[NodeId], span: Span) {
        self.read_in_order(None, operands, span);
    }

    /// The same if the value of a place is read before them.
    pub(super) fn read_in_order(&mut self, read: Option<NodeId>, operands: &[NodeId], span: Span) {
        let count = operands.len() + usize::from(read.is_some());
        if count < 2 || !operands.iter().any(|&operand| self.splits(operand)) {
            return;
        }
        let mut touched: Vec<Touched> = Vec::new();
        if let Some(place) = read {
            let mut first = self.touched(place);
            first.reads.extend(self.objects_at(place));
            touched.push(first);
        }
        touched.extend(operands.iter().map(|&operand| self.touched(operand)));
        let mut pairs = touched.iter().enumerate();
        if pairs.any(|(at, one)| touched[at + 1..].iter().any(|other| one.conflicts(other))) {
            let text = format!("the parts of `{}` are evaluated in their order", self.text(span));
            let span = self.span(span);
            self.program.assume_choice(&text, span);
        }
    }

    /// The same for the start of a chain of `,` that C does not order.
    pub(super) fn chain_in_order(&mut self, id: NodeId) {
        let (operands, _) = self.tree.unordered_operands(id);
        self.in_order(&operands, self.tree.node(id).span);
    }

    fn touched(&self, operand: NodeId) -> Touched {
        let tree = self.tree;
        let mut walk = Walk::new(tree);
        walk.node(operand, false);
        let mut nodes: Vec<NodeId> = walk.visited.into_iter().map(|(node, _)| node).collect();
        let mut callees = FxHashSet::default();
        let mut touched = Touched::default();
        while let Some(node) = nodes.pop() {
            match &tree.node(node).kind {
                Kind::Load(place) => touched.reads.extend(self.objects_at(*place)),
                Kind::Assign(place, _) => touched.writes.extend(self.objects_at(*place)),
                Kind::Update { place, .. } => {
                    touched.reads.extend(self.objects_at(*place));
                    touched.writes.extend(self.objects_at(*place));
                }
                Kind::Call(callee, _) if self.is_followed(*callee) => {
                    if let Some(body) = tree.function(*callee).body
                        && callees.insert(*callee)
                    {
                        let mut walk = Walk::new(tree);
                        walk.stmt(body, false);
                        nodes.extend(walk.visited.into_iter().map(|(node, _)| node));
                    }
                }
                _ => {}
            }
        }
        // What belongs to a function is new in each call.
        let is_shared = |object: &ObjectId| {
            tree.object(*object).owner.is_none_or(|owner| !callees.contains(&owner))
        };
        touched.reads.retain(is_shared);
        touched.writes.retain(is_shared);
        touched
    }

    /// Whether a call runs the body of a function.
    fn is_followed(&self, callee: FunctionId) -> bool {
        match classify(self.tree, callee) {
            Callee::Body => true,
            Callee::Error | Callee::Assert => self.errors != Errors::End,
            _ => false,
        }
    }

    /// The objects that a place may be in.
    fn objects_at(&self, place: NodeId) -> Vec<ObjectId> {
        match root(self.tree, place) {
            Some(object) => vec![object],
            None => {
                let targets = self.points.targets(self.tree, place).targets;
                targets.into_iter().map(|(object, _)| object).collect()
            }
        }
    }

    /// Notes that objects lie apart, if pointers are compared that might be equal otherwise: to
    /// the end of one object and to the start of another (C11 6.5.9p6), or to string literals,
    /// which may share their storage (6.4.5p7).
    pub(super) fn lie_apart(&mut self, a: NodeId, b: NodeId) {
        let [one, other] = [a, b].map(|node| self.points.of(self.tree, node, None).targets);
        let mut pairs = one.iter().flat_map(|one| other.iter().map(move |other| (*one, *other)));
        let may_meet = pairs.any(|(one, other)| one.0 != other.0 && self.may_be_equal(one, other));
        if may_meet {
            let span = self.tree.node(a).span.to(self.tree.node(b).span);
            let text = format!("in `{}` different objects lie apart", self.text(span));
            let span = self.span(span);
            self.program.assume_choice(&text, span);
        }
    }

    fn may_be_equal(&self, one: Target, other: Target) -> bool {
        let is_string = |(object, _): Target| {
            let object = self.tree.object(object);
            object.name.is_empty() && object.owner.is_none() && !object.initial.stores.is_empty()
        };
        let is_end = |(object, offset): Target| {
            let size = self.types().size(self.tree.object(object).ty);
            offset.is_none() || offset == size
        };
        let is_start = |(_, offset): Target| offset.is_none_or(|offset| offset == 0);
        is_string(one) && is_string(other)
            || is_end(one) && is_start(other)
            || is_end(other) && is_start(one)
    }

    /// Notes that variables of functions are not used after their time, where their addresses may
    /// be left behind. (One that is used outside its block, but inside its function, is not
    /// noticed.)
    pub(super) fn are_alive(&mut self) {
        for object in self.points.left_behind(self.tree) {
            let Object { name, span, .. } = self.tree.object(object);
            let text = format!("`{name}` is not used after its function has returned");
            let span = self.span(*span);
            self.program.assume(&text, span);
        }
    }
}

impl Points {
    /// Variables of functions whose addresses functions return, or keep where others find them.
    fn left_behind(&self, tree: &Tree) -> Vec<ObjectId> {
        let allocated: FxHashSet<ObjectId> = self.allocations.values().copied().collect();
        let mut found: Vec<ObjectId> = (0..tree.objects.len() as u32).map(ObjectId).collect();
        found.retain(|object| {
            let Object { owner: Some(owner), name, .. } = tree.object(*object) else {
                return false;
            };
            !name.is_empty()
                && self.addressed.contains(object)
                && !allocated.contains(object)
                && self.outlives(tree, *object, *owner)
        });
        found
    }
}
