//! The constant bank: the `.const` data of every loaded module, addressed from 0.

/// Most bytes of the bank: CUDA gives a module 64 KiB, and the largest programs have some hundred modules.
pub const CONSTANT_BYTES: u64 = 1 << 24;

/// Written by the host, read by kernels.
#[derive(Clone, Debug, Default)]
pub struct Constants {
    bytes: Vec<u8>,
}

impl Constants {
    /// Room for a variable; its offset in the bank. `None` when the bank is full.
    pub fn place(&mut self, bytes: u64, align_bytes: u32) -> Option<u64> {
        let start = self.len().next_multiple_of(u64::from(align_bytes.max(1)));
        let end = start.checked_add(bytes).filter(|&end| end <= CONSTANT_BYTES)?;
        self.bytes.resize(end as usize, 0);
        Some(start)
    }

    /// Writes at an offset; whether it fitted.
    pub fn write(&mut self, offset: u64, bytes: &[u8]) -> bool {
        let end = offset.checked_add(bytes.len() as u64);
        match end.and_then(|end| self.bytes.get_mut(offset as usize..end as usize)) {
            Some(target) => {
                target.copy_from_slice(bytes);
                true
            }
            None => false,
        }
    }

    /// The bytes from an offset; `None` beyond the end.
    pub fn read(&self, offset: u64, bytes: u64) -> Option<&[u8]> {
        let end = offset.checked_add(bytes)?;
        self.bytes.get(usize::try_from(offset).ok()?..usize::try_from(end).ok()?)
    }

    /// Bytes in use.
    pub fn len(&self) -> u64 {
        self.bytes.len() as u64
    }

    /// Whether no module has constants.
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }
}
