//! What a codec costs where it sits: the cycles and the energy that the literature gives.
//!
//! | figures                         | source                                                                          |
//! |---------------------------------|---------------------------------------------------------------------------------|
//! | L1 cycles, BDI and SC energy    | LATTE-CC (Arunkumar et al., HPCA 2018)                                          |
//! | packet cycles                   | the latency table of the DSM thesis                                             |
//! | memory cycles, E2MC energy      | E2MC (Lal et al., IPDPS 2017): cycles as published, energy = power / throughput x 128 B |
//! | BPC                             | Kim et al., ISCA 2016: 11 cycles each way                                       |
//!
//! Energies without a source are estimated from gate counts: the DSM thesis has 33.66 mW for 29 K gates at 700 MHz,
//! so 1.16 uW a gate; half of a codec's gates work for as many cycles as the operation takes. A codec without a published
//! latency at a point has the latency it has elsewhere.

/// Where a codec sits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Point {
    /// In the L1, core cycles.
    L1,
    /// Between slices and SMs, core cycles.
    Packets,
    /// In the controller, DRAM cycles.
    Memory,
    /// At the ends of the memory link, DRAM cycles.
    Link,
}

impl Point {
    /// Its name in configurations and reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::L1 => "l1",
            Self::Packets => "packets",
            Self::Memory => "memory",
            Self::Link => "link",
        }
    }
}

/// Cycles to compress and to decompress one block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cycles {
    /// Until the encoding is whole.
    pub compress: u32,
    /// Until the block is whole.
    pub decompress: u32,
}

/// What one block costs a codec.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CodecCosts {
    /// Time.
    pub cycles: Cycles,
    /// Energy to compress, in picojoules.
    pub compress_pj: u32,
    /// Energy to decompress, in picojoules.
    pub decompress_pj: u32,
}

/// A row: cycles (compress, decompress) in the L1, for packets and in memory, then picojoules (compress, decompress).
struct Row {
    codec: &'static str,
    l1: (u32, u32),
    packets: (u32, u32),
    memory: (u32, u32),
    energy_pj: (u32, u32),
}

const fn row(
    codec: &'static str,
    l1: (u32, u32),
    packets: (u32, u32),
    memory: (u32, u32),
    energy_pj: (u32, u32),
) -> Row {
    Row { codec, l1, packets, memory, energy_pj }
}

/// Every codec of the registry. E2MC's decompression is that of one decoding way.
#[rustfmt::skip]
const ROWS: &[Row] = &[
    //    codec          L1          packets     memory      picojoules
    row("zero",        (1, 1),     (1, 1),     (1, 1),     (30, 18)),
    row("bdi",         (2, 2),     (2, 1),     (1, 1),     (192, 56)),
    row("fpc",         (3, 5),     (3, 5),     (6, 10),    (373, 621)),
    row("cpack",       (16, 9),    (16, 9),    (16, 9),    (530, 298)),
    row("cpack-z",     (16, 8),    (16, 9),    (16, 9),    (530, 265)),
    row("dsm",         (2, 1),     (2, 1),     (2, 1),     (60, 18)),
    row("bpc",         (11, 11),   (11, 11),   (11, 11),   (620, 620)),
    row("bpc64",       (11, 11),   (11, 11),   (11, 11),   (620, 620)),
    row("bpc-trained", (11, 11),   (11, 11),   (11, 11),   (620, 620)),
    row("sc",          (6, 14),    (6, 14),    (6, 14),    (420, 336)),
    row("fp-h",        (6, 14),    (6, 14),    (6, 14),    (420, 336)),
    row("hycomp",      (6, 14),    (6, 14),    (6, 14),    (420, 336)),
    row("e2mc4",       (154, 233), (154, 233), (154, 233), (218, 1170)),
    row("e2mc8",       (84, 143),  (84, 143),  (84, 143),  (333, 1675)),
    row("e2mc16",      (46, 82),   (46, 82),   (46, 82),   (245, 951)),
    row("e2mc32",      (24, 42),   (24, 42),   (24, 42),   (209, 572)),
];

/// The published costs of a codec of the registry at a point; `ways` is its number of parallel decoders.
pub fn published(codec: &str, ways: u32, point: Point) -> CodecCosts {
    // Every codec of the registry has a row (tested); a stranger would cost nothing.
    let Some(row) = ROWS.iter().find(|row| row.codec == codec) else {
        return CodecCosts {
            cycles: Cycles { compress: 0, decompress: 0 },
            compress_pj: 0,
            decompress_pj: 0,
        };
    };
    let (compress, decompress) = match point {
        Point::L1 => row.l1,
        Point::Packets => row.packets,
        Point::Memory | Point::Link => row.memory,
    };
    CodecCosts {
        cycles: Cycles { compress, decompress: decompress.div_ceil(ways.max(1)) },
        compress_pj: row.energy_pj.0,
        decompress_pj: row.energy_pj.1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use shrinkwarp_codec::registry::ENTRIES;

    #[test]
    fn every_codec_of_the_registry_has_its_costs() {
        for entry in ENTRIES {
            assert!(ROWS.iter().any(|row| row.codec == entry.name), "{}", entry.name);
        }
    }

    #[test]
    fn four_ways_decode_e2mc16_in_a_quarter_of_the_time() {
        assert_eq!(published("e2mc16", 1, Point::Memory).cycles, Cycles { compress: 46, decompress: 82 });
        assert_eq!(published("e2mc16", 4, Point::Memory).cycles.decompress, 21);
    }

    #[test]
    fn each_point_has_its_own_latency() {
        let decompress = |point| published("bdi", 1, point).cycles.decompress;
        assert_eq!([Point::L1, Point::Packets, Point::Memory].map(decompress), [2, 1, 1]);
    }
}
