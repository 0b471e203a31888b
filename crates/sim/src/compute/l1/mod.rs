//! Station 2, the L1 data cache: plain, or with compressed lines.
//!
//! | file                  | question it answers                                                       |
//! |-----------------------|---------------------------------------------------------------------------|
//! | [`scheme`]            | what can be configured?                                                   |
//! | [`compressed_l1`]     | what happens to an access and to a block that arrives?                    |
//! | [`crate::base::compressed_lines`] | how much data does a line take, and which lines leave for another? |
//! | [`expected_size`]     | how much data does a miss reserve?                                        |
//! | [`decompressor`]      | how long does a hit of a compressed line wait?                            |
//! | [`policy`]            | which mode does a line get?                                               |
//! | [`phases`]            | when does the cache learn, adapt and take samples?                        |
//! | [`tolerance`]         | how much latency does the SM hide?                                        |
//! | [`code_book`], [`retraining`], [`value_frequencies`] | which code does SC use?                    |
//! | [`record`]            | what was decided, for plots?                                              |
//!
//! The plain cache is [`crate::base::cache`] as it is: without a policy nothing of the rest exists.

pub mod code_book;
pub mod compressed_l1;
pub mod counters;
pub mod decompressor;
pub mod expected_size;
pub mod phases;
pub mod policy;
pub mod record;
pub mod retraining;
pub mod scheme;
pub mod tolerance;
pub mod value_frequencies;

pub use compressed_l1::CompressedL1;
pub use policy::L1Policy;
pub use record::{L1Record, PhaseRecord};
pub use scheme::L1Scheme;
pub use tolerance::ToleranceMeter;

use code_book::CodeBook;
use policy::TallyBoard;
use scheme::Scope;

use shrinkwarp_emu::memory::Memory;

use super::network::Outlet;
use crate::base::cache_counters::{CacheCounters, FailReason};
use crate::base::station::Station;
use crate::base::tags::LineAddress;
use crate::base::{Access, AccessKind, Cache, CacheSpec, CodecUnitSpec, Cycle, Packet};

/// What a compressed cache is made of.
#[derive(Clone, Debug)]
pub struct L1Compression {
    /// As configured.
    pub scheme: L1Scheme,
    /// The codecs of its modes; those to be trained know no value yet.
    pub codecs: Vec<CodecUnitSpec>,
    /// What it shares with the other L1s of its machine.
    pub shared: SharedByL1s,
}

/// What the L1s of one machine share, where the scheme says so.
#[derive(Clone, Debug, Default)]
pub struct SharedByL1s {
    /// The codes of trained codecs.
    code_book: Option<CodeBook>,
    /// What the dedicated sets of each L1 saw.
    tallies: Option<TallyBoard>,
}

impl L1Compression {
    /// The same for the L1s of another machine, with nothing shared yet.
    pub fn for_new_machine(&self) -> Self {
        let scheme = &self.scheme;
        let shared = SharedByL1s {
            code_book: if scheme.code_scope == Scope::Gpu { self.new_code_book() } else { None },
            tallies: (scheme.counter_scope == Scope::Gpu).then(TallyBoard::default),
        };
        Self { scheme: scheme.clone(), codecs: self.codecs.clone(), shared }
    }

    /// The book that an L1 takes its codes from; `None` if no codec is trained.
    fn code_book(&self) -> Option<CodeBook> {
        self.shared.code_book.clone().or_else(|| self.new_code_book())
    }

    fn new_code_book(&self) -> Option<CodeBook> {
        CodeBook::of(&self.codecs, self.scheme.vft_entries, self.scheme.vft_counter_bits)
    }
}

/// How an access ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct L1Access {
    /// As the cache core says.
    pub access: Access,
    /// Whether a read hit has its data now; otherwise [`L1::pop_decompressed`] gives its load later.
    pub is_data_ready: bool,
}

/// An L1 data cache.
#[derive(Debug)]
#[expect(
    clippy::large_enum_variant,
    reason = "the plain cache is the common one and is looked at in every cycle"
)]
pub enum L1 {
    /// Without compression.
    Plain(Cache),
    /// With compressed lines.
    Compressed(Box<CompressedL1>),
}

/// Calls the cache core, whichever lines it has.
macro_rules! core {
    ($l1:expr, $cache:ident => $call:expr) => {
        match $l1 {
            L1::Plain($cache) => $call,
            L1::Compressed(compressed) => {
                let $cache = &mut compressed.cache;
                $call
            }
        }
    };
}

impl L1 {
    /// An empty cache of SM `sm`; a plain hit takes `hit_cycles`.
    pub fn new(sm: u16, spec: CacheSpec, hit_cycles: usize, compression: Option<&L1Compression>) -> Self {
        match compression {
            None => Self::Plain(Cache::new(spec)),
            Some(compression) => {
                Self::Compressed(Box::new(CompressedL1::new(sm, spec, hit_cycles, compression)))
            }
        }
    }

    /// One access; `meter` tells a cache that adapts what its SM tolerates.
    #[inline]
    pub fn access(&mut self, packet: &Packet, now: Cycle, meter: &mut ToleranceMeter) -> L1Access {
        match self {
            Self::Plain(cache) => L1Access { access: cache.access(packet, now), is_data_ready: true },
            Self::Compressed(compressed) => compressed.access(packet, now, meter),
        }
    }

    /// Whether a plain cache refuses the access as it did the last time, for the same reason; it is counted then.
    #[inline]
    pub fn repeat_refusal(&mut self, packet: &Packet) -> Option<FailReason> {
        match self {
            Self::Plain(cache) => cache.repeat_refusal(packet),
            Self::Compressed(_) => None,
        }
    }

    /// The block of `reply` has arrived; its bytes are in `memory`.
    #[inline]
    pub fn fill(&mut self, reply: &Packet, now: Cycle, memory: &Memory) {
        match self {
            Self::Plain(cache) => {
                cache.fill(reply, now);
            }
            Self::Compressed(compressed) => compressed.fill(reply, now, memory),
        }
    }

    /// Takes the load of the next hit that was decompressed.
    #[inline]
    pub fn pop_decompressed(&mut self, now: Cycle, memory: &Memory) -> Option<u32> {
        let Self::Compressed(compressed) = self else { return None };
        let mut load = None;
        let _progress = compressed.step(&mut load, now, memory);
        load
    }

    /// When the next hit is decompressed.
    pub fn next_event(&self, now: Cycle) -> Cycle {
        self.compressed().and_then(|compressed| compressed.next_event(now)).unwrap_or(Cycle::NEVER)
    }

    /// The part with compressed lines, if there is one.
    pub fn compressed(&self) -> Option<&CompressedL1> {
        match self {
            Self::Plain(_) => None,
            Self::Compressed(compressed) => Some(compressed),
        }
    }

    /// Empties the cache and gives its sets `ways` lines, which are claimed at the miss or when a block arrives.
    pub fn empty_with(&mut self, ways: usize, is_allocated_on_fill: bool) {
        match self {
            Self::Plain(cache) => cache.empty_with(ways, is_allocated_on_fill),
            Self::Compressed(compressed) => compressed.empty_with(ways, is_allocated_on_fill),
        }
    }

    /// A kernel starts.
    pub fn start_kernel(&mut self, kernel: &str) {
        if let Self::Compressed(compressed) = self {
            compressed.start_kernel(kernel);
        }
    }

    /// Sends the first miss on, if there is one and room. Returns whether it did.
    #[inline]
    pub fn forward_miss(&mut self, outlet: &mut impl Outlet) -> bool {
        core!(self, cache => outlet.forward(cache))
    }

    /// Whether an access can leave because its block has arrived.
    #[inline]
    pub fn has_ready(&self) -> bool {
        match self {
            Self::Plain(cache) => cache.has_ready(),
            Self::Compressed(compressed) => compressed.cache.has_ready(),
        }
    }

    /// Takes the next access whose block has arrived.
    #[inline]
    pub fn pop_ready(&mut self) -> Option<Packet> {
        core!(self, cache => cache.pop_ready())
    }

    /// The request that the next level sees first.
    #[inline]
    pub fn miss_front(&self) -> Option<&Packet> {
        match self {
            Self::Plain(cache) => cache.miss_front(),
            Self::Compressed(compressed) => compressed.cache.miss_front(),
        }
    }

    /// Counts accesses that fail as the last did.
    pub fn count_repeated_fails(&mut self, kind: AccessKind, reason: FailReason, attempts: u64) {
        core!(self, cache => cache.count_repeated_fails(kind, reason, attempts));
    }

    /// Statistics.
    pub fn counters(&self) -> &CacheCounters {
        match self {
            Self::Plain(cache) => &cache.counters,
            Self::Compressed(compressed) => &compressed.cache.counters,
        }
    }

    /// Blocks on their way.
    pub fn blocks_awaited(&self) -> Vec<LineAddress> {
        match self {
            Self::Plain(cache) => cache.blocks_awaited().collect(),
            Self::Compressed(compressed) => compressed.cache.blocks_awaited().collect(),
        }
    }
}
