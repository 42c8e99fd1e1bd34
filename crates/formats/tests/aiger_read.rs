//! What AIGER files mean, and what is said of files that are wrong.

use pedra_formats::aiger::{read, same_model, write_ascii, write_binary};
use pedra_model::bits::{BitSystem, Reset};
use pedra_model::lit::Lit;

/// A line for each part of a system, for comparing.
fn describe(s: &BitSystem) -> String {
    let code = |l: &Lit| l.code().to_string();
    let codes = |lits: &[Lit]| lits.iter().map(code).collect::<Vec<_>>().join(" ");
    let mut parts = vec![format!("inputs {}", s.inputs.len())];
    for latch in &s.latches {
        let reset = match latch.reset {
            Reset::Zero => "zero".to_string(),
            Reset::One => "one".to_string(),
            Reset::Free => "free".to_string(),
            Reset::Function(f) => format!("as {}", f.code()),
        };
        parts.push(format!("latch {} next {} {reset}", latch.var.lit().code(), latch.next.code()));
    }
    for (gate, a, b) in s.aig.gates() {
        parts.push(format!("{} = {} {}", gate.lit().code(), a.code(), b.code()));
    }
    let lists = [("out", &s.outputs), ("bad", &s.bads), ("constraint", &s.constraints)];
    for (kind, lits) in lists.into_iter().chain([("fair", &s.fairness)]) {
        if !lits.is_empty() {
            parts.push(format!("{kind} {}", codes(lits)));
        }
    }
    parts.extend(s.justice.iter().map(|j| format!("justice [{}]", codes(j))));
    let n = &s.names;
    let names =
        [&n.inputs, &n.latches, &n.outputs, &n.bads, &n.constraints, &n.justice, &n.fairness];
    for (kind, names) in "ilobcjf".chars().zip(names) {
        for (i, name) in names.iter().enumerate() {
            parts.extend(name.as_ref().map(|name| format!("{kind}{i}={name}")));
        }
    }
    parts.extend(s.comments.iter().map(|c| format!("# {c}")));
    parts.join("; ")
}

#[test]
fn good_files() {
    let cases: &[(&str, &[u8], &str)] = &[
        ("empty", b"aag 0 0 0 0 0\n", "inputs 0"),
        ("no newline", b"aag 0 0 0 0 0", "inputs 0"),
        ("constants", b"aag 0 0 0 2 0\n0\n1\n", "inputs 0; out 0 1"),
        ("buffer", b"aag 1 1 0 1 0\n2\n2\n", "inputs 1; out 2"),
        ("toggle", b"aag 1 0 1 2 0\n2 3\n2\n3\n", "inputs 0; latch 2 next 3 zero; out 2 3"),
        (
            "and, out of order",
            b"aag 9 2 0 1 2\n10\n4\n19\n18 8 4\n8 10 5\n",
            "inputs 2; 6 = 2 5; 8 = 6 4; out 9",
        ),
        (
            "resets",
            b"aag 5 1 4 0 0\n2\n4 5 0\n6 6 1\n8 4 8\n10 10 9\n",
            "inputs 1; latch 4 next 5 zero; latch 6 next 6 one; latch 8 next 4 free; \
             latch 10 next 10 as 9",
        ),
        (
            "a reset function that is a gate",
            b"aag 3 1 1 0 1\n6\n2 2 5\n4 6 6\n",
            "inputs 1; latch 4 next 4 as 7; 6 = 2 2",
        ),
        (
            "every section",
            b"aag 2 1 1 1 0 1 1 2 1\n2\n4 2\n3\n4\n5\n2\n1\n2\n3\n4\n5\n",
            "inputs 1; latch 4 next 2 zero; out 3; bad 4; constraint 5; fair 5; \
             justice [2 3]; justice [4]",
        ),
        ("some sections", b"aag 1 1 0 0 0 1\n2\n3\n", "inputs 1; bad 3"),
        ("zeros at the end", b"aag 1 1 0 0 0 1 0 0 0\n2\n3\n", "inputs 1; bad 3"),
        (
            "names and comments",
            b"aag 2 1 1 1 0 1 1\n2\n4 4\n4\n4\n3\ni0 a b \nl0 state\no0 \nb0 bad\nc0 con\nc\nhi\n\nc\n",
            "inputs 1; latch 4 next 4 zero; out 4; bad 4; constraint 3; i0=a b ; l0=state; o0=; \
             b0=bad; c0=con; # hi; # ; # c",
        ),
        (
            "carriage returns",
            b"aag 1 1 0 1 0\r\n2\r\n2\r\ni0 x\r\nc\r\nhi\r\n",
            "inputs 1; out 2; i0=x; # hi",
        ),
        ("blanks", b"aag  1 1\t0 1 0 \n 2\n2 \n", "inputs 1; out 2"),
        ("numbers without a meaning", b"aag 2000000000 1 0 1 0\n4000000000\n4000000001\n", "inputs 1; out 3"),
        ("a name that is not UTF-8", b"aag 1 1 0 0 0\n2\ni0 \xff\n", "inputs 1; i0=\u{fffd}"),
        ("binary, empty", b"aig 0 0 0 0 0\n", "inputs 0"),
        ("binary, unused inputs", b"aig 3 3 0 1 0\n5\n", "inputs 3; out 5"),
        (
            "binary",
            b"aig 5 2 1 1 2 1\n10 6\n8\n11\n\x02\x02\x01\x06i1 y\nc\n",
            "inputs 2; latch 6 next 10 free; 8 = 6 4; 10 = 9 3; out 8; bad 11; i1=y",
        ),
        ("binary, long difference", b"aig 66 65 0 0 1\n\x82\x01\x00", "inputs 65; 132 = 2 2"),
    ];
    for (name, bytes, expected) in cases {
        let system = read(bytes).unwrap_or_else(|e| panic!("{name}: {e}"));
        assert_eq!(&describe(&system), expected, "{name}");
        for written in [write_ascii(&system), write_binary(&system)] {
            let again = read(&written).unwrap_or_else(|e| panic!("{name}, written: {e}"));
            same_model(&system, &again).unwrap_or_else(|e| panic!("{name}, written: {e}"));
        }
    }
}

#[test]
fn bad_files() {
    let cases: &[(&[u8], &str)] = &[
        // Headers.
        (b"", "1:1: this is not an AIGER file: it starts with neither `aag` nor `aig`"),
        (
            b"1 sort bitvec 1\n",
            "1:1: this is not an AIGER file: it starts with neither `aag` nor `aig`",
        ),
        (b"aag \n", "1:5: expected the number of variables, M, found the end of the line"),
        (b"aag 1 1 0 1", "1:12: expected the number of gates, A, found the end of the file"),
        (b"aag 1 1 0 x 0\n", "1:11: expected the number of outputs, O, found `x`"),
        (b"aag 1 1 0 -1 0\n", "1:11: expected the number of outputs, O, found `-1`"),
        (b"aag 1 1 0 1 0 0 0 0 0 0\n", "1:23: expected the end of the line, found `0`"),
        (b"aag 1 1 1 0 0\n", "1:5: M = 1 is less than I + L + A = 2"),
        (b"aag 2147483647 0 0 0 0\n", "1:5: M = 2147483647 is more than 2147483646 variables"),
        (
            b"aag 99999999999999999999 0 0 0 0\n",
            "1:5: the number of variables, M is too large a number",
        ),
        (b"aig 2 1 0 0 0\n", "1:5: M = 2 is not I + L + A = 1"),
        (
            b"aig 2000000000 2000000000 0 0 0\n",
            "1:5: 2000000000 inputs are more than a file of 32 bytes can use",
        ),
        // Lines that are missing, or hold too little or too much.
        (b"aag 2 2 0 0 0\n2\n", "3:1: the file ends before input 2 of 2"),
        (
            b"aag 1 0 1 0 0\n2\n",
            "2:2: expected the next literal of a latch, found the end of the line",
        ),
        (b"aag 1 1 0 0 0\n2 3\n", "2:3: expected the end of the line, found `3`"),
        (b"aag 1 1 0 0 0\n2x\n", "2:1: expected an input, found `2x`"),
        (b"aag 1 1 0 1 0\n2\n\n2\n", "3:1: expected a literal, found the end of the line"),
        (
            b"aag 1 0 0 0 1\n2 0\n",
            "2:4: expected the second input of a gate, found the end of the line",
        ),
        (
            b"aag 0 0 0 0 0 0 0 4000000000\n",
            "2:1: the file ends before justice size 1 of 4000000000",
        ),
        (
            b"aag 0 0 0 0 0 0 0 1\n4000000000\n0\n",
            "4:1: the file ends before justice literal 2 of 4000000000",
        ),
        // Literals.
        (b"aag 1 1 0 0 0\n3\n", "2:1: literal 3 is odd: an input is defined positively"),
        (b"aag 1 1 0 0 0\n0\n", "2:1: literal 0 is a constant, not an input"),
        (b"aag 1 0 1 0 0\n3 0\n", "2:1: literal 3 is odd: a latch is defined positively"),
        (b"aag 1 0 0 0 1\n3 0 0\n", "2:1: literal 3 is odd: a gate is defined positively"),
        (b"aag 1 1 0 1 0\n2\n4\n", "3:1: literal 4 is beyond 2M + 1 = 3"),
        (b"aag 1 1 0 1 0\n2\n5000000000\n", "3:1: a literal is too large a number"),
        (b"aag 2 1 0 1 0\n2\n5\n", "3:1: literal 5 is not defined"),
        (b"aag 2 0 1 0 0\n2  5\n", "2:4: literal 5 is not defined"),
        (b"aag 2 0 1 0 0\n2 2 5\n", "2:5: literal 5 is not defined"),
        (b"aag 9 1 0 0 1\n2\n4 2 12\n", "3:5: literal 12 is not defined"),
        (b"aag 9 1 0 0 0 0 0 2 1\n2\n1\n1\n2\n2\n6\n", "7:1: literal 6 is not defined"),
        (b"aag 9 1 0 0 0 0 0 2 1\n2\n1\n1\n2\n8\n6\n", "6:1: literal 8 is not defined"),
        (b"aag 2 2 0 0 0\n2\n2\n", "3:1: variable 1 is defined twice, first in line 2"),
        (b"aag 2 1 0 1 1\n2\n2\n2 0 0\n", "4:1: variable 1 is defined twice, first in line 2"),
        (b"aag 99999 1 1 0 0\n2\n2 0\n", "3:1: variable 1 is defined twice, first in line 2"),
        // Circles.
        (b"aag 1 0 0 0 1\n2 2 1\n", "2:1: gate 2 depends on itself"),
        (b"aag 3 1 0 0 2\n2\n4 6 2\n6 2 5\n", "3:1: gate 4 depends on itself"),
        (b"aag 1 0 1 0 0\n2 2 3\n", "2:5: the reset of latch 0 depends on itself"),
        (b"aag 2 0 2 0 0\n2 2 5\n4 2 2\n", "3:5: the reset of latch 1 depends on itself"),
        (b"aig 3 0 2 0 1\n0\n0 6\n\x02\x01", "3:3: the reset of latch 1 depends on itself"),
        // Symbols.
        (b"aag 0 0 0 0 0\ni0 x\n", "2:1: there is no input 0, only 0 in all"),
        (b"aag 1 1 0 0 0\n2\ni0 x\ni0 y\n", "4:1: input 0 has two names"),
        (b"aag 1 1 0 0 0\n2\ni0\n", "3:3: expected a space and a name, found the end of the line"),
        (b"aag 1 1 0 0 0\n2\ni x\n", "3:2: expected the index of a symbol, found ` `"),
        (b"aag 0 0 0 0 0\nc0 x\n", "2:1: there is no constraint 0, only 0 in all"),
        (b"aag 0 0 0 0 0\ncomment\n", "2:2: expected the index of a symbol, found `omment`"),
        (b"aag 1 1 0 0 0\n2\n4\n", "3:1: expected a symbol or comments, found `4`"),
        (b"aag 0 0 0 0 0\n\n", "2:1: expected a symbol or comments, found `\\n`"),
        // Binary.
        (b"aig 1 0 0 0 1\n", "byte 14: the file ends within gate 1 of 1"),
        (b"aig 1 0 0 0 1\n\x01", "byte 15: the file ends within gate 1 of 1"),
        (b"aig 1 0 0 0 1\n\x82", "byte 15: the file ends within gate 1 of 1"),
        (
            b"aig 1 0 0 0 1\n\x00\x00",
            "byte 14: gate 2 takes an input that is not before it (difference 0)",
        ),
        (
            b"aig 1 0 0 0 1\n\x03\x00",
            "byte 14: gate 2 takes an input that is not before it (difference 3)",
        ),
        (
            b"aig 1 0 0 0 1\n\x01\x02",
            "byte 15: gate 2 has a second input below 0 (first input 1, difference 2)",
        ),
        (b"aig 1 0 0 0 1\n\xff\xff\xff\xff\x7f", "byte 14: a coded difference is too large"),
        (b"aig 1 0 0 0 1\n\xff\xff\xff\xff\xff\x01", "byte 14: a coded difference is too long"),
        (b"aig 1 0 0 0 1\n\x02\x00x", "byte 16: expected a symbol or comments, found `x`"),
        (b"aig 1 0 1 0 0\n9\n", "2:1: literal 9 is beyond 2M + 1 = 3"),
    ];
    for (bytes, expected) in cases {
        let shown = bytes.escape_ascii();
        match read(bytes) {
            Ok(_) => panic!("{shown} was read"),
            Err(error) => assert_eq!(&error.to_string(), expected, "{shown}"),
        }
    }
}

/// No number in a header makes the reader reserve memory or work for long.
#[test]
fn hostile_headers() {
    for magic in ["aag", "aig"] {
        for field in 0..9 {
            for number in ["2147483646", "4294967295", "18446744073709551615"] {
                let mut fields = ["0"; 9];
                fields[field] = number;
                if [1, 2, 4].contains(&field) {
                    fields[0] = number;
                }
                let header = format!("{magic} {}\n", fields.join(" "));
                // Only an ascii file may leave all its variables without a meaning.
                let good = (magic, field, number) == ("aag", 0, "2147483646");
                assert_eq!(read(header.as_bytes()).is_ok(), good, "{header}");
            }
        }
    }
}

/// A chain of a million gates, listed from its end.
#[test]
fn a_deep_chain() {
    const GATES: usize = 1_000_000;
    let mut text = format!("aag {} 1 1 1 {GATES}\n2\n4 2 {}\n5\n", GATES + 2, 2 * (GATES + 2));
    for gate in (3..GATES + 3).rev() {
        text.push_str(&format!("{} {} 2\n", 2 * gate, 2 * gate - if gate == 3 { 4 } else { 2 }));
    }
    let system = read(text.as_bytes()).expect("a chain");
    assert_eq!(system.aig.num_gates(), GATES);
    assert_eq!(system.latches[0].reset, Reset::Function(Lit::from_code(2 * (GATES as u32 + 2))));
    let again = read(&write_binary(&system)).expect("written");
    same_model(&system, &again).expect("the same");
}
