//! Sweeping: finds latches and gates that are always equal, opposite or constant, and merges
//! them.
//!
//! - *Combinational* sweeping merges gates that are equal at every point (a state with inputs),
//!   reachable or not. After Kuehlmann's and Mishchenko's FRAIGs.
//! - *Sequential* sweeping finds equalities that need each other and the past: van Eijk,
//!   "Sequential equivalence checking based on structural similarities" (TCAD 2000). All
//!   equalities together form one invariant, which is shown by induction over one step.
//!
//! Both start from candidate classes that simulation cannot tell apart and refine them by
//! queries. With the constraints `C` and the conjunction `E` of all equalities of the classes:
//!
//! | pass | formula |
//! |---|---|
//! | combinational | `⟹ E` |
//! | base | `Init ∧ C ⟹ E` |
//! | step | `E ∧ C ∧ T ∧ C' ⟹ E'` |
//!
//! The step is repeated until a whole pass splits no class. Only then the partition is a fact;
//! a limit that ends the search before leaves nothing. (What a combinational pass has shown is
//! a fact at once, whatever ends it.) A query that is too hard splits its pair,
//! which is always right.
//!
//! # Constraints
//! Equalities of *latches* are shown without the constraints of their own step (`Init ⟹ E_L`
//! and `E ∧ C ∧ T ⟹ E_L'`), those of gates with them. Otherwise merging could make a constraint
//! trivial that the original has, and paths of the smaller system would break it. For the same
//! reason gates are not merged in the cones of constraints: a constraint would simplify itself
//! away. The map back relies on this: see [`pedra_model::reduce::ReduceMap`].

mod classes;
mod refine;
mod simulate;
#[cfg(test)]
mod tests;

use classes::Classes;
use pedra_model::bits::BitSystem;
use pedra_model::lit::{Lit, Var};
use pedra_model::reduce::initial::initial_order;
use pedra_model::reduce::{Reduced, merge};
use pedra_solve::Interrupt;
use refine::{Points, find_initial_point, run_pass};
pub(crate) use simulate::{Point, Simulator};

/// Which sweeps run, and how far.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct SweepOptions {
    /// Equalities at every point.
    pub combinational: bool,
    /// Equalities at every reachable point.
    pub sequential: bool,
    /// Conflicts after which a query counts as too hard.
    pub max_query_conflicts: u64,
    /// Work that each of the two sweeps may take, in evaluated gates and propagated literals.
    pub max_work: u64,
    /// Passes of the induction step after which the sequential sweep gives up.
    pub max_rounds: usize,
    /// The simulation that makes the first classes follows this many times 64 paths,
    pub simulation_runs: usize,
    /// each of this many steps.
    pub simulation_steps: usize,
    /// Seeds the simulation.
    pub seed: u64,
}

impl Default for SweepOptions {
    /// Tuning only; each is measured in docs/NOTEBOOK.md, "Sweeping".
    fn default() -> SweepOptions {
        SweepOptions {
            combinational: true,
            sequential: true,
            // 20 loses equalities that matter; 2000 takes three times as long for 4 % of the gates.
            max_query_conflicts: 200,
            // A tenth loses most of them; ten times as much takes up to 8 s.
            max_work: 30_000_000,
            // 20 loses some; 2000 finds nothing more.
            max_rounds: 200,
            // A quarter or four times as many of either make no difference.
            simulation_steps: 16,
            simulation_runs: 4,
            seed: 0,
        }
    }
}

/// A limit was reached or the interrupt raised.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
struct Stopped;

/// What is left of the limits.
struct Limits {
    query_conflicts: u64,
    work: u64,
    interrupt: Interrupt,
}

impl Limits {
    fn new(options: &SweepOptions, interrupt: &Interrupt) -> Limits {
        Limits {
            query_conflicts: options.max_query_conflicts,
            work: options.max_work,
            interrupt: interrupt.clone(),
        }
    }

    /// Notes work that was done.
    fn charge(&mut self, work: u64) {
        self.work = self.work.saturating_sub(work);
    }

    /// Notes work that was done; an error if it was too much.
    fn spend(&mut self, work: u64) -> Result<(), Stopped> {
        self.charge(work);
        if self.work == 0 { Err(Stopped) } else { Ok(()) }
    }

    fn check_interrupt(&self) -> Result<(), Stopped> {
        if self.interrupt.poll() { Err(Stopped) } else { Ok(()) }
    }
}

/// What was found equal.
struct Found {
    merged: Vec<(Var, Lit)>,
    invariant: Vec<Vec<Lit>>,
}

/// Merges what is found to be equal in a system; `None` if nothing is, within the limits.
///
/// All properties are kept, in their order. The same options give the same result, unless the
/// interrupt is raised.
pub fn sweep(system: &BitSystem, options: &SweepOptions, interrupt: &Interrupt) -> Option<Reduced> {
    let found = |found: Result<Option<Found>, Stopped>| found.ok().flatten();
    let mut result: Option<Reduced> = None;
    if options.combinational
        && let Some(Found { merged, invariant }) =
            found(sweep_combinational(system, options, interrupt))
    {
        let merged = merge(system, &merged, invariant);
        result = is_smaller(&merged.system, system).then_some(merged);
    }
    if options.sequential {
        let now = result.as_ref().map_or(system, |reduced| &reduced.system);
        if let Some(Found { merged, invariant }) = found(sweep_sequential(now, options, interrupt))
        {
            let later = merge(now, &merged, invariant);
            if is_smaller(&later.system, now) {
                result = Some(match result {
                    Some(reduced) => reduced.then(later),
                    None => later,
                });
            }
        }
    }
    result
}

/// Whether a merge was worth it: the copies that constraints keep may outweigh what went.
fn is_smaller(after: &BitSystem, before: &BitSystem) -> bool {
    after.latches.len() < before.latches.len() || after.aig.len() < before.aig.len()
}

/// All variables, representatives first: the constant, latches (those whose reset comes first
/// first, so that merging makes no circle of reset functions), inputs, gates. Latches before
/// inputs: a latch is only ever replaced by a constant or a latch.
fn candidates(system: &BitSystem) -> Option<Vec<Var>> {
    let latches = system.reset_order().ok()?;
    let mut order: Vec<Var> = latches.iter().map(|&l| system.latches[l as usize].var).collect();
    order.extend(&system.inputs);
    order.extend(system.aig.gates().map(|(var, _, _)| var));
    Some(order)
}

/// The constant, and then the others.
fn with_constant(order: &[Var]) -> Vec<Var> {
    std::iter::once(Var::CONST).chain(order.iter().copied()).collect()
}

/// `⟹ E`. The equalities hold whatever the state, so they need no invariant.
fn sweep_combinational(
    system: &BitSystem,
    options: &SweepOptions,
    interrupt: &Interrupt,
) -> Result<Option<Found>, Stopped> {
    let Some(order) = candidates(system) else { return Ok(None) };
    let mut limits = Limits::new(options, interrupt);
    let mut simulator = Simulator::new(system, Vec::new(), options.seed);
    simulator.go_anywhere(&Point::default());
    let mut classes = Classes::new(&with_constant(&order), simulator.first_lane());
    for _ in 0..options.simulation_runs.max(1) {
        simulator.split_anywhere(&mut classes);
        simulator.go_anywhere(&Point::default());
        limits.spend(simulator.take_work())?;
    }
    simulator.split_anywhere(&mut classes);
    let pass = run_pass(system, Points::Any, &order, &mut classes, &mut simulator, &mut limits);
    limits.check_interrupt()?;
    let merged = pass.proved;
    Ok((!merged.is_empty()).then_some(Found { merged, invariant: Vec::new() }))
}

/// `Init ∧ C ⟹ E` and `E ∧ C ∧ T ∧ C' ⟹ E'`.
fn sweep_sequential(
    system: &BitSystem,
    options: &SweepOptions,
    interrupt: &Interrupt,
) -> Result<Option<Found>, Stopped> {
    let (Some(order), Some(resets)) = (candidates(system), initial_order(system)) else {
        return Ok(None);
    };
    let mut limits = Limits::new(options, interrupt);
    let mut simulator = Simulator::new(system, resets, options.seed);
    // Without a first point there are no paths at all, which is for the engines to find.
    let first = find_initial_point(system, &order, &mut simulator, &mut limits)?;
    let Some(first) = first else { return Ok(None) };
    simulator.go_initial(&first);
    let mut classes = Classes::new(&with_constant(&order), simulator.first_lane());
    for _ in 0..options.simulation_runs.max(1) {
        simulator.run(&mut classes, &first, options.simulation_steps);
        limits.spend(simulator.take_work())?;
        limits.check_interrupt()?;
    }
    // On initial points one pass is enough: what it has shown equal no such point tells apart.
    let base = run_pass(system, Points::Initial, &order, &mut classes, &mut simulator, &mut limits);
    if base.is_stopped {
        return Err(Stopped);
    }
    for _ in 0..options.max_rounds {
        if classes.is_discrete() {
            return Ok(None);
        }
        let step =
            run_pass(system, Points::Next, &order, &mut classes, &mut simulator, &mut limits);
        if step.is_stopped {
            return Err(Stopped);
        }
        if !step.has_changed {
            return Ok(Some(found_equal(system, &classes, &step.asserted)));
        }
    }
    Err(Stopped)
}

/// The stable partition as merges, and the clauses that justify them: the equalities of latches,
/// and of those gates for which it does not follow by structure.
fn found_equal(system: &BitSystem, classes: &Classes, asserted: &[Var]) -> Found {
    let latches = system.latches.iter().map(|l| l.var);
    let mut invariant = Vec::new();
    for var in latches.chain(asserted.iter().copied()) {
        match (var.lit(), classes.representative(var)) {
            (_, None) => {}
            (own, Some(Lit::FALSE)) => invariant.push(vec![!own]),
            (own, Some(Lit::TRUE)) => invariant.push(vec![own]),
            (own, Some(by)) => invariant.extend([vec![!own, by], vec![own, !by]]),
        }
    }
    Found { merged: classes.pairs().collect(), invariant }
}
