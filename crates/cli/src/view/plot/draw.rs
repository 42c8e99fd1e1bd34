//! One step of a run as a picture: a row of plots, one for each frame.

use super::Axis;
use super::geometry::{Shape, may_contain};
use super::scene::Scene;
use super::story::{Shown, Step};
use pedra_formats::svg::{Picture, escaped, shortened};
use std::fmt::Write as _;

/// At most this many frames are drawn: the first, and the last ones.
const MAX_FRAMES: usize = 6;
/// This many plots are side by side.
const COLUMNS: usize = 3;
/// A plot with what is around it.
const CELL: (f64, f64) = (300.0, 290.0);
/// The area of a plot within its cell: left, top, width, height.
const AREA: (f64, f64, f64, f64) = (54.0, 30.0, 230.0, 210.0);
/// The height of title and caption, and that of the legend.
const TOP: f64 = 58.0;
const LEGEND: f64 = 64.0;

/// Colours of Okabe and Ito, which people with any kind of sight can tell apart; all but the
/// dots also differ in their pattern or border.
const INITIAL: &str = "#0072b2";
const BAD: &str = "#d55e00";
const COVER: &str = "#888888";
const NEW: &str = "#009e73";
const OBLIGATION: &str = "#e69f00";
const REACHED: &str = "#000000";

/// The picture of a step, which is one of this many.
pub fn picture(
    scene: &Scene,
    step: &Step<'_>,
    (number, of): (usize, usize),
    title: &str,
) -> String {
    let has_invariant = step.lemmas.iter().any(|lemma| lemma.level.is_none());
    let frames = frames(step.top, has_invariant);
    let rows = frames.len().div_ceil(COLUMNS);
    let (width, height) = (CELL.0 * COLUMNS as f64, TOP + CELL.1 * rows as f64 + LEGEND);
    let mut picture = Picture::new(width, height, &shortened(title, 90));
    patterns(&mut picture, number);
    let caption = format!("step {} of {of}: {}", number + 1, escaped(&step.caption));
    picture.write(width / 2.0, 44.0, "middle", "", &caption);
    for (place, &frame) in frames.iter().enumerate() {
        let left = CELL.0 * (place % COLUMNS) as f64 + AREA.0;
        let top = TOP + CELL.1 * (place / COLUMNS) as f64 + AREA.1;
        let plot = Plot { scene, left, top, number };
        plot.draw(&mut picture, step, frame);
    }
    legend(&mut picture, number, height - LEGEND + 18.0);
    picture.finish()
}

/// Stands for what holds in all frames.
const ALL_FRAMES: usize = usize::MAX;

/// The frames that are drawn. An invariant may come before any frame is opened, and a proof may
/// need no other.
fn frames(top: usize, has_invariant: bool) -> Vec<usize> {
    if top == 0 && has_invariant {
        return vec![0, ALL_FRAMES];
    }
    if top < MAX_FRAMES {
        return (0..=top).collect();
    }
    std::iter::once(0).chain(top + 2 - MAX_FRAMES..=top).collect()
}

/// Patterns have the number of the step in their names, since a page holds many pictures.
fn patterns(picture: &mut Picture, number: usize) {
    let _ = writeln!(
        picture.text(),
        "<defs>\
         <pattern id=\"bad{number}\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\" \
         patternTransform=\"rotate(45)\"><line x1=\"0\" y1=\"0\" x2=\"0\" y2=\"6\" \
         stroke=\"{BAD}\" stroke-width=\"2\"/></pattern>\
         <pattern id=\"holes{number}\" width=\"4\" height=\"4\" patternUnits=\"userSpaceOnUse\">\
         <rect width=\"2\" height=\"2\" fill=\"{COVER}\"/></pattern></defs>"
    );
}

/// Where a plot is, and what all pictures share.
struct Plot<'a> {
    scene: &'a Scene,
    left: f64,
    top: f64,
    number: usize,
}

impl Plot<'_> {
    fn x(&self, value: f64) -> f64 {
        self.left + share(&self.scene.axes[0], value) * AREA.2
    }

    fn y(&self, value: f64) -> f64 {
        self.top + (1.0 - share(&self.scene.axes[1], value)) * AREA.3
    }

    fn draw(&self, picture: &mut Picture, step: &Step<'_>, frame: usize) {
        let name = match frame {
            0 => "frame 0: initial states".into(),
            ALL_FRAMES => "all frames".into(),
            _ => format!("frame {frame}"),
        };
        let middle = self.left + AREA.2 / 2.0;
        picture.write(middle, self.top - 8.0, "middle", "font-weight=\"bold\"", &name);
        let bad = format!("fill=\"url(#bad{})\" stroke=\"none\"", self.number);
        self.cells(picture, &self.scene.bad, &bad, "");
        let holds = |lemma: &&Shown<'_>| frame > 0 && lemma.level.is_none_or(|l| l >= frame);
        let (new, old): (Vec<_>, Vec<_>) =
            step.lemmas.iter().filter(holds).partition(|lemma| lemma.is_new);
        for (lemmas, color) in [(old, COVER), (new, NEW)] {
            lemmas.iter().for_each(|lemma| self.region(picture, lemma, color, ""));
        }
        for obligation in step.obligations.iter().filter(|o| o.level == Some(frame)) {
            let width = if obligation.is_new { 3.0 } else { 1.5 };
            let border = format!("stroke-dasharray=\"6 3\" stroke-width=\"{width}\"");
            self.region(picture, obligation, OBLIGATION, &border);
        }
        if frame == 0 {
            let style = format!("fill=\"{INITIAL}\" fill-opacity=\"0.45\" stroke=\"none\"");
            self.cells(picture, &self.scene.initial, &style, "");
        }
        for &(_, (x, y)) in self.scene.reached.iter().filter(|(step, _)| *step <= frame) {
            let inside = [(0, x), (1, y)].iter().all(|&(n, v): &(usize, i64)| {
                (self.scene.axes[n].range.0..=self.scene.axes[n].range.1).contains(&v)
            });
            if inside {
                let (x, y) = (self.x(x as f64), self.y(y as f64));
                let _ = writeln!(
                    picture.text(),
                    "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"2.2\" fill=\"{REACHED}\"/>"
                );
            }
        }
        self.axes(picture);
    }

    /// Cells of the plane; those side by side are one rectangle, and all are one path: between
    /// rectangles by themselves there would be seams.
    fn cells(&self, picture: &mut Picture, cells: &[(i64, i64)], style: &str, title: &str) {
        let [width, height] = self.scene.cell;
        let mut cells = cells.iter().copied().peekable();
        let mut path = String::new();
        while let Some((from, y)) = cells.next() {
            let mut to = from;
            while let Some((x, _)) = cells.next_if(|&next| next == (to.saturating_add(width), y)) {
                to = x;
            }
            let end = |from: i64, size: i64| from as f64 + size as f64 - 0.5;
            let (left, right) = (self.x(from as f64 - 0.5), self.x(end(to, width)));
            let (bottom, top) = (self.y(y as f64 - 0.5), self.y(end(y, height)));
            let (left, bottom) = (left.max(self.left), bottom.min(self.top + AREA.3));
            let (right, top) = (right.min(self.left + AREA.2), top.max(self.top));
            let _ = write!(path, "M{left:.1} {bottom:.1}H{right:.1}V{top:.1}H{left:.1}Z");
        }
        if !path.is_empty() {
            let _ = writeln!(picture.text(), "<path d=\"{path}\" {style}>{title}</path>");
        }
    }

    /// A region, with its text shown when it is pointed at.
    fn region(&self, picture: &mut Picture, shown: &Shown<'_>, color: &str, border: &str) {
        let shape = Shape::of(shown.region, &self.scene.axes);
        if shape.corners.is_empty() {
            return;
        }
        let title = format!("<title>{}</title>", escaped(&shown.region.text));
        let opacity = if shape.is_shadow { 0.15 } else { 0.4 };
        if shape.has_holes && self.scene.is_fine() {
            let stroke = if border.is_empty() { "none" } else { color };
            let style =
                format!("fill=\"{color}\" fill-opacity=\"{opacity}\" stroke=\"{stroke}\" {border}");
            self.cells(picture, &self.points_of(shown), &style, &title);
            return;
        }
        let fill = match shape.has_holes {
            true => format!("url(#holes{})", self.number),
            false => color.to_owned(),
        };
        let dash =
            if shape.is_shadow && border.is_empty() { "stroke-dasharray=\"2 3\"" } else { border };
        let corners: Vec<String> = shape
            .corners
            .iter()
            .map(|&(x, y)| format!("{:.1},{:.1}", self.x(x), self.y(y)))
            .collect();
        let _ = writeln!(
            picture.text(),
            "<polygon points=\"{}\" fill=\"{fill}\" fill-opacity=\"{opacity}\" \
             stroke=\"{color}\" {dash}>{title}</polygon>",
            corners.join(" ")
        );
    }

    fn points_of(&self, shown: &Shown<'_>) -> Vec<(i64, i64)> {
        let axes = &self.scene.axes;
        let (columns, rows) =
            (axes[0].range.0..=axes[0].range.1, axes[1].range.0..=axes[1].range.1);
        rows.flat_map(|y| columns.clone().map(move |x| (x, y)))
            .filter(|&point| may_contain(shown.region, axes, point))
            .collect()
    }

    fn axes(&self, picture: &mut Picture) {
        let (right, bottom) = (self.left + AREA.2, self.top + AREA.3);
        let faint = "stroke=\"#000000\" stroke-opacity=\"0.12\"";
        for value in ticks(self.scene.axes[0].range) {
            let x = self.x(value as f64);
            picture.line((x, self.top), (x, bottom), faint);
            picture.write(x, bottom + 14.0, "middle", "font-size=\"10\"", &value.to_string());
        }
        for value in ticks(self.scene.axes[1].range) {
            let y = self.y(value as f64);
            picture.line((self.left, y), (right, y), faint);
            picture.write(self.left - 5.0, y + 3.5, "end", "font-size=\"10\"", &value.to_string());
        }
        picture.frame((self.left, right), (self.top, bottom));
        let name = |n: usize| shortened(&self.scene.axes[n].name, 24);
        picture.write(self.left + AREA.2 / 2.0, bottom + 30.0, "middle", "", &name(0));
        picture.write_upwards(self.left - 36.0, self.top + AREA.3 / 2.0, &name(1));
    }
}

/// Where a value lies between the ends of an axis, from 0 to 1.
fn share(axis: &Axis, value: f64) -> f64 {
    let (low, high) = (axis.range.0 as f64 - 0.5, axis.range.1 as f64 + 0.5);
    (value - low) / (high - low)
}

/// About six round values.
fn ticks((low, high): (i64, i64)) -> Vec<i64> {
    let span = (high as i128 - low as i128).max(1);
    let mut step: i128 = 1;
    for factor in [2, 5, 10].into_iter().cycle() {
        if span / step <= 6 {
            break;
        }
        step = factor * 10i128.pow(step.ilog10());
    }
    let first = (low as i128).div_euclid(step) * step;
    let all = (0..).map(|n| first + n * step).skip_while(|&v| v < low as i128);
    all.take_while(|&v| v <= high as i128).map(|v| v as i64).collect()
}

fn legend(picture: &mut Picture, number: usize, top: f64) {
    let grey = "fill-opacity=\"0.4\"";
    let entries = [
        (format!("fill=\"{COVER}\" {grey} stroke=\"{COVER}\""), "excluded"),
        (format!("fill=\"{NEW}\" {grey} stroke=\"{NEW}\""), "excluded, new in this step"),
        (
            format!(
                "fill=\"{OBLIGATION}\" {grey} stroke=\"{OBLIGATION}\" stroke-dasharray=\"6 3\" stroke-width=\"2\""
            ),
            "to be excluded (obligation)",
        ),
        (format!("fill=\"url(#bad{number})\" stroke=\"{BAD}\""), "bad"),
        (format!("fill=\"{INITIAL}\" fill-opacity=\"0.45\" stroke=\"none\""), "initial"),
        (
            format!(
                "fill=\"{COVER}\" fill-opacity=\"0.15\" stroke=\"{COVER}\" stroke-dasharray=\"2 3\""
            ),
            "other variables matter, too",
        ),
    ];
    for (place, (style, text)) in entries.iter().enumerate() {
        let x = AREA.0 + 230.0 * (place % 4) as f64;
        let y = top + 22.0 * (place / 4) as f64;
        let _ = writeln!(
            picture.text(),
            "<rect x=\"{x}\" y=\"{}\" width=\"22\" height=\"13\" {style}/>",
            y - 11.0
        );
        picture.write(x + 29.0, y, "start", "", text);
    }
    let (x, y) = (AREA.0 + 460.0, top + 22.0);
    let dot =
        format!("<circle cx=\"{}\" cy=\"{}\" r=\"3\" fill=\"{REACHED}\"/>", x + 11.0, y - 4.5);
    let _ = writeln!(picture.text(), "{dot}");
    picture.write(x + 29.0, y, "start", "", "reached by random runs within the frame's steps");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn choices() {
        assert_eq!(frames(2, true), [0, 1, 2]);
        assert_eq!(frames(9, false), [0, 5, 6, 7, 8, 9]);
        assert_eq!((frames(0, false), frames(0, true)), (vec![0], vec![0, ALL_FRAMES]));
        assert_eq!(ticks((-3, 8)), [-2, 0, 2, 4, 6, 8]);
        assert_eq!(ticks((0, 255)), [0, 50, 100, 150, 200, 250]);
        assert!(ticks((i64::MIN, i64::MAX)).len() <= 8);
    }
}
