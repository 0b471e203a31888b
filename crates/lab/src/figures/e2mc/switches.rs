//! What each difference between GPGPU-Sim 3.2.1 and 3.2.2, and each open point of the paper, does to E2MC16's speedup.

use super::{GPU, PARTIAL_WRITES, workloads};
use crate::figures::switches::{AS_IT_IS, Experiment, Switch};
use crate::figures::{FigureSpec, Scope};
use shrinkwarp_report::figure::Paper;

pub const FIGURE: FigureSpec = FigureSpec {
    paper: Paper::E2mc,
    id: "switches",
    title: "Speedup of E2MC16 with one switch changed at a time",
    needs: |scope: Scope| experiment(scope).needs(scope),
    draw: |scope, measured| {
        let figure =
            FIGURE.begin().text("E2MC16 with four decoding ways over no compression on the same machine.");
        experiment(scope).draw(figure, scope, measured)
    },
};

const SWITCHES: [Switch; 13] = [
    AS_IT_IS,
    Switch { gpu: Some("e2mc-gtx580-192"), ..Switch::machine("192.4 GB/s", &[]) },
    Switch::machine("L1 index hashed", &["l1.set_index=hashed"]),
    Switch::machine("network at the core clock", &["clocks.interconnect_mhz=822"]),
    Switch::machine("virtual channels allocated in a cycle", &["interconnect.vc_allocation_cycles=1"]),
    Switch::machine("L2 data port of 32 B", &["l2.port_bytes=32"]),
    Switch::machine(
        "two 8-way L2 slices of 64 KB",
        &["dram.slices_per_channel=2", "l2.size_kib=64", "l2.ways=8", SLICE_BELOW_COLUMNS],
    ),
    Switch::machine("a bank bit below the columns", &[SLICE_BELOW_COLUMNS]),
    Switch::machine(
        "credits in the controllers",
        &["dram.admission=credits", "dram.return_queue_packets=116"],
    ),
    Switch::machine("bank groups of 3.2.x", &["dram.bank_groups=2", "dram.bank_group_bits=high"]),
    Switch::scheme("partial writes merged", &["scheme.memory.partial_writes=merge"]),
    Switch::scheme("local memory raw", &["scheme.memory.local_blocks=raw"]),
    Switch {
        name: "all together, 192.4 GB/s",
        gpu: Some("e2mc-gtx580-192"),
        machine: &[
            "clocks.interconnect_mhz=822",
            "interconnect.vc_allocation_cycles=1",
            "l2.port_bytes=32",
            "l2.ways=8",
            SLICE_BELOW_COLUMNS,
            "dram.admission=credits",
            "dram.return_queue_packets=116",
        ],
        scheme: &["scheme.memory.partial_writes=merge"],
    },
];

/// GPGPU-Sim 3.2.2 takes the lowest bank bit from below the columns; here for bursts of 32 bytes.
const SLICE_BELOW_COLUMNS: &str = "dram.address_map=RRRRRRRRRRRR.BBBCCCCB.CCCSSSSS";

fn experiment(scope: Scope) -> Experiment {
    Experiment {
        gpu: GPU,
        system: &["scheme.memory.codec=e2mc16:ways=4", PARTIAL_WRITES],
        members: workloads(scope),
        switches: &SWITCHES,
    }
}
