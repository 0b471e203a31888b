//! Counters of the crossbars and of the compression point at their ends.

use serde::Serialize;

use crate::base::codec_counters::CodecCounters;
use crate::base::counting::counters;

/// One crossbar's statistics.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct CrossbarCounters {
    /// Packets put into input queues.
    pub packets_in: u64,
    /// Their flits.
    pub flits_in: u64,
    /// Flits that crossed the switch.
    pub flits_out: u64,
    /// Packets taken out at their outputs.
    pub packets_out: u64,
    /// Interconnect cycles from a packet's entry until it was whole at its output, summed over packets.
    pub latency_cycles: u64,
}

counters! {
    /// Compressed read replies.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
    pub struct PacketCounters {
        /// The codec's.
        pub codec: CodecCounters,
        /// Flits that the replies would have without compression.
        pub flits_without: u64,
        /// Flits that they have, control packets included.
        pub flits_with: u64,
        /// Packets that keep dictionaries in step.
        pub control_packets: u64,
        /// Blocks whose low bits were zeroed because their region allows it.
        pub approximated_blocks: u64,
    }
}

impl PacketCounters {
    /// Flits saved as a share of the flits without compression: the compression ratio of the thesis.
    pub fn saved_share(&self) -> f64 {
        if self.flits_without == 0 { 0.0 } else { 1.0 - self.flits_with as f64 / self.flits_without as f64 }
    }
}
