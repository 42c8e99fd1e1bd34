//! Files in and out of single commands: no output replaces an input, and witnesses of other tools
//! are judged by what they show.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

struct Folder(PathBuf);

impl Folder {
    fn new(name: &str, files: &[(&str, &str)]) -> Folder {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("files-{name}"));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).expect("a folder");
        for (name, text) in files {
            fs::write(folder.join(name), text).expect("written");
        }
        Folder(folder)
    }

    /// The exit code, and both outputs.
    fn pedra(&self, words: &str) -> (Option<i32>, String) {
        let mut command = Command::new(env!("CARGO_BIN_EXE_pedra"));
        let output = command.args(words.split(' ')).current_dir(&self.0).output().expect("starts");
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        (output.status.code(), text(&output.stdout) + &text(&output.stderr))
    }

    /// What is to come of some commands.
    fn check(&self, cases: &[(&str, i32, &str)]) {
        for &(words, code, what) in cases {
            let (found, text) = self.pedra(words);
            assert_eq!(found, Some(code), "{words}: {text}");
            assert!(text.contains(what), "{words}: {text}");
        }
    }
}

/// Two bads that are inputs, under a constraint that is an input, too.
const INPUTS: &str = "1 sort bitvec 1\n2 input 1 a\n3 input 1 b\n4 input 1 ok\n5 bad 2 x\n\
                      6 bad 3 y\n7 constraint 4\n";

#[test]
fn outputs_replace_no_input() {
    let files = [("m.btor2", INPUTS), ("o.h", "int x;\n"), ("p.ys", "proc\n")];
    let folder = Folder::new("outputs", &files);
    std::os::unix::fs::symlink("m.btor2", folder.0.join("l.b0.vcd")).expect("linked");
    folder.check(&[
        ("check m.btor2 --vcd l.vcd", 2, "this is the model itself"),
        ("check m.btor2 -p x --vcd m.btor2", 2, "this is the model itself"),
        ("check m.btor2 --vcd o.vcd --trace o.vcd", 2, "named for two files"),
        ("check m.btor2 --vcd o.vcd --junit o.b0.vcd", 2, "named for two files"),
        ("check m.btor2 --vcd o.vcd --record o.b1.vcd", 2, "named for two files"),
        ("check m.btor2 --junit o.h", 2, "a source with this name is there"),
        ("check m.btor2 --record o.h", 2, "a source with this name is there"),
        ("check a.sv b.sv --script p.ys --junit p.ys", 2, "this is an input"),
        ("check a.sv m.btor2 --junit m.btor2", 2, "this is an input"),
        ("check m.btor2 --junit -", 2, "a report needs a file"),
        ("check m.btor2 --sarif /dev/stdout", 2, "a report needs a file"),
        ("check m.btor2 --vcd -", 1, "$enddefinitions"),
        ("check m.btor2 --junit /dev/null", 1, "violated"),
    ]);
    assert_eq!(fs::read_to_string(folder.0.join("m.btor2")).expect("there"), INPUTS);
    let left = fs::read_dir(&folder.0).expect("there").count();
    assert_eq!(left, files.len() + 1, "no file was written");
}

/// Other tools go on behind the violation.
#[test]
fn a_witness_counts_up_to_its_first_violation() {
    let circuit = "aag 1 1 0 0 0 1\n2\n2\n";
    let files = [
        ("m.aag", circuit),
        ("m.btor2", INPUTS),
        ("behind.aiw", "1\nb0\n\n1\n0\n.\n"),
        ("never.aiw", "1\nb0\n\n0\n0\n.\n"),
        // The bad at step 1, the constraint fails at step 2.
        ("ok.wit", "sat\nb0\n@0\n0 0\n2 1\n@1\n0 1\n2 1\n@2\n0 1\n2 0\n.\n"),
        // The constraint fails before the bad.
        ("bad.wit", "sat\nb0\n@0\n0 0\n2 0\n@1\n0 1\n2 1\n.\n"),
        ("both.wit", "sat\nb0 b1\n@0\n0 1\n1 0\n2 1\n@1\n0 0\n1 1\n2 1\n@2\n0 0\n1 0\n2 0\n.\n"),
        ("half.wit", "sat\nb0 b1\n@0\n0 1\n1 0\n2 1\n.\n"),
    ];
    let folder = Folder::new("behind", &files);
    folder.check(&[
        ("certify m.aag behind.aiw", 0, "b0 violated at step 0"),
        ("certify m.aag never.aiw", 1, "refuted"),
        ("simulate m.aag behind.aiw", 0, "b0 is violated at step 0"),
        ("certify m.btor2 ok.wit", 0, "b0 x violated at step 1"),
        ("certify m.btor2 bad.wit", 1, "refuted"),
        ("certify m.btor2 both.wit", 0, "b0 x violated at step 0, b1 y violated at step 1"),
        ("certify m.btor2 half.wit", 1, "b1 y: "),
        // All properties of the file are judged, not only the first.
        ("simulate m.btor2 both.wit", 0, "b1 y is violated at step 1"),
        ("simulate m.btor2 half.wit", 1, "b1 y: this is not a violation"),
        ("simulate m.btor2 ok.wit --steps 3", 2, "cannot be used with"),
        ("simulate m.btor2 ok.wit --seed 3", 2, "cannot be used with"),
        ("simulate m.btor2 --steps 3 --seed 3", 0, ""),
    ]);
}

/// An empty set, of which BTOR2 has none, is written as one that asks for nothing.
#[test]
fn an_empty_justice_set_is_converted() {
    // A latch that stays 0, and an empty set: every infinite path violates it.
    let folder = Folder::new("empty", &[("m.aag", "aag 1 0 1 0 0 0 0 1\n2 2\n0\n")]);
    folder.check(&[
        ("check m.aag", 1, "violated  j0"),
        ("convert m.aag m.btor2", 0, ""),
        ("check m.btor2", 1, "violated  j0"),
    ]);
    let text = fs::read_to_string(folder.0.join("m.btor2")).expect("there");
    assert!(text.contains("justice 1 "), "{text}");
}

#[test]
fn what_is_said_of_options_and_sets() {
    let set = "1 sort bitvec 1\n2 zero 1\n3 state 1 s\n4 init 1 3 2\n5 input 1 i\n6 next 1 3 5\n\
               7 justice 1 3 fair\n";
    let both = "aag 2 1 1 0 0 1 0 1\n2\n4 2\n0\n1\n4\n";
    let none = "1 sort bitvec 1\n2 zero 1\n3 constraint 2\n4 bad 2\n";
    let files = [("j.btor2", set), ("both.aag", both), ("none.btor2", none), ("m.btor2", INPUTS)];
    let folder = Folder::new("said", &files);
    folder.check(&[
        ("check m.btor2 --plots x", 2, "--plot <X,Y>"),
        ("check", 2, "no model is named"),
        ("check j.btor2 -o klive.stable=off --liveness l2s", 2, "it is for --liveness klive"),
        ("check j.btor2 --liveness l2s -e wpdr -o wpdr.handover=off", 2, "-o wpdr.handover"),
        ("check none.btor2 -e bmc", 3, "no initial state of the reduced model"),
        ("check j.btor2 --json", 1, r#""line":7"#),
    ]);
}
