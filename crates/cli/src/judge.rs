//! Whether a witness about a C program is right.
//!
//! The places of the witness are marked in the program's text (`pedra_c::witness::observe`), and
//! the front end reads the marked text: the expressions of the witness have the meaning that they
//! have in the program. A sequence of waypoints is right if a run of the program that passes the
//! marks in order reaches the error; the search sees only such runs
//! (`pedra_program::passes::follow`), and what it finds is replayed. Invariants are right if they
//! are inductive and imply the properties, which `certify` checks alone; if they are not by
//! themselves, engines are asked whether they and the properties hold.

use crate::c_source::{CSource, error_text};
use crate::question::{Question, as_properties};
use crate::waypoints::{Shapes, marked_route, points_of};
use anyhow::Result;
use pedra_c::specification::Specification;
use pedra_c::witness::observe::{Observed, Point, mark_of, observe};
use pedra_c::witness::{Constraint, Content, Invariant, Place, Waypoint, Witness, target};
use pedra_c::{CError, DataModel, Options};
use pedra_certify::{CheckOptions, check_program_proof};
use pedra_check::{Plan, ProgramChecked, ProgramObserver, ProgramOpen, SafeUpTo, decide_program};
use pedra_formats::sha256::sha256;
use pedra_program::inline::inline;
use pedra_program::passes::follow::{Mark, edges_of_marks, follow};
use pedra_program::passes::undefined::some_checks_as_properties;
use pedra_program::{
    Action, CheckKind, EdgeRef, LowerOptions, PlaceId, Procedure, Program, ProgramProof,
    PropertyKind,
};
use pedra_solve::Interrupt;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, PoisonError};

/// What became of a witness or a certificate.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Judgement {
    /// It shows what it claims: this.
    Accepted(String),
    /// It does not, for this reason.
    Refuted(String),
    /// The check did not end, or cannot be made.
    Unknown(String),
}

/// Judges a witness about a program.
pub struct Judge<'a> {
    /// The program.
    pub source: &'a CSource,
    /// How engines run.
    pub plan: &'a Plan,
    /// Stops everything.
    pub interrupt: &'a Interrupt,
}

impl Judge<'_> {
    /// The judgement.
    ///
    /// # Errors
    /// If an answer failed its own check.
    pub fn judge(&self, witness: &Witness) -> Result<Judgement> {
        self.judge_by(witness, true)
    }

    /// The judgement without engines: unknown if the invariants are not inductive by themselves.
    ///
    /// # Errors
    /// If an answer failed its own check.
    pub fn inductive(&self, witness: &Witness) -> Result<Judgement> {
        self.judge_by(witness, false)
    }

    fn judge_by(&self, witness: &Witness, has_engines: bool) -> Result<Judgement> {
        let specification = match Specification::read(&witness.metadata.specification) {
            Ok(specification) => specification,
            Err(why) => return Ok(Judgement::Unknown(format!("witness: {why}"))),
        };
        let name = |path: &str| path.rsplit('/').next().unwrap_or_default().to_owned();
        let (own, hash) = (name(&self.source.name()), sha256(&self.source.bytes));
        let differs = |(file, known): &(String, String)| {
            name(file) == own && !known.is_empty() && !known.eq_ignore_ascii_case(&hash)
        };
        if witness.metadata.input_files.iter().any(differs) {
            let text = format!("it is about another version of {own}: the SHA-256 differs");
            return Ok(Judgement::Refuted(text));
        }
        if let Some(place) = witness.foreign_place(&own, &self.source.text) {
            let text = format!("witness: `{}` is no file of the program", place.file);
            return Ok(Judgement::Unknown(text));
        }
        let model = witness.metadata.data_model;
        let about = format!("{specification}, {}", model.name());
        let judgement = match &witness.content {
            Content::Violation(segments) => self.violation(segments, specification, model),
            Content::Correctness(invariants) => {
                self.correctness(invariants, specification, model, has_engines)
            }
        };
        Ok(match judgement? {
            Judgement::Accepted(text) => Judgement::Accepted(format!("{text}; {about}")),
            other => other,
        })
    }

    /// Whether each of these invariants has a meaning at its place.
    pub fn reads(
        &self,
        invariants: &[Invariant],
        specification: &Specification,
        model: DataModel,
    ) -> bool {
        let Ok(points) = points_of(invariants) else { return false };
        let marked = self.marked(&points, specification.clone(), model);
        marked.is_ok_and(|marked| marked.observed.marks.iter().all(Result::is_ok))
    }

    /// The program with marks, and the properties of each mark.
    fn marked(
        &self,
        points: &[(Place, Point)],
        specification: Specification,
        model: DataModel,
    ) -> Result<Marked, Judgement> {
        let observed = observe(&self.source.text, points).map_err(Judgement::Unknown)?;
        let entry = specification.entry.clone();
        let options = Options { model, entry, errors: specification.errors() };
        let program = pedra_c::load(&observed.text, &self.source.name(), &options);
        let wrong = |error: CError| {
            let text = error_text(&self.source.path, &error);
            let text = format!("with its expressions: {}", text.lines().next().unwrap_or_default());
            match error.is_unsupported {
                true => Judgement::Unknown(text),
                false => Judgement::Refuted(text),
            }
        };
        let program = program.map_err(wrong)?;
        let numbers: BTreeMap<usize, usize> = (0..program.properties.len())
            .filter_map(|index| Some((index, mark_of(&program.properties[index].text)?)))
            .collect();
        let indices: Vec<usize> = numbers.keys().copied().collect();
        let edges = edges_of_marks(&program, &indices);
        let edges = edges.iter().flat_map(|of| of.failing.iter().chain(&of.passing));
        let edges: BTreeSet<EdgeRef> = edges.copied().collect();
        let has_inputs = |edge: &EdgeRef| match &program.edge(*edge).action {
            Action::Step(step) => !step.inputs.is_empty(),
            Action::Call(_) => true,
        };
        if edges.iter().any(has_inputs) {
            let text = "witness: the value of an expression is not fixed where it stands";
            return Err(Judgement::Unknown(text.to_owned()));
        }
        let claim = &specification.claim;
        let program = as_properties(&program, claim, |edge| !edges.contains(&edge));
        let first = program.properties.len();
        let program = some_checks_as_properties(&program, |edge, check| {
            check.kind != CheckKind::Limit && edges.contains(&edge)
        });
        let own: Vec<usize> = (first..program.properties.len()).collect();
        let mut question = Question::new(&program, specification)
            .map_err(|why| Judgement::Unknown(format!("witness: {why}")))?;
        let is_meant = |index: &usize| *index < first && !numbers.contains_key(index);
        question.goals.retain(is_meant);
        question.doubtful.retain(is_meant);
        Ok(Marked { program, observed, question, numbers, edges, own })
    }

    fn violation(
        &self,
        segments: &[Vec<Waypoint>],
        specification: Specification,
        model: DataModel,
    ) -> Result<Judgement> {
        let goal = match target_of(segments) {
            Ok(goal) => goal,
            Err(why) => return Ok(Judgement::Refuted(why.to_owned())),
        };
        let Shapes { points, shapes, mut left_out } = Shapes::of(segments.iter());
        let marked = match self.marked(&points, specification, model) {
            Ok(marked) => marked,
            Err(judgement) => return Ok(judgement),
        };
        let program = &marked.program;
        let segments = marked_route(&shapes, |point| marked.properties_of(point), &mut left_out);
        if marked.question.goals.is_empty() {
            return Ok(Judgement::Refuted("the program has no such property".to_owned()));
        }
        let (goals, is_there) = marked.goals_at(goal);
        if !is_there {
            left_out.push(format!("line {}: the target is no place of the property", goal.line));
        }
        let restricted = follow(program, &marked.marks(), &segments);
        let found = self.decide(&restricted, &goals)?;
        let used = match left_out.len() {
            0 => String::new(),
            n => format!("; {n} waypoints were not used, the first: {}", left_out[0]),
        };
        Ok(match found.violated.first() {
            Some(&index) => {
                let property = &program.properties[index];
                let place = program.location(property.span, false);
                let text = format!("witness: a run through its waypoints violates {place}{used}");
                // A run that passes a part of the waypoints is no run of the witness.
                match left_out.is_empty() {
                    true => Judgement::Accepted(text),
                    false => Judgement::Unknown(text),
                }
            }
            None if found.open.is_empty() => {
                // An expression that may be undefined may have been meant in another way.
                if let Some(what) = self.undefined(&marked)? {
                    return Ok(Judgement::Unknown(what));
                }
                let text = "witness: no run passes its waypoints and violates the property";
                Judgement::Refuted(format!("{text}{used}"))
            }
            None => Judgement::Unknown(format!("witness: {}{used}", found.open[0])),
        })
    }

    /// Which expression of the witness may be undefined where it stands.
    fn undefined(&self, marked: &Marked) -> Result<Option<String>> {
        if marked.own.is_empty() {
            return Ok(None);
        }
        // On all runs, whether or not the marks hold.
        let free = follow(&marked.program, &marked.marks(), &[]);
        let found = self.decide(&free, &marked.own)?;
        Ok(match (found.violated.first(), found.open.first()) {
            (Some(&index), _) => Some(undefined_text(&marked.program, index)),
            (None, Some(why)) => Some(format!("witness: its expressions may be undefined: {why}")),
            (None, None) => None,
        })
    }

    fn correctness(
        &self,
        invariants: &[Invariant],
        specification: Specification,
        model: DataModel,
        has_engines: bool,
    ) -> Result<Judgement> {
        let points = match points_of(invariants) {
            Ok(points) => points,
            Err(why) => return Ok(Judgement::Unknown(why)),
        };
        let mut marked = match self.marked(&points, specification, model) {
            Ok(marked) => marked,
            Err(judgement) => return Ok(judgement),
        };
        // An invariant that cannot be judged is not accepted with the others.
        if let Some(Err(why)) = marked.observed.marks.iter().find(|mark| mark.is_err()) {
            return Ok(Judgement::Unknown(format!("witness: {why}")));
        }
        // That they are defined is among the properties now.
        marked.drop_own_checks();
        let Marked { program, question, numbers, own, .. } = &marked;
        let mut wanted = question.wanted();
        // *Required for soundness*: an invariant that is undefined says nothing.
        wanted.extend(own);
        let marks: Vec<usize> = numbers.keys().copied().collect();
        let (count, hold) = match invariants.len() {
            1 => ("1 invariant".to_owned(), "holds"),
            n => (format!("{n} invariants"), "hold"),
        };
        if self.is_inductive(program, &marks, &wanted) {
            let text = format!("witness: {count}, inductive, and the property follows");
            return Ok(Judgement::Accepted(text));
        }
        if !has_engines {
            return Ok(Judgement::Unknown("not inductive by themselves".to_owned()));
        }
        let both: Vec<usize> = wanted.iter().chain(&marks).copied().collect();
        let found = self.decide(program, &both)?;
        Ok(match found.violated.first() {
            Some(index) if own.contains(index) => {
                Judgement::Unknown(undefined_text(program, *index))
            }
            Some(&index) => {
                let place = program.location(program.properties[index].span, false);
                if numbers.contains_key(&index) {
                    Judgement::Refuted(format!(
                        "witness: {place}: the invariant does not always hold"
                    ))
                } else if question.goals.contains(&index) {
                    Judgement::Refuted(format!("witness: {place}: the property is violated"))
                } else {
                    let text = "another error function is called, and what follows is not known";
                    Judgement::Unknown(format!("witness: {place}: {text}"))
                }
            }
            None if found.open.is_empty() => Judgement::Accepted(format!(
                "witness: {count}, which {hold}, as does the property; the proof needed more"
            )),
            None => Judgement::Unknown(format!("witness: {}", found.open[0])),
        })
    }

    /// Whether the conditions of the marks are a proof of the properties.
    fn is_inductive(&self, program: &Program, marks: &[usize], wanted: &[usize]) -> bool {
        let Ok(inlined) = inline(program, LowerOptions::default().max_edges) else { return false };
        let program = &inlined.program;
        let body = program.procedure(program.entry);
        let errors: BTreeSet<PlaceId> =
            marks.iter().map(|&mark| program.properties[mark].error.place).collect();
        let mut terms = program.terms.clone();
        let mut invariants: BTreeMap<PlaceId, Vec<_>> = BTreeMap::new();
        for edge in body.edges.iter().filter(|edge| errors.contains(&edge.to)) {
            if let Action::Step(step) = &edge.action {
                let holds = match step.guard {
                    Some(fails) => terms.not(fails),
                    None => terms.bool(false),
                };
                invariants.entry(edge.from).or_default().push(holds);
            }
        }
        for place in open_loops(body, &invariants) {
            invariants.entry(place).or_default();
        }
        let properties = wanted.iter().chain(marks).copied().collect();
        let positions = Vec::new();
        let proof = ProgramProof { properties, terms, invariants, k: 1, positions };
        let options = CheckOptions { interrupt: self.interrupt.clone(), ..CheckOptions::default() };
        check_program_proof(program, &proof, &self.plan.blast, &options).is_ok()
    }

    /// What engines say about properties, until the first violation.
    fn decide(&self, program: &Program, selected: &[usize]) -> Result<Found> {
        let answers = Answers { stop: self.interrupt.child(), found: Mutex::default() };
        decide_program(program, selected, self.plan, &answers.stop, &answers)?;
        let mut found = answers.found.into_inner().unwrap_or_else(PoisonError::into_inner);
        // *Required for soundness*: silence is no proof.
        let is_silent = found.violated.is_empty() && found.open.is_empty();
        if is_silent && found.proved < selected.len() {
            found.open.push("not decided".to_owned());
        }
        Ok(found)
    }
}

/// A program with marks.
struct Marked {
    program: Program,
    observed: Observed,
    question: Question,
    /// The properties that are marks, with the numbers of the marks.
    numbers: BTreeMap<usize, usize>,
    /// The edges of marks.
    edges: BTreeSet<EdgeRef>,
    /// The properties that the expressions of marks are defined.
    own: Vec<usize>,
}

impl Marked {
    /// The properties of a point; the front end may have made several of one mark.
    fn properties_of(&self, point: usize) -> Result<Vec<usize>, String> {
        let mark = self.observed.marks[point].clone()?;
        let is_of = |(property, number): (&usize, &usize)| (*number == mark).then_some(*property);
        Ok(self.numbers.iter().filter_map(is_of).collect())
    }

    fn marks(&self) -> Vec<Mark> {
        let of = |(&property, &number): (&usize, &usize)| {
            let is_last = self.observed.is_last.get(number).copied().unwrap_or(true);
            Mark { property, is_last }
        };
        self.numbers.iter().map(of).collect()
    }

    /// The properties at a target, and whether there are any; otherwise all. A target inside of a
    /// function that asserts stands for all its calls.
    fn goals_at(&self, goal: &Place) -> (Vec<usize>, bool) {
        let goals = &self.question.goals;
        let is_there = |index: &&usize| {
            self.program.properties[**index].span.line == goal.line
                || target(&self.program, **index, &self.observed.text).line == goal.line
        };
        let there: Vec<usize> = goals.iter().filter(is_there).copied().collect();
        match there.is_empty() {
            true => (goals.clone(), false),
            false => (there, true),
        }
    }

    /// What the expressions of marks do is no operation of the program.
    fn drop_own_checks(&mut self) {
        for at in &self.edges {
            let procedure = &mut self.program.procedures[at.procedure.index()];
            if let Action::Step(step) = &mut procedure.edges[at.edge.index()].action {
                step.checks.retain(|check| check.kind == CheckKind::Limit);
            }
        }
    }
}

fn undefined_text(program: &Program, index: usize) -> String {
    let property = &program.properties[index];
    let place = program.location(property.span, false);
    let what = match property.kind {
        PropertyKind::Undefined(kind) => kind.to_string(),
        PropertyKind::Assertion => "undefined".to_owned(),
    };
    format!("witness: {place}: `{}` in its expression may be undefined: {what}", property.text)
}

/// The target of a sequence.
fn target_of(segments: &[Vec<Waypoint>]) -> Result<&Place, &'static str> {
    let is_target = |waypoint: &&Waypoint| waypoint.constraint == Constraint::Target;
    let all: Vec<&Waypoint> = segments.iter().flatten().filter(is_target).collect();
    let last = segments.last().ok_or("it has no waypoints")?.last();
    match (all.as_slice(), last) {
        ([target], Some(last)) if *target == last && !last.is_avoided => Ok(&last.place),
        ([_], _) => Err("its last waypoint is not a target to follow"),
        ([], _) => Err("its last waypoint is not a target"),
        _ => Err("it has several targets"),
    }
}

/// Targets of back edges of loops that pass no place with an invariant.
fn open_loops<T>(body: &Procedure, invariants: &BTreeMap<PlaceId, T>) -> BTreeSet<PlaceId> {
    let outgoing = body.outgoing();
    // Whether a place is on the path of the search, or done.
    let mut is_open: Vec<Option<bool>> = vec![None; body.places.len()];
    let mut found = BTreeSet::new();
    let starts = std::iter::once(body.entry).chain(invariants.keys().copied());
    for start in starts {
        let mut stack = vec![(start, 0)];
        is_open[start.index()].get_or_insert(true);
        while let Some((place, next)) = stack.last_mut() {
            let Some(&edge) = outgoing[place.index()].get(*next) else {
                is_open[place.index()] = Some(false);
                stack.pop();
                continue;
            };
            *next += 1;
            let to = body.edge(edge).to;
            if invariants.contains_key(&to) {
                continue;
            }
            match is_open[to.index()] {
                Some(true) => {
                    found.insert(to);
                }
                Some(false) => {}
                None => {
                    is_open[to.index()] = Some(true);
                    stack.push((to, 0));
                }
            }
        }
    }
    found
}

/// What engines found.
#[derive(Default)]
struct Found {
    /// How many properties are proved.
    proved: usize,
    violated: Vec<usize>,
    /// Why properties are open.
    open: Vec<String>,
}

struct Answers {
    stop: Interrupt,
    found: Mutex<Found>,
}

impl ProgramObserver for Answers {
    type Error = anyhow::Error;

    fn settled(&self, property: usize, _: &'static str, answer: &ProgramChecked) -> Result<()> {
        let mut found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
        match answer {
            ProgramChecked::Violated(_) => {
                found.violated.push(property);
                self.stop.raise();
            }
            ProgramChecked::Proved(..) => found.proved += 1,
        }
        Ok(())
    }

    fn open(&self, _: usize, why: ProgramOpen, _: Option<SafeUpTo>) {
        let mut found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
        found.open.push(why.text("stopped"));
    }
}
