//! Most words that are live at once, over all blocks.

use std::collections::VecDeque;

use fixedbitset::FixedBitSet;

use super::lower::{Lowered, Op};
use super::schedule::{Block, Live};
use super::unroll::unrolled;
use crate::flow::ControlFlow;
use crate::flow::liveness::{Crossings, live_in_of};

/// Loads and stores whose operands stay taken: as many as there are scoreboards to wait for them with.
const HOLDERS: usize = 6;

/// Blocks with more instructions stay in the order of the source.
const MOST_SCHEDULED: usize = 4_000;

/// Most words live at once, and most with those that loads and stores under way hold.
pub(super) fn of(lowered: &Lowered, flow: &ControlFlow, most_words: u32) -> (u32, u32) {
    let live_in = live_in_of(flow, crossings(lowered));
    let (mut live_peak, mut held_peak) = (0, 0);
    let mut at_start = FixedBitSet::with_capacity(lowered.words as usize);
    let mut at_end = FixedBitSet::with_capacity(lowered.words as usize);
    let blocks = lowered.blocks.iter().zip(&lowered.unrolls);
    for (((ops, unrolls), block), start) in blocks.zip(&flow.blocks).zip(&live_in) {
        at_start.clear();
        at_end.clear();
        at_start.extend(start.iter().map(|&word| word as usize));
        for successor in &block.successors {
            at_end.extend(live_in[successor.index()].iter().map(|&word| word as usize));
        }
        let mut words = lowered.words;
        let repeated = if *unrolls { unrolled(ops, &at_end, &mut words) } else { None };
        at_start.grow(words as usize);
        at_end.grow(words as usize);
        let (live, held) = of_block(ops, repeated.as_deref(), &at_start, &at_end, most_words);
        live_peak = live_peak.max(live);
        held_peak = held_peak.max(held);
    }
    (live_peak, held_peak)
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

fn crossings(lowered: &Lowered) -> Crossings {
    let mut crossings = Crossings::new(lowered.words as usize);
    for (block, ops) in (0..).zip(&lowered.blocks) {
        for op in ops {
            op.reads.iter().for_each(|&word| crossings.read(word, block));
            if !op.is_guarded {
                op.writes.iter().for_each(|&word| crossings.write(word, block));
            }
        }
    }
    crossings
}
