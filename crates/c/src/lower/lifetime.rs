//! Variables of inner blocks: a pointer to one must not be used when the block has ended (C11
//! 6.2.4p2).
//!
//! Where a pointer outside the block may hold the address of a variable, a bit says that the block
//! has ended, and accesses through pointers carry the check that it is not set, as with `free`.
//! Only the end of a block sets it, and no jump out of it. A block that can be entered by a jump
//! does not begin with its declarations, so its variables have no bit.

use super::Lowerer;
use super::points::Points;
use super::shape::{Walk, has_label};
use crate::source::Span;
use crate::tree::*;
use pedra_model::term::Sort;
use pedra_program::VariableId;
use rustc_hash::FxHashSet;

/// The variables of inner blocks whose addresses may be left behind.
pub fn mortal(tree: &Tree, points: &Points) -> FxHashSet<ObjectId> {
    let mut found = FxHashSet::default();
    for &function in &tree.reached {
        let Some(body) = tree.function(function).body else { continue };
        let mut walk = Walk::new(tree);
        walk.stmt(body, false);
        for block in walk.statements {
            let StmtKind::Block(list) = &tree.stmt(block).kind else { continue };
            let Some(StmtKind::End(objects)) = list.last().map(|&last| &tree.stmt(last).kind)
            else {
                continue;
            };
            let is_addressed = |object: &&ObjectId| points.addressed.contains(object);
            if has_label(tree, block) || !objects.iter().any(|object| is_addressed(&object)) {
                continue;
            }
            let inside = declared_in(tree, block);
            let is_left = |object: &&ObjectId| points.is_left(tree, **object, function, &inside);
            found.extend(objects.iter().filter(is_addressed).filter(is_left).copied());
        }
    }
    found
}

/// The variables that are declared in a statement.
fn declared_in(tree: &Tree, stmt: StmtId) -> FxHashSet<ObjectId> {
    let mut walk = Walk::new(tree);
    walk.stmt(stmt, false);
    let declared = walk.statements.into_iter().filter_map(|stmt| match tree.stmt(stmt).kind {
        StmtKind::Declare(object) => Some(object),
        _ => None,
    });
    declared.collect()
}

impl Points {
    /// Whether something outside a block may hold the address of a variable of it: a variable of
    /// the function, one that others can write by address, or storage that lives longer.
    fn is_left(
        &self,
        tree: &Tree,
        object: ObjectId,
        function: FunctionId,
        inside: &FxHashSet<ObjectId>,
    ) -> bool {
        let is_keeper = |keeper: &ObjectId| {
            let Object { owner, name, .. } = tree.object(*keeper);
            let is_local = *owner == Some(function) && !name.is_empty();
            let is_longer = owner.is_none() || is_local || self.addressed.contains(keeper);
            is_longer && !inside.contains(keeper)
        };
        let has = |set: &super::points::PointsTo| set.targets.iter().any(|to| to.0 == object);
        self.sets.iter().any(|((keeper, _), set)| is_keeper(keeper) && has(set))
    }
}

impl Lowerer<'_> {
    /// The variable that says whether the block of a variable has ended, if that matters.
    pub(super) fn ended(&mut self, id: ObjectId) -> Option<VariableId> {
        if !self.mortal.contains(&id) {
            return None;
        }
        if let Some(&found) = self.ended.get(&id) {
            return Some(found);
        }
        let span = self.span(self.tree.object(id).span);
        let variable = self.program.add_variable(Sort::BOOL, None, "ended", false, span);
        self.program.globals.push(variable);
        self.zeroed.push(variable);
        self.ended.insert(id, variable);
        Some(variable)
    }

    /// A variable comes to life.
    pub(super) fn begin(&mut self, id: ObjectId) {
        self.set_ended(id, false);
    }

    /// A block ends.
    pub(super) fn end_block(&mut self, objects: &[ObjectId], span: Span) {
        for &object in objects {
            self.set_ended(object, true);
        }
        self.flush(span, "");
    }

    fn set_ended(&mut self, id: ObjectId, truth: bool) {
        if let Some(ended) = self.ended(id) {
            let truth = self.program.terms.bool(truth);
            self.set(ended, truth);
        }
    }
}
