//! C-PACK across the network: a dictionary that lives on from block to block, once at each end.
//!
//! Every pair of slice and SM shares a dictionary of 16 words, replaced first in, first out; one copy compresses at the
//! slice, the other decompresses at the SM. A block is coded against the dictionary as it was before the block, with the
//! codes of C-PACK (2 bits zero, 6 match, 12 low byte, 16 three bytes match, 24 two bytes match, 34 no match). The first
//! occurrences of words that do not match then enter the dictionary, and a control packet with these words follows the
//! reply so that the other end does the same. Packets between two nodes stay in order, so both ends are always in step.
//!
//! The thesis's own simulator has one dictionary of 32 words for each slice instead, whatever SM a reply goes to, and its
//! control message is 8 bytes whatever it announces ([`Sharing::PerSlice`]). No hardware could decode that at an SM that did not
//! get the messages of the others, so nothing is decoded here then, and verification does not apply.
//!
//! With verification each block is decoded with the SM's copy when it arrives and compared.

use std::collections::VecDeque;

use crate::base::{BLOCK_BITS, BLOCK_BYTES, Block, BlockAddress};

/// Words of a pair's dictionary.
const PAIR_ENTRIES: usize = 16;
/// Words of a slice's dictionary.
const SLICE_ENTRIES: usize = 32;
const WORDS: usize = BLOCK_BYTES / 4;

/// Who shares a dictionary.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sharing {
    /// A slice and an SM.
    PerPair,
    /// A slice and all SMs.
    PerSlice,
}

/// The dictionaries of all pairs, both ends.
#[derive(Clone, Debug)]
pub struct Dictionaries {
    pairs: Vec<Pair>,
    slices: usize,
    sharing: Sharing,
    verifies: bool,
    mismatch: Option<BlockAddress>,
}

/// Both ends of one pair.
#[derive(Clone, Debug)]
struct Pair {
    sender: Dictionary,
    receiver: Dictionary,
    /// Words of updates that are under way.
    updates: VecDeque<Vec<u32>>,
    /// What is under way, for verification: the codes and the words they mean.
    under_way: VecDeque<([Code; WORDS], [u32; WORDS])>,
}

/// Words, the oldest replaced first.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Dictionary {
    words: Vec<Option<u32>>,
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
    /// Data of the control packet that follows, if one does.
    pub update_bytes: Option<u16>,
}

impl Dictionaries {
    /// Empty dictionaries.
    pub fn new(slices: usize, sms: usize, sharing: Sharing, verifies: bool) -> Self {
        let (entries, count) = match sharing {
            Sharing::PerPair => (PAIR_ENTRIES, slices * sms),
            Sharing::PerSlice => (SLICE_ENTRIES, slices),
        };
        let verifies = verifies && sharing == Sharing::PerPair;
        Self { pairs: vec![Pair::new(entries); count], slices, sharing, verifies, mismatch: None }
    }

    /// Codes a block that a slice sends to an SM and brings the slice's copy up to date.
    pub fn send(&mut self, slice: usize, sm: usize, block: &Block) -> Sent {
        let verifies = self.verifies;
        let pair = self.pair(sm, slice);
        let words = words_of(block);
        let codes = words.map(|word| pair.sender.code(word));
        let index_bits = pair.sender.words.len().trailing_zeros();
        let bits: u32 = codes.iter().map(|code| code.bits(index_bits)).sum();
        if verifies {
            pair.under_way.push_back((codes, words));
        }
        let new_words = pair.sender.learn(&codes);
        let has_update = !new_words.is_empty();
        let update_bytes = match self.sharing {
            Sharing::PerPair => 4 * new_words.len() as u16,
            // The message is the packet's control part.
            Sharing::PerSlice => 0,
        };
        if has_update && self.sharing == Sharing::PerPair {
            self.pair(sm, slice).updates.push_back(new_words);
        }
        Sent { bits: bits.min(BLOCK_BITS), update_bytes: has_update.then_some(update_bytes) }
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
        let index = match self.sharing {
            Sharing::PerPair => sm * self.slices + slice,
            Sharing::PerSlice => slice,
        };
        &mut self.pairs[index]
    }
}

impl Pair {
    fn new(entries: usize) -> Self {
        let dictionary = Dictionary { words: vec![None; entries], next: 0 };
        Self {
            sender: dictionary.clone(),
            receiver: dictionary,
            updates: VecDeque::new(),
            under_way: VecDeque::new(),
        }
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
                && new_words.len() < self.words.len()
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
        self.next = (self.next + 1) % self.words.len();
    }
}

impl Code {
    fn bits(&self, index_bits: u32) -> u32 {
        match self {
            Self::Zero => 2,
            Self::LowByte(_) => 12,
            Self::Match { new_bits: 0, .. } => 2 + index_bits,
            Self::Match { new_bits, .. } => 4 + index_bits + new_bits,
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
        let mut dictionaries = Dictionaries::new(2, 2, Sharing::PerPair, true);
        let block = block_of(&[0xdead_beef, 0xdead_beef]);
        // The dictionary changes after the block: both occurrences are raw.
        assert_eq!(dictionaries.send(1, 1, &block), Sent { bits: 2 * 34 + 30 * 2, update_bytes: Some(4) });
        assert_eq!(dictionaries.send(1, 1, &block), Sent { bits: 2 * 6 + 30 * 2, update_bytes: None });
    }

    #[test]
    fn partial_matches_and_low_bytes_cost_what_the_table_says() {
        let mut dictionaries = Dictionaries::new(1, 2, Sharing::PerPair, false);
        dictionaries.send(0, 1, &block_of(&[0x1234_5678]));
        let sent = dictionaries.send(0, 1, &block_of(&[0x1234_56ff, 0x1234_ffff, 0x41]));
        assert_eq!(sent.bits, 16 + 24 + 12 + 29 * 2);
    }

    /// Sends two equal blocks to an SM, in order, after `corrupt` has had its way with the dictionaries.
    fn mismatch_after(corrupt: impl Fn(&mut Pair)) -> Option<BlockAddress> {
        let mut dictionaries = Dictionaries::new(1, 2, Sharing::PerPair, true);
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
    fn a_slices_dictionary_knows_what_went_to_any_sm_and_announces_it_in_a_bare_message() {
        let mut dictionaries = Dictionaries::new(1, 2, Sharing::PerSlice, true);
        let block = block_of(&[0xdead_beef]);
        assert_eq!(dictionaries.send(0, 0, &block), Sent { bits: 34 + 31 * 2, update_bytes: Some(0) });
        // Five bits name one of 32 words.
        assert_eq!(dictionaries.send(0, 1, &block), Sent { bits: 7 + 31 * 2, update_bytes: None });
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
            mismatch_after(|pair| pair.receiver = Pair::new(PAIR_ENTRIES).receiver),
            Some(BlockAddress::of(0x1000))
        );
    }
}
