//! Word-level lemmas at a location: the units of word-level PDR ([`crate::units`]) over the words
//! that are live there.
//!
//! T. Welp, A. Kuehlmann: *QF_BV Model Checking with Property Directed Reachability* (DATE 2013),
//! location by location. A cube becomes a unit: comparisons whose sums cannot wrap become bounds
//! and half-spaces, `x = 5` becomes `x ≥ 5 ∧ x ≤ 5`, and all else stays the literal that it is.
//! Then
//! 1. half-spaces that samples suggest are tried in place of the whole (`units::templates`);
//! 2. the highest level is found at which the cube is inductive as it is;
//! 3. literals are dropped there, as in every cube (`generalize`);
//! 4. atoms of what is left are dropped and bounds moved (`units::expand`);
//! 5. half-spaces of two words are put in for bounds (`units::reshape`);
//! 6. the unit becomes a cube again.
//!
//! What differs from word-level PDR: a word has two *views*, with sign and without, as programs
//! compare the same word both ways. And a state that a run has reached at the location refutes a
//! unit at once, whatever the level: a lemma without it has no future.
//!
//! All of it is heuristic: nothing is kept that a query about all edges into the location does not
//! confirm.

use super::generalize::{drop_literals, part};
use super::graph::{Graph, Location};
use super::options::ProgramOptions;
use super::predicates::cube;
use super::queries::Queries;
use super::samples::Samples;
use super::words::{AsLit, Declared, Words};
use crate::trace::{Level, Place, Stopped};
use crate::units::atom::Atom;
use crate::units::expand::expand;
use crate::units::reshape::{Failed, reshape};
use crate::units::templates::{Templates, mine};
use crate::units::unit::Unit;
use crate::units::value::{Point, WordVar};
use crate::units::{Exclude, Points, Vocabulary};
use pedra_model::lit::Lit;
use pedra_model::term::{BinaryOp, Term};
use rustc_hash::FxHashMap;
use std::collections::VecDeque;

/// How many units of a location are remembered as guides. As in word-level PDR.
const MAX_SHAPES: usize = 64;

/// How many words a half-space of `reshape` has. Chosen: programs compare two.
const ARITY: usize = 2;

/// Units with more atoms stay as they are. Chosen.
const MAX_ATOMS: usize = 12;

/// How many atoms that samples suggest are tried for one cube. Chosen.
const MAX_PROPOSED: usize = 16;

/// States of a location that runs have reached.
#[derive(Clone, Debug, Default)]
struct Reached(Vec<Point>);

impl Points for Reached {
    fn points(&self) -> impl Iterator<Item = &Point> + Clone {
        self.0.iter()
    }

    fn len(&self) -> usize {
        self.0.len()
    }
}

/// What is known of the words of one location.
#[derive(Default)]
struct Local {
    words: Words,
    reached: Reached,
    templates: Templates,
    shapes: VecDeque<Unit>,
    /// Half-spaces that were tried in vain.
    failed: Failed,
    /// Atoms that were tried in vain, with the number of invariants that there were.
    refuted: FxHashMap<Atom, usize>,
}

/// The words of all locations.
pub(super) struct Units {
    locals: Vec<Local>,
}

impl Units {
    /// Words of all locations, with samples of them.
    pub(super) fn new(graph: &Graph, samples: Option<&Samples>) -> Units {
        let local = |at: Location| {
            let words = Words::new(graph, at);
            let states = samples.map_or(&[][..], |samples| samples.at(at));
            let points = match words.positions.is_empty() {
                true => Vec::new(),
                false => states.iter().map(|state| words.point(state)).collect(),
            };
            Local { words, reached: Reached(points), ..Local::default() }
        };
        Units { locals: graph.locations().map(local).collect() }
    }

    /// A larger cube that can be excluded, too, and the level from which it can; given a cube and
    /// the part of it that is enough.
    pub(super) fn widen(
        &mut self,
        queries: &mut Queries,
        options: &ProgramOptions,
        at: Location,
        (whole, core): (&[Lit], &[Lit]),
        level: Level,
    ) -> Result<(Box<[Lit]>, Level), Stopped> {
        let local = &mut self.locals[at.index()];
        let mut here = Here { queries, local, at, looks_at_samples: true };
        let (whole, core) = (here.unit(whole), here.unit(core));
        let uses_templates = options.templates && is_about_words(&whole);
        here.looks_at_samples = !here.is_reached(&whole);
        if uses_templates
            && here.looks_at_samples
            && let Some(found) = here.propose(&whole)?
        {
            return Ok((here.cube(&found), Level::INFINITY));
        }
        let level = here.find_highest(&core, level)?;
        let set = here.cube(&core);
        let set = drop_literals(here.queries, options.ctg(), at, set, level)?;
        let unit = here.unit(&set);
        if !is_about_words(&unit) {
            return Ok((set, level));
        }
        let unit = expand(&mut here, unit, level)?;
        if here.local.shapes.len() == MAX_SHAPES {
            here.local.shapes.pop_front();
        }
        here.local.shapes.push_back(unit.clone());
        let mut failed = std::mem::take(&mut here.local.failed);
        let unit = reshape(&mut here, ARITY, &mut failed, unit, level);
        here.local.failed = failed;
        Ok((here.cube(&unit?), level))
    }
}

/// Whether a unit has bounds or half-spaces, and few atoms.
fn is_about_words(unit: &Unit) -> bool {
    let is_given = |atom: &Atom| matches!(atom, Atom::Given(_));
    unit.atoms().len() <= MAX_ATOMS && !unit.atoms().iter().all(is_given)
}

/// The frames of one location.
struct Here<'a> {
    queries: &'a mut Queries,
    local: &'a mut Local,
    at: Location,
    looks_at_samples: bool,
}

impl Here<'_> {
    /// A cube as a unit.
    fn unit(&self, set: &[Lit]) -> Unit {
        let Queries { graph, predicates, .. } = &*self.queries;
        let words = &self.local.words;
        Unit::new(set.iter().flat_map(|&lit| words.atoms(&graph.terms, predicates, lit)).collect())
    }

    /// The literals of a unit, each with the atoms that it stands for. `None` if it is empty.
    fn literals(&mut self, unit: &Unit) -> Option<Vec<(Lit, Vec<Atom>)>> {
        let Queries { graph, predicates, .. } = &mut *self.queries;
        let words = &self.local.words;
        let mut found = Vec::with_capacity(unit.atoms().len());
        for atom in unit.atoms() {
            // Both bounds together are an equation.
            if let Atom::Lower(x, v) = *atom
                && unit.atoms().contains(&Atom::Upper(x, v))
                && (words.var(x).min()..=words.var(x).max()).contains(&v)
            {
                let var = words.var(x);
                let value = graph.terms.constant(var.bv(v));
                let same = Term::Binary(BinaryOp::Eq, var.term, value);
                let same = graph.terms.simplified(same);
                if let Some(lit) = predicates.literal(&mut graph.terms, same, true) {
                    found.push((lit, vec![atom.clone(), Atom::Upper(x, v)]));
                    continue;
                }
            }
            if let Atom::Upper(x, v) = *atom
                && unit.atoms().contains(&Atom::Lower(x, v))
                && (words.var(x).min()..=words.var(x).max()).contains(&v)
            {
                continue;
            }
            match words.literal(&mut graph.terms, predicates, atom) {
                AsLit::Lit(lit) => found.push((lit, vec![atom.clone()])),
                AsLit::Always(true) => {}
                AsLit::Always(false) => return None,
            }
        }
        Some(found)
    }

    /// A unit as a cube.
    fn cube(&mut self, unit: &Unit) -> Box<[Lit]> {
        let lits = self.literals(unit).expect("what is excluded has states");
        cube(lits.into_iter().map(|(lit, _)| lit).collect())
    }

    /// Whether a run has reached a state of the unit.
    fn is_reached(&self, unit: &Unit) -> bool {
        self.local.reached.points().any(|point| unit.contains(point))
    }

    /// The highest level at which a unit can be excluded as it is.
    fn find_highest(&mut self, unit: &Unit, level: Level) -> Result<Level, Stopped> {
        let top = self.queries.frames.top();
        let goals = [Some(Level::INFINITY), (level < top).then_some(top)];
        for goal in goals.into_iter().flatten() {
            if self.find_inductive(unit, goal)?.is_some() {
                return Ok(goal);
            }
        }
        Ok(level)
    }

    /// An invariant that samples suggest, and that excludes the whole cube.
    fn propose(&mut self, whole: &Unit) -> Result<Option<Unit>, Stopped> {
        let lits: Vec<Lit> = self.cube(whole).into();
        let given = self.queries.cube_lits(self.at, &lits)?;
        if self.queries.solve(self.at, &given, &[])? != Some(true) {
            return Ok(None);
        }
        let model = self.queries.model(self.at);
        let value = |var: &WordVar| var.int(model[&var.term].as_bv());
        let point: Point = self.local.words.vars.iter().map(value).collect();
        let Local { words, reached, templates, .. } = &mut *self.local;
        let declared = Declared(words);
        let graph = &self.queries.graph;
        let blocks = graph.blocks().cuts[self.at.index()].blocks.iter();
        let roots = blocks.flat_map(|block| block.values.iter().copied().chain([block.guard]));
        templates.refresh(&declared, reached, || mine(&declared, &graph.terms, roots));
        let groups = templates.propose(&declared, reached, &point);
        let known = self.queries.frames.invariants_so_far();
        let mut tried = 0;
        for atom in groups.into_iter().filter_map(|group| group.into_iter().next()) {
            if tried == MAX_PROPOSED {
                break;
            }
            if self.local.refuted.get(&atom) == Some(&known) {
                continue;
            }
            let unit = Unit::new(vec![atom.clone()]);
            if !self.is_within(&given, &unit)? {
                continue;
            }
            tried += 1;
            if let Some(found) = self.find_inductive(&unit, Level::INFINITY)? {
                return Ok(Some(found));
            }
            self.local.refuted.insert(atom, known);
        }
        Ok(None)
    }

    /// Whether all states of a cube are in a unit of one atom: `c ∧ ¬a` has no model.
    fn is_within(&mut self, given: &[Lit], unit: &Unit) -> Result<bool, Stopped> {
        let set = self.cube(unit);
        let mut missed = self.queries.cube_lits(self.at, &set)?;
        missed.iter_mut().for_each(|lit| *lit = !*lit);
        Ok(self.queries.solve(self.at, given, &[&missed])? == Some(false))
    }
}

impl Exclude for Here<'_> {
    type Words = Words;

    fn words(&self) -> &Words {
        &self.local.words
    }

    fn find_inductive(&mut self, unit: &Unit, level: Level) -> Result<Option<Unit>, Stopped> {
        if self.looks_at_samples && self.is_reached(unit) {
            return Ok(None);
        }
        let Some(literals) = self.literals(unit) else { return Ok(None) };
        let set = cube(literals.iter().map(|(lit, _)| *lit).collect());
        let Some(core) = part(self.queries, self.at, &set, level)? else { return Ok(None) };
        let kept = literals.into_iter().filter(|(lit, _)| core.contains(lit));
        Ok(Some(Unit::new(kept.flat_map(|(_, atoms)| atoms).collect())))
    }

    fn shapes(&self) -> impl Iterator<Item = &Unit> {
        self.local.shapes.iter()
    }

    /// Shapes are few.
    fn count(&mut self, _: u64) -> Result<(), Stopped> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::fixture::{contains, errors, random_queries};
    use crate::program::predecessor::predecessor;
    use crate::program::queries::Blocked;
    use pedra_model::bv::Bv;
    use pedra_model::term::{Sort, TermId, Terms};
    use pedra_model::value::Value;
    use pedra_testkit::random::{Random, runs};

    /// Obligations of random programs over words, two steps before an error place.
    fn obligations(
        random: &mut Random,
        mut visit: impl FnMut(&mut Random, &mut Queries, Location, &[Lit]),
    ) {
        for _ in 0..runs(200) {
            let mut queries = random_queries(random, false);
            for error in errors(&queries) {
                let (mut place, mut set): (_, Box<[Lit]>) = (error, Box::default());
                for _ in 0..2 {
                    let blocked = queries.check_blocked(place, &set, Level::new(3));
                    let Ok(Blocked::No(edge, model)) = blocked else { break };
                    let found = predecessor(&mut queries, edge, &set, &model);
                    set = found.unwrap_or_else(|_| panic!("nothing stops it"));
                    place = queries.graph.edge(edge).from;
                    visit(random, &mut queries, place, &set);
                }
            }
        }
    }

    /// A sum of words and constants, in a width in which it may wrap or not.
    fn side(random: &mut Random, terms: &mut Terms, words: &[TermId], width: u32) -> TermId {
        let mut sum = terms.constant(Bv::from_u64(width, random.word()));
        for _ in 0..random.below(3) {
            let word = random.pick(words);
            let by = width - terms.width(word);
            let signed = random.coin();
            let word = terms.simplified(Term::Extend { arg: word, by, signed });
            sum = match random.below(3) {
                0 => word,
                1 => terms.simplified(Term::Binary(BinaryOp::Add, sum, word)),
                _ => terms.simplified(Term::Binary(BinaryOp::Sub, sum, word)),
            };
        }
        sum
    }

    /// A literal holds in a state where all its atoms do.
    #[test]
    fn atoms_say_what_literals_say() {
        use BinaryOp::*;
        let mut random = Random::new(43);
        let mut understood = 0;
        for _ in 0..runs(200) {
            let mut queries = random_queries(&mut random, false);
            let locations: Vec<Location> = queries.graph.locations().collect();
            for at in locations.into_iter().flat_map(|at| [at; 20]) {
                let words = Words::new(&queries.graph, at);
                let declared = words.vars.iter().filter(|var| var.width <= 16);
                let declared: Vec<TermId> = declared.map(|var| var.term).collect();
                if declared.is_empty() {
                    continue;
                }
                let Queries { graph, predicates, .. } = &mut queries;
                let narrow = declared.iter().map(|&word| graph.terms.width(word)).max();
                let width = narrow.unwrap_or(1) + random.below(4) as u32;
                let [a, b] = [0; 2].map(|_| side(&mut random, &mut graph.terms, &declared, width));
                let op = random.pick(&[Eq, Neq, Ulte, Ult, Ugt, Slte, Slt, Sgte]);
                let condition = graph.terms.simplified(Term::Binary(op, a, b));
                let holds = random.coin();
                let Some(lit) = predicates.literal(&mut graph.terms, condition, holds) else {
                    continue;
                };
                let atoms = words.atoms(&graph.terms, predicates, lit);
                if atoms.iter().any(|atom| matches!(atom, Atom::Given(_))) {
                    assert_eq!(atoms.len(), 1);
                    continue;
                }
                understood += 1;
                let variables: Vec<TermId> = queries.graph.variables(at).collect();
                for _ in 0..50 {
                    let value = |&variable: &TermId| match queries.graph.terms.sort(variable) {
                        Sort::Bv(width) => Value::Bv(Bv::from_u64(width, random.word())),
                        sort => Value::zero(sort),
                    };
                    let state: Vec<Value> = variables.iter().map(value).collect();
                    let model = variables.iter().copied().zip(state.iter().cloned()).collect();
                    let truth = queries.evaluate(&model, [condition])[&condition].clone();
                    let point = words.point(&state);
                    let all = atoms.iter().all(|atom| atom.holds(&point) == Some(true));
                    assert_eq!(truth.as_bv().is_true() == holds, all, "{atoms:?}");
                }
                let local = &mut Local { words, ..Local::default() };
                let here = &mut Here { queries: &mut queries, local, at, looks_at_samples: false };
                let unit = here.unit(&[lit]);
                if let Some(again) = here.literals(&unit) {
                    let again: Vec<Lit> = again.into_iter().map(|(lit, _)| lit).collect();
                    assert!(contains(&mut queries, at, &again, &[lit]), "{unit:?}");
                    assert!(contains(&mut queries, at, &[lit], &again), "{unit:?}");
                }
            }
        }
        assert!(understood > 100, "{understood}");
    }

    /// What is excluded after widening can be, and contains what was to be excluded.
    #[test]
    fn what_is_wider_contains_the_cube_and_is_excluded() {
        let mut random = Random::new(47);
        let (mut asked, mut changed) = (0, 0);
        obligations(&mut random, |random, queries, at, set| {
            let level = Level::new(1);
            let Ok(Blocked::Yes(core)) = queries.check_blocked(at, set, level) else { return };
            let samples = Samples::take(&queries.graph, random.word());
            let mut units = Units::new(&queries.graph, Some(&samples));
            let options = ProgramOptions::default();
            let widened = units.widen(queries, &options, at, (set, &core), level);
            let (wider, reached) = widened.unwrap_or_else(|_| panic!("nothing stops it"));
            assert!(reached >= level);
            let again = queries.check_blocked(at, &wider, reached);
            assert!(matches!(again, Ok(Blocked::Yes(_))));
            assert!(contains(queries, at, &wider, set));
            asked += 1;
            changed += usize::from(*wider != *core);
        });
        assert!(asked > 30 && changed > 5, "{asked} {changed}");
    }
}
