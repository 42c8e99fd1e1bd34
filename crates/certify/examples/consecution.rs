//! Measures the check of proofs with large or hard invariants, with each solver.
//!
//! `cargo run --release -p pedra-certify --example consecution`

use pedra_certify::{CheckOptions, check_bit_proof};
use pedra_model::aig::AigBuilder;
use pedra_model::bits::{BitSystem, Latch, Reset};
use pedra_model::lit::Lit;
use pedra_model::proof::BitProof;
use pedra_solve::SolverKind;
use std::time::Instant;

/// A ring of latches of which exactly one is set; `n (n - 1) / 2` clauses, each easy.
fn ring(n: usize) -> (BitSystem, BitProof) {
    let mut system = BitSystem::new();
    let turn = system.add_input();
    let latches: Vec<Lit> =
        (0..n).map(|i| system.add_latch(if i == 0 { Reset::One } else { Reset::Zero })).collect();
    let mut builder = AigBuilder::from_aig(std::mem::take(&mut system.aig));
    for i in 0..n {
        system.latches[i].next = builder.ite(turn, latches[(i + n - 1) % n], latches[i]);
    }
    system.bads = vec![builder.and(latches[0], latches[n / 2])];
    system.aig = builder.into_aig();
    let pairs = (0..n).flat_map(|i| (0..i).map(move |j| (i, j)));
    let clauses = pairs.map(|(i, j)| vec![!latches[i], !latches[j]]).collect();
    (system, BitProof { properties: vec![0], clauses, k: 1, ..BitProof::default() })
}

/// Two registers that accumulate `x · y` and `y · x` with differently shaped multipliers and
/// adders; `2 n` clauses that say they are equal, each hard.
fn multipliers(n: usize) -> (BitSystem, BitProof) {
    let mut builder = AigBuilder::new();
    let inputs: Vec<Lit> = (0..2 * n).map(|_| builder.leaf().lit()).collect();
    let latches: Vec<Lit> = (0..2 * n).map(|_| builder.leaf().lit()).collect();
    let (x, y) = inputs.split_at(n);
    let (a, b) = latches.split_at(n);
    let add = |builder: &mut AigBuilder, p: &[Lit], q: &[Lit]| -> Vec<Lit> {
        let mut carry = Lit::FALSE;
        let bit = |(&p, &q): (&Lit, &Lit)| {
            let half = builder.xor(p, q);
            let sum = builder.xor(half, carry);
            carry = builder.ite(half, carry, p);
            sum
        };
        p.iter().zip(q).map(bit).collect()
    };
    let mut product = |start: &[Lit], p: &[Lit], q: &[Lit]| -> Vec<Lit> {
        (0..n).fold(start.to_vec(), |sum, shift| {
            let row: Vec<Lit> = (0..n)
                .map(|i| if i < shift { Lit::FALSE } else { builder.and(p[i - shift], q[shift]) })
                .collect();
            add(&mut builder, &sum, &row)
        })
    };
    let (next_a, next_b) = (product(a, x, y), product(b, y, x));
    let differ: Vec<Lit> = a.iter().zip(b).map(|(&a, &b)| builder.xor(a, b)).collect();
    let bad = builder.or_all(differ);
    let nexts = next_a.into_iter().chain(next_b);
    let system = BitSystem {
        inputs: inputs.iter().map(|l| l.var()).collect(),
        latches: latches
            .iter()
            .zip(nexts)
            .map(|(l, next)| Latch { var: l.var(), next, reset: Reset::Zero })
            .collect(),
        bads: vec![bad],
        aig: builder.into_aig(),
        ..BitSystem::default()
    };
    let clauses = a.iter().zip(b).flat_map(|(&a, &b)| [vec![a, !b], vec![!a, b]]).collect();
    (system, BitProof { properties: vec![0], clauses, k: 1, ..BitProof::default() })
}

fn main() {
    let cases = [
        ("ring of 150", ring(150)),
        ("ring of 300", ring(300)),
        ("multipliers of 4 bits", multipliers(4)),
    ];
    let settings = [
        ("default", CheckOptions::default()),
        ("batsat", CheckOptions::with_solver(SolverKind::Batsat)),
        ("cadical", CheckOptions::with_solver(SolverKind::Cadical)),
    ];
    for (case, (system, proof)) in &cases {
        for (name, options) in &settings {
            let start = Instant::now();
            let checked = check_bit_proof(system, proof, options).expect("a right proof");
            let (seconds, effort) = (start.elapsed().as_secs_f64(), checked.effort);
            println!("{case}, {} clauses, {name}: {seconds:.2} s, {effort:?}", checked.clauses);
        }
    }
}
