//! Are a sweep's runs those that its file asks for, and are results the same however it is divided?

use std::fs;

use tempfile::TempDir;

use super::*;
use crate::batch::{CachedState, Options, Sink, run_all};
use crate::run::Run;
use crate::store::{Store, StoreLocation};

const SWEEP: &str = r#"
[run]
scale = "tiny"

[axes]
workload = ["transpose", "histogram"]
scheme = ["none", "dsm"]
"l1.size_kib" = [16, 32]

[[skip]]
workload = "histogram"
"l1.size_kib" = 32
"#;

fn runs(text: &str) -> Vec<Run> {
    expand(&SweepFile::parse(text).unwrap()).unwrap()
}

fn error(text: &str) -> String {
    match SweepFile::parse(text) {
        Ok(sweep) => expand(&sweep).unwrap_err().to_string(),
        Err(message) => message,
    }
}

#[test]
fn every_combination_is_run_but_those_skipped() {
    let runs = runs(SWEEP);
    let described: Vec<String> = runs
        .iter()
        .map(|run| format!("{} {} {}", run.subject.name(), run.gpu.l1.size_kib, run.scheme.name))
        .collect();
    let expected = [
        "transpose 16 none",
        "transpose 16 dsm",
        "transpose 32 none",
        "transpose 32 dsm",
        "histogram 16 none",
        "histogram 16 dsm",
    ];
    assert_eq!(described, expected);
}

#[test]
fn only_what_is_kept_is_run() {
    let kept = runs(&format!("{SWEEP}\n[[keep]]\nscheme = [\"dsm\"]\n"));
    assert!(kept.len() == 3 && kept.iter().all(|run| run.scheme.name == "dsm"));
}

#[test]
fn mistakes_are_found_before_anything_runs() {
    let axes = |line: &str| format!("[run]\nscale = \"tiny\"\n[axes]\nworkload = \"transpose\"\n{line}\n");
    for (text, expected) in [
        (axes("sceme = [\"none\"]"), "did you mean \"scheme\"?"),
        (axes("scheme = [\"dms\"]"), "unknown scheme \"dms\"; did you mean \"dsm\"?"),
        (axes("scheme = [\"dms\"]"), "in the combination workload = transpose, scheme = dms"),
        (axes("l1.size_kib = [16]"), "write its keys in quotes"),
        (axes("[[skip]]\nworkload = \"transpose\""), "leave none of the combinations (1) to run"),
        (String::new(), "has no workload"),
        (axes("\"l1.size_kb\" = [16]"), "size_kib"),
        (axes("seed = [-1]"), "seed -1"),
        (axes("seed = []"), "seed has no values"),
        (axes("[[skip]]\nsede = 1"), "sede is not an axis"),
        (axes("[runs]\nx = 1"), "did you mean \"run\"?"),
        ("[axes]\nseed = [1]".to_owned(), "has no workload"),
        (axes("").replace("transpose", "transpos"), "did you mean \"transpose\"?"),
        (axes("").replace("tiny", "tny"), "did you mean \"tiny\"?"),
    ] {
        let message = error(&text);
        assert!(message.contains(expected), "{text}\n{message}");
    }
}

#[test]
fn shards_are_the_whole_without_overlap() {
    let all: Vec<usize> = (0..17).collect();
    let parts: Vec<usize> = (1..=5).flat_map(|index| Shard { index, count: 5 }.of(&all).to_vec()).collect();
    assert_eq!(parts, all);
    assert!(
        "0/3".parse::<Shard>().is_err() && "4/3".parse::<Shard>().is_err() && "1".parse::<Shard>().is_err()
    );
}

#[test]
fn shards_that_are_collected_give_what_one_process_gives() {
    let (folder, runs) = (TempDir::new().unwrap(), runs(SWEEP));
    let mut whole = Store::open(&StoreLocation::Memory).unwrap();
    run_all(&mut whole, &runs, &Options::default(), &mut |_, _| {}).unwrap();
    for index in 1..=2 {
        let shard = Shard { index, count: 2 };
        let mut file = ResultsFile::open(&folder.path().join(shard.file_name())).unwrap();
        run_all(&mut file, shard.of(&runs), &Options::default(), &mut |_, _| {}).unwrap();
    }
    let mut collected = Store::open(&StoreLocation::Memory).unwrap();
    assert_eq!(collect(folder.path(), &mut collected).unwrap().new, runs.len());
    assert_eq!(collect(folder.path(), &mut collected).unwrap().new, 0, "collecting again changes nothing");
    for run in &runs {
        let outcome = |store: &Store| store.get(&run.identity().unwrap()).unwrap().unwrap().outcome;
        assert_eq!(outcome(&whole), outcome(&collected));
    }
}

#[test]
fn half_a_line_is_taken_away_and_its_run_is_run_again() {
    let (folder, runs) = (TempDir::new().unwrap(), runs(SWEEP));
    let path = folder.path().join("shard-1-of-1.jsonl");
    let two = &runs[..2];
    run_all(&mut ResultsFile::open(&path).unwrap(), two, &Options::default(), &mut |_, _| {}).unwrap();
    let text = fs::read(&path).unwrap();
    fs::write(&path, &text[..text.len() - 10]).unwrap();
    let mut file = ResultsFile::open(&path).unwrap();
    let tally = run_all(&mut file, two, &Options::default(), &mut |_, _| {}).unwrap();
    assert_eq!((tally.known, tally.done), (1, 1));
    let again = ResultsFile::open(&path).unwrap();
    assert!(two.iter().all(|run| again.known(&run.identity().unwrap(), None).unwrap() == CachedState::Done));
}

#[test]
fn what_is_left_is_what_the_list_says() {
    let (folder, runs) = (TempDir::new().unwrap(), runs(SWEEP));
    let todo = Todo::in_folder(folder.path());
    assert_eq!(todo.choose(runs.clone()).unwrap().len(), 6, "without a list everything is left");
    todo.write(&[&runs[1], &runs[4]]).unwrap();
    let chosen = todo.choose(runs.clone()).unwrap();
    let identity = |run: &Run| run.identity().unwrap();
    assert_eq!(chosen.iter().map(identity).collect::<Vec<_>>(), [identity(&runs[1]), identity(&runs[4])]);
    assert!(todo.choose(runs[2..].to_vec()).unwrap_err().to_string().contains("does not have"));
}

#[test]
fn an_estimate_follows_from_what_earlier_runs_took() {
    let runs = runs(SWEEP);
    let mut store = Store::open(&StoreLocation::Memory).unwrap();
    let pending: Vec<&Run> = runs.iter().collect();
    assert_eq!(estimate(&store, &pending).unwrap(), None);
    run_all(&mut store, &runs[..1], &Options::default(), &mut |_, _| {}).unwrap();
    let seconds = store.mean_duration_s("transpose", "tiny").unwrap().unwrap();
    let found = estimate(&store, &pending).unwrap().unwrap();
    assert_eq!(found.guessed, 2, "histogram never ran");
    assert!((found.core_seconds - 6.0 * seconds).abs() < 1e-9);
}

#[test]
fn a_line_that_is_no_result_costs_no_other() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("part.jsonl");
    let mut results = ResultsFile::open(&path).unwrap();
    let runs = runs("[run]\nscale = \"tiny\"\n[axes]\nworkload = \"transpose\"\nseed = [1, 2]\n");
    run_all(&mut results, &runs, &Options::default(), &mut |_, _| {}).unwrap();
    let good = fs::read_to_string(&path).unwrap();
    let (first, second) = good.split_once('\n').unwrap();
    fs::write(&path, format!("{first}\n{{\"run\": 7}}\n{second}half a li")).unwrap();
    let mut store = Store::open(&StoreLocation::Memory).unwrap();
    let collected = collect(folder.path(), &mut store).unwrap();
    assert_eq!((collected.new, store.count().unwrap()), (2, 2));
    assert_eq!(collected.unreadable, [format!("{}:2", path.display())]);
}
