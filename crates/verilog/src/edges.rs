//! Properties in clocked blocks. Yosys has two forms for `always @(posedge clk) if (c) assert (a)`:
//!
//! - *registers* (older versions): an `$assert` cell whose `A` and `EN` come from flip-flops that
//!   sample `a` and `c`, so it speaks one step after the edge;
//! - *triggers* (newer versions): a `$check` cell that waits for the edge.
//!
//! With one clock a step is the edge, and the property is about the values at the step. So the
//! flip-flops are left out: `A` and `EN` become what they sample. A trigger is removed.
//!
//! *Required for soundness*: no property and no assumption stays behind a flip-flop of its own. It
//! would be a step late, where the run may already be excluded, and where an asynchronous reset
//! clears it. What a reset does to the flip-flops counts at the edge itself.
//!
//! With several clocks the flip-flops stay, since they know when the edge is; only what resets
//! them without a clock is moved in front of them.

use crate::facts::{Clocking, Facts};
use crate::rtlil::{Cell, Changes, Flat, is_property};
use crate::signal::{Bit, constant};
use std::collections::{BTreeMap, BTreeSet};

/// A bit of a flip-flop.
struct Register<'a> {
    cell: &'a Cell<'a>,
    next: Bit,
    /// Signals that set it without a clock, the strongest last: the signal, its active value, and
    /// the value that it gives.
    resets: Vec<(Bit, bool, Bit)>,
}

/// Why a property cannot be stated.
pub(crate) struct Fault {
    /// The number of the property, if it is about one.
    pub(crate) property: Option<usize>,
    pub(crate) what: &'static str,
}

const MIXED: &str = "its condition waits for a clock, and its value does not: Yosys' passes have \
                     changed the registers that Yosys made for it";
const NOT_ZERO: &str = "the register that Yosys made for its condition does not start with 0";
const LEFT: &str = "a register that Yosys made for a property does not drive it any more: Yosys' \
                    passes have changed it";
const UNKNOWN: &str = "the register that Yosys made for it is of a type that is not known";
const IN_RESET: &str = "is stated in the branch of an asynchronous reset, which is supported only \
                        in designs with one clock; state it in a block of its own";
const TRIGGERS: &str = "is in a block with several edges (an asynchronous reset), and this version \
                        of Yosys loses the condition of the reset; state it in a block with the \
                        clock alone";

/// Moves the properties of clocked blocks to the step of the edge.
pub(crate) fn state_at_edges(
    flat: &Flat<'_>,
    facts: &Facts,
    changes: &mut Changes,
) -> Result<(), Fault> {
    let mut edges = Edges::new(flat, matches!(facts.clocking, Clocking::Many(_)));
    let cells = flat.cells.iter().filter(|cell| is_property(cell.kind));
    for (property, cell) in cells.enumerate() {
        let done = match cell.kind {
            "$check" => edges.remove_trigger(cell, changes),
            _ => edges.remove_registers(cell, changes),
        };
        done.map_err(|what| Fault { property: Some(property), what })?;
    }
    match edges.has_many_clocks || edges.all_are_moved() {
        true => Ok(()),
        false => Err(Fault { property: None, what: LEFT }),
    }
}

struct Edges<'a> {
    flat: &'a Flat<'a>,
    has_many_clocks: bool,
    /// The flip-flops by the bits that they drive.
    drivers: BTreeMap<Bit, (&'a Cell<'a>, usize)>,
    with_source_names: BTreeSet<Bit>,
    /// Bits with the initial value 0.
    zeros: BTreeSet<Bit>,
    /// The registers that were left out.
    moved: BTreeSet<Bit>,
}

impl<'a> Edges<'a> {
    fn new(flat: &'a Flat<'a>, has_many_clocks: bool) -> Edges<'a> {
        let mut drivers = BTreeMap::new();
        let has_clock = |cell: &&Cell<'_>| cell.signal("CLK").or(cell.signal("C")).is_some();
        for cell in flat.cells.iter().filter(has_clock) {
            let bits = cell.signal("Q").and_then(|q| flat.wires.bits(q)).unwrap_or_default();
            for (number, bit) in bits.into_iter().enumerate() {
                drivers.insert(flat.wires.root(bit), (cell, number));
            }
        }
        let mut zeros = BTreeSet::new();
        for (name, value) in &flat.inits {
            let (bits, values) = (flat.wires.bits(name), constant(value));
            let pairs = bits.unwrap_or_default().into_iter().zip(values.unwrap_or_default());
            let pairs = pairs.filter(|(_, value)| *value == Bit::Constant('0'));
            zeros.extend(pairs.map(|(bit, _)| flat.wires.root(bit)));
        }
        let with_source_names = flat.wires.with_source_names();
        let moved = BTreeSet::new();
        Edges { flat, has_many_clocks, drivers, with_source_names, zeros, moved }
    }

    /// With one clock a property that waits for its edge speaks at every step.
    fn remove_trigger(&self, cell: &Cell<'_>, changes: &mut Changes) -> Result<(), &'static str> {
        let trigger = cell.signal("TRG").and_then(|text| self.flat.wires.bits(text));
        match trigger.map(|bits| bits.len()) {
            _ if !cell.is_on("TRG_ENABLE") => return Ok(()),
            Some(0) => return Ok(()),
            Some(1) if self.has_many_clocks => return Ok(()),
            Some(1) => {}
            // *Required for soundness*: `proc` takes the reset for that of a flip-flop and drops
            // the branch that belongs to it.
            _ => return Err(TRIGGERS),
        }
        for (name, value) in [("TRG_ENABLE", "0"), ("TRG_WIDTH", "0"), ("TRG_POLARITY", "0'x")] {
            let (line, _) = *cell.parameters.get(name).ok_or(UNKNOWN)?;
            changes.line(line, format!("    parameter \\{name} {value}"));
        }
        changes.line(cell.connects["TRG"].0, "    connect \\TRG { }".to_owned());
        Ok(())
    }

    /// Whether every register that Yosys has made for a property was left out. A pass of a script
    /// may have put something between it and its property.
    fn all_are_moved(&self) -> bool {
        let is_made = |cell: &Cell<'_>| cell.signal("Q").is_some_and(|q| q.contains("$formal$"));
        self.drivers.iter().all(|(bit, (cell, _))| !is_made(cell) || self.moved.contains(bit))
    }

    fn remove_registers(
        &mut self,
        cell: &Cell<'_>,
        changes: &mut Changes,
    ) -> Result<(), &'static str> {
        let (Some(a), Some(en)) = (self.port(cell, "A"), self.port(cell, "EN")) else {
            return Err(UNKNOWN);
        };
        // It is never stated; passes of a script have found out.
        if en == Bit::Constant('0') {
            self.moved.insert(a);
            return Ok(());
        }
        // A register that the source names is one of the design: `always @* if (en) assert (a)`.
        // But it may be equal to that of the condition, and a script may have merged the two.
        let is_value_made = self.drivers.contains_key(&a) && self.is_made_for_property(a);
        match self.drivers.contains_key(&en) {
            false if is_value_made => return Err(MIXED),
            false => return Ok(()),
            true if self.with_source_names.contains(&en) && !is_value_made => return Ok(()),
            true => {}
        }
        let condition = self.register(en)?.ok_or(UNKNOWN)?;
        let value = self.register(a)?;
        if value.is_none() && !matches!(a, Bit::Constant(_)) {
            return Err(MIXED);
        }
        if self.has_many_clocks {
            return self.keep_registers(cell, &condition, value.as_ref(), changes);
        }
        if !self.zeros.contains(&en) {
            return Err(NOT_ZERO);
        }
        self.moved.extend([a, en]);
        let en = self.next(&condition, changes);
        connect(cell, "EN", &en, changes);
        if let Some(value) = &value {
            let a = self.next(value, changes);
            connect(cell, "A", &a, changes);
        }
        Ok(())
    }

    /// Flip-flops that nothing resets, if those of a property have resets.
    fn keep_registers(
        &self,
        cell: &Cell<'_>,
        condition: &Register<'_>,
        value: Option<&Register<'_>>,
        changes: &mut Changes,
    ) -> Result<(), &'static str> {
        if condition.resets.is_empty() && value.is_none_or(|value| value.resets.is_empty()) {
            return Ok(());
        }
        // A block with a reset runs at the edge of the reset, too. There is nothing to state if
        // the condition is 0 then.
        if condition.resets.iter().any(|(_, _, value)| *value != Bit::Constant('0')) {
            return Err(IN_RESET);
        }
        let next = self.next(condition, changes);
        let en = sample(condition.cell, &next, Some('0'), changes)?;
        connect(cell, "EN", &en, changes);
        if let Some(value) = value {
            let next = self.next(value, changes);
            let a = sample(value.cell, &next, None, changes)?;
            connect(cell, "A", &a, changes);
        }
        Ok(())
    }

    /// The bit at a port of a property.
    fn port(&self, cell: &Cell<'_>, port: &str) -> Option<Bit> {
        let bits = self.flat.wires.bits(cell.signal(port)?)?;
        bits.first().map(|bit| self.flat.wires.root(*bit))
    }

    /// By the names that Yosys gives them.
    fn is_made_for_property(&self, bit: Bit) -> bool {
        let name = self.flat.wires.name(bit);
        name.contains("$formal$") && name.ends_with("_CHECK")
    }

    /// The flip-flop that drives a bit, if one does.
    fn register(&self, bit: Bit) -> Result<Option<Register<'a>>, &'static str> {
        let Some(&(cell, number)) = self.drivers.get(&bit) else { return Ok(None) };
        self.read(cell, number).map(Some).ok_or(UNKNOWN)
    }

    fn read(&self, cell: &'a Cell<'a>, number: usize) -> Option<Register<'a>> {
        let bit = |port: &str, number: usize| {
            self.flat.wires.bits(cell.signal(port)?)?.get(number).copied()
        };
        let (one, zero) = (Bit::Constant('1'), Bit::Constant('0'));
        // Of gates the type has the active values: `$_DFF_PN0_`.
        let letters: Vec<char> = match cell.kind.strip_prefix("$_") {
            Some(gate) => gate.split('_').nth(1)?.chars().collect(),
            None => Vec::new(),
        };
        let name = cell.kind.trim_start_matches("$_").split('_').next()?;
        let resets = match (name, letters.as_slice()) {
            ("$dff", _) | ("DFF", [_]) => Vec::new(),
            ("$adff", _) => {
                let value = *cell.parameter_bits("ARST_VALUE")?.get(number)?;
                vec![(bit("ARST", 0)?, cell.is_on("ARST_POLARITY"), value)]
            }
            ("$aldff", _) => {
                vec![(bit("ALOAD", 0)?, cell.is_on("ALOAD_POLARITY"), bit("AD", number)?)]
            }
            ("$dffsr", _) => vec![
                (bit("SET", number)?, cell.is_on("SET_POLARITY"), one),
                (bit("CLR", number)?, cell.is_on("CLR_POLARITY"), zero),
            ],
            ("DFF", [_, reset, value]) => {
                vec![(bit("R", 0)?, *reset == 'P', Bit::Constant(*value))]
            }
            ("ALDFF", [_, load]) => vec![(bit("L", 0)?, *load == 'P', bit("AD", 0)?)],
            ("DFFSR", [_, set, clear]) => {
                vec![(bit("S", 0)?, *set == 'P', one), (bit("R", 0)?, *clear == 'P', zero)]
            }
            _ => return None,
        };
        Some(Register { cell, next: bit("D", number)?, resets })
    }

    /// What a flip-flop samples at an edge: its input, or the value of a reset that is active.
    fn next(&self, register: &Register<'_>, changes: &mut Changes) -> String {
        let text = |bit: Bit| self.flat.wires.text(bit);
        let mut next = text(register.next);
        for &(reset, is_high, value) in &register.resets {
            let (reset, value) = (text(reset), text(value));
            next = match is_high {
                true => changes.mux(&reset, &next, &value, 1),
                false => changes.mux(&reset, &value, &next, 1),
            };
        }
        next
    }
}

/// A flip-flop with the clock of another one.
fn sample(
    like: &Cell<'_>,
    next: &str,
    init: Option<char>,
    changes: &mut Changes,
) -> Result<String, &'static str> {
    let (clock, is_rising) = match like.signal("CLK") {
        Some(clock) => (clock, like.is_on("CLK_POLARITY")),
        None => (like.signal("C").ok_or(UNKNOWN)?, !like.kind.contains("_N")),
    };
    let parameters = [("WIDTH", 1), ("CLK_POLARITY", usize::from(is_rising))];
    Ok(changes.cell("$dff", &parameters, &[("CLK", clock), ("D", next)], ("Q", 1, init)))
}

fn connect(cell: &Cell<'_>, port: &str, signal: &str, changes: &mut Changes) {
    changes.line(cell.connects[port].0, format!("    connect \\{port} {signal}"));
}
