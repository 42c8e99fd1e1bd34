//! Processor time, for measurements on a machine that does other things, too.

use std::sync::OnceLock;
use std::time::Instant;

/// The processor time of a process, by number (`thread-self` for this thread), as Linux counts it
/// for its first thread; elsewhere the time of the clock.
pub fn cpu_seconds(process: &str) -> f64 {
    static START: OnceLock<Instant> = OnceLock::new();
    let stat = std::fs::read_to_string(format!("/proc/{process}/schedstat")).unwrap_or_default();
    match stat.split(' ').next().and_then(|nanos| nanos.parse::<f64>().ok()) {
        Some(nanos) => nanos / 1e9,
        None => START.get_or_init(Instant::now).elapsed().as_secs_f64(),
    }
}
