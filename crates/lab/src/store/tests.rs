//! Is what was kept there again, whatever happens to the file?

use std::fs;

use tempfile::TempDir;

use super::*;
use crate::run::{Counters, Identity, LaunchResult, Provenance, Record, RunOutcome, RunResult, Series};

fn place(folder: &TempDir) -> StoreLocation {
    StoreLocation::File(folder.path().join("deep/er/runs.sqlite"))
}

/// A record with a result of `cycles`.
fn record(identity: &str, scheme: &str, cycles: u64) -> Record {
    let counters: Counters =
        [("core_cycles".to_owned(), cycles as f64), ("derived.ipc".to_owned(), 0.1)].into_iter().collect();
    let launch = LaunchResult {
        kernel: "saxpy".into(),
        cycles,
        thread_instructions: 7,
        warp_instructions: 1,
        blocks_per_sm: 2,
        registers_per_thread: 16,
    };
    let series = Series { columns: [("cycle".to_owned(), vec![Some(500.0), None, Some(1000.5)])].into() };
    let result = RunResult { cycles, thread_instructions: 7, launches: vec![launch], counters, series };
    Record {
        seed: u64::MAX,
        overrides: vec!["l1.size_kib=48".into()],
        scheme_text: "name = \"none\"".into(),
        provenance: Provenance { model_version: 1, duration_s: 0.5, ..Provenance::default() },
        output: Some("8 kernels\n".into()),
        ..Record::example(identity, "spmv", scheme, result)
    }
}

#[test]
fn two_things_under_one_name_are_kept_apart() {
    let mut store = Store::open(&StoreLocation::Memory).unwrap();
    let mut add = |identity: &str, codec: &str, gpu: &str| {
        let scheme_text = format!("name = \"mine\"\ndescription = \"{identity}\"\ncodec = \"{codec}\"");
        let gpu_text = format!("name = \"{gpu}\"\nmhz = {}", identity.len());
        store
            .record(&Record { scheme_text, gpu_text, gpu: gpu.into(), ..record(identity, "mine", 1) })
            .unwrap();
        let run = store.get(&Identity::from(identity.to_owned())).unwrap().unwrap();
        (run.scheme, run.gpu)
    };
    let first = add("a", "bdi", "my-gpu");
    assert_eq!(first, ("mine".to_owned(), "my-gpu".to_owned()));
    assert_eq!(add("b", "bdi", "my-gpu"), first, "a description is not what a scheme says");
    let (scheme, gpu) = add("cc", "sc", "my-gpu");
    assert!(scheme.starts_with("mine~") && gpu.starts_with("my-gpu~"), "{scheme} {gpu}");
    assert_eq!(add("dd", "sc", "my-gpu"), (scheme, gpu), "the same thing again");
    let rows = store.query("SELECT scheme, count(*) FROM runs GROUP BY scheme").unwrap().rows;
    assert_eq!(rows.len(), 2);
}

#[test]
fn a_run_comes_back_as_it_went_in() {
    let folder = TempDir::new().unwrap();
    let run = record("abc1", "none", 1234);
    let failed = Record { outcome: RunOutcome::Failed("deadlock".into()), ..record("abd2", "none", 0) };
    let mut store = Store::open(&place(&folder)).unwrap();
    store.record(&run).unwrap();
    store.record(&failed).unwrap();
    drop(store);
    let store = Store::open_to_read(&place(&folder)).unwrap();
    assert_eq!(store.get(&run.identity).unwrap().unwrap(), run);
    assert_eq!(store.find("abd").unwrap(), failed);
    assert!(store.find("ab").unwrap_err().to_string().contains("give more digits"));
    assert!(store.find("xyz").unwrap_err().to_string().contains("has no run \"xyz\""));
    let only_failed = Filter { failed: Some(true), ..Filter::default() };
    assert_eq!(store.list(&only_failed).unwrap()[0].error.as_deref(), Some("deadlock"));
    assert_eq!(store.mean_duration_s("spmv", "tiny").unwrap(), Some(0.5));
}

#[test]
fn a_run_is_there_once() {
    let mut store = Store::open(&StoreLocation::Memory).unwrap();
    store.record(&record("a", "none", 1)).unwrap();
    store.record(&record("a", "none", 2)).unwrap();
    assert_eq!(store.count().unwrap(), 1);
    assert_eq!(store.find("a").unwrap().result().unwrap().counters.value("core_cycles"), Some(2.0));
}

#[test]
fn sql_has_a_geometric_mean() {
    let mut store = Store::open(&StoreLocation::Memory).unwrap();
    for (identity, cycles) in [("a", 2), ("b", 8)] {
        store.record(&record(identity, "none", cycles)).unwrap();
    }
    let grid = store
        .query("SELECT scheme, round(geomean(value), 9) AS mean FROM numbers WHERE name = 'core_cycles'")
        .unwrap();
    assert_eq!((grid.columns[1].as_str(), &grid.rows[0][1]), ("mean", &serde_json::json!(4)));
    let error = store.query("SELECT geomean(-1)").unwrap_err().to_string();
    assert!(error.contains("-1 is not positive"), "{error}");
    assert_eq!(store.query("SELECT geomean(NULL)").unwrap().rows[0][0], serde_json::Value::Null);
}

#[test]
fn a_store_of_the_first_version_is_brought_up_to_date_with_what_is_in_it() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("old.sqlite");
    let mut old = Connection::open(&path).unwrap();
    schema::migrate_to(&mut old, &Context(&StoreLocation::Memory), 1).unwrap();
    old.execute_batch(
        "INSERT INTO configurations VALUES ('g', 'name = \"gtx480\"'), ('s', 'name = \"none\"'), ('e', 'name = \"hbm2\"');
         INSERT INTO runs VALUES (1, 'a', 'spmv', 'tiny', -1, NULL, 'gtx480', 'none', 'hbm2', '[\"l1.size_kib=48\"]',
            'g', 's', 'e', 500, 1, '', '', 0, 0.5, 'deadlock', NULL, NULL, NULL)",
    )
    .unwrap();
    drop(old);
    let place = StoreLocation::File(path);
    let error = Store::open_to_read(&place).unwrap_err().to_string();
    assert!(error.contains("has version 1 of the tables"), "{error}");
    let store = Store::open(&place).unwrap();
    let data = "unknown".to_owned();
    let expected = Record {
        data,
        output: None,
        outcome: RunOutcome::Failed("deadlock".into()),
        ..record("a", "none", 5)
    };
    assert_eq!(store.find("a").unwrap(), expected);
    assert_eq!(store.tables(&Identity::from("p".to_owned()), "sc").unwrap(), None);
}

#[test]
fn what_is_not_ours_is_refused_and_left_as_it_is() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("other");
    let place = StoreLocation::File(path.clone());
    let refuse = |expected: &str| {
        let before = fs::read(&path).unwrap();
        let error = Store::open(&place).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
        assert!(error.contains("--store PATH"), "{error}");
        assert_eq!(fs::read(&path).unwrap(), before);
    };
    fs::write(&path, "a letter of more than sixteen bytes, and no database").unwrap();
    refuse("is not a SQLite database");
    fs::remove_file(&path).unwrap();
    Connection::open(&path).unwrap().execute_batch("CREATE TABLE birds (name)").unwrap();
    refuse("database of another program");
    fs::remove_file(&path).unwrap();
    drop(Store::open(&place).unwrap());
    Connection::open(&path)
        .unwrap()
        .execute_batch("UPDATE schema SET version = 99; PRAGMA wal_checkpoint")
        .unwrap();
    refuse("written by a newer shrinkwarp (version 99");
}

#[test]
fn a_damaged_store_says_so_and_is_left_as_it_is() {
    let folder = TempDir::new().unwrap();
    let place = place(&folder);
    let mut store = Store::open(&place).unwrap();
    for index in 0..40 {
        store.record(&record(&format!("run{index}"), "none", index)).unwrap();
    }
    drop(store);
    let StoreLocation::File(path) = &place else { unreachable!("a file") };
    let mut bytes = fs::read(path).unwrap();
    // The first page holds the schema; everything behind it is destroyed.
    bytes[4096..].fill(0x5a);
    fs::write(path, &bytes).unwrap();
    let error = Store::open(&place).and_then(|store| store.list(&Filter::default())).unwrap_err().to_string();
    assert!(error.contains("is damaged") && error.contains(".recover"), "{error}");
    assert_eq!(fs::read(path).unwrap()[4096..8192], bytes[4096..8192]);
}

#[test]
fn nothing_is_written_to_a_store_that_was_opened_to_read() {
    let folder = TempDir::new().unwrap();
    let place = place(&folder);
    assert!(Store::open_to_read(&place).unwrap_err().to_string().contains("has no runs yet"));
    drop(Store::open(&place).unwrap());
    let mut store = Store::open_to_read(&place).unwrap();
    let error = store.record(&record("a", "none", 1)).unwrap_err().to_string();
    assert!(error.contains("may not be written"), "{error}");
    assert!(store.query("DELETE FROM runs").is_err());
}

#[test]
fn a_store_that_may_not_be_written_can_be_read() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("what? 100%.sqlite");
    let place = StoreLocation::File(path.clone());
    let run = record("a", "none", 1);
    Store::open(&place).unwrap().record(&run).unwrap();
    // Readers cannot make the file that they share where its name leads nowhere, whatever rights they have.
    let beside = |end: &str| folder.path().join(format!("what? 100%.sqlite{end}"));
    std::os::unix::fs::symlink("no/where", beside("-shm")).unwrap();
    assert_eq!(Store::open_to_read(&place).unwrap().find("a").unwrap(), run);
    fs::write(beside("-wal"), "what another process has written").unwrap();
    let error = Store::open_to_read(&place).unwrap_err().to_string();
    assert!(error.contains("-wal has results that it lacks; copy both elsewhere"), "{error}");
}

#[test]
fn a_folder_and_an_empty_file_are_no_stores_to_read() {
    let folder = TempDir::new().unwrap();
    let place = StoreLocation::File(folder.path().to_owned());
    for error in [Store::open(&place).unwrap_err(), Store::open_to_read(&place).unwrap_err()] {
        assert!(error.to_string().contains("is a folder; name a file in it"), "{error}");
    }
    let empty = StoreLocation::File(folder.path().join("empty.sqlite"));
    fs::write(folder.path().join("empty.sqlite"), "").unwrap();
    let error = Store::open_to_read(&empty).unwrap_err().to_string();
    assert!(error.contains("has no runs yet"), "{error}");
}

#[test]
fn a_full_disk_loses_nothing_that_was_kept() {
    let folder = TempDir::new().unwrap();
    let mut store = Store::open(&place(&folder)).unwrap();
    store.record(&record("a", "none", 1)).unwrap();
    let pages: i64 = store.connection.query_row("PRAGMA page_count", [], |row| row.get(0)).unwrap();
    store.connection.query_row(&format!("PRAGMA max_page_count = {}", pages + 1), [], |_| Ok(())).unwrap();
    let mut large = record("b", "none", 2);
    if let RunOutcome::Done(result) = &mut large.outcome {
        result.series.columns.insert("large".into(), vec![Some(0.5); 50_000]);
    }
    let error = store.record(&large).unwrap_err().to_string();
    assert!(error.contains("no room left on the disk"), "{error}");
    assert_eq!(store.count().unwrap(), 1);
    assert_eq!(store.find("a").unwrap(), record("a", "none", 1));
}

#[test]
fn an_export_has_a_row_a_run_and_quotes_what_needs_it() {
    let mut strange = record("b", "none", 3);
    strange.overrides = vec!["description=\"a,b\"".into()];
    let failed = Record { outcome: RunOutcome::Failed("no".into()), ..record("c", "dsm", 0) };
    let grid = wide_grid(&[record("a", "none", 2), strange, failed]);
    let text = csv(&grid);
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 4);
    assert!(lines[0].ends_with("thread_instructions,core_cycles,derived.ipc"), "{}", lines[0]);
    assert!(lines[1].ends_with(",2,7,2,0.1"), "{}", lines[1]);
    assert!(lines[2].contains("\"description=\"\"a,b\"\"\""), "{}", lines[2]);
    assert!(lines[3].ends_with(",no,,,,"), "{}", lines[3]);
}

#[test]
fn a_data_frame_reads_types_and_nulls_from_parquet() {
    use ::parquet::file::reader::{FileReader, SerializedFileReader};
    use ::parquet::record::Field;

    let folder = TempDir::new().unwrap();
    let mut store = Store::open(&StoreLocation::Memory).unwrap();
    store.record(&record("a", "none", 1234)).unwrap();
    store
        .record(&Record { outcome: RunOutcome::Failed("deadlock".into()), ..record("b", "dsm", 0) })
        .unwrap();
    let path = folder.path().join("runs.parquet");
    fs::write(&path, parquet(&store.records(&Filter::default()).unwrap()).unwrap()).unwrap();

    let reader = SerializedFileReader::new(fs::File::open(&path).unwrap()).unwrap();
    let rows: Vec<_> = reader.get_row_iter(None).unwrap().map(Result::unwrap).collect();
    let cell = |row: usize, name: &str| {
        let found = rows[row].get_column_iter().find(|(column, _)| *column == name);
        found.map(|(_, field)| field.clone()).unwrap()
    };
    let text = |text: &str| Field::Str(text.to_owned());
    assert_eq!(rows.len(), 2);
    assert_eq!([cell(0, "identity"), cell(1, "identity")], [text("a"), text("b")]);
    assert_eq!([cell(0, "error"), cell(1, "error")], [Field::Null, text("deadlock")]);
    assert_eq!([cell(0, "cycles"), cell(1, "cycles")], [Field::Long(1234), Field::Null]);
    assert_eq!([cell(0, "derived.ipc"), cell(1, "derived.ipc")], [Field::Double(0.1), Field::Null]);
    assert_eq!(cell(1, "seed"), Field::ULong(u64::MAX));
    // Nothing was ever put into it, and still it is a column of texts.
    let schema = reader.metadata().file_metadata().schema_descr();
    let input = (0..schema.num_columns()).map(|index| schema.column(index)).find(|c| c.name() == "input");
    assert_eq!(input.unwrap().physical_type(), ::parquet::basic::Type::BYTE_ARRAY);
}

#[test]
fn no_run_gives_a_parquet_file_without_rows() {
    use ::parquet::file::reader::{FileReader, SerializedFileReader};

    let folder = TempDir::new().unwrap();
    let path = folder.path().join("runs.parquet");
    fs::write(&path, parquet(&[]).unwrap()).unwrap();
    let reader = SerializedFileReader::new(fs::File::open(&path).unwrap()).unwrap();
    assert_eq!(reader.metadata().file_metadata().num_rows(), 0);
}

#[test]
fn deleted_runs_leave_nothing_behind_and_others_stay() {
    let mut store = Store::open(&StoreLocation::Memory).unwrap();
    for run in [record("a", "none", 1), record("b", "dsm", 2), record("c", "dsm", 3)] {
        store.record(&run).unwrap();
    }
    let gone = ["b", "c", "not-there"].map(|name| Identity::from(name.to_owned()));
    assert_eq!((store.delete(&gone).unwrap(), store.count().unwrap()), (2, 1));
    let left =
        |table: &str| store.query(&format!("SELECT count(*) FROM {table}")).unwrap().rows[0][0].clone();
    assert_eq!([left("counters"), left("series"), left("configurations")], [2, 1, 3]);
}

#[test]
fn pruning_removes_the_runs_of_earlier_models() {
    let mut store = Store::open(&StoreLocation::Memory).unwrap();
    let current = Provenance { model_version: shrinkwarp_sim::MODEL_VERSION, ..Provenance::default() };
    store.record(&record("old", "none", 1)).unwrap();
    store.record(&Record { provenance: current, ..record("new", "none", 2) }).unwrap();
    assert_eq!(store.prune().unwrap(), 1);
    assert!(store.find("new").is_ok() && store.find("old").is_err());
}

#[test]
fn a_merged_store_has_the_runs_and_tables_of_both() {
    let (mut ours, mut theirs) =
        (Store::open(&StoreLocation::Memory).unwrap(), Store::open(&StoreLocation::Memory).unwrap());
    let failed =
        |name: &str| Record { outcome: RunOutcome::Failed("broken".into()), ..record(name, "none", 0) };
    ours.record(&record("both", "none", 1)).unwrap();
    ours.record(&failed("mended")).unwrap();
    theirs.record(&failed("both")).unwrap();
    theirs.record(&record("mended", "none", 2)).unwrap();
    theirs.record(&record("theirs", "none", 3)).unwrap();
    let profile = Identity::from("p".to_owned());
    theirs.keep_tables(&profile, &[("sc".to_owned(), vec![7])].into()).unwrap();
    assert_eq!((ours.merge(&theirs).unwrap(), ours.count().unwrap()), (2, 3));
    assert!(["both", "mended", "theirs"].iter().all(|name| ours.find(name).unwrap().error().is_none()));
    assert_eq!(ours.tables(&profile, "sc").unwrap(), Some(vec![7]));
}
