//! How variables are used: signed or unsigned, as numbers or as bits (heuristic; every choice
//! is right).
//!
//! Each signed or unsigned comparison votes for the variables from which its operands are
//! computed by arithmetic. A variable without votes follows those that it is compared with.

use super::problem::Problem;
use pedra_model::term::{BinaryOp, Term, TermId, UnaryOp};
use rustc_hash::FxHashMap;

/// How far a comparison looks into its operands.
const DEPTH: usize = 6;

/// Sets the flags of all variables.
pub(super) fn vote_signs(problem: &mut Problem) {
    let terms = &problem.terms;
    let var_of: FxHashMap<TermId, usize> =
        problem.vars.iter().enumerate().map(|(i, v)| (v.term, i)).collect();
    let roots = problem.vars.iter().map(|v| v.next).chain(problem.bads.iter().copied());
    let roots = roots.chain(problem.constraints.iter().copied()).chain(problem.init.clone());
    let cone = terms.cone(roots);
    let mut votes = vec![0i32; problem.vars.len()];
    let mut bitwise = vec![false; problem.vars.len()];
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for (id, term) in terms.iter().filter(|(id, _)| cone[id.index()]) {
        use BinaryOp::*;
        let operands = || -> Vec<usize> {
            let mut found = Vec::new();
            for arg in term.args() {
                collect(problem, &var_of, arg, &mut found);
            }
            found
        };
        let vote = match *term {
            Term::Binary(Slt | Slte | Sgt | Sgte | Sdiv | Srem | Smod | Sra, ..) => 2,
            Term::Binary(Saddo | Ssubo | Smulo | Sdivo, ..) => 2,
            Term::Binary(Ult | Ulte | Ugt | Ugte | Udiv | Urem, ..) => -2,
            Term::Binary(Uaddo | Usubo | Umulo, ..) => -2,
            Term::Extend { signed: true, .. } => 1,
            Term::Extend { signed: false, .. } => -1,
            Term::Binary(Eq | Neq, ..) => 0,
            Term::Slice { .. } | Term::Binary(And | Or | Xor | Xnor | Nand | Nor | Concat, ..)
                if terms.width(id) > 1 || matches!(term, Term::Slice { .. }) =>
            {
                for var in operands() {
                    bitwise[var] = true;
                }
                continue;
            }
            Term::Unary(UnaryOp::RedXor, _) => {
                for var in operands() {
                    bitwise[var] = true;
                }
                continue;
            }
            _ => continue,
        };
        let operands = operands();
        for &var in &operands {
            votes[var] += vote;
        }
        groups.push(operands);
    }
    for _ in 0..2 {
        let before = votes.clone();
        for group in &groups {
            let sum: i32 = group.iter().map(|&var| before[var]).sum();
            for &var in group.iter().filter(|&&var| before[var] == 0) {
                votes[var] += sum.signum();
            }
        }
    }
    for (var, (vote, bitwise)) in problem.vars.iter_mut().zip(votes.into_iter().zip(bitwise)) {
        var.signed = vote > 0 && var.width > 1;
        var.bitwise = bitwise;
    }
}

/// The variables from which a term is computed by arithmetic.
fn collect(
    problem: &Problem,
    var_of: &FxHashMap<TermId, usize>,
    root: TermId,
    found: &mut Vec<usize>,
) {
    let mut level = vec![root];
    for _ in 0..DEPTH {
        let mut below = Vec::new();
        for id in level {
            if let Some(&var) = var_of.get(&id) {
                if !found.contains(&var) {
                    found.push(var);
                }
                continue;
            }
            use BinaryOp::*;
            match *problem.terms.get(id) {
                Term::Binary(Add | Sub | Mul | Sll, a, b) => below.extend([a, b]),
                Term::Unary(UnaryOp::Inc | UnaryOp::Dec | UnaryOp::Neg, a) => below.push(a),
                Term::Ite(_, a, b) => below.extend([a, b]),
                Term::Extend { arg, .. } => below.push(arg),
                _ => {}
            }
        }
        level = below;
    }
}
