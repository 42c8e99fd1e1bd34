//! Witness circuits of word-level proofs, in the shape that Cerbtora checks.
//!
//! The construction is that of [`crate::witness`], with words for bits. The symbol of each input
//! and state of the model is `=n`, where `n` is the number of its node in the model's file. The
//! history registers for `k > 1` have no `init`: nothing is claimed of them until they are valid.

use crate::certificate::CertificateError;
use crate::word_proof::check_terms;
use pedra_formats::btor2::Nodes;
use pedra_model::bits::Name;
use pedra_model::proof::WordProof;
use pedra_model::rebuild::Image;
use pedra_model::system::{NamedTerm, State, System};
use pedra_model::term::{BinaryOp, Sort, TermId, Terms, UnaryOp};

/// The witness circuit of a proof about a model whose parts have these nodes.
///
/// If the proof is only about some of the model's bads, the witness certifies these alone; a
/// comment names them.
pub fn btor2_certificate(proof: &WordProof, nodes: &Nodes) -> Result<System, CertificateError> {
    check_terms(proof)?;
    let model = &proof.system;
    if nodes.inputs.len() != model.inputs.len() || nodes.states.len() != model.states.len() {
        return Err(CertificateError::Malformed(
            "the node numbers are not those of this model".into(),
        ));
    }
    if proof.simple_path.is_some() {
        return Err(CertificateError::NotExpressible(
            "a k-induction proof on simple paths has no witness circuit; prove the property \
             without simple paths or with another engine"
                .into(),
        ));
    }
    if !proof.prophecy.is_empty() {
        return Err(CertificateError::NotExpressible(
            "a proof for all addresses of an array has no witness circuit; write it as SMT-LIB"
                .into(),
        ));
    }
    let name = |id: u64| -> Name { Some(format!("={id}").into()) };
    let mut witness = System { terms: model.terms.clone(), ..System::default() };
    witness.constraints = model.constraints.clone();
    witness.inputs = model.inputs.clone();
    witness.states = model.states.clone();
    for (input, node) in witness.inputs.iter_mut().zip(&nodes.inputs) {
        input.name = name(node.id);
    }
    for (state, node) in witness.states.iter_mut().zip(&nodes.states) {
        state.name = name(node.id);
    }
    let mut maker = Maker { proof, witness };
    let registers = maker.registers();
    let mut conditions = Vec::new();
    for age in 0..proof.k {
        maker.conditions_of(&registers, age, &mut conditions);
    }
    let property = maker.and_all(conditions);
    let bad = maker.not(property);
    let Maker { mut witness, .. } = maker;
    witness.bads = vec![NamedTerm { term: bad, name: None }];
    witness.comments = proof.properties.iter().map(|p| format!("WITNESS b{p}")).collect();
    Ok(witness)
}

/// A state that the witness knows: the current one or a history register.
struct Register {
    /// Whether it holds a state.
    valid: TermId,
    /// What stands for each of the model's terms in it, as far as they are needed.
    image: Image,
}

struct Maker<'a> {
    proof: &'a WordProof,
    witness: System,
}

impl Maker<'_> {
    /// The current state, and for each age a register that takes over the next younger one.
    fn registers(&mut self) -> Vec<Register> {
        let model = &self.proof.system;
        let always = self.witness.terms.bool(true);
        let never = self.witness.terms.bool(false);
        let all = model.terms.iter().map(|(id, _)| id);
        let current = self.witness.terms.substitute(all, |_, id| Some(id));
        let mut registers = vec![Register { valid: always, image: current }];
        let remembered = self.remembered();
        for age in 1..self.proof.k {
            let younger = &registers[age - 1];
            let mut add = |terms: &mut Terms, sort: Sort, init, next| {
                let term = terms.new_symbol(sort);
                let (init, next) = (init, Some(next));
                self.witness.states.push(State { term, name: None, init, next });
                term
            };
            let terms = &mut self.witness.terms;
            let valid = add(terms, Sort::BOOL, Some(never), younger.valid);
            let image = terms.substitute(remembered.iter().copied(), |terms, id| {
                let sort = terms.sort(id);
                terms.symbol_of(id).map(|_| add(terms, sort, None, younger.image.of(id)))
            });
            registers.push(Register { valid, image });
        }
        registers
    }

    /// What the properties, the constraints and the invariant depend on in any number of steps.
    fn remembered(&self) -> Vec<TermId> {
        let model = &self.proof.system;
        let bads = self.proof.properties.iter().map(|&p| model.bads[p].term);
        let constraints = model.constraints.iter().map(|c| c.term);
        let roots = self.proof.invariant.iter().copied().chain(bads).chain(constraints);
        let needed = model.influence(roots);
        (0..needed.len()).filter(|&index| needed[index]).map(TermId::new).collect()
    }

    /// The conjuncts of `P'` about the register of this age and its predecessor, see
    /// [`crate::witness`].
    fn conditions_of(&mut self, registers: &[Register], age: usize, conditions: &mut Vec<TermId>) {
        let (proof, register) = (self.proof, &registers[age]);
        // vⱼ ⟹ (P ∧ Inv)(hⱼ), and C(hⱼ) for j ≥ 1
        let bads = proof.properties.iter().map(|&p| register.image.of(proof.system.bads[p].term));
        let mut holds: Vec<TermId> = bads.collect();
        holds.iter_mut().for_each(|bad| *bad = self.not(*bad));
        holds.extend(proof.invariant.iter().map(|&t| register.image.of(t)));
        if age > 0 {
            holds.extend(proof.system.constraints.iter().map(|c| register.image.of(c.term)));
        }
        self.push_implication(register.valid, holds, conditions);
        let Some(older) = registers.get(age + 1) else { return };
        // vⱼ₊₁ ⟹ vⱼ, and vⱼ₊₁ ⟹ hⱼ = F(hⱼ₊₁)
        let (mut follows, mut initial) = (vec![register.valid], Vec::new());
        for state in proof.system.states.iter().filter(|s| older.image.has(s.term)) {
            let value = register.image.of(state.term);
            if let Some(next) = state.next {
                follows.push(self.binary(BinaryOp::Eq, value, older.image.of(next)));
            }
            if let Some(init) = state.init {
                initial.push(self.binary(BinaryOp::Eq, value, register.image.of(init)));
            }
        }
        self.push_implication(older.valid, follows, conditions);
        // vⱼ ∧ ¬vⱼ₊₁ ⟹ Init(hⱼ)
        let not_older = self.not(older.valid);
        let oldest = self.binary(BinaryOp::And, register.valid, not_older);
        self.push_implication(oldest, initial, conditions);
    }

    fn push_implication(&mut self, from: TermId, to: Vec<TermId>, conditions: &mut Vec<TermId>) {
        let to = self.and_all(to);
        let implication = self.binary(BinaryOp::Implies, from, to);
        conditions.push(implication);
    }

    fn not(&mut self, a: TermId) -> TermId {
        self.witness.terms.unary(UnaryOp::Not, a)
    }

    fn binary(&mut self, op: BinaryOp, a: TermId, b: TermId) -> TermId {
        self.witness.terms.binary(op, a, b)
    }

    fn and_all(&mut self, terms: Vec<TermId>) -> TermId {
        let all = terms.into_iter().reduce(|a, b| self.witness.terms.binary(BinaryOp::And, a, b));
        all.unwrap_or_else(|| self.witness.terms.bool(true))
    }
}
