//! AIGER witnesses: good ones, bad ones, and the way back.

use pedra_formats::aiger;
use pedra_formats::aiger_witness::{Witness, read, write};
use pedra_model::bits::BitSystem;
use pedra_model::trace::BitTrace;
use pedra_model::value::Ternary;

/// Two inputs, two latches (one free), two bads.
const FULL: &str = "aag 4 2 2 0 0 2\n2\n4\n6 2\n8 4 8\n6\n8\n";
/// The same of the old style, with one output.
const OLD: &str = "aag 4 2 2 1 0\n2\n4\n6 2\n8 4 8\n6\n";
/// No latches.
const NO_LATCHES: &str = "aag 1 1 0 0 0 1\n2\n2\n";
/// No inputs.
const NO_INPUTS: &str = "aag 1 0 1 0 0 1\n2 3\n2\n";
/// Neither.
const NEITHER: &str = "aag 0 0 0 0 0 1\n1\n";
/// A justice property beside the bad.
const JUSTICE: &str = "aag 1 1 0 0 0 1 0 1\n2\n2\n1\n2\n";

fn system(model: &str) -> BitSystem {
    aiger::read(model.as_bytes()).expect("a good model")
}

/// `properties | latches | inputs | inputs ...`
fn describe(witness: &Witness) -> String {
    let digits = |values: &Vec<Ternary>| values.iter().map(|v| v.to_char()).collect::<String>();
    let properties: Vec<String> = witness.properties.iter().map(usize::to_string).collect();
    let mut parts = vec![properties.join(" "), digits(&witness.initial)];
    parts.extend(witness.inputs.iter().map(digits));
    parts.join("|")
}

#[test]
fn good_witnesses() {
    let cases = [
        (FULL, "1\nb0\n01\n10\n11\n.\n", "0|01|10|11"),
        (FULL, "1\nb1\n0x\nXx\n.\n", "1|0x|xx"),
        (FULL, "1\nb0b1\n00\n00\n.\n", "0 1|00|00"),
        (FULL, "1\nb1 b0\n00\n00\n.\n", "1 0|00|00"),
        (FULL, "c hi\n1\nc\nb0\n00\n00\nc more\n01\n.\n\nc bye\n", "0|00|00|01"),
        (FULL, "1\r\nb0\r\n00\r\n00\r\n.\r\n", "0|00|00"),
        (FULL, "1\nb0\n00\n00\n.", "0|00|00"),
        (FULL, "1\nb0\n00\n00\n.\n1\nb1\n01\n11\n.\n", "0|00|00; 1|01|11"),
        (OLD, "1\no0\n00\n00\n.\n", "0|00|00"),
        (OLD, "1\nb0\n00\n00\n.\n", "0|00|00"),
        (NO_LATCHES, "1\nb0\n\n0\n1\n.\n", "0||0|1"),
        (NO_INPUTS, "1\nb0\n0\n\n\n.\n", "0|0||"),
        (NEITHER, "1\nb0\n\n\n.\n", "0||"),
        (NEITHER, "1\r\nb0\r\n\r\n\r\n.\r\n", "0||"),
        (JUSTICE, "1\nb0\n\n1\n.\n", "0||1"),
    ];
    for (model, text, expected) in cases {
        let found = read(text.as_bytes(), &system(model)).unwrap_or_else(|e| panic!("{text}{e}"));
        let found: Vec<String> = found.iter().map(describe).collect();
        assert_eq!(found.join("; "), expected, "{text}");
    }
}

#[test]
fn bad_witnesses() {
    let cases = [
        (FULL, "", "1:1: there is no witness in this file"),
        (FULL, "c nothing\n\n", "2:1: there is no witness in this file"),
        (FULL, "0\nb0\n.\n", "1:1: the answer is 0, \"never violated\": it has no witness"),
        (FULL, "2\n", "1:1: the answer is 2, \"unknown\": it has no witness"),
        (FULL, "u12\n", "1:1: this is a bound, \"not violated up to that step\", not a witness"),
        (FULL, "sat\nb0\n", "1:1: expected `1`, found `sat`"),
        (FULL, "b0\n", "1:1: expected `1`, the start of a witness, found `b0`"),
        (FULL, "1\n", "2:1: the file ends, but a line of properties such as `b0` should follow"),
        (FULL, "1\n\n00\n", "2:1: expected a property such as `b0`, found an empty line"),
        (FULL, "1\n00\n", "2:1: expected a property such as `b0`, found `0`"),
        (FULL, "1\nb0 b\n", "2:5: expected the index of a property"),
        (FULL, "1\nb0 b2\n", "2:4: there is no property 2, only 2 in all"),
        (
            FULL,
            "1\nb99999999999999999999\n",
            "2:1: there is no property 99999999999999999999, only 2 in all",
        ),
        (FULL, "1\nb1b1\n", "2:3: property 1 is named twice"),
        (FULL, "1\no0\n", "2:1: this names an output, but the properties are bad literals"),
        // The line that names the property is missing: what follows is no property.
        (JUSTICE, "1\n0\n0\n.\n", "2:1: expected a property such as `b0`, found `0`"),
        (JUSTICE, "1\nj1\n", "2:1: there is no justice set 1, only 1 in all"),
        (JUSTICE, "1\nb0j0j0\n", "2:5: justice set 0 is named twice"),
        (FULL, "1\nj0\n", "2:1: there is no justice set 0, only 0 in all"),
        (FULL, "1\nb0\n", "3:1: the file ends, but the line of initial latches should follow"),
        (FULL, "1\nb0\n0\n", "3:2: 1 latch value, but the model has 2"),
        (FULL, "1\nb0\n000\n", "3:3: 3 latch values, but the model has 2"),
        (FULL, "1\nb0\n0y\n", "3:2: expected 0, 1 or x as the value of latch 1, found `y`"),
        (FULL, "1\nb0\n00\n", "4:1: the file ends, but a step or the final `.` should follow"),
        (FULL, "1\nb0\n00\n00\n", "5:1: the file ends, but a step or the final `.` should follow"),
        (FULL, "1\nb0\n00\n00\n0", "5:2: the file ends within a step"),
        (FULL, "1\nb0\n00\n00\n0\n.\n", "5:2: 1 input value, but the model has 2"),
        (FULL, "1\nb0\n00\n2\n.\n", "4:1: expected 0, 1 or x as the value of input 0, found `2`"),
        (FULL, "1\nb0\n00\n.\n", "4:1: a witness has at least one step"),
        (FULL, "1\nb0\n00\n00\n.\n2\n", "6:1: the answer is 2, \"unknown\": it has no witness"),
        (NO_LATCHES, "1\nb0\n0\n.\n", "3:1: 1 latch value, but the model has 0"),
    ];
    for (model, text, expected) in cases {
        match read(text.as_bytes(), &system(model)) {
            Ok(_) => panic!("{text:?} was read"),
            Err(error) => assert_eq!(error.to_string(), expected, "{text:?}"),
        }
    }
}

#[test]
fn written_witnesses() {
    let unknown = Ternary::Unknown;
    let trace = BitTrace {
        property: 1,
        initial: vec![unknown; 2],
        inputs: vec![vec![Ternary::True, unknown], vec![unknown, Ternary::False]],
        loop_start: None,
    };
    // The first latch starts as 0 and is written so, the second is free.
    assert_eq!(write(&trace, &system(FULL)), "1\nb1\n0x\n1x\nx0\n.\n");
    let empty = BitTrace { property: 0, initial: vec![], inputs: vec![vec![]], loop_start: None };
    assert_eq!(write(&empty, &system(NEITHER)), "1\nb0\n\n\n.\n");
}
