//! The two banks of registers since Volta: even and odd ones.
//!
//! Pairs begin with an even register. ptxas 11.8 puts the data of a store into an odd register, because the low word of its
//! address is in an even one, and a loaded operand into another bank than the operand that it is combined with. The registers of
//! the other bank between them stay empty where there is nothing to put there.

use rustc_hash::FxHashSet;

use super::op::Op;
use super::words::Word;

/// What is left of a pair of which a loaded word took the odd half.
pub(super) const HALF: Word = Word::MAX;

/// Which words ask for a bank.
#[derive(Clone, Debug, Default)]
pub(super) struct Banks {
    /// Results of loads and exchanges.
    loaded: FxHashSet<Word>,
    /// Words of pairs and vectors, which fill both banks.
    paired: FxHashSet<Word>,
    /// Words that are in odd registers.
    odd: FxHashSet<Word>,
}

impl Banks {
    /// Adds what the instructions of a block ask for.
    pub fn note(&mut self, ops: &[Op]) {
        for op in ops {
            if op.address.len() > 1 {
                self.paired.extend(&op.address);
            }
            match op.writes[..] {
                [result] if op.holds_operands => {
                    self.loaded.insert(result);
                }
                [_] | [] => {}
                _ => self.paired.extend(&op.writes),
            }
        }
        for op in ops {
            self.note_operands(op);
        }
    }

    fn note_operands(&mut self, op: &Op) {
        let is_single = |word: &Word| !op.address.contains(word) && !self.paired.contains(word);
        let singles: Vec<Word> = op.reads.iter().copied().filter(is_single).collect();
        match (op.holds_operands, op.writes.len()) {
            (true, 0) => match singles[..] {
                [data] if op.address.len() > 1 => {
                    self.odd.insert(data);
                }
                _ => self.paired.extend(&singles),
            },
            (false, 1) if singles.len() > 1 && !singles.iter().any(|word| self.odd.contains(word)) => {
                self.odd.extend(singles.iter().find(|&word| self.loaded.contains(word)));
            }
            _ => {}
        }
    }

    /// How many even registers stay empty.
    pub fn padding(&self, words: impl Iterator<Item = Word>) -> u32 {
        let (mut odd, mut either) = (0_u32, 0_u32);
        for word in words {
            if self.odd.contains(&word) {
                odd += 1;
            } else if !self.paired.contains(&word) {
                either += 1;
            }
        }
        odd.saturating_sub(either)
    }
}
