//! Runs the system's C compiler as a preprocessor, for files with directives such as `#include`.
//! Its line markers keep the positions. Time and size are bounded.

use crate::lexer::LONGEST_TEXT;
use crate::types::DataModel;
use std::io::Read;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use std::{fmt, io, thread};

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

/// The text of a file after `cc -E`, for the sizes of a data model.
pub fn preprocess(file: &Path, model: DataModel) -> Result<Vec<u8>, PreprocessError> {
    run("cc", file, model)
}

fn run(compiler: &str, file: &Path, model: DataModel) -> Result<Vec<u8>, PreprocessError> {
    let size = match model {
        DataModel::Ilp32 => "-m32",
        DataModel::Lp64 => "-m64",
    };
    let child = Command::new(compiler)
        .args(["-E", size, "-x", "c"])
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
        let error = run("no-such-compiler", Path::new("x.c"), DataModel::Ilp32);
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
}
