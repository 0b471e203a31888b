//! SMs that run through windows of cycles by themselves: is everything as it is cycle by cycle?
//!
//! A run with samples has no windows: each of its cycles is looked at.

use std::sync::Arc;

use shrinkwarp_emu::device::Device;
use shrinkwarp_emu::launch::Launch;
use shrinkwarp_sim::calibrate::{Machine, cases};
use shrinkwarp_sim::config;
use shrinkwarp_sim::gpu::Gpu;
use shrinkwarp_sim::run::RunOptions;

/// Options of a run cycle by cycle, and of one with windows.
fn both() -> [RunOptions<'static>; 2] {
    [Some(u64::MAX / 2), None]
        .map(|sample_every_cycles| RunOptions { sample_every_cycles, ..RunOptions::default() })
}

#[test]
fn every_case_counts_and_computes_the_same() {
    for case in cases() {
        let [single, windows] = both().map(|mut options| {
            let mut gpu = Gpu::new(Machine::Hashed.spec(&[]).unwrap());
            let prepared = case.prepare(&mut gpu).unwrap();
            let report = gpu.launch_watched(&prepared.kernel, &prepared.launch, &mut options).unwrap();
            (report.cycles, report.counters, prepared.checksum(&mut gpu).unwrap())
        });
        assert_eq!(windows, single, "{}", case.name);
    }
}

/// Each thread block multiplies a word that all share and adds its number, without an atomic, some cycles after it has begun. Those
/// with large numbers then read beyond the end, or beyond their shared memory.
const RACING: &str = "
.version 6.0
.target sm_35
.address_size 64

.visible .entry race(.param .u64 data, .param .u32 last)
{
    .shared .align 4 .b8 words[256];
    .reg .pred %p<4>;
    .reg .b32 %r<12>;
    .reg .b64 %rd<6>;
    ld.param.u64 %rd1, [data];
    ld.param.u32 %r9, [last];
    mov.u32 %r1, %ctaid.x;
    mov.u32 %r5, 0;
$wait:
    add.s32 %r5, %r5, 1;
    setp.lt.u32 %p2, %r5, 12;
    @%p2 bra $wait;
    ld.global.u32 %r2, [%rd1];
    mad.lo.s32 %r3, %r2, 5, %r1;
    st.global.u32 [%rd1], %r3;
    setp.gt.u32 %p1, %r1, %r9;
    and.b32 %r6, %r1, 1;
    setp.eq.and.u32 %p3, %r6, 1, %p1;
    mul.lo.u32 %r7, %r1, 256;
    @%p3 ld.shared.u32 %r4, [%r7];
    mul.wide.u32 %rd2, %r1, 4096;
    add.s64 %rd3, %rd1, %rd2;
    @%p1 ld.global.u32 %r4, [%rd3];
    ret;
}
";

#[test]
fn races_and_faults_end_alike() {
    for last in [5, 20, 37, 90, 1000] {
        let [single, windows] = both().map(|mut options| {
            let mut gpu = Gpu::new(config::load("gtx480", &[]).unwrap());
            let data = gpu.alloc(4096).unwrap();
            let kernel = Arc::clone(&gpu.load_module(RACING).unwrap().kernels["race"]);
            let mut arguments = data.to_le_bytes().to_vec();
            arguments.extend(u32::to_le_bytes(last));
            let launch = Launch::new([200, 1, 1], [64, 1, 1], arguments);
            let outcome = gpu.launch_watched(&kernel, &launch, &mut options);
            let outcome = outcome.map(|report| report.counters).map_err(|error| error.to_string());
            let mut word = [0; 4];
            gpu.memory().copy_out(data, &mut word).unwrap();
            (outcome, word)
        });
        assert_eq!(single.0.is_ok(), last == 1000);
        assert_eq!(windows, single, "beyond thread block {last}");
    }
}
