//! A design in RTLIL, the text form that Yosys keeps designs in: modules and who uses them, ports,
//! wires, memories, and the cells that have to do with time or properties. The form has one thing
//! a line, so this reads lines and no more.

use crate::signal::{Bit, Wires, constant};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

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

/// A memory.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) struct Memory {
    /// The lowest address.
    pub(crate) offset: i64,
    /// How many words it has.
    pub(crate) size: u64,
    /// The width of a word.
    pub(crate) width: usize,
    /// The number of its line.
    pub(crate) line: usize,
}

/// A cell.
#[derive(Default)]
pub(crate) struct Cell<'a> {
    pub(crate) kind: &'a str,
    pub(crate) name: &'a str,
    pub(crate) src: String,
    /// The number of its first line.
    pub(crate) line: usize,
    /// Values of parameters, and the lines that they stand on; as for `connects` only those of
    /// cells that [`is_of_interest`].
    pub(crate) parameters: BTreeMap<&'a str, (usize, &'a str)>,
    /// The signals at its ports.
    pub(crate) connects: BTreeMap<&'a str, (usize, &'a str)>,
}

impl<'a> Cell<'a> {
    /// The text of a parameter.
    pub(crate) fn parameter(&self, name: &str) -> Option<&'a str> {
        self.parameters.get(name).map(|(_, text)| *text)
    }

    /// The bits of a parameter, the lowest one first.
    pub(crate) fn parameter_bits(&self, name: &str) -> Option<Vec<Bit>> {
        constant(self.parameter(name)?)
    }

    /// Whether a parameter of one bit is 1.
    pub(crate) fn is_on(&self, name: &str) -> bool {
        self.parameter_bits(name).is_some_and(|bits| bits.first() == Some(&Bit::Constant('1')))
    }

    /// The text of the signal at a port.
    pub(crate) fn signal(&self, port: &str) -> Option<&'a str> {
        self.connects.get(port).map(|(_, text)| *text)
    }
}

/// A flat design.
pub(crate) struct Flat<'a> {
    /// Its text.
    pub(crate) lines: Vec<&'a str>,
    /// The name of the module, and the number of its first and last line.
    pub(crate) top: &'a str,
    pub(crate) first: usize,
    pub(crate) last: usize,
    /// Its ports, in their order.
    pub(crate) ports: Vec<Port>,
    pub(crate) wires: Wires<'a>,
    /// Initial values by wire.
    pub(crate) inits: BTreeMap<&'a str, &'a str>,
    pub(crate) memories: BTreeMap<&'a str, Memory>,
    pub(crate) cells: Vec<Cell<'a>>,
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

/// Whether the parameters and ports of a cell are kept; there are very many others.
fn is_of_interest(kind: &str) -> bool {
    is_property(kind) || has_state(kind)
}

/// Whether a cell is a property.
pub(crate) fn is_property(kind: &str) -> bool {
    matches!(kind, "$assert" | "$assume" | "$cover" | "$live" | "$fair" | "$check")
}

/// Whether a cell holds values over time, as far as its type tells: no other cell of Yosys has
/// such a type.
pub(crate) fn has_state(kind: &str) -> bool {
    let marks = ["ff", "FF", "latch", "LATCH", "$mem", "$fsm", "$anyinit"];
    kind == "$sr" || kind.starts_with("$_SR_") || marks.iter().any(|mark| kind.contains(mark))
}

impl<'a> Flat<'a> {
    /// Reads the top module of a text, or the first one if none is the top; nothing if there is no
    /// module, or if it is not RTLIL.
    pub(crate) fn read(text: &'a str) -> Option<Flat<'a>> {
        let lines: Vec<&str> = text.lines().collect();
        let mark = lines.iter().position(|line| *line == "attribute \\top 1").unwrap_or(0);
        let first = mark + lines[mark..].iter().position(|line| line.starts_with("module "))?;
        let last = first + lines[first..].iter().position(|line| *line == "end")?;
        let mut flat = Flat {
            lines,
            top: "",
            first,
            last,
            ports: Vec::new(),
            wires: Wires::default(),
            inits: BTreeMap::new(),
            memories: BTreeMap::new(),
            cells: Vec::new(),
        };
        flat.top = plain(flat.lines[first].strip_prefix("module ")?);
        flat.read_lines()?;
        flat.ports.sort_by_key(|port| port.number);
        Some(flat)
    }

    fn read_lines(&mut self) -> Option<()> {
        let (mut src, mut init) = (String::new(), None);
        let mut cell: Option<Cell<'a>> = None;
        for number in self.first + 1..self.last {
            let line = self.lines[number];
            let (word, rest) = line.trim_start().split_once(' ').unwrap_or((line.trim(), ""));
            match (word, &mut cell) {
                ("attribute", None) => match rest.split_once(' ') {
                    Some(("\\src", value)) => src = unquoted(value),
                    Some(("\\init", value)) => init = Some(value),
                    _ => {}
                },
                ("cell", None) => {
                    let (kind, name) = rest.split_once(' ')?;
                    let src = std::mem::take(&mut src);
                    cell = Some(Cell { kind, name, src, line: number, ..Cell::default() });
                }
                ("parameter" | "connect", Some(cell)) => {
                    let (name, value) = rest.split_once(' ')?;
                    // `parameter signed \X …` and the like are not asked for.
                    if is_of_interest(cell.kind) {
                        let is_port = word == "connect";
                        let list = if is_port { &mut cell.connects } else { &mut cell.parameters };
                        list.insert(plain(name), (number, value));
                    }
                }
                ("end", Some(_)) => self.cells.extend(cell.take()),
                (_, None) => {
                    match word {
                        "wire" => {
                            let name = self.read_wire(rest)?;
                            self.inits.extend(init.map(|value| (name, value)));
                        }
                        "memory" => self.read_memory(rest, number)?,
                        "connect" => self.wires.connect(rest)?,
                        _ => {}
                    }
                    (src, init) = (String::new(), None);
                }
                _ => {}
            }
        }
        Some(())
    }

    /// `width 8 input 2 \value`
    fn read_wire(&mut self, rest: &'a str) -> Option<&'a str> {
        let (mut width, mut number, mut is_input) = (1, None, false);
        let mut words = rest.split(' ');
        let name = loop {
            match words.next()? {
                "width" => width = words.next()?.parse().ok()?,
                "input" => (number, is_input) = (words.next()?.parse().ok(), true),
                "output" | "inout" => number = words.next()?.parse().ok(),
                "offset" => drop(words.next()),
                "upto" | "signed" => {}
                name => break name,
            }
        };
        self.wires.add(name, width as usize);
        if let Some(number) = number {
            self.ports.push(Port { name: plain(name).to_owned(), width, is_input, number });
        }
        Some(name)
    }

    /// `width 8 size 10 offset 1 \m`
    fn read_memory(&mut self, rest: &'a str, line: usize) -> Option<()> {
        let mut memory = Memory { offset: 0, size: 0, width: 1, line };
        let mut words = rest.split(' ');
        loop {
            match words.next()? {
                "width" => memory.width = words.next()?.parse().ok()?,
                "size" => memory.size = words.next()?.parse().ok()?,
                "offset" => memory.offset = words.next()?.parse().ok()?,
                name => {
                    self.memories.insert(name, memory);
                    return Some(());
                }
            }
        }
    }
}

/// Changes of a flat design.
#[derive(Default)]
pub(crate) struct Changes {
    /// Lines by their number.
    lines: BTreeMap<usize, String>,
    /// Wires and cells that are added.
    wires: String,
    cells: String,
    count: usize,
}

impl Changes {
    /// Another text for a line.
    pub(crate) fn line(&mut self, number: usize, text: String) {
        self.lines.insert(number, text);
    }

    /// A new wire; gives its name.
    pub(crate) fn wire(&mut self, width: usize, init: Option<char>) -> String {
        let name = format!("$pedra${}", self.count);
        self.count += 1;
        if let Some(value) = init {
            let _ = writeln!(self.wires, "  attribute \\init 1'{value}");
        }
        let _ = writeln!(self.wires, "  wire width {width} {name}");
        name
    }

    /// A new cell with an output `out` of its own; gives that wire.
    pub(crate) fn cell(
        &mut self,
        kind: &str,
        parameters: &[(&str, usize)],
        ports: &[(&str, &str)],
        (out, width, init): (&str, usize, Option<char>),
    ) -> String {
        let wire = self.wire(width, init);
        let _ = writeln!(self.cells, "  cell {kind} {wire}$cell");
        for (name, value) in parameters {
            let _ = writeln!(self.cells, "    parameter \\{name} {value}");
        }
        for (port, signal) in ports.iter().chain([&(out, wire.as_str())]) {
            let _ = writeln!(self.cells, "    connect \\{port} {signal}");
        }
        self.cells.push_str("  end\n");
        wire
    }

    /// `select ? one : zero`
    pub(crate) fn mux(&mut self, select: &str, zero: &str, one: &str, width: usize) -> String {
        let ports = [("A", zero), ("B", one), ("S", select)];
        self.cell("$mux", &[("WIDTH", width)], &ports, ("Y", width, None))
    }

    /// Drives a signal by a wire.
    pub(crate) fn connect(&mut self, signal: &str, wire: &str) {
        let _ = writeln!(self.cells, "  connect {signal} {wire}");
    }

    /// The text with the changes.
    pub(crate) fn apply(&self, flat: &Flat<'_>) -> String {
        let mut out = String::new();
        for (number, line) in flat.lines.iter().enumerate() {
            if number == flat.last {
                out.push_str(&self.cells);
            }
            out.push_str(self.lines.get(&number).map_or(line, String::as_str));
            out.push('\n');
            if number == flat.first {
                out.push_str(&self.wires);
            }
        }
        out
    }
}

/// A name without the mark that tells where it comes from.
pub(crate) fn plain(name: &str) -> &str {
    name.strip_prefix(['\\', '$']).unwrap_or(name)
}

/// A string without its quotes and escapes.
pub(crate) fn unquoted(text: &str) -> String {
    let inner = text.strip_prefix('"').and_then(|t| t.strip_suffix('"')).unwrap_or(text);
    inner.replace("\\\"", "\"").replace("\\\\", "\\")
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    pub(crate) const FLAT: &str = r#"# Generated by Yosys 0.70
autoidx 3
attribute \top 1
attribute \src "a.sv:1.1-9.9"
module \top
  attribute \src "a.sv:2.1-2.4"
  wire width 8 input 2 \value
  wire input 1 \clk
  attribute \init 4'0000
  wire width 4 offset 1 upto output 3 \out
  wire $inner
  memory width 8 size 10 offset 1 \m
  cell $dff $procdff$1
    parameter \CLK_POLARITY 1'1
    parameter \WIDTH 8
    connect \CLK \clk
    connect \Q \out
  end
  attribute \src "b.sv:7.3-7.9|a.sv:5.3-5.9"
  cell $check \u.safe
    parameter \FLAVOR "cover"
    parameter \TRG_WIDTH 1
    parameter \TRG_ENABLE 1
    parameter \TRG_POLARITY 1'1
    connect \TRG \clk
    connect \A $inner
  end
  cell $assert $assert$a.sv:6$2
    connect \A $inner
    connect \EN 1'1
  end
  connect $inner \out [0]
end
"#;

    #[test]
    fn a_module_line_by_line() {
        let flat = Flat::read(FLAT).expect("a module");
        assert_eq!(flat.top, "top");
        let ports: Vec<(&str, u32, bool)> =
            flat.ports.iter().map(|p| (&*p.name, p.width, p.is_input)).collect();
        assert_eq!(ports, [("clk", 1, true), ("value", 8, true), ("out", 4, false)]);
        assert_eq!(flat.inits.get("\\out"), Some(&"4'0000"));
        assert_eq!(
            flat.memories.get("\\m"),
            Some(&Memory { offset: 1, size: 10, width: 8, line: 11 })
        );
        let bit = |text: &str| flat.wires.root(flat.wires.bits(text).expect("a signal")[0]);
        assert_eq!(bit("$inner"), bit("\\out [0]"));
        assert!(Flat::read("# nothing\n").is_none());
    }

    #[test]
    fn changes_are_written() {
        let flat = Flat::read(FLAT).expect("a module");
        let mut changes = Changes::default();
        assert_eq!(changes.apply(&flat), FLAT);
        let wire = changes.mux("\\clk", "1'0", "$inner", 1);
        let (line, _) = flat.cells[2].connects["A"];
        changes.line(line, format!("    connect \\A {wire}"));
        let text = changes.apply(&flat);
        let changed = Flat::read(&text).expect("still a module");
        assert_eq!(changed.cells[2].signal("A"), Some("$pedra$0"));
        assert_eq!(changed.cells[3].kind, "$mux");
        assert!(changed.wires.bits("$pedra$0").is_some());
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
