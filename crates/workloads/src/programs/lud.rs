//! LU decomposition of a dense matrix in tiles, as Rodinia's lud.

use crate::args;
use crate::check::Tolerance;
use crate::error::{Failure, InputFileError};
use crate::host::Host;
use crate::input::matrix;
use crate::workload::{Class, DataSet, ElementType, InputKind, Paper, Workload, approximable};

/// The workload.
pub const WORKLOAD: Workload = Workload {
    name: "lud",
    summary: "LU decomposition",
    class: Class::Float,
    papers: &[(Paper::Bpc, "R.LUD"), (Paper::Dsm, "R-LUD")],
    is_cache_sensitive: false,
    buffers: &[approximable("m", ElementType::F32)],
    input: Some(InputKind::Matrix),
    data_sets: &[
        DataSet::new("decay", "Rodinia: 10 exp(-0.001 |i - j|)"),
        DataSet::new("file", "Rodinia's files: product of a lower and an upper triangle of random numbers")
            .of(&[Paper::Bpc, Paper::Dsm]),
    ],
    ptx: include_str!("../../kernels/lud.ptx"),
    run,
};

const TILE: usize = 16;
/// How fast entries decay away from the diagonal.
const DECAY: f64 = 0.001;

fn run(host: &mut Host<'_>) -> Result<(), Failure> {
    let size = host.size(host.scale().pick(48, 256, 512), 1..=8192)?.next_multiple_of(TILE);
    let a = match host.special_matrix(size)? {
        Some(given) if given.rows == given.columns && given.rows % TILE == 0 => given.values,
        Some(_) => {
            return Err(InputFileError::at(0, "the matrix must be square, with a multiple of 16 rows").into());
        }
        None if host.data() == "file" => matrix::triangles(size, &mut host.rng(7)),
        None => matrix::decaying(size, DECAY),
    };
    let size = (a.len() as f64).sqrt() as usize;
    let m = host.upload("m", &a)?;
    let threads = TILE as u32;
    for offset in (0..size).step_by(TILE) {
        let rest = ((size - offset) / TILE - 1) as u32;
        host.launch("lud_diagonal", [1, 1, 1], [threads, 1, 1], args![m, size, offset])?;
        if rest > 0 {
            host.launch("lud_perimeter", [rest, 1, 1], [2 * threads, 1, 1], args![m, size, offset])?;
            host.launch("lud_internal", [rest, rest, 1], [threads, threads, 1], args![m, size, offset])?;
        }
    }
    if host.data() == "file" && !host.keeps_outputs() {
        // Such triangles have condition numbers beyond single precision; that the factors give the matrix must hold.
        let product = matrix::triangles_product(&host.download(m)?, size);
        return host.check_values("m", &product, &a, Tolerance::relative(1e-2));
    }
    host.check("m", m, &decompose(&a, size), Tolerance::relative(1e-3))
}

/// L below the diagonal (its own is 1) and U on and above it, in double precision.
fn decompose(a: &[f32], size: usize) -> Vec<f32> {
    let mut m: Vec<f64> = a.iter().map(|&entry| f64::from(entry)).collect();
    for pivot in 0..size {
        for row in pivot + 1..size {
            m[row * size + pivot] /= m[pivot * size + pivot];
            let multiplier = m[row * size + pivot];
            for column in pivot + 1..size {
                m[row * size + column] -= multiplier * m[pivot * size + column];
            }
        }
    }
    m.iter().map(|&entry| entry as f32).collect()
}
