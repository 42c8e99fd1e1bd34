//! From a checked program to the program graph.
//!
//! # Meaning
//! - One graph procedure for each implementation, and one more where runs start. It assumes the
//!   axioms and calls the procedure that was asked for; without a wish `ULTIMATE.start` if there is
//!   an implementation of it, otherwise any of the implementations; with arbitrary arguments and
//!   globals.
//! - A call of a procedure with implementations is a call edge to each of them. A call of one
//!   without changes what it modifies and its results as its postconditions allow.
//! - `requires` is asserted by callers and assumed by implementations, `ensures` is asserted by
//!   implementations. A free `requires` is assumed where runs start in the procedure; at a call the
//!   arguments are what they are. `ensures`, free or not, is assumed at calls of procedures without
//!   implementations; with one, its body says what a call does.
//! - `old(g)` is the value of `g` on entry, which an added local variable keeps.
//! - Constants are globals that nothing changes. An uninterpreted function of one argument is a
//!   constant map. So are quotient and remainder by zero, which Boogie leaves open.
//! - A type of which nothing is known is the integers. Programs only compare its values, so a run
//!   over any other set of values corresponds to one over integers and the other way round.

mod body;
mod expression;
mod start;

use crate::source::{Fault, Outcome, Source, Span};
use crate::tree::{FunctionId, Tree, VarId};
use crate::types::{Type, TypeId};
use indexmap::IndexMap;
use pedra_model::term::{Sort, TermId, UnaryOp};
use pedra_program::{Action, Edge, PlaceId, Program, Span as GraphSpan, Step, VariableId};
use rustc_hash::{FxBuildHasher, FxHashMap};

/// The most nodes that bodies of functions and contracts of procedures, which are put in wherever
/// they are used, may make. All else is as large as the text.
const MAX_COPIED: usize = 1 << 20;

/// Lowers a checked program.
pub(crate) fn lower(
    tree: &Tree,
    source: &Source<'_>,
    file: &str,
    entry: Option<&str>,
) -> Outcome<Program> {
    let mut program = Program::new();
    program.files.push(file.to_owned());
    let mut lowerer = Lowerer {
        tree,
        source,
        program,
        variables: vec![None; tree.variables.len()],
        functions: FxHashMap::default(),
        by_zero: FxHashMap::default(),
        results: FxHashMap::default(),
        expanding: Vec::new(),
        copied: 0,
        saved: IndexMap::default(),
    };
    for &id in tree.globals.iter().chain(&tree.constants) {
        // One of a type that is not supported is refused where it is used.
        if let Some(variable) = lowerer.declare(id) {
            lowerer.program.globals.push(variable);
        }
    }
    for index in 0..tree.implementations.len() {
        let procedure = body::lower(&mut lowerer, index)?;
        lowerer.program.procedures.push(procedure);
    }
    lowerer.start(entry)?;
    debug_assert_eq!(lowerer.program.check(), Ok(()));
    Ok(lowerer.program)
}

struct Lowerer<'a, 's> {
    tree: &'a Tree,
    source: &'a Source<'s>,
    program: Program,
    /// The graph's variable for each one of the tree that has one.
    variables: Vec<Option<VariableId>>,
    /// The constants that stand for uninterpreted functions.
    functions: FxHashMap<FunctionId, VariableId>,
    /// The maps that stand for quotients and remainders by zero.
    by_zero: FxHashMap<expression::Division, VariableId>,
    /// Bodies of functions with their arguments put in.
    results: FxHashMap<(FunctionId, Vec<TermId>), TermId>,
    /// The functions whose bodies are being expanded.
    expanding: Vec<FunctionId>,
    /// How many nodes of functions' bodies and of contracts were copied.
    copied: usize,
    /// The variables of the current implementation that keep the globals' values on entry.
    saved: IndexMap<VarId, VariableId, FxBuildHasher>,
}

impl Lowerer<'_, '_> {
    fn span(&self, span: Span) -> GraphSpan {
        let (line, column) = self.source.location(span.start);
        GraphSpan { file: 0, line, column }
    }

    fn text(&self, span: Span) -> Box<str> {
        self.source.one_line(span).into()
    }

    /// The sort of a type; `None` if there is none.
    fn sort(&self, of: TypeId) -> Option<Sort> {
        Some(match self.tree.types.get(of) {
            Type::Bool => Sort::BOOL,
            Type::Int | Type::Named(_) => Sort::Int,
            Type::Bv(width) => Sort::Bv(*width),
            Type::Real => return None,
            Type::Map(indices, element) => match indices[..] {
                [index] => {
                    // A map in a map has no sort; looking no deeper keeps this from recursing.
                    let part = |of| match self.tree.types.get(of) {
                        Type::Map(..) => None,
                        _ => self.sort(of)?.scalar(),
                    };
                    Sort::Array { index: part(index)?, element: part(*element)? }
                }
                _ => return None,
            },
        })
    }

    /// Why a type has no sort.
    fn refused(&self, of: TypeId, span: Span) -> Fault {
        let is_map = |of: &TypeId| matches!(self.tree.types.get(*of), Type::Map(..));
        let text = match self.tree.types.get(of) {
            Type::Map(indices, _) if indices.len() != 1 => "maps with several indices",
            Type::Map(indices, element) if is_map(&indices[0]) || is_map(element) => "maps of maps",
            _ => "real numbers",
        };
        let fault = Fault::unsupported(span, text);
        fault.hint(format!("the type is `{}`", self.tree.types.show(of)))
    }

    /// Makes a variable. Bit-vectors are shown as Boogie writes them: without a sign.
    fn make(&mut self, sort: Sort, name: Option<&str>, of: &str, span: GraphSpan) -> VariableId {
        let is_signed = sort.element().unwrap_or(sort) == Sort::Int;
        self.program.add_variable(sort, name, of, is_signed, span)
    }

    /// Makes the graph's variable, if the type is supported.
    fn declare(&mut self, id: VarId) -> Option<VariableId> {
        let variable = &self.tree.variables[id.index()];
        let sort = self.sort(variable.of)?;
        let (of, span) = (self.tree.types.show(variable.of), self.span(variable.span));
        let made = self.make(sort, Some(&variable.name), &of, span);
        self.variables[id.index()] = Some(made);
        Some(made)
    }

    /// The graph's variable.
    fn variable(&self, id: VarId) -> Outcome<VariableId> {
        self.variables[id.index()].ok_or_else(|| {
            let variable = &self.tree.variables[id.index()];
            self.refused(variable.of, variable.span)
        })
    }

    /// The sort of a variable.
    fn sort_of(&self, variable: VariableId) -> Sort {
        self.program.terms.sort(self.program.term_of(variable))
    }

    /// Counts what is copied to a place of its use.
    fn copy(&mut self, nodes: usize, span: Span) -> Outcome<()> {
        self.copied += nodes;
        if self.copied > MAX_COPIED {
            let text = "bodies of functions and contracts make the program too large";
            return Err(Fault::new(span, text));
        }
        Ok(())
    }

    fn not(&mut self, a: TermId) -> TermId {
        self.program.terms.unary(UnaryOp::Not, a)
    }
}

/// An edge that only has a guard.
fn step(
    from: PlaceId,
    to: PlaceId,
    guard: Option<TermId>,
    span: GraphSpan,
    text: Box<str>,
) -> Edge {
    let action = Action::Step(Step { guard, ..Step::default() });
    Edge { from, to, action, span, text }
}
