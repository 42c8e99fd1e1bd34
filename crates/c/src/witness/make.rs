//! Witnesses of our own runs and proofs.

use super::observe::{Point, observe};
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
use std::collections::BTreeSet;

/// Longer sequences help nobody; what is left out is found again by the search.
const MAX_WAYPOINTS: usize = 10_000;

/// The waypoints of a run that was replayed: the values that came from outside, as assumptions
/// about the variables that got them, the branches that such values decided, and the target.
pub fn violation(program: &Program, trace: &ProgramTrace, text: &[u8]) -> Vec<Vec<Waypoint>> {
    let starts = statement_starts(text);
    // Each with the places that it may have, the best one first.
    let mut waypoints: Vec<Vec<Waypoint>> = Vec::new();
    let visit = |index: usize, machine: &Machine<'_>| {
        let at = trace.steps[index].edge;
        let edge = program.edge(at);
        let Action::Step(step) = &edge.action else { return };
        let is_asked = step.inputs.iter().any(|i| matches!(i.kind, InputKind::Asked(_)));
        // Witnesses know no places in the library.
        let is_library = program.files.get(edge.span.file as usize).is_some_and(|f| f == LIBRARY);
        if !is_asked || is_library || waypoints.len() >= MAX_WAYPOINTS {
            return;
        }
        if let Some(is_true) = branch(program, at, edge) {
            let constraint = Constraint::Branching(is_true.to_string());
            waypoints.push(vec![waypoint(program, at, edge.span, constraint)]);
        } else if let Some(next) = statement_after(program, trace, index) {
            let known = step.updates.iter().filter_map(|(id, _)| value(program, machine, *id));
            let known: Vec<String> = known.collect();
            if !known.is_empty() {
                let constraint = Constraint::Assumption(known.join(" && "));
                let around =
                    start_before(program, &starts, next).filter(|start| *start > edge.span);
                let places = std::iter::once(next).chain(around.filter(|start| *start != next));
                let of = |place| waypoint(program, at, place, constraint.clone());
                waypoints.push(places.map(of).collect());
            }
        }
    };
    // The trace was replayed before.
    let _ = replay_with(program, trace, visit);
    let target = target(program, trace.property, text);
    let last = Waypoint { constraint: Constraint::Target, is_avoided: false, place: target };
    let chosen = with_marks(text, waypoints).into_iter().chain([last]);
    chosen.map(|waypoint| vec![waypoint]).collect()
}

/// Of each waypoint the first place that can be marked; those without one are left out, since a
/// witness with them could not be judged.
fn with_marks(text: &[u8], waypoints: Vec<Vec<Waypoint>>) -> Vec<Waypoint> {
    let points = waypoints.iter().flatten().map(|waypoint| {
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
    let choose = |places: Vec<Waypoint>| {
        let can_be: Vec<bool> = marks.by_ref().take(places.len()).map(|m| m.is_ok()).collect();
        let mut places = places.into_iter().zip(can_be);
        places.find(|(_, can_be)| *can_be).map(|(waypoint, _)| waypoint)
    };
    waypoints.into_iter().filter_map(choose).collect()
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
