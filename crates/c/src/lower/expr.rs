//! Values of expressions as terms, with their side effects in the pending step.

use super::access::Alternative;
use super::objects::FIRST_ADDRESS;
use super::{Held, Lowered, Lowerer, build};
use crate::ast;
use crate::error::Fault;
use crate::source::Span;
use crate::tree::*;
use crate::types::Type;
use pedra_model::bv::Bv;
use pedra_model::term::{BinaryOp, TermId, UnaryOp as TermUnary};
use pedra_program::CheckKind;

impl Lowerer<'_> {
    /// The value of a scalar expression.
    pub(super) fn eval(&mut self, id: NodeId) -> Lowered<TermId> {
        let tree = self.tree;
        let node = tree.node(id);
        let (span, bits) = (node.span, self.bits(id));
        match &node.kind {
            Kind::Const(value) => {
                self.no_fixed_address(id, *value)?;
                Ok(build::constant(&mut self.program.terms, bits, *value))
            }
            Kind::Load(place) => {
                let list = self.alternatives(*place)?;
                Ok(self.read(&list, bits))
            }
            Kind::Address(place) => self.address(*place),
            Kind::FunctionAddress(function) => {
                let address = self.function_base(*function);
                Ok(build::constant(&mut self.program.terms, bits, address))
            }
            Kind::Old => match self.body.old.last() {
                Some(&(_, held)) => Ok(self.release(held)),
                None => Err(Fault::unsupported(span, "an update of this kind")),
            },
            Kind::Unary(UnaryOp::Not, _) | Kind::And(..) | Kind::Or(..) => {
                let condition = self.condition(id)?;
                Ok(build::resize(&mut self.program.terms, condition, bits, false))
            }
            Kind::Unary(op, a) => self.unary(*op, *a, span),
            Kind::Binary(op, a, b) if comparison(*op, false).is_some() => {
                let condition = self.compare(*op, *a, *b)?;
                Ok(build::resize(&mut self.program.terms, condition, bits, false))
            }
            Kind::Binary(op, a, b) => self.binary(*op, *a, *b, span),
            Kind::PointerAdd { pointer, index, stride, is_minus } => {
                self.move_pointer(*pointer, *index, *stride, *is_minus)
            }
            Kind::PointerDiff(a, b, stride) => self.pointer_diff(*a, *b, *stride),
            Kind::Convert(a) => self.convert(*a, id),
            Kind::Assign(place, value) => self.assign(*place, *value),
            Kind::Update { place, value, is_postfix } => {
                self.update(*place, *value, *is_postfix, span)
            }
            Kind::Conditional(c, t, e) => self.conditional(*c, *t, *e, id),
            Kind::Comma(a, b) => {
                self.chain_in_order(id);
                self.effect(*a)?;
                self.eval(*b)
            }
            Kind::Call(callee, args) => self.call_value(id, *callee, args),
            Kind::Statement(block, Some(value)) => {
                self.flush(span, "");
                self.stmt(*block)?;
                self.eval(*value)
            }
            _ => Err(Fault::unsupported(span, "a value of this kind")),
        }
    }

    /// An expression for its side effects alone.
    pub(super) fn effect(&mut self, id: NodeId) -> Lowered<()> {
        let tree = self.tree;
        let node = tree.node(id);
        match &node.kind {
            Kind::Convert(a) if matches!(self.types().get(node.ty), Type::Void) => self.effect(*a),
            Kind::Call(callee, args) => self.call_effect(id, *callee, args),
            Kind::Comma(a, b) => {
                self.chain_in_order(id);
                self.effect(*a)?;
                self.effect(*b)
            }
            Kind::Statement(block, value) => {
                self.flush(node.span, "");
                self.stmt(*block)?;
                value.map_or(Ok(()), |value| self.effect(value))
            }
            Kind::And(..) | Kind::Or(..) | Kind::Conditional(..) if self.splits(id) => {
                self.branching_effect(id)
            }
            Kind::Assign(place, value) if matches!(self.types().get(node.ty), Type::Record(_)) => {
                self.assign_record(*place, *value).map(drop)
            }
            _ if matches!(self.types().get(node.ty), Type::Record(_)) => {
                self.eval_record(id).map(drop)
            }
            _ => self.eval(id).map(drop),
        }
    }

    /// Two values, the left one first.
    pub(super) fn pair(&mut self, a: NodeId, b: NodeId) -> Lowered<(TermId, TermId)> {
        self.in_order(&[a, b], self.tree.node(a).span.to(self.tree.node(b).span));
        let left = self.eval(a)?;
        let held = match self.splits(b) {
            true => self.hold(left, self.tree.node(a).span),
            false => Held::Term(left),
        };
        let right = self.eval(b)?;
        Ok((self.release(held), right))
    }

    fn unary(&mut self, op: UnaryOp, a: NodeId, span: Span) -> Lowered<TermId> {
        self.no_addresses(&[a])?;
        let value = self.eval(a)?;
        let terms = &mut self.program.terms;
        Ok(match op {
            UnaryOp::Complement | UnaryOp::Not => build::unary(terms, TermUnary::Not, value),
            UnaryOp::Minus => {
                if self.tree.types.is_signed(self.tree.node(a).ty) {
                    let least = least(terms.width(value));
                    let least = terms.constant(least);
                    let holds = build::binary(terms, BinaryOp::Neq, value, least);
                    self.check(holds, CheckKind::Overflow, span);
                }
                build::unary(&mut self.program.terms, TermUnary::Neg, value)
            }
        })
    }

    /// A comparison as a condition.
    pub(super) fn compare(&mut self, op: ast::BinaryOp, a: NodeId, b: NodeId) -> Lowered<TermId> {
        let is_signed = self.types().is_signed(self.tree.node(a).ty);
        let is_order = !matches!(op, ast::BinaryOp::Eq | ast::BinaryOp::Ne);
        if self.types().pointee(self.tree.node(a).ty).is_none() {
            match is_order {
                true => self.no_addresses(&[a, b])?,
                false => self.equal_addresses(a, b)?,
            }
        }
        if op == ast::BinaryOp::Eq && self.is_never(a, b) {
            return Ok(self.program.terms.bool(false));
        }
        let (x, y) = self.pair(a, b)?;
        match is_order {
            true => self.same_object((a, x), (b, y))?,
            false => self.lie_apart(a, b),
        }
        let op = comparison(op, is_signed).unwrap_or(BinaryOp::Eq);
        Ok(build::binary(&mut self.program.terms, op, x, y))
    }

    /// Whether a variable is compared with the address of a function to which it never points.
    fn is_never(&self, a: NodeId, b: NodeId) -> bool {
        let mut function = b;
        while let Kind::Convert(inner) = self.tree.node(function).kind {
            function = inner;
        }
        let Kind::FunctionAddress(function) = self.tree.node(function).kind else { return false };
        let set = self.points.of(self.tree, a, None);
        let is_plain = matches!(self.tree.node(a).kind, Kind::Load(_)) && !self.has_effects(a);
        is_plain && !set.is_unknown && !set.functions.contains(&function)
    }

    /// Soundness: objects lie at fixed addresses here and anywhere in C, so no value but the
    /// equality of addresses may depend on them. Integers that may be addresses are refused in
    /// all other operations.
    pub(super) fn no_addresses(&self, nodes: &[NodeId]) -> Lowered<()> {
        match nodes.iter().find(|&&node| self.may_be_address(node)) {
            Some(&node) => Err(self.address_as_integer(node)),
            None => Ok(()),
        }
    }

    /// Whether the value of an expression may be an address, or a part of one.
    pub(super) fn may_be_address(&self, node: NodeId) -> bool {
        let old = self.body.old.last().map(|(place, _)| *place);
        !self.points.of(self.tree, node, old).is_nothing()
    }

    fn address_as_integer(&self, node: NodeId) -> Fault {
        let span = self.tree.node(node).span;
        Fault::unsupported(span, "arithmetic on an address as an integer")
    }

    /// Integers that may be addresses can be equal to each other, or to a number at which nothing
    /// lies. All other numbers, and parts of addresses, would tell where objects lie.
    fn equal_addresses(&self, a: NodeId, b: NodeId) -> Lowered<()> {
        for (one, other) in [(a, b), (b, a)] {
            let is_nowhere = self.tree.constant(other).is_some_and(|value| self.is_nowhere(value));
            let is_known = is_nowhere || self.may_be_address(other);
            if self.may_be_address(one) && !(is_known && self.is_whole(one)) {
                return Err(self.address_as_integer(one));
            }
        }
        Ok(())
    }

    /// Whether a value is as wide as an address, before conversions to wider types.
    pub(super) fn is_whole(&self, mut node: NodeId) -> bool {
        while let Kind::Convert(inner) = self.tree.node(node).kind {
            if self.bits(node) < self.pointer_bits() {
                return false;
            }
            node = inner;
        }
        self.bits(node) >= self.pointer_bits()
    }

    /// Whether nothing lies at an address: null, and the first and the last page, where numbers
    /// stand for errors and the like.
    fn is_nowhere(&self, value: u64) -> bool {
        let from_the_end = value.wrapping_neg() << (64 - self.pointer_bits());
        value < FIRST_ADDRESS || from_the_end <= FIRST_ADDRESS << (64 - self.pointer_bits())
    }

    /// A pointer that is made from a number at which something may lie is refused.
    fn no_fixed_address(&self, id: NodeId, value: u64) -> Lowered<()> {
        let node = self.tree.node(id);
        match self.types().pointee(node.ty).is_some() && !self.is_nowhere(value) {
            true => Err(Fault::unsupported(node.span, "a pointer that is made from a number")),
            false => Ok(()),
        }
    }

    fn binary(&mut self, op: ast::BinaryOp, a: NodeId, b: NodeId, span: Span) -> Lowered<TermId> {
        use ast::BinaryOp as Op;
        let is_signed = self.types().is_signed(self.tree.node(a).ty);
        self.no_addresses(&[a, b])?;
        let (x, mut y) = self.pair(a, b)?;
        if matches!(op, Op::Shl | Op::Shr) {
            y = self.shift_check(op, (a, x), (b, y), span);
        }
        let terms = &mut self.program.terms;
        let overflow = match op {
            Op::Add => Some(BinaryOp::Saddo),
            Op::Sub => Some(BinaryOp::Ssubo),
            Op::Mul => Some(BinaryOp::Smulo),
            Op::Div | Op::Rem => {
                let zero = build::constant(terms, terms.width(y), 0);
                let holds = build::binary(terms, BinaryOp::Neq, y, zero);
                self.check(holds, CheckKind::Division, span);
                Some(BinaryOp::Sdivo)
            }
            _ => None,
        };
        let terms = &mut self.program.terms;
        if let Some(overflow) = overflow.filter(|_| is_signed) {
            let overflows = build::binary(terms, overflow, x, y);
            let holds = build::not(terms, overflows);
            self.check(holds, CheckKind::Overflow, span);
        }
        let op = match (op, is_signed) {
            (Op::Add, _) => BinaryOp::Add,
            (Op::Sub, _) => BinaryOp::Sub,
            (Op::Mul, _) => BinaryOp::Mul,
            (Op::Div, true) => BinaryOp::Sdiv,
            (Op::Div, false) => BinaryOp::Udiv,
            (Op::Rem, true) => BinaryOp::Srem,
            (Op::Rem, false) => BinaryOp::Urem,
            (Op::Shl, _) => BinaryOp::Sll,
            (Op::Shr, true) => BinaryOp::Sra,
            (Op::Shr, false) => BinaryOp::Srl,
            (Op::And, _) => BinaryOp::And,
            (Op::Xor, _) => BinaryOp::Xor,
            _ => BinaryOp::Or,
        };
        Ok(build::binary(&mut self.program.terms, op, x, y))
    }

    /// The checks of a shift; its distance, with the width of what is shifted.
    fn shift_check(
        &mut self,
        op: ast::BinaryOp,
        (a, x): (NodeId, TermId),
        (b, y): (NodeId, TermId),
        span: Span,
    ) -> TermId {
        let is_signed = self.types().is_signed(self.tree.node(a).ty);
        let distance_is_signed = self.types().is_signed(self.tree.node(b).ty);
        let terms = &mut self.program.terms;
        let (bits, distance_bits) = (terms.width(x), terms.width(y));
        // A negative distance is a large one without its sign.
        let limit = build::constant(terms, distance_bits, u64::from(bits));
        let mut holds = build::binary(terms, BinaryOp::Ult, y, limit);
        let distance = build::resize(terms, y, bits, distance_is_signed);
        let mut fits = None;
        if op == ast::BinaryOp::Shl && is_signed {
            // 0 ≤ x, and no bit is lost, the sign's included.
            let zero = build::constant(terms, bits, 0);
            let positive = build::binary(terms, BinaryOp::Sgte, x, zero);
            let shifted = build::binary(terms, BinaryOp::Sll, x, distance);
            let back = build::binary(terms, BinaryOp::Sra, shifted, distance);
            let same = build::binary(terms, BinaryOp::Eq, back, x);
            holds = terms.and(holds, positive);
            // The value of a shift that is none does not count.
            let not = build::not(terms, holds);
            fits = Some(terms.or(not, same));
        }
        self.check(holds, CheckKind::Shift, span);
        if let Some(fits) = fits {
            self.check(fits, CheckKind::Overflow, span);
        }
        distance
    }

    fn convert(&mut self, a: NodeId, to: NodeId) -> Lowered<TermId> {
        if matches!(self.types().get(self.tree.node(to).ty), Type::Bool) {
            return self.condition(a);
        }
        let bits = self.bits(to);
        if bits < self.pointer_bits() && self.bits(a) >= self.pointer_bits() {
            self.no_addresses(&[a])?;
        }
        let value = self.eval(a)?;
        let is_signed = self.types().is_signed(self.tree.node(a).ty);
        Ok(build::resize(&mut self.program.terms, value, bits, is_signed))
    }

    /// An assignment; the order of place and value is unspecified in C, we take the value first.
    pub(super) fn assign(&mut self, place: NodeId, value: NodeId) -> Lowered<TermId> {
        let ty = self.tree.node(place).ty;
        if matches!(self.types().get(ty), Type::Record(_)) {
            self.assign_record(place, value)?;
            return Ok(self.program.terms.bool(true));
        }
        self.in_order(&[value, place], self.tree.node(place).span.to(self.tree.node(value).span));
        let term = self.eval(value)?;
        let held = match self.splits(place) {
            true => self.hold(term, self.tree.node(value).span),
            false => Held::Term(term),
        };
        let list = self.alternatives(place)?;
        let list = self.writable(list, self.tree.node(place).span);
        let term = self.release(held);
        self.write(&list, term);
        Ok(term)
    }

    fn assign_record(&mut self, place: NodeId, value: NodeId) -> Lowered<Vec<TermId>> {
        self.in_order(&[value, place], self.tree.node(place).span.to(self.tree.node(value).span));
        let values = self.eval_record(value)?;
        if self.splits(place) {
            let span = self.tree.node(place).span;
            return Err(Fault::unsupported(
                span,
                "a call inside the target of a struct assignment",
            ));
        }
        self.write_record(place, &values)?;
        Ok(values)
    }

    /// The leaves of a record value.
    pub(super) fn eval_record(&mut self, id: NodeId) -> Lowered<Vec<TermId>> {
        let tree = self.tree;
        let node = tree.node(id);
        match &node.kind {
            Kind::Load(place) => self.read_record(*place),
            Kind::Assign(place, value) => self.assign_record(*place, *value),
            Kind::Comma(a, b) => {
                self.chain_in_order(id);
                self.effect(*a)?;
                self.eval_record(*b)
            }
            Kind::Call(callee, args) => self.call_record(id, *callee, args),
            _ => Err(Fault::unsupported(node.span, "a struct as a value here")),
        }
    }

    /// An update: the place is found once, and kept over the edges that come between.
    fn update(
        &mut self,
        place: NodeId,
        value: NodeId,
        is_postfix: bool,
        span: Span,
    ) -> Lowered<TermId> {
        self.read_in_order(Some(place), &[value], span);
        let bits = self.bits(place);
        let is_split = self.splits(value);
        let mut list = self.alternatives(place)?;
        let old = self.read(&list, bits);
        let held = if is_split { self.hold(old, span) } else { Held::Term(old) };
        let kept = if is_split { self.hold_places(&list, span) } else { Vec::new() };
        self.body.old.push((place, held));
        let new = self.eval(value);
        self.body.old.pop();
        let new = new?;
        for (alternative, [condition, index]) in list.iter_mut().zip(kept) {
            alternative.condition = condition.map(|held| self.release(held));
            alternative.index = index.map(|held| self.release(held));
        }
        let old = self.release(held);
        let list = self.writable(list, span);
        self.write(&list, new);
        Ok(if is_postfix { old } else { new })
    }

    /// Keeps the conditions and the indices of places over the edges to come.
    fn hold_places(&mut self, list: &[Alternative], span: Span) -> Vec<[Option<Held>; 2]> {
        let mut hold = |term: Option<TermId>| term.map(|term| self.hold(term, span));
        list.iter().map(|place| [hold(place.condition), hold(place.index)]).collect()
    }
}

/// The least signed number of a width.
fn least(bits: u32) -> Bv {
    Bv::one(bits).shifted_left(bits - 1)
}

/// A comparison of terms.
pub(super) fn comparison(op: ast::BinaryOp, is_signed: bool) -> Option<BinaryOp> {
    use ast::BinaryOp as Op;
    Some(match (op, is_signed) {
        (Op::Lt, true) => BinaryOp::Slt,
        (Op::Lt, false) => BinaryOp::Ult,
        (Op::Gt, true) => BinaryOp::Sgt,
        (Op::Gt, false) => BinaryOp::Ugt,
        (Op::Le, true) => BinaryOp::Slte,
        (Op::Le, false) => BinaryOp::Ulte,
        (Op::Ge, true) => BinaryOp::Sgte,
        (Op::Ge, false) => BinaryOp::Ugte,
        (Op::Eq, _) => BinaryOp::Eq,
        (Op::Ne, _) => BinaryOp::Neq,
        _ => return None,
    })
}
