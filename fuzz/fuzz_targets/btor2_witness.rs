//! Any bytes read as a BTOR2 witness.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| pedra_formats::fuzzing::btor2_witness(bytes));
