//! Thermal simulation of a chip, as Rodinia's hotspot: a five-point stencil over temperature and power, several steps a launch.

use crate::args;
use crate::check::Tolerance;
use crate::error::Failure;
use crate::host::Host;
use crate::input::field;
use crate::workload::{Class, DataSet, ElementType, Paper, Workload, approximable};

/// The workload.
pub const WORKLOAD: Workload = Workload {
    name: "hotspot",
    summary: "thermal stencil over a chip's temperature and power maps",
    class: Class::Float,
    papers: &[(Paper::Bpc, "R.HSP"), (Paper::Latte, "HOT")],
    is_cache_sensitive: false,
    buffers: &[
        approximable("temperature", ElementType::F32),
        approximable("result", ElementType::F32),
        approximable("power", ElementType::F32),
    ],
    input: None,
    data_sets: &[DataSet::new(
        "chip",
        "temperatures and powers of a chip with hot spots, in the range of Rodinia's files",
    )],
    ptx: include_str!("../../kernels/hotspot.ptx"),
    run,
};

const TILE: u32 = 16;
const STEPS_PER_LAUNCH: usize = 2;
const AMBIENT: f32 = 80.0;

/// Physical constants of the chip, folded into the coefficients of the stencil.
struct Chip {
    capacity: f32,
    rx: f32,
    ry: f32,
    rz: f32,
    step: f32,
}

impl Chip {
    /// A 16 mm × 16 mm die, 0.5 mm thick, silicon conductivity 100 W/(m·K) and heat capacity 1.75 MJ/(m³·K).
    fn new(size: usize) -> Self {
        let (side, thickness) = (0.016f32, 0.0005f32);
        let (conductivity, heat_capacity) = (100.0f32, 1.75e6f32);
        let cell = side / size as f32;
        let capacity = 0.5 * heat_capacity * thickness * cell * cell;
        let max_slope = 3.0e6 / (0.5 * thickness * heat_capacity);
        Self {
            capacity,
            rx: cell / (2.0 * conductivity * thickness * cell),
            ry: cell / (2.0 * conductivity * thickness * cell),
            rz: thickness / (conductivity * cell * cell),
            step: 0.001 / max_slope,
        }
    }
}

fn run(host: &mut Host<'_>) -> Result<(), Failure> {
    let size: usize = host.size(host.scale().pick(64, 272, 512), 1..=16_384)?;
    let launches: usize = host.scale().pick(2, 2, 1);
    let rng = &mut host.rng(1);
    let start = field::bumps(size, size, 323.0, 20.0, 12, rng);
    let power = field::bumps(size, size, 0.0005, 0.01, 24, rng);
    let chip = Chip::new(size);

    let mut from = host.upload("temperature", &start)?;
    let mut to = host.zeros::<f32>("result", size * size)?;
    let watts = host.upload("power", &power)?;
    let inner = TILE as usize - 2 * STEPS_PER_LAUNCH;
    let tiles = size.div_ceil(inner) as u32;
    for _ in 0..launches {
        let Chip { capacity, rx, ry, rz, step } = chip;
        host.launch(
            "hotspot",
            [tiles, tiles, 1],
            [TILE, TILE, 1],
            args![
                STEPS_PER_LAUNCH,
                watts,
                from,
                to,
                size,
                size,
                STEPS_PER_LAUNCH,
                capacity,
                rx,
                ry,
                rz,
                step
            ],
        )?;
        std::mem::swap(&mut from, &mut to);
    }
    let expected = reference(start, &power, size, launches * STEPS_PER_LAUNCH, &chip);
    host.check("result", from, &expected, Tolerance::relative(1e-5))
}

fn reference(mut here: Vec<f32>, power: &[f32], size: usize, steps: usize, chip: &Chip) -> Vec<f32> {
    for _ in 0..steps {
        let mut next = here.clone();
        for y in 0..size {
            for x in 0..size {
                let at = |y: usize, x: usize| here[y * size + x];
                let t = at(y, x);
                let vertical = at((y + 1).min(size - 1), x) + at(y.saturating_sub(1), x) - 2.0 * t;
                let horizontal = at(y, (x + 1).min(size - 1)) + at(y, x.saturating_sub(1)) - 2.0 * t;
                let gain =
                    power[y * size + x] + vertical / chip.ry + horizontal / chip.rx + (AMBIENT - t) / chip.rz;
                next[y * size + x] = t + chip.step / chip.capacity * gain;
            }
        }
        here = next;
    }
    here
}
