//! What all stations have in common: the packet, the queue between stations, the clocks and the cache core.
//!
//! Stations (SM, fabric, partition) never name each other; they name these types only.

pub mod cache;
pub mod clock;
pub mod codec_costs;
pub mod codec_unit;
pub mod mshr;
pub mod packet;
pub mod port;
pub mod tags;

pub use cache::{Access, Allocate, Cache, CacheSpec, SetIndex, WritePolicy};
pub use clock::{ClockSpec, Clocks, Cycle, Edges};
pub use codec_unit::{BLOCK_BITS, BLOCK_BYTES, CodecUnit, CodecUnitSpec};
pub use packet::{AccessKind, Packet};
pub use port::Port;
