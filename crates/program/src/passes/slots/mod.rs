//! Programs without arrays: of each array only a few elements are watched.
//!
//! The idea of [`pedra_model::slots`] for programs. A *position* `p` is a variable that gets an
//! arbitrary value at the start and keeps it. A *slot* is an address: a position, a position and a
//! constant, or a constant. For each array and slot there is a variable with the element of the
//! array there. Reads at a slot give that element, all others anything. A run to an error counts
//! only if the positions are where its last step reads, so that what the assertion reads is known:
//!
//! ```text
//! for (i = 0; i < n; i++) a[i] = 0;          for (i = 0; i < n; i++) if (i == p) e = 0;
//! for (x = 0; x < n; x++) assert(a[x] == 0); for (x = 0; x < n; x++) assert(x == p ==> e == 0);
//! ```
//!
//! *Sound*: every run to an error is one of the image. Choose for the positions what the indices
//! are in the last step, and for the values of other reads what they are. So a proof about the
//! image goes back ([`SlotImage::proof`]): `e` is `a[p]`, and what was shown for an arbitrary `p`
//! holds for all. Runs of the image, on the other hand, may be none of the program.
//!
//! The image is made of blocks, not of statements: then the read of an assertion and the step to
//! its error are one, most of the time.

mod choose;

use crate::blocks::{Block, Blocks, CutId};
use crate::graph::{
    Action, Edge, Input, InputKind, PlaceId, PlaceRef, Procedure, Program, Property, Span, Step,
    Variable, VariableId,
};
use crate::lower::Lowered;
use choose::{Choice, choose};
use pedra_model::program::ProgramProof;
use pedra_model::simplify::Rewriter;
use pedra_model::slots::Reader;
use pedra_model::term::{BinaryOp, Sort, Term, TermId, Terms};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// A program without arrays.
#[derive(Clone, Debug)]
pub struct SlotImage {
    /// The program. Its properties are those of the original, and its store extends that of the
    /// original's blocks. Words keep their symbols; a variable that was an array is a bit that
    /// nothing uses.
    pub program: Program,
    /// The symbols of the positions.
    positions: Vec<TermId>,
    contents: Vec<Content>,
    /// For each cut point its place in the image.
    places: Vec<PlaceId>,
}

/// What stands for an element.
#[derive(Clone, Debug)]
struct Content {
    variable: VariableId,
    symbol: TermId,
    /// The array.
    array: TermId,
    /// The address, over positions.
    at: TermId,
}

impl SlotImage {
    /// The image of a program's blocks; `None` if they have no arrays, or have calls by summaries.
    pub fn new(blocks: &Blocks) -> Option<SlotImage> {
        let program = &blocks.program;
        let live = blocks.cuts.iter().flat_map(|cut| &cut.live);
        let mut arrays: Vec<VariableId> =
            live.copied().filter(|&v| program.terms.sort(program.term_of(v)).is_array()).collect();
        arrays.sort_unstable();
        arrays.dedup();
        if arrays.is_empty() || !program.summaries.is_empty() {
            return None;
        }
        let mut terms = program.terms.clone();
        let choice = choose(blocks, &mut terms);
        let mut maker = Maker { blocks, choice, image: empty(program, terms), contents: vec![] };
        maker.add_variables(&arrays);
        Some(maker.make())
    }

    /// The symbols of the positions.
    pub fn positions(&self) -> &[TermId] {
        &self.positions
    }

    /// The proof about the program as it was inlined that a proof about the image stands for.
    pub fn proof(&self, lowered: &Lowered, proof: ProgramProof) -> ProgramProof {
        let ProgramProof { properties, mut terms, invariants: at_places, k, .. } = proof;
        let mut rewriter = Rewriter::new();
        for content in &self.contents {
            let read = terms.read(content.array, content.at);
            rewriter.replace(content.symbol, read);
        }
        let mut invariants = BTreeMap::new();
        let Blocks { cuts, errors, .. } = &lowered.blocks;
        for (at, (cut, place)) in cuts.iter().zip(&self.places).enumerate() {
            if let Some(conjuncts) = at_places.get(place) {
                let conjuncts = conjuncts.iter().map(|&c| rewriter.rewrite(&mut terms, c));
                invariants.insert(cut.place, conjuncts.collect());
            } else if at > 0 && !errors.contains(&Some(at)) {
                // All others are cut points of the image, unless no run of it reaches them.
                invariants.insert(cut.place, vec![terms.bool(false)]);
            }
        }
        let positions = self.positions.clone();
        lowered.place_proof(ProgramProof { properties, terms, invariants, k, positions })
    }
}

/// The variables and files of a program.
fn empty(program: &Program, terms: Terms) -> Program {
    let (variables, files) = (program.variables.clone(), program.files.clone());
    Program { terms, variables, files, ..Program::new() }
}

/// A variable that the source does not have.
fn variable(term: TermId, name: Option<String>, of: Option<&Variable>) -> Variable {
    Variable {
        term,
        name: name.map(String::into_boxed_str),
        source_type: "".into(),
        is_signed: of.is_some_and(|array| array.is_signed),
        span: of.map_or(Span::default(), |array| array.span),
    }
}

struct Maker<'a> {
    blocks: &'a Blocks,
    choice: Choice,
    image: Program,
    contents: Vec<Content>,
}

impl Maker<'_> {
    /// Adds positions and contents; takes the arrays away.
    fn add_variables(&mut self, arrays: &[VariableId]) {
        for (number, &position) in self.choice.positions.iter().enumerate() {
            self.image.variables.push(Variable {
                is_signed: true,
                ..variable(position, Some(format!("p{number}")), None)
            });
        }
        for &array in arrays {
            let of = self.blocks.program.variable(array);
            let Sort::Array { index, element } = self.image.terms.sort(of.term) else {
                unreachable!("only arrays")
            };
            for &at in &self.choice.slots {
                if self.image.terms.sort(at) != index.into() {
                    continue;
                }
                let symbol = self.image.terms.new_symbol(element.into());
                let variables = &mut self.image.variables;
                let name = of.name.as_ref().map(|name| format!("{name}[{}]", self.contents.len()));
                let content = VariableId::new(variables.len());
                variables.push(variable(symbol, name, Some(of)));
                self.contents.push(Content { variable: content, symbol, array: of.term, at });
            }
        }
        for index in 0..self.blocks.program.variables.len() {
            let term = self.image.variables[index].term;
            if self.image.terms.sort(term).is_array() {
                self.image.variables[index].term = self.image.terms.new_symbol(Sort::BOOL);
            }
        }
    }

    fn make(mut self) -> SlotImage {
        let mut body = Procedure::new("main", Span::default());
        body.variables = (0..self.image.variables.len()).map(VariableId::new).collect();
        let source = self.blocks.program.procedure(self.blocks.program.entry);
        let mut places = Vec::with_capacity(self.blocks.cuts.len());
        for (id, cut) in self.blocks.cuts.iter().enumerate() {
            let of = &source.places[cut.place.index()];
            places.push(if id == 0 { body.entry } else { body.add_place(of.span) });
            body.places[places[id].index()].head_of.clone_from(&of.head_of);
        }
        let consistent = self.consistent();
        for (id, cut) in self.blocks.cuts.iter().enumerate() {
            for block in &cut.blocks {
                let mut step = self.step(id, block);
                if id == 0 {
                    let guard = step.guard.unwrap_or(consistent);
                    step.guard = Some(self.image.terms.and(guard, consistent));
                }
                body.add_edge(Edge {
                    from: places[id],
                    to: places[block.to],
                    action: Action::Step(step),
                    span: source.places[cut.place.index()].span,
                    text: "".into(),
                });
            }
        }
        self.add_stutters(&mut body, &places);
        let mut image = self.image;
        // Errors that nothing leads to have a place of their own.
        let nowhere = body.add_place(Span::default());
        for (property, error) in self.blocks.program.properties.iter().zip(&self.blocks.errors) {
            let place = error.map_or(nowhere, |error| places[error]);
            let error = PlaceRef { procedure: image.entry, place };
            image.properties.push(Property { error, ..property.clone() });
        }
        image.procedures.push(body);
        debug_assert_eq!(image.check(), Ok(()));
        let Choice { positions, .. } = self.choice;
        SlotImage { program: image, positions, contents: self.contents, places }
    }

    /// Lets runs stay where they are at cut points without a block to themselves, so that these are
    /// cut points of the image as well: a proof has to say something of each.
    fn add_stutters(&self, body: &mut Procedure, places: &[PlaceId]) {
        for (at, cut) in self.blocks.cuts.iter().enumerate().skip(1) {
            let has_loop = cut.blocks.iter().any(|block| block.to == at);
            if !has_loop && !self.blocks.errors.contains(&Some(at)) {
                let (from, to) = (places[at], places[at]);
                let (action, span) = (Action::Step(Step::default()), Span::default());
                body.add_edge(Edge { from, to, action, span, text: "".into() });
            }
        }
    }

    /// `p_i = p_j → e_i = e_j` for the elements of each array.
    fn consistent(&mut self) -> TermId {
        let terms = &mut self.image.terms;
        let mut all = terms.bool(true);
        for (number, one) in self.contents.iter().enumerate() {
            for other in self.contents[..number].iter().filter(|c| c.array == one.array) {
                let same = terms.simplified(Term::Binary(BinaryOp::Eq, one.at, other.at));
                let equal = terms.binary(BinaryOp::Eq, one.symbol, other.symbol);
                let apart = terms.not(same);
                let holds = terms.or(apart, equal);
                all = terms.and(all, holds);
            }
        }
        all
    }

    /// A block as a step.
    fn step(&mut self, from: CutId, block: &Block) -> Step {
        let Blocks { cuts, program, .. } = self.blocks;
        let bindings = self.choice.bindings.get(&(from, block.to)).cloned().unwrap_or_default();
        let terms = &mut self.image.terms;
        let mut reader = Reader::default();
        for content in &self.contents {
            reader.know(content.array, content.at, content.symbol);
        }
        let mut inputs = Vec::new();
        let mut images: FxHashMap<TermId, TermId> = FxHashMap::default();
        for &input in &cuts[from].inputs {
            let sort = terms.sort(input);
            if !sort.is_array() {
                let symbol = terms.new_symbol(sort);
                images.insert(input, symbol);
                inputs.push(symbol);
            }
        }
        let indices = bindings.iter().map(|(index, _)| *index);
        let roots = block.values.iter().copied().chain([block.guard]).chain(indices);
        let cone = program.terms.cone(roots);
        for id in (0..cone.len()).filter(|&i| cone[i]).map(TermId::new) {
            if terms.sort(id).is_array() || images.contains_key(&id) {
                continue;
            }
            let image = match *terms.get(id) {
                Term::Symbol(_) => id,
                Term::Read(array, at) => reader.value(terms, &images, array, images[&at]),
                // Whether two arrays are equal is anything.
                Term::Binary(_, a, _) if terms.sort(a).is_array() => {
                    inputs.push(terms.new_symbol(Sort::BOOL));
                    *inputs.last().expect("just pushed")
                }
                ref term => {
                    let term = term.with_args(|arg| images[&arg]);
                    terms.simplified(term)
                }
            };
            images.insert(id, image);
        }
        // *Heuristic*: fewer bindings would be as sound.
        let mut guard = images[&block.guard];
        for (index, position) in bindings {
            let right = terms.simplified(Term::Binary(BinaryOp::Eq, images[&index], position));
            guard = terms.and(guard, right);
        }
        let mut updates = Vec::new();
        for (&variable, &value) in cuts[block.to].live.iter().zip(&block.values) {
            let symbol = program.term_of(variable);
            if !terms.sort(symbol).is_array() {
                updates.push((variable, images[&value]));
                continue;
            }
            for content in self.contents.iter().filter(|content| content.array == symbol) {
                let value = reader.value(terms, &images, value, content.at);
                updates.push((content.variable, value));
            }
        }
        inputs.extend(reader.new_symbols().iter().map(|read| read.symbol));
        let inputs = inputs.into_iter().map(|term| Input { term, kind: InputKind::Choice });
        Step { inputs: inputs.collect(), guard: Some(guard), updates, ..Step::default() }
    }
}
