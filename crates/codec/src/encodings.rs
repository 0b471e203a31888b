//! Many encodings in one stream, cut apart by their sizes.

use std::fmt;

use crate::bits::BitReader;

/// The encodings that [`crate::BlockCodec::compress_each`] wrote one after the other, from the first to the last.
///
/// ```
/// use shrinkwarp_codec::Encodings;
///
/// let mut encodings = Encodings::whole(&[0b101_00110, 0b1000_0000], &[3, 6])?;
/// let first = encodings.cut(&[3u32]).next().map(|mut bits| bits.take(3));
/// assert_eq!(first, Some(Ok(0b101)));
/// assert_eq!(encodings.next_bit(), 3);
/// # Ok::<(), shrinkwarp_codec::SizesError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Encodings<'a> {
    stream: &'a [u8],
    next_bit: usize,
}

impl<'a> Encodings<'a> {
    /// Those of a stream whose first encoding starts at bit `first_bit`.
    pub fn starting_at(stream: &'a [u8], first_bit: usize) -> Self {
        Self { stream, next_bit: first_bit }
    }

    /// Those of a stream that has these sizes and nothing more than the padding of its last byte.
    pub fn whole(stream: &'a [u8], sizes_bits: &[u32]) -> Result<Self, SizesError> {
        let total_bits: u64 = sizes_bits.iter().map(|&size| u64::from(size)).sum();
        if total_bits.div_ceil(8) != stream.len() as u64 {
            return Err(SizesError { total_bits, stream_bytes: stream.len() });
        }
        Ok(Self::starting_at(stream, 0))
    }

    /// The next encodings, one for each size. An encoding that would end after the stream ends with it.
    pub fn cut<Size: Copy + Into<u32>>(
        &mut self,
        sizes_bits: &[Size],
    ) -> impl Iterator<Item = BitReader<'a>> {
        sizes_bits.iter().map(|&size| {
            let size = size.into() as usize;
            let encoding = BitReader::at(self.stream, self.next_bit, size);
            self.next_bit = self.next_bit.saturating_add(size);
            encoding
        })
    }

    /// Where the next encoding starts.
    pub fn next_bit(&self) -> usize {
        self.next_bit
    }
}

/// The sizes of encodings do not fit their stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SizesError {
    /// What the sizes add up to.
    pub total_bits: u64,
    /// What there is.
    pub stream_bytes: usize,
}

impl fmt::Display for SizesError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { total_bits, stream_bytes } = self;
        write!(f, "the sizes add up to {total_bits} bits, but there are {stream_bytes} bytes")
    }
}

impl std::error::Error for SizesError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_that_leave_a_byte_or_need_one_more_are_refused() {
        let sizes_bits = [7, 9, 1];
        assert!(Encodings::whole(&[0; 3], &sizes_bits).is_ok());
        for stream_bytes in [2, 4] {
            let error = Encodings::whole(&vec![0; stream_bytes], &sizes_bits).unwrap_err();
            assert_eq!(error, SizesError { total_bits: 17, stream_bytes });
        }
    }

    #[test]
    fn cuts_follow_one_another_and_end_with_the_stream() {
        let mut encodings = Encodings::starting_at(&[0xff, 0x0f], 4);
        let lengths = |encodings: &mut Encodings<'_>, sizes: &[u16]| -> Vec<usize> {
            encodings.cut(sizes).map(|bits| bits.remaining()).collect()
        };
        assert_eq!(lengths(&mut encodings, &[4, 0]), [4, 0]);
        assert_eq!(encodings.next_bit(), 8);
        assert_eq!(lengths(&mut encodings, &[6, u16::MAX, 1]), [6, 2, 0]);
    }
}
