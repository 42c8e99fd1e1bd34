//! The C front end against gcc: random programs ([`pedra_testkit::c_programs`]) run by the
//! interpreter on the graph, and compiled with `-fwrapv` and run natively. Many programs are one
//! file for the compiler. Programs that differ are shrunk.
//!
//! For the 32-bit data model the programs need no library: where gcc has none for 32 bits, they
//! still run, with start-up code, output and 64-bit division of their own.

use crate::tools::output;
use pedra_c::{DataModel, Options};
use pedra_model::random::Random as Choices;
use pedra_program::CheckKind;
use pedra_program::interpreter;
use pedra_testkit::c_programs::{CProgram, random_c_program};
use pedra_testkit::random::Random;
use std::path::{Path, PathBuf};
use std::process::Command;

/// How many programs are compiled at once.
const BATCH: u64 = 100;

/// How many steps a run may take; the programs take far fewer.
const MAX_STEPS: usize = 1_000_000;

/// What compilers call by themselves: 64-bit division and copying, for programs without a library.
pub(crate) const LIBRARY: &str = r#"
typedef unsigned long long u64;
typedef long long i64;
static u64 divide(u64 a, u64 b, u64 *rest) {
  u64 q = 0, r = 0;
  for (int i = 63; i >= 0; i--) {
    r = r << 1 | (a >> i & 1);
    if (r >= b) { r -= b; q |= (u64)1 << i; }
  }
  *rest = r;
  return q;
}
u64 __udivdi3(u64 a, u64 b) { u64 r; return divide(a, b, &r); }
u64 __umoddi3(u64 a, u64 b) { u64 r; divide(a, b, &r); return r; }
i64 __divdi3(i64 a, i64 b) {
  u64 r, q = divide(a < 0 ? -(u64)a : a, b < 0 ? -(u64)b : b, &r);
  return (a < 0) != (b < 0) ? -q : q;
}
i64 __moddi3(i64 a, i64 b) {
  u64 r;
  divide(a < 0 ? -(u64)a : a, b < 0 ? -(u64)b : b, &r);
  return a < 0 ? -r : r;
}
void *memcpy(void *to, const void *from, unsigned long n) {
  for (unsigned long i = 0; i < n; i++) ((char *)to)[i] = ((const char *)from)[i];
  return to;
}
void *memset(void *to, int c, unsigned long n) {
  for (unsigned long i = 0; i < n; i++) ((char *)to)[i] = c;
  return to;
}
"#;

/// Start-up and output for a program without a library.
const FREESTANDING: &str = r#"
static void write_(const char *s, unsigned n) {
  int r;
  __asm__ volatile("int $0x80" : "=a"(r) : "a"(4), "b"(1), "c"(s), "d"(n) : "memory");
}
static void exit_(void) { __asm__ volatile("int $0x80" : : "a"(1), "b"(0)); for (;;) ; }
static void show(u64 v) {
  char s[17];
  for (int i = 0; i < 16; i++) s[i] = "0123456789abcdef"[v >> (60 - 4 * i) & 15];
  s[16] = '\n';
  write_(s, 17);
}
int main(void);
void _start(void) { main(); exit_(); }
"#;

/// The options for 32-bit programs without a library.
pub(crate) const FREESTANDING_OPTIONS: [&str; 6] =
    ["-m32", "-ffreestanding", "-nostdlib", "-static", "-fno-pic", "-no-pie"];

const HOSTED: &str = r#"
int printf(const char *, ...);
static void show(unsigned long long v) { printf("%016llx\n", v); }
"#;

/// A compiler for a data model.
struct Compiler {
    model: DataModel,
    prelude: String,
    options: &'static [&'static str],
    directory: PathBuf,
}

/// Compares programs; says what was done.
///
/// # Errors
/// A program on which the interpreter and gcc differ, shrunk; or that there is no gcc.
pub fn run(first: u64, count: u64) -> Result<String, String> {
    let directory = Path::new("target/tmp/gcc").join(std::process::id().to_string());
    std::fs::create_dir_all(&directory).map_err(|e| format!("{}: {e}", directory.display()))?;
    let compared = compare(first, count, &directory);
    // Leftovers do no harm.
    let _ = std::fs::remove_dir_all(&directory);
    compared
}

fn compare(first: u64, count: u64, directory: &Path) -> Result<String, String> {
    let lp64 = Compiler {
        model: DataModel::Lp64,
        prelude: HOSTED.to_owned(),
        options: &["-m64"],
        directory: directory.to_owned(),
    };
    let ilp32 = Compiler {
        model: DataModel::Ilp32,
        prelude: format!("{LIBRARY}{FREESTANDING}"),
        options: &FREESTANDING_OPTIONS,
        directory: directory.to_owned(),
    };
    if lp64.run(&[]).is_err() {
        return Err("gcc is not there, or what it makes does not run".to_owned());
    }
    let mut lines = Vec::new();
    for compiler in [lp64, ilp32] {
        if compiler.run(&[]).is_err() {
            lines.push(format!("{:?}: gcc cannot make programs for it here", compiler.model));
            continue;
        }
        for start in (first..first + count).step_by(BATCH as usize) {
            compiler.compare_batch(start, BATCH.min(first + count - start))?;
        }
        lines.push(format!("{:?}: {count} programs, all values the same", compiler.model));
    }
    Ok(lines.join("\n"))
}

impl Compiler {
    fn compare_batch(&self, first: u64, count: u64) -> Result<(), String> {
        let make = |number| random_c_program(&mut Random::new(number), number);
        let programs: Vec<CProgram> = (first..first + count).map(make).collect();
        let native = self.run(&programs)?;
        for (program, native) in programs.iter().zip(&native) {
            let ours = interpret(program, self.model).map_err(|error| {
                format!("program {}: {error}\n{}", program.number, program.text())
            })?;
            if ours != *native {
                return Err(self.report(program));
            }
        }
        Ok(())
    }

    /// Whether a program differs; not if one side refuses it.
    fn differs(&self, program: &CProgram) -> Option<(u64, u64)> {
        let ours = interpret(program, self.model).ok()?;
        let native = self.run(std::slice::from_ref(program)).ok()?[0];
        (ours != native).then_some((ours, native))
    }

    fn report(&self, program: &CProgram) -> String {
        let mut smallest = program.clone();
        while let Some(smaller) =
            smallest.smaller().into_iter().find(|program| self.differs(program).is_some())
        {
            smallest = smaller;
        }
        let values = match self.differs(&smallest) {
            Some((ours, native)) => format!("{ours:016x} here, {native:016x} by gcc"),
            None => "it differs only together with others".to_owned(),
        };
        let (number, text) = (program.number, smallest.text());
        format!("program {number}, {:?}: {values}\n{text}", self.model)
    }

    /// The values that programs return; why they cannot be compiled or run otherwise.
    fn run(&self, programs: &[CProgram]) -> Result<Vec<u64>, String> {
        let mut text = self.prelude.clone();
        for program in programs {
            text.push_str(&program.text());
        }
        text.push_str("int main(void) {\n");
        for program in programs {
            text.push_str(&format!("show({}());\n", program.entry()));
        }
        text.push_str("return 0;\n}\n");
        let (source, made) = (self.directory.join("batch.c"), self.directory.join("batch"));
        std::fs::write(&source, text).map_err(|e| format!("{}: {e}", source.display()))?;
        let mut gcc = Command::new("gcc");
        gcc.args(["-std=gnu11", "-O0", "-fwrapv", "-w", "-fno-stack-protector"]);
        gcc.args(self.options).arg(&source).arg("-o").arg(&made);
        output(&mut gcc)?;
        let text = output(&mut Command::new(&made))?;
        let values = text.lines().map(|line| u64::from_str_radix(line, 16));
        let values: Result<Vec<u64>, _> = values.collect();
        let values = values.map_err(|_| "what it prints is no number")?;
        match values.len() == programs.len() {
            true => Ok(values),
            false => Err("not all programs came to their end".to_owned()),
        }
    }
}

/// The value that a program returns on the interpreter.
fn interpret(program: &CProgram, model: DataModel) -> Result<u64, String> {
    let options = Options { model, entry: program.entry(), ..Options::default() };
    let graph = pedra_c::load(program.text().as_bytes(), "random.c", &options)
        .map_err(|error| error.to_string())?;
    let entry = graph.procedure(graph.entry);
    let mut result = None;
    let run = interpreter::run(&graph, &mut Choices::new(0), MAX_STEPS, |machine| {
        result = entry.results.first().and_then(|&variable| machine.value(variable).cloned());
    });
    if run.end.place != entry.exit {
        return Err("the run does not come to its end".to_owned());
    }
    // Overflow wraps around on both sides; all else the generator avoids.
    if let Some(undefined) = run.undefined {
        let kind = undefined.of(&graph).kind;
        if !matches!(kind, CheckKind::Overflow | CheckKind::Shift) {
            return Err(format!("{kind} at {}", graph.location(undefined.of(&graph).span, true)));
        }
    }
    let result = result.ok_or("no result")?;
    result.as_bv().to_u64().ok_or_else(|| "a result that is too wide".to_owned())
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_interpreter_agrees_with_gcc() {
        match super::run(0, 100) {
            Ok(summary) => println!("{summary}"),
            Err(error) if error.starts_with("gcc is not there") => println!("{error}"),
            Err(error) => panic!("{error}"),
        }
    }
}
