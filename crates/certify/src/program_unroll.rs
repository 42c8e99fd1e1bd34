//! The weakest precondition of a loop-free part of a program; see [`crate::program_proof`].

use pedra_model::simplify::Rewriter;
use pedra_model::term::{BinaryOp, TermId, Terms};
use pedra_program::{Action, EdgeId, PlaceId, Procedure, Program, Step, VariableId};
use pedra_solve::Interrupt;
use rustc_hash::FxHashMap;
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

/// What the parts of a proof have in common.
pub(crate) struct Unroller<'a> {
    pub(crate) program: &'a Program,
    pub(crate) body: &'a Procedure,
    pub(crate) invariants: &'a BTreeMap<PlaceId, Vec<TermId>>,
    pub(crate) errors: &'a BTreeSet<PlaceId>,
    pub(crate) interrupt: &'a Interrupt,
}

impl Unroller<'_> {
    fn is_cut(&self, place: PlaceId) -> bool {
        place == self.body.entry
            || self.invariants.contains_key(&place)
            || self.errors.contains(&place)
    }

    /// The precondition at `from` under which all runs that pass at most `depth` cut points after
    /// it end as `end` asks: of whether the place is an error place, and how many cut points might
    /// still have been passed.
    pub(crate) fn ok(
        &mut self,
        terms: &mut Terms,
        from: PlaceId,
        depth: usize,
        end: impl Fn(bool, usize) -> End,
    ) -> Unrolled {
        let outgoing = self.body.outgoing();
        let order = match self.order(&outgoing, (from, depth)) {
            Ok(order) => order,
            Err(unrolled) => return unrolled,
        };
        let mut part = Part {
            unroller: self,
            terms,
            outgoing: &outgoing,
            values: FxHashMap::from_iter([((from, depth), Values::default())]),
            arrivals: FxHashMap::default(),
        };
        for &key in &order {
            if part.unroller.interrupt.is_raised() {
                return Unrolled::Interrupted;
            }
            part.name(key);
        }
        let mut ok: FxHashMap<Key, TermId> = FxHashMap::default();
        for &key in order.iter().rev() {
            if part.unroller.interrupt.is_raised() {
                return Unrolled::Interrupted;
            }
            let formula = part.formula(key, (from, depth), &ok, &end);
            ok.insert(key, formula);
        }
        Unrolled::Ok(ok[&(from, depth)])
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
    fn order(&self, outgoing: &[Vec<EdgeId>], from: Key) -> Result<Vec<Key>, Unrolled> {
        // For each node whether it is still open.
        let mut seen: FxHashMap<Key, bool> = FxHashMap::from_iter([(from, true)]);
        let (mut stack, mut postorder) = (vec![(from, 0)], Vec::new());
        while let Some((key, next)) = stack.last_mut() {
            let edges: &[EdgeId] = if self.is_end(*key) { &[] } else { &outgoing[key.0.index()] };
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

/// One part on its way.
struct Part<'u, 'a, 't> {
    unroller: &'u Unroller<'a>,
    terms: &'t mut Terms,
    outgoing: &'u [Vec<EdgeId>],
    /// The values at each node.
    values: FxHashMap<Key, Values>,
    /// For each node the edges into it, with the node that each comes from, in order.
    arrivals: FxHashMap<Key, Vec<(Key, EdgeId, Arrival)>>,
}

impl Part<'_, '_, '_> {
    fn symbol(&self, variable: VariableId) -> TermId {
        self.unroller.program.term_of(variable)
    }

    /// Forwards: the values at a node, and those behind its edges.
    fn name(&mut self, key: Key) {
        if !self.values.contains_key(&key) {
            let values = self.join(key);
            self.values.insert(key, values);
        }
        if self.unroller.is_end(key) {
            return;
        }
        let before = self.values[&key].clone();
        for &edge in &self.outgoing[key.0.index()] {
            let Action::Step(step) = &self.unroller.body.edge(edge).action else {
                unreachable!("the form of the program was checked")
            };
            let arrival = self.take(&before, step);
            let to = self.unroller.behind(key, edge);
            self.arrivals.entry(to).or_default().push((key, edge, arrival));
        }
    }

    /// Guard and values of a step, its inputs being new symbols.
    fn take(&mut self, before: &Values, step: &Step) -> Arrival {
        let mut rewriter = Rewriter::plain();
        for (&variable, &value) in before {
            rewriter.replace(self.symbol(variable), value);
        }
        for input in &step.inputs {
            let fresh = self.terms.new_symbol(self.terms.sort(input.term));
            rewriter.replace(input.term, fresh);
        }
        let guard = step.guard.map(|guard| rewriter.rewrite(self.terms, guard));
        let mut values = before.clone();
        for &(variable, value) in &step.updates {
            values.insert(variable, rewriter.rewrite(self.terms, value));
        }
        Arrival { guard, values }
    }

    /// The values at a node: those that all edges into it agree on, new symbols for the others.
    /// Of an error place nothing is asked but whether it is reached.
    fn join(&mut self, key: Key) -> Values {
        if self.unroller.errors.contains(&key.0) {
            return Values::default();
        }
        let arrivals = &self.arrivals[&key];
        let touched: BTreeSet<VariableId> =
            arrivals.iter().flat_map(|(_, _, arrival)| arrival.values.keys().copied()).collect();
        let mut joined = Values::default();
        for variable in touched {
            let symbol = self.symbol(variable);
            let mut all = self.arrivals[&key]
                .iter()
                .map(|(_, _, arrival)| arrival.values.get(&variable).copied().unwrap_or(symbol));
            let first = all.next().expect("nodes but the first have an edge into them");
            let value = match all.all(|value| value == first) {
                true => first,
                false => self.terms.new_symbol(self.terms.sort(symbol)),
            };
            joined.insert(variable, value);
        }
        joined
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
        for &edge in &self.outgoing[key.0.index()] {
            let to = self.unroller.behind(key, edge);
            let mut holds = ok[&to];
            for premise in self.premises(key, edge, to) {
                holds = self.terms.binary(BinaryOp::Implies, premise, holds);
            }
            all = self.terms.binary(BinaryOp::And, all, holds);
        }
        if key != first && self.unroller.is_cut(key.0) {
            let assumed = self.invariant(key);
            all = self.terms.binary(BinaryOp::Implies, assumed, all);
        }
        all
    }

    /// What an edge assumes: its guard, and that the values behind it are those of the node.
    fn premises(&mut self, from: Key, edge: EdgeId, to: Key) -> Vec<TermId> {
        let arrivals = &self.arrivals[&to];
        let (_, _, arrival) = arrivals
            .iter()
            .find(|(key, taken, _)| (*key, *taken) == (from, edge))
            .expect("every edge of a node was taken");
        let mut equal = Vec::new();
        for (&variable, &named) in &self.values[&to] {
            let value = arrival.values.get(&variable).copied().unwrap_or(self.symbol(variable));
            if value != named {
                equal.push((named, value));
            }
        }
        // Determinism: the map's order depends on how it was filled.
        equal.sort_unstable();
        let guard = arrival.guard;
        let equal = equal.into_iter().map(|(a, b)| self.terms.binary(BinaryOp::Eq, a, b));
        let mut premises: Vec<TermId> = equal.collect();
        premises.extend(guard);
        premises
    }

    /// The invariant of a node's place, over the values there.
    fn invariant(&mut self, key: Key) -> TermId {
        let mut rewriter = Rewriter::plain();
        for (&variable, &value) in &self.values[&key] {
            rewriter.replace(self.symbol(variable), value);
        }
        let conjuncts = self.unroller.invariants.get(&key.0).cloned().unwrap_or_default();
        let mut all = self.terms.bool(true);
        for conjunct in conjuncts {
            let conjunct = rewriter.rewrite(self.terms, conjunct);
            all = self.terms.binary(BinaryOp::And, all, conjunct);
        }
        all
    }
}
