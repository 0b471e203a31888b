//! Which mode does a line get? The contract of a policy, and the list of all of them.
//!
//! | file           | key                  | the mode of a set                                             |
//! |----------------|----------------------|---------------------------------------------------------------|
//! | [`fixed`]      | `static`             | the one codec, always                                         |
//! | [`latte`]      | `latte`              | least average access time, less the latency that the SM hides |
//! | [`hit_count`]  | `adaptive_hit_count` | most hits                                                     |
//! | [`cmp`]        | `adaptive_cmp`       | least average access time                                     |
//! | [`kernel_opt`] | `kernel_opt`         | the best for the running kernel, known beforehand             |
//!
//! [`set_duel`] has what the three adaptive ones share: sets dedicated to each mode, and what they saw.
//!
//! A new policy is a file with a type that implements [`Policy`], and one line in the list below.

mod cmp;
mod fixed;
mod hit_count;
mod kernel_opt;
mod latte;
mod set_duel;

pub use set_duel::TallyBoard;

use serde::{Deserialize, Serialize};

use super::scheme::L1Scheme;
use crate::base::compressed_lines::{MAX_MODES, Mode};

/// What a policy is made for.
#[derive(Clone, Debug)]
pub struct PolicySetup<'a> {
    /// As configured.
    pub scheme: &'a L1Scheme,
    /// Sets of the cache.
    pub sets: usize,
    /// Cycles of a hit of a raw line.
    pub hit_cycles: u32,
    /// By mode: cycles to decompress a block; 0 for no compression.
    pub decompress_cycles: Vec<u32>,
    /// Whether an EP comes before the first period, in which trained codecs take their first sample.
    pub has_warm_up: bool,
    /// Number of the SM.
    pub sm: u16,
    /// What the dedicated sets of all L1s saw, where policies decide by that.
    pub shared_tallies: Option<&'a TallyBoard>,
}

/// A read that hit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hit {
    /// Its set.
    pub set: usize,
    /// The mode of its line.
    pub mode: Mode,
    /// Cycles that it takes longer than a hit of a raw line: decompression × (position in the decompressor's queue + 1).
    pub added_cycles: u64,
}

/// What an EP measured.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Measured {
    /// Latency that the schedulers hid; `None` unless the policy [uses it](Policy::USES_TOLERANCE).
    pub tolerance_cycles: Option<f64>,
    /// Mean time from access to fill.
    pub miss_cycles: f64,
}

/// By mode: the average memory access time that a policy estimated, in cycles.
pub type Estimates = [Option<f64>; MAX_MODES];

/// The contract. The cache tells its policy of every read that hits or inserts a line, of kernels that start and of EPs
/// that end; after the last two it asks for the mode of every set, which holds for lines that the set claims from then on.
///
/// A policy decides by what it was told and by what [`PolicySetup`] gives it, nothing else: two equal runs decide the same.
pub trait Policy: Sized {
    /// Most codecs that it chooses from.
    const MOST_CODECS: usize = MAX_MODES - 1;
    /// Whether the SM must measure how much latency its schedulers hide, which takes time in every cycle.
    const USES_TOLERANCE: bool = false;

    /// A policy that has seen nothing yet.
    fn new(setup: &PolicySetup<'_>) -> Self;

    /// The mode of lines in sets that are not dedicated to another.
    fn winner(&self) -> Mode;

    /// The mode of lines that `set` claims from now on.
    fn mode_of_set(&self, _set: usize) -> Mode {
        self.winner()
    }

    /// Whether sets are dedicated to modes in this EP.
    fn is_learning(&self) -> bool {
        false
    }

    /// A kernel starts.
    fn start_kernel(&mut self, _kernel: &str) {}

    /// A read hit.
    fn observe_hit(&mut self, _hit: Hit) {}

    /// A read missed and claimed a line of `set` in `mode`.
    fn observe_insertion(&mut self, _set: usize, _mode: Mode) {}

    /// An EP ends, and the next begins. Returns what was estimated, for the record.
    fn end_phase(&mut self, _measured: Measured) -> Estimates {
        Estimates::default()
    }
}

/// From a line for each policy: the values of the key `policy`, and one type that is any of them.
macro_rules! policies {
    ($($name:ident($policy:ty), $summary:literal;)*) => {
        /// The values of the key `policy`.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
        #[serde(rename_all = "snake_case")]
        pub enum L1Policy {
            #[doc = "No compressed cache at all."]
            None,
            $(#[doc = $summary] $name,)*
        }

        impl L1Policy {
            /// Most codecs that it chooses from.
            pub fn most_codecs(self) -> usize {
                match self {
                    Self::None => MAX_MODES - 1,
                    $(Self::$name => <$policy>::MOST_CODECS,)*
                }
            }

            /// Whether the SM must measure how much latency its schedulers hide.
            pub fn uses_tolerance(self) -> bool {
                match self {
                    Self::None => false,
                    $(Self::$name => <$policy>::USES_TOLERANCE,)*
                }
            }
        }

        /// Any policy.
        #[derive(Clone, Debug)]
        pub enum AnyPolicy {
            /// A cache that compresses nothing.
            None,
            $(#[doc = $summary] $name($policy),)*
        }

        impl AnyPolicy {
            /// The policy that the scheme names.
            pub fn new(setup: &PolicySetup<'_>) -> Self {
                match setup.scheme.policy {
                    L1Policy::None => Self::None,
                    $(L1Policy::$name => Self::$name(<$policy>::new(setup)),)*
                }
            }

            /// As [`Policy::winner`].
            pub fn winner(&self) -> Mode {
                match self { Self::None => Mode::RAW, $(Self::$name(policy) => policy.winner(),)* }
            }

            /// As [`Policy::mode_of_set`].
            pub fn mode_of_set(&self, set: usize) -> Mode {
                match self { Self::None => Mode::RAW, $(Self::$name(policy) => policy.mode_of_set(set),)* }
            }

            /// As [`Policy::is_learning`].
            pub fn is_learning(&self) -> bool {
                match self { Self::None => false, $(Self::$name(policy) => policy.is_learning(),)* }
            }

            /// As [`Policy::start_kernel`].
            pub fn start_kernel(&mut self, kernel: &str) {
                match self { Self::None => {} $(Self::$name(policy) => policy.start_kernel(kernel),)* }
            }

            /// As [`Policy::observe_hit`].
            #[inline]
            pub fn observe_hit(&mut self, hit: Hit) {
                match self { Self::None => {} $(Self::$name(policy) => policy.observe_hit(hit),)* }
            }

            /// As [`Policy::observe_insertion`].
            pub fn observe_insertion(&mut self, set: usize, mode: Mode) {
                match self { Self::None => {} $(Self::$name(policy) => policy.observe_insertion(set, mode),)* }
            }

            /// As [`Policy::end_phase`].
            pub fn end_phase(&mut self, measured: Measured) -> Estimates {
                match self {
                    Self::None => Estimates::default(),
                    $(Self::$name(policy) => policy.end_phase(measured),)*
                }
            }
        }
    };
}

// The key is the name in small letters with underscores: `AdaptiveCmp` is `adaptive_cmp`.
policies! {
    Static(fixed::Static), "The one codec, always.";
    Latte(latte::Latte), "Least average access time, less the latency that the SM hides.";
    AdaptiveHitCount(hit_count::HitCount), "Most hits.";
    AdaptiveCmp(cmp::Cmp), "Least average access time.";
    KernelOpt(kernel_opt::KernelOpt), "The best for the running kernel, known beforehand.";
}
