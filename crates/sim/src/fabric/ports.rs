//! The flits at the ports of a crossbar, as counts: 16 ports side by side, so that a cycle moves the flits of all of them with a
//! few vector instructions.
//!
//! Flits need no identity: they leave in the order they came. At most one enters and one leaves each place of a port in a cycle, but for the
//! switch of a router with an internal speedup, so what is under way is a row of small numbers for each of the next cycles.

use super::send_queue::SendQueue;

/// Ports of a group.
pub const GROUP: usize = 16;

/// A number for each port of a group.
type Row = [i16; GROUP];

/// Days of a calendar, a power of two: more than the longest way.
const DAYS: usize = 4;
/// A flit is in the router two cycles after it has left the queue.
pub const CHANNEL_CYCLES: u64 = 2;
/// A flit is in the ejection buffer three cycles after it has won the switch.
pub const SWITCH_CYCLES: u64 = 3;
/// A freed buffer place can be used again two cycles later.
const CREDIT_CYCLES: u64 = 2;

/// Cycles after which nothing is under way any more, if nothing moves.
pub const LONGEST_WAY_CYCLES: u64 = DAYS as u64;

/// What arrives when.
type Calendar = [Row; DAYS];

#[inline]
fn day(cycle: u64) -> usize {
    cycle as usize % DAYS
}

/// Ports of a set, as bits.
pub type GroupMask = u16;

/// The input side: the node's queue, the channel into the router and the router's buffer.
#[derive(Clone, Debug, Default)]
pub struct InputPorts {
    /// Flits in the node's queue.
    pub queued: Row,
    /// Buffer places the node knows to be free.
    credits: Row,
    /// Flits in the router's buffer.
    buffered: Row,
    /// 1 where no packet is at the head of the buffer.
    is_headless: Row,
    /// Flits that have not won the switch of the packet that an output has let in.
    pub left: Row,
    /// The output of that packet.
    output: [u16; GROUP],
    /// Ports whose packet an output has let in, and those for which it did so in this cycle.
    sending: GroupMask,
    admitted: GroupMask,
    channel: Calendar,
    returning: Calendar,
}

impl InputPorts {
    pub fn new(buffer_flits: i16) -> Self {
        Self { credits: [buffer_flits; GROUP], is_headless: [1; GROUP], ..Self::default() }
    }

    /// Credits reach the nodes, flits the router; one flit of each queue goes onto its channel. Returns the ports whose buffer has
    /// a flit of a packet that is not yet at its head.
    #[inline]
    pub fn inject(&mut self, cycle: u64) -> GroupMask {
        let returned = std::mem::take(&mut self.returning[day(cycle)]);
        let arrived = std::mem::take(&mut self.channel[day(cycle)]);
        let leaving = &mut self.channel[day(cycle + CHANNEL_CYCLES)];
        let mut heads = [0; GROUP];
        for port in 0..GROUP {
            let credits = self.credits[port] + returned[port];
            let buffered = self.buffered[port] + arrived[port];
            let leaves = i16::from(self.queued[port] > 0) & i16::from(credits > 0);
            self.buffered[port] = buffered;
            self.queued[port] -= leaves;
            self.credits[port] = credits - leaves;
            leaving[port] = leaves;
            heads[port] = self.is_headless[port] & i16::from(buffered > 0);
        }
        bits_of(&heads)
    }

    /// What a node's queue of `capacity` flits will do from [`InputPorts::inject`] in `cycle` on, as far as it is known.
    #[inline]
    pub fn send_queue(&self, port: usize, cycle: u64, capacity: i16) -> SendQueue {
        let port = port % GROUP;
        let returning = std::array::from_fn(|later| self.returning[day(cycle + later as u64)][port]);
        SendQueue { capacity, queued: self.queued[port], credits: self.credits[port], returning }
    }

    /// A flit of each packet that an output has let in goes through the switch, if it is here and the ejection buffer behind the
    /// output has one of `buffer_flits` places for it. A packet that an output has let in just now begins in this cycle, if it
    /// `enters_at_once`, or in the next. Returns the number of flits, and the ports whose packet has gone and that have a flit of
    /// another.
    #[inline]
    pub fn send_flits(
        &mut self,
        outputs: &mut [OutputPorts],
        cycle: u64,
        buffer_flits: i16,
        enters_at_once: bool,
    ) -> (u64, GroupMask) {
        if enters_at_once {
            self.sending |= std::mem::take(&mut self.admitted);
        }
        let (mut flits, mut gone, mut heads) = (0, 0, 0);
        let returning = &mut self.returning[day(cycle + CREDIT_CYCLES)];
        for_each_port(self.sending, |port| {
            let output = usize::from(self.output[port]);
            let outputs = &mut outputs[output / GROUP];
            let output = output % GROUP;
            if self.buffered[port] == 0 || outputs.taken[output] >= buffer_flits {
                return;
            }
            flits += 1;
            outputs.taken[output] += 1;
            outputs.crossing[day(cycle + SWITCH_CYCLES)][output] += 1;
            returning[port] += 1;
            self.buffered[port] -= 1;
            self.left[port] -= 1;
            if self.left[port] == 0 {
                self.is_headless[port] = 1;
                outputs.held &= !(1 << output);
                gone |= 1 << port;
                heads |= GroupMask::from(self.buffered[port] > 0) << port;
            }
        });
        self.sending = self.sending & !gone | std::mem::take(&mut self.admitted);
        (flits, heads)
    }

    /// The packet at the head of the buffer has asked for its output.
    #[inline]
    pub fn note_request(&mut self, port: usize) {
        self.is_headless[port % GROUP] = 0;
    }

    /// An output has let in a packet of `flits`.
    #[inline]
    pub fn let_in(&mut self, port: usize, output: u16, flits: u8) {
        self.left[port % GROUP] = i16::from(flits);
        self.output[port % GROUP] = output;
        self.admitted |= 1 << (port % GROUP);
    }
}

/// The output side: the way out of the router, the ejection buffer and the boundary buffer.
#[derive(Clone, Debug, Default)]
pub struct OutputPorts {
    /// Places of the ejection buffer that are taken or promised.
    taken: Row,
    /// Flits in the ejection buffer.
    ejected: Row,
    /// Flits in the boundary buffer.
    pub boundary: Row,
    /// Flits that the oldest packet which is not whole still lacks in the boundary buffer.
    pub missing: Row,
    /// Ports that some packet asks for.
    pub requested: GroupMask,
    /// Ports that a packet holds.
    pub held: GroupMask,
    crossing: Calendar,
    returning: Calendar,
}

impl OutputPorts {
    /// Credits reach the router, flits the ejection buffers; one flit of each moves on, where the boundary buffer has less than
    /// `boundary_flits`. Returns the ports whose packet has become whole.
    #[inline]
    pub fn eject(&mut self, cycle: u64, boundary_flits: i16) -> GroupMask {
        let returned = std::mem::take(&mut self.returning[day(cycle)]);
        let arrived = std::mem::take(&mut self.crossing[day(cycle)]);
        let freed = &mut self.returning[day(cycle + CREDIT_CYCLES)];
        let mut whole = [0; GROUP];
        for port in 0..GROUP {
            let ejected = self.ejected[port] + arrived[port];
            let moves = i16::from(ejected > 0) & i16::from(self.boundary[port] < boundary_flits);
            let missing = self.missing[port] - moves;
            self.taken[port] -= returned[port];
            self.ejected[port] = ejected - moves;
            self.boundary[port] += moves;
            self.missing[port] = missing;
            freed[port] = moves;
            whole[port] = moves & i16::from(missing == 0);
        }
        bits_of(&whole)
    }

    /// The flits of one port.
    pub fn at(&self, port: usize) -> OutputPort {
        let port = port % GROUP;
        OutputPort {
            ejected: self.ejected[port],
            boundary: self.boundary[port],
            missing: self.missing[port],
            crossing: std::array::from_fn(|day| self.crossing[day][port]),
        }
    }
}

/// One port of [`OutputPorts`], to look ahead.
#[derive(Clone, Copy, Debug)]
pub struct OutputPort {
    ejected: i16,
    pub boundary: i16,
    pub missing: i16,
    crossing: [i16; DAYS],
}

impl OutputPort {
    /// [`OutputPorts::eject`] for one port. Returns whether its packet has become whole.
    pub fn eject(&mut self, cycle: u64, boundary_flits: i16) -> bool {
        self.ejected += std::mem::take(&mut self.crossing[day(cycle)]);
        let moves = self.ejected > 0 && self.boundary < boundary_flits;
        if moves {
            self.ejected -= 1;
            self.boundary += 1;
            self.missing -= 1;
        }
        moves && self.missing == 0
    }
}

/// The ports where a row of zeros and ones has a one.
#[inline]
fn bits_of(row: &Row) -> GroupMask {
    const PLACES: [GroupMask; GROUP] =
        [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768];
    // A product and a sum of rows are vector instructions; a shift by the port's number is not.
    let mut bits = 0;
    for port in 0..GROUP {
        bits |= (row[port] as GroupMask).wrapping_mul(PLACES[port]);
    }
    bits
}

/// Calls `visit` for each port of a set.
#[inline]
pub fn for_each_port(mut ports: GroupMask, mut visit: impl FnMut(usize)) {
    while ports != 0 {
        // A set has no other bits; the rest keeps the caller from checking its rows' bounds.
        visit(ports.trailing_zeros() as usize % GROUP);
        ports &= ports - 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    impl InputPorts {
        /// Whether no flit is here, and no packet goes through the switch.
        pub fn is_quiet(&self) -> bool {
            [self.queued, self.buffered, self.left] == [[0; GROUP]; 3] && self.sending | self.admitted == 0
        }
    }

    impl OutputPorts {
        /// Whether no flit is here, and no packet asks for a port.
        pub fn is_quiet(&self) -> bool {
            [self.taken, self.ejected, self.boundary] == [[0; GROUP]; 3] && self.requested | self.held == 0
        }
    }

    #[test]
    fn every_row_of_zeros_and_ones_is_its_bits() {
        for bits in 0..=GroupMask::MAX {
            let row = std::array::from_fn(|port| (bits >> port & 1) as i16);
            assert_eq!(bits_of(&row), bits);
        }
    }
}
