//! Random programs through the whole way from program to verdict, with every engine, against
//! explicit search on the interpreter.

use crate::{CONTENDERS, MAX_LOOKS, case, plain, random_options};
use pedra_check::{
    EngineName, InternalError, Open, Plan, ProgramChecked, ProgramObserver, ProgramOpen, SafeUpTo,
    decide_program,
};
use pedra_engines::Reason;
use pedra_program::recursion::Components;
use pedra_program::{Action, Program};
use pedra_solve::Interrupt;
use pedra_testkit::programs::{ExploredProgram, ProgramShape, explore_program, random_program};
use pedra_testkit::random::Random;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;

/// What was said of the properties.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub struct Verdicts {
    /// Proved.
    pub proved: u64,
    /// Violated by a defined run.
    pub violated: u64,
    /// Left open, where that is right.
    pub open: u64,
}

impl std::ops::AddAssign for Verdicts {
    fn add_assign(&mut self, other: Verdicts) {
        self.proved += other.proved;
        self.violated += other.violated;
        self.open += other.open;
    }
}

/// Random programs against the oracle: one of bit-vectors through one engine and through lifted
/// PDR, and one of integers through one engine. Programs that are too large for the oracle are
/// skipped.
///
/// # Panics
/// If anything disagrees.
pub fn differential_program(seed: u64) -> Verdicts {
    let mut random = Random::new(seed);
    let shape = ProgramShape {
        procedures: random.between(1, 3),
        arrays: random.one_in(2),
        recursion: random.one_in(5),
        bits: random.between(3, 6) as u32,
        ..ProgramShape::default()
    };
    let program = random_program(&mut random, shape);
    let contenders: Vec<_> = CONTENDERS.into_iter().chain([plain(EngineName::Wpdr)]).collect();
    let contender = random.pick(&contenders);
    let options = random_options(&mut random, contender);
    let mut verdicts = compare(seed, &program, &options);
    let options = random_options(&mut random, plain(EngineName::Program));
    verdicts += compare(seed, &program, &options);
    verdicts += differential_integers(seed);
    verdicts
}

/// A random program with integers through one engine, against the oracle.
///
/// # Panics
/// If anything disagrees.
pub fn differential_integers(seed: u64) -> Verdicts {
    let mut random = Random::new(seed);
    let shape = ProgramShape {
        procedures: random.between(1, 2),
        integers: true,
        recursion: random.one_in(20),
        bits: random.between(2, 5) as u32,
        ..ProgramShape::default()
    };
    let program = random_program(&mut random, shape);
    use EngineName::{Auto, Bmc, Kind, Program};
    let engine = random.pick(&[Program, Program, Program, Bmc, Kind, Auto]);
    let mut options = random_options(&mut random, plain(engine));
    if engine != Program {
        // Unrollings of integers are hard soon.
        options.push("--depth 8".to_owned());
    }
    compare(seed, &program, &options)
}

fn compare(seed: u64, program: &Program, options: &[String]) -> Verdicts {
    match check(program, options) {
        Ok(verdicts) => verdicts,
        Err(failure) => {
            let (program, failure) = shrink(program.clone(), options, failure);
            panic!("program {seed}, {}: {failure}\n{program:#?}", options.join(" "));
        }
    }
}

/// Decides all properties and compares; what disagrees, otherwise.
fn check(program: &Program, options: &[String]) -> Result<Verdicts, String> {
    let Some(truth) = explore_program(program, MAX_STATES) else { return Ok(Verdicts::default()) };
    let mut plan = case::plan(options)?;
    if !Components::new(program).recursive().is_empty() {
        // Otherwise the bound on recursion grows until the program is very large.
        plan.depth = Some(MAX_RECURSION);
    }
    let run = AssertUnwindSafe(|| {
        let answers = Answers::default();
        let selected: Vec<usize> = (0..program.properties.len()).collect();
        let looks = if has_integers(program) { MAX_INTEGER_LOOKS } else { MAX_LOOKS };
        let interrupt = Interrupt::new().child_with_looks(looks);
        let decided = decide_program(program, &selected, &plan, &interrupt, &answers);
        decided.map(|()| answers).map_err(|e| e.to_string())
    });
    let answers = catch_unwind(run).map_err(|_| "a panic")??;
    judge(
        &truth,
        &plan,
        has_integers(program),
        answers.0.into_inner().expect("no panic while held"),
    )
}

/// How many states the oracle visits.
const MAX_STATES: usize = 1_000;
/// How deep recursion goes.
const MAX_RECURSION: usize = 6;

/// A run on integers ends after this many looks at the interrupt: no engine need come to an end
/// there.
const MAX_INTEGER_LOOKS: u64 = 5_000;

fn has_integers(program: &Program) -> bool {
    program.terms.iter().any(|(id, _)| program.terms.sort(id).has_integers())
}

/// What a run said of each property, as often as it said something.
#[derive(Default)]
struct Answers(Mutex<Vec<(usize, Said)>>);

enum Said {
    Settled(ProgramChecked),
    Open(ProgramOpen),
}

impl ProgramObserver for Answers {
    type Error = InternalError;

    fn settled(
        &self,
        property: usize,
        _: &'static str,
        answer: &ProgramChecked,
    ) -> Result<(), InternalError> {
        let said = Said::Settled(answer.clone());
        self.0.lock().expect("no panic while held").push((property, said));
        Ok(())
    }

    fn open(&self, property: usize, why: ProgramOpen, _: Option<SafeUpTo>) {
        self.0.lock().expect("no panic while held").push((property, Said::Open(why)));
    }
}

fn judge(
    truth: &ExploredProgram,
    plan: &Plan,
    integers: bool,
    answers: Vec<(usize, Said)>,
) -> Result<Verdicts, String> {
    let mut verdicts = Verdicts::default();
    let mut is_answered = vec![false; truth.violated.len()];
    for (property, said) in answers {
        if std::mem::replace(&mut is_answered[property], true) {
            return Err(format!("property {property} has two answers"));
        }
        let is_violated = truth.violated[property].is_some();
        let is_defined = truth.violated_defined[property].is_some();
        match said {
            Said::Settled(ProgramChecked::Proved(..)) if is_violated => {
                return Err(format!("property {property} is proved, but violated"));
            }
            Said::Settled(ProgramChecked::Violated(_)) if !is_defined => {
                return Err(format!("property {property} is violated, but no defined run does"));
            }
            Said::Settled(ProgramChecked::Proved(..)) => verdicts.proved += 1,
            Said::Settled(ProgramChecked::Violated(_)) => verdicts.violated += 1,
            Said::Open(why) => {
                // An undefined run was found; the search for defined ones ended like any search.
                let why = match why {
                    ProgramOpen::Defined { .. } if !is_violated => {
                        return Err(format!("property {property} has no undefined run: {why:?}"));
                    }
                    ProgramOpen::Defined { why, .. } => *why,
                    why => why,
                };
                let is_endless = integers && is_endless(&why);
                if !is_endless && !may_stay_open(&why, plan, is_violated, is_defined) {
                    return Err(format!("property {property} is left open: {why:?}"));
                }
                verdicts.open += 1;
            }
        }
    }
    match is_answered.iter().position(|answered| !answered) {
        Some(property) => Err(format!("property {property} has no answer")),
        None => Ok(verdicts),
    }
}

/// Whether a search among infinitely many states may end like this. Without generalisation, a proof
/// can be too large for its check.
fn is_endless(why: &ProgramOpen) -> bool {
    let ProgramOpen::System(open) = why else { return false };
    let stopped = Open::Engines(Reason::Interrupted);
    let bounds = [Reason::DepthLimit, Reason::Budget].map(Open::Engines);
    *open == Open::CheckStopped || *open == stopped || bounds.contains(open)
}

fn may_stay_open(why: &ProgramOpen, plan: &Plan, is_violated: bool, is_defined: bool) -> bool {
    match why {
        // What became of the search for defined runs is judged by itself.
        ProgramOpen::Defined { why, .. } => may_stay_open(why, plan, is_violated, is_defined),
        ProgramOpen::NotLowered(_) => true,
        ProgramOpen::Recursion { undefined, .. } => undefined.is_none() || is_violated,
        ProgramOpen::System(Open::Undefined(_)) => is_violated && !is_defined,
        ProgramOpen::System(Open::NotCheckable(_)) => !is_violated,
        ProgramOpen::System(Open::Engines(Reason::DepthLimit | Reason::Exhausted(_))) => {
            !is_defined && matches!(plan.engine, EngineName::Bmc | EngineName::Kind)
        }
        ProgramOpen::System(Open::Engines(Reason::Budget | Reason::Unsupported(_))) => {
            plan.engine == EngineName::Wpdr
        }
        ProgramOpen::System(_) => false,
    }
}

/// The smallest program found that still fails in the same way, and what it says: edges, updates,
/// guards and checks are left out. (Without guards integers may leave the box of the oracle, which
/// is another failure.)
fn shrink(mut program: Program, options: &[String], mut failure: String) -> (Program, String) {
    loop {
        let fails = |smaller: &Program| {
            let kept = smaller.check().is_ok().then(|| check(smaller, options).err());
            kept.flatten().filter(|other| kind(other) == kind(&failure))
        };
        let smaller = smaller(&program).into_iter();
        let Some((next, text)) = smaller.map(|p| (fails(&p), p)).find_map(|(f, p)| Some((p, f?)))
        else {
            return (program, failure);
        };
        (program, failure) = (next, text);
    }
}

/// A failure without the numbers that differ from program to program.
fn kind(failure: &str) -> String {
    failure.chars().filter(|c| !c.is_ascii_digit()).collect()
}

fn smaller(program: &Program) -> Vec<Program> {
    let mut found = Vec::new();
    for procedure in 0..program.procedures.len() {
        for edge in 0..program.procedures[procedure].edges.len() {
            let mut without = program.clone();
            without.procedures[procedure].edges.remove(edge);
            found.push(without);
            let Action::Step(step) = &program.procedures[procedure].edges[edge].action else {
                continue;
            };
            let mut with = |change: &dyn Fn(&mut pedra_program::Step)| {
                let mut step = step.clone();
                change(&mut step);
                let mut changed = program.clone();
                changed.procedures[procedure].edges[edge].action = Action::Step(step);
                found.push(changed);
            };
            for update in 0..step.updates.len() {
                with(&|step| {
                    step.updates.remove(update);
                });
            }
            for check in 0..step.checks.len() {
                with(&|step| {
                    step.checks.remove(check);
                });
            }
            if step.guard.is_some() {
                with(&|step| step.guard = None);
            }
        }
    }
    found
}
