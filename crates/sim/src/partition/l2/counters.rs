//! Counters of the L2 slices, plain and compressed.

use serde::Serialize;

use crate::base::cache_counters::CacheCounters;
use crate::base::codec_counters::CodecCounters;
use crate::base::counting::counters;

counters! {
    /// One L2 slice's statistics.
    #[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
    pub struct SliceCounters {
        /// Packets taken from the network.
        pub packets_in: u64,
        /// Packets handed to the network.
        pub packets_out: u64,
        /// Core cycles from the making of an access until its packet was here, summed over packets.
        pub request_latency_cycles: u64,
        /// L2 cycles in which the slice would have taken no packet.
        pub admission_refused_cycles: u64,
        /// Interconnect cycles in which a reply waited at the head and the network had no room for it.
        pub reply_stall_cycles: u64,
        /// The same cycles counted once for a controller, whichever of its slices was refused.
        pub controller_reply_stall_cycles: u64,
        /// The cache itself.
        pub cache: CacheCounters,
    }
}

counters! {
    /// Compressed L2 slices.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
    pub struct L2CompressionCounters {
        /// The codec's.
        pub codec: CodecCounters,
        /// Reads and atomics that hit.
        pub read_hits: u64,
        /// Of these: hits of compressed lines.
        pub decompressed_hits: u64,
        /// Cycles that hits waited for the decompressor, its work included.
        pub decompression_wait_cycles: u64,
        /// Lines compressed again because of a write or an atomic.
        pub rewritten_lines: u64,
        /// Of these: lines that then took more data.
        pub grown_lines: u64,
        /// Lines that left to make room for others.
        pub evicted_lines: u64,
        /// Misses and writes that more than one line had to leave for.
        pub multiple_evictions: u64,
        /// Lines that left because they grew and no other could leave.
        pub unkept_blocks: u64,
        /// Lines held at the end.
        pub held_lines: u64,
        /// Lines that the slices would hold at most without compression.
        pub capacity_lines: u64,
    }
}
