//! Refinement by queries: one *pass* goes through all variables in order and asks of each
//! whether it equals its representative at the points in question.
//!
//! The points of a pass are those of one frame, which is built as the pass goes. A variable
//! that was shown equal to its representative takes over the representative's literal, so what
//! is built later is small and mostly equal by structure: nothing is asked then. A model that
//! tells two variables apart is simulated with points around it, which splits many classes at
//! once.

use super::classes::Classes;
use super::simulate::{Point, Simulator, reset_function};
use super::{Limits, Stopped};
use pedra_model::aig::{AigBuilder, Node};
use pedra_model::bits::BitSystem;
use pedra_model::lit::{Lit, Var};
use pedra_solve::{Budget, Cdcl, FrameEncoder, SatResult, SatSolver};

// Tuning only; measured in docs/NOTEBOOK.md, "Sweeping".

/// What a query and a conflict cost at least, in propagated literals. What a query costs makes no
/// difference from 10 to 1000. A tenth for a conflict doubles the time on large models; ten times
/// as much leaves equalities that matter unproved.
const COST_QUERY: u64 = 100;
const COST_CONFLICT: u64 = 3000;

/// Conflicts that finding one initial point may take. With 10, picorv32 is not swept.
const INITIAL_CONFLICTS: u64 = 1000;

/// Which points a pass is about.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum Points {
    /// All: any state with any inputs.
    Any,
    /// Those in which paths start.
    Initial,
    /// The successors of points in which all classes agree and the constraints hold.
    Next,
}

/// What a pass came to.
#[derive(Default)]
pub(super) struct PassResult {
    /// Whether the partition changed. If not, it was shown to hold at all points of the pass.
    pub has_changed: bool,
    /// For [`Points::Next`]: the gates whose equality does not follow by structure from the
    /// equalities of what comes before them.
    pub asserted: Vec<Var>,
    /// What was shown equal to what represented it. For [`Points::Any`] and
    /// [`Points::Initial`] these are facts even if the pass was stopped.
    pub proved: Vec<(Var, Lit)>,
    /// Whether a limit ended the pass.
    pub is_stopped: bool,
}

/// One pass.
pub(super) struct Pass<'a, 'b> {
    system: &'a BitSystem,
    points: Points,
    classes: &'b mut Classes,
    simulator: &'b mut Simulator<'a>,
    limits: &'b mut Limits,
    /// The frames.
    circuit: AigBuilder,
    encoder: FrameEncoder,
    solver: Cdcl,
    /// For each variable its literal in the frame before, if there is one, and in the last one.
    before: Vec<Lit>,
    now: Vec<Lit>,
    result: PassResult,
}

/// Goes once through the variables in `order`: latches, inputs, gates.
pub(super) fn run_pass<'a>(
    system: &'a BitSystem,
    points: Points,
    order: &[Var],
    classes: &mut Classes,
    simulator: &mut Simulator<'a>,
    limits: &mut Limits,
) -> PassResult {
    let mut pass = Pass::new(system, points, classes, simulator, limits);
    pass.solver.set_budget(Some(Budget::conflicts(pass.limits.query_conflicts)));
    if points == Points::Next {
        pass.build_before(order);
    }
    pass.result.is_stopped = pass.go_through(order).is_err();
    pass.result
}

/// The first point of a path that obeys the constraints; nothing if there is none or the
/// search was stopped.
pub(super) fn find_initial_point<'a>(
    system: &'a BitSystem,
    order: &[Var],
    simulator: &mut Simulator<'a>,
    limits: &mut Limits,
) -> Result<Option<Point>, Stopped> {
    // No classes: nothing is asked but for one point.
    let mut classes = Classes::new(&[], vec![false; system.aig.len()]);
    let mut pass = Pass::new(system, Points::Initial, &mut classes, simulator, limits);
    pass.go_through(order)?;
    pass.solver.set_budget(Some(Budget::conflicts(INITIAL_CONFLICTS)));
    // Init ∧ C
    match pass.solver.solve(&[]) {
        SatResult::Sat => Ok(Some(pass.point(&pass.now))),
        SatResult::Unsat => Ok(None),
        SatResult::Unknown => Err(Stopped),
    }
}

fn lit_of(lits: &[Lit], lit: Lit) -> Lit {
    lits[lit.var().index()] ^ lit.is_negated()
}

impl<'a, 'b> Pass<'a, 'b> {
    fn new(
        system: &'a BitSystem,
        points: Points,
        classes: &'b mut Classes,
        simulator: &'b mut Simulator<'a>,
        limits: &'b mut Limits,
    ) -> Pass<'a, 'b> {
        let mut solver = Cdcl::new();
        solver.set_interrupt(limits.interrupt.clone());
        Pass {
            system,
            points,
            classes,
            simulator,
            limits,
            circuit: AigBuilder::new(),
            encoder: FrameEncoder::new(),
            solver,
            before: Vec::new(),
            now: vec![Lit::FALSE; system.aig.len()],
            result: PassResult::default(),
        }
    }

    /// The frame before: any point in which the classes agree and the constraints hold. Latches
    /// agree because they are the same leaf, gates because that is asserted.
    fn build_before(&mut self, order: &[Var]) {
        self.before = vec![Lit::FALSE; self.system.aig.len()];
        for &var in order {
            let representative = self.classes.representative(var);
            let by = representative.map(|by| lit_of(&self.before, by));
            self.before[var.index()] = match (self.system.aig.node(var), by) {
                (Node::Leaf, None) => self.circuit.leaf().lit(),
                (Node::Leaf, Some(by)) => by,
                (Node::And(a, b), by) => {
                    let (a, b) = (lit_of(&self.before, a), lit_of(&self.before, b));
                    let gate = self.circuit.and(a, b);
                    match by {
                        Some(by) if by != gate => {
                            self.result.asserted.push(var);
                            self.assert_equal(gate, by);
                            by
                        }
                        _ => gate,
                    }
                }
                (Node::Const, _) => Lit::FALSE,
            };
        }
        for &constraint in &self.system.constraints {
            let lit = lit_of(&self.before, constraint);
            self.assert(lit);
        }
    }

    /// Builds the frame in question and settles each variable.
    fn go_through(&mut self, order: &[Var]) -> Result<(), Stopped> {
        let (system, latch_of) = (self.system, self.system.latch_of_var());
        for &input in &system.inputs {
            self.now[input.index()] = self.circuit.leaf().lit();
        }
        self.limits.spend(system.aig.len() as u64)?;
        let mut order = order.iter().copied().peekable();
        // Latches come first, and are settled before the constraints are assumed.
        let is_latch = |var: &Var| latch_of[var.index()].is_some();
        // Gates of reset functions, which are read before gates are settled.
        let mut plain = vec![None; if self.points == Points::Any { 0 } else { system.aig.len() }];
        while let Some(var) = order.next_if(is_latch) {
            let latch = system.latches[latch_of[var.index()].expect("it is a latch") as usize];
            let value = match self.points {
                Points::Any => self.circuit.leaf().lit(),
                Points::Next => lit_of(&self.before, latch.next),
                Points::Initial => match reset_function(latch.reset) {
                    Some(f) => self.plain_copy(f, &mut plain),
                    None => self.circuit.leaf().lit(),
                },
            };
            self.now[var.index()] = self.settle(var, value)?;
        }
        if self.points != Points::Any {
            for &constraint in &system.constraints {
                let lit = self.plain_copy(constraint, &mut plain);
                self.assert(lit);
            }
        }
        for var in order {
            match system.aig.node(var) {
                Node::And(a, b) => {
                    let (a, b) = (lit_of(&self.now, a), lit_of(&self.now, b));
                    let gate = self.circuit.and(a, b);
                    self.now[var.index()] = self.settle(var, gate)?;
                }
                // Inputs are free: none is ever replaced.
                Node::Leaf if self.classes.representative(var).is_some() => {
                    self.classes.eject(var);
                    self.result.has_changed = true;
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// The literal of a function in the last frame in which no gate is replaced. Constraints
    /// must be copied like this: a gate's equality is shown by help of them.
    fn plain_copy(&mut self, root: Lit, plain: &mut [Option<Lit>]) -> Lit {
        let mut stack = vec![root.var()];
        while let Some(&var) = stack.last() {
            let Node::And(a, b) = self.system.aig.node(var) else {
                plain[var.index()] = Some(self.now[var.index()]);
                stack.pop();
                continue;
            };
            let of = |lit: Lit| plain[lit.var().index()].map(|copy| copy ^ lit.is_negated());
            match (of(a), of(b)) {
                (Some(a), Some(b)) => {
                    plain[var.index()] = Some(self.circuit.and(a, b));
                    stack.pop();
                }
                (None, _) => stack.push(a.var()),
                (_, None) => stack.push(b.var()),
            }
        }
        plain[root.var().index()].expect("the loop ends when it is copied") ^ root.is_negated()
    }

    /// The literal to use for a variable whose own is `own`: that of its representative, if the
    /// two are equal. If they are not, the classes are split, and the next one is tried.
    fn settle(&mut self, var: Var, own: Lit) -> Result<Lit, Stopped> {
        while let Some(representative) = self.classes.representative(var) {
            let by = lit_of(&self.now, representative);
            let answer = if by == own { SatResult::Unsat } else { self.differ(own, by)? };
            match answer {
                SatResult::Unsat => {
                    self.result.proved.push((var, representative));
                    return Ok(by);
                }
                SatResult::Sat => self.split_by_model(),
                SatResult::Unknown => {}
            }
            self.result.has_changed = true;
            // The query was too hard (or the model did not show it): leave it alone.
            if self.classes.representative(var) == Some(representative) {
                self.classes.eject(var);
            }
        }
        Ok(own)
    }

    /// Whether two literals of the circuit can differ: `F ∧ (a ⊕ b)`, as two queries.
    fn differ(&mut self, a: Lit, b: Lit) -> Result<SatResult, Stopped> {
        let (a, b) = (self.encode(a), self.encode(b));
        let mut result = SatResult::Unsat;
        for query in [[a, !b], [!a, b]] {
            if query.contains(&Lit::FALSE) || query[0] == !query[1] {
                continue;
            }
            let before = self.solver.stats();
            let answer = self.solver.solve(&query);
            let after = self.solver.stats();
            let propagations = after.propagations - before.propagations;
            let conflicts = after.conflicts - before.conflicts;
            self.limits.spend(COST_QUERY + propagations + COST_CONFLICT * conflicts)?;
            match answer {
                SatResult::Sat => return Ok(SatResult::Sat),
                SatResult::Unknown => result = SatResult::Unknown,
                SatResult::Unsat => {}
            }
        }
        self.limits.check_interrupt()?;
        Ok(result)
    }

    /// Simulates the model of the last query, and splits.
    fn split_by_model(&mut self) {
        match self.points {
            Points::Any => {
                let point = self.point(&self.now);
                self.simulator.go_anywhere(&point);
                self.simulator.split_anywhere(self.classes);
            }
            Points::Initial => {
                let point = self.point(&self.now);
                self.simulator.go_initial(&point);
                self.simulator.split(self.classes, u64::MAX);
            }
            Points::Next => {
                let (point, inputs) = (self.point(&self.before), self.point(&self.now));
                self.simulator.go_around(&point);
                let lanes = self.simulator.allowed() & self.simulator.agreement(self.classes);
                self.simulator.step(&inputs);
                self.simulator.split(self.classes, lanes);
            }
        }
        // Exceeding the limit shows at the next query.
        self.limits.charge(self.simulator.take_work());
    }

    /// The values of inputs and latches in the model, given their literals.
    fn point(&self, lits: &[Lit]) -> Point {
        let latches = self.system.latches.iter().map(|l| l.var);
        let leaves = self.system.inputs.iter().copied().chain(latches);
        let is_true = |var: &Var| self.encoder.value(&self.solver, lits[var.index()]) == Some(true);
        Point { ones: leaves.filter(is_true).collect() }
    }

    /// The solver's literal; the clauses are definitions.
    fn encode(&mut self, lit: Lit) -> Lit {
        self.encoder.encode(self.circuit.aig(), &mut self.solver.definer(), lit)
    }

    fn assert(&mut self, lit: Lit) {
        let lit = self.encode(lit);
        self.solver.add_clause(&[lit]);
    }

    fn assert_equal(&mut self, a: Lit, b: Lit) {
        let (a, b) = (self.encode(a), self.encode(b));
        self.solver.add_clause(&[!a, b]);
        self.solver.add_clause(&[a, !b]);
    }
}
