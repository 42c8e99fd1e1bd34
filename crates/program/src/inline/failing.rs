//! Calls that are too deep, and limits: what stands for all that may follow.

use super::{Deeper, EdgeOrigin, InlineError, Inliner, InstanceId};
use crate::graph::{Action, Edge, EdgeRef, PlaceId, PlaceRef, ProcedureId, Step};

impl Inliner<'_> {
    /// A call that is too deep. *Required for soundness* of proofs with [`Deeper::Fails`]: no such
    /// call is left out, and the arguments do not matter, since all error places follow.
    pub(super) fn add_deeper_call(
        &mut self,
        caller: InstanceId,
        at: EdgeRef,
        from: PlaceId,
        deeper: Deeper,
    ) -> Result<(), InlineError> {
        let edge = self.original.edge(at);
        match deeper {
            Deeper::Ends => Ok(()),
            Deeper::Fails => {
                let to = *self.deeper.get_or_insert_with(|| {
                    self.places
                        .push((caller, PlaceRef { procedure: at.procedure, place: edge.from }));
                    self.body.add_place(edge.span)
                });
                self.add_step(edge, (from, to), Step::default(), EdgeOrigin::Deeper(at))
            }
        }
    }

    /// The error places of all properties. *Required for soundness* of proofs: all of them follow
    /// from calls that are too deep and from limits.
    pub(super) fn add_error_places(&mut self) {
        self.program.limits.clear();
        let failing: Vec<PlaceId> =
            self.deeper.into_iter().chain(std::mem::take(&mut self.limits)).collect();
        for property in &mut self.program.properties {
            let place = *self.errors.entry(property.error).or_insert_with(|| {
                self.places.push((InstanceId(0), property.error));
                self.body.add_place(property.span)
            });
            property.error = PlaceRef { procedure: ProcedureId::new(0), place };
            for &from in &failing {
                let (action, text) = (Action::Step(Step::default()), "".into());
                self.body.add_edge(Edge { from, to: place, action, span: property.span, text });
                self.edges.push(EdgeOrigin::Fails);
            }
        }
    }
}
