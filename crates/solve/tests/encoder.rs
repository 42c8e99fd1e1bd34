//! The encoder against evaluation: random circuits, all assignments of their leaves.

use pedra_model::aig::{Aig, AigBuilder, Node};
use pedra_model::lit::{Lit, Var};
use pedra_solve::encode::FrameEncoder;
use pedra_solve::{Batsat, SatResult, SatSolver, SolverKind, new_solver};
use pedra_testkit::random::Random;

/// The value of every variable; bit `i` of `bits` is the value of the `i`-th leaf.
fn evaluate(aig: &Aig, bits: u32) -> Vec<bool> {
    let mut values: Vec<bool> = Vec::new();
    let mut leaves = 0;
    for var in aig.vars() {
        let of = |lit: Lit| values[lit.var().index()] != lit.is_negated();
        let value = match aig.node(var) {
            Node::Const => false,
            Node::Leaf => {
                leaves += 1;
                bits >> (leaves - 1) & 1 == 1
            }
            Node::And(a, b) => of(a) && of(b),
        };
        values.push(value);
    }
    values
}

/// Gates in random order, many of them exclusive ors and multiplexers, some with raw fanins
/// (constant, repeated, contradictory) as a file may have them.
fn random_aig(random: &mut Random, leaves: usize, gates: usize) -> (Aig, Vec<Lit>) {
    let mut builder = AigBuilder::new();
    let mut pool = vec![Lit::FALSE];
    pool.extend((0..leaves).map(|_| builder.leaf().lit()));
    for _ in 0..gates {
        let [a, b, c] = [0; 3].map(|_| pool[random.below(pool.len())] ^ random.coin());
        pool.push(match random.below(4) {
            0 => builder.xor(a, b),
            1 => builder.ite(a, b, c),
            _ => builder.and(a, b),
        });
    }
    let mut aig = builder.into_aig();
    for _ in 0..gates / 4 {
        let [a, b] = [0; 2].map(|_| pool[random.below(pool.len())] ^ random.coin());
        pool.push(aig.push_and(a, b));
    }
    (aig, pool)
}

/// The literal that the `index`-th leaf gets: mostly a new variable, else a constant or a
/// literal of an earlier leaf. `None` leaves it to the encoder.
fn random_leaf(random: &mut Random, solver: &mut dyn SatSolver, earlier: &[Lit]) -> Option<Lit> {
    match random.below(8) {
        0 => Some(Lit::constant(random.coin())),
        1 if !earlier.is_empty() => Some(earlier[random.below(earlier.len())] ^ random.coin()),
        2 | 3 => None,
        _ => Some(solver.new_var().lit()),
    }
}

fn check_random_circuit(kind: SolverKind, seed: u64, with_odd_leaves: bool) {
    let mut random = Random::new(seed);
    let leaves = 1 + random.below(8);
    let gates = 4 + random.below(40);
    let (aig, pool) = random_aig(&mut random, leaves, gates);
    let mut solver = new_solver(kind);
    let mut encoder = FrameEncoder::new();
    let mut leaf_lits = Vec::new();
    for leaf in 1..=leaves {
        let leaf = Var::new(leaf);
        let chosen = if with_odd_leaves {
            random_leaf(&mut random, solver.as_mut(), &leaf_lits)
        } else {
            None
        };
        if let Some(lit) = chosen {
            encoder.set_leaf(leaf, lit);
        }
        leaf_lits.push(encoder.encode(&aig, solver.as_mut(), leaf.lit()));
    }
    let roots: Vec<Lit> = (0..6).map(|_| pool[random.below(pool.len())] ^ random.coin()).collect();
    let encoded = encoder.encode_all(&aig, solver.as_mut(), roots.iter().copied());
    for bits in 0..1u32 << leaves {
        let assumptions: Vec<Lit> =
            (0..leaves).map(|i| leaf_lits[i] ^ (bits >> i & 1 == 0)).collect();
        // Constant and shared leaves rule some assignments out, and nothing else does.
        let contradictory =
            assumptions.iter().any(|&lit| lit == Lit::FALSE || assumptions.contains(&!lit));
        let answer = solver.solve(&assumptions);
        assert_eq!(answer.decided(), Some(!contradictory), "seed {seed}, leaves {bits:b}");
        if answer == SatResult::Sat {
            let values = evaluate(&aig, bits);
            for (&root, &lit) in roots.iter().zip(&encoded) {
                let expected = values[root.var().index()] != root.is_negated();
                assert_eq!(encoder.get(root), Some(lit));
                assert_eq!(solver.value(lit), Some(expected), "seed {seed}, {root:?}, {bits:b}");
            }
        }
    }
}

#[test]
fn random_circuits_agree_with_evaluation() {
    for seed in 0..60 {
        for kind in [SolverKind::Cadical, SolverKind::Batsat] {
            check_random_circuit(kind, seed, false);
            check_random_circuit(kind, 1000 + seed, true);
        }
    }
}

#[test]
fn multiplexers_and_exclusive_ors_take_one_variable() {
    let mut builder = AigBuilder::new();
    let [a, b, c] = [0; 3].map(|_| builder.leaf().lit());
    let (xor, ite) = (builder.xor(a, b), builder.ite(a, b, !c));
    let aig = builder.into_aig();
    for root in [xor, ite] {
        let mut solver = Batsat::new();
        let mut encoder = FrameEncoder::new();
        encoder.encode_all(&aig, &mut solver, [a, b, c]);
        let before = solver.num_vars();
        encoder.encode(&aig, &mut solver, root);
        assert_eq!(solver.num_vars(), before + 1);
    }
}

#[test]
fn only_the_cone_is_encoded_and_only_once() {
    let mut aig = Aig::new();
    let [a, b, c] = [0; 3].map(|_| aig.push_leaf().lit());
    let left = aig.push_and(a, b);
    let right = aig.push_and(b, c);
    let mut solver = Batsat::new();
    let mut encoder = FrameEncoder::new();
    assert_eq!(encoder.missing_leaves(&aig, [left, !right]), [a.var(), b.var(), c.var()]);
    let lit = encoder.encode(&aig, &mut solver, left);
    assert_eq!(solver.num_vars(), 4);
    assert_eq!(encoder.get(right), None);
    assert_eq!(encoder.missing_leaves(&aig, [right]), [c.var()]);
    assert_eq!(encoder.encode(&aig, &mut solver, !left), !lit);
    assert_eq!(solver.num_vars(), 4);
}

/// A constant at one end folds all the way, and what it makes irrelevant is not encoded.
#[test]
fn constants_fold_and_cut_the_cone() {
    let mut aig = Aig::new();
    let [a, b] = [0; 2].map(|_| aig.push_leaf().lit());
    let gate = aig.push_and(a, b);
    let root = aig.push_and(!gate, b);
    let mut solver = Batsat::new();
    let mut encoder = FrameEncoder::new();
    encoder.set_leaf(b.var(), Lit::FALSE);
    assert_eq!(encoder.encode(&aig, &mut solver, root), Lit::FALSE);
    assert_eq!(solver.num_vars(), 1);
}

/// Depth must not cost stack.
#[test]
fn a_deep_chain_is_no_problem() {
    let mut aig = Aig::new();
    let [a, b] = [0; 2].map(|_| aig.push_leaf().lit());
    let mut top = a;
    for step in 0..300_000 {
        top = !aig.push_and(top, if step % 2 == 0 { b } else { a });
    }
    let mut encoder = FrameEncoder::new();
    assert_eq!(encoder.missing_leaves(&aig, [top]).len(), 2);
    let mut solver = Batsat::new();
    encoder.encode(&aig, &mut solver, top);
    assert!(solver.num_vars() > 1000);
    assert_eq!(solver.solve(&[]), SatResult::Sat);
}

/// A 3-bit counter unrolled: its all-ones state is reached at step 7 and not before.
#[test]
fn frames_chain_into_an_unrolling() {
    let mut builder = AigBuilder::new();
    let state: Vec<Lit> = (0..3).map(|_| builder.leaf().lit()).collect();
    let mut carry = Lit::TRUE;
    let mut next = Vec::new();
    for &bit in &state {
        next.push(builder.xor(bit, carry));
        carry = builder.and(bit, carry);
    }
    // A free enable input, so that folding does not decide everything.
    let enable = builder.leaf().lit();
    for (bit, step) in state.iter().zip(&mut next) {
        *step = builder.ite(enable, *step, *bit);
    }
    let bad = builder.and_all(state.iter().copied());
    let aig = builder.into_aig();
    for kind in SolverKind::ALL {
        let mut solver = new_solver(kind);
        let mut current = vec![Lit::FALSE; 3];
        for step in 0..=8 {
            let mut frame = FrameEncoder::new();
            for (latch, &lit) in state.iter().zip(&current) {
                frame.set_leaf(latch.var(), lit);
            }
            let bad_now = frame.encode(&aig, solver.as_mut(), bad);
            let answer = solver.solve(&[bad_now]);
            assert_eq!(answer.decided(), Some(step >= 7), "{kind:?}, step {step}");
            current = frame.encode_all(&aig, solver.as_mut(), next.iter().copied());
        }
    }
}
