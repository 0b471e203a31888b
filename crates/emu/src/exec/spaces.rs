//! One state space each: checked loads and stores of one lane.

use crate::LANES;
use crate::fault::MemoryFaultReason;
use crate::memory::{Allocation, Memory};

/// Why an access cannot be done.
pub(super) type Refusal = MemoryFaultReason;

/// Memory as one lane sees it. Addresses are aligned when they get here; sizes are 1, 2, 4 or 8.
pub(super) trait SpaceView {
    fn load(&mut self, lane: usize, address: u64, bytes: u32) -> Result<u64, Refusal>;
    fn store(&mut self, lane: usize, address: u64, bytes: u32, value: u64) -> Result<(), Refusal>;
    /// Read-modify-write; returns the old value.
    fn update(
        &mut self,
        lane: usize,
        address: u64,
        bytes: u32,
        function: &mut dyn FnMut(u64) -> u64,
    ) -> Result<u64, Refusal> {
        let old = self.load(lane, address, bytes)?;
        self.store(lane, address, bytes, function(old))?;
        Ok(old)
    }
}

/// Global memory, remembering the last allocation: neighbouring lanes mostly share it.
pub(super) struct GlobalView<'a> {
    memory: &'a Memory,
    current: Option<&'a Allocation>,
}

impl<'a> GlobalView<'a> {
    pub(super) fn new(memory: &'a Memory) -> Self {
        Self { memory, current: None }
    }

    #[inline(always)]
    fn find(&mut self, address: u64, bytes: u32) -> Result<(&'a Allocation, usize), Refusal> {
        if let Some(allocation) = self.current
            && let Some(offset) = allocation.offset_of(address, u64::from(bytes))
        {
            return Ok((allocation, offset));
        }
        self.look_up(address, bytes)
    }

    #[inline(never)]
    fn look_up(&mut self, address: u64, bytes: u32) -> Result<(&'a Allocation, usize), Refusal> {
        match self.memory.find(address, u64::from(bytes)) {
            Some((allocation, offset)) => {
                self.current = Some(allocation);
                Ok((allocation, offset))
            }
            None => Err(self.memory.reason_at(address)),
        }
    }
}

impl SpaceView for GlobalView<'_> {
    #[inline(always)]
    fn load(&mut self, _lane: usize, address: u64, bytes: u32) -> Result<u64, Refusal> {
        match self.find(address, bytes) {
            Ok((allocation, offset)) => Ok(allocation.load(offset, bytes)),
            Err(reason) => self.memory.stray_read(address, reason),
        }
    }

    #[inline(always)]
    fn store(&mut self, _lane: usize, address: u64, bytes: u32, value: u64) -> Result<(), Refusal> {
        match self.find(address, bytes) {
            Ok((allocation, offset)) => {
                allocation.store(offset, bytes, value);
                Ok(())
            }
            Err(reason) => self.memory.stray_write(address, reason),
        }
    }
}

/// A flat array of words: shared memory.
pub(super) struct SharedView<'a> {
    pub words: &'a mut [u32],
    pub bytes: u32,
}

impl SpaceView for SharedView<'_> {
    #[inline(always)]
    fn load(&mut self, _lane: usize, address: u64, bytes: u32) -> Result<u64, Refusal> {
        check(address, bytes, self.bytes)?;
        let word = |index: usize| u64::from(self.words.get(index).copied().unwrap_or(0));
        Ok(extract(address, bytes, word(address as usize / 4), || word(address as usize / 4 + 1)))
    }

    #[inline(always)]
    fn store(&mut self, _lane: usize, address: u64, bytes: u32, value: u64) -> Result<(), Refusal> {
        check(address, bytes, self.bytes)?;
        let index = address as usize / 4;
        insert(address, bytes, value, |step, update| {
            if let Some(word) = self.words.get_mut(index + step) {
                *word = update(*word);
            }
        });
        Ok(())
    }
}

/// Local memory: the words of the 32 lanes lie side by side.
pub(super) struct LocalView<'a> {
    pub words: &'a mut [u32],
}

impl LocalView<'_> {
    fn bytes(&self) -> u32 {
        (self.words.len() / LANES * 4) as u32
    }
}

impl SpaceView for LocalView<'_> {
    #[inline(always)]
    fn load(&mut self, lane: usize, address: u64, bytes: u32) -> Result<u64, Refusal> {
        check(address, bytes, self.bytes())?;
        let word = |index: usize| u64::from(self.words.get(index * LANES + lane).copied().unwrap_or(0));
        Ok(extract(address, bytes, word(address as usize / 4), || word(address as usize / 4 + 1)))
    }

    #[inline(always)]
    fn store(&mut self, lane: usize, address: u64, bytes: u32, value: u64) -> Result<(), Refusal> {
        check(address, bytes, self.bytes())?;
        let index = address as usize / 4;
        insert(address, bytes, value, |step, update| {
            if let Some(word) = self.words.get_mut((index + step) * LANES + lane) {
                *word = update(*word);
            }
        });
        Ok(())
    }
}

/// Bytes that kernels only read: the constant bank and kernel parameters.
pub(super) struct ReadOnlyView<'a> {
    pub bytes: &'a [u8],
}

impl SpaceView for ReadOnlyView<'_> {
    #[inline(always)]
    fn load(&mut self, _lane: usize, address: u64, bytes: u32) -> Result<u64, Refusal> {
        let start = usize::try_from(address).map_err(|_| Refusal::OutOfBounds)?;
        let end = start.checked_add(bytes as usize).ok_or(Refusal::OutOfBounds)?;
        let found = self.bytes.get(start..end).ok_or(Refusal::OutOfBounds)?;
        let mut value = [0; 8];
        value[..found.len()].copy_from_slice(found);
        Ok(u64::from_le_bytes(value))
    }

    fn store(&mut self, _lane: usize, _address: u64, _bytes: u32, _value: u64) -> Result<(), Refusal> {
        Err(Refusal::ReadOnly)
    }
}

#[inline(always)]
fn check(address: u64, bytes: u32, size: u32) -> Result<(), Refusal> {
    if address.checked_add(u64::from(bytes)).is_some_and(|end| end <= u64::from(size)) {
        Ok(())
    } else {
        Err(Refusal::OutOfBounds)
    }
}

#[inline(always)]
fn extract(address: u64, bytes: u32, word: u64, next: impl Fn() -> u64) -> u64 {
    let shift = 8 * (address & 3);
    match bytes {
        1 => word >> shift & 0xff,
        2 => word >> shift & 0xffff,
        4 => word,
        _ => word | next() << 32,
    }
}

#[inline(always)]
fn insert(address: u64, bytes: u32, value: u64, mut with_word: impl FnMut(usize, &dyn Fn(u32) -> u32)) {
    let shift = 8 * (address as u32 & 3);
    let narrow = value as u32;
    match bytes {
        1 => with_word(0, &|old| (old & !(0xff << shift)) | (narrow & 0xff) << shift),
        2 => with_word(0, &|old| (old & !(0xffff << shift)) | (narrow & 0xffff) << shift),
        4 => with_word(0, &|_| narrow),
        _ => {
            with_word(0, &|_| narrow);
            with_word(1, &|_| (value >> 32) as u32);
        }
    }
}
