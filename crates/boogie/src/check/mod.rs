//! Name resolution and type checking: from [`crate::syntax`] to [`crate::tree`].

mod builtin;
mod expression;
mod statement;

pub(crate) use builtin::builtin_of_unary;

use crate::source::{Fault, Outcome, Span};
use crate::syntax::{self, Clause, Expression, File, Name, TypeText};
use crate::tree::{
    Function, FunctionId, Implementation, Meaning, Node, NodeKind, ProcId, Procedure, Tree, VarId,
    Variable, VariableKind,
};
use crate::types::{Type, TypeId, Types};
use pedra_model::term::Sort;
use rustc_hash::FxHashMap;

/// How deep synonyms of types may nest.
const MAX_SYNONYMS: usize = 256;

/// Checks a file.
pub(crate) fn check(file: &File<'_>) -> Outcome<Tree> {
    let nodes = vec![Node { kind: NodeKind::Unchecked, of: Types::BOOL }; file.nodes.len()];
    let tree = Tree {
        types: Types::new(),
        nodes,
        variables: Vec::new(),
        functions: Vec::new(),
        axioms: Vec::new(),
        globals: Vec::new(),
        constants: Vec::new(),
        uniques: Vec::new(),
        procedures: Vec::new(),
        implementations: Vec::new(),
    };
    let mut checker = Checker {
        file,
        tree,
        type_names: FxHashMap::default(),
        variables: FxHashMap::default(),
        functions: FxHashMap::default(),
        procedures: FxHashMap::default(),
    };
    checker.types()?;
    checker.variables()?;
    checker.functions()?;
    checker.procedures()?;
    checker.implementations()?;
    Ok(checker.tree)
}

struct Checker<'f, 's> {
    file: &'f File<'s>,
    tree: Tree,
    type_names: FxHashMap<&'s str, TypeId>,
    /// Globals and constants.
    variables: FxHashMap<&'s str, VarId>,
    functions: FxHashMap<&'s str, FunctionId>,
    procedures: FxHashMap<&'s str, ProcId>,
}

/// What an expression may speak of.
#[derive(Clone, Default)]
struct Scope<'s> {
    locals: FxHashMap<&'s str, VarId>,
    /// Constants are always in scope.
    has_globals: bool,
    has_old: bool,
}

fn declared_twice(name: Name<'_>) -> Fault {
    Fault::new(name.span, format!("`{}` is declared twice", name.text))
}

impl<'s> Checker<'_, 's> {
    fn types(&mut self) -> Outcome<()> {
        let mut items: FxHashMap<&'s str, &syntax::TypeItem<'s>> = FxHashMap::default();
        for item in &self.file.types {
            if items.insert(item.name.text, item).is_some() {
                return Err(declared_twice(item.name));
            }
        }
        for item in &self.file.types {
            // Follows the synonyms to the first name that is known, then goes back.
            let mut waiting = vec![item];
            while let Some(&item) = waiting.last() {
                if self.type_names.contains_key(item.name.text) {
                    waiting.pop();
                    continue;
                }
                if waiting.len() > MAX_SYNONYMS {
                    let fault = Fault::new(item.name.span, "synonyms of types nest too deep");
                    return Err(fault.hint("does this type contain itself?"));
                }
                let mut needed = Vec::new();
                item.synonym.iter().for_each(|of| names_in(of, &mut needed));
                let unknown = |name: &&str| !self.type_names.contains_key(*name);
                match needed.into_iter().filter(unknown).find_map(|name| items.get(name)) {
                    Some(item) => waiting.push(item),
                    None => self.type_item(item)?,
                }
            }
        }
        Ok(())
    }

    fn type_item(&mut self, item: &syntax::TypeItem<'s>) -> Outcome<()> {
        let id = match &item.synonym {
            Some(of) => self.type_of(of)?,
            None => self.tree.types.add(Type::Named(item.name.text.into())),
        };
        self.type_names.insert(item.name.text, id);
        Ok(())
    }

    fn type_of(&mut self, of: &TypeText<'s>) -> Outcome<TypeId> {
        Ok(match of {
            TypeText::Bool => Types::BOOL,
            TypeText::Int => Types::INT,
            TypeText::Real => Types::REAL,
            TypeText::Name(name) => match self.type_names.get(name.text) {
                Some(id) => *id,
                None => self.bv_type(*name)?,
            },
            TypeText::Map(indices, element) => {
                let indices: Outcome<Vec<TypeId>> =
                    indices.iter().map(|index| self.type_of(index)).collect();
                let kind = Type::Map(indices?.into(), self.type_of(element)?);
                self.tree.types.add(kind)
            }
        })
    }

    /// `bvN`.
    fn bv_type(&mut self, name: Name<'s>) -> Outcome<TypeId> {
        let digits = name.text.strip_prefix("bv").unwrap_or_default();
        if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err(Fault::new(name.span, format!("there is no type `{}`", name.text)));
        }
        let width = expression::width(digits, name.span)?;
        Ok(self.tree.types.add(Type::Bv(width)))
    }

    fn add_variable(&mut self, name: Name<'s>, of: TypeId, kind: VariableKind) -> VarId {
        let id = VarId(self.tree.variables.len() as u32);
        let variable = Variable { name: name.text.into(), of, kind, span: name.span };
        self.tree.variables.push(variable);
        id
    }

    /// Globals and constants; axioms wait for the functions.
    fn variables(&mut self) -> Outcome<()> {
        let file = self.file;
        let globals = file.globals.iter().map(|group| (group, VariableKind::Global, false));
        let constants = file.constants.iter();
        let constants = constants.map(|c| (&c.variables, VariableKind::Constant, c.is_unique));
        for (group, kind, is_unique) in globals.chain(constants) {
            let of = self.type_of(&group.of)?;
            for &name in &group.names {
                let id = self.add_variable(name, of, kind);
                if self.variables.insert(name.text, id).is_some() {
                    return Err(declared_twice(name));
                }
                match kind {
                    VariableKind::Global => self.tree.globals.push(id),
                    _ => self.tree.constants.push(id),
                }
                if is_unique {
                    self.tree.uniques.push(id);
                }
            }
        }
        Ok(())
    }

    fn functions(&mut self) -> Outcome<()> {
        let file = self.file;
        for function in &file.functions {
            let name = function.name;
            let id = FunctionId(self.tree.functions.len() as u32);
            if self.functions.insert(name.text, id).is_some() {
                return Err(declared_twice(name));
            }
            let mut parameters = Vec::new();
            for (parameter, of) in &function.parameters {
                let of = self.type_of(of)?;
                let parameter = parameter.unwrap_or(Name { text: "", span: name.span });
                parameters.push(self.add_variable(parameter, of, VariableKind::Parameter));
            }
            let result = self.type_of(&function.result)?;
            let meaning = self.meaning(function, &parameters, result)?;
            let function =
                Function { name: name.text.into(), span: name.span, parameters, result, meaning };
            self.tree.functions.push(function);
        }
        for (index, function) in file.functions.iter().enumerate() {
            let Meaning::Body(body) = self.tree.functions[index].meaning else { continue };
            let mut scope = Scope::default();
            let ids = self.tree.functions[index].parameters.clone();
            for ((name, _), id) in function.parameters.iter().zip(ids) {
                if let Some(name) = name
                    && scope.locals.insert(name.text, id).is_some()
                {
                    return Err(declared_twice(*name));
                }
            }
            let result = self.tree.functions[index].result;
            self.expression_of(body, &scope, result)?;
        }
        for axiom in &file.axioms {
            self.condition(axiom.condition, &Scope::default())?;
        }
        self.tree.axioms = file.axioms.clone();
        Ok(())
    }

    /// Adds variables of a procedure, and names them in the scope.
    fn locals(
        &mut self,
        groups: &[syntax::Variables<'s>],
        kind: VariableKind,
        scope: &mut Scope<'s>,
    ) -> Outcome<Vec<VarId>> {
        let mut ids = Vec::new();
        for group in groups {
            let of = self.type_of(&group.of)?;
            for &name in &group.names {
                let id = self.add_variable(name, of, kind);
                if scope.locals.insert(name.text, id).is_some() {
                    return Err(declared_twice(name));
                }
                ids.push(id);
            }
        }
        Ok(ids)
    }

    fn procedures(&mut self) -> Outcome<()> {
        let file = self.file;
        for procedure in &file.procedures {
            let signature = &procedure.signature;
            let id = ProcId(self.tree.procedures.len() as u32);
            if self.procedures.insert(signature.name.text, id).is_some() {
                return Err(declared_twice(signature.name));
            }
            let mut scope = Scope { has_globals: true, ..Scope::default() };
            let parameters =
                self.locals(&signature.parameters, VariableKind::Parameter, &mut scope)?;
            self.clauses(&procedure.requires, &scope)?;
            let results = self.locals(&signature.results, VariableKind::Result, &mut scope)?;
            scope.has_old = true;
            self.clauses(&procedure.ensures, &scope)?;
            let modifies = procedure.modifies.iter().map(|name| self.global(*name));
            let modifies = modifies.collect::<Outcome<_>>()?;
            self.tree.procedures.push(Procedure {
                name: signature.name.text.into(),
                parameters,
                results,
                requires: procedure.requires.clone(),
                ensures: procedure.ensures.clone(),
                modifies,
                implementations: Vec::new(),
            });
        }
        Ok(())
    }

    fn clauses(&mut self, clauses: &[Clause], scope: &Scope<'s>) -> Outcome<()> {
        clauses.iter().try_for_each(|clause| self.condition(clause.condition, scope))
    }

    /// A condition: a Boolean.
    fn condition(&mut self, condition: Expression, scope: &Scope<'s>) -> Outcome<()> {
        self.expression_of(condition, scope, Types::BOOL)
    }

    /// The global variable with this name.
    fn global(&self, name: Name<'s>) -> Outcome<VarId> {
        match self.variables.get(name.text) {
            Some(&id) if self.tree.variables[id.index()].kind == VariableKind::Global => Ok(id),
            Some(_) => Err(Fault::new(name.span, format!("`{}` is a constant", name.text))),
            None => Err(Fault::new(name.span, format!("there is no global `{}`", name.text))),
        }
    }

    fn implementations(&mut self) -> Outcome<()> {
        let file = self.file;
        let with_body = file.procedures.iter().filter_map(|procedure| {
            procedure.body.as_ref().map(|body| (&procedure.signature, body))
        });
        let separate = file.implementations.iter().map(|i| (&i.signature, &i.body));
        for (signature, body) in with_body.chain(separate) {
            self.implementation(signature, body)?;
        }
        Ok(())
    }

    fn implementation(
        &mut self,
        signature: &syntax::Signature<'s>,
        body: &syntax::Body<'s>,
    ) -> Outcome<()> {
        let name = signature.name;
        let Some(&procedure) = self.procedures.get(name.text) else {
            let text = format!("there is no procedure `{}` to implement", name.text);
            return Err(Fault::new(name.span, text));
        };
        let mut scope = Scope { has_globals: true, has_old: true, ..Scope::default() };
        let parameters = self.locals(&signature.parameters, VariableKind::Parameter, &mut scope)?;
        let results = self.locals(&signature.results, VariableKind::Result, &mut scope)?;
        let declared = &self.tree.procedures[procedure.index()];
        let of = |ids: &[VarId]| -> Vec<TypeId> {
            ids.iter().map(|id| self.tree.variables[id.index()].of).collect()
        };
        if of(&parameters) != of(&declared.parameters) || of(&results) != of(&declared.results) {
            let text =
                format!("parameters and results differ from those of procedure `{}`", name.text);
            return Err(Fault::new(name.span, text));
        }
        let locals = self.locals(&body.locals, VariableKind::Local, &mut scope)?;
        let (statements, labels) = statement::check(self, body, &scope, procedure)?;
        let index = self.tree.implementations.len();
        self.tree.procedures[procedure.index()].implementations.push(index);
        self.tree.implementations.push(Implementation {
            procedure,
            span: name.span,
            parameters,
            results,
            locals,
            labels,
            body: statements,
            end: body.end,
        });
        Ok(())
    }

    fn show(&self, id: TypeId) -> String {
        self.tree.types.show(id)
    }
}

/// The names in a type.
fn names_in<'s>(of: &TypeText<'s>, names: &mut Vec<&'s str>) {
    match of {
        TypeText::Name(name) => names.push(name.text),
        TypeText::Map(indices, element) => {
            indices.iter().for_each(|index| names_in(index, names));
            names_in(element, names);
        }
        TypeText::Bool | TypeText::Int | TypeText::Real => {}
    }
}

/// A supported width of bit-vectors.
fn supported_width(width: u64, span: Span) -> Outcome<u32> {
    match Sort::bv(width) {
        Ok(_) => Ok(width as u32),
        Err(error) => Err(Fault::new(span, error.0)),
    }
}
