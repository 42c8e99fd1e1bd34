//! Any bytes read as an AIGER witness.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| pedra_formats::fuzzing::aiger_witness(bytes));
