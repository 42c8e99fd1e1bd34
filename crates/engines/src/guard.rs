//! A defect of one engine is not the end of the others: a panic inside of an engine is caught where
//! there are others to go on, and told as [`Event::Crashed`].
//!
//! Nothing of a crashed engine is used again. What it shares with others is the ledger, whose
//! answers are all checked, and the swept system, which is there as a whole or not at all.

use crate::context::{Context, End, Engine};
use crate::events::Event;
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// What a panic carries.
pub(crate) type Payload = Box<dyn Any + Send>;

/// Runs an engine. If it crashes, that is told to the context's events, and the engine must not be
/// run again.
pub(crate) fn run_guarded(engine: &mut dyn Engine, context: &Context) -> Result<End, Payload> {
    catch_unwind(AssertUnwindSafe(|| engine.run(context))).inspect_err(|payload| {
        let text = text_of(&**payload);
        context.events.emit(&Event::Crashed { engine: engine.name(), text });
    })
}

/// What a panic says.
fn text_of(payload: &(dyn Any + Send)) -> String {
    let text = payload.downcast_ref::<&str>().map(|text| (*text).to_owned());
    let text = text.or_else(|| payload.downcast_ref::<String>().cloned());
    text.unwrap_or_else(|| "no message".to_owned())
}
