//! All engines on one random word-level system; the bytes choose which.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let mut seed = [0; 8];
    for (place, byte) in seed.iter_mut().zip(bytes) {
        *place = *byte;
    }
    pedra_differential::differential_words(u64::from_le_bytes(seed));
});
