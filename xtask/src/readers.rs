//! Damaged files for every reader. Run number `n` picks a reader, a good file and some damage,
//! the same on every machine as long as `models/` is the same. The bodies are those of the
//! coverage-guided targets in `fuzz/`; this needs nothing but stable Rust, so it can run
//! everywhere and for long.

use crate::tidy;
use pedra_formats::{aiger, btor2, fuzzing};
use pedra_testkit::bits::{BitShape, random_bits};
use pedra_testkit::damage::damage;
use pedra_testkit::programs::{ProgramShape, random_program};
use pedra_testkit::random::Random;
use pedra_testkit::words::{WordShape, random_words};
use std::fmt;
use std::path::Path;
use std::time::{Duration, Instant};

/// New good files are made once in this many runs.
const BLOCK: u64 = 8192;

/// Good files made for each block and each reader.
const MADE: usize = 64;

/// The largest file from `models/` that is used; the rest would take most of the time.
const LARGEST: u64 = 8 * 1024;

/// A reader under test.
struct Reader {
    name: &'static str,
    /// Panics if a promise is broken.
    body: fn(&[u8]),
    /// Endings of its files in `models/`.
    endings: &'static [&'static str],
    /// Good files to start from.
    files: &'static [&'static str],
    /// Makes one more good file.
    make: Option<fn(&mut Random) -> Vec<u8>>,
    /// Words to put anywhere, with a space between two.
    words: &'static str,
}

const READERS: [Reader; 9] = [
    Reader {
        name: "aiger",
        body: fuzzing::aiger,
        endings: &["aag", "aig"],
        files: &["aag 4 1 1 1 2 1\n2\n4 6 1\n6\n8\n6 2 4\n8 6 3\ni0 x\nl0 y\nc\nhi\n"],
        make: Some(make_aiger),
        words: "aag aig 0 1 2 7 i0 l1 o0 b0 c j0 f0",
    },
    Reader {
        name: "aiger_witness",
        body: fuzzing::aiger_witness,
        endings: &[],
        files: &[
            "1\nb0\n\n\n\n.\n",
            "1\nb0b1\n01\n\n.\n",
            "c hi\n1\nb0\n\n01\n1x\n.\n",
            "1\nb2\n0x\n010\nxxx\n.\n",
            "1\nb0\n00\n000\n111\n.\n1\nb2\n11\nx0x\n.\n",
            "0\nb0\n.\n2\nb1\n.\n",
        ],
        make: None,
        words: "b0 b1 b2 j0 . 0 1 2 x 00 1x c u",
    },
    Reader {
        name: "btor2",
        body: fuzzing::btor2_read,
        endings: &["btor2", "btor"],
        files: &[fuzzing::WITNESSED],
        make: Some(make_btor2),
        words: "0 1 2 3 4 5 8 -1 -3 15 64 65 4294967295 ; 99999999999999999999 1048576 sort \
            bitvec array input state init next bad constraint justice fair output const \
            constd consth ones zero add mul udiv srem smod ite read write slice uext sext \
            concat not neg redxor rol sll saddo eq slt implies é",
    },
    Reader {
        name: "btor2_witness",
        body: fuzzing::btor2_witness,
        endings: &[],
        files: &[
            "sat\nb1 b0\n#0\n0 1 s#0\n1 x01x t#0\n2 [0001] 1111 mem#0\n2 [*] 1010\n@0\n0 1 a@0\n\
             2 [1111] 0x01\n@1\n1 0110\n#2\n3 1111\n@2\n0 x\n.\n",
            "; c\nsat\nb0\n@0\n1 0000\n2 0011\n.\n",
        ],
        make: None,
        words: "sat b0 b1 j0 #0 #1 @0 @1 @2 . 0 1 2 3 [*] [0001] [xx01] 0000 x01x x \
            99999999999999999999 s#0 ;",
    },
    Reader {
        name: "c",
        body: pedra_c::fuzzing::c,
        endings: &["c"],
        files: C_FILES,
        make: None,
        words: "( ) { } [ ] ; , . -> = == + - * / % & && | ^ ~ ! ? : << >> ++ -- += ... 0 1 2 7 -1 \
            99999999999999999999 0x7fffffff 4u 1.5 'a' \"s\" /* // # int unsigned char short long \
            void _Bool struct union enum typedef static extern const sizeof if else while for do \
            switch case default: break; continue; goto return typeof __attribute__ asm float *p &x \
            a[i] s.x p->y (int) (char*) f() (*f)(x) &f main x y p a s S malloc(8) ?: volatile free(p) \
            memcpy(a,p,8) memset(a,0,4) strlen(p) \
            __VERIFIER_nondet_int() reach_error() é",
    },
    Reader {
        name: "boogie",
        body: pedra_boogie::fuzzing::boogie,
        endings: &["bpl"],
        files: BOOGIE_FILES,
        make: None,
        words: "( ) { } [ ] ; : := , :: == ==> <==> && || ! - * ++ {: \" /* */ // 0 1 -1 \
            99999999999999999999 5bv8 7bv0 1.5 x g k m true old old(g) if then else while goto call \
            havoc assert assume break return int bool real bv8 [int]int forall var const unique \
            axiom type function procedure implementation returns requires ensures modifies free \
            invariant div mod é ∧",
    },
    Reader {
        name: "horn",
        body: pedra_horn::fuzzing::horn,
        endings: &["smt2"],
        files: &[include_str!("../../crates/horn/tests/programs/operators.smt2")],
        make: Some(make_horn),
        words: "( ) (( )) () | ; \" 0 1 -1 99999999999999999999 1.5 #b01 #xff #b (_ bv3 8) true false \
            (and (or (not (=> (= (+ (- (* (div (mod (< (ite (distinct (forall (exists (let (! :named \
            (select (store (bvadd (bvult (concat ((_ extract 3 0) ((_ zero_extend 4) ((_ repeat \
            Bool Int Real (Array Int Byte (_ BitVec 8) x0 x1 i b a n s |P0| Sum Fail (assert (rule \
            (query (declare-rel (declare-var (declare-fun (define-fun (check-sat) (push) é",
    },
    Reader {
        name: "c_witness",
        body: pedra_c::fuzzing::witness,
        endings: &[],
        files: C_WITNESSES,
        make: None,
        words: "- : , [ ] { } ? | > ' \" # & * ! % 0 1 -1 99999999999999999999 2.0 '2.0' true ~ null \
            entry_type: violation_sequence invariant_set metadata: content: segment: waypoint: \
            type: action: follow avoid target branching assumption location: line: column: \
            constraint: value: format: invariant: loop_invariant \\u0041 \\x41 é --- ...",
    },
    Reader {
        name: "task",
        body: pedra_c::fuzzing::task,
        endings: &[],
        files: TASKS,
        make: None,
        words: "- : , [ ] { } ? | > ' \" # & * ! % 0 '2.0' true ~ null input_files: properties: options: \
            property_file: expected_verdict: data_model: LP64 ILP32 a.c ../p.prp \\u0041 é --- ...",
    },
];

/// Task files, in both styles of YAML.
const TASKS: &[&str] = &[
    "format_version: '2.0'\n\n# a comment\ninput_files: 'a.c'\n\nproperties:\n  - property_file: \
     ../properties/unreach-call.prp\n    expected_verdict: false\n    subproperty: x\n  - property_file: \
     \"../properties/no-overflow.prp\"\n\noptions:\n  language: C\n  data_model: ILP32\n",
    "input_files: [\"a.i\"]\nproperties: [{property_file: p.prp, expected_verdict: true}]\noptions: \
     {data_model: LP64}\nadditional_information: |-\n  text\n  more\n",
];

/// Witnesses of both kinds, in both styles of YAML.
const C_WITNESSES: &[&str] = &[
    "- entry_type: \"violation_sequence\"\n  metadata:\n    format_version: \"2.0\"\n    uuid: \"x\"\n    \
     creation_time: 2024-04-29T13:13:07+02:00\n    producer:\n      name: 'a'\n      version: 1\n    \
     task:\n      input_files:\n      - \"p.c\"\n      input_file_hashes:\n        p.c: 00ff\n      \
     specification: \"G ! call(reach_error())\"\n      data_model: LP64\n      language: C\n  content:\n  \
     - segment:\n    - waypoint:\n        type: branching\n        action: avoid\n        constraint:\n          \
     value: 'false'\n        location:\n          file_name: p.c\n          line: 13\n          column: 9\n    \
     - waypoint: {type: function_return, action: follow, constraint: {value: \"\\\\result == 3\", \
     format: acsl_expression}, location: {file_name: p.c, line: 4, column: 2, function: main}}\n  \
     - segment:\n    - waypoint: {type: target, action: follow, location: {file_name: p.c, line: 18}}\n",
    "- entry_type: invariant_set\n  metadata:\n    format_version: '2.1'\n    task:\n      \
     input_files: ['p.c']\n      specification: CHECK( init(main()), LTL(G ! overflow) )\n      \
     data_model: ILP32\n      language: C\n  content:\n  - invariant:\n      type: loop_invariant\n      \
     location: {file_name: p.c, line: 6, column: 5}\n      value: |-\n        x + y ==\n        n\n      \
     format: c_expression\n  - invariant: {type: location_invariant, location: {file_name: 'p''.c', \
     line: 1}, value: \"a && \\\"b\\\"\", format: c_expression}\n",
];

/// Small programs with most constructs.
const BOOGIE_FILES: &[&str] = &[
    include_str!("../../crates/boogie/tests/programs/control.bpl"),
    include_str!("../../crates/boogie/tests/programs/words.bpl"),
];

/// Small programs with most constructs.
const C_FILES: &[&str] = &[
    include_str!("../../crates/c/tests/programs/control.c"),
    include_str!("../../crates/c/tests/programs/heap.c"),
    include_str!("../../crates/c/tests/programs/memory.c"),
    include_str!("../../crates/c/tests/programs/integers.c"),
];

fn make_aiger(random: &mut Random) -> Vec<u8> {
    let system = random_bits(random, BitShape::default());
    if random.one_in(2) { aiger::write_ascii(&system) } else { aiger::write_binary(&system) }
}

fn make_btor2(random: &mut Random) -> Vec<u8> {
    let system = random_words(random, WordShape::default());
    btor2::write(&system).expect("systems of the generator can be written")
}

fn make_horn(random: &mut Random) -> Vec<u8> {
    let shape = ProgramShape { bits: 3, arrays: true, recursion: true, ..ProgramShape::default() };
    let program = random_program(random, shape);
    pedra_horn::write(&pedra_horn::raise(&program)).into_bytes()
}

/// How a run went.
pub struct Count {
    /// Executions of readers.
    pub runs: u64,
    /// How many of the damaged files were different from the good ones.
    pub damaged: u64,
    /// The time of all together.
    pub time: Duration,
    /// The slowest execution: its time and its number.
    pub slowest: (Duration, u64),
}

impl fmt::Display for Count {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rate = self.runs as f64 / self.time.as_secs_f64().max(1e-9);
        let (slowest, number) = self.slowest;
        write!(f, "{} executions ({} on damaged files), no crash; ", self.runs, self.damaged)?;
        write!(f, "{rate:.0} per second; slowest {slowest:.1?} (number {number})")
    }
}

/// Executes the runs from number `first` on. A broken promise is an error that names the run and
/// the file; the file is kept in `fuzz/artifacts`.
pub fn run(first: u64, runs: u64) -> Result<Count, String> {
    let models: Vec<_> = READERS.iter().map(|r| models(&tidy::root().join("models"), r)).collect();
    let mut pools: [Vec<Vec<u8>>; READERS.len()] = Default::default();
    let mut count =
        Count { runs: 0, damaged: 0, time: Duration::ZERO, slowest: (Duration::ZERO, first) };
    let start = Instant::now();
    for number in first..first + runs {
        if number == first || number.is_multiple_of(BLOCK) {
            for (place, reader) in READERS.iter().enumerate() {
                pools[place] = pool(reader, &models[place], number / BLOCK);
            }
        }
        let place = (number % READERS.len() as u64) as usize;
        let (bytes, is_damaged) = damaged(&READERS[place], &pools[place], number);
        let begun = Instant::now();
        if std::panic::catch_unwind(|| (READERS[place].body)(&bytes)).is_err() {
            return Err(keep(READERS[place].name, number, &bytes));
        }
        count.slowest = count.slowest.max((begun.elapsed(), number));
        count.damaged += u64::from(is_damaged);
        count.runs += 1;
        if count.runs.is_multiple_of(1_000_000) {
            count.time = start.elapsed();
            println!("{count}");
        }
    }
    count.time = start.elapsed();
    Ok(count)
}

/// Keeps a file that broke a promise and says which one it is.
fn keep(reader: &str, number: u64, bytes: &[u8]) -> String {
    let folder = tidy::root().join("fuzz/artifacts").join(reader);
    let path = folder.join(format!("run-{number}"));
    let kept = std::fs::create_dir_all(folder).and_then(|()| std::fs::write(&path, bytes));
    let kept = kept.map_or_else(|error| error.to_string(), |()| path.display().to_string());
    format!("{reader} broke a promise in run {number} ({kept}): {}", bytes.escape_ascii())
}

/// The models that we ship for a reader, by name.
fn models(folder: &Path, reader: &Reader) -> Vec<Vec<u8>> {
    let mut paths = Vec::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        let Ok(entries) = std::fs::read_dir(folder) else { continue };
        for path in entries.flatten().map(|entry| entry.path()) {
            let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
            if path.is_dir() {
                folders.push(path);
            } else if reader.endings.contains(&ending)
                && path.metadata().is_ok_and(|data| data.len() <= LARGEST)
            {
                paths.push(path);
            }
        }
    }
    paths.sort();
    paths.iter().filter_map(|path| std::fs::read(path).ok()).collect()
}

/// The good files of a block of runs.
fn pool(reader: &Reader, models: &[Vec<u8>], block: u64) -> Vec<Vec<u8>> {
    let mut random = Random::new(block);
    let fixed = reader.files.iter().map(|file| file.as_bytes().to_vec());
    let mut pool: Vec<Vec<u8>> = fixed.chain(models.iter().cloned()).collect();
    if let Some(make) = reader.make {
        pool.extend((0..MADE).map(|_| make(&mut random)));
    }
    pool
}

/// The file of one run, and whether it differs from the good one that it was made of.
fn damaged(reader: &Reader, pool: &[Vec<u8>], number: u64) -> (Vec<u8>, bool) {
    // Seeds in a row would give nearly the same row of choices, one step apart.
    let mut random = Random::new(Random::new(number).word());
    let good = &pool[random.below(pool.len())];
    let mut bytes = good.clone();
    damage(&mut random, &mut bytes, pool, reader.words);
    let is_damaged = bytes != *good;
    (bytes, is_damaged)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Damage leaves enough files readable, so that both outcomes are tested; and it is the same
    /// whenever it is done again.
    #[test]
    fn damage_is_varied_and_repeatable() {
        for (place, reader) in READERS.iter().enumerate() {
            let pool = pool(reader, &[], 7);
            let mut differ = 0;
            for number in 0..200 {
                let (bytes, is_damaged) = damaged(reader, &pool, number);
                assert_eq!(damaged(reader, &pool, number).0, bytes, "{place}");
                differ += usize::from(is_damaged);
            }
            assert!((100..=200).contains(&differ), "{}: {differ}", reader.name);
        }
    }

    #[test]
    fn good_files_are_good() {
        for block in 0..3 {
            for file in pool(&READERS[0], &[], block) {
                aiger::read(&file).expect("a good file");
            }
            for file in pool(&READERS[2], &[], block) {
                btor2::read(&file).expect("a good file");
            }
            for file in pool(&READERS[6], &[], block) {
                pedra_horn::read_program("x.smt2", &file).expect("a good file");
            }
            for file in pool(&READERS[7], &[], block) {
                pedra_c::witness::read(&file).expect("a good file");
            }
            for file in pool(&READERS[8], &[], block) {
                pedra_c::task::read(&file).expect("a good file");
            }
        }
    }

    #[test]
    fn a_short_run() {
        let count = run(0, 2000).expect("no promise is broken");
        assert_eq!(count.runs, 2000);
    }
}
