//! Do the calibration kernels compute the same when another compiler, at any optimisation level, made the PTX?
//!
//! `reference/clang-O*.ptx` are made by `.ci/steps/clang-ptx`. Contraction may differ between levels, so floats are
//! compared with a host computation, within 10⁻⁵.
#![expect(clippy::unwrap_used, reason = "tests")]

use shrinkwarp_emu::device::Device;
use shrinkwarp_emu::functional::Functional;
use shrinkwarp_sim::calibrate::cases::PTX;
use shrinkwarp_sim::calibrate::{Case, cases};

const LEVELS: [(&str, &str); 3] = [
    ("-O0", include_str!("../reference/clang-O0.ptx")),
    ("-O1", include_str!("../reference/clang-O1.ptx")),
    ("-O3", include_str!("../reference/clang-O3.ptx")),
];

fn output(case: &Case, ptx: &str) -> Vec<u32> {
    let mut device = Functional::new();
    let prepared = case.prepare_with(&mut device, ptx).unwrap();
    device.launch(&prepared.kernel, &prepared.launch).unwrap();
    let bytes = prepared.output(&mut device).unwrap();
    bytes.as_chunks::<4>().0.iter().map(|word| u32::from_le_bytes(*word)).collect()
}

#[test]
fn integer_results_are_the_same() {
    for case in cases() {
        if expected_floats(case.name).is_some() {
            continue;
        }
        let nvcc = output(&case, PTX);
        for (level, ptx) in LEVELS {
            assert!(output(&case, ptx) == nvcc, "{} differs at {level}", case.name);
        }
    }
}

#[test]
fn floating_point_results_are_those_of_the_host() {
    for case in cases() {
        let Some(expected) = expected_floats(case.name) else { continue };
        for (level, ptx) in [("nvcc", PTX)].into_iter().chain(LEVELS) {
            let ours = output(&case, ptx);
            assert_eq!(ours.len(), expected.len(), "{} at {level}", case.name);
            for (index, (&bits, &wanted)) in ours.iter().zip(&expected).enumerate() {
                let value = f64::from(f32::from_bits(bits));
                let is_same = value == wanted || (value.is_nan() && wanted.is_nan());
                let is_close = (value - wanted).abs() <= 1e-5 * wanted.abs().max(1.0);
                assert!(is_same || is_close, "{}[{index}] at {level}: {value}, not {wanted}", case.name);
            }
        }
    }
}

fn ramp(index: usize) -> f64 {
    (index % 1000) as f64 * 0.5
}

fn random() -> impl Iterator<Item = u32> {
    let mut state = 12_345u32;
    std::iter::repeat_with(move || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        state >> 8
    })
}

/// What the host computes for the cases with floating-point output.
fn expected_floats(case: &str) -> Option<Vec<f64>> {
    Some(match case {
        "vecadd" => (0..131_072).map(|i| 2.0 * ramp(i)).collect(),
        "matmul_naive" | "matmul_tiled" => matmul(),
        "stencil5" => stencil(),
        "transpose_conflict" => (0..256 * 256).map(|i| ramp(i % 256 * 256 + i / 256)).collect(),
        "special" => (0..15_360).map(special).collect(),
        "fma_chain" => (0..15_360).map(|i| fma_chain((i % 256) as f64, 128)).collect(),
        "fma_wide" => {
            (0..15_360).map(|i| (0..4).map(|chain| fma_chain((i % 256 + chain) as f64, 32)).sum()).collect()
        }
        "gather_l1" => gather(2048),
        "gather_l2" => gather(65_536),
        "gather_dram" => gather(2_097_152),
        "l1_sweep" => (0..30 * 128).map(l1_sweep).collect(),
        _ => return None,
    })
}

fn matmul() -> Vec<f64> {
    let n = 96;
    (0..n * n).map(|i| (0..n).map(|k| ramp(i / n * n + k) * ramp(k * n + i % n)).sum()).collect()
}

fn stencil() -> Vec<f64> {
    let (width, height) = (512, 256);
    (0..width * height)
        .map(|i| {
            let (x, y) = (i % width, i / width);
            if x == 0 || y == 0 || x == width - 1 || y == height - 1 {
                return 0.0;
            }
            0.25 * (ramp(i - 1) + ramp(i + 1) + ramp(i - width) + ramp(i + width)) - ramp(i)
        })
        .collect()
}

/// Each step in single precision: the iteration would magnify any other rounding.
fn special(index: usize) -> f64 {
    let step = |x: f32| f64::from(x).sin() as f32 + f64::from(x * 0.5).exp2() as f32;
    f64::from((0..16).fold(ramp(index) as f32, |x, _| step(x)))
}

fn fma_chain(start: f64, rounds: usize) -> f64 {
    let (a, b) = (f64::from(0.999f32), f64::from(0.001f32));
    (0..rounds).fold(start, |x, _| x * a + b)
}

fn gather(words: u32) -> Vec<f64> {
    let sum = |start: u32| {
        let mut place = start;
        let mut sum = 0.0;
        for _ in 0..16 {
            sum += ramp((place & (words - 1)) as usize);
            place = place.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        }
        sum
    };
    random().take(7680).map(sum).collect()
}

fn l1_sweep(index: usize) -> f64 {
    let (block, thread) = (index / 128, index % 128);
    let once: f64 = (thread..1024).step_by(128).map(|k| ramp(block * 1024 + k)).sum();
    8.0 * once
}
