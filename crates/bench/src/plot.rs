//! Plots as SVG: a cactus plot of all contenders, and a scatter plot of the first against each
//! other one.
//!
//! [`crate::growth`] draws a third kind.

use crate::contender::Contender;
use crate::run::Field;
use crate::table::Summary;
use pedra_formats::svg::{COLORS, Picture, shortened};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// Axes of time start here; what took less is drawn here.
pub(crate) const SHORTEST_SECONDS: f64 = 0.001;

/// Dashes, so that more contenders than colours stay apart.
pub(crate) const DASHES: [&str; 3] = ["none", "7 3", "2 3"];

/// The files that plots go to: the cactus plot, then one for each contender but the first.
pub fn paths(prefix: &Path, contenders: &[Contender]) -> Vec<PathBuf> {
    let plain = |name: &str| -> String {
        let keep = |c: char| if c.is_alphanumeric() { c } else { '-' };
        let text: String = name.chars().map(keep).collect();
        text.split('-').filter(|part| !part.is_empty()).collect::<Vec<_>>().join("-")
    };
    let file = |name: &str| {
        let mut path = prefix.as_os_str().to_owned();
        path.push(format!("-{name}.svg"));
        PathBuf::from(path)
    };
    let others = contenders.iter().enumerate().skip(1);
    // The number keeps names apart that differ only in signs.
    let others = others.map(|(number, c)| file(&format!("scatter-{number}-{}", plain(&c.name))));
    std::iter::once(file("cactus")).chain(others).collect()
}

/// A logarithmic axis of seconds along a side of the picture.
pub(crate) struct TimeAxis {
    /// The place of the shortest time and of the limit, in pixels.
    pub(crate) ends: (f64, f64),
    /// The longest time.
    pub(crate) limit: f64,
}

impl TimeAxis {
    pub(crate) fn at(&self, seconds: f64) -> f64 {
        let part = |s: f64| (s / SHORTEST_SECONDS).ln();
        let share = part(seconds.clamp(SHORTEST_SECONDS, self.limit)) / part(self.limit);
        self.ends.0 + share * (self.ends.1 - self.ends.0)
    }

    /// Powers of ten, and the limit. A power just below the limit would collide with it.
    pub(crate) fn ticks(&self) -> Vec<f64> {
        let powers = (-3..).map(|n| 10f64.powi(n)).take_while(|&s| s < 0.7 * self.limit);
        powers.chain([self.limit]).collect()
    }
}

/// How many models each contender solves in how much CPU time each.
pub fn cactus(field: &Field<'_>, summary: &Summary<'_>) -> String {
    let models = field.models.len();
    let solved: Vec<Vec<f64>> = (0..field.contenders.len())
        .map(|c| {
            let mut times: Vec<f64> = (0..models).filter_map(|m| summary.solved(m, c)).collect();
            times.sort_by(f64::total_cmp);
            times
        })
        .collect();
    let rows = field.contenders.len() as f64;
    let mut picture =
        Picture::new(680.0, 460.0 + 18.0 * rows, &format!("Solved models, of {models}"));
    let (columns, lines) = ((64.0, 656.0), (40.0, 400.0));
    let axis = TimeAxis { ends: (lines.1, lines.0 + 8.0), limit: field.limits.cpu as f64 };
    for seconds in axis.ticks() {
        picture.tick_y(axis.at(seconds), columns, &seconds.to_string());
    }
    let most = solved.iter().map(Vec::len).max().unwrap_or(0).max(1);
    let x_of = |count: f64| columns.0 + count / most as f64 * (columns.1 - columns.0 - 8.0);
    let step = round_step(most);
    for count in (0..=most).step_by(step) {
        picture.tick_x(x_of(count as f64), lines, &count.to_string());
    }
    picture.frame(columns, lines);
    picture.write(360.0, lines.1 + 36.0, "middle", "", "models solved");
    picture.write_upwards(18.0, (lines.0 + lines.1) / 2.0, "CPU seconds for each, at most");
    for (number, (times, who)) in solved.iter().zip(field.contenders).enumerate() {
        let dash = DASHES[number / COLORS.len() % DASHES.len()];
        let style = format!(
            "stroke=\"{}\" stroke-width=\"2\" stroke-linejoin=\"round\" stroke-dasharray=\"{dash}\"",
            COLORS[number % COLORS.len()]
        );
        let points = times.iter().enumerate();
        let points: Vec<String> = points
            .map(|(n, &t)| format!("{:.1},{:.1}", x_of((n + 1) as f64), axis.at(t)))
            .collect();
        let _ = writeln!(
            picture.text(),
            "<polyline points=\"{}\" fill=\"none\" {style}/>",
            points.join(" ")
        );
        let y = lines.1 + 58.0 + 18.0 * number as f64;
        picture.line((columns.0, y - 4.0), (columns.0 + 30.0, y - 4.0), &style);
        let text = format!("{} ({})", shortened(&who.name, 80), times.len());
        picture.write(columns.0 + 38.0, y, "start", "", &text);
    }
    picture.finish()
}

/// A step of 1, 2 or 5 times a power of ten that parts a number into about eight.
fn round_step(most: usize) -> usize {
    let mut step = 1;
    for factor in [2, 5, 10].into_iter().cycle() {
        if most / step <= 8 {
            break;
        }
        step = factor * 10usize.pow(step.ilog10());
    }
    step
}

/// The CPU time of the first contender against that of another one, a point a model; what one
/// of them has not solved lies on its border.
pub fn scatter(field: &Field<'_>, summary: &Summary<'_>, other: usize) -> String {
    let names = [&field.contenders[0].name, &field.contenders[other].name];
    let title = format!("{} and {}", shortened(names[0], 32), shortened(names[1], 32));
    let mut picture = Picture::new(560.0, 600.0, &title);
    let (columns, lines) = ((64.0, 536.0), (40.0, 512.0));
    // Between the limit and the border is the place of what was not solved.
    let border = 28.0;
    let limit = field.limits.cpu as f64;
    let x_axis = TimeAxis { ends: (columns.0, columns.1 - border), limit };
    let y_axis = TimeAxis { ends: (lines.1, lines.0 + border), limit };
    for seconds in x_axis.ticks() {
        picture.tick_x(x_axis.at(seconds), lines, &seconds.to_string());
        picture.tick_y(y_axis.at(seconds), columns, &seconds.to_string());
    }
    picture.line(
        (columns.0, lines.1),
        (columns.1 - border, lines.0 + border),
        "stroke=\"#888888\" stroke-dasharray=\"5 4\"",
    );
    picture.frame(columns, lines);
    let (faint, aside) = ("fill=\"#888888\" font-size=\"11\"", lines.0 + border / 2.0 + 4.0);
    picture.write(columns.0 + 6.0, aside, "start", faint, "not solved");
    let turn =
        format!("{faint} transform=\"rotate(-90 {0} {1})\"", columns.1 - 10.0, lines.1 - 6.0);
    picture.write(columns.1 - 10.0, lines.1 - 6.0, "start", &turn, "not solved");
    let (unsolved_x, unsolved_y) = (columns.1 - border / 2.0, lines.0 + border / 2.0);
    let mut counts = [0; 3];
    for model in 0..field.models.len() {
        if !summary.was_run(model, 0) || !summary.was_run(model, other) {
            continue;
        }
        let (first, second) = (summary.solved(model, 0), summary.solved(model, other));
        if first.is_none() && second.is_none() {
            continue;
        }
        let kind = if second.is_none() { 1 } else { 2 * usize::from(first.is_none()) };
        counts[kind] += 1;
        let x = first.map_or(unsolved_x, |t| x_axis.at(t));
        let y = second.map_or(unsolved_y, |t| y_axis.at(t));
        picture.point((x, y), COLORS[kind], Some(&field.models[model].name));
    }
    let label = |name: &str| format!("CPU seconds of {}", shortened(name, 44));
    picture.write(300.0, lines.1 + 36.0, "middle", "", &label(names[0]));
    picture.write_upwards(18.0, (lines.0 + lines.1) / 2.0, &label(names[1]));
    let texts = [
        "both solved".to_owned(),
        format!("only {}", shortened(names[0], 20)),
        format!("only {}", shortened(names[1], 20)),
    ];
    for (kind, (text, x)) in texts.iter().zip([70.0, 200.0, 380.0]).enumerate() {
        let y = lines.1 + 62.0;
        picture.point((x, y - 4.0), COLORS[kind], None);
        picture.write(x + 10.0, y, "start", "", &format!("{text} ({})", counts[kind]));
    }
    picture.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axes() {
        let steps: Vec<usize> = [1, 8, 9, 17, 41, 100, 1000].map(round_step).to_vec();
        assert_eq!(steps, [1, 1, 2, 2, 5, 20, 200]);
        let axis = TimeAxis { ends: (0.0, 100.0), limit: 100.0 };
        assert_eq!(axis.at(0.0001), 0.0);
        assert!((axis.at(0.1) - 40.0).abs() < 1e-9);
        assert_eq!(axis.at(1e9), 100.0);
        assert_eq!(axis.ticks(), [0.001, 0.01, 0.1, 1.0, 10.0, 100.0]);
        let axis = TimeAxis { ends: (0.0, 100.0), limit: 11.0 };
        assert_eq!(axis.ticks(), [0.001, 0.01, 0.1, 1.0, 11.0]);
    }
}
