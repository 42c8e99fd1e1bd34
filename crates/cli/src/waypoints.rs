//! Invariants and sequences of waypoints as points that are marked in a program, and sequences as a
//! route through its marks.

use pedra_c::witness::observe::Point;
use pedra_c::witness::{Constraint, Invariant, Place, Waypoint};
use pedra_program::passes::follow::Segment;

/// The points of a sequence.
#[derive(Default)]
pub struct Shapes {
    /// What is marked, and where.
    pub points: Vec<(Place, Point)>,
    /// For each segment its points, by number: to avoid, and to follow.
    pub shapes: Vec<(Vec<usize>, Option<usize>)>,
    /// Why waypoints were left out.
    pub left_out: Vec<String>,
}

impl Shapes {
    /// Of segments.
    pub fn of<'w>(segments: impl Iterator<Item = &'w Vec<Waypoint>>) -> Shapes {
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
pub fn marked_route(
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

/// What is marked for invariants: all that is said of one place is one condition.
pub fn points_of(invariants: &[Invariant]) -> Result<Vec<(Place, Point)>, String> {
    let mut places: Vec<(Place, bool, Vec<String>)> = Vec::new();
    for invariant in invariants {
        if !is_closed(&invariant.value) {
            return Err(format!("witness: `{}` has a bracket too many", invariant.value));
        }
        let place = &invariant.place;
        let bare = |place: &Place| Place { function: None, ..place.clone() };
        let is_it = |(other, is_loop, _): &&mut (Place, bool, Vec<String>)| {
            (bare(other), *is_loop) == (bare(place), invariant.is_loop)
        };
        let value = format!("({})", invariant.value);
        match places.iter_mut().find(is_it) {
            Some((known, _, values)) => {
                match (&known.function, &place.function) {
                    (Some(one), Some(other)) if one != other => {
                        return Err(format!("witness: line {} is in two functions", place.line));
                    }
                    (None, function) => known.function = function.clone(),
                    _ => {}
                }
                values.push(value);
            }
            None => places.push((place.clone(), invariant.is_loop, vec![value])),
        }
    }
    let points = places.into_iter().map(|(place, is_loop, values)| {
        let value = values.join(" && ");
        (place, if is_loop { Point::Loop(value) } else { Point::Statement(value) })
    });
    Ok(points.collect())
}

/// Whether no bracket closes one that is outside of the text.
fn is_closed(text: &str) -> bool {
    let mut depth = 0_i64;
    text.chars().all(|c| {
        depth += i64::from(c == '(') - i64::from(c == ')');
        depth >= 0
    })
}
