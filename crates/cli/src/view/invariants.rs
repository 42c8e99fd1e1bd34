//! The invariants of a proof about a program, beside the loops that they are about, and the
//! summaries of recursive procedures.

use crate::commands::language::Language;
use pedra_c::express::Express;
use pedra_formats::smtlib::symbol;
use pedra_horn::model::{Interpretation, texts};
use pedra_model::bv::Bv;
use pedra_model::formula::formula;
use pedra_model::simplify::Rewriter;
use pedra_model::term::{BinaryOp, Term, TermId, Terms, UnaryOp};
use pedra_program::inline::{Inlined, InstanceId};
use pedra_program::summaries::Summary;
use pedra_program::{EdgeRef, Procedure, ProcedureId, Program, ProgramProof, Span, VariableId};
use std::collections::BTreeMap;
use std::path::Path;

/// Longer invariants are counted rather than printed.
const MAX_SHOWN: usize = 6;

/// The widest line of an invariant.
const MAX_WIDTH: usize = 160;

/// A clause about more single bits than this is no use to a reader.
const MAX_BITS: usize = 3;

/// For tools, conjuncts of C may be this many times as long as for readers. Chosen, not measured.
const FOR_TOOLS: usize = 16;

/// What a proof says of one place on a loop, or of what a procedure returns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoopInvariant {
    /// `loop.c:9`
    pub place: String,
    /// Its position.
    pub span: Span,
    /// The head of the loop as the source writes it; empty for a loop of `goto`. For a summary the
    /// procedure with its parameters, of Horn clauses the predicate with its arguments.
    pub head: String,
    /// For a loop of a procedure that is called at several places: which call it is about, such as
    /// `loop.c:20`, and the calls around that one.
    pub call: Option<String>,
    /// Whether it is the summary of a procedure.
    pub is_summary: bool,
    /// Conjuncts as expressions of the source.
    pub shown: Vec<String>,
    /// Conjuncts about all elements of arrays, as formulas: `(∀p: p ≥ i ∨ a[p] = 0)`.
    pub quantified: Vec<String>,
    /// How many conjuncts speak of single bits.
    pub over_bits: usize,
    /// How many others have no form in the source, or a long one.
    pub hidden: usize,
    /// Those of C over single bits or with long forms: of use to tools, not to readers.
    pub for_tools: Vec<String>,
    /// The language of the conjuncts.
    pub language: Language,
}

impl LoopInvariant {
    /// Whether it says nothing.
    pub fn is_trivial(&self) -> bool {
        self.shown.is_empty() && self.quantified.is_empty() && self.over_bits + self.hidden == 0
    }

    /// On one line: the shortest conjuncts, and the number of the others.
    pub fn text(&self) -> String {
        let mut parts: Vec<&str> = self.shown.iter().map(String::as_str).collect();
        parts.sort_by_key(|part| part.len());
        // What is said of all elements is what such a proof is about.
        let mut quantified: Vec<&str> = self.quantified.iter().map(String::as_str).collect();
        quantified.sort_by_key(|part| part.len());
        parts.splice(0..0, quantified);
        let mut width = 0;
        let fits = |part: &&&str| {
            width += part.len() + 4;
            width <= MAX_WIDTH
        };
        let fitting = parts.iter().take_while(fits).count().clamp(1, MAX_SHOWN).min(parts.len());
        let text = match (self.language, fitting) {
            (Language::Horn, 2..) => format!("(and {})", parts[..fitting].join(" ")),
            _ => parts[..fitting].join(" && "),
        };
        let left = parts.len() - fitting + self.hidden;
        let mut more = Vec::new();
        match self.over_bits {
            0 => {}
            1 => more.push("1 clause over bits".to_owned()),
            n => more.push(format!("{n} clauses over bits")),
        }
        if left > 0 {
            more.push(format!("{left} more"));
        }
        let text = match (text.is_empty(), more.is_empty()) {
            (true, true) => "true".to_owned(),
            (true, false) => more.join(", "),
            (false, true) => text,
            (false, false) if self.language == Language::Horn => {
                format!("{text}, and {}", more.join(", "))
            }
            (false, false) => format!("{text} && ({})", more.join(", ")),
        };
        if self.is_summary { format!("ensures {text}") } else { text }
    }

    /// The conjuncts that a witness can have: those that do not speak of the values before a call.
    pub fn for_witness(&self) -> impl Iterator<Item = &str> {
        let all = self.shown.iter().chain(&self.for_tools).map(String::as_str);
        all.filter(|text| !text.contains(OLD))
    }
}

/// How the value of a variable before a call is written, in C (by ACSL) and in Boogie.
const OLD: &str = "\\old(";
const OLD_IN_BOOGIE: &str = "old(";

/// The invariants of a proof, in the order of the source, also of places of which it says nothing.
pub fn loop_invariants(
    program: &Program,
    inlined: &Inlined,
    proof: &ProgramProof,
) -> Vec<LoopInvariant> {
    let mut terms = proof.terms.clone();
    let file = program.files.first().map(Path::new);
    let language = file.and_then(Language::of).unwrap_or(Language::C);
    let mut found = Vec::new();
    for (&place, conjuncts) in &proof.invariants {
        let (instance, original) = inlined.places[place.index()];
        let source = &program.procedure(original.procedure).places[original.place.index()];
        let summary = inlined.program.summaries.iter().find(|summary| summary.exit == place);
        let (span, mut head) = match (summary, &source.head_of) {
            (Some(summary), _) => signature(program, summary.procedure),
            (None, Some(head)) => (head.span, head.text.to_string()),
            (None, None) => (source.span, String::new()),
        };
        let is_summary = summary.is_some();
        let old = if language == Language::Boogie { OLD_IN_BOOGIE } else { OLD };
        let names = names_at(program, inlined, instance, old);
        let callee = summary.map(|summary| program.procedure(summary.procedure).name.to_string());
        let predicate = callee.unwrap_or_else(|| head.clone());
        let arguments = arguments_of(&inlined.program, &names, &predicate);
        let (about_all, conjuncts) = split(proof, conjuncts);
        let quantified = about_all.iter().map(|&c| for_all(&inlined.program, &names, proof, c));
        let mut quantified: Vec<String> = quantified.collect();
        quantified.dedup();
        let express = Express::new(&inlined.program, names.clone());
        let merged = merge_bits(&mut terms, &conjuncts);
        let long = Express::new(&inlined.program, names.clone()).longer(FOR_TOOLS);
        let (mut shown, mut for_tools, mut over_bits, mut hidden) = (vec![], vec![], 0, 0);
        for conjunct in merged {
            let is_bits = single_bits(&terms, conjunct) > MAX_BITS;
            let text = match language {
                Language::Boogie => boogie_text(&inlined.program, &names, &terms, conjunct),
                Language::Horn => horn_text(&arguments, &terms, conjunct),
                Language::C => express.conjunct(&mut terms, conjunct),
            };
            match text {
                _ if is_bits => over_bits += 1,
                Some(text) if text == "1" || text == "true" => {}
                Some(text) => {
                    shown.push(text);
                    continue;
                }
                None => hidden += 1,
            }
            if language == Language::C {
                for_tools.extend(long.conjunct(&mut terms, conjunct).filter(|text| text != "1"));
            }
        }
        shown.dedup();
        if language == Language::Horn {
            let arguments: String = (0..arguments.len()).map(|at| format!(" x{at}")).collect();
            head = format!("({}{arguments})", symbol(&predicate));
        }
        let place = program.location(span, false);
        found.push(LoopInvariant {
            place,
            span,
            head,
            call: call_of(program, inlined, instance).filter(|_| !is_summary),
            is_summary,
            shown,
            quantified,
            over_bits,
            hidden,
            for_tools,
            language,
        });
    }
    found.sort_by_key(|loop_| loop_.span);
    if language == Language::Horn { by_predicate(found) } else { found }
}

/// What is said of a predicate at several places, and of what its procedure returns, holds for all
/// its tuples: each of them has all derivations.
fn by_predicate(found: Vec<LoopInvariant>) -> Vec<LoopInvariant> {
    let mut predicates: Vec<LoopInvariant> = Vec::new();
    for of in found {
        let of = LoopInvariant { is_summary: false, call: None, ..of };
        let Some(known) = predicates.iter_mut().find(|known| known.head == of.head) else {
            predicates.push(of);
            continue;
        };
        let is_new = |text: &String| !known.shown.iter().any(|other| are_same(other, text));
        let more: Vec<String> = of.shown.into_iter().filter(is_new).collect();
        known.shown.extend(more);
        known.quantified.extend(of.quantified);
        known.quantified.dedup();
        // Of what has no form, most is the same.
        known.over_bits = known.over_bits.max(of.over_bits);
        known.hidden = known.hidden.max(of.hidden);
    }
    predicates
}

/// Whether two formulas of SMT-LIB are the same, or equations with their sides exchanged.
fn are_same(one: &str, other: &str) -> bool {
    let sides = |text: &str| {
        let inner = text.strip_prefix("(= ")?.strip_suffix(')')?;
        let mut depth = 0_usize;
        let is_between = |c: char| {
            depth = (depth + usize::from(c == '(')).saturating_sub(usize::from(c == ')'));
            c == ' ' && depth == 0
        };
        let (left, right) = inner.split_at(inner.find(is_between)?);
        Some((left.to_owned(), right[1..].to_owned()))
    };
    let flipped = |(left, right): (String, String)| (right, left);
    one == other || sides(one).is_some_and(|pair| sides(other).map(flipped) == Some(pair))
}

/// Which call an instance is, if its procedure has several: the place of the call, and of those
/// around it.
fn call_of(program: &Program, inlined: &Inlined, instance: InstanceId) -> Option<String> {
    let procedure = inlined.instances[instance.0].procedure;
    let same = inlined.instances.iter().filter(|other| other.procedure == procedure);
    if same.count() < 2 {
        return None;
    }
    let caller = |at: InstanceId| inlined.instances[at.0].caller;
    let calls = std::iter::successors(caller(instance), |(at, _)| caller(*at));
    let place = |(_, edge): (InstanceId, EdgeRef)| program.location(program.edge(edge).span, false);
    let places: Vec<String> = calls.map(place).collect();
    (!places.is_empty()).then(|| places.join(", "))
}

/// The conjuncts that speak of positions, and the others.
fn split(proof: &ProgramProof, conjuncts: &[TermId]) -> (Vec<TermId>, Vec<TermId>) {
    let is_about_all = |conjunct: &TermId| {
        let cone = proof.terms.cone([*conjunct]);
        proof.positions.iter().any(|position| cone.get(position.index()) == Some(&true))
    };
    conjuncts.iter().partition(|conjunct| is_about_all(conjunct))
}

/// A conjunct about all positions, as a formula. Positions are `p`, `q` and so on, or numbered if
/// the program has variables with such names. Variables have the names of the source, also where
/// another loop has one of the same name.
fn for_all(
    program: &Program,
    names: &[(VariableId, String)],
    proof: &ProgramProof,
    conjunct: TermId,
) -> String {
    let cone = proof.terms.cone([conjunct]);
    let used: Vec<TermId> =
        proof.positions.iter().copied().filter(|position| cone[position.index()]).collect();
    let is_free = |letter: &str| names.iter().all(|(_, name)| name != letter);
    let letters = ["p", "q", "r", "s", "t"].into_iter().filter(|letter| is_free(letter));
    let letters = letters.map(str::to_owned).chain((0..).map(|number| format!("p#{number}")));
    let letters: Vec<String> = letters.take(used.len()).collect();
    // The low part of a position, as an index, is shown as the position.
    let whole = |term: TermId| match *proof.terms.get(term) {
        Term::Slice { arg, low: 0, .. } => arg,
        _ => term,
    };
    let name = |term: TermId| match used.iter().position(|&position| position == whole(term)) {
        Some(number) => Some(letters[number].clone()),
        None => {
            let known = names.iter().find(|(id, _)| program.term_of(*id) == term);
            let variable = || program.variables.iter().find(|variable| variable.term == term);
            let shown = || variable()?.name.as_deref().map(str::to_owned);
            known.map(|(_, name)| name.clone()).or_else(shown)
        }
    };
    format!("(∀{}: {})", letters.join(", "), formula(&proof.terms, conjunct, true, &name))
}

/// A term as a Boogie expression over variables with these names, as one of several conjuncts.
fn boogie_text(
    program: &Program,
    names: &[(VariableId, String)],
    terms: &Terms,
    term: TermId,
) -> Option<String> {
    let mut scope = Program { terms: terms.clone(), ..program.clone() };
    let mut procedure = Procedure::new("", Span::default());
    scope.globals.clear();
    for (variable, name) in names {
        scope.variables[variable.index()].name = Some(name.as_str().into());
        procedure.variables.push(*variable);
    }
    let text = pedra_boogie::print(&scope, &procedure, term)?.text;
    // Conjuncts are joined by `&&`, which Boogie does not mix with these.
    let is_loose = ["||", "==>", "if "].iter().any(|part| text.contains(part));
    Some(if is_loose { format!("({text})") } else { text })
}

/// The arguments of a predicate, whose variables are `P.0`, `P.1` and so on.
fn arguments_of(program: &Program, names: &[(VariableId, String)], predicate: &str) -> Vec<TermId> {
    let number = |name: &str| name.strip_prefix(predicate)?.strip_prefix('.')?.parse().ok();
    let found = names.iter().filter_map(|(id, name)| Some((number(name)?, program.term_of(*id))));
    let by_number: BTreeMap<usize, TermId> = found.collect();
    by_number.into_values().collect()
}

/// A term over the arguments of a predicate, in SMT-LIB.
fn horn_text(arguments: &[TermId], terms: &Terms, conjunct: TermId) -> Option<String> {
    let cone = terms.cone([conjunct]);
    let mut symbols = terms.iter().filter(|(id, _)| cone[id.index()]);
    if symbols.any(|(id, _)| terms.symbol_of(id).is_some() && !arguments.contains(&id)) {
        return None;
    }
    let of = Interpretation { arguments: arguments.to_vec(), conjuncts: vec![conjunct] };
    let text = texts(terms, &of).pop()?;
    Some(text.split_whitespace().collect::<Vec<_>>().join(" "))
}

/// Where a procedure stands, and how it is called.
fn signature(program: &Program, id: ProcedureId) -> (Span, String) {
    let procedure = program.procedure(id);
    let name = |&v: &VariableId| program.variable(v).name.as_deref().unwrap_or("_").to_owned();
    let parameters: Vec<String> = procedure.parameters.iter().map(name).collect();
    (procedure.span, format!("{}({})", procedure.name, parameters.join(", ")))
}

/// The variables that have a name of their own in an instance of a procedure. In the part of a
/// recursive one there are also the values before the call, and the one result.
fn names_at(
    program: &Program,
    inlined: &Inlined,
    instance: InstanceId,
    old: &str,
) -> Vec<(VariableId, String)> {
    let summaries = &inlined.program.summaries;
    let kept = |id: VariableId| summaries.iter().any(|s| s.before.iter().any(|(_, k)| *k == id));
    let mut special = Vec::new();
    let is_here = |s: &&Summary| inlined.places[s.entry.index()].0 == instance;
    if let Some(summary) = summaries.iter().find(is_here) {
        for (variable, kept) in &summary.before {
            let original = inlined.variables[variable.index()].1;
            if let Some(name) = &program.variable(original).name {
                special.push((*kept, format!("{old}{name})")));
            }
        }
        let results = &program.procedure(summary.procedure).results;
        let of = |v: &&VariableId| inlined.variables[v.index()].1;
        let is_result = |v: &&VariableId| results.contains(&of(v));
        if let ([result], Some(&copy)) = (&results[..], summary.after.iter().find(is_result))
            && program.variable(*result).name.is_none()
        {
            special.push((copy, "\\result".to_owned()));
        }
    }

    let procedure = program.procedure(inlined.instances[instance.0].procedure);
    let is_local = |original: &VariableId| procedure.variables.contains(original);
    let mut by_name: BTreeMap<&str, Vec<VariableId>> = BTreeMap::new();
    for (index, (owner, original)) in inlined.variables.iter().enumerate() {
        let is_seen = !kept(VariableId::new(index))
            && (program.globals.contains(original) || *owner == instance && is_local(original));
        let name = program.variables.get(original.index()).and_then(|v| v.name.as_deref());
        if let (true, Some(name)) = (is_seen, name) {
            by_name.entry(name).or_default().push(VariableId::new(index));
        }
    }
    let single = by_name.into_iter().filter_map(|(name, ids)| match ids.as_slice() {
        [one] => Some((*one, name.to_owned())),
        _ => None,
    });
    single.chain(special).collect()
}

/// Conjuncts about single bits of one word, taken together: `x < 16` instead of 28 bits that are
/// zero.
pub fn merge_bits(terms: &mut Terms, conjuncts: &[TermId]) -> Vec<TermId> {
    let mut bits: BTreeMap<TermId, Vec<(u32, bool)>> = BTreeMap::new();
    let mut merged = Vec::new();
    for &conjunct in conjuncts {
        let conjunct = Rewriter::new().rewrite(terms, conjunct);
        match bit_literal(terms, conjunct) {
            Some((word, bit, value)) => bits.entry(word).or_default().push((bit, value)),
            None => merged.push(conjunct),
        }
    }
    for (word, list) in bits {
        let width = terms.width(word);
        let mut is_set = vec![None; width as usize];
        list.iter().for_each(|&(bit, value)| is_set[bit as usize] = Some(value));
        let free = is_set.iter().take_while(|bit| bit.is_none()).count();
        let above_zero = is_set[free..].iter().all(|bit| *bit == Some(false));
        let vector = |f: fn(&Option<bool>) -> bool| {
            Bv::from_bits(&is_set.iter().map(f).collect::<Vec<bool>>())
        };
        let term = if above_zero && free > 0 && list.len() > 1 {
            let bound = terms.constant(Bv::low_ones(width, free as u32));
            terms.binary(BinaryOp::Ulte, word, bound)
        } else {
            let mask = terms.constant(vector(Option::is_some));
            let value = terms.constant(vector(|bit| *bit == Some(true)));
            let masked = terms.binary(BinaryOp::And, word, mask);
            terms.binary(BinaryOp::Eq, masked, value)
        };
        merged.push(Rewriter::new().rewrite(terms, term));
    }
    merged
}

/// The bit of a symbol that a term says is so.
fn bit_literal(terms: &Terms, term: TermId) -> Option<(TermId, u32, bool)> {
    let (term, value) = match *terms.get(term) {
        Term::Unary(UnaryOp::Not, inner) => (inner, false),
        _ => (term, true),
    };
    match *terms.get(term) {
        Term::Slice { arg, high, low } if high == low && terms.symbol_of(arg).is_some() => {
            Some((arg, low, value))
        }
        _ => None,
    }
}

/// How many single bits of words a term speaks of.
fn single_bits(terms: &Terms, term: TermId) -> usize {
    let is_bit =
        |id: &TermId| matches!(terms.get(*id), Term::Slice { high, low, .. } if high == low);
    terms.cone_ids([term]).iter().filter(|id| is_bit(id)).count()
}

/// A line for each loop, for the terminal.
pub fn lines(invariants: &[LoopInvariant]) -> Vec<String> {
    let width =
        |part: fn(&LoopInvariant) -> usize| invariants.iter().map(part).max().unwrap_or(0).min(48);
    let first = width(|i| i.place.chars().count());
    let head = |i: &LoopInvariant| match &i.call {
        Some(call) => format!("{} called at {call}", i.head),
        None => i.head.clone(),
    };
    let heads: Vec<String> = invariants.iter().map(head).collect();
    let second = heads.iter().map(|head| head.chars().count()).max().unwrap_or(0).min(48);
    let line = |(i, head): (&LoopInvariant, &String)| {
        let text = i.text();
        format!("            {:<first$}  {head:<second$}  {text}", i.place)
    };
    invariants.iter().zip(&heads).map(line).collect()
}
