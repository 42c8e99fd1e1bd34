//! Solvers: one question, one answer.
//!
//! - [`sat`]: the incremental interface, which engines and the certifier program against.
//! - [`interrupt`]: how a running question is stopped from outside.
//! - [`cadical`], [`batsat`]: two back ends that share no code, so that one can check the
//!   other. CaDiCaL is the stronger one by far; BatSat is the second opinion.
//! - [`cdcl`]: our own, made for PDR's many small queries.
//! - [`interpolate`]: CaDiCaL with a record of its proof, and interpolants from it.
//! - [`gate`], [`encode`]: gates and whole circuits as clauses, one time step at a time.
//! - [`bv`]: questions about words, on incremental blasting and our own solver.
//! - [`lia`]: questions about integers, by simplex and our own solver.
//! - [`terms`]: questions about terms of either kind.
//!
//! A further back end implements [`SatSolver`], gets a [`SolverKind`] and a line in
//! [`new_solver`], and must then pass `tests/battery.rs`, which runs on every kind.

pub mod batsat;
pub mod bv;
pub mod cadical;
pub mod cdcl;
pub mod encode;
pub mod gate;
pub mod interpolate;
pub mod interrupt;
pub mod lia;
pub mod sat;
pub mod terms;

pub use batsat::Batsat;
pub use bv::BvSolver;
pub use cadical::{Cadical, CadicalConfig};
pub use cdcl::Cdcl;
pub use encode::FrameEncoder;
pub use interpolate::Interpolating;
pub use interrupt::Interrupt;
pub use lia::LiaSolver;
pub use sat::{Budget, SatResult, SatSolver, SatStats};
pub use terms::{TermError, TermSolver, Theory, theory_of};

/// The back ends, for options and reports.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Hash)]
pub enum SolverKind {
    /// CaDiCaL with its default options.
    #[default]
    Cadical,
    /// CaDiCaL that checks its own proofs, models and cores as it goes; slow.
    CadicalChecked,
    /// BatSat.
    Batsat,
    /// Our own.
    Cdcl,
}

impl SolverKind {
    /// Every kind, for tests and option tables.
    pub const ALL: [SolverKind; 4] =
        [SolverKind::Cadical, SolverKind::CadicalChecked, SolverKind::Batsat, SolverKind::Cdcl];

    /// Its name as an option.
    pub fn name(self) -> &'static str {
        match self {
            SolverKind::Cadical => "cadical",
            SolverKind::CadicalChecked => "cadical-checked",
            SolverKind::Batsat => "batsat",
            SolverKind::Cdcl => "cdcl",
        }
    }

    /// A kind of another make, to check with what this one answered.
    pub fn other_make(self) -> SolverKind {
        match self {
            SolverKind::Cadical | SolverKind::CadicalChecked => SolverKind::Batsat,
            SolverKind::Batsat | SolverKind::Cdcl => SolverKind::Cadical,
        }
    }
}

/// A new solver of this kind, with no clauses and the constant as its only variable.
pub fn new_solver(kind: SolverKind) -> Box<dyn SatSolver> {
    match kind {
        SolverKind::Cadical => Box::new(Cadical::default()),
        SolverKind::CadicalChecked => Box::new(Cadical::new(CadicalConfig::checked())),
        SolverKind::Batsat => Box::new(Batsat::new()),
        SolverKind::Cdcl => Box::new(Cdcl::new()),
    }
}
