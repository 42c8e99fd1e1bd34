//! A bounded, deterministic run of the differential fuzzers; `PEDRA_FUZZ_RUNS` scales it.

use pedra_differential::{differential_bits, differential_words};

fn runs(default: u64) -> u64 {
    let set = std::env::var("PEDRA_FUZZ_RUNS").ok();
    set.map_or(default, |text| text.parse().expect("PEDRA_FUZZ_RUNS is a number"))
}

#[test]
fn bit_level_engines_agree_with_the_oracle() {
    (0..runs(1500)).for_each(differential_bits);
}

#[test]
fn word_level_engines_agree_with_the_oracle() {
    (0..runs(1000)).for_each(differential_words);
}
