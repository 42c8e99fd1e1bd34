//! Terms to circuits, one at a time and each once.

use super::arrays::size_of;
use super::ops::Circuit;
use super::{BlastError, BlastOptions, Blasted};
use crate::aig::{Aig, AigBuilder};
use crate::lit::{Lit, Var};
use crate::system::System;
use crate::term::{Sort, Term, TermId, Terms};
use std::ops::Range;

/// Where the bits of a term are among the wires.
#[derive(Copy, Clone, Debug)]
struct Span {
    start: u32,
    len: u32,
}

impl Span {
    /// The span of a term that was not blasted yet.
    const NONE: Span = Span { start: u32::MAX, len: 0 };

    fn is_none(self) -> bool {
        self.start == u32::MAX
    }

    fn range(self) -> Range<usize> {
        self.start as usize..self.start as usize + self.len as usize
    }
}

/// Turns terms into circuits over one graph and remembers each, so that further terms over the
/// same symbols can be added at any time. All calls must use the same store of terms, or one
/// that extends it.
#[derive(Clone, Debug)]
pub struct Blaster {
    circuit: Circuit,
    options: BlastOptions,
    /// The bits of all terms so far; a slice of a term shares those of its argument.
    wires: Vec<Lit>,
    spans: Vec<Span>,
}

impl Blaster {
    /// A blaster with an empty graph.
    pub fn new(options: &BlastOptions) -> Blaster {
        Blaster::over(AigBuilder::new(), options)
    }

    /// A blaster that adds to a graph.
    pub fn over(builder: AigBuilder, options: &BlastOptions) -> Blaster {
        // Variables have 31-bit numbers; half of them are for leaves.
        let limit = options.max_gates.min(Var::MAX_INDEX / 2);
        let circuit = Circuit::new(builder, limit);
        Blaster { circuit, options: options.clone(), wires: Vec::new(), spans: Vec::new() }
    }

    /// A blaster that goes on from a blasted system: its inputs and states are bound to their
    /// leaves, and the gates that are there already are found by structure.
    pub fn resume(
        system: &System,
        blasted: &Blasted,
        options: &BlastOptions,
    ) -> Result<Blaster, BlastError> {
        let bits = &blasted.system;
        let mut blaster = Blaster::over(AigBuilder::from_aig(bits.aig.clone()), options);
        for (index, input) in system.inputs.iter().enumerate() {
            let lits: Vec<Lit> =
                bits.inputs[blasted.map.input(index)].iter().map(|v| v.lit()).collect();
            blaster.bind(&system.terms, input.term, &lits)?;
        }
        for (index, state) in system.states.iter().enumerate() {
            let lits = blasted.map.state_lits(bits, index);
            blaster.bind(&system.terms, state.term, &lits)?;
        }
        Ok(blaster)
    }

    /// Says what the bits of a symbol (or of any term, before it is blasted) are, least
    /// significant first; those of an array element by element.
    ///
    /// # Panics
    /// If their number does not fit the term's sort.
    pub fn bind(&mut self, terms: &Terms, term: TermId, bits: &[Lit]) -> Result<(), BlastError> {
        let size = self.size(terms, term)?;
        assert_eq!(size, bits.len(), "as many bits as the term has");
        let span = self.push(bits.iter().copied(), size)?;
        self.set_span(term, span);
        Ok(())
    }

    /// Binds a symbol to new leaves and returns them.
    pub fn bind_leaves(&mut self, terms: &Terms, term: TermId) -> Result<&[Lit], BlastError> {
        let size = self.size(terms, term)?;
        self.check_wires(size)?;
        let leaves: Vec<Lit> = (0..size).map(|_| self.circuit.leaf()).collect();
        let span = self.push(leaves, size)?;
        self.set_span(term, span);
        Ok(&self.wires[span.range()])
    }

    /// The bits of a term, least significant first; those of an array element by element.
    /// Fails on a symbol that was not bound.
    pub fn bits(&mut self, terms: &Terms, term: TermId) -> Result<&[Lit], BlastError> {
        // Ids are topological: in ascending order arguments come first.
        for needed in self.missing(terms, term) {
            let span = self.compute(terms, needed)?;
            self.set_span(needed, span);
        }
        Ok(&self.wires[self.span(term).range()])
    }

    /// The literal of a one-bit term.
    pub fn bit(&mut self, terms: &Terms, term: TermId) -> Result<Lit, BlastError> {
        assert_eq!(terms.sort(term), Sort::BOOL, "a one-bit term");
        Ok(self.bits(terms, term)?[0])
    }

    /// The graph so far.
    pub fn aig(&self) -> &Aig {
        self.circuit.builder.aig()
    }

    /// The builder of the graph, to add gates by hand; leaves come from [`Blaster::leaf`].
    pub fn builder(&mut self) -> &mut AigBuilder {
        &mut self.circuit.builder
    }

    /// The finished graph.
    pub fn into_aig(self) -> Aig {
        self.circuit.builder.into_aig()
    }

    /// A new leaf.
    pub fn leaf(&mut self) -> Lit {
        self.circuit.leaf()
    }

    fn span(&self, term: TermId) -> Span {
        self.spans.get(term.index()).copied().unwrap_or(Span::NONE)
    }

    fn set_span(&mut self, term: TermId, span: Span) {
        if self.spans.len() <= term.index() {
            self.spans.resize(term.index() + 1, Span::NONE);
        }
        self.spans[term.index()] = span;
    }

    /// The terms still to be blasted for this one, arguments first.
    fn missing(&self, terms: &Terms, root: TermId) -> Vec<TermId> {
        if !self.span(root).is_none() {
            return Vec::new();
        }
        let mut found = rustc_hash::FxHashSet::from_iter([root]);
        let mut stack = vec![root];
        while let Some(term) = stack.pop() {
            for arg in terms.get(term).args() {
                if self.span(arg).is_none() && found.insert(arg) {
                    stack.push(arg);
                }
            }
        }
        let mut order: Vec<TermId> = found.into_iter().collect();
        order.sort_unstable();
        order
    }

    fn size(&self, terms: &Terms, term: TermId) -> Result<usize, BlastError> {
        size_of(terms.sort(term), &self.options, || format!("term {}", term.index()))
    }

    /// Words are stored even where they need no gates (constants, extensions); they are
    /// bounded too, since a short file can ask for very many.
    fn check_wires(&self, more: usize) -> Result<(), BlastError> {
        let limit = self.options.max_wires();
        if self.wires.len().saturating_add(more) > limit {
            return Err(BlastError::TooManyBits { limit });
        }
        Ok(())
    }

    fn push(
        &mut self,
        bits: impl IntoIterator<Item = Lit>,
        size: usize,
    ) -> Result<Span, BlastError> {
        self.check_wires(size)?;
        let start = self.wires.len();
        self.wires.extend(bits);
        debug_assert_eq!(self.wires.len() - start, size);
        Ok(Span { start: start as u32, len: size as u32 })
    }

    /// Blasts a term whose arguments are done.
    fn compute(&mut self, terms: &Terms, term: TermId) -> Result<Span, BlastError> {
        let size = self.size(terms, term)?;
        self.check_wires(size)?;
        let Blaster { circuit, wires, spans, .. } = self;
        let of = |term: TermId| &wires[spans[term.index()].range()];
        let word = match *terms.get(term) {
            Term::Const(ref value) => value.bits().map(Lit::constant).collect(),
            Term::Symbol(_) => return Err(BlastError::UnboundSymbol { term }),
            Term::Unary(op, a) => circuit.unary(op, of(a))?,
            Term::Binary(op, a, b) => circuit.binary(op, of(a), of(b))?,
            Term::Ite(c, t, e) => {
                let word = circuit.mux(of(c)[0], of(t), of(e));
                circuit.spend(size)?;
                word
            }
            Term::Slice { arg, high, low } => {
                let start = spans[arg.index()].start + low;
                return Ok(Span { start, len: high - low + 1 });
            }
            Term::Extend { arg, signed, .. } => {
                let mut word = of(arg).to_vec();
                let top = *word.last().expect("words have at least one bit");
                word.resize(size, if signed { top } else { Lit::FALSE });
                word
            }
            Term::IntConst(_) | Term::IntNeg(_) | Term::Int(..) => {
                return Err(BlastError::Integers { what: format!("term {}", term.index()) });
            }
            Term::ConstArray { value, .. } => of(value).repeat(size / of(value).len()),
            Term::Read(array, at) => circuit.read(of(array), of(at))?,
            Term::Write(array, at, value) => circuit.write(of(array), of(at), of(value))?,
        };
        self.push(word, size)
    }
}
