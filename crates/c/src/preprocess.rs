//! Runs the system's C compiler as a preprocessor, for files with directives such as `#include`.
//! Its line markers keep the positions. Time and size are bounded.
//!
//! For ILP32 the compiler runs with `-m32`, so that its own macros have the sizes of that model.
//! Many machines have the headers of the C library for 64 bits only. Those of glibc are for both
//! sizes (`bits/wordsize.h` asks the compiler), but are not where `-m32` looks, and lack one file,
//! the list of functions that a 32-bit library does not have. A second try adds these, and no
//! headers of other libraries.

use crate::lexer::LONGEST_TEXT;
use crate::types::DataModel;
use std::fs::DirBuilder;
use std::io::Read;
use std::os::unix::fs::{DirBuilderExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};
use std::{fmt, fs, io, thread};

/// The longest run of the preprocessor.
const LONGEST_RUN: Duration = Duration::from_secs(30);

/// How much of the preprocessor's own messages is kept, in bytes.
const LONGEST_MESSAGE: u64 = 1 << 14;

/// Why a file could not be preprocessed.
#[derive(Debug)]
pub enum PreprocessError {
    /// There is no `cc` on the path.
    NoCompiler,
    /// It could not be run.
    Io(io::Error),
    /// It found the file wrong; its own words.
    Refused(String),
    /// It found the file wrong for ILP32, and fine for LP64; its own words.
    NoHeaders(String),
    /// It took longer than the limit.
    TooLong,
    /// Its output is larger than the limit.
    TooLarge,
}

impl fmt::Display for PreprocessError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PreprocessError::NoCompiler => {
                f.write_str("the file has preprocessor directives, and there is no `cc` to run")
            }
            PreprocessError::Io(error) => write!(f, "the preprocessor cannot be run: {error}"),
            PreprocessError::Refused(text) => {
                write!(f, "the preprocessor refused the file: {text}")
            }
            PreprocessError::NoHeaders(text) => {
                writeln!(f, "the preprocessor refused the file for ILP32: {text}")?;
                f.write_str("hint: use --data-model lp64, or install the 32-bit headers of the ")?;
                f.write_str("C library (Debian: gcc-multilib)")
            }
            PreprocessError::TooLong => {
                write!(f, "the preprocessor took more than {} s", LONGEST_RUN.as_secs())
            }
            PreprocessError::TooLarge => {
                write!(f, "the preprocessed file is larger than {} MiB", LONGEST_TEXT >> 20)
            }
        }
    }
}

impl std::error::Error for PreprocessError {}

/// Stands for the list of functions that are missing in a 32-bit C library, which is empty here.
/// *Required for soundness*: it refuses headers that go for other sizes than those of ILP32.
const STUBS: &str = "\
#include <bits/wordsize.h>
#if __WORDSIZE != 32 || __SIZEOF_POINTER__ != 4 || __SIZEOF_LONG__ != 4 || __SIZEOF_SIZE_T__ != 4
#error \"the headers of the C library are not for ILP32\"
#endif
";

/// The folders of glibc and Linux among the headers of one machine: all that is in them is for
/// both sizes. *Required for soundness*: headers of other libraries need not be.
const BOTH_SIZES: [&str; 3] = ["bits", "sys", "asm"];

/// The text of a file after `cc -E`, for the sizes of a data model.
pub fn preprocess(file: &Path, model: DataModel) -> Result<Vec<u8>, PreprocessError> {
    let refused = match (run("cc", file, model, None), model) {
        (Err(PreprocessError::Refused(words)), DataModel::Ilp32) => words,
        (result, _) => return result,
    };
    // The second run says best what is wrong with the file itself.
    let words = match with_other_headers(file) {
        Ok(Err(PreprocessError::Refused(words))) => words,
        Ok(result) => return result,
        Err(_) => refused,
    };
    Err(match run("cc", file, DataModel::Lp64, None) {
        Ok(_) => PreprocessError::NoHeaders(words),
        Err(_) => PreprocessError::Refused(words),
    })
}

/// For ILP32 with the headers that the machine has for its own size. The error is that of making
/// the folder that has what is lacking.
fn with_other_headers(file: &Path) -> io::Result<Result<Vec<u8>, PreprocessError>> {
    let name = Command::new("cc").args(["-m64", "-print-multiarch"]).stderr(Stdio::null()).output();
    let name = String::from_utf8_lossy(&name?.stdout).trim().to_owned();
    let lacking = Lacking::new(&Path::new("/usr/include").join(name))?;
    Ok(run("cc", file, DataModel::Ilp32, Some(&lacking.0)))
}

/// A folder with the headers that are lacking; it is gone when it is dropped.
struct Lacking(PathBuf);

impl Lacking {
    /// With those of the machine from its own folder.
    fn new(own: &Path) -> io::Result<Lacking> {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let name = format!("pedra-headers-{}-{number}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        // Not a folder that is there already: it may be of others.
        DirBuilder::new().mode(0o700).create(&folder)?;
        let lacking = Lacking(folder);
        let at = |name: &str| lacking.0.join(name);
        fs::create_dir(at("gnu"))?;
        // The second is for machines where the first is in the usual place, and wants the other.
        fs::write(at("gnu/stubs.h"), STUBS)?;
        fs::write(at("gnu/stubs-32.h"), STUBS)?;
        for name in BOTH_SIZES {
            symlink(own.join(name), at(name))?;
        }
        Ok(lacking)
    }
}

impl Drop for Lacking {
    fn drop(&mut self) {
        // What cannot be removed is small, and for the system to clean up.
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Runs the preprocessor. Headers are looked for in one folder more, after those of the compiler.
fn run(
    compiler: &str,
    file: &Path,
    model: DataModel,
    more: Option<&Path>,
) -> Result<Vec<u8>, PreprocessError> {
    let size = match model {
        DataModel::Ilp32 => "-m32",
        DataModel::Lp64 => "-m64",
    };
    let child = Command::new(compiler)
        .args(["-E", size, "-x", "c"])
        .args(more.into_iter().flat_map(|folder| [Path::new("-idirafter"), folder]))
        .arg(file)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    let mut child = child.map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => PreprocessError::NoCompiler,
        _ => PreprocessError::Io(error),
    })?;
    // Both pipes are read side by side, so that neither of them fills up.
    let output = child.stdout.take().map(|pipe| read_in_thread(pipe, LONGEST_TEXT as u64 + 1));
    let messages = child.stderr.take().map(|pipe| read_in_thread(pipe, LONGEST_MESSAGE));
    let is_fine = wait(&mut child)?;
    let text = |reader: Option<thread::JoinHandle<Vec<u8>>>| {
        reader.and_then(|reader| reader.join().ok()).unwrap_or_default()
    };
    let (output, messages) = (text(output), text(messages));
    if output.len() > LONGEST_TEXT {
        return Err(PreprocessError::TooLarge);
    }
    if !is_fine {
        let messages = String::from_utf8_lossy(&messages).trim().to_owned();
        return Err(PreprocessError::Refused(messages));
    }
    Ok(output)
}

/// Reads at most `most` bytes. Closing the pipe then stops a compiler that writes more.
fn read_in_thread(pipe: impl Read + Send + 'static, most: u64) -> thread::JoinHandle<Vec<u8>> {
    thread::spawn(move || {
        let mut bytes = Vec::new();
        // A pipe that breaks leaves what came until then; the exit status tells.
        let _ = pipe.take(most).read_to_end(&mut bytes);
        bytes
    })
}

/// Waits for the end, at most [`LONGEST_RUN`]: whether the compiler was content.
fn wait(child: &mut Child) -> Result<bool, PreprocessError> {
    let start = Instant::now();
    loop {
        match child.try_wait() {
            Ok(Some(status)) => return Ok(status.success()),
            Ok(None) if start.elapsed() < LONGEST_RUN => thread::sleep(Duration::from_millis(2)),
            Ok(None) => {
                // It may have ended just now; either way it is gone afterwards.
                let _ = child.kill();
                let _ = child.wait();
                return Err(PreprocessError::TooLong);
            }
            Err(error) => return Err(PreprocessError::Io(error)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_compiler() {
        let error = run("no-such-compiler", Path::new("x.c"), DataModel::Ilp32, None);
        assert!(matches!(error, Err(PreprocessError::NoCompiler)));
    }

    /// Includes and macros are expanded, and what the compiler does not like is told. Without a
    /// compiler there is nothing to test.
    #[test]
    fn with_a_compiler() {
        let folder = std::env::temp_dir().join(format!("pedra-c-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder for temporary files");
        let write = |name: &str, text: &str| {
            let path = folder.join(name);
            std::fs::write(&path, text).expect("a file can be written");
            path
        };
        write("a.h", "#define N 3\n");
        let good = write("a.c", "#include \"a.h\"\nint main(void) { return N; }\n");
        let bad = write("b.c", "#include \"missing.h\"\n");
        let results = [good, bad].map(|file| preprocess(&file, DataModel::Lp64));
        std::fs::remove_dir_all(&folder).expect("the folder can be removed");
        match results {
            [Err(PreprocessError::NoCompiler), _] => {}
            [Ok(text), Err(PreprocessError::Refused(words))] => {
                assert!(String::from_utf8_lossy(&text).contains("return 3;"));
                assert!(words.contains("missing.h"), "{words}");
                let program = crate::load(&text, "a.c", &crate::Options::default());
                let span = program.expect("a program").procedures[0].span;
                assert_eq!((span.line, span.column), (2, 5), "positions are those of the file");
            }
            other => panic!("{other:?}"),
        }
    }

    /// Headers of the C library go for the sizes of the data model, whichever of them the machine
    /// has. Elsewhere than on x86 there may be none for ILP32, which is told.
    #[test]
    fn system_headers() {
        let path = std::env::temp_dir().join(format!("pedra-c-headers-{}.c", std::process::id()));
        let text = "#include <assert.h>\n#include <stdlib.h>\n#include <stdint.h>\n\
            #include <stdio.h>\n_Static_assert(sizeof(size_t) == WORD, \"size_t\");\n\
            _Static_assert(sizeof(intptr_t) == WORD && sizeof(int64_t) == 8, \"intN_t\");\n\
            _Static_assert(sizeof(uint32_t) == 4 && SIZE_MAX >> (8 * WORD - 1) == 1, \"max\");\n\
            int main(void) { long x = 3; assert(x > 2); return 0; }\n";
        for (model, word) in [(DataModel::Ilp32, "4"), (DataModel::Lp64, "8")] {
            fs::write(&path, text.replace("WORD", word)).expect("a file can be written");
            let result = preprocess(&path, model);
            fs::remove_file(&path).expect("the file can be removed");
            let text = match result {
                Ok(text) => text,
                Err(PreprocessError::NoCompiler) => return,
                Err(error) if cfg!(target_arch = "x86_64") => panic!("{error}"),
                Err(_) => continue,
            };
            let options = crate::Options { model, ..crate::Options::default() };
            let program = crate::load(&text, "a.c", &options).expect("a program of that size");
            let names: Vec<_> = program.properties.iter().map(|p| p.text.to_string()).collect();
            assert_eq!(names, ["assert(x > 2)"]);
            let edges = program.procedures.iter().flat_map(|procedure| &procedure.edges);
            let texts: Vec<_> = edges.map(|edge| &*edge.text).filter(|t| !t.is_empty()).collect();
            assert_eq!(texts, ["long x = 3;", "assert(x > 2)", "assert(x > 2)", "return 0;"]);
        }
    }

    /// What is refused for ILP32 alone is told with a way out.
    #[test]
    fn only_for_64_bits() {
        let path = std::env::temp_dir().join(format!("pedra-c-only-{}.c", std::process::id()));
        let text = "#if __SIZEOF_POINTER__ == 4\n#error \"not here\"\n#endif\n";
        fs::write(&path, text).expect("a file can be written");
        let result = preprocess(&path, DataModel::Ilp32);
        fs::remove_file(&path).expect("the file can be removed");
        match result {
            Err(PreprocessError::NoCompiler) => {}
            Err(error @ PreprocessError::NoHeaders(_)) => {
                let words = error.to_string();
                assert!(
                    words.contains("not here") && words.contains("--data-model lp64"),
                    "{words}"
                );
            }
            other if cfg!(target_arch = "x86_64") => panic!("{other:?}"),
            _ => {}
        }
    }
}
