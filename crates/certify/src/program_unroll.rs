//! The weakest precondition of a loop-free part of a program; see [`crate::program_proof`].
//!
//! Nodes have values only for the variables that are needed from there on; the others would cost an
//! equality at each join. Which are needed is found backwards first. The check does not rest on
//! this: a read of a variable that is not among them gives a new symbol, which stands for any
//! value, so that a mistake could only make a proof fail.
//!
//! Comparisons of arrays with integers are costly for the solver. Where they join, the value is an
//! `ite` over new bits, which say by which edge the run came; the edges assume their bits.

use pedra_model::simplify::Rewriter;
use pedra_model::term::{BinaryOp, Sort, TermId, Terms, UnaryOp};
use pedra_program::summaries::Return;
use pedra_program::{Action, Edge, EdgeId, PlaceId, Procedure, Program, Step, VariableId};
use pedra_solve::Interrupt;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::{BTreeMap, BTreeSet};

/// What must hold where a part ends.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) enum End {
    /// The invariant of the place.
    Invariant,
    /// Nothing.
    Fine,
    /// It must not be reached.
    Never,
}

/// The weakest precondition, or why there is none.
pub(crate) enum Unrolled {
    /// Here it is, over the variables, and over new symbols that are universally quantified.
    Ok(TermId),
    /// The part has a loop, through this place.
    Loop(PlaceId),
    /// It was stopped.
    Interrupted,
    /// There are too many nodes.
    TooLarge,
}

/// The most nodes of a part.
const MAX_NODES: usize = 4_000_000;

/// A place, and how many cut points may still be passed from there.
type Key = (PlaceId, usize);

/// The values of the variables that differ from those at the beginning.
type Values = FxHashMap<VariableId, TermId>;

/// An edge into a node: what it assumes, and the values behind it.
struct Arrival {
    guard: Option<TermId>,
    values: Values,
}

/// The variables that an edge reads: in its guard or in what it asks of a summary, and in each
/// update.
struct Reads {
    guard: Vec<VariableId>,
    updates: Vec<Vec<VariableId>>,
}

/// What the parts of a proof have in common.
pub(crate) struct Unroller<'a> {
    program: &'a Program,
    body: &'a Procedure,
    invariants: &'a BTreeMap<PlaceId, Vec<TermId>>,
    errors: BTreeSet<PlaceId>,
    interrupt: &'a Interrupt,
    outgoing: Vec<Vec<EdgeId>>,
    reads: Vec<Reads>,
    /// For each place with an invariant the variables that it mentions.
    invariant_reads: BTreeMap<PlaceId, Vec<VariableId>>,
}

impl<'a> Unroller<'a> {
    /// For a program without calls, the invariants of its places, and the error places that must
    /// not be reached.
    pub(crate) fn new(
        program: &'a Program,
        (terms, invariants): (&Terms, &'a BTreeMap<PlaceId, Vec<TermId>>),
        errors: BTreeSet<PlaceId>,
        interrupt: &'a Interrupt,
    ) -> Unroller<'a> {
        let body = program.procedure(program.entry);
        let scope = body.variables.iter().chain(&program.globals);
        let variables: FxHashMap<TermId, VariableId> =
            scope.map(|&v| (program.term_of(v), v)).collect();
        let read = |roots: &[TermId]| read_by(terms, &variables, roots);
        let reads = |edge: &Edge| {
            let step = step_of(edge);
            let before = step.returns.iter().flat_map(|returns| &returns.before).copied();
            let guard = read(&before.chain(step.guard).collect::<Vec<TermId>>());
            Reads {
                guard,
                updates: step.updates.iter().map(|(_, value)| read(&[*value])).collect(),
            }
        };
        let invariant_reads = invariants.iter().map(|(&place, list)| (place, read(list))).collect();
        let reads = body.edges.iter().map(reads).collect();
        let outgoing = body.outgoing();
        Unroller { program, body, invariants, errors, interrupt, outgoing, reads, invariant_reads }
    }

    fn is_cut(&self, place: PlaceId) -> bool {
        place == self.body.entry
            || self.invariants.contains_key(&place)
            || self.errors.contains(&place)
    }

    /// The precondition at `from` under which all runs that pass at most `depth` cut points after
    /// it end as `end` asks: of whether the place is an error place, and how many cut points might
    /// still have been passed.
    pub(crate) fn ok(
        &self,
        terms: &mut Terms,
        from: PlaceId,
        depth: usize,
        end: impl Fn(bool, usize) -> End,
    ) -> Unrolled {
        let first = (from, depth);
        let order = match self.order(first) {
            Ok(order) => order,
            Err(unrolled) => return unrolled,
        };
        let mut part = Part {
            unroller: self,
            terms,
            needed: FxHashMap::default(),
            values: FxHashMap::from_iter([(first, Values::default())]),
            came_by: FxHashMap::default(),
            arrivals: FxHashMap::default(),
        };
        for &key in order.iter().rev() {
            let is_asked =
                self.is_end(key) && end(self.errors.contains(&key.0), key.1) == End::Invariant;
            part.find_needed(key, is_asked);
        }
        for &key in &order {
            if self.interrupt.is_raised() {
                return Unrolled::Interrupted;
            }
            part.name(key);
        }
        let mut ok: FxHashMap<Key, TermId> = FxHashMap::default();
        for &key in order.iter().rev() {
            if self.interrupt.is_raised() {
                return Unrolled::Interrupted;
            }
            let formula = part.formula(key, first, &ok, &end);
            ok.insert(key, formula);
        }
        Unrolled::Ok(ok[&first])
    }

    /// The node behind an edge.
    fn behind(&self, (_, left): Key, edge: EdgeId) -> Key {
        let to = self.body.edge(edge).to;
        (to, if self.is_cut(to) { left - 1 } else { left })
    }

    /// Whether a part ends at a node.
    fn is_end(&self, (place, left): Key) -> bool {
        left == 0 || self.errors.contains(&place)
    }

    /// The nodes in topological order.
    fn order(&self, from: Key) -> Result<Vec<Key>, Unrolled> {
        // For each node whether it is still open.
        let mut seen: FxHashMap<Key, bool> = FxHashMap::from_iter([(from, true)]);
        let (mut stack, mut postorder) = (vec![(from, 0)], Vec::new());
        while let Some((key, next)) = stack.last_mut() {
            let edges: &[EdgeId] =
                if self.is_end(*key) { &[] } else { &self.outgoing[key.0.index()] };
            let Some(&edge) = edges.get(*next) else {
                seen.insert(*key, false);
                postorder.push(*key);
                stack.pop();
                continue;
            };
            *next += 1;
            let to = self.behind(*key, edge);
            match seen.get(&to) {
                Some(true) => return Err(Unrolled::Loop(to.0)),
                Some(false) => {}
                None => {
                    if seen.len() >= MAX_NODES {
                        return Err(Unrolled::TooLarge);
                    }
                    if self.interrupt.is_raised() {
                        return Err(Unrolled::Interrupted);
                    }
                    seen.insert(to, true);
                    stack.push((to, 0));
                }
            }
        }
        postorder.reverse();
        Ok(postorder)
    }
}

/// What an edge of a program without calls does.
fn step_of(edge: &Edge) -> &Step {
    match &edge.action {
        Action::Step(step) => step,
        Action::Call(_) => unreachable!("the form of the program was checked"),
    }
}

/// The variables that terms mention, in ascending order.
fn read_by(
    terms: &Terms,
    variables: &FxHashMap<TermId, VariableId>,
    roots: &[TermId],
) -> Vec<VariableId> {
    let mut stack = roots.to_vec();
    let (mut seen, mut found) = (FxHashSet::default(), Vec::new());
    while let Some(term) = stack.pop() {
        if seen.insert(term) {
            stack.extend(terms.get(term).args());
            found.extend(variables.get(&term));
        }
    }
    found.sort_unstable();
    found
}

/// One part on its way.
struct Part<'u, 'a, 't> {
    unroller: &'u Unroller<'a>,
    terms: &'t mut Terms,
    /// The variables that are needed from each node on, in ascending order.
    needed: FxHashMap<Key, Vec<VariableId>>,
    /// The values at each node, of what is needed there.
    values: FxHashMap<Key, Values>,
    /// For each node where arrays with integers join the bits that say by which edge: the first
    /// that is true, or the last edge if none is.
    came_by: FxHashMap<Key, Vec<TermId>>,
    /// For each node the edges into it, with the node that each comes from, in order.
    arrivals: FxHashMap<Key, Vec<(Key, EdgeId, Arrival)>>,
}

impl Part<'_, '_, '_> {
    fn symbol(&self, variable: VariableId) -> TermId {
        self.unroller.program.term_of(variable)
    }

    fn is_needed(&self, key: Key, variable: VariableId) -> bool {
        self.needed[&key].binary_search(&variable).is_ok()
    }

    /// Backwards: what is needed at a node. `is_asked` if its invariant is to be shown.
    fn find_needed(&mut self, key: Key, is_asked: bool) {
        let unroller = self.unroller;
        let mut needed: Vec<VariableId> = Vec::new();
        let is_end = unroller.is_end(key);
        if is_asked || !is_end {
            needed.extend(unroller.invariant_reads.get(&key.0).into_iter().flatten());
        }
        let edges = if is_end { &[][..] } else { &unroller.outgoing[key.0.index()] };
        for &edge in edges {
            let to = unroller.behind(key, edge);
            let updates = &step_of(unroller.body.edge(edge)).updates;
            let reads = &unroller.reads[edge.index()];
            needed.extend(&reads.guard);
            for ((variable, _), read) in updates.iter().zip(&reads.updates) {
                if self.is_needed(to, *variable) {
                    needed.extend(read);
                }
            }
            let is_kept = |v: &&VariableId| updates.iter().all(|(updated, _)| updated != *v);
            needed.extend(self.needed[&to].iter().filter(is_kept));
        }
        needed.sort_unstable();
        needed.dedup();
        self.needed.insert(key, needed);
    }

    /// Forwards: the values at a node, and those behind its edges.
    fn name(&mut self, key: Key) {
        if !self.values.contains_key(&key) {
            let values = self.join(key);
            self.values.insert(key, values);
        }
        let unroller = self.unroller;
        if unroller.is_end(key) {
            return;
        }
        for &edge in &unroller.outgoing[key.0.index()] {
            let to = unroller.behind(key, edge);
            let arrival = self.take(key, edge, to);
            self.arrivals.entry(to).or_default().push((key, edge, arrival));
        }
    }

    /// The value of a variable at a node; any value if it was not thought to be needed there.
    fn value(&mut self, key: Key, variable: VariableId) -> TermId {
        let symbol = self.symbol(variable);
        match self.is_needed(key, variable) {
            true => self.values[&key].get(&variable).copied().unwrap_or(symbol),
            false => self.terms.new_symbol(self.terms.sort(symbol)),
        }
    }

    /// Guard and values of a step, its inputs being new symbols.
    fn take(&mut self, key: Key, edge: EdgeId, to: Key) -> Arrival {
        let (unroller, step) = (self.unroller, step_of(self.unroller.body.edge(edge)));
        let reads = &unroller.reads[edge.index()];
        let mut rewriter = Rewriter::plain();
        for &variable in reads.guard.iter().chain(reads.updates.iter().flatten()) {
            let value = self.value(key, variable);
            rewriter.replace(self.symbol(variable), value);
        }
        for input in &step.inputs {
            let fresh = self.terms.new_symbol(self.terms.sort(input.term));
            rewriter.replace(input.term, fresh);
        }
        let mut guard = step.guard.map(|guard| rewriter.rewrite(self.terms, guard));
        if let Some(returns) = &step.returns {
            let summary = self.summary(returns, &mut rewriter);
            guard = Some(match guard {
                Some(guard) => self.terms.binary(BinaryOp::And, guard, summary),
                None => summary,
            });
        }
        let mut values = Values::default();
        for index in 0..self.needed[&to].len() {
            let variable = self.needed[&to][index];
            let update = step.updates.iter().find(|(updated, _)| *updated == variable);
            let value = match update {
                Some((_, value)) => rewriter.rewrite(self.terms, *value),
                None => self.value(key, variable),
            };
            if value != self.symbol(variable) {
                values.insert(variable, value);
            }
        }
        Arrival { guard, values }
    }

    /// What the summary of a procedure says of the values before and after a call of it, which the
    /// rewriter puts in for those of the step.
    fn summary(&mut self, returns: &Return, rewriter: &mut Rewriter) -> TermId {
        let unroller = self.unroller;
        let summary = &unroller.program.summaries[returns.summary];
        let mut at_call = Rewriter::plain();
        for (variable, value) in returns.values(summary) {
            let value = rewriter.rewrite(self.terms, value);
            at_call.replace(self.symbol(variable), value);
        }
        let mut all = self.terms.bool(true);
        for &conjunct in unroller.invariants.get(&summary.exit).into_iter().flatten() {
            let conjunct = at_call.rewrite(self.terms, conjunct);
            all = self.terms.binary(BinaryOp::And, all, conjunct);
        }
        all
    }

    /// The values at a node: those that all edges into it agree on, new symbols for the others.
    fn join(&mut self, key: Key) -> Values {
        let mut joined = Values::default();
        for index in 0..self.needed[&key].len() {
            let variable = self.needed[&key][index];
            let symbol = self.symbol(variable);
            let arrivals = self.arrivals[&key].iter();
            let all = arrivals.map(|(_, _, a)| a.values.get(&variable).copied().unwrap_or(symbol));
            let all: Vec<TermId> = all.collect();
            let sort = self.terms.sort(symbol);
            let value = match all.iter().all(|value| *value == all[0]) {
                true => all[0],
                false if sort.is_array() && sort.has_integers() => self.by_edge(key, &all),
                false => self.terms.new_symbol(sort),
            };
            if value != symbol {
                joined.insert(variable, value);
            }
        }
        joined
    }

    /// The value that came by the edge that was taken into a node.
    fn by_edge(&mut self, key: Key, all: &[TermId]) -> TermId {
        let terms = &mut *self.terms;
        let bits = self
            .came_by
            .entry(key)
            .or_insert_with(|| (1..all.len()).map(|_| terms.new_symbol(Sort::BOOL)).collect());
        let (last, others) = all.split_last().expect("nodes but the first have an edge into them");
        let choose = |value, (&bit, &other)| terms.ite(bit, other, value);
        bits.iter().zip(others).rev().fold(*last, choose)
    }

    /// Backwards: what must hold at a node.
    fn formula(
        &mut self,
        key: Key,
        first: Key,
        ok: &FxHashMap<Key, TermId>,
        end: &impl Fn(bool, usize) -> End,
    ) -> TermId {
        let is_error = self.unroller.errors.contains(&key.0);
        if self.unroller.is_end(key) {
            return match end(is_error, key.1) {
                End::Fine => self.terms.bool(true),
                End::Never => self.terms.bool(false),
                End::Invariant => self.invariant(key),
            };
        }
        let mut all = self.terms.bool(true);
        for &edge in &self.unroller.outgoing[key.0.index()] {
            let to = self.unroller.behind(key, edge);
            let mut holds = ok[&to];
            // What leads nowhere need not be understood.
            if self.terms.is_bool(holds, true) {
                continue;
            }
            for premise in self.premises(key, edge, to) {
                holds = self.terms.binary(BinaryOp::Implies, premise, holds);
            }
            all = match self.terms.is_bool(all, true) {
                true => holds,
                false => self.terms.binary(BinaryOp::And, all, holds),
            };
        }
        if key != first && self.unroller.is_cut(key.0) && !self.terms.is_bool(all, true) {
            let assumed = self.invariant(key);
            all = self.terms.binary(BinaryOp::Implies, assumed, all);
        }
        all
    }

    /// What an edge assumes: its guard, and that the values behind it are those of the node.
    fn premises(&mut self, from: Key, edge: EdgeId, to: Key) -> Vec<TermId> {
        let arrivals = &self.arrivals[&to];
        let place = arrivals
            .iter()
            .position(|(key, taken, _)| (*key, *taken) == (from, edge))
            .expect("every edge of a node was taken");
        let (_, _, arrival) = &arrivals[place];
        let mut equal = Vec::new();
        for (&variable, &named) in &self.values[&to] {
            let value = arrival.values.get(&variable).copied().unwrap_or(self.symbol(variable));
            let sort = self.terms.sort(named);
            if value != named && !(sort.is_array() && sort.has_integers()) {
                equal.push((named, value));
            }
        }
        // Determinism: the map's order depends on how it was filled.
        equal.sort_unstable();
        let guard = arrival.guard;
        let equal = equal.into_iter().map(|(a, b)| self.terms.binary(BinaryOp::Eq, a, b));
        let mut premises: Vec<TermId> = equal.collect();
        for (index, &bit) in self.came_by.get(&to).into_iter().flatten().take(place + 1).enumerate()
        {
            let is_other = index < place;
            premises.push(if is_other { self.terms.unary(UnaryOp::Not, bit) } else { bit });
        }
        premises.extend(guard);
        premises
    }

    /// The invariant of a node's place, over the values there.
    fn invariant(&mut self, key: Key) -> TermId {
        let mut rewriter = Rewriter::plain();
        let unroller = self.unroller;
        for &variable in unroller.invariant_reads.get(&key.0).into_iter().flatten() {
            let value = self.value(key, variable);
            rewriter.replace(self.symbol(variable), value);
        }
        let mut all = self.terms.bool(true);
        for &conjunct in unroller.invariants.get(&key.0).into_iter().flatten() {
            let conjunct = rewriter.rewrite(self.terms, conjunct);
            all = self.terms.binary(BinaryOp::And, all, conjunct);
        }
        all
    }
}
