//! What a workload moves to and from DRAM, and how that compresses.

mod content;
mod sample;

use std::sync::{Arc, Mutex, PoisonError};

use shrinkwarp_codec::BlockBytes;
use shrinkwarp_codec::accounting::{mag_bytes, stored_bits};
use shrinkwarp_codec::registry::CodecSpec;
use shrinkwarp_emu::memory::{LOCAL_END, LOCAL_START};
use shrinkwarp_sim::gpu::Gpu;
use shrinkwarp_sim::tap::DramTap;
use shrinkwarp_sim::{BLOCK_BYTES, Block, Packet};
use shrinkwarp_workloads::host::BufferUse;
use shrinkwarp_workloads::workload::ElementType;
use shrinkwarp_workloads::{Setup, WorkloadReport};

use crate::LabError;
use crate::run::{RecordedGpu, Run, RunResult, measure};
use sample::BlockSample;

/// The blocks that crossed the DRAM link in an uncompressed run: an evenly spaced sample of them.
#[derive(Debug, PartialEq)]
pub struct Profile {
    /// Blocks of the stream for each kept one.
    stride: u64,
    /// The type of the buffer that each kept block belongs to; none for local memory.
    elements: Vec<Option<ElementType>>,
    /// The kept blocks, one after the other.
    bytes: Vec<u8>,
}

/// How one codec does on them.
#[derive(Debug)]
pub struct CodecRatio {
    /// Its spec.
    pub codec: String,
    /// Raw over stored bits; blocks that grow are kept raw.
    pub raw_ratio: f64,
    /// The same in whole bursts of 32 B.
    pub mag32_ratio: f64,
}

impl Profile {
    /// Runs a run without compression and keeps a sample of what it moves.
    pub fn of(run: &Run) -> Result<Self, LabError> {
        Self::with_report(run).map(|(profile, _)| profile)
    }

    /// The same, with what the run did.
    pub fn with_report(run: &Run) -> Result<(Self, WorkloadReport), LabError> {
        let input = run.input.as_ref().map(|input| &*input.bytes);
        let setup = Setup { input, data: Some(run.data.name), ..Setup::usual(run.scale, run.seed) };
        Self::with_result(run, setup).map(|(profile, outcome, _)| (profile, outcome))
    }

    /// The same for a workload set up otherwise, with what the run did and counted.
    pub fn with_result(run: &Run, setup: Setup<'_>) -> Result<(Self, WorkloadReport, RunResult), LabError> {
        let mut gpu = Gpu::new(run.gpu.clone());
        let tap = Tap::default();
        gpu.set_tap(Some(Box::new(tap.clone())));
        let mut silence = ();
        let mut device = RecordedGpu::new(gpu, None, None, &mut silence);
        let outcome = run
            .workload
            .execute_with(&mut device, setup)
            .map_err(|failure| LabError::Work(format!("workload {}: {failure}", run.workload.name)))?;
        let result = measure(device, &run.energy)?.result;
        let mut sample = std::mem::take(&mut *tap.0.lock().unwrap_or_else(PoisonError::into_inner));
        // Instructions have addresses of their own, whose bytes are not those of device memory.
        let is_local = |address: u64| (LOCAL_START..LOCAL_END).contains(&address);
        sample.retain(|address| buffer_at(&outcome, address).is_some() || is_local(address));
        let element = |address: &u64| buffer_at(&outcome, *address).map(|buffer| buffer.info.element);
        let elements = sample.addresses().iter().map(element).collect();
        let (stride, bytes) = sample.into_parts();
        Ok((Self { stride, elements, bytes }, outcome, result))
    }

    /// A made-up profile of these blocks.
    #[cfg(test)]
    pub(crate) fn of_blocks(bytes: Vec<u8>) -> Self {
        let elements = vec![Some(ElementType::F32); bytes.len() / BLOCK_BYTES];
        Self { stride: 1, elements, bytes }
    }

    /// Blocks of 128 B that crossed the link, either way.
    pub fn dram_blocks(&self) -> u64 {
        self.elements.len() as u64 * self.stride
    }

    /// The blocks kept, one after the other.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Share of 32-bit words that are zero.
    pub fn zero_word_share(&self) -> f64 {
        let (words, _) = self.bytes.as_chunks::<4>();
        words.iter().filter(|word| **word == [0; 4]).count() as f64 / words.len().max(1) as f64
    }

    /// Share of the blocks that belong to floating-point buffers.
    pub fn float_share(&self) -> f64 {
        self.share_of(ElementType::is_float)
    }

    /// Share of the blocks that belong to buffers of one type.
    pub fn element_share(&self, element: ElementType) -> f64 {
        self.share_of(|of_buffer| of_buffer == element)
    }

    fn share_of(&self, is_counted: impl Fn(ElementType) -> bool) -> f64 {
        let count = self.elements.iter().filter(|element| element.is_some_and(&is_counted)).count();
        count as f64 / self.elements.len().max(1) as f64
    }

    /// A codec over the blocks; a trained one is trained on the same blocks, as offline profiling does.
    pub fn ratio(&self, spec: &CodecSpec) -> CodecRatio {
        let blocks = self.bytes();
        let codec = spec.build(blocks);
        let mut sizes = vec![0; blocks.len() / BLOCK_BYTES];
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
}

/// The buffer that an address belongs to.
fn buffer_at(outcome: &WorkloadReport, address: u64) -> Option<&BufferUse> {
    outcome.buffers.iter().find(|buffer| (buffer.address..buffer.address + buffer.bytes).contains(&address))
}

/// The door through which the simulator shows its traffic.
#[derive(Clone, Debug, Default)]
struct Tap(Arc<Mutex<BlockSample>>);

impl DramTap for Tap {
    fn transfer(&mut self, packet: &Packet, block: &Block) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).add(packet.address, block);
    }
}
