//! Coalescer: the memory accesses that one warp instruction becomes.
//!
//! NVIDIA CUDA C Programming Guide 3.0, section G.3.2.2 (compute capability 1.3), applied to whole warps as in
//! GPGPU-Sim's Fermi configurations:
//!
//! | bytes per lane | segment |
//! |----------------|---------|
//! | 1              | 32 B    |
//! | 2              | 64 B    |
//! | 4, 8, 16       | 128 B   |
//!
//! Lanes that fall into one segment share an access. An access that uses only one half of its 128 or 64 B shrinks to
//! that half. Atomics additionally split where two lanes touch the same byte: each pass may change a byte once.
//! Constant and parameter reads become one access per cache line.
//!
//! Since Maxwell every segment is a sector of 32 B, whatever a lane accesses ([`Coalescing::Sectors`]).
//!
//! Accesses come out in ascending address order; the load/store unit takes them from the back.

use shrinkwarp_emu::{LANES, LaneMask};

/// Largest segment.
pub const SEGMENT_BYTES: u64 = 128;

/// Which accesses the lanes of a warp share.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Coalescing {
    /// One for each segment of the table above, no larger than it must be.
    Segments,
    /// One for each sector of 32 B.
    Sectors,
}

impl Coalescing {
    fn segment_bytes(self, bytes_per_lane: u16) -> u64 {
        match (self, bytes_per_lane) {
            (Self::Sectors, _) | (_, 0 | 1) => 32,
            (Self::Segments, 2) => 64,
            (Self::Segments, _) => SEGMENT_BYTES,
        }
    }
}

/// One access to the memory hierarchy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CoalescedAccess {
    /// First byte.
    pub address: u64,
    /// 32, 64 or 128 (the line size for constants).
    pub bytes: u16,
    /// Lanes it serves.
    pub lanes: LaneMask,
    /// Bytes of the surrounding 128 B that lanes touch; bit 0 is the byte at the 128 B boundary.
    pub touched: u128,
}

/// Loads, stores and atomics to global or local memory. Lanes of an atomic that touch the same byte go into different accesses.
pub fn coalesce<const IS_ATOMIC: bool>(
    coalescing: Coalescing,
    addresses: &[u64; LANES],
    lanes: LaneMask,
    bytes_per_lane: u16,
    out: &mut Vec<CoalescedAccess>,
) {
    let first = out.len();
    let segment_bytes = coalescing.segment_bytes(bytes_per_lane);
    let is_simple = !IS_ATOMIC
        && (gather_row(addresses, lanes, bytes_per_lane, segment_bytes, out)
            || gather_words(addresses, lanes, bytes_per_lane, segment_bytes, out));
    if !is_simple {
        gather::<IS_ATOMIC>(addresses, lanes, bytes_per_lane, segment_bytes, out);
    }
    finish(&mut out[first..]);
}

/// Constant, parameter and texture reads: one access per line.
pub fn coalesce_lines(
    addresses: &[u64; LANES],
    lanes: LaneMask,
    bytes_per_lane: u16,
    line_bytes: u64,
    out: &mut Vec<CoalescedAccess>,
) {
    if gather_broadcast(addresses, lanes, bytes_per_lane, line_bytes, out) {
        return;
    }
    let first = out.len();
    gather::<false>(addresses, lanes, bytes_per_lane, line_bytes, out);
    out[first..].sort_by_key(|access| access.address);
}

/// A full warp whose lanes all read the same: most reads of parameters. Returns whether it is one.
#[inline]
fn gather_broadcast(
    addresses: &[u64; LANES],
    lanes: LaneMask,
    bytes_per_lane: u16,
    line_bytes: u64,
    out: &mut Vec<CoalescedAccess>,
) -> bool {
    if lanes != LaneMask::MAX {
        return false;
    }
    let first = addresses[0];
    if addresses.iter().fold(0, |difference, address| difference | (address ^ first)) != 0 {
        return false;
    }
    let address = first & !(line_bytes - 1);
    let touched = byte_mask(first, bytes_per_lane);
    out.push(CoalescedAccess { address, bytes: line_bytes as u16, lanes, touched });
    true
}

/// A full warp whose lanes access one address behind the other: the access to each segment has the lanes between two
/// boundaries. Returns whether it is one.
#[inline]
fn gather_row(
    addresses: &[u64; LANES],
    lanes: LaneMask,
    bytes_per_lane: u16,
    segment_bytes: u64,
    out: &mut Vec<CoalescedAccess>,
) -> bool {
    let (first, lane_bytes) = (addresses[0], u64::from(bytes_per_lane));
    if lanes != LaneMask::MAX {
        return false;
    }
    let mut difference = 0;
    for (lane, address) in addresses.iter().enumerate() {
        difference |= address ^ first.wrapping_add(lane as u64 * lane_bytes);
    }
    let is_aligned = lane_bytes.is_power_of_two() && first.is_multiple_of(lane_bytes);
    if difference != 0 || !is_aligned {
        return false;
    }
    let end = first + LANES as u64 * lane_bytes;
    let mut from = first;
    while from < end {
        let address = from & !(segment_bytes - 1);
        let to = (address + segment_bytes).min(end);
        let (first_lane, count) = ((from - first) / lane_bytes, (to - from) / lane_bytes);
        let lanes = (LaneMask::MAX >> (LANES as u64 - count)) << first_lane;
        let touched = byte_mask(from, (to - from) as u16);
        out.push(CoalescedAccess { address, bytes: segment_bytes as u16, lanes, touched });
        from = to;
    }
    true
}

/// Lanes that each access a word: the touched bytes of a segment are counted in words first. Returns whether they are such lanes.
#[inline]
fn gather_words(
    addresses: &[u64; LANES],
    lanes: LaneMask,
    bytes_per_lane: u16,
    segment_bytes: u64,
    out: &mut Vec<CoalescedAccess>,
) -> bool {
    let is_unaligned = || {
        let any = addresses.iter().fold(0, |any, address| any | address);
        !any.is_multiple_of(4) && lanes_of(lanes).any(|lane| !addresses[lane].is_multiple_of(4))
    };
    if bytes_per_lane != 4 || lanes == 0 || is_unaligned() {
        return false;
    }
    let first = out.len();
    let mut seen = SeenSegments::default();
    let mut rest = lanes;
    while rest != 0 {
        // Neighbouring lanes mostly share a segment.
        let base = addresses[rest.trailing_zeros() as usize % LANES] & !(segment_bytes - 1);
        let (mut members, mut words) = (0, 0_u32);
        while rest != 0 {
            let lane = rest.trailing_zeros();
            let address = addresses[lane as usize % LANES];
            if address & !(segment_bytes - 1) != base {
                break;
            }
            members |= 1 << lane;
            words |= 1 << (address / 4 % 32);
            rest &= rest - 1;
        }
        let touched = bytes_of_words(words);
        let may_be_there = seen.insert(base / segment_bytes);
        let accesses = if may_be_there { &mut out[first..] } else { &mut [] };
        if let Some(access) = accesses.iter_mut().rfind(|access| access.address == base) {
            access.lanes |= members;
            access.touched |= touched;
        } else {
            let bytes = segment_bytes as u16;
            out.push(CoalescedAccess { address: base, bytes, lanes: members, touched });
        }
    }
    true
}

/// Which segments a warp may have touched: most of those that it has not need not be looked for among its accesses.
#[derive(Default)]
struct SeenSegments([u64; 4]);

impl SeenSegments {
    /// Inserts a segment. Returns whether it may have been there.
    #[inline]
    fn insert(&mut self, segment: u64) -> bool {
        let word = &mut self.0[(segment / 64 % 4) as usize];
        let was_there = *word >> (segment % 64) & 1 == 1;
        *word |= 1 << (segment % 64);
        was_there
    }
}

/// The bytes of the words of 128 B.
#[inline]
fn bytes_of_words(words: u32) -> u128 {
    // Bit n moves to bit 4 n, by halves.
    let spread = |half: u32| {
        let mut bits = u64::from(half);
        bits = (bits | bits << 24) & 0x0000_00ff_0000_00ff;
        bits = (bits | bits << 12) & 0x000f_000f_000f_000f;
        bits = (bits | bits << 6) & 0x0303_0303_0303_0303;
        bits = (bits | bits << 3) & 0x1111_1111_1111_1111;
        u128::from(bits * 0xf)
    };
    spread(words & 0xffff) | spread(words >> 16) << 64
}

/// Puts every lane into an access to its segment, the first there is or a new one; no byte is touched twice by an access of
/// `IS_ATOMIC` lanes.
#[inline]
fn gather<const IS_ATOMIC: bool>(
    addresses: &[u64; LANES],
    lanes: LaneMask,
    bytes_per_lane: u16,
    segment_bytes: u64,
    out: &mut Vec<CoalescedAccess>,
) {
    let first = out.len();
    for lane in lanes_of(lanes) {
        let base = addresses[lane] & !(segment_bytes - 1);
        let touched = byte_mask(addresses[lane], bytes_per_lane);
        let mut accesses = out[first..].iter_mut();
        let found = if IS_ATOMIC {
            accesses.find(|access| access.address == base && access.touched & touched == 0)
        } else {
            // A segment has one access. Neighbouring lanes mostly share it, so the newest is the best guess.
            accesses.rfind(|access| access.address == base)
        };
        if let Some(access) = found {
            access.lanes |= 1 << lane;
            access.touched |= touched;
        } else {
            let bytes = segment_bytes as u16;
            out.push(CoalescedAccess { address: base, bytes, lanes: 1 << lane, touched });
        }
    }
}

fn byte_mask(address: u64, bytes: u16) -> u128 {
    let ones = if bytes >= 128 { u128::MAX } else { (1_u128 << bytes) - 1 };
    ones << (address % SEGMENT_BYTES)
}

fn lanes_of(lanes: LaneMask) -> impl Iterator<Item = usize> {
    (0..LANES).filter(move |lane| lanes >> lane & 1 == 1)
}

/// Ascending order, each access no larger than it must be. The sort is stable: passes of atomics keep their order.
fn finish(accesses: &mut [CoalescedAccess]) {
    if accesses.windows(2).any(|pair| pair[0].address > pair[1].address) {
        accesses.sort_by_key(|access| access.address);
    }
    for access in accesses {
        shrink(access);
    }
}

/// Takes the half of an access that is touched alone, and the half of that.
fn shrink(access: &mut CoalescedAccess) {
    let (low, high) = (access.touched as u64, (access.touched >> 64) as u64);
    if access.bytes == 128 && (low == 0 || high == 0) {
        take_half(access, low == 0);
    }
    if access.bytes == 64 {
        let words = if access.address & 64 == 0 { low } else { high };
        let (low, high) = (words as u32, (words >> 32) as u32);
        if low == 0 || high == 0 {
            take_half(access, low == 0);
        }
    }
}

fn take_half(access: &mut CoalescedAccess, is_high: bool) {
    access.bytes /= 2;
    access.address += if is_high { u64::from(access.bytes) } else { 0 };
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(index_of_lane: impl Fn(u64) -> u64) -> [u64; LANES] {
        std::array::from_fn(|lane| 0xc000_0000 + 4 * index_of_lane(lane as u64))
    }

    fn plain(addresses: &[u64; LANES], lanes: LaneMask, bytes: u16) -> Vec<(u64, u16)> {
        let mut out = Vec::new();
        coalesce::<false>(Coalescing::Segments, addresses, lanes, bytes, &mut out);
        out.iter().map(|access| (access.address, access.bytes)).collect()
    }

    #[test]
    fn consecutive_words_are_one_access() {
        assert_eq!(plain(&words(|lane| lane), !0, 4), [(0xc000_0000, 128)]);
    }

    #[test]
    fn a_warp_that_starts_in_the_middle_of_a_line_needs_two() {
        assert_eq!(plain(&words(|lane| lane + 16), !0, 4), [(0xc000_0040, 64), (0xc000_0080, 64)]);
    }

    #[test]
    fn one_word_per_line_is_one_sector_per_lane_in_ascending_order() {
        let accesses = plain(&words(|lane| (31 - lane) * 32 + 9), !0, 4);
        assert_eq!(accesses.len(), 32);
        assert_eq!(accesses[0], (0xc000_0020, 32));
        assert_eq!(accesses[31], (0xc000_0020 + 31 * 128, 32));
    }

    #[test]
    fn a_row_and_a_broadcast_are_gathered_like_any_other_addresses() {
        let row = |start: u64, bytes: u64| std::array::from_fn(|lane| start + bytes * lane as u64);
        for (bytes, start) in [(1, 16), (2, 62), (4, 0), (4, 68), (8, 72), (16, 0x1f0)] {
            let (addresses, bytes_per_lane) = (row(start, bytes), bytes as u16);
            let (mut fast, mut plain) = (Vec::new(), Vec::new());
            let segment_bytes = Coalescing::Segments.segment_bytes(bytes_per_lane);
            assert!(gather_row(&addresses, !0, bytes_per_lane, segment_bytes, &mut fast));
            gather::<false>(&addresses, !0, bytes_per_lane, segment_bytes, &mut plain);
            assert_eq!(fast, plain);
            fast.clear();
            plain.clear();
            assert!(gather_broadcast(&[start; LANES], !0, bytes_per_lane, 64, &mut fast));
            gather::<false>(&[start; LANES], !0, bytes_per_lane, 64, &mut plain);
            assert_eq!(fast, plain);
        }
        let mut out = Vec::new();
        assert!(
            !gather_row(&row(2, 4), !0, 4, 128, &mut out),
            "lanes across boundaries are split by their start"
        );
        assert!(!gather_row(&row(0, 4), 1, 4, 128, &mut out) && out.is_empty());
    }

    #[test]
    fn words_and_the_general_case_agree() {
        for (stride, lanes) in [(1, !0), (3, !0), (7, 0xff00_ff0f), (0, !0), (33, 0x8000_0001)] {
            let addresses = words(|lane| (lane * stride * 5) % 61);
            let (mut by_words, mut by_bytes) = (Vec::new(), Vec::new());
            assert!(gather_words(&addresses, lanes, 4, 128, &mut by_words));
            gather::<false>(&addresses, lanes, 4, 128, &mut by_bytes);
            assert_eq!(by_words, by_bytes);
        }
        assert!(!gather_words(&[0xc000_0002; LANES], !0, 4, 128, &mut Vec::new()), "no word begins there");
    }

    #[test]
    fn one_lane_alone_takes_a_sector() {
        assert_eq!(plain(&words(|_| 25), 1, 4), [(0xc000_0060, 32)]);
    }

    #[test]
    fn the_middle_of_a_line_does_not_shrink() {
        assert_eq!(plain(&words(|lane| 8 + lane % 16), 0xffff, 4), [(0xc000_0000, 128)]);
    }

    #[test]
    fn bytes_use_32_byte_segments_and_halves_64() {
        let bytes: [u64; LANES] = std::array::from_fn(|lane| 16 + lane as u64);
        assert_eq!(plain(&bytes, !0, 1), [(0, 32), (32, 32)]);
        let halves: [u64; LANES] = std::array::from_fn(|lane| 2 * lane as u64);
        assert_eq!(plain(&halves, !0, 2), [(0, 64)]);
    }

    #[test]
    fn a_row_of_words_is_four_sectors_where_sectors_are_accessed() {
        let mut out = Vec::new();
        coalesce::<false>(Coalescing::Sectors, &words(|lane| lane + 4), !0, 4, &mut out);
        let sectors: Vec<_> = out.iter().map(|access| (access.address, access.bytes, access.lanes)).collect();
        let lanes = [0xf, 0xff0, 0xf_f000, 0xff0_0000, 0xf000_0000];
        assert!(sectors.iter().map(|sector| sector.2).eq(lanes));
        assert!(sectors.iter().enumerate().all(|(n, s)| (s.0, s.1) == (0xc000_0000 + 32 * n as u64, 32)));
    }

    #[test]
    fn eight_byte_lanes_fill_two_lines() {
        let addresses: [u64; LANES] = std::array::from_fn(|lane| 8 * lane as u64);
        assert_eq!(plain(&addresses, !0, 8), [(0, 128), (128, 128)]);
    }

    #[test]
    fn atomics_to_one_word_take_one_access_per_lane() {
        let mut out = Vec::new();
        coalesce::<true>(Coalescing::Segments, &words(|_| 3), 0b1011, 4, &mut out);
        assert_eq!(out.iter().map(|access| access.lanes).collect::<Vec<_>>(), [1, 2, 8]);
        assert!(out.iter().all(|access| (access.address, access.bytes) == (0xc000_0000, 32)));
    }

    #[test]
    fn atomics_to_different_words_share_a_pass() {
        let mut out = Vec::new();
        coalesce::<true>(Coalescing::Segments, &words(|lane| lane % 16), !0, 4, &mut out);
        assert_eq!(out.iter().map(|access| access.lanes).collect::<Vec<_>>(), [0xffff, 0xffff_0000]);
    }

    #[test]
    fn a_parameter_read_is_one_line_for_the_whole_warp() {
        let mut out = Vec::new();
        coalesce_lines(&[8; LANES], !0, 8, 64, &mut out);
        assert_eq!((out.len(), out[0].address, out[0].bytes, out[0].lanes), (1, 0, 64, !0));
    }
}
