//! The processor time of one small query in the way of PDR on programs: `cargo run --release -p
//! pedra-solve --example lia_queries [QUERIES]`.
//!
//! A random program location with some incoming edges, over a few integers.
//! Each query assumes an edge, a cube of bounds on the next state and some lemmas; now and
//! then a lemma about the state comes in. `z3` gets the same
//! queries if it is on the path.

#[path = "../tests/common/cpu.rs"]
mod cpu;
#[path = "../tests/common/lia_text.rs"]
mod lia_text;
#[path = "../tests/common/z3.rs"]
mod z3;

use cpu::cpu_seconds;
use lia_text::{all, any, sum_of, times};
use pedra_model::eval::ops;
use pedra_model::lit::Lit;
use pedra_model::term::{BinaryOp, IntOp, Sort, TermId, Terms};
use pedra_model::value::Value;
use pedra_solve::SatResult;
use pedra_solve::lia::LiaSolver;
use pedra_solve::terms::{IntEncoder, define};
use pedra_testkit::random::Random;
use std::io::Write;
use z3::Z3;

const VARS: usize = 8;
const EDGES: usize = 6;

struct Program {
    terms: Terms,
    state: Vec<TermId>,
    next: Vec<TermId>,
    edges: Vec<TermId>,
}

fn program(random: &mut Random) -> Program {
    let mut terms = Terms::new();
    let state: Vec<TermId> = (0..VARS).map(|_| terms.new_symbol(Sort::Int)).collect();
    let next: Vec<TermId> = (0..VARS).map(|_| terms.new_symbol(Sort::Int)).collect();
    let mut edges = Vec::new();
    for _ in 0..EDGES {
        let mut parts = Vec::new();
        for at in 0..VARS {
            let (a, b) = (state[random.below(VARS)], state[random.below(VARS)]);
            let step = terms.integer(random.below(5) as i64 - 2);
            let moved = sum_of(&mut terms, &[state[at], step]);
            let value = match random.below(4) {
                0 => moved,
                1 => sum_of(&mut terms, &[a, b]),
                2 => {
                    let condition = terms.int_binary(IntOp::Le, a, b);
                    terms.ite(condition, moved, state[at])
                }
                _ => state[at],
            };
            parts.push(terms.binary(BinaryOp::Eq, next[at], value));
        }
        let (a, b) = (state[random.below(VARS)], state[random.below(VARS)]);
        parts.push(terms.int_binary(IntOp::Le, a, b));
        edges.push(all(&mut terms, &parts));
    }
    Program { terms, state, next, edges }
}

/// `vars[a] ± vars[b] ≤ c` or `vars[a] ≤ c`, in one of two directions.
fn atom(terms: &mut Terms, random: &mut Random, vars: &[TermId]) -> TermId {
    let (a, b) = (vars[random.below(VARS)], vars[random.below(VARS)]);
    let bound = terms.integer(random.below(21) as i64 - 10);
    let left = match random.below(3) {
        0 => {
            let negated = times(terms, -1, b);
            sum_of(terms, &[a, negated])
        }
        _ => a,
    };
    if random.coin() {
        terms.int_binary(IntOp::Le, left, bound)
    } else {
        terms.int_binary(IntOp::Le, bound, left)
    }
}

/// Terms in SMT-LIB, by number.
fn smtlib(terms: &Terms, from: usize, to: usize) -> String {
    (from..to).map(|index| define(terms, TermId::new(index))).collect()
}

/// A query: what is assumed, the lemma that is added afterwards, if any, and the number of terms
/// then.
type Query = (Vec<TermId>, Option<TermId>, usize);

/// Runs the queries on ours.
fn ours(queries: usize) -> (Program, Vec<Query>, Vec<SatResult>) {
    let mut random = Random::new(11);
    let mut program = program(&mut random);
    let (mut solver, mut encoder) = (LiaSolver::new(), IntEncoder::new());
    let mut script = Vec::new();
    let mut answers = Vec::new();
    for _ in 0..queries {
        let mut assumed = vec![program.edges[random.below(EDGES)]];
        for _ in 0..5 {
            assumed.push(atom(&mut program.terms, &mut random, &program.next));
        }
        for _ in 0..4 {
            assumed.push(atom(&mut program.terms, &mut random, &program.state));
        }
        let lits: Vec<Lit> = assumed
            .iter()
            .map(|&term| encoder.lit(&program.terms, &mut solver, term).expect("linear"))
            .collect();
        let answer = solver.solve(&lits);
        if answer == SatResult::Sat {
            for &symbol in &program.state {
                std::hint::black_box(encoder.value(&program.terms, &solver, symbol));
            }
        }
        let mut lemma = None;
        if random.below(20) == 0 {
            let count = 3 + random.below(3);
            let atoms: Vec<TermId> =
                (0..count).map(|_| atom(&mut program.terms, &mut random, &program.state)).collect();
            // The initial state satisfies every lemma.
            let terms = &program.terms;
            let mut values: Vec<Value> = Vec::with_capacity(terms.len());
            for (id, term) in terms.iter() {
                let value = ops::apply(term, |arg| &values[arg.index()]);
                values.push(value.unwrap_or_else(|| Value::zero(terms.sort(id))));
            }
            if atoms.iter().any(|atom| values[atom.index()].as_bv().is_true()) {
                let clause: Vec<Lit> = atoms
                    .iter()
                    .map(|&term| encoder.lit(&program.terms, &mut solver, term).expect("linear"))
                    .collect();
                solver.add_clause(&clause);
                lemma = Some(any(&mut program.terms, &atoms));
            }
        }
        script.push((assumed, lemma, program.terms.len()));
        answers.push(answer);
    }
    let _ = writeln!(std::io::stdout(), "{:?}\n{:?}", solver.stats(), solver.lia_stats());
    (program, script, answers)
}

/// The same queries on Z3; seconds, and how many answers differ.
fn with_z3(
    program: &Program,
    script: &[Query],
    answers: &[SatResult],
) -> std::io::Result<(f64, usize)> {
    let mut z3 = Z3::start(&[])?;
    let mut known = 1 + program.edges.last().expect("there are edges").index();
    z3.write("(set-logic QF_LIA)\n")?;
    z3.write(&smtlib(&program.terms, 0, known))?;
    z3.write("(check-sat)\n")?;
    z3.line()?;
    let start = z3.seconds();
    let mut differ = 0;
    for ((assumed, lemma, terms), answer) in script.iter().zip(answers) {
        let names: Vec<String> = assumed.iter().map(|term| format!("t{}", term.index())).collect();
        let defined = smtlib(&program.terms, known, *terms);
        z3.write(&format!("{defined}(check-sat-assuming ({}))\n", names.join(" ")))?;
        known = *terms;
        differ += (z3.line()? != format!("{answer:?}").to_lowercase()) as usize;
        if let Some(lemma) = lemma {
            z3.write(&format!("(assert t{})\n", lemma.index()))?;
        }
    }
    Ok((z3.seconds() - start, differ))
}

fn main() -> std::io::Result<()> {
    let queries = std::env::args().nth(1).map_or(20_000, |arg| arg.parse().expect("a number"));
    let mut out = std::io::stdout();
    let start = cpu_seconds("thread-self");
    let (program, script, answers) = ours(queries);
    let time = cpu_seconds("thread-self") - start;
    let sat = answers.iter().filter(|answer| answer.is_sat()).count();
    let each = |time: f64| time * 1e6 / queries as f64;
    writeln!(out, "ours: {:.1} µs a query, {sat} of {queries} satisfiable", each(time))?;
    match with_z3(&program, &script, &answers) {
        Ok((time, differ)) => writeln!(out, "z3: {:.1} µs, {differ} differ", each(time)),
        Err(error) => writeln!(out, "z3: {error}"),
    }
}
