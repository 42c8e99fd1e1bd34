//! From a program to a transition system, and from answers about that back to answers about the
//! program.

use crate::blocks::{BlockError, BlockOptions, Blocks, CutId, CutProof, make_blocks};
use crate::flatten::{Flat, LiftError, flatten};
use crate::graph::{Program, VariableId};
use crate::inline::{
    InlineError, Inlined, Recursion, inline, inline_bounded, inline_with_summaries,
};
use crate::interpreter::{Machine, initial_variables};
use crate::passes::constants::{Constants, propagate_constants};
use crate::passes::elements::{Elements, split_arrays};
use crate::passes::undefined::assume_checks;
use pedra_model::program::ProgramProof;
use pedra_model::program::{ProgramTrace, TraceStep};
use pedra_model::proof::WordProof;
use pedra_model::term::TermId;
use pedra_model::trace::WordTrace;
use pedra_model::value::Value;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;
use std::sync::Arc;

/// What is done on the way.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LowerOptions {
    /// Whether only defined runs count: violations found are defined then, and proofs are none
    /// about the program ([`crate::passes::undefined`]).
    pub only_defined: bool,
    /// Whether constants are propagated.
    pub constants: bool,
    /// Whether small arrays become scalars.
    pub elements: bool,
    /// What becomes of recursion; it is refused if absent.
    pub recursion: Option<Recursion>,
    /// How many edges the inlined program may have.
    pub max_edges: usize,
    /// How large blocks become.
    pub blocks: BlockOptions,
}

impl Default for LowerOptions {
    fn default() -> LowerOptions {
        LowerOptions {
            only_defined: false,
            constants: true,
            elements: true,
            recursion: None,
            max_edges: 1_000_000,
            blocks: BlockOptions::default(),
        }
    }
}

/// Why a program cannot be lowered.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum LowerError {
    /// Its calls cannot be inlined.
    #[error(transparent)]
    Inline(#[from] InlineError),
    /// Its blocks are too large.
    #[error(transparent)]
    Blocks(#[from] BlockError),
}

/// A program as a transition system, with all that was made on the way.
#[derive(Clone, Debug)]
pub struct Lowered {
    /// The program without calls. Proofs are about it.
    pub inlined: Arc<Inlined>,
    /// The same with guards that ask for the checks, if only defined runs count.
    defined: Option<Program>,
    constants: Option<Constants>,
    elements: Option<Elements>,
    /// The constants that elements of arrays are.
    later: Option<Constants>,
    /// The blocks.
    pub blocks: Blocks,
    /// The system.
    pub flat: Flat,
}

/// Lowers a program.
///
/// # Errors
/// If it is recursive without a bound, or too large.
pub fn lower(program: &Program, options: &LowerOptions) -> Result<Lowered, LowerError> {
    let inlined = match options.recursion {
        None => inline(program, options.max_edges)?,
        Some(Recursion::Bounded(bound)) => inline_bounded(program, options.max_edges, bound)?,
        Some(Recursion::Summaries) => inline_with_summaries(program, options.max_edges)?,
    };
    let defined = options.only_defined.then(|| assume_checks(&inlined.program));
    let before = defined.as_ref().unwrap_or(&inlined.program);
    let constants = options.constants.then(|| propagate_constants(before));
    let simple = constants.as_ref().map_or(before, |constants| &constants.program);
    // The values of a call at the exit of a part would have to be split as well.
    let can_split = options.elements && simple.summaries.is_empty();
    let elements = if can_split { split_arrays(simple) } else { None };
    let split = elements.as_ref().filter(|_| options.constants);
    let later = split.map(|elements| propagate_constants(&elements.program));
    let last = later.as_ref().map(|constants| &constants.program);
    let last = last.or(elements.as_ref().map(|elements| &elements.program)).unwrap_or(simple);
    let blocks = make_blocks(last, &options.blocks)?;
    let flat = flatten(&blocks);
    let inlined = Arc::new(inlined);
    Ok(Lowered { inlined, defined, constants, elements, later, blocks, flat })
}

impl Lowered {
    /// How many arrays became scalars.
    pub fn split_arrays(&self) -> usize {
        self.elements.as_ref().map_or(0, Elements::count)
    }

    /// The run of the program that a trace of the system stands for.
    ///
    /// # Errors
    /// If the trace is not one of the system.
    pub fn trace(&self, trace: &WordTrace) -> Result<ProgramTrace, LiftError> {
        let inner = self.flat.trace(&self.blocks, self.runnable(), trace)?;
        Ok(self.original(&inner))
    }

    /// The program with the inputs of the blocks, on which their runs are found.
    fn runnable(&self) -> &Program {
        match &self.elements {
            Some(elements) => &elements.program,
            None => self.defined.as_ref().unwrap_or(&self.inlined.program),
        }
    }

    /// The run of the original program that a run of [`Lowered::runnable`] stands for.
    fn original(&self, trace: &ProgramTrace) -> ProgramTrace {
        match &self.elements {
            Some(elements) => self.inlined.trace(&elements.trace(&self.inlined.program, trace)),
            None => self.inlined.trace(trace),
        }
    }

    /// Whether some variable or input is an integer or has integers in it, or some expression has,
    /// so that the program cannot be made into bits.
    pub fn has_integers(&self) -> bool {
        let Blocks { program, cuts, .. } = &self.blocks;
        let terms = &program.terms;
        let live = cuts.iter().flat_map(|cut| &cut.live).map(|&variable| program.term_of(variable));
        let inputs = cuts.iter().flat_map(|cut| cut.inputs.iter().copied());
        let blocks = cuts.iter().flat_map(|cut| &cut.blocks);
        let values = blocks.flat_map(|block| block.values.iter().chain([&block.guard])).copied();
        let cone = terms.cone(live.chain(inputs).chain(values));
        terms.iter().any(|(id, _)| cone[id.index()] && terms.sort(id).has_integers())
    }

    /// The run of the program that takes these blocks: the values at the entry, zero where none is
    /// given, and for each step the inputs.
    ///
    /// # Errors
    /// If no run does.
    pub fn block_trace(
        &self,
        property: usize,
        initial: &FxHashMap<VariableId, Value>,
        inputs: &[FxHashMap<TermId, Value>],
    ) -> Result<ProgramTrace, LiftError> {
        self.block_run(property, initial, |step, _| inputs.get(step).cloned())
    }

    /// The same, with inputs that are made when they are needed, for a step at a cut point.
    ///
    /// # Errors
    /// If no run takes them to the error place.
    pub fn block_run(
        &self,
        property: usize,
        initial: &FxHashMap<VariableId, Value>,
        inputs: impl Fn(usize, CutId) -> Option<FxHashMap<TermId, Value>>,
    ) -> Result<ProgramTrace, LiftError> {
        let program = self.runnable();
        let initial = self.initial_values(initial);
        let inner = self.blocks.follow(program, property, initial, inputs);
        Ok(self.original(&inner.ok_or(LiftError::NoPath)?))
    }

    /// The statements of the inlined program behind these blocks, one after the other from the
    /// entry, with the initial values; values as in [`Lowered::block_trace`]. `None` if no run
    /// takes them.
    pub fn block_paths(
        &self,
        initial: &FxHashMap<VariableId, Value>,
        inputs: &[FxHashMap<TermId, Value>],
    ) -> Option<(Vec<Value>, Vec<Vec<TraceStep>>)> {
        let program = self.runnable();
        let initial = self.initial_values(initial);
        let mut machine = Machine::start(program, &initial).ok()?;
        let mut paths = Vec::with_capacity(inputs.len());
        for inputs in inputs {
            paths.push(self.blocks.path(&mut machine, inputs)?);
        }
        Some((initial, paths))
    }

    /// The values of a run's first state, zero where none is given.
    fn initial_values(&self, given: &FxHashMap<VariableId, Value>) -> Vec<Value> {
        let program = self.runnable();
        let value = |variable: VariableId| match given.get(&variable) {
            Some(value) => value.clone(),
            None => Value::zero(program.terms.sort(program.term_of(variable))),
        };
        initial_variables(program).map(value).collect()
    }

    /// The proof about the inlined program that a proof about the system stands for.
    ///
    /// # Errors
    /// If the proof has a form that has no counterpart.
    pub fn proof(&self, proof: &WordProof) -> Result<ProgramProof, LiftError> {
        Ok(self.cut_proof(self.flat.proof(&self.blocks, proof)?))
    }

    /// The proof about the inlined program that a proof in terms of blocks stands for: with what
    /// constant propagation found out, and arrays instead of their elements.
    ///
    /// If only defined runs were looked at, it is a proof about those, and no check accepts it.
    pub fn cut_proof(&self, proof: CutProof) -> ProgramProof {
        let CutProof { properties, terms, invariants: by_cut, k } = proof;
        let errors: FxHashSet<_> = self.blocks.errors.iter().flatten().collect();
        let cuts = self.blocks.cuts.iter().zip(by_cut).enumerate();
        let cuts = cuts.filter(|(index, _)| !errors.contains(index));
        let invariants = cuts.map(|(_, (cut, here))| (cut.place, here)).collect();
        self.place_proof(ProgramProof { properties, terms, invariants, k, positions: Vec::new() })
    }

    /// The proof that a program without loops needs no invariant for: it is for the check to see.
    pub fn straight_proof(&self, properties: Vec<usize>) -> ProgramProof {
        let (terms, invariants) = (self.blocks.program.terms.clone(), BTreeMap::new());
        self.place_proof(ProgramProof {
            properties,
            terms,
            invariants,
            k: 1,
            positions: Vec::new(),
        })
    }

    /// The same for a proof with invariants of some places of the blocks' program.
    pub(crate) fn place_proof(&self, mut lifted: ProgramProof) -> ProgramProof {
        for &(place, is_never) in &self.blocks.other_heads {
            let never = is_never.then(|| lifted.terms.bool(false));
            lifted.invariants.insert(place, never.into_iter().collect());
        }
        // Each pass has its own way back; its store extends the one before.
        if let Some(later) = &self.later {
            lifted = later.proof(lifted);
        }
        if let Some(elements) = &self.elements {
            lifted = elements.proof(lifted);
        }
        if let Some(constants) = &self.constants {
            lifted = constants.proof(lifted);
        }
        lifted.tidy();
        lifted
    }
}
