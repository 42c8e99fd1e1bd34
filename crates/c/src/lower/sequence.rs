//! Expressions that change a variable and use it a second time in no order, such as `i = i++` or
//! `a[i] = i++`, have no defined behaviour (C11 6.5p2). They are refused.
//!
//! For each expression the scalar variables are found that it surely reads and writes. Two operands
//! that are not ordered must not meet in a variable that one of them writes. An assignment comes
//! after the values of its operands, but not after their side effects, unless something orders
//! these: `,`, a call, or the first operand of `&&`, `||` and `?:`. What is only evaluated under a
//! condition is looked into, but does not count outside. Variables that are reached through
//! pointers, and parts of structs and arrays, are not looked at.

use super::Lowered;
use super::shape::Walk;
use crate::error::Fault;
use crate::source::Span;
use crate::tree::*;

/// What the evaluation of an expression does to variables.
#[derive(Default)]
struct Effects {
    reads: Vec<ObjectId>,
    writes: Vec<ObjectId>,
    /// What is written by side effects that nothing orders before the end of the expression.
    open: Vec<ObjectId>,
}

impl Effects {
    fn add(&mut self, other: Effects) {
        self.reads.extend(other.reads);
        self.writes.extend(other.writes);
        self.open.extend(other.open);
    }

    /// The same, with all side effects done.
    fn done(self) -> Effects {
        Effects { open: Vec::new(), ..self }
    }
}

/// Refuses programs in which a variable is changed and used in no order.
pub fn check(tree: &Tree) -> Lowered<()> {
    for &function in &tree.reached {
        let Some(body) = tree.function(function).body else { continue };
        let mut walk = Walk::new(tree);
        walk.stmt(body, false);
        for stmt in walk.statements {
            for node in full_expressions(tree, stmt) {
                effects(tree, node)?;
            }
        }
    }
    Ok(())
}

/// The expressions of a statement, without those of the statements inside.
fn full_expressions(tree: &Tree, stmt: StmtId) -> Vec<NodeId> {
    match &tree.stmt(stmt).kind {
        StmtKind::Expr(node) | StmtKind::Return(Some(node)) | StmtKind::Switch(node, _) => {
            vec![*node]
        }
        StmtKind::While(condition, _) | StmtKind::DoWhile(_, condition) => vec![*condition],
        StmtKind::If { arms, .. } => arms.iter().map(|(condition, ..)| *condition).collect(),
        StmtKind::For { condition, step, .. } => condition.iter().chain(step).copied().collect(),
        StmtKind::Declare(object) => {
            let Object { extent, initial, .. } = tree.object(*object);
            let length = match extent {
                Extent::Length(length) => Some(*length),
                _ => None,
            };
            initial.stores.iter().map(|(_, value)| *value).chain(length).collect()
        }
        _ => Vec::new(),
    }
}

/// The variable that a place is, if it is a scalar with a name.
fn variable(tree: &Tree, place: NodeId) -> Option<ObjectId> {
    match tree.node(place).kind {
        Kind::Object(object) => {
            let is_named = !tree.object(object).name.is_empty();
            (is_named && tree.types.is_scalar(tree.object(object).ty)).then_some(object)
        }
        _ => None,
    }
}

fn effects(tree: &Tree, id: NodeId) -> Lowered<Effects> {
    let node = tree.node(id);
    match &node.kind {
        Kind::And(a, b) | Kind::Or(a, b) => {
            effects(tree, *b)?;
            Ok(effects(tree, *a)?.done())
        }
        Kind::Conditional(c, t, e) => {
            effects(tree, *t)?;
            effects(tree, *e)?;
            Ok(effects(tree, *c)?.done())
        }
        Kind::Comma(..) if tree.unordered.contains_key(&id) => {
            let (operands, rest) = tree.unordered_operands(id);
            let mut found = unordered(tree, &operands, node.span)?.done();
            found.add(effects(tree, rest)?);
            Ok(found)
        }
        Kind::Comma(a, b) => {
            let mut found = effects(tree, *a)?.done();
            found.add(effects(tree, *b)?);
            Ok(found)
        }
        Kind::Call(_, args) => Ok(unordered(tree, args, node.span)?.done()),
        Kind::Assign(place, value) | Kind::Update { place, value, .. } => {
            let mut found = unordered(tree, &[*place, *value], node.span)?;
            let Some(object) = variable(tree, *place) else { return Ok(found) };
            if found.open.contains(&object) {
                return Err(no_order(tree, object, node.span));
            }
            if let Kind::Update { .. } = node.kind {
                found.reads.push(object);
            }
            found.writes.push(object);
            found.open.push(object);
            Ok(found)
        }
        // Its statements have expressions of their own.
        Kind::Statement(..) => Ok(Effects::default()),
        Kind::Load(place) => {
            let mut found = effects(tree, *place)?;
            found.reads.extend(variable(tree, *place));
            Ok(found)
        }
        kind => unordered(tree, &kind.inner(), node.span),
    }
}

/// The effects of operands that are evaluated in no order.
fn unordered(tree: &Tree, operands: &[NodeId], span: Span) -> Lowered<Effects> {
    let mut all = Effects::default();
    for &operand in operands {
        let next = effects(tree, operand)?;
        let meets = |writes: &[ObjectId], other: &Effects| {
            let is_used = |o: &&ObjectId| other.reads.contains(o) || other.writes.contains(o);
            writes.iter().find(is_used).copied()
        };
        if let Some(object) = meets(&all.writes, &next).or_else(|| meets(&next.writes, &all)) {
            return Err(no_order(tree, object, span));
        }
        all.add(next);
    }
    Ok(all)
}

fn no_order(tree: &Tree, object: ObjectId, span: Span) -> Fault {
    let name = &tree.object(object).name;
    let what = format!("an expression that changes `{name}` and uses it a second time in no order");
    Fault::unsupported(span, what)
        .hint("its behaviour is undefined (C11 6.5p2); use two statements")
}
