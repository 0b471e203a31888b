//! What a workload moves to and from DRAM, and how that compresses.

pub mod report;
mod sample;

use std::sync::{Arc, Mutex, PoisonError};

use shrinkwarp_codec::BlockBytes;
use shrinkwarp_codec::accounting::{mag_bytes, stored_bits};
use shrinkwarp_codec::registry::Spec;
use shrinkwarp_sim::base::Packet;
use shrinkwarp_sim::gpu::Gpu;
use shrinkwarp_sim::tap::{DramTap, LINE_BYTES};
use shrinkwarp_workloads::host::BufferUse;
use shrinkwarp_workloads::{Outcome, Scale, Workload};

use crate::commands::gpus::load_gpu;
use crate::failure::Failure;
use sample::Sample;

/// The GPU whose L2 decides what reaches DRAM: the papers' common baseline.
const GPU: &str = "gtx480";
/// Every run of these statistics uses the same input.
const SEED: u64 = 1;

/// One workload, measured.
#[derive(Debug)]
pub struct Statistics {
    /// The workload.
    pub workload: &'static Workload,
    /// What its run did.
    pub outcome: Outcome,
    /// Blocks of 128 B that crossed the DRAM link, either way.
    pub dram_blocks: u64,
    /// Share of 32-bit words that are zero.
    pub zero_word_share: f64,
    /// Share of the blocks that belong to floating-point buffers.
    pub float_share: f64,
    /// Each codec on the traffic.
    pub codecs: Vec<CodecRatio>,
}

/// How one codec does.
#[derive(Debug)]
pub struct CodecRatio {
    /// Its spec.
    pub codec: String,
    /// Raw over stored bits; blocks that grow are kept raw.
    pub raw_ratio: f64,
    /// The same in whole bursts of 32 B.
    pub mag32_ratio: f64,
}

/// Runs a workload on the simulated GPU and looks at its DRAM traffic.
pub fn measure(workload: &'static Workload, scale: Scale, specs: &[Spec]) -> Result<Statistics, Failure> {
    let fail = |what: String| Failure::Work(format!("workload {}: {what}", workload.name));
    let mut gpu = Gpu::new(load_gpu(GPU, &[])?);
    let tap = Tap::default();
    gpu.set_tap(Some(Box::new(tap.clone())));
    let outcome =
        workload.execute(&mut gpu, scale, SEED, None).map_err(|failure| fail(failure.to_string()))?;
    drop(gpu);
    let mut sample = std::mem::take(&mut *tap.0.lock().unwrap_or_else(PoisonError::into_inner));
    // Instructions and local memory have addresses of their own, whose bytes are not those of device memory.
    sample.retain(|address| buffer_at(&outcome, address).is_some());
    Ok(Statistics {
        workload,
        dram_blocks: sample.blocks(),
        zero_word_share: sample.zero_word_share(),
        float_share: sample.share_in(|address| is_float(&outcome, address)),
        codecs: specs.iter().map(|spec| ratio(spec, sample.bytes())).collect(),
        outcome,
    })
}

/// The buffer that an address belongs to.
fn buffer_at(outcome: &Outcome, address: u64) -> Option<&BufferUse> {
    outcome.buffers.iter().find(|buffer| (buffer.address..buffer.address + buffer.bytes).contains(&address))
}

/// Whether an address lies in a floating-point buffer.
fn is_float(outcome: &Outcome, address: u64) -> bool {
    buffer_at(outcome, address).is_some_and(|buffer| buffer.info.element.is_float())
}

/// A codec over blocks; a trained one is trained on the same blocks, as offline profiling does.
fn ratio(spec: &Spec, blocks: &[u8]) -> CodecRatio {
    let codec = spec.build(blocks);
    let mut sizes = vec![0; blocks.len() / LINE_BYTES];
    codec.sizes_bits(blocks, &mut sizes);
    let total = |cost: fn(u32, BlockBytes) -> u32| -> f64 {
        sizes.iter().map(|&bits| f64::from(cost(bits, BlockBytes::B128))).sum::<f64>().max(1.0)
    };
    CodecRatio {
        codec: spec.text(),
        raw_ratio: (blocks.len() * 8) as f64 / total(stored_bits),
        mag32_ratio: blocks.len() as f64 / total(mag_bytes),
    }
}

/// The door through which the simulator shows its traffic.
#[derive(Clone, Debug, Default)]
struct Tap(Arc<Mutex<Sample>>);

impl DramTap for Tap {
    fn transfer(&mut self, packet: &Packet, block: &[u8; LINE_BYTES]) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).add(packet.address, block);
    }
}
