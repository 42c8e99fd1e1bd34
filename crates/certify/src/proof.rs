//! Checking a proof about a bit-level system: each claim of [`pedra_model::proof`] is a separate
//! query on new solvers.
//!
//! With the constraints `C`, the transition relation `T`, the invariant `Inv`, and `P`, which
//! says that none of the proved bads is true:
//!
//! | claim | formula |
//! |---|---|
//! | initiation | `Init(s₀) ∧ C(s₀) ⟹ Inv(s₀)` |
//! | consecution | `Inv(s₀) ∧ C(s₀) ∧ T(s₀,s₁) ∧ C(s₁) ⟹ Inv(s₁)` |
//! | base, for each `j < k` | `Init(s₀) ∧ ⋀_{i<j} T(sᵢ,sᵢ₊₁) ∧ ⋀_{i≤j} (C ∧ Inv)(sᵢ) ⟹ P(sⱼ)` |
//! | step | `⋀_{i<k} (P(sᵢ) ∧ T(sᵢ,sᵢ₊₁)) ∧ ⋀_{i≤k} (C ∧ Inv)(sᵢ) ⟹ P(sₖ)` |
//!
//! All of these may read inputs: `s` stands for a state together with its inputs. Several
//! properties are proved together: each may rest on the others at earlier steps. If k is 1, first
//! `(C ∧ Inv)(s₀) ⟹ P(s₀)` is tried, which gives base and step at once.
//!
//! The base must be asked for each `j` by itself. With `C` assumed beyond step `j`, a violation
//! in a dead end (a state in which no input satisfies `C` afterwards) would go unseen.
//!
//! # Simple paths
//! The step may be restricted to paths whose states differ pairwise on a set of latches `L`. It
//! rests on cutting: if a path to a violation visits `t` with inputs `j` and later `s` with inputs
//! `i`, and `s =_L t`, then `t` with the inputs `i` continues as `s` does, which is a shorter path.
//! So a shortest one never visits two states that agree on `L`. This needs that `L` is closed, for
//! all `s`, `t`, `i`, `j` with `s =_L t` and `(Inv ∧ C)(s,i)`:
//!
//! - `(Inv ∧ C)(t,j) ⟹ C(t,i)`, where `t` is on the longer path itself;
//! - `(Inv ∧ C)(u,h) ∧ t = F(u,h) ⟹ C(t,i)`, where `t` is a state that only the shorter path
//!   enters, from some `u` with inputs `h`;
//! - `(Inv ∧ C)(t,i) ⟹ F(s,i) =_L F(t,i) ∧ P(s,i) = P(t,i)`;
//! - `(Init ∧ Inv ∧ C)(t,j) ⟹ t' =_L t ∧ C(t',i)`, where `t'` is the initial state under the
//!   inputs `i` with the free latches of `t`. `t` may be the first state, reset functions may
//!   read inputs, and the shorter path then starts in `t'`.
//!
//! The first two may not assume `Inv(t,i)`: along the shorter path `Inv` is known for the next
//! state only after `C` is, by consecution.

use crate::frames::{Frame, Unrolling, cone_of_influence, counterexample};
use crate::options::{CheckOptions, Counterexample, Effort, Stop, Trust};
use crate::prover::{Failure, Prover};
use pedra_model::aig::Aig;
use pedra_model::bits::{BitSystem, Latch, Reset};
use pedra_model::lit::Lit;
use pedra_model::proof::BitProof;
use std::fmt;

/// The conflicts of a query that is asked of the bits although the words have answered it.
pub(crate) const TRIED_CONFLICTS: u64 = 20_000;

/// The conflicts of a query that is asked of the bits before the words are. ILA_AES_START_ENCRYPT
/// takes 0.1 s with it and 0.7 s without.
const FIRST_CONFLICTS: u64 = 500;

/// What was checked.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CheckedProof {
    /// The properties that are proved.
    pub properties: Vec<usize>,
    /// The clauses (or terms) of the invariant.
    pub clauses: usize,
    /// The induction depth.
    pub k: usize,
    /// The work that it took.
    pub effort: Effort,
    /// What was taken on trust.
    pub trust: Trust,
}

/// One of the formulas that a proof claims.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Claim {
    /// An initial state satisfies this clause of the invariant.
    Initiation {
        /// The clause's index.
        clause: usize,
    },
    /// A successor satisfies this clause of the invariant.
    Consecution {
        /// The clause's index.
        clause: usize,
    },
    /// No path of this many steps from an initial state violates the property.
    Base {
        /// The steps of the path.
        step: usize,
        /// The property's index.
        property: usize,
    },
    /// After `k` states that satisfy the properties, the next one satisfies this one.
    Step {
        /// The property's index.
        property: usize,
    },
    /// The latches of the simple-path condition depend on no others.
    Closed,
}

impl fmt::Display for Claim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Claim::Initiation { clause } => {
                write!(f, "initiation: an initial state violates clause {clause} of the invariant")
            }
            Claim::Consecution { clause } => {
                write!(f, "consecution: a successor violates clause {clause} of the invariant")
            }
            Claim::Base { step, property } => {
                write!(f, "base: property {property} is violated {step} steps after the start")
            }
            Claim::Step { property } => {
                write!(f, "step: property {property} is not implied by the states before")
            }
            Claim::Closed => {
                f.write_str("simple path: the latches that must differ depend on others")
            }
        }
    }
}

/// Why a proof is not accepted.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ProofError {
    /// It claims nothing, or mentions what does not exist.
    #[error("malformed proof: {0}")]
    Malformed(String),
    /// A claim is false.
    #[error("{claim}; counterexample {counterexample}")]
    Refuted {
        /// Which.
        claim: Claim,
        /// States for which it is false.
        counterexample: Counterexample,
    },
    /// It is beyond what can be checked here.
    #[error("the proof cannot be checked: {0}")]
    NotCheckable(String),
    /// The check ended early: nothing is known about the proof.
    #[error("{0}")]
    Stopped(Stop),
}

/// Checks that a proof proves what it claims about a system.
pub fn check_bit_proof(
    system: &BitSystem,
    proof: &BitProof,
    options: &CheckOptions,
) -> Result<CheckedProof, ProofError> {
    check_claims(system, proof, options, None)
}

/// Consecution in words: the effort that it took, and what was taken on trust.
pub(crate) type InWords<'a> = &'a dyn Fn() -> Option<(Effort, Trust)>;

/// The same, where consecution may be shown in words if it is hard in bits.
pub(crate) fn check_claims(
    system: &BitSystem,
    proof: &BitProof,
    options: &CheckOptions,
    in_words: Option<InWords<'_>>,
) -> Result<CheckedProof, ProofError> {
    let aig = extended_logic(system, proof)?;
    let bads: Vec<Lit> = proof.properties.iter().map(|&p| system.properties()[p]).collect();
    let clauses = proof.clauses.iter().flatten();
    let kept = proof.simple_path.iter().flatten().map(|&l| system.latches[l].var.lit());
    let roots = system.constraints.iter().chain(&bads).chain(clauses).copied().chain(kept);
    let wanted = cone_of_influence(system, &aig, roots);
    let mut check = Check {
        system,
        proof,
        bads,
        aig: &aig,
        wanted: &wanted,
        options,
        effort: Effort::default(),
    };
    check.check_initiation()?;
    let trust = check.consecution_somehow(in_words)?;
    if !check.check_safe()? {
        check.check_base()?;
        if let Some(latches) = &proof.simple_path {
            check.check_closed(latches)?;
        }
        check.check_step()?;
    }
    let (properties, clauses) = (proof.properties.clone(), proof.clauses.len());
    Ok(CheckedProof { properties, clauses, k: proof.k, effort: check.effort, trust })
}

/// The system's logic with the proof's gates. Fails if the proof is vacuous or mentions what
/// does not exist: everything that is checked later relies on it.
pub(crate) fn extended_logic(system: &BitSystem, proof: &BitProof) -> Result<Aig, ProofError> {
    let wrong = |text: String| Err(ProofError::Malformed(text));
    if proof.properties.is_empty() {
        return wrong("it proves no property".into());
    }
    let known = system.properties().len();
    if let Some(property) = proof.properties.iter().find(|&&p| p >= known) {
        return wrong(format!("property {property} does not exist, the model has {known}"));
    }
    if proof.k == 0 {
        return wrong("its induction depth is 0".into());
    }
    if let Err(latch) = system.reset_order() {
        return wrong(format!("the reset of latch {latch} depends on itself"));
    }
    let mut aig = system.aig.clone();
    for (number, &[a, b]) in proof.gates.iter().enumerate() {
        if a.var().index() >= aig.len() || b.var().index() >= aig.len() {
            return wrong(format!("gate {number} reads a literal that is not before it"));
        }
        aig.push_and(a, b);
    }
    for (number, clause) in proof.clauses.iter().enumerate() {
        if clause.iter().any(|l| l.var().index() >= aig.len()) {
            return wrong(format!("clause {number} has a literal that does not exist"));
        }
    }
    for &latch in proof.simple_path.iter().flatten() {
        if latch >= system.latches.len() {
            return wrong(format!("latch {latch} of the simple-path condition does not exist"));
        }
    }
    Ok(aig)
}

struct Check<'a> {
    system: &'a BitSystem,
    proof: &'a BitProof,
    /// The bads of the proved properties.
    bads: Vec<Lit>,
    aig: &'a Aig,
    wanted: &'a [bool],
    options: &'a CheckOptions,
    effort: Effort,
}

impl<'a> Check<'a> {
    fn unrolling(&self) -> Unrolling<'a> {
        Unrolling::new(self.system, self.aig, self.wanted)
    }

    fn assume_constraints(&self, prover: &mut Prover<'_>, frame: &Frame) {
        for &constraint in &self.system.constraints {
            prover.assume([frame.lit(constraint)]);
        }
    }

    fn assume_invariant(&self, prover: &mut Prover<'_>, frame: &Frame) {
        for clause in &self.proof.clauses {
            prover.assume(frame.clause(clause));
        }
    }

    fn assume_properties(&self, prover: &mut Prover<'_>, frame: &Frame) {
        for &bad in &self.bads {
            prover.assume([!frame.lit(bad)]);
        }
    }

    /// Proves every clause of the invariant in the last of the frames.
    fn prove_invariant(
        &self,
        prover: &mut Prover<'_>,
        circuit: &Aig,
        claim: impl Fn(usize) -> Claim,
        frames: &[Frame],
    ) -> Result<(), ProofError> {
        let last = &frames[frames.len() - 1];
        let goals: Vec<Vec<Lit>> = self.proof.clauses.iter().map(|c| last.clause(c)).collect();
        prover
            .prove_each(circuit, &goals)
            .map_err(|(clause, failure)| self.error(failure, claim(clause), frames))
    }

    fn error(&self, failure: Failure, claim: Claim, frames: &[Frame]) -> ProofError {
        match failure {
            Failure::Stopped(stop) => ProofError::Stopped(stop),
            Failure::Refuted(values) => {
                let counterexample = counterexample(self.system, frames, &values);
                ProofError::Refuted { claim, counterexample }
            }
        }
    }

    fn prove(
        &self,
        prover: &mut Prover<'_>,
        circuit: &Aig,
        goal: &[Lit],
        claim: Claim,
        frames: &[Frame],
    ) -> Result<(), ProofError> {
        prover.prove(circuit, goal).map_err(|failure| self.error(failure, claim, frames))
    }

    /// `Init(s₀) ∧ C(s₀) ⟹ Inv(s₀)`
    fn check_initiation(&mut self) -> Result<(), ProofError> {
        let (mut unrolling, mut prover) = (self.unrolling(), Prover::new(self.options));
        let frames = [unrolling.any_state()];
        for reset in unrolling.initial(&frames[0]) {
            prover.assume([reset]);
        }
        self.assume_constraints(&mut prover, &frames[0]);
        let claim = |clause| Claim::Initiation { clause };
        self.prove_invariant(&mut prover, unrolling.circuit.aig(), claim, &frames)?;
        self.effort.add(prover.effort());
        Ok(())
    }

    /// `Inv(s₀) ∧ C(s₀) ∧ T(s₀,s₁) ∧ C(s₁) ⟹ Inv(s₁)`
    fn check_consecution(&mut self) -> Result<(), ProofError> {
        let (mut unrolling, mut prover) = (self.unrolling(), Prover::new(self.options));
        let before = unrolling.any_state();
        let after = unrolling.after(&before);
        let frames = [before, after];
        self.assume_invariant(&mut prover, &frames[0]);
        self.assume_constraints(&mut prover, &frames[0]);
        self.assume_constraints(&mut prover, &frames[1]);
        let claim = |clause| Claim::Consecution { clause };
        self.prove_invariant(&mut prover, unrolling.circuit.aig(), claim, &frames)?;
        self.effort.add(prover.effort());
        Ok(())
    }

    /// Consecution, in bits or in words.
    fn consecution_somehow(&mut self, in_words: Option<InWords<'_>>) -> Result<Trust, ProofError> {
        if in_words.is_some() && self.try_consecution(FIRST_CONFLICTS)? {
            return Ok(Trust::Nothing);
        }
        let Some((effort, trust)) = in_words.and_then(|ask| ask()) else {
            self.check_consecution()?;
            return Ok(Trust::Nothing);
        };
        self.effort.add(effort);
        let is_shown = trust == Trust::Nothing || self.try_consecution(TRIED_CONFLICTS)?;
        Ok(if is_shown { Trust::Nothing } else { trust })
    }

    /// Consecution within a budget for each query; says whether it was enough.
    fn try_consecution(&mut self, conflicts: u64) -> Result<bool, ProofError> {
        let limited = CheckOptions {
            limit_conflicts: Some(conflicts),
            fallback: None,
            ..self.options.clone()
        };
        let mut check = Check { options: &limited, bads: self.bads.clone(), ..*self };
        match check.check_consecution() {
            Ok(()) => {
                self.effort = check.effort;
                Ok(true)
            }
            Err(ProofError::Stopped(Stop::OutOfBudget)) => Ok(false),
            Err(other) => Err(other),
        }
    }

    /// `(C ∧ Inv)(s₀) ⟹ P(s₀)`, which gives base and step at once. Most invariants are of that
    /// kind; where it is not shown, nothing is lost.
    fn check_safe(&mut self) -> Result<bool, ProofError> {
        if self.proof.k > 1 || self.proof.simple_path.is_some() {
            return Ok(false);
        }
        let (mut unrolling, mut prover) = (self.unrolling(), Prover::new(self.options));
        let frame = unrolling.any_state();
        self.assume_constraints(&mut prover, &frame);
        self.assume_invariant(&mut prover, &frame);
        for &bad in &self.bads {
            match prover.prove(unrolling.circuit.aig(), &[!frame.lit(bad)]) {
                Ok(()) => {}
                Err(Failure::Refuted(_)) => return Ok(false),
                Err(Failure::Stopped(stop)) => return Err(ProofError::Stopped(stop)),
            }
        }
        self.effort.add(prover.effort());
        Ok(true)
    }

    /// `Init(s₀) ∧ ⋀_{i<j} T(sᵢ,sᵢ₊₁) ∧ ⋀_{i≤j} (C ∧ Inv)(sᵢ) ⟹ P(sⱼ)` for each `j < k`. The
    /// facts grow with `j`; `C(sⱼ)` comes only after the claims for smaller `j` are settled.
    fn check_base(&mut self) -> Result<(), ProofError> {
        let (mut unrolling, mut prover) = (self.unrolling(), Prover::new(self.options));
        let mut frames = vec![unrolling.any_state()];
        for reset in unrolling.initial(&frames[0]) {
            prover.assume([reset]);
        }
        for step in 0..self.proof.k {
            if step > 0 {
                frames.push(unrolling.after(&frames[step - 1]));
            }
            self.assume_constraints(&mut prover, &frames[step]);
            self.assume_invariant(&mut prover, &frames[step]);
            for (&property, &bad) in self.proof.properties.iter().zip(&self.bads) {
                let (goal, claim) = ([!frames[step].lit(bad)], Claim::Base { step, property });
                self.prove(&mut prover, unrolling.circuit.aig(), &goal, claim, &frames)?;
            }
        }
        self.effort.add(prover.effort());
        Ok(())
    }

    /// `⋀_{i<k} (P(sᵢ) ∧ T(sᵢ,sᵢ₊₁)) ∧ ⋀_{i≤k} (C ∧ Inv)(sᵢ) ⟹ P(sₖ)`, with `sᵢ ≠_L sⱼ` for
    /// `i < j ≤ k` if only simple paths count.
    fn check_step(&mut self) -> Result<(), ProofError> {
        let (mut unrolling, mut prover) = (self.unrolling(), Prover::new(self.options));
        let mut frames = vec![unrolling.any_state()];
        for step in 0..=self.proof.k {
            if step > 0 {
                frames.push(unrolling.after(&frames[step - 1]));
                self.assume_properties(&mut prover, &frames[step - 1]);
            }
            if self.options.interrupt.poll() {
                return Err(ProofError::Stopped(Stop::Interrupted));
            }
            self.assume_constraints(&mut prover, &frames[step]);
            self.assume_invariant(&mut prover, &frames[step]);
            for earlier in frames[..step].iter().filter(|_| self.proof.simple_path.is_some()) {
                let different = self.differences(&mut unrolling, earlier, &frames[step]);
                prover.assume(different);
            }
        }
        for (&property, &bad) in self.proof.properties.iter().zip(&self.bads) {
            let (goal, claim) = ([!frames[self.proof.k].lit(bad)], Claim::Step { property });
            self.prove(&mut prover, unrolling.circuit.aig(), &goal, claim, &frames)?;
        }
        self.effort.add(prover.effort());
        Ok(())
    }

    /// For each latch of the simple-path condition, that its values differ.
    fn differences(&self, unrolling: &mut Unrolling<'_>, one: &Frame, other: &Frame) -> Vec<Lit> {
        let latches = self.proof.simple_path.iter().flatten();
        let vars = latches.map(|&l| self.system.latches[l].var.lit());
        vars.map(|l| unrolling.circuit.xor(one.lit(l), other.lit(l))).collect()
    }

    /// That the latches of the simple-path condition are closed, see the head of this file.
    fn check_closed(&mut self, latches: &[usize]) -> Result<(), ProofError> {
        let mut unrolling = self.unrolling();
        // (s,i), (t,j) and (t,i).
        let (later, earlier) = (unrolling.any_state(), unrolling.any_state());
        let cut = unrolling.mixed(&earlier, &later);
        // F(s,i) =_L F(t,i) and P(s,i) = P(t,i)
        let nexts = latches.iter().map(|&l| self.system.latches[l].next);
        let functions = nexts.chain(self.bads.iter().copied());
        let equal: Vec<Lit> =
            functions.map(|f| unrolling.circuit.iff(later.lit(f), cut.lit(f))).collect();
        let differences = self.differences(&mut unrolling, &later, &earlier);
        let circuit = unrolling.circuit.aig();
        let constraints: Vec<Lit> = self.system.constraints.iter().map(|&c| cut.lit(c)).collect();
        let frames = [later, earlier];

        // s =_L t ∧ (Inv ∧ C)(s,i) ∧ (Inv ∧ C)(t,j) ⟹ C(t,i)
        let mut prover = Prover::new(self.options);
        self.assume_agreement(&mut prover, &frames[0], &differences);
        self.assume_constraints(&mut prover, &frames[1]);
        self.assume_invariant(&mut prover, &frames[1]);
        for &goal in &constraints {
            self.prove(&mut prover, circuit, &[goal], Claim::Closed, &frames)?;
        }
        self.effort.add(prover.effort());
        self.check_closed_entering()?;

        // s =_L t ∧ (Inv ∧ C)(s,i) ∧ (Inv ∧ C)(t,i) ⟹ F(s,i) =_L F(t,i) ∧ P(s,i) = P(t,i)
        let mut prover = Prover::new(self.options);
        self.assume_agreement(&mut prover, &frames[0], &differences);
        self.assume_constraints(&mut prover, &cut);
        self.assume_invariant(&mut prover, &cut);
        for &goal in &equal {
            self.prove(&mut prover, circuit, &[goal], Claim::Closed, &frames)?;
        }
        self.effort.add(prover.effort());
        self.check_closed_at_start()
    }

    /// `s =_L t ∧ (Inv ∧ C)(s,i) ∧ (Init ∧ Inv ∧ C)(t,j) ∧ Init(t',i) ∧ t' = t on free latches
    /// ⟹ t' =_L t ∧ C(t',i)`
    fn check_closed_at_start(&mut self) -> Result<(), ProofError> {
        let mut unrolling = self.unrolling();
        let (later, first) = (unrolling.any_state(), unrolling.any_state());
        let any = unrolling.any_state();
        let restarted = unrolling.mixed(&any, &later);
        let initial = [unrolling.initial(&first), unrolling.initial(&restarted)].concat();
        let is_free = |latch: &&Latch| latch.reset == Reset::Free && self.wanted[latch.var.index()];
        let free = self.system.latches.iter().filter(is_free).map(|l| l.var.lit());
        let kept: Vec<Lit> =
            free.map(|l| unrolling.circuit.iff(first.lit(l), restarted.lit(l))).collect();
        let differences = self.differences(&mut unrolling, &later, &first);
        let moved = self.differences(&mut unrolling, &first, &restarted);
        let constraints = self.system.constraints.iter().map(|&c| restarted.lit(c));
        let goals: Vec<Lit> = moved.iter().map(|&m| !m).chain(constraints).collect();
        let mut prover = Prover::new(self.options);
        self.assume_agreement(&mut prover, &later, &differences);
        self.assume_constraints(&mut prover, &first);
        self.assume_invariant(&mut prover, &first);
        for &fact in initial.iter().chain(&kept) {
            prover.assume([fact]);
        }
        let frames = [later, first, restarted];
        for &goal in &goals {
            self.prove(&mut prover, unrolling.circuit.aig(), &[goal], Claim::Closed, &frames)?;
        }
        self.effort.add(prover.effort());
        Ok(())
    }

    /// `s =_L t ∧ (Inv ∧ C)(s,i) ∧ (Inv ∧ C)(u,h) ∧ t = F(u,h) ⟹ C(t,i)`
    fn check_closed_entering(&mut self) -> Result<(), ProofError> {
        let mut unrolling = self.unrolling();
        let (later, before) = (unrolling.any_state(), unrolling.any_state());
        let entered = unrolling.after(&before);
        let cut = unrolling.mixed(&entered, &later);
        let differences = self.differences(&mut unrolling, &later, &entered);
        let mut prover = Prover::new(self.options);
        self.assume_agreement(&mut prover, &later, &differences);
        self.assume_constraints(&mut prover, &before);
        self.assume_invariant(&mut prover, &before);
        let goals: Vec<Lit> = self.system.constraints.iter().map(|&c| cut.lit(c)).collect();
        let frames = [later, before, entered];
        for &goal in &goals {
            self.prove(&mut prover, unrolling.circuit.aig(), &[goal], Claim::Closed, &frames)?;
        }
        self.effort.add(prover.effort());
        Ok(())
    }

    /// `s =_L t ∧ (Inv ∧ C)(s,i)`
    fn assume_agreement(&self, prover: &mut Prover<'_>, later: &Frame, differences: &[Lit]) {
        self.assume_invariant(prover, later);
        self.assume_constraints(prover, later);
        for &difference in differences {
            prover.assume([!difference]);
        }
    }
}
