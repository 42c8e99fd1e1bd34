//! Proofs and traces on the wire.
//!
//! A trace travels as a witness in the format of its model, and the start of its loop if it has
//! one, which the formats do not name. A proof travels as the data that it is
//! (`pedra_model::proof`), over the variables and terms of the model.
//!
//! Reading needs no trust: the result is well formed, and of a size that its check can bear, but
//! nothing is known of its truth. That is left to `certify`.

use crate::terms::{self, Allowed, Numbers, WireTerm};
use crate::wire::MAX_OBJECT;
use pedra_engines::Outcome;
use pedra_formats::{aiger_witness, btor2};
use pedra_model::Model;
use pedra_model::lit::Lit;
use pedra_model::live_proof::{Argument, LiveProof, StableLatch};
use pedra_model::proof::{BitProof, Proof, StateBit, WordProof};
use pedra_model::property::Property;
use pedra_model::prophecy::{Difference, Guess, Prophecy};
use pedra_model::system::State;
use pedra_model::term::TermId;
use pedra_model::trace::Trace;
use rustc_hash::FxHashMap;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// The most nodes of an unrolling that the check of a proof may need: depth times size, and
/// for simple paths pairs of steps times latches.
const MAX_UNROLLED: usize = 1 << 27;

/// The most values of a run that the replay of a trace may need.
pub(crate) const MAX_REPLAYED: usize = 1 << 34;

/// The largest literal. Larger ones would not leave room for those of a check.
const MAX_CODE: u32 = 1 << 30;

/// Why evidence cannot be written or read.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{0}")]
pub struct EvidenceError(pub String);

pub(crate) fn wrong<T>(text: impl Into<String>) -> Result<T, EvidenceError> {
    Err(EvidenceError(text.into()))
}

/// Evidence for one answer.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Evidence {
    Trace { property: usize, loop_start: Option<usize>, witness: String },
    Bits(Bits),
    Words(Words),
    Live { property: usize, argument: WireArgument, proof: Bits },
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
struct Bits {
    properties: Vec<usize>,
    gates: Vec<[u32; 2]>,
    clauses: Vec<Vec<u32>>,
    k: usize,
    simple_path: Option<Vec<usize>>,
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
struct Words {
    properties: Vec<usize>,
    terms: Vec<WireTerm>,
    invariant: Vec<usize>,
    k: usize,
    simple_path: Option<Vec<(usize, usize)>>,
    additions: Option<Additions>,
}

/// What a proof adds to the model: new symbols, and the terms that belong to them.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
struct Additions {
    /// Symbol, init and next.
    history: Vec<(usize, Option<usize>, Option<usize>)>,
    /// Symbol and target.
    guesses: Vec<(usize, usize)>,
    /// Comparison and index.
    differences: Vec<(usize, usize)>,
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum WireArgument {
    Loop { copied: Vec<usize> },
    Count { stable: Vec<(usize, bool, Option<usize>)>, counters: usize, bound: usize },
    Rank { layers: Vec<u32> },
}

/// Writes the outcome of an engine about a model.
///
/// # Errors
/// If it has no form on the wire, or is too large.
pub fn encode(model: &Model, outcome: &Outcome) -> Result<Vec<u8>, EvidenceError> {
    let evidence = match outcome {
        Outcome::Unknown => return wrong("nothing is known"),
        Outcome::Violated(trace) => {
            let witness = match (model, trace) {
                (Model::Bits(system), Trace::Bits(trace)) => aiger_witness::write(trace, system),
                (Model::Words(system), Trace::Words(trace)) => {
                    btor2::witness::write_unknown(system, trace)
                }
                _ => return wrong("the trace is of another level than the model"),
            };
            let (property, loop_start) = (trace.property(), trace.loop_start());
            Evidence::Trace { property, loop_start, witness }
        }
        Outcome::Proved(proof) => match (model, &**proof) {
            (Model::Bits(_), Proof::Bits(proof)) => Evidence::Bits(Bits::of(proof)),
            (Model::Words(system), Proof::Words(proof)) => {
                Evidence::Words(Words::of(proof, system.terms.len()))
            }
            (_, Proof::Live(proof)) => Evidence::Live {
                property: proof.property,
                argument: WireArgument::of(&proof.argument),
                proof: Bits::of(&proof.proof),
            },
            _ => return wrong("the proof is of another level than the model"),
        },
    };
    to_bytes(&evidence)
}

/// Evidence as JSON, if that is not too large.
pub(crate) fn to_bytes<T: Serialize>(evidence: &T) -> Result<Vec<u8>, EvidenceError> {
    let bytes = serde_json::to_vec(evidence).expect("plain data becomes JSON");
    match bytes.len() > MAX_OBJECT {
        true => wrong("it is too large to be sent"),
        false => Ok(bytes),
    }
}

/// Evidence from JSON.
pub(crate) fn of_bytes<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, EvidenceError> {
    match bytes.len() > MAX_OBJECT {
        true => wrong("it is too large"),
        false => serde_json::from_slice(bytes).map_err(|error| EvidenceError(error.to_string())),
    }
}

/// Reads an outcome about a model, which may be anything: it is to be checked.
///
/// # Errors
/// If it is malformed, or its check would take too much.
pub fn decode(model: &Model, bytes: &[u8]) -> Result<Outcome, EvidenceError> {
    match of_bytes(bytes)? {
        Evidence::Trace { property, loop_start, witness } => {
            decode_trace(model, property, loop_start, &witness).map(Outcome::Violated)
        }
        Evidence::Bits(bits) => {
            let Model::Bits(system) = model else { return wrong("a proof in bits about words") };
            check_depth(bits.k, system.aig.len() + bits.gates.len(), &bits.simple_path)?;
            Ok(proved(bits.proof()?))
        }
        Evidence::Words(words) => words.proof(model).map(proved),
        Evidence::Live { property, argument, proof } => {
            let size = match model {
                Model::Bits(system) => system.aig.len(),
                Model::Words(system) => system.terms.len(),
            };
            check_depth(proof.k, size + proof.gates.len(), &proof.simple_path)?;
            check_property(model, property)?;
            let (argument, proof) = (argument.argument()?, proof.proof()?);
            Ok(proved(LiveProof { property, argument, proof }))
        }
    }
}

fn proved(proof: impl Into<Proof>) -> Outcome {
    Outcome::Proved(Arc::new(proof.into()))
}

fn check_property(model: &Model, property: usize) -> Result<(), EvidenceError> {
    match property < model.num_properties() {
        true => Ok(()),
        false => wrong(format!("there is no property {property}")),
    }
}

fn decode_trace(
    model: &Model,
    property: usize,
    loop_start: Option<usize>,
    witness: &str,
) -> Result<Trace, EvidenceError> {
    check_property(model, property)?;
    let unreadable = |error: &dyn std::fmt::Display| EvidenceError(format!("witness: {error}"));
    let size = match model {
        Model::Bits(system) => system.aig.len(),
        Model::Words(system) => system.terms.len(),
    };
    let lines = witness.bytes().filter(|&b| b == b'\n').count();
    if lines.saturating_mul(size + 1) > MAX_REPLAYED {
        return wrong("witness: too long to be replayed");
    }
    let mut trace: Trace = match model {
        Model::Bits(system) => {
            let read = aiger_witness::read(witness.as_bytes(), system);
            let read = read.map_err(|e| unreadable(&e))?;
            let mut trace = read[0].trace(property);
            trace.loop_start = loop_start;
            trace.into()
        }
        Model::Words(system) => {
            let read = btor2::witness::read(witness.as_bytes(), system);
            let mut trace = read.map_err(|e| unreadable(&e))?.trace;
            trace.loop_start = loop_start;
            trace.into()
        }
    };
    trace.set_property(property);
    match (model.property(property), loop_start) {
        (Property::Bad(_), None) => Ok(trace),
        (Property::Justice(_), Some(start)) if start <= trace.depth() => Ok(trace),
        _ => wrong("witness: a loop that does not fit the property"),
    }
}

/// Whether the check of a proof of this depth can be borne.
pub(crate) fn check_depth<T>(
    k: usize,
    size: usize,
    simple: &Option<Vec<T>>,
) -> Result<(), EvidenceError> {
    let pairs = simple.as_ref().map_or(0, |kept| k.saturating_mul(k).saturating_mul(kept.len()));
    match k.saturating_mul(size.max(1)) > MAX_UNROLLED || pairs > MAX_UNROLLED {
        true => wrong(format!("induction of depth {k} is too deep to be checked")),
        false => Ok(()),
    }
}

fn lit(code: u32) -> Result<Lit, EvidenceError> {
    match code < MAX_CODE {
        true => Ok(Lit::from_code(code)),
        false => wrong("a literal that is too large"),
    }
}

fn lits(codes: &[u32]) -> Result<Vec<Lit>, EvidenceError> {
    codes.iter().map(|&code| lit(code)).collect()
}

fn codes(lits: &[Lit]) -> Vec<u32> {
    lits.iter().map(|lit| lit.code()).collect()
}

impl Bits {
    fn of(proof: &BitProof) -> Bits {
        Bits {
            properties: proof.properties.clone(),
            gates: proof.gates.iter().map(|gate| gate.map(Lit::code)).collect(),
            clauses: proof.clauses.iter().map(|clause| codes(clause)).collect(),
            k: proof.k,
            simple_path: proof.simple_path.clone(),
        }
    }

    fn proof(self) -> Result<BitProof, EvidenceError> {
        let gate = |&[a, b]: &[u32; 2]| Ok([lit(a)?, lit(b)?]);
        let gates: Result<_, EvidenceError> = self.gates.iter().map(gate).collect();
        let clauses: Result<_, EvidenceError> = self.clauses.iter().map(|c| lits(c)).collect();
        Ok(BitProof {
            properties: self.properties,
            gates: gates?,
            clauses: clauses?,
            k: self.k,
            simple_path: self.simple_path,
        })
    }
}

impl Words {
    /// A proof about a model that has this many terms.
    fn of(proof: &WordProof, base: usize) -> Words {
        let WordProof { properties, system, invariant, k, simple_path, prophecy } = proof;
        let roots: Vec<TermId> = invariant.iter().copied().chain(prophecy.terms()).collect();
        let (terms, numbers) = terms::encode(&system.terms, base, &roots);
        let known: FxHashMap<TermId, usize> = roots.into_iter().zip(numbers).collect();
        let bits = |bits: &Vec<StateBit>| bits.iter().map(|b| (b.state, b.bit)).collect();
        let number = |term: &TermId| known[term];
        let Prophecy { history, guesses, differences } = prophecy;
        let state = |state: &State| {
            let [init, next] = [&state.init, &state.next].map(|term| term.as_ref().map(number));
            (number(&state.term), init, next)
        };
        let additions = Additions {
            history: history.iter().map(state).collect(),
            guesses: guesses.iter().map(|g| (number(&g.symbol), number(&g.target))).collect(),
            differences: differences
                .iter()
                .map(|d| (number(&d.comparison), number(&d.index)))
                .collect(),
        };
        Words {
            properties: properties.clone(),
            terms,
            invariant: invariant.iter().map(number).collect(),
            k: *k,
            simple_path: simple_path.as_ref().map(bits),
            additions: (!prophecy.is_empty()).then_some(additions),
        }
    }

    fn proof(self, model: &Model) -> Result<WordProof, EvidenceError> {
        let Model::Words(system) = model else { return wrong("a proof in words about bits") };
        let additions = self.additions.unwrap_or_default();
        let added = self.terms.len() + additions.len();
        check_depth(self.k, system.terms.len() + added, &self.simple_path)?;
        let mut system = system.clone();
        let symbols: Vec<usize> = additions.symbols().collect();
        let allowed = Allowed { integers: false };
        let numbers = terms::decode(&mut system.terms, &self.terms, &symbols, allowed);
        let numbers = numbers.map_err(EvidenceError)?;
        let bit = |(state, bit): (usize, usize)| StateBit { state, bit };
        Ok(WordProof {
            properties: self.properties,
            invariant: numbers.all(&self.invariant).map_err(EvidenceError)?,
            prophecy: additions.prophecy(&numbers).map_err(EvidenceError)?,
            system,
            k: self.k,
            simple_path: self.simple_path.map(|bits| bits.into_iter().map(bit).collect()),
        })
    }
}

impl Additions {
    fn len(&self) -> usize {
        self.history.len() + self.guesses.len() + self.differences.len()
    }

    /// The terms that may be new symbols. Whether they are, and different ones, is for the check of
    /// the proof to see.
    fn symbols(&self) -> impl Iterator<Item = usize> + '_ {
        let history = self.history.iter().map(|&(symbol, ..)| symbol);
        let guesses = self.guesses.iter().map(|&(symbol, _)| symbol);
        history.chain(guesses).chain(self.differences.iter().map(|&(_, index)| index))
    }

    fn prophecy(&self, numbers: &Numbers) -> Result<Prophecy, String> {
        let term = |number: usize| numbers.get(number);
        let maybe = |number: Option<usize>| number.map(term).transpose();
        let state = |&(symbol, init, next): &(usize, Option<usize>, Option<usize>)| {
            let (init, next) = (maybe(init)?, maybe(next)?);
            Ok(State { term: term(symbol)?, name: None, init, next })
        };
        let guess = |&(symbol, target): &(usize, usize)| {
            Ok(Guess { symbol: term(symbol)?, target: term(target)? })
        };
        let difference = |&(comparison, index): &(usize, usize)| {
            Ok(Difference { comparison: term(comparison)?, index: term(index)? })
        };
        Ok(Prophecy {
            history: self.history.iter().map(state).collect::<Result<_, String>>()?,
            guesses: self.guesses.iter().map(guess).collect::<Result<_, String>>()?,
            differences: self.differences.iter().map(difference).collect::<Result<_, String>>()?,
        })
    }
}

impl WireArgument {
    fn of(argument: &Argument) -> WireArgument {
        match argument.clone() {
            Argument::Loop { copied } => WireArgument::Loop { copied },
            Argument::Count { stable, counters, bound } => {
                let of = |s: StableLatch| (s.latch, s.keeps, s.excludes);
                let stable = stable.into_iter().map(of).collect();
                WireArgument::Count { stable, counters, bound }
            }
            Argument::Rank { layers } => WireArgument::Rank { layers: codes(&layers) },
        }
    }

    fn argument(self) -> Result<Argument, EvidenceError> {
        Ok(match self {
            WireArgument::Loop { copied } => Argument::Loop { copied },
            WireArgument::Count { stable, counters, bound } => {
                let of = |(latch, keeps, excludes)| StableLatch { latch, keeps, excludes };
                let stable = stable.into_iter().map(of).collect();
                Argument::Count { stable, counters, bound }
            }
            WireArgument::Rank { layers } => Argument::Rank { layers: lits(&layers)? },
        })
    }
}
