//! Bounded model checking and k-induction on the blocks of a program.
//!
//! They are to programs what [`crate::bmc`] and [`crate::kind`] are to circuits (M. Sheeran,
//! S. Singh, G. Stålmarck, FMCAD 2000), and need no bits: one code serves bit-vectors and integers
//! ([`pedra_solve::terms`]). A step is a block, so a path from one cut point to the next. With
//!
//! - base: no run of fewer than `k` blocks from the entry ends at the property's error place;
//! - step: no run of exactly `k` blocks does, from any cut point and any values there,
//!
//! the error place is not reached: the last `k` blocks of a run to it would be such a run. Error
//! places end runs, so that there is no hypothesis to assume.
//!
//! Paths are not required to be simple: a proof about a program has no form for that.

mod unroll;

use crate::context::{Context, End, Engine, Reason};
use crate::events::{Event, Progress};
use pedra_model::blast::BlastOptions;
use pedra_program::Lowered;
use pedra_program::blocks::CutProof;
use pedra_solve::{Theory, theory_of};
use std::sync::Arc;
use unroll::{Failure, Start, Unroll};

/// Bounded model checking of a program, with or without the step case of k-induction.
pub struct Paths {
    lowered: Arc<Lowered>,
    /// The chosen properties; outcomes are by position in this list.
    properties: Vec<usize>,
    blasting: BlastOptions,
    proves: bool,
    base: Option<Unroll>,
    step: Option<Unroll>,
    /// The first number of blocks that has not been looked at.
    next: usize,
}

impl Paths {
    /// Bounded model checking, which has not looked at any step yet.
    pub fn bmc(lowered: Arc<Lowered>, properties: &[usize], blasting: &BlastOptions) -> Paths {
        let (properties, blasting) = (properties.to_vec(), blasting.clone());
        Paths { lowered, properties, blasting, proves: false, base: None, step: None, next: 0 }
    }

    /// k-induction, which has not tried any depth yet.
    pub fn kind(lowered: Arc<Lowered>, properties: &[usize], blasting: &BlastOptions) -> Paths {
        Paths { proves: true, ..Paths::bmc(lowered, properties, blasting) }
    }

    fn prepare(&mut self, context: &Context) -> Result<(), Failure> {
        if self.base.is_none() {
            let blocks = &self.lowered.blocks;
            let all = blocks.cuts.iter().flat_map(|cut| &cut.blocks);
            let roots = all.flat_map(|block| block.values.iter().chain([&block.guard]));
            let theory = theory_of(&blocks.program.terms, roots.copied());
            let theory: Theory = theory.map_err(Failure::Unsupported)?;
            let new = |start| Unroll::new(&self.lowered, start, theory, &self.blasting);
            self.base = Some(new(Start::Entry));
            self.step = self.proves.then(|| new(Start::Anywhere));
        }
        for unroll in [&mut self.base, &mut self.step].into_iter().flatten() {
            unroll.set_interrupt(&context.interrupt);
        }
        Ok(())
    }

    /// Looks at one step after the other; says why it stopped, `None` if nothing is open.
    fn search(&mut self, context: &Context) -> Result<Option<Reason>, Failure> {
        self.prepare(context)?;
        loop {
            if self.open(context).is_empty() {
                return Ok(None);
            }
            if context.is_beyond_limit(self.next) {
                return Ok(Some(Reason::DepthLimit));
            }
            if context.interrupt.poll() {
                return Ok(Some(Reason::Interrupted));
            }
            context.emit(|| Event::Depth { depth: self.next, progress: self.progress() });
            let base = self.base.as_mut().expect("made before the search");
            if !self.proves && base.is_over(self.next)? {
                return Ok(Some(Reason::Exhausted(self.next)));
            }
            self.look_for_violations(context)?;
            self.next += 1;
            if self.proves {
                self.try_induction(context)?;
            }
        }
    }

    fn open(&self, context: &Context) -> Vec<usize> {
        context.open(self.properties.len())
    }

    /// Settles the properties that are violated at the next step.
    fn look_for_violations(&mut self, context: &Context) -> Result<(), Failure> {
        for position in self.open(context) {
            let property = self.properties[position];
            let base = self.base.as_mut().expect("made before the search");
            let Some(error) = self.lowered.blocks.errors[property] else { continue };
            if base.reaches(error, self.next)? {
                context.violate(position, base.trace(property, self.next));
            }
        }
        Ok(())
    }

    /// Settles the properties that are inductive at the depth up to which the base is clean.
    fn try_induction(&mut self, context: &Context) -> Result<(), Failure> {
        let k = self.next;
        let mut proved = Vec::new();
        for position in self.open(context) {
            let error = self.lowered.blocks.errors[self.properties[position]];
            let step = self.step.as_mut().expect("made before the search");
            let is_inductive = match error.map(|error| step.reaches(error, k)) {
                None => true,
                Some(Ok(is_reached)) => !is_reached,
                // Another depth may be easier.
                Some(Err(Failure::GaveUp)) if !context.interrupt.is_raised() => false,
                Some(Err(failure)) => return Err(failure),
            };
            if is_inductive {
                proved.push(position);
            }
        }
        if !proved.is_empty() {
            let blocks = &self.lowered.blocks;
            let proof = self.lowered.cut_proof(CutProof {
                properties: proved.iter().map(|&position| self.properties[position]).collect(),
                terms: blocks.program.terms.clone(),
                invariants: vec![Vec::new(); blocks.cuts.len()],
                k,
            });
            context.prove(&proved, proof);
        }
        Ok(())
    }
}

impl Engine for Paths {
    fn name(&self) -> &'static str {
        if self.proves { "kind" } else { "bmc" }
    }

    fn run(&mut self, context: &Context) -> End {
        let (engine, open) = (self.name(), self.open(context).len());
        context.emit(|| Event::Started { engine, open });
        let reason = match self.search(context) {
            Ok(stopped) => stopped.unwrap_or(Reason::SettledElsewhere),
            Err(Failure::Unsupported(error)) => Reason::Unsupported(error.lacking()),
            Err(Failure::GaveUp) if context.interrupt.is_raised() => Reason::Interrupted,
            Err(Failure::GaveUp) => Reason::Budget,
        };
        let open = self.open(context).len();
        context.emit(|| Event::Finished { open, progress: self.progress() });
        End { reason, safe_up_to: self.next.checked_sub(1) }
    }

    fn progress(&self) -> Progress {
        let stats = [&self.base, &self.step].map(|u| u.as_ref().map(Unroll::stats));
        let [base, step] = stats.map(Option::unwrap_or_default);
        Progress {
            depth: self.next,
            queries: base.queries + step.queries,
            conflicts: base.conflicts + step.conflicts,
            ..Progress::default()
        }
    }
}
