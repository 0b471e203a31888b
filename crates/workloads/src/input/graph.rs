//! Graphs in compressed sparse rows: power-law (R-MAT), road-like, or a user's file.

mod file;

pub use file::parse;

use super::Rng;

/// A directed graph in compressed sparse rows. Neighbours of a node are sorted and distinct where it is built from edges.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Csr {
    /// Where each node's edges start; one more entry than nodes.
    pub row: Vec<i32>,
    /// The head of each edge.
    pub col: Vec<i32>,
    /// The weight of each edge, at least 1.
    pub weight: Vec<i32>,
}

impl Csr {
    /// Builds from edges `(tail, head, weight)`; self-loops and repeated edges are dropped.
    pub fn from_edges(nodes: usize, mut edges: Vec<(u32, u32, i32)>) -> Self {
        edges.retain(|&(tail, head, _)| tail != head);
        edges.sort_unstable();
        edges.dedup_by_key(|&mut (tail, head, _)| (tail, head));
        let mut row = vec![0; nodes + 1];
        for &(tail, ..) in &edges {
            row[tail as usize + 1] += 1;
        }
        for node in 0..nodes {
            row[node + 1] += row[node];
        }
        let col = edges.iter().map(|&(_, head, _)| head as i32).collect();
        let weight = edges.iter().map(|&(.., weight)| weight).collect();
        Self { row, col, weight }
    }

    /// How many nodes.
    pub fn nodes(&self) -> usize {
        self.row.len() - 1
    }

    /// How many edges.
    pub fn edges(&self) -> usize {
        self.col.len()
    }

    /// The edge indices that leave a node.
    pub fn out_edges(&self, node: usize) -> std::ops::Range<usize> {
        self.row[node] as usize..self.row[node + 1] as usize
    }

    /// The neighbours of a node.
    pub fn neighbours(&self, node: usize) -> &[i32] {
        &self.col[self.out_edges(node)]
    }

    /// The graph with every edge turned around.
    pub fn reversed(&self) -> Self {
        let turned = |node: usize| {
            self.out_edges(node).map(move |edge| (self.col[edge] as u32, node as u32, self.weight[edge]))
        };
        Self::from_edges(self.nodes(), (0..self.nodes()).flat_map(turned).collect())
    }

    /// The graph with every edge in both directions.
    pub fn symmetric(&self) -> Self {
        let both = |node: usize| {
            self.out_edges(node).flat_map(move |edge| {
                let (tail, head) = (node as u32, self.col[edge] as u32);
                [(tail, head, self.weight[edge]), (head, tail, self.weight[edge])]
            })
        };
        Self::from_edges(self.nodes(), (0..self.nodes()).flat_map(both).collect())
    }

    /// The node with the most edges: a start that reaches much of the graph.
    pub fn hub(&self) -> usize {
        (0..self.nodes()).max_by_key(|&node| (self.out_edges(node).len(), usize::MAX - node)).unwrap_or(0)
    }
}

/// Chance of each quadrant in the recursive matrix, as Graph500 sets them: a = 0.57, b = c = 0.19.
const RMAT_THRESHOLDS: [f64; 3] = [0.57, 0.76, 0.95];

/// A power-law graph of `2^log_nodes` nodes: R-MAT (Chakrabarti et al., 2004), made symmetric, node numbers shuffled.
pub fn rmat(log_nodes: u32, edges_per_node: usize, max_weight: u32, rng: &mut Rng) -> Csr {
    let nodes = 1usize << log_nodes;
    let mut names: Vec<u32> = (0..nodes as u32).collect();
    rng.shuffle(&mut names);
    let mut edges = Vec::with_capacity(nodes * edges_per_node);
    for _ in 0..nodes * edges_per_node / 2 {
        let (mut tail, mut head) = (0usize, 0usize);
        for _ in 0..log_nodes {
            let draw = rng.unit();
            let quadrant = RMAT_THRESHOLDS.iter().take_while(|&&threshold| draw >= threshold).count();
            tail = tail * 2 + quadrant / 2;
            head = head * 2 + quadrant % 2;
        }
        let weight = 1 + rng.below(max_weight) as i32;
        let (tail, head) = (names[tail], names[head]);
        edges.push((tail, head, weight));
        edges.push((head, tail, weight));
    }
    Csr::from_edges(nodes, edges)
}

/// A road-like graph: a grid with a share of its crossings missing, edges between neighbours both ways.
pub fn road(width: usize, height: usize, hole_share: f64, max_weight: u32, rng: &mut Rng) -> Csr {
    let is_open: Vec<bool> = (0..width * height).map(|_| rng.unit() >= hole_share).collect();
    let mut edges = Vec::new();
    for y in 0..height {
        for x in 0..width {
            let here = y * width + x;
            for (there, exists) in [(here + 1, x + 1 < width), (here + width, y + 1 < height)] {
                if exists && is_open[here] && is_open[there] {
                    let weight = 1 + rng.below(max_weight) as i32;
                    edges.push((here as u32, there as u32, weight));
                    edges.push((there as u32, here as u32, weight));
                }
            }
        }
    }
    Csr::from_edges(width * height, edges)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_rmat_graph_is_symmetric_and_has_hubs() {
        let graph = rmat(10, 8, 10, &mut Rng::new(1));
        for node in 0..graph.nodes() {
            for &other in graph.neighbours(node) {
                assert!(graph.neighbours(other as usize).binary_search(&(node as i32)).is_ok());
            }
        }
        let mean = graph.edges() / graph.nodes();
        assert!(graph.out_edges(graph.hub()).len() > 10 * mean);
    }
}
