//! Tests of the order in which work is given out.

use super::*;

fn left(property: usize, why: Why) -> Left {
    Left { property, why, safe: Some(property) }
}

fn drain(schedule: &mut Schedule) -> Vec<(u64, Piece)> {
    std::iter::from_fn(|| schedule.take_next()).collect()
}

#[test]
fn nothing_is_given_out_before_workers_are_known() {
    let mut schedule = Schedule::new(&[0, 1], 1, 1000);
    assert_eq!(schedule.take_next(), None);
    schedule.set_workers(1);
    assert!(schedule.take_next().is_some());
}

#[test]
fn groups_then_singles_then_a_race() {
    let all: Vec<usize> = (0..40).collect();
    let mut schedule = Schedule::new(&all, 3, 1000);
    schedule.set_workers(2);
    let mut first = drain(&mut schedule);
    // Two for each worker: all together, and three of eight groups of five.
    assert_eq!(first.len(), 4);
    let (together, piece) = first.remove(0);
    assert_eq!((piece.round, &piece.properties), (Round::Together, &all));
    // Nothing comes of it, and nothing is lost with it.
    schedule.not_done(together, &NotDone::GivenUp);
    first.extend(drain(&mut schedule));
    assert_eq!(first.len(), 4);
    assert!(first.iter().all(|(_, p)| p.round == Round::Groups && p.properties.len() == 5));
    for (id, piece) in first {
        // The first of each group stays open.
        schedule.settle(&piece.properties[1..]);
        schedule.done(id, &[left(piece.properties[0], Why::Stopped)]);
    }
    for (id, piece) in drain(&mut schedule) {
        assert_eq!(piece.round, Round::Groups);
        schedule.settle(&piece.properties);
        schedule.done(id, &[]);
    }
    let singles = drain(&mut schedule);
    let open: Vec<usize> = singles.iter().map(|(_, piece)| piece.properties[0]).collect();
    assert_eq!(open, [0, 5, 10, 15]);
    assert!(singles.iter().all(|(_, p)| p.round == Round::Singles && p.limit().is_some()));
    for (id, piece) in singles {
        schedule.done(id, &[left(piece.properties[0], Why::Stopped)]);
    }
    // As many as there are workers, the recipe that was asked for first.
    let race = drain(&mut schedule);
    let shown: Vec<(usize, usize)> =
        race.iter().map(|(_, p)| (p.recipe, p.properties[0])).collect();
    assert_eq!(shown, [(0, 0), (0, 5)]);
    assert!(race.iter().all(|(_, p)| p.limit().is_none()));
}

#[test]
fn few_properties_race_at_once() {
    let mut schedule = Schedule::new(&[7], 3, 1000);
    schedule.set_workers(2);
    let race = drain(&mut schedule);
    assert_eq!(race.iter().map(|(_, p)| p.recipe).collect::<Vec<_>>(), [0, 1]);
    schedule.done(race[1].0, &[left(7, Why::Exhausted(3))]);
    let more = drain(&mut schedule);
    assert_eq!(more[0].1.recipe, 2);
    schedule.done(more[0].0, &[left(7, Why::Unsupported)]);
    assert!(!schedule.is_over());
    schedule.done(race[0].0, &[left(7, Why::Stopped)]);
    assert!(schedule.is_over());
    assert_eq!(schedule.left(7), (Some(Why::Stopped), Some(7)));
}

/// What is settled by all together needs no other round.
#[test]
fn together_may_be_enough() {
    let mut schedule = Schedule::new(&[0, 1, 2], 2, 1000);
    schedule.set_workers(5);
    let given = drain(&mut schedule);
    assert_eq!(given[0].1.round, Round::Together);
    assert!(given[1..].iter().all(|(_, piece)| piece.round == Round::Race));
    schedule.settle(&[0, 2]);
    schedule.done(given[0].0, &[left(1, Why::Unsupported)]);
    assert!(!schedule.is_over());
    schedule.settle(&[1]);
    assert!(schedule.is_over() && schedule.running().next().is_none());
}

#[test]
fn claims_count_up_to_the_last_step() {
    let mut schedule = Schedule::new(&[0], 1, 500);
    schedule.set_workers(1);
    let (id, _) = schedule.take_next().expect("a piece");
    schedule.done(id, &[Left { safe: Some(usize::MAX), ..left(0, Why::Budget) }]);
    assert_eq!(schedule.left(0).1, Some(500));
}

/// A worker that lies about the reason does not end the search of the others.
#[test]
fn what_a_worker_says_does_not_end_it() {
    for why in [Why::Depth, Why::NotBits] {
        let mut schedule = Schedule::new(&[0], 3, 1000);
        schedule.set_workers(3);
        let (id, piece) = schedule.take_next().expect("a piece");
        let all: Vec<Left> = piece.properties.iter().map(|&p| left(p, why)).collect();
        schedule.done(id, &all);
        assert!(!schedule.is_over(), "{why:?}");
    }
}

#[test]
fn lost_work_is_tried_again_but_not_for_ever() {
    let mut schedule = Schedule::new(&[0], 1, 1000);
    schedule.set_workers(1);
    let mut given = 0;
    while let Some((id, _)) = schedule.take_next() {
        given += 1;
        // Twice for one piece: it counts once.
        schedule.not_done(id, &NotDone::GivenUp);
        schedule.not_done(id, &NotDone::GivenUp);
    }
    assert_eq!((given, schedule.is_over()), (ATTEMPTS, true));
    // A claim that comes after all still counts.
    schedule.settle(&[0]);
    assert_eq!(schedule.left(0), (None, None));
}

#[test]
fn refused_claims_are_tried_again() {
    let mut schedule = Schedule::new(&[0], 1, 1000);
    schedule.set_workers(1);
    for _ in 0..ATTEMPTS {
        let (id, _) = schedule.take_next().expect("another try");
        // Done, with nothing left, but nothing is settled either.
        schedule.done(id, &[]);
    }
    assert!(schedule.is_over());
}

/// Every property that is settled by nobody is given up in the end, whatever workers say.
#[test]
fn it_ends_whatever_workers_say() {
    let mut random = pedra_model::random::Random::new(7);
    for _ in 0..200 {
        let all: Vec<usize> = (0..random.between(1, 30)).collect();
        let mut schedule = Schedule::new(&all, random.between(1, 5), 1000);
        schedule.set_workers(random.between(0, 6));
        let mut given = 0;
        while !schedule.is_over() {
            given += 1;
            assert!(given < 100_000, "it does not end");
            let next = schedule.take_next();
            let running: Vec<(u64, Piece)> =
                schedule.running().map(|(id, piece)| (id, piece.clone())).collect();
            assert!(next.is_some() || !running.is_empty(), "nothing runs, but {schedule:?}");
            let Some((id, piece)) = running.get(random.below(running.len().max(1))) else {
                continue;
            };
            match random.below(4) {
                0 => schedule.not_done(*id, &NotDone::Refused(String::new())),
                1 => schedule.settle(&piece.properties[..1]),
                2 => schedule.done(*id, &[left(random.below(30), Why::Stopped)]),
                _ => {
                    let why = random.pick(&[Why::Stopped, Why::Memory, Why::Exhausted(1)]);
                    let all: Vec<Left> = piece.properties.iter().map(|&p| left(p, why)).collect();
                    schedule.done(*id, &all);
                }
            }
        }
    }
}
