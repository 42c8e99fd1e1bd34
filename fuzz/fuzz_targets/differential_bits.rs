//! All engines on one random bit-level system; the bytes choose which.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let mut seed = [0; 8];
    for (place, byte) in seed.iter_mut().zip(bytes) {
        *place = *byte;
    }
    pedra_differential::differential_bits(u64::from_le_bytes(seed));
});
