//! The arithmetic solver against enumeration, and small problems of known answer.

#[path = "common/lia.rs"]
mod lia;
#[path = "common/lia_run.rs"]
mod lia_run;

use lia_run::{Tally, run_incremental};
use pedra_testkit::random::{Random, runs};

#[test]
fn random_formulas_against_enumeration() {
    let mut tally = Tally::default();
    for seed in 0..runs(400) {
        run_incremental(&mut Random::new(seed), &mut tally);
    }
    assert!(tally.sat > 100 && tally.unsat > 100, "{tally:?}");
    assert_eq!(tally.unknown, 0, "{tally:?}");
}
