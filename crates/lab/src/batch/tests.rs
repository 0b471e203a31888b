//! Is every run run once, and is none lost?

use std::sync::atomic::AtomicBool;

use shrinkwarp_workloads::Scale;

use super::*;
use crate::run::RunSpec;
use crate::store::{Filter, Store, StoreLocation};

fn run(workload: &str, changes: &[&str]) -> Run {
    let overrides = changes.iter().map(ToString::to_string).collect();
    RunSpec { overrides, ..RunSpec::new(workload, Scale::Tiny) }.resolve().unwrap()
}

fn run_batch(store: &mut Store, runs: &[Run], options: &Options<'_>) -> Tally {
    run_all(store, runs, options, &mut |_, _| {}).unwrap()
}

#[test]
fn runs_are_run_once_and_then_known() {
    let mut store = Store::open(&StoreLocation::Memory).unwrap();
    let runs =
        [run("transpose", &[]), run("transpose", &["l1.size_kib=16"]), run("transpose", &["l1.size_kib=32"])];
    let first = run_batch(&mut store, &runs, &Options::default());
    assert_eq!(first, Tally { runs: 2, done: 2, ..Tally::default() });
    let second = run_batch(&mut store, &runs, &Options::default());
    assert_eq!(second, Tally { runs: 2, known: 2, ..Tally::default() });
    let fresh = run_batch(&mut store, &runs, &Options { is_fresh: true, ..Options::default() });
    assert_eq!((fresh.done, store.count().unwrap()), (2, 2));
}

#[test]
fn a_run_that_asks_for_samples_is_not_answered_by_one_without() {
    let mut store = Store::open(&StoreLocation::Memory).unwrap();
    let plain = run("transpose", &[]);
    let sampled = Run { sample_cycles: Some(200), ..plain.clone() };
    run_batch(&mut store, std::slice::from_ref(&plain), &Options::default());
    assert_eq!(run_batch(&mut store, &[sampled], &Options::default()).done, 1);
    assert_eq!(run_batch(&mut store, &[plain], &Options::default()).known, 1);
    let record = &store.records(&Filter::default()).unwrap()[0];
    assert!(record.result().unwrap().series.len() > 3);
}

#[test]
fn of_runs_that_differ_in_their_samples_the_one_with_samples_is_run() {
    let plain = run("transpose", &[]);
    let sampled = Run { sample_cycles: Some(200), ..plain.clone() };
    for runs in [[plain.clone(), sampled.clone()], [sampled, plain]] {
        let mut store = Store::open(&StoreLocation::Memory).unwrap();
        let tally = run_batch(&mut store, &runs, &Options::default());
        assert_eq!(tally, Tally { runs: 1, done: 1, ..Tally::default() });
        assert!(store.records(&Filter::default()).unwrap()[0].result().unwrap().series.len() > 3);
    }
}

#[test]
fn a_run_that_fails_is_kept_with_its_error_and_the_others_go_on() {
    let mut store = Store::open(&StoreLocation::Memory).unwrap();
    // A block of this workload has more threads than such an SM.
    let runs = [run("transpose", &["sm.threads=32"]), run("transpose", &[])];
    let tally = run_batch(&mut store, &runs, &Options::default());
    assert_eq!(tally, Tally { runs: 2, done: 1, failed: 1, ..Tally::default() });
    let failed = store.list(&Filter { failed: Some(true), ..Filter::default() }).unwrap();
    assert!(failed[0].error.as_ref().unwrap().contains("threads"), "{:?}", failed[0].error);
    assert_eq!(run_batch(&mut store, &runs, &Options::default()).known, 2);
    let retried = run_batch(&mut store, &runs, &Options { retries_failed: true, ..Options::default() });
    assert_eq!((retried.known, retried.failed), (1, 1));
}

#[test]
fn an_interrupted_batch_keeps_nothing_that_is_not_whole() {
    let mut store = Store::open(&StoreLocation::Memory).unwrap();
    let interrupt = AtomicBool::new(true);
    let options = Options { interrupt: Some(&interrupt), ..Options::default() };
    let tally = run_batch(&mut store, &[run("transpose", &[])], &options);
    assert_eq!((tally.interrupted, store.count().unwrap()), (1, 0));
}

#[test]
fn more_threads_give_the_same_results() {
    let runs: Vec<Run> = ["transpose", "histogram", "scan"].map(|name| run(name, &[])).into();
    let results = |threads: usize| {
        let mut store = Store::open(&StoreLocation::Memory).unwrap();
        run_batch(&mut store, &runs, &Options { threads, ..Options::default() });
        let of = |run: &Run| store.get(&run.identity().unwrap()).unwrap().unwrap().outcome;
        runs.iter().map(of).collect::<Vec<_>>()
    };
    assert_eq!(results(1), results(3));
}

#[test]
fn tables_of_trained_codecs_are_made_once_and_kept() {
    let mut store = Store::open(&StoreLocation::Memory).unwrap();
    let trained = run("histogram", &["scheme.packets.codec=e2mc16"]);
    let tally = run_batch(&mut store, std::slice::from_ref(&trained), &Options::default());
    assert_eq!(tally.done, 1, "{:?}", store.list(&Filter::default()));
    let profile = crate::run::Identity::of_profile(&trained).unwrap();
    let tables = store.tables(&profile, "e2mc16").unwrap().unwrap();
    let maker = TableMaker::default();
    maker.preload(&trained, &store).unwrap();
    let (known, new) = maker.tables_for(&trained).unwrap();
    assert!(new.is_none());
    assert_eq!(known["e2mc16"], tables);
}

#[test]
fn batches_on_one_store_divide_the_runs() {
    let folder = tempfile::TempDir::new().unwrap();
    let place = StoreLocation::File(folder.path().join("runs.sqlite"));
    drop(Store::open(&place).unwrap());
    let sizes = ["16", "32", "48", "64", "96", "128"];
    let runs: Vec<Run> =
        sizes.iter().map(|size| run("transpose", &[&format!("l1.size_kib={size}")])).collect();
    let batch = || {
        let mut store = Store::open(&place).unwrap();
        run_batch(&mut store, &runs, &Options { threads: 1, ..Options::default() })
    };
    let tallies: Vec<Tally> = std::thread::scope(|scope| {
        let batches: Vec<_> = (0..2).map(|_| scope.spawn(batch)).collect();
        batches.into_iter().map(|batch| batch.join().unwrap()).collect()
    });
    assert_eq!(tallies.iter().map(|tally| tally.done).sum::<usize>(), sizes.len(), "{tallies:?}");
    for tally in tallies {
        assert_eq!(tally.known + tally.done + tally.shared, sizes.len(), "{tally:?}");
    }
    assert_eq!(Store::open(&place).unwrap().count().unwrap() as usize, sizes.len());
}

#[test]
fn a_run_of_a_process_that_was_killed_is_run_by_another() {
    let folder = tempfile::TempDir::new().unwrap();
    let place = StoreLocation::File(folder.path().join("runs.sqlite"));
    let mut killed = Store::open(&place).unwrap();
    let wanted = run("transpose", &[]);
    assert!(killed.claim(&wanted.identity().unwrap()).unwrap());
    let mut store = Store::open(&place).unwrap();
    std::thread::scope(|scope| {
        let batch = scope.spawn(|| run_batch(&mut store, &[wanted], &Options::default()));
        std::thread::sleep(std::time::Duration::from_millis(700));
        assert!(!batch.is_finished(), "the run belongs to another store");
        killed.release_claims().unwrap();
        assert_eq!(batch.join().unwrap().done, 1);
    });
}
