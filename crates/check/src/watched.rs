//! Engines that decide one property, on a system made for it.

use pedra_engines::events::{Event, EventSink, Progress};
use pedra_engines::{Context, End, Engine, Link};
use pedra_model::back::Passes;
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

/// An engine for one property. What it tells about depths is about that property alone, and not
/// passed on.
pub(crate) struct Watched<'a> {
    pub(crate) engine: Box<dyn Engine + 'a>,
    /// The way back to the model.
    pub(crate) passes: &'a Passes<'a>,
    /// Where the answer goes: a position among the selected properties.
    pub(crate) position: [usize; 1],
    /// Where to note how far the property is safe, if that is about the model.
    pub(crate) bounds: Option<&'a Bounds>,
}

/// How far properties are safe, each by itself: the last step, by position.
#[derive(Default)]
pub(crate) struct Bounds(Mutex<BTreeMap<usize, usize>>);

impl Bounds {
    fn note(&self, position: usize, step: usize) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let known = all.entry(position).or_insert(step);
        *known = step.max(*known);
    }

    /// The last step that is safe.
    pub(crate) fn get(&self, position: usize) -> Option<usize> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get(&position).copied()
    }
}

struct Filter<'a>(&'a dyn EventSink);

impl EventSink for Filter<'_> {
    fn emit(&self, event: &Event) {
        if !matches!(event, Event::Depth { .. }) {
            self.0.emit(event);
        }
    }

    fn is_listening(&self) -> bool {
        self.0.is_listening()
    }
}

impl Engine for Watched<'_> {
    fn name(&self) -> &'static str {
        self.engine.name()
    }

    fn run(&mut self, context: &Context) -> End {
        if !context.is_open(self.position[0]) {
            return End::NOTHING_LEFT;
        }
        let link = Link::new(context, self.passes).with_numbers(&self.position);
        let events = Filter(context.events);
        let context = Context { events: &events, ..context.clone() };
        let end = self.engine.run(&context.through(&link));
        if let (Some(bounds), Some(step)) = (self.bounds, end.safe_up_to) {
            bounds.note(self.position[0], step);
        }
        End { safe_up_to: None, ..end }
    }

    fn progress(&self) -> Progress {
        self.engine.progress()
    }
}
