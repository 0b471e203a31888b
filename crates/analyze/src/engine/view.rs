//! A tensor's bytes as a codec sees them: exact, or with low mantissa bits cleared.

use std::borrow::Cow;

use rayon::prelude::*;
use shrinkwarp_codec::transform::Approximation;

use shrinkwarp_formats::Tensor;

/// What one task approximates; a multiple of every element.
const PIECE_BYTES: usize = 256 << 10;

/// How a tensor is seen.
#[derive(Clone, Copy, Debug)]
pub(super) struct View {
    /// The transform, if any.
    pub approximation: Option<Approximation>,
}

impl View {
    /// The exact view for no bits; else the approximated one, where the type allows it.
    pub(super) fn of(tensor: &Tensor, approx_bits: Option<u32>) -> Option<Self> {
        match approx_bits {
            None => Some(Self { approximation: None }),
            some => Self::approximated(tensor, some),
        }
    }

    /// The approximated view, where it was requested and the type allows it.
    pub(super) fn approximated(tensor: &Tensor, approx_bits: Option<u32>) -> Option<Self> {
        let approximation = Approximation::new(tensor.dtype.float_format()?, approx_bits?).ok()?;
        Some(Self { approximation: Some(approximation) })
    }

    /// The bytes of a window as seen.
    pub(super) fn seen(self, window: &[u8]) -> Cow<'_, [u8]> {
        let Some(approximation) = self.approximation else { return Cow::Borrowed(window) };
        let mut copy = window.to_vec();
        copy.par_chunks_mut(PIECE_BYTES).for_each(|piece| approximation.apply(piece));
        Cow::Owned(copy)
    }
}
