//! Statements of one body.

use super::{Checker, Scope, declared_twice};
use crate::source::{Fault, Outcome, Span};
use crate::syntax::{self, Expression, Name};
use crate::tree::{Arm, Block, ProcId, Statement, StatementKind, VarId, VariableKind};
use crate::types::TypeId;
use indexmap::IndexSet;
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};

/// Checks a body; its statements and how many labels it has.
pub(super) fn check<'s>(
    checker: &mut Checker<'_, 's>,
    body: &syntax::Body<'s>,
    scope: &Scope<'s>,
    procedure: ProcId,
) -> Outcome<(Block, usize)> {
    let mut labels = FxHashMap::default();
    collect_labels(&body.statements, &mut labels)?;
    let count = labels.len();
    let (enclosing, called) = (Vec::new(), FxHashSet::default());
    let mut statements = Statements { checker, scope, procedure, labels, enclosing, called };
    Ok((statements.block(&body.statements)?, count))
}

/// Numbers all labels. Recursion is bounded by the parser's.
fn collect_labels<'s>(
    block: &[syntax::Statement<'s>],
    labels: &mut FxHashMap<&'s str, usize>,
) -> Outcome<()> {
    for statement in block {
        match &statement.kind {
            syntax::StatementKind::Label(name) => {
                let number = labels.len();
                if labels.insert(name.text, number).is_some() {
                    return Err(declared_twice(*name));
                }
            }
            syntax::StatementKind::If(arms, other) => {
                arms.iter().try_for_each(|arm| collect_labels(&arm.block, labels))?;
                other.iter().try_for_each(|block| collect_labels(block, labels))?;
            }
            syntax::StatementKind::While { body, .. } => collect_labels(body, labels)?,
            _ => {}
        }
    }
    Ok(())
}

/// An `if` or `while` around the current statement.
struct Enclosing<'s> {
    is_loop: bool,
    /// The labels right before it.
    labels: Vec<&'s str>,
}

struct Statements<'c, 'f, 's> {
    checker: &'c mut Checker<'f, 's>,
    scope: &'c Scope<'s>,
    procedure: ProcId,
    labels: FxHashMap<&'s str, usize>,
    enclosing: Vec<Enclosing<'s>>,
    /// The procedures whose modified globals were compared with those of this one.
    called: FxHashSet<ProcId>,
}

impl<'s> Statements<'_, '_, 's> {
    fn block(&mut self, block: &[syntax::Statement<'s>]) -> Outcome<Block> {
        let mut found = Vec::with_capacity(block.len());
        let mut labels = Vec::new();
        for statement in block {
            if let syntax::StatementKind::Label(name) = statement.kind {
                labels.push(name.text);
                let kind = StatementKind::Label(self.labels[name.text]);
                found.push(Statement { kind, span: statement.span });
                continue;
            }
            let kind = self.statement(statement, std::mem::take(&mut labels))?;
            found.push(Statement { kind, span: statement.span });
        }
        Ok(found)
    }

    fn inside(
        &mut self,
        is_loop: bool,
        labels: &[&'s str],
        block: &[syntax::Statement<'s>],
    ) -> Outcome<Block> {
        self.enclosing.push(Enclosing { is_loop, labels: labels.to_vec() });
        let checked = self.block(block);
        self.enclosing.pop();
        checked
    }

    fn statement(
        &mut self,
        statement: &syntax::Statement<'s>,
        labels: Vec<&'s str>,
    ) -> Outcome<StatementKind> {
        use syntax::StatementKind as From;
        Ok(match &statement.kind {
            From::Label(_) => unreachable!("labels are the block's"),
            From::Assign(targets, values) => self.assign(targets, values, statement.span)?,
            From::Havoc(names) => {
                let ids: Outcome<Vec<VarId>> = names.iter().map(|n| self.target(*n)).collect();
                let mut ids = ids?;
                let mut seen = FxHashSet::default();
                ids.retain(|id| seen.insert(*id));
                StatementKind::Havoc(ids)
            }
            From::Assume(condition) => {
                self.checker.condition(*condition, self.scope)?;
                StatementKind::Assume(*condition)
            }
            From::Assert(condition) => {
                self.checker.condition(*condition, self.scope)?;
                StatementKind::Assert(*condition)
            }
            From::Call { results, callee, arguments } => self.call(results, *callee, arguments)?,
            From::Goto(names) => {
                let numbers: Outcome<Vec<usize>> = names.iter().map(|n| self.label(*n)).collect();
                StatementKind::Goto(numbers?)
            }
            From::Break(label) => StatementKind::Break(self.broken(*label, statement.span)?),
            From::Return => StatementKind::Return,
            From::If(arms, other) => {
                let mut checked = Vec::new();
                for arm in arms {
                    self.guard(arm.guard)?;
                    let block = self.inside(false, &labels, &arm.block)?;
                    checked.push(Arm { guard: arm.guard, span: arm.span, block });
                }
                let other = match other {
                    Some(block) => Some(self.inside(false, &labels, block)?),
                    None => None,
                };
                StatementKind::If(checked, other)
            }
            From::While { guard, invariants, body } => {
                self.guard(*guard)?;
                self.checker.clauses(invariants, self.scope)?;
                let body = self.inside(true, &labels, body)?;
                StatementKind::While { guard: *guard, invariants: invariants.clone(), body }
            }
        })
    }

    fn guard(&mut self, guard: Option<Expression>) -> Outcome<()> {
        guard.map_or(Ok(()), |condition| self.checker.condition(condition, self.scope))
    }

    fn label(&self, name: Name<'s>) -> Outcome<usize> {
        self.labels.get(name.text).copied().ok_or_else(|| {
            let text = format!("there is no label `{}` in this body", name.text);
            Fault::new(name.span, text)
        })
    }

    /// The statement behind which a `break` goes on.
    fn broken(&self, label: Option<Name<'s>>, span: Span) -> Outcome<usize> {
        let found = self.enclosing.iter().rposition(|enclosing| match label {
            Some(name) => enclosing.labels.contains(&name.text),
            None => enclosing.is_loop,
        });
        found.ok_or_else(|| match label {
            None => Fault::new(span, "`break` outside a loop"),
            Some(name) => {
                let text = format!("no enclosing loop or branch has the label `{}`", name.text);
                Fault::new(name.span, text)
            }
        })
    }

    /// The variable with this name, if it may be assigned here.
    fn target(&self, name: Name<'s>) -> Outcome<VarId> {
        let text = name.text;
        let wrong = |what: String| Err(Fault::new(name.span, what));
        if let Some(&id) = self.scope.locals.get(text) {
            let kind = self.checker.tree.variables[id.index()].kind;
            return match kind {
                VariableKind::Parameter => wrong(format!("the parameter `{text}` is assigned")),
                _ => Ok(id),
            };
        }
        match self.checker.variables.contains_key(text) {
            false => wrong(format!("there is no variable `{text}`")),
            true => {
                let id = self.checker.global(name)?;
                self.modified(id, name.span)?;
                Ok(id)
            }
        }
    }

    /// Checks that the procedure may change a global.
    fn modified(&self, id: VarId, span: Span) -> Outcome<()> {
        let procedure = &self.checker.tree.procedures[self.procedure.index()];
        if procedure.modifies.contains(&id) {
            return Ok(());
        }
        let global = &self.checker.tree.variables[id.index()].name;
        let text = format!(
            "`{global}` is changed, but not in the modifies clause of `{}`",
            procedure.name
        );
        Err(Fault::new(span, text).hint(format!("add `modifies {global};` to the procedure")))
    }

    fn assign(
        &mut self,
        targets: &[syntax::Target<'s>],
        values: &[Expression],
        span: Span,
    ) -> Outcome<StatementKind> {
        if targets.len() != values.len() {
            let text = format!("{} values for {} variables", values.len(), targets.len());
            return Err(Fault::new(span, text));
        }
        let mut assigned = Vec::new();
        let mut seen = FxHashSet::default();
        for (target, &value) in targets.iter().zip(values) {
            let id = self.target(target.name)?;
            if !seen.insert(id) {
                let text = format!("`{}` is assigned twice at once", target.name.text);
                return Err(Fault::new(target.name.span, text));
            }
            let mut of = self.checker.tree.variables[id.index()].of;
            if let Some(index) = target.index {
                of = self.checker.assigned_element(of, index, target.name, self.scope)?;
            }
            self.checker.expression_of(value, self.scope, of)?;
            assigned.push((id, target.index, value));
        }
        Ok(StatementKind::Assign(assigned))
    }

    fn call(
        &mut self,
        results: &[Name<'s>],
        callee: Name<'s>,
        arguments: &[Expression],
    ) -> Outcome<StatementKind> {
        let Some(&id) = self.checker.procedures.get(callee.text) else {
            let text = format!("there is no procedure `{}`", callee.text);
            return Err(Fault::new(callee.span, text));
        };
        let declared = &self.checker.tree.procedures[id.index()];
        for (wanted, found, what) in [
            (declared.parameters.len(), arguments.len(), "parameters"),
            (declared.results.len(), results.len(), "results"),
        ] {
            if wanted != found {
                let text = format!("`{}` has {wanted} {what}, not {found}", callee.text);
                return Err(Fault::new(callee.span, text));
            }
        }
        let of = |ids: &[VarId]| -> Vec<TypeId> {
            ids.iter().map(|id| self.checker.tree.variables[id.index()].of).collect()
        };
        let (parameters, declared_results) = (of(&declared.parameters), of(&declared.results));
        for (&argument, of) in arguments.iter().zip(parameters) {
            self.checker.expression_of(argument, self.scope, of)?;
        }
        let mut targets = IndexSet::with_hasher(FxBuildHasher);
        for (&name, wanted) in results.iter().zip(declared_results) {
            let target = self.target(name)?;
            let found = self.checker.tree.variables[target.index()].of;
            if wanted != found {
                let (wanted, found) = (self.checker.show(wanted), self.checker.show(found));
                let text = format!("the result is of type `{wanted}`, the variable `{found}`");
                return Err(Fault::new(name.span, text));
            }
            if !targets.insert(target) {
                return Err(Fault::new(name.span, "the variable gets two results"));
            }
        }
        if self.called.insert(id) {
            let modifies = &self.checker.tree.procedures[id.index()].modifies;
            modifies.iter().try_for_each(|global| self.modified(*global, callee.span))?;
        }
        let (results, arguments) = (targets.into_iter().collect(), arguments.to_vec());
        Ok(StatementKind::Call { results, callee: id, arguments })
    }
}
