//! How many bits a link moves in a DRAM cycle, exactly.
//!
//! Bandwidth and clock share no unit: 90 GiB/s at 924 MHz are 836.66… bits per cycle. So the link is paid in fractions of a bit that
//! make both whole numbers. A packet may begin while anything is left of the cycle's pay; what it costs beyond that is a debt
//! that the following cycles pay off before another packet begins.

/// The running account of one link.
#[derive(Clone, Debug)]
pub struct Bandwidth {
    /// What a cycle pays, in fractions of a bit.
    pay: i64,
    /// What a bit costs, in the same fractions.
    bit_cost: i64,
    balance: i64,
}

impl Bandwidth {
    /// A link of `gib_per_second / divider`, paid at every cycle of a clock of `clock_mhz`.
    pub fn new(gib_per_second: u32, divider: u32, clock_mhz: u32) -> Self {
        const BITS_PER_GIB: i64 = 8 << 30;
        Self {
            pay: i64::from(gib_per_second) * BITS_PER_GIB,
            bit_cost: i64::from(clock_mhz) * 1_000_000 * i64::from(divider),
            balance: 0,
        }
    }

    /// A link of whole bits per cycle.
    #[cfg(test)]
    pub fn exact(bits_per_cycle: u32) -> Self {
        Self { pay: i64::from(bits_per_cycle), bit_cost: 1, balance: 0 }
    }

    /// Begins a cycle. What the last one did not use is lost.
    pub fn begin_cycle(&mut self) {
        self.balance = (self.balance + self.pay).min(self.pay);
    }

    /// Whether a packet may begin in this cycle.
    #[inline]
    pub fn is_open(&self) -> bool {
        self.balance > 0
    }

    /// Sends a packet. Returns after how many more cycles its last bit is out.
    pub fn send(&mut self, bits: u32) -> u64 {
        self.balance -= i64::from(bits) * self.bit_cost;
        let debt = (-self.balance).max(0);
        debt.unsigned_abs().div_ceil(self.pay.unsigned_abs())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bits sent in `cycles` by a sender of packets of `bits` that never rests.
    fn sent_bits(bandwidth: &mut Bandwidth, cycles: u32, bits: u32) -> u64 {
        let mut sent = 0;
        for _ in 0..cycles {
            bandwidth.begin_cycle();
            while bandwidth.is_open() {
                bandwidth.send(bits);
                sent += u64::from(bits);
            }
        }
        sent
    }

    #[test]
    fn a_busy_link_moves_its_bandwidth_to_the_bit() {
        // 90 x 2^33 bits per second over 924 million cycles: 836.66 bits per cycle.
        let sent = sent_bits(&mut Bandwidth::new(90, 1, 924), 924_000, 1152);
        let exact = 90 * (1u64 << 33) / 1000;
        assert!((exact..exact + 1152).contains(&sent), "{sent} of {exact}");
    }

    #[test]
    fn a_sixteenth_moves_a_sixteenth() {
        let sent = sent_bits(&mut Bandwidth::new(90, 16, 924), 924_000, 128);
        let exact = 90 * (1u64 << 33) / 16_000;
        assert!((exact..exact + 128).contains(&sent), "{sent} of {exact}");
    }

    #[test]
    fn a_long_packet_keeps_a_slow_link_until_its_last_bit() {
        let mut bandwidth = Bandwidth::exact(8);
        bandwidth.begin_cycle();
        assert_eq!(bandwidth.send(30), 3);
        bandwidth.begin_cycle();
        assert!(!bandwidth.is_open());
        bandwidth.begin_cycle();
        bandwidth.begin_cycle();
        // 32 bits paid: two are left of this cycle.
        assert!(bandwidth.is_open());
        assert_eq!(bandwidth.send(2), 0);
    }

    #[test]
    fn an_idle_link_saves_nothing_up() {
        let mut bandwidth = Bandwidth::exact(8);
        (0..5).for_each(|_| bandwidth.begin_cycle());
        bandwidth.send(8);
        assert!(!bandwidth.is_open());
    }
}
