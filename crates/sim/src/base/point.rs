//! The places of the data path where a codec may be.
//!
//! Instructions and constants are not part of device memory: their bytes would read as zeros. Local memory is: what threads store
//! there is kept at the addresses that the load/store unit gives it. Which blocks a codec may see:
//!
//! | point   | a codec sees the block of                                                                           |
//! |---------|-----------------------------------------------------------------------------------------------------|
//! | L1      | a read of global memory                                                                             |
//! | packets | a whole-block reply to a read of global memory or of a texture; not of an atomic, which is a word   |
//! | memory  | local memory, and every access from the first global address on: the controller knows addresses only. Code is there too; it is never written, so its blocks stay raw, but its metadata are looked up |
//! | link    | the same but for instructions: the link has no metadata that call a block raw, and would send zeros |
//! | L2      | as on the link                                                                                      |

use super::{AccessKind, CodecUnitSpec, Packet};

/// Where a codec is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Point {
    /// In the L1, core cycles.
    L1,
    /// Between slices and SMs, core cycles.
    Packets,
    /// In an L2 slice, core cycles.
    L2,
    /// In the controller, DRAM cycles.
    Memory,
    /// At the ends of the memory link, DRAM cycles.
    Link,
}

/// What a compression point is built from: the keys of its section in the scheme, and its codec.
#[derive(Debug)]
pub struct PointSpec<'a, K> {
    /// The keys.
    pub keys: &'a K,
    /// The codec.
    pub codec: &'a CodecUnitSpec,
}

impl<K> Clone for PointSpec<'_, K> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<K> Copy for PointSpec<'_, K> {}

impl Point {
    /// How many points there are.
    pub const COUNT: usize = Self::ALL.len();

    /// Every point, from the SMs to memory.
    pub const ALL: [Self; 5] = [Self::L1, Self::Packets, Self::L2, Self::Memory, Self::Link];

    /// Its name in configurations and reports.
    pub const fn name(self) -> &'static str {
        match self {
            Self::L1 => "l1",
            Self::Packets => "packets",
            Self::L2 => "l2",
            Self::Memory => "memory",
            Self::Link => "link",
        }
    }

    /// The point whose published cycles hold here too, where the literature has none for the point itself.
    pub const fn published_as(self) -> Self {
        match self {
            Self::L1 | Self::Packets | Self::Memory => self,
            Self::L2 => Self::L1,
            Self::Link => Self::Memory,
        }
    }

    /// Whether a codec at this point may see the block of `packet`, by the table above.
    #[inline]
    pub fn may_see(self, packet: &Packet) -> bool {
        match self {
            Self::L1 => packet.kind == AccessKind::GlobalRead,
            Self::Packets => {
                let is_visible = matches!(packet.kind, AccessKind::GlobalRead | AccessKind::TextureRead);
                is_visible && packet.is_whole_block() && !packet.is_atomic
            }
            Self::Memory => packet.block().is_global() || packet.block().is_local(),
            Self::L2 | Self::Link => {
                Self::Memory.may_see(packet) && packet.kind != AccessKind::InstructionRead
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::Cycle;

    fn packet(kind: AccessKind, address: u64, bytes: u16) -> Packet {
        Packet::new(kind, address, bytes, 0, Cycle(0))
    }

    #[test]
    fn code_is_seen_by_address_only() {
        let code = packet(AccessKind::InstructionRead, 0xf000_0000, 128);
        let seen = Point::ALL.into_iter().filter(|point| point.may_see(&code));
        assert_eq!(seen.collect::<Vec<_>>(), [Point::Memory]);
    }

    #[test]
    fn local_memory_is_seen_from_the_l2_on() {
        let local = packet(AccessKind::LocalRead, 0x4000_0000, 128);
        let seen = Point::ALL.into_iter().filter(|point| point.may_see(&local));
        assert_eq!(seen.collect::<Vec<_>>(), [Point::L2, Point::Memory, Point::Link]);
    }
}
