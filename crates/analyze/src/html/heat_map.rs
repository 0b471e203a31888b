//! How many ones each bit plane has, at the three stages of the DBX transform, as coloured cells.

use shrinkwarp_codec::analysis::plane_ones::{PlaneOnes, Stage};
use shrinkwarp_report::chart::{Axis, Chart, HeatMap, Scale};

const PLANES: usize = 33;
/// No ones; then one to four, five to eight, … up to 32.
const ROWS: usize = 9;
const ONES_PER_ROW: usize = 4;
/// Cells with fewer blocks than this have the faintest colour.
const RAREST_SHARE: f64 = 0.001;
const CHART_PIXELS: f64 = 330.0;
const STAGE_NAMES: [&str; 3] = ["words", "differences", "DBX planes"];

/// Blocks by stage, plane and row of the map.
pub(super) struct PlaneShares {
    blocks: u64,
    cells: [[[u64; ROWS]; PLANES]; 3],
    zero_bit_share_sum: [f64; 3],
}

impl PlaneShares {
    /// The sum over some tensors.
    pub(super) fn of<'a>(tensors: impl Iterator<Item = &'a PlaneOnes>) -> Self {
        let mut shares = Self { blocks: 0, cells: [[[0; ROWS]; PLANES]; 3], zero_bit_share_sum: [0.0; 3] };
        for found in tensors {
            shares.blocks += found.blocks();
            for stage in Stage::ALL {
                let index = stage as usize;
                shares.zero_bit_share_sum[index] += found.zero_bit_share(stage) * found.blocks() as f64;
                for (cells, histogram) in shares.cells[index].iter_mut().zip(found.histogram(stage)) {
                    for (ones, &blocks) in histogram.iter().enumerate() {
                        cells[ones.div_ceil(ONES_PER_ROW)] += blocks;
                    }
                }
            }
        }
        shares
    }

    /// The three maps; none where there are no blocks.
    pub(super) fn charts(&self) -> Vec<Chart> {
        if self.blocks == 0 {
            return Vec::new();
        }
        Stage::ALL.iter().map(|&stage| self.chart(stage)).collect()
    }

    fn chart(&self, stage: Stage) -> Chart {
        let index = stage as usize;
        let planes = if stage == Stage::Original { PLANES - 1 } else { PLANES };
        let share = |row: usize, plane: usize| {
            let blocks = self.cells[index][plane][row];
            (blocks > 0).then(|| blocks as f64 / self.blocks as f64)
        };
        let map = HeatMap {
            // The highest plane is on the left, as numbers are written.
            columns: (0..planes).rev().map(|plane| plane.to_string()).collect(),
            rows: (0..ROWS).map(row_name).collect(),
            values: (0..ROWS).map(|row| (0..planes).rev().map(|plane| share(row, plane)).collect()).collect(),
        };
        let zero_share = 100.0 * self.zero_bit_share_sum[index] / self.blocks as f64;
        let title = format!("{}: {zero_share:.1} % zero bits", STAGE_NAMES[index]);
        // A logarithm lets rare cells be seen.
        let colours = Axis::share("blocks").scale(Scale::Log10).range(RAREST_SHARE, 1.0);
        Chart::heat_map(title, Axis::new("bit plane"), colours, map).width(CHART_PIXELS)
    }
}

fn row_name(row: usize) -> String {
    if row == 0 {
        "0 ones".to_owned()
    } else {
        format!("{}–{}", ONES_PER_ROW * (row - 1) + 1, ONES_PER_ROW * row)
    }
}
