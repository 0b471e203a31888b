//! Counters of the memory links.

use serde::Serialize;

use crate::base::codec_counters::CodecCounters;

/// Both links and the codecs at their ends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct LinkCounters {
    /// The codec's; blocks that come from memory are measured, not compressed.
    pub codec: CodecCounters,
    /// Requests.
    pub towards_memory: LinkTraffic,
    /// Answers.
    pub towards_gpu: LinkTraffic,
    /// Writes to a part of a block, for which a vault reads the block first.
    pub merged_writes: u64,
}

impl LinkCounters {
    /// Bits that crossed either link.
    pub fn sent_bits(&self) -> u64 {
        self.towards_memory.sent_bits + self.towards_gpu.sent_bits
    }
}

/// What one link carried. Sent bits are the sum of block, tag, head and tail, and padding bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct LinkTraffic {
    /// Accesses, or answers, handed to the link.
    pub transfers_in: u64,
    /// Those taken out at its other end.
    pub transfers_out: u64,
    /// Packets without data.
    pub control_packets: u64,
    /// Packets with data.
    pub data_packets: u64,
    /// Blocks sent to their end.
    pub blocks: u64,
    /// Blocks that went on in the next packet.
    pub spanning_blocks: u64,
    /// Bits of blocks.
    pub block_bits: u64,
    /// Bits that name blocks inside of packets.
    pub tag_bits: u64,
    /// Bits of heads and tails.
    pub head_and_tail_bits: u64,
    /// Bits that fill up flits.
    pub padding_bits: u64,
    /// All bits.
    pub sent_bits: u64,
}
