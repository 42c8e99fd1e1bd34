//! The procedure where runs start.

use super::expression::Env;
use super::{Lowerer, step};
use crate::source::{Fault, Outcome, Span};
use crate::tree::VarId;
use crate::types::{TypeId, Types};
use indexmap::IndexMap;
use pedra_model::term::{BinaryOp, TermId};
use pedra_program::{
    Action, Call, Edge, PlaceId, Procedure, ProcedureId, Span as GraphSpan, VariableId,
};
use rustc_hash::FxBuildHasher;

/// The procedure with which programs begin that have it.
const ENTRY: &str = "ULTIMATE.start";

/// The most unique constants of one type: each pair of them is compared.
const MAX_UNIQUES: usize = 256;

impl Lowerer<'_, '_> {
    pub(super) fn start(&mut self, wish: Option<&str>) -> Outcome<()> {
        let tree = self.tree;
        let name = wish.unwrap_or(ENTRY);
        let named = tree.procedures.iter().find(|p| &*p.name == name);
        let named = named.map_or(&[][..], |procedure| &procedure.implementations);
        let entries: Vec<usize> = match (named, wish) {
            ([], None) => (0..tree.implementations.len()).collect(),
            ([], Some(_)) => {
                let text = format!("no procedure `{name}` has an implementation");
                return Err(Fault::new(Span::default(), text));
            }
            (named, _) => named.to_vec(),
        };
        let Some(&first) = entries.first() else {
            let fault = Fault::new(Span::default(), "no procedure has an implementation");
            return Err(fault.hint("there is nothing to check"));
        };
        let span = self.span(tree.implementations[first].span);
        let mut start = Procedure::new("start", span);
        let mut place = start.entry;
        for (condition, at, text) in self.assumptions()? {
            let next = start.add_place(at);
            start.add_edge(step(place, next, Some(condition), at, text));
            place = next;
        }
        for index in entries {
            self.enter(index, &mut start, place)?;
        }
        self.program.entry = ProcedureId::new(self.program.procedures.len());
        self.program.procedures.push(start);
        Ok(())
    }

    /// A call of an implementation with arbitrary arguments that satisfy its free preconditions.
    /// The others are assumed by the implementation.
    fn enter(&mut self, index: usize, start: &mut Procedure, mut from: PlaceId) -> Outcome<()> {
        let implementation = &self.tree.implementations[index];
        let declared = &self.tree.procedures[implementation.procedure.index()];
        let name = &declared.name;
        let span = self.span(implementation.span);
        let mut copies = |ids: &[VarId]| -> Outcome<Vec<VariableId>> {
            let copy = |id: &VarId| {
                let variable = self.variable(*id)?;
                let (sort, of) =
                    (self.sort_of(variable), self.program.variable(variable).source_type.clone());
                Ok(self.make(sort, None, &of, span))
            };
            ids.iter().map(copy).collect()
        };
        let parameters = copies(&implementation.parameters)?;
        let results = copies(&implementation.results)?;
        start.variables.extend(parameters.iter().chain(&results));
        let arguments: Vec<TermId> = parameters.iter().map(|v| self.program.term_of(*v)).collect();
        let bound = declared.parameters.iter().copied().zip(arguments.iter().copied());
        let env = Env { bound: bound.collect(), old_is_now: true };
        for clause in declared.requires.iter().filter(|clause| clause.is_free) {
            let condition = self.expression(clause.condition, &env)?;
            let (at, text) = (self.span(clause.span), self.text(clause.span));
            let next = start.add_place(at);
            start.add_edge(step(from, next, Some(condition), at, text));
            from = next;
        }
        let action = Action::Call(Call { callee: ProcedureId::new(index), arguments, results });
        let text = format!("procedure {name}").into();
        start.add_edge(Edge { from, to: start.exit, action, span, text });
        Ok(())
    }

    /// What holds of the constants: the axioms, and that unique ones differ.
    fn assumptions(&mut self) -> Outcome<Vec<(TermId, GraphSpan, Box<str>)>> {
        let tree = self.tree;
        let mut found = Vec::new();
        for axiom in &tree.axioms {
            let condition = self.expression(axiom.condition, &Env::default())?;
            found.push((condition, self.span(axiom.span), self.text(axiom.span)));
        }
        let mut groups: IndexMap<TypeId, Vec<VarId>, FxBuildHasher> = IndexMap::default();
        for &id in &tree.uniques {
            groups.entry(tree.variables[id.index()].of).or_default().push(id);
        }
        for (of, group) in groups {
            let [first, _, ..] = group[..] else { continue };
            if of == Types::BOOL {
                let span = tree.variables[first.index()].span;
                return Err(Fault::unsupported(span, "unique constants of type `bool`"));
            }
            if group.len() > MAX_UNIQUES {
                let span = tree.variables[group[MAX_UNIQUES].index()].span;
                let text = format!("more than {MAX_UNIQUES} unique constants of one type");
                return Err(Fault::new(span, text));
            }
            for (place, &id) in group.iter().enumerate().skip(1) {
                let own = self.program.term_of(self.variable(id)?);
                let mut differs = None;
                for &other in &group[..place] {
                    let other = self.program.term_of(self.variable(other)?);
                    let terms = &mut self.program.terms;
                    let differ = terms.binary(BinaryOp::Neq, other, own);
                    differs = Some(match differs {
                        None => differ,
                        Some(before) => terms.binary(BinaryOp::And, before, differ),
                    });
                }
                let variable = &tree.variables[id.index()];
                let text = format!("const unique {}", variable.name).into();
                found.extend(differs.map(|term| (term, self.span(variable.span), text)));
            }
        }
        Ok(found)
    }
}
