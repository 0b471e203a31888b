//! Blocks into packets, by the tables of [`super::format`].

use super::counters::LinkTraffic;
use super::format::{FLIT_BITS, HEAD_BITS, PACKED_DATA_BITS, TAIL_BITS, Towards, data_flits};
use crate::base::Packet;

/// An access, or its answer, on its way across a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Transfer {
    /// The access.
    pub packet: Packet,
    /// The vault that it goes to or comes from.
    pub vault: usize,
    /// Bits of its block that are still to be sent; 0 for a transfer without data.
    pub data_bits: u32,
}

/// Whether blocks share packets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Packing {
    /// One block in a packet.
    Unpacked,
    /// As many as fit, and the beginning of one more.
    Packed,
}

/// The end of a link that makes packets.
#[derive(Clone, Debug)]
pub struct Packer {
    packing: Packing,
    tag_bits: u32,
    /// The block that the next packet begins with: the rest of one that the last packet began, or one that it had no room for.
    first: Option<Transfer>,
    /// What was sent so far, by what the bits are.
    pub traffic: LinkTraffic,
}

impl Packer {
    /// A packer with nothing begun.
    pub fn new(packing: Packing, towards: Towards) -> Self {
        Self { packing, tag_bits: towards.tag_bits(), first: None, traffic: LinkTraffic::default() }
    }

    /// Whether a packet is due even if no further block comes.
    #[inline]
    pub fn has_first(&self) -> bool {
        self.first.is_some()
    }

    /// A packet without data. Returns its bits.
    pub fn control(&mut self) -> u32 {
        self.traffic.control_packets += 1;
        self.count_packet(0)
    }

    /// The next packet with data, from the block it must begin with and then from what `next` gives. Returns its bits and puts
    /// the transfers that are complete with it into `complete`; 0 if there was no block at all.
    pub fn pack(&mut self, mut next: impl FnMut() -> Option<Transfer>, complete: &mut Vec<Transfer>) -> u32 {
        let Some(first) = self.first.take().or_else(&mut next) else { return 0 };
        let filled_bits = match self.packing {
            Packing::Unpacked => self.place(first, u32::MAX, complete),
            Packing::Packed => {
                let first_bits = self.place(first, PACKED_DATA_BITS, complete);
                self.share(first_bits, next, complete)
            }
        };
        self.traffic.data_packets += 1;
        self.count_packet(filled_bits)
    }

    /// Fills a packed packet, which holds `filled_bits` so far, with further blocks. Returns the bits that it then holds.
    fn share(
        &mut self,
        mut filled_bits: u32,
        mut next: impl FnMut() -> Option<Transfer>,
        complete: &mut Vec<Transfer>,
    ) -> u32 {
        while filled_bits < PACKED_DATA_BITS
            && let Some(block) = next()
        {
            let left_bits = PACKED_DATA_BITS - filled_bits;
            if self.tag_bits + block.data_bits <= left_bits {
                self.traffic.tag_bits += u64::from(self.tag_bits);
                filled_bits += self.tag_bits + self.place(block, left_bits, complete);
            } else if block.data_bits > left_bits {
                filled_bits += self.place(block, left_bits, complete);
            } else {
                self.first = Some(block);
                break;
            }
        }
        filled_bits
    }

    /// Puts a block, or as much of it as there is room for, into the packet. Returns the bits of it.
    fn place(&mut self, block: Transfer, left_bits: u32, complete: &mut Vec<Transfer>) -> u32 {
        let placed_bits = block.data_bits.min(left_bits);
        self.traffic.block_bits += u64::from(placed_bits);
        if placed_bits == block.data_bits {
            self.traffic.blocks += 1;
            complete.push(block);
        } else {
            self.traffic.spanning_blocks += 1;
            self.first = Some(Transfer { data_bits: block.data_bits - placed_bits, ..block });
        }
        placed_bits
    }

    /// Counts a packet whose data flits hold `filled_bits`.
    fn count_packet(&mut self, filled_bits: u32) -> u32 {
        let flit_bits = data_flits(filled_bits) * FLIT_BITS;
        self.traffic.head_and_tail_bits += u64::from(HEAD_BITS + TAIL_BITS);
        self.traffic.padding_bits += u64::from(flit_bits - filled_bits);
        let bits = HEAD_BITS + flit_bits + TAIL_BITS;
        self.traffic.sent_bits += u64::from(bits);
        bits
    }
}

#[cfg(test)]
mod tests;
