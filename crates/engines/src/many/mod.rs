//! Many properties: each by itself, on its own cone, rather than all in one search.
//!
//! - Properties whose cones are isomorphic are decided once (`classes`).
//! - Each is asked about with others assumed ("just assume", DATE 2018; `local`), and local proofs
//!   are joined as soon as they rest on nothing else (`board`).
//! - A proof is tried on the other properties of its cone, a trace on all properties.
//! - Turns: the class that was tried least, with the smallest cone, is next; each attempt may take
//!   four times as long as the last one. So no property waits for a harder one, and all attempts
//!   together take at most 4/3 of the last one. An attempt restarts: keeping the searches of
//!   hundreds of properties would need hundreds of times the memory.
//!
//! Several threads may share the board. Nothing here has to be trusted: every answer is checked.

mod board;
mod classes;
mod cones;
mod local;

use crate::context::{Context, End, Engine, Reason};
use crate::events::{Event, Progress};
use crate::pdr::PdrOptions;
use board::Board;
use classes::Classes;
use cones::Cones;
use local::{Local, LocalProof, Question};
use pedra_model::bits::{BitSystem, Reset};
use pedra_model::eval::bits::BitSimulator;
use pedra_model::trace::BitTrace;
use pedra_model::value::Ternary;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

/// How long a first attempt may take: looks at the interrupt. Tuning only.
const FIRST_LOOKS: u64 = 500;

/// Each attempt may take four times as long as the last one.
const GROWTH: u32 = 2;

/// Making a search costs as much as one look for this many variables of its cone: so attempts on
/// large cones use up a turn soon. Tuning only: without it, 6s207 (33 properties, all on one cone
/// of 35,000 gates) had 5 verdicts after 8 s and not 30.
const VARS_PER_LOOK: usize = 16;

/// At most this many properties are assumed. Tuning only.
const MAX_ASSUMED: usize = 64;

/// What several threads share that decide the properties of a system one by one.
#[derive(Default)]
pub struct Shared(OnceLock<Parts>);

struct Parts {
    classes: Classes,
    cones: Cones,
    board: Mutex<Board>,
}

impl Parts {
    fn new(system: &BitSystem) -> Parts {
        let (classes, cones) = (Classes::new(system), Cones::new(system));
        let ticket = |class: usize| (0, cones.size(classes.members(class)[0]), class);
        let board = Board::new(system.properties().len(), (0..classes.len()).map(ticket));
        Parts { classes, cones, board: Mutex::new(board) }
    }

    fn board(&self) -> MutexGuard<'_, Board> {
        self.board.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Decides the properties of a system one by one.
pub struct Many<'a> {
    system: &'a BitSystem,
    options: PdrOptions,
    shared: Arc<Shared>,
    /// How many attempts there were.
    attempts: u64,
}

impl<'a> Many<'a> {
    /// An engine that shares its work with others of the same system.
    pub fn new(system: &'a BitSystem, options: PdrOptions, shared: Arc<Shared>) -> Many<'a> {
        Many { system, options, shared, attempts: 0 }
    }

    /// Whether properties are worth a search each: if their cones are on average at most half
    /// of the system. Where each has the whole system for its cone, one search for all is better:
    /// 6s207 (33 properties) had 30 verdicts after 8 s by that, and 5 one by one.
    pub fn pays(system: &BitSystem) -> bool {
        let cones = Cones::new(system);
        let count = system.properties().len();
        let all: usize = (0..count).map(|property| cones.size(property)).sum();
        2 * all <= count * system.aig.len()
    }

    /// One class after the other, until nothing is left to try.
    fn search(&mut self, context: &Context, parts: &Parts) -> End {
        let mut end = End::NOTHING_LEFT;
        loop {
            if context.interrupt.poll() {
                return End { reason: Reason::Interrupted, safe_up_to: None };
            }
            let Some(ticket) = parts.board().next() else { return end };
            let (tried, size, class) = ticket;
            let mut open = parts.classes.members(class).iter().filter(|&&p| context.is_open(p));
            let Some(&property) = open.next() else { continue };
            let found = self.ask(context, parts, property, tried);
            let again = match found {
                Local::Violated(trace) => {
                    self.violate(context, parts, &trace);
                    true
                }
                Local::Proved(proof) => {
                    self.prove(context, parts, property, proof);
                    true
                }
                Local::Open(stopped) if context.interrupt.is_raised() => {
                    // The attempt was not over.
                    parts.board().wait(ticket);
                    return End { safe_up_to: None, ..stopped };
                }
                Local::Open(End { reason: Reason::Interrupted, .. }) => true,
                // There is nothing to be gained by another attempt.
                Local::Open(stopped) => {
                    end = End { safe_up_to: None, ..stopped };
                    false
                }
            };
            if again {
                parts.board().wait((tried + 1, size, class));
            }
        }
    }

    /// One attempt at a property.
    fn ask(&mut self, context: &Context, parts: &Parts, property: usize, tried: u32) -> Local {
        self.attempts += 1;
        for _ in 0..parts.cones.size(property) / VARS_PER_LOOK {
            if context.interrupt.poll() {
                return Local::Open(End { reason: Reason::Interrupted, safe_up_to: None });
            }
        }
        let assumed = self.assumed(context, parts, property, tried);
        let question = Question::new(self.system, property, &assumed);
        let looks = FIRST_LOOKS << (GROWTH * tried).min(40);
        let interrupt = context.interrupt.child_with_looks(looks);
        question.run(self.system, self.options, &Context { interrupt, ..context.clone() })
    }

    /// Which properties are assumed. In every other attempt only those that have a proof, be it a
    /// local one: so a property that cannot be decided does not hold up those that would need it.
    fn assumed(&self, context: &Context, parts: &Parts, property: usize, tried: u32) -> Vec<usize> {
        let board = parts.board();
        // A local proof of what others have settled will never be whole: it may be violated.
        let is_assumed = |&other: &usize| {
            let is_candidate = tried.is_multiple_of(2) || board.is_proved(other);
            board.is_whole(other) || is_candidate && context.is_open(other)
        };
        parts.cones.inside(property).filter(is_assumed).take(MAX_ASSUMED).collect()
    }

    /// Keeps a local proof, and enters what is proved by it now.
    fn prove(&self, context: &Context, parts: &Parts, property: usize, proof: LocalProof) {
        let closed = {
            let mut board = parts.board();
            board.keep(property, proof);
            board.close(self.system.aig.len())
        };
        for (set, proof) in closed {
            context.prove(&set, (*proof).clone());
            for &property in &set {
                for other in self.alike(context, parts, property) {
                    let map = parts.classes.find_map(self.system, property, other);
                    if let Some(proof) = map.and_then(|m| m.proof(self.system, &proof, other)) {
                        context.prove(&[other], proof);
                    }
                }
            }
        }
    }

    /// Enters a violation, and those of other properties: on the same path, or alike.
    fn violate(&self, context: &Context, parts: &Parts, trace: &BitTrace) {
        for found in self.violations(context, trace) {
            let property = found.property;
            for other in self.alike(context, parts, property) {
                let Some(map) = parts.classes.find_map(self.system, property, other) else {
                    continue;
                };
                let moved = map.trace(self.system, &found, other);
                debug_assert!(self.is_violation(&moved), "isomorphic cones behave alike");
                context.violate(other, moved);
            }
            context.violate(property, found);
        }
    }

    /// The other open properties of a class.
    fn alike(&self, context: &Context, parts: &Parts, property: usize) -> Vec<usize> {
        let members = parts.classes.members(parts.classes.of(property)).iter().copied();
        members.filter(|&other| other != property && context.is_open(other)).collect()
    }

    /// The first violations of all open properties on a path, that of the trace itself included.
    fn violations(&self, context: &Context, trace: &BitTrace) -> Vec<BitTrace> {
        let filled = self.filled(trace);
        let mut found = vec![filled.clone()];
        let mut open = context.open(self.system.properties().len());
        open.retain(|&property| property != trace.property);
        self.replay(&filled, |step, simulator| {
            open.retain(|&property| {
                let bad = self.system.properties()[property];
                let is_violated = simulator.value(bad) == Ternary::True;
                if is_violated {
                    let inputs = filled.inputs[..=step].to_vec();
                    found.push(BitTrace { property, inputs, ..filled.clone() });
                }
                !is_violated
            });
        });
        found
    }

    /// The same path with every choice made: what is open is 0, but latches that have a reset get
    /// their values from it.
    fn filled(&self, trace: &BitTrace) -> BitTrace {
        let zero = |value: &mut Ternary| {
            if *value == Ternary::Unknown {
                *value = Ternary::False;
            }
        };
        let mut filled = trace.clone();
        filled.inputs.iter_mut().flatten().for_each(zero);
        for (latch, value) in self.system.latches.iter().zip(&mut filled.initial) {
            if latch.reset == Reset::Free {
                zero(value);
            }
        }
        filled
    }

    /// Whether a path ends with a violation of its property.
    fn is_violation(&self, trace: &BitTrace) -> bool {
        let (bad, mut is_violation) = (self.system.properties()[trace.property], false);
        self.replay(trace, |_, simulator| is_violation = simulator.value(bad) == Ternary::True);
        is_violation
    }

    /// Walks along a path.
    fn replay(&self, trace: &BitTrace, mut look: impl FnMut(usize, &BitSimulator<'_>)) {
        let Ok(mut simulator) = BitSimulator::new(self.system) else { return };
        if simulator.start(&trace.initial, &trace.inputs[0]).is_err() {
            return;
        }
        look(0, &simulator);
        for (step, inputs) in trace.inputs.iter().enumerate().skip(1) {
            simulator.step(inputs);
            look(step, &simulator);
        }
    }
}

impl Engine for Many<'_> {
    fn name(&self) -> &'static str {
        "many"
    }

    fn run(&mut self, context: &Context) -> End {
        let properties = self.system.properties().len();
        let open = context.open(properties).len();
        context.emit(|| Event::Started { engine: "many", open });
        let shared = self.shared.clone();
        let parts = shared.0.get_or_init(|| Parts::new(self.system));
        let end = self.search(context, parts);
        let open = context.open(properties).len();
        context.emit(|| Event::Finished { open, progress: self.progress() });
        end
    }

    fn progress(&self) -> Progress {
        Progress { queries: self.attempts, ..Progress::default() }
    }
}
