//! The choices of PDR, and the ladder.
//!
//! A choice that measured as neutral is a constant next to its use, with the measurement. A choice
//! that measured as worse was removed. See docs/NOTEBOOK.md.

use crate::trace::Policy;
use pedra_solve::SolverKind;

/// The steps of the ladder: each adds one idea to the one before.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, Default)]
pub enum Variant {
    /// "First version": single states. `removeBad` excludes one state after the other.
    Simple,
    /// "Naive generalization": a shortest cube `c` around the state with
    /// `¬SAT(F_{i−1} ∧ R ∧ c')` and `¬SAT(S_0 ∧ c)`.
    Generalize,
    /// "Relative inductiveness": the same with `¬SAT(¬c ∧ F_{i−1} ∧ R ∧ c')`.
    Relative,
    /// "Final": clauses are propagated; and everything else that makes PDR fast.
    #[default]
    Full,
}

/// How obligations become cubes rather than states.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum Lift {
    /// Not at all.
    Off,
    /// By the core of a query: one with the literals in order of activity, and more, in other
    /// orders, as long as they gain something.
    Core,
}

/// How a blocked cube becomes a lemma.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum Generalize {
    /// The cube itself.
    Off,
    /// Literals are dropped as long as no state of `F_{i−1}` has a successor in the cube.
    Naive,
    /// Literals are dropped as long as the clause is inductive relative to `F_{i−1}`.
    Relative,
}

/// In which order literals are tried for dropping.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum DropOrder {
    /// As the latches come in the system.
    Fixed,
    /// Those that are rare in recent lemmas first.
    Activity,
}

/// The choices of [`Pdr`](super::Pdr). Every one of them is a matter of speed: answers are right
/// in all combinations.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct PdrOptions {
    /// The solver of the frames. Our own is made for it; others use activation literals.
    pub solver: SolverKind,
    /// How many frames may have a solver at the same time; 0: as many as memory allows.
    pub solvers: u32,
    /// Whether gates are eliminated from the transition relation where that makes no more
    /// clauses.
    pub simplify: bool,
    /// Whether gates that read no input are literals of cubes, too.
    pub signals: bool,
    /// How obligations are widened.
    pub lift: Lift,
    /// Whether lifting leaves out constraints and next functions until a spurious path shows that
    /// they are needed.
    pub abstraction: bool,
    /// How lemmas are widened.
    pub generalize: Generalize,
    /// The order of dropping.
    pub drop_order: DropOrder,
    /// After this many literals in a row that could not be dropped a lemma is wide enough; 0 to
    /// try all of them (the reference implementation of IC3: 3).
    pub drop_failures: u32,
    /// How many counterexamples to generalisation are blocked for one drop; 0 to give up a drop
    /// that fails at once.
    pub ctg: u32,
    /// They are blocked only for obligations that came up this often (successors count, too);
    /// below, the cube is joined with the predecessor that prevents the drop.
    pub ctg_heat: u32,
    /// Whether literals of a lemma one level below that covers the cube are kept if possible.
    pub parent_lemma: bool,
    /// Whether lemmas are predicted from those of the level below that could not be pushed.
    pub predict: bool,
    /// Whether a bandit chooses how hard lemmas are widened; otherwise the options above say it.
    pub bandit: bool,
    /// How many times 64 random runs give samples: states that keep lemmas from becoming too wide.
    pub samples: u32,
    /// Whether a new lemma is pushed as high as it goes at once.
    pub eager_push: bool,
    /// Whether lemmas are pushed when a frame is opened.
    pub propagate: bool,
    /// Whether a lemma that could not be pushed is tried again only if the state that prevented
    /// it has been excluded since.
    pub triggered_push: bool,
    /// Whether obligations are kept and come up again at the next level.
    pub persistent: bool,
    /// Queries that are good to have but not needed are given up after this many conflicts, and
    /// an obligation whose query takes more is forgotten until it is found again; for each eight
    /// of these the limit doubles. 0 for no limit.
    pub patience: u32,
}

impl Default for PdrOptions {
    fn default() -> PdrOptions {
        PdrOptions::variant(Variant::Full)
    }
}

/// How many queries, in different orders of literals, may widen an obligation: a second and a
/// third one find little more, and cost little.
const LIFT_ROUNDS: u32 = 3;

/// The same for a counterexample to generalisation: there are many of them.
const LIFT_ROUNDS_OF_CTG: u32 = 1;

/// Persistent obligations that came up this often without getting ahead are forgotten until they
/// are found again. Never to forget takes 1.05 times the time (21 models above 0.25 s).
const MAX_ACTIVITY: f32 = 20.0;

impl PdrOptions {
    /// The options of a step of the ladder.
    pub fn variant(variant: Variant) -> PdrOptions {
        let simple = PdrOptions {
            solver: SolverKind::Cdcl,
            solvers: 0,
            simplify: true,
            signals: false,
            lift: Lift::Off,
            abstraction: false,
            generalize: Generalize::Off,
            drop_order: DropOrder::Fixed,
            drop_failures: 0,
            ctg: 0,
            ctg_heat: 0,
            parent_lemma: false,
            predict: false,
            bandit: false,
            samples: 0,
            eager_push: false,
            propagate: false,
            triggered_push: false,
            persistent: false,
            patience: 0,
        };
        match variant {
            Variant::Simple => simple,
            Variant::Generalize => PdrOptions { generalize: Generalize::Naive, ..simple },
            Variant::Relative => PdrOptions { generalize: Generalize::Relative, ..simple },
            // Measured on 38 hardware models of the competitions that take a good solver between
            // 0.2 s and 20 s, 10 s of CPU each. Geometric means of the time: CTGs for stubborn
            // obligations only, 0.8 of CTGs for all (0.32 s against 0.40 s, 35 solved either
            // way). On 14 of them: no persistent obligations 4, no parent lemmas 1.3. Runs are
            // chaotic: differences below 0.1 mean little. On 21 models and two seeds: gates not
            // eliminated 1.2. On 33 models above 0.25 s: all literals tried (`drop_failures` 0)
            // 1.16; at most 4 failures are as good on average, but lose one of them. See
            // docs/NOTEBOOK.md, also for what was tried and taken out.
            Variant::Full => PdrOptions {
                lift: Lift::Core,
                generalize: Generalize::Relative,
                drop_order: DropOrder::Activity,
                drop_failures: 10,
                ctg: 3,
                ctg_heat: 3,
                parent_lemma: true,
                eager_push: true,
                propagate: true,
                // On 28 models and two seeds: 0.84 of the time, see docs/design/pdr.md.
                samples: 4,
                // In `auto` on 201 models: 0.94 of the time and one model more.
                bandit: true,
                triggered_push: true,
                persistent: true,
                patience: 2000,
                ..simple
            },
        }
    }

    /// The same without what changes the meaning of obligations and cubes: for engines that read
    /// them.
    pub fn exact(self) -> PdrOptions {
        PdrOptions { signals: false, abstraction: false, ..self }
    }

    /// How many queries may widen an obligation.
    pub(super) fn lift_rounds(&self) -> u32 {
        if self.lift == Lift::Off { 0 } else { LIFT_ROUNDS }
    }

    /// How many may widen a counterexample to generalisation.
    pub(super) fn lift_rounds_of_ctg(&self) -> u32 {
        self.lift_rounds().min(LIFT_ROUNDS_OF_CTG)
    }

    /// How many counterexamples to generalisation are blocked for one drop, for an obligation
    /// that came up this often.
    pub(super) fn ctg_at(&self, heat: f32) -> u32 {
        if heat >= self.ctg_heat as f32 { self.ctg } else { 0 }
    }

    /// What the loop has to know.
    pub(super) fn policy(&self) -> Policy {
        let max_activity = self.persistent.then_some(MAX_ACTIVITY);
        Policy { persistent: self.persistent, max_activity, propagate: self.propagate }
    }
}
