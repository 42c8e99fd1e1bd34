//! Any bytes read as a BTOR2 file.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| pedra_formats::fuzzing::btor2_read(bytes));
