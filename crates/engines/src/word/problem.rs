//! The system as word-level PDR sees it.
//!
//! - A *variable* is a word of at most 64 bits: a state, a piece of a wider state, or (a piece
//!   of) an element of a small array. Each has a term for its current value and one for its
//!   next value, so that nothing else needs to know where it comes from.
//! - Everything that is chosen again at every step is an *input*: inputs, states without `init` and
//!   `next`, and what a state with `init` but without `next` becomes.
//! - If an `init` reads an input, "initial" is a matter of state and input, but frames are sets
//!   of states. Such systems get a variable `first` and the constraint `first → x = init`, as
//!   in [`crate::pdr`]; in proofs `first` stands for the conjunction of all inits.
//! - Only the cone of influence of the chosen properties and the constraints is kept.

use super::vote::vote_signs;
use crate::units::Vocabulary;
use crate::units::atom::Step;
use crate::units::value::{Int, VarId, WordVar, mask_of};
use pedra_model::bv::Bv;
use pedra_model::system::System;
use pedra_model::term::{BinaryOp, Scalar, Sort, Term, TermId, Terms};
use rustc_hash::FxHashMap;

/// Arrays with more elements are left to bit-level PDR.
const MAX_ELEMENTS: u32 = 64;
/// Systems with more variables are left to bit-level PDR.
const MAX_VARS: usize = 4096;

/// Where the value of a state comes from.
#[derive(Clone, Debug)]
pub(super) enum Source {
    /// These variables, lowest bits (and elements) first.
    Vars(std::ops::Range<usize>),
    /// An input: an index into [`Problem::inputs`].
    Input(usize),
}

/// A state of the system, in the cone.
#[derive(Clone, Debug)]
pub(super) struct StateSource {
    /// Index into the system's states.
    pub(super) state: usize,
    /// Where its current value is.
    pub(super) source: Source,
    /// The input that is its next value, if it has an `init` but no `next`.
    pub(super) chosen: Option<usize>,
}

/// What is to be decided.
#[derive(Clone, Debug)]
pub(super) struct Problem {
    /// The system's terms and ours.
    pub(super) terms: Terms,
    /// The variables.
    pub(super) vars: Vec<WordVar>,
    /// Symbols that are free in every step.
    pub(super) inputs: Vec<TermId>,
    /// The input of the system that each is, if it is one.
    pub(super) input_of: Vec<Option<usize>>,
    /// Symbols of states that are held in variables.
    pub(super) symbols: Vec<TermId>,
    /// One-bit terms, true in every step.
    pub(super) constraints: Vec<TermId>,
    /// One-bit terms: a state is initial iff all hold.
    pub(super) init: Vec<TermId>,
    /// The bads, by position among the chosen properties.
    pub(super) bads: Vec<TermId>,
    /// For each bad that reads no input, the same one step later.
    pub(super) next_bads: Vec<Option<TermId>>,
    /// The states in the cone.
    pub(super) states: Vec<StateSource>,
    /// `first`, and the term that it stands for in proofs.
    pub(super) first: Option<(VarId, TermId)>,
    /// Whether every variable is a whole state: then intervals can be simulated.
    pub(super) is_plain: bool,
}

/// Why a system is left to bit-level PDR.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) struct NotForWords(pub(super) &'static str);

const LARGE_ARRAY: NotForWords = NotForWords("an array has more than 64 elements");
const FREE_ARRAY: NotForWords = NotForWords("an array is free in every step");
const INTEGERS: NotForWords = NotForWords("there are integers");
const MANY_VARS: NotForWords = NotForWords("there are more than 4096 words");

impl Problem {
    /// The problem of the chosen properties.
    pub(super) fn new(system: &System, properties: &[usize]) -> Result<Problem, NotForWords> {
        let bads = properties.iter().map(|&p| system.bads[p].term);
        let cone = system.influence(bads.chain(system.constraints.iter().map(|c| c.term)));
        let mut problem = Problem {
            terms: system.terms.clone(),
            vars: Vec::new(),
            inputs: Vec::new(),
            input_of: Vec::new(),
            symbols: Vec::new(),
            constraints: system.constraints.iter().map(|c| c.term).collect(),
            init: Vec::new(),
            bads: properties.iter().map(|&p| system.bads[p].term).collect(),
            next_bads: Vec::new(),
            states: Vec::new(),
            first: None,
            is_plain: true,
        };
        for (index, input) in system.inputs.iter().enumerate() {
            if cone[input.term.index()] {
                problem.add_input(input.term, Some(index))?;
            }
        }
        for index in (0..system.states.len()).filter(|&i| cone[system.states[i].term.index()]) {
            problem.add_state(system, index)?;
        }
        problem.add_inits(system, &cone);
        if problem.vars.len() > MAX_VARS {
            return Err(MANY_VARS);
        }
        let bads = problem.bads.clone();
        problem.next_bads = bads.into_iter().map(|bad| problem.primed(system, bad)).collect();
        vote_signs(&mut problem);
        Ok(problem)
    }

    fn add_input(&mut self, symbol: TermId, index: Option<usize>) -> Result<usize, NotForWords> {
        match self.terms.sort(symbol) {
            Sort::Bv(_) => {}
            Sort::Array { .. } => return Err(FREE_ARRAY),
            Sort::Int => return Err(INTEGERS),
        }
        self.inputs.push(symbol);
        self.input_of.push(index);
        Ok(self.inputs.len() - 1)
    }

    fn add_state(&mut self, system: &System, index: usize) -> Result<(), NotForWords> {
        let state = &system.states[index];
        let sort = self.terms.sort(state.term);
        let (source, chosen) = match (state.init, state.next) {
            (None, None) => (Source::Input(self.add_input(state.term, None)?), None),
            (_, Some(next)) => (self.add_vars(system, index, next)?, None),
            (Some(_), None) => {
                let symbol = self.terms.new_symbol(sort);
                let chosen = self.add_input(symbol, None)?;
                (self.add_vars(system, index, symbol)?, Some(chosen))
            }
        };
        if matches!(source, Source::Vars(_)) {
            self.symbols.push(state.term);
        }
        self.states.push(StateSource { state: index, source, chosen });
        Ok(())
    }

    /// Splits a state into variables.
    fn add_vars(
        &mut self,
        system: &System,
        index: usize,
        next: TermId,
    ) -> Result<Source, NotForWords> {
        let start = self.vars.len();
        let state = &system.states[index];
        let name = state.name.as_deref().map_or_else(|| format!("state{index}"), str::to_owned);
        match self.terms.sort(state.term) {
            Sort::Bv(width) => {
                self.add_pieces(name, state.term, next, state.init);
                if width <= 64 {
                    self.vars[start].state = Some(index);
                }
            }
            Sort::Array { index: Scalar::Bv(bits), element: Scalar::Bv(_) } => {
                self.is_plain = false;
                let elements = 1u32.checked_shl(bits).filter(|&n| n <= MAX_ELEMENTS);
                for at in 0..elements.ok_or(LARGE_ARRAY)? {
                    let position = self.terms.constant(Bv::from_u64(bits, at as u64));
                    let [now, later] = [state.term, next].map(|a| self.terms.read(a, position));
                    let init = state.init.map(|init| self.terms.read(init, position));
                    self.add_pieces(format!("{name}[{at}]"), now, later, init);
                }
            }
            Sort::Int | Sort::Array { .. } => return Err(INTEGERS),
        }
        Ok(Source::Vars(start..self.vars.len()))
    }

    fn add_pieces(&mut self, name: String, now: TermId, next: TermId, init: Option<TermId>) {
        let width = self.terms.width(now);
        self.is_plain &= width <= 64;
        for low in (0..width).step_by(64) {
            let high = (low + 63).min(width - 1);
            let piece = |terms: &mut Terms, word: TermId| terms.slice(word, high, low);
            let var = WordVar {
                name: if width > 64 { format!("{name}[{high}:{low}]") } else { name.clone() },
                state: None,
                term: piece(&mut self.terms, now),
                next: piece(&mut self.terms, next),
                init: init.map(|init| piece(&mut self.terms, init)),
                width: high - low + 1,
                signed: false,
                bitwise: false,
            };
            self.vars.push(var);
        }
    }

    /// The initial condition, with `first` where an `init` reads an input.
    fn add_inits(&mut self, system: &System, cone: &[bool]) {
        let mut all = Vec::new();
        let mut reading = Vec::new();
        // Arguments come before the terms that use them: one pass tells who reads an input.
        let mut reads = vec![false; self.terms.len()];
        for &input in &self.inputs {
            reads[input.index()] = true;
        }
        for (id, term) in self.terms.iter() {
            if term.args().any(|arg| reads[arg.index()]) {
                reads[id.index()] = true;
            }
        }
        for state in &system.states {
            let Some(init) = state.init.filter(|_| cone[state.term.index()]) else { continue };
            let equal = self.terms.binary(BinaryOp::Eq, state.term, init);
            all.push(equal);
            if reads[init.index()] {
                reading.push(equal);
            } else {
                self.init.push(equal);
            }
        }
        if reading.is_empty() {
            return;
        }
        let first = self.terms.new_symbol(Sort::BOOL);
        let never = self.terms.bool(false);
        for equal in reading {
            self.constraints.push(self.terms.binary(BinaryOp::Implies, first, equal));
        }
        self.init.push(first);
        self.symbols.push(first);
        let always = self.terms.bool(true);
        let meaning = all.into_iter().fold(always, |a, b| self.terms.binary(BinaryOp::And, a, b));
        self.first = Some((VarId::new(self.vars.len()), meaning));
        self.vars.push(WordVar {
            name: "first".to_owned(),
            state: None,
            term: first,
            next: never,
            init: Some(always),
            width: 1,
            signed: false,
            bitwise: false,
        });
    }

    /// A term over states one step later: each state replaced by its next value. `None` if it
    /// reads an input.
    fn primed(&mut self, system: &System, root: TermId) -> Option<TermId> {
        let mut next_of: FxHashMap<TermId, TermId> = FxHashMap::default();
        for StateSource { state, chosen, .. } in &self.states {
            let state = &system.states[*state];
            let next = state.next.or(chosen.map(|input| self.inputs[input]));
            next_of.extend(next.map(|next| (state.term, next)));
        }
        let cone = self.terms.cone([root]);
        let mut inputs = self.inputs.iter().filter(|input| !next_of.contains_key(input));
        if inputs.any(|input| cone[input.index()]) {
            return None;
        }
        let image = self.terms.substitute([root], |_, id| next_of.get(&id).copied());
        Some(image.of(root))
    }

    /// Whether a term is a constant.
    pub(super) fn is_const(&self, term: TermId) -> bool {
        matches!(self.terms.get(term), Term::Const(_))
    }

    /// The only initial state, if every variable starts with a constant and there is no
    /// constraint that might exclude it.
    pub(super) fn single_init(&self) -> Option<Vec<Int>> {
        if !self.constraints.is_empty() {
            return None;
        }
        let value = |var: &WordVar| match self.terms.get(var.init?) {
            Term::Const(value) => Some(var.int(value)),
            _ => None,
        };
        self.vars.iter().map(value).collect()
    }

    /// The constants of the model: what its guards compare with.
    pub(super) fn constants(&self) -> Vec<u64> {
        let cone = self.terms.cone(self.vars.iter().map(|v| v.next).chain(self.bads.clone()));
        let mut found: Vec<u64> = Vec::new();
        for (id, term) in self.terms.iter().filter(|(id, _)| cone[id.index()]) {
            if let (Term::Const(value), Sort::Bv(width)) = (term, self.terms.sort(id))
                && let Some(value) = value.to_u64()
            {
                found.extend([value, value.wrapping_add(1), value.wrapping_sub(1)]);
                found.push(value & mask_of(width));
            }
        }
        found.sort_unstable();
        found.dedup();
        found
    }
}

impl Vocabulary for Problem {
    fn vars(&self) -> &[WordVar] {
        &self.vars
    }

    /// A whole bad, by the position of its property.
    fn given(&self, position: usize, step: Step) -> TermId {
        match step {
            Step::Now => self.bads[position],
            Step::Next => self.next_bads[position].expect("made where it exists"),
        }
    }

    fn given_text(&self, position: usize) -> String {
        format!("bad{position}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pedra_formats::btor2;

    #[test]
    fn bads_of_wide_words_and_arrays_have_a_next_step() {
        let text = "
            1 sort bitvec 65
            2 sort bitvec 1
            3 sort array 2 1
            4 state 1 wide
            5 state 3 memory
            6 input 2 choice
            7 next 1 4 4
            8 write 3 5 6 4
            9 next 3 5 8
            10 zero 1
            11 eq 2 4 10
            12 read 1 5 6
            13 zero 2
            14 read 1 5 13
            15 eq 2 14 10
            16 eq 2 12 10
            17 bad 11
            18 bad 15
            19 bad 16
        ";
        let system = btor2::read(text.as_bytes()).expect("a model");
        let problem = Problem::new(&system, &[0, 1, 2]).expect("words");
        let has_next: Vec<bool> = problem.next_bads.iter().map(Option::is_some).collect();
        assert_eq!(has_next, [true, true, false], "the last one reads an input");
    }
}
