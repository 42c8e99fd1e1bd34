//! Pictures of models in the language of Graphviz.

use pedra_model::bits::{BitSystem, Name, Reset, name_at};
use pedra_model::lit::Lit;
use pedra_model::system::System;
use pedra_model::term::{Term, TermId};
use std::fmt::Write;

/// A bit-level system. Signals flow upwards: inputs are triangles, latches boxes, gates circles,
/// inverted edges dashed. Bad literals are red, constraints blue; what a latch does next comes
/// back to it as a grey edge, and its reset function as an orange one.
pub fn bits(system: &BitSystem) -> String {
    let mut out = String::from("digraph model {\n  rankdir=BT;\n");
    out.push_str("  node [fontname=\"sans-serif\", fontsize=10];\n");
    out.push_str("  edge [arrowsize=0.6, fontname=\"sans-serif\", fontsize=8];\n");
    leaves(&mut out, system);
    gates(&mut out, system);
    for latch in &system.latches {
        let target = format!("v{}", latch.var.index());
        edge(&mut out, latch.next, &target, "color=gray40, constraint=false");
        if let Reset::Function(function) = latch.reset {
            edge(&mut out, function, &target, "color=orange, constraint=false, label=\"reset\"");
        }
    }
    let style = if system.outputs_are_bads() { RED } else { "color=black" };
    roots(&mut out, "o", "output", style, &system.outputs, &system.names.outputs);
    roots(&mut out, "b", "bad", RED, &system.bads, &system.names.bads);
    let names = &system.names;
    roots(&mut out, "c", "constraint", BLUE, &system.constraints, &names.constraints);
    roots(&mut out, "f", "fairness", GREEN, &system.fairness, &names.fairness);
    for (i, lits) in system.justice.iter().enumerate() {
        root(&mut out, &format!("j{i}"), "justice", i, GREEN, lits, name_at(&names.justice, i));
    }
    out.push_str("}\n");
    out
}

const RED: &str = "color=red, fontcolor=red";
const BLUE: &str = "color=blue, fontcolor=blue";
const GREEN: &str = "color=darkgreen, fontcolor=darkgreen";

/// The constant if it is used, inputs and latches.
fn leaves(out: &mut String, system: &BitSystem) {
    if uses_constant(system) {
        out.push_str("  v0 [shape=plaintext, label=\"0\"];\n");
    }
    for (i, var) in system.inputs.iter().enumerate() {
        let label = label(name_at(&system.names.inputs, i), "input", i);
        let _ = writeln!(out, "  v{} [shape=triangle, label=\"{label}\"];", var.index());
    }
    for (i, latch) in system.latches.iter().enumerate() {
        let label = label(name_at(&system.names.latches, i), "latch", i);
        let reset = match latch.reset {
            Reset::Zero => "starts 0",
            Reset::One => "starts 1",
            Reset::Free => "starts free",
            Reset::Function(_) => "starts computed",
        };
        let var = latch.var.index();
        let _ = writeln!(out, "  v{var} [shape=box, label=\"{label}\\n{reset}\"];");
    }
}

fn gates(out: &mut String, system: &BitSystem) {
    for (gate, a, b) in system.aig.gates() {
        let name = format!("v{}", gate.index());
        let _ = writeln!(out, "  {name} [shape=circle, label=\"{}\"];", gate.index());
        edge(out, a, &name, "");
        edge(out, b, &name, "");
    }
}

fn uses_constant(system: &BitSystem) -> bool {
    let is_const = |lit: &Lit| lit.is_const();
    system.aig.gates().any(|(_, a, b)| a.is_const() || b.is_const())
        || system
            .latches
            .iter()
            .any(|l| l.next.is_const() || matches!(l.reset, Reset::Function(f) if f.is_const()))
        || [&system.outputs, &system.bads, &system.constraints, &system.fairness]
            .into_iter()
            .chain(&system.justice)
            .any(|lits| lits.iter().any(is_const))
}

/// A list of literals with a meaning, one node each.
fn roots(out: &mut String, id: &str, kind: &str, style: &str, lits: &[Lit], names: &[Name]) {
    for (i, &lit) in lits.iter().enumerate() {
        root(out, &format!("{id}{i}"), kind, i, style, &[lit], name_at(names, i));
    }
}

/// One thing with a meaning and the literals that it is about.
fn root(
    out: &mut String,
    id: &str,
    kind: &str,
    index: usize,
    style: &str,
    lits: &[Lit],
    name: Option<&str>,
) {
    let label = match name {
        Some(name) => format!("{kind} {index}\\n{}", escape(name)),
        None => format!("{kind} {index}"),
    };
    let _ = writeln!(out, "  {id} [shape=house, {style}, label=\"{label}\"];");
    for &lit in lits {
        edge(out, lit, id, style);
    }
}

/// An edge from a literal's variable, dashed if the literal is negated.
fn edge(out: &mut String, from: Lit, to: &str, style: &str) {
    let inverted = if from.is_negated() { "style=dashed, arrowhead=odot" } else { "" };
    let comma = if inverted.is_empty() || style.is_empty() { "" } else { ", " };
    let _ = writeln!(out, "  v{} -> {to} [{style}{comma}{inverted}];", from.var().index());
}

/// The name, or what it is and its index.
fn label(name: Option<&str>, kind: &str, index: usize) -> String {
    name.filter(|n| !n.is_empty()).map_or_else(|| format!("{kind} {index}"), escape)
}

/// A text within a quoted label.
fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '"' | '\\' => escaped.extend(['\\', c]),
            c if c.is_control() => escaped.push(' '),
            c => escaped.push(c),
        }
    }
    escaped
}

/// A word-level system. Signals flow upwards: inputs are triangles, states boxes, operators
/// ellipses with the width of their result; edges are numbered where the order of arguments
/// matters. Bads are red, constraints blue; the next value of a state comes back to it as a grey
/// edge and its init as an orange one.
pub fn words(system: &System) -> String {
    let mut out = String::from("digraph model {\n  rankdir=BT;\n");
    out.push_str("  node [fontname=\"sans-serif\", fontsize=10];\n");
    out.push_str("  edge [arrowsize=0.6, fontname=\"sans-serif\", fontsize=8];\n");
    symbols(&mut out, system);
    operators(&mut out, system);
    for state in &system.states {
        let to = state.term.index();
        if let Some(next) = state.next {
            let from = next.index();
            let _ = writeln!(out, "  t{from} -> t{to} [color=gray40, constraint=false];");
        }
        if let Some(init) = state.init {
            let from = init.index();
            let style = "color=orange, constraint=false, label=\"init\"";
            let _ = writeln!(out, "  t{from} -> t{to} [{style}];");
        }
    }
    let lists = [
        ("o", "output", "color=black", &system.outputs),
        ("b", "bad", RED, &system.bads),
        ("c", "constraint", BLUE, &system.constraints),
        ("f", "fairness", GREEN, &system.fairness),
    ];
    for (id, kind, style, list) in lists {
        for (i, named) in list.iter().enumerate() {
            word_root(&mut out, (id, i), kind, style, &[named.term], &named.name);
        }
    }
    for (i, justice) in system.justice.iter().enumerate() {
        word_root(&mut out, ("j", i), "justice", GREEN, &justice.terms, &justice.name);
    }
    out.push_str("}\n");
    out
}

/// The inputs and states.
fn symbols(out: &mut String, system: &System) {
    let inputs = system.inputs.iter().enumerate();
    let inputs = inputs.map(|(i, input)| ("triangle", "input", i, input.term, &input.name));
    let states = system.states.iter().enumerate();
    let states = states.map(|(i, state)| ("box", "state", i, state.term, &state.name));
    for (shape, kind, index, term, name) in inputs.chain(states) {
        let label = label(name.as_deref(), kind, index);
        let (id, sort) = (term.index(), system.terms.sort(term));
        let _ = writeln!(out, "  t{id} [shape={shape}, label=\"{label}\\n{sort}\"];");
    }
}

/// The terms that the system uses, without its symbols.
fn operators(out: &mut String, system: &System) {
    let cone = system.terms.cone(system.roots());
    for (id, term) in system.terms.iter().filter(|(id, _)| cone[id.index()]) {
        let (node, sort) = (id.index(), system.terms.sort(id));
        let text = match term {
            Term::Symbol(_) => continue,
            Term::Const(value) => {
                // A wide constant would make a wide picture.
                let text = value.to_u64().map_or_else(|| "…".into(), |v| v.to_string());
                let _ = writeln!(out, "  t{node} [shape=plaintext, label=\"{text}\"];");
                continue;
            }
            Term::Unary(op, _) => op.name().to_string(),
            Term::Binary(op, _, _) => op.name().to_string(),
            Term::IntConst(value) => value.to_string(),
            Term::IntNeg(_) => "-".into(),
            Term::Int(op, _, _) => op.name().to_string(),
            Term::Ite(..) => "ite".into(),
            Term::Slice { high, low, .. } => format!("[{high}:{low}]"),
            Term::Extend { signed: true, .. } => "sext".into(),
            Term::Extend { signed: false, .. } => "uext".into(),
            Term::ConstArray { .. } => "everywhere".into(),
            Term::Read(..) => "read".into(),
            Term::Write(..) => "write".into(),
        };
        let _ = writeln!(out, "  t{node} [shape=ellipse, label=\"{text}\\n{sort}\"];");
        let is_single = term.args().count() == 1;
        for (position, arg) in term.args().enumerate() {
            let label = if is_single { String::new() } else { format!("label={position}") };
            let _ = writeln!(out, "  t{} -> t{node} [{label}];", arg.index());
        }
    }
}

/// One property and the terms that it is about.
fn word_root(
    out: &mut String,
    (id, index): (&str, usize),
    kind: &str,
    style: &str,
    terms: &[TermId],
    name: &Name,
) {
    let name = name.as_deref().map_or_else(String::new, |n| format!("\\n{}", escape(n)));
    let label = format!("{kind} {index}{name}");
    let _ = writeln!(out, "  {id}{index} [shape=house, {style}, label=\"{label}\"];");
    for term in terms {
        let _ = writeln!(out, "  t{} -> {id}{index} [{style}];", term.index());
    }
}
