//! From bits back to floats: two decoders work towards each other, as in hardware, and where they meet is checked.
//!
//! A decoder waits for each look-up before it knows where the next codeword starts. Four blocks are decoded in turn, so that
//! three go on while one waits.

use super::{Fields, FpH, HALF_SIGNS, MAX_ELEMENTS};
use crate::bits::{Ahead, BitReader, Spare};
use crate::block::{set_word64, word64};
use crate::error::DecodeError;

/// The last bytes of an encoding that can hold low parts: 32 of 12 bits after an escape of 18 bits each, 16 of 26, or 64 of 3
/// after 12, and what one peek reads more.
const LOW_PARTS_BYTES: usize = 136;

/// One block.
#[inline(always)]
pub(super) fn decompress<const EXPONENT: u32, const HIGH: u32, const LOW: u32>(
    codec: &FpH<EXPONENT, HIGH, LOW>,
    bits: &mut BitReader<'_>,
    block: &mut [u8],
) -> Result<(), DecodeError> {
    let encoding = bits.clone();
    let mut room = Room::new();
    let mut decoding = Decoding::begin(codec, &encoding, &mut room, block);
    let groups = decoding.count / 4;
    (0..groups).for_each(|group| decoding.take_outer_fields(group));
    (0..groups).for_each(|group| decoding.take_high_parts(group));
    decoding.finish().check(bits)
}

/// Many blocks; an error comes with its block's index.
#[inline(always)]
pub(super) fn decompress_each<const EXPONENT: u32, const HIGH: u32, const LOW: u32>(
    codec: &FpH<EXPONENT, HIGH, LOW>,
    encodings: &[BitReader<'_>],
    blocks: &mut [u8],
) -> Result<(), (usize, DecodeError)> {
    let block_bytes = codec.block.bytes();
    let mut rooms = [const { Room::new() }; 4];
    let (groups, last) = encodings.as_chunks();
    let (block_groups, last_blocks) = blocks.split_at_mut((4 * block_bytes * groups.len()).min(blocks.len()));
    for (index, (encodings, blocks)) in
        groups.iter().zip(block_groups.chunks_exact_mut(4 * block_bytes)).enumerate()
    {
        decompress_four(codec, encodings, &mut rooms, blocks)
            .map_err(|(block, error)| (4 * index + block, error))?;
    }
    for (index, (bits, block)) in last.iter().zip(last_blocks.chunks_exact_mut(block_bytes)).enumerate() {
        decompress(codec, &mut bits.clone(), block).map_err(|error| (4 * groups.len() + index, error))?;
    }
    Ok(())
}

/// Four blocks, four fields of each in turn: every block has a multiple of four floats. What is known of each is in variables of its
/// own, which stay in registers; those of an array would not.
#[inline(always)]
fn decompress_four<const EXPONENT: u32, const HIGH: u32, const LOW: u32>(
    codec: &FpH<EXPONENT, HIGH, LOW>,
    encodings: &[BitReader<'_>; 4],
    rooms: &mut [Room; 4],
    blocks: &mut [u8],
) -> Result<(), (usize, DecodeError)> {
    let (front, back) = blocks.split_at_mut(blocks.len() / 2);
    let (block_a, block_b) = front.split_at_mut(front.len() / 2);
    let (block_c, block_d) = back.split_at_mut(back.len() / 2);
    let [room_a, room_b, room_c, room_d] = rooms;
    let mut a = Decoding::begin(codec, &encodings[0], room_a, block_a);
    let mut b = Decoding::begin(codec, &encodings[1], room_b, block_b);
    let mut c = Decoding::begin(codec, &encodings[2], room_c, block_c);
    let mut d = Decoding::begin(codec, &encodings[3], room_d, block_d);
    let groups = a.count / 4;
    for group in 0..groups {
        a.take_outer_fields(group);
        b.take_outer_fields(group);
        c.take_outer_fields(group);
        d.take_outer_fields(group);
    }
    for group in 0..groups {
        a.take_high_parts(group);
        b.take_high_parts(group);
        c.take_high_parts(group);
        d.take_high_parts(group);
    }
    let finished = [a.finish(), b.finish(), c.finish(), d.finish()];
    for (index, (bits, taken)) in encodings.iter().zip(finished).enumerate() {
        taken.check(&mut bits.clone()).map_err(|error| (index, error))?;
    }
    Ok(())
}

/// Room for what lies ahead of each decoder where the stream ends.
struct Room {
    ahead: Spare,
    behind: Spare,
}

impl Room {
    const fn new() -> Self {
        Self { ahead: Spare::new(), behind: Spare::new() }
    }
}

/// A block, its bits from both ends, and how far each of its two decoders is. Positions count from a byte's start.
struct Decoding<'a, const EXPONENT: u32, const HIGH: u32, const LOW: u32> {
    codec: &'a FpH<EXPONENT, HIGH, LOW>,
    block: &'a mut [u8],
    count: usize,
    signs: u64,
    forward: Ahead<'a>,
    forward_start: usize,
    forward_at: usize,
    backward: Ahead<'a>,
    backward_start: usize,
    backward_at: usize,
}

impl<'a, const EXPONENT: u32, const HIGH: u32, const LOW: u32> Decoding<'a, EXPONENT, HIGH, LOW> {
    /// Whether four floats are one word, and are put together at once.
    const HAS_LANES: bool = Fields::<EXPONENT, HIGH, LOW>::ELEMENT_BYTES == 2;

    #[inline(always)]
    fn begin(
        codec: &'a FpH<EXPONENT, HIGH, LOW>,
        bits: &BitReader<'a>,
        room: &'a mut Room,
        block: &'a mut [u8],
    ) -> Self {
        let count = (codec.block.bytes() / Fields::<EXPONENT, HIGH, LOW>::ELEMENT_BYTES).min(MAX_ELEMENTS);
        let (forward, forward_start) = bits.ahead(&mut room.ahead).split();
        let (backward, backward_start) = bits.backward::<LOW_PARTS_BYTES>(&mut room.behind).split();
        let first = count.min(HALF_SIGNS);
        let mut signs = forward.peek64(forward_start) >> (64 - first);
        if count > first {
            signs = signs << HALF_SIGNS | forward.peek64(forward_start + first) >> (64 - HALF_SIGNS);
        }
        if Self::HAS_LANES {
            fill_with_signs(block, signs, count);
        }
        Self {
            codec,
            block,
            count,
            signs,
            forward,
            forward_start,
            forward_at: forward_start + count,
            backward,
            backward_start,
            backward_at: backward_start,
        }
    }

    /// Reads exponents and low parts of four floats, each from its end of the bits.
    #[inline(always)]
    fn take_outer_fields(&mut self, group: usize) {
        if Self::HAS_LANES {
            let exponents = self.codec.exponents.take_lanes(self.forward, &mut self.forward_at);
            let lows = self.codec.lows.take_lanes(self.backward, &mut self.backward_at);
            let signs = word64(self.block, group);
            return set_word64(self.block, group, signs | exponents << (HIGH + LOW) | lows);
        }
        let exponents = self.codec.exponents.take_four(self.forward, &mut self.forward_at);
        let lows = self.codec.lows.take_four(self.backward, &mut self.backward_at);
        for (index, (exponent, low)) in (4 * group..).zip(exponents.into_iter().zip(lows)) {
            let sign = self.signs >> (self.count - 1 - index) & 1;
            let element = (sign << EXPONENT | exponent) << (HIGH + LOW) | low;
            Fields::<EXPONENT, HIGH, LOW>::set_element(self.block, index, element);
        }
    }

    /// Reads the high parts of four floats.
    #[inline(always)]
    fn take_high_parts(&mut self, group: usize) {
        if Self::HAS_LANES {
            let highs = self.codec.highs.take_lanes(self.forward, &mut self.forward_at);
            return set_word64(self.block, group, word64(self.block, group) | highs << LOW);
        }
        let highs = self.codec.highs.take_four(self.forward, &mut self.forward_at);
        for (index, high) in (4 * group..).zip(highs) {
            let element = Fields::<EXPONENT, HIGH, LOW>::element(self.block, index) | high << LOW;
            Fields::<EXPONENT, HIGH, LOW>::set_element(self.block, index, element);
        }
    }

    /// How many bits each decoder took.
    #[inline(always)]
    fn finish(self) -> Taken {
        Taken {
            from_start: self.forward_at - self.forward_start,
            from_end: self.backward_at - self.backward_start,
        }
    }
}

/// Makes each of `count` lanes of 16 bits its sign and nothing else; the first one's is the highest bit of `count`.
#[inline(always)]
fn fill_with_signs(block: &mut [u8], signs: u64, count: usize) {
    // The loop over sixteen lanes becomes vector instructions.
    for (index, lanes) in block.as_chunks_mut::<2>().0.as_chunks_mut::<16>().0.iter_mut().enumerate() {
        let sixteen = (signs >> (count - 16 - 16 * index)) as u16;
        for (place, lane) in lanes.iter_mut().enumerate() {
            let is_negative = sixteen & 0x8000 >> place != 0;
            *lane = if is_negative { 0x8000_u16 } else { 0 }.to_le_bytes();
        }
    }
}

/// Bits that the decoders of a block took.
struct Taken {
    from_start: usize,
    from_end: usize,
}

impl Taken {
    /// Checks that the decoders met without a gap, and moves `bits` to the end.
    #[inline(always)]
    fn check(self, bits: &mut BitReader<'_>) -> Result<(), DecodeError> {
        bits.skip(self.from_start as u32)?;
        let meeting_point = bits.position();
        if bits.skip(self.from_end as u32).is_err() {
            return Err(DecodeError::Truncated { at_bit: meeting_point });
        }
        match bits.remaining() {
            0 => Ok(()),
            extra_bits => Err(DecodeError::TrailingBits { at_bit: meeting_point, extra_bits }),
        }
    }
}
