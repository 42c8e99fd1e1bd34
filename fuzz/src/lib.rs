//! What all fuzz targets share: a body that panics if a promise is broken, fed by libFuzzer under
//! cargo-fuzz and by files otherwise.

use std::process::ExitCode;

/// Makes a program of a body: `target!(body)` in a file that starts with
/// `#![cfg_attr(fuzzing, no_main)]`.
#[macro_export]
macro_rules! target {
    ($body:expr) => {
        #[cfg(fuzzing)]
        libfuzzer_sys::fuzz_target!(|bytes: &[u8]| $body(bytes));

        #[cfg(not(fuzzing))]
        fn main() -> std::process::ExitCode {
            $crate::replay($body)
        }
    };
}

/// Gives the files that were named to a body, as libFuzzer does with what it finds.
pub fn replay(body: fn(&[u8])) -> ExitCode {
    let files: Vec<String> = std::env::args().skip(1).collect();
    if files.is_empty() {
        eprintln!("usage: TARGET FILE...; cargo-fuzz makes a fuzzer of this program");
        return ExitCode::from(2);
    }
    for file in &files {
        match std::fs::read(file) {
            Ok(bytes) => body(&bytes),
            Err(error) => {
                eprintln!("{file}: {error}");
                return ExitCode::from(2);
            }
        }
    }
    println!("{} files keep all promises", files.len());
    ExitCode::SUCCESS
}

/// The seed that bytes stand for.
pub fn seed(bytes: &[u8]) -> u64 {
    let mut seed = [0; 8];
    for (place, byte) in seed.iter_mut().zip(bytes) {
        *place = *byte;
    }
    u64::from_le_bytes(seed)
}
