//! Branches over a few instructions: a compiler predicates the instructions instead, so that what is around them becomes one block.

use super::lower::LoweredBlock;
use super::op::{Op, Order};
use super::pressure;
use super::words::Word;

/// Longer blocks stay apart: moving their instructions again and again would take time with the square of their number.
const MOST_MERGED: usize = 200;

/// Merges ways of up to `most_predicated` instructions into the block that branches over them, inner ones first. Longer ways stay
/// behind their branch: lanes that do not take them would wait for nothing.
pub(super) fn predicate(blocks: &mut [LoweredBlock], most_predicated: usize) {
    let live_in = pressure::live_in(blocks);
    let mut predecessors = vec![0_u32; blocks.len()];
    // The entry has a predecessor that is no block.
    if let Some(entry) = predecessors.first_mut() {
        *entry = 1;
    }
    for successor in blocks.iter().flat_map(|block| &block.successors) {
        predecessors[successor.index()] += 1;
    }
    let mut merging = Merging { blocks, predecessors, live_in, most_predicated };
    for block in (0..merging.blocks.len()).rev() {
        while merging.predicate_ways(block) || merging.append_only_successor(block) {}
    }
}

struct Merging<'a> {
    blocks: &'a mut [LoweredBlock],
    predecessors: Vec<u32>,
    /// By block, of the source: words live at its start, ascending.
    live_in: Vec<Vec<Word>>,
    most_predicated: usize,
}

impl Merging<'_> {
    /// Predicates the one or two ways from a block to where they meet; whether it did.
    fn predicate_ways(&mut self, block: usize) -> bool {
        let Some(ways) = self.short_ways(block) else { return false };
        let Some(branch) = self.blocks[block].ops.pop() else { return false };
        let end = self.blocks[ways[0]].successors[0];
        let always = match ways[..] {
            [first, second] => self.overwritten_in_both(first, second),
            _ => Vec::new(),
        };
        for (position, &way) in ways.iter().enumerate() {
            let moved = std::mem::take(&mut self.blocks[way]);
            self.predecessors[way] = 0;
            for mut op in moved.ops.into_iter().filter(|op| !op.is_branch()) {
                let is_live = |word: &Word| self.live_in[end.index()].binary_search(word).is_ok();
                let is_first_of_both = |word: &Word| position == 0 && always.contains(word);
                op.is_guarded |= op.writes.iter().any(|word| is_live(word) && !is_first_of_both(word));
                if !op.is_constant() {
                    op.reads_predicates.extend(&branch.reads_predicates);
                }
                self.blocks[block].ops.push(op);
            }
        }
        // Two edges led to the end, now there is one.
        self.predecessors[end.index()] -= 1;
        self.blocks[block].successors = vec![end];
        true
    }

    /// The ways of a branch that may be predicated.
    fn short_ways(&self, block: usize) -> Option<Vec<usize>> {
        let [first, second] = self.blocks[block].successors[..] else { return None };
        let (first, second) = (first.index(), second.index());
        let branch = self.blocks[block].ops.last()?;
        let is_loop = first == block || second == block;
        if first == second || is_loop || !branch.is_branch() || branch.reads_predicates.len() != 1 {
            return None;
        }
        let (ways, end) = match (self.way_to(first), self.way_to(second)) {
            (Some(end), _) if end == second => (vec![first], end),
            (_, Some(end)) if end == first => (vec![second], end),
            (Some(end), Some(other)) if end == other && end != block => (vec![first, second], end),
            _ => return None,
        };
        (!self.only_leaves(end)).then_some(ways)
    }

    /// Whether a block only ends the thread: a predicated exit does the same in front of the way.
    fn only_leaves(&self, block: usize) -> bool {
        let block = &self.blocks[block];
        block.successors.is_empty() && block.ops.len() <= 1
    }

    /// The words that both ways write in any case: nothing of what was there before is left.
    fn overwritten_in_both(&self, first: usize, second: usize) -> Vec<Word> {
        let overwritten = |way: usize| {
            let writers = self.blocks[way].ops.iter().filter(|op| !op.is_guarded);
            writers.flat_map(|op| &op.writes).copied()
        };
        let others: Vec<Word> = overwritten(second).collect();
        overwritten(first).filter(|word| others.contains(word)).collect()
    }

    /// Where a way leads that a block may have predicated.
    fn way_to(&self, way: usize) -> Option<usize> {
        let block = &self.blocks[way];
        let [end] = block.successors[..] else { return None };
        let is_plain = |op: &Op| {
            op.scratch_words == 0
                && (op.order != Order::Full || op.is_branch() && op.reads_predicates.is_empty())
        };
        let is_short = block.ops.iter().filter(|op| !op.is_branch()).count() <= self.most_predicated;
        (self.predecessors[way] == 1 && is_short && end.index() != way && block.ops.iter().all(is_plain))
            .then_some(end.index())
    }

    /// Appends the only successor of a block that is its only predecessor; whether it did.
    fn append_only_successor(&mut self, block: usize) -> bool {
        let [next] = self.blocks[block].successors[..] else { return false };
        let next = next.index();
        let length = self.blocks[block].ops.len() + self.blocks[next].ops.len();
        if next == block || self.predecessors[next] != 1 || length > MOST_MERGED {
            return false;
        }
        let appended = std::mem::take(&mut self.blocks[next]);
        self.predecessors[next] = 0;
        let merged = &mut self.blocks[block];
        if merged.ops.last().is_some_and(Op::is_branch) {
            merged.ops.pop();
        }
        merged.ops.extend(appended.ops);
        merged.successors = appended.successors;
        merged.is_kept_loop |= appended.is_kept_loop;
        true
    }
}
