//! Whether two systems are the same but for the numbering of their terms.

use pedra_model::bits::Name;
use pedra_model::system::{NamedTerm, System};
use pedra_model::term::{Term, TermId};
use std::mem::discriminant;

/// Compares two systems: the same inputs, states and properties in the same order with the
/// same names, and the same terms behind them. Comments do not count. The error says what
/// differs first.
pub fn same_model(a: &System, b: &System) -> Result<(), String> {
    let mut walk = Walk { a, b, image: vec![None; a.terms.len()], stack: Vec::new() };
    walk.symbols()?;
    for (i, (x, y)) in a.states.iter().zip(&b.states).enumerate() {
        walk.optional(x.init, y.init, &format!("init of state {i}"))?;
        walk.optional(x.next, y.next, &format!("next of state {i}"))?;
    }
    walk.lists("bad", &a.bads, &b.bads)?;
    walk.lists("constraint", &a.constraints, &b.constraints)?;
    walk.lists("fair", &a.fairness, &b.fairness)?;
    walk.lists("output", &a.outputs, &b.outputs)?;
    lengths("justice", a.justice.len(), b.justice.len())?;
    for (i, (x, y)) in a.justice.iter().zip(&b.justice).enumerate() {
        let what = format!("justice {i}");
        names(&what, &x.name, &y.name)?;
        lengths(&what, x.terms.len(), y.terms.len())?;
        x.terms.iter().zip(&y.terms).try_for_each(|(&x, &y)| walk.terms(x, y, &what))?;
    }
    walk.inner_names()
}

fn lengths(what: &str, a: usize, b: usize) -> Result<(), String> {
    if a == b { Ok(()) } else { Err(format!("{what}: {a} against {b}")) }
}

fn names(what: &str, a: &Name, b: &Name) -> Result<(), String> {
    if a == b { Ok(()) } else { Err(format!("{what}: named {a:?} against {b:?}")) }
}

struct Walk<'a> {
    a: &'a System,
    b: &'a System,
    /// For each term of `a` the term of `b` that it was matched with.
    image: Vec<Option<TermId>>,
    stack: Vec<(TermId, TermId)>,
}

impl Walk<'_> {
    fn symbols(&mut self) -> Result<(), String> {
        let (a, b) = (self.a, self.b);
        lengths("inputs", a.inputs.len(), b.inputs.len())?;
        lengths("states", a.states.len(), b.states.len())?;
        let inputs = a.inputs.iter().zip(&b.inputs);
        let inputs = inputs.map(|(x, y)| ("input", x.term, y.term, &x.name, &y.name));
        let states = a.states.iter().zip(&b.states);
        let states = states.map(|(x, y)| ("state", x.term, y.term, &x.name, &y.name));
        let mut taken = vec![false; b.terms.len()];
        for (what, x, y, x_name, y_name) in inputs.chain(states) {
            let what = format!("{what} {x:?}");
            // Each symbol stands for one input or state, on either side: otherwise a model in
            // which two of them are one, or a constant, would be the same.
            let is_symbol = a.terms.symbol_of(x).is_some() && b.terms.symbol_of(y).is_some();
            let is_shared = self.image[x.index()].is_some() || taken[y.index()];
            if !is_symbol || is_shared {
                return Err(format!("{what}: not a symbol of its own"));
            }
            taken[y.index()] = true;
            names(&what, x_name, y_name)?;
            let (left, right) = (a.terms.sort(x), b.terms.sort(y));
            if left != right {
                return Err(format!("{what}: a {left} against a {right}"));
            }
            self.image[x.index()] = Some(y);
        }
        Ok(())
    }

    fn optional(&mut self, a: Option<TermId>, b: Option<TermId>, what: &str) -> Result<(), String> {
        match (a, b) {
            (None, None) => Ok(()),
            (Some(a), Some(b)) => self.terms(a, b, what),
            _ => Err(format!("{what}: on one side only")),
        }
    }

    fn lists(&mut self, what: &str, a: &[NamedTerm], b: &[NamedTerm]) -> Result<(), String> {
        lengths(what, a.len(), b.len())?;
        for (i, (x, y)) in a.iter().zip(b).enumerate() {
            let what = format!("{what} {i}");
            names(&what, &x.name, &y.name)?;
            self.terms(x.term, y.term, &what)?;
        }
        Ok(())
    }

    fn terms(&mut self, a: TermId, b: TermId, what: &str) -> Result<(), String> {
        self.stack.clear();
        self.stack.push((a, b));
        while let Some((x, y)) = self.stack.pop() {
            if let Some(seen) = self.image[x.index()] {
                if seen == y {
                    continue;
                }
                return Err(format!("{what}: {x:?} stands for {seen:?} and for {y:?}"));
            }
            let (left, right) = (self.a.terms.get(x), self.b.terms.get(y));
            if !same_head(left, right) || self.a.terms.sort(x) != self.b.terms.sort(y) {
                return Err(format!("{what}: {left:?} against {right:?}"));
            }
            self.image[x.index()] = Some(y);
            self.stack.extend(left.args().zip(right.args()));
        }
        Ok(())
    }

    /// The names of inner terms, in any order.
    fn inner_names(&mut self) -> Result<(), String> {
        lengths("names", self.a.names.len(), self.b.names.len())?;
        self.match_named()?;
        let image = |t: TermId| self.image[t.index()].expect("every named term is matched");
        let mut left: Vec<_> = self.a.names.iter().map(|(t, n)| (image(*t), &**n)).collect();
        let mut right: Vec<_> = self.b.names.iter().map(|(t, n)| (*t, &**n)).collect();
        left.sort();
        right.sort();
        match left.iter().zip(&right).find(|(l, r)| l != r) {
            None => Ok(()),
            Some((l, r)) => Err(format!("names: {l:?} against {r:?}")),
        }
    }

    /// Finds partners for named terms that nothing uses, from their arguments upwards: the
    /// partner is what the same operator over the arguments' partners is in the other store.
    fn match_named(&mut self) -> Result<(), String> {
        let is_new = |t: &TermId| self.image[t.index()].is_none();
        let loose: Vec<TermId> = self.a.names.iter().map(|(t, _)| *t).filter(is_new).collect();
        if loose.is_empty() {
            return Ok(());
        }
        let mut store = self.b.terms.clone();
        let cone = self.a.terms.cone(loose);
        for (id, term) in self.a.terms.iter().filter(|(t, _)| cone[t.index()]) {
            if self.image[id.index()].is_some() {
                continue;
            }
            let Some(term) = self.translated(term) else {
                return Err(format!("{id:?}: a symbol that is neither input nor state"));
            };
            match store.add(term) {
                Ok(partner) if partner.index() < self.b.terms.len() => {
                    self.image[id.index()] = Some(partner);
                }
                _ => return Err(format!("{id:?}: named, without a partner")),
            }
        }
        Ok(())
    }

    /// The term with the partners of its arguments.
    fn translated(&self, term: &Term) -> Option<Term> {
        let to = |t: TermId| self.image[t.index()];
        Some(match *term {
            Term::Const(ref value) => Term::Const(value.clone()),
            Term::Symbol(_) => return None,
            Term::Unary(op, a) => Term::Unary(op, to(a)?),
            Term::Binary(op, a, b) => Term::Binary(op, to(a)?, to(b)?),
            Term::IntConst(ref value) => Term::IntConst(value.clone()),
            Term::IntNeg(a) => Term::IntNeg(to(a)?),
            Term::Int(op, a, b) => Term::Int(op, to(a)?, to(b)?),
            Term::Ite(a, b, c) => Term::Ite(to(a)?, to(b)?, to(c)?),
            Term::Slice { arg, high, low } => Term::Slice { arg: to(arg)?, high, low },
            Term::Extend { arg, by, signed } => Term::Extend { arg: to(arg)?, by, signed },
            Term::ConstArray { index, value } => Term::ConstArray { index, value: to(value)? },
            Term::Read(a, b) => Term::Read(to(a)?, to(b)?),
            Term::Write(a, b, c) => Term::Write(to(a)?, to(b)?, to(c)?),
        })
    }
}

/// The same operator with the same numbers, whatever the arguments.
fn same_head(a: &Term, b: &Term) -> bool {
    match (a, b) {
        (Term::Const(x), Term::Const(y)) => x == y,
        // Symbols are matched by their place in the lists beforehand.
        (Term::Symbol(_), _) | (_, Term::Symbol(_)) => false,
        (Term::Unary(x, _), Term::Unary(y, _)) => x == y,
        (Term::Binary(x, _, _), Term::Binary(y, _, _)) => x == y,
        (Term::IntConst(x), Term::IntConst(y)) => x == y,
        (Term::Int(x, _, _), Term::Int(y, _, _)) => x == y,
        (Term::Slice { high: h1, low: l1, .. }, Term::Slice { high: h2, low: l2, .. }) => {
            (h1, l1) == (h2, l2)
        }
        (Term::Extend { by: b1, signed: s1, .. }, Term::Extend { by: b2, signed: s2, .. }) => {
            (b1, s1) == (b2, s2)
        }
        (Term::ConstArray { index: x, .. }, Term::ConstArray { index: y, .. }) => x == y,
        _ => discriminant(a) == discriminant(b),
    }
}
