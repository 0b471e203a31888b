//! Loops that a compiler repeats: one block that counts in constant steps, without barriers.

use fixedbitset::FixedBitSet;
use rustc_hash::FxHashMap;

use super::op::{Op, Order};
use super::words::Word;

/// How often the body of a loop is repeated: ptxas 11.8 does so for the loops of the suite and of PolyBench/GPU that it repeats.
const TIMES: usize = 4;
/// Longer bodies stay as they are.
const MOST_OPS: usize = 60;

/// Whether a counter with constant steps decides about the end of a loop of one block.
fn is_counted(body: &[Op], branch: &Op) -> bool {
    let steps = || body.iter().filter(|op| op.adds.is_some() && !op.is_guarded);
    let is_counter = |word: &Word| steps().any(|step| step.writes.contains(word));
    let mut tests = body.iter().filter(|op| {
        op.writes_predicates.iter().any(|predicate| branch.reads_predicates.contains(predicate))
    });
    tests.any(|test| test.reads.iter().any(is_counter))
}

/// The instructions of a loop, repeated; values that stay inside get new words each time, and what counts in constant steps does so
/// once for all. `None` where it stays as it is.
pub(super) fn unrolled(ops: &[Op], live_out: &FixedBitSet, words: &mut u32) -> Option<Vec<Op>> {
    let (branch, body) = ops.split_last()?;
    if ops.len() > MOST_OPS
        || !is_counted(body, branch)
        || body.iter().any(|op| op.order == Order::Full || is_predicated_store(op) || op.scratch_words > 1)
    {
        return None;
    }
    let is_test = |op: &&Op| {
        op.writes.is_empty()
            && !op.writes_predicates.is_empty()
            && op.writes_predicates.iter().all(|predicate| branch.reads_predicates.contains(predicate))
    };
    let (tests, body): (Vec<&Op>, Vec<&Op>) = body.iter().partition(is_test);
    let writes = body_writes(ops);
    let (steps, body): (Vec<&Op>, Vec<&Op>) = body.into_iter().partition(|op| is_step(op, &writes));
    let mut all = Vec::with_capacity(TIMES * body.len() + ops.len());
    for copy in 0..TIMES {
        let mut renamed: FxHashMap<Word, Word> = FxHashMap::default();
        if copy > 0 {
            for &word in
                body.iter().flat_map(|op| &op.writes).filter(|&&word| !live_out.contains(word as usize))
            {
                renamed.entry(word).or_insert_with(|| fresh(words));
            }
        }
        let mut advanced: FxHashMap<Word, Word> = FxHashMap::default();
        for op in &body {
            let mut op = (*op).clone();
            if copy > 0 {
                move_bytes(&mut op, &steps, copy as i64);
                advance(&mut op, &steps, &mut advanced, words, &mut all);
            }
            op.rename(|word| renamed.get(&word).copied().unwrap_or(word));
            all.push(op);
        }
    }
    all.extend(steps.into_iter().chain(tests).cloned());
    all.push(branch.clone());
    Some(all)
}

/// Loops are repeated before branches become predicates, those without stores on a way excepted: these are selections.
fn is_predicated_store(op: &Op) -> bool {
    matches!(op.order, Order::Store(_)) && !op.reads_predicates.is_empty()
}

fn fresh(words: &mut u32) -> Word {
    *words += 1;
    *words - 1
}

/// How often each word is written.
fn body_writes(ops: &[Op]) -> FxHashMap<Word, u32> {
    let mut writes = FxHashMap::default();
    for word in ops.iter().flat_map(|op| &op.writes) {
        *writes.entry(*word).or_insert(0) += 1;
    }
    writes
}

/// Whether an instruction adds a constant to what nothing else changes.
fn is_step(op: &Op, writes: &FxHashMap<Word, u32>) -> bool {
    let is_written_once = |word: &Word| writes.get(word) == Some(&1) && op.reads.contains(word);
    op.adds.is_some()
        && !op.is_guarded
        && op.reads.len() == op.writes.len()
        && op.writes.iter().all(is_written_once)
}

/// Moves an access by the steps of its address so far.
fn move_bytes(op: &mut Op, steps: &[&Op], times: i64) {
    let Some(bytes) = &mut op.bytes else { return };
    for step in steps.iter().filter(|step| step.writes.iter().any(|word| op.address.contains(word))) {
        bytes.start = bytes.start.wrapping_add(step.adds.unwrap_or(0).wrapping_mul(times));
    }
}

/// Puts the sum of a counter and its steps so far in front of an instruction that reads it; an access has the steps in its offset.
fn advance(
    op: &mut Op,
    steps: &[&Op],
    advanced: &mut FxHashMap<Word, Word>,
    words: &mut u32,
    all: &mut Vec<Op>,
) {
    for step in steps {
        let is_needed = |word: &Word| op.reads.contains(word) && !op.address.contains(word);
        if !step.writes.iter().any(is_needed) {
            continue;
        }
        if !advanced.contains_key(&step.writes[0]) {
            let mut sum = (*step).clone();
            for word in &mut sum.writes {
                *word = *advanced.entry(*word).or_insert_with(|| fresh(words));
            }
            all.push(sum);
        }
        op.rename_reads(|word| advanced.get(&word).copied().unwrap_or(word));
    }
}
