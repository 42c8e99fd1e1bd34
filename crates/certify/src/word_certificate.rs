//! Checking a word-level witness circuit against a word-level model: both are blasted, the
//! mapping between words becomes one between bits, and [`crate::certificate`] does the rest.
//! Where the witness's property compares sums, its induction is asked in words first
//! (`word_consecution`).
//!
//! The witness says by symbols `=n` which inputs and states simulate those that have the node
//! number `n` in the model's file; without any such symbol, inputs and states are taken in
//! order.

use crate::certificate::{CertificateError, CheckedCertificate, check_mapped_certificate};
use crate::mapping::{Mapping, simulated_number};
use crate::options::CheckOptions;
use crate::word_consecution::shown_in_words;
use pedra_formats::btor2::Nodes;
use pedra_model::blast::{BlastOptions, Blasted, StateBits, blast};
use pedra_model::cone::WordCone;
use pedra_model::lit::Lit;
use pedra_model::system::System;
use pedra_model::term::{BinaryOp, Sort, Term, TermId, UnaryOp};

/// A model as its file gives it.
#[derive(Copy, Clone, Debug)]
pub struct NumberedModel<'a> {
    /// The system.
    pub system: &'a System,
    /// The node numbers of its parts.
    pub nodes: &'a Nodes,
}

/// An input or a state, by its index.
#[derive(Copy, Clone, PartialEq, Debug)]
enum Part {
    Input(usize),
    State(usize),
}

/// Checks that `witness` certifies these properties of `model`.
pub fn check_word_certificate(
    model: NumberedModel<'_>,
    properties: &[usize],
    witness: &System,
    blasting: &BlastOptions,
    options: &CheckOptions,
) -> Result<CheckedCertificate, CertificateError> {
    let (witness, model, pairs) = cones(model, properties, witness)?;
    let blasted = |system: &System, name: &str| {
        blast(system, blasting)
            .map_err(|error| CertificateError::Unsupported(format!("{name}: {error}")))
    };
    let ours = blasted(&model.system, "the model")?;
    let theirs = blasted(&witness, "the witness")?;
    let mut mapping = Mapping::empty(&theirs.system);
    for (their_part, our_part) in pairs {
        let (their_sort, our_sort) = (sort(&witness, their_part), sort(&model.system, our_part));
        if their_sort != our_sort {
            let text = format!("a {their_sort} of the witness simulates a {our_sort}");
            return Err(CertificateError::Mapping(text));
        }
        let lits = leaves(&theirs, their_part).into_iter().zip(leaves(&ours, our_part));
        lits.into_iter().try_for_each(|(t, o)| mapping.add(t, o))?;
        map_choices(&mut mapping, (&theirs, their_part), (&ours, our_part))?;
    }
    let induction = || {
        let (witness, property) = conjuncts(&witness);
        shown_in_words(&witness, &property, blasting, options)
    };
    let (ours, theirs) = (&ours.system, &theirs.system);
    let properties: Vec<usize> = (0..properties.len()).collect();
    check_mapped_certificate(ours, &properties, theirs, &mapping, options, induction)
}

/// The part of the witness, the part of the model, and what simulates what.
type Sides = (System, WordCone, Vec<(Part, Part)>);

/// What the check is about: the part of the witness that its property depends on, the part of
/// the model that the properties depend on or the former simulates, and what simulates what.
///
/// The five formulas for these parts are enough. The part of the witness is a circuit by itself,
/// since it is closed under what it reads, and so is that of the model; and a part of the model
/// that keeps all its constraints and the chosen properties violates just what the model does.
fn cones(
    model: NumberedModel<'_>,
    properties: &[usize],
    witness: &System,
) -> Result<Sides, CertificateError> {
    if let Some(property) = properties.iter().find(|&&p| p >= model.system.bads.len()) {
        let text = format!("property {property} does not exist");
        return Err(CertificateError::Malformed(text));
    }
    let all: Vec<usize> = (0..witness.bads.len()).collect();
    let theirs = WordCone::new(witness, &all, []);
    let place = |list: &[usize], index: usize| list.binary_search(&index).ok();
    let mut pairs = pairs(model, witness)?;
    pairs.retain_mut(|(part, _)| {
        let kept = match *part {
            Part::Input(index) => place(&theirs.inputs, index).map(Part::Input),
            Part::State(index) => place(&theirs.states, index).map(Part::State),
        };
        *part = kept.unwrap_or(*part);
        kept.is_some()
    });
    let simulated = pairs.iter().map(|&(_, part)| match part {
        Part::Input(index) => model.system.inputs[index].term,
        Part::State(index) => model.system.states[index].term,
    });
    let ours = WordCone::new(model.system, properties, simulated);
    for (_, part) in &mut pairs {
        *part = match *part {
            Part::Input(index) => Part::Input(place(&ours.inputs, index).expect("kept")),
            Part::State(index) => Part::State(place(&ours.states, index).expect("kept")),
        };
    }
    Ok((theirs.system, ours, pairs))
}

/// The property of the witness, that no bad is true, as terms that are all true; with the witness,
/// to which some of them were added.
fn conjuncts(witness: &System) -> (System, Vec<TermId>) {
    let mut system = witness.clone();
    let always = system.terms.bool(true);
    let (mut parts, mut seen) = (Vec::new(), vec![[false; 2]; system.terms.len()]);
    // A term, and whether it is meant or its negation.
    let mut stack: Vec<(TermId, bool)> = witness.bads.iter().map(|bad| (bad.term, false)).collect();
    while let Some((id, is_meant)) = stack.pop() {
        if std::mem::replace(&mut seen[id.index()][is_meant as usize], true) {
            continue;
        }
        match (system.terms.get(id), is_meant) {
            (&Term::Unary(UnaryOp::Not, a), _) => stack.push((a, !is_meant)),
            (&Term::Binary(BinaryOp::And, a, b), true) => stack.extend([(b, true), (a, true)]),
            // What our own witnesses have for the current state.
            (&Term::Binary(BinaryOp::Implies, a, b), true) if a == always => stack.push((b, true)),
            (_, true) => parts.push(id),
            (_, false) => parts.push(system.terms.unary(UnaryOp::Not, id)),
        }
    }
    (system, parts)
}

/// Which parts of the witness simulate which of the model.
fn pairs(
    model: NumberedModel<'_>,
    witness: &System,
) -> Result<Vec<(Part, Part)>, CertificateError> {
    let inputs = witness.inputs.iter().enumerate().map(|(i, x)| (Part::Input(i), &x.name));
    let states = witness.states.iter().enumerate().map(|(i, x)| (Part::State(i), &x.name));
    let mut pairs = Vec::new();
    for (theirs, name) in inputs.chain(states) {
        if let Some(number) = simulated_number(name) {
            let ours = part_with_number(model.nodes, number).ok_or_else(|| {
                CertificateError::Mapping(format!(
                    "node {number} is no input or state of the model"
                ))
            })?;
            pairs.push((theirs, ours));
        }
    }
    if pairs.is_empty() {
        let inputs = witness.inputs.len().min(model.system.inputs.len());
        let states = witness.states.len().min(model.system.states.len());
        pairs.extend((0..inputs).map(|i| (Part::Input(i), Part::Input(i))));
        pairs.extend((0..states).map(|i| (Part::State(i), Part::State(i))));
    }
    Ok(pairs)
}

fn part_with_number(nodes: &Nodes, number: u64) -> Option<Part> {
    let input = nodes.inputs.iter().position(|n| n.id == number).map(Part::Input);
    input.or_else(|| nodes.states.iter().position(|n| n.id == number).map(Part::State))
}

fn sort(system: &System, part: Part) -> Sort {
    system.terms.sort(match part {
        Part::Input(index) => system.inputs[index].term,
        Part::State(index) => system.states[index].term,
    })
}

/// The bits of the current value.
fn leaves(blasted: &Blasted, part: Part) -> Vec<Lit> {
    match part {
        Part::Input(index) => {
            blasted.system.inputs[blasted.map.input(index)].iter().map(|v| v.lit()).collect()
        }
        Part::State(index) => blasted.map.state_lits(&blasted.system, index),
    }
}

/// A state with `init` and without `next` is blasted to latches whose next values are chosen by
/// further inputs. If a state of the witness is of that kind, it chooses what the model's state
/// becomes.
fn map_choices(
    mapping: &mut Mapping,
    (theirs, their_part): (&Blasted, Part),
    (ours, our_part): (&Blasted, Part),
) -> Result<(), CertificateError> {
    let (Part::State(their_index), Part::State(our_index)) = (their_part, our_part) else {
        return Ok(());
    };
    let StateBits::Latches { chosen: Some(chosen), .. } = theirs.map.state(their_index) else {
        return Ok(());
    };
    let StateBits::Latches { latches, .. } = ours.map.state(our_index) else { return Ok(()) };
    let nexts = ours.system.latches[latches.clone()].iter().map(|l| l.next);
    let choices = theirs.system.inputs[chosen.clone()].iter().map(|v| v.lit());
    choices.zip(nexts).try_for_each(|(choice, next)| mapping.add(choice, next))
}
