//! Random options for a run: only such as the engine reads, so that each may matter.

use crate::Contender;
use pedra_engines::settings::engines_read;
use pedra_engines::{Choice, all_settings};
use pedra_testkit::random::Random;

/// Some options for one that takes part.
pub fn random_options(random: &mut Random, contender: Contender) -> Vec<String> {
    let Contender { engine, is_hasty } = contender;
    let mut options = vec![format!("--engine {}", engine.text())];
    let threads = if is_hasty { random.pick(&[1, 1, 1, 1, 2, 3]) } else { 1 };
    if threads > 1 {
        options.push(format!("--threads {threads}"));
    }
    options.extend(settings_of(random, &engines_read(engine.text())));
    let passes = ["cone", "structure", "constants", "duplicates"];
    let chosen: Vec<&str> = passes.into_iter().filter(|_| !random.one_in(3)).collect();
    if chosen.len() < passes.len() {
        let list = if chosen.is_empty() { "none".to_owned() } else { chosen.join(",") };
        options.push(format!("--reduce {list}"));
    }
    // What was swept before is hardly worth it again.
    if random.one_in(2) && (!is_hasty || random.one_in(4)) {
        options.push(format!("--test sweep={}", random_sweep(random)));
    }
    if is_hasty {
        hurry(random, &mut options);
    }
    let (seed, solver) = (random.pick(&[0, 0, 1, 2]), random.pick(&["", "", "batsat", "cdcl"]));
    options.extend((seed > 0).then(|| format!("--seed {seed}")));
    let stays = options.iter().any(|option| option == "-o wpdr.handover=off");
    options.extend((!solver.is_empty() && !stays).then(|| format!("--solver {solver}")));
    options
}

/// Options of these engines.
pub(crate) fn settings_of(random: &mut Random, owners: &[&str]) -> Vec<String> {
    let mut options = Vec::new();
    owners.iter().for_each(|owner| add_settings(random, owner, &mut options));
    options
}

/// Options of one engine, some of them or all, of the samples that the table has.
fn add_settings(random: &mut Random, owner: &str, options: &mut Vec<String>) {
    let mut set = |name: &str, value: &str| options.push(format!("-o {owner}.{name}={value}"));
    let rate = match owner {
        "pdr" => {
            set("variant", random.pick(&["simple", "generalize", "relative", "full"]));
            random.pick(&[2, 3, 6, 1000])
        }
        "wpdr" => {
            set("unit", random.pick(&["cubes", "polytopes", "mixed", "mixed"]));
            random.pick(&[2, 4, 8])
        }
        // With long turns PDR would do it all.
        "avy" => {
            set("turns", random.pick(&["off", "off", "1"]));
            4
        }
        "kind" => 2,
        _ => 1,
    };
    for setting in all_settings().iter().filter(|s| s.engine == owner && !s.is_base()) {
        if random.one_in(rate) {
            set(setting.name, random.pick(setting.samples));
        }
    }
}

/// Budgets that are used up by small systems, too.
fn hurry(random: &mut Random, options: &mut Vec<String>) {
    let mut set = |name: &str, value: String| options.push(format!("--test {name}={value}"));
    set("looks-before-sweep", random.pick(&[0, 1, 3, 10, 40]).to_string());
    set("prelude-depth", random.pick(&[0, 1, 2, 5, 10]).to_string());
    set("prelude-looks", random.pick(&[0, 2, 10, 1000]).to_string());
    set("abstract-looks", random.pick(&[0, 5, 50, 1000]).to_string());
    set("word-looks", random.pick(&[0, 5, 50, 1000]).to_string());
    set("turn-looks", random.pick(&[4, 20, 100, 1000]).to_string());
    set("many-looks", random.pick(&[1, 5, 50, 4000]).to_string());
    let late = if random.one_in(8) { "off".to_owned() } else { random_sweep(random) };
    set("late-sweep", late);
}

/// Some choices of sweeping: also so few conflicts that hard pairs are given up, and a poor guess.
fn random_sweep(random: &mut Random) -> String {
    let [combinational, sequential] = [0; 2].map(|_| usize::from(!random.one_in(3)));
    let (conflicts, steps) = (random.pick(&[0, 2, 200]), random.pick(&[0, 3, 16]));
    format!("{combinational},{sequential},{conflicts},{steps}")
}

/// Options of one engine with one choice in `rate` made at random.
pub fn random_choices<O>(
    table: &[Choice<O>],
    mut options: O,
    rate: usize,
    random: &mut Random,
) -> O {
    for choice in table {
        if random.one_in(rate) {
            choice.set(&mut options, random.pick(choice.samples)).expect("a sample");
        }
    }
    options
}
