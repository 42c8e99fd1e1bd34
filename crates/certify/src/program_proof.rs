//! Checking a proof about a program: the claims of [`pedra_model::program`] on the statement-level
//! graph, each as a separate query on new solvers.
//!
//! The program is the one without calls that inlining made of what the front end gave; that it has
//! the same runs is trusted, as is the front end. Nothing of the engines' blocks is used here. They
//! are made forwards with `ite`s; this is the weakest precondition, backwards, in the linear form
//! of Barnett and Leino, *Weakest-Precondition of Unstructured Programs* (PASTE 2005):
//!
//! - The part of the graph between cut points is unrolled into an acyclic one. A node is a place
//!   and the number of cut points that may still be passed.
//! - Each node has a term for each variable: what was assigned, or, where paths with different
//!   values join, a new symbol, which the edges into the node assume to be equal to theirs.
//! - Backwards, `ok(n) = ⋀ over edges n → m: guard ⟹ (assumed equalities ⟹ ok(m))`.
//! - Inputs of statements, and the new symbols, are free in the query, so universally quantified.
//!
//! With the proof's cut points, which are the places with an invariant, the entry and the error
//! places of the proved properties, the queries are:
//!
//! | claim | query | `ok` at the end of a part |
//! |---|---|---|
//! | entry | `⟹ Inv(entry)` | |
//! | consecution, each c | `Inv(c) ⟹ ok(c, 1)` | `Inv(d)`; *false* at errors, *true* if k > 1 |
//! | base, if k > 1 | `Inv(entry) ⟹ ok(entry, k-1)` | *false* at errors, *true* elsewhere |
//! | step, if k > 1, each c | `Inv(c) ⟹ ok(c, k)` | *false* at errors if the k-th, else *true* |
//!
//! In base and step the invariants of the cut points on the way are assumed.
//!
//! Procedures that were not inlined are parts of the program ([`pedra_program::summaries`]). The
//! invariant of a part's exit is the summary of its procedure; it is shown as all others are, and
//! begins with arbitrary values, since the part does. A step that stands for a call has one more
//! premise, the summary of the values before and after it. That is induction on the height of the
//! tree of calls that a run is: what returns to a step was derived before the step was taken.
//! *Required for soundness*: `k` is 1 then, and a summary mentions only these values, since a call
//! knows nothing else.
//!
//! An invariant may be about all values of some positions. As a conclusion it has them as free
//! symbols; as a premise it stands for some of its instances (`program_instances`).
//!
//! Large arrays are first removed from queries (`without_arrays`): the result has a model if the
//! query has one. Queries about bit-vectors are blasted; those with products of variables are first
//! asked without multipliers, with equations that follow by polynomial arithmetic
//! ([`crate::identity`]). Queries about integers go to the arithmetic solver, which writes a proof
//! of each answer, and [`crate::linear_proof`] checks it; that the clauses and atoms are those of
//! the query is trusted.

use crate::identity::prove_by_identities;
use crate::linear_proof::{LinearProofError, check_linear_proof};
use crate::options::{CheckOptions, Effort, Stop, Trust};
use crate::program_form::{check_form, wrong};
use crate::program_instances::instances;
use crate::program_unroll::{End, Unrolled, Unroller};
use crate::prover::{Failure, Prover};
use crate::smtlib::whole_script;
use crate::without_arrays::WithoutArrays;
use pedra_formats::smtlib::{Printer, quoted};
use pedra_model::blast::{BlastError, BlastOptions, Blaster};
use pedra_model::bv::Bv;
use pedra_model::lit::Lit;
use pedra_model::narrow::narrow;
use pedra_model::polynomial::is_product;
use pedra_model::term::{TermId, Terms, UnaryOp};
use pedra_model::value::Value;
use pedra_program::passes::variables_by_symbol;
use pedra_program::{PlaceId, Procedure, Program, ProgramProof, VariableId};
use pedra_solve::terms::IntEncoder;
use pedra_solve::{LiaSolver, SatResult, TermError, Theory, theory_of};
use std::collections::BTreeSet;
use std::fmt;

/// What was checked.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CheckedProgramProof {
    /// The properties that are proved.
    pub properties: Vec<usize>,
    /// The places with an invariant.
    pub places: usize,
    /// The conjuncts of all invariants.
    pub conjuncts: usize,
    /// The induction depth.
    pub k: usize,
    /// The work that it took.
    pub effort: Effort,
    /// What was taken on trust.
    pub trust: Trust,
}

/// One of the formulas that a proof claims.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum ProgramClaim {
    /// The invariant of the entry holds of all states.
    Entry,
    /// From this place, the invariant of the next cut point holds.
    Consecution(PlaceId),
    /// No error place is among the first cut points after the entry.
    Base,
    /// No error place is the k-th cut point after this place.
    Step(PlaceId),
}

impl fmt::Display for ProgramClaim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ProgramClaim::Entry => f.write_str("the invariant of the entry does not always hold"),
            ProgramClaim::Consecution(place) => {
                write!(f, "consecution: the invariant of place {} is not enough", place.index())
            }
            ProgramClaim::Base => f.write_str("base: an error is close to the entry"),
            ProgramClaim::Step(place) => {
                write!(f, "step: an error can follow place {}", place.index())
            }
        }
    }
}

/// Why a proof is not accepted.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ProgramProofError {
    /// It claims nothing, or mentions what does not exist.
    #[error("malformed proof: {0}")]
    Malformed(String),
    /// A claim is false.
    #[error("{claim}")]
    Refuted {
        /// Which.
        claim: ProgramClaim,
        /// Values of the variables at the place where the claim begins; arrays are left out.
        values: Vec<(VariableId, Value)>,
    },
    /// The arithmetic solver says that a claim is true, but its proof is wrong.
    #[error("the solver's refutation of a claim's negation is wrong: {0}")]
    Unproved(LinearProofError),
    /// It is beyond what can be checked here.
    #[error("the proof cannot be checked: {0}")]
    NotCheckable(String),
    /// The check ended early: nothing is known about the proof.
    #[error("{0}")]
    Stopped(Stop),
}

pub(crate) type Outcome<T> = Result<T, ProgramProofError>;

/// Checks that a proof proves what it claims about a program without calls.
pub fn check_program_proof(
    program: &Program,
    proof: &ProgramProof,
    blasting: &BlastOptions,
    options: &CheckOptions,
) -> Outcome<CheckedProgramProof> {
    run(program, proof, blasting, options, None)
}

/// The same queries as an SMT-LIB script, for a solver that works on words: all answers must be
/// `unsat`.
///
/// # Errors
/// If the proof is malformed or its queries are too large.
pub fn program_obligations(program: &Program, proof: &ProgramProof) -> Outcome<String> {
    let mut queries = String::new();
    let (blasting, options) = (BlastOptions::default(), CheckOptions::default());
    run(program, proof, &blasting, &options, Some(&mut queries))?;
    Ok(whole_script(&proof.terms, &queries))
}

/// Asks all queries, or writes them down.
fn run(
    program: &Program,
    proof: &ProgramProof,
    blasting: &BlastOptions,
    options: &CheckOptions,
    script: Option<&mut String>,
) -> Outcome<CheckedProgramProof> {
    let body = check_form(program, proof)?;
    let errors = proof.properties.iter().map(|&p| program.properties[p].error.place);
    let errors: BTreeSet<PlaceId> = errors.collect();
    if errors.contains(&body.entry) {
        return wrong("an error place is the entry");
    }
    let mut check = Check {
        program,
        proof,
        body,
        unroller: Unroller::new(
            program,
            (&proof.terms, &proof.invariants),
            errors,
            &options.interrupt,
        ),
        blasting,
        options,
        effort: Effort::default(),
        trust: Trust::Nothing,
        script,
    };
    check.check_entry()?;
    let cuts: BTreeSet<PlaceId> = proof.invariants.keys().copied().chain([body.entry]).collect();
    for &cut in &cuts {
        check.check_consecution(cut)?;
    }
    if proof.k > 1 {
        check.check_base()?;
        for &cut in &cuts {
            check.check_step(cut)?;
        }
    }
    Ok(CheckedProgramProof {
        properties: proof.properties.clone(),
        places: proof.invariants.len(),
        conjuncts: proof.invariants.values().map(Vec::len).sum(),
        k: proof.k,
        effort: check.effort,
        trust: check.trust,
    })
}

/// `facts ⟹ goal`
#[derive(Copy, Clone)]
struct Query<'q> {
    terms: &'q Terms,
    facts: &'q [TermId],
    goal: TermId,
}

impl Query<'_> {
    fn roots(&self) -> impl Iterator<Item = TermId> + '_ {
        self.facts.iter().copied().chain([self.goal])
    }
}

struct Check<'a> {
    program: &'a Program,
    proof: &'a ProgramProof,
    body: &'a Procedure,
    unroller: Unroller<'a>,
    blasting: &'a BlastOptions,
    options: &'a CheckOptions,
    effort: Effort,
    trust: Trust,
    /// Where queries are written to instead of being asked.
    script: Option<&'a mut String>,
}

impl Check<'_> {
    fn invariant(&self, place: PlaceId) -> Vec<TermId> {
        self.proof.invariants.get(&place).cloned().unwrap_or_default()
    }

    /// `⟹ Inv(entry)`
    fn check_entry(&mut self) -> Outcome<()> {
        let proof = self.proof;
        for conjunct in self.invariant(self.body.entry) {
            let query = Query { terms: &proof.terms, facts: &[], goal: conjunct };
            self.prove(ProgramClaim::Entry, query)?;
        }
        Ok(())
    }

    /// `Inv(c) ⟹ ok(c, 1)`
    fn check_consecution(&mut self, cut: PlaceId) -> Outcome<()> {
        let error = if self.proof.k == 1 { End::Never } else { End::Fine };
        self.check_part(ProgramClaim::Consecution(cut), cut, 1, |is_error, _| match is_error {
            true => error,
            false => End::Invariant,
        })
    }

    /// `Inv(entry) ⟹ ok(entry, k-1)`
    fn check_base(&mut self) -> Outcome<()> {
        let (entry, depth) = (self.body.entry, self.proof.k - 1);
        self.check_part(ProgramClaim::Base, entry, depth, |is_error, _| match is_error {
            true => End::Never,
            false => End::Fine,
        })
    }

    /// `Inv(c) ⟹ ok(c, k)`
    fn check_step(&mut self, cut: PlaceId) -> Outcome<()> {
        self.check_part(ProgramClaim::Step(cut), cut, self.proof.k, |is_error, left| {
            if is_error && left == 0 { End::Never } else { End::Fine }
        })
    }

    /// `Inv(from) ⟹ ok(from, depth)`
    fn check_part(
        &mut self,
        claim: ProgramClaim,
        from: PlaceId,
        depth: usize,
        end: impl Fn(bool, usize) -> End,
    ) -> Outcome<()> {
        // Each part restarts, so that the store does not grow from part to part.
        let mut terms = self.proof.terms.clone();
        match self.unroller.ok(&mut terms, from, depth, end) {
            Unrolled::Ok(goal) => {
                let positions = &self.proof.positions;
                let facts = instances(&mut terms, &self.invariant(from), positions, goal);
                self.prove(claim, Query { terms: &terms, facts: &facts, goal })
            }
            Unrolled::Loop(place) => wrong(format!(
                "a loop through place {} ({}) has no invariant",
                place.index(),
                self.program.location(self.body.places[place.index()].span, true)
            )),
            Unrolled::Interrupted => Err(ProgramProofError::Stopped(Stop::Interrupted)),
            Unrolled::TooLarge => {
                Err(ProgramProofError::NotCheckable("its queries are too large".into()))
            }
        }
    }

    /// `facts ⟹ goal`, for all values of all symbols?
    fn prove(&mut self, claim: ProgramClaim, query: Query<'_>) -> Outcome<()> {
        if let Some(script) = &mut self.script {
            return write_query(script, self.program, claim, query);
        }
        let has_arrays = self.has_large_arrays(query);
        let answer = if has_arrays {
            let Query { terms, facts, goal } = query;
            let free = WithoutArrays::new(terms, facts, &[goal]);
            let (terms, facts, goal) = (&free.terms, &free.formulas(facts), free.of(goal));
            self.prove_words(claim, Query { terms, facts, goal })
        } else {
            self.prove_words(claim, query)
        };
        match answer {
            // The instances, or what is known of equal arrays, may be too few.
            Err(ProgramProofError::Refuted { .. }) if has_arrays => {
                Err(ProgramProofError::NotCheckable("its arrays are too large".into()))
            }
            answer => answer,
        }
    }

    /// Whether a query has arrays that are to be taken out: those that are too large to be
    /// expanded, and all of a proof with positions. The arithmetic solver knows arrays of integers.
    fn has_large_arrays(&self, query: Query<'_>) -> bool {
        let (terms, mut cone) = (query.terms, query.terms.cone_ids(query.roots()).into_iter());
        let is_large = |id: TermId| {
            let sort = terms.sort(id);
            sort.is_array() && !sort.has_integers() && !self.blasting.expands(sort)
        };
        let is_quantified = !self.proof.positions.is_empty();
        cone.any(|id| is_large(id) || is_quantified && terms.sort(id).is_array())
    }

    fn prove_words(&mut self, claim: ProgramClaim, query: Query<'_>) -> Outcome<()> {
        match theory_of(query.terms, query.roots()) {
            Ok(Theory::Bits) => self.prove_bits(claim, query),
            Ok(Theory::Integers) => self.prove_integers(claim, query),
            Err(error) => Err(ProgramProofError::NotCheckable(error.to_string())),
        }
    }

    /// The variables whose values show why a claim is false.
    fn shown(&self, terms: &Terms) -> Vec<(VariableId, TermId)> {
        let all = self.body.variables.iter().chain(&self.program.globals);
        let all = all.map(|&variable| (variable, self.program.term_of(variable)));
        all.filter(|(_, symbol)| !terms.sort(*symbol).is_array()).collect()
    }

    fn prove_bits(&mut self, claim: ProgramClaim, query: Query<'_>) -> Outcome<()> {
        let Query { terms, facts, goal } = query;
        let effort = &mut self.effort;
        match prove_by_identities(terms, (facts, goal), self.blasting, self.options, effort) {
            Ok(true) => return Ok(()),
            Ok(false) => {}
            Err(stop) => return Err(ProgramProofError::Stopped(stop)),
        }
        let not_checkable = |error: BlastError| ProgramProofError::NotCheckable(error.to_string());
        let mut blaster = Blaster::new(self.blasting);
        let narrow = narrowed(query);
        let query = narrow.as_ref().map_or(query, |(terms, facts, goal)| Query {
            terms,
            facts,
            goal: *goal,
        });
        let Query { terms, facts, goal } = query;
        let (facts, goal) = blast_query(terms, &mut blaster, facts, goal).map_err(not_checkable)?;
        let mut prover = Prover::new(self.options);
        for fact in facts {
            prover.assume([fact]);
        }
        let answer = prover.prove(blaster.aig(), &[goal]);
        self.effort.add(prover.effort());
        match answer {
            Ok(()) => Ok(()),
            Err(Failure::Stopped(stop)) => Err(ProgramProofError::Stopped(stop)),
            Err(Failure::Refuted(assignment)) => {
                let mut values = Vec::new();
                for (variable, symbol) in self.shown(terms) {
                    // Only what the query mentions has bits.
                    if let Ok(bits) = blaster.bits(terms, symbol) {
                        let bit = |&lit: &Lit| assignment.value(lit).known().unwrap_or(false);
                        let bits: Vec<bool> = bits.iter().map(bit).collect();
                        values.push((variable, Value::Bv(Bv::from_bits(&bits))));
                    }
                }
                Err(ProgramProofError::Refuted { claim, values })
            }
        }
    }

    fn prove_integers(&mut self, claim: ProgramClaim, query: Query<'_>) -> Outcome<()> {
        let Query { terms, facts, goal } = query;
        let not_checkable = |error: TermError| ProgramProofError::NotCheckable(error.to_string());
        self.trust = Trust::IntegerTerms;
        let (mut solver, mut encoder) = (LiaSolver::with_proofs(), IntEncoder::new());
        solver.set_interrupt(&self.options.interrupt);
        for &fact in facts {
            let lit = encoder.lit(terms, &mut solver, fact).map_err(not_checkable)?;
            solver.add_clause(&[lit]);
        }
        let goal = encoder.lit(terms, &mut solver, goal).map_err(not_checkable)?;
        solver.add_clause(&[!goal]);
        let answer = solver.solve(&[]);
        let conflicts = solver.stats().conflicts;
        self.effort.add(Effort { queries: 1, fallback_queries: 0, conflicts });
        match answer {
            SatResult::Unknown if self.options.interrupt.is_raised() => {
                Err(ProgramProofError::Stopped(Stop::Interrupted))
            }
            SatResult::Unknown => Err(ProgramProofError::Stopped(Stop::OutOfBudget)),
            SatResult::Unsat => {
                let proof = solver.proof().expect("it writes proofs, and nothing is assumed");
                check_linear_proof(&proof, |_| true).map_err(ProgramProofError::Unproved)
            }
            SatResult::Sat => {
                let value = |(variable, symbol)| (variable, encoder.value(terms, &solver, symbol));
                let values = self.shown(terms).into_iter().map(value).collect();
                Err(ProgramProofError::Refuted { claim, values })
            }
        }
    }
}

/// Writes `facts ∧ ¬goal`, which nothing satisfies if the claim is right.
fn write_query(
    out: &mut String,
    program: &Program,
    claim: ProgramClaim,
    Query { terms, facts, goal }: Query<'_>,
) -> Outcome<()> {
    let what = match claim {
        ProgramClaim::Entry => "entry".to_owned(),
        ProgramClaim::Consecution(place) => format!("consecution from place {}", place.index()),
        ProgramClaim::Base => "base".to_owned(),
        ProgramClaim::Step(place) => format!("step from place {}", place.index()),
    };
    out.push_str(&format!("\n; {what}\n(push 1)\n"));
    let roots: Vec<TermId> = facts.iter().copied().chain([goal]).collect();
    let cone = terms.cone(roots.iter().copied());
    let mut printer = Printer::new(terms, "t");
    let variables = variables_by_symbol(program);
    for (id, _) in terms.iter().filter(|(id, _)| cone[id.index()]) {
        if terms.symbol_of(id).is_some() {
            let variable = variables.get(&id).map(|&variable| program.variable(variable));
            let name = variable.and_then(|variable| variable.name.as_deref()).unwrap_or("value");
            printer.declare(id, quoted(&format!("{name}:{}", id.index())), out);
        }
    }
    let written = printer.define(roots, out);
    written.map_err(|unnamed| ProgramProofError::Malformed(unnamed.to_string()))?;
    for &fact in facts {
        out.push_str(&format!("(assert (= {} #b1))\n", printer.reference(fact)));
    }
    out.push_str(&format!("(assert (= {} #b0))\n", printer.reference(goal)));
    out.push_str("(set-info :status unsat)\n(check-sat)\n(pop 1)\n");
    Ok(())
}

/// The same query with narrow products, if there are any: `facts ∧ ¬goal` is the same conjunction.
fn narrowed(query: Query<'_>) -> Option<(Terms, Vec<TermId>, TermId)> {
    let is_product = |&id: &TermId| is_product(query.terms, id);
    if !query.terms.cone_ids(query.roots()).iter().any(is_product) {
        return None;
    }
    let mut terms = query.terms.clone();
    let denied = terms.unary(UnaryOp::Not, query.goal);
    let all: Vec<TermId> = query.facts.iter().copied().chain([denied]).collect();
    let (mut facts, _) = narrow(&mut terms, &all, &[])?;
    let denied = facts.pop().expect("the goal is there");
    let goal = terms.unary(UnaryOp::Not, denied);
    Some((terms, facts, goal))
}

/// The literals of the facts and the goal, all symbols being free.
fn blast_query(
    terms: &Terms,
    blaster: &mut Blaster,
    facts: &[TermId],
    goal: TermId,
) -> Result<(Vec<Lit>, Lit), BlastError> {
    for id in terms.cone_ids(facts.iter().copied().chain([goal])) {
        if terms.symbol_of(id).is_some() {
            blaster.bind_leaves(terms, id)?;
        }
    }
    let facts: Result<Vec<Lit>, BlastError> =
        facts.iter().map(|&fact| blaster.bit(terms, fact)).collect();
    Ok((facts?, blaster.bit(terms, goal)?))
}
