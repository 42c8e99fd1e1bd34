//! Procedures that are not inlined, as parts of a program without calls.
//!
//! A recursive procedure becomes a *part* of the one procedure that inlining makes
//! ([`crate::inline`]): a copy of its places that begins at the entry of the program with arbitrary
//! values, and in which every variable that has a value when it is called is copied at the
//! beginning. So what holds at the exit of a part relates the values before a call and after it: a
//! *summary*.
//!
//! A call of such a procedure becomes one step, with new values for all that the procedure may
//! change, and with a [`Return`] that says which procedure is to return so. The step's meaning is
//! that of the call: it can be taken if a run of the part leads from the values before to the ones
//! after. A pass that does not look at the `Return` sees a program with more runs.

use crate::graph::{PlaceId, ProcedureId, VariableId};
use pedra_model::term::TermId;

/// A summary: a position in [`crate::Program::summaries`].
pub type SummaryId = usize;

/// The part that a procedure has become.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Summary {
    /// The procedure, in the original program.
    pub procedure: ProcedureId,
    /// Where the part begins, behind the edge from the entry.
    pub entry: PlaceId,
    /// Where the procedure returns. No edge begins here.
    pub exit: PlaceId,
    /// The parameters and the globals, each with the variable that keeps its first value.
    pub before: Vec<(VariableId, VariableId)>,
    /// What a caller gets: the results and the globals that the procedure may change.
    pub after: Vec<VariableId>,
}

impl Summary {
    /// The variables of which a summary speaks.
    pub fn variables(&self) -> impl Iterator<Item = VariableId> + '_ {
        self.before.iter().map(|(_, kept)| *kept).chain(self.after.iter().copied())
    }
}

/// What a step that stands for a call asks of the procedure.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Return {
    /// Which one.
    pub summary: SummaryId,
    /// The values before, over the variables before the step: one for each of [`Summary::before`].
    pub before: Vec<TermId>,
    /// The values after, inputs of the step: one for each of [`Summary::after`].
    pub after: Vec<TermId>,
}

impl Return {
    /// For each variable of the summary the value that it has in this call.
    pub fn values<'a>(
        &'a self,
        summary: &'a Summary,
    ) -> impl Iterator<Item = (VariableId, TermId)> + 'a {
        summary.variables().zip(self.before.iter().chain(&self.after).copied())
    }
}
