//! Graphs: work that is recorded now and done at each launch of the graph.
//!
//! A node is added after the nodes that it depends on, and a stream records in the order of the calls, so the order of
//! the nodes is an order in which they may be done.

use super::Context;
use super::launch::PreparedLaunch;
use super::{CopyKind, Span};
use crate::failure::Failure;

/// A function of the host.
pub type HostFunction = extern "C" fn(data: u64);

/// What a node does.
#[derive(Clone, Debug)]
pub enum Work {
    /// Nothing: it only orders others.
    Nothing,
    /// A kernel.
    Launch(PreparedLaunch),
    /// A copy of rows.
    Copy {
        /// Where to.
        to: Span,
        /// Where from.
        from: Span,
        /// Bytes of a row, rows, slices.
        extents: [u64; 3],
        /// Which side is whose.
        kind: CopyKind,
    },
    /// Rows of equal elements.
    Fill {
        /// Where.
        to: Span,
        /// Bytes of one element, repeated.
        element: Vec<u8>,
        /// Bytes of a row, rows, slices.
        extents: [u64; 3],
    },
    /// A call of the host's.
    Host(HostFunction, u64),
    /// A moment of simulated time.
    Event(u64),
    /// Another graph.
    Graph(Graph),
}

/// A node with its handle.
#[derive(Clone, Debug)]
pub struct Node {
    /// As the program knows it.
    pub handle: u64,
    /// What it does.
    pub work: Work,
}

/// Nodes in an order in which they may be done.
#[derive(Clone, Debug, Default)]
pub struct Graph {
    /// The nodes.
    pub nodes: Vec<Node>,
}

/// Node handles are multiples of this from here.
const FIRST_NODE: u64 = 0x5800_0000;
const NODE_STEP: u64 = 16;

impl Graph {
    /// Everything to do, one after the other.
    pub fn flat(&self) -> Vec<Work> {
        let mut all = Vec::new();
        for node in &self.nodes {
            match &node.work {
                Work::Graph(inner) => all.extend(inner.flat()),
                work => all.push(work.clone()),
            }
        }
        all
    }

    /// The node of a handle.
    pub fn node_mut(&mut self, handle: u64) -> Option<&mut Node> {
        self.nodes.iter_mut().find(|node| node.handle == handle)
    }
}

/// What a stream records.
#[derive(Debug)]
pub struct Capture {
    /// The stream that began it.
    pub stream: u64,
    /// What was recorded.
    pub graph: Graph,
}

impl Context {
    /// A handle for a new node.
    pub fn new_node(&mut self, work: Work) -> Node {
        self.nodes_made += 1;
        Node { handle: FIRST_NODE + NODE_STEP * self.nodes_made, work }
    }

    /// Records the work if the stream does so now; otherwise it is to be done at once. While one stream records, all but
    /// the default stream belong to it.
    pub fn record(&mut self, stream: u64, work: impl FnOnce() -> Work) -> bool {
        if !self.is_capturing(stream) {
            return false;
        }
        let node = self.new_node(work());
        if let Some(capture) = &mut self.capture {
            capture.graph.nodes.push(node);
        }
        true
    }

    /// Whether what is put into a stream is recorded.
    pub fn is_capturing(&self, stream: u64) -> bool {
        self.capture.as_ref().is_some_and(|capture| stream == capture.stream || stream > 2)
    }

    /// Does the work of a node. Calls of the host are the caller's.
    pub fn perform(&mut self, work: &Work) -> Result<(), Failure> {
        match work {
            Work::Nothing | Work::Host(..) | Work::Graph(_) => Ok(()),
            Work::Launch(prepared) => self.run(prepared),
            Work::Copy { to, from, extents, kind } => self.copy_rows(*to, *from, *extents, *kind),
            Work::Fill { to, element, extents } => self.fill_elements(*to, element, *extents),
            Work::Event(event) => {
                *self.events.get_mut(*event)? = Some(self.cycles);
                Ok(())
            }
        }
    }
}
