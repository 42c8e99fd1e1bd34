//! Functions that allocate for their callers, such as `void *xmalloc(size_t n) { … malloc(n) … }`.
//! The type of what they allocate is known where they are called, and differs from call to call. So
//! each call gets a copy of the function, in which the allocation has the type of the call, and
//! parameters that the function does not change are the constants that the call gives. A copy is
//! the same function, so any number of copies means the same program.

use super::all_calls;
use super::allocate::{Uses, sized};
use super::callee::{Callee, classify};
use super::shape::{Calls, Walk};
use crate::fold::{self, Format};
use crate::tree::*;
use crate::types::{Ty, Type};
use rustc_hash::{FxHashMap, FxHashSet};

/// The most copies of one program; further calls share the function, and are refused if their
/// allocation has no type.
const MOST_COPIES: usize = 256;

/// Copies the functions that allocate for their callers; the types of the allocations in them.
pub fn copy(tree: &mut Tree) -> FxHashMap<NodeId, Ty> {
    let mut hints = FxHashMap::default();
    let wrappers = wrappers(tree);
    if wrappers.is_empty() {
        return hints;
    }
    let uses = Uses::new(tree);
    let is_wrapper = |tree: &Tree, call: NodeId| match tree.node(call).kind {
        Kind::Call(callee, _) => wrappers.contains(&callee),
        _ => false,
    };
    // Calls of wrappers outside of wrappers, and then those in their copies.
    let calls = all_calls(tree).into_iter();
    let mut waiting: Vec<(NodeId, Option<Ty>)> = calls
        .filter(|(caller, call)| !wrappers.contains(caller) && is_wrapper(tree, *call))
        .map(|(_, call)| (call, None))
        .collect();
    let mut copies = 0;
    while let Some((call, inherited)) = waiting.pop() {
        let Kind::Call(callee, args) = tree.node(call).kind.clone() else { continue };
        if copies == MOST_COPIES {
            break;
        }
        copies += 1;
        let hint = uses.view(tree, call).or_else(|| sized(tree, &args)).or(inherited);
        let (copied, inner) = Copy::of(tree, callee, &args);
        tree.nodes[call.index()].kind = Kind::Call(copied, args);
        for (old, new) in inner {
            // A use in the function itself is nearer than that of its caller.
            let hint = uses.view(tree, old).or(hint);
            match is_wrapper(tree, new) {
                true => waiting.push((new, hint)),
                false => hints.extend(hint.map(|hint| (new, hint))),
            }
        }
    }
    tree.reached.retain(|function| !wrappers.contains(function) || copies == MOST_COPIES);
    hints
}

/// The functions that return pointers and whose allocations have no type, or no constant size: in
/// themselves, or in such functions that they call.
fn wrappers(tree: &Tree) -> FxHashSet<FunctionId> {
    let mut found = FxHashSet::default();
    let is_allocation = |&(_, call): &(FunctionId, NodeId)| {
        matches!(tree.node(call).kind, Kind::Call(callee, _)
            if classify(tree, callee) == Callee::Allocate)
    };
    let calls = all_calls(tree);
    if !calls.iter().any(is_allocation) {
        return found;
    }
    let (uses, recursive) = (Uses::new(tree), Calls::new(tree).recursive);
    let taken: FxHashSet<FunctionId> = tree
        .nodes
        .iter()
        .filter_map(|node| match node.kind {
            Kind::FunctionAddress(function) => Some(function),
            _ => None,
        })
        .collect();
    let entry = tree.reached.first().copied();
    loop {
        let before = found.len();
        for &(caller, call) in &calls {
            let Kind::Call(callee, ref args) = tree.node(call).kind else { continue };
            let is_open = match classify(tree, callee) {
                Callee::Allocate => {
                    let is_typed = uses.view(tree, call).is_some() || sized(tree, args).is_some();
                    !is_typed || args.iter().any(|&arg| tree.constant(arg).is_none())
                }
                _ => found.contains(&callee),
            };
            let returns = tree.types.pointee(tree.function(caller).result).is_some();
            let can_be = returns && Some(caller) != entry && !taken.contains(&caller);
            if is_open && can_be && !recursive.contains(&caller) {
                found.insert(caller);
            }
        }
        if found.len() == before {
            return found;
        }
    }
}

/// A copy of a function that is being made.
struct Copy<'t> {
    tree: &'t mut Tree,
    from: FunctionId,
    to: FunctionId,
    objects: FxHashMap<ObjectId, ObjectId>,
    /// Parameters that are constants in the copy.
    constants: FxHashMap<ObjectId, NodeId>,
    /// Calls of the function and what they became.
    calls: Vec<(NodeId, NodeId)>,
}

impl Copy<'_> {
    /// The copy of a function for a call with these arguments, and the calls in it.
    fn of(
        tree: &mut Tree,
        from: FunctionId,
        args: &[NodeId],
    ) -> (FunctionId, Vec<(NodeId, NodeId)>) {
        let to = FunctionId(tree.functions.len() as u32);
        let function = tree.function(from).clone();
        let changed = changed(tree, &function);
        let constants = function.params.iter().zip(args).filter_map(|(&param, &arg)| {
            let is_constant = tree.constant(arg).is_some() && !changed.contains(&param);
            is_constant.then_some((param, arg))
        });
        let constants = constants.collect();
        tree.functions.push(function.clone());
        tree.reached.push(to);
        let objects = FxHashMap::default();
        let mut copy = Copy { tree, from, to, objects, constants, calls: Vec::new() };
        let params = function.params.iter().map(|&param| copy.object(param)).collect();
        let body = function.body.map(|body| copy.stmt(body));
        let calls = copy.calls;
        tree.functions[to.index()].params = params;
        tree.functions[to.index()].body = body;
        (to, calls)
    }

    /// The copy of an object of the function; others are shared.
    fn object(&mut self, id: ObjectId) -> ObjectId {
        if self.tree.object(id).owner != Some(self.from) {
            return id;
        }
        if let Some(&known) = self.objects.get(&id) {
            return known;
        }
        let new = ObjectId(self.tree.objects.len() as u32);
        let mut object = self.tree.object(id).clone();
        self.objects.insert(id, new);
        object.owner = Some(self.to);
        self.tree.objects.push(object.clone());
        let stores = object.initial.stores.iter();
        object.initial.stores =
            stores.map(|&(place, value)| (self.node(place), self.node(value))).collect();
        if let Extent::Length(length) = object.extent {
            object.extent = Extent::Length(self.node(length));
        }
        self.tree.objects[new.index()] = object;
        new
    }

    fn node(&mut self, id: NodeId) -> NodeId {
        let node = self.tree.node(id).clone();
        let kind = match node.kind {
            Kind::Load(place) => match self.constant(place) {
                Some(constant) => {
                    let size = self.tree.sizes.get(&constant).copied();
                    let new =
                        self.add(Node { span: node.span, ..self.tree.node(constant).clone() });
                    self.tree.sizes.extend(size.map(|size| (new, size)));
                    return new;
                }
                None => Kind::Load(self.node(place)),
            },
            Kind::Object(object) => Kind::Object(self.object(object)),
            Kind::Statement(block, value) => {
                Kind::Statement(self.stmt(block), value.map(|value| self.node(value)))
            }
            kind => {
                let inner: Vec<NodeId> = kind.inner();
                let copied: Vec<NodeId> = inner.iter().map(|&inner| self.node(inner)).collect();
                let mut copied = copied.into_iter();
                kind.with_inner(|old| copied.next().unwrap_or(old))
            }
        };
        let (folded, size) = self.folded(&kind, node.ty);
        let is_call = matches!(kind, Kind::Call(..));
        let new = self.add(Node { kind: folded.unwrap_or(kind), ..node });
        let size = size.or_else(|| self.tree.sizes.get(&id).copied());
        self.tree.sizes.extend(size.map(|size| (new, size)));
        let unordered = self.tree.unordered.get(&id).copied();
        self.tree.unordered.extend(unordered.map(|count| (new, count)));
        if is_call {
            self.calls.push((id, new));
        }
        new
    }

    fn add(&mut self, node: Node) -> NodeId {
        self.tree.nodes.push(node);
        NodeId(self.tree.nodes.len() as u32 - 1)
    }

    /// The constant that a place is in the copy.
    fn constant(&self, place: NodeId) -> Option<NodeId> {
        match self.tree.node(place).kind {
            Kind::Object(object) => self.constants.get(&object).copied(),
            _ => None,
        }
    }

    /// Conversions and products of constants, and the type whose size they are.
    fn folded(&self, kind: &Kind, ty: Ty) -> (Option<Kind>, Option<Ty>) {
        let none = (None, None);
        let format = |ty: Ty| {
            let is_int = matches!(self.tree.types.get(ty), Type::Int(_));
            let bits = self.tree.types.bits(ty).filter(|_| is_int)?;
            Some(Format { bits, is_signed: self.tree.types.is_signed(ty) })
        };
        let value =
            |node: NodeId| Some((self.tree.constant(node)?, format(self.tree.node(node).ty)?));
        let size = |node: &NodeId| self.tree.sizes.get(node).copied();
        let Some(to) = format(ty) else { return none };
        match kind {
            Kind::Convert(a) => match value(*a) {
                Some((bits, from)) => (Some(Kind::Const(to.wrap(from.value(bits)))), size(a)),
                None => none,
            },
            Kind::Binary(op, a, b) => match (value(*a), value(*b)) {
                (Some((x, first)), Some((y, second))) => {
                    let folded = fold::binary(*op, first, x, y, second).map(Kind::Const);
                    (folded, size(a).or_else(|| size(b)))
                }
                _ => none,
            },
            _ => none,
        }
    }

    fn stmt(&mut self, id: StmtId) -> StmtId {
        let Stmt { kind, span } = self.tree.stmt(id).clone();
        let kind = match kind {
            StmtKind::Expr(node) => StmtKind::Expr(self.node(node)),
            StmtKind::Declare(object) => StmtKind::Declare(self.object(object)),
            StmtKind::Block(list) => {
                StmtKind::Block(list.into_iter().map(|inner| self.stmt(inner)).collect())
            }
            StmtKind::If { arms, otherwise } => {
                let arms = arms.into_iter();
                let arms =
                    arms.map(|(c, body, span)| (self.node(c), self.stmt(body), span)).collect();
                StmtKind::If { arms, otherwise: otherwise.map(|inner| self.stmt(inner)) }
            }
            StmtKind::While(c, body) => StmtKind::While(self.node(c), self.stmt(body)),
            StmtKind::DoWhile(body, c) => StmtKind::DoWhile(self.stmt(body), self.node(c)),
            StmtKind::For { init, condition, step, body } => StmtKind::For {
                init: init.map(|inner| self.stmt(inner)),
                condition: condition.map(|node| self.node(node)),
                step: step.map(|node| self.node(node)),
                body: self.stmt(body),
            },
            StmtKind::Switch(value, body) => StmtKind::Switch(self.node(value), self.stmt(body)),
            StmtKind::Case(low, high, body) => StmtKind::Case(low, high, self.stmt(body)),
            StmtKind::Default(body) => StmtKind::Default(self.stmt(body)),
            StmtKind::Label(name, body) => StmtKind::Label(name, self.stmt(body)),
            StmtKind::Return(value) => StmtKind::Return(value.map(|node| self.node(node))),
            StmtKind::End(objects) => {
                StmtKind::End(objects.into_iter().map(|object| self.object(object)).collect())
            }
            kind @ (StmtKind::Empty | StmtKind::Goto(_) | StmtKind::Break | StmtKind::Continue) => {
                kind
            }
        };
        self.tree.stmts.push(Stmt { kind, span });
        StmtId(self.tree.stmts.len() as u32 - 1)
    }
}

/// The objects that a function assigns to, or whose address it takes.
fn changed(tree: &Tree, function: &Function) -> FxHashSet<ObjectId> {
    let mut walk = Walk::new(tree);
    if let Some(body) = function.body {
        walk.stmt(body, false);
    }
    let place = |node: NodeId| match tree.node(node).kind {
        Kind::Assign(place, _) | Kind::Update { place, .. } | Kind::Address(place) => Some(place),
        _ => None,
    };
    let places = walk.visited.iter().filter_map(|(node, _)| place(*node));
    places.filter_map(|place| super::points::root(tree, place)).collect()
}
