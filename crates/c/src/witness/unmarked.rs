//! That a program with marks is the program: without the marks its tree is that of the program, and
//! what the marks evaluate changes nothing.
//!
//! *Required for soundness*: marks are put into the text, and only the parser knows what they
//! became there. A mark is left out where it is a statement, the first operand of a comma, around
//! the condition of a branch, or around a value:
//!
//! ```text
//! mark(…);                               (mark(…), e)                            e
//! (c) ? (mark(…), 1) : 0         c       ({ typeof(e) r = (e); mark(…); r; })    e
//! ```

use super::observe::PREFIX;
use crate::ast::*;
use crate::token::Name;
use rustc_hash::FxHashMap;

/// The trees of a program with marks and of the program.
pub(super) struct Trees<'a> {
    marked: &'a Ast,
    plain: &'a Ast,
    /// Specifiers that were compared.
    tags: FxHashMap<TagId, TagId>,
}

/// A label, or a statement without its labels.
#[derive(Copy, Clone)]
enum Item {
    Label(Name),
    Case(ExprId, ExprId),
    Default,
    Stmt(StmtId),
}

fn is_label(item: &Item) -> bool {
    !matches!(item, Item::Stmt(_))
}

/// The statements of a list, with labels beside them. Empty statements are left out.
fn items(ast: &Ast, list: &[StmtId]) -> Vec<Item> {
    let mut found = Vec::new();
    for &stmt in list {
        let mut stmt = stmt;
        loop {
            let (item, inner) = match ast.stmt(stmt).kind {
                StmtKind::Label(name, inner) => (Item::Label(name), Some(inner)),
                StmtKind::Case(low, high, inner) => (Item::Case(low, high), Some(inner)),
                StmtKind::Default(inner) => (Item::Default, Some(inner)),
                StmtKind::Empty => break,
                _ => (Item::Stmt(stmt), None),
            };
            found.push(item);
            match inner {
                Some(inner) => stmt = inner,
                None => break,
            }
        }
    }
    found
}

/// The number of the mark that an expression calls, and its argument.
pub(super) fn mark(ast: &Ast, id: ExprId) -> Option<(usize, ExprId)> {
    let ExprKind::Call(callee, args) = &ast.expr(id).kind else { return None };
    let ExprKind::Name(name) = ast.expr(*callee).kind else { return None };
    let number = ast.names.text(name).strip_prefix(PREFIX)?.parse().ok()?;
    match args.as_slice() {
        [arg] => Some((number, *arg)),
        _ => None,
    }
}

impl<'a> Trees<'a> {
    pub(super) fn new(marked: &'a Ast, plain: &'a Ast) -> Trees<'a> {
        Trees { marked, plain, tags: FxHashMap::default() }
    }

    /// Whether the programs are the same but for marks. The marked one starts with this many
    /// declarations of its own.
    pub(super) fn are_same(&mut self, own: usize) -> bool {
        let (marked, plain) = (self.marked, self.plain);
        let rest = marked.externals.get(own..).unwrap_or_default();
        self.all(rest, &plain.externals, |trees, m, p| match (m, p) {
            (External::Declaration(m), External::Declaration(p)) => trees.declaration(m, p),
            (External::Function(m), External::Function(p)) => {
                trees.spec(&m.spec, &p.spec)
                    && trees.declarator(&m.declarator, &p.declarator)
                    && trees.body(m.body, p.body)
            }
            _ => false,
        })
    }

    fn all<T>(&mut self, m: &[T], p: &[T], is_same: impl Fn(&mut Self, &T, &T) -> bool) -> bool {
        m.len() == p.len() && m.iter().zip(p).all(|(m, p)| is_same(self, m, p))
    }

    fn option<T>(
        &mut self,
        m: Option<&T>,
        p: Option<&T>,
        is_same: impl FnOnce(&mut Self, &T, &T) -> bool,
    ) -> bool {
        match (m, p) {
            (Some(m), Some(p)) => is_same(self, m, p),
            (m, p) => m.is_none() && p.is_none(),
        }
    }

    fn name(&self, m: Name, p: Name) -> bool {
        self.marked.names.text(m) == self.plain.names.text(p)
    }

    fn is_mark_statement(&self, item: &Item) -> bool {
        match item {
            Item::Stmt(stmt) => match self.marked.stmt(*stmt).kind {
                StmtKind::Expr(expr) => mark(self.marked, expr).is_some(),
                _ => false,
            },
            _ => false,
        }
    }

    /// Lists of statements. Jumps come to a label, so a mark before one would be left out by runs
    /// that come to the statement behind it.
    fn list(&mut self, m: &[StmtId], p: &[StmtId], is_switch: bool) -> bool {
        let (m, p) = (items(self.marked, m), items(self.plain, p));
        let mut kept = Vec::new();
        for (at, item) in m.iter().enumerate() {
            if !self.is_mark_statement(item) {
                kept.push(*item);
                continue;
            }
            // No run comes to what stands before the labels of a `switch`.
            let is_dead = is_switch && !kept.iter().any(is_label);
            if is_dead || m.get(at + 1).is_some_and(is_label) {
                return false;
            }
        }
        self.all(&kept, &p, |trees, m, p| match (*m, *p) {
            (Item::Label(m), Item::Label(p)) => trees.name(m, p),
            (Item::Case(a, b), Item::Case(c, d)) => trees.expr(a, c) && trees.expr(b, d),
            (Item::Default, Item::Default) => true,
            (Item::Stmt(m), Item::Stmt(p)) => trees.stmt(m, p),
            _ => false,
        })
    }

    /// The body of a function or of another statement. A mark may have put it into braces.
    fn body(&mut self, m: StmtId, p: StmtId) -> bool {
        self.body_of(m, p, false)
    }

    fn body_of(&mut self, m: StmtId, p: StmtId, is_switch: bool) -> bool {
        let (marked, plain) = (self.marked, self.plain);
        match (&marked.stmt(m).kind, &plain.stmt(p).kind) {
            (StmtKind::Block(m), StmtKind::Block(p)) => self.list(m, p, is_switch),
            (StmtKind::Block(list), _) => match list.as_slice() {
                [first, inner] if !is_switch && self.is_mark_statement(&Item::Stmt(*first)) => {
                    let inner_items = items(marked, &[*inner]);
                    !inner_items.first().is_some_and(is_label) && self.body(*inner, p)
                }
                _ => false,
            },
            _ => self.list(&[m], &[p], is_switch),
        }
    }

    fn stmt(&mut self, m: StmtId, p: StmtId) -> bool {
        use StmtKind::*;
        let (marked, plain) = (self.marked, self.plain);
        match (&marked.stmt(m).kind, &plain.stmt(p).kind) {
            (Empty, Empty) | (Break, Break) | (Continue, Continue) => true,
            (Expr(m), Expr(p)) => self.expr(*m, *p),
            (Declaration(m), Declaration(p)) => self.declaration(m, p),
            (Block(m), Block(p)) => self.list(m, p, false),
            (If { arms: m, otherwise: n }, If { arms: p, otherwise: q }) => {
                self.all(m, p, |trees, m, p| trees.condition(m.0, p.0) && trees.body(m.1, p.1))
                    && self.option(n.as_ref(), q.as_ref(), |trees, n, q| trees.body(*n, *q))
            }
            (While(m, n), While(p, q)) => self.condition(*m, *p) && self.body(*n, *q),
            (DoWhile(m, n), DoWhile(p, q)) => self.body(*m, *p) && self.condition(*n, *q),
            (
                For { init: a, condition: b, step: c, body: d },
                For { init: e, condition: f, step: g, body: h },
            ) => {
                let has_condition = match (b, f) {
                    (Some(m), Some(p)) => self.condition(*m, *p),
                    // A mark needs a condition where there was none.
                    (Some(m), None) => {
                        let inner = self.without_marks(*m, true);
                        inner != *m && is_number(marked, inner, 1)
                    }
                    (None, other) => other.is_none(),
                };
                has_condition
                    && self.option(a.as_ref(), e.as_ref(), |trees, a, e| trees.stmt(*a, *e))
                    && self.option(c.as_ref(), g.as_ref(), |trees, c, g| trees.expr(*c, *g))
                    && self.body(*d, *h)
            }
            (Switch(m, n), Switch(p, q)) => self.expr(*m, *p) && self.body_of(*n, *q, true),
            (Goto(m), Goto(p)) => self.name(*m, *p),
            (Return(m), Return(p)) => {
                self.option(m.as_ref(), p.as_ref(), |trees, m, p| trees.expr(*m, *p))
            }
            (Other(m), Other(p)) => m == p,
            _ => false,
        }
    }

    /// What stays of an expression without the marks around it.
    fn without_marks(&self, id: ExprId, is_condition: bool) -> ExprId {
        let ast = self.marked;
        let mut id = id;
        loop {
            id = match &ast.expr(id).kind {
                ExprKind::Comma(first, second) if mark(ast, *first).is_some() => *second,
                ExprKind::Conditional(c, Some(t), e)
                    if is_condition && marks_branch(ast, *t, *e) =>
                {
                    *c
                }
                ExprKind::Statement(block) => match marked_value(ast, *block) {
                    Some(value) => value,
                    None => return id,
                },
                _ => return id,
            };
        }
    }

    /// Expressions of which only matters whether they are zero.
    fn condition(&mut self, m: ExprId, p: ExprId) -> bool {
        let m = self.without_marks(m, true);
        self.expr(m, p)
    }

    fn expr(&mut self, m: ExprId, p: ExprId) -> bool {
        use ExprKind::*;
        let (marked, plain) = (self.marked, self.plain);
        let m = self.without_marks(m, false);
        match (&marked.expr(m).kind, &plain.expr(p).kind) {
            (Name(m), Name(p)) => self.name(*m, *p),
            (Int(m, s), Int(p, t)) => m == p && s == t,
            (Float, Float) => true,
            (Char(m), Char(p)) => m == p,
            (Str(m), Str(p)) => m == p,
            (Unary(o, m), Unary(q, p)) => o == q && self.expr(*m, *p),
            (
                Step { arg: m, is_increment: a, is_prefix: b },
                Step { arg: p, is_increment: c, is_prefix: d },
            ) => (a, b) == (c, d) && self.expr(*m, *p),
            (Binary(o, a, b), Binary(q, c, d)) => o == q && self.expr(*a, *c) && self.expr(*b, *d),
            (Assign(o, a, b), Assign(q, c, d)) => o == q && self.expr(*a, *c) && self.expr(*b, *d),
            (LogicalAnd(a, b), LogicalAnd(c, d))
            | (LogicalOr(a, b), LogicalOr(c, d))
            | (Comma(a, b), Comma(c, d))
            | (Index(a, b), Index(c, d)) => self.expr(*a, *c) && self.expr(*b, *d),
            (Conditional(a, b, c), Conditional(d, e, f)) => {
                self.expr(*a, *d)
                    && self.option(b.as_ref(), e.as_ref(), |trees, b, e| trees.expr(*b, *e))
                    && self.expr(*c, *f)
            }
            (Cast(t, a), Cast(u, b)) => self.type_name(*t, *u) && self.expr(*a, *b),
            (SizeofExpr(m), SizeofExpr(p)) => self.expr(*m, *p),
            (SizeofType(m), SizeofType(p)) | (Alignof(m), Alignof(p)) => self.type_name(*m, *p),
            (Call(f, m), Call(g, p)) => {
                self.expr(*f, *g) && self.all(m, p, |trees, m, p| trees.expr(*m, *p))
            }
            (
                Member { base: a, name: m, is_arrow: s },
                Member { base: b, name: p, is_arrow: t },
            ) => s == t && self.name(*m, *p) && self.expr(*a, *b),
            (Statement(m), Statement(p)) => self.body(*m, *p),
            (Offsetof(t, m), Offsetof(u, p)) => self.type_name(*t, *u) && self.designators(m, p),
            (Compound(t, m), Compound(u, p)) => self.type_name(*t, *u) && self.init(*m, *p),
            (Generic(a, m), Generic(b, p)) => {
                self.expr(*a, *b)
                    && self.all(m, p, |trees, (t, m), (u, p)| {
                        trees.option(t.as_ref(), u.as_ref(), |trees, t, u| trees.type_name(*t, *u))
                            && trees.expr(*m, *p)
                    })
            }
            (Compatible(a, b), Compatible(c, d)) => {
                self.type_name(*a, *c) && self.type_name(*b, *d)
            }
            (Other(m), Other(p)) => m == p,
            _ => false,
        }
    }

    fn designators(&mut self, m: &[Designator], p: &[Designator]) -> bool {
        use Designator::*;
        self.all(m, p, |trees, m, p| match (m, p) {
            (Field(m, _), Field(p, _)) => trees.name(*m, *p),
            (Index(m), Index(p)) => trees.expr(*m, *p),
            (Range(a, b), Range(c, d)) => trees.expr(*a, *c) && trees.expr(*b, *d),
            _ => false,
        })
    }

    fn init(&mut self, m: InitId, p: InitId) -> bool {
        let (marked, plain) = (self.marked, self.plain);
        match (&marked.inits[m.index()], &plain.inits[p.index()]) {
            (Init::Expr(m), Init::Expr(p)) => self.expr(*m, *p),
            (Init::List(m, _), Init::List(p, _)) => {
                self.all(m, p, |trees, m, p| trees.designators(&m.0, &p.0) && trees.init(m.1, p.1))
            }
            _ => false,
        }
    }

    fn declaration(&mut self, m: &Declaration, p: &Declaration) -> bool {
        m.storage == p.storage
            && self.spec(&m.spec, &p.spec)
            && self.all(&m.declarators, &p.declarators, |trees, (m, i), (p, j)| {
                trees.declarator(m, p)
                    && trees.option(i.as_ref(), j.as_ref(), |trees, i, j| trees.init(*i, *j))
            })
    }

    fn type_name(&mut self, m: TypeNameId, p: TypeNameId) -> bool {
        let (m, p) = (&self.marked.type_names[m.index()], &self.plain.type_names[p.index()]);
        self.spec(&m.spec, &p.spec) && self.declarator(&m.declarator, &p.declarator)
    }

    fn spec(&mut self, m: &TypeSpec, p: &TypeSpec) -> bool {
        use TypeSpec::*;
        match (m, p) {
            (Basic(m), Basic(p)) => m == p,
            (Tag(m), Tag(p)) => self.tag(*m, *p),
            (Typedef(m, _), Typedef(p, _)) => self.name(*m, *p),
            (TypeofExpr(m), TypeofExpr(p)) => self.expr(*m, *p),
            (TypeofType(m), TypeofType(p)) => self.type_name(*m, *p),
            (Volatile(m), Volatile(p)) | (Const(m), Const(p)) => self.spec(m, p),
            (Assert(m, _), Assert(p, _)) => self.expr(*m, *p),
            _ => false,
        }
    }

    fn tag(&mut self, m: TagId, p: TagId) -> bool {
        if let Some(known) = self.tags.insert(m, p) {
            return known == p;
        }
        let (m, p) = (&self.marked.tags[m.index()], &self.plain.tags[p.index()]);
        m.kind == p.kind
            && m.placing == p.placing
            && self.option(m.name.as_ref(), p.name.as_ref(), |trees, m, p| trees.name(*m, *p))
            && self.option(m.body.as_ref(), p.body.as_ref(), |trees, m, p| match (m, p) {
                (TagBody::Fields(m), TagBody::Fields(p)) => trees.all(m, p, |trees, m, p| {
                    trees.spec(&m.spec, &p.spec)
                        && trees.declarator(&m.declarator, &p.declarator)
                        && trees.option(m.bits.as_ref(), p.bits.as_ref(), |trees, m, p| {
                            trees.expr(*m, *p)
                        })
                }),
                (TagBody::Enumerators(m), TagBody::Enumerators(p)) => {
                    trees.all(m, p, |trees, m, p| {
                        trees.name(m.0, p.0)
                            && trees.option(m.1.as_ref(), p.1.as_ref(), |trees, m, p| {
                                trees.expr(*m, *p)
                            })
                    })
                }
                _ => false,
            })
    }

    fn declarator(&mut self, m: &Declarator, p: &Declarator) -> bool {
        let about = |d: &Declarator| (d.attribute, d.is_volatile, d.placing, d.never_returns);
        about(m) == about(p)
            && self.option(m.name.as_ref(), p.name.as_ref(), |trees, m, p| trees.name(*m, *p))
            && self.all(&m.derived, &p.derived, |trees, m, p| match (m, p) {
                (Derived::Pointer { is_const: m }, Derived::Pointer { is_const: p }) => m == p,
                (Derived::Array(m, _), Derived::Array(p, _)) => {
                    trees.option(m.as_ref(), p.as_ref(), |trees, m, p| trees.expr(*m, *p))
                }
                (
                    Derived::Function { params: m, is_variadic: a, has_prototype: b },
                    Derived::Function { params: p, is_variadic: c, has_prototype: d },
                ) => {
                    (a, b) == (c, d)
                        && trees.all(m, p, |trees, m, p| {
                            trees.spec(&m.spec, &p.spec)
                                && trees.declarator(&m.declarator, &p.declarator)
                        })
                }
                _ => false,
            })
    }
}

fn is_number(ast: &Ast, id: ExprId, number: u64) -> bool {
    matches!(ast.expr(id).kind, ExprKind::Int(value, _) if value == number)
}

/// `(mark, 1)` and `0`, or `1` and `(mark, 0)`.
fn marks_branch(ast: &Ast, then: ExprId, other: ExprId) -> bool {
    let is_marked = |id: ExprId, number: u64| match ast.expr(id).kind {
        ExprKind::Comma(a, b) => mark(ast, a).is_some() && is_number(ast, b, number),
        _ => false,
    };
    is_marked(then, 1) && is_number(ast, other, 0) || is_number(ast, then, 1) && is_marked(other, 0)
}

/// The value that is marked in a block: `{ typeof(…) r = value; mark; r; }`.
fn marked_value(ast: &Ast, block: StmtId) -> Option<ExprId> {
    let StmtKind::Block(list) = &ast.stmt(block).kind else { return None };
    let [first, second, third] = list.as_slice() else { return None };
    let (StmtKind::Declaration(declaration), StmtKind::Expr(call), StmtKind::Expr(result)) =
        (&ast.stmt(*first).kind, &ast.stmt(*second).kind, &ast.stmt(*third).kind)
    else {
        return None;
    };
    mark(ast, *call)?;
    let [(declarator, Some(init))] = declaration.declarators.as_slice() else { return None };
    let Init::Expr(value) = ast.inits[init.index()] else { return None };
    let is_result =
        matches!(ast.expr(*result).kind, ExprKind::Name(name) if Some(name) == declarator.name);
    is_result.then_some(value)
}
