//! Initialisers: C11 6.7.9. An initialiser becomes stores into scalar parts, in order; the other
//! parts of a list are zero.

use super::{Analysed, Analyser};
use crate::ast::{Designator, ExprKind, Init, InitId};
use crate::error::Fault;
use crate::source::Span;
use crate::tree::{Kind, NodeId, ObjectId};
use crate::types::{IntType, Ty, Type};

/// The most stores of one initialiser.
const MOST_STORES: usize = 1 << 16;

/// Places and their values.
pub(super) type Stores = Vec<(NodeId, NodeId)>;

/// Items of a list in braces that are still to be placed.
type Items<'i> = std::iter::Peekable<std::slice::Iter<'i, (Vec<Designator>, InitId)>>;

impl Analyser<'_> {
    /// Gives an array without length the one of its initialiser.
    pub(super) fn complete_array(&mut self, id: ObjectId, init: Option<InitId>) -> Analysed<()> {
        let object = self.tree.object(id);
        let span = object.span;
        let Type::Array(element, None) = *self.tree.types.get(object.ty) else { return Ok(()) };
        let Some(init) = init else { return Err(self.incomplete(object.ty, span)) };
        let length = match &self.ast.inits[init.index()] {
            Init::Expr(expr) => match &self.ast.expr(*expr).kind {
                ExprKind::Str(bytes) => bytes.len() as u64 + 1,
                _ => return Err(Fault::new(span, "an array needs a list as its initialiser")),
            },
            Init::List(items, _) => {
                if let [(path, only)] = items.as_slice()
                    && path.is_empty()
                    && let Init::Expr(expr) = &self.ast.inits[only.index()]
                    && let ExprKind::Str(bytes) = &self.ast.expr(*expr).kind
                {
                    bytes.len() as u64 + 1
                } else {
                    self.list_length(element, items)?
                }
            }
        };
        let ty = self.tree.types.make(Type::Array(element, Some(length)));
        self.tree.objects[id.index()].ty = ty;
        Ok(())
    }

    /// How many elements a list gives to an array without length. Elements that are structs or
    /// arrays must have braces of their own.
    fn list_length(&mut self, element: Ty, items: &[(Vec<Designator>, InitId)]) -> Analysed<u64> {
        let (mut next, mut length) = (0u64, 0);
        for (path, init) in items {
            match path.first() {
                Some(Designator::Index(index)) => next = self.index(*index)?,
                Some(Designator::Range(_, high)) => next = self.index(*high)?,
                Some(Designator::Field(_, span)) => {
                    return Err(Fault::new(*span, "an array has no members"));
                }
                None => {}
            }
            if let Init::Expr(expr) = &self.ast.inits[init.index()]
                && !self.tree.types.is_scalar(element)
            {
                let span = self.ast.expr(*expr).span;
                return Err(Fault::unsupported(span, "an element without braces in this list"));
            }
            next += 1;
            length = length.max(next);
        }
        Ok(length)
    }

    fn index(&mut self, index: crate::ast::ExprId) -> Analysed<u64> {
        let value = self.constant(index)?;
        let span = self.ast.expr(index).span;
        match u64::try_from(value) {
            Ok(index) if index < 1 << 31 => Ok(index),
            _ => Err(Fault::new(span, format!("there is no element {value}"))),
        }
    }

    /// The stores of an object's initialiser.
    pub(super) fn initialiser(&mut self, id: ObjectId, init: InitId) -> Analysed<Stores> {
        let (ty, span) = (self.tree.object(id).ty, self.tree.object(id).span);
        self.supported(ty, span)?;
        let place = self.add(Kind::Object(id), ty, span);
        let mut stores = Vec::new();
        self.fill(place, init, &mut stores)?;
        Ok(stores)
    }

    /// The same for an object that lives as long as the program: its values are constants (C11
    /// 6.7.9p4), so they call nothing and change nothing.
    pub(super) fn static_initialiser(&mut self, id: ObjectId, init: InitId) -> Analysed<Stores> {
        let stores = self.initialiser(id, init)?;
        let mut stack: Vec<NodeId> = stores.iter().map(|&(_, value)| value).collect();
        while let Some(id) = stack.pop() {
            let node = self.tree.node(id);
            let is_effect = matches!(
                node.kind,
                Kind::Call(..) | Kind::Assign(..) | Kind::Update { .. } | Kind::Statement(..)
            );
            if is_effect {
                let message = "the initial value of a static variable must be a constant";
                return Err(Fault::new(node.span, message));
            }
            stack.extend(node.kind.inner());
        }
        Ok(stores)
    }

    fn store(&mut self, place: NodeId, value: NodeId, stores: &mut Stores) -> Analysed<()> {
        let value = self.convert_for(value, self.ty(place))?;
        if stores.len() == MOST_STORES {
            let message = format!("an initialiser of more than {MOST_STORES} values");
            return Err(Fault::unsupported(self.node_span(place), message));
        }
        stores.push((place, value));
        Ok(())
    }

    /// Fills a place with an initialiser of its own.
    fn fill(&mut self, place: NodeId, init: InitId, stores: &mut Stores) -> Analysed<()> {
        let ast = self.ast;
        match &ast.inits[init.index()] {
            Init::Expr(expr) => {
                if self.fill_string(place, *expr, stores)? {
                    return Ok(());
                }
                let span = ast.expr(*expr).span;
                if let Type::Array(..) = self.tree.types.get(self.ty(place)) {
                    return Err(Fault::new(span, "an array needs a list as its initialiser"));
                }
                let value = self.value(*expr)?;
                self.store(place, value, stores)
            }
            Init::List(items, span) => {
                if let [(path, only)] = items.as_slice()
                    && path.is_empty()
                    && let Init::Expr(expr) = &ast.inits[only.index()]
                    && self.fill_string(place, *expr, stores)?
                {
                    return Ok(());
                }
                let mut items = items.iter().peekable();
                if self.tree.types.is_scalar(self.ty(place)) {
                    if let Some((_, first)) = items.next() {
                        self.fill(place, *first, stores)?;
                    }
                } else {
                    self.fill_parts(place, &mut items, true, *span, stores)?;
                }
                match items.next() {
                    Some(_) => Err(Fault::new(*span, "this list has too many values")),
                    None => Ok(()),
                }
            }
        }
    }

    /// Fills an array of characters with a string, if these are what they are.
    fn fill_string(
        &mut self,
        place: NodeId,
        expr: crate::ast::ExprId,
        stores: &mut Stores,
    ) -> Analysed<bool> {
        let ast = self.ast;
        let ExprKind::Str(bytes) = &ast.expr(expr).kind else { return Ok(false) };
        let Type::Array(element, length) = *self.tree.types.get(self.ty(place)) else {
            return Ok(false);
        };
        if !matches!(
            self.tree.types.get(element),
            Type::Int(IntType::Char | IntType::SignedChar | IntType::UnsignedChar)
        ) {
            return Ok(false);
        }
        let span = ast.expr(expr).span;
        let length = length.unwrap_or(0) as usize;
        let mut padded = bytes.clone();
        padded.resize(length.min(MOST_STORES), 0);
        stores.extend(self.string_stores(place, element, &padded, span));
        Ok(true)
    }

    /// Fills the parts of an array or record one after the other. Without braces of its own
    /// (`has_braces` false) it takes as many items as it has parts and leaves the rest.
    fn fill_parts(
        &mut self,
        place: NodeId,
        items: &mut Items<'_>,
        has_braces: bool,
        span: Span,
        stores: &mut Stores,
    ) -> Analysed<()> {
        let mut next = 0;
        while let Some((path, init)) = items.peek() {
            if !path.is_empty() && !has_braces {
                return Ok(());
            }
            if let Some((first, rest)) = path.split_first() {
                items.next();
                next = self.fill_designated(place, first, rest, *init, span, stores)?;
                continue;
            }
            let Some(part) = self.part(place, next, span)? else {
                return Ok(());
            };
            next += 1;
            self.fill_part(part, items, span, stores)?;
        }
        Ok(())
    }

    /// Fills one part from the items: with the next one, or with several if it has parts itself
    /// and the next one is an expression of another type.
    fn fill_part(
        &mut self,
        part: NodeId,
        items: &mut Items<'_>,
        span: Span,
        stores: &mut Stores,
    ) -> Analysed<()> {
        let Some((_, init)) = items.peek() else { return Ok(()) };
        let ast = self.ast;
        let init = *init;
        let ty = self.ty(part);
        let is_list = matches!(ast.inits[init.index()], Init::List(..));
        if is_list || self.tree.types.is_scalar(ty) {
            items.next();
            return self.fill(part, init, stores);
        }
        if let Init::Expr(expr) = &ast.inits[init.index()] {
            if self.fill_string(part, *expr, stores)? {
                items.next();
                return Ok(());
            }
            if matches!(self.tree.types.get(ty), Type::Record(_)) && self.type_of(*expr)? == ty {
                items.next();
                let value = self.value(*expr)?;
                return self.store(part, value, stores);
            }
        }
        self.supported(ty, span)?;
        if self.part(part, 0, span)?.is_none() {
            return Err(Fault::new(span, "this part cannot have a value"));
        }
        self.fill_parts(part, items, false, span, stores)
    }

    /// Fills the part that designators name; the part after it comes next.
    fn fill_designated(
        &mut self,
        place: NodeId,
        first: &Designator,
        rest: &[Designator],
        init: InitId,
        span: Span,
        stores: &mut Stores,
    ) -> Analysed<u64> {
        let (low, high) = match first {
            Designator::Index(index) => {
                let index = self.index(*index)?;
                (index, index)
            }
            Designator::Range(low, high) => (self.index(*low)?, self.index(*high)?),
            Designator::Field(name, span) => {
                let member = self.member(place, *name, *span)?;
                self.fill_inside(member, rest, init, span, stores)?;
                return Ok(match self.tree.node(member).kind {
                    Kind::Member(_, index) => index as u64 + 1,
                    _ => 0,
                });
            }
        };
        for index in low..=high {
            let Some(part) = self.part(place, index, span)? else {
                return Err(Fault::new(span, format!("there is no element {index}")));
            };
            self.fill_inside(part, rest, init, &span, stores)?;
        }
        Ok(high + 1)
    }

    fn fill_inside(
        &mut self,
        mut place: NodeId,
        rest: &[Designator],
        init: InitId,
        span: &Span,
        stores: &mut Stores,
    ) -> Analysed<()> {
        for step in rest {
            place = match step {
                Designator::Field(name, span) => self.member(place, *name, *span)?,
                Designator::Index(index) => {
                    let index = self.index(*index)?;
                    let Some(part) = self.part(place, index, *span)? else {
                        return Err(Fault::new(*span, format!("there is no element {index}")));
                    };
                    part
                }
                Designator::Range(..) => {
                    return Err(Fault::unsupported(*span, "a range inside a designator"));
                }
            };
        }
        self.fill(place, init, stores)
    }

    /// The part of an array or record at a position, if there is one. Of a union only the first
    /// member is a part.
    fn part(&mut self, place: NodeId, at: u64, span: Span) -> Analysed<Option<NodeId>> {
        let ty = self.ty(place);
        self.bounded(span)?;
        match *self.tree.types.get(ty) {
            Type::Array(element, length) => {
                if length.is_none_or(|length| at >= length) {
                    return Ok(None);
                }
                let index = self.number(i128::from(at), IntType::LongLong, span);
                Ok(Some(self.add(Kind::Index(place, index), element, span)))
            }
            Type::Record(id) => {
                let record = self.tree.types.record(id);
                let Some(members) = &record.members else { return Err(self.incomplete(ty, span)) };
                let count = if record.is_union { 1.min(members.len()) } else { members.len() };
                if at >= count as u64 {
                    return Ok(None);
                }
                let inner = members[at as usize].ty;
                Ok(Some(self.add(Kind::Member(place, at as usize), inner, span)))
            }
            _ => Err(Fault::new(span, "a list cannot stand here")),
        }
    }
}
