//! Bad input: deep, huge, cut off or damaged. There is an answer or an error with a position, and
//! never a panic. `PEDRA_FUZZ_RUNS` sets how many damaged files there are.

use pedra_boogie::fuzzing::boogie as read;
use pedra_testkit::random::{Random, runs};

const FILES: &[&str] = &[include_str!("programs/control.bpl"), include_str!("programs/words.bpl")];

const WORDS: &[&str] = &[
    "",
    "(",
    ")",
    "{",
    "}",
    "[",
    "]",
    ";",
    ":",
    ":=",
    ",",
    "::",
    "==",
    "==>",
    "<==>",
    "&&",
    "||",
    "!",
    "-",
    "*",
    "++",
    "{:",
    "\"",
    "/*",
    "*/",
    "//",
    "0",
    "1",
    "99999999999999999999999",
    "5bv8",
    "7bv0",
    "1.5",
    "x",
    "g",
    "k",
    "m",
    "true",
    "old",
    "old(g)",
    "if",
    "then",
    "else",
    "while",
    "goto",
    "call",
    "havoc",
    "assert",
    "int",
    "bool",
    "real",
    "bv8",
    "[int]int",
    "forall",
    "var",
    "procedure",
    "implementation",
    "type",
    "returns",
    "modifies",
    "free",
    "div",
    "é",
    "∧",
    "\u{0}",
];

fn damaged(random: &mut Random) -> Vec<u8> {
    let text = FILES[random.below(FILES.len())];
    let mut words: Vec<&str> = text.split_inclusive([' ', '\n']).collect();
    for _ in 0..1 + random.below(4) {
        let (at, other) = (random.below(words.len()), random.below(words.len()));
        match random.below(5) {
            0 => drop(words.remove(at)),
            1 => words.insert(at, words[other]),
            2 => words.insert(at, WORDS[random.below(WORDS.len())]),
            3 => words[at] = WORDS[random.below(WORDS.len())],
            _ => words.swap(at, other),
        }
    }
    let mut bytes = words.concat().into_bytes();
    for _ in 0..random.below(3) {
        let at = random.below(bytes.len() + 1);
        match random.below(3) {
            0 => bytes.truncate(at),
            1 => bytes.insert(at, b"(){}[];:=+-*!<>&|\"/ \n\xff09ab"[random.below(26)]),
            _ if at < bytes.len() => bytes[at] = random.below(256) as u8,
            _ => {}
        }
    }
    bytes
}

#[test]
fn files_that_are_cut_off() {
    for text in FILES {
        pedra_boogie::read(text.as_bytes(), "test.bpl").expect("a good file");
        (0..text.len()).for_each(|length| read(&text.as_bytes()[..length]));
    }
}

#[test]
fn damaged_files() {
    for seed in 0..runs(20_000) {
        let bytes = damaged(&mut Random::new(seed));
        if std::panic::catch_unwind(|| read(&bytes)).is_err() {
            panic!("seed {seed}:\n{}", String::from_utf8_lossy(&bytes));
        }
    }
}

/// Before, what is nested, in the middle, what closes, after.
const NESTED: &[(&str, &str, &str, &str, &str)] = &[
    ("procedure p() { assert ", "(", "true", ")", "; }"),
    ("procedure p() { assert ", "!", "true", "", "; }"),
    ("procedure p() { assert 0 == ", "-", "1", "", "; }"),
    ("procedure p() { assert ", "true ==> ", "true", "", "; }"),
    ("procedure p() { assert ", "true && ", "true", "", "; }"),
    ("procedure p() { assert ", "if true then true else ", "true", "", "; }"),
    ("procedure p() { assert ", "if ", "true", " then true else true", "; }"),
    ("procedure p() { assert 0 == ", "1 + ", "1", "", "; }"),
    ("var m: [int]int; procedure p() { assert 0 == ", "m[", "1", "]", "; }"),
    ("var m: [int]int; procedure p() { assert m == m", "[1 := 2]", "", "", "; }"),
    ("function f(x: int): int { x } procedure p() { assert 0 == ", "f(", "1", ")", "; }"),
    ("procedure p() { ", "if (*) { ", "assert true;", " }", " }"),
    ("procedure p() { ", "while (*) { ", "assert true;", " }", " }"),
    ("procedure p() { if (*) { } ", "else if (*) { } ", "", "", " }"),
    ("procedure p() { var x: ", "[int]", "int", "", "; }"),
    ("procedure p() { var x: ", "[", "int", "]int", "; }"),
    ("procedure p() { assert {:a ", "(", "1", ")", "} true; }"),
    ("", "/*", "", "*/", "procedure p() { }"),
    ("procedure p() { ", "assert true; ", "", "", "}"),
    ("procedure p() { ", "{ ", "", "} ", "}"),
    ("", "procedure ", "", "", ""),
];

#[test]
fn deep_and_long_files() {
    for (before, open, middle, close, after) in NESTED {
        for count in [10, 200, 300, 100_000] {
            let (open, close) = (open.repeat(count), close.repeat(count));
            read(format!("{before}{open}{middle}{close}{after}").as_bytes());
        }
    }
}

/// Files whose meaning is larger than their text.
#[test]
fn small_files_of_large_meaning() {
    let chain =
        |line: fn(usize) -> String, count: usize| -> String { (1..count).map(line).collect() };
    let doubled = |i: usize| format!("type t{i} = [t{0}]t{0};\n", i - 1);
    read(format!("type t0;{}var x: t200;", chain(doubled, 201)).as_bytes());
    let synonyms = |i: usize| format!("type t{i} = t{};\n", i + 1);
    read(format!("{}type t5000; var x: t1;", chain(synonyms, 5000)).as_bytes());
    let functions =
        |i: usize| format!("function f{i}(x: int): int {{ f{0}(f{0}(x) + 1) }}\n", i - 1);
    let used = "function f0(int): int; procedure p() { assert f60(0) == 0; }";
    read(format!("{}{used}", chain(functions, 61)).as_bytes());
    let deep = |i: usize| format!("function f{i}(x: int): int {{ f{}(x) }}\n", i - 1);
    let used = "function f0(int): int; procedure p() { assert f4000(0) == 0; }";
    read(format!("{}{used}", chain(deep, 4001)).as_bytes());
    let (clauses, calls) = ("requires x > 0;".repeat(10_000), "call p(1);".repeat(10_000));
    read(format!("procedure p(x: int) {clauses} {{ {calls} }}").as_bytes());
    read(format!("procedure {}() {{ x := 1; }}", "p".repeat(1_000_000)).as_bytes());
    let globals: Vec<String> = (0..20_000).map(|i| format!("g{i}")).collect();
    let (globals, calls) = (globals.join(", "), "call p();".repeat(20_000));
    read(format!("var {globals}: int; procedure p() modifies {globals}; {{ {calls} }}").as_bytes());
    let uniques = |i: usize| format!("const unique c{i}: int;\n");
    read(format!("{}procedure p() {{ }}", chain(uniques, 3000)).as_bytes());
    read(format!("procedure p() {{ assert {} == 1; }}", "9".repeat(1_000_000)).as_bytes());
    read(format!("procedure p() {{ assert {}bv8 == 1bv8; }}", "9".repeat(1_000_000)).as_bytes());
    read("procedure p() { assert 1bv1048576 ++ 1bv1 == 1bv1; }".as_bytes());
}

#[test]
fn text_that_is_not_utf8() {
    let error = pedra_boogie::read(b"procedure p() {\n  \xff }", "test.bpl").expect_err("no text");
    assert_eq!(error.to_string(), "2:3: the text is not UTF-8");
    // Comments may hold anything.
    let text = b"// M\xfcller\nprocedure p() { assert /* \xe9 */ true; }";
    assert!(pedra_boogie::read(text, "test.bpl").is_ok());
}
