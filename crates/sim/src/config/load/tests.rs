//! Does every preset load, does an override reach its field, and does every mistake name its place?

use super::*;
use crate::config::assign::parse;
use crate::config::catalogue::Source;
use crate::config::{Derived, SchedulerPolicy};

fn with(overrides: &[&str]) -> Result<GpuSpec, ConfigError> {
    load("gtx480", &overrides.iter().map(ToString::to_string).collect::<Vec<_>>())
}

/// Loads `text` as a file would be, without a file.
fn load_text(text: &str) -> Result<GpuSpec, ConfigError> {
    let catalogue = &CATALOGUE;
    let source = Source { catalogue, file: "my.toml".to_owned(), text: text.to_owned() };
    let spec = parse(&source.table()?).map_err(|message| source.error(message))?;
    check::check(&spec).map_err(|fault| source.locate(fault, &[]))?;
    Ok(spec)
}

#[test]
fn every_preset_loads_under_its_own_name() {
    for preset in GPUS {
        assert_eq!(load(preset.name, &[]).unwrap().name, preset.name);
    }
}

#[test]
fn the_derived_figures_are_those_of_the_data_sheets() {
    let gtx480 = Derived::of(&load("gtx480", &[]).unwrap());
    assert_eq!((gtx480.l1_sets, gtx480.l2_sets, gtx480.l2_total_kib), (32, 64, 768));
    assert_eq!((gtx480.network_ports, gtx480.line_reply_flits, gtx480.dram_burst_bytes), (27, 5, 64));
    assert!((gtx480.dram_peak_gb_per_s - 177.4).abs() < 0.05);
    let turnarounds = (
        gtx480.dram_read_to_write_clocks,
        gtx480.dram_write_to_read_clocks,
        gtx480.dram_write_to_precharge_clocks,
    );
    assert_eq!(turnarounds, (12, 11, 18));
    let e2mc = Derived::of(&load("e2mc-gtx580", &[]).unwrap());
    assert_eq!((e2mc.dram_burst_bytes, e2mc.l2_total_kib, e2mc.slices), (32, 768, 6));
    assert!((e2mc.dram_peak_gb_per_s - 96.2).abs() < 0.05);
    let second = Derived::of(&load("e2mc-gtx580-192", &[]).unwrap());
    assert_eq!((second.dram_burst_bytes, second.l2_total_kib, second.slices), (32, 768, 12));
    assert!((second.dram_peak_gb_per_s - 192.4).abs() < 0.05);
    let bpc = Derived::of(&load("bpc-gtx480", &[]).unwrap());
    assert_eq!((bpc.slices, bpc.l2_total_kib), (12, 768));
    assert!((bpc.dram_peak_gb_per_s - 177.4).abs() < 0.05);
}

#[test]
fn an_override_reaches_its_field() {
    let spec =
        with(&["l1.size_kib=48", "l1.ways=6", "sm.scheduler=lrr", "sm.int.add.latency_cycles=5"]).unwrap();
    assert_eq!((spec.l1.cache_spec().sets, spec.sm.scheduler), (64, SchedulerPolicy::Lrr));
    assert_eq!(spec.sm.int.add.latency_cycles, 5);
    assert_eq!(with(&["l1.size_kib=48"]).unwrap().l1.cache_spec().sets, 96);
}

#[test]
fn each_wrong_override_is_named_with_what_is_allowed() {
    let message = |text: &str| with(&[text]).unwrap_err().to_string();
    let misspelt = message("l1.sizekib=48");
    let start = "--set l1.sizekib=48: l1.sizekib: unknown key; did you mean \"size_kib\"? (";
    assert!(misspelt.starts_with(start), "{misspelt}");
    assert!(message("clocks.sm_ghz=4").contains("known here: core_mhz"));
    assert!(message("l9.size_kib=48").contains("no section \"l9\""));
    assert!(message("l1.size_kib=big").contains("expected integer, found string \"big\""));
    assert!(message("l1.size_kib=-1").contains("l1.size_kib: -1 is out of range; must be 0 to 65536"));
    assert!(message("sm.scheduler=fifo").contains("expected one of `gto`, `lrr`, `two_level`"));
    assert!(message("l1.size_kib").contains("has no '='"));
    assert_eq!(
        message("l1.ways=3"),
        "--set l1.ways=3: l1.ways: 16 KiB are not a multiple of a set of 384 bytes; \
         size_kib x 1024 must be a multiple of ways x line_bytes = 384"
    );
    assert!(message("dram.channels=0").contains("dram.channels: 0 is out of range; must be 1 to 128"));
    assert!(message("interconnect.input_queue_flits=4").contains("5 flits"));
}

#[test]
fn a_mistake_in_a_file_is_shown_with_its_line() {
    let error = load_text("based_on = \"gtx480\"\n\n[l1]\nsize_kb = 48\n").unwrap_err();
    assert_eq!((error.line(), error.key.as_deref()), (Some(4), Some("l1.size_kb")));
    let error = load_text("based_on = \"gtx480\"\n[l1]\nsize_kib = \"48\"\n").unwrap_err();
    assert_eq!((error.line(), error.key.as_deref()), (Some(3), Some("l1.size_kib")));
    let error = load_text("based_on = \"gtx480\"\n[dram]\nbanks = 12\n").unwrap_err();
    assert_eq!((error.line(), error.key.as_deref()), (Some(3), Some("dram.banks")));
    let error = load_text("based_on = \"gtx1080\"\n").unwrap_err();
    assert_eq!(error.line(), Some(1));
    let error = load_text("based_on = \n").unwrap_err();
    assert_eq!(error.line(), Some(1));
}

#[test]
fn a_complete_file_is_checked_against_all_keys() {
    let whole = GPUS[0].text;
    assert!(load_text(whole).is_ok());
    let error = load_text(&whole.replace("ways = 8\n", "way = 8\n")).unwrap_err();
    assert!(error.message.contains("unknown field `way`"), "{error}");
    assert_eq!(error.line(), whole.lines().position(|line| line == "ways = 8").map(|line| line + 1));
    let error = load_text(&whole.replace("core_mhz = 700\n", "core_mhz = \"fast\"\n")).unwrap_err();
    assert_eq!(error.key.as_deref(), Some("clocks.core_mhz"));
}

#[test]
fn an_unknown_gpu_gets_the_nearest_names() {
    let message = load("hopper", &[]).unwrap_err().to_string();
    assert!(message.contains("unknown GPU \"hopper\"; known: gtx480, bpc-gtx480"), "{message}");
    let message = load("gtx48", &[]).unwrap_err().to_string();
    assert!(message.contains("unknown GPU \"gtx48\"; did you mean \"gtx480\"? (known: gtx480,"), "{message}");
}
