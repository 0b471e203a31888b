//! Graphs: work that is recorded now and done at each launch of the graph.
//!
//! Nodes are done in the order in which they were added or recorded, except that a node waits for those that it depends on:
//! a dependency can be added when both nodes are there.

use std::collections::{BTreeMap, BTreeSet};

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

impl Work {
    /// What it is, for a person.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Nothing => "empty",
            Self::Launch(_) => "kernel",
            Self::Copy { .. } => "copy",
            Self::Fill { .. } => "fill",
            Self::Host(..) => "host",
            Self::Event(_) => "event",
            Self::Graph(_) => "graph",
        }
    }
}

/// A node with its handle.
#[derive(Clone, Debug)]
pub struct Node {
    /// As the program knows it.
    pub handle: u64,
    /// What it does.
    pub work: Work,
    /// Whether it is skipped.
    pub is_disabled: bool,
}

/// Nodes, and which waits for which.
#[derive(Clone, Debug, Default)]
pub struct Graph {
    /// The nodes.
    pub nodes: Vec<Node>,
    /// Pairs of nodes: the second waits for the first.
    pub edges: Vec<(u64, u64)>,
}

/// Node handles are multiples of this from here.
const FIRST_NODE: u64 = 0x5800_0000;
const NODE_STEP: u64 = 16;

impl Graph {
    /// Everything to do, one after the other.
    pub fn flat(&self) -> Vec<Work> {
        let mut all = Vec::new();
        for node in self.in_order().into_iter().filter(|node| !node.is_disabled) {
            match &node.work {
                Work::Graph(inner) => all.extend(inner.flat()),
                work => all.push(work.clone()),
            }
        }
        all
    }

    /// The nodes, each behind those that it waits for. What waits for itself, which no program can make, is where it was.
    fn in_order(&self) -> Vec<&Node> {
        let mut before: BTreeMap<u64, Vec<u64>> = BTreeMap::new();
        for &(first, second) in &self.edges {
            before.entry(second).or_default().push(first);
        }
        let nodes: BTreeMap<u64, &Node> = self.nodes.iter().map(|node| (node.handle, node)).collect();
        let mut order = Vec::new();
        let (mut entered, mut placed) = (BTreeSet::new(), BTreeSet::new());
        for node in &self.nodes {
            let mut waiting = vec![node.handle];
            while let Some(&top) = waiting.last() {
                entered.insert(top);
                let awaited =
                    before.get(&top).and_then(|all| all.iter().find(|first| !entered.contains(*first)));
                if let Some(&first) = awaited {
                    waiting.push(first);
                    continue;
                }
                waiting.pop();
                if placed.insert(top) {
                    order.extend(nodes.get(&top));
                }
            }
        }
        order
    }

    /// Adds a node that waits for others.
    pub fn add(&mut self, node: Node, after: &[u64]) {
        self.edges.extend(after.iter().map(|&first| (first, node.handle)));
        self.nodes.push(node);
    }

    /// Takes a node out, with its dependencies.
    pub fn remove(&mut self, handle: u64) {
        self.nodes.retain(|node| node.handle != handle);
        self.edges.retain(|&(first, second)| first != handle && second != handle);
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
        Node { handle: FIRST_NODE + NODE_STEP * self.nodes_made, work, is_disabled: false }
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

#[cfg(test)]
mod tests {
    use super::*;

    fn node(handle: u64) -> Node {
        Node { handle, work: Work::Event(handle), is_disabled: false }
    }

    fn order(graph: &Graph) -> Vec<u64> {
        graph.in_order().iter().map(|node| node.handle).collect()
    }

    #[test]
    fn a_node_waits_for_what_was_added_later() {
        let mut graph = Graph { nodes: [1, 2, 3, 4].map(node).to_vec(), edges: Vec::new() };
        assert_eq!(order(&graph), [1, 2, 3, 4]);
        graph.edges = vec![(4, 1), (3, 4), (1, 2)];
        assert_eq!(order(&graph), [3, 4, 1, 2]);
        graph.edges.push((2, 3));
        assert_eq!(order(&graph).len(), 4, "a circle ends");
    }

    #[test]
    fn what_is_taken_out_or_disabled_is_not_done() {
        let mut graph = Graph::default();
        graph.add(node(1), &[]);
        graph.add(node(2), &[1]);
        graph.add(node(3), &[2]);
        graph.remove(2);
        assert!(graph.edges.is_empty());
        graph.nodes[0].is_disabled = true;
        assert!(matches!(graph.flat()[..], [Work::Event(3)]));
    }
}
