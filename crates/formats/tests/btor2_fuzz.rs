//! BTOR2 files and witnesses with random damage. `PEDRA_FUZZ_RUNS` sets how many.

use pedra_formats::fuzzing;
use pedra_testkit::random::{Random, runs};

const MODELS: &[&str] = &[
    "1 sort bitvec 1\n2 sort bitvec 4\n3 sort array 2 2\n4 input 2 in\n5 state 2 count\n\
     6 state 3 mem\n7 input 1 bit\n8 zero 2\n9 init 2 5 8\n10 init 3 6 8\n11 read 2 6 5\n\
     12 add 2 11 -4 sum\n13 write 3 6 4 12\n14 next 3 6 13\n15 ite 2 7 12 5\n16 next 2 5 15\n\
     17 constd 2 -3\n18 eq 1 5 17\n19 bad 18 p\n20 constraint 7\n21 justice 2 7 -18 j\n22 fair 18\n",
    "; comment\n1 sort bitvec 8\n2 sort bitvec 1\n3 state 1 a\n4 state 1 b\n5 input 1\n\
     6 sub 1 3 4\n7 slice 2 6 7 7 top\n8 uext 1 7 7\n9 concat 10 3 4\n",
    "1 sort bitvec 8\n2 sort bitvec 1\n3 input 1 x;y\n4 input 1\n5 sdiv 1 3 4\n6 rol 1 5 3\n\
     7 smulo 2 6 4\n8 redxor 2 6 r\n9 redxor 2 6 again\n10 implies 2 7 8\n11 sext 1 10 7\n\
     12 ones 1\n13 sra 1 11 12 ; shift\n14 ulte 2 13 12\n15 output 13 out\n16 bad 14\n17 bad -14\n",
    "1 sort bitvec 3\n2 state 1\n3 state 1\n4 init 1 2 3\n5 inc 1 3\n6 next 1 3 5\n\
     7 consth 1 5\n8 const 1 011\n9 xnor 1 7 8\n10 neq 12 9 8\n",
    fuzzing::WITNESSED,
];

const WITNESSES: &[&str] = &[
    "sat\nb1 b0\n#0\n0 1 s#0\n1 x01x t#0\n2 [0001] 1111 mem#0\n2 [*] 1010\n@0\n0 1 a@0\n\
     2 [1111] 0x01\n@1\n1 0110\n#2\n3 1111\n@2\n0 x\n.\n",
    "; c\nsat\nb0\n@0\n1 0000\n2 0011\n.\n",
];

const WORDS: &[&str] = &[
    "0",
    "1",
    "2",
    "3",
    "4",
    "5",
    "8",
    "-1",
    "-3",
    "15",
    "4294967295",
    "99999999999999999999",
    ";",
    "add",
    "ite",
    "read",
    "write",
    "state",
    "init",
    "next",
    "bad",
    "justice",
    "sort",
    "bitvec",
    "array",
    "slice",
    "uext",
    "constd",
    "ones",
    "output",
    "é",
    "\u{0}",
    "[*]",
    "[0001]",
    "@1",
    "#1",
    ".",
    "xxxx",
    "concat",
    "smod",
    "not",
    "neg",
    "1048576",
];

/// Damages words, lines or bytes, a few times.
fn damaged(text: &str, random: &mut Random) -> Vec<u8> {
    let mut lines: Vec<String> = text.lines().map(String::from).collect();
    for _ in 0..1 + random.below(4) {
        let line = random.below(lines.len());
        match random.below(5) {
            0 => drop(lines.remove(line)),
            1 => lines.insert(random.below(lines.len()), lines[line].clone()),
            _ => {
                let mut words: Vec<&str> = lines[line].split(' ').collect();
                let place = random.below(words.len());
                match random.below(4) {
                    0 => drop(words.remove(place)),
                    1 => words.insert(place, WORDS[random.below(WORDS.len())]),
                    _ => words[place] = WORDS[random.below(WORDS.len())],
                }
                lines[line] = words.join(" ");
            }
        }
        if lines.is_empty() {
            break;
        }
    }
    let mut bytes = lines.join("\n").into_bytes();
    if random.below(4) == 0 && !bytes.is_empty() {
        let place = random.below(bytes.len());
        match random.below(3) {
            0 => bytes.truncate(place),
            1 => bytes[place] = random.below(256) as u8,
            _ => bytes.insert(place, b" \n\r\t;-0"[random.below(7)]),
        }
    }
    bytes
}

fn damage(texts: &[&str], default: u64, target: fn(&[u8])) {
    for text in texts {
        target(text.as_bytes());
        (0..text.len()).for_each(|length| target(&text.as_bytes()[..length]));
    }
    for seed in 0..runs(default) {
        let mut random = Random::new(seed);
        let bytes = damaged(texts[random.below(texts.len())], &mut random);
        let shown = String::from_utf8_lossy(&bytes);
        if std::panic::catch_unwind(|| target(&bytes)).is_err() {
            panic!("seed {seed}:\n{shown}");
        }
    }
}

#[test]
fn models() {
    damage(MODELS, 60_000, fuzzing::btor2_read);
}

#[test]
fn witnesses() {
    damage(WITNESSES, 30_000, fuzzing::btor2_witness);
}
