//! Answers from other processes, which need not be trusted.
//!
//! A process that only searches makes [`claims`]: outcomes of engines, translated back to the model
//! as read from the file, and not checked. The asking process uses them ([`decide_elsewhere`]):
//! each passes the same check as an answer of a local engine before the observer is notified.
//! *Required for soundness*: only what `certify` has accepted reaches the observer. Which
//! properties a claim settles is read from the checked proof or trace, and a bound is reported only
//! as far as it was confirmed here.
//!
//! Unlike an answer of a local engine, a claim that fails its check is not an internal error: the
//! other process may be broken, of another build, or malicious.

use crate::answer::{Checked, NotChecked, check_answer};
use crate::decide::{InternalError, Observer, Subject, decide_about};
use crate::open::{Open, SafeUpTo};
use crate::plan::Plan;
use pedra_certify::{BoundLimits, CheckOptions, check_bound};
use pedra_engines::{Event, Exchange, Outcome, Reason};
use pedra_model::Model;
use pedra_model::property::Property;
use pedra_solve::Interrupt;
use std::collections::BTreeSet;

/// Hears claims, from several threads.
pub trait Claimant: Sync {
    /// An engine has settled properties: those of the outcome. Nothing was checked.
    fn claim(&self, engine: &'static str, outcome: &Outcome);

    /// A property stays open; no path violates it up to a step, it is claimed.
    fn open(&self, property: usize, why: Open, safe: Option<usize>);

    /// Where engines share lemmas with other processes, if they do.
    fn exchange(&self) -> Option<&Exchange> {
        None
    }
}

/// Searches as [`decide`](crate::decide()) does, but checks nothing.
pub fn claims<C: Claimant>(
    model: &Model,
    selected: &[usize],
    plan: &Plan,
    interrupt: &Interrupt,
    claimant: &C,
) {
    let listener = Listener(claimant);
    let told = decide_about(&Unjudged, model, selected, plan, interrupt, &listener);
    told.expect("nothing is checked, so nothing fails");
}

/// A subject about which nothing is known.
struct Unjudged;

impl Subject for Unjudged {
    fn check(
        &self,
        _: &'static str,
        _: &Outcome,
        _: &CheckOptions,
    ) -> Option<Result<Checked, NotChecked>> {
        None
    }

    fn check_bound(
        &self,
        _: &[usize],
        _: usize,
        _: BoundLimits,
        _: &CheckOptions,
    ) -> Result<Option<usize>, String> {
        Ok(None)
    }
}

/// Passes on what engines say.
struct Listener<'a, C>(&'a C);

impl<C: Claimant> Observer for Listener<'_, C> {
    type Error = InternalError;

    fn exchange(&self) -> Option<&Exchange> {
        self.0.exchange()
    }

    fn hear(&self, _: usize, name: &'static str, event: &Event) {
        if let Event::Settled { outcome, .. } = event {
            self.0.claim(name, outcome);
        }
    }

    fn settled(&self, _: usize, _: &'static str, _: &Checked) -> Result<(), InternalError> {
        unreachable!("nothing was checked")
    }

    fn open(&self, property: usize, why: Open, safe: Option<SafeUpTo>) {
        self.0.open(property, why, safe.map(|safe| safe.claimed));
    }
}

/// A claim on its way to its check.
#[derive(Clone, Debug)]
pub struct Claim<A> {
    /// How its sender is told what became of it.
    pub ticket: u64,
    /// The engine, which decides by which solvers it is checked.
    pub engine: &'static str,
    /// The answer.
    pub answer: A,
}

/// What comes from other processes.
#[derive(Clone, Debug)]
pub enum News<A> {
    /// A claim.
    Claim(Box<Claim<A>>),
    /// Nothing for now.
    Nothing,
    /// Nothing any more.
    Over,
}

/// Other processes that search.
pub trait Elsewhere {
    /// What is claimed: an [`Outcome`] about a model, a
    /// [`ProgramAnswer`](crate::ProgramAnswer) about a program.
    type Answer;

    /// Waits a moment for news.
    fn next(&mut self) -> News<Self::Answer>;

    /// A claim was accepted, and settles these properties; none if they were settled before.
    fn accepted(&mut self, ticket: u64, properties: &[usize]);

    /// A claim was not accepted, for this reason.
    fn refused(&mut self, ticket: u64, why: &str);

    /// Why a property is still open, and up to which step it is claimed to be safe.
    fn left(&self, property: usize) -> (Open, Option<usize>);
}

/// Decides the selected properties of a model by the claims of other processes.
///
/// # Errors
/// What the observer could not do.
pub fn decide_elsewhere<O: Observer, E: Elsewhere<Answer = Outcome>>(
    model: &Model,
    selected: &[usize],
    plan: &Plan,
    interrupt: &Interrupt,
    observer: &O,
    elsewhere: &mut E,
) -> Result<(), O::Error> {
    let mut open: BTreeSet<usize> = selected.iter().copied().collect();
    while !open.is_empty() && !interrupt.is_raised() {
        match elsewhere.next() {
            News::Nothing => {}
            News::Over => break,
            News::Claim(claim) => {
                let Claim { ticket, engine, answer: outcome } = *claim;
                let settled: Vec<usize> =
                    properties_of(&outcome).into_iter().filter(|p| open.contains(p)).collect();
                if settled.is_empty() {
                    elsewhere.accepted(ticket, &[]);
                    continue;
                }
                let options = plan.check_options(engine, interrupt);
                match check_answer(model, &outcome, &plan.blast, &options) {
                    None => elsewhere.refused(ticket, "it says nothing"),
                    Some(Err(why)) => elsewhere.refused(ticket, &reason(&why)),
                    Some(Ok(answer)) => {
                        for &property in &settled {
                            open.remove(&property);
                            observer.settled(property, engine, &answer)?;
                        }
                        elsewhere.accepted(ticket, &settled);
                    }
                }
            }
        }
    }
    tell_open(model, &open, plan, interrupt, observer, elsewhere);
    Ok(())
}

/// The properties that an outcome is about, if it is what it claims to be.
fn properties_of(outcome: &Outcome) -> Vec<usize> {
    match outcome {
        Outcome::Unknown => Vec::new(),
        Outcome::Violated(trace) => vec![trace.property()],
        Outcome::Proved(proof) => proof.properties().to_vec(),
    }
}

pub(crate) fn reason(why: &NotChecked) -> String {
    match why {
        NotChecked::Stopped => "its check was stopped".to_owned(),
        NotChecked::NotCheckable(text) => format!("it cannot be checked: {text}"),
        NotChecked::Undefined(text) => format!("it has undefined behaviour: {text}"),
        NotChecked::Bounded => "it is about bounded recursion only".to_owned(),
        NotChecked::Wrong(text) => format!("it is wrong: {text}"),
    }
}

/// Why each property is open, and up to which step it is claimed to be safe.
pub(crate) fn all_left<E: Elsewhere>(
    open: &BTreeSet<usize>,
    interrupt: &Interrupt,
    elsewhere: &E,
) -> Vec<(usize, Open, Option<usize>)> {
    let one = |&property: &usize| match elsewhere.left(property) {
        (_, safe) if interrupt.is_raised() => (property, Open::Engines(Reason::Interrupted), safe),
        (why, safe) => (property, why, safe),
    };
    open.iter().map(one).collect()
}

/// Tells of what is open, and how far it is safe: as far as that is confirmed here.
fn tell_open<O: Observer, E: Elsewhere>(
    model: &Model,
    open: &BTreeSet<usize>,
    plan: &Plan,
    interrupt: &Interrupt,
    observer: &O,
    elsewhere: &E,
) {
    let left = all_left(open, interrupt, elsewhere);
    let is_bad = |property: usize| matches!(model.property(property), Property::Bad(_));
    let claimed = |&(property, _, safe): &(usize, Open, Option<usize>)| {
        safe.filter(|_| is_bad(property)).map(|safe| (property, safe))
    };
    let claimed: Vec<(usize, usize)> = left.iter().filter_map(claimed).collect();
    let together: Vec<usize> = claimed.iter().map(|&(property, _)| property).collect();
    let confirmed = match claimed.iter().map(|&(_, safe)| safe).min() {
        Some(last) if !interrupt.is_raised() => {
            let (limits, options) = plan.bound_check(interrupt);
            // A bound that is wrong is not told.
            check_bound(model, &together, last, &plan.blast, limits, &options).ok().flatten()
        }
        _ => None,
    };
    for (property, why, _) in left {
        let step = confirmed.filter(|_| together.contains(&property));
        if let Some(step) = step {
            observer.safe_until(property, step);
        }
        let safe = step.map(|step| SafeUpTo { claimed: step, checked: Some(step) });
        observer.open(property, why, safe);
    }
}
