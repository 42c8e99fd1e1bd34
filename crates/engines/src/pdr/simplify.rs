//! Fewer variables and clauses for the transition relation, still as definitions.
//!
//! A gate `v` is *eliminated* by resolving the clauses `G` of its definition with the clauses
//! `R` that use it (N. Eén, A. Biere: *Effective preprocessing in SAT through variable and clause
//! elimination*, SAT 2005), if that makes no more clauses than there were. For a function the
//! resolvents of `G` with `R` suffice: resolvents within `G` are tautologies, those within `R`
//! follow from them.
//!
//! *Required for the solver's domains*: the result consists of definitions again. A clause of `R`
//! belongs to the definition of a larger variable `w`, and so does each of its resolvents, which
//! has `w` still as its largest variable. Together they say that `w` is the same function, with `v`
//! substituted: for every assignment of the smaller variables there is a value of `w`. A general
//! eliminator, which resolves any two clauses, would not keep this.
//!
//! Variables that others know by number (states, inputs, next functions, bads, constraints,
//! resets) are *frozen* and stay.

use super::definitions::Definitions;
use super::encode::MAX_WIDTH;
use super::transition::Transition;
use crate::trace::is_subset;
use pedra_model::lit::{Lit, Var};
use pedra_solve::{Interrupt, SatSolver};

/// Variables with more uses stay: the work for one is quadratic (rIC3: 2000).
const MAX_USES: usize = 400;
/// Passes over all variables; few gain after the third.
const MAX_PASSES: usize = 5;
/// Larger relations are left alone: what is saved is small beside the rest, and takes long.
const MAX_CLAUSES: usize = 4_000_000;

/// The clauses at work.
struct Eliminator {
    all: Definitions,
    is_live: Vec<bool>,
    /// By variable: the clauses of its definition; may hold dead ones.
    defining: Vec<Vec<u32>>,
    /// By variable: the clauses of other definitions that have it; may hold dead ones.
    uses: Vec<Vec<u32>>,
    /// Working memory: the resolvents for one variable, one after the other, and their ends.
    resolvents: Vec<Lit>,
    ends: Vec<usize>,
}

/// Eliminates what pays from the relation of a system.
pub(crate) fn simplify_relation(
    definitions: &mut Definitions,
    transition: &mut Transition,
    interrupt: &Interrupt,
) {
    let mut frozen = vec![false; definitions.num_vars()];
    transition.known_vars(|var| frozen[var.index()] = true);
    let (simple, names) = simplify(definitions, &frozen, interrupt);
    transition.rename(|lit| rename(&names, lit));
    *definitions = simple;
}

/// Eliminates what pays. Gives the new clauses, and the new number of each variable (`None` if
/// it is gone); the order of the variables stays.
fn simplify(
    definitions: &Definitions,
    frozen: &[bool],
    interrupt: &Interrupt,
) -> (Definitions, Vec<Option<Var>>) {
    let num_vars = definitions.num_vars();
    let mut is_gone = vec![false; num_vars];
    let mut work = Eliminator::new(definitions);
    let mut is_due = vec![definitions.len() <= MAX_CLAUSES; num_vars];
    for _ in 0..MAX_PASSES {
        let mut eliminated = 0;
        for var in (1..num_vars).map(Var::new) {
            if var.index() % 1024 == 0 && interrupt.poll() {
                break;
            }
            if !std::mem::take(&mut is_due[var.index()])
                || frozen[var.index()]
                || is_gone[var.index()]
            {
                continue;
            }
            if work.try_eliminate(var, &mut is_due) {
                is_gone[var.index()] = true;
                eliminated += 1;
            }
        }
        if eliminated * 100 < num_vars {
            break;
        }
    }
    let mut count = 0;
    let names: Vec<Option<Var>> = is_gone
        .iter()
        .map(|&is_gone| {
            count += !is_gone as usize;
            (!is_gone).then(|| Var::new(count - 1))
        })
        .collect();
    (work.finish(&names, count), names)
}

impl Eliminator {
    fn new(definitions: &Definitions) -> Eliminator {
        let num_vars = definitions.num_vars();
        let mut work = Eliminator {
            all: Definitions::new(),
            is_live: Vec::new(),
            defining: vec![Vec::new(); num_vars],
            uses: vec![Vec::new(); num_vars],
            resolvents: Vec::new(),
            ends: Vec::new(),
        };
        let mut clause = Vec::new();
        for number in 0..definitions.len() as u32 {
            clause.clear();
            clause.extend_from_slice(definitions.clause(number));
            if normalise(&mut clause) {
                work.add(&clause);
            }
        }
        work
    }

    /// Adds a sorted clause.
    fn add(&mut self, clause: &[Lit]) {
        let number = self.all.push(clause);
        self.is_live.push(true);
        let Some((top, rest)) = clause.split_last() else { return };
        self.defining[top.var().index()].push(number);
        for lit in rest {
            self.uses[lit.var().index()].push(number);
        }
    }

    /// Eliminates a variable if that makes no more clauses; says whether it did.
    fn try_eliminate(&mut self, var: Var, is_due: &mut [bool]) -> bool {
        let Eliminator { all, is_live, defining, uses, resolvents, ends } = self;
        let (defining, uses) = (&mut defining[var.index()], &mut uses[var.index()]);
        defining.retain(|&number| is_live[number as usize]);
        uses.retain(|&number| is_live[number as usize]);
        // Without a definition it is an input.
        if defining.is_empty() || uses.len() > MAX_USES {
            return false;
        }
        resolvents.clear();
        ends.clear();
        let most = defining.len() + uses.len();
        for &user in uses.iter() {
            for &definition in defining.iter() {
                let start = resolvents.len();
                if !resolve(all.clause(user), all.clause(definition), var, resolvents) {
                    resolvents.truncate(start);
                    continue;
                }
                ends.push(resolvents.len());
                if ends.len() > most || resolvents.len() - start > MAX_WIDTH + 1 {
                    return false;
                }
            }
        }
        let (defining, uses) = (std::mem::take(defining), std::mem::take(uses));
        for &number in defining.iter().chain(&uses) {
            is_live[number as usize] = false;
            // The neighbours have other clauses now, and may be worth another look.
            for lit in all.clause(number) {
                is_due[lit.var().index()] = true;
            }
        }
        let (resolvents, ends) =
            (std::mem::take(&mut self.resolvents), std::mem::take(&mut self.ends));
        let mut start = 0;
        for &end in &ends {
            self.add_unless_subsumed(&resolvents[start..end]);
            start = end;
        }
        (self.resolvents, self.ends) = (resolvents, ends);
        true
    }

    /// Adds a clause to the definition of its largest variable, unless that has one at least as
    /// strong; removes weaker ones there.
    fn add_unless_subsumed(&mut self, clause: &[Lit]) {
        let top = clause.last().expect("a definition has its variable").var();
        let Eliminator { all, is_live, defining, .. } = self;
        for &number in &defining[top.index()] {
            if is_live[number as usize] {
                let other = all.clause(number);
                if is_subset(other, clause) {
                    return;
                }
                if is_subset(clause, other) {
                    is_live[number as usize] = false;
                }
            }
        }
        self.add(clause);
    }

    /// The live clauses, with new names, definitions in ascending order.
    fn finish(self, names: &[Option<Var>], count: usize) -> Definitions {
        let mut result = Definitions::new();
        result.reserve_vars(Var::new(count - 1));
        let mut renamed = Vec::new();
        for number in self.defining.iter().flatten() {
            if !self.is_live[*number as usize] {
                continue;
            }
            renamed.clear();
            renamed.extend(self.all.clause(*number).iter().map(|&lit| rename(names, lit)));
            result.push(&renamed);
        }
        result
    }
}

/// A literal under its new name.
fn rename(names: &[Option<Var>], lit: Lit) -> Lit {
    let var = names[lit.var().index()].expect("frozen, or in a clause that is left");
    Lit::new(var, lit.is_negated())
}

/// Sorts a clause and removes repetitions and constants. False if it says nothing.
fn normalise(clause: &mut Vec<Lit>) -> bool {
    clause.retain(|&lit| lit != Lit::FALSE);
    clause.sort_unstable();
    clause.dedup();
    clause.first() != Some(&Lit::TRUE) && !clause.windows(2).any(|pair| pair[0] == !pair[1])
}

/// Appends the resolvent of two sorted clauses on a variable, sorted. False if there is none or
/// it is a tautology; what was appended is then of no use.
fn resolve(user: &[Lit], definition: &[Lit], var: Var, out: &mut Vec<Lit>) -> bool {
    let opposite = |lit: &Lit| lit.var() == var && definition.contains(&!*lit);
    if !user.iter().any(opposite) {
        return false;
    }
    let mut left = user.iter().copied().filter(|lit| lit.var() != var).peekable();
    let mut right = definition.iter().copied().filter(|lit| lit.var() != var).peekable();
    loop {
        let next = match (left.peek(), right.peek()) {
            (Some(a), Some(b)) if a == b => {
                right.next();
                left.next()
            }
            (Some(a), Some(b)) if *a == !*b => return false,
            (Some(a), Some(b)) if a > b => right.next(),
            (Some(_), _) => left.next(),
            (None, Some(_)) => right.next(),
            (None, None) => return true,
        };
        out.extend(next);
    }
}

#[cfg(test)]
mod tests {
    use super::super::encode::StepEncoder;
    use super::*;
    use pedra_model::aig::Aig;
    use pedra_solve::{Batsat, FrameEncoder, SatResult, gate};
    use pedra_testkit::bits::{BitShape, random_bits};
    use pedra_testkit::random::Random;

    /// The functions stay what they were, and each variable still has a value for every
    /// assignment of the smaller ones.
    #[test]
    fn functions_stay_and_definitions_are_total() {
        let shape = BitShape { gates: 80, ..BitShape::default() };
        let mut eliminated = 0;
        for seed in 0..200 {
            let system = random_bits(&mut Random::new(seed), shape);
            let roots: Vec<Lit> = system.properties().to_vec();
            let mut plain = Definitions::new();
            let mut encoder = FrameEncoder::new();
            let latches = system.latches.iter().map(|latch| latch.var);
            let leaves: Vec<Var> = system.inputs.iter().copied().chain(latches).collect();
            for &leaf in &leaves {
                encoder.set_leaf(leaf, plain.new_var().lit());
            }
            let outputs = encoder.encode_all(&system.aig, &mut plain, roots);
            let mut frozen = vec![false; plain.num_vars()];
            frozen[..=leaves.len()].fill(true);
            outputs.iter().for_each(|lit| frozen[lit.var().index()] = true);
            let (simple, names) = simplify(&plain, &frozen, &Interrupt::new());
            eliminated += plain.num_vars() - simple.num_vars();
            assert!(simple.len() <= plain.len());

            let mut solver = Batsat::new();
            plain.load(&mut solver);
            // A second copy, on the same leaves.
            let offset = plain.num_vars();
            solver.reserve_vars(Var::new(offset + simple.num_vars()));
            let second = |lit: Lit| match lit.var().index() {
                index if index <= leaves.len() => lit,
                index => Lit::new(Var::new(offset + index), lit.is_negated()),
            };
            for number in 0..simple.len() as u32 {
                let clause: Vec<Lit> = simple.clause(number).iter().map(|&l| second(l)).collect();
                solver.add_clause(&clause);
            }
            for &output in &outputs {
                let other = second(rename(&names, output));
                let differ = gate::xor(&mut solver, output, other);
                assert_eq!(solver.solve(&[differ]), SatResult::Unsat, "seed {seed}");
            }
            check_total(&simple, seed);
        }
        assert!(eliminated > 500, "only {eliminated} variables are gone");
    }

    /// Nor does elimination put a tree of wide gates together again.
    #[test]
    fn a_very_wide_gate_is_a_tree() {
        let mut aig = Aig::new();
        let leaves: Vec<Lit> = (0..3 * MAX_WIDTH).map(|_| aig.push_leaf().lit()).collect();
        let root = leaves.iter().copied().reduce(|all, leaf| aig.push_and(all, leaf));
        let root = root.expect("there are leaves");
        let mut plain = Definitions::new();
        let mut encoder = StepEncoder::new(&aig, [root]);
        leaves.iter().for_each(|leaf| encoder.set_leaf(leaf.var(), plain.new_var().lit()));
        encoder.encode(&mut plain, &Interrupt::new()).expect("nobody raises it");
        let mut frozen = vec![false; plain.num_vars()];
        frozen[..=leaves.len()].fill(true);
        let root = encoder.lit(root);
        frozen[root.var().index()] = true;
        let (simple, names) = simplify(&plain, &frozen, &Interrupt::new());
        let longest = (0..simple.len() as u32).map(|number| simple.clause(number).len()).max();
        assert_eq!(longest, Some(MAX_WIDTH + 1));
        let (mut solver, root) = (Batsat::new(), rename(&names, root));
        simple.load(&mut solver);
        assert_eq!(solver.solve(&[root]), SatResult::Sat);
        let leaf = |number: usize| Var::new(number).lit();
        assert_eq!(solver.solve(&[root, !leaf(2 * MAX_WIDTH)]), SatResult::Unsat);
        let all: Vec<Lit> = (1..=leaves.len()).map(leaf).chain([!root]).collect();
        assert_eq!(solver.solve(&all), SatResult::Unsat);
    }

    /// For each variable: is there an assignment of the smaller ones that leaves it no value?
    fn check_total(definitions: &Definitions, seed: u64) {
        for var in (1..definitions.num_vars()).map(Var::new) {
            let clauses: Vec<&[Lit]> = (0..definitions.len() as u32)
                .map(|number| definitions.clause(number))
                .filter(|clause| clause.iter().all(|lit| lit.var() <= var))
                .filter(|clause| clause.iter().any(|lit| lit.var() == var))
                .collect();
            let mut solver = Batsat::new();
            solver.reserve_vars(var);
            // One clause with each sign is violated but for the variable.
            for value in [var.lit(), !var.lit()] {
                let mut any = Vec::new();
                for clause in clauses.iter().filter(|clause| clause.contains(&value)) {
                    let rest: Vec<Lit> =
                        clause.iter().filter(|&&lit| lit != value).map(|&lit| !lit).collect();
                    any.push(gate::and_all(&mut solver, &rest));
                }
                let forced = gate::or_all(&mut solver, &any);
                solver.add_clause(&[forced]);
            }
            assert_eq!(solver.solve(&[]), SatResult::Unsat, "seed {seed}, {var:?}");
        }
    }
}
