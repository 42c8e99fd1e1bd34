//! Syntax to a typed program: scopes, types, conversions, constants. It starts at the entry
//! function and follows calls and uses, so what is only declared is never looked into, and what
//! is not supported matters only where the program may get to it.

mod about_types;
mod call;
mod compatible;
mod compound;
mod constness;
mod declare;
mod expr;
mod init;
mod length;
mod memory;
mod operators;
mod params;
mod pointer_call;
mod scope;
mod stmt;

use crate::ast::{Ast, Expr, ExprKind, External, InitId, UnaryOp};
use crate::error::Fault;
use crate::source::Span;
use crate::token::Name;
use crate::tree::*;
use crate::types::{DataModel, IntType, RecordId, Ty, Type, Types};
use constness::{Constants, Constness};
use rustc_hash::{FxHashMap, FxHashSet};
use scope::{Entity, Scopes};

/// How many functions a message names.
const MAX_NAMES: usize = 8;

/// The typed program that starts at the function `entry`.
pub fn analyse(ast: &Ast, model: DataModel, entry: &str) -> Result<Tree, Fault> {
    let mut analyser = Analyser::new(ast, model);
    for (index, external) in ast.externals.iter().enumerate() {
        analyser.external(index, external)?;
    }
    analyser.complete_globals();
    let found = ast.names.find(entry).and_then(|name| analyser.scopes.find(name));
    let function = match found {
        Some(Entity::Function(id)) if analyser.bodies.contains_key(&id) => id,
        _ => {
            let fault = Fault::new(Span::default(), format!("there is no function `{entry}`"));
            return Err(fault.hint(analyser.entries()));
        }
    };
    analyser.reach(function);
    // Both lists grow while they are worked off.
    let mut globals_done = 0;
    let mut functions_done = 0;
    loop {
        if let Some(&function) = analyser.tree.reached.get(functions_done) {
            functions_done += 1;
            analyser.function_body(function)?;
        } else if let Some(&object) = analyser.tree.globals.get(globals_done) {
            globals_done += 1;
            analyser.global_initial(object)?;
        } else {
            analyser.reach_by_address();
            if functions_done == analyser.tree.reached.len() {
                analyser.resolve_pointer_calls()?;
                return Ok(analyser.tree);
            }
        }
    }
}

/// The most expressions of a program.
const MOST_NODES: usize = 1 << 22;

/// Names that are the target of an assignment, or whose address is taken.
fn changed(ast: &Ast) -> FxHashSet<Name> {
    let target = |expr: &Expr| match expr.kind {
        ExprKind::Assign(_, place, _)
        | ExprKind::Step { arg: place, .. }
        | ExprKind::Unary(UnaryOp::AddressOf, place) => match ast.expr(place).kind {
            ExprKind::Name(name) => Some(name),
            _ => None,
        },
        _ => None,
    };
    ast.exprs.iter().filter_map(target).collect()
}

type Analysed<T> = Result<T, Fault>;

/// What is declared volatile.
#[derive(Default)]
struct Volatile {
    types: FxHashSet<Name>,
    objects: FxHashSet<ObjectId>,
    members: FxHashSet<(RecordId, Name)>,
}

struct Analyser<'a> {
    ast: &'a Ast,
    tree: Tree,
    scopes: Scopes,
    /// Where the body of each function is among the externals.
    bodies: FxHashMap<FunctionId, usize>,
    /// Which functions and objects were reached, as they are listed.
    is_reached: Vec<bool>,
    is_used: Vec<bool>,
    /// The initialiser of each object of static storage, if it has one.
    initialisers: FxHashMap<ObjectId, InitId>,
    /// Declared `extern` and nowhere defined.
    undefined: FxHashMap<ObjectId, bool>,
    /// Types of tags that were seen: a tag specifier is looked at once.
    tags: FxHashMap<crate::ast::TagId, Ty>,
    /// The function whose body is analysed.
    current: Option<FunctionId>,
    /// Inside `sizeof` or `typeof`: nothing is used.
    unevaluated: u32,
    /// Inside the length of an array.
    in_length: u32,
    /// The variables whose initial values are being found for it.
    freezing: Vec<ObjectId>,
    /// Names that are assigned to, or whose address is taken, anywhere and in any scope.
    changed: FxHashSet<Name>,
    /// The type of the values of the innermost switch.
    switch_type: Vec<Ty>,
    /// What is declared volatile, and whether the declarator that was read last is.
    volatile: Volatile,
    is_volatile: bool,
    /// The same for what is constant.
    constants: Constants,
    constness: Constness,
    /// The functions whose address is taken, in order.
    taken: Vec<FunctionId>,
    /// Calls through pointers.
    pointer_calls: Vec<pointer_call::PointerCall>,
    /// The declarator is that of a local variable, whose own length is evaluated.
    keeps_length: bool,
    /// In the parameters of a prototype, whose lengths are not evaluated.
    in_prototype: u32,
    /// In a parameter of a definition: what keeps the lengths of its rows.
    rows: Option<Vec<NodeId>>,
    /// What must be done before the expression that is read: it makes the objects that the
    /// expression uses but does not name.
    before: Vec<NodeId>,
}

impl<'a> Analyser<'a> {
    fn new(ast: &'a Ast, model: DataModel) -> Analyser<'a> {
        let tree = Tree {
            types: Types::new(model),
            nodes: Vec::new(),
            stmts: Vec::new(),
            objects: Vec::new(),
            functions: Vec::new(),
            reached: Vec::new(),
            globals: Vec::new(),
            sizes: FxHashMap::default(),
            unordered: FxHashMap::default(),
            assumptions: Vec::new(),
            names: ast.names.clone(),
        };
        Analyser {
            ast,
            tree,
            scopes: Scopes::new(),
            bodies: FxHashMap::default(),
            is_reached: Vec::new(),
            is_used: Vec::new(),
            initialisers: FxHashMap::default(),
            undefined: FxHashMap::default(),
            tags: FxHashMap::default(),
            current: None,
            unevaluated: 0,
            in_length: 0,
            freezing: Vec::new(),
            changed: changed(ast),
            switch_type: Vec::new(),
            volatile: Volatile::default(),
            is_volatile: false,
            constants: Constants::default(),
            constness: Constness::default(),
            taken: Vec::new(),
            pointer_calls: Vec::new(),
            keeps_length: false,
            in_prototype: 0,
            rows: None,
            before: Vec::new(),
        }
    }

    fn external(&mut self, index: usize, external: &External) -> Analysed<()> {
        match external {
            External::Declaration(declaration) => self.declaration(declaration)?,
            External::Function(function) => {
                let (name, ty) = self.declared(&function.spec, &function.declarator)?;
                let Some(name) = name else {
                    return Err(Fault::new(function.span, "a function without a name"));
                };
                let id = self.declare_function(name, ty, function.declarator.span)?;
                if self.bodies.insert(id, index).is_some() {
                    let message = format!("`{}` is defined twice", self.ast.names.text(name));
                    return Err(Fault::new(function.declarator.span, message));
                }
                // The definition has the parameters that count.
                self.tree.functions[id.index()].ty = ty;
                self.tree.functions[id.index()].span = function.declarator.span;
            }
        }
        Ok(())
    }

    /// The functions at which a program can start, in words.
    fn entries(&self) -> String {
        let functions = self.tree.functions.iter().enumerate();
        let has_body = |&(index, _): &(usize, &Function)| {
            self.bodies.keys().any(|id: &FunctionId| id.index() == index)
        };
        let names: Vec<String> =
            functions.filter(has_body).map(|(_, f)| format!("`{}`", f.name)).collect();
        match names.as_slice() {
            [] => "the file has no function with a body".to_owned(),
            [one] => format!("the file has {one}; name it with --function"),
            some if some.len() <= MAX_NAMES => {
                format!("the file has {}; name one with --function", some.join(", "))
            }
            many => {
                let first = many[..MAX_NAMES].join(", ");
                format!("the file has {first} and others; name one with --function")
            }
        }
    }

    /// Notes that the program may get to a function.
    fn reach(&mut self, id: FunctionId) {
        if self.unevaluated == 0 && !self.is_reached[id.index()] && self.bodies.contains_key(&id) {
            self.is_reached[id.index()] = true;
            self.tree.reached.push(id);
        }
    }

    /// Notes the use of something volatile: it is taken as an ordinary variable.
    fn use_volatile(&mut self, name: &str, span: Span) {
        if self.unevaluated == 0 {
            let text = format!("nothing but the program changes `{name}`, which is volatile");
            self.tree.assumptions.push((text, span));
        }
    }

    /// Notes that the program uses an object.
    fn use_object(&mut self, id: ObjectId) {
        let is_static = self.tree.object(id).owner.is_none();
        if self.unevaluated == 0 && is_static && !self.is_used[id.index()] {
            self.is_used[id.index()] = true;
            self.tree.globals.push(id);
        }
    }

    fn function_body(&mut self, id: FunctionId) -> Analysed<()> {
        let External::Function(function) = &self.ast.externals[self.bodies[&id]] else {
            return Ok(());
        };
        self.current = Some(id);
        self.scopes.open();
        let sets = self.parameters(id, function)?;
        let mut body = self.stmt(function.body)?;
        if !sets.is_empty() {
            // Nothing of it is in the source.
            let span = Span { end: function.span.start, ..function.span };
            let sets = sets.into_iter().map(|set| self.add_stmt(StmtKind::Expr(set), span));
            let list: Vec<StmtId> = sets.collect::<Vec<_>>().into_iter().chain([body]).collect();
            body = self.add_stmt(StmtKind::Block(list), span);
        }
        self.scopes.close();
        self.tree.functions[id.index()].body = Some(body);
        self.current = None;
        Ok(())
    }

    /// The initial value of an object that lives as long as the program.
    fn global_initial(&mut self, id: ObjectId) -> Analysed<()> {
        if self.undefined.get(&id) == Some(&true) {
            self.tree.objects[id.index()].is_external = true;
            return Ok(());
        }
        if !self.tree.object(id).initial.stores.is_empty() {
            return Ok(());
        }
        self.tree.objects[id.index()].initial.is_zeroed = true;
        let Some(&init) = self.initialisers.get(&id) else { return Ok(()) };
        let stores = self.static_initialiser(id, init)?;
        self.tree.objects[id.index()].initial.stores = stores;
        Ok(())
    }

    fn new_object(
        &mut self,
        name: String,
        ty: Ty,
        owner: Option<FunctionId>,
        span: Span,
    ) -> ObjectId {
        let id = ObjectId(self.tree.objects.len() as u32);
        self.tree.objects.push(Object {
            name,
            ty,
            owner,
            extent: Extent::Fixed,
            initial: Initial::default(),
            is_external: false,
            is_string: false,
            span,
        });
        self.is_used.push(false);
        id
    }

    fn add(&mut self, kind: Kind, ty: Ty, span: Span) -> NodeId {
        let id = NodeId(self.tree.nodes.len() as u32);
        self.tree.nodes.push(Node { kind, ty, span });
        id
    }

    /// Refuses programs that grow beyond all measure, through types and initialisers inside each
    /// other.
    fn bounded(&self, span: Span) -> Analysed<()> {
        match self.tree.nodes.len() > MOST_NODES {
            true => Err(Fault::new(span, format!("more than {MOST_NODES} expressions"))),
            false => Ok(()),
        }
    }

    fn ty(&self, node: NodeId) -> Ty {
        self.tree.node(node).ty
    }

    fn node_span(&self, node: NodeId) -> Span {
        self.tree.node(node).span
    }

    fn int(&mut self) -> Ty {
        self.tree.types.int(IntType::Int)
    }

    fn void(&mut self) -> Ty {
        self.tree.types.make(Type::Void)
    }

    fn text(&self, name: Name) -> &'a str {
        self.ast.names.text(name)
    }

    /// The size of a type, in bytes.
    fn size(&self, ty: Ty, span: Span) -> Analysed<u64> {
        if let Some(size) = self.tree.types.size(ty) {
            return Ok(size);
        }
        Err(self.incomplete(ty, span))
    }

    /// Why a type has no size.
    fn incomplete(&self, ty: Ty, span: Span) -> Fault {
        match self.tree.types.refused(ty) {
            Some(name) => Fault::unsupported(span, name),
            None => Fault::new(
                span,
                format!("the type `{}` is incomplete here", self.tree.types.name(ty)),
            ),
        }
    }
}
