//! Z3 as a process that reads SMT-LIB, for the examples that compare with it.

use super::cpu::cpu_seconds;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// A running Z3.
pub struct Z3 {
    child: Child,
    /// What it reads; taken by those who write from another thread.
    pub input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
}

impl Z3 {
    /// Starts it with more options. Its start is over when this returns.
    pub fn start(options: &[&str]) -> std::io::Result<Z3> {
        let mut child = Command::new("z3")
            .args(["-in", "-smt2"])
            .args(options)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let input = child.stdin.take();
        let output = BufReader::new(child.stdout.take().expect("it is piped"));
        let mut started = Z3 { child, input, output };
        started.write("(echo \"ready\")\n")?;
        started.line()?;
        Ok(started)
    }

    /// Has it read a text.
    pub fn write(&mut self, text: &str) -> std::io::Result<()> {
        let input = self.input.as_mut().expect("nobody has taken it");
        input.write_all(text.as_bytes())?;
        input.flush()
    }

    /// The next line that it prints.
    pub fn line(&mut self) -> std::io::Result<String> {
        let mut line = String::new();
        self.output.read_line(&mut line)?;
        Ok(line.trim().to_owned())
    }

    /// The processor time that it has taken.
    pub fn seconds(&self) -> f64 {
        cpu_seconds(&self.child.id().to_string())
    }
}

impl Drop for Z3 {
    fn drop(&mut self) {
        drop(self.input.take());
        let _ = self.child.wait();
    }
}
