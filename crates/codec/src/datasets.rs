//! Data sets that represent what moves through a GPU's memory: the inputs of every benchmark.
//!
//! | name          | content                                                            | element |
//! |---------------|--------------------------------------------------------------------|---------|
//! | `graph-ids`   | neighbour lists of a graph (CSR), ascending within each list        | u32     |
//! | `small-ints`  | counts and differences, uniform in [-500, 500)                      | i32     |
//! | `smooth-f32`  | a two-dimensional temperature field: slow waves, a little noise     | f32     |
//! | `normal-f32`  | independent normal values, mean 0, deviation 1                      | f32     |
//! | `mixed-pages` | 4 KiB pages of zeros, pointers, small integers, text, floats, noise | u64     |
//! | `bf16-weights`| normal values with a deviation of 0.02, as a network's weights      | bf16    |
//!
//! The same bytes appear on every machine: one integer generator with a seed per set, and floating point only by
//! operations that IEEE 754 rounds exactly (no `sin`, no `ln`). A shorter set is a prefix of a longer one.

mod generate;
mod random;

/// The length that published figures use, in MiB.
pub const FULL_MIB: usize = 64;

/// A named generator of bytes.
#[derive(Clone, Copy, Debug)]
pub struct Dataset {
    /// Its name in every command and report.
    pub name: &'static str,
    /// What it holds, in one line.
    pub summary: &'static str,
    seed: u64,
    fill: fn(&mut [u8], random::Random),
}

impl Dataset {
    /// The first `mib` MiB of the set.
    pub fn bytes(&self, mib: usize) -> Vec<u8> {
        let mut bytes = vec![0; mib << 20];
        (self.fill)(&mut bytes, random::Random::new(self.seed));
        bytes
    }
}

/// All data sets.
pub const DATASETS: &[Dataset] = &[
    Dataset {
        name: "graph-ids",
        summary: "CSR neighbour lists, ascending u32",
        seed: 0x6772_6170,
        fill: generate::graph_ids,
    },
    Dataset {
        name: "small-ints",
        summary: "i32 uniform in [-500, 500)",
        seed: 0x696e_7473,
        fill: generate::small_ints,
    },
    Dataset {
        name: "smooth-f32",
        summary: "f32 field of slow waves with a little noise",
        seed: 0x736d_6f6f,
        fill: generate::smooth_f32,
    },
    Dataset {
        name: "normal-f32",
        summary: "f32 normal, mean 0, deviation 1",
        seed: 0x6e6f_726d,
        fill: generate::normal_f32,
    },
    Dataset {
        name: "mixed-pages",
        summary: "pages of zeros, pointers, integers, text, floats, noise",
        seed: 0x7061_6765,
        fill: generate::mixed_pages,
    },
    Dataset {
        name: "bf16-weights",
        summary: "bf16 normal, deviation 0.02",
        seed: 0x6266_3136,
        fill: generate::bf16_weights,
    },
];

#[cfg(test)]
mod tests {
    use super::*;

    /// FNV-1a, to pin bytes without storing them.
    fn fingerprint(bytes: &[u8]) -> u64 {
        bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, &byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        })
    }

    #[test]
    fn a_shorter_set_is_a_prefix_of_a_longer_one() {
        for set in DATASETS {
            let (short, long) = (set.bytes(1), set.bytes(2));
            assert_eq!(short, long[..short.len()], "{}", set.name);
        }
    }

    #[test]
    fn the_same_bytes_appear_on_every_machine() {
        let pinned: Vec<(&str, u64)> =
            DATASETS.iter().map(|set| (set.name, fingerprint(&set.bytes(1)))).collect();
        let expected = [
            ("graph-ids", 11865349358326665204),
            ("small-ints", 5616950346289436520),
            ("smooth-f32", 8228642690732869210),
            ("normal-f32", 11217931132688416005),
            ("mixed-pages", 17756319667662261847),
            ("bf16-weights", 10511338301021118764),
        ];
        assert_eq!(pinned, expected);
    }

    #[test]
    fn neighbour_lists_mostly_ascend() {
        let bytes = DATASETS[0].bytes(1);
        let (ids, _) = bytes.as_chunks::<4>();
        let falls = ids.windows(2).filter(|pair| u32::from_le_bytes(pair[0]) > u32::from_le_bytes(pair[1]));
        assert!(falls.count() * 8 < ids.len());
    }

    #[test]
    fn normal_values_have_the_deviation_they_claim() {
        let bytes = DATASETS[3].bytes(1);
        let (values, _) = bytes.as_chunks::<4>();
        let squares: f64 = values.iter().map(|value| f64::from(f32::from_le_bytes(*value)).powi(2)).sum();
        let deviation = (squares / values.len() as f64).sqrt();
        assert!((deviation - 1.0).abs() < 0.01, "{deviation}");
    }
}
