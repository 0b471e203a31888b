//! C-PACK across the network: a dictionary that lives on from block to block, once at each end.
//!
//! Every pair of slice and SM shares a dictionary of 16 words, replaced first in, first out; one copy compresses at the
//! slice, the other decompresses at the SM. A block is coded against the dictionary as it was before the block, with the
//! codes of C-PACK (2 bits zero, 6 match, 12 low byte, 16 three bytes match, 24 two bytes match, 34 no match). The first
//! occurrences of words that do not match then enter the dictionary, and a control packet with these words follows the
//! reply so that the other end does the same. Packets between two nodes stay in order, so both ends are always in step.
//!
//! With verification each block is decoded with the SM's copy when it arrives and compared.

use std::collections::VecDeque;

use crate::base::{BLOCK_BITS, BLOCK_BYTES, Block, BlockAddress};

const ENTRIES: usize = 16;
const WORDS: usize = BLOCK_BYTES / 4;

/// The dictionaries of all pairs, both ends.
#[derive(Clone, Debug)]
pub struct Dictionaries {
    pairs: Vec<Pair>,
    slices: usize,
    verifies: bool,
    mismatch: Option<BlockAddress>,
}

/// Both ends of one pair.
#[derive(Clone, Debug, Default)]
struct Pair {
    sender: Dictionary,
    receiver: Dictionary,
    /// Words of updates that are under way.
    updates: VecDeque<Vec<u32>>,
    /// What is under way, for verification: the codes and the words they stand for.
    under_way: VecDeque<([Code; WORDS], [u32; WORDS])>,
}

/// Sixteen words, the oldest replaced first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Dictionary {
    words: [Option<u32>; ENTRIES],
    next: usize,
}

/// One word as it is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Code {
    Zero,
    LowByte(u8),
    /// The word at this index, with `new_bits` of its low bits replaced.
    Match {
        index: usize,
        new_bits: u32,
        low: u32,
    },
    Raw(u32),
}

/// What a slice sends for a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sent {
    /// Bits of the encoding, or of the block where that is not larger.
    pub bits: u32,
    /// Words of the control packet that follows; without any there is none.
    pub new_words: usize,
}

impl Dictionaries {
    /// Empty dictionaries.
    pub fn new(slices: usize, sms: usize, verifies: bool) -> Self {
        Self { pairs: vec![Pair::default(); slices * sms], slices, verifies, mismatch: None }
    }

    /// Codes a block that a slice sends to an SM and brings the slice's copy up to date.
    pub fn send(&mut self, slice: usize, sm: usize, block: &Block) -> Sent {
        let verifies = self.verifies;
        let pair = self.pair(sm, slice);
        let words = words_of(block);
        let codes = words.map(|word| pair.sender.code(word));
        let bits: u32 = codes.iter().map(Code::bits).sum();
        if verifies {
            pair.under_way.push_back((codes, words));
        }
        let new_words = pair.sender.learn(&codes);
        let sent = Sent { bits: bits.min(BLOCK_BITS), new_words: new_words.len() };
        if sent.new_words > 0 {
            pair.updates.push_back(new_words);
        }
        sent
    }

    /// Decodes a block that has arrived, with the SM's copy.
    pub fn receive(&mut self, sm: usize, slice: usize, block: BlockAddress) {
        if !self.verifies {
            return;
        }
        let pair = self.pair(sm, slice);
        let Some((codes, words)) = pair.under_way.pop_front() else { return };
        let is_same = codes.iter().zip(words).all(|(code, word)| pair.receiver.decode(code) == Some(word));
        if !is_same {
            self.mismatch.get_or_insert(block);
        }
    }

    /// Brings the SM's copy up to date.
    pub fn apply_update(&mut self, sm: usize, slice: usize) {
        let pair = self.pair(sm, slice);
        for word in pair.updates.pop_front().into_iter().flatten() {
            pair.receiver.push(word);
        }
    }

    /// The first block that was not decoded as it was coded.
    pub fn mismatch(&self) -> Option<BlockAddress> {
        self.mismatch
    }

    fn pair(&mut self, sm: usize, slice: usize) -> &mut Pair {
        &mut self.pairs[sm * self.slices + slice]
    }
}

impl Dictionary {
    fn code(&self, word: u32) -> Code {
        if word == 0 {
            return Code::Zero;
        }
        if word < 256 {
            return Code::LowByte(word as u8);
        }
        for new_bits in [0, 8, 16] {
            let matches =
                |entry: &Option<u32>| entry.is_some_and(|known| known >> new_bits == word >> new_bits);
            if let Some(index) = self.words.iter().position(matches) {
                return Code::Match { index, new_bits, low: word & ((1 << new_bits) - 1) };
            }
        }
        Code::Raw(word)
    }

    fn decode(&self, code: &Code) -> Option<u32> {
        match *code {
            Code::Zero => Some(0),
            Code::LowByte(byte) => Some(u32::from(byte)),
            Code::Match { index, new_bits, low } => {
                self.words[index].map(|known| known >> new_bits << new_bits | low)
            }
            Code::Raw(word) => Some(word),
        }
    }

    /// Takes in the first occurrences of the words that matched nothing, as many as there are entries, and tells which.
    fn learn(&mut self, codes: &[Code; WORDS]) -> Vec<u32> {
        let mut new_words = Vec::new();
        for code in codes {
            if let Code::Raw(word) = *code
                && new_words.len() < ENTRIES
                && !new_words.contains(&word)
            {
                new_words.push(word);
                self.push(word);
            }
        }
        new_words
    }

    fn push(&mut self, word: u32) {
        self.words[self.next] = Some(word);
        self.next = (self.next + 1) % ENTRIES;
    }
}

impl Code {
    fn bits(&self) -> u32 {
        match self {
            Self::Zero => 2,
            Self::LowByte(_) => 12,
            Self::Match { new_bits: 0, .. } => 6,
            Self::Match { new_bits, .. } => 8 + new_bits,
            Self::Raw(_) => 34,
        }
    }
}

fn words_of(block: &Block) -> [u32; WORDS] {
    let (words, _) = block.as_chunks::<4>();
    std::array::from_fn(|index| u32::from_le_bytes(words[index]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block_of(words: &[u32]) -> Block {
        let mut block = Block::ZEROS;
        for (target, word) in block.chunks_exact_mut(4).zip(words) {
            target.copy_from_slice(&word.to_le_bytes());
        }
        block
    }

    #[test]
    fn a_word_is_learnt_once_and_costs_six_bits_afterwards() {
        let mut dictionaries = Dictionaries::new(2, 2, true);
        let block = block_of(&[0xdead_beef, 0xdead_beef]);
        // The dictionary changes after the block: both occurrences are raw.
        assert_eq!(dictionaries.send(1, 1, &block), Sent { bits: 2 * 34 + 30 * 2, new_words: 1 });
        assert_eq!(dictionaries.send(1, 1, &block), Sent { bits: 2 * 6 + 30 * 2, new_words: 0 });
    }

    #[test]
    fn partial_matches_and_low_bytes_cost_what_the_table_says() {
        let mut dictionaries = Dictionaries::new(1, 2, false);
        dictionaries.send(0, 1, &block_of(&[0x1234_5678]));
        let sent = dictionaries.send(0, 1, &block_of(&[0x1234_56ff, 0x1234_ffff, 0x41]));
        assert_eq!(sent.bits, 16 + 24 + 12 + 29 * 2);
    }

    /// Sends two equal blocks to an SM, in order, after `corrupt` has had its way with the dictionaries.
    fn mismatch_after(corrupt: impl Fn(&mut Pair)) -> Option<BlockAddress> {
        let mut dictionaries = Dictionaries::new(1, 2, true);
        let (block, address) = (block_of(&[0xcafe_f00d]), BlockAddress::of(0x1000));
        dictionaries.send(0, 1, &block);
        dictionaries.receive(1, 0, address);
        dictionaries.apply_update(1, 0);
        corrupt(dictionaries.pair(1, 0));
        dictionaries.send(0, 1, &block);
        dictionaries.receive(1, 0, address);
        dictionaries.mismatch()
    }

    #[test]
    fn both_ends_stay_in_step() {
        assert_eq!(mismatch_after(|_| ()), None);
    }

    #[test]
    fn a_corrupted_copy_is_noticed() {
        assert_eq!(
            mismatch_after(|pair| pair.receiver.words[0] = Some(0xcafe_f00c)),
            Some(BlockAddress::of(0x1000))
        );
        assert_eq!(
            mismatch_after(|pair| pair.receiver = Dictionary::default()),
            Some(BlockAddress::of(0x1000))
        );
    }
}
