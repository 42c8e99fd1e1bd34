//! Gates as clauses (Tseitin): each function returns a literal that equals the gate's output
//! in every model of the solver.
//!
//! What is constant or trivial is folded, so that a new variable appears only if it must.
//! Definitions are complete (both directions), so a literal may be used in any polarity later.

use crate::sat::SatSolver;
use pedra_model::lit::Lit;

/// `a ∧ b`.
pub fn and(solver: &mut (impl SatSolver + ?Sized), a: Lit, b: Lit) -> Lit {
    if a == Lit::FALSE || b == Lit::FALSE || a == !b {
        return Lit::FALSE;
    }
    if a == Lit::TRUE || a == b {
        return b;
    }
    if b == Lit::TRUE {
        return a;
    }
    let n = solver.new_var().lit();
    // n → a, n → b, a ∧ b → n
    solver.add_clause(&[!n, a]);
    solver.add_clause(&[!n, b]);
    solver.add_clause(&[n, !a, !b]);
    n
}

/// `a ∨ b`.
pub fn or(solver: &mut (impl SatSolver + ?Sized), a: Lit, b: Lit) -> Lit {
    !and(solver, !a, !b)
}

/// `a ⊕ b`.
pub fn xor(solver: &mut (impl SatSolver + ?Sized), a: Lit, b: Lit) -> Lit {
    if a.is_const() {
        return b ^ (a == Lit::TRUE);
    }
    if b.is_const() {
        return a ^ (b == Lit::TRUE);
    }
    if a.var() == b.var() {
        return Lit::constant(a != b);
    }
    let n = solver.new_var().lit();
    // n → a ∨ b, n → ¬a ∨ ¬b, ¬n → (a → b), ¬n → (b → a)
    solver.add_clause(&[!n, a, b]);
    solver.add_clause(&[!n, !a, !b]);
    solver.add_clause(&[n, !a, b]);
    solver.add_clause(&[n, a, !b]);
    n
}

/// `if c then t else e`.
pub fn ite(solver: &mut (impl SatSolver + ?Sized), c: Lit, t: Lit, e: Lit) -> Lit {
    // Within each branch the condition is known.
    let t = if t.var() == c.var() { Lit::constant(t == c) } else { t };
    let e = if e.var() == c.var() { Lit::constant(e != c) } else { e };
    match (c, t, e) {
        (Lit::TRUE, ..) => return t,
        (Lit::FALSE, ..) => return e,
        _ if t == e => return t,
        _ if t == !e => return xor(solver, c, e),
        (_, Lit::TRUE, _) => return or(solver, c, e),
        (_, Lit::FALSE, _) => return and(solver, !c, e),
        (_, _, Lit::TRUE) => return or(solver, !c, t),
        (_, _, Lit::FALSE) => return and(solver, c, t),
        _ => {}
    }
    let n = solver.new_var().lit();
    // c → (n ↔ t), ¬c → (n ↔ e)
    solver.add_clause(&[!c, !t, n]);
    solver.add_clause(&[!c, t, !n]);
    solver.add_clause(&[c, !e, n]);
    solver.add_clause(&[c, e, !n]);
    // Implied by the above; they let unit propagation see that equal branches decide.
    solver.add_clause(&[!t, !e, n]);
    solver.add_clause(&[t, e, !n]);
    n
}

/// The disjunction of all: one variable and one clause more than there are literals.
pub fn or_all(solver: &mut (impl SatSolver + ?Sized), lits: &[Lit]) -> Lit {
    let mut inputs: Vec<Lit> = lits.iter().copied().filter(|&lit| lit != Lit::FALSE).collect();
    inputs.sort_unstable();
    inputs.dedup();
    // The two literals of a variable are neighbours once sorted.
    if inputs.contains(&Lit::TRUE) || inputs.windows(2).any(|pair| pair[0] == !pair[1]) {
        return Lit::TRUE;
    }
    match *inputs {
        [] => return Lit::FALSE,
        [only] => return only,
        _ => {}
    }
    let n = solver.new_var().lit();
    // lit → n for each, n → ⋁ lits
    for &lit in &inputs {
        solver.add_clause(&[!lit, n]);
    }
    inputs.push(!n);
    solver.add_clause(&inputs);
    n
}

/// The conjunction of all.
pub fn and_all(solver: &mut (impl SatSolver + ?Sized), lits: &[Lit]) -> Lit {
    let negated: Vec<Lit> = lits.iter().map(|&lit| !lit).collect();
    !or_all(solver, &negated)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Batsat, SatResult};

    /// Each gate over every choice of inputs among constants and two or three variables, in
    /// both signs, against its truth table.
    #[test]
    fn gates_compute_their_functions() {
        let mut solver = Batsat::new();
        let vars: Vec<Lit> = (0..3).map(|_| solver.new_var().lit()).collect();
        let mut inputs = vec![Lit::FALSE, Lit::TRUE];
        inputs.extend(vars.iter().flat_map(|&lit| [lit, !lit]));
        for &a in &inputs {
            for &b in &inputs {
                for &c in &inputs {
                    let gates = [
                        and(&mut solver, a, b),
                        or(&mut solver, a, b),
                        xor(&mut solver, a, b),
                        ite(&mut solver, a, b, c),
                        or_all(&mut solver, &[a, b, c]),
                        and_all(&mut solver, &[a, b, c]),
                    ];
                    for bits in 0..8 {
                        let leaves = [0, 1, 2].map(|i| vars[i] ^ (bits >> i & 1 == 0));
                        assert_eq!(solver.solve(&leaves), SatResult::Sat);
                        let of = |lit| solver.value(lit).expect("defined by the leaves");
                        let (x, y, z) = (of(a), of(b), of(c));
                        let expected = [
                            x && y,
                            x || y,
                            x != y,
                            if x { y } else { z },
                            x || y || z,
                            x && y && z,
                        ];
                        assert_eq!(gates.map(of), expected, "{a:?} {b:?} {c:?} under {leaves:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn trivial_gates_need_no_variable() {
        let mut solver = Batsat::new();
        let a = solver.new_var().lit();
        let b = solver.new_var().lit();
        let before = solver.num_vars();
        assert_eq!(and(&mut solver, a, Lit::TRUE), a);
        assert_eq!(xor(&mut solver, Lit::TRUE, a), !a);
        assert_eq!(ite(&mut solver, a, a, Lit::FALSE), a);
        assert_eq!(or_all(&mut solver, &[]), Lit::FALSE);
        assert_eq!(or_all(&mut solver, &[a, Lit::FALSE, a]), a);
        assert_eq!(or_all(&mut solver, &[b, a, !b]), Lit::TRUE);
        assert_eq!(solver.num_vars(), before);
    }
}
