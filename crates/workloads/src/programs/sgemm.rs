//! Dense matrix product with register and shared-memory tiling.

use crate::args;
use crate::check::Tolerance;
use crate::error::Failure;
use crate::host::Host;
use crate::workload::{Class, DataSet, FACTORS_AND_PRODUCT, Paper, Workload};

/// The workload.
pub const WORKLOAD: Workload = Workload {
    name: "sgemm",
    summary: "tiled matrix product",
    class: Class::Float,
    papers: &[(Paper::Bpc, "P.SGEMM")],
    is_cache_sensitive: false,
    buffers: FACTORS_AND_PRODUCT,
    input: None,
    data_sets: &[DataSet::new("uniform", "Parboil: random matrices")],
    ptx: include_str!("../../kernels/sgemm.ptx"),
    run,
};

const TILE_M: usize = 128;
const TILE_N: usize = 16;

fn run(host: &mut Host<'_>) -> Result<(), Failure> {
    // Parboil's medium data set is 1024 × 992 × 1056: two billion thread instructions.
    let usual: [usize; 3] = host.scale().pick([128, 48, 32], [512, 512, 48], [1024, 992, 480]);
    // A size is the number of rows and columns of all three matrices.
    let [m, n, k] = match host.size(0, 0..=4096)? {
        0 => usual,
        side => [side.next_multiple_of(TILE_M); 3],
    };
    let mut rng = host.rng(1);
    let mut fill = |count: usize| -> Vec<f32> { (0..count).map(|_| rng.uniform(0.0, 1.0)).collect() };
    let (a, b) = (fill(m * k), fill(n * k));

    let a_buffer = host.upload("a", &a)?;
    let b_buffer = host.upload("b", &b)?;
    let c_buffer = host.zeros::<f32>("c", m * n)?;
    let grid = [(m / TILE_M) as u32, (n / TILE_N) as u32, 1];
    let arguments = args![a_buffer, m, b_buffer, n, c_buffer, m, k, 1.0f32, 0.0f32];
    host.launch("sgemm", grid, [TILE_N as u32, (TILE_M / TILE_N) as u32, 1], arguments)?;

    // Both factors lie column by column of their k, so a column of the result is a sum of scaled columns of A.
    let mut expected = Vec::with_capacity(m * n);
    for column in 0..n {
        let mut sums = vec![0.0f64; m];
        for (a_column, b_row) in a.chunks_exact(m).zip(b.chunks_exact(n)) {
            for (sum, &value) in sums.iter_mut().zip(a_column) {
                *sum += f64::from(value) * f64::from(b_row[column]);
            }
        }
        expected.extend(sums.iter().map(|&sum| sum as f32));
    }
    host.check("c", c_buffer, &expected, Tolerance::relative(1e-4))
}
