//! Decides properties, for every command, the fuzzers and users of the library. Engines run on
//! systems derived from the model. Each answer is translated back to the model as read from the
//! file and checked there before the observer is notified.

use crate::answer::{Checked, NotChecked, check_answer};
use crate::arrays;
use crate::lineup::{Ground, OnBits, OnWords, Others};
use crate::live::{Asked, Source, Ways, engines, questions};
use crate::open::{Open, SafeUpTo};
use crate::pipeline::{Prepared, Split, split_by_arrays, words_of};
use crate::plan::Plan;
use crate::watched::Bounds;
use pedra_certify::{BoundLimits, CheckOptions, check_bound};
use pedra_engines::portfolio::{Crew, race};
use pedra_engines::{
    Context, End, Engine, Event, EventSink, Exchange, Ledger, NoEvents, Outcome, Reason, Room,
    SweepOptions,
};
use pedra_model::Model;
use pedra_model::back::Passes;
use pedra_model::blast::BlastOptions;
use pedra_model::property::Property;
use pedra_solve::Interrupt;
use std::sync::{Arc, OnceLock, mpsc};

/// An answer failed its own check.
#[derive(Debug, thiserror::Error)]
#[error("internal error: {0}; this is a bug in pedra, and no verdict is given")]
pub struct InternalError(pub String);

/// Hears what happens, from several threads.
pub trait Observer: Sync {
    /// What can go wrong in telling it.
    type Error: From<InternalError>;

    /// An engine emits an event.
    fn hear(&self, engine: usize, name: &'static str, event: &Event) {
        let _ = (engine, name, event);
    }

    /// Whether details are wanted, see [`EventSink::wants_details`].
    fn wants_details(&self) -> bool {
        false
    }

    /// An engine has failed because of a bug; the others continue.
    ///
    /// # Panics
    /// Unless it is overridden, so that a caller cannot overlook bugs.
    fn crashed(&self, engine: &'static str, text: &str) {
        panic!("engine {engine} has failed: {text}");
    }

    /// Where the engines at work can be seen and dropped, if that is wanted.
    fn crew(&self) -> Option<&Crew> {
        None
    }

    /// Where engines share lemmas with other processes, if they do.
    fn exchange(&self) -> Option<&Exchange> {
        None
    }

    /// Bit-level engines are about to work on this; what they tell next is about it.
    fn prepared(&self, prepared: &Prepared<'_>) {
        let _ = prepared;
    }

    /// An engine says that no path violates the property in any step up to this one.
    fn safe_until(&self, property: usize, step: usize) {
        let _ = (property, step);
    }

    /// A property is settled and its answer checked.
    ///
    /// # Errors
    /// Whatever went wrong in telling it; ends the run.
    fn settled(
        &self,
        property: usize,
        engine: &'static str,
        answer: &Checked,
    ) -> Result<(), Self::Error>;

    /// A property stays open.
    fn open(&self, property: usize, why: Open, safe: Option<SafeUpTo>);
}

/// Answers on their way from the engines to their check.
struct Settled {
    positions: Vec<usize>,
    engine: &'static str,
    outcome: Outcome,
}

/// What answers are about, as read.
pub(crate) trait Subject: Sync {
    /// Checks an answer of an engine. Unknown outcomes give nothing.
    fn check(
        &self,
        engine: &'static str,
        outcome: &Outcome,
        options: &CheckOptions,
    ) -> Option<Result<Checked, NotChecked>>;

    /// What a property is called.
    fn property(&self, property: usize) -> Property {
        Property::Bad(property)
    }

    /// How many steps of a bound are confirmed; see [`check_bound`].
    ///
    /// # Errors
    /// In words, if the bound is wrong.
    fn check_bound(
        &self,
        open: &[usize],
        last: usize,
        limits: BoundLimits,
        options: &CheckOptions,
    ) -> Result<Option<usize>, String>;
}

/// A model in bits or words.
struct OfModel<'a> {
    model: &'a Model,
    blasting: &'a BlastOptions,
}

impl Subject for OfModel<'_> {
    fn check(
        &self,
        _: &'static str,
        outcome: &Outcome,
        options: &CheckOptions,
    ) -> Option<Result<Checked, NotChecked>> {
        check_answer(self.model, outcome, self.blasting, options)
    }

    fn property(&self, property: usize) -> Property {
        self.model.property(property)
    }

    fn check_bound(
        &self,
        open: &[usize],
        last: usize,
        limits: BoundLimits,
        options: &CheckOptions,
    ) -> Result<Option<usize>, String> {
        check_bound(self.model, open, last, self.blasting, limits, options)
            .map_err(|error| error.to_string())
    }
}

/// Decides the selected properties of a model.
///
/// # Errors
/// An [`InternalError`] if an answer failed its check, or what the observer could not do.
pub fn decide<O: Observer>(
    model: &Model,
    selected: &[usize],
    plan: &Plan,
    interrupt: &Interrupt,
    observer: &O,
) -> Result<(), O::Error> {
    let subject = OfModel { model, blasting: &plan.blast };
    decide_about(&subject, model, selected, plan, interrupt, observer)
}

/// The same; answers are about this subject.
pub(crate) fn decide_about<S: Subject, O: Observer>(
    subject: &S,
    model: &Model,
    selected: &[usize],
    plan: &Plan,
    interrupt: &Interrupt,
    observer: &O,
) -> Result<(), O::Error> {
    let is_bad = |property: &usize| matches!(model.property(*property), Property::Bad(_));
    let (bads, sets): (Vec<usize>, Vec<usize>) = selected.iter().partition(|p| is_bad(p));
    let Split { fit: mut selected, large, hopeless } = split_by_arrays(model, &bads, &plan.blast);
    for (property, error) in hopeless {
        observer.open(property, Open::NotBits(error), None);
    }
    let bads = selected.len();
    // Properties of large arrays and justice sets come after the bads, which engines know by their
    // positions.
    let mut with_arrays = Vec::new();
    if let Model::Words(system) = model {
        for (property, _) in large {
            with_arrays.push(arrays::Source::new(system, property, selected.len()));
            selected.push(property);
        }
    }
    let array_passes: Vec<Passes<'_>> = with_arrays.iter().map(arrays::Source::passes).collect();
    let mut sources = Vec::new();
    for property in sets {
        match Source::new(model, property, selected.len(), plan) {
            Ok(source) => {
                sources.push(source);
                selected.push(property);
            }
            Err(error) => observer.open(property, Open::NotBits(error.to_string()), None),
        }
    }
    let bounds = Bounds::default();
    let run = Run {
        subject,
        selected: &selected,
        bads,
        bounds: Some(&bounds),
        plan,
        interrupt,
        observer,
    };
    let asked = sources.iter().flat_map(|source| questions(source, plan, interrupt));
    let asked: Vec<Asked<'_>> = asked.collect();
    let ways: Vec<OnceLock<Ways<'_>>> = asked.iter().map(|_| OnceLock::new()).collect();
    let mut alone = engines(&asked, &ways, plan.threads, selected.len());
    alone.extend(arrays::engines(&with_arrays, &array_passes, plan, &bounds, selected.len()));
    run.on_system(model, Others { alone, ..Others::default() })
}

/// A run: engines on threads of their own, checks on the caller's.
pub(crate) struct Run<'a, S, O> {
    /// What answers are about.
    pub(crate) subject: &'a S,
    /// The properties that are decided. Engines and the ledger know them by position here.
    pub(crate) selected: &'a [usize],
    /// How many of them, the first ones, are properties of the system; the others are decided by
    /// other engines alone.
    pub(crate) bads: usize,
    /// How far the others are safe.
    pub(crate) bounds: Option<&'a Bounds>,
    pub(crate) plan: &'a Plan,
    pub(crate) interrupt: &'a Interrupt,
    pub(crate) observer: &'a O,
}

impl<S: Subject, O: Observer> Run<'_, S, O> {
    /// Decides the properties by the engines for systems on this one, which is the subject or was
    /// made of it, and by others, which work on the subject itself.
    pub(crate) fn on_system<'e>(
        &self,
        model: &'e Model,
        others: Others<'e>,
    ) -> Result<(), O::Error> {
        let Run { plan, interrupt, observer, .. } = *self;
        let selected = &self.selected[..self.bads];
        if selected.is_empty() {
            return if others.alone.is_empty() { Ok(()) } else { self.run(others.alone) };
        }
        let words = words_of(model, selected, plan);
        let bits = match (model, &words) {
            (Model::Bits(system), _) => Some(Ok(Prepared::of_bits(system, selected, &plan.reduce))),
            (_, Some(_)) if plan.is_for_words() => None,
            (_, Some(words)) => Some(Prepared::of_words(words, &plan.blast, &plan.reduce)),
            (Model::Words(_), None) => unreachable!("a model in words has some"),
        };
        let bits = match bits {
            Some(Err(error)) => {
                if !others.alone.is_empty() {
                    return self.run(others.line_up(plan, self.selected.len()));
                }
                for &property in selected {
                    observer.open(property, Open::NotBits(error.to_string()), None);
                }
                return Ok(());
            }
            Some(Ok(bits)) => Some(bits),
            None => None,
        };
        let bits = bits.map(|bits| match &plan.sweep {
            Some(sweep) => {
                let sweep = SweepOptions { seed: plan.seed, ..*sweep };
                bits.sweep(&sweep, &plan.reduce, interrupt)
            }
            None => bits,
        });
        if let Some(bits) = &bits {
            observer.prepared(bits);
        }
        let word_passes = words.as_ref().map(|words| words.passes());
        let bit_passes = bits.as_ref().map(Prepared::passes);
        let room = Room::default();
        // With one thread, engines take turns, and runs are the same with and without it.
        let own = (plan.exchange && plan.threads > 1).then(Exchange::new);
        let exchange = observer.exchange().or(own.as_ref());
        let ground = Ground {
            bits: bits.as_ref().zip(bit_passes.as_ref()).map(|(bits, passes)| {
                let (system, equal) = (bits.system(), bits.equal());
                OnBits { system, passes, equal, room: &room, exchange }
            }),
            words: words.as_ref().zip(word_passes.as_ref()).map(|(words, passes)| {
                let system = words.system();
                OnWords { system, passes }
            }),
            properties: self.selected.len(),
        };
        if self.bads < self.selected.len() {
            // Each kind has a thread of its own: neither waits for the other.
            let engines = ground.line_up(plan, Others::default());
            return self.run(others.alone.into_iter().chain(engines).collect());
        }
        self.run(ground.line_up(plan, others))
    }

    /// Decides the properties by these engines.
    pub(crate) fn run(&self, engines: Vec<Box<dyn Engine + '_>>) -> Result<(), O::Error> {
        let ledger = Arc::default();
        let end = self.search(engines, &ledger)?;
        self.tell_open(end, &ledger)
    }

    /// Lets the engines run, and checks each answer as it comes. Gives how they ended.
    fn search(
        &self,
        mut engines: Vec<Box<dyn Engine + '_>>,
        ledger: &Arc<Ledger>,
    ) -> Result<End, O::Error> {
        let (sender, receiver) = mpsc::channel();
        let stop = self.interrupt.child();
        let nobody = Crew::default();
        let crew = self.observer.crew().unwrap_or(&nobody);
        let context = Context {
            interrupt: stop.clone(),
            events: if self.observer.wants_details() { &Details } else { &NoEvents },
            seed: self.plan.seed,
            solver: self.plan.solver.unwrap_or_default(),
            max_depth: self.plan.depth,
            ledger: ledger.clone(),
            ..Context::default()
        };
        std::thread::scope(|scope| {
            let run = || {
                let sender = sender;
                let hear = |engine: usize, name: &'static str, event: &Event| {
                    self.hear(engine, name, event, &sender, ledger);
                };
                race(&mut engines, self.selected.len(), &context, &hear, crew)
            };
            let Ok(engines) = std::thread::Builder::new().spawn_scoped(scope, run) else {
                let reason = Reason::Unsupported("no thread could be started");
                return Ok(End { reason, safe_up_to: None });
            };
            let mut failure = Ok(());
            for settled in receiver {
                let told = if failure.is_ok() { self.check(settled) } else { Ok(()) };
                if told.is_err() {
                    failure = told;
                    stop.raise();
                }
            }
            let end = engines.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            failure.map(|()| end)
        })
    }

    /// An engine says something, from its thread.
    fn hear(
        &self,
        engine: usize,
        name: &'static str,
        event: &Event,
        sender: &mpsc::Sender<Settled>,
        ledger: &Ledger,
    ) {
        self.observer.hear(engine, name, event);
        match event {
            Event::Crashed { engine, text } => self.observer.crashed(engine, text),
            Event::Settled { properties, outcome } => {
                let (positions, outcome) = (properties.clone(), outcome.clone());
                // The receiver is gone only if the run has failed already.
                let _ = sender.send(Settled { positions, engine: name, outcome });
            }
            Event::Depth { depth, .. } => {
                let Some(step) = depth.checked_sub(1) else { return };
                // An engine goes deeper without what the ledger has settled: it says nothing
                // about that.
                for position in ledger.open(self.bads) {
                    self.observer.safe_until(self.selected[position], step);
                }
            }
            _ => {}
        }
    }

    /// Checks an answer, once for all properties that it settles, and tells it.
    fn check(&self, settled: Settled) -> Result<(), O::Error> {
        let Settled { positions, engine, outcome } = settled;
        let options = self.plan.check_options(engine, self.interrupt);
        let checked = self.subject.check(engine, &outcome, &options);
        for property in positions.into_iter().map(|position| self.selected[position]) {
            let open = |why: Open| self.observer.open(property, why, None);
            match &checked {
                None => {}
                // *Required for soundness*: what was checked is about the properties that the
                // answer names.
                Some(Ok(answer)) if !answer.is_about(property) => {
                    let property = self.subject.property(property);
                    let text = format!("{engine}, property {property}: the answer is about others");
                    return Err(InternalError(text).into());
                }
                Some(Ok(answer)) => self.observer.settled(property, engine, answer)?,
                Some(Err(NotChecked::Stopped)) => open(Open::CheckStopped),
                Some(Err(NotChecked::NotCheckable(why))) => open(Open::NotCheckable(why.clone())),
                Some(Err(NotChecked::Undefined(what))) => open(Open::Undefined(what.clone())),
                Some(Err(NotChecked::Bounded)) => open(Open::Bounded),
                Some(Err(NotChecked::Wrong(text))) => {
                    let property = self.subject.property(property);
                    let text = format!("{engine}, property {property}: {text}");
                    return Err(InternalError(text).into());
                }
            }
        }
        Ok(())
    }

    /// Tells of what is open, and how far it is safe.
    fn tell_open(&self, end: End, ledger: &Ledger) -> Result<(), O::Error> {
        let open = ledger.open(self.selected.len());
        let (open, sets): (Vec<usize>, Vec<usize>) =
            open.into_iter().partition(|&position| position < self.bads);
        for position in sets {
            let property = self.selected[position];
            let claimed = self.bounds.and_then(|bounds| bounds.get(position));
            let safe = match claimed {
                None => None,
                Some(claimed) => {
                    self.observer.safe_until(property, claimed);
                    Some(SafeUpTo { claimed, checked: self.check_bound(&[property], claimed)? })
                }
            };
            self.observer.open(property, Open::Engines(end.reason), safe);
        }
        let open: Vec<usize> = open.into_iter().map(|position| self.selected[position]).collect();
        if open.is_empty() {
            return Ok(());
        }
        let safe = match self.bound_to_check(end) {
            None => None,
            Some(claimed) => {
                let checked = self.check_bound(&open, claimed)?;
                Some(SafeUpTo { claimed, checked })
            }
        };
        for property in open {
            if let Some(claimed) = end.safe_up_to {
                self.observer.safe_until(property, claimed);
            }
            self.observer.open(property, Open::Engines(end.reason), safe);
        }
        Ok(())
    }

    /// The last step that the engines say is safe. If they say that all are, it is the last one
    /// that was asked for.
    fn bound_to_check(&self, end: End) -> Option<usize> {
        match end.reason {
            Reason::Exhausted(_) => self.plan.depth.max(end.safe_up_to),
            _ => end.safe_up_to,
        }
    }

    /// How much of a bound another solver confirms.
    fn check_bound(&self, open: &[usize], last: usize) -> Result<Option<usize>, O::Error> {
        if self.interrupt.is_raised() {
            return Ok(None);
        }
        let (limits, options) = self.plan.bound_check(self.interrupt);
        let engine = self.plan.engine;
        self.subject.check_bound(open, last, limits, &options).map_err(|error| {
            let text = format!("{}: no violation up to step {last}: {error}", engine.text());
            InternalError(text).into()
        })
    }
}

/// Nothing is heard here, but details are wanted: events go to the observer.
struct Details;

impl EventSink for Details {
    fn emit(&self, _: &Event) {}

    fn wants_details(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests;
