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
        let longest = longest_path(blocks).filter(|_| !has_calls && is_straight(lowered))?;
        Some(Straight { lowered: lowered.clone(), properties: properties.to_vec(), longest })
    }

    /// An engine that decides it, by another one that looks at step after step of its system.
    pub(crate) fn by<'a>(self, bmc: Box<dyn Engine + 'a>) -> Box<dyn Engine + 'a> {
        Box::new(Complete { straight: self, bmc })
    }
}

/// Whether the statements have no cycle but for those that lead to no error place, of which a proof
/// says something in any case. A cycle that no run goes round, and that is in no block, is one:
/// the check does not know that.
fn is_straight(lowered: &Lowered) -> bool {
    let program = &lowered.inlined.program;
    let body = program.procedure(program.entry);
    let mut is_left = vec![true; body.places.len()];
    for (place, _) in &lowered.blocks.other_heads {
        is_left[place.index()] = false;
    }
    // Places to which nothing that is left leads go, one after the other.
    let mut incoming = vec![0usize; body.places.len()];
    let mut outgoing: Vec<Vec<usize>> = vec![Vec::new(); body.places.len()];
    for edge in &body.edges {
        let (from, to) = (edge.from.index(), edge.to.index());
        if is_left[from] && is_left[to] {
            incoming[to] += 1;
            outgoing[from].push(to);
        }
    }
    let mut ready: Vec<usize> =
        (0..body.places.len()).filter(|&place| is_left[place] && incoming[place] == 0).collect();
    while let Some(place) = ready.pop() {
        is_left[place] = false;
        for &next in &outgoing[place] {
            incoming[next] -= 1;
            if incoming[next] == 0 {
                ready.push(next);
            }
        }
    }
    !is_left.contains(&true)
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
