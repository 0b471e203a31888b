//! Does what binds a machine under full load bind it here: DRAM on E2MC's machines, the reply network on the DSM thesis's?
#![expect(clippy::unwrap_used, reason = "tests")]

mod full_load;

use full_load::{Stream, faster_dram, faster_network, run, short_turnarounds};

/// Cycles of the preset over cycles with the changes.
fn gain(stream: Stream, preset: &str, changes: &[String]) -> f64 {
    run(stream, preset, "none", &[]).cycles as f64 / run(stream, preset, "none", changes).cycles as f64
}

#[test]
fn streams_on_e2mcs_machines_are_bound_by_dram() {
    for (preset, stream, share, gain_of_2, gain_of_8) in [
        ("e2mc-gtx580", Stream::Read, 0.84, 1.35, 1.55),
        ("e2mc-gtx580", Stream::Copy, 0.80, 1.7, 2.4),
        ("e2mc-gtx580", Stream::CopyWords, 0.74, 1.8, 2.6),
        ("e2mc-gtx580-192", Stream::Read, 0.80, 1.3, 1.35),
        ("e2mc-gtx580-192", Stream::Copy, 0.80, 1.7, 2.2),
        ("e2mc-gtx580-192", Stream::CopyWords, 0.72, 1.7, 2.2),
    ] {
        let load = run(stream, preset, "none", &[]);
        assert!(load.dram_share >= share, "{preset} {stream:?}: {:.1} GB/s", load.dram_gb_per_s);
        let gains = [2, 8].map(|times| gain(stream, preset, &faster_dram(preset, times)));
        assert!(gains[0] >= gain_of_2 && gains[1] >= gain_of_8, "{preset} {stream:?}: gains {gains:.2?}");
        assert!(load.reply_stall_share < 0.05, "{preset} {stream:?}: {:.2}", load.reply_stall_share);
    }
}

#[test]
fn what_a_copy_of_words_on_e2mcs_machines_lacks_to_four_fifths_are_turns_of_the_bus() {
    // A third of what a copy moves are writes. FR-FCFS does not collect them, so the bus turns often where loads and stores alternate.
    // DEVIATIONS 4.
    for preset in ["e2mc-gtx580", "e2mc-gtx580-192"] {
        let share = |changes: &[String]| run(Stream::CopyWords, preset, "none", changes).dram_share;
        let longer_queue = share(&["dram.queue_requests=64".to_owned()]);
        let (as_it_is, shorter) = (share(&[]), share(&short_turnarounds()));
        assert!(
            as_it_is < 0.80 && longer_queue < 0.80 && shorter >= 0.80,
            "{preset}: {as_it_is:.3}, {longer_queue:.3}, {shorter:.3}"
        );
    }
}

#[test]
fn read_streams_on_cards_with_pseudo_channels_reach_what_the_cards_reach() {
    // Measured on the cards, gpu-benches (RRZE-HPC), gpu-stream: a read of an A100 of 40 GB and of an H100 PCIe.
    for (preset, gb_per_s) in [("a100", 1500.0), ("h100-pcie", 1942.0)] {
        // Nothing is read twice, so that a small L2 gives the same with a shorter stream.
        let small_l2 = ["l2.size_kib=64", "l2.ways=8"].map(str::to_owned);
        let load = run(Stream::Read, preset, "none", &small_l2);
        let ratio = load.dram_gb_per_s / gb_per_s;
        assert!((ratio - 1.0).abs() < 0.03, "{preset}: {:.1} GB/s, not {gb_per_s}", load.dram_gb_per_s);
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
