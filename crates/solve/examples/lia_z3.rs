//! Random problems over unbounded integers, against `z3` on the path:
//! `cargo run --release -p pedra-solve --example lia_z3 [PROBLEMS] [FIRST]`.
//!
//! Both sides get the same formulas, each problem on its own; Z3 is one process that is reset in
//! between. Ours are asked twice, the second time with a check of the model or the proof. Prints
//! every disagreement, and for each family the answers and the processor times.

#[path = "../tests/common/cpu.rs"]
mod cpu;
#[path = "../tests/common/lia_text.rs"]
mod lia_text;
#[path = "../tests/common/z3.rs"]
mod z3;

use cpu::cpu_seconds;
use lia_text::{all, any, sum_of, times};
use pedra_certify::check_linear_proof;
use pedra_model::eval::ops;
use pedra_model::term::{BinaryOp, IntOp, Sort, TermId, Terms, UnaryOp};
use pedra_model::value::Value;
use pedra_solve::SatResult;
use pedra_solve::lia::{LiaSolver, LiaStats};
use pedra_solve::terms::{IntEncoder, define};
use pedra_testkit::random::Random;
use std::io::Write;
use z3::Z3;

const FAMILIES: [&str; 5] = ["conjunctions", "equations", "clauses", "boxes", "programs"];

struct Maker<'a> {
    terms: Terms,
    random: &'a mut Random,
    vars: Vec<TermId>,
}

impl Maker<'_> {
    fn draw(&mut self, bound: i64) -> i64 {
        self.random.below(2 * bound as usize + 1) as i64 - bound
    }

    /// A sum of up to `most` variables and a constant.
    fn sum(&mut self, most: usize, factors: i64, constant: i64) -> TermId {
        let mut parts = Vec::new();
        for _ in 0..1 + self.random.below(most) {
            let var = self.vars[self.random.below(self.vars.len())];
            let factor = self.draw(factors);
            parts.push(times(&mut self.terms, factor, var));
        }
        let constant = self.draw(constant);
        parts.push(self.terms.integer(constant));
        sum_of(&mut self.terms, &parts)
    }

    fn atom(&mut self, factors: i64, constant: i64) -> TermId {
        let (a, b) = (self.sum(3, factors, constant), self.sum(2, factors, constant));
        match self.random.below(6) {
            0 => self.terms.binary(BinaryOp::Eq, a, b),
            1 => {
                let equal = self.terms.binary(BinaryOp::Eq, a, b);
                self.terms.unary(UnaryOp::Not, equal)
            }
            2 => self.terms.int_binary(IntOp::Lt, a, b),
            _ => self.terms.int_binary(IntOp::Le, a, b),
        }
    }

    /// An equation that holds at a point, mostly.
    fn equation(&mut self, most: usize, factors: i64, point: &[i64]) -> TermId {
        let mut value = if self.random.below(8) == 0 { self.draw(5) } else { 0 };
        let mut parts = Vec::new();
        for _ in 0..1 + self.random.below(most) {
            let at = self.random.below(point.len());
            let factor = self.draw(factors);
            value += factor * point[at];
            parts.push(times(&mut self.terms, factor, self.vars[at]));
        }
        let (sum, value) = (sum_of(&mut self.terms, &parts), self.terms.integer(value));
        self.terms.binary(BinaryOp::Eq, sum, value)
    }

    fn problem(&mut self, family: usize) -> TermId {
        let count = 2 + self.random.below(5);
        self.vars = (0..count).map(|_| self.terms.new_symbol(Sort::Int)).collect();
        let point: Vec<i64> = (0..count).map(|_| self.draw(40)).collect();
        let mut parts = Vec::new();
        match family {
            0 => (0..2 * count).for_each(|_| parts.push(self.atom(9, 20))),
            1 => {
                for _ in 0..count {
                    parts.push(self.equation(4, 12, &point));
                }
                parts.push(self.atom(9, 200));
            }
            2 => {
                for _ in 0..12 * count {
                    let atoms: Vec<TermId> = (0..3).map(|_| self.atom(5, 12)).collect();
                    parts.push(any(&mut self.terms, &atoms));
                }
            }
            3 => {
                for place in 0..count {
                    let (low, high) = (self.terms.integer(-40), self.terms.integer(40));
                    parts.push(self.terms.int_binary(IntOp::Le, low, self.vars[place]));
                    parts.push(self.terms.int_binary(IntOp::Le, self.vars[place], high));
                }
                for _ in 0..count / 2 {
                    parts.push(self.equation(5, 30, &point));
                }
                (0..count / 2).for_each(|_| parts.push(self.atom(20, 1000)));
            }
            _ => self.program(&mut parts),
        }
        all(&mut self.terms, &parts)
    }

    /// Some steps of a loop with branches, and a property at the end.
    fn program(&mut self, parts: &mut Vec<TermId>) {
        let count = self.vars.len();
        for &var in &self.vars {
            let low = self.terms.integer(0);
            parts.push(self.terms.int_binary(IntOp::Le, low, var));
        }
        for _ in 0..3 + self.random.below(8) {
            let condition = self.atom(2, 6);
            let at = self.random.below(count);
            let (then, other) = (self.sum(2, 2, 4), self.sum(2, 1, 4));
            let mut next = self.terms.ite(condition, then, other);
            if self.random.below(4) == 0 {
                let by = self.terms.integer(2 + self.random.below(3) as i64);
                let is_quotient = self.random.coin();
                let op = if is_quotient { IntOp::Div } else { IntOp::Mod };
                next = self.terms.int_binary(op, next, by);
            }
            self.vars[at] = next;
            if self.random.below(3) == 0 {
                parts.push(self.atom(2, 10));
            }
        }
        (0..2).for_each(|_| parts.push(self.atom(3, 10)));
    }
}

/// Definitions in SMT-LIB, and the question.
fn smtlib(terms: &Terms, root: TermId) -> String {
    let mut text = String::new();
    for term in terms.cone_ids([root]) {
        text += &define(terms, term);
    }
    text + &format!("(assert t{})(check-sat)\n", root.index())
}

/// What Z3 says to a problem by itself.
fn ask(z3: &mut Z3, text: &str) -> std::io::Result<String> {
    z3.write(&format!("(reset)(set-logic QF_LIA){text}"))?;
    z3.line()
}

struct Problem {
    terms: Terms,
    root: TermId,
}

fn problem(family: usize, seed: u64) -> Problem {
    let mut random = Random::new(seed * FAMILIES.len() as u64 + family as u64);
    let mut maker = Maker { terms: Terms::new(), random: &mut random, vars: Vec::new() };
    let root = maker.problem(family);
    Problem { terms: maker.terms, root }
}

impl Problem {
    /// Asks a solver.
    fn solve(&self, mut solver: LiaSolver) -> (LiaSolver, IntEncoder, SatResult) {
        let mut encoder = IntEncoder::new();
        let lit = encoder.lit(&self.terms, &mut solver, self.root).expect("it is linear");
        solver.add_clause(&[lit]);
        let answer = solver.solve(&[]);
        (solver, encoder, answer)
    }

    /// Asks again, and checks the model or the proof.
    fn check(&self, expected: SatResult) -> LiaStats {
        let (solver, encoder, answer) = self.solve(LiaSolver::with_proofs());
        assert_eq!(answer, expected, "the same question, another answer");
        match answer {
            SatResult::Sat => {
                let mut values: Vec<Value> = Vec::with_capacity(self.terms.len());
                for (id, term) in self.terms.iter() {
                    let value = ops::apply(term, |arg| &values[arg.index()]);
                    let symbol = || encoder.value(&self.terms, &solver, id);
                    values.push(value.unwrap_or_else(symbol));
                }
                assert!(values[self.root.index()].as_bv().is_true(), "the model is wrong");
            }
            SatResult::Unsat => {
                let proof = solver.proof().expect("there is a record");
                check_linear_proof(&proof, |_| true).expect("the proof is right");
            }
            SatResult::Unknown => {}
        }
        solver.lia_stats()
    }
}

fn main() -> std::io::Result<()> {
    let mut args = std::env::args().skip(1).map(|arg| arg.parse::<u64>().expect("a number"));
    let (count, first) = (args.next().unwrap_or(1000), args.next().unwrap_or(0));
    let mut out = std::io::stdout();
    let mut z3 = Z3::start(&["-t:5000"])?;
    for (family, name) in FAMILIES.iter().enumerate() {
        let problems: Vec<Problem> =
            (first..first + count).map(|seed| problem(family, seed)).collect();
        let start = cpu_seconds("thread-self");
        let answers: Vec<SatResult> =
            problems.iter().map(|problem| problem.solve(LiaSolver::new()).2).collect();
        let own = cpu_seconds("thread-self") - start;
        let texts: Vec<String> =
            problems.iter().map(|problem| smtlib(&problem.terms, problem.root)).collect();
        let start = z3.seconds();
        let others: Vec<String> =
            texts.iter().map(|text| ask(&mut z3, text)).collect::<Result<_, _>>()?;
        let its = z3.seconds() - start;
        let mut counts = [[0u64; 2]; 3];
        let place = |word: &str| ["sat", "unsat", "unknown"].iter().position(|&of| of == word);
        for (at, (answer, other)) in answers.iter().zip(&others).enumerate() {
            let answer_word = format!("{answer:?}").to_lowercase();
            let stats = problems[at].check(*answer);
            counts[place(&answer_word).expect("a result")][0] += 1;
            counts[place(other).unwrap_or_else(|| panic!("z3 says {other}"))][1] += 1;
            if answer_word != *other {
                let seed = first + at as u64;
                writeln!(out, "{name} {seed}: {answer_word}, but z3 says {other}; {stats:?}")?;
            }
        }
        let [sat, unsat, unknown] = counts;
        writeln!(out, "{name}: sat {sat:?}, unsat {unsat:?}, unknown {unknown:?} (ours, z3)")?;
        let each = [own, its].map(|time| time * 1e3 / count as f64);
        writeln!(out, "  processor time {each:.3?} ms each")?;
    }
    Ok(())
}
