//! A bounded, deterministic run over random justice sets; `PEDRA_FUZZ_RUNS` scales it.

use pedra_differential::live::{
    LiveVerdicts, differential_live_bits, differential_live_induction, differential_live_words,
};
use pedra_testkit::random::runs;

fn all(body: impl Fn(u64) -> LiveVerdicts, count: u64) -> LiveVerdicts {
    let mut verdicts = LiveVerdicts::default();
    (0..runs(count)).for_each(|seed| verdicts += body(seed));
    verdicts
}

#[test]
fn justice_sets_of_bits_have_the_verdicts_of_the_oracle() {
    let found = all(differential_live_bits, 400);
    assert!(found.proved > 400 && found.violated > 400, "{found:?}");
}

#[test]
fn justice_sets_of_words_have_the_verdicts_of_the_oracle() {
    let found = all(differential_live_words, 150);
    assert!(found.proved > 100 && found.violated > 100, "{found:?}");
}

#[test]
fn bounds_by_induction_are_right() {
    let found = all(differential_live_induction, 400);
    assert!(found.proved > 100 && found.violated > 100, "{found:?}");
}
