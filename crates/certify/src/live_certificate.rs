//! Checking a witness circuit of liveness against a model: the formulas of Certifaiger 10, which
//! join those of [`crate::certificate`].
//!
//! A signal `g` of a justice set or of fairness is read as `q = ¬g`. In the witness, `q'_xy` is a
//! relation of two states: some literals of the circuit, the *interventions*, have the values that
//! latches have in `y`, all others are those of `x`. `Q'_xy` says that for each set one signal of
//! it, or one of fairness, is `q'_xy`. With `C'` and `P'` at all states that are named, and `F'`
//! the transitions of the witness:
//!
//! | check | formula |
//! |---|---|
//! | liveness | `F'_st ∧ C_s ∧ C_t`: each `q'_st` implies the model's `q_s` |
//! | decrease | `F'_st ⟹ Q'_ts` |
//! | closure | `F'_st ∧ Q'_su ⟹ Q'_tu` |
//! | consistent | `F'_st ∧ F'_tu ∧ Q'_st ∧ Q'_tu`: each `q'_st` implies `q'_tu` |
//! | counterpart | `F'_st`: a `q'_st` that the model does not have implies one that it has |
//!
//! Decrease and closure give `Q'` of any later and earlier state of a path. States recur, so from
//! some step on `Q'` holds at every step, and one signal of each set stays true, by consistency. By
//! liveness the model's signal is false from there on.
//!
//! The last formula is ours. Certifaiger lets a witness have signals without a counterpart, and
//! asks nothing about them: with one that is constant a violated model has a certificate.

use crate::certificate::{
    CertificateError, Check, CheckedCertificate, Formula, assume_all, assume_none, check_resets,
    shared_latches,
};
use crate::frames::Frame;
use crate::mapping::Mapping;
use crate::options::{CheckOptions, Effort, Trust};
use crate::prover::Prover;
use pedra_model::aig::{AigBuilder, Node};
use pedra_model::bits::{BitSystem, Name};
use pedra_model::lit::{Lit, Var};

/// Checks that `witness` certifies all properties of `model`, which has justice sets.
///
/// # Errors
/// If it does not, or if that is not known.
pub fn check_live_certificate(
    model: &BitSystem,
    witness: &BitSystem,
    options: &CheckOptions,
) -> Result<CheckedCertificate, CertificateError> {
    let mapping = Mapping::of(model, witness)?;
    check_resets(model, witness)?;
    // *Required for soundness*: without a counterpart nothing is asked about an empty set, which
    // every infinite path violates.
    let (sets, theirs) = (model.justice.len(), witness.justice.len());
    if theirs < sets {
        let text = format!("the model has {sets} justice sets, the witness {theirs}");
        return Err(CertificateError::Malformed(text));
    }
    let check = Check {
        model,
        witness,
        mapping: &mapping,
        bads: model.bads.clone(),
        shared: shared_latches(model, witness, &mapping),
        options,
        effort: Effort::default(),
    };
    let mut live = LiveCheck { interventions: interventions(witness)?, check };
    live.check.check_reset()?;
    live.check.check_transition()?;
    if !live.check.bads.is_empty() {
        live.check.check_safety()?;
    }
    live.check.check_base()?;
    live.check.check_induction()?;
    live.check_liveness()?;
    live.check_counterparts()?;
    live.check_decrease()?;
    live.check_closure()?;
    live.check_consistent()?;
    let effort = live.check.effort;
    Ok(CheckedCertificate { shared: mapping.len(), effort, trust: Trust::Nothing })
}

/// Which literals of a witness stand for a literal of the other state: by variable.
///
/// A witness says it by symbols, by a comment, or not at all: then each latch's next literal stands
/// for the latch.
fn interventions(witness: &BitSystem) -> Result<Vec<Option<Lit>>, CertificateError> {
    let wrong = |text: String| Err(CertificateError::Mapping(text));
    let mut pairs: Vec<(u64, u64)> = Vec::new();
    let mut lines = witness.comments.iter();
    let head = lines.find_map(|line| line.strip_prefix("INTERVENTION "));
    if let Some(head) = head {
        let Ok(count) = head.trim().parse::<usize>() else {
            return wrong("INTERVENTION needs the number of its lines".into());
        };
        for number in 0..count {
            let Some(line) = lines.next() else {
                return wrong(format!("INTERVENTION {count} has only {number} lines"));
            };
            let mut codes = line.split_whitespace().map(|word| word.parse::<u64>());
            let (Some(Ok(latch)), Some(Ok(literal)), None) =
                (codes.next(), codes.next(), codes.next())
            else {
                return wrong(format!("a line of INTERVENTION is two literals, not `{line}`"));
            };
            pairs.push((latch, literal));
        }
    } else {
        pairs = pairs_of_symbols(witness);
    }
    let lit = |code: u64| match u32::try_from(code).map(Lit::from_code) {
        Ok(lit) if lit.var().index() < witness.aig.len() => Ok(lit),
        _ => Err(CertificateError::Mapping(format!("the witness has no literal {code}"))),
    };
    let mut by_var = vec![None; witness.aig.len()];
    let mut add = |latch: Lit, literal: Lit| {
        by_var[literal.var().index()] = Some(latch ^ literal.is_negated());
    };
    if head.is_none() && pairs.is_empty() {
        for latch in witness.latches.iter().filter(|latch| !latch.next.is_const()) {
            add(latch.var.lit(), latch.next);
        }
    }
    for (latch, literal) in pairs {
        let (latch, literal) = (lit(latch)?, lit(literal)?);
        if literal.is_const() {
            return wrong("a constant cannot stand for a latch".into());
        }
        add(latch, literal);
    }
    Ok(by_var)
}

/// From names with `< n`: the literal `n` stands for the input or latch of that name.
fn pairs_of_symbols(witness: &BitSystem) -> Vec<(u64, u64)> {
    let names = &witness.names;
    let inputs = names.inputs.iter().zip(witness.inputs.iter().copied());
    let latches = names.latches.iter().zip(witness.latches.iter().map(|l| l.var));
    let pair = |(name, var): (&Name, Var)| {
        let (_, rest) = name.as_deref()?.split_once('<')?;
        let rest = rest.trim_start();
        let digits = rest.find(|c: char| !c.is_ascii_digit()).map_or(rest, |end| &rest[..end]);
        Some((u64::from(var.lit().code()), digits.parse().ok()?))
    };
    inputs.chain(latches).filter_map(pair).collect()
}

struct LiveCheck<'a> {
    check: Check<'a>,
    interventions: Vec<Option<Lit>>,
}

/// The signals `q'` of a witness for two states.
struct Ranks {
    fairness: Vec<Lit>,
    sets: Vec<Vec<Lit>>,
}

impl Ranks {
    /// For each set, all signals of which one must hold.
    fn clauses(&self) -> impl Iterator<Item = Vec<Lit>> {
        self.sets.iter().map(|set| self.fairness.iter().chain(set).copied().collect())
    }

    fn all(&self) -> impl Iterator<Item = Lit> {
        self.fairness.iter().chain(self.sets.iter().flatten()).copied()
    }
}

impl LiveCheck<'_> {
    /// `q'_xy`
    fn ranks(&self, circuit: &mut AigBuilder, x: &Frame, y: &Frame) -> Ranks {
        let witness = self.check.witness;
        let mut image: Vec<Lit> = Vec::with_capacity(witness.aig.len());
        let of = |image: &[Lit], lit: Lit| image[lit.var().index()] ^ lit.is_negated();
        for var in witness.aig.vars() {
            let lit = match (self.interventions[var.index()], witness.aig.node(var)) {
                (Some(latch), _) => y.lit(latch),
                (None, Node::And(a, b)) => circuit.and(of(&image, a), of(&image, b)),
                (None, Node::Const | Node::Leaf) => x.lit(var.lit()),
            };
            image.push(lit);
        }
        let ranks = |signals: &Vec<Lit>| signals.iter().map(|&g| !of(&image, g)).collect();
        let sets = witness.justice.iter().map(ranks).collect();
        Ranks { fairness: ranks(&witness.fairness), sets }
    }

    /// `C' ∧ P'` at each of the states.
    fn assume_states(&self, prover: &mut Prover<'_>, circuit: &AigBuilder, states: &[&Frame]) {
        for state in states {
            assume_all(prover, circuit, state, &self.check.witness.constraints);
            assume_none(prover, circuit, state, self.check.witness.properties());
        }
    }

    /// The model in a state of the witness: equal where the mapping says so.
    fn model_at(&self, circuit: &mut AigBuilder, prover: &mut Prover<'_>, state: &Frame) -> Frame {
        let Check { model, witness, mapping, .. } = self.check;
        let mut of_witness: Vec<Option<Lit>> = vec![None; model.aig.len()];
        let mut equal = Vec::new();
        let leaves = witness.inputs.iter().copied().chain(witness.latches.iter().map(|l| l.var));
        for var in leaves {
            let Some(ours) = mapping.simulated(var) else { continue };
            let value = state.lit(var.lit()) ^ ours.is_negated();
            match of_witness[ours.var().index()] {
                None => of_witness[ours.var().index()] = Some(value),
                Some(other) => equal.push(circuit.iff(value, other)),
            }
        }
        equal.into_iter().for_each(|equal| prover.assume([equal]));
        let everything = vec![true; model.aig.len()];
        Frame::new(circuit, &model.aig, &everything, |c, var| {
            of_witness[var.index()].unwrap_or_else(|| c.leaf().lit())
        })
    }

    /// `F'_st ∧ C_s ∧ C_t`: each `q'_st` implies the model's `q_s`.
    fn check_liveness(&mut self) -> Result<(), CertificateError> {
        let (mut circuit, mut prover) = (AigBuilder::new(), Prover::new(self.check.options));
        let s = self.check.alone(&mut circuit, None);
        let t = self.check.alone(&mut circuit, Some(&s));
        let ranks = self.ranks(&mut circuit, &s, &t);
        let model_s = self.model_at(&mut circuit, &mut prover, &s);
        let model_t = self.model_at(&mut circuit, &mut prover, &t);
        let model = self.check.model;
        assume_all(&mut prover, &circuit, &model_s, &model.constraints);
        assume_all(&mut prover, &circuit, &model_t, &model.constraints);
        self.assume_states(&mut prover, &circuit, &[&s, &t]);
        let mut goals = Vec::new();
        let sets = ranks.sets.iter().zip(&model.justice);
        for (theirs, ours) in sets.chain([(&ranks.fairness, &model.fairness)]) {
            for (number, &g) in ours.iter().enumerate() {
                // A signal that the witness does not have counts as one that is always true.
                let q = theirs.get(number).copied().unwrap_or(Lit::TRUE);
                goals.push(circuit.implies(q, !model_s.lit(g)));
            }
        }
        self.check.prove_all(prover, &circuit, goals, Formula::Liveness, &[s, t])
    }

    /// `F'_st`: a `q'_st` that the model does not have implies one of the same set that it has.
    fn check_counterparts(&mut self) -> Result<(), CertificateError> {
        let (mut circuit, mut prover) = (AigBuilder::new(), Prover::new(self.check.options));
        let s = self.check.alone(&mut circuit, None);
        let t = self.check.alone(&mut circuit, Some(&s));
        let ranks = self.ranks(&mut circuit, &s, &t);
        self.assume_states(&mut prover, &circuit, &[&s, &t]);
        let model = self.check.model;
        let fair = model.fairness.len().min(ranks.fairness.len());
        let (fair, extra_fair) = ranks.fairness.split_at(fair);
        let mut goals = Vec::new();
        for (theirs, ours) in ranks.sets.iter().zip(&model.justice) {
            let (own, extra) = theirs.split_at(ours.len().min(theirs.len()));
            for &extra in extra_fair.iter().chain(extra) {
                let counterparts = fair.iter().chain(own).copied();
                goals.push(circuit.or_all(counterparts.chain([!extra])));
            }
        }
        self.check.prove_all(prover, &circuit, goals, Formula::Counterpart, &[s, t])
    }

    /// `F'_st ⟹ Q'_ts`
    fn check_decrease(&mut self) -> Result<(), CertificateError> {
        let (mut circuit, mut prover) = (AigBuilder::new(), Prover::new(self.check.options));
        let s = self.check.alone(&mut circuit, None);
        let t = self.check.alone(&mut circuit, Some(&s));
        let ranks = self.ranks(&mut circuit, &t, &s);
        self.assume_states(&mut prover, &circuit, &[&s, &t]);
        let goals: Vec<Lit> = ranks.clauses().map(|clause| circuit.or_all(clause)).collect();
        self.check.prove_all(prover, &circuit, goals, Formula::Decrease, &[s, t])
    }

    /// `F'_st ∧ Q'_su ⟹ Q'_tu`
    fn check_closure(&mut self) -> Result<(), CertificateError> {
        let (mut circuit, mut prover) = (AigBuilder::new(), Prover::new(self.check.options));
        let s = self.check.alone(&mut circuit, None);
        let t = self.check.alone(&mut circuit, Some(&s));
        let u = self.check.alone(&mut circuit, None);
        let (before, after) = (self.ranks(&mut circuit, &s, &u), self.ranks(&mut circuit, &t, &u));
        self.assume_states(&mut prover, &circuit, &[&s, &t, &u]);
        before.clauses().for_each(|clause| prover.assume(clause));
        let goals: Vec<Lit> = after.clauses().map(|clause| circuit.or_all(clause)).collect();
        self.check.prove_all(prover, &circuit, goals, Formula::Closure, &[s, t, u])
    }

    /// `F'_st ∧ F'_tu ∧ Q'_st ∧ Q'_tu`: each `q'_st` implies `q'_tu`.
    fn check_consistent(&mut self) -> Result<(), CertificateError> {
        let (mut circuit, mut prover) = (AigBuilder::new(), Prover::new(self.check.options));
        let s = self.check.alone(&mut circuit, None);
        let t = self.check.alone(&mut circuit, Some(&s));
        let u = self.check.alone(&mut circuit, Some(&t));
        let (first, second) = (self.ranks(&mut circuit, &s, &t), self.ranks(&mut circuit, &t, &u));
        self.assume_states(&mut prover, &circuit, &[&s, &t, &u]);
        first.clauses().chain(second.clauses()).for_each(|clause| prover.assume(clause));
        let pairs = first.all().zip(second.all());
        let goals: Vec<Lit> = pairs.map(|(q, after)| circuit.implies(q, after)).collect();
        self.check.prove_all(prover, &circuit, goals, Formula::Consistent, &[s, t, u])
    }
}
