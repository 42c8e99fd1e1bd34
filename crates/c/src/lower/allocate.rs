//! Allocations, and storage outside the program.
//!
//! An allocation that runs at most once is one object. One that may run more often is a *pool*: an
//! object with several instances, of which each run of the allocation takes the next one. A pool
//! has room for [`POOL`] instances, and one more is a limit ([`pedra_program::Program::limits`]),
//! so proofs hold for any number. Instances lie apart by more than their size, and none is used
//! twice: what was never written in one is arbitrary, as C has it.
//!
//! A pointer from outside, such as that of `__VERIFIER_nondet_pointer`, is taken to be null or to
//! point to storage of its own, which is noted as an assumption. Pointers *in* that storage are
//! from outside too, and refused where they are used.

use super::callee::{Callee, classify};
use super::shape::Calls;
use super::{Lowered, Lowerer, all_calls, build};
use crate::error::Fault;
use crate::source::Span;
use crate::tree::*;
use crate::types::{Ty, Type};
use pedra_model::term::{BinaryOp, Sort, Term, TermId};
use pedra_program::{CheckKind, InputKind, VariableId};
use rustc_hash::FxHashMap;

/// The instances of a pool. With 16 of them an index has four bits, so that the passes make
/// scalars of the instances, and engines on bits can work on them.
pub const POOL: u64 = 16;

/// Functions whose storage can be given back by `free`.
const FREEABLE: &[&str] = &["malloc", "calloc"];

/// The distance of the instances of a pool, in bytes: a power of two, so that finding the instance
/// of an address is a matter of bits.
pub fn pool_stride(size: u64) -> u64 {
    size.saturating_add(super::objects::GAP).next_power_of_two()
}

/// The types that pointers are converted to.
pub struct Uses {
    /// By the pointer.
    converted: FxHashMap<NodeId, Ty>,
    /// The variable that a call is assigned to.
    kept: FxHashMap<NodeId, ObjectId>,
    /// The type that all conversions of a variable agree on.
    variables: FxHashMap<ObjectId, Option<Ty>>,
}

impl Uses {
    /// All conversions of a program.
    pub fn new(tree: &Tree) -> Uses {
        let mut uses = Uses {
            converted: FxHashMap::default(),
            kept: FxHashMap::default(),
            variables: FxHashMap::default(),
        };
        let is_object =
            |ty: &Ty| !matches!(tree.types.get(*ty), Type::Void | Type::Function { .. });
        let variable = |place: NodeId| match tree.node(place).kind {
            Kind::Object(object) => Some(object),
            _ => None,
        };
        let stores = tree.objects.iter().flat_map(|object| &object.initial.stores);
        let assigned = tree.nodes.iter().filter_map(|node| match node.kind {
            Kind::Assign(place, value) => Some((place, value)),
            _ => None,
        });
        for (place, value) in stores.copied().chain(assigned) {
            for value in values(tree, value) {
                uses.kept.extend(variable(place).map(|object| (value, object)));
            }
        }
        for node in &tree.nodes {
            let Kind::Convert(inner) = node.kind else { continue };
            let Some(to) = tree.types.pointee(node.ty).filter(is_object) else { continue };
            uses.converted.extend(values(tree, inner).into_iter().map(|value| (value, to)));
            if let Kind::Load(place) = tree.node(inner).kind
                && let Some(object) = variable(place)
            {
                let known = uses.variables.entry(object).or_insert(Some(to));
                *known = known.filter(|known| *known == to);
            }
        }
        uses
    }

    /// What a call is used as: the type that its result is converted to, or that all conversions
    /// of the variable agree on which gets it.
    pub fn view(&self, tree: &Tree, call: NodeId) -> Option<Ty> {
        let is_object =
            |ty: &Ty| !matches!(tree.types.get(*ty), Type::Void | Type::Function { .. });
        let of_variable = || self.variables.get(self.kept.get(&call)?).copied().flatten();
        let result = || tree.types.pointee(tree.node(call).ty).filter(is_object);
        self.converted.get(&call).copied().or_else(result).or_else(of_variable)
    }
}

/// The expressions whose value may be the one of an expression: the alternatives of `c ? t : e`,
/// and the last of `a, b`.
fn values(tree: &Tree, node: NodeId) -> Vec<NodeId> {
    let (mut stack, mut found) = (vec![node], Vec::new());
    while let Some(node) = stack.pop() {
        match tree.node(node).kind {
            Kind::Conditional(_, t, e) => stack.extend([t, e]),
            Kind::Comma(_, value) => stack.push(value),
            _ => found.push(node),
        }
    }
    found
}

/// An object for each allocation, and for each pointer from outside whose type is known. Types that
/// are not found at the call are those of `hints`.
pub fn allocations(
    tree: &mut Tree,
    calls: &Calls,
    hints: &FxHashMap<NodeId, Ty>,
) -> Lowered<FxHashMap<NodeId, ObjectId>> {
    let uses = Uses::new(tree);
    let mut objects = FxHashMap::default();
    for (caller, call) in all_calls(tree) {
        let Kind::Call(callee, args) = tree.node(call).kind.clone() else { continue };
        let callee_is = classify(tree, callee);
        let known = uses.view(tree, call).or_else(|| hints.get(&call).copied());
        let ty = known.or_else(|| sized(tree, &args));
        let span = tree.node(call).span;
        let is_once = calls.is_once(caller, span);
        let mut object = match callee_is {
            Callee::Allocate => allocated(tree, ty, callee, &args, span)?,
            Callee::Nondet | Callee::Unknown => {
                let is_whole = |&ty: &Ty| {
                    let types = &tree.types;
                    types.size(ty).is_some_and(|size| size > 0) && types.refused(ty).is_none()
                };
                let is_pointer = tree.types.pointee(tree.function(callee).result).is_some();
                let Some(ty) = ty.filter(is_whole).filter(|_| is_pointer) else { continue };
                let (name, owner, initial) = (String::new(), None, Initial::default());
                let (extent, is_external, is_string) = (Extent::Fixed, false, false);
                Object { name, ty, owner, extent, initial, is_external, is_string, span }
            }
            _ => continue,
        };
        object.owner = Some(caller);
        if !is_once {
            if object.extent != Extent::Fixed {
                let what = "an allocation of variable size that may run more than once";
                return Err(Fault::unsupported(span, what));
            }
            object.extent = Extent::Pool;
        }
        objects.insert(call, ObjectId(tree.objects.len() as u32));
        tree.objects.push(object);
    }
    Ok(objects)
}

/// The type whose size is in the arguments of an allocation, if there is just one.
pub fn sized(tree: &Tree, args: &[NodeId]) -> Option<Ty> {
    let (mut stack, mut found) = (args.to_vec(), None);
    while let Some(node) = stack.pop() {
        if let Some(&ty) = tree.sizes.get(&node)
            && found.replace(ty).is_some_and(|before| before != ty)
        {
            return None;
        }
        stack.extend(tree.node(node).kind.inner());
    }
    found
}

/// The object of a call of `malloc` or the like.
fn allocated(
    tree: &mut Tree,
    to: Option<Ty>,
    callee: FunctionId,
    args: &[NodeId],
    span: Span,
) -> Lowered<Object> {
    let sizes: Option<Vec<u64>> = args.iter().map(|&arg| tree.constant(arg)).collect();
    let size = sizes.and_then(|sizes| sizes.iter().try_fold(1u64, |a, b| a.checked_mul(*b)));
    let is_zeroed = tree.function(callee).name == "calloc";
    let Some(to) = to else {
        return Err(Fault::unsupported(span, "an allocation whose type is not known"));
    };
    let unit = tree.types.size(to).unwrap_or(0);
    if unit == 0 || size.is_some_and(|size| size % unit != 0) {
        let name = tree.types.name(to);
        let what = format!("an allocation for `{name}` of another size");
        return Err(Fault::unsupported(span, what));
    }
    let ty = match size.map(|size| size / unit) {
        Some(1) => Some(to),
        Some(count) => Some(tree.types.make(Type::Array(to, Some(count)))),
        None => tree.types.variable_array(to),
    };
    let Some(ty) = ty else {
        return Err(Fault::unsupported(span, "an allocation of this type"));
    };
    let extent = if size.is_none() { Extent::Allocated(unit) } else { Extent::Fixed };
    let initial = Initial { is_zeroed, stores: Vec::new() };
    let (name, owner, is_external, is_string) = (String::new(), None, false, false);
    Ok(Object { name, ty, owner, extent, initial, is_external, is_string, span })
}

/// The allocations that the program may give back, in order; none if it never does.
pub fn freeable(tree: &Tree, allocations: &FxHashMap<NodeId, ObjectId>) -> Vec<ObjectId> {
    let callee = |call: NodeId| match &tree.node(call).kind {
        Kind::Call(callee, _) => Some(*callee),
        _ => None,
    };
    let frees = |(_, call): (FunctionId, NodeId)| {
        callee(call).is_some_and(|callee| classify(tree, callee) == Callee::Free)
    };
    if !all_calls(tree).into_iter().any(frees) {
        return Vec::new();
    }
    let is_freeable = |call: NodeId| {
        callee(call).is_some_and(|id| FREEABLE.contains(&tree.function(id).name.as_str()))
    };
    let found = allocations.iter().filter(|(call, _)| is_freeable(**call));
    let mut found: Vec<ObjectId> = found.map(|(_, &object)| object).collect();
    found.sort_unstable_by_key(|object| object.0);
    found
}

impl Lowerer<'_> {
    /// The result of a call that allocates.
    pub(super) fn allocate(
        &mut self,
        id: NodeId,
        callee: FunctionId,
        args: &[NodeId],
    ) -> Lowered<TermId> {
        let tree = self.tree;
        let span = tree.node(id).span;
        let Some(&object) = self.points.allocations.get(&id) else {
            return Err(Fault::unsupported(span, "an allocation here"));
        };
        let name = &tree.function(callee).name;
        if FREEABLE.contains(&name.as_str()) {
            let at = self.span(span);
            self.program.assume(&format!("`{name}` does not fail"), at);
        }
        self.in_order(args, span);
        if tree.object(object).extent == Extent::Pool {
            for &arg in args {
                self.effect(arg)?;
            }
            let is_zeroed = tree.function(callee).name == "calloc";
            return self.next_of_pool(object, is_zeroed, span);
        }
        // It runs once, and variables start with arbitrary values.
        self.initialise(object)?;
        if let Some(freed) = self.freed(object) {
            let alive = self.program.terms.bool(false);
            self.set(freed, alive);
        }
        if let Extent::Allocated(unit) = tree.object(object).extent {
            self.allocated_length(object, args, unit, span)?;
        }
        let base = self.base(object, span)?;
        let bits = self.bits(id);
        Ok(build::constant(&mut self.program.terms, bits, base))
    }

    /// A pointer from outside: null, or the address of storage of its own.
    pub(super) fn outside(&mut self, id: NodeId, callee: FunctionId) -> Lowered<TermId> {
        let span = self.tree.node(id).span;
        let object = self.points.allocations[&id];
        let bits = self.bits(id);
        let name = &self.tree.function(callee).name;
        let is_some = self.input(Sort::BOOL, InputKind::AskedPointer(name.as_str().into()));
        let address = match self.tree.object(object).extent {
            Extent::Pool => self.next_of_pool(object, false, span)?,
            _ => {
                let base = self.base(object, span)?;
                build::constant(&mut self.program.terms, bits, base)
            }
        };
        let text = format!("a pointer from `{name}` is null or points to separate storage");
        let at = self.span(span);
        self.program.assume(&text, at);
        let terms = &mut self.program.terms;
        let null = build::constant(terms, bits, 0);
        Ok(build::ite(terms, is_some, address, null))
    }

    /// The address of the next instance of a pool.
    fn next_of_pool(&mut self, object: ObjectId, is_zeroed: bool, span: Span) -> Lowered<TermId> {
        let base = self.base(object, span)?;
        let taken = self.taken(object);
        let before = self.get(taken);
        let (bits, stride) = (self.pointer_bits(), self.stride(object));
        let terms = &mut self.program.terms;
        let room = build::constant(terms, terms.width(before), POOL);
        let has_room = build::binary(terms, BinaryOp::Ult, before, room);
        let one = build::constant(terms, terms.width(before), 1);
        let after = build::binary(terms, BinaryOp::Add, before, one);
        let stride = build::constant(terms, bits, stride);
        let distance = build::resize(terms, before, bits, false);
        let distance = build::binary(terms, BinaryOp::Mul, distance, stride);
        let base = build::constant(terms, bits, base);
        let address = build::binary(terms, BinaryOp::Add, base, distance);
        self.check(has_room, CheckKind::Limit, span);
        self.set(taken, after);
        if is_zeroed {
            self.zero_instance(object, before, span)?;
        }
        Ok(address)
    }

    /// All parts of an instance of a pool are zero.
    fn zero_instance(&mut self, object: ObjectId, instance: TermId, span: Span) -> Lowered<()> {
        let parts = self.points.layouts.get(&object).cloned().unwrap_or_default();
        let variables = self.object_variables(object)?;
        for (leaf, variable) in parts.iter().zip(variables) {
            let inner = leaf.instances() / POOL;
            if inner > POOL {
                let what = "an allocation of a zeroed array that may run more than once";
                return Err(Fault::unsupported(span, what));
            }
            let mut whole = self.get(variable);
            let terms = &mut self.program.terms;
            let bits = leaf.index_bits();
            let first = build::resize(terms, instance, bits, false);
            let count = build::constant(terms, bits, inner);
            let first = build::binary(terms, BinaryOp::Mul, first, count);
            let zero = build::constant(terms, leaf.bits.max(1), 0);
            for at in 0..inner {
                let at = build::constant(terms, bits, at);
                let index = build::binary(terms, BinaryOp::Add, first, at);
                whole = terms.simplified(Term::Write(whole, index, zero));
            }
            self.set(variable, whole);
        }
        Ok(())
    }

    /// How many instances of a pool are in use; zero at the start.
    fn taken(&mut self, object: ObjectId) -> VariableId {
        if let Some(&found) = self.taken.get(&object) {
            return found;
        }
        let span = self.span(self.tree.object(object).span);
        let sort = Sort::Bv(u64::BITS - POOL.leading_zeros());
        let variable = self.program.add_variable(sort, None, "allocations", false, span);
        self.program.globals.push(variable);
        self.zeroed.push(variable);
        self.taken.insert(object, variable);
        variable
    }

    /// The distance of the instances of an object; of others than pools, its size.
    pub(super) fn stride(&self, object: ObjectId) -> u64 {
        let size = self.tree.types.size(self.tree.object(object).ty).unwrap_or(0);
        if self.tree.object(object).extent == Extent::Pool { pool_stride(size) } else { size }
    }

    /// Whether an address is `offset` bytes behind the start of an object, and of which instance
    /// of a pool; without its other parts for other objects.
    pub(super) fn at_start(
        &mut self,
        object: ObjectId,
        offset: u64,
        address: TermId,
        span: Span,
    ) -> Lowered<(TermId, Option<TermId>)> {
        let base = self.base(object, span)?;
        let stride = self.stride(object);
        let terms = &mut self.program.terms;
        let bits = terms.width(address);
        let expected = build::constant(terms, bits, base + offset);
        if self.tree.object(object).extent != Extent::Pool {
            return Ok((build::binary(terms, BinaryOp::Eq, address, expected), None));
        }
        let distance = build::binary(terms, BinaryOp::Sub, address, expected);
        let size = build::constant(terms, bits, POOL * stride);
        let inside = build::binary(terms, BinaryOp::Ult, distance, size);
        let low = stride.trailing_zeros();
        let rest = build::slice(terms, distance, low - 1, 0);
        let none = build::constant(terms, low, 0);
        let is_start = build::binary(terms, BinaryOp::Eq, rest, none);
        let instance = build::slice(terms, distance, low + POOL.trailing_zeros() - 1, low);
        Ok((terms.and(inside, is_start), Some(instance)))
    }

    /// Whether two addresses are in one object, or just behind it; of a pool, in one instance.
    pub(super) fn in_one(
        &mut self,
        object: ObjectId,
        addresses: [TermId; 2],
        span: Span,
    ) -> Lowered<TermId> {
        let bits = self.pointer_bits();
        let base = self.base(object, span)?;
        let is_pool = self.tree.object(object).extent == Extent::Pool;
        let (room, stride) = (self.room(object), self.stride(object));
        let size = if is_pool { self.types().size(self.tree.object(object).ty) } else { None };
        let terms = &mut self.program.terms;
        let base = build::constant(terms, bits, base);
        let distances = addresses.map(|address| build::binary(terms, BinaryOp::Sub, address, base));
        let mut holds = terms.bool(true);
        for distance in distances {
            let most = build::constant(terms, bits, room);
            let inside = build::binary(terms, BinaryOp::Ulte, distance, most);
            holds = terms.and(holds, inside);
            if let Some(size) = size {
                let rest = build::slice(terms, distance, stride.trailing_zeros() - 1, 0);
                let size = build::constant(terms, stride.trailing_zeros(), size);
                let inside = build::binary(terms, BinaryOp::Ulte, rest, size);
                holds = terms.and(holds, inside);
            }
        }
        if is_pool {
            let instances = distances
                .map(|distance| build::slice(terms, distance, bits - 1, stride.trailing_zeros()));
            let same = build::binary(terms, BinaryOp::Eq, instances[0], instances[1]);
            holds = terms.and(holds, same);
        }
        Ok(holds)
    }

    /// The instance of a pool that an address lies in, if it lies in the pool at all.
    pub(super) fn instance_at(&mut self, object: ObjectId, address: TermId) -> Option<TermId> {
        if self.tree.object(object).extent != Extent::Pool {
            return None;
        }
        let base = *self.bases.get(&object)?;
        let low = self.stride(object).trailing_zeros();
        let terms = &mut self.program.terms;
        let base = build::constant(terms, terms.width(address), base);
        let distance = build::binary(terms, BinaryOp::Sub, address, base);
        Some(build::slice(terms, distance, low + POOL.trailing_zeros() - 1, low))
    }

    /// `free`: of null, or of an allocation that has not been given back, from its start.
    /// Whether one from outside was allocated at all is not known.
    pub(super) fn free(&mut self, pointer: NodeId, span: Span) -> Lowered<()> {
        let set = self.points.of(self.tree, pointer, None);
        let pointer = self.eval(pointer)?;
        let terms = &mut self.program.terms;
        let null = build::constant(terms, terms.width(pointer), 0);
        let mut may = build::binary(terms, BinaryOp::Eq, pointer, null);
        for object in self.freeable.clone() {
            let (is_this, instance) = self.at_start(object, 0, pointer, span)?;
            let Some(freed) = self.freed(object) else { continue };
            let whole = self.get(freed);
            let terms = &mut self.program.terms;
            let before = match instance {
                Some(instance) => terms.simplified(Term::Read(whole, instance)),
                None => whole,
            };
            let alive = terms.not(before);
            let alive = terms.and(is_this, alive);
            may = terms.or(may, alive);
            let after = terms.or(before, is_this);
            let after = match instance {
                Some(instance) => terms.simplified(Term::Write(whole, instance, after)),
                None => after,
            };
            self.set(freed, after);
        }
        let mut is_outside = self.program.terms.bool(false);
        for (object, _) in set.targets {
            if self.points.outside.contains(&object) {
                let is_this = self.at_start(object, 0, pointer, span)?.0;
                is_outside = self.program.terms.or(is_outside, is_this);
            }
        }
        let is_followed = self.program.terms.not(is_outside);
        self.check(is_followed, CheckKind::Limit, span);
        let may = self.program.terms.or(may, is_outside);
        let kind = if set.is_unknown { CheckKind::Limit } else { CheckKind::Pointer };
        self.check(may, kind, span);
        Ok(())
    }

    /// Notes how many elements an allocation has.
    fn allocated_length(
        &mut self,
        object: ObjectId,
        args: &[NodeId],
        unit: u64,
        span: Span,
    ) -> Lowered<()> {
        let mut bytes = build::constant(&mut self.program.terms, 64, 1);
        self.no_addresses(args)?;
        for &arg in args {
            let value = self.eval(arg)?;
            let is_signed = self.types().is_signed(self.tree.node(arg).ty);
            let terms = &mut self.program.terms;
            let value = build::resize(terms, value, 64, is_signed);
            bytes = build::binary(terms, BinaryOp::Mul, bytes, value);
        }
        let terms = &mut self.program.terms;
        let unit = build::constant(terms, 64, unit);
        let length = build::binary(terms, BinaryOp::Udiv, bytes, unit);
        self.set_length(object, length, false, span)
    }
}
