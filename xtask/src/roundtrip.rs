//! Every model of a manifest is read, written and read again to an equal model, its sizes are
//! compared with those that the manifest states, and the times of the largest are told.
//!
//! Read besides `file`: the columns `state_bits` (arrays apart), `inputs`, `bads` (or outputs of
//! an old-style file), `constraints` and `size` (gates, or lines of a BTOR2 file that are no
//! outputs).

use pedra_formats::{aiger, btor2};
use pedra_model::bits::{BitSystem, Reset};
use pedra_model::blast::{BlastOptions, blast};
use pedra_model::lit::Lit;
use pedra_testkit::random::Random;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

/// What a manifest states of a model, in this order.
const SIZES: [&str; 5] = ["state_bits", "inputs", "bads", "constraints", "size"];

/// How long the parts of one model took.
struct Timed {
    file: String,
    bytes: usize,
    read: Duration,
    blast: Option<(Duration, usize)>,
}

/// Runs over the whole manifest; gives a summary, or the first model that is not right.
pub fn run(manifest: &Path) -> Result<String, String> {
    let text = fs::read_to_string(manifest).map_err(|e| format!("{}: {e}", manifest.display()))?;
    let folder = manifest.parent().unwrap_or(Path::new("."));
    let mut lines = text.lines();
    let header: Vec<&str> = lines.next().unwrap_or_default().split('\t').collect();
    let column = |name: &str| {
        let at = header.iter().position(|h| *h == name);
        at.ok_or_else(|| format!("the manifest has no column {name}"))
    };
    let file_at = column("file")?;
    let sizes_at = SIZES.iter().map(|s| column(s)).collect::<Result<Vec<_>, _>>()?;
    let mut timed = Vec::new();
    for line in lines {
        let row: Vec<&str> = line.split('\t').collect();
        let file = row.get(file_at).copied().unwrap_or_default();
        let bytes = fs::read(folder.join(file)).map_err(|e| format!("{file}: {e}"))?;
        let (one, found) = check(file, &bytes).map_err(|e| format!("{file}: {e}"))?;
        for ((name, &at), found) in SIZES.iter().zip(&sizes_at).zip(found) {
            let stated = row.get(at).copied().unwrap_or_default();
            if stated != found.to_string() {
                return Err(format!("{file}: {name} is {found}, the manifest says {stated}"));
            }
        }
        timed.push(one);
    }
    Ok(summary(timed) + &large_circuit()?)
}

/// A made-up circuit of half a million gates: how long its binary and ascii forms take.
fn large_circuit() -> Result<String, String> {
    let mut random = Random::new(1);
    let mut system = BitSystem::new();
    for _ in 0..1000 {
        system.add_input();
    }
    for _ in 0..20_000 {
        system.add_latch(Reset::Zero);
    }
    for _ in 0..500_000 {
        let lit = |random: &mut Random| random.below(2 * system.aig.len()) as u32;
        let (a, b) = (lit(&mut random), lit(&mut random));
        system.aig.push_and(Lit::from_code(a), Lit::from_code(b));
    }
    for latch in &mut system.latches {
        latch.next = Lit::from_code(random.below(2 * system.aig.len()) as u32);
    }
    system.bads.push(Lit::from_code(2 * system.aig.len() as u32 - 1));
    let mut text = String::from("made up, 500000 gates:\n");
    for (name, bytes) in
        [("binary", aiger::write_binary(&system)), ("ascii", aiger::write_ascii(&system))]
    {
        let start = Instant::now();
        let again = aiger::read(&bytes).map_err(|e| e.to_string())?;
        let time = start.elapsed();
        aiger::same_model(&system, &again)?;
        let (size, time) = (bytes.len() as f64 / 1e6, time.as_secs_f64());
        let _ = writeln!(
            text,
            "  {name}: {size:.2} MB read in {:.1} ms, {:.0} MB/s",
            time * 1e3,
            size / time
        );
    }
    Ok(text)
}

/// Reads, writes and reads one model again; gives its times and sizes.
fn check(file: &str, bytes: &[u8]) -> Result<(Timed, [usize; 5]), String> {
    let text = |e: &dyn std::fmt::Display| e.to_string();
    let start = Instant::now();
    if bytes.starts_with(b"aig ") || bytes.starts_with(b"aag ") {
        let system = aiger::read(bytes).map_err(|e| text(&e))?;
        let read = start.elapsed();
        for again in [aiger::write_ascii(&system), aiger::write_binary(&system)] {
            let again = aiger::read(&again).map_err(|e| text(&e))?;
            aiger::same_model(&system, &again)?;
        }
        let sizes = [
            system.latches.len(),
            system.inputs.len(),
            system.properties().len(),
            system.constraints.len(),
            system.aig.num_gates(),
        ];
        return Ok((Timed { file: file.into(), bytes: bytes.len(), read, blast: None }, sizes));
    }
    let system = btor2::read(bytes).map_err(|e| text(&e))?;
    let read = start.elapsed();
    let again = btor2::write(&system).map_err(|e| text(&e))?;
    let again = btor2::read(&again).map_err(|e| text(&e))?;
    btor2::same_model(&system, &again)?;
    let start = Instant::now();
    let blasted = blast(&system, &BlastOptions::default());
    let blast = blasted.ok().map(|b| (start.elapsed(), b.system.aig.num_gates()));
    let state_bits = system.states.iter().filter_map(|s| system.terms.sort(s.term).width());
    let is_node = |l: &&[u8]| {
        let mut words = l.split(|b| b.is_ascii_whitespace()).filter(|w| !w.is_empty());
        let number = words.next().is_some_and(|w| w[0].is_ascii_digit());
        number && words.next() != Some(b"output")
    };
    let sizes = [
        state_bits.map(|w| w as usize).sum(),
        system.inputs.len(),
        system.bads.len(),
        system.constraints.len(),
        bytes.split(|&b| b == b'\n').filter(is_node).count(),
    ];
    Ok((Timed { file: file.into(), bytes: bytes.len(), read, blast }, sizes))
}

fn summary(mut timed: Vec<Timed>) -> String {
    let mut text =
        format!("{} models read, written and read again; sizes as stated\n", timed.len());
    timed.sort_by_key(|t| std::cmp::Reverse(t.bytes));
    let _ = writeln!(text, "largest files:");
    for one in timed.iter().take(5) {
        let rate = one.bytes as f64 / 1e6 / one.read.as_secs_f64();
        let _ = writeln!(
            text,
            "  {}: {:.2} MB read in {:.1} ms, {rate:.0} MB/s",
            one.file,
            one.bytes as f64 / 1e6,
            one.read.as_secs_f64() * 1e3
        );
    }
    timed.sort_by_key(|t| std::cmp::Reverse(t.blast.map(|(time, _)| time)));
    let _ = writeln!(text, "slowest to blast:");
    for (one, (time, gates)) in timed.iter().filter_map(|t| Some((t, t.blast?))).take(3) {
        let _ = writeln!(text, "  {}: {:.2} s, {gates} gates", one.file, time.as_secs_f64());
    }
    text
}
