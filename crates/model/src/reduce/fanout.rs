//! Who reads a variable: the edges of a system turned around, for passes that work by events.

use crate::bits::{BitSystem, Reset};
use crate::lit::{Lit, Var};

/// A reader of a variable.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum Reader {
    /// A gate has it as an input.
    Gate(Var),
    /// A latch (by index) has it as its next function, or as its reset function if those are
    /// included.
    Latch(usize),
}

/// The readers of each variable, in one array.
pub(super) struct Fanouts {
    num_vars: usize,
    /// The readers of variable `v` are `readers[start[v]..start[v + 1]]`.
    start: Vec<u32>,
    /// A gate's number, or the number of variables plus a latch's index.
    readers: Vec<u32>,
}

impl Fanouts {
    /// All edges into gates for which `gate` holds, and into latches for which `latch` does;
    /// reset functions count if `resets`.
    pub fn new(
        system: &BitSystem,
        resets: bool,
        gate: impl Fn(Var) -> bool,
        latch: impl Fn(usize) -> bool,
    ) -> Fanouts {
        let num_vars = system.aig.len();
        let for_each_edge = |edge: &mut dyn FnMut(Lit, u32)| {
            for (var, a, b) in system.aig.gates().filter(|g| gate(g.0)) {
                edge(a, var.index() as u32);
                edge(b, var.index() as u32);
            }
            for (i, l) in system.latches.iter().enumerate().filter(|(i, _)| latch(*i)) {
                edge(l.next, (num_vars + i) as u32);
                match l.reset {
                    Reset::Function(f) if resets => edge(f, (num_vars + i) as u32),
                    _ => {}
                }
            }
        };
        // Count, sum up, fill from the back of each range.
        let mut start = vec![0u32; num_vars + 1];
        for_each_edge(&mut |lit, _| start[lit.var().index()] += 1);
        let mut sum = 0;
        for entry in &mut start {
            sum += *entry;
            *entry = sum;
        }
        let mut readers = vec![0u32; sum as usize];
        for_each_edge(&mut |lit, reader| {
            let slot = &mut start[lit.var().index()];
            *slot -= 1;
            readers[*slot as usize] = reader;
        });
        Fanouts { num_vars, start, readers }
    }

    /// Who reads the variable; one that reads it twice is listed twice.
    pub fn of(&self, var: Var) -> impl Iterator<Item = Reader> + '_ {
        let range = self.start[var.index()] as usize..self.start[var.index() + 1] as usize;
        let num_vars = self.num_vars;
        self.readers[range].iter().map(move |&r| match (r as usize).checked_sub(num_vars) {
            None => Reader::Gate(Var::new(r as usize)),
            Some(latch) => Reader::Latch(latch),
        })
    }
}
