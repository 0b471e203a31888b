//! How many ones each bit plane has, at the three stages of the DBX transform, as coloured cells.

use shrinkwarp_codec::analysis::dbx::{DbxReport, Stage};

const PLANES: usize = 33;
/// No ones; then one to four, five to eight, … up to 32.
const ROWS: usize = 9;
const ONES_PER_ROW: usize = 4;
const CELL: usize = 8;
const LEFT: usize = 30;
const TOP: usize = 4;
const STAGE_NAMES: [&str; 3] = ["words", "differences", "DBX planes"];

/// Blocks by stage, plane and row of the map.
pub(super) struct PlaneShares {
    blocks: u64,
    cells: [[[u64; ROWS]; PLANES]; 3],
    zero_bit_share_sum: [f64; 3],
}

impl PlaneShares {
    /// The sum over some tensors.
    pub(super) fn of<'a>(reports: impl Iterator<Item = &'a DbxReport>) -> Self {
        let mut shares = Self { blocks: 0, cells: [[[0; ROWS]; PLANES]; 3], zero_bit_share_sum: [0.0; 3] };
        for report in reports {
            shares.blocks += report.blocks;
            for (stage, found) in report.stages.iter().enumerate() {
                shares.zero_bit_share_sum[stage] += found.zero_bit_share * report.blocks as f64;
                for (cells, histogram) in shares.cells[stage].iter_mut().zip(&found.ones) {
                    for (ones, &blocks) in histogram.iter().enumerate() {
                        cells[ones.div_ceil(ONES_PER_ROW)] += blocks;
                    }
                }
            }
        }
        shares
    }

    /// The three maps side by side; nothing where there are no blocks.
    pub(super) fn figure(&self) -> String {
        if self.blocks == 0 {
            return String::new();
        }
        let maps: String = Stage::ALL.iter().map(|&stage| self.map(stage)).collect();
        format!(
            "<figure class=\"maps\">{maps}<figcaption>Ones per bit plane: planes from the highest (left) to bit 0, \
             ones per plane upwards, a stronger colour = more blocks.</figcaption></figure>"
        )
    }

    fn map(&self, stage: Stage) -> String {
        let index = stage as usize;
        let planes = if stage == Stage::Original { PLANES - 1 } else { PLANES };
        let (width, height) = (LEFT + PLANES * CELL + 2, TOP + ROWS * CELL + 16);
        let mut svg = format!("<svg class=\"map\" viewBox=\"0 0 {width} {height}\" role=\"img\">");
        for plane in 0..planes {
            for row in 0..ROWS {
                svg += &self.cell(index, plane, row);
            }
        }
        for (row, label) in [(0, "0"), (ROWS / 2, "16"), (ROWS - 1, "32")] {
            let y = TOP + (ROWS - 1 - row) * CELL + CELL;
            svg += &format!("<text class=\"label\" x=\"{}\" y=\"{y}\">{label}</text>", LEFT - 5);
        }
        for plane in [0, 8, 16, 24, 31] {
            let (x, y) = (column(plane) + CELL / 2, height - 4);
            svg += &format!("<text class=\"tick\" x=\"{x}\" y=\"{y}\">{plane}</text>");
        }
        let zero_share = 100.0 * self.zero_bit_share_sum[index] / self.blocks as f64;
        let name = STAGE_NAMES[index];
        format!("<div><h4>{name} <small>{zero_share:.1} % zero bits</small></h4>{svg}</svg></div>")
    }

    fn cell(&self, stage: usize, plane: usize, row: usize) -> String {
        let share = self.cells[stage][plane][row] as f64 / self.blocks as f64;
        if share == 0.0 {
            return String::new();
        }
        // The square root lets rare cells be seen.
        let opacity = share.sqrt();
        let ones = if row == 0 { "0".to_owned() } else { format!("{}–{}", 4 * row - 3, 4 * row) };
        format!(
            "<rect class=\"heat\" x=\"{}\" y=\"{}\" width=\"{CELL}\" height=\"{CELL}\" opacity=\"{opacity:.2}\">\
             <title>plane {plane}, {ones} ones: {:.1} % of blocks</title></rect>",
            column(plane),
            TOP + (ROWS - 1 - row) * CELL,
            100.0 * share
        )
    }
}

/// The highest plane stands left, as numbers are written.
fn column(plane: usize) -> usize {
    LEFT + (PLANES - 1 - plane) * CELL
}
