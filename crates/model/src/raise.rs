//! Bit-level systems as word-level ones with words of one bit, for formats that know only
//! words.

use crate::aig::Node;
use crate::bits::{BitSystem, Name, Reset, name_at};
use crate::lit::Lit;
use crate::system::{Input, Justice, NamedTerm, State, System};
use crate::term::{BinaryOp, Sort, TermId, Terms, UnaryOp};

/// The same system over one-bit words. The outputs of an old-style file become bads.
pub fn words_from_bits(bits: &BitSystem) -> System {
    let mut system = System::new();
    let mut term_of: Vec<Option<TermId>> = vec![None; bits.aig.len()];
    let name = |names: &[Name], i: usize| name_at(names, i).map(Box::from);
    for (i, var) in bits.inputs.iter().enumerate() {
        let term = system.terms.new_symbol(Sort::BOOL);
        term_of[var.index()] = Some(term);
        system.inputs.push(Input { term, name: name(&bits.names.inputs, i) });
    }
    for (i, latch) in bits.latches.iter().enumerate() {
        let term = system.terms.new_symbol(Sort::BOOL);
        term_of[latch.var.index()] = Some(term);
        let name = name(&bits.names.latches, i);
        system.states.push(State { term, name, init: None, next: None });
    }
    for var in bits.aig.vars() {
        let term = match bits.aig.node(var) {
            Node::Const => system.terms.bool(false),
            Node::Leaf => continue,
            Node::And(a, b) => {
                let a = literal(&mut system.terms, &term_of, a);
                let b = literal(&mut system.terms, &term_of, b);
                system.terms.binary(BinaryOp::And, a, b)
            }
        };
        term_of[var.index()] = Some(term);
    }
    let lit = |terms: &mut Terms, l: Lit| literal(terms, &term_of, l);
    for (i, latch) in bits.latches.iter().enumerate() {
        let init = match latch.reset {
            Reset::Zero => Some(Lit::FALSE),
            Reset::One => Some(Lit::TRUE),
            Reset::Free => None,
            Reset::Function(f) => Some(f),
        };
        system.states[i].init = init.map(|f| lit(&mut system.terms, f));
        system.states[i].next = Some(lit(&mut system.terms, latch.next));
    }
    let mut named = |lits: &[Lit], names: &[Name]| -> Vec<NamedTerm> {
        let each = lits.iter().enumerate();
        each.map(|(i, &l)| NamedTerm {
            term: lit(&mut system.terms, l),
            name: name_at(names, i).map(Box::from),
        })
        .collect()
    };
    let names = &bits.names;
    let outputs = named(&bits.outputs, &names.outputs);
    let bads = named(&bits.bads, &names.bads);
    let constraints = named(&bits.constraints, &names.constraints);
    let fairness = named(&bits.fairness, &names.fairness);
    for (i, lits) in bits.justice.iter().enumerate() {
        let terms = lits.iter().map(|&l| lit(&mut system.terms, l)).collect();
        system.justice.push(Justice { terms, name: name_at(&names.justice, i).map(Box::from) });
    }
    (system.constraints, system.fairness) = (constraints, fairness);
    if bits.outputs_are_bads() {
        system.bads = outputs;
    } else {
        (system.outputs, system.bads) = (outputs, bads);
    }
    system.comments.clone_from(&bits.comments);
    system
}

fn literal(terms: &mut Terms, term_of: &[Option<TermId>], lit: Lit) -> TermId {
    if lit == Lit::TRUE {
        return terms.bool(true);
    }
    let term = term_of[lit.var().index()].expect("inputs of gates come first");
    if lit.is_negated() { terms.unary(UnaryOp::Not, term) } else { term }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::blast::{BlastOptions, blast};

    /// Raised and blasted again, a system has the same parts.
    #[test]
    fn there_and_back() {
        let mut bits = BitSystem::new();
        let i = bits.add_input();
        let (a, b) = (bits.add_latch(Reset::One), bits.add_latch(Reset::Free));
        let gate = bits.aig.push_and(i, !a);
        bits.latches[0].next = gate;
        bits.latches[1].reset = Reset::Function(!a);
        bits.outputs.push(!gate);
        bits.constraints.push(!b);
        let back = blast(&words_from_bits(&bits), &BlastOptions::default()).expect("small").system;
        assert_eq!(back.inputs.len(), 1);
        assert_eq!(back.latches[0].reset, Reset::One);
        assert_eq!(back.latches[1].reset, Reset::Function(!back.latches[0].var.lit()));
        assert_eq!(back.bads, vec![!back.latches[0].next]);
        assert_eq!(back.constraints, vec![!back.latches[1].var.lit()]);
    }
}
