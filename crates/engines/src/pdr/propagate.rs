//! Propagation: lemmas move up to the highest frame where they hold.

use super::counts::Purpose;
use super::relative::{Answer, Hypothesis, Relative};
use super::solver::Stopped;
use crate::context::Context;
use crate::trace::{LemmaId, Level};
use pedra_model::lit::Lit;

/// "propagateClauses(k)": for `i := 1` to `k − 1`, for every clause `c` of `Δ_i`: if
/// `¬SAT(F_i ∧ R ∧ ¬c')` then `F_{i+1} := F_{i+1} ∧ c`. Ends early at a fixpoint.
pub(super) fn propagate_clauses(relative: &mut Relative, context: &Context) -> Result<(), Stopped> {
    propagate_from(relative, context, Level::ZERO.above())
}

/// The same for `i := first` to `k − 1`.
pub(super) fn propagate_from(
    relative: &mut Relative,
    context: &Context,
    first: Level,
) -> Result<(), Stopped> {
    for level in (first.index()..relative.top().index()).map(Level::new) {
        for id in shortest_first(relative, level) {
            if !relative.frames().is_live(id) || relative.is_stuck(id) {
                continue;
            }
            let cube: Vec<Lit> = relative.frames().lemma(id).set().to_vec();
            if relative.foreign.dooms(&cube) {
                continue;
            }
            let above = level.above();
            // F_i ∧ C ∧ T ⟹ ¬c'; that F_i ⟹ ¬c is known already.
            let answer = relative.check_inductive(
                context,
                &cube,
                above,
                Hypothesis::None,
                Purpose::Propagate,
            )?;
            match answer {
                Answer::Predecessor => {
                    let witness = relative.predecessor_bits(above);
                    relative.note_stuck(id, witness);
                }
                Answer::Inductive(core) if core.len() == cube.len() => {
                    relative.promote_lemma(context, id, above);
                }
                Answer::Inductive(core) => {
                    // A part is enough, and subsumes the whole.
                    relative.add_lemma(context, core, above);
                }
            }
        }
        if relative.frames().delta((), level).is_empty() {
            return Ok(());
        }
    }
    Ok(())
}

/// `Δ_i`. Heuristic order: a short lemma that moves up subsumes longer ones.
fn shortest_first(relative: &Relative, level: Level) -> Vec<LemmaId> {
    let frames = relative.frames();
    let mut ids = frames.delta((), level).to_vec();
    ids.sort_by_key(|&id| (frames.lemma(id).set().len(), id));
    ids
}
