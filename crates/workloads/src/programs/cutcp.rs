//! Cut-off Coulomb potential of charged atoms on a lattice.

use crate::args;
use crate::check::Tolerance;
use crate::error::Failure;
use crate::host::Host;
use crate::input::Rng;
use crate::workload::{Class, DataSet, ElementType, Paper, Workload, approximable};

/// The workload.
pub const WORKLOAD: Workload = Workload {
    name: "cutcp",
    summary: "cut-off Coulomb potential",
    class: Class::Float,
    papers: &[(Paper::Bpc, "P.CUTCP")],
    is_cache_sensitive: false,
    buffers: &[approximable("regions", ElementType::F32), approximable("boxes", ElementType::F32)],
    input: None,
    data_sets: &[DataSet::new("water", "Parboil: a box of water").revised(2)],
    ptx: include_str!("../../kernels/cutcp.ptx"),
    run,
};

const BOX_ATOMS: usize = 8;
/// Å; water has about one atom in 10 Å³, so a box of 4 Å holds six.
const BOX_SIDE: f32 = 4.0;
const SPACING: f32 = 0.5;
/// Å between the lattice's border and the outermost atoms.
const PADDING: f32 = 0.5;
/// Points along each side of a region, which is as long as a box.
const REGION: usize = 8;

struct Atom {
    position: [f32; 3],
    charge: f32,
}

fn run(host: &mut Host<'_>) -> Result<(), Failure> {
    // Parboil's cut-off is 12 Å, and its small box of water has 11 × 11 × 11 regions: seven billion thread instructions.
    let side = host.size(host.scale().pick(2, 3, 6), 1..=32)?;
    let regions = [side; 3];
    let cutoff: f32 = host.scale().pick(4.0, 4.0, 12.0);
    let reach = (cutoff / BOX_SIDE).ceil() as usize;
    let neighbours = neighbours(reach as i32, cutoff);
    let boxes = regions.map(|count| count + 2 * reach);
    let (atoms, table) = water(regions, boxes, reach, &mut host.rng(1));

    host.write_symbol("neighbour_count", &[neighbours.len() as i32])?;
    host.write_symbol("neighbours", neighbours.as_flattened())?;
    let points = regions.iter().product::<usize>() * REGION.pow(3);
    let region_buffer = host.zeros::<f32>("regions", points)?;
    let box_buffer = host.upload("boxes", &table)?;
    // The kernel counts boxes from the first one that holds lattice points.
    let origin = ((reach * boxes[1] + reach) * boxes[0] + reach) * BOX_ATOMS * 4;
    let cutoff2 = cutoff * cutoff;
    for layer in 0..regions[2] {
        let arguments = args![
            boxes[0],
            boxes[1],
            box_buffer.skip(origin),
            SPACING,
            cutoff2,
            1.0 / cutoff2,
            region_buffer,
            layer,
            BOX_SIDE
        ];
        host.launch("cutcp", [regions[0] as u32, regions[1] as u32, 1], [8, 2, 8], arguments)?;
    }
    let expected: Vec<f32> =
        (0..points).map(|index| potential_at(place_of(index, regions), &atoms, cutoff)).collect();
    host.check("regions", region_buffer, &expected, Tolerance::relative(1e-3))
}

/// Boxes that can hold an atom within the cut-off of some point of the box in the middle.
fn neighbours(reach: i32, cutoff: f32) -> Vec<[i32; 3]> {
    let limit = cutoff + 3f32.sqrt() * BOX_SIDE;
    let mut offsets = Vec::new();
    for z in -reach..=reach {
        for y in -reach..=reach {
            for x in -reach..=reach {
                if ((x * x + y * y + z * z) as f32) * BOX_SIDE * BOX_SIDE < limit * limit {
                    offsets.push([x, y, z]);
                }
            }
        }
    }
    offsets
}

/// Where a number of the result lies: regions in order, and in a region planes of z with four quarters of a plane, which are the
/// points of the same thread.
fn place_of(index: usize, regions: [usize; 3]) -> [f32; 3] {
    let (region, point) = (index / REGION.pow(3), index % REGION.pow(3));
    let corner = [region % regions[0], region / regions[0] % regions[1], region / (regions[0] * regions[1])];
    let inside = [point % 8, point / 8 % 8, point / 64];
    std::array::from_fn(|axis| (REGION * corner[axis] + inside[axis]) as f32 * SPACING)
}

/// Atoms with the charges of water in boxes that are as large as regions, and all boxes as the kernel reads them: x, y, z, charge; a
/// charge of 0 ends a box. The boxes of the margin, which lie around those of the lattice, are empty.
fn water(regions: [usize; 3], boxes: [usize; 3], margin: usize, rng: &mut Rng) -> (Vec<Atom>, Vec<f32>) {
    let (mut atoms, mut table) = (Vec::new(), Vec::new());
    for index in 0..boxes.iter().product() {
        let corner = [index % boxes[0], index / boxes[0] % boxes[1], index / (boxes[0] * boxes[1])];
        let is_inside =
            corner.iter().zip(regions).all(|(place, count)| (margin..margin + count).contains(place));
        let count = if is_inside { atoms_of_box(rng) } else { 0 };
        for slot in 0..BOX_ATOMS {
            if slot >= count {
                table.extend_from_slice(&[0.0; 4]);
                continue;
            }
            let position: [f32; 3] = std::array::from_fn(|axis| {
                let place = ((corner[axis] - margin) as f32 + rng.uniform(0.0, 1.0)) * BOX_SIDE;
                place.clamp(PADDING, regions[axis] as f32 * BOX_SIDE - SPACING - PADDING)
            });
            let charge = if slot % 3 == 0 { -0.834 } else { 0.417 };
            table.extend_from_slice(&[position[0], position[1], position[2], charge]);
            atoms.push(Atom { position, charge });
        }
    }
    (atoms, table)
}

/// Five to eight atoms, 6.4 in the mean: 0.1 in a cubic ångström.
fn atoms_of_box(rng: &mut Rng) -> usize {
    let is_one_of = |rng: &mut Rng, share: f64| usize::from(rng.unit() < share);
    6 + is_one_of(rng, 0.4) + is_one_of(rng, 0.3) - is_one_of(rng, 0.3)
}

fn potential_at(point: [f32; 3], atoms: &[Atom], cutoff: f32) -> f32 {
    let mut sum = 0.0f64;
    for atom in atoms {
        let r2: f32 = (0..3).map(|axis| (atom.position[axis] - point[axis]).powi(2)).sum();
        if r2 < cutoff * cutoff {
            let s = 1.0 - f64::from(r2) / f64::from(cutoff * cutoff);
            sum += f64::from(atom.charge) / f64::from(r2).sqrt() * s * s;
        }
    }
    sum as f32
}
