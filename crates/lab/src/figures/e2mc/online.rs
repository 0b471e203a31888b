//! E2MC16 with codes from the first instructions of the run itself.
//!
//! The paper samples 20 million instructions of runs of up to a billion. Inputs at small scale are some twenty times smaller, and so
//! are their samples. Blocks that were written before the sample ends count as compressed after it: the paper's figure 4b loses
//! nothing to sampling but its time, while memory that stays raw until it is rewritten would lose nearly all. [`physical`] has that.

use shrinkwarp_workloads::Scale;

use super::PARTIAL_WRITES;
use crate::figures::Scope;
use crate::figures::common::Variant;

/// The settings of a codec with online tables.
macro_rules! online {
    ($codec:literal, $instructions:literal, $earlier:literal) => {
        &[
            concat!("scheme.memory.codec=", $codec),
            PARTIAL_WRITES,
            "scheme.memory.tables=online",
            concat!("scheme.memory.sample_instructions=", $instructions),
            concat!("scheme.memory.blocks_before_sample=", $earlier),
        ]
    };
}

/// Variants of E2MC16 with 1, 2, 4 and 8 ways.
macro_rules! ways {
    ($instructions:literal) => {
        [
            Variant { name: "1 way", overrides: online!("e2mc16", $instructions, "compressed") },
            Variant { name: "2 ways", overrides: online!("e2mc16:ways=2", $instructions, "compressed") },
            Variant { name: "4 ways", overrides: online!("e2mc16:ways=4", $instructions, "compressed") },
            Variant { name: "8 ways", overrides: online!("e2mc16:ways=8", $instructions, "compressed") },
        ]
    };
}

/// A sample of a length, one way.
macro_rules! sample {
    ($name:literal, $instructions:literal) => {
        Variant { name: $name, overrides: online!("e2mc16", $instructions, "compressed") }
    };
}

const SMALL: [Variant<'static>; 4] = ways!("1000000");
const PAPER: [Variant<'static>; 4] = ways!("20000000");

/// As the paper recommends it, with memory that nothing rewrites when the code is made.
const PHYSICAL: [Variant<'static>; 2] = [
    Variant {
        name: "E2MC16 online, earlier blocks raw",
        overrides: online!("e2mc16:ways=4", "1000000", "raw"),
    },
    Variant {
        name: "E2MC16 online, earlier blocks raw",
        overrides: online!("e2mc16:ways=4", "20000000", "raw"),
    },
];

const SMALL_SAMPLES: [Variant<'static>; 5] = [
    sample!("0.1 M", "100000"),
    sample!("0.5 M", "500000"),
    sample!("1 M", "1000000"),
    sample!("2 M", "2000000"),
    sample!("5 M", "5000000"),
];
const PAPER_SAMPLES: [Variant<'static>; 5] = [
    sample!("1 M", "1000000"),
    sample!("10 M", "10000000"),
    sample!("20 M", "20000000"),
    sample!("50 M", "50000000"),
    sample!("100 M", "100000000"),
];

/// E2MC16 with 1, 2, 4 and 8 parallel decoding ways.
pub fn ways(scope: Scope) -> [Variant<'static>; 4] {
    if scope.scale == Scale::Paper { PAPER } else { SMALL }
}

/// The four ways that the paper recommends.
pub fn recommended(scope: Scope) -> &'static [&'static str] {
    ways(scope)[2].overrides
}

/// The same as hardware would have it.
pub fn physical(scope: Scope) -> Variant<'static> {
    PHYSICAL[usize::from(scope.scale == Scale::Paper)]
}

/// Samples of five lengths, shortest first.
pub fn samples(scope: Scope) -> [Variant<'static>; 5] {
    if scope.scale == Scale::Paper { PAPER_SAMPLES } else { SMALL_SAMPLES }
}
