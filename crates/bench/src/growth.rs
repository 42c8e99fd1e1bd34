//! How time grows with the size of models: one small plot for each family of them.
//!
//! Models whose names differ only in a number before the ending, as `lin_8.btor2` and
//! `lin_64.btor2`, are a family, and the number is its size, such as the width of words. Both axes
//! are logarithmic, so that growth with a power of the size is a straight line.

use crate::models::Model;
use crate::plot::{DASHES, SHORTEST_SECONDS, TimeAxis};
use crate::run::Field;
use crate::table::Summary;
use pedra_formats::svg::{COLORS, GRID, Picture, shortened};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// This many plots are side by side.
const COLUMNS: usize = 4;
/// The size of a plot with what is around it.
const CELL: (f64, f64) = (220.0, 190.0);
/// The height of the title.
const TOP: f64 = 40.0;

/// A family: for each width the number of its model.
type Family = BTreeMap<u32, usize>;

/// The families with at least two widths, by name.
pub fn families(models: &[Model]) -> BTreeMap<String, Family> {
    let mut families: BTreeMap<String, Family> = BTreeMap::new();
    for (number, model) in models.iter().enumerate() {
        let stem = model.name.rsplit_once('.').map_or(&*model.name, |(stem, _)| stem);
        let Some((name, width)) = stem.rsplit_once('_') else { continue };
        if let Some(width) = width.parse().ok().filter(|&width| width > 0) {
            families.entry(name.to_owned()).or_default().insert(width, number);
        }
    }
    families.retain(|_, family| family.len() > 1);
    families
}

/// Where the picture goes, if there is something to draw.
pub fn path(prefix: &Path, models: &[Model]) -> Option<PathBuf> {
    if families(models).is_empty() {
        return None;
    }
    let mut path = prefix.as_os_str().to_owned();
    path.push("-growth.svg");
    Some(path.into())
}

fn style(contender: usize) -> String {
    format!(
        "stroke=\"{}\" stroke-width=\"1.8\" stroke-dasharray=\"{}\"",
        COLORS[contender % COLORS.len()],
        DASHES[contender / COLORS.len() % DASHES.len()]
    )
}

/// The picture: a plot for each family, a line for each contender.
pub fn growth(field: &Field<'_>, summary: &Summary<'_>) -> String {
    let families = families(field.models);
    let rows = families.len().div_ceil(COLUMNS);
    let columns = families.len().min(COLUMNS);
    let legend = 18.0 * field.contenders.len() as f64;
    let (width, height) = (CELL.0 * columns.max(2) as f64 + 20.0, TOP + CELL.1 * rows as f64);
    let title = "CPU seconds by size";
    let mut picture = Picture::new(width, height + legend + 24.0, title);
    for (place, (name, family)) in families.iter().enumerate() {
        let left = CELL.0 * (place % COLUMNS) as f64;
        let top = TOP + CELL.1 * (place / COLUMNS) as f64;
        draw_family(&mut picture, (left, top), name, family, (field, summary));
    }
    for (number, contender) in field.contenders.iter().enumerate() {
        let y = height + 18.0 * number as f64 + 18.0;
        picture.line((56.0, y - 4.0), (86.0, y - 4.0), &style(number));
        picture.write(94.0, y, "start", "", &shortened(&contender.name, 60));
    }
    let text = "a cross: not solved";
    picture.write(width - 12.0, height + 18.0, "end", "fill=\"#666666\"", text);
    picture.finish()
}

fn draw_family(
    picture: &mut Picture,
    (left, top): (f64, f64),
    name: &str,
    family: &Family,
    (field, summary): (&Field<'_>, &Summary<'_>),
) {
    let (columns, lines) = ((left + 52.0, left + CELL.0), (top + 20.0, top + CELL.1 - 36.0));
    let limit = (field.limits.cpu as f64).max(10.0 * SHORTEST_SECONDS);
    let axis = TimeAxis { ends: (lines.1, lines.0 + 14.0), limit };
    let ticks = axis.ticks();
    let every = ticks.len().div_ceil(4);
    for seconds in ticks.iter().rev().step_by(every) {
        picture.tick_y(axis.at(*seconds), columns, &seconds.to_string());
    }
    let least = family.keys().next().map_or(1.0, |&w| w as f64).ln();
    let most = family.keys().next_back().map_or(1.0, |&w| w as f64).ln();
    let x_of = |w: u32| {
        let share = ((w as f64).ln() - least) / (most - least);
        columns.0 + 10.0 + share * (columns.1 - columns.0 - 20.0)
    };
    for &width in family.keys() {
        picture.line((x_of(width), lines.0), (x_of(width), lines.1), GRID);
        picture.write(x_of(width), lines.1 + 15.0, "middle", "", &width.to_string());
    }
    picture.frame(columns, lines);
    let bold = "font-weight=\"bold\"";
    let middle = (columns.0 + columns.1) / 2.0;
    picture.write(middle, top + 14.0, "middle", bold, &shortened(name, 26));
    for contender in 0..field.contenders.len() {
        let mut points = Vec::new();
        for (&width, &model) in family {
            match summary.solved(model, contender) {
                Some(seconds) => points.push((x_of(width), axis.at(seconds))),
                None if summary.was_run(model, contender) => {
                    // Side by side, so that none hides another.
                    let aside = contender as f64 - (field.contenders.len() - 1) as f64 / 2.0;
                    let x = x_of(width) + 5.0 * aside;
                    cross(picture, (x, lines.0 + 6.0), contender);
                }
                None => {}
            }
        }
        let path: Vec<String> = points.iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
        let _ = writeln!(
            picture.text(),
            "<polyline points=\"{}\" fill=\"none\" {}/>",
            path.join(" "),
            style(contender)
        );
        for point in points {
            picture.point(point, COLORS[contender % COLORS.len()], None);
        }
    }
}

fn cross(picture: &mut Picture, (x, y): (f64, f64), contender: usize) {
    let style = format!("stroke=\"{}\" stroke-width=\"1.5\"", COLORS[contender % COLORS.len()]);
    picture.line((x - 3.0, y - 3.0), (x + 3.0, y + 3.0), &style);
    picture.line((x - 3.0, y + 3.0), (x + 3.0, y - 3.0), &style);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::models::{Expected, Kind};

    #[test]
    fn names_with_widths_are_families() {
        let model = |name: &str| Model {
            name: name.to_owned(),
            path: name.into(),
            kind: Kind::System,
            expected: Expected::Unknown,
            options: Vec::new(),
            category: String::new(),
        };
        let names = ["lin_8.btor2", "lin_64.btor2", "gen_di_16.aig", "gen_di_32.aig", "fifo.aag"];
        let models: Vec<Model> =
            names.into_iter().chain(["one_8.aag", "a_0.aag"]).map(model).collect();
        let found = families(&models);
        let widths: Vec<(&str, Vec<u32>)> =
            found.iter().map(|(n, f)| (n.as_str(), f.keys().copied().collect())).collect();
        assert_eq!(widths, [("gen_di", vec![16, 32]), ("lin", vec![8, 64])]);
        assert_eq!(path(Path::new("a/b"), &models), Some("a/b-growth.svg".into()));
        assert_eq!(path(Path::new("a/b"), &models[4..]), None);
    }
}
