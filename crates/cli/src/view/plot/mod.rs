//! Pictures of a run of word-level PDR, or of lifted PDR at one loop of a program: frames, units,
//! obligations and reached states, drawn in the plane of two variables, as in Figures 2 to 4 of
//! T. Welp and A. Kuehlmann, *QF_BV Model Checking with Property Directed Reachability*
//! (DATE 2013).
//!
//! [`story`] listens to the events of a run and keeps what changed; afterwards it is played back
//! and each step that is worth it becomes one picture: a row of plots, one for each frame. What
//! is drawn besides, the initial and the bad states and samples of reached ones, comes from the
//! model itself ([`scene`]). [`geometry`] finds the shape of a unit in the plane, [`draw`] writes
//! SVG, and [`page`] puts all steps on one page without any other file.

pub mod draw;
pub mod geometry;
pub mod page;
pub mod scene;
pub mod story;

use pedra_engines::program::reached_at;
use pedra_engines::{Event, RegionAtom};
use pedra_model::bv::Bv;
use pedra_model::program::PlaceId;
use pedra_model::system::System;
use pedra_model::term::Sort;
use pedra_model::value::Value;
use pedra_program::{Lowered, Program, VariableId};
use scene::Scene;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::{Arc, Mutex, PoisonError};
use story::Story;

/// At most this many pictures are made of a run; of more steps some are left out, evenly.
const MAX_PICTURES: usize = 120;

/// A variable to draw, and from where to where.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AxisRequest {
    /// The name of a state.
    pub name: String,
    /// The least and the greatest value that is shown; chosen by what happens if absent.
    pub range: Option<(i64, i64)>,
}

/// The two variables: `x,y` or with ranges `x=0..9,y=-5..5`; of a program with the line of a loop,
/// `x,y@12`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PlotRequest {
    /// To the right and upwards.
    pub axes: [AxisRequest; 2],
    /// The line of a loop.
    pub line: Option<u32>,
}

impl FromStr for PlotRequest {
    type Err = String;

    fn from_str(text: &str) -> Result<PlotRequest, String> {
        let (text, line) = match text.rsplit_once('@') {
            None => (text, None),
            Some((text, line)) => {
                let wrong = |_| format!("`{line}` is not a line; a loop is named as in x,y@12");
                (text, Some(line.trim().parse::<u32>().map_err(wrong)?))
            }
        };
        let axes: Vec<AxisRequest> = text.split(',').map(axis).collect::<Result<_, _>>()?;
        let axes: [AxisRequest; 2] =
            axes.try_into().map_err(|_| "two variables are needed, as in x,y".to_owned())?;
        if axes[0].name == axes[1].name {
            return Err("the two variables must differ".to_owned());
        }
        Ok(PlotRequest { axes, line })
    }
}

fn axis(text: &str) -> Result<AxisRequest, String> {
    let (name, range) = match text.split_once('=') {
        None => (text, None),
        Some((name, range)) => {
            let ends = range.split_once("..").and_then(|(low, high)| {
                Some((low.trim().parse::<i64>().ok()?, high.trim().parse::<i64>().ok()?))
            });
            let ends = ends.filter(|(low, high)| low < high);
            let wrong = || {
                format!(
                    "`{range}` is not a range; it should look like -5..20, with numbers below 2^63"
                )
            };
            (name, Some(ends.ok_or_else(wrong)?))
        }
    };
    if name.trim().is_empty() {
        return Err("a variable has no name".to_owned());
    }
    Ok(AxisRequest { name: name.trim().to_owned(), range })
}

/// An axis of the pictures.
#[derive(Clone, PartialEq, Debug)]
pub struct Axis {
    /// The state: an index into the system's states, or the program's variables.
    pub state: usize,
    /// Its name.
    pub name: String,
    /// Its width.
    pub width: u32,
    /// Whether it is drawn as a signed number.
    pub signed: bool,
    /// The least and the greatest value that is shown.
    pub range: (i64, i64),
}

impl Axis {
    /// The least and the greatest value of the variable, as far as machine integers hold them.
    pub fn domain(&self) -> (i64, i64) {
        let spare = 64 - self.width.min(64);
        if self.signed {
            (i64::MIN >> spare, i64::MAX >> spare)
        } else {
            (0, if spare == 0 { i64::MAX } else { (u64::MAX >> spare) as i64 })
        }
    }

    /// The number that a value is on it.
    pub fn number(&self, value: &Bv) -> Option<i64> {
        let (bits, spare) = (value.to_u64()?, 64 - self.width);
        match self.signed {
            true => Some((bits << spare) as i64 >> spare),
            false => i64::try_from(bits).ok(),
        }
    }
}

/// What the pictures are about.
enum Subject<'a> {
    /// A system, and the number from which random runs are made.
    System(&'a System, u64),
    /// A loop of a program: its cut point, and the values of both variables in states that random
    /// runs have reached there, each with the number of blocks on the way.
    Loop(usize, Vec<(usize, [Bv; 2])>),
}

/// Listens to a run and makes pictures of it.
pub struct Plotter<'a> {
    subject: Subject<'a>,
    request: PlotRequest,
    states: [usize; 2],
    widths: [u32; 2],
    /// By number of the engine.
    stories: Mutex<Vec<Story>>,
}

impl<'a> Plotter<'a> {
    /// For a model and two of its states.
    ///
    /// # Errors
    /// If a name is not that of a state, or of one that is no word of at most 64 bits.
    pub fn new(system: &'a System, request: PlotRequest, seed: u64) -> Result<Plotter<'a>, String> {
        let find = |axis: &AxisRequest| {
            let named = |s: &pedra_model::system::State| s.name.as_deref() == Some(&*axis.name);
            let state = system.states.iter().position(named);
            let state = state.ok_or_else(|| format!("there is no state `{}`", axis.name))?;
            let width = width_for(axis, system.terms.sort(system.states[state].term))?;
            Ok::<_, String>((state, width))
        };
        if let Some(line) = request.line {
            return Err(format!("a model has no loop; leave out @{line}"));
        }
        let [x, y] = [find(&request.axes[0])?, find(&request.axes[1])?];
        Ok(Plotter::of(Subject::System(system, seed), request, [x, y]))
    }

    /// For a loop of a program and two variables that matter there.
    ///
    /// # Errors
    /// If no loop is at the line, or a name is not that of a word of at most 64 bits that matters
    /// there.
    pub fn of_loop(
        program: &Program,
        lowered: &Arc<Lowered>,
        request: PlotRequest,
        seed: u64,
    ) -> Result<Plotter<'static>, String> {
        let blocks = &lowered.blocks;
        let line_of = |place: PlaceId| {
            let (_, known) = lowered.inlined.places[place.index()];
            let place = &program.procedure(known.procedure).places[known.place.index()];
            place.head_of.as_ref().map(|head| head.span.line)
        };
        let mut lines: Vec<u32> = blocks.cuts.iter().filter_map(|cut| line_of(cut.place)).collect();
        lines.sort_unstable();
        lines.dedup();
        let known: Vec<String> = lines.iter().map(u32::to_string).collect();
        let known = match known.is_empty() {
            true => "the program has none".to_owned(),
            false => format!("there are loops at {}", known.join(", ")),
        };
        let Some(line) = request.line else {
            return Err(format!("name a loop by its line, as in x,y@12; {known}"));
        };
        let cut = blocks.cuts.iter().position(|cut| line_of(cut.place) == Some(line));
        let cut = cut.ok_or_else(|| format!("no loop begins at line {line}; {known}"))?;
        let live = &blocks.cuts[cut].live;
        let name_of = |variable: VariableId| blocks.program.variable(variable).name.as_deref();
        let find = |axis: &AxisRequest| {
            let found = live.iter().position(|&v| name_of(v) == Some(&*axis.name));
            let position = found.ok_or_else(|| {
                let mut names: Vec<&str> = live.iter().filter_map(|&v| name_of(v)).collect();
                names.sort_unstable();
                names.dedup();
                let what = format!("no variable `{}` matters at line {line}", axis.name);
                format!("{what}; those that do: {}", names.join(", "))
            })?;
            let term = blocks.program.term_of(live[position]);
            let width = width_for(axis, blocks.program.terms.sort(term))?;
            Ok::<_, String>((position, (live[position].index(), width)))
        };
        let [(i, x), (j, y)] = [find(&request.axes[0])?, find(&request.axes[1])?];
        let states = reached_at(lowered.clone(), cut, seed).into_iter();
        let both = |state: &[Value]| [i, j].map(|at| state[at].as_bv().clone());
        let reached = states.map(|(step, state)| (step, both(&state))).collect();
        Ok(Plotter::of(Subject::Loop(cut, reached), request, [x, y]))
    }

    /// Both axes have a state and a width.
    fn of(subject: Subject<'a>, request: PlotRequest, axes: [(usize, u32); 2]) -> Plotter<'a> {
        let (states, widths) = (axes.map(|(state, _)| state), axes.map(|(_, width)| width));
        Plotter { subject, request, states, widths, stories: Mutex::default() }
    }

    /// Takes note of an event of an engine.
    pub fn hear(&self, engine: usize, event: &Event) {
        let mut stories = self.stories.lock().unwrap_or_else(PoisonError::into_inner);
        if stories.len() <= engine {
            let story = || match self.subject {
                Subject::System(..) => Story::default(),
                Subject::Loop(cut, _) => Story::at(cut),
            };
            stories.resize_with(engine + 1, story);
        }
        stories[engine].hear(event);
    }

    /// The pictures so far, of the engine that told most: one SVG text for each step, and the
    /// page with all of them.
    pub fn pictures(&self, title: &str) -> Pictures {
        let stories = self.stories.lock().unwrap_or_else(PoisonError::into_inner);
        let told = stories.iter().filter(|story| !story.regions().is_empty());
        let Some(story) = told.max_by_key(|story| story.regions().len()) else {
            return Pictures {
                steps: Vec::new(),
                captions: Vec::new(),
                page: page::page(title, &[], &[]),
            };
        };
        let axes = [0, 1].map(|n| self.axis(story, n));
        let scene = match &self.subject {
            Subject::System(system, seed) => Scene::new(system, axes, *seed),
            Subject::Loop(_, reached) => {
                let point = |(step, [x, y]): &(usize, [Bv; 2])| {
                    Some((*step, (axes[0].number(x)?, axes[1].number(y)?)))
                };
                let points = reached.iter().filter_map(point).collect();
                Scene::of_points(axes, points)
            }
        };
        let steps = story.steps(MAX_PICTURES);
        let all: Vec<String> = steps
            .iter()
            .enumerate()
            .map(|(number, step)| draw::picture(&scene, step, (number, steps.len()), title))
            .collect();
        let captions: Vec<&str> = steps.iter().map(|step| step.caption.as_str()).collect();
        let page = page::page(title, &captions, &all);
        let captions = captions.into_iter().map(str::to_owned).collect();
        Pictures { steps: all, captions, page }
    }

    /// An axis whose range holds what is asked for, or where most of the bounds lie.
    fn axis(&self, story: &Story, number: usize) -> Axis {
        let state = self.states[number];
        let asked = &self.request.axes[number];
        let width = self.widths[number];
        let (mut signed, mut bounds) = (None, Vec::new());
        for atom in story.regions().iter().flat_map(|region| &region.atoms) {
            let RegionAtom::AtMost { sum, bound } = atom else { continue };
            for product in sum.iter().filter(|product| product.state == state) {
                signed = Some(product.signed);
                bounds.extend(i64::try_from(bound / product.factor));
            }
        }
        let name = asked.name.clone();
        let mut axis = Axis { state, name, width, signed: true, range: (0, 1) };
        // If nobody says how the word is meant, a range may.
        let fits = asked.range.is_none_or(|(low, high)| low < 0 || high <= axis.domain().1);
        axis.signed = signed.unwrap_or(fits);
        axis.range = match asked.range {
            Some(asked) => within(asked, axis.domain()),
            None => scene::range_around(axis.domain(), bounds),
        };
        axis
    }
}

/// The width of a word that is to be drawn.
fn width_for(axis: &AxisRequest, sort: Sort) -> Result<u32, String> {
    let Some(width) = sort.width().filter(|&width| width <= 64) else {
        return Err(format!("`{}` is not a word of at most 64 bits", axis.name));
    };
    // Whether it is signed is not known yet.
    let (least, most) = (-1i128 << (width - 1), (1i128 << width) - 1);
    let is_outside = |&(low, high): &(i64, i64)| (high as i128) < least || low as i128 > most;
    match axis.range.filter(is_outside) {
        Some((low, high)) => {
            Err(format!("`{}` has {width} bits and no value in {low}..{high}", axis.name))
        }
        None => Ok(width),
    }
}

/// The part of a range that lies in the domain of its variable, at least two values of it: beyond
/// are no values, only those of the domain once more.
fn within((low, high): (i64, i64), (least, greatest): (i64, i64)) -> (i64, i64) {
    (low.clamp(least, greatest - 1), high.clamp(least + 1, greatest))
}

/// What was drawn.
pub struct Pictures {
    /// One SVG text for each step.
    pub steps: Vec<String>,
    /// What happens in each step.
    pub captions: Vec<String>,
    /// The page that shows them one after the other.
    pub page: String,
}

impl Pictures {
    /// The files: `PREFIX-001.svg` and so on, and `PREFIX.html`.
    pub fn files(&self, prefix: &Path) -> Vec<(PathBuf, &str)> {
        let steps = self.steps.iter().enumerate();
        let steps = steps.map(|(n, svg)| (step_path(prefix, n), svg.as_str()));
        steps.chain([(page_path(prefix), self.page.as_str())]).collect()
    }

    /// The pictures with their captions.
    pub fn captioned(self) -> Vec<(String, String)> {
        self.captions.into_iter().zip(self.steps).collect()
    }
}

fn with_ending(prefix: &Path, ending: &str) -> PathBuf {
    let mut path = prefix.as_os_str().to_owned();
    path.push(ending);
    PathBuf::from(path)
}

/// Where the page goes.
pub fn page_path(prefix: &Path) -> PathBuf {
    with_ending(prefix, ".html")
}

/// Where the picture of a step goes, counted from 0.
fn step_path(prefix: &Path, number: usize) -> PathBuf {
    with_ending(prefix, &format!("-{:03}.svg", number + 1))
}

/// All files that the pictures of a run may become.
pub fn all_paths(prefix: &Path) -> impl Iterator<Item = PathBuf> {
    let steps = (0..MAX_PICTURES).map(move |number| step_path(prefix, number));
    steps.chain([page_path(prefix)])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_end_where_the_domain_does() {
        assert_eq!(within((-5, 300), (0, 255)), (0, 255));
        assert_eq!(within((3, 9), (0, 255)), (3, 9));
        assert_eq!(within((300, 400), (0, 255)), (254, 255));
        assert_eq!(within((-9, -7), (0, 1)), (0, 1));
        assert_eq!(within((i64::MIN, i64::MAX), (i64::MIN, i64::MAX)), (i64::MIN, i64::MAX));
    }

    #[test]
    fn requests() {
        let plain: PlotRequest = "x, n".parse().expect("a request");
        assert_eq!(plain.axes.map(|a| (a.name, a.range)), [("x".into(), None), ("n".into(), None)]);
        let ranges: PlotRequest = "x=0..9,y=-5..5".parse().expect("a request");
        assert_eq!(ranges.axes[1].range, Some((-5, 5)));
        let of_loop: PlotRequest = "x=0..9,y@12".parse().expect("a request");
        assert_eq!((of_loop.line, of_loop.axes[0].range), (Some(12), Some((0, 9))));
        for wrong in [
            "x,y@", "x,y@loop", "x@3,y", "x", "x,y,z", "x,x", "x=1,y", "x=5..1,y", ",y", "x=a..b,y",
        ] {
            assert!(wrong.parse::<PlotRequest>().is_err(), "{wrong}");
        }
    }
}
