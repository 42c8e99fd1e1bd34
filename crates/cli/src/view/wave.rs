//! A waveform in the terminal. Single bits are drawn as lines, words as values; `x` does not
//! matter for the violation. Only signals in the cone of the violated property are shown,
//! unless all are asked for, and long traces are cut in the middle.

use pedra_formats::text::printable;
use pedra_formats::vcd::{Signal, SignalKind, Waves};
use pedra_model::value::{Ternary, TernaryBv};
use std::fmt::Write as _;

/// How a waveform is drawn.
#[derive(Clone, Debug)]
pub struct WaveStyle {
    /// Columns of the terminal.
    pub columns: usize,
    /// Also signals outside of the cone.
    pub all: bool,
    /// At most this many signals.
    pub max_signals: usize,
    /// With colours.
    pub color: bool,
}

const NAME_COLUMNS: usize = 24;

/// Draws the waves; ends with a newline.
pub fn draw(waves: &Waves, style: &WaveStyle) -> String {
    let candidates = waves.signals.iter().filter(|s| style.all || s.in_cone);
    let mut shown: Vec<&Signal> = candidates.collect();
    // A constraint is true all along: no need to show it. Wires repeat what states say.
    shown.retain(|s| style.all || s.kind != SignalKind::Constraint);
    shown.sort_by_key(|s| s.kind);
    let hidden = shown.len().saturating_sub(style.max_signals);
    shown.truncate(style.max_signals);

    let name_width = shown.iter().map(|s| s.name.chars().count()).max().unwrap_or(0);
    let name_width = name_width.clamp(4, NAME_COLUMNS);
    let cell = shown.iter().flat_map(|s| &s.values).map(|v| value_text(v).chars().count());
    // Four cells fit in any terminal but the narrowest; the number of a step fits in a cell.
    let widest = (style.columns.saturating_sub(name_width + 2) / 4).clamp(3, 19);
    let label = waves.steps.saturating_sub(1).to_string().len();
    let cell = (cell.max().unwrap_or(1).max(2) + 1).min(widest).max(label + 1);
    let room = style.columns.saturating_sub(name_width + 2) / cell;
    let steps = visible_steps(waves.steps, room.max(4));

    let mut text = String::new();
    let _ = write!(text, "{:>name_width$} ", "step");
    for step in &steps {
        let label = step.map_or("…".to_owned(), |s| s.to_string());
        let _ = write!(text, " {label:<width$}", width = cell - 1);
    }
    trim_and_break(&mut text);
    for signal in shown {
        draw_signal(&mut text, signal, &steps, name_width, cell, style);
    }
    if hidden > 0 {
        let _ = writeln!(text, "{:>name_width$}  … and {hidden} more signals (see --vcd)", "");
    }
    text
}

/// All steps, or the first and the last ones with a gap.
fn visible_steps(steps: usize, room: usize) -> Vec<Option<usize>> {
    if steps <= room {
        return (0..steps).map(Some).collect();
    }
    let tail = (room - 1) * 2 / 3;
    let head = room - 1 - tail;
    let first = (0..head).map(Some);
    first.chain([None]).chain((steps - tail..steps).map(Some)).collect()
}

fn draw_signal(
    text: &mut String,
    signal: &Signal,
    steps: &[Option<usize>],
    name_width: usize,
    cell: usize,
    style: &WaveStyle,
) {
    let name = shorten(&printable(&signal.name), name_width);
    let (on, off) = match (style.color, signal.kind) {
        (false, _) => ("", ""),
        (true, SignalKind::Bad) => ("\x1b[1;31m", "\x1b[0m"),
        (true, SignalKind::Input) => ("\x1b[36m", "\x1b[0m"),
        (true, SignalKind::State) => ("\x1b[32m", "\x1b[0m"),
        (true, _) => ("\x1b[2m", "\x1b[0m"),
    };
    let _ = write!(text, "{on}{name:>name_width$}{off} ");
    let mut before: Option<&TernaryBv> = None;
    for step in steps {
        let Some(step) = step else {
            let _ = write!(text, " {:<width$}", "…", width = cell - 1);
            before = None;
            continue;
        };
        let value = &signal.values[*step];
        let changed = before.is_some_and(|b| b != value);
        if value.width() == 1 {
            text.push_str(&bit_cell(value.bit(0), before.map(|b| b.bit(0)), cell));
        } else {
            let edge = if changed || before.is_none() { '|' } else { ' ' };
            let shown =
                if changed || before.is_none() { value_text(value) } else { "·".to_owned() };
            let _ = write!(text, "{edge}{:<width$}", shorten(&shown, cell - 1), width = cell - 1);
        }
        before = Some(value);
    }
    trim_and_break(text);
}

/// A bit as a line: `▔` high, `▁` low, an edge where it changes, `x` where it does not matter.
fn bit_cell(bit: Ternary, before: Option<Ternary>, cell: usize) -> String {
    let (line, edge) = match bit {
        Ternary::True => ('▔', if before == Some(Ternary::False) { '╱' } else { '▔' }),
        Ternary::False => ('▁', if before == Some(Ternary::True) { '╲' } else { '▁' }),
        Ternary::Unknown => ('x', ' '),
    };
    let edge = if bit == Ternary::Unknown { ' ' } else { edge };
    let body = if bit == Ternary::Unknown {
        format!("{:<w$}", line, w = cell - 1)
    } else {
        line.to_string().repeat(cell - 1)
    };
    format!("{edge}{body}")
}

/// Short words in binary, known ones in hexadecimal, others digit by digit with `x`.
pub fn value_text(value: &TernaryBv) -> String {
    let width = value.width();
    if width <= 4 {
        return value.to_digits();
    }
    if value.known_mask().is_zero() {
        return "x".to_owned();
    }
    let nibbles = width.div_ceil(4);
    let mut text = String::new();
    for n in (0..nibbles).rev() {
        let bits: Vec<Ternary> = (4 * n..(4 * n + 4).min(width)).map(|i| value.bit(i)).collect();
        let known: Option<u32> =
            bits.iter().rev().try_fold(0, |sum, b| b.known().map(|bit| sum * 2 + bit as u32));
        text.push(known.map_or('x', |d| char::from_digit(d, 16).unwrap_or('x')));
    }
    text
}

/// Keeps the end, which tells most: of a name the signal, of a value the low bits.
fn shorten(text: &str, width: usize) -> String {
    let length = text.chars().count();
    if length <= width {
        return text.to_owned();
    }
    let kept: String = text.chars().skip(length - (width - 1)).collect();
    format!("…{kept}")
}

fn trim_and_break(text: &mut String) {
    while text.ends_with(' ') {
        text.pop();
    }
    text.push('\n');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_small_waveform() {
        let signal = |name: &str, kind, values: &[&str]| Signal {
            name: name.to_owned(),
            kind,
            in_cone: name != "noise",
            values: values.iter().map(|v| TernaryBv::parse(v).expect("digits")).collect(),
        };
        let signals = vec![
            signal("noise", SignalKind::Input, &["0", "0", "0"]),
            signal("count", SignalKind::State, &["00000001", "00000001", "0000xxxx"]),
            signal("enable", SignalKind::Input, &["0", "1", "x"]),
            signal("overflow", SignalKind::Bad, &["0", "0", "1"]),
        ];
        let style = WaveStyle { columns: 60, all: false, max_signals: 9, color: false };
        let text = draw(&Waves { signals, steps: 3 }, &style);
        let expected =
            "    step  0  1  2\noverflow ▁▁▁▁▁▁╱▔▔\n  enable ▁▁▁╱▔▔ x\n   count |01 · |0x\n";
        assert_eq!(text, expected);
    }

    #[test]
    fn wide_words_and_long_traces_keep_to_the_terminal() {
        let value = TernaryBv::parse(&"10".repeat(150)).expect("digits");
        let values = vec![value; 1200];
        let name = "top.a.very.long.name.of.a.word".to_owned();
        let signals = vec![Signal { name, kind: SignalKind::State, in_cone: true, values }];
        let waves = Waves { signals, steps: 1200 };
        for columns in [60, 80, 200] {
            let style = WaveStyle { columns, all: false, max_signals: 9, color: false };
            let text = draw(&waves, &style);
            let widths: Vec<usize> = text.lines().map(|l| l.chars().count()).collect();
            assert!(widths.iter().all(|&w| w <= columns), "{columns}: {widths:?}\n{text}");
            assert!(text.contains("1199"), "{text}");
        }
    }

    #[test]
    fn long_traces_are_cut_in_the_middle() {
        assert_eq!(visible_steps(3, 8).len(), 3);
        let cut = visible_steps(100, 8);
        assert_eq!(cut.len(), 8);
        assert_eq!(cut[0], Some(0));
        assert_eq!(cut[7], Some(99));
        assert_eq!(cut.iter().filter(|s| s.is_none()).count(), 1);
    }
}
