//! Counters of a DRAM channel.

use serde::Serialize;

use crate::base::counting::counters;

counters! {
    /// One DRAM channel's statistics. A command moves one burst.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
    pub struct DramCounters {
        /// Requests that came into the queue.
        pub requests: u64,
        /// Read commands for lines that a read requested.
        pub read_commands: u64,
        /// Read commands for lines that a write miss fetches.
        pub write_allocate_read_commands: u64,
        /// Write commands of writes that missed the L2.
        pub write_commands: u64,
        /// Write commands of dirty lines that left the L2.
        pub writeback_commands: u64,
        /// Read commands for metadata of compressed blocks.
        pub metadata_read_commands: u64,
        /// Write commands for metadata of compressed blocks.
        pub metadata_write_commands: u64,
        /// Read commands for compressed blocks that a write changes in part.
        pub merge_read_commands: u64,
        /// Rows opened.
        pub activates: u64,
        /// Rows closed.
        pub precharges: u64,
        /// DRAM cycles in which the data bus was taken.
        pub data_bus_cycles: u64,
        /// DRAM cycles in which some bank had a request and no command was possible.
        pub blocked_cycles: u64,
        /// Requests in the queue, summed over DRAM cycles in which the channel was not empty.
        pub queue_occupancy: u64,
    }
}

impl DramCounters {
    /// All read commands.
    pub fn all_read_commands(&self) -> u64 {
        self.read_commands
            + self.write_allocate_read_commands
            + self.metadata_read_commands
            + self.merge_read_commands
    }

    /// All write commands.
    pub fn all_write_commands(&self) -> u64 {
        self.write_commands + self.writeback_commands + self.metadata_write_commands
    }
}
