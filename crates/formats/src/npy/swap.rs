//! Big-endian elements turned round while they are read.

use std::io::{self, Read};

/// Reads little-endian elements from big-endian ones.
pub struct Swapping<R> {
    from: R,
    element_bytes: usize,
    buffer: Vec<u8>,
    given: usize,
}

impl<R: Read> Swapping<R> {
    /// `element_bytes` is the width of what is turned round.
    pub fn new(from: R, element_bytes: usize) -> Self {
        Self { from, element_bytes: element_bytes.max(1), buffer: Vec::new(), given: 0 }
    }

    fn refill(&mut self) -> io::Result<()> {
        const ELEMENTS: usize = 8192;
        self.buffer.clear();
        self.given = 0;
        let wanted = (ELEMENTS * self.element_bytes) as u64;
        (&mut self.from).take(wanted).read_to_end(&mut self.buffer)?;
        self.buffer.chunks_exact_mut(self.element_bytes).for_each(<[u8]>::reverse);
        Ok(())
    }
}

impl<R: Read> Read for Swapping<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        if self.given == self.buffer.len() {
            self.refill()?;
        }
        let count = out.len().min(self.buffer.len() - self.given);
        out[..count].copy_from_slice(&self.buffer[self.given..self.given + count]);
        self.given += count;
        Ok(count)
    }
}
