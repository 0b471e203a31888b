//! Four clock domains on exact integer ratios.
//!
//! The frequencies' least common multiple defines a tick; every domain has an edge each `period` ticks and all have
//! one at tick 0. In which order the parts step within a tick is in [`crate::memory_side::MemorySide::tick`].

use std::ops::{Add, AddAssign, Sub};

use serde::{Deserialize, Serialize};

/// A point in time, in cycles of the domain that the context names (core cycles unless it says otherwise).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct Cycle(pub u64);

impl Cycle {
    /// Later than anything that happens.
    pub const NEVER: Self = Self(u64::MAX);
}

impl Add<u64> for Cycle {
    type Output = Self;
    #[inline]
    fn add(self, cycles: u64) -> Self {
        Self(self.0 + cycles)
    }
}

impl AddAssign<u64> for Cycle {
    #[inline]
    fn add_assign(&mut self, cycles: u64) {
        self.0 += cycles;
    }
}

impl Sub for Cycle {
    type Output = u64;
    #[inline]
    fn sub(self, earlier: Self) -> u64 {
        self.0.saturating_sub(earlier.0)
    }
}

/// A moment, on the two clocks that the memory side counts by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Now {
    /// Core cycles.
    pub core: Cycle,
    /// DRAM cycles.
    pub dram: Cycle,
}

/// Frequencies of the four domains.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClockSpec {
    /// SMs.
    pub core_mhz: u32,
    /// Both crossbars.
    pub interconnect_mhz: u32,
    /// L2 slices and their queues.
    pub l2_mhz: u32,
    /// DRAM command clock.
    pub dram_mhz: u32,
}

/// Which domains have an edge in this tick.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "four independent domains, each with an edge or without")]
pub struct Edges {
    /// SMs step.
    pub core: bool,
    /// Crossbars step.
    pub interconnect: bool,
    /// Slices step.
    pub l2: bool,
    /// Memory controllers step.
    pub dram: bool,
}

impl Edges {
    /// Whether nothing steps but memory controllers.
    pub fn is_only_dram(self) -> bool {
        self.dram && !(self.core || self.interconnect || self.l2)
    }
}

/// The running clocks.
#[derive(Clone, Debug)]
pub struct Clocks {
    core: Domain,
    interconnect: Domain,
    l2: Domain,
    dram: Domain,
}

#[derive(Clone, Copy, Debug)]
struct Domain {
    period_ticks: u64,
    next_tick: u64,
    /// Edges so far.
    edges: u64,
}

impl Domain {
    fn step(&mut self, tick: u64) -> bool {
        let has_edge = self.next_tick <= tick;
        if has_edge {
            self.next_tick += self.period_ticks;
            self.edges += 1;
        }
        has_edge
    }

    /// Passes over every edge before `tick`.
    fn skip_before(&mut self, tick: u64) {
        let missed = tick.saturating_sub(self.next_tick).div_ceil(self.period_ticks);
        self.next_tick += missed * self.period_ticks;
        self.edges += missed;
    }
}

impl Clocks {
    /// Clocks at tick 0, where every domain has its first edge.
    pub fn new(spec: &ClockSpec) -> Self {
        let frequencies = [spec.core_mhz, spec.interconnect_mhz, spec.l2_mhz, spec.dram_mhz]
            .map(|mhz| u64::from(mhz.max(1)));
        let ticks_per_second = frequencies.into_iter().fold(1, least_common_multiple);
        let [core, interconnect, l2, dram] =
            frequencies.map(|mhz| Domain { period_ticks: ticks_per_second / mhz, next_tick: 0, edges: 0 });
        Self { core, interconnect, l2, dram }
    }

    /// Goes to the next tick with an edge and says which domains have it.
    #[inline]
    pub fn advance(&mut self) -> Edges {
        let tick = self
            .core
            .next_tick
            .min(self.interconnect.next_tick)
            .min(self.l2.next_tick)
            .min(self.dram.next_tick);
        Edges {
            core: self.core.step(tick),
            interconnect: self.interconnect.step(tick),
            l2: self.l2.step(tick),
            dram: self.dram.step(tick),
        }
    }

    /// Jumps over idle time: afterwards `cycles` more core edges have passed, with every edge of the other domains
    /// that precedes the next core edge.
    pub fn skip_core_cycles(&mut self, cycles: u64) {
        self.core.next_tick += cycles * self.core.period_ticks;
        self.core.edges += cycles;
        let tick = self.core.next_tick;
        for domain in [&mut self.interconnect, &mut self.l2, &mut self.dram] {
            domain.skip_before(tick);
        }
    }

    /// Whether the SMs and the crossbars always step in the same ticks.
    pub fn is_interconnect_in_step(&self) -> bool {
        self.core.period_ticks == self.interconnect.period_ticks
            && self.core.next_tick == self.interconnect.next_tick
    }

    /// Core edges so far.
    pub fn core_cycles(&self) -> u64 {
        self.core.edges
    }

    /// Interconnect edges so far.
    pub fn interconnect_cycles(&self) -> u64 {
        self.interconnect.edges
    }

    /// DRAM edges so far.
    pub fn dram_cycles(&self) -> u64 {
        self.dram.edges
    }
}

fn least_common_multiple(a: u64, b: u64) -> u64 {
    a / greatest_common_divisor(a, b) * b
}

fn greatest_common_divisor(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { greatest_common_divisor(b, a % b) }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GTX480: ClockSpec = ClockSpec { core_mhz: 700, interconnect_mhz: 700, l2_mhz: 700, dram_mhz: 924 };

    #[test]
    fn all_domains_start_together() {
        let all = Edges { core: true, interconnect: true, l2: true, dram: true };
        assert_eq!(Clocks::new(&GTX480).advance(), all);
    }

    #[test]
    fn twenty_five_core_cycles_are_thirty_three_dram_cycles() {
        let mut clocks = Clocks::new(&GTX480);
        while clocks.core_cycles() < 25 * 40 {
            clocks.advance();
        }
        // The last core edge is at 999 periods; the DRAM has had every edge up to there.
        assert_eq!(clocks.dram_cycles(), 999 * 33 / 25 + 1);
    }

    #[test]
    fn skipping_arrives_where_stepping_does() {
        let (mut stepped, mut skipped) = (Clocks::new(&GTX480), Clocks::new(&GTX480));
        stepped.advance();
        skipped.advance();
        skipped.skip_core_cycles(1000);
        // The skip ends just before a core edge: step until the next tick is that edge.
        while stepped.core_cycles() < 1001 || stepped.dram.next_tick < stepped.core.next_tick {
            stepped.advance();
        }
        assert_eq!(stepped.dram_cycles(), skipped.dram_cycles());
        assert_eq!(stepped.advance(), skipped.advance());
    }
}
