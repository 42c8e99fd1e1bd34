//! What a design says of itself in RTLIL, the text form that Yosys keeps designs in: modules and
//! who uses them, ports, clocks, and the cells of properties. The form has one thing a line, so
//! this reads lines and no more.
//!
//! Properties get names of ours on the way (`NAME` and a number): the model has them
//! as symbols, so that each bad is known by the cell that it came from, whatever the passes in
//! between have done.

use std::collections::{BTreeMap, BTreeSet};

/// The start of our names for properties.
pub(crate) const NAME: &str = "pedra.property.";

/// A port of the top module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Port {
    /// Its name.
    pub name: String,
    /// Its width in bits.
    pub width: u32,
    /// Whether it is an input.
    pub is_input: bool,
    /// Its number in the list of ports.
    pub number: u32,
}

/// A signal that flip-flops, memories or checks wait for.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Clock {
    /// Its name, as RTLIL has it without the backslash.
    pub name: String,
    /// Whether they wait for its rising edge.
    pub is_rising: bool,
}

/// How time passes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Clocking {
    /// There is no clock: a step is a moment.
    None,
    /// A step is an edge of the one clock.
    One(Clock),
    /// A step is a moment; clocks are inputs like others.
    Many(BTreeSet<Clock>),
}

/// The cell of a property.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PropertyCell {
    /// `assert`, `assume`, `cover`, `live` or `fair`.
    pub flavor: String,
    /// Its name in RTLIL.
    pub name: String,
    /// Where it comes from: `file:line.column-line.column`, outer instances first, with `|`
    /// between.
    pub src: String,
}

/// What a flat design says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Facts {
    /// The name of the module.
    pub top: String,
    /// Its ports, in their order.
    pub ports: Vec<Port>,
    /// Its clocks.
    pub clocking: Clocking,
    /// Its properties; the index is the number in our names.
    pub properties: Vec<PropertyCell>,
    /// The types of cells that it has.
    cells: BTreeSet<String>,
}

impl Facts {
    /// Whether a cell of this type is there.
    pub fn has_cell(&self, kind: &str) -> bool {
        self.cells.contains(kind)
    }
}

/// A cell while its lines are read.
#[derive(Default)]
struct Cell {
    kind: String,
    name: String,
    src: String,
    parameters: BTreeMap<String, String>,
    connects: BTreeMap<String, String>,
}

/// The modules that no other module uses, in the order of the file; nothing if there is no module
/// at all. Black boxes and interfaces are none.
pub fn roots(text: &str) -> Option<Vec<String>> {
    let (mut modules, mut used) = (Vec::new(), BTreeSet::new());
    let mut is_box = false;
    for line in text.lines() {
        if let Some(attribute) = line.strip_prefix("attribute \\") {
            let marks = ["blackbox ", "whitebox ", "is_interface "];
            is_box |= marks.iter().any(|mark| attribute.starts_with(mark));
        } else if let Some(name) = line.strip_prefix("module ") {
            if !std::mem::take(&mut is_box) {
                modules.push(plain(name).to_owned());
            }
        } else if let Some(cell) = line.strip_prefix("  cell \\") {
            used.extend(cell.split(' ').next().map(str::to_owned));
        }
    }
    let has_modules = !modules.is_empty();
    modules.retain(|module| !used.contains(module));
    has_modules.then_some(modules)
}

/// Reads a flat design; gives what it says, and its text with our names for properties. Nothing if
/// there is no module.
pub fn name_properties(text: &str) -> Option<(Facts, String)> {
    let mut out = String::with_capacity(text.len());
    let (mut top, mut ports) = (None, Vec::new());
    let (mut clocks, mut properties) = (BTreeSet::new(), Vec::new());
    let mut cells = BTreeSet::new();
    let (mut src, mut cell): (String, Option<Cell>) = Default::default();
    for line in text.lines() {
        let (word, rest) = line.trim_start().split_once(' ').unwrap_or((line.trim(), ""));
        match (word, &mut cell) {
            ("module", None) => {
                top.get_or_insert_with(|| plain(rest).to_owned());
                src.clear();
            }
            ("attribute", None) => {
                if let Some(value) = rest.strip_prefix("\\src ") {
                    src = unquoted(value);
                }
            }
            ("wire", None) => {
                ports.extend(port(rest));
                src.clear();
            }
            ("cell", None) => {
                let (kind, name) = rest.split_once(' ').unwrap_or((rest, ""));
                cells.insert(kind.to_owned());
                let found = Cell {
                    kind: kind.to_owned(),
                    name: name.to_owned(),
                    src: std::mem::take(&mut src),
                    ..Cell::default()
                };
                if is_property(kind) {
                    out.push_str(&format!("  cell {kind} \\{NAME}{}\n", properties.len()));
                    properties.push(PropertyCell::default());
                } else {
                    out.push_str(line);
                    out.push('\n');
                }
                cell = Some(found);
                continue;
            }
            ("parameter" | "connect", Some(cell)) if cell.is_of_interest() => {
                // `parameter signed \X …` and the like: what is asked for below has one word.
                if let Some((name, value)) = rest.split_once(' ') {
                    let list =
                        if word == "connect" { &mut cell.connects } else { &mut cell.parameters };
                    list.insert(plain(name).to_owned(), value.to_owned());
                }
            }
            ("end", Some(_)) => {
                let found = cell.take().expect("matched above");
                clocks.extend(found.clock());
                if is_property(&found.kind) {
                    *properties.last_mut().expect("added with its line") = found.property();
                }
            }
            // What attributes belong to is not of interest.
            (_, None) => src.clear(),
            _ => {}
        }
        out.push_str(line);
        out.push('\n');
    }
    ports.sort_by_key(|port: &Port| port.number);
    let clocking = clocking(clocks, &cells);
    Some((Facts { top: top?, ports, clocking, properties, cells }, out))
}

/// One clock with one edge and no latch: a step can be that edge. A latch follows its input between
/// edges, so it needs moments.
fn clocking(clocks: BTreeSet<Clock>, cells: &BTreeSet<String>) -> Clocking {
    let has_latch = cells.iter().any(|kind| kind.contains("dlatch") || kind.as_str() == "$sr");
    let mut each = clocks.iter();
    match (each.next(), each.next()) {
        (None, _) => Clocking::None,
        (Some(clock), None) if !has_latch => Clocking::One(clock.clone()),
        _ => Clocking::Many(clocks),
    }
}

fn is_property(kind: &str) -> bool {
    matches!(kind, "$assert" | "$assume" | "$cover" | "$live" | "$fair" | "$check")
}

impl Cell {
    /// Whether it can tell of a clock or a property; there are very many others.
    fn is_of_interest(&self) -> bool {
        let kind = self.kind.as_str();
        is_property(kind)
            || kind.starts_with("$mem")
            || kind.contains("dff")
            || kind.contains("DFF")
    }

    /// The clock that it waits for, if it does.
    fn clock(&self) -> Option<Clock> {
        let is_on = |name: &str| self.parameters.get(name).is_some_and(|v| v.ends_with('1'));
        // Flip-flops; of those of gates the type has the edge, as in `$_DFF_P_`.
        let (port, is_rising) = match self.kind.as_str() {
            kind if kind.contains("dff") => ("CLK", is_on("CLK_POLARITY")),
            kind if kind.starts_with("$_") && kind.contains("DFF") => {
                ("C", !kind.contains("DFF_N") && !kind.contains("DFFE_N"))
            }
            "$memrd" | "$memwr" | "$memrd_v2" | "$memwr_v2" if is_on("CLK_ENABLE") => {
                ("CLK", is_on("CLK_POLARITY"))
            }
            "$check" if is_on("TRG_ENABLE") => ("TRG", is_on("TRG_POLARITY")),
            _ => return None,
        };
        // A property of an `initial` block has a trigger without any signal.
        let signal = self.connects.get(port).filter(|signal| signal.as_str() != "{ }")?;
        Some(Clock { name: plain(signal).to_owned(), is_rising })
    }

    fn property(self) -> PropertyCell {
        let flavor = match self.kind.as_str() {
            "$check" => self.parameters.get("FLAVOR").map(|f| unquoted(f)).unwrap_or_default(),
            kind => plain(kind).to_owned(),
        };
        PropertyCell { flavor, name: self.name, src: self.src }
    }
}

/// `width 8 input 2 \value`
fn port(rest: &str) -> Option<Port> {
    let (mut width, mut number, mut is_input) = (1, None, false);
    let mut words = rest.split(' ');
    loop {
        match words.next()? {
            "width" => width = words.next()?.parse().ok()?,
            "input" => (number, is_input) = (words.next()?.parse().ok(), true),
            "output" | "inout" => number = words.next()?.parse().ok(),
            "offset" => drop(words.next()),
            "upto" | "signed" => {}
            name => {
                return Some(Port {
                    name: plain(name).to_owned(),
                    width,
                    is_input,
                    number: number?,
                });
            }
        }
    }
}

/// A name without the mark that tells where it comes from.
fn plain(name: &str) -> &str {
    name.strip_prefix(['\\', '$']).unwrap_or(name)
}

/// A string without its quotes and escapes.
fn unquoted(text: &str) -> String {
    let inner = text.strip_prefix('"').and_then(|t| t.strip_suffix('"')).unwrap_or(text);
    inner.replace("\\\"", "\"").replace("\\\\", "\\")
}

#[cfg(test)]
mod tests {
    use super::*;

    const FLAT: &str = r#"# Generated by Yosys 0.70
autoidx 3
attribute \top 1
attribute \src "a.sv:1.1-9.9"
module \top
  attribute \src "a.sv:2.1-2.4"
  wire width 8 input 2 \value
  wire input 1 \clk
  wire width 4 offset 1 upto output 3 \out
  wire $inner
  cell $dff $procdff$1
    parameter \CLK_POLARITY 1'1
    parameter \WIDTH 8
    connect \CLK \clk
    connect \Q \out
  end
  attribute \src "b.sv:7.3-7.9|a.sv:5.3-5.9"
  cell $check \u.safe
    parameter \FLAVOR "cover"
    parameter \TRG_ENABLE 1
    parameter \TRG_POLARITY 1'1
    connect \TRG \clk
    connect \A $inner
  end
  cell $assert $assert$a.sv:6$2
    connect \A $inner
  end
  connect \a \b
end
"#;

    #[test]
    fn facts_of_a_design() {
        let (facts, text) = name_properties(FLAT).expect("a module");
        assert_eq!(facts.top, "top");
        let ports: Vec<(&str, u32, bool)> =
            facts.ports.iter().map(|p| (&*p.name, p.width, p.is_input)).collect();
        assert_eq!(ports, [("clk", 1, true), ("value", 8, true), ("out", 4, false)]);
        let clock = Clock { name: "clk".to_owned(), is_rising: true };
        assert_eq!(facts.clocking, Clocking::One(clock));
        let flavors: Vec<(&str, &str)> =
            facts.properties.iter().map(|p| (&*p.flavor, &*p.name)).collect();
        assert_eq!(flavors, [("cover", "\\u.safe"), ("assert", "$assert$a.sv:6$2")]);
        assert_eq!(facts.properties[0].src, "b.sv:7.3-7.9|a.sv:5.3-5.9");
        assert_eq!(facts.properties[1].src, "");
        let expected = FLAT.replace("\\u.safe", "\\pedra.property.0");
        let expected = expected.replace("$assert$a.sv:6$2", "\\pedra.property.1");
        assert_eq!(text, expected);
    }

    /// `initial assume (reset)`, as Yosys 0.70 writes it.
    #[test]
    fn a_property_at_the_start_waits_for_no_clock() {
        let initial = FLAT
            .replace("TRG \\clk", "TRG { }")
            .replace("POLARITY 1'1\n    connect \\TRG", "POLARITY 0'x\n    connect \\TRG");
        let (facts, _) = name_properties(&initial).expect("a module");
        let clock = Clock { name: "clk".to_owned(), is_rising: true };
        assert_eq!(facts.clocking, Clocking::One(clock));
    }

    #[test]
    fn several_clocks_and_latches() {
        let other_edge = FLAT.replacen("CLK_POLARITY 1'1", "CLK_POLARITY 1'0", 1);
        let latch = FLAT.replace("  connect \\a \\b\n", "  cell $dlatch $l\n  end\n");
        for text in [other_edge, latch] {
            let (facts, _) = name_properties(&text).expect("a module");
            assert!(matches!(facts.clocking, Clocking::Many(_)), "{:?}", facts.clocking);
        }
        assert!(name_properties("# nothing\n").is_none());
    }

    #[test]
    fn who_uses_whom() {
        let text = "module \\a\n  cell \\b \\u\n  end\nend\nmodule \\b\nend\n\
                    attribute \\blackbox 1\nmodule \\c\nend\nmodule \\d\nend\n";
        let names = |names: &[&str]| Some(names.iter().map(|&n| n.to_owned()).collect());
        assert_eq!(roots(text), names(&["a", "d"]));
        assert_eq!(roots("module \\a\n  cell \\a \\u\n  end\nend\n"), names(&[]));
        assert_eq!(roots("attribute \\blackbox 1\nmodule \\c\nend\n"), None);
    }
}
