//! Our solver as a SAT solver in its own right: against CaDiCaL, on formulas of many shapes.

use pedra_model::aig::{Aig, AigBuilder};
use pedra_model::lit::{Lit, Var};
use pedra_solve::{Cadical, Cdcl, FrameEncoder, SatResult, SatSolver, gate};
use pedra_testkit::random::{Random, runs};

/// Solves with both; a model must satisfy the clauses, a core must be unsatisfiable.
fn compare(vars: usize, clauses: &[Vec<Lit>], questions: &[Vec<Lit>], note: &str) -> [u32; 2] {
    let mut ours = Cdcl::new();
    let mut reference = Cadical::default();
    let mut seen = [0; 2];
    for solver in [&mut ours as &mut dyn SatSolver, &mut reference] {
        solver.reserve_vars(Var::new(vars));
        clauses.iter().for_each(|clause| solver.add_clause(clause));
    }
    for assumptions in questions {
        let expected = reference.solve(assumptions);
        assert_eq!(ours.solve(assumptions), expected, "{note} under {assumptions:?}");
        if expected.is_sat() {
            let holds = |&lit: &Lit| ours.value(lit) == Some(true);
            assert!(clauses.iter().all(|clause| clause.iter().any(holds)), "{note}: no model");
            assert!(assumptions.iter().all(holds), "{note}: assumption lost");
        } else {
            let core = ours.core(assumptions);
            assert_eq!(reference.solve(&core), SatResult::Unsat, "{note}: {core:?} is no core");
            assert!(ours.core_lits().iter().all(|lit| core.contains(lit)), "{note}");
        }
        seen[expected.is_sat() as usize] += 1;
    }
    seen
}

fn random_lits(random: &mut Random, vars: usize, count: usize) -> Vec<Lit> {
    (0..count).map(|_| Lit::new(Var::new(1 + random.below(vars)), random.coin())).collect()
}

#[test]
fn random_3sat_near_the_threshold() {
    let mut seen = [0; 2];
    for seed in 0..runs(40) {
        let mut random = Random::new(seed);
        let vars = 20 + random.below(81);
        let count = vars * (380 + random.below(90)) / 100;
        let clauses: Vec<_> = (0..count).map(|_| random_lits(&mut random, vars, 3)).collect();
        let mut questions = vec![Vec::new()];
        questions.extend((0..6).map(|size| random_lits(&mut random, vars, size)));
        let now = compare(vars, &clauses, &questions, &format!("seed {seed}, {vars} variables"));
        seen = [seen[0] + now[0], seen[1] + now[1]];
    }
    assert!(seen[0] > 0 && seen[1] > 0, "both answers must occur: {seen:?}");
}

/// Each pigeon has a hole, no hole has two pigeons.
fn pigeonhole(pigeons: usize, holes: usize) -> (usize, Vec<Vec<Lit>>) {
    let sits = |pigeon: usize, hole: usize| Var::new(1 + pigeon * holes + hole).lit();
    let mut clauses: Vec<Vec<Lit>> =
        (0..pigeons).map(|pigeon| (0..holes).map(|hole| sits(pigeon, hole)).collect()).collect();
    for hole in 0..holes {
        for pigeon in 0..pigeons {
            clauses.extend((0..pigeon).map(|other| vec![!sits(pigeon, hole), !sits(other, hole)]));
        }
    }
    (pigeons * holes, clauses)
}

#[test]
fn pigeonholes() {
    for (pigeons, holes) in [(2, 1), (5, 4), (7, 6), (6, 6), (9, 10)] {
        let (vars, clauses) = pigeonhole(pigeons, holes);
        let some = vec![Var::new(1).lit(), !Var::new(vars).lit()];
        compare(vars, &clauses, &[vec![], some], &format!("{pigeons} pigeons, {holes} holes"));
    }
}

/// Parity constraints `a ⊕ b ⊕ c = parity` over random variables, several per variable.
#[test]
fn parities() {
    for seed in 0..runs(30) {
        let mut random = Random::new(seed);
        let vars = 12 + random.below(20);
        let mut clauses = Vec::new();
        for _ in 0..vars + random.below(4) {
            let lits = random_lits(&mut random, vars, 3);
            // An even number of negations does not change the parity.
            for bits in [0b000, 0b011, 0b101, 0b110] {
                clauses.push((0..3).map(|i| lits[i] ^ (bits >> i & 1 == 1)).collect::<Vec<_>>());
            }
        }
        let questions: Vec<_> = (0..4).map(|size| random_lits(&mut random, vars, size)).collect();
        compare(vars, &clauses, &questions, &format!("parity, seed {seed}"));
    }
}

/// A circuit whose first leaves are latches, with next functions and a bad output.
struct Machine {
    aig: Aig,
    latches: Vec<Lit>,
    next: Vec<Lit>,
    bad: Lit,
}

fn random_machine(random: &mut Random, latches: usize, inputs: usize, gates: usize) -> Machine {
    let mut builder = AigBuilder::new();
    let mut pool: Vec<Lit> = (0..latches + inputs).map(|_| builder.leaf().lit()).collect();
    for _ in 0..gates {
        let [a, b, c] = [0; 3].map(|_| pool[random.below(pool.len())] ^ random.coin());
        pool.push(match random.below(4) {
            0 => builder.xor(a, b),
            1 => builder.ite(a, b, c),
            _ => builder.and(a, b),
        });
    }
    let next = (0..latches).map(|_| pool[random.below(pool.len())] ^ random.coin()).collect();
    let last = pool[pool.len() - 1 - random.below(4)];
    let bad = builder.and(last, pool[random.below(pool.len())] ^ random.coin());
    Machine { aig: builder.into_aig(), latches: pool[..latches].to_vec(), next, bad }
}

/// Unrolls from the zero state; the bad literal of each step.
fn unroll(machine: &Machine, solver: &mut dyn SatSolver, steps: usize) -> Vec<Lit> {
    let mut state = vec![Lit::FALSE; machine.latches.len()];
    let mut bads = Vec::new();
    for _ in 0..steps {
        let mut frame = FrameEncoder::new();
        for (latch, &lit) in machine.latches.iter().zip(&state) {
            frame.set_leaf(latch.var(), lit);
        }
        bads.push(frame.encode(&machine.aig, solver, machine.bad));
        state = frame.encode_all(&machine.aig, solver, machine.next.iter().copied());
    }
    bads
}

#[test]
fn unrollings_with_and_without_definitions() {
    let mut seen = [0; 2];
    for seed in 0..runs(60) {
        let mut random = Random::new(seed);
        let (latches, inputs, gates) = (3 + random.below(8), random.below(6), random.below(90));
        let machine = random_machine(&mut random, latches, inputs, gates);
        let mut reference = Cadical::default();
        let mut plain = Cdcl::new();
        let mut defining = Cdcl::new();
        let bads = unroll(&machine, &mut reference, 8);
        assert_eq!(unroll(&machine, &mut plain, 8), bads);
        assert_eq!(unroll(&machine, &mut defining.definer(), 8), bads);
        for (step, &bad) in bads.iter().enumerate() {
            let expected = reference.solve(&[bad]);
            assert_eq!(plain.solve(&[bad]), expected, "seed {seed}, step {step}");
            assert_eq!(defining.solve(&[bad]), expected, "seed {seed}, step {step}, domain");
            if expected.is_sat() {
                assert_completable(&defining, &mut reference, &[bad]);
            } else {
                // What is unreachable is a lemma for later steps.
                for solver in [&mut reference as &mut dyn SatSolver, &mut plain, &mut defining] {
                    solver.add_clause(&[!bad]);
                }
            }
            seen[expected.is_sat() as usize] += 1;
        }
    }
    assert!(seen[0] > 0 && seen[1] > 0, "both answers must occur: {seen:?}");
}

/// The values of a model are consistent with the whole formula.
fn assert_completable(ours: &Cdcl, reference: &mut Cadical, assumptions: &[Lit]) {
    let vars = 1..ours.num_vars();
    let mut model: Vec<Lit> = vars
        .map(|index| Var::new(index).lit())
        .filter_map(|lit| ours.value(lit).map(|value| lit ^ !value))
        .collect();
    assert!(assumptions.iter().all(|&lit| ours.value(lit) == Some(true)));
    model.extend(assumptions);
    assert_eq!(reference.solve(&model), SatResult::Sat, "the model cannot be completed");
}

#[test]
fn a_query_touches_its_cone_only() {
    let mut random = Random::new(3);
    let machine = random_machine(&mut random, 30, 30, 5000);
    let mut solver = Cdcl::new();
    let mut frame = FrameEncoder::new();
    let roots = machine.aig.vars().map(Var::lit);
    let lits = frame.encode_all(&machine.aig, &mut solver.definer(), roots);
    let shallow = lits[70];
    let cone = {
        solver.pin_domain(&[shallow]);
        (1..solver.num_vars()).filter(|&index| solver.is_in_domain(Var::new(index))).count()
    };
    solver.unpin_domain();
    assert!((1..50).contains(&cone), "{cone}");
    let before = solver.stats();
    assert!(solver.solve(&[shallow]).is_sat());
    let used = solver.stats().propagations - before.propagations;
    assert!(used <= cone as u64 + solver.stats().conflicts * cone as u64, "{used} of {cone}");
    let assigned = lits.iter().filter(|&&lit| solver.value(lit).is_some()).count();
    assert!(assigned < 100, "{assigned} values");
    // A large domain is gone with its query.
    assert_ne!(solver.solve(&lits[lits.len() - 20..]), SatResult::Unknown);
    assert!(solver.solve(&[shallow]).is_sat());
    let assigned = lits.iter().filter(|&&lit| solver.value(lit).is_some()).count();
    assert!(assigned < 100, "{assigned} values");
}

/// `v = a ⊕ b` with `v` a lemma: `a` alone must bring `b` (here `b = a`) along.
#[test]
fn lemmas_constrain_through_definitions() {
    let mut solver = Cdcl::new();
    let a = solver.new_var().lit();
    let b = solver.new_var().lit();
    solver.add_definition(b.var(), &[&[!b, a], &[b, !a]]);
    let v = gate::xor(&mut solver.definer(), a, b);
    assert_eq!(solver.solve(&[a]), SatResult::Sat);
    assert_eq!((solver.value(a), solver.value(b)), (Some(true), None), "b is outside");
    let mut with_unit = solver.clone();
    with_unit.add_clause(&[v]);
    assert_eq!(with_unit.solve(&[a]), SatResult::Unsat);
    // The same through two clauses and a conflict.
    let z = solver.new_var().lit();
    solver.add_clause(&[v, z]);
    solver.add_clause(&[v, !z]);
    assert_eq!(solver.solve(&[a]), SatResult::Unsat);
}

#[test]
fn a_variable_can_be_used_before_it_is_defined() {
    let mut solver = Cdcl::new();
    let [a, b, c] = [0; 3].map(|_| solver.new_var().lit());
    solver.add_definition(b.var(), &[&[!b, a], &[b, !a]]);
    solver.add_clause(&[c]);
    assert_eq!(solver.solve(&[]), SatResult::Sat);
    assert_eq!(solver.value(a), None);
    let xor: [&[Lit]; 4] = [&[!c, a, b], &[!c, !a, !b], &[c, !a, b], &[c, a, !b]];
    // Now `c` constrains its fanin, with a pinned domain or without.
    let mut pinned = solver.clone();
    pinned.pin_domain(&[a]);
    for solver in [&mut solver, &mut pinned] {
        solver.add_definition(c.var(), &xor);
        assert_eq!(solver.solve(&[a]), SatResult::Unsat);
    }
}

#[test]
fn temporary_clauses_leave_nothing_behind() {
    let mut solver = Cdcl::new();
    let [a, b, c] = [0; 3].map(|_| solver.new_var().lit());
    solver.add_clause(&[a, b]);
    for _ in 0..3 {
        // Contradictory by themselves, so that the activation variable gets fixed.
        assert_eq!(solver.solve_with(&[c], &[&[a], &[!a]]), SatResult::Unsat);
        assert!(solver.core(&[c]).is_empty(), "the temporary clauses alone are to blame");
        assert_eq!(solver.solve_with(&[c], &[&[]]), SatResult::Unsat);
        assert!(!solver.is_failed(c));
        assert_eq!(solver.solve_with(&[!a], &[&[!b, !c]]), SatResult::Sat);
        assert_eq!(solver.value(c), Some(false));
        assert_eq!(solver.solve_with(&[!a, c], &[&[!b, !c]]), SatResult::Unsat);
        assert_eq!(solver.core(&[!a, c]), [!a, c]);
        assert_eq!(solver.solve(&[!a, c]), SatResult::Sat);
        assert_eq!(solver.solve_with(&[!a], &[&[Lit::TRUE], &[Lit::FALSE, c]]), SatResult::Sat);
        assert_eq!(solver.value(c), Some(true));
    }
    solver.add_clause(&[!c]);
    assert_eq!(solver.solve_with(&[], &[&[c]]), SatResult::Unsat, "false at level 0");
    assert_eq!(solver.solve(&[]), SatResult::Sat);
}

#[test]
fn shrinking_keeps_what_is_needed() {
    let mut solver = Cdcl::new();
    let [a, b, c, d] = [0; 4].map(|_| solver.new_var().lit());
    solver.add_clause(&[a, b, c]);
    solver.add_clause(&[d, a]);
    assert!(!solver.flip_to_none(a.var()), "there is no model");
    assert_eq!(solver.solve(&[a, b, d]), SatResult::Sat);
    assert!(!solver.flip_to_none(a.var()), "an assumption");
    assert!(solver.flip_to_none(c.var()));
    assert_eq!(solver.value(c), None);
    assert!(solver.flip_to_none(c.var()), "it has no value");
    assert_eq!(solver.solve_with(&[!c, d], &[&[a, b]]), SatResult::Sat);
    let gone = [a, b].map(|lit| solver.flip_to_none(lit.var()));
    assert!(!(gone[0] && gone[1]), "a ∨ b needs one of them");
    assert!([a, b].iter().any(|&lit| solver.value(lit) == Some(true)));
}

/// Clauses with many literals and stale blockers: each must keep a true literal.
#[test]
fn shrunk_models_satisfy_long_clauses() {
    for seed in 0..runs(60) {
        let mut random = Random::new(seed);
        let vars = 7 + random.below(6);
        let mut solver = Cdcl::new();
        solver.reserve_vars(Var::new(vars));
        let mut clauses: Vec<Vec<Lit>> = Vec::new();
        for _ in 0..100 {
            if clauses.len() < 3 * vars {
                let size = 4 + random.below(4);
                let clause = random_lits(&mut random, vars, size);
                solver.add_clause(&clause);
                // A tautology needs no literal.
                if !clause.iter().any(|&lit| clause.contains(&!lit)) {
                    clauses.push(clause);
                }
            }
            let size = random.below(5);
            let assumptions = random_lits(&mut random, vars, size);
            if !solver.solve(&assumptions).is_sat() {
                continue;
            }
            for _ in 0..2 * vars {
                solver.flip_to_none(Var::new(1 + random.below(vars)));
            }
            let holds = |&lit: &Lit| solver.value(lit) == Some(true);
            let lost = clauses.iter().find(|clause| !clause.iter().any(holds));
            assert_eq!(lost, None, "seed {seed}");
            assert!(assumptions.iter().all(holds), "seed {seed}");
        }
    }
}

#[test]
#[should_panic(expected = "does not define")]
fn a_definition_must_contain_its_variable() {
    let mut solver = Cdcl::new();
    let [a, b] = [0; 2].map(|_| solver.new_var().lit());
    solver.add_definition(a.var(), &[&[a, b]]);
}

#[cfg(debug_assertions)]
#[test]
#[should_panic(expected = "not total")]
fn a_definition_must_be_total() {
    let mut solver = Cdcl::new();
    let [a, b] = [0; 2].map(|_| solver.new_var().lit());
    solver.add_definition(b.var(), &[&[b, a], &[!b, a]]);
}
