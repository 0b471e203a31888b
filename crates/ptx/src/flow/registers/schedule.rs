//! The order of a block's instructions.
//!
//! List scheduling from the top: of the instructions whose operands are there, the one with the longest way to the end of the
//! block. It stops moving work up when too many words are live; then whatever frees most comes first. Constants and addresses
//! move down to their first reader at the end.

use fixedbitset::FixedBitSet;
use rustc_hash::{FxHashMap, FxHashSet};

use super::op::{Op, Order};
use super::words::Word;

/// A block with what must stay in front of what.
#[derive(Debug)]
pub(super) struct Block<'a> {
    /// Instructions, in the order of the source.
    pub ops: &'a [Op],
    /// By instruction: those that come after it, and how many cycles later.
    successors: Vec<Vec<(u32, u32)>>,
    /// By instruction: how many come before it.
    predecessors: Vec<u32>,
    /// By instruction: cycles from it to the end of the block.
    height: Vec<u32>,
}

/// A word or a predicate.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Value {
    Word(Word),
    Predicate(u32),
}

impl<'a> Block<'a> {
    /// Of the instructions of a block.
    pub fn new(ops: &'a [Op]) -> Block<'a> {
        let mut block = Block {
            ops,
            successors: vec![Vec::new(); ops.len()],
            predecessors: vec![0; ops.len()],
            height: vec![0; ops.len()],
        };
        block.connect_values();
        block.connect_accesses();
        block.connect_last();
        for index in (0..ops.len()).rev() {
            let ways =
                block.successors[index].iter().map(|&(next, cycles)| block.height[next as usize] + cycles);
            block.height[index] = ways.max().unwrap_or(0);
        }
        block
    }

    fn connect(&mut self, before: usize, after: usize, cycles: u32) {
        if before != after {
            self.successors[before].push((after as u32, cycles));
            self.predecessors[after] += 1;
        }
    }

    fn connect_values(&mut self) {
        let mut writer: FxHashMap<Value, usize> = FxHashMap::default();
        let mut readers: FxHashMap<Value, Vec<usize>> = FxHashMap::default();
        let ops = self.ops;
        for (index, op) in ops.iter().enumerate() {
            // A guarded write keeps what was there.
            let kept = if op.is_guarded { op.writes.as_slice() } else { &[] };
            let reads = op.reads.iter().chain(kept).map(|&word| Value::Word(word));
            for value in reads.chain(op.reads_predicates.iter().map(|register| Value::Predicate(register.0)))
            {
                if let Some(&before) = writer.get(&value) {
                    self.connect(before, index, ops[before].latency);
                }
                readers.entry(value).or_default().push(index);
            }
            let writes = op.writes.iter().map(|&word| Value::Word(word));
            for value in
                writes.chain(op.writes_predicates.iter().map(|register| Value::Predicate(register.0)))
            {
                for before in readers.remove(&value).unwrap_or_default() {
                    self.connect(before, index, 0);
                }
                if let Some(before) = writer.insert(value, index) {
                    self.connect(before, index, 1);
                }
            }
        }
    }

    fn connect_accesses(&mut self) {
        let mut last_full = None;
        // Accesses since then, each with the last write of its address before it.
        let mut since: Vec<(usize, Option<usize>)> = Vec::new();
        let mut written_at: FxHashMap<Word, usize> = FxHashMap::default();
        let ops = self.ops;
        for (index, op) in ops.iter().enumerate() {
            if op.order == Order::Free {
                written_at.extend(op.writes.iter().map(|&word| (word, index)));
                continue;
            }
            if let Some(full) = last_full {
                self.connect(full, index, 0);
            }
            let version = op.address.iter().filter_map(|word| written_at.get(word).copied()).max();
            for &(before, other_version) in &since {
                let is_apart = version == other_version && op.is_apart_from(&ops[before]);
                if op.order.stays_behind(ops[before].order) && !is_apart {
                    self.connect(before, index, 0);
                }
            }
            if op.order == Order::Full {
                last_full = Some(index);
                since.clear();
            } else {
                since.push((index, version));
            }
            written_at.extend(op.writes.iter().map(|&word| (word, index)));
        }
    }

    /// A branch is the end of its block.
    fn connect_last(&mut self) {
        let Some(last) = self.ops.len().checked_sub(1).filter(|&last| self.ops[last].order == Order::Full)
        else {
            return;
        };
        for index in 0..last {
            self.connect(index, last, 0);
        }
    }

    /// The order in which instructions issue when up to `most_words` may be live.
    pub fn schedule(&self, live_in: &FixedBitSet, live_out: &FixedBitSet, most_words: u32) -> Vec<u32> {
        let mut queue = Queue {
            block: self,
            live: Live::new(self.ops, live_in, live_out),
            waits_for: self.predecessors.clone(),
            ready_at: vec![0; self.ops.len()],
            ready: (0..self.ops.len() as u32).filter(|&op| self.predecessors[op as usize] == 0).collect(),
            now: 0,
        };
        let mut order = Vec::with_capacity(self.ops.len());
        while !queue.ready.is_empty() {
            match queue.choose(most_words) {
                Some(op) => {
                    queue.issue(op);
                    order.push(op);
                }
                None => queue.now += 1,
            }
        }
        self.sink(&order, live_out)
    }

    /// Moves arithmetic that makes more words live than it ends down to its first reader: nothing is gained from having an address
    /// long before the access that uses it.
    fn sink(&self, order: &[u32], live_out: &FixedBitSet) -> Vec<u32> {
        // By instruction: the position in front of which it comes.
        let mut anchors = vec![u32::MAX; self.ops.len()];
        let mut is_read_later: FxHashSet<Word> = FxHashSet::default();
        for (position, &index) in (0..order.len() as u32).zip(order).rev() {
            let op = &self.ops[index as usize];
            let ends = |word: &&Word| !is_read_later.contains(*word) && !live_out.contains(**word as usize);
            let ended = op.reads.iter().filter(ends).count();
            let successors = self.successors[index as usize].iter();
            let first_reader =
                successors.map(|&(next, cycles)| anchors[next as usize].saturating_sub(cycles)).min();
            let sinks = op.order == Order::Free
                && !op.holds_operands
                && op.latency <= SINKS_UP_TO
                && op.writes.len() > ended;
            anchors[index as usize] = first_reader.filter(|_| sinks).unwrap_or(position).max(position);
            is_read_later.extend(&op.reads);
        }
        let mut sunk = order.to_vec();
        // The sort is stable: what comes in front of the same instruction stays in order.
        sunk.sort_by_key(|&index| anchors[index as usize]);
        sunk
    }
}

/// Cycles of the slowest instruction that moves down.
const SINKS_UP_TO: u32 = 10;

impl Order {
    /// Whether an access stays behind an earlier one.
    fn stays_behind(self, earlier: Order) -> bool {
        let (space, other) = match (self, earlier) {
            (Order::Free, _) | (_, Order::Free) | (Order::Load(_), Order::Load(_)) => return false,
            (Order::Full, _) | (_, Order::Full) => return true,
            (Order::Load(a) | Order::Store(a), Order::Load(b) | Order::Store(b)) => (a, b),
        };
        space == other || space.is_none() || other.is_none()
    }
}

/// Instructions that can issue.
struct Queue<'a> {
    block: &'a Block<'a>,
    live: Live<'a>,
    waits_for: Vec<u32>,
    ready_at: Vec<u32>,
    ready: Vec<u32>,
    now: u32,
}

impl Queue<'_> {
    /// The next instruction; `None` where waiting is better.
    fn choose(&self, most_words: u32) -> Option<u32> {
        let fits = |op: u32| {
            let op = &self.block.ops[op as usize];
            let more = self.live.growth(op).max(op.scratch_words as i32);
            self.live.words as i32 + more <= most_words as i32
        };
        if self.live.words < most_words {
            let fitting: Vec<u32> = self.ready.iter().copied().filter(|&op| fits(op)).collect();
            if !fitting.is_empty() {
                let in_time = fitting.into_iter().filter(|&op| self.ready_at[op as usize] <= self.now);
                return in_time.max_by_key(|&op| (self.block.height[op as usize], std::cmp::Reverse(op)));
            }
        }
        self.ready.iter().copied().min_by_key(|&op| {
            let growth = self.live.growth(&self.block.ops[op as usize]);
            (growth.max(0), growth >= 0, op)
        })
    }

    fn issue(&mut self, op: u32) {
        let index = op as usize;
        self.now = self.now.max(self.ready_at[index]);
        self.live.issue(&self.block.ops[index]);
        self.ready.retain(|&other| other != op);
        for &(next, cycles) in &self.block.successors[index] {
            let ready_at = &mut self.ready_at[next as usize];
            *ready_at = (*ready_at).max(self.now + cycles);
            self.waits_for[next as usize] -= 1;
            if self.waits_for[next as usize] == 0 {
                self.ready.push(next);
            }
        }
        self.now += 1;
    }
}

/// Words that are live while a block issues.
#[derive(Debug)]
pub(super) struct Live<'a> {
    live: FixedBitSet,
    live_out: &'a FixedBitSet,
    /// By word: reads that are left.
    reads_left: FxHashMap<Word, u32>,
    /// How many are live.
    pub words: u32,
}

impl<'a> Live<'a> {
    /// At the start of a block.
    pub fn new(ops: &[Op], live_in: &FixedBitSet, live_out: &'a FixedBitSet) -> Live<'a> {
        let mut reads_left = FxHashMap::default();
        for word in ops.iter().flat_map(|op| &op.reads) {
            *reads_left.entry(*word).or_insert(0) += 1;
        }
        Live { live: live_in.clone(), live_out, reads_left, words: live_in.count_ones(..) as u32 }
    }

    fn ends_with(&self, word: Word, reads: u32) -> bool {
        !self.live_out.contains(word as usize) && self.reads_left.get(&word).copied().unwrap_or(0) == reads
    }

    /// How many more words are live after an instruction.
    fn growth(&self, op: &Op) -> i32 {
        let ends = |word: Word| self.live.contains(word as usize) && self.ends_with(word, 1);
        let ended = op.reads.iter().filter(|&&word| ends(word)).count();
        let is_new =
            |word: Word| !self.live.contains(word as usize) || (op.reads.contains(&word) && ends(word));
        let begun = op.writes.iter().filter(|&&word| is_new(word)).count();
        begun as i32 - ended as i32
    }

    /// Issues an instruction; gives back the words that end with it and how many were live just after it.
    pub fn issue(&mut self, op: &Op) -> (Vec<Word>, u32) {
        let mut ended = Vec::new();
        for &word in &op.reads {
            if self.ends_with(word, 1) && self.contains(word) {
                self.end(word);
                ended.push(word);
            }
            if let Some(reads) = self.reads_left.get_mut(&word) {
                *reads -= 1;
            }
        }
        for &word in &op.writes {
            if !self.live.put(word as usize) {
                self.words += 1;
            }
        }
        let just_after = self.words;
        for &word in &op.writes {
            if self.ends_with(word, 0) {
                self.end(word);
            }
        }
        (ended, just_after)
    }

    /// Whether a word is live.
    pub fn contains(&self, word: Word) -> bool {
        self.live.contains(word as usize)
    }

    /// The live words.
    pub fn iter(&self) -> impl Iterator<Item = Word> + '_ {
        self.live.ones().map(|word| word as Word)
    }

    fn end(&mut self, word: Word) {
        if self.contains(word) {
            self.live.set(word as usize, false);
            self.words -= 1;
        }
    }
}
