//! Predecessors: cubes of states from which an edge leads into a cube.
//!
//! The preimage of a cube under an edge is existential: some values of the inputs lead into it.
//! (The universal weakest precondition of the slides would lose states under an arbitrary value,
//! and admit states that fail an assumption.) From the model of a query:
//!
//! - an *implicant* of `guard ∧ c[values]` that holds in the model (`implicant`);
//! - *bit-vectors*: inputs have their values of the model; of the conditions only those are kept
//!   that are needed for the step with these inputs (`Queries::shrink`);
//! - *integers*: inputs are eliminated by model-based projection, so that the cube has all states
//!   of one cell of the preimage, whatever inputs they need.
//!
//! Every state of the result leads into the cube by some inputs (*required for violations*). The
//! same two ways lead to sets of states elsewhere: those after a step, or those of a call on the
//! way ([`transfer`]).

use super::graph::{EdgeId, Location};
use super::implicant::{constant, implicant};
use super::predicates::cube;
use super::queries::{Model, Queries};
use crate::trace::Stopped;
use pedra_model::affine::case_of;
use pedra_model::lit::Lit;
use pedra_model::simplify::Rewriter;
use pedra_model::term::{BinaryOp, IntOp, Sort, Term, TermId, Terms};
use pedra_model::value::Value;
use pedra_program::interpreter::evaluate;
use pedra_solve::lia::{Constraint, Int, IntVar, Linear, project};
use pedra_solve::terms::Theory;
use rustc_hash::{FxHashMap, FxHashSet};

/// States, the model's among them, from which the edge leads into the cube.
pub(super) fn predecessor(
    queries: &mut Queries,
    edge: EdgeId,
    set: &[Lit],
    model: &Model,
) -> Result<Box<[Lit]>, Stopped> {
    predecessor_if(queries, edge, set, &[], model)
}

/// The same, where other conditions on the values before and the inputs hold besides.
pub(super) fn predecessor_if(
    queries: &mut Queries,
    edge: EdgeId,
    set: &[Lit],
    besides: &[TermId],
    model: &Model,
) -> Result<Box<[Lit]>, Stopped> {
    let mut roots = queries.images(edge, set);
    roots.push(queries.graph.edge(edge).guard);
    roots.extend(besides);
    let from = queries.graph.edge(edge).from;
    let inputs = queries.graph.inputs(from).iter().copied().collect();
    eliminate(queries, from, &inputs, &roots, model)
}

/// Conditions that hold in the model, without the symbols, wherever they hold, some values of the
/// symbols satisfy the roots.
fn eliminate(
    queries: &mut Queries,
    from: Location,
    symbols: &FxHashSet<TermId>,
    roots: &[TermId],
    model: &Model,
) -> Result<Box<[Lit]>, Stopped> {
    if queries.theory() == Theory::Integers
        && let Some(found) = projected(queries, symbols, roots, model)
    {
        return Ok(found);
    }
    with_inputs(queries, from, symbols, roots, model)
}

/// States somewhere else, with values over those at a location: each of them belongs to some state
/// of the location and inputs that satisfy the roots, and so does the model's.
pub(super) fn transfer(
    queries: &mut Queries,
    from: Location,
    roots: &[TermId],
    values: &[(TermId, TermId)],
    model: &Model,
) -> Result<Box<[Lit]>, Stopped> {
    let own = queries.graph.variables(from).chain(queries.graph.inputs(from).iter().copied());
    let mut symbols: FxHashSet<TermId> = own.collect();
    let mut model = model.clone();
    // What becomes a variable as it is need not be eliminated.
    let (mut renamed, mut back) = (Rewriter::new(), Rewriter::new());
    let mut equations: Vec<TermId> = Vec::new();
    for &(variable, value) in values {
        let primed = queries.graph.primed(variable);
        let number = queries.evaluate(&model, [value])[&value].clone();
        model.insert(primed, number);
        back.replace(primed, variable);
        if symbols.remove(&value) {
            renamed.replace(value, primed);
        } else {
            let same = Term::Binary(BinaryOp::Eq, primed, value);
            equations.push(queries.graph.terms.simplified(same));
        }
    }
    let terms = &mut queries.graph.terms;
    let roots: Vec<TermId> =
        roots.iter().chain(&equations).map(|&root| renamed.rewrite(terms, root)).collect();
    let found = eliminate(queries, from, &symbols, &roots, &model)?;
    let mut lits = Vec::with_capacity(found.len());
    for &lit in &found {
        let term = queries.predicates.term(&mut queries.graph.terms, lit);
        let term = back.rewrite(&mut queries.graph.terms, term);
        lits.extend(queries.predicates.literal(&mut queries.graph.terms, term, true));
    }
    Ok(cube(lits))
}

/// The whole preimage as one literal, for the paper's variant: all states from which the edge leads
/// into the cube with the inputs of the model. (The slides' edges have no inputs.)
pub(super) fn preimage(
    queries: &mut Queries,
    edge: EdgeId,
    set: &[Lit],
    model: &Model,
) -> Box<[Lit]> {
    let mut all = queries.graph.edge(edge).guard;
    for root in queries.images(edge, set) {
        all = queries.graph.terms.and(all, root);
    }
    let from = queries.graph.edge(edge).from;
    let inputs: Vec<TermId> = queries.graph.inputs(from).to_vec();
    let all = with_values(queries, &inputs, model, &[all])[0];
    let lit = queries.predicates.literal(&mut queries.graph.terms, all, true);
    lit.into_iter().collect()
}

/// The terms with the values of the model in place of the inputs.
fn with_values(
    queries: &mut Queries,
    inputs: &[TermId],
    model: &Model,
    roots: &[TermId],
) -> Vec<TermId> {
    let terms = &mut queries.graph.terms;
    let mut rewriter = Rewriter::new();
    for input in inputs {
        let value = constant(terms, &model[input]);
        rewriter.replace(*input, value);
    }
    roots.iter().map(|&root| rewriter.rewrite(terms, root)).collect()
}

/// The states from which the inputs of the model lead to the conditions.
fn with_inputs(
    queries: &mut Queries,
    from: Location,
    inputs: &FxHashSet<TermId>,
    roots: &[TermId],
    model: &Model,
) -> Result<Box<[Lit]>, Stopped> {
    let values = queries.evaluate(model, roots.iter().copied());
    let fixed = |term: TermId| inputs.contains(&term);
    let terms = &mut queries.graph.terms;
    let mut conditions = implicant(terms, &values, &fixed, roots.iter().copied());
    if queries.theory() == Theory::Bits && queries.splits_sums {
        conditions = split_sums(queries, conditions, model);
    }
    let inputs: Vec<TermId> = inputs.iter().copied().collect();
    let needed = with_values(queries, &inputs, model, roots);
    let lits = literals(queries, conditions, model);
    queries.shrink(from, lits, &needed)
}

/// Comparisons of words whose sums may wrap, as what they are in the model's case, under the
/// conditions of that case: `x + 1 ≤ 5` becomes `x ≤ 4`, where `x + 1` does not wrap. So they are
/// about the same bounds and sums as other literals. They imply what they were made of (*required
/// for violations*).
fn split_sums(
    queries: &mut Queries,
    conditions: Vec<(TermId, bool)>,
    model: &Model,
) -> Vec<(TermId, bool)> {
    let terms = &mut queries.graph.terms;
    let truth = |terms: &Terms, condition: TermId| {
        let values = evaluate(terms, [condition], |symbol| &model[&symbol]);
        values[&condition].as_bv().is_true()
    };
    let mut found = Vec::with_capacity(conditions.len());
    for (condition, holds) in conditions {
        match case_of(terms, condition, truth) {
            Some(case) => {
                found.extend(case.path);
                found.push((case.comparison, holds));
            }
            None => found.push((condition, holds)),
        }
    }
    found
}

/// Conditions as literals; an equation of integers is two, a disequation the one that holds.
fn literals(queries: &mut Queries, conditions: Vec<(TermId, bool)>, model: &Model) -> Box<[Lit]> {
    let mut lits = Vec::new();
    for (condition, holds) in conditions {
        match integers_compared(queries, condition, holds, model) {
            Some(constraint) => add_constraint(queries, &constraint, &mut lits),
            None => {
                let terms = &mut queries.graph.terms;
                lits.extend(queries.predicates.literal(terms, condition, holds));
            }
        }
    }
    cube(lits)
}

fn add_constraint(queries: &mut Queries, constraint: &Constraint, lits: &mut Vec<Lit>) {
    let Queries { graph, predicates, .. } = queries;
    for condition in predicates.forms.conditions(&mut graph.terms, constraint) {
        lits.extend(predicates.literal(&mut graph.terms, condition, true));
    }
}

/// A comparison of integers as a constraint that holds in the model.
pub(super) fn integers_compared(
    queries: &mut Queries,
    condition: TermId,
    holds: bool,
    model: &Model,
) -> Option<Constraint> {
    let terms = &queries.graph.terms;
    let forms = &mut queries.predicates.forms;
    let one = Linear::constant(1);
    match *terms.get(condition) {
        Term::Int(IntOp::Le | IntOp::Lt | IntOp::Ge | IntOp::Gt, ..) => {
            let e = forms.inequality(terms, condition)?;
            // ¬(e ≤ 0) is 1 − e ≤ 0.
            Some(Constraint::Le(if holds { e } else { one.minus(&e) }))
        }
        Term::Binary(op @ (BinaryOp::Eq | BinaryOp::Neq), a, b) if terms.sort(a) == Sort::Int => {
            let e = forms.linear(terms, a).minus(&forms.linear(terms, b));
            if (op == BinaryOp::Eq) == holds {
                return Some(Constraint::Eq(e));
            }
            let is_less = {
                let values = queries.evaluate(model, [a, b]);
                values[&a].as_int() < values[&b].as_int()
            };
            let e = if is_less { e } else { e.scale(&Int::from(-1)) };
            Some(Constraint::Le(e.plus(&one)))
        }
        _ => None,
    }
}

/// The conditions with integer inputs eliminated. `None` if an input is where projection cannot
/// reach it.
fn projected(
    queries: &mut Queries,
    all: &FxHashSet<TermId>,
    roots: &[TermId],
    model: &Model,
) -> Option<Box<[Lit]>> {
    let is_int = |queries: &Queries, term: TermId| queries.graph.terms.sort(term) == Sort::Int;
    let others: FxHashSet<TermId> =
        all.iter().copied().filter(|&term| !is_int(queries, term)).collect();
    let values = queries.evaluate(model, roots.iter().copied());
    let fixed = |term: TermId| others.contains(&term);
    let conditions = implicant(&mut queries.graph.terms, &values, &fixed, roots.iter().copied());
    let (mut constraints, mut lits) = (Vec::new(), Vec::new());
    for (condition, holds) in conditions {
        match integers_compared(queries, condition, holds, model) {
            Some(constraint) => constraints.push(constraint),
            None if mentions(queries, condition, all) => return None,
            None => {
                let terms = &mut queries.graph.terms;
                lits.extend(queries.predicates.literal(terms, condition, holds));
            }
        }
    }
    let vars = divisions_with(queries, &mut constraints, all)?;
    let mut known: FxHashMap<IntVar, Int> = FxHashMap::default();
    for var in constraints.iter().flat_map(vars_of).chain(vars.iter().copied()) {
        known.entry(var).or_insert_with(|| {
            let base = queries.predicates.forms.base(var);
            match &queries.evaluate(model, [base])[&base] {
                Value::Int(value) => Int::from(value.clone()),
                _ => unreachable!("bases are integers"),
            }
        });
    }
    for constraint in project(&constraints, &vars, |var| known[&var].clone()) {
        add_constraint(queries, &constraint, &mut lits);
    }
    Some(cube(lits))
}

fn vars_of(constraint: &Constraint) -> impl Iterator<Item = IntVar> + '_ {
    let (Constraint::Le(e) | Constraint::Eq(e) | Constraint::Divides(_, e)) = constraint;
    e.terms.iter().map(|(var, _)| *var)
}

/// Whether a term depends on an input.
fn mentions(queries: &Queries, term: TermId, inputs: &FxHashSet<TermId>) -> bool {
    let (mut stack, mut seen) = (vec![term], FxHashSet::default());
    while let Some(term) = stack.pop() {
        if inputs.contains(&term) {
            return true;
        }
        if seen.insert(term) {
            stack.extend(queries.graph.terms.get(term).args());
        }
    }
    false
}

/// The variables to eliminate: the inputs, and quotients of what depends on them. A quotient
/// `q = e div k` is bounded by `k·q ≤ e ≤ k·q + |k| − 1`, and `e mod k` is `e − k·q`. `None` if an
/// input is inside of another base.
fn divisions_with(
    queries: &mut Queries,
    constraints: &mut Vec<Constraint>,
    inputs: &FxHashSet<TermId>,
) -> Option<Vec<IntVar>> {
    let mut vars: Vec<IntVar> = Vec::new();
    let mut done: FxHashSet<IntVar> = FxHashSet::default();
    // What was put in for remainders; none of it speaks of a remainder in this list.
    let mut rests: Vec<(IntVar, Linear)> = Vec::new();
    loop {
        let next = constraints.iter().flat_map(vars_of).find(|var| !done.contains(var));
        let Some(var) = next else { return Some(vars) };
        done.insert(var);
        let base = queries.predicates.forms.base(var);
        if inputs.contains(&base) {
            vars.push(var);
            continue;
        }
        if !mentions(queries, base, inputs) {
            continue;
        }
        let Term::Int(op @ (IntOp::Div | IntOp::Mod), a, k) = *queries.graph.terms.get(base) else {
            return None;
        };
        let terms = &mut queries.graph.terms;
        let forms = &mut queries.predicates.forms;
        let mut e = forms.linear(terms, a);
        rests.iter().for_each(|(known, rest)| replace(&mut e, *known, rest));
        let divisor = forms.linear(terms, k).as_constant().filter(|k| !k.is_zero())?.clone();
        let quotient = terms.simplified(Term::Int(IntOp::Div, a, k));
        let quotient = forms.linear(terms, quotient).scale(&divisor);
        if op == IntOp::Mod {
            let rest = e.minus(&quotient);
            constraints.iter_mut().map(sum_of).for_each(|sum| replace(sum, var, &rest));
            rests.iter_mut().for_each(|(_, other)| replace(other, var, &rest));
            rests.push((var, rest));
        } else {
            vars.push(var);
        }
        let most = Linear::constant(&divisor.abs() - &Int::ONE);
        constraints.push(Constraint::Le(quotient.minus(&e)));
        constraints.push(Constraint::Le(e.minus(&quotient).minus(&most)));
    }
}

fn sum_of(constraint: &mut Constraint) -> &mut Linear {
    let (Constraint::Le(e) | Constraint::Eq(e) | Constraint::Divides(_, e)) = constraint;
    e
}

/// Puts an expression in for a variable.
fn replace(e: &mut Linear, var: IntVar, by: &Linear) {
    let factor = e.factor(var);
    if !factor.is_zero() {
        let rest = Linear {
            terms: e.terms.iter().filter(|(v, _)| *v != var).cloned().collect(),
            constant: e.constant.clone(),
        };
        *e = rest.plus(&by.scale(&factor));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::fixture::{errors, random_queries};
    use crate::program::queries::Blocked;
    use crate::trace::Level;
    use pedra_testkit::random::{Random, runs};

    /// Each state of a predecessor leads into the cube by some inputs: single states of it are
    /// asked, all the way back from the error places.
    #[test]
    fn states_of_predecessors_lead_into_the_cube() {
        let mut random = Random::new(29);
        let mut asked = 0;
        for round in 0..runs(150) {
            let mut queries = random_queries(&mut random, round % 2 == 0);
            for error in errors(&queries) {
                let (mut place, mut set): (_, Box<[Lit]>) = (error, Box::default());
                for _ in 0..3 {
                    let blocked = queries.check_blocked(place, &set, Level::new(2));
                    let Ok(Blocked::No(edge, model)) = blocked else { break };
                    let found = predecessor(&mut queries, edge, &set, &model);
                    let found = found.unwrap_or_else(|_| panic!("nothing stops it"));
                    let some = queries.find_step(edge, None, &found, &[]);
                    let state = some.unwrap_or_else(|_| panic!("nothing stops it"));
                    let state = state.expect("the model's state is in it");
                    let step = queries.find_step(edge, Some(&state), &found, &set);
                    let step = step.unwrap_or_else(|_| panic!("nothing stops it"));
                    assert!(step.is_some(), "round {round}");
                    asked += 1;
                    (place, set) = (queries.graph.edge(edge).from, found);
                }
            }
        }
        assert!(asked > 100, "{asked}");
    }
}
