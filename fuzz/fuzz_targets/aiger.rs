//! Any bytes read as an AIGER file.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| pedra_formats::fuzzing::aiger(bytes));
