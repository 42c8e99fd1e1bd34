//! Properties that are the same up to names: their cones are isomorphic circuits. One of a class is
//! decided, and its proof or trace renamed for the others.
//!
//! Two steps. *Colours*: every variable gets a hash of what it is computed of, refined through the
//! latches until no class splits any more (as super-prove's `iso` does). Equal colours are
//! necessary, not sufficient: inputs all look alike. *Matching*: both cones are walked side by
//! side, and the map of variables must be one to one. Where the operands of a gate have one
//! colour, the order of the file decides; no other one is tried, so that isomorphic cones may be
//! missed.
//!
//! All constraints belong to the cone of every property, and the map takes constraints to
//! constraints: so a path maps to a path. Nothing here has to be trusted: what is renamed is
//! checked like any other answer.

use pedra_model::aig::Node;
use pedra_model::bits::{BitSystem, Reset};
use pedra_model::lit::{Lit, Var};
use pedra_model::proof::BitProof;
use pedra_model::trace::BitTrace;
use pedra_model::value::Ternary;
use rustc_hash::{FxHashMap, FxHashSet};

/// Colours are refined no more often than this: one round for each latch on the way from an input.
/// Fewer rounds than needed only make classes that fail to match. Tuning only.
const MAX_ROUNDS: usize = 64;

/// Which properties look alike.
pub(crate) struct Classes {
    /// For each property its class.
    of: Vec<usize>,
    /// For each class its properties, ascending.
    members: Vec<Vec<usize>>,
    colours: Vec<u64>,
    latch_of: Vec<Option<u32>>,
}

impl Classes {
    /// The classes of all properties of a system, by colour.
    pub(crate) fn new(system: &BitSystem) -> Classes {
        let colours = colours(system);
        let mut number: FxHashMap<u64, usize> = FxHashMap::default();
        let (mut of, mut members): (Vec<usize>, Vec<Vec<usize>>) = (Vec::new(), Vec::new());
        for (property, &bad) in system.properties().iter().enumerate() {
            let class = *number.entry(seen(&colours, bad)).or_insert(members.len());
            if class == members.len() {
                members.push(Vec::new());
            }
            members[class].push(property);
            of.push(class);
        }
        Classes { of, members, colours, latch_of: system.latch_of_var() }
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.members.len()
    }

    /// The class of a property.
    pub(crate) fn of(&self, property: usize) -> usize {
        self.of[property]
    }

    /// The properties of a class.
    pub(crate) fn members(&self, class: usize) -> &[usize] {
        &self.members[class]
    }

    /// The map that takes the cone of one property to that of another one of its class.
    pub(crate) fn find_map(&self, system: &BitSystem, from: usize, to: usize) -> Option<ConeMap> {
        let mut matching = Matching::new(system, self);
        let bads = system.properties();
        let has_bad = matching.extend(bads[from], bads[to]);
        (has_bad && matching.extend_constraints()).then_some(ConeMap(matching.image))
    }
}

/// A hash of two numbers; the same in every run.
fn mix(a: u64, b: u64) -> u64 {
    let x = (a.rotate_left(23) ^ b).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    x ^ (x >> 29)
}

/// The colour of a literal.
fn seen(colours: &[u64], lit: Lit) -> u64 {
    mix(colours[lit.var().index()], 1 + u64::from(lit.is_negated()))
}

/// A hash for each variable of what it is computed of.
fn colours(system: &BitSystem) -> Vec<u64> {
    let mut colours = vec![1; system.aig.len()];
    for &input in &system.inputs {
        colours[input.index()] = 2;
    }
    for latch in &system.latches {
        colours[latch.var.index()] = match latch.reset {
            Reset::Zero => 3,
            Reset::One => 4,
            Reset::Free => 5,
            Reset::Function(_) => 6,
        };
    }
    let mut distinct = 0;
    for _ in 0..MAX_ROUNDS {
        for (gate, a, b) in system.aig.gates() {
            let (a, b) = (seen(&colours, a), seen(&colours, b));
            colours[gate.index()] = mix(mix(7, a.min(b)), a.max(b));
        }
        let refined: Vec<u64> = system
            .latches
            .iter()
            .map(|latch| {
                let next = mix(colours[latch.var.index()], seen(&colours, latch.next));
                match latch.reset {
                    Reset::Function(f) => mix(next, seen(&colours, f)),
                    _ => next,
                }
            })
            .collect();
        for (latch, colour) in system.latches.iter().zip(&refined) {
            colours[latch.var.index()] = *colour;
        }
        let now = refined.iter().collect::<FxHashSet<_>>().len();
        if now == distinct {
            break;
        }
        distinct = now;
    }
    for (gate, a, b) in system.aig.gates() {
        let (a, b) = (seen(&colours, a), seen(&colours, b));
        colours[gate.index()] = mix(mix(7, a.min(b)), a.max(b));
    }
    colours
}

/// A walk over two cones side by side.
struct Matching<'a> {
    system: &'a BitSystem,
    colours: &'a [u64],
    latch_of: &'a [Option<u32>],
    /// From variables of the first cone to those of the second, and back.
    image: FxHashMap<Var, Var>,
    origin: FxHashMap<Var, Var>,
    /// What was added since the last decision.
    added: Vec<Var>,
}

impl<'a> Matching<'a> {
    fn new(system: &'a BitSystem, classes: &'a Classes) -> Matching<'a> {
        let Classes { colours, latch_of, .. } = classes;
        let (image, origin) = Default::default();
        Matching { system, colours, latch_of, image, origin, added: Vec::new() }
    }

    /// Extends the map so that it takes one literal to the other, or leaves it as it was.
    fn extend(&mut self, from: Lit, to: Lit) -> bool {
        self.added.clear();
        let mut stack = vec![(from, to)];
        while let Some((from, to)) = stack.pop() {
            if !self.pair(from, to, &mut stack) {
                for var in std::mem::take(&mut self.added) {
                    let image = self.image.remove(&var).expect("just added");
                    self.origin.remove(&image);
                }
                return false;
            }
        }
        true
    }

    /// Whether two literals can belong together, given the map so far. What follows goes onto the
    /// stack.
    fn pair(&mut self, from: Lit, to: Lit, stack: &mut Vec<(Lit, Lit)>) -> bool {
        let (a, b) = (from.var(), to.var());
        let is_alike = from.is_negated() == to.is_negated()
            && self.colours[a.index()] == self.colours[b.index()];
        match (is_alike, self.image.get(&a), self.origin.get(&b)) {
            (false, ..) => return false,
            (_, None, None) => {}
            (_, image, _) => return image == Some(&b),
        }
        let latches = (self.latch_of[a.index()], self.latch_of[b.index()]);
        match (self.system.aig.node(a), self.system.aig.node(b), latches) {
            (Node::And(a0, a1), Node::And(b0, b1), _) => {
                let (b0, b1) = self.in_order((a0, a1), (b0, b1));
                stack.extend([(a0, b0), (a1, b1)]);
            }
            (Node::And(..), ..) | (_, Node::And(..), _) => return false,
            (_, _, (Some(one), Some(other))) => {
                let [one, other] = [one, other].map(|l| self.system.latches[l as usize]);
                match (one.reset, other.reset) {
                    (Reset::Function(f), Reset::Function(g)) => stack.push((f, g)),
                    (f, g) if f == g => {}
                    _ => return false,
                }
                stack.push((one.next, other.next));
            }
            (_, _, (None, None)) => {}
            _ => return false,
        }
        self.image.insert(a, b);
        self.origin.insert(b, a);
        self.added.push(a);
        true
    }

    /// The operands of the second gate, in the order of those of the first.
    fn in_order(&self, (a0, a1): (Lit, Lit), (b0, b1): (Lit, Lit)) -> (Lit, Lit) {
        let colour = |lit| seen(self.colours, lit);
        let known = |a: Lit| self.image.get(&a.var()).copied();
        let is_crossed = match (known(a0), known(a1)) {
            _ if colour(a0) != colour(a1) => colour(a0) == colour(b1),
            (Some(image), _) => image == b1.var(),
            (_, Some(image)) => image == b0.var(),
            // One that is taken already cannot be the image of the first.
            (None, None) => self.origin.contains_key(&b0.var()),
        };
        if is_crossed { (b1, b0) } else { (b0, b1) }
    }

    /// Extends the map so that it takes the constraints to the constraints.
    fn extend_constraints(&mut self) -> bool {
        let constraints = &self.system.constraints;
        let mut left: Vec<Lit> = constraints.clone();
        constraints.iter().all(|&from| {
            let place = left.iter().position(|&to| self.extend(from, to));
            place.map(|place| left.remove(place)).is_some()
        })
    }
}

/// A map from the variables of one cone to those of another.
pub(crate) struct ConeMap(FxHashMap<Var, Var>);

impl ConeMap {
    fn lit(&self, system: &BitSystem, lit: Lit) -> Option<Lit> {
        let var = lit.var();
        if var.index() == 0 || var.index() >= system.aig.len() {
            // The constant; and gates of a proof, which keep their numbers.
            return Some(lit);
        }
        Some(Lit::new(*self.0.get(&var)?, lit.is_negated()))
    }

    /// The proof of the other property; nothing if it mentions what is outside the cone.
    pub(crate) fn proof(
        &self,
        system: &BitSystem,
        proof: &BitProof,
        to: usize,
    ) -> Option<BitProof> {
        if proof.simple_path.is_some() || proof.k > 1 {
            // Such a proof may rest on other properties at earlier steps.
            return None;
        }
        let clause = |c: &Vec<Lit>| c.iter().map(|&l| self.lit(system, l)).collect();
        let gate = |&[a, b]: &[Lit; 2]| Some([self.lit(system, a)?, self.lit(system, b)?]);
        Some(BitProof {
            properties: vec![to],
            gates: proof.gates.iter().map(gate).collect::<Option<_>>()?,
            clauses: proof.clauses.iter().map(clause).collect::<Option<_>>()?,
            k: 1,
            simple_path: None,
        })
    }

    /// The violation of the other property.
    pub(crate) fn trace(&self, system: &BitSystem, trace: &BitTrace, to: usize) -> BitTrace {
        let (latch_of, input_of) = (system.latch_of_var(), system.input_of_var());
        let moved = |values: &[Ternary], vars: &[Var], place: &[Option<u32>]| {
            let mut moved = vec![Ternary::Unknown; values.len()];
            for (&value, var) in values.iter().zip(vars) {
                if let Some(place) = self.0.get(var).and_then(|image| place[image.index()]) {
                    moved[place as usize] = value;
                }
            }
            moved
        };
        let latches: Vec<Var> = system.latches.iter().map(|latch| latch.var).collect();
        let inputs = trace.inputs.iter().map(|step| moved(step, &system.inputs, &input_of));
        BitTrace {
            property: to,
            initial: moved(&trace.initial, &latches, &latch_of),
            inputs: inputs.collect(),
            loop_start: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two counters of two bits with an enabling input each, the second one written with its
    /// operands the other way round, and one with another reset.
    fn three_counters() -> BitSystem {
        let mut system = BitSystem::new();
        for number in 0..3 {
            let enable = system.add_input();
            let low = system.add_latch(Reset::Zero);
            let high = system.add_latch(if number == 2 { Reset::One } else { Reset::Zero });
            let aig = &mut system.aig;
            let carry = match number {
                1 => aig.push_and(low, enable),
                _ => aig.push_and(enable, low),
            };
            let rise = aig.push_and(!high, carry);
            let both = aig.push_and(high, low);
            let count = system.latches.len();
            system.latches[count - 2].next = !carry;
            system.latches[count - 1].next = rise;
            system.bads.push(both);
        }
        system
    }

    #[test]
    fn copies_are_found_and_others_are_not() {
        let system = three_counters();
        let classes = Classes::new(&system);
        assert_eq!(classes.of(0), classes.of(1));
        assert_ne!(classes.of(0), classes.of(2));
        assert_eq!((classes.len(), classes.members(0)), (2, &[0, 1][..]));
        let map = classes.find_map(&system, 0, 1).expect("a copy");
        let image = |l: usize| map.0[&system.latches[l].var];
        assert_eq!([image(0), image(1)], [system.latches[2].var, system.latches[3].var]);
        assert_eq!(map.0[&system.inputs[0]], system.inputs[1]);
        assert!(classes.find_map(&system, 0, 2).is_none());
    }

    #[test]
    fn answers_are_renamed() {
        let system = three_counters();
        let map = Classes::new(&system).find_map(&system, 0, 1).expect("a copy");
        let lit = |l: usize| system.latches[l].var.lit();
        let gate = Var::new(system.aig.len()).lit();
        let proof = BitProof {
            properties: vec![0],
            gates: vec![[lit(0), !lit(1)]],
            clauses: vec![vec![!lit(0), gate]],
            k: 1,
            simple_path: None,
        };
        let renamed = map.proof(&system, &proof, 1).expect("inside of the cone");
        assert_eq!(renamed.gates, [[lit(2), !lit(3)]]);
        assert_eq!((renamed.clauses, renamed.properties), (vec![vec![!lit(2), gate]], vec![1]));
        let outside = BitProof { clauses: vec![vec![lit(5)]], ..proof };
        assert!(map.proof(&system, &outside, 1).is_none());
        let (zero, one, x) = (Ternary::False, Ternary::True, Ternary::Unknown);
        let trace = BitTrace {
            property: 0,
            initial: vec![zero, one, x, x, x, x],
            inputs: vec![vec![one, zero, x]],
            loop_start: None,
        };
        let moved = map.trace(&system, &trace, 1);
        assert_eq!((moved.property, &moved.initial[2..4]), (1, &[zero, one][..]));
        assert_eq!(moved.inputs, [[x, one, x]]);
    }

    /// A constraint on one unit alone leaves no map; one on each leaves one.
    #[test]
    fn constraints_map_to_constraints() {
        let mut system = three_counters();
        system.constraints.push(!system.inputs[0].lit());
        assert!(Classes::new(&system).find_map(&system, 0, 1).is_none());
        system.constraints.push(!system.inputs[1].lit());
        let map = Classes::new(&system).find_map(&system, 0, 1).expect("a copy");
        assert_eq!(map.0[&system.inputs[1]], system.inputs[0]);
    }
}
