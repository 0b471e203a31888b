//! Most words that are live at once, over all blocks.

use std::collections::VecDeque;

use fixedbitset::FixedBitSet;

use super::lower::{Lowered, LoweredBlock};
use super::op::{Op, Order};
use super::schedule::{Block, Live};
use super::unroll::unrolled;
use super::words::Word;
use crate::flow::BlockId;
use crate::flow::liveness::{Crossings, live_in_of};

/// Loads and stores whose operands stay taken: as many as there are scoreboards to wait for them with.
const HOLDERS: usize = 6;

/// Blocks with more instructions stay in the order of the source.
const MOST_SCHEDULED: usize = 4_000;

/// Most words live at once, and most with those that loads and stores under way hold.
pub(super) fn of(lowered: &Lowered, most_words: u32) -> (u32, u32) {
    let live_in = live_in(&lowered.blocks);
    let (mut live_peak, mut held_peak) = (0, 0);
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
        let (live, held) = of_block(ops, repeated.as_deref(), &at_start, &at_end, most_words);
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
    most_words: u32,
) -> (u32, u32) {
    let in_source_order: Vec<u32> = (0..ops.len() as u32).collect();
    let source = measure(ops, &in_source_order, live_in, live_out, 0);
    if ops.len() > MOST_SCHEDULED {
        return source;
    }
    let block = Block::new(ops);
    let tight = measure(ops, &block.schedule(live_in, live_out, 0), live_in, live_out, 0);
    // What must be live whatever the order: no schedule is worse than both.
    let fewest = source.0.min(tight.0);
    let ops = repeated.unwrap_or(ops);
    let order = Block::new(ops).schedule(live_in, live_out, most_words);
    let (live, held) = measure(ops, &order, live_in, live_out, most_words);
    let most = fewest.max(most_words);
    (live.min(most), held.min(most))
}

/// Words live, and words live or held up to `most_held`.
fn measure(
    ops: &[Op],
    order: &[u32],
    live_in: &FixedBitSet,
    live_out: &FixedBitSet,
    most_held: u32,
) -> (u32, u32) {
    let mut live = Live::new(ops, live_in, live_out);
    let (mut live_peak, mut held_peak) = (live.words, 0);
    let mut holders: VecDeque<u32> = VecDeque::with_capacity(HOLDERS + 1);
    for &index in order {
        let op = &ops[index as usize];
        live_peak = live_peak.max(live.words + op.scratch_words);
        let (ended, just_after) = live.issue(op);
        if op.order == Order::Full {
            // A barrier waits for the accesses in front of it.
            holders.clear();
        }
        if op.holds_operands && ended > 0 {
            holders.push_back(ended);
            if holders.len() > HOLDERS {
                holders.pop_front();
            }
        }
        live_peak = live_peak.max(just_after);
        held_peak = held_peak.max((just_after + holders.iter().sum::<u32>()).min(most_held));
    }
    (live_peak, held_peak.max(live_peak))
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
