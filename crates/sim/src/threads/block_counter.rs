//! Thread blocks for SMs that run side by side, in the order in which one thread would launch them.

use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::{Acquire, Release};
use std::sync::{Mutex, PoisonError};

use super::lock;
use crate::thread_blocks::ThreadBlockScheduler;

/// The thread blocks that are left, for all threads of a window.
///
/// An SM with room at the end of a cycle gets a thread block before the next one. Which one depends on the SMs that have room in
/// the same cycle, and on all cycles before. So its thread waits until all have finished the cycle.
pub(crate) struct BlockCounter {
    has_more: AtomicBool,
    state: Mutex<BlockCounterState>,
}

struct BlockCounterState {
    blocks: ThreadBlockScheduler,
    /// SMs that had room at the end of a cycle, and for which no choice was made.
    asking: Vec<(u64, usize)>,
    sms: usize,
    /// SM, thread block and cycle of those that were given and not yet fetched.
    given: Vec<(usize, u64, u64)>,
    launched: Vec<(usize, u64, u64)>,
}

impl BlockCounter {
    pub fn new(blocks: &ThreadBlockScheduler, sms: usize) -> Self {
        let state = BlockCounterState {
            blocks: blocks.clone(),
            asking: Vec::new(),
            sms,
            given: Vec::new(),
            launched: Vec::new(),
        };
        Self { has_more: AtomicBool::new(blocks.has_more()), state: Mutex::new(state) }
    }

    /// Whether some are left.
    #[inline]
    pub fn has_more(&self) -> bool {
        self.has_more.load(Acquire)
    }

    /// An SM has room at the end of a cycle.
    pub fn ask(&self, cycle: u64, sm: usize) {
        lock(&self.state).asking.push((cycle, sm));
    }

    /// Gives thread blocks to the SMs that asked up to `cycle`, which all threads have finished.
    pub fn settle(&self, cycle: u64) {
        let state = &mut *lock(&self.state);
        while let Some(first) =
            state.asking.iter().map(|&(asked, _)| asked).filter(|&asked| asked <= cycle).min()
        {
            let mut is_asking = vec![false; state.sms];
            for &(_, sm) in state.asking.iter().filter(|&&(asked, _)| asked == first) {
                is_asking[sm] = true;
            }
            state.asking.retain(|&(asked, _)| asked != first);
            let (given, launched) = (&mut state.given, &mut state.launched);
            state.blocks.round(
                &mut is_asking,
                |_, &is_asking| is_asking,
                |sm, _, block| {
                    given.push((sm, block, first));
                    launched.push((sm, block, first));
                },
            );
        }
        if !state.blocks.has_more() {
            self.has_more.store(false, Release);
        }
    }

    /// The thread block that an SM was given in a cycle.
    pub fn fetch(&self, cycle: u64, sm: usize) -> Option<u64> {
        let given = &mut lock(&self.state).given;
        let place = given.iter().position(|&(to, _, at)| to == sm && at == cycle)?;
        Some(given.swap_remove(place).1)
    }
    /// Tells which SM got which thread block in which cycle, and returns those that are left.
    pub fn finish(self, on_launch: &mut dyn FnMut(usize, u64, u64)) -> ThreadBlockScheduler {
        let state = self.state.into_inner().unwrap_or_else(PoisonError::into_inner);
        state.launched.iter().for_each(|&(sm, block, cycle)| on_launch(sm, block, cycle));
        state.blocks
    }
}
