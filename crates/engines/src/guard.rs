//! A bug in one engine does not end the others: a panic of an engine is caught if others can
//! continue, and reported as [`Event::Crashed`].
//!
//! Nothing of a crashed engine is used again. It shares with others only the ledger, whose answers
//! are all checked, and the swept system, which is either complete or absent.

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
