//! Invariants from proposals: single atoms that are inductive at once, with a little help.
//!
//! For a state that leads to a violation, atoms around it are proposed (`templates`), and each
//! is checked alone, relative to the invariants so far. If a predecessor refutes it, that one
//! may be excluded first in the same way: a counterexample to generalisation (Hassan, Bradley,
//! Somenzi, FMCAD 2013), here for invariants.

use super::atom::Atom;
use super::generalize::relax_bounds;
use super::options::WordOptions;
use super::relative::{Answer, Relative, Stopped};
use super::templates::Templates;
use super::unit::Unit;
use super::value::Point;
use crate::context::Context;
use crate::pdr::Level;
use rustc_hash::FxHashMap;

/// How deep a refutation may lead to another one.
const DEPTH: usize = 2;

/// What was proposed so far.
#[derive(Clone, Debug, Default)]
pub(super) struct Strengthener {
    templates: Templates,
    /// Atoms that failed, with the number of invariants that there were.
    failed: FxHashMap<Atom, usize>,
}

impl Strengthener {
    /// Tries to exclude a state for good. Whether it did.
    pub(super) fn strengthen(
        &mut self,
        relative: &mut Relative,
        context: &Context,
        options: &WordOptions,
        point: &Point,
    ) -> Result<bool, Stopped> {
        self.templates.refresh(&relative.problem, &relative.samples);
        relative.set_effort(Some(options.effort));
        let result = self.strengthen_at(relative, context, options, point, DEPTH);
        relative.set_effort(None);
        result
    }

    fn strengthen_at(
        &mut self,
        relative: &mut Relative,
        context: &Context,
        options: &WordOptions,
        point: &Point,
        depth: usize,
    ) -> Result<bool, Stopped> {
        let groups = self.templates.propose(&relative.problem, &relative.samples, point);
        for group in groups {
            if self.prove_at(relative, context, options, &group, depth)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Tries the atoms of a group, one after the other, as invariants. Whether one is.
    pub(super) fn prove(
        &mut self,
        relative: &mut Relative,
        context: &Context,
        options: &WordOptions,
        group: &[Atom],
    ) -> Result<bool, Stopped> {
        self.templates.refresh(&relative.problem, &relative.samples);
        // These decide everything, so they may cost more.
        relative.set_effort(Some(options.effort.saturating_mul(400)));
        let result = self.prove_at(relative, context, options, group, DEPTH);
        relative.set_effort(None);
        result
    }

    fn prove_at(
        &mut self,
        relative: &mut Relative,
        context: &Context,
        options: &WordOptions,
        group: &[Atom],
        depth: usize,
    ) -> Result<bool, Stopped> {
        for (place, atom) in group.iter().enumerate() {
            let known = relative.frames.delta(Level::INFINITY).len();
            if self.failed.get(atom) == Some(&known) {
                continue;
            }
            // Before the check: a refutation may come back to the same atom.
            self.failed.insert(atom.clone(), known);
            let unit = Unit::new(vec![atom.clone()]);
            for attempt in 0..=options.ctg {
                match relative.check_inductive(context, &unit, Level::INFINITY)? {
                    Answer::Inductive(_) => {
                        // The boldest needs no relaxing.
                        let lemma = match place {
                            0 => unit,
                            _ => relax_bounds(relative, context, unit, Level::INFINITY)?,
                        };
                        relative.add_lemma(context, lemma, Level::INFINITY)?;
                        return Ok(true);
                    }
                    Answer::Predecessor(found) if depth > 0 && attempt < options.ctg => {
                        let point = &found.point;
                        if !self.strengthen_at(relative, context, options, point, depth - 1)? {
                            break;
                        }
                    }
                    Answer::Predecessor(_) | Answer::No => break,
                }
            }
            let known = relative.frames.delta(Level::INFINITY).len();
            self.failed.insert(atom.clone(), known);
        }
        Ok(false)
    }
}
