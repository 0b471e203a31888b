//! How much data should a miss reserve, whose block is not here yet?
//!
//! A whole line would send other lines away for room that the block gives back at its fill: with many misses on their way, a
//! set of compressed lines holds hardly more than a plain one. So a mode reserves the mean of what its blocks took
//! lately, rounded up. Of a mode that compresses nothing that is a whole line, which makes it the plain cache.

/// Fixed point: parts of a sub-block.
const PARTS: u32 = 256;

/// The mean follows a change within about this number of blocks.
const MEMORY_BLOCKS: u32 = 16;

/// The running mean of a mode's blocks.
#[derive(Clone, Copy, Debug)]
pub struct ExpectedSize {
    mean_parts: u32,
}

impl ExpectedSize {
    /// Expects a whole line.
    pub fn new(line_sub_blocks: u16) -> Self {
        Self { mean_parts: u32::from(line_sub_blocks) * PARTS }
    }

    /// A block took `sub_blocks`. Returns what to expect of the next.
    pub fn note(&mut self, sub_blocks: u16) -> u16 {
        let new_parts = u32::from(sub_blocks) * PARTS;
        self.mean_parts = (self.mean_parts * (MEMORY_BLOCKS - 1) + new_parts) / MEMORY_BLOCKS;
        self.mean_parts.div_ceil(PARTS) as u16
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(blocks: &[u16]) -> u16 {
        let mut expected = ExpectedSize::new(4);
        blocks.iter().fold(4, |_, &sub_blocks| expected.note(sub_blocks))
    }

    #[test]
    fn a_mode_that_compresses_nothing_reserves_whole_lines() {
        assert_eq!(after(&[4; 1000]), 4);
    }

    #[test]
    fn the_expectation_follows_the_blocks() {
        assert_eq!(after(&[1; 4]), 4, "3.3");
        assert_eq!(after(&[1; 100]), 1);
        assert_eq!(after(&[1, 2].repeat(50)), 2, "between 1 and 2");
        assert_eq!(after(&[[1; 100], [4; 100]].concat()), 4);
    }
}
