//! Programs without loops: as many steps as the longest path has are all that there are.
//!
//! Bounded model checking cannot prove in general, and here it can: when all steps are clean, no
//! run comes to an error place. The proof has no invariants, since no cycle needs one. It is one
//! question about the whole program, which the check asks once more.

use pedra_engines::{Context, End, Engine, Progress, Reason};
use pedra_program::Lowered;
use pedra_program::blocks::Blocks;
use std::sync::Arc;

/// A program without loops, and what is asked of it.
pub(crate) struct Straight {
    lowered: Arc<Lowered>,
    properties: Vec<usize>,
    /// How many blocks the longest path has.
    longest: usize,
}

impl Straight {
    /// `None` if the program has a loop, or calls that are not inlined.
    pub(crate) fn new(lowered: &Arc<Lowered>, properties: &[usize]) -> Option<Straight> {
        let blocks = &lowered.blocks;
        let has_calls = blocks.cuts.iter().any(|cut| !cut.returns.is_empty());
        let longest = longest_path(blocks).filter(|_| !has_calls)?;
        Some(Straight { lowered: lowered.clone(), properties: properties.to_vec(), longest })
    }

    /// An engine that decides it, by another one that looks at step after step of its system.
    pub(crate) fn by<'a>(self, bmc: Box<dyn Engine + 'a>) -> Box<dyn Engine + 'a> {
        Box::new(Complete { straight: self, bmc })
    }
}

/// The number of blocks on a longest path from the entry; `None` if there is a cycle.
fn longest_path(blocks: &Blocks) -> Option<usize> {
    let count = blocks.cuts.len();
    let mut longest = vec![0; count];
    // After this many rounds all paths without a cycle are known.
    for _ in 0..=count {
        let mut is_changed = false;
        for (from, cut) in blocks.cuts.iter().enumerate() {
            for block in &cut.blocks {
                if longest[block.to] <= longest[from] {
                    longest[block.to] = longest[from] + 1;
                    is_changed = true;
                }
            }
        }
        if !is_changed {
            return longest.into_iter().max();
        }
    }
    None
}

/// Bounded model checking of a program without loops.
struct Complete<'a> {
    straight: Straight,
    bmc: Box<dyn Engine + 'a>,
}

impl Engine for Complete<'_> {
    fn name(&self) -> &'static str {
        self.bmc.name()
    }

    fn run(&mut self, context: &Context) -> End {
        let Straight { lowered, properties, longest } = &self.straight;
        // One step more than there are, so that it does not matter where counting begins.
        let last = longest + 1;
        let max_depth = [Some(last), context.max_depth].into_iter().flatten().min();
        let end = self.bmc.run(&Context { max_depth, ..context.clone() });
        let open = context.open(properties.len());
        let is_clean = end.safe_up_to.is_some_and(|safe| safe >= last);
        if open.is_empty() || !is_clean && !matches!(end.reason, Reason::Exhausted(_)) {
            return end;
        }
        let proved = open.iter().map(|&position| properties[position]).collect();
        context.prove(&open, lowered.straight_proof(proved));
        End { reason: Reason::SettledElsewhere, ..end }
    }

    fn progress(&self) -> Progress {
        self.bmc.progress()
    }
}
