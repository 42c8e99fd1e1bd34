//! Random sessions with the arithmetic solver against enumeration, every proof checked:
//! `cargo run --release -p pedra-solve --example lia_fuzz [SESSIONS] [FIRST]`.
//!
//! A failure panics with the number of the session printed before.

#[path = "../tests/common/lia_problem.rs"]
mod lia_problem;
#[path = "../tests/common/lia_run.rs"]
mod lia_run;

use lia_run::{Tally, run_incremental};
use pedra_testkit::random::Random;
use std::io::Write;

fn main() -> std::io::Result<()> {
    let mut args = std::env::args().skip(1).map(|arg| arg.parse::<u64>().expect("a number"));
    let (sessions, first) = (args.next().unwrap_or(10_000), args.next().unwrap_or(0));
    let mut out = std::io::stdout();
    let mut tally = Tally::default();
    for seed in first..first + sessions {
        let result = std::panic::catch_unwind(|| {
            let mut tally = Tally::default();
            run_incremental(&mut Random::new(seed), &mut tally);
            tally
        });
        match result {
            Ok(one) => {
                tally.sat += one.sat;
                tally.unsat += one.unsat;
                tally.unknown += one.unknown;
                tally.steps += one.steps;
            }
            Err(_) => writeln!(out, "session {seed} failed")?,
        }
        if (seed + 1 - first).is_multiple_of(sessions.div_ceil(20)) {
            writeln!(out, "{} sessions: {tally:?}", seed + 1 - first)?;
        }
    }
    Ok(())
}
