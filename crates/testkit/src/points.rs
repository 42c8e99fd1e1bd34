//! One small bit-level system, point by point: shortest traces, replays, and proofs by enumeration.
//!
//! A *point* is a state together with its inputs, as one number: latches in the low bits, inputs
//! above them. No solver, no unrolling, no reference evaluator.

use crate::oracle::{Explicit, ExplicitBits};
use pedra_model::bits::{BitSystem, Reset};
use pedra_model::lit::{Lit, Var};
use pedra_model::proof::BitProof;
use pedra_model::trace::BitTrace;
use pedra_model::value::Ternary;

/// How a point was first reached: at which step, and from which point.
type Reach = (usize, Option<usize>);

/// A system and all its points.
pub struct Points<'a> {
    system: &'a BitSystem,
    values: ExplicitBits<'a>,
    /// Whether a path may start there, constraints apart.
    initial: Vec<bool>,
    /// Whether it satisfies the constraints.
    allowed: Vec<bool>,
    /// The state that follows.
    next: Vec<usize>,
    reached: Vec<Option<Reach>>,
}

impl<'a> Points<'a> {
    /// Enumerates a system, and searches it breadth first.
    pub fn new(system: &'a BitSystem) -> Points<'a> {
        let values = ExplicitBits::new(system);
        let (states, inputs) = (values.num_states(), values.num_inputs());
        let pairs = || (0..inputs).flat_map(|i| (0..states).map(move |s| (s, i)));
        let next = |(state, input): (usize, usize)| {
            let mut found = 0;
            values.successors(state, input, &mut |s| found = s);
            found
        };
        let mut points = Points {
            initial: pairs().map(|(s, i)| values.is_initial(s, i)).collect(),
            allowed: pairs().map(|(s, i)| values.is_allowed(s, i)).collect(),
            next: pairs().map(next).collect(),
            reached: vec![None; states * inputs],
            system,
            values,
        };
        points.search();
        points
    }

    fn search(&mut self) {
        let mut queue: Vec<usize> = self.all().filter(|&p| self.may_start(p)).collect();
        queue.iter().for_each(|&p| self.reached[p] = Some((0, None)));
        let mut done = 0;
        while let Some(&point) = queue.get(done) {
            done += 1;
            let step = self.reached[point].expect("only reached points are queued").0;
            for successor in self.successors(point) {
                if self.allowed[successor] && self.reached[successor].is_none() {
                    self.reached[successor] = Some((step + 1, Some(point)));
                    queue.push(successor);
                }
            }
        }
    }

    /// All points.
    pub fn all(&self) -> std::ops::Range<usize> {
        0..self.next.len()
    }

    /// The state of a point.
    pub fn state(&self, point: usize) -> usize {
        point & (self.num_states() - 1)
    }

    /// The number of states.
    pub fn num_states(&self) -> usize {
        self.values.num_states()
    }

    /// The points of a state, with every input.
    pub fn of_state(&self, state: usize) -> impl Iterator<Item = usize> + use<> {
        (state..self.next.len()).step_by(self.num_states())
    }

    /// The points of the state that follows, with every input.
    pub fn successors(&self, point: usize) -> impl Iterator<Item = usize> + use<> {
        self.of_state(self.next[point])
    }

    /// The state that follows.
    pub fn next_state(&self, point: usize) -> usize {
        self.next[point]
    }

    /// The value of a literal.
    pub fn value(&self, lit: Lit, point: usize) -> bool {
        self.values.value(lit, self.state(point), point / self.num_states())
    }

    /// Whether a path may start there, constraints apart.
    pub fn is_initial(&self, point: usize) -> bool {
        self.initial[point]
    }

    /// Whether the constraints hold.
    pub fn is_allowed(&self, point: usize) -> bool {
        self.allowed[point]
    }

    /// Whether a path may start there.
    pub fn may_start(&self, point: usize) -> bool {
        self.initial[point] && self.allowed[point]
    }

    /// Whether some path comes there.
    pub fn is_reached(&self, point: usize) -> bool {
        self.reached[point].is_some()
    }

    /// A shortest path to a violation of the property.
    pub fn trace(&self, property: usize) -> Option<BitTrace> {
        let bad = self.system.properties()[property];
        let hits = self.all().filter(|&p| self.is_reached(p) && self.value(bad, p));
        let mut at = hits.min_by_key(|&p| self.reached[p].map(|reach| reach.0));
        let mut path = Vec::new();
        while let Some(point) = at {
            path.push(point);
            at = self.reached[point].and_then(|reach| reach.1);
        }
        path.reverse();
        let first = *path.first()?;
        let bit = |point: usize, var: Var| Ternary::from(self.value(var.lit(), point));
        let inputs = |&p: &usize| self.system.inputs.iter().map(|&v| bit(p, v)).collect();
        Some(BitTrace {
            property,
            initial: self.system.latches.iter().map(|l| bit(first, l.var)).collect(),
            inputs: path.iter().map(inputs).collect(),
            loop_start: None,
        })
    }

    /// Whether a trace is a path from an initial point, under all constraints, that ends in a
    /// violation, with its unknown bits as 0 and as 1.
    pub fn replays(&self, trace: &BitTrace) -> bool {
        [false, true].into_iter().all(|fill| self.replays_with(trace, fill))
    }

    fn replays_with(&self, trace: &BitTrace, fill: bool) -> bool {
        let is = |var: Var, point: usize, wanted: Ternary| {
            self.value(var.lit(), point) == wanted.known().unwrap_or(fill)
        };
        let has_inputs = |point: usize, step: usize| {
            let mut pairs = self.system.inputs.iter().zip(&trace.inputs[step]);
            pairs.all(|(&var, &wanted)| is(var, point, wanted))
        };
        // What is unknown of a latch with a constant or functional reset follows from it.
        let has_start = |point: usize| {
            let mut pairs = self.system.latches.iter().zip(&trace.initial);
            pairs.all(|(latch, &wanted)| {
                let follows = latch.reset != Reset::Free && wanted == Ternary::Unknown;
                follows || is(latch.var, point, wanted)
            })
        };
        let starts = |&p: &usize| self.initial[p] && has_start(p) && has_inputs(p, 0);
        let mut at = self.all().find(starts).filter(|&p| self.allowed[p]);
        for step in 1..trace.inputs.len() {
            at = at.and_then(|p| self.successors(p).find(|&q| has_inputs(q, step)));
            at = at.filter(|&p| self.allowed[p]);
        }
        at.is_some_and(|p| self.value(self.system.properties()[trace.property], p))
    }

    /// The reachable points as a proof of the properties that hold: each of the others is
    /// excluded by a clause, or by the negation of a chain of gates if `with_gates`. States alone
    /// would not do, as a reset function can tie an initial state to an input.
    pub fn proof(&self, with_gates: bool) -> BitProof {
        let latches = self.system.latches.iter().map(|latch| latch.var);
        let leaves: Vec<Var> = latches.chain(self.system.inputs.iter().copied()).collect();
        let properties = 0..self.system.properties().len();
        let properties = properties.filter(|&p| self.trace(p).is_none()).collect();
        let mut proof = BitProof { properties, k: 1, ..BitProof::default() };
        for point in self.all().filter(|&p| !self.is_reached(p)) {
            let cube = leaves.iter().enumerate().map(|(i, v)| v.lit() ^ (point >> i & 1 == 0));
            if with_gates {
                let mut all = Lit::TRUE;
                for lit in cube {
                    let number = self.system.aig.len() + proof.gates.len();
                    proof.gates.push([all, lit]);
                    all = Var::new(number).lit();
                }
                proof.clauses.push(vec![!all]);
            } else {
                proof.clauses.push(cube.map(|l| !l).collect());
            }
        }
        proof
    }

    /// One clause for each state that no path reaches: it excludes just that state.
    pub fn unreached_states(&self) -> Vec<Vec<Lit>> {
        let unreached = |&s: &usize| !self.of_state(s).any(|p| self.is_reached(p));
        let excluding = |state: usize| {
            let latches = self.system.latches.iter().enumerate();
            latches.map(|(i, l)| Lit::new(l.var, state >> i & 1 == 1)).collect()
        };
        (0..self.num_states()).filter(unreached).map(excluding).collect()
    }
}

/// What a proof claims of a system, by enumeration: see `pedra_model::proof` for the formulas.
pub struct Claims<'a> {
    points: &'a Points<'a>,
    /// Where the invariant holds.
    pub invariant: Vec<bool>,
    /// Where no proved property is violated.
    pub good: Vec<bool>,
    k: usize,
    /// The latches on which states must differ, if only simple paths count.
    mask: Option<usize>,
}

impl<'a> Claims<'a> {
    /// What a proof claims.
    pub fn of(points: &'a Points<'a>, proof: &BitProof) -> Claims<'a> {
        let mut extended = points.system.clone();
        for &[a, b] in &proof.gates {
            extended.aig.push_and(a, b);
        }
        let values = ExplicitBits::new(&extended);
        let value =
            |lit: Lit, p: usize| values.value(lit, points.state(p), p / points.num_states());
        let holds = |p: usize| proof.clauses.iter().all(|c| c.iter().any(|&lit| value(lit, p)));
        let bads = points.system.properties();
        let good = |p: usize| proof.properties.iter().all(|&b| !value(bads[b], p));
        Claims {
            points,
            invariant: points.all().map(holds).collect(),
            good: points.all().map(good).collect(),
            k: proof.k,
            mask: proof.simple_path.as_ref().map(|latches| latches.iter().map(|l| 1 << l).sum()),
        }
    }

    /// The name of the first claim that is false, or `accepted`.
    pub fn first_false(&self) -> &'static str {
        if !self.initiation() {
            "initiation"
        } else if !self.consecution() {
            "consecution"
        } else if !self.base() {
            "base"
        } else if !self.closed() {
            "closed"
        } else if !self.step() {
            "step"
        } else {
            "accepted"
        }
    }

    /// Whether the properties hold.
    pub fn is_safe(&self) -> bool {
        self.points.all().all(|p| !self.points.is_reached(p) || self.good[p])
    }

    /// `Init ∧ C ⟹ Inv`.
    pub fn initiation(&self) -> bool {
        self.points.all().all(|p| !self.points.may_start(p) || self.invariant[p])
    }

    /// `Inv ∧ C ∧ T ∧ C' ⟹ Inv'`.
    pub fn consecution(&self) -> bool {
        let known = self.points.all().filter(|&p| self.is_known(p));
        let mut after = known.flat_map(|p| self.points.successors(p));
        after.all(|q| !self.points.allowed[q] || self.invariant[q])
    }

    /// The same without the constraints.
    pub fn is_inductive_without_constraints(&self) -> bool {
        let starts = self.points.all().all(|p| !self.points.initial[p] || self.invariant[p]);
        let mut kept = self.points.all().filter(|&p| self.invariant[p]);
        starts && kept.all(|p| self.points.successors(p).all(|q| self.invariant[q]))
    }

    /// `Inv ∧ C ⟹ P`.
    pub fn implies_properties(&self) -> bool {
        self.points.all().all(|p| !self.is_known(p) || self.good[p])
    }

    fn is_known(&self, point: usize) -> bool {
        self.invariant[point] && self.points.allowed[point]
    }

    /// The known points after these.
    fn after(&self, points: &[usize]) -> Vec<usize> {
        let mut states: Vec<usize> = points.iter().map(|&p| self.points.next[p]).collect();
        states.sort_unstable();
        states.dedup();
        let points = states.into_iter().flat_map(|state| self.points.of_state(state));
        points.filter(|&p| self.is_known(p)).collect()
    }

    /// No violation in the first `k` steps.
    fn base(&self) -> bool {
        let start = |&p: &usize| self.points.initial[p] && self.is_known(p);
        let mut layer: Vec<usize> = self.points.all().filter(start).collect();
        (0..self.k).all(|_| {
            let is_good = layer.iter().all(|&p| self.good[p]);
            layer = self.after(&layer);
            is_good
        })
    }

    /// `k` good steps are followed by a good one.
    fn step(&self) -> bool {
        if let Some(mask) = self.mask {
            return self.step_on_simple_paths(mask);
        }
        let known = self.points.all().filter(|&p| self.is_known(p));
        let mut layer: Vec<usize> = known.collect();
        for _ in 0..self.k {
            layer.retain(|&p| self.good[p]);
            layer = self.after(&layer);
        }
        layer.iter().all(|&p| self.good[p])
    }

    fn step_on_simple_paths(&self, mask: usize) -> bool {
        let mut stack: Vec<Vec<usize>> = (0..self.points.num_states()).map(|s| vec![s]).collect();
        while let Some(path) = stack.pop() {
            let state = path[path.len() - 1];
            let mut known = self.points.of_state(state).filter(|&p| self.is_known(p));
            if path.len() == self.k + 1 {
                if known.any(|p| !self.good[p]) {
                    return false;
                }
                continue;
            }
            let good = known.filter(|&p| self.good[p]);
            let mut next: Vec<usize> = good.map(|p| self.points.next[p]).collect();
            next.sort_unstable();
            next.dedup();
            next.retain(|n| path.iter().all(|s| s & mask != n & mask));
            stack.extend(next.iter().map(|&n| [&path[..], &[n]].concat()));
        }
        true
    }

    /// The four conditions on the latches of a simple-path condition.
    fn closed(&self) -> bool {
        let Some(mask) = self.mask else { return true };
        let points = self.points;
        let inputs = !(points.num_states() - 1);
        let is_free = |l: &pedra_model::bits::Latch| l.reset == Reset::Free;
        let latches = points.system.latches.iter().enumerate();
        let free: usize = latches.filter(|(_, l)| is_free(l)).map(|(i, _)| 1 << i).sum();
        let mut entered = vec![false; points.num_states()];
        points.all().filter(|&u| self.is_known(u)).for_each(|u| entered[points.next[u]] = true);
        let mut pairs = points
            .all()
            .flat_map(|s| points.all().map(move |t| (s, t)))
            .filter(|&(s, t)| s & mask == t & mask && self.is_known(s));
        pairs.all(|(s, t)| {
            let cut = points.state(t) | s & inputs;
            let same =
                points.next[s] & mask == points.next[cut] & mask && self.good[s] == self.good[cut];
            // The initial state under the inputs of `s` with the free latches of `t`.
            let restarted = (0..points.num_states())
                .map(|state| state | s & inputs)
                .find(|&p| points.initial[p] && p & free == t & free)
                .expect("resets are functions of inputs and free latches");
            let restarts = restarted & mask == t & mask && points.allowed[restarted];
            let stays_initial = !(points.initial[t] && self.is_known(t)) || restarts;
            let is_met = self.is_known(t) || entered[points.state(t)];
            let stays_allowed = !is_met || points.allowed[cut];
            stays_allowed && (!self.is_known(cut) || same) && stays_initial
        })
    }
}
