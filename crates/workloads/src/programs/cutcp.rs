//! Cut-off Coulomb potential of charged atoms on a lattice.

use crate::args;
use crate::check::Tolerance;
use crate::error::Failure;
use crate::host::Host;
use crate::workload::{Class, ElementType, OURS, Paper, Workload, approximable};

/// The workload.
pub const WORKLOAD: Workload = Workload {
    name: "cutcp",
    summary: "cut-off Coulomb potential",
    class: Class::Float,
    papers: &[(Paper::Bpc, "P.CUTCP")],
    is_cache_sensitive: false,
    buffers: &[approximable("boxes", ElementType::F32), approximable("potential", ElementType::F32)],
    input: None,
    data_sets: OURS,
    ptx: include_str!("../../kernels/cutcp.ptx"),
    run,
};

const BOX_ATOMS: usize = 8;
/// Å; water has about one atom in 10 Å³, so a box of 4 Å holds six.
const BOX_SIDE: f32 = 4.0;
const CUTOFF: f32 = 6.0;
const SPACING: f32 = 0.5;
/// Boxes to look at on each side of the middle of a lattice piece: its half side and the cut-off fit.
const REACH: usize = 3;

struct Atom {
    position: [f32; 3],
    charge: f32,
}

fn run(host: &mut Host<'_>) -> Result<(), Failure> {
    let boxes: [usize; 3] = host.scale().pick([2, 2, 1], [4, 4, 1], [6, 6, 2]);
    let lattice = boxes.map(|count| (count as f32 * BOX_SIDE / SPACING) as usize);
    let (atoms, table) = water(boxes, &mut host.rng(1));

    let box_buffer = host.upload("boxes", &table)?;
    let points = lattice.iter().product();
    let potential = host.zeros::<f32>("potential", points)?;
    let grid = [(lattice[0] / 8) as u32, (lattice[1] / 8) as u32, (lattice[2] / 4) as u32];
    let (cutoff2, inverse) = (CUTOFF * CUTOFF, 1.0 / (CUTOFF * CUTOFF));
    let arguments = args![
        box_buffer, boxes[0], boxes[1], boxes[2], potential, lattice[0], lattice[1], SPACING, cutoff2,
        inverse, REACH, BOX_SIDE
    ];
    host.launch("cutcp", grid, [8, 8, 4], arguments)?;
    let expected: Vec<f32> = (0..points)
        .map(|index| {
            let cell =
                [index % lattice[0], index / lattice[0] % lattice[1], index / (lattice[0] * lattice[1])];
            potential_at(cell.map(|i| i as f32 * SPACING), &atoms)
        })
        .collect();
    host.check("potential", potential, &expected, Tolerance::relative(1e-3))
}

/// Atoms with the charges of water, and the boxes as the kernel reads them: x, y, z, charge; a charge of 0 ends a box.
fn water(boxes: [usize; 3], rng: &mut crate::input::Rng) -> (Vec<Atom>, Vec<f32>) {
    let (mut atoms, mut table) = (Vec::new(), Vec::new());
    for index in 0..boxes.iter().product() {
        let corner = [index % boxes[0], index / boxes[0] % boxes[1], index / (boxes[0] * boxes[1])];
        let count = 5 + rng.below(3) as usize;
        for slot in 0..BOX_ATOMS {
            if slot >= count {
                table.extend_from_slice(&[0.0; 4]);
                continue;
            }
            let position = corner.map(|i| (i as f32 + rng.uniform(0.0, 1.0)) * BOX_SIDE);
            let charge = if slot % 3 == 0 { -0.834 } else { 0.417 };
            table.extend_from_slice(&[position[0], position[1], position[2], charge]);
            atoms.push(Atom { position, charge });
        }
    }
    (atoms, table)
}

fn potential_at(point: [f32; 3], atoms: &[Atom]) -> f32 {
    let mut sum = 0.0f64;
    for atom in atoms {
        let r2: f32 = (0..3).map(|axis| (atom.position[axis] - point[axis]).powi(2)).sum();
        if r2 < CUTOFF * CUTOFF {
            let s = 1.0 - f64::from(r2) / f64::from(CUTOFF * CUTOFF);
            sum += f64::from(atom.charge) / f64::from(r2).sqrt() * s * s;
        }
    }
    sum as f32
}
