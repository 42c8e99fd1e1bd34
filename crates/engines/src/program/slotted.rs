//! Lifted PDR for programs with arrays: on the image with slots ([`pedra_program::passes::slots`]),
//! in which a few elements stand for all. A property that is proved for the image is proved for the
//! program, for all positions. A violation of the image may be spurious, and is left to other
//! engines.

use super::{Lifted, ProgramOptions};
use crate::context::{Context, End, Engine, Outcome, Reason};
use crate::events::{Event, Progress};
use crate::ledger::Ledger;
use pedra_model::blast::BlastOptions;
use pedra_model::proof::Proof;
use pedra_program::passes::slots::SlotImage;
use pedra_program::{LowerOptions, Lowered, lower};
use std::sync::Arc;

/// Lifted PDR on a program with slots.
pub struct Slotted {
    lowered: Arc<Lowered>,
    image: SlotImage,
    search: Lifted,
    /// The answers about the image.
    ledger: Arc<Ledger>,
    properties: usize,
}

impl Slotted {
    /// An engine for some properties; `None` if the program has no arrays, or has calls.
    pub fn new(
        lowered: &Arc<Lowered>,
        properties: &[usize],
        options: ProgramOptions,
        blasting: &BlastOptions,
    ) -> Option<Slotted> {
        let image = SlotImage::new(&lowered.blocks)?;
        let inner = Arc::new(lower(&image.program, &LowerOptions::default()).ok()?);
        let search = Lifted::new(inner, properties, options, blasting);
        let search = search.with_positions(image.positions());
        let (ledger, properties) = (Arc::default(), properties.len());
        Some(Slotted { lowered: lowered.clone(), image, search, ledger, properties })
    }

    /// Enters what is proved of the image.
    fn tell(&self, context: &Context) {
        for property in context.open(self.properties) {
            let Outcome::Proved(proof) = self.ledger.outcome(property) else { continue };
            let Proof::Program(proof) = &*proof else { continue };
            context.prove(&[property], self.image.proof(&self.lowered, (**proof).clone()));
        }
    }
}

impl Engine for Slotted {
    fn name(&self) -> &'static str {
        "program"
    }

    fn run(&mut self, context: &Context) -> End {
        let open = context.open(self.properties);
        context.emit(|| Event::Started { engine: "program", open: open.len() });
        for property in (0..self.properties).filter(|property| !open.contains(property)) {
            let known = context.ledger.outcome(property);
            if known.is_settled() {
                self.ledger.settle(&[property], &known);
            }
        }
        let reason = self.search.search(&Context {
            interrupt: context.interrupt.clone(),
            seed: context.seed,
            max_depth: context.max_depth,
            ledger: self.ledger.clone(),
            ..Context::default()
        });
        self.tell(context);
        let open = context.open(self.properties).len();
        context.emit(|| Event::Finished { open, progress: self.progress() });
        // What is safe in the image up to a step is so in the program, but the steps are others.
        let is_over = self.ledger.open(self.properties).is_empty();
        let reason = if is_over { Reason::SettledElsewhere } else { reason };
        End { reason, safe_up_to: None }
    }

    fn progress(&self) -> Progress {
        self.search.progress()
    }
}
