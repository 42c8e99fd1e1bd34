//! Models at the edge of the formats mean the same to every engine: no latch, no input, constant
//! properties, constraints that cannot be met, no initial state.

use std::process::Command;

const ENGINES: [&str; 9] = ["auto", "bmc", "kind", "pdr", "rpdr", "fbpdr", "imc", "avy", "wpdr"];

/// Name, text, and whether the property can be violated.
const MODELS: [(&str, &str, bool); 9] = [
    ("no_latch.aag", "aag 1 1 0 0 0 1\n2\n2\n", true),
    ("constant_false.aag", "aag 1 1 0 0 0 1\n2\n0\n", false),
    ("constant_true.aag", "aag 1 0 1 0 0 1\n2 3\n1\n", true),
    ("nothing.aag", "aag 0 0 0 0 0 1\n0\n", false),
    ("nothing_but_bad.aag", "aag 0 0 0 0 0 1\n1\n", true),
    // The input must be 0 and 1.
    ("contradiction.aag", "aag 2 1 1 0 0 1 2\n2\n4 2\n4\n2\n3\n", false),
    // The latch starts at 0 and must always be 1.
    ("no_start.aag", "aag 1 0 1 0 0 1 1\n2 3 0\n2\n2\n", false),
    ("nothing.btor2", "1 sort bitvec 1\n2 zero 1\n3 bad 2\n", false),
    (
        "contradiction.btor2",
        "1 sort bitvec 8\n2 sort bitvec 1\n3 state 1 x\n4 zero 1\n5 init 1 3 4\n6 one 1\n\
         7 add 1 3 6\n8 next 1 3 7\n9 zero 2\n10 constraint 9\n11 redor 2 3\n12 bad 11\n",
        false,
    ),
];

#[test]
fn every_engine_agrees_on_odd_models() {
    let folder = std::env::temp_dir().join(format!("pedra-odd-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder of our own");
    for (name, text, can_be_violated) in MODELS {
        let path = folder.join(name);
        std::fs::write(&path, text).expect("a small file");
        for engine in ENGINES {
            let mut command = Command::new(env!("CARGO_BIN_EXE_pedra"));
            command.args(["check", "-q", "--depth", "50", "--engine", engine]).arg(&path);
            let code = command.output().expect("it runs").status.code();
            // BMC proves nothing.
            let expected = match (can_be_violated, engine) {
                (true, _) => 1,
                (false, "bmc") => 3,
                (false, _) => 0,
            };
            assert_eq!(code, Some(expected), "{name} with {engine}");
        }
    }
    std::fs::remove_dir_all(&folder).expect("our own folder");
}

/// A proof for all addresses of a large array has SMT-LIB queries and no witness circuit.
#[test]
fn certificates_of_large_arrays() {
    let folder = std::env::temp_dir().join(format!("pedra-large-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder of our own");
    // Only bytes below 128 are written.
    let text = "1 sort bitvec 1\n2 sort bitvec 32\n3 sort bitvec 8\n4 sort array 2 3\n5 zero 3\n\
        6 state 4 mem\n7 init 4 6 5\n8 input 2 address\n9 input 3 data\n10 constd 3 127\n\
        11 and 3 9 10\n12 write 4 6 8 11\n13 next 4 6 12\n14 read 3 6 8\n15 slice 1 14 7 7\n\
        16 bad 15\n";
    std::fs::write(folder.join("m.btor2"), text).expect("a small file");
    for (name, is_written) in [("c.smt2", true), ("c.btor2", false)] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_pedra"));
        command.args(["hwmcc", "m.btor2", "m.wit", name]).current_dir(&folder);
        let output = command.output().expect("it runs");
        assert_eq!(output.stdout, b"unsat\n", "{name}");
        let told = String::from_utf8_lossy(&output.stderr);
        assert_eq!(told.contains("no certificate is written"), !is_written, "{told}");
        assert_eq!(folder.join(name).exists(), is_written, "{name}");
    }
    let script = std::fs::read_to_string(folder.join("c.smt2")).expect("it was written");
    assert!(script.contains("(set-logic ALL)") && script.contains("(as const "), "{script}");
    std::fs::remove_dir_all(&folder).expect("our own folder");
}
