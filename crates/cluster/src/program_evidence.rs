//! Proofs about programs, and their runs, on the wire.
//!
//! A run is about the program as the front end made it: for each edge the values that it needs, of
//! sorts that both sides know. A proof is about the program without calls, which the reader makes
//! itself before it reads on; see [`ProofGraph`].
//!
//! As in [`evidence`](crate::evidence), reading needs no trust, and gives nothing that is known to
//! be true.

use crate::evidence::{EvidenceError, MAX_REPLAYED, check_depth, of_bytes, to_bytes, wrong};
use crate::terms::{self, Allowed, WireTerm, integer, integer_text};
use pedra_check::{Graphs, ProgramAnswer, ProofGraph};
use pedra_model::bv::Bv;
use pedra_model::program::{EdgeId, EdgeRef, PlaceId, ProcedureId};
use pedra_model::term::{IntOp, Scalar, Sort, Term, TermId, Terms};
use pedra_model::value::{ScalarValue, Value};
use pedra_program::interpreter::{Machine, initial_variables, needed};
use pedra_program::{Action, Program, ProgramProof, ProgramTrace, TraceStep};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The most symbols over which invariants are quantified. Engines have at most two of a sort.
const MAX_POSITIONS: usize = 64;

/// The most bits of an integer in a run, where integers are computed.
const MAX_BITS: u64 = 1 << 20;

/// Evidence for one answer.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Evidence {
    Run(WireRun),
    Places(Places),
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
struct WireRun {
    property: usize,
    initial: Vec<WireValue>,
    /// Procedure, edge, and values.
    steps: Vec<(usize, usize, Vec<WireValue>)>,
}

/// Hexadecimal digits, or an array: its element everywhere but at some places.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(untagged)]
enum WireValue {
    Scalar(String),
    Array(String, Vec<(String, String)>),
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
struct Places {
    graph: WireGraph,
    /// The fingerprint of the program without calls.
    fingerprint: String,
    properties: Vec<usize>,
    terms: Vec<WireTerm>,
    positions: Vec<usize>,
    /// For each cut point its invariant.
    invariants: Vec<(usize, Vec<usize>)>,
    k: usize,
}

#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum WireGraph {
    Plain,
    Bounded(usize),
    Summaries,
}

/// The fingerprint of a program as the wire has it.
pub fn fingerprint(program: &Program) -> String {
    format!("{:016x}", program.fingerprint())
}

/// Writes an answer about a program.
///
/// # Errors
/// If it is too large.
pub fn encode(answer: &ProgramAnswer) -> Result<Vec<u8>, EvidenceError> {
    to_bytes(&match answer {
        ProgramAnswer::Violated(trace) => Evidence::Run(WireRun::of(trace)),
        ProgramAnswer::Proved { graph, inlined, proof } => {
            Evidence::Places(Places::of(*graph, &inlined.program, proof))
        }
    })
}

/// Reads an answer about a program, which may be anything: it is to be checked.
///
/// # Errors
/// If it is malformed, or its check would take too much.
pub fn decode(graphs: &Graphs<'_>, bytes: &[u8]) -> Result<ProgramAnswer, EvidenceError> {
    match of_bytes(bytes)? {
        Evidence::Run(run) => run.trace(graphs.program()).map(ProgramAnswer::Violated),
        Evidence::Places(places) => places.answer(graphs),
    }
}

impl WireRun {
    fn of(trace: &ProgramTrace) -> WireRun {
        let values = |values: &[Value]| values.iter().map(WireValue::of).collect();
        let step = |TraceStep { edge, values: given }: &TraceStep| {
            (edge.procedure.index(), edge.edge.index(), values(given))
        };
        WireRun {
            property: trace.property,
            initial: values(&trace.initial),
            steps: trace.steps.iter().map(step).collect(),
        }
    }

    fn trace(self, program: &Program) -> Result<ProgramTrace, EvidenceError> {
        check_property(program, self.property)?;
        let sort = |term: TermId| program.terms.sort(term);
        let first = initial_variables(program).map(|variable| sort(program.term_of(variable)));
        let initial = values(&self.initial, first)?;
        let mut work = Work::new(program);
        let mut steps = Vec::new();
        for (procedure, edge, given) in &self.steps {
            let edge = edge_of(program, *procedure, *edge)?;
            work.take(edge)?;
            let values = values(given, needed(program, edge).map(sort))?;
            steps.push(TraceStep { edge, values });
        }
        let trace = ProgramTrace { property: self.property, initial, steps };
        if work.computes {
            work.check_sizes(&trace)?;
        }
        Ok(trace)
    }
}

fn check_property(program: &Program, property: usize) -> Result<(), EvidenceError> {
    match property < program.properties.len() {
        true => Ok(()),
        false => wrong(format!("there is no property {property}")),
    }
}

fn edge_of(program: &Program, procedure: usize, edge: usize) -> Result<EdgeRef, EvidenceError> {
    let edges = program.procedures.get(procedure).map_or(0, |procedure| procedure.edges.len());
    match edge < edges {
        true => Ok(EdgeRef { procedure: ProcedureId::new(procedure), edge: EdgeId::new(edge) }),
        false => wrong(format!("procedure {procedure} has no edge {edge}")),
    }
}

/// What a replay takes: the terms of each edge that is taken are evaluated.
struct Work<'a> {
    program: &'a Program,
    /// Of each edge its terms, and whether integers are computed in them.
    known: FxHashMap<EdgeRef, (usize, bool)>,
    left: usize,
    /// Whether integers are computed anywhere.
    computes: bool,
}

impl<'a> Work<'a> {
    fn new(program: &'a Program) -> Work<'a> {
        Work { program, known: FxHashMap::default(), left: MAX_REPLAYED, computes: false }
    }

    fn take(&mut self, edge: EdgeRef) -> Result<(), EvidenceError> {
        let (size, computes) = self.of(edge);
        self.computes |= computes;
        match self.left.checked_sub(size) {
            Some(left) => self.left = left,
            None => return wrong("a run that is too long to be replayed"),
        }
        Ok(())
    }

    fn of(&mut self, edge: EdgeRef) -> (usize, bool) {
        let program = self.program;
        *self.known.entry(edge).or_insert_with(|| {
            let (roots, further): (Vec<TermId>, usize) = match &program.edge(edge).action {
                Action::Step(step) => {
                    let updates = step.updates.iter().map(|&(_, value)| value);
                    let checks = step.checks.iter().map(|check| check.holds);
                    (step.guard.into_iter().chain(updates).chain(checks).collect(), 1)
                }
                Action::Call(call) => {
                    let variables = program.procedure(call.callee).variables.len();
                    (call.arguments.clone(), variables + 1)
                }
            };
            let cone = program.terms.cone_ids(roots);
            let computes = cone.iter().any(|&id| computes_integer(&program.terms, id));
            (cone.len() + further, computes)
        })
    }

    /// Follows a run in which integers are computed as far as it goes, and looks at their sizes:
    /// a number that is squared again and again would take all memory, and one that is doubled
    /// again and again much time.
    fn check_sizes(&mut self, trace: &ProgramTrace) -> Result<(), EvidenceError> {
        let Ok(mut machine) = Machine::start(self.program, &trace.initial) else { return Ok(()) };
        for step in &trace.steps {
            // What is no run is refused by the check.
            if machine.take(step).is_err() {
                break;
            }
            let values = machine.values().iter().flatten();
            if self.of(step.edge).1 && values.map(largest).any(|bits| bits > MAX_BITS) {
                return wrong("a run with numbers that are too large");
            }
        }
        Ok(())
    }
}

/// Whether a term is an integer that is larger than those it is made of.
fn computes_integer(terms: &Terms, id: TermId) -> bool {
    matches!(terms.get(id), Term::Int(IntOp::Add | IntOp::Sub | IntOp::Mul, ..))
}

/// The bits of the largest integer in a value.
fn largest(value: &Value) -> u64 {
    let bits = |value: &ScalarValue| match value {
        ScalarValue::Bv(_) => 0,
        ScalarValue::Int(number) => number.bits(),
    };
    match value {
        Value::Int(number) => number.bits(),
        Value::IntArray(array) => {
            let entries = array.entries().map(|(_, element)| element);
            entries.chain([array.default_element()]).map(bits).max().unwrap_or(0)
        }
        Value::Bv(_) | Value::Array(_) => 0,
    }
}

/// Values of these sorts, and as many.
fn values(
    given: &[WireValue],
    sorts: impl Iterator<Item = Sort>,
) -> Result<Vec<Value>, EvidenceError> {
    let mut read = Vec::new();
    for sort in sorts {
        let Some(value) = given.get(read.len()) else { return wrong("values are missing") };
        read.push(value.value(sort)?);
    }
    match read.len() == given.len() {
        true => Ok(read),
        false => wrong("more values than are needed"),
    }
}

impl WireValue {
    fn of(value: &Value) -> WireValue {
        match value {
            Value::Bv(word) => WireValue::Scalar(word.to_hex()),
            Value::Int(number) => WireValue::Scalar(integer_text(number)),
            Value::Array(array) => {
                let entries = array.entries().map(|(at, word)| (at.to_hex(), word.to_hex()));
                WireValue::Array(array.default_element().to_hex(), entries.collect())
            }
            Value::IntArray(array) => {
                let entries = array.entries().map(|(at, value)| (text(at), text(value)));
                WireValue::Array(text(array.default_element()), entries.collect())
            }
        }
    }

    fn value(&self, sort: Sort) -> Result<Value, EvidenceError> {
        match (self, sort) {
            (WireValue::Scalar(digits), Sort::Bv(width)) => scalar(digits, Scalar::Bv(width)),
            (WireValue::Scalar(digits), Sort::Int) => scalar(digits, Scalar::Int),
            (WireValue::Array(everywhere, entries), Sort::Array { index, element }) => {
                let mut array = Value::everywhere(index, &scalar(everywhere, element)?);
                for (at, value) in entries {
                    array = array.write(&scalar(at, index)?, &scalar(value, element)?);
                }
                Ok(array)
            }
            _ => wrong("a value of another sort than what it is for"),
        }
    }
}

fn text(value: &ScalarValue) -> String {
    match value {
        ScalarValue::Bv(word) => word.to_hex(),
        ScalarValue::Int(number) => integer_text(number),
    }
}

fn scalar(digits: &str, sort: Scalar) -> Result<Value, EvidenceError> {
    let value = match sort {
        Scalar::Bv(width) => {
            let is_word = digits.len() == width.div_ceil(4) as usize
                && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
            is_word.then(|| Bv::parse(width, digits, 16)).flatten().map(Value::Bv)
        }
        Scalar::Int => integer(digits).map(Value::Int),
    };
    value.ok_or_else(|| EvidenceError("a value that is none".to_owned()))
}

impl Places {
    fn of(graph: ProofGraph, inlined: &Program, proof: &ProgramProof) -> Places {
        let ProgramProof { properties, terms: store, invariants, k, positions } = proof;
        let conjuncts = invariants.values().flatten();
        let roots: Vec<TermId> = positions.iter().chain(conjuncts).copied().collect();
        let (terms, numbers) = terms::encode(store, inlined.terms.len(), &roots);
        let (positions, mut conjuncts) = numbers.split_at(positions.len());
        let mut here = |invariant: &Vec<TermId>| {
            let (here, rest) = conjuncts.split_at(invariant.len());
            conjuncts = rest;
            here.to_vec()
        };
        Places {
            graph: match graph {
                ProofGraph::Plain => WireGraph::Plain,
                ProofGraph::Bounded(depth) => WireGraph::Bounded(depth),
                ProofGraph::Summaries => WireGraph::Summaries,
            },
            fingerprint: fingerprint(inlined),
            properties: properties.clone(),
            terms,
            positions: positions.to_vec(),
            invariants: invariants.iter().map(|(p, all)| (p.index(), here(all))).collect(),
            k: *k,
        }
    }

    fn answer(self, graphs: &Graphs<'_>) -> Result<ProgramAnswer, EvidenceError> {
        for &property in &self.properties {
            check_property(graphs.program(), property)?;
        }
        if self.positions.len() > MAX_POSITIONS {
            return wrong("invariants about too many positions");
        }
        let graph = match self.graph {
            WireGraph::Plain => ProofGraph::Plain,
            WireGraph::Bounded(depth) => ProofGraph::Bounded(depth),
            WireGraph::Summaries => ProofGraph::Summaries,
        };
        let inlined = graphs.get(graph).map_err(EvidenceError)?;
        let program = &inlined.program;
        if fingerprint(program) != self.fingerprint {
            return wrong("a proof about another graph: the worker is of another build");
        }
        let body = program.procedure(program.entry);
        let size = program.terms.len() + self.terms.len() + body.edges.len();
        check_depth(self.k, size, &None::<Vec<()>>)?;
        let mut terms = program.terms.clone();
        let allowed = Allowed { integers: true };
        let numbers = terms::decode(&mut terms, &self.terms, &self.positions, allowed);
        let numbers = numbers.map_err(EvidenceError)?;
        let mut invariants = BTreeMap::new();
        for (place, invariant) in &self.invariants {
            let exists = *place < body.places.len();
            let here = numbers.all(invariant).map_err(EvidenceError)?;
            if !exists || invariants.insert(PlaceId::new(*place), here).is_some() {
                return wrong(format!("place {place} does not exist, or has two invariants"));
            }
        }
        let positions = numbers.all(&self.positions).map_err(EvidenceError)?;
        let (properties, k) = (self.properties, self.k);
        let proof = Arc::new(ProgramProof { properties, terms, invariants, k, positions });
        Ok(ProgramAnswer::Proved { graph, inlined, proof })
    }
}
