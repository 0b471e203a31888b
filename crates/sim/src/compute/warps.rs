//! Warp slots: what fetch, issue and exit ask of all warps at once, as one bit per slot.
//!
//! Masks answer "which warps can …?" without visiting them; the slots hold the few numbers behind the bits. A
//! function that changes a number here keeps its bit true.

use super::MAX_WARPS;
use super::scoreboard::{Scoreboard, Wait};
use super::timing::{InstructionTiming, KernelTiming, PIPES};
use crate::base::Sharing;

/// A set of warp slots.
pub type WarpMask = u64;

/// Sets of warps by pipe, more than there are: a power of two.
const WANTED: usize = PIPES.next_power_of_two();

/// All warp slots of an SM.
#[derive(Clone, Debug)]
pub struct Warps {
    /// Slots that hold a warp of a resident thread block.
    pub resident: WarpMask,
    /// Warps with lanes that have not ended.
    pub running: WarpMask,
    /// Warps with an instruction in their buffer.
    pub buffered: WarpMask,
    /// Warps whose buffered instruction is not the one they need next.
    pub misfetched: WarpMask,
    /// Warps whose buffered instruction has all its registers.
    pub clear: WarpMask,
    /// Warps whose buffered instruction reads a register that waits for memory outside the SM.
    awaiting_memory: WarpMask,
    /// Per pipe: warps whose buffered instruction issues to it.
    pub wants: [WarpMask; WANTED],
    /// Warps whose buffered instruction may fail or touches what all SMs share, of them those that touch it, and those that change it.
    failing: WarpMask,
    touching: WarpMask,
    writing: WarpMask,
    /// Warps at a barrier.
    pub at_barrier: WarpMask,
    /// Warps behind a fence, until their registers are written.
    pub at_fence: WarpMask,
    /// Warps with atomics on their way.
    pub awaiting_atomics: WarpMask,
    /// Warps that wait for an instruction line.
    pub awaiting_fetch: WarpMask,
    /// Warps with instructions between issue and completion.
    pub in_pipeline: WarpMask,
    /// Warps with stores that are not acknowledged.
    pub awaiting_stores: WarpMask,
    /// Warps with asynchronous copies under way.
    pub awaiting_copies: WarpMask,
    /// Warps that wait for asynchronous copies.
    pub at_copies: WarpMask,
    /// Something has happened that issue or exit may have waited for; who looks at all warps clears it.
    pub has_news: bool,
    buffer_instructions: u8,
    slots: [Slot; MAX_WARPS],
}

/// The numbers of one warp, side by side in a cache line: who looks at one of them mostly looks at others.
#[derive(Clone, Copy, Debug, Default)]
#[repr(align(32))]
struct Slot {
    /// The instruction that the warp needs next.
    next_pc: u32,
    buffer_pc: u32,
    fetch_pc: u32,
    in_pipeline: u16,
    stores: u16,
    atomics: u16,
    buffer_len: u8,
    /// The pipe that the warp's bit is in.
    wanted_pipe: u8,
}

impl Warps {
    /// All slots empty; a fetch brings `buffer_instructions`.
    pub fn new(buffer_instructions: u8) -> Self {
        Self {
            buffer_instructions,
            resident: 0,
            running: 0,
            buffered: 0,
            misfetched: 0,
            clear: 0,
            awaiting_memory: 0,
            wants: [0; WANTED],
            failing: 0,
            touching: 0,
            writing: 0,
            at_barrier: 0,
            at_fence: 0,
            awaiting_atomics: 0,
            awaiting_fetch: 0,
            in_pipeline: 0,
            awaiting_stores: 0,
            awaiting_copies: 0,
            at_copies: 0,
            has_news: false,
            slots: [Slot::default(); MAX_WARPS],
        }
    }

    /// A warp of a new thread block takes the slot.
    pub fn start(&mut self, warp: usize) {
        let bit = 1 << warp;
        self.resident |= bit;
        self.running |= bit;
        self.slots[warp].next_pc = 0;
        self.slots[warp].fetch_pc = 0;
        self.flush(warp);
    }

    /// Warps that may issue if their registers and pipe allow it.
    #[inline]
    pub fn candidates(&self) -> WarpMask {
        self.running
            & self.buffered
            & !(self.at_barrier | self.at_fence | self.awaiting_atomics | self.at_copies)
    }

    /// Warps that will not issue before something far away has happened.
    #[inline]
    pub fn parked(&self) -> WarpMask {
        let has_instruction = self.buffered & !self.misfetched;
        !self.running
            | self.at_barrier
            | self.at_fence
            | self.at_copies
            | self.awaiting_atomics
            | self.awaiting_memory & has_instruction
    }

    /// What the buffered instructions of some warps do at most to what all SMs share.
    #[inline]
    pub fn sharing(&self, warps: WarpMask) -> Sharing {
        let warps = warps & self.buffered & !self.misfetched;
        // Of a warp that is not in the first set the others know nothing.
        let warps = warps & self.failing;
        if warps == 0 {
            Sharing::Nothing
        } else if warps & self.touching == 0 {
            Sharing::MayFail
        } else if warps & self.writing == 0 {
            Sharing::Reads
        } else {
            Sharing::Writes
        }
    }

    /// Warps whose buffered instruction waits for registers that come from memory outside the SM.
    #[inline]
    pub fn awaiting_memory(&self) -> WarpMask {
        self.awaiting_memory
    }

    /// Warps that fetch can serve.
    #[inline]
    pub fn fetchable(&self) -> WarpMask {
        self.running & !self.buffered & !self.awaiting_fetch
    }

    /// Warps of which nothing is left but their slot.
    #[inline]
    pub fn exitable(&self, scoreboard: &Scoreboard) -> WarpMask {
        let outstanding = self.in_pipeline | self.awaiting_stores | self.awaiting_copies;
        self.resident & !(self.running | outstanding | scoreboard.waiting_warps())
    }

    /// The instruction that would issue.
    #[inline]
    pub fn buffer_pc(&self, warp: usize) -> u32 {
        self.slots[warp % MAX_WARPS].buffer_pc
    }

    /// The instruction that fetch brings next.
    #[inline]
    pub fn fetch_pc(&self, warp: usize) -> u32 {
        self.slots[warp % MAX_WARPS].fetch_pc
    }

    /// Fetched instructions arrive in the buffer.
    pub fn fill_buffer(&mut self, warp: usize, timing: &KernelTiming, scoreboard: &Scoreboard) {
        let slot = &mut self.slots[warp % MAX_WARPS];
        slot.buffer_pc = slot.fetch_pc;
        slot.buffer_len = self.buffer_instructions;
        self.buffered |= 1 << warp;
        self.look_at_head(warp, timing, scoreboard);
    }

    /// The buffered instruction has issued; the warp needs `next_pc` next (`None`: it has ended).
    #[inline]
    pub fn pop_buffer(&mut self, warp: usize, next_pc: Option<u32>) {
        let slot = &mut self.slots[warp % MAX_WARPS];
        slot.buffer_pc += 1;
        slot.fetch_pc = slot.buffer_pc;
        slot.buffer_len -= 1;
        if slot.buffer_len == 0 {
            self.buffered &= !(1 << warp);
        }
        match next_pc {
            Some(pc) => slot.next_pc = pc,
            None => self.running &= !(1 << warp),
        }
    }

    /// Empties the buffer.
    #[inline]
    pub fn flush(&mut self, warp: usize) {
        self.slots[warp].buffer_len = 0;
        self.buffered &= !(1 << warp);
    }

    /// Issue found the wrong instruction: fetch starts again where the warp is.
    pub fn redirect(&mut self, warp: usize) {
        self.flush(warp);
        self.slots[warp].fetch_pc = self.slots[warp].next_pc;
    }

    /// Renews what the masks say of the buffered instruction.
    #[inline(always)]
    pub fn look_at_head(&mut self, warp: usize, timing: &KernelTiming, scoreboard: &Scoreboard) {
        let (bit, slot) = (1 << warp, &mut self.slots[warp % MAX_WARPS]);
        let instruction = if slot.buffer_pc == slot.next_pc { timing.get(slot.buffer_pc) } else { None };
        let Some(instruction) = instruction else {
            self.misfetched |= bit;
            return;
        };
        self.misfetched &= !bit;
        let pipe = instruction.pipe as u8;
        let before = std::mem::replace(&mut slot.wanted_pipe, pipe);
        self.wants[usize::from(before) % WANTED] &= !bit;
        self.wants[usize::from(pipe) % WANTED] |= bit;
        self.failing &= !bit;
        if instruction.sharing > Sharing::Nothing {
            self.failing |= bit;
            self.touching &= !bit;
            self.writing &= !bit;
            self.touching |= u64::from(instruction.sharing >= Sharing::Reads) << warp;
            self.writing |= u64::from(instruction.sharing == Sharing::Writes) << warp;
        }
        self.look_at_registers(warp, instruction, timing, scoreboard);
    }

    /// Registers of the warp were released: its buffered instruction may have waited for them.
    #[inline(always)]
    pub fn note_release(&mut self, warp: usize, timing: &KernelTiming, scoreboard: &Scoreboard) {
        self.has_news = true;
        if (self.buffered & !self.misfetched & !self.clear) >> warp & 1 == 1 {
            let instruction = timing.at(self.buffer_pc(warp));
            self.look_at_registers(warp, instruction, timing, scoreboard);
        }
    }

    /// Renews whether the buffered instruction, which is the one the warp needs, has its registers.
    #[inline(always)]
    fn look_at_registers(
        &mut self,
        warp: usize,
        instruction: &InstructionTiming,
        timing: &KernelTiming,
        scoreboard: &Scoreboard,
    ) {
        let bit = 1 << warp;
        self.awaiting_memory &= !bit;
        match scoreboard.wait_for(warp, timing.registers(instruction.touched)) {
            Wait::Nothing => {
                self.clear |= bit;
                return;
            }
            Wait::Shortly => {}
            Wait::Memory => {
                if reads_from_memory(warp, self.buffer_pc(warp), timing, scoreboard) {
                    self.awaiting_memory |= bit;
                }
            }
        }
        self.clear &= !bit;
    }

    /// An instruction entered the pipeline.
    #[inline]
    pub fn enter_pipeline(&mut self, warp: usize) {
        count_up(&mut self.slots[warp % MAX_WARPS].in_pipeline, &mut self.in_pipeline, warp);
    }

    /// An instruction left the pipeline.
    #[inline]
    pub fn leave_pipeline(&mut self, warp: usize) {
        self.has_news = true;
        count_down(&mut self.slots[warp % MAX_WARPS].in_pipeline, &mut self.in_pipeline, warp);
    }

    /// A store was sent.
    #[inline]
    pub fn send_store(&mut self, warp: usize) {
        count_up(&mut self.slots[warp % MAX_WARPS].stores, &mut self.awaiting_stores, warp);
    }

    /// A store was acknowledged.
    #[inline]
    pub fn acknowledge_store(&mut self, warp: usize) {
        self.has_news = true;
        count_down(&mut self.slots[warp % MAX_WARPS].stores, &mut self.awaiting_stores, warp);
    }

    /// An asynchronous copy has ended: the last that was under way, and perhaps one that the warp waited for.
    pub fn note_copy(&mut self, warp: usize, is_idle: bool, is_released: bool) {
        self.has_news = true;
        self.awaiting_copies &= !(u64::from(is_idle) << warp);
        self.at_copies &= !(u64::from(is_released) << warp);
    }

    /// An atomic instruction of this number of accesses was issued.
    pub fn send_atomics(&mut self, warp: usize, accesses: u16) {
        self.slots[warp].atomics += accesses;
        if accesses > 0 {
            self.awaiting_atomics |= 1 << warp;
        }
    }

    /// One access of an atomic instruction came back.
    pub fn acknowledge_atomic(&mut self, warp: usize) {
        self.has_news = true;
        count_down(&mut self.slots[warp].atomics, &mut self.awaiting_atomics, warp);
    }
}

/// Whether an instruction reads a register that waits for memory: one that it only writes is no value that it waits for.
#[cold]
fn reads_from_memory(warp: usize, pc: u32, timing: &KernelTiming, scoreboard: &Scoreboard) -> bool {
    scoreboard.wait_for(warp, timing.read(pc)) == Wait::Memory
}

#[inline]
fn count_up(count: &mut u16, mask: &mut WarpMask, warp: usize) {
    *count += 1;
    *mask |= 1 << warp;
}

#[inline]
fn count_down(count: &mut u16, mask: &mut WarpMask, warp: usize) {
    *count = count.saturating_sub(1);
    if *count == 0 {
        *mask &= !(1 << warp);
    }
}
