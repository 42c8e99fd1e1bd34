//! Random systems written and read, and files with random damage. `PEDRA_FUZZ_RUNS` sets how
//! many; a failure names its seed.

use pedra_formats::aiger::{read, same_model, write_ascii, write_binary};
use pedra_formats::fuzzing;
use pedra_model::bits::{BitSystem, Reset};
use pedra_model::lit::{Lit, Var};
use pedra_testkit::bits::{BitShape, decorate, random_bits};
use pedra_testkit::random::{Random, runs};

/// A system with a bit of everything that files can hold.
fn random_system(random: &mut Random) -> BitSystem {
    let shape = BitShape { latches: 5, inputs: 4, gates: 12 };
    let mut system = random_bits(random, shape);
    decorate(random, &mut system);
    system
}

#[test]
fn round_trips() {
    for seed in 0..runs(2000) {
        let system = random_system(&mut Random::new(seed));
        let ascii = write_ascii(&system);
        let binary = write_binary(&system);
        for file in [&ascii, &binary] {
            let again = read(file).unwrap_or_else(|e| panic!("seed {seed}: {e}"));
            same_model(&system, &again).unwrap_or_else(|e| panic!("seed {seed}: {e}"));
            assert_eq!(write_binary(&again), binary, "seed {seed}: written again");
        }
        // Reading keeps ascii gates as they are, so the text comes back as it was.
        assert_eq!(write_ascii(&read(&ascii).expect("read before")), ascii, "seed {seed}");
    }
}

/// The same system with other numbers for its variables and its gates in another order.
fn scrambled(random: &mut Random, s: &BitSystem) -> String {
    let max_var = s.aig.len() + random.below(3) * 1000;
    let mut numbers: Vec<usize> = (1..=max_var).collect();
    random.shuffle(&mut numbers);
    numbers.insert(0, 0);
    let code = |lit: Lit| 2 * numbers[lit.var().index()] + usize::from(lit.is_negated());
    let own = |var: Var| code(var.lit());
    let mut lines: Vec<String> = s.inputs.iter().map(|&v| own(v).to_string()).collect();
    for latch in &s.latches {
        let reset = match latch.reset {
            Reset::Zero => 0,
            Reset::One => 1,
            Reset::Free => own(latch.var),
            Reset::Function(f) => code(f),
        };
        lines.push(format!("{} {} {reset}", own(latch.var), code(latch.next)));
    }
    for lits in [&s.outputs, &s.bads, &s.constraints] {
        lines.extend(lits.iter().map(|&l| code(l).to_string()));
    }
    lines.extend(s.justice.iter().map(|j| j.len().to_string()));
    lines.extend(s.justice.iter().flatten().chain(&s.fairness).map(|&l| code(l).to_string()));
    let mut gates: Vec<String> =
        s.aig.gates().map(|(g, a, b)| format!("{} {} {}", own(g), code(b), code(a))).collect();
    random.shuffle(&mut gates);
    let header = [max_var, s.inputs.len(), s.latches.len(), s.outputs.len(), gates.len()];
    let rest = [s.bads.len(), s.constraints.len(), s.justice.len(), s.fairness.len()];
    let header: Vec<String> = header.iter().chain(&rest).map(usize::to_string).collect();
    format!("aag {}\n{}\n", header.join(" "), [lines, gates].concat().join("\n"))
        .replace("\n\n", "\n")
}

#[test]
fn any_numbering_and_order() {
    for seed in 0..runs(2000) {
        let mut random = Random::new(seed);
        let mut system = random_system(&mut random);
        system.names = Default::default();
        system.comments.clear();
        let text = scrambled(&mut random, &system);
        let again = read(text.as_bytes()).unwrap_or_else(|e| panic!("seed {seed}: {e}\n{text}"));
        same_model(&system, &again).unwrap_or_else(|e| panic!("seed {seed}: {e}\n{text}"));
    }
}

/// Differences are seen.
#[test]
fn differences() {
    let base = b"aag 4 1 1 1 2 1\n2\n4 6 1\n6\n8\n6 2 4\n8 6 3\ni0 x\nc\nhi\n";
    let changes: [(&str, &str, &str); 8] = [
        ("4 6 1", "4 7 1", "latch 0 has another next function"),
        ("4 6 1", "4 6", "latch 0 has another reset"),
        ("4 6 1", "4 6 4", "latch 0 has another reset"),
        ("\n6\n8\n", "\n6\n9\n", "entry 0 of the bads differs"),
        ("\n6\n8\n", "\n2\n8\n", "entry 0 of the outputs differs"),
        ("8 6 3", "8 6 2", "some gates differ"),
        ("i0 x", "i0 y", "input 0 has another name"),
        ("hi", "ho", "the comments differ"),
    ];
    let system = read(base).expect("good");
    same_model(&system, &system).expect("the same");
    let text = std::str::from_utf8(base).expect("ascii");
    for (from, to, expected) in changes {
        let other = read(text.replacen(from, to, 1).as_bytes()).expect("still good");
        assert_eq!(same_model(&system, &other), Err(expected.to_string()), "{from} to {to}");
    }
}

/// One random piece of damage.
fn damage(random: &mut Random, bytes: &mut Vec<u8>) {
    const INTERESTING: &[u8] = b"0123456789 \nabcfijlox.\r\x00\x7f\x80\xff";
    let at = random.below(bytes.len() + 1);
    let byte = INTERESTING[random.below(INTERESTING.len())];
    match random.below(6) {
        0 if at < bytes.len() => bytes[at] ^= 1 << random.below(8),
        1 if at < bytes.len() => bytes[at] = byte,
        2 => bytes.insert(at, byte),
        3 if at < bytes.len() => drop(bytes.remove(at)),
        4 => bytes.truncate(at),
        _ => {
            // A piece of the file once more, elsewhere.
            let end = (at + random.below(8)).min(bytes.len());
            let piece = bytes[at..end].to_vec();
            let to = random.below(bytes.len() + 1);
            bytes.splice(to..to, piece);
        }
    }
}

#[test]
fn damaged_files() {
    let mut readable = 0;
    let total = runs(20_000);
    for seed in 0..total {
        let mut random = Random::new(seed);
        let system = random_system(&mut random);
        let ascii = random.coin();
        let mut bytes = if ascii { write_ascii(&system) } else { write_binary(&system) };
        for _ in 0..1 + random.below(3) {
            damage(&mut random, &mut bytes);
        }
        readable += u64::from(read(&bytes).is_ok());
        if std::panic::catch_unwind(|| fuzzing::aiger(&bytes)).is_err() {
            panic!("seed {seed}: {}", bytes.escape_ascii());
        }
    }
    // Both kinds of outcome are there in numbers, so both sides are tested.
    assert!(total < 1000 || (total / 20..total * 19 / 20).contains(&readable), "{readable}");
}

#[test]
fn every_truncation() {
    for seed in 0..runs(100).min(1000) {
        let system = random_system(&mut Random::new(seed));
        for file in [write_ascii(&system), write_binary(&system)] {
            for end in 0..file.len() {
                fuzzing::aiger(&file[..end]);
            }
        }
    }
}

#[test]
fn damaged_witnesses() {
    const WITNESSES: [&[u8]; 4] = [
        b"1\nb0\n\n\n\n.\n",
        b"1\nb0b1\n01\n\n.\n",
        b"c hi\n1\nb0\n\n01\n1x\n.\n",
        b"1\nb2\n0x\n010\nxxx\n.\n",
    ];
    for seed in 0..runs(20_000) {
        let mut random = Random::new(seed);
        let mut bytes = WITNESSES[random.below(4)].to_vec();
        for _ in 0..random.below(3) {
            damage(&mut random, &mut bytes);
        }
        if std::panic::catch_unwind(|| fuzzing::aiger_witness(&bytes)).is_err() {
            panic!("seed {seed}: {}", bytes.escape_ascii());
        }
    }
}
