//! Expressions to terms, node by node.

use super::Lowerer;
use crate::source::{Fault, Outcome, Span};
use crate::syntax::{Expression, NodeId, Operator};
use crate::tree::{Builtin, FunctionId, Meaning, NodeKind, VarId, VariableKind};
use num_bigint::{BigInt, Sign};
use pedra_model::term::{BinaryOp, IntOp, Scalar, Sort, Term, TermId, UnaryOp};
use pedra_program::{Span as GraphSpan, VariableId};
use rustc_hash::FxHashMap;

/// How deep functions with bodies may use each other.
const MAX_EXPANSIONS: usize = 128;

/// What variables stand for.
#[derive(Clone, Default)]
pub(super) struct Env {
    /// Terms of variables; others stand for themselves.
    pub bound: FxHashMap<VarId, TermId>,
    /// `old(g)` is the variable `g` itself rather than its value on entry.
    pub old_is_now: bool,
}

/// Operators to which zero as a divisor gives no value.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub(super) enum Division {
    Quotient,
    Remainder,
}

/// Calls `visit` with the arguments of a node.
fn for_arguments(kind: &NodeKind, mut visit: impl FnMut(NodeId)) {
    match *kind {
        NodeKind::Apply(_, ref arguments) => arguments.iter().copied().for_each(visit),
        NodeKind::Not(a) | NodeKind::Negate(a) | NodeKind::Old(a) => visit(a),
        NodeKind::Extract(a, ..) => visit(a),
        NodeKind::Binary(_, a, b) | NodeKind::Select(a, b) => [a, b].into_iter().for_each(visit),
        NodeKind::Ite(a, b, c) | NodeKind::Store(a, b, c) => {
            [a, b, c].into_iter().for_each(visit);
        }
        NodeKind::Unchecked
        | NodeKind::Bool(_)
        | NodeKind::Int(_)
        | NodeKind::Bv(_)
        | NodeKind::Variable(_) => {}
    }
}

impl Lowerer<'_, '_> {
    /// The term of an expression.
    pub(super) fn expression(&mut self, expression: Expression, env: &Env) -> Outcome<TermId> {
        let Expression { start, end, span } = expression;
        if !self.expanding.is_empty() {
            self.copy(expression.len(), span)?;
        }
        let tree = self.tree;
        let place = |node: NodeId| (node - start) as usize;
        let mut is_old = vec![false; place(end)];
        for id in (start..end).rev() {
            let kind = &tree.nodes[id as usize].kind;
            if is_old[place(id)] || matches!(kind, NodeKind::Old(_)) {
                for_arguments(kind, |argument| is_old[place(argument)] = true);
            }
        }
        let mut values: Vec<TermId> = Vec::with_capacity(is_old.len());
        for id in start..end {
            let value = |node: NodeId| values[place(node)];
            let kind = &tree.nodes[id as usize].kind;
            let term = match kind {
                NodeKind::Variable(variable) => {
                    self.read_variable(*variable, is_old[place(id)], env)?
                }
                NodeKind::Apply(function, arguments) => {
                    let arguments = arguments.iter().map(|a| value(*a)).collect();
                    self.apply(*function, arguments, span)?
                }
                NodeKind::Old(a) => value(*a),
                _ => self.operator(kind, value),
            };
            values.push(term);
        }
        Ok(values.pop().expect("expressions have nodes"))
    }

    fn read_variable(&mut self, id: VarId, is_old: bool, env: &Env) -> Outcome<TermId> {
        let variable = &self.tree.variables[id.index()];
        let was = is_old && variable.kind == VariableKind::Global;
        if !was && let Some(&term) = env.bound.get(&id) {
            return Ok(term);
        }
        let now = self.variable(id)?;
        if !was || env.old_is_now {
            return Ok(self.program.term_of(now));
        }
        if let Some(&saved) = self.saved.get(&id) {
            return Ok(self.program.term_of(saved));
        }
        let name = format!("old({})", variable.name);
        let (of, span) = (self.tree.types.show(variable.of), self.span(variable.span));
        let sort = self.sort_of(now);
        let saved = self.make(sort, Some(&name), &of, span);
        self.saved.insert(id, saved);
        Ok(self.program.term_of(saved))
    }

    fn apply(&mut self, id: FunctionId, arguments: Vec<TermId>, span: Span) -> Outcome<TermId> {
        match self.tree.functions[id.index()].meaning {
            Meaning::Builtin(builtin) => Ok(self.add(match builtin {
                Builtin::Unary(op) => Term::Unary(op, arguments[0]),
                Builtin::Binary(op) => Term::Binary(op, arguments[0], arguments[1]),
                Builtin::Extend { by, signed } => Term::Extend { arg: arguments[0], by, signed },
            })),
            Meaning::Uninterpreted => {
                let variable = self.function(id, span)?;
                let term = self.program.term_of(variable);
                Ok(match arguments[..] {
                    [argument] => self.program.terms.read(term, argument),
                    _ => term,
                })
            }
            Meaning::Body(body) => self.expand(id, arguments, body),
            Meaning::Refused(what) => {
                Err(Fault::unsupported(span, what).hint(format!("such as `{}`", self.name(id))))
            }
        }
    }

    fn name(&self, id: FunctionId) -> &str {
        &self.tree.functions[id.index()].name
    }

    /// The body of a function with arguments put in for its parameters.
    fn expand(
        &mut self,
        id: FunctionId,
        arguments: Vec<TermId>,
        body: Expression,
    ) -> Outcome<TermId> {
        let function = &self.tree.functions[id.index()];
        let key = (id, arguments);
        if let Some(&result) = self.results.get(&key) {
            return Ok(result);
        }
        let is_recursive = self.expanding.contains(&id);
        if is_recursive || self.expanding.len() == MAX_EXPANSIONS {
            let text = match is_recursive {
                true => format!("the function `{}` is recursive", function.name),
                false => format!("more than {MAX_EXPANSIONS} functions use each other"),
            };
            let fault = Fault::new(function.span, text);
            return Err(fault.hint("bodies of functions are expanded where they are used"));
        }
        let bound = function.parameters.iter().copied().zip(key.1.iter().copied()).collect();
        self.expanding.push(id);
        let result = self.expression(body, &Env { bound, old_is_now: false })?;
        self.expanding.pop();
        self.results.insert(key, result);
        Ok(result)
    }

    /// A global that stands for an uninterpreted function of at most one argument.
    fn function(&mut self, id: FunctionId, span: Span) -> Outcome<VariableId> {
        if let Some(&made) = self.functions.get(&id) {
            return Ok(made);
        }
        let function = &self.tree.functions[id.index()];
        let scalar = |of| {
            let sort = self.sort(of).and_then(Sort::scalar);
            sort.ok_or_else(|| {
                Fault::unsupported(function.span, "uninterpreted functions of these types")
            })
        };
        let sort = match function.parameters[..] {
            [] => scalar(function.result)?.into(),
            [parameter] => Sort::Array {
                index: scalar(self.tree.variables[parameter.index()].of)?,
                element: scalar(function.result)?,
            },
            _ => {
                let what = "uninterpreted functions of several arguments";
                let hint = format!("`{}` has no body", self.name(id));
                return Err(Fault::unsupported(span, what).hint(hint));
            }
        };
        let (name, span) = (Some(&*function.name), self.span(function.span));
        let made = self.make(sort, name, "function", span);
        self.program.globals.push(made);
        self.functions.insert(id, made);
        Ok(made)
    }

    /// A term of checked arguments.
    fn add(&mut self, term: Term) -> TermId {
        self.program.terms.add(term).expect("types were checked")
    }

    fn operator(&mut self, kind: &NodeKind, value: impl Fn(NodeId) -> TermId) -> TermId {
        let term = match *kind {
            NodeKind::Bool(holds) => return self.program.terms.bool(holds),
            NodeKind::Int(ref number) => Term::IntConst(Box::new(number.clone().into())),
            NodeKind::Bv(ref bits) => Term::Const(bits.clone()),
            NodeKind::Not(a) => Term::Unary(UnaryOp::Not, value(a)),
            NodeKind::Negate(a) => match self.program.terms.get(value(a)) {
                Term::IntConst(number) => Term::IntConst(Box::new(-(**number).clone())),
                _ => Term::IntNeg(value(a)),
            },
            NodeKind::Binary(op, a, b) => return self.binary(op, value(a), value(b)),
            NodeKind::Ite(c, t, e) => Term::Ite(value(c), value(t), value(e)),
            NodeKind::Select(map, at) => Term::Read(value(map), value(at)),
            NodeKind::Store(map, at, element) => Term::Write(value(map), value(at), value(element)),
            NodeKind::Extract(a, high, low) => {
                return self.program.terms.slice(value(a), high - 1, low);
            }
            NodeKind::Variable(_) | NodeKind::Apply(..) | NodeKind::Old(_) => {
                unreachable!("these are no operators")
            }
            NodeKind::Unchecked => unreachable!("expressions are checked"),
        };
        self.add(term)
    }

    fn binary(&mut self, op: Operator, a: TermId, b: TermId) -> TermId {
        let term = match op {
            Operator::Iff => Term::Binary(BinaryOp::Iff, a, b),
            Operator::Implies => Term::Binary(BinaryOp::Implies, a, b),
            Operator::Explies => Term::Binary(BinaryOp::Implies, b, a),
            Operator::And => Term::Binary(BinaryOp::And, a, b),
            Operator::Or => Term::Binary(BinaryOp::Or, a, b),
            Operator::Eq => Term::Binary(BinaryOp::Eq, a, b),
            Operator::Neq => Term::Binary(BinaryOp::Neq, a, b),
            Operator::Concat => Term::Binary(BinaryOp::Concat, a, b),
            Operator::Lt => Term::Int(IntOp::Lt, a, b),
            Operator::Le => Term::Int(IntOp::Le, a, b),
            Operator::Gt => Term::Int(IntOp::Gt, a, b),
            Operator::Ge => Term::Int(IntOp::Ge, a, b),
            Operator::Add => Term::Int(IntOp::Add, a, b),
            Operator::Sub => Term::Int(IntOp::Sub, a, b),
            Operator::Mul => Term::Int(IntOp::Mul, a, b),
            Operator::Div => return self.divide(Division::Quotient, a, b),
            Operator::Mod => return self.divide(Division::Remainder, a, b),
        };
        self.add(term)
    }

    /// Euclidean quotient or remainder. By zero it is some function of the dividend, as in
    /// SMT-LIB: an unknown one, but the same everywhere.
    fn divide(&mut self, division: Division, a: TermId, b: TermId) -> TermId {
        let op = match division {
            Division::Quotient => IntOp::Div,
            Division::Remainder => IntOp::Mod,
        };
        let divided = self.add(Term::Int(op, a, b));
        let is_zero = |number: &BigInt| number.sign() == Sign::NoSign;
        if let Term::IntConst(number) = self.program.terms.get(b)
            && !is_zero(number)
        {
            return divided;
        }
        let map = self.by_zero(division);
        let map = self.program.term_of(map);
        let terms = &mut self.program.terms;
        let by_zero = terms.read(map, a);
        let zero = terms.integer(0);
        let is_zero = terms.binary(BinaryOp::Eq, b, zero);
        terms.ite(is_zero, by_zero, divided)
    }

    fn by_zero(&mut self, division: Division) -> VariableId {
        if let Some(&made) = self.by_zero.get(&division) {
            return made;
        }
        let sort = Sort::Array { index: Scalar::Int, element: Scalar::Int };
        let made = self.make(sort, None, "[int]int", GraphSpan::default());
        self.program.globals.push(made);
        self.by_zero.insert(division, made);
        made
    }
}
