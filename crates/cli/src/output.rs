//! Files and streams. A file is written whole or not at all: into a temporary one beside it,
//! then renamed. A reader that goes away (`pedra … | head`) ends the program quietly. The live
//! status is taken off the terminal before anything else is printed there.

use anyhow::{Context, Result};
use pedra_formats::text::printable;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

/// Held while a temporary file exists, so that an exit forced by a limit waits for the rename.
static WRITING: Mutex<()> = Mutex::new(());

/// Waits until no file is being written and keeps new ones from being started.
pub fn no_more_files() -> MutexGuard<'static, ()> {
    WRITING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What a path stands for when it is written to.
enum Target {
    /// Our own standard output, whatever it is connected to.
    Stdout,
    /// Our own standard error.
    Stderr,
    /// A device or pipe, which cannot be renamed onto.
    Special,
    /// A file, existing or not; links are followed, so that they stay links.
    File(PathBuf),
}

impl Target {
    fn of(path: &Path) -> Target {
        match path.to_str() {
            Some("-" | "/dev/stdout" | "/dev/fd/1" | "/proc/self/fd/1") => return Target::Stdout,
            Some("/dev/stderr" | "/dev/fd/2" | "/proc/self/fd/2") => return Target::Stderr,
            _ => {}
        }
        match fs::metadata(path) {
            Ok(found) if !found.is_file() => Target::Special,
            Ok(_) => Target::File(path.canonicalize().unwrap_or_else(|_| path.to_owned())),
            Err(_) => Target::File(path.to_owned()),
        }
    }
}

/// Writes a file whole or not at all.
pub fn write_file(path: &Path, bytes: &[u8]) -> Result<()> {
    let _guard = WRITING.lock().unwrap_or_else(PoisonError::into_inner);
    let written = match Target::of(path) {
        Target::Stdout => write_stream(&mut io::stdout().lock(), bytes),
        Target::Stderr => write_stream(&mut io::stderr().lock(), bytes),
        Target::Special => fs::write(path, bytes),
        Target::File(path) => write_beside_and_rename(&path, bytes),
    };
    written.with_context(|| format!("{}: cannot be written", printable(&path.to_string_lossy())))
}

/// Opens a file that grows while it is written; what it held before is gone.
///
/// # Errors
/// What the system says to the attempt.
pub fn open_stream(path: &Path) -> io::Result<Box<dyn Write + Send>> {
    Ok(match Target::of(path) {
        Target::Stdout => Box::new(io::stdout()),
        Target::Stderr => Box::new(io::stderr()),
        Target::Special => Box::new(fs::OpenOptions::new().write(true).open(path)?),
        Target::File(path) => Box::new(fs::File::create(path)?),
    })
}

/// Whether a file could be written: its folder takes new files, and its name is possible. The
/// file itself is not touched.
///
/// # Errors
/// What the system says to the attempt.
pub fn check_writable(path: &Path) -> io::Result<()> {
    let Target::File(path) = Target::of(path) else {
        let is_folder = path.is_dir();
        return if is_folder { Err(io::Error::other("it is a folder")) } else { Ok(()) };
    };
    if let Err(error) = fs::symlink_metadata(&path)
        && error.kind() != io::ErrorKind::NotFound
    {
        return Err(error);
    }
    let _guard = WRITING.lock().unwrap_or_else(PoisonError::into_inner);
    let temporary = temporary_name(&path);
    fs::OpenOptions::new().write(true).create_new(true).open(&temporary)?;
    fs::remove_file(&temporary)
}

/// The whole path of a file that is there or could be; none if it is a stream or has no folder.
pub fn place_of(path: &Path) -> Option<PathBuf> {
    if is_stream(path) {
        return None;
    }
    if let Ok(found) = path.canonicalize() {
        return Some(found);
    }
    let folder = path.parent().filter(|p| !p.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new(".")).canonicalize().ok()?;
    Some(folder.join(path.file_name()?))
}

/// Whether two paths name one file: the same existing one, or the same name in one folder.
pub fn same_file(a: &Path, b: &Path) -> bool {
    if is_stream(a) || is_stream(b) {
        return false;
    }
    a == b || matches!((place_of(a), place_of(b)), (Some(a), Some(b)) if a == b) || same_inode(a, b)
}

/// A device or pipe takes several files one after the other.
pub fn is_stream(path: &Path) -> bool {
    !matches!(Target::of(path), Target::File(_)) && !path.is_dir()
}

/// Whether a path stands for our own standard output, where verdicts go.
pub fn is_stdout(path: &Path) -> bool {
    matches!(Target::of(path), Target::Stdout)
}

#[cfg(unix)]
fn same_inode(a: &Path, b: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let identity = |path: &Path| fs::metadata(path).ok().map(|m| (m.dev(), m.ino()));
    identity(a).is_some_and(|a| identity(b) == Some(a))
}

#[cfg(not(unix))]
fn same_inode(_: &Path, _: &Path) -> bool {
    false
}

fn write_stream(out: &mut impl Write, bytes: &[u8]) -> io::Result<()> {
    out.write_all(bytes).and_then(|()| out.flush())
}

fn write_beside_and_rename(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let temporary = temporary_name(path);
    let result = fs::OpenOptions::new()
        .write(true)
        .create_new(true)
        .open(&temporary)
        .and_then(|mut file| write_stream(&mut file, bytes))
        .and_then(|()| fs::rename(&temporary, path));
    if result.is_err() {
        // Nothing is left behind; the first error is the one to report.
        let _ = fs::remove_file(&temporary);
    }
    result
}

/// A name of its own, not made of the file's: that may have the greatest length already.
fn temporary_name(path: &Path) -> PathBuf {
    path.with_file_name(format!(".pedra-{}.tmp", std::process::id()))
}

/// The live status on the terminal, which gives way to everything else that is printed.
struct Screen {
    /// How many lines of status there are above the cursor.
    drawn: usize,
    /// Nothing more is drawn.
    closed: bool,
}

static SCREEN: Mutex<Screen> = Mutex::new(Screen { drawn: 0, closed: false });

/// The screen with the status gone from it.
fn cleared_screen() -> MutexGuard<'static, Screen> {
    let mut screen = SCREEN.lock().unwrap_or_else(PoisonError::into_inner);
    let drawn = std::mem::take(&mut screen.drawn);
    if drawn > 0 {
        let _ = write_stream(&mut io::stderr().lock(), format!("\x1b[{drawn}A\x1b[J").as_bytes());
    }
    screen
}

/// Replaces the live status; none of its lines may be wider than the terminal.
pub fn draw_status(lines: &[String]) {
    let mut screen = cleared_screen();
    if !screen.closed && !lines.is_empty() {
        let text = lines.join("\n") + "\n";
        let _ = write_stream(&mut io::stderr().lock(), text.as_bytes());
        screen.drawn = lines.len();
    }
}

/// Takes the live status away for good.
pub fn close_status() {
    cleared_screen().closed = true;
}

/// Prints a line on standard output. If nobody reads it any more, the program ends.
pub fn say(line: &str) {
    let screen = cleared_screen();
    let mut out = io::stdout().lock();
    if let Err(error) = writeln!(out, "{line}").and_then(|()| out.flush()) {
        drop(screen);
        if error.kind() != io::ErrorKind::BrokenPipe {
            note(&format!("standard output: cannot be written: {error}"));
        }
        let _files = no_more_files();
        std::process::exit(3);
    }
}

/// Gives the one answer of a run, unless the run or its watchdog has given one already; in any
/// case the exit code of the one that was given.
pub fn answer_once(given: &OnceLock<i32>, text: &str, code: i32) -> i32 {
    *given.get_or_init(|| {
        say(text);
        code
    })
}

/// Prints text on standard error, where nobody may be reading.
pub fn note(text: &str) {
    let _screen = cleared_screen();
    let _ = writeln!(io::stderr().lock(), "{text}");
}

/// Says on standard error that an engine has failed, and that the others go on.
pub fn tell_crash(engine: &str, text: &str) {
    let text = printable(text);
    note(&format!(
        "engine {engine} has failed, the others continue; this is a bug in pedra: {text}"
    ));
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

        let longest = folder.join("n".repeat(255));
        check_writable(&longest).expect("a name of the greatest length");
        write_file(&longest, b"x").expect("written");
        assert!(check_writable(&folder.join("n".repeat(256))).is_err());
        assert!(check_writable(&folder).is_err());
        assert!(check_writable(&folder.join("missing/b.txt")).is_err());
        check_writable(Path::new("/dev/null")).expect("takes anything");
        assert_eq!(fs::read_dir(&folder).expect("there").count(), 2);
        fs::remove_dir_all(&folder).expect("removed");
    }
    #[test]
    #[cfg(unix)]
    fn links_stay_links() {
        let folder = std::env::temp_dir().join(format!("pedra-links-{}", std::process::id()));
        fs::create_dir_all(&folder).expect("a temporary folder");
        let (file, link) = (folder.join("a.txt"), folder.join("b.txt"));
        write_file(&file, b"one").expect("written");
        std::os::unix::fs::symlink("a.txt", &link).expect("linked");
        assert!(same_file(&file, &link));
        assert!(same_file(&folder.join("new"), &folder.join("./new")));
        assert!(!same_file(&file, &folder.join("new")));
        assert!(!same_file(Path::new("/dev/null"), Path::new("/dev/null")));
        write_file(&link, b"two").expect("replaced");
        assert_eq!(fs::read(&file).expect("there"), b"two");
        assert!(fs::symlink_metadata(&link).expect("there").is_symlink());
        fs::remove_dir_all(&folder).expect("removed");
    }
}
