//! The processor time of one small query in the way of PDR on programs: `cargo run --release -p
//! pedra-solve --example lia_queries [QUERIES]`.
//!
//! A random program location with some incoming edges, over a few integers.
//! Each query assumes an edge, a cube of bounds on the next state and some lemmas; now and
//! then a lemma about the state comes in. `z3` gets the same
//! queries if it is on the path.

#[path = "../tests/common/cpu.rs"]
mod cpu;

use cpu::cpu_seconds;
use pedra_model::lit::Lit;
use pedra_solve::SatResult;
use pedra_solve::lia::{Encoder, Formulas, Int, LiaSolver, Node, Sort, Term, Value};
use pedra_testkit::random::Random;
use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};

const VARS: usize = 8;
const EDGES: usize = 6;

struct Program {
    formulas: Formulas,
    state: Vec<Term>,
    next: Vec<Term>,
    edges: Vec<Term>,
}

fn program(random: &mut Random) -> Program {
    let mut formulas = Formulas::new();
    let state: Vec<Term> = (0..VARS).map(|_| formulas.new_symbol(Sort::Int)).collect();
    let next: Vec<Term> = (0..VARS).map(|_| formulas.new_symbol(Sort::Int)).collect();
    let mut edges = Vec::new();
    for _ in 0..EDGES {
        let mut parts = Vec::new();
        for at in 0..VARS {
            let (a, b) = (state[random.below(VARS)], state[random.below(VARS)]);
            let step = formulas.int(random.below(5) as i64 - 2);
            let moved = formulas.sum(&[state[at], step]);
            let value = match random.below(4) {
                0 => moved,
                1 => formulas.sum(&[a, b]),
                2 => {
                    let condition = formulas.le(a, b);
                    formulas.add(Node::Ite(condition, moved, state[at]))
                }
                _ => state[at],
            };
            parts.push(formulas.eq(next[at], value));
        }
        let (a, b) = (state[random.below(VARS)], state[random.below(VARS)]);
        parts.push(formulas.le(a, b));
        edges.push(formulas.and(&parts));
    }
    Program { formulas, state, next, edges }
}

/// `vars[a] ± vars[b] ≤ c` or `vars[a] ≤ c`, in one of two directions.
fn atom(formulas: &mut Formulas, random: &mut Random, vars: &[Term]) -> Term {
    let (a, b) = (vars[random.below(VARS)], vars[random.below(VARS)]);
    let bound = formulas.int(random.below(21) as i64 - 10);
    let left = match random.below(3) {
        0 => formulas.minus(a, b),
        _ => a,
    };
    if random.coin() { formulas.le(left, bound) } else { formulas.le(bound, left) }
}

/// Terms in SMT-LIB, by number.
fn smtlib(formulas: &Formulas, from: usize, to: usize) -> String {
    let mut text = String::new();
    for term in formulas.iter().take(to).skip(from) {
        let sort = if formulas.sort(term) == Sort::Int { "Int" } else { "Bool" };
        let name = |child: &Term| match formulas.node(*child) {
            Node::Int(value) if value.is_negative() => format!("(- {})", value.abs()),
            Node::Int(value) => value.to_string(),
            _ => format!("t{}", child.index()),
        };
        let args: Vec<String> = formulas.children(term).iter().map(name).collect();
        let call = |op: &str| format!("({op} {})", args.join(" "));
        let body = match formulas.node(term) {
            Node::BoolSymbol(_) | Node::IntSymbol(_) => {
                text += &format!("(declare-const t{} {sort})", term.index());
                continue;
            }
            Node::Int(_) => continue,
            Node::Not(_) => call("not"),
            Node::And(_) => call("and"),
            Node::Or(_) => call("or"),
            Node::Eq(..) => call("="),
            Node::Le(..) => call("<="),
            Node::Add(_) => call("+"),
            Node::Mul(..) => call("*"),
            Node::Ite(..) => call("ite"),
            other => unreachable!("{other:?} is not used here"),
        };
        text += &format!("(declare-const t{0} {sort})(assert (= t{0} {body}))\n", term.index());
    }
    text
}

/// A query: what is assumed, the lemma that is added afterwards, if any, and the number of terms
/// then.
type Query = (Vec<Term>, Option<Term>, usize);

/// Runs the queries on ours.
fn ours(queries: usize) -> (Program, Vec<Query>, Vec<SatResult>) {
    let mut random = Random::new(11);
    let mut program = program(&mut random);
    let (mut solver, mut encoder) = (LiaSolver::new(), Encoder::new());
    let mut script = Vec::new();
    let mut answers = Vec::new();
    for _ in 0..queries {
        let mut assumed = vec![program.edges[random.below(EDGES)]];
        for _ in 0..5 {
            assumed.push(atom(&mut program.formulas, &mut random, &program.next));
        }
        for _ in 0..4 {
            assumed.push(atom(&mut program.formulas, &mut random, &program.state));
        }
        let lits: Vec<Lit> = assumed
            .iter()
            .map(|&term| encoder.lit(&program.formulas, &mut solver, term).expect("linear"))
            .collect();
        let answer = solver.solve(&lits);
        if answer == SatResult::Sat {
            let sum = program.state.iter().fold(Int::ZERO, |sum, &term| {
                &sum + &encoder.value(&solver, term).expect("there is a model")
            });
            std::hint::black_box(sum);
        }
        let mut lemma = None;
        if random.below(20) == 0 {
            let count = 3 + random.below(3);
            let atoms: Vec<Term> = (0..count)
                .map(|_| atom(&mut program.formulas, &mut random, &program.state))
                .collect();
            // The initial state satisfies every lemma.
            let zero = |_| Value::Int(Int::ZERO);
            let values = program.formulas.eval(&atoms, zero, |_, _| Int::ZERO);
            if values.is_some_and(|values| values.contains(&Value::Bool(true))) {
                let clause: Vec<Lit> = atoms
                    .iter()
                    .map(|&term| encoder.lit(&program.formulas, &mut solver, term).expect("linear"))
                    .collect();
                solver.add_clause(&clause);
                lemma = Some(program.formulas.or(&atoms));
            }
        }
        script.push((assumed, lemma, program.formulas.len()));
        answers.push(answer);
    }
    let _ = writeln!(std::io::stdout(), "{:?}\n{:?}", solver.stats(), solver.lia_stats());
    (program, script, answers)
}

/// The same queries on Z3; seconds, and how many answers differ.
fn z3(program: &Program, script: &[Query], answers: &[SatResult]) -> std::io::Result<(f64, usize)> {
    let mut child = Command::new("z3")
        .args(["-in", "-smt2"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()?;
    let process = child.id().to_string();
    let mut input = child.stdin.take().expect("it is piped");
    let mut output = BufReader::new(child.stdout.take().expect("it is piped"));
    input.write_all(b"(set-logic QF_LIA)\n")?;
    let mut known = 1 + program.edges.last().expect("there are edges").index();
    input.write_all(smtlib(&program.formulas, 0, known).as_bytes())?;
    writeln!(input, "(check-sat)")?;
    input.flush()?;
    let mut line = String::new();
    output.read_line(&mut line)?;
    let start = cpu_seconds(&process);
    let mut differ = 0;
    for ((assumed, lemma, terms), answer) in script.iter().zip(answers) {
        input.write_all(smtlib(&program.formulas, known, *terms).as_bytes())?;
        known = *terms;
        let names: Vec<String> = assumed.iter().map(|term| format!("t{}", term.index())).collect();
        writeln!(input, "(check-sat-assuming ({}))", names.join(" "))?;
        input.flush()?;
        line.clear();
        output.read_line(&mut line)?;
        differ += (line.trim() != format!("{answer:?}").to_lowercase()) as usize;
        if let Some(lemma) = lemma {
            writeln!(input, "(assert t{})", lemma.index())?;
        }
    }
    Ok((cpu_seconds(&process) - start, differ))
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
    match z3(&program, &script, &answers) {
        Ok((time, differ)) => writeln!(out, "z3: {:.1} µs, {differ} differ", each(time)),
        Err(error) => writeln!(out, "z3: {error}"),
    }
}
