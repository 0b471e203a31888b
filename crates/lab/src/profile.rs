//! What a run moves to and from DRAM, and how that compresses.

mod content;

use std::time::Instant;

use shrinkwarp_codec::BlockBytes;
use shrinkwarp_codec::accounting::{mag_bytes, stored_bits};
use shrinkwarp_codec::registry::CodecSpec;
use shrinkwarp_emu::device::Device;
use shrinkwarp_emu::memory::{LOCAL_END, LOCAL_START};
use shrinkwarp_launchfile::Choices;
use shrinkwarp_machine::traffic::{BlockSample, TrafficTap};
use shrinkwarp_sim::BLOCK_BYTES;
use shrinkwarp_sim::gpu::Gpu;
use shrinkwarp_workloads::workload::ElementType;
use shrinkwarp_workloads::{Setup, WorkloadReport};

use crate::LabError;
use crate::program;
use crate::run::{
    LaunchFileSubject, Record, RecordedGpu, Run, RunOutcome, RunResult, Subject, Watching, WorkloadInput,
    measure,
};

/// The blocks that crossed the DRAM link in an uncompressed run: an evenly spaced sample of them.
#[derive(Debug, PartialEq)]
pub struct Profile {
    /// Blocks of the stream for each kept one.
    stride: u64,
    /// The type of the buffer that each kept block belongs to; none for local memory, and for all blocks of a program.
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

    /// The same, with the record of that run where it is one: a workload's, which checks its result here, too.
    pub fn with_record(run: &Run) -> Result<(Self, Option<Record>), LabError> {
        let Subject::Workload(of) = &run.subject else { return Ok((Self::of(run)?, None)) };
        let plain = run.without_compression()?;
        let started = Instant::now();
        let (profile, _, result) = Self::with_result(&plain, of, of.setup(), Watching::alone(&mut ()))?;
        let record = Record::new(&plain, RunOutcome::Done(result), started.elapsed().as_secs_f64())?;
        Ok((profile, Some(record)))
    }

    /// The same, with what the run did.
    pub fn with_report(run: &Run) -> Result<(Self, ProfileReport), LabError> {
        match &run.subject {
            Subject::Workload(of) => {
                let (profile, report, _) =
                    Self::with_result(&run.without_compression()?, of, of.setup(), Watching::alone(&mut ()))?;
                let footprint_bytes = report.buffers.iter().map(|buffer| buffer.bytes).sum();
                let WorkloadReport { thread_instructions, cycles, launches, .. } = report;
                let report = ProfileReport { thread_instructions, cycles, launches, footprint_bytes };
                Ok((profile, report))
            }
            Subject::LaunchFile(file) => Self::of_launch_file(run, file),
            Subject::Program(program) => {
                let (stride, bytes, result, footprint_bytes) = program::profile(run, program)?;
                let elements = vec![None; bytes.len() / BLOCK_BYTES];
                let launches = result.launches.len() as u64;
                Ok((Self { stride, elements, bytes }, ProfileReport::of(&result, launches, footprint_bytes)))
            }
        }
    }

    /// Of a workload set up otherwise, with what the run did and counted.
    pub fn with_result(
        run: &Run,
        of: &WorkloadInput,
        setup: Setup<'_>,
        watching: Watching<'_>,
    ) -> Result<(Self, WorkloadReport, RunResult), LabError> {
        let (sample, report, result) = tapped(run, watching, |device| {
            let report = of.workload.execute_with(device, setup);
            report.map_err(|failure| LabError::Work(format!("workload {}: {failure}", of.workload.name)))
        })?;
        let find = |address: u64| {
            let buffer = report
                .buffers
                .iter()
                .find(|buffer| (buffer.address..buffer.address + buffer.bytes).contains(&address));
            buffer.map(|buffer| Some(buffer.info.element))
        };
        Ok((Self::of_sample(sample, find), report, result))
    }

    fn of_launch_file(run: &Run, file: &LaunchFileSubject) -> Result<(Self, ProfileReport), LabError> {
        let choices = Choices { writes_files: false, approximate_bits: Some(0), keeps_values: false };
        let plain = run.without_compression()?;
        let (sample, report, result) = tapped(&plain, Watching::alone(&mut ()), |device| {
            let report = file.session.run_with(device, choices, &mut |_| Ok(()));
            report.map_err(|error| LabError::Work(error.text(false)))
        })?;
        let find = |address: u64| {
            let mut buffers = report.buffers.iter();
            let buffer = buffers.find(|(start, bytes, _)| (*start..start + bytes).contains(&address));
            let element = |name: &str| ElementType::ALL.into_iter().find(|element| element.name() == name);
            buffer.map(|(_, _, dtype)| element(dtype.name()))
        };
        let footprint_bytes = report.buffers.iter().map(|(_, bytes, _)| bytes).sum();
        let launches = report.launches.len() as u64;
        Ok((Self::of_sample(sample, find), ProfileReport::of(&result, launches, footprint_bytes)))
    }

    /// The blocks of a sample that are in buffers or in local memory; `find` gives the buffer's type. Instructions have
    /// addresses of their own, whose bytes are not those of device memory.
    fn of_sample(mut sample: BlockSample, find: impl Fn(u64) -> Option<Option<ElementType>>) -> Self {
        let is_local = |address: u64| (LOCAL_START..LOCAL_END).contains(&address);
        sample.retain(|address| find(address).is_some() || is_local(address));
        let elements = sample.addresses().iter().map(|address| find(*address).flatten()).collect();
        let (stride, bytes) = sample.into_parts();
        Self { stride, elements, bytes }
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

/// What a profiling run did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProfileReport {
    /// PTX instructions times lanes.
    pub thread_instructions: u64,
    /// Core cycles.
    pub cycles: u64,
    /// Kernel launches.
    pub launches: u64,
    /// Bytes of its buffers.
    pub footprint_bytes: u64,
}

impl ProfileReport {
    fn of(result: &RunResult, launches: u64, footprint_bytes: u64) -> Self {
        let RunResult { thread_instructions, cycles, .. } = *result;
        Self { thread_instructions, cycles, launches, footprint_bytes }
    }
}

/// Runs something on the machine of a run without compression, and samples its traffic.
fn tapped<T>(
    run: &Run,
    Watching { interrupt, watcher, threads }: Watching<'_>,
    work: impl FnOnce(&mut RecordedGpu<'_>) -> Result<T, LabError>,
) -> Result<(BlockSample, T, RunResult), LabError> {
    let mut gpu = Gpu::new(run.gpu.clone());
    gpu.set_threads(threads);
    let tap = TrafficTap::default();
    gpu.set_tap(Some(Box::new(tap.clone())));
    let mut device = RecordedGpu::new(gpu, run.sample_cycles, interrupt, watcher);
    device.set_region_entries(run.region_entries);
    let report = work(&mut device)?;
    let result = measure(device, &run.energy)?.result;
    Ok((tap.take(), report, result))
}
