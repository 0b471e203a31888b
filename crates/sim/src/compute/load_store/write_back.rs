//! The write-back register of the load/store unit: one result per cycle, clients in turn.
//!
//! A result waits here until the banks of its registers can be written; the cycle that writes it also chooses the next.

use super::{InFlight, LoadStore};
use crate::base::Packet;
use crate::compute::core::Core;

/// Who may deliver a result, in ring order.
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
    next_client: usize,
}

impl WriteBack {
    /// Whether a result waits for its banks.
    pub fn is_waiting(&self) -> bool {
        self.waiting.is_some()
    }

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
    #[inline]
    pub(super) fn write_results(&mut self, core: &mut Core<'_>) -> bool {
        (self.write_back.waiting.is_some() || self.has_result()) && self.write_result(core)
    }

    /// Whether any client has a result.
    #[inline]
    fn has_result(&self) -> bool {
        self.l1d.has_ready()
            || self.l1c.has_ready()
            || self.l1t.has_result()
            || self.write_back.uncached.is_some()
            || self.shared_pipeline[0].is_some()
    }

    fn write_result(&mut self, core: &mut Core<'_>) -> bool {
        let mut moved = false;
        if let Some(result) = self.write_back.waiting {
            let (warp, pc) = match result {
                Result::SharedMemory(instruction) => (instruction.warp, instruction.pc),
                Result::Access(handle) => (self.pending.get(handle).warp, self.pending.get(handle).pc),
            };
            if !core.write_banks(warp, pc) {
                return false;
            }
            match result {
                Result::SharedMemory(_) => core.release_registers(warp, pc),
                Result::Access(handle) => self.finish_access(handle, core),
            }
            self.write_back.waiting = None;
            moved = true;
        }
        if !self.has_result() {
            return moved;
        }
        for offset in 0..CLIENTS.len() {
            let client = (self.write_back.next_client + offset) % CLIENTS.len();
            if let Some(result) = self.take_result(CLIENTS[client], core) {
                self.write_back.waiting = Some(result);
                self.write_back.next_client = (client + 1) % CLIENTS.len();
                return true;
            }
        }
        moved
    }

    fn take_result(&mut self, client: Client, core: &mut Core<'_>) -> Option<Result> {
        match client {
            Client::SharedMemory => {
                let instruction = self.shared_pipeline.first_mut()?.take()?;
                self.shared_loads -= 1;
                core.warps.leave_pipeline(usize::from(instruction.warp));
                Some(Result::SharedMemory(instruction))
            }
            Client::Texture => self.l1t.pop_result().map(Result::Access),
            Client::Constant => self.l1c.pop_ready().map(|packet| Result::Access(packet.handle)),
            Client::L1D => self.l1d.pop_ready().map(|packet| Result::Access(packet.handle)),
            Client::Uncached => {
                let packet = self.write_back.uncached.take()?;
                if packet.is_atomic {
                    core.warps.acknowledge_atomic(usize::from(packet.warp));
                }
                Some(Result::Access(packet.handle))
            }
        }
    }
}
