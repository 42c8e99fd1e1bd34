//! Witnesses of a small model: inputs `a` (1 bit), 4 bits, an array `m`; states `s` (1 bit,
//! with next), `t` (4 bits, free), an array, and 4 bits with init but no next.

use pedra_formats::btor2;
use pedra_formats::btor2::witness::{Witness, read, write};
use pedra_formats::fuzzing::WITNESSED;
use pedra_model::bv::Bv;
use pedra_model::system::System;
use pedra_model::value::{TernaryBv, TernaryValue};

fn system() -> System {
    btor2::read(WITNESSED.as_bytes()).unwrap()
}

fn witness(text: &str) -> Witness {
    read(text.as_bytes(), &system()).unwrap_or_else(|e| panic!("{e}\n{text}"))
}

fn bits(digits: &str) -> TernaryValue {
    TernaryValue::Bv(TernaryBv::parse(digits).unwrap())
}

#[test]
fn everything_in_one() {
    let text = "; comment\nsat\nb1 b0\n#0\n0 1 s#0\n1 x01x t#0\n3 0000\n2 [0001] 1111 mem#0\n\
        2 [*] 1010\n@0\n0 1 a@0\n2 [1111]0x01\n\n@1\n1 0110 ; why not\n#2\n0 0\n3 1111\n@2\n0 x\n.\n";
    let w = witness(text);
    assert_eq!(w.properties, [1, 0]);
    assert_eq!((w.trace.property, w.trace.depth()), (1, 2));
    let states = &w.trace.states;
    assert_eq!(states[0][0], Some(bits("1")));
    assert_eq!(states[0][1], Some(bits("x01x")));
    assert_eq!(states[0][3], Some(bits("0000")), "kept, though its init says what it is");
    assert_eq!(states[1][0], None, "its next says what it is");
    let Some(TernaryValue::Array(array)) = &states[0][2] else { panic!("an array") };
    let at = |index| array.get(&Bv::from_u64(4, index)).to_digits();
    assert_eq!((at(1).as_str(), at(2).as_str()), ("1111", "1010"));
    assert_eq!(w.trace.inputs[0][0], bits("1"));
    assert_eq!(w.trace.inputs[0][1], bits("xxxx"), "not mentioned");
    let TernaryValue::Array(array) = &w.trace.inputs[0][2] else { panic!("an array") };
    assert_eq!(array.get(&Bv::ones(4)).to_digits(), "0x01");
    assert_eq!(w.trace.inputs[1][1], bits("0110"));
    assert_eq!(states[1][3], Some(bits("xxxx")), "free at every later step");
    assert_eq!(states[2][0], Some(bits("0")), "kept, though its next says what it is");
    assert_eq!(states[2][3], Some(bits("1111")));

    let written = "sat\nb1\n#0\n0 1 s#0\n1 0010 t#0\n2 [*] 1010\n2 [0001] 1111\n@0\n0 1 a@0\n\
        1 0000\n2 [1111] 0001 m@0\n#1\n1 0000 t#1\n2 [*] 0000\n3 0000\n@1\n0 0 a@1\n1 0110\n\
        #2\n1 0000 t#2\n2 [*] 0000\n3 1111\n@2\n0 0 a@2\n1 0000\n.\n";
    assert_eq!(write(&system(), &w.trace), written);
    assert_eq!(witness(&written.replace('\n', "\r\n")).trace.depth(), 2);
}

#[test]
fn arrays_without_address() {
    let w = witness("sat\nb0\n#0\n2 0011\n@0\n.");
    let Some(TernaryValue::Array(array)) = &w.trace.states[0][2] else { panic!("an array") };
    assert_eq!(array.default_element().to_digits(), "0011");
}

#[test]
fn wrong_witnesses() {
    let cases = [
        ("", "1:1", "the witness is empty"),
        ("; nothing\n", "1:1", "the witness is empty"),
        ("unsat\n", "1:1", "no property is violated"),
        ("1\nb0\n", "1:1", "starts with `sat`, not `1`"),
        ("sat\n", "1:1", "the property is missing"),
        ("sat\nb2\n", "2:1", "there is no property b2: the model has 2"),
        ("sat\nb0 b99999999999999999999\n", "2:4", "too large"),
        ("sat\nb0 x\n", "2:4", "not `x`"),
        ("sat\nj0\n", "2:1", "there is no property j0: the model has 0"),
        ("sat\nb0\n", "2:1", "the first frame is missing"),
        ("sat\nb0\n.\n", "3:1", "the frame `#0` or `@0` is missing"),
        ("sat\nb0\n0 1\n", "3:1", "the frame `#0` or `@0` is missing"),
        ("sat\nb0\n@0\n", "3:1", "cut off"),
        ("sat\nb0\n@1\n.", "3:1", "step 1 where step 0 must come"),
        ("sat\nb0\n@0\n@0\n.", "4:1", "step 0 where step 1 must come"),
        ("sat\nb0\n#0\n#0\n.", "4:1", "step 0 where step 1 must come"),
        ("sat\nb0\n@0\n#0\n.", "4:1", "step 0 where step 1 must come"),
        ("sat\nb0\n@0\n@18446744073709551615\n.", "4:1", "where step 1"),
        ("sat\nb0\n@0 1\n.", "3:1", "a separate line"),
        ("sat\nb0\n@\n.", "3:1", "the step must be a number"),
        ("sat\nb0\n@0\n3 1\n.", "4:1", "there is no input 3: the model has 3"),
        ("sat\nb0\n#0\n4 1\n.", "4:1", "there is no state 4: the model has 4"),
        ("sat\nb0\n@0\n0\n.", "4:2", "the value is missing"),
        ("sat\nb0\n@0\n0 2\n.", "4:3", "`2` is not a binary value"),
        ("sat\nb0\n@0\n1 101\n.", "4:3", "3 bits where 4 are needed"),
        ("sat\nb0\n@0\n0 1\n0 1\n.", "5:1", "input 0 has two values"),
        ("sat\nb0\n@0\n1 [1111] 1\n.", "4:3", "not a binary value"),
        ("sat\nb0\n@0\n2 [1111\n.", "4:3", "`]` of the address is missing"),
        ("sat\nb0\n@0\n2 [11] 1111\n.", "4:4", "2 bits where 4"),
        ("sat\nb0\n@0\n2 [x111] 1111\n.", "4:4", "cannot be unknown"),
        ("sat\nb0\n@0\n2 [1111] 11\n.", "4:10", "2 bits where 4"),
        ("sat\nb0\n@0\n2 [*] 1111\n2 [*] 1111\n.", "5:3", "a second value"),
        ("sat\nb0\n@0\n2 [1111] 1111\n2 [1111] 1111\n.", "5:4", "element 1111 has two values"),
        ("sat\nb0\n@0\n.\nsat\n", "5:1", "after the end"),
    ];
    for (text, place, message) in cases {
        let error = read(text.as_bytes(), &system()).expect_err(text).to_string();
        assert!(error.starts_with(&format!("{place}: ")), "{error}, expected {place}\n{text}");
        assert!(error.contains(message), "{error}, expected {message}\n{text}");
    }
}

#[test]
fn many_steps_cannot_take_all_memory() {
    let inputs: String = (2..100_002).map(|id| format!("{id} input 1\n")).collect();
    let system = format!("1 sort bitvec 1\n{inputs}200000 bad 2\n");
    let system = btor2::read(system.as_bytes()).unwrap();
    let steps: String = (0..1000).map(|step| format!("@{step}\n")).collect();
    let error = read(format!("sat\nb0\n{steps}.").as_bytes(), &system).unwrap_err();
    assert!(error.message.contains("too many steps"), "{error}");
}
