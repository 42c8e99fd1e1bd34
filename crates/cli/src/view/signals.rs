//! From a trace to waveforms: every signal with its value at every step, as the reference
//! evaluator sees it. Bits whose names say so (`count[0]`, `count[1]`, …) become words again.

use pedra_formats::vcd::{Signal, SignalKind, Waves};
use pedra_model::bits::{BitSystem, Reset, name_at};
use pedra_model::eval::bits::BitSimulator;
use pedra_model::eval::words::WordSimulator;
use pedra_model::lit::Lit;
use pedra_model::property::Property;
use pedra_model::system::System;
use pedra_model::term::{Sort, TermId};
use pedra_model::trace::{BitTrace, WordTrace};
use pedra_model::value::{Ternary, TernaryBv, TernaryValue};
use std::collections::{BTreeMap, BTreeSet};

/// A signal of a bit-level system before simulation.
struct BitSignal {
    name: String,
    kind: SignalKind,
    in_cone: bool,
    lit: Lit,
}

/// The waves of a path of a bit-level system. The cone is that of a property; without one,
/// every signal is in it.
pub fn of_bits(
    system: &BitSystem,
    trace: &BitTrace,
    property: Option<usize>,
) -> Result<Waves, String> {
    let signals = bit_signals(system, property);
    let mut values: Vec<Vec<Ternary>> = vec![Vec::new(); signals.len()];
    let mut simulator =
        BitSimulator::new(system).map_err(|l| format!("latch {l} is on a circle of resets"))?;
    for (step, inputs) in trace.inputs.iter().enumerate() {
        if step == 0 {
            simulator.start(&trace.initial, inputs).map_err(|e| e.to_string())?;
        } else {
            simulator.step(inputs);
        }
        for (signal, values) in signals.iter().zip(&mut values) {
            values.push(simulator.value(signal.lit));
        }
    }
    let mut signals = group(signals, &values);
    signals.extend(loop_signal(trace.loop_start, trace.inputs.len()));
    Ok(Waves { signals, steps: trace.inputs.len() })
}

/// Of a lasso, a signal that is true in the loop.
fn loop_signal(start: Option<usize>, steps: usize) -> Option<Signal> {
    let start = start?;
    let value = |step: usize| TernaryBv::from_bits(&[(step >= start).into()]);
    Some(Signal {
        name: "loop".to_owned(),
        kind: SignalKind::Bad,
        in_cone: true,
        values: (0..steps).map(value).collect(),
    })
}

/// The literals of each signal that [`of_bits`] shows, from the least significant on.
pub fn roots_of_bits(system: &BitSystem, property: Option<usize>) -> Vec<Vec<Lit>> {
    let signals = bit_signals(system, property);
    let lits =
        |(_, members): (String, Vec<usize>)| members.iter().map(|&i| signals[i].lit).collect();
    words_of(&signals).into_iter().map(lits).collect()
}

/// The term of each signal that [`of_words`] shows.
pub fn roots_of_words(system: &System, property: Option<usize>) -> Vec<TermId> {
    word_signals(system, property).into_iter().map(|(term, _)| term).collect()
}

fn bit_signals(system: &BitSystem, property: Option<usize>) -> Vec<BitSignal> {
    let roots = property.map(|p| bit_roots(system, p));
    let cone = roots.as_ref().map(|roots| bit_cone(system, roots.iter().map(|(_, lit)| *lit)));
    let inside = |lit: Lit| cone.as_ref().is_none_or(|cone| cone[lit.var().index()]);
    let is_chosen = |i: usize| property.is_none_or(|p| p == i);
    let mut signals = Vec::new();
    if let (Some(Property::Justice(_)), Some(roots)) =
        (property.map(|p| system.property(p)), &roots)
    {
        signals.extend(roots.iter().map(|(name, lit)| BitSignal {
            name: name.clone(),
            kind: SignalKind::Bad,
            in_cone: true,
            lit: *lit,
        }));
    }
    for (i, &lit) in system.properties().iter().enumerate() {
        let name = system.property_name(i).map_or(format!("b{i}"), str::to_owned);
        signals.push(BitSignal { name, kind: SignalKind::Bad, in_cone: is_chosen(i), lit });
    }
    for (i, var) in system.inputs.iter().enumerate() {
        let name = name_at(&system.names.inputs, i).map_or(format!("i{i}"), str::to_owned);
        let lit = var.lit();
        signals.push(BitSignal { name, kind: SignalKind::Input, in_cone: inside(lit), lit });
    }
    for (i, latch) in system.latches.iter().enumerate() {
        let name = name_at(&system.names.latches, i).map_or(format!("l{i}"), str::to_owned);
        let lit = latch.var.lit();
        signals.push(BitSignal { name, kind: SignalKind::State, in_cone: inside(lit), lit });
    }
    for (i, &lit) in system.constraints.iter().enumerate() {
        let name = name_at(&system.names.constraints, i).map_or(format!("c{i}"), str::to_owned);
        signals.push(BitSignal { name, kind: SignalKind::Constraint, in_cone: false, lit });
    }
    if !system.outputs_are_bads() {
        for (i, &lit) in system.outputs.iter().enumerate() {
            let name = name_at(&system.names.outputs, i).map_or(format!("o{i}"), str::to_owned);
            signals.push(BitSignal { name, kind: SignalKind::Wire, in_cone: inside(lit), lit });
        }
    }
    signals
}

/// What a property is about, with names: a bad, or the signals of a justice set.
fn bit_roots(system: &BitSystem, property: usize) -> Vec<(String, Lit)> {
    let index = match system.property(property) {
        Property::Bad(index) => return vec![(String::new(), system.properties()[index])],
        Property::Justice(index) => index,
    };
    let fair = system.fairness.iter().enumerate().map(|(i, &lit)| {
        (name_at(&system.names.fairness, i).map_or(format!("f{i}"), str::to_owned), lit)
    });
    let name = name_at(&system.names.justice, index).map_or(format!("j{index}"), str::to_owned);
    let set = system.justice[index].iter().enumerate();
    fair.chain(set.map(|(i, &lit)| (format!("{name}_{i}"), lit))).collect()
}

/// Which variables literals depend on, through latches. Each is visited once, however long
/// the chains of latches are.
fn bit_cone(system: &BitSystem, roots: impl IntoIterator<Item = Lit>) -> Vec<bool> {
    // The two literals that a variable follows from; the constant stands for "none".
    let mut behind = vec![[Lit::FALSE; 2]; system.aig.len()];
    for (var, a, b) in system.aig.gates() {
        behind[var.index()] = [a, b];
    }
    for latch in &system.latches {
        let reset = if let Reset::Function(f) = latch.reset { f } else { Lit::FALSE };
        behind[latch.var.index()] = [latch.next, reset];
    }
    let roots = roots.into_iter().map(|root| root.var().index());
    reach(system.aig.len(), roots, |var, visit| {
        behind[var].iter().for_each(|lit| visit(lit.var().index()));
    })
}

/// What can be reached from the roots among `count` nodes.
fn reach(
    count: usize,
    roots: impl IntoIterator<Item = usize>,
    behind: impl Fn(usize, &mut dyn FnMut(usize)),
) -> Vec<bool> {
    let mut inside = vec![false; count];
    let mut open: Vec<usize> = roots.into_iter().collect();
    open.iter().for_each(|&root| inside[root] = true);
    while let Some(node) = open.pop() {
        behind(node, &mut |next| {
            if !std::mem::replace(&mut inside[next], true) {
                open.push(next);
            }
        });
    }
    inside
}

/// Splits `count[3]` into `count` and 3.
fn split_index(name: &str) -> Option<(&str, usize)> {
    let (base, index) = name.strip_suffix(']')?.rsplit_once('[')?;
    let plain = !base.is_empty() && !index.is_empty() && index.bytes().all(|b| b.is_ascii_digit());
    if plain { Some((base, index.parse().ok()?)) } else { None }
}

/// Joins bits `name[0]` to `name[n]` of one kind into words; what is not a whole word stays.
fn group(signals: Vec<BitSignal>, values: &[Vec<Ternary>]) -> Vec<Signal> {
    let word = |(name, bits): (String, Vec<usize>)| {
        let at = |step: usize| {
            let digits: Vec<Ternary> = bits.iter().map(|&b| values[b][step]).collect();
            TernaryBv::from_bits(&digits)
        };
        let in_cone = bits.iter().any(|&b| signals[b].in_cone);
        let (kind, steps) = (signals[bits[0]].kind, values[bits[0]].len());
        Signal { name, kind, in_cone, values: (0..steps).map(at).collect() }
    };
    words_of(&signals).into_iter().map(word).collect()
}

/// The words that signals are bits of, with the positions of their bits.
fn words_of(signals: &[BitSignal]) -> Vec<(String, Vec<usize>)> {
    let mut words: BTreeMap<(SignalKind, &str), BTreeMap<usize, usize>> = BTreeMap::new();
    for (i, signal) in signals.iter().enumerate() {
        if let Some((base, index)) = split_index(&signal.name) {
            words.entry((signal.kind, base)).or_default().insert(index, i);
        }
    }
    // All of 0..n, each once: as many bits as the highest index says. A second signal of the
    // same name replaces the first in the map, which then stands alone.
    words.retain(|_, word| word.len() > 1 && word.keys().copied().eq(0..word.len()));
    let firsts: BTreeMap<(SignalKind, &str), usize> = words
        .iter()
        .map(|(&key, word)| (key, word.values().copied().min().expect("it has two bits")))
        .collect();
    let member = |i: usize| {
        let (base, index) = split_index(&signals[i].name)?;
        let key = (signals[i].kind, base);
        let word = words.get(&key)?;
        (word.get(&index) == Some(&i)).then(|| (base, word, firsts[&key]))
    };
    let mut grouped = Vec::new();
    for (i, signal) in signals.iter().enumerate() {
        match member(i) {
            // The word stands where its first bit stood.
            Some((base, word, first)) if first == i => {
                grouped.push((base.to_owned(), word.values().copied().collect()));
            }
            Some(_) => {}
            None => grouped.push((signal.name.clone(), vec![i])),
        }
    }
    grouped
}

/// As [`of_bits`], of a word-level system. Arrays are left out: they have no waveform.
pub fn of_words(
    system: &System,
    trace: &WordTrace,
    property: Option<usize>,
) -> Result<Waves, String> {
    let mut signals = word_signals(system, property);
    let mut simulator =
        WordSimulator::new(system).map_err(|s| format!("state {s} is on a circle of inits"))?;
    for (step, inputs) in trace.inputs.iter().enumerate() {
        let states = &trace.states[step];
        let entered = if step == 0 {
            simulator.start(states, inputs)
        } else {
            simulator.step(states, inputs)
        };
        entered.map_err(|e| e.to_string())?;
        for (term, signal) in &mut signals {
            if let TernaryValue::Bv(value) = simulator.value(*term) {
                signal.values.push(value.clone());
            }
        }
    }
    let mut signals: Vec<Signal> = signals.into_iter().map(|(_, signal)| signal).collect();
    signals.extend(loop_signal(trace.loop_start, trace.inputs.len()));
    Ok(Waves { signals, steps: trace.inputs.len() })
}

fn word_signals(system: &System, property: Option<usize>) -> Vec<(TermId, Signal)> {
    let roots = property.map(|p| word_roots(system, p)).unwrap_or_default();
    let cone = match property {
        Some(_) => word_cone(system, roots.iter().map(|(_, term)| *term)),
        None => vec![true; system.terms.len()],
    };
    let is_chosen = |i: usize| property.is_none_or(|p| p == i);
    let mut signals: Vec<(TermId, Signal)> = Vec::new();
    let mut add = |term: TermId, name: Option<&str>, fallback: String, kind, in_cone| {
        if let Sort::Bv(_) = system.terms.sort(term) {
            let name = name.map_or(fallback, str::to_owned);
            signals.push((term, Signal { name, kind, in_cone, values: Vec::new() }));
        }
    };
    if let Some(Property::Justice(_)) = property.map(|p| system.property(p)) {
        for (name, term) in &roots {
            add(*term, Some(name), String::new(), SignalKind::Bad, true);
        }
    }
    for (i, bad) in system.bads.iter().enumerate() {
        add(bad.term, bad.name.as_deref(), format!("b{i}"), SignalKind::Bad, is_chosen(i));
    }
    for (i, x) in system.inputs.iter().enumerate() {
        let inside = cone[x.term.index()];
        add(x.term, x.name.as_deref(), input_name(i), SignalKind::Input, inside);
    }
    for (i, x) in system.states.iter().enumerate() {
        let inside = cone[x.term.index()];
        add(x.term, x.name.as_deref(), state_name(i), SignalKind::State, inside);
    }
    for (i, x) in system.constraints.iter().enumerate() {
        add(x.term, x.name.as_deref(), format!("c{i}"), SignalKind::Constraint, false);
    }
    for (i, x) in system.outputs.iter().enumerate() {
        let inside = cone[x.term.index()];
        add(x.term, x.name.as_deref(), format!("o{i}"), SignalKind::Wire, inside);
    }
    for (term, name) in &system.names {
        add(*term, Some(name), String::new(), SignalKind::Wire, cone[term.index()]);
    }
    signals
}

/// Leaves out inputs and states that the system has no name for.
pub fn drop_nameless(waves: &mut Waves, system: &System) {
    let inputs = system.inputs.iter().enumerate().filter(|(_, x)| x.name.is_none());
    let states = system.states.iter().enumerate().filter(|(_, x)| x.name.is_none());
    let inputs = inputs.map(|(i, _)| (SignalKind::Input, input_name(i)));
    let states = states.map(|(i, _)| (SignalKind::State, state_name(i)));
    let nameless: BTreeSet<(SignalKind, String)> = inputs.chain(states).collect();
    waves.signals.retain(|signal| !nameless.contains(&(signal.kind, signal.name.clone())));
}

/// What an input without a name is called.
fn input_name(index: usize) -> String {
    format!("input{index}")
}

/// What a state without a name is called.
fn state_name(index: usize) -> String {
    format!("state{index}")
}

/// As [`bit_roots`].
fn word_roots(system: &System, property: usize) -> Vec<(String, TermId)> {
    let index = match system.property(property) {
        Property::Bad(index) => return vec![(String::new(), system.bads[index].term)],
        Property::Justice(index) => index,
    };
    let fair =
        system.fairness.iter().enumerate().map(|(i, fair)| {
            (fair.name.as_deref().map_or(format!("f{i}"), str::to_owned), fair.term)
        });
    let set = &system.justice[index];
    let name = set.name.as_deref().map_or(format!("j{index}"), str::to_owned);
    let terms = set.terms.iter().enumerate();
    fair.chain(terms.map(|(i, &term)| (format!("{name}_{i}"), term))).collect()
}

/// Which terms these depend on, through states.
fn word_cone(system: &System, roots: impl IntoIterator<Item = TermId>) -> Vec<bool> {
    let mut follows: Vec<Vec<TermId>> = vec![Vec::new(); system.terms.len()];
    for state in &system.states {
        follows[state.term.index()] = state.next.into_iter().chain(state.init).collect();
    }
    let roots = roots.into_iter().map(TermId::index);
    reach(system.terms.len(), roots, |node, visit| {
        let arguments = system.terms.get(TermId::new(node)).args();
        arguments.chain(follows[node].iter().copied()).for_each(|term| visit(term.index()));
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_become_words() {
        let mut s = BitSystem::new();
        let input = s.add_input();
        for _ in 0..3 {
            s.add_latch(Reset::Zero);
        }
        s.latches[0].next = input;
        s.latches[1].next = s.latches[0].var.lit();
        s.bads.push(s.latches[1].var.lit());
        let name = |n: &str| Some(n.to_owned().into_boxed_str());
        s.names.latches = vec![name("c[0]"), name("c[1]"), name("d[1]")];
        let inputs = [Ternary::True, Ternary::Unknown, Ternary::Unknown].map(|i| vec![i]).to_vec();
        let trace =
            BitTrace { property: 0, initial: vec![Ternary::Unknown; 3], inputs, loop_start: None };
        let waves = of_bits(&s, &trace, Some(0)).expect("a trace");
        let shown: Vec<(String, bool, String)> = waves
            .signals
            .iter()
            .map(|s| {
                let digits: Vec<String> = s.values.iter().map(|v| v.to_digits()).collect();
                (s.name.clone(), s.in_cone, digits.join(" "))
            })
            .collect();
        let expected = [
            ("b0", true, "0 0 1"),
            ("i0", true, "1 x x"),
            ("c", true, "00 01 1x"),
            ("d[1]", false, "0 0 0"),
        ];
        let expected = expected.map(|(n, c, v)| (n.to_owned(), c, v.to_owned()));
        assert_eq!(shown, expected);
    }
}
