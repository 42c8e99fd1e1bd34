//! k-induction.
//!
//! M. Sheeran, S. Singh, G. Stålmarck: *Checking Safety Properties Using Induction and a SAT
//! Solver*, FMCAD 2000. A property `P` holds if, for some `k ≥ 1`,
//!
//! - base: no path of fewer than `k` transitions from an initial state violates `P`, that is,
//!   the steps `0..=k−1` are clean;
//! - step: `P` at `k` successive states implies `P` at the next one.
//!
//! The base case is [`Bmc`]. The step case unrolls from any state: `s_0 … s_{k−1}` satisfy `P`
//! and `s_k` violates it. When `k` grows, only `s_{k+1}` is new, as in N. Eén and N. Sörensson
//! (*Temporal induction by incremental SAT solving*, BMC 2003).
//!
//! Simple paths make the method complete: a shortest path to a violation visits no state
//! twice, so `s_0 … s_k` may be taken as pairwise different. Such clauses are many and rarely
//! needed, so they are added only for pairs that a model makes equal (again Eén and Sörensson).
//! "State" means the latches on which the property depends, see
//! [`closed_latches`]. *Required for soundness*: being initial must be a matter of these
//! latches alone. If a reset function reads an input, cutting a loop that starts in the initial
//! state yields a path whose first state need not be initial under its new input; simple paths
//! are then off.
//!
//! Each property is proved by itself, assuming no other; or, if asked for, all that are open
//! are proved together as one conjunction.

use crate::bmc::{Bmc, BmcOptions};
use crate::cone::{closed_latches, is_init_free_of_inputs};
use crate::context::{Context, End, Engine, Reason};
use crate::events::{Event, Progress};
use crate::unroll::{Start, Unroll};
use pedra_model::bits::BitSystem;
use pedra_model::lit::Lit;
use pedra_model::proof::BitProof;
use pedra_model::value::Ternary;
use pedra_solve::SatResult;
use pedra_solve::cadical::Preset;
use rustc_hash::{FxHashMap, FxHashSet};

/// The choices of [`Kind`].
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct KindOptions {
    /// Whether paths in the step case must not visit a state twice.
    pub simple_path: bool,
    /// Whether the open properties are proved together, each assuming all.
    pub joint: bool,
    /// How the base case is searched.
    pub base: BmcOptions,
    /// The options of the solver for the step case, if it is CaDiCaL.
    pub preset: Preset,
}

impl Default for KindOptions {
    fn default() -> KindOptions {
        KindOptions {
            simple_path: true,
            joint: false,
            base: BmcOptions::default(),
            preset: Preset::Unsat,
        }
    }
}

/// k-induction for all properties of a system.
pub struct Kind<'a> {
    system: &'a BitSystem,
    options: KindOptions,
    /// The base case.
    base: Bmc<'a>,
    step: Option<Unroll<'a>>,
    /// What is being proved by induction.
    claims: Vec<Claim>,
    /// The induction depth being tried.
    k: usize,
}

/// One induction hypothesis: the conjunction of some properties.
struct Claim {
    properties: Vec<usize>,
    /// The latches on which states must differ, with simple paths.
    latches: Option<Vec<usize>>,
    /// Switches the assumed properties of this claim on.
    activation: Lit,
    /// Switches the differences between states on.
    distinct: Lit,
    /// The pairs `i < j` of states that must differ so far.
    pairs: FxHashSet<(usize, usize)>,
    /// Whether the last proof used that states differ.
    used_distinct: bool,
    /// At the states `s_0 … s_{assumed−1}` the properties are assumed.
    assumed: usize,
}

/// What the step case says.
enum Step {
    /// The claim is inductive at this depth.
    Inductive,
    /// There is a counterexample to induction.
    NotInductive,
    /// The solver was interrupted.
    Stopped,
}

impl<'a> Kind<'a> {
    /// An engine that has not tried any depth yet.
    pub fn new(system: &'a BitSystem, options: KindOptions) -> Kind<'a> {
        let base = Bmc::new(system, options.base);
        Kind { system, options, base, step: None, claims: Vec::new(), k: 1 }
    }

    /// Tries one depth after the other; returns why it stopped, `None` if nothing is open.
    fn search(&mut self, context: &Context) -> Option<Reason> {
        loop {
            if context.is_beyond_limit(self.k - 1) {
                return Some(Reason::DepthLimit);
            }
            // An exhausted base case is clean at every depth.
            match self.base.search(context, Some(self.k - 1)) {
                Some(Reason::DepthLimit | Reason::Exhausted(_)) => {}
                stopped => return stopped,
            }
            self.refresh_claims(context);
            let is_stopped = self.check_steps(context);
            if is_stopped {
                return Some(Reason::Interrupted);
            }
            self.k += 1;
        }
    }

    /// The last step up to which the open properties are known to hold. After the base case is
    /// exhausted it looks at no further step, but all of them are clean.
    fn safe_up_to(&self) -> Option<usize> {
        let beyond = if self.base.is_exhausted() { self.k.checked_sub(2) } else { None };
        self.base.safe_up_to().max(beyond)
    }

    /// Is the claim inductive at depth `k`? `None` if the unrolling was interrupted.
    fn check_step(&mut self, index: usize) -> Option<Step> {
        let (k, system) = (self.k, self.system);
        let claim = &mut self.claims[index];
        let unroll = self.step.as_mut().expect("made before the claims");
        let bads: Vec<Lit> = claim.properties.iter().map(|&p| system.properties()[p]).collect();
        unroll.constrain(k)?;
        for state in claim.assumed..k {
            for &bad in &bads {
                let bad = unroll.lit(state, bad)?;
                unroll.add_clause(&[!claim.activation, !bad]);
            }
        }
        claim.assumed = k;
        let violated: Option<Vec<Lit>> = bads.iter().map(|&bad| unroll.lit(k, bad)).collect();
        let violated = violated?;
        let target = unroll.any(&violated);
        let latches: Option<Vec<Lit>> = claim
            .latches
            .as_ref()
            .map(|latches| latches.iter().map(|&l| system.latches[l].var.lit()).collect());
        for &latch in latches.iter().flatten() {
            // So that models tell which states are equal.
            unroll.lit(k, latch)?;
        }
        loop {
            // C(s_0 … s_k) ∧ T(s_0 … s_k) ∧ P(s_0 … s_{k−1}) ∧ ¬P(s_k) [∧ s_i ≠ s_j]
            match unroll.solve(&[claim.activation, claim.distinct, target]) {
                SatResult::Unsat => {
                    claim.used_distinct = unroll.is_failed(claim.distinct);
                    return Some(Step::Inductive);
                }
                SatResult::Unknown => return Some(Step::Stopped),
                SatResult::Sat => {}
            }
            let Some(latches) = &latches else { return Some(Step::NotInductive) };
            if !claim.separate_equal_states(unroll, latches, k)? {
                return Some(Step::NotInductive);
            }
        }
    }

    /// Tries all claims at depth `k`, and settles those that are inductive; says whether it was
    /// interrupted. Claims that are inductive by themselves are so together, which is one proof;
    /// simple paths cannot be joined.
    fn check_steps(&mut self, context: &Context) -> bool {
        let (mut together, mut is_stopped) = (Vec::new(), false);
        for index in 0..self.claims.len() {
            match self.check_step(index).unwrap_or(Step::Stopped) {
                Step::Inductive => {
                    let claim = &self.claims[index];
                    match claim.latches.clone().filter(|_| claim.used_distinct) {
                        None => together.extend(&claim.properties),
                        latches => self.settle(context, &claim.properties, latches),
                    }
                }
                Step::NotInductive => {}
                Step::Stopped => {
                    is_stopped = true;
                    break;
                }
            }
        }
        if !together.is_empty() {
            self.settle(context, &together, None);
        }
        is_stopped
    }

    fn settle(&self, context: &Context, properties: &[usize], simple_path: Option<Vec<usize>>) {
        let proof = BitProof {
            properties: properties.to_vec(),
            gates: Vec::new(),
            clauses: Vec::new(),
            k: self.k,
            simple_path,
        };
        context.prove(properties, proof);
    }

    /// Drops claims about properties that are no longer open, and makes the missing ones.
    fn refresh_claims(&mut self, context: &Context) {
        let open = self.base.open(context);
        let wanted: Vec<Vec<usize>> = if self.options.joint {
            vec![open]
        } else {
            open.into_iter().map(|property| vec![property]).collect()
        };
        let old = std::mem::take(&mut self.claims);
        let mut old: FxHashMap<Vec<usize>, Claim> =
            old.into_iter().map(|claim| (claim.properties.clone(), claim)).collect();
        for properties in wanted {
            let known = old.remove(&properties);
            let claim = known.unwrap_or_else(|| self.new_claim(context, properties));
            self.claims.push(claim);
        }
    }

    fn new_claim(&mut self, context: &Context, properties: Vec<usize>) -> Claim {
        let (system, preset) = (self.system, self.options.preset);
        let unroll = self.step.get_or_insert_with(|| {
            Unroll::new(system, Start::Anywhere, context.new_solver(preset))
        });
        unroll.set_interrupt(context.interrupt.clone());
        let latches = self
            .options
            .simple_path
            .then(|| closed_latches(system, properties.iter().map(|&p| system.properties()[p])));
        Claim {
            properties,
            latches: latches.filter(|latches| is_init_free_of_inputs(system, latches)),
            activation: unroll.new_lit(),
            distinct: unroll.new_lit(),
            pairs: FxHashSet::default(),
            used_distinct: false,
            assumed: 0,
        }
    }
}

impl Claim {
    /// Demands that states differ which the last model makes equal, among `s_0 … s_last`.
    /// Returns whether there were any; `None` if the unrolling was interrupted.
    ///
    /// A latch whose value the model leaves open does not tell states apart; once demanded,
    /// the difference holds whatever the model shows.
    fn separate_equal_states(
        &mut self,
        unroll: &mut Unroll,
        latches: &[Lit],
        last: usize,
    ) -> Option<bool> {
        let state = |step| latches.iter().map(|&latch| unroll.value_at(step, latch)).collect();
        let states: Vec<Vec<Ternary>> = (0..=last).map(state).collect();
        let can_equal = |(a, b): (&Ternary, &Ternary)| {
            *a == Ternary::Unknown || *b == Ternary::Unknown || a == b
        };
        let mut equal = Vec::new();
        for j in 1..=last {
            for i in 0..j {
                if states[i].iter().zip(&states[j]).all(can_equal) && !self.pairs.contains(&(i, j))
                {
                    equal.push((i, j));
                }
            }
        }
        for &(i, j) in &equal {
            let differ: Option<Vec<Lit>> =
                latches.iter().map(|&latch| unroll.differs(latch, i, j)).collect();
            let mut differ = differ?;
            differ.push(!self.distinct);
            unroll.add_clause(&differ);
            self.pairs.insert((i, j));
        }
        Some(!equal.is_empty())
    }
}

impl Engine for Kind<'_> {
    fn name(&self) -> &'static str {
        "kind"
    }

    fn run(&mut self, context: &Context) -> End {
        if let Some(step) = &mut self.step {
            step.set_interrupt(context.interrupt.clone());
        }
        let open = self.base.open(context).len();
        context.emit(|| Event::Started { engine: "kind", open });
        let stopped = self.search(context);
        let open = self.base.open(context).len();
        context.emit(|| Event::Finished { open, progress: self.progress() });
        let reason = stopped.unwrap_or(Reason::SettledElsewhere);
        End { reason, safe_up_to: self.safe_up_to() }
    }

    fn progress(&self) -> Progress {
        let base = self.base.progress();
        let step = self.step.as_ref().map(Unroll::stats).unwrap_or_default();
        Progress {
            depth: self.k,
            queries: base.queries + step.queries,
            conflicts: base.conflicts + step.conflicts,
            ..Progress::default()
        }
    }
}
