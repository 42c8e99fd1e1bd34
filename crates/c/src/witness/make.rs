//! Witnesses of our own runs and proofs.

use super::observe::{Point, observe};
use super::visits::Visits;
use super::{Constraint, Place, Waypoint};
use crate::LIBRARY;
use crate::ast::{StmtId, StmtKind};
use crate::harness::decimal;
use crate::lexer::{Lexeme, lex};
use crate::lower::is_error;
use crate::parse::parse;
use crate::source::Source;
use crate::token::{Names, Punct, Token};
use pedra_model::value::Value;
use pedra_program::interpreter::{Machine, replay_with};
use pedra_program::{Action, Edge, EdgeRef, InputKind, Program, ProgramTrace, Span, VariableId};
use std::collections::{BTreeMap, BTreeSet};

/// Longer sequences help nobody; what is left out is found again by the search.
const MAX_WAYPOINTS: usize = 10_000;

/// What a run should say at one of its steps: a waypoint with the places that it may have, the best
/// one first.
struct Stop {
    step: usize,
    places: Vec<(Span, Waypoint)>,
}

/// The waypoints of a run that was replayed: the values that came from outside, as assumptions
/// about the variables that got them, the branches that such values decided, and the target.
pub fn violation(program: &Program, trace: &ProgramTrace, text: &[u8]) -> Vec<Vec<Waypoint>> {
    let starts = statement_starts(text);
    let mut stops: Vec<Stop> = Vec::new();
    let visit = |index: usize, machine: &Machine<'_>| {
        let at = trace.steps[index].edge;
        let edge = program.edge(at);
        let Action::Step(step) = &edge.action else { return };
        let is_asked = step.inputs.iter().any(|i| matches!(i.kind, InputKind::Asked(_)));
        // Witnesses know no places in the library.
        let is_library = program.files.get(edge.span.file as usize).is_some_and(|f| f == LIBRARY);
        if !is_asked || is_library || stops.len() >= MAX_WAYPOINTS {
            return;
        }
        if let Some(is_true) = branch(program, at, edge) {
            let constraint = Constraint::Branching(is_true.to_string());
            let waypoint = waypoint(program, at, edge.span, constraint);
            stops.push(Stop { step: index, places: vec![(edge.span, waypoint)] });
        } else if let Some(next) = statement_after(program, trace, index) {
            let known = step.updates.iter().filter_map(|(id, _)| value(program, machine, *id));
            let known: Vec<String> = known.collect();
            if !known.is_empty() {
                let constraint = Constraint::Assumption(known.join(" && "));
                let around =
                    start_before(program, &starts, next).filter(|start| *start > edge.span);
                let places = std::iter::once(next).chain(around.filter(|start| *start != next));
                let of = |place| (place, waypoint(program, at, place, constraint.clone()));
                stops.push(Stop { step: index, places: places.map(of).collect() });
            }
        }
    };
    // The trace was replayed before.
    let _ = replay_with(program, trace, visit);
    let target = target(program, trace.property, text);
    let last = Waypoint { constraint: Constraint::Target, is_avoided: false, place: target };
    let chosen = at_first_visit(program, trace, &starts, with_marks(text, stops));
    chosen.into_iter().chain([last]).map(|waypoint| vec![waypoint]).collect()
}

/// Of each stop the first place that can be marked; those without one are left out, since a
/// witness with them could not be judged.
fn with_marks(text: &[u8], stops: Vec<Stop>) -> Vec<(usize, Span, Waypoint)> {
    let points = stops.iter().flat_map(|stop| &stop.places).map(|(_, waypoint)| {
        let point = match &waypoint.constraint {
            Constraint::Assumption(value) => Point::Statement(value.clone()),
            Constraint::Branching(value) => Point::Branch(value == "true"),
            _ => Point::Enter,
        };
        (waypoint.place.clone(), point)
    });
    let points: Vec<(Place, Point)> = points.collect();
    let Ok(observed) = observe(text, &points) else { return Vec::new() };
    let mut marks = observed.marks.into_iter();
    let choose = |Stop { step, places }: Stop| {
        let can_be: Vec<bool> = marks.by_ref().take(places.len()).map(|m| m.is_ok()).collect();
        let mut places = places.into_iter().zip(can_be);
        let ((span, waypoint), _) = places.find(|(_, can_be)| *can_be)?;
        Some((step, span, waypoint))
    };
    stops.into_iter().filter_map(choose).collect()
}

/// A run has to pass a waypoint when it first comes to its place. So each visit before the one that
/// is meant gets a waypoint of its own, which says nothing about values.
fn at_first_visit(
    program: &Program,
    trace: &ProgramTrace,
    starts: &Positions,
    chosen: Vec<(usize, Span, Waypoint)>,
) -> Vec<Waypoint> {
    let visits = Visits::of(program, trace);
    // By place, and whether a branch is meant: many waypoints of a long run have the same.
    let mut known: BTreeMap<(Span, bool), Vec<usize>> = BTreeMap::new();
    let mut waypoints: Vec<Waypoint> = Vec::new();
    // The step of the last visit that passed a waypoint.
    let mut passed = None;
    for (step, place, waypoint) in chosen {
        let is_branch = matches!(waypoint.constraint, Constraint::Branching(_));
        let is_here = |span: Span| {
            span == place || !is_branch && start_before(program, starts, span) == Some(place)
        };
        let all = known.entry((place, is_branch)).or_insert_with(|| visits.at(is_here));
        let is_meant = |&&visit: &&usize| if is_branch { visit == step } else { visit > step };
        let Some(&meant) = all.iter().find(is_meant) else { continue };
        // One visit passes one waypoint.
        if passed == Some(meant)
            && let (Some(last), Constraint::Assumption(more)) =
                (waypoints.last_mut(), &waypoint.constraint)
            && let Constraint::Assumption(value) = &mut last.constraint
            && last.place == waypoint.place
        {
            *value = format!("{value} && {more}");
            continue;
        }
        let is_before = |&&visit: &&usize| visit < meant && passed.is_none_or(|p| visit > p);
        let before: Vec<usize> = all.iter().filter(is_before).copied().collect();
        if passed.is_some_and(|p| meant <= p) || waypoints.len() + before.len() >= MAX_WAYPOINTS {
            continue;
        }
        for visit in before {
            let at = trace.steps[visit].edge;
            let constraint = match is_branch {
                true => match branch(program, at, program.edge(at)) {
                    Some(is_true) => Constraint::Branching(is_true.to_string()),
                    None => continue,
                },
                false => Constraint::Assumption("1".to_owned()),
            };
            waypoints.push(Waypoint { constraint, ..waypoint.clone() });
        }
        waypoints.push(waypoint);
        passed = Some(meant);
    }
    waypoints
}

/// Files, lines and columns.
type Positions = BTreeSet<(Option<String>, u32, u32)>;

/// Where the statements of blocks start.
fn statement_starts(text: &[u8]) -> Positions {
    crate::with_stack(|| {
        let mut source = Source::new(text);
        let Ok(ast) = parse(&mut source) else { return Positions::new() };
        let lists = ast.stmts.iter().filter_map(|stmt| match &stmt.kind {
            StmtKind::Block(list) => Some(list),
            _ => None,
        });
        let start = |mut id: StmtId| {
            while let StmtKind::Case(_, _, inner) | StmtKind::Default(inner) = ast.stmt(id).kind {
                id = inner;
            }
            let at = source.location(ast.stmt(id).span.start);
            (at.file, at.line as u32, at.column as u32)
        };
        lists.flatten().map(|&id| start(id)).collect()
    })
}

/// The start of the last statement of a block that starts at a position or before it.
fn start_before(program: &Program, starts: &Positions, span: Span) -> Option<Span> {
    let name = program.files.get(span.file as usize)?;
    let last = |file: Option<String>| {
        let end = (file.clone(), span.line, span.column);
        let (found, line, column) = starts.range(..=end).next_back()?;
        (*found == file).then_some((*line, *column))
    };
    let (line, column) = last(Some(name.clone())).or_else(|| last(None))?;
    Some(Span { line, column, ..span })
}

fn waypoint(program: &Program, at: EdgeRef, span: Span, constraint: Constraint) -> Waypoint {
    let function = Some(program.procedure(at.procedure).name.to_string());
    let place = Place { function, ..place_of(program, span) };
    Waypoint { constraint, is_avoided: false, place }
}

/// A position as witnesses name it.
pub fn place_of(program: &Program, span: Span) -> Place {
    let file = program.files.get(span.file as usize).cloned().unwrap_or_default();
    Place { file, line: span.line, column: Some(span.column), function: None }
}

/// Whether an edge is one of the two of a branch, and if so, whether it is the one for *true*,
/// which comes first.
fn branch(program: &Program, at: EdgeRef, edge: &Edge) -> Option<bool> {
    let starts = ["if", "while", "for"];
    let word = edge.text.split(|c: char| !c.is_ascii_alphanumeric()).next()?;
    if !starts.contains(&word) {
        return None;
    }
    let edges = &program.procedure(at.procedure).edges;
    let same = |other: &&Edge| other.span == edge.span && other.text == edge.text;
    let all: Vec<&Edge> = edges.iter().filter(same).collect();
    match all.as_slice() {
        [first, second] if first.from == second.from => Some(std::ptr::eq(*first, edge)),
        _ => None,
    }
}

/// Where the statement after a step starts, if it is further down in the same function.
fn statement_after(program: &Program, trace: &ProgramTrace, index: usize) -> Option<Span> {
    let at = trace.steps[index].edge;
    let span = program.edge(at).span;
    let next = trace.steps[index + 1..].iter().find(|s| !program.edge(s.edge).text.is_empty())?;
    let edge = program.edge(next.edge);
    let is_later = edge.span > span && edge.span.file == span.file;
    let is_loop = ["for", "while", "do"].iter().any(|word| edge.text.starts_with(word));
    (next.edge.procedure == at.procedure && is_later && !is_loop).then_some(edge.span)
}

/// `x == 5`, for variables of integer types that have a name.
fn value(program: &Program, machine: &Machine<'_>, id: VariableId) -> Option<String> {
    let variable = program.variable(id);
    let name = variable.name.as_deref()?;
    if !crate::express::is_integer(&variable.source_type) {
        return None;
    }
    match machine.value(id)? {
        Value::Bv(value) => {
            let digits = decimal(value, variable.is_signed);
            let suffix = match (value.width(), variable.is_signed) {
                (64, true) => "LL",
                (64, false) => "ULL",
                (32, false) => "U",
                _ => "",
            };
            // The smallest number has no literal of its own.
            match value.is_negative() && variable.is_signed {
                true => Some(format!("{name} == -{}{suffix} - 1", value.not().to_decimal())),
                false => Some(format!("{name} == {digits}{suffix}")),
            }
        }
        _ => None,
    }
}

/// Where the error of a property is: the call of the error function, also if it is inside a
/// function that asserts something.
pub fn target(program: &Program, property: usize, text: &[u8]) -> Place {
    let span = program.properties[property].span;
    let here = place_of(program, span);
    let (mut source, mut names) = (Source::new(text), Names::default());
    let Ok(tokens) = lex(&mut source, &mut names) else { return here };
    let location = |lexeme: &Lexeme| source.location(lexeme.span.start);
    let is_here = |lexeme: &&Lexeme| {
        let at = location(lexeme);
        (at.line, at.column) == (span.line as usize, span.column as usize)
            && at.file.as_deref().is_none_or(|file| file == here.file)
    };
    let Some(Token::Name(name)) = tokens.iter().find(is_here).map(|l| &l.token) else {
        return here;
    };
    if is_error(names.text(*name), true) {
        return here;
    }
    // The body of the function that is called here.
    let is =
        |at: usize, punct: Punct| tokens.get(at).is_some_and(|l| l.token == Token::Punct(punct));
    for start in 0..tokens.len() {
        if tokens[start].token != Token::Name(*name) || !is(start + 1, Punct::Open) {
            continue;
        }
        let Some(close) = (start..tokens.len()).find(|&at| is(at, Punct::Close)) else { continue };
        if !is(close + 1, Punct::BraceOpen) {
            continue;
        }
        let mut depth = 0;
        for (at, lexeme) in tokens.iter().enumerate().skip(close + 1) {
            depth += usize::from(is(at, Punct::BraceOpen));
            depth -= usize::from(is(at, Punct::BraceClose));
            if depth == 0 {
                break;
            }
            if let Token::Name(inner) = lexeme.token
                && is_error(names.text(inner), false)
                && is(at + 1, Punct::Open)
            {
                let at = location(lexeme);
                let file = at.file.unwrap_or_else(|| here.file.clone());
                let function = Some(names.text(*name).to_owned());
                let (line, column) = (at.line as u32, Some(at.column as u32));
                return Place { file, line, column, function };
            }
        }
    }
    here
}
