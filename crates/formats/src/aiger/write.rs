//! Writing both encodings. Variables are renumbered to inputs, latches and gates, in that
//! order, which binary files need and ascii files look best with.

use pedra_model::bits::{BitSystem, Name, Reset};
use pedra_model::lit::{Lit, Var};

/// The system as an ascii file (`aag`).
///
/// # Panics
/// If the logic has a leaf that is neither an input nor a latch.
pub fn write_ascii(system: &BitSystem) -> Vec<u8> {
    let mut writer = Writer::new(system);
    writer.header("aag");
    for &input in &system.inputs {
        let input = writer.code(input.lit());
        writer.line(&[input]);
    }
    writer.sections(true);
    for (gate, a, b) in system.aig.gates() {
        let [gate, a, b] = [gate.lit(), a, b].map(|lit| writer.code(lit));
        writer.line(&[gate, a, b]);
    }
    writer.names_and_comments();
    writer.out
}

/// The system as a binary file (`aig`). A gate's larger input comes first, as the coding needs.
///
/// # Panics
/// If the logic has a leaf that is neither an input nor a latch.
pub fn write_binary(system: &BitSystem) -> Vec<u8> {
    let mut writer = Writer::new(system);
    writer.header("aig");
    writer.sections(false);
    for (gate, a, b) in system.aig.gates() {
        let [gate, a, b] = [gate.lit(), a, b].map(|lit| writer.code(lit));
        writer.delta(gate - a.max(b));
        writer.delta(a.max(b) - a.min(b));
    }
    writer.names_and_comments();
    writer.out
}

struct Writer<'a> {
    system: &'a BitSystem,
    /// The number that each variable has in the file; 0 for those without a meaning.
    numbers: Vec<u32>,
    out: Vec<u8>,
}

impl<'a> Writer<'a> {
    fn new(system: &'a BitSystem) -> Writer<'a> {
        let mut numbers = vec![0; system.aig.len()];
        let latches = system.latches.iter().map(|l| l.var);
        let leaves = system.inputs.iter().copied().chain(latches);
        for (number, var) in (1..).zip(leaves.chain(system.aig.gates().map(|(gate, _, _)| gate))) {
            numbers[var.index()] = number;
        }
        Writer { system, numbers, out: Vec::with_capacity(8 * system.aig.len()) }
    }

    /// The code of a literal in the file.
    fn code(&self, lit: Lit) -> u32 {
        let number = self.numbers[lit.var().index()];
        assert!(number != 0 || lit.var() == Var::CONST, "a leaf is an input or a latch");
        number << 1 | u32::from(lit.is_negated())
    }

    fn header(&mut self, magic: &str) {
        let s = self.system;
        let (inputs, latches) = (s.inputs.len(), s.latches.len());
        let gates = s.aig.num_gates();
        let old = [inputs + latches + gates, inputs, latches, s.outputs.len(), gates];
        let new = [s.bads.len(), s.constraints.len(), s.justice.len(), s.fairness.len()];
        // Later fields only as far as they say something, so that old files stay old.
        let used = new.iter().rposition(|&n| n > 0).map_or(0, |last| last + 1);
        self.out.extend_from_slice(magic.as_bytes());
        for &number in old.iter().chain(&new[..used]) {
            self.out.push(b' ');
            self.number(number);
        }
        self.out.push(b'\n');
    }

    fn sections(&mut self, with_latch_literals: bool) {
        let s = self.system;
        for latch in &s.latches {
            let own = self.code(latch.var.lit());
            let reset = match latch.reset {
                Reset::Zero | Reset::Function(Lit::FALSE) => None,
                Reset::One => Some(1),
                Reset::Free => Some(own),
                Reset::Function(function) => Some(self.code(function)),
            };
            let words = [Some(own), Some(self.code(latch.next)), reset];
            let first = usize::from(!with_latch_literals);
            let words: Vec<u32> = words[first..].iter().copied().flatten().collect();
            self.line(&words);
        }
        for lits in [&s.outputs, &s.bads, &s.constraints] {
            self.lits(lits);
        }
        for justice in &s.justice {
            self.number(justice.len());
            self.out.push(b'\n');
        }
        for justice in &s.justice {
            self.lits(justice);
        }
        self.lits(&s.fairness);
    }

    fn names_and_comments(&mut self) {
        let names = &self.system.names;
        self.names('i', &names.inputs);
        self.names('l', &names.latches);
        self.names('o', &names.outputs);
        self.names('b', &names.bads);
        self.names('c', &names.constraints);
        self.names('j', &names.justice);
        self.names('f', &names.fairness);
        if !self.system.comments.is_empty() {
            self.out.extend_from_slice(b"c\n");
        }
        for comment in &self.system.comments {
            self.out.extend_from_slice(comment.as_bytes());
            self.out.push(b'\n');
        }
    }

    fn names(&mut self, kind: char, names: &[Name]) {
        for (index, name) in names.iter().enumerate() {
            let Some(name) = name else { continue };
            // A name is what is left of its line, so it cannot hold a line ending.
            let name = name.replace('\n', " ");
            self.out.extend_from_slice(format!("{kind}{index} {name}\n").as_bytes());
        }
    }

    fn lits(&mut self, lits: &[Lit]) {
        for &lit in lits {
            let code = self.code(lit);
            self.line(&[code]);
        }
    }

    fn line(&mut self, words: &[u32]) {
        for (i, &word) in words.iter().enumerate() {
            if i > 0 {
                self.out.push(b' ');
            }
            self.number(word as usize);
        }
        self.out.push(b'\n');
    }

    fn number(&mut self, mut number: usize) {
        let start = self.out.len();
        loop {
            self.out.push(b'0' + (number % 10) as u8);
            number /= 10;
            if number == 0 {
                break;
            }
        }
        self.out[start..].reverse();
    }

    /// Seven bits a byte, the lowest first; the top bit of a byte says "more".
    fn delta(&mut self, mut delta: u32) {
        while delta >= 0x80 {
            self.out.push(delta as u8 | 0x80);
            delta >>= 7;
        }
        self.out.push(delta as u8);
    }
}
