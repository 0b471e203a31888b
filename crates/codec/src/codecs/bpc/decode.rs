//! From bits to the block, by any code map and with any kernel; the mirror of [`super::encode`].

use super::Bpc;
use super::transform::{Kernel, MAX_PLANES, Planes};
use super::word::Word;
use crate::bits::{BitReader, Spare};
use crate::error::DecodeError;

/// How many symbols that are not raw fit the 57 bits of a peek: codewords have at most 10 bits, positions at most 5.
const SYMBOLS_OF_A_PEEK: u32 = 3;

impl<W: Word> Bpc<W> {
    #[inline(always)]
    pub(super) fn decompress_with(
        &self,
        kernel: impl Kernel<W>,
        bits: &mut BitReader<'_>,
        block: &mut [u8],
    ) -> Result<(), DecodeError> {
        let base = self.take_base(bits)?;
        let mut planes: Planes<W> = [W::Plane::default(); MAX_PLANES];
        self.take_planes(bits, &mut planes)?;
        bits.finish()?;
        if kernel.rebuild(base, &planes, block) {
            return Ok(());
        }
        Err(BitReader::invalid(0, "the sign plane does not agree with the deltas"))
    }

    #[inline(always)]
    fn take_base(&self, bits: &mut BitReader<'_>) -> Result<W, DecodeError> {
        let (prefix_bits, payload_bits) = self.decode.base(bits.peek64());
        bits.skip(prefix_bits)?;
        Ok(W::from_u64(sign_extend(bits.take(payload_bits)?, payload_bits)))
    }

    /// Reads the DBX planes, top first. Zero planes are left as they are: `planes` starts as zeros.
    ///
    /// Whether the bits were all there is asked at the end: until then what lies past them is read as if it were there.
    #[inline(always)]
    fn take_planes(&self, bits: &mut BitReader<'_>, planes: &mut Planes<W>) -> Result<(), DecodeError> {
        let mut spare = Spare::new();
        let ahead = bits.ahead(&mut spare);
        let plane_bits = self.shape.plane_bits();
        let position_bits = self.shape.position_bits();
        let full_plane = self.shape.full_plane();
        let raw = self.decode.raw;
        let mut taken_bits = 0;
        let mut planes_left = W::PLANES;
        let mut dbp = 0;
        while planes_left > 0 {
            let mut window = ahead.peek64(taken_bits);
            // Raw planes come in long runs: while these branches are guessed right, the place of the next plane is known
            // before this one is looked up.
            if W::BITS == 64 && planes_left > 3 && raw.starts_three(window) {
                let three = window & raw.three_planes;
                // The plane below them is zero until it is read.
                for (lane, plane) in planes[planes_left - 4..][..4].iter_mut().enumerate() {
                    *plane = W::plane(three >> (16 * lane));
                }
                planes_left -= 3;
                dbp ^= (three >> 48 ^ three >> 32 ^ three >> 16) as u32 & 0xffff;
                taken_bits += 48;
                continue;
            }
            if raw.starts(window) {
                let dbx = (window >> (64 - raw.total_bits)) as u32 & full_plane;
                planes_left -= 1;
                planes[planes_left] = W::plane(dbx.into());
                dbp ^= dbx;
                taken_bits += raw.total_bits as usize;
                continue;
            }
            for _ in 0..SYMBOLS_OF_A_PEEK {
                let row = self.decode.row(window);
                let position = window << row.prefix_bits >> (64 - position_bits);
                let pattern = u64::from(row.pattern) << position;
                if pattern >> plane_bits != 0 {
                    let what = "a 1 bit is outside the plane";
                    return Err(refusal(bits, taken_bits, row.total_bits, what));
                }
                if usize::from(row.planes) > planes_left {
                    let what = "a run of zero planes is longer than the planes that are left";
                    return Err(refusal(bits, taken_bits, row.total_bits, what));
                }
                let dbx = pattern as u32 | row.constant | dbp & row.dbp_mask;
                planes_left -= usize::from(row.planes);
                planes[planes_left] = W::plane(dbx.into());
                dbp ^= dbx;
                taken_bits += usize::from(row.total_bits);
                window <<= row.total_bits;
                if planes_left == 0 || raw.starts(window) {
                    break;
                }
            }
        }
        bits.skip(taken_bits as u32)
    }
}

/// What is wrong with the symbol of `symbol_bits` bits that is `offset_bits` after the reader's place: not all there, or `what`.
#[cold]
fn refusal(bits: &mut BitReader<'_>, offset_bits: usize, symbol_bits: u8, what: &'static str) -> DecodeError {
    let at_bit = bits.position() + offset_bits;
    match bits.skip(offset_bits as u32 + u32::from(symbol_bits)) {
        Ok(()) => BitReader::invalid(at_bit, what),
        Err(truncated) => truncated,
    }
}

/// The two's-complement number of `count` bits, at most 64.
#[inline(always)]
fn sign_extend(value: u64, count: u32) -> u64 {
    match count {
        0 => 0,
        _ => ((value << (64 - count)) as i64 >> (64 - count)) as u64,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_base_class_is_extended_with_its_sign() {
        assert_eq!(sign_extend(0b1000, 4) as i64, -8);
        assert_eq!(sign_extend(0b0111, 4) as i64, 7);
        assert_eq!(sign_extend(u64::MAX, 64), u64::MAX);
        assert_eq!(sign_extend(0, 0), 0);
    }
}
