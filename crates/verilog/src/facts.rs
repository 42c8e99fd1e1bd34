//! What a flat design says of time and of properties.

use crate::Error;
use crate::rtlil::{Cell, Flat, Memory, Port, has_state, is_property, plain, unquoted};
use crate::signal::Bit;
use std::collections::{BTreeMap, BTreeSet};

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
    /// Its memories: for each the lowest address, and the number of words.
    pub memories: BTreeMap<String, (u64, u64)>,
    /// Its properties; the index is the number in our names.
    pub properties: Vec<PropertyCell>,
    /// The types of cells that it has.
    cells: BTreeSet<String>,
}

impl Facts {
    /// Reads them.
    ///
    /// # Errors
    /// If a cell holds values over time, and it is not known when they change.
    pub(crate) fn of(flat: &Flat<'_>) -> Result<Facts, Error> {
        let mut clocks = BTreeSet::new();
        let mut is_timed_otherwise = false;
        for cell in flat.cells.iter() {
            match change(cell.kind) {
                Change::Clock(port, polarity) => clocks.extend(clock(flat, cell, port, polarity)?),
                Change::Always => is_timed_otherwise = true,
                Change::Never => {}
                Change::Unknown => return Err(unknown(cell)),
            }
        }
        let properties = flat.cells.iter().filter(|cell| is_property(cell.kind));
        Ok(Facts {
            top: flat.top.to_owned(),
            ports: flat.ports.clone(),
            clocking: clocking(clocks, is_timed_otherwise),
            memories: flat.memories.iter().filter_map(range).collect(),
            properties: properties.map(property).collect(),
            cells: flat.cells.iter().map(|cell| cell.kind.to_owned()).collect(),
        })
    }

    /// Whether a cell of this type is there.
    pub fn has_cell(&self, kind: &str) -> bool {
        self.cells.contains(kind)
    }
}

/// One clock with one edge, and nothing that changes at other times: a step can be that edge.
fn clocking(clocks: BTreeSet<Clock>, is_timed_otherwise: bool) -> Clocking {
    let mut each = clocks.iter();
    match (each.next(), each.next()) {
        (None, _) => Clocking::None,
        (Some(clock), None) if !is_timed_otherwise => Clocking::One(clock.clone()),
        _ => Clocking::Many(clocks),
    }
}

/// When the value of a cell changes.
#[derive(Debug, PartialEq, Eq)]
enum Change {
    /// At edges of the signal at this port.
    Clock(&'static str, Polarity),
    /// Latches follow their inputs between edges; `$ff` changes at every moment.
    Always,
    /// It holds no value over time.
    Never,
    Unknown,
}

/// Where it is said which edge counts.
#[derive(Debug, PartialEq, Eq)]
enum Polarity {
    /// In this parameter, if the second one does not switch the clock off.
    Parameter(&'static str, Option<&'static str>),
    /// In the type of the cell.
    Rising(bool),
}

/// *Required for soundness*: a clock that is not seen here is not in the model either.
fn change(kind: &str) -> Change {
    let clocked = Change::Clock("CLK", Polarity::Parameter("CLK_POLARITY", None));
    match kind {
        "$dff" | "$dffe" | "$sdff" | "$sdffe" | "$sdffce" | "$adff" | "$adffe" | "$aldff"
        | "$aldffe" | "$dffsr" | "$dffsre" => clocked,
        "$memrd" | "$memrd_v2" | "$memwr" | "$memwr_v2" => {
            Change::Clock("CLK", Polarity::Parameter("CLK_POLARITY", Some("CLK_ENABLE")))
        }
        "$check" => Change::Clock("TRG", Polarity::Parameter("TRG_POLARITY", Some("TRG_ENABLE"))),
        "$ff" | "$_FF_" | "$anyinit" | "$dlatch" | "$adlatch" | "$dlatchsr" | "$sr" => {
            Change::Always
        }
        "$meminit" | "$meminit_v2" => Change::Never,
        _ if !has_state(kind) => Change::Never,
        _ => change_of_gate(kind).unwrap_or(Change::Unknown),
    }
}

/// `$_DFF_P_`, `$_DFFE_NP_`, `$_DLATCH_P_`: the first letter after the name is the clock's edge.
fn change_of_gate(kind: &str) -> Option<Change> {
    let (name, letters) = kind.strip_prefix("$_")?.strip_suffix('_')?.split_once('_')?;
    let is_rising = match letters.chars().next()? {
        'P' => true,
        'N' => false,
        _ => return None,
    };
    match name {
        "DFF" | "DFFE" | "ALDFF" | "ALDFFE" | "DFFSR" | "DFFSRE" | "SDFF" | "SDFFE" | "SDFFCE" => {
            Some(Change::Clock("C", Polarity::Rising(is_rising)))
        }
        "DLATCH" | "DLATCHSR" | "SR" => Some(Change::Always),
        _ => None,
    }
}

/// The clocks that a cell waits for.
fn clock(
    flat: &Flat<'_>,
    cell: &Cell<'_>,
    port: &str,
    polarity: Polarity,
) -> Result<Vec<Clock>, Error> {
    let edges = match polarity {
        Polarity::Parameter(_, Some(enable)) if !cell.is_on(enable) => return Ok(Vec::new()),
        Polarity::Parameter(name, _) => cell.parameter_bits(name).ok_or_else(|| unknown(cell))?,
        Polarity::Rising(is_rising) => vec![Bit::Constant(if is_rising { '1' } else { '0' })],
    };
    // A property of an `initial` block has a trigger without any signal.
    let signal = cell.signal(port).and_then(|text| flat.wires.bits(text));
    let bits = signal.ok_or_else(|| unknown(cell))?;
    let clock = |(bit, edge): (Bit, Bit)| Clock {
        name: plain(&flat.wires.text(bit)).to_owned(),
        is_rising: edge == Bit::Constant('1'),
    };
    Ok(bits.into_iter().zip(edges).map(clock).collect())
}

/// The addresses of a memory.
fn range((name, memory): (&&str, &Memory)) -> Option<(String, (u64, u64))> {
    Some((plain(name).to_owned(), (u64::try_from(memory.offset).ok()?, memory.size)))
}

fn unknown(cell: &Cell<'_>) -> Error {
    let (kind, name) = (cell.kind, plain(cell.name));
    Error::Design(format!(
        "{name}: a cell of type {kind} holds values over time, and it is not known when they \
         change; let the script of --script leave flip-flops and memories as `proc` makes them"
    ))
}

fn property(cell: &Cell<'_>) -> PropertyCell {
    let flavor = match cell.kind {
        "$check" => cell.parameter("FLAVOR").map(unquoted).unwrap_or_default(),
        kind => plain(kind).to_owned(),
    };
    PropertyCell { flavor, name: cell.name.to_owned(), src: cell.src.clone() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rtlil::tests::FLAT;

    fn facts(text: &str) -> Facts {
        Facts::of(&Flat::read(text).expect("a module")).expect("known cells")
    }

    #[test]
    fn facts_of_a_design() {
        let facts = facts(FLAT);
        let clock = Clock { name: "clk".to_owned(), is_rising: true };
        assert_eq!(facts.clocking, Clocking::One(clock));
        let flavors: Vec<(&str, &str)> =
            facts.properties.iter().map(|p| (&*p.flavor, &*p.name)).collect();
        assert_eq!(flavors, [("cover", "\\u.safe"), ("assert", "$assert$a.sv:6$2")]);
        assert_eq!(facts.properties[0].src, "b.sv:7.3-7.9|a.sv:5.3-5.9");
        assert_eq!(facts.properties[1].src, "");
    }

    /// `initial assume (reset)`, as Yosys 0.70 writes it.
    #[test]
    fn a_property_at_the_start_waits_for_no_clock() {
        let initial = FLAT
            .replace("TRG \\clk", "TRG { }")
            .replace("POLARITY 1'1\n    connect \\TRG", "POLARITY 0'x\n    connect \\TRG");
        let clock = Clock { name: "clk".to_owned(), is_rising: true };
        assert_eq!(facts(&initial).clocking, Clocking::One(clock));
    }

    #[test]
    fn several_clocks_and_latches() {
        let with =
            |cell: &str| FLAT.replace("  connect $inner", &format!("{cell}  connect $inner"));
        let other_edge = FLAT.replacen("CLK_POLARITY 1'1", "CLK_POLARITY 1'0", 1);
        let gate = with("  cell $_DFFSR_NPP_ $g\n    connect \\C \\clk\n  end\n");
        let latches = ["$dlatch", "$_DLATCH_P_", "$_SR_PP_", "$ff"]
            .map(|kind| with(&format!("  cell {kind} $l\n  end\n")));
        for text in [other_edge, gate].iter().chain(&latches) {
            let clocking = facts(text).clocking;
            assert!(matches!(clocking, Clocking::Many(_)), "{clocking:?}");
        }
        let rising = with("  cell $_DFFE_PN_ $g\n    connect \\C \\clk\n  end\n");
        assert!(matches!(facts(&rising).clocking, Clocking::One(_)));
        let odd = with("  cell $mem_v9 $g\n  end\n");
        let odd = Facts::of(&Flat::read(&odd).expect("a module"));
        assert!(matches!(odd, Err(Error::Design(text)) if text.contains("$mem_v9")));
    }
}
