use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize};

use super::*;

const MEMBERS: usize = 11;
const THREADS: [usize; 4] = [1, 2, 3, 8];

fn team(threads: usize) -> Team {
    Team::new(threads, MEMBERS).unwrap()
}

/// Steps all members, numbered from 0, through some cycles; each may write whenever it steps. The aside sees each cycle.
fn run(
    team: &mut Team,
    cycles: Range<u64>,
    step: impl Fn(Turn<'_>, u64, usize) -> bool + Sync,
    kind: AsideKind,
    aside: impl FnMut(u64) -> bool,
) -> Result<(), usize> {
    let (mut numbers, mut units): ([usize; MEMBERS], _) = (std::array::from_fn(|index| index), [(); MEMBERS]);
    let work = |share: &mut Share<'_, usize, ()>, before: &mut dyn FnMut(u64)| {
        for cycle in cycles.clone() {
            before(cycle);
            for nth in 0..share.len() {
                let Some(turn) = share.enter(cycle, nth, Moment::of(cycle, share.index(nth))) else { return };
                if !step(turn, cycle, *share.member(nth).0) {
                    return share.fail(cycle, nth);
                }
            }
            share.finish_cycle(cycle);
        }
    };
    let horizon = Horizon::new(cycles.end);
    team.run(cycles.clone(), &horizon, (&mut numbers[..], &mut units[..]), work, kind, aside)
}

#[test]
fn writes_come_cycle_by_cycle_in_the_order_of_the_list() {
    for threads in THREADS {
        let mut team = team(threads);
        for window in 0..300 {
            let cycles = 5 * window..5 * window + window % 5 + 1;
            let takes_part = |cycle: u64, number: usize| !(number as u64 + cycle).is_multiple_of(3);
            let order = Mutex::new(Vec::new());
            let step = |turn: Turn<'_>, cycle, number| {
                if takes_part(cycle, number) {
                    assert!(turn.take(Sharing::Writes));
                    order.lock().unwrap().push((cycle, number));
                }
                true
            };
            run(&mut team, cycles.clone(), step, AsideKind::Apart, |_| true).unwrap();
            let all = cycles.flat_map(|cycle| (0..MEMBERS).map(move |number| (cycle, number)));
            let expected: Vec<_> = all.filter(|&(cycle, number)| takes_part(cycle, number)).collect();
            assert_eq!(order.into_inner().unwrap(), expected, "{threads} threads");
        }
    }
}

/// What a member does in the test below: reads, writes, or announces that it will not write and reads.
fn act(turn: Turn<'_>, kind: u64, number: usize, shared: &AtomicUsize, seen: &AtomicUsize) {
    match kind % 4 {
        0 => {
            assert!(turn.take(Sharing::Writes));
            let before = shared.load(Relaxed);
            shared.store((before * 3 + number) % 1_000_003, Relaxed);
        }
        1 => turn.announce(Sharing::Nothing),
        kind => {
            if kind == 2 {
                turn.announce(Sharing::Reads);
            }
            assert!(turn.take(Sharing::Reads));
            seen.store((seen.load(Relaxed) * 5 + shared.load(Relaxed)) % 1_000_003, Relaxed);
        }
    }
}

#[test]
fn a_member_sees_what_was_written_before_its_moment_and_nothing_else() {
    for threads in THREADS {
        let (mut several, mut one) = (team(threads), team(1));
        for window in 0..300 {
            let outcome = |team: &mut Team, kind| {
                let shared = AtomicUsize::new(window as usize);
                let seen: [AtomicUsize; MEMBERS] = std::array::from_fn(|_| AtomicUsize::new(0));
                let mut beside = Vec::new();
                let cycles = 10 * window..10 * window + 6;
                let step = |turn: Turn<'_>, cycle, number: usize| {
                    act(turn, cycle * 5 + number as u64 * 7, number, &shared, &seen[number]);
                    true
                };
                let aside = |_| {
                    beside.push(shared.load(Relaxed));
                    true
                };
                run(team, cycles, step, kind, aside).unwrap();
                (shared.into_inner(), seen.map(AtomicUsize::into_inner), beside)
            };
            let alone = outcome(&mut one, AsideKind::Reads);
            assert_eq!(outcome(&mut several, AsideKind::Reads), alone, "{threads} threads, window {window}");
            let apart = outcome(&mut several, AsideKind::Apart);
            assert_eq!((apart.0, apart.1), (alone.0, alone.1), "{threads} threads, window {window}");
        }
    }
}

#[test]
fn a_cycle_of_the_aside_comes_when_all_members_have_done_those_before() {
    for threads in THREADS {
        let mut team = team(threads);
        for window in 0..200 {
            let steps = AtomicUsize::new(0);
            let mut seen = Vec::new();
            let start = 8 * window;
            let count = |_: Turn<'_>, _, _| steps.fetch_add(1, SeqCst) < usize::MAX;
            let aside = |cycle| {
                seen.push((cycle, steps.load(SeqCst) >= (cycle - start) as usize * MEMBERS));
                cycle < start + 4
            };
            run(&mut team, start..start + 7, count, AsideKind::Apart, aside).unwrap();
            let expected: Vec<_> = (start..start + 5).map(|cycle| (cycle, true)).collect();
            assert_eq!(seen, expected, "it ends itself in the fifth cycle");
        }
    }
}

#[test]
fn calm_threads_wait_for_no_one() {
    let mut team = team(2);
    // The first member goes on only when the last one has read in a later cycle.
    let has_read = AtomicBool::new(false);
    let (mut numbers, mut units): ([usize; MEMBERS], _) = (std::array::from_fn(|index| index), [(); MEMBERS]);
    let work = |share: &mut Share<'_, usize, ()>, _: &mut dyn FnMut(u64)| {
        share.stay_calm(Moment::start_of(4));
        for cycle in 0..4 {
            for nth in 0..share.len() {
                let turn = share.enter(cycle, nth, Moment::start_of(4)).unwrap();
                let number = *share.member(nth).0;
                // They are of different threads.
                if (cycle, number) == (0, 0) {
                    while !has_read.load(SeqCst) {
                        std::thread::yield_now();
                    }
                }
                assert!(turn.take(Sharing::Reads));
                has_read.fetch_or((cycle, number) == (3, 1), SeqCst);
            }
            share.finish_cycle(cycle);
        }
    };
    team.run(0..4, &Horizon::new(4), (&mut numbers[..], &mut units[..]), work, AsideKind::Apart, |_| true)
        .unwrap();
    assert!(has_read.into_inner());
}

#[test]
fn no_member_writes_behind_the_first_that_failed() {
    for threads in THREADS {
        let mut team = team(threads);
        for window in 0..300 {
            let shared = Mutex::new(Vec::new());
            let first = 3 * window;
            let step = |turn: Turn<'_>, cycle, number| {
                if (cycle, number) == (first + 2, 1) || !turn.take(Sharing::Writes) {
                    return false;
                }
                shared.lock().unwrap().push((cycle - first, number));
                (cycle, number) != (first + 1, 4)
            };
            let result = run(&mut team, first..first + 3, step, AsideKind::Apart, |_| true);
            assert_eq!(result, Err(4));
            let expected: Vec<_> =
                (0..MEMBERS).map(|number| (0, number)).chain((0..5).map(|number| (1, number))).collect();
            assert_eq!(shared.into_inner().unwrap(), expected);
        }
    }
}

#[test]
fn all_threads_can_wait_for_the_end_of_a_cycle() {
    for threads in THREADS {
        let mut team = team(threads);
        let steps = AtomicUsize::new(0);
        let (mut numbers, mut units) = ([0_usize; MEMBERS], [(); MEMBERS]);
        let work = |share: &mut Share<'_, usize, ()>, _: &mut dyn FnMut(u64)| {
            for cycle in 0..50 {
                steps.fetch_add(share.len(), SeqCst);
                share.finish_cycle(cycle);
                assert!(share.await_cycle(cycle));
                assert!(steps.load(SeqCst) >= (cycle as usize + 1) * MEMBERS);
            }
        };
        team.run(
            0..50,
            &Horizon::new(50),
            (&mut numbers[..], &mut units[..]),
            work,
            AsideKind::Apart,
            |_| true,
        )
        .unwrap();
    }
}

#[test]
fn a_panic_of_a_share_reaches_the_caller_and_the_team_stays_usable() {
    let mut team = team(3);
    let mut visit = |limit: usize| {
        let step = |turn: Turn<'_>, _, number| {
            assert!(number < limit, "too far");
            turn.take(Sharing::Writes)
        };
        run(&mut team, 0..3, step, AsideKind::Apart, |_| true)
    };
    let caught = catch_unwind(AssertUnwindSafe(|| visit(5)));
    assert!(caught.is_err());
    visit(MEMBERS).unwrap();
}

#[test]
fn every_member_steps_once_in_a_cycle_whoever_is_late() {
    // More threads than processors: some are late in every window.
    let mut team = team(9);
    for window in 0..300 {
        let visits: [AtomicUsize; MEMBERS] = std::array::from_fn(|_| AtomicUsize::new(0));
        let step = |_: Turn<'_>, _, number: usize| visits[number].fetch_add(1, SeqCst) < 2;
        run(&mut team, 2 * window..2 * window + 2, step, AsideKind::Apart, |_| true).unwrap();
        assert_eq!(visits.map(AtomicUsize::into_inner), [2; MEMBERS], "window {window}");
    }
}

#[test]
fn the_calling_thread_has_fewer_members_when_it_finishes_last() {
    let mut team = team(2);
    let own = |team: &Team| team.shares[1].len();
    assert_eq!(own(&team), MEMBERS / 2);
    (0..3 * WINDOWS_BEFORE_DEAL).for_each(|_| team.note_window(true));
    assert_eq!(own(&team), MEMBERS / 2 - 3);
    (0..9 * WINDOWS_BEFORE_DEAL).for_each(|_| team.note_window(false));
    assert_eq!(own(&team), MEMBERS.div_ceil(2));
}

#[test]
fn cycles_that_the_aside_opens_are_stepped_up_to_a_horizon_that_is_final() {
    for threads in THREADS {
        let mut team = team(threads);
        let (mut steps, mut units) = ([0; MEMBERS], [(); MEMBERS]);
        let horizon = Horizon::new(3);
        let work = |share: &mut Share<'_, u64, ()>, before: &mut dyn FnMut(u64)| {
            let mut cycle = 0;
            while let Some(until) = share.await_open(cycle, &horizon, before).filter(|&until| until > cycle) {
                for now in cycle..until {
                    before(now);
                    (0..share.len()).for_each(|nth| *share.member(nth).0 += 1);
                    share.finish_cycle(now);
                }
                cycle = until;
            }
        };
        let aside = |cycle| {
            if cycle == 40 {
                horizon.finish();
            }
            horizon.extend(cycle + 3);
            cycle < horizon.until()
        };
        team.run(0..50, &horizon, (&mut steps[..], &mut units[..]), work, AsideKind::Apart, aside).unwrap();
        // A worker that has not begun ends it sooner.
        assert!(horizon.is_final() && horizon.until() <= 42, "{threads} threads");
        assert_eq!(steps, [horizon.until(); MEMBERS], "{threads} threads");
    }
}
