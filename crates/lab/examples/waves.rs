//! How well workloads fill a GPU and its L2: `cargo run --release -p shrinkwarp-lab --example waves [SCALE] [GPU] [NAME…]`.
//!
//! A wave is as many thread blocks as the GPU holds at once. The kernel is the one with the most thread instructions; results
//! are computed without time, by one SM with one thread block: programs that launch what the GPU holds have less than a wave.
#![expect(clippy::print_stdout, reason = "a program for people")]

use std::collections::BTreeMap;
use std::process::ExitCode;
use std::sync::Arc;

use shrinkwarp_emu::device::{Device, DeviceError, LaunchReport};
use shrinkwarp_emu::functional::Functional;
use shrinkwarp_emu::kernel::Kernel;
use shrinkwarp_emu::launch::Launch;
use shrinkwarp_emu::memory::Memory;
use shrinkwarp_sim::config;
use shrinkwarp_sim::gpu::Gpu;
use shrinkwarp_workloads::{Scale, WORKLOADS, Workload};

fn main() -> ExitCode {
    match report() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            println!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn report() -> Result<(), Box<dyn std::error::Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let word = |index: usize, usual: &'static str| words.get(index).map_or(usual, String::as_str).to_owned();
    let (wanted_scale, gpu) = (word(0, "small"), word(1, "gtx480"));
    let scale = Scale::ALL.into_iter().find(|scale| scale.name() == wanted_scale);
    let scale = scale.ok_or_else(|| format!("{wanted_scale}: no such scale (known: tiny, small, paper)"))?;
    println!("| workload | kernel | waves | million thread instructions | footprint, KiB |");
    println!("| --- | --- | --- | --- | --- |");
    let is_wanted =
        |workload: &&&Workload| words.len() < 3 || words[2..].iter().any(|name| name == workload.name);
    for workload in WORKLOADS.iter().filter(is_wanted) {
        let gpu = Gpu::new(config::load(&gpu, &[])?);
        let mut device = Counted { functional: Functional::new(), gpu, kernels: BTreeMap::new() };
        let outcome = workload.execute(&mut device, scale, 1, None)?;
        let most = device.kernels.iter().max_by_key(|(_, totals)| totals.thread_instructions);
        let (kernel, waves) = most.map_or(("", 0.0), |(name, totals)| (name, totals.waves));
        let millions = outcome.thread_instructions as f64 / 1e6;
        println!(
            "| {} | {kernel} | {waves:.1} | {millions:.1} | {} |",
            workload.name,
            outcome.peak_bytes / 1024
        );
    }
    Ok(())
}

/// Computes without time and counts what each kernel would need of a GPU.
struct Counted {
    functional: Functional,
    gpu: Gpu,
    kernels: BTreeMap<String, Totals>,
}

#[derive(Default)]
struct Totals {
    thread_instructions: u64,
    /// Of the largest launch.
    waves: f64,
}

impl Device for Counted {
    fn device_memory(&mut self) -> &mut Memory {
        self.functional.device_memory()
    }

    fn launch(&mut self, kernel: &Arc<Kernel>, launch: &Launch) -> Result<LaunchReport, DeviceError> {
        let resident = self.gpu.sm_count() * self.gpu.resident_blocks(kernel, launch.threads_per_block());
        let report = self.functional.launch(kernel, launch)?;
        let totals = self.kernels.entry(kernel.name.clone()).or_default();
        totals.thread_instructions += report.thread_instructions;
        totals.waves = totals.waves.max(launch.blocks() as f64 / f64::from(resident));
        Ok(report)
    }
}
