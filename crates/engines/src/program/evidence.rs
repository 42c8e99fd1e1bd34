//! Evidence of lifted PDR: proofs as invariants of locations, violations as runs.

use super::graph::Location;
use super::queries::{Model, Queries};
use super::space::{Obligation, Step};
use super::words::Words;
use crate::region::{Region, RegionAtom};
use crate::trace::{LemmaId, Place, Stopped};
use crate::units::atom::Atom;
use pedra_model::formula::formula;
use pedra_model::lit::Lit;
use pedra_model::program::{ProgramProof, ProgramTrace};
use pedra_model::term::TermId;
use pedra_model::value::Value;
use pedra_program::blocks::CutProof;
use rustc_hash::{FxHashMap, FxHashSet};

/// Conflicts of a query that only makes a proof smaller.
const EFFORT: u64 = 20_000;

/// The lemmas as invariants of their locations, those that the proof needs.
pub(super) fn proof(
    queries: &mut Queries,
    properties: Vec<usize>,
    lemmas: &[LemmaId],
) -> ProgramProof {
    let needed = queries.with_effort(Some(EFFORT), |q| first_needed(q, &properties, lemmas));
    // Without the time to find out what is needed, all of it is.
    let needed = needed.ok().flatten().unwrap_or_else(|| lemmas.to_vec());
    let needed = queries.with_effort(Some(EFFORT), |q| without_each(q, &properties, needed));
    let mut invariants: Vec<Vec<TermId>> = queries.graph.locations().map(|_| Vec::new()).collect();
    for id in needed {
        let (place, set) = (queries.frames.place(id), queries.frames.lemma(id).set());
        let clause = queries.predicates.clause(&mut queries.graph.terms, set);
        invariants[place.index()].push(clause);
    }
    let terms = queries.graph.terms.clone();
    queries.graph.proof(CutProof { properties, terms, invariants, k: 1 })
}

/// The lemmas that are needed, of all or, if that is too hard to see, of the shortest ones. Lemmas
/// with products that say little more than others make each question harder.
fn first_needed(
    queries: &mut Queries,
    properties: &[usize],
    lemmas: &[LemmaId],
) -> Result<Option<Vec<LemmaId>>, Stopped> {
    let mut by_length = lemmas.to_vec();
    by_length.sort_by_key(|&id| queries.length(id));
    for part in [1, 2, 4] {
        let found = find_needed(queries, properties, &by_length[..lemmas.len().div_ceil(part)])?;
        if found.is_some() {
            return Ok(found);
        }
    }
    Ok(None)
}

/// The lemmas, all inductive together, that exclude the error places, and those that these need:
/// for each of them and each edge into its location, those in the core of
/// `⋀ lemmas(p) ∧ guard ∧ c[values]`. `None` if that is too hard to see.
fn find_needed(
    queries: &mut Queries,
    properties: &[usize],
    lemmas: &[LemmaId],
) -> Result<Option<Vec<LemmaId>>, Stopped> {
    let mut by_location: Vec<Vec<LemmaId>> = vec![Vec::new(); queries.graph.locations().count()];
    for &id in lemmas {
        by_location[queries.frames.place(id).index()].push(id);
    }
    let errors = properties.iter().filter_map(|&p| queries.graph.blocks().errors[p]);
    let mut goals: Vec<(Location, Vec<Lit>)> =
        errors.map(|error| (Location::new(error), Vec::new())).collect();
    let (mut needed, mut known) = (Vec::new(), FxHashSet::default());
    while let Some((to, set)) = goals.pop() {
        for edge in queries.graph.incoming(to).to_vec() {
            let Some(core) = queries.core(edge, &by_location, &set)? else { return Ok(None) };
            for id in core {
                if known.insert(id) {
                    needed.push(id);
                    let place = queries.frames.place(id);
                    goals.push((place, queries.frames.lemma(id).set().to_vec()));
                }
            }
        }
    }
    Ok(Some(needed))
}

/// Proofs with more lemmas are not made smaller one by one.
const MAX_TRIED: usize = 40;

/// The lemmas without those that are not needed, tried one after the other. Heuristic order: long
/// ones go first.
fn without_each(
    queries: &mut Queries,
    properties: &[usize],
    mut lemmas: Vec<LemmaId>,
) -> Vec<LemmaId> {
    if lemmas.len() > MAX_TRIED {
        return lemmas;
    }
    let mut order = lemmas.clone();
    order.sort_by_key(|&id| std::cmp::Reverse(queries.length(id)));
    for id in order {
        let rest: Vec<LemmaId> = lemmas.iter().copied().filter(|&other| other != id).collect();
        // What the rest needs of itself, if it is a proof.
        if let Ok(Some(needed)) = find_needed(queries, properties, &rest) {
            lemmas = needed;
        }
    }
    lemmas
}

/// The run along a chain of obligations, the first one at the entry: from a state of the first
/// cube, one step after the other, with inputs that lead into the next cube. `None` if there is no
/// such run.
pub(super) fn trace(
    queries: &mut Queries,
    property: usize,
    chain: &[&Obligation],
) -> Result<Option<ProgramTrace>, Stopped> {
    let mut state: Option<Model> = None;
    let mut initial: FxHashMap<_, Value> = FxHashMap::default();
    let mut inputs = Vec::new();
    for pair in chain.windows(2) {
        let (here, next) = (pair[0], pair[1]);
        let Step::Edge(edge) = here.step else { return Ok(None) };
        let found = queries.find_step(edge, state.as_ref(), &here.set, &next.set)?;
        let Some(found) = found else { return Ok(None) };
        let blocks = queries.graph.blocks();
        if state.is_none() {
            for &variable in &blocks.cuts[Location::ENTRY.index()].live {
                let value = found[&blocks.program.term_of(variable)].clone();
                initial.insert(variable, value);
            }
        }
        inputs.push(queries.inputs_of(edge, &found));
        let variables: Vec<TermId> = queries.graph.variables(next.place).collect();
        let images: Vec<TermId> =
            variables.iter().map(|&variable| queries.graph.image(edge, variable)).collect();
        let values = queries.evaluate(&found, images.iter().copied());
        let new = variables.into_iter().zip(images).map(|(v, image)| (v, values[&image].clone()));
        state = Some(new.collect());
    }
    Ok(queries.graph.lowered.block_trace(property, &initial, &inputs).ok())
}

/// The states of a cube at a location, for the record: its conditions in the names of the source.
pub(super) fn region(queries: &Queries, place: Location, set: &[Lit]) -> Region {
    let Queries { graph, predicates, .. } = queries;
    let program = &graph.blocks().program;
    let live = &graph.blocks().cuts[place.index()].live;
    let name = |term: TermId| {
        let &variable = live.iter().find(|&&variable| program.term_of(variable) == term)?;
        let name = program.variable(variable).name.as_deref();
        Some(name.map_or_else(|| format!("v{}", variable.index()), str::to_owned))
    };
    let texts: Vec<String> = (predicates.terms_of(set).zip(set))
        .map(|(term, lit)| formula(&graph.terms, term, !lit.is_negated(), &name))
        .collect();
    let text = if texts.is_empty() { "true".to_owned() } else { texts.join(" ∧ ") };
    let words = Words::new(graph, place);
    let atoms = |(&lit, text): (&Lit, String)| -> Vec<RegionAtom> {
        let atoms = words.atoms(&graph.terms, predicates, lit).into_iter();
        let region = |atom: Atom| match atom {
            Atom::Given(_) => RegionAtom::Other(text.clone()),
            atom => atom.region(&words),
        };
        atoms.map(region).collect()
    };
    let atoms = set.iter().zip(texts).flat_map(atoms).collect();
    Region { atoms, text, location: Some(graph.origin(place)) }
}
