//! All engines on one random word-level system; the bytes choose which.
#![cfg_attr(fuzzing, no_main)]

pedra_fuzz::target!(|bytes: &[u8]| pedra_differential::differential_words(pedra_fuzz::seed(bytes)));
