//! The choices of PDR, and the ladder.

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
    /// By ternary simulation of the circuit, without any query. (Systems whose resets read
    /// inputs are lifted by cores instead.)
    Ternary,
    /// By ternary simulation first, and cores then.
    Both,
}

/// How much work goes into widening one state.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) struct LiftEffort {
    /// In which way.
    pub(super) lift: Lift,
    /// At most so many queries.
    pub(super) rounds: u32,
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

/// Counterexamples to generalisation: what is done about a predecessor that prevents a drop.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub struct Ctg {
    /// How many are blocked for one drop; 0 to give up the drop at once.
    pub max: u32,
    /// How deep blocking one may lead to blocking others.
    pub depth: u32,
    /// How many queries blocking one may take. With more than one, the predecessors of a
    /// counterexample are blocked before it, and theirs before them.
    pub attempts: u32,
    /// Whether, if it cannot be blocked, the cube shrinks to what both have in common.
    pub join: bool,
}

/// How much is done about counterexamples to generalisation for which obligation.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum Effort {
    /// [`PdrOptions::ctg`] for obligations that came up [`PdrOptions::ctg_heat`] times, nothing
    /// for others.
    Threshold,
    /// More and more for obligations that come up again and again.
    /// Sense is in it only as long as these are not dropped.
    Dynamic,
}

/// The choices of [`Pdr`](super::Pdr). Every one of them is a matter of speed: answers are right
/// in all combinations.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct PdrOptions {
    /// The solver of the frames. Our own is made for it; others use activation literals.
    pub solver: SolverKind,
    /// Whether gates are eliminated from the transition relation where that makes no more
    /// clauses.
    pub simplify: bool,
    /// How obligations are widened.
    pub lift: Lift,
    /// How many queries may widen one obligation.
    pub lift_rounds: u32,
    /// How lemmas are widened.
    pub generalize: Generalize,
    /// The order of dropping.
    pub drop_order: DropOrder,
    /// One lemma in so many drops its literals in a random order; 0 for none (rIC3: 5).
    pub shuffle: u32,
    /// After so many literals in a row that could not be dropped a lemma is wide enough; 0 to
    /// try all of them (the reference implementation of IC3: 3).
    pub drop_failures: u32,
    /// Counterexamples to generalisation.
    pub ctg: Ctg,
    /// Whether blocking them is tried but now and then while it hardly ever works.
    pub ctg_luck: bool,
    /// How the effort depends on the obligation.
    pub effort: Effort,
    /// With [`Effort::Threshold`] they are looked at only for obligations that came up so often
    /// (successors count, too); below, a drop that fails is given up, or joined.
    pub ctg_heat: u32,
    /// Whether literals of a lemma one level below that covers the cube are kept if possible.
    pub parent_lemma: bool,
    /// Whether a new lemma is pushed as high as it goes at once.
    pub eager_push: bool,
    /// Whether lemmas are pushed when a frame is opened.
    pub propagate: bool,
    /// Whether a lemma that could not be pushed is tried again only if the state that prevented
    /// it has been excluded since.
    pub triggered_push: bool,
    /// Whether obligations are kept and raised again at the next level.
    pub persistent: bool,
    /// Obligations that came up so often without getting ahead are dropped until they are found
    /// again; 0 for never.
    pub drop_obligations: u32,
    /// Queries that are good to have but not needed are given up after so many conflicts, and an
    /// obligation whose query takes more is forgotten until it is found again; for each eight of
    /// these the limit doubles. 0 for no limit.
    pub patience: u32,
    /// Whether lemmas of the last frame are tried as invariants on their own.
    pub infinity: bool,
    /// Whether the properties are part of all frames, so that obligations begin before bad
    /// states. Forward only; where frames are shared with others (fbPDR, AVY) it is off.
    pub property_in_frames: bool,
}

impl Default for PdrOptions {
    fn default() -> PdrOptions {
        PdrOptions::variant(Variant::Full)
    }
}

impl PdrOptions {
    /// The options of a step of the ladder.
    pub fn variant(variant: Variant) -> PdrOptions {
        let simple = PdrOptions {
            solver: SolverKind::Cdcl,
            simplify: true,
            lift: Lift::Off,
            lift_rounds: 3,
            generalize: Generalize::Off,
            drop_order: DropOrder::Fixed,
            shuffle: 0,
            drop_failures: 0,
            ctg: Ctg { max: 0, depth: 0, attempts: 1, join: false },
            ctg_luck: false,
            effort: Effort::Threshold,
            ctg_heat: 0,
            parent_lemma: false,
            eager_push: false,
            propagate: false,
            triggered_push: false,
            persistent: false,
            drop_obligations: 0,
            patience: 0,
            infinity: false,
            property_in_frames: false,
        };
        match variant {
            Variant::Simple => simple,
            Variant::Generalize => PdrOptions { generalize: Generalize::Naive, ..simple },
            Variant::Relative => PdrOptions { generalize: Generalize::Relative, ..simple },
            // Measured on 38 hardware models of the competitions that take a good solver between
            // 0.2 s and 20 s, 10 s of CPU each. Geometric means of the time: CTGs for stubborn
            // obligations only, 0.8 of CTGs for all (0.32 s against 0.40 s, 35 solved either
            // way; a threshold of 5 without dropping obligations solves 34). On 14 of them:
            // invariants at infinity 1.5, no persistent obligations 4, no parent lemmas 1.3. Runs
            // are chaotic: differences below 0.1 mean little. On 10 models between 0.4 s and 4 s:
            // gates not eliminated 1.3, ternary simulation instead of cores 1.1, before them 1.2,
            // the dynamic effort 1.1. On 21 models and two seeds: gates not eliminated 1.2,
            // predecessors of CTGs (4 attempts) 1.2. On 33 models above 0.25 s: all literals tried
            // (`drop_failures` 0) 1.16; at most 4 failures are as good on average, but lose one of
            // them. See docs/BENCHMARKS.md.
            Variant::Full => PdrOptions {
                lift: Lift::Core,
                generalize: Generalize::Relative,
                drop_order: DropOrder::Activity,
                drop_failures: 10,
                ctg: Ctg { max: 3, depth: 1, attempts: 1, join: true },
                ctg_luck: true,
                ctg_heat: 3,
                parent_lemma: true,
                eager_push: true,
                propagate: true,
                triggered_push: true,
                persistent: true,
                drop_obligations: 20,
                patience: 2000,
                infinity: false,
                ..simple
            },
        }
    }

    /// How an obligation is widened.
    pub(super) fn lifting(&self) -> LiftEffort {
        LiftEffort { lift: self.lift, rounds: self.lift_rounds }
    }

    /// How a counterexample to generalisation is widened: there are many of them.
    pub(super) fn lifting_of_ctg(&self) -> LiftEffort {
        LiftEffort { lift: self.lift, rounds: self.lift_rounds.min(1) }
    }

    /// What is done about counterexamples to generalisation for an obligation that came up so
    /// often.
    ///
    /// The dynamic policy is that of Su, Yang, Ci and Huang (2025), with the numbers of rIC3:
    /// nothing below 10, counterexamples up to 40, their predecessors beyond.
    pub(super) fn effort(&self, heat: f32) -> Ctg {
        let none = Ctg { max: 0, depth: 0, ..self.ctg };
        match self.effort {
            Effort::Threshold if heat >= self.ctg_heat as f32 => self.ctg,
            Effort::Threshold => none,
            Effort::Dynamic if heat < 10.0 => none,
            Effort::Dynamic if heat < 40.0 => {
                Ctg { max: (heat - 10.0) as u32 / 10 + 2, depth: 1, attempts: 1, ..self.ctg }
            }
            Effort::Dynamic => {
                let attempts = (2.0 * (heat - 40.0).powf(0.45) + 5.0) as u32;
                Ctg { max: 5, depth: 1, attempts, ..self.ctg }
            }
        }
    }
}
