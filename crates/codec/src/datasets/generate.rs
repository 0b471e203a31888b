//! The generators behind the table of data sets. Each fills as many whole elements as fit.

use half::bf16;

use super::random::Random;

const PAGE_BYTES: usize = 4096;

/// CSR neighbour lists: vertex v has a few to a few dozen neighbours, most of them near v, some anywhere.
pub(super) fn graph_ids(bytes: &mut [u8], mut random: Random) {
    const VERTICES: u32 = 1 << 22;
    let mut vertex = 0u32;
    let mut left_in_list = 0;
    let mut id = 0u32;
    for slot in bytes.as_chunks_mut::<4>().0 {
        if left_in_list == 0 {
            // Degrees are skewed: the product of two uniform numbers is small most of the time.
            left_in_list = 8 + random.below(12) * random.below(12);
            vertex = (vertex + 1) % VERTICES;
            id = vertex.saturating_sub(random.below(4096));
        }
        *slot = id.to_le_bytes();
        left_in_list -= 1;
        let gap_bits = if random.below(16) == 0 { 14 } else { 6 };
        id = id.wrapping_add(1 + random.below(1 << gap_bits));
    }
}

/// Uniform in [-500, 500).
pub(super) fn small_ints(bytes: &mut [u8], mut random: Random) {
    for slot in bytes.as_chunks_mut::<4>().0 {
        *slot = (random.below(1000) as i32 - 500).to_le_bytes();
    }
}

/// A field of 4096 columns, in kelvin: three slow waves and noise of a few parts in a million.
pub(super) fn smooth_f32(bytes: &mut [u8], mut random: Random) {
    const COLUMNS: usize = 4096;
    for (index, slot) in bytes.as_chunks_mut::<4>().0.iter_mut().enumerate() {
        let (x, y) = ((index % COLUMNS) as f64, (index / COLUMNS) as f64);
        let noise = random.below(1 << 16) as f64 / 65536.0 - 0.5;
        let kelvin = 285.0
            + 18.0 * wave(y / 4096.0)
            + 6.0 * wave(x / 1900.0 + y / 2700.0)
            + 1.5 * wave(x / 310.0 - y / 450.0)
            + 0.001 * noise;
        *slot = (kelvin as f32).to_le_bytes();
    }
}

/// A period of 1 and an amplitude of 1, made of two parabolas: a sine wave that needs no library function.
fn wave(phase: f64) -> f64 {
    let centred = phase - phase.floor() - 0.5;
    16.0 * centred * (centred.abs() - 0.5)
}

pub(super) fn normal_f32(bytes: &mut [u8], mut random: Random) {
    for slot in bytes.as_chunks_mut::<4>().0 {
        *slot = (random.normal() as f32).to_le_bytes();
    }
}

pub(super) fn bf16_weights(bytes: &mut [u8], mut random: Random) {
    for slot in bytes.as_chunks_mut::<2>().0 {
        *slot = bf16::from_f64(random.normal() * 0.02).to_le_bytes();
    }
}

/// Pages as a program's heap has them, in the shares of the match below (of 16).
pub(super) fn mixed_pages(bytes: &mut [u8], mut random: Random) {
    for page in bytes.chunks_exact_mut(PAGE_BYTES) {
        match random.below(16) {
            0..4 => page.fill(0),
            4..8 => pointers(page, &mut random),
            8..11 => sparse_counters(page, &mut random),
            11..13 => text(page, &mut random),
            13..15 => normal_f32(page, Random::new(random.bits())),
            _ => page.as_chunks_mut::<8>().0.iter_mut().for_each(|slot| *slot = random.bits().to_le_bytes()),
        }
    }
}

/// Nodes of a heap: pointers into one arena, every fourth one null.
fn pointers(page: &mut [u8], random: &mut Random) {
    let arena = 0x7f00_0000_0000 | u64::from(random.below(1 << 8)) << 28;
    for slot in page.as_chunks_mut::<8>().0 {
        let is_null = random.below(4) == 0;
        let pointer = if is_null { 0 } else { arena + 16 * u64::from(random.below(1 << 16)) };
        *slot = pointer.to_le_bytes();
    }
}

/// 32-bit counters, half of them zero, the others below 256.
fn sparse_counters(page: &mut [u8], random: &mut Random) {
    for slot in page.as_chunks_mut::<4>().0 {
        *slot = (random.below(256) * random.below(2)).to_le_bytes();
    }
}

/// Letters in the order of their frequency in English, the common ones more often.
fn text(page: &mut [u8], random: &mut Random) {
    const LETTERS: &[u8] = b" etaoinshrdlucmfwygpbvk\n";
    let count = LETTERS.len() as u32;
    for slot in page {
        *slot = LETTERS[(random.below(count) * random.below(count) / count) as usize];
    }
}
