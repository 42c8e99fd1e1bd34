//! Which parts of a model a witness circuit simulates.
//!
//! A witness says it in one of three ways, tried in this order:
//! 1. by symbols: the name of an input or latch that simulates the model's literal `n` starts
//!    with `= n`;
//! 2. by a comment: a line `MAPPING k`, then `k` lines with a literal of the witness and the
//!    literal of the model that it simulates;
//! 3. not at all: inputs and latches are then taken in order.
//!
//! Literals are those of AIGER files in which inputs come first, then latches, then gates, which
//! binary files always do. A wrong mapping can never make a wrong witness pass: the five checks
//! of [`crate::certificate`] are sound for any mapping.
//!
//! Certifaiger also lets a *gate* of the witness simulate an input or latch of the model. That
//! is refused here: whether the witness can always choose its state so that the gate has the
//! right value is a question with an alternation of quantifiers.

use crate::certificate::CertificateError;
use pedra_model::bits::{BitSystem, Name};
use pedra_model::lit::{Lit, Var};

/// For each input and latch of a witness, the literal of the model that it simulates.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Mapping {
    /// By variable of the witness.
    simulated: Vec<Option<Lit>>,
}

fn wrong<T>(text: String) -> Result<T, CertificateError> {
    Err(CertificateError::Mapping(text))
}

impl Mapping {
    /// Nothing is simulated.
    pub fn empty(witness: &BitSystem) -> Mapping {
        Mapping { simulated: vec![None; witness.aig.len()] }
    }

    /// The mapping that a witness states, or else the one in order.
    pub fn of(model: &BitSystem, witness: &BitSystem) -> Result<Mapping, CertificateError> {
        if let Some(mapping) = Mapping::from_symbols(model, witness)? {
            return Ok(mapping);
        }
        if let Some(mapping) = Mapping::from_comments(model, witness)? {
            return Ok(mapping);
        }
        let mut mapping = Mapping::empty(witness);
        for (&theirs, ours) in witness.inputs.iter().zip(&model.inputs) {
            mapping.add(theirs.lit(), ours.lit())?;
        }
        for (theirs, ours) in witness.latches.iter().zip(&model.latches) {
            mapping.add(theirs.var.lit(), ours.var.lit())?;
        }
        Ok(mapping)
    }

    /// Says that a literal of an input or latch of the witness simulates a literal of the model.
    /// Fails if it simulates another one already.
    pub fn add(&mut self, theirs: Lit, ours: Lit) -> Result<(), CertificateError> {
        let ours = ours ^ theirs.is_negated();
        match self.simulated.get(theirs.var().index()) {
            None => wrong(format!("the witness has no literal {}", theirs.code())),
            Some(Some(other)) if *other != ours => {
                let (theirs, one, other) = (theirs.code(), other.code(), ours.code());
                wrong(format!("literal {theirs} of the witness simulates both {one} and {other}"))
            }
            Some(_) => {
                self.simulated[theirs.var().index()] = Some(ours);
                Ok(())
            }
        }
    }

    /// The literal of the model that this variable of the witness simulates.
    pub fn simulated(&self, theirs: Var) -> Option<Lit> {
        self.simulated[theirs.index()]
    }

    /// How many inputs and latches of the witness simulate something.
    pub fn len(&self) -> usize {
        self.simulated.iter().flatten().count()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// From names that start with `= n`, if there are any.
    fn from_symbols(
        model: &BitSystem,
        witness: &BitSystem,
    ) -> Result<Option<Mapping>, CertificateError> {
        let mut mapping = Mapping::empty(witness);
        let leaves = is_leaf(model);
        let inputs = witness.names.inputs.iter().zip(witness.inputs.iter().copied());
        let latches = witness.names.latches.iter().zip(witness.latches.iter().map(|l| l.var));
        for (name, var) in inputs.chain(latches) {
            let Some(code) = simulated_number(name) else { continue };
            let ours = model_literal(code, &leaves)?;
            mapping.add(var.lit(), ours)?;
        }
        Ok((!mapping.is_empty()).then_some(mapping))
    }

    /// From the comment section, if it has a mapping.
    fn from_comments(
        model: &BitSystem,
        witness: &BitSystem,
    ) -> Result<Option<Mapping>, CertificateError> {
        let mut lines = witness.comments.iter();
        let Some(head) = lines.find_map(|line| line.strip_prefix("MAPPING")) else {
            return Ok(None);
        };
        let Ok(count) = head.trim().parse::<usize>() else {
            return wrong("MAPPING needs the number of its lines".into());
        };
        let (ours, theirs) = (is_leaf(model), is_leaf(witness));
        let mut mapping = Mapping::empty(witness);
        for number in 0..count {
            let Some(line) = lines.next() else {
                return wrong(format!("MAPPING {count} has only {number} lines"));
            };
            let mut codes = line.split_whitespace().map(|word| word.parse::<u64>());
            let (Some(Ok(witness_code)), Some(Ok(model_code)), None) =
                (codes.next(), codes.next(), codes.next())
            else {
                return wrong(format!("a line of MAPPING is two literals, not `{line}`"));
            };
            let simulating = match u32::try_from(witness_code).map(Lit::from_code) {
                Ok(lit) if theirs.get(lit.var().index()) == Some(&true) => lit,
                Ok(lit) if lit.var().index() < theirs.len() => {
                    return Err(CertificateError::Unsupported(format!(
                        "literal {witness_code} is no input or latch of the witness; gates that \
                         simulate a part of the model are not supported"
                    )));
                }
                _ => return wrong(format!("the witness has no literal {witness_code}")),
            };
            mapping.add(simulating, model_literal(model_code, &ours)?)?;
        }
        Ok(Some(mapping))
    }
}

/// For each variable whether it is an input or a latch.
fn is_leaf(system: &BitSystem) -> Vec<bool> {
    let mut leaves = vec![false; system.aig.len()];
    let latches = system.latches.iter().map(|l| l.var);
    for var in system.inputs.iter().copied().chain(latches) {
        leaves[var.index()] = true;
    }
    leaves
}

fn model_literal(code: u64, leaves: &[bool]) -> Result<Lit, CertificateError> {
    match u32::try_from(code).map(Lit::from_code) {
        Ok(lit) if leaves.get(lit.var().index()) == Some(&true) => Ok(lit),
        _ => wrong(format!("literal {code} is no input or latch of the model")),
    }
}

/// The number in a name that starts with `= n` or `=n`.
pub(crate) fn simulated_number(name: &Name) -> Option<u64> {
    let rest = name.as_deref()?.strip_prefix('=')?.trim_start();
    let digits = rest.find(|c: char| !c.is_ascii_digit()).map_or(rest, |end| &rest[..end]);
    digits.parse().ok()
}
