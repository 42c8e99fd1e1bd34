//! Initialisers: C11 6.7.9. An initialiser becomes stores into scalar parts, in order; the other
//! parts of a list are zero.

use super::{Analysed, Analyser};
use crate::ast::{Designator, ExprKind, Init, InitId};
use crate::error::Fault;
use crate::source::Span;
use crate::tree::{Kind, NodeId, ObjectId};
use crate::types::{IntType, Ty, Type};
use rustc_hash::FxHashSet;

/// The most parts of one initialiser that are given twice; each costs a look at all stores.
const MOST_AGAIN: usize = 1 << 10;

/// The most stores of one initialiser.
const MOST_STORES: usize = 1 << 16;

/// Places and their values.
pub(super) type Stores = Vec<(NodeId, NodeId)>;

/// The stores of an initialiser while it is read.
#[derive(Default)]
struct Filled {
    stores: Stores,
    /// The ways to all parts that have a value, and to all around them.
    ways: FxHashSet<Vec<u64>>,
    /// The ways to the structs that were given as a whole.
    wholes: FxHashSet<Vec<u64>>,
    /// How many parts were given a second time.
    again: usize,
}

impl Filled {
    fn push(&mut self, mut way: Vec<u64>, place: NodeId, value: NodeId) {
        self.stores.push((place, value));
        while self.ways.insert(way.clone()) && way.pop().is_some() {}
    }
}

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

    /// How many elements a list gives to an array without length.
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
                self.unevaluated += 1;
                let around = std::mem::take(&mut self.before);
                let length = self.unbraced_length(element, items, span);
                self.before = around;
                self.unevaluated -= 1;
                return length;
            }
            next += 1;
            length = length.max(next);
        }
        Ok(length)
    }

    /// The same if some elements have no braces of their own: it takes as many items as it has
    /// parts, so the list is read as that of a long array.
    fn unbraced_length(
        &mut self,
        element: Ty,
        items: &[(Vec<Designator>, InitId)],
        span: Span,
    ) -> Analysed<u64> {
        let ty = self.tree.types.make(Type::Array(element, Some(1 << 31)));
        let object = self.new_object(String::new(), ty, self.current, span);
        let place = self.add(Kind::Object(object), ty, span);
        let (mut filled, mut items) = (Filled::default(), items.iter().peekable());
        let (mut next, mut length) = (0u64, 0);
        while let Some((path, init)) = items.peek() {
            if path.is_empty() {
                let Some(part) = self.part(place, next, span)? else { break };
                self.fill_part(part, &mut items, span, &mut filled)?;
                next += 1;
            } else {
                items.next();
                next = self.fill_designated(place, path, *init, &mut items, span, &mut filled)?;
            }
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
        let mut filled = Filled::default();
        self.fill(place, init, &mut filled)?;
        Ok(filled.stores)
    }

    /// The same for an object that lives as long as the program: its values are constants (C11
    /// 6.7.9p4), so they call nothing and change nothing.
    pub(super) fn static_initialiser(&mut self, id: ObjectId, init: InitId) -> Analysed<Stores> {
        let stores = self.initialiser(id, init)?;
        if let Some(effect) = stores.iter().find_map(|&(_, value)| self.tree.effect(value)) {
            let message = "the initial value of a static variable must be a constant";
            return Err(Fault::new(self.node_span(effect), message));
        }
        Ok(stores)
    }

    fn store(&mut self, place: NodeId, value: NodeId, filled: &mut Filled) -> Analysed<()> {
        let value = self.convert_for(value, self.ty(place))?;
        if filled.stores.len() == MOST_STORES {
            let message = format!("an initialiser of more than {MOST_STORES} values");
            return Err(Fault::unsupported(self.node_span(place), message));
        }
        let way = self.way(place);
        if matches!(self.tree.types.get(self.ty(place)), Type::Record(_)) {
            filled.wholes.insert(way.clone());
        }
        filled.push(way, place, value);
        Ok(())
    }

    /// Drops the values that a part has already: it gets new ones as a whole (C11 6.7.9p19).
    fn forget(&self, part: NodeId, filled: &mut Filled) -> Analysed<()> {
        let way = self.way(part);
        let refused = |what: &str| Err(Fault::unsupported(self.node_span(part), what));
        if (0..way.len()).any(|length| filled.wholes.contains(&way[..length])) {
            return refused("a part of a struct that was given as a whole before");
        }
        if !filled.ways.contains(&way) {
            return Ok(());
        }
        filled.again += 1;
        if filled.again > MOST_AGAIN {
            return refused("an initialiser with many parts that are given twice");
        }
        filled.stores.retain(|&(place, _)| !self.way(place).starts_with(&way));
        Ok(())
    }

    /// The way to a part, from outside to inside.
    fn way(&self, mut place: NodeId) -> Vec<u64> {
        let mut way = Vec::new();
        loop {
            match self.tree.node(place).kind {
                Kind::Member(base, index) => {
                    way.push(index as u64);
                    place = base;
                }
                Kind::Index(base, index) => {
                    way.extend(self.tree.constant(index));
                    place = base;
                }
                _ => break,
            }
        }
        way.reverse();
        way
    }

    /// Fills a place with an initialiser of its own.
    fn fill(&mut self, place: NodeId, init: InitId, filled: &mut Filled) -> Analysed<()> {
        let ast = self.ast;
        if let Some(list) = self.as_list(init, self.ty(place))? {
            return self.fill(place, list, filled);
        }
        match &ast.inits[init.index()] {
            Init::Expr(expr) => {
                if self.fill_string(place, *expr, filled)? {
                    return Ok(());
                }
                let span = ast.expr(*expr).span;
                if let Type::Array(..) = self.tree.types.get(self.ty(place)) {
                    return Err(Fault::new(span, "an array needs a list as its initialiser"));
                }
                let value = self.value(*expr)?;
                self.store(place, value, filled)
            }
            Init::List(items, span) => {
                if let [(path, only)] = items.as_slice()
                    && path.is_empty()
                    && let Init::Expr(expr) = &ast.inits[only.index()]
                    && self.fill_string(place, *expr, filled)?
                {
                    return Ok(());
                }
                let mut items = items.iter().peekable();
                self.forget(place, filled)?;
                if self.tree.types.is_scalar(self.ty(place)) {
                    if let Some((_, first)) = items.next() {
                        self.fill(place, *first, filled)?;
                    }
                } else {
                    self.fill_parts(place, 0, &mut items, true, *span, filled)?;
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
        filled: &mut Filled,
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
        // What is behind the string is zero, as all that an initialiser leaves out.
        let length = bytes.len().min(length.unwrap_or(0) as usize);
        self.forget(place, filled)?;
        for (place, value) in self.string_stores(place, element, &bytes[..length], span) {
            filled.push(self.way(place), place, value);
        }
        Ok(true)
    }

    /// Fills the parts of an array or record one after the other, from the one at `next` on.
    /// Without braces of its own (`has_braces` false) it takes as many items as it has parts and
    /// leaves the rest.
    fn fill_parts(
        &mut self,
        place: NodeId,
        mut next: u64,
        items: &mut Items<'_>,
        has_braces: bool,
        span: Span,
        filled: &mut Filled,
    ) -> Analysed<()> {
        while let Some((path, init)) = items.peek() {
            if !path.is_empty() && !has_braces {
                return Ok(());
            }
            if !path.is_empty() {
                items.next();
                next = self.fill_designated(place, path, *init, items, span, filled)?;
                continue;
            }
            let Some(part) = self.part(place, next, span)? else {
                return Ok(());
            };
            next += 1;
            self.fill_part(part, items, span, filled)?;
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
        filled: &mut Filled,
    ) -> Analysed<()> {
        let Some((_, init)) = items.peek() else { return Ok(()) };
        let ast = self.ast;
        let init = *init;
        let ty = self.ty(part);
        let is_list =
            matches!(ast.inits[init.index()], Init::List(..)) || self.as_list(init, ty)?.is_some();
        if is_list || self.tree.types.is_scalar(ty) {
            items.next();
            return self.fill(part, init, filled);
        }
        if let Init::Expr(expr) = &ast.inits[init.index()] {
            if self.fill_string(part, *expr, filled)? {
                items.next();
                return Ok(());
            }
            if matches!(self.tree.types.get(ty), Type::Record(_)) && self.type_of(*expr)? == ty {
                items.next();
                let value = self.value(*expr)?;
                return self.store(part, value, filled);
            }
        }
        self.supported(ty, span)?;
        if self.part(part, 0, span)?.is_none() {
            return Err(Fault::new(span, "this part cannot have a value"));
        }
        self.fill_parts(part, 0, items, false, span, filled)
    }

    /// Fills the part that designators name, and what follows it in the array or record of each of
    /// them but the first; the position behind the one that the first names.
    fn fill_designated(
        &mut self,
        place: NodeId,
        path: &[Designator],
        init: InitId,
        items: &mut Items<'_>,
        span: Span,
        filled: &mut Filled,
    ) -> Analysed<u64> {
        let Some((first, rest)) = path.split_first() else { return Ok(0) };
        let (low, high) = match first {
            Designator::Index(index) => {
                let index = self.index(*index)?;
                (index, index)
            }
            Designator::Range(low, high) if rest.is_empty() => {
                (self.index(*low)?, self.index(*high)?)
            }
            Designator::Range(..) => {
                return Err(Fault::unsupported(span, "a range inside a designator"));
            }
            Designator::Field(name, span) => {
                let member = self.member(place, *name, *span)?;
                return self.fill_member(place, member, rest, init, items, *span, filled);
            }
        };
        for index in low..=high {
            let Some(part) = self.part(place, index, span)? else {
                return Err(Fault::new(span, format!("there is no element {index}")));
            };
            let before = filled.stores.len();
            self.fill_inside(part, rest, init, items, span, filled)?;
            // The value of a range is evaluated once.
            let effect = filled.stores.iter().skip(before).find_map(|&(_, v)| self.tree.effect(v));
            if let Some(effect) = effect.filter(|_| low < high) {
                let what = "a side effect in the value of several elements";
                return Err(Fault::unsupported(self.node_span(effect), what));
            }
        }
        Ok(high + 1)
    }

    /// The same for a member, which can be one of an anonymous record inside.
    #[allow(clippy::too_many_arguments)]
    fn fill_member(
        &mut self,
        place: NodeId,
        member: NodeId,
        rest: &[Designator],
        init: InitId,
        items: &mut Items<'_>,
        span: Span,
        filled: &mut Filled,
    ) -> Analysed<u64> {
        let Kind::Member(mut base, index) = self.tree.node(member).kind else { return Ok(0) };
        // Another member of a union takes the place of the one that had a value.
        if let Type::Record(id) = *self.tree.types.get(self.ty(base))
            && self.tree.types.record(id).is_union
        {
            self.forget(base, filled)?;
        }
        self.fill_inside(member, rest, init, items, span, filled)?;
        let mut next = index as u64 + 1;
        while base != place
            && let Kind::Member(outer, index) = self.tree.node(base).kind
        {
            self.fill_parts(base, next, items, false, span, filled)?;
            next = index as u64 + 1;
            base = outer;
        }
        Ok(next)
    }

    /// Fills what the rest of the designators name.
    fn fill_inside(
        &mut self,
        part: NodeId,
        rest: &[Designator],
        init: InitId,
        items: &mut Items<'_>,
        span: Span,
        filled: &mut Filled,
    ) -> Analysed<()> {
        if rest.is_empty() {
            return self.fill(part, init, filled);
        }
        let next = self.fill_designated(part, rest, init, items, span, filled)?;
        self.fill_parts(part, next, items, false, span, filled)
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
