//! Bounded model checking of a system with large arrays.

use super::exact::{Exact, Found};
use crate::context::{Context, End, Engine, Reason};
use crate::events::{Event, Progress};
use pedra_model::blast::BlastOptions;
use pedra_model::slots::WithArrays;
use pedra_model::system::System;

/// Looks for a violation of the system's only property, one step deeper at a time.
pub struct ArrayBmc {
    exact: Exact,
    next: usize,
}

impl ArrayBmc {
    /// An engine that has not looked at any step yet.
    pub fn new(system: &System, blasting: &BlastOptions) -> ArrayBmc {
        ArrayBmc { exact: Exact::new(WithArrays::new(system, blasting), blasting), next: 0 }
    }
}

impl Engine for ArrayBmc {
    fn name(&self) -> &'static str {
        "bmc"
    }

    fn run(&mut self, context: &Context) -> End {
        context.emit(|| Event::Started { engine: self.name(), open: context.open(1).len() });
        let reason = loop {
            if !context.is_open(0) {
                return End::NOTHING_LEFT;
            }
            if context.is_beyond_limit(self.next) {
                break Reason::DepthLimit;
            }
            match self.exact.check(0, self.next, context) {
                Ok(Found::Violation(trace)) => {
                    context.violate(0, trace);
                    return End::NOTHING_LEFT;
                }
                Ok(Found::Nothing(_)) => self.next += 1,
                Ok(Found::Stopped) => break Reason::Interrupted,
                Err(_) => break Reason::Unsupported("the circuit of the steps is too large"),
            }
        };
        End { reason, safe_up_to: self.next.checked_sub(1) }
    }

    fn progress(&self) -> Progress {
        Progress { depth: self.next, queries: self.exact.queries, ..Progress::default() }
    }
}
