//! The safety of a system as constrained Horn clauses.
//!
//! One predicate `Inv` over the states holds whatever a path can reach whose steps so far kept
//! the constraints C. With states s, t, inputs i, next function F and property bad:
//!
//! ```text
//! init:   Init(s, i)                          → Inv(s)
//! step:   Inv(s) ∧ C(s, i) ∧ t = F(s, i)      → Inv(t)
//! query:  Inv(s) ∧ C(s, i) ∧ (bad₀ ∨ bad₁ ∨ …) → false
//! ```
//!
//! A state without next is free in t. An input that the initial value of some state depends on
//! has to keep its value from `Init` to the first step, so such inputs are arguments of `Inv`
//! as well; in t they are free.
//!
//! The clauses are assertions in the logic `HORN`: a solver that answers `sat` has found an
//! `Inv`, so every property is proved; `unsat` means that some property is violated. For
//! instance `z3 fp.engine=spacer FILE`.

use super::{Printer, UnnamedSymbol, quoted, sort};
use pedra_model::bits::Name;
use pedra_model::system::System;
use pedra_model::term::TermId;
use std::fmt;
use std::fmt::Write as _;

/// Why there are no Horn clauses for a system.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum ChcError {
    /// Nothing is claimed.
    NoProperty,
    /// A symbol is neither an input nor a state.
    LooseSymbol(TermId),
}

impl fmt::Display for ChcError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ChcError::NoProperty => f.write_str("there is no safety property"),
            ChcError::LooseSymbol(term) => {
                write!(f, "term {} is a symbol, but neither input nor state", term.index())
            }
        }
    }
}

impl std::error::Error for ChcError {}

impl From<UnnamedSymbol> for ChcError {
    fn from(symbol: UnnamedSymbol) -> ChcError {
        ChcError::LooseSymbol(symbol.0)
    }
}

/// Writes the safety of all bads as Horn clauses: `sat` means proved, `unsat` violated.
pub fn write_chc(system: &System) -> Result<String, ChcError> {
    if system.bads.is_empty() {
        return Err(ChcError::NoProperty);
    }
    let clauses = Clauses::new(system);
    let mut out = String::from("; sat: all properties proved, unsat: some property violated\n");
    out.push_str("(set-logic HORN)\n");
    let sorts: Vec<String> = clauses.kept.iter().map(|v| sort(system.terms.sort(v.term))).collect();
    let _ = writeln!(out, "(declare-fun Inv ({}) Bool)", sorts.join(" "));
    clauses.init(&mut out)?;
    clauses.step(&mut out)?;
    clauses.query(&mut out)?;
    out.push_str("(check-sat)\n");
    Ok(out)
}

/// A symbol of the system as a variable.
struct Variable {
    term: TermId,
    now: String,
    next: String,
    /// The next function, if there is one.
    function: Option<TermId>,
}

struct Clauses<'a> {
    system: &'a System,
    printer: Printer<'a>,
    /// The arguments of `Inv`: states, and inputs that initial values depend on.
    kept: Vec<Variable>,
    /// The other inputs.
    free: Vec<Variable>,
}

impl<'a> Clauses<'a> {
    fn new(system: &'a System) -> Clauses<'a> {
        let variable = |kind: &str, index: usize, term, name: &Name, function| {
            let name = name.as_deref().unwrap_or("");
            let now = quoted(&format!("{kind}{index}:{name}"));
            let next = quoted(&format!("{kind}{index}':{name}"));
            Variable { term, now, next, function }
        };
        let in_init = system.terms.cone(system.states.iter().filter_map(|s| s.init));
        let states = system.states.iter().enumerate();
        let mut kept: Vec<Variable> =
            states.map(|(i, s)| variable("s", i, s.term, &s.name, s.next)).collect();
        let mut free = Vec::new();
        for (i, input) in system.inputs.iter().enumerate() {
            let list = if in_init[input.term.index()] { &mut kept } else { &mut free };
            list.push(variable("i", i, input.term, &input.name, None));
        }
        let mut printer = Printer::new(&system.terms, "n");
        for variable in kept.iter().chain(&free) {
            printer.bind(variable.term, variable.now.clone());
        }
        Clauses { system, printer, kept, free }
    }

    /// `Inv` of this or of the next step.
    fn inv(&self, text: impl Fn(&Variable) -> &str) -> String {
        if self.kept.is_empty() {
            return "Inv".into();
        }
        let args: Vec<&str> = self.kept.iter().map(text).collect();
        format!("(Inv {})", args.join(" "))
    }

    /// `∀ variables. definitions. conjunction of conditions → head`.
    fn clause(
        &self,
        out: &mut String,
        variables: &[(&str, TermId)],
        roots: Vec<TermId>,
        conditions: &[String],
        head: &str,
    ) -> Result<(), ChcError> {
        out.push_str("(assert ");
        if !variables.is_empty() {
            out.push_str("(forall (");
            for (name, term) in variables {
                let _ = write!(out, "({name} {})", sort(self.system.terms.sort(*term)));
            }
            out.push_str(")\n");
        }
        let lets = self.printer.open_lets(roots, out)?;
        let body = match conditions {
            [] => "true".into(),
            [one] => one.clone(),
            more => format!("(and {})", more.join(" ")),
        };
        let quantifier = if variables.is_empty() { "" } else { ")" };
        let _ = writeln!(out, "(=> {body} {head}){}{quantifier})", ")".repeat(lets));
        Ok(())
    }

    fn now(&self) -> Vec<(&str, TermId)> {
        self.kept.iter().chain(&self.free).map(|v| (&*v.now, v.term)).collect()
    }

    fn init(&self, out: &mut String) -> Result<(), ChcError> {
        let mut conditions = Vec::new();
        let mut roots = Vec::new();
        for state in &self.system.states {
            if let Some(init) = state.init {
                let (state, value) =
                    (self.printer.reference(state.term), self.printer.reference(init));
                conditions.push(format!("(= {state} {value})"));
                roots.push(init);
            }
        }
        let variables: Vec<_> = self.kept.iter().map(|v| (&*v.now, v.term)).collect();
        self.clause(out, &variables, roots, &conditions, &self.inv(|v| &v.now))
    }

    /// `Inv(s) ∧ C(s, i)` and the roots of C.
    fn premise(&self) -> (Vec<String>, Vec<TermId>) {
        let constraints = self.system.constraints.iter().map(|c| c.term);
        let roots: Vec<TermId> = constraints.collect();
        let mut conditions = vec![self.inv(|v| &v.now)];
        conditions.extend(roots.iter().map(|&c| self.holds(c)));
        (conditions, roots)
    }

    fn holds(&self, term: TermId) -> String {
        format!("(= {} #b1)", self.printer.reference(term))
    }

    fn step(&self, out: &mut String) -> Result<(), ChcError> {
        let (mut conditions, mut roots) = self.premise();
        let mut variables = self.now();
        for variable in &self.kept {
            variables.push((&variable.next, variable.term));
            if let Some(function) = variable.function {
                let value = self.printer.reference(function);
                conditions.push(format!("(= {} {value})", variable.next));
                roots.push(function);
            }
        }
        self.clause(out, &variables, roots, &conditions, &self.inv(|v| &v.next))
    }

    /// One query for all bads: with one each, the text would repeat the constraints.
    fn query(&self, out: &mut String) -> Result<(), ChcError> {
        let (mut conditions, mut roots) = self.premise();
        let bads: Vec<String> = self.system.bads.iter().map(|b| self.holds(b.term)).collect();
        match &bads[..] {
            [one] => conditions.push(one.clone()),
            more => conditions.push(format!("(or {})", more.join(" "))),
        }
        roots.extend(self.system.bads.iter().map(|b| b.term));
        self.clause(out, &self.now(), roots, &conditions, "false")
    }
}
