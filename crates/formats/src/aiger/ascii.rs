//! From the free numbering and order of an ascii file to ours: inputs, latches, then gates
//! after their inputs.
//!
//! Every line that defines a variable gets an *id*: inputs, latches and gates, in the order of
//! the file. Gates whose inputs already come before them keep their place; otherwise a
//! depth-first search from the gates in file order places them.

use super::cursor::column_of;
use crate::error::FormatError;
use pedra_model::bits::{BitSystem, Reset};
use pedra_model::lit::{Lit, Var};

/// A gate with the literals of the file.
pub(super) struct Gate {
    pub(super) var: Var,
    pub(super) inputs: [Lit; 2],
}

/// Replaces the file's literals in the system by ours and fills its graph.
pub(super) fn renumber(
    bytes: &[u8],
    max_var: u32,
    system: &mut BitSystem,
    gates: &[Gate],
) -> Result<(), FormatError> {
    let leaves = system.inputs.len() + system.latches.len();
    let layout = Layout { bytes, leaves, gate_line: gate_line(system) };
    let inputs = system.inputs.iter().copied();
    let defined = inputs.chain(system.latches.iter().map(|l| l.var));
    let ids = Ids::new(&layout, max_var, defined.chain(gates.iter().map(|g| g.var)))?;

    // The gates' inputs as literals of ids, then the gates in order.
    let mut fanins = Vec::with_capacity(gates.len());
    for (i, gate) in gates.iter().enumerate() {
        let line = layout.gate_line + i;
        let [a, b] = gate.inputs;
        fanins.push([ids.lit(&layout, a, line, 1)?, ids.lit(&layout, b, line, 2)?]);
    }
    let order = sort_gates(leaves, &fanins).map_err(|gate| {
        let code = gates[gate].var.lit().code();
        let line = layout.gate_line + gate;
        layout.error(line, 0, format!("gate {code} depends on itself"))
    })?;
    let mut place = vec![0u32; gates.len()];
    for (position, &gate) in order.iter().enumerate() {
        place[gate as usize] = (leaves + 1 + position) as u32;
    }
    let placed = |lit: Lit| match lit.var().index().checked_sub(leaves + 1) {
        Some(gate) => Lit::new(Var::new(place[gate] as usize), lit.is_negated()),
        None => lit,
    };

    system.aig.reserve(leaves + gates.len());
    for _ in 0..leaves {
        system.aig.push_leaf();
    }
    for &gate in &order {
        let [a, b] = fanins[gate as usize];
        system.aig.push_and(placed(a), placed(b));
    }
    let resolve = |lit: &mut Lit, line: usize, word: usize| {
        *lit = placed(ids.lit(&layout, *lit, line, word)?);
        Ok(())
    };
    renumber_sections(system, resolve)
}

/// The line of the first gate.
fn gate_line(system: &BitSystem) -> usize {
    let justice = system.justice.len() + system.justice.iter().map(Vec::len).sum::<usize>();
    let lits = system.outputs.len() + system.bads.len() + system.constraints.len();
    let leaves = system.inputs.len() + system.latches.len();
    2 + leaves + lits + justice + system.fairness.len()
}

/// Visits every literal between inputs and gates with its line and its word on that line.
fn renumber_sections(
    system: &mut BitSystem,
    resolve: impl Fn(&mut Lit, usize, usize) -> Result<(), FormatError>,
) -> Result<(), FormatError> {
    for (i, var) in system.inputs.iter_mut().enumerate() {
        *var = Var::new(1 + i);
    }
    let mut line = 2 + system.inputs.len();
    for latch in &mut system.latches {
        // The definition of a leaf is its line, and lines are counted from the header.
        latch.var = Var::new(line - 1);
        resolve(&mut latch.next, line, 1)?;
        if let Reset::Function(function) = &mut latch.reset {
            resolve(function, line, 2)?;
        }
        line += 1;
    }
    let mut resolve_next = |lit: &mut Lit| {
        line += 1;
        resolve(lit, line - 1, 0)
    };
    let before_justice = [&mut system.outputs, &mut system.bads, &mut system.constraints];
    before_justice.into_iter().flatten().try_for_each(&mut resolve_next)?;
    line += system.justice.len();
    for lit in system.justice.iter_mut().flatten().chain(&mut system.fairness) {
        resolve(lit, line, 0)?;
        line += 1;
    }
    Ok(())
}

/// Where things stand in the file.
struct Layout<'a> {
    bytes: &'a [u8],
    leaves: usize,
    gate_line: usize,
}

impl Layout<'_> {
    fn line_of(&self, id: usize) -> usize {
        if id <= self.leaves { 1 + id } else { self.gate_line + (id - self.leaves - 1) }
    }

    fn error(&self, line: usize, word: usize, message: String) -> FormatError {
        FormatError::at(line, column_of(self.bytes, line, word), message)
    }
}

/// From variables of the file to ids. An array where the header's M is in proportion to the
/// file, a sorted list where it is not.
enum Ids {
    Dense(Vec<u32>),
    Sparse(Vec<(Var, u32)>),
}

impl Ids {
    fn new(
        layout: &Layout,
        max_var: u32,
        defined: impl Iterator<Item = Var>,
    ) -> Result<Ids, FormatError> {
        let twice = |var: Var, first: u32, second: u32| {
            let first = layout.line_of(first as usize);
            let message =
                format!("variable {} is defined twice, first in line {first}", var.index());
            layout.error(layout.line_of(second as usize), 0, message)
        };
        let numbered = (1..).zip(defined);
        if max_var as usize <= layout.bytes.len() {
            let mut ids = vec![0; max_var as usize + 1];
            for (id, var) in numbered {
                match std::mem::replace(&mut ids[var.index()], id) {
                    0 => {}
                    first => return Err(twice(var, first, id)),
                }
            }
            return Ok(Ids::Dense(ids));
        }
        let mut ids: Vec<(Var, u32)> = numbered.map(|(id, var)| (var, id)).collect();
        ids.sort_unstable();
        match ids.windows(2).find(|pair| pair[0].0 == pair[1].0) {
            Some(pair) => Err(twice(pair[0].0, pair[0].1, pair[1].1)),
            None => Ok(Ids::Sparse(ids)),
        }
    }

    /// The literal of an id for a literal of the file, which stands at this line and word.
    fn lit(&self, layout: &Layout, lit: Lit, line: usize, word: usize) -> Result<Lit, FormatError> {
        let var = lit.var();
        let id = match self {
            _ if lit.is_const() => return Ok(lit),
            Ids::Dense(ids) => ids[var.index()],
            Ids::Sparse(ids) => {
                ids.binary_search_by_key(&var, |entry| entry.0).map_or(0, |at| ids[at].1)
            }
        };
        if id == 0 {
            let message = format!("literal {} is not defined", lit.code());
            return Err(layout
                .error(line, word, message)
                .with_hint(format!("no input, latch or gate has variable {}", var.index())));
        }
        Ok(Lit::new(Var::new(id as usize), lit.is_negated()))
    }
}

/// The gates in an order in which inputs come first, or a gate on a circle.
fn sort_gates(leaves: usize, fanins: &[[Lit; 2]]) -> Result<Vec<u32>, usize> {
    #[derive(Copy, Clone, PartialEq)]
    enum Mark {
        New,
        Open,
        Done,
    }
    let gate_of = |lit: Lit| lit.var().index().checked_sub(leaves + 1);
    let is_sorted = fanins.iter().enumerate().all(|(gate, inputs)| {
        inputs.iter().all(|&lit| gate_of(lit).is_none_or(|input| input < gate))
    });
    if is_sorted {
        return Ok((0..fanins.len() as u32).collect());
    }
    let mut marks = vec![Mark::New; fanins.len()];
    let mut order = Vec::with_capacity(fanins.len());
    let mut stack: Vec<usize> = Vec::new();
    for root in 0..fanins.len() {
        stack.push(root);
        while let Some(&gate) = stack.last() {
            match marks[gate] {
                Mark::New => {
                    marks[gate] = Mark::Open;
                    // The first input goes on top, to be placed first.
                    for input in fanins[gate].iter().rev().filter_map(|&lit| gate_of(lit)) {
                        match marks[input] {
                            Mark::New => stack.push(input),
                            // Open gates are those that the search is within.
                            Mark::Open => return Err(input),
                            Mark::Done => {}
                        }
                    }
                }
                Mark::Open => {
                    marks[gate] = Mark::Done;
                    order.push(gate as u32);
                    stack.pop();
                }
                Mark::Done => {
                    stack.pop();
                }
            }
        }
    }
    Ok(order)
}
