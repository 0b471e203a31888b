//! How fast a codec runs on one core, beside memcpy of the same bytes in the same run.
//!
//! - *size*: [`BlockCodec::sizes_bits`] over the whole set;
//! - *compress*: every block appended to one bit stream, which is kept whole, so that memory is written as memcpy
//!   writes it;
//! - *decompress*: every block read back from that stream, and compared with the original.
//!
//! Each operation is timed several times, a memcpy before each; the best of each counts. All destinations are written
//! once before timing, so that no page is touched for the first time under the clock. Trained codecs learn from the
//! first [`TRAINING_SHARE`] of the set, which is not timed.

mod floors;
mod table;

use std::hint::black_box;
use std::time::Instant;

use crate::accounting;
use crate::bits::{BitReader, BitWriter};
use crate::codec::BlockCodec;
use crate::error::DecodeError;
use crate::registry::Spec;

pub use floors::{FLOORS, Floor};
pub use table::table;

/// One part in this many of a data set trains the codecs that need it.
pub const TRAINING_SHARE: usize = 8;

const REPETITIONS: usize = 5;

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
pub fn measure(spec: &Spec, dataset: &'static str, data: &[u8]) -> Result<[Measurement; 3], DecodeError> {
    let block_bytes = spec.params.block.bytes();
    let data = &data[..data.len() / block_bytes * block_bytes];
    let training = data.len() / TRAINING_SHARE / block_bytes * block_bytes;
    let codec = spec.build(&data[..training]);
    let mut yardstick = Yardstick { source: data, copy: data.to_vec() };

    let mut sizes = vec![1; data.len() / block_bytes];
    let size = yardstick.race(|| codec.sizes_bits(data, black_box(&mut sizes)));

    let mut stream = BitWriter::with_capacity(data.len() + data.len() / 4);
    compress_all(&*codec, data, &mut stream);
    let compress = yardstick.race(|| compress_all(&*codec, data, black_box(&mut stream)));

    let stream = stream.pad_to_bytes();
    let mut back = vec![1; data.len()];
    let mut outcome = Ok(());
    let decompress = yardstick.race(|| {
        outcome = decompress_all(&*codec, stream, &sizes, black_box(&mut back));
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

fn compress_all(codec: &dyn BlockCodec, data: &[u8], stream: &mut BitWriter) {
    stream.clear();
    for block in data.chunks_exact(codec.block_bytes().bytes()) {
        codec.compress(block, stream);
    }
}

fn decompress_all(
    codec: &dyn BlockCodec,
    stream: &[u8],
    sizes: &[u32],
    back: &mut [u8],
) -> Result<(), DecodeError> {
    let mut start = 0;
    for (block, &size) in back.chunks_exact_mut(codec.block_bytes().bytes()).zip(sizes) {
        codec.decompress(&mut BitReader::at(stream, start, size as usize), block)?;
        start += size as usize;
    }
    Ok(())
}

/// Copies the data set whenever something is timed, so that both meet the machine in the same state.
struct Yardstick<'a> {
    source: &'a [u8],
    copy: Vec<u8>,
}

struct Speed {
    gb_per_s: f64,
    of_memcpy: f64,
}

impl Yardstick<'_> {
    fn race(&mut self, mut operation: impl FnMut()) -> Speed {
        let (mut best_copy, mut best_operation) = (f64::INFINITY, f64::INFINITY);
        for _ in 0..REPETITIONS {
            let copy_s = seconds(|| black_box(&mut self.copy).copy_from_slice(black_box(self.source)));
            best_copy = best_copy.min(copy_s);
            best_operation = best_operation.min(seconds(&mut operation));
        }
        Speed {
            gb_per_s: self.source.len() as f64 / best_operation / 1e9,
            of_memcpy: best_copy / best_operation,
        }
    }
}

fn seconds(operation: impl FnOnce()) -> f64 {
    let start = Instant::now();
    operation();
    start.elapsed().as_secs_f64().max(1e-9)
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
        let spec = Spec::parse("zero", BlockBytes::B128).unwrap();
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
