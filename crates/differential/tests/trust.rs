//! What an answer rests on, seen in runs: which solver an engine works with, and whether words
//! become bits.

use pedra_check::{Checked, EngineName, InternalError, Observer, Open, Plan, Prepared, SafeUpTo};
use pedra_engines::Event;
use pedra_formats::btor2;
use pedra_model::Model;
use pedra_solve::{Interrupt, SolverKind};
use std::sync::Mutex;

/// What happened in a run.
#[derive(Default)]
struct Run {
    /// Queries and conflicts of each engine that ended.
    work: Mutex<Vec<(u64, u64)>>,
    was_prepared: Mutex<bool>,
    settled: Mutex<usize>,
}

impl Observer for Run {
    type Error = InternalError;

    fn hear(&self, _: usize, _: &'static str, event: &Event) {
        if let Event::Finished { progress, .. } = event {
            let work = (progress.queries, progress.conflicts);
            self.work.lock().expect("no panic while held").push(work);
        }
    }

    fn prepared(&self, _: &Prepared<'_>) {
        *self.was_prepared.lock().expect("no panic while held") = true;
    }

    fn settled(&self, _: usize, _: &'static str, _: &Checked) -> Result<(), InternalError> {
        *self.settled.lock().expect("no panic while held") += 1;
        Ok(())
    }

    fn open(&self, _: usize, _: Open, _: Option<SafeUpTo>) {}
}

fn run(text: &str, plan: &Plan) -> Run {
    let model = Model::Words(btor2::read(text.as_bytes()).expect("a model"));
    let run = Run::default();
    pedra_check::decide(&model, &[0], plan, &Interrupt::new(), &run).expect("checked answers");
    run
}

/// `x` is multiplied by `y` and moved by an input, `y` is a square modulo 3: never above 2.
const SQUARES: &str = "
    1 sort bitvec 6
    2 sort bitvec 1
    3 one 1
    4 state 1 x
    5 state 1 y
    6 init 1 4 3
    7 init 1 5 3
    8 input 1 in
    9 mul 1 4 5
    10 add 1 9 8
    11 next 1 4 10
    12 constd 1 3
    13 mul 1 4 4
    14 urem 1 13 12
    15 next 1 5 14
    16 constd 1 2
    17 ugt 2 5 16
    18 bad 17
";

/// The makes of solvers behave differently, so a run shows which of them an engine works with: one
/// that is not told which to take does what it does with that one. Its answers must be checked by
/// others.
#[test]
fn no_check_is_by_the_solver_that_the_engine_works_with() {
    use EngineName::{Avy, Bmc, Fbpdr, Pdr, Rpdr};
    let makes = [SolverKind::Cadical, SolverKind::Batsat, SolverKind::Cdcl];
    for engine in [Bmc, Pdr, Rpdr, Fbpdr, Avy] {
        let plan = |solver| Plan { engine, solver, depth: Some(5), ..Plan::default() };
        let work = |solver| run(SQUARES, &plan(solver)).work.into_inner().expect("no panic");
        let unasked = work(None);
        let same: Vec<SolverKind> =
            makes.into_iter().filter(|&make| work(Some(make)) == unasked).collect();
        let [used] = same[..] else { panic!("{engine:?} may work with each of {same:?}") };
        let checks = plan(None).check_options(engine.text(), &Interrupt::new());
        assert_ne!(checks.solver, used, "{engine:?}");
        assert_ne!(checks.fallback, Some(used), "{engine:?}");
    }
}

/// A counter that stays below what the property asks about.
const COUNTER: &str = "
    1 sort bitvec 32
    2 sort bitvec 1
    3 zero 1
    4 state 1 x
    5 init 1 4 3
    6 constd 1 10
    7 ult 2 4 6
    8 inc 1 4
    9 ite 1 7 8 3
    10 next 1 4 9
    11 constd 1 1000
    12 ugt 2 4 11
    13 bad 12
";

/// Word-level PDR begins without the bits of the model; engines on bits have them made first.
#[test]
fn engines_on_words_wait_for_no_bits() {
    for (engine, has_bits) in [(EngineName::Wpdr, false), (EngineName::Pdr, true)] {
        let run = run(COUNTER, &Plan { engine, ..Plan::default() });
        assert_eq!(run.settled.into_inner().expect("no panic"), 1, "{engine:?}");
        assert_eq!(run.was_prepared.into_inner().expect("no panic"), has_bits, "{engine:?}");
    }
}
