//! Does every page show what the store holds, and only that?

use shrinkwarp_sim::config::scheme::load_scheme;

use super::*;
use crate::run::{Counters, LaunchResult, RunOutcome, RunResult, Series, configuration_text};
use crate::store::StoreLocation;

fn record(identity: &str, scheme: &str, cycles: u64) -> Record {
    let numbers =
        [("core_cycles", cycles as f64), ("derived.dram_bytes", 2e6), ("energy.parts.dram_j", 0.25)];
    let counters: Counters = numbers.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
    let launch = LaunchResult {
        kernel: "bfs_expand".into(),
        cycles,
        thread_instructions: 800,
        warp_instructions: 25,
        blocks_per_sm: 1,
        registers_per_thread: 16,
    };
    let columns = [("cycles", vec![500.0, 500.0]), ("thread_instructions", vec![300.0, 500.0])];
    let known = |values: Vec<f64>| values.into_iter().map(Some).collect();
    let series = Series { columns: columns.map(|(name, values)| (name.to_owned(), known(values))).into() };
    let result = RunResult { cycles, thread_instructions: 800, launches: vec![launch], counters, series };
    Record { gpu_text: "sms = 15".into(), ..Record::example(identity, "bfs", scheme, result) }
}

fn store() -> Result<Store, LabError> {
    let mut store = Store::open(&StoreLocation::Memory)?;
    store.record(&record("aaa1", "none", 1000))?;
    store.record(&record("bbb2", "<dsm>", 800))?;
    store.record(&Record { outcome: RunOutcome::Failed("it hangs".into()), ..record("ccc3", "latte", 0) })?;
    Ok(store)
}

#[test]
fn the_list_has_all_runs_their_speedups_and_why_one_failed() -> Result<(), LabError> {
    let response = respond(&store()?, "/");
    assert_eq!(response.status, 200);
    for text in ["3 of 3 runs", "bfs, &lt;dsm&gt;: 1.25×", "failed: it hangs", "href=\"/run/aaa1\""] {
        assert!(response.body.contains(text), "{text}");
    }
    assert!(!response.body.contains("<dsm>"));
    Ok(())
}

#[test]
fn a_filter_leaves_what_it_names_and_stays_chosen() -> Result<(), LabError> {
    let body = respond(&store()?, "/?scheme=%3Cdsm%3E&workload=").body;
    assert!(body.contains("1 of 3 runs") && body.contains("<option selected>&lt;dsm&gt;</option>"), "{body}");
    assert!(body.contains("value=\"bbb2\"") && !body.contains("value=\"aaa1\""));
    Ok(())
}

#[test]
fn a_run_has_its_timeline_launches_energy_and_settings() -> Result<(), LabError> {
    let body = respond(&store()?, "/run/aaa").body;
    for text in ["bfs tiny, gtx480, none", "Instructions", "1 bfs_expand, cycles: 1000", "250 mJ", "sms = 15"]
    {
        assert!(body.contains(text), "{text}");
    }
    assert!(respond(&store()?, "/run/ccc3").body.contains("It failed: it hangs"));
    Ok(())
}

/// A run of LATTE-CC whose cache was in no mode for a phase of 100 cycles, and in that of SC for two of 150 and 50.
fn adaptive(identity: &str) -> Result<Record, LabError> {
    let mut adaptive = record(identity, "latte", 1000);
    adaptive.scheme_text = configuration_text(&load_scheme("latte", &[])?)?;
    let known = |values: [f64; 3]| values.map(Some).to_vec();
    let columns = [
        ("l1.cycle", known([100.0, 250.0, 300.0])),
        ("l1.cycles", known([100.0, 150.0, 50.0])),
        ("l1.mode", known([0.0, 2.0, 2.0])),
        ("l1.is_learning", known([1.0, 0.0, 0.0])),
        ("l1.tolerance_cycles", known([3.0, 14.5, 12.0])),
        ("l1.miss_cycles", known([400.0, 410.0, 390.0])),
        ("l1.amat_cycles.0", vec![None, Some(80.0), Some(75.0)]),
        ("l1.amat_cycles.2", vec![None, Some(42.5), Some(41.0)]),
        ("l1.effective_capacity", known([0.9, 1.75, 2.0])),
    ];
    if let RunOutcome::Done(result) = &mut adaptive.outcome {
        result.series.columns.extend(columns.map(|(name, values)| (name.to_owned(), values)));
    }
    Ok(adaptive)
}

#[test]
fn a_run_with_an_adaptive_cache_shows_what_it_decided_and_by_what() -> Result<(), LabError> {
    let mut store = store()?;
    store.record(&adaptive("ddd4")?)?;
    let body = respond(&store, "/run/ddd4").body;
    for text in [
        "<title>mode, 0 to 100 core cycles: none</title>",
        "<title>mode, 100 to 300 core cycles: sc</title>",
        "<title>learning, 0 to 100 core cycles: tries all modes</title>",
        "Average memory access time by mode",
        "<tr><td class=\"n\">250<td class=\"n\">80<td class=\"n\">42.5",
        "latency tolerance (core cycles)",
        "<tr><td class=\"n\">250<td class=\"n\">1.75×",
    ] {
        assert!(body.contains(text), "{text}");
    }
    assert!(
        !respond(&store, "/run/aaa1").body.contains("Decisions of the L1"),
        "a plain cache decides nothing"
    );
    Ok(())
}

#[test]
fn decisions_of_two_runs_stand_below_each_other() -> Result<(), LabError> {
    let mut store = store()?;
    store.record(&adaptive("ddd4")?)?;
    store.record(&adaptive("eee5")?)?;
    let body = respond(&store, "/compare?run=ddd4&run=eee5").body;
    for text in ["A: mode, 100 to 300 core cycles: sc", "B: mode, 100 to 300 core cycles: sc", "B: none"] {
        assert!(body.contains(text), "{text}");
    }
    Ok(())
}

#[test]
fn an_adaptive_cache_that_saw_too_little_says_so() -> Result<(), LabError> {
    let mut short = adaptive("ddd4")?;
    if let RunOutcome::Done(result) = &mut short.outcome {
        result.series.columns.retain(|name, _| !name.starts_with("l1."));
    }
    let mut store = store()?;
    store.record(&short)?;
    assert!(respond(&store, "/run/ddd4").body.contains("not one experimental phase ended"));
    Ok(())
}

#[test]
fn two_runs_are_compared_number_by_number() -> Result<(), LabError> {
    let body = respond(&store()?, "/compare?run=aaa1&run=bbb2").body;
    for text in [
        "<strong>1.25×</strong>",
        "−20 %",
        "name = &quot;&lt;dsm&gt;&quot;",
        "none: bfs tiny, gtx480, none",
        "<h1>&lt;dsm&gt; against none</h1>",
        "href=\"/compare?run=bbb2&amp;run=aaa1\"",
    ] {
        assert!(body.contains(text), "{text}");
    }
    Ok(())
}

#[test]
fn what_is_not_there_is_said_with_a_status() -> Result<(), LabError> {
    let store = store()?;
    for (address, status) in [
        ("/nowhere", 404),
        ("/schemes?first=none", 400),
        ("/run/zzz", 404),
        ("/compare?run=aaa1", 400),
        ("/compare?run=a&run=z", 404),
    ] {
        assert_eq!(respond(&store, address).status, status, "{address}");
    }
    Ok(())
}

#[test]
fn an_empty_store_says_how_to_begin() -> Result<(), LabError> {
    let store = Store::open(&StoreLocation::Memory)?;
    assert!(respond(&store, "/").body.contains("shrinkwarp compare"));
    Ok(())
}

#[test]
fn shares_differ_by_points_and_amounts_by_a_share() -> Result<(), LabError> {
    let mut store = store()?;
    for (identity, scheme, hits) in [("ddd4", "none", 0.25), ("eee5", "dsm", 0.5)] {
        let mut record = record(identity, scheme, 1000);
        if let RunOutcome::Done(result) = &mut record.outcome {
            result.counters = [("derived.l1_hit_share".to_owned(), hits)].into_iter().collect();
        }
        store.record(&record)?;
    }
    let body = respond(&store, "/compare?run=ddd4&run=eee5").body;
    assert!(body.contains("+25.0 points"), "{body}");
    Ok(())
}

#[test]
fn the_list_is_sorted_and_paged_and_has_the_speedup_of_each_run() -> Result<(), LabError> {
    let mut store = Store::open(&StoreLocation::Memory)?;
    for index in 0..150_u64 {
        let run = |kind: &str, scheme: &str, cycles| Record {
            workload: format!("w{index:03}"),
            ..record(&format!("{kind}{index:03}"), scheme, cycles)
        };
        store.record(&run("a", "none", 1000 + index))?;
        store.record(&run("b", "dsm", 500))?;
    }
    let body = respond(&store, "/?sort=speedup&order=falling").body;
    assert!(body.contains("page 1 of 3") && body.contains("sort=speedup&amp;order=rising"), "{body}");
    let (first, second) = (body.find("value=\"b149\"").unwrap(), body.find("value=\"b148\"").unwrap());
    assert!(first < second);
    assert!(body.contains("<td class=\"n\">2.298×"), "1149 over 500");
    assert!(!body.contains("value=\"b049\""), "a page has 100 rows");
    let last = respond(&store, "/?sort=speedup&page=3").body;
    assert!(last.contains("value=\"a000\"") && last.contains("page 3 of 3"), "no speedup of the baseline");
    Ok(())
}

#[test]
fn a_mean_is_over_the_same_workloads_of_one_gpu_and_scale_and_says_so() -> Result<(), LabError> {
    let mut store = Store::open(&StoreLocation::Memory)?;
    let run = |identity: &str, workload: &str, gpu: &str, scheme: &str, cycles| Record {
        workload: workload.to_owned(),
        gpu: gpu.to_owned(),
        ..record(identity, scheme, cycles)
    };
    for (index, workload) in ["bfs", "mm", "scan"].into_iter().enumerate() {
        store.record(&run(&format!("a{index}"), workload, "gtx480", "none", 1000))?;
        store.record(&run(&format!("b{index}"), workload, "gtx480", "dsm", 500))?;
        if workload != "scan" {
            store.record(&run(&format!("c{index}"), workload, "gtx480", "latte", 250))?;
        }
    }
    let body = respond(&store, "/").body;
    assert!(body.contains("over the 2 of 3 that were run with all of these schemes on gtx480"), "{body}");
    assert!(body.contains("geomean of 2, dsm: 2×"), "{body}");
    let pair = respond(&store, "/schemes?first=none&second=latte&gpu=gtx480&scale=tiny").body;
    assert!(pair.contains("latte against none") && pair.contains("over bfs, mm"), "{pair}");
    assert!(pair.contains("first=latte&amp;second=none"), "{pair}");
    store.record(&run("d0", "bfs", "other", "none", 1000))?;
    store.record(&run("d1", "bfs", "other", "dsm", 100))?;
    let mixed = respond(&store, "/").body;
    assert!(mixed.contains("There is no mean") && !mixed.contains("geomean"), "{mixed}");
    Ok(())
}

#[test]
fn no_part_of_the_energy_is_without_its_name() -> Result<(), LabError> {
    let mut store = Store::open(&StoreLocation::Memory)?;
    let parts =
        ["cores", "register_files", "l1", "network", "l2", "dram", "compression", "idle_sms", "static"];
    let mut record = record("ddd4", "none", 1000);
    if let RunOutcome::Done(result) = &mut record.outcome {
        result.counters = parts.iter().map(|part| (format!("energy.parts.{part}"), 0.25)).collect();
    }
    store.record(&record)?;
    let body = respond(&store, "/run/ddd4").body;
    for part in parts {
        assert!(body.contains(&format!(">{}</text>", part.replace('_', " "))), "{part}: {body}");
    }
    Ok(())
}
