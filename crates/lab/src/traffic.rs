//! What workloads move to and from DRAM, as tables and as JSON, the published figures beside ours.

use serde_json::{Value, json};
use shrinkwarp_codec::registry::CodecSpec;
use shrinkwarp_workloads::{Class, Scale};

use crate::LabError;
use crate::figures::bpc::figure_3c::{CODECS, PUBLISHED};
use crate::profile::{CodecRatio, Profile, ProfileReport};
use crate::run::RunSpec;

/// One workload, launch file or program, measured.
#[derive(Debug)]
pub struct Statistics {
    /// Its name.
    pub name: String,
    /// Integers, floats or both, where it is a workload of the suite.
    pub class: Option<Class>,
    /// What its run did.
    pub report: ProfileReport,
    /// Blocks of 128 B that crossed the DRAM link, either way.
    pub dram_blocks: u64,
    /// Share of 32-bit words that are zero.
    pub zero_word_share: f64,
    /// Share of the blocks that belong to floating-point buffers.
    pub float_share: f64,
    /// Each codec on the traffic.
    pub codecs: Vec<CodecRatio>,
}

/// Runs a workload on the papers' common baseline, whose L2 decides what reaches DRAM, and looks at its traffic.
pub fn measure(spec: &RunSpec, codecs: &[CodecSpec]) -> Result<Statistics, LabError> {
    let run = spec.resolve()?;
    let (profile, report) = Profile::with_report(&run)?;
    Ok(Statistics {
        name: run.subject.name().to_owned(),
        class: run.subject.workload().map(|of| of.workload.class),
        dram_blocks: profile.dram_blocks(),
        zero_word_share: profile.zero_word_share(),
        float_share: profile.float_share(),
        codecs: codecs.iter().map(|spec| profile.ratio(spec)).collect(),
        report,
    })
}

/// Float shares that a class may have: mostly one kind, or some of both.
fn matches_class(statistics: &Statistics) -> bool {
    match statistics.class {
        None => true,
        Some(Class::Integer) => statistics.float_share <= 0.3,
        Some(Class::Float) => statistics.float_share >= 0.5,
        Some(Class::Mixed) => (0.02..=0.99).contains(&statistics.float_share),
    }
}

/// The tables a person reads.
pub fn tables(all: &[Statistics], scale: Scale) -> String {
    let codecs: Vec<&str> =
        all.first().map_or(Vec::new(), |first| first.codecs.iter().map(|c| c.codec.as_str()).collect());
    let mut text = format!(
        "DRAM traffic at {} scale on a GTX480; ratios are raw CR of the 128 B blocks moved\n{:<18} {:<8} {:>8} {:>8} {:>9} {:>10} {:>6} {:>6} ",
        scale.name(),
        "workload",
        "class",
        "M instr",
        "launches",
        "KiB",
        "blocks",
        "float",
        "zero"
    );
    text += &codecs.iter().map(|codec| format!("{codec:>8}")).collect::<String>();
    text.push('\n');
    for statistics in all {
        text += &row(statistics);
    }
    text + &means(all, &codecs)
}

fn row(statistics: &Statistics) -> String {
    let report = &statistics.report;
    let mut text = format!(
        "{:<18} {:<8} {:>8.1} {:>8} {:>9} {:>10} {:>5.0} % {:>4.0} % ",
        statistics.name,
        statistics.class.map_or("own", Class::name),
        report.thread_instructions as f64 / 1e6,
        report.launches,
        report.footprint_bytes.div_ceil(1024),
        statistics.dram_blocks,
        statistics.float_share * 100.0,
        statistics.zero_word_share * 100.0,
    );
    text += &statistics.codecs.iter().map(|codec| format!("{:>8.2}", codec.raw_ratio)).collect::<String>();
    if !matches_class(statistics) {
        text += "  its data types do not match its class";
    }
    text + "\n"
}

/// Geometric means by class, and the published ones under them.
fn means(all: &[Statistics], codecs: &[&str]) -> String {
    let mut text = "\ngeometric means\n".to_owned();
    for (class, published) in PUBLISHED {
        let members: Vec<&Statistics> =
            all.iter().filter(|statistics| statistics.class == Some(class)).collect();
        if members.is_empty() {
            continue;
        }
        let mean = |index: usize| {
            let sum: f64 = members.iter().map(|statistics| statistics.codecs[index].raw_ratio.ln()).sum();
            format!("{:>8.2}", (sum / members.len() as f64).exp())
        };
        let theirs = |codec: &&str| {
            let position = CODECS.iter().position(|(_, name)| name == codec);
            position.map_or(format!("{:>8}", ""), |position| format!("{:>8.1}", published[position]))
        };
        let ours: String = (0..codecs.len()).map(mean).collect();
        text += &format!("{:<80}{ours}\n", format!("{} ({} workloads)", class.name(), members.len()));
        text += &format!(
            "{:<80}{}\n",
            "  published (BPC, figure 3c)",
            codecs.iter().map(theirs).collect::<String>()
        );
    }
    text
}

/// One workload as JSON.
pub fn json(statistics: &Statistics) -> Value {
    let report = &statistics.report;
    let codecs: Vec<Value> = statistics
        .codecs
        .iter()
        .map(|codec| json!({"codec": codec.codec, "raw_ratio": codec.raw_ratio, "mag32_ratio": codec.mag32_ratio}))
        .collect();
    json!({
        "workload": statistics.name,
        "class": statistics.class.map(Class::name),
        "thread_instructions": report.thread_instructions,
        "cycles": report.cycles,
        "launches": report.launches,
        "footprint_bytes": report.footprint_bytes,
        "dram_blocks": statistics.dram_blocks,
        "float_share": statistics.float_share,
        "zero_word_share": statistics.zero_word_share,
        "matches_class": matches_class(statistics),
        "codecs": codecs,
    })
}
