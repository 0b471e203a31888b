//! Blocks on their way from memory that several reads of sectors wait for.
//!
//! Of a compressed block the whole encoding is fetched, whichever sector was asked for. A read of another sector that comes before
//! the block does joins that fetch, asks memory for nothing, and is answered with it.

use super::{BlockAddress, Packet};

/// The fetches of one channel.
#[derive(Clone, Debug, Default)]
pub struct BlockFetches {
    fetching: Vec<BlockAddress>,
    joined: Vec<Packet>,
}

impl BlockFetches {
    /// Lets a read of a sector wait for its block, if that is on its way. Returns whether it is.
    pub fn join(&mut self, read: &Packet) -> bool {
        let is_on_its_way = self.fetching.contains(&read.block());
        if is_on_its_way {
            self.joined.push(*read);
        }
        is_on_its_way
    }

    /// A block is fetched whole from now on.
    pub fn begin(&mut self, block: BlockAddress) {
        self.fetching.push(block);
    }

    /// An answer of memory goes to its slice. If it brings a block that was fetched whole, `answer_too` gets the reads that joined.
    pub fn finish(&mut self, answer: &Packet, answer_too: impl FnMut(Packet)) {
        if answer.is_write() || !answer.brings_whole_block() {
            return;
        }
        let block = answer.block();
        let Some(place) = self.fetching.iter().position(|&fetched| fetched == block) else { return };
        self.fetching.swap_remove(place);
        let attachment = answer.attachment;
        let joined = self.joined.iter().filter(|joined| joined.block() == block);
        joined.map(|&joined| Packet { attachment, ..joined }).for_each(answer_too);
        self.joined.retain(|joined| joined.block() != block);
    }

    /// Whether no read has joined a fetch.
    pub fn is_empty(&self) -> bool {
        self.joined.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::{AccessKind, Attachment, Cycle};

    fn read(address: u64) -> Packet {
        Packet::new(AccessKind::GlobalRead, address, 32, 0, Cycle(0))
    }

    #[test]
    fn reads_that_joined_a_fetch_are_answered_with_it() {
        let mut fetches = BlockFetches::default();
        assert!(!fetches.join(&read(0x1000)));
        fetches.begin(read(0x1000).block());
        assert!(fetches.join(&read(0x1020)) && !fetches.join(&read(0x1080)));
        let mut answered = Vec::new();
        let sector = Packet { attachment: Attachment::stored(256, false), ..read(0x1000) };
        fetches.finish(&sector, |packet| answered.push(packet.address));
        assert_eq!(answered, [], "a raw sector is not the block");
        let block = Packet { attachment: Attachment::stored(300, true), ..read(0x1000) };
        fetches.finish(&block, |packet| answered.push(packet.address));
        assert_eq!(answered, [0x1020]);
        assert!(fetches.is_empty() && !fetches.join(&read(0x1020)));
    }
}
