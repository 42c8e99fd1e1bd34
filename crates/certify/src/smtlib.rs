//! The claims of a word-level proof as one SMT-LIB 2 script, for a solver that works on words.
//!
//! The formulas are those of [`crate::proof`], each between `push` and `pop`. A solver must
//! answer `unsat` to every `check-sat`. Nothing is shared with bit-blasting, so this is also the
//! second opinion on it.

use crate::proof::ProofError;
use crate::prophecy::augmented;
use crate::word_proof::check_form;
use pedra_formats::smtlib::{Printer, UnnamedSymbol, quoted};
use pedra_model::proof::WordProof;
use pedra_model::system::System;
use pedra_model::term::{Sort, TermId, Terms};
use std::fmt::Write as _;

/// The script whose answers are all `unsat` if the proof is right.
///
/// # Errors
/// If the proof is malformed, or rests on simple paths: which bits must differ has no exact
/// form in whole words.
pub fn smtlib_obligations(system: &System, proof: &WordProof) -> Result<String, ProofError> {
    check_form(system, proof)?;
    let augmented = augmented(proof)?;
    let proof = &*augmented;
    if proof.simple_path.is_some() {
        let text = "a proof on simple paths has no SMT-LIB form";
        return Err(ProofError::NotCheckable(text.into()));
    }
    let mut script = Script {
        system: &proof.system,
        proof,
        bads: proof.properties.iter().map(|&p| proof.system.bads[p].term).collect(),
        constraints: proof.system.constraints.iter().map(|c| c.term).collect(),
        out: String::new(),
    };
    let written = script.write();
    written.map_err(|unnamed| ProofError::Malformed(unnamed.to_string()))?;
    Ok(whole_script(&proof.system.terms, &script.out))
}

/// Queries over some terms as a whole script, with the logic that they need.
pub(crate) fn whole_script(terms: &Terms, queries: &str) -> String {
    let has = |is_it: fn(Sort) -> bool| terms.iter().any(|(id, _)| is_it(terms.sort(id)));
    // Constant arrays are no part of the theory of arrays. Z3 leaves out an assertion with one if
    // the logic is QF_ABV, and continues.
    let logic = if has(|sort| sort == Sort::Int) || queries.contains("(as const ") {
        "ALL"
    } else if has(Sort::is_array) {
        "QF_ABV"
    } else {
        "QF_BV"
    };
    format!("(set-info :smt-lib-version 2.6)\n(set-logic {logic})\n{queries}(exit)\n")
}

struct Script<'a> {
    system: &'a System,
    proof: &'a WordProof,
    bads: Vec<TermId>,
    constraints: Vec<TermId>,
    out: String,
}

/// One step: what stands for the model's terms in it.
type Step<'a> = Printer<'a>;
type Written<T> = Result<T, UnnamedSymbol>;

impl<'a> Script<'a> {
    fn write(&mut self) -> Written<()> {
        self.initiation()?;
        self.consecution()?;
        for transitions in 0..self.proof.k {
            self.base(transitions)?;
        }
        self.step()
    }

    /// `Init(s₀) ∧ C(s₀) ∧ ¬Inv(s₀)`
    fn initiation(&mut self) -> Written<()> {
        self.open("initiation: Init and C imply Inv");
        let step = self.any_state(0)?;
        self.assert_initial(&step);
        self.assert_constraints(&step);
        let goals = bits(&step, &self.proof.invariant);
        self.close(&goals);
        Ok(())
    }

    /// `Inv(s₀) ∧ C(s₀) ∧ T(s₀,s₁) ∧ C(s₁) ∧ ¬Inv(s₁)`
    fn consecution(&mut self) -> Written<()> {
        self.open("consecution: Inv, C, T and the next C imply the next Inv");
        let before = self.any_state(0)?;
        let after = self.after(&before, 1)?;
        self.assert_invariant(&before);
        self.assert_constraints(&before);
        self.assert_constraints(&after);
        let goals = bits(&after, &self.proof.invariant);
        self.close(&goals);
        Ok(())
    }

    /// `Init(s₀) ∧ ⋀_{i<j} T(sᵢ,sᵢ₊₁) ∧ ⋀_{i≤j} (C ∧ Inv)(sᵢ) ∧ ¬P(sⱼ)`
    fn base(&mut self, transitions: usize) -> Written<()> {
        self.open(&format!("base: no violation after {transitions} transitions"));
        let mut step = self.any_state(0)?;
        self.assert_initial(&step);
        for number in 0..=transitions {
            if number > 0 {
                step = self.after(&step, number)?;
            }
            self.assert_constraints(&step);
            self.assert_invariant(&step);
        }
        let goals = self.safe(&step);
        self.close(&goals);
        Ok(())
    }

    /// `⋀_{i<k} (P(sᵢ) ∧ T(sᵢ,sᵢ₊₁)) ∧ ⋀_{i≤k} (C ∧ Inv)(sᵢ) ∧ ¬P(sₖ)`
    fn step(&mut self) -> Written<()> {
        self.open(&format!("step: {} safe states are followed by a safe one", self.proof.k));
        let mut steps = vec![self.any_state(0)?];
        for number in 0..=self.proof.k {
            if number > 0 {
                let before = &steps[number - 1];
                let safe = self.safe(before);
                self.assert_all(&safe);
                let after = self.after(before, number)?;
                steps.push(after);
            }
            self.assert_constraints(&steps[number]);
            self.assert_invariant(&steps[number]);
        }
        let goals = self.safe(&steps[self.proof.k]);
        self.close(&goals);
        Ok(())
    }

    /// A step with new symbols for inputs and states.
    fn any_state(&mut self, number: usize) -> Written<Step<'a>> {
        let mut step = self.inputs(number);
        for (index, state) in self.system.states.iter().enumerate() {
            let name = quoted(&format!("state {index}:{number}"));
            step.declare(state.term, name, &mut self.out);
        }
        self.define(&mut step)?;
        Ok(step)
    }

    /// The step after another. A state without `next` gets any value.
    fn after(&mut self, before: &Step<'a>, number: usize) -> Written<Step<'a>> {
        let mut step = self.inputs(number);
        for (index, state) in self.system.states.iter().enumerate() {
            match state.next {
                Some(next) => step.bind(state.term, before.reference(next)),
                None => {
                    let name = quoted(&format!("state {index}:{number}"));
                    step.declare(state.term, name, &mut self.out);
                }
            }
        }
        self.define(&mut step)?;
        Ok(step)
    }

    fn inputs(&mut self, number: usize) -> Step<'a> {
        let mut step = Printer::new(&self.system.terms, &format!("t{number}_"));
        for (index, input) in self.system.inputs.iter().enumerate() {
            let name = quoted(&format!("input {index}:{number}"));
            step.declare(input.term, name, &mut self.out);
        }
        step
    }

    /// Defines everything that a formula may refer to.
    fn define(&mut self, step: &mut Step<'a>) -> Written<()> {
        let states = self.system.states.iter().flat_map(|s| [s.init, s.next]).flatten();
        let roots = states.chain(self.constraints.iter().copied());
        let roots = roots.chain(self.bads.iter().copied());
        let roots: Vec<TermId> = roots.chain(self.proof.invariant.iter().copied()).collect();
        step.define(roots, &mut self.out)
    }

    /// That each state with an `init` has its value.
    fn initial(&self, step: &Step<'_>) -> Vec<String> {
        let inits = self.system.states.iter().filter_map(|s| Some((s.term, s.init?)));
        inits.map(|(state, init)| equal(step, state, step, init)).collect()
    }

    /// That none of the proved bads is true.
    fn safe(&self, step: &Step<'_>) -> Vec<String> {
        self.bads.iter().map(|&bad| format!("(= {} #b0)", step.reference(bad))).collect()
    }

    fn assert_initial(&mut self, step: &Step<'_>) {
        let conditions = self.initial(step);
        self.assert_all(&conditions);
    }

    fn assert_constraints(&mut self, step: &Step<'_>) {
        let conditions = bits(step, &self.constraints);
        self.assert_all(&conditions);
    }

    fn assert_invariant(&mut self, step: &Step<'_>) {
        let conditions = bits(step, &self.proof.invariant);
        self.assert_all(&conditions);
    }

    // Writing to a string cannot fail.

    fn assert_all(&mut self, conditions: &[String]) {
        for condition in conditions {
            let _ = writeln!(self.out, "(assert {condition})");
        }
    }

    /// Asserts that one of the conditions is false; a contradiction if there is none.
    fn assert_some_not(&mut self, conditions: &[String]) {
        let negated: Vec<String> = conditions.iter().map(|c| format!("(not {c})")).collect();
        let _ = match negated.as_slice() {
            [] => writeln!(self.out, "(assert false)"),
            [one] => writeln!(self.out, "(assert {one})"),
            several => writeln!(self.out, "(assert (or {}))", several.join(" ")),
        };
    }

    fn open(&mut self, what: &str) {
        let _ = writeln!(self.out, "\n; {what}\n(push 1)");
    }

    /// Asks whether one of the goals can be false.
    fn close(&mut self, goals: &[String]) {
        self.assert_some_not(goals);
        self.out.push_str("(set-info :status unsat)\n(check-sat)\n(pop 1)\n");
    }
}

/// That the one-bit terms are true.
fn bits(step: &Step<'_>, terms: &[TermId]) -> Vec<String> {
    terms.iter().map(|&t| format!("(= {} #b1)", step.reference(t))).collect()
}

fn equal(step: &Step<'_>, term: TermId, other_step: &Step<'_>, other: TermId) -> String {
    format!("(= {} {})", step.reference(term), other_step.reference(other))
}
