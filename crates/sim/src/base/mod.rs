//! What all stations have in common: the packet, the block, the queues between stations, the clocks and the cache core.
//!
//! Stations (SM, fabric, partition) never name each other; they name these types only.

pub mod block;
pub mod block_fetches;
pub mod cache;
pub mod cache_counters;
pub mod clock;
pub mod codec_costs;
pub mod codec_counters;
pub mod codec_pipeline;
pub mod codec_unit;
pub mod compressed_lines;
pub mod counting;
pub mod delay_line;
pub mod mshr;
pub mod own_codec;
pub mod packet;
pub mod point;
pub mod port;
pub mod ring;
pub mod sectors;
pub mod set_index;
pub mod setting;
pub mod station;
pub mod tags;
pub mod team;

pub use block::{BLOCK_BITS, BLOCK_BYTES, Block, BlockAddress};
pub use block_fetches::BlockFetches;
pub use cache::{Access, Allocate, Cache, CacheSpec, WritePolicy};
pub use clock::{ClockSpec, Clocks, Cycle, Edges, Now};
pub use codec_unit::{CodecUnit, CodecUnitSpec};
pub use delay_line::DelayLine;
pub use packet::{AccessKind, Attachment, Packet};
pub use point::{Point, PointSpec};
pub use port::Port;
pub use ring::Ring;
pub use set_index::SetIndex;
pub use team::{AsideKind, Horizon, Moment, Share, Sharing, Team, Turn};
