//! Compressors and decompressors of E2MC for a bandwidth, their area and their power.
//!
//! Lal, Lucas, Juurlink, "E2MC: Entropy Encoding Based Memory Compression for GPUs", IPDPS 2017, tables III and IV. Table
//! III has the figures of one unit (synthesised for 32 nm), table IV those of all units of a GTX 580, which must together
//! handle four times its 192.4 GB/s: what DRAM delivers when every block shrinks fourfold.
//!
//! The rule that gives all eight unit counts of table IV: compressors handle at least half of the bandwidth, decompressors
//! what they leave of it, in whole units, and all that four times. A unit handles a symbol in a period; the paper prints
//! the frequency, and the periods below are those in steps of 0.05 ns that round to it.
//!
//! The areas of table III have two decimals and sometimes one digit, so products of them differ from table IV.

use std::fmt::Write;

use serde::Serialize;

/// Most that a block shrinks: a quarter of it is the least that DRAM transfers.
const LARGEST_RATIO: u32 = 4;

/// Bandwidth of the GTX 580.
pub const PUBLISHED_GB_PER_SECOND: f64 = 192.4;

/// Die of the GTX 580 (GF110).
const GTX580_MM2: f64 = 520.0;

/// Power that the GTX 580 is made for.
const GTX580_W: f64 = 244.0;

/// What E2MC needs for a memory bandwidth, for each symbol length.
#[derive(Clone, Debug, Serialize)]
pub struct Estimate {
    /// The bandwidth.
    pub gb_per_second: f64,
    /// A row for each symbol length.
    pub designs: Vec<Row>,
}

impl Estimate {
    /// For a bandwidth in GB/s.
    pub fn of(gb_per_second: f64) -> Self {
        Self { gb_per_second, designs: DESIGNS.iter().map(|design| Row::of(design, gb_per_second)).collect() }
    }

    /// As a table; below each row the paper's own for a GTX 580.
    pub fn text(&self) -> String {
        table(&self.designs, self.gb_per_second)
    }
}

/// One unit, table III.
#[derive(Clone, Copy, Debug)]
struct Unit {
    period_ns: f64,
    mm2: f64,
    mw: f64,
}

/// All compressors or all decompressors.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Units {
    /// How many.
    pub units: u32,
    /// Their area.
    pub mm2: f64,
    /// Their power.
    pub w: f64,
}

/// A symbol length: its units, and what table IV says of them.
#[derive(Clone, Copy, Debug)]
struct Design {
    symbol_bits: u32,
    compressor: Unit,
    decompressor: Unit,
    published: Total,
}

/// What a whole GPU needs.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Total {
    /// All compressors.
    pub compressors: Units,
    /// All decompressors.
    pub decompressors: Units,
    /// Their area, of a GTX 580's.
    pub area_percent: f64,
    /// Their power, of a GTX 580's.
    pub power_percent: f64,
}

#[rustfmt::skip]
const DESIGNS: [Design; 4] = [
    design(4,  unit(0.60, 0.02, 1.43), unit(0.90, 0.01,  5.12), total((464,  7.9, 0.7), (692, 10.3, 3.6), 3.4, 1.7)),
    design(8,  unit(0.65, 0.08, 4.01), unit(1.10, 0.04, 11.91), total((252, 20.3, 1.0), (424, 18.1, 5.0), 7.3, 2.5)),
    design(16, unit(0.70, 0.11, 5.47), unit(1.25, 0.07, 11.89), total((136, 14.6, 0.7), (240, 16.4, 2.8), 5.8, 1.5)),
    design(32, unit(0.70, 0.17, 9.34), unit(1.25, 0.12, 14.30), total((68,  11.5, 0.6), (120, 14.3, 1.7), 4.9, 0.9)),
];

const fn design(symbol_bits: u32, compressor: Unit, decompressor: Unit, published: Total) -> Design {
    Design { symbol_bits, compressor, decompressor, published }
}

const fn unit(period_ns: f64, mm2: f64, mw: f64) -> Unit {
    Unit { period_ns, mm2, mw }
}

const fn total(
    compressors: (u32, f64, f64),
    decompressors: (u32, f64, f64),
    area_percent: f64,
    power_percent: f64,
) -> Total {
    Total {
        compressors: units(compressors),
        decompressors: units(decompressors),
        area_percent,
        power_percent,
    }
}

const fn units((units, mm2, w): (u32, f64, f64)) -> Units {
    Units { units, mm2, w }
}

impl Unit {
    fn gb_per_second(self, symbol_bits: u32) -> f64 {
        f64::from(symbol_bits) / 8.0 / self.period_ns
    }

    /// Whole units for a throughput, times the largest ratio.
    fn times(self, units: u32) -> Units {
        let units = LARGEST_RATIO * units;
        Units { units, mm2: f64::from(units) * self.mm2, w: f64::from(units) * self.mw / 1e3 }
    }
}

/// A line of the answer.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Row {
    /// Bits of a symbol.
    pub symbol_bits: u32,
    /// Throughput of one compressor.
    pub compressor_gb_per_second: f64,
    /// Throughput of one decompressor.
    pub decompressor_gb_per_second: f64,
    /// What the bandwidth needs.
    pub needed: Total,
    /// What the paper says a GTX 580 needs.
    pub published: Total,
}

impl Row {
    fn of(design: &Design, gb_per_second: f64) -> Self {
        let compressor_gb_per_second = design.compressor.gb_per_second(design.symbol_bits);
        let decompressor_gb_per_second = design.decompressor.gb_per_second(design.symbol_bits);
        let compressors = (gb_per_second / 2.0 / compressor_gb_per_second).ceil();
        let rest = (gb_per_second - compressors * compressor_gb_per_second).max(0.0);
        let decompressors = (rest / decompressor_gb_per_second).ceil();
        let compressors = design.compressor.times(compressors as u32);
        let decompressors = design.decompressor.times(decompressors as u32);
        Self {
            symbol_bits: design.symbol_bits,
            compressor_gb_per_second,
            decompressor_gb_per_second,
            needed: Total {
                compressors,
                decompressors,
                area_percent: 100.0 * (compressors.mm2 + decompressors.mm2) / GTX580_MM2,
                power_percent: 100.0 * (compressors.w + decompressors.w) / GTX580_W,
            },
            published: design.published,
        }
    }
}

fn table(rows: &[Row], gb_per_second: f64) -> String {
    let mut text = format!(
        "E2MC for {gb_per_second} GB/s: units that together handle {LARGEST_RATIO} x that\n\n\
         {:<14}{:^30}{:^32}{:^20}\n\
         {:<14}{:>8}{:>8}{:>7}{:>7}{:>10}{:>8}{:>7}{:>7}{:>11}{:>9}\n",
        "",
        "compressors",
        "decompressors",
        "of a GTX 580",
        "symbols",
        "GB/s",
        "units",
        "mm2",
        "W",
        "GB/s",
        "units",
        "mm2",
        "W",
        "area, %",
        "power, %",
    );
    for row in rows {
        let own =
            [row.compressor_gb_per_second, row.decompressor_gb_per_second].map(|rate| format!("{rate:.2}"));
        push_line(&mut text, &format!("{} bits", row.symbol_bits), &own, &row.needed);
        push_line(&mut text, "  published", &[String::new(), String::new()], &row.published);
    }
    let _ = write!(
        text,
        "\nGB/s is that of one unit. Published are the paper's figures for {PUBLISHED_GB_PER_SECOND} GB/s; ours are \
         multiples of the\nunit's, whose area the paper rounds to 0.01 mm2. A GTX 580 has {GTX580_MM2} mm2 and {GTX580_W} W.\n"
    );
    text
}

fn push_line(text: &mut String, name: &str, rates: &[String; 2], total: &Total) {
    let Total { compressors, decompressors, area_percent, power_percent } = total;
    let _ = writeln!(
        text,
        "{name:<14}{:>8}{:>8}{:>7.1}{:>7.1}{:>10}{:>8}{:>7.1}{:>7.1}{area_percent:>11.1}{power_percent:>9.1}",
        rates[0],
        compressors.units,
        compressors.mm2,
        compressors.w,
        rates[1],
        decompressors.units,
        decompressors.mm2,
        decompressors.w,
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_gtx580_needs_the_units_of_table_iv() {
        for design in &DESIGNS {
            let needed = Row::of(design, PUBLISHED_GB_PER_SECOND).needed;
            let counts = |total: &Total| (total.compressors.units, total.decompressors.units);
            assert_eq!(counts(&needed), counts(&design.published), "{} bits", design.symbol_bits);
        }
    }

    #[test]
    fn the_units_together_handle_four_times_the_bandwidth() {
        for gb_per_second in [1.0, 177.4, 192.4, 900.0] {
            for design in &DESIGNS {
                let row = Row::of(design, gb_per_second);
                let handled = f64::from(row.needed.compressors.units) * row.compressor_gb_per_second
                    + f64::from(row.needed.decompressors.units) * row.decompressor_gb_per_second;
                assert!(handled >= 4.0 * gb_per_second - 1e-6, "{handled} for {gb_per_second}");
            }
        }
    }

    #[test]
    fn power_is_that_of_table_iv_within_its_rounding() {
        for design in &DESIGNS {
            let needed = Row::of(design, PUBLISHED_GB_PER_SECOND).needed;
            assert!((needed.compressors.w - design.published.compressors.w).abs() < 0.06);
            assert!((needed.decompressors.w - design.published.decompressors.w).abs() < 0.06);
        }
    }
}
