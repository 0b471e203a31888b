//! Which codeword every symbol has: the published map, and the tables that encode and decode by any map.

use super::symbol::{BASE_PAYLOAD_BITS, PlaneSymbol, ZERO_RUNS, base_classes, plane_symbols};

/// A codeword: the low `length_bits` bits of `bits`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Codeword {
    pub bits: u32,
    pub length_bits: u32,
}

/// A complete prefix code for the planes and one for the base word, both by symbol number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CodeMap {
    pub planes: Vec<Codeword>,
    pub base: Vec<Codeword>,
}

const fn codeword(bits: u32, length_bits: u32) -> Codeword {
    Codeword { bits, length_bits }
}

/// Figure 3b without its payloads, in the order of [`PlaneSymbol`].
const PUBLISHED_PATTERNS: [Codeword; ZERO_RUNS] = [
    codeword(0b1, 1),
    codeword(0b00000, 5),
    codeword(0b00001, 5),
    codeword(0b00010, 5),
    codeword(0b00011, 5),
];
const PUBLISHED_SINGLE_ZERO: Codeword = codeword(0b001, 3);
const PUBLISHED_RUN_PREFIX: Codeword = codeword(0b01, 2);

const PUBLISHED_BASE_32: [Codeword; 5] =
    [codeword(0b000, 3), codeword(0b001, 3), codeword(0b010, 3), codeword(0b011, 3), codeword(0b1, 1)];
const BASE_64: [Codeword; 6] = [
    codeword(0b000, 3),
    codeword(0b0010, 4),
    codeword(0b0011, 4),
    codeword(0b010, 3),
    codeword(0b011, 3),
    codeword(0b1, 1),
];

impl CodeMap {
    /// The map of the paper for 32-bit words, or its extension to 64-bit words.
    pub fn published(word_bits: u32) -> Self {
        // Runs of 2..=33 take 5 bits, runs of 2..=65 take 6.
        let run_bits = word_bits.ilog2();
        let mut planes = PUBLISHED_PATTERNS.to_vec();
        planes.push(PUBLISHED_SINGLE_ZERO);
        planes.extend((0..word_bits).map(|run_minus_2| {
            let Codeword { bits, length_bits } = PUBLISHED_RUN_PREFIX;
            codeword(bits << run_bits | run_minus_2, length_bits + run_bits)
        }));
        let base = if word_bits == 32 { PUBLISHED_BASE_32.to_vec() } else { BASE_64.to_vec() };
        Self { planes, base }
    }
}

/// The numbers of one block format: what the tables need to know beside the map.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    pub word_bits: u32,
    pub words: u32,
}

impl Shape {
    /// The bits of a plane: one for each delta.
    #[inline(always)]
    pub fn plane_bits(self) -> u32 {
        self.words - 1
    }

    /// A plane of ones.
    #[inline(always)]
    pub fn full_plane(self) -> u32 {
        (1 << self.plane_bits()) - 1
    }

    /// The bits of a position inside a plane.
    #[inline(always)]
    pub fn position_bits(self) -> u32 {
        self.words.ilog2()
    }

    /// The planes of a block.
    pub fn planes(self) -> usize {
        self.word_bits as usize + 1
    }

    fn payload_bits(self, symbol: usize) -> u32 {
        match symbol {
            _ if symbol == PlaneSymbol::Raw as usize => self.plane_bits(),
            _ if is_position(symbol) => self.position_bits(),
            _ => 0,
        }
    }
}

fn is_position(symbol: usize) -> bool {
    symbol == PlaneSymbol::TwoOnes as usize || symbol == PlaneSymbol::SingleOne as usize
}

/// How one plane symbol is written: `code | plane & plane_mask | position & position_mask`, all in `total_bits` bits.
#[derive(Clone, Copy, Debug, Default)]
pub struct EncodeRow {
    pub code: u64,
    pub plane_mask: u32,
    pub position_mask: u32,
    pub total_bits: u32,
}

/// A power of two that every symbol number is below, so that indexing needs no check.
const ENCODE_ROWS: usize = 128;

/// The first rows in bytes, for look-ups by vector instructions; the last one, a run of two zero planes, is for all longer runs.
/// Rows that are no symbol's are zero.
#[derive(Clone, Copy, Debug, Default)]
pub struct ByteRows {
    /// The code before its payload, if that has no more than eight bits.
    pub codes: [u8; 16],
    /// The bits that a position or the length of a run can have.
    pub payload_masks: [u8; 16],
    pub total_bits: [u8; 16],
}

impl ByteRows {
    fn new(rows: &[EncodeRow], shape: Shape) -> Self {
        let mut bytes = Self::default();
        for (symbol, row) in rows.iter().enumerate().take(ZERO_RUNS + 2) {
            bytes.codes[symbol] = row.code as u8;
            bytes.payload_masks[symbol] = row.position_mask as u8;
            bytes.total_bits[symbol] = row.total_bits as u8;
        }
        bytes.payload_masks[ZERO_RUNS + 1] = (shape.word_bits - 1) as u8;
        bytes
    }
}

/// Rows by plane symbol and codewords by base class.
#[derive(Clone, Debug)]
pub struct EncodeTable {
    rows: [EncodeRow; ENCODE_ROWS],
    /// Of the published map.
    pub bytes: ByteRows,
    base: [Codeword; 8],
    /// What every run of two or more zero planes costs, if they all cost the same.
    pub uniform_run_bits: Option<u32>,
}

impl EncodeTable {
    pub fn new(map: &CodeMap, shape: Shape) -> Self {
        let mut rows = [EncodeRow::default(); ENCODE_ROWS];
        for (symbol, codeword) in map.planes.iter().enumerate() {
            let payload_bits = shape.payload_bits(symbol);
            rows[symbol] = EncodeRow {
                code: u64::from(codeword.bits) << payload_bits,
                plane_mask: if symbol == PlaneSymbol::Raw as usize { shape.full_plane() } else { 0 },
                position_mask: if is_position(symbol) { shape.words - 1 } else { 0 },
                total_bits: codeword.length_bits + payload_bits,
            };
        }
        let mut base = [Codeword::default(); 8];
        base[..map.base.len()].copy_from_slice(&map.base);
        let runs = &rows[ZERO_RUNS + 1..plane_symbols(shape.planes())];
        let is_uniform = runs.iter().all(|run| run.total_bits == runs[0].total_bits);
        let bytes = ByteRows::new(&rows, shape);
        Self { bytes, uniform_run_bits: is_uniform.then_some(runs[0].total_bits), rows, base }
    }

    #[inline(always)]
    pub fn row(&self, symbol: usize) -> &EncodeRow {
        &self.rows[symbol % ENCODE_ROWS]
    }

    #[inline(always)]
    pub fn base(&self, class: usize) -> Codeword {
        self.base[class % 8]
    }
}

/// What a plane's first bits mean:
/// `plane = pattern << position | constant | dbp & dbp_mask`, if it is not raw.
#[derive(Clone, Copy, Debug, Default)]
pub struct DecodeRow {
    pub constant: u32,
    pub dbp_mask: u32,
    pub pattern: u8,
    /// The planes the symbol covers.
    pub planes: u8,
    pub prefix_bits: u8,
    pub total_bits: u8,
}

/// How a raw plane is told from all others.
#[derive(Clone, Copy, Debug)]
pub struct RawCode {
    codeword: Codeword,
    pub total_bits: u32,
    /// Which bits of a window, and what they are, if it starts with three raw planes of 16 bits each.
    three: (u64, u64),
    /// Which bits of such a window are planes.
    pub three_planes: u64,
}

impl RawCode {
    fn new(codeword: Codeword, total_bits: u32) -> Self {
        let three_times = |first: u64| first | first >> 16 | first >> 32;
        let unused_bits = 64 - codeword.length_bits;
        let three =
            (three_times(u64::MAX << unused_bits), three_times(u64::from(codeword.bits) << unused_bits));
        let plane = u64::MAX << (64 - total_bits) & !(u64::MAX << unused_bits);
        Self { codeword, total_bits, three, three_planes: three_times(plane) }
    }

    /// Whether the left-aligned `window` starts with a raw plane.
    #[inline(always)]
    pub fn starts(self, window: u64) -> bool {
        window >> (64 - self.codeword.length_bits) == u64::from(self.codeword.bits)
    }

    /// Whether it starts with three raw planes of 16 bits each.
    #[inline(always)]
    pub fn starts_three(self, window: u64) -> bool {
        let (mask, bits) = self.three;
        self.total_bits == 16 && window & mask == bits
    }
}

/// Rows by the first bits of a symbol.
#[derive(Clone, Debug)]
pub struct DecodeTable {
    rows: Box<[DecodeRow]>,
    /// The longest codeword: how many bits choose a row.
    index_bits: u32,
    pub raw: RawCode,
    base: [(u8, u8); BASE_ROWS],
}

const BASE_BITS: u32 = 5;
const BASE_ROWS: usize = 1 << BASE_BITS;

impl DecodeTable {
    pub fn new(map: &CodeMap, shape: Shape) -> Self {
        let index_bits = map.planes.iter().map(|codeword| codeword.length_bits).max().unwrap_or(0);
        let mut rows = vec![DecodeRow::default(); 1 << index_bits].into_boxed_slice();
        for (symbol, codeword) in map.planes.iter().enumerate() {
            let row = DecodeRow {
                constant: if symbol == PlaneSymbol::AllOnes as usize { shape.full_plane() } else { 0 },
                dbp_mask: if symbol == PlaneSymbol::DbpZero as usize { shape.full_plane() } else { 0 },
                pattern: match symbol {
                    _ if symbol == PlaneSymbol::TwoOnes as usize => 0b11,
                    _ if symbol == PlaneSymbol::SingleOne as usize => 0b1,
                    _ => 0,
                },
                planes: if symbol < ZERO_RUNS { 1 } else { (symbol - ZERO_RUNS + 1) as u8 },
                prefix_bits: codeword.length_bits as u8,
                total_bits: (codeword.length_bits + shape.payload_bits(symbol)) as u8,
            };
            fill(&mut rows, index_bits, *codeword, row);
        }
        let mut base = [(0, 0); BASE_ROWS];
        for (class, codeword) in map.base.iter().enumerate().take(base_classes(shape.word_bits)) {
            let row = (codeword.length_bits as u8, BASE_PAYLOAD_BITS[class] as u8);
            fill(&mut base, BASE_BITS, *codeword, row);
        }
        let codeword = map.planes[PlaneSymbol::Raw as usize];
        let raw = RawCode::new(codeword, codeword.length_bits + shape.plane_bits());
        Self { rows, index_bits, raw, base }
    }

    /// The symbol that starts the left-aligned `window`, if that is no raw plane.
    #[inline(always)]
    pub fn row(&self, window: u64) -> &DecodeRow {
        &self.rows[(window >> (64 - self.index_bits)) as usize]
    }

    /// The base class that starts the left-aligned `window`: the bits of its prefix and of its payload.
    #[inline(always)]
    pub fn base(&self, window: u64) -> (u32, u32) {
        let (prefix_bits, payload_bits) = self.base[(window >> (64 - BASE_BITS)) as usize % BASE_ROWS];
        (u32::from(prefix_bits), u32::from(payload_bits))
    }
}

/// Stores `row` at every index that starts with `codeword`.
fn fill<T: Copy>(rows: &mut [T], index_bits: u32, codeword: Codeword, row: T) {
    let free_bits = index_bits - codeword.length_bits;
    let first = (codeword.bits as usize) << free_bits;
    rows[first..first + (1 << free_bits)].fill(row);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_published_maps_are_complete_prefix_codes() {
        for word_bits in [32, 64] {
            let map = CodeMap::published(word_bits);
            for code in [&map.planes, &map.base] {
                let kraft_sum: u32 = code.iter().map(|word| 256 >> word.length_bits).sum();
                assert_eq!(kraft_sum, 256);
            }
            assert_eq!(map.planes.len(), plane_symbols(word_bits as usize + 1));
            assert_eq!(map.base.len(), base_classes(word_bits));
        }
    }

    #[test]
    fn each_row_costs_what_the_paper_says() {
        let table = EncodeTable::new(&CodeMap::published(32), Shape { word_bits: 32, words: 32 });
        let cost = |symbol: usize| table.row(symbol).total_bits;
        assert_eq!(cost(PlaneSymbol::Raw as usize), 32);
        assert_eq!(cost(PlaneSymbol::AllOnes as usize), 5);
        assert_eq!(cost(PlaneSymbol::DbpZero as usize), 5);
        assert_eq!(cost(PlaneSymbol::TwoOnes as usize), 10);
        assert_eq!(cost(PlaneSymbol::SingleOne as usize), 10);
        assert_eq!(cost(ZERO_RUNS), 3);
        assert_eq!(table.uniform_run_bits, Some(7));
    }
}
