//! What every engine is given and what it answers.
//!
//! An engine is a value with one verb, [`Engine::run`]. It runs until every property is
//! settled, a limit is reached or the interrupt is raised, and may then be run again: it goes
//! on where it was. Each answer is entered in the context's [`Ledger`] at the moment it is found
//! ([`Context::prove`], [`Context::violate`]); what the run returns is only why it ended.
//!
//! An engine may work on a system that was derived from another one, by an outer engine or
//! by its caller. The context then knows the [`Way`] back: answers are carried along
//! it before they are entered, and what is open is looked up through it.

use crate::events::{Event, EventSink, NoEvents, Progress};
use crate::exchange::Exchange;
use crate::ledger::Ledger;
use pedra_model::back::{Back, Passes};
use pedra_model::proof::Proof;
use pedra_model::trace::Trace;
use pedra_solve::cadical::Preset;
use pedra_solve::{Cadical, CadicalConfig, Interrupt, SatSolver, SolverKind, new_solver};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// What surrounds a run: limits, the way to stop it, and where its answers and events go.
#[derive(Clone)]
pub struct Context<'a> {
    /// Stops the run when raised; what is open then stays open.
    pub interrupt: Interrupt,
    /// Receives what happens.
    pub events: &'a dyn EventSink,
    /// Seeds every random choice. The same seed gives the same run.
    pub seed: u64,
    /// The solver to use, where an engine leaves the choice. Takes effect in the first run.
    pub solver: SolverKind,
    /// The last step at which violations are looked for; `None` for no limit. For k-induction
    /// it bounds the base case, for PDR the frames. A later run may raise it.
    pub max_depth: Option<usize>,
    /// The answers of this run, shared by all engines that take part.
    pub ledger: Arc<Ledger>,
    /// From the engine's properties and answers to those of the ledger.
    pub way: Way<'a>,
    /// Where engines share lemmas, if they do.
    pub exchange: Option<&'a Exchange>,
}

/// From an engine's system to the one that the ledger is about; the default is that it is the
/// same.
#[derive(Copy, Clone, Default)]
pub struct Way<'a>(Option<&'a Link<'a>>);

/// One derived system on the way.
pub struct Link<'a> {
    outer: Way<'a>,
    passes: &'a Passes<'a>,
    /// The outer number of each property, if it is another one.
    numbers: Option<&'a [usize]>,
    /// Properties that are equal.
    equal: Option<&'a EqualProperties>,
}

impl<'a> Link<'a> {
    /// A system that was derived by these passes within the context.
    pub fn new(context: &Context<'a>, passes: &'a Passes<'a>) -> Link<'a> {
        Link { outer: context.way, passes, numbers: None, equal: None }
    }

    /// Its property `i` is number `numbers[i]` outside.
    pub fn with_numbers(self, numbers: &'a [usize]) -> Link<'a> {
        Link { numbers: Some(numbers), ..self }
    }

    /// Some of its properties are equal: only the first of each kind is to be decided.
    pub fn with_equal(self, equal: &'a EqualProperties) -> Link<'a> {
        Link { equal: Some(equal), ..self }
    }

    fn number(&self, property: usize) -> usize {
        self.numbers.map_or(property, |numbers| numbers[property])
    }

    /// The properties that are decided together with this one, itself included.
    fn decided_with(&self, property: usize) -> Vec<usize> {
        match self.equal {
            Some(equal) => equal.members[property].clone(),
            None => vec![property],
        }
    }
}

/// Which properties of a system are the same.
#[derive(Clone, Debug, Default)]
pub struct EqualProperties {
    /// For the first of each kind all of the kind, itself included; nothing for the others.
    members: Vec<Vec<usize>>,
}

impl EqualProperties {
    /// Properties with the same key are the same.
    pub fn by_key<K: std::hash::Hash + Eq>(keys: impl IntoIterator<Item = K>) -> EqualProperties {
        let mut first: FxHashMap<K, usize> = FxHashMap::default();
        let mut members: Vec<Vec<usize>> = Vec::new();
        for (property, key) in keys.into_iter().enumerate() {
            members.push(Vec::new());
            members[*first.entry(key).or_insert(property)].push(property);
        }
        EqualProperties { members }
    }
}

impl Way<'_> {
    fn is_open(self, ledger: &Ledger, property: usize) -> bool {
        let Some(link) = self.0 else { return ledger.is_open(property) };
        let is_open = |p: usize| link.outer.is_open(ledger, link.number(p));
        match link.equal {
            Some(equal) => equal.members[property].iter().any(|&p| is_open(p)),
            None => is_open(property),
        }
    }

    /// A proof of these properties, as one of the ledger's.
    fn proof(self, properties: Vec<usize>, mut proof: Proof) -> (Vec<usize>, Proof) {
        let Some(link) = self.0 else { return (properties, proof) };
        let properties = match link.equal {
            None => properties,
            Some(_) => {
                let all = |list: &[usize]| -> Vec<usize> {
                    list.iter().flat_map(|&p| link.decided_with(p)).collect()
                };
                proof.set_properties(all(proof.properties()));
                all(&properties)
            }
        };
        let numbers = properties.into_iter().map(|p| link.number(p)).collect();
        link.outer.proof(numbers, link.passes.proof(proof))
    }

    /// A violation of a property, as violations of the ledger's.
    fn traces(self, property: usize, trace: Trace) -> Vec<(usize, Trace)> {
        let Some(link) = self.0 else { return vec![(property, trace)] };
        let one = |member: usize| {
            let mut trace = trace.clone();
            if member != property {
                trace.set_property(member);
            }
            link.outer.traces(link.number(member), link.passes.trace(trace))
        };
        link.decided_with(property).into_iter().flat_map(one).collect()
    }
}

impl Default for Context<'_> {
    fn default() -> Self {
        Context {
            interrupt: Interrupt::new(),
            events: &NoEvents,
            seed: 0,
            solver: SolverKind::default(),
            max_depth: None,
            ledger: Arc::default(),
            way: Way::default(),
            exchange: None,
        }
    }
}

impl<'a> Context<'a> {
    /// The context of an engine on a derived system.
    pub fn through<'b>(&self, link: &'b Link<'b>) -> Context<'b>
    where
        'a: 'b,
    {
        Context { way: Way(Some(link)), ..self.clone() }
    }

    /// Whether the property still needs work.
    pub fn is_open(&self, property: usize) -> bool {
        self.way.is_open(&self.ledger, property)
    }

    /// Those of an engine's `properties` properties that still need work, in order.
    pub fn open(&self, properties: usize) -> Vec<usize> {
        match self.way.0 {
            None => self.ledger.open(properties),
            Some(_) => (0..properties).filter(|&property| self.is_open(property)).collect(),
        }
    }

    /// Enters a proof of these properties, and says so; nothing happens if all have an answer.
    pub fn prove(&self, properties: &[usize], proof: impl Into<Proof>) {
        let (properties, proof) = self.way.proof(properties.to_vec(), proof.into());
        self.settle(&properties, Outcome::Proved(Arc::new(proof)));
    }

    /// Enters a violation of a property, and says so; nothing happens if it has an answer.
    pub fn violate(&self, property: usize, trace: impl Into<Trace>) {
        for (property, trace) in self.way.traces(property, trace.into()) {
            self.settle(&[property], Outcome::Violated(trace));
        }
    }

    /// The book comes first: who hears of it may look there for what is open.
    fn settle(&self, properties: &[usize], outcome: Outcome) {
        let properties = self.ledger.settle(properties, &outcome);
        if !properties.is_empty() {
            self.emit(|| Event::Settled { properties, outcome });
        }
    }

    /// Emits the event that `make` builds; without a listener it is not even built.
    #[inline]
    pub fn emit(&self, make: impl FnOnce() -> Event) {
        if self.events.is_listening() {
            self.events.emit(&make());
        }
    }

    /// The same for one of the many events of the second rank.
    #[inline]
    pub fn detail(&self, make: impl FnOnce() -> Event) {
        if self.events.wants_details() {
            self.events.emit(&make());
        }
    }

    /// A new solver of the chosen kind that listens to the interrupt. The preset and
    /// the number for random choices are for CaDiCaL; the others have none.
    pub fn new_solver(&self, preset: Preset) -> Box<dyn SatSolver> {
        let mut solver: Box<dyn SatSolver> = match self.solver {
            SolverKind::Cadical => {
                // Only the lower half of the number fits.
                let config =
                    CadicalConfig { seed: self.seed as u32, ..CadicalConfig::preset(preset) };
                Box::new(Cadical::new(config))
            }
            kind => new_solver(kind),
        };
        solver.set_interrupt(self.interrupt.clone());
        solver
    }

    /// Whether `depth` is beyond the limit.
    pub fn is_beyond_limit(&self, depth: usize) -> bool {
        self.max_depth.is_some_and(|max| depth > max)
    }
}

/// An algorithm at work on one system.
pub trait Engine: Send {
    /// Its name, as in `--engine`.
    fn name(&self) -> &'static str;

    /// Works until everything is settled, a limit is reached, or the interrupt is raised.
    fn run(&mut self, context: &Context) -> End;

    /// Where it is now, for a status line.
    fn progress(&self) -> Progress;
}

/// An engine that continues after the search that it is lent to.
impl<E: Engine + ?Sized> Engine for &mut E {
    fn name(&self) -> &'static str {
        (**self).name()
    }

    fn run(&mut self, context: &Context) -> End {
        (**self).run(context)
    }

    fn progress(&self) -> Progress {
        (**self).progress()
    }
}

/// The answer for one property.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// It holds, and this is why.
    Proved(Arc<Proof>),
    /// It does not hold, and this path shows it.
    Violated(Trace),
    /// Neither was found.
    Unknown,
}

/// How a run ended, for the properties that it left open.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct End {
    /// Why it ended.
    pub reason: Reason,
    /// `Some(n)`: no path violates an open property at any of the steps `0..=n`. Each of them was
    /// looked at, or lies beyond the last one that can hold a shortest violation. `None`:
    /// not even step 0 was.
    pub safe_up_to: Option<usize>,
}

/// Why a run ended.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Hash)]
pub enum Reason {
    /// The interrupt was raised.
    Interrupted,
    /// [`Context::max_depth`] was reached.
    DepthLimit,
    /// A limit on work, other than time and depth, was reached.
    Budget,
    /// No violation lies before this step, and a shortest one cannot lie at it or later:
    /// either the constraints end all paths before, or there are no more states to visit.
    /// The property holds, but the engine has no invariant to prove it with.
    Exhausted(usize),
    /// Nothing is open, or what is is left to others.
    SettledElsewhere,
    /// The engine cannot handle the system; the text says what it lacks.
    Unsupported(&'static str),
}

/// An answer without its evidence.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Hash)]
pub enum Verdict {
    /// The property holds.
    Proved,
    /// The property does not hold.
    Violated,
    /// Not settled.
    Unknown,
}

impl Outcome {
    /// The answer without its evidence.
    pub fn verdict(&self) -> Verdict {
        match self {
            Outcome::Proved(_) => Verdict::Proved,
            Outcome::Violated(_) => Verdict::Violated,
            Outcome::Unknown => Verdict::Unknown,
        }
    }

    /// Whether the property is proved or violated.
    pub fn is_settled(&self) -> bool {
        self.verdict() != Verdict::Unknown
    }
}

impl End {
    /// Nothing is open any more, or all of it is left to others.
    pub const NOTHING_LEFT: End = End { reason: Reason::SettledElsewhere, safe_up_to: None };

    /// Of several ends of runs on the same system the one that says most.
    pub(crate) fn best(ends: impl IntoIterator<Item = End>) -> End {
        let mut best = End::NOTHING_LEFT;
        for end in ends {
            // A run that leaves it to others has nothing to say.
            if end.reason != Reason::SettledElsewhere && end.safe_up_to >= best.safe_up_to {
                best = end;
            }
        }
        best
    }
}
