//! The texture cache: an in-order FIFO, as in the reference simulator (after Igehy et al., "Prefetching in a Texture Cache
//! Architecture", Graphics Hardware 1998).
//!
//! ```text
//! access ─ tags ─┬─ fragment FIFO ────────────── head has its line? ─ result FIFO ─ write-back register
//!                └─ miss: request FIFO ─ network ─ reply: the line is here
//! ```
//!
//! An access looks at the tags once, when it enters. A miss claims its line at once, so that later accesses to the line are
//! hits although its bytes are on their way: they leave behind the miss, because accesses leave in the order they entered.
//! So a hit passes the whole FIFO, too, and one late line holds up everything behind it.
//!
//! One access enters, one request leaves for the network and one access leaves for the result FIFO in a cycle. An access is
//! refused when the fragment or the request FIFO is full. (The reference's reorder buffer for lines is as long as
//! the fragment FIFO and cannot fill before it.)

use std::collections::VecDeque;

use crate::base::cache_counters::{AccessOutcome, CacheCounters, FailReason};
use crate::base::tags::{LineAddress, LineStore, Probe, TagArray};
use crate::base::{AccessKind, Cycle, Packet, Port};
use crate::compute::network::Outlet;

/// What was configured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TextureCacheSpec {
    /// Sets; the index is the line number modulo the sets.
    pub sets: usize,
    /// Lines in a set.
    pub ways: usize,
    /// Bytes of a line, a power of two.
    pub line_bytes: usize,
    /// Accesses between tags and results.
    pub fragment_entries: usize,
    /// Requests that wait for the network.
    pub request_entries: usize,
    /// Accesses that have their bytes and wait for the write-back register.
    pub result_entries: usize,
}

/// An access between tags and results.
#[derive(Clone, Copy, Debug)]
struct Fragment {
    /// Handle of its pending load.
    load: u32,
    block: LineAddress,
    /// Whether its line is here; a hit is told so at once, since it leaves behind the miss that brings the line.
    has_line: bool,
}

/// The cache.
#[derive(Clone, Debug)]
pub struct TextureCache {
    spec: TextureCacheSpec,
    /// Made with the first access: most kernels fetch no texture, and there is a tag array in each SM.
    tags: Option<TagArray>,
    fragments: VecDeque<Fragment>,
    requests: Port<Packet>,
    results: Port<u32>,
    /// What happened so far.
    pub counters: CacheCounters,
}

impl TextureCache {
    /// An empty cache.
    pub fn new(spec: TextureCacheSpec) -> Self {
        Self {
            spec,
            tags: None,
            fragments: VecDeque::with_capacity(spec.fragment_entries),
            requests: Port::new(spec.request_entries),
            results: Port::new(spec.result_entries),
            counters: CacheCounters::default(),
        }
    }

    /// One access. It never completes here: even a hit comes back through [`TextureCache::pop_result`].
    pub fn access(&mut self, packet: Packet, now: Cycle) -> AccessOutcome {
        let outcome = self.enter(packet, now);
        self.counters.count(AccessKind::TextureRead, outcome);
        outcome
    }

    fn enter(&mut self, packet: Packet, now: Cycle) -> AccessOutcome {
        if self.fragments.len() >= self.spec.fragment_entries {
            return AccessOutcome::ReservationFail(FailReason::MshrEntries);
        }
        if !self.requests.has_room() {
            return AccessOutcome::ReservationFail(FailReason::MissQueue);
        }
        let line_bytes = self.spec.line_bytes as u64;
        let block = LineAddress::of(packet.address, self.spec.line_bytes);
        let set = (block.first_byte() / line_bytes % self.spec.sets as u64) as usize;
        let tags = self.tags.get_or_insert_with(|| TagArray::new(self.spec.sets, self.spec.ways));
        let outcome = match tags.probe(set, block) {
            Probe::Hit(line) => {
                tags.touch(line, now);
                AccessOutcome::Hit
            }
            Probe::Miss(line) => {
                tags.install(line, block, now);
                self.requests.push(Packet {
                    address: block.first_byte(),
                    bytes: line_bytes as u16,
                    ..packet
                });
                AccessOutcome::Miss
            }
            Probe::HitReserved(_) | Probe::SectorMiss(_) | Probe::AllReserved => {
                return AccessOutcome::ReservationFail(FailReason::LineAllocation);
            }
        };
        self.fragments.push_back(Fragment {
            load: packet.handle,
            block,
            has_line: outcome == AccessOutcome::Hit,
        });
        outcome
    }

    /// One cycle: a request leaves for the network, the oldest access for the results. Returns whether anything moved.
    #[inline]
    pub fn step(&mut self, outlet: &mut impl Outlet) -> bool {
        // A request has a fragment behind it.
        !self.fragments.is_empty() && (self.send_request(outlet) | self.finish_oldest())
    }

    /// The line of `reply` has come.
    pub fn fill(&mut self, reply: &Packet) {
        let block = LineAddress::of(reply.address, self.spec.line_bytes);
        // A line that was evicted on its way is requested twice; the replies serve the accesses in their order.
        let waiting =
            self.fragments.iter_mut().find(|fragment| !fragment.has_line && fragment.block == block);
        if let Some(fragment) = waiting {
            fragment.has_line = true;
            self.counters.fills += 1;
        }
    }

    /// Whether an access has its bytes.
    #[inline]
    pub fn has_result(&self) -> bool {
        !self.results.is_empty()
    }

    /// Whether no access is under way.
    #[inline]
    pub fn is_idle(&self) -> bool {
        // A request has a fragment behind it.
        self.fragments.is_empty() && self.results.is_empty()
    }

    /// Takes the load of the next access that has its bytes.
    #[inline]
    pub fn pop_result(&mut self) -> Option<u32> {
        self.results.pop()
    }

    /// The request that the network sees next.
    #[inline]
    pub fn miss_front(&self) -> Option<&Packet> {
        self.requests.front()
    }

    /// Counts accesses that are refused as the last was.
    pub fn count_repeated_fails(&mut self, reason: FailReason, attempts: u64) {
        self.counters.count_many(AccessKind::TextureRead, AccessOutcome::ReservationFail(reason), attempts);
    }

    fn send_request(&mut self, outlet: &mut impl Outlet) -> bool {
        let Some(request) = self.requests.front() else { return false };
        if !outlet.has_room(request.payload_bytes()) {
            return false;
        }
        if let Some(request) = self.requests.pop() {
            outlet.send(request);
        }
        true
    }

    fn finish_oldest(&mut self) -> bool {
        let Some(oldest) = self.fragments.front() else { return false };
        if !oldest.has_line || !self.results.has_room() {
            return false;
        }
        self.results.push(oldest.load);
        self.fragments.pop_front();
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SPEC: TextureCacheSpec = TextureCacheSpec {
        sets: 1,
        ways: 2,
        line_bytes: 128,
        fragment_entries: 4,
        request_entries: 2,
        result_entries: 2,
    };

    /// A network that takes everything.
    #[derive(Default)]
    struct Network(Vec<Packet>);

    impl Outlet for Network {
        fn has_room(&self, _: u32) -> bool {
            true
        }

        fn send(&mut self, packet: Packet) {
            self.0.push(packet);
        }
    }

    fn access(cache: &mut TextureCache, load: u32, address: u64) -> AccessOutcome {
        let packet = Packet { handle: load, ..Packet::new(AccessKind::TextureRead, address, 4, 0, Cycle(0)) };
        cache.access(packet, Cycle(u64::from(load)))
    }

    #[test]
    fn a_hit_waits_behind_an_older_miss() {
        let (mut cache, mut network) = (TextureCache::new(SPEC), Network::default());
        assert_eq!(access(&mut cache, 1, 0x000), AccessOutcome::Miss);
        assert_eq!(access(&mut cache, 2, 0x080), AccessOutcome::Miss);
        assert!(cache.step(&mut network));
        assert_eq!(access(&mut cache, 3, 0x084), AccessOutcome::Hit);
        assert!(cache.step(&mut network));
        assert_eq!(network.0.iter().map(|packet| packet.address).collect::<Vec<_>>(), [0x000, 0x080]);
        cache.fill(&network.0[1].into_reply());
        assert!(!cache.step(&mut network) && cache.pop_result().is_none());
        cache.fill(&network.0[0].into_reply());
        for load in 1..=3 {
            assert!(cache.step(&mut network));
            assert_eq!(cache.pop_result(), Some(load));
        }
    }

    #[test]
    fn a_full_fifo_refuses() {
        let (mut cache, mut network) = (TextureCache::new(SPEC), Network::default());
        access(&mut cache, 1, 0x000);
        access(&mut cache, 2, 0x080);
        assert_eq!(access(&mut cache, 3, 0x000), AccessOutcome::ReservationFail(FailReason::MissQueue));
        cache.step(&mut network);
        assert_eq!(access(&mut cache, 3, 0x000), AccessOutcome::Hit);
        assert_eq!(access(&mut cache, 4, 0x080), AccessOutcome::Hit);
        assert_eq!(access(&mut cache, 5, 0x080), AccessOutcome::ReservationFail(FailReason::MshrEntries));
    }

    #[test]
    fn results_wait_for_the_write_back_register() {
        let (mut cache, mut network) = (TextureCache::new(SPEC), Network::default());
        access(&mut cache, 1, 0x000);
        cache.step(&mut network);
        cache.fill(&network.0[0].into_reply());
        for load in 2..=3 {
            access(&mut cache, load, 0x000);
        }
        assert!(cache.step(&mut network) && cache.step(&mut network));
        assert!(!cache.step(&mut network), "the result FIFO has two entries");
        assert_eq!(cache.pop_result(), Some(1));
        assert!(cache.step(&mut network));
    }

    #[test]
    fn a_line_requested_twice_is_filled_twice() {
        let (mut cache, mut network) = (TextureCache::new(SPEC), Network::default());
        for (load, address) in [(1, 0x000), (2, 0x080), (3, 0x100), (4, 0x000)] {
            assert_eq!(access(&mut cache, load, address), AccessOutcome::Miss);
            cache.step(&mut network);
        }
        for packet in network.0.clone() {
            cache.fill(&packet.into_reply());
        }
        let mut finished = Vec::new();
        while cache.step(&mut network) {
            finished.extend(cache.pop_result());
        }
        assert_eq!(finished, [1, 2, 3, 4]);
    }
}
