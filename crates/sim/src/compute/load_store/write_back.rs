//! The write-back register of the load/store unit: one result per cycle, clients in turn.
//!
//! A result waits here until the banks of its registers can be written; the cycle that writes it also chooses the next.

use super::work::{RESULTS, Stages, UNCACHED_RESULT, WRITE_BACK};
use super::{InFlight, LoadStore};
use crate::base::Packet;
use crate::compute::core::Core;
use crate::compute::timing::KernelTiming;

/// Who may deliver a result, in ring order; [`RESULTS`] has a bit for each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Client {
    SharedMemory,
    Texture,
    Constant,
    Uncached,
    L1D,
}

const CLIENTS: [Client; 5] =
    [Client::SharedMemory, Client::Texture, Client::Constant, Client::Uncached, Client::L1D];

/// A result that waits for its banks.
#[derive(Clone, Copy, Debug)]
enum Result {
    SharedMemory(InFlight),
    /// One access of the pending load with this handle.
    Access(u32),
}

/// The register and its arbiter.
#[derive(Clone, Debug, Default)]
pub struct WriteBack {
    waiting: Option<Result>,
    uncached: Option<Packet>,
    next_client: u32,
}

impl WriteBack {
    /// Takes a reply that bypasses the L1; one can wait.
    pub fn take_uncached(&mut self, reply: Packet) -> bool {
        let is_free = self.uncached.is_none();
        if is_free {
            self.uncached = Some(reply);
        }
        is_free
    }
}

impl LoadStore {
    /// Writes the waiting result if its banks allow, then chooses the next. Returns whether anything moved.
    pub(super) fn write_results(&mut self, core: &mut Core, timing: &KernelTiming) -> bool {
        let mut moved = false;
        if let Some(result) = self.write_back.waiting {
            let pc = match result {
                Result::SharedMemory(instruction) => instruction.pc,
                Result::Access(handle) => self.pending.get(handle).pc,
            };
            let warp = self.warp_of(result);
            if !core.write_banks(warp, pc, timing) {
                return false;
            }
            match result {
                Result::SharedMemory(_) => core.release_registers(warp, pc, timing),
                Result::Access(handle) => self.finish_access(handle, core, timing),
            }
            self.write_back.waiting = None;
            moved = true;
        }
        let ready = self.work & RESULTS;
        if ready == 0 {
            self.note_work(WRITE_BACK, false);
            return moved;
        }
        // The first client behind the one served last, around the ring.
        let behind = ready & (Stages::MAX << self.write_back.next_client);
        let client = if behind == 0 { ready } else { behind }.trailing_zeros();
        self.write_back.waiting = self.take_result(CLIENTS[client as usize % CLIENTS.len()], core);
        self.write_back.next_client = (client + 1) % CLIENTS.len() as u32;
        self.note_work(WRITE_BACK, true);
        true
    }

    /// The warp of the result that waits, if one does.
    pub(super) fn warp_of_result(&self) -> Option<u8> {
        self.write_back.waiting.map(|result| self.warp_of(result))
    }

    fn warp_of(&self, result: Result) -> u8 {
        match result {
            Result::SharedMemory(instruction) => instruction.warp,
            Result::Access(handle) => self.pending.get(handle).warp,
        }
    }

    /// Takes the result of a client that has one.
    fn take_result(&mut self, client: Client, core: &mut Core) -> Option<Result> {
        match client {
            Client::SharedMemory => {
                let instruction = self.shared_pipeline.first_mut()?.take()?;
                self.shared_loads -= 1;
                self.note_shared_pipeline();
                core.warps.leave_pipeline(usize::from(instruction.warp));
                Some(Result::SharedMemory(instruction))
            }
            Client::Texture => {
                let handle = self.l1t.pop_result();
                self.note_read_only();
                handle.map(Result::Access)
            }
            Client::Constant => {
                let packet = self.l1c.pop_ready();
                self.note_read_only();
                packet.map(|packet| Result::Access(packet.handle))
            }
            Client::L1D => {
                let packet = self.l1d.pop_ready();
                self.note_l1d_result();
                packet.map(|packet| Result::Access(packet.handle))
            }
            Client::Uncached => {
                let packet = self.write_back.uncached.take()?;
                self.note_work(UNCACHED_RESULT, false);
                if packet.is_atomic {
                    core.warps.acknowledge_atomic(usize::from(packet.warp));
                }
                Some(Result::Access(packet.handle))
            }
        }
    }
}
