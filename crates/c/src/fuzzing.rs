//! The bodies of fuzz targets: they take any bytes at all and panic if a promise of this crate is
//! broken.

use crate::task;
use crate::witness::{read, write};
use crate::{DataModel, Options, load};

/// Loads a program for both data models. If it is one, the program graph is well formed; if not,
/// the error says where, and that is a place in the text.
pub fn c(bytes: &[u8]) {
    for model in [DataModel::Ilp32, DataModel::Lp64] {
        let options = Options { model, ..Options::default() };
        match load(bytes, "fuzz.c", &options) {
            Ok(program) => program.check().expect("the program graph is well formed"),
            Err(error) => {
                let place = &error.location;
                assert!(place.column >= 1 && !error.message.is_empty(), "{error:?}");
                if place.file.is_none() {
                    let lines = bytes.split(|&byte| byte == b'\n').count();
                    assert!((1..=lines.max(1)).contains(&place.line) || has_markers(bytes));
                }
            }
        }
    }
}

/// Whether line markers may have changed the line numbers.
fn has_markers(bytes: &[u8]) -> bool {
    bytes.contains(&b'#')
}

/// Reads a witness. What is one is written and read again as the same.
pub fn witness(bytes: &[u8]) {
    match read(bytes) {
        Ok(witness) => {
            let text = write(&witness);
            assert_eq!(read(text.as_bytes()).as_ref(), Ok(&witness), "{text}");
        }
        Err(why) => assert!(!why.is_empty()),
    }
}

/// Reads a task file.
pub fn task(bytes: &[u8]) {
    match task::read(bytes) {
        Ok(_) => {}
        Err(why) => assert!(!why.is_empty()),
    }
}
