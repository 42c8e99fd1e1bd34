//! The time of one small query, in the way of PDR: `cargo run --release -p pedra-solve
//! --example small_queries [QUERIES] [GATES]`.
//!
//! A random circuit; each query assumes some of its latches and of its outputs (next-state
//! literals). All solvers get the same queries and must give the same answers. Lemmas come in
//! now and then, as in PDR. `ONLY=domain` (or `whole`, `cadical`, `batsat`) runs one solver.

#[path = "../tests/common/cpu.rs"]
mod cpu;

use cpu::cpu_seconds;
use pedra_model::aig::{Aig, AigBuilder};
use pedra_model::lit::{Lit, Var};
use pedra_model::random::Random;
use pedra_solve::{Batsat, Cadical, Cdcl, FrameEncoder, SatSolver};
use std::io::Write;

const LATCHES: usize = 300;
const INPUTS: usize = 100;
/// Gates take their inputs from this many gates before, or from leaves: deep local cones.
const WINDOW: usize = 150;

fn random_circuit(random: &mut Random, gates: usize) -> (Aig, Vec<Lit>, Vec<Lit>) {
    let mut builder = AigBuilder::new();
    let leaves: Vec<Lit> = (0..LATCHES + INPUTS).map(|_| builder.leaf().lit()).collect();
    let mut pool = leaves.clone();
    while pool.len() < leaves.len() + gates {
        let [a, b, c] = [0; 3].map(|_| {
            let near = pool.len() - 1 - random.below(WINDOW.min(pool.len()));
            let at = if random.below(2) == 0 { random.below(leaves.len()) } else { near };
            pool[at] ^ (random.below(2) == 0)
        });
        pool.push(match random.below(5) {
            0 => builder.xor(a, b),
            1 => builder.ite(a, b, c),
            _ => builder.and(a, b),
        });
    }
    let outputs = (0..LATCHES).map(|_| pool[leaves.len() + random.below(gates)]).collect();
    (builder.into_aig(), leaves[..LATCHES].to_vec(), outputs)
}

/// Runs the queries; microseconds a query, and how many were satisfiable.
fn run<S: SatSolver>(
    solver: &mut S,
    queries: usize,
    latches: &[Lit],
    outputs: &[Lit],
) -> (f64, usize) {
    let mut random = Random::new(7);
    let mut lemmas = Random::new(8);
    let mut sat = 0;
    let start = cpu_seconds("thread-self");
    for _ in 0..queries {
        let mut assumptions: Vec<Lit> = Vec::new();
        for _ in 0..10 {
            assumptions.push(latches[random.below(LATCHES)] ^ (random.below(2) == 0));
        }
        for _ in 0..6 {
            assumptions.push(outputs[random.below(LATCHES)] ^ (random.below(2) == 0));
        }
        let answer = solver.solve(&assumptions);
        sat += answer.is_sat() as usize;
        // The same lemmas for all solvers, whatever their cores are: over a few latches.
        if lemmas.below(queries / 100) == 0 {
            let lits: Vec<Lit> =
                (0..6).map(|_| latches[lemmas.below(40)] ^ (lemmas.below(2) == 0)).collect();
            solver.add_clause(&lits);
        }
    }
    ((cpu_seconds("thread-self") - start) * 1e6 / queries as f64, sat)
}

fn main() {
    let mut args = std::env::args().skip(1).map(|arg| arg.parse().expect("a number"));
    let queries = args.next().unwrap_or(200_000usize).max(100);
    let gates = args.next().unwrap_or(5_000);
    let (aig, latches, outputs) = random_circuit(&mut Random::new(1), gates);
    let encode = |solver: &mut dyn SatSolver| {
        let mut frame = FrameEncoder::new();
        let all = aig.vars().map(Var::lit);
        frame.encode_all(&aig, solver, all);
        let of = |lits: &[Lit]| -> Vec<Lit> {
            lits.iter().map(|&lit| frame.get(lit).expect("all is encoded")).collect()
        };
        (of(&latches), of(&outputs))
    };
    let only = std::env::var("ONLY").ok();
    let wanted = |name: &str| only.as_deref().is_none_or(|only| only == name);
    if wanted("domain") {
        let mut solver = Cdcl::new();
        let (latches, outputs) = encode(&mut solver.definer());
        let result = run(&mut solver, queries, &latches, &outputs);
        report("cdcl, domain", result, &solver);
        let more = solver.more_stats();
        let domain = more.filled_domain as f64 / more.fills.max(1) as f64;
        say(format!("  {domain:.0} of {} variables in the domain; {more:?}", solver.num_vars()));
    }
    if wanted("whole") {
        let mut solver = Cdcl::new();
        let (latches, outputs) = encode(&mut solver);
        let result = run(&mut solver, queries, &latches, &outputs);
        report("cdcl, whole", result, &solver);
    }
    if wanted("batsat") {
        let mut solver = Batsat::new();
        let (latches, outputs) = encode(&mut solver);
        let result = run(&mut solver, queries, &latches, &outputs);
        report("batsat", result, &solver);
    }
    if wanted("cadical") {
        let mut solver = Cadical::default();
        let (latches, outputs) = encode(&mut solver);
        let result = run(&mut solver, queries, &latches, &outputs);
        report("cadical", result, &solver);
    }
}

fn report(name: &str, (micros, sat): (f64, usize), solver: &dyn SatSolver) {
    say(format!("{name:14} {micros:9.2} µs a query, {sat} satisfiable; {:?}", solver.stats()));
}

/// One line of output; if nobody reads it, so be it.
fn say(line: String) {
    let _ = writeln!(std::io::stdout(), "{line}");
}
