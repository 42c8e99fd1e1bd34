//! The system with slots.

use super::reader::{ReadSymbol, Reader, element, equal};
use super::{Slot, Slotted, WithArrays};
use crate::prophecy::{Guess, Prophecy};
use crate::system::{Input, NamedTerm, State, System};
use crate::term::{BinaryOp, Sort, Term, TermId, Terms};
use rustc_hash::{FxHashMap, FxHashSet};

/// An address that is watched, and the arrays that are watched there.
struct Probe {
    /// A constant, or the symbol of a guess.
    address: TermId,
    /// Those of which the content is known, with their contents.
    contents: FxHashMap<TermId, TermId>,
}

impl Slotted {
    /// The system with these slots.
    pub fn new(of: &WithArrays, slots: &[Slot]) -> Slotted {
        let mut builder = Builder {
            of,
            terms: of.system.terms.clone(),
            images: FxHashMap::default(),
            reader: Reader::default(),
            probes: Vec::new(),
            reads: Vec::new(),
            prophecy: Prophecy { differences: of.differences.clone(), ..Prophecy::default() },
        };
        let targets = builder.add_probes(slots);
        builder.add_images(slots);
        let system = builder.system(&targets);
        let Builder { mut reads, reader, prophecy, .. } = builder;
        reads.extend_from_slice(reader.new_symbols());
        Slotted { system, prophecy, reads }
    }
}

/// A guess: the probe that it is for, the address term, and the delay.
type Target = (usize, TermId, usize);

struct Builder<'a> {
    of: &'a WithArrays,
    terms: Terms,
    /// What stands for terms that are no large arrays.
    images: FxHashMap<TermId, TermId>,
    reader: Reader,
    probes: Vec<Probe>,
    /// The contents.
    reads: Vec<ReadSymbol>,
    prophecy: Prophecy,
}

impl Builder<'_> {
    /// Makes the probes of the slots, each with contents for all arrays on which those of the slot
    /// depend.
    fn add_probes(&mut self, slots: &[Slot]) -> Vec<Target> {
        let neighbours = self.of.neighbours();
        let mut places: Vec<(TermId, usize)> = Vec::new();
        let mut targets = Vec::new();
        for slot in slots {
            let is_constant = self.terms.as_constant(slot.address).is_some();
            let delay = if is_constant { 0 } else { slot.delay };
            let known = places.iter().position(|&place| place == (slot.address, delay));
            let number = known.unwrap_or_else(|| {
                places.push((slot.address, delay));
                let address = match is_constant {
                    true => slot.address,
                    false => {
                        targets.push((self.probes.len(), slot.address, delay));
                        self.terms.new_symbol(self.terms.sort(slot.address))
                    }
                };
                self.probes.push(Probe { address, contents: FxHashMap::default() });
                self.probes.len() - 1
            });
            self.watch(number, slot.array, &neighbours);
        }
        targets
    }

    fn watch(&mut self, probe: usize, array: TermId, neighbours: &FxHashMap<TermId, Vec<TermId>>) {
        let mut stack = vec![array];
        while let Some(array) = stack.pop() {
            if self.probes[probe].contents.contains_key(&array) {
                continue;
            }
            let symbol = self.terms.new_symbol(element(&self.terms, array));
            let at = self.probes[probe].address;
            self.probes[probe].contents.insert(array, symbol);
            self.reads.push(ReadSymbol { symbol, array, at });
            self.reader.know(array, at, symbol);
            stack.extend(neighbours.get(&array).into_iter().flatten());
        }
    }

    /// The terms of the system that matter, arguments first: large arrays are left out, and reads
    /// of them become values.
    fn add_images(&mut self, slots: &[Slot]) {
        let system = &self.of.system;
        let watched: FxHashSet<TermId> =
            self.probes.iter().flat_map(|probe| probe.contents.keys().copied()).collect();
        let matters = |s: &&State| !self.of.is_large(s.term) || watched.contains(&s.term);
        let states = system.states.iter().filter(matters).flat_map(|s| [s.init, s.next]).flatten();
        let named = system.bads.iter().chain(&system.constraints).map(|n| n.term);
        let addresses = slots.iter().map(|slot| slot.address);
        let roots: Vec<TermId> = states.chain(named).chain(addresses).collect();
        let cone = self.terms.cone(roots);
        for id in (0..cone.len()).filter(|&i| cone[i]).map(TermId::new) {
            if self.of.is_large(id) {
                continue;
            }
            let image = match *self.terms.get(id) {
                Term::Symbol(_) => id,
                Term::Read(array, at) if self.of.is_large(array) => {
                    let at = self.images[&at];
                    self.value(array, at)
                }
                Term::Binary(op, a, b) if self.of.is_large(a) => self.comparison(id, op, [a, b]),
                ref term => {
                    let term = term.with_args(|arg| self.images[&arg]);
                    self.terms.simplified(term)
                }
            };
            self.images.insert(id, image);
        }
    }

    /// `read(array, at)`, where the address is one of the new system.
    fn value(&mut self, array: TermId, at: TermId) -> TermId {
        self.reader.value(&mut self.terms, &self.images, array, at)
    }

    fn equal(&mut self, a: TermId, b: TermId) -> TermId {
        equal(&mut self.terms, a, b)
    }

    /// `val(X, d) = val(Y, d) ∧ ⋀ val(X, p_i) = val(Y, p_i)`, or its negation.
    fn comparison(&mut self, id: TermId, op: BinaryOp, [a, b]: [TermId; 2]) -> TermId {
        let mut differences = self.of.differences.iter();
        let difference = differences.find(|d| d.comparison == id).expect("all are listed");
        let symbols = self.of.array_symbols(a).into_iter().chain(self.of.array_symbols(b));
        let symbols: Vec<TermId> = symbols.collect();
        let is_watched = |p: &&Probe| symbols.iter().any(|s| p.contents.contains_key(s));
        let watched = self.probes.iter().filter(is_watched).map(|p| p.address);
        let Sort::Array { index, .. } = self.terms.sort(a) else { unreachable!("arrays") };
        let places: Vec<TermId> = std::iter::once(difference.index)
            .chain(watched)
            .filter(|&place| self.terms.sort(place) == index.into())
            .collect();
        let mut all = self.terms.bool(true);
        for place in places {
            let (left, right) = (self.value(a, place), self.value(b, place));
            let same = self.equal(left, right);
            all = self.terms.and(all, same);
        }
        if op == BinaryOp::Eq { all } else { self.terms.not(all) }
    }

    /// The new system. Images of all that is needed are there.
    fn system(&mut self, targets: &[Target]) -> System {
        let of = &self.of.system;
        let mut system = System::new();
        let image = |term: TermId| self.images[&term];
        for state in of.states.iter().filter(|s| !self.of.is_large(s.term)) {
            let (init, next) = (state.init.map(image), state.next.map(image));
            system.states.push(State { init, next, ..state.clone() });
        }
        system.inputs.extend(of.inputs.iter().filter(|i| !self.of.is_large(i.term)).cloned());
        self.add_contents(&mut system);
        let mut guards = Vec::new();
        for &(probe, address, delay) in targets {
            let symbol = self.probes[probe].address;
            system.states.push(State { term: symbol, name: None, init: None, next: Some(symbol) });
            let target = self.add_history(&mut system, address, delay);
            self.prophecy.guesses.push(Guess { symbol, target });
            let now = if delay == 0 { self.images[&address] } else { target };
            guards.push(self.equal(symbol, now));
        }
        let terms = &mut self.terms;
        for bad in &of.bads {
            let guarded = guards.iter().fold(self.images[&bad.term], |a, &b| terms.and(a, b));
            system.bads.push(NamedTerm { term: guarded, name: bad.name.clone() });
        }
        for constraint in &of.constraints {
            let term = self.images[&constraint.term];
            system.constraints.push(NamedTerm { term, name: constraint.name.clone() });
        }
        self.add_consistency(&mut system);
        let new = self.reader.new_symbols().iter().map(|read| read.symbol);
        let new = new.chain(self.of.differences.iter().map(|d| d.index));
        system.inputs.extend(new.map(|term| Input { term, name: None }));
        system.terms = self.terms.clone();
        system
    }

    /// `init(e) = val(init A, p)`, `next(e) = val(next A, p)`
    fn add_contents(&mut self, system: &mut System) {
        for number in 0..self.probes.len() {
            let address = self.probes[number].address;
            for state in &self.of.system.states {
                let Some(&term) = self.probes[number].contents.get(&state.term) else { continue };
                let init = state.init.map(|array| self.value(array, address));
                let next = state.next.map(|array| self.value(array, address));
                system.states.push(State { term, name: None, init, next });
            }
            for input in &self.of.system.inputs {
                let content = self.probes[number].contents.get(&input.term);
                system.inputs.extend(content.map(|&term| Input { term, name: None }));
            }
        }
    }

    /// `p_i = p_j → e_i = e_j`: says nothing new about the model.
    fn add_consistency(&mut self, system: &mut System) {
        let mut pairs = Vec::new();
        for (number, one) in self.probes.iter().enumerate() {
            for other in &self.probes[..number] {
                for array in self.of.large_symbols() {
                    let contents = (one.contents.get(&array), other.contents.get(&array));
                    if let (Some(&a), Some(&b)) = contents {
                        pairs.push((one.address, other.address, a, b));
                    }
                }
            }
        }
        for (p, q, a, b) in pairs {
            let (same, equal) = (self.equal(p, q), self.equal(a, b));
            let differ = self.terms.not(same);
            let term = self.terms.or(differ, equal);
            if !self.terms.is_bool(term, true) {
                system.constraints.push(NamedTerm { term, name: None });
            }
        }
    }

    /// Registers that keep what the address was: `h_1' = a`, `h_2' = h_1`, … Gives the last one;
    /// without delay, the address itself.
    fn add_history(&mut self, system: &mut System, address: TermId, delay: usize) -> TermId {
        let sort = self.terms.sort(address);
        let mut last = address;
        for number in 0..delay {
            let term = self.terms.new_symbol(sort);
            // Any initial value does.
            let init = Some(self.terms.zero(sort));
            let state = State { term, name: None, init, next: Some(last) };
            let image = if number == 0 { self.images[&address] } else { last };
            system.states.push(State { next: Some(image), ..state.clone() });
            self.prophecy.history.push(state);
            last = term;
        }
        last
    }
}
