//! What the host has written to device memory, as the memory controllers know it.
//!
//! Controllers that compress must hear of every byte that the host writes: the size of a block is taken when it is
//! written. Copies and fills tell them. Memory that host and device share is written without
//! a call, so that every launch first looks for blocks of it that have changed. With verification on, a launch looks at
//! all other allocations, too: a block that the host has changed behind the controllers' back is an error.
//!
//! A block is known by a digest of its bytes; what kernels write becomes known when their launch ends.

use std::collections::BTreeMap;

use shrinkwarp_emu::memory::{Allocation, Memory};

use crate::base::station::{Cause, Mismatch};
use crate::base::{BLOCK_BYTES, Block, BlockAddress, Point};
use crate::scheme::Scheme;

/// Digests of the blocks of each watched allocation, by its first address.
#[derive(Debug)]
pub(crate) struct HostView {
    codec: String,
    verifies: bool,
    seen: BTreeMap<u64, Vec<u64>>,
}

/// What the controllers have not heard of yet.
#[derive(Debug, Default)]
pub(crate) struct UnseenWrites {
    /// Address and bytes of shared memory that is new, and was zero before the host wrote it.
    pub(crate) fresh: Vec<(u64, u64)>,
    /// Blocks of shared memory that have changed.
    pub(crate) written: Vec<BlockAddress>,
}

impl HostView {
    /// A view of empty memory, if the controllers compress.
    pub(crate) fn of(scheme: &Scheme) -> Option<Self> {
        let unit = scheme.unit(Point::Memory)?;
        Some(Self { codec: unit.name.clone(), verifies: unit.verifies, seen: BTreeMap::new() })
    }

    fn watches(&self, allocation: &Allocation) -> bool {
        !allocation.is_freed() && (self.verifies || allocation.is_shared())
    }

    /// The controllers know what lies in these blocks now.
    pub(crate) fn note(&mut self, memory: &Memory, address: u64, bytes: u64) {
        let Some((allocation, _)) = memory.find(address, bytes.min(1)) else { return };
        if !self.watches(allocation) {
            return;
        }
        let seen = self.seen.entry(allocation.start()).or_insert_with(|| digests(memory, allocation));
        let first = BlockAddress::of(allocation.start()).first_byte();
        for block in BlockAddress::covering(address, bytes) {
            let index = (block.first_byte() - first) as usize / BLOCK_BYTES;
            if let Some(digest) = seen.get_mut(index) {
                *digest = digest_of(&Block::read(memory, block));
            }
        }
    }

    /// The controllers know, or will be told by the caches, what lies in all blocks now.
    pub(crate) fn note_all(&mut self, memory: &Memory) {
        for allocation in memory.allocations() {
            if self.watches(allocation) {
                self.seen.insert(allocation.start(), digests(memory, allocation));
            } else {
                self.seen.remove(&allocation.start());
            }
        }
    }

    /// What the host has written since the last launch without a copy. It may do so in shared memory only.
    pub(crate) fn unseen_writes(&self, memory: &Memory) -> Result<UnseenWrites, Mismatch> {
        let mut unseen = UnseenWrites::default();
        for allocation in memory.allocations().iter().filter(|allocation| self.watches(allocation)) {
            if allocation.is_shared() && !self.seen.contains_key(&allocation.start()) {
                unseen.fresh.push((allocation.start(), allocation.bytes()));
            }
            let changes = self.changes(memory, allocation);
            if let Some(&block) = changes.first()
                && !allocation.is_shared()
            {
                let codec = self.codec.clone();
                return Err(Mismatch { point: Point::Memory, codec, block, cause: Cause::HostWrite });
            }
            unseen.written.extend(changes);
        }
        Ok(unseen)
    }

    /// The blocks of an allocation that are not as they were.
    fn changes(&self, memory: &Memory, allocation: &Allocation) -> Vec<BlockAddress> {
        let zeros = digest_of(&Block::ZEROS);
        let seen = self.seen.get(&allocation.start()).map_or(&[][..], Vec::as_slice);
        let blocks = BlockAddress::covering(allocation.start(), allocation.bytes());
        let is_changed = |(index, block): (usize, BlockAddress)| {
            let before = seen.get(index).copied().unwrap_or(zeros);
            (before != digest_of(&Block::read(memory, block))).then_some(block)
        };
        blocks.enumerate().filter_map(is_changed).collect()
    }
}

fn digests(memory: &Memory, allocation: &Allocation) -> Vec<u64> {
    let blocks = BlockAddress::covering(allocation.start(), allocation.bytes());
    blocks.map(|block| digest_of(&Block::read(memory, block))).collect()
}

/// A multiplicative hash of the words: two different blocks have the same one about once in 2^64.
fn digest_of(block: &Block) -> u64 {
    const MULTIPLIER: u64 = 0x9e37_79b9_7f4a_7c15;
    let (words, _) = block.as_chunks::<8>();
    words.iter().fold(0, |digest: u64, word| {
        let mixed = (digest ^ u64::from_le_bytes(*word)).wrapping_mul(MULTIPLIER);
        mixed ^ mixed >> 32
    })
}
