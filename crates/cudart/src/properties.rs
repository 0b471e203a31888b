//! What the device is, and how `cudaDeviceProp` lies in memory for each version of the runtime.
//!
//! The offsets are those of the structure in the headers of 11.8, 12.9 and 13.4. 11.x and 12.x agree up to the end of
//! the former; 13.x left fields out. What is not in the table is 0: the simulated GPU has none of it.

use shrinkwarp_emu::memory::DEVICE_BYTES;
use shrinkwarp_sim::config::{GpuSpec, SmConfig};

/// Architecture of a program without PTX.
const DEFAULT_ARCHITECTURE: u32 = 70;
/// Bytes of the constant bank that programs may count on.
const CONSTANT_BYTES: u64 = 64 << 10;
/// Shared memory of a thread block whose kernel does not ask for more.
const PLAIN_SHARED_BYTES: u64 = 48 << 10;
/// What the system keeps of a thread block's shared memory, and from which compute capability on.
const RESERVED_SHARED_BYTES: u64 = 1024;
const AMPERE: u32 = 80;
const NAME_BYTES: usize = 256;
const LARGEST_EXTENT: u64 = 65_536;

/// A layout of `cudaDeviceProp`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// Of 11.x, and of old programs in 12.x.
    V11,
    /// Of 12.x.
    V12,
    /// Of 13.x.
    V13,
}

impl Layout {
    /// Bytes of the structure.
    pub fn bytes(self) -> usize {
        match self {
            Self::V11 => 728,
            Self::V12 => 1032,
            Self::V13 => 1008,
        }
    }
}

/// What the device is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Properties {
    name: String,
    fields: Vec<Field>,
}

/// A row of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Field {
    /// Offset in 11.x and 12.x, and in 13.x.
    offsets: [Option<usize>; 2],
    bytes: usize,
    /// Number in `cudaDeviceAttr`.
    attribute: Option<i32>,
    value: u64,
}

impl Properties {
    /// Of a GPU. It executes any PTX: where the program was compiled for a newer architecture than the GPU's own, it is told
    /// that one, because a program refuses to run, or takes its slow path, on a device older than its code.
    pub fn new(gpu: &GpuSpec, architecture: Option<u32>) -> Self {
        let architecture =
            u64::from(architecture.unwrap_or(DEFAULT_ARCHITECTURE).max(gpu.compute_capability));
        let sm = &gpu.sm;
        let shared_bytes = sm.shared_kib as u64 * 1024;
        // From Ampere on the system keeps a part of the shared memory for each thread block.
        let reserved_bytes = if gpu.compute_capability >= AMPERE { RESERVED_SHARED_BYTES } else { 0 };
        let core_khz = u64::from(gpu.clocks.core_mhz) * 1000;
        // Of a memory that moves data twice in a clock, as programs that work out the bandwidth expect.
        let dram_khz = u64::from(gpu.clocks.dram_mhz) * 1000 * gpu.dram.transfers_per_clock as u64 / 2;
        let bus_bits = (gpu.dram.channels * gpu.dram.chips_per_channel * gpu.dram.chip_bus_bits) as u64;
        let l2_bytes = (gpu.l2.size_kib * gpu.slices()) as u64 * 1024;
        let fields = vec![
            // offset in 11.x and 12.x, offset in 13.x, bytes, attribute, value
            row(288, 288, 8, 0, DEVICE_BYTES),
            row(296, 296, 8, 8, shared_bytes.min(PLAIN_SHARED_BYTES)),
            row(304, 304, 4, 12, sm.registers as u64),
            row(308, 308, 4, 10, 32),
            row(312, 312, 8, 11, 0x7fff_ffff),
            row(320, 320, 4, 1, 1024),
            row(324, 324, 4, 2, 1024),
            row(328, 328, 4, 3, 1024),
            row(332, 332, 4, 4, 64),
            row(336, 336, 4, 5, 0x7fff_ffff),
            row(340, 340, 4, 6, 65_535),
            row(344, 344, 4, 7, 65_535),
            row(348, 0, 4, 13, core_khz),
            row(352, 352, 8, 9, CONSTANT_BYTES),
            row(360, 360, 4, 75, architecture / 10),
            row(364, 364, 4, 76, architecture % 10),
            row(368, 368, 8, 14, 512),
            row(376, 376, 8, 51, 32),
            row(384, 0, 4, 15, 1),
            row(388, 384, 4, 16, sm.count as u64),
            row(400, 392, 4, 19, 1),
            row(408, 396, 4, 21, LARGEST_EXTENT),
            row(416, 0, 4, 69, 1 << 27),
            row(420, 404, 4, 22, LARGEST_EXTENT),
            row(424, 408, 4, 23, LARGEST_EXTENT),
            row(436, 420, 4, 70, LARGEST_EXTENT),
            row(440, 424, 4, 71, LARGEST_EXTENT),
            row(444, 428, 4, 72, 1 << 20),
            row(456, 440, 4, 24, 4096),
            row(460, 444, 4, 25, 4096),
            row(464, 448, 4, 26, 4096),
            row(568, 552, 8, 30, 512),
            row(576, 560, 4, 31, 1),
            row(600, 584, 4, 40, 1),
            row(604, 588, 4, 41, 1),
            row(608, 0, 4, 36, dram_khz),
            row(612, 592, 4, 37, bus_bits),
            row(616, 596, 4, 38, l2_bytes),
            row(624, 604, 4, 39, sm.threads as u64),
            row(628, 608, 4, 78, 0),
            row(632, 612, 4, 79, 1),
            row(636, 616, 4, 80, 1),
            row(640, 624, 8, 81, shared_bytes),
            row(648, 632, 4, 82, sm.registers as u64),
            row(652, 636, 4, 83, 1),
            row(668, 0, 4, 87, single_to_double_ratio(sm)),
            row(676, 656, 4, 89, 1),
            row(684, 664, 4, 91, 1),
            row(688, 668, 4, 95, 1),
            row(696, 672, 8, 97, shared_bytes - reserved_bytes),
            row(708, 684, 4, 101, 1),
            row(712, 688, 4, 106, sm.blocks as u64),
            row(720, 696, 8, 111, reserved_bytes),
            // Memory pools, without a place that all layouts have.
            Field { offsets: [None; 2], bytes: 4, attribute: Some(115), value: 1 },
        ];
        Self { name: format!("Shrinkwarp {}", gpu.name), fields }
    }

    /// The structure as a program expects it.
    pub fn bytes(&self, layout: Layout) -> Vec<u8> {
        let mut bytes = vec![0; layout.bytes()];
        let name = &self.name.as_bytes()[..self.name.len().min(NAME_BYTES - 1)];
        bytes[..name.len()].copy_from_slice(name);
        for field in &self.fields {
            let offset = field.offsets[usize::from(layout == Layout::V13)];
            if let Some(target) = offset.and_then(|offset| bytes.get_mut(offset..offset + field.bytes)) {
                target.copy_from_slice(&field.value.to_le_bytes()[..field.bytes]);
            }
        }
        bytes
    }

    /// One value by its number in `cudaDeviceAttr`; 0 for what the device has not.
    pub fn attribute(&self, number: i32) -> Option<i32> {
        const LAST_ATTRIBUTE: i32 = 157;
        let field = self.fields.iter().find(|field| field.attribute == Some(number));
        match field {
            Some(field) => Some(field.value.min(i32::MAX as u64) as i32),
            None => (1..=LAST_ATTRIBUTE).contains(&number).then_some(0),
        }
    }
}

/// How many fp32 multiply-adds an SM begins while it begins one in fp64.
fn single_to_double_ratio(sm: &SmConfig) -> u64 {
    let pipeline = &sm.pipeline;
    let double_units = if pipeline.fp64_units > 0 { pipeline.fp64_units } else { pipeline.sfu_units };
    let (singles, doubles) = (sm.fp32.mad.interval_cycles, sm.fp64.mad.interval_cycles);
    let ratio = u64::from(doubles) * pipeline.sp_units as u64 / (u64::from(singles) * double_units as u64);
    ratio.max(1)
}

/// A row of the table; 0 means no offset and no attribute.
const fn row(offset: usize, offset_13: usize, bytes: usize, attribute: i32, value: u64) -> Field {
    Field {
        offsets: [Some(offset), if offset_13 == 0 { None } else { Some(offset_13) }],
        bytes,
        attribute: if attribute == 0 { None } else { Some(attribute) },
        value,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gtx480() -> Properties {
        Properties::new(&shrinkwarp_sim::config::load("gtx480", &[]).unwrap(), Some(75))
    }

    fn word(bytes: &[u8], at: usize) -> u32 {
        u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap())
    }

    #[test]
    fn every_layout_has_its_size_and_the_name_in_front() {
        for (layout, bytes) in [(Layout::V11, 728), (Layout::V12, 1032), (Layout::V13, 1008)] {
            let found = gtx480().bytes(layout);
            assert_eq!(found.len(), bytes);
            assert!(found.starts_with(b"Shrinkwarp gtx480\0"));
        }
    }

    #[test]
    fn a_field_lies_where_its_version_has_it() {
        let (old, new) = (gtx480().bytes(Layout::V11), gtx480().bytes(Layout::V13));
        assert_eq!((word(&old, 388), word(&new, 384)), (15, 15), "multiProcessorCount");
        assert_eq!((word(&old, 360), word(&old, 364)), (7, 5), "major and minor");
        assert_eq!((word(&old, 712), word(&new, 688)), (8, 8), "maxBlocksPerMultiProcessor");
        assert_eq!(word(&old, 348), 700_000, "clockRate");
    }

    #[test]
    fn the_capability_is_the_gpu_s_unless_the_program_was_made_for_a_newer_one() {
        let capability = |gpu: &str, architecture: u32| {
            let properties =
                Properties::new(&shrinkwarp_sim::config::load(gpu, &[]).unwrap(), Some(architecture));
            (properties.attribute(75), properties.attribute(76))
        };
        assert_eq!(capability("v100", 52), (Some(7), Some(0)));
        assert_eq!(capability("a100", 75), (Some(8), Some(0)));
        assert_eq!(capability("rtx-3070", 80), (Some(8), Some(6)));
        assert_eq!(capability("v100", 75), (Some(7), Some(5)));
    }

    #[test]
    fn a_program_is_told_what_the_preset_is() {
        // Attributes: SMs, core kHz, L2 bytes, shared memory of a thread block, the same on request, of an SM, registers of a thread block
        // and of an SM, threads and thread blocks of an SM, bits of the memory bus, fp32 for each fp64. Last, GB/s.
        for (gpu, expected, gb_per_s) in [
            (
                "v100",
                [80, 1_132_000, 6 << 20, 48 << 10, 96 << 10, 96 << 10, 65_536, 65_536, 2048, 32, 4096, 2],
                870.4,
            ),
            (
                "a100",
                [108, 1_410_000, 40 << 20, 48 << 10, 163 << 10, 164 << 10, 65_536, 65_536, 2048, 32, 5120, 2],
                1555.2,
            ),
            (
                "h100-pcie",
                [114, 1_755_000, 50 << 20, 48 << 10, 227 << 10, 228 << 10, 65_536, 65_536, 2048, 32, 5120, 2],
                2039.0,
            ),
            (
                "rtx-3070",
                [46, 1_132_000, 4 << 20, 48 << 10, 99 << 10, 100 << 10, 65_536, 65_536, 1536, 32, 256, 64],
                448.0,
            ),
        ] {
            let spec = shrinkwarp_sim::config::load(gpu, &[]).unwrap();
            let properties = Properties::new(&spec, None);
            let attributes = [16, 13, 38, 8, 97, 81, 12, 82, 39, 106, 37, 87];
            let found = attributes.map(|attribute| properties.attribute(attribute).unwrap());
            assert_eq!(found, expected, "{gpu}");
            let khz = f64::from(properties.attribute(36).unwrap());
            let peak = 2.0 * khz * 1e3 * f64::from(found[10]) / 8.0 / 1e9;
            assert!((peak - gb_per_s).abs() < 0.1, "{gpu}: {peak} GB/s");
            // The structure has the same values.
            let bytes = properties.bytes(Layout::V12);
            assert_eq!((word(&bytes, 388), word(&bytes, 616)), (expected[0] as u32, expected[2] as u32));
            assert_eq!((word(&bytes, 296), word(&bytes, 696)), (expected[3] as u32, expected[4] as u32));
        }
    }

    #[test]
    fn no_two_fields_of_a_layout_overlap() {
        let properties = gtx480();
        for layout in 0..2 {
            let mut ranges: Vec<_> = properties
                .fields
                .iter()
                .filter_map(|field| field.offsets[layout].map(|offset| (offset, offset + field.bytes)))
                .collect();
            ranges.sort_unstable();
            assert!(ranges.windows(2).all(|pair| pair[0].1 <= pair[1].0), "{ranges:?}");
        }
    }

    #[test]
    fn attributes_are_the_same_values() {
        assert_eq!(gtx480().attribute(16), Some(15));
        assert_eq!(gtx480().attribute(10), Some(32));
        assert_eq!(gtx480().attribute(32), Some(0), "no ECC");
        assert_eq!(gtx480().attribute(115), Some(1), "memory pools");
        assert_eq!(gtx480().attribute(9999), None);
    }
}
