//! A launch as a trace that Perfetto and Chrome's tracing page open.
//!
//! Format: the "Trace Event Format" JSON object. One microsecond of the trace is one core cycle.
//!
//! | lane            | events                                                      |
//! |-----------------|-------------------------------------------------------------|
//! | SM *n*          | one slice per thread block, from its launch to its end      |
//! | SMs             | counters: instructions per cycle, resident warps, stalls    |
//! | L1, L2          | counters: accesses per cycle, hit rate in percent           |
//! | fabric          | counter: slices whose reply the network refuses             |
//! | DRAM            | counters: bursts read and written per cycle                 |

use std::io::{self, Write};

use crate::run::{ThreadBlockSpan, TimelineSample};

/// Process numbers of the lanes.
const SM_LANES: u32 = 1;
const COUNTER_LANES: u32 = 2;

/// Writes the trace of a launch.
pub fn write_trace(
    out: &mut impl Write,
    kernel: &str,
    blocks: &[ThreadBlockSpan],
    samples: &[TimelineSample],
) -> io::Result<()> {
    writeln!(out, "{{\"displayTimeUnit\":\"ns\",\"traceEvents\":[")?;
    write!(out, "{}", process_name(SM_LANES, "SMs"))?;
    write!(out, ",\n{}", process_name(COUNTER_LANES, "machine"))?;
    let sms = blocks.iter().map(|span| span.sm).max().map_or(0, |last| last + 1);
    for sm in 0..sms {
        let name = format!("SM {sm}");
        write!(
            out,
            ",\n{{\"name\":\"thread_name\",\"ph\":\"M\",\"pid\":{SM_LANES},\"tid\":{sm},\"args\":{{\"name\":\"{name}\"}}}}"
        )?;
    }
    for span in blocks {
        write_block(out, kernel, span)?;
    }
    for sample in samples {
        write_sample(out, sample)?;
    }
    writeln!(out, "\n]}}")
}

fn process_name(process: u32, name: &str) -> String {
    format!("{{\"name\":\"process_name\",\"ph\":\"M\",\"pid\":{process},\"args\":{{\"name\":\"{name}\"}}}}")
}

fn write_block(out: &mut impl Write, kernel: &str, span: &ThreadBlockSpan) -> io::Result<()> {
    let duration = span.end.saturating_sub(span.start);
    // Thread blocks of one SM overlap, which nested slices cannot show: asynchronous slices can.
    let common = format!("\"cat\":\"block\",\"id\":{},\"pid\":{SM_LANES},\"tid\":{}", span.block, span.sm);
    let name = format!("SM {} {kernel}", span.sm);
    write!(
        out,
        ",\n{{\"name\":\"{name}\",\"ph\":\"b\",\"ts\":{},{common},\"args\":{{\"block\":{}}}}}",
        span.start, span.block
    )?;
    write!(out, ",\n{{\"name\":\"{name}\",\"ph\":\"e\",\"ts\":{},{common}}}", span.start + duration)
}

fn write_sample(out: &mut impl Write, sample: &TimelineSample) -> io::Result<()> {
    let start = sample.cycle - sample.cycles;
    let per_cycle = |count: u64| count as f64 / sample.cycles.max(1) as f64;
    let percent = |part: u64, whole: u64| 100.0 * part as f64 / whole.max(1) as f64;
    let counters: [(&str, &[(&str, f64)]); 7] = [
        ("SM instructions per cycle", &[("thread", per_cycle(sample.thread_instructions))]),
        ("SM resident warps", &[("warps", sample.resident_warps as f64)]),
        (
            "SM stalls (schedulers)",
            &[
                ("no instruction", per_cycle(sample.no_instruction_cycles)),
                ("registers", per_cycle(sample.register_wait_cycles)),
                ("pipe full", per_cycle(sample.pipe_full_cycles)),
            ],
        ),
        (
            "L1",
            &[
                ("accesses per cycle", per_cycle(sample.l1_accesses)),
                ("hit %", percent(sample.l1_hits, sample.l1_accesses)),
            ],
        ),
        ("fabric refused replies", &[("slices", per_cycle(sample.reply_stall_cycles))]),
        (
            "L2",
            &[
                ("accesses per cycle", per_cycle(sample.l2_accesses)),
                ("hit %", percent(sample.l2_hits, sample.l2_accesses)),
            ],
        ),
        (
            "DRAM bursts per cycle",
            &[("read", per_cycle(sample.dram_read_bursts)), ("write", per_cycle(sample.dram_write_bursts))],
        ),
    ];
    for (name, series) in counters {
        let values: Vec<_> = series.iter().map(|(key, value)| format!("\"{key}\":{value:.4}")).collect();
        write!(
            out,
            ",\n{{\"name\":\"{name}\",\"ph\":\"C\",\"ts\":{start},\"pid\":{COUNTER_LANES},\"args\":{{{}}}}}",
            values.join(",")
        )?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_trace_has_a_slice_for_each_block_and_counters_for_each_sample() {
        let span = ThreadBlockSpan { block: 3, sm: 1, start: 10, end: 25 };
        let sample = TimelineSample {
            cycle: 500,
            cycles: 500,
            thread_instructions: 1000,
            ..TimelineSample::default()
        };
        let mut out = Vec::new();
        write_trace(&mut out, "k", &[span], &[sample]).expect("writing to memory cannot fail");
        let text = String::from_utf8(out).expect("the trace is text");
        assert!(text.contains("\"ph\":\"b\",\"ts\":10") && text.contains("\"ph\":\"e\",\"ts\":25"), "{text}");
        assert!(text.contains("\"args\":{\"thread\":2.0000}"), "{text}");
        assert!(text.starts_with('{') && text.trim_end().ends_with("]}"));
    }
}
