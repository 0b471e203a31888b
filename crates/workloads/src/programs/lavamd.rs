//! Particle potentials and forces within a cut-off, as Rodinia's lavaMD: boxes of 100 particles, double precision.

use crate::args;
use crate::check::Tolerance;
use crate::error::Failure;
use crate::host::Host;
use crate::workload::{Class, DataSet, ElementType, Paper, Workload, approximable, exact};

/// The workload.
pub const WORKLOAD: Workload = Workload {
    name: "lavamd",
    summary: "particle potentials in boxes (double precision)",
    class: Class::Float,
    papers: &[(Paper::Bpc, "R.LMD")],
    is_cache_sensitive: false,
    buffers: &[
        exact("boxes", ElementType::I32),
        approximable("particles", ElementType::F64),
        approximable("charges", ElementType::F64),
        approximable("forces", ElementType::F64),
    ],
    input: None,
    data_sets: &[DataSet::new(
        "digits",
        "Rodinia: positions and charges of one digit after the point, 0.1 to 1.0",
    )],
    ptx: include_str!("../../kernels/lavamd.ptx"),
    run,
};

const PER_BOX: usize = 100;
const THREADS: u32 = 128;
const MOST_NEIGHBOURS: usize = 26;
const ALPHA: f64 = 0.5;

fn run(host: &mut Host<'_>) -> Result<(), Failure> {
    let usual: [usize; 3] = host.scale().pick([2, 1, 1], [16, 1, 1], [4, 4, 4]);
    // A size is the number of boxes along each side; the rows at small and tiny have none.
    let [nx, ny, nz] = match host.size(0, 0..=20)? {
        0 => usual,
        side => [side; 3],
    };
    let count = nx * ny * nz;
    let neighbours: Vec<Vec<usize>> = (0..count)
        .map(|home| {
            let near = |a: usize, b: usize| a.abs_diff(b) <= 1;
            let at = |index: usize| (index % nx, index / nx % ny, index / (nx * ny));
            let (x, y, z) = at(home);
            (0..count)
                .filter(|&b| b != home && near(at(b).0, x) && near(at(b).1, y) && near(at(b).2, z))
                .collect()
        })
        .collect();
    // Coordinates, number, and the number of the first particle in 64 bits.
    let place = |index: usize| {
        let (x, y, z) = (index % nx, index / nx % ny, index / (nx * ny));
        [x, y, z, index, index * PER_BOX, 0].map(|value| value as i32)
    };
    let mut boxes = Vec::new();
    for (home, near) in neighbours.iter().enumerate() {
        boxes.extend(place(home));
        boxes.extend([near.len() as i32, 0]);
        for k in 0..MOST_NEIGHBOURS {
            boxes.extend(near.get(k).map_or([0; 6], |&other| place(other)));
        }
    }
    let mut rng = host.rng(1);
    // Positions and charges are one digit after the point, as the original draws them.
    let mut digit = || f64::from(1 + rng.below(10)) / 10.0;
    let particles: Vec<[f64; 4]> =
        (0..count * PER_BOX).map(|_| [digit(), digit(), digit(), digit()]).collect();
    let charges: Vec<f64> = (0..count * PER_BOX).map(|_| digit()).collect();

    let box_buffer = host.upload("boxes", &boxes)?;
    let particle_buffer = host.upload("particles", particles.as_flattened())?;
    let charge_buffer = host.upload("charges", &charges)?;
    let forces = host.zeros::<f64>("forces", particles.len() * 4)?;
    let a2 = 2.0 * ALPHA * ALPHA;
    let arguments = args![ALPHA, count as u64, box_buffer, particle_buffer, charge_buffer, forces];
    host.launch("lavamd", [count as u32, 1, 1], [THREADS, 1, 1], arguments)?;

    let mut expected = vec![[0.0f64; 4]; particles.len()];
    for home in 0..count {
        for other in std::iter::once(home).chain(neighbours[home].iter().copied()) {
            for i in home * PER_BOX..(home + 1) * PER_BOX {
                for j in other * PER_BOX..(other + 1) * PER_BOX {
                    interact(&mut expected[i], particles[i], particles[j], charges[j], a2);
                }
            }
        }
    }
    host.check("forces", forces, expected.as_flattened(), Tolerance::relative(1e-9))
}

fn interact(sum: &mut [f64; 4], a: [f64; 4], b: [f64; 4], charge: f64, a2: f64) {
    let r2 = a[0] + b[0] - (a[1] * b[1] + a[2] * b[2] + a[3] * b[3]);
    let v = (-a2 * r2).exp();
    sum[0] += charge * v;
    for axis in 1..4 {
        sum[axis] += 2.0 * v * charge * (a[axis] - b[axis]);
    }
}
