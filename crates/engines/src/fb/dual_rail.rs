//! Short cubes inside a frame.
//!
//! A frame is a set of clauses. A cube lies in it if it satisfies every clause by a literal: it
//! is an *implicant*. With two variables for each latch, "it is in the cube as 1" and "as 0",
//! not both, the implicants are the models of the clauses read over these (the dual-rail
//! encoding); a latch with neither is not in the cube. A solver that decides for false first
//! finds short ones. Each is then minimised, and excluded together with all cubes in it by the
//! clause over its dual-rail literals. (Over plain literals other cubes would be lost, too.)

use pedra_model::lit::{Lit, Var};
use pedra_solve::{Budget, Cdcl, Interrupt, SatResult, SatSolver};

/// Limits of a search for cubes.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) struct Limits {
    /// Longer cubes end it.
    pub(super) length: usize,
    /// How many are enough.
    pub(super) count: usize,
    /// Conflicts that one may cost.
    pub(super) conflicts: u64,
}

/// Which cubes are wanted.
#[derive(Copy, Clone, Debug)]
pub(super) struct Sets<'s> {
    /// The frame excludes these, and they have no state in common with any of them.
    pub(super) excluded: &'s [Vec<Lit>],
    /// They do not lie in one of these.
    pub(super) known: &'s [Vec<Lit>],
    /// If not empty, each has one of these literals.
    pub(super) one_of: &'s [Lit],
}

/// Finds cubes over variables below `num_vars`.
pub(super) fn find_cubes(
    Sets { excluded, known, one_of }: Sets,
    num_vars: usize,
    limits: Limits,
    interrupt: &Interrupt,
) -> Vec<Vec<Lit>> {
    let mut solver = Cdcl::new();
    solver.set_interrupt(interrupt.clone());
    solver.set_budget(Some(Budget::conflicts(limits.conflicts)));
    // The rail of a literal has the literal's own code as its number, plus one: 0 is taken.
    solver.reserve_vars(Var::new(2 * num_vars + 1));
    let mut clauses: Vec<Vec<Lit>> = Vec::with_capacity(excluded.len() + 1);
    clauses.extend(excluded.iter().map(|cube| cube.iter().map(|&lit| !lit).collect()));
    if !one_of.is_empty() {
        clauses.push(one_of.to_vec());
    }
    let mut used = vec![false; num_vars];
    for clause in &clauses {
        solver.add_clause(&clause.iter().map(|&lit| rail(lit)).collect::<Vec<_>>());
        clause.iter().for_each(|lit| used[lit.var().index()] = true);
    }
    let vars: Vec<Var> = (0..num_vars).filter(|&var| used[var]).map(Var::new).collect();
    for var in &vars {
        solver.add_clause(&[!rail(var.lit()), !rail(!var.lit())]);
    }
    // A cube lies in another one if it has all of its literals.
    let lies_outside = |cube: &[Lit]| cube.iter().map(|&lit| !rail(lit)).collect::<Vec<Lit>>();
    for cube in known {
        solver.add_clause(&lies_outside(cube));
    }
    let mut found = Vec::new();
    while found.len() < limits.count && solver.solve(&[]) == SatResult::Sat {
        let both = vars.iter().flat_map(|var| [var.lit(), !var.lit()]);
        let cube: Vec<Lit> = both.filter(|&lit| solver.value(rail(lit)) == Some(true)).collect();
        let cube = minimise(cube, &clauses);
        if cube.is_empty() || cube.len() > limits.length {
            break;
        }
        solver.add_clause(&lies_outside(&cube));
        found.push(cube);
    }
    found
}

/// "This literal is in the cube."
fn rail(lit: Lit) -> Lit {
    Var::new(lit.code() as usize + 1).lit()
}

/// Drops literals as long as every clause keeps one.
fn minimise(mut cube: Vec<Lit>, clauses: &[Vec<Lit>]) -> Vec<Lit> {
    let size = cube.iter().map(|lit| lit.index() + 2).max().unwrap_or(0);
    let mut is_in = vec![false; size.next_multiple_of(2)];
    cube.iter().for_each(|lit| is_in[lit.index()] = true);
    let has = |is_in: &[bool], lit: &Lit| is_in.get(lit.index()) == Some(&true);
    for lit in cube.clone() {
        is_in[lit.index()] = false;
        let keeps = |clause: &Vec<Lit>| {
            !clause.contains(&lit) || clause.iter().any(|other| has(&is_in, other))
        };
        if !clauses.iter().all(keeps) {
            is_in[lit.index()] = true;
        }
    }
    cube.retain(|lit| has(&is_in, lit));
    cube
}

#[cfg(test)]
mod tests {
    use super::*;
    use pedra_testkit::random::Random;

    const VARS: usize = 5;

    fn holds(cube: &[Lit], state: usize) -> bool {
        cube.iter().all(|lit| (state >> lit.var().index() & 1 == 1) != lit.is_negated())
    }

    /// Every cube lies in the frame and is minimal; without limits, they cover it.
    #[test]
    fn cubes_are_prime_and_cover_the_frame() {
        let mut random = Random::new(3);
        for _ in 0..300 {
            let excluded: Vec<Vec<Lit>> = (0..random.between(1, 6))
                .map(|_| {
                    let vars = (1..VARS).filter(|_| random.one_in(2)).collect::<Vec<_>>();
                    let vars = if vars.is_empty() { vec![1] } else { vars };
                    vars.into_iter().map(|v| Lit::new(Var::new(v), random.one_in(2))).collect()
                })
                .collect();
            let limits = Limits { length: VARS, count: 1000, conflicts: 1000 };
            let find = |known: &[Vec<Lit>]| {
                let sets = Sets { excluded: &excluded, known, one_of: &[] };
                find_cubes(sets, VARS, limits, &Interrupt::new())
            };
            let cubes = find(&[]);
            let known = &cubes[..cubes.len() / 2];
            let is_new =
                |cube: &Vec<Lit>| !known.iter().any(|old| old.iter().all(|lit| cube.contains(lit)));
            assert!(find(known).iter().all(is_new), "{known:?} {excluded:?}");
            let is_in = |state: usize| !excluded.iter().any(|cube| holds(cube, state));
            let states = || (0..1usize << VARS).step_by(2);
            for cube in &cubes {
                assert!(states().filter(|&s| holds(cube, s)).all(is_in), "{cube:?} {excluded:?}");
                for lit in cube {
                    let wider: Vec<Lit> = cube.iter().copied().filter(|l| l != lit).collect();
                    assert!(!states().filter(|&s| holds(&wider, s)).all(is_in), "{cube:?}");
                }
            }
            let covered = |s: usize| cubes.iter().any(|cube| holds(cube, s));
            assert!(states().all(|s| !is_in(s) || covered(s)), "{cubes:?} {excluded:?}");
        }
    }
}
