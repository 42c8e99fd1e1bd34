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
use anyhow::Result;
use pedra_c::witness::observe::{Observed, Point, mark_of, observe};
use pedra_c::witness::{Constraint, Content, Invariant, Place, Waypoint, Witness, target};
use pedra_c::{DataModel, Options};
use pedra_certify::{CheckOptions, check_program_proof};
use pedra_check::{Plan, ProgramChecked, ProgramObserver, ProgramOpen, SafeUpTo, decide_program};
use pedra_formats::sha256::sha256;
use pedra_program::inline::inline;
use pedra_program::passes::follow::{Segment, follow};
use pedra_program::passes::undefined::checks_as_properties;
use pedra_program::{
    Action, CheckKind, LowerOptions, PlaceId, Procedure, Program, ProgramProof, PropertyKind,
};
use pedra_solve::Interrupt;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, PoisonError};

/// A program with marks, what was marked, and the properties of each mark.
type Marked = (Program, Observed, BTreeMap<usize, Vec<usize>>);

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

/// What a specification of a witness or a task asks; `None` if it is not supported.
pub fn kind_of(specification: &str) -> Option<PropertyKind> {
    let text: String = specification.split_whitespace().collect();
    if text.contains("G!call(") {
        Some(PropertyKind::Assertion)
    } else if text.contains("G!overflow") {
        Some(PropertyKind::Undefined(CheckKind::Overflow))
    } else {
        None
    }
}

/// The properties of a kind, as properties of the program.
pub fn with_kind(program: &Program, kind: PropertyKind) -> Program {
    match kind {
        PropertyKind::Assertion => program.clone(),
        PropertyKind::Undefined(kind) => checks_as_properties(program, &[kind]),
    }
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
        let Some(kind) = kind_of(&witness.metadata.specification) else {
            let text =
                format!("its specification is not supported: {}", witness.metadata.specification);
            return Ok(Judgement::Unknown(text));
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
        let model = match witness.metadata.data_model.as_str() {
            "LP64" => DataModel::Lp64,
            _ => DataModel::Ilp32,
        };
        match &witness.content {
            Content::Violation(segments) => self.violation(segments, kind, model),
            Content::Correctness(invariants) => {
                self.correctness(invariants, kind, model, has_engines)
            }
        }
    }

    /// The program with marks, and the properties of each mark.
    fn marked(
        &self,
        points: &[(Place, Point)],
        kind: PropertyKind,
        model: DataModel,
    ) -> Result<Marked, Judgement> {
        let observed = observe(&self.source.text, points).map_err(Judgement::Unknown)?;
        let options = Options { model, ..Options::default() };
        let program = pedra_c::load(&observed.text, &self.source.name(), &options);
        let program = program.map_err(|error| {
            let text = format!("with its expressions: {}", error_text(&self.source.path, &error));
            match error.is_unsupported {
                true => Judgement::Unknown(text),
                false => Judgement::Refuted(text),
            }
        })?;
        let program = with_kind(&program, kind);
        let mut marks: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for (index, property) in program.properties.iter().enumerate() {
            if let Some(mark) = mark_of(&property.text) {
                marks.entry(mark).or_default().push(index);
            }
        }
        Ok((program, observed, marks))
    }

    /// The properties of a kind that are no marks.
    fn properties(program: &Program, kind: PropertyKind) -> Vec<usize> {
        let is_meant = |&index: &usize| {
            let property = &program.properties[index];
            property.kind == kind && mark_of(&property.text).is_none()
        };
        (0..program.properties.len()).filter(is_meant).collect()
    }

    fn violation(
        &self,
        segments: &[Vec<Waypoint>],
        kind: PropertyKind,
        model: DataModel,
    ) -> Result<Judgement> {
        let Some((last, route)) = segments.split_last() else {
            return Ok(Judgement::Refuted("it has no waypoints".to_owned()));
        };
        let goal = match last.last() {
            Some(waypoint) if waypoint.constraint == Constraint::Target => &waypoint.place,
            _ => return Ok(Judgement::Refuted("its last waypoint is not a target".to_owned())),
        };
        let Shapes { points, shapes, mut left_out } = Shapes::of(route.iter().chain([last]));
        let (program, observed, marks) = match self.marked(&points, kind, model) {
            Ok(marked) => marked,
            Err(judgement) => return Ok(judgement),
        };
        let properties_of = |point: usize| match &observed.marks[point] {
            Ok(mark) => Ok(marks.get(mark).cloned().unwrap_or_default()),
            Err(why) => Err(why.clone()),
        };
        let segments = marked_route(&shapes, properties_of, &mut left_out);
        let all: Vec<usize> = marks.values().flatten().copied().collect();
        let mut goals = Self::properties(&program, kind);
        // A target inside of a function that asserts stands for all its calls.
        let is_there = |index: &usize| {
            program.properties[*index].span.line == goal.line
                || target(&program, *index, &observed.text).line == goal.line
        };
        if goals.iter().any(is_there) {
            goals.retain(is_there);
        }
        if goals.is_empty() {
            return Ok(Judgement::Refuted("the program has no such property".to_owned()));
        }
        let restricted = follow(&program, &all, &segments);
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
            None if found.open.is_empty() => Judgement::Refuted(format!(
                "witness: no run passes its waypoints and violates the property{used}"
            )),
            None => Judgement::Unknown(format!("witness: {}{used}", found.open[0])),
        })
    }

    fn correctness(
        &self,
        invariants: &[Invariant],
        kind: PropertyKind,
        model: DataModel,
        has_engines: bool,
    ) -> Result<Judgement> {
        // What is said of one place is one condition.
        let mut places: Vec<(Place, bool, Vec<String>)> = Vec::new();
        for invariant in invariants {
            if !is_closed(&invariant.value) {
                let text = format!("witness: `{}` has a bracket too many", invariant.value);
                return Ok(Judgement::Unknown(text));
            }
            let place = Place { function: None, ..invariant.place.clone() };
            let value = format!("({})", invariant.value);
            match places.iter_mut().find(|(p, l, _)| (p, *l) == (&place, invariant.is_loop)) {
                Some((_, _, values)) => values.push(value),
                None => places.push((place, invariant.is_loop, vec![value])),
            }
        }
        let points = places.into_iter().map(|(place, is_loop, values)| {
            let value = values.join(" && ");
            (place, if is_loop { Point::Loop(value) } else { Point::Statement(value) })
        });
        let points: Vec<(Place, Point)> = points.collect();
        let (program, observed, marks) = match self.marked(&points, kind, model) {
            Ok(marked) => marked,
            Err(judgement) => return Ok(judgement),
        };
        // An invariant that cannot be judged is not accepted with the others.
        if let Some(Err(why)) = observed.marks.iter().find(|mark| mark.is_err()) {
            return Ok(Judgement::Unknown(format!("witness: {why}")));
        }
        let wanted = Self::properties(&program, kind);
        if wanted.is_empty() {
            return Ok(Judgement::Refuted("the program has no such property".to_owned()));
        }
        let marks: Vec<usize> = marks.values().flatten().copied().collect();
        let (count, hold) = match invariants.len() {
            1 => ("1 invariant".to_owned(), "holds"),
            n => (format!("{n} invariants"), "hold"),
        };
        if self.is_inductive(&program, &marks, &wanted) {
            let text = format!("witness: {count}, inductive, and the property follows");
            return Ok(Judgement::Accepted(text));
        }
        if !has_engines {
            return Ok(Judgement::Unknown("not inductive by themselves".to_owned()));
        }
        let both: Vec<usize> = wanted.iter().chain(&marks).copied().collect();
        let found = self.decide(&program, &both)?;
        Ok(match found.violated.first() {
            Some(&index) => {
                let property = &program.properties[index];
                let place = program.location(property.span, false);
                let what = match mark_of(&property.text) {
                    Some(_) => "the invariant does not always hold",
                    None => "the property is violated",
                };
                Judgement::Refuted(format!("witness: {place}: {what}"))
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

/// Whether no bracket closes one that is outside of the text.
fn is_closed(text: &str) -> bool {
    let mut depth = 0_i64;
    text.chars().all(|c| {
        depth += i64::from(c == '(') - i64::from(c == ')');
        depth >= 0
    })
}

/// The points of a sequence.
#[derive(Default)]
struct Shapes {
    points: Vec<(Place, Point)>,
    /// For each segment its points, by number: to avoid, and to follow.
    shapes: Vec<(Vec<usize>, Option<usize>)>,
    /// Why waypoints were left out.
    left_out: Vec<String>,
}

impl Shapes {
    fn of<'w>(segments: impl Iterator<Item = &'w Vec<Waypoint>>) -> Shapes {
        let mut all = Shapes::default();
        for segment in segments {
            let mut shape = (Vec::new(), None);
            for waypoint in segment {
                let place = &waypoint.place;
                let point = match point_of(&waypoint.constraint) {
                    Ok(Some(point)) => point,
                    Ok(None) => continue,
                    Err(why) => {
                        all.left_out.push(format!("line {}: {why}", place.line));
                        continue;
                    }
                };
                if let (Point::Branch(is_true), false) = (&point, waypoint.is_avoided) {
                    // A run that comes to the branch must take it.
                    shape.0.push(all.points.len());
                    all.points.push((place.clone(), Point::Branch(!is_true)));
                }
                match waypoint.is_avoided {
                    true => shape.0.push(all.points.len()),
                    false => shape.1 = Some(all.points.len()),
                }
                all.points.push((place.clone(), point));
            }
            all.shapes.push(shape);
        }
        all
    }
}

/// The segments with the properties that their points became. Why a point became none is noted.
fn marked_route(
    shapes: &[(Vec<usize>, Option<usize>)],
    properties_of: impl Fn(usize) -> Result<Vec<usize>, String>,
    left_out: &mut Vec<String>,
) -> Vec<Segment> {
    let mut segments = Vec::new();
    for (index, (avoid, next)) in shapes.iter().enumerate() {
        let follow = match next.map(&properties_of) {
            Some(Ok(follow)) => follow,
            Some(Err(why)) => {
                left_out.push(why);
                continue;
            }
            // The target is reached in the last segment.
            None if index + 1 == shapes.len() => Vec::new(),
            None => continue,
        };
        let mut segment = Segment { avoid: Vec::new(), follow };
        for &point in avoid {
            match properties_of(point) {
                Ok(properties) => segment.avoid.extend(properties),
                Err(why) => left_out.push(why),
            }
        }
        segments.push(segment);
    }
    segments
}

/// What is marked for a constraint; nothing for a target.
fn point_of(constraint: &Constraint) -> Result<Option<Point>, &'static str> {
    Ok(Some(match constraint {
        Constraint::Assumption(value) => Point::Statement(value.clone()),
        Constraint::Branching(value) if value == "true" => Point::Branch(true),
        Constraint::Branching(value) if value == "false" => Point::Branch(false),
        Constraint::Branching(value) if value.parse::<i64>().is_ok() => Point::Case(value.clone()),
        Constraint::Branching(value) if value == "default" => Point::Default,
        Constraint::Branching(_) => return Err("a branch of this kind"),
        Constraint::FunctionEnter => Point::Enter,
        Constraint::FunctionReturn(value) => Point::Return(value.clone()),
        Constraint::Target => return Ok(None),
    }))
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
