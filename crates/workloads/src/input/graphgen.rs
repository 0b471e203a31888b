//! Random graphs like those of Rodinia's generator: every node draws two to four other ends, and each edge is listed at
//! both of its ends, in the order of drawing.

use super::Rng;
use super::graph::Csr;

const FEWEST_DRAWN: u32 = 2;
const MOST_DRAWN: u32 = 4;
const MOST_WEIGHT: u32 = 10;

/// A graph of about six edges a node. A node's edges are not sorted, and may repeat.
pub fn uniform(nodes: usize, rng: &mut Rng) -> Csr {
    let mut lists: Vec<Vec<(i32, i32)>> = vec![Vec::new(); nodes];
    for node in 0..nodes {
        for _ in 0..FEWEST_DRAWN + rng.below(MOST_DRAWN - FEWEST_DRAWN + 1) {
            let other = rng.below(nodes as u32) as usize;
            let weight = 1 + rng.below(MOST_WEIGHT) as i32;
            lists[node].push((other as i32, weight));
            lists[other].push((node as i32, weight));
        }
    }
    let mut graph = Csr { row: vec![0], col: Vec::new(), weight: Vec::new() };
    for list in &lists {
        graph.col.extend(list.iter().map(|&(other, _)| other));
        graph.weight.extend(list.iter().map(|&(_, weight)| weight));
        graph.row.push(graph.col.len() as i32);
    }
    graph
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_edge_is_there_in_both_directions() {
        let graph = uniform(1000, &mut Rng::new(1));
        assert!((5700..6300).contains(&graph.edges()), "{}", graph.edges());
        let count = |tail: usize, head: usize| {
            graph.neighbours(tail).iter().filter(|&&other| other as usize == head).count()
        };
        for node in 0..50 {
            for &other in graph.neighbours(node) {
                assert_eq!(count(node, other as usize), count(other as usize, node));
            }
        }
    }
}
