//! Whether two systems are the same up to the numbering of variables and the order of gates
//! and of a gate's inputs.
//!
//! Every node of both graphs gets a *class* out of one table: leaves by their role, gates by
//! the unordered pair of their inputs' classes. Two literals are structurally equal if and
//! only if they have the same class and sign.

use pedra_model::aig::Node;
use pedra_model::bits::{BitSystem, Name, Reset, name_at};
use pedra_model::lit::Lit;
use rustc_hash::FxHashMap;

/// Checks that two systems are the same: inputs, latches, properties, names and comments equal
/// in their order, logic equal in structure, gate for gate. Constant reset functions count as
/// the constants.
///
/// # Errors
/// The first difference found.
pub fn same_model(a: &BitSystem, b: &BitSystem) -> Result<(), String> {
    same_count("inputs", a.inputs.len(), b.inputs.len())?;
    same_count("latches", a.latches.len(), b.latches.len())?;
    let mut table = Table::default();
    let classes_a = table.classes(a)?;
    let classes_b = table.classes(b)?;
    same_gates(&classes_a, &classes_b, a, b)?;

    let class_a = |lit: Lit| classes_a[lit.var().index()] << 1 | u32::from(lit.is_negated());
    let class_b = |lit: Lit| classes_b[lit.var().index()] << 1 | u32::from(lit.is_negated());
    for (i, (x, y)) in a.latches.iter().zip(&b.latches).enumerate() {
        if class_a(x.next) != class_b(y.next) {
            return Err(format!("latch {i} has another next function"));
        }
        let same_reset = match (x.reset, y.reset) {
            (x, y) if x.constant().is_some() => x.constant() == y.constant(),
            (Reset::Free, Reset::Free) => true,
            (Reset::Function(f), Reset::Function(g)) => class_a(f) == class_b(g),
            _ => false,
        };
        if !same_reset {
            return Err(format!("latch {i} has another reset"));
        }
    }
    let same_lits = |what: &str, x: &[Lit], y: &[Lit]| {
        same_count(what, x.len(), y.len())?;
        match x.iter().zip(y).position(|(&x, &y)| class_a(x) != class_b(y)) {
            Some(i) => Err(format!("entry {i} of the {what} differs")),
            None => Ok(()),
        }
    };
    same_lits("outputs", &a.outputs, &b.outputs)?;
    same_lits("bads", &a.bads, &b.bads)?;
    same_lits("constraints", &a.constraints, &b.constraints)?;
    same_lits("fairness constraints", &a.fairness, &b.fairness)?;
    same_count("justice properties", a.justice.len(), b.justice.len())?;
    for (x, y) in a.justice.iter().zip(&b.justice) {
        same_lits("literals of a justice property", x, y)?;
    }
    same_texts(a, b)
}

fn same_count(what: &str, a: usize, b: usize) -> Result<(), String> {
    if a == b { Ok(()) } else { Err(format!("{a} {what} here, {b} there")) }
}

/// The same number of gates in every class.
fn same_gates(
    classes_a: &[u32],
    classes_b: &[u32],
    a: &BitSystem,
    b: &BitSystem,
) -> Result<(), String> {
    same_count("gates", a.aig.num_gates(), b.aig.num_gates())?;
    let classes = classes_a.iter().chain(classes_b).max().map_or(0, |&max| max as usize + 1);
    let mut surplus = vec![0i64; classes];
    for (gate, _, _) in a.aig.gates() {
        surplus[classes_a[gate.index()] as usize] += 1;
    }
    for (gate, _, _) in b.aig.gates() {
        surplus[classes_b[gate.index()] as usize] -= 1;
    }
    if surplus.iter().all(|&n| n == 0) { Ok(()) } else { Err("some gates differ".into()) }
}

fn same_texts(a: &BitSystem, b: &BitSystem) -> Result<(), String> {
    let same_names = |what: &str, count: usize, x: &[Name], y: &[Name]| match (0..count)
        .find(|&i| name_at(x, i) != name_at(y, i))
    {
        Some(i) => Err(format!("{what} {i} has another name")),
        None => Ok(()),
    };
    let (x, y) = (&a.names, &b.names);
    same_names("input", a.inputs.len(), &x.inputs, &y.inputs)?;
    same_names("latch", a.latches.len(), &x.latches, &y.latches)?;
    same_names("output", a.outputs.len(), &x.outputs, &y.outputs)?;
    same_names("bad", a.bads.len(), &x.bads, &y.bads)?;
    same_names("constraint", a.constraints.len(), &x.constraints, &y.constraints)?;
    same_names("justice property", a.justice.len(), &x.justice, &y.justice)?;
    same_names("fairness constraint", a.fairness.len(), &x.fairness, &y.fairness)?;
    if a.comments == b.comments { Ok(()) } else { Err("the comments differ".into()) }
}

/// Classes of gates, by the classes of their inputs, the smaller first.
#[derive(Default)]
struct Table {
    gates: FxHashMap<(u32, u32), u32>,
}

impl Table {
    /// The class of each variable. Leaves come first, so systems with as many inputs and
    /// latches as each other can share a table.
    fn classes(&mut self, system: &BitSystem) -> Result<Vec<u32>, String> {
        let mut classes = vec![0u32; system.aig.len()];
        let latches = system.latches.iter().map(|l| l.var);
        for (class, var) in (1..).zip(system.inputs.iter().copied().chain(latches)) {
            classes[var.index()] = class;
        }
        let leaves = (system.inputs.len() + system.latches.len()) as u32;
        for var in system.aig.vars() {
            match system.aig.node(var) {
                Node::Leaf if classes[var.index()] == 0 => {
                    return Err(format!("{var:?} is neither an input nor a latch"));
                }
                Node::Leaf | Node::Const => {}
                Node::And(a, b) => {
                    let class = |l: Lit| classes[l.var().index()] << 1 | u32::from(l.is_negated());
                    let (a, b) = (class(a), class(b));
                    let next = leaves + 1 + self.gates.len() as u32;
                    let entry = self.gates.entry((a.min(b), a.max(b)));
                    classes[var.index()] = *entry.or_insert(next);
                }
            }
        }
        Ok(classes)
    }
}
