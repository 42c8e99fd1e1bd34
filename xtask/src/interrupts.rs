//! Stops `pedra check` at random moments, by signals and by limits, on random models of a
//! manifest: it must end with what it knows, in time, and leave no temporary file.

use pedra_testkit::random::Random;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// What one run did wrong, if anything, and how long it went on after the stop.
struct Run {
    how: String,
    code: Option<i32>,
    late: Duration,
    fault: Option<String>,
}

/// Does that many runs; gives a table, or an error if some run was wrong.
pub fn run(manifest: &Path, runs: usize, seed: u64, pedra: &Path) -> Result<String, String> {
    let text = fs::read_to_string(manifest).map_err(|e| format!("{}: {e}", manifest.display()))?;
    let folder = manifest.parent().unwrap_or(Path::new("."));
    let header: Vec<&str> = text.lines().next().unwrap_or_default().split('\t').collect();
    let file_at = header.iter().position(|h| *h == "file").ok_or("no column file")?;
    let models: Vec<PathBuf> = text
        .lines()
        .skip(1)
        .filter_map(|l| Some(folder.join(l.split('\t').nth(file_at)?)))
        .collect();
    let mut random = Random::new(seed);
    let place = std::env::temp_dir().join(format!("pedra-interrupts-{}", std::process::id()));
    fs::create_dir_all(&place).map_err(|e| e.to_string())?;
    let mut table = String::new();
    let (mut faults, mut stopped, mut latest) = (0, 0, Duration::ZERO);
    for number in 0..runs {
        let model = &models[random.below(models.len())];
        let one = stop_once(pedra, model, &place, &mut random)?;
        let code = one.code.map_or("killed".to_owned(), |c| c.to_string());
        let fault = one.fault.as_deref().unwrap_or("ok");
        let name = model.file_name().unwrap_or_default().to_string_lossy();
        let _ = writeln!(table, "{number}\t{}\t{name}\t{code}\t{:?}\t{fault}", one.how, one.late);
        faults += one.fault.is_some() as usize;
        stopped += (one.code == Some(3)) as usize;
        latest = latest.max(one.late);
    }
    fs::remove_dir_all(&place).map_err(|e| e.to_string())?;
    let _ =
        writeln!(table, "{runs} runs, {stopped} stopped, {faults} faults, at most {latest:?} late");
    if faults == 0 { Ok(table) } else { Err(table) }
}

fn stop_once(pedra: &Path, model: &Path, place: &Path, random: &mut Random) -> Result<Run, String> {
    let engine = random.pick(&["bmc", "kind", "auto"]);
    let delay = Duration::from_millis(100 + random.below(2400) as u64);
    let limit = format!("{}ms", delay.as_millis());
    let signal = random.pick(&["-TERM", "-INT", "-HUP", "--timeout"]);
    let mut command = Command::new(pedra);
    command.args(["check", "--json", "--engine", engine]).arg(model);
    command.arg("--trace").arg(place.join("trace")).arg("--vcd").arg(place.join("wave"));
    if signal == "--timeout" {
        command.args([signal, &limit]);
    }
    let begin = Instant::now();
    let child = command
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .map_err(|e| format!("{}: {e}", pedra.display()))?;
    if signal != "--timeout" {
        std::thread::sleep(delay);
        // The run may have ended by itself.
        let _ = Command::new("kill")
            .args([signal, &child.id().to_string()])
            .stderr(Stdio::null())
            .status();
    }
    let output = child.wait_with_output().map_err(|e| e.to_string())?;
    let late = begin.elapsed().saturating_sub(delay);
    let code = output.status.code();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let fault = if !matches!(code, Some(0..=3)) {
        Some(format!("exit {code:?}"))
    } else if code != Some(2)
        && !text.lines().last().is_some_and(|l| l.contains("\"event\":\"end\""))
    {
        // Exit code 2 is for models without safety property.
        Some("no end".to_owned())
    } else if late > Duration::from_secs(1) {
        Some("late".to_owned())
    } else {
        leftover(place)
    };
    Ok(Run { how: format!("{signal} {engine} {limit}"), code, late, fault })
}

/// A temporary file that was left behind; whole ones are removed.
fn leftover(place: &Path) -> Option<String> {
    let mut found = None;
    for entry in fs::read_dir(place).ok()?.flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        if name.ends_with(".tmp") {
            found = Some(format!("left behind: {name}"));
        }
        let _ = fs::remove_file(entry.path());
    }
    found
}
