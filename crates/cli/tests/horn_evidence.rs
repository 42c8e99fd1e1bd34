//! Evidence about Horn clauses: interpretations of predicates, and for which queries they are.

use crate::program_evidence::{folder, pedra, run, scratch, text};

/// Proofs about Horn clauses define the predicates; Z3 finds no clause that is false then.
#[test]
fn predicates_are_interpreted() {
    let at = scratch("horn");
    let steps = "(set-logic HORN)\n(declare-fun Start (Int Int) Bool)\n(declare-fun |a loop| (Int Int) Bool)\n\
        (declare-fun Done (Int) Bool)\n(declare-fun Unused (Int) Bool)\n\
        (assert (forall ((x Int)) (=> (> x 0) (Start x 0))))\n\
        (assert (forall ((x Int) (y Int) (z Int)) (=> (and (Start x y) (> z 3)) (|a loop| (+ x z) y))))\n\
        (assert (forall ((x Int) (y Int)) (=> (|a loop| x y) (|a loop| (+ x 1) (- y 1)))))\n\
        (assert (forall ((x Int) (y Int)) (=> (|a loop| x y) (Done (+ x y)))))\n\
        (assert (forall ((x Int)) (=> (and (Done x) (Unused x)) (Unused (+ x 1)))))\n\
        (assert (forall ((x Int)) (=> (and (Done x) (< x 5)) false)))\n(check-sat)\n";
    // The last but one clause would make it non-linear.
    let linear = steps.replace("(and (Done x) (Unused x))", "(Unused x)");
    std::fs::write(at.join("steps.smt2"), &linear).expect("written");
    let of = |name: &str| folder().join(name).display().to_string();
    for (file, engine, predicate) in [
        ("steps.smt2".to_owned(), "auto", "(define-fun |a loop| ((x0 Int)(x1 Int)) Bool"),
        (of("up_down.smt2"), "auto", "(define-fun |Loop| "),
        (of("bits.smt2"), "program", "(define-fun |Inv| ((x0 (_ BitVec 8)))"),
        // Induction over several steps has no such form, nor have several predicates in a body:
        // the queries of the check.
        (of("counter.smt2"), "kind", "(check-sat)"),
        (of("count_up_down.bpl"), "auto", "(check-sat)"),
    ] {
        let options = ["-p", "b0", "-e", engine, "--certificate", "c.smt2"];
        let (code, out) = pedra(&at, &[&["check", &file][..], &options].concat());
        assert_eq!(code, Some(0), "{out}");
        assert!(out.contains("encoding of integers trusted") != file.contains("bits"), "{out}");
        let written = std::fs::read_to_string(at.join("c.smt2")).expect("a certificate");
        assert!(written.contains(predicate), "{written}");
        let Some(output) = run("z3", &["c.smt2"], &at) else { continue };
        let answers = text(&output.stdout);
        assert!(answers.lines().count() >= 2 && answers.lines().all(|a| a == "unsat"), "{answers}");
    }
    let (_, out) = pedra(&at, &["check", &of("up_down.smt2")]);
    assert!(out.contains("(Loop x0 x1 x2)  (and (= (+ x1 x2) x0)"), "{out}");
    let (_, out) = pedra(&at, &["check", "steps.smt2"]);
    assert!(out.contains("(|a loop| x0 x1)  "), "{out}");
}

/// A certificate for one of several queries says which, and leaves the others out: one of them does
/// not hold, and of another the proof says nothing.
#[test]
fn certificates_of_several_queries() {
    let at = scratch("queries");
    let text = "(set-logic HORN)\n(declare-fun Up (Int) Bool)\n(declare-fun Down (Int) Bool)\n\
        (assert (forall ((x Int)) (=> (= x 0) (Up x))))\n\
        (assert (forall ((x Int)) (=> (Up x) (Up (+ x 1)))))\n\
        (assert (forall ((x Int)) (=> (= x 0) (Down x))))\n\
        (assert (forall ((x Int)) (=> (Down x) (Down (- x 1)))))\n\
        (assert (forall ((x Int)) (=> (and (Up x) (< x 0)) false)))\n\
        (assert (forall ((x Int)) (=> (and (Down x) (> x 0)) false)))\n\
        (assert (forall ((x Int)) (=> (and (Up x) (= x 2)) false)))\n(check-sat)\n";
    std::fs::write(at.join("q.smt2"), text).expect("written");
    let (code, out) = pedra(&at, &["check", "q.smt2", "--certificate", "c.smt2"]);
    assert_eq!(code, Some(1), "{out}");
    for (name, line) in [("c.b0.smt2", "line 8: "), ("c.b1.smt2", "line 9: ")] {
        let written = std::fs::read_to_string(at.join(name)).expect("a certificate");
        assert!(written.contains(line) && !written.contains("line 10: "), "{written}");
        let Some(output) = run("z3", &[name], &at) else { continue };
        let answers = count_unsat(&output.stdout);
        assert!(answers >= 5, "{written}");
    }
    // No integer is left in the blocks, but the proof is checked on the program.
    let folded = "(set-logic HORN)\n(declare-fun P (Int) Bool)\n\
        (assert (forall ((x Int)) (=> (= x (mod 7 2)) (P x))))\n\
        (assert (forall ((x Int)) (=> (and (P x) (< x x)) false)))\n(check-sat)\n";
    std::fs::write(at.join("folded.smt2"), folded).expect("written");
    let (code, out) = pedra(&at, &["check", "folded.smt2"]);
    assert_eq!(code, Some(0), "{out}");
    assert!(out.contains("encoding of integers trusted"), "{out}");
    std::fs::write(at.join("none.smt2"), "(set-logic HORN)\n(check-sat)\n").expect("written");
    let (code, out) = pedra(&at, &["check", "none.smt2"]);
    assert_eq!(code, Some(2), "{out}");
    assert!(out.starts_with("none.smt2: there is no query to decide"), "{out}");
}

/// How many answers there are; all must be `unsat`.
fn count_unsat(stdout: &[u8]) -> usize {
    let answers = text(stdout);
    assert!(answers.lines().all(|answer| answer == "unsat"), "{answers}");
    answers.lines().count()
}

/// Each script that `--queries` writes has its questions with our answers, and Z3 gives the same
/// where it is found.
#[test]
fn queries_are_recorded() {
    let at = scratch("recorded");
    let program = folder().join("up_down.smt2");
    let words = ["check", program.to_str().expect("a path"), "-e", "program", "--queries", "q"];
    let (code, said) = pedra(&at, &words);
    assert_eq!(code, Some(0), "{said}");
    let (mut questions, mut unsat) = (0, 0);
    for script in std::fs::read_dir(at.join("q")).expect("a folder") {
        let path = script.expect("a file").path();
        let script = std::fs::read_to_string(&path).expect("a script");
        let answer = |line| str::strip_prefix(line, "; ")?.split_once(' ');
        let ours: Vec<&str> =
            script.lines().filter_map(answer).map(|(answer, _seconds)| answer).collect();
        assert_eq!(ours.len(), script.matches("(check-sat-assuming").count());
        questions += ours.len();
        unsat += ours.iter().filter(|&&answer| answer == "unsat").count();
        if let Some(output) = run("z3", &[path.to_str().expect("a path")], &at) {
            let theirs = text(&output.stdout);
            assert_eq!(theirs.lines().collect::<Vec<_>>(), ours, "{}", path.display());
        }
    }
    assert!(questions > unsat && unsat > 0, "{unsat} of {questions}");
    let (code, said) = pedra(&at, &words);
    assert_eq!((code, said.contains("the folder is not empty")), (Some(2), true), "{said}");
    let model = folder().join("../lock.btor2");
    let (code, said) = pedra(&at, &["check", model.to_str().expect("a path"), "--queries", "q"]);
    assert_eq!((code, said.contains("--queries: only for programs")), (Some(2), true), "{said}");
}
