//! Models as other model checkers can read them: as binary AIGER, with one property, with
//! constant or free initial values.

use crate::Host;
use pedra_formats::aiger;
use pedra_model::Model;
use pedra_model::aig::Node;
use pedra_model::bits::{BitNames, BitSystem, Reset};
use pedra_model::blast::{BlastOptions, blast};
use pedra_model::lit::Lit;
use pedra_model::reduce::initial::initial_order;
use std::io::Read;
use std::path::{Path, PathBuf};

/// Gives a model the name `target` as binary AIGER with one property: by a link if it is that
/// already, otherwise converted.
pub fn binary_aiger(path: &Path, target: &Path, host: &dyn Host) -> Result<(), String> {
    if !is_single_binary_aiger(path) {
        return write_converted(path, target, host);
    }
    let whole = path.canonicalize().map_err(|e| e.to_string())?;
    std::os::unix::fs::symlink(whole, target).map_err(|e| e.to_string())
}

/// The model itself if it has one property, otherwise a converted one.
pub fn one_property(path: &Path, target: &Path, host: &dyn Host) -> Result<PathBuf, String> {
    let whole = || path.canonicalize().map_err(|e| e.to_string());
    if is_single_binary_aiger(path) {
        return whole();
    }
    let properties = match host.load(path)? {
        Model::Bits(system) => system.properties().len(),
        Model::Words(system) => system.bads.len(),
    };
    if properties == 1 {
        return whole();
    }
    write_converted(path, target, host)?;
    Ok(target.to_owned())
}

/// Whether a file says in its first line that it is binary AIGER with one property and nothing
/// else that could be taken for one.
fn is_single_binary_aiger(path: &Path) -> bool {
    let mut start = Vec::new();
    let Ok(file) = std::fs::File::open(path) else { return false };
    if file.take(200).read_to_end(&mut start).is_err() {
        return false;
    }
    let line = start.split(|&b| b == b'\n').next().unwrap_or_default();
    let line = String::from_utf8_lossy(line);
    let Some(numbers) = line.strip_prefix("aig ") else { return false };
    // M I L O A B C J F
    let numbers: Vec<u64> = numbers.split(' ').map_while(|n| n.trim().parse().ok()).collect();
    let at = |index: usize| numbers.get(index).copied().unwrap_or(0);
    at(3) + at(5) == 1 && at(7) == 0
}

fn write_converted(path: &Path, target: &Path, host: &dyn Host) -> Result<(), String> {
    let mut system = match host.load(path)? {
        Model::Bits(system) => system,
        Model::Words(system) => {
            blast(&system, &BlastOptions::default()).map_err(|e| e.to_string())?.system
        }
    };
    join_properties(&mut system)?;
    remove_reset_functions(&mut system)?;
    std::fs::write(target, aiger::write_binary(&system)).map_err(|e| e.to_string())
}

/// Makes the disjunction of all bads the only one, and drops what is not about safety.
fn join_properties(system: &mut BitSystem) -> Result<(), String> {
    let [first, others @ ..] = system.properties() else {
        return Err("no safety property".to_owned());
    };
    let (mut bad, others) = (*first, others.to_vec());
    for other in others {
        bad = !system.aig.push_and(!bad, !other);
    }
    system.bads = vec![bad];
    system.outputs.clear();
    system.justice.clear();
    system.fairness.clear();
    system.names = BitNames::default();
    system.comments.clear();
    Ok(())
}

/// Replaces each latch `l` that starts with a function `f` by `first ? f : l`, where the new
/// latch `first` is true in the first step only; `l` itself then may start with zero.
fn remove_reset_functions(system: &mut BitSystem) -> Result<(), String> {
    let has_function = |reset| matches!(reset, Reset::Function(_));
    if !system.latches.iter().any(|latch| has_function(latch.reset)) {
        return Ok(());
    }
    let order = initial_order(system).ok_or("the reset functions are circular")?;
    let latch_of = system.latch_of_var();
    let before: Vec<_> = system.aig.vars().collect();
    // What each variable has become, where that is known.
    let mut became: Vec<Option<Lit>> = vec![None; before.len()];
    let first = system.add_latch(Reset::One);
    if let Some(latch) = system.latches.last_mut() {
        latch.next = Lit::FALSE;
    }
    // What the functions need comes first, in its order; all other gates follow in theirs.
    for var in order.into_iter().chain(before) {
        if became[var.index()].is_some() {
            continue;
        }
        let now = |lit: Lit| {
            let plain = became[lit.var().index()].unwrap_or(lit.var().lit());
            if lit.is_negated() { !plain } else { plain }
        };
        let reset = latch_of[var.index()].map(|l| system.latches[l as usize].reset);
        let lit = match (system.aig.node(var), reset) {
            (Node::And(a, b), _) if (now(a), now(b)) == (a, b) => var.lit(),
            (Node::And(a, b), _) => system.aig.push_and(now(a), now(b)),
            (_, Some(Reset::Function(f))) => {
                let start = now(f);
                let then = system.aig.push_and(first, start);
                let otherwise = system.aig.push_and(!first, var.lit());
                !system.aig.push_and(!then, !otherwise)
            }
            _ => var.lit(),
        };
        became[var.index()] = Some(lit);
    }
    let now = |lit: &mut Lit| {
        if let Some(Some(plain)) = became.get(lit.var().index()) {
            *lit = if lit.is_negated() { !*plain } else { *plain };
        }
    };
    for latch in &mut system.latches {
        now(&mut latch.next);
        if has_function(latch.reset) {
            latch.reset = Reset::Zero;
        }
    }
    system.bads.iter_mut().chain(&mut system.constraints).for_each(now);
    Ok(())
}
