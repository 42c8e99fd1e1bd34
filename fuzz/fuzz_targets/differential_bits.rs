//! All engines on one random bit-level system; the bytes choose which.
#![cfg_attr(fuzzing, no_main)]

pedra_fuzz::target!(|bytes: &[u8]| pedra_differential::differential_bits(pedra_fuzz::seed(bytes)));
