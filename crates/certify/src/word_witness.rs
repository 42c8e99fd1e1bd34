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
use pedra_model::system::{NamedTerm, State, System};
use pedra_model::term::{BinaryOp, Sort, Term, TermId, Terms, UnaryOp};

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
    /// What stands for each of the model's terms in it; none for terms that nobody needs.
    image: Vec<Option<TermId>>,
}

impl Register {
    fn of(&self, term: TermId) -> TermId {
        self.image[term.index()].expect("the term is in the copied cone")
    }
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
        let current = model.terms.iter().map(|(id, _)| Some(id)).collect();
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
            let mut image = vec![None; model.terms.len()];
            let inputs = model.inputs.iter().map(|i| i.term);
            let symbols = inputs.chain(model.states.iter().map(|s| s.term));
            for symbol in symbols.filter(|s| remembered[s.index()]) {
                let sort = terms.sort(symbol);
                image[symbol.index()] = Some(add(terms, sort, None, younger.of(symbol)));
            }
            copy_terms(terms, &model.terms, &remembered, &mut image);
            registers.push(Register { valid, image });
        }
        registers
    }

    /// What the properties, the constraints and the invariant depend on in any number of steps.
    fn remembered(&self) -> Vec<bool> {
        let model = &self.proof.system;
        let mut of_state = vec![None; model.terms.len()];
        for state in &model.states {
            of_state[state.term.index()] = Some(state);
        }
        let mut stack: Vec<TermId> = self.proof.invariant.clone();
        stack.extend(self.proof.properties.iter().map(|&p| model.bads[p].term));
        stack.extend(model.constraints.iter().map(|c| c.term));
        let mut needed = vec![false; model.terms.len()];
        while let Some(term) = stack.pop() {
            if !std::mem::replace(&mut needed[term.index()], true) {
                stack.extend(model.terms.get(term).args());
                let state = of_state[term.index()];
                stack.extend(state.and_then(|s| s.init));
                stack.extend(state.and_then(|s| s.next));
            }
        }
        needed
    }

    /// The conjuncts of `P'` about the register of this age and its predecessor, see
    /// [`crate::witness`].
    fn conditions_of(&mut self, registers: &[Register], age: usize, conditions: &mut Vec<TermId>) {
        let (proof, register) = (self.proof, &registers[age]);
        // vⱼ ⟹ (P ∧ Inv)(hⱼ), and C(hⱼ) for j ≥ 1
        let bads = proof.properties.iter().map(|&p| register.of(proof.system.bads[p].term));
        let mut holds: Vec<TermId> = bads.collect();
        holds.iter_mut().for_each(|bad| *bad = self.not(*bad));
        holds.extend(proof.invariant.iter().map(|&t| register.of(t)));
        if age > 0 {
            holds.extend(proof.system.constraints.iter().map(|c| register.of(c.term)));
        }
        self.push_implication(register.valid, holds, conditions);
        let Some(older) = registers.get(age + 1) else { return };
        // vⱼ₊₁ ⟹ vⱼ, and vⱼ₊₁ ⟹ hⱼ = F(hⱼ₊₁)
        let (mut follows, mut initial) = (vec![register.valid], Vec::new());
        for state in proof.system.states.iter().filter(|s| older.image[s.term.index()].is_some()) {
            let value = register.of(state.term);
            if let Some(next) = state.next {
                follows.push(self.binary(BinaryOp::Eq, value, older.of(next)));
            }
            if let Some(init) = state.init {
                initial.push(self.binary(BinaryOp::Eq, value, register.of(init)));
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

/// Copies the `wanted` terms of `from`, whose symbols have their images already.
fn copy_terms(terms: &mut Terms, from: &Terms, wanted: &[bool], image: &mut [Option<TermId>]) {
    for (id, term) in from.iter().filter(|(id, _)| wanted[id.index()]) {
        let of = |t: TermId| image[t.index()].expect("arguments come first");
        let copy = match *term {
            Term::Symbol(_) => continue,
            Term::Const(ref value) => Term::Const(value.clone()),
            Term::Unary(op, a) => Term::Unary(op, of(a)),
            Term::Binary(op, a, b) => Term::Binary(op, of(a), of(b)),
            Term::Ite(c, t, e) => Term::Ite(of(c), of(t), of(e)),
            Term::Slice { arg, high, low } => Term::Slice { arg: of(arg), high, low },
            Term::Extend { arg, by, signed } => Term::Extend { arg: of(arg), by, signed },
            Term::ConstArray { index, value } => Term::ConstArray { index, value: of(value) },
            Term::Read(a, at) => Term::Read(of(a), of(at)),
            Term::Write(a, at, value) => Term::Write(of(a), of(at), of(value)),
        };
        image[id.index()] = Some(terms.add(copy).expect("the same sorts as before"));
    }
}
