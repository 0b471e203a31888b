//! Does what binds a machine under full load bind it here: DRAM on E2MC's machines, the reply network on the DSM thesis's?
#![expect(clippy::unwrap_used, reason = "tests")]

mod full_load;

use full_load::{Stream, faster_dram, faster_network, run};

/// Cycles of the preset over cycles with the changes.
fn gain(stream: Stream, preset: &str, changes: &[String]) -> f64 {
    run(stream, preset, "none", &[]).cycles as f64 / run(stream, preset, "none", changes).cycles as f64
}

#[test]
fn streams_on_e2mcs_machines_are_bound_by_dram() {
    // What is missing to 1: bank groups (a column command every 3 clocks within a group), turns of the bus between
    // reads and writes, and at 192 GB/s the 32 MSHRs of an SM. DEVIATIONS 4.
    for (preset, stream, share, gain_of_2, gain_of_8) in [
        ("e2mc-gtx580", Stream::Read, 0.80, 1.2, 1.3),
        ("e2mc-gtx580", Stream::Copy, 0.75, 1.5, 2.0),
        ("e2mc-gtx580-192", Stream::Read, 0.75, 1.02, 1.05),
        ("e2mc-gtx580-192", Stream::Copy, 0.74, 1.4, 1.7),
    ] {
        let load = run(stream, preset, "none", &[]);
        assert!(load.dram_share >= share, "{preset} {stream:?}: {:.1} GB/s", load.dram_gb_per_s);
        let gains = [2, 8].map(|times| gain(stream, preset, &faster_dram(preset, times)));
        assert!(gains[0] >= gain_of_2 && gains[1] >= gain_of_8, "{preset} {stream:?}: gains {gains:.2?}");
        assert!(load.reply_stall_share < 0.05, "{preset} {stream:?}: {:.2}", load.reply_stall_share);
    }
}

#[test]
fn a_read_stream_on_the_thesiss_machine_is_bound_by_the_reply_network() {
    let load = run(Stream::Read, "dsm-fermi", "none", &[]);
    assert!(load.reply_stall_share > 0.3, "{:.2} of the cycles", load.reply_stall_share);
    let dram = gain(Stream::Read, "dsm-fermi", &faster_dram("dsm-fermi", 2));
    let network = gain(Stream::Read, "dsm-fermi", &faster_network("dsm-fermi", 2));
    assert!(dram < 1.1 && network > 1.15, "DRAM {dram:.2}, network {network:.2}");
}
