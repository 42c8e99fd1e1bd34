//! The one place where a reduced system is made. The passes only decide what to keep and which
//! latches and gates to replace; copying, renumbering and the map back are here.

use super::{ReduceMap, Reduced};
use crate::aig::{Aig, AigBuilder};
use crate::bits::{BitNames, BitSystem, Latch, Name, Reset, name_at};
use crate::lit::{Lit, Var};
use rustc_hash::FxHashSet;

/// Latches and gates to be replaced, and why they may be.
pub(super) struct Substitution {
    /// For each latch (by index) its replacement: a constant, or another latch that is not
    /// itself replaced, perhaps negated.
    pub latches: Vec<Option<Lit>>,
    /// For each variable, if it is a gate to be replaced, its replacement: a literal of a leaf
    /// or of an earlier gate. Empty if no gate is.
    pub gates: Vec<Option<Lit>>,
    /// Clauses that are jointly inductive and imply all the replacements.
    pub invariant: Vec<Vec<Lit>>,
}

impl Substitution {
    /// Replaces nothing.
    pub fn none(system: &BitSystem) -> Substitution {
        let latches = vec![None; system.latches.len()];
        Substitution { latches, gates: Vec::new(), invariant: Vec::new() }
    }

    /// Replaces a latch and records the clauses of `latch = by`.
    pub fn replace(&mut self, system: &BitSystem, latch: usize, by: Lit) {
        let own = system.latches[latch].var.lit();
        self.latches[latch] = Some(by);
        match by {
            Lit::FALSE => self.invariant.push(vec![!own]),
            Lit::TRUE => self.invariant.push(vec![own]),
            _ => self.invariant.extend([vec![!own, by], vec![own, !by]]),
        }
    }

    /// Whether nothing is replaced.
    pub fn is_empty(&self) -> bool {
        self.invariant.is_empty()
    }
}

/// Where the gates go: as they are, or hashed and rewritten.
enum Target {
    Plain(Aig),
    Hashed(AigBuilder),
}

impl Target {
    fn len(&self) -> usize {
        match self {
            Target::Plain(aig) => aig.len(),
            Target::Hashed(builder) => builder.len(),
        }
    }

    fn leaf(&mut self) -> Var {
        match self {
            Target::Plain(aig) => aig.push_leaf(),
            Target::Hashed(builder) => builder.leaf(),
        }
    }

    fn and(&mut self, a: Lit, b: Lit) -> Lit {
        match self {
            Target::Plain(aig) => aig.push_and(a, b),
            Target::Hashed(builder) => builder.and(a, b),
        }
    }

    fn into_aig(self) -> Aig {
        match self {
            Target::Plain(aig) => aig,
            Target::Hashed(builder) => builder.into_aig(),
        }
    }
}

/// The system with only the chosen safety properties, as bads, and with what they are about;
/// variables keep their numbers.
///
/// # Panics
/// If a property does not exist, or if a leaf is neither an input nor a latch.
pub(super) fn select(system: &BitSystem, properties: &[usize]) -> Reduced {
    let leaves = system.aig.len() - 1 - system.aig.num_gates();
    let known = system.inputs.len() + system.latches.len();
    assert_eq!(leaves, known, "every leaf is an input or a latch");
    let bads: Vec<Lit> = properties.iter().map(|&p| system.properties()[p]).collect();
    let names: Vec<Name> =
        properties.iter().map(|&p| system.property_name(p).map(Box::from)).collect();
    let selected = BitSystem {
        aig: system.aig.clone(),
        inputs: system.inputs.clone(),
        latches: system.latches.clone(),
        bads,
        constraints: tidy_constraints(system.constraints.iter().copied()),
        names: BitNames {
            inputs: system.names.inputs.clone(),
            latches: system.names.latches.clone(),
            bads: if names.iter().all(Option::is_none) { Vec::new() } else { names },
            ..BitNames::default()
        },
        ..BitSystem::default()
    };
    Reduced { system: selected, map: ReduceMap::identity(system, properties) }
}

/// Copies a system that [`select`] made, with latches and gates replaced.
///
/// `keep`, if given, says which variables to copy; they must be closed under what they depend
/// on. Inputs come first, then latches, then gates.
///
/// Gates are replaced in the bads and in the next functions, not in the reset functions: one
/// that a reset function reads could be replaced by what reads a latch whose reset comes later.
/// Nor in the constraints, unless no invariant is needed: a gate's equality may rest on the
/// constraints of its own step, and a constraint simplified by help of itself would be lost.
pub(super) fn rebuild(
    system: &BitSystem,
    substitution: Substitution,
    keep: Option<&[bool]>,
    hashed: bool,
) -> Reduced {
    let kept = |var: Var| keep.is_none_or(|k| k[var.index()]);
    let mut target =
        if hashed { Target::Hashed(AigBuilder::new()) } else { Target::Plain(Aig::new()) };
    // For each old variable the new literal, and for each new one the old literal.
    let mut new_of = vec![Lit::FALSE; system.aig.len()];
    let mut vars = vec![Lit::FALSE];
    let mut leaf = |old: Var, target: &mut Target, new_of: &mut [Lit]| {
        let new = target.leaf();
        new_of[old.index()] = new.lit();
        vars.push(old.lit());
        new
    };
    let (mut inputs, mut input_map) = (Vec::new(), Vec::new());
    for (i, &old) in system.inputs.iter().enumerate().filter(|(_, v)| kept(**v)) {
        inputs.push(leaf(old, &mut target, &mut new_of));
        input_map.push(i as u32);
    }
    let mut latch_map: Vec<u32> = Vec::new();
    let stays = |l: usize| substitution.latches[l].is_none() && kept(system.latches[l].var);
    for l in (0..system.latches.len()).filter(|&l| stays(l)) {
        leaf(system.latches[l].var, &mut target, &mut new_of);
        latch_map.push(l as u32);
    }
    // Replacements are constants or latches that stay, so they have their literals by now.
    for (latch, by) in system.latches.iter().zip(&substitution.latches) {
        if let Some(by) = by {
            new_of[latch.var.index()] = new_of[by.var().index()] ^ by.is_negated();
        }
    }
    let renamed = |new_of: &[Lit], old: Lit| new_of[old.var().index()] ^ old.is_negated();
    let mut copy = |var: Var, a: Lit, b: Lit, new_of: &[Lit]| {
        let new = target.and(renamed(new_of, a), renamed(new_of, b));
        // Rewriting makes at most one node, and that one computes this gate.
        if target.len() > vars.len() {
            vars.push(var.lit());
        }
        new
    };
    let keeps_constraints = !substitution.invariant.is_empty();
    let protected =
        (!substitution.gates.is_empty()).then(|| protected_cone(system, keeps_constraints));
    let protected = protected.map(|cone| {
        let mut plain_of = new_of.clone();
        for (var, a, b) in system.aig.gates().filter(|&(v, _, _)| kept(v) && cone[v.index()]) {
            plain_of[var.index()] = copy(var, a, b, &plain_of);
        }
        plain_of
    });
    for (var, a, b) in system.aig.gates().filter(|&(v, _, _)| kept(v)) {
        new_of[var.index()] = match substitution.gates.get(var.index()).copied().flatten() {
            Some(by) => renamed(&new_of, by),
            None => copy(var, a, b, &new_of),
        };
    }
    let plain = |old: Lit| renamed(protected.as_ref().unwrap_or(&new_of), old);
    let constraint = |old: Lit| if keeps_constraints { plain(old) } else { renamed(&new_of, old) };
    let renamed = |old: Lit| renamed(&new_of, old);
    let latches = latch_map.iter().map(|&l| {
        let Latch { var, next, reset } = system.latches[l as usize];
        Latch {
            var: renamed(var.lit()).var(),
            next: renamed(next),
            reset: renamed_reset(reset, plain),
        }
    });
    let names = BitNames {
        inputs: pick_names(&system.names.inputs, &input_map),
        latches: pick_names(&system.names.latches, &latch_map),
        bads: system.names.bads.clone(),
        ..BitNames::default()
    };
    let reduced = BitSystem {
        inputs,
        latches: latches.collect(),
        bads: system.bads.iter().map(|&l| renamed(l)).collect(),
        constraints: tidy_constraints(system.constraints.iter().map(|&l| constraint(l))),
        names,
        aig: target.into_aig(),
        ..BitSystem::default()
    };
    let map = ReduceMap {
        properties: (0..system.bads.len()).collect(),
        inputs: input_map,
        latches: latch_map,
        vars,
        invariant: substitution.invariant,
    };
    Reduced { system: reduced, map }
}

/// The logic in which no gate is replaced: that of the reset functions, and of the constraints
/// if they are to be kept as they are.
fn protected_cone(system: &BitSystem, constraints: bool) -> Vec<bool> {
    let resets = system.latches.iter().filter_map(|latch| match latch.reset {
        Reset::Function(f) => Some(f),
        _ => None,
    });
    let constraints = system.constraints.iter().filter(|_| constraints);
    system.aig.cone(resets.chain(constraints.copied()))
}

/// A reset in new literals; a function that became a constant is one.
fn renamed_reset(reset: Reset, renamed: impl Fn(Lit) -> Lit) -> Reset {
    match reset {
        Reset::Function(f) => match renamed(f) {
            Lit::FALSE => Reset::Zero,
            Lit::TRUE => Reset::One,
            lit => Reset::Function(lit),
        },
        constant_or_free => constant_or_free,
    }
}

/// The names at some positions; an empty list if none of them has one.
fn pick_names(names: &[Name], positions: &[u32]) -> Vec<Name> {
    let picked = positions.iter().map(|&p| name_at(names, p as usize).map(Box::from));
    let picked: Vec<Name> = picked.collect();
    if picked.iter().all(Option::is_none) { Vec::new() } else { picked }
}

/// Constraints without repetitions and trivial ones. If they contradict each other at sight
/// then only *false* is left: the system has no path.
fn tidy_constraints(constraints: impl Iterator<Item = Lit>) -> Vec<Lit> {
    let mut seen: FxHashSet<Lit> = FxHashSet::default();
    let mut tidy = Vec::new();
    for lit in constraints.filter(|&l| l != Lit::TRUE) {
        if lit == Lit::FALSE || seen.contains(&!lit) {
            return vec![Lit::FALSE];
        }
        if seen.insert(lit) {
            tidy.push(lit);
        }
    }
    tidy
}
