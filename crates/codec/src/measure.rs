//! How fast a codec runs on one core, beside memcpy of the same bytes in the same run.
//!
//! - *size*: [`BlockCodec::sizes_bits`] over the whole set;
//! - *compress*: [`BlockCodec::compress_each`], every block appended to one bit stream, which is kept whole, so that memory is written as memcpy
//!   writes it;
//! - *decompress*: [`BlockCodec::decompress_each`] over runs of blocks of that stream, which are compared with the original.
//!
//! Each is timed in turns with memcpy, over pieces of the set; the best pass of each piece counts (see `race`). Time
//! is processor time of the thread where the system tells it (see `clock`). All destinations are written once before
//! timing, so that no page is touched for the first time under the clock. Trained codecs learn from the first
//! [`TRAINING_SHARE`] of the set, which is not timed.

mod clock;
mod floors;
mod race;

use std::hint::black_box;
use std::ops::Range;

use crate::accounting;
use crate::bits::BitWriter;
use crate::codec::BlockCodec;
use crate::encodings::Encodings;
use crate::error::DecodeError;
use crate::registry::CodecSpec;

use race::{Racetrack, Speed};

pub use clock::thread_cpu_seconds;
pub use floors::{FLOORS, Floor};

/// One part in this many of a data set trains the codecs that need it.
pub const TRAINING_SHARE: usize = 8;

/// Blocks that one call decodes.
const BLOCKS_AT_ONCE: usize = 64;

/// What was timed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// The length of the encoding only.
    Size,
    /// The encoding.
    Compress,
    /// The block from its encoding.
    Decompress,
}

impl Operation {
    /// All, in the order of the columns of every table.
    pub const ALL: [Self; 3] = [Self::Size, Self::Compress, Self::Decompress];

    /// Its name in tables and JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Size => "size",
            Self::Compress => "compress",
            Self::Decompress => "decompress",
        }
    }
}

/// One operation of one codec on one data set.
#[derive(Clone, Debug)]
pub struct Measurement {
    /// The codec's spec.
    pub codec: String,
    /// What was timed.
    pub operation: Operation,
    /// The data set's name.
    pub dataset: &'static str,
    /// Uncompressed bytes per second, in units of 10⁹.
    pub gb_per_s: f64,
    /// The same as a fraction of memcpy's.
    pub of_memcpy: f64,
    /// Raw size over stored size.
    pub ratio: f64,
}

/// Times the three operations of one codec on one data set.
pub fn measure(
    spec: &CodecSpec,
    dataset: &'static str,
    data: &[u8],
) -> Result<[Measurement; 3], DecodeError> {
    let block_bytes = spec.params.block.bytes();
    let data = &data[..data.len() / block_bytes * block_bytes];
    let training = data.len() / TRAINING_SHARE / block_bytes * block_bytes;
    let codec = spec.build(&data[..training]);
    let mut track = Racetrack::new(data);

    let mut sizes = vec![1; data.len() / block_bytes];
    let blocks = |piece: &Range<usize>| piece.start / block_bytes..piece.end / block_bytes;
    let size = track.race(|piece| {
        let blocks = blocks(&piece);
        codec.sizes_bits(&data[piece], black_box(&mut sizes[blocks]));
    });

    let mut stream = BitWriter::with_capacity(data.len() + data.len() / 4);
    codec.compress_each(data, &mut stream, &mut sizes);
    let compress = track.race(|piece| {
        if piece.start == 0 {
            stream.clear();
        }
        let blocks = blocks(&piece);
        codec.compress_each(&data[piece], black_box(&mut stream), &mut sizes[blocks]);
    });

    let stream = stream.pad_to_bytes();
    let mut back = vec![1; data.len()];
    let (mut outcome, mut start) = (Ok(()), 0);
    let decompress = track.race(|piece| {
        start = if piece.start == 0 { 0 } else { start };
        let sizes = &sizes[blocks(&piece)];
        match decompress_all(&*codec, stream, start, sizes, black_box(&mut back[piece])) {
            Ok(end) => start = end,
            Err(error) => outcome = Err(error),
        }
    });
    outcome?;
    if back != data {
        return Err(DecodeError::Invalid {
            at_bit: 0,
            what: "the decoded data set differs from the original",
        });
    }

    let stored_bits: u64 =
        sizes.iter().map(|&size| u64::from(accounting::stored_bits(size, spec.params.block))).sum();
    let ratio = data.len() as f64 * 8.0 / stored_bits.max(1) as f64;
    let of = |operation, speed: Speed| Measurement {
        codec: spec.text(),
        operation,
        dataset,
        gb_per_s: speed.gb_per_s,
        of_memcpy: speed.of_memcpy,
        ratio,
    };
    Ok([of(Operation::Size, size), of(Operation::Compress, compress), of(Operation::Decompress, decompress)])
}

/// Decodes the blocks whose bits begin at bit `start`; where the last one ends.
fn decompress_all(
    codec: &dyn BlockCodec,
    stream: &[u8],
    start: usize,
    sizes: &[u32],
    back: &mut [u8],
) -> Result<usize, DecodeError> {
    let mut stream = Encodings::starting_at(stream, start);
    let mut encodings = Vec::with_capacity(BLOCKS_AT_ONCE);
    let run_bytes = BLOCKS_AT_ONCE * codec.block_bytes().bytes();
    for (blocks, sizes) in back.chunks_mut(run_bytes).zip(sizes.chunks(BLOCKS_AT_ONCE)) {
        encodings.clear();
        encodings.extend(stream.cut(sizes));
        codec.decompress_each(&encodings, blocks).map_err(|(_, error)| error)?;
    }
    Ok(stream.next_bit())
}

/// The geometric mean, by which fractions are averaged over data sets. 0 of nothing.
pub fn geometric_mean(values: impl IntoIterator<Item = f64>) -> f64 {
    let (mut log_sum, mut count) = (0.0, 0u32);
    for value in values {
        log_sum += value.ln();
        count += 1;
    }
    if count == 0 { 0.0 } else { (log_sum / f64::from(count)).exp() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::block::BlockBytes;

    #[test]
    fn half_zero_blocks_and_half_others_give_the_ratio_of_their_bits() {
        let mut data = vec![0; 256];
        data[128..].iter_mut().zip(0..).for_each(|(byte, value)| *byte = value);
        let spec = CodecSpec::parse("zero", BlockBytes::B128).unwrap();
        let measured = measure(&spec, "test", &data).unwrap();
        assert_eq!(measured.each_ref().map(|m| m.operation), Operation::ALL);
        assert_eq!(measured[0].ratio, 2048.0 / f64::from(1 + 1024));
    }

    #[test]
    fn the_geometric_mean_of_a_number_and_its_inverse_is_one() {
        assert!((geometric_mean([4.0, 0.25]) - 1.0).abs() < 1e-12);
        assert_eq!(geometric_mean([]), 0.0);
    }
}
