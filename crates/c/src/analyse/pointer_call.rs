//! Calls through function pointers: the call becomes a choice among the functions whose address
//! the program takes and whose type fits (calling any other is undefined, C11 6.3.2.3p8):
//!
//! ```text
//! p(a)   ⟶   t = p, u = a, t == &f ? f(u) : t == &g ? g(u) : *(char *)t
//! ```
//!
//! Which functions these are is known when all bodies have been read. The last alternative is
//! undefined if `t` is no address of an object, and refused if it may come from outside. Lowering
//! drops the functions to which the pointer never points.

use super::{Analysed, Analyser};
use crate::ast::{BinaryOp, ExprId};
use crate::error::Fault;
use crate::source::Span;
use crate::tree::{FunctionId, Kind, NodeId, ObjectId};
use crate::types::{IntType, Ty, Type};

/// A call whose callees are not known yet.
#[derive(Clone)]
pub(super) struct PointerCall {
    /// What becomes the choice.
    node: NodeId,
    /// The variables with the pointer and the arguments.
    pointer: ObjectId,
    arguments: Vec<ObjectId>,
}

impl Analyser<'_> {
    /// A call of what an expression points to.
    pub(super) fn pointer_call(
        &mut self,
        callee: NodeId,
        args: &[ExprId],
        span: Span,
    ) -> Analysed<NodeId> {
        let ty = self.ty(callee);
        let pointee = self.tree.types.pointee(ty).map(|to| self.tree.types.get(to).clone());
        let Some(Type::Function { result, params, is_variadic, has_prototype }) = pointee else {
            let name = self.tree.types.name(ty);
            return Err(Fault::new(span, format!("a `{name}` cannot be called")));
        };
        if is_variadic {
            return Err(Fault::unsupported(span, "a call of a variadic function by its address"));
        }
        if args.len() < params.len() || has_prototype && args.len() > params.len() {
            let (needs, has) = (params.len(), args.len());
            let message = format!("this function takes {needs} arguments, but {has} are given");
            return Err(Fault::new(span, message));
        }
        let pointer = self.temporary(ty, span);
        let mut steps = vec![self.set(pointer, callee, span)];
        let mut arguments = Vec::new();
        for (at, &arg) in args.iter().enumerate() {
            let arg = self.value(arg)?;
            let arg = match params.get(at) {
                Some(&ty) => self.convert_for(arg, ty)?,
                None if self.tree.types.as_int(self.ty(arg)).is_some() => self.promote(arg)?,
                None => arg,
            };
            let argument = self.temporary(self.ty(arg), span);
            steps.push(self.set(argument, arg, span));
            arguments.push(argument);
        }
        let node = self.add(Kind::Const(0), result, span);
        if self.unevaluated == 0 {
            self.pointer_calls.push(PointerCall { node, pointer, arguments });
        }
        let count = steps.len();
        Ok(self.chain(steps, node, count, span))
    }

    /// Steps and then a value; C leaves the order of the first steps open.
    pub(super) fn chain(
        &mut self,
        steps: Vec<NodeId>,
        value: NodeId,
        unordered: usize,
        span: Span,
    ) -> NodeId {
        let ty = self.ty(value);
        let comma = |value, step| self.add(Kind::Comma(step, value), ty, span);
        let chain = steps.into_iter().rev().fold(value, comma);
        self.tree.unordered.insert(chain, unordered);
        chain
    }

    /// A variable that the source does not show.
    pub(super) fn temporary(&mut self, ty: Ty, span: Span) -> ObjectId {
        self.new_object(String::new(), ty, self.current, span)
    }

    /// Gives such a variable its value.
    pub(super) fn set(&mut self, object: ObjectId, value: NodeId, span: Span) -> NodeId {
        let ty = self.tree.object(object).ty;
        let place = self.add(Kind::Object(object), ty, span);
        self.add(Kind::Assign(place, value), ty, span)
    }

    /// The value of such a variable.
    pub(super) fn get(&mut self, object: ObjectId, span: Span) -> NodeId {
        let ty = self.tree.object(object).ty;
        let place = self.add(Kind::Object(object), ty, span);
        self.add(Kind::Load(place), ty, span)
    }

    /// Notes that the program may get to the functions that calls by address may mean.
    pub(super) fn reach_by_address(&mut self) {
        for call in self.pointer_calls.clone() {
            for function in self.callees(&call) {
                self.reach(function);
            }
        }
    }

    /// The functions that a call may mean.
    fn callees(&self, call: &PointerCall) -> Vec<FunctionId> {
        let fits = |&id: &FunctionId| {
            let function = self.tree.function(id);
            let Type::Function { params, is_variadic: false, has_prototype, .. } =
                self.tree.types.get(function.ty)
            else {
                return false;
            };
            let fits = |(&param, arg)| {
                self.is_like(param, arg) || !has_prototype && self.is_promoted(param, arg)
            };
            let arguments = call.arguments.iter().map(|&object| self.tree.object(object).ty);
            params.len() == call.arguments.len()
                && params.iter().zip(arguments).all(fits)
                && self.is_like(function.result, self.ty(call.node))
        };
        self.taken.iter().copied().filter(fits).collect()
    }

    /// Whether two types are the same as far as a call can tell: integers of one width, pointers,
    /// or one type.
    fn is_like(&self, a: Ty, b: Ty) -> bool {
        let types = &self.tree.types;
        let is_class = types.pointee(a).is_some() == types.pointee(b).is_some();
        let are_scalars = types.is_scalar(a) && types.is_scalar(b);
        a == b || are_scalars && is_class && types.bits(a) == types.bits(b)
    }

    /// Whether an argument is what a parameter of a narrow type gets where there is no prototype
    /// (C11 6.5.2.2p6).
    fn is_promoted(&self, param: Ty, arg: Ty) -> bool {
        let types = &self.tree.types;
        let promoted = types.as_int(param).map(|int| int.promoted());
        promoted.is_some() && promoted == types.as_int(arg)
    }

    /// Gives each call by address its choice. No function is reached after this.
    pub(super) fn resolve_pointer_calls(&mut self) -> Analysed<()> {
        for call in std::mem::take(&mut self.pointer_calls) {
            let (ty, span) = (self.ty(call.node), self.node_span(call.node));
            let mut choice = self.no_callee(call.pointer, ty, span)?;
            for function in self.callees(&call).into_iter().rev() {
                let value = self.call_of(function, &call, ty, span)?;
                let pointer = self.get(call.pointer, span);
                let address = self.function_address(function, span);
                let address = self.convert(address, self.ty(pointer));
                let int = self.int();
                let is_it = self.add(Kind::Binary(BinaryOp::Eq, pointer, address), int, span);
                choice = self.add(Kind::Conditional(is_it, value, choice), ty, span);
            }
            self.tree.nodes[call.node.index()] = self.tree.node(choice).clone();
        }
        Ok(())
    }

    /// A call of one of the functions.
    fn call_of(
        &mut self,
        function: FunctionId,
        call: &PointerCall,
        ty: Ty,
        span: Span,
    ) -> Analysed<NodeId> {
        let Type::Function { params, .. } =
            self.tree.types.get(self.tree.function(function).ty).clone()
        else {
            return Err(Fault::new(span, "this is not a function"));
        };
        let mut args = Vec::new();
        for (&object, param) in call.arguments.iter().zip(params) {
            let arg = self.get(object, span);
            args.push(self.convert_for(arg, param)?);
        }
        let result = self.tree.function(function).result;
        let value = self.add(Kind::Call(function, args), result, span);
        if matches!(self.tree.types.get(ty), Type::Void) {
            return Ok(value);
        }
        self.convert_for(value, ty)
    }

    /// What happens where the pointer means none of them.
    fn no_callee(&mut self, pointer: ObjectId, ty: Ty, span: Span) -> Analysed<NodeId> {
        let char = self.tree.types.int(IntType::Char);
        let to_char = self.tree.types.pointer(char);
        let pointer = self.get(pointer, span);
        let pointer = self.convert(pointer, to_char);
        let place = self.add(Kind::Deref(pointer), char, span);
        let undefined = self.add(Kind::Load(place), char, span);
        if matches!(self.tree.types.get(ty), Type::Void) {
            return Ok(self.add(Kind::Convert(undefined), ty, span));
        }
        let none = self.add(Kind::Const(0), ty, span);
        Ok(self.add(Kind::Comma(undefined, none), ty, span))
    }
}
