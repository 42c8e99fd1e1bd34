//! Invariants from proposals: single atoms that are inductive at once, with a little help.
//!
//! For a state that leads to a violation, atoms around it are proposed (`templates`), and each
//! is checked alone, relative to the invariants so far. If a predecessor refutes it, that one
//! may be excluded first in the same way: a counterexample to generalisation (Hassan, Bradley,
//! Somenzi, FMCAD 2013), here for invariants.

use super::meter;
use super::options::WordOptions;
use super::problem::Problem;
use super::relative::{Answer, Relative};
use crate::context::Context;
use crate::trace::{Lemmas, Level, Stopped};
use crate::units::atom::Atom;
use crate::units::expand::relax_bounds;
use crate::units::templates::{Templates, mine};
use crate::units::unit::Unit;
use crate::units::value::Point;
use pedra_model::term::TermId;
use rustc_hash::FxHashMap;

// Constants: measured on models/word, see "Word-level PDR: proposals" in docs/NOTEBOOK.md.

/// How deep a refutation may lead to another one. 0 to 3 do equally well.
const DEPTH: usize = 2;

/// How many times the effort of other proposals goes into whole bads, which prove a property. With
/// 1 the worst run has six times the conflicts; from 10 on there is no difference.
const EFFORT_FOR_BADS: u64 = 40;

/// Which part of the effort is tried on all proposals before the whole is on any. The smaller, the
/// fewer conflicts and the more queries.
const EASIER: u64 = 10;

/// What was proposed so far.
#[derive(Clone, Debug, Default)]
pub(super) struct Strengthener {
    templates: Templates,
    /// Atoms that failed, with the number of invariants that there were, and the effort.
    failed: FxHashMap<Atom, (usize, u64)>,
}

/// What is to be excluded, and how hard that is tried.
#[derive(Copy, Clone)]
struct Aim<'p> {
    /// The state; none if the atoms are wanted for themselves.
    point: Option<&'p Point>,
    depth: usize,
    effort: u64,
}

impl Strengthener {
    /// Tries to exclude a state permanently. Whether it did; false if it was excluded before.
    pub(super) fn strengthen(
        &mut self,
        relative: &mut Relative,
        context: &Context,
        options: &WordOptions,
        point: &Point,
    ) -> Result<bool, Stopped> {
        if excludes(relative, point) {
            return Ok(false);
        }
        self.refresh(relative);
        easy_first(options, |effort| {
            self.strengthen_at(relative, context, options, point, DEPTH, effort)
        })
    }

    /// Tries all that no sample contains as invariants, alone and without help.
    pub(super) fn prove_all(
        &mut self,
        relative: &mut Relative,
        context: &Context,
        options: &WordOptions,
    ) -> Result<(), Stopped> {
        self.refresh(relative);
        let Relative { problem, samples, .. } = relative;
        let mut atoms = self.templates.boldest(problem, samples).to_vec();
        atoms.retain(|atom| options.unit.allows(atom));
        self.prove_each(relative, context, options, atoms)
    }

    /// Tries each atom, again and again as long as an invariant is found: what was not inductive
    /// before may be relative to it.
    fn prove_each(
        &mut self,
        relative: &mut Relative,
        context: &Context,
        options: &WordOptions,
        mut atoms: Vec<Atom>,
    ) -> Result<(), Stopped> {
        loop {
            let before = atoms.len();
            let mut open = Vec::new();
            for atom in atoms {
                // Simple ones are more often what is needed.
                let effort = options.effort / if atom.is_simple() { 1 } else { EASIER };
                let aim = Aim { point: None, depth: 0, effort };
                if !self.prove_at(relative, context, options, std::slice::from_ref(&atom), aim)? {
                    open.push(atom);
                }
            }
            if open.len() == before {
                return Ok(());
            }
            atoms = open;
        }
    }

    /// Looks at the samples again if there are more of them.
    fn refresh(&mut self, relative: &mut Relative) {
        let Relative { problem, samples, .. } = &*relative;
        if self
            .templates
            .refresh(problem, samples, || mine(problem, &problem.terms, roots(problem)))
        {
            relative.meter.spend(self.templates.cost(&relative.samples) / meter::VALUES);
        }
    }

    fn strengthen_at(
        &mut self,
        relative: &mut Relative,
        context: &Context,
        options: &WordOptions,
        point: &Point,
        depth: usize,
        effort: u64,
    ) -> Result<bool, Stopped> {
        let Relative { problem, samples, .. } = relative;
        let groups = self.templates.propose(problem, samples, point);
        relative.meter.spend(self.templates.sums() as u64 / meter::VALUES);
        let fits = |atom: &Atom| options.unit.allows(atom);
        let aim = Aim { point: Some(point), depth, effort };
        for group in groups.into_iter().filter(|group| group.iter().all(fits)) {
            if self.prove_at(relative, context, options, &group, aim)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Tries an atom as an invariant. Whether it is one.
    pub(super) fn prove(
        &mut self,
        relative: &mut Relative,
        context: &Context,
        options: &WordOptions,
        atom: &Atom,
    ) -> Result<bool, Stopped> {
        // What refutes it is excluded by further proposals, if there are any.
        let depth = if options.templates { DEPTH } else { 0 };
        if options.templates {
            self.refresh(relative);
        }
        easy_first(options, |effort| {
            let aim = Aim { point: None, depth, effort };
            self.prove_at(relative, context, options, std::slice::from_ref(atom), aim)
        })
    }

    /// Tries the atoms of a group, one after the other, as invariants. Whether one is, or the state
    /// is excluded otherwise.
    fn prove_at(
        &mut self,
        relative: &mut Relative,
        context: &Context,
        options: &WordOptions,
        group: &[Atom],
        aim: Aim<'_>,
    ) -> Result<bool, Stopped> {
        for (place, atom) in group.iter().enumerate() {
            let known = relative.trace().invariants_so_far();
            let is_in_vain = |&(with, effort): &(usize, u64)| with == known && effort >= aim.effort;
            if self.failed.get(atom).is_some_and(is_in_vain) {
                continue;
            }
            // Before the check: a refutation may come back to the same atom.
            self.failed.insert(atom.clone(), (known, aim.effort));
            // What would prove a property decides everything, so it may cost more.
            let more = if matches!(atom, Atom::Given(_)) { EFFORT_FOR_BADS } else { 1 };
            let effort = aim.effort.saturating_mul(more);
            let unit = Unit::new(vec![atom.clone()]);
            for attempt in 0..=options.ctg {
                let answer = relative.with_effort(effort, |relative| {
                    relative.check_inductive(&unit, Level::INFINITY)
                });
                match answer? {
                    Answer::Inductive(_) => {
                        // The boldest needs no relaxing.
                        let is_bold = place == 0;
                        relative.with_effort(effort, |relative| {
                            exclude(relative, context, unit, is_bold)
                        })?;
                        return Ok(true);
                    }
                    Answer::Predecessor(found) if aim.depth > 0 && attempt < options.ctg => {
                        let (point, depth) = (&found.point, aim.depth - 1);
                        let is_helped = self
                            .strengthen_at(relative, context, options, point, depth, aim.effort);
                        if !is_helped? {
                            break;
                        }
                        // What was to help may have done it all.
                        if aim.point.is_some_and(|point| excludes(relative, point)) {
                            return Ok(true);
                        }
                    }
                    Answer::Predecessor(_) | Answer::No => break,
                }
            }
            let known = relative.trace().invariants_so_far();
            self.failed.insert(atom.clone(), (known, aim.effort));
        }
        Ok(false)
    }
}

/// What the model computes and asks.
fn roots(problem: &Problem) -> impl Iterator<Item = TermId> + '_ {
    let roots = problem.vars.iter().map(|v| v.next).chain(problem.bads.iter().copied());
    roots.chain(problem.constraints.iter().copied()).chain(problem.init.iter().copied())
}

/// First with a part of the effort, so that all that is easy is tried before anything hard.
fn easy_first(
    options: &WordOptions,
    mut run: impl FnMut(u64) -> Result<bool, Stopped>,
) -> Result<bool, Stopped> {
    Ok(run(options.effort / EASIER)? || run(options.effort)?)
}

/// Makes an invariant of a unit that can be excluded from all frames: relaxed, unless it is bold.
fn exclude(
    relative: &mut Relative,
    context: &Context,
    unit: Unit,
    is_bold: bool,
) -> Result<(), Stopped> {
    let lemma = match is_bold {
        true => unit,
        false => relax_bounds(relative, unit, Level::INFINITY)?,
    };
    // What follows from the invariants need not be one.
    if relative.check_meets_frame(&lemma, Level::INFINITY)? {
        relative.add_lemma(context, (), Box::new(lemma), Level::INFINITY)?;
    }
    Ok(())
}

/// Whether an invariant excludes the state.
fn excludes(relative: &Relative, point: &Point) -> bool {
    relative.trace().sets((), Level::INFINITY).any(|unit| unit.contains(point))
}
