//! The events of one direction on their way out, tagged with the direction.

use crate::context::Context;
use crate::events::{Direction, Event, EventSink};
use std::sync::{Mutex, PoisonError};

/// What both directions tell to.
pub(super) struct Shared<'c> {
    context: &'c Context<'c>,
    /// Whose details were reported last.
    turned: Mutex<Option<Direction>>,
}

impl<'c> Shared<'c> {
    pub(super) fn new(context: &'c Context<'c>) -> Shared<'c> {
        Shared { context, turned: Mutex::new(None) }
    }
}

/// Where the events of one direction go.
pub(super) struct Side<'s, 'c> {
    pub(super) shared: &'s Shared<'c>,
    pub(super) direction: Direction,
}

impl EventSink for Side<'_, '_> {
    fn emit(&self, event: &Event) {
        let context = self.shared.context;
        let mut turned = self.shared.turned.lock().unwrap_or_else(PoisonError::into_inner);
        match event {
            // There is one run, and its direction is told below.
            Event::Started { .. }
            | Event::Finished { .. }
            | Event::Summary(_)
            | Event::Turned { .. } => {}
            Event::Settled { .. } | Event::Depth { .. } => context.emit(|| event.clone()),
            detail => {
                if *turned != Some(self.direction) {
                    *turned = Some(self.direction);
                    context.detail(|| Event::Turned { direction: self.direction });
                }
                context.detail(|| detail.clone());
            }
        }
    }

    fn wants_details(&self) -> bool {
        self.shared.context.events.wants_details()
    }
}
