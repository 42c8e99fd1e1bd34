//! Pictures as SVG, written by hand: a few lines, circles and texts need no library, and text in
//! an SVG needs no fonts here.

use std::fmt::Write as _;

/// Colours that people with any kind of sight can tell apart (Okabe and Ito, 2008).
pub const COLORS: [&str; 7] =
    ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000"];

/// Text between tags.
pub fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// Text that is not wider than it should be.
pub fn shortened(text: &str, characters: usize) -> String {
    if text.chars().count() <= characters {
        return escaped(text);
    }
    escaped(&text.chars().take(characters - 1).chain(['…']).collect::<String>())
}

/// A picture that is being drawn.
pub struct Picture {
    text: String,
}

impl Picture {
    /// An empty one with a title, escaped already.
    pub fn new(width: f64, height: f64, title: &str) -> Picture {
        let text = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
             viewBox=\"0 0 {width} {height}\" font-family=\"Helvetica, Arial, sans-serif\" \
             font-size=\"12\" fill=\"#222222\">\n<title>{title}</title>\n\
             <rect width=\"{width}\" height=\"{height}\" fill=\"#ffffff\"/>\n"
        );
        let mut picture = Picture { text };
        picture.write(width / 2.0, 22.0, "middle", "font-size=\"14\" font-weight=\"bold\"", title);
        picture
    }

    /// What was drawn so far, to add to.
    pub fn text(&mut self) -> &mut String {
        &mut self.text
    }

    /// A text, escaped already; `anchor` is start, middle or end.
    pub fn write(&mut self, x: f64, y: f64, anchor: &str, more: &str, text: &str) {
        let _ = writeln!(
            self.text,
            "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\" {more}>{text}</text>"
        );
    }

    /// A text along the left side, upwards.
    pub fn write_upwards(&mut self, x: f64, y: f64, text: &str) {
        let turn = format!("transform=\"rotate(-90 {x:.1} {y:.1})\"");
        self.write(x, y, "middle", &turn, text);
    }

    /// A line.
    pub fn line(&mut self, from: (f64, f64), to: (f64, f64), style: &str) {
        let ((x1, y1), (x2, y2)) = (from, to);
        let _ = writeln!(
            self.text,
            "<line x1=\"{x1:.1}\" y1=\"{y1:.1}\" x2=\"{x2:.1}\" y2=\"{y2:.1}\" {style}/>"
        );
    }

    /// A point, with a text that shows when it is pointed at.
    pub fn point(&mut self, (x, y): (f64, f64), color: &str, title: Option<&str>) {
        let title = title.map(|t| format!("<title>{}</title>", escaped(t))).unwrap_or_default();
        let _ = writeln!(
            self.text,
            "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"4\" fill=\"{color}\" \
             fill-opacity=\"0.55\">{title}</circle>"
        );
    }

    /// A tick of the axis at the bottom: a line of the grid and its number.
    pub fn tick_x(&mut self, x: f64, (top, bottom): (f64, f64), label: &str) {
        self.line((x, top), (x, bottom), GRID);
        self.write(x, bottom + 16.0, "middle", "", label);
    }

    /// A tick of the axis on the left.
    pub fn tick_y(&mut self, y: f64, (left, right): (f64, f64), label: &str) {
        self.line((left, y), (right, y), GRID);
        self.write(left - 6.0, y + 4.0, "end", "", label);
    }

    /// The border of an area.
    pub fn frame(&mut self, (left, right): (f64, f64), (top, bottom): (f64, f64)) {
        let (width, height) = (right - left, bottom - top);
        let _ = writeln!(
            self.text,
            "<rect x=\"{left}\" y=\"{top}\" width=\"{width}\" height=\"{height}\" fill=\"none\" \
             stroke=\"#444444\"/>"
        );
    }

    /// The whole text.
    pub fn finish(mut self) -> String {
        self.text.push_str("</svg>\n");
        self.text
    }
}

/// The style of a line of a grid.
pub const GRID: &str = "stroke=\"#dddddd\"";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_safe_in_pictures() {
        assert_eq!(escaped("<a & b>"), "&lt;a &amp; b&gt;");
        assert_eq!(shortened("abcdef", 4), "abc…");
    }
}
