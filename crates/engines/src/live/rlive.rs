//! rlive: depth first over the steps that complete a round.
//!
//! Y. Xia, A. Cimatti, A. Griggio, J. Li: *Avoiding the Shoals: A New Approach to Liveness
//! Checking*, CAV 2024. Sets `E_1 ⊆ E_2 ⊆ … ⊆ E_n` of states are kept that are closed under steps,
//! and in which a step that completes a round leads from `E_k` into `E_{k−1}`. PDR is asked for
//! steps that complete a round and do not lead into `E_n`, first from the initial states, then
//! from the state after each such step. If there is none, what PDR proves is the next set.
//!
//! Deviations. The search continues from the *successor* of the step that completes the round, as
//! an ordinary initial state: no lemma mentions a first step. Each question is a new search; only
//! the sets are kept. A start without any step is in no invariant of PDR, which assumes the
//! constraints; the states without steps are then generalised by a core.

use crate::context::{Context, End, Engine, Outcome, Reason, Way};
use crate::events::{Event, NoEvents, Progress};
use crate::ledger::Ledger;
use crate::pdr::{Pdr, PdrOptions};
use pedra_model::aig::{AigBuilder, Node};
use pedra_model::back::{Back, Passes};
use pedra_model::bits::{BitSystem, Reset};
use pedra_model::eval::bits::BitSimulator;
use pedra_model::lit::{Lit, Var};
use pedra_model::live_proof::{Argument, LiveProof};
use pedra_model::proof::{BitProof, Proof};
use pedra_model::trace::{BitTrace, Trace};
use pedra_model::value::Ternary;
use pedra_solve::{FrameEncoder, SatResult, SolverKind, new_solver};
use std::sync::Arc;

/// rlive for one justice set.
pub struct RLive<'a> {
    /// A system whose bad is the end of a round.
    system: &'a BitSystem,
    options: PdrOptions,
    /// From the system to the bits of the model: shows whether a path closes a loop.
    to_model: &'a Passes<'a>,
    /// For each variable that is a latch its next function.
    next_of: Vec<Option<Lit>>,
    /// The system's logic, and that of the sets.
    circuit: AigBuilder,
    /// What each of `E_1 … E_n` adds to the one before: a union of sets that are given by clauses.
    layers: Vec<Vec<Clauses>>,
    /// `E_n`.
    excluded: Lit,
    /// `E_n` over the next functions.
    after: Lit,
    path: Vec<Segment>,
    progress: Progress,
}

/// A set of states: the conjunction of clauses over latches.
type Clauses = Vec<Vec<Lit>>;

/// A part of the path that ends with the completion of a round.
struct Segment {
    /// The inputs of its steps.
    inputs: Vec<Vec<Ternary>>,
    /// The state after its last step.
    state: Vec<Ternary>,
    /// The state in which it begins.
    initial: Vec<Ternary>,
}

/// What PDR says of a start.
enum Reached {
    /// No step completes a round outside of `E_n`, for this reason.
    Nothing(BitProof),
    /// One does.
    Round(Segment),
}

impl<'a> RLive<'a> {
    /// An engine on what was made of a monitored system; `to_model` is the way back from there to
    /// the model's bits.
    pub fn new(system: &'a BitSystem, options: PdrOptions, to_model: &'a Passes<'a>) -> RLive<'a> {
        let mut next_of = vec![None; system.aig.len()];
        for latch in &system.latches {
            next_of[latch.var.index()] = Some(latch.next);
        }
        RLive {
            system,
            options,
            to_model,
            next_of,
            circuit: AigBuilder::from_aig(system.aig.clone()),
            layers: Vec::new(),
            excluded: Lit::FALSE,
            after: Lit::FALSE,
            path: Vec::new(),
            progress: Progress::default(),
        }
    }

    /// The main loop; gives why it stopped, if nothing was settled.
    fn search(&mut self, context: &Context) -> Result<(), Reason> {
        loop {
            let start = self.path.last().map(|segment| segment.state.clone());
            let is_excluded = |state: &Vec<Ternary>| self.value(self.excluded, state);
            if start.as_ref().is_some_and(is_excluded) {
                self.path.pop();
                continue;
            }
            match (self.find_round(context, start.as_deref())?, start) {
                (Reached::Nothing(proof), None) => {
                    context.prove(&[0], self.proof(proof));
                    return Ok(());
                }
                (Reached::Nothing(proof), Some(state)) => {
                    self.add_layer(context, &proof, &state)?;
                    self.path.pop();
                }
                (Reached::Round(segment), _) => {
                    self.path.push(segment);
                    let path: Trace = self.whole_path().into();
                    if self.to_model.trace(path.clone()).loop_start().is_some() {
                        context.violate(0, path);
                        return Ok(());
                    }
                }
            }
            self.progress.frames = self.layers.len();
            self.progress.depth = self.path.len();
        }
    }

    /// Is there a path from the start whose last step completes a round outside of `E_n`?
    ///
    /// `start ∧ (C ∧ ¬E_n ∧ T)* ∧ C ∧ ¬E_n ∧ round ∧ ¬E_n'`
    fn find_round(
        &mut self,
        context: &Context,
        start: Option<&[Ternary]>,
    ) -> Result<Reached, Reason> {
        let bad = self.circuit.and(self.system.bads[0], !self.after);
        let mut question = BitSystem {
            aig: self.circuit.aig().clone(),
            inputs: self.system.inputs.clone(),
            latches: self.system.latches.clone(),
            bads: vec![bad],
            constraints: self.system.constraints.clone(),
            ..BitSystem::default()
        };
        question.constraints.push(!self.excluded);
        for (latch, &value) in question.latches.iter_mut().zip(start.into_iter().flatten()) {
            latch.reset = if value == Ternary::True { Reset::One } else { Reset::Zero };
        }
        let ledger: Arc<Ledger> = Arc::default();
        let inner = Context {
            events: &NoEvents,
            ledger: ledger.clone(),
            way: Way::default(),
            max_depth: None,
            ..context.clone()
        };
        let mut pdr = Pdr::new(&question, self.options);
        let end = pdr.run(&inner);
        let Progress { queries, conflicts, .. } = pdr.progress();
        self.progress.queries += queries;
        self.progress.conflicts += conflicts;
        match ledger.outcome(0) {
            Outcome::Proved(proof) => match &*proof {
                Proof::Bits(proof) => Ok(Reached::Nothing(proof.clone())),
                _ => unreachable!("a proof about bits"),
            },
            Outcome::Violated(Trace::Bits(trace)) => {
                Ok(Reached::Round(segment(&question, trace, start)))
            }
            Outcome::Violated(_) => unreachable!("a trace of bits"),
            Outcome::Unknown => Err(end.reason),
        }
    }

    /// What PDR proved from a state is the next set.
    fn add_layer(
        &mut self,
        context: &Context,
        proof: &BitProof,
        state: &[Ternary],
    ) -> Result<(), Reason> {
        let mut layer = vec![proof.clauses.clone()];
        let (mut inside, mut next) = self.conjunction(&proof.clauses);
        if !self.value(inside, state) {
            let cube = self.find_dead_cube(context, state)?;
            let (dead, dead_next) = self.conjunction(&cube);
            inside = self.circuit.or(inside, dead);
            next = self.circuit.or(next, dead_next);
            layer.push(cube);
        }
        self.excluded = self.circuit.or(self.excluded, inside);
        self.after = self.circuit.or(self.after, next);
        self.layers.push(layer);
        Ok(())
    }

    /// The conjunction of clauses over latches, now and over the next functions.
    fn conjunction(&mut self, clauses: &[Vec<Lit>]) -> (Lit, Lit) {
        let next_of = &self.next_of;
        let next = |lit: &Lit| {
            let next = next_of.get(lit.var().index()).copied().flatten();
            next.expect("lemmas from a constant start speak of latches alone") ^ lit.is_negated()
        };
        let circuit = &mut self.circuit;
        let now: Vec<Lit> =
            clauses.iter().map(|clause| circuit.or_all(clause.iter().copied())).collect();
        let after: Vec<Lit> =
            clauses.iter().map(|clause| circuit.or_all(clause.iter().map(next))).collect();
        (circuit.and_all(now), circuit.and_all(after))
    }

    /// A cube that contains the state, in which no input satisfies the constraints: `c ∧ C` is
    /// unsatisfiable. As unit clauses.
    fn find_dead_cube(&mut self, context: &Context, state: &[Ternary]) -> Result<Clauses, Reason> {
        let mut solver = new_solver(SolverKind::Cdcl);
        solver.set_interrupt(context.interrupt.clone());
        let mut encoder = FrameEncoder::new();
        for &constraint in &self.system.constraints {
            let lit = encoder.encode(&self.system.aig, &mut *solver, constraint);
            solver.add_clause(&[lit]);
        }
        let latches = self.system.latches.iter().zip(state);
        let cube: Vec<Lit> =
            latches.map(|(latch, &value)| latch.var.lit() ^ (value != Ternary::True)).collect();
        let assumed: Vec<Lit> =
            cube.iter().map(|&lit| encoder.encode(&self.system.aig, &mut *solver, lit)).collect();
        match solver.solve(&assumed) {
            SatResult::Unsat => {
                let pairs = cube.iter().zip(&assumed);
                let core = pairs.filter(|(_, assumed)| solver.is_failed(**assumed));
                Ok(core.map(|(&lit, _)| vec![lit]).collect())
            }
            SatResult::Sat => unreachable!("an invariant contains a start that has a step"),
            SatResult::Unknown => Err(Reason::Interrupted),
        }
    }

    /// The value of a literal of the circuit that depends on the state alone.
    fn value(&self, root: Lit, state: &[Ternary]) -> bool {
        if root.is_const() {
            return root == Lit::TRUE;
        }
        let aig = self.circuit.aig();
        let cone = aig.cone([root]);
        let mut values = vec![Ternary::Unknown; aig.len()];
        values[0] = Ternary::False;
        for (latch, &value) in self.system.latches.iter().zip(state) {
            values[latch.var.index()] = value;
        }
        let of = |values: &[Ternary], lit: Lit| values[lit.var().index()].flipped(lit.is_negated());
        for var in aig.vars().filter(|var| cone[var.index()]) {
            if let Node::And(a, b) = aig.node(var) {
                values[var.index()] = of(&values, a).and(of(&values, b));
            }
        }
        of(&values, root) == Ternary::True
    }

    /// The path from an initial state through all rounds.
    fn whole_path(&self) -> BitTrace {
        BitTrace {
            property: 0,
            initial: self.path[0].initial.clone(),
            inputs: self.path.iter().flat_map(|segment| segment.inputs.clone()).collect(),
            loop_start: None,
        }
    }

    /// `Inv ∨ E_n` is inductive, as is each `E_k`: see the head.
    ///
    /// The gates of the sets are made anew, over latches alone. Those of the circuit may be gates
    /// of the system, and in the model these may be functions of inputs that have the same value.
    fn proof(&self, proof: BitProof) -> LiveProof {
        let first = self.system.aig.len();
        let mut gates: Vec<[Lit; 2]> = Vec::new();
        let mut and = |a: Lit, b: Lit| {
            gates.push([a, b]);
            Var::new(first + gates.len() - 1).lit()
        };
        let (mut layers, mut union) = (Vec::new(), Lit::FALSE);
        for layer in &self.layers {
            for set in layer {
                let mut inside = Lit::TRUE;
                for clause in set {
                    let none = clause.iter().fold(Lit::TRUE, |none, &lit| and(none, !lit));
                    inside = and(inside, !none);
                }
                union = !and(!union, !inside);
            }
            layers.push(union);
        }
        // The gates of PDR's proof were numbered after those of the circuit.
        let (before, after) = (self.circuit.len(), first + gates.len());
        let moved = |lit: Lit| match lit.var().index().checked_sub(before) {
            None => lit,
            Some(gate) => Lit::new(Var::new(after + gate), lit.is_negated()),
        };
        gates.extend(proof.gates.iter().map(|gate| gate.map(moved)));
        let weaker = |clause: Vec<Lit>| clause.into_iter().map(moved).chain([union]).collect();
        let proof = BitProof {
            properties: vec![0],
            gates,
            clauses: proof.clauses.into_iter().map(weaker).collect(),
            k: 1,
            simple_path: None,
        };
        LiveProof { property: 0, argument: Argument::Rank { layers }, proof }
    }
}

/// The path of a counterexample, with all values known, and the state after its last step.
fn segment(question: &BitSystem, trace: BitTrace, start: Option<&[Ternary]>) -> Segment {
    let Trace::Bits(BitTrace { mut initial, inputs, .. }) = Trace::from(trace).zero_filled() else {
        unreachable!("a trace keeps its level");
    };
    let mut simulator = BitSimulator::new(question).expect("resets of a model are no circle");
    for (step, values) in inputs.iter().enumerate() {
        match (step, start) {
            (0, Some(state)) => simulator.load(state, values),
            (0, None) => {
                // Latches without a free reset follow, whatever 0 was filled in for them.
                let _ = simulator.start(&initial, values);
                initial = simulator.latches();
            }
            _ => simulator.step(values),
        }
    }
    let state = question.latches.iter().map(|latch| simulator.value(latch.next)).collect();
    Segment { inputs, state, initial }
}

impl Engine for RLive<'_> {
    fn name(&self) -> &'static str {
        "rlive"
    }

    fn run(&mut self, context: &Context) -> End {
        if !context.is_open(0) {
            return End::NOTHING_LEFT;
        }
        context.emit(|| Event::Started { engine: self.name(), open: 1 });
        let reason = self.search(context).err().unwrap_or(Reason::SettledElsewhere);
        context.emit(|| Event::Finished {
            open: usize::from(context.is_open(0)),
            progress: self.progress(),
        });
        End { reason, safe_up_to: None }
    }

    fn progress(&self) -> Progress {
        self.progress
    }
}
