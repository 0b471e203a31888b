//! One pass over a tensor each: sizes under the codecs, the error of an approximation, the statistics of
//! symbols and bit planes.

use std::io;

use rayon::prelude::*;
use shrinkwarp_codec::analysis::plane_ones::PlaneOnes;
use shrinkwarp_codec::analysis::shannon::ShannonCounts;
use shrinkwarp_codec::transform::{Approximation, ApproximationError, ErrorMeter};
use shrinkwarp_codec::{BlockBytes, BlockCodec};

use super::codecs::Chosen;
use super::view::View;
use crate::report::CodecResult;
use crate::tally::Tally;
use crate::watch::Watch;
use shrinkwarp_formats::Tensor;

/// What one task handles: large enough to hide its start, small enough to spread.
const PIECE_BYTES: usize = 256 << 10;

/// What each codec makes of a tensor.
pub(super) fn sizes(
    tensor: &Tensor,
    block: BlockBytes,
    view: View,
    codecs: &[Chosen<'_>],
    watch: Watch<'_>,
) -> io::Result<Vec<CodecResult>> {
    let tail_bytes = tensor.bytes.len() % block.bytes() as u64;
    let mut results: Vec<CodecResult> = codecs
        .iter()
        .map(|chosen| CodecResult {
            spec: chosen.spec.text(),
            name: chosen.spec.entry.name,
            table_share: chosen.table_share,
            approx_bits: view.approximation.map(Approximation::bits),
            tally: Tally::of_raw(tail_bytes, block),
        })
        .collect();
    for window in tensor.bytes.windows(tensor.bytes.len()) {
        let window = window?;
        let seen = view.seen(whole_blocks(&window, block));
        let tallies: Vec<Tally> = codecs.par_iter().map(|chosen| size_window(chosen.codec, &seen)).collect();
        for (result, tally) in results.iter_mut().zip(&tallies) {
            result.tally.add(tally);
        }
        watch.advance(window.len() as u64)?;
    }
    Ok(results)
}

fn size_window(codec: &dyn BlockCodec, blocks: &[u8]) -> Tally {
    let sum = |mut total: Tally, part: Tally| {
        total.add(&part);
        total
    };
    blocks
        .par_chunks(PIECE_BYTES)
        .map_init(Vec::new, |sizes, piece| Tally::of_blocks(codec, piece, sizes))
        .reduce(Tally::default, sum)
}

/// How far the approximated values are from the exact ones; none for an exact view.
pub(super) fn error(tensor: &Tensor, view: View) -> Option<io::Result<ApproximationError>> {
    let format = view.approximation?.format();
    let mut total = ErrorMeter::new(format);
    for window in tensor.bytes.windows(tensor.bytes.len()) {
        let window = match window {
            Ok(window) => window,
            Err(error) => return Some(Err(error)),
        };
        let seen = view.seen(&window);
        let parts: Vec<ErrorMeter> = window
            .par_chunks(PIECE_BYTES)
            .zip(seen.par_chunks(PIECE_BYTES))
            .map(|(exact, approximated)| {
                let mut part = ErrorMeter::new(format);
                part.observe(exact, approximated);
                part
            })
            .collect();
        // In order, so that sums of floats are the same on every machine.
        for part in &parts {
            total.merge(part);
        }
    }
    Some(Ok(total.finish()))
}

/// How often each symbol occurs in a tensor.
pub(super) fn symbols(tensor: &Tensor) -> io::Result<ShannonCounts> {
    let mut counts = ShannonCounts::default();
    for window in tensor.bytes.windows(tensor.bytes.len()) {
        counts.observe(&window?);
    }
    Ok(counts)
}

/// The ones in a tensor's bit planes.
pub(super) fn planes(tensor: &Tensor, block: BlockBytes) -> io::Result<PlaneOnes> {
    let mut ones = PlaneOnes::new(block);
    for window in tensor.bytes.windows(tensor.bytes.len()) {
        let window = window?;
        let count = |piece: &[u8]| {
            let mut part = PlaneOnes::new(block);
            part.observe(piece);
            part
        };
        let parts: Vec<PlaneOnes> = whole_blocks(&window, block).par_chunks(PIECE_BYTES).map(count).collect();
        for part in &parts {
            ones.merge(part);
        }
    }
    Ok(ones)
}

/// A window starts at a block's first byte; only a tensor's last one can end inside a block.
fn whole_blocks(window: &[u8], block: BlockBytes) -> &[u8] {
    &window[..window.len() / block.bytes() * block.bytes()]
}
