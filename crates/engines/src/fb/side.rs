//! The events of one direction on their way out: tagged with the direction, and answers into the
//! one ledger of both.

use crate::context::{Context, Outcome};
use crate::events::{Direction, Event, EventSink};
use crate::ledger::Ledger;
use std::sync::{Mutex, PoisonError};

/// What both directions tell to.
pub(super) struct Shared<'c> {
    context: &'c Context<'c>,
    state: Mutex<State>,
}

struct State {
    ledger: Ledger,
    /// Whose details were told last.
    turned: Option<Direction>,
}

impl<'c> Shared<'c> {
    pub(super) fn new(context: &'c Context<'c>, ledger: Ledger) -> Shared<'c> {
        Shared { context, state: Mutex::new(State { ledger, turned: None }) }
    }

    pub(super) fn into_ledger(self) -> Ledger {
        self.state.into_inner().unwrap_or_else(PoisonError::into_inner).ledger
    }
}

/// Where the events of one direction go.
pub(super) struct Side<'s, 'c> {
    pub(super) shared: &'s Shared<'c>,
    pub(super) direction: Direction,
}

impl Side<'_, '_> {
    fn settle(&self, state: &mut State, property: usize, outcome: &Outcome) {
        if !state.ledger.is_settled(property) {
            state.ledger.settle(self.shared.context, property, outcome.clone());
        }
    }
}

impl EventSink for Side<'_, '_> {
    fn emit(&self, event: &Event) {
        let context = self.shared.context;
        let mut state = self.shared.state.lock().unwrap_or_else(PoisonError::into_inner);
        match event {
            // There is one run, and its direction is told below.
            Event::Started { .. }
            | Event::Finished { .. }
            | Event::Summary(_)
            | Event::Turned { .. } => {}
            Event::Settled { property, outcome } => self.settle(&mut state, *property, outcome),
            Event::Depth { .. } => context.emit(|| event.clone()),
            detail => {
                if state.turned != Some(self.direction) {
                    state.turned = Some(self.direction);
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
