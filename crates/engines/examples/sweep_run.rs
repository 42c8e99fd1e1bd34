//! What sweeping finds in models, and how long it takes: `sweep_run FILE...`
//!
//! One line a file: latches and gates after the usual reductions, after combinational and after
//! sequential sweeping, with the seconds that these took, and the clauses of the invariant.

use pedra_engines::{SweepOptions, sweep};
use pedra_formats::{aiger, btor2};
use pedra_model::bits::BitSystem;
use pedra_model::blast::{BlastOptions, blast};
use pedra_model::reduce::{ReduceOptions, Reduced, reduce};
use pedra_solve::Interrupt;
use std::time::Instant;

fn read(path: &str) -> Result<BitSystem, String> {
    let bytes = std::fs::read(path).map_err(|e| e.to_string())?;
    if path.ends_with(".btor2") || path.ends_with(".btor") {
        let system = btor2::read(&bytes).map_err(|e| e.to_string())?;
        let blasted = blast(&system, &BlastOptions::default()).map_err(|e| e.to_string())?;
        return Ok(blasted.system);
    }
    aiger::read(&bytes).map_err(|e| e.to_string())
}

/// Latches and gates.
fn size(reduced: &Reduced) -> String {
    format!("{} {}", reduced.system.latches.len(), reduced.system.aig.num_gates())
}

fn run(path: &str) -> Result<String, String> {
    let system = read(path)?;
    let properties: Vec<usize> = (0..system.properties().len()).collect();
    let mut reduced = reduce(&system, &properties, &ReduceOptions::default());
    let mut line = format!("{path}: {}", size(&reduced));
    for combinational in [true, false] {
        let options =
            SweepOptions { combinational, sequential: !combinational, ..SweepOptions::default() };
        let start = Instant::now();
        match sweep(&reduced.system, &options, &Interrupt::new()) {
            Some(swept) => reduced = reduced.then(swept),
            None => line += " (nothing)",
        }
        line += &format!(" -> {} in {:.2} s", size(&reduced), start.elapsed().as_secs_f64());
    }
    Ok(format!("{line}, {} clauses", reduced.map.invariant().len()))
}

fn main() {
    for path in std::env::args().skip(1) {
        println!("{}", run(&path).unwrap_or_else(|e| format!("{path}: {e}")));
    }
}
