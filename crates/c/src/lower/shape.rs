//! What functions are like, found before they are lowered: which are recursive, which run at most
//! once, and which are only another way to write an assertion or an assumption.

use crate::error::Fault;
use crate::source::Span;
use crate::tree::*;
use rustc_hash::{FxHashMap, FxHashSet};

/// Functions whose call is the error itself, whatever their body.
const ERRORS: &[&str] = &["reach_error", "__VERIFIER_error"];

/// Functions of the C library whose call is the error, unless the program has its own.
const FAILURES: &[&str] = &["__assert_fail", "__assert", "__assert_rtn"];

/// Whether calls of a function of this name are the error.
pub fn is_error(name: &str, has_body: bool) -> bool {
    ERRORS.contains(&name) || !has_body && FAILURES.contains(&name)
}

/// Functions that end the run.
pub const ENDS: &[&str] =
    &["abort", "exit", "_exit", "_Exit", "__builtin_unreachable", "__builtin_trap"];

/// What a function with a body is but a shorthand for.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Shape {
    /// `if (!cond) error();`, with the error function.
    Assert(FunctionId),
    /// `if (!cond) abort();`
    Assume,
}

/// Whether calls of the function are an assertion or an assumption about its parameter.
pub fn shape(tree: &Tree, id: FunctionId) -> Option<Shape> {
    let function = tree.function(id);
    // A specification may be about calls of it, which must then be there.
    if FAILURES.contains(&function.name.as_str()) {
        return None;
    }
    let [param] = function.params.as_slice() else { return None };
    let list = match &tree.stmt(function.body?).kind {
        StmtKind::Block(list) => list.clone(),
        _ => return None,
    };
    let is_last =
        |stmt: &StmtId| matches!(tree.stmt(*stmt).kind, StmtKind::Return(None) | StmtKind::Empty);
    let (first, rest) = list.split_first()?;
    if !rest.iter().all(is_last) {
        return None;
    }
    let StmtKind::If { arms, otherwise } = &tree.stmt(*first).kind else { return None };
    let ([(condition, body, _)], None) = (arms.as_slice(), otherwise) else { return None };
    let Kind::Unary(UnaryOp::Not, inner) = tree.node(*condition).kind else { return None };
    let Kind::Load(place) = tree.node(inner).kind else { return None };
    if !matches!(tree.node(place).kind, Kind::Object(object) if object == *param) {
        return None;
    }
    let Kind::Call(callee, _) = tree.node(first_call(tree, *body)?).kind else { return None };
    let called = tree.function(callee);
    let (name, has_body) = (called.name.as_str(), called.body.is_some());
    if is_error(name, has_body) {
        Some(Shape::Assert(callee))
    } else {
        (!has_body && ENDS.contains(&name)).then_some(Shape::Assume)
    }
}

/// The call that is the first thing that a statement does; its arguments do nothing.
pub fn first_call(tree: &Tree, mut stmt: StmtId) -> Option<NodeId> {
    loop {
        match &tree.stmt(stmt).kind {
            StmtKind::Block(list) => {
                let is_effect = |id: &&StmtId| !matches!(tree.stmt(**id).kind, StmtKind::Empty);
                stmt = *list.iter().find(is_effect)?;
            }
            StmtKind::Label(_, inner) => stmt = *inner,
            StmtKind::Expr(node) => match &tree.node(*node).kind {
                Kind::Call(_, args) => {
                    let is_plain = args.iter().all(|&arg| tree.effect(arg).is_none());
                    return is_plain.then_some(*node);
                }
                _ => return None,
            },
            _ => return None,
        }
    }
}

/// Where calls are, over all functions that are reached.
pub struct Calls {
    /// The functions that can call themselves, through others too.
    pub recursive: FxHashSet<FunctionId>,
    /// The functions that run at most once in a run of the program.
    pub once: FxHashSet<FunctionId>,
    /// Statements inside a loop of their function, and calls there.
    looping: FxHashSet<Span>,
}

impl Calls {
    /// Looks at all calls of a program.
    pub fn new(tree: &Tree) -> Calls {
        let mut looping = FxHashSet::default();
        let mut sites: FxHashMap<FunctionId, Vec<(FunctionId, bool)>> = FxHashMap::default();
        for &caller in &tree.reached {
            let Some(body) = tree.function(caller).body else { continue };
            let mut walk = Walk::new(tree);
            let jumps_back = jumps_back(tree, body);
            walk.stmt(body, jumps_back);
            for (node, is_looping) in walk.visited {
                if is_looping {
                    looping.insert(tree.node(node).span);
                }
                if let Kind::Call(callee, _) = tree.node(node).kind {
                    sites.entry(callee).or_default().push((caller, is_looping));
                }
            }
        }
        let recursive = recursive(tree, &sites);
        let mut once: FxHashSet<FunctionId> = tree.reached.first().copied().into_iter().collect();
        // Callers come before callees often enough; a function left out here is only refused.
        for _ in 0..tree.reached.len() {
            let before = once.len();
            for &function in &tree.reached {
                if let Some([(caller, false)]) = sites.get(&function).map(Vec::as_slice)
                    && once.contains(caller)
                {
                    once.insert(function);
                }
            }
            if once.len() == before {
                break;
            }
        }
        once.retain(|function| !recursive.contains(function));
        Calls { recursive, once, looping }
    }

    /// Whether an expression of a function is evaluated at most once in a run of the program.
    pub fn is_once(&self, function: FunctionId, span: Span) -> bool {
        self.once.contains(&function) && !self.looping.contains(&span)
    }
}

/// All calls in the functions that are reached, with their callers.
pub fn all_calls(tree: &Tree) -> Vec<(FunctionId, NodeId)> {
    let mut found = Vec::new();
    for &function in &tree.reached {
        let Some(body) = tree.function(function).body else { continue };
        let mut walk = Walk::new(tree);
        walk.stmt(body, false);
        let is_call = |node: &NodeId| matches!(tree.node(*node).kind, Kind::Call(..));
        found.extend(
            walk.visited.iter().map(|(node, _)| *node).filter(is_call).map(|node| (function, node)),
        );
    }
    found
}

/// A call of a function, if there is one.
pub fn call_of(tree: &Tree, function: FunctionId) -> Option<NodeId> {
    let is_it =
        |call: &NodeId| matches!(tree.node(*call).kind, Kind::Call(to, _) if to == function);
    all_calls(tree).into_iter().map(|(_, call)| call).find(is_it)
}

/// The functions on cycles of calls: the strongly connected components after Tarjan (1972), with
/// the stack of the search kept by hand.
fn recursive(
    tree: &Tree,
    sites: &FxHashMap<FunctionId, Vec<(FunctionId, bool)>>,
) -> FxHashSet<FunctionId> {
    let mut found = FxHashSet::default();
    let mut order: FxHashMap<FunctionId, (usize, usize)> = FxHashMap::default();
    let mut open: Vec<FunctionId> = Vec::new();
    let mut is_open = FxHashSet::default();
    for &start in &tree.reached {
        if order.contains_key(&start) {
            continue;
        }
        let mut path = vec![(start, 0)];
        while let Some((function, next)) = path.pop() {
            if next == 0 {
                let number = order.len();
                order.insert(function, (number, number));
                open.push(function);
                is_open.insert(function);
            }
            // Calls are followed backwards: the components are the same.
            let callers = sites.get(&function).map_or(&[][..], Vec::as_slice);
            if let Some(&(caller, _)) = callers.get(next) {
                path.push((function, next + 1));
                if caller == function {
                    found.insert(function);
                }
                match order.get(&caller).copied() {
                    None => path.push((caller, 0)),
                    Some((number, _)) if is_open.contains(&caller) => {
                        lower(&mut order, function, number);
                    }
                    Some(_) => {}
                }
                continue;
            }
            let (number, low) = order[&function];
            if let Some(&(before, _)) = path.last() {
                lower(&mut order, before, low);
            }
            if number == low {
                let at = open.iter().rposition(|other| *other == function).unwrap_or(0);
                let component: Vec<FunctionId> = open.drain(at..).collect();
                if component.len() > 1 {
                    found.extend(component.iter().copied());
                }
                for function in component {
                    is_open.remove(&function);
                }
            }
        }
    }
    found
}

/// Lowers the least number that is known to be reachable from a function.
fn lower(order: &mut FxHashMap<FunctionId, (usize, usize)>, function: FunctionId, low: usize) {
    if let Some((_, least)) = order.get_mut(&function) {
        *least = low.min(*least);
    }
}

/// Whether a function jumps to a label that stands before the jump. Statement expressions can hold
/// jumps too.
pub fn jumps_back(tree: &Tree, body: StmtId) -> bool {
    let (mut labels, mut jumps) = (FxHashMap::default(), Vec::new());
    let mut walk = Walk::new(tree);
    walk.stmt(body, false);
    for stmt in walk.statements.into_iter().map(|id| tree.stmt(id)) {
        match &stmt.kind {
            StmtKind::Label(name, _) => drop(labels.insert(*name, stmt.span.start)),
            StmtKind::Goto(name) => jumps.push((*name, stmt.span.start)),
            _ => {}
        }
    }
    jumps.iter().any(|(name, at)| labels.get(name).is_none_or(|label| label <= at))
}

/// The labels of a function. One that stands there twice is an error, or local to a block.
pub fn labels(tree: &Tree, body: StmtId) -> Result<FxHashSet<LabelName>, Fault> {
    let mut walk = Walk::new(tree);
    walk.stmt(body, false);
    let mut seen = FxHashSet::default();
    for stmt in walk.statements {
        if let StmtKind::Label(name, _) = tree.stmt(stmt).kind
            && !seen.insert(name)
        {
            let what = format!("a second label `{}` in one function", tree.names.text(name));
            return Err(Fault::unsupported(tree.stmt(stmt).span, what));
        }
    }
    let mut found = FxHashSet::default();
    let mut stack = vec![body];
    while let Some(id) = stack.pop() {
        let kind = &tree.stmt(id).kind;
        if let StmtKind::Label(name, _) = kind {
            found.insert(*name);
        }
        stack.extend(inner_stmts(kind));
    }
    Ok(found)
}

/// Whether control can get into a statement by a jump.
pub fn has_label(tree: &Tree, id: StmtId) -> bool {
    let mut stack = vec![id];
    while let Some(id) = stack.pop() {
        let kind = &tree.stmt(id).kind;
        if matches!(kind, StmtKind::Label(..) | StmtKind::Case(..) | StmtKind::Default(_)) {
            return true;
        }
        stack.extend(inner_stmts(kind));
    }
    false
}

/// The statements directly inside a statement.
pub fn inner_stmts(kind: &StmtKind) -> Vec<StmtId> {
    match kind {
        StmtKind::Block(list) => list.clone(),
        StmtKind::If { arms, otherwise } => {
            arms.iter().map(|(_, body, _)| *body).chain(*otherwise).collect()
        }
        StmtKind::For { init, body, .. } => init.iter().copied().chain([*body]).collect(),
        StmtKind::While(_, body)
        | StmtKind::DoWhile(body, _)
        | StmtKind::Switch(_, body)
        | StmtKind::Case(_, _, body)
        | StmtKind::Default(body)
        | StmtKind::Label(_, body) => vec![*body],
        _ => Vec::new(),
    }
}

/// All expressions of a function, with whether they are inside a loop.
pub struct Walk<'a> {
    /// The program.
    pub tree: &'a Tree,
    /// What was found.
    pub visited: Vec<(NodeId, bool)>,
    /// All statements, those inside expressions included.
    pub statements: Vec<StmtId>,
    /// What is returned.
    pub returned: Vec<NodeId>,
}

impl Walk<'_> {
    /// Nothing visited yet.
    pub fn new(tree: &Tree) -> Walk<'_> {
        Walk { tree, visited: Vec::new(), statements: Vec::new(), returned: Vec::new() }
    }

    /// Visits a statement and all inside.
    pub fn stmt(&mut self, id: StmtId, is_looping: bool) {
        let stmt = self.tree.stmt(id);
        self.statements.push(id);
        if let StmtKind::Return(Some(value)) = stmt.kind {
            self.returned.push(value);
        }
        match &stmt.kind {
            StmtKind::Expr(node) | StmtKind::Return(Some(node)) => self.node(*node, is_looping),
            StmtKind::Switch(node, _) => self.node(*node, is_looping),
            StmtKind::Declare(object) => {
                if let Extent::Length(length) = self.tree.object(*object).extent {
                    self.node(length, is_looping);
                }
                for &(place, value) in &self.tree.object(*object).initial.stores {
                    self.node(place, is_looping);
                    self.node(value, is_looping);
                }
            }
            StmtKind::If { arms, .. } => {
                arms.iter().for_each(|(condition, ..)| self.node(*condition, is_looping));
            }
            StmtKind::While(condition, _) | StmtKind::DoWhile(_, condition) => {
                self.node(*condition, true);
            }
            StmtKind::For { condition, step, .. } => {
                condition.iter().chain(step).for_each(|node| self.node(*node, true));
            }
            _ => {}
        }
        let is_loop = matches!(stmt.kind, StmtKind::While(..) | StmtKind::DoWhile(..));
        for inner in inner_stmts(&stmt.kind) {
            let is_body = match &stmt.kind {
                StmtKind::For { body, .. } => inner == *body,
                _ => is_loop,
            };
            self.stmt(inner, is_looping || is_body);
        }
    }

    /// Visits an expression and all inside.
    pub fn node(&mut self, id: NodeId, is_looping: bool) {
        self.visited.push((id, is_looping));
        let kind = &self.tree.node(id).kind;
        if let Kind::Statement(block, _) = kind {
            self.stmt(*block, is_looping);
        }
        for inner in kind.inner() {
            self.node(inner, is_looping);
        }
    }
}
