//! What binds each GPU preset under a full load of coalesced accesses: `cargo run --release -p shrinkwarp-sim --example full_load`.
//!
//! A stream of 8 times the L2 runs on each preset as it is, and with one part relieved at a time: twice the DRAM clock, twice
//! the interconnect clock, an L2 data port of a whole line, four times the MSHRs of L1 and L2, short turns of the DRAM bus between reads and
//! writes. The part whose relief gains most binds. The table of docs/machines.md is this program's output. Arguments: presets, and changes of all of
//! them, written `section.key=value`.
#![expect(clippy::print_stdout, clippy::unwrap_used, reason = "a program for people")]

#[path = "../tests/full_load/mod.rs"]
mod full_load;

use full_load::{Stream, faster_dram, faster_network, run, short_turnarounds};

fn main() {
    let (changes, wanted): (Vec<String>, Vec<String>) =
        std::env::args().skip(1).partition(|argument| argument.contains('='));
    println!(
        "| preset | stream | DRAM GB/s | of peak | reply stalls | DRAM 2× | DRAM 8× | network 2× | L2 port 128 B | MSHRs 4× | short turns |"
    );
    println!("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |");
    for (preset, scheme) in [
        ("gtx480", "none"),
        ("dsm-fermi", "none"),
        ("latte-fermi", "none"),
        ("e2mc-gtx580", "none"),
        ("e2mc-gtx580-192", "none"),
        ("bpc-gtx480", "none"),
        ("bpc-gtx480", "hmc-link"),
        ("v100", "none"),
        ("rtx-3070", "none"),
        ("a100", "none"),
        ("h100-pcie", "none"),
    ] {
        if !wanted.is_empty() && !wanted.iter().any(|name| name == preset) {
            continue;
        }
        for stream in [Stream::Read, Stream::Copy, Stream::CopyWords] {
            let base = run(stream, preset, scheme, &changes);
            let gain = |relief: &[String]| {
                let relieved = run(stream, preset, scheme, &[&changes, relief].concat());
                base.cycles as f64 / relieved.cycles as f64
            };
            let settings = |texts: &[&str]| texts.iter().map(ToString::to_string).collect::<Vec<_>>();
            println!(
                "| {preset} {scheme} | {stream:?} | {:.1} | {:.0} % | {:.0} % | {:.2} | {:.2} | {:.2} | {:.2} | {:.2} | {:.2} |",
                base.dram_gb_per_s,
                100.0 * base.dram_share,
                100.0 * base.reply_stall_share,
                gain(&faster_dram(preset, 2)),
                gain(&faster_dram(preset, 8)),
                gain(&faster_network(preset, 2)),
                gain(&settings(&["l2.port_bytes=128"])),
                gain(&settings(&["l1.mshr_entries=128", "l2.mshr_entries=128"])),
                gain(&short_turnarounds()),
            );
        }
    }
}
