//! Types of expressions, node by node.

use super::{Checker, Scope, supported_width};
use crate::source::{Fault, Outcome, Span};
use crate::syntax::{self, Expression, Name, NodeId, Operator};
use crate::tree::{Node, NodeKind, VarId, VariableKind};
use crate::types::{Type, TypeId, Types};
use num_bigint::BigUint;
use pedra_model::bv::Bv;

/// The most digits of a number: reading it takes time quadratic in them.
const MAX_DIGITS: usize = 10_000;

/// A number that is small enough for what counts bits.
pub(super) fn small(digits: &str, span: Span) -> Outcome<u64> {
    digits.parse().map_err(|_| Fault::new(span, "this number is too large"))
}

pub(super) fn width(digits: &str, span: Span) -> Outcome<u32> {
    supported_width(small(digits, span)?, span)
}

fn number(digits: &str, span: Span) -> Outcome<BigUint> {
    if digits.len() > MAX_DIGITS {
        return Err(Fault::new(span, format!("a number of more than {MAX_DIGITS} digits")));
    }
    Ok(digits.parse().expect("digits"))
}

impl<'s> Checker<'_, 's> {
    /// Checks an expression whose type is known.
    pub(super) fn expression_of(
        &mut self,
        expression: Expression,
        scope: &Scope<'s>,
        wanted: TypeId,
    ) -> Outcome<()> {
        let found = self.expression(expression, scope)?;
        if found != wanted {
            let (wanted, found) = (self.show(wanted), self.show(found));
            let text = format!("this is of type `{found}`, but `{wanted}` is needed");
            return Err(Fault::new(expression.span, text));
        }
        Ok(())
    }

    /// Checks an expression; its type.
    pub(super) fn expression(
        &mut self,
        expression: Expression,
        scope: &Scope<'s>,
    ) -> Outcome<TypeId> {
        let file = self.file;
        for id in expression.start..expression.end {
            let node = self.node(&file.nodes[id as usize], scope)?;
            self.tree.nodes[id as usize] = node;
        }
        Ok(self.of(expression.end - 1))
    }

    fn of(&self, node: NodeId) -> TypeId {
        self.tree.nodes[node as usize].of
    }

    /// Checks that an argument has a type.
    fn expect(&self, node: NodeId, wanted: TypeId) -> Outcome<()> {
        let found = self.of(node);
        if found == wanted {
            return Ok(());
        }
        let text = format!("`{}` is needed here, not `{}`", self.show(wanted), self.show(found));
        Err(Fault::new(self.file.nodes[node as usize].span, text))
    }

    fn node(&mut self, node: &syntax::Node<'s>, scope: &Scope<'s>) -> Outcome<Node> {
        use syntax::NodeKind as From;
        let span = node.span;
        let (kind, of) = match node.kind {
            From::Bool(value) => (NodeKind::Bool(value), Types::BOOL),
            From::Int(digits) => (NodeKind::Int(number(digits, span)?), Types::INT),
            From::Bv(digits, bits) => {
                let (value, bits) = (number(digits, span)?, width(bits, span)?);
                // A value that does not fit is taken modulo 2^bits, as SMT solvers do.
                let value = Bv::from_limbs(bits, value.to_u64_digits());
                (NodeKind::Bv(value), self.tree.types.add(Type::Bv(bits)))
            }
            From::Name(text) => {
                let id = self.readable(Name { text, span }, scope)?;
                (NodeKind::Variable(id), self.tree.variables[id.index()].of)
            }
            From::Apply(name, ref arguments) => self.apply(name, arguments)?,
            From::Not(a) => {
                self.expect(a, Types::BOOL)?;
                (NodeKind::Not(a), Types::BOOL)
            }
            From::Negate(a) => {
                self.arithmetic("-", a, span)?;
                (NodeKind::Negate(a), self.of(a))
            }
            From::Binary(op, a, b) => (NodeKind::Binary(op, a, b), self.binary(op, a, b, span)?),
            From::Ite(c, t, e) => {
                self.expect(c, Types::BOOL)?;
                self.expect(e, self.of(t))?;
                (NodeKind::Ite(c, t, e), self.of(t))
            }
            From::Select(map, at) => (NodeKind::Select(map, at), self.element(map, at)?),
            From::Store(map, at, value) => {
                let element = self.element(map, at)?;
                self.expect(value, element)?;
                (NodeKind::Store(map, at, value), self.of(map))
            }
            From::Extract(a, high, low) => self.extract(a, high, low, span)?,
            From::Old(a) => {
                if !scope.has_old {
                    let text = "`old` is for postconditions and bodies of procedures";
                    return Err(Fault::new(span, text));
                }
                (NodeKind::Old(a), self.of(a))
            }
        };
        Ok(Node { kind, of })
    }

    /// The variable or constant with this name.
    fn readable(&self, name: Name<'s>, scope: &Scope<'s>) -> Outcome<VarId> {
        if let Some(&id) = scope.locals.get(name.text) {
            return Ok(id);
        }
        let Some(&id) = self.variables.get(name.text) else {
            let fault = Fault::new(name.span, format!("there is no variable `{}`", name.text));
            return Err(match self.functions.contains_key(name.text) {
                true => fault.hint("this is a function: its arguments are missing"),
                false => fault,
            });
        };
        let is_global = self.tree.variables[id.index()].kind == VariableKind::Global;
        if is_global && !scope.has_globals {
            let text = format!("the global variable `{}` is not in scope here", name.text);
            return Err(Fault::new(name.span, text));
        }
        Ok(id)
    }

    fn apply(&self, name: Name<'s>, arguments: &[NodeId]) -> Outcome<(NodeKind, TypeId)> {
        let Some(&id) = self.functions.get(name.text) else {
            let fault = Fault::new(name.span, format!("there is no function `{}`", name.text));
            return Err(match self.procedures.contains_key(name.text) {
                true => fault.hint("procedures are called by `call` statements"),
                false => fault,
            });
        };
        let function = &self.tree.functions[id.index()];
        let (wanted, found) = (function.parameters.len(), arguments.len());
        if wanted != found {
            let text = format!("`{}` has {wanted} parameters, not {found}", name.text);
            return Err(Fault::new(name.span, text));
        }
        for (parameter, &argument) in function.parameters.iter().zip(arguments) {
            self.expect(argument, self.tree.variables[parameter.index()].of)?;
        }
        Ok((NodeKind::Apply(id, arguments.into()), function.result))
    }

    /// The element's type of a map that is accessed.
    fn element(&self, map: NodeId, at: NodeId) -> Outcome<TypeId> {
        let span = self.file.nodes[map as usize].span;
        match self.tree.types.get(self.of(map)) {
            Type::Map(indices, element) if indices.len() == 1 => {
                self.expect(at, indices[0])?;
                Ok(*element)
            }
            Type::Map(..) => Err(Fault::unsupported(span, "maps with several indices")),
            _ => {
                let text = format!("this is not a map, but of type `{}`", self.show(self.of(map)));
                Err(Fault::new(span, text))
            }
        }
    }

    /// Checks the index of a map whose element is assigned; the element's type.
    pub(super) fn assigned_element(
        &mut self,
        map: TypeId,
        index: Expression,
        name: Name<'s>,
        scope: &Scope<'s>,
    ) -> Outcome<TypeId> {
        let (wanted, element) = match self.tree.types.get(map) {
            Type::Map(indices, element) if indices.len() == 1 => (indices[0], *element),
            Type::Map(..) => {
                return Err(Fault::unsupported(name.span, "maps with several indices"));
            }
            _ => return Err(Fault::new(name.span, format!("`{}` is not a map", name.text))),
        };
        self.expression_of(index, scope, wanted)?;
        Ok(element)
    }

    fn extract(
        &mut self,
        a: NodeId,
        high: &str,
        low: &str,
        span: Span,
    ) -> Outcome<(NodeKind, TypeId)> {
        let Type::Bv(bits) = *self.tree.types.get(self.of(a)) else {
            let text = format!("bits of something of type `{}`", self.show(self.of(a)));
            return Err(Fault::new(span, text));
        };
        let (high, low) = (small(high, span)?, small(low, span)?);
        if low >= high || high > u64::from(bits) {
            let text = format!("bits {high} to {low} of a bit-vector of {bits} bits");
            return Err(Fault::new(span, text).hint("`x[high:low]` ends below bit `high`"));
        }
        let of = self.tree.types.add(Type::Bv((high - low) as u32));
        Ok((NodeKind::Extract(a, high as u32, low as u32), of))
    }

    /// Checks that an operator's argument is an integer.
    fn arithmetic(&self, op: &str, a: NodeId, span: Span) -> Outcome<()> {
        match self.tree.types.get(self.of(a)) {
            Type::Int => Ok(()),
            Type::Real => Err(Fault::unsupported(span, "real numbers")),
            _ => {
                let text = format!("`{op}` needs an `int`, not `{}`", self.show(self.of(a)));
                let fault = Fault::new(self.file.nodes[a as usize].span, text);
                Err(match self.tree.types.get(self.of(a)) {
                    Type::Bv(_) => fault.hint("declare a function with {:bvbuiltin \"bvadd\"}"),
                    _ => fault,
                })
            }
        }
    }

    fn binary(&mut self, op: Operator, a: NodeId, b: NodeId, span: Span) -> Outcome<TypeId> {
        use Operator::*;
        match op {
            Iff | Implies | Explies | And | Or => {
                self.expect(a, Types::BOOL)?;
                self.expect(b, Types::BOOL)?;
                Ok(Types::BOOL)
            }
            Eq | Neq => {
                self.expect(b, self.of(a))?;
                Ok(Types::BOOL)
            }
            Lt | Le | Gt | Ge | Add | Sub | Mul | Div | Mod => {
                self.arithmetic(op.text(), a, span)?;
                self.arithmetic(op.text(), b, span)?;
                let is_comparison = op.level() == Eq.level();
                Ok(if is_comparison { Types::BOOL } else { Types::INT })
            }
            Concat => {
                let types = &self.tree.types;
                let (Type::Bv(high), Type::Bv(low)) =
                    (types.get(self.of(a)), types.get(self.of(b)))
                else {
                    return Err(Fault::new(span, "`++` needs two bit-vectors"));
                };
                let width = supported_width(u64::from(*high) + u64::from(*low), span)?;
                Ok(self.tree.types.add(Type::Bv(width)))
            }
        }
    }
}
