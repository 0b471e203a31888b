//! From a GPU's configuration to what its SMs are made of.

use super::{GpuSpec, OpTiming, OpTimings, SmConfig};
use crate::compute::collectors::{CollectorSpec, CollectorUnits, PipeCollectors};
use crate::compute::load_store::LoadStoreSpec;
use crate::compute::occupancy::SmResources;
use crate::compute::sm::SmSpec;
use crate::compute::timing::{Cost, CostSpec, CostTable, PIPES, TensorRates};
use crate::compute::units::UnitSpec;

impl From<&GpuSpec> for SmSpec {
    fn from(gpu: &GpuSpec) -> Self {
        let (sm, pipeline) = (&gpu.sm, &gpu.sm.pipeline);
        Self {
            resources: SmResources {
                threads: sm.threads as u32,
                blocks: sm.blocks as u32,
                registers: sm.registers as u32,
                shared_bytes: sm.shared_kib as u32 * 1024,
                compute_capability: gpu.compute_capability,
                register_counts: sm.register_counts,
            },
            schedulers: sm.schedulers,
            issues_per_scheduler: sm.issues_per_scheduler,
            buffer_instructions: sm.instruction_buffer_entries as u8,
            scheduler: sm.scheduler,
            two_level_active_warps: sm.two_level_active_warps,
            // The pipes that not every SM has are as wide as they have units.
            issue_widths: [
                pipeline.sp_issue_width,
                pipeline.sfu_issue_width,
                pipeline.memory_issue_width,
                pipeline.int_units,
                pipeline.fp64_units,
                pipeline.tensor_units,
            ],
            execute_widths: [
                pipeline.sp_execute_width,
                pipeline.sfu_execute_width,
                pipeline.memory_execute_width,
                pipeline.int_units,
                pipeline.fp64_units,
                pipeline.tensor_units,
            ],
            units: UnitSpec {
                counts: sm.unit_counts(),
                result_buses: pipeline.writeback_width,
                sub_cores: sm.sub_core_count(),
            },
            fetches: sm.fetches_per_cycle,
            operand_rounds: sm.operand_rounds_per_cycle,
            is_fetch_perfect: sm.perfect_instruction_cache,
            collectors: collectors(sm),
            costs: CostSpec {
                integer: table(&sm.int),
                float32: table(&sm.fp32),
                float64: table(&sm.fp64),
                special: cost(sm.special),
                tensor: cost(sm.tensor),
                tensor_rates: TensorRates {
                    f16: sm.tensor_rates.f16,
                    bf16: sm.tensor_rates.bf16,
                    tf32: sm.tensor_rates.tf32,
                    f64: sm.tensor_rates.f64,
                    int8: sm.tensor_rates.int8,
                },
                shuffle: cost(sm.shuffle),
                units: sm.unit_counts(),
            },
            l1i: gpu.instruction_cache.cache_spec(),
            load_store: LoadStoreSpec {
                l1d: gpu.l1.cache_spec(),
                l1d_latency_cycles: gpu.l1.latency_cycles as usize,
                l1d_banks: gpu.l1.banks,
                coalescing: sm.coalescing,
                l1c: gpu.constant_cache.cache_spec(),
                l1t: gpu.texture_cache.spec(),
                shared_latency_cycles: sm.shared_latency_cycles as usize,
                shared_banks: sm.shared_banks as u32,
                are_constants_perfect: sm.perfect_constant_cache,
                reply_entries: pipeline.memory_replies,
            },
            ejection_entries: gpu.interconnect.sm_reply_packets,
        }
    }
}

fn collectors(sm: &SmConfig) -> CollectorSpec {
    let pipeline = &sm.pipeline;
    // A pipe's collectors take and hand over as many instructions per cycle as its registers are wide.
    let pipe = |units, in_ports, out_ports| PipeCollectors { units, in_ports, out_ports };
    let units = if pipeline.shared_collectors > 0 {
        let ports = pipeline.shared_collector_ports;
        CollectorUnits::Shared(pipe(pipeline.shared_collectors, ports, ports))
    } else {
        CollectorUnits::PerPipe([
            pipe(pipeline.sp_collectors, pipeline.sp_issue_width, pipeline.sp_execute_width),
            pipe(pipeline.sfu_collectors, pipeline.sfu_issue_width, pipeline.sfu_execute_width),
            pipe(pipeline.memory_collectors, pipeline.memory_issue_width, pipeline.memory_execute_width),
        ])
    };
    CollectorSpec { register_banks: sm.register_banks, sub_cores: sm.sub_core_count(), units }
}

impl SmConfig {
    /// Parts that the SM is divided into: one for each scheduler, or one.
    pub fn sub_core_count(&self) -> usize {
        if self.sub_cores { self.schedulers } else { 1 }
    }

    /// Units of each pipe, in the order of the pipes.
    fn unit_counts(&self) -> [usize; PIPES] {
        let pipeline = &self.pipeline;
        [
            pipeline.sp_units,
            pipeline.sfu_units,
            1,
            pipeline.int_units,
            pipeline.fp64_units,
            pipeline.tensor_units,
        ]
    }
}

fn table(timings: &OpTimings) -> CostTable {
    CostTable {
        add: cost(timings.add),
        max: cost(timings.max),
        mul: cost(timings.mul),
        mad: cost(timings.mad),
        div: cost(timings.div),
    }
}

fn cost(timing: OpTiming) -> Cost {
    Cost { latency_cycles: timing.latency_cycles as u16, initiation_cycles: timing.interval_cycles as u16 }
}
