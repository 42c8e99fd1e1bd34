//! Files and streams. A file is written whole or not at all: into a temporary one beside it,
//! then renamed. A reader that goes away (`pedra … | head`) ends the program quietly.

use anyhow::{Context, Result};
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Held while a temporary file exists, so that an exit forced by a limit waits for the rename.
static WRITING: Mutex<()> = Mutex::new(());

/// Waits until no file is being written and keeps new ones from being started.
pub fn no_more_files() -> MutexGuard<'static, ()> {
    WRITING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Writes a file whole or not at all.
pub fn write_file(path: &Path, bytes: &[u8]) -> Result<()> {
    let _guard = WRITING.lock().unwrap_or_else(PoisonError::into_inner);
    // A device or pipe (/dev/stdout, /dev/null) cannot be renamed onto.
    let special = fs::metadata(path).is_ok_and(|m| !m.is_file());
    let written =
        if special { fs::write(path, bytes) } else { write_beside_and_rename(path, bytes) };
    written.with_context(|| format!("{}: cannot be written", path.display()))
}

fn write_beside_and_rename(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let temporary = temporary_name(path);
    let result = fs::OpenOptions::new()
        .write(true)
        .create_new(true)
        .open(&temporary)
        .and_then(|mut file| {
            file.write_all(bytes)?;
            file.flush()
        })
        .and_then(|()| fs::rename(&temporary, path));
    if result.is_err() {
        // Nothing is left behind; the first error is the one to report.
        let _ = fs::remove_file(&temporary);
    }
    result
}

fn temporary_name(path: &Path) -> PathBuf {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    path.with_file_name(format!(".{name}.{}.tmp", std::process::id()))
}

/// Prints a line on standard output. If nobody reads it any more, the program ends.
pub fn say(line: &str) {
    let mut out = io::stdout().lock();
    if writeln!(out, "{line}").and_then(|()| out.flush()).is_err() {
        std::process::exit(3);
    }
}

/// Prints text on standard error, where nobody may be reading.
pub fn note(text: &str) {
    let _ = writeln!(io::stderr().lock(), "{text}");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_left_behind() {
        let folder = std::env::temp_dir().join(format!("pedra-output-{}", std::process::id()));
        fs::create_dir_all(&folder).expect("a temporary folder");
        let file = folder.join("a.txt");
        write_file(&file, b"one").expect("written");
        write_file(&file, b"two").expect("replaced");
        assert_eq!(fs::read(&file).expect("there"), b"two");
        assert!(write_file(&folder.join("missing/b.txt"), b"x").is_err());
        assert_eq!(fs::read_dir(&folder).expect("there").count(), 1);
        fs::remove_dir_all(&folder).expect("removed");
    }
}
