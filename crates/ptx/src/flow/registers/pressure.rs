//! Most words that are live at once, over all blocks.

use std::borrow::Cow;
use std::collections::VecDeque;

use fixedbitset::FixedBitSet;

use super::Family;
use super::banks::{Banks, HALF};
use super::lower::{Lowered, LoweredBlock};
use super::op::{Op, Order};
use super::schedule::{Block, Live};
use super::unroll::unrolled;
use super::words::Word;
use crate::flow::BlockId;
use crate::flow::liveness::{Crossings, live_in_of};

/// Blocks with more instructions stay in the order of the source.
const MOST_SCHEDULED: usize = 4_000;

/// Most words live at once, and most with those that loads and stores under way hold.
pub(super) fn of(lowered: &Lowered, family: &Family) -> (u32, u32) {
    let live_in = live_in(&lowered.blocks);
    let (mut live_peak, mut held_peak) = (0, 0);
    let mut banks = Banks::default();
    lowered.blocks.iter().for_each(|block| banks.note(&block.ops));
    let mut at_start = FixedBitSet::with_capacity(lowered.words as usize);
    let mut at_end = FixedBitSet::with_capacity(lowered.words as usize);
    for (index, (block, start)) in lowered.blocks.iter().zip(&live_in).enumerate() {
        at_start.clear();
        at_end.clear();
        at_start.extend(start.iter().map(|&word| word as usize));
        for successor in &block.successors {
            at_end.extend(live_in[successor.index()].iter().map(|&word| word as usize));
        }
        let is_loop = block.successors.iter().any(|successor| successor.index() == index);
        let ops = &block.ops;
        let hoisted = if is_loop { hoist_constants(ops, &mut at_start, &mut at_end) } else { None };
        let ops = hoisted.as_deref().unwrap_or(ops);
        let unrolls = is_loop && !block.is_kept_loop;
        let mut words = lowered.words;
        let repeated = if unrolls { unrolled(ops, &at_end, &mut words) } else { None };
        at_start.grow(words as usize);
        at_end.grow(words as usize);
        let mut file = RegisterFile { family, banks: Cow::Borrowed(&banks) };
        if let Some(repeated) = &repeated {
            file.banks.to_mut().note(repeated);
        }
        let (live, held) = of_block(ops, repeated.as_deref(), &at_start, &at_end, &file);
        live_peak = live_peak.max(live);
        held_peak = held_peak.max(held);
    }
    (live_peak, held_peak)
}

/// The instructions of a loop without the constants, which are loaded in front of it and stay.
fn hoist_constants(ops: &[Op], at_start: &mut FixedBitSet, at_end: &mut FixedBitSet) -> Option<Vec<Op>> {
    if !ops.iter().any(Op::is_constant) {
        return None;
    }
    let (constants, ops): (Vec<&Op>, Vec<&Op>) = ops.iter().partition(|op| op.is_constant());
    for word in constants.into_iter().flat_map(|op| &op.writes) {
        at_start.insert(*word as usize);
        at_end.insert(*word as usize);
    }
    Some(ops.into_iter().cloned().collect())
}

/// Of a block, which may be a loop that is repeated.
fn of_block(
    ops: &[Op],
    repeated: Option<&[Op]>,
    live_in: &FixedBitSet,
    live_out: &FixedBitSet,
    file: &RegisterFile<'_>,
) -> (u32, u32) {
    let in_source_order: Vec<u32> = (0..ops.len() as u32).collect();
    let source = most_live(ops, &in_source_order, live_in, live_out);
    if ops.len() > MOST_SCHEDULED {
        return (source, source);
    }
    let block = Block::new(ops);
    let tight = most_live(ops, &block.schedule(live_in, live_out, 0), live_in, live_out);
    // What must be live whatever the order: no schedule is worse than both.
    let fewest = source.min(tight);
    let ops = repeated.unwrap_or(ops);
    let most_words = file.family.schedule_words;
    let order = Block::new(ops).schedule(live_in, live_out, most_words);
    let (live, held) = file.measure(ops, &order, live_in, live_out);
    let most = fewest.max(most_words);
    (live.min(most), held.min(most))
}

/// Most words live.
fn most_live(ops: &[Op], order: &[u32], live_in: &FixedBitSet, live_out: &FixedBitSet) -> u32 {
    let mut live = Live::new(ops, live_in, live_out);
    let most = order.iter().map(|&index| {
        let op = &ops[index as usize];
        let before = live.words + op.scratch_words;
        before.max(live.issue(op).1)
    });
    most.max().unwrap_or(0).max(live_in.count_ones(..) as u32)
}

/// Where the words of a block are.
struct RegisterFile<'a> {
    family: &'a Family,
    banks: Cow<'a, Banks>,
}

impl RegisterFile<'_> {
    /// Most words live, and most that are live or held, up to those of a full SM.
    fn measure(
        &self,
        ops: &[Op],
        order: &[u32],
        live_in: &FixedBitSet,
        live_out: &FixedBitSet,
    ) -> (u32, u32) {
        let mut live = Live::new(ops, live_in, live_out);
        let (mut live_peak, mut held_peak) = (live.words, 0);
        let mut under_way: VecDeque<Vec<Word>> = VecDeque::with_capacity(self.family.accesses_under_way + 1);
        for &index in order {
            let op = &ops[index as usize];
            live_peak = live_peak.max(live.words + op.scratch_words);
            let (ended, just_after) = live.issue(op);
            live_peak = live_peak.max(just_after);
            if op.order == Order::Full {
                // A barrier waits for the accesses in front of it.
                under_way.clear();
            }
            let holds = self.holds(op, ended);
            if !holds.is_empty() {
                under_way.push_back(holds);
            }
            if under_way.len() > self.family.accesses_under_way {
                under_way.pop_front();
            }
            held_peak = held_peak.max(just_after + self.held(&live, &under_way));
        }
        (live_peak, held_peak.min(self.family.schedule_words).max(live_peak))
    }

    /// The words that an access reads late, with those of them that end there.
    fn holds(&self, op: &Op, mut ended: Vec<Word>) -> Vec<Word> {
        if !op.holds_operands {
            return Vec::new();
        }
        if !self.family.has_banks {
            return ended;
        }
        match (op.writes.len(), ended.len()) {
            // What a store reads may end before the store has read it.
            (0, _) => op.reads.clone(),
            (1, 2) => vec![HALF],
            // A load writes over its own address.
            (results, words) => {
                ended.truncate(words.saturating_sub(results));
                ended
            }
        }
    }

    /// Registers that hold no live word, but cannot be written yet or are in a bank that no word asks for.
    fn held(&self, live: &Live<'_>, under_way: &VecDeque<Vec<Word>>) -> u32 {
        let words = under_way.iter().flatten().copied();
        let mut held: Vec<Word> = words.filter(|&word| word == HALF || !live.contains(word)).collect();
        held.sort_unstable();
        held.dedup_by(|next, word| next == word && *word != HALF);
        let padding = if self.family.has_banks {
            self.banks.padding(live.iter().chain(held.iter().copied()))
        } else {
            0
        };
        held.len() as u32 + padding
    }
}

/// By block: words live at its start, ascending.
pub(super) fn live_in(blocks: &[LoweredBlock]) -> Vec<Vec<Word>> {
    let words = blocks.iter().flat_map(|block| &block.ops).flat_map(|op| op.reads.iter().chain(&op.writes));
    let mut crossings = Crossings::new(words.max().map_or(0, |word| *word as usize + 1));
    for (number, block) in (0..).zip(blocks) {
        for op in &block.ops {
            op.reads.iter().for_each(|&word| crossings.read(word, number));
            if !op.is_guarded {
                op.writes.iter().for_each(|&word| crossings.write(word, number));
            }
        }
    }
    let successors: Vec<&[BlockId]> = blocks.iter().map(|block| block.successors.as_slice()).collect();
    live_in_of(&successors, crossings)
}
