//! Addresses outside of a memory. Verilog drops what is written there, and what is read from there
//! is `x`. Yosys' array of a memory has 2ⁿ words and takes the low bits of an address, so it would
//! keep the first and find a word for the second. Its flip-flops for a memory do the same if the
//! address is too wide.
//!
//! So each port of a memory gets a guard, for arrays and for words alike: outside, nothing is
//! written, and any value is read.
//!
//! Yosys' arrays do not know of a lowest address either: initial values would be at other words
//! than those that are read. So addresses in arrays are made to start from 0.
//!
//! *Required for soundness*: `memory_nordff` has made the ports for reading wait for no clock, and
//! `memory_unpack` has made a cell of each port.

use crate::Error;
use crate::rtlil::{Cell, Changes, Flat, Memory, plain, unquoted};
use crate::script::Memories;
use crate::signal::Bit;

/// The width of addresses in comparisons, at least.
const WIDTH: usize = 33;

/// Guards the ports of memories whose addresses may be outside.
///
/// # Errors
/// The memory that has ports of another form.
pub(crate) fn guard_memories(
    flat: &Flat<'_>,
    memories: Memories,
    changes: &mut Changes,
) -> Result<(), Error> {
    for cell in &flat.cells {
        let done = match cell.kind {
            "$memrd" | "$memrd_v2" => guard_read(flat, cell, changes),
            "$memwr" | "$memwr_v2" => guard_write(flat, cell, changes),
            _ => Some(()),
        };
        let is_port = cell.kind.starts_with("$mem");
        let done = done.and_then(|()| match memories {
            Memories::Arrays if is_port => start_from_zero(flat, cell, changes),
            _ => Some(()),
        });
        done.ok_or_else(|| {
            let name = cell.parameter("MEMID").map(unquoted).unwrap_or_default();
            let what =
                "a memory with negative addresses, or with ports of several words or with clocks,";
            Error::Design(format!("{}: {what} is not supported", plain(&name)))
        })?;
    }
    Ok(())
}

/// Subtracts the lowest address from that of a port.
fn start_from_zero(flat: &Flat<'_>, cell: &Cell<'_>, changes: &mut Changes) -> Option<()> {
    let name = unquoted(cell.parameter("MEMID")?);
    let memory = flat.memories.get(name.as_str())?;
    if memory.offset == 0 {
        return Some(());
    }
    let (size, width) = (memory.size, memory.width);
    changes.line(memory.line, format!("  memory width {width} size {size} {name}"));
    let (line, address) = *cell.connects.get("ADDR")?;
    let abits: usize = cell.parameter("ABITS")?.parse().ok()?;
    let offset = u64::try_from(memory.offset).ok()?;
    let address = match cell.kind {
        // The addresses of initial values are constants.
        "$meminit" | "$meminit_v2" => {
            let bits = flat.wires.bits(address)?;
            let bits = bits.iter().rev().map(|bit| match flat.wires.root(*bit) {
                Bit::Constant(digit) => Some(digit),
                Bit::Wire(..) => None,
            });
            let address = u64::from_str_radix(&bits.collect::<Option<String>>()?, 2).ok()?;
            number(address.checked_sub(offset)?, abits)
        }
        _ => {
            let parameters = [
                ("A_SIGNED", 0),
                ("B_SIGNED", 0),
                ("A_WIDTH", abits),
                ("B_WIDTH", WIDTH),
                ("Y_WIDTH", abits),
            ];
            let ports = [("A", address), ("B", &number(offset, WIDTH))];
            changes.cell("$sub", &parameters, &ports, ("Y", abits, None))
        }
    };
    changes.line(line, format!("    connect \\ADDR {address}"));
    Some(())
}

/// What a port for reading gives: the word, or any value.
fn guard_read(flat: &Flat<'_>, cell: &Cell<'_>, changes: &mut Changes) -> Option<()> {
    let memory = memory(flat, cell)?;
    let Some(inside) = guard(&memory, cell, changes)? else { return Some(()) };
    if cell.is_on("CLK_ENABLE") {
        return None;
    }
    let (line, data) = *cell.connects.get("DATA")?;
    let word = changes.wire(memory.width, None);
    changes.line(line, format!("    connect \\DATA {word}"));
    let any = ("Y", memory.width, None);
    let any = changes.cell("$anyseq", &[("WIDTH", memory.width)], &[], any);
    let read = changes.mux(&inside, &any, &word, memory.width);
    changes.connect(data, &read);
    Some(())
}

/// A port for writing writes nothing outside.
fn guard_write(flat: &Flat<'_>, cell: &Cell<'_>, changes: &mut Changes) -> Option<()> {
    let memory = memory(flat, cell)?;
    let Some(inside) = guard(&memory, cell, changes)? else { return Some(()) };
    let (line, enable) = *cell.connects.get("EN")?;
    let nothing = number(0, memory.width);
    let enable = changes.mux(&inside, &nothing, enable, memory.width);
    changes.line(line, format!("    connect \\EN {enable}"));
    Some(())
}

fn memory(flat: &Flat<'_>, cell: &Cell<'_>) -> Option<Memory> {
    let memory = *flat.memories.get(unquoted(cell.parameter("MEMID")?).as_str())?;
    let is_plain = cell.parameter("WIDTH")?.parse() == Ok(memory.width) && memory.offset >= 0;
    is_plain.then_some(memory)
}

/// `offset ≤ address < offset + size`, if an address of the port may violate it.
fn guard(memory: &Memory, cell: &Cell<'_>, changes: &mut Changes) -> Option<Option<String>> {
    let width: usize = cell.parameter("ABITS")?.parse().ok()?;
    let (offset, end) = (memory.offset as u64, memory.offset as u64 + memory.size);
    if offset == 0 && width < 64 && 1_u64 << width <= end {
        return Some(None);
    }
    let address = cell.signal("ADDR")?;
    let mut compare = |kind: &str, bound: u64| {
        let bound_width = WIDTH.max(64 - bound.leading_zeros() as usize);
        let parameters = [
            ("A_SIGNED", 0),
            ("B_SIGNED", 0),
            ("A_WIDTH", width),
            ("B_WIDTH", bound_width),
            ("Y_WIDTH", 1),
        ];
        let ports = [("A", address), ("B", &number(bound, bound_width))];
        changes.cell(kind, &parameters, &ports, ("Y", 1, None))
    };
    let (below, above) = (compare("$lt", end), compare("$ge", offset));
    Some(Some(changes.mux(&below, "1'0", &above, 1)))
}

/// A number as RTLIL has it.
fn number(value: u64, width: usize) -> String {
    format!("{width}'{value:0width$b}")
}
