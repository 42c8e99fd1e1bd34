//! Which objects a pointer may point to: an inclusion-based analysis after Andersen (1994), over
//! the leaves of objects, without regard to the order of statements. A target is an object and an
//! offset in bytes; the offset is forgotten once a pointer moves inside an array.
//!
//! Soundness: a value that is not covered here is either constant, an arbitrary uninitialised one
//! (using it as a pointer is undefined), or *unknown*, which lowering refuses to dereference.

use super::allocate::{POOL, pool_stride};
use super::callee::{Callee, classify};
use super::layout::{Dimension, Leaf, leaves, term_bits};
use super::shape::{Walk, jumps_back};
use super::views::reinterpreted;
use crate::error::Fault;
use crate::tree::*;
use crate::types::{Ty, Type};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;

/// An object and where in it; without an offset anywhere.
pub type Target = (ObjectId, Option<u64>);

/// How many places of one object a pointer may point to before they are no longer told apart.
const MOST_OFFSETS: usize = 32;

/// Where a pointer may point.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct PointsTo {
    /// To these.
    pub targets: BTreeSet<Target>,
    /// To these functions.
    pub functions: BTreeSet<FunctionId>,
    /// And to what is not known.
    pub is_unknown: bool,
}

impl PointsTo {
    fn one(target: Target) -> PointsTo {
        PointsTo { targets: BTreeSet::from([target]), ..PointsTo::default() }
    }

    /// Whether it may be no address at all.
    pub fn is_nothing(&self) -> bool {
        self.targets.is_empty() && self.functions.is_empty() && !self.is_unknown
    }

    /// Adds the targets of another; true if that changes anything.
    fn extend(&mut self, other: &PointsTo) -> bool {
        let mut is_changed = other.is_unknown && !self.is_unknown;
        self.is_unknown |= other.is_unknown;
        for &function in &other.functions {
            is_changed |= self.functions.insert(function);
        }
        for &target in &other.targets {
            is_changed |= self.insert(target);
        }
        is_changed
    }

    /// Adds a target. Anywhere in an object is more than somewhere in it, and many places of an
    /// object are taken as anywhere.
    fn insert(&mut self, (object, offset): Target) -> bool {
        if self.targets.contains(&(object, None)) {
            return false;
        }
        if offset.is_some() && !self.targets.insert((object, offset)) {
            return false;
        }
        let of_object = (object, None)..=(object, Some(u64::MAX));
        if offset.is_none() || self.targets.range(of_object.clone()).count() > MOST_OFFSETS {
            let known: Vec<Target> = self.targets.range(of_object).copied().collect();
            for target in known {
                self.targets.remove(&target);
            }
            self.targets.insert((object, None));
        }
        true
    }

    /// The same with every offset changed; those that leave their object are forgotten.
    fn moved(&self, points: &Points, tree: &Tree, by: Option<u64>) -> PointsTo {
        let moved = self.targets.iter().map(|&(object, offset)| {
            let size = tree.types.size(tree.object(object).ty).unwrap_or(0);
            let offset = offset.zip(by).and_then(|(offset, by)| offset.checked_add(by));
            let around = usize::from(tree.object(object).extent == Extent::Pool);
            let is_array = points
                .layouts
                .get(&object)
                .is_some_and(|leaves| leaves.iter().any(|leaf| leaf.dimensions.len() > around));
            (object, offset.filter(|&offset| offset < size && (!is_array || by == Some(0))))
        });
        PointsTo { targets: moved.collect(), ..self.clone() }
    }
}

/// The result of the analysis.
#[derive(Default)]
pub struct Points {
    /// The leaves of every object.
    pub layouts: FxHashMap<ObjectId, Vec<Leaf>>,
    /// What each leaf may hold.
    pub(super) sets: FxHashMap<(ObjectId, usize), PointsTo>,
    /// What each function may return, by leaf.
    results: FxHashMap<(FunctionId, usize), PointsTo>,
    /// The object of each allocation.
    pub allocations: FxHashMap<NodeId, ObjectId>,
    /// Objects whose address is a value somewhere.
    pub addressed: FxHashSet<ObjectId>,
    /// Storage that is not the program's: only its first element is followed.
    pub outside: FxHashSet<ObjectId>,
    /// Allocations that are also used as objects of another type.
    pub reinterpreted: FxHashSet<ObjectId>,
}

/// A value that flows somewhere.
enum Flow {
    Place(NodeId, NodeId, bool),
    Param(ObjectId, NodeId),
    Result(FunctionId, NodeId),
}

/// Analyses a program whose allocations have their objects already.
pub fn points(tree: &Tree, allocations: FxHashMap<NodeId, ObjectId>) -> Result<Points, Fault> {
    let mut points = Points { allocations, ..Points::default() };
    for index in 0..tree.objects.len() {
        let object = &tree.objects[index];
        let id = ObjectId(index as u32);
        if tree.types.size(object.ty).is_some() && tree.types.refused(object.ty).is_none() {
            let mut found = leaves(&tree.types, &tree.names, object.ty, object.span)?;
            if object.extent == Extent::Pool {
                let stride = pool_stride(tree.types.size(object.ty).unwrap_or(0));
                for leaf in &mut found {
                    leaf.dimensions.insert(0, Dimension { count: POOL, stride });
                    leaf.path.insert_str(0, "[]");
                }
            }
            points.layouts.insert(id, found);
        }
    }
    let (flows, nodes) = flows(tree, &mut points);
    points.mark_outside(tree);
    loop {
        let mut is_changed = false;
        for flow in &flows {
            is_changed |= points.apply(tree, flow);
        }
        if !is_changed {
            points.reinterpreted = reinterpreted(tree, &points, &nodes);
            return Ok(points);
        }
    }
}

/// All flows of a program and all its expressions, and the objects whose address is taken.
fn flows(tree: &Tree, points: &mut Points) -> (Vec<Flow>, Vec<NodeId>) {
    let mut flows = Vec::new();
    let mut nodes = Vec::new();
    for &id in &tree.reached {
        let Some(body) = tree.function(id).body else { continue };
        let mut walk = Walk::new(tree);
        walk.stmt(body, jumps_back(tree, body));
        nodes.extend(walk.visited.into_iter().map(|(node, _)| node));
        flows.extend(walk.returned.into_iter().map(|value| Flow::Result(id, value)));
    }
    for &id in &tree.globals {
        for &(place, value) in &tree.object(id).initial.stores {
            nodes.extend([place, value]);
            flows.push(Flow::Place(place, value, false));
        }
    }
    for stmt in &tree.stmts {
        match &stmt.kind {
            StmtKind::Declare(object) => {
                let stores = &tree.object(*object).initial.stores;
                flows.extend(stores.iter().map(|&(place, value)| Flow::Place(place, value, false)));
            }
            _ => continue,
        }
    }
    for &node in &nodes {
        match &tree.node(node).kind {
            Kind::Assign(place, value) => flows.push(Flow::Place(*place, *value, false)),
            Kind::Update { place, value, .. } => flows.push(Flow::Place(*place, *value, true)),
            Kind::Call(callee, args) => {
                let params = &tree.function(*callee).params;
                let pairs = params.iter().zip(args);
                flows.extend(pairs.map(|(&param, &arg)| Flow::Param(param, arg)));
            }
            Kind::Address(place) => {
                points.addressed.extend(root(tree, *place));
            }
            _ => {}
        }
    }
    points.addressed.extend(points.allocations.values());
    (flows, nodes)
}

/// The object that a place is a part of, if no pointer is in between.
pub fn root(tree: &Tree, mut place: NodeId) -> Option<ObjectId> {
    loop {
        match tree.node(place).kind {
            Kind::Object(object) => return Some(object),
            Kind::Member(base, _) | Kind::Index(base, _) => place = base,
            _ => return None,
        }
    }
}

/// The offset of a member.
pub fn member_offset(tree: &Tree, ty: Ty, index: usize) -> u64 {
    match tree.types.get(ty) {
        Type::Record(id) => {
            tree.types.record(*id).members.as_ref().map_or(0, |members| members[index].offset)
        }
        _ => 0,
    }
}

impl Points {
    /// Where the pointer `node` may point.
    pub fn of(&self, tree: &Tree, node: NodeId, old: Option<NodeId>) -> PointsTo {
        self.leaf_of(tree, node, 0, old)
    }

    /// Whether the address of a function's variable may be somewhere after the function: in what it
    /// returns, in a variable that lives longer, or where other functions can write by address.
    pub(super) fn outlives(&self, tree: &Tree, object: ObjectId, owner: FunctionId) -> bool {
        let has = |set: &PointsTo| set.targets.iter().any(|target| target.0 == object);
        let is_longer = |keeper: ObjectId| match tree.object(keeper).owner {
            None => true,
            Some(other) => other != owner && self.addressed.contains(&keeper),
        };
        self.results.iter().any(|((function, _), set)| *function == owner && has(set))
            || self.sets.iter().any(|((keeper, _), set)| is_longer(*keeper) && has(set))
    }

    /// Pointers from outside are not known: those in storage from outside, in variables that are
    /// defined elsewhere, and in the parameters of the entry.
    fn mark_outside(&mut self, tree: &Tree) {
        for (&call, &object) in &self.allocations {
            let Kind::Call(callee, _) = tree.node(call).kind else { continue };
            if !matches!(classify(tree, callee), Callee::Allocate) {
                self.outside.insert(object);
            }
        }
        let is_elsewhere = |id: &&ObjectId| {
            let initial = &tree.object(**id).initial;
            !initial.is_zeroed && initial.stores.is_empty()
        };
        let globals = tree.globals.iter().filter(is_elsewhere);
        let entry = tree.reached.first().map(|&entry| tree.function(entry).params.as_slice());
        let objects = self.outside.iter().chain(globals).chain(entry.unwrap_or_default());
        for &object in objects {
            for (at, leaf) in self.layouts.get(&object).into_iter().flatten().enumerate() {
                if leaf.is_union || tree.types.pointee(leaf.ty).is_some() {
                    self.sets.entry((object, at)).or_default().is_unknown = true;
                }
            }
        }
    }

    fn apply(&mut self, tree: &Tree, flow: &Flow) -> bool {
        let value = match flow {
            Flow::Place(_, value, _) | Flow::Param(_, value) | Flow::Result(_, value) => *value,
        };
        let ty = tree.node(value).ty;
        let parts = match tree.types.get(ty) {
            Type::Record(_) => {
                leaves(&tree.types, &tree.names, ty, tree.node(value).span).unwrap_or_default()
            }
            _ => vec![],
        };
        let mut is_changed = false;
        for part in 0..parts.len().max(1) {
            let old = match flow {
                Flow::Place(place, _, true) => Some(*place),
                _ => None,
            };
            let set = self.leaf_of(tree, value, part, old);
            if set == PointsTo::default() {
                continue;
            }
            match *flow {
                Flow::Place(place, ..) => {
                    for cell in self.cells(tree, place, parts.get(part)) {
                        is_changed |= self.sets.entry(cell).or_default().extend(&set);
                    }
                }
                Flow::Param(object, _) => {
                    is_changed |= self.sets.entry((object, part)).or_default().extend(&set);
                }
                Flow::Result(function, _) => {
                    is_changed |= self.results.entry((function, part)).or_default().extend(&set);
                }
            }
        }
        is_changed
    }

    /// What a value, or this leaf of a record value, may point to.
    fn leaf_of(&self, tree: &Tree, node: NodeId, part: usize, old: Option<NodeId>) -> PointsTo {
        let recurse = |node| self.leaf_of(tree, node, part, old);
        match &tree.node(node).kind {
            Kind::Load(place) => self.held(tree, *place, part),
            Kind::Old => old.map_or(PointsTo::default(), |place| self.held(tree, place, part)),
            Kind::Address(place) => self.targets(tree, *place),
            Kind::FunctionAddress(function) => {
                PointsTo { functions: BTreeSet::from([*function]), ..PointsTo::default() }
            }
            Kind::PointerAdd { pointer, index, stride, is_minus } => {
                let by = tree.constant(*index).filter(|_| !is_minus);
                let by = by.and_then(|index| index.checked_mul(*stride));
                recurse(*pointer).moved(self, tree, by)
            }
            Kind::Convert(a) => {
                let mut set = recurse(*a);
                let types = &tree.types;
                let is_made = types.pointee(tree.node(node).ty).is_some()
                    && types.as_int(tree.node(*a).ty).is_some();
                // An integer from nowhere may be the address of anything.
                set.is_unknown |= is_made && set.is_nothing() && tree.constant(*a).is_none();
                set
            }
            Kind::Assign(_, a) | Kind::Comma(_, a) => recurse(*a),
            Kind::Statement(_, Some(a)) => recurse(*a),
            Kind::Update { place, value, .. } => {
                let mut set = self.leaf_of(tree, *value, part, Some(*place));
                set.extend(&self.held(tree, *place, part));
                set
            }
            Kind::Conditional(_, t, e) => {
                let mut set = recurse(*t);
                set.extend(&recurse(*e));
                set
            }
            Kind::Binary(op, a, b) if !is_comparison(*op) => {
                // Integers that were pointers: somewhere in the same objects.
                let mut set = recurse(*a);
                set.extend(&recurse(*b));
                set.moved(self, tree, None)
            }
            Kind::Unary(UnaryOp::Complement | UnaryOp::Minus, a) => {
                recurse(*a).moved(self, tree, None)
            }
            Kind::Call(callee, _) => match self.allocations.get(&node) {
                Some(&object) => PointsTo::one((object, Some(0))),
                None if tree.function(*callee).body.is_none() => {
                    let is_unknown = tree.types.pointee(tree.node(node).ty).is_some();
                    PointsTo { is_unknown, ..PointsTo::default() }
                }
                None => self.results.get(&(*callee, part)).cloned().unwrap_or_default(),
            },
            _ => PointsTo::default(),
        }
    }

    /// What a place, or this leaf of a record place, may hold.
    fn held(&self, tree: &Tree, place: NodeId, part: usize) -> PointsTo {
        let ty = tree.node(place).ty;
        let part = match tree.types.get(ty) {
            Type::Record(_) => {
                let span = tree.node(place).span;
                leaves(&tree.types, &tree.names, ty, span).unwrap_or_default().get(part).cloned()
            }
            _ => None,
        };
        let mut set = PointsTo::default();
        for cell in self.cells(tree, place, part.as_ref()) {
            if let Some(held) = self.sets.get(&cell) {
                set.extend(held);
            }
        }
        set
    }

    /// The leaves that a place, or this leaf of it, may be.
    fn cells(&self, tree: &Tree, place: NodeId, part: Option<&Leaf>) -> Vec<(ObjectId, usize)> {
        let inner = part.map_or(0, |leaf| leaf.offset);
        let ty = part.map_or(tree.node(place).ty, |leaf| leaf.ty);
        let Some(bits) = part.map(|leaf| leaf.bits).or_else(|| term_bits(&tree.types, ty)) else {
            return Vec::new();
        };
        let mut cells = Vec::new();
        if let Some(object) = root(tree, place) {
            // Indices do not matter for the leaf, only members do.
            let offset = member_offsets(tree, place) + inner;
            let leaves = self.layouts.get(&object).map_or(&[][..], Vec::as_slice);
            let is_it = |leaf: &Leaf| {
                leaf.offset == offset
                    || leaf.is_union && leaf.offset <= offset && offset < leaf.offset + leaf.bytes
            };
            cells.extend(leaves.iter().position(is_it).map(|index| (object, index)));
            return cells;
        }
        for (object, offset) in self.targets(tree, place).targets {
            let leaves = self.layouts.get(&object).map_or(&[][..], Vec::as_slice);
            for (index, leaf) in leaves.iter().enumerate() {
                let may_be = match offset {
                    Some(offset) => covers(leaf, offset + inner),
                    None => leaf.is_union || leaf.bits == bits && same_class(tree, leaf.ty, ty),
                };
                if may_be {
                    cells.push((object, index));
                }
            }
        }
        cells
    }

    /// The addresses that a place may have.
    pub fn targets(&self, tree: &Tree, place: NodeId) -> PointsTo {
        match tree.node(place).kind {
            Kind::Object(object) => PointsTo::one((object, Some(0))),
            Kind::Deref(pointer) => self.of(tree, pointer, None),
            Kind::Member(base, index) => {
                let by = member_offset(tree, tree.node(base).ty, index);
                let mut set = self.targets(tree, base);
                let moved = set.targets.iter().map(|&(object, offset)| {
                    (object, offset.and_then(|offset| offset.checked_add(by)))
                });
                set.targets = moved.collect();
                set
            }
            Kind::Index(base, index) => {
                let stride = tree.types.size(tree.node(place).ty).unwrap_or(0);
                let by = tree.constant(index).and_then(|index| index.checked_mul(stride));
                let mut set = self.targets(tree, base);
                let moved = set.targets.iter().map(|&(object, offset)| {
                    let size = tree.types.size(tree.object(object).ty).unwrap_or(0);
                    let offset = offset.zip(by).and_then(|(offset, by)| offset.checked_add(by));
                    (object, offset.filter(|&offset| offset < size))
                });
                set.targets = moved.collect();
                set
            }
            _ => PointsTo::default(),
        }
    }
}

fn is_comparison(op: crate::ast::BinaryOp) -> bool {
    use crate::ast::BinaryOp::*;
    matches!(op, Lt | Gt | Le | Ge | Eq | Ne)
}

/// The offsets of all members on the way to a place.
pub fn member_offsets(tree: &Tree, mut place: NodeId) -> u64 {
    let mut offset = 0;
    loop {
        match tree.node(place).kind {
            Kind::Member(base, index) => {
                offset += member_offset(tree, tree.node(base).ty, index);
                place = base;
            }
            Kind::Index(base, _) => place = base,
            _ => return offset,
        }
    }
}

/// Whether both types are pointers or both are integers: an object of the one kind may not be
/// accessed as the other (C11 6.5p7).
pub fn same_class(tree: &Tree, a: Ty, b: Ty) -> bool {
    tree.types.pointee(a).is_some() == tree.types.pointee(b).is_some()
}

/// Whether a byte of an object belongs to a leaf.
fn covers(leaf: &Leaf, offset: u64) -> bool {
    decode(leaf, offset).is_some()
}

/// Which instance of a leaf a byte belongs to, and which byte of it this is.
pub fn decode(leaf: &Leaf, offset: u64) -> Option<(u64, u64)> {
    let mut rest = offset.checked_sub(leaf.offset)?;
    let mut instance = 0;
    for dimension in &leaf.dimensions {
        let index = rest.checked_div(dimension.stride)?;
        if index >= dimension.count {
            return None;
        }
        rest -= index * dimension.stride;
        instance = instance * dimension.count + index;
    }
    (rest < leaf.bytes).then_some((instance, rest))
}
