//! Smaller word-level systems.

use pedra_model::bv::Bv;
use pedra_model::system::{Input, NamedTerm, State, System};
use pedra_model::term::{Scalar, Sort, Term, TermId};

/// Systems that are a little smaller, the largest steps first. The measure: properties and
/// constraints, states and inputs, bits, terms, init terms.
pub fn smaller_words(system: &System) -> Vec<System> {
    let mut found = Vec::new();
    let mut edit = |change: &dyn Fn(&mut System)| {
        let mut copy = system.clone();
        change(&mut copy);
        found.extend(rebuild(&copy, None));
    };
    // Names, outputs and what is not about safety go with the first step.
    edit(&|_| {});
    for i in (0..system.bads.len()).filter(|_| system.bads.len() > 1) {
        edit(&|s| drop(s.bads.remove(i)));
    }
    for i in 0..system.constraints.len() {
        edit(&|s| drop(s.constraints.remove(i)));
    }
    for i in 0..system.states.len() {
        edit(&|s| {
            let State { term, .. } = s.states.remove(i);
            s.inputs.push(Input { term, name: None });
        });
        edit(&|s| s.states[i].init = None);
        edit(&|s| s.states[i].next = None);
        edit(&|s| s.states[i].next = Some(s.states[i].term));
    }
    for (id, term) in system.terms.iter() {
        let sort = system.terms.sort(id);
        let mut change = |change: Change| found.extend(rebuild(system, Some((id, change))));
        change(Change::Zero);
        change(Change::Ones);
        // Arguments of arguments too: a part of an extended word is often the word.
        let deeper = term.args().flat_map(|arg| system.terms.get(arg).args());
        for arg in term.args().chain(deeper).filter(|&arg| system.terms.sort(arg) == sort) {
            change(Change::Arg(arg));
        }
        if matches!(term, Term::Symbol(_)) {
            change(Change::Narrow);
        }
    }
    found.retain(|smaller| measure(smaller) < measure(system) && smaller.init_order().is_ok());
    found
}

/// What gets smaller.
fn measure(s: &System) -> Vec<usize> {
    let bits = |term: TermId| match s.terms.sort(term) {
        Sort::Bv(width) => width as usize,
        Sort::Array { index: Scalar::Bv(index), element: Scalar::Bv(element) } => {
            (element as usize) << index
        }
        Sort::Int | Sort::Array { .. } => usize::BITS as usize,
    };
    let symbols = s.states.iter().map(|x| x.term).chain(s.inputs.iter().map(|x| x.term));
    let is_odd = |x: &State| {
        let init = x.init.map(|init| matches!(s.terms.get(init), Term::Const(_)));
        let next = usize::from(x.next.is_some_and(|next| next != x.term));
        next + init.map_or(0, |is_constant| if is_constant { 1 } else { 2 })
    };
    let is_zero = |t: &Term| matches!(t, Term::Const(value) if value.is_zero());
    vec![
        s.bads.len() + s.constraints.len(),
        2 * s.states.len() + s.inputs.len(),
        symbols.map(bits).sum(),
        s.terms.iter().filter(|(_, t)| !matches!(t, Term::Const(_))).count(),
        s.states.iter().map(is_odd).sum(),
        s.terms.iter().filter(|(_, t)| !is_zero(t)).count(),
        s.terms.len() + s.outputs.len() + s.fairness.len() + s.justice.len(),
        s.names.len() + s.comments.len(),
    ]
}

/// What becomes of one term.
#[derive(Copy, Clone)]
enum Change {
    Zero,
    Ones,
    /// One of its arguments, or of theirs.
    Arg(TermId),
    /// A symbol gets one bit less: it is a shorter one, extended by a zero.
    Narrow,
}

/// The system with one term changed, if that is possible, and without what nothing reads.
fn rebuild(system: &System, change: Option<(TermId, Change)>) -> Option<System> {
    let change_of = |id: TermId| change.filter(|(changed, _)| *changed == id).map(|(_, to)| to);
    let used = used_terms(system, &change_of);
    let mut small = System::new();
    // By old term: the new one, and the symbol in it if it was one.
    let mut place: Vec<Option<TermId>> = vec![None; system.terms.len()];
    let mut symbols = place.clone();
    for (id, term) in system.terms.iter().filter(|(id, _)| used[id.index()]) {
        let (sort, terms) = (system.terms.sort(id), &mut small.terms);
        let new = match (change_of(id), term) {
            (Some(Change::Zero), _) => terms.constant(Bv::zero(sort.width()?)),
            (Some(Change::Ones), _) => terms.constant(Bv::ones(sort.width()?)),
            (Some(Change::Arg(arg)), _) => place[arg.index()]?,
            (Some(Change::Narrow), _) => {
                let width = sort.width().filter(|&width| width > 1)?;
                let arg = terms.new_symbol(Sort::Bv(width - 1));
                symbols[id.index()] = Some(arg);
                terms.add(Term::Extend { arg, by: 1, signed: false }).ok()?
            }
            (None, Term::Symbol(_)) => {
                let symbol = terms.new_symbol(sort);
                symbols[id.index()] = Some(symbol);
                symbol
            }
            (None, _) => {
                let args = term.with_args(|a| place[a.index()].expect("arguments are used"));
                terms.add(args).ok()?
            }
        };
        place[id.index()] = Some(new);
    }
    for input in &system.inputs {
        let term = symbols[input.term.index()];
        small.inputs.extend(term.map(|term| Input { term, name: None }));
    }
    for state in &system.states {
        let Some(term) = symbols[state.term.index()] else { continue };
        // What a narrower state starts with and becomes is cut off.
        let high = small.terms.sort(term).width().map(|width| width - 1);
        let is_narrow = matches!(change_of(state.term), Some(Change::Narrow));
        let mut root = |old: Option<TermId>| {
            let arg = place[old?.index()]?;
            let cut = high.filter(|_| is_narrow).map(|high| Term::Slice { arg, high, low: 0 });
            Some(cut.map_or(arg, |cut| small.terms.add(cut).expect("a part of a word")))
        };
        let (init, next) = (root(state.init), root(state.next));
        small.states.push(State { term, name: None, init, next });
    }
    let root = |n: &NamedTerm| Some(NamedTerm { term: place[n.term.index()]?, name: None });
    small.bads = system.bads.iter().map(root).collect::<Option<_>>()?;
    small.constraints = system.constraints.iter().map(root).collect::<Option<_>>()?;
    Some(small)
}

/// What properties, constraints and the states that they read depend on.
fn used_terms(system: &System, change_of: &dyn Fn(TermId) -> Option<Change>) -> Vec<bool> {
    let mut used = vec![false; system.terms.len()];
    let roots = system.bads.iter().chain(&system.constraints);
    let mut stack: Vec<TermId> = roots.map(|n| n.term).collect();
    while let Some(id) = stack.pop() {
        if std::mem::replace(&mut used[id.index()], true) {
            continue;
        }
        match change_of(id) {
            Some(Change::Zero | Change::Ones) => continue,
            Some(Change::Arg(arg)) => stack.push(arg),
            Some(Change::Narrow) | None => stack.extend(system.terms.get(id).args()),
        }
        let state = system.states.iter().find(|state| state.term == id);
        stack.extend(state.into_iter().flat_map(|state| [state.init, state.next]).flatten());
    }
    used
}
